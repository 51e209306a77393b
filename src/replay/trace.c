#include "config.h"

#include "replay/trace.h"

#include <stdarg.h>
#include <stdio.h>

#include "row/decode.h"

static bool fault(Trace *trace, uint32_t cycle, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fault(Trace *trace, uint32_t cycle, const char *format, ...)
{
    int length = snprintf(trace->fault, sizeof trace->fault, "cycle %u: ", cycle);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(trace->fault + length, sizeof trace->fault - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

/* Empties the trace, and makes room for one of each so that no array is null. */
static bool clear(Trace *trace, Error *error)
{
    trace->fault[0] = '\0';
    vec_clear(&trace->muxes);
    vec_clear(&trace->pointers);
    vec_clear(&trace->sendings);
    vec_clear(&trace->arrivals);
    return vec_reserve(&trace->muxes, 1, error) && vec_reserve(&trace->pointers, 1, error) &&
           vec_reserve(&trace->sendings, 1, error) && vec_reserve(&trace->arrivals, 1, error);
}

static bool note_step(Trace *trace, const RowStep *step, Error *error)
{
    const Instruction *instruction = &step->instruction;
    if (instruction->mux_selector != 0 || instruction->pointer_selector != 0) {
        return fault(trace, step->control, "a control with a selector");
    }
    Control mux = {step->control, instruction->mux}, pointer = {step->control, instruction->pointer};
    Sending sending = {step->start, step->words, step->address, step->sctl};
    return (!step->sets_mux || vec_push(&trace->muxes, mux, error)) &&
           (!step->sets_pointer || vec_push(&trace->pointers, pointer, error)) &&
           (step->words == 0 || vec_push(&trace->sendings, sending, error));
}

static bool read_steps(Trace *trace, const uint32_t *words, size_t count, uint32_t horizon, Error *error)
{
    RowReader reader = row_reader(words, count);
    RowStep step;
    while (row_read(&reader, &step)) {
        if (!note_step(trace, &step, error)) {
            return false;
        }
    }
    if (reader.fault != NULL) {
        return fault(trace, reader.time, "row word %zu: %s", reader.next, reader.fault);
    }
    return reader.time == horizon || fault(trace, reader.time, "the row ends, the horizon is %u", horizon);
}

/* The mux controls as receives: a source is held up to the next control, and neutral ends a source. */
static bool read_windows(Trace *trace, Error *error)
{
    const Control *mux = trace->muxes.items, *end = mux + trace->muxes.count;
    for (bool held = false; mux != end; mux++) {
        if (mux->value == MUX_NEUTRAL) {
            if (!held) {
                return fault(trace, mux->cycle, "neutral where no source is selected");
            }
            held = false;
            continue;
        }
        held = true;
        if (mux + 1 == end) {
            return fault(trace, mux->cycle, "a source that no neutral ends");
        }
        Arrival arrival = {
            .source_event = mux->cycle,
            .words = mux[1].cycle - mux->cycle,
            .source = fabric_logical((uint16_t)mux->value),
        };
        if (arrival.words > TRANSFER_WORDS_MAX) {
            return fault(trace, mux->cycle, "a source held for %u cycles, longer than any transfer",
                         arrival.words);
        }
        if (!vec_push(&trace->arrivals, arrival, error)) {
            return false;
        }
    }
    return true;
}

/* The first write of each receive. Payloads must not overlap, nor the last one reach beyond the horizon. */
static bool time_writes(Trace *trace, const FabricTile *place, uint32_t horizon)
{
    uint64_t free_from = 0;
    for (size_t k = 0; k < trace->arrivals.count; k++) {
        Arrival *arrival = &trace->arrivals.items[k];
        uint64_t write = (uint64_t)arrival->source_event + write_lag(place, arrival->words);
        if (write + arrival->words + write_tail(arrival->words) > horizon) {
            return fault(trace, arrival->source_event, "a receive of %u words ends beyond the horizon %u",
                         arrival->words, horizon);
        }
        arrival->write = (uint32_t)write;
        if (write < free_from) {
            return fault(trace, arrival->write, "a payload starts before the one before it ends");
        }
        free_from = arrival_end(arrival);
    }
    return true;
}

/* Runs the pointer over the receives: set at a first write, there it writes, or from the incoming base on
 * when there is one; not set, it writes where the receive before it ended. */
static bool run_pointer(Trace *trace, int32_t base)
{
    const Control *pointer = trace->pointers.items, *end = pointer + trace->pointers.count;
    uint32_t address = 0;
    for (size_t k = 0; k < trace->arrivals.count; k++) {
        Arrival *arrival = &trace->arrivals.items[k];
        if (pointer != end && pointer->cycle == arrival->write) {
            uint32_t value = pointer++->value * 4;
            if (k != 0 && value == address) {
                return fault(trace, arrival->write, "a pointer control where the payload continues");
            }
            if (base >= 0 && value != 0) {
                return fault(trace, arrival->write, "pointer 0x%x on top of an incoming base", value);
            }
            address = base >= 0 ? (uint32_t)base : value;
        } else if (k == 0) {
            return fault(trace, arrival->write, "the first payload starts without a pointer control");
        }
        arrival->address = address;
        address += 4 * arrival->words;
    }
    return pointer == end || fault(trace, pointer->cycle, "a pointer control where no payload starts");
}

bool trace_read(Trace *trace, const FabricTile *place, const uint32_t *words, size_t count, uint32_t horizon,
                int32_t base, Error *error)
{
    return clear(trace, error) && read_steps(trace, words, count, horizon, error) &&
           read_windows(trace, error) && time_writes(trace, place, horizon) && run_pointer(trace, base);
}

void trace_free(Trace *trace)
{
    vec_free(&trace->muxes);
    vec_free(&trace->pointers);
    vec_free(&trace->sendings);
    vec_free(&trace->arrivals);
}
