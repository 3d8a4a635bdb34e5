/*
 * variant.h - a game as data.
 *
 * One .ini file says everything: board, pieces, how they move, what they turn
 * into, what ends the game.  The struct holds what it says; docs/variant-files.md
 * says what each key means.  Where a variant comes from: core/load.h; what makes
 * it a game: core/check.h, core/finish.h; what its rules mean: core/rules.h.
 *
 * Conventions
 *   square  rank * files + file, a1 = 0, dense over the board's rectangle;
 *           holes are squares that no man may enter and no step may cross.
 *   moves   are written from White's side.  Black's are the same with the
 *           ranks mirrored (dr changes sign, files stay), so "forward" is
 *           towards the other side and the a-wing stays the a-wing.
 *   ranks   masks count from the mover's own first rank: bit 0 = rank 1.
 *
 * The struct is plain and read-only after loading; share it between threads.
 */
#ifndef BK_VARIANT_H
#define BK_VARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bits.h"
#include "core/err.h"

#define BK_TYPES_MAX   32
#define BK_NO_ROYAL    255 /* no type: indexes no array of types */
#define BK_STEPS_MAX   48
#define BK_BECOMES_MAX 4
#define BK_MEN_MAX     8  /* of a table, kings included */
#define BK_LIMITS_MAX  32 /* evolutions a side: FENs and names of materials spell them out */

enum { BK_WHITE, BK_BLACK };

/* What a step may do where it ends. */
enum {
    BK_QUIET = 1, /* end on an empty square                                  */
    BK_TAKES = 2, /* end on an enemy                                         */
    BK_HOPS = 4,  /* with range 0 or > 1: needs exactly one man, of either
                     colour, strictly between (xiangqi cannon's capture)     */
};

/*
 * One direction of a move, after the Betza atoms are written out.
 * A leaper (range 1) goes by (df, dr) over anything.  A rider repeats (df, dr)
 * up to `range` times (0: without limit) while the squares between are empty
 * squares of the board (or hold the one screen of a hopper).
 */
struct bk_step {
    int8_t df, dr;
    uint8_t range;
    uint8_t how; /* BK_QUIET | BK_TAKES | BK_HOPS */
};

/*
 * All the ways a man moves.
 *
 * steps_max = 1: one step.
 * steps_max = 2: one step, or two with the square between empty; all steps are
 *   leapers (range 1, QUIET|TAKES).  bend = false: the second step goes in the
 *   direction of the first (same signs of df and dr), so F then A is straight,
 *   F then another F sideways is not.  bend = true: any second step, except
 *   that the man may not end where it began.
 *   A capture happens only where the move ends, unless takes_twice: then the
 *   square between may also hold an enemy, which is taken too.
 * A destination is reachable if any way there is open.
 */
struct bk_movement {
    struct bk_step step[BK_STEPS_MAX];
    uint8_t nsteps;
    uint8_t steps_max;
    bool bend;
    bool takes_twice;
};

/*
 * "A move that ends on one of `ranks` may (or must) turn the man into one of
 * `to`."  Several rules of a piece may apply at once; the choices add up.
 * Staying as it is remains a choice unless some applicable rule with `must`
 * offers at least one type.
 */
struct bk_become {
    uint16_t ranks;
    uint8_t to[BK_TYPES_MAX];
    uint8_t nto;
    bool must;
    bool lost_only; /* only types with fewer men of that type and colour on the board
                       than its army, counted before the move                        */
    bool counted;   /* counts against, and is limited by, bk_variant.limit[to]       */
    bool in_place;  /* also as a whole turn where the man stands, if it stands on
                       `ranks`; only together with lost_only                         */
};

/* What a man may do to the land in a game whose terrain is live. */
enum bk_power { BK_POWER_NONE, BK_POWER_DESTROYS, BK_POWER_CREATES };

struct bk_piece {
    char letter; /* upper case, unique */
    char name[32];
    bool royal;     /* one type is, or none */
    uint8_t army;   /* men of this type a side starts with */
    uint16_t ranks; /* where it may stand */
    struct bk_movement move;
    uint16_t zone_ranks; /* where it moves by `zone` instead of `move` (0: nowhere) */
    struct bk_movement zone;
    uint16_t double_ranks; /* from where it may also go two squares straight forward,
                              quietly, over an empty square */
    struct bk_become become[BK_BECOMES_MAX];
    uint8_t nbecomes;
    uint8_t power; /* enum bk_power */
};

enum bk_bare {
    BK_BARE_NOTHING, /* a bare king is nothing special                      */
    BK_BARE_WINS,    /* baring wins at once                                 */
    BK_BARE_BACK,    /* baring wins unless the very next move bares back    */
};

/* How captured men come back. */
enum bk_hand {
    BK_HAND_CAPTURED, /* held by the captor, dropped beside a move, in their own colour         */
    BK_HAND_TURNED,   /* they change sides, and are dropped instead of a move                   */
    BK_HAND_HOSTAGE,  /* they keep their colour, and are exchanged and dropped instead of a move */
};

/* Who cannot move draws, loses, wins; or the side with fewer men wins. */
enum bk_stalemate { BK_STALEMATE_DRAW, BK_STALEMATE_LOSS, BK_STALEMATE_WIN, BK_STALEMATE_FEWER };

/* Without a royal a game ends when a side is out of men: it has none, or, where there are `kinds`,
   at most most[kind] of one of these. */
struct bk_out_of {
    bool told;
    bool wins;      /* who is out has won; else he has lost */
    uint32_t kinds; /* a mask of types */
    uint8_t most[BK_TYPES_MAX];
};

/*
 * Castling: the king and rook that stand at home with the way free.
 * shuffled: the homes are not the game's but a FEN's.  The game itself then
 * does not castle, and has no homes; one derived for a FEN does (core/derive.h).
 */
#define BK_NO_HOME 255
struct bk_castling {
    bool allowed;
    uint8_t rook;         /* type */
    uint8_t rank;         /* of all homes, 0 = the mover's first */
    uint8_t king_file;    /* home files */
    uint8_t rook_file[2]; /* [0] a-side, [1] the other; one may be BK_NO_HOME: no castling there */
    uint8_t king_to[2];   /* BK_NO_HOME where homes are fixed and there is none */
    uint8_t rook_to[2];
    bool shuffled;
};

/* Arrays that are dealt: one of them, with the first ranks shuffled if `shuffle`.  Of kinds in
   `apart`, a mask of types, two stand on squares of both colours.  No rule of a table. */
#define BK_DEALS_MAX 4
struct bk_deals {
    char array[BK_DEALS_MAX][256]; /* FENs */
    uint8_t n;
    bool shuffle;
    uint32_t apart;
};

/*
 * The n-move rule: the game is drawn after so many plies in a row of which none has zeroed the
 * counter (docs/rules.md).  Captures always zero it; so does what the other fields name.
 */
#define BK_NMOVE_MAX 1000 /* moves */
struct bk_nmove {
    uint16_t plies;    /* two for each move of the key; 0: there is no such rule */
    bool irreversible; /* moves zero that the man can never undo, and changes */
    uint32_t kinds;    /* a bit a type: its moves zero */
};

/*
 * Live terrain: docs/rules.md, "Live terrain".  `changes` are the squares of the board that may be
 * sea; which of them are is a part of the position.
 */
struct bk_land {
    bool live;
    bool cancels;  /* no power in range of an enemy with the other one */
    bool one_each; /* White creates, Black destroys, and neither does both */
    bool bridges;  /* none that are one square wide */
    uint8_t below; /* ranks of the board before the army's first, and as many behind its last;
                      also of a game on land that is frozen */
    struct bk_bits changes;
};

struct bk_variant {
    char name[64];
    char title[96];
    char source[128];                    /* docs/rules.md#... */
    uint8_t files, ranks;                /* <= BK_FILES_MAX, BK_RANKS_MAX */
    uint8_t nsq;                         /* files * ranks */
    struct bk_bits board;                /* squares that exist (not holes) */
    struct bk_piece piece[BK_TYPES_MAX]; /* file order; [royal] first in names */
    uint8_t ntypes;
    uint8_t royal; /* a type; BK_NO_ROYAL: none, see bk_rules_royal() */
    enum bk_bare bare;
    struct bk_out_of out_of;
    enum bk_stalemate stalemate;
    bool must_capture; /* who can capture must */
    bool en_passant;
    struct bk_castling castling;
    uint8_t limit[BK_TYPES_MAX]; /* how often a side may evolve a man into it; 0: no limit */
    uint16_t game_turns;         /* drawn after so many turns of each side; 0: never */
    struct bk_nmove nmove;       /* no part of rules_id: results without a counter are the same */
    bool hands;                  /* captured men are held and dropped again (core/hands.h) */
    enum bk_hand hand_kind;      /* how */
    uint8_t worth[BK_TYPES_MAX]; /* of a hostage; 0: none is told */
    bool no_recapture;           /* who drops a man may not take him in the same turn */
    bool hand_bonus;             /* a man may be held longer, the more of his kind came back */
    bool configuration;          /* one own man in each 2x2 box wins */
    bool opening_drops;          /* the game begins on an empty board */
    uint8_t quiet_turns;         /* turns of each side after the opening drops without checks */
    bool quiet_moves;            /* in these only the man who moves may give none */
    struct bk_land land;
    char start[256]; /* FEN of the initial array; empty: none */
    struct bk_deals deal;
    uint64_t rules_id;            /* hash of everything that decides a result */
    uint64_t wings_id[4];         /* rules_id where rights can be left on these wings only (bit 0:
                                     a-side); differs where homes are shuffled */
    uint64_t nmove_id;            /* hash of the n-move rule; 0: none.  Says which kinds by type: it
                                     means something beside rules_id alone */
    uint8_t keeps[BK_TYPES_MAX];  /* derived: by type, which symmetries keep its rules, a bit each
                                     (core/symmetry.h) */
    struct bk_geometry *geometry; /* derived (core/geometry.h); owned */
};

/* Gives `v` a board of `files` x `ranks` squares, without holes. */
void bk_variant_board(struct bk_variant *v, unsigned files, unsigned ranks);
/* Type of a letter of either case, or -1. */
int bk_variant_type(const struct bk_variant *v, char letter);
/* The letters of all kinds of men of a game, for messages: "KQPBNR".  Returns out. */
char *bk_variant_letters(const struct bk_variant *v, char out[BK_TYPES_MAX + 1]);

static inline unsigned bk_sq(const struct bk_variant *v, unsigned file, unsigned rank)
{
    return rank * v->files + file;
}

/* The first rank of `colour`, counted from White's side. */
static inline unsigned bk_first_rank(const struct bk_variant *v, unsigned colour)
{
    return colour == BK_WHITE ? 0 : v->ranks - 1u;
}

/* What to add to a square for the one straight ahead of it. */
static inline int bk_ahead(const struct bk_variant *v, unsigned colour)
{
    return colour == BK_WHITE ? v->files : -(int)v->files;
}

/* A mask of all ranks. */
static inline uint16_t bk_all_ranks(const struct bk_variant *v)
{
    return (uint16_t)((1u << v->ranks) - 1);
}

/* "white" or "black" */
static inline const char *bk_colour_name(unsigned colour)
{
    return colour == BK_WHITE ? "white" : "black";
}

/* Rank as `colour` sees it, 0 = own first. */
static inline unsigned bk_own_rank(const struct bk_variant *v, unsigned sq, unsigned colour)
{
    unsigned rank = sq / v->files;

    return colour == BK_WHITE ? rank : v->ranks - 1u - rank;
}

#endif
