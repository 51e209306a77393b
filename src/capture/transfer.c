#include "config.h"

#include "capture/transfer.h"

#include <string.h>

void transfer_free(Transfer *transfer)
{
    vec_free(&transfer->addresses);
    vec_free(&transfer->tiles);
    vec_free(&transfer->tile_addresses);
}

/* ---- rules ---- */

static bool transfer_check_addresses(const uint32_t *addresses, size_t count, uint16_t words, Width width,
                                     const char *whose, Error *error)
{
    uint32_t unit = width == WIDTH_PAIRED64 ? 8 : 4;
    uint32_t last = ADDRESS_BYTES_END - 4u * words;
    for (size_t i = 0; i < count; i++) {
        if ((addresses[i] & (unit - 1)) != 0) {
            return error_set(error, ERROR_INPUT, "a %s address is %u, expected a multiple of %u for %s",
                             whose, addresses[i], unit, width == WIDTH_PAIRED64 ? "Paired64" : "Word32");
        }
        if (addresses[i] > last) {
            return error_set(error, ERROR_INPUT, "a %s address is %u, expected at most %u for %u words",
                             whose, addresses[i], last, words);
        }
    }
    return true;
}

static bool transfer_check_tiles(const uint16_t *tiles, size_t count, uint16_t tile_count, Error *error)
{
    uint64_t seen[(FABRIC_TILES + 63) / 64];
    if (count > 1) {
        memset(seen, 0, sizeof seen);
    }
    for (size_t i = 0; i < count; i++) {
        if (tiles[i] >= tile_count) {
            return error_set(error, ERROR_INPUT, "a destination is tile %u, expected a tile below %u",
                             tiles[i], tile_count);
        }
        if (count > 1) {
            uint64_t *set = &seen[tiles[i] / 64], bit = UINT64_C(1) << tiles[i] % 64;
            if ((*set & bit) != 0) {
                return error_set(error, ERROR_INPUT, "tile %u is twice among the destinations, expected once",
                                 tiles[i]);
            }
            *set |= bit;
        }
    }
    return true;
}

bool transfer_check(uint16_t source, uint16_t words, Width width, const uint32_t *addresses, size_t count,
                    const uint16_t *tiles, const uint32_t *tile_addresses, size_t receivers,
                    uint16_t tile_count, Error *error)
{
    if (source >= tile_count) {
        return error_set(error, ERROR_INPUT, "source is tile %u, expected a tile below %u", source,
                         tile_count);
    }
    if (words == 0 || words > TRANSFER_WORDS_MAX) {
        return error_set(error, ERROR_INPUT, "words is %u, expected 1 to %d", words, TRANSFER_WORDS_MAX);
    }
    if (width == WIDTH_PAIRED64 && words % 2 != 0) {
        return error_set(error, ERROR_INPUT, "words is %u, expected an even number for Paired64", words);
    }
    if (count == 0) {
        return error_set(error, ERROR_INPUT, "source_addresses is empty, expected at least one");
    }
    if (receivers == 0) {
        return error_set(error, ERROR_INPUT, "destinations is empty, expected at least one");
    }
    return transfer_check_addresses(addresses, count, words, width, "source", error) &&
           transfer_check_tiles(tiles, receivers, tile_count, error) &&
           transfer_check_addresses(tile_addresses, receivers, words, width, "destination", error);
}

/* ---- the fast way ---- */

static inline const char *scan_space(const char *c)
{
    while (*c == ' ' || *c == '\n' || *c == '\r' || *c == '\t') {
        c++;
    }
    return c;
}

/* A number of up to seven digits, all in one step: eight bytes are loaded, those that are no digits shifted
 * out, and the digits summed up in pairs, fours and eights. Returns NULL when there is no such number. */
static inline const char *scan_number(const char *c, uint32_t *value)
{
    uint64_t bytes;
    memcpy(&bytes, c, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    bytes ^= 0x3030303030303030u; /* digits are now 0 .. 9, first one lowest */
    uint64_t others = ((bytes + 0x7676767676767676u) | bytes) & 0x8080808080808080u;
    if (others == 0) {
        return NULL;
    }
    unsigned digits = (unsigned)__builtin_ctzll(others) / 8;
    if (digits == 0 || (digits > 1 && *c == '0')) {
        return NULL;
    }
    bytes <<= 64 - 8 * digits;
    bytes = (bytes * 2561) >> 8 & 0x00ff00ff00ff00ffu;     /* 10 * first + second */
    bytes = (bytes * 6553601) >> 16 & 0x0000ffff0000ffffu; /* 100 * first + second */
    *value = (uint32_t)((bytes * 42949672960001u) >> 32);  /* 10000 * first + second */
    return c + digits;
}

/* After an element: the place behind ',' with *more, or behind `close` without. */
static inline const char *scan_separator(const char *c, char close, bool *more)
{
    c = scan_space(c);
    *more = *c == ',';
    return *more ? scan_space(c + 1) : *c == close ? c + 1 : NULL;
}

static inline const char *scan_addresses(const char *c, Transfer *transfer)
{
    if (*c != '[') {
        return NULL;
    }
    c = scan_space(c + 1);
    size_t count = 0;
    for (bool more = true; more;) {
        if (count == transfer->addresses.capacity ||
            (c = scan_number(c, &transfer->addresses.items[count])) == NULL ||
            (c = scan_separator(c, ']', &more)) == NULL) {
            return NULL;
        }
        count++;
    }
    transfer->addresses.count = count;
    return c;
}

/* The value behind `key` (with its quotes), which stands at `c`. */
#define SCAN_KEY(c, key) (memcmp((c), (key), sizeof(key) - 1) == 0 ? scan_colon((c) + sizeof(key) - 1) : NULL)

static inline const char *scan_colon(const char *c)
{
    c = scan_space(c);
    return *c == ':' ? scan_space(c + 1) : NULL;
}

/* [tile, address] from the place behind '['. */
static inline const char *scan_endpoint_array(const char *c, uint32_t *tile, uint32_t *address)
{
    bool more;
    if ((c = scan_number(scan_space(c), tile)) == NULL || (c = scan_separator(c, ']', &more)) == NULL ||
        !more || (c = scan_number(c, address)) == NULL || (c = scan_separator(c, ']', &more)) == NULL ||
        more) {
        return NULL;
    }
    return c;
}

/* {"tile": t, "address": a} in either order, from the place behind '{'. */
static inline const char *scan_endpoint_object(const char *c, uint32_t *tile, uint32_t *address)
{
    bool more, tile_first;
    const char *value;
    c = scan_space(c);
    tile_first = (value = SCAN_KEY(c, "\"tile\"")) != NULL;
    if (!tile_first && (value = SCAN_KEY(c, "\"address\"")) == NULL) {
        return NULL;
    }
    if ((c = scan_number(value, tile_first ? tile : address)) == NULL ||
        (c = scan_separator(c, '}', &more)) == NULL || !more) {
        return NULL;
    }
    value = tile_first ? SCAN_KEY(c, "\"address\"") : SCAN_KEY(c, "\"tile\"");
    if (value == NULL || (c = scan_number(value, tile_first ? address : tile)) == NULL ||
        (c = scan_separator(c, '}', &more)) == NULL || more) {
        return NULL;
    }
    return c;
}

static inline const char *scan_destinations(const char *c, Transfer *transfer)
{
    if (*c != '[') {
        return NULL;
    }
    c = scan_space(c + 1);
    transfer->spelling = *c == '{' ? ENDPOINT_OBJECT : ENDPOINT_ARRAY;
    size_t count = 0, room = transfer->tiles.capacity;
    room = transfer->tile_addresses.capacity < room ? transfer->tile_addresses.capacity : room;
    for (bool more = true; more;) {
        uint32_t tile;
        if (count == room) {
            return NULL;
        }
        uint32_t *address = &transfer->tile_addresses.items[count];
        c = *c == '['   ? scan_endpoint_array(c + 1, &tile, address)
            : *c == '{' ? scan_endpoint_object(c + 1, &tile, address)
                        : NULL;
        if (c == NULL || tile > UINT16_MAX || (c = scan_separator(c, ']', &more)) == NULL) {
            return NULL;
        }
        transfer->tiles.items[count++] = (uint16_t)tile;
    }
    transfer->tiles.count = transfer->tile_addresses.count = count;
    return c;
}

static inline const char *scan_column(const char *c, uint16_t *column)
{
    uint32_t value;
    c = scan_number(c, &value);
    if (c == NULL || value > UINT16_MAX) {
        return NULL;
    }
    *column = (uint16_t)value;
    return c;
}

static inline const char *scan_width(const char *c, Width *width)
{
    static const char word[] = "\"Word32\"", paired[] = "\"Paired64\"";
    if (memcmp(c, word, sizeof word - 1) == 0) {
        *width = WIDTH_WORD32;
        return c + sizeof word - 1;
    }
    *width = WIDTH_PAIRED64;
    return memcmp(c, paired, sizeof paired - 1) == 0 ? c + sizeof paired - 1 : NULL;
}

const char *transfer_scan(const char *text, Transfer *transfer)
{
    enum { SOURCE = 1, ADDRESSES = 2, DESTINATIONS = 4, WORDS = 8, WIDTH = 16, NEEDED = 15 };
    unsigned seen = 0;
    const char *c = scan_space(text + 1), *value;
    transfer->width = WIDTH_WORD32;
    for (bool more = true; more;) {
        unsigned member;
        if ((value = SCAN_KEY(c, "\"source\"")) != NULL) {
            member = SOURCE;
            c = scan_column(value, &transfer->source);
        } else if ((value = SCAN_KEY(c, "\"source_addresses\"")) != NULL) {
            member = ADDRESSES;
            c = scan_addresses(value, transfer);
        } else if ((value = SCAN_KEY(c, "\"destinations\"")) != NULL) {
            member = DESTINATIONS;
            c = scan_destinations(value, transfer);
        } else if ((value = SCAN_KEY(c, "\"words\"")) != NULL) {
            member = WORDS;
            c = scan_column(value, &transfer->words);
        } else if ((value = SCAN_KEY(c, "\"width\"")) != NULL) {
            member = WIDTH;
            c = scan_width(value, &transfer->width);
        } else {
            return NULL;
        }
        if (c == NULL || (seen & member) != 0 || (c = scan_separator(c, '}', &more)) == NULL) {
            return NULL;
        }
        seen |= member;
    }
    return (seen & NEEDED) == NEEDED ? c : NULL;
}
