/*
 * fairy_write.h - a game as a section of Fairy-Stockfish's variants.ini.
 *
 * What is written says all rules of the game: it is read back (core/fairy.h) and must be the same
 * game, with the same rules_id.  A game that such a file cannot say is refused, with the rule that
 * stands in the way.  Which keys say what: docs/fairy-stockfish.md.
 */
#ifndef BK_FAIRY_WRITE_H
#define BK_FAIRY_WRITE_H

#include "core/variant.h"

#define BK_FAIRY_TEXT_MAX 4096

/* The name of the game of the same rules that the program has built in, whatever it is called here;
   NULL: there is none, or no memory to find out. */
const char *bk_fairy_name_of(const struct bk_variant *v);

/* Writes the section, called as the game.  `nearly`: rules that it cannot say are left out, each
   with a line `# not said: the rule`; moves of two steps become parts of them.  What is written is
   then another game, whose positions are ours; an engine of it must be held to our moves.  A board
   of no size there, men in hand and homes of a FEN's own are refused all the same.
   Returns BK_OK; BK_E_USAGE: why = "NAME: the rule"; BK_E_SYSTEM. */
enum bk_err bk_fairy_write(const struct bk_variant *v, bool nearly, char out[BK_FAIRY_TEXT_MAX],
                           struct bk_report *why);

/* The program has boards of up to so many files and ranks, if it was built for large ones. */
#define BK_FAIRY_PROGRAM_FILES 12
#define BK_FAIRY_PROGRAM_RANKS 10

#endif
