/* What a person does: keys and mouse, the same from a terminal, from `keys STRING` and from tests. */
#ifndef EXSCOPE_TUI_INPUT_H
#define EXSCOPE_TUI_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A key is the code point that it types, or one of these. Control with a letter is the control character. */
typedef uint32_t Key;

enum {
    KEY_NONE = 0,
    KEY_TAB = 9,
    KEY_RETURN = 13,
    KEY_ESCAPE = 27,
    KEY_RUBOUT = 127,
    KEY_NAMED = 0x110000, /* first of those that type nothing */
    KEY_ARROW_UP = KEY_NAMED,
    KEY_ARROW_DOWN,
    KEY_ARROW_LEFT,
    KEY_ARROW_RIGHT,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_FIRST,
    KEY_LAST,
    KEY_BACK_TAB,
    KEY_DELETE,
    KEY_F1,
    KEY_UNKNOWN /* a key of the terminal that this program does not know */
};

static inline Key key_control(char letter)
{
    return (Key)(letter & 0x1f);
}

typedef enum EventKind {
    EVENT_NONE,
    EVENT_KEY,
    EVENT_CLICK,
    EVENT_DOUBLE_CLICK,
    EVENT_WHEEL_UP,
    EVENT_WHEEL_DOWN
} EventKind;

typedef struct Event {
    EventKind kind;
    Key key;
    bool pasted;     /* part of a paste: text for a prompt, never a command key */
    int row, column; /* of the mouse */
} Event;

/* The name of a key as `?` and `keys` write it: "a", "Enter", "Ctrl-L", "PgDn". */
void input_key_name(Key key, char *name, size_t size);

/* Takes the next event from a string of keys: characters stand for themselves, names are in angle brackets:
 * <Enter> <Esc> <Tab> <S-Tab> <Space> <Up> <Down> <Left> <Right> <PgUp> <PgDn> <Home> <End> <Del> <BS> <F1>
 * <C-x>, <lt> for '<', and <Click:ROW:COLUMN> <DoubleClick:..> <WheelUp:..> <WheelDown:..> with 1-based
 * places. An angle bracket that begins no name is itself. Advances *keys; false at the end of the string. */
bool input_next(const char **keys, Event *event);

/* Whether a string of keys means what its writer meant: a word in angle brackets that names no key, or a name
 * that is not closed, is an error (ERROR_USAGE) which says what is near it. */
bool input_check(const char *keys, Error *error);

#endif
