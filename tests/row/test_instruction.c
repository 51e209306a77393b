/* The instruction table: hand-assembled words, limits of every field, and round trips. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "row/instruction.h"

typedef struct Case {
    Instruction instruction;
    uint32_t words[2];
} Case;

/* Assembled by hand from the table of the page, each field once at its largest value. */
static const Case cases[] = {
    {{.operation = OPERATION_DELAY}, {0x40a00000}},
    {{.operation = OPERATION_DELAY, .count = 0x7ffff}, {0x40a7ffff}},
    {{.operation = OPERATION_DELAY_POINTER, .count = 3, .pointer = 0x13000}, {0x60193000}},
    {{.operation = OPERATION_DELAY_POINTER, .count = 127, .pointer_selector = 1, .pointer = 0x3ffff},
     {0x63ffffff}},
    {{.operation = OPERATION_DELAY_MUX, .count = 15, .mux = MUX_NEUTRAL}, {0x6403c640}},
    {{.operation = OPERATION_DELAY_MUX, .count = 4095, .mux_selector = 1, .mux = 0x1fff}, {0x67ffffff}},
    {{.operation = OPERATION_SEND, .address = 0x14000, .sctl = 1}, {0x780a0001}},
    {{.operation = OPERATION_SEND, .count = 63, .address = 0x3ffff, .sctl = 7}, {0x7fffffff}},
    {{.operation = OPERATION_SENDOFF, .count = 64, .sctl = 2}, {0x70004002}},
    {{.operation = OPERATION_SENDOFF, .count = 4095, .delta = 0x7ff, .sctl = 7}, {0x77efffff}},
    {{.operation = OPERATION_SENDPIC_MUX, .count = 2, .mux = 5}, {0x70500005}},
    {{.operation = OPERATION_SENDPIC_MUX, .count = 63, .mux_selector = 1, .mux = 0x3ffff}, {0x77f7ffff}},
    {{.operation = OPERATION_SENDPIC_POINTER, .count = 2, .pointer = 5}, {0x70580005}},
    {{.operation = OPERATION_SENDPIC_POINTER, .count = 63, .pointer_selector = 1, .pointer = 0x3ffff},
     {0x77ffffff}},
    {{.operation = OPERATION_SENDPICP, .count = 9, .mux = 0x640, .pointer = 0x13001},
     {0xf1200000, 0x19013001}},
    {{.operation = OPERATION_SENDPICP,
      .count = 63,
      .address = 0x3ffff,
      .sctl = 3,
      .pointer_selector = 1,
      .pointer = 0x3ffff,
      .mux_selector = 1,
      .mux = 0x1fff},
     {0xfffffffb, 0xffffffff}},
    {{.operation = OPERATION_RETURN}, {0x43a00000}},
};

enum { CASES = sizeof cases / sizeof *cases };

static void encodes_hand_assembled_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        uint32_t words[2] = {0xdeadbeef, 0xdeadbeef};
        unsigned length = instruction_encode(&cases[i].instruction, words);
        assert_int_equal(length, operation_words(cases[i].instruction.operation));
        assert_memory_equal(words, cases[i].words, length * sizeof *words);
    }
}

static void decodes_hand_assembled_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        Instruction instruction;
        unsigned length = operation_words(cases[i].instruction.operation);
        assert_int_equal(instruction_decode(cases[i].words, length, &instruction), length);
        assert_memory_equal(&instruction, &cases[i].instruction, sizeof instruction);
    }
}

static void advances_by_its_events(void **state)
{
    (void)state;
    assert_int_equal(instruction_events(&cases[0].instruction), 1);
    assert_int_equal(instruction_events(&cases[1].instruction), DELAY_EVENTS_MAX);
    assert_int_equal(instruction_events(&cases[9].instruction), SENDOFF_EVENTS_MAX);
    assert_int_equal(instruction_events(&cases[CASES - 1].instruction), 0);
}

static void whatever_decodes_encodes_to_the_same_words(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u;
    unsigned decoded[OPERATION_COUNT] = {0};
    for (unsigned i = 0; i < 400000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        uint32_t words[2] = {(uint32_t)random, (uint32_t)(random >> 32)}, again[2];
        if (i % 4 == 0) {
            words[0] = 0x40a00000 | (words[0] & 0x7ffff);
        } else if (i % 4 == 1) {
            words[0] = 0x60000000 | (words[0] & 0x1fffffff);
        }
        Instruction instruction;
        unsigned length = instruction_decode(words, 2, &instruction);
        if (length != 0) {
            decoded[instruction.operation]++;
            assert_int_equal(instruction_encode(&instruction, again), length);
            assert_memory_equal(again, words, length * sizeof *words);
        }
    }
    for (unsigned operation = 0; operation < OPERATION_RETURN; operation++) {
        assert_true(decoded[operation] > 1000);
    }
}

static void refuses_what_is_no_instruction(void **state)
{
    (void)state;
    static const uint32_t words[] = {0,          0x40a80000, 0x409fffff, 0x43a00001, 0x43a80000,
                                     0x5fffffff, 0x68000000, 0x6fffffff, 0x80000000, 0xefffffff};
    Instruction instruction;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_int_equal(instruction_decode(&words[i], 1, &instruction), 0);
    }
    assert_int_equal(instruction_decode(cases[0].words, 0, &instruction), 0);
    static const uint32_t cut[] = {0xf1200000};
    assert_int_equal(instruction_decode(cut, 1, &instruction), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodes_hand_assembled_words),
        cmocka_unit_test(decodes_hand_assembled_words),
        cmocka_unit_test(advances_by_its_events),
        cmocka_unit_test(whatever_decodes_encodes_to_the_same_words),
        cmocka_unit_test(refuses_what_is_no_instruction),
    };
    return cmocka_run_group_tests_name("row/instruction", tests, NULL, NULL);
}
