/*
 * setup.c - Betza's notation from the geometry.
 *
 * The geometry has every move that a man may make from any square, zones and double steps with
 * it.  All of them together, as leaps (df, dr) and whether they move or take, are written out
 * again: so what XBoard is told is never less than the rules, and often more; the engine looks at
 * each move itself, and marks what is legal (`highlight`).
 *
 * Where XBoard is told more than the rules, it must not look for checks: it would see some that are
 * none, refuse all moves that do not answer them, and call mates.  It looks for none where no
 * letter stands in its king's place of `setup`; so our king then takes another place.  Rejected: no
 * `piece` lines for such games; men that XBoard has not been told of move as those of its own in
 * their places.
 */
#include "engine/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/geometry.h"
#include "core/rules.h"
#include "engine/say.h"

/* == Games =============================================================== */

bool be_xboard_bares(const struct be_game *g) { return !strcmp(g->base->name, "shatranj"); }

bool be_xboard_knows(const struct be_game *g)
{
    return !strcmp(g->base->name, "chess") || be_xboard_bares(g);
}

/* == Leaps =============================================================== */

#define FAR       13 /* a leap's largest coordinate */
#define BETZA_MAX 128

enum { SLIDES = 4, HOPPING = 8 }; /* beside BK_QUIET and BK_TAKES */

struct leaps {
    uint8_t how[2 * FAR + 1][2 * FAR + 1]; /* [FAR + df][FAR + dr] */
};

static unsigned at(const struct leaps *l, int df, int dr)
{
    return abs(df) > FAR || abs(dr) > FAR ? 0 : l->how[FAR + df][FAR + dr];
}

static unsigned how_of(const struct bk_reach *r)
{
    unsigned how = r->how & BK_TWICE ? BK_QUIET | BK_TAKES : r->how & (BK_QUIET | BK_TAKES);

    return how | (r->how & BK_HOPS ? HOPPING : 0u) | (r->npaths ? SLIDES : 0u);
}

static void collect_from(struct leaps *l, const struct bk_variant *v, unsigned type, unsigned sq)
{
    unsigned n;
    const struct bk_reach *r = bk_reach_from(v, type, BK_WHITE, sq, &n);

    for (unsigned i = 0; i < n; i++) {
        int df = (int)(r[i].to % v->files) - (int)(sq % v->files);
        int dr = (int)(r[i].to / v->files) - (int)(sq / v->files);

        l->how[FAR + df][FAR + dr] |= (uint8_t)how_of(&r[i]);
    }
}

/* Makes left and right alike: Black's left is XBoard's right. */
static void mirror(struct leaps *l)
{
    for (int df = 1; df <= FAR; df++)
        for (int dr = -FAR; dr <= FAR; dr++) {
            uint8_t how = l->how[FAR + df][FAR + dr] | l->how[FAR - df][FAR + dr];

            l->how[FAR + df][FAR + dr] = l->how[FAR - df][FAR + dr] = how;
        }
}

/* Can a man on `sq` do all that he does elsewhere, as far as it stays on the board?  Slides, which
   may end at a hole, and the double step do not count. */
static bool same_from(const struct leaps *all, const struct bk_variant *v, unsigned type,
                      unsigned sq)
{
    struct leaps here = { .how = { { 0 } } };

    collect_from(&here, v, type, sq);
    for (unsigned to = 0; to < v->nsq; to++) {
        int df = (int)(to % v->files) - (int)(sq % v->files);
        int dr = (int)(to / v->files) - (int)(sq / v->files);
        unsigned how = at(all, df, dr);

        if (bk_bits_has(&v->board, to) && !(how & SLIDES) && at(&here, df, dr) != how)
            return false;
    }
    return true;
}

/* Sets *l to all leaps of the type.  Returns whether it has them wherever it stands. */
static bool collect(struct leaps *l, const struct bk_variant *v, unsigned type)
{
    memset(l, 0, sizeof *l);
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (bk_bits_has(&v->board, sq) && bk_rules_may_stand(v, type, BK_WHITE, sq))
            collect_from(l, v, type, sq);
    mirror(l);
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (bk_bits_has(&v->board, sq) && bk_rules_may_stand(v, type, BK_WHITE, sq) &&
            !same_from(l, v, type, sq))
            return false;
    return true;
}

/* == Directions ========================================================== */

/* The directions of an atom (a, b): forward first; with the letters that pick one. */
struct direction {
    int df, dr;
    const char *letter;
};
static const struct direction straight[4] = {
    { 0, 1, "f" }, { 0, -1, "b" }, { 1, 0, "r" }, { -1, 0, "l" }
};
static const struct direction aslant[4] = {
    { 1, 1, "fr" }, { -1, 1, "fl" }, { 1, -1, "br" }, { -1, -1, "bl" }
};

struct writing {
    char *out;
    size_t n;
    bool failed;
};

static void put(struct writing *w, const char *text)
{
    if (w->n + strlen(text) >= BETZA_MAX) {
        w->failed = true;
        return;
    }
    strcpy(w->out + w->n, text);
    w->n += strlen(text);
}

/* Writes one atom for those of its four directions that `mask` has, and one mode. */
static void put_atom(struct writing *w, const struct direction *d, unsigned mask, const char *mode,
                     const char *atom)
{
    if (!mask)
        return;
    put(w, mode);
    if (mask != 15) {
        bool forward = d == aslant && (mask & 3) == 3, backward = d == aslant && (mask & 12) == 12;

        if (forward)
            put(w, "f");
        if (backward)
            put(w, "b");
        for (unsigned i = 0; i < 4; i++)
            if (mask >> i & 1 && !(i < 2 ? forward : backward))
                put(w, d[i].letter);
    }
    put(w, atom);
}

/* The mask of the directions in which the leap of `times` unit steps has all modes of `how`. */
static unsigned mask_of(const struct leaps *l, const struct direction *d, int times, unsigned how)
{
    unsigned mask = 0;

    for (unsigned i = 0; i < 4; i++)
        if ((at(l, d[i].df * times, d[i].dr * times) & how) == how)
            mask |= 1u << i;
    return mask;
}

static void clear(struct leaps *l, const struct direction *d, int times)
{
    for (unsigned i = 0; i < 4; i++)
        if (abs(d[i].df * times) <= FAR && abs(d[i].dr * times) <= FAR)
            l->how[FAR + d[i].df * times][FAR + d[i].dr * times] = 0;
}

/* Writes the atom of `times` unit steps, and clears it: for directions that move and take, then for
   those that do one of them. */
static void put_leap(struct writing *w, struct leaps *l, const struct direction *d, int times,
                     const char *atom)
{
    unsigned quiet = mask_of(l, d, times, BK_QUIET), takes = mask_of(l, d, times, BK_TAKES);

    put_atom(w, d, quiet & takes, "", atom);
    put_atom(w, d, quiet & ~takes, "m", atom);
    put_atom(w, d, takes & ~quiet, "c", atom);
    clear(l, d, times);
}

/* Writes a rider's atom, and clears its leaps, if the type slides `board` - 1 squares, three or
   more, in all four directions, as no leaper does.  It may take over a screen.  False: no rider. */
static bool put_rider(struct writing *w, struct leaps *l, const struct direction *d, int board,
                      const char *atom)
{
    int far = board - 1 < FAR ? board - 1 : FAR;
    bool hops = false;

    if (far < 3 || mask_of(l, d, far, SLIDES) != 15)
        return false;
    for (int times = 1; times <= FAR; times++) { /* further one way than the other, too */
        hops |= mask_of(l, d, times, HOPPING) != 0;
        clear(l, d, times);
    }
    put(w, hops ? "m" : "");
    put(w, atom);
    if (hops) {
        put(w, "cp");
        put(w, atom);
    }
    return true;
}

/* Writes the leap (a, b), which moves and takes in all its directions, if the type has any of it.
   False: it has not all, so that says too much. */
static bool put_oblique(struct writing *w, struct leaps *l, int a, int b, const char *atom)
{
    unsigned any = 0, all = BK_QUIET | BK_TAKES;

    for (int df = -a; df <= a; df++)
        for (int dr = -a; dr <= a; dr++)
            if ((abs(df) == a && abs(dr) == b) || (abs(df) == b && abs(dr) == a)) {
                any |= at(l, df, dr);
                all &= at(l, df, dr);
                l->how[FAR + df][FAR + dr] = 0;
            }
    if (any)
        put(w, atom);
    return !any || all == (BK_QUIET | BK_TAKES);
}

/* Writes the double step, two squares forward over an empty one, and how it is answered.  False:
   the type has none. */
static bool put_double(struct writing *w, struct leaps *l, const struct bk_variant *v,
                       unsigned type)
{
    if (!bk_rules_doubles(v, type) || at(l, 0, 2) != (BK_QUIET | SLIDES))
        return false;
    l->how[FAR][FAR + 2] = 0;
    put(w, bk_rules_en_passant(v) ? "ifmnDfceF" : "ifmnD");
    return true;
}

/* Is a leap with a mode of `how` not yet written? */
static bool any_left(const struct leaps *l, unsigned how)
{
    for (unsigned i = 0; i < sizeof l->how; i++)
        if (((const uint8_t *)l->how)[i] & how)
            return true;
    return false;
}

/* Writes all moves that White's man of this type may ever have, in XBoard's Betza.  False: it
   cannot be said.  *exact: he may always make all of them. */
static bool betza_write(const struct bk_variant *v, unsigned type, char out[BETZA_MAX], bool *exact)
{
    struct writing w = { .out = out };
    struct leaps l;
    int board = v->files < v->ranks ? v->files : v->ranks;

    out[0] = 0;
    *exact = collect(&l, v, type);
    put_double(&w, &l, v, type);
    put_rider(&w, &l, straight, board, "R");
    put_rider(&w, &l, aslant, board, "B");
    *exact &= !any_left(&l, SLIDES | HOPPING); /* these can be blocked, which no atom below says */
    put_leap(&w, &l, straight, 1, "W");
    put_leap(&w, &l, aslant, 1, "F");
    put_leap(&w, &l, straight, 2, "D");
    put_leap(&w, &l, aslant, 2, "A");
    *exact &= put_oblique(&w, &l, 2, 1, "N");
    put_leap(&w, &l, straight, 3, "H");
    put_leap(&w, &l, aslant, 3, "G");
    *exact &= put_oblique(&w, &l, 3, 1, "C");
    *exact &= put_oblique(&w, &l, 3, 2, "Z");
    /* twice as far as an atom, whatever stands between */
    *exact &= put_oblique(&w, &l, 4, 0, "mpafD");
    *exact &= put_oblique(&w, &l, 4, 2, "mpafsD");
    *exact &= put_oblique(&w, &l, 4, 4, "mpafA");
    return w.n && !w.failed && !any_left(&l, BK_QUIET | BK_TAKES);
}

/* == The lines =========================================================== */

/* XBoard's pictures, in the order of the letters of a setup. */
static const char pictures[] = "PNBRQFEACWMOHIJGDVLSUK";
#define PICTURES (sizeof pictures - 1)
enum { CROWN = PICTURES - 1, MAN = 10 }; /* places: its king, a man who moves alike */

/* May the type change before the last rank?  XBoard's own pawn changes there and nowhere else; such
   a man is none, and gets another picture. */
static bool changes_early(const struct bk_variant *v, unsigned type)
{
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (bk_own_rank(v, sq, BK_WHITE) + 1u < v->ranks &&
            bk_rules_may_change(v, type, BK_WHITE, sq))
            return true;
    return false;
}

/* Writes letters by picture: each type gets the picture of its letter, else a free one; the king
   that of `throne`. */
static void write_letters(const struct bk_variant *v, unsigned throne, char out[PICTURES + 1])
{
    memset(out, '.', PICTURES);
    out[PICTURES] = 0;
    out[throne] = v->piece[v->royal].letter;
    for (unsigned type = 0; type < v->ntypes; type++) {
        const char *same = strchr(pictures, v->piece[type].letter);

        if (type != v->royal && same && !(*same == 'P' && changes_early(v, type)) &&
            out[same - pictures] == '.')
            out[same - pictures] = v->piece[type].letter;
    }
    for (unsigned type = 0; type < v->ntypes; type++) {
        char *place = strchr(out + 5, '.'); /* behind those of chess */

        if (place && !strchr(out, v->piece[type].letter))
            *place = v->piece[type].letter;
    }
}

/* How the `piece` lines describe the men.  All or nobody: a man without a line would not be let
   move as he does. */
enum said { NOBODY, ROUGHLY, EXACTLY };

static enum said can_say(const struct bk_variant *v)
{
    char betza[BETZA_MAX];
    bool all = true, exact;

    for (unsigned type = 0; type < v->ntypes; type++) {
        if (!betza_write(v, type, betza, &exact))
            return NOBODY;
        all &= exact;
    }
    return all ? EXACTLY : ROUGHLY;
}

static void say_pieces(const struct bk_variant *v, bool throned)
{
    char betza[BETZA_MAX];
    bool exact;

    for (unsigned type = 0; type < v->ntypes; type++) {
        betza_write(v, type, betza, &exact);
        if (type == v->royal && throned && (bk_rules_castles(v) || !strcmp(betza, "WF")))
            continue; /* XBoard knows the usual king */
        if (!(bk_rules_castles(v) && bk_rules_doubles(v, type)))
            be_say("piece %c& %s", v->piece[type].letter, betza);
    }
}

void be_setup_say(const struct be_game *g)
{
    const struct bk_variant *v = g->v;
    char letters[PICTURES + 1], black[PICTURES + 1], fen[BK_FEN_MAX];
    enum said said = can_say(v);
    bool throned = said != ROUGHLY || bk_rules_castles(v);

    if (be_xboard_knows(g))
        return;
    write_letters(v, throned ? CROWN : MAN, letters);
    for (size_t i = 0; i <= PICTURES; i++)
        black[i] = letters[i] >= 'A' && letters[i] <= 'Z' ? (char)(letters[i] + 32) : letters[i];
    be_say("setup (%s%s) %ux%u+0_%s %s", letters, black, (unsigned)v->files, (unsigned)v->ranks,
           bk_rules_castles(v) ? "capablanca" : "fairy", be_game_start(g, fen));
    if (said != NOBODY)
        say_pieces(v, throned);
}
