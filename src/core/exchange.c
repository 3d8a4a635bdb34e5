/*
 * exchange.c - turns that are a move or a drop.
 *
 * Idea: the board is a bk_pos like any other, so its moves are those of move.c; what is added is
 * where men are who are not on it.  A turn is played on a copy, and counts if the mover's king is
 * safe there.
 *
 * Only one thing differs on the board.  A hostage game's pawn that finds nobody to change places
 * with cannot go to where it would have to change, and attacks nothing there; so attacks are
 * asked here, not of attack.c.
 */
#include "core/exchange.h"

#include <stdio.h>
#include <string.h>

#include "core/geometry.h"
#include "core/letter.h"
#include "core/rules.h"

/* == Men ================================================================= */

static bool on_board(const struct bk_hands_pos *p, unsigned i) { return p->sq[i] != BK_SQ_NONE; }

static unsigned type_of(const struct bk_hands_pos *p, unsigned i) { return bk_man_type(p->man[i]); }

static unsigned colour_of(const struct bk_hands_pos *p, unsigned i)
{
    return bk_man_colour(p->man[i]);
}

/* May his side drop this man?  (In exchange for a prisoner: is_prisoner().) */
static bool is_in_hand(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned i)
{
    return !on_board(p, i) && (bk_rules_turned(v) || p->freed[i]);
}

/* Does the other side hold this man, who keeps his colour? */
static bool is_prisoner(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned i)
{
    return !on_board(p, i) && !bk_rules_turned(v) && !p->freed[i];
}

/* Returns a prisoner of this kind and colour, or p->n. */
static unsigned prisoner(const struct bk_hands_pos *p, const struct bk_variant *v, uint8_t man)
{
    unsigned i = 0;

    while (i < p->n && !(p->man[i] == man && is_prisoner(p, v, i)))
        i++;
    return i;
}

/* Of interchangeable men off the board only the first listed is dropped. */
static bool has_like_before(const struct bk_hands_pos *p, unsigned i)
{
    for (unsigned j = 0; j < i; j++)
        if (p->man[j] == p->man[i] && !on_board(p, j) && p->freed[j] == p->freed[i])
            return true;
    return false;
}

/* == Attacks ============================================================= */

/* May a man who goes to `to` be something there?  Whom a hostage game's pawn becomes comes out of
   prison. */
static bool may_arrive(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned i,
                       unsigned to)
{
    static const uint8_t none[BK_TYPES_MAX];
    struct bk_change change[BK_TYPES_MAX + 1];
    unsigned n, type = type_of(p, i), colour = colour_of(p, i);

    if (bk_rules_turned(v) || !bk_rules_may_change(v, type, colour, to))
        return true;
    n = bk_rules_changes(v, none, none, type, colour, to, false, change);
    while (n--)
        if (change[n].type == BK_STAYS || prisoner(p, v, bk_man(change[n].type, colour)) < p->n)
            return true;
    return false;
}

static bool man_attacks(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned i,
                        unsigned sq)
{
    unsigned n, type = type_of(p, i), colour = colour_of(p, i);
    const struct bk_reach *r;

    if (!bk_bits_has(bk_takes_from(v, type, colour, p->sq[i]), sq))
        return false;
    r = bk_reach_from(v, type, colour, p->sq[i], &n);
    for (; n--; r++)
        if (r->to == sq && r->how & BK_TAKES && bk_reach_open(v, r, &p->occupied))
            return may_arrive(p, v, i, sq);
    return false;
}

bool bk_exchange_in_check(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned colour)
{
    unsigned king = 0;

    while (p->man[king] != bk_man(v->royal, colour))
        king++;
    for (unsigned i = 0; i < p->n; i++)
        if (on_board(p, i) && colour_of(p, i) != colour && man_attacks(p, v, i, p->sq[king]))
            return true;
    return false;
}

bool bk_exchange_legal(const struct bk_hands_pos *p, const struct bk_variant *v)
{
    for (unsigned i = 0; i < p->n; i++)
        if (on_board(p, i) && !bk_rules_may_stand(v, type_of(p, i), colour_of(p, i), p->sq[i]))
            return false;
    return !bk_exchange_in_check(p, v, !p->stm);
}

/* == Playing ============================================================= */

/* Sets *board to what stands on the board. */
static void board_of(const struct bk_hands_pos *p, const struct bk_variant *v, struct bk_pos *board)
{
    bk_pos_init(board, v);
    board->stm = p->stm;
    board->ep = p->ep;
    board->rights = p->rights;
    for (unsigned i = 0; i < p->n; i++)
        if (on_board(p, i))
            bk_pos_put(board, v, type_of(p, i), colour_of(p, i), p->sq[i]);
}

bool bk_turn_move(const struct bk_hands_pos *p, const struct bk_turn *turn, struct bk_move *m)
{
    *m = (struct bk_move){ .from = turn->from,
                           .to = turn->to,
                           .becomes = turn->becomes,
                           .takes = BK_SQ_NONE,
                           .also = turn->also,
                           .castles = turn->also != BK_SQ_NONE,
                           .tells = turn->tells,
                           .doubles = turn->doubles };
    if (turn->takes != BK_SQ_NONE)
        m->takes = p->sq[turn->takes];
    return turn->from != BK_SQ_NONE;
}

/* Can the side to move take somebody who has just passed over `ep`, whatever is in the way? */
static bool may_take_passing(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned us,
                             unsigned ep)
{
    for (unsigned i = 0; i < p->n; i++)
        if (on_board(p, i) && colour_of(p, i) == us &&
            bk_rules_takes_passing(v, type_of(p, i), us, p->sq[i], ep) &&
            bk_bits_has(bk_takes_from(v, type_of(p, i), us, p->sq[i]), ep))
            return true;
    return false;
}

static void play_drop(struct bk_hands_pos *p, const struct bk_turn *turn)
{
    unsigned i = turn->drop[0].man;

    if (turn->gives != BK_SQ_NONE)
        p->freed[turn->gives] = true;
    p->freed[i] = false;
    bk_hands_put(p, i, turn->drop[0].sq);
}

/* Puts the man who has moved down where he goes, as what he becomes. */
static void arrive(struct bk_hands_pos *p, const struct bk_variant *v, unsigned i,
                   const struct bk_turn *turn)
{
    uint8_t as = bk_man(turn->becomes, p->stm);

    if (turn->becomes != BK_STAYS && bk_rules_turned(v))
        p->man[i] = as;
    else if (turn->becomes != BK_STAYS) /* he goes to prison for the man who comes out */
        i = prisoner(p, v, as);
    bk_hands_put(p, i, turn->to);
}

static void play_move(struct bk_hands_pos *p, const struct bk_variant *v,
                      const struct bk_turn *turn)
{
    unsigned i = p->at[turn->from] - 1u, rook;
    struct bk_pos board;
    struct bk_move m;

    bk_turn_move(p, turn, &m);
    if (p->rights) {
        board_of(p, v, &board);
        bk_pos_play(&board, v, &m);
        p->rights = board.rights;
    }
    if (turn->takes != BK_SQ_NONE) {
        bk_hands_lift(p, turn->takes);
        if (bk_rules_turned(v))
            p->man[turn->takes] = bk_man(p->born[turn->takes], p->stm);
    }
    bk_hands_lift(p, i);
    if (m.castles) {
        rook = p->at[turn->also] - 1u;
        bk_hands_lift(p, rook);
        bk_hands_put(p, rook, bk_castled_rook(v, &m));
    }
    arrive(p, v, i, turn);
}

void bk_exchange_play(struct bk_hands_pos *p, const struct bk_variant *v,
                      const struct bk_turn *turn)
{
    unsigned us = p->stm, passed = turn->from;

    p->ep = BK_SQ_NONE;
    if (turn->from == BK_SQ_NONE)
        play_drop(p, turn);
    else
        play_move(p, v, turn);
    p->stm = (uint8_t)!us;
    if (turn->doubles && bk_rules_en_passant(v)) {
        passed = (unsigned)((int)passed + bk_ahead(v, us));
        if (may_take_passing(p, v, !us, passed))
            p->ep = (uint8_t)passed;
    }
}

/* == Turns =============================================================== */

struct exchanging {
    const struct bk_variant *v;
    const struct bk_hands_pos *p;
    bk_hands_see *see;
    void *context;
    bool stopped;
};

static void try_turn(struct exchanging *g, const struct bk_turn *turn)
{
    struct bk_hands_pos after = *g->p;

    bk_exchange_play(&after, g->v, turn);
    if (!bk_exchange_in_check(&after, g->v, g->p->stm))
        g->stopped = !g->see(g->context, turn, &after);
}

static void try_move(struct exchanging *g, const struct bk_move *m)
{
    struct bk_turn turn = { .from = m->from,
                            .to = m->to,
                            .takes = BK_SQ_NONE,
                            .becomes = m->becomes,
                            .gives = BK_SQ_NONE,
                            .also = m->also,
                            .doubles = m->doubles,
                            .tells = m->tells };

    if (m->becomes != BK_STAYS && !bk_rules_turned(g->v) &&
        prisoner(g->p, g->v, bk_man(m->becomes, g->p->stm)) == g->p->n)
        return;
    if (m->takes != BK_SQ_NONE)
        turn.takes = (uint8_t)(g->p->at[m->takes] - 1);
    try_turn(g, &turn);
}

/* Tries the moves on a board; castling: only these, else all others. */
static void try_moves(struct exchanging *g, const struct bk_pos *board, bool castling)
{
    struct bk_move move[BK_MOVES_MAX];

    for (unsigned first = 0; first != BK_MOVES_END && !g->stopped;) {
        unsigned n = bk_moves_pseudo_portion(g->v, board, &first, move);

        for (unsigned i = 0; i < n && !g->stopped; i++)
            if (move[i].castles == castling)
                try_move(g, &move[i]);
    }
}

/* Makes a board on which enemies who attack nothing ahead of them are men of the mover's: they
   stand as much in the way, and do not keep his king from castling. */
static void disarm(const struct exchanging *g, struct bk_pos *board)
{
    for (unsigned i = 0; i < g->p->n; i++) {
        unsigned n, type = type_of(g->p, i), us = g->p->stm;
        const struct bk_reach *r;
        bool idle = false;

        if (!on_board(g->p, i) || colour_of(g->p, i) == us)
            continue;
        r = bk_reach_from(g->v, type, !us, g->p->sq[i], &n);
        for (; n--; r++)
            idle |= r->how & BK_TAKES && !may_arrive(g->p, g->v, i, r->to);
        if (idle) {
            bk_pos_lift(board, g->v, g->p->sq[i]);
            bk_pos_put(board, g->v, type, us, g->p->sq[i]);
        }
    }
}

static void move_men(struct exchanging *g)
{
    struct bk_pos board;

    board_of(g->p, g->v, &board);
    try_moves(g, &board, false);
    if (!board.rights)
        return;
    if (!bk_rules_turned(g->v))
        disarm(g, &board);
    try_moves(g, &board, true);
}

/* Drops man i on every square where he may stand; gives: the prisoner given back for him. */
static void each_drop(struct exchanging *g, unsigned i, unsigned gives)
{
    struct bk_turn turn = { .from = BK_SQ_NONE,
                            .to = BK_SQ_NONE,
                            .takes = BK_SQ_NONE,
                            .becomes = BK_STAYS,
                            .gives = (uint8_t)gives,
                            .also = BK_SQ_NONE,
                            .ndrops = 1 };

    for (unsigned sq = 0; sq < g->v->nsq && !g->stopped; sq++)
        if (!g->p->at[sq] && bk_rules_may_stand(g->v, type_of(g->p, i), g->p->stm, sq)) {
            turn.drop[0] = (struct bk_drop){ (uint8_t)i, (uint8_t)sq };
            try_turn(g, &turn);
        }
}

/* Gets man i out of prison, for every prisoner who is worth as much. */
static void each_exchange(struct exchanging *g, unsigned i)
{
    const struct bk_hands_pos *p = g->p;

    for (unsigned j = 0; j < p->n && !g->stopped; j++)
        if (is_prisoner(p, g->v, j) && colour_of(p, j) != p->stm && !has_like_before(p, j) &&
            bk_rules_worth(g->v, type_of(p, j)) >= bk_rules_worth(g->v, type_of(p, i)))
            each_drop(g, i, j);
}

void bk_exchange_turns(const struct bk_hands_pos *p, const struct bk_variant *v, bk_hands_see *see,
                       void *context)
{
    struct exchanging g = { .v = v, .p = p, .see = see, .context = context };

    move_men(&g);
    for (unsigned i = 0; i < p->n && !g.stopped; i++) {
        if (on_board(p, i) || colour_of(p, i) != p->stm || has_like_before(p, i))
            continue;
        if (is_in_hand(p, v, i))
            each_drop(&g, i, BK_SQ_NONE);
        else
            each_exchange(&g, i);
    }
}

/* == What comes before =================================================== */

struct before {
    const struct bk_variant *v;
    unsigned us; /* who has moved */
    bk_exchange_meet *meet;
    void *context;
};

/* Hands a position on, and those from which a double step may have led to it. */
static void found(const struct before *g, const struct bk_hands_pos *p, unsigned passed)
{
    unsigned them = !p->stm;

    g->meet(g->context, p, passed);
    for (unsigned i = 0; bk_rules_en_passant(g->v) && i < p->n; i++) {
        int back = -bk_ahead(g->v, them);
        struct bk_hands_pos earlier;
        unsigned from, ep;

        if (!on_board(p, i) || colour_of(p, i) != them || !bk_rules_passes(g->v, type_of(p, i)) ||
            bk_own_rank(g->v, p->sq[i], them) < 2)
            continue;
        ep = (unsigned)((int)p->sq[i] + back);
        from = (unsigned)((int)ep + back);
        if (p->at[ep] || p->at[from] || !bk_rules_doubles_from(g->v, type_of(p, i), them, from) ||
            !may_take_passing(p, g->v, p->stm, ep))
            continue;
        earlier = *p;
        bk_hands_lift(&earlier, i);
        bk_hands_put(&earlier, i, from);
        earlier.stm = (uint8_t)them;
        found(g, &earlier, passed + 1);
    }
}

/* Has a capture brought this man to where he is off the board? */
static bool may_be_taken(const struct before *g, const struct bk_hands_pos *p, unsigned i)
{
    if (bk_rules_turned(g->v))
        return !on_board(p, i) && colour_of(p, i) == g->us;
    return is_prisoner(p, g->v, i) && colour_of(p, i) != g->us;
}

/* Puts a man taken on `sq` back, as all that he may have been. */
static void untake(const struct before *g, const struct bk_hands_pos *p, unsigned i, unsigned sq)
{
    uint32_t types = UINT32_C(1) << type_of(p, i);

    if (bk_rules_turned(g->v))
        types = bk_rules_may_become(g->v, types);
    for (; types; types &= types - 1) {
        struct bk_hands_pos earlier = *p;

        earlier.man[i] = bk_man((unsigned)__builtin_ctz(types), !g->us);
        bk_hands_put(&earlier, i, sq);
        found(g, &earlier, 0);
    }
}

/* `p`: the man who has moved is back on his square, from which `r` leads to `to`, now empty. */
static void unmoved(const struct before *g, const struct bk_hands_pos *p, unsigned type,
                    const struct bk_reach *r, unsigned to)
{
    int behind = (int)to - bk_ahead(g->v, g->us);
    bool passes = bk_rules_passes(g->v, type) && behind >= 0 && behind < g->v->nsq &&
                  bk_bits_has(&g->v->board, (unsigned)behind) && !p->at[behind];

    if (r->how & BK_QUIET)
        found(g, p, 0);
    for (unsigned i = 0; r->how & BK_TAKES && i < p->n; i++)
        if (may_be_taken(g, p, i)) {
            untake(g, p, i, to);
            if (passes)
                untake(g, p, i, (unsigned)behind);
        }
}

/* Takes man i back from `to` to every square from which one of `type` may have come. */
static void unmove(const struct before *g, const struct bk_hands_pos *p, unsigned i, unsigned type,
                   unsigned to)
{
    unsigned n;
    const struct bk_reach *r = bk_reach_into(g->v, type, g->us, to, &n);

    for (; n--; r++)
        if (!p->at[r->to]) {
            struct bk_hands_pos earlier = *p;

            if (on_board(p, i))
                bk_hands_lift(&earlier, i);
            earlier.man[i] = bk_man(type, g->us);
            bk_hands_put(&earlier, i, r->to);
            if (bk_reach_open(g->v, r, &earlier.occupied))
                unmoved(g, &earlier, type, r, to);
        }
}

/* Takes back that man i came out of prison for a pawn, and the pawn's move. */
static void unswap(const struct before *g, const struct bk_hands_pos *p, unsigned i)
{
    unsigned to = p->sq[i];

    for (unsigned j = 0; j < p->n; j++)
        if (is_prisoner(p, g->v, j) && colour_of(p, j) == g->us &&
            bk_rules_may_become(g->v, UINT32_C(1) << type_of(p, j)) >> type_of(p, i) & 1 &&
            bk_rules_may_change(g->v, type_of(p, j), g->us, to)) {
            struct bk_hands_pos earlier = *p;

            bk_hands_lift(&earlier, i);
            unmove(g, &earlier, j, type_of(p, j), to);
        }
}

/* Takes back that man i was dropped. */
static void undrop(const struct before *g, const struct bk_hands_pos *p, unsigned i)
{
    struct bk_hands_pos earlier = *p;

    bk_hands_lift(&earlier, i);
    earlier.freed[i] = !bk_rules_turned(g->v);
    found(g, &earlier, 0);
    if (bk_rules_turned(g->v))
        return;
    earlier.freed[i] = false;
    for (unsigned j = 0; j < p->n; j++)
        if (!on_board(p, j) && p->freed[j] && colour_of(p, j) != g->us &&
            bk_rules_worth(g->v, type_of(p, j)) >= bk_rules_worth(g->v, type_of(p, i))) {
            earlier.freed[j] = false;
            found(g, &earlier, 0);
            earlier.freed[j] = true;
        }
}

void bk_exchange_before(const struct bk_hands_pos *p, const struct bk_variant *v,
                        bk_exchange_meet *meet, void *context)
{
    struct before g = { .v = v, .us = !p->stm, .meet = meet, .context = context };
    struct bk_hands_pos mover = *p;

    mover.stm = (uint8_t)g.us;
    for (unsigned i = 0; i < p->n; i++) {
        if (!on_board(p, i) || colour_of(p, i) != g.us)
            continue;
        unmove(&g, &mover, i, type_of(p, i), p->sq[i]);
        if (type_of(p, i) != p->born[i])
            unmove(&g, &mover, i, p->born[i], p->sq[i]);
        else if (type_of(p, i) != v->royal)
            undrop(&g, &mover, i);
        if (!bk_rules_turned(v))
            unswap(&g, &mover, i);
    }
}

/* == Text ================================================================ */

char *bk_exchange_name(const struct bk_hands_pos *p, const struct bk_variant *v,
                       const struct bk_turn *turn, char out[BK_TURN_NAME_MAX])
{
    struct bk_move m;
    char sq[8], name[16], given[3] = "";

    if (bk_turn_move(p, turn, &m)) {
        snprintf(out, BK_TURN_NAME_MAX, "%s", bk_move_name(v, &m, name));
        return out;
    }
    if (turn->gives != BK_SQ_NONE)
        snprintf(given, sizeof given, "%c-", bk_lower(v->piece[type_of(p, turn->gives)].letter));
    snprintf(out, BK_TURN_NAME_MAX, "%s%c@%s", given,
             v->piece[type_of(p, turn->drop[0].man)].letter, bk_sq_name(v, turn->drop[0].sq, sq));
    return out;
}

/* Returns where the board field of a FEN names the man on `sq`. */
static char *cell_of(const struct bk_variant *v, char *board, unsigned sq)
{
    unsigned rank = v->ranks - 1u, file = 0;

    for (char *s = board; *s && *s != '[' && *s != ' ';) {
        if (bk_is_digit(*s)) {
            const char *end = s;

            file += bk_gap_read(&end);
            s += end - s;
        } else if (*s == '/') {
            rank--;
            file = 0;
            s++;
        } else if (*s == '~') {
            s++;
        } else if (bk_sq(v, file++, rank) == sq) {
            return s;
        } else {
            s++;
        }
    }
    return NULL;
}

/* Adds a man to the list. */
static enum bk_err add_man(struct bk_hands_pos *p, uint8_t man, unsigned born, unsigned sq,
                           bool freed, struct bk_report *why)
{
    if (p->n == BK_HANDS_MEN_MAX)
        return bk_fail(why, BK_E_USAGE, "more than %d men", BK_HANDS_MEN_MAX);
    p->man[p->n] = man;
    p->born[p->n] = (uint8_t)born;
    p->sq[p->n] = (uint8_t)sq;
    p->freed[p->n] = freed;
    p->turns[p->n++] = 1;
    return BK_OK;
}

/* Reads the men of "[Qp]" or "{n}"; *s is advanced. */
static enum bk_err read_off(struct bk_hands_pos *p, const struct bk_variant *v, const char **s,
                            bool freed, struct bk_report *why)
{
    const char open = freed ? '{' : '[', close = freed ? '}' : ']';
    enum bk_err err = BK_OK;

    if (**s != open)
        return BK_OK;
    ++*s;
    if (**s == '-' && (*s)[1] == close)
        ++*s;
    for (; **s != close && !err; ++*s) {
        int type = bk_is_letter(**s) ? bk_variant_type(v, **s) : -1;

        if (type < 0 || (unsigned)type == v->royal)
            return bk_fail(why, BK_E_USAGE, "FEN: '%.1s' in the brackets", *s);
        err = add_man(p, bk_man((unsigned)type, bk_is_lower(**s) ? BK_BLACK : BK_WHITE),
                      (unsigned)type, BK_SQ_NONE, freed, why);
    }
    *s += !err;
    return err;
}

/* The type that a man of this one may have been, before he was promoted; itself: nothing else. */
static unsigned promoted_from(const struct bk_variant *v, unsigned type)
{
    for (unsigned from = 0; from < v->ntypes; from++)
        if (from != type && bk_rules_may_become(v, UINT32_C(1) << from) >> type & 1)
            return from;
    return type;
}

static enum bk_err add_men_on(struct bk_hands_pos *p, const struct bk_variant *v,
                              const struct bk_pos *board, char *text, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    for (unsigned sq = 0; sq < v->nsq && !err; sq++) {
        unsigned type = board->at[sq] ? bk_man_type(board->at[sq]) : 0;
        bool marked = board->at[sq] && bk_rules_turned(v) && cell_of(v, text, sq)[1] == '~';

        if (board->at[sq])
            err = add_man(p, board->at[sq], marked ? promoted_from(v, type) : type, sq, false, why);
    }
    return err;
}

/* Brings the list into order, and puts men on their squares. */
static void order_men(struct bk_hands_pos *p)
{
    struct bk_hands_pos in = *p;
    unsigned n = 0;

    for (unsigned born = 0; born < BK_TYPES_MAX; born++)
        for (unsigned colour = 0; colour < 2; colour++)
            for (unsigned i = 0; i < in.n; i++) {
                if (in.born[i] != born || bk_man_colour(in.man[i]) != colour)
                    continue;
                p->man[n] = in.man[i];
                p->born[n] = in.born[i];
                p->freed[n] = in.freed[i];
                p->sq[n] = BK_SQ_NONE;
                if (in.sq[i] != BK_SQ_NONE)
                    bk_hands_put(p, n, in.sq[i]);
                n++;
            }
}

/* Copies a FEN without its brackets; sets *off to these, which are borrowed from `fen`. */
static enum bk_err cut(const char *fen, char out[BK_FEN_MAX], const char **off,
                       struct bk_report *why)
{
    struct bk_fen fields;
    size_t board, skip;

    bk_fen_split(&fields, fen);
    if (!fields.at[BK_FEN_BOARD])
        return bk_fail(why, BK_E_USAGE, "FEN: empty");
    if (strlen(fen) >= BK_FEN_MAX)
        return bk_fail(why, BK_E_USAGE, "FEN: longer than %d letters", BK_FEN_MAX - 1);
    *off = fields.at[BK_FEN_BOARD];
    for (skip = fields.n[BK_FEN_BOARD]; skip && **off != '[' && **off != '{'; skip--)
        ++*off;
    board = fields.n[BK_FEN_BOARD] - skip;
    snprintf(out, BK_FEN_MAX, "%.*s%s", (int)board, fields.at[BK_FEN_BOARD],
             fields.at[BK_FEN_BOARD] + fields.n[BK_FEN_BOARD]);
    return BK_OK;
}

enum bk_err bk_exchange_from_fen(struct bk_hands_pos *p, const struct bk_variant *v,
                                 const char *fen, struct bk_report *why)
{
    char text[BK_FEN_MAX];
    const char *off = NULL;
    struct bk_pos board;
    enum bk_err err;

    fen = bk_fen_meant(v, fen);
    memset(p, 0, sizeof *p);
    p->ep = BK_SQ_NONE;
    if ((err = cut(fen, text, &off, why)) || (err = bk_pos_from_fen(&board, v, text, why)) ||
        (err = add_men_on(p, v, &board, text, why)) || (err = read_off(p, v, &off, false, why)) ||
        (!bk_rules_turned(v) && (err = read_off(p, v, &off, true, why))))
        return err;
    if (*off && !bk_is_space(*off) && *off != '_' && *off != ';')
        return bk_fail(why, BK_E_USAGE, "FEN: '%.1s' after the board", off);
    order_men(p);
    p->stm = board.stm;
    p->rights = board.rights;
    if (board.ep != BK_SQ_NONE && may_take_passing(p, v, p->stm, board.ep))
        p->ep = board.ep;
    if (!bk_exchange_legal(p, v))
        return bk_fail(why, BK_E_ILLEGAL, "the king of the side that has moved is in check");
    return BK_OK;
}

static size_t write_off(const struct bk_hands_pos *p, const struct bk_variant *v, bool freed,
                        char *out)
{
    size_t n = 0;

    out[n++] = freed ? '{' : '[';
    for (unsigned i = 0; i < p->n; i++)
        if (!on_board(p, i) && p->freed[i] == freed)
            out[n++] = bk_man_letter(v, p->man[i]);
    out[n++] = freed ? '}' : ']';
    return n;
}

char *bk_exchange_to_fen(const struct bk_hands_pos *p, const struct bk_variant *v,
                         char out[BK_FEN_MAX])
{
    char text[BK_FEN_MAX];
    struct bk_pos board;
    size_t n;

    board_of(p, v, &board);
    bk_pos_to_fen(&board, v, text);
    for (unsigned i = 0; i < p->n; i++)
        if (on_board(p, i) && type_of(p, i) != p->born[i]) {
            char *cell = cell_of(v, text, p->sq[i]);

            memmove(cell + 2, cell + 1, strlen(cell));
            cell[1] = '~';
        }
    n = strcspn(text, " ");
    memcpy(out, text, n);
    n += write_off(p, v, false, out + n);
    if (!bk_rules_turned(v))
        n += write_off(p, v, true, out + n);
    snprintf(out + n, BK_FEN_MAX - n, "%s", text + strcspn(text, " "));
    return out;
}
