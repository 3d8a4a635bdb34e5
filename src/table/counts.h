/*
 * counts.h - the counts and longest lines of a table, for a material by either of its names.
 *
 * A table is kept for White's men as its file names them, and maybe for White to move only; here
 * both sides are counted, and KNvKR as KRvKN with the colours exchanged.
 */
#ifndef BK_COUNTS_H
#define BK_COUNTS_H

#include "table/format.h"

/* One side to move, counted; results are the mover's. */
struct bk_counts {
    uint64_t win, draw, loss;             /* once a symmetry class */
    uint64_t all_win, all_draw, all_loss; /* all placements */
    /* with an n-move rule: of these wins and losses those that it makes draws */
    uint64_t cursed, blessed, all_cursed, all_blessed;
    int64_t win_plies, loss_plies; /* longest; -1: none, or not known */
    char win_fen[BK_FEN_MAX], loss_fen[BK_FEN_MAX];
};

/*
 * Reads the head of m's table in the first of the folders (separated by ':') that has it; out[0] is
 * of White to move.  m need not be canonical, and is not decided by rule.
 * Returns BK_OK; BK_E_NO_TABLE; BK_E_CORRUPT; BK_E_NEWER; BK_E_SYSTEM.
 */
enum bk_err bk_counts_read(struct bk_counts out[2], const char *dirs, const struct bk_variant *v,
                           const struct bk_material *m, struct bk_report *why);
/* The same of five results, with the longest to zeroing.  BK_E_NO_TABLE: there are none. */
enum bk_err bk_counts_read_five(struct bk_counts out[2], const char *dirs,
                                const struct bk_variant *v, const struct bk_material *m,
                                struct bk_report *why);

/*
 * Makes `out` from a summary, for the material of its index or, if `exchanged`, the one with the
 * colours exchanged; one_side: what it says of Black is White's turned round.  False: a longest
 * game begins at no position, as no builder writes it.
 */
bool bk_counts_of(struct bk_counts out[2], const struct bk_summary *s, const struct bk_index *ix,
                  bool one_side, bool exchanged);

/* Opens the file that bk_counts_read() reads.  Where results are five it is that of the distances
   to the end, if there are any.  *out owned; *exchanged: it has m's colours exchanged. */
enum bk_err bk_counts_open(struct bk_file **out, bool *exchanged, const char *dirs,
                           const struct bk_variant *v, const struct bk_material *m,
                           struct bk_report *why);

/*
 * Writes the FEN of a number of an index, if `exchanged` with the colours exchanged; side: who
 * moves in the index.  False: two men on one square, and nothing is written.
 */
bool bk_counts_fen(const struct bk_index *ix, uint64_t number, unsigned side, bool exchanged,
                   char out[BK_FEN_MAX]);

#endif
