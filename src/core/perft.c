/*
 * perft.c - see perft.h.
 */
#include "core/perft.h"

#include "core/move.h"

uint64_t bk_perft(const struct bk_variant *v, const struct bk_pos *p, unsigned depth)
{
    struct bk_move move[BK_MOVES_MAX];
    uint64_t leaves = 0;

    if (depth == 0)
        return 1;
    for (unsigned first = 0; first != BK_MOVES_END;) {
        unsigned n = bk_moves_portion(v, p, &first, move);

        if (depth == 1) {
            leaves += n;
            continue;
        }
        for (unsigned i = 0; i < n; i++) {
            struct bk_pos after = *p;

            bk_pos_play(&after, v, &move[i]);
            leaves += bk_perft(v, &after, depth - 1);
        }
    }
    return leaves;
}
