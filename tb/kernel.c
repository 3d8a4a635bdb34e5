/*
 * kernel.c - the passes over one slice.  HOT.
 *
 * Compiled once for each width of a set (BK_SET_BITS) and each instruction
 * set; BK_KERNEL names the result.  All squares of the inner man are one word:
 * bit s is "true with the inner man on s"; LANES configurations are worked on
 * at once (lanes.h).  A slice has `pitch` sets, a whole number of such vectors;
 * what is beyond its nconf configurations counts as won and never changes.  A
 * pass reads any slice but writes only its own, so slices are worked on side by
 * side without locks.
 *
 * Invariants, for every configuration and side to move:
 *   won    grows; it holds illegal positions and clashes (two men on one
 *          square) from the start, so that moving there is never an escape
 *   und    legal and undecided; shrinks
 *   open   subset of und: no way out of the block saves the mover
 *   fwin   what the last odd ply added to won; floss what the last even ply lost
 *   dtw    of a decided position plies / 2; of an undecided one plies / 2 at
 *          which a way out counts (a win if not open, a delay of the loss if open)
 */
#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "core/rules.h"
#include "tb/lanes.h"
#include "tb/solve.h"

#define NAME2(a, b) a##b
#define NAME1(a, b) NAME2(a, b)
#define KERNEL_NAME NAME1(bk_kernel_, BK_KERNEL)
#define STRING2(x) #x
#define STRING1(x) STRING2(x)

enum {
    WAYS_MAX = 8, /* in which one man attacks one square: a leap, a ride, hops of many lengths */
};

/* == What a slice's passes share == */

struct ctx {
    const struct bk_solver *s;
    const struct bk_bits *path;
    unsigned king[2];
    set base_occ; /* kings and fixed men */
    set board, live; /* live: all ones if there is an inner man, else none */
    lanes inner_cell, inner_stay;
    const lanes *src; /* from where each step of the inner man stays on the rectangle */
    unsigned doublings; /* of a ride, until it is as long as the board */
    bool void_slice;       /* a king stands on a fixed man's square */
    unsigned nking[2];
    const struct bk_king_move *king_move[2];
};

struct scratch {
    struct ctx ctx;
    set *acc;           /* pitch: from where something can be reached */
    uint64_t *dirty;    /* nmarks: vectors of acc that hold anything */
    uint8_t *due;       /* nvec: lanes with something that has waited for this ply */
    int16_t *best;      /* nconf * width: best way out so far */
    uint8_t *touched;   /* nconf */
    int16_t *view;      /* the largest view of an exit */
};

static size_t align64(size_t n) { return (n + 63) & ~(size_t)63; }

/* The largest view: all men on their squares, but one that changes on any. */
static size_t view_bytes(const struct bk_solver *s)
{
    size_t all = (size_t)s->nconf * s->width, most = all;

    for (unsigned o = 0; o < s->nouter; o++)
        if (all / s->outer[o].n * s->v->nsq > most)
            most = all / s->outer[o].n * s->v->nsq;
    return most * sizeof(int16_t);
}

static size_t work_bytes(const struct bk_solver *s)
{
    return align64(sizeof(struct scratch)) + align64(s->pitch * sizeof(set)) +
           align64(s->nmarks * sizeof(uint64_t)) + align64(s->nvec) +
           align64((size_t)s->nconf * s->width * sizeof(int16_t)) + align64(s->nconf) +
           align64(view_bytes(s));
}

static void *carve(char **at, size_t bytes)
{
    void *here = *at;

    *at += align64(bytes);
    return here;
}

static struct scratch *lay_out(const struct bk_solver *s, void *work)
{
    char *at = work;
    struct scratch *w = carve(&at, sizeof *w);

    w->acc = carve(&at, s->pitch * sizeof(set));
    w->dirty = carve(&at, s->nmarks * sizeof(uint64_t));
    w->due = carve(&at, s->nvec);
    w->best = carve(&at, (size_t)s->nconf * s->width * sizeof(int16_t));
    w->touched = carve(&at, s->nconf);
    w->view = carve(&at, view_bytes(s));
    return w;
}

static void enter(struct ctx *c, const struct bk_solver *s, uint32_t slice)
{
    const struct bk_variant *v = s->v;

    c->s = s;
    c->path = v->geometry->path;
    c->king[0] = s->b->pairs->king[slice][0];
    c->king[1] = s->b->pairs->king[slice][1];
    c->base_occ = bit(c->king[0]) | bit(c->king[1]);
    c->void_slice = false;
    for (unsigned i = 0; i < s->nfixed; i++) {
        if (has(c->base_occ, s->fixed_sq[i]))
            c->void_slice = true;
        c->base_occ |= bit(s->fixed_sq[i]);
    }
    c->board = set_of(&v->board);
    c->live = s->inner.slot < 0 ? NONE : ~NONE;
    c->inner_cell = ((const lanes *)s->inner_sets)[0];
    c->inner_stay = ((const lanes *)s->inner_sets)[1];
    c->src = (const lanes *)s->inner_sets + 2;
    for (c->doublings = 0; 1u << c->doublings < v->files || 1u << c->doublings < v->ranks;)
        c->doublings++;
    for (unsigned side = 0; side < 2; side++) {
        c->king_move[side] = s->king_move[side] + s->king_first[side][slice];
        c->nking[side] = s->king_first[side][slice + 1] - s->king_first[side][slice];
    }
}

/* Squares of the inner man that leave a way of `npaths` paths open, the rest being `occ`. */
static inline set open_squares(const struct ctx *c, bool hops, unsigned npaths, uint32_t path,
                               set occ)
{
    set blocked = ~NONE;
    bool way = false;

    if (!npaths)
        return ~NONE;
    if (hops) {
        set between = set_of(&c->path[path]);
        unsigned screens = count(between & occ);

        return screens == 0 ? between & c->live : screens == 1 ? ~(between & c->live) : NONE;
    }
    for (unsigned i = 0; i < npaths; i++) {
        set p = set_of(&c->path[path + i]);

        if (!any(p & occ)) {
            blocked &= p;
            way = true;
        }
    }
    return way ? ~(blocked & c->live) : NONE;
}

/* == The inner man, backwards == */

static inline lanes unstep(const struct ctx *c, unsigned i, lanes x)
{
    return lanes_shifted(x, -c->s->inner.step[i].delta) & c->src[i];
}

/* One man must stand between. */
static lanes unhop(const struct ctx *c, unsigned i, lanes to, lanes empty)
{
    unsigned range = c->s->inner.step[i].range;
    lanes board = lanes_of(c->board), before = unstep(c, i, to), beyond = NO_LANES, acc = NO_LANES;

    for (unsigned n = 2; range == 0 || n <= range; n++) {
        beyond = unstep(c, i, (beyond & empty) | (before & ~empty & board));
        before = unstep(c, i, before & empty);
        acc |= beyond;
        if (!lanes_any(before | beyond))
            break;
    }
    return acc;
}

/*
 * A rider.  Without a limit the way back through empty squares doubles with
 * every round: `to` grows by 1, 2, 4, ... steps, `open` keeps the squares with
 * as many empty ones before them.
 */
static inline lanes unride(const struct ctx *c, unsigned i, lanes to, lanes empty)
{
    unsigned range = c->s->inner.step[i].range;
    int back = -c->s->inner.step[i].delta;
    lanes acc = NO_LANES, open = empty & c->src[i];

    if (range == 0 && back > 0) {
        for (unsigned n = 0; n < c->doublings; n++, back *= 2) {
            to |= lanes_up(to, (unsigned)back) & open;
            open &= lanes_up(open, (unsigned)back);
        }
        return unstep(c, i, to);
    }
    if (range == 0) {
        for (unsigned n = 0; n < c->doublings; n++, back *= 2) {
            to |= lanes_down(to, (unsigned)-back) & open;
            open &= lanes_down(open, (unsigned)-back);
        }
        return unstep(c, i, to);
    }
    for (unsigned n = 1; n <= range; n++) {
        to = unstep(c, i, to);
        acc |= to;
        to &= empty;
    }
    return acc;
}

/* Two leaps in one direction (same signs), the square between empty. */
static lanes untwo_straight(const struct ctx *c, lanes to, lanes empty)
{
    const struct bk_inner *in = &c->s->inner;
    lanes acc = NO_LANES;
    uint64_t done = 0;

    for (unsigned i = 0; i < in->nsteps; i++) {
        lanes mid = NO_LANES;
        uint64_t same = 0;

        if (done >> i & 1)
            continue;
        for (unsigned j = i; j < in->nsteps; j++) {
            const struct bk_kstep *a = &in->step[i], *b = &in->step[j];

            if ((a->df > 0) - (a->df < 0) == (b->df > 0) - (b->df < 0) &&
                (a->dr > 0) - (a->dr < 0) == (b->dr > 0) - (b->dr < 0)) {
                same |= UINT64_C(1) << j;
                mid |= unstep(c, j, to);
            }
        }
        acc |= mid;
        mid &= empty;
        done |= same;
        for (unsigned j = i; j < in->nsteps; j++)
            if (same >> j & 1)
                acc |= unstep(c, j, mid);
    }
    return acc;
}

/*
 * Two leaps in any directions, but not back to the start: the first step i may
 * be followed by every step but its opposite.  Prefix and suffix unions give
 * "all but one" without a square of work.
 */
static lanes untwo_bent(const struct ctx *c, lanes to, lanes empty)
{
    const struct bk_inner *in = &c->s->inner;
    lanes mid[BK_STEPS_MAX], after[BK_STEPS_MAX + 1], before = NO_LANES, acc = NO_LANES;
    lanes but[BK_STEPS_MAX];

    after[in->nsteps] = NO_LANES;
    for (unsigned i = in->nsteps; i-- > 0;) {
        mid[i] = unstep(c, i, to);
        acc |= mid[i];
        mid[i] &= empty;
        after[i] = after[i + 1] | mid[i];
    }
    for (unsigned i = 0; i < in->nsteps; i++) {
        but[i] = before | after[i + 1];
        before |= mid[i];
    }
    for (unsigned i = 0; i < in->nsteps; i++) {
        int op = in->step[i].opposite;

        acc |= unstep(c, i, op < 0 ? before : but[op]);
    }
    return acc;
}

/*
 * From where does the inner man reach `to` in one move, `empty` being the empty
 * squares without it?  how: BK_QUIET or BK_TAKES.  May contain occupied squares.
 */
static lanes inner_into(const struct ctx *c, lanes to, lanes empty, unsigned how)
{
    const struct bk_inner *in = &c->s->inner;
    lanes acc = NO_LANES;

    if (in->two_steps)
        return in->bend ? untwo_bent(c, to, empty) : untwo_straight(c, to, empty);
    for (unsigned i = 0; i < in->nsteps; i++) {
        if (!(in->step[i].how & how))
            continue;
        if (in->step[i].how & BK_HOPS)
            acc |= unhop(c, i, to, empty);
        else if (in->step[i].range == 1)
            acc |= unstep(c, i, to);
        else
            acc |= unride(c, i, to, empty);
    }
    return acc;
}

/* == Turning == */

static inline set turned(const struct bk_solver *s, unsigned sym, set x)
{
    const set(*tab)[256] = s->turn_tab[sym];
    set r = NONE;

    if (count(x) <= 6) {
        const uint8_t *map = s->ix->map[sym];

        EACH(sq, x)
            r |= bit(s->inner.slot < 0 ? sq : map[sq]);
        return r;
    }
#if BK_SET_BITS <= 128
    for (unsigned i = 0; i < BK_SET_BITS / 8; i++)
        r |= tab[i][(uint8_t)(x >> (8 * i))];
#else
    for (unsigned i = 0; i < BK_SET_BITS / 8; i++)
        r |= tab[i][(uint8_t)(x[i >> 3] >> (8 * (i & 7)))];
#endif
    return r;
}

static inline unsigned inverse(unsigned sym)
{
    return sym & 4 ? 4 | (sym & 1) << 1 | (sym & 2) >> 1 : sym;
}

/* The inner man's cell, where it may end a move unchanged, and where its steps may begin. */
static void compile_inner(struct bk_solver *s)
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
        if (s->change_ok[s->inner.slot][BK_TYPES_MAX][sq])
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

/* Are all moves of an outer man leaps, or stopped by one set of squares? */
static bool moves_plainly(const struct bk_solver *s, const struct bk_outer *out)
{
    for (unsigned d = 0; d < out->n; d++)
        for (unsigned into = 0; into < 2; into++) {
            const struct bk_klist *list = into ? &out->into[d] : &out->from[d];

            for (unsigned i = 0; i < list->n; i++) {
                const struct bk_kmove *m = &s->move[list->first + i];
                const struct bk_bits *path = &s->v->geometry->path[m->path];

                if (m->hops || m->npaths > 1 ||
                    (m->npaths && (bk_bits_has(path, m->from) || bk_bits_has(path, m->to))))
                    return false;
            }
        }
    return true;
}

static enum bk_lookup lookup_of(const struct bk_solver *s, const struct bk_outer *out)
{
    if (!moves_plainly(s, out))
        return BK_BY_LANE;
    if (out->stride % LANES == 0)
        return BK_BY_DIGIT;
    return out->stride == 1 && out->n % LANES == 0 ? BK_BY_VECTOR : BK_BY_LANE;
}

/* Room for one more in an array that doubles. */
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

static struct bk_vmove *new_vmove(struct bk_solver *s, bool is_free)
{
    struct bk_vmove *moves = one_more(s->vmove, s->nvmove, sizeof *moves);
    lanes *paths = is_free ? NULL : one_more(s->vpath, s->nvpath, sizeof *paths);

    s->vmove = moves ? moves : s->vmove;
    s->vpath = paths ? paths : s->vpath;
    if (!moves || (!is_free && !paths))
        return NULL;
    moves += s->nvmove++;
    *moves = (struct bk_vmove){ .free = is_free };
    if (!is_free) {
        moves->path = s->nvpath++;
        paths[moves->path] = NO_LANES;
    }
    return moves;
}

/* Adds one configuration's move to a list: to a vector's move that goes as far and has none of
   this lane yet. */
static bool add_vmove(struct bk_solver *s, struct bk_klist *list, unsigned lane, int target,
                      const struct bk_kmove *m)
{
    int vectors = target >= 0 ? target / LANES : (target - LANES + 1) / LANES;
    unsigned turn = (unsigned)(target - vectors * LANES - (int)lane) * WORDS & 7;
    unsigned words = ((1u << WORDS) - 1) << lane * WORDS;
    struct bk_vmove *v = NULL;

    for (unsigned i = 0; !v && i < list->n; i++) {
        struct bk_vmove *x = &s->vmove[list->first + i];

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
        ((set *)&((lanes *)s->vpath)[v->path])[lane] = set_of(&s->v->geometry->path[m->path]);
    return true;
}

/* The last outer man's moves, for LANES of its squares at once. */
static bool compile_vmoves(struct bk_solver *s, struct bk_outer *out)
{
    for (unsigned first = 0; first < out->n; first += LANES)
        for (unsigned into = 0; into < 2; into++) {
            struct bk_klist *all = into ? &out->vinto[first / LANES] : &out->vfrom[first / LANES];

            *all = (struct bk_klist){ s->nvmove, 0 };
            for (unsigned lane = 0; lane < LANES; lane++) {
                const struct bk_klist *list = into ? &out->into[first + lane]
                                                   : &out->from[first + lane];

                for (unsigned i = 0; i < list->n; i++)
                    if (!add_vmove(s, all, lane, (int)lane + s->move[list->first + i].delta,
                                   &s->move[list->first + i]))
                        return false;
            }
        }
    return true;
}

static bool compile_tables(struct bk_solver *s)
{
    set *occ = s->conf_occ, *counted = s->conf_count;

    compile_inner(s);
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
            unsigned slot = s->outer[o].slot, sq = s->conf_sq[conf][o];

            occ[conf] |= bit(sq);
            for (unsigned p = 0; p < o; p++)
                if (s->ix->like[s->outer[p].slot] == s->ix->like[slot] &&
                    s->b->cell[s->outer[p].slot] == s->b->cell[slot] && s->conf_sq[conf][p] > sq)
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

/* LANES sets each, from set `first` on. */
static inline lanes *vectors(void *sets, size_t first) { return (lanes *)((set *)sets + first); }

/* == Illegal positions == */

/*
 * How a man attacks the enemy king from some square.  A man that takes twice
 * does so, besides, if an enemy stands on one of `via`, or in passing, if none
 * of its own side stands on one of `ends`.
 */
struct attack {
    set via, ends;
    bool twice;
    uint8_t n;
    struct {
        bool hops;
        uint16_t npaths;
        uint32_t path;
    } way[WAYS_MAX];
};

static inline unsigned via_of(const struct ctx *c, const struct bk_reach *r)
{
    return lowest(set_of(&c->path[r->path]));
}

static void find_double_attacks(const struct ctx *c, unsigned type, unsigned colour,
                                struct attack by_square[BK_SQ_MAX])
{
    const struct bk_solver *s = c->s;
    unsigned king = c->king[!colour];

    for (unsigned sq = 0; sq < s->v->nsq; sq++) {
        struct attack *a = &by_square[sq];
        unsigned n;
        const struct bk_reach *r = bk_reach_from(s->v, type, colour, sq, &n);

        for (unsigned i = 0; i < n; i++) {
            if (!(r[i].how & BK_TWICE))
                continue;
            if (r[i].to == king)
                a->via |= bit(via_of(c, &r[i]));
            else if (via_of(c, &r[i]) == king)
                a->ends |= bit(r[i].to);
        }
        a->twice = any(a->via | a->ends);
    }
}

static void find_attacks(const struct ctx *c, unsigned type, unsigned colour,
                         struct attack by_square[BK_SQ_MAX])
{
    const struct bk_solver *s = c->s;
    unsigned n;
    const struct bk_reach *r = bk_reach_into(s->v, type, colour, c->king[!colour], &n);

    memset(by_square, 0, s->v->nsq * sizeof *by_square);
    for (unsigned i = 0; i < n; i++) {
        struct attack *a = &by_square[r[i].to];

        if (!(r[i].how & BK_TAKES) || a->n == WAYS_MAX)
            continue;
        a->way[a->n].hops = r[i].how & BK_HOPS;
        a->way[a->n].npaths = r[i].npaths;
        a->way[a->n++].path = r[i].path;
    }
    if (bk_rules_takes_twice(s->v, type))
        find_double_attacks(c, type, colour, by_square);
}

/* The squares of a side's men but the inner one. */
static set men_of(const struct ctx *c, unsigned side, uint32_t conf)
{
    const struct bk_solver *s = c->s;
    set men = bit(c->king[side]);

    for (unsigned i = 0; i < s->nfixed; i++)
        if (s->ix->colour[s->fixed_slot[i]] == side)
            men |= bit(s->fixed_sq[i]);
    for (unsigned o = 0; o < s->nouter; o++)
        if (s->outer[o].colour == side)
            men |= bit(s->conf_sq[conf][o]);
    return men;
}

static set attacked_twice(const struct ctx *c, const struct attack *a, unsigned side,
                          uint32_t conf)
{
    const struct bk_inner *in = &c->s->inner;
    set ends = a->ends & ~men_of(c, side, conf), x = NONE;

    if (any(a->via & men_of(c, !side, conf)))
        return ~NONE;
    if (in->slot >= 0 && in->colour != side)
        x = a->via;
    if (count(ends) > 1 || (any(ends) && (in->slot < 0 || in->colour != side)))
        return ~NONE;
    return any(ends) ? x | ~ends : x; /* the inner man may stand on the only end */
}

static inline set attacked_with(const struct ctx *c, const struct attack *a, unsigned side,
                                uint32_t conf, set occ)
{
    set x = a->twice ? attacked_twice(c, a, side, conf) : NONE;

    for (unsigned i = 0; i < a->n; i++)
        x |= open_squares(c, a->way[i].hops, a->way[i].npaths, a->way[i].path, occ);
    return x;
}

/* The positions of each configuration in which `side`, to move, could take the king. */
struct legality {
    bool kings_meet[2];
    struct attack fixed[BK_SLOTS_MAX];
    struct attack outer[BK_OUTERS_MAX][BK_SQ_MAX];
};

static void find_legality(const struct ctx *c, struct legality *l)
{
    const struct bk_solver *s = c->s;
    static _Thread_local struct attack by_square[BK_SQ_MAX];

    for (unsigned side = 0; side < 2; side++) {
        unsigned n;
        const struct bk_reach *r = bk_reach_from(s->v, s->v->royal, side, c->king[side], &n);

        l->kings_meet[side] = false;
        for (unsigned i = 0; i < n; i++)
            if (r[i].to == c->king[!side] && r[i].how & BK_TAKES)
                l->kings_meet[side] = true;
    }
    for (unsigned i = 0; i < s->nfixed; i++) {
        unsigned slot = s->fixed_slot[i];

        find_attacks(c, s->ix->type[slot], s->ix->colour[slot], by_square);
        l->fixed[i] = by_square[s->fixed_sq[i]];
    }
    for (unsigned o = 0; o < s->nouter; o++)
        find_attacks(c, s->outer[o].type, s->outer[o].colour, l->outer[o]);
}

static set illegal(const struct ctx *c, const struct legality *l, unsigned side, uint32_t conf,
                   set occ)
{
    const struct bk_solver *s = c->s;
    set x = l->kings_meet[side] ? ~NONE : NONE;

    for (unsigned i = 0; i < s->nfixed; i++)
        if (l->fixed[i].n + l->fixed[i].twice && s->ix->colour[s->fixed_slot[i]] == side)
            x |= attacked_with(c, &l->fixed[i], side, conf, occ);
    for (unsigned o = 0; o < s->nouter; o++) {
        const struct attack *a = &l->outer[o][s->conf_sq[conf][o]];

        if (a->n + a->twice && s->outer[o].colour == side)
            x |= attacked_with(c, a, side, conf, occ);
    }
    return x;
}

/* The men of LANES configurations, but for the inner one. */
static inline lanes occupied(const struct ctx *c, uint32_t vector)
{
    return lanes_of(c->base_occ) | ((const lanes *)c->s->conf_occ)[vector];
}

/*
 * Squares where the inner man of each of LANES configurations may be, all others
 * standing apart; none in a clash, and none past the last configuration.
 */
static inline lanes placed_in(const struct ctx *c, uint32_t vector)
{
    const struct bk_solver *s = c->s;
    const set *conf_occ = (const set *)s->conf_occ + vector * LANES;
    const uint8_t *clash = s->conf_clash + vector * LANES;
    lane_sets apart;

    for (unsigned i = 0; i < LANES; i++)
        apart[i] = c->void_slice || clash[i] || any(c->base_occ & conf_occ[i]) ? NONE : ~NONE;
    return *(const lanes *)apart & c->inner_cell & ~(occupied(c, vector) & lanes_of(c->live));
}

/* Of the positions `placed` of LANES configurations those that are legal with `side` to move. */
static lanes legal_of(const struct ctx *c, const struct legality *l, unsigned side,
                      uint32_t vector, lanes placed)
{
    const struct bk_solver *s = c->s;
    const set *conf_occ = (const set *)s->conf_occ + vector * LANES;
    lane_sets bad = { NONE };
    unsigned words = lanes_words(placed);

    if (!words)
        return placed;
    EACH_LANE(i, words)
        bad[i] = illegal(c, l, side, vector * LANES + i, c->base_occ | conf_occ[i]);
    placed &= ~*(const lanes *)bad;
    if (s->inner.slot >= 0 && s->inner.colour == side)
        placed &= ~inner_into(c, lanes_of(bit(c->king[!side])),
                              lanes_of(c->board) & ~occupied(c, vector), BK_TAKES);
    return placed;
}

/* == Ways out == */

static void offer_row(struct scratch *w, uint32_t conf, set from, const int16_t *row)
{
    w->touched[conf] = 1;
    raise_to_row(w->best + (size_t)conf * w->ctx.s->width, from, row, 0);
}

static void offer_one(struct scratch *w, uint32_t conf, set from, int16_t score)
{
    if (score == BK_SCORE_NONE)
        return;
    w->touched[conf] = 1;
    raise_to_row(w->best + (size_t)conf * w->ctx.s->width, from, NULL, score);
}

/*
 * A view: free men are the outers but for those taken, then the inner man
 * unless taken.  A mover of several cells is not free: what it may do differs
 * from square to square, and each square it goes to gets a view of its own.
 */
struct view {
    struct bk_free_man men[BK_SLOTS_MAX];
    unsigned n;
    uint32_t stride[BK_OUTERS_MAX]; /* by outer; 0 if not free */
    bool by_square[BK_OUTERS_MAX];  /* digit is the square (the man changes) */
    bool pinned[BK_OUTERS_MAX];     /* has one place only: */
    uint8_t target;                 /* the square of a fixed man that an outer one takes, or
                                       BK_SQ_NONE */
    bool has_inner;
};

/* Has this man squares from which there is no way back?  It is fixed, or its moves may
   lead out of the block. */
static inline bool leaves(const struct bk_solver *s, unsigned slot)
{
    return slot != BK_KINGS_SLOT && (s->ix->cells[slot]->n > 1 || s->ix->right[slot] >= 0);
}

static inline bool is_taken(const struct bk_exit *e, unsigned slot)
{
    return (int)slot == e->taken || (int)slot == e->also;
}

/* Where does a man go that takes this exit's fixed man, and nobody else? */
static uint8_t target_of(const struct bk_solver *s, const struct bk_exit *e)
{
    if (e->mover != BK_KINGS_SLOT && bk_rules_takes_twice(s->v, s->ix->type[e->mover]))
        return BK_SQ_NONE;
    for (unsigned i = 0; i < s->nfixed; i++)
        if ((int)s->fixed_slot[i] == e->taken)
            return s->fixed_sq[i];
    return BK_SQ_NONE;
}

static void shape_view(const struct bk_solver *s, const struct bk_exit *e, struct view *view)
{
    size_t stride = 1;

    memset(view, 0, sizeof *view);
    view->target = target_of(s, e);
    for (unsigned o = 0; o < s->nouter; o++) {
        const struct bk_outer *out = &s->outer[o];
        struct bk_free_man *man = &view->men[view->n];

        if (is_taken(e, out->slot) || (out->slot == e->mover && leaves(s, e->mover)))
            continue;
        if (out->slot == e->mover && e->becomes == BK_STAYS && view->target != BK_SQ_NONE) {
            view->pinned[o] = true;
            *man = (struct bk_free_man){ out->slot, 1, &view->target };
        } else if (out->slot == e->mover && e->becomes != BK_STAYS) {
            view->by_square[o] = true;
            *man = (struct bk_free_man){ out->slot, s->v->nsq, s->all_sq };
        } else {
            *man = (struct bk_free_man){ out->slot, out->n, out->sq };
        }
        view->n++;
    }
    view->has_inner = s->inner.slot >= 0 && !is_taken(e, (unsigned)s->inner.slot);
    if (view->has_inner) {
        view->men[view->n++] =
            (struct bk_free_man){ (uint8_t)s->inner.slot, s->v->nsq, s->all_sq };
        stride = s->v->nsq;
    }
    for (unsigned o = s->nouter; o-- > 0;) {
        unsigned slot = s->outer[o].slot;

        if (is_taken(e, slot) || (slot == e->mover && leaves(s, slot)))
            continue;
        view->stride[o] = (uint32_t)stride;
        stride *= view->pinned[o] ? 1 : view->by_square[o] ? s->v->nsq : s->outer[o].n;
    }
}

/* Offset of a configuration in a view, with outer `moved` (or -1) on `to`. */
static inline size_t view_offset(const struct bk_solver *s, const struct view *view, uint32_t conf,
                                 int moved, unsigned to)
{
    size_t at = 0;

    for (unsigned o = 0; o < s->nouter; o++) {
        unsigned sq = (int)o == moved ? to : s->conf_sq[conf][o];

        if (!view->pinned[o])
            at += (size_t)view->stride[o] * (view->by_square[o] ? sq : s->outer[o].digit[sq]);
    }
    return at;
}

/* Is the man of `slot` on `sq` in a configuration, and for which inner squares? */
static inline set stands_on(const struct bk_solver *s, int slot, uint32_t conf, unsigned sq,
                            set placed)
{
    if (slot == s->inner.slot)
        return placed & bit(sq);
    for (unsigned o = 0; o < s->nouter; o++)
        if (s->outer[o].slot == slot)
            return s->conf_sq[conf][o] == sq ? placed : NONE;
    for (unsigned i = 0; i < s->nfixed; i++)
        if (s->fixed_slot[i] == slot)
            return s->fixed_sq[i] == sq ? placed : NONE;
    return NONE;
}

struct exits {
    struct scratch *w;
    const struct bk_exit *e;
    struct view view;
    const set *legal; /* by configuration: positions with the mover to move */
    struct bk_placement at;
};

static void fill(struct exits *x)
{
    bk_view_fill(&x->e->plan, &x->at, x->view.men, x->view.n, x->w->view);
}

/* What a reach must be able to do for this exit. */
static inline unsigned ways_of(const struct bk_exit *e)
{
    return e->taken < 0 ? BK_QUIET : e->also < 0 ? BK_TAKES | BK_TWICE : BK_TWICE;
}

static inline set empty_on(const struct ctx *c, unsigned sq, set occ, set from)
{
    return has(occ, sq) ? NONE : from & ~(bit(sq) & c->live);
}

/* Takes on the way, and where it ends if the exit takes two. */
static set taking_twice(const struct exits *x, uint32_t conf, const struct bk_reach *r, set occ)
{
    const struct ctx *c = &x->w->ctx;
    const struct bk_solver *s = c->s;
    set from = x->legal[conf];
    unsigned via = via_of(c, r);

    if (x->e->also < 0)
        return empty_on(c, r->to, occ, stands_on(s, x->e->taken, conf, via, from));
    return stands_on(s, x->e->also, conf, r->to, stands_on(s, x->e->taken, conf, via, from)) |
           stands_on(s, x->e->taken, conf, r->to, stands_on(s, x->e->also, conf, via, from));
}

/* The inner squares for which the mover may go by `r` and take what the exit says. */
static inline set going(const struct exits *x, uint32_t conf, const struct bk_reach *r, set occ)
{
    const struct ctx *c = &x->w->ctx;
    set from = x->legal[conf];

    if (r->how & BK_TWICE)
        return taking_twice(x, conf, r, occ);
    from = x->e->taken >= 0 ? stands_on(c->s, x->e->taken, conf, r->to, from)
                            : empty_on(c, r->to, occ, from);
    if (any(from))
        from &= open_squares(c, r->how & BK_HOPS, r->npaths, r->path, occ);
    return from;
}

/* The configurations in which one outer man stands on one square: runs of some, and `skip` between
   them.  All: a run of nconf. */
struct pin {
    uint32_t first, run, skip, end;
};

static inline uint32_t next_pinned(struct pin *p, uint32_t conf)
{
    if (++conf < p->end)
        return conf;
    p->end += p->run + p->skip;
    return conf + p->skip;
}

static struct pin pin_to(const struct bk_solver *s, unsigned o, unsigned sq)
{
    const struct bk_outer *out = &s->outer[o];

    uint32_t first = out->digit[sq] * out->stride;

    if (out->digit[sq] == BK_SQ_NONE) /* nowhere */
        return (struct pin){ .first = s->nconf };
    return (struct pin){ first, out->stride, (out->n - 1) * out->stride, first + out->stride };
}

/* The mover stands on `home`, or the man that is taken where `r` ends. */
static struct pin pin_of(const struct exits *x, const struct bk_reach *r, unsigned mover,
                         unsigned home)
{
    const struct bk_solver *s = x->w->ctx.s;

    if (mover < s->nouter)
        return pin_to(s, mover, home);
    for (unsigned o = 0; r && !(r->how & BK_TWICE) && o < s->nouter; o++)
        if ((int)s->outer[o].slot == x->e->taken)
            return pin_to(s, o, r->to);
    return (struct pin){ 0, s->nconf, 0, s->nconf };
}

/*
 * Offers view values to all positions in which the mover, from `home`, reaches
 * an end by way `r` (NULL: changes where it stands).  mover: its number among
 * the outers, or s->nouter if it is none of them: then it stands on `home` anyway.
 */
static void offer_arrivals(struct exits *x, const struct bk_reach *r, unsigned mover,
                           unsigned home)
{
    const struct ctx *c = &x->w->ctx;
    const struct bk_solver *s = c->s;

    struct pin pin = pin_of(x, r, mover, home);

    for (uint32_t conf = pin.first; conf < s->nconf; conf = next_pinned(&pin, conf)) {
        set occ, from;

        if (!any(x->legal[conf]))
            continue;
        occ = c->base_occ | ((const set *)s->conf_occ)[conf];
        from = r ? going(x, conf, r, occ) : x->legal[conf];
        if (!any(from))
            continue;
        if (x->view.has_inner)
            offer_row(x->w, conf, from, x->w->view + view_offset(s, &x->view, conf, -1, 0));
        else
            offer_one(x->w, conf, from, x->w->view[view_offset(s, &x->view, conf, -1, 0)]);
    }
}

/* Is there a configuration with the man of `slot` on this square? */
static bool may_stand(const struct bk_solver *s, int slot, unsigned sq)
{
    for (unsigned i = 0; i < s->nfixed; i++)
        if (s->fixed_slot[i] == slot)
            return s->fixed_sq[i] == sq;
    return true;
}

static void king_exits(struct exits *x)
{
    const struct bk_solver *s = x->w->ctx.s;
    unsigned side = x->e->colour, home = x->at.king[side], n;
    const struct bk_reach *r = bk_reach_from(s->v, s->v->royal, side, home, &n);

    for (unsigned i = 0; i < n; i++) {
        if (!(r[i].how & ways_of(x->e)) || r[i].to == x->at.king[!side] ||
            !may_stand(s, x->e->taken, r[i].to) ||
            !bk_rules_may_stand(s->v, s->v->royal, side, r[i].to))
            continue;
        x->at.king[side] = r[i].to;
        fill(x);
        offer_arrivals(x, &r[i], s->nouter, home);
    }
    x->at.king[side] = (uint8_t)home;
}

/* The squares that must be empty but for king and rook: from the leftmost to the rightmost
   of where they stand and go. */
static set castling_way(const struct bk_variant *v, unsigned right)
{
    const struct bk_castling *k = &v->castling;
    unsigned side = right & 1, king = bk_right_king(v, right), rook = bk_right_home(v, right);
    unsigned rank = king - k->king_file, low = king, high = king;
    const unsigned other[] = { rook, rank + k->king_to[side], rank + k->rook_to[side] };
    set way = NONE;

    for (unsigned i = 0; i < 3; i++) {
        low = other[i] < low ? other[i] : low;
        high = other[i] > high ? other[i] : high;
    }
    for (unsigned sq = low; sq <= high; sq++)
        if (sq != king && sq != rook)
            way |= bit(sq);
    return way;
}

/* Of the positions `from` of a configuration those in which the king may castle. */
static set may_castle(const struct exits *x, struct bk_placement *at, uint32_t conf, set from)
{
    const struct bk_solver *s = x->w->ctx.s;
    set yes = NONE;

    for (unsigned o = 0; o < s->nouter; o++)
        at->sq[s->outer[o].slot] = s->conf_sq[conf][o];
    EACH(sq, from) {
        if (s->inner.slot >= 0)
            at->sq[s->inner.slot] = (uint8_t)sq;
        if (bk_solve_may_castle(s, x->e, at))
            yes |= bit(sq);
    }
    return yes;
}

static void castling_exits(struct exits *x)
{
    const struct ctx *c = &x->w->ctx;
    const struct bk_solver *s = c->s;
    const struct bk_castling *k = &s->v->castling;
    unsigned right = (unsigned)x->e->castles, side = right & 1, slot = 0;
    unsigned rank = bk_right_king(s->v, right) - k->king_file;
    set way = castling_way(s->v, right);
    struct bk_placement before = x->at;

    if (any(way & (c->base_occ | ~c->board)))
        return;
    while (s->ix->right[slot] != (int)right)
        slot++;
    x->at.king[x->e->colour] = (uint8_t)(rank + k->king_to[side]);
    x->at.sq[slot] = (uint8_t)(rank + k->rook_to[side]);
    fill(x);
    for (uint32_t conf = 0; conf < s->nconf; conf++) {
        set from = x->legal[conf] & ~(way & c->live);
        size_t at = view_offset(s, &x->view, conf, -1, 0);

        if (any(way & ((const set *)s->conf_occ)[conf]) || !any(from))
            continue;
        from = may_castle(x, &before, conf, from);
        if (x->view.has_inner)
            offer_row(x->w, conf, from, x->w->view + at);
        else
            offer_one(x->w, conf, from, x->w->view[at]);
    }
}

/* Does this move lead to a block that is being solved at the same time? */
static bool is_step(const struct bk_solver *s, unsigned slot, unsigned to)
{
    for (unsigned i = 0; i < s->nstep; i++)
        if (s->step[i].slot == slot && s->step[i].to == to)
            return true;
    return false;
}

/* A man of several cells moves from `home`.  mover: as for offer_arrivals(). */
static void exits_from(struct exits *x, unsigned mover, unsigned home)
{
    const struct bk_solver *s = x->w->ctx.s;
    unsigned slot = x->e->mover, n;
    const struct bk_reach *r = bk_reach_from(s->v, s->ix->type[slot], x->e->colour, home, &n);
    unsigned kind = x->e->becomes == BK_STAYS ? BK_TYPES_MAX : x->e->becomes;

    for (unsigned i = 0; i < n; i++) {
        if (!(r[i].how & ways_of(x->e)) || !s->change_ok[slot][kind][r[i].to])
            continue;
        if (x->e->taken >= 0 && r[i].how & BK_TAKES && !may_stand(s, x->e->taken, r[i].to))
            continue;
        if (x->e->in_block && mover < s->nouter && s->outer[mover].digit[r[i].to] != BK_SQ_NONE)
            continue; /* no way out: it stays in its cell */
        if (x->e->in_block && is_step(s, slot, r[i].to))
            continue; /* nor this: it stays in the chain */
        x->at.sq[slot] = r[i].to;
        fill(x);
        if (x->e->in_block)
            bk_solve_passing((struct bk_solver *)s, x->e, home, r[i].to, &x->at, x->view.men,
                             x->view.n, x->w->view);
        offer_arrivals(x, &r[i], mover, home);
    }
    x->at.sq[slot] = (uint8_t)home;
    if (x->e->taken < 0 && kind < BK_TYPES_MAX && s->change_here[slot][kind][home]) {
        fill(x);
        offer_arrivals(x, NULL, mover, home);
    }
}

/* One reach of an outer man in one configuration. */
static void outer_arrives(struct exits *x, unsigned o, uint32_t conf, const struct bk_reach *r,
                          set occ)
{
    const struct bk_solver *s = x->w->ctx.s;
    unsigned kind = x->e->becomes == BK_STAYS ? BK_TYPES_MAX : x->e->becomes;
    set from;
    size_t at;

    if (!s->change_ok[s->outer[o].slot][kind][r->to])
        return;
    from = going(x, conf, r, occ);
    if (!any(from))
        return;
    at = view_offset(s, &x->view, conf, (int)o, r->to);
    if (x->view.has_inner)
        offer_row(x->w, conf, from, x->w->view + at);
    else
        offer_one(x->w, conf, from, x->w->view[at]);
}

static unsigned outer_of_slot(const struct bk_solver *s, int slot)
{
    unsigned o = 0;

    while (o < s->nouter && (int)s->outer[o].slot != slot)
        o++;
    return o;
}

/* The one square a taken man can be on in this configuration; BK_SQ_NONE if it is the inner man */
static unsigned taken_square(const struct bk_solver *s, int taken, uint32_t conf)
{
    unsigned o = outer_of_slot(s, taken);

    if (o < s->nouter)
        return s->conf_sq[conf][o];
    for (unsigned i = 0; i < s->nfixed; i++)
        if (s->fixed_slot[i] == taken)
            return s->fixed_sq[i];
    return BK_SQ_NONE;
}

/* Of men that have squares without a way back: pawns. */
static void leaver_exits(struct exits *x)
{
    const struct bk_solver *s = x->w->ctx.s;
    unsigned o = outer_of_slot(s, x->e->mover);

    if (o == s->nouter)
        exits_from(x, o, x->at.sq[x->e->mover]);
    for (unsigned d = 0; o < s->nouter && d < s->outer[o].n; d++)
        exits_from(x, o, s->outer[o].sq[d]);
}

static void outer_exits(struct exits *x)
{
    const struct ctx *c = &x->w->ctx;
    const struct bk_solver *s = c->s;
    unsigned o = outer_of_slot(s, x->e->mover), slot = x->e->mover;
    unsigned how = ways_of(x->e);
    bool twice = bk_rules_takes_twice(s->v, s->outer[o].type); /* `to` is not all it takes on */
    const struct bk_reach *all = s->v->geometry->reach;

    fill(x);
    for (uint32_t conf = 0; conf < s->nconf; conf++) {
        unsigned home = s->conf_sq[conf][o], n, to;
        const struct bk_reach *r;
        set occ;

        if (!any(x->legal[conf]))
            continue;
        occ = c->base_occ | ((const set *)s->conf_occ)[conf];
        to = x->e->taken >= 0 && !twice ? taken_square(s, x->e->taken, conf) : BK_SQ_NONE;
        r = bk_reach_from(s->v, s->outer[o].type, x->e->colour, home, &n);
        if (to != BK_SQ_NONE) { /* at most a few ways lead there */
            uint32_t first = s->link[slot][home * s->v->nsq + to];
            const struct bk_reach *end = r + n;

            for (r = first ? all + first - 1 : end; r < end && r->to == to; r++)
                if (r->how & how)
                    outer_arrives(x, o, conf, r, occ);
            continue;
        }
        for (unsigned i = 0; i < n; i++)
            if (r[i].how & how)
                outer_arrives(x, o, conf, &r[i], occ);
        if (x->e->taken < 0 && x->e->becomes != BK_STAYS &&
            s->change_here[slot][x->e->becomes][home]) {
            size_t at = view_offset(s, &x->view, conf, (int)o, home);

            if (x->view.has_inner)
                offer_row(x->w, conf, x->legal[conf], x->w->view + at);
            else
                offer_one(x->w, conf, x->legal[conf], x->w->view[at]);
        }
    }
}

/* The inner man takes: the square to go to is another one in every configuration. */
static void inner_captures(struct exits *x, uint32_t vector)
{
    const struct ctx *c = &x->w->ctx;
    const struct bk_solver *s = c->s;
    unsigned slot = x->e->mover, to[LANES];
    unsigned kind = x->e->becomes == BK_STAYS ? BK_TYPES_MAX : x->e->becomes;
    lane_sets there = { NONE }, from;
    unsigned words = lanes_words(((const lanes *)x->legal)[vector]), left = words;

    EACH_LANE(i, left) {
        to[i] = taken_square(s, x->e->taken, vector * LANES + i);
        if (s->change_ok[slot][kind][to[i]])
            there[i] = bit(to[i]);
    }
    *(lanes *)from = ((const lanes *)x->legal)[vector] &
                     inner_into(c, *(const lanes *)there,
                                lanes_of(c->board) & ~occupied(c, vector), BK_TAKES);
    EACH_LANE(i, words)
        if (any(from[i]))
            offer_one(x->w, vector * LANES + i, from[i],
                      x->w->view[view_offset(s, &x->view, vector * LANES + i, -1, 0) + to[i]]);
}

/* The inner man changes, where it arrives or where it stands. */
static void inner_changes(struct exits *x, uint32_t vector)
{
    const struct ctx *c = &x->w->ctx;
    const struct bk_solver *s = c->s;
    unsigned slot = x->e->mover, kind = x->e->becomes == BK_STAYS ? BK_TYPES_MAX : x->e->becomes;
    const set *legal = x->legal + vector * LANES;
    lanes empty = lanes_of(c->board) & ~occupied(c, vector);
    const int16_t *row[LANES];

    for (unsigned i = 0; i < LANES && vector * LANES + i < s->nconf; i++)
        row[i] = x->w->view + view_offset(s, &x->view, vector * LANES + i, -1, 0);
    for (unsigned sq = 0; sq < s->v->nsq; sq++) {
        lane_sets from;
        lanes to = lanes_of(bit(sq)) & empty;
        unsigned words;

        if (!s->change_ok[slot][kind][sq])
            continue;
        *(lanes *)from = *(const lanes *)legal & inner_into(c, to, empty, BK_QUIET) & ~to;
        words = lanes_words(*(const lanes *)from);
        EACH_LANE(i, words)
            offer_one(x->w, vector * LANES + i, from[i], row[i][sq]);
    }
    for (unsigned i = 0; kind < BK_TYPES_MAX && i < LANES; i++) {
        set home = legal[i];

        EACH(sq, home)
            if (s->change_here[slot][kind][sq])
                offer_one(x->w, vector * LANES + i, bit(sq), row[i][sq]);
    }
}

static void inner_exits(struct exits *x)
{
    const struct bk_solver *s = x->w->ctx.s;

    fill(x);
    for (uint32_t vector = 0; vector < s->nvec; vector++) {
        if (!lanes_any(((const lanes *)x->legal)[vector]))
            continue;
        if (x->e->taken >= 0)
            inner_captures(x, vector);
        else
            inner_changes(x, vector);
    }
}

/* == First pass: what is illegal, and what the ways out are worth == */

static inline unsigned dtw_get(const struct bk_solver *s, const void *dtw, size_t i)
{
    return s->dtw_bytes == 1 ? ((const uint8_t *)dtw)[i] : ((const uint16_t *)dtw)[i];
}

static inline void dtw_put(const struct bk_solver *s, void *dtw, size_t i, unsigned k)
{
    if (s->dtw_bytes == 1)
        ((uint8_t *)dtw)[i] = (uint8_t)k;
    else
        ((uint16_t *)dtw)[i] = (uint16_t)k;
}

static inline uint64_t wait_bit(unsigned k) { return UINT64_C(1) << (k < 63 ? k : 63); }

/* Threads share the maximum. */
static void raise_to(unsigned *max, unsigned k)
{
    unsigned seen = __atomic_load_n(max, __ATOMIC_RELAXED);

    while (seen < k && !__atomic_compare_exchange_n(max, &seen, k, true, __ATOMIC_RELAXED,
                                                    __ATOMIC_RELAXED))
        ;
}

/* The ways out of `x`: their plies / 2 go to dtw.  Returns the mask of them. */
static uint64_t store_ways(struct bk_solver *s, unsigned side, size_t base, set x,
                           const int16_t *best)
{
    uint64_t waits = 0;

    if (s->dtw_bytes == 1)
        return put_half_plies((uint8_t *)s->dtw[side] + base, x, best, BK_SCORE_WIN, s->k_limit);
    EACH(sq, x) {
        int score = best[sq];
        unsigned k = (unsigned)(BK_SCORE_WIN - (score > 0 ? score : -score)) >> 1;

        if (k > s->k_limit)
            k = s->k_limit; /* the solve is given up and begun anew with wider ones */
        dtw_put(s, s->dtw[side], base + sq, k);
        waits |= wait_bit(k);
    }
    return waits;
}

/* The largest k stored for x, whose mask is `waits`. */
static unsigned latest(const struct bk_solver *s, unsigned side, size_t base, set x,
                       uint64_t waits)
{
    unsigned most = 63 - (unsigned)__builtin_clzll(waits);

    if (most < 63)
        return most;
    EACH(sq, x) {
        unsigned k = dtw_get(s, s->dtw[side], base + sq);

        most = k > most ? k : most;
    }
    return most;
}

/* Something in this configuration waits for the plies of `waits`, the last of them 2 * most. */
static void note_wait(struct bk_solver *s, unsigned side, uint32_t slice, uint32_t conf,
                      uint64_t waits, unsigned most)
{
    s->waits[side][(size_t)slice * s->pitch + conf] |= waits;
    s->vector_waits[side][(size_t)slice * s->nvec + conf / LANES] |= waits;
    s->slice_waits[side][slice] |= waits;
    raise_to(&s->k_wait_max, most);
}

/* Ways out of a vector delay losses until ply 2 * most. */
static void note_delay(struct bk_solver *s, unsigned side, uint32_t slice, uint32_t vector,
                       unsigned most)
{
    uint8_t *delay = &s->delay[side][(size_t)slice * s->nvec + vector];

    if (most > *delay)
        *delay = most < 255 ? (uint8_t)most : 255;
}

static inline void mark(uint64_t *marks, uint32_t vector)
{
    marks[vector / 64] |= UINT64_C(1) << vector % 64;
}

/* Enters the best way out of every position of a configuration. */
static void settle(struct bk_solver *s, struct scratch *w, unsigned side, uint32_t slice,
                   uint32_t conf)
{
    size_t at = (size_t)slice * s->pitch + conf;
    size_t base = ((size_t)slice * s->nconf + conf) * s->width;
    const int16_t *best = w->best + (size_t)conf * s->width;
    struct by_score way = sort_scores(best, s->width, BK_SCORE_NONE,
                                      s->distances ? BK_SCORE_WIN - 2 : 0);
    set losing = way.any & ~way.saving, later = way.winning & ~way.soon;
    uint64_t waits;

    ((set *)s->open[side])[at] &= ~way.saving;
    ((set *)s->floss[side])[at] = losing;
    ((set *)s->fwin[side])[at] = way.soon;
    if (any(way.soon)) {
        mark(s->fwin_marks[side] + (size_t)slice * s->nmarks, conf / LANES);
        s->fwin_any[side][slice] = 1;
    }
    if (!s->distances)
        return;
    waits = any(losing) ? store_ways(s, side, base, losing, best) : 0;
    if (waits)
        note_delay(s, side, slice, conf / LANES, latest(s, side, base, losing, waits));
    waits = any(later) ? store_ways(s, side, base, later, best) : 0;
    if (waits)
        note_wait(s, side, slice, conf, waits, latest(s, side, base, later, waits));
}

static void init(struct bk_solver *s, uint32_t slice, void *work)
{
    struct scratch *w = lay_out(s, work);
    struct ctx *c = &w->ctx;
    static _Thread_local struct legality legality;
    size_t first = (size_t)slice * s->pitch;

    enter(c, s, slice);
    find_legality(c, &legality);
    for (uint32_t vector = 0; vector < s->nvec; vector++) {
        lanes placed = placed_in(c, vector);

        for (unsigned side = 0; side < 2; side++) {
            lanes legal = legal_of(c, &legality, side, vector, placed);

            vectors(s->won[side], first)[vector] = ~legal;
            vectors(s->und[side], first)[vector] = legal;
            vectors(s->open[side], first)[vector] = legal;
            vectors(s->fwin[side], first)[vector] = NO_LANES;
            vectors(s->floss[side], first)[vector] = NO_LANES;
        }
    }
    if (c->void_slice)
        return;
    for (unsigned side = 0; side < 2; side++) {
        struct exits x = { .w = w, .legal = (set *)s->und[side] + first };
        bool used = false;

        for (uint32_t i = 0; i < s->nexit; i++) {
            x.e = &s->exit[i];
            if (x.e->colour != side)
                continue;
            if (!used) {
                for (size_t j = 0; j < (size_t)s->nconf * s->width; j++)
                    w->best[j] = BK_SCORE_NONE;
                memset(w->touched, 0, s->nconf);
                used = true;
            }
            x.at.king[0] = (uint8_t)c->king[0];
            x.at.king[1] = (uint8_t)c->king[1];
            for (unsigned j = 0; j < s->nfixed; j++)
                x.at.sq[s->fixed_slot[j]] = s->fixed_sq[j];
            shape_view(s, x.e, &x.view);
            if (x.e->castles >= 0)
                castling_exits(&x);
            else if (x.e->mover == BK_KINGS_SLOT)
                king_exits(&x);
            else if ((int)x.e->mover == s->inner.slot)
                inner_exits(&x);
            else if (leaves(s, x.e->mover))
                leaver_exits(&x);
            else
                outer_exits(&x);
        }
        for (uint32_t conf = 0; used && conf < s->nconf; conf++)
            if (w->touched[conf])
                settle(s, w, side, slice, conf);
    }
}

/* == Un-moves and escapes == */

/* For each marked vector of a slice; `marks` of nmarks words are read as it goes. */
#define EACH_MARKED(vector, marks, nmarks)                                                         \
    for (uint32_t word_ = 0; word_ < (nmarks); word_++)                                            \
        for (uint64_t left_ = (marks)[word_], vector;                                              \
             left_ && (vector = 64 * word_ + (unsigned)__builtin_ctzll(left_),                     \
                      left_ &= left_ - 1, true);)

/* The positions of a vector in which `path` is empty. */
static inline lanes way_open(const struct ctx *c, uint32_t vector, lanes path)
{
    return lanes_without(path & occupied(c, vector)) & ~(path & lanes_of(c->live));
}

static inline const struct bk_klist *list_of(const struct bk_solver *s, const struct bk_outer *out,
                                             uint32_t vector, bool into)
{
    unsigned first = (unsigned)((size_t)vector * LANES / out->stride % out->n);

    (void)s;
    if (out->lookup == BK_BY_DIGIT)
        return into ? &out->into[first] : &out->from[first];
    return into ? &out->vinto[first / LANES] : &out->vfrom[first / LANES];
}

static inline void reach_vector(struct scratch *w, uint32_t vector, lanes x)
{
    if (lanes_any(x)) {
        vectors(w->acc, 0)[vector] |= x;
        mark(w->dirty, vector);
    }
}

/* An outer man that stands on one square in the whole vector: one OR a move. */
static void unmoves_by_digit(const struct bk_solver *s, struct scratch *w,
                             const struct bk_outer *out, uint32_t vector, lanes to)
{
    const struct bk_klist *list = list_of(s, out, vector, true);

    for (unsigned i = 0; i < list->n; i++) {
        const struct bk_kmove *m = &s->move[list->first + i];
        lanes x = to;

        if (m->npaths)
            x &= way_open(&w->ctx, vector, lanes_of(set_of(&w->ctx.path[m->path])));
        reach_vector(w, vector + (uint32_t)(m->delta / LANES), x);
    }
}

/* One whose squares follow each other in the vector. */
static void unmoves_by_vector(const struct bk_solver *s, struct scratch *w,
                              const struct bk_outer *out, uint32_t vector, lanes to)
{
    const struct bk_klist *list = list_of(s, out, vector, true);

    for (unsigned i = 0; i < list->n; i++) {
        const struct bk_vmove *m = &s->vmove[list->first + i];
        lanes x = lanes_only(to, m->words);

        if (!m->free)
            x &= way_open(&w->ctx, vector, ((const lanes *)s->vpath)[m->path]);
        reach_vector(w, vector + (uint32_t)m->vectors, lanes_turned(x, m->turn));
    }
}

/* One by one. */
static void unmoves_by_lane(const struct bk_solver *s, struct scratch *w, unsigned o,
                            uint32_t conf, set to)
{
    struct ctx *c = &w->ctx;
    const struct bk_outer *out = &s->outer[o];
    unsigned sq = s->conf_sq[conf][o];
    const struct bk_klist *list = &out->into[out->digit[sq]];
    set rest = (c->base_occ | ((const set *)s->conf_occ)[conf]) & ~bit(sq);

    for (unsigned i = 0; i < list->n; i++) {
        const struct bk_kmove *m = &s->move[list->first + i];
        set x = to;

        if (m->npaths)
            x &= open_squares(c, m->hops, m->npaths, m->path, rest);
        if (any(x)) {
            uint32_t into = conf + (uint32_t)m->delta;

            w->acc[into] |= x;
            mark(w->dirty, into / LANES);
        }
    }
}

/* What the outer men of `side` do. */
static void outer_unmoves(const struct bk_solver *s, struct scratch *w, unsigned side,
                          uint32_t vector, lanes to)
{
    for (unsigned o = 0; o < s->nouter; o++) {
        const struct bk_outer *out = &s->outer[o];
        lane_sets one;
        unsigned words;

        if (out->colour != side)
            continue;
        if (out->lookup == BK_BY_DIGIT) {
            unmoves_by_digit(s, w, out, vector, to);
            continue;
        }
        if (out->lookup == BK_BY_VECTOR) {
            unmoves_by_vector(s, w, out, vector, to);
            continue;
        }
        *(lanes *)one = to;
        words = lanes_words(to);
        EACH_LANE(i, words)
            unmoves_by_lane(s, w, o, vector * LANES + i, one[i]);
    }
}

/* Has a side any men that move within the block, outer ones? */
static bool has_outers(const struct bk_solver *s, unsigned side)
{
    for (unsigned o = 0; o < s->nouter; o++)
        if (s->outer[o].colour == side)
            return true;
    return false;
}

/* A slice's own men. */
static void unmoves_within(const struct bk_solver *s, struct scratch *w, unsigned side,
                           const set *target, const uint64_t *marks)
{
    struct ctx *c = &w->ctx;
    lanes board = lanes_of(c->board);
    bool outers = has_outers(s, side), inner = s->inner.slot >= 0 && s->inner.colour == side;

    EACH_MARKED(vector, marks, s->nmarks) {
        const set *to = target + vector * LANES;

        if (outers)
            outer_unmoves(s, w, side, (uint32_t)vector, *(const lanes *)to);
        if (inner) {
            vectors(w->acc, 0)[vector] |=
                inner_into(c, *(const lanes *)to & c->inner_stay,
                           board & ~occupied(c, (uint32_t)vector), BK_QUIET);
            mark(w->dirty, (uint32_t)vector);
        }
    }
}

/* The king comes from this slice by `m`. */
static void king_unmoves(const struct bk_solver *s, struct scratch *w,
                         const struct bk_king_move *m, const set *there, const uint64_t *marks)
{
    unsigned back = inverse(m->sym);

    if (!m->sym) {
        EACH_MARKED(vector, marks, s->nmarks)
            vectors(w->acc, 0)[vector] |= ((const lanes *)there)[vector];
        for (uint32_t i = 0; i < s->nmarks; i++)
            w->dirty[i] |= marks[i];
        return;
    }
    EACH_MARKED(vector, marks, s->nmarks) {
        unsigned words = lanes_words(((const lanes *)there)[vector]);

        EACH_LANE(i, words) {
            uint32_t conf = (uint32_t)vector * LANES + i, into = s->conf_turned[back][conf];

            w->acc[into] |= turned(s, back, there[conf]);
            mark(w->dirty, into / LANES);
        }
    }
}

/* The positions of a vector in which nothing stands in the way of a fixed man's step. */
static inline lanes step_open(const struct ctx *c, const struct bk_fixed_step *t, uint32_t vector)
{
    const set *conf_occ = (const set *)c->s->conf_occ + (size_t)vector * LANES;
    lane_sets open;

    if (!t->npaths)
        return ~NO_LANES;
    for (unsigned i = 0; i < LANES; i++)
        open[i] = open_squares(c, t->hops, t->npaths, t->path, c->base_occ | conf_occ[i]);
    return *(const lanes *)open;
}

/* The last results of `side`, as sets of the whole block, with marks of vectors and flags of
   slices that hold anything. */
struct frontier {
    const set *sets;
    const uint64_t *marks;
    const uint8_t *any;
};

static inline struct frontier frontier_of(const struct bk_solver *s, unsigned side, bool losses)
{
    if (losses)
        return (struct frontier){ s->floss[side], s->floss_marks[side], s->floss_any[side] };
    return (struct frontier){ s->fwin[side], s->fwin_marks[side], s->fwin_any[side] };
}

/* A fixed man goes from here to the same slice of another block. */
static void step_unmoves(const struct bk_solver *s, struct scratch *w, const struct bk_fixed_step *t,
                         uint32_t slice, bool losses)
{
    struct frontier to = frontier_of(t->other, !t->colour, losses);
    const lanes *there = (const lanes *)(to.sets + (size_t)slice * s->pitch);
    const uint64_t *marks = to.marks + (size_t)slice * s->nmarks;

    if (!to.any[slice])
        return;
    EACH_MARKED(vector, marks, s->nmarks)
        vectors(w->acc, 0)[vector] |= there[vector] & step_open(&w->ctx, t, (uint32_t)vector);
    for (uint32_t i = 0; i < s->nmarks; i++)
        w->dirty[i] |= marks[i];
}

/*
 * acc |= everything from which `side` can move quietly into what its opponent
 * has lost, or won, last.
 */
static void unmoves(struct bk_solver *s, struct scratch *w, uint32_t slice, unsigned side,
                    bool losses)
{
    struct ctx *c = &w->ctx;
    struct frontier to = frontier_of(s, !side, losses);

    if (to.any[slice])
        unmoves_within(s, w, side, to.sets + (size_t)slice * s->pitch,
                       to.marks + (size_t)slice * s->nmarks);
    for (unsigned i = 0; i < c->nking[side]; i++) {
        const struct bk_king_move *m = &c->king_move[side][i];

        if (to.any[m->slice])
            king_unmoves(s, w, m, to.sets + (size_t)m->slice * s->pitch,
                         to.marks + (size_t)m->slice * s->nmarks);
    }
    for (unsigned i = 0; i < s->nstep; i++)
        if (s->step[i].colour == side)
            step_unmoves(s, w, &s->step[i], slice, losses);
}

/* Takes from `cand` what an outer man, one in the whole vector, saves. */
static lanes without_escapes_by_digit(const struct bk_solver *s, const struct ctx *c,
                                      const struct bk_outer *out, const lanes *won,
                                      uint32_t vector, lanes cand)
{
    const struct bk_klist *list = list_of(s, out, vector, false);

    for (unsigned i = 0; i < list->n; i++) {
        const struct bk_kmove *m = &s->move[list->first + i];
        lanes safe = won[(ptrdiff_t)vector + m->delta / LANES];

        if (m->npaths)
            safe |= ~way_open(c, vector, lanes_of(set_of(&c->path[m->path])));
        cand &= safe;
    }
    return cand;
}

static lanes without_escapes_by_vector(const struct bk_solver *s, const struct ctx *c,
                                       const struct bk_outer *out, const lanes *won,
                                       uint32_t vector, lanes cand)
{
    const struct bk_klist *list = list_of(s, out, vector, false);

    for (unsigned i = 0; i < list->n; i++) {
        const struct bk_vmove *m = &s->vmove[list->first + i];
        lanes safe = lanes_turned(won[(ptrdiff_t)vector + m->vectors], -m->turn & 7u);

        if (!m->free)
            safe |= ~way_open(c, vector, ((const lanes *)s->vpath)[m->path]);
        cand = lanes_and_only(cand, safe, m->words);
    }
    return cand;
}

static set without_escapes_by_lane(const struct bk_solver *s, const struct ctx *c, const set *won,
                                   uint32_t conf, unsigned o, set cand)
{
    const struct bk_outer *out = &s->outer[o];
    unsigned sq = s->conf_sq[conf][o];
    const struct bk_klist *list = &out->from[out->digit[sq]];
    set rest = (c->base_occ | ((const set *)s->conf_occ)[conf]) & ~bit(sq);

    for (unsigned i = 0; any(cand) && i < list->n; i++) {
        const struct bk_kmove *m = &s->move[list->first + i];
        set safe = won[conf + (size_t)(ptrdiff_t)m->delta];

        if (m->npaths)
            safe |= ~open_squares(c, m->hops, m->npaths, m->path, rest);
        cand &= safe;
    }
    return cand;
}

/* Outer men of `side` escape from `cand`.  won: the slice's. */
static lanes without_outer_escapes(const struct bk_solver *s, const struct ctx *c, const set *won,
                                   uint32_t vector, unsigned side, lanes cand)
{
    for (unsigned o = 0; o < s->nouter && lanes_any(cand); o++) {
        const struct bk_outer *out = &s->outer[o];
        lane_sets one;
        unsigned words;

        if (out->colour != side)
            continue;
        if (out->lookup == BK_BY_DIGIT) {
            cand = without_escapes_by_digit(s, c, out, (const lanes *)won, vector, cand);
            continue;
        }
        if (out->lookup == BK_BY_VECTOR) {
            cand = without_escapes_by_vector(s, c, out, (const lanes *)won, vector, cand);
            continue;
        }
        *(lanes *)one = cand;
        words = lanes_words(cand);
        EACH_LANE(i, words)
            one[i] = without_escapes_by_lane(s, c, won, vector * LANES + i, o, one[i]);
        cand = *(const lanes *)one;
    }
    return cand;
}

/* The king escapes by `m`, to where the opponent has not won. */
static inline lanes without_king_escapes(const struct bk_solver *s, const struct bk_king_move *m,
                                         const set *won, uint32_t vector, lanes cand)
{
    const set *there = won + (size_t)m->slice * s->pitch;
    lane_sets safe = { NONE };
    unsigned words;

    if (!m->sym)
        return cand & ((const lanes *)there)[vector];
    words = lanes_words(cand);
    EACH_LANE(i, words)
        safe[i] = turned(s, inverse(m->sym), there[s->conf_turned[m->sym][vector * LANES + i]]);
    return cand & *(const lanes *)safe;
}

/* Takes from `cand` the positions from which `side` has a quiet move to a position
   its opponent has not won.  first: the slice's first set. */
static lanes without_escapes(const struct bk_solver *s, const struct ctx *c, size_t first,
                             uint32_t vector, unsigned side, lanes cand)
{
    const set *won = s->won[!side];

    for (unsigned i = 0; i < s->nstep; i++)
        if (s->step[i].colour == side)
            cand &= vectors(s->step[i].other->won[!side], first)[vector] |
                    ~step_open(c, &s->step[i], vector);

    for (unsigned i = 0; i < c->nking[side]; i++) /* no jump between: the loads overlap */
        cand = without_king_escapes(s, &c->king_move[side][i], won, vector, cand);
    if (!lanes_any(cand))
        return cand;
    won += first;
    if (s->inner.slot >= 0 && s->inner.colour == side) {
        lanes board = lanes_of(c->board);

        cand &= ~inner_into(c, ~((const lanes *)won)[vector] & c->inner_stay & board,
                            board & ~occupied(c, vector), BK_QUIET);
    }
    return without_outer_escapes(s, c, won, vector, side, cand);
}

static inline uint8_t *todo_of(const struct bk_solver *s, unsigned side, bool to_win)
{
    return to_win ? s->todo_win[side] : s->todo_lose[side];
}

/*
 * Something new in this slice: `side` may move into it from here, from where
 * its king comes from, and from blocks where a man steps into this one.  Bytes
 * are only ever set to 1 in a pass.
 */
static void wake(const struct bk_solver *s, unsigned side, bool to_win, uint32_t slice)
{
    const uint32_t *from = s->king_back[side];
    uint8_t *todo = todo_of(s, side, to_win);

    __atomic_store_n(&todo[slice], 1, __ATOMIC_RELAXED);
    for (uint32_t i = s->king_back_first[side][slice]; i < s->king_back_first[side][slice + 1]; i++)
        __atomic_store_n(&todo[from[i]], 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < s->nunstep; i++)
        if (s->unstep[i].colour == side)
            __atomic_store_n(&todo_of(s->unstep[i].other, side, to_win)[slice], 1,
                             __ATOMIC_RELAXED);
}

/* What is not marked is not read, so the sets may stay as they are. */
static void clear_frontier(const struct bk_solver *s, uint64_t *marks, uint8_t *any_flag,
                           uint32_t slice)
{
    if (!any_flag[slice])
        return;
    any_flag[slice] = 0;
    memset(marks + (size_t)slice * s->nmarks, 0, s->nmarks * sizeof *marks);
}

/* k for the positions x of a vector; base: of its first one. */
static void store_k(struct bk_solver *s, unsigned side, size_t base, lanes x, unsigned k)
{
    lane_sets found;
    unsigned words = s->distances ? lanes_words(x) : 0;

    *(lanes *)found = x;
    EACH_LANE(i, words) {
        if (s->dtw_bytes == 1) {
            put_where((uint8_t *)s->dtw[side] + base + i * s->width, found[i], k);
            continue;
        }
        EACH(sq, found[i])
            dtw_put(s, s->dtw[side], base + i * s->width + sq, k);
    }
}

/* Those of a configuration's positions x whose stored k is this one; with a later one. */
static inline set stored(const struct bk_solver *s, unsigned side, size_t base, set x, unsigned k)
{
    set found = NONE;

    if (s->dtw_bytes == 1)
        return where_is((const uint8_t *)s->dtw[side] + base, x, k, false);
    EACH(sq, x)
        if (dtw_get(s, s->dtw[side], base + sq) == k)
            found |= bit(sq);
    return found;
}

static inline set stored_later(const struct bk_solver *s, unsigned side, size_t base, set x,
                               unsigned k)
{
    set found = NONE;

    if (s->dtw_bytes == 1)
        return where_is((const uint8_t *)s->dtw[side] + base, x, k, true);
    EACH(sq, x)
        if (dtw_get(s, s->dtw[side], base + sq) > k)
            found |= bit(sq);
    return found;
}

/* What a pass over a slice works with. */
struct sweep {
    struct bk_solver *s;
    struct scratch *w;
    uint32_t slice;
    unsigned side, k;
    uint64_t due;          /* waits of this ply that the slice has */
    lanes *won, *und, *open, *fresh;
    uint64_t *marks;       /* of `fresh` */
    uint8_t *any_flag;
    const uint64_t *waits; /* by configuration */
    const uint8_t *delay;  /* by vector */
    size_t base;           /* of dtw */
    uint32_t last;         /* vector found last, whose k is not stored yet */
    bool found;
};

/* The wait of this ply, if anything in the slice has it. */
static inline uint64_t due_in(const struct bk_solver *s, unsigned side, uint32_t slice)
{
    return s->distances && s->ply > 1 ? s->slice_waits[side][slice] & wait_bit(s->ply >> 1) : 0;
}

static struct sweep begin_sweep(struct bk_solver *s, struct scratch *w, uint32_t slice,
                                unsigned side, bool losses)
{
    size_t first = (size_t)slice * s->pitch;

    return (struct sweep){
        .s = s,
        .w = w,
        .slice = slice,
        .side = side,
        .k = s->ply >> 1,
        .due = due_in(s, side, slice),
        .won = vectors(s->won[side], first),
        .und = vectors(s->und[side], first),
        .open = vectors(s->open[side], first),
        .fresh = vectors(losses ? s->floss[side] : s->fwin[side], first),
        .marks = (losses ? s->floss_marks[side] : s->fwin_marks[side]) + (size_t)slice * s->nmarks,
        .any_flag = losses ? s->floss_any[side] : s->fwin_any[side],
        .waits = s->distances ? s->waits[side] + first : NULL,
        .delay = s->distances ? s->delay[side] + (size_t)slice * s->nvec : NULL,
        .base = (size_t)slice * s->nconf * s->width,
    };
}

/* Row i of a vector's stored numbers will be asked for, or written, soon. */
static inline void fetch_row(const struct sweep *p, uint32_t vector, unsigned i)
{
    const struct bk_solver *s = p->s;

    __builtin_prefetch((const char *)s->dtw[p->side] +
                       (p->base + (size_t)(vector * LANES + i) * s->width) * s->dtw_bytes, 1);
}

/*
 * Vectors in which something has waited for this ply are looked at whatever
 * moved: those that have any of x without y (NULL: none).  What is stored there
 * will be asked for after the un-moves.
 */
static void rouse(const struct sweep *p, const lanes *x, const lanes *y)
{
    const struct bk_solver *s = p->s;
    const uint64_t *waits = s->vector_waits[p->side] + (size_t)p->slice * s->nvec;

    if (p->slice + 1 < s->nslices && s->slice_waits[p->side][p->slice + 1] & p->due)
        for (uint32_t i = 0; i < s->pitch && i < 64; i += 8) /* the masks of the next slice */
            __builtin_prefetch(p->waits + s->pitch + i);
    for (uint32_t first = 0; first < s->nvec; first += 8) {
        unsigned due = masks_with(waits + first, s->nvec - first < 8 ? s->nvec - first : 8, p->due);

        EACH_BIT(i, due) {
            uint32_t vector = first + i;
            unsigned rows = masks_with(p->waits + (size_t)vector * LANES, LANES, p->due) &
                            lanes_some(x[vector] & (y ? ~y[vector] : ~NO_LANES));

            if (!rows)
                continue;
            p->w->due[vector] = (uint8_t)rows;
            mark(p->w->dirty, vector);
            EACH_BIT(row, rows)
                fetch_row(p, vector, row);
        }
    }
}

/* Those of a vector's x that have waited for this ply, as rouse() has seen. */
static lanes due_of(const struct sweep *p, uint32_t vector, lanes x)
{
    const struct bk_solver *s = p->s;
    lane_sets from, due = { NONE };
    unsigned rows = p->w->due[vector];

    if (!rows)
        return NO_LANES;
    p->w->due[vector] = 0;
    *(lanes *)from = x;
    EACH_BIT(i, rows)
        due[i] = stored(s, p->side, p->base + (size_t)(vector * LANES + i) * s->width, from[i],
                        p->k);
    return *(const lanes *)due;
}

/* Those of a vector's x, all of whose quiet moves are refuted, that a losing way out delays. */
static lanes delayed(const struct sweep *p, uint32_t vector, lanes x)
{
    const struct bk_solver *s = p->s;
    unsigned words = lanes_words(x);
    lane_sets late;

    *(lanes *)late = x;
    EACH_LANE(i, words)
        late[i] = stored_later(s, p->side, p->base + (size_t)(vector * LANES + i) * s->width,
                               late[i], p->k);
    return *(const lanes *)late;
}

static void store_last(struct sweep *p)
{
    if (p->found)
        store_k(p->s, p->side, p->base + (size_t)p->last * LANES * p->s->width,
                p->fresh[p->last], p->k);
}

/*
 * New results of a vector: no longer undecided, and next ply's frontier.  Their
 * k is stored when the next vector is found: its rows, one line of memory a
 * configuration, are on their way meanwhile.
 */
static inline void add_fresh(struct sweep *p, uint32_t vector, lanes add)
{
    unsigned rows = p->s->distances ? lanes_some(add) : 0;

    EACH_BIT(i, rows)
        fetch_row(p, vector, i);
    store_last(p);
    p->und[vector] &= ~add;
    p->open[vector] &= ~add;
    p->fresh[vector] = add;
    p->last = vector;
    mark(p->marks, vector);
    p->found = true;
}

/* The next pass has to look at all from where `side`'s opponent comes here. */
static bool end_sweep(struct sweep *p, bool to_win)
{
    if (!p->found)
        return false;
    store_last(p);
    p->any_flag[p->slice] = 1;
    wake(p->s, !p->side, to_win, p->slice);
    return true;
}

/*
 * Every quiet move of these is refuted, but a losing way out takes longer: they
 * come back at its ply.
 */
static void defer(struct sweep *p, uint32_t vector, lanes late)
{
    struct bk_solver *s = p->s;
    lane_sets x;
    unsigned words = lanes_words(late);

    *(lanes *)x = late;
    EACH_LANE(i, words) {
        uint32_t conf = vector * LANES + i;

        EACH(sq, x[i]) {
            unsigned k = dtw_get(s, s->dtw[p->side], p->base + (size_t)conf * s->width + sq);

            note_wait(s, p->side, p->slice, conf, wait_bit(k), k);
        }
    }
}

/* The mates and stalemates: no escape at all, before anything else is won. */
static bool mated(struct bk_solver *s, uint32_t slice, unsigned side, void *work)
{
    struct scratch *w = lay_out(s, work);
    struct sweep p = begin_sweep(s, w, slice, side, true);
    const lanes *check = vectors(s->won[!side], (size_t)slice * s->pitch);

    enter(&w->ctx, s, slice);
    for (uint32_t vector = 0; vector < s->nvec; vector++) {
        lanes losing = p.fresh[vector]; /* left there by init: has a way out, a losing one */
        lanes stuck = p.open[vector], lost;

        if (!lanes_any(stuck))
            continue;
        stuck = without_escapes(s, &w->ctx, (size_t)slice * s->pitch, vector, side, stuck);
        /* won by the opponent so far: where he could take the king */
        lost = stuck & ~losing;
        if (bk_rules_stalemate_wdl(s->v) == 0) {
            p.open[vector] &= ~(lost & ~check[vector]);
            lost &= check[vector];
        }
        if (!lanes_any(stuck & losing)) /* all it has are losing ways out: lost too */
            ;
        else if (s->distances)
            defer(&p, vector, stuck & losing);
        else
            lost |= stuck & losing;
        if (lanes_any(lost))
            add_fresh(&p, vector, lost);
    }
    return end_sweep(&p, true);
}

/* An odd ply: what moves into the last losses has won. */
static bool win(struct bk_solver *s, uint32_t slice, unsigned side, void *work)
{
    bool first_ply = s->ply == 1 && s->fwin_any[side][slice];
    struct scratch *w;
    struct sweep p;

    if (!s->todo_win[side][slice] && !due_in(s, side, slice) && !first_ply) {
        clear_frontier(s, s->fwin_marks[side], s->fwin_any[side], slice);
        return false;
    }
    s->todo_win[side][slice] = 0;
    w = lay_out(s, work);
    p = begin_sweep(s, w, slice, side, false);
    enter(&w->ctx, s, slice);
    if (first_ply) /* wins by a way out, left there by init */
        EACH_MARKED(vector, p.marks, s->nmarks) {
            vectors(w->acc, 0)[vector] = p.fresh[vector];
            mark(w->dirty, (uint32_t)vector);
        }
    clear_frontier(s, s->fwin_marks[side], s->fwin_any[side], slice);
    if (p.due)
        rouse(&p, p.und, p.open);
    unmoves(s, w, slice, side, true);
    EACH_MARKED(vector, w->dirty, s->nmarks) {
        lanes *acc = &vectors(w->acc, 0)[vector], add = *acc & p.und[vector];

        *acc = NO_LANES;
        if (p.due)
            add |= due_of(&p, (uint32_t)vector, p.und[vector] & ~p.open[vector]);
        if (!lanes_any(add))
            continue;
        p.won[vector] |= add;
        add_fresh(&p, (uint32_t)vector, add);
    }
    memset(w->dirty, 0, s->nmarks * sizeof *w->dirty);
    return end_sweep(&p, false);
}

/* An even ply: of what moves into the last wins, that which cannot escape is lost. */
static bool lose(struct bk_solver *s, uint32_t slice, unsigned side, void *work)
{
    struct scratch *w;
    struct sweep p;

    clear_frontier(s, s->floss_marks[side], s->floss_any[side], slice);
    if (!s->todo_lose[side][slice] && !due_in(s, side, slice))
        return false;
    s->todo_lose[side][slice] = 0;
    w = lay_out(s, work);
    p = begin_sweep(s, w, slice, side, true);
    enter(&w->ctx, s, slice);
    if (p.due)
        rouse(&p, p.open, NULL);
    unmoves(s, w, slice, side, false);
    EACH_MARKED(vector, w->dirty, s->nmarks) {
        lanes *acc = &vectors(w->acc, 0)[vector], cand = *acc & p.open[vector];

        *acc = NO_LANES;
        if (p.due)
            cand |= due_of(&p, (uint32_t)vector, p.open[vector]);
        if (lanes_any(cand))
            cand = without_escapes(s, &w->ctx, (size_t)slice * s->pitch, (uint32_t)vector, side,
                                   cand);
        if (!lanes_any(cand))
            continue;
        if (p.delay && p.delay[vector] > p.k) {
            lanes late = delayed(&p, (uint32_t)vector, cand);

            if (lanes_any(late)) {
                defer(&p, (uint32_t)vector, late);
                cand &= ~late;
            }
        }
        if (lanes_any(cand))
            add_fresh(&p, (uint32_t)vector, cand);
    }
    memset(w->dirty, 0, s->nmarks * sizeof *w->dirty);
    return end_sweep(&p, true);
}

/* == Last pass: codes and counts == */

static void consider(const struct bk_solver *s, struct bk_longest *l, int plies, uint32_t slice,
                     uint32_t conf, unsigned sq)
{
    uint64_t number = ((uint64_t)slice * s->nconf + conf) * s->width + sq;

    if (plies < l->plies || (plies == l->plies && number >= l->number))
        return;
    l->plies = plies;
    l->number = number;
    l->at.king[0] = s->b->pairs->king[slice][0];
    l->at.king[1] = s->b->pairs->king[slice][1];
    for (unsigned o = 0; o < s->nouter; o++)
        l->at.sq[s->outer[o].slot] = s->conf_sq[conf][o];
    for (unsigned i = 0; i < s->nfixed; i++)
        l->at.sq[s->fixed_slot[i]] = s->fixed_sq[i];
    if (s->inner.slot >= 0)
        l->at.sq[s->inner.slot] = (uint8_t)sq;
}

/* The squares of the mobile men of a position, in slot order. */
static unsigned mobile_squares(const struct bk_solver *s, uint32_t conf, unsigned sq, uint8_t *out,
                               uint8_t *like)
{
    unsigned n = 0;

    for (unsigned slot = 0; slot < s->ix->nslots; slot++) {
        unsigned o = outer_of_slot(s, (int)slot);

        if ((int)slot != s->inner.slot && o == s->nouter)
            continue;
        like[n] = s->ix->like[slot];
        out[n++] = (int)slot == s->inner.slot ? (uint8_t)sq : s->conf_sq[conf][o];
    }
    return n;
}

static void sort_equal(uint8_t *sq, const uint8_t *like, unsigned n)
{
    for (unsigned i = 1; i < n; i++)
        for (unsigned j = i; j && like[j - 1] == like[i] && sq[j - 1] > sq[j]; j--) {
            uint8_t swap = sq[j];

            sq[j] = sq[j - 1];
            sq[j - 1] = swap;
        }
}

/* Is a position no larger than its image, equal men being sorted first? */
static bool stands_first(const struct bk_solver *s, unsigned sym, uint32_t conf, unsigned sq)
{
    uint8_t self[BK_SLOTS_MAX], image[BK_SLOTS_MAX], like[BK_SLOTS_MAX];
    unsigned n = mobile_squares(s, conf, sq, self, like);

    for (unsigned i = 0; i < n; i++)
        image[i] = s->ix->map[sym][self[i]];
    sort_equal(self, like, n);
    sort_equal(image, like, n);
    return memcmp(self, image, n) <= 0;
}

/*
 * Which positions of a configuration stand for their class?  Slices kept by a
 * symmetry hold mirrored pairs; the one with the smaller (configuration,
 * square) counts.  With equal men, whose order the mirror may change, every
 * position is looked at by itself.
 */
static set representatives(const struct bk_solver *s, unsigned keep, uint32_t conf, set x)
{
    for (unsigned sym = 1; keep >> sym; sym++) {
        uint32_t image = s->conf_turned[sym] ? s->conf_turned[sym][conf] : conf;
        set todo = x;

        if (!(keep >> sym & 1))
            continue;
        if (image != conf && !s->equal_men) {
            if (image < conf)
                return NONE;
            continue;
        }
        EACH(sq, todo)
            if (s->equal_men ? !stands_first(s, sym, conf, sq)
                             : s->inner.slot >= 0 && s->ix->map[sym][sq] < sq)
                x &= ~bit(sq);
    }
    return x;
}

/* dtw becomes codes in place. */
static void write_codes(struct bk_solver *s, unsigned side, size_t base, set wins, set losses,
                        set draw)
{
    void *dtw = s->dtw[side];

    if (s->dtw_bytes == 1) {
        put_codes((uint8_t *)dtw + base, s->width, wins, losses, draw, BK_CODE_WIN, BK_CODE_LOSS8,
                  BK_CODE_DRAW);
        return;
    }
    for (unsigned sq = 0; sq < s->width; sq++) {
        unsigned k = dtw_get(s, dtw, base + sq);

        dtw_put(s, dtw, base + sq,
                has(wins, sq)     ? BK_CODE_WIN + k
                : has(losses, sq) ? BK_CODE_LOSS16 + k
                : has(draw, sq)   ? BK_CODE_DRAW
                                  : BK_CODE_ILLEGAL);
    }
}

/* Notes the first position whose plies are the block's maximum, `last`. */
static void longest_of(const struct bk_solver *s, unsigned side, size_t at, set x, int last,
                       struct bk_longest *l, uint32_t slice, uint32_t conf)
{
    if (last < 0 || !any(x) || last < l->plies)
        return;
    if (last == l->plies && ((uint64_t)slice * s->nconf + conf) * s->width >= l->number)
        return;
    if (s->dtw_bytes == 1)
        x = where_is((const uint8_t *)s->dtw[side] + at * s->width, x, (unsigned)last >> 1, false);
    EACH(sq, x)
        if (dtw_get(s, s->dtw[side], at * s->width + sq) == (unsigned)last >> 1) {
            consider(s, l, last, slice, conf, sq);
            return;
        }
}

static void finish(struct bk_solver *s, uint32_t slice, struct bk_tally *tally, void *work)
{
    struct scratch *w = lay_out(s, work);
    struct ctx *c = &w->ctx;
    static _Thread_local struct legality legality;
    size_t first = (size_t)slice * s->nconf, first_set = (size_t)slice * s->pitch;
    unsigned keep = s->b->pairs->stabilizer[slice] & ~1u;
    uint64_t images = (uint64_t)__builtin_popcount(s->ix->group) /
                      (unsigned)__builtin_popcount(keep | 1);
    lane_sets legal[2];

    enter(c, s, slice);
    find_legality(c, &legality);
    for (uint32_t conf = 0; conf < s->nconf; conf++) {
        size_t at = first + conf, base = at * s->width;

        if (conf % LANES == 0) {
            lanes placed = placed_in(c, conf / LANES);

            for (unsigned side = 0; side < 2; side++)
                *(lanes *)legal[side] = legal_of(c, &legality, side, conf / LANES, placed);
        }
        for (unsigned side = 0; side < 2; side++) {
            set here = legal[side][conf % LANES];
            set draw = ((set *)s->und[side])[first_set + conf];
            set wins = ((set *)s->won[side])[first_set + conf] & here;
            set losses = here & ~wins & ~draw;
            set mine = ((const set *)s->conf_count)[conf], todo;

            if (s->distances) {
                longest_of(s, side, at, wins, s->last_win[side], &tally->longest_win[side], slice,
                           conf);
                longest_of(s, side, at, losses, s->last_loss[side], &tally->longest_loss[side],
                           slice, conf);
            }
            if (s->distances)
                write_codes(s, side, base, wins, losses, draw);
            else
                ((set *)s->und[side])[first_set + conf] |= ~here;
            todo = mine;
            tally->all_win[side] += images * count(wins & todo);
            tally->all_draw[side] += images * count(draw & todo);
            tally->all_loss[side] += images * count(losses & todo);
            if (keep && any((wins | draw | losses) & mine))
                todo = representatives(s, keep, conf, (wins | draw | losses) & mine);
            tally->win[side] += count(wins & todo);
            tally->draw[side] += count(draw & todo);
            tally->loss[side] += count(losses & todo);
        }
    }
}

/* Marks the squares `bad` of a configuration illegal. */
static void mark_places(const struct bk_solver *s, struct bk_memblock *mb, unsigned side,
                        unsigned code_bytes, uint32_t slice, uint32_t conf, set bad)
{
    uint64_t *bits[2] = { mb->code[side], mb->draw[side] };
    size_t first = ((size_t)slice * s->nconf + conf) * s->width;

    if (!code_bytes && s->inner.slot >= 0) {
        ((set *)bits[0])[(size_t)slice * s->pitch + conf] |= bad;
        ((set *)bits[1])[(size_t)slice * s->pitch + conf] |= bad;
        return;
    }
    bad &= shifted(~NONE, (int)s->width - BK_SET_BITS); /* squares there are */
    if (code_bytes == 1) {
        put_where((uint8_t *)mb->code[side] + first, bad, BK_CODE_ILLEGAL);
        return;
    }
    EACH(sq, bad) {
        size_t i = first + sq;

        if (code_bytes == 2) {
            ((uint16_t *)mb->code[side])[i] = BK_CODE_ILLEGAL;
        } else { /* slices share words */
            __atomic_fetch_or(&bits[0][i >> 6], UINT64_C(1) << (i & 63), __ATOMIC_RELAXED);
            __atomic_fetch_or(&bits[1][i >> 6], UINT64_C(1) << (i & 63), __ATOMIC_RELAXED);
        }
    }
}

static void mark_illegal(struct bk_solver *s, uint32_t slice, struct bk_memblock *mb,
                         unsigned code_bytes, void *work)
{
    struct scratch *w = lay_out(s, work);
    struct ctx *c = &w->ctx;
    static _Thread_local struct legality legality;

    enter(c, s, slice);
    find_legality(c, &legality);
    for (uint32_t vector = 0; vector < s->nvec; vector++) {
        lanes placed = placed_in(c, vector);

        for (unsigned side = 0; side < 2; side++) {
            lane_sets bad;

            if (!mb->code[side])
                continue; /* not read */
            *(lanes *)bad = ~legal_of(c, &legality, side, vector, placed);
            for (unsigned i = 0; i < LANES && vector * LANES + i < s->nconf; i++)
                mark_places(s, mb, side, code_bytes, slice, vector * LANES + i, bad[i]);
        }
    }
}

extern const struct bk_kernel KERNEL_NAME;
const struct bk_kernel KERNEL_NAME = {
    .name = STRING1(BK_KERNEL),
    .set_bits = BK_SET_BITS,
    .set_bytes = sizeof(set),
    .lanes = LANES,
    .turn_bytes = (BK_SET_BITS / 8) * 256 * sizeof(set),
    .work_bytes = work_bytes,
    .compile_tables = compile_tables,
    .init = init,
    .mated = mated,
    .win = win,
    .lose = lose,
    .finish = finish,
    .mark_illegal = mark_illegal,
};
