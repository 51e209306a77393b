#include "config.h"

#include "report/fixture.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "report/analysis_json.h"

void fixture_path(Text *path, const char *folder, uint32_t phase, Mode mode, const char *suffix)
{
    text_printf(path, "%s/phase-%" PRIu32 "-%s%s", folder, phase, mode_script_name(mode), suffix);
}

static void verdict_append(const PhaseEntry *entry, Mode mode, const Equivalence *equivalence, Text *text)
{
    ReportRow row = {.mode = mode, .selected = true, .equivalence = *equivalence};
    char reason[200];
    text_printf(text,
                "{\"phase\":%" PRIu32 ",\"mode\":\"%s\",\"equivalent\":%s,\"valid\":%s,\"first_difference\":",
                entry->phase->number, mode_script_name(mode), verdict_json(equivalence->verdict),
                equivalence->valid ? "true" : "false");
    first_difference_append(equivalence, text);
    text_printf(text, ",\"iterations_proved\":%" PRIu32, equivalence->iterations_proved);
    if (!equivalence->valid) {
        report_invalid_reason(&row, reason);
        text_append(text, ",\"reason\":");
        text_append_json(text, reason, strlen(reason));
    }
    text_append(text, "}\n");
}

/* The paths of one fixture's files, and what the new ones are called until both are whole. */
typedef struct FixturePaths {
    Text fixture, verdict, log;
    Text new_fixture, new_verdict;
} FixturePaths;

static void paths_free(FixturePaths *paths)
{
    text_free(&paths->fixture);
    text_free(&paths->verdict);
    text_free(&paths->log);
    text_free(&paths->new_fixture);
    text_free(&paths->new_verdict);
}

/* Free with paths_free, also after a failure. */
static bool paths_make(FixturePaths *paths, const char *folder, uint32_t phase, Mode mode, Error *error)
{
    *paths = (FixturePaths){0};
    fixture_path(&paths->fixture, folder, phase, mode, ".json");
    fixture_path(&paths->verdict, folder, phase, mode, ".verdict.json");
    fixture_path(&paths->log, folder, phase, mode, ".log");
    fixture_path(&paths->new_fixture, folder, phase, mode, ".json.tmp");
    fixture_path(&paths->new_verdict, folder, phase, mode, ".verdict.json.tmp");
    return text_ok(&paths->fixture, error) && text_ok(&paths->verdict, error) &&
           text_ok(&paths->log, error) && text_ok(&paths->new_fixture, error) &&
           text_ok(&paths->new_verdict, error);
}

/* Both new files are whole before an old one goes, so that a full disk loses nothing; and the old verdict
 * goes before the fixture that it was about: at no moment does a verdict stand beside one that it does not
 * belong to. */
static bool export_files(View *view, const PhaseEntry *entry, const Counterfactual *counterfactual,
                         const Equivalence *equivalence, const FixturePaths *paths, bool replace,
                         Progress *progress, Error *error)
{
    Text verdict = {0};
    verdict_append(entry, counterfactual->mode, equivalence, &verdict);
    const char *new_fixture = paths->new_fixture.bytes, *new_verdict = paths->new_verdict.bytes;
    bool good = text_ok(&verdict, error);
    if (good && !replace && file_exists(paths->fixture.bytes)) {
        good = error_set(error, ERROR_REFUSED, "%s: exists already", paths->fixture.bytes);
    }
    good = good && capture_write_fixture(view_capture(view), counterfactual->phase, new_fixture, true,
                                         progress, error);
    good = good && file_write_text(new_verdict, verdict.bytes, verdict.length, true, error);
    if (good) {
        unlink(paths->verdict.bytes);
        unlink(paths->log.bytes);
        good = file_rename(new_fixture, paths->fixture.bytes, error) &&
               file_rename(new_verdict, paths->verdict.bytes, error);
    }
    if (!good) { /* what there is of them */
        unlink(new_fixture);
        unlink(new_verdict);
    }
    text_free(&verdict);
    return good;
}

bool fixture_export(View *view, const PhaseEntry *entry, Mode mode, const char *folder, bool replace,
                    Equivalence *equivalence, Progress *progress, Error *error)
{
    const Counterfactual *counterfactual = view_need_counterfactual(view, entry, mode, progress, error);
    const Equivalence *proved =
        counterfactual == NULL ? NULL : view_need_equivalence(view, entry, mode, progress, error);
    if (proved == NULL) {
        return false;
    }
    if (equivalence != NULL) {
        *equivalence = *proved;
    }
    if (!counterfactual->figures.replay_address_ranges_valid) {
        return error_set(error, ERROR_REFUSED,
                         "its staging leaves the address ranges of the replay, so it is not exported");
    }
    FixturePaths paths;
    bool good = paths_make(&paths, folder, entry->phase->number, mode, error) &&
                export_files(view, entry, counterfactual, proved, &paths, replace, progress, error);
    paths_free(&paths);
    return good;
}

/* ---- comparing ---- */

static bool same_bytes(const void *left, const void *right, size_t bytes)
{
    return bytes == 0 || memcmp(left, right, bytes) == 0;
}

static bool same_phase(const Phase *left, const Phase *right)
{
    size_t n = left->transfers;
    if (left->number != right->number || n != right->transfers) {
        return false;
    }
    if (n == 0) {
        return true;
    }
    size_t addresses = left->address_start[n], receivers = left->receiver_start[n];
    return same_bytes(left->source, right->source, n * sizeof *left->source) &&
           same_bytes(left->words, right->words, n * sizeof *left->words) &&
           same_bytes(left->width, right->width, n * sizeof *left->width) &&
           same_bytes(left->repeat, right->repeat, n * sizeof *left->repeat) &&
           same_bytes(left->address_start, right->address_start, (n + 1) * sizeof *left->address_start) &&
           same_bytes(left->addresses, right->addresses, addresses * sizeof *left->addresses) &&
           same_bytes(left->receiver_start, right->receiver_start, (n + 1) * sizeof *left->receiver_start) &&
           same_bytes(left->receiver_tile, right->receiver_tile, receivers * sizeof *left->receiver_tile) &&
           same_bytes(left->receiver_address, right->receiver_address,
                      receivers * sizeof *left->receiver_address);
}

bool fixture_matches(View *view, const PhaseEntry *entry, Mode mode, const char *folder, Progress *progress,
                     Error *error)
{
    const Counterfactual *counterfactual = view_need_counterfactual(view, entry, mode, progress, error);
    Text path = {0};
    fixture_path(&path, folder, entry->phase->number, mode, ".json");
    Capture *fixture = counterfactual != NULL && text_ok(&path, error)
                           ? capture_load(path.bytes, NULL, progress, error)
                           : NULL;
    bool good = fixture != NULL;
    if (good) {
        const Phase *phase = capture_phase(fixture, entry->phase->number);
        good = (phase != NULL && fixture->tile_count == view_tile_count(view) &&
                same_phase(phase, counterfactual->phase)) ||
               error_set(error, ERROR_INPUT, "%s: does not hold what this capture gives: export it again",
                         path.bytes);
    }
    capture_free(fixture);
    text_free(&path);
    return good;
}

/* ---- the replay log ---- */

static void log_append(const ReportRow *row, Text *text)
{
    const Geometry *geometry = &row->summary.geometry;
    const ReplaySummary *replay = &row->replay;
    text_printf(text, "phase=%" PRIu32 " transfers=%" PRIu64 " destinations=%" PRIu64,
                row->phase->entry->phase->number, geometry->transfers, geometry->receive_fragments);
    if (row->replay_state == ROW_REPLAY_REFUSED) {
        text_append(text, " invariants=REFUSED\nreason=");
        text_append_json(text, row->replay_refusal, strlen(row->replay_refusal));
    } else if (!replay->invariants_pass) {
        text_append(text, " invariants=FAIL\nfirstFault=");
        text_append_json(text, replay->first_fault, strlen(replay->first_fault));
    } else {
        text_printf(text,
                    " horizonCycles=%" PRIu32 " endpointLowerBoundCycles=%" PRIu32 " rowWords=%" PRIu64
                    " maximumRowWords=%" PRIu32 " invariants=PASS\n",
                    replay->horizon_cycles, replay->endpoint_lower_bound_cycles, replay->total_row_words,
                    replay->maximum_row_words);
        text_printf(text,
                    "activeTiles=%" PRIu32 " maximumRowTile=%" PRId32 " pass=%u paired64Transfers=%" PRIu32
                    " rowFingerprint=%016" PRIx64 " seconds=%.3f",
                    replay->active_tiles, replay->maximum_row_tile, replay->pass, replay->paired64_transfers,
                    replay->row_fingerprint, replay->seconds);
    }
    text_printf(text, "\nmode=%s streamWords=%" PRIu32 " balanceStreams=%s equivalent=%s valid=%s\n",
                mode_script_name(row->mode), replay->options.stream_words,
                replay->options.balance ? "true" : "false", verdict_json(row->equivalence.verdict),
                row->equivalence.valid ? "true" : "false");
}

bool fixture_log_write(const ReportRow *row, const char *folder, Error *error)
{
    Text path = {0}, text = {0};
    fixture_path(&path, folder, row->phase->entry->phase->number, row->mode, ".log");
    log_append(row, &text);
    bool good = text_ok(&path, error) && text_ok(&text, error) &&
                file_write_text(path.bytes, text.bytes, text.length, true, error);
    text_free(&path);
    text_free(&text);
    return good;
}
