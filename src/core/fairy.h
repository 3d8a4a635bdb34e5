/*
 * fairy.h - games from Fairy-Stockfish's variants.ini.
 *
 * A section of such a file becomes a variant as if it had been written in our
 * own form, as far as our rules reach.  Every key is either understood, or
 * known to change no table, or refused by name: none is ignored.  Which is
 * which: docs/fairy-stockfish.md.
 */
#ifndef BK_FAIRY_H
#define BK_FAIRY_H

#include "core/embedded.h"
#include "core/finish.h"

/* Is this text such a file, and not one of ours ([variant], [piece NAME])? */
bool bk_fairy_is(const char *text);

/*
 * Reads one section.  `label` stands for the file name in messages; section
 * NULL: the only one there is.  *out is owned: bk_variant_free().
 *
 * Returns BK_OK; BK_E_USAGE (why = "file:line:column: key 'x': ..."); BK_E_SYSTEM.
 */
enum bk_err bk_fairy_parse(struct bk_variant **out, const char *label, const char *text,
                           const char *section, struct bk_report *why);

/* Reads a game that Fairy-Stockfish has built in.  *out is owned.  Returns BK_OK or BK_E_SYSTEM. */
enum bk_err bk_fairy_built_in(struct bk_variant **out, const struct bk_embedded_fairy *game,
                              struct bk_report *why);

#endif
