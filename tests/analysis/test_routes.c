/* Geometry and routes: hand-worked phases, and random ones against comparisons of whole tuples. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/geometry.h"
#include "analysis/routes.h"
#include "support.h"

/* ---- geometry ---- */

static void geometry_of_an_empty_phase(void **state)
{
    (void)state;
    Phase *phase = support_phase("");
    Geometry geometry;
    assert_true(geometry_compute(phase, 4, NULL, &geometry, NULL));
    assert_int_equal(geometry.busiest_tile, -1);
    assert_int_equal(geometry.transfers, 0);
    assert_int_equal(geometry.maximum_endpoint_fragments, 0);
    phase_free(phase);
}

static void geometry_counts_both_roles(void **state)
{
    (void)state;
    /* tile 0: 2 sends, 1 receive of its own; tile 1: 1 send, 2 receives: a tie that the lower tile wins */
    Phase *phase = support_phase("0@0 > 1@10,2@10 x 4; 0@4 > 0@20,1@14 x 2; 1@0 > 3@0 x 10");
    TileFigures tiles[4];
    Geometry geometry;
    assert_true(geometry_compute(phase, 4, tiles, &geometry, NULL));
    assert_int_equal(geometry.transfers, 3);
    assert_int_equal(geometry.receive_fragments, 5);
    assert_int_equal(geometry.maximum_endpoint_fragments, 3);
    assert_int_equal(geometry.busiest_tile, 0);
    assert_int_equal(geometry.transmitted_bytes, 4 * (4 + 2 + 10));
    assert_int_equal(geometry.received_bytes, 4 * (8 + 4 + 10));
    assert_int_equal(geometry.maximum_outgoing_bytes, 40);
    assert_int_equal(geometry.maximum_incoming_bytes, 40);
    assert_int_equal(tiles[0].send_fragments, 2);
    assert_int_equal(tiles[0].receive_fragments, 1);
    assert_int_equal(tiles[1].received_bytes, 24);
    assert_int_equal(tiles[2].sent_bytes, 0);
    phase_free(phase);
}

/* ---- routes ---- */

static void expect_order(const char *text, const uint32_t *level, RouteMembers by, const uint32_t *expected,
                         uint32_t routes)
{
    Phase *phase = support_phase(text);
    Routes found;
    assert_true(routes_group(phase, NULL, phase->transfers, level, by, NULL, &found, NULL));
    assert_int_equal(found.count, routes);
    assert_int_equal(found.members, phase->transfers);
    for (uint32_t k = 0; k < phase->transfers; k++) {
        assert_int_equal(found.order[k], expected[k]);
    }
    routes_free(&found);
    phase_free(phase);
}

static void routes_ascend_by_source_and_receivers(void **state)
{
    (void)state;
    /* receivers compare sorted by tile, and a tuple comes after its own beginning */
    const char *text =
        "1@0 > 0@0 x 1; 0@0 > 2@0,1@0 x 1; 0@0 > 2@9 x 1; 0@0 > 1@0 x 1; 0@0 > 3@0,2@0,1@0 x 1; "
        "0@9 > 1@0,2@0 x 1";
    expect_order(text, NULL, ROUTE_MEMBERS_IN_ORDER, (const uint32_t[]){3, 1, 5, 4, 2, 0}, 5);
}

static void members_ascend_by_whole_tuples(void **state)
{
    (void)state;
    /* The repeated entries of a list count: 5 < 5,5 < 5,5,5,6 < 5,6; equal lists keep their order. */
    const char *text =
        "0@5,6 > 1@0 x 1; 0@5,5,5,6 > 1@8 x 1; 0@5,5 > 1@1 x 1; 0@5 > 1@9 x 1; 0@4,9 > 1@2 x 1; "
        "0@5 > 1@3 x 1";
    expect_order(text, NULL, ROUTE_MEMBERS_BY_SOURCE_ADDRESS, (const uint32_t[]){4, 3, 5, 2, 1, 0}, 1);
    expect_order(text, NULL, ROUTE_MEMBERS_BY_RECEIVER_ADDRESS, (const uint32_t[]){0, 2, 4, 5, 1, 3}, 1);
    expect_order(text, NULL, ROUTE_MEMBERS_IN_ORDER, (const uint32_t[]){0, 1, 2, 3, 4, 5}, 1);
    /* addresses of receivers compare in the order of the tiles */
    expect_order("0@0 > 2@1,1@7 x 1; 0@0 > 1@6,2@9 x 1", NULL, ROUTE_MEMBERS_BY_RECEIVER_ADDRESS,
                 (const uint32_t[]){1, 0}, 1);
}

static void levels_come_first(void **state)
{
    (void)state;
    const uint32_t level[] = {5000000, 1, 0, 1, 0};
    expect_order("0@0 > 1@0 x 1; 0@5 > 1@0 x 1; 3@0 > 1@0 x 1; 0@3 > 1@0 x 1; 0@9 > 1@0 x 1", level,
                 ROUTE_MEMBERS_BY_SOURCE_ADDRESS, (const uint32_t[]){4, 2, 3, 1, 0}, 4);
}

static void a_route_tells_its_figures(void **state)
{
    (void)state;
    Phase *phase = support_phase("0@0 > 2@1,1@7 x 3; 1@0 > 1@0,0@9 x 8; 0@0 > 1@20,2@30 x 4");
    Routes routes;
    assert_true(routes_group(phase, NULL, 3, NULL, ROUTE_MEMBERS_IN_ORDER, NULL, &routes, NULL));
    assert_int_equal(routes.count, 2);
    assert_int_equal(routes.routes[0].source, 0);
    assert_int_equal(routes.routes[0].transfers, 2);
    assert_int_equal(routes.routes[0].bytes, 28);
    assert_int_equal(routes.routes[0].receivers, 2);
    assert_int_equal(routes.receiver_tile[routes.routes[0].receiver_start], 1);
    assert_int_equal(routes.receiver_address[routes.routes[0].receiver_start], 28);
    assert_int_equal(routes.receiver_tile[routes.routes[0].receiver_start + 1], 2);
    assert_false(route_is_loopback(&routes, &routes.routes[0]));
    assert_true(route_is_loopback(&routes, &routes.routes[1]));
    routes_free(&routes);
    /* only some of the transfers */
    const uint32_t members[] = {2, 1};
    assert_true(routes_group(phase, members, 2, NULL, ROUTE_MEMBERS_IN_ORDER, NULL, &routes, NULL));
    assert_int_equal(routes.count, 2);
    assert_int_equal(routes.order[0], 2);
    assert_int_equal(routes.routes[0].bytes, 16);
    routes_free(&routes);
    phase_free(phase);
}

static void random_routes_agree_with_whole_tuples(void **state)
{
    (void)state;
    const RandomShape shape = {
        .tiles = 8, .transfers = 120, .memory_words = 14, .words = 2, .fan = 8, .repeat = 7};
    for (uint64_t seed = 0; seed < 120; seed++) {
        support_seed(seed);
        Phase *phase = support_random_phase(&shape);
        uint32_t order[ORACLE_TRANSFERS], level[ORACLE_TRANSFERS], n = phase->transfers;
        bool levels = seed % 3 == 0, by_receiver = seed % 2 == 0;
        for (uint32_t i = 0; i < n; i++) {
            level[i] = support_random(3) * 3000;
        }
        oracle_order(phase, n, levels ? level : NULL, by_receiver, order);
        Routes routes;
        assert_true(
            routes_group(phase, NULL, n, levels ? level : NULL,
                         by_receiver ? ROUTE_MEMBERS_BY_RECEIVER_ADDRESS : ROUTE_MEMBERS_BY_SOURCE_ADDRESS,
                         NULL, &routes, NULL));
        assert_memory_equal(routes.order, order, n * sizeof *order);
        for (uint32_t g = 0, k = 0; g < routes.count; g++) {
            const Route *route = &routes.routes[g];
            assert_int_equal(route->start, k);
            for (uint32_t m = 0; m < route->transfers; m++, k++) {
                assert_true(oracle_same_route(phase, order[k], order[route->start]));
            }
            assert_true(k == n || !oracle_same_route(phase, order[k - 1], order[k]) ||
                        (levels && level[order[k - 1]] != level[order[k]]));
        }
        routes_free(&routes);
        phase_free(phase);
    }
}

/* Equal tuples that are long: no recursion, and each piece is looked at once. */
static void long_equal_tuples_are_no_trouble(void **state)
{
    (void)state;
    enum { LONG = 200000 };
    uint32_t *addresses = calloc(LONG, sizeof *addresses), to = 0;
    uint16_t tile = 1;
    Phase *phase = phase_new(1, NULL);
    assert_true(addresses != NULL && phase != NULL);
    for (uint32_t i = 0; i < 6; i++) {
        addresses[LONG - 1] = 4 * (6 - i / 2);
        assert_true(phase_append(phase, 0, 1, WIDTH_WORD32, addresses, LONG, &tile, &to, 1, NULL));
    }
    Routes routes;
    assert_true(routes_group(phase, NULL, 6, NULL, ROUTE_MEMBERS_BY_SOURCE_ADDRESS, NULL, &routes, NULL));
    const uint32_t expected[] = {4, 5, 2, 3, 0, 1};
    assert_memory_equal(routes.order, expected, sizeof expected);
    routes_free(&routes);
    phase_free(phase);
    free(addresses);
}

/* ---- batches ---- */

typedef struct Visited {
    const Phase *phase;
    uint32_t members, routes, batches, most;
} Visited;

/* Every batch goes on where the one before ended, and holds what it says. */
static bool visit(void *context, const Routes *routes, const RouteBatch *batch, Error *error)
{
    (void)error;
    Visited *visited = context;
    const Phase *phase = visited->phase;
    assert_int_equal(batch->start, visited->members);
    assert_int_equal(batch->first_route, visited->routes);
    assert_int_equal(batch->end_route, routes->count);
    for (uint32_t k = 0; k < batch->phase->transfers; k++) {
        uint32_t here = batch->order[k], i = routes->order[batch->start + k];
        assert_int_equal(batch->phase->source[here], phase->source[i]);
        assert_int_equal(batch->phase->words[here], phase->words[i]);
        assert_int_equal(phase_address(batch->phase, here, 0), phase_address(phase, i, 0));
        assert_int_equal(batch->phase->receiver_tile[batch->phase->receiver_start[here]],
                         phase->receiver_tile[phase->receiver_start[i]]);
    }
    visited->members += batch->phase->transfers;
    visited->routes = batch->end_route;
    visited->batches++;
    visited->most = batch->phase->transfers > visited->most ? batch->phase->transfers : visited->most;
    return true;
}

/* More transfers than one batch takes; the run of tile 3 alone is longer than that. */
static void long_phases_are_sorted_in_batches(void **state)
{
    (void)state;
    enum { MOVED = 2 * PHASE_GATHER_TRANSFERS, LAST = 5 };
    Phase *phase = phase_new(1, NULL);
    for (uint32_t i = 0; i < 5 * PHASE_GATHER_TRANSFERS; i++) {
        uint32_t from = 4 * support_random(1000), to = 4 * i;
        uint16_t source = (uint16_t)(i < MOVED ? 3 : support_random(LAST + 1));
        uint16_t tile = (uint16_t)(10 + support_random(3));
        assert_true(
            phase_append(phase, source, (uint16_t)(1 + i % 9), WIDTH_WORD32, &from, 1, &tile, &to, 1, NULL));
    }
    Routes routes;
    Visited visited = {.phase = phase};
    assert_true(routes_visit(phase, phase->transfers, NULL, ROUTE_MEMBERS_BY_SOURCE_ADDRESS, visit, &visited,
                             NULL, &routes, NULL));
    assert_int_equal(visited.members, phase->transfers);
    assert_int_equal(visited.routes, 3 * (LAST + 1));
    assert_int_equal(routes.count, 3 * (LAST + 1));
    assert_true(visited.batches > 1 && visited.most > MOVED);
    uint64_t bytes = 0, sent = 0;
    for (uint32_t k = 0; k < phase->transfers; k++) {
        uint32_t i = routes.order[k], before = routes.order[k > 0 ? k - 1 : 0];
        sent += 4u * (uint64_t)phase->words[k];
        if (k == 0) {
            continue;
        }
        /* strictly ascending, so that nothing is there twice */
        const uint32_t keys[] = {phase->source[before],
                                 phase->source[i],
                                 phase->receiver_tile[before],
                                 phase->receiver_tile[i],
                                 phase->addresses[before],
                                 phase->addresses[i],
                                 before,
                                 i};
        uint32_t q = 0;
        while (q < 6 && keys[q] == keys[q + 1]) {
            q += 2;
        }
        assert_true(keys[q] < keys[q + 1]);
    }
    for (uint32_t g = 0; g < routes.count; g++) {
        bytes += routes.routes[g].bytes;
        assert_int_equal(routes.routes[g].start + routes.routes[g].transfers,
                         g + 1 < routes.count ? routes.routes[g + 1].start : phase->transfers);
    }
    assert_int_equal(bytes, sent);
    routes_free(&routes);
    phase_free(phase);
}

static bool attempt(void *context, Error *error)
{
    Routes routes;
    Geometry geometry;
    if (!geometry_compute(context, 8, NULL, &geometry, error) ||
        !routes_group(context, NULL, ((Phase *)context)->transfers, NULL, ROUTE_MEMBERS_BY_SOURCE_ADDRESS,
                      NULL, &routes, error)) {
        return false;
    }
    routes_free(&routes);
    return true;
}

static void lost_memory_and_a_cancel_are_errors(void **state)
{
    (void)state;
    const RandomShape shape = {
        .tiles = 4, .transfers = 190, .memory_words = 9, .words = 2, .fan = 4, .repeat = 5};
    support_seed(5);
    Phase *phase = support_random_phase(&shape);
    support_try_all_faults(attempt, phase);
    Progress progress = {.cancel = true};
    Error error = {0};
    Routes routes;
    assert_false(routes_group(phase, NULL, phase->transfers, NULL, ROUTE_MEMBERS_IN_ORDER, &progress, &routes,
                              &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    phase_free(phase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geometry_of_an_empty_phase),
        cmocka_unit_test(geometry_counts_both_roles),
        cmocka_unit_test(routes_ascend_by_source_and_receivers),
        cmocka_unit_test(members_ascend_by_whole_tuples),
        cmocka_unit_test(levels_come_first),
        cmocka_unit_test(a_route_tells_its_figures),
        cmocka_unit_test(random_routes_agree_with_whole_tuples),
        cmocka_unit_test(long_equal_tuples_are_no_trouble),
        cmocka_unit_test(long_phases_are_sorted_in_batches),
        cmocka_unit_test(lost_memory_and_a_cancel_are_errors),
    };
    return cmocka_run_group_tests_name("analysis/routes", tests, NULL, NULL);
}
