/*
 * pgn.h - a position and moves from it as a game's text, which `annotate` and other programs read.
 */
#ifndef BK_CLI_PGN_H
#define BK_CLI_PGN_H

#include "core/position.h"

/*
 * Writes a game to stdout: tags with the position, the moves as in PGN, its result if they end it.
 *
 * moves       legal ones, by name (bk_move_name()), with blanks between; "": none
 * wdl, plies  the position's value for the side to move: a comment before the first move
 */
void cli_print_pgn(const struct bk_variant *v, const struct bk_pos *from, const char *moves,
                   int wdl, int plies);

#endif
