/*
 * homes.c - a variant with the castling homes of a FEN.
 *
 * Idea: the men are read by the base's own reader, to which rights say nothing;
 * then each right's letter says one rook.  Both colours fill one
 * struct bk_homes, so that homes which differ meet there.
 */
#include "core/homes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/letter.h"
#include "core/position.h"
#include "core/rules.h"

struct reading {
    const struct bk_variant *v;
    struct bk_pos p; /* without rights */
    struct bk_homes *h;
    struct bk_report *why;
};

static bool is_rook(const struct reading *r, unsigned colour, unsigned file)
{
    return r->p.at[bk_sq(r->v, file, bk_first_rank(r->v, colour))] ==
           bk_man(r->v->castling.rook, colour);
}

/* == 1. One right == */

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

    if (bk_own_rank(r->v, sq, colour) || king == 0 || king + 1 == r->v->files)
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

/* == 2. All of a FEN == */

enum bk_err bk_homes_read(struct bk_homes *h, bool *any, const struct bk_variant *base,
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

/* == 3. The game with them == */

/* "sultan-random@f-aj"; without homes "sultan-random". */
static void name_it(char out[64], int base_chars, const char *base, const struct bk_homes *h)
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
        name_it(out, (int)strcspn(v->name, "@"), v->name, &h);
    else
        snprintf(out, 64, "%s", v->name);
    return out;
}

static enum bk_err adapt(struct bk_variant *v, const struct bk_variant *base,
                         const struct bk_homes *h, struct bk_report *why)
{
    v->geometry = NULL;
    v->castling.allowed = true;
    v->castling.king_file = h->king;
    memcpy(v->castling.rook_file, h->rook, sizeof h->rook);
    v->start[0] = '\0';
    if (strlen(base->name) + strlen("@f-aj") >= sizeof v->name)
        return bk_fail(why, BK_E_USAGE, "%s: the name is too long for one with homes", base->name);
    name_it(v->name, (int)strlen(base->name), base->name, h);
    return bk_variant_finish(v, why);
}

enum bk_err bk_variant_with_homes(struct bk_variant **out, const struct bk_variant *base,
                                  const struct bk_homes *h, struct bk_report *why)
{
    struct bk_variant *v = malloc(sizeof *v);
    enum bk_err err;

    *out = NULL;
    if (!v)
        return bk_no_memory(why);
    *v = *base;
    err = adapt(v, base, h, why);
    if (err)
        bk_variant_free(v);
    else
        *out = v;
    return err;
}
