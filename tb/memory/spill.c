/*
 * spill.c - see spill.h.  In front of every array stand 64 bytes that say how
 * it was made.
 */
#include "tb/memory/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "core/array.h"
#include "table/write.h"

#define FRONT  64          /* keeps the array's alignment */
#define MAPPED (64u << 10) /* from this size on arrays are mapped: they leave no gaps */

struct front {
    size_t bytes; /* with the front */
    bool mapped;
    bool brief;      /* in memory, though it has a spill */
    uint32_t before; /* bytes of the mapping that come before the front, and are among `bytes` */
    struct bk_spill *st;
    uint64_t at;         /* in the file */
    struct front *next;  /* of the spill's */
    struct front **link; /* what points here */
};
_Static_assert(sizeof(struct front) <= FRONT, "the front keeps the alignment");

/*
 * The machine may keep the file in pieces of two MiB and map one whole at a
 * touch.  Where the limit is so small that this counts, it is asked not to; that
 * costs reading ahead.
 */
#define SMALL_LIMIT (UINT64_C(512) << 20)

struct bk_spill {
    bool page_by_page;
    int fd, statm; /* the file; /proc/self/statm */
    uint64_t end;
    uint64_t limit;      /* resident bytes at which pages go */
    uint64_t brief;      /* bytes of arrays that are in memory */
    struct front *first; /* of those that are in the file */
    pthread_mutex_t lock;
    int refused; /* what the disk said when it had no more room, or 0 */
    char *dir;
};

/* == The arena == */

/* A dry array's address: the highest bit, then whether it has a spill, then its bytes. */
#define DRY     (UINT64_C(1) << 63)
#define SPILLED (UINT64_C(1) << 62)

static _Thread_local struct bk_arena *dry; /* NULL: arrays are real */
static struct bk_spill dry_spill = { .limit = UINT64_MAX };
static _Atomic uint64_t live, peak; /* of real arrays */

static void raise_peak(uint64_t now)
{
    uint64_t seen = peak;

    while (seen < now && !atomic_compare_exchange_weak(&peak, &seen, now))
        ;
}

/* Is it large, and the allocator's?  The page cache counts these as live, mapped ones anyway. */
static bool is_other(const struct front *p) { return !p->mapped && p->bytes >= MAPPED; }

/* Counts a real array that comes, and returns it. */
static void *counted(struct front *p)
{
    if (!p)
        return NULL;
    if (is_other(p))
        bk_stock_other_comes(p->bytes);
    raise_peak(atomic_fetch_add(&live, p->bytes) + p->bytes);
    return (char *)p + FRONT;
}

/* The same of an array that goes. */
static void uncount(const struct front *p)
{
    if (is_other(p))
        bk_stock_other_goes(p->bytes);
    if (!p->before)
        atomic_fetch_sub(&live, p->bytes);
}

struct bk_arena bk_arena(void) { return (struct bk_arena){ .live = live, .peak = peak }; }

void bk_arena_again(void) { peak = live; }

void bk_arena_dry(struct bk_arena *a) { dry = a; }

bool bk_arena_is_dry(void) { return dry; }

struct bk_spill *bk_arena_spill(void) { return &dry_spill; }

void bk_arena_raise(uint64_t bytes, uint64_t fixed)
{
    if (dry->live + bytes > dry->peak)
        dry->peak = dry->live + bytes;
    if (dry->resident + fixed > dry->fixed_peak)
        dry->fixed_peak = dry->resident + fixed;
}

static void *dry_new(uint64_t bytes, bool spilled)
{
    dry->live += bytes;
    dry->resident += spilled ? 0 : bytes;
    bk_arena_raise(0, 0);
    return (void *)(uintptr_t)(DRY | (spilled ? SPILLED : 0) | bytes);
}

static bool is_dry(const void *array) { return (uintptr_t)array & DRY; }

uint64_t bk_arena_bytes(const void *array) { return (uintptr_t)array & ~(DRY | SPILLED); }

static void dry_free(const void *array)
{
    uint64_t bytes = bk_arena_bytes(array);

    dry->live -= bytes;
    dry->resident -= (uintptr_t)array & SPILLED ? 0 : bytes;
}

void *bk_arena_resize(void *array, uint64_t bytes)
{
    if (!array)
        return NULL;
    dry_free(array);
    return dry_new(bytes, (uintptr_t)array & SPILLED);
}

/* == Opening and closing == */

enum bk_err bk_spill_open(struct bk_spill **out, const char *dir, uint64_t limit_bytes,
                          uint64_t room_bytes, struct bk_report *why)
{
    struct bk_spill *st = calloc(1, sizeof *st);

    if (!st)
        return bk_no_memory(why);
    if (mkdir(dir, 0777) && errno != EEXIST)
        errno = 0; /* open() will say */
    st->dir = strdup(dir);
    st->fd = st->dir ? bk_file_nameless(dir) : -1;
    if (st->fd < 0) {
        free(st->dir);
        free(st);
        return bk_fail(why, BK_E_SYSTEM, "%s: %s", dir, strerror(errno));
    }
    st->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    st->page_by_page = limit_bytes < SMALL_LIMIT;
    st->limit = limit_bytes > room_bytes ? limit_bytes - room_bytes : 0;
    pthread_mutex_init(&st->lock, NULL);
    bk_stock_bar(); /* the limit is for what is in use */
    *out = st;
    return BK_OK;
}

void bk_spill_close(struct bk_spill *st)
{
    if (!st)
        return;
    bk_stock_unbar();
    close(st->fd);
    if (st->statm >= 0)
        close(st->statm);
    pthread_mutex_destroy(&st->lock);
    free(st->dir);
    free(st);
}

int bk_spill_file(struct bk_spill *st) { return bk_file_nameless(st->dir); }

void bk_spill_refused(struct bk_spill *st, int error)
{
    if (!st)
        return;
    pthread_mutex_lock(&st->lock);
    st->refused = error;
    pthread_mutex_unlock(&st->lock);
}

/* == Arrays == */

static size_t whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (bytes + page - 1) / page * page;
}

/* fallocate(), but a signal is no reason to give up.  Returns the errno, or 0. */
static int allocate(int fd, int mode, uint64_t at, uint64_t bytes)
{
    int failed;

    do
        failed = fallocate(fd, mode, (off_t)at, (off_t)bytes);
    while (failed && errno == EINTR);
    return failed ? errno : 0;
}

static int lengthen(int fd, uint64_t bytes)
{
    int failed;

    do
        failed = ftruncate(fd, (off_t)bytes);
    while (failed && errno == EINTR);
    return failed ? errno : 0;
}

/* Adds bytes to the file, really there: else touching a page on a full disk ends the process. */
static bool extend(struct bk_spill *st, size_t all)
{
    int error = allocate(st->fd, 0, st->end, all);

    if (error == EOPNOTSUPP)
        error = lengthen(st->fd, st->end + all);
    if (error)
        st->refused = error;
    return !error;
}

/* Maps a piece at the end of the file; holes are given back, their places are not used again. */
static struct front *map_file(struct bk_spill *st, size_t all)
{
    struct front *p;
    uint64_t at;

    pthread_mutex_lock(&st->lock);
    at = st->end;
    p = extend(st, all) ? mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, st->fd, (off_t)at)
                        : MAP_FAILED;
    if (p != MAP_FAILED) {
        if (st->page_by_page)
            madvise(p, all, MADV_RANDOM);
        st->end += all;
        *p = (struct front){
            .bytes = all, .mapped = true, .st = st, .at = at, .next = st->first, .link = &st->first
        };
        if (st->first)
            st->first->link = &p->next;
        st->first = p;
    }
    pthread_mutex_unlock(&st->lock);
    return p == MAP_FAILED ? NULL : p;
}

/* Maps whole pages, beginning with a whole large one if there is one. */
static char *map_aligned(size_t all)
{
    size_t more = all < BK_SPILL_LARGE ? 0 : BK_SPILL_LARGE - whole_pages(1), before;
    char *map = mmap(NULL, all + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (map == MAP_FAILED)
        return NULL;
    before = more ? -(uintptr_t)map & (BK_SPILL_LARGE - 1) : 0;
    if (before)
        munmap(map, before);
    if (more > before)
        munmap(map + before + all, more - before);
    return map + before;
}

static struct front *map_memory(size_t all)
{
    char *map = map_aligned(all);
    struct front *p = (void *)map;

    if (!map)
        return NULL;
    madvise(map, all, MADV_HUGEPAGE); /* a wish; where it is not heard nothing is lost */
    bk_stock_take(map, all);
    *p = (struct front){ .bytes = all, .mapped = true };
    return p;
}

/* Maps a brief array in memory.  NULL: there is no room for it. */
static struct front *map_brief(struct bk_spill *st, size_t all)
{
    struct front *p = NULL;

    pthread_mutex_lock(&st->lock);
    if (all <= st->limit / 4 && st->brief <= st->limit / 4 - all)
        p = map_memory(all);
    if (p) {
        p->st = st;
        p->brief = true;
        st->brief += all;
    }
    pthread_mutex_unlock(&st->lock);
    return p;
}

void *bk_spill_new_sparse(size_t bytes)
{
    size_t page = whole_pages(1), all = whole_pages(bytes) + page + BK_SPILL_LARGE, before;
    char *map;

    if (all < bytes)
        return NULL;
    if (dry)
        return dry_new(bytes, true);
    map =
        mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    bk_stock_bar();                     /* its pages come as they are touched, from the machine */
    madvise(map, all, MADV_NOHUGEPAGE); /* a large page would fill up what is to stay empty */
    before = page + (-((uintptr_t)map + page) & (BK_SPILL_LARGE - 1)) - FRONT;
    *(struct front *)(void *)(map + before) =
        (struct front){ .bytes = all, .mapped = true, .before = (uint32_t)before };
    return map + before + FRONT;
}

void bk_spill_dense(void *part, size_t bytes) { madvise(part, bytes, MADV_HUGEPAGE); }

bool bk_spill_move(void *to, void *from, size_t bytes)
{
#ifdef MREMAP_DONTUNMAP
    const int how = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;

    if (((uintptr_t)to | (uintptr_t)from | bytes) & (whole_pages(1) - 1))
        return false;
    if (mremap(from, bytes, bytes, how, to) == to)
        return true;
    /* before it failed it may have unmapped what was at `to` */
    (void)mmap(to, bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
#else
    (void)to, (void)from, (void)bytes;
#endif
    return false;
}

void bk_spill_forget(void *part, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), before = -(uintptr_t)part & (page - 1);
    size_t whole = bytes > before ? (bytes - before) & ~(page - 1) : 0;

    if (is_dry(part))
        return;
    if (!whole) {
        memset(part, 0, bytes);
        return;
    }
    memset(part, 0, before);
    madvise((char *)part + before, whole, MADV_DONTNEED);
    memset((char *)part + before + whole, 0, bytes - before - whole);
}

void bk_spill_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void bk_spill_explain(struct bk_spill *st, struct bk_report *why)
{
    int refused = 0;

    if (st) {
        pthread_mutex_lock(&st->lock);
        refused = st->refused;
        pthread_mutex_unlock(&st->lock);
    }
    if (refused)
        bk_report_write(why, "scratch in %s: %s", st->dir, strerror(refused));
}

/* Returns the bytes that an array is allocated with, front included; 0: too many. */
static size_t bytes_of(size_t bytes)
{
    size_t all = ((bytes + 63) & ~(size_t)63) + FRONT;

    return all < bytes ? 0 : all;
}

static struct front *from_allocator(size_t all)
{
    struct front *p = aligned_alloc(64, all);

    if (p)
        *p = (struct front){ .bytes = all };
    return p;
}

static void *new_array(struct bk_spill *st, size_t bytes, bool brief)
{
    size_t all = bytes_of(bytes);
    struct front *p;

    if (!all)
        return NULL;
    if (dry)
        return dry_new(all < MAPPED ? all : whole_pages(all), st);
    if (all < MAPPED) {
        p = from_allocator(all);
        return p ? memset(counted(p), 0, all - FRONT) : NULL;
    }
    p = brief && st ? map_brief(st, whole_pages(all)) : NULL;
    if (!p)
        p = st ? map_file(st, whole_pages(all)) : map_memory(whole_pages(all));
    return counted(p);
}

void *bk_spill_new_often(size_t bytes)
{
    size_t all = bytes_of(bytes);

    if (!all)
        return NULL;
    return dry ? dry_new(all, false) : counted(from_allocator(all));
}

void *bk_spill_resize(void *array, size_t bytes)
{
    struct front *old = array ? (struct front *)((char *)array - FRONT) : NULL, *p;
    const struct front was = old ? *old : (struct front){ 0 };
    size_t all = bytes_of(bytes);

    p = all ? realloc(old, all) : NULL;
    if (!p)
        return NULL;
    *p = (struct front){ .bytes = all };
    uncount(&was);
    return counted(p);
}

bool bk_spill_room(void *array, size_t *room, size_t wanted, size_t element_bytes)
{
    size_t more;
    void *old, *moved;

    if (wanted <= *room)
        return true;
    more = bk_array_more(*room, wanted, element_bytes);
    memcpy(&old, array, sizeof old);
    moved = more ? bk_spill_resize(old, more * element_bytes) : NULL;
    if (!moved)
        return false;
    memcpy(array, &moved, sizeof moved);
    *room = more;
    return true;
}

void *bk_spill_new(struct bk_spill *st, size_t bytes) { return new_array(st, bytes, false); }

void *bk_spill_new_brief(struct bk_spill *st, size_t bytes) { return new_array(st, bytes, true); }

static void unmap_brief(struct front *p)
{
    struct bk_spill *st = p->st;

    pthread_mutex_lock(&st->lock);
    st->brief -= p->bytes;
    pthread_mutex_unlock(&st->lock);
    bk_stock_put(p, p->bytes);
}

static void unmap_file(struct front *p)
{
    struct bk_spill *st = p->st;
    uint64_t at = p->at;
    size_t bytes = p->bytes;

    pthread_mutex_lock(&st->lock);
    *p->link = p->next;
    if (p->next)
        p->next->link = p->link;
    pthread_mutex_unlock(&st->lock);
    munmap(p, bytes);
    allocate(st->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, bytes);
}

static void unmap_sparse(struct front *p)
{
    munmap((char *)p - p->before, p->bytes);
    bk_stock_unbar();
}

void bk_spill_free(void *array)
{
    struct front *p;

    if (!array)
        return;
    if (is_dry(array)) {
        dry_free(array);
        return;
    }
    p = (struct front *)((char *)array - FRONT);
    uncount(p);
    if (p->brief)
        unmap_brief(p);
    else if (p->st)
        unmap_file(p);
    else if (p->before)
        unmap_sparse(p);
    else if (p->mapped)
        bk_stock_put(p, p->bytes);
    else
        free(p);
}

int bk_write_at(int fd, const void *from, size_t bytes, uint64_t at)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t put = pwrite(fd, (const char *)from + done, bytes - done, (off_t)(at + done));

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put ? errno : ENOSPC;
        done += (size_t)put;
    }
    return 0;
}

bool bk_spill_put(void *array, size_t at, const void *from, size_t bytes)
{
    const struct front *p = (struct front *)((char *)array - FRONT);
    int error;

    if (!p->st || p->brief) {
        memcpy((char *)array + at, from, bytes);
        return true;
    }
    error = bk_write_at(p->st->fd, from, bytes, p->at + FRONT + at);
    if (error)
        bk_spill_refused(p->st, error);
    return !error;
}

/* == Staying within the limit == */

uint64_t bk_spill_limit(const struct bk_spill *st) { return st->limit; }

/*
 * All pages go, not only the oldest: which are needed next the machine's page
 * cache knows best, and bringing one back from there costs some 3 us.
 */
void bk_spill_ease(struct bk_spill *st)
{
    if (!st) {
        bk_stock_ease();
        return;
    }
    if (bk_resident_bytes(st->statm) <= st->limit)
        return;
    pthread_mutex_lock(&st->lock);
    if (bk_resident_bytes(st->statm) > st->limit)
        for (struct front *p = st->first, *next; p; p = next) {
            next = p->next;
            madvise(p, p->bytes, MADV_DONTNEED);
        }
    pthread_mutex_unlock(&st->lock);
}
