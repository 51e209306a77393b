/* A capture: every exchange phase of one compiled model. Follows spec/capture-format.md. */
#ifndef EXSCOPE_CAPTURE_CAPTURE_H
#define EXSCOPE_CAPTURE_CAPTURE_H

#include "base/progress.h"
#include "capture/phase.h"

typedef enum EndpointSpelling { ENDPOINT_OBJECT, ENDPOINT_ARRAY } EndpointSpelling;

typedef struct PhaseLabel {
    uint32_t phase;
    char *text; /* decoded UTF-8 from the file: data, not safe to print raw. NUL characters are kept out
                   (U+FFFD) */
} PhaseLabel;

typedef struct Capture {
    char *path;              /* as given when it was opened */
    uint32_t schema_version; /* 1..4 */
    uint16_t tile_count;     /* 1..FABRIC_TILES */
    EndpointSpelling spelling;

    Phase **phases; /* file order */
    size_t phase_count;
    size_t phase_capacity;
    Phase **slots; /* the phases again, hashed by number */
    size_t slot_count;

    PhaseLabel *labels; /* ascending phase number */
    size_t label_count;
    char *labels_json;    /* the raw value of phase_labels, NULL when absent */
    char **extra_members; /* raw "key":value of unknown top-level members, file order */
    size_t extra_count;

    uint64_t transfers;  /* of all phases */
    uint64_t file_bytes; /* decompressed bytes of the document */
    double load_seconds;
} Capture;

/* Told during the load, on the loading thread. */
typedef struct CaptureWatcher {
    /* A phase is complete and checked; it stays owned by the capture, at this address. `tile_count` is known.
     * A phase handed out here may still belong to a load that fails later. */
    void (*phase)(void *context, const Phase *phase, uint16_t tile_count);
    /* The load failed: takes over the half-read capture with the phases that were handed out, and frees it
     * (capture_free) once nobody looks at them any more. NULL: capture_load frees it at once. */
    void (*abandon)(void *context, Capture *capture);
    void *context;
} CaptureWatcher;

/* Reads a whole capture ("-": standard input; gzip and zstd too). progress: bytes of the file. NULL with one
 * line that names the file and the byte offset (syntax) or the phase and transfer (meaning) and what was
 * expected. `watcher` may be NULL. */
Capture *capture_load(const char *path, const CaptureWatcher *watcher, Progress *progress, Error *error);

/* The same from memory; `name` stands for the file in messages. */
Capture *capture_load_memory(const char *name, const void *bytes, size_t length,
                             const CaptureWatcher *watcher, Progress *progress, Error *error);

void capture_free(Capture *capture);

/* Gives a phase to a capture, which owns it from then on. Fails when memory is out or when another phase has
 * the same number; then the phase stays with the caller. */
bool capture_add_phase(Capture *capture, Phase *phase, Error *error);

/* NULL when there is no such phase. */
const Phase *capture_phase(const Capture *capture, uint32_t number);
const char *capture_label(const Capture *capture, uint32_t number);

/* Writes a fixture: the capture's own schema_version, tile_count, phase_labels and unknown top-level members,
 * and the given phase alone, endpoints in the capture's spelling. The phase's own unknown members
 * (Phase.extras; only captured phases have any) are written too, and an endpoint that has some is an object.
 * The file appears whole or not at all; `replace` as in output_commit(). */
bool capture_write_fixture(const Capture *capture, const Phase *phase, const char *path, bool replace,
                           Progress *progress, Error *error);

/* Tests one phase against the rules of the format, transfer by transfer: the first fault goes to `error`,
 * with the phase number and transfer index. The reader calls it; so may anyone who builds a phase by hand. */
bool phase_check(const Phase *phase, uint16_t tile_count, Error *error);

#endif
