/*
 * view_rows.c - scores, row by row.  See view_rows.h.
 *
 * HOT: gather_row().  Where the squares of the last man follow each other in the table, its row is
 * one piece of memory; else codes of one byte are picked together first.
 */
#include "tb/memory/view_rows.h"

/* == Places == */

/* Adapts the digits of a man of which the table holds only some places. */
static void narrow_places(struct bk_view_places *out, const struct bk_memblock *mb, unsigned slot)
{
    if (!mb->narrow_n || slot != mb->narrow_slot)
        return;
    for (unsigned j = 0; j < out->n; j++)
        if (out->digit[j] != BK_SQ_NONE)
            out->digit[j] = (uint8_t)bk_memblock_digit(mb, slot, out->digit[j]);
}

bool bk_view_find_places(const struct bk_view_plan *p, const struct bk_view_located *l,
                         const struct bk_free_man *man, struct bk_view_places *out)
{
    const struct bk_cells *cells;
    unsigned i = 0, s, cell = BK_SQ_NONE;
    bool one_cell = true;

    while (p->parent[i] != man->slot)
        i++;
    s = l->slot[i];
    cells = p->t->ix->cells[s];
    out->stride = l->block->stride[s];
    out->n = man->n;
    if (cells->n == 1) { /* cell_of[] is 0 or BK_SQ_NONE, all bits of a byte: no branches */
        for (unsigned j = 0; j < man->n; j++) {
            unsigned sq = l->map[man->sq[j]];

            out->digit[j] =
                (uint8_t)(cells->cell_of[sq] | (l->block->raw[s] ? sq : cells->place_of[sq]));
        }
        narrow_places(out, l->block, s);
        return true;
    }
    for (unsigned j = 0; j < man->n; j++) {
        unsigned sq = l->map[man->sq[j]], c = cells->cell_of[sq];

        out->digit[j] = c == BK_SQ_NONE    ? BK_SQ_NONE
                        : l->block->raw[s] ? (uint8_t)sq
                                           : cells->place_of[sq];
        one_cell &= c == BK_SQ_NONE || cell == BK_SQ_NONE || c == cell;
        cell = c == BK_SQ_NONE ? cell : c;
    }
    narrow_places(out, l->block, s);
    return one_cell;
}

void bk_view_shape_row(struct bk_view_row *r)
{
    uint8_t end = 0, differs = 0; /* bytes alone: the compiler does many at once */

    for (unsigned j = 0; j < r->man.n; j++) {
        uint8_t next = (uint8_t)(r->man.digit[j] + 1); /* of BK_SQ_NONE: 0 */

        end = next > end ? next : end;
        differs |= (uint8_t)(r->man.digit[j] ^ j);
    }
    r->near = r->man.stride == 1;
    r->span = end;
    r->in_order = !differs;
}

/* == Rows == */

/* The scores of the last man's squares, the others standing where `base` says. */
static void gather_row(const struct bk_memtable *t, const struct bk_view_located *l, uint64_t base,
                       const struct bk_view_row *r, int16_t *out)
{
    const void *code = l->block->code[l->stm];
    const uint8_t *place = r->in_order ? NULL : r->man.digit;

    if (r->near && t->code_bytes == 1) {
        t->row_scores((const uint8_t *)code + base, r->span, place, r->man.n, out);
    } else if (r->near && !t->code_bytes) {
        uint8_t codes[BK_SQ_MAX + 8];

        bk_codes_of_bits(code, l->block->draw[l->stm], base, r->span, codes);
        t->row_scores(codes, r->span, place, r->man.n, out);
    } else if (t->code_bytes == 1) {
        uint8_t codes[BK_SQ_MAX];

        for (unsigned j = 0; j < r->man.n; j++)
            codes[j] = r->man.digit[j] == BK_SQ_NONE
                           ? BK_CODE_ILLEGAL
                           : ((const uint8_t *)code)[base + r->man.stride * r->man.digit[j]];
        t->row_scores(codes, r->man.n, NULL, r->man.n, out);
    } else {
        for (unsigned j = 0; j < r->man.n; j++)
            out[j] = r->man.digit[j] == BK_SQ_NONE
                         ? BK_SCORE_NONE
                         : bk_view_score_at(t, l, base + r->man.stride * r->man.digit[j]);
    }
}

/* A row of the view, the squares of which need not follow each other. */
static void put_row(const struct bk_memtable *t, const struct bk_view_located *l, uint64_t base,
                    const struct bk_view_row *r, int16_t *out)
{
    int16_t score[BK_SQ_MAX];

    if (r->man.skip == 1) {
        gather_row(t, l, base, r, out);
        return;
    }
    gather_row(t, l, base, r, score);
    for (unsigned j = 0; j < r->man.n; j++)
        out[j * r->man.skip] = score[j];
}

/* Sets the scores of n free men and the last one to BK_SCORE_NONE. */
static void put_none(const struct bk_view_places *men, unsigned n, const struct bk_view_row *row,
                     int16_t *out)
{
    const struct bk_view_places *man = n ? men : &row->man;

    for (unsigned j = 0; j < man->n; j++)
        if (n)
            put_none(men + 1, n - 1, row, out + j * man->skip);
        else
            out[j * man->skip] = BK_SCORE_NONE;
}

void bk_view_gather(const struct bk_memtable *t, const struct bk_view_located *l, uint64_t base,
                    const struct bk_view_places *men, unsigned n, const struct bk_view_row *row,
                    int16_t *out)
{
    if (!n) {
        put_row(t, l, base, row, out);
        return;
    }
    for (unsigned j = 0; j < men->n; j++) {
        int16_t *there = out + j * men->skip;

        if (men->digit[j] != BK_SQ_NONE)
            bk_view_gather(t, l, base + men->stride * men->digit[j], men + 1, n - 1, row, there);
        else
            put_none(men + 1, n - 1, row, there);
    }
}
