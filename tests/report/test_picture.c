/* The pictures of the report, against small ones drawn by hand. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/picture.h"

static void assert_number(uint64_t number, const char *expected)
{
    Text text = {0};
    number_append(&text, number);
    assert_string_equal(text_view(&text), expected);
    text_free(&text);
}

static void numbers_are_grouped(void **state)
{
    (void)state;
    assert_number(0, "0");
    assert_number(999, "999");
    assert_number(1000, "1,000");
    assert_number(1234567, "1,234,567");
    assert_number(UINT64_MAX, "18,446,744,073,709,551,615");
}

static void assert_holds(const Text *text, const char *piece)
{
    if (strstr(text_view(text), piece) == NULL) {
        print_error("no %s in %s\n", piece, text_view(text));
        fail();
    }
}

/* Tile 0 lies at row 0, place 0; tile 1 (the other lane) at place 2; tiles 2 and 3 one row below. */
static void tiles_lie_where_the_fabric_has_them(void **state)
{
    (void)state;
    const uint32_t values[4] = {80, 0, 10, 41};
    Text text = {0};
    picture_tiles(&text, values, 4, 80, "original", "Row bytes");
    assert_holds(&text, "<path class=\"t8\" d=\"M0 0h1v1h-1z\"/>");
    assert_holds(&text, "<path class=\"t0\" d=\"M2 0h1v1h-1z\"/>");
    assert_holds(&text, "<path class=\"t1\" d=\"M0 1h1v1h-1z\"/>");
    assert_holds(&text, "<path class=\"t5\" d=\"M2 1h1v1h-1z\"/>");
    assert_holds(&text, "viewBox=\"0 0 4 23\"");
    assert_holds(&text, "Row bytes per tile, mode original: 3 active tiles, at most 80 at tile 0");
    text_free(&text);
}

/* On the whole fabric every place is a tile: what looks alike is joined, a row at a time. */
static void neighbours_that_look_alike_are_one_piece(void **state)
{
    (void)state;
    uint32_t values[1472];
    Text text = {0};
    for (size_t tile = 0; tile < 1472; tile++) {
        values[tile] = 7;
    }
    picture_tiles(&text, values, 1472, 7, "both", "Row bytes");
    assert_holds(&text, "<path class=\"t8\" d=\"M0 0h64v1h-64zM0 1h64v1h-64z");
    assert_holds(&text, "M0 22h64v1h-64z\"/></svg>");
    text_free(&text);
}

static void a_map_without_activity_is_drawn(void **state)
{
    (void)state;
    const uint32_t values[1] = {0};
    Text text = {0};
    picture_tiles(&text, values, 1, 0, "original", "Row bytes");
    assert_holds(&text, "<path class=\"t0\" d=\"M0 0h1v1h-1z\"/>");
    assert_holds(&text, ": 0 active tiles</title>");
    text_free(&text);
}

static void bars_have_their_lengths_and_marks(void **state)
{
    (void)state;
    const Bar bars[3] = {{.name = "original", .value = 1500},
                         {.name = "source", .value = 500, .best = true},
                         {.name = "reordered", .value = 100, .invalid = true}};
    Text text = {0};
    picture_bars(&text, "Cycles", bars, 3);
    assert_holds(&text,
                 "<title>Cycles by mode: original 1,500, source 500 (best), reordered 100 (invalid)</title>");
    assert_holds(&text, "<rect class=\"before\" x=\"128\" y=\"3\" width=\"150.0\"");
    assert_holds(&text, "<rect class=\"best\" x=\"128\" y=\"21\" width=\"50.0\"");
    assert_holds(&text, "<rect class=\"invalid\" x=\"128\" y=\"39\" width=\"10.0\"");
    assert_holds(&text, "class=\"struck\">100</text>");
    assert_holds(&text, ">\xe2\x98\x85 source</text>"); /* not by its colour alone */
    text_free(&text);
}

static void bars_of_nothing_are_empty(void **state)
{
    (void)state;
    Text text = {0};
    picture_before_after(&text, 0, 0, "Fragments");
    assert_holds(&text, "<title>Fragments: 0 before, 0 after</title>");
    assert_holds(&text, "width=\"0.0\"");
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_grouped),
        cmocka_unit_test(tiles_lie_where_the_fabric_has_them),
        cmocka_unit_test(neighbours_that_look_alike_are_one_piece),
        cmocka_unit_test(a_map_without_activity_is_drawn),
        cmocka_unit_test(bars_have_their_lengths_and_marks),
        cmocka_unit_test(bars_of_nothing_are_empty),
    };
    return cmocka_run_group_tests_name("report/picture", tests, NULL, NULL);
}
