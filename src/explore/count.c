/*
 * count.c - see count.h.
 *
 * One table waits at a time: a client that asks while others are counted asks again anyway.
 */
#include "explore/count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hands.h"
#include "core/thread.h"
#include "explore/json.h"
#include "study/values.h"
#include "study/whole.h"

struct job {
    struct ex_game *game; /* NULL: none */
    struct bk_material m;
    bool whole; /* not a material, but this army: */
    struct bk_hands_pos army;
};

struct ex_counter {
    struct bk_pool *pool;
    const char *dirs;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    struct job next, now;
    volatile int stop;
    struct ex_armies armies;
    pthread_mutex_t asking;   /* guards `army` */
    struct study_whole *army; /* owned; NULL: none yet */
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
    return answer ? answer
                  : json_pack("{ss sb}", "error", why.text, "damaged", err == BK_E_CORRUPT);
}

/* == Armies == */

/* Solves the job's army in the place of the last one.  NULL: it is there; else why not. */
static json_t *solve(struct ex_counter *c, const struct job *j)
{
    struct study_whole *solved = NULL;
    struct bk_report why = { "" };
    enum bk_err err;

    pthread_mutex_lock(&c->asking);
    study_whole_free(c->army);
    c->army = NULL;
    pthread_mutex_unlock(&c->asking);
    err = study_whole_new(&solved, j->game->v, &j->army, c->pool, EX_ARMY_MEMORY, &c->stop, &why);
    pthread_mutex_lock(&c->asking);
    c->army = solved;
    pthread_mutex_unlock(&c->asking);
    return err ? json_pack("{ss}", "error", why.text) : NULL;
}

/* == The thread == */

static void key_of(char key[BK_MATERIAL_NAME_MAX + 8], const struct job *j)
{
    char name[BK_MATERIAL_NAME_MAX];

    if (j->whole) {
        for (unsigned i = 0; i < j->army.n; i++)
            name[i] = bk_man_letter(j->game->v, j->army.man[i]);
        snprintf(key, BK_MATERIAL_NAME_MAX + 8, "army %.*s", (int)j->army.n, name);
        return;
    }
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
        found = c->now.whole ? solve(c, &c->now) : count(c, &c->now);
        key_of(key, &c->now);
        if (!c->stop &&
            state == ex_kept_state_now(&c->now.game->sums)) /* the tables have not changed */
            ex_kept_add(&c->now.game->sums, key, found);
        ex_json_end(found);
        pthread_mutex_lock(&c->lock);
        c->now.game = NULL;
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

static bool same_job(const struct job *one, const struct job *other)
{
    if (one->game != other->game || one->whole != other->whole)
        return false;
    if (!one->whole)
        return bk_material_equal(&one->m, &other->m);
    return one->army.n == other->army.n && !memcmp(one->army.man, other->army.man, one->army.n);
}

/* Makes `job` the next one, unless it is that already, or under way. */
static void ask_for(struct ex_counter *c, const struct job *job)
{
    pthread_mutex_lock(&c->lock);
    if (!same_job(&c->now, job) && !same_job(&c->next, job)) {
        c->next = *job;
        pthread_cond_signal(&c->wake);
    }
    pthread_mutex_unlock(&c->lock);
}

/* If the army knows the position, returns true with its lock held, until end_army(). */
static bool begin_army(void *context, struct ex_game *game, const struct bk_hands_pos *p,
                       bool *counting)
{
    struct ex_counter *c = context;
    const struct job job = { .game = game, .whole = true, .army = *p };
    char key[BK_MATERIAL_NAME_MAX + 8];
    json_t *failed;

    pthread_mutex_lock(&c->asking);
    if (study_whole_knows(c->army, game->v, p))
        return true;
    pthread_mutex_unlock(&c->asking);
    key_of(key, &job);
    failed = ex_kept_find(&game->sums, key);
    json_decref(failed);
    *counting = !failed;
    if (!failed)
        ask_for(c, &job);
    return false;
}

static void army_value(void *context, const struct bk_hands_pos *p, int *wdl, int *plies)
{
    study_whole_value(((struct ex_counter *)context)->army, p, wdl, plies);
}

static void end_army(void *context)
{
    pthread_mutex_unlock(&((struct ex_counter *)context)->asking);
}

const struct ex_armies *ex_counter_armies(struct ex_counter *c) { return &c->armies; }

struct ex_counter *ex_counter_new(struct bk_pool *pool, const char *dirs)
{
    struct ex_counter *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->pool = pool;
    c->dirs = dirs;
    c->armies = (struct ex_armies){ begin_army, army_value, end_army, c };
    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_init(&c->asking, NULL);
    pthread_cond_init(&c->wake, NULL);
    if (bk_thread_new(&c->thread, BK_THREAD_STACK, work, c))
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
    study_whole_free(c->army);
    pthread_mutex_destroy(&c->asking);
    pthread_cond_destroy(&c->wake);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

json_t *ex_counted(struct ex_counter *c, struct ex_game *game, const struct bk_material *m,
                   bool *counting)
{
    const struct job job = { .game = game, .m = *m };
    char key[BK_MATERIAL_NAME_MAX + 8];
    json_t *found;

    *counting = false;
    if (!c)
        return NULL;
    key_of(key, &job);
    found = ex_kept_find(&game->sums, key);
    if (found)
        return found;
    *counting = true;
    ask_for(c, &job);
    return NULL;
}
