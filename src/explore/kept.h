/*
 * kept.h - costly answers, kept as text while the tables stay the same.
 *
 * A state of the tables is a number; when it changes, all answers are forgotten.  Threads: any
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

/* Sets the state of the tables.  True: it has changed, and all answers were forgotten. */
bool ex_kept_state(struct ex_kept *k, uint64_t state);
/* Returns the state that was set last. */
uint64_t ex_kept_state_now(struct ex_kept *k);
/* Returns the answer kept under `key`, owned; NULL: there is none. */
json_t *ex_kept_find(struct ex_kept *k, const char *key);
/* Keeps `answer` under `key`, but not NULL, or one not whole (ex_json_lacks()), or without
   memory. */
void ex_kept_add(struct ex_kept *k, const char *key, const json_t *answer);

#endif
