/* Runs lines of the command language. One grammar for the REPL, scripts, -e and the explorer's `:` line:
 *
 *     [-]COMMAND [ARGUMENT]... [> FILE | >| FILE]   # comment
 *
 * Words are split at blanks; '..' and ".." quote, a backslash takes the next character as it is (inside ".."
 * only before " and \). A # at the beginning of a word starts a comment. An option is --name VALUE or
 * --name=VALUE. A leading - says that a script goes on when this line fails. `>` writes the output to a new
 * file and refuses an existing one, `>|` replaces it; either way the file appears whole or not at all. What
 * is there and is no file (/dev/null) is written as it comes. */
#ifndef EXSCOPE_EXPLORE_INTERPRETER_H
#define EXSCOPE_EXPLORE_INTERPRETER_H

#include "explore/command.h"
#include "explore/render.h"

typedef struct Interpreter {
    Session *session;
    Sink sink;          /* for output */
    bool indent;        /* JSON over several lines */
    bool plain;         /* text without colours, whatever the settings say */
    bool select_only;   /* commands with COMMAND_SELECTS only select: the face shows the rest itself */
    Progress *progress; /* of the command that runs; its cancel flag stops a script too */
    /* Told of each failure, in the order in which they happen; `where` is "FILE:LINE" or "". */
    void (*failed)(void *context, const char *where, const char *line, const Error *error);
    /* Told before a command runs and after; either may be NULL. */
    void (*begin)(void *context, const Command *command);
    void (*end)(void *context);
    void *context;
    unsigned depth;     /* of `source` inside `source` */
    bool told;          /* the last failure has been told (a script inside told of its line) */
    bool output_failed; /* set when the sink failed: nothing more can be said there */
} Interpreter;

/* Runs one line and writes its output. Empty lines and comments do nothing. A failure is told by `failed` and
 * `error` (NULL is fine), and in the format JSON by a document too; false, unless the line begins with `-`.
 */
bool interpreter_line(Interpreter *interpreter, const char *line, Error *error);

/* Tells of a failure outside of any line, as if `command` had failed. */
void interpreter_failed(Interpreter *interpreter, const char *command, const Error *failure);

/* Runs a script ("-": standard input), line by line as they come; stops at the first failure of a line that
 * does not begin with `-`, and at `quit`. When the script cannot be read, `told` is false: the caller tells.
 */
bool interpreter_file(Interpreter *interpreter, const char *path, Error *error);

#endif
