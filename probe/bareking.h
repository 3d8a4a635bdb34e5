/*
 * bareking.h - libbareking: asks endgame tables of the Shatranj family.
 *
 *     struct bk_lib *lib;
 *     struct bk_answer a;
 *
 *     if (bk_open(&lib, "shatranj", "/tables") == BK_LIB_OK &&
 *         bk_probe_fen(lib, "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1", &a) == BK_LIB_OK)
 *         printf("wdl %+d, %d plies\n", a.wdl, a.dtw);
 *     bk_close(lib);
 *
 * Values are always from the side to move: wdl -1 loss, 0 draw, +1 win; dtw is
 * the number of plies (not moves, not turns) to the end under best play, the
 * mating or baring ply included; 0 means it is over.  "Unknown" is never a
 * value: a missing table is an error, which bk_error() names.
 *
 * Threads: any number may ask one handle at once, and other handles besides;
 * only bk_open(), bk_set_paths() and bk_close() want a handle for themselves.
 * The text of bk_error() belongs to the thread whose call failed.
 *
 * Handles are opaque; nothing is shared between them but that text.  The
 * library never prints, exits or aborts.
 *
 * A table is looked for when it is first asked for.  What was found then, or
 * was missing, is remembered: after adding tables call bk_set_paths().
 *
 * Cost of a probe: some 0.3 us for wdl, 3 us for the distance of a lost position,
 * when what it asks has been read before; else one or two reads of some 3 KB, and
 * of a table's model when it is first asked.
 *
 * Needs: 64 KiB of stack a thread that opens or asks.  A descriptor for each file of a table that
 * has been asked, two a table, closed on exec(); where there are none left it is BK_LIB_SYSTEM, and
 * may be asked again.  fork() while no other thread is asking leaves both processes a handle to go
 * on with and to close.  Memory: docs/security.md 1.
 */
#ifndef BAREKING_H
#define BAREKING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define BK_API __attribute__((visibility("default")))
#else
#define BK_API
#endif

#define BK_LIB_VERSION 0x000100 /* 0.1.0 */
BK_API unsigned bk_lib_version(void);

enum bk_lib_err {
    BK_LIB_OK = 0,
    BK_LIB_NO_TABLE = 1, /* expected: this material was never generated */
    BK_LIB_ILLEGAL = 2,  /* expected: the side not to move is in check  */
    BK_LIB_USAGE = 3,    /* bad FEN, variant file, argument (NULL, too) */
    BK_LIB_CORRUPT = 4,  /* broken: a table file is damaged             */
    BK_LIB_SYSTEM = 5,   /* broken: memory, disk, permissions           */
};
BK_API const char *bk_lib_strerror(enum bk_lib_err err); /* a fixed text, never NULL */

struct bk_lib;

/*
 * variant  name of a built-in game ("shatranj", "chess", ...) or path of an .ini file
 * paths    folders to look in, separated by ':'; each holds VARIANT/MATERIAL.bkw and .bkd.
 *          NULL or "": none yet (bk_set_paths()).
 * *out is owned: bk_close().  On failure *out still is a handle whose bk_error()
 * tells why, or NULL when there is no memory.
 */
BK_API enum bk_lib_err bk_open(struct bk_lib **out, const char *variant, const char *paths);
BK_API void bk_close(struct bk_lib *lib); /* NULL is fine */
/* Looks again, there: forgets open files.  No probe may be running.  On failure nothing changes. */
BK_API enum bk_lib_err bk_set_paths(struct bk_lib *lib, const char *paths);
/*
 * One line: what went wrong in this thread's last failed call, if that was on
 * this handle; else "".  Never NULL.  Borrowed until the thread's next call.
 * A missing table reads "no table KRvKN of shatranj in DIR1:DIR2", and more of them
 * "no table KRPvK of chess in DIR; also missing: KRvK, KQvK": all that some position of
 * the same material needs.
 */
BK_API const char *bk_error(const struct bk_lib *lib);

enum bk_lib_end {
    BK_LIB_GOES_ON,
    BK_LIB_CHECKMATE,
    BK_LIB_STALEMATE,
    BK_LIB_BARE,
    BK_LIB_BARE_DRAW,
};

struct bk_answer {
    int wdl;             /* -1, 0, +1 */
    int dtw;             /* plies; -1: a draw, or the table has no distances */
    enum bk_lib_end end; /* how the game is over already, if it is */
    int clocked_wdl;     /* wdl with the game-length limit, counted from the FEN's move number: a
                            win or loss stands if dtw <= plies_left, else it is a draw; equal to
                            wdl in games without a limit */
    int plies_left;      /* until that limit, 0 or more; -1: no limit */
    int clocked_known;   /* 1; 0: clocked_wdl needs a distance the table has not, and is wdl */
};

/* Looks up a FEN.  Written only on BK_LIB_OK.  Positions with an en passant
   square are answered by looking one ply ahead; positions with castling rights
   by tables of their own (KRvKR+Kk).
   A FEN with another mask (`*`) or width than the game's board is asked in the
   game on that terrain, GAME@14x14-0123abcd (docs/rules.md, "The Destruction of
   Atlantis"); so are FENs in the calls below.  One with castling rights in a game
   of shuffled homes is asked in the game with its homes, GAME@f-aj ("Sultan
   Random").  The first for a mask or homes costs some milliseconds and up to a
   few MB, kept until bk_set_paths() or bk_close(). */
BK_API enum bk_lib_err bk_probe_fen(struct bk_lib *lib, const char *fen, struct bk_answer *out);

/* A man for bk_probe_men(): letter as in FEN (upper case White), square as in "e4". */
struct bk_lib_man {
    char letter;
    unsigned char file, rank; /* from 0 */
};
/* Looks up a list of men, in any order: no en passant, no castling rights, all evolutions
   still allowed, first turn.  black_to_move: 0 or 1. */
BK_API enum bk_lib_err bk_probe_men(struct bk_lib *lib, const struct bk_lib_man *men, size_t n,
                                    int black_to_move, struct bk_answer *out);

/*
 * Looks up n FENs: answer out[i], or error err[i], for fens[i].
 *
 * out  n answers; out[i] is written only where err[i] is BK_LIB_OK
 * err  n codes, or NULL
 *
 * They are asked in the order in which the tables keep them: much faster than one by
 * one where files are not in memory.
 * Returns BK_LIB_OK when all were answered; else the first error in the order of
 * fens, which bk_error() explains, the others being answered all the same.
 * Memory: 32 bytes a FEN.
 */
BK_API enum bk_lib_err bk_probe_batch(struct bk_lib *lib, const char *const *fens, size_t n,
                                      struct bk_answer *out, enum bk_lib_err *err);

struct bk_lib_move {
    char name[16]; /* "a1b1", "b9b10=M"; castling "e1g1", or "b1a1" (the rook's square) where
                      the king moves less than two squares */
    int wdl, dtw;  /* for the side that plays it; dtw counts this ply */
};
/*
 * All legal moves with their values, best first: wins by distance, draws,
 * losses longest first; then by name.  A move that ends the game has dtw 1.
 * No moves where it is over.  How many goes to *n; at most `room` are written,
 * so out may be NULL with room 0.  The answer for one is the answer for all: a
 * missing table after any move is BK_LIB_NO_TABLE.
 */
BK_API enum bk_lib_err bk_probe_moves(struct bk_lib *lib, const char *fen, struct bk_lib_move *out,
                                      size_t room, size_t *n);
/* The FEN after a move named as above.  `out` has BK_LIB_FEN_MAX bytes. */
#define BK_LIB_FEN_MAX 512
BK_API enum bk_lib_err bk_play(struct bk_lib *lib, const char *fen, const char *move, char *out);

#ifdef __cplusplus
}
#endif
#endif
