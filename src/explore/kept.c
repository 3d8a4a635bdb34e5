/*
 * kept.c - see kept.h.
 *
 * Answers are text, not jansson's trees, whose reference counts are not for several threads.
 */
#include "explore/kept.h"

#include <stdlib.h>
#include <string.h>

#include "explore/json.h"

struct ex_kept_answer {
    struct ex_kept_answer *next;
    char *key, *text; /* owned */
};

static void forget(struct ex_kept *k)
{
    while (k->first) {
        struct ex_kept_answer *a = k->first;

        k->first = a->next;
        free(a->key);
        free(a->text);
        free(a);
    }
}

void ex_kept_init(struct ex_kept *k)
{
    *k = (struct ex_kept){ 0 };
    pthread_mutex_init(&k->lock, NULL);
}

void ex_kept_release(struct ex_kept *k)
{
    forget(k);
    pthread_mutex_destroy(&k->lock);
}

bool ex_kept_state(struct ex_kept *k, uint64_t state)
{
    bool changed;

    pthread_mutex_lock(&k->lock);
    changed = k->state != state;
    if (changed)
        forget(k);
    k->state = state;
    pthread_mutex_unlock(&k->lock);
    return changed;
}

uint64_t ex_kept_state_now(struct ex_kept *k)
{
    uint64_t state;

    pthread_mutex_lock(&k->lock);
    state = k->state;
    pthread_mutex_unlock(&k->lock);
    return state;
}

json_t *ex_kept_find(struct ex_kept *k, const char *key)
{
    json_t *answer = NULL;

    pthread_mutex_lock(&k->lock);
    for (const struct ex_kept_answer *a = k->first; a && !answer; a = a->next)
        if (!strcmp(a->key, key))
            answer = json_loads(a->text, 0, NULL);
    pthread_mutex_unlock(&k->lock);
    return answer;
}

void ex_kept_add(struct ex_kept *k, const char *key, const json_t *answer)
{
    struct ex_kept_answer *a = answer && !ex_json_lacks() ? calloc(1, sizeof *a) : NULL;

    if (!a)
        return;
    a->key = strdup(key);
    a->text = json_dumps(answer, JSON_COMPACT | JSON_PRESERVE_ORDER);
    if (!a->key || !a->text) {
        free(a->key);
        free(a->text);
        free(a);
        return;
    }
    pthread_mutex_lock(&k->lock);
    a->next = k->first;
    k->first = a;
    pthread_mutex_unlock(&k->lock);
}
