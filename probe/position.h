/*
 * position.h - a caller's position becomes one of the game.
 *
 * Each function sets call->on to the game that is asked, and *out to the position, which is legal
 * if `legal` is asked for, and always from bk_place_men().  Returns BK_OK; BK_E_USAGE, call->usage
 * telling what kind; BK_E_SYSTEM; where it must be legal BK_E_ILLEGAL, and BK_E_NO_TABLE where men
 * come back.
 */
#ifndef BK_PROBE_POSITION_H
#define BK_PROBE_POSITION_H

#include "core/position.h"
#include "probe/handle.h"

enum bk_err bk_place_fen(struct bk_call *call, struct bk_pos *out, const char *fen, bool legal);
/* Cost: some 50 ns; with en passant or castling rights as a FEN. */
enum bk_err bk_place_pos(struct bk_call *call, struct bk_pos *out, const struct bk_lib_pos *p,
                         bool legal);
enum bk_err bk_place_men(struct bk_call *call, struct bk_pos *out, const struct bk_lib_man *men,
                         size_t n, int black_to_move);

#endif
