/*
 * game.h - games as people write them down: PGN, moves in it, and EPD.
 *
 * The reader is lenient about what it need not understand: comments, marks,
 * variations and tags are handed on as they stand.
 */
#ifndef BK_STUDY_GAME_H
#define BK_STUDY_GAME_H

#include <stddef.h>

#include "core/move.h"

enum study_token_kind {
    STUDY_END,
    STUDY_TAG,     /* [Name "value"], brackets included */
    STUDY_MOVE,    /* with its marks, "Kb4!?" */
    STUDY_NULL,    /* a null move: the side to move passes */
    STUDY_RESULT,  /* 1-0, 0-1, 1/2-1/2, * */
    STUDY_NUMBER,  /* "12.", "12..." or "12" */
    STUDY_COMMENT, /* {...}, or ; to the end of the line */
    STUDY_SIGN,    /* $4, !?, +-: what is thought of a move or position */
    STUDY_OTHER,   /* a variation (...) as a whole; [...] that is no tag */
    STUDY_BROKEN,  /* a bracket that is not closed: the rest of the game */
};

struct study_token {
    enum study_token_kind kind;
    const char *text; /* borrowed from the text that is read */
    size_t n;
    unsigned line; /* where it begins, from 1 */
};

/* Begins as { .at = text, .line = 1 }, of a text that ends with 0.  To the end of a text the time
   grows with its length, whatever brackets stay open. */
struct study_tokens {
    const char *at;
    unsigned line;
    bool within; /* something of the line, if only a blank, stands before `at`: a % hides nothing */
    bool no_closing; /* no } stands behind `at`, that much is known */
};
struct study_token study_token_next(struct study_tokens *t);

/* The length of the blanks that the text begins with, those of typesetters (no-break space) too. */
size_t study_blanks(const char *at);

/* Has a tag this name, in capitals or not? */
bool study_tag_is(const struct study_token *tag, const char *name);
/* The value of a tag, with \" and \\ as they are meant; false: it has none in quotes, or it is too
   long. */
bool study_tag_value(const struct study_token *tag, char *out, size_t room);

/*
 * EPD: the fields of a position, then operations, `bm b3b4; fmvn 12; id "Suli";`; or a whole FEN,
 * and operations or none.
 */
/* The length of the position that begins `line`, in characters. */
size_t study_epd_position(const char *line);
/* The number of its fields; four, if operations follow. */
unsigned study_epd_fields(const char *line);
/* What to put between `operations` and more: ";" or ""; NULL: a string in them is not closed. */
const char *study_epd_end(const char *operations);
/* Sets *word to the first word of the operation `name`, "bm b3b4 c3d2;", and returns its length; 0:
   there is no such operation, or in quotes only. */
size_t study_epd_word(const char *operations, const char *name, const char **word);
/* Cuts a line to its FEN, in place: `fmvn` is the number of its turn, unless the FEN is whole. */
void study_epd_to_fen(char *line);

#define STUDY_SPELLED_MAX 24 /* letters of a move, signs left out */

/*
 * Writes a move as PGN has it: letters for figurines, `x` for a colon or a cross, `-` for any dash,
 * O-O for 0-0, "e8=Q" for "e8(Q)", "e8/Q", "e8=q" and "a7a8q"; without checks, marks, evaluations,
 * `e.p.` and `ch` behind it.  Returns its length; 0: nothing is left, or it is too long for a move.
 */
size_t study_spell(char out[STUDY_SPELLED_MAX + 1], const char *text, size_t n);

/*
 * The legal move that n letters mean: as bk_move_name() writes it, or as PGN does: the man's letter
 * (none of pawns, the game's own of the others), where he comes from as far as needed, `x`, the
 * square, `=Q` or `Q`, O-O; of a man who takes on the way `Zxd6-e5`, `Zxd6xe6`; both squares
 * without a letter, `e1-e2`, of any man.  Other spellings are understood: study_spell().
 *
 * Returns BK_OK; BK_E_USAGE: no legal move, or several, in words.
 */
enum bk_err study_move_read(struct bk_move *out, const struct bk_variant *v, const struct bk_pos *p,
                            const char *text, size_t n, struct bk_report *why);

#endif
