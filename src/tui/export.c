/* The export dialog: which phases, which modes, where. It ends in an `export` command. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tui/app.h"

enum { DIALOG_COLUMNS = 76, LABEL_COLUMNS = 9 };

/* The phases to export: the marked ones, or the selected one. */
static size_t export_count(const Tui *tui)
{
    return tui->export_dialog.marked ? tui->marks.count : 1;
}

static const PhaseEntry *export_entry(Tui *tui, size_t index)
{
    return tui->export_dialog.marked ? view_phase(tui->view, tui->marks.items[index])
                                     : tui_selection(tui).entry;
}

typedef enum Availability { AVAILABLE, REFUSED_HERE, REFUSED_EVERYWHERE, NOT_KNOWN } Availability;

/* What there is to know about exporting one available mode of one phase. */
static const char *verdict_text(Tui *tui, const PhaseEntry *entry, Mode mode)
{
    const ModeSummary *summary = tui_figures(tui, entry, mode, USUAL);
    const Equivalence *equivalence = tui_equivalence(tui, entry, mode, LATER);
    if (summary != NULL && !summary->figures.replay_address_ranges_valid) {
        return "left out: its staging does not fit the address ranges";
    }
    if (equivalence == NULL || equivalence->verdict == VERDICT_UNKNOWN) {
        return "not proved yet; the export proves it";
    }
    return equivalence->valid ? "valid" : "INVALID: a control, and marked as one";
}

/* Can the mode be exported for these phases? `reason` says why not. */
static Availability availability(Tui *tui, Mode mode, char *reason, size_t size)
{
    size_t refused = 0, unknown = 0, count = export_count(tui);
    const char *why = NULL;
    for (size_t i = 0; i < count; i++) {
        const PhaseEntry *entry = export_entry(tui, i);
        const Dependencies *dependencies =
            entry == NULL ? NULL : tui_dependencies(tui, entry, MODE_ORIGINAL, SOON);
        const char *refusal = dependencies == NULL ? NULL : mode_refusal(mode, dependencies);
        unknown += mode != MODE_ORIGINAL && dependencies == NULL;
        refused += refusal != NULL;
        why = refusal != NULL ? refusal : why;
    }
    if (refused > 0 && count > 1) {
        snprintf(reason, size, "refused for %zu of %zu: %s", refused, count, why);
    } else if (refused > 0) {
        snprintf(reason, size, "refused: %s", why);
    } else if (unknown > 0) {
        snprintf(reason, size, "looking at dependencies…");
    } else if (count == 1) {
        snprintf(reason, size, "%s", verdict_text(tui, export_entry(tui, 0), mode));
    } else {
        snprintf(reason, size, "available for all %zu phases", count);
    }
    return refused == 0       ? (unknown > 0 ? NOT_KNOWN : AVAILABLE)
           : refused == count ? REFUSED_EVERYWHERE
                              : REFUSED_HERE;
}

void export_open(Tui *tui)
{
    Selection selection = tui_selection(tui);
    if (selection.entry == NULL) {
        tui_say(tui, "there is no phase to export");
        return;
    }
    if (view_loading(tui->view)) {
        tui_say(tui, "the capture is still loading: fixtures can be exported when it is complete");
        return;
    }
    ExportDialog *dialog = &tui->export_dialog;
    char folder[PROMPT_BYTES];
    snprintf(folder, sizeof folder, "%s", dialog->folder.text[0] == '\0' ? "fixtures" : dialog->folder.text);
    overlay_close(tui);
    dialog->marked = tui->marks.count > 0;
    memset(dialog->modes, 0, sizeof dialog->modes);
    dialog->modes[selection.mode] = true;
    dialog->mode = (int)selection.mode;
    dialog->field = EXPORT_MODES;
    prompt_start(&dialog->folder, "", folder, false);
    tui->overlay = OVERLAY_EXPORT;
    tui->dirty = true;
}

/* ---- drawing ---- */

static void draw_phases(Tui *tui, int row, int column, int width)
{
    ExportDialog *dialog = &tui->export_dialog;
    char text[400];
    Selection selection = tui_selection(tui);
    if (dialog->marked) {
        size_t length = (size_t)snprintf(text, sizeof text, "%zu marked:", tui->marks.count);
        for (size_t i = 0; i < tui->marks.count && length + 12 < sizeof text; i++) {
            length +=
                (size_t)snprintf(text + length, sizeof text - length, " %u", (unsigned)tui->marks.items[i]);
        }
    } else {
        char label[200];
        tui_label(tui, selection.entry, label, sizeof label);
        snprintf(text, sizeof text, "%u %s", (unsigned)selection.entry->phase->number, label);
    }
    int hint = tui->marks.count > 0 ? 18 : 0;
    grid_text(&tui->grid, row, column, width - hint, LOOK_NORMAL, text);
    if (hint > 0) {
        grid_text_right(&tui->grid, row, column, width, LOOK_DIM, "Space: the others");
    }
}

/* The number of modes that are chosen and not refused everywhere. */
static size_t draw_modes(Tui *tui, int row, int column, int width)
{
    ExportDialog *dialog = &tui->export_dialog;
    size_t count = 0;
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        char reason[300];
        Availability state = availability(tui, (Mode)mode, reason, sizeof reason);
        Style style = state == REFUSED_EVERYWHERE ? LOOK_DIM : LOOK_NORMAL;
        bool chosen = dialog->modes[mode] && state != REFUSED_EVERYWHERE;
        count += chosen;
        grid_print(&tui->grid, row + mode, column, 22, style, "[%c] %s",
                   state == REFUSED_EVERYWHERE ? '-'
                   : chosen                    ? 'x'
                                               : ' ',
                   mode_name((Mode)mode));
        grid_text(&tui->grid, row + mode, column + 22, width - 22, LOOK_DIM, reason);
        if (dialog->field == EXPORT_MODES && mode == dialog->mode) {
            grid_restyle(&tui->grid, (Rect){row + mode, column, 1, width}, LOOK_CURSOR);
        }
    }
    return count;
}

static void draw_label(Tui *tui, int row, int column, ExportField field, const char *text)
{
    bool here = tui->export_dialog.field == field;
    grid_text(&tui->grid, row, column, LABEL_COLUMNS, here ? LOOK_CURSOR : LOOK_HEADING, text);
}

void export_draw(Tui *tui)
{
    Grid *grid = &tui->grid;
    ExportDialog *dialog = &tui->export_dialog;
    Rect box = {2, (grid->columns - DIALOG_COLUMNS) / 2, MODE_COUNT + 7, DIALOG_COLUMNS};
    int column = box.column + 2, row = box.row + 1;
    int field = column + LABEL_COLUMNS + 1, width = box.width - LABEL_COLUMNS - 5;
    grid_fill(grid, box, LOOK_NORMAL);
    grid_box(grid, box, LOOK_BORDER, "Export fixtures");
    draw_label(tui, row, column, EXPORT_PHASES, "phases");
    draw_phases(tui, row, field, width);
    draw_label(tui, row + 1, column, EXPORT_FOLDER, "folder");
    grid_text(grid, row + 1, field, width, LOOK_NORMAL, dialog->folder.text);
    if (dialog->field == EXPORT_FOLDER) {
        char before[PROMPT_BYTES];
        snprintf(before, sizeof before, "%.*s", (int)dialog->folder.cursor, dialog->folder.text);
        int at = grid_text_width(before);
        grid->cursor_row = row + 1;
        grid->cursor_column = field + (at < width ? at : width - 1);
    }
    draw_label(tui, row + 2, column, EXPORT_MODES, "modes");
    size_t files = export_count(tui) * draw_modes(tui, row + 2, field, width);
    grid_text(grid, box.row + box.height - 3, column, box.width - 4, LOOK_DIM,
              "Each file is a capture of one phase; a verdict goes beside it.");
    grid_print(grid, box.row + box.height - 2, column, box.width - 4, LOOK_STRONG,
               "Enter writes up to %zu file%s.", files, files == 1 ? "" : "s");
}

/* ---- the command ---- */

static void append_quoted(Text *line, const char *word)
{
    text_append_char(line, '\'');
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            text_append(line, "'\\''");
        } else {
            text_append_char(line, *word);
        }
    }
    text_append_char(line, '\'');
}

static void export_run(Tui *tui)
{
    ExportDialog *dialog = &tui->export_dialog;
    Text line = {0};
    size_t modes = 0;
    text_append(&line, "export ");
    append_quoted(&line, dialog->folder.text);
    for (size_t i = 0; i < export_count(tui); i++) {
        const PhaseEntry *entry = export_entry(tui, i);
        if (entry != NULL) {
            text_printf(&line, " --phase %u", (unsigned)entry->phase->number);
        }
    }
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        char reason[300];
        if (dialog->modes[mode] &&
            availability(tui, (Mode)mode, reason, sizeof reason) != REFUSED_EVERYWHERE) {
            text_printf(&line, " --mode %s", mode_name((Mode)mode));
            modes++;
        }
    }
    if (dialog->folder.length == 0) {
        tui_say(tui, "name a folder for the files");
        dialog->field = EXPORT_FOLDER;
    } else if (modes == 0) {
        tui_say(tui, "choose at least one mode with Space");
        dialog->field = EXPORT_MODES;
    } else if (!text_ok(&line, NULL) || line.length >= sizeof dialog->line) {
        tui_say(tui, "that is more than one command line holds: mark fewer phases");
    } else {
        snprintf(dialog->line, sizeof dialog->line, "%s", text_view(&line));
        overlay_close(tui);
        tui_run_line(tui, dialog->line, false);
    }
    text_free(&line);
}

static void overwrite_answered(Tui *tui, bool yes)
{
    char line[sizeof tui->export_dialog.line + 10];
    if (yes) {
        snprintf(line, sizeof line, "%s --force", tui->export_dialog.line);
        tui_run_line(tui, line, false);
    } else {
        tui_say(tui, "nothing was replaced");
    }
}

void export_ended(Tui *tui, const char *line, const Error *failure)
{
    if (failure != NULL && failure->kind == ERROR_REFUSED && strcmp(line, tui->export_dialog.line) == 0 &&
        tui->overlay == OVERLAY_NONE && strstr(failure->message, "exists") != NULL) {
        const char *advice = strstr(failure->message, " (--force"); /* the question says it */
        int length = advice == NULL ? (int)strlen(failure->message) : (int)(advice - failure->message);
        overlay_ask(tui, overwrite_answered, "%.*s: replace?", length, failure->message);
    }
}

/* ---- keys ---- */

static void step_field(ExportDialog *dialog, int step)
{
    dialog->field = (ExportField)(((int)dialog->field + step + EXPORT_MODES + 1) % (EXPORT_MODES + 1));
}

static void move(ExportDialog *dialog, int step)
{
    if (dialog->field == EXPORT_MODES && dialog->mode + step >= 0 && dialog->mode + step < MODE_COUNT) {
        dialog->mode += step;
    } else {
        step_field(dialog, step);
        dialog->mode = dialog->field == EXPORT_MODES ? (step > 0 ? 0 : MODE_COUNT - 1) : dialog->mode;
    }
}

static void toggle(Tui *tui)
{
    ExportDialog *dialog = &tui->export_dialog;
    char reason[300];
    if (dialog->field == EXPORT_PHASES && tui->marks.count > 0) {
        dialog->marked = !dialog->marked;
    } else if (dialog->field == EXPORT_PHASES) {
        tui_say(tui, "no phase is marked: Space marks them in the list of phases");
    } else if (dialog->field == EXPORT_MODES) {
        if (availability(tui, (Mode)dialog->mode, reason, sizeof reason) == REFUSED_EVERYWHERE) {
            tui_say(tui, "%s is %s", mode_name((Mode)dialog->mode), reason);
        } else {
            dialog->modes[dialog->mode] = !dialog->modes[dialog->mode];
        }
    } else {
        prompt_type(&dialog->folder, ' ');
    }
}

void export_type(Tui *tui, Key key)
{
    ExportDialog *dialog = &tui->export_dialog;
    if (dialog->field == EXPORT_FOLDER) {
        prompt_type(&dialog->folder, key);
    } else {
        char name[20];
        input_key_name(key, name, sizeof name);
        tui_say(tui, "%s does nothing here: Space chooses, Tab goes to the next field, Enter exports", name);
    }
}

void export_act(Tui *tui, Action action)
{
    ExportDialog *dialog = &tui->export_dialog;
    switch (action) {
    case ACTION_ACCEPT:
        export_run(tui);
        break;
    case ACTION_ABANDON:
        overlay_close(tui);
        break;
    case ACTION_PANE_NEXT:
    case ACTION_PANE_PREVIOUS:
        step_field(dialog, action == ACTION_PANE_NEXT ? 1 : -1);
        break;
    case ACTION_UP:
    case ACTION_DOWN:
        move(dialog, action == ACTION_UP ? -1 : 1);
        break;
    case ACTION_MARK:
        toggle(tui);
        break;
    default:
        if (dialog->field == EXPORT_FOLDER) {
            prompt_act(&dialog->folder, tui->session, action);
        }
    }
}
