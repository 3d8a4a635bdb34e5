/*
 * fairy_pawn.c - see fairy_pawn.h.
 *
 * Idea: our rules say where pawns do something by ranks from the own side, alike for both colours;
 * whatever the keys say otherwise is refused.
 */
#include "core/fairy_pawn.h"

#include <stdio.h>
#include <string.h>

#include "core/fairy_men.h"
#include "core/letter.h"
#include "core/rules.h"

/* == Ranks == */

/* Refuses a rank number that stands in an earlier section than maxRank: the program counts Black's
   ranks on the board of the number's own section. */
static bool counted_on_this_board(struct bk_fairy_game *f, const char *name)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, name),
                                *ranks = bk_fairy_get(&f->in, "maxRank");

    return !e || !ranks || ranks->level <= e->level ||
           BK_WRONG(f, e, 0, "a later section has 'maxRank': say this key there, too");
}

/* == Promotion == */

/* Reads the ranks on which a pawn promotes. */
static bool read_zone(struct bk_fairy_game *f, uint16_t *zone)
{
    unsigned rank;

    if (!bk_fairy_comes_first(f, "promotionRegionWhite", "promotionRank"))
        return false;
    if (bk_fairy_get(&f->in, "promotionRegionWhite") ||
        bk_fairy_get(&f->in, "promotionRegionBlack"))
        return bk_fairy_get_ranks(f, "promotionRegionWhite", "promotionRegionBlack", zone);
    if (!bk_fairy_get(&f->in, "promotionRank") && f->v->ranks != 8)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                              "[%s]: on %u ranks, key 'promotionRank' must be there", f->v->name,
                              f->v->ranks);
    if (!counted_on_this_board(f, "promotionRank") ||
        !bk_fairy_get_number(f, "promotionRank", 1, f->v->ranks, 8, &rank))
        return false;
    *zone = (uint16_t)(bk_all_ranks(f->v) & ~0u << (rank - 1));
    return true;
}

/* Reads "q:1 r:2": men become a `q` only while there are fewer than 1; *limited: these types. */
static bool read_limits(struct bk_fairy_game *f, uint32_t *limited)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "promotionLimit");

    *limited = 0;
    if (e && e->again)
        return BK_WRONG(f, e, 0, "inherited limits stay beside these: say all in one section");
    for (const char *s = e ? e->value : ""; *s;) {
        int type = bk_is_letter(*s) ? bk_variant_type(f->v, *s) : -1, used = 0;
        unsigned n = 0;

        if (type < 0 || sscanf(s + 1, " : %3u%n", &n, &used) != 1 || n > 200)
            return BK_WRONG(f, e, s - e->value, "expected a piece's letter, `:`, a number");
        if (!bk_fairy_means_the_same(f, e, (unsigned)(s - e->value)))
            return false;
        if (n > f->v->nsq)
            return BK_WRONG(f, e, s - e->value, "%u men on %u squares", n, f->v->nsq);
        if (n && n < f->v->piece[type].army) /* the army is how many there may be, too */
            return BK_WRONG(f, e, s - e->value, "there are %u of them in startFen",
                            f->v->piece[type].army);
        if (n) { /* 0: without limit */
            *limited |= UINT32_C(1) << type;
            f->v->piece[type].army = (uint8_t)n;
        }
        s += 1 + used;
        s += strspn(s, " ");
    }
    return true;
}

static void add_become(struct bk_piece *p, uint16_t ranks, uint32_t to, bool must, bool lost)
{
    struct bk_become *b = &p->become[p->nbecomes];

    if (!to || !ranks)
        return;
    *b = (struct bk_become){ .ranks = ranks, .must = must, .lost_only = lost };
    for (unsigned type = 0; type < BK_TYPES_MAX; type++)
        if (to >> type & 1)
            b->to[b->nto++] = (uint8_t)type;
    p->nbecomes++;
}

static bool read_promotion(struct bk_fairy_game *f, struct bk_piece *p)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "promotionPieceTypes");
    uint32_t to, limited;
    uint16_t zone = 0;
    bool must;

    if (!e)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                              "[%s]: key 'promotionPieceTypes' must be there", f->v->name);
    if (!bk_fairy_get_types(f, e, &to) || !read_zone(f, &zone) || !read_limits(f, &limited) ||
        !bk_fairy_get_bool(f, "mandatoryPawnPromotion", true, &must))
        return false;
    if (to >> f->v->royal & 1)
        return BK_WRONG(f, e, 0, "nothing becomes the royal piece");
    add_become(p, zone, to & ~limited, must, false);
    add_become(p, zone, to & limited, must, true);
    if (must)
        p->ranks &= (uint16_t)~zone; /* no promotion on offer: no move there */
    return true;
}

/* == Double steps == */

/* Refuses doubleStepRankMin beside doubleStepRank, unless it is 2, the default, in the same
   section: newer versions of the program read it only without the other. */
static bool least_rank_is_read(struct bk_fairy_game *f, unsigned low)
{
    const struct bk_fairy_entry *most = bk_fairy_get(&f->in, "doubleStepRank"),
                                *least = bk_fairy_get(&f->in, "doubleStepRankMin");

    return !most || !least || (low == 2 && most->level == least->level) ||
           BK_WRONG(f, least, 0,
                    "newer versions pass it over beside 'doubleStepRank'; say regions instead");
}

/* Refuses an inherited doubleStep that is said again without its ranks: where a section has no
   double step, the program forgets the ranks for the sections that inherit from it. */
static bool ranks_are_not_forgotten(struct bk_fairy_game *f)
{
    const struct bk_fairy_entry *on = bk_fairy_get(&f->in, "doubleStep"),
                                *from = bk_fairy_get(&f->in, "doubleStepRegionWhite");

    if (!from)
        from = bk_fairy_get(&f->in, "doubleStepRank");
    return !on || !on->again || (from && from->level == on->level) ||
           BK_WRONG(f, on, 0, "say from which ranks in the same section, too");
}

/* Reads the ranks from which pawns go two squares; 0: none. */
static bool read_double(struct bk_fairy_game *f, uint16_t *out)
{
    unsigned low, high;
    bool on;

    *out = 0;
    if (!bk_fairy_get_bool(f, "doubleStep", true, &on) ||
        !bk_fairy_get_number(f, "doubleStepRank", 1, f->v->ranks, 2, &high) ||
        !bk_fairy_get_number(f, "doubleStepRankMin", 1, f->v->ranks, 2, &low))
        return false;
    if (!on)
        return true;
    if (!counted_on_this_board(f, "doubleStepRank") ||
        !counted_on_this_board(f, "doubleStepRankMin") || !ranks_are_not_forgotten(f) ||
        !bk_fairy_comes_first(f, "doubleStepRegionWhite", "doubleStepRank") ||
        !bk_fairy_comes_first(f, "doubleStepRegionWhite", "doubleStepRankMin"))
        return false;
    if (bk_fairy_get(&f->in, "doubleStepRegionWhite") ||
        bk_fairy_get(&f->in, "doubleStepRegionBlack"))
        return bk_fairy_get_ranks(f, "doubleStepRegionWhite", "doubleStepRegionBlack", out);
    if (!bk_fairy_get(&f->in, "doubleStepRank") && f->v->ranks != 8)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                              "[%s]: on %u ranks, key 'doubleStepRank' must be "
                              "there, or 'doubleStep = false'",
                              f->v->name, f->v->ranks);
    for (unsigned rank = low; rank <= high; rank++)
        *out |= (uint16_t)(1u << (rank - 1));
    return least_rank_is_read(f, low);
}

/* == En passant == */

/* Reads whether there is en passant: on all squares that a double step passes, or on none. */
static bool read_en_passant(struct bk_fairy_game *f, uint16_t from)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "enPassantRegion");
    const struct bk_variant *v = f->v;
    struct bk_bits squares;
    unsigned in = 0, out = 0;

    f->v->en_passant = from;
    if (!e || !from)
        return true;
    if (!bk_fairy_get_region(f, e, &squares))
        return false;
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (from << 1 >> bk_own_rank(v, sq, colour) & 1)
                *(bk_bits_has(&squares, sq) ? &in : &out) += 1;
    f->v->en_passant = in;
    return !in || !out ||
           BK_WRONG(f, e, 0,
                    "only all squares that a double step passes, or none, "
                    "can be expressed");
}

/* Can a double step pass a square on which the pawn that captures en passant there promotes? */
static bool takes_in_passing_in_its_zone(const struct bk_variant *v, const struct bk_piece *p)
{
    for (unsigned rank = 0; rank + 2 < v->ranks; rank++)
        for (unsigned i = 0; i < p->nbecomes; i++)
            if (p->double_ranks >> rank & 1 && p->become[i].ranks >> (v->ranks - 2 - rank) & 1)
                return true;
    return false;
}

/* == The whole == */

/* The first rank, seen from its own side, on which a pawn stands in the array. */
static unsigned first_pawn_rank(const struct bk_fairy_game *f, char letter)
{
    const struct bk_variant *v = f->v;
    unsigned first = BK_RANKS_MAX;

    for (unsigned sq = 0; sq < v->nsq; sq++) {
        char c = f->cell[sq / v->files][sq % v->files];
        unsigned rank = bk_own_rank(v, sq, c >= 'a' ? BK_BLACK : BK_WHITE);

        if (bk_upper(c) == letter && rank < first)
            first = rank;
    }
    return first < BK_RANKS_MAX ? first : 1;
}

bool bk_fairy_read_pawn(struct bk_fairy_game *f)
{
    int type = bk_fairy_piece_named(f->v, "pawn");
    struct bk_piece *p = type >= 0 ? &f->v->piece[type] : NULL;
    uint16_t from = 0;

    if (!p)
        return true;
    p->ranks &= (uint16_t)(~0u << first_pawn_rank(f, p->letter)); /* it never goes back */
    if (!read_promotion(f, p) || !read_double(f, &from) || !read_en_passant(f, from))
        return false;
    p->double_ranks = from & p->ranks;
    for (unsigned i = 0; i < p->nbecomes; i++)
        if (p->double_ranks << 2 & p->become[i].ranks)
            return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                                  "[%s]: key 'doubleStep': a double step into the "
                                  "promotion zone cannot be expressed",
                                  f->v->name);
    f->v->en_passant &= p->double_ranks != 0;
    return !f->v->en_passant || !takes_in_passing_in_its_zone(f->v, p) ||
           bk_fairy_fault(
               &f->in, f->in.wanted->line, 0,
               "[%s]: key 'enPassantRegion': a man who takes in passing does not promote "
               "there; say `-`",
               f->v->name);
}
