#include "config.h"

#include "tui/terminfo.h"

#include <stdio.h>
#include <string.h>

#include <curses.h>
#include <term.h>

static const char *capability(const char *name)
{
    char copy[16]; /* tigetstr() takes a writable name on some systems */
    snprintf(copy, sizeof copy, "%s", name);
    const char *value = tigetstr(copy);
    return value == NULL || value == (const char *)-1 ? "" : value;
}

bool terminfo_moves_cursor(void)
{
    return *capability("cup") != '\0';
}

/* Terminals that report a mouse as xterm does also know its other private modes. */
static bool like_xterm(void)
{
    return *capability("kmous") != '\0';
}

void terminfo_bracketed_paste(bool on)
{
    if (like_xterm()) {
        putp(on ? "\033[?2004h" : "\033[?2004l");
        fflush(stdout);
    }
}

/* Appends a capability without its $<padding>, which only very old terminals need. */
static size_t append(char *bytes, size_t size, size_t length, const char *value)
{
    while (*value != '\0' && length + 1 < size) {
        const char *padding_end = strncmp(value, "$<", 2) == 0 ? strchr(value, '>') : NULL;
        if (padding_end != NULL) {
            value = padding_end + 1;
        } else {
            bytes[length++] = *value++;
        }
    }
    return length;
}

size_t terminfo_restore_bytes(char *bytes, size_t size)
{
    static const char *const names[] = {"sgr0", "cnorm", "rmkx", "rmcup"};
    size_t length = 0;
    if (like_xterm()) {
        length = append(bytes, size, length, "\033[?2004l");
        length = append(bytes, size, length, "\033[?1006l\033[?1002l\033[?1000l");
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        length = append(bytes, size, length, capability(names[i]));
    }
    return append(bytes, size, length, "\r");
}
