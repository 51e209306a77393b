/* The one table of keys: what each does where, and how it is explained. The key bar, `?` and the dispatch of
 * keys all come from it, so that they cannot disagree. */
#ifndef EXSCOPE_TUI_KEYMAP_H
#define EXSCOPE_TUI_KEYMAP_H

#include "tui/input.h"

/* Who has the keys: a screen, or what lies over it. */
typedef enum Context {
    CONTEXT_PHASES,
    CONTEXT_PHASE,
    CONTEXT_TILE,
    CONTEXT_TAIL,
    CONTEXT_OUTPUT,
    CONTEXT_JOBS,
    CONTEXT_MESSAGES,
    CONTEXT_HELP,
    CONTEXT_SCREENS, /* the number of screens; the rest lies over them */
    CONTEXT_PROMPT = CONTEXT_SCREENS,
    CONTEXT_FILTER,
    CONTEXT_MENU,
    CONTEXT_QUESTION,
    CONTEXT_EXPORT,
    CONTEXT_COUNT
} Context;

typedef enum Action {
    ACTION_NONE,
    ACTION_COMMAND, /* run the binding's command */
    ACTION_UP,
    ACTION_DOWN,
    ACTION_LEFT,
    ACTION_RIGHT,
    ACTION_PAGE_UP,
    ACTION_PAGE_DOWN,
    ACTION_FIRST,
    ACTION_LAST,
    ACTION_SHIFT_LEFT, /* columns of a list */
    ACTION_SHIFT_RIGHT,
    ACTION_OPEN,
    ACTION_BACK,
    ACTION_QUIT,
    ACTION_HELP,
    ACTION_PROMPT,
    ACTION_FILTER,
    ACTION_NEXT, /* match */
    ACTION_PREVIOUS,
    ACTION_SORT,
    ACTION_REVERSE,
    ACTION_MARK,
    ACTION_EXPORT,
    ACTION_JOBS,
    ACTION_MESSAGES,
    ACTION_OUTPUT,
    ACTION_STOP, /* the newest running job */
    ACTION_CANCEL_JOB,
    ACTION_SHADE,
    ACTION_PANE_NEXT,
    ACTION_PANE_PREVIOUS,
    ACTION_ZOOM,
    ACTION_ZOOM_IN,
    ACTION_ZOOM_OUT,
    ACTION_ZOOM_FIT,
    ACTION_DELTAS,
    ACTION_NOTES,
    ACTION_MODE_NEXT,
    ACTION_MODE_PREVIOUS,
    ACTION_SCOPE,
    ACTION_WHOLE_PHASE,
    ACTION_SUCCESSOR, /* the next phase or tile */
    ACTION_PREDECESSOR,
    ACTION_WORST,
    ACTION_REDRAW,
    ACTION_SUSPEND,
    /* lines of input */
    ACTION_ACCEPT,
    ACTION_ABANDON,
    ACTION_COMPLETE,
    ACTION_COMPLETE_BACK,
    ACTION_ERASE_BACK,
    ACTION_ERASE,
    ACTION_ERASE_WORD,
    ACTION_ERASE_START,
    ACTION_ERASE_END,
    ACTION_YES,
    ACTION_NO
} Action;

typedef struct KeyBinding {
    unsigned contexts; /* one bit each */
    Key key;
    Action action;
    const char
        *command;      /* of ACTION_COMMAND: %p, %m, %t are the phase, mode and tile that the screen means */
    unsigned bar;      /* contexts whose key bar shows it */
    const char *label; /* what it does, there */
    const char *help;  /* NULL: another key for what the line above explains */
    const char *keys;  /* in the key bar, of a group of keys; NULL: the name of `key` */
} KeyBinding;

/* All bindings, in the order of help and key bar. */
const KeyBinding *keymap_bindings(size_t *count);

/* What a key does in a context; NULL: nothing. */
const KeyBinding *keymap_find(Context context, Key key);

const char *context_title(Context context);

#endif
