/*
 * check.c - is it a game?
 *
 * Idea: each check says one thing that must hold, from the board up to rules
 * that need each other, and the first that does not hold complains in the name
 * of the key that would have said so.  Later checks rely on earlier ones.
 */
#include "core/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/geometry.h"
#include "core/rules.h"

#define SHUFFLED_FILES_MAX ('k' - 'a')

__attribute__((format(printf, 5, 6))) static bool
complain(struct bk_complaint *c, int type, const char *key, unsigned nth, const char *fmt, ...)
{
    va_list ap;

    c->type = type;
    c->key = key;
    c->nth = nth;
    va_start(ap, fmt);
    vsnprintf(c->text, sizeof c->text, fmt, ap);
    va_end(ap);
    return false;
}

static bool check_board(const struct bk_variant *v, struct bk_complaint *c)
{
    struct bk_bits outside = v->board;

    if (v->files < 2 || v->files > BK_FILES_MAX || v->ranks < 2 || v->ranks > BK_RANKS_MAX)
        return complain(c, -1, "board", 0, "the board must be 2x2 to %dx%d", BK_FILES_MAX,
                        BK_RANKS_MAX);
    for (unsigned sq = 0; sq < (unsigned)v->files * v->ranks; sq++)
        bk_bits_clear(&outside, sq);
    if (!bk_bits_empty(&outside))
        return complain(c, -1, "board", 0, "the board has squares outside its rectangle");
    if (bk_bits_count(&v->board) < 3)
        return complain(c, -1, "holes", 0, "two kings and a man need three squares");
    return true;
}

static bool check_names(const struct bk_variant *v, struct bk_complaint *c)
{
    int royal = -1;
    bool none = !bk_rules_royal(v);

    if (v->ntypes < 1 || v->ntypes > BK_TYPES_MAX)
        return complain(c, -1, "letter", 0, "a game has 1 to %d pieces", BK_TYPES_MAX);
    for (int i = 0; i < v->ntypes; i++) {
        const struct bk_piece *p = &v->piece[i];

        if (p->letter < 'A' || p->letter > 'Z')
            return complain(c, i, "letter", 0, "a letter is one of A to Z");
        if (bk_variant_type(v, p->letter) != i)
            return complain(c, i, "letter", 0, "letter %c is taken by [piece %s]", p->letter,
                            v->piece[bk_variant_type(v, p->letter)].name);
        if (p->royal && royal >= 0)
            return complain(c, i, "royal", 0, "two royal pieces: %c and %c", v->piece[royal].letter,
                            p->letter);
        if (p->royal)
            royal = i;
    }
    if (royal < 0 && !v->out_of.told)
        return complain(c, -1, "royal", 0,
                        "no piece is royal, and neither out-of-men nor out-of-kind says who wins");
    if (none != (royal < 0) || (!none && royal != v->royal))
        return complain(c, -1, "royal", 0, "the royal type is not the royal piece");
    return true;
}

static const char *hand_word(const struct bk_variant *v)
{
    switch (v->hand_kind) {
    case BK_HAND_CAPTURED: return "captured";
    case BK_HAND_TURNED: return "turned";
    case BK_HAND_HOSTAGE: return "hostage";
    }
    return "none";
}

/* Checks what ends the game: with a royal it is mate, without one the lack of men. */
static bool check_ends(const struct bk_variant *v, struct bk_complaint *c)
{
    const char *key = v->out_of.kinds ? "out-of-kind" : "out-of-men";

    if (bk_rules_royal(v))
        return !v->out_of.told || complain(c, -1, key, 0, "it is for games without a royal piece");
    for (int i = v->ntypes; i < BK_TYPES_MAX; i++)
        if (v->out_of.kinds >> i & 1)
            return complain(c, -1, key, 0, "type %d does not exist", i);
    if (v->bare != BK_BARE_NOTHING)
        return complain(c, -1, "bare-king", 0, "it needs a royal piece");
    if (v->castling.allowed || v->castling.shuffled)
        return complain(c, -1, "castling-rook", 0, "castling needs a royal piece");
    if (v->hands)
        return complain(c, -1, "hand", 0, "%s needs a royal piece", hand_word(v));
    return true;
}

/* Holds for every step, wherever it came from. */
static bool check_movement(const struct bk_movement *m, int type, const char *key,
                           struct bk_complaint *c)
{
    if (m->nsteps < 1 || m->nsteps > BK_STEPS_MAX)
        return complain(c, type, key, 0, "a man has 1 to %d directions", BK_STEPS_MAX);
    if (m->steps_max != 1 && m->steps_max != 2)
        return complain(c, type, "steps", 0, "a move has one step or two");
    if (m->takes_twice && m->steps_max != 2)
        return complain(c, type, "takes-twice", 0, "taking twice needs steps = 2");
    for (unsigned i = 0; i < m->nsteps; i++) {
        const struct bk_step *s = &m->step[i];

        if ((!s->df && !s->dr) || abs(s->df) >= BK_FILES_MAX || abs(s->dr) >= BK_RANKS_MAX)
            return complain(c, type, key, 0, "a step of (%d,%d)", s->df, s->dr);
        if (!(s->how & (BK_QUIET | BK_TAKES)))
            return complain(c, type, key, 0, "a step that may neither move nor capture");
        if (s->how & BK_HOPS && s->range == 1)
            return complain(c, type, key, 0, "a hop needs a range of more than one");
        if (m->steps_max == 2 && (s->range != 1 || s->how != (BK_QUIET | BK_TAKES)))
            return complain(c, type, key, 0,
                            "steps = 2 is for leapers that move and capture "
                            "alike: no range, m, c or p");
    }
    return true;
}

static bool check_ranks(const struct bk_variant *v, const struct bk_piece *p, int type,
                        struct bk_complaint *c)
{
    unsigned all = bk_all_ranks(v), two_more = all >> 2;

    if (!p->ranks || p->ranks & ~all)
        return complain(c, type, "ranks", 0, "the board has ranks 1 to %d", v->ranks);
    if (p->zone_ranks & ~(unsigned)p->ranks)
        return complain(c, type, "zone-ranks", 0, "%c may not stand on all of these ranks",
                        p->letter);
    if (p->double_ranks & ~(unsigned)p->ranks)
        return complain(c, type, "double-step", 0, "%c may not stand on all of these ranks",
                        p->letter);
    if (p->double_ranks & ~two_more)
        return complain(c, type, "double-step", 0, "there are not two ranks ahead");
    return true;
}

static bool check_become(const struct bk_variant *v, int type, unsigned nth, struct bk_complaint *c)
{
    const struct bk_become *b = &v->piece[type].become[nth];
    uint32_t seen = 0;

    if (type == v->royal)
        return complain(c, type, "becomes", nth, "the royal piece stays what it is");
    if (!b->ranks || b->ranks & ~(unsigned)bk_all_ranks(v))
        return complain(c, type, "becomes", nth, "the board has ranks 1 to %d", v->ranks);
    if (b->nto < 1 || b->nto > BK_TYPES_MAX)
        return complain(c, type, "becomes", nth, "it becomes nothing: letters are missing");
    if (b->in_place && !b->lost_only)
        return complain(c, type, "becomes", nth, "in-place is only for `lost`");
    for (unsigned i = 0; i < b->nto; i++) {
        if (b->to[i] >= v->ntypes)
            return complain(c, type, "becomes", nth, "type %d does not exist", b->to[i]);
        if (b->to[i] == v->royal)
            return complain(c, type, "becomes", nth, "nothing becomes the royal piece");
        if (b->to[i] == type)
            return complain(c, type, "becomes", nth, "%c becomes itself", v->piece[type].letter);
        if (seen >> b->to[i] & 1)
            return complain(c, type, "becomes", nth, "%c stands twice", v->piece[b->to[i]].letter);
        seen |= UINT32_C(1) << b->to[i];
    }
    return true;
}

/* The royal piece leaps: kings make up the frame that tables are solved in. */
static bool check_royal(const struct bk_piece *p, int type, struct bk_complaint *c)
{
    if (p->army > 1)
        return complain(c, type, "army", 0, "a side has one royal piece");
    if (p->zone_ranks)
        return complain(c, type, "zone-ranks", 0, "the royal piece moves alike everywhere");
    if (p->double_ranks)
        return complain(c, type, "double-step", 0, "the royal piece makes no double step");
    if (p->move.steps_max != 1)
        return complain(c, type, "steps", 0, "the royal piece goes one step");
    for (unsigned i = 0; i < p->move.nsteps; i++)
        if (p->move.step[i].range != 1)
            return complain(c, type, "move", 0, "the royal piece leaps: riders are not for it");
    return true;
}

static bool check_piece(const struct bk_variant *v, int type, struct bk_complaint *c)
{
    const struct bk_piece *p = &v->piece[type];

    if (!check_movement(&p->move, type, "move", c) || !check_ranks(v, p, type, c))
        return false;
    if (p->zone_ranks && !check_movement(&p->zone, type, "zone-move", c))
        return false;
    if (p->army > bk_bits_count(&v->board))
        return complain(c, type, "army", 0, "an army of %d on %d squares", p->army,
                        (int)bk_bits_count(&v->board));
    if (type == v->royal && !check_royal(p, type, c))
        return false;
    if (p->nbecomes > BK_BECOMES_MAX)
        return complain(c, type, "becomes", 0, "at most %d rules a piece", BK_BECOMES_MAX);
    for (unsigned i = 0; i < p->nbecomes; i++)
        if (!check_become(v, type, i, c))
            return false;
    return true;
}

/*
 * Follows `becomes` depth first.  A type that is met again on the way to
 * itself closes a cycle: tables could then not be solved one after another.
 */
static bool check_cycle(const struct bk_variant *v, int *way, unsigned n, uint32_t *done,
                        struct bk_complaint *c)
{
    const struct bk_piece *p = &v->piece[way[n - 1]];

    for (unsigned i = 0; i < p->nbecomes; i++)
        for (unsigned j = 0; j < p->become[i].nto; j++) {
            int to = p->become[i].to[j];

            for (unsigned k = 0; k < n; k++)
                if (way[k] == to) {
                    char text[4 * BK_TYPES_MAX + 4] = "";
                    size_t length = 0;

                    for (unsigned m = k; m < n; m++, length += 4)
                        snprintf(text + length, sizeof text - length, "%c > ",
                                 v->piece[way[m]].letter);
                    text[length] = v->piece[to].letter;
                    return complain(c, way[n - 1], "becomes", i, "promotion in a circle: %s", text);
                }
            way[n] = to;
            if (!(*done >> to & 1) && !check_cycle(v, way, n + 1, done, c))
                return false;
        }
    *done |= UINT32_C(1) << way[n - 1];
    return true;
}

static bool check_cycles(const struct bk_variant *v, struct bk_complaint *c)
{
    int way[BK_TYPES_MAX + 1];
    uint32_t done = 0;

    for (int i = 0; i < v->ntypes; i++) {
        way[0] = i;
        if (!(done >> i & 1) && !check_cycle(v, way, 1, &done, c))
            return false;
    }
    return true;
}

static bool check_limits(const struct bk_variant *v, struct bk_complaint *c)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < v->ntypes; i++)
        sum += v->limit[i];
    if (sum > BK_LIMITS_MAX)
        return complain(c, -1, "limits", 0, "at most %d evolutions a side", BK_LIMITS_MAX);
    for (unsigned i = 0; i < v->ntypes; i++)
        if (v->limit[i] && !bk_rules_offer(v, i, true, false))
            return complain(c, -1, "limits", 0, "nothing becomes %c by a counted rule",
                            v->piece[i].letter);
    return true;
}

/* Checks the homes of king and rooks; on one wing there may be no castling, and no home. */
static bool check_homes(const struct bk_variant *v, struct bk_complaint *c)
{
    const struct bk_castling *k = &v->castling;
    bool one = k->rook_file[0] != k->rook_file[1];
    bool left = one && k->rook_file[0] == BK_NO_HOME, right = one && k->rook_file[1] == BK_NO_HOME;

    if (k->king_file >= v->files)
        return complain(c, -1, "castling-king-file", 0, "the file is not on the board");
    if ((left ? k->king_file < 1 : k->rook_file[0] >= k->king_file) ||
        (right ? k->king_file + 1 >= v->files
               : k->rook_file[1] <= k->king_file || k->rook_file[1] >= v->files))
        return complain(c, -1, "castling-rook-files", 0,
                        "the rooks stand on the board, left and right of the king");
    return true;
}

static bool check_castling(const struct bk_variant *v, struct bk_complaint *c)
{
    const struct bk_castling *k = &v->castling;
    unsigned home = 1u << k->rank;

    if (!k->allowed && !k->shuffled)
        return true;
    if (k->rook >= v->ntypes || k->rook == v->royal)
        return complain(c, -1, "castling-rook", 0, "the king castles with another piece");
    if (!(v->piece[k->rook].ranks & v->piece[v->royal].ranks & home))
        return complain(c, -1, "castling-rook", 0, "king and rook must be allowed on rank %u",
                        k->rank + 1);
    if (v->en_passant && v->piece[k->rook].double_ranks & home)
        return complain(c, -1, "castling-rook", 0,
                        "with en passant, it makes no double step from its home");
    if (k->shuffled && v->files > SHUFFLED_FILES_MAX)
        return complain(c, -1, "castling-homes", 0,
                        "shuffled on at most %d files: 'K' in a FEN "
                        "is no file's letter",
                        SHUFFLED_FILES_MAX);
    if (k->allowed && !check_homes(v, c))
        return false;
    for (unsigned side = 0; side < 2; side++) {
        if (k->allowed && !k->shuffled && k->rook_file[side] == BK_NO_HOME) {
            if (k->king_to[side] == BK_NO_HOME && k->rook_to[side] == BK_NO_HOME)
                continue;
            return complain(c, -1, "castling-rook-files", 0,
                            "`-` where nobody castles: in all three keys of two files, or in none");
        }
        if (k->king_to[side] >= v->files)
            return complain(c, -1, "castling-king-to", 0, "the file is not on the board");
        if (k->rook_to[side] >= v->files || k->rook_to[side] == k->king_to[side])
            return complain(c, -1, "castling-rook-to", 0,
                            "the rook goes to another file of the board than the king");
    }
    return true;
}

static bool check_deal(const struct bk_variant *v, struct bk_complaint *c)
{
    if (v->deal.shuffle && !v->deal.n)
        return complain(c, -1, "deal-shuffle", 0, "it needs `deal`");
    if (v->deal.apart && !v->deal.shuffle)
        return complain(c, -1, "deal-apart", 0, "it needs deal-shuffle = yes");
    return !v->deal.n || !v->hands ||
           complain(c, -1, "deal", 0, "it does not go with hand = %s", hand_word(v));
}

/* What belongs to hand = captured alone. */
static bool check_captured_keys(const struct bk_variant *v, struct bk_complaint *c)
{
    if (v->opening_drops)
        return complain(c, -1, "opening", 0, "drops need hand = captured");
    if (v->configuration)
        return complain(c, -1, "configuration", 0, "it needs hand = captured");
    if (v->hand_bonus)
        return complain(c, -1, "hand-bonus", 0, "it needs hand = captured");
    return !v->no_recapture || complain(c, -1, "hand-recapture", 0, "it needs hand = captured");
}

/* Every man but the royal has a value where hostages are exchanged, and nowhere else. */
static bool check_values(const struct bk_variant *v, struct bk_complaint *c)
{
    bool hostage = v->hands && v->hand_kind == BK_HAND_HOSTAGE;

    for (unsigned i = 0; i < v->ntypes; i++) {
        if (!hostage && v->worth[i])
            return complain(c, -1, "values", 0, "it needs hand = hostage");
        if (hostage && i == v->royal && v->worth[i])
            return complain(c, -1, "values", 0, "%c is never taken", v->piece[i].letter);
        if (hostage && i != v->royal && !v->worth[i])
            return complain(c, -1, "hand", 0, "hostage needs `values`, also of %c",
                            v->piece[i].letter);
    }
    return true;
}

/* Where a drop is a turn: docs/whole.md 10. */
static bool check_exchange(const struct bk_variant *v, struct bk_complaint *c)
{
    const char *word = hand_word(v);
    int changes = -1;

    if (v->bare != BK_BARE_NOTHING)
        return complain(c, -1, "hand", 0, "%s does not go with a bare-king rule", word);
    if (v->castling.shuffled)
        return complain(c, -1, "hand", 0, "%s does not go with shuffled homes", word);
    if (v->must_capture)
        return complain(c, -1, "captures", 0, "must does not go with hand = %s", word);
    if (v->stalemate != BK_STALEMATE_DRAW && v->stalemate != BK_STALEMATE_LOSS)
        return complain(c, -1, "stalemate", 0, "with hand = %s it is draw or loss", word);
    for (int i = 0; i < v->ntypes; i++) {
        const struct bk_piece *p = &v->piece[i];

        if (p->move.takes_twice || (p->zone_ranks && p->zone.takes_twice))
            return complain(c, -1, "hand", 0,
                            "%s is for men that take one at a time; %c is another", word,
                            p->letter);
        for (int k = 0; k < p->nbecomes; k++)
            if (p->become[k].lost_only || p->become[k].counted)
                return complain(c, -1, "hand", 0, "%s does not go with `lost` and `counted`", word);
        if (p->nbecomes && changes >= 0)
            return complain(c, -1, "hand", 0,
                            "%s is for games in which one kind becomes another, "
                            "not %c and %c",
                            word, v->piece[changes].letter, p->letter);
        if (p->nbecomes)
            changes = i;
    }
    return true;
}

/* Hands are for men that stay what they are: docs/whole.md. */
static bool check_captured(const struct bk_variant *v, struct bk_complaint *c)
{
    if (v->bare == BK_BARE_NOTHING)
        return complain(c, -1, "hand", 0, "captured needs a bare-king rule");
    if (v->must_capture)
        return complain(c, -1, "captures", 0, "must does not go with hand = captured");
    if (v->stalemate != BK_STALEMATE_DRAW && v->stalemate != BK_STALEMATE_LOSS)
        return complain(c, -1, "stalemate", 0, "with hand = captured it is draw or loss");
    if (v->castling.allowed || v->castling.shuffled)
        return complain(c, -1, "hand", 0, "captured does not go with castling");
    for (int i = 0; i < v->ntypes; i++)
        if (v->piece[i].nbecomes || v->piece[i].double_ranks || v->piece[i].move.takes_twice ||
            (v->piece[i].zone_ranks && v->piece[i].zone.takes_twice))
            return complain(c, -1, "hand", 0,
                            "captured is for men that stay what they are, go "
                            "no double steps and take one at a time; %c is another",
                            v->piece[i].letter);
    return true;
}

static bool check_hands(const struct bk_variant *v, struct bk_complaint *c)
{
    bool captured = v->hands && v->hand_kind == BK_HAND_CAPTURED;

    if (!captured && !check_captured_keys(v, c))
        return false;
    if (v->quiet_turns && !v->opening_drops)
        return complain(c, -1, "opening-quiet-turns", 0, "it needs opening = drops");
    if (v->quiet_moves && !v->quiet_turns)
        return complain(c, -1, "opening-quiet", 0, "it needs opening-quiet-turns");
    if (!check_values(v, c))
        return false;
    if (!v->hands)
        return true;
    if (v->game_turns)
        return complain(c, -1, "game-length-turns", 0, "it does not go with hand = %s",
                        hand_word(v));
    return captured ? check_captured(v, c) : check_exchange(v, c);
}

/* A power's range is what one leap reaches, whatever stands about. */
static bool has_plain_leaps(const struct bk_piece *p)
{
    bool plain = p->move.steps_max == 1 && !p->zone_ranks && !p->double_ranks;

    for (unsigned i = 0; i < p->move.nsteps; i++)
        plain &= p->move.step[i].range == 1;
    return plain;
}

/* Live terrain: docs/rules.md. */
static bool check_land(const struct bk_variant *v, struct bk_complaint *c)
{
    bool any = false;

    for (int i = 0; i < v->ntypes; i++)
        any |= v->piece[i].power != BK_POWER_NONE;
    if (!v->land.live)
        return !any || complain(c, -1, "terrain", 0, "powers need terrain = live");
    if (!any)
        return complain(c, -1, "terrain", 0, "live needs a piece with a terrain-power");
    if (v->hands || v->configuration)
        return complain(c, -1, "terrain", 0, "live does not go with hand = %s",
                        v->hands ? hand_word(v) : "captured");
    if (v->castling.allowed || v->castling.shuffled)
        return complain(c, -1, "terrain", 0, "live does not go with castling");
    if (v->en_passant)
        return complain(c, -1, "terrain", 0, "live does not go with en-passant");
    if (v->nmove.plies)
        return complain(c, -1, "terrain", 0, "live does not go with n-move");
    if (v->must_capture || v->out_of.told)
        return complain(c, -1, "terrain", 0,
                        "live is for games with a royal piece, whose captures are free");
    if (v->stalemate != BK_STALEMATE_DRAW && v->stalemate != BK_STALEMATE_LOSS)
        return complain(c, -1, "stalemate", 0, "draw or loss where terrain is live");
    for (int i = 0; i < v->ntypes; i++) {
        const struct bk_piece *p = &v->piece[i];

        if (v->limit[i])
            return complain(c, -1, "limits", 0, "they do not go with terrain = live");
        if (p->nbecomes && (p->move.takes_twice || (p->zone_ranks && p->zone.takes_twice)))
            return complain(c, i, "takes-twice", 0,
                            "who takes twice does not change where terrain is live");
        if (p->power != BK_POWER_NONE && (p->royal || !has_plain_leaps(p)))
            return complain(c, i, "terrain-power", 0,
                            "it is for men, not royal, who move by single leaps everywhere");
    }
    return true;
}

static bool check_nmove(const struct bk_variant *v, struct bk_complaint *c)
{
    const struct bk_nmove *n = &v->nmove;

    if (!n->plies)
        return (!n->kinds && !n->irreversible) ||
               complain(c, -1, "zeroing", 0, "it needs `n-move`");
    if (n->plies > 2 * BK_NMOVE_MAX)
        return complain(c, -1, "n-move", 0, "at most %d moves", BK_NMOVE_MAX);
    if (v->hands)
        return complain(c, -1, "n-move", 0, "it does not go with hand = %s", hand_word(v));
    if (v->game_turns)
        return complain(c, -1, "n-move", 0,
                        "it does not go with game-length-turns: a win would have to keep both");
    if (n->kinds && n->irreversible)
        return complain(c, -1, "zeroing", 0, "letters or irreversible, not both");
    if (v->ntypes < 32 && n->kinds >> v->ntypes)
        return complain(c, -1, "zeroing", 0, "a type that does not exist");
    return true;
}

/*
 * A zeroing move must have no way back: what comes after it is solved first, and would wait for
 * what comes before.
 */
bool bk_zeroing_check(const struct bk_variant *v, struct bk_complaint *c)
{
    unsigned rook = v->castling.rook;

    for (unsigned i = 0; i < 2u * v->ntypes; i++) {
        char letter = v->piece[i / 2].letter;

        if (v->nmove.kinds >> i / 2 & 1 && bk_man_comes_back(v, i / 2, i % 2))
            return complain(c, -1, "zeroing", 0,
                            "%c can go to and fro; with captures + irreversible moves zero from "
                            "which a man can never come back",
                            letter);
        if (v->nmove.irreversible && (v->castling.allowed || v->castling.shuffled) &&
            i / 2 == rook && bk_man_goes_for_good(v, rook, i % 2))
            return complain(c, -1, "zeroing", 0,
                            "irreversible is not for games in which %c castles: it has moves from "
                            "which it can never come back",
                            letter);
    }
    return true;
}

/* Everything that must hold before geometry may be derived. */
bool bk_variant_check(const struct bk_variant *v, struct bk_complaint *c)
{
    if (!check_board(v, c) || !check_names(v, c) || !check_ends(v, c))
        return false;
    for (int i = 0; i < v->ntypes; i++)
        if (!check_piece(v, i, c))
            return false;
    return check_cycles(v, c) && check_limits(v, c) && check_castling(v, c) && check_hands(v, c) &&
           check_deal(v, c) && check_nmove(v, c) && check_land(v, c);
}
