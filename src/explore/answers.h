/* Pieces that the answers of several commands share. */
#ifndef EXSCOPE_EXPLORE_ANSWERS_H
#define EXSCOPE_EXPLORE_ANSWERS_H

#include "explore/command_parts.h"
#include "explore/trust.h"

/* "phase" of the call, which identifies rows in CSV; in text with its label. */
void answer_phase(CommandCall *call);

/* The same, "mode", and, where the mode is not valid, how far it can be trusted: the figures that follow are
 * then marked. Proves the mode if need be: false when that fails. */
bool answer_mode(CommandCall *call, Error *error);

/* "scope", and n of m transfers. */
void answer_scope(CommandCall *call, Scope scope, uint32_t transfers);

/* Of one receiver, below "coverage". */
void answer_tile_coverage(Document *out, const TileCoverage *tile);

/* Refuses to go on from a replay whose check failed, naming its first fault. Returns false. */
bool answer_failed_replay(const CommandCall *call, const Replay *replay, Error *error);

/* The replay of the call's mode, made if need be, for commands that look inside. NULL when that fails or its
 * check failed. */
const Replay *answer_replay(CommandCall *call, Error *error);

/* ---- how far a mode can be trusted ---- */

/* MARK_BAD on figures of a mode that is not valid. */
CellMark trust_mark(Trust trust);

/* true, false, or null while unknown. */
Cell equivalent_cell(const Equivalence *equivalence);

/* ---- a mode with all its figures ---- */

enum { REASON_BYTES = sizeof((Error *)NULL)->message };

typedef struct ModeAnswer {
    Mode mode;
    bool available;
    char reason[REASON_BYTES]; /* when it is not */
    ModeSummary summary;
    Equivalence equivalence;
    bool replayed; /* with the session's options */
    ReplaySummary replay;
} ModeAnswer;

/* Computes figures and verdict; a replay only if it is there. A refused mode is an answer, not a failure. */
bool mode_answer(View *view, const PhaseEntry *entry, Mode mode, Progress *progress, ModeAnswer *answer,
                 Error *error);

/* Why a mode is not there, in a few words: its refusal, else what the failure says. Fails when cancelled or
 * out of memory. */
bool mode_reason(View *view, const PhaseEntry *entry, Mode mode, const Error *failure, Progress *progress,
                 char reason[REASON_BYTES], Error *error);

/* The columns of a mode in `modes`, as `mode` shows them in fields too. */
extern const Column mode_columns[];
extern const size_t mode_column_count;

/* `cells` has mode_column_count entries. */
void mode_cells(const ModeAnswer *answer, Document *out, Cell *cells);

/* The eight figures of a geometry, in the order of mode_columns; returns the cell after them. */
Cell *cells_of_geometry(const Geometry *geometry, Cell *cell);

/* ---- a replay ---- */

/* phase, mode, equivalent, valid, refused, then those of replay_cells(), then the verdict in words. */
extern const Column replay_columns[];
extern const size_t replay_column_count;

/* The cells of a replay, keys below "replay.". Numbers are null when an invariant failed. NULL: all absent.
 */
enum { REPLAY_CELLS = 16 };
void replay_cells(const ReplaySummary *summary, CellMark mark, Document *out, Cell cells[REPLAY_CELLS]);

/* Columns with their cells as fields of a document. */
void answer_fields(Document *out, const Column *columns, const Cell *cells, size_t count);

#endif
