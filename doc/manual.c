/* Writes the man page: the template with the tables of the program put in, so that page and program cannot
 * disagree.
 *
 *     manual TEMPLATE > exscope.1
 *
 * A line of the template that is @OPTIONS@, @ANALYZE@, @COMMANDS@, @KEYS@, @MODES@, @SETTINGS@ or @TERMS@
 * becomes that table, and @VERSION@ anywhere the version. @DOCDIR@ and @PKGDATADIR@ are left to make. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "explore/command.h"
#include "explore/terms.h"
#include "options.h"
#include "report/analyze.h"
#include "report/commands.h"
#include "tui/keymap.h"
#include "tui/tui.h"

enum { TEMPLATE_BYTES_MAX = 1 << 20 };

/* ---- roff ---- */

/* Text as roff shows it unchanged, in the middle of a line. */
static void put_text(Text *page, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        switch (bytes[i]) {
        case '\\':
            text_append(page, "\\e");
            break;
        case '-':
            text_append(page, "\\-");
            break;
        case '\'':
            text_append(page, "\\(aq");
            break;
        case '`':
            text_append(page, "\\(ga");
            break;
        case '^':
            text_append(page, "\\(ha");
            break;
        case '~':
            text_append(page, "\\(ti");
            break;
        case '\xce': /* the only letter beyond ASCII in the tables is a Delta */
            text_append(page, "\\(*D");
            i++;
            break;
        default:
            text_append_char(page, bytes[i]);
        }
    }
}

static void put(Text *page, const char *text)
{
    put_text(page, text, strlen(text));
}

/* "write phases" as a sentence of its own: "Write phases." */
static void put_sentence(Text *page, const char *text)
{
    char first[2] = {text[0], '\0'};
    if (first[0] >= 'a' && first[0] <= 'z') {
        first[0] = (char)(first[0] - 'a' + 'A');
    }
    text_append(page, "\\&");
    put(page, first);
    put(page, text + 1);
    text_append(page, ".\n");
}

/* A synopsis: words in capitals stand for values, and are set in italics. */
static void put_arguments(Text *page, const char *arguments)
{
    for (const char *at = arguments; *at != '\0';) {
        size_t capitals = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (capitals == 0) {
            put_text(page, at++, 1);
            continue;
        }
        text_append(page, "\\fI");
        put_text(page, at, capitals);
        text_append(page, "\\fR");
        at += capitals;
    }
}

/* ---- options ---- */

static void put_options(Text *page)
{
    size_t count;
    const OptionHelp *options = options_table(&count);
    for (size_t i = 0; i < count; i++) {
        text_append(page, ".TP\n");
        if (options[i].code < 256) {
            text_printf(page, "\\fB\\-%c\\fR, ", options[i].code);
        }
        text_append(page, "\\fB\\-\\-");
        put(page, options[i].name);
        text_append(page, options[i].value == NULL ? "\\fR\n" : "\\fR ");
        if (options[i].value != NULL) {
            put_arguments(page, options[i].value);
            text_append_char(page, '\n');
        }
        put_sentence(page, options[i].summary);
    }
}

/* The usage of analyze lists its options as "  NAMES  summary". */
static void put_analyze(Text *page)
{
    for (const char *line = analyze_usage; *line != '\0'; line += strcspn(line, "\n") + 1) {
        char text[200];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
        char *gap = strstr(text + 2, "  ");
        if (strncmp(text, "  -", 3) != 0 || gap == NULL) {
            continue;
        }
        *gap = '\0';
        text_append(page, ".TP\n\\fB");
        put(page, text + 2);
        text_append(page, "\\fR\n");
        put_sentence(page, gap + strspn(gap + 1, " ") + 1);
    }
}

/* ---- commands, modes, settings ---- */

static void put_parameters(Text *page, const Parameter *parameter)
{
    text_append(page, ".RS\n.PD 0\n");
    for (; parameter->name != NULL; parameter++) {
        text_append(page, ".TP\n");
        if (parameter->name[0] == '-') {
            text_append(page, "\\fB");
            put(page, parameter->name);
            text_append(page, "\\fR\n");
        } else {
            put_arguments(page, parameter->name);
            text_append_char(page, '\n');
        }
        put_sentence(page, parameter->summary);
    }
    text_append(page, ".RE\n.PD\n");
}

static void put_command(Text *page, const Command *command)
{
    Text arguments = {0};
    command_arguments_text(command, &arguments);
    text_printf(page, ".TP\n\\fB%s\\fR%s", command->name, arguments.length == 0 ? "" : " ");
    put_arguments(page, text_view(&arguments));
    text_append_char(page, '\n');
    put_sentence(page, command->summary);
    if (command->details != NULL) {
        text_append(page, "\\&");
        put(page, command->details);
        text_append_char(page, '\n');
    }
    text_append(page, ".br\nExample: \\fB");
    put(page, command->example);
    text_append(page, "\\fR\n");
    if (command->parameters != NULL && command->parameters->name != NULL) {
        put_parameters(page, command->parameters);
    }
    text_free(&arguments);
}

static void put_commands(Text *page, Session *session)
{
    const CommandSet *set = session_commands(session);
    for (size_t i = 0; i < commands_count(set); i++) {
        if ((commands_at(set, i)->flags & COMMAND_INTERNAL) == 0) {
            put_command(page, commands_at(set, i));
        }
    }
}

static void put_modes(Text *page)
{
    for (Mode mode = 0; mode < MODE_COUNT; mode++) {
        text_append(page, ".TP\n\\fB");
        put(page, mode_name(mode));
        text_printf(page, "\\fR (\\fB%c\\fR)\n", mode_letter(mode));
        put_sentence(page, mode_summary(mode));
    }
}

static void put_settings(Text *page)
{
    for (size_t i = 0; setting_name(i) != NULL; i++) {
        text_append(page, ".TP\n\\fB");
        put(page, setting_name(i));
        text_append(page, "\\fR ");
        const char *const *values = setting_values(setting_name(i));
        for (const char *const *value = values; values != NULL && *value != NULL; value++) {
            text_printf(page, "%s%s", value == values ? "" : "|", *value);
        }
        text_append(page, values == NULL ? "\\fIN\\fR\n" : "\n");
        put_sentence(page, setting_summary(setting_name(i)));
    }
}

/* ---- terms ---- */

static void put_names(Text *page, const char *head, const char *names, const char *end)
{
    if (names != NULL) {
        text_append(page, head);
        put(page, names);
        text_append(page, end);
    }
}

static void put_terms(Text *page)
{
    size_t count;
    const Term *terms = terms_table(&count);
    for (size_t i = 0; i < count; i++) {
        text_append(page, ".TP\n\\fB");
        put(page, terms[i].name);
        text_append(page, "\\fR");
        put_names(page, " (", terms[i].also, ")");
        text_append_char(page, '\n');
        put_sentence(page, terms[i].meaning);
        put_names(page, "In JSON: ", terms[i].keys, ".\n");
    }
}

/* ---- keys ---- */

enum {
    ALL_SCREENS = (1u << CONTEXT_SCREENS) - 1,
    /* What all of these have in common is explained once, for all screens: the others are minor. */
    MAIN_SCREENS = 1u << CONTEXT_PHASES | 1u << CONTEXT_PHASE | 1u << CONTEXT_TILE | 1u << CONTEXT_TAIL
};

/* The contexts under whose heading a key is explained. */
static unsigned key_group(const KeyBinding *binding)
{
    return (binding->contexts & MAIN_SCREENS) == MAIN_SCREENS ? ALL_SCREENS : binding->contexts;
}

static void put_context_titles(Text *page, unsigned contexts)
{
    const char *between = "";
    for (Context context = 0; context < CONTEXT_COUNT; context++) {
        if ((contexts & 1u << context) != 0) {
            text_append(page, between);
            put(page, context_title(context));
            between = ", ";
        }
    }
}

static void put_group_title(Text *page, unsigned contexts)
{
    unsigned others = ALL_SCREENS & ~contexts;
    text_append(page, ".SS \"");
    if (others == 0) {
        text_append(page, "All screens");
    } else if ((others & (others - 1)) == 0) {
        text_append(page, "All screens but ");
        put_context_titles(page, others);
    } else {
        put_context_titles(page, contexts);
    }
    text_append(page, "\"\n");
}

/* "Up, k": a binding, and those after it that are other keys for the same. */
static void put_key_names(Text *page, const KeyBinding *binding, const KeyBinding *end)
{
    const char *between = "\\fB";
    const KeyBinding *at = binding;
    do {
        char name[24];
        input_key_name(at->key, name, sizeof name);
        text_append(page, between);
        put(page, name);
        between = "\\fR, \\fB";
        at++;
    } while (at < end && at->help == NULL && at->action == binding->action);
    text_append(page, "\\fR\n");
}

static void put_group(Text *page, unsigned group, const KeyBinding *bindings, size_t count)
{
    put_group_title(page, group);
    for (size_t i = 0; i < count; i++) {
        if (bindings[i].help != NULL && key_group(&bindings[i]) == group) {
            text_append(page, ".TP\n");
            put_key_names(page, &bindings[i], bindings + count);
            put_sentence(page, bindings[i].help);
        }
    }
}

/* A group where it first appears. */
static void put_keys(Text *page)
{
    size_t count;
    const KeyBinding *bindings = keymap_bindings(&count);
    for (size_t i = 0; i < count; i++) {
        bool first = bindings[i].help != NULL;
        for (size_t j = 0; first && j < i; j++) {
            first = bindings[j].help == NULL || key_group(&bindings[j]) != key_group(&bindings[i]);
        }
        if (first) {
            put_group(page, key_group(&bindings[i]), bindings, count);
        }
    }
}

/* ---- the page ---- */

/* A line of the template with the version put in. */
static void put_line(Text *page, const char *line, size_t length)
{
    static const char mark[] = "@VERSION@";
    const char *end = line + length;
    for (const char *at; (at = strstr(line, mark)) != NULL && at < end; line = at + strlen(mark)) {
        text_append_bytes(page, line, (size_t)(at - line));
        text_append(page, PACKAGE_VERSION);
    }
    text_append_bytes(page, line, (size_t)(end - line));
    text_append_char(page, '\n');
}

static void put_page(Text *page, const char *template, Session *session)
{
    for (const char *line = template; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        char mark[16];
        snprintf(mark, sizeof mark, "%.*s", (int)(length < sizeof mark ? length : 0), line);
        if (strcmp(mark, "@OPTIONS@") == 0) {
            put_options(page);
        } else if (strcmp(mark, "@ANALYZE@") == 0) {
            put_analyze(page);
        } else if (strcmp(mark, "@COMMANDS@") == 0) {
            put_commands(page, session);
        } else if (strcmp(mark, "@KEYS@") == 0) {
            put_keys(page);
        } else if (strcmp(mark, "@MODES@") == 0) {
            put_modes(page);
        } else if (strcmp(mark, "@SETTINGS@") == 0) {
            put_settings(page);
        } else if (strcmp(mark, "@TERMS@") == 0) {
            put_terms(page);
        } else {
            put_line(page, line, length);
        }
        line += length + (line[length] == '\n');
    }
}

int main(int count, char **arguments)
{
    Error error = {0};
    Text template = {0}, page = {0};
    Session *session = session_new(1, &error);
    Tui *tui = NULL;
    bool done = count == 2 || error_set(&error, ERROR_USAGE, "usage: manual TEMPLATE");
    done = done && session != NULL && report_commands_add(session, &error) &&
           (tui = tui_new(session, &error)) != NULL &&
           file_read_text(arguments[1], TEMPLATE_BYTES_MAX, &template, &error);
    if (done) {
        put_page(&page, text_view(&template), session);
        done = text_ok(&page, &error) && fputs(text_view(&page), stdout) != EOF && fflush(stdout) == 0;
    }
    if (!done) {
        fprintf(stderr, "manual: %s\n", error.message);
    }
    text_free(&template);
    text_free(&page);
    tui_free(tui);
    session_free(session);
    return done ? 0 : 1;
}
