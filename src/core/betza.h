/*
 * betza.h - moves in Betza's notation, written out as directed steps.
 *
 * The subset, and what each letter means, is in docs/variant-files.md 3.
 */
#ifndef BK_BETZA_H
#define BK_BETZA_H

#include "core/variant.h"

/*
 * Writes `text` out into m->step and m->nsteps; the rest of *m is left alone.
 * Steps that differ only in what they may do where they end become one.
 *
 * Returns BK_OK; or BK_E_USAGE, with the reason in `why` (no place in it) and
 * in *at the offset in `text` of the first letter that is wrong.  *m is then
 * undefined.
 */
enum bk_err bk_betza_read(struct bk_movement *m, const char *text, size_t *at,
                          struct bk_report *why);

#endif
