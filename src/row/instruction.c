#include "config.h"

#include "row/instruction.h"

#include <string.h>

/* Bits [from, from + width) of a member of Instruction stand at bit `shift` of the instruction's word `word`.
 */
typedef struct Field {
    uint8_t member; /* offset in Instruction */
    uint8_t from;
    uint8_t width;
    uint8_t shift;
    uint8_t word;
} Field;

enum { FIELDS_MAX = 7 };

typedef struct Form {
    const char *name;
    uint32_t mask; /* bits of the first word that tell the operation */
    uint32_t bits; /* their values */
    uint8_t words;
    bool sets_pointer, sets_mux, acts_at_end;
    uint8_t field_count;
    Field fields[FIELDS_MAX];
} Form;

#define FIELD(member, from, width, shift, word)                                                              \
    {                                                                                                        \
        offsetof(Instruction, member), from, width, shift, word                                              \
    }

/* Mask and fields of a form together cover every bit of its words, so that what decodes encodes to the same
 * words again. */
/* clang-format off */
static const Form forms[OPERATION_COUNT] = {
    [OPERATION_DELAY] = {"delay", 0xfff80000, 0x40a00000, 1, false, false, false, 1, {
        FIELD(count, 0, 19, 0, 0)}},
    [OPERATION_DELAY_POINTER] = {"delaypic", 0xfc000000, 0x60000000, 1, true, false, true, 3, {
        FIELD(count, 0, 7, 19, 0), FIELD(pointer_selector, 0, 1, 18, 0), FIELD(pointer, 0, 18, 0, 0)}},
    [OPERATION_DELAY_MUX] = {"delayxpic", 0xfc000000, 0x64000000, 1, false, true, true, 3, {
        FIELD(count, 0, 12, 14, 0), FIELD(mux_selector, 0, 1, 13, 0), FIELD(mux, 0, 13, 0, 0)}},
    [OPERATION_SEND] = {"send", 0xf8000000, 0x78000000, 1, false, false, false, 3, {
        FIELD(count, 0, 6, 21, 0), FIELD(address, 0, 18, 3, 0), FIELD(sctl, 0, 3, 0, 0)}},
    [OPERATION_SENDOFF] = {"sendoff", 0xf8100000, 0x70000000, 1, false, false, false, 4, {
        FIELD(count, 0, 6, 21, 0), FIELD(count, 6, 6, 14, 0), FIELD(delta, 0, 11, 3, 0),
        FIELD(sctl, 0, 3, 0, 0)}},
    [OPERATION_SENDPIC_MUX] = {"sendpic", 0xf8180000, 0x70100000, 1, false, true, false, 3, {
        FIELD(count, 0, 6, 21, 0), FIELD(mux_selector, 0, 1, 18, 0), FIELD(mux, 0, 18, 0, 0)}},
    [OPERATION_SENDPIC_POINTER] = {"sendpic", 0xf8180000, 0x70180000, 1, true, false, false, 3, {
        FIELD(count, 0, 6, 21, 0), FIELD(pointer_selector, 0, 1, 18, 0), FIELD(pointer, 0, 18, 0, 0)}},
    [OPERATION_SENDPICP] = {"sendpicp", 0xf0000000, 0xf0000000, 2, true, true, false, 7, {
        FIELD(count, 0, 6, 21, 0), FIELD(pointer_selector, 0, 1, 27, 0), FIELD(address, 0, 18, 3, 0),
        FIELD(sctl, 0, 3, 0, 0), FIELD(mux_selector, 0, 1, 31, 1), FIELD(mux, 0, 13, 18, 1),
        FIELD(pointer, 0, 18, 0, 1)}},
    [OPERATION_RETURN] = {"return", 0xffffffff, ROW_RETURN, 1, false, false, false, 0, {{0}}},
};
/* clang-format on */

/* By the five highest bits of a word: the first form that it may have. */
static Operation first_form(uint32_t word)
{
    switch (word >> 27) {
    case 0x40000000u >> 27: /* return, the last form, begins with the same */
        return OPERATION_DELAY;
    case 0x60000000u >> 27:
        return OPERATION_DELAY_POINTER;
    case 0x70000000u >> 27:
        return OPERATION_SENDOFF;
    case 0x78000000u >> 27:
        return OPERATION_SEND;
    default:
        return OPERATION_SENDPICP;
    }
}

const char *operation_name(Operation operation)
{
    return forms[operation].name;
}

unsigned operation_words(Operation operation)
{
    return forms[operation].words;
}

bool operation_sets_pointer(Operation operation)
{
    return forms[operation].sets_pointer;
}

bool operation_sets_mux(Operation operation)
{
    return forms[operation].sets_mux;
}

bool operation_acts_at_end(Operation operation)
{
    return forms[operation].acts_at_end;
}

uint32_t instruction_events(const Instruction *instruction)
{
    return instruction->operation == OPERATION_RETURN ? 0 : instruction->count + 1;
}

static uint32_t field_ones(const Field *field)
{
    return (UINT32_C(1) << field->width) - 1;
}

unsigned instruction_encode(const Instruction *instruction, uint32_t words[2])
{
    const Form *form = &forms[instruction->operation];
    words[0] = form->bits;
    if (form->words == 2) {
        words[1] = 0;
    }
    for (unsigned i = 0; i < form->field_count; i++) {
        const Field *field = &form->fields[i];
        uint32_t value;
        memcpy(&value, (const char *)instruction + field->member, sizeof value);
        words[field->word] |= (value >> field->from & field_ones(field)) << field->shift;
    }
    return form->words;
}

unsigned instruction_decode(const uint32_t *words, size_t available, Instruction *instruction)
{
    memset(instruction, 0, sizeof *instruction);
    if (available == 0) {
        return 0;
    }
    unsigned operation = first_form(words[0]);
    while (operation < OPERATION_COUNT && (words[0] & forms[operation].mask) != forms[operation].bits) {
        operation++;
    }
    if (operation == OPERATION_COUNT || available < forms[operation].words) {
        return 0;
    }
    const Form *form = &forms[operation];
    instruction->operation = (Operation)operation;
    for (unsigned i = 0; i < form->field_count; i++) {
        const Field *field = &form->fields[i];
        char *member = (char *)instruction + field->member;
        uint32_t value;
        memcpy(&value, member, sizeof value);
        value |= (words[field->word] >> field->shift & field_ones(field)) << field->from;
        memcpy(member, &value, sizeof value);
    }
    return form->words;
}
