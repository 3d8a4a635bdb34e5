/* reach.c - see reach.h. */
#include "explore/reach.h"

#include <stdbool.h>
#include <stdlib.h>

#include "core/move.h"
#include "core/position.h"
#include "core/rules.h"

/* The square nearest to the middle on which a white man of the type may stand. */
static unsigned middle(const struct bk_variant *v, unsigned type)
{
    int file = (v->files - 1) / 2, rank = (v->ranks - 1) / 2, nearest = -1;
    unsigned best = 0;

    for (unsigned sq = 0; sq < v->nsq; sq++) {
        int df = abs((int)(sq % v->files) - file), dr = abs((int)(sq / v->files) - rank);
        int far = (df > dr ? df : dr) * 32 + df + dr;

        if (bk_bits_has(&v->board, sq) && bk_rules_may_stand(v, type, BK_WHITE, sq) &&
            (nearest < 0 || far < nearest)) {
            nearest = far;
            best = sq;
        }
    }
    return best;
}

/* Adds the squares that he goes to, or where he takes. */
static void add_squares(struct bk_bits *out, const struct bk_variant *v, const struct bk_pos *p,
                        unsigned at, bool takes)
{
    struct bk_move *move = malloc(BK_MOVES_MAX * sizeof *move);
    unsigned n = move ? bk_moves_pseudo(v, p, move) : 0;

    for (unsigned i = 0; i < n; i++) {
        if (move[i].from != at || move[i].castles || move[i].to == at)
            continue;
        if (!takes)
            bk_bits_set(out, move[i].to);
        else if (move[i].takes != BK_SQ_NONE)
            bk_bits_set(out, move[i].takes);
    }
    free(move);
}

static json_t *squares_json(const struct bk_variant *v, const struct bk_bits *squares)
{
    json_t *list = json_array();
    char name[8];

    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (bk_bits_has(squares, sq))
            json_array_append_new(list, json_string(bk_sq_name(v, sq, name)));
    return list;
}

json_t *ex_reach(const struct bk_variant *v, unsigned type)
{
    unsigned at = middle(v, type), other = (v->royal + 1u) % v->ntypes;
    struct bk_bits goes = { { 0 } }, takes = { { 0 } };
    struct bk_pos p;
    char name[8];

    bk_pos_init(&p, v);
    bk_pos_put(&p, v, type, BK_WHITE, at);
    add_squares(&goes, v, &p, at, false);
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        struct bk_pos one = p;

        if (sq == at || !bk_bits_has(&v->board, sq))
            continue;
        bk_pos_put(&one, v, other, BK_BLACK, sq);
        add_squares(&takes, v, &one, at, true);
    }
    return json_pack("{ss so so}", "at", bk_sq_name(v, at, name), "goes", squares_json(v, &goes),
                     "takes", squares_json(v, &takes));
}
