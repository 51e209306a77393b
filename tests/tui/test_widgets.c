/* Lists, texts, lines of input, the map, numbers, and the table of keys. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explore/command.h"
#include "fabric/fabric.h"
#include "tui/figure.h"
#include "tui/keymap.h"
#include "tui/list.h"
#include "tui/map.h"
#include "tui/pager.h"
#include "tui/prompt.h"

/* ---- numbers ---- */

static void numbers_are_written_for_people(void **state)
{
    (void)state;
    assert_string_equal(figure_count(0).text, "0");
    assert_string_equal(figure_count(999).text, "999");
    assert_string_equal(figure_count(1000).text, "1,000");
    assert_string_equal(figure_count(1234567).text, "1,234,567");
    assert_string_equal(figure_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
    assert_string_equal(figure_short(9999).text, "9,999");
    assert_string_equal(figure_short(12345).text, "12.3k");
    assert_string_equal(figure_short(999949).text, "1.00M");
    assert_string_equal(figure_short(1172736).text, "1.17M");
    assert_string_equal(figure_delta(1000, 1000).text, "=");
    assert_string_equal(figure_delta(1000, 250).text, "-750");
    assert_string_equal(figure_delta(0, 4321).text, "+4,321");
    assert_string_equal(figure_percent(200, 100).text, "-50%");
    assert_string_equal(figure_percent(1000, 1004).text, "+0.4%");
    assert_string_equal(figure_percent(1000000, 1000001).text, "+0.1%"); /* a change is never shown as none */
    assert_string_equal(figure_percent(1000000, 1).text, "-99.9%");      /* nor as all */
    assert_string_equal(figure_percent(5, 0).text, "-100%");
    assert_string_equal(figure_percent(0, 5).text, "");
    assert_string_equal(figure_address(0x4c000).text, "0x4c000");
    assert_string_equal(figure_seconds(0.0004).text, "0.000 s");
    assert_string_equal(figure_seconds(75.2).text, "1:15 min");
    for (uint64_t value = 1; value < UINT64_MAX / 7; value *= 7) {
        assert_int_equal(figure_width(value), strlen(figure_count(value).text));
    }
}

/* ---- lists ---- */

typedef struct Asked {
    uint64_t lowest, highest;
    unsigned cells;
} Asked;

static void put_number(void *context, uint64_t row, int column, ListCell *cell)
{
    Asked *asked = context;
    asked->lowest = row < asked->lowest ? row : asked->lowest;
    asked->highest = row > asked->highest ? row : asked->highest;
    asked->cells++;
    snprintf(cell->text, sizeof cell->text, "%u.%d", (unsigned)row, column);
}

static const ListColumn number_columns[] = {{"first", 8, true, false, false},
                                            {"label", 6, false, true, false},
                                            {"second", 8, true, false, true},
                                            {"third", 8, true, false, false}};

static ListModel number_model(Asked *asked, uint64_t rows)
{
    *asked = (Asked){.lowest = UINT64_MAX};
    return (ListModel){.columns = number_columns,
                       .column_count = 4,
                       .frozen = 1,
                       .rows = rows,
                       .cell = put_number,
                       .context = asked,
                       .empty = "nothing here"};
}

static void assert_drawn(const Grid *grid, const char *expected)
{
    Text text = {0};
    grid_append_text(grid, &text);
    assert_string_equal(text_view(&text), expected);
    text_free(&text);
}

static void a_list_asks_only_for_what_shows(void **state)
{
    (void)state;
    Grid grid = {.utf8 = true};
    List list = {0};
    Asked asked;
    assert_true(grid_resize(&grid, 12, 60, NULL));
    ListModel model = number_model(&asked, 1200000);
    list_draw(&list, &model, &grid, (Rect){0, 0, 12, 60}, true);
    assert_true(asked.lowest == 0 && asked.highest == 10 && asked.cells == 11 * 4);
    assert_true(list_act(&list, ACTION_LAST));
    model = number_model(&asked, 1200000);
    list_draw(&list, &model, &grid, (Rect){0, 0, 12, 60}, true);
    assert_true(list.cursor == 1199999 && asked.lowest == 1199989 && asked.highest == 1199999);
    assert_true(list_act(&list, ACTION_PAGE_UP));
    assert_int_equal(list.cursor, 1199989);
    /* fewer rows than before: the cursor comes along */
    model = number_model(&asked, 3);
    list_draw(&list, &model, &grid, (Rect){0, 0, 12, 60}, true);
    assert_true(list.cursor == 2 && list.top == 0);
    grid_free(&grid);
}

static void a_list_scrolls_sideways_and_marks_it(void **state)
{
    (void)state;
    Grid grid = {.utf8 = true};
    List list = {0};
    Asked asked;
    assert_true(grid_resize(&grid, 3, 28, NULL));
    ListModel model = number_model(&asked, 2);
    list_draw(&list, &model, &grid, (Rect){0, 0, 3, 28}, true);
    assert_drawn(&grid, "    first label     second▾›\n"
                        "▸     0.0 0.1           0.2\n"
                        "      1.0 1.1           1.2\n");
    assert_true(list_act(&list, ACTION_SHIFT_RIGHT));
    grid_clear(&grid);
    list_draw(&list, &model, &grid, (Rect){0, 0, 3, 28}, false);
    assert_drawn(&grid, "    first‹ second▾    third\n"
                        "▹     0.0      0.2      0.3\n"
                        "      1.0      1.2      1.3\n");
    assert_true(list_act(&list, ACTION_RIGHT)); /* nothing more: it stays */
    assert_int_equal(list.shift, 1);
    uint64_t row;
    assert_true(list_row_at(&list, 2, 5, &row) && row == 1);
    assert_false(list_row_at(&list, 0, 5, &row));
    assert_false(list_row_at(&list, 3, 5, &row));
    model = number_model(&asked, 0);
    grid_clear(&grid);
    list_draw(&list, &model, &grid, (Rect){0, 0, 3, 28}, true);
    assert_false(list_row_at(&list, 1, 5, &row));
    grid_free(&grid);
}

static void a_wheel_takes_the_cursor_along(void **state)
{
    (void)state;
    Grid grid = {.utf8 = true};
    List list = {0};
    Asked asked;
    assert_true(grid_resize(&grid, 6, 60, NULL));
    ListModel model = number_model(&asked, 20);
    list_draw(&list, &model, &grid, (Rect){0, 0, 6, 60}, true);
    list_scroll(&list, 3);
    assert_true(list.top == 3 && list.cursor == 3);
    list_go(&list, 7);
    list_scroll(&list, -2);
    assert_true(list.top == 1 && list.cursor == 5);
    list_scroll(&list, 100);
    assert_true(list.top == 15);
    list_scroll(&list, -100);
    assert_true(list.top == 0);
    grid_free(&grid);
}

/* ---- texts ---- */

static void a_pager_shifts_as_far_as_lines_reach(void **state)
{
    (void)state;
    Pager pager = {0};
    Grid grid = {0};
    assert_true(grid_resize(&grid, 2, 10, NULL));
    assert_true(pager_set(&pager, "short\n\xce\x94-0123456789012345678901234\n", NULL)); /* 27 columns */
    pager_draw(&pager, &grid, (Rect){0, 0, 2, 10});
    assert_true(pager_act(&pager, ACTION_LEFT));
    assert_int_equal(pager.shift, 0);
    assert_true(pager_act(&pager, ACTION_RIGHT));
    assert_int_equal(pager.shift, 16);
    assert_true(pager_act(&pager, ACTION_RIGHT));
    assert_int_equal(pager.shift, 17); /* the end shows */
    assert_true(pager_act(&pager, ACTION_RIGHT));
    assert_int_equal(pager.shift, 17);
    assert_true(pager_set(&pager, "0123456789\n", NULL));
    pager_draw(&pager, &grid, (Rect){0, 0, 2, 10});
    assert_true(pager_act(&pager, ACTION_RIGHT)); /* it fits */
    assert_int_equal(pager.shift, 0);
    pager_free(&pager);
    grid_free(&grid);
}

static void a_pager_finds_lines(void **state)
{
    (void)state;
    Pager pager = {0};
    Grid grid = {.utf8 = true};
    assert_true(grid_resize(&grid, 3, 10, NULL));
    assert_true(pager_set(&pager, "one\ntwo\nthree\nfour\nfive Two", NULL));
    assert_int_equal(pager_lines(&pager), 5);
    pager_draw(&pager, &grid, (Rect){0, 0, 2, 10});
    assert_drawn(&grid, "one\ntwo\n\n");
    assert_true(pager_find(&pager, "THREE"));
    assert_int_equal(pager.top, 2);
    assert_true(pager_find(&pager, "two"));
    assert_int_equal(pager.top, 3); /* the last line, as far as scrolling goes */
    assert_true(pager_find_again(&pager, 1));
    assert_int_equal(pager.top, 3);
    assert_true(pager_act(&pager, ACTION_FIRST));
    assert_true(pager_find_again(&pager, 1));
    assert_int_equal(pager.top, 1);
    assert_false(pager_find(&pager, "six"));
    assert_true(pager_set(&pager, "", NULL));
    assert_int_equal(pager_lines(&pager), 0);
    assert_true(pager_find(&pager, "x")); /* nothing to look through is no failure */
    pager_free(&pager);
    grid_free(&grid);
}

/* ---- lines of input ---- */

static void type(Prompt *prompt, const char *keys)
{
    Event event;
    while (input_next(&keys, &event)) {
        prompt_type(prompt, event.key);
    }
}

static void a_line_is_edited_by_characters(void **state)
{
    (void)state;
    Prompt prompt;
    prompt_start(&prompt, ":", "mode ", false);
    type(&prompt, "bothé");
    assert_string_equal(prompt.text, "mode bothé");
    assert_true(prompt_act(&prompt, NULL, ACTION_ERASE_BACK));
    assert_string_equal(prompt.text, "mode both");
    assert_true(prompt_act(&prompt, NULL, ACTION_ERASE_WORD));
    assert_string_equal(prompt.text, "mode ");
    assert_true(prompt_act(&prompt, NULL, ACTION_FIRST));
    type(&prompt, "中");
    assert_string_equal(prompt.text, "中mode ");
    assert_true(prompt_act(&prompt, NULL, ACTION_LEFT));
    assert_true(prompt_act(&prompt, NULL, ACTION_ERASE));
    assert_string_equal(prompt.text, "mode ");
    assert_false(prompt_act(&prompt, NULL, ACTION_ERASE_BACK));
    assert_true(prompt_act(&prompt, NULL, ACTION_ERASE_END));
    assert_string_equal(prompt.text, "");
    for (int i = 0; i < PROMPT_BYTES * 2; i++) {
        prompt_type(&prompt, 'x');
    }
    assert_int_equal(prompt.length, PROMPT_BYTES - 1);
    assert_false(prompt_type(&prompt, KEY_ARROW_UP));
    prompt_end(&prompt);
}

static void a_long_line_shows_its_cursor(void **state)
{
    (void)state;
    Prompt prompt;
    Grid grid = {.utf8 = true};
    assert_true(grid_resize(&grid, 2, 20, NULL));
    prompt_start(&prompt, ":", "", false);
    type(&prompt, "0123456789012345678901234567");
    prompt_draw(&prompt, &grid, 1);
    assert_drawn(&grid, "\n:012345678901234567\n");
    assert_true(grid.cursor_row == 1 && grid.cursor_column == 19);
    prompt_act(&prompt, NULL, ACTION_FIRST);
    prompt_draw(&prompt, &grid, 1);
    assert_int_equal(grid.cursor_column, 1);
    grid_free(&grid);
    prompt_end(&prompt);
}

static void history_goes_back_and_returns_to_the_draft(void **state)
{
    (void)state;
    Session *session = session_new(1, NULL);
    Prompt prompt;
    assert_non_null(session);
    assert_true(session_history_add(session, "first", NULL) && session_history_add(session, "second", NULL));
    prompt_start(&prompt, ":", "dra", true);
    type(&prompt, "ft");
    assert_true(prompt_act(&prompt, session, ACTION_UP));
    assert_string_equal(prompt.text, "second");
    assert_true(prompt_act(&prompt, session, ACTION_UP));
    assert_false(prompt_act(&prompt, session, ACTION_UP));
    assert_string_equal(prompt.text, "first");
    assert_true(prompt_act(&prompt, session, ACTION_DOWN));
    assert_true(prompt_act(&prompt, session, ACTION_DOWN));
    assert_string_equal(prompt.text, "draft");
    assert_false(prompt_act(&prompt, session, ACTION_DOWN));
    prompt_end(&prompt);
    session_free(session);
}

static void tab_completes_and_goes_round(void **state)
{
    (void)state;
    Session *session = session_new(1, NULL);
    Prompt prompt;
    prompt_start(&prompt, ":", "", true);
    type(&prompt, "hist");
    assert_true(prompt_act(&prompt, session, ACTION_COMPLETE));
    assert_string_equal(prompt.text, "history "); /* the only one */
    prompt_act(&prompt, session, ACTION_ERASE_START);
    type(&prompt, "ti");
    assert_true(prompt_act(&prompt, session, ACTION_COMPLETE)); /* tile, tiles, timeline */
    assert_true(prompt.completing);
    assert_string_equal(prompt.text, "ti");
    assert_true(prompt_act(&prompt, session, ACTION_COMPLETE));
    assert_string_equal(prompt.text, "tile");
    assert_true(prompt_act(&prompt, session, ACTION_COMPLETE_BACK));
    assert_string_equal(prompt.text, "timeline");
    assert_true(prompt_act(&prompt, session, ACTION_COMPLETE));
    assert_string_equal(prompt.text, "tile");
    type(&prompt, " ");
    assert_false(prompt.completing);
    prompt_act(&prompt, session, ACTION_ERASE_START);
    type(&prompt, "nosuchcommand");
    assert_false(prompt_act(&prompt, session, ACTION_COMPLETE));
    prompt_end(&prompt);
    session_free(session);
}

/* ---- the map ---- */

static void the_map_is_the_fabric(void **state)
{
    (void)state;
    Map map = {0};
    map_layout(&map, (Rect){2, 3, MAP_ROWS, MAP_COLUMNS}, false, false, 0);
    assert_false(map.pairs);
    for (uint16_t tile = 0; tile < FABRIC_TILES; tile++) {
        int physical = fabric_physical(tile);
        assert_int_equal(map_tile_at(&map, 2 + physical / 64, 3 + physical % 64, FABRIC_TILES), tile);
    }
    assert_int_equal(map_tile_at(&map, 1, 3, FABRIC_TILES), -1);
    assert_int_equal(map_tile_at(&map, 2, 3 + 64, FABRIC_TILES), -1);
    /* two rows a cell where it is low: the upper one is hit */
    map_layout(&map, (Rect){0, 0, 12, MAP_COLUMNS}, false, false, 0);
    assert_true(map.pairs && !map.halves && map.cells.height == 12);
    assert_int_equal(map_tile_at(&map, 5, 7, FABRIC_TILES), fabric_logical(10 * 64 + 7));
    /* alone in a low window: one cell a tile, the selected one in view */
    map_layout(&map, (Rect){0, 0, 21, MAP_COLUMNS}, true, true, fabric_logical(22 * 64));
    assert_true(!map.pairs && map.first_row == 2);
}

static void every_tile_can_be_reached(void **state)
{
    (void)state;
    static const uint16_t counts[] = {1, 2, 3, 24, 47, 1471, FABRIC_TILES};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint16_t count = counts[i];
        static uint8_t reached[FABRIC_TILES];
        static uint16_t queue[FABRIC_TILES];
        size_t head = 0, tail = 0;
        memset(reached, 0, sizeof reached);
        reached[0] = 1;
        queue[tail++] = 0;
        while (head < tail) {
            static const int moves[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
            uint16_t tile = queue[head++];
            for (int move = 0; move < 4; move++) {
                int32_t next = map_neighbour(tile, moves[move][0], moves[move][1], count);
                assert_true(next >= 0 && next < count);
                if (!reached[next]) {
                    reached[next] = 1;
                    queue[tail++] = (uint16_t)next;
                }
            }
        }
        assert_int_equal(tail, count);
    }
}

static void shades_keep_the_order(void **state)
{
    (void)state;
    assert_int_equal(map_shade(0, 100), 0);
    assert_int_equal(map_shade(1, 1000000), 1); /* something is never nothing */
    assert_int_equal(map_shade(100, 100), SHADE_MOST);
    assert_int_equal(map_shade(5, 0), 0);
    for (uint64_t value = 1; value <= 1000; value++) {
        assert_true(map_shade(value, 1000) >= map_shade(value - 1, 1000));
    }
}

/* ---- the table of keys ---- */

static void no_key_means_two_things(void **state)
{
    (void)state;
    size_t count;
    const KeyBinding *bindings = keymap_bindings(&count);
    for (size_t i = 0; i < count; i++) {
        assert_true((bindings[i].bar & ~bindings[i].contexts) == 0);
        assert_true((bindings[i].bar != 0) == (bindings[i].label != NULL));
        for (size_t j = 0; j < i; j++) {
            if (bindings[i].key == bindings[j].key && (bindings[i].contexts & bindings[j].contexts) != 0) {
                fail_msg("key %u is bound twice: lines %zu and %zu", (unsigned)bindings[i].key, j, i);
            }
        }
    }
}

static void every_context_has_a_way_out_and_help(void **state)
{
    (void)state;
    for (int context = 0; context < CONTEXT_COUNT; context++) {
        assert_non_null(context_title((Context)context));
        assert_non_null(keymap_find((Context)context, KEY_ESCAPE));
        if (context < CONTEXT_SCREENS && context != CONTEXT_HELP) {
            assert_int_equal(keymap_find((Context)context, '?')->action, ACTION_HELP);
        }
    }
}

static void keys_run_commands_that_exist(void **state)
{
    (void)state;
    Session *session = session_new(1, NULL);
    size_t count;
    const KeyBinding *bindings = keymap_bindings(&count);
    for (size_t i = 0; i < count; i++) {
        assert_true((bindings[i].action == ACTION_COMMAND) == (bindings[i].command != NULL));
        if (bindings[i].command != NULL) {
            char word[40];
            sscanf(bindings[i].command, "%39s", word);
            const Command *command = commands_find(session_commands(session), word, NULL);
            assert_non_null(command);
            assert_string_equal(command->name, word);
        }
    }
    session_free(session);
}

static void a_misspelt_key_is_told(void **state)
{
    (void)state;
    static const char *const good[] = {"",          "jj<Enter>3",   "<<>>", "<",
                                       "<lt>Entr>", "<s-tab><C-x>", "<j>k", "a < b > c",
                                       "<é>",       "<Click:3:4>"};
    static const struct {
        const char *keys, *says;
    } wrong[] = {{"j<Entr>", "'<Entr>': did you mean <Enter>?"},
                 {"<entre>", "<Enter>?"},
                 {"<<pgdnn>", "<PgDn>?"},
                 {"<Clik:3:4>", "<Click:ROW:COLUMN>?"},
                 {"<Click:3>", "<Click:ROW:COLUMN>?"},
                 {"<bogus>", "help keys"},
                 {"j<Enter", "lacks its >"}};
    Error error;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!input_check(good[i], &error)) {
            fail_msg("%s: %s", good[i], error.message);
        }
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(input_check(wrong[i].keys, &error));
        assert_int_equal(error.kind, ERROR_USAGE);
        assert_non_null(strstr(error.message, wrong[i].says));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_written_for_people),
        cmocka_unit_test(a_list_asks_only_for_what_shows),
        cmocka_unit_test(a_list_scrolls_sideways_and_marks_it),
        cmocka_unit_test(a_wheel_takes_the_cursor_along),
        cmocka_unit_test(a_pager_shifts_as_far_as_lines_reach),
        cmocka_unit_test(a_pager_finds_lines),
        cmocka_unit_test(a_line_is_edited_by_characters),
        cmocka_unit_test(a_long_line_shows_its_cursor),
        cmocka_unit_test(history_goes_back_and_returns_to_the_draft),
        cmocka_unit_test(tab_completes_and_goes_round),
        cmocka_unit_test(the_map_is_the_fabric),
        cmocka_unit_test(every_tile_can_be_reached),
        cmocka_unit_test(shades_keep_the_order),
        cmocka_unit_test(a_misspelt_key_is_told),
        cmocka_unit_test(no_key_means_two_things),
        cmocka_unit_test(every_context_has_a_way_out_and_help),
        cmocka_unit_test(keys_run_commands_that_exist),
    };
    return cmocka_run_group_tests_name("tui/widgets", tests, NULL, NULL);
}
