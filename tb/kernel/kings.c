/*
 * kings.c - blocks in which only the kings move.
 *
 * In KPvKP every placement of the pawns is a block of its own, with 64 x 63
 * positions a side and nothing but kings to move.  There the black king is
 * the inner man: one set a white king square and side to move.
 *
 *   un-moves of the white king   OR of the rows of its neighbour squares
 *   un-moves of the black king   shifts within a row
 *
 * The exits (pawn moves, captures) are looked up for whole planes of king
 * pairs at once.  Everything else, and the invariants, are as in passes.c.
 * Cost: some 0.3 ms a block of an 8x8 board.
 */
#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "core/rules.h"
#include "core/set.h"
#include "tb/kernel/kings.h"
#include "tb/kernel/passing.h"
#include "tb/kernel/tally.h"

#define NAME2(a, b) a##b
#define NAME1(a, b) NAME2(a, b)

struct kings {
    const struct bk_setup *s;
    unsigned nsq;
    struct bk_placement at; /* of the fixed men */
    set board, men;         /* squares; those of the fixed men */
    bool clash;             /* two fixed men on one square: no position is legal */
    set src[BK_STEPS_MAX];  /* of the black king's steps */
    uint8_t squares[BK_SQ_MAX];
    unsigned nsquares;
    /* by side to move and white king square */
    set illegal[2][BK_SQ_MAX];
    set won[2][BK_SQ_MAX], undecided[2][BK_SQ_MAX], open[2][BK_SQ_MAX];
    set wins[2][BK_SQ_MAX], losses[2][BK_SQ_MAX];
    uint64_t wait[2][BK_SQ_MAX];
    unsigned k_wait_max;
    uint32_t ply;
    int16_t *plane;   /* nsq * nsq */
    int16_t *best[2]; /* nsq * nsq */
    int16_t *exit[2]; /* the same, of the moves to other materials alone */
    uint16_t *k[2];   /* plies / 2; 0 until known */
};

/* == The black king's moves as shifts == */

static set black_from(const struct kings *g, set to, unsigned how)
{
    const struct bk_movement *m = &g->s->v->piece[g->s->v->royal].move;
    set from = NONE;

    for (unsigned i = 0; i < m->nsteps; i++)
        if (m->step[i].how & how) /* Black's steps are White's upside down */
            from |= shifted(to, -(-m->step[i].dr * g->s->v->files + m->step[i].df)) & g->src[i];
    return from;
}

static void find_sources(struct kings *g)
{
    const struct bk_variant *v = g->s->v;
    const struct bk_movement *m = &v->piece[v->royal].move;

    for (unsigned i = 0; i < m->nsteps; i++) {
        g->src[i] = NONE;
        for (unsigned sq = 0; sq < v->nsq; sq++) {
            int f = (int)(sq % v->files) + m->step[i].df, r = (int)(sq / v->files) - m->step[i].dr;

            if (f >= 0 && f < v->files && r >= 0 && r < v->ranks && bk_bits_has(&v->board, sq))
                g->src[i] |= bit(sq);
        }
    }
}

/* == Illegal positions == */

/* Black king squares that leave a way open, the rest of the board being `occ`. */
static set open_to(const struct kings *g, const struct bk_reach *r, set occ)
{
    const struct bk_bits *path = g->s->v->geometry->path + r->path;
    set blocked = ~NONE;
    bool way = false;

    if (r->how & BK_HOPS) {
        unsigned screens = count(set_of(path) & occ);

        return screens == 0 ? set_of(path) : screens == 1 ? ~set_of(path) : NONE;
    }
    for (unsigned i = 0; i < r->npaths; i++)
        if (!any(set_of(path + i) & occ)) {
            blocked &= set_of(path + i);
            way = true;
        }
    return r->npaths == 0 ? ~NONE : way ? ~blocked : NONE;
}

/* The black king's squares on which some white man attacks it. */
static set white_attacks(const struct kings *g, unsigned wk)
{
    const struct bk_setup *s = g->s;
    set attacked = NONE, occ = g->men | bit(wk);
    unsigned n;
    const struct bk_reach *r = bk_reach_from(s->v, s->v->royal, BK_WHITE, wk, &n);

    for (unsigned i = 0; i < n; i++)
        if (r[i].how & BK_TAKES)
            attacked |= bit(r[i].to);
    for (unsigned i = 0; i < s->fixed.n; i++) {
        if (s->ix->colour[s->fixed.slot[i]] != BK_WHITE)
            continue;
        r = bk_reach_from(s->v, s->ix->type[s->fixed.slot[i]], BK_WHITE, s->fixed.sq[i], &n);
        for (unsigned j = 0; j < n; j++) /* the black king is where it ends, never between */
            if (r[j].how & BK_TAKES && has(open_to(g, &r[j], occ), r[j].to))
                attacked |= bit(r[j].to);
    }
    return attacked;
}

/* The black king's squares for which some black man attacks the white king. */
static set black_attacks(const struct kings *g, unsigned wk)
{
    const struct bk_setup *s = g->s;
    set attacked = black_from(g, bit(wk), BK_TAKES);

    for (unsigned i = 0; i < s->fixed.n; i++) {
        unsigned n;
        const struct bk_reach *r;

        if (s->ix->colour[s->fixed.slot[i]] != BK_BLACK)
            continue;
        r = bk_reach_from(s->v, s->ix->type[s->fixed.slot[i]], BK_BLACK, s->fixed.sq[i], &n);
        for (unsigned j = 0; j < n; j++)
            if (r[j].how & BK_TAKES && r[j].to == wk)
                attacked |= open_to(g, &r[j], g->men | bit(wk));
    }
    return attacked;
}

static void find_legal(struct kings *g)
{
    const struct bk_variant *v = g->s->v;

    for (unsigned wk = 0; wk < g->nsq; wk++) {
        set placed = NONE;

        if (!g->clash && has(g->board, wk) && !has(g->men, wk) &&
            bk_rules_may_stand(v, v->royal, BK_WHITE, wk)) {
            placed = g->board & ~g->men & ~bit(wk);
            for (unsigned sq = 0; sq < g->nsq; sq++)
                if (!bk_rules_may_stand(v, v->royal, BK_BLACK, sq))
                    placed &= ~bit(sq);
        }
        for (unsigned side = 0; side < 2; side++) {
            set bad = NONE;

            if (any(placed))
                bad = side == BK_WHITE ? white_attacks(g, wk) : black_attacks(g, wk);
            g->illegal[side][wk] = bad;
            g->won[side][wk] = ~placed | bad;
            g->undecided[side][wk] = g->open[side][wk] = placed & ~bad;
        }
    }
}

/* == Exits == */

/* Offers the positions `from` of a row what `row` says; fixed_bk: the black king's square there,
   or -1 where it has not moved. */
static void offer(struct kings *g, unsigned side, unsigned wk, set from, const int16_t *row,
                  int fixed_bk)
{
    int16_t *best = g->best[side] + wk * g->nsq;

    from &= g->undecided[side][wk];
    EACH (bk, from) {
        int16_t score = row[fixed_bk >= 0 ? (unsigned)fixed_bk : bk];

        if (score > best[bk])
            best[bk] = score;
    }
}

/* A king takes a fixed man. */
static void king_takes(struct kings *g, const struct bk_exit *e)
{
    const struct bk_setup *s = g->s;
    struct bk_king_squares kings[2] = { { g->squares, g->nsquares }, { g->squares, g->nsquares } };
    uint8_t target = 0;
    unsigned n;
    const struct bk_reach *r;

    for (unsigned i = 0; i < s->fixed.n; i++)
        if (s->fixed.slot[i] == e->taken)
            target = s->fixed.sq[i];
    if (!bk_rules_may_stand(s->v, s->v->royal, e->colour, target))
        return;
    kings[e->colour] = (struct bk_king_squares){ &target, 1 };
    bk_view_kings(&e->plan, &g->at, kings, g->plane);
    r = bk_reach_into(s->v, s->v->royal, e->colour, target, &n);
    if (e->colour == BK_WHITE) {
        for (unsigned i = 0; i < n; i++)
            if (r[i].how & BK_TAKES)
                offer(g, BK_WHITE, r[i].to, ~NONE, g->plane + target * g->nsq, -1);
        return;
    }
    for (unsigned wk = 0; wk < g->nsq; wk++)
        offer(g, BK_BLACK, wk, black_from(g, bit(target), BK_TAKES), g->plane + wk * g->nsq,
              target);
}

/* En passant answers depend on the kings: one pair at a time, where a pawn stands right. */
static void correct_passing(struct kings *g, const struct bk_exit *e, unsigned from, unsigned to)
{
    for (unsigned i = 0; i < g->nsquares; i++)
        for (unsigned j = 0; j < g->nsquares; j++) {
            int16_t *score = &g->plane[g->squares[i] * g->nsq + g->squares[j]];

            if (*score == BK_SCORE_NONE)
                continue;
            g->at.king[0] = g->squares[i];
            g->at.king[1] = g->squares[j];
            bk_passing_correct(
                g->s, &(struct bk_double_step){ e, (uint8_t)from, (uint8_t)to, &g->at, NULL, 0 },
                score);
        }
}

static bool takes_on(const struct kings *g, const struct bk_exit *e, unsigned sq)
{
    for (unsigned i = 0; i < g->s->fixed.n; i++)
        if (g->s->fixed.slot[i] == e->taken)
            return g->s->fixed.sq[i] == sq;
    return false;
}

static void offer_all(struct kings *g, const struct bk_exit *e, const struct bk_reach *r)
{
    for (unsigned i = 0; i < g->nsquares; i++) {
        unsigned wk = g->squares[i];
        set from = ~NONE, occ = g->men | bit(wk);

        if (r) {
            if (e->taken < 0 && has(occ, r->to))
                continue;
            from = open_to(g, r, occ) & ~bit(r->to);
        }
        offer(g, e->colour, wk, from, g->plane + wk * g->nsq, -1);
    }
}

static void man_leaves(struct kings *g, const struct bk_exit *e)
{
    const struct bk_setup *s = g->s;
    const struct bk_king_squares anywhere[2] = { { g->squares, g->nsquares },
                                                 { g->squares, g->nsquares } };
    unsigned slot = e->mover, home = g->at.sq[slot], n;
    const struct bk_reach *r = bk_reach_from(s->v, s->ix->type[slot], e->colour, home, &n);
    unsigned kind = e->becomes;

    for (unsigned i = 0; i < n; i++) {
        if (!(r[i].how & (e->taken >= 0 ? BK_TAKES : BK_QUIET)) ||
            !s->change_ok[slot][kind][r[i].to] || (e->taken >= 0 && !takes_on(g, e, r[i].to)) ||
            (e->taken < 0 && has(g->men, r[i].to)))
            continue;
        g->at.sq[slot] = r[i].to;
        bk_view_kings(&e->plan, &g->at, anywhere, g->plane);
        if (e->in_block && bk_rules_en_passant(s->v) && bk_rules_doubles(s->v, s->ix->type[slot]))
            correct_passing(g, e, home, r[i].to);
        offer_all(g, e, &r[i]);
    }
    g->at.sq[slot] = (uint8_t)home;
    if (e->taken < 0 && kind != BK_STAYS && s->change_here[slot][kind][home]) {
        bk_view_kings(&e->plan, &g->at, anywhere, g->plane);
        offer_all(g, e, NULL);
    }
}

static uint64_t wait_bit(unsigned k) { return UINT64_C(1) << (k < 63 ? k : 63); }

/* Enters the best exit of each position, as passes.c's settle(). */
static void settle(struct kings *g, unsigned side, unsigned wk)
{
    set todo = g->undecided[side][wk];

    EACH (bk, todo) {
        int score = g->best[side][wk * g->nsq + bk];
        unsigned k;

        if (score == BK_SCORE_NONE)
            continue;
        if (score >= 0)
            g->open[side][wk] &= ~bit(bk);
        if (score == 0)
            continue;
        k = (unsigned)(BK_SCORE_WIN - (score > 0 ? score : -score)) >> 1;
        if (score > 0 && (k == 0 || !g->s->distances)) {
            g->wins[side][wk] |= bit(bk);
            continue;
        }
        if (score < 0)
            g->losses[side][wk] |= bit(bk);
        if (!g->s->distances)
            continue;
        g->k[side][wk * g->nsq + bk] = (uint16_t)k;
        g->wait[side][wk] |= wait_bit(k);
        if (k > g->k_wait_max)
            g->k_wait_max = k;
    }
}

/* Those that stay in the block's table, or those that do not. */
static void value_exits(struct kings *g, bool in_block)
{
    const struct bk_setup *s = g->s;

    for (uint32_t i = 0; i < s->nexit; i++) {
        if (s->exit[i].in_block != in_block)
            continue;
        if (s->exit[i].mover == BK_KINGS_SLOT)
            king_takes(g, &s->exit[i]);
        else
            man_leaves(g, &s->exit[i]);
    }
}

static void find_ways_out(struct kings *g)
{
    size_t pairs = (size_t)g->nsq * g->nsq;

    for (size_t i = 0; i < pairs; i++)
        g->best[0][i] = g->best[1][i] = BK_SCORE_NONE;
    value_exits(g, false);
    for (unsigned side = 0; side < 2; side++)
        memcpy(g->exit[side], g->best[side], pairs * sizeof *g->exit[side]);
    value_exits(g, true);
    for (unsigned side = 0; side < 2; side++)
        for (unsigned wk = 0; wk < g->nsq; wk++)
            settle(g, side, wk);
}

/* == Plies == */

static set unmoves(const struct kings *g, unsigned side, unsigned wk, set (*target)[BK_SQ_MAX])
{
    const struct bk_setup *s = g->s;
    set from = NONE;
    unsigned n;
    const struct bk_reach *r;

    if (side == BK_BLACK)
        return any(target[!side][wk]) ? black_from(g, target[!side][wk], BK_QUIET) : NONE;
    r = bk_reach_from(s->v, s->v->royal, BK_WHITE, wk, &n);
    for (unsigned i = 0; i < n; i++)
        if (r[i].how & BK_QUIET)
            from |= target[!side][r[i].to];
    return from;
}

static set without_escapes(const struct kings *g, unsigned side, unsigned wk, set cand)
{
    const struct bk_setup *s = g->s;
    unsigned n;
    const struct bk_reach *r;

    if (side == BK_BLACK)
        return cand & ~black_from(g, ~g->won[!side][wk] & g->board, BK_QUIET);
    r = bk_reach_from(s->v, s->v->royal, BK_WHITE, wk, &n);
    for (unsigned i = 0; i < n && any(cand); i++)
        if (r[i].how & BK_QUIET)
            cand &= g->won[!side][r[i].to];
    return cand;
}

static void store(struct kings *g, unsigned side, unsigned wk, set x, unsigned k)
{
    EACH (bk, x)
        g->k[side][wk * g->nsq + bk] = (uint16_t)k;
}

static set waiting(const struct kings *g, unsigned side, unsigned wk, set x, unsigned k)
{
    set due = NONE;

    if (!(g->wait[side][wk] & wait_bit(k)))
        return NONE;
    EACH (bk, x)
        if (g->k[side][wk * g->nsq + bk] == k)
            due |= bit(bk);
    return due;
}

static void mated(struct kings *g, unsigned side, unsigned wk)
{
    set losing = g->losses[side][wk], check = g->illegal[!side][wk];
    set stuck = without_escapes(g, side, wk, g->open[side][wk]);

    g->losses[side][wk] = NONE;
    if (!g->s->distances)
        g->losses[side][wk] = stuck & losing;
    stuck &= ~losing;
    if (bk_rules_stalemate_wdl(g->s->v) == 0)
        g->open[side][wk] &= ~(stuck & ~check);
    else
        g->losses[side][wk] |= stuck & ~check;
    g->losses[side][wk] |= stuck & check;
    g->undecided[side][wk] &= ~g->losses[side][wk];
    g->open[side][wk] &= ~g->losses[side][wk];
    store(g, side, wk, g->losses[side][wk], 0);
}

static bool win(struct kings *g, unsigned side, unsigned wk)
{
    unsigned k = g->ply >> 1;
    set add = unmoves(g, side, wk, g->losses) & g->undecided[side][wk];

    if (g->ply == 1)
        add |= g->wins[side][wk] & g->undecided[side][wk];
    else if (g->s->distances)
        add |= waiting(g, side, wk, g->undecided[side][wk] & ~g->open[side][wk], k);
    g->wins[side][wk] = add;
    g->won[side][wk] |= add;
    g->undecided[side][wk] &= ~add;
    g->open[side][wk] &= ~add;
    store(g, side, wk, add, k);
    return any(add);
}

static bool lose(struct kings *g, unsigned side, unsigned wk)
{
    unsigned k = g->ply >> 1;
    set cand = unmoves(g, side, wk, g->wins) & g->open[side][wk], late;

    if (g->s->distances)
        cand |= waiting(g, side, wk, g->open[side][wk], k);
    if (any(cand))
        cand = without_escapes(g, side, wk, cand);
    late = cand;
    if (g->s->distances && g->wait[side][wk])
        EACH (bk, late)
            if (g->k[side][wk * g->nsq + bk] > k)
                cand &= ~bit(bk);
    g->losses[side][wk] = cand;
    g->undecided[side][wk] &= ~cand;
    g->open[side][wk] &= ~cand;
    store(g, side, wk, cand, k);
    return any(cand);
}

/*
 * won of one side may grow while the other side's losses are looked for, but
 * only in odd plies; in even plies nothing that is read changes.
 */
static bool iterate(struct kings *g)
{
    bool before = true;

    for (unsigned side = 0; side < 2; side++)
        for (unsigned wk = 0; wk < g->nsq; wk++)
            mated(g, side, wk);
    for (g->ply = 1;; g->ply++) {
        bool found = false;

        for (unsigned side = 0; side < 2; side++)
            for (unsigned wk = 0; wk < g->nsq; wk++)
                if (any(g->undecided[side][wk]) || any(g->wins[side][wk]) ||
                    any(g->losses[side][wk]))
                    found |= g->ply & 1 ? win(g, side, wk) : lose(g, side, wk);
        if (!found && !before && g->ply > 2 * g->k_wait_max)
            return true;
        before = found;
        if (g->s->distances && g->ply >> 1 >= g->s->k_limit)
            return false;
    }
}

/* == Codes and counts == */

static void consider(const struct kings *g, struct bk_longest *l, int plies, uint32_t slice,
                     unsigned wk, unsigned bk)
{
    struct bk_longest this = { .plies = plies,
                               .at = g->at,
                               .number = slice,
                               .advance = g->s->b->advance,
                               .block = (uint32_t)(g->s->b - g->s->ix->block) };

    if (!bk_longest_before(&this, l))
        return;
    *l = this;
    l->at.king[0] = (uint8_t)wk;
    l->at.king[1] = (uint8_t)bk;
}

/* One code, or its two bits (memtable.h). */
static void put_code(struct bk_memblock *mb, unsigned side, unsigned code_bytes, uint32_t at,
                     unsigned code)
{
    uint64_t bit_at = UINT64_C(1) << (at & 63);

    if (code_bytes == 2) {
        ((uint16_t *)mb->code[side])[at] = (uint16_t)code;
    } else if (code_bytes == 1) {
        ((uint8_t *)mb->code[side])[at] = (uint8_t)code;
    } else {
        if (code == BK_CODE_ILLEGAL || (code >= BK_CODE_WIN && code < BK_CODE_LOSS8))
            ((uint64_t *)mb->code[side])[at >> 6] |= bit_at;
        if (code == BK_CODE_ILLEGAL || code == BK_CODE_DRAW)
            ((uint64_t *)mb->draw[side])[at >> 6] |= bit_at;
    }
}

static void write_codes(const struct kings *g, struct bk_memblock *mb, struct bk_tally *t)
{
    const struct bk_setup *s = g->s;
    const struct bk_pairs *pairs = s->pairs;
    unsigned loss = s->dtw_bytes < 2 ? BK_CODE_LOSS8 : BK_CODE_LOSS16;

    for (uint32_t slice = 0; slice < pairs->nslices; slice++) {
        unsigned wk = pairs->king[slice][0], bk = pairs->king[slice][1];
        uint64_t images = (uint64_t)__builtin_popcount(s->ix->group) /
                          (unsigned)__builtin_popcount(pairs->stabilizer[slice]);

        for (unsigned side = 0; side < 2; side++) {
            unsigned k = g->k[side][wk * g->nsq + bk], code = BK_CODE_ILLEGAL;
            bool placed = !g->clash && has(g->board & ~g->men & ~bit(wk), bk) && !has(g->men, wk);

            if (!placed || has(g->illegal[side][wk], bk)) {
                code = BK_CODE_ILLEGAL;
            } else if (has(g->won[side][wk], bk)) {
                code = BK_CODE_WIN + k;
                t->win[side]++;
                t->all_win[side] += images;
                consider(g, &t->longest_win[side], (int)(2 * k + 1), slice, wk, bk);
            } else if (has(g->undecided[side][wk], bk)) {
                code = BK_CODE_DRAW;
                t->draw[side]++;
                t->all_draw[side] += images;
            } else {
                code = loss + k;
                t->loss[side]++;
                t->all_loss[side] += images;
                consider(g, &t->longest_loss[side], (int)(2 * k), slice, wk, bk);
            }
            put_code(mb, side, s->dtw_bytes, slice, code);
        }
    }
}

/* What exits attain (attain.h), a bit a slice. */
static void write_attained(const struct kings *g, struct bk_memblock *mb)
{
    const struct bk_pairs *pairs = g->s->pairs;

    for (uint32_t slice = 0; slice < pairs->nslices; slice++) {
        unsigned wk = pairs->king[slice][0], bk = pairs->king[slice][1];
        uint64_t self = UINT64_C(1) << (slice & 63);

        for (unsigned side = 0; side < 2; side++) {
            int score = g->exit[side][wk * g->nsq + bk];
            bool drawn = has(g->undecided[side][wk], bk);
            bool won = has(g->won[side][wk], bk); /* where nothing is legal, nothing was offered */

            if ((won && score > 0) || (drawn && score == 0))
                mb->attained[BK_WDL][side][slice >> 6] |= self;
            if (won && score > 0 && g->s->distances &&
                g->k[side][wk * g->nsq + bk] == (unsigned)(BK_SCORE_WIN - score) >> 1)
                mb->attained[BK_DISTANCES][side][slice >> 6] |= self;
        }
    }
}

static bool allocate_attained(const struct bk_setup *s, struct bk_spill *spill,
                              struct bk_memblock *mb)
{
    size_t bytes = bk_memblock_array_bytes(s->nslices, 0);
    bool ok = true;

    for (unsigned told = 0; told < (s->distances ? 2 : 1); told++)
        for (unsigned side = 0; side < 2; side++)
            ok = ok && (mb->attained[told][side] = bk_spill_new(spill, bytes));
    return ok;
}

static void begin(struct kings *g, const struct bk_setup *s)
{
    g->s = s;
    g->nsq = s->v->nsq;
    g->board = set_of(&s->v->board);
    for (unsigned i = 0; i < s->fixed.n; i++) {
        g->clash = g->clash || has(g->men, s->fixed.sq[i]);
        g->men |= bit(s->fixed.sq[i]);
        g->at.sq[s->fixed.slot[i]] = s->fixed.sq[i];
    }
    for (unsigned sq = 0; sq < g->nsq; sq++)
        if (has(g->board, sq) && !has(g->men, sq))
            g->squares[g->nsquares++] = (uint8_t)sq;
    find_sources(g);
    find_legal(g);
}

bool NAME1(bk_kings_, BK_SET_BITS)(const struct bk_setup *s, struct bk_spill *spill,
                                   struct bk_memblock *mb, struct bk_tally *tally, bool *too_far)
{
    size_t pairs = (size_t)s->v->nsq * s->v->nsq;
    struct kings *g = aligned_alloc(64, (sizeof *g + 63) & ~(size_t)63);
    int16_t *planes = malloc(5 * pairs * sizeof *planes);
    uint16_t *k = calloc(2 * pairs, sizeof *k);
    bool ok = g && planes && k;

    ok = ok && bk_memblock_alloc(mb, spill, s->pairs->nslices, s->dtw_bytes) &&
         (!s->attains || allocate_attained(s, spill, mb));
    if (ok) {
        memset(g, 0, sizeof *g);
        g->plane = planes;
        for (unsigned side = 0; side < 2; side++) {
            g->best[side] = planes + (side + 1) * pairs;
            g->exit[side] = planes + (side + 3) * pairs;
            g->k[side] = k + side * pairs;
        }
        begin(g, s);
        find_ways_out(g);
        *too_far = !iterate(g);
        if (!*too_far)
            write_codes(g, mb, tally);
        if (!*too_far && s->attains)
            write_attained(g, mb);
    }
    free(g);
    free(planes);
    free(k);
    return ok;
}
