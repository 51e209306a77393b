#include "config.h"

#include "tui/row_table.h"

#include <stdio.h>

#include "row/disassemble.h"

typedef enum RowColumn { ROW_WORD, ROW_START, ROW_END, ROW_OPERATION, ROW_EFFECT, ROW_COLUMNS } RowColumn;

static void put_effect(const RowStep *step, ListCell *cell)
{
    Text text = {0};
    row_effect_text(step, &text);
    snprintf(cell->text, sizeof cell->text, "%s", text_view(&text));
    text_free(&text);
}

static void put_step_cell(void *context, uint64_t index, int column, ListCell *cell)
{
    const TileReplay *replay = context;
    if (index == replay->steps.count) {
        snprintf(cell->text, sizeof cell->text, "cannot be read on: %s", replay->fault);
        cell->style = LOOK_INVALID;
        cell->spans = true;
        return;
    }
    const RowStep *step = &replay->steps.items[index];
    cell->style = step->words > 0                        ? LOOK_SEND
                  : step->sets_mux || step->sets_pointer ? LOOK_RECEIVE
                                                         : LOOK_NORMAL;
    switch ((RowColumn)column) {
    case ROW_WORD:
        snprintf(cell->text, sizeof cell->text, "%s", figure_count(step->word).text);
        break;
    case ROW_START:
    case ROW_END:
        snprintf(cell->text, sizeof cell->text, "%s",
                 figure_count(column == ROW_START ? step->start : step->end).text);
        break;
    case ROW_OPERATION:
        snprintf(cell->text, sizeof cell->text, "%s", operation_name(step->instruction.operation));
        break;
    case ROW_EFFECT:
        put_effect(step, cell);
        break;
    case ROW_COLUMNS:
        break;
    }
}

void row_table_draw(List *shown, Grid *grid, Rect area, const TileReplay *replay, bool focused)
{
    int cycles = figure_width(replay->phase_cycles);
    const ListColumn columns[ROW_COLUMNS] = {
        [ROW_WORD] = {"word", figure_width(replay->row_words), true, false, false},
        [ROW_START] = {"start", cycles, true, false, false},
        [ROW_END] = {"end", cycles, true, false, false},
        [ROW_OPERATION] = {"instruction", 11, false, false, false},
        [ROW_EFFECT] = {"what it does", 20, false, true, false},
    };
    ListModel model = {.columns = columns,
                       .column_count = ROW_COLUMNS,
                       .frozen = 1,
                       .rows = replay->steps.count + (replay->fault != NULL),
                       .cell = put_step_cell,
                       .context = (void *)(uintptr_t)replay};
    list_draw(shown, &model, grid, area, focused);
}
