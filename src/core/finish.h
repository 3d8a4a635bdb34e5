/*
 * finish.h - a variant whose plain fields are set becomes one to play with, and is freed.
 */
#ifndef BK_FINISH_H
#define BK_FINISH_H

#include "core/variant.h"

/*
 * Checks the plain fields (core/check.h), then derives nsq, rules_id, wings_id and
 * geometry.  On failure `v` is left unchanged: BK_E_USAGE (it is no game; `why` names
 * the piece and the key), BK_E_SYSTEM.
 */
enum bk_err bk_variant_finish(struct bk_variant *v, struct bk_report *why);

void bk_variant_free(struct bk_variant *v); /* and its geometry; NULL is fine */

#endif
