/* Completion: what may stand at the cursor, asked of the same tables that parse the line. */
#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "explore/command_parts.h"
#include "explore/terms.h"

typedef struct Completer {
    Session *session;
    const Line *line;
    const char *begin;  /* what the candidate begins with, unquoted */
    const char *before; /* goes before every candidate: "--mode=" */
    Text word;          /* scratch */
    VEC(char *) found;
    Error *error;
} Completer;

static bool completer_add(Completer *completer, const char *candidate)
{
    if (strncmp(candidate, completer->begin, strlen(completer->begin)) != 0) {
        return true;
    }
    Text *word = &completer->word;
    text_clear(word);
    text_append(word, completer->before);
    line_append_word(word, candidate);
    char *copy = text_ok(word, completer->error)
                     ? mem_copy_text(text_view(word), word->length, completer->error)
                     : NULL;
    if (copy == NULL || !vec_push(&completer->found, copy, completer->error)) {
        mem_free(copy);
        return false;
    }
    return true;
}

static bool completer_add_all(Completer *completer, const char *const *candidates)
{
    for (; candidates != NULL && *candidates != NULL; candidates++) {
        if (!completer_add(completer, *candidates)) {
            return false;
        }
    }
    return true;
}

static bool is_command(const Completer *completer, const char *name)
{
    const CommandSet *set = session_commands(completer->session);
    for (size_t i = 0; i < commands_count(set); i++) {
        if (strcmp(commands_at(set, i)->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool complete_command(Completer *completer)
{
    const CommandSet *set = session_commands(completer->session);
    for (size_t i = 0; i < commands_count(set); i++) {
        const Command *command = commands_at(set, i);
        if ((command->flags & COMMAND_INTERNAL) == 0 && !completer_add(completer, command->name)) {
            return false;
        }
    }
    return true;
}

static bool complete_topic(Completer *completer)
{
    size_t count;
    const Term *terms = terms_table(&count);
    bool done = complete_command(completer) && completer_add(completer, "terms");
    for (size_t i = 0; done && i < count; i++) {
        if (!is_command(completer, terms[i].name)) {
            done = completer_add(completer, terms[i].name);
        }
    }
    return done;
}

static bool complete_setting(Completer *completer)
{
    for (size_t i = 0; setting_name(i) != NULL; i++) {
        if (!completer_add(completer, setting_name(i))) {
            return false;
        }
    }
    return true;
}

static bool complete_mode(Completer *completer)
{
    for (Mode mode = 0; mode < MODE_COUNT; mode++) {
        if (!completer_add(completer, mode_name(mode))) {
            return false;
        }
    }
    return true;
}

/* What is not there offers nothing, and that is no failure; but want of memory is. */
static bool completer_goes_on(Completer *completer, const Error *failure)
{
    return failure->kind != ERROR_MEMORY || error_set(completer->error, ERROR_MEMORY, "%s", failure->message);
}

static bool complete_phase(Completer *completer)
{
    Error failure = {0};
    View *view = view_new(completer->session, &failure);
    bool done = completer_goes_on(completer, &failure) && completer_add(completer, "worst");
    for (size_t i = 0; done && view != NULL && i < view_phase_count(view); i++) {
        char number[16];
        snprintf(number, sizeof number, "%u", (unsigned)view_phase_at(view, i)->phase->number);
        done = completer_add(completer, number);
    }
    view_free(view);
    return done;
}

static bool complete_tile(Completer *completer)
{
    Error failure = {0};
    View *view = view_new(completer->session, &failure);
    uint16_t tiles = view == NULL ? 0 : view_tile_count(view);
    view_free(view);
    bool done = completer_goes_on(completer, &failure) && completer_add(completer, "busiest");
    for (unsigned tile = 0; done && tile < tiles; tile++) {
        char number[16];
        snprintf(number, sizeof number, "%u", tile);
        done = completer_add(completer, number);
    }
    return done;
}

/* One name of a folder: shown when it is hidden only if asked for. */
static bool complete_entry(Completer *completer, const struct dirent *entry, const char *folder,
                           size_t folder_length, bool folders_only)
{
    const char *begin = completer->begin + folder_length;
    if (strncmp(entry->d_name, begin, strlen(begin)) != 0 || strcmp(entry->d_name, ".") == 0 ||
        strcmp(entry->d_name, "..") == 0 || (entry->d_name[0] == '.' && begin[0] != '.')) {
        return true;
    }
    Text path = {0};
    text_append_bytes(&path, folder, folder_length);
    text_append(&path, entry->d_name);
    struct stat status;
    bool is_folder = !path.failed && stat(text_view(&path), &status) == 0 && S_ISDIR(status.st_mode);
    text_append(&path, is_folder ? "/" : "");
    bool done = text_ok(&path, completer->error) &&
                ((folders_only && !is_folder) || completer_add(completer, text_view(&path)));
    text_free(&path);
    return done;
}

static bool complete_file(Completer *completer, bool folders_only)
{
    const char *slash = strrchr(completer->begin, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - completer->begin) + 1;
    char *folder =
        mem_copy_text(length == 0 ? "./" : completer->begin, length == 0 ? 2 : length, completer->error);
    if (folder == NULL) {
        return false;
    }
    DIR *directory = opendir(folder);
    bool done = true;
    for (struct dirent *entry; done && directory != NULL && (entry = readdir(directory)) != NULL;) {
        done = complete_entry(completer, entry, completer->begin, length, folders_only);
    }
    if (directory != NULL) {
        closedir(directory);
    }
    mem_free(folder);
    return done;
}

static bool complete_value(Completer *completer, const Parameter *parameter)
{
    if ((parameter->flags & PARAMETER_ALLOW_ALL) != 0 && !completer_add(completer, "all")) {
        return false;
    }
    size_t words = completer->line->words.count;
    switch (parameter->kind) {
    case PARAMETER_PHASE:
        return complete_phase(completer);
    case PARAMETER_MODE:
        return complete_mode(completer);
    case PARAMETER_TILE:
        return complete_tile(completer);
    case PARAMETER_CHOICE:
        return completer_add_all(completer, parameter->choices);
    case PARAMETER_FILE:
        return complete_file(completer, false);
    case PARAMETER_FOLDER:
        return complete_file(completer, true);
    case PARAMETER_TOPIC:
        return words > 2 || complete_topic(completer);
    case PARAMETER_SETTING:
        return complete_setting(completer);
    case PARAMETER_VALUE:
        return words < 2 ||
               completer_add_all(completer, setting_values(completer->line->words.items[1].text));
    case PARAMETER_FLAG:
    case PARAMETER_TEXT:
    case PARAMETER_NUMBER:
    case PARAMETER_ADDRESS:
    case PARAMETER_RANGE:
        break;
    }
    return true;
}

static bool complete_option(Completer *completer, const Command *command)
{
    for (const Parameter *p = command->parameters; p != NULL && p->name != NULL; p++) {
        if (p->name[0] == '-' && !completer_add(completer, p->name)) {
            return false;
        }
    }
    return true;
}

/* The option that waits for a value after words[index]; NULL when there is none. */
static const Parameter *option_waiting(const Command *command, const char *word)
{
    if (word[0] != '-' || strchr(word, '=') != NULL) {
        return NULL;
    }
    const Parameter *parameter = parameter_option(command, word, strlen(word), NULL);
    return parameter == NULL || parameter->kind == PARAMETER_FLAG ? NULL : parameter;
}

/* The word after the first `count` words of the line, of which `begin` is there already. */
static bool complete_argument(Completer *completer, size_t count)
{
    const Line *line = completer->line;
    Error failure = {0};
    const Command *command =
        commands_find(session_commands(completer->session), line->words.items[0].text, &failure);
    if (command == NULL) {
        return completer_goes_on(completer, &failure);
    }
    const Parameter *waiting = NULL;
    size_t positions = 0;
    for (size_t i = 1; i < count; i++) {
        const char *word = line->words.items[i].text;
        bool is_value = waiting != NULL;
        waiting = is_value ? NULL : option_waiting(command, word);
        positions += !is_value && word[0] != '-';
    }
    if (waiting != NULL) {
        return complete_value(completer, waiting);
    }
    const char *equals = strchr(completer->begin, '=');
    if (completer->begin[0] == '-' && equals != NULL) {
        size_t length = (size_t)(equals - completer->begin);
        const Parameter *option = parameter_option(command, completer->begin, length, NULL);
        char *before = mem_copy_text(completer->begin, length + 1, completer->error);
        bool done = before != NULL;
        if (done && option != NULL && option->kind != PARAMETER_FLAG) {
            completer->before = before;
            completer->begin = equals + 1;
            done = complete_value(completer, option);
            completer->before = "";
        }
        mem_free(before);
        return done;
    }
    if (completer->begin[0] == '-') {
        return complete_option(completer, command);
    }
    const Parameter *parameter = parameter_positional(command, positions);
    return parameter != NULL ? complete_value(completer, parameter)
                             : completer->begin[0] != '\0' || complete_option(completer, command);
}

static int compare_words(const void *left, const void *right)
{
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    size_t digits_a = strspn(a, "0123456789"), digits_b = strspn(b, "0123456789");
    if (a[digits_a] == '\0' && b[digits_b] == '\0' && digits_a != digits_b) {
        return digits_a < digits_b ? -1 : 1; /* numbers by value */
    }
    return strcmp(a, b);
}

static bool complete_parsed(Completer *completer, const Line *line, size_t cursor, size_t *start)
{
    size_t count = line->words.count;
    bool inside = count > 0 && line->words.items[count - 1].end == cursor && line->open_quote != '\\';
    completer->line = line;
    completer->begin = "";
    *start = cursor;
    if (line->file != NULL) {
        if (line->words.count > 0 && line->words.items[count - 1].start > line->file_start) {
            return true;
        }
        completer->begin = line->file;
        *start = line->file_start;
        return complete_file(completer, false);
    }
    if (inside) {
        count--;
        completer->begin = line->words.items[count].text;
        *start = line->words.items[count].start;
    }
    return count == 0 ? complete_command(completer) : complete_argument(completer, count);
}

bool complete_line(Session *session, const char *line, size_t cursor, Completion *completion, Error *error)
{
    *completion = (Completion){.start = cursor};
    Line parsed;
    Completer completer = {.session = session, .before = "", .error = error};
    bool done = line_parse(line, cursor, true, &parsed, error) &&
                complete_parsed(&completer, &parsed, cursor, &completion->start);
    completion->words = completer.found.items;
    completion->count = completer.found.count;
    if (completion->count > 1) {
        qsort(completion->words, completion->count, sizeof *completion->words, compare_words);
    }
    line_free(&parsed);
    text_free(&completer.word);
    if (!done) {
        completion_free(completion);
    }
    return done;
}

void completion_free(Completion *completion)
{
    for (size_t i = 0; i < completion->count; i++) {
        mem_free(completion->words[i]);
    }
    mem_free(completion->words);
    *completion = (Completion){0};
}
