/*
 * solved.c - see solved.h.
 */
#include "tests/solved.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/end.h"
#include "core/geometry.h"
#include "core/move.h"
#include "tb/kernel/kernel.h"
#include "tb/solve/resume.h"
#include "tests/proof.h"

#define NEXT_MAX 1024

struct solved {
    const struct bk_variant *v;
    struct solved_options o;
    struct bk_pool *pool;
    struct bk_memtable **table;
    unsigned n, room;
    const struct bk_memtable *judged; /* stands for the table of its material; NULL: none does */
};

struct solved *solved_new(const struct bk_variant *v, const struct solved_options *o)
{
    struct solved *s = calloc(1, sizeof *s);

    if (!s || bk_pool_open(&s->pool, 2, NULL))
        exit(1);
    s->v = v;
    s->o = *o;
    return s;
}

void solved_free(struct solved *s)
{
    for (unsigned i = 0; i < s->n; i++)
        bk_memtable_free(s->table[i]);
    free(s->table);
    bk_pool_close(s->pool);
    free(s);
}

static const struct bk_memtable *find(void *context, const struct bk_material *m)
{
    const struct solved *s = context;

    if (s->judged && bk_material_equal(&s->judged->ix->m, m))
        return s->judged;
    for (unsigned i = 0; i < s->n; i++)
        if (bk_material_equal(&s->table[i]->ix->m, m))
            return s->table[i];
    return NULL;
}

static void keep(struct solved *s, struct bk_memtable *t)
{
    if (s->n == s->room) {
        s->room = s->room ? 2 * s->room : 64;
        s->table = realloc(s->table, s->room * sizeof *s->table);
        if (!s->table)
            exit(1);
    }
    s->table[s->n++] = t;
}

static enum bk_err solve(struct solved *s, struct bk_memtable *t, struct bk_report *why)
{
    static const struct bk_sink nobody;
    struct bk_solve_job job = { .t = t,
                                .kernel = bk_kernel_for(s->v->nsq),
                                .tables = { t, find, s },
                                .distances = s->o.distances,
                                .attain = true,
                                .strategy = BK_APART,
                                .k_max = s->o.k_max,
                                .sets_bytes = s->o.sets_bytes,
                                .sink = &nobody,
                                .pool = s->pool };
    struct bk_tally tally;

    if (s->o.distances ? s->o.ledger : s->o.compact)
        job.strategy = BK_COMPACT;
    if (s->o.groups)
        job.strategy = s->o.groups;
    return bk_solve_table(&job, &tally, why);
}

const struct bk_memtable *solved_table(struct solved *s, const struct bk_material *material)
{
    struct bk_material m = *material, *next;
    struct bk_report why = { "" };
    struct bk_memtable *t;
    unsigned n;
    enum bk_err err;

    if (find(s, &m))
        return find(s, &m);
    next = malloc(NEXT_MAX * sizeof *next);
    if (!next)
        exit(1);
    n = bk_material_by_rule(&m, s->v) ? 0 : bk_material_next(&m, s->v, next, NEXT_MAX);
    for (unsigned i = 0; i < n; i++) {
        bk_material_canonical(&next[i], s->v);
        if (!solved_table(s, &next[i])) {
            free(next);
            return NULL;
        }
    }
    free(next);
    err = bk_memtable_new(&t, s->v, &m, &why);
    if (!err && s->o.zeroing)
        bk_memtable_count_to_zeroing(t);
    if (!err && !t->by_rule)
        err = solve(s, t, &why);
    if (err == BK_E_USAGE) {
        bk_memtable_free(t);
        return NULL;
    }
    if (err) {
        printf("%s\n", why.text);
        exit(1);
    }
    keep(s, t);
    return t;
}

void solved_delay(struct solved *s, const struct bk_material *m, unsigned k)
{
    const struct bk_memtable *t = solved_table(s, m);

    if (!t || t->code_bytes != 2)
        exit(1);
    for (uint32_t block = 0; block < t->ix->nblocks; block++)
        for (unsigned side = 0; side < 2; side++) {
            uint16_t *code = t->block[block].code[side];

            for (size_t i = 0; i < bk_layout_code_bytes(t, block) / 2; i++)
                if (code[i] != BK_CODE_ILLEGAL && code[i] != BK_CODE_DRAW)
                    code[i] = (uint16_t)(code[i] + k);
        }
}

static bool same_block(const struct bk_memtable *x, const struct bk_memtable *y, uint32_t block,
                       unsigned side)
{
    const struct bk_memblock *a = &x->block[block], *b = &y->block[block];
    size_t codes = bk_layout_code_bytes(x, block), bits = bk_layout_bit_bytes(x, block);

    if (memcmp(a->code[side], b->code[side], codes) ||
        (a->draw[side] && memcmp(a->draw[side], b->draw[side], codes)))
        return false;
    for (unsigned told = 0; told < (x->code_bytes ? 2 : 1); told++)
        if (memcmp(a->attained[told][side], b->attained[told][side], bits))
            return false;
    return true;
}

bool solved_same(const struct bk_memtable *x, const struct bk_memtable *y)
{
    bool same = x->code_bytes == y->code_bytes;

    for (uint32_t block = 0; same && block < x->ix->nblocks; block++)
        for (unsigned side = 0; side < 2; side++)
            same = same && same_block(x, y, block, side);
    return same;
}

struct solved_value solved_value_of_code(const struct bk_memtable *t, unsigned code)
{
    unsigned loss = t->code_bytes < 2 ? BK_CODE_LOSS8 : BK_CODE_LOSS16;

    if (code == BK_CODE_ILLEGAL)
        return (struct solved_value){ .legal = false };
    if (code == BK_CODE_DRAW)
        return (struct solved_value){ .legal = true };
    return code < loss ? (struct solved_value){ true, 1, code - BK_CODE_WIN }
                       : (struct solved_value){ true, -1, code - loss };
}

struct solved_value solved_value_after(struct solved *s, const struct bk_pos *p, unsigned became)
{
    struct solved_value value = { .legal = bk_pos_legal(s->v, p) };
    const struct bk_memtable *t;
    struct bk_material m;
    struct bk_placement at;
    struct bk_pos q = *p;

    if (!value.legal || bk_pos_bare(s->v, p, &value.wdl) != BK_END_NONE)
        return value;
    bk_material_of(&m, s->v, p);
    if (bk_material_canonical(&m, s->v)) {
        bk_material_of(&m, s->v, p);
        q = proof_exchanged(s->v, p, (unsigned)bk_material_swap(&m, s->v));
        bk_material_canonical(&m, s->v);
    }
    t = solved_table(s, &m);
    if (!t || !bk_index_place(t->ix, &q, &at))
        exit(1);
    t = bk_memtable_for(t, !q.stm, became);
    return solved_value_of_code(t, bk_memtable_code(t, q.stm, at));
}

struct solved_value solved_value_of(struct solved *s, const struct bk_pos *p)
{
    return solved_value_after(s, p, BK_STAYS);
}

/* == Against their own moves == */

/* Returns whether value y is better than x for the side that has either. */
static bool is_better(const struct solved_value *y, const struct solved_value *x)
{
    if (y->wdl != x->wdl)
        return y->wdl > x->wdl;
    return y->wdl > 0 ? y->k < x->k : y->wdl < 0 && y->k > x->k;
}

/* Sets `out` to the best that the legal moves of a position bring.  False: it has none. */
static bool best_of_moves(struct solved *s, const struct bk_pos *p, struct solved_value *out)
{
    static struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(s->v, p, move);

    for (unsigned i = 0; i < n; i++) {
        struct bk_pos next = *p;
        struct solved_value x;

        bk_pos_play(&next, s->v, &move[i]);
        x = solved_value_of(s, &next);
        x.wdl = -x.wdl;
        x.k += x.wdl < 0; /* lost in 2k + 1 and one more; won in 2k and one more */
        if (!i || is_better(&x, out))
            *out = x;
    }
    return n;
}

static bool is_contradicted(struct solved *s, const struct bk_memtable *t, uint64_t number,
                            unsigned side)
{
    struct bk_placement at;
    struct bk_pos p;
    struct solved_value own, best;
    char fen[BK_FEN_MAX];

    bk_index_unrank(t->ix, number, &at);
    if (!bk_index_position(t->ix, &at, side, &p) || !bk_pos_legal(s->v, &p) ||
        !best_of_moves(s, &p, &best))
        return false;
    own = solved_value_of_code(t, bk_memtable_code(t, side, at));
    if (own.wdl == best.wdl && (!own.wdl || own.k == best.k))
        return false;
    printf("%s: %+d, k %u; by its moves %+d, k %u\n", bk_pos_to_fen(&p, s->v, fen), own.wdl, own.k,
           best.wdl, best.k);
    return true;
}

bool solved_contradicted(struct solved *s, const struct bk_memtable *t)
{
    bool found = false;

    s->judged = t;
    for (uint64_t number = 0; number < t->ix->positions && !found; number++)
        for (unsigned side = 0; side < 2; side++)
            found = found || is_contradicted(s, t, number, side);
    s->judged = NULL;
    return found;
}
