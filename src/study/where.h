/*
 * where.h - a small language that says which positions are wanted.
 *
 *     wdl = 1 and plies >= 30 and dist(K, k) <= 2 and not attacked(R)
 *
 * Numbers only; true is anything but 0.  docs/study.md has the words.  An expression is read for
 * one material, so that one that names a man the material lacks is refused before any position is
 * looked at.
 *
 * Threads: any number may evaluate one expression.
 */
#ifndef BK_STUDY_WHERE_H
#define BK_STUDY_WHERE_H

#include "core/position.h"

struct study_where;

/*
 * count  the men of the material, by colour and type
 * *out owned.  BK_E_USAGE: what is wrong, and at which column; BK_E_SYSTEM.
 */
enum bk_err study_where_new(struct study_where **out, const struct bk_variant *v,
                            const uint8_t count[2][BK_TYPES_MAX], const char *text,
                            struct bk_report *why);
void study_where_free(struct study_where *w); /* NULL is fine */

/* Does the expression ask what the position is worth with the other side to move? */
bool study_where_asks_other(const struct study_where *w);

/* What an expression may ask of a position. */
struct study_facts {
    const struct bk_pos *p;
    int wdl, plies;             /* plies -1: a draw, or unknown */
    int other_wdl, other_plies; /* with the other side to move; wdl -2: not legal */
};
bool study_where_true(const struct study_where *w, const struct study_facts *f);

#endif
