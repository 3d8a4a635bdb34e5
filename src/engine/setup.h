/*
 * setup.h - a game as XBoard is told of it: name, array, letters, how the men move.
 */
#ifndef BE_SETUP_H
#define BE_SETUP_H

#include "engine/game.h"

#define BE_XNAME_MAX 64

/*
 * XBoard takes a name that contains one it knows for that game; so ours that do are changed:
 * "chess" is its "normal", "grand-shatranj-rook" becomes "gs10-rook".  Returns `out`.
 */
char *be_xboard_name(const char *name, char out[BE_XNAME_MAX]);
/* The other way; also takes our own names.  Returns `out`. */
char *be_own_name(const char *name, char out[BE_XNAME_MAX]);

/* XBoard has a rule of its own for Shatranj: it looks at a bare king after his reply, when he has
   had his chance to bare back.  A claim before that is "false", and loses the game. */
bool be_xboard_bares(const struct be_game *g);
/* Games whose board, array and men it has of its own: it must not be told of them. */
bool be_xboard_knows(const struct be_game *g);

/* Says `setup` and, where Betza's notation can tell at least all moves of each man, `piece`
   lines.  Nothing for games that XBoard knows. */
void be_setup_say(const struct be_game *g);

#endif
