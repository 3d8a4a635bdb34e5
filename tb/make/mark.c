/*
 * mark.c - see mark.h.
 *
 * Idea: the first process holds a flock() on its mark as long as it lives; one that can be locked
 * was left behind.  Between mkstemp() and flock() another's sweep may take the new mark away: then
 * it has no name any more, and there is another one.  Where files cannot be locked, none is swept.
 */
#include "tb/make/mark.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "table/write.h"
#include "tb/memory/ranks.h"

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
