#include "config.h"

#include "replay/replay.h"

#include <stdio.h>
#include <string.h>

#include "base/thread.h"
#include "replay/check.h"
#include "replay/order.h"
#include "replay/place.h"
#include "row/encode.h"
#include "row/instruction.h"

enum { POLL_TILES = 64 };

const char *wait_kind_name(WaitKind kind)
{
    static const char *const names[WAIT_KINDS] = {
        [WAIT_NONE] = "none",
        [WAIT_DEPENDENCY] = "dependency",
        [WAIT_SEND_LANE] = "send lane",
        [WAIT_RECEIVE_STREAM] = "receive stream",
        [WAIT_CONTROL_SLOT] = "control slot",
        [WAIT_MEMORY_ELEMENT] = "memory element",
        [WAIT_ALIGNMENT] = "alignment",
    };
    return names[kind];
}

/* What one tile has to do in the phase. */
typedef struct TileWork {
    uint32_t sends, receives;
    uint32_t unicasts; /* of the receives: those of transfers to this tile alone */
    uint64_t send_words, receive_words;
} TileWork;

typedef struct Run {
    const Phase *phase;
    uint16_t tile_count;
    const Dependencies *dependencies;
    const ReplayOptions *options;
    Progress *progress;
    Replay *replay;
    TileWork *work; /* [tile_count] */
    RowStates states;
    FabricTile *tiles; /* [tile_count] */
    uint32_t *order;
} Run;

/* ---- before placing ---- */

static bool run_sum_work(Run *run, Error *error)
{
    const Phase *phase = run->phase;
    run->work = mem_zero(run->tile_count, sizeof *run->work, error);
    if (run->work == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < phase->transfers; i++) {
        run->work[phase->source[i]].sends++;
        run->work[phase->source[i]].send_words += phase->words[i];
        for (uint32_t k = phase->receiver_start[i]; k < phase->receiver_start[i + 1]; k++) {
            TileWork *work = &run->work[phase->receiver_tile[k]];
            work->receives++;
            work->unicasts += phase_receivers(phase, i) == 1;
            work->receive_words += phase->words[i];
        }
        run->replay->paired64_transfers += phase->width[i] == WIDTH_PAIRED64;
    }
    return true;
}

/* No schedule can be shorter than the words of the busiest endpoint. */
static bool run_bound(Run *run, Error *error)
{
    uint64_t bound = 0;
    for (uint16_t tile = 0; tile < run->tile_count; tile++) {
        const TileWork *work = &run->work[tile];
        bound = work->send_words > bound ? work->send_words : bound;
        bound = work->receive_words > bound ? work->receive_words : bound;
    }
    if (bound > ROW_TIME_MAX) {
        return error_set(error, ERROR_REFUSED,
                         "phase %u: one tile has %llu words to move, more than a row holds",
                         run->phase->number, (unsigned long long)bound);
    }
    run->replay->endpoint_lower_bound_cycles = (uint32_t)bound;
    return true;
}

static bool run_prepare(Run *run, Error *error)
{
    uint16_t count = run->tile_count;
    uint32_t *sends = mem_new(count, sizeof *sends, error);
    uint32_t *receives = mem_new(count, sizeof *receives, error);
    run->tiles = mem_new(count, sizeof *run->tiles, error);
    run->order = mem_new(run->phase->transfers, sizeof *run->order, error);
    bool done = sends != NULL && receives != NULL && run->tiles != NULL && run->order != NULL;
    for (uint16_t tile = 0; done && tile < count; tile++) {
        sends[tile] = run->work[tile].sends;
        receives[tile] = run->work[tile].receives;
        run->tiles[tile] = fabric_tile(tile);
    }
    done = done && row_states_init(&run->states, count, sends, receives, error);
    for (uint16_t tile = 0; done && tile < count; tile++) {
        run->states.tiles[tile].sole_receive = run->work[tile].receives == 1 && run->work[tile].unicasts == 1;
    }
    mem_free(sends);
    mem_free(receives);
    return done;
}

/* ---- rows ---- */

/* Measures every row. *encodable tells whether all of them are. */
static bool run_measure(Run *run, bool *encodable, Error *error)
{
    Replay *replay = run->replay;
    *encodable = true;
    replay->row_start[0] = 0;
    for (uint16_t tile = 0; tile < run->tile_count; tile++) {
        uint32_t words;
        if (tile % POLL_TILES == 0 && !progress_go_on(run->progress, error)) {
            return false;
        }
        if (!row_measure(&run->states.tiles[tile], &words)) {
            *encodable = false;
            return true;
        }
        replay->row_start[tile + 1] = replay->row_start[tile] + words;
    }
    return true;
}

static bool run_place(Run *run, Error *error)
{
    FormMaker maker = {.phase = run->phase, .states = &run->states, .tiles = run->tiles};
    bool encodable = false;
    progress_stage(run->progress, "placing", run->phase->transfers);
    if (!place_check_phase(&maker, run->progress, error)) {
        return false;
    }
    for (unsigned pass = 1; pass <= 2 && !encodable; pass++) {
        run->replay->pass = pass;
        row_states_clear(&run->states);
        if (pass == 2) {
            progress_stage(run->progress, "placing with aligned rows", run->phase->transfers);
        }
        if (!place_transfers(&maker, run->dependencies, run->order, pass == 2, run->progress, run->replay,
                             error) ||
            !run_measure(run, &encodable, error)) {
            return false;
        }
    }
    /* The second pass kept every row encodable, step by step; whole walks have the last word on that. */
    return encodable || error_set(error, ERROR_REFUSED,
                                  "phase %u: a row of the second pass cannot be encoded", run->phase->number);
}

static uint64_t fingerprint_unit(uint64_t hash, uint32_t unit)
{
    return (hash ^ unit) * UINT64_C(0x100000001b3);
}

static bool run_encode(Run *run, Error *error)
{
    Replay *replay = run->replay;
    replay->total_row_words = replay->row_start[run->tile_count];
    replay->row_words = mem_new(mem_count(replay->total_row_words), sizeof *replay->row_words, error);
    if (replay->row_words == NULL) {
        return false;
    }
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint16_t tile = 0; tile < run->tile_count; tile++) {
        uint64_t start = replay->row_start[tile], end = replay->row_start[tile + 1];
        if (tile % POLL_TILES == 0 && !progress_go_on(run->progress, error)) {
            return false;
        }
        row_encode(&run->states.tiles[tile], replay->row_words + start);
        hash = fingerprint_unit(hash, (uint32_t)(end - start));
        for (uint64_t i = start; i < end; i++) {
            hash = fingerprint_unit(hash, replay->row_words[i]);
        }
        if (end - start > replay->maximum_row_words) {
            replay->maximum_row_words = (uint32_t)(end - start);
            replay->maximum_row_tile = run->phase->transfers == 0 ? -1 : tile;
        }
    }
    replay->row_fingerprint = hash;
    return true;
}

/* ---- figures and activities ---- */

static Activity activity_of_send(const RowSend *send)
{
    return (Activity){.transfer = send->transfer,
                      .address = 4 * send->address,
                      .start = send->start,
                      .end = row_send_end(send),
                      .memory_end = row_send_memory_end(send),
                      .words = send->words,
                      .kind = ACTIVITY_SEND};
}

static Activity activity_of_receive(const RowState *row, const RowReceive *receive)
{
    return (Activity){.transfer = receive->transfer,
                      .address = receive->address,
                      .start = row_payload_start(row, receive),
                      .end = row_payload_end(row, receive),
                      .memory_end = row_receive_memory_end(row, receive),
                      .words = receive->words,
                      .kind = ACTIVITY_RECEIVE};
}

/* Merges the sends and receives of a tile, both in time order; a send first where both start at once. */
static void run_merge_activities(const RowState *row, Activity *out)
{
    uint32_t send = 0, receive = 0;
    while (send < row->send_count || receive < row->receive_count) {
        bool take_send = send < row->send_count &&
                         (receive == row->receive_count ||
                          row->sends[send].start <= row_payload_start(row, &row->receives[receive]));
        *out++ = take_send ? activity_of_send(&row->sends[send++])
                           : activity_of_receive(row, &row->receives[receive++]);
    }
}

static bool run_activities(Run *run, Error *error)
{
    Replay *replay = run->replay;
    replay->activity_start[0] = 0;
    for (uint16_t tile = 0; tile < run->tile_count; tile++) {
        const RowState *row = &run->states.tiles[tile];
        replay->activity_start[tile + 1] =
            replay->activity_start[tile] + row->send_count + row->receive_count;
    }
    replay->activities =
        mem_new(mem_count(replay->activity_start[run->tile_count]), sizeof *replay->activities, error);
    if (replay->activities == NULL) {
        return false;
    }
    for (uint16_t tile = 0; tile < run->tile_count; tile++) {
        const RowState *row = &run->states.tiles[tile];
        if (tile % POLL_TILES == 0 && !progress_go_on(run->progress, error)) {
            return false;
        }
        run_merge_activities(row, replay->activities + replay->activity_start[tile]);
        replay->tile_horizon[tile] = row->horizon;
        replay->incoming_base[tile] = row->sole_receive ? (int32_t)row->receives[0].address : -1;
        replay->active_tiles += row->send_count + row->receive_count > 0;
        if (row->horizon > replay->horizon_cycles) {
            replay->horizon_cycles = row->horizon;
        }
    }
    return true;
}

static bool run_reserve(Run *run, Error *error)
{
    Replay *replay = run->replay;
    size_t tiles = run->tile_count, transfers = run->phase->transfers;
    replay->tile_count = run->tile_count;
    replay->maximum_row_tile = -1;
    replay->row_start = mem_new(tiles + 1, sizeof *replay->row_start, error);
    replay->tile_horizon = mem_new(tiles, sizeof *replay->tile_horizon, error);
    replay->incoming_base = mem_new(tiles, sizeof *replay->incoming_base, error);
    replay->activity_start = mem_new(tiles + 1, sizeof *replay->activity_start, error);
    replay->offset = mem_new(transfers, sizeof *replay->offset, error);
    replay->send_start = mem_new(transfers, sizeof *replay->send_start, error);
    replay->completion = mem_new(transfers, sizeof *replay->completion, error);
    replay->requested = mem_new(transfers, sizeof *replay->requested, error);
    replay->wait_kind = mem_new(transfers, sizeof *replay->wait_kind, error);
    replay->wait_transfer = mem_new(transfers, sizeof *replay->wait_transfer, error);
    return replay->row_start != NULL && replay->tile_horizon != NULL && replay->incoming_base != NULL &&
           replay->activity_start != NULL && replay->offset != NULL && replay->send_start != NULL &&
           replay->completion != NULL && replay->requested != NULL && replay->wait_kind != NULL &&
           replay->wait_transfer != NULL;
}

static void run_free(Run *run)
{
    row_states_free(&run->states);
    mem_free(run->work);
    mem_free(run->tiles);
    mem_free(run->order);
}

bool replay_run(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies,
                const ReplayOptions *options, Progress *progress, Replay *replay, Error *error)
{
    double start = thread_seconds();
    memset(replay, 0, sizeof *replay);
    Run run = {.phase = phase,
               .tile_count = tile_count,
               .dependencies = dependencies,
               .options = options,
               .progress = progress,
               .replay = replay};
    progress_stage(progress, "ordering", phase->transfers);
    bool done = run_reserve(&run, error) && run_sum_work(&run, error) && run_bound(&run, error) &&
                run_prepare(&run, error) &&
                order_compute(phase, tile_count, dependencies->depth, options, progress, run.order, error) &&
                run_place(&run, error) && run_encode(&run, error) && run_activities(&run, error);
    run_free(&run);
    ReplayVerdict verdict;
    done = done && replay_check(phase, tile_count, dependencies, replay, progress, &verdict, error);
    if (!done) {
        replay_free(replay);
        return false;
    }
    replay->invariants_pass = verdict.pass;
    memcpy(replay->first_fault, verdict.first_fault, sizeof replay->first_fault);
    replay->seconds = thread_seconds() - start;
    return true;
}

void replay_free(Replay *replay)
{
    mem_free(replay->row_start);
    mem_free(replay->row_words);
    mem_free(replay->tile_horizon);
    mem_free(replay->incoming_base);
    mem_free(replay->activity_start);
    mem_free(replay->activities);
    mem_free(replay->offset);
    mem_free(replay->send_start);
    mem_free(replay->completion);
    mem_free(replay->requested);
    mem_free(replay->wait_kind);
    mem_free(replay->wait_transfer);
    memset(replay, 0, sizeof *replay);
}

uint32_t replay_idle_cycles(const Replay *replay, uint16_t tile)
{
    uint32_t busy = 0, until = 0; /* sends never overlap each other, nor do receives; the two may */
    for (uint64_t i = replay->activity_start[tile]; i < replay->activity_start[tile + 1]; i++) {
        const Activity *activity = &replay->activities[i];
        uint32_t start = activity->start > until ? activity->start : until;
        if (activity->end > start) {
            busy += activity->end - start;
            until = activity->end;
        }
    }
    return replay->horizon_cycles - busy;
}
