/* What a report says of a capture: one row per phase and mode, with everything that analysis.json and
 * index.html show. Gathered through the session, so nothing is computed twice. Follows spec/analysis.md. */
#ifndef EXSCOPE_REPORT_MODEL_H
#define EXSCOPE_REPORT_MODEL_H

#include "explore/ranking.h"
#include "explore/session.h"

/* What became of the replay of a row. */
typedef enum RowReplay {
    ROW_REPLAY_NONE,    /* not asked for, or not there */
    ROW_REPLAY_DONE,    /* `replay` is filled: look at invariants_pass before showing any figure */
    ROW_REPLAY_REFUSED, /* `replay_refusal` says why */
} RowReplay;

typedef struct ReportRow {
    struct ReportPhase *phase;
    Mode mode;
    bool selected;      /* false: this mode was not asked for, and all below is empty */
    const char *reason; /* NULL: the mode is available, else why it is refused */
    ModeSummary summary;
    Equivalence equivalence;
    RowReplay replay_state;
    ReplaySummary replay;
    char replay_refusal[300];
    uint32_t *tile_row_bytes; /* [tile_count] of a replay that passed and whose rows are there, 0: inactive
                                 tile; else NULL */
    uint32_t *tile_fragments; /* [tile_count] at each endpoint, where no replay of the phase was asked for and
                                 there is none; else NULL */
} ReportRow;

/* Could receivers use their buffers in place? In the phase's default scope. */
typedef struct Feasibility {
    Scope scope;
    uint32_t transfers; /* of the scope */
    uint32_t receivers, contiguous, identity;
    int32_t busiest_receiver; /* -1: none, and what follows is empty */
    TileCoverage busiest_coverage;
    TileIdentity busiest_identity; /* empty unless it is contiguous */
} Feasibility;

typedef struct ReportPhase {
    const PhaseEntry *entry;
    uint32_t rank;           /* 1: worst, among all phases of the capture */
    const char *label;       /* from the file: not safe to print raw; NULL: none */
    bool replay;             /* the replays of this phase were asked for */
    bool dependencies_known; /* false: `refusal` says why; then only `original` is available */
    char refusal[300];
    bool read_write_overlap, write_write_overlap;
    uint64_t edges;
    uint32_t prefix_transfers, tail_transfers, maximum_depth;
    Feasibility feasibility; /* where the dependencies are known */
    ReportRow rows[MODE_COUNT];
} ReportPhase;

typedef struct Report {
    View *view; /* holds all that is borrowed here */
    const Capture *capture;
    ReplayOptions options; /* of the replays */
    ReportPhase *phases;   /* in ranking order */
    size_t phase_count;
} Report;

typedef enum ReportReplays {
    REPORT_REPLAYS_RUN,  /* replay what is asked for */
    REPORT_REPLAYS_READY /* take those that the session has, run none */
} ReportReplays;

typedef struct ReportRequest {
    const uint32_t *phases; /* numbers; NULL: all */
    size_t phase_count;
    unsigned modes; /* bit per Mode; 0: all */
    ReportReplays replays;
    /* REPORT_REPLAYS_RUN: of the worst so many of these phases; 0: none. */
    size_t top;
    /* NULL: every available row of those phases is replayed. Else asked first, on a worker. False stops all.
     */
    bool (*wanted)(void *context, const ReportRow *row, bool *wanted, Error *error);
    /* Told of each row that was replayed, or whose replay was refused, on a worker, while `view` holds the
     * mode's phase. May be NULL. False stops all. */
    bool (*row)(void *context, View *view, const ReportRow *row, Progress *progress, Error *error);
    void *context;
} ReportRequest;

/* Fills `report`; the same figures, in the same order, for any number of workers. Refusals (of a mode, of a
 * phase's dependencies, of a replay) are figures too and no failure. Fails on an unknown phase, while the
 * capture is still loading, when cancelled, or out of memory; names phase and mode.
 * progress: rows. */
bool report_gather(Session *session, const ReportRequest *request, Progress *progress, Report *report,
                   Error *error);
void report_free(Report *report);

/* The valid row that is best: fewest row bytes where every valid mode of the phase that can be was replayed,
 * else fewest fragments at the busiest endpoint; then least copying, then the order of the modes. NULL: no
 * row is valid. */
const ReportRow *report_best(const ReportPhase *phase);
bool report_best_by_rows(const ReportPhase *phase);

/* Available, selected and not proved wrong or unknown. */
bool report_row_valid(const ReportRow *row);

/* Whether the row's replay figures may be shown: there, and its invariants hold. */
bool report_row_replayed(const ReportRow *row);

/* Why a row that is available is not valid, or "" when it is: "not equivalent: first difference in
 * iteration 2, tile 3, address 0x4c000". Into a buffer of 200 bytes. */
const char *report_invalid_reason(const ReportRow *row, char buffer[200]);

/* What every report states, ended by NULL: sentences. */
extern const char *const report_limits[];

#endif
