#include "config.h"

#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "explore/words.h"

enum { OPTION_FORMAT = 256, OPTION_COLOR, OPTION_ASCII, OPTION_NO_MOUSE, OPTION_NO_RC };

static const OptionHelp option_table[] = {
    {'e', "execute", "COMMAND", "run a command (again and again, in order), then exit"},
    {'f', "file", "FILE", "run a script of commands ('-': standard input), then exit"},
    {'i', "interactive", NULL, "the REPL; also after -e and -f"},
    {'j', "jobs", "N", "worker threads (default: one per online core)"},
    {OPTION_FORMAT, "format", "text|json|csv", "of what commands print (default: text)"},
    {OPTION_COLOR, "color", "auto|always|never", "colours in text (default: auto; NO_COLOR is honoured)"},
    {OPTION_ASCII, "ascii", NULL, "show nothing beyond ASCII"},
    {OPTION_NO_MOUSE, "no-mouse", NULL, "the explorer leaves the mouse to the terminal"},
    {OPTION_NO_RC, "no-rc", NULL, "do not run the exscoperc script (only the explorer and -i run it)"},
    {'q', "quiet", NULL, "no notes, no progress"},
    {'v', "verbose", NULL, "text tables show every column"},
    {'h', "help", NULL, "this"},
    {'V', "version", NULL, "the version"},
};

enum { OPTION_COUNT = sizeof option_table / sizeof *option_table };

const OptionHelp *options_table(size_t *count)
{
    *count = OPTION_COUNT;
    return option_table;
}

static const char *const color_names[] = {"auto", "always", "never", NULL};
static const char *const format_names[] = {"text", "json", "csv", NULL};

static bool option_take(Options *options, int code, const char *value, Error *error)
{
    uint64_t number = 0;
    switch (code) {
    case 'e':
    case 'f':
        return vec_push(&options->steps, ((Step){code == 'f', value}), error);
    case 'i':
        options->interactive = true;
        return true;
    case 'j':
        if (!word_number(value, 1, 256, "--jobs", &number, error)) {
            return false;
        }
        options->jobs = (unsigned)number;
        return true;
    case OPTION_FORMAT:
        options->format_given = true;
        return word_choose(value, format_names, "--format", &options->format, error);
    case OPTION_COLOR:
        return word_choose(value, color_names, "--color", &options->color, error);
    case OPTION_ASCII:
        options->ascii = true;
        return true;
    case OPTION_NO_MOUSE:
        options->mouse = false;
        return true;
    case OPTION_NO_RC:
        options->rc = false;
        return true;
    case 'q':
        options->quiet = true;
        return true;
    case 'v':
        options->verbose = true;
        return true;
    case 'h':
        options->help = true;
        return true;
    case 'V':
        options->version = true;
        return true;
    default:
        return true;
    }
}

/* What getopt_long() has stopped at: `code` is ':' where a value is missing; else `letter` is 0 or an unknown
 * letter, or the code of a long option that takes no value but was given one. */
static bool option_wrong(int code, int letter, const char *argument, Error *error)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (option_table[i].code == letter) {
            return error_set(error, ERROR_USAGE, "option '%s' %s %s: exscope -h lists the options", argument,
                             code == ':' ? "needs" : "takes",
                             code == ':' ? option_table[i].value : "no value");
        }
    }
    if (letter != 0) {
        return error_set(error, ERROR_USAGE, "unknown option '-%c': exscope -h lists the options", letter);
    }
    return error_set(error, ERROR_USAGE, "unknown option '%s': exscope -h lists the options", argument);
}

/* The table in the form of getopt_long(). */
static void option_tables(char *letters, struct option *names)
{
    *letters++ = ':'; /* tell a missing value from an unknown option */
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const OptionHelp *option = &option_table[i];
        names[i] = (struct option){.name = option->name,
                                   .has_arg = option->value == NULL ? no_argument : required_argument,
                                   .val = option->code};
        if (option->code < 256) {
            *letters++ = (char)option->code;
            if (option->value != NULL) {
                *letters++ = ':';
            }
        }
    }
    *letters = '\0';
    names[OPTION_COUNT] = (struct option){0};
}

bool options_read_input(const Options *options)
{
    bool reads = options->interactive || options->steps.count == 0;
    for (size_t i = 0; i < options->steps.count; i++) {
        reads = reads || (options->steps.items[i].is_file && strcmp(options->steps.items[i].text, "-") == 0);
    }
    return reads;
}

static bool options_check(const Options *options, Error *error)
{
    if (options->capture != NULL && strcmp(options->capture, "-") == 0 && options_read_input(options)) {
        return error_set(error, ERROR_USAGE,
                         "standard input is the capture: commands can come from -e and -f FILE only");
    }
    return true;
}

bool options_parse(int count, char **arguments, Options *options, Error *error)
{
    char letters[1 + 2 * OPTION_COUNT + 1];
    struct option names[OPTION_COUNT + 1];
    option_tables(letters, names);
    *options = (Options){.rc = true, .mouse = true};
    opterr = 0; /* getopt's own messages show an argument as it is */
    for (int code; (code = getopt_long(count, arguments, letters, names, NULL)) != -1;) {
        bool wrong = code == '?' || code == ':';
        if (!(wrong ? option_wrong(code, optopt, arguments[optind - 1], error)
                    : option_take(options, code, optarg, error))) {
            return false;
        }
    }
    if (count - optind > 1 && strcmp(arguments[optind], "analyze") == 0) {
        return error_set(error, ERROR_USAGE,
                         "analyze is the first word: exscope analyze CAPTURE OUTDIR [OPTIONS]");
    }
    if (count - optind > 1) {
        return error_set(error, ERROR_USAGE, "one capture at a time: '%s' is one too many",
                         arguments[optind + 1]);
    }
    options->capture = optind < count ? arguments[optind] : NULL;
    return options_check(options, error);
}

void options_free(Options *options)
{
    vec_free(&options->steps);
}

void options_print_help(void)
{
    fputs("usage: exscope [OPTIONS] [CAPTURE]\n"
          "       exscope analyze CAPTURE OUTDIR [OPTIONS]   (exscope analyze -h)\n"
          "\n"
          "Explores the exchange phases of a capture: a terminal explorer where standard input and output\n"
          "are a terminal, else commands from standard input. CAPTURE is JSON, plain, gzip or zstd; - reads\n"
          "it from standard input.\n"
          "\n",
          stdout);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const OptionHelp *option = &option_table[i];
        char left[64];
        bool letter = option->code < 256;
        snprintf(left, sizeof left, "%c%c%s--%s%s%s", letter ? '-' : ' ', letter ? option->code : ' ',
                 letter ? ", " : "  ", option->name, option->value == NULL ? "" : " ",
                 option->value == NULL ? "" : option->value);
        printf("  %-32s %s\n", left, option->summary);
    }
    fputs("\nCommands: exscope -e help. Exit status: 0 done, 1 a command or the load failed, 2 bad usage,\n"
          "130 stopped by Ctrl-C.\n",
          stdout);
}
