#include "config.h"

#include "replay/balance.h"

#include <string.h>

#include "base/sort.h"

/* An endpoint is the sending or the receiving side of a tile: sender t is endpoint t, receiver t is endpoint
 * tile_count + t. A chunk is *ready* at a load level when none of its endpoints has a greater load. Levels go
 * up; at a level the endpoints of a taken chunk leave it (their load grows), and the remainders of the others
 * do not change: the order inside a level is static.
 *
 * A level begins with the endpoints whose load is the level, its *arrivals*: every chunk that becomes ready
 * has one of them. To take the ready chunks in descending greatest remainder, endpoints are visited in
 * descending remainder, each with its ready chunk of the lowest stream: a chunk that also has a greater
 * remainder elsewhere was already visited there.
 *
 * - Chunks with one receiver are bits of a matrix (sender x receiver) and of its transpose, so that the first
 *   ready chunk of an endpoint is the first bit of a row that is also set among the free endpoints.
 *   Among endpoints of one remainder the lowest stream goes first. Streams ascend by sender: many receivers
 * of one remainder are therefore served by going through the senders once, each with those receivers alone.
 * - The others wait at one endpoint of theirs that is not free, and are looked at again when it arrives. */

enum {
    NONE = UINT32_MAX,
    FEW_RECEIVERS = 32, /* of one remainder: so few are visited themselves */
    POLL_STEPS = 1 << 17
};

typedef struct Endpoint {
    uint64_t load, remaining; /* words */
    uint32_t left;            /* chunks of this wave still to be taken */
    uint32_t waiting;         /* first multicast chunk that waits here */
} Endpoint;

/* The endpoints of a wave that have chunks left and a load above the level, as a heap. */
typedef struct Waiting {
    uint64_t load;
    uint32_t endpoint;
} Waiting;

typedef struct WaitingHeap {
    Waiting *items;
    size_t count;
} WaitingHeap;

/* What may be taken at a level: endpoints and, above them, multicast chunks by their number in the wave. */
typedef struct CandidateList {
    SortItem *items;
    size_t count;
} CandidateList;

typedef struct Unicast {
    uint64_t words;
    uint32_t chunk;
} Unicast;

typedef struct Balance {
    const Phase *phase;
    const Streams *streams;
    uint16_t tile_count;
    uint32_t row_words; /* 64-bit words of a matrix row */
    Endpoint *endpoints;
    uint64_t *matrix;     /* [endpoint][row_words]: its unicast chunks, by the tile at the other end */
    uint64_t *free[2];    /* [side][row_words]: load within the level, chunks left */
    uint64_t *arrived[2]; /* [side][row_words]: of this level's arrivals */
    uint64_t *reached;    /* [row_words] scratch */
    uint64_t *peers[2];   /* [side][row_words] candidates of one remainder; receivers only when many */
    uint64_t cap[2];      /* [side] greatest remainder in this wave when it began */
    uint32_t *touched;    /* endpoints of the wave */
    uint32_t touched_count;
    uint32_t *receivers; /* scratch: receivers of one remainder */
    uint32_t *arrivals;
    uint32_t arrival_count;
    WaitingHeap levels;
    CandidateList candidates; /* key: ~greatest remainder */
    CandidateList ready;      /* candidates of one remainder; key: order of the first ready chunk */
    uint64_t level;

    size_t low, high;            /* the wave: chunks [low, high) */
    Unicast *unicasts;           /* of the wave, ascending (sender, receiver) */
    uint16_t *unicast_receivers; /* and their receivers, apart because they are searched */
    uint32_t *unicast_start; /* [sender] into unicasts, valid for senders with unicast chunks in the wave */
    uint32_t *unicast_count; /* [sender] */
    uint32_t *next_waiting;  /* [chunk - low] */
    uint32_t *places;
    size_t placed;
    Progress *progress;
    uint64_t steps; /* since the last poll */
} Balance;

/* ---- heap ---- */

static void heap_push(WaitingHeap *heap, Waiting item)
{
    size_t i = heap->count++;
    while (i > 0 && item.load < heap->items[(i - 1) / 2].load) {
        heap->items[i] = heap->items[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->items[i] = item;
}

static Waiting heap_pop(WaitingHeap *heap)
{
    Waiting top = heap->items[0], last = heap->items[--heap->count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < heap->count; i = child) {
        if (child + 1 < heap->count && heap->items[child + 1].load < heap->items[child].load) {
            child++;
        }
        if (heap->items[child].load >= last.load) {
            break;
        }
        heap->items[i] = heap->items[child];
    }
    heap->items[i] = last;
    return top;
}

static void list_push(CandidateList *list, uint64_t key, uint32_t id)
{
    list->items[list->count++] = (SortItem){.key = key, .value = id};
}

/* ---- bits ---- */

static void bit_set(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= UINT64_C(1) << i % 64;
}

static void bit_clear(uint64_t *bits, uint32_t i)
{
    bits[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static bool bit_get(const uint64_t *bits, uint32_t i)
{
    return (bits[i / 64] >> i % 64 & 1) != 0;
}

static uint32_t bit_lowest(uint64_t word)
{
    return (uint32_t)__builtin_ctzll(word);
}

/* ---- endpoints and chunks ---- */

static uint32_t side_of(const Balance *balance, uint32_t endpoint)
{
    return endpoint >= balance->tile_count;
}

static uint32_t tile_of(const Balance *balance, uint32_t endpoint)
{
    return endpoint >= balance->tile_count ? endpoint - balance->tile_count : endpoint;
}

static uint32_t endpoint_of(const Balance *balance, uint32_t side, uint32_t tile)
{
    return side * balance->tile_count + tile;
}

static uint64_t *row_of(const Balance *balance, uint32_t endpoint)
{
    return balance->matrix + (size_t)endpoint * balance->row_words;
}

/* The endpoints of a chunk: the k-th of 1 + receivers. */
static uint32_t chunk_endpoint(const Balance *balance, uint32_t transfer, uint32_t k)
{
    return k == 0
               ? balance->phase->source[transfer]
               : endpoint_of(balance, 1,
                             balance->phase->receiver_tile[balance->phase->receiver_start[transfer] + k - 1]);
}

static uint32_t chunk_endpoints(const Balance *balance, uint32_t transfer)
{
    return 1 + phase_receivers(balance->phase, transfer);
}

/* A candidate's id is an endpoint, or stands above all of them for a multicast chunk of the wave. */
static uint32_t multicast_id(const Balance *balance, uint32_t index)
{
    return 2u * balance->tile_count + (uint32_t)(index - balance->low);
}

static bool is_multicast(const Balance *balance, uint32_t id)
{
    return id >= 2u * balance->tile_count;
}

static uint32_t multicast_index(const Balance *balance, uint32_t id)
{
    return (uint32_t)balance->low + id - 2u * balance->tile_count;
}

/* Sorts as streams do: unicasts by sender and receiver; a multicast after the unicast to its first receiver,
 * among those by stream number. */
static uint64_t unicast_order(uint32_t sender, uint32_t receiver)
{
    return (uint64_t)sender << 44 | (uint64_t)receiver << 33;
}

static uint64_t multicast_order(const Balance *balance, const Chunk *chunk)
{
    uint32_t transfer = chunk_transfer(balance->streams, chunk);
    uint32_t first = balance->phase->receiver_tile[balance->phase->receiver_start[transfer]];
    return unicast_order(balance->phase->source[transfer], first) | UINT64_C(1) << 32 | chunk->stream;
}

/* The first tile of `row` that is set in `other` too, NONE without one. */
static uint32_t first_common(const Balance *balance, const uint64_t *row, const uint64_t *other)
{
    for (uint32_t i = 0; i < balance->row_words; i++) {
        if ((row[i] & other[i]) != 0) {
            return 64 * i + bit_lowest(row[i] & other[i]);
        }
    }
    return NONE;
}

static uint64_t ready_order(const Balance *balance, uint32_t endpoint, uint32_t partner)
{
    uint32_t tile = tile_of(balance, endpoint);
    return side_of(balance, endpoint) == 0 ? unicast_order(tile, partner) : unicast_order(partner, tile);
}

/* The partner that such an order tells. */
static uint32_t order_partner(const Balance *balance, uint32_t endpoint, uint64_t order)
{
    return side_of(balance, endpoint) == 0 ? (uint32_t)(order >> 33) & 0x7ff : (uint32_t)(order >> 44);
}

static const Unicast *unicast_find(const Balance *balance, uint32_t sender, uint32_t receiver)
{
    uint32_t low = balance->unicast_start[sender], high = low + balance->unicast_count[sender] - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (balance->unicast_receivers[middle] < receiver) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return &balance->unicasts[low];
}

/* Counts work, and looks for a cancel now and then. */
static bool balance_go_on(Balance *balance, uint64_t steps, Error *error)
{
    balance->steps += steps;
    if (balance->steps < POLL_STEPS) {
        return true;
    }
    balance->steps = 0;
    return progress_go_on(balance->progress, error);
}

/* ---- a wave ---- */

static void wave_touch(Balance *balance, uint32_t endpoint)
{
    Endpoint *state = &balance->endpoints[endpoint];
    uint32_t side = side_of(balance, endpoint);
    if (state->left++ == 0) {
        balance->touched[balance->touched_count++] = endpoint;
        state->waiting = NONE;
        if (side == 0) {
            balance->unicast_count[endpoint] = 0;
        }
        if (state->remaining > balance->cap[side]) {
            balance->cap[side] = state->remaining;
        }
    }
}

static bool wave_begin(Balance *balance, Error *error)
{
    uint32_t unicasts = 0;
    balance->touched_count = 0;
    balance->cap[0] = balance->cap[1] = 0;
    for (size_t i = balance->low; i < balance->high; i++) {
        uint32_t transfer = chunk_transfer(balance->streams, &balance->streams->chunks.items[i]);
        uint32_t sender = balance->phase->source[transfer];
        uint32_t endpoints = chunk_endpoints(balance, transfer);
        if (!balance_go_on(balance, 8 + endpoints, error)) {
            return false;
        }
        for (uint32_t k = 0; k < endpoints; k++) {
            wave_touch(balance, chunk_endpoint(balance, transfer, k));
        }
        if (endpoints == 2) {
            uint16_t receiver = balance->phase->receiver_tile[balance->phase->receiver_start[transfer]];
            bit_set(row_of(balance, sender), receiver);
            bit_set(row_of(balance, endpoint_of(balance, 1, receiver)), sender);
            if (balance->unicast_count[sender]++ == 0) {
                balance->unicast_start[sender] = unicasts;
            }
            balance->unicast_receivers[unicasts] = receiver;
            balance->unicasts[unicasts++] = (Unicast){balance->streams->chunks.items[i].words, (uint32_t)i};
        } else {
            balance->next_waiting[i - balance->low] = balance->endpoints[sender].waiting;
            balance->endpoints[sender].waiting = (uint32_t)i;
        }
    }
    for (uint32_t i = 0; i < balance->touched_count; i++) {
        uint32_t endpoint = balance->touched[i];
        heap_push(&balance->levels, (Waiting){balance->endpoints[endpoint].load, endpoint});
    }
    return true;
}

static void take_endpoint(Balance *balance, uint32_t endpoint, uint64_t words)
{
    Endpoint *state = &balance->endpoints[endpoint];
    uint32_t side = side_of(balance, endpoint), tile = tile_of(balance, endpoint);
    state->load = balance->level + words;
    state->remaining -= words;
    bit_clear(balance->free[side], tile);
    bit_clear(balance->peers[side], tile);
    if (--state->left > 0) {
        heap_push(&balance->levels, (Waiting){state->load, endpoint});
    }
}

static void take_unicast(Balance *balance, uint32_t endpoint, uint32_t partner)
{
    uint32_t tile = tile_of(balance, endpoint);
    uint32_t sender = side_of(balance, endpoint) == 0 ? tile : partner;
    uint32_t receiver = side_of(balance, endpoint) == 0 ? partner : tile;
    const Unicast *unicast = unicast_find(balance, sender, receiver);
    bit_clear(row_of(balance, sender), receiver);
    bit_clear(row_of(balance, endpoint_of(balance, 1, receiver)), sender);
    take_endpoint(balance, sender, unicast->words);
    take_endpoint(balance, endpoint_of(balance, 1, receiver), unicast->words);
    balance->places[balance->placed++] = unicast->chunk;
}

static void take_multicast(Balance *balance, uint32_t index)
{
    const Chunk *chunk = &balance->streams->chunks.items[index];
    uint32_t transfer = chunk_transfer(balance->streams, chunk);
    uint32_t endpoints = chunk_endpoints(balance, transfer);
    for (uint32_t k = 0; k < endpoints; k++) {
        take_endpoint(balance, chunk_endpoint(balance, transfer, k), chunk->words);
    }
    balance->places[balance->placed++] = index;
}

/* ---- a level ---- */

static void level_arrivals(Balance *balance)
{
    balance->level = balance->levels.items[0].load;
    balance->arrival_count = 0;
    while (balance->levels.count > 0 && balance->levels.items[0].load == balance->level) {
        uint32_t endpoint = heap_pop(&balance->levels).endpoint;
        balance->arrivals[balance->arrival_count++] = endpoint;
        bit_set(balance->free[side_of(balance, endpoint)], tile_of(balance, endpoint));
        bit_set(balance->arrived[side_of(balance, endpoint)], tile_of(balance, endpoint));
    }
}

/* Where a multicast chunk may be waiting: at its endpoint of the greatest load, whose load is returned. */
static uint64_t multicast_load(Balance *balance, uint32_t transfer, uint32_t *busiest, uint64_t *remaining)
{
    uint32_t endpoints = chunk_endpoints(balance, transfer);
    uint64_t load = 0;
    *remaining = 0;
    for (uint32_t k = 0; k < endpoints; k++) {
        uint32_t endpoint = chunk_endpoint(balance, transfer, k);
        const Endpoint *state = &balance->endpoints[endpoint];
        *remaining = state->remaining > *remaining ? state->remaining : *remaining;
        if (k == 0 || state->load > load) {
            load = state->load;
            *busiest = endpoint;
        }
    }
    balance->steps += endpoints;
    return load;
}

static void multicast_wait(Balance *balance, uint32_t index, uint32_t endpoint)
{
    balance->next_waiting[index - balance->low] = balance->endpoints[endpoint].waiting;
    balance->endpoints[endpoint].waiting = index;
}

/* Looks again at a multicast chunk that waited: it becomes a candidate or waits elsewhere. */
static void multicast_look(Balance *balance, uint32_t index)
{
    uint64_t remaining;
    uint32_t busiest, transfer = chunk_transfer(balance->streams, &balance->streams->chunks.items[index]);
    if (multicast_load(balance, transfer, &busiest, &remaining) > balance->level) {
        multicast_wait(balance, index, busiest);
    } else {
        list_push(&balance->candidates, ~remaining, multicast_id(balance, index));
    }
}

/* Takes a candidate, unless a chunk taken at this level shares an endpoint. */
static void multicast_try(Balance *balance, uint32_t index)
{
    uint64_t remaining;
    uint32_t busiest, transfer = chunk_transfer(balance->streams, &balance->streams->chunks.items[index]);
    if (multicast_load(balance, transfer, &busiest, &remaining) > balance->level) {
        multicast_wait(balance, index, busiest);
    } else {
        take_multicast(balance, index);
    }
}

static bool level_multicasts(Balance *balance, Error *error)
{
    for (uint32_t i = 0; i < balance->arrival_count; i++) {
        Endpoint *state = &balance->endpoints[balance->arrivals[i]];
        uint32_t index = state->waiting;
        state->waiting = NONE;
        while (index != NONE) {
            if (!balance_go_on(balance, 1, error)) {
                return false;
            }
            uint32_t next = balance->next_waiting[index - balance->low];
            multicast_look(balance, index);
            index = next;
        }
    }
    return true;
}

static void push_candidate(Balance *balance, uint32_t endpoint)
{
    list_push(&balance->candidates, ~balance->endpoints[endpoint].remaining, endpoint);
}

/* Whether an endpoint of this side is free since an earlier level. */
static bool level_has_idle(const Balance *balance, uint32_t side)
{
    for (uint32_t k = 0; k < balance->row_words; k++) {
        if ((balance->free[side][k] & ~balance->arrived[side][k]) != 0) {
            return true;
        }
    }
    return false;
}

/* Those idle endpoints of the other side that have a chunk with an arrival of this side, of a smaller
 * remainder. */
static void level_idle_partners(Balance *balance, uint32_t side)
{
    uint32_t words = balance->row_words;
    uint64_t smallest = UINT64_MAX;
    memset(balance->reached, 0, words * sizeof *balance->reached);
    for (uint32_t i = 0; i < balance->arrival_count; i++) {
        uint32_t endpoint = balance->arrivals[i];
        uint64_t remaining = balance->endpoints[endpoint].remaining;
        if (side_of(balance, endpoint) != side || remaining >= balance->cap[1 - side]) {
            continue;
        }
        smallest = remaining < smallest ? remaining : smallest;
        for (uint32_t k = 0; k < words; k++) {
            balance->reached[k] |= row_of(balance, endpoint)[k];
        }
    }
    for (uint32_t k = 0; k < words; k++) {
        uint64_t bits = balance->reached[k] & balance->free[1 - side][k] & ~balance->arrived[1 - side][k];
        for (; bits != 0; bits &= bits - 1) {
            uint32_t endpoint = endpoint_of(balance, 1 - side, 64 * k + bit_lowest(bits));
            if (balance->endpoints[endpoint].remaining > smallest) {
                push_candidate(balance, endpoint);
            }
        }
    }
    balance->steps += (uint64_t)words * balance->arrival_count;
}

static void level_unicasts(Balance *balance)
{
    for (uint32_t i = 0; i < balance->arrival_count; i++) {
        push_candidate(balance, balance->arrivals[i]);
    }
    for (uint32_t side = 0; side < 2; side++) {
        if (level_has_idle(balance, 1 - side)) {
            level_idle_partners(balance, side);
        }
    }
}

/* ---- candidates of one remainder ---- */

/* The endpoints at the other side with which a peer, or a sender that is none, may be taken now. */
static const uint64_t *peer_partners(const Balance *balance, uint32_t endpoint)
{
    uint32_t side = side_of(balance, endpoint);
    bool peer = side == 1 || bit_get(balance->peers[0], endpoint);
    return peer ? balance->free[1 - side] : balance->peers[1];
}

static void push_ready(Balance *balance, uint32_t endpoint)
{
    uint32_t partner = first_common(balance, row_of(balance, endpoint), peer_partners(balance, endpoint));
    if (partner != NONE) {
        list_push(&balance->ready, ready_order(balance, endpoint, partner), endpoint);
    }
}

/* Sorts the candidates [low, high) of one remainder out: multicasts are ready, senders become peers,
 * receivers are listed. */
static uint32_t peers_gather(Balance *balance, size_t low, size_t high)
{
    uint32_t receivers = 0;
    memset(balance->peers[0], 0, balance->row_words * sizeof *balance->peers[0]);
    memset(balance->peers[1], 0, balance->row_words * sizeof *balance->peers[1]);
    balance->ready.count = 0;
    for (size_t i = low; i < high; i++) {
        uint32_t id = balance->candidates.items[i].value;
        if (is_multicast(balance, id)) {
            const Chunk *chunk = &balance->streams->chunks.items[multicast_index(balance, id)];
            list_push(&balance->ready, multicast_order(balance, chunk), id);
        } else if (balance->endpoints[id].load > balance->level) {
            continue; /* taken at this level */
        } else if (side_of(balance, id) == 0) {
            bit_set(balance->peers[0], id);
        } else {
            balance->receivers[receivers++] = id;
        }
    }
    return receivers;
}

/* Makes the peers ready: few receivers themselves, many by way of all senders that they have chunks with. */
static void peers_ready(Balance *balance, uint32_t receivers)
{
    bool many = receivers > FEW_RECEIVERS;
    for (uint32_t i = 0; i < receivers; i++) {
        if (many) {
            bit_set(balance->peers[1], tile_of(balance, balance->receivers[i]));
        } else {
            push_ready(balance, balance->receivers[i]);
        }
    }
    for (uint32_t k = 0; k < balance->row_words; k++) {
        uint64_t bits = many ? balance->free[0][k] : balance->peers[0][k];
        for (; bits != 0; bits &= bits - 1) {
            push_ready(balance, 64 * k + bit_lowest(bits));
        }
    }
}

/* Puts the i-th ready one, which has got a later order, in its new place. */
static void ready_later(CandidateList *ready, size_t i, uint64_t order)
{
    SortItem item = ready->items[i];
    item.key = order;
    for (; i + 1 < ready->count && ready->items[i + 1].key < order; i++) {
        ready->items[i] = ready->items[i + 1];
    }
    ready->items[i] = item;
}

/* Takes the first ready chunk of an endpoint, whose partner was `partner` when its order was told. Without
 * any it is done with; with a later one it is not, and *order is the new order. */
static bool peer_take(Balance *balance, uint32_t endpoint, uint32_t partner, uint64_t *order)
{
    if (balance->endpoints[endpoint].load > balance->level) {
        return true; /* taken at this level */
    }
    const uint64_t *partners = peer_partners(balance, endpoint);
    if (bit_get(partners, partner)) {
        take_unicast(balance, endpoint, partner);
        return true;
    }
    partner = first_common(balance, row_of(balance, endpoint), partners);
    balance->steps += balance->row_words;
    if (partner == NONE) {
        return true;
    }
    *order = ready_order(balance, endpoint, partner);
    return false;
}

static void peers_take(Balance *balance)
{
    for (size_t i = 0; i < balance->ready.count;) {
        SortItem item = balance->ready.items[i];
        uint64_t order;
        balance->steps++;
        if (is_multicast(balance, item.value)) {
            multicast_try(balance, multicast_index(balance, item.value));
            i++;
        } else if (peer_take(balance, item.value, order_partner(balance, item.value, item.key), &order)) {
            i++;
        } else {
            ready_later(&balance->ready, i, order);
        }
    }
}

static bool level_take(Balance *balance, Error *error)
{
    CandidateList *candidates = &balance->candidates;
    if (!sort_items(candidates->items, candidates->count, error)) {
        return false;
    }
    for (size_t low = 0, high; low < candidates->count; low = high) {
        high = low + 1;
        while (high < candidates->count && candidates->items[high].key == candidates->items[low].key) {
            high++;
        }
        peers_ready(balance, peers_gather(balance, low, high));
        if (!sort_items(balance->ready.items, balance->ready.count, error)) {
            return false;
        }
        peers_take(balance);
    }
    candidates->count = 0;
    return true;
}

static void level_end(Balance *balance)
{
    for (uint32_t i = 0; i < balance->arrival_count; i++) {
        uint32_t endpoint = balance->arrivals[i];
        bit_clear(balance->arrived[side_of(balance, endpoint)], tile_of(balance, endpoint));
    }
}

static bool balance_wave(Balance *balance, Error *error)
{
    if (!wave_begin(balance, error)) {
        return false;
    }
    while (balance->levels.count > 0) {
        level_arrivals(balance);
        if (!level_multicasts(balance, error)) {
            return false;
        }
        level_unicasts(balance);
        if (!level_take(balance, error) || !balance_go_on(balance, balance->arrival_count, error)) {
            return false;
        }
        level_end(balance);
    }
    return true;
}

/* ---- all waves ---- */

static size_t wave_end(const Streams *streams, size_t low)
{
    size_t high = low;
    while (high < streams->chunks.count &&
           streams->chunks.items[high].wave == streams->chunks.items[low].wave) {
        high++;
    }
    return high;
}

static size_t largest_wave(const Streams *streams)
{
    size_t largest = 0;
    for (size_t low = 0, high; low < streams->chunks.count; low = high) {
        high = wave_end(streams, low);
        largest = high - low > largest ? high - low : largest;
    }
    return largest;
}

static bool balance_reserve(Balance *balance, Error *error)
{
    size_t tiles = balance->tile_count, endpoints = 2 * tiles, wave = largest_wave(balance->streams);
    size_t words = balance->row_words;
    uint64_t *bits = balance->matrix =
        mem_zero((endpoints + 7) * words, sizeof *balance->matrix, error); /* and the seven rows below */
    balance->endpoints = mem_zero(endpoints, sizeof *balance->endpoints, error);
    balance->touched = mem_new(endpoints, sizeof *balance->touched, error);
    balance->arrivals = mem_new(endpoints, sizeof *balance->arrivals, error);
    balance->receivers = mem_new(tiles, sizeof *balance->receivers, error);
    balance->levels.items = mem_new(endpoints, sizeof *balance->levels.items, error);
    balance->ready.items = mem_new(endpoints + wave, sizeof *balance->ready.items, error);
    balance->candidates.items = mem_new(endpoints + wave, sizeof *balance->candidates.items, error);
    balance->unicasts = mem_new(wave, sizeof *balance->unicasts, error);
    balance->unicast_receivers = mem_new(wave, sizeof *balance->unicast_receivers, error);
    balance->unicast_start = mem_new(tiles, sizeof *balance->unicast_start, error);
    balance->unicast_count = mem_new(tiles, sizeof *balance->unicast_count, error);
    balance->next_waiting = mem_new(wave, sizeof *balance->next_waiting, error);
    if (bits == NULL || balance->endpoints == NULL || balance->touched == NULL || balance->arrivals == NULL ||
        balance->receivers == NULL || balance->ready.items == NULL || balance->levels.items == NULL ||
        balance->candidates.items == NULL || balance->unicasts == NULL ||
        balance->unicast_receivers == NULL || balance->unicast_start == NULL ||
        balance->unicast_count == NULL || balance->next_waiting == NULL) {
        return false;
    }
    bits += endpoints * words;
    balance->free[0] = bits;
    balance->free[1] = bits + words;
    balance->arrived[0] = bits + 2 * words;
    balance->arrived[1] = bits + 3 * words;
    balance->reached = bits + 4 * words;
    balance->peers[0] = bits + 5 * words;
    balance->peers[1] = bits + 6 * words;
    return true;
}

static void balance_free(Balance *balance)
{
    mem_free(balance->matrix);
    mem_free(balance->endpoints);
    mem_free(balance->touched);
    mem_free(balance->arrivals);
    mem_free(balance->receivers);
    mem_free(balance->ready.items);
    mem_free(balance->levels.items);
    mem_free(balance->candidates.items);
    mem_free(balance->unicasts);
    mem_free(balance->unicast_receivers);
    mem_free(balance->unicast_start);
    mem_free(balance->unicast_count);
    mem_free(balance->next_waiting);
}

static bool sum_work(Balance *balance, Error *error)
{
    for (size_t i = 0; i < balance->streams->chunks.count; i++) {
        const Chunk *chunk = &balance->streams->chunks.items[i];
        uint32_t transfer = chunk_transfer(balance->streams, chunk);
        uint32_t endpoints = chunk_endpoints(balance, transfer);
        for (uint32_t k = 0; k < endpoints; k++) {
            balance->endpoints[chunk_endpoint(balance, transfer, k)].remaining += chunk->words;
        }
        if (!balance_go_on(balance, 4 + endpoints, error)) {
            return false;
        }
    }
    return true;
}

bool balance_waves(const Phase *phase, uint16_t tile_count, const Streams *streams, Progress *progress,
                   uint32_t *places, Error *error)
{
    Balance balance = {.phase = phase,
                       .streams = streams,
                       .tile_count = tile_count,
                       .row_words = (tile_count + 63u) / 64,
                       .progress = progress,
                       .places = places};
    bool done = balance_reserve(&balance, error) && sum_work(&balance, error);
    while (done && balance.high < streams->chunks.count) {
        balance.low = balance.high;
        balance.high = wave_end(streams, balance.low);
        done = balance_wave(&balance, error);
    }
    balance_free(&balance);
    return done;
}
