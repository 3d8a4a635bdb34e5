/*
 * settle_exits.c - see settle_exits.h.
 */
#include "table/settle_exits.h"

#include "core/attack.h"

bool bk_settle_captures_bare(const struct bk_variant *v, const struct bk_pos *p)
{
    struct bk_bits men = p->by[!p->stm];

    bk_bits_clear(&men, p->king[!p->stm]);
    return bk_rules_bare_loses(v) && bk_bits_single(&men) &&
           bk_attacked(v, p, bk_bits_first(&men), p->stm);
}

enum bk_err bk_settle_exits_make(struct bk_settling *s, struct bk_settle_exits *e,
                                 const struct bk_pos *p, struct bk_report *why)
{
    enum bk_err err;

    if (e->made)
        return BK_OK;
    err = bk_move_list_open(s, &e->list, why);
    e->made = !err;
    if (!err)
        bk_move_list_fill(s, &e->list, bk_moves_exits(s->v, p, e->list.move));
    return err;
}

void bk_settle_exits_drop(struct bk_settling *s, struct bk_settle_exits *e)
{
    if (e->made)
        bk_move_list_close(s, &e->list);
}

enum bk_err bk_settle_exits_begin(struct bk_settling *s, struct bk_settle_exits *e,
                                  const struct bk_pos *p, const struct bk_file *f,
                                  struct bk_report *why)
{
    enum bk_err err;

    e->baring = 0;
    e->made = false;
    e->possible = !bk_file_info(f)->standalone && bk_exits_may_be(s->v, p);
    if (!e->possible || !bk_settle_captures_bare(s->v, p))
        return BK_OK;
    err = bk_settle_exits_make(s, e, p, why);
    for (unsigned i = 0; !err && i < e->list.n; i++)
        if (e->list.move[i].takes != BK_SQ_NONE) {
            struct bk_move swap = e->list.move[e->baring];

            e->list.move[e->baring++] = e->list.move[i];
            e->list.move[i] = swap;
        }
    return err;
}

/* == En passant == */

/* Does the move end on the en passant square and take elsewhere? */
static bool is_en_passant(const struct bk_pos *p, const struct bk_move *m)
{
    return m->to == p->ep && m->takes != BK_SQ_NONE && m->takes != m->to;
}

/* The en passant captures of p; and whether it has another legal move. */
static enum bk_err passing(struct bk_settling *s, const struct bk_pos *p, struct bk_move_list *l,
                           bool *others, struct bk_report *why)
{
    unsigned first = 0, all = bk_moves_portion(s->v, p, &first, l->move), n = 0;

    if (first != BK_MOVES_END) /* no table has such a position */
        return bk_fail(why, BK_E_NO_TABLE, "no table for positions with more than %d moves",
                       BK_MOVES_MAX);
    for (unsigned i = 0; i < all; i++)
        if (is_en_passant(p, &l->move[i]))
            l->move[n++] = l->move[i];
    *others = all > n;
    bk_move_list_fill(s, l, n);
    return BK_OK;
}

enum bk_err bk_settle_two_open(struct bk_settling *s, struct bk_settle_two *two,
                               const struct bk_pos *p, struct bk_report *why)
{
    bool others = false;
    enum bk_err err;

    bk_settling_begin(s);
    if ((err = bk_move_list_open(s, &two->captures, why)) != BK_OK)
        return err;
    if ((err = passing(s, p, &two->captures, &others, why)) != BK_OK) {
        bk_move_list_close(s, &two->captures);
        return err;
    }
    two->without = *p;
    two->without.ep = BK_SQ_NONE;
    two->counts = others || !two->captures.n;
    return BK_OK;
}

void bk_settle_two_close(struct bk_settling *s, struct bk_settle_two *two)
{
    bk_move_list_close(s, &two->captures);
}
