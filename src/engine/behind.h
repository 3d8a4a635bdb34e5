/*
 * behind.h - another engine behind ours, which chooses where tables do not.
 *
 * Ours speaks to people and knows the game; the one behind is a program that speaks UCI, of
 * Stockfish's family.  It is asked only where it has understood: its `go perft 1` must list our
 * legal moves.  It may choose among given moves alone, and what it answers is checked.  Whatever is
 * wrong with it (no answer, a late one, a wrong one, its death) is a value: the caller goes on by
 * itself, and be_behind_fault() has one line about it.  docs/engines.md says what it is good for.
 *
 * POSIX only; elsewhere no engine can be started, which is said the same way.
 *
 * Threads: one at a time may use a struct be_behind.
 */
#ifndef BE_BEHIND_H
#define BE_BEHIND_H

#include "engine/search.h"

struct be_behind;

/* Starts `command` by the shell and reads what it says of itself; blocks for START_MS at most
   (behind.c).  *out is owned.  BK_E_SYSTEM: no memory, or it is no UCI engine: why. */
enum bk_err be_behind_new(struct be_behind **out, const char *command, struct bk_report *why);
/* Asks it to quit, and ends it and all that it has started in its process group; NULL is fine. */
void be_behind_free(struct be_behind *b);

/* The command that it was started by. */
const char *be_behind_command(const struct be_behind *b);
/* Calls tell() with each line `option name ...` of the engine that a client may want to know: not
   those of the game, of which ours tells, nor those that ours sets itself. */
void be_behind_options(const struct be_behind *b, void (*tell)(const char *line));
/* Sets an option; value: "" of a button.  False: it has none of this name. */
bool be_behind_set(struct be_behind *b, const char *name, const char *value);
/* Another game begins: what is known of the last one is forgotten, and an engine that was given up
   is tried again. */
void be_behind_new_game(struct be_behind *b);

/*
 * Has the engine choose among `may`, legal moves of s->root, two or more; fills s->line and
 * s->nfound, the move to play first, and passes each line that comes to s->tell().  Scores are
 * brought within `least` and `most`.  Returns at the limits of the search, after s->stop, or when
 * the engine has answered; False: it has given no move, and s->nfound is 0.
 *
 * Cost: two rounds through pipes, and the engine's own time.
 */
bool be_behind_choose(struct be_behind *b, struct be_search *s, const struct be_moves *may,
                      int least, int most);
/* One line about what was wrong in the last be_behind_choose(), or NULL; told once. */
const char *be_behind_fault(struct be_behind *b);

#endif
