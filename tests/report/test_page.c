/* index.html, as far as it can be looked at without a browser: well formed, every part named for those who
 * cannot see it, colours with enough contrast in both schemes, a map for every phase and mode. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "folder.h"
#include "report/analyze.h"
#include "report/page.h"

enum { LIMIT = 64 << 20, PATH_BYTES = 4096, DEPTH = 64, NAME_BYTES = 24, IDS = 200, ID_BYTES = 64 };

/* The page of the bundled capture with all shapes, its two worst phases replayed. */
static char *page_of_showcase(void)
{
    char path[PATH_BYTES], *out = folder_new();
    const char *source = getenv("EXSCOPE_SOURCE_DIR");
    Error error = {0};
    snprintf(path, sizeof path, "%s/data/showcase.json", source == NULL ? "." : source);
    Session *session = session_new(1, &error);
    Document *document = document_new(&error);
    AnalyzeOptions options = {.capture = path, .folder = out, .top = 2, .top_given = true, .jobs = 1};
    if (session == NULL || document == NULL || !analyze_run(session, &options, NULL, document, &error)) {
        print_error("%s\n", error.message);
        fail();
    }
    char *page = folder_text(out, "index.html", LIMIT);
    document_free(document);
    session_free(session);
    folder_free(out);
    return page;
}

static int page_open(void **state)
{
    *state = page_of_showcase();
    return *state == NULL;
}

static int page_close(void **state)
{
    free(*state);
    return 0;
}

static size_t count_of(const char *text, const char *piece)
{
    size_t count = 0;
    for (const char *at = strstr(text, piece); at != NULL; at = strstr(at + 1, piece)) {
        count++;
    }
    return count;
}

/* ---- the document's tree ---- */

/* Elements that have no end. */
static bool is_void(const char *name)
{
    return strcmp(name, "meta") == 0 || strcmp(name, "input") == 0 || strcmp(name, "!DOCTYPE") == 0;
}

/* Calls `visit` for each tag, with what stands between < and >. */
static void each_tag(const char *page, void (*visit)(void *context, const char *tag, size_t length),
                     void *context)
{
    for (const char *at = page; (at = strchr(at, '<')) != NULL;) {
        const char *end = strchr(at, '>');
        assert_non_null(end);
        visit(context, at + 1, (size_t)(end - at - 1));
        bool raw = strncmp(at, "<style", 6) == 0 || strncmp(at, "<script", 7) == 0;
        at = raw ? strstr(end, "</") : end;
    }
}

typedef struct Nesting {
    char names[DEPTH][NAME_BYTES];
    size_t depth, elements;
} Nesting;

static void nest(void *context, const char *tag, size_t length)
{
    Nesting *nesting = context;
    bool closes = *tag == '/';
    char name[NAME_BYTES];
    size_t bytes = strcspn(tag + closes, " />");
    assert_true(bytes > 0 && bytes < NAME_BYTES);
    snprintf(name, sizeof name, "%.*s", (int)bytes, tag + closes);
    if (closes) {
        assert_true(nesting->depth > 0);
        assert_string_equal(name, nesting->names[--nesting->depth]);
    } else if (!is_void(name) && tag[length - 1] != '/') {
        assert_true(nesting->depth < DEPTH);
        memcpy(nesting->names[nesting->depth++], name, sizeof name);
    }
    nesting->elements += !closes;
}

static void every_element_ends_where_it_should(void **state)
{
    Nesting nesting = {0};
    each_tag(*state, nest, &nesting);
    assert_int_equal(nesting.depth, 0);
    assert_true(nesting.elements > 1000);
}

/* ---- names, for those who do not see ---- */

typedef struct Ids {
    char ids[IDS][ID_BYTES];
    size_t count;
    size_t references;
} Ids;

/* The value of an attribute of a tag, or "". */
static void attribute(const char *tag, size_t length, const char *name, char value[ID_BYTES])
{
    char wanted[40], text[600];
    snprintf(wanted, sizeof wanted, " %s=\"", name);
    snprintf(text, sizeof text, "%.*s", (int)length, tag);
    const char *at = strstr(text, wanted);
    snprintf(value, ID_BYTES, "%.*s", at == NULL ? 0 : (int)strcspn(at + strlen(wanted), "\""),
             at == NULL ? "" : at + strlen(wanted));
}

static bool has_id(const Ids *ids, const char *id)
{
    for (size_t i = 0; i < ids->count; i++) {
        if (strcmp(ids->ids[i], id) == 0) {
            return true;
        }
    }
    return false;
}

static void keep_id(void *context, const char *tag, size_t length)
{
    Ids *ids = context;
    char id[ID_BYTES];
    attribute(tag, length, "id", id);
    if (*id != '\0') {
        assert_true(ids->count < IDS);
        assert_false(has_id(ids, id));
        memcpy(ids->ids[ids->count++], id, sizeof id);
    }
}

static void check_references(void *context, const char *tag, size_t length)
{
    Ids *ids = context;
    static const char *const names[] = {"aria-labelledby", "for", "href"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char id[ID_BYTES];
        attribute(tag, length, names[i], id);
        if (*id != '\0') {
            assert_true(i < 2 || *id == '#'); /* links stay in the page */
            assert_true(has_id(ids, id + (i == 2)));
            ids->references++;
        }
    }
}

static void ids_are_single_and_references_lead_to_one(void **state)
{
    Ids ids = {0};
    each_tag(*state, keep_id, &ids);
    each_tag(*state, check_references, &ids);
    assert_true(ids.count > 11 && ids.references > 11);
}

static void every_part_has_its_role_and_name(void **state)
{
    const char *page = *state;
    assert_int_equal(count_of(page, "<html lang=\"en\">"), 1);
    assert_int_equal(count_of(page, "<title>exscope: showcase.json</title>"), 1);
    assert_int_equal(count_of(page, "width=device-width"), 1);
    assert_int_equal(count_of(page, "<main>") + count_of(page, "<header>") + count_of(page, "<h1>"), 3);
    assert_int_equal(count_of(page, "<h3>"), count_of(page, "<details"));
    assert_int_equal(count_of(page, "<th "),
                     count_of(page, " scope=\"col\"") + count_of(page, " scope=\"row\""));
    assert_int_equal(count_of(page, "<table"), count_of(page, "<caption>"));
    assert_int_equal(count_of(page, "<tr class") + count_of(page, "<tr data") +
                         count_of(page, "<tr><th scope=\"row\""),
                     count_of(page, " scope=\"row\"")); /* every row of a body has its head */
    assert_int_equal(count_of(page, "<svg "),
                     count_of(page, "role=\"img\"><title>") + count_of(page, "aria-hidden"));
    assert_int_equal(count_of(page, " tabindex=\"0\" role=\"region\" aria-label="),
                     count_of(page, "class=\"scroll\""));
    assert_int_equal(count_of(page, "<label>Filter by number or label <input "), 1);
    assert_int_equal(count_of(page, "aria-sort=\"ascending\""), 1);
}

/* Two phases were replayed: their rows. The others: fragments. One capture's phase has no transfer. */
static void every_phase_and_mode_has_a_map(void **state)
{
    const char *page = *state;
    assert_int_equal(count_of(page, "<h4>Row bytes of every tile</h4>"), 2);
    assert_int_equal(count_of(page, "<h4>Fragments of every tile</h4>"), 8);
    assert_int_equal(count_of(page, "<title>Row bytes per tile"), 16);
    assert_int_equal(count_of(page, "<svg class=\"map\""),
                     68 - 8); /* all rows but those of the empty phase */
    assert_non_null(
        strstr(page, "<title>Fragments per tile, mode original: 32 active tiles, at most 32 at tile"));
}

/* Nothing is fetched, and what the page does not do is said. */
static void the_page_stands_alone_and_states_its_limits(void **state)
{
    const char *page = *state;
    assert_int_equal(count_of(page, "http:") + count_of(page, "https:") + count_of(page, "url("), 0);
    assert_int_equal(count_of(page, " src=") + count_of(page, "<link"), 0);
    for (const char *const *limit = report_limits; *limit != NULL; limit++) {
        assert_int_equal(count_of(page, *limit), 1);
    }
}

/* ---- contrast, as WCAG 2 computes it ---- */

static double channel(unsigned value)
{
    double part = value / 255.0;
    return part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

static double luminance(const char *style, const char *name)
{
    char wanted[40];
    unsigned colour = 0;
    snprintf(wanted, sizeof wanted, "--%s:#", name);
    const char *at = strstr(style, wanted);
    assert_non_null(at);
    at += strlen(wanted);
    for (size_t i = 0; i < 6; i++) { /* #fff is #ffffff */
        char digit[2] = {strspn(at, "0123456789abcdef") == 3 ? at[i / 2] : at[i], '\0'};
        colour = colour * 16 + (unsigned)strtoul(digit, NULL, 16);
    }
    return 0.2126 * channel(colour >> 16) + 0.7152 * channel(colour >> 8 & 255) +
           0.0722 * channel(colour & 255);
}

static double contrast(const char *style, const char *one, const char *other)
{
    double a = luminance(style, one), b = luminance(style, other);
    return ((a > b ? a : b) + 0.05) / ((a > b ? b : a) + 0.05);
}

static void assert_contrast(const char *style, const char *one, const char *other, double least)
{
    if (contrast(style, one, other) < least) {
        print_error("%s on %s: %.2f to 1\n", one, other, contrast(style, one, other));
        fail();
    }
}

static void assert_scheme(const char *style)
{
    static const char *const texts[] = {"text", "quiet", "warn", "best"};
    static const char *const pictures[] = {"before", "after", "best", "warn", "t1", "t2",
                                           "t3",     "t4",    "t5",   "t6",   "t7", "t8"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_contrast(style, texts[i], "back", 4.5);
        assert_contrast(style, texts[i], "panel", 4.5);
    }
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        assert_contrast(style, pictures[i], "back", 3);
    }
    for (char shade = '1'; shade < '8'; shade++) { /* steps that can be told apart, all in one direction */
        char one[3] = {'t', shade, '\0'}, next[3] = {'t', (char)(shade + 1), '\0'};
        assert_contrast(style, one, "panel", 3);
        assert_contrast(style, one, next, 1.2);
        assert_true(contrast(style, one, "back") < contrast(style, next, "back"));
    }
}

static void colours_have_enough_contrast(void **state)
{
    (void)state;
    const char *dark = strstr(page_style, "prefers-color-scheme:dark");
    assert_non_null(dark);
    assert_scheme(page_style);
    assert_scheme(dark);
    assert_true(contrast("--a:#000;--b:#fff;", "a", "b") > 20.99); /* the arithmetic itself */
    assert_null(strstr(page_style, "animation"));
    assert_null(strstr(page_style, "transition")); /* nothing moves, so nobody has to ask for less of it */
    assert_non_null(strstr(page_style, ":focus-visible"));
    assert_non_null(strstr(page_style, "@media print"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_ends_where_it_should),
        cmocka_unit_test(ids_are_single_and_references_lead_to_one),
        cmocka_unit_test(every_part_has_its_role_and_name),
        cmocka_unit_test(every_phase_and_mode_has_a_map),
        cmocka_unit_test(the_page_stands_alone_and_states_its_limits),
        cmocka_unit_test(colours_have_enough_contrast),
    };
    return cmocka_run_group_tests_name("report/page", tests, page_open, page_close);
}
