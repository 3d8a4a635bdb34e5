/*
 * variant.c - reads a game from its .ini file, checks it, numbers its rules.
 *
 * Idea: first collect every `key = value` with its place, then understand them
 * with the board and all letters known; so a key may speak of a piece that
 * comes later, and every complaint still names the line it is about.
 * Checks that also make sense without a file are in check(), which
 * bk_variant_finish() shares; what only a writer of files gets wrong
 * (forgotten keys, keys without effect) is in check_file().
 *
 * The keys, each once.  "L" is a piece's letter, FILE a letter from a, RANKS a
 * list such as 9  2-7  9,10  3- (3 and up), counted from the mover's own first
 * rank.  More words and examples: docs/variant-files.md.
 *
 *   [variant]
 *   name               a-z 0-9 -; the table files carry it
 *   title              one line for people
 *   source             where the rules are argued, e.g. docs/rules.md#chess
 *   board              FILESxRANKS, 2x2 to 14x14
 *   holes              squares that do not exist: g7 g8 h7 h8; as many such keys
 *                      as the squares need lines
 *   bare-king          nothing | wins | wins-unless-bared-back       (nothing)
 *   stalemate          draw | loss                                   (draw)
 *   en-passant         yes | no                                      (no)
 *   castling-rook      L; with this key the next four are needed
 *   castling-king-file    FILE   where the king stands at home, on rank 1
 *   castling-rook-files   FILE FILE   where the rooks do: left, right
 *   castling-king-to      FILE FILE   where the king goes: left, right
 *   castling-rook-to      FILE FILE   where the rook goes
 *   castling-homes     fixed | shuffled: without the first two files, which
 *                      the FEN tells (core/homes.h)                  (fixed)
 *   limits             R2 C2: how many men a side may ever turn into L by
 *                      `counted` rules
 *   game-length-turns  drawn after so many turns of each side        (never)
 *   start              FEN of the initial array                      (none)
 *   hand               none | captured: captured men are held by the captor and
 *                      dropped again (docs/whole.md)                 (none)
 *   hand-bonus         none: for how long; there is nothing else yet (none)
 *   configuration      none | 2x2: one own man in each box wins      (none)
 *   opening            array | drops: the game begins with drops     (array)
 *   opening-quiet-turns   turns of each side after the drops in which nobody
 *                      may give check                                (0)
 *
 *   [piece NAME]       one a piece; their order is the order of the types
 *   letter             A-Z
 *   royal              yes | no; one piece is                        (no)
 *   move               Betza (betza.c)
 *   steps              1 | 2: how many steps a move may have         (1)
 *   bend               straight | free: the second one's direction   (straight)
 *   takes-twice        yes | no: may the first of two take, too      (no)
 *   army               men of this kind a side starts with    (0; the royal 1)
 *   ranks              RANKS where it may stand                      (all)
 *   zone-ranks         RANKS where it moves by zone-move             (none)
 *   zone-move          Betza
 *   double-step        RANKS from where it may go two squares straight
 *                      forward over an empty square                  (none)
 *   becomes            RANKS may|must [lost] [counted] [in-place] L...
 *                      a move ending there may turn it into one of L...;
 *                      up to four such keys
 */
#include "core/variant.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/betza.h"
#include "core/fairy.h"
#include "core/geometry.h"

/* libinih's own limit is 200 with the line's end and a zero. */
#define LINE_CHARS_MAX     197
#define FILE_BYTES_MAX     (1 << 20)
#define ARMY_MAX           200
#define TURNS_MAX          10000
#define QUIET_TURNS_MAX    20
#define SHUFFLED_FILES_MAX ('k' - 'a')

int bk_variant_type(const struct bk_variant *v, char letter)
{
    for (int i = 0; i < v->ntypes; i++)
        if (v->piece[i].letter == toupper((unsigned char)letter))
            return i;
    return -1;
}

void bk_variant_free(struct bk_variant *v)
{
    if (v) {
        bk_geometry_free(v->geometry);
        free(v);
    }
}

/* == 1. Is it a game? == */

enum { LIMITS_MAX = 100 }; /* they are spelled out in FENs and names of materials */

/* What is wrong, and whose key says so (type -1: the variant's). */
struct complaint {
    int type;
    const char *key;
    unsigned nth; /* of the keys of that name */
    char text[256];
};

__attribute__((format(printf, 5, 6))) static bool
complain(struct complaint *c, int type, const char *key, unsigned nth, const char *fmt, ...)
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

static uint16_t all_ranks(const struct bk_variant *v) { return (uint16_t)((1u << v->ranks) - 1); }

static bool check_board(const struct bk_variant *v, struct complaint *c)
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

static bool check_names(const struct bk_variant *v, struct complaint *c)
{
    int royal = -1;

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
    if (royal < 0)
        return complain(c, -1, "royal", 0, "no piece is royal");
    if (royal != v->royal)
        return complain(c, -1, "royal", 0, "the royal type is not the royal piece");
    return true;
}

/* Holds for every step, wherever it came from. */
static bool check_movement(const struct bk_movement *m, int type, const char *key,
                           struct complaint *c)
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
                        struct complaint *c)
{
    unsigned all = all_ranks(v), two_more = all >> 2;

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

static bool check_become(const struct bk_variant *v, int type, unsigned nth, struct complaint *c)
{
    const struct bk_become *b = &v->piece[type].become[nth];
    uint32_t seen = 0;

    if (type == v->royal)
        return complain(c, type, "becomes", nth, "the royal piece stays what it is");
    if (!b->ranks || b->ranks & ~(unsigned)all_ranks(v))
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
static bool check_royal(const struct bk_piece *p, int type, struct complaint *c)
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

static bool check_piece(const struct bk_variant *v, int type, struct complaint *c)
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
                        struct complaint *c)
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

static bool check_cycles(const struct bk_variant *v, struct complaint *c)
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

/* Does some rule, counted if `counted`, lost_only if `lost`, lead to `type`? */
static bool offered(const struct bk_variant *v, unsigned type, bool counted, bool lost)
{
    for (unsigned i = 0; i < v->ntypes; i++)
        for (unsigned j = 0; j < v->piece[i].nbecomes; j++) {
            const struct bk_become *b = &v->piece[i].become[j];

            if ((counted && !b->counted) || (lost && !b->lost_only))
                continue;
            for (unsigned k = 0; k < b->nto; k++)
                if (b->to[k] == type)
                    return true;
        }
    return false;
}

static bool check_limits(const struct bk_variant *v, struct complaint *c)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < v->ntypes; i++)
        sum += v->limit[i];
    if (sum > LIMITS_MAX)
        return complain(c, -1, "limits", 0, "at most %d evolutions a side", LIMITS_MAX);
    for (unsigned i = 0; i < v->ntypes; i++)
        if (v->limit[i] && !offered(v, i, true, false))
            return complain(c, -1, "limits", 0, "nothing becomes %c by a counted rule",
                            v->piece[i].letter);
    return true;
}

/* Where king and rooks stand; one rook may have no home if a FEN did not speak of it. */
static bool check_homes(const struct bk_variant *v, struct complaint *c)
{
    const struct bk_castling *k = &v->castling;
    bool one = k->shuffled && k->rook_file[0] != k->rook_file[1];
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

static bool check_castling(const struct bk_variant *v, struct complaint *c)
{
    const struct bk_castling *k = &v->castling;

    if (!k->allowed && !k->shuffled)
        return true;
    if (k->rook >= v->ntypes || k->rook == v->royal)
        return complain(c, -1, "castling-rook", 0, "the king castles with another piece");
    if (!(v->piece[k->rook].ranks & v->piece[v->royal].ranks & 1))
        return complain(c, -1, "castling-rook", 0, "king and rook must be allowed on rank 1");
    if (v->en_passant && v->piece[k->rook].double_ranks & 1)
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
        if (k->king_to[side] >= v->files)
            return complain(c, -1, "castling-king-to", 0, "the file is not on the board");
        if (k->rook_to[side] >= v->files || k->rook_to[side] == k->king_to[side])
            return complain(c, -1, "castling-rook-to", 0,
                            "the rook goes to another file of the board than the king");
    }
    return true;
}

/* Hands are for men that stay what they are: docs/whole.md. */
static bool check_hands(const struct bk_variant *v, struct complaint *c)
{
    if (!v->hands) {
        if (v->opening_drops)
            return complain(c, -1, "opening", 0, "drops need hand = captured");
        if (v->configuration)
            return complain(c, -1, "configuration", 0, "it needs hand = captured");
    }
    if (v->quiet_turns && !v->opening_drops)
        return complain(c, -1, "opening-quiet-turns", 0, "it needs opening = drops");
    if (!v->hands)
        return true;
    if (v->bare == BK_BARE_NOTHING)
        return complain(c, -1, "hand", 0, "captured needs a bare-king rule");
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

/* Everything that must hold before geometry may be derived. */
static bool check(const struct bk_variant *v, struct complaint *c)
{
    if (!check_board(v, c) || !check_names(v, c))
        return false;
    for (int i = 0; i < v->ntypes; i++)
        if (!check_piece(v, i, c))
            return false;
    return check_cycles(v, c) && check_limits(v, c) && check_castling(v, c) && check_hands(v, c);
}

/* == 2. The number of the rules == */

/*
 * Serialises what decides a result, field by field, little-endian, in a normal
 * form: steps sorted; fields without effect left out.  Letters and their order
 * belong to it, since materials are spelled with them; names, titles, sources
 * and the initial array do not.
 */
struct bytes {
    unsigned char at[32768];
    size_t n;
};

static_assert(BK_TYPES_MAX * (16 + 2 * (4 + 4 * BK_STEPS_MAX) + BK_BECOMES_MAX * 10) + 512 <
                  sizeof((struct bytes *)0)->at,
              "every variant fits");

static void put(struct bytes *b, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        b->at[b->n++] = (unsigned char)(value >> 8 * i);
}

static int by_bytes(const void *a, const void *b) { return memcmp(a, b, sizeof(struct bk_step)); }

static void put_movement(struct bytes *b, const struct bk_movement *m)
{
    struct bk_step s[BK_STEPS_MAX];

    static_assert(sizeof *s == 4, "no padding, so memcmp orders steps");
    memcpy(s, m->step, m->nsteps * sizeof *s);
    qsort(s, m->nsteps, sizeof *s, by_bytes);
    put(b, m->nsteps, 1);
    put(b, m->steps_max, 1);
    put(b, m->steps_max == 2 && m->bend, 1);
    put(b, m->takes_twice, 1);
    for (unsigned i = 0; i < m->nsteps; i++) {
        put(b, (uint8_t)s[i].df, 1);
        put(b, (uint8_t)s[i].dr, 1);
        put(b, s[i].range, 1);
        put(b, s[i].how, 1);
    }
}

static void put_become(struct bytes *b, const struct bk_become *r)
{
    uint32_t to = 0;

    for (unsigned i = 0; i < r->nto; i++)
        to |= UINT32_C(1) << r->to[i];
    put(b, r->ranks, 2);
    put(b, to, 4);
    put(b, r->must, 1);
    put(b, r->lost_only, 1);
    put(b, r->counted, 1);
    put(b, r->in_place, 1);
}

static void put_piece(struct bytes *b, const struct bk_variant *v, unsigned type)
{
    const struct bk_piece *p = &v->piece[type];

    put(b, (uint8_t)p->letter, 1);
    put(b, offered(v, type, false, true) ? p->army : 0, 1);
    put(b, p->ranks, 2);
    put_movement(b, &p->move);
    put(b, p->zone_ranks, 2);
    if (p->zone_ranks)
        put_movement(b, &p->zone);
    put(b, p->double_ranks, 2);
    put(b, p->nbecomes, 1);
    for (unsigned i = 0; i < p->nbecomes; i++)
        put_become(b, &p->become[i]);
    put(b, v->limit[type], 1);
}

/* Shuffled homes of a wing whose rights are gone no longer matter; where all are gone, castling. */
static struct bk_castling castling_on(const struct bk_variant *v, unsigned wings)
{
    struct bk_castling k = v->castling;

    for (unsigned side = 0; k.shuffled && side < 2; side++)
        if (!(wings >> side & 1))
            k.rook_file[side] = BK_NO_HOME;
    if (k.shuffled && k.rook_file[0] == k.rook_file[1])
        k.allowed = false;
    return k;
}

static uint64_t rules_id(const struct bk_variant *v, unsigned wings)
{
    struct bytes b = { .n = 0 };
    const struct bk_castling on = castling_on(v, wings), *k = &on;
    unsigned doubles = 0;

    put(&b, v->files, 1);
    put(&b, v->ranks, 1);
    for (unsigned i = 0; i < 4; i++)
        put(&b, v->board.w[i], 8);
    put(&b, v->ntypes, 1);
    put(&b, v->royal, 1);
    for (unsigned i = 0; i < v->ntypes; i++) {
        put_piece(&b, v, i);
        doubles |= v->piece[i].double_ranks;
    }
    put(&b, v->bare, 1);
    put(&b, v->stalemate, 1);
    put(&b, doubles && v->en_passant, 1);
    put(&b, v->game_turns, 2);
    put(&b, k->allowed, 1);
    if (k->allowed) {
        put(&b, k->rook, 1);
        put(&b, k->king_file, 1);
        for (unsigned side = 0; side < 2; side++) {
            put(&b, k->rook_file[side], 1);
            put(&b, k->king_to[side], 1);
            put(&b, k->rook_to[side], 1);
        }
    }
    if (v->hands) { /* nothing is added for games without, whose numbers stay */
        put(&b, 'H', 1);
        put(&b, v->configuration, 1);
        put(&b, v->opening_drops, 1);
        put(&b, v->quiet_turns, 1);
    }
    return XXH64(b.at, b.n, 1); /* the seed is the version of this form */
}

/* Fills what follows from the plain fields of a checked variant. */
static enum bk_err derive(struct bk_variant *v, struct bk_report *why)
{
    struct bk_geometry *geometry;
    uint8_t before = v->nsq;
    enum bk_err err;

    v->nsq = (uint8_t)(v->files * v->ranks);
    err = bk_geometry_new(&geometry, v, why);
    if (err) {
        v->nsq = before;
        return err;
    }
    bk_geometry_free(v->geometry);
    v->geometry = geometry;
    v->rules_id = rules_id(v, 3);
    for (unsigned wings = 0; wings < 4; wings++)
        v->wings_id[wings] = rules_id(v, wings);
    return BK_OK;
}

enum bk_err bk_variant_finish(struct bk_variant *v, struct bk_report *why)
{
    struct complaint c;

    if (check(v, &c))
        return derive(v, why);
    if (c.type < 0)
        return bk_fail(why, BK_E_USAGE, "variant %s: %s: %s", v->name, c.key, c.text);
    return bk_fail(why, BK_E_USAGE, "variant %s: piece %d %s: %s: %s", v->name, c.type,
                   v->piece[c.type].name, c.key, c.text);
}

/* == 3. Keys and their places == */

struct file;
struct cursor;

struct key {
    const char *name;
    enum { IN_VARIANT, IN_PIECE } where;
    bool first; /* others need it: board, letter */
    bool repeats;
    bool (*read)(struct cursor *c, struct bk_variant *v, struct bk_piece *p);
};

struct section {
    int type; /* -1: [variant] */
    int line;
};

struct entry {
    const struct key *key;
    int type; /* of its section */
    int line;
    unsigned column; /* of the value */
    char value[LINE_CHARS_MAX + 1];
};

struct file {
    const char *label;
    const char *next; /* what is not read yet */
    int line;
    char raw[LINE_CHARS_MAX + 1]; /* the line as it stands in the file */
    struct section section[BK_TYPES_MAX + 1];
    unsigned nsections;
    struct entry *entry;
    size_t nentries, room;
    struct bk_variant *v;
    enum bk_err err; /* the first fault: nothing is read after it */
    struct bk_report *why;
};

static bool fault_at(struct file *f, int line, unsigned column, const char *fmt, va_list ap)
{
    char text[256];

    vsnprintf(text, sizeof text, fmt, ap);
    f->err = bk_fail(f->why, BK_E_USAGE, "%s:%d:%u: %s", f->label, line, column ? column : 1, text);
    return false;
}

/* column 0: the line as a whole */
__attribute__((format(printf, 4, 5))) static bool fault(struct file *f, int line, unsigned column,
                                                        const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fault_at(f, line, column, fmt, ap);
    va_end(ap);
    return false;
}

/* == 4. Reading values == */

struct cursor {
    struct file *f;
    const struct entry *e;
    const char *p; /* in e->value */
};

/* What stands at the cursor is wrong. */
__attribute__((format(printf, 2, 3))) static bool wrong(struct cursor *c, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fault_at(c->f, c->e->line, c->e->column + (unsigned)(c->p - c->e->value), fmt, ap);
    va_end(ap);
    return false;
}

static bool more(struct cursor *c)
{
    while (isspace((unsigned char)*c->p))
        c->p++;
    return *c->p;
}

static bool at_end(struct cursor *c) { return !more(c) || wrong(c, "unexpected `%s`", c->p); }

static bool number(struct cursor *c, unsigned min, unsigned max, unsigned *out)
{
    const char *end = c->p;
    unsigned n = 0;

    for (; isdigit((unsigned char)*end) && n <= max; end++)
        n = n * 10 + (unsigned)(*end - '0');
    if (end == c->p || n < min || n > max)
        return wrong(c, "expected a number from %u to %u", min, max);
    c->p = end;
    *out = n;
    return true;
}

static bool type_letter(struct cursor *c, const struct bk_variant *v, uint8_t *type)
{
    if (!more(c))
        return wrong(c, "expected a piece's letter");
    for (int i = 0; i < v->ntypes; i++)
        if (v->piece[i].letter == *c->p) {
            *type = (uint8_t)i;
            c->p++;
            return true;
        }
    return wrong(c, "no piece has the letter `%c`", *c->p);
}

static bool file_letter(struct cursor *c, const struct bk_variant *v, uint8_t *file)
{
    if (!more(c) || *c->p < 'a' || *c->p >= 'a' + v->files)
        return wrong(c, "expected a file from a to %c", 'a' + v->files - 1);
    *file = (uint8_t)(*c->p++ - 'a');
    return true;
}

/* 9   2-7   9,10   3- */
static bool rank_list(struct cursor *c, const struct bk_variant *v, uint16_t *mask)
{
    unsigned ranks = 0;

    do {
        unsigned low = 0, high = 0;

        if (!number(c, 1, v->ranks, &low))
            return false;
        high = low;
        if (*c->p == '-') {
            c->p++;
            high = v->ranks;
            if (isdigit((unsigned char)*c->p) && !number(c, low, v->ranks, &high))
                return false;
        }
        for (unsigned r = low; r <= high; r++)
            ranks |= 1u << (r - 1);
    } while (*c->p == ',' && c->p++);
    *mask = (uint16_t)ranks;
    return true;
}

/* The next word if it is `word`. */
static bool skip_word(struct cursor *c, const char *word)
{
    size_t n = strlen(word);

    more(c);
    if (strncmp(c->p, word, n) || (c->p[n] && !isspace((unsigned char)c->p[n])))
        return false;
    c->p += n;
    return true;
}

/* Sets *out to the place of the value among `words`, which ends with NULL. */
static bool one_of(struct cursor *c, const char *const words[], unsigned *out)
{
    char list[128] = "";

    for (unsigned i = 0; words[i]; i++) {
        if (skip_word(c, words[i])) {
            *out = i;
            return at_end(c);
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? " | " : "", words[i]);
    }
    return wrong(c, "expected %s", list);
}

static bool yes_no(struct cursor *c, bool *out)
{
    static const char *const words[] = { "no", "yes", NULL };
    unsigned i = 0;
    bool ok = one_of(c, words, &i);

    *out = i == 1;
    return ok;
}

static bool copy(struct cursor *c, char *to, size_t size)
{
    size_t n = strlen(c->p);

    if (n >= size)
        return wrong(c, "longer than %d characters", (int)size - 1);
    memcpy(to, c->p, n + 1);
    return true;
}

/* == 5. One function a key == */

static bool key_name(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)p;
    if (!copy(c, v->name, sizeof v->name))
        return false;
    for (; *c->p; c->p++)
        if (!islower((unsigned char)*c->p) && !isdigit((unsigned char)*c->p) && *c->p != '-')
            return wrong(c, "a name has only a-z, 0-9 and -");
    return true;
}

static bool key_title(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)p;
    return copy(c, v->title, sizeof v->title);
}

static bool key_source(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)p;
    return copy(c, v->source, sizeof v->source);
}

static bool key_board(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    unsigned files = 0, ranks = 0;

    (void)p;
    if (!number(c, 2, BK_FILES_MAX, &files))
        return false;
    if (*c->p != 'x')
        return wrong(c, "expected FILESxRANKS, such as 10x8");
    c->p++;
    if (!number(c, 2, BK_RANKS_MAX, &ranks) || !at_end(c))
        return false;
    v->files = (uint8_t)files;
    v->ranks = (uint8_t)ranks;
    v->nsq = (uint8_t)(files * ranks);
    for (unsigned sq = 0; sq < v->nsq; sq++)
        bk_bits_set(&v->board, sq);
    return true;
}

static bool key_holes(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)p;
    while (more(c)) {
        const char *start = c->p;
        uint8_t file = 0;
        unsigned rank = 0, sq;

        if (!file_letter(c, v, &file) || !number(c, 1, v->ranks, &rank))
            return false;
        sq = bk_sq(v, file, rank - 1);
        if (!bk_bits_has(&v->board, sq)) {
            c->p = start;
            return wrong(c, "%c%u stands twice", 'a' + file, rank);
        }
        bk_bits_clear(&v->board, sq);
    }
    return true;
}

static bool key_bare_king(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    static const char *const words[] = {
        [BK_BARE_NOTHING] = "nothing",
        [BK_BARE_WINS] = "wins",
        [BK_BARE_BACK] = "wins-unless-bared-back",
        NULL,
    };
    unsigned i = 0;
    bool ok = one_of(c, words, &i);

    (void)p;
    v->bare = (enum bk_bare)i;
    return ok;
}

static bool key_stalemate(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    static const char *const words[] = {
        [BK_STALEMATE_DRAW] = "draw",
        [BK_STALEMATE_LOSS] = "loss",
        NULL,
    };
    unsigned i = 0;
    bool ok = one_of(c, words, &i);

    (void)p;
    v->stalemate = (enum bk_stalemate)i;
    return ok;
}

static bool key_en_passant(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)p;
    return yes_no(c, &v->en_passant);
}

static bool key_castling_rook(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)p;
    v->castling.allowed = true;
    return type_letter(c, v, &v->castling.rook) && at_end(c);
}

static bool key_castling_king_file(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)p;
    return file_letter(c, v, &v->castling.king_file) && at_end(c);
}

static bool two_files(struct cursor *c, const struct bk_variant *v, uint8_t file[2])
{
    return file_letter(c, v, &file[0]) && file_letter(c, v, &file[1]) && at_end(c);
}

static bool key_castling_rook_files(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)p;
    return two_files(c, v, v->castling.rook_file);
}

static bool key_castling_king_to(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)p;
    return two_files(c, v, v->castling.king_to);
}

static bool key_castling_rook_to(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)p;
    return two_files(c, v, v->castling.rook_to);
}

static bool key_castling_homes(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    static const char *const words[] = { "fixed", "shuffled", NULL };
    unsigned i = 0;
    bool ok = one_of(c, words, &i);

    (void)p;
    v->castling.shuffled = i;
    return ok;
}

static bool key_limits(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)p;
    while (more(c)) {
        const char *start = c->p;
        uint8_t type = 0;
        unsigned n = 0;

        if (!type_letter(c, v, &type) || !number(c, 1, 255, &n))
            return false;
        if (v->limit[type]) {
            c->p = start;
            return wrong(c, "%c stands twice", v->piece[type].letter);
        }
        v->limit[type] = (uint8_t)n;
    }
    return true;
}

static bool key_game_length(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    unsigned n = 0;
    bool ok = number(c, 1, TURNS_MAX, &n) && at_end(c);

    (void)p;
    v->game_turns = (uint16_t)n;
    return ok;
}

/* One of two words, the second of which says yes. */
static bool key_choice(struct cursor *c, const char *no, const char *yes, bool *out)
{
    const char *const words[] = { no, yes, NULL };
    unsigned i = 0;
    bool ok = one_of(c, words, &i);

    *out = i == 1;
    return ok;
}

static bool key_hand(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)p;
    return key_choice(c, "none", "captured", &v->hands);
}

static bool key_hand_bonus(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    static const char *const words[] = { "none", NULL };
    unsigned i;

    (void)v;
    (void)p;
    return one_of(c, words, &i);
}

static bool key_configuration(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)p;
    return key_choice(c, "none", "2x2", &v->configuration);
}

static bool key_opening(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)p;
    return key_choice(c, "array", "drops", &v->opening_drops);
}

static bool key_quiet_turns(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    unsigned n = 0;
    bool ok = number(c, 0, QUIET_TURNS_MAX, &n) && at_end(c);

    (void)p;
    v->quiet_turns = (uint8_t)n;
    return ok;
}

/* Only the letters are looked at here; position.c reads the whole FEN. */
static bool key_start(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)p;
    if (!copy(c, v->start, sizeof v->start))
        return false;
    for (; *c->p && !isspace((unsigned char)*c->p); c->p++)
        if (isalpha((unsigned char)*c->p) && bk_variant_type(v, *c->p) < 0)
            return wrong(c, "no piece has the letter `%c`", toupper((unsigned char)*c->p));
    return true;
}

static bool key_letter(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)v;
    if (*c->p < 'A' || *c->p > 'Z')
        return wrong(c, "a letter is one of A to Z");
    p->letter = *c->p++;
    return at_end(c);
}

static bool key_royal(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    if (!yes_no(c, &p->royal))
        return false;
    if (p->royal)
        v->royal = (uint8_t)(p - v->piece);
    return true;
}

static bool betza(struct cursor *c, struct bk_movement *m)
{
    struct bk_report why;
    size_t at;

    if (!bk_betza_read(m, c->p, &at, &why))
        return true;
    c->p += at;
    return wrong(c, "%s", why.text);
}

static bool key_move(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)v;
    return betza(c, &p->move);
}

static bool key_steps(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    unsigned n = 1;
    bool ok = number(c, 1, 2, &n) && at_end(c);

    (void)v;
    p->move.steps_max = (uint8_t)n;
    return ok;
}

static bool key_bend(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    static const char *const words[] = { "straight", "free", NULL };
    unsigned i = 0;
    bool ok = one_of(c, words, &i);

    (void)v;
    p->move.bend = i == 1;
    return ok;
}

static bool key_takes_twice(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)v;
    return yes_no(c, &p->move.takes_twice);
}

static bool key_army(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    unsigned n = 0;
    bool ok = number(c, 0, ARMY_MAX, &n) && at_end(c);

    (void)v;
    p->army = (uint8_t)n;
    return ok;
}

static bool key_ranks(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    return rank_list(c, v, &p->ranks) && at_end(c);
}

static bool key_zone_ranks(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    return rank_list(c, v, &p->zone_ranks) && at_end(c);
}

static bool key_zone_move(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)v;
    return betza(c, &p->zone);
}

static bool key_double_step(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    return rank_list(c, v, &p->double_ranks) && at_end(c);
}

static bool key_becomes(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    struct bk_become *b = &p->become[p->nbecomes];

    if (p->nbecomes == BK_BECOMES_MAX)
        return wrong(c, "a piece has at most %d `becomes`", BK_BECOMES_MAX);
    if (!rank_list(c, v, &b->ranks))
        return false;
    b->must = skip_word(c, "must");
    if (!b->must && !skip_word(c, "may"))
        return wrong(c, "expected may | must");
    b->lost_only = skip_word(c, "lost");
    b->counted = skip_word(c, "counted");
    b->in_place = skip_word(c, "in-place");
    while (more(c)) {
        if (b->nto == BK_TYPES_MAX)
            return wrong(c, "more letters than pieces");
        if (!type_letter(c, v, &b->to[b->nto]))
            return false;
        b->nto++;
    }
    p->nbecomes++;
    return true;
}

static const struct key keys[] = {
    { "board", IN_VARIANT, true, false, key_board },
    { "letter", IN_PIECE, true, false, key_letter },
    { "name", IN_VARIANT, false, false, key_name },
    { "title", IN_VARIANT, false, false, key_title },
    { "source", IN_VARIANT, false, false, key_source },
    { "holes", IN_VARIANT, false, true, key_holes },
    { "bare-king", IN_VARIANT, false, false, key_bare_king },
    { "stalemate", IN_VARIANT, false, false, key_stalemate },
    { "en-passant", IN_VARIANT, false, false, key_en_passant },
    { "castling-rook", IN_VARIANT, false, false, key_castling_rook },
    { "castling-king-file", IN_VARIANT, false, false, key_castling_king_file },
    { "castling-rook-files", IN_VARIANT, false, false, key_castling_rook_files },
    { "castling-king-to", IN_VARIANT, false, false, key_castling_king_to },
    { "castling-rook-to", IN_VARIANT, false, false, key_castling_rook_to },
    { "castling-homes", IN_VARIANT, false, false, key_castling_homes },
    { "limits", IN_VARIANT, false, false, key_limits },
    { "game-length-turns", IN_VARIANT, false, false, key_game_length },
    { "start", IN_VARIANT, false, false, key_start },
    { "hand", IN_VARIANT, false, false, key_hand },
    { "hand-bonus", IN_VARIANT, false, false, key_hand_bonus },
    { "configuration", IN_VARIANT, false, false, key_configuration },
    { "opening", IN_VARIANT, false, false, key_opening },
    { "opening-quiet-turns", IN_VARIANT, false, false, key_quiet_turns },
    { "royal", IN_PIECE, false, false, key_royal },
    { "move", IN_PIECE, false, false, key_move },
    { "steps", IN_PIECE, false, false, key_steps },
    { "bend", IN_PIECE, false, false, key_bend },
    { "takes-twice", IN_PIECE, false, false, key_takes_twice },
    { "army", IN_PIECE, false, false, key_army },
    { "ranks", IN_PIECE, false, false, key_ranks },
    { "zone-ranks", IN_PIECE, false, false, key_zone_ranks },
    { "zone-move", IN_PIECE, false, false, key_zone_move },
    { "double-step", IN_PIECE, false, false, key_double_step },
    { "becomes", IN_PIECE, false, true, key_becomes },
};

/* == 6. Collecting the entries == */

static const struct section *section_of(const struct file *f, int type)
{
    for (unsigned i = 0; i < f->nsections; i++)
        if (f->section[i].type == type)
            return &f->section[i];
    return NULL;
}

static bool open_variant(struct file *f)
{
    const struct section *before = section_of(f, -1);

    if (before)
        return fault(f, f->line, 1, "[variant] stands twice (first on line %d)", before->line);
    f->section[f->nsections++] = (struct section){ -1, f->line };
    return true;
}

static bool open_piece(struct file *f, const char *name, size_t length)
{
    struct bk_variant *v = f->v;

    if (length == 0)
        return fault(f, f->line, 1, "[piece NAME] needs a name");
    if (length >= sizeof v->piece[0].name)
        return fault(f, f->line, 1, "a piece's name has at most %d letters",
                     (int)sizeof v->piece[0].name - 1);
    for (int i = 0; i < v->ntypes; i++)
        if (strlen(v->piece[i].name) == length && !memcmp(v->piece[i].name, name, length))
            return fault(f, f->line, 1, "[piece %s] stands twice (first on line %d)",
                         v->piece[i].name, section_of(f, i)->line);
    if (v->ntypes == BK_TYPES_MAX)
        return fault(f, f->line, 1, "more than %d pieces", BK_TYPES_MAX);
    memcpy(v->piece[v->ntypes].name, name, length);
    f->section[f->nsections++] = (struct section){ v->ntypes++, f->line };
    return true;
}

/* libinih tells of a section only with its first key; we want empty ones, too. */
static bool note_section(struct file *f)
{
    const char *open = f->raw + strspn(f->raw, " \t"), *name = open + 1, *close;
    size_t length, after;

    if (*open != '[')
        return true;
    close = strchr(open, ']');
    if (open != f->raw || !close)
        return fault(f, f->line, 1, "expected `[variant]` or `[piece NAME]`");
    after = 1 + strspn(close + 1, " \t\r");
    if (close[after] && close[after] != ';')
        return fault(f, f->line, (unsigned)(close + after - f->raw) + 1,
                     "unexpected text after the section");
    length = (size_t)(close - name);
    if (length == 7 && !memcmp(name, "variant", 7))
        return open_variant(f);
    if (length >= 5 && !memcmp(name, "piece", 5) && (length == 5 || name[5] == ' ')) {
        size_t skip = 5 + strspn(name + 5, " ");

        while (length > skip && name[length - 1] == ' ')
            length--;
        return open_piece(f, name + skip, length > skip ? length - skip : 0);
    }
    return fault(f, f->line, 1, "unknown section [%.*s]; expected [variant] or [piece NAME]",
                 (int)length, name);
}

/* Hands libinih one line, and keeps count, which its callback does not tell. */
static char *next_line(char *buffer, int room, void *arg)
{
    struct file *f = arg;
    size_t n = strcspn(f->next, "\n");

    if (f->err || !*f->next)
        return NULL;
    f->line++;
    if (n > LINE_CHARS_MAX || (int)n + 3 > room) {
        fault(f, f->line, LINE_CHARS_MAX + 1, "the line is longer than %d characters",
              LINE_CHARS_MAX);
        return NULL;
    }
    memcpy(f->raw, f->next, n);
    f->raw[n] = '\0';
    if (!note_section(f))
        return NULL;
    memcpy(buffer, f->raw, n);
    f->next += n;
    if (*f->next) {
        buffer[n++] = '\n';
        f->next++;
    }
    buffer[n] = '\0';
    return buffer;
}

static const struct key *find_key(const char *name)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(keys[i].name, name))
            return &keys[i];
    return NULL;
}

static const struct entry *find_entry(const struct file *f, int type, const char *key, unsigned nth)
{
    for (size_t i = 0; i < f->nentries; i++)
        if (f->entry[i].type == type && !strcmp(f->entry[i].key->name, key) && nth-- == 0)
            return &f->entry[i];
    return NULL;
}

static bool add_entry(struct file *f, const struct key *key, int type, const char *value)
{
    size_t column = strcspn(f->raw, "=:") + 1;
    struct entry *e;

    column += strspn(f->raw + column, " \t");
    if (f->nentries == f->room) {
        size_t room = f->room ? 2 * f->room : 128;
        struct entry *more = realloc(f->entry, room * sizeof *more);

        if (!more) {
            f->err = bk_no_memory(f->why);
            return false;
        }
        f->entry = more;
        f->room = room;
    }
    e = &f->entry[f->nentries++];
    *e = (struct entry){ key, type, f->line, (unsigned)column + 1, "" };
    memcpy(e->value, value, strlen(value) + 1); /* a part of raw, so it fits */
    return true;
}

/* libinih's callback; 0 means "this line is wrong". */
static int on_key(void *arg, const char *section, const char *name, const char *value)
{
    struct file *f = arg;
    const struct key *key = find_key(name);
    const struct entry *before;
    int type;

    (void)section; /* note_section() knows better */
    if (f->err)
        return 0;
    if (isspace((unsigned char)f->raw[0]))
        return fault(f, f->line, 1, "a key begins in the first column");
    if (!f->nsections)
        return fault(f, f->line, 1, "`%s` stands before the first section", name);
    type = f->section[f->nsections - 1].type;
    if (!key)
        return fault(f, f->line, 1, "unknown key `%s`", name);
    if ((key->where == IN_PIECE) != (type >= 0))
        return fault(f, f->line, 1, "`%s` belongs to %s", name,
                     key->where == IN_PIECE ? "[piece NAME]" : "[variant]");
    if (!*value)
        return fault(f, f->line, 1, "`%s` has no value", name);
    before = find_entry(f, type, name, 0);
    if (before && !key->repeats)
        return fault(f, f->line, 1, "`%s` stands twice (first on line %d)", name, before->line);
    return add_entry(f, key, type, value);
}

static bool collect(struct file *f)
{
    int bad;

    if (!strncmp(f->next, "\xEF\xBB\xBF", 3)) /* a byte order mark */
        f->next += 3;
    bad = ini_parse_stream(next_line, f, on_key, f);
    if (bad > 0 && (!f->err || bad < f->line))
        fault(f, bad, 0, "expected `key = value` or `[section]`");
    if (bad < 0 && !f->err)
        f->err = bk_no_memory(f->why);
    return !f->err;
}

/* == 7. The whole file == */

static bool read_keys(struct file *f, bool first)
{
    for (size_t i = 0; i < f->nentries; i++) {
        const struct entry *e = &f->entry[i];
        struct cursor c = { f, e, e->value };

        if (e->key->first == first &&
            !e->key->read(&c, f->v, e->type >= 0 ? &f->v->piece[e->type] : NULL))
            return false;
    }
    return true;
}

/* Is the key there?  If not, the section is to blame. */
static bool need(struct file *f, int type, const char *key)
{
    return find_entry(f, type, key, 0) ||
           fault(f, section_of(f, type)->line, 0, "`%s` is missing", key);
}

static bool need_board_and_letters(struct file *f)
{
    if (!section_of(f, -1))
        return fault(f, f->line ? f->line : 1, 0, "there is no [variant] section");
    if (!need(f, -1, "name") || !need(f, -1, "board"))
        return false;
    for (int i = 0; i < f->v->ntypes; i++)
        if (!need(f, i, "letter") || !need(f, i, "move"))
            return false;
    return true;
}

static void set_defaults(struct bk_variant *v)
{
    for (unsigned i = 0; i < v->ntypes; i++) {
        v->piece[i].ranks = all_ranks(v);
        v->piece[i].move.steps_max = 1;
        v->piece[i].zone.steps_max = 1;
    }
}

/* Where the file says what `c` complains of; the section if it does not say. */
static bool fault_complaint(struct file *f, const struct complaint *c)
{
    const struct entry *e = find_entry(f, c->type, c->key, c->nth);

    if (e)
        return fault(f, e->line, e->column, "%s", c->text);
    return fault(f, section_of(f, c->type)->line, 0, "%s", c->text);
}

/* Says so if a key is of no use without another. */
static bool needs(struct file *f, int type, const char *key, bool met, const char *text)
{
    const struct entry *e = find_entry(f, type, key, 0);

    return !e || met || fault(f, e->line, e->column, "`%s` %s", key, text);
}

static bool check_castling_keys(struct file *f)
{
    static const char *const castling[] = {
        "castling-rook",    "castling-king-file", "castling-rook-files",
        "castling-king-to", "castling-rook-to",   "castling-homes",
    };
    const struct entry *some = NULL;

    for (size_t i = 0; i < 6 && !some; i++)
        some = find_entry(f, -1, castling[i], 0);
    for (size_t i = 0; i < 5 && some; i++) {
        const struct entry *e = find_entry(f, -1, castling[i], 0);
        bool home = i == 1 || i == 2;

        if (f->v->castling.shuffled && home && e)
            return fault(f, e->line, e->column, "castling-homes = shuffled: a FEN tells the homes");
        if (!e && !(f->v->castling.shuffled && home))
            return fault(f, some->line, some->column, "castling needs `%s`, too", castling[i]);
    }
    return true;
}

static bool check_counted(struct file *f, int type)
{
    const struct bk_piece *p = &f->v->piece[type];

    for (unsigned i = 0; i < p->nbecomes; i++) {
        const struct entry *e = find_entry(f, type, "becomes", i);

        for (unsigned j = 0; p->become[i].counted && j < p->become[i].nto; j++)
            if (!f->v->limit[p->become[i].to[j]])
                return fault(f, e->line, e->column, "counted, but `limits` does not name %c",
                             f->v->piece[p->become[i].to[j]].letter);
    }
    return true;
}

/* Faults of a file that are none of the data: keys without effect. */
static bool check_file(struct file *f)
{
    unsigned doubles = 0;

    for (int i = 0; i < f->v->ntypes; i++) {
        const struct bk_piece *p = &f->v->piece[i];
        bool two = p->move.steps_max == 2;

        if (!needs(f, i, "bend", two, "needs steps = 2") ||
            !needs(f, i, "takes-twice", two, "needs steps = 2") ||
            !needs(f, i, "zone-move", p->zone_ranks, "needs zone-ranks") ||
            !needs(f, i, "zone-ranks", p->zone.nsteps, "needs zone-move") || !check_counted(f, i))
            return false;
        doubles |= p->double_ranks;
    }
    return check_castling_keys(f) &&
           (!f->v->en_passant ||
            needs(f, -1, "en-passant", doubles, "needs a piece with a double-step"));
}

static bool understand(struct file *f)
{
    struct bk_variant *v = f->v;
    struct complaint c;

    if (!need_board_and_letters(f) || !read_keys(f, true))
        return false;
    set_defaults(v);
    if (!read_keys(f, false))
        return false;
    if (v->ntypes && !find_entry(f, v->royal, "army", 0))
        v->piece[v->royal].army = 1;
    if (!check_file(f))
        return false;
    if (v->castling.shuffled)
        v->castling.allowed = false; /* but in the games derived for a FEN */
    return check(v, &c) || fault_complaint(f, &c);
}

enum bk_err bk_variant_parse(struct bk_variant **out, const char *label, const char *text,
                             struct bk_report *why)
{
    struct file f = { .label = label, .next = text, .why = why };

    f.v = calloc(1, sizeof *f.v);
    if (!f.v)
        return bk_no_memory(why);
    if (collect(&f) && understand(&f))
        f.err = derive(f.v, why);
    free(f.entry);
    if (f.err)
        bk_variant_free(f.v);
    else
        *out = f.v;
    return f.err;
}

/* == 8. From a file or the binary == */

/* The whole file as text; *text owned. */
static enum bk_err slurp(const char *path, char **text, struct bk_report *why)
{
    FILE *in = fopen(path, "rb");
    enum bk_err err = BK_OK;
    char *all = NULL;
    size_t n = 0;

    if (!in)
        return bk_fail(why, BK_E_SYSTEM, "%s: %s", path, strerror(errno));
    all = malloc(FILE_BYTES_MAX + 1);
    if (!all) {
        err = bk_no_memory(why);
    } else {
        n = fread(all, 1, FILE_BYTES_MAX + 1, in);
        if (ferror(in))
            err = bk_fail(why, BK_E_SYSTEM, "%s: %s", path, strerror(errno));
        else if (n > FILE_BYTES_MAX)
            err = bk_fail(why, BK_E_USAGE, "%s:1: too large for a game", path);
        else if (memchr(all, '\0', n))
            err = bk_fail(why, BK_E_USAGE, "%s:1: not a text file", path);
    }
    fclose(in);
    if (err) {
        free(all);
        return err;
    }
    all[n] = '\0';
    *text = all;
    return BK_OK;
}

static bool is_path(const char *name)
{
    size_t n = strlen(name);

    return strchr(name, '/') || (n > 4 && !strcmp(name + n - 4, ".ini")) || strstr(name, ".ini#");
}

/* FILE or FILE.ini#SECTION; the latter is Fairy-Stockfish's, and so may the former be. */
static enum bk_err load_path(struct bk_variant **out, const char *name, struct bk_report *why)
{
    const char *hash = strstr(name, ".ini#"), *section = hash ? hash + 5 : NULL;
    char *path = strdup(name), *text = NULL;
    enum bk_err err;

    if (!path)
        return bk_no_memory(why);
    if (hash)
        path[hash + 4 - name] = '\0';
    err = slurp(path, &text, why);
    if (!err && (section || bk_fairy_is(text)))
        err = bk_fairy_parse(out, path, text, section, why);
    else if (!err)
        err = bk_variant_parse(out, path, text, why);
    free(text);
    free(path);
    return err;
}

static enum bk_err fail_unknown(const char *name, struct bk_report *why)
{
    char list[400] = "";
    size_t n = 0;

    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++)
        if (n + strlen(e->name) + 2 < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, " %s", e->name);
    return bk_fail(why, BK_E_USAGE, "no variant is called `%.64s`; there are%s", name, list);
}

enum bk_err bk_variant_load(struct bk_variant **out, const char *name, struct bk_report *why)
{
    if (is_path(name))
        return load_path(out, name, why);
    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++)
        if (!strcmp(e->name, name)) {
            char label[80];

            snprintf(label, sizeof label, "%s.ini", name);
            return bk_variant_parse(out, label, e->text, why);
        }
    return fail_unknown(name, why);
}
