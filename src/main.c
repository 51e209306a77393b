/* exscope: options, and the choice of the face. */
#include "config.h"

#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/vec.h"
#include "explore/words.h"
#include "repl/batch.h"
#include "repl/history.h"
#include "repl/repl.h"
#include "report/commands.h"
#include "tui/tui.h"

/* ---- options ---- */

enum { OPTION_FORMAT = 256, OPTION_COLOR, OPTION_ASCII, OPTION_NO_MOUSE, OPTION_NO_RC };

typedef struct OptionHelp {
    int code; /* the letter, or above 255 */
    const char *name;
    const char *value; /* NULL: takes none */
    const char *summary;
} OptionHelp;

static const OptionHelp option_table[] = {
    {'e', "execute", "COMMAND", "run a command (again and again, in order), then exit"},
    {'f', "file", "FILE", "run a script of commands ('-': standard input), then exit"},
    {'i', "interactive", NULL, "the REPL; also after -e and -f"},
    {'j', "jobs", "N", "worker threads (default: one per online core)"},
    {OPTION_FORMAT, "format", "text|json|csv", "of what commands print (default: text)"},
    {OPTION_COLOR, "color", "auto|always|never", "colours in text (default: auto; NO_COLOR is honoured)"},
    {OPTION_ASCII, "ascii", NULL, "show nothing beyond ASCII"},
    {OPTION_NO_MOUSE, "no-mouse", NULL, "the explorer leaves the mouse to the terminal"},
    {OPTION_NO_RC, "no-rc", NULL, "do not run the exscoperc script, which interactive faces start with"},
    {'q', "quiet", NULL, "no notes, no progress"},
    {'v', "verbose", NULL, "text tables show every column"},
    {'h', "help", NULL, "this"},
    {'V', "version", NULL, "the version"},
};

enum { OPTION_COUNT = sizeof option_table / sizeof *option_table };

/* One -e or -f, in the order in which they were given. */
typedef struct Step {
    bool is_file;
    const char *text;
} Step;

typedef struct Options {
    VEC(Step) steps;
    const char *capture; /* NULL: none */
    bool interactive, rc, ascii, mouse, quiet, verbose, help, version;
    uint32_t color;  /* index in color_names */
    uint32_t format; /* OutputFormat */
    bool format_given;
    unsigned jobs; /* 0: one per core */
} Options;

static const char *const color_names[] = {"auto", "always", "never", NULL};
static const char *const format_names[] = {"text", "json", "csv", NULL};

static bool option_take(Options *options, int code, const char *value, Error *error)
{
    uint64_t number = 0;
    switch (code) {
    case 'e':
    case 'f':
        return vec_push(&options->steps, ((Step){code == 'f', value}), error);
    case 'i':
        options->interactive = true;
        return true;
    case 'j':
        if (!word_number(value, 1, 256, "--jobs", &number, error)) {
            return false;
        }
        options->jobs = (unsigned)number;
        return true;
    case OPTION_FORMAT:
        options->format_given = true;
        return word_choose(value, format_names, "--format", &options->format, error);
    case OPTION_COLOR:
        return word_choose(value, color_names, "--color", &options->color, error);
    case OPTION_ASCII:
        options->ascii = true;
        return true;
    case OPTION_NO_MOUSE:
        options->mouse = false;
        return true;
    case OPTION_NO_RC:
        options->rc = false;
        return true;
    case 'q':
        options->quiet = true;
        return true;
    case 'v':
        options->verbose = true;
        return true;
    case 'h':
        options->help = true;
        return true;
    case 'V':
        options->version = true;
        return true;
    default:
        return error_set(error, ERROR_USAGE, "exscope -h lists the options");
    }
}

/* The table in the form of getopt_long(). */
static void option_tables(char *letters, struct option *names)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const OptionHelp *option = &option_table[i];
        names[i] = (struct option){.name = option->name,
                                   .has_arg = option->value == NULL ? no_argument : required_argument,
                                   .val = option->code};
        if (option->code < 256) {
            *letters++ = (char)option->code;
            if (option->value != NULL) {
                *letters++ = ':';
            }
        }
    }
    *letters = '\0';
    names[OPTION_COUNT] = (struct option){0};
}

/* getopt_long() itself tells what is wrong with an option. */
static bool options_parse(int count, char **arguments, Options *options, Error *error)
{
    char letters[2 * OPTION_COUNT + 1];
    struct option names[OPTION_COUNT + 1];
    option_tables(letters, names);
    *options = (Options){.rc = true, .mouse = true};
    for (int code; (code = getopt_long(count, arguments, letters, names, NULL)) != -1;) {
        if (!option_take(options, code, optarg, error)) {
            return false;
        }
    }
    if (count - optind > 1) {
        return error_set(error, ERROR_USAGE, "one capture at a time: '%s' is one too many",
                         arguments[optind + 1]);
    }
    options->capture = optind < count ? arguments[optind] : NULL;
    return true;
}

static void print_help(void)
{
    fputs("usage: exscope [OPTIONS] [CAPTURE]\n"
          "       exscope analyze CAPTURE OUTDIR [OPTIONS]   (exscope analyze -h)\n"
          "\n"
          "Explores the exchange phases of a capture: a terminal explorer where standard input and output\n"
          "are a terminal, else commands from standard input. CAPTURE is JSON, plain, gzip or zstd; - reads\n"
          "it from standard input.\n"
          "\n",
          stdout);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const OptionHelp *option = &option_table[i];
        char left[64];
        bool letter = option->code < 256;
        snprintf(left, sizeof left, "%c%c%s--%s%s%s", letter ? '-' : ' ', letter ? option->code : ' ',
                 letter ? ", " : "  ", option->name, option->value == NULL ? "" : " ",
                 option->value == NULL ? "" : option->value);
        printf("  %-32s %s\n", left, option->summary);
    }
    fputs("\nCommands: exscope -e help. Exit status: 0 done, 1 a command or the load failed, 2 bad usage,\n"
          "130 stopped by Ctrl-C.\n",
          stdout);
}

static bool use_color(const Options *options)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (options->color != 0) {
        return options->color == 1;
    }
    return isatty(STDOUT_FILENO) && (no_color == NULL || no_color[0] == '\0') && terminal != NULL &&
           strcmp(terminal, "dumb") != 0;
}

/* What the command line says goes before what a rc script has set. */
static void apply_settings(const Options *options, Session *session)
{
    Settings settings = session_settings(session);
    settings.color = use_color(options);
    settings.ascii = settings.ascii || options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
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
    if (rc_path(&path) && file_exists(text_view(&path))) {
        Error error;
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
    fprintf(stderr, "exscope: %s\n", error->message);
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

static int run_faces(const Options *options, Session *session)
{
    Error error = {0};
    Tui *tui = tui_new(session, &error);
    int status = 1;
    if (tui == NULL) {
        explorer_failed(&error);
    } else if (options->steps.count == 0 && !options->interactive && isatty(STDIN_FILENO) &&
               isatty(STDOUT_FILENO)) {
        status = open_explorer(options, session, tui);
    } else {
        status = run_commands(options, session);
    }
    tui_free(tui);
    return status;
}

static int usage_failure(const Error *error)
{
    fprintf(stderr, "exscope: %s\n", error->message);
    return 2;
}

static bool options_check(const Options *options, Error *error)
{
    bool reads_commands = options->interactive || options->steps.count == 0;
    for (size_t i = 0; i < options->steps.count; i++) {
        reads_commands = reads_commands ||
                         (options->steps.items[i].is_file && strcmp(options->steps.items[i].text, "-") == 0);
    }
    if (options->capture != NULL && strcmp(options->capture, "-") == 0 && reads_commands) {
        return error_set(error, ERROR_USAGE,
                         "standard input is the capture: commands can come from -e and -f FILE only");
    }
    return true;
}

/* A session with the commands of every folder; its failure is told. */
static Session *new_session(unsigned workers)
{
    Error error = {0};
    Session *session = session_new(workers, &error);
    if (session == NULL || !report_commands_add(session, &error)) {
        fprintf(stderr, "exscope: %s\n", error.message);
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
    if (!options_parse(count, arguments, &options, &error) || !options_check(&options, &error)) {
        status = usage_failure(&error);
    } else if (options.help) {
        print_help();
    } else if (options.version) {
        puts(PACKAGE_STRING);
    } else {
        Session *session = new_session(options.jobs);
        status = session == NULL ? 1 : run_faces(&options, session);
        session_free(session);
    }
    vec_free(&options.steps);
    return status;
}

/* exscope analyze CAPTURE OUTDIR ... */
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
