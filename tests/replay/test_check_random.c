/* The invariant checker on random phases: replays pass; spoilt ones fail, or are proven to be the same
 * schedule.
 *
 * A spoilt replay is harmless only when every row still decodes to the same schedule: the same controls at
 * the same cycles, the same words sent in the same cycles and directions, the same end; and when the figures
 * reported with it are those of the rows as they are. Everything else must be caught. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"
#include "capture/capture.h"
#include "fabric/fabric.h"
#include "replay/check.h"
#include "row/decode.h"

enum { PHASES = 40, TILES_MAX = 12, FLIPS_PER_PHASE = 300, FIELDS_PER_PHASE = 300, RESULTS_PER_PHASE = 60 };

static uint64_t random_state = 88172645463325252u;

static uint32_t random_below(uint32_t bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 20) % bound);
}

/* ---- random phases ---- */

static const uint16_t usual_words[] = {1, 1, 2, 3, 4, 5, 8, 16, 31, 51, 52, 53, 63, 64, 65, 128, 129, 700};

/* Mostly reads from one part of memory and writes to another; now and then anywhere, so that dependencies and
 * shared elements appear. */
static uint32_t random_address(bool read, uint32_t words, Width width)
{
    uint32_t base = read == (random_below(6) != 0) ? 0x50000 : 0x84000;
    uint32_t unit = width == WIDTH_PAIRED64 ? 8 : 4;
    return base + random_below((0x8000 - 4 * words) / unit) * unit;
}

/* The transfer that was appended last once more: the rows cannot tell the two apart. */
static void append_again(Phase *phase)
{
    uint32_t i = phase->transfers - 1, a = phase->address_start[i], r = phase->receiver_start[i];
    uint32_t addresses[3], tile_address[TILES_MAX], receivers = phase_receivers(phase, i);
    uint16_t tile[TILES_MAX];
    memcpy(addresses, phase->addresses + a, phase_address_count(phase, i) * sizeof *addresses);
    memcpy(tile, phase->receiver_tile + r, receivers * sizeof *tile);
    memcpy(tile_address, phase->receiver_address + r, receivers * sizeof *tile_address);
    assert_true(phase_append(phase, phase->source[i], phase->words[i], (Width)phase->width[i], addresses,
                             phase_address_count(phase, i), tile, tile_address, receivers, NULL));
}

/* On `tiles` tiles, `stride` apart: near ones hear each other early, far ones late. */
static Phase *random_phase(uint16_t tiles, uint16_t stride)
{
    Phase *phase = phase_new(1, NULL);
    assert_non_null(phase);
    uint32_t transfers = random_below(60);
    for (uint32_t i = 0; i < transfers; i++) {
        uint16_t words = usual_words[random_below(sizeof usual_words / sizeof *usual_words)];
        uint16_t source = (uint16_t)random_below(tiles), tile[TILES_MAX];
        uint32_t addresses[3], tile_address[TILES_MAX],
            receivers = random_below(4) == 0 ? 1 + random_below(3) : 1;
        uint32_t repeat = 1 + random_below(3);
        Width width = words % 2 == 0 && random_below(8) == 0 ? WIDTH_PAIRED64 : WIDTH_WORD32;
        for (uint32_t k = 0; k < repeat; k++) {
            addresses[k] = random_address(true, words, width);
        }
        receivers = receivers < tiles ? receivers : tiles;
        uint16_t first = (uint16_t)(source + 1 + random_below(tiles - 1u));
        for (uint32_t k = 0; k < receivers; k++) {
            tile[k] = (uint16_t)((first + k) % tiles * stride);
            tile_address[k] = random_address(false, words, width);
            if (tile[k] == source * stride) { /* a loopback: few words, and elements of its own */
                words = 5;
                width = WIDTH_WORD32;
                tile_address[k] = 0xa0000 + 32 * i;
            }
        }
        assert_true(phase_append(phase, (uint16_t)(source * stride), words, width, addresses, repeat, tile,
                                 tile_address, receivers, NULL));
        if (random_below(10) == 0) {
            append_again(phase);
        }
    }
    return phase;
}

/* ---- a replay that may be spoilt ---- */

typedef struct Case {
    Phase *phase;
    uint16_t tiles;
    Dependencies dependencies;
    Replay right; /* of the scheduler */
    Replay spoilt;
} Case;

static void *copy(const void *array, size_t count, size_t size)
{
    void *copied = mem_new(count, size, NULL);
    assert_non_null(copied);
    if (count != 0) {
        memcpy(copied, array, count * size);
    }
    return copied;
}

static void spoilt_free(Case *c)
{
    Replay *r = &c->spoilt;
    mem_free(r->row_start);
    mem_free(r->row_words);
    mem_free(r->tile_horizon);
    mem_free(r->incoming_base);
    mem_free(r->activity_start);
    mem_free(r->activities);
    mem_free(r->completion);
    mem_free(r->send_start);
    mem_free(r->offset);
    mem_free(r->requested);
    mem_free(r->wait_kind);
    mem_free(r->wait_transfer);
    *r = (Replay){0};
}

/* Makes `spoilt` a copy of `right` again. */
static void spoilt_renew(Case *c)
{
    spoilt_free(c);
    Replay *r = &c->spoilt;
    *r = c->right;
    r->row_start = copy(r->row_start, c->tiles + 1u, sizeof *r->row_start);
    r->row_words = copy(r->row_words, r->row_start[c->tiles], sizeof *r->row_words);
    r->tile_horizon = copy(r->tile_horizon, c->tiles, sizeof *r->tile_horizon);
    r->incoming_base = copy(r->incoming_base, c->tiles, sizeof *r->incoming_base);
    r->activity_start = copy(r->activity_start, c->tiles + 1u, sizeof *r->activity_start);
    r->activities = copy(r->activities, r->activity_start[c->tiles], sizeof *r->activities);
    uint32_t transfers = c->phase->transfers;
    r->completion = copy(r->completion, transfers, sizeof *r->completion);
    r->send_start = copy(r->send_start, transfers, sizeof *r->send_start);
    r->offset = copy(r->offset, transfers, sizeof *r->offset);
    r->requested = copy(r->requested, transfers, sizeof *r->requested);
    r->wait_kind = copy(r->wait_kind, transfers, sizeof *r->wait_kind);
    r->wait_transfer = copy(r->wait_transfer, transfers, sizeof *r->wait_transfer);
}

static void case_make(Case *c)
{
    uint16_t used = (uint16_t)(2 + random_below(TILES_MAX - 1)), stride = random_below(2) != 0 ? 9 : 1;
    *c = (Case){.phase = random_phase(used, stride), .tiles = (uint16_t)(used * stride)};
    Error error = {0};
    if (!phase_check(c->phase, c->tiles, &error) ||
        !dependencies_compute(c->phase, c->tiles, NULL, &c->dependencies, &error) ||
        !replay_run(c->phase, c->tiles, &c->dependencies, &REPLAY_OPTIONS_DEFAULT, NULL, &c->right, &error)) {
        fail_msg("%s", error.message);
    }
    spoilt_renew(c);
}

static void case_free(Case *c)
{
    spoilt_free(c);
    replay_free(&c->right);
    dependencies_free(&c->dependencies);
    phase_free(c->phase);
}

static ReplayVerdict case_check(const Case *c, const Replay *replay)
{
    ReplayVerdict verdict;
    Error error = {0};
    if (!replay_check(c->phase, c->tiles, &c->dependencies, replay, NULL, &verdict, &error)) {
        fail_msg("%s", error.message);
    }
    return verdict;
}

/* ---- the figures of spoilt rows, made to fit, so that nothing but the rows is wrong ---- */

static void refit(Case *c)
{
    Replay *r = &c->spoilt;
    r->row_fingerprint = 0xcbf29ce484222325;
    r->horizon_cycles = r->maximum_row_words = 0;
    r->total_row_words = r->row_start[c->tiles];
    for (int t = 0; t < c->tiles; t++) {
        const uint32_t *words = r->row_words + r->row_start[t];
        size_t count = r->row_start[t + 1] - r->row_start[t];
        RowReader reader = row_reader(words, count);
        for (RowStep step; row_read(&reader, &step);) {
        }
        r->tile_horizon[t] = reader.time;
        r->horizon_cycles = reader.time > r->horizon_cycles ? reader.time : r->horizon_cycles;
        if (count > r->maximum_row_words) {
            r->maximum_row_words = (uint32_t)count;
            r->maximum_row_tile = c->phase->transfers == 0 ? -1 : t;
        }
        r->row_fingerprint = (r->row_fingerprint ^ count) * 0x100000001b3;
        for (size_t w = 0; w < count; w++) {
            r->row_fingerprint = (r->row_fingerprint ^ words[w]) * 0x100000001b3;
        }
    }
}

/* ---- what a row does, however it is written ---- */

typedef struct Deed { /* sends: start, words, address, sctl; controls: cycle, 0, value, kind and selector */
    uint32_t at, words, value, kind;
} Deed;

typedef VEC(Deed) Deeds;

static void deed_add(Deeds *deeds, Deed deed)
{
    Deed *last = deeds->count == 0 ? NULL : &deeds->items[deeds->count - 1];
    if (last != NULL && deed.words != 0 && last->words != 0 && last->at + last->words == deed.at &&
        last->value + 4 * last->words == deed.value && last->kind == deed.kind) {
        last->words += deed.words;
        return;
    }
    assert_true(vec_push(deeds, deed, NULL));
}

/* Sends first, then controls. False when the words are no row. */
static bool row_deeds(const uint32_t *words, size_t count, Deeds *deeds)
{
    vec_clear(deeds);
    for (unsigned pass = 0; pass < 2; pass++) {
        RowReader reader = row_reader(words, count);
        for (RowStep step; row_read(&reader, &step);) {
            const Instruction *instruction = &step.instruction;
            if (pass == 0 && step.words != 0) {
                deed_add(deeds, (Deed){step.start, step.words, step.address, step.sctl});
            }
            if (pass == 1 && step.sets_mux) {
                deed_add(deeds, (Deed){step.control, 0, instruction->mux, 16 + instruction->mux_selector});
            }
            if (pass == 1 && step.sets_pointer) {
                deed_add(deeds,
                         (Deed){step.control, 0, instruction->pointer, 32 + instruction->pointer_selector});
            }
        }
        if (reader.fault != NULL) {
            return false;
        }
        deed_add(deeds, (Deed){reader.time, 0, 0, 64});
    }
    return true;
}

static bool same_schedule(const Case *c)
{
    Deeds right = {0}, spoilt = {0};
    bool same = true;
    for (int t = 0; t < c->tiles && same; t++) {
        const Replay *r = &c->right, *s = &c->spoilt;
        assert_true(row_deeds(r->row_words + r->row_start[t], r->row_start[t + 1] - r->row_start[t], &right));
        same = row_deeds(s->row_words + s->row_start[t], s->row_start[t + 1] - s->row_start[t], &spoilt) &&
               right.count == spoilt.count &&
               memcmp(right.items, spoilt.items, right.count * sizeof *right.items) == 0;
    }
    vec_free(&right);
    vec_free(&spoilt);
    return same;
}

/* ---- counting ---- */

enum { FAULT_KINDS_MAX = 64 };

/* The texts of the faults, numbers apart, and how often each was met. */
static struct {
    char text[200];
    size_t count;
} fault_kinds[FAULT_KINDS_MAX];

static bool is_word(char character)
{
    return character != '\0' && strchr("0123456789abcdefghijklmnopqrstuvwxyz", character) != NULL;
}

static void count_fault(const char *fault)
{
    char text[200];
    size_t length = 0;
    while (*fault != '\0') {
        size_t word = 0;
        bool number = false;
        for (; is_word(fault[word]); word++) {
            number |= fault[word] <= '9';
        }
        size_t taken = word == 0 ? 1 : word;
        memcpy(text + length, number ? "#" : fault, number ? 1 : taken);
        length += number ? 1 : taken;
        fault += taken;
    }
    text[length] = '\0';
    size_t kind = 0;
    while (fault_kinds[kind].count != 0 && strcmp(fault_kinds[kind].text, text) != 0) {
        kind++;
        assert_true(kind < FAULT_KINDS_MAX);
    }
    memcpy(fault_kinds[kind].text, text, length + 1);
    fault_kinds[kind].count++;
}

static void many_kinds_of_faults_were_met(void **state)
{
    (void)state;
    size_t kinds = 0;
    for (; kinds < FAULT_KINDS_MAX && fault_kinds[kinds].count != 0; kinds++) {
        print_message("# %7zu  %s\n", fault_kinds[kinds].count, fault_kinds[kinds].text);
    }
    assert_true(kinds > 30);
}

typedef struct Tally {
    const char *what;
    size_t tried, caught, harmless;
} Tally;

/* Checks the spoilt rows: as they are reported first, then with figures that fit. */
static void judge(Case *c, Tally *tally)
{
    ReplayVerdict verdict = case_check(c, &c->spoilt);
    assert_false(verdict.pass);
    assert_true(verdict.first_fault[0] != '\0');
    refit(c);
    verdict = case_check(c, &c->spoilt);
    bool same = same_schedule(c);
    if (verdict.pass != same) {
        fail_msg("%s: %s, but the schedule is %s", tally->what, verdict.pass ? "passed" : verdict.first_fault,
                 same ? "the same" : "another");
    }
    if (!verdict.pass) {
        count_fault(verdict.first_fault);
    }
    tally->tried++;
    tally->caught += !verdict.pass;
    tally->harmless += verdict.pass;
}

static void tally_print(const Tally *tally)
{
    print_message("# %s: %zu tried, %zu caught, %zu harmless (the same schedule)\n", tally->what,
                  tally->tried, tally->caught, tally->harmless);
    assert_true(tally->caught > 0 && tally->caught + tally->harmless == tally->tried);
}

/* ---- tests ---- */

static void replays_pass(void **state)
{
    (void)state;
    size_t edges = 0, passes[3] = {0};
    for (unsigned i = 0; i < PHASES * 5; i++) {
        Case c;
        case_make(&c);
        ReplayVerdict verdict = case_check(&c, &c.right);
        assert_string_equal(verdict.first_fault, "");
        assert_true(verdict.pass);
        assert_true(same_schedule(&c));
        edges += c.dependencies.edges;
        passes[c.right.pass]++;
        case_free(&c);
    }
    print_message("# %zu edges, %zu replays in one pass, %zu in two\n", edges, passes[1], passes[2]);
    assert_true(edges > 0 && passes[1] > 0 && passes[2] > 0);
}

static void flipped_bits_are_caught(void **state)
{
    (void)state;
    Tally tally = {.what = "single bits of row words"};
    for (unsigned i = 0; i < PHASES; i++) {
        Case c;
        case_make(&c);
        for (unsigned k = 0; k < FLIPS_PER_PHASE; k++) {
            spoilt_renew(&c);
            uint32_t word = random_below((uint32_t)c.right.total_row_words);
            c.spoilt.row_words[word] ^= UINT32_C(1) << random_below(32);
            judge(&c, &tally);
        }
        case_free(&c);
    }
    tally_print(&tally);
}

/* One field of one instruction, one up or down, within its width. */
static bool nudge_field(uint32_t *words, size_t count)
{
    Instruction instruction;
    if (instruction_decode(words, count, &instruction) == 0) {
        return false;
    }
    uint32_t *fields[] = {&instruction.count, &instruction.address,     &instruction.delta,
                          &instruction.sctl,  &instruction.pointer,     &instruction.pointer_selector,
                          &instruction.mux,   &instruction.mux_selector};
    uint32_t *field = fields[random_below(8)], again[2];
    *field += random_below(2) != 0 ? 1 : UINT32_MAX;
    Instruction decoded;
    unsigned length = instruction_encode(&instruction, again);
    /* Fields that the operation lacks, and values that do not fit, change nothing or something else. */
    if (instruction_decode(again, length, &decoded) == 0 ||
        memcmp(&decoded, &instruction, sizeof decoded) != 0 || memcmp(again, words, 4 * length) == 0) {
        return false;
    }
    memcpy(words, again, length * sizeof *words);
    return true;
}

static void nudged_fields_are_caught(void **state)
{
    (void)state;
    Tally tally = {.what = "fields one up or down"};
    for (unsigned i = 0; i < PHASES; i++) {
        Case c;
        case_make(&c);
        for (unsigned k = 0; k < FIELDS_PER_PHASE; k++) {
            spoilt_renew(&c);
            size_t word = random_below((uint32_t)c.right.total_row_words);
            if (nudge_field(c.spoilt.row_words + word, c.right.total_row_words - word)) {
                judge(&c, &tally);
            }
        }
        case_free(&c);
    }
    tally_print(&tally);
}

/* Moves the border between two instructions that follow each other by one event: what comes after them stays
 * in its cycles. */
static bool move_border(uint32_t *words, size_t count)
{
    Instruction first, second;
    uint32_t again[4];
    unsigned length = instruction_decode(words, count, &first);
    if (length == 0 || instruction_decode(words + length, count - length, &second) == 0 ||
        second.operation == OPERATION_RETURN) {
        return false;
    }
    bool later = random_below(2) != 0;
    if ((later ? &second : &first)->count == 0) {
        return false;
    }
    first.count += later ? 1 : UINT32_MAX;
    second.count -= later ? 1 : UINT32_MAX;
    unsigned whole = length + operation_words(second.operation);
    instruction_encode(&first, again);
    instruction_encode(&second, again + length);
    Instruction decoded[2];
    if (instruction_decode(again, whole, &decoded[0]) != length || decoded[0].count != first.count ||
        instruction_decode(again + length, whole - length, &decoded[1]) != whole - length ||
        decoded[1].count != second.count) {
        return false; /* a count that does not fit */
    }
    memcpy(words, again, whole * sizeof *words);
    return true;
}

static void moved_events_are_caught(void **state)
{
    (void)state;
    Tally tally = {.what = "borders between instructions one event moved"};
    for (unsigned i = 0; i < PHASES; i++) {
        Case c;
        case_make(&c);
        for (unsigned k = 0; k < FIELDS_PER_PHASE / 3; k++) {
            spoilt_renew(&c);
            size_t word = random_below((uint32_t)c.right.total_row_words);
            if (move_border(c.spoilt.row_words + word, c.right.total_row_words - word)) {
                judge(&c, &tally);
            }
        }
        case_free(&c);
    }
    tally_print(&tally);
}

/* Cuts `remove` words out of the rows and puts `insert` in their place; the slices of the tiles follow. */
static void splice(Case *c, int tile, uint64_t at, size_t remove, const uint32_t *insert, size_t inserted)
{
    Replay *r = &c->spoilt;
    uint64_t total = r->row_start[c->tiles], tail = total - at - remove;
    uint32_t *words = mem_new(total + inserted, sizeof *words, NULL);
    assert_non_null(words);
    memcpy(words, r->row_words, at * sizeof *words);
    if (inserted != 0) {
        memcpy(words + at, insert, inserted * sizeof *words);
    }
    memcpy(words + at + inserted, r->row_words + at + remove, tail * sizeof *words);
    mem_free(r->row_words);
    r->row_words = words;
    for (int t = tile + 1; t <= c->tiles; t++) {
        r->row_start[t] = r->row_start[t] + inserted - remove;
    }
}

static void lost_and_added_words_are_caught(void **state)
{
    (void)state;
    Tally lost = {.what = "lost words"}, added = {.what = "added words"}, swapped = {.what = "swapped words"};
    static const uint32_t extras[] = {0x40a00000, 0x43a00000, 0x60000000, 0x64000640,
                                      0x64000000, 0x78000001, 0x70000001};
    for (unsigned i = 0; i < PHASES; i++) {
        Case c;
        case_make(&c);
        for (unsigned k = 0; k < RESULTS_PER_PHASE; k++) {
            int tile = (int)random_below(c.tiles);
            uint64_t start = c.right.row_start[tile], count = c.right.row_start[tile + 1] - start;
            uint64_t at = start + random_below((uint32_t)count);
            spoilt_renew(&c);
            splice(&c, tile, at, 1, NULL, 0);
            judge(&c, &lost);
            spoilt_renew(&c);
            splice(&c, tile, at, 0, &extras[random_below(sizeof extras / sizeof *extras)], 1);
            judge(&c, &added);
            spoilt_renew(&c);
            uint32_t *words = c.spoilt.row_words;
            if (at != start && words[at] != words[at - 1]) {
                uint32_t word = words[at];
                words[at] = words[at - 1];
                words[at - 1] = word;
                judge(&c, &swapped);
            }
        }
        case_free(&c);
    }
    tally_print(&lost);
    tally_print(&added);
    tally_print(&swapped);
}

static void swapped_rows_are_caught(void **state)
{
    (void)state;
    Tally tally = {.what = "rows of two tiles swapped"};
    for (unsigned i = 0; i < PHASES * 5; i++) {
        Case c;
        case_make(&c);
        int first = (int)random_below(c.tiles), second = (int)random_below(c.tiles);
        const uint64_t *start = c.right.row_start;
        size_t counts[2] = {start[first + 1] - start[first], start[second + 1] - start[second]};
        const uint32_t *rows[2] = {c.right.row_words + start[first], c.right.row_words + start[second]};
        if (counts[0] != counts[1] || memcmp(rows[0], rows[1], 4 * counts[0]) != 0) {
            splice(&c, first, c.spoilt.row_start[first], counts[0], rows[1], counts[1]);
            splice(&c, second, c.spoilt.row_start[second], counts[1], rows[0], counts[0]);
            judge(&c, &tally);
        }
        case_free(&c);
    }
    tally_print(&tally);
}

static void spoil_activity(Activity *activity, uint32_t by)
{
    switch (random_below(7)) {
    case 0:
        activity->transfer += by;
        break;
    case 1:
        activity->address += by;
        break;
    case 2:
        activity->start += by;
        break;
    case 3:
        activity->end += by;
        break;
    case 4:
        activity->memory_end += by;
        break;
    case 5:
        activity->words = (uint16_t)(activity->words + by);
        break;
    default:
        activity->kind ^= 1;
        break;
    }
}

/* One thing recorded of a transfer. */
static void spoil_record(Case *c, uint32_t by)
{
    Replay *r = &c->spoilt;
    uint32_t transfer = random_below(c->phase->transfers);
    switch (random_below(6)) {
    case 0:
        r->completion[transfer] += by;
        break;
    case 1:
        r->send_start[transfer] += by;
        break;
    case 2:
        r->offset[transfer] += by;
        break;
    case 3:
        r->requested[transfer] += by;
        break;
    case 4: /* something else than nothing, or nothing instead of something */
        r->wait_kind[transfer] = r->wait_kind[transfer] == WAIT_NONE ? WAIT_RECEIVE_STREAM : WAIT_NONE;
        break;
    default: /* for itself, or for no transfer of the phase */
        r->wait_transfer[transfer] = by == 1 ? transfer : c->phase->transfers;
        break;
    }
}

/* One value of the result that is not in the rows, one off. */
static void spoil_result(Case *c)
{
    Replay *r = &c->spoilt;
    uint32_t tile = random_below(c->tiles), by = random_below(2) != 0 ? 1 : UINT32_MAX;
    switch (random_below(c->phase->transfers == 0 ? 12 : 18)) { /* the rest needs a transfer */
    case 0:
        r->horizon_cycles += by;
        break;
    case 1:
        r->maximum_row_words += by;
        break;
    case 2:
        r->maximum_row_tile += (int32_t)by;
        break;
    case 3:
        r->total_row_words += by;
        break;
    case 4:
        r->active_tiles += by;
        break;
    case 5:
        r->endpoint_lower_bound_cycles += by;
        break;
    case 6:
        r->row_fingerprint ^= UINT64_C(1) << random_below(64);
        break;
    case 7:
        r->tile_horizon[tile] += by;
        break;
    case 8:
        r->incoming_base[tile] += (int32_t)by;
        break;
    case 9:
        r->paired64_transfers += by;
        break;
    case 10:
        r->tile_count = (uint16_t)(r->tile_count + by);
        break;
    case 11:
        r->pass = by == 1 ? 0 : 3;
        break;
    case 12:
    case 13:
    case 14:
    case 15:
        spoil_record(c, by);
        break;
    default:
        spoil_activity(&r->activities[random_below((uint32_t)r->activity_start[c->tiles])], by);
        break;
    }
}

static void spoilt_results_are_caught(void **state)
{
    (void)state;
    Tally tally = {.what = "figures, horizons, bases, records, activities"};
    for (unsigned i = 0; i < PHASES; i++) {
        Case c;
        case_make(&c);
        for (unsigned k = 0; k < RESULTS_PER_PHASE; k++) {
            spoilt_renew(&c);
            spoil_result(&c);
            ReplayVerdict verdict = case_check(&c, &c.spoilt);
            count_fault(verdict.first_fault);
            tally.tried++;
            tally.caught += !verdict.pass;
        }
        case_free(&c);
    }
    tally_print(&tally);
    assert_int_equal(tally.tried, tally.caught);
}

/* ---- schedules that are right for another phase ---- */

/* The first cycle of every send; to be freed with mem_free. */
static uint32_t *send_starts(const Case *c, const Replay *replay)
{
    uint32_t *start = mem_new(c->phase->transfers, sizeof *start, NULL);
    assert_non_null(start);
    for (uint64_t a = 0; a < replay->activity_start[c->tiles]; a++) {
        if (replay->activities[a].kind == ACTIVITY_SEND) {
            start[replay->activities[a].transfer] = replay->activities[a].start;
        }
    }
    return start;
}

/* Whether the fault is a transfer that did not wait for another. Where all did, it still shows in what was
 * recorded that the replay was of other dependencies. */
static bool is_early(const ReplayVerdict *verdict)
{
    return strstr(verdict->first_fault, ", on which it depends, completes at ") != NULL;
}

/* Replays without the dependencies, and compares the verdict with a plain look at the starts. */
static void early_successors_are_caught(void **state)
{
    (void)state;
    size_t late = 0, early = 0;
    for (unsigned i = 0; i < PHASES * 5; i++) {
        Case c;
        case_make(&c);
        Dependencies none = {.prefix_transfers = c.phase->transfers};
        Replay replay;
        Error error = {0};
        if (!replay_run(c.phase, c.tiles, &none, &REPLAY_OPTIONS_DEFAULT, NULL, &replay, &error)) {
            fail_msg("%s", error.message);
        }
        uint32_t *start = send_starts(&c, &replay);
        bool broken = false;
        for (uint32_t t = 0; c.dependencies.edges != 0 && t < c.phase->transfers; t++) {
            for (uint32_t e = c.dependencies.predecessor_start[t];
                 e < c.dependencies.predecessor_start[t + 1]; e++) {
                broken |= start[t] < replay.completion[c.dependencies.predecessors[e]];
            }
        }
        ReplayVerdict verdict = case_check(&c, &replay);
        assert_true(is_early(&verdict) == broken);
        count_fault(verdict.first_fault);
        early += broken;
        late += !broken;
        mem_free(start);
        replay_free(&replay);
        case_free(&c);
    }
    print_message(
        "# replayed without dependencies: %zu kept them all the same, %zu did not and were caught\n", late,
        early);
    assert_true(late > 0 && early > 0);
}

/* The verdict when `after` depends on `before` and nothing else depends on anything. */
static ReplayVerdict check_with_edge(const Case *c, uint32_t before, uint32_t after)
{
    uint32_t *predecessor_start = mem_zero(c->phase->transfers + 1u, sizeof *predecessor_start, NULL);
    assert_non_null(predecessor_start);
    for (uint32_t i = after + 1; i <= c->phase->transfers; i++) {
        predecessor_start[i] = 1;
    }
    Case changed = *c;
    changed.dependencies =
        (Dependencies){.edges = 1, .predecessor_start = predecessor_start, .predecessors = &before};
    ReplayVerdict verdict = case_check(&changed, &c->right);
    mem_free(predecessor_start);
    return verdict;
}

/* A transfer that starts when another one completes may depend on it; one that starts a cycle earlier may
 * not. */
static void dependencies_are_kept_to_the_cycle(void **state)
{
    (void)state;
    size_t met[2] = {0};
    for (unsigned i = 0; i < PHASES * 5; i++) {
        Case c;
        case_make(&c);
        uint32_t *start = send_starts(&c, &c.right);
        for (uint32_t before = 0; before < c.phase->transfers; before++) {
            for (uint32_t after = 0; after < c.phase->transfers; after++) {
                uint32_t early = c.right.completion[before] - start[after];
                if (early < 2) {
                    ReplayVerdict verdict = check_with_edge(&c, before, after);
                    assert_true(is_early(&verdict) == (early != 0));
                    met[early]++;
                }
            }
        }
        mem_free(start);
        case_free(&c);
    }
    print_message("# single dependencies: %zu just kept, %zu missed by a cycle and caught\n", met[0], met[1]);
    assert_true(met[0] > 20 && met[1] > 20);
}

/* A copy of the phase in which one transfer reads from one more address. */
static Phase *phase_with_another_read(const Phase *phase, uint32_t transfer, uint32_t address)
{
    Phase *changed = phase_new(phase->number, NULL);
    assert_non_null(changed);
    for (uint32_t i = 0; i < phase->transfers; i++) {
        uint32_t addresses[4], repeat = 0;
        for (; repeat < phase_address_count(phase, i); repeat++) {
            addresses[repeat] = phase_address(phase, i, repeat);
        }
        if (i == transfer) {
            addresses[repeat++] = address;
        }
        uint32_t r = phase->receiver_start[i];
        assert_true(phase_append(changed, phase->source[i], phase->words[i], (Width)phase->width[i],
                                 addresses, repeat, phase->receiver_tile + r, phase->receiver_address + r,
                                 phase_receivers(phase, i), NULL));
    }
    return changed;
}

static uint64_t elements_read(const Phase *phase, uint32_t transfer)
{
    uint64_t elements = 0;
    for (uint32_t k = 0; k < phase_address_count(phase, transfer); k++) {
        elements |= fabric_elements(phase_address(phase, transfer, k), 4u * phase->words[transfer]);
    }
    return elements;
}

/* Pair by pair. */
static bool shares_elements(const Case *c)
{
    for (int t = 0; t < c->tiles; t++) {
        for (uint64_t a = c->right.activity_start[t]; a < c->right.activity_start[t + 1]; a++) {
            for (uint64_t b = c->right.activity_start[t]; b < c->right.activity_start[t + 1]; b++) {
                const Activity *send = &c->right.activities[a], *receive = &c->right.activities[b];
                if (send->kind == ACTIVITY_SEND && receive->kind == ACTIVITY_RECEIVE &&
                    send->start < receive->memory_end && receive->start < send->memory_end &&
                    (elements_read(c->phase, send->transfer) &
                     fabric_elements(receive->address, 4u * receive->words)) != 0) {
                    return true;
                }
            }
        }
    }
    return false;
}

static bool is_loopback(const Phase *phase, uint32_t transfer)
{
    for (uint32_t r = phase->receiver_start[transfer]; r < phase->receiver_start[transfer + 1]; r++) {
        if (phase->receiver_tile[r] == phase->source[transfer]) {
            return true;
        }
    }
    return false;
}

/* Lets the send read, in one more Repeat iteration, what the receive writes, and compares the verdict with a
 * plain look at every pair. Returns whether elements are shared then. */
static bool check_with_read(const Case *c, const Activity *send, const Activity *receive)
{
    uint32_t address = receive->address & ~7u, end = ADDRESS_BYTES_END - 4u * send->words;
    Case changed = *c;
    changed.phase = phase_with_another_read(c->phase, send->transfer, address < end ? address : end & ~7u);
    bool shares = shares_elements(&changed);
    ReplayVerdict verdict = case_check(&changed, &c->right);
    assert_true(verdict.pass == !shares);
    count_fault(verdict.first_fault);
    phase_free(changed.phase);
    return shares;
}

/* Sends and receives of a tile whose memory times meet or miss each other by a cycle, and some others. */
static void shared_elements_are_caught(void **state)
{
    (void)state;
    size_t shared = 0, separate = 0, just[4] = {0};
    for (unsigned i = 0; i < PHASES * 2; i++) {
        Case c;
        case_make(&c);
        assert_false(shares_elements(&c));
        for (int t = 0; t < c.tiles; t++) {
            for (uint64_t a = c.right.activity_start[t]; a < c.right.activity_start[t + 1]; a++) {
                for (uint64_t b = c.right.activity_start[t]; b < c.right.activity_start[t + 1]; b++) {
                    const Activity *send = &c.right.activities[a], *receive = &c.right.activities[b];
                    if (send->kind != ACTIVITY_SEND || receive->kind != ACTIVITY_RECEIVE ||
                        is_loopback(c.phase, send->transfer)) {
                        continue;
                    }
                    uint32_t before =
                        send->memory_end - receive->start; /* 0: just apart, 1: a cycle shared */
                    uint32_t after = receive->memory_end - send->start;
                    if (before < 2 || after < 2 || random_below(100) == 0) {
                        bool shares = check_with_read(&c, send, receive);
                        shared += shares;
                        separate += !shares;
                        just[0] += before == 0;
                        just[1] += before == 1;
                        just[2] += after == 0;
                        just[3] += after == 1;
                    }
                }
            }
        }
        case_free(&c);
    }
    print_message(
        "# more Repeat reads: %zu phases still right, %zu share elements and were caught; send before "
        "receive %zu just apart, %zu in one cycle; after it %zu and %zu\n",
        separate, shared, just[0], just[1], just[2], just[3]);
    assert_true(shared > 0 && separate > 0 && just[0] > 0 && just[1] > 0 && just[2] > 0 && just[3] > 0);
}

/* ---- a replay that is right for a phase which differs in one thing ---- */

enum { DIFFERENCES = 9 };

static const char *const difference_names[DIFFERENCES] = {
    "a transfer less",   "a transfer more",  "a word more",     "a word less",
    "another sender",    "another receiver", "a receiver less", "another address to write to",
    "another first read"};

/* A copy of the phase, different in transfer `at`. NULL when that is not possible there. */
static Phase *different_phase(const Case *c, unsigned difference, uint32_t at)
{
    const Phase *phase = c->phase;
    Phase *changed = phase_new(phase->number, NULL);
    assert_non_null(changed);
    for (uint32_t i = 0; i < phase->transfers; i++) {
        uint32_t addresses[4], tile_addresses[TILES_MAX], receivers = phase_receivers(phase, i);
        uint16_t tiles[TILES_MAX], source = phase->source[i], words = phase->words[i];
        uint32_t repeat = phase_address_count(phase, i), r = phase->receiver_start[i];
        for (uint32_t k = 0; k < repeat; k++) {
            addresses[k] = phase_address(phase, i, k);
        }
        memcpy(tiles, phase->receiver_tile + r, receivers * sizeof *tiles);
        memcpy(tile_addresses, phase->receiver_address + r, receivers * sizeof *tile_addresses);
        unsigned copies = 1;
        if (i == at) {
            uint32_t k = random_below(receivers);
            copies = difference == 0 ? 0 : difference == 1 ? 2 : 1;
            words = (uint16_t)(words + (difference == 2) - (difference == 3));
            source = (uint16_t)(difference == 4 ? (source + 1) % c->tiles : source);
            tiles[k] = (uint16_t)(difference == 5 ? (tiles[k] + 1) % c->tiles : tiles[k]);
            receivers -= difference == 6;
            tile_addresses[k] += difference == 7 ? 8 : 0;
            addresses[0] += difference == 8 ? 8 : 0;
        }
        for (; copies > 0 && words > 0 && receivers > 0; copies--) {
            assert_true(phase_append(changed, source, words, WIDTH_WORD32, addresses, repeat, tiles,
                                     tile_addresses, receivers, NULL));
        }
    }
    if (!phase_check(changed, c->tiles, NULL)) {
        phase_free(changed);
        return NULL;
    }
    return changed;
}

static void another_phase_is_caught(void **state)
{
    (void)state;
    Tally tallies[DIFFERENCES] = {{.what = NULL}};
    for (unsigned i = 0; i < PHASES; i++) {
        Case c;
        case_make(&c);
        /* Without dependencies, which would differ too: nothing but the transfer does. */
        replay_free(&c.right);
        dependencies_free(&c.dependencies);
        c.dependencies = (Dependencies){.prefix_transfers = c.phase->transfers};
        assert_true(
            replay_run(c.phase, c.tiles, &c.dependencies, &REPLAY_OPTIONS_DEFAULT, NULL, &c.right, NULL));
        assert_true(c.right.invariants_pass);
        for (unsigned k = 0; k < RESULTS_PER_PHASE && c.phase->transfers > 0; k++) {
            unsigned difference = k % DIFFERENCES;
            Case changed = c;
            changed.phase = different_phase(&c, difference, random_below(c.phase->transfers));
            if (changed.phase == NULL) {
                continue;
            }
            ReplayVerdict verdict = case_check(&changed, &c.right);
            count_fault(verdict.first_fault);
            tallies[difference].what = difference_names[difference];
            tallies[difference].tried++;
            tallies[difference].caught += !verdict.pass;
            phase_free(changed.phase);
        }
        case_free(&c);
    }
    for (unsigned d = 0; d < DIFFERENCES; d++) {
        tally_print(&tallies[d]);
        assert_true(tallies[d].tried > 20);
        assert_int_equal(tallies[d].tried, tallies[d].caught);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replays_pass),
        cmocka_unit_test(flipped_bits_are_caught),
        cmocka_unit_test(nudged_fields_are_caught),
        cmocka_unit_test(moved_events_are_caught),
        cmocka_unit_test(lost_and_added_words_are_caught),
        cmocka_unit_test(swapped_rows_are_caught),
        cmocka_unit_test(spoilt_results_are_caught),
        cmocka_unit_test(early_successors_are_caught),
        cmocka_unit_test(dependencies_are_kept_to_the_cycle),
        cmocka_unit_test(another_phase_is_caught),
        cmocka_unit_test(shared_elements_are_caught),
        cmocka_unit_test(many_kinds_of_faults_were_met),
    };
    return cmocka_run_group_tests_name("replay/check random", tests, NULL, NULL);
}
