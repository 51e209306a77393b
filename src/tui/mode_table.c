#include "config.h"

#include "tui/mode_table.h"

#include <stdio.h>

#include "explore/trust.h"

static void put_verdict(const ModeRow *row, ListCell *cell)
{
    const Equivalence *equivalence = row->equivalence;
    cell->style = LOOK_DIM;
    if (mode_row_invalid(row)) {
        snprintf(cell->text, sizeof cell->text, "INVALID");
        cell->style = LOOK_INVALID;
    } else if (row->replay != NULL && !row->replay->invariants_pass) {
        snprintf(cell->text, sizeof cell->text, "FAIL");
        cell->style = LOOK_INVALID;
    } else if (equivalence != NULL && equivalence->verdict == VERDICT_EQUIVALENT) {
        snprintf(cell->text, sizeof cell->text, "valid");
        cell->style = LOOK_NORMAL;
    } else if (row->proof_failed || equivalence != NULL) {
        snprintf(cell->text, sizeof cell->text, "unknown");
    } else if (row->proof_percent >= 0) {
        snprintf(cell->text, sizeof cell->text, "proof %d%%", row->proof_percent);
    } else {
        snprintf(cell->text, sizeof cell->text, "…");
    }
}

static void put_figure(const ModeTable *table, const ModeRow *row, FigureId figure, ListCell *cell)
{
    uint64_t best;
    cell->style = LOOK_DIM;
    switch (row->state[figure]) {
    case FIGURE_COMPUTING:
        if (row->replaying && (figure == FIGURE_ROW || figure == FIGURE_CYCLES) && row->replay_percent >= 0) {
            snprintf(cell->text, sizeof cell->text, "%d%% ", row->replay_percent);
        } else {
            snprintf(cell->text, sizeof cell->text, "… ");
        }
        break;
    case FIGURE_NONE:
        snprintf(cell->text, sizeof cell->text, "- ");
        break;
    case FIGURE_REFUSED:
        snprintf(cell->text, sizeof cell->text, "none ");
        break;
    case FIGURE_FAILED:
        snprintf(cell->text, sizeof cell->text, "FAIL ");
        cell->style = LOOK_INVALID;
        break;
    case FIGURE_KNOWN: {
        bool is_best = mode_rows_best(table->rows, figure, &best) && row->value[figure] == best &&
                       trust_of(row->equivalence) == TRUST_VALID;
        snprintf(cell->text, sizeof cell->text, "%s%s", figure_count(row->value[figure]).text,
                 is_best           ? "*"
                 : row->distrusted ? "!"
                                   : " ");
        cell->style = is_best ? LOOK_BEST : row->distrusted ? LOOK_WARNING : LOOK_NORMAL;
    }
    }
}

/* The change of a figure against original, marked like the figure itself; "" where it cannot be told. */
static Figure change_text(const ModeTable *table, const ModeRow *row, FigureId figure, bool percent)
{
    Figure change = {""};
    const ModeRow *original = &table->rows[MODE_ORIGINAL];
    if (row != original && row->state[figure] == FIGURE_KNOWN && original->state[figure] == FIGURE_KNOWN) {
        uint64_t before = original->value[figure], now = row->value[figure];
        change = percent ? figure_percent(before, now) : figure_delta(before, now);
        if (row->distrusted && now != before && change.text[0] != '\0') {
            figure_distrust(&change);
        }
    }
    return change;
}

static void put_change(const ModeTable *table, const ModeRow *row, FigureId figure, bool percent,
                       ListCell *cell)
{
    uint64_t before = table->rows[MODE_ORIGINAL].value[figure], now = row->value[figure];
    snprintf(cell->text, sizeof cell->text, "%s", change_text(table, row, figure, percent).text);
    cell->style = row->distrusted ? LOOK_WARNING
                  : now == before ? LOOK_DIM
                  : now < before  ? LOOK_BETTER
                                  : LOOK_WORSE;
}

static void put_mode_cell(void *context, uint64_t index, int column, ListCell *cell)
{
    const ModeTable *table = context;
    const ModeRow *row = &table->rows[index];
    const ModeColumn *kind = &table->kinds[column];
    if (kind->kind == SHOW_NAME) {
        snprintf(cell->text, sizeof cell->text, "%d %s", (int)index + 1, mode_name((Mode)index));
        cell->style = mode_row_refused(row) ? LOOK_DIM : LOOK_NORMAL;
    } else if (mode_row_refused(row)) {
        snprintf(cell->text, sizeof cell->text, "%.300s", row->refusal);
        cell->style = LOOK_DIM;
        cell->spans = true;
    } else if (kind->kind == SHOW_VERDICT) {
        put_verdict(row, cell);
    } else if (kind->kind == SHOW_VALUE) {
        put_figure(table, row, kind->figure, cell);
    } else {
        put_change(table, row, kind->figure, kind->kind == SHOW_PERCENT, cell);
    }
}

static void add_column(ModeTable *table, ModeColumnKind kind, FigureId figure, const char *title, int width)
{
    int at = table->column_count++;
    table->kinds[at] = (ModeColumn){.kind = kind, .figure = figure};
    table->columns[at] =
        (ListColumn){.title = title, .width = width, .right = kind != SHOW_NAME && kind != SHOW_VERDICT};
}

static void add_figure(ModeTable *table, FigureId figure, bool delta, bool percent)
{
    int width = grid_text_width(figure_kinds[figure].title) + 1, delta_width = 2, percent_width = 5;
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        const ModeRow *row = &table->rows[mode];
        if (row->state[figure] == FIGURE_KNOWN) {
            int wanted = figure_width(row->value[figure]) + 1;
            int change = figure_width(table->rows[MODE_ORIGINAL].value[figure]) + 1;
            width = wanted > width ? wanted : width;
            delta_width = wanted > delta_width ? wanted : delta_width;
            delta_width = change > delta_width ? change : delta_width;
            change = grid_text_width(change_text(table, row, figure, false).text);
            delta_width = change > delta_width ? change : delta_width;
            change = grid_text_width(change_text(table, row, figure, true).text);
            percent_width = change > percent_width ? change : percent_width;
        }
    }
    add_column(table, SHOW_VALUE, figure, figure_kinds[figure].title, width);
    if (delta && figure_kinds[figure].compared) {
        add_column(table, SHOW_DELTA, figure, "Δ", delta_width);
    }
    if (percent && figure_kinds[figure].compared) {
        add_column(table, SHOW_PERCENT, figure, "Δ%", percent_width);
    }
}

static void choose_columns(ModeTable *table, Deltas deltas)
{
    table->column_count = 0;
    add_column(table, SHOW_NAME, 0, "  mode", 18);
    add_column(table, SHOW_VERDICT, 0, "verdict", 9);
    for (int figure = 0; figure < FIGURE_COUNT; figure++) {
        bool delta = deltas == DELTAS_ALL || (deltas == DELTAS_USUAL && figure == FIGURE_MAXIMUM);
        add_figure(table, (FigureId)figure, delta, deltas != DELTAS_NONE);
    }
}

void mode_table_draw(ModeTable *table, Grid *grid, Rect area, Mode selected, Deltas deltas, bool focused)
{
    choose_columns(table, deltas);
    ListModel model = {
        .columns = table->columns,
        .column_count = table->column_count,
        .frozen = 2,
        .rows = MODE_COUNT,
        .cell = put_mode_cell,
        .context = table,
    };
    table->list.cursor = (uint64_t)selected;
    list_draw(&table->list, &model, grid, area, focused);
}
