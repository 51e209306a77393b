#include "config.h"

#include "transform/correspondence.h"

#include "base/memory.h"

enum { POLL_TRANSFERS = 4096 };

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

/* The phases are walked once for each thing that is compared: the captured columns are read in the order of
 * emission, a page of every column at every step, and a few columns at a time the pages stay at hand. */
typedef struct Checker {
    const Phase *original;
    const Counterfactual *made;
    uint16_t tile_count;
    bool gathers, scatters;
    Progress *progress;
    Correspondence *result;
    CopyCursor *gather, *scatter; /* [tile_count] */
    ReceiverSlot *slots;          /* [tile_count] */
    uint8_t *seen;                /* [n] */
    uint16_t *words;              /* [n] of the captured transfers in the order of emission */
} Checker;

/* A part of a captured transfer that one transformed transfer carries. */
typedef struct Piece {
    uint32_t captured, captured_words; /* the transfer, and its words before this piece */
    uint32_t made, made_words;         /* the same in the transformed phase */
    uint32_t words;                    /* of the piece */
    bool whole;                        /* it is all of both transfers */
} Piece;

/* Whether one thing about a piece is right. */
typedef bool (*PieceTest)(Checker *checker, const Piece *piece);

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
    return checker->made->phase->source[piece->made] == checker->original->source[piece->captured];
}

/* The transformed transfer reads the words where the captured one does, in every iteration. */
static bool piece_is_read_in_place(Checker *checker, const Piece *piece)
{
    const Phase *original = checker->original, *made = checker->made->phase;
    uint32_t count = phase_address_count(original, piece->captured);
    uint32_t made_count = phase_address_count(made, piece->made);
    count = made_count > count ? made_count : count;
    for (uint32_t r = 0; r < count; r++) {
        if (phase_address(original, piece->captured, r) + 4 * piece->captured_words !=
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
    const Phase *original = checker->original, *made = checker->made->phase;
    uint32_t bytes = 4 * piece->words, skipped = 4 * piece->captured_words;
    uint32_t staged = checker->made->gathered_at[piece->captured] + skipped;
    CopyCursor *cursor = &checker->gather[made->source[piece->made]];
    return phase_address_count(made, piece->made) == 1 &&
           phase_address(made, piece->made, 0) + 4 * piece->made_words == staged &&
           copy_cursor_stage(cursor, staged, bytes) &&
           copy_cursor_take(cursor, checker->made->source_copies,
                            phase_address(original, piece->captured, 0) + skipped, staged, bytes);
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
    const Phase *original = checker->original, *made = checker->made->phase;
    if (phase_receivers(made, piece->made) != phase_receivers(original, piece->captured)) {
        return false;
    }
    for (uint32_t k = original->receiver_start[piece->captured];
         k < original->receiver_start[piece->captured + 1]; k++) {
        checker->slots[original->receiver_tile[k]] =
            (ReceiverSlot){.transfer = piece->captured + 1, .address = original->receiver_address[k]};
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

/* ---- the walk ---- */

/* Fills `words`; does not hold when `emitted` is no permutation of the captured transfers. */
static void checker_gather_words(Checker *checker)
{
    uint32_t n = checker->original->transfers;
    for (uint32_t k = 0; checker->result->holds && k < n; k++) {
        uint32_t captured = checker->made->emitted[k];
        checker->result->holds = captured < n && !checker->seen[captured];
        if (checker->result->holds) {
            checker->seen[captured] = 1;
            checker->words[k] = checker->original->words[captured];
        }
    }
}

/* Tests every piece, in the order of emission, and that they make up the transformed phase. false only when
 * cancelled. */
static bool checker_walk(Checker *checker, PieceTest test, Error *error)
{
    const Phase *made = checker->made->phase;
    bool *holds = &checker->result->holds;
    uint32_t transfer = 0, done = 0; /* words of the transformed phase that are accounted for */
    for (uint32_t k = 0; *holds && k < checker->original->transfers; k++) {
        if (k % POLL_TRANSFERS == 0 && !progress_go_on(checker->progress, error)) {
            return false;
        }
        for (uint32_t taken = 0; *holds && taken < checker->words[k];) {
            if (transfer == made->transfers) {
                *holds = false;
                break;
            }
            uint32_t here = made->words[transfer] - done, left = checker->words[k] - taken;
            Piece piece = {.captured = checker->made->emitted[k],
                           .captured_words = taken,
                           .made = transfer,
                           .made_words = done,
                           .words = here < left ? here : left,
                           .whole = made->words[transfer] == checker->words[k] && taken == 0 && done == 0};
            *holds = test(checker, &piece);
            taken += piece.words;
            done += piece.words;
            if (done == made->words[transfer]) {
                done = 0;
                transfer++;
            }
        }
    }
    *holds = *holds && transfer == made->transfers;
    return true;
}

static bool checker_open(Checker *checker, Error *error)
{
    uint32_t n = checker->original->transfers;
    checker->slots = mem_zero(checker->tile_count, sizeof *checker->slots, error);
    checker->gather = mem_zero(checker->tile_count, sizeof *checker->gather, error);
    checker->scatter = mem_zero(checker->tile_count, sizeof *checker->scatter, error);
    checker->seen = mem_zero(n, sizeof *checker->seen, error);
    checker->words = mem_new(n, sizeof *checker->words, error);
    return checker->slots != NULL && checker->gather != NULL && checker->scatter != NULL &&
           checker->seen != NULL && checker->words != NULL;
}

static void checker_close(Checker *checker)
{
    mem_free(checker->slots);
    mem_free(checker->gather);
    mem_free(checker->scatter);
    mem_free(checker->seen);
    mem_free(checker->words);
}

/* false only when cancelled; the answer is in the result. */
static bool checker_run(Checker *checker, Error *error)
{
    const Counterfactual *made = checker->made;
    uint16_t tiles = checker->tile_count;
    bool *holds = &checker->result->holds;
    *holds = copy_cursors_init(checker->gather, tiles, made->source_copies, made->source_copy_count) &&
             copy_cursors_init(checker->scatter, tiles, made->receiver_copies, made->receiver_copy_count);
    checker_gather_words(checker);
    if (!checker_walk(checker, piece_comes_from_the_source, error) ||
        !checker_walk(checker, checker->gathers ? piece_is_read_as_gathered : piece_is_read_in_place,
                      error) ||
        !checker_walk(checker, piece_reaches_its_receivers, error)) {
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
