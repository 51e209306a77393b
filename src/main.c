/* exscope: the choice of the face. */
#include "config.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "options.h"
#include "repl/batch.h"
#include "repl/history.h"
#include "repl/repl.h"
#include "report/commands.h"
#include "tui/tui.h"

static bool use_color(const Options *options)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (options->color != COLOR_AUTO) {
        return options->color == COLOR_ALWAYS;
    }
    return isatty(STDOUT_FILENO) && (no_color == NULL || no_color[0] == '\0') && terminal != NULL &&
           strcmp(terminal, "dumb") != 0;
}

static bool locale_has_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* What the command line says goes before what a rc script has set. */
static void apply_settings(const Options *options, Session *session)
{
    Settings settings = session_settings(session);
    settings.color = use_color(options);
    settings.ascii = settings.ascii || options->ascii || !locale_has_utf8();
    settings.mouse = settings.mouse && options->mouse;
    settings.quiet = settings.quiet || options->quiet;
    settings.verbose = settings.verbose || options->verbose;
    settings.format = options->format_given ? (OutputFormat)options->format : settings.format;
    session_set_settings(session, &settings);
}

/* ---- faces ---- */

static bool write_nothing(void *context, const char *bytes, size_t length, Error *error)
{
    (void)context;
    (void)bytes;
    (void)length;
    (void)error;
    return true;
}

/* Its output is not shown; what fails in it is told, and does not keep the face from starting. */
static void run_rc(Face *face)
{
    Text path = {0};
    Error error = {0};
    if (!rc_path(&path)) {
        return;
    }
    if (!text_ok(&path, &error)) {
        face_failed(face, "exscoperc", &error);
    } else if (file_exists(text_view(&path))) {
        Interpreter silent = face->interpreter;
        silent.sink = (Sink){write_nothing, NULL};
        if (!interpreter_file(&silent, text_view(&path), &error) && !silent.told) {
            interpreter_failed(&silent, "", &error);
        }
    }
    text_free(&path);
}

static bool run_script(Face *face, const char *path)
{
    Error error = {0};
    bool done = interpreter_file(&face->interpreter, path, &error);
    if (!done && !face->interpreter.told && !progress_cancelled(&face->progress)) {
        face_failed(face, path, &error);
    }
    return done;
}

static bool run_steps(Face *face, const Options *options)
{
    for (size_t i = 0; i < options->steps.count && !session_quitting(face->interpreter.session); i++) {
        const Step *step = &options->steps.items[i];
        if (!(step->is_file ? run_script(face, step->text)
                            : interpreter_line(&face->interpreter, step->text, NULL))) {
            return false;
        }
    }
    return true;
}

static int run_repl(Face *face)
{
    Session *session = face->interpreter.session;
    Error error = {0};
    if (!history_load(session, &error)) {
        face_failed(face, "history", &error);
    }
    size_t known = session_history_count(session);
    int status = repl_run(face);
    if (!history_save(session, known, &error)) {
        face_failed(face, "history", &error);
    }
    return status;
}

/* Told on standard error: there is no screen yet, or no longer. */
static void explorer_failed(const Error *error)
{
    face_say(false, "", error->message);
}

static int run_explorer(const Options *options, Session *session, Tui *tui)
{
    Error error = {0};
    if (!history_load(session, &error)) {
        explorer_failed(&error);
    }
    size_t known = session_history_count(session);
    int status = 1;
    if (options->capture != NULL && !session_load_start(session, options->capture, NULL, &error)) {
        explorer_failed(&error);
    } else if ((status = tui_run(tui, &error)) < 0) {
        explorer_failed(&error);
        status = 1;
    }
    if (!history_save(session, known, &error)) {
        explorer_failed(&error);
    }
    return status;
}

/* The face where nothing else was asked for and there is a terminal. */
static int open_explorer(const Options *options, Session *session, Tui *tui)
{
    if (options->rc) {
        Face face; /* the rc script runs before the screen is taken over, so that its failures can be read */
        face_open(&face, session, STDOUT_FILENO);
        run_rc(&face);
        face_close(&face);
    }
    apply_settings(options, session);
    return session_quitting(session) ? 0 : run_explorer(options, session, tui);
}

static int run_commands(const Options *options, Session *session)
{
    Face face;
    bool batch = options->steps.count != 0;
    bool interactive = options->interactive;
    face_open(&face, session, STDOUT_FILENO);
    if (interactive && options->rc) {
        run_rc(&face);
    }
    apply_settings(options, session);
    bool done = options->capture == NULL || face_load(&face, options->capture);
    int status = face_status(&face, done);
    if (batch && done) {
        done = run_steps(&face, options);
        status = face_status(&face, done);
    }
    if (interactive && !session_quitting(session) && (done || !batch)) {
        face_rearm(&face);
        status = run_repl(&face);
    } else if (!batch && done) {
        status = face_status(&face, run_script(&face, "-"));
    }
    face_close(&face);
    return status;
}

/* 2 is only for what the user can write differently. */
static int usage_failure(const Error *error)
{
    face_say(false, "", error->message);
    return error->kind == ERROR_USAGE ? 2 : 1;
}

static int run_faces(const Options *options, Session *session)
{
    Error error = {0};
    if (options_read_input(options)) {
        session_keep_input(session);
    }
    Tui *tui = tui_new(session, &error);
    int status = 1;
    if (tui == NULL) {
        explorer_failed(&error);
    } else if (options->steps.count != 0 || options->interactive || !isatty(STDIN_FILENO)) {
        status = run_commands(options, session);
    } else if (isatty(STDOUT_FILENO)) {
        status = open_explorer(options, session, tui);
    } else {
        error_set(&error, ERROR_USAGE,
                  "standard output is no terminal: give commands with -e or -f, or -i to type them");
        status = usage_failure(&error);
    }
    tui_free(tui);
    return status;
}

/* A session with the commands of every folder; its failure is told. */
static Session *new_session(unsigned workers)
{
    Error error = {0};
    Session *session = session_new(workers, &error);
    if (session == NULL || !report_commands_add(session, &error)) {
        face_say(false, "", error.message);
        session_free(session);
        return NULL;
    }
    return session;
}

static int run_explorer_or_commands(int count, char **arguments)
{
    Options options;
    Error error = {0};
    int status = 0;
    if (!options_parse(count, arguments, &options, &error)) {
        status = usage_failure(&error);
    } else if (options.help) {
        options_print_help();
    } else if (options.version) {
        puts(PACKAGE_STRING);
    } else {
        Session *session = new_session(options.jobs);
        status = session == NULL ? 1 : run_faces(&options, session);
        session_free(session);
    }
    options_free(&options);
    return status;
}

/* exscope analyze CAPTURE OUTDIR ... */
enum { BATCH_MEGABYTES = 1024 };

static int run_analyze(int count, char **arguments)
{
    AnalyzeOptions options;
    Error error = {0};
    int status = 0;
    if (!analyze_parse(count, arguments, &options, &error)) {
        status = usage_failure(&error);
    } else if (options.help) {
        fputs(analyze_usage, stdout);
    } else {
        Session *session = new_session(options.jobs);
        status = 1;
        if (session != NULL) {
            Face face;
            Settings settings = session_settings(session);
            settings.format = options.format;
            settings.quiet = options.quiet;
            settings.ascii = !locale_has_utf8();
            if (settings.memory_megabytes > BATCH_MEGABYTES) { /* it asks for nothing twice */
                settings.memory_megabytes = BATCH_MEGABYTES;
            }
            session_set_settings(session, &settings);
            face_open(&face, session, STDOUT_FILENO);
            status = batch_analyze(&face, &options);
            face_close(&face);
        }
        session_free(session);
    }
    analyze_options_free(&options);
    return status;
}

int main(int count, char **arguments)
{
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C"); /* numbers are read by programs: never with a decimal comma */
    int status = count > 1 && strcmp(arguments[1], "analyze") == 0
                     ? run_analyze(count - 2, arguments + 2)
                     : run_explorer_or_commands(count, arguments);
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == 0) {
        fprintf(stderr, "exscope: cannot write the output\n");
        status = 1;
    }
    return status;
}
