#include "config.h"

#include "tui/transfers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

enum { TERMS_MAX = 8, POLL_EVERY = 8192 };

/* ---- filter ---- */

typedef struct Term {
    enum { TERM_SEND, TERM_RECEIVE, TERM_NUMBER, TERM_ADDRESS } kind;
    uint32_t number;
} Term;

typedef struct Filter {
    Term terms[TERMS_MAX]; /* all must match */
    int count;
} Filter;

static bool is_beginning(const char *word, size_t length, const char *whole)
{
    return length <= strlen(whole) && strncmp(word, whole, length) == 0;
}

static bool parse_term(const char *word, size_t length, Term *term)
{
    char copy[20];
    char *end;
    if (isdigit((unsigned char)word[0]) && length < sizeof copy) {
        memcpy(copy, word, length);
        copy[length] = '\0';
        bool hexadecimal = length > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
        unsigned long long value = strtoull(copy, &end, hexadecimal ? 16 : 10);
        *term = (Term){hexadecimal ? TERM_ADDRESS : TERM_NUMBER, (uint32_t)value};
        return *end == '\0' && value <= UINT32_MAX;
    }
    if (is_beginning(word, length, "send") || is_beginning(word, length, "sent")) {
        *term = (Term){TERM_SEND, 0};
        return true;
    }
    *term = (Term){TERM_RECEIVE, 0};
    return is_beginning(word, length, "receive") || is_beginning(word, length, "recv") ||
           is_beginning(word, length, "received");
}

static bool parse_filter(const char *text, Filter *filter, Error *error)
{
    filter->count = 0;
    for (;;) {
        text += strspn(text, " \t");
        size_t length = strcspn(text, " \t");
        if (length == 0) {
            return true;
        }
        if (filter->count == TERMS_MAX || !parse_term(text, length, &filter->terms[filter->count])) {
            return error_set(
                error, ERROR_USAGE,
                "'%.*s' is no filter of transfers: 12 (transfer or tile), 0x4c000 (address), send, receive",
                (int)length, text);
        }
        filter->count++;
        text += length;
    }
}

bool transfer_filter_check(const char *text, Error *error)
{
    Filter filter;
    return parse_filter(text, &filter, error);
}

static bool covers(uint32_t start, uint32_t words, uint32_t address)
{
    return address >= start && address - start < words * 4;
}

static bool touches_address(const Phase *phase, uint32_t transfer, uint32_t address)
{
    uint32_t words = phase->words[transfer];
    for (uint32_t k = phase->address_start[transfer]; k < phase->address_start[transfer + 1]; k++) {
        if (covers(phase->addresses[k], words, address)) {
            return true;
        }
    }
    for (uint32_t k = phase->receiver_start[transfer]; k < phase->receiver_start[transfer + 1]; k++) {
        if (covers(phase->receiver_address[k], words, address)) {
            return true;
        }
    }
    return false;
}

/* The transfer's own number, or a tile that takes part besides the one that the list is about. */
static bool names_number(const Phase *phase, int32_t tile, uint32_t transfer, uint32_t number)
{
    if (transfer == number || (phase->source[transfer] == number && (int32_t)number != tile)) {
        return true;
    }
    for (uint32_t k = phase->receiver_start[transfer]; k < phase->receiver_start[transfer + 1]; k++) {
        if (phase->receiver_tile[k] == number && (int32_t)number != tile) {
            return true;
        }
    }
    return false;
}

static bool matches(const Filter *filter, const Phase *phase, int32_t tile, const TransferRow *row)
{
    for (int i = 0; i < filter->count; i++) {
        const Term *term = &filter->terms[i];
        bool match = term->kind == TERM_SEND      ? tile < 0 || row->receiver == TRANSFER_SENT
                     : term->kind == TERM_RECEIVE ? tile < 0 || row->receiver != TRANSFER_SENT
                     : term->kind == TERM_NUMBER  ? names_number(phase, tile, row->transfer, term->number)
                                                  : touches_address(phase, row->transfer, term->number);
        if (!match) {
            return false;
        }
    }
    return true;
}

/* ---- collecting ---- */

typedef struct Collector {
    TransferList *list;
    const Phase *phase;
    const Filter *filter;
    size_t capacity;
} Collector;

static bool collect(Collector *collector, uint32_t transfer, uint32_t receiver, Error *error)
{
    TransferList *list = collector->list;
    TransferRow row = {.transfer = transfer, .receiver = receiver};
    if (!matches(collector->filter, collector->phase, list->query.tile, &row)) {
        return true;
    }
    if (list->count == collector->capacity &&
        !mem_grow(&list->rows, &collector->capacity, list->count + 1, sizeof *list->rows, error)) {
        return false;
    }
    list->rows[list->count++] = row;
    return true;
}

static bool collect_transfer(Collector *collector, uint32_t transfer, Error *error)
{
    const Phase *phase = collector->phase;
    int32_t tile = collector->list->query.tile;
    if (tile < 0) {
        return collect(collector, transfer, TRANSFER_SENT, error);
    }
    if (phase->source[transfer] == tile && !collect(collector, transfer, TRANSFER_SENT, error)) {
        return false;
    }
    for (uint32_t k = phase->receiver_start[transfer]; k < phase->receiver_start[transfer + 1]; k++) {
        if (phase->receiver_tile[k] == tile && !collect(collector, transfer, k, error)) {
            return false;
        }
    }
    return true;
}

static bool collect_all(Collector *collector, Progress *progress, Error *error)
{
    for (uint32_t i = 0; i < collector->phase->transfers; i++) {
        if ((i % POLL_EVERY == 0 && !progress_go_on(progress, error)) ||
            !collect_transfer(collector, i, error)) {
            return false;
        }
    }
    return true;
}

/* ---- times ---- */

/* Rows of a tile come in ascending transfer order, its activities in order of time: one sort brings them
 * together. */
static bool add_tile_times(TransferList *list, const Replay *replay, Error *error)
{
    int32_t tile = list->query.tile;
    uint64_t first = replay->activity_start[tile];
    size_t count = (size_t)(replay->activity_start[tile + 1] - first), at = 0;
    SortItem *items = mem_new(count, sizeof *items, error);
    if (items == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const Activity *activity = &replay->activities[first + i];
        items[i] =
            (SortItem){.key = (uint64_t)activity->transfer << 1 | activity->kind, .value = (uint32_t)i};
    }
    bool sorted = sort_items(items, count, error);
    for (size_t i = 0; sorted && i < list->count; i++) {
        TransferRow *row = &list->rows[i];
        unsigned kind = row->receiver == TRANSFER_SENT ? ACTIVITY_SEND : ACTIVITY_RECEIVE;
        uint64_t key = (uint64_t)row->transfer << 1 | kind;
        while (at < count && items[at].key < key) {
            at++;
        }
        if (at < count && items[at].key == key) {
            const Activity *activity = &replay->activities[first + items[at].value];
            row->start = activity->start;
            row->end = activity->end;
        }
    }
    mem_free(items);
    return sorted;
}

static bool add_times(TransferList *list, const Replay *replay, Error *error)
{
    if (list->query.tile >= 0 && !add_tile_times(list, replay, error)) {
        return false;
    }
    list->latest_cycle = 0;
    for (size_t i = 0; i < list->count; i++) {
        TransferRow *row = &list->rows[i];
        if (list->query.tile < 0) {
            row->start = row->end = replay->completion[row->transfer];
        }
        list->latest_cycle = row->end > list->latest_cycle ? row->end : list->latest_cycle;
    }
    return true;
}

/* ---- order ---- */

static uint64_t sort_key(const TransferList *list, const Phase *phase, const TransferRow *row)
{
    bool sent = row->receiver == TRANSFER_SENT;
    uint32_t receiver = sent ? phase->receiver_start[row->transfer] : row->receiver;
    switch (list->query.sort) {
    case TRANSFER_SORT_WORDS:
        return UINT16_MAX - phase->words[row->transfer]; /* the largest first */
    case TRANSFER_SORT_PEER:
        return sent && list->query.tile >= 0 ? phase->receiver_tile[receiver] : phase->source[row->transfer];
    case TRANSFER_SORT_SOURCE_ADDRESS:
        return phase_address(phase, row->transfer, 0);
    case TRANSFER_SORT_ADDRESS:
        return phase->receiver_address[receiver];
    case TRANSFER_SORT_START:
        return row->start;
    case TRANSFER_SORT_ORDER:
    case TRANSFER_SORT_COUNT:
        break;
    }
    return row->transfer;
}

static bool sort_rows(TransferList *list, const Phase *phase, Error *error)
{
    SortItem *items = mem_new(list->count, sizeof *items, error);
    TransferRow *sorted = mem_new(list->count, sizeof *sorted, error);
    bool done = items != NULL && sorted != NULL;
    for (size_t i = 0; done && i < list->count; i++) {
        items[i] = (SortItem){.key = sort_key(list, phase, &list->rows[i]), .value = (uint32_t)i};
    }
    done = done && sort_items(items, list->count, error);
    for (size_t i = 0; done && i < list->count; i++) {
        size_t from = list->query.reverse ? list->count - 1 - i : i;
        sorted[i] = list->rows[items[from].value];
    }
    mem_free(items);
    if (!done) {
        mem_free(sorted);
        return false;
    }
    mem_free(list->rows);
    list->rows = sorted;
    return true;
}

/* ---- the task ---- */

static bool run(Task *task, View *view, Progress *progress, Error *error)
{
    TransferList *list = (TransferList *)task;
    const TransferQuery *query = &list->query;
    Filter filter;
    const Counterfactual *counterfactual =
        view_need_counterfactual(view, query->entry, query->mode, progress, error);
    if (counterfactual == NULL || !parse_filter(query->filter, &filter, error)) {
        return false;
    }
    const Phase *phase = counterfactual->phase;
    const Replay *replay = NULL;
    if (query->times && (replay = view_need_replay(view, query->entry, query->mode, &query->options, progress,
                                                   error)) == NULL) {
        return false;
    }
    mem_free(list->rows); /* of a run that was cancelled */
    list->rows = NULL;
    list->count = 0;
    bool plain = query->sort == TRANSFER_SORT_ORDER || (query->sort == TRANSFER_SORT_START && replay == NULL);
    if (query->tile < 0 && filter.count == 0 && replay == NULL && plain) {
        list->count = phase->transfers;
        return true;
    }
    Collector collector = {.list = list, .phase = phase, .filter = &filter};
    return collect_all(&collector, progress, error) && (replay == NULL || add_times(list, replay, error)) &&
           progress_go_on(progress, error) && ((plain && !query->reverse) || sort_rows(list, phase, error));
}

static void destroy(Task *task)
{
    TransferList *list = (TransferList *)task;
    mem_free(list->rows);
    mem_free(list);
}

TransferList *transfers_new(const TransferQuery *query, Error *error)
{
    TransferList *list = mem_zero(1, sizeof *list, error);
    if (list != NULL) {
        task_start(&list->task, run, destroy);
        list->query = *query;
    }
    return list;
}

bool transfer_query_equal(const TransferQuery *a, const TransferQuery *b)
{
    return a->entry == b->entry && a->mode == b->mode && a->tile == b->tile && a->sort == b->sort &&
           a->reverse == b->reverse && a->times == b->times &&
           (!a->times || replay_options_equal(a->options, b->options)) && strcmp(a->filter, b->filter) == 0;
}

TransferRow transfers_row(const TransferList *list, size_t index)
{
    if (list->rows != NULL) {
        return list->rows[index];
    }
    size_t transfer = list->query.reverse ? list->count - 1 - index : index;
    return (TransferRow){.transfer = (uint32_t)transfer, .receiver = TRANSFER_SENT};
}

bool transfers_find(const TransferList *list, uint32_t transfer, uint64_t *place)
{
    if (list->rows == NULL) {
        *place = list->query.reverse ? list->count - 1 - transfer : transfer;
        return transfer < list->count;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->rows[i].transfer == transfer) {
            *place = i;
            return true;
        }
    }
    return false;
}
