/*
 * fairy_men.c - see fairy_men.h.
 *
 * Idea: our own reader of Betza's notation (betza.h) reads a move.  What "the program",
 * Fairy-Stockfish, would take otherwise is refused: some texts before, some moves after.
 */
#include "core/fairy_men.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/betza.h"
#include "core/letter.h"
#include "core/rules.h"

/* == Betza's notation == */

/* The atom that a `p` is for, or the end of the text. */
static const char *hopping_atom(const char *p) { return p + 1 + strspn(p + 1, "mcfblrvsp"); }

/* Before K and Q the program takes `fl` for a pair on the orthogonals, too, where we add letters
 * up. */
static bool pairs_on_both(const char *s)
{
    const char *atom = s + strspn(s, "mcfblrvsp");
    const char *of = strchr("fb", s[0]) ? "lr" : "fb";

    return strchr("fblr", s[0]) && s[1] && strchr(of, s[1]) && *atom && strchr("KQ", *atom);
}

/* Has each step its mirror image, left for right?  For Black the program turns a move by 180
   degrees, and we mirror its ranks: only then the two are the same. */
static bool left_as_right(const struct bk_movement *m)
{
    for (unsigned i = 0; i < m->nsteps; i++) {
        const struct bk_step *s = &m->step[i];
        unsigned j = 0;

        while (j < m->nsteps && (m->step[j].df != -s->df || m->step[j].dr != s->dr ||
                                 m->step[j].range != s->range || m->step[j].how != s->how))
            j++;
        if (j == m->nsteps)
            return false;
    }
    return true;
}

/* == Riders ==
 *
 * The program knows riders by their lines: files, ranks, diagonals, and those of the knight.  For
 * each line it keeps one way of going along it to move and one to capture; other riders it forgets.
 */

static bool rides(const struct bk_step *s) { return s->range != 1 && !(s->how & BK_HOPS); }

static bool along_a_known_line(const struct bk_step *s)
{
    int x = abs(s->df), y = abs(s->dr);

    return x + y == 1 || (x == 1 && y == 1) || (x && y && x + y == 3);
}

static bool on_one_line(const struct bk_step *s, const struct bk_step *t)
{
    return (s->df == 0) == (t->df == 0) && (s->dr == 0) == (t->dr == 0);
}

/* Has `m` unlimited steps in the direction of `way`, hopping if `hops`, for all purposes `why`? */
static bool goes(const struct bk_movement *m, const struct bk_step *way, bool hops, unsigned why)
{
    for (unsigned i = 0; i < m->nsteps; i++) {
        const struct bk_step *s = &m->step[i];

        if (s->df == way->df && s->dr == way->dr && !s->range && !(s->how & BK_HOPS) == !hops)
            why &= ~(unsigned)s->how;
    }
    return !why;
}

/* Does the program keep steps s and t apart?  A rider and a hopper of one line only if both go all
   of it. */
static bool told_apart(const struct bk_movement *m, const struct bk_step *s,
                       const struct bk_step *t)
{
    unsigned both = s->how & t->how & (BK_QUIET | BK_TAKES);

    if (!both || !rides(s))
        return true;
    if (rides(t))
        return s->df != t->df || s->dr != t->dr || s->range == t->range;
    return !(t->how & BK_HOPS) || !on_one_line(s, t) ||
           (goes(m, s, false, both) && goes(m, s, true, both) && goes(m, t, false, both));
}

/* What is wrong with the riders of a man, or NULL. */
static const char *wrong_rider(const struct bk_movement *m)
{
    for (unsigned i = 0; i < m->nsteps; i++) {
        if (rides(&m->step[i]) && !along_a_known_line(&m->step[i]))
            return "only W, F and N can ride";
        for (unsigned j = 0; j < m->nsteps; j++)
            if (!told_apart(m, &m->step[i], &m->step[j]))
                return "riders and hoppers of one line and purpose must go equally far, all ways";
    }
    return NULL;
}

/* == The move of a man == */

/* Where the program's Betza and ours differ the text is refused. */
static bool read_betza(struct bk_fairy_game *f, const struct bk_fairy_entry *e, const char *text,
                       struct bk_movement *m)
{
    struct bk_report why;
    const char *rider;
    size_t at = 0;

    m->steps_max = 1;
    for (const char *s = text; *s; s++)
        if (*s == 'p' && (!*hopping_atom(s) || !strchr("RBQ", *hopping_atom(s))))
            return BK_WRONG(f, e, s - e->value, "`p` is for R, B and Q only");
        else if (*s == 'p' && bk_is_digit(hopping_atom(s)[1]))
            return BK_WRONG(f, e, s - e->value, "a hop with a range is told in two ways");
        else if (bk_is_digit(s[0]) && bk_is_digit(s[1]))
            return BK_WRONG(f, e, s - e->value, "a range has one digit");
        else if (*s == '1' || *s == '(') /* W1 is a rider there, and brackets are passed over */
            return BK_WRONG(f, e, s - e->value, "`%c` is read otherwise, or not at all", *s);
        else if (pairs_on_both(s))
            return BK_WRONG(f, e, s - e->value, "`%.2s` before K or Q is told in two ways", s);
    if (bk_betza_read(m, text, &at, &why))
        return BK_WRONG(f, e, text == e->value + 2 ? 2 + at : 0, "%s", why.text);
    rider = wrong_rider(m);
    if (rider)
        return BK_WRONG(f, e, text - e->value, "%s", rider);
    return left_as_right(m) ||
           BK_WRONG(f, e, text - e->value,
                    "left and right must be alike: a Black man is turned there, "
                    "and mirrored here");
}

/* == Men == */

/* "k", "x:Betza", "-" (no such piece) */
static bool read_piece(struct bk_fairy_game *f, const struct bk_fairy_entry *e)
{
    struct bk_variant *v = f->v;
    struct bk_piece *p = &v->piece[v->ntypes];
    bool own_move = e->key->kind == BK_FAIRY_CUSTOM || !strcmp(e->name, "king");
    const char *move = e->key->text;

    if (!strcmp(e->value, "-"))
        return true;
    if (e->key->kind == BK_FAIRY_CANNOT_BE)
        return BK_WRONG(f, e, 0, "%s", e->key->text);
    if (!bk_is_letter(e->value[0]))
        return BK_WRONG(f, e, 0, "expected a letter%s", own_move ? ", `:` and a move" : "");
    if (own_move && e->value[1] == ':')
        move = e->value + 2;
    else if (e->value[1] || !move)
        return BK_WRONG(f, e, 1, move ? "expected one letter" : "expected `:` and a move");
    if (v->ntypes == BK_TYPES_MAX)
        return BK_WRONG(f, e, 0, "more than %d pieces", BK_TYPES_MAX);
    if (bk_variant_type(v, e->value[0]) >= 0)
        return BK_WRONG(f, e, 0, "letter %c is taken by '%s'", bk_upper(e->value[0]),
                        v->piece[bk_variant_type(v, e->value[0])].name);
    p->letter = bk_upper(e->value[0]);
    snprintf(p->name, sizeof p->name, "%s", e->name);
    p->ranks = bk_all_ranks(v);
    v->ntypes++;
    return read_betza(f, e, move, &p->move);
}

int bk_fairy_piece_named(const struct bk_variant *v, const char *name)
{
    for (int i = 0; i < v->ntypes; i++)
        if (!strcmp(v->piece[i].name, name))
            return i;
    return -1;
}

/* A soldier that goes sideways only from some rank on. */
static bool read_soldier(struct bk_fairy_game *f)
{
    int type = bk_fairy_piece_named(f->v, "soldier");
    struct bk_piece *p = type >= 0 ? &f->v->piece[type] : NULL;
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "soldierPromotionRank");
    unsigned rank;

    if (!bk_fairy_get_number(f, "soldierPromotionRank", 1, f->v->ranks, 1, &rank))
        return false;
    if (!p || rank == 1)
        return true;
    p->zone = p->move;
    p->zone_ranks = (uint16_t)(p->ranks & ~0u << (rank - 1));
    return read_betza(f, e, "fW", &p->move);
}

bool bk_fairy_read_pieces(struct bk_fairy_game *f)
{
    for (unsigned i = 0; i < f->in.nentries; i++)
        if (f->in.entry[i].key->kind <= BK_FAIRY_CUSTOM && !read_piece(f, &f->in.entry[i]))
            return false;
    return read_soldier(f);
}

bool bk_fairy_read_royal(struct bk_fairy_game *f)
{
    struct bk_variant *v = f->v;
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "kingType"),
                                *types = bk_fairy_get(&f->in, "extinctionPieceTypes");
    int royal = bk_fairy_piece_named(v, "king"), like;
    uint32_t one = 0;
    bool pseudo;

    if (!bk_fairy_get_bool(f, "extinctionPseudoRoyal", false, &pseudo))
        return false;
    if (pseudo && royal >= 0)
        return BK_WRONG(f, bk_fairy_get(&f->in, "extinctionPseudoRoyal"), 0,
                        "a second royal piece");
    if (pseudo) {
        if (!types || !strcmp(types->value, "*") || !bk_fairy_get_types(f, types, &one) || !one ||
            one & (one - 1))
            return f->in.err
                       ? false
                       : BK_WRONG(f, types ? types : bk_fairy_get(&f->in, "extinctionPseudoRoyal"),
                                  0, "one kind of man must be royal");
        royal = __builtin_ctz(one);
    }
    if (royal < 0)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0, "[%s]: there is no king", v->name);
    if (e) {
        like = *e->value && !e->value[1] ? bk_variant_type(v, *e->value) : -1;
        if (like < 0)
            return BK_WRONG(f, e, 0, "no piece has the letter `%s`", e->value);
        v->piece[royal].move = v->piece[like].move;
    }
    v->piece[royal].royal = true;
    v->royal = (uint8_t)royal;
    return true;
}
