/*
 * read.h - a game from the text of a variant file: docs/variant-files.md.
 */
#ifndef BK_READ_H
#define BK_READ_H

#include "core/finish.h"

/*
 * Reads a game; `label` stands for the file name in messages.  *out is owned:
 * bk_variant_free(), and left alone on failure.
 *
 * Returns BK_OK; BK_E_USAGE (why = "label:line:column: what is wrong"); BK_E_SYSTEM.
 */
enum bk_err bk_variant_parse(struct bk_variant **out, const char *label, const char *text,
                             struct bk_report *why);

#endif
