/*
 * drawn.c - see drawn.h.
 *
 * An exit wins for certain where it bares the other king, and that ends the game; or where what is
 * left gives mate to a king alone, who has nothing to take.  Where each side has one man, there
 * are no other winning exits.  Of other exits nothing is known but what was measured.
 */
#include "tb/encode/drawn.h"

#include "core/attack.h"
#include "core/end.h"
#include "core/move.h"
#include "core/rules.h"

/* == A king alone == */

/* Can a man of `type` and a king of `colour` near by mate the other king on `sq`? */
static bool mates_on(const struct bk_variant *v, unsigned type, unsigned colour, unsigned sq)
{
    for (unsigned king = 0; king < v->nsq; king++) {
        int files = (int)(king % v->files) - (int)(sq % v->files);
        int ranks = (int)(king / v->files) - (int)(sq / v->files);

        if (king == sq || files * files > 9 || ranks * ranks > 9 || !bk_bits_has(&v->board, king))
            continue;
        for (unsigned man = 0; man < v->nsq; man++) {
            struct bk_pos p;
            int wdl;

            if (man == sq || man == king || !bk_bits_has(&v->board, man))
                continue;
            bk_pos_init(&p, v);
            p.stm = !colour;
            bk_pos_put(&p, v, v->royal, !colour, sq);
            bk_pos_put(&p, v, v->royal, colour, king);
            bk_pos_put(&p, v, type, colour, man);
            if (bk_in_check(v, &p, !colour) && bk_pos_legal(v, &p) &&
                bk_pos_end(v, &p, &wdl) == BK_END_CHECKMATE)
                return true;
        }
    }
    return false;
}

/* The square where a king alone has the fewest moves. */
static unsigned corner_of(const struct bk_variant *v, unsigned colour)
{
    unsigned corner = 0, fewest = BK_MOVES_MAX;

    for (unsigned sq = 0; sq < v->nsq; sq++) {
        struct bk_move move[BK_MOVES_MAX];
        struct bk_pos p;
        unsigned n;

        if (!bk_bits_has(&v->board, sq))
            continue;
        bk_pos_init(&p, v);
        p.stm = (uint8_t)colour;
        bk_pos_put(&p, v, v->royal, colour, sq);
        n = bk_moves_pseudo(v, &p, move);
        if (n < fewest) {
            fewest = n;
            corner = sq;
        }
    }
    return corner;
}

/* == Exits == */

struct drawing {
    const struct bk_variant *v;
    bool known[2][BK_TYPES_MAX], mates[2][BK_TYPES_MAX]; /* by colour, type: mates a king alone? */
};

/* Can one of the men of a side, with its king, mate a king alone? */
static bool mates_alone(struct drawing *g, const struct bk_pos *p, unsigned colour)
{
    for (unsigned type = 0; type < BK_TYPES_MAX; type++) {
        if (!p->count[colour][type] || type == g->v->royal)
            continue;
        if (!g->known[colour][type])
            g->mates[colour][type] = mates_on(g->v, type, colour, corner_of(g->v, !colour));
        g->known[colour][type] = true;
        if (g->mates[colour][type])
            return true;
    }
    return false;
}

/* Has the side to move lost because it is bare? */
static bool is_over(const struct drawing *g, const struct bk_pos *p)
{
    int wdl;

    return bk_pos_bare(g->v, p, &wdl) == BK_END_BARE && wdl < 0;
}

/* Is the side to move a king alone, with nothing to take, that will be mated? */
static bool will_be_mated(struct drawing *g, const struct bk_pos *p)
{
    struct bk_move move[BK_MOVES_MAX];

    return !bk_rules_bare_loses(g->v) && bk_bits_single(&p->by[p->stm]) &&
           !bk_moves_exits(g->v, p, move) && mates_alone(g, p, !p->stm);
}

/* Counts a position by its exits. */
static void count_exits(struct bk_drawn *out, struct drawing *g, const struct bk_pos *p,
                        const struct bk_move *exit, unsigned n)
{
    bool wins = false, ends = false;

    out->exits += n > 0;
    if (bk_bits_count(&p->by[!p->stm]) > 3) /* a move takes two at most */
        return;
    for (unsigned i = 0; i < n && !ends; i++) {
        struct bk_pos next = *p;

        bk_pos_play(&next, g->v, &exit[i]);
        if (!bk_pos_legal(g->v, &next))
            continue;
        ends = is_over(g, &next);
        wins = wins || ends || will_be_mated(g, &next);
    }
    out->wins += wins;
    out->ends += ends;
}

void bk_draw_positions(struct bk_drawn *out, const struct bk_index *ix,
                       const struct bk_unit_place *place, unsigned n)
{
    uint64_t numbers = place->end - place->first;
    struct drawing g = { .v = ix->v };

    *out = (struct bk_drawn){ .n = n };
    for (uint64_t i = 0; numbers && i < n; i++) { /* spread by the golden ratio */
        uint64_t part = (i * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
        uint64_t number =
            place->first + (numbers >> 32) * part + ((numbers & 0xffffffff) * part >> 32);
        struct bk_move exit[BK_MOVES_MAX];
        struct bk_placement at;
        struct bk_pos p;
        unsigned exits;

        bk_index_unrank(ix, number, &at);
        if (!bk_index_position(ix, &at, place->side, &p) || !bk_pos_legal(ix->v, &p))
            continue;
        exits = bk_exits_may_be(ix->v, &p) ? bk_moves_exits(ix->v, &p, exit) : 0;
        out->legal++;
        count_exits(out, &g, &p, exit, exits);
    }
}

/* == Estimates == */

/*
 * Measured.  60 of 100 positions are legal where the side to move has a queen of chess, 90 with
 * pawns.  For the side that wins more, most exits win, also those of which nothing is known; for
 * the other side perhaps none.
 *
 * Distances are stored for positions that are won, but not at once.  Their number is not known
 * before: of the side that wins more all or hardly any, of the other few; where both have the same
 * men 40 at the most, and 20 as a rule.
 */
enum { EXITS_WIN = 75, TOLD_MOST = 40 };
static const unsigned won_of[] = {
    [BK_WINS_MORE] = 70,
    [BK_WINS_LESS] = 10,
    [BK_WINS_EVEN] = 40,
};

static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

/* Returns `positions` for each drawn one, 100 at most; and one more, as the sample is random. */
static unsigned share_of(const struct bk_drawn *d, unsigned positions)
{
    return smaller(100, (positions + d->n - 1) / d->n + 1);
}

unsigned bk_drawn_results(const struct bk_drawn *d, enum bk_mover mover)
{
    unsigned told = 100 * d->wins, others = EXITS_WIN * (d->exits - d->wins);

    if (mover == BK_WINS_MORE && told < TOLD_MOST * d->legal)
        told = smaller(told + others, TOLD_MOST * d->legal);
    return share_of(d, 100 * d->legal - told);
}

unsigned bk_drawn_results_alone(const struct bk_drawn *d) { return share_of(d, 100 * d->legal); }

unsigned bk_drawn_distances(const struct bk_drawn *d, enum bk_mover mover)
{
    return smaller(won_of[mover], share_of(d, 100 * (d->legal - d->ends)));
}
