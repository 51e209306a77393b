/* mkcapture: writes captures of named shapes, from a few transfers to gigabytes, for tests, benchmarks and
 * data/.
 *
 *     mkcapture [OPTIONS] SHAPE[:KEY=NUMBER,...]...       one phase each, in this order
 *     mkcapture --list
 *
 * With the defaults (1472 tiles) source has 588,800 transfers, interleaved 300,656, multicast 36,800 with 8
 * receivers and 27 addresses each, distinct 82,432 and transpose 294,400; distinct:each=204 gives every
 * receiver 204 sources (300,288), source:each=800 has 1,177,600 transfers, and "capture" is a model of 1.5
 * GB.
 *
 * It stands alone on purpose: nothing of the program that reads its files is used to make them. The same
 * arguments give the same bytes on every machine.
 *
 * Where things lie on a tile. Reads and writes never share a memory element (16 KiB below 0x80000), and
 * staging buffers of the replay (0x10000 and 0x80000 upward) stay clear of both unless a phase is very large:
 *
 *     0x4c000        0x64000             0x80000
 *     | READ ........| WRITE ........ -> | more WRITE where a phase needs it
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    READ_BASE = 0x4c000,
    WRITE_BASE = 0x64000,
    ADDRESS_END = 1 << 20,
    HUB_READ_BASE = 0x10000,
    HUB_WRITE_BASE = 0x14000,
    TILES_MAX = 1472,
    WORDS_MAX = 4148,
    REPEAT_MAX = 64,
    PHASES_MAX = 10000
};

static void die(const char *message, const char *detail)
{
    fprintf(stderr, "mkcapture: %s%s%s\n", message, detail[0] == '\0' ? "" : ": ", detail);
    exit(1);
}

/* ---- what a phase is asked to be ---- */

typedef struct Shape Shape;

/* `each` counts fragments per tile, unless the shape says otherwise. */
typedef struct Request {
    const Shape *shape;
    uint32_t phase;
    uint64_t each, fan, repeat, words, columns, late, hazards;
} Request;

typedef enum Labels { LABELS_PLAIN, LABELS_NONE, LABELS_HOSTILE } Labels;

typedef struct Maker {
    FILE *file;
    char buffer[1 << 16];
    size_t filled;
    uint32_t tiles;
    uint32_t schema;
    bool arrays; /* endpoints as [tile, address] */
    bool extra;  /* members that no reader knows */
    Labels labels;
    uint64_t random;
    /* of the phase that is being written */
    uint64_t transfers;
    uint32_t phase;
} Maker;

struct Shape {
    const char *name;
    const char *title;
    void (*write)(Maker *maker, const Request *request);
    Request defaults;
};

/* ---- output ---- */

static void flush(Maker *maker)
{
    if (fwrite(maker->buffer, 1, maker->filled, maker->file) != maker->filled) {
        die("cannot write", strerror(errno));
    }
    maker->filled = 0;
}

static void put(Maker *maker, const char *text, size_t length)
{
    while (length > 0) {
        if (maker->filled == sizeof maker->buffer) {
            flush(maker);
        }
        size_t room = sizeof maker->buffer - maker->filled;
        size_t part = length < room ? length : room;
        memcpy(maker->buffer + maker->filled, text, part);
        maker->filled += part;
        text += part;
        length -= part;
    }
}

static void put_text(Maker *maker, const char *text)
{
    put(maker, text, strlen(text));
}

static void put_number(Maker *maker, uint64_t number)
{
    char digits[20];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    put(maker, digits + first, sizeof digits - first);
}

/* ---- one transfer ---- */

typedef struct Transfer {
    uint32_t source, words, repeat, receivers;
    bool paired;
    uint32_t addresses[REPEAT_MAX];
    uint32_t tile[TILES_MAX], address[TILES_MAX];
} Transfer;

static void check(const Maker *maker, const Transfer *transfer)
{
    uint64_t end = ADDRESS_END - (uint64_t)transfer->words * 4;
    bool fits = transfer->words >= 1 && transfer->words <= WORDS_MAX && transfer->source < maker->tiles &&
                transfer->receivers >= 1 && transfer->repeat >= 1;
    for (uint32_t r = 0; fits && r < transfer->repeat; r++) {
        fits = transfer->addresses[r] <= end;
    }
    for (uint32_t r = 0; fits && r < transfer->receivers; r++) {
        fits = transfer->address[r] <= end && transfer->tile[r] < maker->tiles;
    }
    if (!fits) {
        char where[80];
        snprintf(where, sizeof where, "phase %" PRIu32 ", transfer %" PRIu64, maker->phase, maker->transfers);
        die("does not fit a tile: ask for fewer fragments, words or tiles", where);
    }
}

static void put_transfer(Maker *maker, const Transfer *transfer)
{
    check(maker, transfer);
    put_text(maker, maker->transfers++ == 0 ? "{\"source\":" : ",{\"source\":");
    put_number(maker, transfer->source);
    put_text(maker, ",\"source_addresses\":[");
    for (uint32_t r = 0; r < transfer->repeat; r++) {
        if (r > 0) {
            put_text(maker, ",");
        }
        put_number(maker, transfer->addresses[r]);
    }
    put_text(maker, "],\"destinations\":[");
    for (uint32_t r = 0; r < transfer->receivers; r++) {
        if (r > 0) {
            put_text(maker, ",");
        }
        put_text(maker, maker->arrays ? "[" : "{\"tile\":");
        put_number(maker, transfer->tile[r]);
        put_text(maker, maker->arrays ? "," : ",\"address\":");
        put_number(maker, transfer->address[r]);
        put_text(maker, maker->arrays ? "]" : maker->extra ? ",\"bank\":[1]}" : "}");
    }
    put_text(maker, "],\"words\":");
    put_number(maker, transfer->words);
    if (maker->schema >= 3) { /* older compilers did not write it */
        put_text(maker, transfer->paired ? ",\"width\":\"Paired64\"" : ",\"width\":\"Word32\"");
    }
    put_text(maker, maker->extra ? ",\"origin\":{\"line\":1.5e3}}" : "}");
}

/* ---- helpers of the shapes ---- */

static uint64_t random_next(Maker *maker)
{
    uint64_t z = maker->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t random_below(Maker *maker, uint64_t bound)
{
    return (uint32_t)(random_next(maker) % bound);
}

static uint32_t round_up(uint64_t value, uint64_t step)
{
    return (uint32_t)((value + step - 1) / step * step);
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    return b == 0 ? a : greatest_common_divisor(b, a % b);
}

/* The least odd step from 7 that visits every one of `count` things in a circle. */
static uint64_t visiting_step(uint64_t count)
{
    uint64_t step = 7;
    while (greatest_common_divisor(step, count) != 1) {
        step += 2;
    }
    return step;
}

/* The source addresses of every Repeat iteration: `offset` inside a block of `span` bytes, one block per
 * iteration, spread over the READ region. */
static void set_source(Transfer *transfer, const Request *request, uint64_t offset, uint64_t span)
{
    uint64_t room = WRITE_BASE - READ_BASE;
    if (span > room) {
        die("does not fit a tile: ask for fewer fragments or words", request->shape->name);
    }
    uint64_t step = request->repeat > 1 ? (room - span) / request->repeat / 8 * 8 : 0;
    if (step > round_up(span, 4096)) {
        step = round_up(span, 4096);
    }
    transfer->repeat = (uint32_t)request->repeat;
    for (uint64_t r = 0; r < request->repeat; r++) {
        transfer->addresses[r] = (uint32_t)(READ_BASE + r * step + offset);
    }
}

static void set_receiver(Transfer *transfer, uint64_t tile, uint64_t address)
{
    transfer->receivers = 1;
    transfer->tile[0] = (uint32_t)tile;
    transfer->address[0] = address < ADDRESS_END ? (uint32_t)address : ADDRESS_END;
}

/* The j-th of `fan` receivers of a source: different tiles, never the source itself, and every tile is the
 * j-th receiver of exactly one source. */
static uint32_t fan_receiver(const Maker *maker, const Request *request, uint64_t source, uint64_t j)
{
    uint64_t step = (maker->tiles - 1) / request->fan;
    return (uint32_t)((source + 1 + j * step) % maker->tiles);
}

static void need_fan(const Maker *maker, const Request *request)
{
    if (request->fan < 1 || request->fan >= maker->tiles) {
        die("needs fan between 1 and tiles - 1", request->shape->name);
    }
}

/* All `fan` receivers, ascending by tile as a compiler writes them; receiver j writes in a block of its own.
 */
static void set_fan(const Maker *maker, Transfer *transfer, const Request *request, uint64_t block_bytes,
                    uint64_t offset)
{
    uint32_t count = 0;
    for (uint64_t j = 0; j < request->fan; j++) {
        uint32_t tile = fan_receiver(maker, request, transfer->source, j);
        uint64_t address = WRITE_BASE + j * block_bytes + offset;
        uint32_t at = count++;
        for (; at > 0 && transfer->tile[at - 1] > tile; at--) {
            transfer->tile[at] = transfer->tile[at - 1];
            transfer->address[at] = transfer->address[at - 1];
        }
        transfer->tile[at] = tile;
        transfer->address[at] = address < ADDRESS_END ? (uint32_t)address : ADDRESS_END;
    }
    transfer->receivers = count;
}

/* ---- the shapes ---- */

/* Every source to its `fan` receivers: fragments `source_step` places apart where they are read, two apart
 * where they are written. */
static void put_fans(Maker *maker, const Request *request, uint64_t source_step)
{
    static Transfer transfer;
    uint64_t bytes = request->words * 4;
    need_fan(maker, request);
    transfer.words = (uint32_t)request->words;
    for (uint32_t source = 0; source < maker->tiles; source++) {
        transfer.source = source;
        for (uint64_t k = 0; k < request->each; k++) {
            set_source(&transfer, request, k * bytes * source_step, request->each * bytes * source_step);
            set_fan(maker, &transfer, request, request->each * bytes * 2, k * bytes * 2);
            put_transfer(maker, &transfer);
        }
    }
}

/* Contiguous where it is read, with gaps where it is written. */
static void shape_destination(Maker *maker, const Request *request)
{
    put_fans(maker, request, 1);
}

/* Gaps on both sides: only staging on both sides joins the fragments. */
static void shape_multicast(Maker *maker, const Request *request)
{
    put_fans(maker, request, 3);
}

/* Every fourth fragment's place where it is read, contiguous where it is written; `fan` receivers take their
 * part one after the other. */
static void shape_source(Maker *maker, const Request *request)
{
    static Transfer transfer;
    uint64_t bytes = request->words * 4, share = (request->each + request->fan - 1) / request->fan;
    need_fan(maker, request);
    transfer.words = (uint32_t)request->words;
    for (uint32_t source = 0; source < maker->tiles; source++) {
        transfer.source = source;
        for (uint64_t k = 0; k < request->each; k++) {
            uint64_t j = k / share;
            set_source(&transfer, request, k * bytes * 4, request->each * bytes * 4);
            set_receiver(&transfer, fan_receiver(maker, request, source, j),
                         WRITE_BASE + (j * share + k % share) * bytes);
            put_transfer(maker, &transfer);
        }
    }
}

/* `fan` runs, contiguous on both sides, arrive at every tile with their pieces dealt out in turn and out of
 * order; runs of higher sources lie higher, so that most receivers are identities; then every fourth tile
 * passes a piece of what it received on (the dependency tail). */
static void shape_interleaved(Maker *maker, const Request *request)
{
    static Transfer transfer;
    uint64_t bytes = request->words * 4, share = request->each / request->fan;
    need_fan(maker, request);
    if (share == 0 || request->each % request->fan != 0) {
        die("needs each to be a multiple of fan", request->shape->name);
    }
    uint64_t step = visiting_step(share), apart = (maker->tiles - 1) / request->fan;
    apart = apart < 5 ? apart : 5;
    transfer.words = (uint32_t)request->words;
    for (uint32_t tile = 0; tile < maker->tiles; tile++) {
        for (uint64_t k = 0; k < request->each; k++) {
            uint64_t run = k % request->fan, piece = k / request->fan * step % share;
            uint64_t back = 1 + (request->fan - 1 - run) * apart;
            transfer.source = (uint32_t)((tile + maker->tiles - back) % maker->tiles);
            set_source(&transfer, request, (run * share + piece) * bytes, request->each * bytes);
            set_receiver(&transfer, tile, WRITE_BASE + (run * share + piece) * bytes);
            put_transfer(maker, &transfer);
        }
    }
    uint64_t forwarded = WRITE_BASE + round_up(request->each * bytes, 0x4000);
    for (uint32_t tile = 0; tile + 2 < maker->tiles; tile += 4) {
        transfer.source = tile;
        transfer.repeat = 1;
        transfer.addresses[0] = (uint32_t)(WRITE_BASE + tile / 4 % request->each * bytes);
        set_receiver(&transfer, tile + 2, forwarded);
        put_transfer(maker, &transfer);
    }
}

/* Every fragment of a tile goes to another receiver: no mode has anything to join. */
static void shape_distinct(Maker *maker, const Request *request)
{
    static Transfer transfer;
    uint64_t bytes = request->words * 4, others = maker->tiles - 1, step = visiting_step(others);
    if (request->each > others) {
        die("needs each below the number of tiles", request->shape->name);
    }
    transfer.words = (uint32_t)request->words;
    for (uint32_t source = 0; source < maker->tiles; source++) {
        transfer.source = source;
        for (uint64_t k = 0; k < request->each; k++) {
            set_source(&transfer, request, k * bytes, request->each * bytes);
            set_receiver(&transfer, (source + 1 + k * step % others) % maker->tiles, WRITE_BASE + k * bytes);
            put_transfer(maker, &transfer);
        }
    }
}

/* A matrix of `columns` columns, read by rows, written by columns: one element per transfer. */
static void shape_transpose(Maker *maker, const Request *request)
{
    static Transfer transfer;
    uint64_t bytes = request->words * 4, rows = request->each / request->columns;
    if (rows == 0 || request->each % request->columns != 0) {
        die("needs each to be a multiple of columns", request->shape->name);
    }
    transfer.words = (uint32_t)request->words;
    for (uint32_t tile = 0; tile < maker->tiles; tile++) {
        transfer.source = (uint32_t)((tile + maker->tiles - 1) % maker->tiles);
        for (uint64_t k = 0; k < request->each; k++) {
            uint64_t row = k % rows, column = k / rows;
            set_source(&transfer, request, (row * request->columns + column) * bytes, request->each * bytes);
            set_receiver(&transfer, tile, WRITE_BASE + k * bytes);
            put_transfer(maker, &transfer);
        }
    }
}

/* Wave after wave, every tile passes on to its neighbour what it received in the wave before. */
static void shape_chain(Maker *maker, const Request *request)
{
    static Transfer transfer;
    uint64_t bytes = request->words * 4;
    transfer.words = (uint32_t)request->words;
    transfer.repeat = 1;
    for (uint64_t wave = 0; wave < request->each; wave++) {
        for (uint32_t tile = 0; tile < maker->tiles; tile++) {
            transfer.source = tile;
            transfer.addresses[0] = (uint32_t)(READ_BASE + wave * bytes);
            set_receiver(&transfer, (tile + 1) % maker->tiles, READ_BASE + (wave + 1) * bytes);
            put_transfer(maker, &transfer);
        }
    }
}

/* From every even tile to its neighbour, each write covers half of the one before. */
static void shape_overlap(Maker *maker, const Request *request)
{
    static Transfer transfer;
    uint64_t bytes = request->words * 4;
    transfer.words = (uint32_t)request->words;
    for (uint64_t k = 0; k < request->each; k++) {
        for (uint32_t tile = 0; tile + 1 < maker->tiles; tile += 2) {
            transfer.source = tile;
            set_source(&transfer, request, k * bytes, request->each * bytes);
            set_receiver(&transfer, tile + 1, WRITE_BASE + k * (request->words / 2) * 4);
            put_transfer(maker, &transfer);
        }
    }
}

/* Clean runs to the neighbour; one last transfer from tile 0 reads, in Repeat iteration `late` alone, what
 * tile 0 has received. A look at the first iteration finds nothing. */
static void shape_late(Maker *maker, const Request *request)
{
    static Transfer transfer;
    uint64_t bytes = request->words * 4;
    if (request->late >= request->repeat) {
        die("needs late below repeat", request->shape->name);
    }
    transfer.words = (uint32_t)request->words;
    for (uint32_t tile = 0; tile < maker->tiles; tile++) {
        transfer.source = tile;
        for (uint64_t k = 0; k < request->each; k++) {
            set_source(&transfer, request, k * bytes, (request->each + 1) * bytes);
            set_receiver(&transfer, (tile + 1) % maker->tiles, WRITE_BASE + k * bytes);
            put_transfer(maker, &transfer);
        }
    }
    transfer.source = 0;
    set_source(&transfer, request, request->each * bytes, (request->each + 1) * bytes);
    transfer.addresses[request->late] = WRITE_BASE;
    set_receiver(&transfer, maker->tiles - 1, WRITE_BASE + round_up(request->each * bytes, 0x4000));
    put_transfer(maker, &transfer);
}

/* Tile 0 receives `each` fragments and sends as many, in turn with all the others. What it receives is one
 * word each, what it sends has 1 to `words` words. */
static void shape_hub(Maker *maker, const Request *request)
{
    static Transfer transfer;
    transfer.repeat = 1;
    for (uint64_t k = 0; k < request->each; k++) {
        uint64_t other = 1 + k % (maker->tiles - 1), turn = k / (maker->tiles - 1);
        transfer.source = (uint32_t)other;
        transfer.words = 1;
        transfer.addresses[0] = (uint32_t)(READ_BASE + turn % 4096 * 4);
        set_receiver(&transfer, 0, HUB_WRITE_BASE + k * 4);
        put_transfer(maker, &transfer);
        transfer.source = 0;
        transfer.words = 1 + random_below(maker, request->words);
        transfer.addresses[0] =
            HUB_READ_BASE + random_below(maker, (HUB_WRITE_BASE - HUB_READ_BASE) / 4 - request->words) * 4;
        set_receiver(&transfer, other, WRITE_BASE + turn * request->words * 4);
        put_transfer(maker, &transfer);
    }
}

/* `each` transfers read a block of `words` words on tile 0, then every word of it is written by one transfer:
 * each writer waits for each reader. The defaults make more pairs than an analysis may keep. */
static void shape_entangled(Maker *maker, const Request *request)
{
    static Transfer transfer;
    transfer.repeat = 1;
    transfer.addresses[0] = READ_BASE;
    transfer.words = (uint32_t)request->words;
    for (uint64_t k = 0; k < request->each; k++) {
        set_receiver(&transfer, 1 + k % (maker->tiles - 1), WRITE_BASE);
        put_transfer(maker, &transfer);
    }
    transfer.words = 1;
    transfer.source = 1;
    for (uint64_t k = 0; k < request->words; k++) {
        set_receiver(&transfer, 0, READ_BASE + k * 4);
        put_transfer(maker, &transfer);
    }
}

/* Every tile to every other. */
static void shape_alltoall(Maker *maker, const Request *request)
{
    static Transfer transfer;
    uint64_t bytes = request->words * 4;
    transfer.words = (uint32_t)request->words;
    for (uint32_t source = 0; source < maker->tiles; source++) {
        transfer.source = source;
        for (uint64_t k = 1; k < maker->tiles; k++) {
            set_source(&transfer, request, (k - 1) * bytes, (maker->tiles - 1) * bytes);
            set_receiver(&transfer, (source + k) % maker->tiles, WRITE_BASE + (k - 1) * bytes);
            put_transfer(maker, &transfer);
        }
    }
}

/* Lengths around every limit that the row encoder has, any tiles, up to `fan` receivers, up to `repeat`
 * addresses; `hazards` percent of the reads are taken where others write. */
static void shape_random(Maker *maker, const Request *request)
{
    static const uint32_t lengths[] = {1,  2,  3,  8,   16,  31,  51,  52,   53,   54,
                                       64, 65, 66, 100, 128, 129, 256, 1024, 4096, 4097};
    static Transfer transfer;
    need_fan(maker, request);
    for (uint64_t n = request->each * maker->tiles; n > 0; n--) {
        transfer.source = random_below(maker, maker->tiles);
        uint32_t length = lengths[random_below(maker, sizeof lengths / sizeof lengths[0])];
        transfer.words = length < request->words ? length : (uint32_t)request->words;
        transfer.paired = transfer.words % 2 == 0 && random_below(maker, 8) == 0;
        uint32_t align = transfer.paired ? 8 : 4;
        uint32_t room = WRITE_BASE - READ_BASE - transfer.words * 4;
        transfer.repeat = 1 + random_below(maker, request->repeat);
        for (uint32_t r = 0; r < transfer.repeat; r++) {
            uint32_t base = random_below(maker, 100) < request->hazards ? WRITE_BASE : READ_BASE;
            transfer.addresses[r] = base + random_below(maker, room / align) * align;
        }
        transfer.receivers = 0;
        for (uint32_t wanted = 1 + random_below(maker, request->fan); wanted > 0; wanted--) {
            uint32_t tile = random_below(maker, maker->tiles);
            bool taken = tile == transfer.source;
            for (uint32_t r = 0; r < transfer.receivers; r++) {
                taken = taken || transfer.tile[r] == tile;
            }
            if (!taken || (wanted == 1 && transfer.receivers == 0)) {
                transfer.tile[transfer.receivers] = taken ? (tile + 1) % maker->tiles : tile;
                transfer.address[transfer.receivers++] =
                    WRITE_BASE +
                    random_below(maker, (0xe8000 - WRITE_BASE - transfer.words * 4) / align) * align;
            }
        }
        put_transfer(maker, &transfer);
    }
}

static void shape_empty(Maker *maker, const Request *request)
{
    (void)maker;
    (void)request;
}

static const Shape shapes[] = {
    {"destination",
     "destination fragments, multicast",
     shape_destination,
     {.each = 100, .fan = 4, .repeat = 1, .words = 2}},
    {"source", "source fragments", shape_source, {.each = 400, .fan = 8, .repeat = 1, .words = 2}},
    {"interleaved",
     "interleaved runs, forwarding tail",
     shape_interleaved,
     {.each = 204, .fan = 3, .repeat = 1, .words = 8}},
    {"multicast",
     "multicast, fragments on both sides",
     shape_multicast,
     {.each = 25, .fan = 8, .repeat = 27, .words = 2}},
    {"distinct", "distinct routes", shape_distinct, {.each = 56, .repeat = 1, .words = 4}},
    {"transpose",
     "regular transposition",
     shape_transpose,
     {.each = 200, .columns = 8, .repeat = 1, .words = 2}},
    {"chain", "forwarding chain", shape_chain, {.each = 20, .repeat = 1, .words = 8}},
    {"overlap", "overlapping writes", shape_overlap, {.each = 20, .repeat = 1, .words = 8}},
    {"late",
     "overlap in a late Repeat iteration",
     shape_late,
     {.each = 20, .repeat = 4, .words = 8, .late = 2}},
    {"hub", "one hub tile", shape_hub, {.each = 200000, .repeat = 1, .words = 8}},
    {"entangled", "entangled beyond bounds", shape_entangled, {.each = 16000, .repeat = 1, .words = 4148}},
    {"alltoall", "all to all", shape_alltoall, {.each = 1, .repeat = 1, .words = 1}},
    {"random", "random", shape_random, {.each = 20, .fan = 6, .repeat = 4, .words = 4148, .hazards = 2}},
    {"empty", "no transfers", shape_empty, {.each = 1, .repeat = 1, .words = 1}},
};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static const Shape *shape_find(const char *name, size_t length)
{
    for (size_t i = 0; i < SHAPES; i++) {
        if (strlen(shapes[i].name) == length && memcmp(shapes[i].name, name, length) == 0) {
            return &shapes[i];
        }
    }
    die("no such shape (--list shows them)", name);
    return NULL;
}

/* ---- requests ---- */

typedef struct Plan {
    Request *requests;
    size_t count;
} Plan;

static void plan_add(Plan *plan, Request request)
{
    if (plan->count == PHASES_MAX) {
        die("too many phases", "");
    }
    /* Numbers are neither dense nor start at 0, as in real captures. */
    request.phase = request.phase != 0 ? request.phase : (uint32_t)(3 * plan->count + 2);
    plan->requests[plan->count++] = request;
}

static uint64_t parse_number(const char *text, const char *what, uint64_t low, uint64_t high)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || (*end != '\0' && *end != ',') || errno != 0 || text[0] == '-' || value < low ||
        value > high) {
        char message[120];
        snprintf(message, sizeof message, "%s takes a number from %" PRIu64 " to %" PRIu64, what, low, high);
        die(message, text);
    }
    return value;
}

/* The value of `key` in "key=1,other=2", or `otherwise`. */
static uint64_t option(const char *options, const char *key, uint64_t low, uint64_t high, uint64_t otherwise)
{
    size_t length = strlen(key);
    for (const char *at = options; at != NULL; at = strchr(at, ',') == NULL ? NULL : strchr(at, ',') + 1) {
        if (strncmp(at, key, length) == 0 && at[length] == '=') {
            return parse_number(at + length + 1, key, low, high);
        }
    }
    return otherwise;
}

static void check_keys(const char *options, const char *known)
{
    for (const char *at = options; at != NULL && *at != '\0';
         at = strchr(at, ',') == NULL ? NULL : strchr(at, ',') + 1) {
        char word[40];
        size_t length = strcspn(at, "=,");
        snprintf(word, sizeof word, " %.*s ", (int)(length < 30 ? length : 30), at);
        if (at[length] != '=' || strstr(known, word) == NULL) {
            die("no such key", at);
        }
    }
}

/* A whole model: `phases` phases of all shapes, the largest of about `largest` transfers, the others falling
 * off as 4 / (rank + 4); in the file they come in no order of size. */
static void plan_capture(Plan *plan, const char *options, uint32_t tiles)
{
    static const char *const order[] = {"source",      "destination", "interleaved", "transpose", "multicast",
                                        "distinct",    "source",      "chain",       "overlap",   "late",
                                        "interleaved", "random",      "destination", "empty"};
    enum { ORDER = sizeof order / sizeof order[0] };
    check_keys(options, " phases largest repeat ");
    uint64_t phases = option(options, "phases", 1, PHASES_MAX, 90);
    uint64_t largest = option(options, "largest", 1, 100 * 1000 * 1000, 1200 * 1000);
    uint64_t repeat = option(options, "repeat", 1, REPEAT_MAX, 27);
    uint64_t step = visiting_step(phases);
    for (uint64_t i = 0; i < phases; i++) {
        uint64_t rank = i * step % phases; /* 0 = the largest */
        const char *name = order[rank % ORDER];
        Request request = shape_find(name, strlen(name))->defaults;
        request.shape = shape_find(name, strlen(name));
        uint64_t each = largest * 4 / (rank + 4) / tiles;
        uint64_t unit = request.columns > 1                ? request.columns
                        : strcmp(name, "interleaved") == 0 ? request.fan
                                                           : 1;
        uint64_t most = strcmp(name, "distinct") == 0      ? tiles - 1
                        : strcmp(name, "chain") == 0       ? 60
                        : strcmp(name, "overlap") == 0     ? 60
                        : strcmp(name, "random") == 0      ? 4
                        : strcmp(name, "multicast") == 0   ? 100
                        : strcmp(name, "destination") == 0 ? 400
                                                           : UINT32_MAX;
        request.each = (each < most ? each : most) / unit * unit;
        request.each = request.each < unit ? unit : request.each;
        request.repeat = request.repeat == 27 ? repeat : request.repeat;
        request.fan = request.fan < tiles ? request.fan : tiles - 1;
        plan_add(plan, request);
    }
}

static void plan_shape(Plan *plan, const char *text, uint32_t tiles)
{
    const char *colon = strchr(text, ':');
    const char *options = colon == NULL ? NULL : colon + 1;
    size_t length = colon == NULL ? strlen(text) : (size_t)(colon - text);
    if (length == 7 && memcmp(text, "capture", 7) == 0) {
        plan_capture(plan, options, tiles);
        return;
    }
    const Shape *shape = shape_find(text, length);
    Request request = shape->defaults;
    request.fan = request.fan < tiles ? request.fan : tiles - 1;
    check_keys(options, " phase each fan repeat words columns late hazards ");
    request.shape = shape;
    request.phase = (uint32_t)option(options, "phase", 1, UINT32_MAX, 0);
    request.each = option(options, "each", 1, 10 * 1000 * 1000, request.each);
    request.fan = option(options, "fan", 1, TILES_MAX - 1, request.fan);
    request.repeat = option(options, "repeat", 1, REPEAT_MAX, request.repeat);
    request.words = option(options, "words", 1, WORDS_MAX, request.words);
    request.columns = option(options, "columns", 1, UINT32_MAX, request.columns);
    request.late = option(options, "late", 1, REPEAT_MAX, request.late);
    request.hazards = option(options, "hazards", 0, 100, request.hazards);
    plan_add(plan, request);
}

/* ---- the document ---- */

/* Text that must do no harm wherever it is shown. */
static void put_hostile_label(Maker *maker, size_t which)
{
    static const char *const labels[] = {
        "<script>alert(1)</script><img src=x onerror=alert(2)>",
        "=HYPERLINK(\\\"http://127.0.0.1/\\\",\\\"x\\\")",
        "\\u001b[2J\\u001b]0;title\\u0007 \\r\\n\\ttext\\u0000",
        "\\\"'><b>&amp;&lt;</td></table>--><!--",
        "\xe2\x80\xae reversed \xe2\x80\xac \xe5\xad\x97 \xf0\x9f\x9a\x80 \\ud83d\\ude80",
        "+1-1,\\\"a\\\",@SUM(A1)",
    };
    enum { LABELS = sizeof labels / sizeof labels[0] };
    if (which % (LABELS + 1) < LABELS) {
        put_text(maker, labels[which % (LABELS + 1)]);
        return;
    }
    for (int i = 0; i < 1250; i++) {
        put_text(maker, "</td><a ");
    }
}

static void put_document(Maker *maker, const Plan *plan)
{
    put_text(maker, "{\"schema_version\":");
    put_number(maker, maker->schema);
    put_text(maker, ",\"tile_count\":");
    put_number(maker, maker->tiles);
    if (maker->extra) {
        put_text(maker, ",\"compiler\":{\"name\":\"mkcapture\",\"flags\":[\"-O2\",null,true,-0.5e-3]}");
    }
    if (maker->labels != LABELS_NONE) {
        put_text(maker, ",\"phase_labels\":{");
        for (size_t i = 0; i < plan->count; i++) {
            put_text(maker, i == 0 ? "\"" : ",\"");
            put_number(maker, plan->requests[i].phase);
            put_text(maker, "\":\"");
            if (maker->labels == LABELS_HOSTILE) {
                put_hostile_label(maker, i);
            } else {
                put_text(maker, plan->requests[i].shape->title);
            }
            put_text(maker, "\"");
        }
        put_text(maker, "}");
    }
    put_text(maker, ",\"phases\":[");
    for (size_t i = 0; i < plan->count; i++) {
        const Request *request = &plan->requests[i];
        maker->phase = request->phase;
        maker->transfers = 0;
        put_text(maker, i == 0 ? "{\"phase\":" : ",{\"phase\":");
        put_number(maker, request->phase);
        put_text(maker, ",\"transfers\":[");
        request->shape->write(maker, request);
        put_text(maker, maker->extra ? "],\"stage\":\"execute\"}" : "]}");
    }
    put_text(maker, "]}\n");
    flush(maker);
}

static void usage(FILE *file)
{
    fputs("usage: mkcapture [OPTIONS] SHAPE[:KEY=NUMBER,...]...\n"
          "  -o FILE                      write there (default: standard output)\n"
          "  --tiles N                    tiles of the device (1472)\n"
          "  --spelling object|array      of endpoints (array)\n"
          "  --schema 1..4                schema_version (4); below 3 no width is written\n"
          "  --labels plain|none|hostile  phase labels (plain)\n"
          "  --extra                      add members that no reader knows\n"
          "  --seed N                     of the random shapes (1)\n"
          "  --list                       the shapes and their defaults\n"
          "keys: phase, each (fragments per tile), fan (receivers or runs), repeat (source addresses),\n"
          "      words, columns (transpose), late (the iteration that overlaps), hazards (percent, random)\n"
          "A whole model: capture:phases=90,largest=1200000,repeat=27\n",
          file);
}

static void list_shapes(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        const Request *r = &shapes[i].defaults;
        printf("%-12s each=%" PRIu64 " fan=%" PRIu64 " repeat=%" PRIu64 " words=%" PRIu64 "   %s\n",
               shapes[i].name, r->each, r->fan, r->repeat, r->words, shapes[i].title);
    }
}

/* The argument after option number *i. */
static const char *argument(int argc, char **argv, int *i)
{
    if (*i + 1 >= argc) {
        die("needs a value", argv[*i]);
    }
    return argv[++*i];
}

static size_t choice(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            return i;
        }
    }
    die("no such choice", text);
    return 0;
}

int main(int argc, char **argv)
{
    static Request requests[PHASES_MAX];
    static Maker maker = {.tiles = TILES_MAX, .schema = 4, .arrays = true, .random = 1};
    static const char *const spellings[] = {"object", "array"};
    static const char *const labels[] = {"plain", "none", "hostile"};
    Plan plan = {.requests = requests};
    const char *path = NULL;
    const char **shape_texts = malloc((size_t)argc * sizeof *shape_texts);
    size_t shape_count = 0;
    if (shape_texts == NULL) {
        die("out of memory", "");
    }
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-o") == 0) {
            path = argument(argc, argv, &i);
        } else if (strcmp(argv[i], "--tiles") == 0) {
            maker.tiles = (uint32_t)parse_number(argument(argc, argv, &i), "--tiles", 2, TILES_MAX);
        } else if (strcmp(argv[i], "--schema") == 0) {
            maker.schema = (uint32_t)parse_number(argument(argc, argv, &i), "--schema", 1, 4);
        } else if (strcmp(argv[i], "--seed") == 0) {
            maker.random = parse_number(argument(argc, argv, &i), "--seed", 0, UINT64_MAX);
        } else if (strcmp(argv[i], "--spelling") == 0) {
            maker.arrays = choice(argument(argc, argv, &i), spellings, 2) == 1;
        } else if (strcmp(argv[i], "--labels") == 0) {
            maker.labels = (Labels)choice(argument(argc, argv, &i), labels, 3);
        } else if (strcmp(argv[i], "--extra") == 0) {
            maker.extra = true;
        } else if (strcmp(argv[i], "--list") == 0) {
            list_shapes();
            return 0;
        } else if (strcmp(argv[i], "--help") == 0) {
            usage(stdout);
            return 0;
        } else if (argv[i][0] == '-') {
            usage(stderr);
            return 2;
        } else {
            shape_texts[shape_count++] = argv[i];
        }
    }
    for (size_t i = 0; i < shape_count; i++) {
        plan_shape(&plan, shape_texts[i], maker.tiles);
    }
    free(shape_texts);
    if (plan.count == 0) {
        usage(stderr);
        return 2;
    }
    maker.file = path == NULL ? stdout : fopen(path, "wb");
    if (maker.file == NULL) {
        die("cannot open", path);
    }
    put_document(&maker, &plan);
    if (fflush(maker.file) != 0 || (path != NULL && fclose(maker.file) != 0)) {
        die("cannot write", strerror(errno));
    }
    return 0;
}
