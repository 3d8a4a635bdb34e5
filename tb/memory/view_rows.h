/*
 * view_rows.h - scores of positions in which some men are free, row by row.
 *
 * What a free man adds to a place in the table hangs on its own square alone.  So its squares are
 * looked up once, as digits; then the men but the last are gone through one within another, and the
 * squares of the last one are a row of codes, which scores.h turns into scores.
 */
#ifndef BK_VIEW_ROWS_H
#define BK_VIEW_ROWS_H

#include "tb/memory/view_where.h"

/*
 * The places of a free man in a table: digit[j], times the stride, is what square j
 * adds; BK_SQ_NONE where it cannot stand.
 */
struct bk_view_places {
    uint64_t stride;
    unsigned n;
    size_t skip; /* of the view, from square to square */
    uint8_t digit[BK_SQ_MAX];
};

/*
 * The last free man.  Where its squares follow each other in a table, every choice of squares for
 * the others gives a row of codes of the same shape, from another base on.
 */
struct bk_view_row {
    struct bk_view_places man;
    bool near;     /* they follow each other */
    bool in_order; /* and as they do on the parent's board */
    unsigned span; /* from place 0 to the last one */
};

/* Returns what a code is worth to the mover, who moved into it. */
static inline int16_t bk_view_score_of(const struct bk_memtable *t, unsigned code)
{
    return t->code_bytes < 2 ? t->score8[code] : bk_score_before(bk_code_score(code, 2));
}

/* Returns the score at one place of the located block. */
static inline int16_t bk_view_score_at(const struct bk_memtable *t, const struct bk_view_located *l,
                                       uint64_t at)
{
    return bk_view_score_of(t, bk_memblock_code(t, l->block, l->stm, at));
}

/* Sets `out` to the places of a free man, but for `skip`.  False: it would change block. */
bool bk_view_find_places(const struct bk_view_plan *p, const struct bk_view_located *l,
                         const struct bk_free_man *man, struct bk_view_places *out);

/* Sets the rest of a row whose man has its places. */
void bk_view_shape_row(struct bk_view_row *r);

/* Fills the view of the free men but the last, n of them, and of the last one, `row`.
   base: the place where all of them have digit 0. */
void bk_view_gather(const struct bk_memtable *t, const struct bk_view_located *l, uint64_t base,
                    const struct bk_view_places *men, unsigned n, const struct bk_view_row *row,
                    int16_t *out);

#endif
