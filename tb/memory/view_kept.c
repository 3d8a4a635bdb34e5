/*
 * view_kept.c - views that share where men stand.  See view_kept.h.
 *
 * A *placing* is where one choice of squares for the men of several cells leads to: a block, and
 * the men's offset in it after each symmetry that the kings may ask for.
 *
 * Men of one cell never change the block; after a turn of the block and one of the kings they have
 * the same places in every view: *turned men*.
 *
 * So a view is: for each choice the placing, by the kings the slice and the turn, and then the rows
 * of the turned men from there on.
 *
 * Threads: what is not there yet is made by each that asks, and the first one's is kept.
 */
#include "tb/memory/view_kept.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tb/memory/view_rows.h"
#include "tb/memory/view_where.h"

/* Where a choice of squares for the men of several cells leads to, with all that is read of it in
   one piece of memory. */
struct placing {
    const struct bk_pairs *pairs; /* NULL: the table has no such block */
    const struct bk_memblock *mb;
    const uint8_t *code; /* of the side to move */
    uint64_t slice_stride;
    uint64_t offset[BK_SYMMETRIES]; /* by the symmetry that the kings ask for */
    unsigned turn_block;
};

/* The other free men after a turn of the block and one of the kings. */
struct turned_men {
    struct bk_view_places man[BK_SLOTS_MAX]; /* in the order of the view, but for the last: */
    struct bk_view_row last;
    unsigned n;                  /* of man[] */
    unsigned slot[BK_SLOTS_MAX]; /* of them and the last */
    bool any;                    /* there is a last man; else `last` is a single place */
};

struct bk_view_cache {
    /* By the square of the man that moves: placings of all choices of squares, the last man's
       fastest. */
    _Atomic(struct placing *) placing[BK_SQ_MAX];
    _Atomic(struct turned_men *) turned[BK_SYMMETRIES][BK_SYMMETRIES]; /* block's, kings' */
};

struct bk_view_cache *bk_view_cache_new(void) { return calloc(1, sizeof(struct bk_view_cache)); }

void bk_view_cache_free(struct bk_view_cache *c)
{
    if (!c)
        return;
    for (unsigned sq = 0; sq < BK_SQ_MAX; sq++)
        free(atomic_load(&c->placing[sq]));
    for (unsigned i = 0; i < BK_SYMMETRIES * BK_SYMMETRIES; i++)
        free(atomic_load(&c->turned[i / BK_SYMMETRIES][i % BK_SYMMETRIES]));
    free(c);
}

/* A view being filled. */
struct filling {
    struct bk_view_cache *c;
    const struct bk_view_plan *p;
    struct bk_placement at;
    const struct bk_free_man *men;
    size_t skip[BK_SLOTS_MAX];            /* of the view, by free man */
    unsigned still[BK_SLOTS_MAX], nstill; /* free men of several cells */
    unsigned other[BK_SLOTS_MAX], nother; /* of one */
    unsigned free_mask;                   /* slots of those */
    size_t pair[BK_SYMMETRIES];           /* of the kings, by turn of the block */
    unsigned stm;                         /* side to move in the table */
};

/* Returns the placing of the men of several cells, who stand where f->at says. */
static struct placing placing_of(const struct filling *f)
{
    struct bk_view_still men = { .b = NULL };
    struct placing at = { .pairs = NULL };

    if (!bk_view_place_still(f->p, &f->at, f->free_mask, &men) || !men.mb->code[f->stm])
        return at;
    at.pairs = men.b->pairs;
    at.mb = men.mb;
    at.code = men.mb->code[f->stm];
    at.slice_stride = men.mb->slice_stride;
    at.turn_block = men.turn_block;
    memcpy(at.offset, men.offset, sizeof at.offset);
    return at;
}

/* Writes the placings of all choices for these men from the ith on.  Returns the end. */
static struct placing *place_choices(struct filling *f, unsigned i, struct placing *at)
{
    const struct bk_free_man *man = &f->men[f->still[i]];

    if (i == f->nstill) {
        *at = placing_of(f);
        return at + 1;
    }
    for (unsigned j = 0; j < man->n; j++) {
        f->at.sq[man->slot] = man->sq[j];
        at = place_choices(f, i + 1, at);
    }
    return at;
}

static struct placing *placings_new(const struct filling *f)
{
    struct filling each = *f;
    struct placing *made;
    size_t n = 1;

    for (unsigned i = 0; i < f->nstill; i++)
        n *= f->men[f->still[i]].n;
    made = malloc(n * sizeof *made);
    if (made)
        place_choices(&each, 0, made);
    return made;
}

static struct turned_men *turned_new(const struct filling *f, const struct placing *at,
                                     unsigned sym)
{
    const struct bk_view_plan *p = f->p;
    const struct bk_index *ix = p->t->ix;
    const uint8_t *by_block = ix->map[at->turn_block], *by_kings = ix->map[sym];
    struct turned_men *made = calloc(1, sizeof *made);
    struct bk_view_located l = { .block = at->mb };
    uint8_t cell[BK_SLOTS_MAX], sq[BK_SLOTS_MAX];

    if (!made)
        return NULL;
    bk_view_squares_of(p, &f->at, sq);
    bk_view_find_slots(p, sq, cell, l.slot); /* of men of one cell the same after any turn */
    for (unsigned s = 0; s < ix->v->nsq; s++)
        l.map[s] = by_kings[by_block[p->exchanged ? p->swap[s] : s]];
    made->last.man = (struct bk_view_places){ .n = 1, .skip = 1 };
    for (unsigned i = 0; i < f->nother; i++) {
        struct bk_view_places *man = i + 1 < f->nother ? &made->man[i] : &made->last.man;

        bk_view_find_places(p, &l, &f->men[f->other[i]], man);
        man->skip = f->skip[f->other[i]];
        for (unsigned j = 0; j < p->nmen; j++)
            if (p->parent[j] == f->men[f->other[i]].slot)
                made->slot[i] = l.slot[j];
    }
    made->n = f->nother ? f->nother - 1 : 0;
    made->any = f->nother;
    bk_view_shape_row(&made->last);
    return made;
}

static const struct placing *find_placings(const struct filling *f, unsigned moved)
{
    _Atomic(struct placing *) *kept = &f->c->placing[moved];
    struct placing *found = atomic_load_explicit(kept, memory_order_acquire), *mine;

    if (found)
        return found;
    mine = placings_new(f);
    if (mine && !atomic_compare_exchange_strong(kept, &found, mine)) {
        free(mine); /* another thread was first */
        mine = found;
    }
    return mine;
}

static struct turned_men *find_turned(const struct filling *f, const struct placing *at,
                                      unsigned sym)
{
    _Atomic(struct turned_men *) *kept = &f->c->turned[at->turn_block][sym];
    struct turned_men *found = atomic_load_explicit(kept, memory_order_acquire), *mine;

    if (found)
        return found;
    mine = turned_new(f, at, sym);
    if (mine && !atomic_compare_exchange_strong(kept, &found, mine)) {
        free(mine);
        mine = found;
    }
    return mine;
}

/* Sets the men's strides to those of a block: with a sitting pawn they are larger. */
static void set_strides(struct turned_men *men, const struct bk_memblock *mb)
{
    for (unsigned i = 0; i < men->n; i++)
        men->man[i].stride = mb->stride[men->slot[i]];
    if (men->any) {
        men->last.man.stride = mb->stride[men->slot[men->n]];
        men->last.near = men->last.man.stride == 1;
    }
}

static bool has_strides(const struct turned_men *men, const struct bk_memblock *mb)
{
    for (unsigned i = 0; i < men->n; i++)
        if (men->man[i].stride != mb->stride[men->slot[i]])
            return false;
    return !men->any || men->last.man.stride == mb->stride[men->slot[men->n]];
}

/* Sets the scores of the men of one cell, from the ith on, to BK_SCORE_NONE. */
static void no_others(const struct filling *f, unsigned i, int16_t *out)
{
    const struct bk_free_man *man = &f->men[f->other[i]];

    if (i == f->nother) {
        *out = BK_SCORE_NONE;
        return;
    }
    for (unsigned j = 0; j < man->n; j++)
        no_others(f, i + 1, out + j * f->skip[f->other[i]]);
}

/* Fills the view of one choice.  False: no memory. */
static bool fill_choice(const struct filling *f, const struct placing *at, int16_t *out)
{
    int32_t slice = at->pairs ? at->pairs->slice[f->pair[at->turn_block]] : -1;
    struct bk_view_located l = { .block = at->mb, .stm = f->stm };
    const struct turned_men *men;
    struct turned_men other;
    unsigned sym;

    if (slice < 0) {
        no_others(f, 0, out);
        return true;
    }
    sym = at->pairs->sym[f->pair[at->turn_block]];
    men = find_turned(f, at, sym);
    if (!men)
        return false;
    if (!has_strides(men, at->mb)) {
        other = *men;
        set_strides(&other, at->mb);
        men = &other;
    }
    l.base = (uint64_t)slice * at->slice_stride + at->offset[sym];
    bk_view_gather(f->p->t, &l, l.base, men->man, men->n, &men->last, out);
    return true;
}

/* Fills the view of all choices of the last man of several cells, where no other is free and codes
   have one byte: the positions of a king that takes the inner man, each in another block. */
static void fill_single_places(const struct filling *f, const struct placing *at, unsigned n,
                               size_t skip, int16_t *out)
{
    const int16_t *score = f->p->t->score8;

    for (unsigned j = 0; j < n; j++, at++, out += skip) {
        size_t pair = f->pair[at->turn_block];
        int32_t slice = at->pairs ? at->pairs->slice[pair] : -1;

        *out = BK_SCORE_NONE;
        if (slice >= 0)
            *out = score[at->code[(uint64_t)slice * at->slice_stride +
                                  at->offset[at->pairs->sym[pair]]]];
    }
}

/* Fills the view of all choices for the men of several cells from the ith on, and moves *at on.
   False: no memory. */
static bool fill_choices(const struct filling *f, unsigned i, const struct placing **at,
                         int16_t *out)
{
    const struct bk_free_man *man = &f->men[f->still[i]];
    size_t skip = f->skip[f->still[i]];
    bool ok = true;

    if (i == f->nstill)
        return fill_choice(f, (*at)++, out);
    if (i + 1 == f->nstill && !f->nother && f->p->t->code_bytes == 1) {
        fill_single_places(f, *at, man->n, skip, out);
        *at += man->n;
        return true;
    }
    for (unsigned j = 0; ok && j < man->n; j++)
        ok = fill_choices(f, i + 1, at, out + j * skip);
    return ok;
}

/* Sets f->pair to the kings' pair in the table's own squares, by turn of the block. */
static void find_pairs(struct filling *f)
{
    const struct bk_index *ix = f->p->t->ix;
    unsigned wk = f->at.king[0], bk = f->at.king[1];

    if (f->p->exchanged) {
        wk = f->p->swap[f->at.king[1]];
        bk = f->p->swap[f->at.king[0]];
    }
    for (unsigned turn = 0; turn < BK_SYMMETRIES; turn++)
        if ((ix->group | 1) >> turn & 1)
            f->pair[turn] = (size_t)ix->map[turn][wk] * ix->v->nsq + ix->map[turn][bk];
}

void bk_view_fill_kept(struct bk_view_cache *c, const struct bk_view_plan *p,
                       const struct bk_placement *at, unsigned moved, const struct bk_free_man *men,
                       unsigned nfree, int16_t *out)
{
    struct filling f = { .c = c, .p = p, .at = *at, .men = men };
    const struct placing *placing;
    size_t skip = 1;

    if (p->t->by_rule) {
        bk_view_fill(p, at, men, nfree, out);
        return;
    }
    bk_view_stand_somewhere(p, men, nfree, &f.at);
    for (unsigned i = nfree; i-- > 0; skip *= men[i].n)
        f.skip[i] = skip;
    for (unsigned i = 0; i < nfree; i++) {
        if (p->t->ix->cells[bk_view_slot_like(p, men[i].slot)]->n > 1) {
            f.still[f.nstill++] = i;
        } else {
            f.other[f.nother++] = i;
            f.free_mask |= 1u << men[i].slot;
        }
    }
    f.stm = p->exchanged ? !p->stm : p->stm;
    find_pairs(&f);
    placing = find_placings(&f, moved);
    if (!placing || !fill_choices(&f, 0, &placing, out))
        bk_view_fill(p, at, men, nfree, out); /* no memory for it: the slow way */
}
