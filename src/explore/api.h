/*
 * api.h - addresses and what they answer: docs/explore.md.
 *
 *     /api/v1/variants
 *     /api/v1/GAME/probe, moves, board, line, map, stats, longest, tables, svg
 *     /api/v1/GAME/batch  (POST)
 *     /, /main.js, ...: the page
 *
 * Knows nothing of sockets: a target and a body go in, a reply comes out.  Threads: any number.
 */
#ifndef BK_EXPLORE_API_H
#define BK_EXPLORE_API_H

#include "explore/games.h"

#define EX_BODY_MAX (256u << 10) /* bytes of a request's body */

/*
 * method, target  of the request's first line
 * body            n bytes of it; NULL: none
 *
 * *reply is owned: ex_reply_release().
 */
void ex_api(struct ex_games *g, const char *method, const char *target, const char *body, size_t n,
            struct ex_reply *reply);

/* May a page of another origin have a browser ask this?  Pages, which may be linked to, and
   pictures, which may be shown, but no questions: some take seconds, or minutes of all cores. */
bool ex_api_for_all(const char *target);

/* May a request with this method and target have a body?  Asked before it is read. */
bool ex_api_takes_body(const char *method, const char *target);

#endif
