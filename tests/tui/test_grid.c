/* The grid of cells: what is drawn where, what is clipped, what becomes ASCII; and keys by name. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tui/grid.h"
#include "tui/input.h"

static void assert_grid(const Grid *grid, const char *expected)
{
    Text text = {0};
    grid_append_text(grid, &text);
    assert_string_equal(text_view(&text), expected);
    text_free(&text);
}

static Grid new_grid(int rows, int columns, bool utf8)
{
    Grid grid = {.utf8 = utf8};
    assert_true(grid_resize(&grid, rows, columns, NULL));
    return grid;
}

static void text_is_clipped_and_says_so(void **state)
{
    (void)state;
    Grid grid = new_grid(3, 10, true);
    assert_int_equal(grid_text(&grid, 0, 0, 10, LOOK_NORMAL, "0123456789"), 10);
    assert_int_equal(grid_text(&grid, 1, 2, 5, LOOK_NORMAL, "abcdefg"), 5);
    assert_int_equal(grid_text(&grid, 2, 7, 20, LOOK_NORMAL, "wxyz"), 3);
    assert_int_equal(grid_text(&grid, 3, 0, 10, LOOK_NORMAL, "below"), 0);
    assert_int_equal(grid_text(&grid, 0, 10, 10, LOOK_NORMAL, "beside"), 0);
    assert_grid(&grid, "0123456789\n  abcd…\n       wx…\n");
    grid_free(&grid);
}

static void right_alignment_ends_where_it_should(void **state)
{
    (void)state;
    Grid grid = new_grid(2, 12, true);
    grid_text_right(&grid, 0, 1, 8, LOOK_NORMAL, "1,234");
    grid_text_right(&grid, 1, 1, 4, LOOK_NORMAL, "1,234");
    assert_grid(&grid, "    1,234\n 1,2…\n");
    grid_free(&grid);
}

static void control_characters_are_made_visible(void **state)
{
    (void)state;
    Grid grid = new_grid(1, 30, true);
    grid_text(&grid, 0, 0, 30, LOOK_NORMAL, "a\033[31m\xff\xe2\x80\xae!");
    assert_grid(&grid, "a^[[31m\\xff<U+202E>!\n");
    grid_free(&grid);
}

static void wide_characters_take_two_columns(void **state)
{
    (void)state;
    assert_int_equal(grid_character_width(0x4e2d), 2);
    assert_int_equal(grid_character_width(0x301), 0);
    assert_int_equal(grid_character_width(0x1f600), 2);
    assert_int_equal(grid_text_width("中e\xcc\x81z"), 4);
    Grid grid = new_grid(2, 6, true);
    /* the third one would need columns 5 and 6: it is left out */
    grid_text(&grid, 0, 0, 6, LOOK_NORMAL, "a中文字");
    assert_grid(&grid, "a中文…\n\n");
    assert_int_equal(grid_cell(&grid, 0, 1)->width, 2);
    assert_int_equal(grid_cell(&grid, 0, 2)->width, 0);
    /* drawing over one half blanks the other */
    grid_text(&grid, 0, 2, 1, LOOK_NORMAL, "x");
    assert_grid(&grid, "a x文…\n\n");
    grid_text(&grid, 0, 3, 1, LOOK_NORMAL, "y");
    assert_grid(&grid, "a xy …\n\n");
    grid_text(&grid, 1, 0, 6, LOOK_NORMAL, "e\xcc\x81z");
    assert_string_equal(grid_cell(&grid, 1, 0)->text, "e\xcc\x81");
    assert_string_equal(grid_cell(&grid, 1, 1)->text, "z");
    grid_free(&grid);
}

static void many_combining_marks_stay_in_their_cell(void **state)
{
    (void)state;
    Grid grid = new_grid(1, 4, true);
    char text[200] = "a";
    for (int i = 0; i < 50; i++) {
        strcat(text, "\xcc\x81");
    }
    strcat(text, "b");
    assert_int_equal(grid_text(&grid, 0, 0, 4, LOOK_NORMAL, text), 2);
    assert_true(strlen(grid_cell(&grid, 0, 0)->text) < GLYPH_BYTES);
    assert_string_equal(grid_cell(&grid, 0, 1)->text, "b");
    grid_free(&grid);
}

static void without_utf8_all_is_ascii(void **state)
{
    (void)state;
    Grid grid = new_grid(5, 12, false);
    grid_box(&grid, (Rect){0, 0, 3, 12}, LOOK_BORDER, "Title");
    grid_text(&grid, 1, 1, 10, LOOK_NORMAL, "中é → Δ …");
    grid_bar(&grid, 3, 0, 10, LOOK_NORMAL, 5, 10);
    grid_bar(&grid, 4, 0, 10, LOOK_NORMAL, 0.001, 10);
    assert_grid(&grid, "+ Title ---+\n|??? > d ~ |\n+----------+\n#####\n#\n");
    grid_free(&grid);
}

static void bars_have_eighths(void **state)
{
    (void)state;
    Grid grid = new_grid(5, 6, true);
    grid_bar(&grid, 0, 0, 4, LOOK_NORMAL, 1, 1);
    grid_bar(&grid, 1, 0, 4, LOOK_NORMAL, 0.53125, 1); /* 17 of 32 eighths */
    grid_bar(&grid, 2, 0, 4, LOOK_NORMAL, 0, 1);
    grid_bar(&grid, 3, 0, 4, LOOK_NORMAL, 1e-9, 1);
    grid_bar(&grid, 4, 0, 4, LOOK_NORMAL, 9, 1);
    assert_grid(&grid, "████\n██▏\n\n▏\n████\n");
    grid_free(&grid);
}

static void boxes_and_rules_are_drawn(void **state)
{
    (void)state;
    Grid grid = new_grid(4, 12, true);
    grid_box(&grid, (Rect){0, 0, 3, 12}, LOOK_BORDER, "Box");
    grid_rule(&grid, 3, 0, 12, LOOK_BORDER, "A long title");
    assert_grid(&grid, "┌ Box ─────┐\n│          │\n└──────────┘\n─ A long … ─\n");
    grid_fill(&grid, (Rect){-1, -1, 3, 4}, LOOK_NORMAL);
    assert_grid(&grid, "   ox ─────┐\n           │\n└──────────┘\n─ A long … ─\n");
    grid_free(&grid);
}

static void any_size_can_be_drawn_on(void **state)
{
    (void)state;
    for (int rows = 1; rows < 6; rows++) {
        for (int columns = 1; columns < 12; columns++) {
            Grid grid = new_grid(rows, columns, true);
            grid_box(&grid, (Rect){1, 1, 9, 20}, LOOK_BORDER, "中文字 title");
            grid_text(&grid, rows - 1, columns - 1, 50, LOOK_NORMAL, "中文");
            grid_text_right(&grid, 0, -3, 9, LOOK_NORMAL, "中文 中文");
            grid_bar(&grid, 0, 0, 30, LOOK_NORMAL, 1, 2);
            grid_restyle(&grid, (Rect){-5, -5, 99, 99}, LOOK_CURSOR);
            Text text = {0};
            grid_append_text(&grid, &text);
            assert_true(text.length >= (size_t)rows);
            text_free(&text);
            grid_free(&grid);
        }
    }
}

static void keys_are_read_by_name(void **state)
{
    (void)state;
    const char *keys = "a<Enter><C-c><Up>é<lt><nothing> <Click:3:14><WheelDown:1:1x><F1>";
    Event event;
    Key expected[] = {'a', KEY_RETURN, 3,   KEY_ARROW_UP, 0xe9, '<', '<', 'n',
                      'o', 't',        'h', 'i',          'n',  'g', '>', ' '};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(input_next(&keys, &event));
        assert_int_equal(event.kind, EVENT_KEY);
        assert_int_equal(event.key, expected[i]);
    }
    assert_true(input_next(&keys, &event));
    assert_int_equal(event.kind, EVENT_CLICK);
    assert_int_equal(event.row, 2);
    assert_int_equal(event.column, 13);
    assert_true(input_next(&keys, &event));
    assert_int_equal(event.key, '<'); /* "WheelDown:1:1x" is no place */
    keys = "<F1>";
    assert_true(input_next(&keys, &event));
    assert_int_equal(event.key, KEY_F1);
    assert_false(input_next(&keys, &event));
}

static void keys_have_names(void **state)
{
    (void)state;
    char name[20];
    input_key_name(3, name, sizeof name);
    assert_string_equal(name, "Ctrl-C");
    input_key_name(KEY_PAGE_DOWN, name, sizeof name);
    assert_string_equal(name, "PgDn");
    input_key_name('?', name, sizeof name);
    assert_string_equal(name, "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_clipped_and_says_so),
        cmocka_unit_test(right_alignment_ends_where_it_should),
        cmocka_unit_test(control_characters_are_made_visible),
        cmocka_unit_test(wide_characters_take_two_columns),
        cmocka_unit_test(many_combining_marks_stay_in_their_cell),
        cmocka_unit_test(without_utf8_all_is_ascii),
        cmocka_unit_test(bars_have_eighths),
        cmocka_unit_test(boxes_and_rules_are_drawn),
        cmocka_unit_test(any_size_can_be_drawn_on),
        cmocka_unit_test(keys_are_read_by_name),
        cmocka_unit_test(keys_have_names),
    };
    return cmocka_run_group_tests_name("tui/grid", tests, NULL, NULL);
}
