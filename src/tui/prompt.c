#include "config.h"

#include "tui/prompt.h"

#include <stdio.h>
#include <string.h>

static void stop_completing(Prompt *prompt)
{
    if (prompt->completing) {
        completion_free(&prompt->completion);
        prompt->completing = false;
    }
}

static void set_text(Prompt *prompt, const char *text)
{
    snprintf(prompt->text, sizeof prompt->text, "%s", text);
    prompt->length = prompt->cursor = strlen(prompt->text);
}

void prompt_start(Prompt *prompt, const char *label, const char *text, bool commands)
{
    *prompt = (Prompt){.label = label, .commands = commands};
    set_text(prompt, text);
}

void prompt_end(Prompt *prompt)
{
    stop_completing(prompt);
}

/* ---- editing ---- */

static size_t character_before(const Prompt *prompt)
{
    size_t at = prompt->cursor;
    while (at > 0 && ((unsigned char)prompt->text[--at] & 0xc0) == 0x80) {
    }
    return at;
}

static size_t character_after(const Prompt *prompt)
{
    size_t at = prompt->cursor;
    if (at < prompt->length) {
        at++;
        while (at < prompt->length && ((unsigned char)prompt->text[at] & 0xc0) == 0x80) {
            at++;
        }
    }
    return at;
}

static bool replace(Prompt *prompt, size_t from, size_t to, const char *with)
{
    size_t added = strlen(with), rest = prompt->length - to;
    if (from + added + rest >= sizeof prompt->text) {
        return false;
    }
    memmove(prompt->text + from + added, prompt->text + to, rest + 1);
    memcpy(prompt->text + from, with, added);
    prompt->length = from + added + rest;
    prompt->cursor = from + added;
    return true;
}

static bool erase(Prompt *prompt, size_t from, size_t to)
{
    return from < to && replace(prompt, from, to, "");
}

static size_t word_before(const Prompt *prompt)
{
    size_t at = prompt->cursor;
    while (at > 0 && prompt->text[at - 1] == ' ') {
        at--;
    }
    while (at > 0 && prompt->text[at - 1] != ' ') {
        at--;
    }
    return at;
}

static size_t encode_utf8(Key key, char bytes[5])
{
    size_t length = 0;
    if (key < 0x80) {
        bytes[length++] = (char)key;
    } else if (key < 0x800) {
        bytes[length++] = (char)(0xc0 | key >> 6);
        bytes[length++] = (char)(0x80 | (key & 0x3f));
    } else if (key < 0x10000) {
        bytes[length++] = (char)(0xe0 | key >> 12);
        bytes[length++] = (char)(0x80 | (key >> 6 & 0x3f));
        bytes[length++] = (char)(0x80 | (key & 0x3f));
    } else {
        bytes[length++] = (char)(0xf0 | key >> 18);
        bytes[length++] = (char)(0x80 | (key >> 12 & 0x3f));
        bytes[length++] = (char)(0x80 | (key >> 6 & 0x3f));
        bytes[length++] = (char)(0x80 | (key & 0x3f));
    }
    bytes[length] = '\0';
    return length;
}

bool prompt_type(Prompt *prompt, Key key)
{
    char bytes[5];
    if (key < ' ' || key == KEY_RUBOUT || key >= KEY_NAMED) {
        return false;
    }
    stop_completing(prompt);
    encode_utf8(key, bytes);
    return replace(prompt, prompt->cursor, prompt->cursor, bytes);
}

/* ---- history ---- */

static bool history_move(Prompt *prompt, Session *session, bool older)
{
    size_t count = session_history_count(session);
    if (!prompt->commands || (older ? prompt->history_back >= count : prompt->history_back == 0)) {
        return false;
    }
    if (prompt->history_back == 0) {
        memcpy(prompt->draft, prompt->text, sizeof prompt->draft);
    }
    prompt->history_back += older ? 1 : (size_t)-1;
    Text line = {0};
    if (prompt->history_back == 0) {
        set_text(prompt, prompt->draft);
    } else if (session_history_line(session, count - prompt->history_back, &line)) {
        set_text(prompt, text_view(&line));
    }
    text_free(&line);
    return true;
}

/* ---- completion ---- */

static size_t common_beginning(const Completion *completion)
{
    size_t common = strlen(completion->words[0]);
    for (size_t i = 1; i < completion->count; i++) {
        size_t same = 0;
        while (same < common && completion->words[i][same] == completion->words[0][same]) {
            same++;
        }
        common = same;
    }
    while (common > 0 && ((unsigned char)completion->words[0][common] & 0xc0) == 0x80) {
        common--; /* not inside a character */
    }
    return common;
}

/* The first Tab: takes over what all candidates agree on, the whole word where there is one. */
static bool begin_completion(Prompt *prompt, Session *session)
{
    Completion *completion = &prompt->completion;
    if (!complete_line(session, prompt->text, prompt->cursor, completion, NULL)) {
        return false;
    }
    if (completion->count == 0) {
        completion_free(completion);
        return false;
    }
    char word[PROMPT_BYTES];
    size_t common = common_beginning(completion), start = completion->start;
    size_t typed = prompt->cursor - start;
    bool only = completion->count == 1;
    const char *first = completion->words[0];
    bool folder = only && common > 0 && first[common - 1] == '/';
    snprintf(word, sizeof word, "%.*s%s", (int)common, first, only && !folder ? " " : "");
    if (common > typed || only) {
        replace(prompt, start, prompt->cursor, word);
    }
    if (only) {
        completion_free(completion);
        return true;
    }
    prompt->completing = true;
    prompt->candidate = SIZE_MAX; /* none chosen yet */
    return true;
}

static bool complete(Prompt *prompt, Session *session, bool back)
{
    if (!prompt->commands) {
        return false;
    }
    if (!prompt->completing) {
        return begin_completion(prompt, session);
    }
    const Completion *completion = &prompt->completion;
    size_t count = completion->count;
    if (prompt->candidate >= count) {
        prompt->candidate = back ? count - 1 : 0;
    } else {
        prompt->candidate = (prompt->candidate + (back ? count - 1 : 1)) % count;
    }
    return replace(prompt, completion->start, prompt->cursor, completion->words[prompt->candidate]);
}

bool prompt_act(Prompt *prompt, Session *session, Action action)
{
    if (action == ACTION_COMPLETE || action == ACTION_COMPLETE_BACK) {
        return complete(prompt, session, action == ACTION_COMPLETE_BACK);
    }
    stop_completing(prompt);
    switch (action) {
    case ACTION_LEFT:
        prompt->cursor = character_before(prompt);
        return true;
    case ACTION_RIGHT:
        prompt->cursor = character_after(prompt);
        return true;
    case ACTION_FIRST:
        prompt->cursor = 0;
        return true;
    case ACTION_LAST:
        prompt->cursor = prompt->length;
        return true;
    case ACTION_UP:
    case ACTION_DOWN:
        return history_move(prompt, session, action == ACTION_UP);
    case ACTION_ERASE_BACK:
        return erase(prompt, character_before(prompt), prompt->cursor);
    case ACTION_ERASE:
        return erase(prompt, prompt->cursor, character_after(prompt));
    case ACTION_ERASE_WORD:
        return erase(prompt, word_before(prompt), prompt->cursor);
    case ACTION_ERASE_START:
        return erase(prompt, 0, prompt->cursor);
    case ACTION_ERASE_END:
        return erase(prompt, prompt->cursor, prompt->length);
    default:
        return false;
    }
}

/* ---- drawing ---- */

static void draw_candidates(const Prompt *prompt, Grid *grid, int row)
{
    const Completion *completion = &prompt->completion;
    size_t chosen = prompt->candidate < completion->count ? prompt->candidate : 0, first = 0;
    int used = 0;
    for (size_t i = 0; i <= chosen; i++) { /* scrolls so that the chosen one shows */
        used += grid_text_width(completion->words[i]) + 2;
        while (used > grid->columns && first < i) {
            used -= grid_text_width(completion->words[first++]) + 2;
        }
    }
    grid_fill(grid, (Rect){row, 0, 1, grid->columns}, LOOK_MARKED);
    int column = 0;
    for (size_t i = first; i < completion->count && column < grid->columns; i++) {
        Style style = i == prompt->candidate ? LOOK_CURSOR : LOOK_MARKED;
        column += grid_text(grid, row, column, grid->columns - column, style, completion->words[i]) + 2;
    }
}

void prompt_draw(const Prompt *prompt, Grid *grid, int row)
{
    int label = grid_text(grid, row, 0, grid->columns, LOOK_STRONG, prompt->label);
    int width = grid->columns - label - 1;
    /* the text from where the cursor still fits */
    const char *from = prompt->text;
    char before[PROMPT_BYTES];
    for (;;) {
        size_t skipped = (size_t)(from - prompt->text);
        snprintf(before, sizeof before, "%.*s", (int)(prompt->cursor - skipped), from);
        if (grid_text_width(before) <= width || *before == '\0') {
            break;
        }
        do {
            from++;
        } while (((unsigned char)*from & 0xc0) == 0x80);
    }
    grid_text(grid, row, label, width + 1, LOOK_NORMAL, from);
    grid->cursor_row = row;
    grid->cursor_column = label + grid_text_width(before);
    if (prompt->completing && row > 0) {
        draw_candidates(prompt, grid, row - 1);
    }
}
