#include "config.h"

#include "capture/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/sort.h"
#include "base/thread.h"
#include "capture/labels.h"
#include "capture/transfer.h"

enum { SCAN_BYTES = 64 << 10 /* what the fast way wants to see before it starts on a transfer */ };

#define NO_TRANSFER UINT32_MAX

_Static_assert((int)JSON_PADDING >= (int)TRANSFER_SCAN_PADDING, "a scan stays inside the window");

typedef struct Reader {
    JsonReader json;
    Capture *capture;
    const CaptureWatcher *watcher;
    size_t extra_capacity;    /* of capture->extra_members */
    bool phases_before_tiles; /* tile_count is not known yet while phases are read */

    Phase *phase;        /* the one that is being read, NULL between phases */
    bool phase_known;    /* its number has been read */
    bool number_to_come; /* its number may still be read */
    uint32_t index;      /* of the transfer that is being read, or NO_TRANSFER */
    Transfer transfer;
    uint32_t tile, address; /* of the receiver that is being read */

    /* A fault of meaning in a phase whose number comes later in its object: told once the number is known. */
    Error fault;
    uint64_t fault_offset;
    uint32_t fault_index;
} Reader;

/* ---- faults of meaning ---- */

static bool reader_tell_fault(Reader *reader)
{
    char place[100] = "";
    char phase[40] = "";
    if (reader->phase != NULL && reader->phase_known) {
        snprintf(phase, sizeof phase, "phase %u", reader->phase->number);
    } else if (reader->phase != NULL) {
        snprintf(phase, sizeof phase, "phases[%zu] (number unknown)", reader->capture->phase_count);
    }
    if (reader->fault_index != NO_TRANSFER) {
        snprintf(place, sizeof place, "%s, transfer %u: ", phase, reader->fault_index);
    } else if (reader->phase != NULL) {
        snprintf(place, sizeof place, "%s: ", phase);
    }
    return json_fail(&reader->json, reader->fault_offset, "%s%s", place, reader->fault.message);
}

/* Notes a fault of meaning. Returns true when reading must go on in order to learn the phase's number. */
static bool reader_fault(Reader *reader, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool reader_fault(Reader *reader, uint64_t offset, const char *format, ...)
{
    if (reader->fault.kind == ERROR_NONE) {
        char what[200];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(what, sizeof what, format, arguments);
        va_end(arguments);
        error_set(&reader->fault, ERROR_INPUT, "%s", what);
        reader->fault_offset = offset;
        reader->fault_index = reader->index;
    }
    return reader->number_to_come || reader_tell_fault(reader);
}

/* ---- values ---- */

/* A value that should be of another kind: passed over, then a fault; what is no JSON fails at once. */
static bool reader_wrong_kind(Reader *reader, const char *what, const char *expected)
{
    int c = json_skip_space(&reader->json);
    uint64_t offset = json_offset(&reader->json);
    const char *kind = json_kind(c);
    return json_skip_value(&reader->json, false) &&
           reader_fault(reader, offset, "%s is %s, expected %s", what, kind, expected);
}

/* A plain number from 0 to `limit`; `expected` describes it. After a fault that waits *value is 0. */
static bool reader_number(Reader *reader, const char *what, uint32_t limit, const char *expected,
                          uint32_t *value)
{
    JsonNumber number;
    *value = 0;
    int c = json_skip_space(&reader->json);
    uint64_t offset = json_offset(&reader->json);
    if (c != '-' && !(c >= '0' && c <= '9')) {
        return reader_wrong_kind(reader, what, expected);
    }
    if (!json_number(&reader->json, &number)) {
        return false;
    }
    static const char *const forms[] = {[JSON_NATURAL] = "too large",
                                        [JSON_NEGATIVE] = "negative",
                                        [JSON_FRACTION] = "a fraction",
                                        [JSON_EXPONENT] = "in exponent form"};
    if (number.form != JSON_NATURAL || number.value > limit) {
        return reader_fault(reader, offset, "%s is %s, which is %s, expected %s", what, number.text,
                            forms[number.form], expected);
    }
    *value = (uint32_t)number.value;
    return true;
}

typedef bool (*ReadElement)(Reader *reader);

/* An array of which every element is read by `element`. */
static bool reader_array(Reader *reader, const char *what, ReadElement element)
{
    if (json_skip_space(&reader->json) != '[') {
        return reader_wrong_kind(reader, what, "an array");
    }
    if (!json_enter(&reader->json, '[')) {
        return false;
    }
    for (bool first = true, more;;) {
        if (!json_more(&reader->json, ']', &first, &more)) {
            return false;
        }
        if (!more) {
            return true;
        }
        if (!element(reader)) {
            return false;
        }
    }
}

/* An object: its name in messages, its known keys in the order of their bits, what reads the value of one of
 * them, and what becomes of an unknown member (raw in json.raw). */
typedef struct ObjectShape {
    const char *what;
    const char *const *keys; /* NULL at the end */
    bool (*member)(Reader *reader, unsigned key);
    bool (*extra)(Reader *reader);
} ObjectShape;

/* The index of the key in json.string among the known ones; their number when it is unknown. */
static unsigned reader_find_key(const Reader *reader, const char *const *keys)
{
    const Text *key = &reader->json.string;
    unsigned i = 0;
    while (keys[i] != NULL &&
           !(strlen(keys[i]) == key->length && memcmp(keys[i], key->bytes, key->length) == 0)) {
        i++;
    }
    return i;
}

/* *seen: a bit for every known key that is there. */
static bool reader_object(Reader *reader, const ObjectShape *shape, unsigned *seen)
{
    JsonReader *json = &reader->json;
    if (json_skip_space(json) != '{') {
        return reader_wrong_kind(reader, shape->what, "an object");
    }
    if (!json_enter(json, '{')) {
        return false;
    }
    for (bool first = true, more;;) {
        if (!json_more(json, '}', &first, &more)) {
            return false;
        }
        if (!more) {
            return true;
        }
        uint64_t offset = json_offset(json);
        if (!json_key(json, true)) {
            return false;
        }
        unsigned key = reader_find_key(reader, shape->keys);
        if (shape->keys[key] == NULL) {
            if (!json_skip_value(json, true) || !shape->extra(reader)) {
                return false;
            }
            continue;
        }
        if ((*seen >> key & 1) != 0 &&
            !reader_fault(reader, offset, "the key \"%s\" is twice in %s, expected once", shape->keys[key],
                          shape->what)) {
            return false;
        }
        *seen |= 1u << key;
        if (!shape->member(reader, key)) {
            return false;
        }
    }
}

/* Are the first `needed` keys of the shape all there? */
static bool reader_require(Reader *reader, const ObjectShape *shape, unsigned seen, unsigned needed,
                           uint64_t offset)
{
    for (unsigned key = 0; key < needed; key++) {
        if ((seen >> key & 1) == 0) {
            return reader_fault(reader, offset, "%s has no \"%s\", expected one", shape->what,
                                shape->keys[key]);
        }
    }
    return true;
}

/* ---- receivers ---- */

static bool reader_keep_extra(Reader *reader, uint32_t transfer, uint32_t receiver)
{
    Phase *phase = reader->phase;
    const Text *raw = &reader->json.raw;
    Error *error = reader->json.error;
    if (!mem_grow(&phase->extras, &phase->extra_capacity, phase->extra_count + 1, sizeof *phase->extras,
                  error)) {
        return false;
    }
    char *member = mem_copy_text(raw->bytes, raw->length, error);
    if (member == NULL) {
        return false;
    }
    phase->extras[phase->extra_count++] =
        (PhaseExtra){.transfer = transfer, .receiver = receiver, .member = member};
    return true;
}

static bool reader_tile(Reader *reader)
{
    return reader_number(reader, "a destination's tile", UINT16_MAX, "a tile number", &reader->tile);
}

static bool reader_address(Reader *reader)
{
    return reader_number(reader, "a destination's address", UINT32_MAX, "a byte address", &reader->address);
}

static bool reader_receiver_member(Reader *reader, unsigned key)
{
    return key == 0 ? reader_tile(reader) : reader_address(reader);
}

static bool reader_receiver_extra(Reader *reader)
{
    return reader_keep_extra(reader, reader->index, (uint32_t)reader->transfer.tiles.count);
}

static bool reader_receiver_object(Reader *reader, uint64_t offset)
{
    static const char *const keys[] = {"tile", "address", NULL};
    static const ObjectShape shape = {"a destination", keys, reader_receiver_member, reader_receiver_extra};
    unsigned seen = 0;
    return reader_object(reader, &shape, &seen) && reader_require(reader, &shape, seen, 2, offset);
}

static bool reader_receiver_array(Reader *reader, uint64_t offset)
{
    unsigned count = 0;
    if (!json_enter(&reader->json, '[')) {
        return false;
    }
    for (bool first = true, more;; count++) {
        if (!json_more(&reader->json, ']', &first, &more)) {
            return false;
        }
        if (!more) {
            break;
        }
        if (!(count == 0   ? reader_tile(reader)
              : count == 1 ? reader_address(reader)
                           : json_skip_value(&reader->json, false))) {
            return false;
        }
    }
    return count == 2 ||
           reader_fault(reader, offset, "a destination is an array of %u, expected [tile, address]", count);
}

static bool reader_receiver(Reader *reader)
{
    Transfer *transfer = &reader->transfer;
    Error *error = reader->json.error;
    int c = json_skip_space(&reader->json);
    uint64_t offset = json_offset(&reader->json);
    reader->tile = reader->address = 0;
    if (transfer->tiles.count == UINT32_MAX) {
        return error_set(error, ERROR_MEMORY, "%s: more than 2^32 - 1 destinations of one transfer",
                         reader->json.name);
    }
    if (transfer->tiles.count == 0) {
        transfer->spelling = c == '[' ? ENDPOINT_ARRAY : ENDPOINT_OBJECT;
    }
    return (c == '['   ? reader_receiver_array(reader, offset)
            : c == '{' ? reader_receiver_object(reader, offset)
                       : reader_wrong_kind(reader, "a destination", "an object or an array")) &&
           vec_push(&transfer->tiles, (uint16_t)reader->tile, error) &&
           vec_push(&transfer->tile_addresses, reader->address, error);
}

/* ---- transfers ---- */

enum { TRANSFER_SOURCE, TRANSFER_ADDRESSES, TRANSFER_DESTINATIONS, TRANSFER_WORDS, TRANSFER_WIDTH };

static bool reader_source_address(Reader *reader)
{
    uint32_t address;
    if (reader->transfer.addresses.count == UINT32_MAX) {
        return error_set(reader->json.error, ERROR_MEMORY, "%s: more than 2^32 - 1 addresses of one transfer",
                         reader->json.name);
    }
    return reader_number(reader, "a source address", UINT32_MAX, "a byte address", &address) &&
           vec_push(&reader->transfer.addresses, address, reader->json.error);
}

static bool reader_width(Reader *reader)
{
    static const char expected[] = "\"Word32\" or \"Paired64\"";
    static const char *const names[] = {[WIDTH_WORD32] = "Word32", [WIDTH_PAIRED64] = "Paired64", NULL};
    if (json_skip_space(&reader->json) != '"') {
        return reader_wrong_kind(reader, "width", expected);
    }
    uint64_t offset = json_offset(&reader->json);
    if (!json_string(&reader->json, true)) {
        return false;
    }
    unsigned width = reader_find_key(reader, names);
    reader->transfer.width = (Width)width;
    return names[width] != NULL || reader_fault(reader, offset, "width is \"%.40s\", expected %s",
                                                reader->json.string.bytes, expected);
}

static bool reader_column(Reader *reader, const char *what, const char *expected, uint16_t *column)
{
    uint32_t value;
    if (!reader_number(reader, what, UINT16_MAX, expected, &value)) {
        return false;
    }
    *column = (uint16_t)value;
    return true;
}

static bool reader_transfer_member(Reader *reader, unsigned key)
{
    switch (key) {
    case TRANSFER_SOURCE:
        return reader_column(reader, "source", "a tile number", &reader->transfer.source);
    case TRANSFER_ADDRESSES:
        return reader_array(reader, "source_addresses", reader_source_address);
    case TRANSFER_DESTINATIONS:
        return reader_array(reader, "destinations", reader_receiver);
    case TRANSFER_WORDS:
        return reader_column(reader, "words", "1 to 4148", &reader->transfer.words);
    default:
        return reader_width(reader);
    }
}

static bool reader_transfer_extra(Reader *reader)
{
    return reader_keep_extra(reader, reader->index, PHASE_EXTRA_TRANSFER);
}

/* A transfer in any legal spelling, into reader->transfer. */
static bool reader_transfer_object(Reader *reader, uint64_t offset)
{
    static const char *const keys[] = {"source", "source_addresses", "destinations", "words", "width", NULL};
    static const ObjectShape shape = {"a transfer", keys, reader_transfer_member, reader_transfer_extra};
    Transfer *transfer = &reader->transfer;
    unsigned seen = 0;
    vec_clear(&transfer->addresses);
    vec_clear(&transfer->tiles);
    vec_clear(&transfer->tile_addresses);
    transfer->width = WIDTH_WORD32;
    return reader_object(reader, &shape, &seen) &&
           reader_require(reader, &shape, seen, TRANSFER_WIDTH, offset);
}

/* Checks what was read, and adds it to the phase. */
static bool reader_append(Reader *reader, uint64_t offset)
{
    Capture *capture = reader->capture;
    const Transfer *transfer = &reader->transfer;
    uint16_t tile_count = capture->tile_count == 0 ? FABRIC_TILES : capture->tile_count;
    Error fault;
    if (reader->fault.kind != ERROR_NONE) {
        return true;
    }
    if (!transfer_check(transfer->source, transfer->words, transfer->width, transfer->addresses.items,
                        transfer->addresses.count, transfer->tiles.items, transfer->tile_addresses.items,
                        transfer->tiles.count, tile_count, &fault)) {
        return reader_fault(reader, offset, "%s", fault.message);
    }
    if (capture->transfers == 0) {
        capture->spelling = transfer->spelling;
    }
    capture->transfers++;
    return phase_append(reader->phase, transfer->source, transfer->words, transfer->width,
                        transfer->addresses.items, (uint32_t)transfer->addresses.count, transfer->tiles.items,
                        transfer->tile_addresses.items, (uint32_t)transfer->tiles.count, reader->json.error);
}

static bool reader_transfer(Reader *reader)
{
    JsonReader *json = &reader->json;
    if (json->end - json->cursor < SCAN_BYTES && !json->ended && !json_refill(json, SCAN_BYTES)) {
        return false;
    }
    uint64_t offset = json_offset(json);
    reader->index = reader->phase->transfers;
    const char *behind = *json->cursor == '{' ? transfer_scan(json->cursor, &reader->transfer) : NULL;
    if (behind != NULL) {
        json->cursor = behind;
    } else if (!reader_transfer_object(reader, offset)) {
        return false;
    }
    bool good = reader_append(reader, offset);
    reader->index = NO_TRANSFER;
    return good;
}

/* ---- phases ---- */

enum { PHASE_NUMBER, PHASE_TRANSFERS, PHASE_MEMBERS };

static bool reader_phase_number(Reader *reader)
{
    json_skip_space(&reader->json);
    uint64_t offset = json_offset(&reader->json);
    uint32_t number;
    reader->number_to_come = false;
    if (!reader_number(reader, "phase", UINT32_MAX, "a phase number", &number)) {
        return false;
    }
    reader->phase->number = number;
    reader->phase_known = true;
    if (reader->fault.kind != ERROR_NONE) {
        return reader_tell_fault(reader);
    }
    return capture_phase(reader->capture, number) == NULL ||
           reader_fault(reader, offset, "a second phase has this number, expected every number once");
}

static bool reader_phase_member(Reader *reader, unsigned key)
{
    return key == PHASE_NUMBER ? reader_phase_number(reader)
                               : reader_array(reader, "transfers", reader_transfer);
}

static bool reader_phase_extra(Reader *reader)
{
    return reader_keep_extra(reader, PHASE_EXTRA_PHASE, PHASE_EXTRA_TRANSFER);
}

static uint64_t reader_extra_key(const PhaseExtra *extra)
{
    return (uint64_t)extra->transfer << 32 | extra->receiver;
}

/* Unknown members of a phase or a transfer may stand before those that they are sorted behind. */
static bool reader_sort_extras(Phase *phase, Error *error)
{
    size_t count = phase->extra_count, sorted_count = 1;
    while (sorted_count < count && reader_extra_key(&phase->extras[sorted_count - 1]) <=
                                       reader_extra_key(&phase->extras[sorted_count])) {
        sorted_count++;
    }
    if (sorted_count >= count) {
        return true;
    }
    SortItem *items = mem_new(count, sizeof *items, error);
    PhaseExtra *sorted = items == NULL ? NULL : mem_new(count, sizeof *sorted, error);
    bool good = sorted != NULL;
    for (size_t i = 0; good && i < count; i++) {
        items[i] = (SortItem){.key = reader_extra_key(&phase->extras[i]),
                              .value = (uint32_t)i,
                              .extra = (uint32_t)((uint64_t)i >> 32)};
    }
    good = good && sort_items(items, count, error);
    for (size_t i = 0; good && i < count; i++) {
        sorted[i] = phase->extras[(size_t)((uint64_t)items[i].extra << 32 | items[i].value)];
    }
    mem_free(items);
    if (!good) {
        mem_free(sorted);
        return false;
    }
    mem_free(phase->extras);
    phase->extras = sorted;
    phase->extra_capacity = count;
    return true;
}

static void reader_hand_out(const Reader *reader, const Phase *phase)
{
    if (reader->watcher != NULL && reader->watcher->phase != NULL) {
        reader->watcher->phase(reader->watcher->context, phase, reader->capture->tile_count);
    }
}

/* The phase is complete: it goes to the capture, and to the watcher if its tiles could be checked. */
static bool reader_end_phase(Reader *reader)
{
    Phase *phase = reader->phase;
    if (!reader_sort_extras(phase, reader->json.error)) {
        return false;
    }
    phase_shrink(phase);
    if (!capture_add_phase(reader->capture, phase, reader->json.error)) {
        return false;
    }
    reader->phase = NULL;
    if (reader->capture->tile_count != 0) {
        reader_hand_out(reader, phase);
    }
    return true;
}

static bool reader_phase(Reader *reader)
{
    static const char *const keys[] = {"phase", "transfers", NULL};
    static const ObjectShape shape = {"a phase", keys, reader_phase_member, reader_phase_extra};
    unsigned seen = 0;
    uint64_t offset = json_offset(&reader->json);
    reader->phase = phase_new(0, reader->json.error);
    reader->phase_known = false;
    reader->number_to_come = true;
    if (reader->phase == NULL || !reader_object(reader, &shape, &seen) ||
        !reader_require(reader, &shape, seen, PHASE_MEMBERS, offset)) {
        return false;
    }
    reader->number_to_come = false;
    return reader->fault.kind == ERROR_NONE ? reader_end_phase(reader) : reader_tell_fault(reader);
}

/* ---- the capture ---- */

/* Keeps phase_labels as text, then reads the labels out of it. */
static bool reader_labels(Reader *reader)
{
    JsonReader *json = &reader->json;
    Capture *capture = reader->capture;
    if (json_skip_space(json) != '{') {
        return reader_wrong_kind(reader, "phase_labels", "an object");
    }
    uint64_t offset = json_offset(json);
    text_clear(&json->raw);
    if (!json_skip_value(json, true)) {
        return false;
    }
    capture->labels_json = mem_copy_text(json->raw.bytes, json->raw.length, json->error);
    return capture->labels_json != NULL && labels_collect(capture, json->name, offset, json->error);
}

enum {
    CAPTURE_SCHEMA_VERSION,
    CAPTURE_TILE_COUNT,
    CAPTURE_PHASES,
    CAPTURE_NEEDED,
    CAPTURE_LABELS = CAPTURE_NEEDED
};

enum { SCHEMA_VERSION_MAX = 4 };

static bool reader_schema_version(Reader *reader)
{
    static const char expected[] = "1, 2, 3 or 4";
    uint32_t *version = &reader->capture->schema_version;
    json_skip_space(&reader->json);
    uint64_t offset = json_offset(&reader->json);
    if (!reader_number(reader, "schema_version", UINT32_MAX, expected, version)) {
        return false;
    }
    return (*version >= 1 && *version <= SCHEMA_VERSION_MAX) ||
           reader_fault(reader, offset, "schema_version is %u, expected %s", *version, expected);
}

static bool reader_tile_count(Reader *reader)
{
    static const char expected[] = "1 to 1472";
    uint32_t count;
    json_skip_space(&reader->json);
    uint64_t offset = json_offset(&reader->json);
    if (!reader_number(reader, "tile_count", UINT16_MAX, expected, &count)) {
        return false;
    }
    if (count == 0 || count > FABRIC_TILES) {
        return reader_fault(reader, offset, "tile_count is %u, expected %s", count, expected);
    }
    reader->capture->tile_count = (uint16_t)count;
    return true;
}

static bool reader_capture_member(Reader *reader, unsigned key)
{
    switch (key) {
    case CAPTURE_SCHEMA_VERSION:
        return reader_schema_version(reader);
    case CAPTURE_TILE_COUNT:
        return reader_tile_count(reader);
    case CAPTURE_PHASES:
        reader->phases_before_tiles = reader->capture->tile_count == 0;
        return reader_array(reader, "phases", reader_phase);
    default:
        return reader_labels(reader);
    }
}

static bool reader_capture_extra(Reader *reader)
{
    Capture *capture = reader->capture;
    const Text *raw = &reader->json.raw;
    Error *error = reader->json.error;
    if (!mem_grow(&capture->extra_members, &reader->extra_capacity, capture->extra_count + 1,
                  sizeof *capture->extra_members, error)) {
        return false;
    }
    char *member = mem_copy_text(raw->bytes, raw->length, error);
    if (member == NULL) {
        return false;
    }
    capture->extra_members[capture->extra_count++] = member;
    return true;
}

/* tile_count came behind the phases: now their tiles can be checked, and they can be shown. */
static bool reader_check_phases(Reader *reader)
{
    const Capture *capture = reader->capture;
    for (size_t i = 0; i < capture->phase_count; i++) {
        if (!progress_go_on(reader->json.progress, reader->json.error)) {
            return false;
        }
        if (capture->tile_count < FABRIC_TILES &&
            !phase_check(capture->phases[i], capture->tile_count, reader->json.error)) {
            return error_prefix(reader->json.error, "%s", reader->json.name);
        }
        reader_hand_out(reader, capture->phases[i]);
    }
    return true;
}

static bool reader_document(Reader *reader)
{
    static const char *const keys[] = {"schema_version", "tile_count", "phases", "phase_labels", NULL};
    static const ObjectShape shape = {"the capture", keys, reader_capture_member, reader_capture_extra};
    JsonReader *json = &reader->json;
    unsigned seen = 0;
    if (!json_refill(json, 3)) {
        return false;
    }
    if (json->end - json->cursor >= 3 && memcmp(json->cursor, "\xef\xbb\xbf", 3) == 0) {
        return json_fail(json, 0, "found a UTF-8 byte order mark, expected '{'");
    }
    if (json_skip_space(json) != '{') {
        return json_unexpected(json, "'{' of a capture");
    }
    uint64_t offset = json_offset(json);
    if (!reader_object(reader, &shape, &seen)) {
        return false;
    }
    if (json_skip_space(json) != JSON_END) {
        return json_unexpected(json, "the end of the file after the capture");
    }
    reader->capture->file_bytes = json_offset(json);
    return !json->failed && reader_require(reader, &shape, seen, CAPTURE_NEEDED, offset) &&
           (!reader->phases_before_tiles || reader_check_phases(reader));
}

Capture *reader_load(const char *name, JsonSource source, size_t window_bytes, const CaptureWatcher *watcher,
                     Progress *progress, Error *error)
{
    const char *shown = strcmp(name, "-") == 0 ? "standard input" : name;
    double start = thread_seconds();
    Reader reader = {.watcher = watcher, .index = NO_TRANSFER};
    reader.capture = mem_zero(1, sizeof *reader.capture, error);
    if (reader.capture == NULL) {
        return NULL;
    }
    reader.capture->path = mem_copy_text(name, strlen(name), error);
    bool good = reader.capture->path != NULL &&
                json_open(&reader.json, shown, source, window_bytes, progress, error) &&
                reader_document(&reader);
    json_close(&reader.json);
    transfer_free(&reader.transfer);
    phase_free(reader.phase);
    if (good) {
        reader.capture->load_seconds = thread_seconds() - start;
        return reader.capture;
    }
    if (watcher != NULL && watcher->abandon != NULL) {
        watcher->abandon(watcher->context, reader.capture);
    } else {
        capture_free(reader.capture);
    }
    return NULL;
}

static bool reader_read_input(void *context, void *buffer, size_t capacity, size_t *got, Error *error)
{
    return input_read(context, buffer, capacity, got, error);
}

static uint64_t reader_input_consumed(const void *context)
{
    return input_consumed(context);
}

Capture *capture_load(const char *path, const CaptureWatcher *watcher, Progress *progress, Error *error)
{
    Input *input = input_open(path, error);
    if (input == NULL) {
        return NULL;
    }
    input_watch(input, progress);
    progress_stage(progress, "reading the capture", input_size(input));
    JsonSource source = {.read = reader_read_input, .consumed = reader_input_consumed, .context = input};
    Capture *capture = reader_load(path, source, READER_WINDOW_BYTES, watcher, progress, error);
    input_close(input);
    return capture;
}

Capture *capture_load_memory(const char *name, const void *bytes, size_t length,
                             const CaptureWatcher *watcher, Progress *progress, Error *error)
{
    JsonMemory memory = {.bytes = bytes, .left = length};
    progress_stage(progress, "reading the capture", length);
    return reader_load(name, json_memory_source(&memory), READER_WINDOW_BYTES, watcher, progress, error);
}
