/* Replays of any small phase and of its modes: a replay is refused by name or its invariants pass. Then one
 * thing in it is corrupted: the checker must name a fault, unless every row still says the same (the same
 * controls at the same times, the same words sent in the same cycles). */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "fuzz.h"
#include "replay/check.h"
#include "row/decode.h"
#include "transform/modes.h"

enum { TRANSFERS_MAX = 40, COST_MAX = 30000, CHOICES = 10 };

/* ---- what a row says ---- */

typedef struct Event {
    uint32_t time, what, value; /* what: 0 a word sent, 1 a mux control, 2 a pointer control, 3 the end */
} Event;

typedef VEC(Event) Events;

static void note(Events *events, uint32_t time, uint32_t what, uint32_t value)
{
    FUZZ_CHECK(vec_push(events, ((Event){time, what, value}), NULL), "memory");
}

static void read_row(const Replay *replay, uint16_t tile, Events *events)
{
    uint64_t start = replay->row_start[tile];
    RowReader reader = row_reader(replay->row_words + start, (size_t)(replay->row_start[tile + 1] - start));
    RowStep step;
    vec_clear(events);
    while (row_read(&reader, &step)) {
        for (uint32_t w = 0; w < step.words; w++) {
            note(events, step.start + w, 0, (step.address + 4 * w) << 3 | step.sctl);
        }
        if (step.sets_mux) {
            note(events, step.control, 1, step.instruction.mux << 1 | step.instruction.mux_selector);
        }
        if (step.sets_pointer) {
            note(events, step.control, 2, step.instruction.pointer << 1 | step.instruction.pointer_selector);
        }
    }
    note(events, reader.time, 3, reader.fault != NULL);
}

static int by_time(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(Event));
}

static bool says_the_same(const Replay *one, const Replay *other, uint16_t tile)
{
    Events left = {0}, right = {0};
    read_row(one, tile, &left);
    read_row(other, tile, &right);
    qsort(left.items, left.count, sizeof *left.items, by_time);
    qsort(right.items, right.count, sizeof *right.items, by_time);
    bool same =
        left.count == right.count && memcmp(left.items, right.items, left.count * sizeof *left.items) == 0;
    vec_free(&left);
    vec_free(&right);
    return same;
}

/* ---- corruptions ---- */

/* A copy of a replay that may be changed: one row word more than it has. */
static Replay copy_replay(const Replay *replay, uint32_t transfers)
{
    Replay copy = *replay;
    size_t tiles = replay->tile_count, words = (size_t)replay->row_start[tiles];
    size_t activities = (size_t)replay->activity_start[tiles];
    const struct {
        void **to;
        const void *from;
        size_t bytes;
    } parts[] = {
        {(void **)&copy.row_start, replay->row_start, (tiles + 1) * sizeof *copy.row_start},
        {(void **)&copy.row_words, replay->row_words, words * sizeof *copy.row_words},
        {(void **)&copy.tile_horizon, replay->tile_horizon, tiles * sizeof *copy.tile_horizon},
        {(void **)&copy.incoming_base, replay->incoming_base, tiles * sizeof *copy.incoming_base},
        {(void **)&copy.activity_start, replay->activity_start, (tiles + 1) * sizeof *copy.activity_start},
        {(void **)&copy.activities, replay->activities, activities * sizeof *copy.activities},
        {(void **)&copy.completion, replay->completion, transfers * sizeof *copy.completion},
        {(void **)&copy.offset, replay->offset, transfers * sizeof *copy.offset},
        {(void **)&copy.send_start, replay->send_start, transfers * sizeof *copy.send_start},
        {(void **)&copy.requested, replay->requested, transfers * sizeof *copy.requested},
        {(void **)&copy.wait_kind, replay->wait_kind, transfers * sizeof *copy.wait_kind},
        {(void **)&copy.wait_transfer, replay->wait_transfer, transfers * sizeof *copy.wait_transfer},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].to = mem_zero(parts[i].bytes + 8, 1, NULL);
        FUZZ_CHECK(*parts[i].to != NULL, "memory");
        if (parts[i].bytes > 0) {
            memcpy(*parts[i].to, parts[i].from, parts[i].bytes);
        }
    }
    return copy;
}

/* The figures of the rows, as the page defines them. */
static void measure(Replay *replay)
{
    uint64_t h = 0xcbf29ce484222325;
    replay->maximum_row_words = 0;
    replay->maximum_row_tile = -1;
    replay->total_row_words = 0;
    for (uint16_t t = 0; t < replay->tile_count; t++) {
        uint64_t length = replay->row_start[t + 1] - replay->row_start[t];
        if (length > replay->maximum_row_words) {
            replay->maximum_row_words = (uint32_t)length;
            replay->maximum_row_tile = t;
        }
        replay->total_row_words += length;
        h = (h ^ length) * 0x100000001b3;
        for (uint64_t w = replay->row_start[t]; w < replay->row_start[t + 1]; w++) {
            h = (h ^ replay->row_words[w]) * 0x100000001b3;
        }
    }
    replay->row_fingerprint = h;
}

static void corrupt_words(Bytes *bytes, Replay *replay)
{
    uint32_t total = (uint32_t)replay->row_start[replay->tile_count];
    uint32_t at = fuzz_number(bytes, 2) % total, other = fuzz_number(bytes, 2) % total;
    /* most rows of a large device are a lone return: look for a longer one */
    for (uint32_t tried = 0; tried < total && replay->row_words[at] == 0x43a00000; tried++) {
        at = (at + 1) % total;
    }
    switch (fuzz_byte(bytes) % 5) {
    case 0:
        replay->row_words[at] ^= 1u << fuzz_byte(bytes) % 32;
        break;
    case 1:
        replay->row_words[at] += fuzz_byte(bytes) % 2 == 0 ? 1u : UINT32_MAX;
        break;
    case 2:
        replay->row_words[at] = fuzz_number(bytes, 4);
        break;
    case 3: {
        uint32_t kept = replay->row_words[at];
        replay->row_words[at] = replay->row_words[other];
        replay->row_words[other] = kept;
        break;
    }
    default: /* a word taken out, of the row and of all behind it */
        memmove(replay->row_words + at, replay->row_words + at + 1,
                (total - at - 1) * sizeof *replay->row_words);
        for (uint32_t t = 0; t <= replay->tile_count; t++) {
            replay->row_start[t] -= replay->row_start[t] > at;
        }
    }
    measure(replay);
}

/* Changes something that the rows do not depend on; it has one right value, so every change is a fault. */
static bool corrupt_record(Bytes *bytes, Replay *replay, uint32_t transfers)
{
    uint32_t tile = fuzz_below(bytes, replay->tile_count);
    uint32_t count = (uint32_t)replay->activity_start[replay->tile_count];
    uint32_t change = 1u << fuzz_byte(bytes) % 8;
    switch (fuzz_byte(bytes) % 8) {
    case 0:
        replay->horizon_cycles ^= change;
        return true;
    case 1:
        replay->tile_horizon[tile] ^= change;
        return true;
    case 2:
        replay->incoming_base[tile] ^= (int32_t)change;
        return true;
    case 3:
        replay->endpoint_lower_bound_cycles ^= change;
        return true;
    case 4:
        replay->active_tiles ^= change;
        return true;
    case 5:
        if (transfers > 0) {
            replay->completion[fuzz_below(bytes, transfers)] ^= change;
        }
        return transfers > 0;
    default:
        if (count > 0) {
            Activity *activity = &replay->activities[fuzz_below(bytes, count)];
            uint32_t member = fuzz_byte(bytes) % 7;
            activity->transfer ^= member == 0 ? change : 0;
            activity->address ^= member == 1 ? change : 0;
            activity->start ^= member == 2 ? change : 0;
            activity->end ^= member == 3 ? change : 0;
            activity->memory_end ^= member == 4 ? change : 0;
            activity->words ^= (uint16_t)(member == 5 ? change : 0);
            activity->kind ^= (uint8_t)(member == 6 ? change : 0);
        }
        return count > 0;
    }
}

static void check_corrupted(Bytes *bytes, const Phase *phase, uint16_t tile_count,
                            const Dependencies *dependencies, const Replay *replay)
{
    Replay corrupted = copy_replay(replay, phase->transfers);
    bool rows = fuzz_byte(bytes) % 3 != 0;
    if (rows) {
        corrupt_words(bytes, &corrupted);
    }
    bool changed = rows || corrupt_record(bytes, &corrupted, phase->transfers);
    ReplayVerdict verdict;
    Error error = {0};
    FUZZ_CHECK(replay_check(phase, tile_count, dependencies, &corrupted, NULL, &verdict, &error), "%s",
               error.message);
    FUZZ_CHECK(verdict.pass == (verdict.first_fault[0] == '\0'), "%s", verdict.first_fault);
    if (rows && verdict.pass) {
        for (uint16_t t = 0; t < tile_count; t++) {
            FUZZ_CHECK(says_the_same(replay, &corrupted, t), "tile %u: another schedule passes", t);
        }
    }
    FUZZ_CHECK(rows || verdict.pass != changed, "a wrong record passes");
    replay_free(&corrupted);
}

/* ---- replays ---- */

static void check_replay(Bytes *bytes, const Phase *phase, uint16_t tile_count, const ReplayOptions *options)
{
    Dependencies dependencies;
    Replay replay;
    Error error = {0};
    FUZZ_CHECK(dependencies_compute(phase, tile_count, NULL, &dependencies, &error), "%s", error.message);
    if (replay_run(phase, tile_count, &dependencies, options, NULL, &replay, &error)) {
        FUZZ_CHECK(replay.invariants_pass, "%s", replay.first_fault);
        check_corrupted(bytes, phase, tile_count, &dependencies, &replay);
        replay_free(&replay);
    } else {
        fuzz_check_error(&error);
        FUZZ_CHECK(error.kind == ERROR_REFUSED, "%s", error.message);
    }
    dependencies_free(&dependencies);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t stream_words[] = {1024, 1, 8, 100};
    if (size < 2 + CHOICES) {
        return 0;
    }
    Bytes choices = {data + 2, data + 2 + CHOICES}, bytes = {data + 2 + CHOICES, data + size};
    ReplayOptions options = {stream_words[data[1] & 3], (data[1] >> 2 & 1) == 0};
    uint16_t tile_count;
    Phase *phase = fuzz_phase(&bytes, TRANSFERS_MAX, COST_MAX, &tile_count);
    Dependencies dependencies;
    Counterfactual made;
    Error error = {0};
    Mode mode = (Mode)(data[0] % MODE_COUNT);
    FUZZ_CHECK(dependencies_compute(phase, tile_count, NULL, &dependencies, &error), "%s", error.message);
    mode = mode_refusal(mode, &dependencies) == NULL ? mode : MODE_ORIGINAL;
    FUZZ_CHECK(mode_build(phase, tile_count, &dependencies, mode, NULL, &made, &error), "%s", error.message);
    if (made.figures.replay_address_ranges_valid) {
        check_replay(&choices, made.phase, tile_count, &options);
    }
    counterfactual_free(&made);
    dependencies_free(&dependencies);
    phase_free(phase);
    return 0;
}
