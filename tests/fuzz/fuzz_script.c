/* Lines of the command language against a small capture with every kind of phase and hostile labels. A line
 * is done or refused with one line of reason; what it prints in text is harmless and in JSON is JSON; the
 * session goes on. Words, quoted again, are read back as they were; completing never changes what is there.
 *
 * Files stay in a folder of their own: every / becomes an _. */
#include "config.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "explore/interpreter.h"
#include "explore/lexer.h"
#include "fuzz.h"
#include "report/commands.h"

enum { LINES_MAX = 10, LENGTH_MAX = 400 };

/* ---- lexer and completion ---- */

static void check_words(const char *line)
{
    Line parsed, again;
    Error error = {0};
    bool good = line_parse(line, strlen(line), false, &parsed, &error);
    if (!good) {
        fuzz_check_error(&error);
    } else {
        Text text = {0};
        text_append(&text, "command"); /* a - before it would be a sign */
        for (size_t i = 0; i < parsed.words.count; i++) {
            text_append(&text, " ");
            line_append_word(&text, parsed.words.items[i].text);
        }
        FUZZ_CHECK(line_parse(text_view(&text), text.length, false, &again, &error), "%s: %s",
                   text_view(&text), error.message);
        FUZZ_CHECK(again.words.count == 1 + parsed.words.count && again.file == NULL && !again.tolerant, "%s",
                   text_view(&text));
        for (size_t i = 0; i < parsed.words.count; i++) {
            FUZZ_CHECK(strcmp(parsed.words.items[i].text, again.words.items[1 + i].text) == 0, "%s",
                       text_view(&text));
        }
        line_free(&again);
        text_free(&text);
    }
    line_free(&parsed);
}

static void check_completion(Session *session, const char *line, size_t cursor)
{
    Completion completion;
    Error error = {0};
    if (!complete_line(session, line, cursor, &completion, &error)) {
        fuzz_check_error(&error);
        return;
    }
    FUZZ_CHECK(completion.start <= cursor, "%zu", completion.start);
    for (size_t i = 0; i < completion.count; i++) {
        Line parsed;
        const char *word = completion.words[i];
        FUZZ_CHECK(line_parse(word, strlen(word), true, &parsed, &error), "%s: %s", word, error.message);
        line_free(&parsed);
        FUZZ_CHECK(i == 0 || strcmp(completion.words[i - 1], word) <= 0, "%s", word);
    }
    completion_free(&completion);
}

/* ---- output ---- */

/* Text without colours: nothing that moves a cursor. */
static void check_text(const Text *text)
{
    for (size_t at = 0; at < text->length;) {
        uint32_t c;
        size_t used = text_decode_utf8(text->bytes + at, text->length - at, &c);
        FUZZ_CHECK(used != 0 && (c == '\n' || c >= 0x20) && c != 0x7f && (c < 0x80 || c >= 0xa0) &&
                       (c < 0x202a || c > 0x202e),
                   "byte %zu of the output", at);
        at += used;
    }
}

static void check_json(const Text *text)
{
    for (const char *next = text_view(text), *end; *next != '\0'; next = end) {
        cJSON *document = cJSON_ParseWithOpts(next, &end, false);
        FUZZ_CHECK(document != NULL && *end == '\n', "%s", next);
        cJSON_Delete(document);
        end++;
    }
}

static void run_line(Interpreter *interpreter, Text *out, const char *line)
{
    Session *session = interpreter->session;
    OutputFormat before = session_settings(session).format;
    Error error = {0};
    text_clear(out);
    bool done = interpreter_line(interpreter, line, &error);
    FUZZ_CHECK(done || error.kind != ERROR_NONE, "%s", line);
    if (!done) {
        fuzz_check_error(&error);
        FUZZ_CHECK(error.kind != ERROR_MEMORY && error.kind != ERROR_CANCELLED, "%s: %s", line,
                   error.message);
    }
    Settings settings = session_settings(session);
    if (before != settings.format) {
        return; /* a script may have changed it in between */
    }
    if (settings.format == FORMAT_JSON) {
        check_json(out);
    } else if (!settings.color) {
        check_text(out);
    }
}

/* Commands that read standard input find nothing there. */
static void close_input(void)
{
    static bool closed;
    if (!closed) {
        FUZZ_CHECK(freopen("/dev/null", "r", stdin) != NULL, "/dev/null");
        closed = true;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    close_input();
    fuzz_folder_clear();
    fuzz_write("c.json", fuzz_capture, strlen(fuzz_capture));
    Error error = {0};
    Session *session = session_new(1, &error);
    FUZZ_CHECK(session != NULL && report_commands_add(session, &error), "%s", error.message);
    FUZZ_CHECK(session_load(session, "c.json", NULL, &error), "%s", error.message);
    Settings settings = session_settings(session);
    settings.color = false;
    session_set_settings(session, &settings);
    Text out = {0};
    Progress progress = {0};
    Interpreter interpreter = {.session = session, .sink = sink_text(&out), .progress = &progress};

    const uint8_t *next = data, *end = data + size;
    for (unsigned lines = 0; lines < LINES_MAX && next < end && !session_quitting(session); lines++) {
        const uint8_t *stop = memchr(next, '\n', (size_t)(end - next));
        stop = stop == NULL ? end : stop;
        char line[LENGTH_MAX + 1];
        size_t length = 0;
        for (; next < stop && length < LENGTH_MAX; next++) {
            line[length++] = *next == '/' ? '_' : *next == '\0' ? ' ' : (char)*next;
        }
        line[length] = '\0';
        next = stop + 1;
        check_words(line);
        check_completion(session, line, length / 2);
        check_completion(session, line, length);
        run_line(&interpreter, &out, line);
    }
    text_free(&out);
    session_free(session);
    return 0;
}
