#include "config.h"

#include <string.h>

#include "base/file.h"
#include "capture/capture.h"

enum { WRITER_BUFFER_BYTES = 8192, POLL_TRANSFERS = 4096, NUMBER_DIGITS_MAX = 10 };

typedef struct Writer {
    Output *output;
    const Phase *phase;
    EndpointSpelling spelling;
    size_t extra; /* the next of the phase's unknown members */
    size_t filled;
    char buffer[WRITER_BUFFER_BYTES];
} Writer;

/* Failures of the output stay with it until the commit. */
static void writer_flush(Writer *writer)
{
    output_write(writer->output, writer->buffer, writer->filled, NULL);
    writer->filled = 0;
}

static void writer_put(Writer *writer, const char *bytes, size_t length)
{
    if (length > sizeof writer->buffer - writer->filled) {
        writer_flush(writer);
    }
    if (length > sizeof writer->buffer) {
        output_write(writer->output, bytes, length, NULL);
        return;
    }
    memcpy(writer->buffer + writer->filled, bytes, length);
    writer->filled += length;
}

static void writer_text(Writer *writer, const char *text)
{
    writer_put(writer, text, strlen(text));
}

static void writer_number(Writer *writer, uint32_t number)
{
    char digits[NUMBER_DIGITS_MAX];
    size_t start = sizeof digits;
    do {
        digits[--start] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    writer_put(writer, digits + start, sizeof digits - start);
}

/* "key":number behind `before`. */
static void writer_member(Writer *writer, const char *before, uint32_t number)
{
    writer_text(writer, before);
    writer_number(writer, number);
}

static bool writer_extra_is(const Writer *writer, uint32_t transfer, uint32_t receiver)
{
    const Phase *phase = writer->phase;
    return writer->extra < phase->extra_count && phase->extras[writer->extra].transfer == transfer &&
           phase->extras[writer->extra].receiver == receiver;
}

/* The unknown members of one object, each behind a comma. */
static void writer_extras(Writer *writer, uint32_t transfer, uint32_t receiver)
{
    for (; writer_extra_is(writer, transfer, receiver); writer->extra++) {
        writer_text(writer, ",");
        writer_text(writer, writer->phase->extras[writer->extra].member);
    }
}

static void writer_receiver(Writer *writer, uint32_t transfer, uint32_t receiver)
{
    const Phase *phase = writer->phase;
    uint32_t i = phase->receiver_start[transfer] + receiver;
    /* Only an object has room for unknown members. */
    bool object = writer->spelling == ENDPOINT_OBJECT || writer_extra_is(writer, transfer, receiver);
    writer_member(writer, object ? "{\"tile\":" : "[", phase->receiver_tile[i]);
    writer_member(writer, object ? ",\"address\":" : ",", phase->receiver_address[i]);
    writer_extras(writer, transfer, receiver);
    writer_text(writer, object ? "}" : "]");
}

static void writer_transfer(Writer *writer, uint32_t i)
{
    const Phase *phase = writer->phase;
    writer_member(writer, "{\"source\":", phase->source[i]);
    for (uint32_t r = 0; r < phase->repeat[i]; r++) {
        writer_member(writer, r == 0 ? ",\"source_addresses\":[" : ",", phase_address(phase, i, r));
    }
    writer_text(writer, "],\"destinations\":[");
    for (uint32_t receiver = 0; receiver < phase_receivers(phase, i); receiver++) {
        writer_text(writer, receiver == 0 ? "" : ",");
        writer_receiver(writer, i, receiver);
    }
    writer_member(writer, "],\"words\":", phase->words[i]);
    writer_text(writer,
                phase->width[i] == WIDTH_PAIRED64 ? ",\"width\":\"Paired64\"" : ",\"width\":\"Word32\"");
    writer_extras(writer, i, PHASE_EXTRA_TRANSFER);
    writer_text(writer, "}");
}

static void writer_head(Writer *writer, const Capture *capture)
{
    writer_member(writer, "{\"schema_version\":", capture->schema_version);
    writer_member(writer, ",\"tile_count\":", capture->tile_count);
    if (capture->labels_json != NULL) {
        writer_text(writer, ",\"phase_labels\":");
        writer_text(writer, capture->labels_json);
    }
    for (size_t i = 0; i < capture->extra_count; i++) {
        writer_text(writer, ",");
        writer_text(writer, capture->extra_members[i]);
    }
}

static bool writer_document(Writer *writer, const Capture *capture, Progress *progress, Error *error)
{
    const Phase *phase = writer->phase;
    writer_head(writer, capture);
    writer_member(writer, ",\"phases\":[{\"phase\":", phase->number);
    writer_text(writer, ",\"transfers\":[");
    for (uint32_t i = 0; i < phase->transfers; i++) {
        if (i % POLL_TRANSFERS == 0) {
            progress_set(progress, i);
            if (!progress_go_on(progress, error)) {
                return false;
            }
        }
        writer_text(writer, i == 0 ? "" : ",");
        writer_transfer(writer, i);
    }
    writer_text(writer, "]");
    writer_extras(writer, PHASE_EXTRA_PHASE, PHASE_EXTRA_TRANSFER);
    writer_text(writer, "}]}\n");
    writer_flush(writer);
    return true;
}

bool capture_write_fixture(const Capture *capture, const Phase *phase, const char *path, bool replace,
                           Progress *progress, Error *error)
{
    if (!replace && file_exists(path)) {
        return error_set(error, ERROR_REFUSED, "%s: exists already", path);
    }
    Writer writer = {.output = output_open(path, error), .phase = phase, .spelling = capture->spelling};
    if (writer.output == NULL) {
        return false;
    }
    progress_stage(progress, "writing a fixture", phase->transfers);
    if (!writer_document(&writer, capture, progress, error)) {
        output_discard(writer.output);
        return false;
    }
    return output_commit(writer.output, replace, error);
}
