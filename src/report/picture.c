#include "config.h"

#include "report/picture.h"

#include <inttypes.h>
#include <string.h>

#include "fabric/fabric.h"

enum {
    BAR_LINE = 18, /* all in units of the drawing, about a pixel each */
    BAR_NAME_WIDTH = 128,
    BAR_WIDTH = 150,
    BAR_VALUE_WIDTH = 92,
    SMALL_WIDTH = 96,
    CELL = 8,
    MAP_WIDTH = FABRIC_COLUMNS * 4,
    SHADES = 8
};

void number_append(Text *text, uint64_t number)
{
    char digits[32];
    size_t first = sizeof digits;
    for (unsigned place = 0; place == 0 || number != 0; place++) {
        if (place != 0 && place % 3 == 0) {
            digits[--first] = ',';
        }
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    }
    text_append_bytes(text, digits + first, sizeof digits - first);
}

/* In tenths of the drawing's unit, so that bars are exact without floating point. */
static void bar_append(Text *text, const char *class_name, unsigned x, unsigned y, unsigned height,
                       uint64_t value, uint64_t most, unsigned width)
{
    uint64_t tenths = most == 0 ? 0 : (uint64_t)((double)value / (double)most * width * 10 + 0.5);
    text_printf(text,
                "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%" PRIu64 ".%" PRIu64 "\" height=\"%u\"/>",
                class_name, x, y, tenths / 10, tenths % 10, height);
}

void picture_bars(Text *text, const char *title, const Bar *bars, size_t count)
{
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        most = bars[i].value > most ? bars[i].value : most;
    }
    text_printf(text,
                "<figure><figcaption>%s</figcaption><svg class=\"bars\" viewBox=\"0 0 %d %zu\" role=\"img\">",
                title, BAR_NAME_WIDTH + BAR_WIDTH + BAR_VALUE_WIDTH, count * BAR_LINE);
    text_printf(text, "<title>%s by mode:", title);
    for (size_t i = 0; i < count; i++) {
        text_printf(text, "%s %s ", i == 0 ? "" : ",", bars[i].name);
        number_append(text, bars[i].value);
        text_append(text, bars[i].invalid ? " (invalid)" : bars[i].best ? " (best)" : "");
    }
    text_append(text, "</title>");
    for (size_t i = 0; i < count; i++) {
        const Bar *bar = &bars[i];
        unsigned y = (unsigned)(i * BAR_LINE);
        const char *class_name = bar->invalid ? "invalid" : bar->best ? "best" : i == 0 ? "before" : "after";
        text_printf(text, "<text x=\"%d\" y=\"%u\" text-anchor=\"end\">%s%s</text>", BAR_NAME_WIDTH - 6,
                    y + 13, bar->best ? "\xe2\x98\x85 " : "", bar->name);
        bar_append(text, class_name, BAR_NAME_WIDTH, y + 3, BAR_LINE - 6, bar->value, most, BAR_WIDTH);
        unsigned end = most == 0 ? 0 : (unsigned)((double)bar->value / (double)most * BAR_WIDTH);
        text_printf(text, "<text x=\"%u\" y=\"%u\"%s>", BAR_NAME_WIDTH + end + 5, y + 13,
                    bar->invalid ? " class=\"struck\"" : "");
        number_append(text, bar->value);
        text_append(text, "</text>");
    }
    text_append(text, "</svg></figure>");
}

void picture_before_after(Text *text, uint64_t before, uint64_t after, const char *what)
{
    uint64_t most = before > after ? before : after;
    text_printf(text, "<svg class=\"small\" viewBox=\"0 0 %d 16\" role=\"img\"><title>%s: ", SMALL_WIDTH,
                what);
    number_append(text, before);
    text_append(text, " before, ");
    number_append(text, after);
    text_append(text, " after</title>");
    bar_append(text, "before", 0, 1, 6, before, most, SMALL_WIDTH);
    bar_append(text, "best", 0, 9, 6, after, most, SMALL_WIDTH);
    text_append(text, "</svg>");
}

/* 0 for a tile that takes no part, else 1 .. SHADES. */
static unsigned shade_of(uint32_t value, uint32_t scale)
{
    if (value == 0 || scale == 0) {
        return 0;
    }
    uint64_t shade = ((uint64_t)value * SHADES + scale - 1) / scale;
    return shade > SHADES ? SHADES : (unsigned)shade;
}

/* One path per shade; neighbours in a row that look alike are one piece. */
static void shade_append(Text *text, const unsigned char *shades, unsigned width, unsigned shade)
{
    bool any = false;
    for (unsigned y = 0; y < FABRIC_ROWS; y++) {
        for (unsigned x = 0; x < width; x++) {
            unsigned first = x;
            while (x < width && shades[y * MAP_WIDTH + x] == shade) {
                x++;
            }
            if (x > first) {
                text_append(text, any ? "" : "<path class=\"t");
                if (!any) {
                    text_printf(text, "%u\" d=\"", shade);
                }
                text_printf(text, "M%u %uh%uv1h-%uz", first, y, x - first, x - first);
                any = true;
            }
        }
    }
    text_append(text, any ? "\"/>" : "");
}

void picture_tiles(Text *text, const uint32_t *values, uint16_t tile_count, uint32_t scale, const char *name,
                   const char *what)
{
    enum { NO_TILE = 255 };
    unsigned char shades[FABRIC_ROWS * MAP_WIDTH];
    unsigned width = 4, active = 0, busiest = 0;
    memset(shades, NO_TILE, sizeof shades);
    for (unsigned tile = 0; tile < tile_count; tile++) {
        unsigned place = fabric_physical((uint16_t)tile);
        shades[place] = (unsigned char)shade_of(values[tile], scale);
        active += values[tile] != 0;
        busiest = values[tile] > values[busiest] ? tile : busiest;
        unsigned columns = (place % MAP_WIDTH / 4 + 1) * 4; /* of the drawing: whole columns of four tiles */
        width = columns > width ? columns : width;
    }
    text_printf(text, "<figure><figcaption>%s</figcaption>", name);
    text_printf(
        text,
        "<svg class=\"map\" viewBox=\"0 0 %u %d\" width=\"%u\" height=\"%d\" role=\"img\"><title>%s per "
        "tile, mode %s: ",
        width, FABRIC_ROWS, width * CELL, FABRIC_ROWS * CELL, what, name);
    number_append(text, active);
    text_append(text, " active tiles");
    if (active != 0) {
        text_append(text, ", at most ");
        number_append(text, values[busiest]);
        text_printf(text, " at tile %u", busiest);
    }
    text_append(text, "</title>");
    for (unsigned shade = 0; shade <= SHADES; shade++) {
        shade_append(text, shades, width, shade);
    }
    text_append(text, "</svg></figure>");
}
