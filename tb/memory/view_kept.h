/*
 * view_kept.h - views that share where men stand.
 *
 * Views of a group of blocks range over men of several cells, and each choice of their squares may
 * lead to another block of the table.  Which one, and where in it, is the same in every view of a
 * kind, wherever the kings are: it is looked up once and kept.
 */
#ifndef BK_VIEW_KEPT_H
#define BK_VIEW_KEPT_H

#include "tb/memory/view.h"

/*
 * What views of one kind share: one plan, one list of free men, and other men that all
 * stand still but for one, the mover.
 * Threads: any number fill and ask at a time.
 */
struct bk_view_cache;
struct bk_view_cache *bk_view_cache_new(void); /* owned; NULL: no memory */
void bk_view_cache_free(struct bk_view_cache *c);

/* As bk_view_fill().  moved: the square of the man that moves from view to view; 0: none does. */
void bk_view_fill_kept(struct bk_view_cache *c, const struct bk_view_plan *p,
                       const struct bk_placement *at, unsigned moved, const struct bk_free_man *men,
                       unsigned nfree, int16_t *out);

#endif
