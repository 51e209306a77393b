/* One line of input: editing, history and completion. */
#ifndef EXSCOPE_TUI_PROMPT_H
#define EXSCOPE_TUI_PROMPT_H

#include "explore/command.h"
#include "tui/grid.h"
#include "tui/keymap.h"

enum { PROMPT_BYTES = 1024 };

typedef struct Prompt {
    const char *label;
    char text[PROMPT_BYTES]; /* UTF-8 */
    size_t length, cursor;   /* in bytes; the cursor is always between characters */
    bool commands;           /* has history and completion */

    size_t history_back;      /* 0: the new line; 1: the newest entered one, ... */
    char draft[PROMPT_BYTES]; /* the new line, while older ones are shown */

    Completion completion; /* of the last Tab, until another key */
    bool completing;
    size_t candidate;
} Prompt;

void prompt_start(Prompt *prompt, const char *label, const char *text, bool commands);
void prompt_end(Prompt *prompt);

/* Types a character; false when it is no text or there is no room. */
bool prompt_type(Prompt *prompt, Key key);

/* Editing actions; false when the action is none of them or there is nothing to do. */
bool prompt_act(Prompt *prompt, Session *session, Action action);

/* Draws the line, places the cursor, and shows candidates of a completion in the row above. */
void prompt_draw(const Prompt *prompt, Grid *grid, int row);

#endif
