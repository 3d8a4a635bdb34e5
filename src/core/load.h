/*
 * load.h - a game by its name.
 *
 * It comes from the sets embedded in the binary (src/variants/) or from a path.
 * A text that is not understood is refused with `file:line:column: what is wrong`.
 */
#ifndef BK_LOAD_H
#define BK_LOAD_H

#include "core/embedded.h"
#include "core/finish.h"

/*
 * Loads a variant by the name of an embedded one (of two that are named alike, ours) or, if `name`
 * contains a slash or ends in ".ini", from that file; "FILE.ini#SECTION" is a section of
 * Fairy-Stockfish's variants.ini (core/fairy.h).  *out is owned: bk_variant_free().
 *
 * Returns BK_OK; BK_E_USAGE (unknown name or bad file; why = "file:line: ...");
 * BK_E_SYSTEM (unreadable file, no memory).
 */
enum bk_err bk_variant_load_any(struct bk_variant **out, const char *name, struct bk_report *why);

/* The same for programs that need tables, or know royal games alone: other games are refused
   (BK_E_USAGE) in the name of bk_rules_without_tables(). */
enum bk_err bk_variant_load(struct bk_variant **out, const char *name, struct bk_report *why);

#endif
