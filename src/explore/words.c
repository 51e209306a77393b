#include "config.h"

#include "explore/words.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

enum { WORD_MAX = 40 }; /* longer words are nobody's typing error */

bool word_number(const char *word, uint64_t low, uint64_t high, const char *what, uint64_t *number,
                 Error *error)
{
    uint64_t value = 0;
    bool good = word[0] != '\0';
    for (const char *c = word; good && *c != '\0'; c++) {
        good = *c >= '0' && *c <= '9' && !__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, (uint64_t)(*c - '0'), &value);
    }
    if (!good || value < low || value > high) {
        return error_set(error, ERROR_USAGE, "%s must be a number from %" PRIu64 " to %" PRIu64 ", not '%s'",
                         what, low, high, word);
    }
    *number = value;
    return true;
}

/* Optimal string alignment: insert, delete, replace, or swap two neighbours. */
static size_t word_distance(const char *left, const char *right)
{
    size_t rows[3][WORD_MAX + 1];
    size_t m = strlen(left), n = strlen(right);
    if (m > WORD_MAX || n > WORD_MAX) {
        return SIZE_MAX;
    }
    size_t *two_above = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= n; j++) {
        above[j] = j;
    }
    for (size_t i = 1; i <= m; i++) {
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = above[j - 1] + (left[i - 1] != right[j - 1]);
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] &&
                two_above[j - 2] + 1 < best) {
                best = two_above[j - 2] + 1;
            }
            row[j] = best;
        }
        size_t *spare = two_above;
        two_above = above;
        above = row;
        row = spare;
    }
    return above[n];
}

const char *word_nearest(const char *word, const char *const *choices)
{
    const char *nearest = NULL;
    size_t best = strlen(word) / 3 + 2; /* less than this many edits */
    for (; *choices != NULL; choices++) {
        size_t distance = word_distance(word, *choices);
        if (distance < best && distance < strlen(*choices)) {
            best = distance;
            nearest = *choices;
        }
    }
    return nearest;
}

bool word_is_like_none(const char *word, const char *const *choices)
{
    size_t length = strlen(word);
    if (word_nearest(word, choices) != NULL) {
        return false;
    }
    for (; length > 0 && *choices != NULL; choices++) {
        if (strncmp(*choices, word, length) == 0) {
            return false;
        }
    }
    return true;
}

static void append_choices(Text *text, const char *const *choices, const char *begin)
{
    size_t length = strlen(begin);
    bool any = false;
    for (; *choices != NULL; choices++) {
        if (strncmp(*choices, begin, length) == 0) {
            text_append(text, any ? ", " : "");
            text_append(text, *choices);
            any = true;
        }
    }
}

bool word_choose(const char *word, const char *const *choices, const char *what, uint32_t *index,
                 Error *error)
{
    size_t length = strlen(word);
    unsigned matches = 0;
    for (uint32_t i = 0; choices[i] != NULL; i++) {
        if (strcmp(choices[i], word) == 0) {
            *index = i;
            return true;
        }
        if (length > 0 && strncmp(choices[i], word, length) == 0) {
            *index = i;
            matches++;
        }
    }
    if (matches == 1) {
        return true;
    }
    Text list = {0};
    append_choices(&list, choices, matches == 0 ? "" : word);
    const char *nearest = word_nearest(word, choices);
    if (matches > 1) {
        error_set(error, ERROR_USAGE, "%s '%s' could be %s", what, word, text_view(&list));
    } else if (nearest != NULL) {
        error_set(error, ERROR_USAGE, "unknown %s '%s': did you mean %s?", what, word, nearest);
    } else {
        error_set(error, ERROR_USAGE, "unknown %s '%s': use one of %s", what, word, text_view(&list));
    }
    text_free(&list);
    return false;
}
