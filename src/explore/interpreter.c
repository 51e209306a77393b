#include "config.h"

#include "explore/interpreter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "explore/command_parts.h"

enum { SOURCE_DEPTH_MAX = 16 };

/* ---- output ---- */

/* Where one line's output goes: the face's sink, a file that appears when it is complete, or something that
 * is there and is no file (/dev/null, a pipe with a name) and is written as it comes. */
typedef struct Destination {
    Sink sink;
    bool redirected;
    Output *file;
    int device; /* -1: none */
    bool replace;
} Destination;

static bool is_device(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static bool destination_open_device(Destination *destination, const char *path, Error *error)
{
    destination->device = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    destination->sink = sink_descriptor(&destination->device);
    return destination->device >= 0 || error_set_errno(error, errno, "%s: cannot be opened", path);
}

static bool destination_open(const Interpreter *interpreter, const Line *line, Destination *destination,
                             Error *error)
{
    *destination = (Destination){
        .sink = interpreter->sink, .redirected = line->file != NULL, .device = -1, .replace = line->replace};
    if (!destination->redirected) {
        return true;
    }
    if (is_device(line->file)) {
        return destination_open_device(destination, line->file, error);
    }
    if (!line->replace && file_exists(line->file)) {
        return error_set(error, ERROR_REFUSED, "%s exists: >| replaces it", line->file);
    }
    destination->file = output_open(line->file, error);
    destination->sink = sink_output(destination->file);
    return destination->file != NULL;
}

static bool destination_close(Destination *destination, bool keep, Error *error)
{
    if (destination->device >= 0) {
        close(destination->device);
    }
    if (destination->file == NULL) {
        return keep;
    }
    if (!keep) {
        output_discard(destination->file);
        return false;
    }
    return output_commit(destination->file, destination->replace, error);
}

static RenderOptions interpreter_options(const Interpreter *interpreter, bool to_file)
{
    Settings settings = session_settings(interpreter->session);
    RenderOptions options = render_options(&settings);
    options.color = options.color && !interpreter->plain && !to_file;
    options.indent = interpreter->indent && !to_file;
    return options;
}

/* ---- one line ---- */

static bool call_check(const CommandCall *call, Error *error)
{
    unsigned needs = call->command->flags & (COMMAND_NEEDS_CAPTURE | COMMAND_NEEDS_PHASE);
    if (needs != 0 && call->view == NULL) {
        return error_set(error, ERROR_INPUT, "no capture is open: load FILE opens one");
    }
    if ((needs & COMMAND_NEEDS_PHASE) != 0 && call->entry == NULL) {
        return error_set(error, ERROR_INPUT, "%s",
                         view_loading(call->view) ? "no phase has been read yet"
                                                  : "the capture has no phases");
    }
    return true;
}

static bool call_run(CommandCall *call, const Line *line, Error *error)
{
    if (call->view != NULL) {
        Selection selection = view_selection(call->view);
        call->entry = selection.entry;
        call->mode = selection.mode;
        call->tile = selection.tile;
    }
    return call_check(call, error) && arguments_parse(call, line, error) && call_check(call, error) &&
           call->command->function(call, error) && (call->view == NULL || view_peeks_ok(call->view, error));
}

/* Writes what the command answered. */
static bool call_render(const CommandCall *call, Interpreter *interpreter, const Destination *destination,
                        Error *error)
{
    if (document_is_empty(call->out)) {
        return true;
    }
    RenderOptions options = interpreter_options(interpreter, destination->redirected);
    if (document_render(call->out, &options, &destination->sink, interpreter->progress, error)) {
        return true;
    }
    if (!destination->redirected && !progress_cancelled(interpreter->progress)) {
        interpreter->output_failed = true;
    }
    return false;
}

static bool interpreter_call(Interpreter *interpreter, CommandCall *call, const Line *line,
                             const Destination *destination, Error *error)
{
    progress_stage(interpreter->progress, NULL, 0);
    if (interpreter->begin != NULL) {
        interpreter->begin(interpreter->context, call->command);
    }
    bool done = call_run(call, line, error);
    if (interpreter->end != NULL) {
        interpreter->end(interpreter->context);
    }
    interpreter->told = call->interpreter->told;
    if (!destination->redirected) {
        interpreter->output_failed = call->interpreter->output_failed;
    }
    return done && call_render(call, interpreter, destination, error);
}

static bool interpreter_command(Interpreter *interpreter, const Line *line, const Destination *destination,
                                Error *error)
{
    CommandSet *set = session_commands(interpreter->session);
    const Command *command = commands_find(set, line->words.items[0].text, error);
    Document *out = command == NULL ? NULL : document_new(error);
    if (out == NULL) {
        return false;
    }
    Error trouble = {0};
    View *view = view_new(interpreter->session, &trouble);
    if (view == NULL && trouble.kind != ERROR_INPUT) { /* not because nothing is open */
        document_free(out);
        if (error != NULL) {
            *error = trouble;
        }
        return false;
    }
    Interpreter inner = *interpreter; /* commands that run others write to the same place */
    inner.sink = destination->sink;
    inner.indent = interpreter->indent && !destination->redirected;
    Arguments arguments = {0};
    CommandCall call = {.session = interpreter->session,
                        .command = command,
                        .context = commands_context(set, command),
                        .view = view,
                        .tile = -1,
                        .select_only = interpreter->select_only,
                        .out = out,
                        .progress = interpreter->progress,
                        .interpreter = &inner,
                        .arguments = &arguments};
    bool done = interpreter_call(interpreter, &call, line, destination, error);
    document_free(out);
    arguments_free(&arguments);
    view_free(call.view);
    return done;
}

static bool interpreter_parsed(Interpreter *interpreter, const Line *line, Error *error)
{
    if (line->words.count == 0) {
        return line->file == NULL || error_set(error, ERROR_USAGE, "a command is missing before >");
    }
    Destination destination;
    if (!destination_open(interpreter, line, &destination, error)) {
        return false;
    }
    bool done = interpreter_command(interpreter, line, &destination, error);
    return destination_close(&destination, done, error);
}

static void interpreter_tell(Interpreter *interpreter, const char *where, const char *line,
                             const Error *failure)
{
    RenderOptions options = interpreter_options(interpreter, false);
    if (options.format == FORMAT_JSON && !interpreter->output_failed) {
        interpreter->output_failed = !render_error(failure, line, &options, &interpreter->sink, NULL);
    }
    if (interpreter->failed != NULL) {
        interpreter->failed(interpreter->context, where, line, failure);
    }
    interpreter->told = true;
}

/* *tolerant: a script goes on in spite of a failure. */
static bool interpreter_run(Interpreter *interpreter, const char *where, const char *text, bool *tolerant,
                            Error *error)
{
    Line line;
    Error failure = {0};
    interpreter->told = false;
    bool done = line_parse(text, strlen(text), false, &line, &failure) &&
                progress_go_on(interpreter->progress, &failure) &&
                interpreter_parsed(interpreter, &line, &failure);
    *tolerant = line.tolerant;
    line_free(&line);
    if (!done && !interpreter->told) {
        interpreter_tell(interpreter, where, text, &failure);
    }
    if (!done && error != NULL) {
        *error = failure;
    }
    return done;
}

/* After a failure of a line that allows it. */
static bool script_goes_on(const Interpreter *interpreter)
{
    return !interpreter->output_failed && !progress_cancelled(interpreter->progress);
}

bool interpreter_line(Interpreter *interpreter, const char *line, Error *error)
{
    bool tolerant = false;
    return interpreter_run(interpreter, "", line, &tolerant, error) ||
           (tolerant && script_goes_on(interpreter));
}

void interpreter_failed(Interpreter *interpreter, const char *command, const Error *failure)
{
    interpreter_tell(interpreter, "", command, failure);
}

/* ---- scripts ---- */

enum { LINE_BYTES_MAX = 16 << 20 };

typedef struct Script {
    const char *name;
    FILE *file;
    Text line;
    unsigned long number;
} Script;

/* The next line without its end. *more is false at the end of the file. */
static bool script_read(Script *script, bool *more, Error *error)
{
    int byte;
    text_clear(&script->line);
    script->number++;
    errno = 0;
    while ((byte = getc(script->file)) != EOF && byte != '\n') {
        if (byte == '\0') {
            return error_set(error, ERROR_INPUT, "%s:%lu: a NUL character stands in the line", script->name,
                             script->number);
        }
        if (script->line.length == LINE_BYTES_MAX) {
            return error_set(error, ERROR_INPUT, "%s:%lu: the line is longer than %d MiB", script->name,
                             script->number, LINE_BYTES_MAX >> 20);
        }
        text_append_char(&script->line, (char)byte);
    }
    if (byte == EOF && ferror(script->file) != 0) {
        return error_set_errno(error, errno, "cannot read %s", script->name);
    }
    *more = byte != EOF || script->line.length != 0;
    return text_ok(&script->line, error);
}

static bool script_run(Interpreter *interpreter, Script *script, Error *error)
{
    bool more = true;
    while (!session_quitting(interpreter->session)) {
        if (!progress_go_on(interpreter->progress, error) || !script_read(script, &more, error)) {
            return false;
        }
        if (!more) {
            break;
        }
        char name[280], where[sizeof name + 24];
        bool tolerant = false;
        text_copy_visible(name, sizeof name, script->name, strlen(script->name));
        snprintf(where, sizeof where, "%s:%lu", name, script->number);
        if (!interpreter_run(interpreter, where, text_view(&script->line), &tolerant, error)) {
            if (!tolerant || !script_goes_on(interpreter)) {
                return false;
            }
            interpreter->told = false;
        }
    }
    return true;
}

bool interpreter_file(Interpreter *interpreter, const char *path, Error *error)
{
    if (interpreter->depth >= SOURCE_DEPTH_MAX) {
        return error_set(error, ERROR_REFUSED, "scripts call each other more than %d deep", SOURCE_DEPTH_MAX);
    }
    bool standard = strcmp(path, "-") == 0;
    Script script = {.name = standard ? "stdin" : path, .file = standard ? stdin : fopen(path, "re")};
    if (script.file == NULL) {
        return error_set_errno(error, errno, "cannot open %s", path);
    }
    interpreter->depth++;
    interpreter->told = false;
    bool done = script_run(interpreter, &script, error);
    interpreter->depth--;
    text_free(&script.line);
    if (!standard) {
        fclose(script.file);
    }
    return done;
}
