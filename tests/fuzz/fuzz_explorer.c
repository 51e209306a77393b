/* Keys, mouse and sizes for the explorer, without a terminal, and a damaged file of preferences. Whatever is
 * typed, the screen that follows can be written, has the size that it should have, and holds no character
 * that would move a cursor.
 *
 * The first byte says how much of the input is the preferences; each byte of the rest is an event. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "explore/interpreter.h"
#include "fuzz.h"
#include "report/commands.h"
#include "tui/app.h"

enum { EVENTS_MAX = 60 };

/* What a byte types: itself where it is a letter or sign, else one of these. */
static const char *const special[] = {
    "<Enter>",
    "<Esc>",
    "<Tab>",
    "<S-Tab>",
    "<Up>",
    "<Down>",
    "<Left>",
    "<Right>",
    "<PgUp>",
    "<PgDn>",
    "<Home>",
    "<End>",
    "<Del>",
    "<BS>",
    "<F1>",
    "<C-l>",
    "<C-c>",
    "<C-r>",
    "<C-u>",
    "<C-a>",
    "<C-e>",
    "<C-k>",
    "<C-w>",
    "<Space>",
    ":modes<Enter>",
    ":tile 1<Enter>",
    ":phase 9<Enter>",
    ":mode both<Enter>",
    "<lt>",
    ":set ascii on<Enter>",
    ":replay<Enter>",
    "\xc3\xa9",
};

enum { SPECIALS = sizeof special / sizeof *special };

/* '/' would let a name leave the folder, but begins a filter too: only the latter. */
static void append_event(Text *keys, Bytes *bytes)
{
    uint32_t byte = fuzz_byte(bytes);
    if (byte >= 0x20 && byte < 0x7f && byte != '\'' && byte != '<' && byte != '/' && byte != '\\') {
        text_append_char(keys, (char)byte);
    } else if (byte >= 0xf0) {
        static const char *const kinds[] = {"Click", "DoubleClick", "WheelUp", "WheelDown"};
        text_printf(keys, "<%s:%u:%u>", kinds[byte % 4], fuzz_byte(bytes) % 70, fuzz_byte(bytes));
    } else if (byte == '/') {
        text_append(keys, "<Esc>/");
    } else {
        text_append(keys, special[byte % SPECIALS]);
    }
}

static void check_screen(const Text *text, int rows, int columns)
{
    int lines = 0, column = 0;
    for (size_t at = 0; at < text->length;) {
        uint32_t c;
        size_t used = text_decode_utf8(text->bytes + at, text->length - at, &c);
        FUZZ_CHECK(used != 0 && (c == '\n' || c >= 0x20) && c != 0x7f && (c < 0x80 || c >= 0xa0), "byte %zu",
                   at);
        column = c == '\n' ? 0 : column + 1;
        lines += c == '\n';
        /* combining characters add to a cell */
        FUZZ_CHECK(column <= 8 * columns, "line %d is too long", lines);
        at += used;
    }
    FUZZ_CHECK(lines == rows, "%d lines of %d", lines, rows);
}

static void run_line(Interpreter *interpreter, const char *line)
{
    Error error = {0};
    if (!interpreter_line(interpreter, line, &error)) {
        fuzz_check_error(&error);
        FUZZ_CHECK(error.kind != ERROR_MEMORY && error.kind != ERROR_CANCELLED, "%s: %s", line,
                   error.message);
    }
}

static void check_preferences(Bytes *bytes)
{
    size_t length = fuzz_byte(bytes), left = (size_t)(bytes->end - bytes->next);
    length = length < left ? length : left;
    mkdir("exscope", 0777);
    fuzz_write("exscope/state.json", bytes->next, length);
    bytes->next += length;
    Preferences preferences, before;
    Error error = {0};
    preferences_default(&preferences);
    before = preferences;
    if (preferences_load(&preferences, &error)) {
        FUZZ_CHECK(preferences.phase_sort < PHASE_SORT_COUNT && preferences.shade < SHADE_COUNT &&
                       preferences.deltas < DELTAS_COUNT && preferences.tile_pane < TILE_PANES &&
                       preferences.transfer_sort < TRANSFER_SORT_COUNT,
                   "out of range");
        before = preferences;
        FUZZ_CHECK(preferences_save(&preferences, &error), "%s", error.message);
        preferences_default(&preferences);
        FUZZ_CHECK(preferences_load(&preferences, &error), "%s", error.message);
    } else {
        fuzz_check_error(&error);
    }
    FUZZ_CHECK(preferences.phase_sort == before.phase_sort &&
                   preferences.phase_reverse == before.phase_reverse && preferences.shade == before.shade &&
                   preferences.deltas == before.deltas && preferences.tile_pane == before.tile_pane &&
                   preferences.transfer_sort == before.transfer_sort &&
                   preferences.transfer_reverse == before.transfer_reverse,
               "not what it was");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        int columns, rows;
    } sizes[] = {{80, 24}, {132, 43}, {200, 60}, {100, 30}, {79, 24}, {20, 5}, {81, 25}, {1, 1}};
    Bytes bytes = {data, data + size};
    fuzz_folder_clear();
    setenv("XDG_STATE_HOME", fuzz_folder(), 1);
    check_preferences(&bytes);
    fuzz_write("c.json", fuzz_capture, strlen(fuzz_capture));
    Error error = {0};
    Session *session = session_new(1, &error);
    FUZZ_CHECK(session != NULL && report_commands_add(session, &error), "%s", error.message);
    Tui *tui = tui_new(session, &error);
    FUZZ_CHECK(tui != NULL && session_load(session, "c.json", NULL, &error), "%s", error.message);
    Text out = {0}, keys = {0};
    Progress progress = {0};
    Interpreter interpreter = {.session = session, .sink = sink_text(&out), .progress = &progress};

    for (unsigned events = 0; bytes.next < bytes.end && events < EVENTS_MAX;) {
        uint32_t choice = fuzz_byte(&bytes);
        text_clear(&keys);
        text_append(&keys, "keys '");
        for (unsigned k = 0; k <= choice % 8; k++, events++) {
            append_event(&keys, &bytes);
        }
        text_printf(&keys, "' --size %dx%d", sizes[choice / 32].columns, sizes[choice / 32].rows);
        run_line(&interpreter, text_view(&keys));
        text_clear(&keys);
        text_printf(&keys, "screen shown.txt --force --size %dx%d", sizes[choice / 32].columns,
                    sizes[choice / 32].rows);
        run_line(&interpreter, text_view(&keys));
        Text shown = {0};
        FUZZ_CHECK(file_read_text("shown.txt", 1 << 20, &shown, &error), "%s", error.message);
        check_screen(&shown, sizes[choice / 32].rows, sizes[choice / 32].columns);
        text_free(&shown);
    }
    text_free(&keys);
    text_free(&out);
    tui_free(tui);
    session_free(session);
    return 0;
}
