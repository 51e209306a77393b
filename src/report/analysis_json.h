/* analysis.json: a list of rows, one per phase and available mode. Follows spec/analysis.md, "Figures of a
 * mode". */
#ifndef EXSCOPE_REPORT_ANALYSIS_JSON_H
#define EXSCOPE_REPORT_ANALYSIS_JSON_H

#include "report/model.h"

/* Appends the document, one row per line. Look at text_ok(). */
void analysis_json_append(const Report *report, Text *text);

/* Appends {"iteration":..,"tile":..,"address":..} or null. */
void first_difference_append(const Equivalence *equivalence, Text *text);

/* "true", "false", or "null" while it is not known. */
const char *verdict_json(Verdict verdict);

#endif
