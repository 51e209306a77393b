/* The screens that are texts: the output of a command, the messages so far, the keys of the screen before. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tui/app.h"
#include "tui/pager.h"

typedef struct TextState {
    Pager pager;
    Rect area;
    uint64_t version; /* of what the pager holds; 0: nothing */
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
    return pager_act(&state->pager, action);
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
    if (!pager_find(&state->pager, text) && kept) {
        tui_say(tui, "not found: %s", text);
    }
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

/* ---- keys ---- */

/* "(:replay --phase PHASE)": what to enter for the same. */
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

static void append_binding(const KeyBinding *bindings, size_t count, size_t at, Text *text)
{
    char names[80];
    input_key_name(bindings[at].key, names, sizeof names);
    /* the lines without help that follow are other keys for the same */
    for (size_t i = at + 1;
         i < count && bindings[i].help == NULL && bindings[i].action == bindings[at].action; i++) {
        char name[20];
        input_key_name(bindings[i].key, name, sizeof name);
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, " %s", name);
    }
    text_printf(text, "  %-14s %s", names, bindings[at].help);
    if (bindings[at].command != NULL) {
        append_command(bindings[at].command, text);
    }
    text_append_char(text, '\n');
}

static void append_context(Context context, bool everywhere, const char *title, Text *text)
{
    size_t count;
    const KeyBinding *bindings = keymap_bindings(&count);
    const unsigned all = (1u << CONTEXT_OUTPUT) | (1u << CONTEXT_PHASES); /* what most screens share */
    text_printf(text, "%s\n", title);
    for (size_t i = 0; i < count; i++) {
        bool shared = (bindings[i].contexts & all) == all;
        if ((bindings[i].contexts & 1u << context) != 0 && bindings[i].help != NULL && shared == everywhere) {
            append_binding(bindings, count, i, text);
        }
    }
    text_append_char(text, '\n');
}

static void append_explanation(Text *text)
{
    text_append(text,
                "What it means\n"
                "  fragment       one endpoint of a transfer: it counts at its source and at each receiver\n"
                "  max frag       the most fragments at one tile: what makes a row long\n"
                "  row B          bytes of the longest exchange row of the phase, after a replay\n"
                "  cycles         length of the phase in the scheduling model, after a replay\n"
                "  dependent      DEP n: the last n transfers wait for earlier ones (T shows them);\n"
                "                 overlap: the phase reads bytes that it writes, so nothing may be staged\n"
                "  valid          the mode was proved to move the same bytes to the same places;\n"
                "                 INVALID: it was not, or ignores dependencies by construction\n"
                "  *              the best value of its column among the modes that are not INVALID\n"
                "  Δ, Δ%          change against mode original\n"
                "\n"
                "Limits\n"
                "  Staging needs fresh scratch; its maxima are per tile and not proven to fit. Copy cycles\n"
                "  are floors of 8 bytes a cycle. Rows are per tile and phase, before cross-phase sharing.\n"
                "  Cycles come from the scheduling model: no payload ran on hardware.\n");
}

/* The keys of the screen from which one came. */
static void help_open(Tui *tui, void *context)
{
    TextState *state = context;
    Text text = {0};
    char title[60];
    Context from = tui->depth > 1 ? tui->stack[tui->depth - 2] : CONTEXT_PHASES;
    snprintf(title, sizeof title, "Screen: %s", context_title(from));
    append_context(from, false, title, &text);
    append_context(from, true, "Everywhere", &text);
    append_context(CONTEXT_PROMPT, false, "In the command line", &text);
    append_explanation(&text);
    set_text(tui, state, text_view(&text), state->version + 1);
    text_free(&text);
}

static void help_draw(Tui *tui, void *context)
{
    TextState *state = context;
    if (pager_lines(&state->pager) == 0) {
        help_open(tui, context); /* after another capture was opened */
    }
    draw_text(tui, state, "keys; :help lists the commands");
}

const ScreenOps screen_output = {
    .state_size = sizeof(TextState),
    .layout = text_layout,
    .draw = output_draw,
    .act = text_act,
    .mouse = text_mouse,
    .filter = text_filter,
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
    .close = text_close,
};
