/*
 * tell.c - see tell.h.
 */
#include "explore/tell.h"

#include "core/end.h"

struct ex_value ex_value_of(const struct bk_answer *a, const struct bk_pos *p)
{
    return (struct ex_value){ .known = true,
                              .wdl = a->wdl,
                              .plies = a->wdl ? a->dtw : -1,
                              .clocked_wdl = a->clocked_wdl,
                              .clocked_known = a->clocked_known,
                              .end = a->end,
                              .kings_only = bk_pos_both_bare(p) };
}

struct ex_value ex_value_of_move(const struct bk_lib_ranked *m, const struct bk_pos *after)
{
    return (struct ex_value){ .known = m->err == BK_LIB_OK,
                              .wdl = m->wdl,
                              .plies = m->wdl ? m->dtw : -1,
                              .clocked_wdl = m->clocked_wdl,
                              .clocked_known = m->clocked_known,
                              .end = m->end,
                              .kings_only = bk_pos_both_bare(after) };
}

struct ex_value ex_value_turned(const struct ex_value *v)
{
    struct ex_value turned = *v;

    turned.wdl = -v->wdl;
    turned.clocked_wdl = -v->clocked_wdl;
    turned.plies = v->plies > 0 ? v->plies - 1 : v->plies;
    return turned;
}

/* A win too late for the game's length is cursed; a "maybe" is one of which it is not known. */
static const char *category(const struct ex_value *v)
{
    if (!v->known)
        return "unknown";
    if (!v->wdl)
        return "draw";
    if (!v->clocked_known)
        return v->wdl > 0 ? "maybe-win" : "maybe-loss";
    if (!v->clocked_wdl)
        return v->wdl > 0 ? "cursed-win" : "blessed-loss";
    return v->wdl > 0 ? "win" : "loss";
}

static void put_flag(json_t *object, const char *key, bool is)
{
    json_object_set_new(object, key, json_boolean(is));
}

void ex_put_value(json_t *object, const struct ex_value *v)
{
    const char *end = bk_end_name((enum bk_end)v->end);

    json_object_set_new(object, "category", json_string(category(v)));
    json_object_set_new(object, "dtm",
                        v->known && v->wdl && v->plies >= 0
                            ? json_integer(v->wdl > 0 ? v->plies : -v->plies)
                            : json_null());
    json_object_set_new(object, "dtz", json_null());
    json_object_set_new(object, "precise_dtz", json_null());
    put_flag(object, "checkmate", v->end == BK_LIB_CHECKMATE);
    put_flag(object, "stalemate", v->end == BK_LIB_STALEMATE);
    put_flag(object, "variant_win", v->end == BK_LIB_BARE && v->wdl > 0);
    put_flag(object, "variant_loss", v->end == BK_LIB_BARE && v->wdl < 0);
    put_flag(object, "insufficient_material", v->kings_only);
    json_object_set_new(object, "end_reason", end ? json_string(end) : json_null());
}

json_t *ex_view_json(const struct ex_value *v)
{
    bool distance = v->known && v->wdl && v->plies >= 0;

    return json_pack("{ss so so}", "category", category(v), "plies",
                     distance ? json_integer(v->plies) : json_null(), "turns",
                     distance ? json_integer((v->plies + 1) / 2) : json_null());
}

json_t *ex_square_json(const struct bk_variant *v, unsigned sq)
{
    char name[8];

    return sq == BK_SQ_NONE ? json_null() : json_string(bk_sq_name(v, sq, name));
}
