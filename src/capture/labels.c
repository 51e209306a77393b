#include "config.h"

#include "capture/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "capture/json.h"

enum { LABELS_WINDOW_BYTES = 4096 };

/* The phase number that a key is, in plain decimal; false when it is something else. */
static bool labels_number(const Text *key, uint32_t *number)
{
    uint64_t value = 0;
    if (key->length == 0 || key->length > 10 || (key->bytes[0] == '0' && key->length > 1)) {
        return false;
    }
    for (size_t i = 0; i < key->length; i++) {
        if (key->bytes[i] < '0' || key->bytes[i] > '9') {
            return false;
        }
        value = value * 10 + (uint64_t)(key->bytes[i] - '0');
    }
    *number = (uint32_t)value;
    return value <= UINT32_MAX;
}

static char *labels_text(const Text *decoded, Error *error)
{
    Text text = {0};
    for (size_t i = 0; i < decoded->length; i++) {
        if (decoded->bytes[i] == '\0') {
            text_append(&text, "\xef\xbf\xbd");
        } else {
            text_append_char(&text, decoded->bytes[i]);
        }
    }
    char *copy = text_ok(&text, error) ? mem_copy_text(text_view(&text), text.length, error) : NULL;
    text_free(&text);
    return copy;
}

static int labels_compare(const void *left, const void *right)
{
    uint32_t a = ((const PhaseLabel *)left)->phase, b = ((const PhaseLabel *)right)->phase;
    return a < b ? -1 : a > b;
}

/* Reads the labels out of the text of phase_labels. Keys that are no phase numbers are legal and mean
 * nothing. */
static bool labels_read(JsonReader *json, Capture *capture)
{
    size_t capacity = 0;
    if (!json_enter(json, '{')) {
        return false;
    }
    for (bool first = true, more;;) {
        uint32_t phase;
        if (!json_more(json, '}', &first, &more)) {
            return false;
        }
        if (!more) {
            return true;
        }
        if (!json_key(json, true)) {
            return false;
        }
        if (!labels_number(&json->string, &phase)) {
            if (!json_skip_value(json, false)) {
                return false;
            }
            continue;
        }
        int c = json_skip_space(json);
        if (c != '"') {
            return json_fail(json, json_offset(json), "the label of phase %u is %s, expected a string", phase,
                             json_kind(c));
        }
        if (!json_string(json, true) || !mem_grow(&capture->labels, &capacity, capture->label_count + 1,
                                                  sizeof *capture->labels, json->error)) {
            return false;
        }
        char *text = labels_text(&json->string, json->error);
        if (text == NULL) {
            return false;
        }
        capture->labels[capture->label_count++] = (PhaseLabel){.phase = phase, .text = text};
    }
}

bool labels_collect(Capture *capture, const char *name, uint64_t offset, Error *error)
{
    JsonReader json;
    JsonMemory memory = {.bytes = capture->labels_json, .left = strlen(capture->labels_json)};
    if (!json_open(&json, name, json_memory_source(&memory), LABELS_WINDOW_BYTES, NULL, error)) {
        return false;
    }
    json.window_offset = offset;
    bool good = labels_read(&json, capture);
    if (capture->label_count > 1) {
        qsort(capture->labels, capture->label_count, sizeof *capture->labels, labels_compare);
    }
    for (size_t i = 1; good && i < capture->label_count; i++) {
        if (capture->labels[i].phase == capture->labels[i - 1].phase) {
            good = json_fail(&json, offset, "phase_labels names phase %u twice, expected once",
                             capture->labels[i].phase);
        }
    }
    json_close(&json);
    return good;
}
