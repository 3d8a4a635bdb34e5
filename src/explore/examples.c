/* examples.c - see examples.h. */
#include "explore/examples.h"

#include <stdlib.h>

#include "core/chance.h"
#include "explore/json.h"
#include "study/mine.h"

/* Some of all finds of a kind: each find is kept with the same chance (reservoir sampling). */
struct pick {
    const struct bk_variant *v;
    json_t *list; /* owned */
    uint64_t seen, seed;
};

static json_t *example_json(const struct bk_variant *v, const struct study_find *f)
{
    char fen[BK_FEN_MAX];
    json_t *o = json_pack("{ss}", "fen", bk_pos_to_fen(&f->p, v, fen));

    if (*f->move)
        json_object_set_new(o, "move", json_string(f->move));
    if (f->line)
        json_object_set_new(o, "line", json_string(f->line));
    return o;
}

static void pick(struct pick *p, const struct study_find *f)
{
    uint64_t at = p->seen++;

    if (at < EX_EXAMPLES) {
        json_array_append_new(p->list, example_json(p->v, f));
        return;
    }
    at = bk_chance_next(&p->seed) % p->seen;
    if (at < EX_EXAMPLES)
        json_array_set_new(p->list, (size_t)at, example_json(p->v, f));
}

static void found(void *context, const struct study_find *f) { pick(context, f); }

/* Only moves, those of wins and those of draws. */
static void found_only_move(void *context, const struct study_find *f)
{
    struct pick *p = context; /* two */

    pick(&p[f->worth.wdl == 0], f);
}

enum bk_err ex_examples(json_t **out, struct study_values *x, struct bk_report *why)
{
    struct pick zugzwangs = { .v = x->v, .list = json_array() };
    struct pick only[2] = { { .v = x->v, .list = json_array() },
                            { .v = x->v, .list = json_array() } };
    struct pick problems = { .v = x->v, .list = json_array() };
    struct study_mine o = { .kind = STUDY_ZUGZWANG, .context = &zugzwangs, .found = found };
    enum bk_err err = study_mine_run(x, &o, why);

    if (!err) {
        o = (struct study_mine){ STUDY_ONLY_MOVE, .context = only, .found = found_only_move };
        err = study_mine_run(x, &o, why);
    }
    if (!err && x->distances) {
        o = (struct study_mine){ STUDY_COMPOSE, .limit = EX_EXAMPLES, .context = &problems,
                                 .found = found };
        err = study_mine_run(x, &o, why);
    }
    *out = json_pack("{so so so so}", "zugzwangs", zugzwangs.list, "only_moves", only[0].list,
                     "holds", only[1].list, "problems", problems.list);
    if (!err && !*out)
        err = BK_E_SYSTEM;
    if (err) {
        json_decref(*out);
        *out = NULL;
    }
    return err;
}
