#include "config.h"

#include "explore/command.h"

#include <string.h>

#include "explore/command_parts.h"
#include "explore/words.h"

CommandSet *commands_new(Error *error)
{
    return mem_zero(1, sizeof(CommandSet), error);
}

void commands_free(CommandSet *set)
{
    if (set != NULL) {
        vec_free(&set->entries);
        mem_free(set);
    }
}

static bool commands_insert(CommandSet *set, CommandEntry entry, Error *error)
{
    size_t place = 0;
    while (place < set->entries.count &&
           strcmp(set->entries.items[place].command->name, entry.command->name) < 0) {
        place++;
    }
    if (place < set->entries.count &&
        strcmp(set->entries.items[place].command->name, entry.command->name) == 0) {
        return error_set(error, ERROR_REFUSED, "there is a command '%s' already", entry.command->name);
    }
    if (!vec_push(&set->entries, entry, error)) {
        return false;
    }
    memmove(set->entries.items + place + 1, set->entries.items + place,
            (set->entries.count - 1 - place) * sizeof entry);
    set->entries.items[place] = entry;
    return true;
}

bool commands_add(CommandSet *set, const Command *table, size_t count, void *context, Error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!commands_insert(set, (CommandEntry){&table[i], context}, error)) {
            return false;
        }
    }
    return true;
}

bool commands_add_own(CommandSet *set, Error *error)
{
    const CommandTable tables[] = {commands_of_session(),  commands_of_phases(), commands_of_tiles(),
                                   commands_of_order(),    commands_of_memory(), commands_of_replays(),
                                   commands_of_critical(), commands_of_help()};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (!commands_add(set, tables[i].commands, tables[i].count, NULL, error)) {
            return false;
        }
    }
    return true;
}

size_t commands_count(const CommandSet *set)
{
    return set->entries.count;
}

const Command *commands_at(const CommandSet *set, size_t index)
{
    return set->entries.items[index].command;
}

void *commands_context(const CommandSet *set, const Command *command)
{
    for (size_t i = 0; i < set->entries.count; i++) {
        if (set->entries.items[i].command == command) {
            return set->entries.items[i].context;
        }
    }
    return NULL;
}

const Command *commands_find(const CommandSet *set, const char *word, Error *error)
{
    size_t count = set->entries.count;
    const char **names = mem_new(count + 1, sizeof *names, error);
    if (names == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = set->entries.items[i].command->name;
    }
    names[count] = NULL;
    uint32_t index = 0;
    bool found = word_choose(word, names, "command", &index, error);
    if (!found && word_is_like_none(word, names)) {
        error_set(error, ERROR_USAGE, "unknown command '%s': `help` lists them",
                  word); /* too many to list here */
    }
    mem_free(names);
    return found ? set->entries.items[index].command : NULL;
}

/* ---- help ---- */

static const char *value_name(const Parameter *parameter)
{
    switch (parameter->kind) {
    case PARAMETER_FLAG:
        return "";
    case PARAMETER_TEXT:
        return "TEXT";
    case PARAMETER_NUMBER:
    case PARAMETER_PHASE:
    case PARAMETER_TILE:
        return "N";
    case PARAMETER_MODE:
        return "M";
    case PARAMETER_ADDRESS:
        return "A";
    case PARAMETER_RANGE:
        return "A..B";
    case PARAMETER_FILE:
        return "FILE";
    case PARAMETER_FOLDER:
        return "DIR";
    case PARAMETER_TOPIC:
        return "TOPIC";
    case PARAMETER_SETTING:
        return "KEY";
    case PARAMETER_VALUE:
        return "VALUE";
    case PARAMETER_CHOICE:
        break;
    }
    return NULL;
}

static void append_value(Text *text, const Parameter *parameter)
{
    const char *name = value_name(parameter);
    if (name != NULL) {
        text_append(text, name);
        if ((parameter->flags & PARAMETER_ALLOW_ALL) != 0) {
            text_append(text, "|all");
        }
        return;
    }
    for (const char *const *choice = parameter->choices; *choice != NULL; choice++) {
        text_append(text, choice == parameter->choices ? "" : "|");
        text_append(text, *choice);
    }
}

void command_arguments_text(const Command *command, Text *text)
{
    const Parameter *parameter = command->parameters;
    for (bool first = true; parameter != NULL && parameter->name != NULL; parameter++, first = false) {
        bool option = parameter->name[0] == '-';
        bool required = (parameter->flags & PARAMETER_REQUIRED) != 0;
        text_append(text, first ? "" : " ");
        text_append(text, required ? "" : "[");
        text_append(text, parameter->name);
        if (option && parameter->kind != PARAMETER_FLAG) {
            text_append_char(text, ' ');
            append_value(text, parameter);
        }
        text_append(text, required ? "" : "]");
        text_append(text, (parameter->flags & PARAMETER_REPEATABLE) != 0 ? ".." : "");
    }
}
