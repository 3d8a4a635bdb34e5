/* finish.c - what follows from a variant's plain fields: squares, geometry, numbers. */
#include "core/finish.h"

#include <stdlib.h>

#include "core/check.h"
#include "core/geometry.h"
#include "core/number.h"
#include "core/symmetry.h"

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
    v->rules_id = bk_rules_number(v, 3);
    for (unsigned type = 0; type < v->ntypes; type++)
        v->keeps[type] = bk_symmetries_of(v, type);
    for (unsigned wings = 0; wings < 4; wings++)
        v->wings_id[wings] = bk_rules_number(v, wings);
    return BK_OK;
}

enum bk_err bk_variant_finish(struct bk_variant *v, struct bk_report *why)
{
    struct bk_complaint c;

    if (bk_variant_check(v, &c))
        return derive(v, why);
    if (c.type < 0)
        return bk_fail(why, BK_E_USAGE, "variant %s: %s: %s", v->name, c.key, c.text);
    return bk_fail(why, BK_E_USAGE, "variant %s: piece %d %s: %s: %s", v->name, c.type,
                   v->piece[c.type].name, c.key, c.text);
}

void bk_variant_free(struct bk_variant *v)
{
    if (v) {
        bk_geometry_free(v->geometry);
        free(v);
    }
}
