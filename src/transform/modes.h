/* The eight counterfactual modes. Follows spec/analysis.md, "Modes" and "Figures of a mode". */
#ifndef EXSCOPE_TRANSFORM_MODES_H
#define EXSCOPE_TRANSFORM_MODES_H

#include "analysis/dependencies.h"
#include "analysis/geometry.h"

typedef enum Mode { /* in the order in which the tool shows them */
                    MODE_ORIGINAL,
                    MODE_COALESCED,
                    MODE_SOURCE,
                    MODE_RECEIVER,
                    MODE_BOTH,
                    MODE_COALESCED_PREFIX,
                    MODE_COALESCED_LEVELS,
                    MODE_REORDERED,
                    MODE_COUNT
} Mode;

/* "original", ..., "receiver", ... */
const char *mode_name(Mode mode);

/* As in analysis.json and file names: "destination" for MODE_RECEIVER. */
const char *mode_script_name(Mode mode);

/* o c s r b p l x */
char mode_letter(Mode mode);

/* One line: what it does. */
const char *mode_summary(Mode mode);

/* Full name, script's name, or letter; false when it is none of them. */
bool mode_parse(const char *text, Mode *mode);

/* NULL when the mode is available on a phase with these dependencies, else the reason, as a sentence without
 * a stop. */
const char *mode_refusal(Mode mode, const Dependencies *dependencies);

/* One local copy of one tile: bytes [from, from + bytes) to [to, to + bytes). */
typedef struct Copy {
    uint16_t tile;
    uint32_t from;
    uint32_t to;
    uint32_t bytes;
} Copy;

typedef struct ModeFigures {
    uint64_t source_staging_max_bytes, destination_staging_max_bytes, combined_staging_max_bytes;
    uint64_t source_copy_max_bytes, destination_copy_max_bytes;
    uint64_t local_copy_runs;
    uint64_t affine_copy_loops;
    uint64_t receivers_with_one_affine_loop,
        maximum_affine_loops_per_receiver; /* modes that stage at receivers */
    uint64_t copy_cycles_floor;
    bool replay_address_ranges_valid;
    bool staging_alias;
} ModeFigures;

typedef struct Counterfactual {
    Mode mode;
    const Phase *phase; /* the captured phase itself for MODE_ORIGINAL, else `built` */
    Phase *built;       /* owned, NULL for MODE_ORIGINAL */
    Geometry geometry;
    ModeFigures figures;
    /* The captured transfers in the order in which they were emitted, merged or not. NULL for MODE_ORIGINAL.
     */
    uint32_t *emitted;
    /* Staging address at its source of each captured transfer, in modes that stage there, else NULL. In every
     * Repeat iteration the gather copies each transfer's words from that iteration's address to here. */
    uint32_t *gathered_at;
    /* Merged copies in emission order, grouped by ascending tile. They describe Repeat iteration 0. */
    Copy *source_copies, *receiver_copies;
    size_t source_copy_count, receiver_copy_count;
    /* Cursor maxima per tile, in bytes, [tile_count] each; NULL in modes that stage nothing. */
    uint32_t *source_staging_bytes, *receiver_staging_bytes;
} Counterfactual;

/* Builds an available mode. Near n log n. Fails (ERROR_REFUSED) with the reason when it is refused, or when
 * staging would need more than 32-bit addresses. `dependencies` may be NULL for MODE_ORIGINAL. */
bool mode_build(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies, Mode mode,
                Progress *progress, Counterfactual *counterfactual, Error *error);
void counterfactual_free(Counterfactual *counterfactual);

/* Staging at senders / at receivers. */
bool mode_stages_source(Mode mode);
bool mode_stages_receiver(Mode mode);

#endif
