/* One transfer at offset 0: when it would be sent, heard and stored if it had the fabric to itself. Follows
 * spec/fabric-and-rows.md, "One 32-bit transfer, at offset 0". */
#ifndef EXSCOPE_REPLAY_FORM_H
#define EXSCOPE_REPLAY_FORM_H

#include "row/state.h"

enum { SOLE_RECEIVE_MUX_EVENT = 113 }; /* X of a transfer that is all its receiver gets */

typedef struct FormReceiver {
    RowState *row;
    RowReceive receive; /* mux_start: X at offset 0 */
    uint64_t elements;  /* that it writes */
} FormReceiver;

/* The transfer in hand, over the states of the tiles that it meets. */
typedef struct Form {
    uint32_t transfer;
    uint32_t words;
    uint16_t source; /* tile */
    RowState *row;   /* its state */
    RowSend send;    /* start: S at offset 0 */
    FormReceiver *receivers;
    uint32_t receiver_count;
} Form;

/* What forms are made from; filled once per phase. */
typedef struct FormMaker {
    const Phase *phase;
    RowStates *states;
    FabricTile *tiles; /* [tile_count] */
} FormMaker;

/* Fills `form` for one transfer; form->receivers must have room for its receivers. The states tell whether
 * the pointer of a receiver must be set. */
void form_make(const FormMaker *maker, uint32_t transfer, Form *form);

/* Fetches what form_make will read of a transfer: long before, its place in the columns; then, what these
 * point to. Placement order jumps about in the phase, and waiting for memory would be most of its time. */
void form_prefetch_columns(const FormMaker *maker, uint32_t transfer);
void form_prefetch_slices(const FormMaker *maker, uint32_t transfer);

/* Fails (ERROR_REFUSED, with phase and transfer) on a transfer to its own tile that is not legal: one without
 * another receiver, one that reads and writes a memory element of that tile, or one whose own neutral event
 * would fall on the first two events of its send. */
bool form_check_loopback(const FormMaker *maker, const Form *form, Error *error);

#endif
