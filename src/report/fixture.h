/* Exported phases. A fixture never stands without its verdict for longer than it takes to write one:
 *
 *     phase-5-coalesced.json           the mode's phase, as a capture of its own
 *     phase-5-coalesced.verdict.json   {"phase":5,"mode":"coalesced","equivalent":true,"valid":true,...}
 *     phase-5-coalesced.log            its replay, when there was one
 *
 * Mode names are those of the published script: `destination` for mode receiver. */
#ifndef EXSCOPE_REPORT_FIXTURE_H
#define EXSCOPE_REPORT_FIXTURE_H

#include "report/model.h"

/* "FOLDER/phase-N-MODE" and `suffix` (".json", ".verdict.json", ".log"). Look at text_ok(). */
void fixture_path(Text *path, const char *folder, uint32_t phase, Mode mode, const char *suffix);

/* Makes the mode's phase if need be, and writes the fixture and its verdict, each whole or not at all: when
 * one of them cannot be written, those that were there stay. With `replace` false an existing fixture is
 * refused. Refused too: a mode that the phase does not have, and one whose staging leaves the replay's
 * address ranges. A mode that is not valid is written, and its verdict says so. `equivalence` (NULL is fine)
 * is filled. */
bool fixture_export(View *view, const PhaseEntry *entry, Mode mode, const char *folder, bool replace,
                    Equivalence *equivalence, Progress *progress, Error *error);

/* Whether the fixture in `folder` holds the very phase that this mode gives now; ERROR_INPUT when it does
 * not, or cannot be read. */
bool fixture_matches(View *view, const PhaseEntry *entry, Mode mode, const char *folder, Progress *progress,
                     Error *error);

/* Writes the replay log, replacing an older one. First line as the published bench prints it, then ours. */
bool fixture_log_write(const ReportRow *row, const char *folder, Error *error);

#endif
