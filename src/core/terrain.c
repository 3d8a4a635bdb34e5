/*
 * terrain.c - a variant on the board of a FEN.
 *
 * Idea: only two things of a game depend on its board, the mask of its squares
 * and the ranks that its rules name.  Ranks of a side's own half are counted
 * from its own end and stay; those of the other half are counted from the far
 * end and move with it.  So on 14 ranks a pawn of Grand Shatranj stands on 3 to
 * 14, may promote on 13 and sits on 14.
 */
#include "core/terrain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/position.h"
#include "core/utf8.h"

/* == 1. What the FEN shows == */

/* Reads one rank up to `end` at most, its holes into `sea`; returns its files, 0 if it is no rank.
 */
static unsigned read_rank(const struct bk_variant *base, const char **s, const char *end,
                          struct bk_bits *sea)
{
    unsigned files = 0;

    while (*s < end && **s != '/' && **s != '[') {
        unsigned gap = 1;

        if (**s >= '1' && **s <= '9') {
            gap = bk_gap_read(s);
        } else if (**s == '*' || bk_variant_type(base, **s) >= 0) {
            if (*(*s)++ == '*')
                bk_bits_set(sea, files);
            *s += *s < end && **s == '~'; /* position.c */
        } else {
            return 0;
        }
        if (gap > BK_FILES_MAX - files)
            return 0;
        files += gap;
    }
    return files;
}

static bool same_board(const struct bk_variant *base, const struct bk_terrain *t)
{
    return t->files == base->files && t->ranks == base->ranks &&
           !memcmp(&t->board, &base->board, sizeof t->board);
}

bool bk_terrain_read(struct bk_terrain *t, const struct bk_variant *base, const char *fen)
{
    struct bk_bits sea[BK_RANKS_MAX] = { 0 }; /* by file, from the top rank down */
    unsigned ranks = 0, files = 0;
    struct bk_fen fields;
    const char *s, *end;
    bool any = false;

    bk_fen_split(&fields, fen);
    if (!(s = fields.at[BK_FEN_BOARD]))
        return false;
    end = s + fields.n[BK_FEN_BOARD];
    do {
        unsigned n = ranks < BK_RANKS_MAX ? read_rank(base, &s, end, &sea[ranks]) : 0;

        if (!n || (ranks && n != files))
            return false;
        files = n;
        any |= !bk_bits_empty(&sea[ranks++]);
    } while (s < end && *s == '/' && s++);
    if (ranks < 2 || files < 2 || (!any && files == base->files))
        return false;
    memset(t, 0, sizeof *t); /* no byte unset: terrains may be compared byte by byte */
    t->files = (uint8_t)files;
    t->ranks = (uint8_t)ranks;
    for (unsigned rank = 0; rank < ranks; rank++)
        for (unsigned file = 0; file < files; file++)
            if (!bk_bits_has(&sea[ranks - 1 - rank], file))
                bk_bits_set(&t->board, rank * files + file);
    return !same_board(base, t);
}

/* == 2. Rules on another board == */

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

static bool move_piece(struct bk_piece *p, int before, int now)
{
    bool ok = moved_ranks(&p->ranks, before, now) && moved_ranks(&p->zone_ranks, before, now) &&
              moved_ranks(&p->double_ranks, before, now);

    for (unsigned i = 0; ok && i < p->nbecomes; i++)
        ok = moved_ranks(&p->become[i].ranks, before, now);
    return ok;
}

/* "grand-shatranj@14x14-0123abcd": the mask's hash keeps folders of tables apart. */
static bool name_it(struct bk_variant *v, const struct bk_variant *base, const struct bk_terrain *t)
{
    unsigned char bytes[2 + sizeof t->board] = { t->files, t->ranks };
    int n;

    for (unsigned i = 0; i < sizeof t->board; i++)
        bytes[2 + i] = (unsigned char)(t->board.w[i / 8] >> 8 * (i % 8));
    n = snprintf(v->name, sizeof v->name, "%s@%ux%u-%08x", base->name, t->files, t->ranks,
                 (unsigned)XXH64(bytes, sizeof bytes, 0));
    return n < (int)sizeof v->name;
}

static enum bk_err adapt(struct bk_variant *v, const struct bk_variant *base,
                         const struct bk_terrain *t, struct bk_report *why)
{
    const char *title = *base->title ? base->title : base->name;
    unsigned squares = bk_bits_count(&t->board);

    v->geometry = NULL;
    if (base->hands || base->configuration)
        return bk_fail(why, BK_E_USAGE, "%s is bound to its own board", base->name);
    v->files = t->files;
    v->ranks = t->ranks;
    v->board = t->board;
    v->castling = (struct bk_castling){ .allowed = false }; /* homes are the base's */
    v->start[0] = '\0';
    if (!name_it(v, base, t))
        return bk_fail(why, BK_E_USAGE, "%s: the name is too long for a terrain's", base->name);
    snprintf(v->title, sizeof v->title, "%.*s on terrain", (int)bk_utf8_cut(title, 60), title);
    for (unsigned type = 0; type < v->ntypes; type++) {
        struct bk_piece *p = &v->piece[type];

        if (!move_piece(p, base->ranks, t->ranks))
            return bk_fail(why, BK_E_USAGE, "%s on a board of %u ranks: too few for %s's rules",
                           base->name, t->ranks, p->name);
        if (p->army > squares) /* more than can be lost anyway */
            p->army = (uint8_t)squares;
    }
    return bk_variant_finish(v, why);
}

enum bk_err bk_variant_on(struct bk_variant **out, const struct bk_variant *base,
                          const struct bk_terrain *t, struct bk_report *why)
{
    struct bk_variant *v = malloc(sizeof *v);
    enum bk_err err;

    *out = NULL;
    if (!v)
        return bk_no_memory(why);
    *v = *base;
    err = adapt(v, base, t, why);
    if (err)
        bk_variant_free(v);
    else
        *out = v;
    return err;
}
