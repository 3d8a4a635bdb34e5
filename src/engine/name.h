/*
 * name.h - squares, moves and FENs as clients write them.
 */
#ifndef BE_NAME_H
#define BE_NAME_H

#include "engine/game.h"

enum be_dialect {
    BE_UCI,
    BE_CECP, /* boards of ten ranks number them 0 to 9; two captures are two legs */
};
#define BE_NAME_MAX 96

/* "e2e4", "b9b10m", "e1g1"; a whole turn as bk_turn_name().  Returns `out`. */
char *be_move_write(const struct be_game *g, enum be_dialect d, const struct be_board *b,
                    const struct be_move *m, char out[BE_NAME_MAX]);
/* The legal move that a client names, as bk_move_read().  False: there is none. */
bool be_move_read(const struct be_game *g, enum be_dialect d, const struct be_board *b,
                  const char *name, struct be_move *out);

unsigned be_sq_read(const struct be_game *g, enum be_dialect d, const char *text);

/* As be_game_read(), of a FEN whose en passant square is named as clients name squares. */
enum bk_err be_fen_read(struct be_game *g, enum be_dialect d, struct be_board *b, const char *fen,
                        struct bk_report *why);

#endif
