/* worker.c - see worker.h. */
#include "engine/worker.h"

#include "core/clock.h"

int64_t be_now_ms(void) { return (int64_t)(1e3 * bk_now_seconds()); }

int64_t be_elapsed(const struct be_search *s) { return be_now_ms() - atomic_load(&s->counts_from); }

bool be_out_of_time(const struct be_search *s)
{
    return atomic_load(&s->stop) ||
           (!atomic_load(&s->pondering) && s->limits.hard && be_elapsed(s) >= s->limits.hard);
}

/* == Scores == */

int be_score_over(int wdl, unsigned ply) { return wdl * (BE_WIN - (int)ply); }

int be_score_table(int wdl, int plies, unsigned ply)
{
    return plies < 0 ? wdl * (BE_WIN_SOMEHOW + 1000 - (int)ply) : wdl * (BE_WIN - (int)ply - plies);
}

bool be_known(struct be_worker *w, const struct be_board *b, unsigned ply, int *score)
{
    const struct be_game *g = w->s->game;
    int wdl, plies;
    bool last = be_plies_left(g, b) <= 0; /* perhaps with a mate */
    enum be_end end = last ? be_end_now(g, b, &wdl) : be_end_early(g, b, &wdl);

    if (end == BE_BARED_BACK || end == BE_BARE_BOTH) {
        *score = 0;
        return true;
    }
    if (end != BE_GOES_ON) {
        *score = be_score_over(wdl, ply);
        return true;
    }
    if (!be_probe(g, b, &wdl, &plies) || (w->seeks && wdl && plies < 0))
        return false;
    atomic_fetch_add_explicit(&w->s->hits, 1, memory_order_relaxed);
    *score = be_score_table(wdl, plies, ply);
    return true;
}
