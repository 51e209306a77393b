/* Loading: what a document means, and that every spelling of it means the same. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "support.h"

static Capture *load(const char *text)
{
    Error error = {0};
    Capture *capture = capture_load_memory("test", text, strlen(text), NULL, NULL, &error);
    if (capture == NULL) {
        fail_msg("%s", error.message);
    }
    return capture;
}

static const char plain[] =
    "{\"schema_version\":4,\"tile_count\":8,\"phase_labels\":{\"62\":\"MLP \\\"down\\\"\",\"7\":\"a\"},"
    "\"phases\":[{\"phase\":62,\"transfers\":["
    "{\"source\":0,\"source_addresses\":[327680,331776],\"destinations\":[{\"tile\":1,\"address\":393216},"
    "{\"tile\":5,\"address\":65536}],\"words\":2,\"width\":\"Paired64\"},"
    "{\"source\":7,\"source_addresses\":[65540,65540,65540],\"destinations\":[{\"tile\":7,\"address\":4}],"
    "\"words\":1}]},{\"phase\":3,\"transfers\":[]}]}";

static const char odd[] =
    " {\r\n\t\"phases\" : [ { \"transfers\" : [ { \"width\" : \"Paired64\" , \"wor\\u0064s\" : 2 , "
    "\"destinations\" : "
    "[ [ 1 , 393216 ] , { \"address\" : 65536 , \"tile\" : 5 } ] , \"source_addresses\" : [ 327680 , 331776 "
    "] , "
    "\"source\" : 0 } , { \"words\" : 1, \"source_addresses\": [ 65540 ,65540, 65540 ], \"source\": 7, "
    "\"destinations\": [[7,4]], \"width\": \"Word32\" } ] , \"phase\" : 62 } , { \"phase\" : 3, "
    "\"transfers\" : [ ] "
    "} ] , \"phase_labels\" : { \"7\" : \"a\", \"62\" : \"\\u004dLP \\\"down\\\"\" } , \"tile_count\" : 8 , "
    "\"schema_version\" : 4 }\n";

static void check_content(const Capture *capture)
{
    assert_int_equal(capture->schema_version, 4);
    assert_int_equal(capture->tile_count, 8);
    assert_int_equal(capture->phase_count, 2);
    assert_int_equal(capture->transfers, 2);
    assert_int_equal(capture->label_count, 2);
    assert_string_equal(capture_label(capture, 62), "MLP \"down\"");
    assert_string_equal(capture_label(capture, 7), "a");
    assert_null(capture_label(capture, 3));
    assert_ptr_equal(capture_phase(capture, 62), capture->phases[0]);
    assert_ptr_equal(capture_phase(capture, 3), capture->phases[1]);
    assert_null(capture_phase(capture, 7));
    const Phase *phase = capture->phases[0];
    assert_int_equal(phase->transfers, 2);
    assert_int_equal(phase->source[0], 0);
    assert_int_equal(phase->words[0], 2);
    assert_int_equal(phase->width[0], WIDTH_PAIRED64);
    assert_int_equal(phase->repeat[0], 2);
    assert_int_equal(phase_address(phase, 0, 0), 327680);
    assert_int_equal(phase_address(phase, 0, 1), 331776);
    assert_int_equal(phase_receivers(phase, 0), 2);
    assert_int_equal(phase->receiver_tile[0], 1);
    assert_int_equal(phase->receiver_address[0], 393216);
    assert_int_equal(phase->receiver_tile[1], 5);
    assert_int_equal(phase->receiver_address[1], 65536);
    assert_int_equal(phase->source[1], 7);
    assert_int_equal(phase->words[1], 1);
    assert_int_equal(phase->width[1], WIDTH_WORD32);
    assert_int_equal(phase->repeat[1], 3);
    assert_int_equal(phase_address_count(phase, 1), 1);
    assert_int_equal(phase_address(phase, 1, 2), 65540);
    assert_int_equal(phase->receiver_tile[2], 7);
    assert_int_equal(phase->receiver_address[2], 4);
    assert_int_equal(capture->phases[1]->transfers, 0);
}

static void a_plain_document_is_read(void **state)
{
    (void)state;
    Capture *capture = load(plain);
    check_content(capture);
    assert_int_equal(capture->spelling, ENDPOINT_OBJECT);
    assert_int_equal(capture->file_bytes, strlen(plain));
    assert_string_equal(capture->path, "test");
    capture_free(capture);
}

static void an_odd_spelling_means_the_same(void **state)
{
    (void)state;
    Capture *capture = load(odd);
    check_content(capture);
    assert_int_equal(capture->spelling, ENDPOINT_ARRAY);
    capture_free(capture);
}

/* Every width of the window, and bytes that come one or a few at a time, give the same. */
static void the_window_does_not_matter(void **state)
{
    (void)state;
    static const char *const texts[] = {plain, odd};
    for (size_t t = 0; t < 2; t++) {
        size_t length = strlen(texts[t]);
        Capture *expected = load(texts[t]);
        for (size_t window = 16; window < length + 20; window++) {
            Error error = {0};
            Capture *capture = support_load(texts[t], length, window, window % 7 + 1, &error);
            assert_string_equal(error.message, "");
            support_assert_same_capture(capture, expected);
            capture_free(capture);
        }
        capture_free(expected);
    }
}

/* Long lists and strings, wider than the window of the test. */
static void long_lists_and_strings_are_read(void **state)
{
    (void)state;
    enum { ADDRESSES = 5000, BYTES = 300000 };
    char *text = malloc(BYTES);
    assert_non_null(text);
    int length = sprintf(text, "{\"schema_version\":4,\"tile_count\":1472,\"phase_labels\":{\"1\":\"");
    for (int i = 0; i < 20000; i++) {
        length += sprintf(text + length, "%s", i % 3 == 0 ? "\\u00e9" : i % 3 == 1 ? "\xc3\xa9" : "x");
    }
    length += sprintf(text + length,
                      "\"},\"phases\":[{\"phase\":1,\"transfers\":[{\"source\":0,\"source_addresses\":[");
    for (int i = 0; i < ADDRESSES; i++) {
        length += sprintf(text + length, "%s%d", i == 0 ? "" : ",", i * 4);
    }
    length += sprintf(text + length, "],\"destinations\":[");
    for (int i = 0; i < 1472; i++) {
        length += sprintf(text + length, "%s[%d,%d]", i == 0 ? "" : ",", (i * 7) % 1472, i * 4);
    }
    length += sprintf(text + length, "],\"words\":3}]}]}");
    assert_true(length < BYTES);
    static const size_t windows[] = {1 << 20, 1000, 70000, 16};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        Error error = {0};
        Capture *capture = support_load(text, (size_t)length, windows[i], SIZE_MAX, &error);
        assert_string_equal(error.message, "");
        const Phase *phase = capture->phases[0];
        assert_int_equal(phase->repeat[0], ADDRESSES);
        assert_int_equal(phase_address(phase, 0, ADDRESSES - 1), (ADDRESSES - 1) * 4);
        assert_int_equal(phase_receivers(phase, 0), 1472);
        assert_int_equal(phase->receiver_tile[1471], (1471 * 7) % 1472);
        assert_int_equal(strlen(capture_label(capture, 1)), 6667 * 2 * 2 + 6666);
        capture_free(capture);
    }
    free(text);
}

static void unknown_members_are_kept_where_they_stood(void **state)
{
    (void)state;
    Capture *capture = load(
        "{\"x\\u0079\" : [ 1 ],\"schema_version\":4,\"tile_count\":8,\"phases\":[{\"p\":1,\"transfers\":["
        "{\"t\":{},\"source\":0,\"source_addresses\":[4],\"destinations\":[{\"tile\":1,\"address\":4},"
        "{\"r\":2 ,\"tile\":2,\"address\":4}],\"words\":1}],\"phase\":1,\"q\":2}],\"x\":-1e9}");
    assert_int_equal(capture->extra_count, 2);
    assert_string_equal(capture->extra_members[0], "\"x\\u0079\":[ 1 ]");
    assert_string_equal(capture->extra_members[1], "\"x\":-1e9");
    static const PhaseExtra expected[] = {{0, 1, "\"r\":2"},
                                          {0, PHASE_EXTRA_TRANSFER, "\"t\":{}"},
                                          {PHASE_EXTRA_PHASE, PHASE_EXTRA_TRANSFER, "\"p\":1"},
                                          {PHASE_EXTRA_PHASE, PHASE_EXTRA_TRANSFER, "\"q\":2"}};
    const Phase *phase = capture->phases[0];
    assert_int_equal(phase->extra_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(phase->extras[i].transfer, expected[i].transfer);
        assert_int_equal(phase->extras[i].receiver, expected[i].receiver);
        assert_string_equal(phase->extras[i].member, expected[i].member);
    }
    capture_free(capture);
}

static void labels_are_decoded_and_looked_up(void **state)
{
    (void)state;
    Capture *capture =
        load("{\"phase_labels\":{\"9\":\"nine\",\"07\":{},\"\":1,\"4294967295\":\"last\","
             "\"4294967296\":\"beyond\",\"0\":\"\\u0000\\ud800\\n\\\"\",\"\\u0031\":\"one\",\"2\":"
             "\"\\ud800\\udc00\\uDBFF\\uDFFF\",\"3\":\"\\udbff\\ue000\\udfff\\ud7ff\\ud800\\u0041\"},"
             "\"schema_version\":4,\"tile_count\":1,\"phases\":[]}");
    assert_int_equal(capture->label_count, 6);
    assert_string_equal(capture_label(capture, 0), "\xef\xbf\xbd\xef\xbf\xbd\n\"");
    assert_string_equal(capture_label(capture, 1), "one");
    assert_string_equal(capture_label(capture, 2), "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
    assert_string_equal(capture_label(capture, 3),
                        "\xef\xbf\xbd\xee\x80\x80\xef\xbf\xbd\xed\x9f\xbf\xef\xbf\xbd"
                        "A");
    assert_string_equal(capture_label(capture, 9), "nine");
    assert_string_equal(capture_label(capture, UINT32_MAX), "last");
    assert_null(capture_label(capture, 7));
    capture_free(capture);
}

/* Enough phases for the table of numbers to grow, in an order that is not theirs. */
static void many_phases_are_found_by_number(void **state)
{
    (void)state;
    enum { PHASES = 1000 };
    static char text[PHASES * 50];
    int length = sprintf(text, "{\"schema_version\":1,\"tile_count\":1,\"phases\":[");
    for (uint32_t i = 0; i < PHASES; i++) {
        length +=
            sprintf(text + length, "%s{\"phase\":%u,\"transfers\":[]}", i == 0 ? "" : ",", i * 2654435761u);
    }
    sprintf(text + length, "]}");
    Capture *capture = load(text);
    assert_int_equal(capture->phase_count, PHASES);
    for (uint32_t i = 0; i < PHASES; i++) {
        assert_ptr_equal(capture_phase(capture, i * 2654435761u), capture->phases[i]);
    }
    assert_null(capture_phase(capture, 1));
    capture_free(capture);
}

/* ---- who watches a load ---- */

typedef struct Watch {
    uint32_t numbers[10];
    size_t count, abandoned;
    uint16_t tile_count;
    Progress *cancel; /* at the first phase */
} Watch;

static void watch_phase(void *context, const Phase *phase, uint16_t tile_count)
{
    Watch *watch = context;
    watch->numbers[watch->count++] = phase->number;
    watch->tile_count = tile_count;
    assert_int_equal(phase->transfers, 1);
    if (watch->cancel != NULL) {
        atomic_store(&watch->cancel->cancel, true);
    }
}

static void watch_abandon(void *context, Capture *capture)
{
    Watch *watch = context;
    watch->abandoned++;
    assert_int_equal(capture->phase_count, watch->count);
    capture_free(capture);
}

#define ONE_TRANSFER                                                                                         \
    "\"transfers\":[{\"source\":0,\"source_addresses\":[4],\"destinations\":[[1,4]],\"words\":1}]"

static Capture *watched_load(const char *text, Watch *watch, Progress *progress, Error *error)
{
    CaptureWatcher watcher = {.phase = watch_phase, .abandon = watch_abandon, .context = watch};
    return capture_load_memory("test", text, strlen(text), &watcher, progress, error);
}

static void phases_are_handed_out_as_they_come(void **state)
{
    (void)state;
    Watch watch = {0};
    Progress progress = {0};
    Error error = {0};
    static const char good[] = "{\"schema_version\":1,\"tile_count\":2,\"phases\":[{\"phase\":5," ONE_TRANSFER
                               "},{" ONE_TRANSFER ",\"phase\":2}]}";
    Capture *capture = watched_load(good, &watch, &progress, &error);
    assert_non_null(capture);
    assert_int_equal(watch.count, 2);
    assert_int_equal(watch.numbers[0], 5);
    assert_int_equal(watch.numbers[1], 2);
    assert_int_equal(watch.tile_count, 2);
    assert_int_equal(watch.abandoned, 0);
    assert_int_equal(atomic_load(&progress.done), strlen(good));
    assert_int_equal(atomic_load(&progress.total), strlen(good));
    capture_free(capture);

    static const char late[] = "{\"schema_version\":1,\"phases\":[{\"phase\":5," ONE_TRANSFER
                               "},{\"phase\":2," ONE_TRANSFER "}],\"tile_count\":%d}";
    char text[400];
    snprintf(text, sizeof text, late, 2);
    watch = (Watch){0};
    capture = watched_load(text, &watch, NULL, &error);
    assert_non_null(capture);
    assert_int_equal(watch.count, 2);
    assert_int_equal(watch.tile_count, 2);
    capture_free(capture);

    snprintf(text, sizeof text, late, 1);
    watch = (Watch){0};
    CaptureWatcher watcher = {.phase = watch_phase, .context = &watch};
    assert_null(capture_load_memory("test", text, strlen(text), &watcher, NULL, &error));
    assert_int_equal(watch.count, 0);
}

static void a_failed_load_is_abandoned_to_the_watcher(void **state)
{
    (void)state;
    Watch watch = {0};
    Error error = {0};
    assert_null(watched_load("{\"schema_version\":1,\"tile_count\":2,\"phases\":[{\"phase\":5," ONE_TRANSFER
                             "},7]}",
                             &watch, NULL, &error));
    assert_int_equal(watch.count, 1);
    assert_int_equal(watch.abandoned, 1);
    assert_int_equal(error.kind, ERROR_INPUT);
}

static void a_load_can_be_cancelled(void **state)
{
    (void)state;
    Progress progress = {.cancel = true};
    Error error = {0};
    assert_null(capture_load_memory("test", plain, strlen(plain), NULL, &progress, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);

    /* In the middle: the first phase is there, the rest is longer than the window. */
    enum { BLANKS = 3 << 20 };
    static const char head[] =
        "{\"schema_version\":1,\"tile_count\":2,\"phases\":[{\"phase\":5," ONE_TRANSFER "}";
    char *text = malloc(sizeof head + BLANKS);
    assert_non_null(text);
    memcpy(text, head, sizeof head - 1);
    memset(text + sizeof head - 1, ' ', BLANKS);
    text[sizeof head - 1 + BLANKS] = '\0';
    atomic_store(&progress.cancel, false);
    Watch watch = {.cancel = &progress};
    assert_null(watched_load(text, &watch, &progress, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    assert_int_equal(watch.abandoned, 1);
    assert_true(atomic_load(&progress.done) < atomic_load(&progress.total));
    free(text);
}

/* ---- files ---- */

static void assert_loads(const char *path)
{
    Error error = {0};
    Progress progress = {0};
    Capture *capture = capture_load(path, NULL, &progress, &error);
    assert_string_equal(error.message, "");
    check_content(capture);
    assert_string_equal(capture->path, path);
    assert_int_equal(capture->file_bytes, strlen(plain));
    assert_true(atomic_load(&progress.done) == atomic_load(&progress.total) &&
                atomic_load(&progress.done) > 0);
    capture_free(capture);
}

static void assert_refused(const char *path, const void *bytes, size_t length, const char *part)
{
    Error error = {0};
    support_put(path, bytes, length);
    assert_null(capture_load(path, NULL, NULL, &error));
    if (strncmp(error.message, path, strlen(path)) != 0 || strstr(error.message, part) == NULL) {
        fail_msg("message '%s' lacks '%s' or the path", error.message, part);
    }
}

static void compressed_captures_are_read(void **state)
{
    (void)state;
    const char *path = support_path("capture");
    support_put(path, plain, strlen(plain));
    assert_loads(path);

    gzFile gzip = gzopen(path, "wb");
    assert_int_equal(gzwrite(gzip, plain, (unsigned)strlen(plain)), strlen(plain));
    assert_int_equal(gzclose(gzip), Z_OK);
    assert_loads(path);
    size_t length;
    char *packed = support_get(path, &length);
    assert_refused(path, packed, length - 1, "the gzip data is cut off");
    packed[length / 2] ^= 0x55;
    assert_refused(path, packed, length, "");
    free(packed);

    char frames[1000];
    size_t half = strlen(plain) / 2;
    size_t first = ZSTD_compress(frames, sizeof frames, plain, half, 3);
    size_t second =
        ZSTD_compress(frames + first, sizeof frames - first, plain + half, strlen(plain) - half, 3);
    support_put(path, frames, first + second);
    assert_loads(path);
    assert_refused(path, frames, first + second - 1, "the zstd data is cut off");
    char place[60];
    snprintf(place, sizeof place, "byte %zu: found the end of the file", half);
    assert_refused(path, frames, first, place);
    memset(frames + first, '?', 4);
    assert_refused(path, frames, first + second, "damaged zstd data");
}

static void what_cannot_be_opened_is_refused(void **state)
{
    (void)state;
    Error error = {0};
    assert_null(capture_load("/tmp", NULL, NULL, &error));
    assert_string_equal(error.message, "/tmp: is a directory, expected a file");
    assert_null(capture_load(support_path("absent"), NULL, NULL, &error));
    assert_non_null(strstr(error.message, "absent: cannot be opened: No such file"));
    assert_int_equal(error.kind, ERROR_SYSTEM);
}

static void standard_input_is_named_in_messages(void **state)
{
    (void)state;
    const char *path = support_path("input");
    support_put(path, "[]", 2);
    int before = dup(STDIN_FILENO), descriptor = open(path, O_RDONLY);
    assert_true(descriptor >= 0 && dup2(descriptor, STDIN_FILENO) == STDIN_FILENO);
    Error error = {0};
    assert_null(capture_load("-", NULL, NULL, &error));
    assert_string_equal(error.message, "standard input: byte 0: found '[', expected '{' of a capture");
    close(descriptor);
    if (before >= 0) {
        dup2(before, STDIN_FILENO);
        close(before);
    }
}

/* The rules hold for phases that were built by hand, too. */
static void a_phase_is_checked_by_hand(void **state)
{
    (void)state;
    Phase *phase = phase_new(3, NULL);
    assert_non_null(phase);
    assert_true(phase_check(phase, 1, NULL));
    uint32_t address = 4;
    uint16_t tile = 1;
    assert_true(phase_append(phase, 0, 1, WIDTH_WORD32, &address, 1, &tile, &address, 1, NULL));
    assert_true(phase_check(phase, 2, NULL));
    Error error = {0};
    assert_false(phase_check(phase, 1, &error));
    assert_string_equal(error.message,
                        "phase 3, transfer 0: a destination is tile 1, expected a tile below 1");
    phase->words[0] = 4149;
    assert_false(phase_check(phase, 2, &error));
    assert_string_equal(error.message, "phase 3, transfer 0: words is 4149, expected 1 to 4148");
    phase_free(phase);
}

/* Transfer `at` is transfer `i` of the other phase, in all columns. */
static void expect_transfer(const Phase *phase, uint32_t at, const Phase *other, uint32_t i)
{
    assert_int_equal(phase->source[at], other->source[i]);
    assert_int_equal(phase->words[at], other->words[i]);
    assert_int_equal(phase->width[at], other->width[i]);
    assert_int_equal(phase->repeat[at], other->repeat[i]);
    assert_int_equal(phase_address_count(phase, at), phase_address_count(other, i));
    assert_memory_equal(phase->addresses + phase->address_start[at],
                        other->addresses + other->address_start[i],
                        phase_address_count(phase, at) * sizeof *phase->addresses);
    assert_int_equal(phase_receivers(phase, at), phase_receivers(other, i));
    for (uint32_t k = 0; k < phase_receivers(phase, at); k++) {
        uint32_t here = phase->receiver_start[at] + k, there = other->receiver_start[i] + k;
        assert_int_equal(phase->receiver_tile[here], other->receiver_tile[there]);
        assert_int_equal(phase->receiver_address[here], other->receiver_address[there]);
    }
}

/* Any transfers in any order, where all have one address or one receiver and where some have more. */
static void transfers_are_gathered_in_any_order(void **state)
{
    (void)state;
    const uint32_t order[] = {4, 0, 3, 3, 1};
    Phase *into = phase_new(9, NULL);
    for (uint32_t most = 1; most <= 4; most++) {
        Phase *phase = phase_new(9, NULL);
        for (uint32_t i = 0; i < 5; i++) {
            uint32_t from[] = {4 * i, 4 * i + 400, 4 * i + 80, 4 * i};
            uint32_t to[] = {800 + 4 * i, 900 + 4 * i, 700, 600};
            uint16_t tiles[] = {(uint16_t)(9 - i), 20, (uint16_t)(30 + i), 2};
            uint32_t addresses = most % 2 == 0 ? 1 + i % 4 : 1, receivers = most > 2 ? 1 + (i + 1) % 4 : 1;
            assert_true(phase_append(phase, (uint16_t)(50 + i), (uint16_t)(1 + i), i % 2, from, addresses,
                                     tiles, to, receivers, NULL));
        }
        assert_true(phase_gather(into, phase, order, 5, NULL));
        assert_int_equal(into->transfers, 5);
        for (uint32_t k = 0; k < 5; k++) {
            expect_transfer(into, k, phase, order[k]);
        }
        assert_true(phase_gather(into, phase, order, 0, NULL));
        assert_int_equal(into->transfers, 0);
        phase_free(phase);
    }
    phase_free(into);
}

static void a_phase_belongs_to_one_capture_once(void **state)
{
    (void)state;
    Capture capture = {0};
    Phase *phase = phase_new(3, NULL), *same = phase_new(3, NULL);
    assert_null(capture_phase(&capture, 3));
    assert_true(capture_add_phase(&capture, phase, NULL));
    assert_false(capture_add_phase(&capture, same, NULL));
    assert_ptr_equal(capture_phase(&capture, 3), phase);
    phase_free(same);
    phase_free(phase);
    free(capture.phases);
    free(capture.slots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_document_is_read),
        cmocka_unit_test(an_odd_spelling_means_the_same),
        cmocka_unit_test(the_window_does_not_matter),
        cmocka_unit_test(long_lists_and_strings_are_read),
        cmocka_unit_test(unknown_members_are_kept_where_they_stood),
        cmocka_unit_test(labels_are_decoded_and_looked_up),
        cmocka_unit_test(many_phases_are_found_by_number),
        cmocka_unit_test(phases_are_handed_out_as_they_come),
        cmocka_unit_test(a_failed_load_is_abandoned_to_the_watcher),
        cmocka_unit_test(a_load_can_be_cancelled),
        cmocka_unit_test(compressed_captures_are_read),
        cmocka_unit_test(what_cannot_be_opened_is_refused),
        cmocka_unit_test(standard_input_is_named_in_messages),
        cmocka_unit_test(a_phase_is_checked_by_hand),
        cmocka_unit_test(transfers_are_gathered_in_any_order),
        cmocka_unit_test(a_phase_belongs_to_one_capture_once),
    };
    return cmocka_run_group_tests_name("capture/capture", tests, support_make_folder, support_remove_folder);
}
