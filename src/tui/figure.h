/* Numbers as the screens write them. Values are returned, so that they can be put straight into a call. */
#ifndef EXSCOPE_TUI_FIGURE_H
#define EXSCOPE_TUI_FIGURE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Figure {
    char text[32];
} Figure;

/* 1,234,567 */
Figure figure_count(uint64_t value);

/* Adds the mark of figures that must not be trusted. */
void figure_distrust(Figure *figure);

/* The same with a ! behind it when it is of a mode that is not valid. */
Figure figure_trusted(uint64_t value, bool distrusted);

/* At most five columns, for axes and bars: 950, 9,999, 12.3k, 1.23M, 123M. */
Figure figure_short(uint64_t value);

/* 0x4c000 */
Figure figure_address(uint32_t address);

/* What changed from `before` to `now`: "-617", "+12", "=" when nothing did. */
Figure figure_delta(uint64_t before, uint64_t now);

/* The same in percent of `before`: "-50%", "-3.2%", "+120%", "="; "" when `before` is 0. A change never
 * rounds to none. */
Figure figure_percent(uint64_t before, uint64_t now);

/* 0.12 s, 3.4 s, 2:05 min */
Figure figure_seconds(double seconds);

/* Columns that figure_count(value) takes. */
int figure_width(uint64_t value);

#endif
