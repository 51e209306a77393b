#include "config.h"

#include "row/decode.h"

#include "capture/phase.h"

enum { WORD_ADDRESS_END = ADDRESS_BYTES_END / 4 };

RowReader row_reader(const uint32_t *words, size_t count)
{
    return (RowReader){.words = words, .count = count};
}

/* Does the instruction send from an absolute address, at the beginning of a message or inside one? */
static bool restarts_message(const Instruction *instruction)
{
    return instruction->operation == OPERATION_SEND ||
           (instruction->operation == OPERATION_SENDPICP && instruction->sctl != 0);
}

static bool continues_message(Operation operation)
{
    return operation == OPERATION_SENDOFF || operation == OPERATION_SENDPIC_MUX ||
           operation == OPERATION_SENDPIC_POINTER;
}

/* What is wrong with an instruction apart from what it sends; NULL when nothing. */
static const char *place_fault(const RowReader *reader, const Instruction *instruction)
{
    Operation operation = instruction->operation;
    if (operation == OPERATION_SENDPICP && reader->next % 2 != 0) {
        return "sendpicp at an odd word";
    }
    if (operation == OPERATION_SENDPICP && instruction->sctl == 0 && instruction->address != 0) {
        return "an address in a sendpicp that sends nothing";
    }
    if (operation_sets_mux(operation) && instruction->mux >= FABRIC_TILES &&
        instruction->mux != MUX_NEUTRAL) {
        return "a mux value that is no tile";
    }
    if (instruction_events(instruction) > UINT32_MAX - reader->time) {
        return "too many events";
    }
    return NULL;
}

/* Fills what the step sends and moves the message on. Returns what is wrong with it, NULL when nothing. */
static const char *send_fault(RowReader *reader, RowStep *step)
{
    const Instruction *instruction = &step->instruction;
    if (restarts_message(instruction)) {
        if ((instruction->sctl & SCTL_BOTH) == 0) {
            return "a send without a direction";
        }
        reader->sending = true;
        reader->send_word = instruction->address;
        reader->send_sctl = instruction->sctl;
    } else if (!continues_message(instruction->operation)) {
        reader->sending = false;
        return NULL;
    } else if (!reader->sending) {
        return "sends on where no message is begun";
    } else if (instruction->operation == OPERATION_SENDOFF && instruction->delta != 0) {
        return "sendoff with a delta";
    } else if (instruction->operation == OPERATION_SENDOFF && instruction->sctl != reader->send_sctl) {
        return "sendoff in other directions than its message";
    }

    step->words = instruction_events(instruction);
    if (step->words > WORD_ADDRESS_END - reader->send_word) {
        return "sends from beyond tile memory";
    }
    step->address = reader->send_word * 4;
    step->sctl = reader->send_sctl;
    reader->send_word += step->words;
    return NULL;
}

bool row_read(RowReader *reader, RowStep *step)
{
    if (reader->fault != NULL || (reader->returned && reader->next == reader->count)) {
        return false;
    }
    if (reader->next == reader->count) {
        reader->fault = "no return";
        return false;
    }
    if (reader->returned) {
        reader->fault = "words after the return";
        return false;
    }

    *step = (RowStep){.word = reader->next, .start = reader->time};
    Instruction *instruction = &step->instruction;
    unsigned taken =
        instruction_decode(reader->words + reader->next, reader->count - reader->next, instruction);
    if (taken == 0) {
        reader->fault = "no instruction";
        return false;
    }
    reader->fault = place_fault(reader, instruction);
    if (reader->fault == NULL) {
        reader->fault = send_fault(reader, step);
    }
    if (reader->fault != NULL) {
        return false;
    }

    step->end = reader->time + instruction_events(instruction);
    step->sets_pointer = operation_sets_pointer(instruction->operation);
    step->sets_mux = operation_sets_mux(instruction->operation);
    if (step->sets_pointer || step->sets_mux) {
        step->control = operation_acts_at_end(instruction->operation) ? step->end : step->start + 1;
    }
    reader->returned = instruction->operation == OPERATION_RETURN;
    reader->next += taken;
    reader->time = step->end;
    return true;
}
