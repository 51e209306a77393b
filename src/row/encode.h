/* From a tile's state to its row. Follows spec/fabric-and-rows.md, "Encoding a tile's row".
 *
 * The only thing that can go wrong is that a pair's sendpicp, which must begin at an even word of the row,
 * has no room to be aligned. The row is at an even word before and after every pair, so a change of the state
 * can change that verdict only between the last pair before it and the first pair after it. */
#ifndef EXSCOPE_ROW_ENCODE_H
#define EXSCOPE_ROW_ENCODE_H

#include "row/state.h"

/* Counts the words of the row, the closing return included. false: not encodable at these times. */
bool row_measure(const RowState *row, uint32_t *words);

/* Writes the row: as many words as row_measure counted. */
void row_encode(const RowState *row, uint32_t *words);

/* Whether a row that was encodable, and then got receives whose controls lie in [first, last], still is, with
 * `send` (NULL: none) in it as well; [first, last] covers that too. */
bool row_still_encodable(const RowState *row, const RowSend *send, uint32_t first, uint32_t last);

/* For a send that is not in the row, that brings no control to it, and with which at its start the row is not
 * encodable: the next later start at which the verdict may be another. It may be too early, never too late.
 *
 * While no control lies inside the send, all that its start decides is how many words the delays before and
 * after it take, and these change at few starts. */
uint32_t row_next_verdict(const RowState *row, const RowSend *send);

#endif
