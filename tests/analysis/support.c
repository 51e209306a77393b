#include "config.h"

#include "support.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"

enum { LIST_MAX = 64 };

/* ---- phases as text ---- */

static uint32_t read_number(const char **text)
{
    char *end;
    unsigned long number = strtoul(*text, &end, 0);
    assert_true(end != *text && number <= UINT32_MAX);
    *text = end;
    return (uint32_t)number;
}

static bool skip_char(const char **text, char character)
{
    while (isspace((unsigned char)**text)) {
        ++*text;
    }
    bool there = **text == character;
    *text += there;
    return there;
}

static void read_transfer(const char **text, Phase *phase)
{
    uint32_t addresses[LIST_MAX], receiver_addresses[LIST_MAX], repeat = 0, receivers = 0;
    uint16_t tiles[LIST_MAX];
    uint32_t source = read_number(text);
    assert_true(skip_char(text, '@'));
    do {
        assert_true(repeat < LIST_MAX);
        addresses[repeat++] = 4 * read_number(text);
    } while (skip_char(text, ','));
    assert_true(skip_char(text, '>'));
    do {
        assert_true(receivers < LIST_MAX);
        tiles[receivers] = (uint16_t)read_number(text);
        assert_true(skip_char(text, '@'));
        receiver_addresses[receivers++] = 4 * read_number(text);
    } while (skip_char(text, ','));
    assert_true(skip_char(text, 'x'));
    uint32_t words = read_number(text);
    Width width = skip_char(text, 'p') ? WIDTH_PAIRED64 : WIDTH_WORD32;
    assert_true(phase_append(phase, (uint16_t)source, (uint16_t)words, width, addresses, repeat, tiles,
                             receiver_addresses, receivers, NULL));
}

Phase *support_phase(const char *text)
{
    Phase *phase = phase_new(7, NULL);
    assert_non_null(phase);
    for (skip_char(&text, ';'); *text != '\0'; skip_char(&text, ';')) {
        read_transfer(&text, phase);
    }
    return phase;
}

char *support_text(const Phase *phase)
{
    Text text = {0};
    for (uint32_t i = 0; i < phase->transfers; i++) {
        text_printf(&text, "%s%u@", i > 0 ? "; " : "", phase->source[i]);
        for (uint32_t r = 0; r < phase->repeat[i]; r++) {
            text_printf(&text, "%s%u", r > 0 ? "," : "", phase_address(phase, i, r) / 4);
        }
        for (uint32_t k = phase->receiver_start[i]; k < phase->receiver_start[i + 1]; k++) {
            text_printf(&text, "%s%u@%u", k > phase->receiver_start[i] ? "," : " > ", phase->receiver_tile[k],
                        phase->receiver_address[k] / 4);
        }
        text_printf(&text, " x %u%s", phase->words[i], phase->width[i] == WIDTH_PAIRED64 ? "p" : "");
    }
    text_append(&text, "");
    assert_true(text_ok(&text, NULL));
    char *copy = strdup(text_view(&text));
    text_free(&text);
    return copy;
}

void support_expect(const Phase *phase, const char *expected)
{
    Phase *wanted_phase = support_phase(expected);
    char *found = support_text(phase), *wanted = support_text(wanted_phase);
    assert_string_equal(found, wanted);
    free(found);
    free(wanted);
    phase_free(wanted_phase);
}

/* ---- random phases ---- */

static uint64_t random_state = 1;

void support_seed(uint64_t seed)
{
    random_state = seed * 2 + 1;
}

uint32_t support_random(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % below);
}

/* Reads stay below, writes above the middle of memory; every write takes fresh words of its tile. */
typedef struct RandomMaker {
    const RandomShape *shape;
    Phase *phase;
    uint32_t fresh[ORACLE_TILES];
} RandomMaker;

static bool random_disjoint_receiver(RandomMaker *maker, uint16_t tile, uint32_t words, uint32_t *address)
{
    uint32_t middle = maker->shape->memory_words / 2, hole = support_random(4) == 0;
    uint32_t start = middle + maker->fresh[tile] + hole;
    if (start + words > maker->shape->memory_words) {
        return false;
    }
    maker->fresh[tile] += words + hole;
    *address = 4 * start;
    return true;
}

/* Repeats transfer `like` shifted by its length: the same route, addresses that go on. */
static void random_continue(const Phase *phase, uint32_t like, uint32_t *addresses, uint32_t *repeat,
                            uint16_t *tiles, uint32_t *receiver_addresses, uint32_t *receivers)
{
    uint32_t bytes = 4u * phase->words[like];
    *repeat = phase->repeat[like];
    *receivers = phase_receivers(phase, like);
    for (uint32_t r = 0; r < *repeat; r++) {
        addresses[r] = phase_address(phase, like, r) + bytes;
    }
    for (uint32_t k = 0; k < *receivers; k++) {
        tiles[k] = phase->receiver_tile[phase->receiver_start[like] + k];
        receiver_addresses[k] = phase->receiver_address[phase->receiver_start[like] + k] + bytes;
    }
}

static bool random_fits(const RandomMaker *maker, uint32_t words, const uint32_t *addresses, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        if (addresses[k] / 4 + words > maker->shape->memory_words) {
            return false;
        }
    }
    return true;
}

static bool random_transfer(RandomMaker *maker)
{
    const RandomShape *shape = maker->shape;
    uint32_t addresses[LIST_MAX], receiver_addresses[LIST_MAX], repeat = 1, receivers = 0;
    uint16_t tiles[LIST_MAX];
    uint16_t source = (uint16_t)support_random(shape->tiles);
    uint32_t words = 1 + support_random(shape->words);
    if (shape->runs && !shape->disjoint && maker->phase->transfers > 0 && support_random(2) == 0) {
        uint32_t like = support_random(maker->phase->transfers);
        source = maker->phase->source[like];
        random_continue(maker->phase, like, addresses, &repeat, tiles, receiver_addresses, &receivers);
    } else {
        uint32_t readable = shape->disjoint ? shape->memory_words / 2 : shape->memory_words;
        repeat = 1 + support_random(shape->repeat);
        for (uint32_t r = 0; r < repeat; r++) {
            bool same = r > 0 && support_random(3) == 0;
            addresses[r] = same ? addresses[0] : 4 * support_random(readable - words + 1);
        }
        uint32_t fan = 1 + support_random(shape->fan);
        for (uint32_t tile = support_random(shape->tiles), k = 0; k < shape->tiles && receivers < fan; k++) {
            if (support_random(2) == 0 || k + fan >= shape->tiles) {
                tiles[receivers] = (uint16_t)((tile + k * 3) % shape->tiles);
                receiver_addresses[receivers++] = 4 * support_random(shape->memory_words - words + 1);
            }
        }
        for (uint32_t k = 0; shape->disjoint && k < receivers; k++) {
            if (!random_disjoint_receiver(maker, tiles[k], words, &receiver_addresses[k])) {
                return false;
            }
        }
    }
    Width width = support_random(5) == 0 ? WIDTH_PAIRED64 : WIDTH_WORD32;
    return random_fits(maker, words, addresses, repeat) &&
           random_fits(maker, words, receiver_addresses, receivers) &&
           phase_append(maker->phase, source, (uint16_t)words, width, addresses, repeat, tiles,
                        receiver_addresses, receivers, NULL);
}

Phase *support_random_phase(const RandomShape *shape)
{
    /* Tiles are drawn three apart. */
    assert_true(shape->tiles <= ORACLE_TILES && shape->tiles % 3 != 0);
    RandomMaker maker = {.shape = shape, .phase = phase_new(7, NULL)};
    assert_non_null(maker.phase);
    for (uint32_t k = 0; k < shape->transfers; k++) {
        (void)random_transfer(&maker);
    }
    return maker.phase;
}

/* ---- the oracle ---- */

typedef struct OracleWord {
    int32_t last_writer; /* plus 1; 0: none */
    bool reader[ORACLE_TRANSFERS];
    bool ever_read, ever_written;
} OracleWord;

static OracleWord oracle_memory[ORACLE_TILES][ORACLE_WORDS];

static void oracle_add(Oracle *oracle, uint32_t before, uint32_t after, DependencyKind kind, uint32_t tile,
                       uint32_t word)
{
    if (before == after) {
        return;
    }
    assert_true(mem_grow(&oracle->edges, &oracle->edge_capacity, oracle->edge_count + 1,
                         sizeof *oracle->edges, NULL));
    oracle->edges[oracle->edge_count++] = (OracleEdge){.before = (uint16_t)before,
                                                       .after = (uint16_t)after,
                                                       .kind = (uint8_t)kind,
                                                       .tile = (uint8_t)tile,
                                                       .word = (uint16_t)word};
    oracle->write_write_overlap |= kind == DEPENDENCY_WAW;
    if (!oracle->pair[before][after]) {
        oracle->pair[before][after] = true;
        oracle->pairs++;
    }
}

static void oracle_read(Oracle *oracle, const Phase *phase, uint32_t j)
{
    bool *seen = calloc(ORACLE_WORDS, sizeof *seen);
    assert_non_null(seen);
    for (uint32_t r = 0; r < phase->repeat[j]; r++) {
        for (uint32_t w = 0; w < phase->words[j]; w++) {
            uint32_t word = phase_address(phase, j, r) / 4 + w;
            OracleWord *at = &oracle_memory[phase->source[j]][word];
            if (!seen[word] && at->last_writer > 0) {
                oracle_add(oracle, (uint32_t)at->last_writer - 1, j, DEPENDENCY_RAW, phase->source[j], word);
            }
            seen[word] = at->reader[j] = at->ever_read = true;
        }
    }
    free(seen);
}

static void oracle_write(Oracle *oracle, const Phase *phase, uint32_t j)
{
    for (uint32_t k = phase->receiver_start[j]; k < phase->receiver_start[j + 1]; k++) {
        for (uint32_t w = 0; w < phase->words[j]; w++) {
            uint32_t tile = phase->receiver_tile[k], word = phase->receiver_address[k] / 4 + w;
            OracleWord *at = &oracle_memory[tile][word];
            for (uint32_t i = 0; i < j; i++) {
                if (at->reader[i]) {
                    oracle_add(oracle, i, j, DEPENDENCY_WAR, tile, word);
                }
            }
            if (at->last_writer > 0) {
                oracle_add(oracle, (uint32_t)at->last_writer - 1, j, DEPENDENCY_WAW, tile, word);
            }
            memset(at->reader, 0, sizeof at->reader);
            at->last_writer = (int32_t)j + 1;
            at->ever_written = true;
        }
    }
}

Oracle *oracle_dependencies(const Phase *phase)
{
    Oracle *oracle = calloc(1, sizeof *oracle);
    assert_true(oracle != NULL && phase->transfers <= ORACLE_TRANSFERS);
    memset(oracle_memory, 0, sizeof oracle_memory);
    for (uint32_t j = 0; j < phase->transfers; j++) {
        oracle_read(oracle, phase, j);
        oracle_write(oracle, phase, j);
    }
    for (uint32_t t = 0; t < ORACLE_TILES; t++) {
        for (uint32_t w = 0; w < ORACLE_WORDS; w++) {
            oracle->read_write_overlap |= oracle_memory[t][w].ever_read && oracle_memory[t][w].ever_written;
        }
    }
    oracle->prefix = phase->transfers;
    for (uint32_t j = 0; j < phase->transfers; j++) {
        for (uint32_t i = 0; i < j; i++) {
            if (oracle->pair[i][j]) {
                oracle->prefix = j < oracle->prefix ? j : oracle->prefix;
                oracle->depth[j] =
                    oracle->depth[i] + 1 > oracle->depth[j] ? oracle->depth[i] + 1 : oracle->depth[j];
            }
        }
        oracle->maximum_depth =
            oracle->depth[j] > oracle->maximum_depth ? oracle->depth[j] : oracle->maximum_depth;
    }
    return oracle;
}

void oracle_free(Oracle *oracle)
{
    mem_free(oracle->edges);
    free(oracle);
}

uint32_t oracle_receivers(const Phase *phase, uint32_t transfer, OracleReceiver *receivers)
{
    uint32_t count = 0;
    for (uint32_t tile = 0; tile < ORACLE_TILES; tile++) {
        for (uint32_t k = phase->receiver_start[transfer]; k < phase->receiver_start[transfer + 1]; k++) {
            if (phase->receiver_tile[k] == tile) {
                receivers[count++] =
                    (OracleReceiver){.tile = (uint16_t)tile, .address = phase->receiver_address[k]};
            }
        }
    }
    return count;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_routes(const Phase *phase, uint32_t a, uint32_t b)
{
    OracleReceiver left[ORACLE_TILES], right[ORACLE_TILES];
    uint32_t left_count = oracle_receivers(phase, a, left), right_count = oracle_receivers(phase, b, right);
    int order = compare_numbers(phase->source[a], phase->source[b]);
    for (uint32_t k = 0; order == 0 && k < left_count && k < right_count; k++) {
        order = compare_numbers(left[k].tile, right[k].tile);
    }
    return order != 0 ? order : compare_numbers(left_count, right_count);
}

bool oracle_same_route(const Phase *phase, uint32_t a, uint32_t b)
{
    return compare_routes(phase, a, b) == 0;
}

static int compare_members(const Phase *phase, uint32_t a, uint32_t b, bool by_receiver_address)
{
    int order = 0;
    if (by_receiver_address) {
        OracleReceiver left[ORACLE_TILES], right[ORACLE_TILES];
        uint32_t count = oracle_receivers(phase, a, left);
        (void)oracle_receivers(phase, b, right);
        for (uint32_t k = 0; order == 0 && k < count; k++) {
            order = compare_numbers(left[k].address, right[k].address);
        }
        return order;
    }
    for (uint32_t r = 0; order == 0 && r < phase->repeat[a] && r < phase->repeat[b]; r++) {
        order = compare_numbers(phase_address(phase, a, r), phase_address(phase, b, r));
    }
    return order != 0 ? order : compare_numbers(phase->repeat[a], phase->repeat[b]);
}

void oracle_order(const Phase *phase, uint32_t count, const uint32_t *level, bool by_receiver_address,
                  uint32_t *order)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at > 0; at--) {
            uint32_t before = order[at - 1];
            int compared = level != NULL ? compare_numbers(level[before], level[i]) : 0;
            compared = compared != 0 ? compared : compare_routes(phase, before, i);
            compared = compared != 0 ? compared : compare_members(phase, before, i, by_receiver_address);
            if (compared <= 0) {
                break;
            }
            order[at] = before;
        }
        order[at] = i;
    }
}

/* ---- faults ---- */

void support_try_all_faults(bool (*attempt)(void *context, Error *error), void *context)
{
    bool failed = false;
    for (long nth = 1; nth < 100000; nth++) {
        Error error = {0};
        mem_fault_set(nth);
        bool done = attempt(context, &error);
        long left = mem_fault_left();
        mem_fault_set(0);
        if (left > 0) {
            assert_true(done && failed);
            return;
        }
        if (!done) {
            assert_int_equal(error.kind, ERROR_MEMORY);
            failed = true;
        }
    }
    fail_msg("there is no end of allocations");
}
