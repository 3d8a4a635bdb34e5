/* lines.c - see lines.h. */
#include "tests/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/derive.h"
#include "core/load.h"
#include "core/rules.h"
#include "tests/random_variant.h"

static void die(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fprintf(stderr, GOLDEN "/list: ");
    vfprintf(stderr, fmt, ap);
    fprintf(stderr, "\n");
    va_end(ap);
    exit(1);
}

/* Sets l->v to the game l->base, or to that game on the board of a FEN. */
static void read_game(struct line *l)
{
    struct bk_report why;

    if (bk_variant_load(&l->base, l->game, &why))
        die("%s", why.text);
    l->v = NULL;
    if (strchr(l->what, '/') && bk_variant_for_fen(&l->v, l->base, l->what, &why))
        die("%s: %s", l->what, why.text);
    l->derived = l->v != NULL;
    if (!l->v)
        l->v = l->base;
}

static void read_material(struct line *l)
{
    struct bk_report why;
    struct bk_pos p;

    if (!strchr(l->what, '/')) {
        if (bk_material_parse(&l->m, l->v, l->what, &why))
            die("%s", why.text);
    } else {
        if (bk_pos_from_fen(&p, l->v, l->what, &why))
            die("%s: %s", l->what, why.text);
        bk_material_of(&l->m, l->v, &p);
    }
    bk_material_canonical(&l->m, l->v);
}

static void line_open(struct line *l)
{
    read_game(l);
    read_material(l);
    l->alone = strstr(l->set, "alone") != NULL;
    l->counts = !strncmp(l->set, "dtz", 3);
    l->distances = !l->counts && strcmp(l->set, "wdl") != 0;
    snprintf(l->folder, sizeof l->folder, GOLDEN "/%s", l->set);
    if (bk_open(&l->lib, l->game, l->folder))
        die("%s: %s", l->folder, bk_error(l->lib));
}

static void line_close(struct line *l)
{
    bk_close(l->lib);
    if (l->derived)
        bk_variant_free(l->v);
    bk_variant_free(l->base);
}

enum bk_kind lines_first_kind(const struct line *l) { return bk_kind_of(false, l->counts); }

unsigned lines_kinds(const struct line *l) { return l->distances || l->counts ? 2 : 1; }

unsigned lines_each(void (*visit)(struct line *l))
{
    FILE *in = fopen(GOLDEN "/list", "r");
    char text[512];
    unsigned n = 0;

    if (!in)
        die("not there; run from the folder of the sources");
    while (fgets(text, sizeof text, in)) {
        struct line l = { .set = "" };

        if (*text == '#' || *text == '\n')
            continue;
        if (sscanf(text, "%15s %63s %199[^\n]", l.set, l.game, l.what) != 3)
            die("cannot read: %s", text);
        line_open(&l);
        visit(&l);
        line_close(&l);
        n++;
    }
    fclose(in);
    return n;
}

bool lines_position(struct bk_pos *p, const struct bk_variant *v, const struct bk_material *m,
                    uint64_t *seed)
{
    for (unsigned tries = 0; tries < 1000; tries++) {
        bool good = !m->rights;

        bk_pos_init(p, v);
        memcpy(p->left, m->left, sizeof p->left);
        p->stm = (uint8_t)random_below(seed, 2);
        for (unsigned man = 0; good && man < 2u * v->ntypes; man++)
            for (unsigned i = 0; good && i < m->count[man & 1][man >> 1]; i++) {
                unsigned sq = random_below(seed, v->nsq);

                good = !p->at[sq] && bk_rules_may_stand(v, man >> 1, man & 1, sq);
                if (good)
                    bk_pos_put(p, v, man >> 1, man & 1, sq);
            }
        if (good && bk_pos_legal(v, p))
            return true;
    }
    return false;
}
