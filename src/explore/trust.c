#include "config.h"

#include "explore/trust.h"

Trust trust_of(const Equivalence *equivalence)
{
    if (equivalence == NULL || equivalence->verdict == VERDICT_UNKNOWN) {
        return TRUST_UNKNOWN;
    }
    if (equivalence->verdict == VERDICT_DIFFERENT) {
        return TRUST_DIFFERENT;
    }
    return equivalence->valid ? TRUST_VALID : TRUST_REORDERED;
}

const char *trust_words(Trust trust)
{
    switch (trust) {
    case TRUST_VALID:
        return "equivalent";
    case TRUST_UNKNOWN:
        return "UNKNOWN: not proved";
    case TRUST_DIFFERENT:
        return "INVALID: not equivalent";
    case TRUST_REORDERED:
        return "INVALID: ignores dependencies";
    }
    return "";
}

bool trust_best(const uint64_t *values, const bool *stand, size_t count, uint64_t *best)
{
    uint64_t most = 0;
    *best = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        if (stand[i]) {
            *best = values[i] < *best ? values[i] : *best;
            most = values[i] > most ? values[i] : most;
        }
    }
    return *best < most;
}
