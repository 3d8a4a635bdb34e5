/*
 * tell.h - what a position is worth, in the words of the API (docs/explore.md).
 */
#ifndef BK_EXPLORE_TELL_H
#define BK_EXPLORE_TELL_H

#include <jansson.h>

#include "core/position.h"
#include "probe/bareking.h"

/* A value, from the side to move. */
struct ex_value {
    bool known;
    int wdl, plies;  /* plies -1: a draw, or not known */
    int clocked_wdl; /* within the game's length */
    bool clocked_known;
    enum bk_lib_end end;
    bool kings_only;
};

struct ex_value ex_value_of(const struct bk_answer *a, const struct bk_pos *p);
/* The value of a move, from the side that plays it; `after`: the position that it leads to. */
struct ex_value ex_value_of_move(const struct bk_lib_ranked *m, const struct bk_pos *after);
/* The value after a move that has the value *v, from the other side. */
struct ex_value ex_value_turned(const struct ex_value *v);

/* Adds category, dtm, dtz, checkmate, ... to an object. */
void ex_put_value(json_t *object, const struct ex_value *v);
/* {category, plies, turns}: for people. */
json_t *ex_view_json(const struct ex_value *v);

/* "e4" */
json_t *ex_square_json(const struct bk_variant *v, unsigned sq);

#endif
