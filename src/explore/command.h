/* The command table: the one verb that every face shares. A key in the explorer, `:` there, a REPL line, a
 * script line and -e all end in a Command. Higher folders register commands of their own.
 *
 *     static const Parameter export_parameters[] = {
 *         {"DIR", PARAMETER_FOLDER, PARAMETER_REQUIRED, NULL, "where the files go"},
 *         {"--phase", PARAMETER_PHASE, PARAMETER_REPEATABLE, NULL, "only these phases"}, {0}};
 *     static const Command commands[] = {{"export", "write fixtures", "export out --mode coalesced", ...}};
 *     commands_add(session_commands(session), commands, 1, context, error)
 */
#ifndef EXSCOPE_EXPLORE_COMMAND_H
#define EXSCOPE_EXPLORE_COMMAND_H

#include "explore/document.h"
#include "explore/session.h"
#include "explore/view.h"

/* ---- what a command takes ---- */

typedef enum ParameterKind {
    PARAMETER_FLAG, /* an option without a value */
    PARAMETER_TEXT,
    PARAMETER_NUMBER,  /* 0 .. 2^32 - 1 */
    PARAMETER_PHASE,   /* a phase's number, or `worst`, or `all` where PARAMETER_ALLOW_ALL */
    PARAMETER_MODE,    /* name, script's name or letter; `all` likewise */
    PARAMETER_TILE,    /* 0 .. tile_count - 1, or `busiest` */
    PARAMETER_CHOICE,  /* one of `choices`, or a unique beginning of one */
    PARAMETER_ADDRESS, /* a byte address below 2^20, decimal or 0x.. */
    PARAMETER_RANGE,   /* A..B of numbers, B excluded; either may be left out; a single N is N..N+1 */
    PARAMETER_FILE,
    PARAMETER_FOLDER,
    PARAMETER_TOPIC,   /* of help: the name of a command or term */
    PARAMETER_SETTING, /* the name of a setting */
    PARAMETER_VALUE    /* a value of the setting before it */
} ParameterKind;

enum {
    PARAMETER_REQUIRED = 1,
    PARAMETER_REPEATABLE = 2,
    PARAMETER_ALLOW_ALL = 4,
    PARAMETER_POSITIVE = 8 /* NUMBER: not 0 */
};

typedef struct Parameter {
    const char *name; /* "--tile" for an option, "FILE" for a positional argument; NULL ends a list */
    ParameterKind kind;
    unsigned flags;
    const char *const *choices; /* PARAMETER_CHOICE: ended by NULL */
    const char *summary;        /* a few words */
} Parameter;

typedef struct Value {
    const char *text; /* as it was written, quotes removed; SETTING: the full name */
    bool all;         /* `all` was written */
    uint32_t number,
        end; /* NUMBER; ADDRESS; TILE (busiest resolved); RANGE [number, end); CHOICE: its index */
    const PhaseEntry *entry; /* PHASE */
    Mode mode;               /* MODE */
} Value;

/* ---- a command ---- */

typedef struct CommandCall CommandCall;
typedef bool (*CommandFunction)(CommandCall *call, Error *error);

enum {
    COMMAND_INSTANT = 1,       /* never long: may run on the thread that draws */
    COMMAND_NEEDS_CAPTURE = 2, /* refused in one line when nothing is open; call->view is there */
    COMMAND_NEEDS_PHASE = 4,   /* also needs a phase: call->entry, call->mode, call->tile are there */
    COMMAND_INTERNAL = 8,      /* not listed by help */
    COMMAND_RUNS_OTHERS = 16,  /* its time is that of the commands that it runs */
    COMMAND_OPENS = 64,        /* another capture: does not wait for jobs of the one before */
    COMMAND_SELECTS = 32       /* with call->select_only it only selects, and is instant */
};

typedef struct Command {
    const char *name;
    const char *summary; /* one line, no stop */
    const char *example; /* a line that works */
    const char *details; /* more for `help NAME`, sentences; may be NULL */
    CommandFunction function;
    unsigned flags;
    const Parameter *parameters; /* ended by a NULL name; NULL: none */
} Command;

/* One run of a command: what its function gets. */
struct CommandCall {
    Session *session;
    const Command *command;
    void *context; /* as given to commands_add */
    View *view;    /* NULL when nothing is open */
    /* What is selected, or what --phase, --mode, --tile (of these kinds, not repeated) say instead. */
    const PhaseEntry *entry;
    Mode mode;
    int32_t tile;     /* -1: nobody chose */
    bool select_only; /* nothing is to be answered: the explorer shows it on a screen */
    Document *out;    /* to be filled */
    Progress *progress;
    struct Interpreter *interpreter; /* who runs it; for commands that run others */
    struct Arguments *arguments;
};

/* The arguments, by the parameter's name. */
bool argument_given(const CommandCall *call, const char *name);
size_t argument_count(const CommandCall *call, const char *name);
const Value *argument_value(const CommandCall *call, const char *name, size_t index);    /* NULL: none */
const char *argument_text(const CommandCall *call, const char *name);                    /* NULL: none */
uint32_t argument_number(const CommandCall *call, const char *name, uint32_t otherwise); /* CHOICE: index */

/* The tile that the command is about: call->tile, or the busiest one where nobody chose. Fails in a phase
 * without transfers, or when the mode has to be built for it and is refused. */
bool call_tile(const CommandCall *call, uint16_t *tile, Error *error);
bool call_busiest_tile(const CommandCall *call, int32_t *tile, Error *error);

/* ---- the table ---- */

/* Adds `count` commands; the table is borrowed and outlives the set. A name that is known is refused. */
bool commands_add(CommandSet *set, const Command *table, size_t count, void *context, Error *error);

/* All, ascending by name. */
size_t commands_count(const CommandSet *set);
const Command *commands_at(const CommandSet *set, size_t index);

/* By name or unique beginning. NULL with ERROR_USAGE: the candidates, or the nearest word. */
const Command *commands_find(const CommandSet *set, const char *word, Error *error);

/* "FILE", "[--sort rank|phase|..] [--top N]": the arguments as help shows them. */
void command_arguments_text(const Command *command, Text *text);

/* ---- completion ---- */

/* Candidates for the word that ends at `cursor` in `line`, each a whole word quoted as the lexer wants it,
 * sorted. *start is where that word begins. Free with completion_free. */
typedef struct Completion {
    char **words;
    size_t count;
    size_t start;
} Completion;

bool complete_line(Session *session, const char *line, size_t cursor, Completion *completion, Error *error);
void completion_free(Completion *completion);

#endif
