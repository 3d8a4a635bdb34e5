/*
 * deal.c - see deal.h.
 *
 * Idea: the men of the first rank, holes and gaps aside, are put into any order (Fisher and Yates);
 * what the game does not allow is dealt anew.  So all that are allowed are equally likely.
 */
#include "core/deal.h"

#include <stdio.h>
#include <string.h>

#include "core/attack.h"
#include "core/chance.h"
#include "core/derive.h"
#include "core/letter.h"
#include "core/rules.h"

#define TRIES 100000 /* of Sultan Random one deal in 30 is allowed */

/* An array: White's first rank, Black's, and what stands between and behind. */
struct array {
    char white[BK_FILES_MAX + 1], black[BK_FILES_MAX + 1];
    const char *middle, *rest; /* from Black's `/` to White's; from behind the board */
    size_t nmiddle;
};

static unsigned below(uint64_t *seed, unsigned n)
{
    return (unsigned)(bk_chance_next(seed) % n); /* n is tiny beside 2^64 */
}

/* Cuts the first ranks out; false: they have gaps, or do not mirror each other. */
static bool cut(const struct bk_variant *v, const char *fen, struct array *a)
{
    size_t n = strcspn(fen, " "), top = strcspn(fen, "/"), bottom = n;

    while (bottom && fen[bottom - 1] != '/')
        bottom--;
    if (top != v->files || n - bottom != v->files)
        return false;
    memcpy(a->black, fen, v->files);
    memcpy(a->white, fen + bottom, v->files);
    a->black[v->files] = a->white[v->files] = '\0';
    a->middle = fen + top;
    a->nmiddle = bottom - top;
    a->rest = fen + n;
    for (unsigned i = 0; i < v->files; i++)
        if (!bk_is_letter(a->white[i]) || a->black[i] != bk_lower(a->white[i]))
            return false;
    return true;
}

/* Does the king stand between two rooks, where his castling needs it? */
static bool king_is_between(const struct bk_variant *v, const char *rank)
{
    const char *king = strchr(rank, v->piece[v->royal].letter);
    char rook = v->piece[v->castling.rook].letter;

    return king && memchr(rank, rook, (size_t)(king - rank)) && strchr(king, rook);
}

/* Do two of each kind that must be apart stand on squares of both colours? */
static bool stand_apart(const struct bk_variant *v, const char *rank)
{
    for (unsigned type = 0; type < v->ntypes; type++) {
        const char *one = strchr(rank, v->piece[type].letter);

        if (!(v->deal.apart >> type & 1))
            continue;
        if (!one || !strchr(one + 1, v->piece[type].letter) ||
            (strchr(one + 1, v->piece[type].letter) - one) % 2 == 0)
            return false;
    }
    return true;
}

static bool may_be_dealt(const struct bk_variant *v, const char *rank)
{
    return stand_apart(v, rank) && (!bk_rules_homes_told(v) || king_is_between(v, rank));
}

/* Puts the first ranks of `a` into an order that may be dealt; false: none was found. */
static bool shuffle(const struct bk_variant *v, struct array *a, uint64_t *seed)
{
    for (unsigned tried = 0; tried < TRIES; tried++) {
        for (unsigned i = v->files; i > 1; i--) {
            unsigned j = below(seed, i);
            char c = a->white[j];

            a->white[j] = a->white[i - 1];
            a->white[i - 1] = c;
        }
        if (!may_be_dealt(v, a->white))
            continue;
        for (unsigned i = 0; i < v->files; i++)
            a->black[i] = bk_lower(a->white[i]);
        return true;
    }
    return false;
}

/* Reads an array and writes it in the normal form; it must be a position of the game. */
static enum bk_err normalise(const struct bk_variant *v, const char *text, char fen[BK_FEN_MAX],
                             struct bk_report *why)
{
    struct bk_variant *derived = NULL;
    const struct bk_variant *of;
    struct bk_pos p;
    enum bk_err err = bk_variant_for_fen(&derived, v, text, why);

    of = derived ? derived : v;
    if (!err)
        err = bk_pos_from_fen(&p, of, text, why);
    if (!err && !bk_pos_legal(of, &p))
        err = bk_fail(why, BK_E_USAGE, "the side that is not to move is in check");
    for (unsigned type = 0; !err && type < v->ntypes; type++)
        for (unsigned c = 0; !err && c < 2; c++)
            if (bk_rules_army(v, type) && p.count[c][type] > bk_rules_army(v, type))
                err = bk_fail(why, BK_E_USAGE, "more men of [piece %s] than its army",
                              v->piece[type].name);
    if (!err)
        bk_pos_to_fen(&p, of, fen);
    bk_variant_free(derived);
    return err;
}

/* Deals the array number `which`. */
static enum bk_err deal(const struct bk_variant *v, unsigned which, uint64_t *seed,
                        char fen[BK_FEN_MAX], struct bk_report *why)
{
    const char *text = v->deal.array[which];
    struct bk_report inner = { "" };
    struct array a;
    char dealt[BK_FEN_MAX];
    enum bk_err err;

    if (v->deal.shuffle) {
        if (!cut(v, text, &a))
            return bk_fail(why, BK_E_USAGE,
                           "deal: the first ranks must be full, and White's and Black's alike");
        if (!shuffle(v, &a, seed))
            return bk_fail(why, BK_E_USAGE, "deal: no order of the first rank is allowed");
        snprintf(dealt, sizeof dealt, "%s%.*s%s%s", a.black, (int)a.nmiddle, a.middle, a.white,
                 a.rest);
        text = dealt;
    }
    err = normalise(v, text, fen, &inner);
    return err ? bk_fail(why, err, "deal: %s", inner.text) : BK_OK;
}

enum bk_err bk_deal_check(const struct bk_variant *v, struct bk_report *why)
{
    char fen[BK_FEN_MAX];
    enum bk_err err = BK_OK;
    uint64_t seed = 1;

    for (unsigned i = 0; !err && i < v->deal.n; i++)
        err = deal(v, i, &seed, fen, why);
    return err;
}

enum bk_err bk_deal(const struct bk_variant *v, uint64_t seed, char fen[BK_FEN_MAX],
                    struct bk_report *why)
{
    if (!v->deal.n)
        return bk_fail(why, BK_E_USAGE, "%s: no arrays are dealt in this game%s", v->name,
                       *v->start ? ", which begins from `startpos`" : "");
    return deal(v, below(&seed, v->deal.n), &seed, fen, why);
}
