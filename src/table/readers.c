/*
 * readers.c - see readers.h.
 *
 * Open readers stand in a list, the last used first.  A reader that is being read is in use and is
 * not closed; so if all are, one more is opened than the limit.
 */
#include "table/readers.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"

/* == Needs == */

/* A list of needs, sorted when it is taken.  Names stay as long as the list. */

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

/* == Sets of readers == */

#define FILES_MIN 4
#define FILES_MAX 4096 /* more make no table faster */

struct bk_reader {
    struct bk_readers *all;
    const char *path;
    struct stat first; /* as it was found */
    uint64_t bytes;
    int fd; /* -1: closed */
    unsigned users;
    struct bk_reader *newer, *older; /* in the list of open readers */
};

struct bk_readers {
    pthread_mutex_t lock;
    unsigned limit, open;
    struct bk_reader *newest, *oldest;
    struct bk_hosted host;
    struct bk_needs *needs; /* of the host; NULL: there is none */
};

static unsigned files_fit(void)
{
    long may = sysconf(_SC_OPEN_MAX), files = may < 0 ? 512 : may / 2;

    if (files > FILES_MAX)
        files = FILES_MAX;
    return files < FILES_MIN ? FILES_MIN : (unsigned)files;
}

enum bk_err bk_readers_new(struct bk_readers **out, unsigned files, struct bk_report *why)
{
    struct bk_readers *r = calloc(1, sizeof *r);

    if (!r || pthread_mutex_init(&r->lock, NULL)) {
        free(r);
        return bk_no_memory(why);
    }
    r->limit = files ? files : files_fit();
    *out = r;
    return BK_OK;
}

void bk_readers_free(struct bk_readers *r)
{
    if (!r)
        return;
    bk_needs_free(r->needs);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

/* == A host == */

enum bk_err bk_readers_set_host(struct bk_readers *r, const struct bk_hosted *host,
                                struct bk_report *why)
{
    r->host = *host;
    return bk_needs_new(&r->needs, why);
}

bool bk_readers_hosted(const struct bk_readers *r) { return r->needs != NULL; }
bool bk_reader_hosted(const struct bk_reader *f) { return bk_readers_hosted(f->all); }

size_t bk_readers_take(struct bk_readers *r, struct bk_need *out, size_t room)
{
    return r->needs ? bk_needs_take(r->needs, out, room) : 0;
}

static enum bk_err host_fails(const char *path, struct bk_report *why)
{
    return bk_fail(why, BK_E_SYSTEM, "%s: its host cannot read it", path);
}

static enum bk_err host_size(struct bk_readers *r, const char *path, uint64_t *bytes,
                             struct bk_report *why)
{
    int64_t size = r->host.size(r->host.context, path);

    if (size == BK_HOST_NONE)
        return bk_fail(why, BK_E_NO_TABLE, "%s: no such file", path);
    if (size == BK_HOST_LATER)
        return bk_needs_note(r->needs, path, 0, BK_READER_FIRST, why);
    if (size < 0)
        return host_fails(path, why);
    *bytes = (uint64_t)size;
    return BK_OK;
}

static enum bk_err host_read(struct bk_reader *f, void *to, size_t bytes, uint64_t at,
                             uint64_t ahead, struct bk_report *why)
{
    const struct bk_hosted *h = &f->all->host;
    uint64_t left = f->bytes - at;

    if (at > f->bytes || bytes > left)
        return bk_fail(why, BK_E_CORRUPT, "%s: damaged: cut short", f->path);
    switch ((h->read)(h->context, f->path, at, to, bytes)) { /* read() is a macro on Windows */
    case BK_HOST_OK: return BK_OK;
    case BK_HOST_LATER:
        return bk_needs_note(f->all->needs, f->path, at, ahead < left ? ahead : left, why);
    default: return host_fails(f->path, why);
    }
}

/* == The list of those that are open: with the lock == */

static void list_out(struct bk_reader *f)
{
    struct bk_readers *r = f->all;

    *(f->newer ? &f->newer->older : &r->newest) = f->older;
    *(f->older ? &f->older->newer : &r->oldest) = f->newer;
}

static void list_first(struct bk_reader *f)
{
    struct bk_readers *r = f->all;

    f->newer = NULL;
    f->older = r->newest;
    *(r->newest ? &r->newest->newer : &r->oldest) = f;
    r->newest = f;
}

static void shut(struct bk_reader *f)
{
    list_out(f);
    close(f->fd);
    f->fd = -1;
    f->all->open--;
}

/* Closes the open reader that was used longest ago; false: all are in use. */
static bool shut_one(struct bk_readers *r)
{
    struct bk_reader *f = r->oldest;

    while (f && f->users)
        f = f->newer;
    if (f)
        shut(f);
    return f != NULL;
}

/* == Opening == */

static enum bk_err fail(const struct bk_reader *f, int error, struct bk_report *why)
{
    return bk_fail(why, bk_not_there(error) ? BK_E_NO_TABLE : BK_E_SYSTEM, "%s: %s", f->path,
                   strerror(error));
}

/* With the lock.  Where the process has no descriptor left, one of ours makes room. */
static enum bk_err open_now(struct bk_reader *f, struct bk_report *why)
{
    struct bk_readers *r = f->all;

    while (r->open >= r->limit && shut_one(r))
        ;
    do
        f->fd = open(f->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    while (f->fd < 0 && (errno == EINTR || ((errno == EMFILE || errno == ENFILE) && shut_one(r))));
    if (f->fd < 0)
        return fail(f, errno, why);
    r->open++;
    list_first(f);
    return BK_OK;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtime == b->st_mtime;
}

/* With the lock. */
static enum bk_err open_again(struct bk_reader *f, struct bk_report *why)
{
    struct stat now;
    enum bk_err err = open_now(f, why);

    if (err == BK_E_NO_TABLE)
        return bk_fail(why, BK_E_SYSTEM, "%s: has gone since it was opened", f->path);
    if (err)
        return err;
    if (!fstat(f->fd, &now) && same_file(&now, &f->first))
        return BK_OK;
    shut(f);
    return bk_fail(why, BK_E_SYSTEM, "%s: has changed since it was opened", f->path);
}

/* With the lock. */
static enum bk_err first_look(struct bk_reader *f, struct bk_report *why)
{
    enum bk_err err = open_now(f, why);

    if (err)
        return err;
    if (fstat(f->fd, &f->first))
        err = fail(f, errno, why);
    else if (!S_ISREG(f->first.st_mode))
        err = bk_fail(why, BK_E_CORRUPT, "%s: not a regular file", f->path);
    else
        f->bytes = (uint64_t)f->first.st_size;
    if (err)
        shut(f);
    return err;
}

enum bk_err bk_reader_new(struct bk_reader **out, struct bk_readers *r, const char *path,
                          struct bk_report *why)
{
    struct bk_reader *f = calloc(1, sizeof *f);
    enum bk_err err;

    if (!f)
        return bk_no_memory(why);
    *f = (struct bk_reader){ .all = r, .path = path, .fd = -1 };
    if (r->needs) {
        err = host_size(r, path, &f->bytes, why);
    } else {
        pthread_mutex_lock(&r->lock);
        err = first_look(f, why);
        pthread_mutex_unlock(&r->lock);
    }
    if (err)
        free(f);
    else
        *out = f;
    return err;
}

void bk_reader_free(struct bk_reader *f)
{
    if (!f)
        return;
    pthread_mutex_lock(&f->all->lock);
    if (f->fd >= 0)
        shut(f);
    pthread_mutex_unlock(&f->all->lock);
    free(f);
}

uint64_t bk_reader_bytes(const struct bk_reader *f) { return f->bytes; }

enum bk_err bk_reader_look(struct bk_readers *r, const char *path, struct bk_report *why)
{
    uint64_t bytes;

    if (r->needs)
        return host_size(r, path, &bytes, why);
    if (!access(path, F_OK))
        return BK_OK;
    return bk_fail(why, BK_E_NO_TABLE, "%s: %s", path, strerror(errno));
}

/* == Reading == */

static enum bk_err use(struct bk_reader *f, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    pthread_mutex_lock(&f->all->lock);
    if (f->fd < 0) {
        err = open_again(f, why);
    } else if (f->newer) {
        list_out(f);
        list_first(f);
    }
    f->users += !err;
    pthread_mutex_unlock(&f->all->lock);
    return err;
}

static void used(struct bk_reader *f)
{
    pthread_mutex_lock(&f->all->lock);
    f->users--;
    if (!f->users && f->all->open > f->all->limit)
        shut(f);
    pthread_mutex_unlock(&f->all->lock);
}

static enum bk_err read_all(const struct bk_reader *f, char *to, size_t bytes, uint64_t at,
                            struct bk_report *why)
{
    while (bytes) {
        ssize_t got = pread(f->fd, to, bytes, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return bk_fail(why, BK_E_SYSTEM, "%s: %s", f->path, strerror(errno));
        if (got == 0)
            return bk_fail(why, BK_E_CORRUPT, "%s: damaged: cut short", f->path);
        to += got;
        at += (uint64_t)got;
        bytes -= (size_t)got;
    }
    return BK_OK;
}

enum bk_err bk_reader_read_ahead(struct bk_reader *f, void *to, size_t bytes, uint64_t at,
                                 uint64_t ahead, struct bk_report *why)
{
    enum bk_err err;

    if (f->all->needs)
        return host_read(f, to, bytes, at, ahead, why);
    if ((err = use(f, why)) != BK_OK)
        return err;
    err = read_all(f, to, bytes, at, why);
    used(f);
    return err;
}

enum bk_err bk_reader_read(struct bk_reader *f, void *to, size_t bytes, uint64_t at,
                           struct bk_report *why)
{
    return bk_reader_read_ahead(f, to, bytes, at, bytes, why);
}
