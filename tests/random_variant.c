/*
 * random_variant.c - draws small games; see random_variant.h.
 *
 * A game is a king, two to four pieces and often a pawn, or pawns of two or three
 * kinds.  Men turn only into types drawn after them, and pawns only into pieces
 * or later kinds of pawns, so nothing ever turns in a circle.
 *
 * What RULES leave open is not drawn: a type is never offered both for free and
 * for an allowance by the rules of one piece, and pawns that take en passant tell
 * quiet steps from takes, and never come back to where they made a double step.
 */
#include "tests/random_variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/geometry.h"

/* == Chance == */

unsigned random_below(uint64_t *seed, unsigned n)
{
    return (unsigned)((bk_chance_next(seed) >> 32) * n >> 32);
}

bool random_once_in(uint64_t *seed, unsigned n) { return random_below(seed, n) == 0; }

/* The state of drawing one game. */
struct draw {
    struct bk_variant *v;
    uint64_t *seed;
    unsigned features;
    bool never_passing; /* a kind of pawn with a double step could come back */
};

/* Returns true once in n, if all features `which` are in play; draws a number in any case. */
static bool feature(struct draw *d, unsigned which, unsigned n)
{
    bool yes = random_once_in(d->seed, n);

    return yes && (d->features & which) == which;
}

/* feature() of RANDOM_ODD, but draws no number without it: a seed's game stays as it is. */
static bool odd(struct draw *d, unsigned n)
{
    return d->features & RANDOM_ODD && random_once_in(d->seed, n);
}

/* The same for RANDOM_RARE. */
static bool rare(struct draw *d, unsigned n)
{
    return d->features & RANDOM_RARE && random_once_in(d->seed, n);
}

/* == Moves == */

/* Adds a step.  Steps that differ only in BK_QUIET and BK_TAKES become one, as in variant files. */
void movement_step(struct bk_movement *m, int df, int dr, unsigned range, unsigned how)
{
    for (unsigned i = 0; i < m->nsteps; i++) {
        struct bk_step *s = &m->step[i];

        if (s->df == df && s->dr == dr && s->range == range &&
            (s->how & BK_HOPS) == (how & BK_HOPS)) {
            s->how |= (uint8_t)how;
            return;
        }
    }
    if (m->nsteps == BK_STEPS_MAX)
        return;
    m->step[m->nsteps++] = (struct bk_step){ (int8_t)df, (int8_t)dr, (uint8_t)range, (uint8_t)how };
}

void movement_add(struct bk_movement *m, int a, int b, unsigned range, unsigned how)
{
    const int df[8] = { a, a, -a, -a, b, b, -b, -b };
    const int dr[8] = { b, -b, b, -b, a, -a, a, -a };

    for (unsigned i = 0; i < 8; i++) {
        bool again = false;

        for (unsigned j = 0; j < i; j++)
            again |= df[i] == df[j] && dr[i] == dr[j];
        if (!again)
            movement_step(m, df[i], dr[i], range, how);
    }
}

static const int8_t atoms[][2] = { { 1, 0 }, { 1, 1 }, { 2, 0 }, { 2, 2 },
                                   { 2, 1 }, { 3, 0 }, { 3, 1 }, { 3, 3 } };

/* A random set of the first `kinds` atoms, never empty, at most three. */
static unsigned draw_atoms(struct draw *d, unsigned kinds)
{
    unsigned n = 1 + random_below(d->seed, 3), set = 0;

    while (n--)
        set |= 1u << random_below(d->seed, kinds);
    return set;
}

static void add_atoms(struct bk_movement *m, unsigned set, unsigned range, unsigned how)
{
    for (unsigned i = 0; i < 8; i++)
        if (set >> i & 1)
            movement_add(m, atoms[i][0], atoms[i][1], range, how);
}

static void draw_leaper(struct draw *d, struct bk_movement *m)
{
    add_atoms(m, draw_atoms(d, random_once_in(d->seed, 3) ? 8 : 5), 1, BK_QUIET | BK_TAKES);
}

static void draw_rider(struct draw *d, struct bk_movement *m)
{
    static const uint8_t ranges[] = { 0, 0, 2, 3 };
    unsigned atom = random_below(d->seed, 5);

    movement_add(m, atoms[atom][0], atoms[atom][1], ranges[random_below(d->seed, 4)],
                 BK_QUIET | BK_TAKES);
    if (random_once_in(d->seed, 3))
        draw_leaper(d, m);
}

static void draw_divergent(struct draw *d, struct bk_movement *m)
{
    unsigned quiet = draw_atoms(d, 5), takes = draw_atoms(d, 5);
    unsigned riding = d->features & RANDOM_RIDERS;

    add_atoms(m, quiet, riding && random_once_in(d->seed, 4) ? 0 : 1, BK_QUIET);
    add_atoms(m, takes, riding && random_once_in(d->seed, 4) ? 0 : 1, BK_TAKES);
}

static void draw_hopper(struct draw *d, struct bk_movement *m)
{
    const int8_t *atom = atoms[random_below(d->seed, 2)];
    unsigned range = random_once_in(d->seed, 4) ? 3 : 0;

    switch (random_below(d->seed, 3)) {
    case 0: /* xiangqi cannon */
        movement_add(m, atom[0], atom[1], 0, BK_QUIET);
        movement_add(m, atom[0], atom[1], range, BK_TAKES | BK_HOPS);
        break;
    case 1: /* hops for everything */
        movement_add(m, atom[0], atom[1], range, BK_QUIET | BK_TAKES | BK_HOPS);
        movement_add(m, 1, 0, 1, BK_QUIET);
        break;
    default: /* takes as a leaper, hops to move */
        movement_add(m, atom[0], atom[1], range, BK_QUIET | BK_HOPS);
        movement_add(m, 2, 1, 1, BK_TAKES);
    }
}

static void draw_bent(struct draw *d, struct bk_movement *m)
{
    add_atoms(m, draw_atoms(d, 4), 1, BK_QUIET | BK_TAKES);
    m->steps_max = 2;
    m->bend = random_once_in(d->seed, 2);
    m->takes_twice = feature(d, RANDOM_TAKES_TWICE, 3);
}

static bool oblique(const struct bk_step *s) { return s->df && s->dr && abs(s->df) != abs(s->dr); }

/*
 * Drops random directions, but never all of them.  Variant files choose oblique
 * directions in pairs: the ones with the same step along the ranks (`lengthwise`)
 * or the same along the files stay or go together.
 */
static void make_asymmetric(struct draw *d, struct bk_movement *m)
{
    bool lengthwise = random_once_in(d->seed, 2), keep[BK_STEPS_MAX];
    unsigned n = 0;

    for (unsigned i = 0; i < m->nsteps; i++) {
        keep[i] = random_below(d->seed, 5) < 3;
        for (unsigned j = 0; j < i && oblique(&m->step[i]); j++) {
            const struct bk_step *a = &m->step[i], *b = &m->step[j];

            if (abs(a->df) == abs(b->df) && abs(a->dr) == abs(b->dr) && a->range == b->range &&
                (lengthwise ? a->dr == b->dr : a->df == b->df))
                keep[i] = keep[j];
        }
    }
    for (unsigned i = 0; i < m->nsteps; i++)
        if (keep[i])
            m->step[n++] = m->step[i];
    m->nsteps = n ? (uint8_t)n : m->nsteps;
}

static void draw_nymph(struct draw *d, struct bk_movement *m)
{
    int side = random_once_in(d->seed, 2) ? 1 : -1;

    movement_step(m, 0, 1, 1, BK_QUIET | BK_TAKES);
    movement_step(m, side, 1, 1, BK_QUIET | BK_TAKES);
    if (random_once_in(d->seed, 4))
        movement_step(m, -side, 1, 1, BK_QUIET | BK_TAKES);
}

static void draw_movement(struct draw *d, struct bk_movement *m)
{
    m->steps_max = 1;
    if (feature(d, RANDOM_BENT, 3))
        draw_bent(d, m);
    else if (feature(d, RANDOM_HOPPERS, 4))
        draw_hopper(d, m);
    else if (feature(d, RANDOM_RIDERS, 3))
        draw_rider(d, m);
    else if (feature(d, RANDOM_DIVERGENT, 4))
        draw_divergent(d, m);
    else if (feature(d, RANDOM_ASYMMETRIC, 4))
        draw_nymph(d, m);
    else
        draw_leaper(d, m);
    if (feature(d, RANDOM_ASYMMETRIC, 5))
        make_asymmetric(d, m);
}

/* == Pieces == */

static uint16_t all_ranks(const struct bk_variant *v) { return (uint16_t)((1u << v->ranks) - 1); }

static struct bk_piece *new_piece(struct bk_variant *v, char letter, const char *name)
{
    struct bk_piece *p = &v->piece[v->ntypes++];

    p->letter = letter;
    snprintf(p->name, sizeof p->name, "%s", name);
    p->army = 1;
    p->ranks = all_ranks(v);
    p->move.steps_max = p->zone.steps_max = 1;
    return p;
}

/* Takes a rank from where a man may stand, perhaps. */
static void draw_gap(struct draw *d, struct bk_piece *p)
{
    uint16_t ranks = p->ranks;

    if (rare(d, 4))
        ranks &= (uint16_t) ~(1u << random_below(d->seed, d->v->ranks));
    if (ranks)
        p->ranks = ranks;
    p->zone_ranks &= p->ranks;
}

static void draw_king(struct draw *d)
{
    struct bk_piece *k = new_piece(d->v, 'K', "king");
    const unsigned both = BK_QUIET | BK_TAKES;

    d->v->royal = (uint8_t)(k - d->v->piece);
    k->royal = true;
    switch (random_below(d->seed, d->features & RANDOM_JUMPING_KING ? 6 : 1)) {
    case 0:
    case 1:
    case 2: add_atoms(&k->move, 1 | 2, 1, both); break;
    case 3: add_atoms(&k->move, 1 | 2 | 4 | 8, 1, both); break;
    case 4: add_atoms(&k->move, 1, 1, both); break;
    default: add_atoms(&k->move, 2, 1, both);
    }
    if (feature(d, RANDOM_ZONES, 12)) /* a palace */
        k->ranks = (uint16_t)(1 + random_below(d->seed, all_ranks(d->v)));
}

static void draw_pieces(struct draw *d)
{
    static const char letters[] = "ABCDE";
    unsigned n = 2 + random_below(d->seed, 3);

    for (unsigned i = 0; i < n; i++) {
        char name[] = { 'p', 'i', 'e', 'c', 'e', '-', (char)('a' + (char)i), 0 };
        struct bk_piece *p = new_piece(d->v, letters[i], name);

        p->army = (uint8_t)(1 + random_below(d->seed, 2));
        draw_movement(d, &p->move);
        if (feature(d, RANDOM_ZONES, 8)) {
            p->zone_ranks = (uint16_t)(1 + random_below(d->seed, (unsigned)all_ranks(d->v)));
            draw_movement(d, &p->zone);
            p->zone.steps_max = 1;
            p->zone.bend = p->zone.takes_twice = false;
        }
        draw_gap(d, p);
    }
}

/* Adds to `b` some of the pieces numbered above `type`; false if there are none. */
static bool draw_targets(struct draw *d, struct bk_become *b, unsigned type)
{
    const struct bk_variant *v = d->v;

    for (unsigned t = type + 1; t < v->ntypes; t++)
        if (t != v->royal && v->piece[t].letter != 'P' &&
            (random_once_in(d->seed, 2) || (!b->nto && t + 1u == v->ntypes)))
            b->to[b->nto++] = (uint8_t)t;
    return b->nto > 0;
}

/* Gives the types that `b` turns men into a limit, those that have none. */
static void draw_limits(struct draw *d, const struct bk_become *b)
{
    for (unsigned i = 0; b->counted && i < b->nto; i++)
        if (!d->v->limit[b->to[i]])
            d->v->limit[b->to[i]] = (uint8_t)(1 + random_below(d->seed, 2));
}

/* A rule by which pieces change when a move ends far enough up the board. */
static void draw_evolution(struct draw *d, unsigned type)
{
    struct bk_variant *v = d->v;
    struct bk_piece *p = &v->piece[type];
    struct bk_become b = { .ranks = 0 };
    unsigned from = random_below(d->seed, v->ranks);

    if (!draw_targets(d, &b, type))
        return;
    b.ranks = (uint16_t)(all_ranks(v) & ~((1u << from) - 1));
    b.must = random_once_in(d->seed, 4);
    b.lost_only = random_once_in(d->seed, 4);
    b.in_place = b.lost_only && feature(d, RANDOM_SITTING, 2);
    b.counted = feature(d, RANDOM_LIMITS, 2);
    if (p->nbecomes && b.counted) /* one rule counted, the other free */
        b.counted = !p->become[0].counted;
    draw_limits(d, &b);
    p->become[p->nbecomes++] = b;
}

/* == Pawns == */

static void draw_pawn_move(struct draw *d, struct bk_movement *m)
{
    bool berolina = feature(d, RANDOM_DIVERGENT, 5), lame = feature(d, RANDOM_ASYMMETRIC, 5);
    unsigned straight = berolina ? BK_TAKES : BK_QUIET;
    unsigned aside = berolina ? BK_QUIET : BK_TAKES;

    m->steps_max = 1;
    movement_step(m, 0, 1, 1, straight);
    movement_step(m, 1, 1, 1, aside);
    if (!lame)
        movement_step(m, -1, 1, 1, aside);
}

/* Draws a move unlike that of ordinary pawns; most such moves have no way back. */
static void draw_odd_pawn_move(struct draw *d, struct bk_movement *m)
{
    const unsigned both = BK_QUIET | BK_TAKES;
    unsigned range = random_once_in(d->seed, 2) ? 2 : 0;
    unsigned how = random_once_in(d->seed, 2) ? BK_TAKES : both;

    m->steps_max = 1;
    switch (random_below(d->seed, 8)) {
    case 0: /* a lance */
        movement_step(m, 0, 1, range, BK_QUIET);
        movement_step(m, 0, 1, 1, BK_TAKES);
        break;
    case 1: /* rides aslant to take */
        movement_step(m, 0, 1, 1, BK_QUIET);
        movement_step(m, 1, 1, range, BK_TAKES);
        movement_step(m, -1, 1, range, BK_TAKES);
        break;
    case 2: /* takes over another man */
        movement_step(m, 0, 1, 1, BK_QUIET);
        movement_step(m, 0, 1, range, BK_TAKES | BK_HOPS);
        break;
    case 3: /* leaps on */
        movement_step(m, 1, 2, 1, how);
        movement_step(m, -1, 2, 1, how);
        movement_step(m, 0, 1, 1, BK_QUIET);
        break;
    case 4: /* one step or two, by a square between */
        movement_step(m, 0, 1, 1, both);
        movement_step(m, 1, 1, 1, both);
        m->steps_max = 2;
        m->bend = random_once_in(d->seed, 2);
        m->takes_twice = random_once_in(d->seed, 2);
        break;
    case 5: /* to either side, too */
        movement_step(m, 0, 1, 1, BK_QUIET);
        movement_step(m, 1, 0, 1, BK_QUIET);
        movement_step(m, -1, 0, 1, how);
        movement_step(m, 1, 1, 1, BK_TAKES);
        break;
    case 6: /* takes behind it, too */
        movement_step(m, 0, 1, 1, BK_QUIET);
        movement_step(m, 0, -1, 1, BK_TAKES);
        movement_step(m, 1, 1, 1, BK_TAKES);
        break;
    default: /* back home */ movement_step(m, 0, -1, 1, both); movement_step(m, 1, -1, 1, both);
    }
}

/* Does `m` allow en passant: one step a turn, forward only, none that both moves and takes? */
static bool may_take_in_passing(const struct bk_movement *m)
{
    for (unsigned i = 0; i < m->nsteps; i++)
        if (m->step[i].dr <= 0 || (m->step[i].how & 3) == (BK_QUIET | BK_TAKES))
            return false;
    return m->steps_max == 1;
}

static void pawn_rule(struct draw *d, struct bk_piece *p, unsigned ranks, bool must, bool lost_only,
                      bool in_place)
{
    struct bk_become b = {
        .ranks = (uint16_t)ranks, .must = must, .lost_only = lost_only, .in_place = in_place
    };

    /* Every pawn is followed by pieces only; see random_variant(). */
    if (!draw_targets(d, &b, (unsigned)(p - d->v->piece)))
        return;
    b.counted = rare(d, 4);
    draw_limits(d, &b);
    p->become[p->nbecomes++] = b;
}

/* A pawn that must promote on the last rank, as in chess, and perhaps may a rank before. */
static void draw_plain_pawn(struct draw *d, struct bk_piece *p, unsigned last)
{
    pawn_rule(d, p, last, true, false, false);
    p->ranks &= (uint16_t)~last;
    if (random_once_in(d->seed, 4))
        pawn_rule(d, p, last >> 1, false, random_once_in(d->seed, 2), false);
}

/* A pawn that waits on the last rank until a man is lost, mostly stepping and taking sideways. */
static void draw_sitting_pawn(struct draw *d, struct bk_piece *p, unsigned last)
{
    pawn_rule(d, p, last, !random_once_in(d->seed, 4), true, !random_once_in(d->seed, 4));
    if (random_once_in(d->seed, 2))
        pawn_rule(d, p, last >> 1, false, true, random_once_in(d->seed, 4));
    if (random_once_in(d->seed, 5))
        return;
    p->zone_ranks = (uint16_t)last;
    movement_step(&p->zone, 1, 0, 1, BK_QUIET | BK_TAKES);
    movement_step(&p->zone, -1, 0, 1, BK_QUIET | BK_TAKES);
}

/* A pawn that moves like a non-royal king on the last two ranks, and may leave them. */
static void draw_commoner_pawn(struct draw *d, struct bk_piece *p, unsigned last)
{
    unsigned zone = last | last >> 1;

    pawn_rule(d, p, zone, false, true, random_once_in(d->seed, 6));
    p->zone_ranks = (uint16_t)zone;
    add_atoms(&p->zone, 1 | 2 | (random_once_in(d->seed, 3) ? 4 | 8 : 0), 1, BK_QUIET | BK_TAKES);
    p->ranks = all_ranks(d->v);
}

bool random_is_pawn(const struct bk_piece *p)
{
    return p->letter == 'P' || p->letter == 'S' || p->letter == 'T';
}

/* Draws a double step; one in four may end on a rank where the man changes. */
static void draw_double_step(struct draw *d, struct bk_piece *p)
{
    struct bk_variant *v = d->v;
    unsigned stop = p->zone_ranks | (p->ranks ^ all_ranks(v)), starts = 0;
    unsigned reach = odd(d, 2) ? v->ranks : 2;

    for (unsigned i = 0; i < p->nbecomes && !random_once_in(d->seed, 4); i++)
        stop |= p->become[i].ranks;
    for (unsigned r = 0; r + 2 < v->ranks && r < reach; r++)
        if ((p->ranks >> r & 1) && !(stop >> (r + 2) & 1))
            starts |= 1u << r;
    if (starts == 3 && !random_once_in(d->seed, 3))
        starts = 1u << random_below(d->seed, 2);
    if (!starts || !feature(d, RANDOM_DOUBLE, 2))
        return;
    p->double_ranks = (uint16_t)starts;
    /* a commoner could step to the passed square and take on it */
    if (p->zone_ranks >> (v->ranks - 2u) & 1 || !may_take_in_passing(&p->move) ||
        (p->zone_ranks && !random_is_pawn(p))) {
        d->never_passing = true;
        v->en_passant = false; /* for pawns drawn before, too */
        return;
    }
    v->en_passant = feature(d, RANDOM_EP | RANDOM_DOUBLE, 1) && !random_once_in(d->seed, 4) &&
                    !d->never_passing;
}

static void draw_pawn(struct draw *d, struct bk_piece *p)
{
    unsigned last = 1u << (d->v->ranks - 1), low = random_below(d->seed, 3) ? 1 : 0;

    if (odd(d, 2))
        draw_odd_pawn_move(d, &p->move);
    else
        draw_pawn_move(d, &p->move);
    p->army = (uint8_t)(1 + random_below(d->seed, odd(d, 2) ? 4 : 3));
    p->ranks &= (uint16_t) ~((1u << low) - 1);
    if (feature(d, RANDOM_SITTING, 2))
        draw_sitting_pawn(d, p, last);
    else if (feature(d, RANDOM_ZONES | RANDOM_SITTING, 4))
        draw_commoner_pawn(d, p, last);
    else
        draw_plain_pawn(d, p, last);
    draw_gap(d, p);
    draw_double_step(d, p);
}

/* == Games == */

/*
 * Puts the small board somewhere in a larger one, with holes all around, so that
 * square numbers run over the words of a set.
 */
static void spread_board(struct draw *d)
{
    struct bk_variant *v = d->v;
    unsigned files = v->files, ranks = v->ranks;
    bool middle = random_once_in(d->seed, 2); /* keeps the symmetries */
    unsigned left, below;

    v->files = (uint8_t)(files + random_below(d->seed, BK_FILES_MAX - files + 1));
    v->ranks = (uint8_t)(ranks + random_below(d->seed, BK_RANKS_MAX - ranks + 1));
    left = middle ? (v->files - files) / 2 : random_below(d->seed, v->files - files + 1);
    below = middle ? (v->ranks - ranks) / 2 : random_below(d->seed, v->ranks - ranks + 1);
    v->nsq = (uint8_t)(v->files * v->ranks);
    for (unsigned rank = 0; rank < ranks; rank++)
        for (unsigned file = 0; file < files; file++)
            bk_bits_set(&v->board, bk_sq(v, left + file, below + rank));
}

static void draw_holes(struct draw *d)
{
    for (unsigned n = 1 + random_below(d->seed, 3); n--;) {
        unsigned sq;

        do
            sq = random_below(d->seed, d->v->nsq);
        while (!bk_bits_has(&d->v->board, sq));
        bk_bits_clear(&d->v->board, sq);
    }
}

static void draw_board(struct draw *d, unsigned squares_max)
{
    struct bk_variant *v = d->v;

    bool narrow = odd(d, 3); /* two or three files or ranks, of up to ten squares */

    do {
        v->files = (uint8_t)(3 + random_below(d->seed, 4));
        v->ranks = (uint8_t)(3 + random_below(d->seed, 4));
        if (narrow) {
            unsigned length = 7 + random_below(d->seed, 4);
            bool along = random_once_in(d->seed, 4); /* on two ranks pawns have no squares */

            v->files = (uint8_t)(along ? length : 2 + random_below(d->seed, 2));
            v->ranks = (uint8_t)(along ? 3 : length);
        }
        narrow = narrow && squares_max >= 14;
    } while ((unsigned)v->files * v->ranks > squares_max);
    v->nsq = (uint8_t)(v->files * v->ranks);
    if (feature(d, RANDOM_SPREAD | RANDOM_HOLES, 6))
        spread_board(d);
    else
        for (unsigned sq = 0; sq < v->nsq; sq++)
            bk_bits_set(&v->board, sq);
    if (bk_bits_count(&v->board) > 11 && feature(d, RANDOM_HOLES, 3))
        draw_holes(d);
}

static void draw_endings(struct draw *d)
{
    static const enum bk_bare bares[] = { BK_BARE_BACK, BK_BARE_BACK, BK_BARE_WINS,
                                          BK_BARE_NOTHING };
    unsigned bare = random_below(d->seed, 4);

    d->v->bare = d->features & RANDOM_BARE ? bares[bare] : BK_BARE_NOTHING;
    d->v->stalemate = random_once_in(d->seed, 2) ? BK_STALEMATE_DRAW : BK_STALEMATE_LOSS;
    if (feature(d, RANDOM_CLOCK, 4))
        d->v->game_turns = (uint16_t)(1 + random_below(d->seed, 12));
}

/* Sets `file` to the files that exist on both sides' ranks `rank`; returns how many. */
static unsigned home_files(const struct bk_variant *v, unsigned rank, uint8_t file[BK_FILES_MAX])
{
    unsigned n = 0;

    for (unsigned f = 0; f < v->files; f++)
        if (bk_bits_has(&v->board, bk_sq(v, f, rank)) &&
            bk_bits_has(&v->board, bk_sq(v, f, v->ranks - 1u - rank)))
            file[n++] = (uint8_t)f;
    return n;
}

/* Draws castling; each rook's file and each wing's targets are half the time much as in chess. */
static void draw_castling(struct draw *d, unsigned pieces)
{
    struct bk_variant *v = d->v;
    uint8_t file[BK_FILES_MAX];
    unsigned look = (unsigned)(bk_chance_of(*d->seed) >> 40); /* not drawn: other games stay */
    unsigned rank = look % 4 ? 0 : look / 4 % (v->ranks / 2u);
    unsigned n = home_files(v, rank, file), king;
    struct bk_castling k = { .allowed = true, .rank = (uint8_t)rank };

    k.rook = (uint8_t)(pieces + random_below(d->seed, v->ntypes - pieces));
    if (n < 3 || !(v->piece[k.rook].ranks & v->piece[v->royal].ranks >> rank & 1) ||
        v->piece[k.rook].double_ranks)
        return;
    king = 1 + random_below(d->seed, n - 2);
    k.king_file = file[king];
    k.rook_file[0] = file[random_once_in(d->seed, 2) ? 0 : random_below(d->seed, king)];
    k.rook_file[1] =
        file[random_once_in(d->seed, 2) ? n - 1 : king + 1 + random_below(d->seed, n - king - 1)];
    for (unsigned side = 0; side < 2; side++) {
        unsigned far = random_below(d->seed, n), step = random_below(d->seed, n - 1);

        if (random_once_in(d->seed, 2)) { /* the rook next to the king, on its other side */
            far = side ? king + 1 : king - 1;
            step = n - 1;
        }
        k.king_to[side] = file[far];
        k.rook_to[side] = file[(far + 1 + step) % n];
        if (k.rook_to[side] == k.king_to[side])
            k.rook_to[side] = k.king_file;
    }
    v->castling = k;
}

/* Puts the types into another order. */
static void shuffle_types(struct draw *d)
{
    struct bk_variant *v = d->v, old = *v;
    uint8_t place[BK_TYPES_MAX] = { 0 };

    for (unsigned t = 0; t < v->ntypes; t++) {
        unsigned other = random_below(d->seed, t + 1);

        place[t] = place[other];
        place[other] = (uint8_t)t;
    }
    for (unsigned t = 0; t < v->ntypes; t++) {
        struct bk_piece *p = &v->piece[place[t]];

        *p = old.piece[t];
        v->limit[place[t]] = old.limit[t];
        for (unsigned i = 0; i < p->nbecomes; i++)
            for (unsigned j = 0; j < p->become[i].nto; j++)
                p->become[i].to[j] = place[p->become[i].to[j]];
    }
    v->royal = place[old.royal];
    v->castling.rook = v->castling.allowed ? place[old.castling.rook] : 0;
}

void random_variant(struct bk_variant *v, uint64_t *seed, const struct random_opts *opts)
{
    unsigned squares_max = opts && opts->squares_max ? opts->squares_max : 30;
    struct draw d = { v, seed, opts ? opts->features : RANDOM_ALL, false };
    unsigned pieces;
    bool pawn;

    memset(v, 0, sizeof *v);
    snprintf(v->name, sizeof v->name, "random-%016llx", (unsigned long long)*seed);
    snprintf(v->title, sizeof v->title, "A random game");
    snprintf(v->source, sizeof v->source, "tests/random_variant.c");
    draw_board(&d, squares_max < 9 ? 9 : squares_max);
    draw_endings(&d);
    draw_king(&d);
    pawn = !random_once_in(seed, 3) && (d.features & RANDOM_PAWNS);
    if (pawn)
        new_piece(v, 'P', "pawn"); /* before the pieces it turns into */
    if (pawn && odd(&d, 2))
        new_piece(v, 'S', "soldier");
    if (v->ntypes > 2 && rare(&d, 3))
        new_piece(v, 'T', "trooper");
    pieces = v->ntypes;
    draw_pieces(&d);
    for (unsigned t = 1; t < pieces; t++)
        draw_pawn(&d, &v->piece[t]);
    for (unsigned t = pieces; t < v->ntypes; t++)
        for (unsigned rules = feature(&d, RANDOM_EVOLVE, 4) ? 1 + random_once_in(seed, 2) : 0;
             rules; rules--)
            draw_evolution(&d, t);
    for (unsigned t = pieces; t < v->ntypes; t++)
        if (rare(&d, 4))
            draw_double_step(&d, &v->piece[t]);
    if (feature(&d, RANDOM_CASTLING, 2))
        draw_castling(&d, pieces);
    if (rare(&d, 2))
        shuffle_types(&d);
}

/* == Materials == */

/* Returns the most men of `type` to draw: its army, and that of one type that may turn into it. */
static unsigned men_of_type(const struct bk_variant *v, unsigned type)
{
    unsigned n = v->piece[type].army;

    for (unsigned t = 0; t < v->ntypes; t++)
        for (unsigned i = 0; i < v->piece[t].nbecomes; i++) {
            const struct bk_become *b = &v->piece[t].become[i];

            for (unsigned j = 0; j < b->nto; j++)
                if (b->to[j] == type && !b->lost_only)
                    return n + v->piece[t].army;
        }
    return n;
}

static double placements(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX])
{
    double n = 1;

    for (unsigned c = 0; c < 2; c++)
        for (unsigned t = 0; t < v->ntypes; t++) {
            unsigned squares = 0;

            for (unsigned sq = 0; sq < v->nsq; sq++)
                squares +=
                    bk_bits_has(&v->board, sq) && (v->piece[t].ranks >> bk_own_rank(v, sq, c) & 1);
            for (unsigned i = 0; i < count[c][t]; i++)
                n = n * (squares - (double)i) / (i + 1.0);
        }
    return n;
}

/* Returns the number of men of one side other than the king. */
static unsigned others(const struct bk_variant *v, const uint8_t count[BK_TYPES_MAX])
{
    unsigned n = 0;

    for (unsigned t = 0; t < v->ntypes; t++)
        n += t != v->royal ? count[t] : 0;
    return n;
}

bool random_material(const struct bk_variant *v, uint64_t *seed, unsigned men_max,
                     uint64_t placements_max, uint8_t count[2][BK_TYPES_MAX])
{
    /* Two kings alone are dull: only if nothing else is allowed. */
    unsigned men = men_max < 3 ? 2 : 3 + random_below(seed, men_max - 2);
    /* Where a bare king ends the game, a material with one is decided everywhere. */
    bool lively = v->bare != BK_BARE_NOTHING && !random_once_in(seed, 8);

    if (lively && men == 3 && men_max > 3)
        men = 4;

    for (unsigned tries = 0; tries < 200; tries++) {
        double n;

        if (tries % 20 == 19 && men > (lively && tries < 100 ? 4u : 2u))
            men--;
        memset(count, 0, 2 * BK_TYPES_MAX);
        count[BK_WHITE][v->royal] = count[BK_BLACK][v->royal] = 1;
        for (unsigned i = 2, spins = 0; i < men && spins < 100; spins++) {
            unsigned c = random_below(seed, 2), t = random_below(seed, v->ntypes);

            if (t != v->royal && count[c][t] < men_of_type(v, t)) {
                count[c][t]++;
                i++;
            }
        }
        if (lively && tries < 100 && (!others(v, count[0]) || !others(v, count[1])))
            continue;
        n = placements(v, (const uint8_t(*)[BK_TYPES_MAX])count);
        if (n >= 1 && n <= (double)placements_max)
            return true;
    }
    return false;
}

void random_nmove(struct bk_variant *v, uint64_t *seed)
{
    struct bk_complaint c;

    v->nmove = (struct bk_nmove){ .plies = (uint16_t)(2 * (1 + random_below(seed, 10))) };
    v->nmove.irreversible = random_once_in(seed, 3);
    if (v->nmove.irreversible && bk_zeroing_check(v, &c))
        return;
    v->nmove.irreversible = false;
    for (unsigned type = 0; type < v->ntypes; type++)
        if (type != v->royal && !bk_man_comes_back(v, type, BK_WHITE) &&
            !bk_man_comes_back(v, type, BK_BLACK) && !random_once_in(seed, 3))
            v->nmove.kinds |= UINT32_C(1) << type;
}
