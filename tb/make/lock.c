/*
 * lock.c - see lock.h.
 *
 * Locks: flock() on a file with a name known to all.  It goes with the process, so there are no
 * dead locks to recognise; but the file is removed when the table is made, so a lock counts only if
 * the locked file still has the name:
 *
 *   A opens, locks            B opens, waits
 *   A removes, unlocks        B locks a file without a name: it opens anew
 *
 * A file system without flock() has the other way: to be the one who makes the file is to hold the
 * lock.  Its line "HOST PID START" tells whether its maker still lives; START, when the process
 * began, tells it from a later one of that number.  A file that is still empty was left, or is
 * being written, by an unknown process: it holds.
 *
 * Rejected: fcntl() locks, which go when any descriptor of the file is closed and do not keep
 * threads apart.  Rejected: times of files as signs of life; clocks jump.
 */
#include "tb/make/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/array.h"
#include "table/write.h"
#include "tb/memory/ranks.h"

#define LOOK_NANOSECONDS 200000000 /* between two looks at a lock that is held */
#define BARRED_LOOKS     5 /* a file that has just been made may be all people's in a moment */

struct bk_lock {
    int fd;
    bool own; /* of this user alone */
    char path[PATH_MAX];
};

/* Who holds a lock, as its file says. */
struct holder {
    char host[65];
    long pid;
    unsigned long long start; /* of the process, in the machine's ticks; 0: not known */
};

/* == Holders == */

/* When a process of this machine began; 0: not known. */
static unsigned long long start_of(long pid)
{
    char path[64], text[1024], *s;
    unsigned long long start = 0;
    ssize_t n = -1;
    int fd;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, text, sizeof text - 1);
        close(fd);
    }
    if (n <= 0)
        return 0;
    text[n] = 0;
    s = strrchr(text, ')'); /* the name before may hold anything */
    for (unsigned field = 2; s && field < 22; field++)
        s = strchr(s + 1, ' ');
    return s && sscanf(s, "%llu", &start) == 1 ? start : 0;
}

static struct holder myself(void)
{
    struct holder h = { .pid = (long)getpid() };

    if (gethostname(h.host, sizeof h.host - 1) || !h.host[0] || strpbrk(h.host, " \t\n"))
        strcpy(h.host, "localhost");
    h.start = start_of(h.pid);
    return h;
}

static bool read_holder(int fd, struct holder *h)
{
    char text[160];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);

    if (n <= 0)
        return false;
    text[n] = 0;
    return sscanf(text, "%64s %ld %llu", h->host, &h->pid, &h->start) == 3 && h->pid > 0;
}

/* Writes this process's line.  False: not all of it could be written, and there is none. */
static bool write_holder(int fd)
{
    struct holder h = myself();
    char text[160];
    int n = snprintf(text, sizeof text, "%s %ld %llu\n", h.host, h.pid, h.start), at = 0, error;
    bool emptied = !ftruncate(fd, 0);

    while (emptied && at < n) {
        ssize_t put = pwrite(fd, text + at, (size_t)(n - at), at);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            break;
        at += (int)put;
    }
    if (at == n)
        return true;
    error = errno; /* the first error is the one that counts */
    (void)!ftruncate(fd, 0);
    errno = error;
    return false;
}

/* Has the process that made this file ended?  Of another host that is not known. */
static bool is_gone(const struct holder *h)
{
    struct holder me = myself();

    if (strcmp(h->host, me.host))
        return false;
    if (kill((pid_t)h->pid, 0) && errno == ESRCH)
        return true;
    return h->start && start_of(h->pid) && start_of(h->pid) != h->start;
}

/* == One try == */

/* BARRED: another user's file says nothing, and stays. */
enum tried { TAKEN, HELD, AGAIN, BARRED, FAILED };

/* A lock's file. */
struct opened {
    int fd;
    bool made;      /* just now, by this process */
    bool read_only; /* another user's */
};

/* Is `fd` still what the name stands for? */
static bool has_name(int fd, const char *path)
{
    struct stat ours, named;

    return !fstat(fd, &ours) && !lstat(path, &named) && ours.st_dev == named.st_dev &&
           ours.st_ino == named.st_ino;
}

static bool is_plain(int fd)
{
    struct stat st;

    return !fstat(fd, &st) && S_ISREG(st.st_mode);
}

static bool knows_no_locks(int error)
{
    return error == ENOLCK || error == ENOSYS || error == EOPNOTSUPP || error == EINVAL;
}

/*
 * Removes the file of a builder that is gone.  Only the process that has made PATH.dead may,
 * so no other can have put its own file in its place in between.
 */
static enum tried bury(const char *path)
{
    char guard[PATH_MAX + 8];
    struct holder h;
    enum tried tried = HELD;
    int fd;

    snprintf(guard, sizeof guard, "%s.dead", path);
    fd = open(guard, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return HELD;
    close(fd);
    fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) {
        if (read_holder(fd, &h) && is_gone(&h))
            tried = unlink(path) && errno != ENOENT ? BARRED : AGAIN;
        close(fd);
    }
    unlink(guard);
    return tried;
}

/* Where there is no flock(): whoever made the file holds it. */
static enum tried without_flock(const char *path, int fd, bool made)
{
    struct holder h;

    if (made && write_holder(fd))
        return TAKEN;
    if (made) {
        int error = errno;

        unlink(path); /* it is ours, and would hold for ever */
        errno = error;
        return FAILED;
    }
    return read_holder(fd, &h) && is_gone(&h) ? bury(path) : HELD;
}

/* Another user's file, which this process has locked, is removed for one of its own.  In a folder
   where nobody may, it is held as it is; but one where nothing can be made is no place to build. */
static enum tried replace(const char *path)
{
    if (!unlink(path) || errno == ENOENT)
        return AGAIN;
    return errno == EPERM ? TAKEN : FAILED;
}

static enum tried with_flock(const char *path, const struct opened *o)
{
    if (flock(o->fd, LOCK_EX | LOCK_NB)) {
        if (errno == EWOULDBLOCK)
            return HELD;
        if (errno == EINTR)
            return AGAIN;
        if (knows_no_locks(errno) || (o->read_only && errno == EBADF)) /* NFS: it asks for more */
            return without_flock(path, o->fd, o->made);
        return FAILED;
    }
    if (!has_name(o->fd, path))
        return AGAIN;
    if (o->read_only)
        return replace(path);
    write_holder(o->fd); /* for people alone: the lock holds without it */
    return TAKEN;
}

/* Opens the file, or makes it.  TAKEN: it is open; nothing is locked yet. */
static enum tried open_lock(struct opened *o, const char *path)
{
    struct stat st;

    o->read_only = false;
    o->made = true;
    o->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (o->fd >= 0 && !fstat(o->fd, &st)) /* others have to read it; if it cannot be, they wait */
        (void)!fchmod(o->fd, (st.st_mode & 07777) | 0444);
    if (o->fd >= 0 || errno != EEXIST)
        return o->fd >= 0 ? TAKEN : FAILED;
    o->made = false;
    o->fd = open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (o->fd < 0 && errno == EACCES && bk_file_is_others(path)) {
        o->read_only = true;
        o->fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
        if (o->fd < 0 && errno == EACCES)
            return BARRED;
    }
    if (o->fd >= 0)
        return TAKEN;
    return errno == ENOENT ? AGAIN : FAILED;
}

/* Tries once to take the lock.  TAKEN: *fd is open. */
static enum tried try_once(const struct bk_lock_wish *w, const char *path, int *fd)
{
    struct opened o;
    enum tried tried = open_lock(&o, path);
    int error;

    if (tried != TAKEN)
        return tried;
    if (!is_plain(o.fd)) {
        errno = EINVAL;
        tried = FAILED;
    } else {
        tried = w->no_flock ? without_flock(path, o.fd, o.made) : with_flock(path, &o);
    }
    error = errno;
    if (tried != TAKEN)
        close(o.fd);
    errno = error;
    *fd = o.fd;
    return tried;
}

/* == Taking it == */

/* Tells who is waited for, if the file can be read. */
static void tell_wait(const struct bk_lock_wish *w, const char *path)
{
    struct holder h = { .pid = 0 };
    char text[PATH_MAX + 256];
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    bool known = fd >= 0 && is_plain(fd) && read_holder(fd, &h) && !is_gone(&h);

    if (fd >= 0)
        close(fd);
    if (known)
        snprintf(text, sizeof text, "%s is being made by process %ld on %s; waiting (lock: %s)",
                 w->material, h.pid, h.host, path);
    else
        snprintf(text, sizeof text, "%s is being made by another process; waiting (lock: %s)",
                 w->material, path);
    if (w->note)
        w->note(w->context, text);
}

/* Sets the lock's name to the common one, or to this user's own.  False: it is too long. */
static bool name_lock(struct bk_lock *l, const struct bk_lock_wish *w, bool own)
{
    char user[32] = "";

    if (own)
        snprintf(user, sizeof user, ".%lu", (unsigned long)geteuid());
    l->own = own;
    return snprintf(l->path, sizeof l->path, "%s/%s/.%s%s.lock", w->dir, w->variant, w->material,
                    user) < (int)sizeof l->path;
}

/* Goes over to a lock of this user's own, with a word. */
static void pass_over(struct bk_lock *l, const struct bk_lock_wish *w)
{
    char text[PATH_MAX + 128];

    snprintf(text, sizeof text,
             "%s is another user's and can be neither read nor removed; not waited for", l->path);
    if (w->note)
        w->note(w->context, text);
    name_lock(l, w, true);
}

/* Tries until the lock is taken, an error comes or `stop` is set.  *waited: set if it was held. */
static enum tried wait_for(const struct bk_lock_wish *w, struct bk_lock *l, bool *waited)
{
    const struct timespec pause = { .tv_nsec = LOOK_NANOSECONDS };
    unsigned barred = 0;
    bool told = false;

    for (;;) {
        enum tried tried = try_once(w, l->path, &l->fd);

        if (tried == BARRED && (l->own || ++barred > BARRED_LOOKS)) {
            if (l->own) /* the user's own file */
                return FAILED;
            pass_over(l, w);
            continue;
        }
        if (tried == TAKEN || tried == FAILED || (w->stop && *w->stop))
            return tried;
        if (tried == AGAIN)
            continue;
        if (tried == HELD && !told)
            tell_wait(w, l->path);
        told |= tried == HELD;
        *waited |= tried == HELD;
        nanosleep(&pause, NULL);
    }
}

enum bk_err bk_lock_take(struct bk_lock **out, const struct bk_lock_wish *w, bool *waited,
                         struct bk_report *why)
{
    struct bk_lock *l = calloc(1, sizeof *l);
    enum bk_err err;

    *waited = false;
    if (!l)
        return bk_no_memory(why);
    if (!name_lock(l, w, true) || !name_lock(l, w, false)) {
        err = bk_fail(why, BK_E_SYSTEM, "%s: %s", w->dir, strerror(ENAMETOOLONG));
    } else if (!bk_file_folders(l->path)) {
        err = bk_fail(why, BK_E_SYSTEM, "%s: %s", w->dir, strerror(errno));
    } else {
        switch (wait_for(w, l, waited)) {
        case TAKEN: *out = l; return BK_OK;
        case FAILED: err = bk_fail(why, BK_E_SYSTEM, "%s: %s", l->path, strerror(errno)); break;
        default: err = bk_interrupted(why); break;
        }
    }
    free(l);
    return err;
}

bool bk_lock_is_own(const struct bk_lock *l) { return l && l->own; }

void bk_lock_free(struct bk_lock *l)
{
    if (!l)
        return;
    if (has_name(l->fd, l->path)) /* while it is held: nobody else removes it */
        unlink(l->path);
    close(l->fd);
    free(l);
}

/* == Marks ==
 *
 * The first process holds a flock() on its mark as long as it lives; one that can be locked was
 * left behind.  Between mkstemp() and flock() another's sweep may take the new mark away: then it
 * has no name any more, and there is another one.  Where files cannot be locked, none is swept.
 */

#define MARK       ".bareking-"
#define TEMPLATE   MARK "XXXXXX"
#define SEEN_TRIES 50 /* tenths of a second: a network drive may show a new file late */

/* Makes and locks a mark; `name` is where its name begins in `path`.  Returns its descriptor,
   or -1. */
static int make_mark(char *path, char *name)
{
    struct stat s;
    int fd;

    for (;;) {
        memcpy(name, TEMPLATE, sizeof TEMPLATE);
        fd = mkstemp(path);
        if (fd < 0 || flock(fd, LOCK_EX) || fstat(fd, &s) || s.st_nlink)
            return fd;
        close(fd);
    }
}

enum bk_err bk_mark_seen(const char *dir, struct bk_report *why)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/" TEMPLATE, dir), fd = -1;
    enum bk_err err = n > 0 && (size_t)n < sizeof path ? BK_OK : BK_E_USAGE;
    char *name = path + (err ? 0 : strlen(dir) + 1);

    if (!err && bk_ranks_is_first() && (!bk_file_folders(path) || (fd = make_mark(path, name)) < 0))
        err = BK_E_SYSTEM;
    if (err)
        bk_fail(why, err, "%s: %s", dir, err == BK_E_USAGE ? "too long a path" : strerror(errno));
    err = bk_ranks_agree(err, why);
    if (!err) {
        bk_ranks_first_says(name, sizeof TEMPLATE);
        for (unsigned i = 0; i < SEEN_TRIES && access(path, F_OK); i++)
            nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
        if (access(path, F_OK))
            err = bk_fail(why, BK_E_USAGE, "%s is not the folder that the first process has", dir);
        err = bk_ranks_agree(err, why);
    }
    if (fd >= 0) {
        unlink(path);
        close(fd);
    }
    return err;
}

static bool is_mark(const char *name)
{
    return strlen(name) == strlen(TEMPLATE) && !strncmp(name, MARK, strlen(MARK));
}

void bk_mark_sweep(const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *entry;
    struct stat s;

    while (d && (entry = readdir(d)) != NULL) {
        int fd = is_mark(entry->d_name)
                     ? openat(dirfd(d), entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                     : -1;

        if (fd < 0)
            continue;
        if (!fstat(fd, &s) && S_ISREG(s.st_mode) && !s.st_size && !flock(fd, LOCK_EX | LOCK_NB))
            unlinkat(dirfd(d), entry->d_name, 0);
        close(fd);
    }
    if (d)
        closedir(d);
}

/* == Files that were left == */

/* Sets `name` to the table of a file that a builder may have left; "": it is no such file. */
static void table_of(const char *file, char name[BK_MATERIAL_NAME_MAX])
{
    size_t whole = strlen(file), n;

    *name = 0;
    if (*file != '.' && (whole < 5 || strcmp(file + whole - 5, ".part")))
        return;
    file += *file == '.';
    n = strcspn(file, ".");
    if (n < BK_MATERIAL_NAME_MAX) {
        memcpy(name, file, n);
        name[n] = 0;
    }
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

void bk_left_read(struct bk_left *l, const char *dir, const char *variant)
{
    char path[PATH_MAX], name[BK_MATERIAL_NAME_MAX];
    const struct dirent *e;
    DIR *d = NULL;

    *l = (struct bk_left){ .name = NULL };
    if (snprintf(path, sizeof path, "%s/%s", dir, variant) < (int)sizeof path)
        d = opendir(path);
    l->unknown = !d && errno != ENOENT;
    while (d && !l->unknown && (e = readdir(d))) {
        table_of(e->d_name, name);
        if (!*name)
            continue;
        l->unknown = !BK_ARRAY_ROOM(l->name, l->room, l->n + 1);
        if (!l->unknown)
            memcpy(l->name[l->n++], name, sizeof name);
    }
    if (d)
        closedir(d);
    if (l->n)
        qsort(l->name, l->n, sizeof *l->name, by_name);
}

bool bk_left_has(const struct bk_left *l, const char *table)
{
    return l->unknown || (l->n && bsearch(table, l->name, l->n, sizeof *l->name, by_name));
}

void bk_left_free(struct bk_left *l)
{
    free(l->name);
    *l = (struct bk_left){ .name = NULL };
}
