/*
 * counts.c - see counts.h.
 */
#include "table/counts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/rules.h"

/* The position with the colours exchanged, as the other name of its table sees it. */
static void exchange(struct bk_pos *p, const struct bk_variant *v, const struct bk_material *m)
{
    int swap = bk_material_swap(m, v);
    uint8_t map[BK_SQ_MAX];
    struct bk_pos q;

    bk_symmetry_map(v, swap > 0 ? (unsigned)swap : 0, map);
    bk_pos_init(&q, v);
    q.stm = !p->stm;
    q.rights = (uint8_t)((p->rights & 3) << 2 | p->rights >> 2);
    for (unsigned colour = 0; colour < 2; colour++)
        memcpy(q.left[colour], p->left[!colour], sizeof q.left[colour]);
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (p->at[sq])
            bk_pos_put(&q, v, bk_man_type(p->at[sq]), !bk_man_colour(p->at[sq]), map[sq]);
    *p = q;
}

bool bk_counts_fen(const struct bk_index *ix, uint64_t number, unsigned side, bool exchanged,
                   char out[BK_FEN_MAX])
{
    struct bk_placement at;
    struct bk_pos p;

    bk_index_unrank(ix, number, &at);
    if (!bk_index_position(ix, &at, side, &p))
        return false;
    if (exchanged)
        exchange(&p, ix->v, &ix->m);
    bk_pos_to_fen(&p, ix->v, out);
    return true;
}

/* Opens a file of this kind in the folder that the first `length` bytes of `dir` name.  A path that
   is cut off would be another file's, and is an error. */
static enum bk_err open_in(struct bk_file **out, const char *dir, size_t length,
                           const struct bk_variant *v, const struct bk_material *kept,
                           enum bk_kind kind, struct bk_report *why)
{
    char folder[PATH_MAX], path[PATH_MAX];
    bool whole = length < sizeof folder;

    if (whole) {
        memcpy(folder, dir, length);
        folder[length] = '\0';
        whole = strlen(bk_table_path(path, folder, v, kept, kind)) < sizeof path - 1;
    }
    if (!whole)
        return bk_fail(why, BK_E_SYSTEM, "%.*s...: %s", length < 60 ? (int)length : 60, dir,
                       strerror(ENAMETOOLONG));
    return bk_file_open_as(out, path, v, kept, kind, why);
}

static bool has(const char *dir, size_t length, const struct bk_variant *v,
                const struct bk_material *kept, enum bk_kind kind)
{
    char folder[PATH_MAX], path[PATH_MAX];

    if (length >= sizeof folder)
        return false;
    memcpy(folder, dir, length);
    folder[length] = '\0';
    return !access(bk_table_path(path, folder, v, kept, kind), F_OK);
}

/* Opens a file of a kind in the first folder that has its twin, too, else in the first. */
static enum bk_err open_first(struct bk_file **out, const char *dirs, const struct bk_variant *v,
                              const struct bk_material *kept, enum bk_kind kind,
                              struct bk_report *why)
{
    enum bk_err err = BK_E_NO_TABLE;

    *out = NULL;
    for (unsigned alone = 0; alone < 2; alone++)
        for (const char *at = dirs; err == BK_E_NO_TABLE && *at;) {
            size_t n = strcspn(at, ":");

            if (n && (alone || has(at, n, v, kept, kind ^ 1)))
                err = open_in(out, at, n, v, kept, kind, why);
            at += n + (at[n] == ':');
        }
    return err;
}

enum bk_err bk_counts_open(struct bk_file **out, bool *exchanged, const char *dirs,
                           const struct bk_variant *v, const struct bk_material *m,
                           struct bk_report *why)
{
    struct bk_material kept = *m;
    enum bk_err err;

    *exchanged = bk_material_canonical(&kept, v);
    err = open_first(out, dirs, v, &kept, BK_KIND_WDL, why);
    if (err == BK_E_NO_TABLE && bk_rules_nmove(v)) {
        struct bk_file *five;

        err = open_first(&five, dirs, v, &kept, BK_KIND_FIVE, why);
        if (!err && open_first(out, dirs, v, &kept, BK_KIND_DTW, NULL))
            *out = five;
        else if (!err)
            bk_file_close(five);
    }
    return err;
}

/* Fills `out` for one side to move.  False: a longest game begins at no position. */
static bool take_side(struct bk_counts *out, const struct bk_summary *s, const struct bk_index *ix,
                      bool one_side, unsigned side, bool exchanged)
{
    if (one_side && side == BK_BLACK) { /* what White has, turned round */
        side = BK_WHITE;
        exchanged = !exchanged;
    }
    *out = (struct bk_counts){ .win = s->win[side],
                               .draw = s->draw[side],
                               .loss = s->loss[side],
                               .all_win = s->all_win[side],
                               .all_draw = s->all_draw[side],
                               .all_loss = s->all_loss[side],
                               .cursed = s->cursed[side],
                               .blessed = s->blessed[side],
                               .all_cursed = s->all_cursed[side],
                               .all_blessed = s->all_blessed[side],
                               .win_plies = s->win_plies[side],
                               .loss_plies = s->loss_plies[side] };
    return (out->win_plies < 0 ||
            bk_counts_fen(ix, s->win_number[side], side, exchanged, out->win_fen)) &&
           (out->loss_plies < 0 ||
            bk_counts_fen(ix, s->loss_number[side], side, exchanged, out->loss_fen));
}

bool bk_counts_of(struct bk_counts out[2], const struct bk_summary *s, const struct bk_index *ix,
                  bool one_side, bool exchanged)
{
    return take_side(&out[0], s, ix, one_side, exchanged, exchanged) &&
           take_side(&out[1], s, ix, one_side, !exchanged, exchanged);
}

static enum bk_err read_file(struct bk_counts out[2], const struct bk_file *f, bool exchanged,
                             struct bk_report *why)
{
    if (bk_counts_of(out, &bk_file_info(f)->summary, bk_file_index(f), bk_file_info(f)->one_side,
                     exchanged))
        return BK_OK;
    return bk_fail(why, BK_E_CORRUPT, "%s: damaged: its longest game begins nowhere",
                   bk_file_path(f));
}

enum bk_err bk_counts_read(struct bk_counts out[2], const char *dirs, const struct bk_variant *v,
                           const struct bk_material *m, struct bk_report *why)
{
    struct bk_file *f;
    bool exchanged;
    enum bk_err err = bk_counts_open(&f, &exchanged, dirs, v, m, why);

    if (!err)
        err = read_file(out, f, exchanged, why);
    for (unsigned i = 0; !err && i < 2 && bk_kind_counts(bk_file_info(f)->kind); i++)
        out[i].win_plies = out[i].loss_plies = -1; /* those are to zeroing */
    bk_file_close(f);
    return err;
}

enum bk_err bk_counts_read_five(struct bk_counts out[2], const char *dirs,
                                const struct bk_variant *v, const struct bk_material *m,
                                struct bk_report *why)
{
    struct bk_material kept = *m;
    bool exchanged = bk_material_canonical(&kept, v);
    struct bk_file *f = NULL;
    enum bk_err err = BK_E_NO_TABLE;

    if (bk_rules_nmove(v))
        err = open_first(&f, dirs, v, &kept, BK_KIND_FIVE, why);
    if (!err)
        err = read_file(out, f, exchanged, why);
    bk_file_close(f);
    return err;
}
