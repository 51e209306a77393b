/* Text that wants to be more than text, as phase labels, unknown members, file names and command words,
 * through every way out: terminal text, the explorer's screen, JSON, CSV, HTML, messages. */
#include "config.h"

#include <cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../fuzz/fuzz.h"
#include "base/file.h"
#include "base/memory.h"
#include "explore/interpreter.h"
#include "report/commands.h"
#include "tui/tui.h"

/* As decoded text. */
static const char *const labels[] = {
    "\33[31mred\33[0m \33]0;title\7 \33[2J\33[H",
    "\33P+q544e\33\\ \xc2\x9b 31m \xc2\x90 \xc2\x9d",
    "back\b\b\b\b gone\r over\v\f\x7f",
    "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "\"><svg/onload=alert(3)> ' onmouseover='x' </title></style></script>",
    "a&b &amp; &lt; &#60;script&#62; &",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1-1",
    "@SUM(A1:A9)",
    "\t=1+1",
    "quote \" comma , \"\" semicolon ; 'single'",
    "line\nbreak\r\nand \xe2\x80\xa8 \xe2\x80\xa9",
    "\xe2\x80\xaeright to left\xe2\x80\xac \xe2\x81\xa6isolated\xe2\x81\xa9 \xd8\x9c",
    "zero\xe2\x80\x8bwidth \xef\xbb\xbf \xcc\x81\xcc\x81\xcc\x81\xcc\x81 combining",
    "\xf0\x9f\x98\x80 wide \xe6\xbc\xa2\xe5\xad\x97 \xf4\x8f\xbf\xbf",
    "%s %n %x %99999d {0} ${HOME} $(id) `id` \\",
    "../../../../etc/passwd\\..\\.. C:\\con",
    "null",
    "",
    " leading and trailing ",
};

enum { LABELS = sizeof labels / sizeof *labels, LONG = 10000 };

static void write_capture(const char *path)
{
    Text text = {0};
    text_append(&text, "{\"schema_version\":4,\"tile_count\":4,\"<b>\\u001b[31m\":\"=1\",\"phase_labels\":{");
    for (unsigned i = 0; i < LABELS; i++) {
        text_printf(&text, "\"%u\":", i);
        text_append_json(&text, labels[i], strlen(labels[i]));
        text_append(&text, ",");
    }
    text_printf(&text, "\"%d\":\"", LABELS);
    text_append_repeat(&text, 'W', LONG);
    text_append(&text, "\",\"21x\":\"\\u0000\\ud800\"},\"phases\":[");
    for (unsigned i = 0; i <= LABELS; i++) {
        text_printf(&text,
                    "%s{\"phase\":%u,\"transfers\":[{\"source\":0,\"source_addresses\":[327680],"
                    "\"destinations\":[[1,458752]],\"words\":%u}]}",
                    i == 0 ? "" : ",", i, 1 + i);
    }
    text_append(&text, "]}");
    assert_true(text_ok(&text, NULL));
    fuzz_write(path, text.bytes, text.length);
    text_free(&text);
}

/* ---- what may come out ---- */

/* Characters that control a terminal or rearrange a line. */
static bool is_control(uint32_t c)
{
    return (c < 0x20 && c != '\n') || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029 || c == 0x200e || c == 0x200f ||
           c == 0x61c;
}

static void assert_harmless(const char *what, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        uint32_t c;
        size_t used = text_decode_utf8(bytes + at, length - at, &c);
        if (used == 0 || is_control(c)) {
            fail_msg("%s: byte %zu is 0x%02x: %.60s", what, at, (unsigned char)bytes[at], bytes + at);
        }
        at += used;
    }
}

/* Every tag of a page is one that it may have; no label has opened one, and none an attribute. */
static void assert_page(const char *page, size_t length)
{
    static const char *const forbidden[] = {
        "<script>alert",    "<img", "<svg/onload", "onerror=alert(2)>", "' onmouseover='x'",
        "</title></style>", "\33",  "\xe2\x80\xae"};
    assert_harmless("the page", page, length);
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
        if (strstr(page, forbidden[i]) != NULL) {
            fail_msg("the page has %s", forbidden[i]);
        }
    }
    assert_non_null(strstr(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_non_null(strstr(page, "a&amp;b &amp;amp; &amp;lt; &amp;#60;script&amp;#62; &amp;"));
}

/* No field of a spreadsheet begins like a formula; plain numbers are none. */
static void assert_sheet(const char *sheet)
{
    bool quoted = false, begins = true;
    for (const char *c = sheet; *c != '\0'; c++) {
        if (*c == '"') {
            quoted = !quoted;
            continue; /* what is inside decides */
        }
        if (begins && strchr("=+@\t\r", *c) != NULL) {
            fail_msg("a field begins with %.20s", c);
        }
        if (begins && *c == '-' && c[1] != ',' && c[1] != '\n' && (c[1] < '0' || c[1] > '9' || c[2] == '-')) {
            fail_msg("a field begins with %.20s", c);
        }
        begins = !quoted && (*c == ',' || *c == '\n');
    }
    assert_false(quoted);
}

/* ---- ways out ---- */

typedef struct Face {
    Session *session;
    Tui *tui;
    Text out;
    Interpreter interpreter;
} Face;

static int open_face(void **state)
{
    static Face face;
    fuzz_folder_clear();
    setenv("XDG_STATE_HOME", fuzz_folder(), 1);
    write_capture("c.json");
    face = (Face){.session = session_new(1, NULL)};
    assert_non_null(face.session);
    assert_true(report_commands_add(face.session, NULL));
    face.tui = tui_new(face.session, NULL);
    assert_non_null(face.tui);
    Error error = {0};
    if (!session_load(face.session, "c.json", NULL, &error)) {
        fail_msg("%s", error.message);
    }
    assert_true(session_set(face.session, "color", "off", NULL));
    face.interpreter = (Interpreter){.session = face.session, .sink = sink_text(&face.out)};
    *state = &face;
    return 0;
}

static int close_face(void **state)
{
    Face *face = *state;
    tui_free(face->tui);
    session_free(face->session);
    text_free(&face->out);
    return 0;
}

static bool run(Face *face, const char *line, Error *error)
{
    text_clear(&face->out);
    *error = (Error){0};
    bool done = interpreter_line(&face->interpreter, line, error);
    assert_harmless("a message", error->message, strlen(error->message));
    return done;
}

static void must(Face *face, const char *line)
{
    Error error;
    if (!run(face, line, &error)) {
        fail_msg("%s: %s", line, error.message);
    }
}

static void text_is_harmless(void **state)
{
    Face *face = *state;
    static const char *const lines[] = {
        "phases",         "info",   "show",    "modes",   "tiles",
        "set verbose on", "phases", "phase 4", "phase 0", "phases --filter script",
        "set ascii on",   "phases"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        must(face, lines[i]);
        assert_harmless(lines[i], text_view(&face->out), face->out.length);
    }
}

static void screens_are_harmless(void **state)
{
    Face *face = *state;
    static const char *const keys[] = {"<End>",
                                       "<Home>jj",
                                       "<Enter>",
                                       "<Enter><Tab>",
                                       "<Esc><Esc>",
                                       "/\33[31m<Enter>",
                                       "<Esc>:phase '\33]0;x\7'<Enter>",
                                       "?"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        Text line = {0}, shown = {0};
        text_append(&line, "keys ");
        text_append(&line, "\"");
        text_append(&line, keys[i]);
        text_append(&line, "\" --size 100x40");
        must(face, text_view(&line));
        must(face, "screen shown.txt --force --size 100x40");
        assert_true(file_read_text("shown.txt", 1 << 20, &shown, NULL));
        assert_harmless(keys[i], text_view(&shown), shown.length);
        text_free(&line);
        text_free(&shown);
    }
}

static void json_gives_every_label_back(void **state)
{
    Face *face = *state;
    must(face, "set format json");
    must(face, "phases");
    assert_harmless("JSON", text_view(&face->out), face->out.length);
    cJSON *tree = cJSON_Parse(text_view(&face->out));
    assert_non_null(tree);
    unsigned found = 0;
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(tree, "phases"))
    {
        int phase = cJSON_GetObjectItem(row, "phase")->valueint;
        const char *label = cJSON_GetStringValue(cJSON_GetObjectItem(row, "label"));
        if (phase < LABELS) {
            assert_string_equal(label, labels[phase]);
        } else {
            assert_int_equal(strlen(label), LONG);
        }
        found++;
    }
    assert_int_equal(found, LABELS + 1);
    cJSON_Delete(tree);
}

static void sheets_have_no_formulas(void **state)
{
    Face *face = *state;
    must(face, "set format csv");
    must(face, "phases");
    assert_sheet(text_view(&face->out));
    assert_harmless("the sheet", text_view(&face->out), face->out.length);
    assert_non_null(strstr(text_view(&face->out), "\"'=cmd|' /C calc'!A0\""));
    assert_non_null(strstr(text_view(&face->out), "\"quote \"\" comma , \"\"\"\" semicolon ; 'single'\""));
}

static void pages_are_only_pages(void **state)
{
    Face *face = *state;
    must(face, "report out");
    Text page = {0};
    assert_true(file_read_text("out/index.html", 1 << 26, &page, NULL));
    assert_page(text_view(&page), page.length);
    text_free(&page);
    assert_true(file_read_text("out/analysis.json", 1 << 26, &page, NULL));
    cJSON *tree = cJSON_Parse(text_view(&page));
    assert_non_null(tree);
    cJSON_Delete(tree);
    text_free(&page);
}

static void names_of_files_are_only_names(void **state)
{
    Face *face = *state;
    static const char *const names[] = {
        "\33[31mx", "a\nb",           "\xe2\x80\xaename", "bad\xff\xfeutf8", "<b>&\"'", "-rf",
        "--force",  "$(touch pwned)", "`touch pwned`",    "a;touch pwned",   "=1+1",    "% s %n",
        "C:\\x"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Text line = {0};
        Error error;
        write_capture(names[i][0] == '\0' ? "x" : names[i]);
        assert_false(run(face, "load nowhere", &error));
        text_append(&line, "load ");
        /* quoted as a person would: single quotes, and those inside apart */
        text_append(&line, "'");
        for (const char *c = names[i]; *c != '\0'; c++) {
            if (*c == '\'') {
                text_append(&line, "'\\''");
            } else {
                text_append_char(&line, *c);
            }
        }
        text_append(&line, "'");
        bool loaded = run(face, text_view(&line), &error);
        if (loaded) {
            assert_harmless(names[i], text_view(&face->out), face->out.length);
            must(face, "info");
            assert_harmless(names[i], text_view(&face->out), face->out.length);
            must(face, "screen shown.txt --force");
            Text shown = {0};
            assert_true(file_read_text("shown.txt", 1 << 20, &shown, NULL));
            assert_harmless(names[i], text_view(&shown), shown.length);
            text_free(&shown);
            must(face, "report out --force");
            assert_true(file_read_text("out/index.html", 1 << 26, &shown, NULL));
            assert_page(text_view(&shown), shown.length);
            text_free(&shown);
        } else {
            assert_int_equal(names[i][0], '-'); /* an option: ./-rf is the file */
        }
        unlink(names[i]);
        assert_false(run(face, text_view(&line), &error)); /* gone: the message names it */
        text_free(&line);
    }
    assert_false(file_exists("pwned"));
}

static void words_are_only_words(void **state)
{
    Face *face = *state;
    static const char *const lines[] = {"\33[31m",     "phase \33[2J",      "mode '\xe2\x80\xae'",
                                        "set '\33' x", "load \xff\xfe",     "tile \x9b",
                                        "help \7",     "export '\33[0m/x'", "> \33"};
    static const char *const formats[] = {"set format text", "set format json", "set format csv"};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        must(face, formats[f]);
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            Error error;
            run(face, lines[i], &error);
            assert_harmless(lines[i], text_view(&face->out), face->out.length);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(text_is_harmless, open_face, close_face),
        cmocka_unit_test_setup_teardown(screens_are_harmless, open_face, close_face),
        cmocka_unit_test_setup_teardown(json_gives_every_label_back, open_face, close_face),
        cmocka_unit_test_setup_teardown(sheets_have_no_formulas, open_face, close_face),
        cmocka_unit_test_setup_teardown(pages_are_only_pages, open_face, close_face),
        cmocka_unit_test_setup_teardown(names_of_files_are_only_names, open_face, close_face),
        cmocka_unit_test_setup_teardown(words_are_only_words, open_face, close_face),
    };
    return cmocka_run_group_tests_name("faults/hostile", tests, NULL, NULL);
}
