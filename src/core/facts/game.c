/*
 * game.c - metrics of a board and orbits of kinds of men, once a game.
 */
#include "core/facts/game.h"

#include <stdlib.h>
#include <string.h>

#include "core/facts/list.h"
#include "core/geometry.h"

/* == The board == */

static void find_rectangle(struct bk_fact_game *f)
{
    unsigned right = 0, top = 0;

    f->left = f->bottom = BK_SQ_MAX;
    for (unsigned sq = 0; sq < f->v->nsq; sq++) {
        unsigned file = sq % f->v->files, rank = sq / f->v->files;

        if (!bk_bits_has(&f->v->board, sq))
            continue;
        f->left = file < f->left ? file : f->left;
        right = file > right ? file : right;
        f->bottom = rank < f->bottom ? rank : f->bottom;
        top = rank > top ? rank : top;
    }
    f->width = right - f->left + 1;
    f->height = top - f->bottom + 1;
}

/* == Metrics == */

static unsigned apart(unsigned a, unsigned b) { return a > b ? a - b : b - a; }
static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }
static unsigned larger(unsigned a, unsigned b) { return a > b ? a : b; }

/* The value of a metric for squares a and b; metrics of one square ignore `a`. */
static unsigned metric_between(const struct bk_fact_game *f, unsigned metric, unsigned a,
                               unsigned b)
{
    unsigned files = f->v->files, x = a % files, y = a / files, u = b % files, w = b / files;
    unsigned side = smaller(apart(u, f->left), apart(u, f->left + f->width - 1));
    unsigned end = smaller(apart(w, f->bottom), apart(w, f->bottom + f->height - 1));

    switch (metric) {
    case METRIC_DISTANCE: return larger(apart(x, u), apart(y, w));
    case METRIC_AXIS: return smaller(apart(x, u), apart(y, w));
    case METRIC_EDGE: return smaller(side, end);
    case METRIC_CORNER: return larger(side, end);
    case METRIC_COLOUR: return (x + y + u + w) & 1;
    case METRIC_RANK: return w - smaller(w, f->bottom);
    case METRIC_FILES_APART: return apart(x, u);
    case METRIC_RANK_AHEAD: return METRIC_ZERO + w - y;
    case METRIC_FILE: return u - smaller(u, f->left);
    case METRIC_RANKS_APART: return apart(y, w);
    case METRIC_FILE_AHEAD: return METRIC_ZERO + u - x;
    }
    return 0;
}

static bool make_metrics(struct bk_fact_game *f)
{
    size_t nsq = f->v->nsq;
    uint8_t *next = malloc(METRIC_ORBIT * nsq * nsq);

    f->metric[0] = next;
    for (unsigned m = 0; next && m < METRIC_ORBIT; m++) {
        f->metric[m] = next;
        for (unsigned a = 0; a < (fact_metric_pairs(m) ? nsq : 1); a++)
            for (unsigned b = 0; b < nsq; b++)
                *next++ = (uint8_t)metric_between(f, m, a, b);
    }
    return next;
}

/* Fills wide[] and step_metric[] (game.h).  False: no memory. */
static bool make_steps(struct bk_fact_game *f)
{
    unsigned files = f->v->files, last = f->v->nsq - 1u, most, room;

    for (unsigned sq = 0; sq <= last; sq++)
        f->wide[sq] = (uint16_t)(sq / files * (2 * files - 1) + sq % files);
    most = f->wide[last];
    room = 2 * most + 1;
    if (!(f->by_step = calloc(METRIC_ORBIT, room)))
        return false;
    for (unsigned m = 0; m < METRIC_ORBIT; m++) {
        uint8_t *middle = f->by_step + m * room + most;

        f->step_metric[m] = middle;
        for (unsigned a = 0; a <= (fact_metric_pairs(m) ? last : 0); a++)
            for (unsigned b = 0; b <= last; b++)
                middle[(int)f->wide[b] - (int)f->wide[a]] = (uint8_t)metric_between(f, m, a, b);
    }
    return true;
}

/* == Orbits == */

/* Sets seen[to] to 0 for all squares that the man can come to. */
static void find_orbit(const struct bk_variant *v, unsigned type, unsigned colour, unsigned from,
                       uint8_t *seen)
{
    uint8_t stack[BK_SQ_MAX];
    unsigned n = 1, count;

    seen[from] = 0;
    stack[0] = (uint8_t)from;
    while (n) {
        const struct bk_reach *r = bk_reach_from(v, type, colour, stack[--n], &count);

        for (unsigned i = 0; i < count; i++)
            if (seen[r[i].to]) {
                seen[r[i].to] = 0;
                stack[n++] = r[i].to;
            }
    }
}

static struct fact_orbit *orbit_new(const struct bk_variant *v, unsigned type, unsigned colour)
{
    size_t nsq = v->nsq;
    struct fact_orbit *orbit = malloc(sizeof *orbit + nsq * nsq);

    if (!orbit)
        return NULL;
    orbit->bound = false;
    memset(orbit->away, 1, nsq * nsq);
    for (unsigned from = 0; from < nsq; from++) {
        uint8_t *seen = orbit->away + from * nsq;

        find_orbit(v, type, colour, from, seen);
        for (unsigned to = 0; to < nsq; to++)
            orbit->bound |= seen[to] && bk_bits_has(&v->board, from) && bk_bits_has(&v->board, to);
    }
    return orbit;
}

const struct fact_orbit *bk_fact_orbit_of(struct bk_fact_game *game, unsigned type, unsigned colour)
{
    _Atomic(struct fact_orbit *) *slot = &game->orbit[type][colour];
    struct fact_orbit *there = atomic_load(slot), *mine;

    if (there)
        return there;
    mine = orbit_new(game->v, type, colour);
    if (!mine || atomic_compare_exchange_strong(slot, &there, mine))
        return mine;
    free(mine);
    return there;
}

/* == The game == */

static void game_free(struct bk_derived *derived)
{
    struct bk_fact_game *game = (struct bk_fact_game *)derived;
    const struct fact_width *width[FACT_WIDTHS] = { &bk_fact_width_64, &bk_fact_width_128,
                                                    &bk_fact_width_256 };

    for (unsigned t = 0; t < BK_TYPES_MAX; t++)
        for (unsigned c = 0; c < 2; c++) {
            free(game->orbit[t][c]);
            for (unsigned w = 0; w < FACT_WIDTHS; w++)
                width[w]->kind_free(game->reach[w][t][c]);
        }
    free(game->metric[0]);
    free(game->by_step);
    free(game);
}

static struct bk_fact_game *game_new(const struct bk_variant *v)
{
    struct bk_fact_game *game = calloc(1, sizeof *game);

    if (!game)
        return NULL;
    game->derived.free = game_free;
    game->v = v;
    find_rectangle(game);
    if (make_metrics(game) && make_steps(game))
        return game;
    game_free(&game->derived);
    return NULL;
}

struct bk_fact_game *bk_fact_game_of(const struct bk_variant *v)
{
    _Atomic(struct bk_derived *) *slot = &v->geometry->derived;
    struct bk_derived *there = atomic_load(slot);
    struct bk_fact_game *mine;

    if (there)
        return (struct bk_fact_game *)there;
    mine = game_new(v);
    if (!mine || atomic_compare_exchange_strong(slot, &there, &mine->derived))
        return mine;
    game_free(&mine->derived);
    return (struct bk_fact_game *)there;
}
