/* derive.c - a FEN's board first, then its castling rights: on terrain nobody castles. */
#include "core/derive.h"

#include <string.h>

#include "core/attack.h"
#include "core/position.h"
#include "core/rules.h"

enum bk_err bk_derivation_of(struct bk_derivation *d, const struct bk_variant *base,
                             const char *fen, struct bk_report *why)
{
    bool any = false;
    enum bk_err err;

    memset(d, 0, sizeof *d);
    fen = bk_fen_meant(base, fen);
    if (bk_terrain_read(&d->terrain, base, fen)) {
        d->how = BK_ON_TERRAIN;
        return BK_OK;
    }
    memset(&d->terrain, 0, sizeof d->terrain);
    err = bk_homes_read(&d->homes, &any, base, fen, why);
    if (any && !err)
        d->how = BK_WITH_HOMES;
    return err;
}

enum bk_err bk_variant_derived(struct bk_variant **out, const struct bk_variant *base,
                               const struct bk_derivation *d, struct bk_report *why)
{
    return d->how == BK_ON_TERRAIN ? bk_variant_on(out, base, &d->terrain, why)
                                   : bk_variant_with_homes(out, base, &d->homes, why);
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
