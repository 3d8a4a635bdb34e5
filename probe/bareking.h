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
 * An engine asks bk_probe_wdl() in its search, with BK_LIB_CACHE_ONLY where it must
 * not wait for a disk, and bk_rank_moves() at the root: docs/engines.md.
 *
 * Threads: any number may ask one handle at once, and other handles besides;
 * bk_refresh() and bk_set_paths() may come at any time.  Only bk_open() and bk_close() want
 * a handle for themselves.  The text of bk_error() belongs to the thread whose call failed.
 *
 * Handles are opaque; nothing is shared between them but that text, and memory where they
 * were opened so.  The library never prints, exits or aborts.
 *
 * A table is looked for when it is first asked for.  What was found then, or
 * was missing, is remembered: after adding tables call bk_refresh().
 *
 * Cost of a probe: some 0.3 us for wdl, 3 us for the distance of a lost position,
 * when what it asks has been read before; else one or two reads of some 3 KB, and
 * of a table's model when it is first asked.  No lock is taken where nothing is read.
 *
 * Needs: 64 KiB of stack a thread that opens or asks.  Descriptors: struct bk_options; closed on
 * exec(); where there are none left it is BK_LIB_SYSTEM, and may be asked again.  fork() while no
 * other thread is asking leaves both processes a handle to go on with and to close; what one of
 * them reads afterwards the other has not, so each may fill the budget.  Memory: bk_options,
 * docs/security.md 1.
 *
 * Binary compatibility, for all of 1.x: no function goes or changes what it takes; no number of an
 * enum changes; structs that the library writes (bk_answer, bk_lib_move, ...) keep their size,
 * growing into `reserved` where they have it; those that begin with struct_size may grow at their
 * end, and a program that was compiled before gets what it knows; what a later program says there,
 * and this library does not know, must be 0, or is BK_LIB_USAGE.  So an enum may get further
 * numbers: treat an error that you do not know as BK_LIB_SYSTEM; an `end` that you do not know is
 * an end all the same, and wdl tells how.
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

#define BK_LIB_VERSION 0x000200 /* 0.2.0 */
BK_API unsigned bk_lib_version(void);

enum bk_lib_err {
    BK_LIB_OK = 0,
    BK_LIB_NO_TABLE = 1,      /* expected: this material was never generated; or, where
                                 a legal position is wanted, one of the board alone
                                 in a game with hands in which men come back       */
    BK_LIB_ILLEGAL = 2,       /* expected: the side to move could take the other king */
    BK_LIB_USAGE = 3,         /* bad argument (NULL, too), variant file, move         */
    BK_LIB_CORRUPT = 4,       /* broken: a table file is damaged                      */
    BK_LIB_SYSTEM = 5,        /* broken: memory, disk, permissions                    */
    BK_LIB_FEN = 6,           /* a FEN that cannot be read, or is none of this game   */
    BK_LIB_PIECE = 7,         /* a letter or number that is no piece of this game     */
    BK_LIB_NOT_IN_MEMORY = 8, /* expected: BK_LIB_CACHE_ONLY, and it must be read     */
    BK_LIB_OVER_BUDGET = 9,   /* the handle's memory is too small for this question   */
    BK_LIB_NEEDS_BYTES = 10,  /* expected: the host must bring some: bk_take_needs()  */
    BK_LIB_NEWER = 11         /* a table file of a later version than this library    */
};
BK_API const char *bk_lib_strerror(enum bk_lib_err err); /* a fixed text, never NULL */

struct bk_lib;

/* == Handles == */

/*
 * variant  name of a built-in game ("shatranj", "chess", ...) or path of an .ini file
 * paths    folders to look in, separated by ':', on Windows by ';', too; each holds
 *          VARIANT/MATERIAL.bkw (results) and .bkd (distances); .bk5 and .bkz are those by the
 *          n-move rule, and .bk5 answers where there is no .bkw.  Of a table in several of them the
 *          first answers that has both files; else each file of the first that has it, so results
 *          may lie in one folder and distances in another.  Files are opened when they are asked
 *          for: a program that changes its working directory gives absolute paths.
 *          NULL or "": none yet (bk_set_paths()).
 * *out is owned: bk_close().  On failure *out still is a handle whose bk_error()
 * tells why, or NULL when there is no memory.
 */
BK_API enum bk_lib_err bk_open(struct bk_lib **out, const char *variant, const char *paths);
BK_API void bk_close(struct bk_lib *lib); /* NULL is fine */

/*
 * How a handle is opened.  Set struct_size to sizeof(struct bk_options), all else to 0 or
 *
 * paths         as of bk_open()
 * memory_bytes  that all tables of the handle may take together, kept within some percent.  What
 *               was asked least recently goes first: distances before wdl, shards before
 *               models before open tables, which take some 60 KB each, those with pawns more, and
 *               are opened again when they are next asked.  Where what a question needs can never
 *               fit, it is BK_LIB_OVER_BUDGET.  What goes stays readable for questions under way:
 *               so while one waits, for a disk, say, threads that have read something wait with it,
 *               a second or so each time, rather than go over the budget; one that finds all in
 *               memory does not.  2 KB a table that has ever been asked count as long as the handle
 *               lives; what the game itself takes (up to a few MB) does not, nor do boards of their
 *               own, 64 MiB at most (bk_probe_fen()).
 *               0: 256 MiB of shards and models, besides what open tables take; then nothing is
 *               over the budget
 * open_files    descriptors that are open at a time, two tables' worth at least (4); 0: half of
 *               what the process may have (RLIMIT_NOFILE), 4096 at most.  Any number of tables can
 *               be asked with few: files are closed and opened again
 * share         another handle, or NULL.  The budget is that handle's, and so is the host;
 *               memory_bytes, open_files and host are not looked at.  Tables are not shared: of
 *               several handles of one game each reads its own, so threads ask one handle.
 *               Handles that share may be closed in any order
 * host          where the bytes of files come from, if not from folders: struct bk_host, which is
 *               copied; NULL: from folders
 */
struct bk_options {
    size_t struct_size;
    const char *paths;
    uint64_t memory_bytes;
    struct bk_lib *share;
    unsigned open_files;
    unsigned reserved; /* 0 */
    const struct bk_host *host;
};
BK_API enum bk_lib_err bk_open_with(struct bk_lib **out, const char *variant,
                                    const struct bk_options *options);
/*
 * A host has the bytes of files: a web server, an archive, a disk too slow to wait for.  It need
 * not have them when it is asked:
 *
 *     while ((err = bk_probe_fen(lib, fen, &a)) == BK_LIB_NEEDS_BYTES) {
 *         bk_take_needs(lib, range, ROOM, &n);      all that it lacks, as far as can be foreseen
 *         ...                                       brings them, all at once
 *     }
 *
 * A question that lacks bytes is BK_LIB_NEEDS_BYTES.  It notes what it lacks, and goes on past
 * that to note what else its answer may want; asked again when all is there, it answers, or notes
 * what it has learned to need since.  A position whose tables' models are there takes one round or
 * two, of some 2 to 6 reads and 5 to 15 KB; so do all its moves together, with more of them. Models
 * are a round before, and the heads of files another where the host does not know them; where men
 * are about to promote into tables not asked before it may be one or two more.
 *
 * struct_size  sizeof(struct bk_host)
 * context      is handed to both
 * size         bytes of the file of that path ("DIR/shatranj/KRvKN.bkw", DIR as of paths), which
 *              need not be there yet; BK_LIB_NONE: there is no such file; BK_LIB_LATER: not known
 *              yet; BK_LIB_BROKEN: the question is BK_LIB_SYSTEM
 * read         writes `bytes` bytes at `at` to `to`, and is BK_LIB_HOST_OK; or BK_LIB_LATER: not
 *              all of them are here; BK_LIB_BROKEN
 *
 * Both are called by whichever thread asks, several at once, with no lock held; they must not ask
 * the library.  What has been brought must stay readable until the question is answered, since it
 * may be read again; what the library keeps of it then is its own.  Bytes are checked as those of
 * files are.  NONE and damage are remembered until bk_refresh(), LATER and BROKEN never.
 *
 * bk_list_tables() and bk_men_max() find nothing, for a host cannot be listed; bk_has() takes what
 * is not known yet for missing.
 */
#define BK_LIB_HOST_OK 0
#define BK_LIB_NONE    (-1)
#define BK_LIB_LATER   (-2)
#define BK_LIB_BROKEN  (-3)
struct bk_host {
    size_t struct_size;
    void *context;
    int64_t (*size)(void *context, const char *path);
    int (*read)(void *context, const char *path, uint64_t at, void *to, size_t bytes);
};
/* Bytes of a file.  path: borrowed until bk_close() of the last handle that shares the host.  Where
   size() has been asked in vain these are the file's first bytes, and may be more than it has. */
struct bk_range {
    const char *path;
    uint64_t at, bytes;
};
/*
 * Takes what has been noted on this handle, and on those that share its host, by any thread: up to
 * `room` ranges, which are then forgotten, by file and place; those that touch are one.  How many
 * there were goes to *n, so out may be NULL with room 0.  A question that is asked again before
 * they are there notes them again.
 */
BK_API enum bk_lib_err bk_take_needs(struct bk_lib *lib, struct bk_range *out, size_t room,
                                     size_t *n);
/* Sets another budget, at any time: for all handles that share it, and from then on open tables
   count, too.  0: 256 MiB.  BK_LIB_USAGE: no handle. */
BK_API enum bk_lib_err bk_set_memory(struct bk_lib *lib, uint64_t bytes);
/* What the tables take now, and the budget; either may be NULL. */
BK_API enum bk_lib_err bk_memory(struct bk_lib *lib, uint64_t *used, uint64_t *budget);
/*
 * Reads a material's tables and all that they may lead to, "KRvKN", ahead of a search: the models,
 * and shards, those of wdl first, until the budget is full.  BK_LIB_WDL_ONLY: no distances.  All of
 * it takes two to four times the files; what bk_memory() says is used tells how far it got.
 * Tables that are missing are passed over.  Returns BK_LIB_OK; BK_LIB_USAGE: no such material;
 * BK_LIB_CORRUPT, BK_LIB_NEWER, BK_LIB_SYSTEM; BK_LIB_NEEDS_BYTES with a host.  Cost: that of
 * reading.
 */
BK_API enum bk_lib_err bk_prefetch(struct bk_lib *lib, const char *material, unsigned flags);
/*
 * Looks for tables again, for those that are new, gone, or made anew.  Other threads may
 * go on asking: each question is answered from before or from after.  On failure nothing changes.
 * Tables are opened when they are next asked.
 */
BK_API enum bk_lib_err bk_refresh(struct bk_lib *lib);
/* As bk_refresh(), in other folders. */
BK_API enum bk_lib_err bk_set_paths(struct bk_lib *lib, const char *paths);
/*
 * One line: what went wrong in this thread's last failed call, if that was on
 * this handle; else "".  Never NULL.  Borrowed until the thread's next call.
 * After bk_open(), bk_open_with(), bk_set_paths() or bk_refresh() that succeeded: what is odd about
 * folders in which the game has none of its own, else "".  "DIR: no such folder" (tables may come
 * there, so it is no error); "DIR/shatranj is a game's own folder: say the one above it"; "tables
 * of shatranj are in DIR/tables: say that".
 * A missing table reads "no table KRvKN of shatranj in DIR1:DIR2", then in brackets what is odd
 * about these folders, if anything is; and more of them "no table KRPvK of chess in DIR; also
 * missing: KRvK, KQvK": all that some position of the same material needs, as far as they fit into
 * 500 bytes, then ", and 12 more"; with BK_LIB_CACHE_ONLY, of these what has been looked for
 * before.  The nearest 1,000 tables are looked for: where a material may lead to more the text ends
 * in ", and more" (bk_list_missing() has all). "no distances of KRvKN of ..." where results are
 * there and those are not; "tables of KRvKN of ... came to DIR after they were looked for:
 * bk_refresh()"; "a table that KRvKN of ... leads to is not in DIR: bk_list_missing()", where it is
 * further away; of more men than tables have, and of games with hands, other sentences.  What a
 * material lacks is found out once, when it is first asked about, and is said so until
 * bk_refresh(): up to some 30 ms, and 1,000 looks in each folder.
 */
BK_API const char *bk_error(const struct bk_lib *lib);

/* == Positions == */

/* Squares are numbered rank * files + file, from 0: a1, b1, ... */
#define BK_LIB_SQUARES_MAX 256

/* A man of a position. */
struct bk_lib_piece {
    uint8_t type;    /* its letter, upper or lower case, or its number in struct bk_lib_game */
    uint8_t colour;  /* 0 White, 1 Black */
    uint16_t square; /* rank * files + file */
};

/* Castling rights: the rook on the side of the a-file (Q), the other (K). */
#define BK_LIB_WHITE_A     1
#define BK_LIB_WHITE_OTHER 2
#define BK_LIB_BLACK_A     4
#define BK_LIB_BLACK_OTHER 8

/*
 * A position as an engine has it.  All zero but the men is a position: White to move, no en
 * passant, no rights, all evolutions still allowed, first turn.  What is neither of the values
 * named, or not 0 where it is reserved, is BK_LIB_USAGE.
 *
 * men         borrowed, in any order, `n` of them
 * en_passant  the square that a man has just passed over; 0: none (a1 is never one)
 * castling    BK_LIB_WHITE_A, ...; where homes are shuffled, of the outermost rook on that side
 * turn        the move number, as in a FEN, from 1; 0 is 1.  For games that end after so many
 * black_to_move  0 or 1
 * limited     1: `left` counts the evolutions that each side still has, by colour and type number;
 *             0: as many as the game allows
 * counter     plies in a row that have not zeroed the counter of the n-move rule, up to 9999, as
 * the half-move clock of a FEN; not looked at in games without that rule.  A FEN that the library
 * writes after a move (bk_play(), bk_write_moves()) has 0: whoever follows a game counts by
 * `zeroes` of its moves further     NULL: what later versions may say of a position elsewhere   1:
 * from a FEN with other terrain than the game's, or rights of other rooks than the outermost: that
 * FEN alone can be asked, and whatever takes this struct refuses it
 */
struct bk_lib_pos {
    const struct bk_lib_piece *men;
    uint32_t n;
    uint32_t turn;
    uint16_t en_passant;
    uint8_t black_to_move;
    uint8_t castling;
    uint8_t limited;
    uint8_t elsewhere;
    uint16_t counter;
    uint8_t left[2][32];
    const void *further; /* NULL */
};

/* Reads a FEN.  men: room for that many pieces, which *out then borrows; types are letters in upper
   case.  Whether it is legal is not asked.  BK_LIB_USAGE: no room. */
BK_API enum bk_lib_err bk_read_fen(struct bk_lib *lib, const char *fen, struct bk_lib_piece *men,
                                   size_t room, struct bk_lib_pos *out);
/* Writes a FEN; `out` has BK_LIB_FEN_MAX bytes. */
#define BK_LIB_FEN_MAX 512
BK_API enum bk_lib_err bk_write_fen(struct bk_lib *lib, const struct bk_lib_pos *p, char *out);

/* == Values == */

enum bk_lib_end {
    BK_LIB_GOES_ON,
    BK_LIB_CHECKMATE,
    BK_LIB_STALEMATE,
    BK_LIB_BARE,
    BK_LIB_BARE_DRAW /* both kings are bare, or the bare mover takes the last man of the other */
};

struct bk_answer {
    int wdl;             /* -1, 0, +1 */
    int dtw;             /* plies; -1: a draw, or the table has no distances */
    enum bk_lib_end end; /* how the game is over already, if it is */
    int clocked_wdl;     /* wdl with the limits that the rules set to a game's length.  That of all
                            its turns, counted from the FEN's move number: a
                            win or loss stands if dtw <= plies_left, else it is a draw, and so is
                            whatever ends by a move after the limit.  The n-move rule, with the
                            position's counter, where wdl5 is known: it stands if dtz <= plies_left.
                            Equal to wdl in games without a limit */
    int plies_left;      /* until that limit, 0 or more; -1: no limit, or, by the n-move rule, no
                            table that knows of it */
    int clocked_known;   /* 1; 0: clocked_wdl needs a distance the table has not, and is wdl.  With
                            no plies left it needs none */
    int wdl5;            /* by the n-move rule with its counter at 0: 2 win, 1 cursed win, 0 draw,
                            -1 blessed loss, -2 loss (docs/rules.md, "The n-move rule"); 0 of what
                            wdl says is no draw: no table of .bk5 says it */
    int dtz;             /* plies to the next zeroing move or the end; -1: a draw, or not known */
};

/* Flags of a question. */
#define BK_LIB_CACHE_ONLY 1u /* looks at no file: BK_LIB_NOT_IN_MEMORY instead */
#define BK_LIB_WDL_ONLY   2u /* never asks a distance: dtw and dtz are -1 where the game goes on */

/*
 * Looks up a position.  *out is written only on BK_LIB_OK.  Positions with an en passant
 * square are answered by looking one ply ahead; positions with castling rights by tables of their
 * own (KRvKR+Kk).
 *
 * Returns BK_LIB_OK; NO_TABLE; ILLEGAL; PIECE; USAGE (off the board, two men on a square, no king,
 * a right or en passant square that the men do not bear out); NOT_IN_MEMORY; NEEDS_BYTES;
 * OVER_BUDGET; CORRUPT; NEWER; SYSTEM.
 */
BK_API enum bk_lib_err bk_probe(struct bk_lib *lib, const struct bk_lib_pos *p, unsigned flags,
                                struct bk_answer *out);
/* Tells just -1, 0 or +1: for the search.  Never reads a distance, so a damaged .bkd is no matter.
   The clock of a game that ends after so many turns is not looked at. */
BK_API enum bk_lib_err bk_probe_wdl(struct bk_lib *lib, const struct bk_lib_pos *p, unsigned flags,
                                    int *wdl);

/* As bk_probe() without flags, and as bk_probe_wdl(), of a FEN.
   A FEN with another mask (`*`) or width than the game's board is asked in the
   game on that terrain, GAME@14x14-0123abcd (docs/rules.md, "The Destruction of
   Atlantis"); so are FENs in the calls below.  One with castling rights in a game
   of shuffled homes is asked in the game with its homes, GAME@f-aj ("Sultan
   Random").  The first for a mask or homes costs some milliseconds and up to a
   few MB.  A handle keeps 64 of them, together 64 MiB at most (but the last one
   whatever it takes): those asked least recently go, and begin anew.  `startpos`
   is the game's own array. */
BK_API enum bk_lib_err bk_probe_fen(struct bk_lib *lib, const char *fen, struct bk_answer *out);
BK_API enum bk_lib_err bk_probe_fen_wdl(struct bk_lib *lib, const char *fen, unsigned flags,
                                        int *wdl);

/* A man for bk_probe_men(): letter as in FEN (upper case White), square in two numbers. */
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
 * What is in memory is answered at once; the rest in the order in which the tables keep it,
 * which is much faster than one by one.
 * Returns BK_LIB_OK when all were answered; else the first error in the order of
 * fens, which bk_error() explains, the others being answered all the same.
 * Memory: 32 bytes a FEN.
 */
BK_API enum bk_lib_err bk_probe_batch(struct bk_lib *lib, const char *const *fens, size_t n,
                                      struct bk_answer *out, enum bk_lib_err *err);
/* As bk_probe_many_fen(), of n positions. */
BK_API enum bk_lib_err bk_probe_many(struct bk_lib *lib, const struct bk_lib_pos *p, size_t n,
                                     unsigned flags, struct bk_answer *out, enum bk_lib_err *err);
/* bk_probe_batch() with flags. */
BK_API enum bk_lib_err bk_probe_many_fen(struct bk_lib *lib, const char *const *fens, size_t n,
                                         unsigned flags, struct bk_answer *out,
                                         enum bk_lib_err *err);

/* == Moves == */

#define BK_LIB_NO_SQUARE 0xffff
#define BK_LIB_STAYS     0xff /* becomes: nothing else */

/*
 * A legal move and what it brings, from the side that plays it.
 *
 * takes       the square of the man that is taken, mostly `to`, or BK_LIB_NO_SQUARE
 * also_taken  that of a second man, taken on the way
 * becomes     letter of what the man turns into, in upper case, or BK_LIB_STAYS; where `from` is
 *             `to` he turns without moving
 * castles     1: from and to are the king's squares, rook is where his rook stands
 * err         BK_LIB_OK: the values are known; else why not.  wdl and clocked_wdl are then 0,
 *             dtw is -1, keeps is 0
 * dtw         counts this ply, so a move that ends the game has 1; -1: a draw, or no distances
 * clocked_wdl, clocked_known  as of struct bk_answer
 * keeps       1: no other move is known to be better if the game is drawn after `within` plies; see
 *             bk_rank_moves()
 * end         how the move ends the game, if it does
 * wdl5, dtz   as of struct bk_answer, for who plays the move: dtz is 1 of a move that zeroes, but N
 * + 1 (N: plies of the rule) if its result comes too late zeroes      1: it zeroes the counter of
 * the n-move rule
 */
struct bk_lib_ranked {
    uint16_t from, to, takes, also_taken, rook;
    uint8_t becomes, castles;
    enum bk_lib_err err;
    enum bk_lib_end end;
    int wdl, dtw, clocked_wdl, clocked_known, keeps;
    char name[16]; /* "a1b1", "b9b10=M"; as of struct bk_lib_move */
    int wdl5, dtz, zeroes;
};

/*
 * All legal moves with their values, best first: wins by distance, draws, losses longest first,
 * those that are not known; then by name.  None where the game is over.
 * Where tables know of the n-move rule results are those with the position's counter (clocked_wdl):
 * moves that keep a win come first, by distance to the end or else to zeroing, and those that make
 * a loss a draw before those that do not; among draws cursed wins come first, blessed losses last.
 *
 * within  plies; 0: no bound but the game's own clock, so do not ask where none is left.  A win
 *         counts as one if it takes at most so many plies, this one included; a loss likewise; all
 *         else is a draw.  A move `keeps` the result if it is worth as much as the best, counted
 *         so, and as far as it is known.
 *         With the n-move rule it must keep the result under that, too.
 * flags   BK_LIB_CACHE_ONLY, BK_LIB_WDL_ONLY.  Without distances `within` is not looked at, nor is
 *         the clock where it asks for one (clocked_known 0).
 * out, n  how many moves go to *n; at most `room` are written, so out may be NULL with room 0
 *
 * Returns BK_LIB_OK; BK_LIB_NO_TABLE or another error if some move is unknown, *n and out
 * being written all the same: bk_error() names all tables that are missing for this material.
 * If the position itself is refused (ILLEGAL, PIECE, USAGE, FEN) *n is 0.
 */
BK_API enum bk_lib_err bk_rank_moves(struct bk_lib *lib, const struct bk_lib_pos *p, int within,
                                     unsigned flags, struct bk_lib_ranked *out, size_t room,
                                     size_t *n);
BK_API enum bk_lib_err bk_rank_moves_fen(struct bk_lib *lib, const char *fen, int within,
                                         unsigned flags, struct bk_lib_ranked *out, size_t room,
                                         size_t *n);
/* The legal moves alone, by name, none where the game is over; no table is asked.  A move is as one
   whose value is not known (err BK_LIB_NO_TABLE), unless it ends the game: then its value and `end`
   are given. */
BK_API enum bk_lib_err bk_legal_moves(struct bk_lib *lib, const struct bk_lib_pos *p,
                                      struct bk_lib_ranked *out, size_t room, size_t *n);
BK_API enum bk_lib_err bk_legal_moves_fen(struct bk_lib *lib, const char *fen,
                                          struct bk_lib_ranked *out, size_t room, size_t *n);

/*
 * How a move is written, and where it leads.
 *
 * san  as people write it: "Rxd5+", "exd5", "e8=Q", "O-O"; "Zxd6-e5" and "Zxd6xe6" of a man who
 *      takes on the way; a man whose letter is P is written without it; `#`: it wins the game at
 *      once
 * uci  as engines write it: "b9b10m"
 * fen  the position after it
 */
struct bk_lib_move_text {
    char san[32];
    char uci[16];
    char fen[BK_LIB_FEN_MAX];
    int reserved[4];
};
/* Writes n moves of a position, all of a list of the calls above or some.  `name` alone is looked
   at.  As in bk_play(), whether the game is over is not asked.  BK_LIB_USAGE: one of them is not
   legal there; those before it are written.  Cost: some us, and one or two a move. */
BK_API enum bk_lib_err bk_write_moves(struct bk_lib *lib, const struct bk_lib_pos *p,
                                      const struct bk_lib_ranked *move, size_t n,
                                      struct bk_lib_move_text *out);
BK_API enum bk_lib_err bk_write_moves_fen(struct bk_lib *lib, const char *fen,
                                          const struct bk_lib_ranked *move, size_t n,
                                          struct bk_lib_move_text *out);

/* Is the game over, and how?  *wdl is written only if it is.  No table is asked. */
BK_API enum bk_lib_err bk_is_over(struct bk_lib *lib, const struct bk_lib_pos *p,
                                  enum bk_lib_end *end, int *wdl);
BK_API enum bk_lib_err bk_is_over_fen(struct bk_lib *lib, const char *fen, enum bk_lib_end *end,
                                      int *wdl);

struct bk_lib_move {
    char name[16]; /* "a1b1", "b9b10=M"; castling "e1g1", or "b1a1" (the rook's square) where
                      the king moves less than two squares, or might leap there; "a1b2c3": takes
                      on b2 on the way, or in passing where he might go to c3 quietly, too */
    int wdl, dtw;  /* for the side that plays it; dtw counts this ply */
};
/*
 * As bk_rank_moves_fen(), but all or nothing: a missing table after any move is BK_LIB_NO_TABLE,
 * and nothing is written.
 */
BK_API enum bk_lib_err bk_probe_moves(struct bk_lib *lib, const char *fen, struct bk_lib_move *out,
                                      size_t room, size_t *n);
/* The FEN after a move named as above, or as engines write it: docs/rules.md, "How positions are
   written", lists what is forgiven, of FENs, too.  Whether the game is over is not asked: what is
   bare may move on.  `out` has BK_LIB_FEN_MAX bytes.  Half-move clocks are read and not kept, for
   no game has a rule about them so far: here and from bk_write_fen() they are 0. */
BK_API enum bk_lib_err bk_play(struct bk_lib *lib, const char *fen, const char *move, char *out);

/* == What is there == */

/* The built-in games: the name of the nth, from 0; NULL: there are no more. */
BK_API const char *bk_game_name(size_t nth);

/*
 * The game of a handle.  Set struct_size to sizeof(struct bk_lib_game).
 *
 * squares  files * ranks, holes included
 * hole     by square: 1 where the board has a hole
 * types    pieces; the numbers below that may stand for letters in struct bk_lib_piece
 * piece    by number: letter in upper case; name; 1 if it is the king; how many evolutions into it
 *          a side is allowed (0: no limit, or none)
 * turns    after which the game is drawn; 0: never
 * start    FEN of the initial array, or ""
 * rules    the number of all that decides a result, letters of pieces included
 *          (docs/variant-files.md 4): games of one number are one game, whatever their files and
 *          names; where it differs, neither positions nor tables of the one are the other's.
 *          A rule of so many moves without a capture is no part of it: tables are the same
 */
struct bk_lib_game {
    size_t struct_size;
    char name[64];
    char title[96];
    unsigned files, ranks, squares, types, turns;
    uint8_t hole[BK_LIB_SQUARES_MAX];
    struct {
        char letter;
        uint8_t royal, evolutions, reserved;
        char name[32];
    } piece[32];
    char start[256];
    uint64_t rules;
};
BK_API enum bk_lib_err bk_game_of(struct bk_lib *lib, struct bk_lib_game *out);

#define BK_LIB_HAS_WDL 1
#define BK_LIB_HAS_DTW 2
#define BK_LIB_LOST_DTW                                                                            \
    4 /* bk_list_tables(): distances belong to it, and their file is not there */
/* Returns what there is of a material, "KRvKN" (the colours in either order): BK_LIB_HAS_... or 0,
   also if it is no material of the game.  Whether the files are whole is not asked, nor whether
   there should be more.  Cost: a look in each folder. */
BK_API int bk_has(struct bk_lib *lib, const char *material);

/* A table in the folders. */
struct bk_lib_table {
    char material[96];
    int men;        /* kings included */
    int has;        /* BK_LIB_HAS_..., BK_LIB_LOST_DTW */
    uint64_t bytes; /* of its files */
};
/*
 * The tables of the handle's game, by men, then name.  Their number goes to *n; at most `room` are
 * written.  A name that is no material of the game is passed over.  Files are not opened, but for
 * the heads of tables without distances: BK_LIB_LOST_DTW is what tells one that has lost them, a
 * copy without its .bkd say, from one that was built with --wdl.  Both answer alike, without.
 */
BK_API enum bk_lib_err bk_list_tables(struct bk_lib *lib, struct bk_lib_table *out, size_t room,
                                      size_t *n);
/* The most men that a table in the folders has; 0: there is none, or bk_error() says why not.  A
   folder that is not there is an empty one. */
BK_API int bk_men_max(struct bk_lib *lib);
/* The tables that are missing to answer all positions of a material, distances too: their number
   goes to *n, and the first `room` of them, its own table before those that it leads to, are
   written, so `out` may be NULL with room 0.  `has` says what is there.  BK_LIB_USAGE: no such
   material; BK_LIB_NO_TABLE: men come back, so no table would do.  Cost: some us a table, and a
   look for each; of 8 men in a game whose pawns may become any of twelve kinds that is some 157,000
   tables and 3 s. */
BK_API enum bk_lib_err bk_list_missing(struct bk_lib *lib, const char *material,
                                       struct bk_lib_table *out, size_t room, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
