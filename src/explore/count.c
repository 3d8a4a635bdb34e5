/*
 * count.c - see count.h.
 *
 * Clients ask again and again; nothing else says that they still wait.  So each job notes when it
 * was last asked for, and a watcher gives up the one under way when that was too long ago.
 *
 * Rejected: to hold one waiting job and one army, the last asked for.  Two clients with two armies
 * then never got an answer: each one's question threw out what the other's had solved.
 */
#include "explore/count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "core/hands.h"
#include "core/thread.h"
#include "explore/examples.h"
#include "explore/json.h"
#include "explore/tick.h"
#include "study/values.h"
#include "study/whole.h"

struct job {
    struct ex_game *game; /* NULL: none */
    enum { COUNT, EXAMPLES, SOLVE } what;
    struct bk_material m; /* of a table that is counted or looked through */
    /* what is solved: */
    struct bk_hands_pos army;
    double asked; /* when it was last asked for */
};

struct army {
    struct study_whole *states; /* owned */
    double asked;               /* when it was last asked about, or solved */
    bool told;                  /* somebody has been told of it */
};

struct ex_counter {
    struct bk_pool *pool;
    const char *dirs;
    struct ex_limits limits;
    pthread_t thread, watcher;
    struct ex_armies armies;
    pthread_mutex_t lock;
    pthread_cond_t wake, tick; /* there is a job; or the end: for the watcher */
    struct job now, waiting[EX_JOBS_MAX];
    size_t nwaiting;
    bool end;
    volatile int give_up;   /* the job under way is to end; written under the lock */
    pthread_mutex_t asking; /* guards what follows */
    struct army army[EX_ARMIES_MAX];
    size_t narmies;
    struct army *told; /* between begin_army() and end_army() */
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

/* Opens the job's table, unless it is too large.  On success study_values_close() when done. */
static enum bk_err open_table(struct ex_counter *c, const struct job *j, struct study_values *x,
                              bool *exchanged, struct bk_report *why)
{
    struct study_values_options o = { .v = j->game->v,
                                      .pool = c->pool,
                                      .stop = &c->give_up,
                                      .dir = c->dirs,
                                      .memory = EX_COUNT_MEMORY };
    struct bk_material kept = j->m;
    enum bk_err err;

    *exchanged = bk_material_canonical(&kept, j->game->v);
    err = study_values_open(x, &o, &kept, why);
    if (!err && x->index->positions > EX_COUNT_MAX) {
        study_values_close(x);
        err = bk_fail(why, BK_E_USAGE, "the table is too large to be looked through");
    }
    return err;
}

/* A table's histogram, or its examples; or why there are none. */
static json_t *look_through(struct ex_counter *c, const struct job *j)
{
    struct study_tally *t = j->what == COUNT ? malloc(sizeof *t) : NULL;
    struct bk_report why = { "" };
    struct study_values x;
    json_t *answer = NULL;
    bool exchanged;
    enum bk_err err = t || j->what != COUNT ? open_table(c, j, &x, &exchanged, &why) : BK_E_SYSTEM;

    if (!err) {
        if (j->what == EXAMPLES)
            err = ex_examples(&answer, &x, &why);
        else if (!(err = study_tally(t, &x, &why)))
            answer = histogram_json(t, x.one_sided, exchanged);
        study_values_close(&x);
    }
    free(t);
    return answer ? answer
                  : json_pack("{ss sb}", "error", why.text, "damaged", err == BK_E_CORRUPT);
}

/* == Armies == */

static uint64_t bytes_of_armies(const struct ex_counter *c)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < c->narmies; i++)
        bytes += study_whole_bytes(c->army[i].states);
    return bytes;
}

/* Throws out the army asked about least recently of those that may go; false: none may. */
static bool throw_one_out(struct ex_counter *c)
{
    double wanted_since = bk_now_seconds() - c->limits.patience;
    struct army *oldest = NULL;

    for (size_t i = 0; i < c->narmies; i++)
        if ((c->army[i].told || c->army[i].asked < wanted_since) &&
            (!oldest || c->army[i].asked < oldest->asked))
            oldest = &c->army[i];
    if (!oldest)
        return false;
    study_whole_free(oldest->states);
    *oldest = c->army[--c->narmies];
    return true;
}

/* Waits until one more army may be solved within the memory of all.  False: given up. */
static bool make_room(struct ex_counter *c)
{
    const struct timespec soon = { .tv_nsec = 50000000 };

    for (;;) {
        bool room, thrown = true;

        pthread_mutex_lock(&c->asking);
        while (!(room = c->narmies < EX_ARMIES_MAX &&
                        bytes_of_armies(c) <= c->limits.armies_memory - c->limits.army_memory) &&
               thrown)
            thrown = throw_one_out(c);
        pthread_mutex_unlock(&c->asking);
        if (room || c->give_up)
            return room;
        nanosleep(&soon, NULL); /* till its client, who asks each second or so, is told of one */
    }
}

/* Solves the job's army.  NULL: it is there, or was given up; else why not. */
static json_t *solve(struct ex_counter *c, const struct job *j)
{
    struct study_whole *solved = NULL;
    struct bk_report why = { "" };
    enum bk_err err;

    if (!make_room(c))
        return NULL;
    err = study_whole_new(&solved, j->game->v, &j->army, c->pool, c->limits.army_memory,
                          &c->give_up, &why);
    if (err)
        return json_pack("{ss}", "error", why.text);
    pthread_mutex_lock(&c->asking);
    c->army[c->narmies++] = (struct army){ .states = solved, .asked = bk_now_seconds() };
    pthread_mutex_unlock(&c->asking);
    return NULL;
}

/* == Jobs == */

#define KEY_MAX (BK_MATERIAL_NAME_MAX + 16)

static void key_of(char key[KEY_MAX], const struct job *j)
{
    char name[BK_MATERIAL_NAME_MAX];

    if (j->what == SOLVE) {
        for (unsigned i = 0; i < j->army.n; i++)
            name[i] = bk_man_letter(j->game->v, j->army.man[i]);
        snprintf(key, KEY_MAX, "army %.*s", (int)j->army.n, name);
        return;
    }
    snprintf(key, KEY_MAX, "%s %s", j->what == COUNT ? "count" : "examples",
             bk_material_name(&j->m, j->game->v, name));
}

static bool same_job(const struct job *one, const struct job *other)
{
    if (one->game != other->game || one->what != other->what)
        return false;
    if (one->what != SOLVE)
        return bk_material_equal(&one->m, &other->m);
    return one->army.n == other->army.n && !memcmp(one->army.man, other->army.man, one->army.n);
}

static bool still_wanted(const struct ex_counter *c, const struct job *job)
{
    return bk_now_seconds() - job->asked <= c->limits.patience;
}

/* Notes that a job is wanted: it waits for its turn, unless it does already, or is under way. */
static void ask_for(struct ex_counter *c, const struct job *job)
{
    struct job *known = !c->give_up && same_job(&c->now, job) ? &c->now : NULL;

    for (size_t i = 0; i < c->nwaiting && !known; i++)
        if (same_job(&c->waiting[i], job))
            known = &c->waiting[i];
    if (!known && c->nwaiting < EX_JOBS_MAX) {
        known = &c->waiting[c->nwaiting++];
        *known = *job;
        pthread_cond_signal(&c->wake);
    }
    if (known)
        known->asked = bk_now_seconds();
}

/* Makes the first job that is still wanted the one under way; false: there is none. */
static bool take_job(struct ex_counter *c)
{
    c->now.game = NULL;
    while (c->nwaiting && !c->now.game) {
        if (still_wanted(c, &c->waiting[0]))
            c->now = c->waiting[0];
        memmove(&c->waiting[0], &c->waiting[1], --c->nwaiting * sizeof *c->waiting);
    }
    c->give_up = c->end;
    return c->now.game;
}

/* Does a job, without the lock: who asks for it meanwhile changes c->now. */
static void do_job(struct ex_counter *c, const struct job *job)
{
    struct ex_kept *sums = &job->game->sums;
    char key[KEY_MAX];
    uint64_t state = ex_kept_state_now(sums);
    json_t *found = job->what == SOLVE ? solve(c, job) : look_through(c, job);

    key_of(key, job);
    if (!c->give_up && state == ex_kept_state_now(sums)) /* the tables have not changed */
        ex_kept_add(sums, key, found);
    ex_json_end(found);
}

static void *work(void *context)
{
    struct ex_counter *c = context;

    pthread_mutex_lock(&c->lock);
    while (!c->end) {
        struct job job;

        if (!take_job(c)) {
            pthread_cond_wait(&c->wake, &c->lock);
            continue;
        }
        job = c->now;
        pthread_mutex_unlock(&c->lock);
        do_job(c, &job);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* Gives up the job under way when nobody wants it any more. */
static void *watch(void *context)
{
    struct ex_counter *c = context;

    pthread_mutex_lock(&c->lock);
    while (!c->end) {
        if (c->now.game && !still_wanted(c, &c->now))
            c->give_up = 1;
        ex_tick_wait(&c->tick, &c->lock, 250);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* == Asking == */

/* The result of a job that is done, owned; NULL: it will be, *counting. */
static json_t *result_of(struct ex_counter *c, const struct job *job, bool *counting)
{
    char key[KEY_MAX];
    json_t *found;

    key_of(key, job);
    found = ex_kept_find(&job->game->sums, key);
    *counting = !found;
    if (found)
        return found;
    pthread_mutex_lock(&c->lock);
    ask_for(c, job);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* If an army knows the position, returns true with their lock held, until end_army(). */
static bool begin_army(void *context, struct ex_game *game, const struct bk_hands_pos *p,
                       bool *counting)
{
    struct ex_counter *c = context;
    const struct job job = { .game = game, .what = SOLVE, .army = *p };

    pthread_mutex_lock(&c->asking);
    for (size_t i = 0; i < c->narmies; i++)
        if (study_whole_knows(c->army[i].states, game->v, p)) {
            c->told = &c->army[i];
            c->told->told = true;
            c->told->asked = bk_now_seconds();
            return true;
        }
    pthread_mutex_unlock(&c->asking);
    json_decref(result_of(c, &job, counting)); /* why it cannot be solved */
    return false;
}

static bool army_value(void *context, const struct bk_hands_pos *p, int *wdl, int *plies)
{
    return study_whole_value(((struct ex_counter *)context)->told->states, p, wdl, plies);
}

static void end_army(void *context)
{
    pthread_mutex_unlock(&((struct ex_counter *)context)->asking);
}

const struct ex_armies *ex_counter_armies(struct ex_counter *c) { return &c->armies; }

/* Ends the thread that works, and tells the watcher of the end. */
static void end_work(struct ex_counter *c)
{
    pthread_mutex_lock(&c->lock);
    c->end = true;
    c->give_up = 1;
    pthread_cond_signal(&c->wake);
    pthread_cond_signal(&c->tick);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->thread, NULL);
}

struct ex_counter *ex_counter_new(struct bk_pool *pool, const char *dirs,
                                  const struct ex_limits *limits)
{
    static const struct ex_limits usual = { EX_PATIENCE, EX_ARMY_MEMORY, EX_ARMIES_MEMORY };
    struct ex_counter *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->pool = pool;
    c->dirs = dirs;
    c->limits = limits ? *limits : usual;
    c->armies = (struct ex_armies){ begin_army, army_value, end_army, c };
    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_init(&c->asking, NULL);
    pthread_cond_init(&c->wake, NULL);
    ex_tick_init(&c->tick);
    if (!bk_thread_new(&c->thread, BK_THREAD_STACK, work, c)) {
        free(c);
        return NULL;
    }
    if (bk_thread_new(&c->watcher, BK_THREAD_STACK, watch, c))
        return c;
    end_work(c);
    free(c);
    return NULL;
}

void ex_counter_free(struct ex_counter *c)
{
    if (!c)
        return;
    end_work(c);
    pthread_join(c->watcher, NULL);
    for (size_t i = 0; i < c->narmies; i++)
        study_whole_free(c->army[i].states);
    pthread_mutex_destroy(&c->asking);
    pthread_cond_destroy(&c->wake);
    pthread_cond_destroy(&c->tick);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

bool ex_counter_busy(struct ex_counter *c)
{
    bool busy;

    pthread_mutex_lock(&c->lock);
    busy = c->now.game || c->nwaiting;
    pthread_mutex_unlock(&c->lock);
    return busy;
}

json_t *ex_counted(struct ex_counter *c, struct ex_game *game, const struct bk_material *m,
                   bool *counting)
{
    const struct job job = { .game = game, .what = COUNT, .m = *m };

    *counting = false;
    return c ? result_of(c, &job, counting) : NULL;
}

json_t *ex_counted_examples(struct ex_counter *c, struct ex_game *game, const struct bk_material *m,
                            bool *counting)
{
    const struct job job = { .game = game, .what = EXAMPLES, .m = *m };

    *counting = false;
    return c ? result_of(c, &job, counting) : NULL;
}
