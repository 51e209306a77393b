/* The command line: one table of options that the parser, -h and the man page share. */
#ifndef EXSCOPE_OPTIONS_H
#define EXSCOPE_OPTIONS_H

#include "base/vec.h"
#include "explore/session.h"

typedef struct OptionHelp {
    int code; /* the letter, or above 255 */
    const char *name;
    const char *value; /* NULL: takes none */
    const char *summary;
} OptionHelp;

/* All options, in the order of help. */
const OptionHelp *options_table(size_t *count);

typedef enum ColorChoice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } ColorChoice;

/* One -e or -f, in the order in which they were given. */
typedef struct Step {
    bool is_file;
    const char *text;
} Step;

typedef struct Options {
    VEC(Step) steps;
    const char *capture; /* NULL: none */
    bool interactive, rc, ascii, mouse, quiet, verbose, help, version;
    uint32_t color;  /* ColorChoice */
    uint32_t format; /* OutputFormat */
    bool format_given;
    unsigned jobs; /* 0: one per core */
} Options;

/* Reads the arguments of main(); the texts stay those of `arguments`. ERROR_USAGE when they make no sense;
 * what is wrong with a single option getopt_long() has then said on standard error. Free with options_free in
 * either case. */
bool options_parse(int count, char **arguments, Options *options, Error *error);

/* Whether commands or keys come from standard input, so that it can be no capture. */
bool options_read_input(const Options *options);

void options_free(Options *options);

/* What -h prints. */
void options_print_help(void);

#endif
