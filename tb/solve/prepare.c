/*
 * prepare.c - see prepare.h.
 */
#include "tb/solve/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "core/rules.h"
#include "core/array.h"

/* == Memory ==
 *
 * In a dry run (docs/memory.md) arrays are asked for as ever, and not filled.
 */

static void *array(size_t bytes) { return bk_spill_new_often(bytes); }

static void *array_zeroed(size_t bytes)
{
    void *p = array(bytes);

    return p && !bk_arena_is_dry() ? memset(p, 0, bytes) : p;
}

/* == Which men move how == */

void bk_each_change(const struct bk_index *ix, unsigned slot, bk_visit_change *visit, void *context)
{
    const struct bk_variant *v = ix->v;
    unsigned colour = ix->colour[slot];

    for (unsigned sq = 0; sq < v->nsq; sq++)
        for (unsigned in_place = 0; in_place < 2; in_place++) {
            struct bk_change change[BK_TYPES_MAX + 1];
            unsigned n;

            if (!bk_bits_has(&v->board, sq))
                continue;
            n = bk_rules_changes(v, ix->m.count[colour], ix->m.left[colour], ix->type[slot], colour,
                                 sq, in_place, change);
            for (unsigned i = 0; i < n; i++)
                visit(context, slot, &change[i], sq, in_place);
        }
}

static void note_change(void *context, unsigned slot, const struct bk_change *change, unsigned sq,
                        bool in_place)
{
    struct bk_setup *s = context;

    if (in_place)
        s->change_here[slot][change->type][sq] |= bk_change_way(change->counted);
    else
        s->change_ok[slot][change->type][sq] |= bk_change_way(change->counted);
}

bool bk_setup_can_be_inner(const struct bk_index *ix, unsigned slot)
{
    unsigned type = ix->type[slot];

    return ix->cells[slot]->n == 1 && ix->right[slot] < 0 && bk_rules_moves_alike(ix->v, type);
}

/* Returns the sum of a man's moves from all squares of an empty board: the more, the more a word
   saves. */
static unsigned mobility(const struct bk_variant *v, unsigned type, unsigned colour)
{
    unsigned sum = 0;

    for (unsigned sq = 0; sq < v->nsq; sq++)
        sum += v->geometry->count[type][colour][sq];
    return sum;
}

static bool has_equals(const struct bk_index *ix, unsigned slot)
{
    for (unsigned i = 0; i < ix->nslots; i++)
        if (i != slot && ix->like[i] == ix->like[slot])
            return true;
    return false;
}

/* Chooses the inner man: one that has no equal, since equal men are solved in one order only if
   both are outer ones; among such the one with most moves. */
static void choose_inner(struct bk_setup *s)
{
    unsigned most = 0;
    bool alone = false;

    s->inner.slot = -1;
    for (unsigned slot = 0; slot < s->ix->nslots; slot++) {
        unsigned n = mobility(s->v, s->ix->type[slot], s->ix->colour[slot]) + 1;
        bool unlike = !has_equals(s->ix, slot);

        if (bk_index_is_anchor(s->ix, slot))
            continue;
        if (bk_setup_can_be_inner(s->ix, slot) && (unlike != alone ? unlike : n > most)) {
            most = n;
            alone = unlike;
            s->inner.slot = (int)slot;
        }
    }
    s->width = s->inner.slot < 0 ? 1 : s->v->nsq;
}

static void prepare_inner(struct bk_setup *s)
{
    struct bk_inner *in = &s->inner;
    const struct bk_movement *m;

    if (in->slot < 0)
        return;
    in->type = s->ix->type[in->slot];
    in->colour = s->ix->colour[in->slot];
    m = &s->v->piece[in->type].move;
    in->two_steps = m->steps_max == 2;
    in->bend = m->bend;
    in->twice = bk_rules_takes_twice(s->v, in->type);
    in->nsteps = m->nsteps;
    for (unsigned i = 0; i < m->nsteps; i++) {
        int dr = in->colour == BK_WHITE ? m->step[i].dr : -m->step[i].dr;

        in->step[i] = (struct bk_kstep){ .delta = (int16_t)(dr * s->v->files + m->step[i].df),
                                         .range = m->step[i].range,
                                         .how = m->step[i].how,
                                         .df = m->step[i].df,
                                         .dr = (int8_t)dr,
                                         .opposite = -1 };
    }
    for (unsigned i = 0; i < m->nsteps; i++)
        for (unsigned j = 0; j < m->nsteps; j++)
            if (in->step[i].df == -in->step[j].df && in->step[i].dr == -in->step[j].dr)
                in->step[i].opposite = (int16_t)j;
}

static void number_squares(const struct bk_setup *s, struct bk_outer *o)
{
    o->type = s->ix->type[o->slot];
    o->colour = s->ix->colour[o->slot];
    o->nsq = o->n;
    memset(o->digit, BK_SQ_NONE, sizeof o->digit);
    for (unsigned i = 0; i < o->n; i++)
        o->digit[o->sq[i]] = (uint8_t)i;
}

/* Returns whether `a` varies more slowly than `b`.  several_first: a man of several cells does
   anyway. */
static bool is_slower(const struct bk_setup *s, const struct bk_outer *a, const struct bk_outer *b,
                      bool several_first)
{
    if (several_first && a->several != b->several)
        return a->several;
    return mobility(s->v, a->type, a->colour) > mobility(s->v, b->type, b->colour);
}

/*
 * Sorts the outer men.  The one with most moves varies slowest: its moves then
 * go from row to row.  In a group the last man's squares fill whole vectors, so
 * that all moves go from vector to vector: it is a man of one cell, if its
 * squares do; else one of several, with digits filled up.
 */
static void sort_outers(struct bk_setup *s, unsigned lanes)
{
    struct bk_outer *o = s->outer;
    bool several_first = false;

    for (unsigned i = 0; s->grouped && i < s->nouter; i++)
        several_first = several_first || (!o[i].several && o[i].n % lanes == 0);
    for (unsigned i = 1; i < s->nouter; i++)
        for (unsigned j = i; j && is_slower(s, &o[j], &o[j - 1], several_first); j--) {
            struct bk_outer swap = o[j];

            o[j] = o[j - 1];
            o[j - 1] = swap;
        }
    if (!s->grouped)
        return;
    for (o += s->nouter - 1; o->several && o->n % lanes; o->n++)
        o->sq[o->n] = o->sq[0];
}

/* Returns whether two outer men, on sq_a and sq_b, are alike and may change places. */
static bool interchangeable(const struct bk_setup *s, const struct bk_outer *a, unsigned sq_a,
                            const struct bk_outer *b, unsigned sq_b)
{
    return s->ix->like[a->slot] == s->ix->like[b->slot] && a->digit[sq_b] != BK_SQ_NONE &&
           b->digit[sq_a] != BK_SQ_NONE;
}

static bool any_interchangeable(const struct bk_setup *s)
{
    for (unsigned o = 0; o < s->nouter; o++)
        for (unsigned p = 0; p < o; p++)
            for (unsigned i = 0; i < s->outer[o].nsq; i++) {
                unsigned sq = s->outer[o].sq[i];

                if (interchangeable(s, &s->outer[p], sq, &s->outer[o], sq))
                    return true;
            }
    return false;
}

static void put_fixed(struct bk_setup *s, unsigned slot, uint8_t sq)
{
    s->fixed.slot[s->fixed.n] = (uint8_t)slot;
    s->fixed.sq[s->fixed.n++] = sq;
}

/* Sorts men into fixed and outer ones, and sets the sizes that follow.  Men with a cell of one
   square in this block are fixed, rooks with castling rights, too; the rest, but for the inner,
   outer.  g: NULL: one block. */
static void sort_out_men(struct bk_setup *s, const struct bk_group *g, unsigned lanes)
{
    const struct bk_index *ix = s->ix;
    uint64_t nconf = 1;

    for (unsigned slot = 0; slot < ix->nslots; slot++) {
        const struct bk_cells *cells = ix->cells[slot];
        unsigned cell = s->b->cell[slot];
        struct bk_outer *o = &s->outer[s->nouter];

        if ((int)slot == s->inner.slot || bk_index_is_anchor(ix, slot))
            continue;
        if (g && g->n[slot] > 1) {
            *o = (struct bk_outer){ .slot = (uint8_t)slot, .n = g->n[slot], .several = true };
            memcpy(o->sq, g->sq[slot], g->n[slot]);
            s->nouter++;
            continue;
        }
        if (g && g->n[slot]) { /* in the first block an equal man may stand there */
            put_fixed(s, slot, g->sq[slot][0]);
            continue;
        }
        if (cells->size[cell] == 1 && (cells->n > 1 || ix->right[slot] >= 0)) {
            put_fixed(s, slot, cells->sq[cells->first[cell]]);
            continue;
        }
        *o = (struct bk_outer){ .slot = (uint8_t)slot, .n = cells->size[cell] };
        memcpy(o->sq, cells->sq + cells->first[cell], o->n);
        s->nouter++;
    }
    for (unsigned o = 0; o < s->nouter; o++)
        number_squares(s, &s->outer[o]);
    sort_outers(s, lanes);
    for (unsigned o = s->nouter; o-- > 0;) {
        s->outer[o].stride = (uint32_t)nconf;
        nconf *= s->outer[o].n; /* of six men at most 196 squares each: 2^46 */
    }
    s->too_many = nconf > INT32_MAX; /* moves are differences of their numbers */
    s->nconf = s->too_many ? 0 : (uint32_t)nconf;
    s->nvec = (s->nconf + lanes - 1) / lanes;
    s->nmarks = (s->nvec + 63) / 64;
    s->pitch = s->nvec * lanes;
    for (unsigned i = 0; i < ix->nslots; i++)
        for (unsigned j = 0; j < i; j++)
            if (ix->like[i] == ix->like[j] && ix->cells[i]->size[s->b->cell[i]] > 1)
                s->equal_men = true;
    s->twins = any_interchangeable(s);
}

/* Returns whether kings.c solves the block: there is no inner man, and there are few
   configurations, but at least one (there is none if a man can stand nowhere). */
static bool is_for_kings(const struct bk_setup *s)
{
    const struct bk_index *ix = s->ix;

    if (s->inner.slot >= 0 || s->grouped || ix->m.rights || s->too_many || !s->nconf ||
        s->nconf > BK_KINGS_CONFIGURATIONS_MAX || bk_rules_without_tables(s->v))
        return false;
    for (unsigned slot = 0; slot < ix->nslots; slot++)
        if (bk_rules_takes_twice(s->v, ix->type[slot]))
            return false;
    return true;
}

static void sort_men(struct bk_setup *s, const struct bk_group *g, const struct bk_kernel *k)
{
    choose_inner(s);
    sort_out_men(s, g, k->lanes);
    s->by_kings = is_for_kings(s);
}

/* == Quiet moves of outer men == */

static bool quiet_moves(struct bk_setup *s, struct bk_outer *o, bool into, size_t *room)
{
    for (unsigned d = 0; d < o->n; d++) {
        unsigned sq = o->sq[d], n;
        const struct bk_reach *r = into ? bk_reach_into(s->v, o->type, o->colour, sq, &n)
                                        : bk_reach_from(s->v, o->type, o->colour, sq, &n);
        struct bk_klist *list = into ? &o->into[d] : &o->from[d];

        list->first = s->moves.n;
        for (unsigned i = 0; d < o->nsq && i < n; i++) {
            unsigned other = r[i].to, to = into ? sq : other;

            if (!(r[i].how & BK_QUIET) || o->digit[other] == BK_SQ_NONE ||
                !s->change_ok[o->slot][BK_STAYS][to])
                continue;
            if (!BK_ARRAY_ROOM(s->moves.one, *room, s->moves.n + 1))
                return false;
            s->moves.one[s->moves.n++] = (struct bk_kmove){
                .delta = ((int32_t)o->digit[other] - (int32_t)d) * (int32_t)o->stride,
                .from = (uint8_t)(into ? other : sq),
                .to = (uint8_t)to,
                .hops = r[i].how & BK_HOPS,
                .npaths = r[i].npaths,
                .path = r[i].path,
            };
        }
        list->n = (uint16_t)(s->moves.n - list->first);
    }
    return true;
}

static bool link_captures(struct bk_setup *s)
{
    const struct bk_geometry *g = s->v->geometry;
    unsigned nsq = s->v->nsq;

    for (unsigned o = 0; o < s->nouter; o++) {
        unsigned type = s->outer[o].type, colour = s->outer[o].colour;
        uint32_t *link = array_zeroed((size_t)nsq * nsq * sizeof *link);

        if (!link)
            return false;
        s->link[s->outer[o].slot] = link;
        for (unsigned sq = 0; sq < nsq && !bk_arena_is_dry(); sq++)
            for (unsigned i = g->count[type][colour][sq]; i-- > 0;) {
                uint32_t at = g->first[type][colour][sq] + i;

                if (g->reach[at].how & BK_TAKES)
                    link[sq * nsq + g->reach[at].to] = at + 1;
            }
    }
    return true;
}

/* == Configurations == */

static void turn_configurations(struct bk_setup *s, unsigned sym)
{
    const struct bk_index *ix = s->ix;
    unsigned to_outer[BK_OUTERS_MAX];

    /* the symmetry may exchange the cells of equal men */
    for (unsigned o = 0; o < s->nouter; o++) {
        unsigned slot = s->outer[o].slot, image = ix->map[sym][s->outer[o].sq[0]];
        unsigned same = 0;

        for (unsigned p = 0; p < o; p++)
            same += ix->like[s->outer[p].slot] == ix->like[slot] &&
                    s->outer[p].digit[s->outer[o].sq[0]] != BK_SQ_NONE;
        for (unsigned p = 0; p < s->nouter; p++)
            if (ix->like[s->outer[p].slot] == ix->like[slot] &&
                s->outer[p].digit[image] != BK_SQ_NONE && same-- == 0) {
                to_outer[o] = p;
                break;
            }
    }
    for (uint32_t conf = 0; conf < s->nconf; conf++) {
        uint32_t image = 0;

        for (unsigned o = 0; o < s->nouter; o++) {
            const struct bk_outer *p = &s->outer[to_outer[o]];

            image += p->stride * p->digit[ix->map[sym][s->conf.sq[conf][o]]];
        }
        s->conf.turned[sym][conf] = image;
    }
}

/* Exchanges equal men who may change places and are not in the order of their squares.  False:
   there are none. */
static bool exchange(const struct bk_setup *s, uint8_t *sq)
{
    bool any = false;

    for (unsigned o = 0; o < s->nouter; o++)
        for (unsigned p = 0; p < o; p++) {
            uint8_t first = sq[p], second = sq[o];

            if (first <= second || !interchangeable(s, &s->outer[p], first, &s->outer[o], second))
                continue;
            sq[p] = second;
            sq[o] = first;
            any = true;
        }
    return any;
}

/* Returns the configuration in which the squares of equal men ascend, of those that may change
   places: it comes no later than `conf`. */
static uint32_t in_order(const struct bk_setup *s, uint32_t conf)
{
    uint32_t sorted = 0;
    uint8_t sq[BK_OUTERS_MAX];

    if (s->conf.clash[conf])
        return conf;
    memcpy(sq, s->conf.sq[conf], sizeof sq);
    while (exchange(s, sq))
        ;
    for (unsigned o = 0; o < s->nouter; o++)
        sorted += s->outer[o].digit[sq[o]] * s->outer[o].stride;
    return sorted;
}

/* Links configurations in which equal men have but changed places. */
static void find_twins(struct bk_setup *s, unsigned lanes)
{
    struct bk_configurations *c = &s->conf;

    if (!s->twins)
        return;
    for (uint32_t conf = 0; conf < s->nconf; conf++) {
        uint32_t sorted = c->sorted[conf] = in_order(s, conf); /* no later than conf */

        c->twin[conf] = s->nconf;
        if (sorted == conf)
            continue;
        c->twin[conf] = c->twin[sorted];
        c->twin[sorted] = conf;
        c->spare[conf / lanes] |= (uint8_t)(((1u << 8 / lanes) - 1) << conf % lanes * (8 / lanes));
    }
    for (unsigned sym = 1; sym < BK_SYMMETRIES; sym++)
        for (uint32_t conf = 0; c->turned[sym] && conf < s->nconf; conf++)
            c->turned[sym][conf] = c->sorted[c->turned[sym][conf]];
}

static bool allocate_configurations(struct bk_setup *s, const struct bk_kernel *k)
{
    struct bk_configurations *c = &s->conf;
    bool ok = true;

    c->sq = array(s->nconf * sizeof *c->sq);
    c->clash = array(s->pitch);
    c->occ = array_zeroed(s->pitch * k->set_bytes);
    c->count = array(s->nconf * k->set_bytes);
    s->inner_sets = array((2 + BK_STEPS_MAX) * k->set_bytes * k->lanes);
    s->inner_twice = s->inner.twice ? array_zeroed(bk_twice_sets(s->v) * k->set_bytes) : NULL;
    for (unsigned sym = 1; sym < BK_SYMMETRIES; sym++)
        if (s->pairs->group >> sym & 1) {
            s->turn_tab[sym] = array(k->turn_bytes);
            c->turned[sym] = array(s->nconf * sizeof *c->turned[sym]);
            ok = ok && s->turn_tab[sym] && c->turned[sym];
        }
    if (s->twins) {
        c->sorted = array(s->nconf * sizeof *c->sorted);
        c->twin = array(s->nconf * sizeof *c->twin);
        c->spare = array_zeroed(s->nvec);
        ok = ok && c->sorted && c->twin && c->spare;
    }
    return ok && c->sq && c->clash && c->occ && c->count && s->inner_sets &&
           (!s->inner.twice || s->inner_twice);
}

static void find_clashes(struct bk_setup *s)
{
    memset(s->conf.clash, 0, s->nconf);
    memset(s->conf.clash + s->nconf, 1, s->pitch - s->nconf); /* nobody stands there */
    for (uint32_t conf = 0; conf < s->nconf; conf++)
        for (unsigned o = 0; o < s->nouter; o++) {
            unsigned digit = conf / s->outer[o].stride % s->outer[o].n, sq = s->outer[o].sq[digit];

            s->conf.sq[conf][o] = (uint8_t)sq;
            s->conf.clash[conf] |= digit >= s->outer[o].nsq;
            for (unsigned p = 0; p < o; p++)
                s->conf.clash[conf] |= s->conf.sq[conf][p] == sq;
            for (unsigned i = 0; i < s->fixed.n; i++)
                s->conf.clash[conf] |= s->fixed.sq[i] == sq;
        }
    for (unsigned i = 0; i < s->fixed.n; i++)
        for (unsigned j = 0; j < i; j++)
            if (s->fixed.sq[i] == s->fixed.sq[j])
                memset(s->conf.clash, 1, s->nconf);
}

static bool prepare_configurations(struct bk_setup *s, const struct bk_kernel *k)
{
    if (!allocate_configurations(s, k))
        return false;
    if (bk_arena_is_dry())
        return true;
    find_clashes(s);
    for (unsigned sym = 1; sym < BK_SYMMETRIES; sym++)
        if (s->conf.turned[sym])
            turn_configurations(s, sym);
    find_twins(s, k->lanes);
    return k->compile(s);
}

/* == Kings: from slice to slice == */

/* Returns whether the king of `side` goes quietly by `r` from a slice to another one, and sets
   `out`. */
static bool goes_to_slice(const struct bk_index *ix, const struct bk_pairs *pairs, unsigned side,
                          uint32_t slice, const struct bk_reach *r, struct bk_king_move *out)
{
    unsigned king[2] = { pairs->king[slice][0], pairs->king[slice][1] };
    size_t pair;

    king[side] = r->to;
    pair = (size_t)king[0] * ix->v->nsq + king[1];
    if (!(r->how & BK_QUIET) || pairs->slice[pair] < 0) /* none if they are the same square */
        return false;
    *out = (struct bk_king_move){ (uint32_t)pairs->slice[pair], pairs->sym[pair] };
    return true;
}

/* Returns the moves of a side's king, or anchor, from a square; of none, if there is neither. */
static const struct bk_reach *king_reach(const struct bk_index *ix, unsigned side, unsigned sq,
                                         unsigned *n)
{
    int type = bk_index_anchor_type(ix, side);

    *n = 0;
    return type < 0 ? NULL : bk_reach_from(ix->v, (unsigned)type, side, sq, n);
}

/* Counts the moves of a side's king in m->back_first, two slices on; then (`list`) lists them,
   moving back_first up by one slice. */
static void list_king_moves(struct bk_king_moves *m, const struct bk_index *ix,
                            const struct bk_pairs *pairs, unsigned side, bool list)
{
    uint32_t n = 0;

    for (uint32_t slice = 0; slice < pairs->nslices; slice++) {
        unsigned k;
        const struct bk_reach *r = king_reach(ix, side, pairs->king[slice][side], &k);

        m->first[side][slice] = n;
        for (unsigned i = 0; i < k; i++) {
            struct bk_king_move to;

            if (!goes_to_slice(ix, pairs, side, slice, &r[i], &to))
                continue;
            if (list) {
                m->move[side][n] = to;
                if (m->path[side])
                    m->path[side][n] = r[i].npaths ? r[i].path : BK_NO_PATH;
                m->back[side][m->back_first[side][to.slice + 1]++] = slice;
            } else {
                m->back_first[side][to.slice + 2]++;
            }
            n++;
        }
    }
    m->first[side][pairs->nslices] = n;
}

/* Allocates the lists of a side's king, for as many moves as he has from any square. */
static bool allocate_king_moves(struct bk_king_moves *m, const struct bk_index *ix,
                                uint32_t nslices, unsigned side)
{
    size_t most = 1;
    bool rides = false;

    for (unsigned sq = 0; sq < ix->v->nsq; sq++) {
        unsigned n;
        const struct bk_reach *r = king_reach(ix, side, sq, &n);

        most = n > most ? n : most;
        for (unsigned i = 0; i < n; i++)
            rides |= r[i].npaths > 0;
    }
    m->first[side] = array_zeroed((nslices + 1u) * sizeof *m->first[side]);
    m->back_first[side] = array_zeroed((nslices + 2u) * sizeof *m->back_first[side]);
    m->back[side] = array(most * nslices * sizeof *m->back[side]);
    m->move[side] = array(most * nslices * sizeof *m->move[side]);
    m->path[side] = rides ? array(most * nslices * sizeof *m->path[side]) : NULL;
    return m->first[side] && m->back_first[side] && m->back[side] && m->move[side] &&
           (!rides || m->path[side]);
}

static bool find_king_moves(struct bk_king_moves *m, const struct bk_index *ix,
                            const struct bk_pairs *pairs, unsigned side)
{
    if (!allocate_king_moves(m, ix, pairs->nslices, side))
        return false;
    if (bk_arena_is_dry())
        return true;
    list_king_moves(m, ix, pairs, side, false);
    for (uint32_t i = 1; i <= pairs->nslices + 1; i++)
        m->back_first[side][i] += m->back_first[side][i - 1];
    list_king_moves(m, ix, pairs, side, true);
    return true;
}

static void king_moves_free(struct bk_king_moves *m) /* NULL is fine */
{
    for (unsigned side = 0; m && side < 2; side++) {
        bk_spill_free(m->move[side]);
        bk_spill_free(m->path[side]);
        bk_spill_free(m->first[side]);
        bk_spill_free(m->back[side]);
        bk_spill_free(m->back_first[side]);
    }
    free(m);
}

static struct bk_king_moves *king_moves_new(const struct bk_index *ix, const struct bk_pairs *pairs)
{
    struct bk_king_moves *m = calloc(1, sizeof *m);

    if (m && find_king_moves(m, ix, pairs, BK_WHITE) && find_king_moves(m, ix, pairs, BK_BLACK))
        return m;
    king_moves_free(m);
    return NULL;
}

/* == A setup == */

void bk_setup_free(struct bk_setup *s)
{
    if (!s)
        return;
    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++) {
        bk_spill_free(s->conf.turned[sym]);
        bk_spill_free(s->turn_tab[sym]);
    }
    for (unsigned i = 0; i < BK_SLOTS_MAX; i++)
        bk_spill_free(s->link[i]);
    free(s->moves.one);
    free(s->moves.vector);
    free(s->moves.path);
    bk_spill_free(s->inner_sets);
    bk_spill_free(s->inner_twice);
    bk_spill_free(s->conf.sq);
    bk_spill_free(s->conf.sorted);
    bk_spill_free(s->conf.twin);
    bk_spill_free(s->conf.spare);
    bk_spill_free(s->conf.occ);
    bk_spill_free(s->conf.count);
    bk_spill_free(s->conf.clash);
    king_moves_free(s->kings);
    for (uint32_t i = 0; i < s->nexit; i++)
        bk_view_cache_free(s->exit[i].cache);
    free(s->exit);
    if (s->own) {
        bk_spill_free(s->own);
        free(s);
        return;
    }
    bk_spill_free(s);
}

static bool prepare_moves(struct bk_setup *s, const struct bk_kernel *k)
{
    size_t room = 0;

    for (unsigned o = 0; o < s->nouter && !bk_arena_is_dry(); o++)
        if (!quiet_moves(s, &s->outer[o], true, &room) ||
            !quiet_moves(s, &s->outer[o], false, &room))
            return false;
    if (s->by_kings)
        return prepare_configurations(s, k);
    s->kings = king_moves_new(s->ix, s->pairs);
    return s->kings && link_captures(s) && prepare_configurations(s, k);
}

/* Can this man go to another block of the table, or out of the group, as what it is? */
static bool leads_on(const struct bk_setup *s, unsigned slot)
{
    const struct bk_cells *cells = s->ix->cells[slot];
    const struct bk_outer *out = s->outer;

    if (cells->n == 1 || s->ix->right[slot] >= 0)
        return false;
    while (out < s->outer + s->nouter && out->slot != slot)
        out++;
    if (out == s->outer + s->nouter || !out->several)
        return true;
    for (unsigned d = 0; d < out->nsq; d++) {
        unsigned n;
        const struct bk_reach *r = bk_reach_from(s->v, out->type, out->colour, out->sq[d], &n);

        for (unsigned i = 0; i < n; i++)
            if (r[i].how & BK_QUIET && cells->cell_of[r[i].to] != BK_SQ_NONE &&
                out->digit[r[i].to] == BK_SQ_NONE)
                return true;
    }
    return false;
}

/* Do all exits lead to another material?  Then a position that one of them saves is known by
   BK_OPEN. */
static bool exits_leave_table(const struct bk_setup *s)
{
    bool leave = true;

    for (unsigned slot = 0; slot < s->ix->nslots; slot++)
        leave = leave && !leads_on(s, slot);
    return leave;
}

void bk_setup_init(struct bk_setup *s, const struct bk_setup_request *r)
{
    *s = (struct bk_setup){ .v = r->ix->v,
                            .ix = r->ix,
                            .b = &r->ix->block[r->block],
                            .pairs = r->group ? r->group->pairs : r->ix->block[r->block].pairs,
                            .grouped = r->group,
                            .distances = r->distances,
                            .attains = r->attains,
                            .dtw_bytes = r->dtw_bytes,
                            .nmove = r->distances ? r->nmove : 0,
                            .shift = bk_metric_shift(r->nmove ? BK_TO_ZEROING : BK_TO_THE_END),
                            .k_limit = r->k_limit };
    s->nslices = s->pairs->nslices;
    s->anchored = !bk_rules_royal(s->v);
    s->choices = bk_index_choices(s->ix) > 1;
    s->must_capture = bk_rules_must_capture(s->v);
    sort_men(s, r->group, r->kernel);
    s->ledger = r->compact && r->distances && s->inner.slot >= 0 && !s->grouped &&
                s->nconf >= BK_LEDGER_FROM && !s->must_capture;
    s->compact = r->compact && (s->ledger || !r->distances);
    for (unsigned us = 0; us < 2; us++)
        s->stalemate[us] = (int8_t)bk_rules_stalemate_wdl(
            s->v, (const uint8_t(*)[BK_TYPES_MAX])s->ix->m.count, us);
    s->exits_once = r->attains && r->distances && !s->nmove && !s->compact && exits_leave_table(s);
}

bool bk_setup_can_be(const struct bk_index *ix)
{
    struct bk_setup s = { .ix = ix, .v = ix->v };
    uint64_t nconf = 1;

    choose_inner(&s);
    for (unsigned slot = 0; slot < ix->nslots; slot++) {
        const struct bk_cells *cells = ix->cells[slot];
        unsigned most = 0;

        for (unsigned cell = 0; cell < cells->n; cell++)
            most = cells->size[cell] > most ? cells->size[cell] : most;
        nconf *= (int)slot == s.inner.slot || bk_index_is_anchor(ix, slot) ? 1 : most;
    }
    return nconf <= INT32_MAX;
}

/* Prepares configurations and, unless r->to_count, moves.  False: no memory. */
static bool prepare_men(struct bk_setup *s, const struct bk_setup_request *r)
{
    if (s->by_kings && !s->nouter)
        return true;
    return r->to_count ? prepare_configurations(s, r->kernel) : prepare_moves(s, r->kernel);
}

struct bk_setup *bk_setup_new(const struct bk_setup_request *r)
{
    bool dry = bk_arena_is_dry();
    struct bk_setup *s = dry ? malloc(sizeof *s) : bk_spill_new_often(sizeof *s);

    if (!s)
        return NULL;
    bk_setup_init(s, r);
    s->own = dry ? bk_spill_new_often(sizeof *s) : NULL;
    for (unsigned sq = 0; sq < s->v->nsq; sq++)
        s->all_sq[sq] = (uint8_t)sq;
    for (unsigned slot = 0; !dry && !r->to_count && slot < s->ix->nslots; slot++)
        bk_each_change(s->ix, slot, note_change, s);
    prepare_inner(s);
    if (r->to_count)
        s->by_kings = false;
    if (dry && s->too_many) /* such a block is not solved */
        bk_arena_raise(BK_ARENA_TOO_MUCH, 0);
    if ((dry || !s->too_many) && prepare_men(s, r))
        return s;
    bk_setup_free(s);
    return NULL;
}

bool bk_setup_move(struct bk_setup *s, uint32_t block)
{
    const struct bk_block *b = &s->ix->block[block];

    for (unsigned i = 0; i < s->fixed.n; i++) {
        const struct bk_cells *cells = s->ix->cells[s->fixed.slot[i]];
        unsigned cell = b->cell[s->fixed.slot[i]];

        if (cells->size[cell] > 1)
            return false;
        s->fixed.sq[i] = cells->sq[cells->first[cell]];
    }
    s->b = b;
    s->pairs = b->pairs;
    s->nslices = b->pairs->nslices;
    return true;
}

/* Sets the strides of an array, by man and by slice: a configuration takes `row`, a slice `nconf`
   configurations. */
static void lay_out(const struct bk_setup *s, unsigned row, uint32_t nconf, uint64_t *stride,
                    uint64_t *slice_stride)
{
    memset(stride, 0, BK_SLOTS_MAX * sizeof *stride);
    for (unsigned o = 0; o < s->nouter; o++)
        stride[s->outer[o].slot] = (uint64_t)s->outer[o].stride * row;
    if (s->inner.slot >= 0)
        stride[s->inner.slot] = 1;
    *slice_stride = (uint64_t)nconf * row;
}

void bk_setup_lay_out_codes(const struct bk_setup *s, const struct bk_kernel *k, bool taken,
                            struct bk_memblock *mb, unsigned code_bytes)
{
    bool sets = s->inner.slot >= 0;

    lay_out(s, sets ? 8 * (unsigned)k->set_bytes : 1, sets && !taken ? s->pitch : s->nconf,
            mb->bit_stride, &mb->bit_slice_stride);
    if (code_bytes) {
        lay_out(s, s->width, s->nconf, mb->stride, &mb->slice_stride);
    } else {
        memcpy(mb->stride, mb->bit_stride, sizeof mb->stride);
        mb->slice_stride = mb->bit_slice_stride;
    }
    memset(mb->raw, 0, sizeof mb->raw);
    mb->narrow_n = 0;
    if (sets)
        mb->raw[s->inner.slot] = 1;
}
