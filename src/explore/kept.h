/*
 * kept.h - answers that cost more than a look, kept as text while they hold.
 *
 * They hold for a state of the tables, which is a number; of another state all are forgotten.
 * Threads: any number.  Memory: an answer for each table that was asked about.
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

/* The tables are in this state.  True: in another than before, and nothing is kept any more. */
bool ex_kept_state(struct ex_kept *k, uint64_t state);
/* The state that is known now. */
uint64_t ex_kept_state_now(struct ex_kept *k);
/* Owned; NULL: there is none. */
json_t *ex_kept_find(struct ex_kept *k, const char *key);
/* NULL is passed over; where there is no memory nothing is kept. */
void ex_kept_add(struct ex_kept *k, const char *key, const json_t *answer);

#endif
