/*
 * given.h - what tests begin with: a game, a position, a material.  What cannot be read fails the
 * test, with the reason.
 */
#ifndef GIVEN_H
#define GIVEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/load.h"
#include "core/position.h"
#include "core/read.h"
#include "table/material.h"

/* A game by its name or path; freed by the caller. */
static inline struct bk_variant *load(const char *name)
{
    struct bk_variant *v = NULL;
    struct bk_report why = { "" };

    if (bk_variant_load_any(&v, name, &why))
        fail_msg("%s: %s", name, why.text);
    return v;
}

/* A game by the text of its file; freed by the caller. */
static inline struct bk_variant *parse(const char *text)
{
    struct bk_variant *v = NULL;
    struct bk_report why = { "" };

    if (bk_variant_parse(&v, "game.ini", text, &why))
        fail_msg("%s\n%s", why.text, text);
    return v;
}

static inline struct bk_pos read_fen(const struct bk_variant *v, const char *fen)
{
    struct bk_pos p = { 0 };
    struct bk_report why = { "" };

    if (bk_pos_from_fen(&p, v, fen, &why))
        fail_msg("%s: %s", fen, why.text);
    return p;
}

static inline struct bk_material material(const struct bk_variant *v, const char *name)
{
    struct bk_material m = { 0 };
    struct bk_report why = { "" };

    if (bk_material_parse(&m, v, name, &why))
        fail_msg("%s: %s", name, why.text);
    return m;
}

#endif
