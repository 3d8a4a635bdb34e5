/*
 * disk.c - see disk.h.
 *
 * (1) bytes = HEAD_BYTES + positions kept * bits / 8 * SCALE / 100
 *
 * Positions kept are those of both sides to move, or of one where exchanging the colours gives the
 * same material.  What a position takes depends on the material more than on anything that is known
 * before: KQRvKQ of Shatranj takes 0.0001 bits for its result, for the rook wins; KPPvKQ 0.25.  A
 * single table's guess is off by a factor of two or more, then; but a sum over many is near, and
 * that is what decides whether a disk will do.  `bits` is such a mean, over the files of a class:
 *
 *   kind    results, distances
 *   bare    whether a bare king loses (Shatranj and kin) or not (chess, Sultan): where it does,
 *           there are more ways to win, and shorter ones
 *   men     3, 4, 5 and more: of six there are none to measure
 *   movers  none, one, more of the men that become others (pawns)
 *
 * (2) On larger boards fewer positions have men near each other, which is what results depend on:
 * theirs are scaled by (64 / squares)^2.  Distances take as much.
 *
 * Truth: `tests/disk.sh BAREKING DIR` prints guess and truth of a folder by class, with the factor
 * that a class' constant would have to be multiplied by.  Sums, guess against truth:
 *
 *   Shatranj, all 15 of 4 men                         2.4 MB    0 %   (the constants are from
 *     36 of the 75 of 5 men, 26 drawn by lot          643 MB    0 %    these and chess)
 *     14 more, whose results alone are known           27 MB   -7 %
 *   chess, all 35 of 3 and 4 men                      6.2 MB    0 %
 *     3 of 5 men without pawns                         27 MB  -36 %
 *   Sultan, all 48 of 3 and 4 men                      28 MB    0 %
 *   Grand Shatranj, the 21 of 4 men without pawns      11 MB   +4 %
 *   Puzzle Shatranj, all 10 of 4 men                  2.4 MB  +24 %   (no pawns, and riders)
 *   Shatranj Darwinian, 20 of 4 men                    10 MB  +49 %   (half its men become others)
 *
 * So a game's tables together are within 15 percent, but for Puzzle's and where most men become
 * others.  Of parts of
 * Shatranj's, drawn by lot from those 36: of 30 tables the sum is off by 4 % (median; one time in
 * ten by more than 9), of 20 by 7 (19), of 10 by 13 (35), of 5 by 21 (64); a single table by a
 * factor of 1.5, one in ten by more than 11.  Constants of one random half are off by 18 % (44) for
 * the other.
 */
#include "tb/build/disk.h"

#include "core/rules.h"

/* Percent of what the files took that the constants were measured with. */
#define SCALE UINT64_C(100)

#define HEAD_BYTES UINT64_C(180)

/* Ten-thousandths of a bit a position: [kind][bare][men 3, 4, 5][movers 0, 1, 2]. */
static const uint32_t bits[2][2][3][3] = {
    {
        /* results */
        { { 0, 518, 518 }, { 80, 102, 514 }, { 194, 1134, 1134 } },  /* a bare king plays on */
        { { 684, 705, 805 }, { 684, 705, 805 }, { 331, 478, 889 } }, /* a bare king loses */
    },
    {
        /* distances */
        { { 3060, 4197, 4197 },
          { 2611, 3231, 3602 },
          { 2125, 3344, 3344 } }, /* a bare king plays on */
        { { 1827, 1792, 871 }, { 1827, 1792, 871 }, { 3014, 3220, 3251 } }, /* a bare king loses */
    },
};

/* Men that may become others, at most 2. */
static unsigned movers_of(const struct bk_material *m, const struct bk_variant *v)
{
    unsigned n = 0;

    for (unsigned type = 0; type < v->ntypes; type++)
        if (bk_rules_changes_ever(v, type))
            n += m->count[BK_WHITE][type] + m->count[BK_BLACK][type];
    return n < 2 ? n : 2;
}

uint64_t bk_disk_guess(const struct bk_material *m, const struct bk_index *ix, enum bk_kind kind)
{
    const struct bk_variant *v = ix->v;
    unsigned men = ix->nslots + 2u, squares = bk_bits_count(&v->board);
    uint64_t kept = bk_table_one_side(m, v) ? ix->positions : 2 * ix->positions;
    double each =
        bits[kind][bk_rules_bare_loses(v)][men < 5 ? men - (men > 2 ? 3 : 2) : 2][movers_of(m, v)];

    if (kind == BK_KIND_WDL)
        each *= 64.0 * 64.0 / ((double)squares * squares);
    return HEAD_BYTES + (uint64_t)((double)kept * each / 80000) * SCALE / 100;
}
