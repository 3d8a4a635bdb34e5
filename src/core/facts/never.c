/*
 * never.c - what the geometry of a game rules out between men.
 *
 * A *way* is a square, a square that is attacked from there, the squares between that must be
 * empty and whether one of them must hold a screen instead.  All questions here are about pairs of
 * ways: one there, and one back.  Cost: reaches times reaches of a square, for each square.
 */
#include "core/facts/never.h"

#include <string.h>

#include "core/geometry.h"
#include "core/rules.h"

struct way {
    unsigned from, to;
    struct bk_bits path;
    bool hops;
};

static bool may_stand(const struct bk_facts *f, unsigned i, unsigned sq)
{
    return bk_rules_may_stand(f->v, f->men.type[i], f->men.colour[i], sq);
}

static const struct bk_reach *reaches_of(const struct bk_facts *f, unsigned i, unsigned from,
                                         unsigned *n)
{
    return bk_reach_from(f->v, f->men.type[i], f->men.colour[i], from, n);
}

static unsigned ways_of(const struct bk_reach *r)
{
    return !(r->how & BK_TAKES) ? 0 : r->npaths ? r->npaths : 1;
}

static struct way way_of(const struct bk_facts *f, unsigned from, const struct bk_reach *r,
                         unsigned k)
{
    struct way w = { .from = from, .to = r->to, .hops = r->how & BK_HOPS };

    if (r->npaths)
        w.path = f->v->geometry->path[r->path + k];
    return w;
}

static bool never_blocked(const struct way *w) { return !w->hops && !bk_bits_count(&w->path); }

/* A test of a way and one of another man back: from there->to to there->from. */
typedef bool way_test(const struct way *there, const struct way *back);

static bool any_back(const struct bk_facts *f, unsigned man, const struct way *w, way_test *test)
{
    unsigned n;
    const struct bk_reach *r = reaches_of(f, man, w->to, &n);

    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; r[i].to == w->from && k < ways_of(&r[i]); k++) {
            struct way back = way_of(f, w->to, &r[i], k);

            if (test(w, &back))
                return true;
        }
    return false;
}

static bool whatever(const struct way *there, const struct way *back)
{
    (void)there;
    (void)back;
    return true;
}

static bool back_never_blocked(const struct way *there, const struct way *back)
{
    (void)there;
    return never_blocked(back);
}

static bool same_path(const struct way *there, const struct way *back)
{
    return there->hops == back->hops && !memcmp(&there->path, &back->path, sizeof back->path);
}

/* Is there a way of man i to a square where man j may stand for which "man j has a way back that
   passes `test`" is `is`?  went: i may just have come, so it may be on any square. */
static bool some_way(const struct bk_facts *f, unsigned i, unsigned j, bool went, way_test *test,
                     bool is)
{
    for (unsigned from = 0; from < f->v->nsq; from++) {
        unsigned n;
        const struct bk_reach *r = reaches_of(f, i, from, &n);

        for (unsigned a = 0; a < n; a++)
            for (unsigned k = 0; k < ways_of(&r[a]); k++) {
                struct way w = way_of(f, from, &r[a], k);

                if ((went || may_stand(f, i, from)) && may_stand(f, j, w.to) &&
                    any_back(f, j, &w, test) == is)
                    return true;
            }
    }
    return false;
}

bool bk_fact_may_attack(const struct bk_facts *f, unsigned i, unsigned j)
{
    for (unsigned from = 0; from < f->v->nsq; from++) {
        unsigned n;
        const struct bk_reach *r = reaches_of(f, i, from, &n);

        for (unsigned a = 0; a < n && may_stand(f, i, from); a++)
            if (ways_of(&r[a]) && may_stand(f, j, r[a].to))
                return true;
    }
    return false;
}

bool bk_fact_always_mutual(const struct bk_facts *f, unsigned i, unsigned j)
{
    return !some_way(f, i, j, false, same_path, false) &&
           !some_way(f, j, i, false, same_path, false);
}

bool bk_fact_bites_back(const struct bk_facts *f, unsigned i, unsigned j)
{
    return !some_way(f, i, j, true, back_never_blocked, false);
}

bool bk_fact_may_meet(const struct bk_facts *f, unsigned i, unsigned j)
{
    return some_way(f, i, j, true, whatever, true);
}

bool bk_fact_attacks_next(const struct bk_facts *f, unsigned i)
{
    for (unsigned from = 0; from < f->v->nsq; from++) {
        bool attacked[BK_SQ_MAX] = { false };
        unsigned n;
        const struct bk_reach *r = reaches_of(f, i, from, &n);

        for (unsigned a = 0; a < n; a++)
            if (ways_of(&r[a])) {
                if (r[a].npaths || r[a].how & BK_HOPS)
                    return false;
                attacked[r[a].to] = true;
            }
        for (unsigned to = 0; to < f->v->nsq; to++)
            if (bk_bits_has(&f->v->board, from) && bk_bits_has(&f->v->board, to) &&
                attacked[to] != (fact_metric_of(f, METRIC_DISTANCE, from, to) == 1))
                return false;
    }
    return true;
}

unsigned bk_fact_attacks_most(const struct bk_facts *f, unsigned i)
{
    unsigned most = 0;

    for (unsigned from = 0; from < f->v->nsq; from++) {
        struct bk_bits to = { { 0 } };
        unsigned n;
        const struct bk_reach *r = reaches_of(f, i, from, &n);

        for (unsigned a = 0; a < n && may_stand(f, i, from); a++)
            if (ways_of(&r[a]))
                bk_bits_set(&to, r[a].to);
        most = bk_bits_count(&to) > most ? bk_bits_count(&to) : most;
    }
    return most;
}

void bk_fact_metric_values(const struct bk_facts *f, unsigned metric, unsigned i, unsigned j,
                           bool seen[256])
{
    uint8_t there[BK_SQ_MAX];
    unsigned n = 0, nsq = f->v->nsq;

    for (unsigned b = 0; b < nsq; b++)
        if (may_stand(f, j, b))
            there[n++] = (uint8_t)b;
    for (unsigned a = 0; a < (fact_metric_pairs(metric) ? nsq : 1); a++) {
        if (fact_metric_pairs(metric) && !may_stand(f, i, a))
            continue;
        for (unsigned k = 0; k < n; k++)
            if (!fact_metric_pairs(metric) || there[k] != a)
                seen[fact_metric_of(f, metric, a, there[k])] = true;
    }
}

bool bk_fact_zero_alike(const struct bk_facts *f, unsigned i, unsigned j, unsigned metric,
                        unsigned other, bool turned)
{
    for (unsigned a = 0; a < f->v->nsq; a++)
        for (unsigned b = 0; b < f->v->nsq; b++) {
            bool zero = !fact_metric_of(f, metric, a, b);

            if (a != b && may_stand(f, i, a) && may_stand(f, j, b) &&
                zero != !fact_metric_of(f, other, turned ? b : a, turned ? a : b))
                return false;
        }
    return true;
}
