/*
 * hands.c - positions with held men, and whole turns.
 *
 * Idea: one scratch position; drops and the move are played on it one inside
 * the other, each taken back when everything after it has been seen.  A turn
 * is judged only where it ends: leaf().
 *
 * The side to move holds enemy men only.  Without bonus turns all of them are
 * due: whatever it holds it captured in its last turn.
 *
 * Where a drop is a turn of its own, all that is about turns is exchange.c's.
 */
#include "core/hands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/exchange.h"
#include "core/geometry.h"
#include "core/letter.h"
#include "core/rules.h"

/* == Men ================================================================= */

static bool on_board(const struct bk_hands_pos *p, unsigned i) { return p->sq[i] != BK_SQ_NONE; }

static unsigned colour_of(const struct bk_hands_pos *p, unsigned i)
{
    return bk_man_colour(p->man[i]);
}

static bool is_royal(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned i)
{
    return bk_man_type(p->man[i]) == v->royal;
}

static unsigned king_of(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned colour)
{
    for (unsigned i = 0; i < p->n; i++)
        if (p->man[i] == bk_man(v->royal, colour))
            return i;
    return 0; /* every list has both */
}

static unsigned count_on_board(const struct bk_hands_pos *p, unsigned colour)
{
    unsigned n = 0;

    for (unsigned i = 0; i < p->n; i++)
        n += on_board(p, i) && colour_of(p, i) == colour;
    return n;
}

/* Ordinary men of a colour that are off the board. */
static unsigned count_off(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned colour)
{
    unsigned n = 0;

    for (unsigned i = 0; i < p->n; i++)
        n += !on_board(p, i) && !is_royal(p, v, i) && colour_of(p, i) == colour;
    return n;
}

bool bk_hands_opening(const struct bk_hands_pos *p, const struct bk_variant *v)
{
    return !on_board(p, king_of(p, v, BK_WHITE)) || !on_board(p, king_of(p, v, BK_BLACK));
}

static bool man_attacks(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned i,
                        unsigned sq)
{
    unsigned n;
    const struct bk_reach *r =
        bk_reach_from(v, bk_man_type(p->man[i]), colour_of(p, i), p->sq[i], &n);

    for (; n--; r++)
        if (r->to == sq && r->how & BK_TAKES && bk_reach_open(v, r, &p->occupied))
            return true;
    return false;
}

static bool attacked(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned sq,
                     unsigned by)
{
    for (unsigned i = 0; i < p->n; i++)
        if (on_board(p, i) && colour_of(p, i) == by && man_attacks(p, v, i, sq))
            return true;
    return false;
}

bool bk_hands_in_check(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned colour)
{
    unsigned king = king_of(p, v, colour);

    if (bk_rules_drops_are_turns(v))
        return bk_exchange_in_check(p, v, colour);
    return on_board(p, king) && attacked(p, v, p->sq[king], !colour);
}

/* == Bindings ============================================================ */

/*
 * The steps of a kind, added in any number, reach a lattice of squares: all
 * (x, y) = i * a + j * (0, b).  A ferz has a = (1, 1), b = 2.
 */
struct lattice {
    int ax, ay, b;
};

static void lattice_add(struct lattice *l, int x, int y)
{
    while (x) { /* Euclid, on vectors */
        int q = l->ax / x, nx = l->ax - q * x, ny = l->ay - q * y;

        l->ax = x;
        l->ay = y;
        x = nx;
        y = ny;
    }
    for (y = abs(y); y;) {
        int rest = l->b % y;

        l->b = y;
        y = rest;
    }
}

static bool same_binding(const struct bk_variant *v, unsigned type, unsigned sq1, unsigned sq2)
{
    const struct bk_movement *m = &v->piece[type].move;
    int x = (int)(sq1 % v->files) - (int)(sq2 % v->files);
    int y = (int)(sq1 / v->files) - (int)(sq2 / v->files);
    struct lattice l = { 0, 0, 0 };

    for (unsigned i = 0; i < m->nsteps; i++)
        lattice_add(&l, m->step[i].df, m->step[i].dr);
    if (abs(l.ax * l.b) == 1) /* it reaches every square: bound to nothing */
        return false;
    if (l.ax ? x % l.ax : x)
        return false;
    y -= l.ax ? x / l.ax * l.ay : 0;
    return l.b ? y % l.b == 0 : y == 0;
}

/* May man[i] be dropped on, or have been dropped on, this square in the opening? */
static bool on_own_binding(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned i,
                           unsigned sq)
{
    for (unsigned j = 0; j < p->n; j++)
        if (j != i && p->man[j] == p->man[i] && on_board(p, j) &&
            same_binding(v, bk_man_type(p->man[i]), sq, p->sq[j]))
            return false;
    return true;
}

/* == What a position may be ============================================== */

bool bk_hands_same_army(const struct bk_hands_pos *a, const struct bk_hands_pos *b,
                        const struct bk_variant *v)
{
    return a->n == b->n && !memcmp(a->born, b->born, a->n) &&
           (bk_rules_turned(v) || !memcmp(a->man, b->man, a->n));
}

/* Can this stage of the opening come up, with p->stm to move? */
static bool opening_is_sound(const struct bk_hands_pos *p, const struct bk_variant *v)
{
    unsigned off[2], men[2] = { 0, 0 }, turns = 0, all;

    if (!bk_rules_opening_drops(v))
        return false;
    for (unsigned i = 0; i < p->n; i++) {
        if (on_board(p, i) && !on_own_binding(p, v, i, p->sq[i]))
            return false;
        men[colour_of(p, i)] += !is_royal(p, v, i);
    }
    all = men[0] > men[1] ? men[0] : men[1];
    for (unsigned c = 0; c < 2; c++) {
        off[c] = count_off(p, v, c);
        if (men[c] - off[c] > turns)
            turns = men[c] - off[c];
    }
    for (unsigned c = 0; c < 2; c++)
        if (off[c] != (men[c] > turns ? men[c] - turns : 0))
            return false;
    for (unsigned c = 0; c < 2; c++)
        if (on_board(p, king_of(p, v, c))) {
            if (turns < all || (all & 1) != c) /* the first king comes when all else is down */
                return false;
            turns++;
        }
    return p->stm == (turns & 1);
}

/* Can these men be held, for so long? */
static bool hands_are_sound(const struct bk_hands_pos *p, const struct bk_variant *v)
{
    if (!bk_rules_hand_bonus(v)) /* who is held was taken in the last turn of his captor */
        return count_off(p, v, BK_WHITE) <= 1 && count_off(p, v, BK_BLACK) <= 1;
    for (unsigned i = 0; i < p->n; i++)
        if (!on_board(p, i) && p->turns[i] != BK_TURNS_EVER &&
            p->turns[i] > 1 + p->released[!colour_of(p, i)][bk_man_type(p->man[i])])
            return false;
    return true;
}

bool bk_hands_legal(const struct bk_hands_pos *p, const struct bk_variant *v)
{
    if (bk_rules_drops_are_turns(v))
        return bk_exchange_legal(p, v);
    for (unsigned i = 0; i < p->n; i++)
        if (on_board(p, i) &&
            !bk_rules_may_stand(v, bk_man_type(p->man[i]), colour_of(p, i), p->sq[i]))
            return false;
    if (bk_hands_opening(p, v)) {
        if (!opening_is_sound(p, v))
            return false;
    } else if (!hands_are_sound(p, v)) {
        return false;
    }
    return !bk_hands_in_check(p, v, !p->stm);
}

/* == The end ============================================================= */

static bool bares_back(void *context, const struct bk_turn *turn, const struct bk_hands_pos *after)
{
    bool *found = context;

    (void)turn;
    *found = count_on_board(after, after->stm) == 1;
    return !*found;
}

/* Exactly one man of `colour` in each box that has a square. */
static bool configured(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned colour)
{
    unsigned wide = (v->files + 1u) / 2, boxes = wide * ((v->ranks + 1u) / 2);
    uint8_t men[BK_SQ_MAX / 2] = { 0 }, squares[BK_SQ_MAX / 2] = { 0 };

    if (!bk_rules_configuration(v))
        return false;
    for (unsigned sq = 0; sq < v->nsq; sq++)
        squares[sq / v->files / 2 * wide + sq % v->files / 2] += bk_bits_has(&v->board, sq);
    for (unsigned i = 0; i < p->n; i++)
        if (on_board(p, i) && colour_of(p, i) == colour)
            men[p->sq[i] / v->files / 2 * wide + p->sq[i] % v->files / 2]++;
    for (unsigned i = 0; i < boxes; i++)
        if (squares[i] && men[i] != 1)
            return false;
    return true;
}

enum bk_hands_end bk_hands_over(const struct bk_hands_pos *p, const struct bk_variant *v, int *wdl)
{
    unsigned us = count_on_board(p, p->stm), them = count_on_board(p, !p->stm);
    bool back = false;

    *wdl = 0;
    if (bk_rules_drops_are_turns(v))
        return p->n == 2 ? BK_HANDS_BARE_DRAW : BK_HANDS_GOES_ON;
    if (!bk_hands_opening(p, v)) {
        if (us == 1 && them == 1)
            return BK_HANDS_BARE_DRAW;
        if (configured(p, v, !p->stm)) { /* when his turn ended: nobody bares back afterwards */
            *wdl = -1;
            return BK_HANDS_CONFIGURATION;
        }
        if (us == 1 && them == 2 && bk_rules_bares_back(v))
            bk_hands_turns(p, v, bares_back, &back);
        if (back)
            return BK_HANDS_BARE_DRAW;
        if (us == 1 || them == 1) {
            *wdl = us == 1 ? -1 : 1;
            return BK_HANDS_BARE;
        }
    }
    if (configured(p, v, !p->stm)) {
        *wdl = -1;
        return BK_HANDS_CONFIGURATION;
    }
    if (configured(p, v, p->stm)) {
        *wdl = 1;
        return BK_HANDS_CONFIGURATION;
    }
    return BK_HANDS_GOES_ON;
}

int bk_hands_stuck_wdl(const struct bk_hands_pos *p, const struct bk_variant *v)
{
    return bk_hands_in_check(p, v, p->stm) || bk_rules_stalemate_loses(v) ? -1 : 0;
}

/* == Turns =============================================================== */

struct turning {
    const struct bk_variant *v;
    struct bk_hands_pos p; /* played on; stm stays the mover's until leaf() */
    struct bk_turn turn;
    unsigned us;
    uint16_t held; /* the men that the mover held when the turn began, a bit each */
    bk_hands_see *see;
    void *context;
    bool stopped;
};

static bool may_drop(const struct turning *g, unsigned i, unsigned sq)
{
    return !g->p.at[sq] &&
           bk_rules_may_stand(g->v, bk_man_type(g->p.man[i]), colour_of(&g->p, i), sq);
}

static void play_drop(struct turning *g, unsigned i, unsigned sq)
{
    bk_hands_put(&g->p, i, sq);
    g->turn.drop[g->turn.ndrops++] = (struct bk_drop){ (uint8_t)i, (uint8_t)sq };
}

static void undo_drop(struct turning *g)
{
    struct bk_drop *d = &g->turn.drop[--g->turn.ndrops];

    bk_hands_lift(&g->p, d->man);
    *d = (struct bk_drop){ 0, 0 };
}

/* How many men of a type the first `n` drops of a turn have released. */
static unsigned released_by(const struct bk_hands_pos *p, const struct bk_turn *turn, unsigned n,
                            unsigned type)
{
    unsigned released = 0;

    while (n--)
        released += bk_man_type(p->man[turn->drop[n].man]) == type;
    return released;
}

static uint8_t sum_to_most(unsigned a, unsigned b)
{
    return (uint8_t)(a + b < BK_TURNS_EVER - 2 ? a + b : BK_TURNS_EVER - 2);
}

/*
 * Sets the turns left of the men held after a turn, and counts those released.  A man just captured
 * has one turn, and one more for each man of his type that his captor has
 * released before.
 */
static void count_turns(struct bk_hands_pos *p, const struct bk_turn *turn)
{
    unsigned us = p->stm, captured = turn->takes;

    if (captured != BK_SQ_NONE && !on_board(p, captured)) {
        unsigned type = bk_man_type(p->man[captured]);

        p->turns[captured] =
            sum_to_most(1u + p->released[us][type], released_by(p, turn, turn->nbefore, type));
    }
    for (unsigned i = 0; i < p->n; i++)
        if (!on_board(p, i) && i != captured && colour_of(p, i) != us && p->turns[i] > 1 &&
            p->turns[i] != BK_TURNS_EVER)
            p->turns[i]--;
    for (unsigned i = 0; i < turn->ndrops; i++) {
        unsigned type = bk_man_type(p->man[turn->drop[i].man]);

        p->released[us][type] = sum_to_most(p->released[us][type], 1);
    }
}

/* Reports a legal turn; quiet: quiet turns left after it. */
static void seen(struct turning *g, unsigned quiet)
{
    struct bk_hands_pos before;
    bool bonus = bk_rules_hand_bonus(g->v) && g->turn.from != BK_SQ_NONE;
    uint8_t were = g->p.quiet;

    if (bonus) {
        before = g->p;
        count_turns(&g->p, &g->turn);
    }
    g->p.stm = !g->us;
    g->p.quiet = (uint8_t)quiet;
    g->stopped = !g->see(g->context, &g->turn, &g->p);
    g->p.stm = (uint8_t)g->us;
    g->p.quiet = were;
    if (bonus)
        g->p = before;
}

/* Does the turn give a check that a quiet turn must not: by anybody, or by the man who moves? */
static bool gives_check(const struct turning *g)
{
    if (g->turn.to == BK_SQ_NONE || !bk_rules_quiet_moves(g->v))
        return bk_hands_in_check(&g->p, g->v, !g->us);
    return man_attacks(&g->p, g->v, g->p.at[g->turn.to] - 1u,
                       g->p.sq[king_of(&g->p, g->v, !g->us)]);
}

/* Ends a turn: reports it if it is legal. */
static void leaf(struct turning *g)
{
    unsigned quiet = g->p.quiet;

    if (!bk_hands_in_check(&g->p, g->v, g->us) && !(quiet && gives_check(g)))
        seen(g, quiet - (quiet > 0));
}

/* Plays each possible drop of man i, and calls behind() after it. */
static void each_drop(struct turning *g, unsigned i, void (*behind)(struct turning *))
{
    for (unsigned sq = 0; sq < g->v->nsq && !g->stopped; sq++)
        if (may_drop(g, i, sq)) {
            play_drop(g, i, sq);
            behind(g);
            undo_drop(g);
        }
}

static void drop_captured(struct turning *g)
{
    leaf(g);
    if (g->turn.takes != BK_SQ_NONE && !g->stopped)
        each_drop(g, g->turn.takes, leaf);
}

/* Does the mover hold man i since before this turn? */
static bool waits(const struct turning *g, unsigned i)
{
    return g->held >> i & 1 && !on_board(&g->p, i) && i != g->turn.takes;
}

static bool dropped_from(const struct turning *g, unsigned first, unsigned i)
{
    for (; first < g->turn.ndrops; first++)
        if (g->turn.drop[first].man == i)
            return true;
    return false;
}

/*
 * Of interchangeable men (of one type, held, with as many turns left) those listed first are
 * dropped, on ascending squares.  Returns the first square for man i; `first`: the first drop of
 * this side of the move.
 */
static unsigned first_square(const struct turning *g, unsigned first, unsigned i)
{
    for (unsigned j = i; j--;)
        if (g->held >> j & 1 && g->p.man[j] == g->p.man[i] && g->p.turns[j] == g->p.turns[i])
            return waits(g, j) ? BK_SQ_MAX : dropped_from(g, first, j) ? g->p.sq[j] + 1u : 0;
    return 0;
}

/* Drops of the men held from i on, after the move: in the end those due must be down. */
static void drop_after(struct turning *g, unsigned i)
{
    while (i < g->p.n && !waits(g, i))
        i++;
    if (i == g->p.n) {
        drop_captured(g);
        return;
    }
    if (g->p.turns[i] != 1)
        drop_after(g, i + 1);
    for (unsigned sq = first_square(g, g->turn.nbefore, i); sq < g->v->nsq && !g->stopped; sq++)
        if (may_drop(g, i, sq)) {
            play_drop(g, i, sq);
            drop_after(g, i + 1);
            undo_drop(g);
        }
}

/* May the move take this man? */
static bool may_take(const struct turning *g, unsigned victim)
{
    return colour_of(&g->p, victim) != g->us && !is_royal(&g->p, g->v, victim) &&
           (bk_rules_recaptures(g->v) || !dropped_from(g, 0, victim));
}

static void try_move(struct turning *g, unsigned i, const struct bk_reach *r)
{
    unsigned from = g->p.sq[i], victim = g->p.at[r->to] - 1u;
    bool takes = g->p.at[r->to];

    if (takes ? !(r->how & BK_TAKES) || !may_take(g, victim) : !(r->how & BK_QUIET))
        return;
    if (!bk_reach_open(g->v, r, &g->p.occupied) ||
        !bk_rules_may_stand(g->v, bk_man_type(g->p.man[i]), g->us, r->to)) /* nobody changes here */
        return;
    g->turn.from = (uint8_t)from;
    g->turn.to = r->to;
    g->turn.takes = takes ? (uint8_t)victim : BK_SQ_NONE;
    if (takes)
        bk_hands_lift(&g->p, victim);
    bk_hands_lift(&g->p, i);
    bk_hands_put(&g->p, i, r->to);
    if (takes && count_on_board(&g->p, !g->us) == 1)
        leaf(g); /* bared: the game is over at the capture */
    else
        drop_after(g, 0);
    bk_hands_lift(&g->p, i);
    bk_hands_put(&g->p, i, from);
    if (takes)
        bk_hands_put(&g->p, victim, r->to);
    g->turn.takes = BK_SQ_NONE;
}

static void move_men(struct turning *g)
{
    g->turn.nbefore = g->turn.ndrops;
    for (unsigned i = 0; i < g->p.n; i++) {
        unsigned n;
        const struct bk_reach *r;

        if (!on_board(&g->p, i) || colour_of(&g->p, i) != g->us)
            continue;
        r = bk_reach_from(g->v, bk_man_type(g->p.man[i]), g->us, g->p.sq[i], &n);
        for (; n-- && !g->stopped; r++)
            try_move(g, i, r);
    }
}

/* Drops of the men held from i on, before the move: none of them must. */
static void drop_before(struct turning *g, unsigned i)
{
    while (i < g->p.n && !waits(g, i))
        i++;
    if (i == g->p.n) {
        move_men(g);
        return;
    }
    drop_before(g, i + 1);
    for (unsigned sq = first_square(g, 0, i); sq < g->v->nsq && !g->stopped; sq++)
        if (may_drop(g, i, sq)) {
            play_drop(g, i, sq);
            drop_before(g, i + 1);
            undo_drop(g);
        }
}

/* == The opening == */

/* Drops a man of each colour from `c` on, in all ways; of interchangeable men only the first. */
static void open_men(struct turning *g, unsigned c)
{
    if (c == 2) {
        leaf(g);
        return;
    }
    if (!count_off(&g->p, g->v, c)) {
        open_men(g, c + 1);
        return;
    }
    for (unsigned i = 0, before = 0; i < g->p.n && !g->stopped; i++) {
        if (on_board(&g->p, i) || is_royal(&g->p, g->v, i) || colour_of(&g->p, i) != c ||
            g->p.man[i] == before)
            continue;
        before = g->p.man[i];
        for (unsigned sq = 0; sq < g->v->nsq && !g->stopped; sq++)
            if (may_drop(g, i, sq) && on_own_binding(&g->p, g->v, i, sq)) {
                play_drop(g, i, sq);
                open_men(g, c + 1);
                undo_drop(g);
            }
    }
}

/* The turns without checks that follow a turn of the opening: they begin behind the second king's
   drop, which is none of them. */
static unsigned quiet_after_opening(const struct bk_hands_pos *p, const struct bk_variant *v)
{
    return bk_hands_opening(p, v) ? 0 : 2u * bk_rules_quiet_turns(v);
}

static void king_is_down(struct turning *g)
{
    if (!bk_hands_in_check(&g->p, g->v, g->us))
        seen(g, quiet_after_opening(&g->p, g->v));
}

void bk_hands_turns(const struct bk_hands_pos *p, const struct bk_variant *v, bk_hands_see *see,
                    void *context)
{
    struct turning g = { .v = v,
                         .p = *p,
                         .us = p->stm,
                         .see = see,
                         .context = context,
                         .turn = { .from = BK_SQ_NONE, .to = BK_SQ_NONE, .takes = BK_SQ_NONE } };

    if (bk_rules_drops_are_turns(v)) {
        bk_exchange_turns(p, v, see, context);
        return;
    }
    if (bk_hands_opening(p, v)) {
        if (count_off(p, v, BK_WHITE) || count_off(p, v, BK_BLACK))
            open_men(&g, 0);
        else
            each_drop(&g, king_of(p, v, g.us), king_is_down);
        return;
    }
    for (unsigned i = 0; i < p->n; i++)
        if (!on_board(p, i) && colour_of(p, i) != g.us)
            g.held |= (uint16_t)(1u << i);
    drop_before(&g, 0);
}

void bk_hands_play(struct bk_hands_pos *p, const struct bk_variant *v, const struct bk_turn *turn)
{
    bool opening = bk_hands_opening(p, v);

    if (bk_rules_drops_are_turns(v)) {
        bk_exchange_play(p, v, turn);
        return;
    }
    for (unsigned i = 0; i < turn->nbefore; i++)
        bk_hands_put(p, turn->drop[i].man, turn->drop[i].sq);
    if (turn->from != BK_SQ_NONE) {
        unsigned man = p->at[turn->from] - 1u;

        if (turn->takes != BK_SQ_NONE)
            bk_hands_lift(p, turn->takes);
        bk_hands_lift(p, man);
        bk_hands_put(p, man, turn->to);
    }
    for (unsigned i = turn->nbefore; i < turn->ndrops; i++)
        bk_hands_put(p, turn->drop[i].man, turn->drop[i].sq);
    if (opening)
        p->quiet = (uint8_t)quiet_after_opening(p, v);
    else if (bk_rules_hand_bonus(v))
        count_turns(p, turn);
    if (!opening && p->quiet)
        p->quiet--;
    p->stm = !p->stm;
}

static bool count_leaves(void *context, const struct bk_turn *turn,
                         const struct bk_hands_pos *after);

struct counting {
    const struct bk_variant *v;
    unsigned depth;
    uint64_t leaves;
};

uint64_t bk_hands_perft(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned depth)
{
    struct counting g = { v, depth, 0 };
    int wdl;

    if (!depth)
        return 1;
    if (!bk_hands_over(p, v, &wdl))
        bk_hands_turns(p, v, count_leaves, &g);
    return g.leaves;
}

static bool count_leaves(void *context, const struct bk_turn *turn,
                         const struct bk_hands_pos *after)
{
    struct counting *g = context;

    (void)turn;
    g->leaves += bk_hands_perft(after, g->v, g->depth - 1);
    return true;
}

/* == Text ================================================================ */

static void name_drops(const struct bk_hands_pos *p, const struct bk_variant *v,
                       const struct bk_drop *d, unsigned ndrops, char out[BK_TURN_NAME_MAX])
{
    for (; ndrops--; d++) {
        size_t n = strlen(out);
        char sq[8];

        snprintf(out + n, BK_TURN_NAME_MAX - n, "%s%c@%s", n ? "," : "",
                 bk_man_letter(v, p->man[d->man]), bk_sq_name(v, d->sq, sq));
    }
}

char *bk_turn_name(const struct bk_hands_pos *p, const struct bk_variant *v,
                   const struct bk_turn *turn, char out[BK_TURN_NAME_MAX])
{
    char from[8], to[8];
    size_t n;

    if (bk_rules_drops_are_turns(v))
        return bk_exchange_name(p, v, turn, out);
    out[0] = 0;
    name_drops(p, v, turn->drop, turn->nbefore, out);
    n = strlen(out);
    if (turn->from != BK_SQ_NONE)
        snprintf(out + n, BK_TURN_NAME_MAX - n, "%s%s%s", n ? "," : "",
                 bk_sq_name(v, turn->from, from), bk_sq_name(v, turn->to, to));
    name_drops(p, v, turn->drop + turn->nbefore, turn->ndrops - turn->nbefore, out);
    return out;
}

/* Makes the list of men in their order, all of them off the board. */
static enum bk_err list_men(struct bk_hands_pos *p, const struct bk_variant *v,
                            unsigned count[2][BK_TYPES_MAX], struct bk_report *why)
{
    memset(p, 0, sizeof *p);
    p->ep = BK_SQ_NONE;
    for (unsigned type = 0; type < v->ntypes; type++)
        for (unsigned c = 0; c < 2; c++) {
            if (type == v->royal && count[c][type] != 1)
                return bk_fail(why, BK_E_USAGE, "each side has one %s", v->piece[type].name);
            for (unsigned i = 0; i < count[c][type]; i++) {
                if (p->n == BK_HELD_MEN_MAX)
                    return bk_fail(why, BK_E_USAGE, "more than %d men", BK_HELD_MEN_MAX);
                p->man[p->n] = bk_man(type, c);
                p->born[p->n] = (uint8_t)type;
                p->turns[p->n] = 1;
                p->sq[p->n++] = BK_SQ_NONE;
            }
        }
    if (p->n > bk_bits_count(&v->board))
        return bk_fail(why, BK_E_USAGE, "more men than squares");
    return BK_OK;
}

enum bk_err bk_hands_start(struct bk_hands_pos *p, const struct bk_variant *v,
                           struct bk_report *why)
{
    unsigned count[2][BK_TYPES_MAX];

    if (!bk_rules_hands(v))
        return bk_fail(why, BK_E_USAGE, "%s is played without hands", v->name);
    if (*v->start && !bk_fen_is_start(v->start))
        return bk_hands_from_fen(p, v, v->start, why);
    if (!bk_rules_opening_drops(v))
        return bk_fail(why, BK_E_USAGE,
                       "%s does not begin on an empty board, without `opening = drops`: give a FEN",
                       v->name);
    for (unsigned type = 0; type < v->ntypes; type++)
        count[0][type] = count[1][type] = bk_rules_army(v, type);
    return list_men(p, v, count, why);
}

/* Reads the board field into at[] (bk_man() codes) and counts; *s is advanced. */
static enum bk_err read_board(const struct bk_variant *v, const char **s, uint8_t at[BK_SQ_MAX],
                              unsigned count[2][BK_TYPES_MAX], struct bk_report *why)
{
    for (unsigned rank = v->ranks; rank--; *s += rank > 0) {
        for (unsigned file = 0; file < v->files;) {
            unsigned sq = bk_sq(v, file, rank), gap = 1;
            int type = bk_is_letter(**s) ? bk_variant_type(v, **s) : -1;
            bool digit = bk_is_digit(**s), hole = **s == '*', lower = bk_is_lower(**s);

            if (digit)
                gap = bk_gap_read(s);
            else if (type < 0 && !hole)
                return bk_fail(why, BK_E_USAGE, "FEN: '%.1s' in rank %u", *s, rank + 1);
            else
                *s += 1 + (type >= 0 && (*s)[1] == '~'); /* position.c */
            if (gap < 1 || gap > v->files - file)
                return bk_fail(why, BK_E_USAGE, "FEN: rank %u is not of %d squares", rank + 1,
                               v->files);
            for (unsigned i = 0; i < gap; i++)
                if (bk_bits_has(&v->board, sq + i) == hole)
                    return bk_fail(why, BK_E_USAGE,
                                   "FEN: rank %u: `*` is for holes, and holes "
                                   "for `*`",
                                   rank + 1);
            if (type >= 0) {
                unsigned colour = lower ? BK_BLACK : BK_WHITE;

                at[sq] = bk_man((unsigned)type, colour);
                count[colour][type]++;
            }
            file += gap;
        }
        if (rank && **s != '/')
            return bk_fail(why, BK_E_USAGE, "FEN: '/' expected after rank %u", rank + 1);
    }
    return BK_OK;
}

/* The men in the brackets of a FEN. */
struct listed {
    unsigned n;
    uint8_t man[BK_HELD_MEN_MAX], turns[BK_HELD_MEN_MAX];
};

/* Reads a number, all its digits; BK_TURNS_EVER: that, or more. */
static unsigned read_number(const char **s)
{
    unsigned n = 0;

    for (; bk_is_digit(**s); ++*s)
        if (n < BK_TURNS_EVER)
            n = 10 * n + (unsigned)(**s - '0');
    return n < BK_TURNS_EVER ? n : BK_TURNS_EVER;
}

static enum bk_err no_bonus(struct bk_report *why)
{
    return bk_fail(why, BK_E_USAGE, "FEN: a man is held longer in a game without bonus turns");
}

/* Reads the turns that a man held has left, "=2", "=*"; nothing: 1.  *s is advanced. */
static enum bk_err read_turns(const struct bk_variant *v, const char **s, uint8_t *turns,
                              struct bk_report *why)
{
    unsigned n;

    *turns = 1;
    if (**s != '=')
        return BK_OK;
    if (*++*s == '*') {
        ++*s;
        *turns = BK_TURNS_EVER;
        return bk_rules_hand_bonus(v) ? BK_OK : no_bonus(why);
    }
    n = read_number(s);
    if (!n || n >= BK_TURNS_EVER)
        return bk_fail(why, BK_E_USAGE, "FEN: turns left are 1 to %d, or `*`", BK_TURNS_EVER - 1);
    *turns = (uint8_t)n;
    return n == 1 || bk_rules_hand_bonus(v) ? BK_OK : no_bonus(why);
}

/* Reads "[men off the board]" into `off`, and counts them; *s is advanced. */
static enum bk_err read_hands(const struct bk_variant *v, const char **s, struct listed *off,
                              unsigned count[2][BK_TYPES_MAX], struct bk_report *why)
{
    enum bk_err err = BK_OK;

    if (**s != '[')
        return BK_OK;
    for (++*s; **s != ']' && !err;) {
        int type = bk_is_letter(**s) ? bk_variant_type(v, **s) : -1;
        unsigned colour = bk_is_lower(**s) ? BK_BLACK : BK_WHITE;

        if (**s == '-' && (*s)[-1] == '[' && (*s)[1] == ']') {
            ++*s;
            continue;
        }
        if (type < 0)
            return bk_fail(why, BK_E_USAGE, "FEN: '%.1s' in the brackets", *s);
        if (off->n == BK_HELD_MEN_MAX)
            return bk_fail(why, BK_E_USAGE, "more than %d men", BK_HELD_MEN_MAX);
        ++*s;
        off->man[off->n] = bk_man((unsigned)type, colour);
        err = read_turns(v, s, &off->turns[off->n++], why);
        count[colour][type]++;
    }
    *s += !err;
    return err;
}

/* Does the other side of `holder` have such men, whom he may take? */
static bool has_type(const struct bk_hands_pos *p, unsigned holder, unsigned type)
{
    for (unsigned i = 0; i < p->n; i++)
        if (p->man[i] == bk_man(type, !holder))
            return true;
    return false;
}

/* Reads how many men each side has released, "k1.0,0.2", and empties the field. */
static enum bk_err read_released(struct bk_hands_pos *p, const struct bk_variant *v,
                                 struct bk_fen *fields, struct bk_report *why)
{
    const char *s = fields->at[BK_FEN_CASTLING], *end;

    if (!bk_rules_hand_bonus(v) || !s || *s != 'k')
        return BK_OK;
    end = s++ + fields->n[BK_FEN_CASTLING];
    for (unsigned holder = 0; holder < 2; holder++) {
        bool first = true;

        for (unsigned type = 0; type < v->ntypes; type++) {
            unsigned n;

            if (type == v->royal || !has_type(p, holder, type))
                continue;
            s += !first && *s == '.';
            first = false;
            if (!bk_is_digit(*s))
                return bk_fail(why, BK_E_USAGE, "FEN: a number expected for %c in k...",
                               bk_man_letter(v, bk_man(type, !holder)));
            n = read_number(&s);
            if (n > BK_TURNS_EVER - 2)
                return bk_fail(why, BK_E_USAGE, "FEN: more than %d men released",
                               BK_TURNS_EVER - 2);
            p->released[holder][type] = (uint8_t)n;
        }
        if (holder ? s != end : *s++ != ',')
            return bk_fail(why, BK_E_USAGE, "FEN: k... has a number for each type, and one comma");
    }
    fields->at[BK_FEN_CASTLING] = NULL;
    fields->n[BK_FEN_CASTLING] = 0;
    return BK_OK;
}

/* Puts the men of the board field down, and gives those off the board their turns. */
static void set_men(struct bk_hands_pos *p, const struct bk_variant *v, uint8_t at[BK_SQ_MAX],
                    const struct listed *off)
{
    uint16_t told = 0;

    for (unsigned sq = 0; sq < v->nsq; sq++)
        for (unsigned i = 0; at[sq] && i < p->n; i++)
            if (p->man[i] == at[sq] && !on_board(p, i)) {
                bk_hands_put(p, i, sq);
                at[sq] = 0;
            }
    for (unsigned k = 0; k < off->n; k++)
        for (unsigned i = 0; i < p->n; i++)
            if (p->man[i] == off->man[k] && !on_board(p, i) && !(told >> i & 1)) {
                p->turns[i] = off->turns[k];
                told |= (uint16_t)(1u << i);
                break;
            }
}

enum bk_err bk_hands_from_fen(struct bk_hands_pos *p, const struct bk_variant *v, const char *fen,
                              struct bk_report *why)
{
    unsigned count[2][BK_TYPES_MAX] = { { 0 } };
    uint8_t at[BK_SQ_MAX] = { 0 };
    struct listed off = { .n = 0 };
    struct bk_fen fields;
    const char *s, *end;
    enum bk_err err;
    unsigned stm;

    if (!bk_rules_hands(v))
        return bk_fail(why, BK_E_USAGE, "%s is played without hands", v->name);
    if (bk_rules_drops_are_turns(v))
        return bk_exchange_from_fen(p, v, fen, why);
    fen = bk_fen_meant(v, fen);
    if (bk_fen_is_start(fen))
        return bk_hands_start(p, v, why);
    bk_fen_split(&fields, fen);
    if (!(s = fields.at[BK_FEN_BOARD]))
        return bk_fail(why, BK_E_USAGE, "FEN: empty");
    end = s + fields.n[BK_FEN_BOARD];
    if ((err = read_board(v, &s, at, count, why)) || (err = read_hands(v, &s, &off, count, why)) ||
        (err = list_men(p, v, count, why)))
        return err;
    if (s != end)
        return bk_fail(why, BK_E_USAGE, "FEN: '%.1s' after the board", s);
    if ((err = read_released(p, v, &fields, why)) ||
        (err = bk_fen_rest_check(v, &fields, &stm, why)))
        return err;
    p->stm = (uint8_t)stm;
    set_men(p, v, at, &off);
    if (!bk_hands_legal(p, v))
        return bk_fail(why, BK_E_ILLEGAL, "not the start of a turn: %s", fen);
    return BK_OK;
}

/* Writes " k1.0,0.2", if anybody has released a man. */
static size_t write_released(const struct bk_hands_pos *p, const struct bk_variant *v, char *out,
                             size_t size)
{
    static const uint8_t none[2][BK_TYPES_MAX];
    size_t n = 0;

    if (!memcmp(p->released, none, sizeof none))
        return 0;
    for (unsigned holder = 0; holder < 2; holder++) {
        const char *before = holder ? "," : " k";

        for (unsigned type = 0; type < v->ntypes; type++)
            if (type != v->royal && has_type(p, holder, type)) {
                n += (size_t)snprintf(out + n, size - n, "%s%u", before, p->released[holder][type]);
                before = ".";
            }
    }
    return n;
}

char *bk_hands_to_fen(const struct bk_hands_pos *p, const struct bk_variant *v,
                      char out[BK_FEN_MAX])
{
    uint8_t at[BK_SQ_MAX] = { 0 };
    bool none = true;
    size_t n;

    if (bk_rules_drops_are_turns(v))
        return bk_exchange_to_fen(p, v, out);
    for (unsigned i = 0; i < p->n; i++)
        if (on_board(p, i))
            at[p->sq[i]] = p->man[i];
    n = bk_board_write(v, at, NULL, out);
    out[n++] = '[';
    for (unsigned i = 0; i < p->n; i++)
        if (!on_board(p, i)) {
            out[n++] = bk_man_letter(v, p->man[i]);
            if (p->turns[i] == BK_TURNS_EVER)
                n += (size_t)snprintf(out + n, BK_FEN_MAX - n, "=*");
            else if (p->turns[i] > 1)
                n += (size_t)snprintf(out + n, BK_FEN_MAX - n, "=%u", p->turns[i]);
            none = false;
        }
    n += (size_t)snprintf(out + n, BK_FEN_MAX - n, "%s %c", none ? "-]" : "]",
                          p->stm == BK_WHITE ? 'w' : 'b');
    write_released(p, v, out + n, BK_FEN_MAX - n);
    return out;
}
