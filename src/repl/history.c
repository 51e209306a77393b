#include "config.h"

#include "repl/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { HISTORY_BYTES_MAX = 8 << 20 };

/* $VARIABLE/exscope/name, or ~/fallback/exscope/name; false when neither is known. That memory is out shows
 * in the text. */
static bool place(Text *path, const char *variable, const char *fallback, const char *name)
{
    const char *base = getenv(variable), *home = getenv("HOME");
    if (base != NULL && base[0] == '/') {
        text_printf(path, "%s/exscope/%s", base, name);
    } else if (home != NULL && home[0] == '/') {
        text_printf(path, "%s/%s/exscope/%s", home, fallback, name);
    } else {
        return false;
    }
    return true;
}

bool rc_path(Text *path)
{
    return place(path, "XDG_CONFIG_HOME", ".config", "exscoperc");
}

static bool history_path(Text *path)
{
    return place(path, "XDG_STATE_HOME", ".local/state", "history");
}

/* The file's text; empty when there is none. */
static bool history_read(const char *path, Text *text, Error *error)
{
    return !file_exists(path) || file_read_text(path, HISTORY_BYTES_MAX, text, error);
}

bool history_load(Session *session, Error *error)
{
    Text path = {0}, text = {0};
    bool done =
        !history_path(&path) || (text_ok(&path, error) && history_read(text_view(&path), &text, error));
    for (const char *line = text_view(&text); done && *line != '\0';) {
        size_t length = strcspn(line, "\n");
        char *copy = mem_copy_text(line, length, error);
        done = copy != NULL && (length == 0 || session_history_add(session, copy, error));
        mem_free(copy);
        line += length + (line[length] == '\n');
    }
    text_free(&path);
    text_free(&text);
    return done;
}

/* Where the last HISTORY_LINES_MAX lines begin. */
static const char *history_newest(const Text *text)
{
    const char *start = text_view(text), *at = start + text->length;
    for (size_t lines = 0; at > start; at--) {
        if (at[-1] == '\n' && lines++ == HISTORY_LINES_MAX) {
            break;
        }
    }
    return at;
}

static bool history_write(const char *path, const Text *text, Error *error)
{
    Text folder = {0};
    text_append_bytes(&folder, path, (size_t)(strrchr(path, '/') - path));
    const char *newest = history_newest(text);
    bool done = text_ok(&folder, error) && file_make_folder(text_view(&folder), error) &&
                file_write_text(path, newest, strlen(newest), true, error);
    text_free(&folder);
    return done;
}

bool history_save(Session *session, size_t known, Error *error)
{
    size_t count = session_history_count(session);
    Text path = {0}, text = {0};
    bool done = count <= known || !history_path(&path);
    if (!done && text_ok(&path, error) && history_read(text_view(&path), &text, error)) {
        for (size_t i = known; i < count; i++) {
            session_history_line(session, i, &text);
            text_append_char(&text, '\n');
        }
        done = text_ok(&text, error) && history_write(text_view(&path), &text, error);
    }
    text_free(&path);
    text_free(&text);
    return done;
}
