/*
 * count.c - see count.h.
 *
 * One table waits at a time: who asks while others are counted asks again anyway.
 */
#include "explore/count.h"

#include <stdio.h>
#include <stdlib.h>

#include "study/values.h"

struct job {
    struct ex_game *game; /* NULL: none */
    struct bk_material m;
};

struct ex_counter {
    struct bk_pool *pool;
    const char *dirs;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    struct job next, now;
    volatile int stop;
};

/* == A histogram == */

static json_t *pairs_json(const uint64_t plies[STUDY_PLIES_MAX], unsigned first)
{
    json_t *list = json_array();

    for (unsigned n = first; n < STUDY_PLIES_MAX; n += 2)
        if (plies[n])
            json_array_append_new(list, json_pack("[iI]", (int)n, (json_int_t)plies[n]));
    return list;
}

/* A won position takes an odd number of plies, a lost one an even number. */
static json_t *side_json(const struct study_tally *t, unsigned side)
{
    uint64_t all = t->win[side] + t->draw[side] + t->loss[side];

    return json_pack("{sI sI so so}", "positions", (json_int_t)all, "draw",
                     (json_int_t)t->draw[side], "win", pairs_json(t->plies[side], 1), "loss",
                     pairs_json(t->plies[side], 0));
}

static json_t *histogram_json(const struct study_tally *t, bool one_sided, bool exchanged)
{
    unsigned white = !one_sided && exchanged, black = !one_sided && !exchanged;

    return json_pack("{sb so so}", "exact", 1, "white", side_json(t, white), "black",
                     side_json(t, black));
}

static json_t *count(struct ex_counter *c, const struct job *j)
{
    struct study_values_options o = { .v = j->game->v,
                                      .pool = c->pool,
                                      .stop = &c->stop,
                                      .dir = c->dirs,
                                      .memory = EX_COUNT_MEMORY };
    struct study_tally *t = malloc(sizeof *t);
    struct bk_material kept = j->m;
    bool exchanged = bk_material_canonical(&kept, j->game->v);
    struct bk_report why = { "" };
    struct study_values x;
    json_t *answer = NULL;
    enum bk_err err = t ? study_values_open(&x, &o, &kept, &why) : BK_E_SYSTEM;

    if (!err) {
        if (x.index->positions <= EX_COUNT_MAX)
            err = study_tally(t, &x, &why);
        else
            err = bk_fail(&why, BK_E_USAGE, "the table is too large to be counted");
        if (!err)
            answer = histogram_json(t, x.one_sided, exchanged);
        study_values_close(&x);
    }
    free(t);
    return answer ? answer : json_pack("{ss}", "error", why.text);
}

/* == The thread == */

static void key_of(char key[BK_MATERIAL_NAME_MAX + 8], const struct job *j)
{
    char name[BK_MATERIAL_NAME_MAX];

    snprintf(key, BK_MATERIAL_NAME_MAX + 8, "count %s", bk_material_name(&j->m, j->game->v, name));
}

static void *work(void *context)
{
    struct ex_counter *c = context;
    char key[BK_MATERIAL_NAME_MAX + 8];

    pthread_mutex_lock(&c->lock);
    while (!c->stop) {
        uint64_t state;
        json_t *found;

        if (!c->next.game) {
            pthread_cond_wait(&c->wake, &c->lock);
            continue;
        }
        c->now = c->next;
        c->next.game = NULL;
        pthread_mutex_unlock(&c->lock);
        state = ex_kept_state_now(&c->now.game->sums);
        found = count(c, &c->now);
        key_of(key, &c->now);
        if (!c->stop &&
            state == ex_kept_state_now(&c->now.game->sums)) /* the tables are the same */
            ex_kept_add(&c->now.game->sums, key, found);
        json_decref(found);
        pthread_mutex_lock(&c->lock);
        c->now.game = NULL;
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

struct ex_counter *ex_counter_new(struct bk_pool *pool, const char *dirs)
{
    struct ex_counter *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->pool = pool;
    c->dirs = dirs;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->wake, NULL);
    if (!pthread_create(&c->thread, NULL, work, c))
        return c;
    free(c);
    return NULL;
}

void ex_counter_free(struct ex_counter *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->stop = 1;
    pthread_cond_signal(&c->wake);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->thread, NULL);
    pthread_cond_destroy(&c->wake);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static bool same_job(const struct job *j, const struct ex_game *game, const struct bk_material *m)
{
    return j->game == game && bk_material_equal(&j->m, m);
}

json_t *ex_counted(struct ex_counter *c, struct ex_game *game, const struct bk_material *m,
                   bool *counting)
{
    const struct job job = { game, *m };
    char key[BK_MATERIAL_NAME_MAX + 8];
    json_t *found;

    *counting = false;
    if (!c)
        return NULL;
    key_of(key, &job);
    found = ex_kept_find(&game->sums, key);
    if (found && json_object_get(found, "error")) { /* it cannot be counted */
        json_decref(found);
        return NULL;
    }
    if (found)
        return found;
    *counting = true;
    pthread_mutex_lock(&c->lock);
    if (!same_job(&c->now, game, m) && !same_job(&c->next, game, m)) {
        c->next = job;
        pthread_cond_signal(&c->wake);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}
