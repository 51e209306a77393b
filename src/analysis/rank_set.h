/* A set of small numbers with fast neighbours: every operation takes log64 of the size. */
#ifndef EXSCOPE_ANALYSIS_RANK_SET_H
#define EXSCOPE_ANALYSIS_RANK_SET_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

enum { RANK_SET_LEVELS = 6 }; /* 64^6 > 2^32 */

#define RANK_NONE UINT32_MAX

/* A bit of level k + 1 says that a word of level k is not 0; the last level is one word. */
typedef struct RankSet {
    uint64_t *bits[RANK_SET_LEVELS];
    size_t words[RANK_SET_LEVELS];
    unsigned levels;
} RankSet;

/* An empty set of numbers below `size`. Free with rank_set_free, also after a failure. */
static inline bool rank_set_init(RankSet *set, size_t size, Error *error)
{
    *set = (RankSet){0};
    do {
        size = (size + 63) / 64;
        set->bits[set->levels] = mem_zero(size, sizeof(uint64_t), error);
        if (set->bits[set->levels] == NULL) {
            return false;
        }
        set->words[set->levels++] = size;
    } while (size > 1);
    return true;
}

static inline void rank_set_free(RankSet *set)
{
    for (unsigned level = 0; level < RANK_SET_LEVELS; level++) {
        mem_free(set->bits[level]);
    }
    *set = (RankSet){0};
}

static inline bool rank_set_has(const RankSet *set, uint32_t rank)
{
    return (set->bits[0][rank >> 6] >> (rank & 63) & 1) != 0;
}

static inline void rank_set_insert(RankSet *set, uint32_t rank)
{
    for (unsigned level = 0; level < set->levels; level++, rank >>= 6) {
        set->bits[level][rank >> 6] |= UINT64_C(1) << (rank & 63);
    }
}

static inline void rank_set_remove(RankSet *set, uint32_t rank)
{
    for (unsigned level = 0; level < set->levels; level++, rank >>= 6) {
        set->bits[level][rank >> 6] &= ~(UINT64_C(1) << (rank & 63));
        if (set->bits[level][rank >> 6] != 0) {
            return;
        }
    }
}

/* The smallest member that is `from` or more, RANK_NONE when there is none. */
static inline uint32_t rank_set_next(const RankSet *set, uint64_t from)
{
    for (unsigned level = 0; level < set->levels && from >> 6 < set->words[level]; level++) {
        uint64_t bits = set->bits[level][from >> 6] & (~UINT64_C(0) << (from & 63));
        if (bits != 0) {
            from = (from & ~UINT64_C(63)) | (unsigned)__builtin_ctzll(bits);
            while (level-- > 0) {
                from = from << 6 | (unsigned)__builtin_ctzll(set->bits[level][from]);
            }
            return (uint32_t)from;
        }
        from = (from >> 6) + 1;
    }
    return RANK_NONE;
}

/* The largest member below `before`, RANK_NONE when there is none. */
static inline uint32_t rank_set_previous(const RankSet *set, uint32_t before)
{
    uint64_t end = before;
    for (unsigned level = 0; level < set->levels && end > 0; level++) {
        uint64_t last = end - 1;
        uint64_t bits = set->bits[level][last >> 6] & (~UINT64_C(0) >> (63 - (last & 63)));
        if (bits != 0) {
            last = (last & ~UINT64_C(63)) | (63 - (unsigned)__builtin_clzll(bits));
            while (level-- > 0) {
                last = last << 6 | (63 - (unsigned)__builtin_clzll(set->bits[level][last]));
            }
            return (uint32_t)last;
        }
        end = last >> 6;
    }
    return RANK_NONE;
}

#endif
