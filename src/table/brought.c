/*
 * brought.c - see brought.h.
 */
#include "table/brought.h"

#include "core/end.h"

/* Has the side to move a legal move? */
static bool can_move(struct bk_view *view)
{
    const struct bk_index *ix = bk_view_index(view);
    struct bk_bits occupied = bk_view_men(view);

    for (unsigned i = 0; i < 2 + ix->nslots; i++) {
        struct bk_quiet q;

        if (bk_index_colour(ix, i) != view->men.spot.side)
            continue;
        bk_quiet_begin(&q, view, i, &occupied);
        if (bk_quiet_next(view, &q) != BK_SQ_NONE)
            return true;
    }
    bk_view_see(view);
    return view->exits || !view->direct; /* too many exits: there are some */
}

/* Completes *out, whose wdl and plies come from the tables: sets `end` to mate, stalemate or none,
   with which they agree, and `known`. */
static void tell_end(struct bk_view *view, struct bk_brought *out)
{
    const struct bk_variant *v = bk_view_index(view)->v;

    out->end = BK_END_NONE;
    if (out->wdl > 0 || out->plies > 0 || (out->wdl == 0 && view->men.table->men->draws_go_on) ||
        can_move(view)) {
        out->known = out->wdl >= 0 || out->plies; /* a loss in 0 plies with a move is not known */
        return;
    }
    out->end = bk_view_in_check(view) ? BK_END_CHECKMATE : BK_END_STALEMATE;
    out->wdl = out->end == BK_END_CHECKMATE ? -1 : bk_rules_stalemate_wdl(v);
    out->plies = out->wdl ? 0 : -1;
    out->known = true;
}

static enum bk_err settle_view(struct bk_direct *d, struct bk_view *view, bool distances,
                               struct bk_brought *out)
{
    struct bk_window all = { -1, BK_ENDLESS };
    enum bk_err err = bk_direct_least(d, view, 1, &out->wdl, NULL);

    out->plies = -1;
    if (!err && out->wdl && distances && !bk_table_lacks_distances(view->men.table))
        err = bk_direct_plies(d, view, out->wdl, all, &out->plies, NULL);
    if (!err && view->direct)
        tell_end(view, out);
    return err;
}

/* Sets *out to what a legal step brings; out->known is false where squares are not enough, or
   anything goes wrong. */
static void bring(struct bk_direct *d, const struct bk_view *root, struct bk_step_of_men step,
                  bool distances, struct bk_brought *out)
{
    struct bk_view after;
    enum bk_err err;

    out->known = false;
    if (bk_view_ends(root, step)) {
        out->wdl = -bk_view_bares(root, step);
        out->plies = out->wdl ? 0 : -1;
        out->end = out->wdl ? BK_END_BARE : BK_END_BARE_DRAW;
        out->known = true;
        return;
    }
    d->way.depth++;
    err = bk_view_after(&after, &d->way, root, step, NULL);
    if (!err && after.direct)
        err = settle_view(d, &after, distances, out);
    out->known &= !err;
    d->way.depth--;
}

bool bk_direct_moves(struct bk_direct *d, struct bk_view *root, bool distances,
                     bk_step_visit *visit, void *context)
{
    const struct bk_index *ix = bk_view_index(root);
    struct bk_bits occupied = bk_view_men(root);
    struct bk_brought out;

    bk_view_see(root);
    if (!root->direct)
        return false;
    for (unsigned i = 0; i < root->exits; i++) {
        bring(d, root, root->exit[i], distances, &out);
        visit(context, root->exit[i], &out);
    }
    for (unsigned i = 0; i < 2 + ix->nslots; i++) {
        struct bk_quiet q;
        unsigned to;

        if (bk_index_colour(ix, i) != root->men.spot.side)
            continue;
        bk_quiet_begin(&q, root, i, &occupied);
        while ((to = bk_quiet_next(root, &q)) != BK_SQ_NONE) {
            struct bk_step_of_men step = { (uint8_t)i, (uint8_t)to, .becomes = BK_STAYS };

            out.known = false;
            if (!bk_quiet_passes(root, i, to))
                bring(d, root, step, distances, &out);
            visit(context, step, &out);
        }
    }
    return true;
}
