#include "config.h"

#include "explore/render.h"

#include <errno.h>
#include <unistd.h>

#include "explore/render_parts.h"

enum { WRITER_BYTES = 1 << 16 };

static bool sink_write_text(void *context, const char *bytes, size_t length, Error *error)
{
    text_append_bytes(context, bytes, length);
    return text_ok(context, error);
}

Sink sink_text(Text *text)
{
    return (Sink){sink_write_text, text};
}

static bool sink_write_output(void *context, const char *bytes, size_t length, Error *error)
{
    return output_write(context, bytes, length, error);
}

Sink sink_output(Output *output)
{
    return (Sink){sink_write_output, output};
}

static bool sink_write_descriptor(void *context, const char *bytes, size_t length, Error *error)
{
    const int *descriptor = context;
    while (length > 0) {
        ssize_t written = write(*descriptor, bytes, length);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return error_set_errno(error, errno, "cannot write the output");
        }
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

Sink sink_descriptor(int *descriptor)
{
    return (Sink){sink_write_descriptor, descriptor};
}

RenderOptions render_options(const Settings *settings)
{
    return (RenderOptions){.format = settings->format,
                           .color = settings->color,
                           .ascii = settings->ascii,
                           .verbose = settings->verbose,
                           .quiet = settings->quiet};
}

static bool writer_flush(Writer *writer)
{
    if (!text_ok(&writer->text, writer->error) || !progress_go_on(writer->progress, writer->error)) {
        return false;
    }
    size_t length = writer->text.length;
    return length == 0 ||
           (writer->sink->write(writer->sink->context, text_view(&writer->text), length, writer->error) &&
            (text_clear(&writer->text), true));
}

bool writer_step(Writer *writer)
{
    return writer->text.length < WRITER_BYTES || writer_flush(writer);
}

uint64_t cell_magnitude(const Cell *cell)
{
    int64_t number = cell->as.signed_number;
    return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

void cell_append_plain(Text *text, const Cell *cell)
{
    switch (cell->kind) {
    case CELL_BOOL:
        text_append(text, cell->as.boolean ? "true" : "false");
        break;
    case CELL_UNSIGNED:
        text_append_unsigned(text, cell->as.number);
        break;
    case CELL_SIGNED:
        text_append(text, cell->as.signed_number < 0 ? "-" : "");
        text_append_unsigned(text, cell_magnitude(cell));
        break;
    case CELL_REAL:
        text_printf(text, "%.6f", cell->as.real);
        break;
    case CELL_ABSENT:
    case CELL_NULL:
    case CELL_TEXT:
    case CELL_LIST:
    case CELL_TILES:
    case CELL_ENDPOINTS:
        break;
    }
}

uint32_t cell_list_item(const Cell *cell, size_t index)
{
    return cell->kind == CELL_TILES ? cell->as.list.tiles[index] : cell->as.list.items[index];
}

bool document_render(const Document *document, const RenderOptions *options, const Sink *sink,
                     Progress *progress, Error *error)
{
    Writer writer = {.options = options, .sink = sink, .progress = progress, .error = error};
    bool (*const render[])(Writer *, const Document *) = {
        [FORMAT_TEXT] = render_text, [FORMAT_JSON] = render_json, [FORMAT_CSV] = render_csv};
    bool done = document_ok(document, error) && render[options->format](&writer, document) &&
                document_ok(document, error) && writer_flush(&writer); /* rows may have run out of memory */
    text_free(&writer.text);
    return done;
}

bool render_error(const Error *failure, const char *command, const RenderOptions *options, const Sink *sink,
                  Error *error)
{
    Document *document = document_new(error);
    if (document == NULL) {
        return false;
    }
    document_field(document, "error", "error", UNIT_NONE, cell_text(failure->message));
    document_field(document, "command", "command", UNIT_NONE, cell_text(command));
    bool done = document_render(document, options, sink, NULL, error);
    document_free(document);
    return done;
}
