/*
 * settling.c - see settling.h.
 */
#include "table/settling.h"

#include <stdlib.h>

#define MOVES (BK_MOVES_MAX + 256) /* shared by all open lists; when full, a list has its own */

/* Room for n moves, with their bounds behind them; NULL: no memory. */
static struct bk_move *new_moves(size_t n, uint16_t **bound, struct bk_report *why)
{
    struct bk_move *move = malloc(n * (sizeof *move + sizeof **bound));

    *bound = (uint16_t *)(void *)(move + (move ? n : 0));
    if (!move)
        bk_fail(why, BK_E_SYSTEM, "no memory for a list of moves");
    return move;
}

enum bk_err bk_move_list_open(struct bk_settling *s, struct bk_move_list *l, struct bk_report *why)
{
    *l = (struct bk_move_list){ .before = s->used };
    if (!s->move && !(s->move = new_moves(MOVES, &s->bound, why)))
        return BK_E_SYSTEM;
    if (s->used + BK_MOVES_MAX <= MOVES) {
        l->move = s->move + s->used;
        l->bound = s->bound + s->used;
        return BK_OK;
    }
    l->own = l->move = new_moves(BK_MOVES_MAX, &l->bound, why);
    return l->own ? BK_OK : BK_E_SYSTEM;
}

void bk_move_list_fill(struct bk_settling *s, struct bk_move_list *l, unsigned n)
{
    l->n = n;
    if (!l->own)
        s->used = l->before + n;
}

void bk_move_list_close(struct bk_settling *s, struct bk_move_list *l)
{
    s->used = l->before;
    free(l->own);
}

/* == Moves that do well == */

static bool same_move(const struct bk_move *a, const struct bk_move *b)
{
    return a->from == b->from && a->to == b->to && a->becomes == b->becomes && a->takes == b->takes;
}

bool bk_settling_good_first(const struct bk_settling *s, struct bk_move *move, unsigned n)
{
    const struct bk_move *good = &s->good[s->depth % BK_SETTLING_DEPTH];

    for (unsigned i = 0; i < n && good->from != BK_SQ_NONE; i++)
        if (same_move(&move[i], good)) {
            struct bk_move swap = move[0];

            move[0] = move[i];
            move[i] = swap;
            return true;
        }
    return false;
}

void bk_settling_note_good(struct bk_settling *s, const struct bk_move *move)
{
    s->good[s->depth % BK_SETTLING_DEPTH] = *move;
}
