/*
 * unit_run.c - see unit_run.h.
 */
#include "tb/encode/unit_run.h"

enum bk_err bk_unit_ended(const struct bk_unit_run *u, enum bk_err err, struct bk_report *why)
{
    return u->shared ? bk_ranks_agree(err, why) : err;
}

struct bk_unit_walk bk_unit_walk_of(struct bk_unit_run *u, unsigned thread, bk_walk_cell *cell)
{
    return (struct bk_unit_walk){ .walk = { .src = u->src,
                                            .learned = &u->learned,
                                            .facts = u->scratch[thread].row,
                                            .turned = &u->scratch[thread].turned,
                                            .words = u->words,
                                            .cell = cell },
                                  .u = u,
                                  .scratch = &u->scratch[thread] };
}

void bk_unit_walk_piece(struct bk_unit_walk *k, uint64_t piece)
{
    uint64_t at = k->u->src->first + piece * BK_PIECE_NUMBERS, end = at + BK_PIECE_NUMBERS;

    bk_walk(&k->walk, at, bk_unit_least(end, k->u->src->end));
}
