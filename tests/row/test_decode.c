/* The row decoder and the disassembler: hand-made rows, every rule of the grammar, random words, and the
 * reference rows. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../reference/reference.h"
#include "row/decode.h"
#include "row/disassemble.h"

enum { ROW_WORDS_MAX = 64 };

static uint64_t random_state = 88172645463325252u;

static uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Reads a whole row; returns its steps. */
static size_t read_all(const uint32_t *words, size_t count, RowReader *reader, RowStep *last)
{
    size_t steps = 0;
    *reader = row_reader(words, count);
    while (row_read(reader, last)) {
        assert_true(last->start <= last->end && last->end == reader->time);
        assert_true(last->word < reader->next && reader->next <= count);
        assert_true(last->words == 0 || last->words == last->end - last->start);
        steps++;
    }
    RowStep untouched;
    assert_false(row_read(reader, &untouched));
    return steps;
}

/* ---- the steps of a row made by hand ---- */

static const uint32_t row_by_hand[] = {
    0x67ffc001,                              /* 0: delayxpic, 4096 events, mux <- physical 1 */
    0x40a00063,                              /* 1: delay, 100 events */
    0x78000000 | 0x2000 << 3 | 3,            /* 2: send, 1 word from word 0x2000, both directions */
    0x70004003,                              /* 3: sendoff, 65 words */
    0xf0000000 | 9u << 21 | 0x2042 << 3 | 3, /* 4: sendpicp, 10 words from word 0x2042, ... */
    0x640u << 18 | 0x15000,                  /*    ... mux neutral, pointer <- word 0x15000 */
    0x70180000 | 63 << 21 | 0x3ffff,         /* 6: sendpic, 64 words, pointer <- the last word */
    0x60080000,                              /* 7: delaypic, 2 events, pointer <- 0 */
    0xf0000000,                              /* 8: sendpicp, 1 event, sends nothing, ... */
    1471u << 18 | 1,                         /*    ... mux <- the last tile, pointer <- word 1 */
    0x43a00000,                              /* 10: return */
};

static const char text_by_hand[] =
    "     0  [      0,    4096)  delayxpic  mux <- tile 90 (physical 1) at 4096\n"
    "     1  [   4096,    4196)  delay\n"
    "     2  [   4196,    4197)  send       1 word from 0x08000, both directions\n"
    "     3  [   4197,    4262)  sendoff    65 words from 0x08004, both directions\n"
    "     4  [   4262,    4272)  sendpicp   10 words from 0x08108, both directions; "
    "mux neutral, pointer <- 0x54000 at 4263\n"
    "     6  [   4272,    4336)  sendpic    64 words from 0x08130, both directions; "
    "pointer <- 0xffffc at 4273\n"
    "     7  [   4336,    4338)  delaypic   pointer <- 0x00000 at 4338\n"
    "     8  [   4338,    4339)  sendpicp   mux <- tile 1427 (physical 1471), pointer <- 0x00004 at 4339\n"
    "    10  [   4339,    4339)  return\n";

static void a_row_by_hand_has_its_steps(void **state)
{
    (void)state;
    RowReader reader = row_reader(row_by_hand, sizeof row_by_hand / sizeof *row_by_hand);
    RowStep step;

    assert_true(row_read(&reader, &step));
    assert_true(step.instruction.operation == OPERATION_DELAY_MUX && step.instruction.mux == 1);
    assert_true(step.word == 0 && step.start == 0 && step.end == 4096 && step.words == 0);
    assert_true(step.sets_mux && !step.sets_pointer && step.control == 4096);

    assert_true(row_read(&reader, &step));
    assert_true(step.word == 1 && step.end == 4196 && !step.sets_mux && !step.sets_pointer);

    assert_true(row_read(&reader, &step) && row_read(&reader, &step));
    assert_true(step.word == 3 && step.start == 4197 && step.end == 4262);
    assert_true(step.words == 65 && step.address == 0x8004 && step.sctl == 3 && step.control == 0);

    assert_true(row_read(&reader, &step));
    assert_true(step.word == 4 && step.words == 10 && step.address == 0x8108 && step.sctl == 3);
    assert_true(step.sets_mux && step.sets_pointer && step.control == 4263);
    assert_true(step.instruction.mux == MUX_NEUTRAL && step.instruction.pointer == 0x15000);

    assert_true(row_read(&reader, &step));
    assert_true(step.word == 6 && step.address == 0x8130 && step.sctl == 3 && step.control == 4273);

    assert_true(row_read(&reader, &step));
    assert_true(step.word == 7 && step.control == step.end && step.sets_pointer && step.words == 0);

    assert_true(row_read(&reader, &step));
    assert_true(step.word == 8 && step.words == 0 && step.sctl == 0 && step.control == step.start + 1);

    assert_true(row_read(&reader, &step));
    assert_true(step.word == 10 && step.start == step.end);
    assert_false(row_read(&reader, &step));
    assert_null(reader.fault);
    assert_int_equal(reader.time, 4339);
}

static void a_row_by_hand_reads_well(void **state)
{
    (void)state;
    Text text = {0};
    row_disassemble(row_by_hand, sizeof row_by_hand / sizeof *row_by_hand, &text);
    assert_true(text_ok(&text, NULL));
    assert_string_equal(text_view(&text), text_by_hand);
    text_free(&text);
}

static void odd_fields_are_shown(void **state)
{
    (void)state;
    static const uint32_t words[] = {0x64002000, 0x60040005, 0x78000006, 0x43a00000};
    Text text = {0};
    row_disassemble(words, 4, &text);
    assert_string_equal(
        text_view(&text),
        "     0  [      0,       1)  delayxpic  mux <- tile 0 (physical 0) (selector 1) at 1\n"
        "     1  [      1,       2)  delaypic   pointer <- 0x00014 (selector 1) at 2\n"
        "     2  [      2,       3)  send       1 word from 0x00000, direction 2, 64-bit items\n"
        "     3  [      3,       3)  return\n");
    text_free(&text);
}

/* ---- the grammar ---- */

typedef struct Broken {
    const char *fault;
    size_t at; /* word */
    size_t count;
    uint32_t words[6];
} Broken;

enum {
    DELAY = 0x40a00000,
    SEND = 0x78000001,    /* one word from 0, direction 1 */
    SENDOFF = 0x70000001, /* one word, direction 1 */
    SENDPIC_MUX = 0x70100000,
    RETURN = 0x43a00000,
};

#define SILENT_PAIR UINT32_C(0xf0000000)
#define SEND_PAIR UINT32_C(0xf0000001)

static const Broken broken_rows[] = {
    {"no return", 0, 0, {0}},
    {"no return", 2, 2, {DELAY, DELAY}},
    {"words after the return", 1, 2, {RETURN, RETURN}},
    {"words after the return", 2, 3, {DELAY, RETURN, DELAY}},
    {"no instruction", 1, 3, {DELAY, 0, RETURN}},
    {"no instruction", 2, 3, {DELAY, DELAY, SILENT_PAIR}}, /* its second word is missing */
    {"sendpicp at an odd word", 1, 4, {DELAY, SILENT_PAIR, 0, RETURN}},
    {"sendpicp at an odd word", 1, 4, {SEND, SEND_PAIR, 0, RETURN}},
    {"an address in a sendpicp that sends nothing", 0, 3, {SILENT_PAIR | 1 << 3, 0, RETURN}},
    {"sends on where no message is begun", 0, 2, {SENDOFF, RETURN}},
    {"sends on where no message is begun", 0, 2, {SENDPIC_MUX, RETURN}},
    {"sends on where no message is begun", 2, 4, {SEND, DELAY, SENDOFF, RETURN}},
    {"sends on where no message is begun", 2, 4, {SEND, 0x60000000, SENDPIC_MUX, RETURN}},
    {"sends on where no message is begun", 2, 4, {SILENT_PAIR, 0, SENDPIC_MUX, RETURN}},
    {"sends on where no message is begun", 4, 6, {SEND, SENDOFF, SILENT_PAIR, 0, SENDOFF, RETURN}},
    {"a send without a direction", 0, 2, {0x78000000, RETURN}},
    {"a send without a direction", 0, 2, {0x78000004, RETURN}},
    {"a send without a direction", 0, 3, {SILENT_PAIR | 4, 0, RETURN}},
    {"sendoff in other directions than its message", 1, 3, {SEND, SENDOFF ^ 3, RETURN}},
    {"sendoff in other directions than its message", 1, 3, {SEND, SENDOFF ^ 1, RETURN}},
    {"sendoff with a delta", 1, 3, {SEND, SENDOFF | 1 << 3, RETURN}},
    {"a mux value that is no tile", 0, 2, {0x64000000 | 1472, RETURN}},
    {"a mux value that is no tile", 0, 2, {0x64000000 | 0x641, RETURN}},
    {"a mux value that is no tile", 1, 3, {SEND, SENDPIC_MUX | 0x20000, RETURN}},
    {"a mux value that is no tile", 0, 3, {SILENT_PAIR, 0x1fffu << 18, RETURN}},
    {"sends from beyond tile memory", 0, 2, {SEND | 1 << 21 | 0x3ffff << 3, RETURN}},
    {"sends from beyond tile memory", 1, 3, {SEND | 0x3ffff << 3, SENDOFF, RETURN}},
};

static const Broken whole_rows[] = {
    {NULL, 1, 1, {RETURN}},
    {NULL, 4, 4, {SEND, SENDOFF, SENDPIC_MUX, RETURN}},
    {NULL, 6, 6, {SEND_PAIR, 0, SEND_PAIR, 0, SENDOFF, RETURN}},
    {NULL, 5, 5, {SILENT_PAIR, 0, SEND, SEND, RETURN}},
    {NULL, 3, 3, {SEND | 0x3fffe << 3, SENDOFF, RETURN}},
    {NULL, 3, 3, {0x64000000 | 1471, 0x64000000 | 0x640, RETURN}},
};

static void check_rows(const Broken *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        RowReader reader;
        RowStep step;
        read_all(rows[i].words, rows[i].count, &reader, &step);
        assert_int_equal(reader.next, rows[i].at);
        if (rows[i].fault == NULL) {
            assert_null(reader.fault);
        } else {
            assert_non_null(reader.fault);
            assert_string_equal(reader.fault, rows[i].fault);
        }
    }
}

static void the_grammar_is_kept(void **state)
{
    (void)state;
    check_rows(broken_rows, sizeof broken_rows / sizeof *broken_rows);
    check_rows(whole_rows, sizeof whole_rows / sizeof *whole_rows);
}

static void a_fault_is_shown_where_it_stands(void **state)
{
    (void)state;
    static const uint32_t words[] = {DELAY, 0xdeadbeef, RETURN};
    Text text = {0};
    row_disassemble(words, 3, &text);
    row_disassemble(words, 1, &text);
    assert_string_equal(text_view(&text), "     0  [      0,       1)  delay\n"
                                          "     1  not a row: no instruction (0xdeadbeef)\n"
                                          "     0  [      0,       1)  delay\n"
                                          "     1  not a row: no return\n");
    text_free(&text);
}

/* 8192 delays of 0x80000 events are 2^32 events, one more than a time can count. */
static void time_does_not_wrap(void **state)
{
    (void)state;
    enum { DELAYS = 8192 };
    uint32_t *words = malloc((DELAYS + 1) * sizeof *words);
    assert_non_null(words);
    for (size_t i = 0; i < DELAYS; i++) {
        words[i] = 0x40a7ffff;
    }
    words[DELAYS] = RETURN;
    RowReader reader;
    RowStep step;
    assert_int_equal(read_all(words, DELAYS + 1, &reader, &step), DELAYS - 1);
    assert_string_equal(reader.fault, "too many events");

    words[DELAYS - 1] = 0x40a7fffe;
    assert_int_equal(read_all(words, DELAYS + 1, &reader, &step), DELAYS + 1);
    assert_null(reader.fault);
    assert_true(reader.time == UINT32_MAX);
    free(words);
}

/* ---- any words ---- */

/* Random words, every second row of them shaped like instructions so that rows get long; every step
 * must encode to itself, and the disassembler must survive as well. */
static void any_words_are_read_safely(void **state)
{
    (void)state;
    /* Bits of an instruction and those that may take any value. */
    static const uint32_t shapes[][2] = {
        {0x40a00000, 0x7ffff},
        {0x60000000, 0x3fbffff},
        {0x64000000, 0x3ffc3ff},
        {0x78000001, 0x7ffff0 | 2},
        {0x70000001, 0x7efc000},
        {0x70100000, 0x7e003ff},
        {0x70180000, 0x7e00000 | 0x3ff},
        {0xf0000001, 0x7ffff0 | 0xe000000},
        {0x43a00000, 0},
    };
    size_t whole = 0, steps = 0;
    for (unsigned round = 0; round < 40000; round++) {
        size_t count = random_next() % ROW_WORDS_MAX;
        /* Exactly as large as it says, so that a sanitizer sees a read beyond the end. */
        uint32_t *words = malloc((count + (count == 0)) * sizeof *words);
        assert_non_null(words);
        for (size_t i = 0; i < count; i++) {
            uint64_t random = random_next();
            words[i] = (uint32_t)random;
            if (round % 2 == 0) {
                const uint32_t *shape = shapes[(random >> 32) % (sizeof shapes / sizeof *shapes)];
                words[i] = shape[0] | (words[i] & shape[1]);
            }
        }
        RowReader reader = row_reader(words, count);
        RowStep step;
        while (row_read(&reader, &step)) {
            uint32_t again[2];
            unsigned length = instruction_encode(&step.instruction, again);
            assert_true(step.word + length <= count);
            assert_memory_equal(again, words + step.word, length * sizeof *words);
            assert_true(step.words == 0 || step.address + 4 * step.words <= 1u << 20);
            steps++;
        }
        assert_true(reader.next <= count);
        whole += reader.fault == NULL;

        Text text = {0};
        row_disassemble(words, count, &text);
        assert_true(text.length != 0 && text_ok(&text, NULL));
        text_free(&text);
        free(words);
    }
    print_message("# %zu steps read, %zu of 40000 were whole rows\n", steps, whole);
    assert_true(steps > 20000 && whole > 20);
}

/* ---- the reference rows ---- */

static size_t parse_row(const char *hex, uint32_t *words, size_t capacity)
{
    size_t count = strlen(hex) / 8;
    assert_true(count <= capacity);
    for (size_t i = 0; i < count; i++) {
        char digits[9] = {0};
        memcpy(digits, hex + 8 * i, 8);
        words[i] = (uint32_t)strtoul(digits, NULL, 16);
    }
    return count;
}

static const cJSON *expected_replay(const cJSON *expected, const char *key)
{
    char *mode;
    long number = strtol(key, &mode, 10);
    const cJSON *phase;
    cJSON_ArrayForEach(phase, cJSON_GetObjectItem(expected, "phases"))
    {
        if (cJSON_GetObjectItem(phase, "phase")->valueint == number) {
            const cJSON *modes = cJSON_GetObjectItem(phase, "modes");
            return cJSON_GetObjectItem(cJSON_GetObjectItem(modes, mode + 1), "replay");
        }
    }
    return NULL;
}

static int figure(const cJSON *replay, const char *key)
{
    const cJSON *value = cJSON_GetObjectItem(replay, key);
    assert_non_null(value);
    return value->valueint;
}

/* The rows of one phase in one mode, against the figures of its replay. */
static void check_reference_rows(const cJSON *rows, const cJSON *replay)
{
    static uint32_t words[1 << 16];
    uint32_t horizon = 0;
    size_t most = 0, total = 0;
    const cJSON *row;
    cJSON_ArrayForEach(row, rows)
    {
        RowReader reader;
        RowStep last;
        size_t count = parse_row(row->valuestring, words, sizeof words / sizeof *words);
        read_all(words, count, &reader, &last);
        assert_null(reader.fault);
        assert_int_equal(last.instruction.operation, OPERATION_RETURN);
        assert_int_equal(last.word, count - 1);
        horizon = reader.time > horizon ? reader.time : horizon;
        most = count > most ? count : most;
        total += count;
    }
    assert_int_equal(horizon, figure(replay, "horizon_cycles"));
    assert_int_equal(most, figure(replay, "maximum_row_words"));
    assert_int_equal(total, figure(replay, "total_row_words"));
}

static void reference_rows_are_whole(void **state)
{
    (void)state;
    if (reference_folder() == NULL) {
        skip();
    }
    size_t checked = 0;
    char **names = reference_names(".rows.json");
    for (char **name = names; *name != NULL; name++) {
        cJSON *rows = reference_json(*name, ".rows.json"),
              *expected = reference_json(*name, ".expected.json");
        const cJSON *mode;
        cJSON_ArrayForEach(mode, rows)
        {
            const cJSON *replay = expected_replay(expected, mode->string);
            assert_non_null(replay);
            check_reference_rows(mode, replay);
            checked++;
        }
        cJSON_Delete(rows);
        cJSON_Delete(expected);
    }
    reference_names_free(names);
    assert_true(checked > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_by_hand_has_its_steps),
        cmocka_unit_test(a_row_by_hand_reads_well),
        cmocka_unit_test(odd_fields_are_shown),
        cmocka_unit_test(the_grammar_is_kept),
        cmocka_unit_test(a_fault_is_shown_where_it_stands),
        cmocka_unit_test(time_does_not_wrap),
        cmocka_unit_test(any_words_are_read_safely),
        cmocka_unit_test(reference_rows_are_whole),
    };
    return cmocka_run_group_tests_name("row/decode", tests, NULL, NULL);
}
