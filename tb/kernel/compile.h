/*
 * compile.h - a block's moves as sets and vectors, once for all its slices.
 */
#ifndef BK_KERNEL_COMPILE_H
#define BK_KERNEL_COMPILE_H

#include <stdlib.h>

#include "tb/kernel/slice.h"

/* The inner man's cell, where it may end a move unchanged, and where its steps may begin. */
static void compile_inner(struct bk_setup *s)
{
    const struct bk_variant *v = s->v;
    lanes *sets = s->inner_sets;
    set cell = NONE, stay = NONE;

    sets[0] = sets[1] = lanes_of(bit(0));
    if (s->inner.slot < 0)
        return;
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        if (s->ix->cells[s->inner.slot]->cell_of[sq] != BK_SQ_NONE)
            cell |= bit(sq);
        if (s->change_ok[s->inner.slot][BK_STAYS][sq])
            stay |= bit(sq);
    }
    sets[0] = lanes_of(cell);
    sets[1] = lanes_of(stay);
    for (unsigned i = 0; i < s->inner.nsteps; i++) {
        const struct bk_kstep *st = &s->inner.step[i];
        set src = NONE;

        for (unsigned sq = 0; sq < v->nsq; sq++) {
            int f = (int)(sq % v->files) + st->df, r = (int)(sq / v->files) + st->dr;

            if (f >= 0 && f < v->files && r >= 0 && r < v->ranks)
                src |= bit(sq);
        }
        sets[2 + i] = lanes_of(src);
    }
}

/* Fills bk_setup.inner_twice: by the square where the inner man takes on its way, the ends of these
   moves, and their beginnings. */
static void compile_inner_twice(struct bk_setup *s)
{
    const struct bk_variant *v = s->v;
    set *ends = s->inner_twice, *from = ends ? ends + v->nsq : NULL; /* NULL: he takes once */

    for (unsigned sq = 0; ends && sq < v->nsq; sq++) {
        unsigned n;
        const struct bk_reach *r = bk_reach_from(v, s->inner.type, s->inner.colour, sq, &n);

        for (unsigned i = 0; i < n; i++)
            if (r[i].how & BK_TWICE) {
                unsigned via = lowest(set_of(&v->geometry->path[r[i].path]));

                ends[via] |= bit(r[i].to);
                from[via * v->nsq + r[i].to] |= bit(sq);
            }
    }
}

/* Are all moves of an outer man leaps, or stopped by one set of squares? */
static bool moves_plainly(const struct bk_setup *s, const struct bk_outer *out)
{
    for (unsigned d = 0; d < out->n; d++)
        for (unsigned into = 0; into < 2; into++) {
            const struct bk_klist *list = into ? &out->into[d] : &out->from[d];

            for (unsigned i = 0; i < list->n; i++) {
                const struct bk_kmove *m = &s->moves.one[list->first + i];
                const struct bk_bits *path = &s->v->geometry->path[m->path];

                if (m->hops || m->npaths > 1 ||
                    (m->npaths && (bk_bits_has(path, m->from) || bk_bits_has(path, m->to))))
                    return false;
            }
        }
    return true;
}

static enum bk_lookup lookup_of(const struct bk_setup *s, const struct bk_outer *out)
{
    if (!moves_plainly(s, out))
        return BK_BY_LANE;
    if (out->stride % LANES == 0)
        return BK_BY_DIGIT;
    return out->stride == 1 && out->n % LANES == 0 ? BK_BY_VECTOR : BK_BY_LANE;
}

/* Returns an array of n elements with room for one more: it doubles when full.  NULL: no memory;
   `array` is as it was. */
static void *one_more(void *array, uint32_t n, size_t size)
{
    void *more;

    if (n && (n & (n - 1)))
        return array;
    more = aligned_alloc(64, ((n ? 2 * n : 1) * size + 63) & ~(size_t)63);
    if (more && n)
        memcpy(more, array, n * size);
    if (more)
        free(array);
    return more;
}

static struct bk_vmove *new_vmove(struct bk_setup *s, bool is_free)
{
    struct bk_vmove *moves = one_more(s->moves.vector, s->moves.nvector, sizeof *moves);
    bool room = !is_free || !s->moves.path; /* passes point there in any case */
    lanes *paths = room ? one_more(s->moves.path, s->moves.npath, sizeof *paths) : NULL;

    s->moves.vector = moves ? moves : s->moves.vector;
    s->moves.path = paths ? paths : s->moves.path;
    if (!moves || (room && !paths))
        return NULL;
    moves += s->moves.nvector++;
    *moves = (struct bk_vmove){ .free = is_free };
    if (!is_free) {
        moves->path = s->moves.npath++;
        paths[moves->path] = NO_LANES;
    }
    return moves;
}

/* Adds the move `m` of one lane to a list: to a vector's move that goes as far and has none of this
   lane yet, or to a new one.  False: no memory. */
static bool add_vmove(struct bk_setup *s, struct bk_klist *list, unsigned lane, int target,
                      const struct bk_kmove *m)
{
    int vectors = target >= 0 ? target / LANES : (target - LANES + 1) / LANES;
    unsigned turn = (unsigned)(target - vectors * LANES - (int)lane) * WORDS & 7;
    unsigned words = ((1u << WORDS) - 1) << lane * WORDS;
    struct bk_vmove *v = NULL;

    for (unsigned i = 0; !v && i < list->n; i++) {
        struct bk_vmove *x = &s->moves.vector[list->first + i];

        if (x->vectors == vectors && x->turn == turn && !(x->words & words) &&
            x->free == !m->npaths)
            v = x;
    }
    if (!v) {
        v = new_vmove(s, !m->npaths);
        if (!v)
            return false;
        list->n++;
        v->vectors = (int16_t)vectors;
        v->turn = (uint8_t)turn;
    }
    v->words |= (uint8_t)words;
    if (m->npaths)
        ((set *)&((lanes *)s->moves.path)[v->path])[lane] = set_of(&s->v->geometry->path[m->path]);
    return true;
}

/* Lists the last outer man's moves, for LANES of its squares at once.  False: no memory. */
static bool compile_vmoves(struct bk_setup *s, struct bk_outer *out)
{
    for (unsigned first = 0; first < out->n; first += LANES)
        for (unsigned into = 0; into < 2; into++) {
            struct bk_klist *all = into ? &out->vinto[first / LANES] : &out->vfrom[first / LANES];

            *all = (struct bk_klist){ s->moves.nvector, 0 };
            for (unsigned lane = 0; lane < LANES; lane++) {
                const struct bk_klist *list =
                    into ? &out->into[first + lane] : &out->from[first + lane];

                for (unsigned i = 0; i < list->n; i++)
                    if (!add_vmove(s, all, lane, (int)lane + s->moves.one[list->first + i].delta,
                                   &s->moves.one[list->first + i]))
                        return false;
            }
        }
    return true;
}

static bool compile_tables(struct bk_setup *s)
{
    set *occ = s->conf.occ, *counted = s->conf.count;

    compile_inner(s);
    compile_inner_twice(s);
    for (unsigned o = 0; o < s->nouter; o++) {
        s->outer[o].lookup = lookup_of(s, &s->outer[o]);
        if (s->outer[o].lookup == BK_BY_VECTOR && !compile_vmoves(s, &s->outer[o]))
            return false;
    }

    for (uint32_t conf = 0; conf < s->nconf; conf++) {
        bool sorted = true;

        occ[conf] = NONE;
        counted[conf] = ~NONE;
        for (unsigned o = 0; o < s->nouter; o++) {
            unsigned slot = s->outer[o].slot, sq = s->conf.sq[conf][o];

            occ[conf] |= bit(sq);
            for (unsigned p = 0; p < o; p++)
                if (s->ix->like[s->outer[p].slot] == s->ix->like[slot] &&
                    s->outer[p].digit[sq] != BK_SQ_NONE && s->conf.sq[conf][p] > sq)
                    sorted = false;
            if (s->inner.slot >= 0 && s->ix->like[s->inner.slot] == s->ix->like[slot])
                for (unsigned t = 0; t <= sq; t++)
                    counted[conf] &= ~bit(t);
        }
        if (!sorted)
            counted[conf] = NONE;
    }
    for (unsigned sym = 1; sym < BK_SYMMETRIES; sym++) {
        set(*tab)[256] = s->turn_tab[sym];

        if (!tab)
            continue;
        for (unsigned i = 0; i < BK_SET_BITS / 8; i++)
            for (unsigned value = 0; value < 256; value++) {
                tab[i][value] = NONE;
                for (unsigned j = 0; j < 8; j++)
                    if (value >> j & 1 && i * 8 + j < s->v->nsq)
                        tab[i][value] |=
                            bit(s->inner.slot < 0 ? i * 8 + j : s->ix->map[sym][i * 8 + j]);
            }
    }
    return true;
}

#endif
