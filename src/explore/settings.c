/* Settings: one table drives `set`, `show`, completion and help. */
#include "config.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explore/session_parts.h"
#include "explore/words.h"

typedef enum SettingKind { SETTING_CHOICE, SETTING_SWITCH, SETTING_U32, SETTING_U64 } SettingKind;

typedef struct Setting {
    const char *name;
    SettingKind kind;
    size_t offset;      /* in Settings */
    uint64_t low, high; /* of a number */
    const char *const *values;
    const char *summary;
} Setting;

static const char *const format_values[] = {"text", "json", "csv", NULL};
static const char *const switch_values[] = {"off", "on", NULL};

#define SETTING_AT(member) offsetof(Settings, member)

static const Setting setting_table[] = {
    {"ascii", SETTING_SWITCH, SETTING_AT(ascii), 0, 0, switch_values, "nothing beyond ASCII is shown"},
    {"balance", SETTING_SWITCH, SETTING_AT(balance), 0, 0, switch_values,
     "replay: balance the streams inside each wave"},
    {"color", SETTING_SWITCH, SETTING_AT(color), 0, 0, switch_values, "colours in text"},
    {"format", SETTING_CHOICE, SETTING_AT(format), 0, 0, format_values, "of what commands print"},
    {"memory_megabytes", SETTING_U64, SETTING_AT(memory_megabytes), 1, (uint64_t)1 << 32, NULL,
     "budget for bulky results; the ones used longest ago are computed again when needed"},
    {"mouse", SETTING_SWITCH, SETTING_AT(mouse), 0, 0, switch_values,
     "explorer: the mouse selects and scrolls"},
    {"quiet", SETTING_SWITCH, SETTING_AT(quiet), 0, 0, switch_values, "no notes and no progress"},
    {"stream_words", SETTING_U32, SETTING_AT(stream_words), 1, UINT32_MAX, NULL,
     "replay: words of one wave of a stream"},
    {"verbose", SETTING_SWITCH, SETTING_AT(verbose), 0, 0, switch_values, "text tables show every column"},
};

enum { SETTING_COUNT = sizeof setting_table / sizeof *setting_table };

static uint64_t default_memory_megabytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t half = pages < 1 || page < 1 ? 0 : (uint64_t)pages * (uint64_t)page / 2 >> 20;
    return half == 0 ? 1024 : half;
}

Settings settings_default(void)
{
    return (Settings){.format = FORMAT_TEXT,
                      .mouse = true,
                      .stream_words = REPLAY_OPTIONS_DEFAULT.stream_words,
                      .balance = REPLAY_OPTIONS_DEFAULT.balance,
                      .memory_megabytes = default_memory_megabytes()};
}

Settings session_settings(Session *session)
{
    session_lock(session);
    Settings settings = session->settings;
    session_unlock(session);
    return settings;
}

void session_set_settings(Session *session, const Settings *settings)
{
    session_lock(session);
    session->settings = *settings;
    session_changed(session);
    session_unlock(session);
}

const char *setting_name(size_t index)
{
    return index < SETTING_COUNT ? setting_table[index].name : NULL;
}

static const Setting *setting_find(const char *key)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (strcmp(setting_table[i].name, key) == 0) {
            return &setting_table[i];
        }
    }
    return NULL;
}

const char *const *setting_values(const char *key)
{
    const Setting *setting = setting_find(key);
    return setting == NULL ? NULL : setting->values;
}

const char *setting_summary(const char *key)
{
    const Setting *setting = setting_find(key);
    return setting == NULL ? NULL : setting->summary;
}

static bool setting_store(const Setting *setting, void *at, const char *value, Error *error)
{
    uint32_t choice;
    uint64_t number;
    switch (setting->kind) {
    case SETTING_CHOICE:
        if (!word_choose(value, setting->values, setting->name, &choice, error)) {
            return false;
        }
        *(OutputFormat *)at = (OutputFormat)choice;
        return true;
    case SETTING_SWITCH:
        if (!word_choose(value, setting->values, setting->name, &choice, error)) {
            return false;
        }
        *(bool *)at = choice != 0;
        return true;
    case SETTING_U32:
        if (!word_number(value, setting->low, setting->high, setting->name, &number, error)) {
            return false;
        }
        *(uint32_t *)at = (uint32_t)number;
        return true;
    case SETTING_U64:
        if (!word_number(value, setting->low, setting->high, setting->name, &number, error)) {
            return false;
        }
        *(uint64_t *)at = number;
        return true;
    }
    return false;
}

const char *setting_full_name(const char *word, Error *error)
{
    const char *names[SETTING_COUNT + 1];
    for (size_t i = 0; i <= SETTING_COUNT; i++) {
        names[i] = setting_name(i);
    }
    uint32_t index;
    return word_choose(word, names, "setting", &index, error) ? names[index] : NULL;
}

bool session_set(Session *session, const char *key, const char *value, Error *error)
{
    const char *name = setting_full_name(key, error);
    if (name == NULL) {
        return false;
    }
    const Setting *setting = setting_find(name);
    Settings settings = session_settings(session);
    if (!setting_store(setting, (char *)&settings + setting->offset, value, error)) {
        return false;
    }
    session_set_settings(session, &settings);
    return true;
}

bool session_setting_text(Session *session, const char *key, Text *text)
{
    const Setting *setting = setting_find(key);
    if (setting == NULL) {
        return false;
    }
    Settings settings = session_settings(session);
    const void *at = (const char *)&settings + setting->offset;
    switch (setting->kind) {
    case SETTING_CHOICE:
        text_append(text, setting->values[*(const OutputFormat *)at]);
        break;
    case SETTING_SWITCH:
        text_append(text, setting->values[*(const bool *)at]);
        break;
    case SETTING_U32:
        text_printf(text, "%" PRIu32, *(const uint32_t *)at);
        break;
    case SETTING_U64:
        text_printf(text, "%" PRIu64, *(const uint64_t *)at);
        break;
    }
    return true;
}
