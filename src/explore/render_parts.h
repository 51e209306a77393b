/* What the three renderings share: a buffer that is given to the sink piece by piece. */
#ifndef EXSCOPE_EXPLORE_RENDER_PARTS_H
#define EXSCOPE_EXPLORE_RENDER_PARTS_H

#include "explore/document_parts.h"
#include "explore/render.h"

typedef struct Writer {
    const RenderOptions *options;
    const Sink *sink;
    Text text; /* not yet given to the sink */
    Progress *progress;
    Error *error;
} Writer;

/* Gives the buffer to the sink when it is large. False ends the rendering: `error` says why. */
bool writer_step(Writer *writer);

/* A number as JSON and CSV have it; nothing for the other kinds. */
void cell_append_plain(Text *text, const Cell *cell);

/* Of CELL_SIGNED, without its sign. */
uint64_t cell_magnitude(const Cell *cell);

/* Of CELL_LIST and CELL_TILES. */
uint32_t cell_list_item(const Cell *cell, size_t index);

bool render_text(Writer *writer, const Document *document);
bool render_json(Writer *writer, const Document *document);
bool render_csv(Writer *writer, const Document *document);

#endif
