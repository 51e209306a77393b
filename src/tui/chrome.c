/* The picture around a screen: title, status line, key bar. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tui/app.h"

enum { LINE_BYTES = 1024, PROGRESS_COLUMNS = 10, KEY_GAP = 2 };

/* ---- title ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL || slash[1] == '\0' ? path : slash + 1;
}

static size_t add(char *line, size_t length, const char *format, ...) __attribute__((format(printf, 3, 4)));

static size_t add(char *line, size_t length, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int added = vsnprintf(line + length, LINE_BYTES - length, format, arguments);
    va_end(arguments);
    return added < 0 ? length : length + (size_t)added < LINE_BYTES ? length + (size_t)added : LINE_BYTES - 1;
}

/* The phase and what of it is shown, without its label. */
static size_t add_phase(Tui *tui, char *line, size_t length)
{
    Selection selection = tui_selection(tui);
    Context screen = tui_screen(tui);
    if (selection.entry == NULL) {
        return length;
    }
    length = add(line, length, " › phase %u", (unsigned)selection.entry->phase->number);
    if (screen != CONTEXT_TAIL) {
        length = add(line, length, " › %s", mode_name(selection.mode));
    }
    if (screen == CONTEXT_TILE && selection.tile >= 0) {
        length = add(line, length, " › tile %d", (int)selection.tile);
    }
    return length;
}

static uint64_t count_transfers(const Tui *tui)
{
    uint64_t transfers = 0;
    for (size_t i = 0; i < view_phase_count(tui->view); i++) {
        transfers += view_phase_at(tui->view, i)->geometry.transfers;
    }
    return transfers;
}

/* What of the capture the screen shows, after its name. */
static void add_place(Tui *tui, char *line)
{
    Context screen = tui_screen(tui);
    line[0] = '\0';
    if (screen == CONTEXT_PHASE || screen == CONTEXT_TILE || screen == CONTEXT_TAIL) {
        add_phase(tui, line, 0);
    } else if (screen == CONTEXT_PHASES) {
        size_t phases = view_phase_count(tui->view);
        add(line, 0, " › %s phase%s, %s transfers, %u tiles", figure_count(phases).text,
            phases == 1 ? "" : "s", figure_count(count_transfers(tui)).text,
            (unsigned)view_tile_count(tui->view));
    }
}

/* The endings that say nothing which the name does not. */
static void cut_endings(char *name)
{
    static const char *const endings[] = {".gz", ".zst", ".json"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(name), cut = strlen(endings[i]);
        if (length > cut && strcmp(name + length - cut, endings[i]) == 0) {
            name[length - cut] = '\0';
        }
    }
}

/* Cuts a name to `columns`, with an ellipsis at its end. */
static void cut_name(char *name, int columns)
{
    size_t end = strlen(name);
    if (grid_text_width(name) <= columns) {
        return;
    }
    while (end > 0 && grid_text_width(name) > columns - 1) {
        do {
            end--;
        } while (end > 0 && ((unsigned char)name[end] & 0xc0) == 0x80);
        name[end] = '\0';
    }
    memcpy(name + end, "…", sizeof "…"); /* a character gave way to it, and the buffer has room */
}

/* "exscope › capture › place  label" in `columns`. Where that is too long, first the program's name goes,
 * then the endings of the file's; for the place, and not for the label, the file's name is cut. */
static void make_title(Tui *tui, char *line, int columns)
{
    enum { NAME_COLUMNS_MIN = 8, LABEL_COLUMNS_MIN = 12 };
    char name[304], place[LINE_BYTES], label[200] = "";
    Context screen = tui_screen(tui);
    const char *base = base_name(view_path(tui->view)),
               *loading = view_loading(tui->view) ? " (loading)" : "";
    text_copy_visible(name, sizeof name - sizeof "…", base, strlen(base));
    add_place(tui, place);
    if (screen != CONTEXT_PHASES && place[0] != '\0' && tui_selection(tui).entry != NULL) {
        tui_label(tui, tui_selection(tui).entry, label, sizeof label);
    }
    int label_columns = label[0] == '\0' ? 0 : grid_text_width(label) + 2;
    int needed = grid_text_width(place) + grid_text_width(loading) + 1;
    const char *program = " exscope ›";
    if (grid_text_width(program) + needed + grid_text_width(name) + label_columns > columns) {
        program = "";
        if (needed + grid_text_width(name) + label_columns > columns) {
            cut_endings(name);
        }
        int left = columns - needed;
        cut_name(name, left > NAME_COLUMNS_MIN ? left : NAME_COLUMNS_MIN);
        left -= grid_text_width(name);
        label[0] = left < label_columns && left < LABEL_COLUMNS_MIN ? '\0' : label[0];
    }
    add(line, 0, "%s %s%s%s%s%s", program, name, loading, place, label[0] == '\0' ? "" : "  ", label);
}

static void draw_title(Tui *tui)
{
    Grid *grid = &tui->grid;
    char line[LINE_BYTES] = " exscope";
    const char *right = context_title(tui_screen(tui));
    int right_width = grid_text_width(right) + 1, columns = grid->columns - right_width - 1;
    grid_fill(grid, (Rect){0, 0, 1, grid->columns}, LOOK_TITLE);
    grid_text_right(grid, 0, grid->columns - right_width, right_width - 1, LOOK_TITLE, right);
    if (tui->view != NULL) {
        make_title(tui, line, columns);
    }
    grid_text(grid, 0, 0, columns, LOOK_TITLE, line);
}

/* ---- status line ---- */

/* What runs now: a capture that is being opened, else the oldest running job. NULL: nothing. */
static const JobInfo *foremost_job(const Tui *tui)
{
    const JobInfo *foremost = NULL;
    for (size_t i = tui->job_count; i-- > 0;) {
        const JobInfo *job = &tui->jobs[i];
        if (job->state == JOB_RUNNING && (foremost == NULL || (job->opens && !foremost->opens))) {
            foremost = job;
        }
    }
    return foremost;
}

/* The foremost job, else what the screen waits for. False: nothing. */
static bool activity(Tui *tui, char *text, size_t size, uint64_t *done, uint64_t *total)
{
    const JobInfo *job = foremost_job(tui);
    if (job != NULL) {
        *done = job->done;
        *total = job->total;
        snprintf(text, size, "%s%s", job->title, tui->active_jobs > 1 ? " and others" : "");
        return true;
    }
    return tui_computing(tui, text, size, done, total);
}

/* Draws what runs at the right end of the row, in at most `most` columns; returns how many it took. */
static int draw_activity(Tui *tui, int row, int most)
{
    Grid *grid = &tui->grid;
    char text[160], percent[16] = " …";
    uint64_t done, total;
    if (!activity(tui, text, sizeof text, &done, &total)) {
        return 0;
    }
    int bar = total > 0 ? PROGRESS_COLUMNS : 0;
    if (total > 0) {
        snprintf(percent, sizeof percent, "%4d%%", (int)(done < total ? done * 100 / total : 100));
    }
    int end = bar + grid_text_width(percent) + (bar > 0 ? 2 : 0), width = grid_text_width(text) + end;
    width = width < most ? width : most;
    int column = grid->columns - width;
    grid_text(grid, row, column, width - end, LOOK_DIM, text);
    grid_text_right(grid, row, column, width, LOOK_DIM, percent);
    if (bar > 0) {
        Rect track = {row, column + width - end + 2, 1, bar};
        grid_fill(grid, track, LOOK_MARKED);
        grid_bar(grid, row, track.column, bar, LOOK_MARKED, (double)done, (double)total);
    }
    return width + 2;
}

static void draw_status(Tui *tui, int row)
{
    Grid *grid = &tui->grid;
    if (tui->overlay == OVERLAY_PROMPT || tui->overlay == OVERLAY_FILTER) {
        return; /* the line of input is drawn over it */
    }
    if (tui->overlay == OVERLAY_QUESTION) {
        grid_text(grid, row, 0, grid->columns, LOOK_WARNING, tui->question.text);
        return;
    }
    const Message *message = &tui->shown_message;
    int wanted = tui->message_shown ? grid_text_width(message->text) + 2 : 0, half = grid->columns / 2;
    int used = draw_activity(tui, row, grid->columns - (wanted < half ? wanted : half));
    if (tui->message_shown) {
        grid_text(grid, row, 0, grid->columns - used, message->failure ? LOOK_WARNING : LOOK_NORMAL,
                  message->text);
    }
}

/* ---- key bar ---- */

static const char *bar_name(const KeyBinding *binding, char *name, size_t size)
{
    input_key_name(binding->key, name, size);
    return binding->keys != NULL ? binding->keys : name;
}

/* Columns of "KEY what" and the gap after it. */
static int key_columns(const KeyBinding *binding)
{
    char name[20];
    return grid_text_width(bar_name(binding, name, sizeof name)) + 1 + grid_text_width(binding->label) +
           KEY_GAP;
}

/* 0: not in this part of the bar. Without a capture, keys that only screens of data know are left out. */
static int key_columns_in(const Tui *tui, const KeyBinding *binding, Context context, bool close)
{
    const unsigned data =
        1u << CONTEXT_PHASES | 1u << CONTEXT_PHASE | 1u << CONTEXT_TILE | 1u << CONTEXT_TAIL;
    bool closes =
        binding->action == ACTION_HELP || binding->action == ACTION_BACK || binding->action == ACTION_QUIT;
    bool useless = tui->view == NULL && !closes && (binding->contexts & ~data) == 0;
    return (binding->bar & 1u << context) != 0 && closes == close && !useless ? key_columns(binding) : 0;
}

/* Draws those of a context that `close` the bar, or the others, from `column` on while they fit before `end`.
 */
static void draw_bindings(Tui *tui, int row, int column, int end, Context context, bool close)
{
    Grid *grid = &tui->grid;
    size_t count;
    const KeyBinding *bindings = keymap_bindings(&count);
    for (size_t i = 0; i < count; i++) {
        char name[20];
        int width = key_columns_in(tui, &bindings[i], context, close);
        if (width > 0 && column + width - KEY_GAP <= end && tui->bar_count < BAR_KEYS_MAX) {
            int used = grid_text(grid, row, column, end - column, LOOK_KEY,
                                 bar_name(&bindings[i], name, sizeof name));
            grid_text(grid, row, column + used + 1, end - column - used - 1, LOOK_KEY_TEXT,
                      bindings[i].label);
            tui->bar[tui->bar_count++] = (BarKey){column, column + width - KEY_GAP, bindings[i].key};
            column += width;
        }
    }
}

static void draw_keys(Tui *tui, int row)
{
    Grid *grid = &tui->grid;
    Context context = tui_context(tui);
    size_t count;
    const KeyBinding *bindings = keymap_bindings(&count);
    tui->bar_count = 0;
    int closing = 0; /* the way out and the way to help always show, at the right end */
    for (size_t i = 0; i < count; i++) {
        closing += key_columns_in(tui, &bindings[i], context, true);
    }
    int end = grid->columns - (closing > 0 ? closing - KEY_GAP : 0);
    draw_bindings(tui, row, end, grid->columns, context, true);
    draw_bindings(tui, row, 0, end - KEY_GAP, context, false);
}

Key chrome_key_at(const Tui *tui, int row, int column)
{
    for (int i = 0; i < tui->bar_count && row == tui->grid.rows - 1; i++) {
        if (column >= tui->bar[i].start && column < tui->bar[i].end) {
            return tui->bar[i].key;
        }
    }
    return KEY_NONE;
}

/* ---- all of it ---- */

bool chrome_too_small(const Tui *tui)
{
    return tui->grid.rows < SCREEN_ROWS_MIN || tui->grid.columns < SCREEN_COLUMNS_MIN;
}

void chrome_draw(Tui *tui, const ScreenOps *screen)
{
    Grid *grid = &tui->grid;
    grid_clear(grid);
    if (chrome_too_small(tui)) {
        grid_print(grid, 0, 0, grid->columns, LOOK_WARNING, "exscope needs %dx%d, this is %dx%d",
                   SCREEN_COLUMNS_MIN, SCREEN_ROWS_MIN, grid->columns, grid->rows);
        tui->bar_count = 0;
        return;
    }
    void *state = tui_state(tui, tui_screen(tui));
    Rect area = {1, 0, grid->rows - 3, grid->columns};
    draw_title(tui);
    if (screen->layout != NULL) {
        screen->layout(tui, state, area);
    }
    screen->draw(tui, state);
    draw_status(tui, grid->rows - 2);
    draw_keys(tui, grid->rows - 1);
    overlay_draw(tui);
}
