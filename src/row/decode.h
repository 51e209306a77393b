/* Reading a finished row: its words back into timed steps. Follows spec/fabric-and-rows.md, "Decoding", and
 * the row grammar of spec/scheduler.md, section 4.
 *
 * Any words may be read: whatever is not a row ends in a fault. The grammar:
 *   row      = { delay | delaypic | delayxpic | message | silent sendpicp } return
 *   message  = (send | sending sendpicp) { sendoff | sendpic | sending sendpicp }
 * A sending sendpicp restarts at an absolute address; sendoff and sendpic send on from the word after the
 * last. On top of that: a sendpicp stands at an even word of the row, and when silent (sctl 0) has address 0;
 * send and a sending sendpicp have a direction, and a sendoff has that of its message and no delta (nothing
 * says what other values would do); a mux value is a tile of the fabric or neutral; no send runs past the end
 * of tile memory, no event past 2^32 - 1; and nothing follows the return. */
#ifndef EXSCOPE_ROW_DECODE_H
#define EXSCOPE_ROW_DECODE_H

#include "row/instruction.h"

/* One instruction of a row, in time. Controls of one row come in strictly ascending `control` order. */
typedef struct RowStep {
    Instruction instruction;
    size_t word;         /* where it stands in the row */
    uint32_t start, end; /* cycles: it takes the events [start, end) */
    uint32_t words;      /* payload words it sends, 0 when it sends nothing */
    uint32_t address;    /* byte address of the first one */
    uint32_t sctl;       /* directions of those words */
    bool sets_pointer, sets_mux;
    uint32_t control; /* cycle at which they act; 0 without one */
} RowStep;

typedef struct RowReader {
    const uint32_t *words;
    size_t count;

    size_t next; /* the next instruction's word */
    uint32_t time;
    bool returned;
    const char *fault; /* what is wrong with the instruction at `next`, as a phrase; NULL while all is well */

    bool sending; /* inside a message, which goes on at send_word */
    uint32_t send_word, send_sctl;
} RowReader;

/* The words stay the caller's. */
RowReader row_reader(const uint32_t *words, size_t count);

/* The next step. False at the end: after the closing return, or with `fault` set. Once false, always false.
 * `time` is the row's horizon when it ended without a fault. */
bool row_read(RowReader *reader, RowStep *step);

#endif
