/* The decoder on arbitrary words: it reads each word once, time only goes forward, what it decodes encodes to
 * the same words, and the listing is plain text with a line for every step. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "row/disassemble.h"

static size_t check_steps(const uint32_t *words, size_t count)
{
    RowReader reader = row_reader(words, count);
    RowStep step;
    size_t steps = 0, word = 0;
    uint32_t time = 0, control = 0;
    while (row_read(&reader, &step)) {
        uint32_t again[2];
        unsigned taken = instruction_encode(&step.instruction, again);
        FUZZ_CHECK(step.word == word && word + taken <= count, "word %zu of %zu", step.word, count);
        FUZZ_CHECK(memcmp(again, words + word, taken * sizeof *words) == 0, "word %zu", word);
        FUZZ_CHECK(step.start == time && step.end >= step.start, "word %zu", word);
        FUZZ_CHECK(step.end - step.start == instruction_events(&step.instruction), "word %zu", word);
        FUZZ_CHECK(step.words <= step.end - step.start, "word %zu", word);
        FUZZ_CHECK(step.words == 0 || step.address + 4ull * step.words <= ADDRESS_BYTES_END, "word %zu",
                   word);
        if (step.sets_pointer || step.sets_mux) {
            FUZZ_CHECK(step.control > control || (steps == 0 && step.control == 0), "word %zu", word);
            FUZZ_CHECK(step.control > step.start && step.control <= step.end, "word %zu", word);
            control = step.control;
        }
        word += taken;
        time = step.end;
        steps++;
    }
    FUZZ_CHECK(reader.fault != NULL || (word == count && words[count - 1] == ROW_RETURN), "ends at %zu",
               word);
    FUZZ_CHECK(!row_read(&reader, &step), "reads on");
    return steps + (reader.fault != NULL);
}

static void check_listing(const uint32_t *words, size_t count, size_t lines)
{
    Text text = {0};
    row_disassemble(words, count, &text);
    size_t found = 0;
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.bytes[i];
        found += c == '\n';
        FUZZ_CHECK(c == '\n' || (c >= 0x20 && c < 0x7f), "byte 0x%02x", c);
    }
    FUZZ_CHECK(found == lines, "%zu lines, %zu steps", found, lines);
    text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count = size / sizeof(uint32_t);
    uint32_t *words = malloc(count == 0 ? 1 : count * sizeof *words);
    FUZZ_CHECK(words != NULL, "memory");
    if (count > 0) {
        memcpy(words, data, count * sizeof *words);
    }
    check_listing(words, count, check_steps(words, count));
    free(words);
    return 0;
}
