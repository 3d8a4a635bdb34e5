/*
 * position.h - a position, and its FEN.
 *
 * Holds any position of any variant, from bare kings to a full array.  Plain
 * value: copy it to make a move on the copy.
 */
#ifndef BK_POSITION_H
#define BK_POSITION_H

#include "core/variant.h"

#define BK_FEN_MAX 512

/* A man in bk_pos.at: 0 empty, else 1 + 2 * type + colour. */
static inline uint8_t bk_man(unsigned type, unsigned colour)
{
    return (uint8_t)(1 + 2 * type + colour);
}
static inline unsigned bk_man_type(uint8_t man) { return (man - 1u) >> 1; }
static inline unsigned bk_man_colour(uint8_t man) { return (man - 1u) & 1; }

struct bk_pos {
    uint8_t at[BK_SQ_MAX];
    struct bk_bits by[2];           /* squares of each colour's men     */
    uint8_t count[2][BK_TYPES_MAX]; /* men on the board                 */
    uint8_t king[2];                /* square of each royal; BK_SQ_NONE: there is none */
    uint8_t stm;                    /* side to move                     */
    uint8_t ep;                     /* square behind a man that has just
                                       gone two squares, or BK_SQ_NONE  */
    uint8_t rights;                 /* castling: bit 2 * colour + side  */
    uint8_t left[2][BK_TYPES_MAX];  /* evolutions still allowed, for types
                                       with a limit; 0 elsewhere        */
    uint16_t turn;                  /* FEN move number, from 1          */
    uint16_t clock;                 /* plies since a move zeroed the
                                       counter, as a FEN says, in games
                                       with an n-move rule; 0 elsewhere,
                                       and after bk_pos_play()          */
    bool begun;                     /* live terrain: land has been destroyed */
    struct bk_bits sea;             /* live terrain: squares of the board that
                                       are not land now, and empty           */
};

/* Returns the squares of all men. */
static inline struct bk_bits bk_pos_men(const struct bk_pos *p)
{
    struct bk_bits all;

    for (unsigned i = 0; i < 4; i++)
        all.w[i] = p->by[0].w[i] | p->by[1].w[i];
    return all;
}

/* Returns the squares that block: those of all men, and the sea. */
static inline struct bk_bits bk_pos_closed(const struct bk_pos *p)
{
    struct bk_bits all;

    for (unsigned i = 0; i < 4; i++)
        all.w[i] = p->by[0].w[i] | p->by[1].w[i] | p->sea.w[i];
    return all;
}

/* An empty board, all of it land, White to move, full allowances. */
void bk_pos_init(struct bk_pos *p, const struct bk_variant *v);

/* Puts a man on an empty square; keeps counts, kings and sets. */
void bk_pos_put(struct bk_pos *p, const struct bk_variant *v, unsigned type, unsigned colour,
                unsigned sq);
/* Takes the man off an occupied square. */
void bk_pos_lift(struct bk_pos *p, const struct bk_variant *v, unsigned sq);

/* == FEN == */

/* The fields of a FEN, where they stand in its text; at[i] is NULL if it is missing. */
enum {
    BK_FEN_BOARD,
    BK_FEN_SIDE,
    BK_FEN_CASTLING,
    BK_FEN_PASSED, /* the en passant square */
    BK_FEN_CLOCK,
    BK_FEN_TURN,
    BK_FEN_FIELDS
};
struct bk_fen {
    const char *text; /* all of it */
    const char *at[BK_FEN_FIELDS];
    size_t n[BK_FEN_FIELDS];
    const char *end;  /* behind the last field */
    const char *rest; /* what follows it: "", operations of EPD, or what `;` sets off */
    bool too_many;    /* `rest` is none of these */
};
/*
 * Cuts a FEN into its fields, and does not check them; `text` is borrowed.  Behind the side, fields
 * may be missing: a number is a clock, a square the one for en passant.  Blanks are space, tab, the
 * ends of lines and `_`.
 */
void bk_fen_split(struct bk_fen *out, const char *text);

/*
 * Reads a FEN.  All programs and the library use this one reader.  Gaps of several digits, `*` for
 * a hole or sea, optional `[...]` with the evolutions still allowed, side to move, castling, en
 * passant, half-move clock, move number.  Where terrain is live the castling field is `+` once land
 * has been destroyed, and `v` is the game derived for this FEN.  Castling is KQkq or the rooks'
 * files; with shuffled homes `v` is the game derived for this FEN (core/derive.h).  `startpos` is
 * the game's array.
 *
 * It is tolerant; docs/rules.md, "How positions are written", has the full list.  In short:
 *   missing fields behind the board take their usual values
 *   move number 0 is 1; `-` stands for any field behind the side
 *   ignored: `~` behind a man; empty brackets; a castling right whose king and rook are not at
 *   home, and any in a game without castling; an en passant square that no man can just have
 *   passed; counts of checks, `3+3`; operations of EPD, but `fmvn`, the move number; all that `;`
 *   sets off; a byte order mark; blanks between fields
 *
 * Returns BK_OK or BK_E_USAGE with the fault and its place.  Checks the board,
 * one royal a side, and the ranks men may stand on; whether the side that has
 * just moved left its king in check is bk_pos_legal()'s question (attack.h).
 */
enum bk_err bk_pos_from_fen(struct bk_pos *p, const struct bk_variant *v, const char *fen,
                            struct bk_report *why);

/* Checks the fields behind the board, and sets *stm; for readers of other boards (hands.h). */
enum bk_err bk_fen_rest_check(const struct bk_variant *v, const struct bk_fen *fen, unsigned *stm,
                              struct bk_report *why);

/* Is the text `startpos`, with no side behind it? */
bool bk_fen_is_start(const char *text);
/* The FEN that a text stands for: the array if it is `startpos` and the game has one; else the
 * text. */
const char *bk_fen_meant(const struct bk_variant *v, const char *text);

/* Sets *word to the first word of the operation `name` of EPD, "bm b3b4 c3d2;", and returns its
   length; 0: there is no such operation, or in quotes only.  operations: bk_fen.rest. */
size_t bk_epd_word(const char *operations, const char *name, const char **word);

/* May a castling field have this letter: KQkq, or a file's? */
bool bk_is_right(const struct bk_variant *v, char letter);

/* Checks that a FEN can be read, with or without kings: for callers that show a board, which need
   not be a position.  Errors as of bk_pos_from_fen(). */
enum bk_err bk_fen_check(const struct bk_variant *v, const char *fen, struct bk_report *why);

/* A man as FENs and materials write it: upper case for White. */
char bk_man_letter(const struct bk_variant *v, uint8_t man);

/* The castling rights in the order in which FENs and materials write them. */
struct bk_right {
    char letter; /* KQkq */
    uint8_t bit; /* 2 * colour + side, as in bk_pos.rights */
};
extern const struct bk_right bk_rights_written[4];

/* Reads a gap of a board field at *s, which is advanced past all its digits.  Returns BK_FILES_MAX
   + 1 for all gaps wider than that. */
unsigned bk_gap_read(const char **s);

/* Writes the board field of a FEN: gaps, `*` for holes and for `sea` (NULL: none), `?` before
   squares whose land can change where not all can.  `at` is as in bk_pos; `out` takes
   BK_BOARD_CHARS_MAX, with marks BK_SQ_MAX more, and a zero.  Returns how many characters. */
#define BK_BOARD_CHARS_MAX (BK_SQ_MAX + BK_RANKS_MAX - 1) /* no gap: a man a square, slashes */
size_t bk_board_write(const struct bk_variant *v, const uint8_t at[BK_SQ_MAX],
                      const struct bk_bits *sea, char *out);

/* Writes the FEN; returns `out`. */
char *bk_pos_to_fen(const struct bk_pos *p, const struct bk_variant *v, char out[BK_FEN_MAX]);

/* Square names: file letter, rank number from 1 ("j10").  Returns `out`. */
char *bk_sq_name(const struct bk_variant *v, unsigned sq, char out[8]);
/* The file of a letter, or BK_SQ_NONE. */
unsigned bk_file_read(const struct bk_variant *v, char letter);
/* The square named at *s, which is advanced; BK_SQ_NONE if none. */
unsigned bk_sq_read(const struct bk_variant *v, const char **s);

#endif
