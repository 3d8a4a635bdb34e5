/*
 * move_name.c - see move_name.h.
 *
 * A word that is read becomes squares and a man, which are compared with those of each legal move;
 * so whatever is written can be read, in every game.
 */
#include "core/move_name.h"

#include <string.h>

#include "core/letter.h"

/* Writes a square's name as bk_sq_name(), at most three characters and no zero; returns the end. */
static char *name_square(const struct bk_variant *v, unsigned sq, char *at)
{
    unsigned rank = sq / v->files + 1;

    *at++ = (char)('a' + sq % v->files);
    if (rank >= 10)
        *at++ = (char)('0' + rank / 10);
    *at++ = (char)('0' + rank % 10);
    return at;
}

/* The square that a move's name ends in. */
static unsigned named_to(const struct bk_move *m)
{
    return m->castles && m->tells ? m->also : m->to;
}

/* Without snprintf(), for speed: whole lists of ranked moves are named. */
char *bk_move_name(const struct bk_variant *v, const struct bk_move *m, char out[16])
{
    unsigned between = bk_move_between(m);
    char *at = name_square(v, m->from, out);

    if (between != BK_SQ_NONE)
        at = name_square(v, between, at);
    at = name_square(v, named_to(m), at);
    if (m->becomes != BK_STAYS) {
        *at++ = '=';
        *at++ = v->piece[m->becomes].letter;
    }
    *at = '\0';
    return out;
}

/* == Reading == */

/* What a word says. */
struct said {
    unsigned from, between, to; /* between: BK_SQ_NONE if it is not said */
    unsigned becomes;           /* BK_STAYS: not said */
    int wing;                   /* O-O-O 0, O-O 1; -1: it names squares */
};

/* A word that is read; its zero follows. */
struct word {
    const struct bk_variant *v;
    const char *s;
    unsigned first_rank;
    bool shouts; /* all in capitals: so are its files */
};

static unsigned square_read(struct word *w)
{
    unsigned file = bk_file_read(w->v, w->shouts ? bk_lower(*w->s) : *w->s), rank = 0;
    const char *s = w->s + 1;

    if (file == BK_SQ_NONE || !bk_is_digit(*s))
        return BK_SQ_NONE;
    for (; bk_is_digit(*s) && rank <= BK_RANKS_MAX; s++)
        rank = rank * 10 + (unsigned)(*s - '0');
    if (rank < w->first_rank || rank - w->first_rank >= w->v->ranks)
        return BK_SQ_NONE;
    w->s = s;
    return bk_sq(w->v, file, rank - w->first_rank);
}

/* Passes a mark before a square; `x` at the end is what a man becomes. */
static void mark_skip(struct word *w)
{
    if (*w->s && strchr("-x:,", *w->s) && bk_is_letter(w->s[1]) && bk_is_digit(w->s[2]))
        w->s++;
}

/* Reads the squares.  False: these are none. */
static bool squares_read(struct word *w, struct said *out)
{
    unsigned sq[4] = { BK_SQ_NONE, BK_SQ_NONE, BK_SQ_NONE, BK_SQ_NONE }, n = 0;

    while (n < 4 && (sq[n] = square_read(w)) != BK_SQ_NONE) {
        n++;
        mark_skip(w);
    }
    if (n < 2 || (n == 4 && sq[1] != sq[2]))
        return false;
    out->from = sq[0];
    out->between = n == 2 ? BK_SQ_NONE : sq[1];
    out->to = sq[n - 1];
    return true;
}

/* Reads "O-O", "ooo", "0-0": which wing; -1: it is none of these. */
static int wing_read(const char *s)
{
    unsigned n = 0;

    for (; *s && strchr("Oo0", *s) && n < 4; n++)
        s += 1 + (s[1] == '-' && s[2]);
    return *s || (n != 2 && n != 3) ? -1 : n == 2;
}

static bool word_read(struct word *w, struct said *out)
{
    int type;

    *out = (struct said){ .from = BK_SQ_NONE,
                          .between = BK_SQ_NONE,
                          .to = BK_SQ_NONE,
                          .becomes = BK_STAYS,
                          .wing = wing_read(w->s) };
    if (out->wing >= 0)
        return true;
    if (!squares_read(w, out))
        return false;
    w->s += *w->s == '=' && w->s[1];
    if (*w->s) {
        type = bk_is_letter(*w->s) ? bk_variant_type(w->v, *w->s) : -1;
        if (type < 0 || w->s[1])
            return false;
        out->becomes = (unsigned)type;
    }
    return true;
}

/* Does the word name this move's squares? */
static bool squares_fit(const struct bk_move *m, const struct said *s)
{
    if (s->wing >= 0)
        return m->castles && (m->also > m->from) == s->wing;
    return s->from == m->from && s->between == bk_move_between(m) &&
           (s->to == named_to(m) || (m->castles && s->to == m->also));
}

/* The legal moves that a word may mean: [0] by its name, [1] by another, [2] with a man who comes
   to be and is not said. */
struct meant {
    unsigned n[3];
    struct bk_move last[3];
};

static void compare(struct meant *out, const struct bk_move *m, const struct said *s)
{
    unsigned way = s->wing < 0 && s->to != named_to(m);

    if (!squares_fit(m, s) || (s->becomes != m->becomes && s->becomes != BK_STAYS))
        return;
    if (s->becomes != m->becomes)
        way = 2;
    out->n[way]++;
    out->last[way] = *m;
}

/* Reads n letters.  False: they have no form of a move. */
static bool text_read(struct said *out, const struct bk_variant *v, const char *text, size_t n,
                      unsigned first_rank)
{
    char copy[24] = "";
    struct word w = { .v = v, .s = copy, .first_rank = first_rank, .shouts = true };

    while (n && strchr("+#!?", text[n - 1]))
        n--;
    if (!n || n >= sizeof copy)
        return false;
    memcpy(copy, text, n);
    for (const char *at = copy; *at; at++)
        w.shouts &= !bk_is_lower(*at);
    return word_read(&w, out);
}

enum bk_err bk_move_read(struct bk_move *out, const struct bk_variant *v, const struct bk_pos *p,
                         const char *text, size_t n, unsigned first_rank, struct bk_report *why)
{
    struct bk_move move[BK_MOVES_MAX];
    struct meant meant = { .n = { 0 } };
    unsigned way = 0, first = 0;
    struct said s;

    if (!text_read(&s, v, text, n, first_rank))
        first = BK_MOVES_END;
    while (first != BK_MOVES_END) {
        unsigned all = bk_moves_portion(v, p, &first, move);

        for (unsigned i = 0; i < all; i++)
            compare(&meant, &move[i], &s);
    }
    while (way < 2 && !meant.n[way])
        way++;
    if (meant.n[way] == 1) {
        *out = meant.last[way];
        return BK_OK;
    }
    return bk_fail(why, BK_E_USAGE,
                   meant.n[way] ? "'%.*s' may be several moves" : "'%.*s' is no legal move here",
                   n < 16 ? (int)n : 16, text);
}
