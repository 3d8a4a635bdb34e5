/*
 * needed.h - the tables that the positions of a material may lead to.
 */
#ifndef BK_NEEDED_H
#define BK_NEEDED_H

#include "table/material.h"

/*
 * Lists a material and all that its moves can make of it, then of those, to the end:
 * canonical, each once, those that are decided by rule left out, the nearest
 * first (so (*out)[0] is the material itself, if it has a table).
 *
 * *out owned: free(); *n: how many.  Returns BK_OK; BK_E_SYSTEM (memory); BK_E_USAGE (a move may
 * lead to more than a thousand).
 */
enum bk_err bk_materials_needed(struct bk_material **out, size_t *n, const struct bk_material *m,
                                const struct bk_variant *v, struct bk_report *why);

/*
 * As bk_materials_needed(), but the nearest `most` at most; *more: there are others.  For messages
 * that name what is missing, where no list was asked for: where a pawn may become twelve kinds,
 * three pawns of each colour lead to 157,079 tables, in three seconds.
 *
 * Cost: at most that of `most` materials, some us each.
 */
enum bk_err bk_materials_near(struct bk_material **out, size_t *n, bool *more,
                              const struct bk_material *m, const struct bk_variant *v, size_t most,
                              struct bk_report *why);

#endif
