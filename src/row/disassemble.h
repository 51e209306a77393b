/* Rows for people: one line an instruction. */
#ifndef EXSCOPE_ROW_DISASSEMBLE_H
#define EXSCOPE_ROW_DISASSEMBLE_H

#include "base/text.h"
#include "row/decode.h"

/* Appends what a step does in words, such as "64 words from 0x54000, direction 2"; nothing for one that only
 * takes time. */
void row_effect_text(const RowStep *step, Text *text);

/* Appends one line without its end: word offset, event interval, operation, and what it does in words, such
 * as
 *       6  [    113,     177)  send       64 words from 0x54000, direction 2
 *      12  [    190,     195)  delayxpic  mux <- tile 46 (physical 1409) at 195 */
void row_step_text(const RowStep *step, Text *text);

/* Appends every line of a row, each with its end. Words that are no row give the lines up to the fault and
 * then one that names it. */
void row_disassemble(const uint32_t *words, size_t count, Text *text);

#endif
