/* Loading: what a document means, and that every spelling of it means the same. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "capture/capture.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_document_is_read),
        cmocka_unit_test(an_odd_spelling_means_the_same),
    };
    return cmocka_run_group_tests_name("capture/capture", tests, NULL, NULL);
}
