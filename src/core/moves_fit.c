/*
 * moves_fit.c - see moves_fit.h.
 */
#include "core/moves_fit.h"

#include "core/geometry.h"
#include "core/rules.h"

/* The most moves of one man from one square with `enemies` enemy men about, changes left aside. */
static unsigned ends_max(const struct bk_variant *v, unsigned type, unsigned colour, unsigned sq,
                         unsigned enemies)
{
    unsigned n, plain = 0, twice = 0, by_via = enemies * BK_STEPS_MAX;
    const struct bk_reach *r = bk_reach_from(v, type, colour, sq, &n);

    for (unsigned i = 0; i < n; i++)
        if (r[i].how & BK_TWICE)
            twice++;
        else
            plain += i == 0 || r[i - 1].how & BK_TWICE || r[i - 1].to != r[i].to;
    return plain + (twice < by_via ? twice : by_via) + 2; /* en passant; in place */
}

static unsigned moves_of_one_max(const struct bk_variant *v, unsigned type, unsigned colour,
                                 unsigned enemies)
{
    unsigned most = 0;

    for (unsigned sq = 0; sq < v->nsq; sq++) {
        unsigned n = ends_max(v, type, colour, sq, enemies);

        most = n > most ? n : most;
    }
    return most * (1 + bk_rules_changes_max(v, type));
}

bool bk_moves_fit(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX])
{
    unsigned men[2] = { 0, 0 };

    for (unsigned type = 0; type < v->ntypes; type++)
        for (unsigned colour = 0; colour < 2; colour++)
            men[colour] += count[colour][type];
    for (unsigned colour = 0; colour < 2; colour++) {
        unsigned moves = 2; /* castling */

        for (unsigned type = 0; type < v->ntypes; type++)
            if (count[colour][type])
                moves += count[colour][type] * moves_of_one_max(v, type, colour, men[!colour]);
        if (moves > BK_MOVES_MAX)
            return false;
    }
    return true;
}
