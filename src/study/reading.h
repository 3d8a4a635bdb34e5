/*
 * reading.h - what a game in PGN means: whether it is this game at all, from which array it begins,
 * how its ranks are numbered, and which moves may stand behind its end.
 *
 * Programs differ in all of these, and hardly ever say what they do.  Their tags and comments
 * mostly tell who wrote a game; else that reading holds which makes all moves legal.
 */
#ifndef BK_STUDY_READING_H
#define BK_STUDY_READING_H

#include "study/game.h"

/* Does the value of a Variant tag name this game, in our words, XBoard's or a chess site's, or
 * none? */
bool study_names_game(const struct bk_variant *v, const char *value);

/* Who wrote a game; a later one prevails over an earlier one. */
enum study_writer {
    STUDY_ANYONE,    /* nothing tells */
    STUDY_OURSELVES, /* `bareking line` and `mine` */
    STUDY_CLIENT,    /* a client, a site, an engine, but not XBoard */
    STUDY_XBOARD,    /* XBoard, WinBoard */
};
/* What a tag or a comment tells of it. */
enum study_writer study_writer_of(const struct study_token *k);

struct study_reading {
    const char *array;    /* the FEN that a game without a FEN tag begins from; borrowed */
    bool from_zero;       /* ranks are numbered from 0 */
    bool bared_may_reply; /* a bared king may make one more move, as clients let him */
};

/*
 * Sets up the position from which a game begins: that of `fen` or, if that is NULL, of r->array.
 * *derived is owned: a game on the terrain or with the homes of the FEN; NULL: v itself.
 *
 * Returns BK_OK; BK_E_USAGE: no legal position of the game.
 */
enum bk_err study_reading_begin(const struct study_reading *r, const struct bk_variant *v,
                                const char *fen, struct bk_variant **derived, struct bk_pos *p,
                                struct bk_report *why);

/*
 * Reads a move, study_move_read(), in this reading.  None follows mate, stalemate or a bare king,
 * but one that bares back, and a bared king's reply where that is allowed.
 *
 * Returns BK_OK; BK_E_USAGE: no legal move, or several; BK_E_ILLEGAL: the game is over.
 */
enum bk_err study_reading_move(const struct study_reading *r, struct bk_move *out,
                               const struct bk_variant *v, const struct bk_pos *p, const char *text,
                               size_t n, struct bk_report *why);

/* Writes the name of a move, as bk_move_name() has it, with the reading's numbers of ranks. */
char *study_reading_name(const struct study_reading *r, const char *name, char out[16]);

/* Lets the side to move pass.  False: then the other king could be taken; *p is as it was. */
bool study_pass(const struct bk_variant *v, struct bk_pos *p);

enum study_doubt {
    STUDY_CERTAIN,
    STUDY_OPEN,    /* several readings make all moves legal, and nobody tells which is meant */
    STUDY_NEITHER, /* none does, and none is better than the others */
};
/*
 * Chooses how to read the moves that begin at `t`, which learns of brackets but stays where it is.
 * fen  as study_reading_begin().
 * writer  as far as tags and comments before the moves tell; those behind them are looked at.
 * Cost: all moves of the game are read, if there is a choice, once for each reading.
 */
enum study_doubt study_reading_choose(struct study_reading *out, const struct bk_variant *v,
                                      const char *fen, struct study_tokens *t,
                                      enum study_writer writer);

#endif
