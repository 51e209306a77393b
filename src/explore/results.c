/* Results: computed once, waited for, watched, and given back when there are too many. */
#include "config.h"

#include <string.h>

#include "explore/session_parts.h"

/* ---- slots ---- */

static Slot *slot_of_replay(ReplaySlots *replays, const ResultKey *key)
{
    return key->kind == RESULT_REPLAY ? &replays->replay : &replays->figures;
}

/* With the lock: the options of a key, the settings' own where it names none. */
static ReplayOptions key_options(const Session *session, const ResultKey *key)
{
    if (key->options.stream_words != 0) {
        return key->options;
    }
    return (ReplayOptions){.stream_words = session->settings.stream_words,
                           .balance = session->settings.balance};
}

static ReplaySlots *replays_find(ModeResults *mode, ReplayOptions options)
{
    ReplaySlots *replays = mode->replays;
    while (replays != NULL && (replays->options.stream_words != options.stream_words ||
                               replays->options.balance != options.balance)) {
        replays = replays->next;
    }
    return replays;
}

/* With the lock: the slot of a key; NULL when nobody ever asked for a replay with these options. */
static Slot *slot_find(Session *session, const ResultKey *key)
{
    PhaseResults *results = key->entry->results;
    ModeResults *mode = &results->mode[key->mode];
    switch (key->kind) {
    case RESULT_DEPENDENCIES:
        return &mode->dependencies;
    case RESULT_COUNTERFACTUAL:
        return &mode->counterfactual;
    case RESULT_FIGURES:
        return &mode->figures;
    case RESULT_EQUIVALENCE:
        return &mode->equivalence;
    case RESULT_TILES:
        return &mode->tiles;
    case RESULT_COVERAGE:
        return &results->coverage[key->scope];
    case RESULT_IDENTITY:
        return &results->identity[key->scope];
    case RESULT_REPLAY:
    case RESULT_REPLAY_FIGURES: {
        ReplaySlots *replays = replays_find(mode, key_options(session, key));
        return replays == NULL ? NULL : slot_of_replay(replays, key);
    }
    case RESULT_KINDS:
        break;
    }
    return NULL;
}

/* With the lock: slot_find, with a place made for a replay. NULL when memory is out. */
static Slot *slot_make(Session *session, const ResultKey *key, Error *error)
{
    if (key->kind != RESULT_REPLAY && key->kind != RESULT_REPLAY_FIGURES) {
        return slot_find(session, key);
    }
    ReplayOptions options = key_options(session, key);
    ModeResults *mode = &key->entry->results->mode[key->mode];
    ReplaySlots *replays = replays_find(mode, options);
    if (replays == NULL) {
        replays = mem_zero(1, sizeof *replays, error);
        if (replays == NULL) {
            return NULL;
        }
        *replays = (ReplaySlots){.options = options,
                                 .replay.kind = RESULT_REPLAY,
                                 .figures.kind = RESULT_REPLAY_FIGURES,
                                 .next = mode->replays};
        mode->replays = replays;
    }
    return slot_of_replay(replays, key);
}

typedef void (*SlotVisit)(Slot *slot, void *context);

static void results_visit(PhaseResults *results, SlotVisit visit, void *context)
{
    for (Mode mode = 0; mode < MODE_COUNT; mode++) {
        ModeResults *of = &results->mode[mode];
        visit(&of->dependencies, context);
        visit(&of->counterfactual, context);
        visit(&of->figures, context);
        visit(&of->equivalence, context);
        visit(&of->tiles, context);
        for (ReplaySlots *replays = of->replays; replays != NULL; replays = replays->next) {
            visit(&replays->replay, context);
            visit(&replays->figures, context);
        }
    }
    for (Scope scope = SCOPE_PHASE; scope <= SCOPE_PREFIX; scope++) {
        visit(&results->coverage[scope], context);
        visit(&results->identity[scope], context);
    }
}

PhaseResults *results_new(Dataset *dataset, Error *error)
{
    PhaseResults *results = mem_zero(1, sizeof *results, error);
    if (results == NULL) {
        return NULL;
    }
    results->dataset = dataset;
    for (Mode mode = 0; mode < MODE_COUNT; mode++) {
        ModeResults *of = &results->mode[mode];
        of->dependencies.kind = RESULT_DEPENDENCIES;
        of->counterfactual.kind = RESULT_COUNTERFACTUAL;
        of->figures.kind = RESULT_FIGURES;
        of->equivalence.kind = RESULT_EQUIVALENCE;
        of->tiles.kind = RESULT_TILES;
    }
    for (Scope scope = SCOPE_PHASE; scope <= SCOPE_PREFIX; scope++) {
        results->coverage[scope].kind = RESULT_COVERAGE;
        results->identity[scope].kind = RESULT_IDENTITY;
    }
    return results;
}

static void value_free(ResultKind kind, void *value)
{
    if (value == NULL) {
        return;
    }
    switch (kind) {
    case RESULT_DEPENDENCIES:
        dependencies_free(value);
        break;
    case RESULT_COUNTERFACTUAL:
        counterfactual_free(value);
        break;
    case RESULT_COVERAGE:
        coverage_free(value);
        break;
    case RESULT_IDENTITY:
        identity_free(value);
        break;
    case RESULT_REPLAY:
        replay_free(value);
        break;
    case RESULT_FIGURES:
    case RESULT_EQUIVALENCE:
    case RESULT_TILES:
    case RESULT_REPLAY_FIGURES:
    case RESULT_KINDS:
        break;
    }
    mem_free(value);
}

static void slot_free(Slot *slot, void *context)
{
    (void)context;
    value_free(slot->kind, slot->value);
    mem_free(slot->error);
}

void results_free(PhaseResults *results)
{
    if (results == NULL) {
        return;
    }
    results_visit(results, slot_free, NULL);
    for (Mode mode = 0; mode < MODE_COUNT; mode++) {
        for (ReplaySlots *replays = results->mode[mode].replays; replays != NULL;) {
            ReplaySlots *next = replays->next;
            mem_free(replays);
            replays = next;
        }
    }
    mem_free(results);
}

static void slot_add_bytes(Slot *slot, void *context)
{
    uint64_t *bytes = context;
    *bytes += slot->state == RESULT_READY ? slot->bytes : 0;
}

uint64_t results_bulky_bytes(const PhaseResults *results)
{
    uint64_t bytes = 0;
    results_visit((PhaseResults *)results, slot_add_bytes, &bytes);
    return bytes;
}

/* ---- giving back ---- */

static void slot_find_oldest(Slot *slot, void *context)
{
    Slot **oldest = context;
    if (slot->state == RESULT_READY && slot->bytes != 0 && slot->pins == 0 &&
        (*oldest == NULL || slot->used < (*oldest)->used)) {
        *oldest = slot;
    }
}

/* With the lock: the bulky value that nobody holds and that was used longest ago, taken out of its slot; NULL
 * when the budget is kept or every one is held. */
static void *session_take_oldest(Session *session, ResultKind *kind)
{
    Slot *oldest = NULL;
    if (session->bulky_bytes <= session->settings.memory_megabytes << 20) {
        return NULL;
    }
    for (size_t i = 0; i < session->datasets.count; i++) {
        Dataset *dataset = session->datasets.items[i];
        for (size_t k = 0; k < dataset->entries.count; k++) {
            results_visit(dataset->entries.items[k]->results, slot_find_oldest, &oldest);
        }
    }
    if (oldest == NULL) {
        return NULL;
    }
    void *value = oldest->value;
    *kind = oldest->kind;
    session->bulky_bytes -= oldest->bytes;
    oldest->value = NULL;
    oldest->bytes = 0;
    oldest->state = RESULT_ABSENT;
    return value;
}

static void session_keep_budget(Session *session)
{
    for (;;) {
        ResultKind kind;
        session_lock(session);
        void *value = session_take_oldest(session, &kind);
        session_unlock(session);
        if (value == NULL) {
            return;
        }
        value_free(kind, value);
    }
}

/* ---- computing ---- */

/* Fills *value, and *bytes when it is bulky. `view` is for what it builds upon. */
typedef bool (*Compute)(View *view, const ResultKey *key, Progress *progress, void **value, size_t *bytes,
                        Error *error);

static bool compute_dependencies(View *view, const ResultKey *key, Progress *progress, void **value,
                                 size_t *bytes, Error *error)
{
    const Phase *phase = view_need_phase(view, key->entry, key->mode, progress, error);
    Dependencies *dependencies = *value = phase == NULL ? NULL : mem_zero(1, sizeof *dependencies, error);
    if (dependencies == NULL ||
        !dependencies_compute(phase, view_tile_count(view), progress, dependencies, error)) {
        return false;
    }
    if (dependencies->edges != 0) {
        *bytes = (size_t)dependencies->edges * sizeof *dependencies->predecessors +
                 phase->transfers * (sizeof *dependencies->depth + sizeof *dependencies->predecessor_start);
    }
    return true;
}

/* With the lock: a by-product takes its place, unless it is there or somebody is at it. */
static void slot_offer(Slot *slot, void **value)
{
    if (slot->state == RESULT_ABSENT || slot->state == RESULT_FAILED) {
        slot->state = RESULT_READY;
        slot->value = *value;
        *value = NULL;
    }
}

static size_t counterfactual_bytes(const Counterfactual *built, uint32_t transfers)
{
    if (built->built == NULL) {
        return 0;
    }
    return phase_memory_bytes(built->built) + transfers * sizeof *built->emitted +
           (built->gathered_at != NULL ? transfers * sizeof *built->gathered_at : 0) +
           (built->source_copy_count + built->receiver_copy_count) * sizeof(Copy);
}

static bool compute_counterfactual(View *view, const ResultKey *key, Progress *progress, void **value,
                                   size_t *bytes, Error *error)
{
    bool original = key->mode == MODE_ORIGINAL; /* is built without any dependencies */
    const Dependencies *dependencies =
        original ? NULL : view_need_dependencies(view, key->entry, MODE_ORIGINAL, progress, error);
    bool ready = original || dependencies != NULL;
    Counterfactual *built = *value = ready ? mem_zero(1, sizeof *built, error) : NULL;
    void *summary = built == NULL ? NULL : mem_new(1, sizeof(ModeSummary), error);
    if (summary == NULL || !mode_build(key->entry->phase, view_tile_count(view), dependencies, key->mode,
                                       progress, built, error)) {
        mem_free(summary);
        return false;
    }
    *(ModeSummary *)summary = (ModeSummary){.geometry = built->geometry, .figures = built->figures};
    session_lock(view->session);
    slot_offer(&key->entry->results->mode[key->mode].figures, &summary);
    session_unlock(view->session);
    mem_free(summary);
    *bytes = counterfactual_bytes(built, key->entry->phase->transfers);
    return true;
}

static bool compute_figures(View *view, const ResultKey *key, Progress *progress, void **value, size_t *bytes,
                            Error *error)
{
    (void)bytes;
    const Counterfactual *built = view_need_counterfactual(view, key->entry, key->mode, progress, error);
    ModeSummary *summary = *value = built == NULL ? NULL : mem_new(1, sizeof *summary, error);
    if (summary == NULL) {
        return false;
    }
    *summary = (ModeSummary){.geometry = built->geometry, .figures = built->figures};
    return true;
}

/* A phase does what it does: nothing has to be proved. */
static bool equivalence_of_original(void **value, Error *error)
{
    Equivalence *equivalence = *value = mem_zero(1, sizeof *equivalence, error);
    if (equivalence != NULL) {
        *equivalence = (Equivalence){.verdict = VERDICT_EQUIVALENT, .valid = true};
    }
    return equivalence != NULL;
}

static bool compute_equivalence(View *view, const ResultKey *key, Progress *progress, void **value,
                                size_t *bytes, Error *error)
{
    (void)bytes;
    if (key->mode == MODE_ORIGINAL) {
        return equivalence_of_original(value, error);
    }
    const Dependencies *dependencies =
        view_need_dependencies(view, key->entry, MODE_ORIGINAL, progress, error);
    const Counterfactual *built =
        dependencies == NULL ? NULL : view_need_counterfactual(view, key->entry, key->mode, progress, error);
    Equivalence *equivalence = *value = built == NULL ? NULL : mem_zero(1, sizeof *equivalence, error);
    return equivalence != NULL && equivalence_prove(key->entry->phase, view_tile_count(view), dependencies,
                                                    built, progress, equivalence, error);
}

static bool compute_tiles(View *view, const ResultKey *key, Progress *progress, void **value, size_t *bytes,
                          Error *error)
{
    const Phase *phase = view_need_phase(view, key->entry, key->mode, progress, error);
    uint16_t tile_count = view_tile_count(view);
    TileFigures *tiles = *value = phase == NULL ? NULL : mem_zero(tile_count, sizeof *tiles, error);
    Geometry geometry;
    *bytes = tile_count * sizeof *tiles;
    return tiles != NULL && geometry_compute(phase, tile_count, tiles, &geometry, error);
}

static bool compute_coverage(View *view, const ResultKey *key, Progress *progress, void **value,
                             size_t *bytes, Error *error)
{
    const Dependencies *dependencies =
        view_need_dependencies(view, key->entry, MODE_ORIGINAL, progress, error);
    Coverage *coverage = *value = dependencies == NULL ? NULL : mem_zero(1, sizeof *coverage, error);
    if (coverage == NULL || !coverage_compute(key->entry->phase, view_tile_count(view),
                                              scope_transfers(key->entry->phase, dependencies, key->scope),
                                              progress, coverage, error)) {
        return false;
    }
    *bytes = coverage->tile_count * sizeof *coverage->tiles + coverage->gap_count * sizeof *coverage->gaps;
    return true;
}

static bool compute_identity(View *view, const ResultKey *key, Progress *progress, void **value,
                             size_t *bytes, Error *error)
{
    const Coverage *coverage = view_need_coverage(view, key->entry, key->scope, progress, error);
    Identity *identity = *value = coverage == NULL ? NULL : mem_zero(1, sizeof *identity, error);
    if (identity == NULL || !identity_compute(key->entry->phase, coverage, progress, identity, error)) {
        return false;
    }
    *bytes = identity->tile_count * sizeof *identity->tiles;
    return true;
}

static void replay_summarise(const Replay *replay, ReplayOptions options, ReplaySummary *summary)
{
    *summary = (ReplaySummary){
        .options = options,
        .horizon_cycles = replay->horizon_cycles,
        .maximum_row_words = replay->maximum_row_words,
        .maximum_row_tile = replay->maximum_row_tile,
        .total_row_words = replay->total_row_words,
        .active_tiles = replay->active_tiles,
        .endpoint_lower_bound_cycles = replay->endpoint_lower_bound_cycles,
        .pass = replay->pass,
        .paired64_transfers = replay->paired64_transfers,
        .seconds = replay->seconds,
        .row_fingerprint = replay->row_fingerprint,
        .invariants_pass = replay->invariants_pass,
    };
    memcpy(summary->first_fault, replay->first_fault, sizeof summary->first_fault);
}

static bool replay_allowed(View *view, const ResultKey *key, Progress *progress, Error *error)
{
    const ModeSummary *summary = view_need_figures(view, key->entry, key->mode, progress, error);
    if (summary == NULL) {
        return false;
    }
    return summary->figures.replay_address_ranges_valid ||
           error_set(error, ERROR_REFUSED,
                     "mode %s of phase %u is not replayed: its staging does not fit the address range",
                     mode_name(key->mode), (unsigned)key->entry->phase->number);
}

static size_t replay_bytes(const Replay *replay, uint32_t transfers)
{
    size_t per_transfer = sizeof *replay->offset + sizeof *replay->send_start + sizeof *replay->completion +
                          sizeof *replay->requested + sizeof *replay->wait_kind +
                          sizeof *replay->wait_transfer;
    return transfers * per_transfer +
           (size_t)replay->row_start[replay->tile_count] * sizeof *replay->row_words +
           (size_t)replay->activity_start[replay->tile_count] * sizeof *replay->activities;
}

static bool compute_replay(View *view, const ResultKey *key, Progress *progress, void **value, size_t *bytes,
                           Error *error)
{
    const Phase *phase = replay_allowed(view, key, progress, error)
                             ? view_need_phase(view, key->entry, key->mode, progress, error)
                             : NULL;
    const Dependencies *dependencies =
        phase == NULL ? NULL : view_need_dependencies(view, key->entry, key->mode, progress, error);
    Replay *replay = *value = dependencies == NULL ? NULL : mem_zero(1, sizeof *replay, error);
    void *summary = replay == NULL ? NULL : mem_new(1, sizeof(ReplaySummary), error);
    if (summary == NULL ||
        !replay_run(phase, view_tile_count(view), dependencies, &key->options, progress, replay, error)) {
        mem_free(summary);
        return false;
    }
    *bytes = replay_bytes(replay, phase->transfers);
    replay_summarise(replay, key->options, summary);
    session_lock(view->session);
    slot_offer(&replays_find(&key->entry->results->mode[key->mode], key->options)->figures, &summary);
    session_unlock(view->session);
    mem_free(summary);
    return true;
}

static bool compute_replay_figures(View *view, const ResultKey *key, Progress *progress, void **value,
                                   size_t *bytes, Error *error)
{
    (void)bytes;
    const Replay *replay = view_need_replay(view, key->entry, key->mode, &key->options, progress, error);
    ReplaySummary *summary = *value = replay == NULL ? NULL : mem_new(1, sizeof *summary, error);
    if (summary == NULL) {
        return false;
    }
    replay_summarise(replay, key->options, summary);
    return true;
}

static const Compute compute_kind[RESULT_KINDS] = {
    [RESULT_DEPENDENCIES] = compute_dependencies,
    [RESULT_COUNTERFACTUAL] = compute_counterfactual,
    [RESULT_FIGURES] = compute_figures,
    [RESULT_EQUIVALENCE] = compute_equivalence,
    [RESULT_TILES] = compute_tiles,
    [RESULT_COVERAGE] = compute_coverage,
    [RESULT_IDENTITY] = compute_identity,
    [RESULT_REPLAY] = compute_replay,
    [RESULT_REPLAY_FIGURES] = compute_replay_figures,
};

/* ---- asking ---- */

/* With the lock: the value of a ready slot, held by the view from now on when it is bulky. */
static const void *view_take(View *view, Slot *slot, Error *error)
{
    slot->used = ++view->session->uses;
    if (slot->bytes == 0) {
        return slot->value;
    }
    for (size_t i = view->pins.count; i-- > 0;) {
        if (view->pins.items[i] == slot) {
            return slot->value;
        }
    }
    if (!vec_push(&view->pins, slot, error)) {
        return NULL;
    }
    slot->pins++;
    return slot->value;
}

/* With the lock: the slot that this thread was computing has come to an end. */
static void slot_settle(Session *session, Slot *slot, bool done, void *value, size_t bytes,
                        const Error *failure)
{
    slot->work = NULL;
    if (done) {
        slot->state = RESULT_READY;
        slot->value = value;
        slot->bytes = bytes;
        session->bulky_bytes += bytes;
    } else if (failure->kind == ERROR_CANCELLED) {
        slot->state = RESULT_ABSENT;
    } else {
        slot->state = RESULT_FAILED;
        if (slot->error == NULL) {
            slot->error = mem_new(1, sizeof *slot->error, NULL);
        }
        if (slot->error != NULL) {
            *slot->error = *failure;
        }
    }
    session_changed(session);
}

/* Enters and leaves with the lock; lets go of it while it computes. */
static const void *view_compute(View *view, Slot *slot, const ResultKey *key, Progress *progress,
                                Error *error)
{
    Session *session = view->session;
    View inner = view_inner(session, key->entry->results->dataset);
    Error failure = {0};
    void *value = NULL;
    size_t bytes = 0;
    slot->state = RESULT_RUNNING;
    slot->work = progress;
    session_unlock(session);
    bool done = progress_go_on(progress, &failure) &&
                compute_kind[key->kind](&inner, key, progress, &value, &bytes, &failure);
    view_close(&inner);
    if (!done) {
        value_free(key->kind, value);
        if (error != NULL) {
            *error = failure;
        }
    }
    session_lock(session);
    slot_settle(session, slot, done, value, bytes, &failure);
    const void *taken = done ? view_take(view, slot, error) : NULL;
    if (bytes != 0) {
        session_unlock(session);
        session_keep_budget(session);
        session_lock(session);
    }
    return taken;
}

void progress_copy(Progress *progress, const Progress *from)
{
    if (progress != NULL && from != NULL) {
        atomic_store(&progress->stage, atomic_load(&from->stage));
        atomic_store(&progress->total, atomic_load(&from->total));
        atomic_store(&progress->done, atomic_load(&from->done));
    }
}

/* With the lock. */
static const void *view_need_slot(View *view, Slot *slot, const ResultKey *key, Progress *progress,
                                  Error *error)
{
    for (;;) {
        switch (slot->state) {
        case RESULT_READY:
            return view_take(view, slot, error);
        case RESULT_RUNNING:
            if (!progress_go_on(progress, error)) {
                return NULL;
            }
            progress_copy(progress, slot->work);
            session_await(view->session);
            break;
        case RESULT_FAILED:
            if (slot->error != NULL && slot->error->kind == ERROR_REFUSED) {
                if (error != NULL) {
                    *error = *slot->error;
                }
                return NULL;
            }
            return view_compute(view, slot, key, progress, error);
        case RESULT_ABSENT:
            return view_compute(view, slot, key, progress, error);
        }
    }
}

const void *view_need(View *view, const ResultKey *key, Progress *progress, Error *error)
{
    session_lock(view->session);
    ResultKey full = *key;
    full.options = key_options(view->session, key);
    Slot *slot = slot_make(view->session, &full, error);
    const void *value = slot == NULL ? NULL : view_need_slot(view, slot, &full, progress, error);
    session_unlock(view->session);
    return value;
}

const void *view_peek(View *view, const ResultKey *key)
{
    session_lock(view->session);
    Slot *slot = slot_find(view->session, key);
    bool ready = slot != NULL && slot->state == RESULT_READY;
    const void *value = ready ? view_take(view, slot, NULL) : NULL;
    view->peek_failed = view->peek_failed || (ready && value == NULL);
    session_unlock(view->session);
    return value;
}

bool view_peeks_ok(const View *view, Error *error)
{
    return !view->peek_failed || error_set(error, ERROR_MEMORY, "out of memory for a result");
}

void view_status(View *view, const ResultKey *key, ResultStatus *status)
{
    *status = (ResultStatus){.state = RESULT_ABSENT};
    session_lock(view->session);
    Slot *slot = slot_find(view->session, key);
    if (slot != NULL) {
        status->state = slot->state;
        if (slot->state == RESULT_RUNNING && slot->work != NULL) {
            status->done = atomic_load(&slot->work->done);
            status->total = atomic_load(&slot->work->total);
            status->stage = atomic_load(&slot->work->stage);
        }
        if (slot->state == RESULT_FAILED) {
            if (slot->error != NULL) {
                status->error = *slot->error;
            } else {
                error_set(&status->error, ERROR_MEMORY, "out of memory");
            }
        }
    }
    session_unlock(view->session);
}

/* ---- typed ---- */

static const void *need_mode(View *view, const PhaseEntry *entry, ResultKind kind, Mode mode,
                             Progress *progress, Error *error)
{
    return view_need(view, &(ResultKey){.entry = entry, .kind = kind, .mode = mode}, progress, error);
}

const Dependencies *view_peek_dependencies(View *view, const PhaseEntry *entry, Mode mode)
{
    return view_peek(view, &(ResultKey){.entry = entry, .kind = RESULT_DEPENDENCIES, .mode = mode});
}

const Dependencies *view_need_dependencies(View *view, const PhaseEntry *entry, Mode mode, Progress *progress,
                                           Error *error)
{
    return need_mode(view, entry, RESULT_DEPENDENCIES, mode, progress, error);
}

const Counterfactual *view_need_counterfactual(View *view, const PhaseEntry *entry, Mode mode,
                                               Progress *progress, Error *error)
{
    return need_mode(view, entry, RESULT_COUNTERFACTUAL, mode, progress, error);
}

const ModeSummary *view_need_figures(View *view, const PhaseEntry *entry, Mode mode, Progress *progress,
                                     Error *error)
{
    return need_mode(view, entry, RESULT_FIGURES, mode, progress, error);
}

const Equivalence *view_need_equivalence(View *view, const PhaseEntry *entry, Mode mode, Progress *progress,
                                         Error *error)
{
    return need_mode(view, entry, RESULT_EQUIVALENCE, mode, progress, error);
}

const TileFigures *view_need_tiles(View *view, const PhaseEntry *entry, Mode mode, Progress *progress,
                                   Error *error)
{
    return need_mode(view, entry, RESULT_TILES, mode, progress, error);
}

static ResultKey key_scope(const PhaseEntry *entry, ResultKind kind, Scope scope)
{
    return (ResultKey){.entry = entry, .kind = kind, .scope = scope};
}

const Coverage *view_need_coverage(View *view, const PhaseEntry *entry, Scope scope, Progress *progress,
                                   Error *error)
{
    ResultKey key = key_scope(entry, RESULT_COVERAGE, scope);
    return view_need(view, &key, progress, error);
}

const Identity *view_need_identity(View *view, const PhaseEntry *entry, Scope scope, Progress *progress,
                                   Error *error)
{
    ResultKey key = key_scope(entry, RESULT_IDENTITY, scope);
    return view_need(view, &key, progress, error);
}

static ResultKey key_replay(const PhaseEntry *entry, ResultKind kind, Mode mode, const ReplayOptions *options)
{
    ResultKey key = {.entry = entry, .kind = kind, .mode = mode};
    if (options != NULL) {
        key.options = *options;
    }
    return key;
}

const Replay *view_peek_replay(View *view, const PhaseEntry *entry, Mode mode, const ReplayOptions *options)
{
    ResultKey key = key_replay(entry, RESULT_REPLAY, mode, options);
    return view_peek(view, &key);
}

const Replay *view_need_replay(View *view, const PhaseEntry *entry, Mode mode, const ReplayOptions *options,
                               Progress *progress, Error *error)
{
    ResultKey key = key_replay(entry, RESULT_REPLAY, mode, options);
    return view_need(view, &key, progress, error);
}

const ReplaySummary *view_peek_replay_figures(View *view, const PhaseEntry *entry, Mode mode,
                                              const ReplayOptions *options)
{
    ResultKey key = key_replay(entry, RESULT_REPLAY_FIGURES, mode, options);
    return view_peek(view, &key);
}

const ReplaySummary *view_need_replay_figures(View *view, const PhaseEntry *entry, Mode mode,
                                              const ReplayOptions *options, Progress *progress, Error *error)
{
    ResultKey key = key_replay(entry, RESULT_REPLAY_FIGURES, mode, options);
    return view_need(view, &key, progress, error);
}

const Phase *view_need_phase(View *view, const PhaseEntry *entry, Mode mode, Progress *progress, Error *error)
{
    if (mode == MODE_ORIGINAL) {
        return entry->phase;
    }
    const Counterfactual *built = view_need_counterfactual(view, entry, mode, progress, error);
    return built == NULL ? NULL : built->phase;
}
