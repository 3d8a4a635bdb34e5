/*
 * setup.h - describes a game to XBoard: name, array, letters, how the men move.
 */
#ifndef BE_SETUP_H
#define BE_SETUP_H

#include "engine/game.h"

/* Does XBoard judge bare kings itself?  In Shatranj it does, after the bare king's reply, when he
   has had his chance to bare back.  A claim before that is "false", and loses the game. */
bool be_xboard_bares(const struct be_game *g);
/* Has XBoard the game's board, array and men of its own?  It must not be told of them. */
bool be_xboard_knows(const struct be_game *g);

/* Says `setup` and, where Betza's notation can tell at least all moves of each man, `piece`
   lines.  Nothing for games that XBoard knows. */
void be_setup_say(const struct be_game *g);

#endif
