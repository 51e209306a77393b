/* Documents: the same content as text, JSON and CSV. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "base/memory.h"
#include "explore/render.h"

static const Column columns[] = {
    {"mode", "mode", UNIT_NONE, 0},
    {"bytes", "bytes", UNIT_BYTES, 0},
    {"detail", "detail", UNIT_NONE, IN_VERBOSE},
    {"replay.pass", "pass", UNIT_NONE, 0},
    {"replay.at.low", NULL, UNIT_NONE, 0},
    {"label", "label", UNIT_NONE, 0},
};

static Document *sample(void)
{
    Document *document = document_new(NULL);
    assert_non_null(document);
    document_identify(document, "phase", "phase", UNIT_NONE, cell_unsigned(62));
    document_field(document, "busiest.words", "busiest words", UNIT_WORDS, cell_unsigned(1234567));
    document_field(document, "busiest.shape.rows", NULL, UNIT_NONE, cell_unsigned(3));
    document_field(document, "busiest.shape.columns", NULL, UNIT_NONE, cell_null());
    document_field(document, "left_out", "left out", UNIT_NONE, cell_absent());
    Table *table = document_table(document, "modes", columns, 6);
    table_row(table,
              (Cell[]){cell_text("original"), cell_marked(cell_unsigned(1000), MARK_BEST), cell_bool(true),
                       cell_unsigned(1), cell_unsigned(7), cell_text("a \033[31m \"b\", c")});
    table_row(table, (Cell[]){cell_text("source"), cell_unsigned(25), cell_absent(), cell_absent(),
                              cell_absent(), cell_text("=1+1")});
    document_note(document, "%s is %d", "this", 1);
    return document;
}

static char *rendered(const Document *document, RenderOptions options)
{
    Text text = {0};
    Sink sink = sink_text(&text);
    Error error = {0};
    assert_true(document_render(document, &options, &sink, NULL, &error));
    char *copy = strdup(text_view(&text));
    text_free(&text);
    assert_non_null(copy);
    return copy;
}

static void expect(const Document *document, RenderOptions options, const char *wanted)
{
    char *got = rendered(document, options);
    assert_string_equal(got, wanted);
    free(got);
}

static void text_is_aligned_and_harmless(void **state)
{
    (void)state;
    Document *document = sample();
    expect(document, (RenderOptions){.format = FORMAT_TEXT},
           "phase          62\n"
           "busiest words  1,234,567\n"
           "\n"
           "mode      bytes   pass  label\n"
           "original  1,000*     1  a ^[[31m \"b\", c\n"
           "source       25      -  =1+1\n"
           "\n"
           "note: this is 1\n");
    document_free(document);
}

/* A heading stands above what follows, in text alone. */
static void headings_are_text(void **state)
{
    (void)state;
    Document *document = document_new(NULL);
    assert_non_null(document);
    document_field(document, "receivers", "receivers", UNIT_COUNT, cell_unsigned(2));
    document_heading(document, "receiver %d", 5);
    document_field(document, "words", "words", UNIT_COUNT, cell_unsigned(7));
    expect(document, (RenderOptions){.format = FORMAT_TEXT},
           "receivers  2\n"
           "\n"
           "receiver 5:\n"
           "words  7\n");
    expect(document, (RenderOptions){.format = FORMAT_JSON}, "{\"receivers\":2,\"words\":7}\n");
    expect(document, (RenderOptions){.format = FORMAT_CSV}, "key,value\nreceivers,2\nwords,7\n");
    document_free(document);
}

static void scratch_row(void *context, size_t index, Cell *cells)
{
    const Text *texts = context;
    cells[0] = cell_unsigned(index);
    cells[1] = cell_scratch(&texts[index]);
}

/* A row that could not be written is no empty one. */
static void a_row_without_memory_fails_the_document(void **state)
{
    (void)state;
    static const Column names[] = {{"number", "number", UNIT_NONE, 0}, {"name", "name", UNIT_NONE, 0}};
    Text texts[2] = {{0}, {0}};
    for (OutputFormat format = FORMAT_TEXT; format <= FORMAT_CSV; format++) {
        for (int failing = 0; failing < 2; failing++) {
            Document *document = document_new(NULL);
            Text out = {0};
            Sink sink = sink_text(&out);
            Error error = {0};
            texts[1].failed = failing != 0;
            assert_non_null(document);
            document_lazy_table(document, 0, "names", names, 2, 2, scratch_row, texts);
            assert_int_equal(
                document_render(document, &(RenderOptions){.format = format}, &sink, NULL, &error), !failing);
            assert_true(!failing || error.kind == ERROR_MEMORY);
            text_free(&out);
            document_free(document);
        }
    }
}

static void text_says_more_when_asked(void **state)
{
    (void)state;
    Document *document = sample();
    char *verbose =
        rendered(document, (RenderOptions){.format = FORMAT_TEXT, .verbose = true, .quiet = true});
    assert_non_null(strstr(verbose, "detail"));
    assert_null(strstr(verbose, "note"));
    free(verbose);
    char *coloured = rendered(document, (RenderOptions){.format = FORMAT_TEXT, .color = true});
    assert_non_null(strstr(coloured, "\033[1;36m1,000\033[0m*"));
    assert_null(strstr(coloured, "\033[31m"));
    free(coloured);
    document_free(document);
}

static void json_nests_paths(void **state)
{
    (void)state;
    Document *document = sample();
    expect(document, (RenderOptions){.format = FORMAT_JSON},
           "{\"phase\":62,\"busiest\":{\"words\":1234567,\"shape\":{\"rows\":3,\"columns\":null}},\"modes\":["
           "{\"mode\":\"original\",\"bytes\":1000,\"detail\":true,\"replay\":{\"pass\":1,\"at\":{\"low\":7}},"
           "\"label\":\"a \\u001b[31m \\\"b\\\", c\"},"
           "{\"mode\":\"source\",\"bytes\":25,\"label\":\"=1+1\"}]}\n");
    char *compact = rendered(document, (RenderOptions){.format = FORMAT_JSON});
    char *indented = rendered(document, (RenderOptions){.format = FORMAT_JSON, .indent = true});
    cJSON *left = cJSON_Parse(compact), *right = cJSON_Parse(indented);
    assert_true(left != NULL && right != NULL && cJSON_Compare(left, right, true));
    assert_non_null(strstr(indented, "\n  \"busiest\": {\n    \"words\": 1234567"));
    cJSON_Delete(left);
    cJSON_Delete(right);
    free(compact);
    free(indented);
    document_free(document);
}

static void csv_repeats_what_identifies(void **state)
{
    (void)state;
    Document *document = sample();
    expect(document, (RenderOptions){.format = FORMAT_CSV},
           "phase,mode,bytes,detail,replay.pass,replay.at.low,label\n"
           "62,original,1000,true,1,7,\"a ^[[31m \"\"b\"\", c\"\n"
           "62,source,25,,,,\"'=1+1\"\n");
    document_free(document);
}

static const Column waits[] = {
    {"transfer", "transfer", UNIT_NONE, 0},
    {"kind", "kind", UNIT_NONE, 0},
    {"iterations", "iterations", UNIT_NONE, 0},
};

static void rows_gather_into_groups(void **state)
{
    (void)state;
    static const uint32_t run[] = {0, 1, 2, 3, 7, 9, 10};
    Document *document = document_new(NULL);
    assert_non_null(document);
    Table *table = document_table(document, "tail", waits, 3);
    table_group(table, 1, "waits_for");
    table_row(table, (Cell[]){cell_unsigned(4), cell_text("RAW"), cell_list(run, 7)});
    table_row(table, (Cell[]){cell_unsigned(4), cell_text("WAW"), cell_list(run, 0)});
    table_row(table, (Cell[]){cell_unsigned(5), cell_absent(), cell_absent()});
    expect(document, (RenderOptions){.format = FORMAT_JSON},
           "{\"tail\":[{\"transfer\":4,\"waits_for\":[{\"kind\":\"RAW\",\"iterations\":[0,1,2,3,7,9,10]},"
           "{\"kind\":\"WAW\",\"iterations\":[]}]},{\"transfer\":5,\"waits_for\":[]}]}\n");
    expect(document, (RenderOptions){.format = FORMAT_TEXT},
           "transfer  kind  iterations\n"
           "       4  RAW   0..3,7,9,10\n"
           "       4  WAW   -\n"
           "       5  -     -\n");
    expect(document, (RenderOptions){.format = FORMAT_CSV},
           "transfer,waits_for.kind,waits_for.iterations\n4,RAW,0 1 2 3 7 9 10\n4,WAW,\n5,,\n");
    document_free(document);
}

static void square_row(void *context, size_t index, Cell *cells)
{
    (void)context;
    cells[0] = cell_unsigned(index);
    cells[1] = cell_unsigned((uint64_t)index * index);
}

static const Column squares[] = {{"n", "n", UNIT_NONE, 0}, {"square", "square", UNIT_COUNT, 0}};

static void million_row_tables_are_made_while_written(void **state)
{
    (void)state;
    enum { ROWS = 100000 };
    Document *document = document_new(NULL);
    assert_non_null(document);
    document_lazy_table(document, 0, "squares", squares, 2, ROWS, square_row, NULL);
    char *json = rendered(document, (RenderOptions){.format = FORMAT_JSON});
    cJSON *tree = cJSON_Parse(json);
    cJSON *last = cJSON_GetArrayItem(cJSON_GetObjectItem(tree, "squares"), ROWS - 1);
    assert_true(cJSON_GetObjectItem(last, "square")->valuedouble == 99999.0 * 99999.0);
    cJSON_Delete(tree);
    free(json);
    char *text = rendered(document, (RenderOptions){.format = FORMAT_TEXT});
    assert_non_null(strstr(text, "\n99999  9,999,800,001\n"));
    free(text);
    Progress progress = {.cancel = true};
    Text out = {0};
    Sink sink = sink_text(&out);
    Error error = {0};
    for (OutputFormat format = FORMAT_TEXT; format <= FORMAT_CSV; format++) {
        RenderOptions options = {.format = format};
        assert_false(document_render(document, &options, &sink, &progress, &error));
        assert_int_equal(error.kind, ERROR_CANCELLED);
    }
    text_free(&out);
    document_free(document);
}

static void hex_list(void *context, size_t index, const uint32_t **items, size_t *count)
{
    *items = context;
    *count = index;
}

static void json_has_lists_of_rows(void **state)
{
    (void)state;
    uint32_t words[] = {0x43a00000, 0x82};
    int64_t bases[] = {-1, 4096};
    Document *document = document_new(NULL);
    assert_non_null(document);
    document_hex_lists(document, "rows", 3, hex_list, words);
    document_numbers(document, "bases", bases, 2);
    expect(document, (RenderOptions){.format = FORMAT_JSON},
           "{\"rows\":[[],[\"43a00000\"],[\"43a00000\",\"00000082\"]],\"bases\":[null,4096]}\n");
    expect(document, (RenderOptions){.format = FORMAT_TEXT}, "");
    document_free(document);
}

static void file_text_stays_ascii_when_asked(void **state)
{
    (void)state;
    Document *document = document_new(NULL);
    assert_non_null(document);
    document_field(document, "label", "label", UNIT_NONE, cell_text("caf\xc3\xa9\t\xff"));
    document_field(document, "delta", "delta", UNIT_BYTES, cell_signed(-12345));
    document_field(document, "share", "share", UNIT_PERCENT, cell_real(12.25));
    expect(document, (RenderOptions){.format = FORMAT_TEXT, .ascii = true},
           "label  caf<U+00E9>^I\\xff\ndelta  -12,345\nshare  +12.2%\n");
    document_free(document);
}

static void errors_are_documents(void **state)
{
    (void)state;
    Error failure = {.kind = ERROR_INPUT, .message = "no \"such\" phase"};
    RenderOptions options = {.format = FORMAT_JSON};
    Text text = {0};
    Sink sink = sink_text(&text);
    assert_true(render_error(&failure, "phase 7", &options, &sink, NULL));
    assert_string_equal(text_view(&text), "{\"error\":\"no \\\"such\\\" phase\",\"command\":\"phase 7\"}\n");
    text_free(&text);
}

static bool sink_that_fails(void *context, const char *bytes, size_t length, Error *error)
{
    (void)context;
    (void)bytes;
    (void)length;
    return error_set(error, ERROR_SYSTEM, "disk full");
}

static void failures_are_told(void **state)
{
    (void)state;
    Document *document = sample();
    RenderOptions options = {.format = FORMAT_TEXT};
    Sink sink = {sink_that_fails, NULL};
    Error error = {0};
    assert_false(document_render(document, &options, &sink, NULL, &error));
    assert_string_equal(error.message, "disk full");
    document_free(document);
    /* Every allocation of building and rendering fails once. */
    bool all = false;
    for (long nth = 1; !all; nth++) {
        void *owned = mem_new(1, 1, NULL);
        mem_fault_set(nth);
        document = document_new(&error);
        if (document != NULL) {
            Table *table = document_table(document, "t", squares, 2);
            document_own(document, owned, mem_free);
            table_row(table, (Cell[]){cell_unsigned(1), cell_text(document_keep(document, "%d", 5))});
            table_group(table, 1, "rest");
            table_empty(table, "none");
            Text text = {0};
            sink = sink_text(&text);
            bool done = document_render(document, &options, &sink, NULL, &error);
            all = mem_fault_left() > 0;
            assert_true(done == all);
            text_free(&text);
            document_free(document);
        } else {
            mem_free(owned);
        }
        mem_fault_set(0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_aligned_and_harmless),
        cmocka_unit_test(headings_are_text),
        cmocka_unit_test(a_row_without_memory_fails_the_document),
        cmocka_unit_test(text_says_more_when_asked),
        cmocka_unit_test(json_nests_paths),
        cmocka_unit_test(csv_repeats_what_identifies),
        cmocka_unit_test(rows_gather_into_groups),
        cmocka_unit_test(million_row_tables_are_made_while_written),
        cmocka_unit_test(json_has_lists_of_rows),
        cmocka_unit_test(file_text_stays_ascii_when_asked),
        cmocka_unit_test(errors_are_documents),
        cmocka_unit_test(failures_are_told),
    };
    return cmocka_run_group_tests_name("explore/document", tests, NULL, NULL);
}
