#include "config.h"

#include "tui/input.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "explore/words.h"

static const struct {
    Key key;
    const char *script, *shown;
} key_names[] = {
    {KEY_RETURN, "Enter", "Enter"},
    {KEY_ESCAPE, "Esc", "Esc"},
    {KEY_TAB, "Tab", "Tab"},
    {KEY_BACK_TAB, "S-Tab", "S-Tab"},
    {' ', "Space", "Space"},
    {KEY_ARROW_UP, "Up", "Up"},
    {KEY_ARROW_DOWN, "Down", "Down"},
    {KEY_ARROW_LEFT, "Left", "Left"},
    {KEY_ARROW_RIGHT, "Right", "Right"},
    {KEY_PAGE_UP, "PgUp", "PgUp"},
    {KEY_PAGE_DOWN, "PgDn", "PgDn"},
    {KEY_FIRST, "Home", "Home"},
    {KEY_LAST, "End", "End"},
    {KEY_DELETE, "Del", "Del"},
    {KEY_RUBOUT, "BS", "Backspace"},
    {KEY_F1, "F1", "F1"},
    {'<', "lt", "<"},
};

void input_key_name(Key key, char *name, size_t size)
{
    for (size_t i = 0; i < sizeof key_names / sizeof *key_names; i++) {
        if (key_names[i].key == key) {
            snprintf(name, size, "%s", key_names[i].shown);
            return;
        }
    }
    if (key == KEY_UNKNOWN) {
        snprintf(name, size, "This key");
    } else if (key < 32) {
        snprintf(name, size, "Ctrl-%c", (char)(key + 64));
    } else if (key < 127) {
        snprintf(name, size, "%c", (char)key);
    } else {
        snprintf(name, size, "U+%04X", (unsigned)key);
    }
}

static const char *const mouse_names[] = {"DoubleClick", "Click", "WheelUp", "WheelDown"};

static bool parse_mouse(const char *name, size_t length, Event *event)
{
    static const EventKind kinds[] = {EVENT_DOUBLE_CLICK, EVENT_CLICK, EVENT_WHEEL_UP, EVENT_WHEEL_DOWN};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t kind_length = strlen(mouse_names[i]);
        char place[24];
        int used = 0;
        if (length <= kind_length || length - kind_length >= sizeof place ||
            strncasecmp(name, mouse_names[i], kind_length) != 0) {
            continue;
        }
        snprintf(place, sizeof place, "%.*s", (int)(length - kind_length), name + kind_length);
        // NOLINTNEXTLINE(cert-err34-c): three digits cannot overflow
        if (sscanf(place, ":%3d:%3d%n", &event->row, &event->column, &used) == 2 && place[used] == '\0') {
            event->kind = kinds[i];
            event->row--;
            event->column--;
            return true;
        }
    }
    return false;
}

/* The event named between the angle brackets, or false. */
static bool parse_name(const char *name, size_t length, Event *event)
{
    event->kind = EVENT_KEY;
    for (size_t i = 0; i < sizeof key_names / sizeof *key_names; i++) {
        if (strlen(key_names[i].script) == length && strncasecmp(name, key_names[i].script, length) == 0) {
            event->key = key_names[i].key;
            return true;
        }
    }
    if (length == 3 && strncasecmp(name, "C-", 2) == 0 && name[2] > ' ') {
        event->key = key_control(name[2]);
        return true;
    }
    return parse_mouse(name, length, event);
}

bool input_next(const char **keys, Event *event)
{
    const char *at = *keys;
    *event = (Event){0};
    if (*at == '\0') {
        return false;
    }
    const char *end = *at == '<' ? strchr(at, '>') : NULL;
    if (end != NULL && parse_name(at + 1, (size_t)(end - at - 1), event)) {
        *keys = end + 1;
        return true;
    }
    uint32_t c = 0;
    size_t length = text_decode_utf8(at, strlen(at), &c);
    if (length == 0) {
        length = 1;
        c = 0xfffd;
    }
    *event = (Event){.kind = EVENT_KEY, .key = c == '\n' ? KEY_RETURN : c};
    *keys = at + length;
    return true;
}

/* ---- typing errors ---- */

enum {
    KEY_NAMES = sizeof key_names / sizeof *key_names,
    MOUSE_NAMES = sizeof mouse_names / sizeof *mouse_names
};

static const char *name_at(size_t index)
{
    return index < KEY_NAMES ? key_names[index].script : mouse_names[index - KEY_NAMES];
}

/* The key that a wrong name was probably meant to be; NULL: none is near. */
static const char *nearest_name(const char *wrong, size_t length)
{
    char word[16] = "", names[KEY_NAMES + MOUSE_NAMES][16];
    const char *choices[KEY_NAMES + MOUSE_NAMES + 1] = {NULL};
    for (size_t i = 0; i < length && i + 1 < sizeof word; i++) {
        word[i] = (char)tolower((unsigned char)wrong[i]);
    }
    for (size_t i = 0; i < KEY_NAMES + MOUSE_NAMES; i++) {
        size_t at = 0;
        for (const char *name = name_at(i); name[at] != '\0'; at++) {
            names[i][at] = (char)tolower((unsigned char)name[at]);
        }
        names[i][at] = '\0';
        choices[i] = names[i];
    }
    const char *nearest = word_nearest(word, choices);
    for (size_t i = 0; nearest != NULL && i < KEY_NAMES + MOUSE_NAMES; i++) {
        if (choices[i] == nearest) {
            return name_at(i);
        }
    }
    return NULL;
}

static bool wrong_name(const char *at, size_t length, Error *error)
{
    size_t word = strcspn(at + 1, ":>");
    const char *near = nearest_name(at + 1, word);
    bool mouse = false;
    for (size_t i = 0; i < MOUSE_NAMES; i++) {
        mouse = mouse || near == mouse_names[i];
    }
    if (near == NULL) {
        return error_set(error, ERROR_USAGE,
                         "unknown key '%.*s': `help keys` names them all, and <lt> is the < itself",
                         (int)length, at);
    }
    return error_set(error, ERROR_USAGE, "unknown key '%.*s': did you mean <%s%s>?", (int)length, at, near,
                     mouse ? ":ROW:COLUMN" : "");
}

/* A name of a key stands at the beginning of an open bracket's rest. */
static const char *name_left_open(const char *rest)
{
    for (size_t i = 0; i < KEY_NAMES; i++) {
        size_t length = strlen(key_names[i].script);
        if (length > 2 && strncasecmp(rest, key_names[i].script, length) == 0) {
            return key_names[i].script;
        }
    }
    return NULL;
}

bool input_check(const char *keys, Error *error)
{
    while (*keys != '\0') {
        Event event;
        const char *at = keys;
        input_next(&keys, &event);
        if (*at != '<' || keys > at + 1) {
            continue;
        }
        size_t word = 0;
        while (isalnum((unsigned char)at[1 + word]) || at[1 + word] == ':' || at[1 + word] == '-') {
            word++;
        }
        const char *open = name_left_open(at + 1);
        if (word >= 2 && at[1 + word] == '>') {
            return wrong_name(at, word + 2, error);
        }
        if (open != NULL) {
            return error_set(error, ERROR_USAGE, "the key <%s> lacks its >; <lt> is the < itself", open);
        }
    }
    return true;
}
