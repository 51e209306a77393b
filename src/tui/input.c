#include "config.h"

#include "tui/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

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

static bool parse_mouse(const char *name, size_t length, Event *event)
{
    static const struct {
        const char *name;
        EventKind kind;
    } kinds[] = {{"DoubleClick", EVENT_DOUBLE_CLICK},
                 {"Click", EVENT_CLICK},
                 {"WheelUp", EVENT_WHEEL_UP},
                 {"WheelDown", EVENT_WHEEL_DOWN}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t kind_length = strlen(kinds[i].name);
        char place[24];
        int used = 0;
        if (length <= kind_length || length - kind_length >= sizeof place ||
            strncasecmp(name, kinds[i].name, kind_length) != 0) {
            continue;
        }
        snprintf(place, sizeof place, "%.*s", (int)(length - kind_length), name + kind_length);
        // NOLINTNEXTLINE(cert-err34-c): three digits cannot overflow
        if (sscanf(place, ":%3d:%3d%n", &event->row, &event->column, &used) == 2 && place[used] == '\0') {
            event->kind = kinds[i].kind;
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
