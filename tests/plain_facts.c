/*
 * plain_facts.c - see plain_facts.h.
 */
#include "tests/plain_facts.h"

#include <string.h>

#include "core/facts/list.h"

struct board {
    const struct bk_facts *f;
    const uint8_t *sq;
    struct bk_bits occupied, own[2];
};

static struct bk_bits without(struct bk_bits b, unsigned sq)
{
    bk_bits_clear(&b, sq);
    return b;
}

/* Does a man of the kind of man i, on `from`, attack `to`? */
static bool reaches(const struct bk_facts *f, unsigned i, unsigned from, unsigned to,
                    const struct bk_bits *occupied)
{
    unsigned n;
    const struct bk_reach *r = bk_reach_from(f->v, f->men.type[i], f->men.colour[i], from, &n);

    for (unsigned k = 0; k < n; k++)
        if (r[k].to == to && r[k].how & BK_TAKES && bk_reach_open(f->v, &r[k], occupied))
            return true;
    return false;
}

static bool attacks_square(const struct board *b, unsigned i, unsigned to)
{
    return reaches(b->f, i, b->sq[i], to, &b->occupied);
}

static bool attacks_man(const struct board *b, unsigned i, unsigned j)
{
    return i != j && !(i < 2 && j < 2) && attacks_square(b, i, b->sq[j]);
}

static unsigned colour_of(const struct board *b, unsigned i) { return b->f->men.colour[i]; }

/* Is `to` safe for a man of `colour`?  The other side looks through its king. */
static bool safe(const struct board *b, unsigned colour, unsigned to)
{
    struct bk_bits seen = without(b->occupied, b->sq[colour]);

    for (unsigned i = 0; i < b->f->men.n; i++)
        if (colour_of(b, i) != colour && reaches(b->f, i, b->sq[i], to, &seen))
            return false;
    return true;
}

/* How many men of `colour` attack man j. */
static unsigned attackers(const struct board *b, unsigned colour, unsigned j)
{
    unsigned n = 0;

    for (unsigned i = 0; i < b->f->men.n; i++)
        n += colour_of(b, i) == colour && attacks_man(b, i, j);
    return n;
}

static unsigned hanging(const struct board *b, unsigned colour)
{
    unsigned n = 0;

    for (unsigned j = 2; j < b->f->men.n; j++)
        n += colour_of(b, j) != colour && attackers(b, colour, j) && !attackers(b, !colour, j);
    return n;
}

/* Counts the safe squares that man i attacks and no own man holds; empty: only empty ones. */
static unsigned safe_squares(const struct board *b, unsigned i, bool empty)
{
    unsigned n = 0;

    for (unsigned to = 0; to < b->f->v->nsq; to++)
        n += attacks_square(b, i, to) && !bk_bits_has(&b->own[colour_of(b, i)], to) &&
             !(empty && bk_bits_has(&b->occupied, to)) && safe(b, colour_of(b, i), to);
    return n;
}

/* Is `to` defended by a man other than i, and attacked by no enemy but the king? */
static bool held(const struct board *b, unsigned i, unsigned to)
{
    bool defended = false;

    for (unsigned p = 0; p < b->f->men.n; p++) {
        bool enemy = colour_of(b, p) != colour_of(b, i);

        if (p == i || (enemy && p < 2) || !attacks_square(b, p, to))
            continue;
        if (enemy)
            return false;
        defended = true;
    }
    return defended;
}

static bool forks_from(const struct board *b, unsigned i, struct fact_fork fork, unsigned from)
{
    struct bk_bits rest = without(b->occupied, b->sq[i]);

    if (!reaches(b->f, i, from, b->sq[fork.a], &rest))
        return false;
    if (fork.skewer) {
        struct bk_bits through = without(rest, b->sq[fork.a]);

        return !reaches(b->f, i, from, b->sq[fork.b], &rest) &&
               reaches(b->f, i, from, b->sq[fork.b], &through);
    }
    return reaches(b->f, i, from, b->sq[fork.b], &rest);
}

static bool forks(const struct board *b, unsigned i, struct fact_fork fork)
{
    for (unsigned to = 0; to < b->f->v->nsq; to++)
        if (attacks_square(b, i, to) && !bk_bits_has(&b->own[colour_of(b, i)], to) &&
            forks_from(b, i, fork, to) &&
            (safe(b, colour_of(b, i), to) || (fork.covered && held(b, i, to))))
            return true;
    return false;
}

static unsigned distance(const struct board *b, unsigned i, unsigned j)
{
    return fact_metric_of(b->f, METRIC_DISTANCE, b->sq[i], b->sq[j]);
}

bool plain_fact_of(const struct bk_facts *f, unsigned fact, const uint8_t *sq)
{
    const struct fact_item *item = &f->item[fact];
    const struct fact_group *g = &f->group[item->group];
    unsigned i = item->i, j = item->j, q = item->q;
    struct board b = { .f = f, .sq = sq };

    for (unsigned m = 0; m < f->men.n; m++) {
        bk_bits_set(&b.occupied, sq[m]);
        bk_bits_set(&b.own[f->men.colour[m]], sq[m]);
    }
    switch ((enum fact_kind)item->kind) {
    case FACT_PLACE: return fact_metric_of(f, g->metric, sq[i], sq[j]) <= g->least + q;
    case FACT_KING_DIFF: return distance(&b, 0, i) + 2 <= distance(&b, 1, i) + q;
    case FACT_ATTACKS: return attacks_man(&b, i, j);
    case FACT_COUNTS: return attackers(&b, j, i) > q;
    case FACT_HANGING: return hanging(&b, i) > q;
    case FACT_KING_SAFE: return safe_squares(&b, i, q >= 4) > q % 4;
    case FACT_MAN_SAFE: return safe_squares(&b, i, false) > q;
    case FACT_FORK: return forks(&b, i, g->fork);
    }
    return false;
}
