/*
 * host.c - see host.h.  A list that is sorted when it is taken; names stay as long as the list.
 */
#include "table/host.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"

struct bk_needs {
    pthread_mutex_t lock;
    struct bk_need *list;
    size_t n, room;
    char **path; /* owned; each name once */
    size_t npaths, paths_room;
};

enum bk_err bk_needs_new(struct bk_needs **out, struct bk_report *why)
{
    struct bk_needs *n = calloc(1, sizeof *n);

    if (!n || pthread_mutex_init(&n->lock, NULL)) {
        free(n);
        return bk_no_memory(why);
    }
    *out = n;
    return BK_OK;
}

void bk_needs_free(struct bk_needs *n)
{
    if (!n)
        return;
    for (size_t i = 0; i < n->npaths; i++)
        free(n->path[i]);
    free(n->path);
    free(n->list);
    pthread_mutex_destroy(&n->lock);
    free(n);
}

/* With the lock: the one copy of a name; NULL: no memory. */
static const char *name_of(struct bk_needs *n, const char *path)
{
    for (size_t i = n->npaths; i--;)
        if (!strcmp(n->path[i], path))
            return n->path[i];
    if (!BK_ARRAY_ROOM(n->path, n->paths_room, n->npaths + 1) ||
        !(n->path[n->npaths] = strdup(path)))
        return NULL;
    return n->path[n->npaths++];
}

static uint64_t end_of(const struct bk_need *need) { return need->at + need->bytes; }

static bool is_noted(const struct bk_needs *n, const struct bk_need *need)
{
    for (size_t i = n->n; i--;)
        if (n->list[i].path == need->path && n->list[i].at <= need->at &&
            end_of(&n->list[i]) >= end_of(need))
            return true;
    return false;
}

/* If `need` goes on where the last one ends, lengthens that and returns true.  The shards of a file
   that is read ahead do: kept apart, all would be searched for each. */
static bool lengthens_last(const struct bk_needs *n, const struct bk_need *need)
{
    struct bk_need *last = n->n ? &n->list[n->n - 1] : NULL;
    bool goes_on = last && last->path == need->path && end_of(last) == need->at;

    if (goes_on)
        last->bytes += need->bytes;
    return goes_on;
}

enum bk_err bk_needs_note(struct bk_needs *n, const char *path, uint64_t at, uint64_t bytes,
                          struct bk_report *why)
{
    struct bk_need need = { .at = at, .bytes = bytes };
    bool noted = false;

    pthread_mutex_lock(&n->lock);
    need.path = name_of(n, path);
    if (need.path)
        noted = is_noted(n, &need) || lengthens_last(n, &need);
    if (need.path && !noted && BK_ARRAY_ROOM(n->list, n->room, n->n + 1)) {
        n->list[n->n++] = need;
        noted = true;
    }
    pthread_mutex_unlock(&n->lock);
    if (!noted)
        return bk_no_memory(why);
    return bk_fail(why, BK_E_NEEDS_BYTES, "%s: needs %llu bytes at %llu", path,
                   (unsigned long long)bytes, (unsigned long long)at);
}

static int by_place(const void *a, const void *b)
{
    const struct bk_need *x = a, *y = b;
    int names = x->path == y->path ? 0 : strcmp(x->path, y->path);

    return names ? names : (x->at > y->at) - (x->at < y->at);
}

/* Joins needs of a sorted list that touch.  Returns how many are left. */
static size_t join(struct bk_need *list, size_t n)
{
    size_t left = 0;

    for (size_t i = 0; i < n; i++) {
        struct bk_need *last = left ? &list[left - 1] : NULL;
        uint64_t end = end_of(&list[i]);

        if (!last || last->path != list[i].path || list[i].at > end_of(last))
            list[left++] = list[i];
        else if (end > end_of(last))
            last->bytes = end - last->at;
    }
    return left;
}

size_t bk_needs_take(struct bk_needs *n, struct bk_need *out, size_t room)
{
    size_t found, taken;

    pthread_mutex_lock(&n->lock);
    if (n->n > 1)
        qsort(n->list, n->n, sizeof *n->list, by_place);
    found = n->n = join(n->list, n->n);
    taken = found < room ? found : room;
    if (taken)
        memcpy(out, n->list, taken * sizeof *out);
    if (n->n)
        memmove(n->list, n->list + taken, (found - taken) * sizeof *n->list);
    n->n -= taken;
    pthread_mutex_unlock(&n->lock);
    return found;
}
