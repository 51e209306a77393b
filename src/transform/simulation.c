#include "config.h"

#include "transform/simulation.h"

#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

enum { PAGES_FIRST = 64 };

static Token token_of(MemorySpace space, uint16_t tile, uint32_t word)
{
    return (uint64_t)space << 48 | (uint64_t)tile << 32 | word;
}

/* ---- pages ---- */

void memory_free(Memory *memory)
{
    for (size_t place = 0; place < memory->places; place++) {
        mem_free(memory->pages[place]);
    }
    mem_free(memory->keys);
    mem_free(memory->pages);
    vec_free(&memory->ranges);
    *memory = (Memory){0};
}

/* The place of the page, or the free place where it belongs. */
static size_t memory_place(const Memory *memory, Token key)
{
    size_t mask = memory->places - 1;
    size_t place = (size_t)((key / MEMORY_PAGE_WORDS * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & mask;
    while (memory->pages[place] != NULL && memory->keys[place] != key) {
        place = (place + 1) & mask;
    }
    return place;
}

static MemoryPage *memory_page(const Memory *memory, Token key)
{
    return memory->places == 0 ? NULL : memory->pages[memory_place(memory, key)];
}

static bool memory_rehash(Memory *memory, Error *error)
{
    Memory larger = {.places = memory->places == 0 ? PAGES_FIRST : 2 * memory->places};
    larger.keys = mem_new(larger.places, sizeof *larger.keys, error);
    larger.pages = mem_zero(larger.places, sizeof *larger.pages, error);
    if (larger.keys == NULL || larger.pages == NULL) {
        mem_free(larger.keys);
        mem_free(larger.pages);
        return false;
    }
    for (size_t place = 0; place < memory->places; place++) {
        if (memory->pages[place] != NULL) {
            size_t to = memory_place(&larger, memory->keys[place]);
            larger.keys[to] = memory->keys[place];
            larger.pages[to] = memory->pages[place];
        }
    }
    mem_free(memory->keys);
    mem_free(memory->pages);
    memory->keys = larger.keys;
    memory->pages = larger.pages;
    memory->places = larger.places;
    return true;
}

/* The page, made if it was not written yet. NULL: out of memory. */
static MemoryPage *memory_make_page(Memory *memory, Token key, Error *error)
{
    MemoryPage *page = memory_page(memory, key);
    if (page != NULL) {
        return page;
    }
    if (memory->count * 2 >= memory->places && !memory_rehash(memory, error)) {
        return NULL;
    }
    page = mem_new(1, sizeof *page, error);
    if (page == NULL) {
        return NULL;
    }
    memset(page->starts, 0, sizeof page->starts);
    page->starts[0] = 1;
    page->token[0] = key;
    size_t place = memory_place(memory, key);
    memory->keys[place] = key;
    memory->pages[place] = page;
    memory->count++;
    return page;
}

static bool page_starts(const MemoryPage *page, uint32_t word)
{
    return (page->starts[word / 64] >> (word % 64) & 1) != 0;
}

static Token page_token(const MemoryPage *page, uint32_t word)
{
    uint32_t k = word / 64;
    uint64_t bits = page->starts[k] & (~UINT64_C(0) >> (63 - word % 64));
    while (bits == 0) {
        bits = page->starts[--k];
    }
    uint32_t start = 64 * k + 63 - (uint32_t)__builtin_clzll(bits);
    return page->token[start] + (word - start);
}

/* The first interval start after `word`, at most `end`. */
static uint32_t page_next_start(const MemoryPage *page, uint32_t word, uint32_t end)
{
    uint32_t k = ++word / 64;
    if (word >= end) {
        return end;
    }
    uint64_t bits = page->starts[k] & (~UINT64_C(0) << word % 64);
    while (bits == 0) {
        if (64 * ++k >= end) {
            return end;
        }
        bits = page->starts[k];
    }
    uint32_t start = 64 * k + (uint32_t)__builtin_ctzll(bits);
    return start < end ? start : end;
}

/* Words [start, end) become one interval. */
static void page_assign(MemoryPage *page, uint32_t start, uint32_t end, Token token)
{
    if (end < MEMORY_PAGE_WORDS && !page_starts(page, end)) {
        page->token[end] = page_token(page, end);
        page->starts[end / 64] |= UINT64_C(1) << (end % 64);
    }
    for (uint32_t k = start / 64; 64 * k < end; k++) {
        uint64_t from = k == start / 64 ? ~UINT64_C(0) << (start % 64) : ~UINT64_C(0);
        uint64_t to = end - 64 * k < 64 ? ~(~UINT64_C(0) << (end - 64 * k)) : ~UINT64_C(0);
        page->starts[k] &= ~(from & to);
    }
    page->token[start] = token;
    page->starts[start / 64] |= UINT64_C(1) << (start % 64);
}

/* ---- moving ---- */

static bool memory_add_range(Memory *memory, Token token, uint32_t words, Error *error)
{
    if (memory->ranges.count > 0) {
        TokenRange *last = &memory->ranges.items[memory->ranges.count - 1];
        if (last->token + last->words == token) {
            last->words += words;
            return true;
        }
    }
    return vec_push(&memory->ranges, ((TokenRange){.token = token, .words = words}), error);
}

/* Fills `ranges` with the content of `words` words from the place `from`. */
static bool memory_read(Memory *memory, Token from, uint32_t words, Error *error)
{
    vec_clear(&memory->ranges);
    while (words > 0) {
        uint32_t start = (uint32_t)(from % MEMORY_PAGE_WORDS);
        uint32_t here = words < MEMORY_PAGE_WORDS - start ? words : MEMORY_PAGE_WORDS - start;
        const MemoryPage *page = memory_page(memory, from - start);
        if (page == NULL) {
            if (!memory_add_range(memory, from, here, error)) {
                return false;
            }
        } else {
            for (uint32_t low = start, high; low < start + here; low = high) {
                high = page_next_start(page, low, start + here);
                if (!memory_add_range(memory, page_token(page, low), high - low, error)) {
                    return false;
                }
            }
        }
        from += here;
        words -= here;
    }
    return true;
}

/* Writes `ranges` from the place `to` on. */
static bool memory_write(Memory *memory, Token to, Error *error)
{
    for (size_t k = 0; k < memory->ranges.count; k++) {
        TokenRange range = memory->ranges.items[k];
        while (range.words > 0) {
            uint32_t start = (uint32_t)(to % MEMORY_PAGE_WORDS);
            uint32_t here = range.words < MEMORY_PAGE_WORDS - start ? range.words : MEMORY_PAGE_WORDS - start;
            MemoryPage *page = memory_make_page(memory, to - start, error);
            if (page == NULL) {
                return false;
            }
            page_assign(page, start, start + here, range.token);
            range.token += here;
            range.words -= here;
            to += here;
        }
    }
    return true;
}

static bool memory_copy(Memory *memory, uint16_t tile, MemorySpace from_space, uint32_t from,
                        MemorySpace to_space, uint32_t to, uint32_t bytes, Error *error)
{
    return memory_read(memory, token_of(from_space, tile, from / 4), bytes / 4, error) &&
           memory_write(memory, token_of(to_space, tile, to / 4), error);
}

/* ---- phases ---- */

static bool simulate_transfers(const Phase *phase, const uint8_t *chosen, uint32_t iteration,
                               MemorySpace from_space, MemorySpace to_space, Progress *progress,
                               Memory *memory, Error *error)
{
    for (uint32_t i = 0; i < phase->transfers; i++) {
        if (!progress_go_on(progress, error)) {
            return false;
        }
        if (chosen != NULL && !chosen[i]) {
            continue;
        }
        uint32_t from = phase_address(phase, i, iteration);
        if (!memory_read(memory, token_of(from_space, phase->source[i], from / 4), phase->words[i], error)) {
            return false;
        }
        for (uint32_t k = phase->receiver_start[i]; k < phase->receiver_start[i + 1]; k++) {
            Token to = token_of(to_space, phase->receiver_tile[k], phase->receiver_address[k] / 4);
            if (!memory_write(memory, to, error)) {
                return false;
            }
        }
    }
    return true;
}

bool simulate_original(const Phase *phase, const uint8_t *chosen, uint32_t iteration, Progress *progress,
                       Memory *memory, Error *error)
{
    return simulate_transfers(phase, chosen, iteration, SPACE_TILE, SPACE_TILE, progress, memory, error);
}

/* The copies themselves describe iteration 0. */
static bool simulate_first_gather(const Counterfactual *counterfactual, Progress *progress, Memory *memory,
                                  Error *error)
{
    for (size_t k = 0; k < counterfactual->source_copy_count; k++) {
        const Copy *copy = &counterfactual->source_copies[k];
        if (!progress_go_on(progress, error) ||
            !memory_copy(memory, copy->tile, SPACE_TILE, copy->from, SPACE_SOURCE_STAGING, copy->to,
                         copy->bytes, error)) {
            return false;
        }
    }
    return true;
}

static bool simulate_later_gather(const Phase *original, const Counterfactual *counterfactual,
                                  uint32_t iteration, Progress *progress, Memory *memory, Error *error)
{
    for (uint32_t k = 0; k < original->transfers; k++) {
        uint32_t i = counterfactual->emitted[k];
        if (!progress_go_on(progress, error) ||
            !memory_copy(memory, original->source[i], SPACE_TILE, phase_address(original, i, iteration),
                         SPACE_SOURCE_STAGING, counterfactual->gathered_at[i],
                         4u * (uint32_t)original->words[i], error)) {
            return false;
        }
    }
    return true;
}

static bool simulate_scatter(const Counterfactual *counterfactual, Progress *progress, Memory *memory,
                             Error *error)
{
    for (size_t k = 0; k < counterfactual->receiver_copy_count; k++) {
        const Copy *copy = &counterfactual->receiver_copies[k];
        if (!progress_go_on(progress, error) ||
            !memory_copy(memory, copy->tile, SPACE_RECEIVER_STAGING, copy->from, SPACE_TILE, copy->to,
                         copy->bytes, error)) {
            return false;
        }
    }
    return true;
}

bool simulate_counterfactual(const Phase *original, const Counterfactual *counterfactual,
                             const uint8_t *chosen, uint32_t iteration, Progress *progress, Memory *memory,
                             Error *error)
{
    bool gathers = mode_stages_source(counterfactual->mode);
    bool scatters = mode_stages_receiver(counterfactual->mode);
    bool gathered = !gathers ? true
                    : iteration == 0
                        ? simulate_first_gather(counterfactual, progress, memory, error)
                        : simulate_later_gather(original, counterfactual, iteration, progress, memory, error);
    return gathered &&
           simulate_transfers(counterfactual->phase, chosen, iteration,
                              gathers ? SPACE_SOURCE_STAGING : SPACE_TILE,
                              scatters ? SPACE_RECEIVER_STAGING : SPACE_TILE, progress, memory, error) &&
           (!scatters || simulate_scatter(counterfactual, progress, memory, error));
}

/* ---- comparing ---- */

/* The first word of the page that differs, MEMORY_PAGE_WORDS when none does. */
static uint32_t page_compare(const MemoryPage *left, const MemoryPage *right, Token key)
{
    for (uint32_t word = 0; word < MEMORY_PAGE_WORDS;) {
        Token a = left != NULL ? page_token(left, word) : key + word;
        Token b = right != NULL ? page_token(right, word) : key + word;
        if (a != b) {
            return word;
        }
        uint32_t end = MEMORY_PAGE_WORDS;
        end = left != NULL ? page_next_start(left, word, end) : end;
        word = right != NULL ? page_next_start(right, word, end) : end;
    }
    return MEMORY_PAGE_WORDS;
}

static size_t memory_list_pages(const Memory *memory, Token *keys)
{
    size_t count = 0;
    for (size_t place = 0; place < memory->places; place++) {
        if (memory->pages[place] != NULL && memory->keys[place] < token_of(SPACE_SOURCE_STAGING, 0, 0)) {
            keys[count++] = memory->keys[place];
        }
    }
    return count;
}

bool memory_compare(const Memory *left, const Memory *right, bool *differs, uint16_t *tile, uint32_t *address,
                    Error *error)
{
    *differs = false;
    Token *keys = mem_new(left->count + right->count, sizeof *keys, error);
    if (keys == NULL) {
        return false;
    }
    size_t count = memory_list_pages(left, keys);
    count += memory_list_pages(right, keys + count);
    bool done = sort_u64(keys, count, error);
    for (size_t k = 0; done && !*differs && k < count; k++) {
        uint32_t word = page_compare(memory_page(left, keys[k]), memory_page(right, keys[k]), keys[k]);
        if (word < MEMORY_PAGE_WORDS) {
            *differs = true;
            *tile = (uint16_t)(keys[k] >> 32);
            *address = 4 * ((uint32_t)keys[k] + word);
        }
    }
    mem_free(keys);
    return done;
}
