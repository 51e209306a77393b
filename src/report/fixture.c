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

/* The order matters: at no moment does a verdict stand beside a fixture that it does not belong to. */
static bool export_files(View *view, const PhaseEntry *entry, const Counterfactual *counterfactual,
                         const Equivalence *equivalence, const char *paths[3], bool replace,
                         Progress *progress, Error *error)
{
    Text verdict = {0};
    verdict_append(entry, counterfactual->mode, equivalence, &verdict);
    bool good = text_ok(&verdict, error);
    if (good && !replace && file_exists(paths[0])) {
        good = error_set(error, ERROR_REFUSED, "%s: exists already", paths[0]);
    }
    if (good) {
        unlink(paths[1]);
        unlink(paths[2]);
        good = capture_write_fixture(view_capture(view), counterfactual->phase, paths[0], replace, progress,
                                     error);
    }
    if (good && !file_write_text(paths[1], verdict.bytes, verdict.length, true, error)) {
        unlink(paths[0]);
        good = false;
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
    Text paths[3] = {0};
    fixture_path(&paths[0], folder, entry->phase->number, mode, ".json");
    fixture_path(&paths[1], folder, entry->phase->number, mode, ".verdict.json");
    fixture_path(&paths[2], folder, entry->phase->number, mode, ".log");
    bool good = text_ok(&paths[0], error) && text_ok(&paths[1], error) && text_ok(&paths[2], error) &&
                export_files(view, entry, counterfactual, proved,
                             (const char *[3]){paths[0].bytes, paths[1].bytes, paths[2].bytes}, replace,
                             progress, error);
    for (int i = 0; i < 3; i++) {
        text_free(&paths[i]);
    }
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
