/* help: of commands, and of the words that all faces use */
#include "config.h"

#include <string.h>

#include "explore/command_parts.h"
#include "explore/terms.h"
#include "explore/words.h"

enum { MEANING_COLUMNS = 54 }; /* so that a table of terms fits 80 columns */

static const char *kept_arguments(Document *out, const Command *command)
{
    Text text = {0};
    command_arguments_text(command, &text);
    return document_keep_text(out, &text);
}

/* ---- tables of text that is broken into lines ---- */

static const Column term_text_columns[] = {
    {"name", "term", UNIT_NONE, 0},
    {"meaning", "what it means", UNIT_NONE, 0},
};

static const Column mode_text_columns[] = {
    {"name", "mode", UNIT_NONE, 0},
    {"summary", "what it does", UNIT_NONE, 0},
};

/* As many rows as the text has lines; `first` stands in the first one. */
static void wrapped_row(Document *out, Table *table, const char *first, const char *text)
{
    for (size_t length = strlen(text); length > 0;) {
        size_t line = text_wrap(text, length, MEANING_COLUMNS), shown = line;
        while (shown > 0 && text[shown - 1] == ' ') {
            shown--;
        }
        table_row(table, (Cell[]){cell_text(first), cell_text(document_keep(out, "%.*s", (int)shown, text))});
        first = "";
        text += line;
        length -= line;
    }
}

/* ---- terms ---- */

static const Column term_columns[] = {
    {"name", "term", UNIT_NONE, 0},
    {"also", "also", UNIT_NONE, 0},
    {"json_keys", "JSON", UNIT_NONE, 0},
    {"meaning", "what it means", UNIT_NONE, 0},
};

typedef bool (*TermFilter)(const Term *term, const char *word);

static bool term_is_any(const Term *term, const char *word)
{
    (void)term;
    (void)word;
    return true;
}

static size_t count_terms(TermFilter filter, const char *word)
{
    size_t count, found = 0;
    const Term *terms = terms_table(&count);
    for (size_t i = 0; i < count; i++) {
        found += filter(&terms[i], word);
    }
    return found;
}

static void answer_terms(Document *out, TermFilter filter, const char *word)
{
    size_t count;
    const Term *terms = terms_table(&count);
    Table *text = document_table_in(out, IN_TEXT, "terms", term_text_columns, 2);
    Table *data = document_table_in(out, IN_JSON | IN_CSV, "terms", term_columns, 4);
    for (size_t i = 0; i < count; i++) {
        const Term *term = &terms[i];
        if (!filter(term, word)) {
            continue;
        }
        wrapped_row(out, text, term->name, term->meaning);
        if (term->also != NULL) {
            wrapped_row(out, text, "", document_keep(out, "also: %s", term->also));
        }
        if (term->keys != NULL) {
            wrapped_row(out, text, "", document_keep(out, "JSON: %s", term->keys));
        }
        table_row(data, (Cell[]){cell_text(term->name), cell_text(term->also), cell_text(term->keys),
                                 cell_text(term->meaning)});
    }
}

/* ---- commands ---- */

static const Column help_columns[] = {
    {"name", "command", UNIT_NONE, 0},
    {"arguments", NULL, UNIT_NONE, 0},
    {"summary", "what it does", UNIT_NONE, 0},
    {"example", "example", UNIT_NONE, 0},
};

static void help_row(Document *out, Table *table, const Command *command)
{
    table_row(table, (Cell[]){cell_text(command->name), cell_text(kept_arguments(out, command)),
                              cell_text(command->summary), cell_text(command->example)});
}

static void answer_commands(Document *out, const CommandSet *set)
{
    Table *table = document_table(out, "commands", help_columns, 4);
    for (size_t i = 0; i < commands_count(set); i++) {
        if ((commands_at(set, i)->flags & COMMAND_INTERNAL) == 0) {
            help_row(out, table, commands_at(set, i));
        }
    }
    document_note(out, "`help COMMAND` says more, `help terms` explains the words. Commands and options may "
                       "be shortened while they stay unique; > FILE writes the output to a new file, >| "
                       "FILE replaces one.");
}

static const Column parameter_columns[] = {
    {"name", "argument", UNIT_NONE, 0},
    {"summary", "what it is", UNIT_NONE, 0},
};

static const Column mode_columns_of_help[] = {
    {"name", "mode", UNIT_NONE, 0},
    {"letter", "letter", UNIT_NONE, 0},
    {"summary", "what it does", UNIT_NONE, 0},
};

static void answer_mode_summaries(Document *out)
{
    Table *text = document_table_in(out, IN_TEXT, "modes", mode_text_columns, 2);
    Table *data = document_table_in(out, IN_JSON, "modes", mode_columns_of_help, 3);
    for (Mode mode = 0; mode < MODE_COUNT; mode++) {
        const char *name = mode_name(mode), *letter = document_keep(out, "%c", mode_letter(mode));
        wrapped_row(out, text, document_keep(out, "%s (%s)", name, letter), mode_summary(mode));
        table_row(data, (Cell[]){cell_text(name), cell_text(letter), cell_text(mode_summary(mode))});
    }
}

static bool takes_mode(const Command *command)
{
    return strcmp(command->name, "mode") == 0 || strcmp(command->name, "modes") == 0;
}

/* One command: the JSON is that of the list, the text says more. A term of that name goes with it. */
static void answer_command(Document *out, const Command *command)
{
    help_row(out, document_table_in(out, IN_JSON | IN_CSV, "commands", help_columns, 4), command);
    const char *arguments = kept_arguments(out, command);
    document_field_in(
        out, IN_TEXT, "usage", "usage", UNIT_NONE,
        cell_text(document_keep(out, "%s%s%s", command->name, arguments[0] == '\0' ? "" : " ", arguments)));
    document_field_in(out, IN_TEXT, "summary", "does", UNIT_NONE, cell_text(command->summary));
    document_field_in(out, IN_TEXT, "example", "example", UNIT_NONE, cell_text(command->example));
    if (command->parameters != NULL) {
        Table *table = document_table_in(out, IN_TEXT, "parameters", parameter_columns, 2);
        for (const Parameter *p = command->parameters; p->name != NULL; p++) {
            table_row(table, (Cell[]){cell_text(p->name), cell_text(p->summary)});
        }
    }
    if (takes_mode(command)) {
        answer_mode_summaries(out);
    }
    if (count_terms(term_is_called, command->name) > 0) {
        answer_terms(out, term_is_called, command->name);
    }
    if (command->details != NULL) {
        document_note(out, "%s", command->details);
    }
}

/* ---- which of them ---- */

/* The words after `help` as one. */
static void read_topic(const CommandCall *call, Text *topic)
{
    for (size_t i = 0; i < argument_count(call, "TOPIC"); i++) {
        text_append(topic, i == 0 ? "" : " ");
        text_append(topic, argument_value(call, "TOPIC", i)->text);
    }
}

static const Command *command_called(const CommandSet *set, const char *name)
{
    for (size_t i = 0; i < commands_count(set); i++) {
        if (strcmp(commands_at(set, i)->name, name) == 0) {
            return commands_at(set, i);
        }
    }
    return NULL;
}

/* What may have been meant: commands and terms alike. */
static bool unknown_topic(const CommandSet *set, const char *topic, Error *error)
{
    size_t term_count, count = 0;
    const Term *terms = terms_table(&term_count);
    const char **names = mem_new(commands_count(set) + term_count + 2, sizeof *names, error);
    if (names == NULL) {
        return false;
    }
    for (size_t i = 0; i < commands_count(set); i++) {
        if ((commands_at(set, i)->flags & COMMAND_INTERNAL) == 0) {
            names[count++] = commands_at(set, i)->name;
        }
    }
    names[count++] = "terms";
    for (size_t i = 0; i < term_count; i++) {
        if (command_called(set, terms[i].name) == NULL) {
            names[count++] = terms[i].name;
        }
    }
    names[count] = NULL;
    uint32_t index = 0;
    if (word_is_like_none(topic, names)) {
        error_set(error, ERROR_USAGE,
                  "no command and no term is called '%s': `help` lists the commands, `help terms` the terms",
                  topic);
    } else if (word_choose(topic, names, "topic", &index, error)) {
        error_set(error, ERROR_USAGE, "no command and no term is called '%s': did you mean %s?", topic,
                  names[index]);
    }
    mem_free(names);
    return false;
}

/* The command of that name; else, when no term is called so, the one that alone begins so. *command is NULL
 * when there is none; fails only for want of memory. */
static bool find_command(const CommandSet *set, const char *topic, const Command **command, Error *error)
{
    Error trouble = {0};
    *command = command_called(set, topic);
    if (*command == NULL && count_terms(term_is_called, topic) == 0) {
        *command = commands_find(set, topic, &trouble);
    }
    return trouble.kind != ERROR_MEMORY || error_set(error, ERROR_MEMORY, "%s", trouble.message);
}

static bool answer_topic(CommandCall *call, const char *topic, Error *error)
{
    const CommandSet *set = session_commands(call->session);
    const Command *command;
    if (topic[0] == '\0') {
        return unknown_topic(set, topic, error);
    }
    if (!find_command(set, topic, &command, error)) {
        return false;
    }
    if (command != NULL) {
        answer_command(call->out, command);
    } else if (strcmp(topic, "terms") == 0) {
        answer_terms(call->out, term_is_any, topic);
    } else if (count_terms(term_is_called, topic) > 0) {
        answer_terms(call->out, term_is_called, topic);
    } else if (count_terms(term_begins, topic) == 1) {
        answer_terms(call->out, term_begins, topic);
    } else {
        return unknown_topic(set, topic, error);
    }
    return true;
}

static bool run_help(CommandCall *call, Error *error)
{
    if (!argument_given(call, "TOPIC")) {
        answer_commands(call->out, session_commands(call->session));
        return true;
    }
    Text topic = {0};
    read_topic(call, &topic);
    bool done = text_ok(&topic, error) && answer_topic(call, text_view(&topic), error);
    text_free(&topic);
    return done;
}

static const Parameter help_parameters[] = {{"TOPIC", PARAMETER_TOPIC, PARAMETER_REPEATABLE, NULL,
                                             "a command, a term, or `terms`, which lists all terms"},
                                            {0}};

static const Command commands[] = {
    {"help", "all commands, one in detail, or what a term means", "help modes",
     "A term may be any word that text, the explorer or JSON uses for it: help max frag.", run_help,
     COMMAND_INSTANT, help_parameters},
};

CommandTable commands_of_help(void)
{
    return (CommandTable){commands, sizeof commands / sizeof *commands};
}
