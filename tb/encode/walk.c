/*
 * walk.c - see walk.h.
 */
#include "tb/encode/walk.h"

/* Frees positions that are at least 0: any value will do. */
static void drop_least_zero(struct bk_walk *w)
{
    struct bk_row_values *v = &w->values;

    for (unsigned i = 0; i < w->words; i++) {
        uint64_t some = 0;

        for (unsigned b = 0; b < w->src->bits; b++)
            some |= v->plane[b][i];
        v->care[i] &= ~v->least[i] | some;
        v->least[i] &= v->care[i];
    }
}

void bk_walk_read(struct bk_walk *w)
{
    const struct bk_unit_source *s = w->src;

    s->row(s->context, w->row.first, &w->row, w->turned, &w->values);
    drop_least_zero(w);
    w->seen = true;
}

static void note_agreeing(struct bk_walk *w)
{
    unsigned bits = w->src->five ? BK_FIVE_BITS : BK_RESULT_BITS;

    for (uint32_t value = 0; value < 1u << bits; value++)
        for (unsigned i = 0; i < w->words; i++)
            w->agree[value][i] = bk_agreeing(&w->values, bits, i, value);
}

/* Has some position of a cell another value than its leaf's guess? */
INLINE bool is_odd_of(const struct bk_walk *w, uint32_t leaf, const uint64_t *squares,
                      unsigned words, bool small)
{
    uint16_t guess = w->learned->guess[leaf];
    uint64_t other = 0;

    for (unsigned i = 0; i < words; i++)
        other |= squares[i] &
                 ~(small ? w->agree[guess][i] : bk_agreeing(&w->values, w->src->bits, i, guess));
    return other;
}

static bool is_small(const struct bk_walk *w)
{
    return w->src->bits == BK_RESULT_BITS || w->src->five;
}

static bool is_odd(const struct bk_walk *w, uint32_t leaf, const uint64_t *squares)
{
    unsigned words = w->words;

    if (words == 1)
        return is_odd_of(w, leaf, squares, 1, is_small(w));
    return is_odd_of(w, leaf, squares, words, is_small(w));
}

/* Records a cell.  Without memory for it no more are recorded. */
static void record_cell(struct bk_walk *w, uint32_t leaf, const uint64_t *squares)
{
    unsigned words = w->words;

    if (!bk_cells_room(w->record))
        w->record = NULL;
    else if (words == 1)
        bk_cells_put(w->record, w->nth, leaf, w->odd, squares, 1);
    else
        bk_cells_put(w->record, w->nth, leaf, w->odd, squares, words);
}

static void visit_leaf(void *context, uint32_t leaf, const uint64_t *squares)
{
    struct bk_walk *w = context;

    w->odd = is_odd(w, leaf, squares);
    if (w->record)
        record_cell(w, leaf, squares);
    w->cell(w, leaf, squares);
}

static bool any_square(const uint64_t *squares, unsigned words)
{
    uint64_t any = 0;

    for (unsigned i = 0; i < words; i++)
        any |= squares[i];
    return any;
}

static void descend_row(struct bk_walk *w)
{
    bk_walk_read(w);
    if (!any_square(w->values.care, w->words))
        return;
    if (is_small(w))
        note_agreeing(w);
    bk_fact_row_set(w->facts, w->row.sq);
    bk_fact_row_descend(w->facts, w->learned->tree, w->values.care, visit_leaf, w);
    if (w->record)
        bk_cells_end_row(w->record, w->nth);
}

/* Reads cells, of this row and of later ones, until BK_WALK_AHEAD are at hand. */
INLINE void read_ahead(struct bk_walk *w, unsigned words)
{
    while (w->read - w->called < BK_WALK_AHEAD && w->in.row != UINT32_MAX) {
        struct bk_walk_ahead *cell = &w->ahead[w->read % BK_WALK_AHEAD];
        const struct bk_walk_ahead *sooner = &w->ahead[(w->read - BK_WALK_SOON) % BK_WALK_AHEAD];

        if (w->passed && bk_cells_pass(&w->in, w->passed, words))
            continue;
        cell->row = w->in.row;
        cell->odd = bk_cells_take(&w->in, &cell->leaf, cell->squares, words) & BK_CELL_ODD;
        if (w->kept)
            __builtin_prefetch((const char *)w->kept + cell->leaf * w->kept_bytes);
        if (w->soon && w->read - w->called >= BK_WALK_SOON && sooner->odd)
            w->soon(w, sooner);
        w->read++;
    }
}

/* Goes through the remembered cells of the row. */
INLINE void recall_row_of(struct bk_walk *w, unsigned words)
{
    w->seen = false;
    for (;;) {
        const struct bk_walk_ahead *cell = &w->ahead[w->called % BK_WALK_AHEAD];

        read_ahead(w, words);
        if (w->called == w->read || cell->row != w->nth)
            return;
        w->called++;
        w->odd = cell->odd;
        w->cell(w, cell->leaf, cell->squares);
    }
}

static void recall_row(struct bk_walk *w)
{
    if (w->words == 1)
        recall_row_of(w, 1);
    else
        recall_row_of(w, w->words);
}

/* Goes to the row that holds a number; its values are not read. */
static void find_row(struct bk_walk *w, uint64_t number)
{
    const struct bk_unit_source *s = w->src;

    s->row(s->context, number, &w->row, NULL, NULL);
}

void bk_walk(struct bk_walk *w, uint64_t from, uint64_t end)
{
    if (w->recall)
        w->in = bk_cells_read(w->recall);
    w->called = w->read = 0;
    find_row(w, from);
    if (w->row.first < from && w->row.first + w->row.n < end)
        find_row(w, w->row.first + w->row.n);
    while (w->row.first >= from && w->row.first < end) {
        if (w->begin)
            w->begin(w);
        if (w->recall)
            recall_row(w);
        else
            descend_row(w);
        w->nth++;
        if (w->row.first + w->row.n >= end)
            break;
        find_row(w, w->row.first + w->row.n);
    }
}

void bk_walk_read_at(struct bk_walk *w, uint64_t number)
{
    find_row(w, number);
    bk_walk_read(w);
}
