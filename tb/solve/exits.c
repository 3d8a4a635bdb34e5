/*
 * exits.c - the ways out of a block: which there are, and the tables they lead to.
 */
#include "tb/solve/exits.h"

#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "core/move.h"
#include "core/rules.h"

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
    bk_view_plan(&e.plan, t, ix, e.colour, exchanged, e.taken, e.also, changes ? (int)e.mover : -1,
                 e.becomes);
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
    add_prepared(l, (struct bk_exit){ .mover = (uint8_t)mover,
                                      .colour = (uint8_t)colour,
                                      .taken = (int8_t)taken,
                                      .also = (int8_t)also,
                                      .becomes = (uint8_t)becomes,
                                      .counted = counted,
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
            add_prepared(l, (struct bk_exit){ .mover = BK_KINGS_SLOT,
                                              .colour = (uint8_t)colour,
                                              .taken = -1,
                                              .also = -1,
                                              .becomes = BK_STAYS,
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

enum bk_err bk_exits_find(struct bk_solver *s, const struct bk_solve_job *job,
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

                if (reply->colour == e->colour || reply->taken != (int)slot || reply->also >= 0 ||
                    reply->mover == BK_KINGS_SLOT || here.sq[reply->mover] != moves[j].from ||
                    reply->becomes != moves[j].becomes)
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

bool bk_exits_doubles_within_cell(const struct bk_index *ix)
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
