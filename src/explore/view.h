/* What is open, and everything that was computed from it.
 *
 * A dataset is one capture (perhaps still loading) with its results. A View is one thread's hold on it: while
 * the view exists, the phases that it lists, and every result that was handed out through it, stay where they
 * are. A result is computed at most once at a time, however many threads ask; once ready it is immutable.
 * Bulky ones that no view holds are given back, oldest use first, when all of them together exceed the
 * session's memory budget; they are computed again when they are needed again. Figures are never given back.
 *
 *     peek   never blocks, never computes: for a screen
 *     need   computes on this thread, or waits for the thread that does, honouring its own cancel
 */
#ifndef EXSCOPE_EXPLORE_VIEW_H
#define EXSCOPE_EXPLORE_VIEW_H

#include "analysis/dependencies.h"
#include "analysis/geometry.h"
#include "analysis/identity.h"
#include "capture/capture.h"
#include "replay/replay.h"
#include "transform/equivalence.h"
#include "transform/modes.h"

typedef struct Session Session;
typedef struct View View;

/* A captured phase and what is known of it as soon as it has been read. Lives as long as its dataset. */
typedef struct PhaseEntry {
    const Phase *phase;
    Geometry geometry; /* of the captured phase */
    uint32_t index;    /* place in the file */
    struct PhaseResults *results;
} PhaseEntry;

/* ---- the hold ---- */

/* A hold on what is shown now: the capture being loaded, if there is one, else the open one. NULL with
 * ERROR_INPUT when there is neither. One thread uses a view at a time. */
View *view_new(Session *session, Error *error);
void view_free(View *view); /* NULL is fine */

/* Another hold on the same dataset, for another thread. */
View *view_copy(const View *view, Error *error);

/* Looks again: takes in phases that arrived since, and changes over when another dataset is shown now.
 * *changed (NULL is fine) tells whether it is another one: every pointer taken before is then invalid. Fails
 * when nothing is open any more, or for want of memory; the view then stays as it was. */
bool view_refresh(View *view, bool *changed, Error *error);

/* Lets go of every result taken through this view (not of the phases). For a screen that moves on. */
void view_unpin(View *view);

/* ---- the capture ---- */

/* Known as soon as the first phase was read; 0 before. */
uint16_t view_tile_count(const View *view);
const char *view_path(const View *view);

/* NULL while the capture is still loading. */
const Capture *view_capture(const View *view);
bool view_loading(const View *view);

/* The phases known to this view, in file order. */
size_t view_phase_count(const View *view);
const PhaseEntry *view_phase_at(const View *view, size_t index);

/* By the phase's own number; NULL when there is none (yet). */
const PhaseEntry *view_phase(const View *view, uint32_t number);

/* First in ranking of the phases known to the view; NULL when there are none. */
const PhaseEntry *view_worst_phase(const View *view);

/* The phase's label as in the file (not safe to print raw), NULL when it has none, or while the capture is
 * still loading and its labels come last. */
const char *view_label(const View *view, const PhaseEntry *entry);

/* ---- what is selected, per dataset ---- */

typedef struct Selection {
    const PhaseEntry *entry; /* NULL only when the capture has no phases (yet) */
    Mode mode;
    int32_t tile; /* -1: nobody chose, take the busiest tile */
} Selection;

/* While nobody has chosen a phase it is the worst of those known: first in ranking. */
Selection view_selection(const View *view);
void view_select_phase(View *view, const PhaseEntry *entry); /* another phase forgets the tile */
void view_select_mode(View *view, Mode mode);
void view_select_tile(View *view, int32_t tile);

/* ---- results ---- */

/* Figures of a mode: they outlive the counterfactual phase. */
typedef struct ModeSummary {
    Geometry geometry;
    ModeFigures figures;
} ModeSummary;

/* A replay's figures without its arrays. Nothing but `first_fault` may be shown when invariants_pass is
 * false. */
typedef struct ReplaySummary {
    ReplayOptions options;
    uint32_t horizon_cycles;
    uint32_t maximum_row_words;
    int32_t maximum_row_tile; /* -1: no transfers */
    uint64_t total_row_words;
    uint32_t active_tiles;
    uint32_t endpoint_lower_bound_cycles;
    unsigned pass;
    uint32_t paired64_transfers;
    double seconds;
    uint64_t row_fingerprint;
    bool invariants_pass;
    char first_fault[200];
} ReplaySummary;

typedef enum ResultKind {
    RESULT_DEPENDENCIES,   /* per mode: of the captured phase, or of the counterfactual one */
    RESULT_COUNTERFACTUAL, /* per mode */
    RESULT_FIGURES,        /* per mode: ModeSummary */
    RESULT_EQUIVALENCE,    /* per mode */
    RESULT_TILES,          /* per mode: TileFigures[tile_count] */
    RESULT_COVERAGE,       /* per scope (scope_default(), where nobody asked for one) */
    RESULT_IDENTITY,       /* per scope */
    RESULT_REPLAY,         /* per mode and options */
    RESULT_REPLAY_FIGURES, /* per mode and options: ReplaySummary */
    RESULT_KINDS
} ResultKind;

/* Names one result. Members that the kind does not use are ignored; a zeroed `options` means the session's
 * settings (stream_words, balance). */
typedef struct ResultKey {
    const PhaseEntry *entry;
    ResultKind kind;
    Mode mode;
    Scope scope;
    ReplayOptions options;
} ResultKey;

typedef enum ResultState { RESULT_ABSENT, RESULT_RUNNING, RESULT_READY, RESULT_FAILED } ResultState;

typedef struct ResultStatus {
    ResultState state;
    uint64_t done, total; /* while it runs; total 0: not known */
    const char *stage;    /* while it runs; may be NULL */
    Error error; /* when it failed: a refusal stays (a refused mode, an unencodable transfer), the rest may
                    be tried again */
} ResultStatus;

/* Never blocks. */
void view_status(View *view, const ResultKey *key, ResultStatus *status);

/* The result, or NULL when it is not ready. The type is that of the kind (ResultKind). */
const void *view_peek(View *view, const ResultKey *key);

/* False when some result that was ready could not be handed out by a peek for want of memory: what was made
 * of the peeks is not the whole truth. */
bool view_peeks_ok(const View *view, Error *error);

/* The result, computed if need be with everything that it builds upon. NULL when it fails or is cancelled; a
 * cancelled result is absent again, not failed. Where another thread is computing it, its progress is copied
 * to ours. */
const void *view_need(View *view, const ResultKey *key, Progress *progress, Error *error);

/* The same, typed. */
const Dependencies *view_peek_dependencies(View *view, const PhaseEntry *entry, Mode mode);
const Dependencies *view_need_dependencies(View *view, const PhaseEntry *entry, Mode mode, Progress *progress,
                                           Error *error);
const Counterfactual *view_need_counterfactual(View *view, const PhaseEntry *entry, Mode mode,
                                               Progress *progress, Error *error);
const ModeSummary *view_need_figures(View *view, const PhaseEntry *entry, Mode mode, Progress *progress,
                                     Error *error);
const Equivalence *view_need_equivalence(View *view, const PhaseEntry *entry, Mode mode, Progress *progress,
                                         Error *error);
const TileFigures *view_need_tiles(View *view, const PhaseEntry *entry, Mode mode, Progress *progress,
                                   Error *error);

const Coverage *view_need_coverage(View *view, const PhaseEntry *entry, Scope scope, Progress *progress,
                                   Error *error);
const Identity *view_need_identity(View *view, const PhaseEntry *entry, Scope scope, Progress *progress,
                                   Error *error);

/* `options` NULL: the session's settings. A mode whose address ranges are not valid is refused; one that is
 * not equivalent is replayed, and whoever shows it marks it (view_need_equivalence). */
const Replay *view_peek_replay(View *view, const PhaseEntry *entry, Mode mode, const ReplayOptions *options);
const Replay *view_need_replay(View *view, const PhaseEntry *entry, Mode mode, const ReplayOptions *options,
                               Progress *progress, Error *error);
const ReplaySummary *view_peek_replay_figures(View *view, const PhaseEntry *entry, Mode mode,
                                              const ReplayOptions *options);
const ReplaySummary *view_need_replay_figures(View *view, const PhaseEntry *entry, Mode mode,
                                              const ReplayOptions *options, Progress *progress, Error *error);

/* The phase of a mode: the captured one (nothing is computed), or the counterfactual one. */
const Phase *view_need_phase(View *view, const PhaseEntry *entry, Mode mode, Progress *progress,
                             Error *error);

#endif
