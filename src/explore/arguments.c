/* Words of a line as the arguments of a command. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "explore/command_parts.h"
#include "explore/words.h"

void arguments_free(Arguments *arguments)
{
    vec_free(&arguments->list);
}

/* ---- which parameter ---- */

const Parameter *parameter_option(const Command *command, const char *word, size_t length, Error *error)
{
    const Parameter *found = NULL;
    unsigned matches = 0;
    for (const Parameter *p = command->parameters; p != NULL && p->name != NULL; p++) {
        if (p->name[0] != '-' || strncmp(p->name, word, length) != 0) {
            continue;
        }
        if (p->name[length] == '\0') {
            return p;
        }
        found = p;
        matches++;
    }
    if (matches == 1 && length > 2) {
        return found;
    }
    Text usage = {0};
    command_arguments_text(command, &usage);
    error_set(error, ERROR_USAGE, "%s '%.*s': use %s%s%s",
              matches > 1 ? "ambiguous option" : "unknown option", (int)length, word, command->name,
              usage.length == 0 ? " without arguments" : " ", text_view(&usage));
    text_free(&usage);
    return NULL;
}

const Parameter *parameter_positional(const Command *command, size_t position)
{
    const Parameter *last = NULL;
    for (const Parameter *p = command->parameters; p != NULL && p->name != NULL; p++) {
        if (p->name[0] != '-') {
            if (position == 0) {
                return p;
            }
            position--;
            last = p;
        }
    }
    return last != NULL && (last->flags & PARAMETER_REPEATABLE) != 0 ? last : NULL;
}

static bool usage_error(const Command *command, Error *error, const char *what)
{
    Text usage = {0};
    command_arguments_text(command, &usage);
    error_set(error, ERROR_USAGE, "%s: use %s%s%s", what, command->name, usage.length == 0 ? "" : " ",
              text_view(&usage));
    text_free(&usage);
    return false;
}

static bool arguments_has(const Arguments *arguments, const Parameter *parameter)
{
    for (size_t i = 0; i < arguments->list.count; i++) {
        if (arguments->list.items[i].parameter == parameter) {
            return true;
        }
    }
    return false;
}

static bool arguments_add(CommandCall *call, const Parameter *parameter, const char *text, Error *error)
{
    if ((parameter->flags & PARAMETER_REPEATABLE) == 0 && arguments_has(call->arguments, parameter)) {
        return error_set(error, ERROR_USAGE, "%s is given twice", parameter->name);
    }
    Argument argument = {.parameter = parameter, .value.text = text};
    return vec_push(&call->arguments->list, argument, error);
}

/* An option at words[*index], with its value; *index moves to its last word. */
static bool arguments_take_option(CommandCall *call, const Line *line, size_t *index, Error *error)
{
    const char *word = line->words.items[*index].text;
    const char *equals = strchr(word, '=');
    size_t length = equals == NULL ? strlen(word) : (size_t)(equals - word);
    const Parameter *parameter = parameter_option(call->command, word, length, error);
    if (parameter == NULL) {
        return false;
    }
    if (parameter->kind == PARAMETER_FLAG) {
        return equals == NULL ? arguments_add(call, parameter, "", error)
                              : error_set(error, ERROR_USAGE, "%s takes no value", parameter->name);
    }
    if (equals != NULL) {
        return arguments_add(call, parameter, equals + 1, error);
    }
    if (*index + 1 == line->words.count) {
        return error_set(error, ERROR_USAGE, "%s needs a value", parameter->name);
    }
    return arguments_add(call, parameter, line->words.items[++*index].text, error);
}

static bool arguments_take(CommandCall *call, const Line *line, Error *error)
{
    size_t positions = 0;
    bool options = true; /* until -- */
    for (size_t i = 1; i < line->words.count; i++) {
        const char *word = line->words.items[i].text;
        if (options && strcmp(word, "--") == 0) {
            options = false;
        } else if (options && word[0] == '-' && word[1] != '\0') {
            if (!arguments_take_option(call, line, &i, error)) {
                return false;
            }
        } else {
            const Parameter *parameter = parameter_positional(call->command, positions++);
            if (parameter == NULL) {
                return usage_error(call->command, error, "too many arguments");
            }
            if (!arguments_add(call, parameter, word, error)) {
                return false;
            }
        }
    }
    for (const Parameter *p = call->command->parameters; p != NULL && p->name != NULL; p++) {
        if ((p->flags & PARAMETER_REQUIRED) != 0 && !arguments_has(call->arguments, p)) {
            return usage_error(call->command, error, "an argument is missing");
        }
    }
    return true;
}

/* ---- what it means ---- */

static bool value_number(Value *value, uint64_t low, uint64_t high, const char *what, Error *error)
{
    uint64_t number = 0;
    bool done = word_number(value->text, low, high, what, &number, error);
    value->number = (uint32_t)number;
    return done;
}

static bool value_phase(const CommandCall *call, const Parameter *parameter, Value *value, Error *error)
{
    if (call->view == NULL) {
        return error_set(error, ERROR_INPUT, "no capture is open: load FILE opens one");
    }
    if ((parameter->flags & PARAMETER_ALLOW_ALL) != 0 && strcmp(value->text, "all") == 0) {
        value->all = true;
        return true;
    }
    if (strcmp(value->text, "worst") == 0) {
        value->entry = view_worst_phase(call->view);
        return value->entry != NULL || error_set(error, ERROR_INPUT, "the capture has no phases");
    }
    if (!value_number(value, 0, UINT32_MAX, "a phase", NULL)) {
        return error_set(error, ERROR_USAGE, "'%s' is no phase: use a number that `phases` lists, or worst",
                         value->text);
    }
    value->entry = view_phase(call->view, value->number);
    return value->entry != NULL ||
           error_set(error, ERROR_INPUT, "there is no phase %u%s: `phases` lists all %zu", value->number,
                     view_loading(call->view) ? " yet" : "", view_phase_count(call->view));
}

static bool value_mode(const Parameter *parameter, Value *value, Error *error)
{
    if ((parameter->flags & PARAMETER_ALLOW_ALL) != 0 && strcmp(value->text, "all") == 0) {
        value->all = true;
        return true;
    }
    if (mode_parse(value->text, &value->mode)) {
        return true;
    }
    const char *names[MODE_COUNT + 1] = {NULL};
    for (Mode mode = 0; mode < MODE_COUNT; mode++) {
        names[mode] = mode_name(mode);
    }
    uint32_t index = 0;
    bool done = word_choose(value->text, names, "mode", &index, error);
    value->mode = (Mode)index;
    return done;
}

static bool value_tile(const CommandCall *call, Value *value, Error *error)
{
    if (call->view == NULL) {
        return error_set(error, ERROR_INPUT, "no capture is open: load FILE opens one");
    }
    if (strcmp(value->text, "busiest") != 0) {
        unsigned tiles = view_tile_count(call->view), last = tiles == 0 ? 0 : tiles - 1;
        return value_number(value, 0, last, "a tile", NULL) ||
               error_set(error, ERROR_USAGE, "'%s' is no tile: use a number from 0 to %u, or busiest",
                         value->text, last);
    }
    int32_t tile = -1;
    if (!call_busiest_tile(call, &tile, error)) {
        return false;
    }
    value->number = (uint32_t)tile;
    return true;
}

/* A..B, A.., ..B, .., or A alone for A..A+1. */
static bool value_range(Value *value, const char *what, Error *error)
{
    const char *dots = strstr(value->text, "..");
    char begin[24];
    size_t length = dots == NULL ? strlen(value->text) : (size_t)(dots - value->text);
    uint64_t from = 0, to = UINT32_MAX;
    if (length >= sizeof begin) {
        return error_set(error, ERROR_USAGE, "%s must be a range A..B of numbers, not '%s'", what,
                         value->text);
    }
    memcpy(begin, value->text, length);
    begin[length] = '\0';
    if ((length > 0 || dots == NULL) && !word_number(begin, 0, UINT32_MAX - 1, what, &from, error)) {
        return false;
    }
    if (dots == NULL) {
        to = from + 1;
    } else if (dots[2] != '\0' && !word_number(dots + 2, 0, UINT32_MAX, what, &to, error)) {
        return false;
    }
    if (from > to) {
        return error_set(error, ERROR_USAGE, "%s '%s' ends before it begins", what, value->text);
    }
    value->number = (uint32_t)from;
    value->end = (uint32_t)to;
    return true;
}

/* 0x4c000 or 311296. */
static bool value_address(Value *value, const char *what, Error *error)
{
    enum { ADDRESS_END = 1 << 20 };
    bool hex = strncmp(value->text, "0x", 2) == 0 || strncmp(value->text, "0X", 2) == 0;
    const char *digits = value->text + (hex ? 2 : 0);
    size_t length = strlen(digits), good = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
    unsigned long number = length > 0 && length == good ? strtoul(digits, NULL, hex ? 16 : 10) : ADDRESS_END;
    if (number >= ADDRESS_END) { /* as is what overflows */
        return error_set(error, ERROR_USAGE,
                         "%s must be a byte address below 0x100000 such as 0x4c000, not '%s'", what,
                         value->text);
    }
    value->number = (uint32_t)number;
    return true;
}

static bool value_read(CommandCall *call, Argument *argument, Error *error)
{
    const Parameter *parameter = argument->parameter;
    Value *value = &argument->value;
    switch (parameter->kind) {
    case PARAMETER_NUMBER:
        return value_number(value, (parameter->flags & PARAMETER_POSITIVE) != 0, UINT32_MAX, parameter->name,
                            error);
    case PARAMETER_PHASE:
        return value_phase(call, parameter, value, error);
    case PARAMETER_MODE:
        return value_mode(parameter, value, error);
    case PARAMETER_TILE:
        return value_tile(call, value, error);
    case PARAMETER_CHOICE:
        return word_choose(value->text, parameter->choices, parameter->name, &value->number, error);
    case PARAMETER_ADDRESS:
        return value_address(value, parameter->name, error);
    case PARAMETER_RANGE:
        return value_range(value, parameter->name, error);
    case PARAMETER_SETTING:
        value->text = setting_full_name(value->text, error);
        return value->text != NULL;
    case PARAMETER_FLAG:
    case PARAMETER_TEXT:
    case PARAMETER_FILE:
    case PARAMETER_FOLDER:
    case PARAMETER_TOPIC:
    case PARAMETER_VALUE:
        break;
    }
    return true;
}

/* An option that says what the command is about. */
static bool is_target(const Parameter *parameter, ParameterKind kind)
{
    const char *name = kind == PARAMETER_PHASE ? "--phase" : kind == PARAMETER_MODE ? "--mode" : "--tile";
    return parameter->kind == kind && strcmp(parameter->name, name) == 0 &&
           (parameter->flags & PARAMETER_REPEATABLE) == 0;
}

/* Reads the values of one kind, or of all other kinds (`only` false). */
static bool arguments_read(CommandCall *call, ParameterKind kind, bool only, Error *error)
{
    for (size_t i = 0; i < call->arguments->list.count; i++) {
        Argument *argument = &call->arguments->list.items[i];
        ParameterKind this = argument->parameter->kind;
        bool wanted =
            only ? this == kind : this != PARAMETER_PHASE && this != PARAMETER_MODE && this != PARAMETER_TILE;
        if (!wanted) {
            continue;
        }
        if (!value_read(call, argument, error)) {
            return false;
        }
        if (argument->value.all) {
            continue;
        }
        if (is_target(argument->parameter, PARAMETER_PHASE)) {
            if (argument->value.entry != call->entry) {
                call->tile = -1;
            }
            call->entry = argument->value.entry;
        } else if (is_target(argument->parameter, PARAMETER_MODE)) {
            call->mode = argument->value.mode;
        } else if (is_target(argument->parameter, PARAMETER_TILE)) {
            call->tile = (int32_t)argument->value.number;
        }
    }
    return true;
}

/* Phases and modes first: the busiest tile depends on them. */
bool arguments_parse(CommandCall *call, const Line *line, Error *error)
{
    return arguments_take(call, line, error) && arguments_read(call, PARAMETER_PHASE, true, error) &&
           arguments_read(call, PARAMETER_MODE, true, error) &&
           arguments_read(call, PARAMETER_TILE, true, error) &&
           arguments_read(call, PARAMETER_FLAG, false, error);
}

/* ---- for the commands ---- */

static bool argument_is(const Argument *argument, const char *name)
{
    return strcmp(argument->parameter->name, name) == 0;
}

size_t argument_count(const CommandCall *call, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < call->arguments->list.count; i++) {
        count += argument_is(&call->arguments->list.items[i], name);
    }
    return count;
}

bool argument_given(const CommandCall *call, const char *name)
{
    return argument_count(call, name) != 0;
}

const Value *argument_value(const CommandCall *call, const char *name, size_t index)
{
    for (size_t i = 0; i < call->arguments->list.count; i++) {
        const Argument *argument = &call->arguments->list.items[i];
        if (argument_is(argument, name) && index-- == 0) {
            return &argument->value;
        }
    }
    return NULL;
}

const char *argument_text(const CommandCall *call, const char *name)
{
    const Value *value = argument_value(call, name, 0);
    return value == NULL ? NULL : value->text;
}

uint32_t argument_number(const CommandCall *call, const char *name, uint32_t otherwise)
{
    const Value *value = argument_value(call, name, 0);
    return value == NULL ? otherwise : value->number;
}

bool call_busiest_tile(const CommandCall *call, int32_t *tile, Error *error)
{
    if (call->entry == NULL) {
        return error_set(error, ERROR_INPUT, "the capture has no phases");
    }
    *tile = call->entry->geometry.busiest_tile;
    if (call->mode != MODE_ORIGINAL) {
        const ModeSummary *summary =
            view_need_figures(call->view, call->entry, call->mode, call->progress, error);
        if (summary == NULL) {
            return false;
        }
        *tile = summary->geometry.busiest_tile;
    }
    return *tile >= 0 || error_set(error, ERROR_INPUT, "phase %u has no transfers, so no busiest tile",
                                   (unsigned)call->entry->phase->number);
}

bool call_tile(const CommandCall *call, uint16_t *tile, Error *error)
{
    int32_t chosen = call->tile;
    if (chosen < 0 && !call_busiest_tile(call, &chosen, error)) {
        return false;
    }
    *tile = (uint16_t)chosen;
    return true;
}
