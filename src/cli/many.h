/*
 * many.h - positions line by line from stdin: `probe VARIANT -`, `line VARIANT -`.
 *
 * One answer a line, in the order of the questions, on stdout: JSON or fields with tabs between.
 * A line that has no answer says why in its place, and the others are answered all the same.
 */
#ifndef BK_CLI_MANY_H
#define BK_CLI_MANY_H

#include "cli/cli.h"
#include "probe/bareking.h"

/* The best line from a position to the end of the game. */
struct many_line {
    struct bk_answer first, last;
    char fen[BK_LIB_FEN_MAX]; /* where it ends, or where it could not go on */
    char (*name)[16];         /* moves; owned: free() */
    size_t n;
    bool contradicts; /* the tables say one thing here, and another after the best move */
    bool unknown;     /* there are no distances after the best move: fen */
};

/*
 * Follows best moves until the game is over.  A draw has no line, nor has a result without
 * distance: n is 0.  Returns the library's error; where it has none, BK_LIB_CORRUPT with
 * `contradicts`, and BK_LIB_NO_TABLE with `unknown`.
 */
enum bk_lib_err many_follow(struct many_line *l, struct bk_lib *lib, const char *fen);

/* Says the library's error; returns the exit status that goes with it.  lib may be NULL. */
int many_fail(struct bk_lib *lib, enum bk_lib_err err);
/* "win", "cursed-win", "draw", "blessed-loss" or "loss": a result without and with the counter of
   the n-move rule; NULL: the latter is not known. */
const char *many_category(int wdl, int clocked, int known);
/* "checkmate", as in --json; NULL: the game goes on. */
const char *many_end_name(enum bk_lib_end end);

/*
 * Answers all lines of stdin; lines: with the moves to the end.  Returns the exit status: CLI_OK,
 * or the highest that one of the lines would have alone.
 *
 * Lines are read while they come, up to some MiB, and then answered together by all threads; so a
 * client that sends one and waits gets its answer.  Memory: some 20 MiB, whatever the input.
 */
int many_answer(struct cli *c, bool lines);

#endif
