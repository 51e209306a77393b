#include "config.h"

#include "row/encode.h"

#include "row/instruction.h"

/* The controls of one event. */
typedef struct Group {
    uint32_t time; /* ROW_NEVER: there is none */
    bool has_mux, has_pointer;
    uint32_t mux, pointer; /* values */
} Group;

/* A walk along a row. */
typedef struct Encoder {
    const RowState *row;
    const RowSend *extra; /* a send that is not in the row: the extra_index-th; NULL: none */
    uint32_t extra_index;
    uint32_t *out;     /* NULL: only count */
    uint32_t time;     /* T: events so far */
    uint32_t words;    /* W: words so far, at least their parity */
    uint32_t mux;      /* the receive of the next mux event */
    bool neutral;      /* it is that receive's neutral, not its source event */
    uint32_t mux_time; /* ROW_NEVER after the last */
    uint32_t pointer;  /* the receive of the next pointer event */
    uint32_t pointer_time;
    uint32_t stop; /* time of a pair at which the walk may end well, ROW_NEVER: walk to the end */
    bool stopped;
} Encoder;

/* ---- the sends and the controls in time order ---- */

static const RowSend *encoder_send(const Encoder *encoder, uint32_t index)
{
    if (encoder->extra == NULL || index < encoder->extra_index) {
        return &encoder->row->sends[index];
    }
    return index == encoder->extra_index ? encoder->extra : &encoder->row->sends[index - 1];
}

/* Skips a neutral that the next receive's source event replaces. */
static void encoder_settle_mux(Encoder *encoder)
{
    const RowState *row = encoder->row;
    if (encoder->neutral && encoder->mux + 1 < row->receive_count &&
        row->receives[encoder->mux + 1].mux_start == row_source_end(&row->receives[encoder->mux])) {
        encoder->mux++;
        encoder->neutral = false;
    }
    const RowReceive *receive = &row->receives[encoder->mux];
    encoder->mux_time = encoder->mux == row->receive_count ? ROW_NEVER
                        : encoder->neutral                 ? row_source_end(receive)
                                                           : receive->mux_start;
}

static void encoder_next_mux(Encoder *encoder)
{
    encoder->mux += encoder->neutral;
    encoder->neutral = !encoder->neutral;
    encoder_settle_mux(encoder);
}

static void encoder_settle_pointer(Encoder *encoder)
{
    const RowState *row = encoder->row;
    while (encoder->pointer < row->receive_count && !row->receives[encoder->pointer].sets_pointer) {
        encoder->pointer++;
    }
    encoder->pointer_time = encoder->pointer == row->receive_count
                                ? ROW_NEVER
                                : row_payload_start(row, &row->receives[encoder->pointer]);
}

/* Places the walk on the first controls at or after `time`. */
static void encoder_seek(Encoder *encoder, uint32_t time)
{
    const RowState *row = encoder->row;
    encoder->mux = row_first_mux(row, time);
    encoder->neutral = false;
    if (encoder->mux > 0 && row_source_end(&row->receives[encoder->mux - 1]) >= time) {
        encoder->mux--;
        encoder->neutral = true;
    }
    encoder_settle_mux(encoder);
    encoder->pointer = row_first_payload(row, time);
    encoder_settle_pointer(encoder);
}

static uint32_t encoder_next_time(const Encoder *encoder)
{
    return encoder->mux_time < encoder->pointer_time ? encoder->mux_time : encoder->pointer_time;
}

static Group encoder_take(Encoder *encoder)
{
    const RowState *row = encoder->row;
    Group group = {.time = encoder_next_time(encoder)};
    if (encoder->mux_time == group.time) {
        group.has_mux = true;
        group.mux = encoder->neutral ? MUX_NEUTRAL : row->receives[encoder->mux].source;
        encoder_next_mux(encoder);
    }
    if (encoder->pointer_time == group.time) {
        group.has_pointer = true;
        group.pointer = row_pointer_value(row, &row->receives[encoder->pointer]);
        encoder->pointer++;
        encoder_settle_pointer(encoder);
    }
    return group;
}

static bool group_is_pair(const Group *group)
{
    return group->has_mux && group->has_pointer;
}

/* ---- words ---- */

static void encoder_put(Encoder *encoder, const Instruction *instruction)
{
    if (encoder->out != NULL) {
        instruction_encode(instruction, encoder->out + encoder->words);
    }
    encoder->words += operation_words(instruction->operation);
    encoder->time += instruction_events(instruction);
}

static uint32_t smaller(uint32_t left, uint32_t right)
{
    return left < right ? left : right;
}

static void encoder_delay(Encoder *encoder, uint32_t until)
{
    while (encoder->time < until) {
        uint32_t events = smaller(until - encoder->time, DELAY_EVENTS_MAX);
        encoder_put(encoder, &(Instruction){.operation = OPERATION_DELAY, .count = events - 1});
    }
}

/* A delay after which the row is at an even word. */
static bool encoder_delay_aligned(Encoder *encoder, uint32_t until)
{
    uint32_t events = until - encoder->time;
    uint32_t words = (events + DELAY_EVENTS_MAX - 1) / DELAY_EVENTS_MAX;
    if ((encoder->words + words) % 2 != 0) {
        words++;
    }
    if (words > events) {
        return false;
    }
    for (; words > 0; words--) {
        uint32_t take = smaller(until - encoder->time - (words - 1), DELAY_EVENTS_MAX);
        encoder_put(encoder, &(Instruction){.operation = OPERATION_DELAY, .count = take - 1});
    }
    return true;
}

/* Tells whether the walk may end before this group, whose place is aligned if it is a pair. */
static bool encoder_arrived(Encoder *encoder, const Group *group)
{
    encoder->stopped = encoder->stopped || group->time == encoder->stop;
    return encoder->stopped;
}

/* ---- outside a send ---- */

static bool encoder_pair_outside(Encoder *encoder, const Group *group, uint32_t boundary)
{
    if (!encoder_delay_aligned(encoder, group->time - 1)) {
        return false;
    }
    if (encoder_arrived(encoder, group)) {
        return true;
    }
    uint32_t next = encoder_next_time(encoder);
    uint32_t until = next < boundary ? next - 1 : boundary;
    uint32_t events = smaller(until - encoder->time, SEND_EVENTS_MAX);
    encoder_put(encoder, &(Instruction){.operation = OPERATION_SENDPICP,
                                        .count = events - 1,
                                        .mux = group->mux,
                                        .pointer = group->pointer});
    return true;
}

static void encoder_single_outside(Encoder *encoder, const Group *group)
{
    uint32_t reach = group->has_mux ? DELAY_MUX_EVENTS_MAX : DELAY_POINTER_EVENTS_MAX;
    if (group->time - encoder->time > reach) {
        encoder_delay(encoder, group->time - reach);
    }
    encoder_put(encoder,
                &(Instruction){.operation = group->has_mux ? OPERATION_DELAY_MUX : OPERATION_DELAY_POINTER,
                               .count = group->time - encoder->time - 1,
                               .mux = group->mux,
                               .pointer = group->pointer});
}

/* Everything up to `boundary`: the start of the next send, or the horizon. */
static bool encoder_outside(Encoder *encoder, uint32_t boundary)
{
    while (encoder_next_time(encoder) < boundary) {
        Group group = encoder_take(encoder);
        if (!group_is_pair(&group)) {
            encoder_single_outside(encoder, &group);
        } else if (!encoder_pair_outside(encoder, &group, boundary)) {
            return false;
        } else if (encoder->stopped) {
            return true;
        }
    }
    encoder_delay(encoder, boundary);
    return true;
}

/* ---- inside a send ---- */

/* The next `words` words of the message as one instruction: a send when it is the first, else a sendoff. */
static void encoder_message(Encoder *encoder, const RowSend *send, uint32_t words)
{
    Instruction instruction = {.operation = OPERATION_SENDOFF, .count = words - 1, .sctl = send->sctl};
    if (encoder->time == send->start) {
        instruction.operation = OPERATION_SEND;
        instruction.address = send->address;
    }
    encoder_put(encoder, &instruction);
}

static uint32_t encoder_message_limit(const Encoder *encoder, const RowSend *send)
{
    return encoder->time == send->start ? SEND_EVENTS_MAX : SENDOFF_EVENTS_MAX;
}

/* Sends the words before event `until`. */
static void encoder_send_until(Encoder *encoder, const RowSend *send, uint32_t until)
{
    while (encoder->time < until) {
        encoder_message(encoder, send, smaller(until - encoder->time, encoder_message_limit(encoder, send)));
    }
}

/* The same, and then the row is at an even word: where it would not be, the last instruction of at least two
 * words is split into one word and the rest. */
static bool encoder_send_until_aligned(Encoder *encoder, const RowSend *send, uint32_t until)
{
    uint32_t words = until - encoder->time;
    uint32_t first = smaller(words, encoder_message_limit(encoder, send));
    uint32_t rest = words - first;
    uint32_t instructions = (first > 0) + (rest + SENDOFF_EVENTS_MAX - 1) / SENDOFF_EVENTS_MAX;
    if ((encoder->words + instructions) % 2 == 0) {
        encoder_send_until(encoder, send, until);
        return true;
    }
    if (words < 2) {
        return false;
    }
    /* Instructions before the one to split are full; after it comes at most one of a single word. */
    uint32_t last = rest == 0 ? first : (rest - 1) % SENDOFF_EVENTS_MAX + 1;
    uint32_t split = until - last;
    if (last == 1) {
        split -= rest == 1 ? first : SENDOFF_EVENTS_MAX;
    }
    encoder_send_until(encoder, send, split);
    encoder_message(encoder, send, 1);
    if (last == 1) {
        encoder_send_until(encoder, send, until - 1);
    }
    encoder_send_until(encoder, send, until);
    return true;
}

/* The control itself: it acts one event after the start of an instruction that goes on sending. */
static void encoder_control_inside(Encoder *encoder, const RowSend *send, const Group *group)
{
    uint32_t end = row_send_end(send), next = encoder_next_time(encoder);
    uint32_t own_words = group_is_pair(group) ? 2 : 1;
    uint32_t words = (next <= end ? next - 1 : end) - encoder->time;
    bool before_pair = next <= end && encoder->mux_time == encoder->pointer_time;
    if (before_pair && (encoder->words + own_words) % 2 != 0 && words > 1) {
        words--;
    }
    words = smaller(words, SEND_EVENTS_MAX);
    Instruction instruction = {.count = words - 1, .mux = group->mux, .pointer = group->pointer};
    if (group_is_pair(group)) {
        instruction.operation = OPERATION_SENDPICP;
        instruction.address = send->address + (encoder->time - send->start);
        instruction.sctl = send->sctl;
    } else {
        instruction.operation = group->has_mux ? OPERATION_SENDPIC_MUX : OPERATION_SENDPIC_POINTER;
    }
    encoder_put(encoder, &instruction);
}

static bool encoder_inside(Encoder *encoder, const RowSend *send)
{
    uint32_t end = row_send_end(send);
    while (encoder_next_time(encoder) <= end) {
        Group group = encoder_take(encoder);
        /* No control may act on the first two events of a send. */
        if (group.time < send->start + 2) {
            return false;
        }
        if (!group_is_pair(&group)) {
            encoder_send_until(encoder, send, group.time - 1);
        } else if (!encoder_send_until_aligned(encoder, send, group.time - 1)) {
            return false;
        } else if (encoder_arrived(encoder, &group)) {
            return true;
        }
        encoder_control_inside(encoder, send, &group);
    }
    encoder_send_until(encoder, send, end);
    return true;
}

/* ---- whole walks ---- */

/* Walks on from the `index`-th send, the next one or the one that the walk is in. */
static bool encoder_walk(Encoder *encoder, uint32_t index)
{
    uint32_t count = encoder->row->send_count + (encoder->extra != NULL);
    for (; index < count; index++) {
        const RowSend *send = encoder_send(encoder, index);
        if (!encoder_outside(encoder, send->start)) {
            return false;
        }
        if (encoder->stopped) {
            return true;
        }
        if (!encoder_inside(encoder, send)) {
            return false;
        }
        if (encoder->stopped) {
            return true;
        }
    }
    if (!encoder_outside(encoder, encoder->row->horizon)) {
        return false;
    }
    if (!encoder->stopped) {
        encoder_put(encoder, &(Instruction){.operation = OPERATION_RETURN});
    }
    return true;
}

static bool encoder_whole_row(const RowState *row, uint32_t *out, uint32_t *words)
{
    Encoder encoder = {.row = row, .out = out, .stop = ROW_NEVER};
    encoder_seek(&encoder, 0);
    bool encodable = encoder_walk(&encoder, 0);
    *words = encoder.words;
    return encodable;
}

bool row_measure(const RowState *row, uint32_t *words)
{
    return encoder_whole_row(row, NULL, words);
}

void row_encode(const RowState *row, uint32_t *words)
{
    uint32_t count;
    encoder_whole_row(row, words, &count);
}

bool row_still_encodable(const RowState *row, const RowSend *send, uint32_t first, uint32_t last)
{
    uint32_t after = row_first_pair(row, last + 1);
    uint32_t from = row_first_pair(row, first);
    if (after == row->pair_count) {
        if (from == after) {
            return true; /* no pair at or after the changes */
        }
        after--;
    }
    Encoder encoder = {.row = row, .extra = send, .stop = row->pairs[after]};
    if (send != NULL) {
        encoder.extra_index = row_first_send(row, send->start);
    }
    if (from == 0) {
        encoder_seek(&encoder, 0);
        return encoder_walk(&encoder, 0);
    }
    uint32_t pair = row->pairs[from - 1]; /* before the changes, so its place in the row is even as before */
    encoder.time = pair - 1;
    encoder_seek(&encoder, pair);
    uint32_t index = row_first_send(row, pair);
    if (index > 0 && row_send_end(&row->sends[index - 1]) >= pair) {
        index--; /* the pair lies inside that send */
    }
    return encoder_walk(&encoder, index);
}

/* ---- the next verdict ---- */

/* By how much a delay of `events` >= 1 must shrink to take a word less, and grow to take a word more. */
static uint32_t delay_shorter_by(uint32_t events)
{
    return (events - 1) % DELAY_EVENTS_MAX + 1;
}

static uint32_t delay_longer_by(uint32_t events)
{
    return DELAY_EVENTS_MAX - (events - 1) % DELAY_EVENTS_MAX;
}

/* The last mux event before `time`, 0 without one. */
static uint32_t row_mux_before(const RowState *row, uint32_t time)
{
    uint32_t i = row_first_mux(row, time);
    if (i == 0) {
        return 0;
    }
    const RowReceive *receive = &row->receives[i - 1];
    return row_source_end(receive) < time ? row_source_end(receive) : receive->mux_start;
}

/* The last pointer event before `time`, 0 without one; looked for only down to `least`. */
static uint32_t row_pointer_before(const RowState *row, uint32_t time, uint32_t least)
{
    for (uint32_t i = row_first_payload(row, time); i > 0; i--) {
        const RowReceive *receive = &row->receives[i - 1];
        uint32_t pointer = row_payload_start(row, receive);
        if (receive->sets_pointer || pointer < least) {
            return pointer < least ? 0 : pointer;
        }
    }
    return 0;
}

/* The latest start at which a send needs no delay after what comes before `time` in the row: the end of the
 * send or control before it, or the reach of the pair before it. */
static uint32_t row_reach_before(const RowState *row, uint32_t time)
{
    uint32_t i = row_first_send(row, time);
    uint32_t end = i == 0 ? 0 : row_send_end(&row->sends[i - 1]);
    uint32_t mux = row_mux_before(row, time);
    uint32_t pointer = row_pointer_before(row, time, mux > end ? mux : end);
    if (mux > end && mux == pointer) {
        return mux - 1 + SEND_EVENTS_MAX;
    }
    uint32_t control = mux > pointer ? mux : pointer;
    return control > end ? control : end;
}

/* How many events later a send that now ends at `end` must end until what follows it takes a word less or
 * lies inside it. */
static uint32_t row_end_until_change(const RowState *row, uint32_t start, uint32_t end)
{
    Encoder at = {.row = row};
    encoder_seek(&at, start);
    uint32_t control = encoder_next_time(&at);
    uint32_t i = row_first_send(row, start);
    uint32_t next_send = i == row->send_count ? ROW_NEVER : row->sends[i].start;
    if (control > end && control < next_send && at.mux_time != at.pointer_time) {
        /* A pointer event is always within reach: the source event of its receive is at most 96 before it. */
        uint32_t events = control - end;
        return events <= DELAY_MUX_EVENTS_MAX ? events : delay_shorter_by(events - DELAY_MUX_EVENTS_MAX);
    }
    return next_send > end && next_send < control ? delay_shorter_by(next_send - end) : 1;
}

uint32_t row_next_verdict(const RowState *row, const RowSend *send)
{
    uint32_t reach = row_reach_before(row, send->start);
    uint32_t before = send->start <= reach ? reach + 1 - send->start : delay_longer_by(send->start - reach);
    return send->start + smaller(before, row_end_until_change(row, send->start, row_send_end(send)));
}
