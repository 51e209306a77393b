/* What is known of the modes of a phase in this frame, and what there is to say of each. */
#ifndef EXSCOPE_TUI_MODE_ROWS_H
#define EXSCOPE_TUI_MODE_ROWS_H

#include "tui/app.h"

enum { NOTE_BYTES = 600 };

typedef enum FigureId {
    FIGURE_MAXIMUM,
    FIGURE_ROW,
    FIGURE_CYCLES,
    FIGURE_TRANSFERS,
    FIGURE_FRAGMENTS,
    FIGURE_STAGING,
    FIGURE_COPY_CYCLES,
    FIGURE_COPY_RUNS,
    FIGURE_LOOPS,
    FIGURE_COUNT
} FigureId;

typedef struct FigureKind {
    const char *title;
    bool compared; /* with original, and the least one is the best */
} FigureKind;

typedef enum FigureState {
    FIGURE_KNOWN,
    FIGURE_COMPUTING,
    FIGURE_NONE,
    FIGURE_FAILED,
    FIGURE_REFUSED
} FigureState;

/* What is known of one mode in this frame. */
typedef struct ModeRow {
    char refusal[NOTE_BYTES];        /* "" when it is available, as far as is known */
    char replay_refusal[NOTE_BYTES]; /* "" when it can be replayed, as far as is known */
    const ModeSummary *summary;
    const Equivalence *equivalence;
    const ReplaySummary *replay;
    bool replaying;
    bool proof_failed;
    bool distrusted;                   /* its figures are marked */
    int proof_percent, replay_percent; /* of what is running; -1: not known */
    FigureState state[FIGURE_COUNT];
    uint64_t value[FIGURE_COUNT];
} ModeRow;

/* [FIGURE_COUNT] */
extern const FigureKind figure_kinds[];

/* Reads all modes of the selected phase, and asks for what is missing: the selected mode's first. */
void mode_rows_read(Tui *tui, Selection selection, ModeRow rows[MODE_COUNT]);

bool mode_row_refused(const ModeRow *row);

/* Proved not equivalent, or not to be believed by construction. */
bool mode_row_invalid(const ModeRow *row);

/* The least value of a figure among the modes that are proved valid; false when all are the same. */
bool mode_rows_best(const ModeRow rows[MODE_COUNT], FigureId figure, uint64_t *best);

/* Appends sentences on a mode, one a line: its verdict, its limits, its replay, the dependencies.
 * `dependencies` are those of the captured phase, NULL while they are not known. */
void mode_row_notes(const ModeRow *row, Mode mode, const Dependencies *dependencies, Text *text);

#endif
