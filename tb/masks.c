/*
 * masks.c - masks of land side by side, ply after ply.
 *
 * Idea: docs/whole.md 9.  A placement of men, a side to move and a kind of turn (a phase) have a
 * vector: a bit for each mask of the changeable squares that no man stands on.  Bit i of a mask's
 * number is the i-th of these squares, in ascending order.  A move leads from one vector to
 * another. Its `from` is left as land: the target's masks in which it is sea are of no use, so
 * every other bit, or run of bits, is drawn out.  Its `to` was land: the source's masks in which it
 * was sea have no such move, so the bits drawn out are spread over the others.
 *
 * Two vectors say what is known: `lost`; and `won`, which impossible states count to: a mover whom
 * every turn leads to such a state has lost, be it that the enemy has won or that he may not go
 * there.  Odd passes write `won` and read `lost`, even passes the other way round.  So no thread
 * reads what another one writes, and what is found in a pass is not used in it.
 *
 * Materials are solved side by side, a pass at a time, since captures and changes join them; so are
 * the states before the first destruction, whose land is the position's: each vector of theirs has
 * one bit.
 *
 * Rejected: solving state by state, as tb/whole.c does.  716 million states of four men on 4x4 took
 * it minutes a pass.
 */
#include "tb/masks.h"

#include <stdlib.h>
#include <string.h>

#include "core/end.h"
#include "core/land.h"
#include "core/rules.h"
#include "table/material.h"

#define MEN_MAX      BK_MEN_MAX
#define MASK_MAX     26 /* changeable squares */
#define TABLES_MAX   256
#define PHASES       4   /* White odd, Black odd, White even, Black even */
#define PIECE_PLACES 128 /* placements: work for a thread */
#define ALL          UINT64_MAX

static unsigned side_of(unsigned phase) { return phase & 1; }
static bool is_odd(unsigned phase) { return phase < 2; }
static unsigned next_phase(unsigned phase) { return (phase + 1) % PHASES; }
static unsigned phase_of(unsigned stm, bool odd) { return stm + (odd ? 0 : 2); }

/* == Vectors ============================================================= */

/* The bits of a word whose numbers have 0 in bit i; [6]: all, as a word's number goes on. */
static const uint64_t low_half[6] = {
    UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333), UINT64_C(0x0f0f0f0f0f0f0f0f),
    UINT64_C(0x00ff00ff00ff00ff), UINT64_C(0x0000ffff0000ffff), UINT64_C(0x00000000ffffffff),
};

static size_t words_of(unsigned bits) { return bits < 6 ? 1 : (size_t)1 << (bits - 6); }

/* Moves the bits whose numbers have 0 in bit i together. */
static uint64_t gather(uint64_t x, unsigned i)
{
    x &= low_half[i];
    for (unsigned s = i; s < 5; s++)
        x = (x | x >> (1u << s)) & low_half[s + 1];
    return x;
}

/* Undoes gather() of the low 32 bits. */
static uint64_t scatter(uint64_t x, unsigned i)
{
    x &= low_half[5];
    for (unsigned s = 5; s-- > i;)
        x = (x | x << (1u << s)) & low_half[s];
    return x;
}

/* Draws the masks with square i out of a vector of `bits` squares, in place. */
static void draw_out(uint64_t *v, unsigned bits, unsigned i)
{
    size_t n = words_of(bits), run = i < 6 ? 0 : (size_t)1 << (i - 6), to = 0;

    if (run) {
        for (size_t from = run; from < n; from += 2 * run, to += run)
            memmove(v + to, v + from, run * sizeof *v);
        return;
    }
    if (n == 1) {
        v[0] = gather(v[0] >> (1u << i), i);
        return;
    }
    for (size_t from = 0; from < n; from += 2)
        v[to++] = gather(v[from] >> (1u << i), i) | gather(v[from + 1] >> (1u << i), i) << 32;
}

/* Spreads a vector over the masks with square i, of `bits` squares with it; others get 0. */
static void spread(uint64_t *out, const uint64_t *v, unsigned bits, unsigned i)
{
    size_t n = words_of(bits), run = i < 6 ? 0 : (size_t)1 << (i - 6);

    if (run) {
        for (size_t to = 0; to < n; to += 2 * run, v += run) {
            memset(out + to, 0, run * sizeof *out);
            memcpy(out + to + run, v, run * sizeof *out);
        }
        return;
    }
    for (size_t to = 0; to < n; to++)
        out[to] = scatter(to & 1 ? v[to / 2] >> 32 : v[to / 2], i) << (1u << i);
}

/* Adds to the masks with square i of `out` what `v` says of those without it (up), or the other way
   round; either: by `or`, else by `and`. */
static void join(uint64_t *restrict out, const uint64_t *restrict v, unsigned bits, unsigned i,
                 bool up, bool either)
{
    size_t n = words_of(bits), run = i < 6 ? 0 : (size_t)1 << (i - 6);

    for (size_t at = 0; run && at < n; at += 2 * run) {
        uint64_t *to = out + at + (up ? run : 0);
        const uint64_t *from = v + at + (up ? 0 : run);

        for (size_t k = 0; k < run; k++)
            to[k] = either ? to[k] | from[k] : to[k] & from[k];
    }
    for (size_t at = 0; !run && at < n; at++) {
        uint64_t from = up ? (v[at] & low_half[i]) << (1u << i) : v[at] >> (1u << i) & low_half[i];
        uint64_t to = up ? ~low_half[i] : low_half[i];

        out[at] = either ? out[at] | from : out[at] & (from | ~to);
    }
}

/* Word `nth` of the vector of masks with square i. */
static uint64_t land_word(unsigned i, size_t nth)
{
    return i < 6 ? ~low_half[i] : nth >> (i - 6) & 1 ? ALL : 0;
}

/* A set of masks: those that have all squares of one of some sets.  n = 0: none. */
#define WAYS_MAX BK_STEPS_MAX /* first steps of two */
struct masks {
    unsigned n;
    uint32_t all[WAYS_MAX];
};

static uint64_t masks_word(const struct masks *m, size_t nth)
{
    uint64_t any = 0;

    for (unsigned k = 0; k < m->n; k++) {
        uint64_t word = m->all[k] >> 6 & ~nth ? 0 : ALL;

        for (unsigned low = m->all[k] & 63; low && word; low &= low - 1)
            word &= ~low_half[__builtin_ctz(low)];
        any |= word;
    }
    return any;
}

static bool is_all(const struct masks *m)
{
    for (unsigned k = 0; k < m->n; k++)
        if (!m->all[k])
            return true;
    return false;
}

/* == Placements ========================================================== */

/* The squares that may be land: fixed ones, and those that can change. */
struct field {
    unsigned n[2];               /* [1]: of those that change */
    uint8_t sq[2][BK_SQ_MAX];    /* ascending */
    uint8_t nth[BK_SQ_MAX];      /* within its class */
    uint8_t class_of[BK_SQ_MAX]; /* BK_SQ_NONE: never land */
};

/* Placements whose men stand on squares of the same classes: bit i of the group's number is 1 if
   man i stands on a square that can change. */
struct group {
    uint64_t first, places; /* places: how many, first: the number of the first */
    uint64_t word;          /* where its vectors begin */
    unsigned bits;          /* of a mask */
};

/* All placements of some men, begun or not. */
struct table {
    unsigned n;
    uint8_t man[MEN_MAX]; /* ascending */
    bool begun;
    const struct field *field;
    struct group group[1u << MEN_MAX];
    uint64_t places, words;
    uint64_t *lost[PHASES], *won[PHASES]; /* owned */
    uint8_t *plies[PHASES];               /* owned; 1 + plies, 0 not decided; NULL: results alone */
};

struct bk_masks {
    const struct bk_variant *v;
    struct field begun, before;      /* of states after, and before, the first destruction */
    struct bk_bits land;             /* before it */
    struct table *table[TABLES_MAX]; /* owned */
    unsigned ntables, men;           /* men: the most of a table */
    uint64_t bytes;
};

/* Men on squares. */
struct place {
    unsigned n;
    uint8_t man[MEN_MAX], sq[MEN_MAX];
    uint8_t at[BK_SQ_MAX]; /* 1 + which man; 0: nobody */
    unsigned group, bits;
    uint64_t number, word;
    uint8_t bit[BK_SQ_MAX]; /* of a square in a mask; BK_SQ_NONE: it is none of it */
};

static void field_add(struct field *f, unsigned sq, unsigned class)
{
    f->class_of[sq] = (uint8_t) class;
    f->nth[sq] = (uint8_t)f->n[class];
    f->sq[class][f->n[class]++] = (uint8_t)sq;
}

/* Numbers the free changeable squares. */
static void number_bits(struct place *p, const struct field *f)
{
    p->bits = 0;
    for (unsigned i = 0; i < f->n[1]; i++)
        p->bit[f->sq[1][i]] = (uint8_t)(p->at[f->sq[1][i]] ? BK_SQ_NONE : p->bits++);
}

static unsigned bit_of(const struct place *p, const struct field *f, unsigned sq)
{
    return f->class_of[sq] == 1 ? p->bit[sq] : BK_SQ_NONE;
}

/* Puts the nth placement of a group down.  False: equal men are not in order. */
static bool place_get(struct place *p, const struct table *t, unsigned group, uint64_t nth)
{
    const struct field *f = t->field;
    unsigned digit[MEN_MAX], used[2] = { 0, 0 };

    memset(p->at, 0, sizeof p->at);
    p->n = t->n;
    memcpy(p->man, t->man, t->n);
    p->group = group;
    p->number = t->group[group].first + nth;
    p->word = t->group[group].word + nth * words_of(t->group[group].bits);
    for (unsigned i = 0; i < t->n; i++)
        used[group >> i & 1]++;
    for (unsigned i = t->n; i-- > 0;) {
        unsigned class = group >> i & 1, base = f->n[class] - --used[class];

        digit[i] = (unsigned)(nth % base);
        nth /= base;
    }
    for (unsigned i = 0; i < t->n; i++) {
        const uint8_t *sq = f->sq[group >> i & 1];

        for (;; sq++)
            if (!p->at[*sq] && !digit[i]--)
                break;
        p->sq[i] = *sq;
        p->at[*sq] = (uint8_t)(i + 1);
        if (i && p->man[i - 1] == p->man[i] && p->sq[i - 1] > p->sq[i])
            return false;
    }
    number_bits(p, f);
    return true;
}

/* Sorts men and squares, and sets `at`. */
static void place_sort(struct place *p)
{
    for (unsigned i = 1; i < p->n; i++)
        for (unsigned j = i; j && (p->man[j - 1] > p->man[j] ||
                                   (p->man[j - 1] == p->man[j] && p->sq[j - 1] > p->sq[j]));
             j--) {
            uint8_t man = p->man[j], sq = p->sq[j];

            p->man[j] = p->man[j - 1];
            p->sq[j] = p->sq[j - 1];
            p->man[j - 1] = man;
            p->sq[j - 1] = sq;
        }
    memset(p->at, 0, sizeof p->at);
    for (unsigned i = 0; i < p->n; i++)
        p->at[p->sq[i]] = (uint8_t)(i + 1);
}

/* Sets the numbers of a sorted place in a table of its men. */
static void place_number(struct place *p, const struct table *t)
{
    const struct field *f = t->field;
    unsigned used[2] = { 0, 0 };
    uint64_t nth = 0;

    p->group = 0;
    for (unsigned i = 0; i < p->n; i++) {
        unsigned class = f->class_of[p->sq[i]], digit = f->nth[p->sq[i]];

        for (unsigned j = 0; j < i; j++)
            digit -= f->class_of[p->sq[j]] == class && p->sq[j] < p->sq[i];
        p->group |= class << i;
        nth = nth * (f->n[class] - used[class]++) + digit;
    }
    p->number = t->group[p->group].first + nth;
    p->word = t->group[p->group].word + nth * words_of(t->group[p->group].bits);
}

static struct table *table_of(const struct bk_masks *w, unsigned n, const uint8_t *man, bool begun)
{
    for (unsigned i = 0; i < w->ntables; i++) {
        struct table *t = w->table[i];

        if (t->begun == begun && t->n == n && !memcmp(t->man, man, n))
            return t;
    }
    return NULL;
}

/* == What men reach ====================================================== */

/* Adds to `out` the masks in which all squares of a path are empty land; hops: but for one man. */
static void add_way(struct masks *out, const struct place *p, const struct field *f,
                    struct bk_bits path, bool hops, uint32_t with)
{
    unsigned men = 0;

    for (unsigned sq; (sq = bk_bits_pop(&path)) != BK_SQ_NONE;) {
        unsigned bit;

        if (p->at[sq]) {
            men++;
            continue;
        }
        if (f->class_of[sq] == BK_SQ_NONE)
            return;
        if ((bit = bit_of(p, f, sq)) != BK_SQ_NONE)
            with |= UINT32_C(1) << bit;
    }
    if (men == (hops ? 1 : 0) && out->n < WAYS_MAX)
        out->all[out->n++] = with;
}

/* Sets `out` to the masks in which a man can go along `r` to a square that is his aim already. */
static void open_masks(struct masks *out, const struct bk_variant *v, const struct place *p,
                       const struct field *f, const struct bk_reach *r)
{
    const struct bk_bits *path = v->geometry->path + r->path;
    unsigned bit = p->at[r->to] ? BK_SQ_NONE : bit_of(p, f, r->to);
    uint32_t with = bit == BK_SQ_NONE ? 0 : UINT32_C(1) << bit;

    out->n = 0;
    if (r->how & BK_TWICE || !r->npaths) {
        out->all[out->n++] = with;
        return;
    }
    for (unsigned k = 0; k < r->npaths && !is_all(out); k++)
        add_way(out, p, f, path[k], r->how & BK_HOPS, with);
}

static unsigned king_square(const struct bk_variant *v, const struct place *p, unsigned colour)
{
    for (unsigned i = 0; i < p->n; i++)
        if (p->man[i] == bk_man(v->royal, colour))
            return p->sq[i];
    return BK_SQ_NONE;
}

/* Does a man of `colour` take on `king` along `r`? */
static bool aims_at(const struct bk_variant *v, const struct place *p, const struct bk_reach *r,
                    unsigned colour, unsigned king)
{
    unsigned via, at;

    if (!(r->how & BK_TWICE))
        return r->to == king && r->how & BK_TAKES;
    via = bk_reach_via(v, r);
    at = p->at[via];
    if (!at || bk_man_colour(p->man[at - 1]) == colour)
        return false;
    at = p->at[r->to];
    return r->to == king || (via == king && !(at && bk_man_colour(p->man[at - 1]) == colour));
}

static bool is_sound(const struct field *f, unsigned sq) { return f->class_of[sq] != BK_SQ_NONE; }

/* Sets `out` to the masks in which the king of `colour` is attacked. */
static void in_check(const struct bk_variant *v, const struct place *p, const struct field *f,
                     unsigned colour, uint64_t *out)
{
    unsigned king = king_square(v, p, colour);
    size_t n = words_of(p->bits);

    memset(out, 0, n * sizeof *out);
    for (unsigned i = 0; i < p->n; i++) {
        unsigned moves;
        const struct bk_reach *r;

        if (bk_man_colour(p->man[i]) == colour)
            continue;
        r = bk_reach_from(v, bk_man_type(p->man[i]), !colour, p->sq[i], &moves);
        for (; moves--; r++) {
            struct masks open;

            if (!is_sound(f, r->to) || !aims_at(v, p, r, !colour, king))
                continue;
            open_masks(&open, v, p, f, r);
            if (is_all(&open)) {
                memset(out, 0xff, n * sizeof *out);
                return;
            }
            for (size_t k = 0; k < n; k++)
                out[k] |= masks_word(&open, k);
        }
    }
}

/* The squares in range of the men of `colour` with a power. */
static struct bk_bits range_of(const struct bk_variant *v, const struct place *p, unsigned colour,
                               enum bk_power power)
{
    struct bk_bits out = { { 0 } };

    for (unsigned i = 0; i < p->n; i++) {
        unsigned type = bk_man_type(p->man[i]), n;
        const struct bk_reach *r;

        if (bk_man_colour(p->man[i]) != colour || !bk_rules_has_power(v, type, colour, power))
            continue;
        r = bk_reach_from(v, type, colour, p->sq[i], &n);
        while (n--)
            bk_bits_set(&out, r++->to);
    }
    return out;
}

/* The squares, free or not, that `colour` may create or destroy as men stand. */
static struct bk_bits effective(const struct bk_variant *v, const struct place *p, unsigned colour,
                                enum bk_power power)
{
    struct bk_bits out = range_of(v, p, colour, power), other;

    if (bk_bits_empty(&out) || !bk_rules_cancels(v))
        return out;
    other =
        range_of(v, p, !colour, power == BK_POWER_CREATES ? BK_POWER_DESTROYS : BK_POWER_CREATES);
    for (unsigned i = 0; i < 4; i++)
        out.w[i] &= ~other.w[i];
    return out;
}

/* == Turns =============================================================== */

/* What is asked of all turns of a vector's states: does one lead to a lost state (WIN); do all lead
   to won or impossible ones (LOSE); is there a legal one (ANY)? */
enum question { WIN, LOSE, ANY };

struct work { /* of a thread; vectors, owned */
    uint64_t *at, *spread, *sum, *other, *fresh;
};

struct asking {
    const struct bk_masks *w;
    const struct table *t;
    unsigned phase;
    enum question what;
    struct work *work;
    const struct place *p;
    uint8_t count[2][BK_TYPES_MAX]; /* men, by type */
};

/* A move of man `who`, who becomes `type`; captured men, by 1 + their number in the place. */
struct step {
    unsigned who, to, type, takes, also;
};

static void place_after(struct place *out, const struct place *p, const struct step *s)
{
    out->n = 0;
    for (unsigned i = 0; i < p->n; i++) {
        if (i + 1 == s->takes || i + 1 == s->also)
            continue;
        out->man[out->n] = i == s->who ? bk_man(s->type, bk_man_colour(p->man[i])) : p->man[i];
        out->sq[out->n++] = i == s->who ? (uint8_t)s->to : p->sq[i];
    }
    place_sort(out);
}

/* Is the game over at `p`, by bare kings, with `stm` to move?  *wdl is his. */
static bool is_over(const struct bk_variant *v, const struct place *p, unsigned stm, int *wdl)
{
    unsigned men[2] = { 0, 0 };
    struct bk_pos pos;

    for (unsigned i = 0; i < p->n; i++)
        men[bk_man_colour(p->man[i])]++;
    if (men[0] > 1 && men[1] > 1)
        return false;
    bk_pos_init(&pos, v);
    for (unsigned i = 0; i < p->n; i++)
        bk_pos_put(&pos, v, bk_man_type(p->man[i]), bk_man_colour(p->man[i]), p->sq[i]);
    pos.stm = (uint8_t)stm;
    return bk_pos_bare(v, &pos, wdl) != BK_END_NONE;
}

static void invert(uint64_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i] = ~v[i];
}

/* Sets `out` to what a question wants to know of the states of `p`, in a game that is over there.
 */
static void over_vector(const struct asking *g, const struct place *p, int wdl, uint64_t *out)
{
    unsigned us = side_of(g->phase);
    size_t n = words_of(p->bits);

    in_check(g->w->v, p, g->t->field, us, out); /* impossible ones */
    if (g->what == ANY || (g->what == WIN && wdl < 0))
        invert(out, n);
    else if (g->what == WIN)
        memset(out, 0, n * sizeof *out);
    else if (wdl > 0)
        memset(out, 0xff, n * sizeof *out);
}

/* The bit of a state after the first destruction, that of `sq`. */
static bool bit_begun(const struct asking *g, const struct place *before, unsigned sq)
{
    const struct bk_masks *w = g->w;
    const struct table *t = table_of(w, before->n, before->man, true);
    unsigned phase = next_phase(g->phase);
    struct place p = *before;
    uint64_t mask = 0, word, *out = g->work->other;

    place_number(&p, t);
    number_bits(&p, t->field);
    for (unsigned i = 0; i < t->field->n[1]; i++) {
        unsigned at = t->field->sq[1][i];

        if (!p.at[at] && at != sq && bk_bits_has(&w->land, at))
            mask |= UINT64_C(1) << p.bit[at];
    }
    if (g->what == ANY) {
        in_check(w->v, &p, t->field, side_of(g->phase), out);
        return !(out[mask / 64] >> mask % 64 & 1);
    }
    word = (g->what == WIN ? t->lost : t->won)[phase][p.word + mask / 64];
    return word >> mask % 64 & 1;
}

/* Adds to `out`, of the states after a move, what destroying adds. */
static void add_destroying(const struct asking *g, const struct place *p, uint64_t *out)
{
    unsigned us = side_of(g->phase);
    uint64_t *plain = g->work->other;
    struct bk_bits squares;
    bool copied = false;

    if (!is_odd(g->phase) || (!g->t->begun && us == BK_WHITE))
        return;
    squares = effective(g->w->v, p, us, BK_POWER_DESTROYS);
    for (unsigned sq; (sq = bk_bits_pop(&squares)) != BK_SQ_NONE;) {
        if (p->at[sq])
            continue;
        if (g->t->begun) {
            unsigned bit = bit_of(p, g->t->field, sq);

            if (bit == BK_SQ_NONE)
                continue;
            if (!copied)
                memcpy(plain, out, words_of(p->bits) * sizeof *out);
            copied = true;
            join(out, plain, p->bits, bit, true, g->what != LOSE);
        } else if (bk_bits_has(&g->w->land, sq) && g->w->begun.class_of[sq] == 1) {
            bool bit = bit_begun(g, p, sq);

            out[0] = g->what == LOSE ? out[0] & (bit ? ALL : 0) : out[0] | (bit ? ALL : 0);
        }
    }
}

/* Sets `out` to what the question wants to know of the states of `p`, after a turn. */
static void target_vector(const struct asking *g, struct place *p, uint64_t *out)
{
    const struct table *t = g->t;
    unsigned next = next_phase(g->phase);
    int wdl;

    number_bits(p, t->field);
    if (is_over(g->w->v, p, side_of(next), &wdl)) {
        over_vector(g, p, wdl, out);
        return;
    }
    if (p->n != t->n || memcmp(p->man, t->man, t->n))
        t = table_of(g->w, p->n, p->man, t->begun);
    place_number(p, t);
    if (g->what == ANY) {
        in_check(g->w->v, p, t->field, side_of(g->phase), out);
        invert(out, words_of(p->bits));
    } else {
        memcpy(out, (g->what == WIN ? t->lost : t->won)[next] + p->word,
               words_of(p->bits) * sizeof *out);
    }
    add_destroying(g, p, out);
}

/* Draws the masks in which the square that was left is land out of `v`; *bits are left. */
static void leave(uint64_t *v, unsigned *bits, const struct place *after, const struct field *f,
                  unsigned sq, unsigned gone)
{
    unsigned bit = bit_of(after, f, sq);

    if (bit == BK_SQ_NONE)
        return;
    draw_out(v, *bits, bit - (gone < bit));
    --*bits;
}

/* Joins the states after a step, in `g->work->at`, with the sum over all turns. */
static void sum_up(const struct asking *g, const struct masks *open, unsigned to_bit)
{
    uint64_t *sum = g->work->sum;
    const uint64_t *from = g->work->at;
    size_t n = words_of(g->p->bits);
    bool free = is_all(open);

    if (to_bit != BK_SQ_NONE) {
        spread(g->work->spread, from, g->p->bits, to_bit);
        from = g->work->spread;
        free = false;
    }
    for (size_t k = 0; k < n; k++) {
        uint64_t can = free ? ALL : masks_word(open, k);

        sum[k] = g->what == LOSE ? sum[k] & (from[k] | ~can) : sum[k] | (from[k] & can);
    }
}

static void take_step(const struct asking *g, const struct step *s, const struct masks *open)
{
    const struct field *f = g->t->field;
    const struct place *p = g->p;
    unsigned left = p->sq[s->who], other = BK_SQ_NONE, gone = BK_SQ_NONE, bits;
    struct place after;

    place_after(&after, p, s);
    target_vector(g, &after, g->work->at);
    bits = after.bits;
    if (s->also)
        other = p->sq[s->also - 1];
    else if (s->takes && p->sq[s->takes - 1] != s->to)
        other = p->sq[s->takes - 1];
    if (left != s->to) {
        gone = bit_of(&after, f, left);
        leave(g->work->at, &bits, &after, f, left, BK_SQ_NONE);
    }
    if (other != BK_SQ_NONE)
        leave(g->work->at, &bits, &after, f, other, gone);
    sum_up(g, open, p->at[s->to] ? BK_SQ_NONE : bit_of(p, f, s->to));
}

/* Takes a step once for each type that the man may have after it. */
static void take_changes(const struct asking *g, struct step s, const struct masks *open)
{
    static const uint8_t none[BK_TYPES_MAX];
    const struct bk_variant *v = g->w->v;
    unsigned type = bk_man_type(g->p->man[s.who]), us = side_of(g->phase), n;
    struct bk_change change[BK_TYPES_MAX + 1];

    s.type = type;
    if (!bk_rules_changes_ever(v, type)) {
        if (bk_rules_may_stand(v, type, us, s.to))
            take_step(g, &s, open);
        return;
    }
    n = bk_rules_changes(v, g->count[us], none, type, us, s.to, g->p->sq[s.who] == s.to, change);
    for (unsigned i = 0; i < n; i++) {
        s.type = change[i].type == BK_STAYS ? type : change[i].type;
        take_step(g, &s, open);
    }
}

/* May the man numbered at - 1 be taken by `us`? */
static bool takeable(const struct asking *g, unsigned at, unsigned us)
{
    return at && bk_man_colour(g->p->man[at - 1]) != us &&
           bk_man_type(g->p->man[at - 1]) != g->w->v->royal;
}

static void try_reach(const struct asking *g, unsigned who, const struct bk_reach *r)
{
    const struct bk_variant *v = g->w->v;
    const struct place *p = g->p;
    unsigned us = side_of(g->phase), at = p->at[r->to];
    struct step s = { .who = who, .to = r->to };
    struct masks open;

    if (!is_sound(g->t->field, r->to) || (at && !takeable(g, at, us)))
        return;
    if (r->how & BK_TWICE) {
        unsigned via = p->at[bk_reach_via(v, r)];

        if (!takeable(g, via, us))
            return;
        s.takes = at ? at : via;
        s.also = at ? via : 0;
    } else {
        if (!(r->how & (at ? BK_TAKES : BK_QUIET)))
            return;
        s.takes = at;
    }
    open_masks(&open, v, p, g->t->field, r);
    if (open.n)
        take_changes(g, s, &open);
}

static void man_turns(const struct asking *g, unsigned who)
{
    static const struct masks all = { .n = 1 };
    const struct bk_variant *v = g->w->v;
    unsigned type = bk_man_type(g->p->man[who]), n;
    const struct bk_reach *r = bk_reach_from(v, type, side_of(g->phase), g->p->sq[who], &n);

    for (; n--; r++)
        try_reach(g, who, r);
    if (bk_rules_changes_in_place(v, type))
        take_changes(g, (struct step){ .who = who, .to = g->p->sq[who] }, &all);
}

/* == Creating == */

/* The masks in which a square is land, a word of them. */
static uint64_t is_land(const struct asking *g, unsigned sq, size_t nth)
{
    const struct field *f = g->t->field;
    unsigned bit;

    if (sq == BK_SQ_NONE || f->class_of[sq] == BK_SQ_NONE)
        return 0;
    bit = g->p->at[sq] ? BK_SQ_NONE : bit_of(g->p, f, sq);
    return bit == BK_SQ_NONE ? ALL : land_word(bit, nth);
}

static void neighbours(const struct bk_variant *v, unsigned sq, unsigned out[4])
{
    unsigned file = sq % v->files, rank = sq / v->files;

    out[0] = file ? sq - 1 : BK_SQ_NONE;
    out[1] = file + 1u < v->files ? sq + 1 : BK_SQ_NONE;
    out[2] = rank ? sq - v->files : BK_SQ_NONE;
    out[3] = rank + 1u < v->ranks ? sq + v->files : BK_SQ_NONE;
}

/* The masks in which at least two (*two), and at least three (*three), sides of a square are empty.
 */
static void empty_sides(const struct asking *g, unsigned sq, size_t nth, uint64_t *two,
                        uint64_t *three)
{
    uint64_t one = 0;
    unsigned next[4];

    neighbours(g->w->v, sq, next);
    *two = *three = 0;
    for (unsigned d = 0; d < 4; d++) {
        uint64_t empty = ~is_land(g, next[d], nth);

        *three |= *two & empty;
        *two |= one & empty;
        one |= empty;
    }
}

/* The masks in which creating a square would make a narrow bridge, a word of them. */
static uint64_t bridges(const struct asking *g, unsigned sq, size_t nth)
{
    uint64_t any = 0, two, three;
    unsigned next[4];

    neighbours(g->w->v, sq, next);
    for (unsigned d = 0; d < 4; d++)
        if (next[d] != BK_SQ_NONE) {
            empty_sides(g, next[d], nth, &two, &three);
            any |= is_land(g, next[d], nth) & three;
        }
    empty_sides(g, sq, nth, &two, &three);
    return any & two;
}

/* Adds what creating one square before the move adds: the sum over plain turns, of the land with
   it. */
static void create_one(const struct asking *g, const uint64_t *plain, unsigned sq)
{
    unsigned bit = bit_of(g->p, g->t->field, sq);
    uint64_t *sum = g->work->sum, *with = g->work->spread;
    size_t n = words_of(g->p->bits);

    if (!bk_rules_wide_bridges(g->w->v)) {
        join(sum, plain, g->p->bits, bit, false, g->what != LOSE);
        return;
    }
    memcpy(with, plain, n * sizeof *with);
    join(with, plain, g->p->bits, bit, false, g->what != LOSE);
    for (size_t k = 0; k < n; k++) {
        uint64_t may = ~bridges(g, sq, k);

        sum[k] = g->what == LOSE ? sum[k] & (with[k] | ~may) : sum[k] | (with[k] & may);
    }
}

static void add_creating(const struct asking *g)
{
    struct bk_bits squares;
    bool copied = false;

    if (is_odd(g->phase) || !g->t->begun)
        return;
    squares = effective(g->w->v, g->p, side_of(g->phase), BK_POWER_CREATES);
    for (unsigned sq; (sq = bk_bits_pop(&squares)) != BK_SQ_NONE;) {
        if (g->t->field->class_of[sq] != 1 || g->p->at[sq])
            continue;
        if (!copied)
            memcpy(g->work->other, g->work->sum, words_of(g->p->bits) * sizeof *g->work->sum);
        copied = true;
        create_one(g, g->work->other, sq);
    }
}

/* Answers the question in g->work->sum. */
static void ask(const struct bk_masks *w, const struct table *t, unsigned phase,
                const struct place *p, enum question what, struct work *work)
{
    struct asking g = { .w = w, .t = t, .phase = phase, .what = what, .work = work, .p = p };

    for (unsigned i = 0; i < p->n; i++)
        g.count[bk_man_colour(p->man[i])][bk_man_type(p->man[i])]++;
    memset(work->sum, what == LOSE ? 0xff : 0, words_of(p->bits) * sizeof *work->sum);
    for (unsigned i = 0; i < p->n; i++)
        if (bk_man_colour(p->man[i]) == side_of(phase))
            man_turns(&g, i);
    add_creating(&g);
}

/* == Passes ============================================================== */

struct pass {
    struct bk_masks *w;
    struct table *t;
    unsigned ply;
    bool changed[256]; /* by thread */
    struct work *work; /* by thread */
    const volatile int *stop;
};

/* Sets what is impossible of a placement: a phase's side that is not to move in check, men where
   they may not stand, masks that there are not. */
static void start_one(struct pass *g, const struct place *p, bool sound, struct work *work)
{
    const struct bk_variant *v = g->w->v;
    size_t n = words_of(p->bits);

    for (unsigned i = 0; i < p->n && sound; i++)
        sound = bk_rules_may_stand(v, bk_man_type(p->man[i]), bk_man_colour(p->man[i]), p->sq[i]);
    for (unsigned phase = 0; phase < PHASES; phase++) {
        uint64_t *won = g->t->won[phase] + p->word;

        if (sound)
            in_check(v, p, g->t->field, !side_of(phase), work->at);
        else
            memset(work->at, 0xff, n * sizeof *won);
        if (p->bits < 6)
            work->at[0] |= ALL << (1u << p->bits);
        memcpy(won, work->at, n * sizeof *won);
    }
}

/* Takes from the candidates those that are not in check and have no turn. */
static void leave_out_stalemates(struct pass *g, const struct place *p, unsigned phase,
                                 uint64_t *fresh, struct work *work)
{
    size_t n = words_of(p->bits);

    if (bk_rules_stalemate_loses(g->w->v))
        return;
    ask(g->w, g->t, phase, p, ANY, work);
    in_check(g->w->v, p, g->t->field, side_of(phase), work->at);
    for (size_t k = 0; k < n; k++)
        fresh[k] &= work->sum[k] | work->at[k];
}

static void note_plies(struct table *t, unsigned phase, uint64_t word, uint64_t fresh, unsigned ply)
{
    uint8_t *plies = t->plies[phase] ? t->plies[phase] + word * 64 : NULL;

    for (; plies && fresh; fresh &= fresh - 1)
        plies[__builtin_ctzll(fresh)] = (uint8_t)(1 + ply);
}

static bool all_decided(const struct table *t, unsigned phase, const struct place *p)
{
    for (size_t k = 0; k < words_of(p->bits); k++)
        if (~(t->lost[phase][p->word + k] | t->won[phase][p->word + k]))
            return false;
    return true;
}

/* Decides what takes exactly the pass's ply; returns whether there is such a state. */
static bool decide_phase(struct pass *g, const struct place *p, unsigned phase, struct work *work)
{
    uint64_t *fresh = work->fresh;
    bool wins = g->ply & 1, any = false;
    uint64_t *out = (wins ? g->t->won : g->t->lost)[phase] + p->word;
    size_t n = words_of(p->bits);

    ask(g->w, g->t, phase, p, wins ? WIN : LOSE, work);
    for (size_t k = 0; k < n; k++) {
        fresh[k] = work->sum[k] & ~(g->t->lost[phase][p->word + k] | g->t->won[phase][p->word + k]);
        any |= fresh[k] != 0;
    }
    if (any && !wins)
        leave_out_stalemates(g, p, phase, fresh, work);
    any = false;
    for (size_t k = 0; k < n; k++)
        if (fresh[k]) {
            out[k] |= fresh[k];
            note_plies(g->t, phase, p->word + k, fresh[k], g->ply);
            any = true;
        }
    return any;
}

/* Calls each() with the placements of an item of work. */
static void visit(struct pass *g, uint64_t item, struct work *work,
                  void (*each)(struct pass *, const struct place *, bool, struct work *))
{
    uint64_t end = (item + 1) * PIECE_PLACES;
    unsigned group = 0;
    struct place p;

    for (uint64_t nth = item * PIECE_PLACES; nth < g->t->places && nth < end && !*g->stop; nth++) {
        bool sound;

        while (nth >= g->t->group[group].first + g->t->group[group].places)
            group++;
        sound = place_get(&p, g->t, group, nth - g->t->group[group].first);
        p.bits = g->t->group[group].bits;
        each(g, &p, sound, work);
    }
}

static void start_some(void *context, uint64_t item, unsigned thread)
{
    struct pass *g = context;

    visit(g, item, &g->work[thread], start_one);
}

static void decide_one(struct pass *g, const struct place *p, bool sound, struct work *work)
{
    for (unsigned phase = 0; sound && phase < PHASES; phase++)
        if (!all_decided(g->t, phase, p) && decide_phase(g, p, phase, work))
            g->changed[work - g->work] = true;
}

static void decide_some(void *context, uint64_t item, unsigned thread)
{
    struct pass *g = context;

    visit(g, item, &g->work[thread], decide_one);
}

static void run(struct pass *g, struct bk_pool *pool, bk_work *work)
{
    for (unsigned i = 0; i < g->w->ntables; i++) {
        g->t = g->w->table[i];
        bk_pool_run(pool, (g->t->places + PIECE_PLACES - 1) / PIECE_PLACES, work, g);
    }
}

static bool any_changed(const struct pass *g)
{
    for (unsigned i = 0; i < sizeof g->changed; i++)
        if (g->changed[i])
            return true;
    return false;
}

static enum bk_err solve(struct pass *g, const struct bk_masks_options *o, struct bk_report *why)
{
    run(g, o->pool, start_some);
    for (bool more = true; more && !*g->stop; g->ply++) {
        if (g->ply > BK_MASKS_PLIES_MAX && !o->results_alone)
            return bk_fail(why, BK_E_USAGE, "longer than %d plies: ask for results alone",
                           BK_MASKS_PLIES_MAX);
        if (o->progress)
            o->progress(o->context, g->ply);
        memset(g->changed, 0, sizeof g->changed);
        run(g, o->pool, decide_some);
        more = any_changed(g) || g->ply == 0;
    }
    return *g->stop ? bk_interrupted(why) : BK_OK;
}

/* == The whole =========================================================== */

static void set_fields(struct bk_masks *w, const struct bk_pos *p, bool all_land);

/* Sets the places and words of a table.  False: more than can be counted. */
static bool table_size(struct table *t)
{
    const struct field *f = t->field;

    for (unsigned g = 0; g < 1u << t->n; g++) {
        unsigned in[2] = { t->n - (unsigned)__builtin_popcount(g),
                           (unsigned)__builtin_popcount(g) };
        struct group *group = &t->group[g];

        *group = (struct group){ .first = t->places, .word = t->words };
        if (in[0] > f->n[0] || in[1] > f->n[1])
            continue;
        group->places = 1;
        group->bits = f->n[1] - in[1];
        for (unsigned class = 0; class < 2; class ++)
            for (unsigned i = 0; i < in[class]; i++)
                group->places *= f->n[class] - i;
        if (group->places > UINT64_MAX / 1024 / words_of(group->bits))
            return false;
        t->places += group->places;
        t->words += group->places * words_of(group->bits);
    }
    return t->words < UINT64_MAX / 1024;
}

/* Adds a table for the men of a material; *out is NULL if their games are over. */
static enum bk_err add_table(struct bk_masks *w, const struct bk_material *m, bool begun,
                             struct bk_report *why)
{
    struct table *t;

    if (w->ntables == TABLES_MAX)
        return bk_fail(why, BK_E_USAGE, "more than %d materials follow", TABLES_MAX);
    if (!(t = calloc(1, sizeof *t)))
        return bk_no_memory(why);
    w->table[w->ntables++] = t;
    t->begun = begun;
    t->field = begun ? &w->begun : &w->before;
    for (unsigned type = 0; type < w->v->ntypes; type++)
        for (unsigned c = 0; c < 2; c++)
            for (unsigned i = 0; i < m->count[c][type]; i++)
                t->man[t->n++] = bk_man(type, c);
    if (!table_size(t))
        return bk_fail(why, BK_E_USAGE, "more states than can be counted");
    return BK_OK;
}

/* Lists all materials that follow from m[0], itself first, but those whose games are over. */
static enum bk_err list_materials(const struct bk_variant *v, struct bk_material *m, unsigned *n,
                                  struct bk_report *why)
{
    struct bk_material *next = malloc(BK_NEXT_MAX * sizeof *next);

    if (!next)
        return bk_no_memory(why);
    *n = 1;
    for (unsigned i = 0; i < *n; i++) {
        unsigned all = bk_material_next(&m[i], v, next, BK_NEXT_MAX);

        for (unsigned k = 0; k < all && k < BK_NEXT_MAX; k++) {
            unsigned j = 0;

            while (j < *n && memcmp(&m[j], &next[k], sizeof *m) != 0)
                j++;
            if (j < *n || bk_material_by_rule(&next[k], v))
                continue;
            if (*n == TABLES_MAX / 2) {
                free(next);
                return bk_fail(why, BK_E_USAGE, "more than %d materials follow", TABLES_MAX / 2);
            }
            m[(*n)++] = next[k];
        }
    }
    free(next);
    return BK_OK;
}

static enum bk_err list_tables(struct bk_masks *w, const struct bk_pos *p, struct bk_report *why)
{
    struct bk_material *m = calloc(TABLES_MAX / 2, sizeof *m);
    bool changes = w->begun.n[1];
    unsigned n = 0;
    enum bk_err err;

    if (!m)
        return bk_no_memory(why);
    memcpy(m[0].count, p->count, sizeof m[0].count);
    err = bk_material_by_rule(&m[0], w->v) ? BK_OK : list_materials(w->v, m, &n, why);
    for (unsigned i = 0; i < n && !err; i++) {
        if (p->begun || changes)
            err = add_table(w, &m[i], true, why);
        if (!err && !p->begun)
            err = add_table(w, &m[i], false, why);
    }
    free(m);
    return err;
}

/* The bytes that the vectors of all tables take. */
static enum bk_err sum_bytes(const struct bk_masks *w, bool results_alone, uint64_t *out,
                             struct bk_report *why)
{
    unsigned a_word = results_alone ? 16 : 16 + 64;

    *out = 0;
    for (unsigned i = 0; i < w->ntables; i++) {
        uint64_t words = w->table[i]->words;

        if (words > (UINT64_MAX - *out) / (PHASES * a_word))
            return bk_fail(why, BK_E_USAGE, "more states than can be counted");
        *out += words * PHASES * a_word;
    }
    return BK_OK;
}

static enum bk_err prepare(struct bk_masks *w, const struct bk_variant *v, const struct bk_pos *p,
                           const struct bk_masks_options *o, struct bk_report *why)
{
    enum bk_err err;

    w->v = v;
    w->men = bk_bits_count(&p->by[0]) + bk_bits_count(&p->by[1]);
    if (!bk_rules_land_lives(v))
        return bk_fail(why, BK_E_USAGE, "%s: no terrain is live there", v->name);
    if (w->men > MEN_MAX)
        return bk_fail(why, BK_E_USAGE, "%u men: at most %d are solved", w->men, MEN_MAX);
    set_fields(w, p, o->all_land);
    if (w->begun.n[1] > MASK_MAX)
        return bk_fail(why, BK_E_USAGE,
                       "%u squares may change: at most %d are solved; `?` in the FEN names them",
                       w->begun.n[1], MASK_MAX);
    err = list_tables(w, p, why);
    return err ? err : sum_bytes(w, o->results_alone, &w->bytes, why);
}

static enum bk_err allocate(struct bk_masks *w, bool results_alone, struct bk_report *why)
{
    for (unsigned i = 0; i < w->ntables; i++) {
        struct table *t = w->table[i];

        for (unsigned phase = 0; phase < PHASES; phase++) {
            t->lost[phase] = calloc(t->words + 1, sizeof(uint64_t));
            t->won[phase] = calloc(t->words + 1, sizeof(uint64_t));
            t->plies[phase] = results_alone ? NULL : calloc(t->words + 1, 64);
            if (!t->lost[phase] || !t->won[phase] || (!results_alone && !t->plies[phase]))
                return bk_no_memory(why);
        }
    }
    return BK_OK;
}

#define VECTORS 5 /* of struct work */

static struct work *work_new(unsigned threads, unsigned bits)
{
    size_t n = words_of(bits);
    struct work *work = calloc(threads, sizeof *work);

    for (unsigned i = 0; work && i < threads; i++) {
        uint64_t *all = calloc(VECTORS * n, sizeof *all);

        if (!all) {
            while (i--)
                free(work[i].at);
            free(work);
            return NULL;
        }
        work[i] = (struct work){ all, all + n, all + 2 * n, all + 3 * n, all + 4 * n };
    }
    return work;
}

static void work_free(struct work *work, unsigned threads)
{
    for (unsigned i = 0; work && i < threads; i++)
        free(work[i].at);
    free(work);
}

static enum bk_err solve_all(struct bk_masks *w, const struct bk_masks_options *o,
                             struct bk_report *why)
{
    static const volatile int never = 0;
    unsigned threads = bk_pool_threads(o->pool);
    struct pass g = { .w = w, .stop = o->stop ? o->stop : &never };
    enum bk_err err;

    if (threads > sizeof g.changed)
        return bk_fail(why, BK_E_USAGE, "more than %u threads", (unsigned)sizeof g.changed);
    g.work = work_new(threads, w->begun.n[1]);
    err = g.work ? solve(&g, o, why) : bk_no_memory(why);
    work_free(g.work, threads);
    return err;
}

enum bk_err bk_masks_estimate(uint64_t *need, const struct bk_variant *v, const struct bk_pos *p,
                              const struct bk_masks_options *o, struct bk_report *why)
{
    struct bk_masks *w = calloc(1, sizeof *w);
    enum bk_err err = w ? prepare(w, v, p, o, why) : bk_no_memory(why);

    *need = w ? w->bytes : 0;
    bk_masks_free(w);
    return err;
}

enum bk_err bk_masks_new(struct bk_masks **out, const struct bk_variant *v, const struct bk_pos *p,
                         const struct bk_masks_options *o, struct bk_report *why)
{
    struct bk_masks *w = calloc(1, sizeof *w);
    enum bk_err err = w ? prepare(w, v, p, o, why) : bk_no_memory(why);

    if (!err && o->memory_limit && w->bytes > o->memory_limit)
        err = bk_fail(why, BK_E_USAGE, "%llu MiB are needed; --memory allows less",
                      (unsigned long long)(w->bytes >> 20) + 1);
    if (!err)
        err = allocate(w, o->results_alone, why);
    if (!err)
        err = solve_all(w, o, why);
    if (err)
        bk_masks_free(w);
    else
        *out = w;
    return err;
}

void bk_masks_free(struct bk_masks *w)
{
    for (unsigned i = 0; w && i < w->ntables; i++) {
        for (unsigned phase = 0; phase < PHASES; phase++) {
            free(w->table[i]->lost[phase]);
            free(w->table[i]->won[phase]);
            free(w->table[i]->plies[phase]);
        }
        free(w->table[i]);
    }
    free(w);
}

uint64_t bk_masks_bytes(const struct bk_masks *w) { return w->bytes; }

/* == Land == */

/* Can a man of the position, or what one may become, use such a power one day? */
static bool ever(const struct bk_variant *v, const struct bk_pos *p, enum bk_power power)
{
    for (unsigned c = 0; c < 2; c++) {
        uint32_t types = 0;

        for (unsigned type = 0; type < v->ntypes; type++)
            types |= p->count[c][type] ? UINT32_C(1) << type : 0;
        types = bk_rules_may_become(v, types);
        for (unsigned type = 0; type < v->ntypes; type++)
            if (types >> type & 1 && bk_rules_has_power(v, type, c, power))
                return true;
    }
    return false;
}

/* Squares that are sea for good, where nobody creates, are no part of a field; those that are land
   for good, where nobody destroys, are fixed. */
static void set_fields(struct bk_masks *w, const struct bk_pos *p, bool all_land)
{
    const struct bk_variant *v = w->v;
    bool may = bk_land_may_change(v, p) || all_land;
    bool sinks = ever(v, p, BK_POWER_DESTROYS) || all_land;
    bool rises = ever(v, p, BK_POWER_CREATES) || all_land;

    memset(w->begun.class_of, BK_SQ_NONE, sizeof w->begun.class_of);
    memset(w->before.class_of, BK_SQ_NONE, sizeof w->before.class_of);
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        bool sea = bk_bits_has(&p->sea, sq);
        bool can = may && bk_bits_has(bk_rules_changeable(v), sq) && (sea ? rises : sinks);

        if (!bk_bits_has(&v->board, sq))
            continue;
        if (!sea) {
            bk_bits_set(&w->land, sq);
            field_add(&w->before, sq, 0);
        }
        if (can || !sea)
            field_add(&w->begun, sq, can);
    }
}

/* == Asking == */

/* Sets `out` to the men of a position, and *mask to its land; false: not of this field. */
static bool place_of(struct place *out, uint64_t *mask, const struct bk_variant *v,
                     const struct bk_pos *p, const struct field *f)
{
    out->n = 0;
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        bool land = bk_bits_has(&v->board, sq) && !bk_bits_has(&p->sea, sq);

        if (f->class_of[sq] == 0 ? !land : f->class_of[sq] == BK_SQ_NONE && land)
            return false;
        if (!p->at[sq])
            continue;
        if (out->n == MEN_MAX)
            return false;
        out->man[out->n] = p->at[sq];
        out->sq[out->n++] = (uint8_t)sq;
    }
    place_sort(out);
    number_bits(out, f);
    *mask = 0;
    for (unsigned i = 0; i < f->n[1]; i++) {
        unsigned sq = f->sq[1][i];

        if (!out->at[sq] && !bk_bits_has(&p->sea, sq))
            *mask |= UINT64_C(1) << out->bit[sq];
    }
    return true;
}

bool bk_masks_value(const struct bk_masks *w, const struct bk_pos *p, struct bk_masks_value *value)
{
    unsigned phase = phase_of(p->stm, p->turn & 1);
    const struct table *t;
    struct place at;
    uint64_t mask, word;

    *value = (struct bk_masks_value){ 0, 0 };
    if (bk_pos_bare(w->v, p, &value->wdl) != BK_END_NONE)
        return true;
    if (!place_of(&at, &mask, w->v, p, p->begun ? &w->begun : &w->before) ||
        !(t = table_of(w, at.n, at.man, p->begun)))
        return false;
    place_number(&at, t);
    word = at.word + mask / 64;
    value->wdl =
        (int)(t->won[phase][word] >> mask % 64 & 1) - (int)(t->lost[phase][word] >> mask % 64 & 1);
    if (value->wdl && t->plies[phase] && t->plies[phase][word * 64 + mask % 64])
        value->plies = t->plies[phase][word * 64 + mask % 64] - 1u;
    return true;
}

static void count_word(struct bk_masks_summary *out, const struct table *t, unsigned phase,
                       uint64_t word, uint64_t possible)
{
    uint64_t won = t->won[phase][word] & possible, lost = t->lost[phase][word] & possible;

    out->states += (unsigned)__builtin_popcountll(possible);
    out->wins += (unsigned)__builtin_popcountll(won);
    out->losses += (unsigned)__builtin_popcountll(lost);
    for (uint64_t left = t->plies[phase] ? won | lost : 0; left; left &= left - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(left);
        unsigned plies = t->plies[phase][word * 64 + bit] - 1u;
        unsigned *longest = won >> bit & 1 ? &out->longest_win : &out->longest_loss;

        *longest = plies > *longest ? plies : *longest;
    }
}

/* Counts the states of a placement; `impossible` is a vector. */
static void count_place(struct bk_masks_summary *out, const struct bk_masks *w,
                        const struct table *t, unsigned phase, const struct place *p,
                        uint64_t *impossible)
{
    for (unsigned i = 0; i < p->n; i++)
        if (!bk_rules_may_stand(w->v, bk_man_type(p->man[i]), bk_man_colour(p->man[i]), p->sq[i]))
            return;
    in_check(w->v, p, t->field, !side_of(phase), impossible);
    if (p->bits < 6)
        impossible[0] |= ALL << (1u << p->bits);
    for (size_t k = 0; k < words_of(p->bits); k++)
        count_word(out, t, phase, p->word + k, ~impossible[k]);
}

void bk_masks_summary(const struct bk_masks *w, const struct bk_pos *p, unsigned stm, bool odd,
                      struct bk_masks_summary *out)
{
    uint64_t *impossible = calloc(words_of(w->begun.n[1]), sizeof *impossible), mask;
    unsigned phase = phase_of(stm, odd);
    const struct table *t = NULL;
    struct place at;

    *out = (struct bk_masks_summary){ 0 };
    if (impossible && place_of(&at, &mask, w->v, p, p->begun ? &w->begun : &w->before))
        t = table_of(w, at.n, at.man, p->begun);
    for (unsigned g = 0; t && g < 1u << t->n; g++)
        for (uint64_t nth = 0; nth < t->group[g].places; nth++)
            if (place_get(&at, t, g, nth))
                count_place(out, w, t, phase, &at, impossible);
    out->draws = out->states - out->wins - out->losses;
    free(impossible);
}
