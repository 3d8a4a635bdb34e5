/*
 * index_cells.c - see index_cells.h.
 *
 * A man's quiet moves that leave it what it is make a graph on the squares.
 * Two squares are of one cell when each can be reached from the other.  If no
 * move leads from one cell to another (a colour-bound piece, say) there is
 * nothing to gain from telling them apart: then all squares are one cell.
 *
 * Cost: once a kind of man, sets of squares joined until none grows.
 */
#include "table/index_cells.h"

#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "core/rules.h"

struct reachability {
    struct bk_bits from[BK_SQ_MAX]; /* transitive closure */
};

static void close_over_moves(struct reachability *r, const struct bk_index *ix, unsigned slot)
{
    const struct bk_variant *v = ix->v;
    unsigned type = ix->type[slot], colour = ix->colour[slot];
    bool grew = true;

    memset(r, 0, sizeof *r);
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        unsigned n;
        const struct bk_reach *reach = bk_reach_from(v, type, colour, sq, &n);

        bk_bits_set(&r->from[sq], sq);
        if (!bk_rules_may_stand(v, type, colour, sq))
            continue;
        for (unsigned i = 0; i < n; i++)
            if (reach[i].how & BK_QUIET && bk_rules_may_stand(v, type, colour, reach[i].to))
                bk_bits_set(&r->from[sq], reach[i].to);
    }
    while (grew) {
        grew = false;
        for (unsigned sq = 0; sq < v->nsq; sq++) {
            struct bk_bits todo = r->from[sq], all = todo;

            for (unsigned t; (t = bk_bits_pop(&todo)) != BK_SQ_NONE;)
                for (unsigned w = 0; w < 4; w++)
                    all.w[w] |= r->from[t].w[w];
            if (memcmp(&all, &r->from[sq], sizeof all)) {
                r->from[sq] = all;
                grew = true;
            }
        }
    }
}

/* Does any square lead somewhere from which there is no way back? */
static bool one_way(const struct reachability *r, const struct bk_variant *v)
{
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        struct bk_bits todo = r->from[sq];

        for (unsigned t; (t = bk_bits_pop(&todo)) != BK_SQ_NONE;)
            if (!bk_bits_has(&r->from[t], sq))
                return true;
    }
    return false;
}

/*
 * Sets how far on each cell is: more than any cell from which a move leads to it.  Cells make no
 * circle, so this ends, at the longest way to a cell.
 */
static void find_advance(struct bk_cells *c, const struct reachability *r)
{
    bool grew = true;

    memset(c->advance, 0, sizeof c->advance);
    while (grew) {
        grew = false;
        for (unsigned a = 0; a < c->n; a++)
            for (unsigned b = 0; b < c->n; b++) {
                if (a == b || !bk_bits_has(&r->from[c->sq[c->first[a]]], c->sq[c->first[b]]) ||
                    c->advance[b] > c->advance[a])
                    continue;
                c->advance[b] = c->advance[a] + 1;
                grew = true;
            }
    }
}

/* A cell of one square. */
static void cells_home(struct bk_cells *c, unsigned home)
{
    memset(c->cell_of, BK_SQ_NONE, sizeof c->cell_of);
    c->n = c->size[0] = 1;
    c->sq[0] = (uint8_t)home;
    c->cell_of[home] = 0;
}

struct bk_cells *bk_index_cells_new(const struct bk_index *ix, unsigned slot)
{
    const struct bk_variant *v = ix->v;
    unsigned type = ix->type[slot], colour = ix->colour[slot], filled = 0;
    struct bk_cells *c = calloc(1, sizeof *c);
    struct reachability *r = malloc(sizeof *r);

    if (!c || !r) {
        free(c);
        c = NULL;
        goto out;
    }
    if (ix->right[slot] >= 0) {
        cells_home(c, bk_right_home(v, (unsigned)ix->right[slot]));
        goto out;
    }
    close_over_moves(r, ix, slot);
    memset(c->cell_of, BK_SQ_NONE, sizeof c->cell_of);
    bool split = one_way(r, v);
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        if (c->cell_of[sq] != BK_SQ_NONE || !bk_rules_may_stand(v, type, colour, sq))
            continue;
        c->first[c->n] = (uint8_t)filled;
        for (unsigned t = sq; t < v->nsq; t++) {
            bool together =
                !split || (bk_bits_has(&r->from[sq], t) && bk_bits_has(&r->from[t], sq));

            if (!together || !bk_rules_may_stand(v, type, colour, t))
                continue;
            c->cell_of[t] = (uint8_t)c->n;
            c->place_of[t] = c->size[c->n]++;
            c->sq[filled++] = (uint8_t)t;
        }
        c->n++;
    }
    if (split)
        find_advance(c, r);
out:
    free(r);
    return c;
}
