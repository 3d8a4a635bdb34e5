/*
 * solve.c - a table, block after block; a block, ply after ply.
 *
 * Everything a kernel needs is prepared here as plain arrays: which man is the
 * inner one, the quiet moves of the others as differences of configuration
 * numbers, the ways out of the block with the tables they lead to.
 */
#include "tb/solve.h"

#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "core/move.h"
#include "core/rules.h"
#include "tb/state.h"

/* == Memory == */

static size_t whole_lines(size_t bytes) { return bytes ? (bytes + 63) & ~(size_t)63 : 64; }

/* Sets want to lie on whole vectors. */
static void *aligned(size_t bytes) { return aligned_alloc(64, whole_lines(bytes)); }

static void *aligned_zeroed(size_t bytes)
{
    void *p = aligned(bytes);

    return p ? memset(p, 0, bytes) : NULL;
}

/* == Which men move how == */

static void find_changes(struct bk_solver *s, unsigned slot)
{
    const struct bk_index *ix = s->ix;
    unsigned colour = ix->colour[slot];

    for (unsigned sq = 0; sq < s->v->nsq; sq++)
        for (unsigned in_place = 0; in_place < 2; in_place++) {
            struct bk_change change[BK_TYPES_MAX + 1];
            unsigned n;

            if (!bk_bits_has(&s->v->board, sq))
                continue;
            n = bk_rules_changes(s->v, ix->m.count[colour], ix->m.left[colour], ix->type[slot],
                                 colour, sq, in_place, change);
            for (unsigned i = 0; i < n; i++) {
                unsigned kind = change[i].type == BK_STAYS ? BK_TYPES_MAX : change[i].type;

                if (in_place)
                    s->change_here[slot][kind][sq] = true;
                else
                    s->change_ok[slot][kind][sq] = true;
            }
        }
}

/* Can this man's squares be the bits of a word?  It must have one cell and one way to move. */
static bool can_be_inner(const struct bk_index *ix, unsigned slot)
{
    const struct bk_piece *p = &ix->v->piece[ix->type[slot]];

    return ix->cells[slot]->n == 1 && ix->right[slot] < 0 && !p->zone_ranks && !p->double_ranks &&
           !bk_rules_takes_twice(ix->v, ix->type[slot]);
}

/* Moves from an average square of an empty board: the more, the more a word saves. */
static unsigned mobility(const struct bk_variant *v, unsigned type, unsigned colour)
{
    unsigned sum = 0;

    for (unsigned sq = 0; sq < v->nsq; sq++)
        sum += v->geometry->count[type][colour][sq];
    return sum;
}

static void choose_inner(struct bk_solver *s)
{
    unsigned most = 0;

    s->inner.slot = -1;
    for (unsigned slot = 0; slot < s->ix->nslots; slot++) {
        unsigned n = mobility(s->v, s->ix->type[slot], s->ix->colour[slot]) + 1;

        if (can_be_inner(s->ix, slot) && n > most) {
            most = n;
            s->inner.slot = (int)slot;
        }
    }
    s->width = s->inner.slot < 0 ? 1 : s->v->nsq;
}

static void prepare_inner(struct bk_solver *s)
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

/* Men with a cell of one square in this block are fixed, rooks with castling rights, too;
   the rest, but for the inner, outer. */
static void sort_out_men(struct bk_solver *s)
{
    const struct bk_index *ix = s->ix;
    unsigned lanes = bk_kernel_for(s->v->nsq)->lanes;

    for (unsigned slot = 0; slot < ix->nslots; slot++) {
        const struct bk_cells *cells = ix->cells[slot];
        unsigned cell = s->b->cell[slot];
        struct bk_outer *o = &s->outer[s->nouter];

        if ((int)slot == s->inner.slot)
            continue;
        if (cells->size[cell] == 1 && (cells->n > 1 || ix->right[slot] >= 0)) {
            s->fixed_slot[s->nfixed] = (uint8_t)slot;
            s->fixed_sq[s->nfixed++] = cells->sq[cells->first[cell]];
            continue;
        }
        o->slot = (uint8_t)slot;
        o->type = ix->type[slot];
        o->colour = ix->colour[slot];
        o->n = cells->size[cell];
        o->sq = cells->sq + cells->first[cell];
        memset(o->digit, BK_SQ_NONE, sizeof o->digit);
        for (unsigned i = 0; i < o->n; i++)
            o->digit[o->sq[i]] = (uint8_t)i;
        s->nouter++;
    }
    /* the man with most moves varies slowest: its moves then go from row to row */
    for (unsigned i = 1; i < s->nouter; i++)
        for (unsigned j = i; j && mobility(s->v, s->outer[j].type, s->outer[j].colour) >
                                      mobility(s->v, s->outer[j - 1].type, s->outer[j - 1].colour);
             j--) {
            struct bk_outer swap = s->outer[j];

            s->outer[j] = s->outer[j - 1];
            s->outer[j - 1] = swap;
        }
    s->nconf = 1;
    for (unsigned o = s->nouter; o-- > 0;) {
        s->outer[o].stride = s->nconf;
        s->nconf *= s->outer[o].n;
    }
    s->nvec = (s->nconf + lanes - 1) / lanes;
    s->nmarks = (s->nvec + 63) / 64;
    s->pitch = s->nvec * lanes;
    for (unsigned i = 0; i < ix->nslots; i++)
        for (unsigned j = 0; j < i; j++)
            if (ix->like[i] == ix->like[j] && ix->cells[i]->size[s->b->cell[i]] > 1)
                s->equal_men = true;
    s->kings_only = s->nouter == 0 && s->inner.slot < 0 && !ix->m.rights;
    for (unsigned i = 0; i < s->nfixed; i++)
        if (bk_rules_takes_twice(s->v, ix->type[s->fixed_slot[i]]))
            s->kings_only = false;
}

/* == Quiet moves of outer men == */

static bool quiet_moves(struct bk_solver *s, struct bk_outer *o, bool into, size_t *room)
{
    for (unsigned d = 0; d < o->n; d++) {
        unsigned sq = o->sq[d], n;
        const struct bk_reach *r = into ? bk_reach_into(s->v, o->type, o->colour, sq, &n)
                                        : bk_reach_from(s->v, o->type, o->colour, sq, &n);
        struct bk_klist *list = into ? &o->into[d] : &o->from[d];

        list->first = s->nmove;
        for (unsigned i = 0; i < n; i++) {
            unsigned other = r[i].to, to = into ? sq : other;

            if (!(r[i].how & BK_QUIET) || o->digit[other] == BK_SQ_NONE ||
                !s->change_ok[o->slot][BK_TYPES_MAX][to])
                continue;
            if (s->nmove == *room) {
                struct bk_kmove *more;

                *room = *room ? *room * 2 : 4096;
                more = realloc(s->move, *room * sizeof *more);
                if (!more)
                    return false;
                s->move = more;
            }
            s->move[s->nmove++] = (struct bk_kmove){
                .delta = ((int32_t)o->digit[other] - (int32_t)d) * (int32_t)o->stride,
                .from = (uint8_t)(into ? other : sq),
                .to = (uint8_t)to,
                .hops = r[i].how & BK_HOPS,
                .npaths = r[i].npaths,
                .path = r[i].path,
            };
        }
        list->n = (uint16_t)(s->nmove - list->first);
    }
    return true;
}

static bool link_captures(struct bk_solver *s)
{
    const struct bk_geometry *g = s->v->geometry;
    unsigned nsq = s->v->nsq;

    for (unsigned o = 0; o < s->nouter; o++) {
        unsigned type = s->outer[o].type, colour = s->outer[o].colour;
        uint32_t *link = calloc((size_t)nsq * nsq, sizeof *link);

        if (!link)
            return false;
        s->link[s->outer[o].slot] = link;
        for (unsigned sq = 0; sq < nsq; sq++)
            for (unsigned i = g->count[type][colour][sq]; i-- > 0;) {
                uint32_t at = g->first[type][colour][sq] + i;

                if (g->reach[at].how & BK_TAKES)
                    link[sq * nsq + g->reach[at].to] = at + 1;
            }
    }
    return true;
}

/* == Configurations == */

static bool turn_configurations(struct bk_solver *s, unsigned sym)
{
    const struct bk_index *ix = s->ix;
    unsigned to_outer[BK_OUTERS_MAX];

    s->conf_turned[sym] = malloc(s->nconf * sizeof *s->conf_turned[sym]);
    if (!s->conf_turned[sym])
        return false;
    /* the symmetry may exchange the cells of equal men */
    for (unsigned o = 0; o < s->nouter; o++) {
        unsigned slot = s->outer[o].slot;
        unsigned cell = ix->cells[slot]->cell_of[ix->map[sym][s->outer[o].sq[0]]];
        unsigned same = 0;

        for (unsigned p = 0; p < o; p++)
            same += ix->like[s->outer[p].slot] == ix->like[slot] &&
                    s->b->cell[s->outer[p].slot] == s->b->cell[slot];
        for (unsigned p = 0; p < s->nouter; p++)
            if (ix->like[s->outer[p].slot] == ix->like[slot] &&
                s->b->cell[s->outer[p].slot] == cell && same-- == 0) {
                to_outer[o] = p;
                break;
            }
    }
    for (uint32_t conf = 0; conf < s->nconf; conf++) {
        uint32_t image = 0;

        for (unsigned o = 0; o < s->nouter; o++) {
            const struct bk_outer *p = &s->outer[to_outer[o]];

            image += p->stride * p->digit[ix->map[sym][s->conf_sq[conf][o]]];
        }
        s->conf_turned[sym][conf] = image;
    }
    return true;
}

static bool prepare_configurations(struct bk_solver *s, const struct bk_kernel *k)
{
    s->conf_sq = malloc(s->nconf * sizeof *s->conf_sq);
    s->conf_clash = malloc(s->pitch);
    s->conf_occ = aligned_zeroed(s->pitch * k->set_bytes);
    s->conf_count = aligned(s->nconf * k->set_bytes);
    s->inner_sets = aligned((2 + BK_STEPS_MAX) * k->set_bytes * k->lanes);
    if (!s->conf_sq || !s->conf_clash || !s->conf_occ || !s->conf_count || !s->inner_sets)
        return false;
    memset(s->conf_clash, 0, s->nconf);
    memset(s->conf_clash + s->nconf, 1, s->pitch - s->nconf); /* nobody stands there */
    for (uint32_t conf = 0; conf < s->nconf; conf++)
        for (unsigned o = 0; o < s->nouter; o++) {
            unsigned sq = s->outer[o].sq[conf / s->outer[o].stride % s->outer[o].n];

            s->conf_sq[conf][o] = (uint8_t)sq;
            for (unsigned p = 0; p < o; p++)
                s->conf_clash[conf] |= s->conf_sq[conf][p] == sq;
            for (unsigned i = 0; i < s->nfixed; i++)
                s->conf_clash[conf] |= s->fixed_sq[i] == sq;
        }
    for (unsigned i = 0; i < s->nfixed; i++)
        for (unsigned j = 0; j < i; j++)
            if (s->fixed_sq[i] == s->fixed_sq[j])
                memset(s->conf_clash, 1, s->nconf);
    for (unsigned sym = 1; sym < BK_SYMMETRIES; sym++)
        if (s->b->group >> sym & 1) {
            s->turn_tab[sym] = aligned(k->turn_bytes);
            if (!s->turn_tab[sym] || !turn_configurations(s, sym))
                return false;
        }
    return k->compile_tables(s);
}

/* == Kings: from slice to slice == */

static bool king_moves(struct bk_solver *s, unsigned side)
{
    const struct bk_pairs *pairs = s->b->pairs;
    uint32_t n = 0, *first = calloc(s->nslices + 1u, sizeof *first);
    uint32_t *back_first = calloc(s->nslices + 2u, sizeof *back_first), *back = NULL;
    struct bk_king_move *move = NULL;

    s->king_first[side] = first;
    s->king_back_first[side] = back_first;
    for (unsigned pass = 0; first && back_first && pass < 2; pass++) {
        if (pass == 1) {
            s->king_move[side] = move = malloc((n ? n : 1) * sizeof *move);
            s->king_back[side] = back = malloc((n ? n : 1) * sizeof *back);
            if (!move || !back)
                return false;
            for (uint32_t i = 1; i <= s->nslices + 1; i++)
                back_first[i] += back_first[i - 1];
        }
        n = 0;
        for (uint32_t slice = 0; slice < s->nslices; slice++) {
            unsigned king[2] = { pairs->king[slice][0], pairs->king[slice][1] }, k;
            const struct bk_reach *r = bk_reach_from(s->v, s->v->royal, side, king[side], &k);

            first[slice] = n;
            for (unsigned i = 0; i < k; i++) {
                size_t pair;

                king[side] = r[i].to;
                pair = (size_t)king[0] * s->v->nsq + king[1];
                if (!(r[i].how & BK_QUIET) || king[0] == king[1] || pairs->slice[pair] < 0)
                    continue;
                if (pass == 0) {
                    back_first[pairs->slice[pair] + 2]++;
                } else {
                    move[n] = (struct bk_king_move){ (uint32_t)pairs->slice[pair],
                                                     pairs->sym[pair] };
                    back[back_first[pairs->slice[pair] + 1]++] = slice;
                }
                n++;
            }
        }
        first[s->nslices] = n;
    }
    return first && back_first;
}

/* == Ways out == */

struct exit_list {
    struct bk_solver *s;
    const struct bk_solve_job *job;
    size_t room;
    enum bk_err err;
    struct bk_report *why;
};

/* The castling rights that a move ends: both by a king's, those of rooks moved or taken. */
static unsigned rights_ended(const struct bk_index *ix, const struct bk_exit *e)
{
    const int slot[] = { e->mover == BK_KINGS_SLOT ? -1 : e->mover, e->taken, e->also };
    unsigned ended = e->mover == BK_KINGS_SLOT ? 3u << 2 * e->colour : 0;

    for (unsigned i = 0; i < 3; i++)
        if (slot[i] >= 0 && ix->right[slot[i]] >= 0)
            ended |= 1u << ix->right[slot[i]];
    return ended & ix->m.rights;
}

/* The material after an exit. */
static struct bk_material material_after(const struct bk_solver *s, const struct bk_exit *e)
{
    const struct bk_index *ix = s->ix;
    bool changes = e->becomes != BK_STAYS;
    struct bk_material m = ix->m;

    m.rights &= (uint8_t)~rights_ended(ix, e);
    if (e->also >= 0)
        m = bk_material_after(&m, s->v, e->colour, ix->type[e->also], -1, -1, false);
    return bk_material_after(&m, s->v, e->colour, e->taken < 0 ? -1 : ix->type[e->taken],
                             changes ? ix->type[e->mover] : -1, changes ? e->becomes : -1,
                             e->counted);
}

/* Finds the table of an exit and adds it to the list. */
static void add_prepared(struct exit_list *l, struct bk_exit e)
{
    struct bk_solver *s = l->s;
    const struct bk_index *ix = s->ix;
    bool changes = e.becomes != BK_STAYS;
    struct bk_material m = material_after(s, &e);
    const struct bk_memtable *t;
    bool exchanged = false;

    if (l->err)
        return;
    e.in_block = e.taken < 0 && !changes && !rights_ended(ix, &e);
    if (e.in_block) {
        t = l->job->t;
    } else {
        exchanged = bk_material_canonical(&m, s->v);
        t = l->job->find(l->job->find_context, &m);
    }
    if (!t) {
        char name[BK_MATERIAL_NAME_MAX];

        l->err = bk_fail(l->why, BK_E_NO_TABLE, "missing table %s %s", s->v->name,
                         bk_material_name(&m, s->v, name));
        return;
    }
    bk_view_plan(&e.plan, t, ix, e.colour, exchanged, e.taken, e.also,
                 changes ? (int)e.mover : -1, e.becomes);
    if (s->nexit == l->room) {
        struct bk_exit *more;

        l->room = l->room ? l->room * 2 : 32;
        more = realloc(s->exit, l->room * sizeof *more);
        if (!more) {
            l->err = bk_fail(l->why, BK_E_SYSTEM, "out of memory");
            return;
        }
        s->exit = more;
    }
    s->exit[s->nexit++] = e;
}

static void add_exit(struct exit_list *l, unsigned mover, unsigned colour, int taken, int also,
                     unsigned becomes, bool counted)
{
    add_prepared(l, (struct bk_exit){ .mover = (uint8_t)mover, .colour = (uint8_t)colour,
                                      .taken = (int8_t)taken, .also = (int8_t)also,
                                      .becomes = (uint8_t)becomes, .counted = counted,
                                      .castles = -1 });
}

/* A king with rights: its every move ends them, castling among them. */
static void add_castling(struct exit_list *l, unsigned colour)
{
    unsigned rights = l->s->ix->m.rights;

    if (rights >> 2 * colour & 3)
        add_exit(l, BK_KINGS_SLOT, colour, -1, -1, BK_STAYS, false);
    for (unsigned right = 2 * colour; right < 2 * colour + 2; right++)
        if (rights >> right & 1)
            add_prepared(l, (struct bk_exit){ .mover = BK_KINGS_SLOT, .colour = (uint8_t)colour,
                                              .taken = -1, .also = -1, .becomes = BK_STAYS,
                                              .castles = (int8_t)right });
}

/* All ends of a man's move that differ in what it becomes: once each. */
static void add_changes(struct exit_list *l, unsigned slot, int taken, int also)
{
    struct bk_solver *s = l->s;
    const struct bk_index *ix = s->ix;
    unsigned colour = ix->colour[slot];
    bool seen[BK_TYPES_MAX + 1] = { false };

    for (unsigned sq = 0; sq < s->v->nsq; sq++)
        for (unsigned in_place = 0; in_place < (taken < 0 ? 2u : 1u); in_place++) {
            struct bk_change change[BK_TYPES_MAX + 1];
            unsigned n;

            if (!bk_bits_has(&s->v->board, sq))
                continue;
            n = bk_rules_changes(s->v, ix->m.count[colour], ix->m.left[colour], ix->type[slot],
                                 colour, sq, in_place, change);
            for (unsigned i = 0; i < n; i++) {
                unsigned kind = change[i].type == BK_STAYS ? BK_TYPES_MAX : change[i].type;
                bool fixed = ix->cells[slot]->n > 1 || ix->right[slot] >= 0;

                if (seen[kind] || (kind == BK_TYPES_MAX && taken < 0 && !fixed))
                    continue; /* a quiet move of a man with one cell is no way out */
                seen[kind] = true;
                add_exit(l, slot, colour, taken, also, change[i].type, change[i].counted);
            }
        }
}

/* Equal men can be told apart by their squares alone: each is taken by itself. */
static enum bk_err find_exits(struct bk_solver *s, const struct bk_solve_job *job,
                              struct bk_report *why)
{
    struct exit_list l = { .s = s, .job = job, .why = why };
    const struct bk_index *ix = s->ix;

    for (unsigned colour = 0; colour < 2; colour++) {
        add_castling(&l, colour);
        for (int taken = -1; taken < (int)ix->nslots; taken++) {
            if (taken >= 0 && ix->colour[taken] == colour)
                continue;
            if (taken >= 0)
                add_exit(&l, BK_KINGS_SLOT, colour, taken, -1, BK_STAYS, false);
            for (unsigned slot = 0; slot < ix->nslots; slot++) {
                if (ix->colour[slot] != colour)
                    continue;
                add_changes(&l, slot, taken, -1);
                if (!bk_rules_takes_twice(s->v, ix->type[slot]))
                    continue;
                for (int also = 0; also < taken; also++)
                    if (ix->colour[also] != colour)
                        add_changes(&l, slot, taken, also);
            }
        }
    }
    return l.err;
}

bool bk_solve_may_castle(const struct bk_solver *s, const struct bk_exit *e,
                         const struct bk_placement *at)
{
    struct bk_pos p;

    return bk_index_position(s->ix, at, e->colour, &p) &&
           bk_castling_safe(s->v, &p, (unsigned)e->castles & 1);
}

/* == En passant ==
 *
 * A man that goes two squares may be taken by an enemy pawn as if it had gone
 * one.  The position after the double step is worth what it is worth without
 * that right, or what the best such capture brings the opponent, if that is
 * more; and where the opponent had no other move at all, what it brings him.
 */

static bool is_double(const struct bk_variant *v, unsigned type, unsigned colour, unsigned from,
                      unsigned to)
{
    int up = (int)(to / v->files) - (int)(from / v->files);

    return v->piece[type].double_ranks >> bk_own_rank(v, from, colour) & 1 &&
           to % v->files == from % v->files && (up == 2 || up == -2);
}

static int16_t one_ply_later(int16_t score)
{
    return (int16_t)(score > 0 ? score - 1 : score < 0 ? score + 1 : 0);
}

/* The opponent's score of a position, given what the mover gets by moving into it. */
static int16_t for_the_opponent(int16_t mover)
{
    return (int16_t)(mover > 0 ? -mover - 1 : mover < 0 ? -mover + 1 : 0);
}

void bk_solve_passing(struct bk_solver *s, const struct bk_exit *e, unsigned from, unsigned to,
                      const struct bk_placement *at, const struct bk_free_man *men, unsigned nfree,
                      int16_t *view)
{
    const struct bk_index *ix = s->ix;
    unsigned slot = e->mover, type = ix->type[slot], ep = (from + to) / 2;
    struct bk_placement here = *at;
    size_t n = 1;

    if (!s->v->en_passant || !is_double(s->v, type, e->colour, from, to))
        return;
    /* only men that never go back capture in passing; are any beside? */
    bool near = false;
    for (unsigned i = 0; i < ix->nslots; i++) {
        unsigned k;
        const struct bk_reach *r;

        if (ix->colour[i] == e->colour || !s->v->piece[ix->type[i]].double_ranks)
            continue;
        near = near || s->inner.slot == (int)i;
        for (unsigned o = 0; o < s->nouter; o++)
            near = near || s->outer[o].slot == i;
        r = bk_reach_from(s->v, ix->type[i], ix->colour[i], at->sq[i], &k);
        for (unsigned j = 0; j < k; j++)
            near = near || (r[j].how & BK_TAKES && r[j].to == ep);
    }
    if (!near)
        return;
    for (unsigned i = 0; i < nfree; i++)
        n *= men[i].n;
    for (size_t i = 0; i < n; i++) {
        struct bk_pos p;
        struct bk_move moves[BK_MOVES_MAX];
        size_t rest = i;
        int16_t best = BK_SCORE_NONE, plain;
        unsigned legal, others = 0;

        if (view[i] == BK_SCORE_NONE)
            continue;
        for (unsigned j = nfree; j-- > 0; rest /= men[j].n)
            here.sq[men[j].slot] = men[j].sq[rest % men[j].n];
        if (!bk_index_position(ix, &here, !e->colour, &p) || p.at[ep] || p.at[from])
            continue; /* no double step leads there */
        p.ep = (uint8_t)ep;
        legal = bk_moves_legal(s->v, &p, moves);
        for (unsigned j = 0; j < legal; j++) {
            struct bk_pos next = p;
            int wdl;
            bool passing = moves[j].takes != BK_SQ_NONE && moves[j].takes != moves[j].to &&
                           s->v->piece[bk_man_type(p.at[moves[j].from])].double_ranks;

            if (!passing) {
                others++;
                continue;
            }
            bk_pos_play(&next, s->v, &moves[j]);
            if (bk_pos_bare(s->v, &next, &wdl) != BK_END_NONE) {
                int16_t score = (int16_t)(wdl < 0 ? BK_SCORE_WIN - 1 : 0);

                best = score > best ? score : best;
                continue;
            }
            /* find the capture among this block's ways out of the other side */
            for (uint32_t x = 0; x < s->nexit; x++) {
                const struct bk_exit *reply = &s->exit[x];
                struct bk_placement after = here;
                int16_t score;

                if (reply->colour == e->colour || reply->taken != (int)slot ||
                    reply->also >= 0 || reply->mover == BK_KINGS_SLOT ||
                    here.sq[reply->mover] != moves[j].from || reply->becomes != moves[j].becomes)
                    continue;
                after.sq[reply->mover] = moves[j].to;
                bk_view_fill(&reply->plan, &after, NULL, 0, &score);
                best = score > best ? score : best;
                break;
            }
        }
        if (best == BK_SCORE_NONE)
            continue;
        plain = for_the_opponent(view[i]);
        if (!others || best > plain)
            plain = best;
        else if (plain < 0 && best < 0 && best > plain)
            plain = best;
        view[i] = (int16_t)-one_ply_later(plain);
        if (plain == 0)
            view[i] = 0;
    }
}

static bool goes_to(const struct bk_variant *v, unsigned type, unsigned colour, unsigned from,
                    unsigned to)
{
    unsigned n;
    const struct bk_reach *r = bk_reach_from(v, type, colour, from, &n);

    for (unsigned i = 0; i < n; i++)
        if (r[i].to == to && r[i].how & BK_QUIET)
            return true;
    return false;
}

/*
 * The above looks at double steps as ways out of a block.  A man that can come
 * back to where its double step began (a commoner, say) makes them within it.
 */
static bool doubles_within_cell(const struct bk_index *ix)
{
    for (unsigned slot = 0; slot < ix->nslots; slot++) {
        const struct bk_variant *v = ix->v;
        const struct bk_cells *cells = ix->cells[slot];
        int up = ix->colour[slot] == BK_WHITE ? 2 * v->files : -2 * v->files;

        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (cells->cell_of[sq] != BK_SQ_NONE &&
                v->piece[ix->type[slot]].double_ranks >> bk_own_rank(v, sq, ix->colour[slot]) & 1 &&
                cells->cell_of[sq] == cells->cell_of[(int)sq + up] &&
                goes_to(v, ix->type[slot], ix->colour[slot], sq, (unsigned)((int)sq + up)))
                return true;
    }
    return false;
}

/* == Memory of a block == */

static bool allocate(struct bk_solver *s, const struct bk_kernel *k, unsigned threads,
                     struct bk_spares *spares)
{
    bool ok = bk_state_new(s, k, spares);

    if (s->borrows)
        return ok;
    s->work = calloc(threads, sizeof *s->work);
    for (unsigned i = 0; ok && s->work && i < threads; i++)
        ok = (s->work[i] = bk_store_new(NULL, k->work_bytes(s))) != NULL;
    return ok && s->work;
}

/* What the solvers of a chain share; the first owns it. */
static void release_shared(struct bk_solver *s, unsigned threads)
{
    for (unsigned side = 0; side < 2; side++) {
        free(s->king_move[side]);
        free(s->king_first[side]);
        free(s->king_back[side]);
        free(s->king_back_first[side]);
    }
    for (unsigned i = 0; s->work && i < threads; i++)
        bk_store_free(s->work[i]);
    free(s->work);
}

/* spares: get its sets; NULL: nobody does. */
static void release(struct bk_solver *s, unsigned threads, struct bk_spares *spares)
{
    bk_state_free(s, bk_kernel_for(s->v->nsq), spares);
    if (!s->borrows)
        release_shared(s, threads);
    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++) {
        free(s->conf_turned[sym]);
        free(s->turn_tab[sym]);
    }
    for (unsigned i = 0; i < BK_SLOTS_MAX; i++)
        free(s->link[i]);
    free(s->move);
    free(s->vmove);
    free(s->vpath);
    free(s->inner_sets);
    free(s->conf_sq);
    free(s->conf_occ);
    free(s->conf_count);
    free(s->conf_clash);
    free(s->exit);
    free(s);
}

/* Kings go from slice to slice in all blocks of a chain alike. */
static void borrow_kings(struct bk_solver *s, const struct bk_solver *from)
{
    s->borrows = true;
    memcpy(s->king_move, from->king_move, sizeof s->king_move);
    memcpy(s->king_first, from->king_first, sizeof s->king_first);
    memcpy(s->king_back, from->king_back, sizeof s->king_back);
    memcpy(s->king_back_first, from->king_back_first, sizeof s->king_back_first);
}

/* Everything but the state: men, moves, configurations.  for_kernel: even if only kings move.
   first: of the chain, or NULL. */
static struct bk_solver *solver_new(const struct bk_index *ix, uint32_t block,
                                    const struct bk_kernel *k, bool for_kernel,
                                    const struct bk_solver *first)
{
    struct bk_solver *s = calloc(1, sizeof *s);
    size_t room = 0;

    if (!s)
        return NULL;
    s->v = ix->v;
    s->ix = ix;
    s->b = &ix->block[block];
    s->nslices = s->b->pairs->nslices;
    for (unsigned sq = 0; sq < s->v->nsq; sq++)
        s->all_sq[sq] = (uint8_t)sq;
    for (unsigned slot = 0; slot < ix->nslots; slot++)
        find_changes(s, slot);
    choose_inner(s);
    prepare_inner(s);
    sort_out_men(s);
    if (for_kernel)
        s->kings_only = false;
    if (s->kings_only)
        return s;
    for (unsigned o = 0; o < s->nouter; o++)
        if (!quiet_moves(s, &s->outer[o], true, &room) ||
            !quiet_moves(s, &s->outer[o], false, &room))
            goto fail;
    if (first)
        borrow_kings(s, first);
    else if (!king_moves(s, BK_WHITE) || !king_moves(s, BK_BLACK))
        goto fail;
    if (!link_captures(s) || !prepare_configurations(s, k))
        goto fail;
    return s;

fail:
    release(s, 0, NULL);
    return NULL;
}

/* How the solver lays out this block's codes, or its two bitmaps: there a set is a row. */
static void lay_out_codes(const struct bk_solver *s, struct bk_memblock *mb, unsigned code_bytes)
{
    const struct bk_kernel *k = bk_kernel_for(s->v->nsq);
    bool sets = !code_bytes && s->inner.slot >= 0;
    unsigned row = sets ? 8 * (unsigned)k->set_bytes : s->width;

    memset(mb->stride, 0, sizeof mb->stride);
    memset(mb->raw, 0, sizeof mb->raw);
    for (unsigned o = 0; o < s->nouter; o++)
        mb->stride[s->outer[o].slot] = (uint64_t)s->outer[o].stride * row;
    if (s->inner.slot >= 0) {
        mb->stride[s->inner.slot] = 1;
        mb->raw[s->inner.slot] = 1;
    }
    mb->slice_stride = (uint64_t)(sets ? s->pitch : s->nconf) * row;
}

/* == Passes == */

/* Over all slices of a block, or of the blocks of a chain: they have the same. */
struct pass {
    struct bk_solver **member;
    const struct bk_kernel *k;
    bool (*step)(struct bk_solver *s, uint32_t slice, unsigned side, void *work);
    struct bk_tally *tally; /* by thread */
    struct bk_memtable *t;
    struct bk_memblock *mb;
    bool found; /* set by any thread */
};

static void run_init(void *context, uint64_t item, unsigned thread)
{
    struct pass *p = context;
    uint32_t nslices = p->member[0]->nslices;
    struct bk_solver *s = p->member[item / nslices];

    bk_store_ease(s->store);
    p->k->init(s, (uint32_t)(item % nslices), s->work[thread]);
}

static void run_step(void *context, uint64_t item, unsigned thread)
{
    struct pass *p = context;
    uint64_t nslices = p->member[0]->nslices;
    struct bk_solver *s = p->member[item / (2 * nslices)];

    bk_store_ease(s->store);
    if (p->step(s, (uint32_t)(item % (2 * nslices) >> 1), item & 1, s->work[thread])) {
        __atomic_store_n(&p->found, true, __ATOMIC_RELAXED);
        __atomic_store_n(s->ply & 1 ? &s->last_win[item & 1] : &s->last_loss[item & 1],
                         (int)s->ply, __ATOMIC_RELAXED);
    }
}

static void run_finish(void *context, uint64_t item, unsigned thread)
{
    struct pass *p = context;
    uint32_t nslices = p->member[0]->nslices;
    struct bk_solver *s = p->member[item / nslices];

    bk_store_ease(s->store);
    p->k->finish(s, (uint32_t)(item % nslices), &p->tally[thread], s->work[thread]);
}

static void run_mark(void *context, uint64_t item, unsigned thread)
{
    struct pass *p = context;

    bk_store_ease(p->t->store);
    p->k->mark_illegal(p->member[0], (uint32_t)item, p->mb, p->t->code_bytes,
                       p->member[0]->work[thread]);
}

static void longer(struct bk_longest *into, const struct bk_longest *from)
{
    if (from->plies > into->plies || (from->plies == into->plies && from->number < into->number))
        *into = *from;
}

static void tally_init(struct bk_tally *t)
{
    memset(t, 0, sizeof *t);
    for (unsigned side = 0; side < 2; side++)
        t->longest_win[side].plies = t->longest_loss[side].plies = -1;
}

static void tally_add(struct bk_tally *into, const struct bk_tally *from)
{
    for (unsigned side = 0; side < 2; side++) {
        into->win[side] += from->win[side];
        into->draw[side] += from->draw[side];
        into->loss[side] += from->loss[side];
        into->all_win[side] += from->all_win[side];
        into->all_draw[side] += from->all_draw[side];
        into->all_loss[side] += from->all_loss[side];
        longer(&into->longest_win[side], &from->longest_win[side]);
        longer(&into->longest_loss[side], &from->longest_loss[side]);
    }
}

/* One block, or those of a chain.  BK_E_DIFFERS: distances do not fit into one byte. */
struct block_job {
    struct bk_solve_job *job;
    const uint32_t *block;
    uint32_t n;
    struct bk_pool *pool; /* NULL: in this thread */
    bool apart;           /* others are being solved at the same time */
    uint64_t done;
};

static void report_progress(const struct block_job *b, uint32_t ply)
{
    struct bk_progress p = { .block = b->block[0],
                             .nblocks = b->job->t->ix->nblocks,
                             .ply = ply,
                             .positions = b->done,
                             .positions_all = 2 * b->job->t->ix->positions };

    if (b->job->progress)
        b->job->progress(b->job->progress_context, &p);
}

/* == Checkpoints ==
 *
 * Between two plies of a block, or two blocks, everything that is known is
 * written down: which blocks are solved, with the values of those still in
 * memory; what the sink has made of them; and the arrays of the block under
 * way, or of those of a chain.  Nothing else is kept from one ply to the next.
 */

/* The block under way, or the first of a chain: all that iterate() knows. */
struct moment {
    uint32_t block, ply;
    uint32_t before, there; /* flags; there: a block is under way */
};

struct bk_solving {
    struct bk_order order;
    uint32_t level;
    struct bk_tally *tally; /* of the solved blocks */
    struct bk_reader *reader; /* of a checkpoint, before the arrays of the block that was
                                 under way */
    struct moment moment;     /* that block's */
    struct bk_spares spares;  /* from block to block, where one is solved after the other */
};

static size_t array_bytes_of(const struct bk_memtable *t, uint32_t block)
{
    return bk_memblock_array_bytes(
        (uint64_t)t->ix->block[block].pairs->nslices * t->block[block].slice_stride,
        t->code_bytes);
}

static void save_blocks(struct bk_writer *w, const struct bk_memtable *t)
{
    for (uint32_t i = 0; i < t->ix->nblocks; i++) {
        const struct bk_memblock *mb = &t->block[i];
        uint8_t flags = (uint8_t)(mb->solved | mb->encoded << 1 | (mb->code[0] != NULL) << 2);

        bk_write(w, &flags, 1);
        for (unsigned side = 0; flags & 4 && side < 2; side++) {
            bk_write_array(w, mb->code[side], array_bytes_of(t, i));
            if (mb->draw[side])
                bk_write_array(w, mb->draw[side], array_bytes_of(t, i));
        }
    }
}

static bool load_blocks(struct bk_reader *r, struct bk_memtable *t)
{
    for (uint32_t i = 0; i < t->ix->nblocks; i++) {
        struct bk_memblock *mb = &t->block[i];
        uint8_t flags;

        if (!bk_read(r, &flags, 1))
            return false;
        mb->solved = flags & 1;
        mb->encoded = flags & 2;
        if (flags & 4 && bk_solve_layout(t, i, NULL))
            return false;
        for (unsigned side = 0; flags & 4 && side < 2; side++)
            if (!bk_read_array(r, mb->code[side], array_bytes_of(t, i)) ||
                (mb->draw[side] && !bk_read_array(r, mb->draw[side], array_bytes_of(t, i))))
                return false;
    }
    return true;
}

static void save_state(struct bk_writer *w, struct bk_solver *s)
{
    struct bk_array list[BK_STATE_MAX];
    unsigned n = bk_state_list(s, bk_kernel_for(s->v->nsq), list);

    bk_write(w, &s->k_wait_max, sizeof s->k_wait_max);
    bk_write(w, s->last_win, sizeof s->last_win);
    bk_write(w, s->last_loss, sizeof s->last_loss);
    for (unsigned i = 0; i < n; i++)
        bk_write_array(w, *list[i].at, list[i].slice_bytes * s->nslices);
}

static bool load_state(struct bk_reader *r, struct bk_solver *s)
{
    struct bk_array list[BK_STATE_MAX];
    unsigned n = bk_state_list(s, bk_kernel_for(s->v->nsq), list);
    bool ok = bk_read(r, &s->k_wait_max, sizeof s->k_wait_max) &&
              bk_read(r, s->last_win, sizeof s->last_win) &&
              bk_read(r, s->last_loss, sizeof s->last_loss);

    for (unsigned i = 0; ok && i < n; i++)
        ok = bk_read_array(r, *list[i].at, list[i].slice_bytes * s->nslices);
    return ok;
}

/* s, n: the blocks under way; none between blocks.  A checkpoint that fails is no error: the one
   before it is still there. */
static void save(const struct bk_solve_job *job, struct bk_solver **s, uint32_t n,
                 const struct moment *m)
{
    static const struct moment none;
    const struct bk_solving *now = job->solving;
    struct bk_report why = { "" };
    struct bk_writer *w;
    enum bk_err err = bk_writer_open(&w, job->checkpoint, &why);

    if (!err) {
        bk_write(w, &job->t->code_bytes, 1);
        bk_write(w, &job->chains, 1);
        bk_write(w, &now->level, sizeof now->level);
        bk_write(w, now->tally, sizeof *now->tally);
        save_blocks(w, job->t);
        if (job->save)
            job->save(job->sink_context, w);
        bk_write(w, n ? m : &none, sizeof *m);
        for (uint32_t i = 0; i < n; i++)
            save_state(w, s[i]);
        err = bk_writer_commit(w, &why);
    }
    if (err && job->note)
        job->note(job->sink_context, why.text);
}

/* Reads a checkpoint up to the block under way, after begin().  False: it cannot be read. */
static bool load(struct bk_solve_job *job, struct bk_reader *r)
{
    struct bk_solving *now = job->solving;

    if (!bk_read(r, &now->level, sizeof now->level) ||
        !bk_read(r, now->tally, sizeof *now->tally) || !load_blocks(r, job->t) ||
        (job->load && !job->load(job->sink_context, r)) ||
        !bk_read(r, &now->moment, sizeof now->moment))
        return false;
    now->reader = r;
    return true;
}

/* What a checkpoint has of the blocks under way. */
static bool resume_blocks(struct bk_solving *now, struct bk_solver **s, uint32_t n)
{
    bool ok = true;

    for (uint32_t i = 0; ok && i < n; i++)
        ok = load_state(now->reader, s[i]);
    bk_reader_close(now->reader);
    now->reader = NULL;
    return ok;
}

/* == Plies == */

/* Ply 0: legality, ways out, mates.  False: stopped. */
static bool first_passes(struct pass *p, const struct block_job *b)
{
    uint64_t slices = (uint64_t)b->n * p->member[0]->nslices;

    for (uint32_t i = 0; i < b->n; i++)
        for (unsigned side = 0; side < 2; side++)
            p->member[i]->last_win[side] = p->member[i]->last_loss[side] = -1;
    p->step = p->k->mated;
    return bk_pool_try(b->pool, slices, run_init, p) &&
           bk_pool_try(b->pool, 2 * slices, run_step, p);
}

/* One ply of all members.  last_wait: the last for which something waits.  False: stopped. */
static bool run_ply(struct pass *p, const struct block_job *b, uint32_t ply, uint32_t *last_wait)
{
    unsigned most = 0;
    bool done;

    for (uint32_t i = 0; i < b->n; i++)
        p->member[i]->ply = ply;
    p->step = ply & 1 ? p->k->win : p->k->lose;
    p->found = false;
    done = bk_pool_try(b->pool, 2 * (uint64_t)b->n * p->member[0]->nslices, run_step, p);
    for (uint32_t i = 0; i < b->n; i++)
        if (p->member[i]->k_wait_max > most)
            most = p->member[i]->k_wait_max;
    *last_wait = 2 * most;
    return done && !(b->job->stop && *b->job->stop);
}

static enum bk_err iterate(struct pass *p, const struct block_job *b, struct bk_report *why)
{
    const struct bk_solver *s = p->member[0];
    struct bk_solving *now = b->job->solving;
    struct moment m = { .block = b->block[0], .before = true, .there = true };

    if (now->reader && now->moment.there && now->moment.block == m.block) {
        if (!resume_blocks(now, p->member, b->n))
            return bk_fail(why, BK_E_SYSTEM, "out of memory");
        m = now->moment;
    } else {
        if (!first_passes(p, b))
            return bk_fail(why, BK_E_SYSTEM, "interrupted");
    }
    for (m.ply++;; m.ply++) {
        uint32_t last_wait;

        if (!run_ply(p, b, m.ply, &last_wait))
            return bk_fail(why, BK_E_SYSTEM, "interrupted");
        if (!p->found && !m.before && m.ply > last_wait)
            return BK_OK;
        m.before = p->found;
        if (s->distances && m.ply >> 1 >= s->k_limit)
            return BK_E_DIFFERS;
        report_progress(b, m.ply);
        if (!b->apart && bk_checkpoint_due(b->job->checkpoint))
            save(b->job, p->member, b->n, &m);
    }
}

/* Only kings move here: kings.c solves such a block by itself, in this thread. */
static enum bk_err solve_kings(struct bk_solver *s, struct bk_memblock *mb,
                               struct bk_tally *tally, struct bk_report *why)
{
    bool too_far = false;
    struct bk_tally own;

    tally_init(&own);
    if (!bk_kings_for(s->v->nsq)(s, mb, &own, &too_far))
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    if (too_far)
        return BK_E_DIFFERS;
    tally_add(tally, &own);
    return BK_OK;
}

/* Without an inner man a set holds one position, in bit 0: such bits are gathered. */
struct gathering {
    struct bk_store *store;
    const void *sets;
    size_t set_bytes, n;
    uint32_t nconf, pitch;
    uint64_t *bits;
};

enum { WORDS_GATHERED = 1024 };

static void gather_bits(void *context, uint64_t item, unsigned thread)
{
    const struct gathering *g = context;
    size_t first = (size_t)item * WORDS_GATHERED * 64, end = first + WORDS_GATHERED * 64;

    (void)thread;
    bk_store_ease(g->store);
    for (size_t i = first; i < end && i < g->n; i++)
        if (*((const unsigned char *)g->sets +
              (i / g->nconf * g->pitch + i % g->nconf) * g->set_bytes) & 1)
            g->bits[i >> 6] |= UINT64_C(1) << (i & 63);
}

/* Hands on what a solved block leaves behind, to be read by others.  False: no memory. */
static bool hand_over(struct bk_solver *s, const struct bk_kernel *k, struct bk_memblock *mb,
                      struct bk_pool *pool)
{
    size_t n = (size_t)s->nslices * s->nconf;

    if (!s->distances && s->inner.slot < 0 && !bk_memblock_alloc(mb, s->store, n, 0))
        return false;
    for (unsigned side = 0; side < 2; side++) {
        struct gathering g = { s->store, s->won[side], k->set_bytes, n, s->nconf, s->pitch,
                               mb->code[side] };
        uint64_t pieces = (n + 64 * WORDS_GATHERED - 1) / (64 * WORDS_GATHERED);

        if (s->distances) {
            mb->code[side] = s->dtw[side];
            s->dtw[side] = NULL;
        } else if (s->inner.slot >= 0) {
            mb->code[side] = s->won[side];
            mb->draw[side] = s->und[side];
            s->won[side] = s->und[side] = NULL;
        } else {
            bk_pool_run(pool, pieces, gather_bits, &g);
            g.sets = s->und[side];
            g.bits = mb->draw[side];
            bk_pool_run(pool, pieces, gather_bits, &g);
        }
    }
    return true;
}

/* A block's solver with its ways out. */
static enum bk_err prepare(struct bk_solver **out, const struct block_job *b, uint32_t i,
                           const struct bk_solver *first, struct bk_report *why)
{
    struct bk_memtable *t = b->job->t;
    struct bk_solver *s = solver_new(t->ix, b->block[i], bk_kernel_for(t->ix->v->nsq), false,
                                     first);

    *out = s;
    if (!s)
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    s->store = t->store;
    s->distances = b->job->distances;
    s->dtw_bytes = t->code_bytes;
    s->k_limit = t->code_bytes > 1 ? 15000 : b->job->k_max ? b->job->k_max : BK_CODE_K_MAX;
    lay_out_codes(s, &t->block[b->block[i]], t->code_bytes);
    return find_exits(s, b->job, why);
}

/* The steps that connect the members of a chain, in both directions. */
static void link_members(struct bk_solver **member, const struct block_job *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        struct bk_solver *s = member[i];
        struct bk_link link[BK_LINKS_MAX];
        unsigned n = bk_order_links(s->ix, b->block[i], link);

        for (unsigned j = 0; j < n; j++) {
            struct bk_fixed_step t = { .slot = link[j].slot, .to = link[j].to,
                                 .colour = s->ix->colour[link[j].slot],
                                 .hops = link[j].way->how & BK_HOPS,
                                 .npaths = link[j].way->npaths, .path = link[j].way->path };
            uint32_t k = 0;

            while (b->block[k] != link[j].block)
                k++;
            if (!s->change_ok[t.slot][BK_TYPES_MAX][t.to])
                continue; /* it must become something else there */
            t.other = member[k];
            s->step[s->nstep++] = t;
            t.other->unstep[t.other->nunstep] = t;
            t.other->unstep[t.other->nunstep++].other = s;
        }
    }
}

static struct bk_spares *spares_of(const struct block_job *b)
{
    return b->apart ? NULL : &b->job->solving->spares;
}

/* All passes over the members; their tally and codes. */
static enum bk_err solve_members(struct bk_solver **member, const struct block_job *b,
                                 struct bk_tally *tally, struct bk_report *why)
{
    struct bk_memtable *t = b->job->t;
    unsigned threads = bk_pool_threads(b->pool);
    struct pass p = { .member = member, .k = bk_kernel_for(t->ix->v->nsq),
                      .tally = calloc(threads, sizeof *p.tally) };
    bool ok = p.tally != NULL;
    enum bk_err err;

    for (uint32_t i = 0; ok && i < b->n; i++) {
        ok = allocate(member[i], p.k, threads, spares_of(b));
        member[i]->work = member[0]->work;
    }
    for (unsigned i = 0; ok && i < threads; i++)
        tally_init(&p.tally[i]);
    err = ok ? iterate(&p, b, why) : bk_fail(why, BK_E_SYSTEM, "out of memory");
    if (!err && !bk_pool_try(b->pool, (uint64_t)b->n * member[0]->nslices, run_finish, &p))
        err = bk_fail(why, BK_E_SYSTEM, "interrupted");
    if (!err) {
        for (unsigned i = 0; i < threads; i++)
            tally_add(tally, &p.tally[i]);
    }
    for (uint32_t i = 0; !err && i < b->n; i++) {
        struct bk_memblock *mb = &t->block[b->block[i]];

        if (!hand_over(member[i], p.k, mb, b->pool))
            err = bk_fail(why, BK_E_SYSTEM, "out of memory");
        mb->solved = !err;
    }
    free(p.tally);
    return err;
}

/* A block, or the blocks of a chain. */
static enum bk_err solve_block(struct block_job *b, struct bk_tally *tally, struct bk_report *why)
{
    struct bk_memtable *t = b->job->t;
    struct bk_solver **member = calloc(b->n, sizeof *member);
    enum bk_err err = member ? BK_OK : bk_fail(why, BK_E_SYSTEM, "out of memory");

    for (uint32_t i = 0; !err && i < b->n; i++)
        err = prepare(&member[i], b, i, member[0], why);
    if (!err && member[0]->kings_only) {
        err = solve_kings(member[0], &t->block[b->block[0]], tally, why);
        t->block[b->block[0]].solved = !err;
    } else if (!err) {
        if (b->n > 1)
            link_members(member, b);
        err = solve_members(member, b, tally, why);
    }
    for (uint32_t i = b->n; member && i-- > 0;) /* the first last: others borrow from it */
        if (member[i])
            release(member[i], bk_pool_threads(b->pool), spares_of(b));
    for (uint32_t i = 0; err && i < b->n; i++)
        bk_memblock_free(&t->block[b->block[i]]);
    free(member);
    return err;
}

/* == A table == */

/* Blocks of one level do not lead to each other: many of them are solved side by side. */
struct level {
    struct bk_solve_job *job;
    const uint32_t *block;
    struct bk_tally *tally; /* by block */
    enum bk_err err;        /* of any */
    struct bk_report why;
    uint64_t done;
};

static void run_block(void *context, uint64_t item, unsigned thread)
{
    struct level *l = context;
    struct block_job b = { .job = l->job, .block = &l->block[item], .n = 1, .apart = true };
    struct bk_report why = { "" };
    enum bk_err err;

    (void)thread;
    if (__atomic_load_n((int *)&l->err, __ATOMIC_RELAXED) || l->job->t->block[l->block[item]].solved)
        return;
    err = solve_block(&b, &l->tally[item], &why);
    if (err && !__atomic_exchange_n((int *)&l->err, (int)err, __ATOMIC_RELAXED))
        l->why = why;
}

/* One after the other, each by all threads. */
static enum bk_err solve_in_turn(struct bk_solve_job *job, const uint32_t *block, uint32_t n,
                                 uint64_t done, struct bk_tally *tally, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    for (uint32_t i = 0; !err && i < n; i++) {
        struct block_job b = { .job = job, .block = &block[i], .n = 1, .pool = job->pool,
                               .done = done };

        if (!job->t->block[block[i]].solved)
            err = solve_block(&b, tally, why);
        done += 2 * job->t->ix->block[block[i]].size;
        if (!err && bk_checkpoint_due(job->checkpoint))
            save(job, NULL, 0, NULL);
    }
    return err;
}

/* Each thread whole blocks; some for every thread at a time, and then there is time to save. */
static enum bk_err solve_apart(struct bk_solve_job *job, const uint32_t *block, uint32_t n,
                               uint64_t done, struct bk_tally *tally, struct bk_report *why)
{
    uint32_t most = 32 * bk_pool_threads(job->pool);
    void (*progress)(void *, const struct bk_progress *) = job->progress;
    struct level l = { .job = job, .tally = calloc(most, sizeof *l.tally) };

    if (!l.tally)
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    for (uint32_t first = 0; !l.err && first < n; first += most) {
        uint32_t now = n - first < most ? n - first : most;
        struct block_job b = { .job = job, .block = &block[first], .n = 1, .done = done };

        l.block = block + first;
        for (uint32_t i = 0; i < now; i++)
            tally_init(&l.tally[i]);
        job->progress = NULL; /* not from several threads at once */
        if (!bk_pool_try(job->pool, now, run_block, &l) && !l.err) {
            bk_fail(&l.why, BK_E_SYSTEM, "interrupted");
            l.err = BK_E_SYSTEM;
        }
        job->progress = progress;
        for (uint32_t i = 0; i < now; i++) {
            tally_add(tally, &l.tally[i]);
            done += 2 * job->t->ix->block[l.block[i]].size;
        }
        b.done = done;
        if (!l.err)
            report_progress(&b, 0);
        if (!l.err && bk_checkpoint_due(job->checkpoint))
            save(job, NULL, 0, NULL);
    }
    free(l.tally);
    if (l.err && why)
        *why = l.why;
    return l.err;
}

static enum bk_err solve_level(struct bk_solve_job *job, uint32_t level, uint64_t done,
                               struct bk_tally *tally, struct bk_report *why)
{
    const struct bk_order *o = &job->solving->order;
    const uint32_t *block = o->block + o->first[level];
    uint32_t n = o->first[level + 1] - o->first[level];
    struct block_job chain = { .job = job, .block = block, .n = n, .pool = job->pool,
                               .done = done };

    if (o->chain[level])
        return solve_block(&chain, tally, why);
    if (n < 2 * bk_pool_threads(job->pool) || bk_pool_threads(job->pool) == 1)
        return solve_in_turn(job, block, n, done, tally, why);
    return solve_apart(job, block, n, done, tally, why);
}

/* == Letting go ==
 *
 * A block is read by those from which a man goes to another cell: a pawn on d6
 * looks at d7.  When all of them are solved, and its values are in chunks, its
 * memory can go.
 */

static void one_reader(void *context, uint32_t next)
{
    ((struct bk_memtable *)context)->block[next].readers++;
}

static void reader_done(void *context, uint32_t next)
{
    ((struct bk_memtable *)context)->block[next].readers--;
}

static void let_blocks_go(struct bk_memtable *t, const uint32_t *block, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        bk_order_each_next(t->ix, block[i], reader_done, t);
    for (uint32_t i = 0; i < t->ix->nblocks; i++)
        if (t->block[i].encoded && !t->block[i].readers)
            bk_memblock_free(&t->block[i]);
}

/*
 * The order of a table's digits in its files: as the codes lie in memory, the
 * inner man last, so that encoding reads them in one stream.
 */
static void choose_order(struct bk_index *ix)
{
    struct bk_solver *s = calloc(1, sizeof *s);
    unsigned n = 0;

    if (!s || !ix->nblocks) {
        free(s);
        return; /* any order will do */
    }
    s->v = ix->v;
    s->ix = ix;
    s->b = &ix->block[ix->nblocks - 1];
    choose_inner(s);
    sort_out_men(s);
    ix->order[n++] = BK_KINGS_SLOT;
    for (unsigned i = 0; i < s->nfixed; i++)
        ix->order[n++] = s->fixed_slot[i];
    for (unsigned o = 0; o < s->nouter; o++)
        ix->order[n++] = s->outer[o].slot;
    if (s->inner.slot >= 0)
        ix->order[n++] = (uint8_t)s->inner.slot;
    free(s);
}

static void forget_blocks(struct bk_memtable *t)
{
    for (uint32_t i = 0; i < t->ix->nblocks; i++) {
        bk_memblock_free(&t->block[i]);
        t->block[i].solved = t->block[i].encoded = false;
    }
}

/* Counts the readers of each block among those from the present level on. */
static void count_readers(struct bk_solve_job *job)
{
    const struct bk_index *ix = job->t->ix;
    const struct bk_order *o = &job->solving->order;

    for (uint32_t i = 0; i < ix->nblocks; i++)
        job->t->block[i].readers = 0;
    for (uint32_t i = o->first[job->solving->level]; job->let_go && i < ix->nblocks; i++)
        bk_order_each_next(ix, o->block[i], one_reader, job->t);
}

/* From nothing, with codes of so many bytes. */
static enum bk_err begin_table(struct bk_solve_job *job, unsigned code_bytes,
                               struct bk_report *why)
{
    forget_blocks(job->t);
    job->t->code_bytes = (uint8_t)code_bytes;
    job->solving->level = 0;
    tally_init(job->solving->tally);
    count_readers(job);
    return job->begin ? job->begin(job->sink_context, why) : BK_OK;
}

/* What the head of a checkpoint says: bytes of codes, and whether chains are solved together. */
static enum bk_err read_head(struct bk_solve_job *job, struct bk_reader *r, struct bk_report *why)
{
    struct bk_solving *now = job->solving;
    uint8_t code_bytes;
    bool chains;

    if (!bk_read(r, &code_bytes, 1) || !bk_read(r, &chains, 1))
        return bk_fail(why, BK_E_CORRUPT, "%s: cannot be read", job->checkpoint->path);
    if (chains && !job->chains)
        return bk_fail(why, BK_E_SYSTEM, "%s: was made with more memory; not used",
                       job->checkpoint->path);
    if (chains != job->chains) {
        job->chains = chains;
        bk_order_free(&now->order);
        if (!bk_order_new(&now->order, job->t->ix, chains))
            return bk_fail(why, BK_E_SYSTEM, "out of memory");
    }
    return begin_table(job, code_bytes, why);
}

/* From a checkpoint if there is one that fits.  A false start is told and forgotten. */
static enum bk_err begin_or_resume(struct bk_solve_job *job, struct bk_report *why)
{
    struct bk_reader *r = NULL;
    struct bk_report inner = { "" };
    enum bk_err err = job->checkpoint ? bk_reader_open(&r, job->checkpoint, &inner) : BK_E_NO_TABLE;

    bk_checkpoint_due(job->checkpoint); /* the clock starts */
    if (!err) {
        err = read_head(job, r, &inner);
        if (!err && load(job, r)) {
            count_readers(job); /* whether blocks are let go may have changed */
            return BK_OK;
        }
        bk_reader_close(r);
        if (!err)
            err = bk_fail(&inner, BK_E_CORRUPT, "%s: cannot be read", job->checkpoint->path);
    }
    if (err != BK_E_NO_TABLE && job->note)
        job->note(job->sink_context, inner.text);
    return begin_table(job, job->distances ? 1 : 0, why);
}

static enum bk_err solve_levels(struct bk_solve_job *job, struct bk_report *why)
{
    const struct bk_index *ix = job->t->ix;
    struct bk_solving *now = job->solving;
    const struct bk_order *o = &now->order;
    enum bk_err err = BK_OK;
    uint64_t done = 0;

    for (uint32_t i = 0; i < o->first[now->level]; i++)
        done += 2 * ix->block[o->block[i]].size;
    while (!err && now->level < o->nlevels) {
        const uint32_t *block = o->block + o->first[now->level];
        uint32_t n = o->first[now->level + 1] - o->first[now->level];

        err = solve_level(job, now->level, done, now->tally, why);
        for (uint32_t i = 0; i < n; i++)
            done += 2 * ix->block[block[i]].size;
        if (!err && job->solved)
            err = job->solved(job->sink_context, block, n, why);
        if (!err && job->let_go)
            let_blocks_go(job->t, block, n);
        now->level++;
        if (!err && now->level < o->nlevels && bk_checkpoint_due(job->checkpoint))
            save(job, NULL, 0, NULL);
    }
    return err;
}

enum bk_err bk_solve_table(struct bk_solve_job *job, struct bk_tally *tally, struct bk_report *why)
{
    struct bk_index *ix = job->t->ix;
    struct bk_solving now = { .tally = tally };
    enum bk_err err;

    if (ix->v->en_passant && doubles_within_cell(ix))
        return bk_fail(why, BK_E_USAGE, "%s: no tables with en passant for men that come back",
                       ix->v->name);
    choose_order(ix);
    if (!bk_order_new(&now.order, ix, job->chains))
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    job->solving = &now;
    err = begin_or_resume(job, why);
    if (!err)
        err = solve_levels(job, why);
    if (err == BK_E_DIFFERS && job->t->code_bytes == 1) {
        err = begin_table(job, 2, why);
        if (!err)
            err = solve_levels(job, why);
    }
    bk_reader_close(now.reader);
    bk_order_free(&now.order);
    bk_spares_free(&now.spares);
    job->solving = NULL;
    if (err == BK_E_DIFFERS)
        err = bk_fail(why, BK_E_SYSTEM, "distances of more than 30000 plies");
    return err;
}

/* == What it takes ==
 *
 * The same sizes and the same order as above, without solving anything.
 */

struct block_needs {
    uint64_t codes;  /* when solved */
    uint64_t state;  /* of which the codes become a part */
    uint64_t tables; /* of moves and configurations */
    uint64_t kings;  /* of kings' moves, once for a chain */
    uint64_t work;   /* a thread */
    uint64_t room;   /* of the state, touched by one pass over one slice */
    uint64_t walk;   /* while it is encoded */
};

static void block_needs(struct block_needs *n, const struct bk_index *ix, uint32_t block,
                        bool distances)
{
    const struct bk_kernel *k = bk_kernel_for(ix->v->nsq);
    struct bk_solver s = { .v = ix->v, .ix = ix, .b = &ix->block[block],
                           .distances = distances, .dtw_bytes = distances };
    uint64_t nsq = ix->v->nsq, symmetries;
    struct bk_memblock mb;

    s.nslices = s.b->pairs->nslices;
    choose_inner(&s);
    sort_out_men(&s);
    lay_out_codes(&s, &mb, distances);
    memset(n, 0, sizeof *n);
    n->codes = bk_memblock_bytes(s.nslices * mb.slice_stride, distances);
    n->walk = 8 * s.nslices + 8 * nsq;
    if (s.kings_only) {
        n->state = n->codes;
        n->tables = 10 * nsq * nsq + sizeof s;
        return;
    }
    symmetries = (uint64_t)__builtin_popcount(s.b->group) - 1;
    n->state = bk_state_bytes(&s, k);
    n->tables = sizeof s + s.nouter * nsq * nsq * sizeof(uint32_t) +
                s.nconf * (sizeof *s.conf_sq + 1 + 2 * k->set_bytes) +
                symmetries * (s.nconf * sizeof(uint32_t) + k->turn_bytes);
    n->kings = 2 * s.nslices * (8 * (sizeof(struct bk_king_move) + 4) + 8); /* eight moves a king */
    n->work = k->work_bytes(&s);
    n->room = s.nslices ? n->state / s.nslices * 2 : 0; /* its own, and neighbours' frontiers */
}

/* The blocks of a level: those of a chain all at once, else as many as there are threads. */
static void level_needs(struct bk_solve_needs *out, const struct block_needs *n,
                        const uint32_t *block, uint32_t nblocks, bool chain, uint64_t live,
                        unsigned threads)
{
    bool apart = !chain && nblocks >= 2 * threads && threads > 1; /* as in solve_level() */
    uint64_t together = chain ? nblocks : apart ? threads : 1;
    uint64_t codes = 0, most = 0, fixed = 0, room = 0, walks = 0, shared;

    for (uint32_t i = 0; i < nblocks; i++) {
        const struct block_needs *x = &n[block[i]];
        uint64_t own = x->tables + (chain ? 0 : x->kings + x->work * (apart ? 1 : threads));

        codes += x->codes;
        if (x->state + own - x->codes > most)
            most = x->state + own - x->codes;
        fixed = own > fixed ? own : fixed;
        room = x->room > room ? x->room : room;
    }
    for (uint32_t i = 0; i < nblocks && i < 2 * BK_WALKS; i++)
        walks += n[block[i]].walk;
    shared = chain ? n[block[0]].kings + n[block[0]].work * threads : 0;
    most = most * together + shared;
    fixed = fixed * together + shared;
    most = most > walks ? most : walks;
    if (live + codes + most > out->peak)
        out->peak = live + codes + most;
    if (fixed > out->fixed)
        out->fixed = fixed;
    if (room * threads > out->room)
        out->room = room * threads;
}

/*
 * When is each block encoded?  Its place in `order`, or that of the last block
 * with which it shares a chunk.
 */
static void encoded_after(const struct bk_index *ix, const uint32_t *order,
                          uint32_t chunk_positions, uint32_t *solved, uint32_t *after)
{
    for (uint32_t i = 0; i < ix->nblocks; i++)
        solved[order[i]] = i;
    for (uint32_t i = 0; i < ix->nblocks; i++) {
        const struct bk_block *b = &ix->block[i];
        uint64_t first = b->first / chunk_positions * chunk_positions;
        uint64_t end = (b->first + b->size + chunk_positions - 1) / chunk_positions * chunk_positions;

        after[i] = solved[i];
        for (uint32_t x = i; x-- > 0 && ix->block[x].first + ix->block[x].size > first;)
            after[i] = solved[x] > after[i] ? solved[x] : after[i];
        for (uint32_t x = i + 1; x < ix->nblocks && ix->block[x].first < end; x++)
            after[i] = solved[x] > after[i] ? solved[x] : after[i];
    }
}

enum bk_err bk_solve_needs(struct bk_solve_needs *out, const struct bk_index *ix, bool distances,
                           bool chains, bool let_go, uint32_t chunk_positions, unsigned threads,
                           struct bk_report *why)
{
    struct bk_memtable t = { .ix = (struct bk_index *)ix };
    uint32_t *solved = malloc((ix->nblocks + 1u) * 2 * sizeof *solved);
    uint32_t *after = solved + ix->nblocks;
    struct block_needs *n = calloc(ix->nblocks + 1u, sizeof *n);
    struct bk_order o = { 0 };
    uint64_t live = 0;

    t.block = calloc(ix->nblocks + 1u, sizeof *t.block);
    memset(out, 0, sizeof *out);
    if (!solved || !n || !t.block || !bk_order_new(&o, ix, chains)) {
        free(solved);
        free(n);
        free(t.block);
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    }
    for (uint32_t i = 0; i < ix->nblocks; i++) {
        block_needs(&n[i], ix, i, distances);
        out->codes += n[i].codes;
        if (let_go)
            bk_order_each_next(ix, i, one_reader, &t);
    }
    encoded_after(ix, o.block, chunk_positions, solved, after);
    for (uint32_t l = 0; l < o.nlevels; l++) {
        uint32_t first = o.first[l], end = o.first[l + 1];

        out->chains = out->chains || o.chain[l];
        level_needs(out, n, o.block + first, end - first, o.chain[l], live, threads);
        for (uint32_t x = first; x < end; x++) {
            live += n[o.block[x]].codes;
            if (let_go)
                bk_order_each_next(ix, o.block[x], reader_done, &t);
        }
        for (uint32_t x = 0; let_go && x < ix->nblocks; x++)
            if (!t.block[x].encoded && !t.block[x].readers && after[x] < end) {
                live -= n[x].codes;
                t.block[x].encoded = true;
            }
    }
    bk_order_free(&o);
    free(solved);
    free(n);
    free(t.block);
    return BK_OK;
}

/* == Tables from files == */

enum bk_err bk_solve_layout(struct bk_memtable *t, uint32_t block, struct bk_report *why)
{
    struct bk_solver s = { .v = t->ix->v, .ix = t->ix, .b = &t->ix->block[block] };
    struct bk_memblock *mb = &t->block[block];

    choose_inner(&s);
    sort_out_men(&s);
    lay_out_codes(&s, mb, t->code_bytes);
    if (!bk_memblock_alloc(mb, t->store, s.b->pairs->nslices * mb->slice_stride, t->code_bytes))
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    return BK_OK;
}

enum bk_err bk_solve_mark_illegal(struct bk_memtable *t, struct bk_pool *pool,
                                  struct bk_report *why)
{
    const struct bk_kernel *k = bk_kernel_for(t->ix->v->nsq);
    unsigned threads = bk_pool_threads(pool);
    enum bk_err err = BK_OK;

    for (uint32_t i = 0; !err && i < t->ix->nblocks; i++) {
        struct bk_solver *s = solver_new(t->ix, i, k, true, NULL);
        struct pass p = { .member = &s, .k = k, .t = t, .mb = &t->block[i] };
        bool ok = s && (s->work = calloc(threads, sizeof *s->work));

        for (unsigned j = 0; ok && j < threads; j++)
            ok = (s->work[j] = bk_store_new(NULL, k->work_bytes(s))) != NULL;
        if (ok && !bk_pool_try(pool, s->nslices, run_mark, &p))
            err = bk_fail(why, BK_E_SYSTEM, "interrupted");
        if (s)
            release(s, threads, NULL);
        if (!ok)
            err = bk_fail(why, BK_E_SYSTEM, "out of memory");
    }
    return err;
}
