/* The inside of the command table: who parses, completes and runs commands shares it. */
#ifndef EXSCOPE_EXPLORE_COMMAND_PARTS_H
#define EXSCOPE_EXPLORE_COMMAND_PARTS_H

#include "explore/command.h"
#include "explore/lexer.h"

typedef struct CommandEntry {
    const Command *command;
    void *context;
} CommandEntry;

struct CommandSet {
    VEC(CommandEntry) entries; /* ascending by name */
};

typedef struct Argument {
    const Parameter *parameter;
    Value value;
} Argument;

typedef struct Arguments {
    VEC(Argument) list; /* as written; options and positional ones alike */
} Arguments;

CommandSet *commands_new(Error *error);
void commands_free(CommandSet *set); /* NULL is fine */
bool commands_add_own(CommandSet *set, Error *error);

/* The context that the command was added with. */
void *commands_context(const CommandSet *set, const Command *command);

/* The tables of explore/, one per file. */
typedef struct CommandTable {
    const Command *commands;
    size_t count;
} CommandTable;

CommandTable commands_of_session(void); /* load, info, set, show, source, history, complete, jobs, quit */
CommandTable commands_of_phases(void);  /* phases, phase, mode, modes, compare */
CommandTable commands_of_tiles(void);   /* tiles, tile, transfers, routes */
CommandTable commands_of_order(void);   /* tail, deps */
CommandTable commands_of_memory(void);  /* coverage, identity, copies, cycles */
CommandTable commands_of_replays(void); /* replay, rows, timeline */
CommandTable commands_of_critical(void);
CommandTable commands_of_help(void);

/* ---- arguments ---- */

/* The option named `word` or beginning with it alone; an error otherwise. */
const Parameter *parameter_option(const Command *command, const char *word, size_t length, Error *error);

/* The positional parameter at `position` (a repeatable last one goes on); NULL when there is none. */
const Parameter *parameter_positional(const Command *command, size_t position);

/* Matches the words after the first with the parameters and reads their values: call->view, when there is
 * one, resolves phases and tiles. Sets call->entry, mode and tile too. */
bool arguments_parse(CommandCall *call, const Line *line, Error *error);
void arguments_free(Arguments *arguments);

#endif
