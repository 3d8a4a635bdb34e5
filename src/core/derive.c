/*
 * derive.c - the game of a FEN: on its terrain, or with its castling homes.
 *
 * Idea: a FEN is looked at twice, as a board and as castling rights, with the game that it is for;
 * if it says something that the game does not, a copy of the game's plain fields is changed and
 * finished like any other (core/finish.h).
 */
#include "core/derive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/attack.h"
#include "core/land.h"
#include "core/letter.h"
#include "core/position.h"
#include "core/rules.h"
#include "core/utf8.h"

/* == The terrain of a FEN == */

/* A board as a FEN shows it: by file, from the top rank down. */
struct shown {
    unsigned files, ranks;
    struct bk_bits sea[BK_RANKS_MAX], marked[BK_RANKS_MAX]; /* `*`; `?` */
    bool any_sea, any_marked;
    struct bk_pos men; /* their numbers alone */
};

static void count_man(const struct bk_variant *base, struct shown *out, char letter)
{
    int type = bk_variant_type(base, letter);

    if (type >= 0)
        out->men.count[bk_is_lower(letter)][type]++;
}

/* Reads one square, or gap (one digit, if it is marked), at *s; returns how many files it has, 0 if
 * it is none. */
static unsigned read_cell(const struct bk_variant *base, const char **s, const char *end,
                          struct bk_bits *sea, unsigned file, bool marked, struct shown *out)
{
    char c = **s;

    if (c >= '1' && c <= '9' && marked)
        return ++*s, (unsigned)(c - '0');
    if (c >= '1' && c <= '9')
        return bk_gap_read(s);
    if (c != '*' && bk_variant_type(base, c) < 0)
        return 0;
    if (c == '*')
        bk_bits_set(sea, file);
    count_man(base, out, c);
    ++*s;
    *s += *s < end && **s == '~'; /* position.c */
    return 1;
}

/* Reads one rank up to `end` at most; false if it is no rank, or another one than the first. */
static bool read_rank(const struct bk_variant *base, const char **s, const char *end,
                      struct shown *out)
{
    struct bk_bits *sea = &out->sea[out->ranks], *marked = &out->marked[out->ranks];
    unsigned files = 0;

    while (*s < end && **s != '/' && **s != '[') {
        bool mark = **s == '?' && bk_rules_land_lives(base);
        unsigned gap = (*s += mark) < end ? read_cell(base, s, end, sea, files, mark, out) : 0;

        if (!gap || gap > BK_FILES_MAX - files)
            return false;
        for (; gap--; files++)
            if (mark)
                bk_bits_set(marked, files);
    }
    out->any_sea |= !bk_bits_empty(sea);
    out->any_marked |= !bk_bits_empty(marked);
    if (!files || (out->ranks++ && files != out->files))
        return false;
    out->files = files;
    return true;
}

/* Reads the board of a FEN.  False: it shows none. */
static bool read_shown(struct shown *out, const struct bk_variant *base,
                       const struct bk_fen *fields)
{
    const char *s = fields->at[BK_FEN_BOARD], *end;

    memset(out, 0, sizeof *out);
    if (!s)
        return false;
    end = s + fields->n[BK_FEN_BOARD];
    do {
        if (out->ranks == BK_RANKS_MAX || !read_rank(base, &s, end, out))
            return false;
    } while (s < end && *s == '/' && s++);
    return out->ranks >= 2 && out->files >= 2 &&
           (out->any_sea || out->any_marked || out->files != base->files ||
            (bk_rules_land_lives(base) && out->ranks == base->ranks));
}

/* The squares that are, or are not, in the sets of a board. */
static struct bk_bits squares_in(const struct shown *b, const struct bk_bits set[], bool in)
{
    struct bk_bits out = { { 0 } };

    for (unsigned rank = 0; rank < b->ranks; rank++)
        for (unsigned file = 0; file < b->files; file++)
            if (bk_bits_has(&set[b->ranks - 1 - rank], file) == in)
                bk_bits_set(&out, rank * b->files + file);
    return out;
}

static bool same_board(const struct bk_variant *base, const struct bk_terrain *t)
{
    return t->files == base->files && t->ranks == base->ranks &&
           !memcmp(&t->board, &base->board, sizeof t->board) &&
           t->live == bk_rules_land_lives(base) &&
           !memcmp(&t->changes, bk_rules_changeable(base), sizeof t->changes);
}

/* Sets what of the land can change: where terrain is live, what the FEN marks, or else all that is
   no hole of the base; nothing if nobody can change anything any more. */
static void read_live(struct bk_terrain *t, const struct bk_variant *base, struct shown *b,
                      const struct bk_fen *fields)
{
    struct bk_bits all = squares_in(b, b->marked, false), marked = squares_in(b, b->marked, true);
    const char *begun = fields->at[BK_FEN_CASTLING];

    for (unsigned i = 0; i < 4; i++)
        all.w[i] |= marked.w[i];
    if (t->files == base->files && t->ranks == base->ranks)
        all = base->board;
    b->men.begun = begun && fields->n[BK_FEN_CASTLING] == 1 && *begun == '+';
    for (unsigned i = 0; i < 4; i++)
        b->men.sea.w[i] = ~t->board.w[i] & (b->any_marked ? marked : all).w[i];
    t->live = bk_land_may_change(base, &b->men);
    if (b->any_marked) /* marks are read where the land is frozen, too */
        t->changes = marked;
    if (!t->live)
        return;
    if (!b->any_marked)
        t->changes = all;
    for (unsigned i = 0; i < 4; i++)
        t->board.w[i] = b->any_marked ? t->board.w[i] | marked.w[i] : all.w[i];
}

/* Reads the terrain of a FEN.  False: the FEN is for the base's own board, or for none. */
static bool terrain_read(struct bk_terrain *t, const struct bk_variant *base, const char *fen)
{
    struct bk_fen fields;
    struct shown b;

    bk_fen_split(&fields, fen);
    if (!read_shown(&b, base, &fields))
        return false;
    memset(t, 0, sizeof *t); /* no byte unset: terrains may be compared byte by byte */
    t->files = (uint8_t)b.files;
    t->ranks = (uint8_t)b.ranks;
    t->board = squares_in(&b, b.sea, false);
    if (bk_rules_land_lives(base))
        read_live(t, base, &b, &fields);
    return !same_board(base, t);
}

/* == Rules on another board ==
 *
 * Only two things of a game depend on its board, the mask of its squares and the ranks that its
 * rules name.  Ranks of a side's own half are counted from its own end and stay; those of the other
 * half are counted from the far end and move with it.  So on 14 ranks a pawn of Grand Shatranj
 * stands on 3 to 14, may promote on 13 and sits on 14.
 */

/* Where a rank of a board of `before` ranks is on one of `now` ranks; ranks from 1. */
static int moved_rank(int rank, int before, int now)
{
    return rank <= (before + 1) / 2 ? rank : now - (before - rank);
}

/*
 * Moves a mask of ranks, run by run: the ends move, what is between stays between.  False: a run
 * has no rank left.
 */
static bool moved_ranks(uint16_t *mask, int before, int now)
{
    unsigned moved = 0, all = (1u << before) - 1;

    if (*mask == all) {
        *mask = (uint16_t)((1u << now) - 1);
        return true;
    }
    for (int low = 1; low <= before; low++) {
        int high = low, first, last;

        if (!(*mask >> (low - 1) & 1))
            continue;
        while (high < before && *mask >> high & 1)
            high++;
        first = moved_rank(low, before, now);
        last = moved_rank(high, before, now);
        first = first < 1 ? 1 : first;
        last = last > now ? now : last;
        if (first > last)
            return false;
        for (int rank = first; rank <= last; rank++)
            moved |= 1u << (rank - 1);
        low = high;
    }
    *mask = (uint16_t)moved;
    return true;
}

/* Moves a mask of ranks of `base`: those of its army's board to all of a board of `now` ranks.
   Where the number of ranks is the base's, the army's board stays where it is. */
static bool moved_from(uint16_t *mask, const struct bk_variant *base, int now)
{
    int below = base->land.below, before = base->ranks - 2 * below;
    unsigned all = (1u << before) - 1;

    if (now == base->ranks)
        return true;
    *mask = (uint16_t)(*mask == bk_all_ranks(base) ? all : *mask >> below & all);
    return moved_ranks(mask, before, now);
}

static bool move_piece(struct bk_piece *p, const struct bk_variant *base, int now)
{
    bool ok = moved_from(&p->ranks, base, now) && moved_from(&p->zone_ranks, base, now) &&
              moved_from(&p->double_ranks, base, now);

    for (unsigned i = 0; ok && i < p->nbecomes; i++)
        ok = moved_from(&p->become[i].ranks, base, now);
    return ok;
}

static unsigned char *put_mask(unsigned char *at, const struct bk_bits *mask)
{
    for (unsigned i = 0; i < sizeof *mask; i++)
        *at++ = (unsigned char)(mask->w[i / 8] >> 8 * (i % 8));
    return at;
}

/* "grand-shatranj@14x14-0123abcd": the mask's hash keeps folders of tables apart.  What can change
   makes another name. */
static bool name_on_terrain(struct bk_variant *v, const struct bk_variant *base,
                            const struct bk_terrain *t)
{
    unsigned char bytes[2 + 2 * sizeof t->board] = { t->files, t->ranks };
    unsigned char *end = put_mask(bytes + 2, &t->board);
    int n;

    if (t->live)
        end = put_mask(end, &t->changes);
    n = snprintf(v->name, sizeof v->name, "%s@%ux%u-%08x", base->name, t->files, t->ranks,
                 (unsigned)XXH64(bytes, (size_t)(end - bytes), 0));
    return n < (int)sizeof v->name;
}

/* Nobody has a power any more. */
static void freeze(struct bk_variant *v)
{
    v->land.cancels = v->land.one_each = v->land.bridges = false;
    for (unsigned type = 0; type < v->ntypes; type++)
        v->piece[type].power = BK_POWER_NONE;
}

static enum bk_err put_on_terrain(struct bk_variant *v, const struct bk_variant *base,
                                  const struct bk_terrain *t, struct bk_report *why)
{
    const char *title = *base->title ? base->title : base->name;
    unsigned squares = bk_bits_count(&t->board);

    if (base->hands || base->configuration)
        return bk_fail(why, BK_E_USAGE, "%s is bound to its own board", base->name);
    v->files = t->files;
    v->ranks = t->ranks;
    v->board = t->board;
    v->castling = (struct bk_castling){ .allowed = false }; /* homes are the base's */
    v->land.live = t->live;
    v->land.changes = t->changes;
    if (t->ranks != base->ranks)
        v->land.below = 0;
    if (!t->live)
        freeze(v);
    if (!name_on_terrain(v, base, t))
        return bk_fail(why, BK_E_USAGE, "%s: the name is too long for a terrain's", base->name);
    snprintf(v->title, sizeof v->title, "%.*s on %s", (int)bk_utf8_cut(title, 60), title,
             base->land.live && !t->live ? "land that nothing changes" : "terrain");
    for (unsigned type = 0; type < v->ntypes; type++) {
        struct bk_piece *p = &v->piece[type];

        if (!move_piece(p, base, t->ranks))
            return bk_fail(why, BK_E_USAGE, "%s on a board of %u ranks: too few for %s's rules",
                           base->name, t->ranks, p->name);
        if (p->army > squares) /* more than can be lost anyway */
            p->army = (uint8_t)squares;
    }
    return bk_variant_finish(v, why);
}

/* == The homes of a FEN ==
 *
 * The men are read by the base's own reader, to which rights say nothing; then each right's letter
 * says one rook.  Both colours fill one struct bk_homes, so that homes which differ meet there.
 */

struct reading {
    const struct bk_variant *v;
    struct bk_pos p; /* without rights */
    struct bk_homes *h;
    struct bk_report *why;
};

static bool is_rook(const struct reading *r, unsigned colour, unsigned file)
{
    return r->p.at[bk_sq(r->v, file, bk_rules_home_rank(r->v, colour))] ==
           bk_man(r->v->castling.rook, colour);
}

/* For K and Q: the file of the outermost rook on that side of the king; the king's if none. */
static unsigned outermost(const struct reading *r, unsigned colour, unsigned side)
{
    unsigned king = r->p.king[colour] % r->v->files, file = side ? r->v->files - 1u : 0;

    while (file != king && !is_rook(r, colour, file))
        file = side ? file - 1 : file + 1;
    return file;
}

/* Sets *rook to the file of the rook of a right.  False: king and rook are not where they could
   castle from, and the right says nothing. */
static bool finds_rook(const struct reading *r, char letter, unsigned colour, unsigned *rook)
{
    unsigned sq = r->p.king[colour], king = sq % r->v->files;
    char lower = bk_lower(letter);
    bool wing = lower == 'k' || lower == 'q';

    if (sq / r->v->files != bk_rules_home_rank(r->v, colour) || king == 0 ||
        king + 1 == r->v->files)
        return false;
    *rook = wing ? outermost(r, colour, lower == 'k') : (unsigned)(lower - 'a');
    return *rook != king && is_rook(r, colour, *rook);
}

/* Notes the homes that a right speaks of. */
static enum bk_err right_read(struct reading *r, char letter)
{
    unsigned colour = letter >= 'a' ? BK_BLACK : BK_WHITE, rook, side;
    unsigned king = r->p.king[colour] % r->v->files;
    uint8_t *home;

    if (!finds_rook(r, letter, colour, &rook))
        return BK_OK;
    if (r->h->king != BK_NO_HOME && r->h->king != king)
        return bk_fail(r->why, BK_E_USAGE, "FEN castling: the kings' homes differ, %c and %c",
                       'a' + r->h->king, 'a' + (int)king);
    side = rook > king;
    home = &r->h->rook[side];
    if (*home != BK_NO_HOME && *home != rook)
        return bk_fail(r->why, BK_E_USAGE,
                       "FEN castling: two homes for a rook %s of the king, "
                       "%c and %c",
                       side ? "right" : "left", 'a' + *home, 'a' + (int)rook);
    r->h->king = (uint8_t)king;
    *home = (uint8_t)rook;
    return BK_OK;
}

/*
 * Reads the homes of a FEN's castling rights: the king's file from where he stands, a rook's from
 * the letter, of its file or, K and Q, of the outermost rook on that side of the king.  A right
 * without such a king (on the rank of homes, not on its first or last file) or rook is none.  *any
 * is false if there are no rights: the homes of `base` are fixed, or nobody has one, or the FEN
 * cannot be read.
 */
static enum bk_err homes_read(struct bk_homes *h, bool *any, const struct bk_variant *base,
                              const char *fen, struct bk_report *why)
{
    struct reading r = { .v = base, .h = h, .why = why };
    enum bk_err err = BK_OK;
    struct bk_fen fields;
    const char *s;

    memset(h, BK_NO_HOME, sizeof *h);
    *any = false;
    if (!bk_rules_homes_told(base) || bk_rules_castles(base))
        return BK_OK;
    bk_fen_split(&fields, fen);
    s = fields.at[BK_FEN_CASTLING];
    if (!s || bk_pos_from_fen(&r.p, base, fen, NULL))
        return BK_OK;
    for (size_t i = 0; !err && i < fields.n[BK_FEN_CASTLING]; i++)
        err = s[i] == '-' ? BK_OK : right_read(&r, s[i]);
    *any = h->king != BK_NO_HOME;
    return err;
}

/* == Rules with homes == */

/* "sultan-random@f-aj"; without homes "sultan-random". */
static void name_with_homes(char out[64], int base_chars, const char *base,
                            const struct bk_homes *h)
{
    char rooks[3] = "";
    unsigned n = 0;

    for (unsigned side = 0; side < 2; side++)
        if (h->rook[side] != BK_NO_HOME)
            rooks[n++] = (char)('a' + h->rook[side]);
    if (n)
        snprintf(out, 64, "%.*s@%c-%s", base_chars, base, 'a' + h->king, rooks);
    else
        snprintf(out, 64, "%.*s", base_chars, base);
}

char *bk_homes_name(const struct bk_variant *v, unsigned wings, char out[64])
{
    const struct bk_castling *k = &v->castling;
    struct bk_homes h = { k->king_file, { BK_NO_HOME, BK_NO_HOME } };

    for (unsigned side = 0; side < 2; side++)
        if (wings >> side & 1)
            h.rook[side] = k->rook_file[side];
    if (bk_rules_homes_told(v) && bk_rules_castles(v))
        name_with_homes(out, (int)strcspn(v->name, "@"), v->name, &h);
    else
        snprintf(out, 64, "%s", v->name);
    return out;
}

static enum bk_err give_homes(struct bk_variant *v, const struct bk_variant *base,
                              const struct bk_homes *h, struct bk_report *why)
{
    v->castling.allowed = true;
    v->castling.king_file = h->king;
    memcpy(v->castling.rook_file, h->rook, sizeof h->rook);
    if (strlen(base->name) + strlen("@f-aj") >= sizeof v->name)
        return bk_fail(why, BK_E_USAGE, "%s: the name is too long for one with homes", base->name);
    name_with_homes(v->name, (int)strlen(base->name), base->name, h);
    return bk_variant_finish(v, why);
}

/* == The game of a FEN == */

/* The board first, then the rights: on terrain nobody castles. */
enum bk_err bk_derivation_of(struct bk_derivation *d, const struct bk_variant *base,
                             const char *fen, struct bk_report *why)
{
    bool any = false;
    enum bk_err err;

    memset(d, 0, sizeof *d);
    fen = bk_fen_meant(base, fen);
    if (terrain_read(&d->terrain, base, fen)) {
        d->how = BK_ON_TERRAIN;
        return BK_OK;
    }
    memset(&d->terrain, 0, sizeof d->terrain);
    err = homes_read(&d->homes, &any, base, fen, why);
    if (any && !err)
        d->how = BK_WITH_HOMES;
    return err;
}

enum bk_err bk_variant_derived(struct bk_variant **out, const struct bk_variant *base,
                               const struct bk_derivation *d, struct bk_report *why)
{
    struct bk_variant *v = malloc(sizeof *v);
    enum bk_err err;

    *out = NULL;
    if (!v)
        return bk_no_memory(why);
    *v = *base;
    v->geometry = NULL;
    v->start[0] = '\0';
    err = d->how == BK_ON_TERRAIN ? put_on_terrain(v, base, &d->terrain, why)
                                  : give_homes(v, base, &d->homes, why);
    if (err)
        bk_variant_free(v);
    else
        *out = v;
    return err;
}

enum bk_err bk_variant_for_fen(struct bk_variant **out, const struct bk_variant *base,
                               const char *fen, struct bk_report *why)
{
    struct bk_derivation d;
    enum bk_err err = bk_derivation_of(&d, base, fen, why);

    *out = NULL;
    if (!err && d.how != BK_ITSELF)
        err = bk_variant_derived(out, base, &d, why);
    if (*out && bk_fen_is_start(fen)) /* the FEN is read with the derived game next */
        memcpy((*out)->start, base->start, sizeof base->start);
    return err;
}

enum bk_err bk_start_check(const struct bk_variant *v, struct bk_report *why)
{
    struct bk_variant *derived = NULL;
    struct bk_pos p;
    enum bk_err err = BK_OK;

    if (!bk_rules_homes_told(v) || !*v->start)
        return BK_OK; /* checked when the file was read */
    err = bk_variant_for_fen(&derived, v, v->start, why);
    if (!err)
        err = bk_pos_from_fen(&p, derived ? derived : v, v->start, why);
    if (!err && !bk_pos_legal(derived ? derived : v, &p))
        err = bk_fail(why, BK_E_ILLEGAL, "the side that is not to move is in check");
    bk_variant_free(derived);
    return err;
}
