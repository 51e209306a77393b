/* The fabric: against values worked out from the page apart from this program, against the page's formulas
 * written plainly, and as properties over every pair of tiles. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fabric/fabric.h"

/* ---- the page's formulas, as they stand there ---- */

static int page_column(int p)
{
    return (p >> 2) & 15;
}

static int page_edge(int p)
{
    return page_column(p) > 7 ? (page_column(p) * 4) ^ 60 : page_column(p) * 4;
}

static int page_fold(int p)
{
    return page_column(p) > 7 ? page_column(p) ^ 15 : page_column(p);
}

static int page_displacement(int s, int t)
{
    int d = 6 * (page_fold(t) - (page_fold(s) + ((page_column(s) >> 3) ^ (s & 1))));
    int h = page_column(t) >> 3;
    if ((t & 3) > 1) {
        return d + (h == (t & 1) ? 2 : 4);
    }
    return d + (h == (t & 3) ? 1 : 5);
}

static int page_time_to_mux(int s, int t)
{
    int l = ((s >> 2) & 8) | ((s >> 3) & 3);
    int turn = (s & 32) == (t & 32) ? ((s >> 2) & 7) + 1 : 16 - ((s >> 2) & 7);
    int d = page_displacement(s, t);
    return l - page_column(t) + ((((s >> 2) & 7) >> 1) ^ 3) + page_edge(s) + turn - page_edge(t) +
           2 * ((s >> 6) - (t >> 6)) + (d < 0 ? -d : d) - 34;
}

/* ---- tests ---- */

static void physical_numbers_are_the_known_ones(void **state)
{
    (void)state;
    static const uint16_t known[][2] = {
        {0, 0},     {1, 2},    {2, 64},     {3, 66},      {44, 1408},   {45, 1410},  {46, 1409},
        {47, 1411}, {91, 3},   {92, 4},     {93, 6},      {137, 1414},  {138, 1413}, {735, 31},
        {736, 32},  {737, 34}, {1000, 361}, {1425, 1470}, {1426, 1469}, {1470, 61},  {1471, 63},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(fabric_physical(known[i][0]), known[i][1]);
        assert_int_equal(fabric_logical(known[i][1]), known[i][0]);
    }
}

static void physical_numbers_are_a_permutation(void **state)
{
    (void)state;
    static uint8_t seen[FABRIC_TILES];
    for (uint16_t t = 0; t < FABRIC_TILES; t++) {
        uint16_t physical = fabric_physical(t);
        assert_true(physical < FABRIC_TILES);
        assert_int_equal(seen[physical]++, 0);
        assert_int_equal(fabric_logical(physical), t);
    }
}

static void tiles_know_their_place(void **state)
{
    (void)state;
    for (uint16_t t = 0; t < FABRIC_TILES; t++) {
        FabricTile tile = fabric_tile(t);
        assert_int_equal(tile.physical, fabric_physical(t));
        assert_int_equal(tile.row, tile.physical / 64);
        assert_int_equal(tile.column, tile.physical % 64 / 4);
        assert_true(tile.row < FABRIC_ROWS && tile.column < FABRIC_COLUMNS);
    }
}

/* Logical source and receiver, displacement, direction, time to mux. The first by hand: tile 0 is physical 0,
 * tile 1 physical 2; both in column 0, so the displacement is the receiver's 2 (place 2, half 0 = low bit 0),
 * and the time 0 - 0 + (0 ^ 3) + 0 + 1 - 0 + 0 + 2 - 34. */
static const struct {
    uint16_t source, receiver;
    int displacement;
    unsigned direction;
    int time;
} routes[] = {
    {0, 1, 2, 1, -28},      {0, 0, 1, 1, -29},       {1, 0, 1, 1, -29},       {0, 46, 5, 1, -69},
    {46, 0, -5, 2, 19},     {0, 1471, 2, 1, -28},    {1471, 0, 1, 1, -13},    {735, 736, -1, 2, -29},
    {736, 735, -2, 2, -12}, {92, 91, -2, 2, -23},    {1275, 523, 22, 1, -23}, {734, 1414, -43, 2, 0},
    {1335, 1085, 20, 1, 7}, {59, 953, 28, 1, -17},   {510, 1329, -26, 2, 8},  {106, 321, 14, 1, -56},
    {231, 761, 28, 1, 3},   {960, 504, -5, 2, -13},  {779, 1113, -26, 2, 42}, {208, 1175, 8, 1, -21},
    {510, 26, -35, 2, 44},  {443, 835, 10, 1, -16},  {572, 372, -11, 2, 7},   {797, 326, -19, 2, 15},
    {147, 284, 7, 1, -5},   {1265, 1264, 1, 1, -29}, {911, 259, -20, 2, 18},  {270, 3, -16, 2, -2},
    {10, 428, 29, 1, -41},  {441, 339, -8, 2, -27},  {340, 592, 13, 1, -46},  {642, 407, -16, 2, -42},
};

static void routes_have_the_known_times(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        FabricTile source = fabric_tile(routes[i].source), receiver = fabric_tile(routes[i].receiver);
        assert_int_equal(fabric_displacement(&source, &receiver), routes[i].displacement);
        assert_int_equal(fabric_direction(&source, &receiver), routes[i].direction);
        assert_int_equal(fabric_time_to_mux(&source, &receiver), routes[i].time);
    }
}

/* The extremes and sums were worked out apart from this program. */
static void every_route_follows_the_page(void **state)
{
    (void)state;
    static FabricTile tiles[FABRIC_TILES];
    for (uint16_t t = 0; t < FABRIC_TILES; t++) {
        tiles[t] = fabric_tile(t);
    }
    long sum = 0, left = 0, differences = 0;
    int least = 0, most = 0;
    for (uint16_t s = 0; s < FABRIC_TILES; s++) {
        for (uint16_t t = 0; t < FABRIC_TILES; t++) {
            int time = fabric_time_to_mux(&tiles[s], &tiles[t]);
            int displacement = fabric_displacement(&tiles[s], &tiles[t]);
            unsigned direction = fabric_direction(&tiles[s], &tiles[t]);
            differences += time != page_time_to_mux(tiles[s].physical, tiles[t].physical);
            differences += displacement != page_displacement(tiles[s].physical, tiles[t].physical);
            differences += direction != (displacement < 1 ? 2u : 1u);
            least = time < least ? time : least;
            most = time > most ? time : most;
            sum += time;
            left += direction == 2;
        }
    }
    assert_int_equal(differences, 0);
    assert_int_equal(least, -78);
    assert_int_equal(most, 112);
    assert_int_equal(sum, -21396992);
    assert_int_equal(left, 1083392);
}

static void spans_touch_the_known_elements(void **state)
{
    (void)state;
    static const struct {
        uint32_t address, bytes;
        uint64_t elements;
    } spans[] = {
        {0, 0, 0},
        {0xfffff, 0, 0},
        {0, 4, 1},
        {0x3ffc, 4, 1},
        {0x3ffc, 8, 3},
        {0x4000, 4, 2},
        {0x4c000, 4, UINT64_C(1) << 19},
        {0x4c000, 0x4000, UINT64_C(1) << 19},
        {0x4bffc, 0x4008, UINT64_C(7) << 18},
        {0x7c000, 0x4000, UINT64_C(1) << 31},
        {0x7fffc, 8, UINT64_C(3) << 31}, /* the last plain and the first interleaved one */
        {0x80000, 4, UINT64_C(1) << 32},
        {0x87ffc, 4, UINT64_C(1) << 32},
        {0x84000, 0x4004, UINT64_C(3) << 32},
        {0xe7ffc, 4, UINT64_C(1) << 44},
        {0xffffc, 4, UINT64_C(1) << 47},
        {0, 1 << 20, (UINT64_C(1) << 48) - 1},
    };
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        assert_true(fabric_elements(spans[i].address, spans[i].bytes) == spans[i].elements);
    }
}

/* Word by word, with the page's two divisions. */
static void spans_touch_what_their_words_touch(void **state)
{
    (void)state;
    uint32_t address = 0;
    for (uint32_t step = 1; address < ADDRESS_BYTES_END - 4 * TRANSFER_WORDS_MAX; step++) {
        uint32_t words = step * 7919 % TRANSFER_WORDS_MAX + 1;
        uint64_t elements = 0;
        for (uint32_t a = address; a < address + 4 * words; a += 4) {
            elements |=
                a < 0x80000 ? UINT64_C(1) << a / 0x4000 : UINT64_C(1) << (32 + (a - 0x80000) / 0x8000);
        }
        assert_true(fabric_elements(address, 4 * words) == elements);
        address += step * 104729 % 4096 * 4;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(physical_numbers_are_the_known_ones),
        cmocka_unit_test(physical_numbers_are_a_permutation),
        cmocka_unit_test(tiles_know_their_place),
        cmocka_unit_test(routes_have_the_known_times),
        cmocka_unit_test(every_route_follows_the_page),
        cmocka_unit_test(spans_touch_the_known_elements),
        cmocka_unit_test(spans_touch_what_their_words_touch),
    };
    return cmocka_run_group_tests_name("fabric", tests, NULL, NULL);
}
