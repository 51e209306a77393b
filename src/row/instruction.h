/* The instructions of an exchange row: one table that drives both the encoder and the decoder. Follows
 * spec/fabric-and-rows.md, "Instructions". */
#ifndef EXSCOPE_ROW_INSTRUCTION_H
#define EXSCOPE_ROW_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum Operation {
    OPERATION_DELAY,
    OPERATION_DELAY_POINTER,
    OPERATION_DELAY_MUX,
    OPERATION_SEND,
    OPERATION_SENDOFF,
    OPERATION_SENDPIC_MUX,
    OPERATION_SENDPIC_POINTER,
    OPERATION_SENDPICP,
    OPERATION_RETURN,
    OPERATION_COUNT
} Operation;

enum {
    /* The most events that one instruction can take. */
    DELAY_EVENTS_MAX = 0x80000,
    DELAY_POINTER_EVENTS_MAX = 128,
    DELAY_MUX_EVENTS_MAX = 4096,
    SEND_EVENTS_MAX = 64, /* send, sendpic, sendpicp */
    SENDOFF_EVENTS_MAX = 4096,

    SCTL_BOTH = 3,     /* 1 and 2 are the single directions, 0 advances without sending */
    SCTL_PAIRED64 = 4, /* bit 2: 64-bit items */

    MUX_NEUTRAL = 0x640, /* no source is selected */

    ROW_RETURN = 0x43a00000
};

/* One instruction, fields as in the encoding; those that an operation lacks are 0. */
typedef struct Instruction {
    Operation operation;
    uint32_t count;            /* events - 1; 0 on a return, which takes no event */
    uint32_t address;          /* of the first word sent, in words: send, sendpicp */
    uint32_t delta;            /* sendoff */
    uint32_t sctl;             /* send, sendoff, sendpicp */
    uint32_t pointer;          /* new pointer, byte address / 4 */
    uint32_t pointer_selector; /* 0 or 1 */
    uint32_t mux;              /* new source: a physical tile or MUX_NEUTRAL */
    uint32_t mux_selector;     /* 0 or 1 */
} Instruction;

/* "delay", "delaypic", "delayxpic", "send", "sendoff", "sendpic" (both kinds), "sendpicp", "return". */
const char *operation_name(Operation operation);

/* Row words that an instruction takes: 2 for sendpicp, else 1. */
unsigned operation_words(Operation operation);

/* Which controls it sets, and whether they act at the end of its events (delaypic, delayxpic) or one event
 * after its start. */
bool operation_sets_pointer(Operation operation);
bool operation_sets_mux(Operation operation);
bool operation_acts_at_end(Operation operation);

/* Events that the row advances by. */
uint32_t instruction_events(const Instruction *instruction);

/* Writes operation_words() words and returns their number. Every field must fit its width: the caller has
 * split what is longer. */
unsigned instruction_encode(const Instruction *instruction, uint32_t words[2]);

/* Decodes the instruction at words[0], of which `available` may be read. Returns the words taken, 0 when the
 * word is no instruction of the table or its second word is missing. Every decoded instruction encodes to the
 * same words again. */
unsigned instruction_decode(const uint32_t *words, size_t available, Instruction *instruction);

#endif
