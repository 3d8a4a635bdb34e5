/*
 * homes.c - a variant with the castling homes of a FEN.
 *
 * Idea: the men are read by the base's own reader, from a FEN that ends before
 * its rights; then each right's letter says one rook.  Both colours fill one
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

static enum bk_err king_read(struct reading *r, char letter, unsigned colour)
{
    unsigned sq = r->p.king[colour], file = sq % r->v->files;
    char name[8];

    if (bk_own_rank(r->v, sq, colour))
        return bk_fail(r->why, BK_E_USAGE,
                       "FEN castling: '%c', but the %s king is on %s, not on "
                       "its first rank",
                       letter, bk_colour_name(colour), bk_sq_name(r->v, sq, name));
    if (file == 0 || file + 1 == r->v->files)
        return bk_fail(r->why, BK_E_USAGE,
                       "FEN castling: '%c', but the %s king on %s does not "
                       "stand between two rooks",
                       letter, bk_colour_name(colour), bk_sq_name(r->v, sq, name));
    if (r->h->king != BK_NO_HOME && r->h->king != file)
        return bk_fail(r->why, BK_E_USAGE, "FEN castling: the kings' homes differ, %c and %c",
                       'a' + r->h->king, 'a' + (int)file);
    r->h->king = (uint8_t)file;
    return BK_OK;
}

/* For K and Q: the file of the outermost rook on that side of the king; the king's if none. */
static unsigned outermost(const struct reading *r, unsigned colour, unsigned side)
{
    unsigned file = side ? r->v->files - 1u : 0;

    while (file != r->h->king && !is_rook(r, colour, file))
        file = side ? file - 1 : file + 1;
    return file;
}

static enum bk_err rook_read(struct reading *r, char letter, unsigned colour)
{
    char lower = bk_lower(letter);
    bool wing = lower == 'k' || lower == 'q';
    unsigned file = wing ? outermost(r, colour, lower == 'k') : (unsigned)(lower - 'a');
    unsigned side = file > r->h->king;
    uint8_t *home = &r->h->rook[side];

    if (wing && file == r->h->king)
        return bk_fail(r->why, BK_E_USAGE,
                       "FEN castling: '%c', but no %s rook %s of the king on "
                       "its first rank",
                       letter, bk_colour_name(colour), lower == 'k' ? "right" : "left");
    if (!is_rook(r, colour, file))
        return bk_fail(r->why, BK_E_USAGE, "FEN castling: '%c', but no %s rook on %c%u", letter,
                       bk_colour_name(colour), lower, bk_first_rank(r->v, colour) + 1);
    if (*home != BK_NO_HOME && *home != file)
        return bk_fail(r->why, BK_E_USAGE,
                       "FEN castling: two homes for a rook %s of the king, "
                       "%c and %c",
                       side ? "right" : "left", 'a' + *home, 'a' + (int)file);
    *home = (uint8_t)file;
    return BK_OK;
}

static bool is_right(const struct bk_variant *v, char letter)
{
    char lower = bk_lower(letter);

    return lower == 'k' || lower == 'q' || (lower >= 'a' && lower < 'a' + v->files);
}

/* == 2. All of a FEN == */

/* Returns where the nth field of a FEN begins, counted from 0. */
static const char *field(const char *fen, unsigned nth)
{
    const char *s = fen + strspn(fen, " \t\r\n");

    while (nth--) {
        s += strcspn(s, " \t\r\n");
        s += strspn(s, " \t\r\n");
    }
    return s;
}

/* Reads the men and the side to move into r->p.  False: they cannot be read. */
static bool read_men(struct reading *r, const char *fen, const char *rights)
{
    size_t n = (size_t)(rights - fen);
    char men[BK_FEN_MAX];

    if (n >= sizeof men)
        return false;
    memcpy(men, fen, n);
    men[n] = '\0';
    return !bk_pos_from_fen(&r->p, r->v, men, NULL);
}

enum bk_err bk_homes_read(struct bk_homes *h, bool *any, const struct bk_variant *base,
                          const char *fen, struct bk_report *why)
{
    struct reading r = { .v = base, .h = h, .why = why };
    const char *s = field(fen, 2);

    memset(h, BK_NO_HOME, sizeof *h);
    *any = bk_rules_homes_told(base) && !bk_rules_castles(base) && bk_is_letter(*s) &&
           read_men(&r, fen, s);
    for (; *any && *s && !strchr(" \t\r\n", *s); s++) {
        unsigned colour = *s >= 'a' ? BK_BLACK : BK_WHITE;
        enum bk_err err;

        if (!is_right(base, *s))
            return bk_fail(why, BK_E_USAGE, "FEN castling: unknown right '%c' at column %u",
                           *s > ' ' && *s <= '~' ? *s : '?', (unsigned)(s - fen) + 1);
        if ((err = king_read(&r, *s, colour)) != BK_OK ||
            (err = rook_read(&r, *s, colour)) != BK_OK)
            return err;
    }
    return BK_OK;
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
