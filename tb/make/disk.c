/*
 * disk.c - see disk.h.
 *
 * A file that was made before takes what it took
 * (src/variants/sizes.tsv).  Of others is guessed:
 *
 * (1) bytes = HEAD_BYTES + positions kept * bits / 8
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
 *   Shatranj, all 15 of 4 men                           2.4 MB  -11 %
 *     all 75 of 5 men, two a side or two against three  1.13 GB   0 %
 *   chess, all 35 of 3 and 4 men                        6.2 MB    0 %
 *     7 of 5 men, one with a pawn                        68 MB    0 %
 *   Sultan, all 48 of 3 and 4 men                        28 MB   -1 %
 *   Grand Shatranj, all 28 of 4 men                      23 MB  -13 %
 *     its gilded set-up, all 36                          24 MB   +5 %
 *   Atlantean, all 28 of 4 men                           21 MB  -11 %
 *   Puzzle Shatranj, all 10 of 4 men                    2.4 MB  +15 %
 *   Shatranj Darwinian, all 78 of 4 men                  53 MB  +15 %
 *     130 of up to 5 men, results alone, fast           1.14 GB  -8 %
 *
 * The constants of four men where a bare king loses are those by which the worst of these games is
 * off by least.  So a game's tables together are within 15 percent, but for puzzle-mini's, of which
 * a third of the bytes guessed is there: ten tables, 9 KB.  A single table is off by a
 * factor of two, one in ten by more than twenty: files of a few hundred bytes, and games in which
 * one side wins nearly always or hardly ever, which is known when it is solved.  Of parts of
 * Shatranj's 75, drawn by lot: of 30 tables the sum is off by 9 % (median; one time in ten by more
 * than 24), of 20 by 13 (34), of 10 by 20 (61).  The men's mobility, their number by side and the
 * board's size estimate no better: fitted to all games but one they are off by a quarter to a half
 * for that one.
 */
#include "tb/make/disk.h"

#include <string.h>

#include "core/rules.h"
#include "tb/make/known.h"

#define HEAD_BYTES UINT64_C(180)

/* Ten-thousandths of a bit a position: [kind][bare][men 3, 4, 5][movers 0, 1, 2]. */
static const uint32_t bits[2][2][3][3] = {
    {
        /* results */
        { { 0, 518, 518 }, { 80, 102, 514 }, { 155, 660, 660 } },    /* a bare king plays on */
        { { 699, 667, 680 }, { 699, 667, 680 }, { 255, 440, 875 } }, /* a bare king loses */
    },
    {
        /* distances */
        { { 3060, 4197, 4197 },
          { 2611, 3231, 3602 },
          { 1970, 3050, 3050 } }, /* a bare king plays on */
        { { 1616, 1514, 816 }, { 1616, 1514, 816 }, { 2500, 2770, 3500 } }, /* a bare king loses */
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

/* `fast` of all 90 tables of Shatranj; `best` of thirteen of them with results of 0.3 MB and more
   (docs/performance.md 2), 0.64 to 0.76 of results, of KRNvKR, KNPvKB and KQBvKR 0.88 to 0.92 of
   distances; of these three standalone, 1.00 to 1.50 and 2.17 to 2.84. */
double bk_disk_share(enum bk_kind kind, enum bk_effort effort, bool standalone)
{
    static const double efforts[2][3] = {
        [BK_KIND_WDL] = { [BK_EFFORT_FAST] = 2.07,
                          [BK_EFFORT_NORMAL] = 1,
                          [BK_EFFORT_BEST] = 0.72 },
        [BK_KIND_DTW] = { [BK_EFFORT_FAST] = 1.48, [BK_EFFORT_NORMAL] = 1, [BK_EFFORT_BEST] = 0.9 },
    };
    static const double alone[2] = { [BK_KIND_WDL] = 1.16, [BK_KIND_DTW] = 2.4 };

    return efforts[kind][effort] * (standalone ? alone[kind] : 1);
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
    return HEAD_BYTES + (uint64_t)((double)kept * each / 80000);
}

static const struct bk_known_game *known_game_of(const struct bk_variant *v)
{
    const struct bk_known_game *g = bk_known_games;

    while (g->rules_id && g->rules_id != v->rules_id)
        g++;
    return g->rules_id ? g : NULL;
}

uint64_t bk_disk_known(const struct bk_variant *v, const char *name, enum bk_kind kind,
                       enum bk_effort effort)
{
    const struct bk_known_game *g = known_game_of(v);

    for (unsigned i = 0; g && i < g->n; i++) {
        const struct bk_known_table *t = &g->table[i];

        if (strcmp(t->name, name) != 0)
            continue;
        if (effort == BK_EFFORT_FAST)
            return t->fast[kind];
        return (uint64_t)((double)t->normal[kind] * bk_disk_share(kind, effort, false));
    }
    return 0;
}
