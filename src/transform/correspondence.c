#include "config.h"

#include "transform/correspondence.h"

#include "base/memory.h"

/* Position in the copies of one side of one tile: `done` bytes of copy `next` are accounted for, and staging
 * below `staged_end` is in use. */
typedef struct CopyCursor {
    size_t next, end;
    uint32_t done;
    uint32_t staged_end;
} CopyCursor;

/* Where the receivers of the captured transfer at hand write. */
typedef struct ReceiverSlot {
    uint32_t transfer; /* whose slot this is, plus 1 */
    uint32_t address;
} ReceiverSlot;

/* The captured transfers are gathered in the order of emission, a batch at a time, and compared there. */
typedef struct Checker {
    const Phase *original;
    const Counterfactual *made;
    uint16_t tile_count;
    bool gathers, scatters;
    Progress *progress;
    Correspondence *result;
    CopyCursor *gather, *scatter; /* [tile_count] */
    ReceiverSlot *slots;          /* [tile_count] */
    Phase *batch;                 /* captured transfers in the order of emission */
} Checker;

/* A part of a captured transfer that one transformed transfer carries. */
typedef struct Piece {
    uint32_t captured;                /* the transfer */
    uint32_t batched, captured_words; /* its place in the batch, and its words before this piece */
    uint32_t made, made_words;        /* the same in the transformed phase */
    uint32_t words;                   /* of the piece */
    bool whole;                       /* it is all of both transfers */
} Piece;

/* Finds the slice of every tile; false when copies are not grouped by tile or name a tile that is none. */
static bool copy_cursors_init(CopyCursor *cursors, uint16_t tile_count, const Copy *copies, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (copies[k].tile >= tile_count || (k > 0 && copies[k].tile < copies[k - 1].tile)) {
            return false;
        }
        CopyCursor *cursor = &cursors[copies[k].tile];
        if (cursor->end == 0) {
            cursor->next = k;
        }
        cursor->end = k + 1;
    }
    return true;
}

/* Whether the next bytes that the tile's copies move are exactly these. */
static bool copy_cursor_take(CopyCursor *cursor, const Copy *copies, uint32_t from, uint32_t to,
                             uint32_t bytes)
{
    while (bytes > 0) {
        if (cursor->next == cursor->end) {
            return false;
        }
        const Copy *copy = &copies[cursor->next];
        uint32_t left = copy->bytes - cursor->done, here = bytes < left ? bytes : left;
        if (copy->from + cursor->done != from || copy->to + cursor->done != to) {
            return false;
        }
        from += here;
        to += here;
        bytes -= here;
        cursor->done += here;
        if (cursor->done == copy->bytes) {
            cursor->done = 0;
            cursor->next++;
        }
    }
    return true;
}

/* Staging is used from low to high addresses, so that no byte of it is used twice. */
static bool copy_cursor_stage(CopyCursor *cursor, uint32_t address, uint32_t bytes)
{
    bool fresh = address >= cursor->staged_end && address + bytes > address;
    cursor->staged_end = address + bytes;
    return fresh;
}

static bool copy_cursors_done(const CopyCursor *cursors, uint16_t tile_count)
{
    for (uint16_t t = 0; t < tile_count; t++) {
        if (cursors[t].next != cursors[t].end) {
            return false;
        }
    }
    return true;
}

/* ---- what is tested ---- */

/* The same source. Notes where the words went. */
static bool piece_comes_from_the_source(Checker *checker, const Piece *piece)
{
    Correspondence *result = checker->result;
    if (result->first != NULL) {
        if (piece->captured_words == 0) {
            result->first[piece->captured] = piece->made;
        }
        result->last[piece->captured] = piece->made;
    }
    return checker->made->phase->source[piece->made] == checker->batch->source[piece->batched];
}

/* The transformed transfer reads the words where the captured one does, in every iteration. */
static bool piece_is_read_in_place(Checker *checker, const Piece *piece)
{
    const Phase *batch = checker->batch, *made = checker->made->phase;
    uint32_t count = phase_address_count(batch, piece->batched);
    uint32_t made_count = phase_address_count(made, piece->made);
    count = made_count > count ? made_count : count;
    for (uint32_t r = 0; r < count; r++) {
        if (phase_address(batch, piece->batched, r) + 4 * piece->captured_words !=
            phase_address(made, piece->made, r) + 4 * piece->made_words) {
            return false;
        }
    }
    return true;
}

/* The transformed transfer reads the words where they were gathered. In iteration 0 that is what the gather
 * copies do; in a later one it is what gathered_at means. */
static bool piece_is_read_as_gathered(Checker *checker, const Piece *piece)
{
    const Phase *batch = checker->batch, *made = checker->made->phase;
    uint32_t bytes = 4 * piece->words, skipped = 4 * piece->captured_words;
    uint32_t staged = checker->made->gathered_at[piece->captured] + skipped;
    CopyCursor *cursor = &checker->gather[made->source[piece->made]];
    return phase_address_count(made, piece->made) == 1 &&
           phase_address(made, piece->made, 0) + 4 * piece->made_words == staged &&
           copy_cursor_stage(cursor, staged, bytes) &&
           copy_cursor_take(cursor, checker->made->source_copies,
                            phase_address(batch, piece->batched, 0) + skipped, staged, bytes);
}

/* Takes the words to `final` on the tile: directly, or by scatter copies. */
static bool piece_arrives(Checker *checker, const Piece *piece, uint16_t tile, uint32_t address,
                          uint32_t final)
{
    uint32_t bytes = 4 * piece->words;
    CopyCursor *cursor = &checker->scatter[tile];
    if (!checker->scatters) {
        return address == final;
    }
    return copy_cursor_stage(cursor, address, bytes) &&
           copy_cursor_take(cursor, checker->made->receiver_copies, address, final, bytes);
}

/* The same receivers get the words at the same addresses; what goes to its own sender too is left whole. */
static bool piece_reaches_its_receivers(Checker *checker, const Piece *piece)
{
    const Phase *batch = checker->batch, *made = checker->made->phase;
    if (phase_receivers(made, piece->made) != phase_receivers(batch, piece->batched)) {
        return false;
    }
    for (uint32_t k = batch->receiver_start[piece->batched]; k < batch->receiver_start[piece->batched + 1];
         k++) {
        checker->slots[batch->receiver_tile[k]] =
            (ReceiverSlot){.transfer = piece->captured + 1, .address = batch->receiver_address[k]};
    }
    for (uint32_t k = made->receiver_start[piece->made]; k < made->receiver_start[piece->made + 1]; k++) {
        uint16_t tile = made->receiver_tile[k];
        if (tile >= checker->tile_count || checker->slots[tile].transfer != piece->captured + 1 ||
            (tile == made->source[piece->made] && !piece->whole)) {
            return false;
        }
        checker->slots[tile].transfer = 0; /* a tile counts once */
        if (!piece_arrives(checker, piece, tile, made->receiver_address[k] + 4 * piece->made_words,
                           checker->slots[tile].address + 4 * piece->captured_words)) {
            return false;
        }
    }
    return true;
}

static bool piece_corresponds(Checker *checker, const Piece *piece)
{
    return piece_comes_from_the_source(checker, piece) &&
           (checker->gathers ? piece_is_read_as_gathered(checker, piece)
                             : piece_is_read_in_place(checker, piece)) &&
           piece_reaches_its_receivers(checker, piece);
}

/* ---- the walk ---- */

/* Whether `emitted` is a permutation of the captured transfers. */
static bool checker_has_all(const Checker *checker, bool *all, Error *error)
{
    uint32_t n = checker->original->transfers;
    uint8_t *seen = mem_zero(n, sizeof *seen, error);
    *all = seen != NULL;
    for (uint32_t k = 0; *all && k < n; k++) {
        uint32_t captured = checker->made->emitted[k];
        *all = captured < n && !seen[captured];
        if (*all) {
            seen[captured] = 1;
        }
    }
    mem_free(seen);
    return seen != NULL;
}

/* Where the walk stands in the transformed phase. */
typedef struct MadePlace {
    uint32_t transfer, words; /* words of it that are accounted for */
} MadePlace;

/* Whether the words of emitted[k], transfer `batched` of the batch, are the next ones of the transformed
 * phase. */
static bool checker_step(Checker *checker, uint32_t k, uint32_t batched, MadePlace *place)
{
    const Phase *made = checker->made->phase;
    uint32_t words = checker->batch->words[batched];
    for (uint32_t taken = 0; taken < words;) {
        if (place->transfer == made->transfers) {
            return false;
        }
        uint32_t here = made->words[place->transfer] - place->words, left = words - taken;
        Piece piece = {.captured = checker->made->emitted[k],
                       .batched = batched,
                       .captured_words = taken,
                       .made = place->transfer,
                       .made_words = place->words,
                       .words = here < left ? here : left,
                       .whole = made->words[place->transfer] == words && taken == 0 && place->words == 0};
        if (!piece_corresponds(checker, &piece)) {
            return false;
        }
        taken += piece.words;
        place->words += piece.words;
        if (place->words == made->words[place->transfer]) {
            *place = (MadePlace){.transfer = place->transfer + 1};
        }
    }
    return true;
}

/* Tests every piece, in the order of emission, and that they make up the transformed phase. */
static bool checker_walk(Checker *checker, Error *error)
{
    uint32_t n = checker->original->transfers;
    bool *holds = &checker->result->holds;
    MadePlace place = {0};
    for (uint32_t start = 0; *holds && start < n; start += PHASE_GATHER_TRANSFERS) {
        uint32_t count = n - start < PHASE_GATHER_TRANSFERS ? n - start : PHASE_GATHER_TRANSFERS;
        if (!progress_go_on(checker->progress, error) ||
            !phase_gather(checker->batch, checker->original, checker->made->emitted + start, count, error)) {
            return false;
        }
        /* cppcheck-suppress knownConditionTrueFalse ; count is not 0, as start < n */
        for (uint32_t k = 0; *holds && k < count; k++) {
            *holds = checker_step(checker, start + k, k, &place);
        }
    }
    *holds = *holds && place.transfer == checker->made->phase->transfers;
    return true;
}

static bool checker_open(Checker *checker, Error *error)
{
    checker->batch = phase_new(checker->original->number, error);
    checker->slots = mem_zero(checker->tile_count, sizeof *checker->slots, error);
    checker->gather = mem_zero(checker->tile_count, sizeof *checker->gather, error);
    checker->scatter = mem_zero(checker->tile_count, sizeof *checker->scatter, error);
    return checker->batch != NULL && checker->slots != NULL && checker->gather != NULL &&
           checker->scatter != NULL;
}

static void checker_close(Checker *checker)
{
    mem_free(checker->slots);
    mem_free(checker->gather);
    mem_free(checker->scatter);
    phase_free(checker->batch);
}

/* false only when cancelled or out of memory; the answer is in the result. */
static bool checker_run(Checker *checker, Error *error)
{
    const Counterfactual *made = checker->made;
    uint16_t tiles = checker->tile_count;
    bool all, *holds = &checker->result->holds;
    if (!checker_has_all(checker, &all, error)) {
        return false;
    }
    *holds = all && copy_cursors_init(checker->gather, tiles, made->source_copies, made->source_copy_count) &&
             copy_cursors_init(checker->scatter, tiles, made->receiver_copies, made->receiver_copy_count);
    if (!checker_walk(checker, error)) {
        return false;
    }
    *holds =
        *holds && copy_cursors_done(checker->gather, tiles) && copy_cursors_done(checker->scatter, tiles);
    return true;
}

bool correspondence_find(const Phase *original, uint16_t tile_count, const Counterfactual *counterfactual,
                         bool places, Progress *progress, Correspondence *correspondence, Error *error)
{
    Checker checker = {.original = original,
                       .made = counterfactual,
                       .tile_count = tile_count,
                       .gathers = mode_stages_source(counterfactual->mode),
                       .scatters = mode_stages_receiver(counterfactual->mode),
                       .progress = progress,
                       .result = correspondence};
    *correspondence = (Correspondence){0};
    bool done = checker_open(&checker, error);
    if (done && places) {
        correspondence->first = mem_new(original->transfers, sizeof *correspondence->first, error);
        correspondence->last = mem_new(original->transfers, sizeof *correspondence->last, error);
        done = correspondence->first != NULL && correspondence->last != NULL;
    }
    done = done && checker_run(&checker, error);
    checker_close(&checker);
    if (!done) {
        correspondence_free(correspondence);
    }
    return done;
}

void correspondence_free(Correspondence *correspondence)
{
    mem_free(correspondence->first);
    mem_free(correspondence->last);
    *correspondence = (Correspondence){0};
}
