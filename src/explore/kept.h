/*
 * kept.h - a cache of costly answers, as text, emptied when the tables change.
 *
 * The state of the tables is a number; when it changes, all answers are dropped.  Threads: any
 * number.  Memory: an answer for each table that was asked about.
 */
#ifndef BK_EXPLORE_KEPT_H
#define BK_EXPLORE_KEPT_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct ex_kept_answer;

struct ex_kept {
    pthread_mutex_t lock;
    struct ex_kept_answer *first; /* owned */
    uint64_t state;
};

void ex_kept_init(struct ex_kept *k);
void ex_kept_release(struct ex_kept *k);

/* Sets the state of the tables.  True: it has changed, and all answers were dropped. */
bool ex_kept_state(struct ex_kept *k, uint64_t state);
/* Returns the state that was set last. */
uint64_t ex_kept_state_now(struct ex_kept *k);
/* Returns the answer kept under `key`, owned; NULL: there is none. */
json_t *ex_kept_find(struct ex_kept *k, const char *key);
/* Keeps a copy of `answer` under `key`.  Does nothing if it is NULL or incomplete
   (ex_json_lacks()), or if there is no memory. */
void ex_kept_add(struct ex_kept *k, const char *key, const json_t *answer);

#endif
