/*
 * clients.h - our games in graphical clients: their names, arrays and ranks there.
 *
 * XBoard, Fairy-Stockfish, pychess and cutechess agree on these for the games that they know.
 */
#ifndef BK_CLIENTS_H
#define BK_CLIENTS_H

#include "core/variant.h"

#define BK_CLIENT_NAME_MAX 64

/*
 * Writes XBoard's name of a game.  XBoard takes a name that contains one it knows for that game, so
 * such names of ours are changed: "chess" is its "normal", "grand-shatranj-rook" becomes
 * "gs10-rook".  Returns `out`.
 */
char *bk_client_name(const char *name, char out[BK_CLIENT_NAME_MAX]);
/* Writes our name for one of XBoard's; our own names stay as they are.  Returns `out`. */
char *bk_own_name(const char *name, char out[BK_CLIENT_NAME_MAX]);

/* The FEN from which clients begin the game of this name, if that is not the game's own array, or
   the game has none.  NULL: there is no other. */
const char *bk_client_array(const char *name);

/* Does XBoard number the ranks from 0?  It does on boards of ten. */
static inline bool bk_client_from_zero(const struct bk_variant *v) { return v->ranks == 10; }

#endif
