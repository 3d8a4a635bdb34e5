/*
 * betza.c - reads Betza's notation: [modifiers] atom [range], repeated.
 *
 * Idea: every atom is one or two leaps (x, y); a leap has four or eight
 * directions, of which the modifiers choose some.  Compounds (K, R, B, Q) are
 * only shorthand, so everything downstream sees (df, dr, range, how).
 *
 * Where Betza's dialects disagree (one direction letter on a knight, sideways
 * diagonals) the text is refused rather than guessed.
 */
#include "core/betza.h"

#include <stdlib.h>
#include <string.h>

#include "core/letter.h"
#include "core/utf8.h"

struct leap {
    int x, y; /* 0 <= x <= y, y > 0 */
};

struct atom {
    char letter;
    unsigned range; /* 0: without limit */
    unsigned nleaps;
    struct leap leap[2];
};

static const struct atom atoms[] = {
    { 'W', 1, 1, { { 0, 1 } } },           { 'F', 1, 1, { { 1, 1 } } }, { 'D', 1, 1, { { 0, 2 } } },
    { 'N', 1, 1, { { 1, 2 } } },           { 'A', 1, 1, { { 2, 2 } } }, { 'H', 1, 1, { { 0, 3 } } },
    { 'C', 1, 1, { { 1, 3 } } },           { 'Z', 1, 1, { { 2, 3 } } }, { 'G', 1, 1, { { 3, 3 } } },
    { 'K', 1, 2, { { 0, 1 }, { 1, 1 } } }, { 'R', 0, 1, { { 0, 1 } } }, { 'B', 0, 1, { { 1, 1 } } },
    { 'Q', 0, 2, { { 0, 1 }, { 1, 1 } } },
};

/* The letters before an atom. */
struct modifiers {
    unsigned how;
    char way[8]; /* direction letters, in order */
    unsigned nways;
};

struct text {
    const char *start, *p;
    struct bk_report *why;
};

#define BAD(t, ...) (bk_fail((t)->why, BK_E_USAGE, __VA_ARGS__), false)

static bool among(char c, const char *set) { return c && strchr(set, c); }

/* == Which directions == */

static bool points(char way, int df, int dr)
{
    switch (way) {
    case 'f': return dr > 0;
    case 'b': return dr < 0;
    case 'l': return df < 0;
    case 'r': return df > 0;
    case 'v': return dr != 0;
    case 's': return df != 0;
    }
    return false;
}

static bool oblique(const struct leap *l) { return l->x != 0 && l->x != l->y; }
static bool diagonal(const struct leap *l) { return l->x == l->y; }

/* How many letters from way[i] on belong together. */
static unsigned span(const struct modifiers *m, unsigned i, const struct leap *l)
{
    char second = i + 1 < m->nways ? m->way[i + 1] : '\0';

    if (oblique(l))
        return 2;
    return diagonal(l) && ((among(m->way[i], "fb") && among(second, "lr")) ||
                           (among(m->way[i], "lr") && among(second, "fb")))
               ? 2
               : 1;
}

/*
 * On an orthogonal leap letters add up: fs = forward and sideways.
 * On a diagonal one f, b, l and r are two directions each; fl, or lf, is where two meet.
 * On an oblique one pairs are needed: ff the two steepest forward, fs the two
 * flattest forward; bb, bs, ll, lv, rr, rv likewise.
 */
static bool chosen(const struct modifiers *m, const struct leap *l, int df, int dr)
{
    bool steep = abs(dr) > abs(df);

    if (!m->nways)
        return true;
    for (unsigned i = 0; i < m->nways; i += span(m, i, l)) {
        char first = m->way[i], second = i + 1 < m->nways ? m->way[i + 1] : '\0';

        if (!points(first, df, dr))
            continue;
        if (oblique(l)) {
            bool along = first == second;

            if (steep == (among(first, "fb") ? along : !along))
                return true;
        } else if (span(m, i, l) == 1 || points(second, df, dr)) {
            return true;
        }
    }
    return false;
}

static bool ways_make_sense(const struct text *t, const struct modifiers *m, const struct leap *l)
{
    for (unsigned i = 0; i < m->nways; i += span(m, i, l)) {
        char first = m->way[i], second = i + 1 < m->nways ? m->way[i + 1] : '\0';

        if (diagonal(l) && among(first, "vs"))
            return BAD(t, "`%c` chooses no diagonal; write f, b, l or r", first);
        if (oblique(l) &&
            !(among(first, "fblr") && (second == first || (second == 's' && among(first, "fb")) ||
                                       (second == 'v' && among(first, "lr")))))
            return BAD(t, "an oblique leap needs pairs of directions: ff fs bb bs ll lv rr rv");
    }
    return true;
}

/* == Adding steps == */

static bool add_step(const struct text *t, struct bk_movement *m, struct bk_step s)
{
    for (unsigned i = 0; i < m->nsteps; i++) {
        struct bk_step *old = &m->step[i];

        if (old->df == s.df && old->dr == s.dr && old->range == s.range &&
            (old->how & BK_HOPS) == (s.how & BK_HOPS)) {
            old->how |= s.how;
            return true;
        }
    }
    if (m->nsteps == BK_STEPS_MAX)
        return BAD(t, "too many atoms: a man has at most %d directions", BK_STEPS_MAX);
    m->step[m->nsteps++] = s;
    return true;
}

static bool add_leap(const struct text *t, struct bk_movement *m, const struct modifiers *mod,
                     const struct leap *l, unsigned range)
{
    if (!ways_make_sense(t, mod, l))
        return false;
    for (int i = 0; i < 8; i++) {
        int df = i & 4 ? l->y : l->x, dr = i & 4 ? l->x : l->y;
        struct bk_step s;

        if ((i & 4 && l->x == l->y) || (i & 1 && df == 0) || (i & 2 && dr == 0))
            continue; /* the same direction again */
        df = i & 1 ? -df : df;
        dr = i & 2 ? -dr : dr;
        s = (struct bk_step){ (int8_t)df, (int8_t)dr, (uint8_t)range, (uint8_t)mod->how };
        if (chosen(mod, l, df, dr) && !add_step(t, m, s))
            return false;
    }
    return true;
}

/* == Reading == */

static bool read_modifiers(struct text *t, struct modifiers *m)
{
    *m = (struct modifiers){ 0 };
    for (; bk_is_lower(*t->p); t->p++) {
        unsigned bit = *t->p == 'm'   ? BK_QUIET
                       : *t->p == 'c' ? BK_TAKES
                       : *t->p == 'p' ? BK_HOPS
                                      : 0;

        if (!bit && !among(*t->p, "fblrvs"))
            return BAD(t, "modifier `%c` is not known here", *t->p);
        if (m->how & bit)
            return BAD(t, "modifier `%c` stands twice", *t->p);
        if (!bit && m->nways == sizeof m->way)
            return BAD(t, "too many directions");
        if (!bit && m->nways && !among(t->p[-1], "fblrvs")) /* is `fml` a pair? */
            return BAD(t, "directions stand together: write %.*s%c", (int)m->nways, m->way, *t->p);
        m->how |= bit;
        if (!bit)
            m->way[m->nways++] = *t->p;
    }
    if (!(m->how & (BK_QUIET | BK_TAKES)))
        m->how |= BK_QUIET | BK_TAKES;
    return true;
}

/* A number of at most 13, the longest step there is. */
static bool read_small(struct text *t, unsigned *out)
{
    unsigned n = 0;

    if (!bk_is_digit(*t->p))
        return BAD(t, "expected a number");
    for (const char *p = t->p; bk_is_digit(*p); p++)
        if ((n = n * 10 + (unsigned)(*p - '0')) >= BK_RANKS_MAX)
            return BAD(t, "the number is larger than any board");
    while (bk_is_digit(*t->p))
        t->p++;
    *out = n;
    return true;
}

/* "(x,y)" */
static bool read_leap(struct text *t, struct atom *a)
{
    const char *open = t->p++;
    unsigned x, y;

    if (!read_small(t, &x))
        return false;
    if (*t->p != ',')
        return BAD(t, "expected `,`");
    t->p++;
    if (!read_small(t, &y))
        return false;
    if (*t->p != ')')
        return BAD(t, "expected `)`");
    if (x == 0 && y == 0) {
        t->p = open;
        return BAD(t, "(0,0) goes nowhere");
    }
    t->p++;
    *a = (struct atom){ '\0', 1, 1, { { (int)(x < y ? x : y), (int)(x < y ? y : x) } } };
    return true;
}

static bool read_atom(struct text *t, struct atom *a)
{
    if (*t->p == '(')
        return read_leap(t, a);
    for (size_t i = 0; i < sizeof atoms / sizeof *atoms; i++)
        if (atoms[i].letter == *t->p) {
            *a = atoms[i];
            t->p++;
            return true;
        }
    if (*t->p == '\0')
        return BAD(t, "an atom is missing");
    return BAD(t, "`%.*s` is not an atom", (int)bk_utf8_bytes(t->p), t->p);
}

/* W4 up to four times; W0 or WW without limit, and so RR, which is R. */
static bool read_range(struct text *t, struct atom *a)
{
    if (a->letter && *t->p == a->letter) {
        a->range = 0;
        t->p++;
        return true;
    }
    return !bk_is_digit(*t->p) || read_small(t, &a->range);
}

static bool read_all(struct text *t, struct bk_movement *m)
{
    m->nsteps = 0;
    do {
        const char *start = t->p;
        struct modifiers mod;
        struct atom a;

        if (!read_modifiers(t, &mod) || !read_atom(t, &a) || !read_range(t, &a))
            return false;
        if (mod.how & BK_HOPS && a.range == 1) {
            t->p = start;
            return BAD(t, "`p` hops along a line: give the atom a range, as in pR or pW4");
        }
        for (unsigned i = 0; i < a.nleaps; i++)
            if (!add_leap(t, m, &mod, &a.leap[i], a.range)) {
                t->p = start;
                return false;
            }
    } while (*t->p);
    return true;
}

enum bk_err bk_betza_read(struct bk_movement *m, const char *text, size_t *at,
                          struct bk_report *why)
{
    struct text t = { text, text, why };

    if (read_all(&t, m))
        return BK_OK;
    *at = (size_t)(t.p - t.start);
    return BK_E_USAGE;
}
