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

typedef struct Checker {
    const Phase *original;
    const Counterfactual *made;
    uint16_t tile_count;
    bool gathers, scatters;
    CopyCursor *gather, *scatter; /* [tile_count], or NULL */
    ReceiverSlot *slots;          /* [tile_count] */
    uint8_t *seen;                /* [n] */
    uint32_t transfer;            /* of the transformed phase, ... */
    uint32_t words;               /* ... and how many of its words are accounted for */
} Checker;

/* A part of a captured transfer that one transformed transfer carries. */
typedef struct Piece {
    uint32_t captured, captured_words; /* the transfer, and its words before this piece */
    uint32_t made, made_words;         /* the same in the transformed phase */
    uint32_t words;
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

/* The transformed transfer reads the words of the captured one where these are, in every iteration. */
static bool checker_reads_in_place(const Checker *checker, const Piece *piece)
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

/* The transformed transfer reads the words of the captured one where they were gathered. In iteration 0 that
 * is what the gather copies do; in a later one it is what gathered_at means. */
static bool checker_reads_gathered(Checker *checker, const Piece *piece)
{
    const Phase *original = checker->original, *made = checker->made->phase;
    uint32_t bytes = 4 * piece->words, skipped = 4 * piece->captured_words;
    uint32_t staged = checker->made->gathered_at[piece->captured] + skipped;
    CopyCursor *cursor = &checker->gather[original->source[piece->captured]];
    return phase_address_count(made, piece->made) == 1 &&
           phase_address(made, piece->made, 0) + 4 * piece->made_words == staged &&
           copy_cursor_stage(cursor, staged, bytes) &&
           copy_cursor_take(cursor, checker->made->source_copies,
                            phase_address(original, piece->captured, 0) + skipped, staged, bytes);
}

static bool checker_receives(Checker *checker, const Piece *piece)
{
    const Phase *original = checker->original, *made = checker->made->phase;
    uint32_t start = made->receiver_start[piece->made], bytes = 4 * piece->words;
    if (phase_receivers(made, piece->made) != phase_receivers(original, piece->captured)) {
        return false;
    }
    for (uint32_t k = original->receiver_start[piece->captured];
         k < original->receiver_start[piece->captured + 1]; k++) {
        checker->slots[original->receiver_tile[k]] =
            (ReceiverSlot){.transfer = piece->captured + 1, .address = original->receiver_address[k]};
    }
    for (uint32_t k = start; k < made->receiver_start[piece->made + 1]; k++) {
        if (made->receiver_tile[k] >= checker->tile_count) {
            return false;
        }
        ReceiverSlot *slot = &checker->slots[made->receiver_tile[k]];
        uint32_t final = slot->address + 4 * piece->captured_words;
        uint32_t address = made->receiver_address[k] + 4 * piece->made_words;
        if (slot->transfer != piece->captured + 1) {
            return false;
        }
        slot->transfer = 0; /* a tile counts once */
        if (checker->scatters) {
            CopyCursor *cursor = &checker->scatter[made->receiver_tile[k]];
            if (!copy_cursor_stage(cursor, address, bytes) ||
                !copy_cursor_take(cursor, checker->made->receiver_copies, address, final, bytes)) {
                return false;
            }
        } else if (address != final) {
            return false;
        }
    }
    return true;
}

static bool checker_is_loopback(const Phase *phase, uint32_t transfer)
{
    for (uint32_t k = phase->receiver_start[transfer]; k < phase->receiver_start[transfer + 1]; k++) {
        if (phase->receiver_tile[k] == phase->source[transfer]) {
            return true;
        }
    }
    return false;
}

/* Accounts for the words of one captured transfer. */
static bool checker_take(Checker *checker, uint32_t captured, Correspondence *correspondence)
{
    const Phase *original = checker->original, *made = checker->made->phase;
    uint32_t words = original->words[captured];
    bool loopback = checker_is_loopback(original, captured);
    uint32_t first = checker->transfer, last = first;
    for (uint32_t taken = 0; taken < words;) {
        if (checker->transfer == made->transfers) {
            return false;
        }
        uint32_t here = (uint32_t)made->words[checker->transfer] - checker->words;
        Piece piece = {.captured = captured,
                       .captured_words = taken,
                       .made = checker->transfer,
                       .made_words = checker->words,
                       .words = here < words - taken ? here : words - taken};
        if (made->source[piece.made] != original->source[captured] ||
            (loopback && made->words[piece.made] != words) ||
            !(checker->gathers ? checker_reads_gathered(checker, &piece)
                               : checker_reads_in_place(checker, &piece)) ||
            !checker_receives(checker, &piece)) {
            return false;
        }
        last = piece.made;
        taken += piece.words;
        checker->words += piece.words;
        if (checker->words == made->words[piece.made]) {
            checker->words = 0;
            checker->transfer++;
        }
    }
    if (correspondence->first != NULL) {
        correspondence->first[captured] = first;
        correspondence->last[captured] = last;
    }
    return true;
}

static bool checker_open(Checker *checker, Error *error)
{
    uint16_t tile_count = checker->tile_count;
    checker->slots = mem_zero(tile_count, sizeof *checker->slots, error);
    checker->seen = mem_zero(checker->original->transfers, sizeof *checker->seen, error);
    checker->gather = mem_zero(tile_count, sizeof *checker->gather, error);
    checker->scatter = mem_zero(tile_count, sizeof *checker->scatter, error);
    return checker->slots != NULL && checker->seen != NULL && checker->gather != NULL &&
           checker->scatter != NULL;
}

static void checker_close(Checker *checker)
{
    mem_free(checker->slots);
    mem_free(checker->seen);
    mem_free(checker->gather);
    mem_free(checker->scatter);
}

/* false only when cancelled; the answer is in correspondence->holds. */
static bool checker_run(Checker *checker, Progress *progress, Correspondence *correspondence, Error *error)
{
    uint16_t tile_count = checker->tile_count;
    const Counterfactual *made = checker->made;
    bool holds =
        copy_cursors_init(checker->gather, tile_count, made->source_copies, made->source_copy_count) &&
        copy_cursors_init(checker->scatter, tile_count, made->receiver_copies, made->receiver_copy_count);
    uint32_t n = checker->original->transfers;
    for (uint32_t k = 0; holds && k < n; k++) {
        uint32_t captured = made->emitted[k];
        if (k % POLL_TRANSFERS == 0 && !progress_go_on(progress, error)) {
            return false;
        }
        holds = captured < n && !checker->seen[captured] && checker_take(checker, captured, correspondence);
        if (holds) {
            checker->seen[captured] = 1;
        }
    }
    correspondence->holds = holds && checker->transfer == made->phase->transfers &&
                            copy_cursors_done(checker->gather, tile_count) &&
                            copy_cursors_done(checker->scatter, tile_count);
    return true;
}

bool correspondence_find(const Phase *original, uint16_t tile_count, const Counterfactual *counterfactual,
                         bool places, Progress *progress, Correspondence *correspondence, Error *error)
{
    Checker checker = {.original = original,
                       .made = counterfactual,
                       .tile_count = tile_count,
                       .gathers = mode_stages_source(counterfactual->mode),
                       .scatters = mode_stages_receiver(counterfactual->mode)};
    *correspondence = (Correspondence){0};
    bool done = checker_open(&checker, error);
    if (done && places) {
        correspondence->first = mem_new(original->transfers, sizeof *correspondence->first, error);
        correspondence->last = mem_new(original->transfers, sizeof *correspondence->last, error);
        done = correspondence->first != NULL && correspondence->last != NULL;
    }
    done = done && checker_run(&checker, progress, correspondence, error);
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
