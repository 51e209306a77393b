/* Routes: the transfers of a phase grouped by (source tile, sorted receiver tiles), in the order in which the
 * modes visit and emit them. Follows spec/analysis.md, "Exact construction" rules 1 and 2. */
#ifndef EXSCOPE_ANALYSIS_ROUTES_H
#define EXSCOPE_ANALYSIS_ROUTES_H

#include "base/progress.h"
#include "capture/phase.h"

/* How the transfers of one route follow each other. Ties keep the order of the phase. */
typedef enum RouteMembers {
    ROUTE_MEMBERS_BY_SOURCE_ADDRESS,   /* by the whole tuple of source addresses, equal entries included */
    ROUTE_MEMBERS_BY_RECEIVER_ADDRESS, /* by the tuple of destination addresses */
    ROUTE_MEMBERS_IN_ORDER             /* as in the phase */
} RouteMembers;

typedef struct Route {
    uint32_t level; /* 0 where levels are not used */
    uint16_t source;
    uint32_t receivers;        /* the tiles: Routes.receiver_tile[receiver_start .. + receivers) */
    uint32_t receiver_start;   /* those of the route's first member */
    uint32_t start, transfers; /* the members: Routes.order[start .. + transfers) */
    uint64_t bytes;            /* of the members, each once */
} Route;

typedef struct Routes {
    uint32_t *order; /* [members] transfer indices: routes ascending by (source, receiver tuple) */
    uint32_t members;
    Route *routes;
    uint32_t count;
    /* The receivers of every transfer i, ascending by tile: [phase->receiver_start[i] ..
     * phase->receiver_start[i+1]). The phase's own arrays where they are sorted already. */
    const uint16_t *receiver_tile;
    const uint32_t *receiver_address;
    uint16_t *owned_tile;
    uint32_t *owned_address;
} Routes;

/* Groups the given transfers (`members` NULL: the first `count` of the phase). With `level` (one entry for
 * every transfer of the phase, else NULL) lower levels come first and a route is a group of its own in each.
 * Near linear in receivers and source addresses. Fails when cancelled or out of memory. `phase` must outlive
 * `routes`. */
bool routes_group(const Phase *phase, const uint32_t *members, uint32_t count, const uint32_t *level,
                  RouteMembers by, Progress *progress, Routes *routes, Error *error);
void routes_free(Routes *routes);

/* Some of the members with all their columns, where they lie side by side: those of whole routes. */
typedef struct RouteBatch {
    Phase *phase; /* receivers ascend by tile */
    uint32_t first_route, end_route;
    uint32_t start;        /* the first one's place in Routes.order, which is final up to here */
    const uint32_t *order; /* Routes.order[start + k] is transfer order[k] of `phase` */
} RouteBatch;

typedef bool (*RouteVisit)(void *context, const Routes *routes, const RouteBatch *batch, Error *error);

/* The same, and hands every batch over as soon as it is sorted, in ascending order of routes: whoever wants
 * the members themselves need not walk the phase once more. Ends when `visit` fails. */
bool routes_visit(const Phase *phase, uint32_t count, const uint32_t *level, RouteMembers by,
                  RouteVisit visit, void *context, Progress *progress, Routes *routes, Error *error);

/* A transfer that sends to its own tile too. */
bool route_is_loopback(const Routes *routes, const Route *route);

#endif
