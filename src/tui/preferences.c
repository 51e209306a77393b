/* Choices that are kept between runs, in $XDG_STATE_HOME/exscope/state.json. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/file.h"
#include "tui/app.h"

enum { STATE_BYTES_MAX = 1 << 16 };

static const char *const shade_words[SHADE_COUNT] = {"row", "fragments", "sent", "received", "idle"};
static const char *const delta_words[DELTAS_COUNT] = {"usual", "all", "none"};
static const char *const pane_words[TILE_PANES] = {"transfers", "coverage", "row", "timeline"};
static const char *const transfer_words[TRANSFER_SORT_COUNT] = {"order", "words", "other_end",
                                                                "from",  "to",    "start"};

void preferences_default(Preferences *preferences)
{
    *preferences = (Preferences){.shade = SHADE_FRAGMENTS};
}

/* The folder of the state file, or that file; false when there is no home. That memory is out shows in the
 * text. */
static bool state_path(Text *path, bool file)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state != NULL && state[0] == '/') {
        text_printf(path, "%s/exscope", state);
    } else if (home != NULL && home[0] != '\0') {
        text_printf(path, "%s/.local/state/exscope", home);
    } else {
        return false;
    }
    text_append(path, file ? "/state.json" : "");
    return true;
}

/* One of `words`: false when the member is there and is none of them. An absent one leaves *value alone. */
static bool read_word(const cJSON *state, const char *key, const char *const *words, int count, int *value)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(state, key);
    if (member == NULL) {
        return true;
    }
    for (int i = 0; cJSON_IsString(member) && i < count; i++) {
        if (strcmp(member->valuestring, words[i]) == 0) {
            *value = i;
            return true;
        }
    }
    return false;
}

static bool read_bool(const cJSON *state, const char *key, bool *value)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(state, key);
    if (cJSON_IsBool(member)) {
        *value = cJSON_IsTrue(member);
    }
    return member == NULL || cJSON_IsBool(member);
}

static bool read_state(const cJSON *state, Preferences *preferences)
{
    int phase_sort = (int)preferences->phase_sort, shade = (int)preferences->shade,
        deltas = (int)preferences->deltas;
    int pane = (int)preferences->tile_pane, transfer_sort = (int)preferences->transfer_sort;
    bool good = cJSON_IsObject(state) &&
                read_word(state, "phase_sort", phase_sort_names, PHASE_SORT_COUNT, &phase_sort) &&
                read_word(state, "shade", shade_words, SHADE_COUNT, &shade) &&
                read_word(state, "deltas", delta_words, DELTAS_COUNT, &deltas) &&
                read_word(state, "tile_pane", pane_words, TILE_PANES, &pane) &&
                read_word(state, "transfer_sort", transfer_words, TRANSFER_SORT_COUNT, &transfer_sort) &&
                read_bool(state, "phase_reverse", &preferences->phase_reverse) &&
                read_bool(state, "transfer_reverse", &preferences->transfer_reverse);
    preferences->phase_sort = (PhaseSort)phase_sort;
    preferences->shade = (Shade)shade;
    preferences->deltas = (Deltas)deltas;
    preferences->tile_pane = (TilePane)pane;
    preferences->transfer_sort = (TransferSort)transfer_sort;
    return good;
}

bool preferences_load(Preferences *preferences, Error *error)
{
    Text path = {0}, text = {0};
    Preferences read = *preferences;
    bool good = true;
    bool known = state_path(&path, true);
    if (known && !text_ok(&path, error)) {
        good = false;
    } else if (known && file_exists(text_view(&path))) {
        good = file_read_text(text_view(&path), STATE_BYTES_MAX, &text, error);
        cJSON *state = good ? cJSON_ParseWithLength(text_view(&text), text.length) : NULL;
        if (good && !read_state(state, &read)) {
            good = error_set(error, ERROR_INPUT, "%s is damaged and was ignored", text_view(&path));
        }
        cJSON_Delete(state);
    }
    if (good) {
        *preferences = read;
    }
    text_free(&path);
    text_free(&text);
    return good;
}

/* NULL when memory is out: half a state would be taken for a whole one. */
static cJSON *make_state(const Preferences *preferences)
{
    cJSON *state = cJSON_CreateObject();
    if (cJSON_AddStringToObject(state, "phase_sort", phase_sort_names[preferences->phase_sort]) == NULL ||
        cJSON_AddBoolToObject(state, "phase_reverse", preferences->phase_reverse) == NULL ||
        cJSON_AddStringToObject(state, "shade", shade_words[preferences->shade]) == NULL ||
        cJSON_AddStringToObject(state, "deltas", delta_words[preferences->deltas]) == NULL ||
        cJSON_AddStringToObject(state, "tile_pane", pane_words[preferences->tile_pane]) == NULL ||
        cJSON_AddStringToObject(state, "transfer_sort", transfer_words[preferences->transfer_sort]) == NULL ||
        cJSON_AddBoolToObject(state, "transfer_reverse", preferences->transfer_reverse) == NULL) {
        cJSON_Delete(state);
        return NULL;
    }
    return state;
}

bool preferences_save(const Preferences *preferences, Error *error)
{
    Text folder = {0}, path = {0};
    cJSON *state = make_state(preferences);
    char *text = state == NULL ? NULL : cJSON_Print(state);
    bool done = true;
    if (text == NULL) {
        done = error_set_memory(error, STATE_BYTES_MAX);
    } else if (state_path(&folder, false) && state_path(&path, true)) {
        done = text_ok(&folder, error) && text_ok(&path, error) &&
               file_make_folder(text_view(&folder), error) &&
               file_write_text(text_view(&path), text, strlen(text), true, error);
    }
    cJSON_free(text);
    cJSON_Delete(state);
    text_free(&folder);
    text_free(&path);
    return done;
}
