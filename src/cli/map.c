/*
 * map.c - see map.h.
 */
#include "cli/map.h"

#include <stdio.h>
#include <string.h>

#include "core/attack.h"
#include "core/rules.h"

/* Lists all legal positions with the man of `from` on some square, `from` included. */
static void list_places(struct map *map, const struct bk_variant *v, const struct bk_pos *p,
                        unsigned from)
{
    unsigned type = bk_man_type(p->at[from]), colour = bk_man_colour(p->at[from]);
    struct bk_pos without = *p;

    without.ep = BK_SQ_NONE; /* rights and passing pawns are of the position as it was */
    without.rights = 0;
    bk_pos_lift(&without, v, from);
    map->n = 0;
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        struct bk_pos with = without;

        if (!bk_bits_has(&v->board, sq) || without.at[sq] ||
            !bk_rules_may_stand(v, type, colour, sq))
            continue;
        bk_pos_put(&with, v, type, colour, sq);
        if (!bk_pos_legal(v, &with))
            continue;
        map->place[map->n].sq = (uint8_t)sq;
        bk_pos_to_fen(&with, v, map->place[map->n++].fen);
    }
}

enum bk_lib_err map_ask(struct map *map, struct bk_lib *lib, const struct bk_variant *v,
                        const struct bk_pos *p, unsigned from)
{
    const char *fens[BK_SQ_MAX];
    struct bk_answer answers[BK_SQ_MAX];
    enum bk_lib_err err;

    list_places(map, v, p, from);
    for (size_t i = 0; i < map->n; i++)
        fens[i] = map->place[i].fen;
    err = bk_probe_batch(lib, fens, map->n, answers, NULL);
    for (size_t i = 0; i < map->n && !err; i++) {
        map->place[i].answer = answers[i];
        map->place[i].white_wdl = p->stm == BK_WHITE ? answers[i].wdl : -answers[i].wdl;
    }
    return err;
}

void map_colour(struct study_diagram *d, const struct map *map, unsigned from)
{
    static const char *const who[3] = { "Black wins", "drawn", "White wins" };
    unsigned count[3] = { 0 };

    d->faded = (uint8_t)from;
    for (size_t i = 0; i < map->n; i++) {
        const struct place *at = &map->place[i];

        count[at->white_wdl + 1]++;
        strcpy(d->fill[at->sq], study_verdict_colour(at->white_wdl));
        if (at->white_wdl && at->answer.dtw >= 0)
            snprintf(d->label[at->sq], sizeof d->label[0], "%s%u", at->white_wdl > 0 ? "" : "-",
                     (unsigned)at->answer.dtw % 10000);
        else
            strcpy(d->label[at->sq], at->white_wdl > 0 ? "+" : at->white_wdl ? "-" : "=");
    }
    for (int wdl = 1; wdl >= -1; wdl--)
        if (count[wdl + 1]) {
            strcpy(d->legend[d->nlegend].colour, study_verdict_colour(wdl));
            snprintf(d->legend[d->nlegend++].text, sizeof d->legend[0].text, "%s (%u)%s",
                     who[wdl + 1], count[wdl + 1], wdl ? ", plies" : "");
        }
}
