/*
 * index_pairs.c - see index_pairs.h.
 *
 * Pairs are gone through in the order of their numbers, white square * nsq +
 * black square, so that the least of several images comes first and becomes
 * the slice; the others store the symmetry that brings them to it.
 */
#include "table/index_pairs.h"

#include <stdlib.h>

#include "core/geometry.h"
#include "core/rules.h"

bool bk_index_king_strays(const struct bk_index *ix, unsigned colour, unsigned sq)
{
    return ix->m.rights >> 2 * colour & 3 && sq != bk_right_king(ix->v, 2 * colour);
}

static bool pair_exists(const struct bk_index *ix, unsigned wk, unsigned bk)
{
    const struct bk_variant *v = ix->v;

    return wk != bk && bk_rules_may_stand(v, v->royal, BK_WHITE, wk) &&
           bk_rules_may_stand(v, v->royal, BK_BLACK, bk) &&
           !bk_index_king_strays(ix, BK_WHITE, wk) && !bk_index_king_strays(ix, BK_BLACK, bk) &&
           !(bk_king_attacks(v, BK_WHITE, wk, bk) && bk_king_attacks(v, BK_BLACK, bk, wk));
}

void bk_index_pairs_free(struct bk_pairs *p)
{
    if (p) {
        free(p->king);
        free(p->stabilizer);
        free(p->slice);
        free(p->sym);
        free(p);
    }
}

/* Adds the next pair, in the order of their numbers: a slice of its own, or that of its least
   image. */
static void add_pair(struct bk_pairs *p, const struct bk_index *ix, unsigned wk, unsigned bk)
{
    unsigned nsq = ix->v->nsq, self = wk * nsq + bk, least = self, by = 0, keep = 0;

    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++) {
        unsigned image;

        if (!(p->group >> sym & 1))
            continue;
        image = ix->map[sym][wk] * nsq + ix->map[sym][bk];
        if (image == self)
            keep |= 1u << sym;
        if (image < least) {
            least = image;
            by = sym;
        }
    }
    if (least == self) {
        p->king[p->nslices][0] = (uint8_t)wk;
        p->king[p->nslices][1] = (uint8_t)bk;
        p->stabilizer[p->nslices] = (uint8_t)keep;
        p->slice[self] = (int32_t)p->nslices++;
    } else { /* the least image came first */
        p->slice[self] = p->slice[least];
        p->sym[self] = (uint8_t)by;
    }
}

struct bk_pairs *bk_index_pairs_new(const struct bk_index *ix, unsigned group)
{
    unsigned nsq = ix->v->nsq;
    size_t all = (size_t)nsq * nsq;
    struct bk_pairs *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->group = group;
    p->king = malloc(all * sizeof *p->king);
    p->stabilizer = malloc(all);
    p->slice = malloc(all * sizeof *p->slice);
    p->sym = calloc(all, 1);
    if (!p->king || !p->stabilizer || !p->slice || !p->sym) {
        bk_index_pairs_free(p);
        return NULL;
    }
    for (unsigned wk = 0; wk < nsq; wk++)
        for (unsigned bk = 0; bk < nsq; bk++) {
            p->slice[wk * nsq + bk] = -1;
            if (pair_exists(ix, wk, bk))
                add_pair(p, ix, wk, bk);
        }
    return p;
}
