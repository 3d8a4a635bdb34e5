/*
 * yard.c - see yard.h.
 */
#include "tb/memory/yard.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

/* Pages that are kept begin with this. */
struct piece {
    size_t bytes;
    struct piece *next;
};

static struct {
    pthread_mutex_t lock;
    struct piece *first; /* by address */
    size_t kept, in_use; /* bytes */
    size_t partly;       /* of pages that may not all be there: beside in_use */
    size_t most;         /* that were ever in use */
    int limits;
} yard = { .lock = PTHREAD_MUTEX_INITIALIZER };

static char *end_of(struct piece *p) { return (char *)p + p->bytes; }

/* Those that follow p directly become part of it. */
static void join_next(struct piece *p)
{
    while (p->next && end_of(p) == (char *)p->next) {
        p->bytes += p->next->bytes;
        p->next = p->next->next;
    }
}

static void put_kept(struct piece *p, size_t bytes)
{
    struct piece **link = &yard.first, *before = NULL;

    for (; *link && *link < p; link = &before->next)
        before = *link;
    *p = (struct piece){ bytes, *link };
    *link = p;
    yard.kept += bytes;
    join_next(p);
    if (before)
        join_next(before);
}

/* Of the smallest piece that has so many bytes, so many; or NULL. */
static void *take_kept(size_t bytes)
{
    struct piece **best = NULL, *p, *rest;

    for (struct piece **link = &yard.first; *link; link = &(*link)->next)
        if ((*link)->bytes >= bytes && (!best || (*link)->bytes < (*best)->bytes))
            best = link;
    if (!best)
        return NULL;
    p = *best;
    *best = p->next;
    yard.kept -= bytes;
    if (p->bytes > bytes) {
        rest = (struct piece *)(void *)((char *)p + bytes);
        *rest = (struct piece){ p->bytes - bytes, p->next };
        *best = rest;
    }
    return p;
}

/* Of what is kept, no more than `most` bytes stay. */
static void let_go(size_t most)
{
    while (yard.kept > most) {
        struct piece *p = yard.first;
        size_t over = yard.kept - most;

        if (over < p->bytes) {
            p->bytes -= over;
            munmap(end_of(p), over);
        } else {
            over = p->bytes;
            yard.first = p->next;
            munmap(p, over);
        }
        yard.kept -= over;
    }
}

/* Room for so many bytes more: of what is kept goes what would be too much beside them. */
static void let_go_for(size_t bytes)
{
    size_t used = yard.in_use + yard.partly + bytes;

    let_go(used < yard.most ? yard.most - used : 0);
}

/* From the machine, zero; NULL: it has none, though nothing is kept any more. */
static void *map_new(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED) {
        let_go(0);
        p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    if (p == MAP_FAILED)
        return NULL;
    madvise(p, bytes, MADV_HUGEPAGE); /* a wish; where it is not heard nothing is lost */
    return p;
}

void *bk_yard_take(size_t bytes, bool *partly)
{
    bool zeroed = !*partly;
    void *p, *kept;

    pthread_mutex_lock(&yard.lock);
    p = kept = take_kept(bytes);
    *partly = *partly && !kept;
    if (!*partly && yard.in_use + bytes > yard.most)
        yard.most = yard.in_use + bytes;
    let_go_for(bytes);
    if (!p)
        p = map_new(bytes);
    *(*partly ? &yard.partly : &yard.in_use) += p ? bytes : 0;
    pthread_mutex_unlock(&yard.lock);
    if (kept && zeroed)
        memset(kept, 0, bytes);
    return p;
}

void bk_yard_give(void *pages, size_t bytes, bool partly)
{
    bool keeps;

    pthread_mutex_lock(&yard.lock);
    keeps = !partly && !yard.limits;
    *(partly ? &yard.partly : &yard.in_use) -= bytes;
    if (keeps)
        put_kept(pages, bytes);
    pthread_mutex_unlock(&yard.lock);
    if (!keeps)
        munmap(pages, bytes);
}

void bk_yard_limit(int more)
{
    pthread_mutex_lock(&yard.lock);
    yard.limits += more;
    if (yard.limits)
        let_go(0);
    pthread_mutex_unlock(&yard.lock);
}
