/* What lies over a screen: the line of input, a choice, a question. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tui/app.h"

void overlay_close(Tui *tui)
{
    if (tui->overlay == OVERLAY_PROMPT || tui->overlay == OVERLAY_FILTER) {
        prompt_end(&tui->prompt);
    } else if (tui->overlay == OVERLAY_EXPORT) {
        prompt_end(&tui->export_dialog.folder);
    }
    tui->overlay = OVERLAY_NONE;
    tui->dirty = true;
}

/* ---- lines of input ---- */

void overlay_prompt(Tui *tui, const char *text)
{
    overlay_close(tui);
    prompt_start(&tui->prompt, ":", text, true);
    tui->overlay = OVERLAY_PROMPT;
}

void overlay_filter(Tui *tui, const char *label, const char *text)
{
    overlay_close(tui);
    prompt_start(&tui->prompt, label, text, false);
    snprintf(tui->filter_before, sizeof tui->filter_before, "%s", text);
    tui->overlay = OVERLAY_FILTER;
}

void overlay_find(Tui *tui)
{
    Context screen = tui_screen(tui);
    const char *label = screen == CONTEXT_PHASES  ? "filter: "
                        : screen == CONTEXT_PHASE ? "tile: "
                        : screen == CONTEXT_TILE  ? "filter: "
                        : screen == CONTEXT_TAIL  ? "transfer: "
                                                  : "find: ";
    const ScreenOps *operations = tui_operations(screen);
    if (operations->filter == NULL) {
        tui_say(tui, "there is nothing to filter here");
    } else {
        overlay_filter(tui, label,
                       operations->filtered == NULL ? "" : operations->filtered(tui, tui_state(tui, screen)));
    }
}

static void filter_screen(Tui *tui, const char *text, bool kept)
{
    Context screen = tui_screen(tui);
    tui_operations(screen)->filter(tui, tui_state(tui, screen), text, kept);
}

static void accept_prompt(Tui *tui)
{
    char line[PROMPT_BYTES];
    memcpy(line, tui->prompt.text, sizeof line);
    bool command = tui->overlay == OVERLAY_PROMPT;
    overlay_close(tui);
    if (!command) {
        filter_screen(tui, line, true);
    } else if (line[strspn(line, " \t")] != '\0') {
        session_history_add(tui->session, line, NULL); /* no memory for it: the line runs all the same */
        tui_run_line(tui, line, false);
    }
}

static void act_on_prompt(Tui *tui, Action action)
{
    if (action == ACTION_ACCEPT) {
        accept_prompt(tui);
    } else if (action == ACTION_ABANDON) {
        bool filter = tui->overlay == OVERLAY_FILTER;
        overlay_close(tui);
        if (filter) {
            filter_screen(tui, tui->filter_before, true);
        }
    } else if (action == ACTION_ERASE_BACK && tui->prompt.length == 0) {
        overlay_close(tui);
    } else if (prompt_act(&tui->prompt, tui->session, action)) {
        if (tui->overlay == OVERLAY_FILTER) {
            filter_screen(tui, tui->prompt.text, false);
        }
    }
}

/* ---- a choice ---- */

void overlay_menu(Tui *tui, const char *title, const char *const *items, int count, int cursor,
                  void (*chosen)(Tui *tui, int index))
{
    overlay_close(tui);
    tui->menu = (Menu){.title = title, .count = count, .cursor = cursor, .chosen = chosen};
    for (int i = 0; i < count && i < MENU_ITEMS_MAX; i++) {
        tui->menu.items[i] = items[i];
    }
    tui->overlay = OVERLAY_MENU;
}

static void choose(Tui *tui, int index)
{
    overlay_close(tui);
    tui->menu.chosen(tui, index);
}

static void act_on_menu(Tui *tui, Action action)
{
    Menu *menu = &tui->menu;
    if (action == ACTION_UP) {
        menu->cursor = (menu->cursor + menu->count - 1) % menu->count;
    } else if (action == ACTION_DOWN) {
        menu->cursor = (menu->cursor + 1) % menu->count;
    } else if (action == ACTION_ACCEPT) {
        choose(tui, menu->cursor);
    } else if (action == ACTION_ABANDON) {
        overlay_close(tui);
    }
}

/* The first letter of an item goes to it, once more to the next one. A / does what it does on the screen
 * below. */
static void type_in_menu(Tui *tui, Key key)
{
    Menu *menu = &tui->menu;
    if (key == '/') {
        overlay_close(tui);
        overlay_find(tui);
        return;
    }
    for (int step = 1; step <= menu->count; step++) {
        int at = (menu->cursor + step) % menu->count;
        if ((Key)(unsigned char)menu->items[at][0] == key) {
            menu->cursor = at;
            return;
        }
    }
    char name[20];
    input_key_name(key, name, sizeof name);
    tui_say(tui, "no choice begins with %s: Enter takes the marked one, Esc none", name);
}

static void draw_menu(Tui *tui)
{
    Grid *grid = &tui->grid;
    Menu *menu = &tui->menu;
    int width = grid_text_width(menu->title) + 4;
    for (int i = 0; i < menu->count; i++) {
        int item = grid_text_width(menu->items[i]) + 4;
        width = item > width ? item : width;
    }
    Rect box = {2, (grid->columns - width) / 2, menu->count + 2, width + 2};
    grid_fill(grid, box, LOOK_NORMAL);
    grid_box(grid, box, LOOK_BORDER, menu->title);
    menu->area = (Rect){box.row + 1, box.column + 1, menu->count, box.width - 2};
    for (int i = 0; i < menu->count; i++) {
        Rect line = {menu->area.row + i, menu->area.column, 1, menu->area.width};
        grid_text(grid, line.row, line.column + 1, line.width - 2, LOOK_NORMAL, menu->items[i]);
        if (i == menu->cursor) {
            grid_restyle(grid, line, LOOK_CURSOR);
            grid_put(grid, line.row, line.column, LOOK_CURSOR, "▸");
        }
    }
}

/* ---- a question ---- */

void overlay_ask(Tui *tui, void (*answered)(Tui *tui, bool yes), const char *format, ...)
{
    va_list arguments;
    overlay_close(tui);
    va_start(arguments, format);
    vsnprintf(tui->question.text, sizeof tui->question.text, format, arguments);
    va_end(arguments);
    tui->question.answered = answered;
    tui->overlay = OVERLAY_QUESTION;
}

static void answer(Tui *tui, bool yes)
{
    overlay_close(tui);
    tui->question.answered(tui, yes);
}

/* ---- whatever lies there ---- */

void overlay_act(Tui *tui, Action action)
{
    switch (tui->overlay) {
    case OVERLAY_PROMPT:
    case OVERLAY_FILTER:
        act_on_prompt(tui, action);
        break;
    case OVERLAY_MENU:
        act_on_menu(tui, action);
        break;
    case OVERLAY_QUESTION:
        answer(tui, action == ACTION_YES);
        break;
    case OVERLAY_EXPORT:
        export_act(tui, action);
        break;
    case OVERLAY_NONE:
        break;
    }
}

void overlay_type(Tui *tui, Key key)
{
    if (tui->overlay == OVERLAY_PROMPT || tui->overlay == OVERLAY_FILTER) {
        if (prompt_type(&tui->prompt, key) && tui->overlay == OVERLAY_FILTER) {
            filter_screen(tui, tui->prompt.text, false);
        }
    } else if (tui->overlay == OVERLAY_EXPORT) {
        export_type(tui, key);
    } else if (tui->overlay == OVERLAY_MENU) {
        type_in_menu(tui, key);
    }
}

void overlay_mouse(Tui *tui, const Event *event)
{
    if (tui->overlay != OVERLAY_MENU) {
        return;
    }
    const Menu *menu = &tui->menu;
    if (event->kind == EVENT_WHEEL_UP || event->kind == EVENT_WHEEL_DOWN) {
        act_on_menu(tui, event->kind == EVENT_WHEEL_UP ? ACTION_UP : ACTION_DOWN);
    } else if (event->row >= menu->area.row && event->row < menu->area.row + menu->area.height &&
               event->column >= menu->area.column && event->column < menu->area.column + menu->area.width) {
        choose(tui, event->row - menu->area.row);
    } else {
        overlay_close(tui);
    }
}

/* At the right end of the line, unless the text reaches it. */
static void draw_found(Tui *tui, int row)
{
    char words[FOUND_BYTES] = "";
    Context screen = tui_screen(tui);
    const Prompt *prompt = &tui->prompt;
    if (tui_operations(screen)->found != NULL) {
        tui_operations(screen)->found(tui, tui_state(tui, screen), prompt->text, words, sizeof words);
    }
    int typed = grid_text_width(prompt->label) + grid_text_width(prompt->text) + 2;
    if (typed + grid_text_width(words) <= tui->grid.columns) {
        grid_text_right(&tui->grid, row, typed, tui->grid.columns - typed, LOOK_DIM, words);
    }
}

void overlay_draw(Tui *tui)
{
    int row = tui->grid.rows - 2;
    switch (tui->overlay) {
    case OVERLAY_FILTER:
        prompt_draw(&tui->prompt, &tui->grid, row);
        draw_found(tui, row);
        break;
    case OVERLAY_PROMPT:
        prompt_draw(&tui->prompt, &tui->grid, row);
        break;
    case OVERLAY_MENU:
        draw_menu(tui);
        break;
    case OVERLAY_EXPORT:
        export_draw(tui);
        break;
    case OVERLAY_NONE:
    case OVERLAY_QUESTION: /* chrome.c puts it on the status line */
        break;
    }
}
