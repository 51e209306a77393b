#include "config.h"

#include "row/disassemble.h"

#include "fabric/fabric.h"

static void append_sent(const RowStep *step, Text *text)
{
    text_printf(text, "%u word%s from 0x%05x, ", step->words, step->words == 1 ? "" : "s", step->address);
    if ((step->sctl & SCTL_BOTH) == SCTL_BOTH) {
        text_append(text, "both directions");
    } else {
        text_printf(text, "direction %u", step->sctl & SCTL_BOTH);
    }
    if ((step->sctl & SCTL_PAIRED64) != 0) {
        text_append(text, ", 64-bit items");
    }
}

static void append_selector(uint32_t selector, Text *text)
{
    if (selector != 0) {
        text_printf(text, " (selector %u)", selector);
    }
}

static void append_controls(const RowStep *step, Text *text)
{
    const Instruction *instruction = &step->instruction;
    if (step->sets_mux) {
        if (instruction->mux == MUX_NEUTRAL) {
            text_append(text, "mux neutral");
        } else {
            text_printf(text, "mux <- tile %u (physical %u)", fabric_logical((uint16_t)instruction->mux),
                        instruction->mux);
        }
        append_selector(instruction->mux_selector, text);
    }
    if (step->sets_pointer) {
        text_printf(text, "%spointer <- 0x%05x", step->sets_mux ? ", " : "", instruction->pointer * 4);
        append_selector(instruction->pointer_selector, text);
    }
    text_printf(text, " at %u", step->control);
}

static bool sets_controls(const RowStep *step)
{
    return step->sets_mux || step->sets_pointer;
}

void row_effect_text(const RowStep *step, Text *text)
{
    if (step->words != 0) {
        append_sent(step, text);
        text_append(text, sets_controls(step) ? "; " : "");
    }
    if (sets_controls(step)) {
        append_controls(step, text);
    }
}

void row_step_text(const RowStep *step, Text *text)
{
    text_printf(text, "%6zu  [%7u, %7u)  ", step->word, step->start, step->end);
    text_printf(text, step->words != 0 || sets_controls(step) ? "%-9s  " : "%s",
                operation_name(step->instruction.operation));
    row_effect_text(step, text);
}

void row_disassemble(const uint32_t *words, size_t count, Text *text)
{
    RowReader reader = row_reader(words, count);
    RowStep step;
    while (row_read(&reader, &step)) {
        row_step_text(&step, text);
        text_append_char(text, '\n');
    }
    if (reader.fault != NULL) {
        text_printf(text, "%6zu  not a row: %s", reader.next, reader.fault);
        if (reader.next < count) {
            text_printf(text, " (0x%08x)", words[reader.next]);
        }
        text_append_char(text, '\n');
    }
}
