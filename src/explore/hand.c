/*
 * hand.c - see hand.h.
 */
#include "explore/hand.h"

#include <stdlib.h>
#include <string.h>

#include "core/hands.h"
#include "core/rules.h"
#include "explore/tell.h"

#define FAR_PLIES 100000 /* more than any game takes */

struct ranked {
    json_t *o; /* borrowed */
    int score;
    size_t nth;
};

/* Turns under way. */
struct turns {
    const struct bk_variant *v;
    const struct bk_hands_pos *p;
    json_t *list, *seen;           /* by the FEN after them */
    bool more;                     /* than are told */
    const struct ex_armies *known; /* who knows this army; NULL: nobody */
};

static enum bk_lib_end end_of(enum bk_hands_end end)
{
    switch (end) {
    case BK_HANDS_GOES_ON: return BK_LIB_GOES_ON;
    case BK_HANDS_BARE: return BK_LIB_BARE;
    case BK_HANDS_BARE_DRAW: return BK_LIB_BARE_DRAW;
    case BK_HANDS_CONFIGURATION: return BK_LIB_GOES_ON; /* told apart by name */
    }
    return BK_LIB_GOES_ON;
}

/* The value of a position that is over, from its side to move. */
static struct ex_value value_of(const struct bk_hands_pos *p, const struct bk_variant *v,
                                bool *configuration)
{
    int wdl = 0;
    enum bk_hands_end end = bk_hands_over(p, v, &wdl);

    *configuration = end == BK_HANDS_CONFIGURATION;
    return (struct ex_value){ .known = end != BK_HANDS_GOES_ON,
                              .wdl = wdl,
                              .plies = wdl ? 0 : -1,
                              .clocked_wdl = wdl,
                              .clocked_known = true,
                              .end = end_of(end) };
}

/* What a position that goes on is worth, where its army is known. */
static void ask_value(const struct ex_armies *known, const struct bk_hands_pos *p,
                      struct ex_value *value)
{
    known->value(known->context, p, &value->wdl, &value->plies);
    value->known = true;
    value->clocked_wdl = value->wdl;
}

static void put_value(json_t *o, const struct ex_value *value, bool configuration)
{
    ex_put_value(o, value);
    if (configuration) {
        json_object_set_new(o, "end_reason", json_string("configuration"));
        json_object_set_new(o, value->wdl > 0 ? "variant_win" : "variant_loss", json_true());
    }
}

static bool see_turn(void *context, const struct bk_turn *turn, const struct bk_hands_pos *after)
{
    struct turns *t = context;
    char name[BK_TURN_NAME_MAX], fen[BK_FEN_MAX];
    bool configuration;
    struct ex_value value, mover;
    json_t *o;

    bk_hands_to_fen(after, t->v, fen);
    if (json_object_get(t->seen, fen))
        return true;
    if (json_array_size(t->list) == EX_TURNS_MAX) {
        t->more = true;
        return false;
    }
    json_object_set_new(t->seen, fen, json_true());
    bk_turn_name(t->p, t->v, turn, name);
    value = value_of(after, t->v, &configuration);
    if (t->known && !value.known)
        ask_value(t->known, after, &value);
    mover = value;
    mover.wdl = -value.wdl;
    mover.clocked_wdl = -value.clocked_wdl;
    mover.plies = value.wdl ? value.plies + 1 : -1;
    o = json_pack("{ss ss ss}", "uci", name, "san", name, "name", name);
    put_value(o, &value, configuration);
    json_object_set_new(o, "mover", ex_view_json(&mover));
    json_object_set_new(o, "from", ex_square_json(t->v, turn->from));
    json_object_set_new(o, "to", ex_square_json(t->v, turn->to));
    json_object_set_new(o, "fen", json_string(fen));
    json_array_append_new(t->list, o);
    return true;
}

/* Best first, where that is known; else as they were made.  In place: jansson's arrays keep order.
 */
static int better(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return x->score != y->score ? (x->score < y->score) - (x->score > y->score)
                                : (x->nth > y->nth) - (x->nth < y->nth);
}

static json_t *sorted(json_t *list)
{
    size_t n = json_array_size(list), i;
    struct ranked *r = calloc(n + 1, sizeof *r);
    json_t *out = r ? json_array() : NULL, *o;

    if (!out) {
        free(r);
        return list;
    }
    json_array_foreach(list, i, o)
    {
        const char *category = json_string_value(json_object_get(o, "category"));
        json_int_t plies =
            json_integer_value(json_object_get(json_object_get(o, "mover"), "plies"));
        int wdl;

        if (!category) /* no memory, of which the answer will tell */
            category = "unknown";
        wdl = !strcmp(category, "loss") ? 1 : !strcmp(category, "win") ? -1 : 0;

        r[i] = (struct ranked){ o, wdl * (FAR_PLIES - (int)plies), i };
        if (!strcmp(category, "unknown"))
            r[i].score = -2 * FAR_PLIES;
    }
    qsort(r, n, sizeof *r, better);
    for (i = 0; i < n; i++)
        json_array_append(out, r[i].o);
    free(r);
    json_decref(list);
    return out;
}

bool ex_hand_moves(struct ex_games *g, struct ex_game *game, const char *fen,
                   struct ex_reply *reply)
{
    struct turns t = { .v = game->v };
    bool counting = false;
    struct bk_report why = { "" };
    struct bk_hands_pos p;
    struct ex_value value;
    char text[BK_FEN_MAX];
    bool configuration;
    json_t *o;

    if (!fen)
        return false;
    if (!ex_fen_copy(text, fen, reply))
        return true;
    if (bk_hands_from_fen(&p, game->v, text, &why) || !bk_hands_legal(&p, game->v)) {
        if (!strchr(text, '['))
            return false;
        ex_reply_error(reply, 400, "fen", "%s", *why.text ? why.text : "illegal position");
        return true;
    }
    t.p = &p;
    t.list = json_array();
    t.seen = json_object();
    o = json_object();
    value = value_of(&p, game->v, &configuration);
    if (!value.known && g->armies && g->armies->begin(g->armies->context, game, &p, &counting))
        t.known = g->armies;
    if (!value.known)
        bk_hands_turns(&p, game->v, see_turn, &t);
    if (t.known) {
        ask_value(t.known, &p, &value);
        t.known->end(t.known->context);
        t.list = sorted(t.list);
    }
    if (value.end == BK_LIB_GOES_ON && !configuration && !json_array_size(t.list)) {
        bool check = bk_hands_in_check(&p, game->v, p.stm);

        value.wdl = value.clocked_wdl = bk_hands_stuck_wdl(&p, game->v);
        value.known = true;
        value.plies = value.wdl ? 0 : -1;
        value.end = check ? BK_LIB_CHECKMATE : BK_LIB_STALEMATE;
    }
    json_object_set_new(o, "variant", json_string(game->name));
    json_object_set_new(o, "fen", json_string(bk_hands_to_fen(&p, game->v, text)));
    json_object_set_new(o, "check", json_boolean(bk_hands_in_check(&p, game->v, p.stm)));
    put_value(o, &value, configuration);
    json_object_set_new(o, "mover", ex_view_json(&value));
    json_object_set_new(o, "more", json_boolean(t.more));
    if (counting)
        json_object_set_new(o, "counting", json_true());
    json_object_set_new(o, "moves", t.list);
    json_decref(t.seen);
    ex_reply_json(reply, 200, o);
    return true;
}
