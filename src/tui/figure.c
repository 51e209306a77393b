#include "config.h"

#include "tui/figure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

Figure figure_count(uint64_t value)
{
    char digits[24];
    Figure figure = {{0}};
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value), out = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            figure.text[out++] = ',';
        }
        figure.text[out++] = digits[i];
    }
    return figure;
}

void figure_distrust(Figure *figure)
{
    size_t length = strlen(figure->text);
    if (length + 1 < sizeof figure->text) {
        figure->text[length] = '!';
        figure->text[length + 1] = '\0';
    }
}

Figure figure_trusted(uint64_t value, bool distrusted)
{
    Figure figure = figure_count(value);
    if (distrusted) {
        figure_distrust(&figure);
    }
    return figure;
}

int figure_width(uint64_t value)
{
    int digits = 1;
    for (; value >= 10; value /= 10) {
        digits++;
    }
    return digits + (digits - 1) / 3;
}

Figure figure_short(uint64_t value)
{
    static const char units[] = "kMGTPE";
    Figure figure;
    if (value < 10000) {
        return figure_count(value);
    }
    double scaled = (double)value / 1000;
    int unit = 0;
    while (scaled >= 999.5) {
        scaled /= 1000;
        unit++;
    }
    snprintf(figure.text, sizeof figure.text, "%.*f%c",
             scaled < 9.995   ? 2
             : scaled < 99.95 ? 1
                              : 0,
             scaled, units[unit]);
    return figure;
}

Figure figure_address(uint32_t address)
{
    Figure figure;
    snprintf(figure.text, sizeof figure.text, "0x%" PRIx32, address);
    return figure;
}

Figure figure_delta(uint64_t before, uint64_t now)
{
    Figure figure = {"="};
    if (now != before) {
        Figure size = figure_count(now > before ? now - before : before - now);
        figure.text[0] = now > before ? '+' : '-';
        memcpy(figure.text + 1, size.text, sizeof figure.text - 1);
    }
    return figure;
}

Figure figure_percent(uint64_t before, uint64_t now)
{
    Figure figure = {"="};
    if (before == 0) {
        figure.text[0] = '\0';
    } else if (now != before) {
        double percent = ((double)now - (double)before) / (double)before * 100;
        double size = percent < 0 ? -percent : percent;
        if (size < 0.05) {
            snprintf(figure.text, sizeof figure.text, "%c0.1%%", percent < 0 ? '-' : '+');
        } else {
            snprintf(figure.text, sizeof figure.text, "%+.*f%%", size < 9.95 ? 1 : 0, percent);
        }
        if (now != 0 && strcmp(figure.text, "-100%") == 0) {
            snprintf(figure.text, sizeof figure.text, "-99.9%%");
        }
    }
    return figure;
}

Figure figure_seconds(double seconds)
{
    Figure figure;
    if (seconds < 59.95) {
        snprintf(figure.text, sizeof figure.text, "%.*f s",
                 seconds < 0.9995 ? 3
                 : seconds < 9.95 ? 2
                                  : 1,
                 seconds);
    } else {
        uint64_t whole = (uint64_t)(seconds + 0.5);
        snprintf(figure.text, sizeof figure.text, "%" PRIu64 ":%02u min", whole / 60, (unsigned)(whole % 60));
    }
    return figure;
}
