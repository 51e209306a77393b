#include "config.h"

#include "transform/modes.h"

#include <string.h>

typedef struct ModeText {
    char letter;
    const char *name;
    const char *script_name;
    const char *summary;
} ModeText;

static const ModeText mode_texts[MODE_COUNT] = {
    [MODE_ORIGINAL] = {'o', "original", "original", "the phase as captured"},
    [MODE_COALESCED] = {'c', "coalesced", "coalesced",
                        "group by route, sort, merge contiguous runs; original addresses"},
    [MODE_SOURCE] = {'s', "source", "source",
                     "gather into a staging buffer at the sender, send it contiguously, no scatter"},
    [MODE_RECEIVER] = {'r', "receiver", "destination",
                       "send from the original place into a buffer at the receiver, then scatter"},
    [MODE_BOTH] = {'b', "both", "both", "gather at the sender and scatter at the receiver"},
    [MODE_COALESCED_PREFIX] = {'p', "coalesced-prefix", "coalesced-prefix",
                               "coalesce the independent prefix, then the dependency tail as captured"},
    [MODE_COALESCED_LEVELS] = {'l', "coalesced-levels", "coalesced-levels",
                               "coalesce each dependency depth on its own, in ascending order"},
    [MODE_REORDERED] = {'x', "reordered", "reordered",
                        "the rejected control: coalesce the whole phase in spite of its dependencies"},
};

const char *mode_name(Mode mode)
{
    return mode_texts[mode].name;
}

const char *mode_script_name(Mode mode)
{
    return mode_texts[mode].script_name;
}

char mode_letter(Mode mode)
{
    return mode_texts[mode].letter;
}

const char *mode_summary(Mode mode)
{
    return mode_texts[mode].summary;
}

bool mode_parse(const char *text, Mode *mode)
{
    for (Mode m = MODE_ORIGINAL; m < MODE_COUNT; m++) {
        const ModeText *known = &mode_texts[m];
        if (strcmp(text, known->name) == 0 || strcmp(text, known->script_name) == 0 ||
            (text[0] == known->letter && text[1] == '\0')) {
            *mode = m;
            return true;
        }
    }
    return false;
}

bool mode_stages_source(Mode mode)
{
    return mode == MODE_SOURCE || mode == MODE_BOTH;
}

bool mode_stages_receiver(Mode mode)
{
    return mode == MODE_RECEIVER || mode == MODE_BOTH;
}

const char *mode_refusal(Mode mode, const Dependencies *dependencies)
{
    if (mode != MODE_COALESCED && !mode_stages_source(mode) && !mode_stages_receiver(mode)) {
        return NULL;
    }
    if (dependencies->read_write_overlap && dependencies->write_write_overlap) {
        return "the phase reads bytes that it also writes, and writes some bytes twice";
    }
    if (dependencies->read_write_overlap) {
        return "the phase reads bytes that it also writes";
    }
    return dependencies->write_write_overlap ? "the phase writes some bytes twice" : NULL;
}
