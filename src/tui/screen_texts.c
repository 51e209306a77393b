/* The screens that are texts: the output of a command, the messages so far, the keys of the screen before. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "explore/terms.h"
#include "tui/app.h"
#include "tui/pager.h"

typedef struct TextState {
    Pager pager;
    Rect area;
    uint64_t version; /* of what the pager holds; 0: nothing */
    int columns;      /* that its lines are broken for, where they are */
    bool missing;     /* what was looked for last is not there */
} TextState;

static void text_layout(Tui *tui, void *context, Rect area)
{
    (void)tui;
    ((TextState *)context)->area = area;
}

static bool text_act(Tui *tui, void *context, Action action)
{
    TextState *state = context;
    if (action == ACTION_NEXT || action == ACTION_PREVIOUS) {
        if (!pager_find_again(&state->pager, action == ACTION_NEXT ? 1 : -1)) {
            tui_say(tui, state->pager.find[0] == '\0' ? "nothing to find: / begins" : "not found: %s",
                    state->pager.find);
        }
        return true;
    }
    int shift = state->pager.shift;
    bool sideways = action == ACTION_LEFT || action == ACTION_RIGHT || action == ACTION_SHIFT_LEFT ||
                    action == ACTION_SHIFT_RIGHT;
    bool done = pager_act(&state->pager, action);
    if (sideways && state->pager.shift == shift) {
        tui_say(tui, shift == 0 ? "nothing lies further to the left or right" : "the lines end here");
    }
    return done;
}

static bool text_mouse(Tui *tui, void *context, const Event *event)
{
    TextState *state = context;
    (void)tui;
    if (event->kind == EVENT_WHEEL_UP || event->kind == EVENT_WHEEL_DOWN) {
        pager_scroll(&state->pager, event->kind == EVENT_WHEEL_UP ? -3 : 3);
    }
    return true;
}

static void text_filter(Tui *tui, void *context, const char *text, bool kept)
{
    TextState *state = context;
    state->missing = !pager_find(&state->pager, text);
    if (state->missing && kept) {
        tui_say(tui, "not found: %s", text);
    } else if (text[0] != '\0' && kept) {
        tui_say(tui, "found: n and N go to the next ones");
    }
}

static void text_found(Tui *tui, void *context, const char *text, char *words, size_t size)
{
    (void)tui;
    snprintf(words, size, "%s",
             text[0] == '\0'                   ? ""
             : ((TextState *)context)->missing ? "not found"
                                               : "found");
}

static void text_close(Tui *tui, void *context)
{
    (void)tui;
    pager_free(&((TextState *)context)->pager);
}

static void set_text(Tui *tui, TextState *state, const char *text, uint64_t version)
{
    Error error;
    if (state->version != version) {
        if (!pager_set(&state->pager, text, &error)) {
            tui_fail(tui, &error);
        }
        state->version = version;
    }
}

/* The lines first: only then is it known which of them fit. */
static void draw_text(Tui *tui, TextState *state, const char *title)
{
    Rect area = state->area;
    char line[300];
    pager_draw(&state->pager, &tui->grid, (Rect){area.row + 1, area.column, area.height - 1, area.width});
    uint64_t lines = pager_lines(&state->pager), height = (uint64_t)area.height - 1;
    uint64_t last = state->pager.top + height < lines ? state->pager.top + height : lines;
    snprintf(line, sizeof line, "%s  (%s to %s of %s lines)", title,
             figure_count(lines == 0 ? 0 : state->pager.top + 1).text, figure_count(last).text,
             figure_count(lines).text);
    grid_rule(&tui->grid, area.row, area.column, area.width, LOOK_BORDER, line);
}

/* ---- output of a command ---- */

static void output_draw(Tui *tui, void *context)
{
    TextState *state = context;
    set_text(tui, state, text_view(&tui->output), tui->output_version);
    draw_text(tui, state, tui->output_title);
}

/* ---- messages ---- */

static void messages_open(Tui *tui, void *context)
{
    TextState *state = context;
    (void)tui;
    state->version = 0;
    state->pager.top = UINT64_MAX; /* the newest ones are at the end */
}

static void messages_draw(Tui *tui, void *context)
{
    TextState *state = context;
    if (state->version != tui->message_count + 1) {
        Text text = {0};
        uint64_t top = state->version == 0 ? UINT64_MAX / 2 : state->pager.top;
        for (size_t i = 0; i < tui_messages_kept(tui); i++) {
            const Message *message = tui_message(tui, i);
            text_printf(&text, "%s %c %s\n", message->clock, message->failure ? '!' : ' ', message->text);
        }
        set_text(tui, state, text_view(&text), tui->message_count + 1);
        state->pager.top = top;
        text_free(&text);
    }
    draw_text(tui, state, "messages so far");
}

/* ---- keys and terms ---- */

enum {
    NAME_COLUMNS = 17, /* with the blanks around it */
    MEANING_COLUMNS_MIN = 20
};

/* A name, and text beside it, broken into lines of at most `columns`; a name that is too long has a line of
 * its own. */
static void append_entry(const char *name, const char *meaning, int columns, Text *text)
{
    int width = columns - NAME_COLUMNS > MEANING_COLUMNS_MIN ? columns - NAME_COLUMNS : MEANING_COLUMNS_MIN;
    int used = 2 + grid_text_width(name);
    text_printf(text, "  %s", name);
    if (used >= NAME_COLUMNS) {
        text_append_char(text, '\n');
        used = 0;
    }
    for (size_t length = strlen(meaning); length > 0; used = 0) {
        size_t line = text_wrap(meaning, length, (size_t)width), shown = line;
        while (shown > 0 && meaning[shown - 1] == ' ') {
            shown--;
        }
        text_append_repeat(text, ' ', (size_t)(NAME_COLUMNS - used));
        text_append_bytes(text, meaning, shown);
        text_append_char(text, '\n');
        meaning += line;
        length -= line;
    }
}

/* "  (:replay --phase PHASE)": what to enter for the same. */
static void append_command(const char *command, Text *text)
{
    text_append(text, "  (:");
    for (const char *c = command; *c != '\0'; c++) {
        if (c[0] == '%' && c[1] != '\0') {
            c++;
            text_append(text, *c == 'p' ? "PHASE" : *c == 'm' ? "MODE" : "TILE");
        } else {
            text_append_char(text, *c);
        }
    }
    text_append_char(text, ')');
}

static void append_binding(const KeyBinding *bindings, size_t count, size_t at, int columns, Text *text)
{
    char names[80];
    Text meaning = {0};
    input_key_name(bindings[at].key, names, sizeof names);
    /* the lines without help that follow are other keys for the same */
    for (size_t i = at + 1;
         i < count && bindings[i].help == NULL && bindings[i].action == bindings[at].action; i++) {
        char name[20];
        input_key_name(bindings[i].key, name, sizeof name);
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, " %s", name);
    }
    text_append(&meaning, bindings[at].help);
    if (bindings[at].command != NULL) {
        append_command(bindings[at].command, &meaning);
    }
    append_entry(names, text_view(&meaning), columns, text);
    text->failed = text->failed || meaning.failed;
    text_free(&meaning);
}

static void append_context(Context context, bool everywhere, const char *title, int columns, Text *text)
{
    size_t count;
    const KeyBinding *bindings = keymap_bindings(&count);
    const unsigned all = (1u << CONTEXT_OUTPUT) | (1u << CONTEXT_PHASES); /* what most screens share */
    text_printf(text, "%s\n", title);
    for (size_t i = 0; i < count; i++) {
        bool shared = (bindings[i].contexts & all) == all;
        if ((bindings[i].contexts & 1u << context) != 0 && bindings[i].help != NULL && shared == everywhere) {
            append_binding(bindings, count, i, columns, text);
        }
    }
    text_append_char(text, '\n');
}

static void append_terms(int columns, Text *text)
{
    size_t count;
    const Term *terms = terms_table(&count);
    text_append(text, "What it means (:help TERM says the same)\n");
    for (size_t i = 0; i < count; i++) {
        Text meaning = {0};
        text_append(&meaning, terms[i].meaning);
        if (terms[i].also != NULL) {
            text_printf(&meaning, " (also: %s)", terms[i].also);
        }
        append_entry(terms[i].name, text_view(&meaning), columns, text);
        text->failed = text->failed || meaning.failed;
        text_free(&meaning);
    }
    text_append_char(text, '\n');
}

static void append_limits(int columns, Text *text)
{
    text_append(text, "Limits\n");
    append_entry("staging", "needs fresh scratch; its maxima are per tile and not proven to fit", columns,
                 text);
    append_entry("copy cycles", "are floors of 8 bytes a cycle", columns, text);
    append_entry("rows", "are per tile and phase, before cross-phase sharing", columns, text);
    append_entry("cycles", "come from the scheduling model: no payload ran on hardware", columns, text);
}

/* The keys of the screen from which one came. */
static void read_help(Tui *tui, TextState *state)
{
    Text text = {0};
    char title[60];
    int columns = tui->grid.columns;
    Context from = tui->depth > 1 ? tui->stack[tui->depth - 2] : CONTEXT_PHASES;
    snprintf(title, sizeof title, "Screen: %s", context_title(from));
    append_context(from, false, title, columns, &text);
    append_context(from, true, "Everywhere", columns, &text);
    append_context(CONTEXT_PROMPT, false, "In the command line", columns, &text);
    append_terms(columns, &text);
    append_limits(columns, &text);
    set_text(tui, state, text_view(&text), state->version + 1);
    state->columns = columns;
    text_free(&text);
}

static void help_open(Tui *tui, void *context)
{
    read_help(tui, context);
}

static void help_draw(Tui *tui, void *context)
{
    TextState *state = context;
    /* after another capture was opened, or in a window of another width */
    if (pager_lines(&state->pager) == 0 || state->columns != tui->grid.columns) {
        read_help(tui, state);
    }
    draw_text(tui, state, "keys, then terms; :help lists the commands");
}

const ScreenOps screen_output = {
    .state_size = sizeof(TextState),
    .layout = text_layout,
    .draw = output_draw,
    .act = text_act,
    .mouse = text_mouse,
    .filter = text_filter,
    .found = text_found,
    .close = text_close,
};

const ScreenOps screen_messages = {
    .state_size = sizeof(TextState),
    .open = messages_open,
    .layout = text_layout,
    .draw = messages_draw,
    .act = text_act,
    .mouse = text_mouse,
    .filter = text_filter,
    .found = text_found,
    .close = text_close,
};

const ScreenOps screen_help = {
    .state_size = sizeof(TextState),
    .open = help_open,
    .layout = text_layout,
    .draw = help_draw,
    .act = text_act,
    .mouse = text_mouse,
    .filter = text_filter,
    .found = text_found,
    .close = text_close,
};
