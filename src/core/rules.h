/*
 * rules.h - the meaning of each rule flag.  No other file reads the flags to play by them.
 */
#ifndef BK_RULES_H
#define BK_RULES_H

#include <string.h>

#include "core/variant.h"

/* In place of a type: the man does not change.  Arrays by the type of a man after a move have
   BK_TYPES_MAX + 1 places, this one last. */
#define BK_STAYS BK_TYPES_MAX

/* A change (promotion or evolution) that a man may make at the end of a move. */
struct bk_change {
    uint8_t type; /* BK_STAYS: none */
    bool counted; /* uses up an allowance of `type` */
};

/* == Royals == */

/* Has each side one man whom it may not leave attacked, and who is never taken?  Only then
   v->royal is a type, and are there check, mate, bare kings and castling. */
static inline bool bk_rules_royal(const struct bk_variant *v) { return v->royal != BK_NO_ROYAL; }

/* == Changes: promotion and evolution == */

/*
 * Lists the types that a man of `type` may have after a move that ends on `to` (or, with
 * in_place, after a turn spent changing where it stands).
 *
 * count  men of its colour on the board, by type, before the move
 * left   evolutions still allowed to its colour, by type
 * out    at least BK_TYPES_MAX + 1 entries; staying comes first when allowed
 *
 * Returns how many.  Source: docs/rules.md, "Promotion" and "Evolution".
 */
unsigned bk_rules_changes(const struct bk_variant *v, const uint8_t count[BK_TYPES_MAX],
                          const uint8_t left[BK_TYPES_MAX], unsigned type, unsigned colour,
                          unsigned to, bool in_place, struct bk_change *out);

/* Might a man that ends a move on `to`, or stays there for a turn, become something else?  False
   is certain; true depends on counts and allowances. */
bool bk_rules_may_change(const struct bk_variant *v, unsigned type, unsigned colour, unsigned to);

/* May a man of this type and colour stand here? */
bool bk_rules_may_stand(const struct bk_variant *v, unsigned type, unsigned colour, unsigned sq);

/* Does some rule let a man become `type`?  counted: only rules that use up an allowance; lost: only
   rules that replace captured men. */
bool bk_rules_offer(const struct bk_variant *v, unsigned type, bool counted, bool lost);

/* Has this type a rule by which it ever becomes another? */
static inline bool bk_rules_changes_ever(const struct bk_variant *v, unsigned type)
{
    return v->piece[type].nbecomes;
}

/* The most types that a man of `type` may choose from at the end of a move, besides staying. */
unsigned bk_rules_changes_max(const struct bk_variant *v, unsigned type);

/* Has this type a rule that lets it change where it stands? */
bool bk_rules_changes_in_place(const struct bk_variant *v, unsigned type);

/* The types that men of `types` may one day become, `types` included, as a mask. */
uint32_t bk_rules_may_become(const struct bk_variant *v, uint32_t types);

/* How many men a side may turn into `type` by counted rules in a game; 0: any number. */
static inline unsigned bk_rules_allowance(const struct bk_variant *v, unsigned type)
{
    return v->limit[type];
}

/* Sets both sides' allowances to those of a game's beginning. */
void bk_rules_allowances(const struct bk_variant *v, uint8_t left[2][BK_TYPES_MAX]);

/* The types of which a man of `from` can one day use up an allowance. */
uint32_t bk_rules_may_use(const struct bk_variant *v, unsigned from);

/*
 * How many men of `type` a side can have in a game: its army's, and those that others of the army
 * may become, as far as the rules let them.
 */
unsigned bk_rules_most(const struct bk_variant *v, unsigned type);

/*
 * Can one side of a game have these men, by type, at once?  Each must be a man of its army or what
 * such a man may become, and no two may have been the same man.  Also true where no game has an
 * army (docs/variant-files.md), or captured men come back.
 */
bool bk_rules_reachable(const struct bk_variant *v, const uint8_t count[BK_TYPES_MAX]);

/* == Moves == */

/* How a man of this type moves from its own_rank-th rank, but for a double step. */
static inline const struct bk_movement *bk_rules_movement(const struct bk_variant *v, unsigned type,
                                                          unsigned own_rank)
{
    const struct bk_piece *p = &v->piece[type];

    return p->zone_ranks >> own_rank & 1 ? &p->zone : &p->move;
}

/* Does a man of this type move alike from all ranks: no zone, no double step? */
static inline bool bk_rules_moves_alike(const struct bk_variant *v, unsigned type)
{
    return !v->piece[type].zone_ranks && !v->piece[type].double_ranks;
}

/* Has this type a double step, from some rank; has it one from `sq`? */
static inline bool bk_rules_doubles(const struct bk_variant *v, unsigned type)
{
    return v->piece[type].double_ranks;
}
static inline bool bk_rules_doubles_from(const struct bk_variant *v, unsigned type, unsigned colour,
                                         unsigned sq)
{
    return v->piece[type].double_ranks >> bk_own_rank(v, sq, colour) & 1;
}

/* Is this quiet move a double step, and no ordinary move of the man? */
bool bk_rules_is_double(const struct bk_variant *v, unsigned type, unsigned colour, unsigned from,
                        unsigned to);

/*
 * May a man of this type capture en passant when it takes from `from` to `to`?  That is a pawn's
 * forward capture: not for men that make no double steps, not sideways or back, not by a zone's
 * move.
 */
static inline bool bk_rules_takes_passing(const struct bk_variant *v, unsigned type,
                                          unsigned colour, unsigned from, unsigned to)
{
    unsigned rank = bk_own_rank(v, from, colour);

    return v->piece[type].double_ranks && !(v->piece[type].zone_ranks >> rank & 1) &&
           bk_own_rank(v, to, colour) > rank;
}

/* Is there en passant: may a man that has just gone two squares be taken on the square between? */
static inline bool bk_rules_en_passant(const struct bk_variant *v) { return v->en_passant; }
/* Can a man of this type be taken en passant after its double step? */
static inline bool bk_rules_passes(const struct bk_variant *v, unsigned type)
{
    return bk_rules_en_passant(v) && v->piece[type].double_ranks;
}

/* Is there castling, with homes that are known? */
static inline bool bk_rules_castles(const struct bk_variant *v) { return v->castling.allowed; }
/* Does the FEN give the squares that king and rooks castle from (shuffled homes)?  Such a game
   itself has no castling; the games derived from it for a FEN (core/derive.h) have, and this is
   true of them, too. */
static inline bool bk_rules_homes_told(const struct bk_variant *v) { return v->castling.shuffled; }

/* The rank of the homes of `colour`, counted from White's side. */
static inline unsigned bk_rules_home_rank(const struct bk_variant *v, unsigned colour)
{
    return colour == BK_WHITE ? v->castling.rank : v->ranks - 1u - v->castling.rank;
}

/* Must a side that can capture do so? */
static inline bool bk_rules_must_capture(const struct bk_variant *v) { return v->must_capture; }

/* May a man of this type take two men in one move? */
bool bk_rules_takes_twice(const struct bk_variant *v, unsigned type);

/* == Beginning and end of a game == */

/* Does a bare king lose (unless bk_rules_bares_back() saves it)? */
bool bk_rules_bare_loses(const struct bk_variant *v);
/* May a bare king save the draw by taking the last man at once? */
bool bk_rules_bares_back(const struct bk_variant *v);

/*
 * Are results exact for these men if captured men leave the game?  True of all games without hands;
 * with hands only if every capture ends the game, and no side can win by configuration
 * (docs/whole.md 1); where terrain is live, of none: a game whose land is frozen is another
 * (core/derive.h).
 */
bool bk_rules_plain_is_exact(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX]);

/*
 * Without a royal: is a side with these men out of men, or of a kind that it may not be out of?
 * That ends the game; bk_rules_out_wdl() is its worth to that side: -1 or +1.  If both sides are
 * out, the one that has just moved counts.
 */
bool bk_rules_out(const struct bk_variant *v, const uint8_t count[BK_TYPES_MAX]);
int bk_rules_out_wdl(const struct bk_variant *v);

/*
 * Do men of this material end the game wherever they stand?  That is: a bare king where it loses,
 * though it may bare back (bk_pos_bare() says); two kings alone; a side that is out.
 */
bool bk_rules_over(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX]);

/* The value of stalemate for the stalemated side, which has the men of `count[us]`: -1, 0, +1. */
int bk_rules_stalemate_wdl(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX],
                           unsigned us);

/* Does a side that cannot move lose, whatever men there are? */
static inline bool bk_rules_stalemate_loses(const struct bk_variant *v)
{
    return v->stalemate == BK_STALEMATE_LOSS;
}

/* A rule of the game that files of tables do not know yet, by its key and value; NULL: there is
   none.  Such a game can be counted, and no table of it is made. */
const char *bk_rules_without_tables(const struct bk_variant *v);

/* The turns of each side after which the game is drawn.  0: no limit. */
static inline unsigned bk_rules_turns_max(const struct bk_variant *v) { return v->game_turns; }
/* Plies that may still be played in turn `turn`, from 1, with `stm` to move: each side has
   v->game_turns turns.  0: the last ply has been played; negative: the last move came too late;
   BK_UNLIMITED: no limit. */
#define BK_UNLIMITED INT32_MAX
static inline int bk_rules_plies_left(const struct bk_variant *v, unsigned turn, unsigned stm)
{
    return v->game_turns ? 2 * (v->game_turns + 1 - (int)turn) - (stm == BK_BLACK) : BK_UNLIMITED;
}

/*
 * The n-move rule: after so many plies in a row without a zeroing move the game is drawn; 0: never.
 * Captures zero the counter; castling never does.
 */
static inline unsigned bk_rules_nmove(const struct bk_variant *v) { return v->nmove.plies; }
/* Does every move of a man of this type zero it, a change in place included? */
static inline bool bk_rules_kind_zeroes(const struct bk_variant *v, unsigned type)
{
    return v->nmove.kinds >> type & 1;
}
/* Do changes zero it, and quiet moves from which the man can never come back (bk_man_ways())?  Not
   those of a royal, nor of a rook that may castle. */
static inline bool bk_rules_irreversible_zeroes(const struct bk_variant *v)
{
    return v->nmove.irreversible;
}

/* Are captured men held and dropped again? */
static inline bool bk_rules_hands(const struct bk_variant *v) { return v->hands; }
/* Is a drop a turn of its own, instead of a move? */
static inline bool bk_rules_drops_are_turns(const struct bk_variant *v)
{
    return v->hands && v->hand_kind != BK_HAND_CAPTURED;
}
/* Do captured men change sides? */
static inline bool bk_rules_turned(const struct bk_variant *v)
{
    return v->hand_kind == BK_HAND_TURNED;
}
/* What a man counts when hostages are exchanged. */
static inline unsigned bk_rules_worth(const struct bk_variant *v, unsigned type)
{
    return v->worth[type];
}
/* May a man who was dropped be taken in the same turn by the side that dropped him? */
static inline bool bk_rules_recaptures(const struct bk_variant *v) { return !v->no_recapture; }
/* May a man be held for one more turn each time that his captor has released one of his kind? */
static inline bool bk_rules_hand_bonus(const struct bk_variant *v) { return v->hand_bonus; }
/* Does one own man in each 2x2 box win? */
static inline bool bk_rules_configuration(const struct bk_variant *v) { return v->configuration; }
/* Does the game begin on an empty board? */
static inline bool bk_rules_opening_drops(const struct bk_variant *v) { return v->opening_drops; }
/* Turns of each side after the opening drops in which no side may give check. */
static inline unsigned bk_rules_quiet_turns(const struct bk_variant *v) { return v->quiet_turns; }
/* May in these turns only the man who moves give no check, while one who is dropped, or behind
   him, may? */
static inline bool bk_rules_quiet_moves(const struct bk_variant *v) { return v->quiet_moves; }
/* == Live terrain == docs/rules.md; who may change what now: core/land.h */

/* Can land vanish and come back in this game? */
static inline bool bk_rules_land_lives(const struct bk_variant *v) { return v->land.live; }
/* May a side's men of this type use such a power, begun or not? */
static inline bool bk_rules_has_power(const struct bk_variant *v, unsigned type, unsigned colour,
                                      enum bk_power power)
{
    return v->land.live && v->piece[type].power == power &&
           (!v->land.one_each || (power == BK_POWER_CREATES) == (colour == BK_WHITE));
}
/* The squares that can ever be sea; none where the land is frozen. */
static inline const struct bk_bits *bk_rules_changeable(const struct bk_variant *v)
{
    return &v->land.changes;
}
/* Must a FEN say which squares can change, because not all of the board's can? */
static inline bool bk_rules_names_changeable(const struct bk_variant *v)
{
    return v->land.live && memcmp(&v->land.changes, &v->board, sizeof v->board) != 0;
}
/* Does an enemy with the other power forbid both in his range? */
static inline bool bk_rules_cancels(const struct bk_variant *v) { return v->land.cancels; }
/* Are bridges two squares wide at least? */
static inline bool bk_rules_wide_bridges(const struct bk_variant *v) { return v->land.bridges; }

/* How many men of a type a side begins with. */
static inline unsigned bk_rules_army(const struct bk_variant *v, unsigned type)
{
    return v->piece[type].army;
}

#endif
