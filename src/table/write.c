/*
 * write.c - see write.h.
 */
#include "table/write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "table/head.h"

#define PIECE (1u << 20) /* bytes copied at once */

bool bk_file_folders(const char *path)
{
    char part[PATH_MAX];

    snprintf(part, sizeof part, "%s", path);
    for (char *s = part + 1; *s; s++)
        if (*s == '/') {
            *s = 0;
            if (mkdir(part, 0777) && errno != EEXIST)
                return false;
            *s = '/';
        }
    return true;
}

int bk_file_nameless(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    char name[PATH_MAX];

    if (fd < 0 && snprintf(name, sizeof name, "%s/scratch.XXXXXX", folder) < (int)sizeof name &&
        (fd = mkostemp(name, O_CLOEXEC)) >= 0) /* not every file system can do without */
        unlink(name);
    return fd;
}

int bk_file_scratch(const char *path)
{
    char folder[PATH_MAX], *slash;

    if (!bk_file_folders(path))
        return -1;
    snprintf(folder, sizeof folder, "%s", path);
    slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    return bk_file_nameless(slash ? folder : ".");
}

/* == The bytes == */

/* Model and directory, one after the other; owned, NULL: no memory. */
static uint8_t *front_of(const struct bk_unit_bytes *u, size_t *bytes)
{
    size_t directory = (size_t)u->shards * BK_SHARD_ENTRY_BYTES;
    uint8_t *front = malloc(u->model_bytes + directory);

    *bytes = u->model_bytes + directory;
    if (front) {
        memcpy(front, u->model, u->model_bytes);
        if (directory)
            memcpy(front + u->model_bytes, u->directory, directory);
    }
    return front;
}

/* Writes all bytes.  Not by stdio, which gives up a file where write() was interrupted.  False:
   errno. */
static bool put(int out, const void *from, size_t bytes)
{
    for (const char *p = from; bytes;) {
        ssize_t done = write(out, p, bytes);

        if (done < 0 && errno == EINTR)
            continue;
        if (done == 0)
            errno = EIO;
        if (done <= 0)
            return false;
        p += done;
        bytes -= (size_t)done;
    }
    return true;
}

static bool write_front(int out, const struct bk_unit_bytes *u)
{
    return put(out, u->model, u->model_bytes) &&
           put(out, u->directory, (size_t)u->shards * BK_SHARD_ENTRY_BYTES);
}

static bool copy(int out, int from, uint64_t at, uint64_t bytes)
{
    char *piece = malloc(PIECE);
    bool good = piece != NULL;

    while (good && bytes) {
        ssize_t got = pread(from, piece, bytes < PIECE ? bytes : PIECE, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO; /* shorter than it was written */
        good = got > 0 && put(out, piece, (size_t)got);
        at += good ? (uint64_t)got : 0;
        bytes -= good ? (uint64_t)got : 0;
    }
    free(piece);
    return good;
}

static bool write_shards(int out, const struct bk_unit_bytes *u, int scratch)
{
    if (!u->shard)
        return copy(out, scratch, u->at, u->shard_bytes);
    return put(out, u->shard, u->shard_bytes);
}

/* A file system over a network may be interrupted here, too. */
bool bk_file_sync(int fd)
{
    int failed;

    do
        failed = fsync(fd);
    while (failed && errno == EINTR);
    return !failed;
}

static bool write_all(int out, const struct bk_head *h, const uint8_t *head,
                      const struct bk_unit_bytes *unit, int scratch)
{
    bool good = put(out, head, h->bytes);

    for (unsigned i = 0; good && i < h->info.nunits; i++)
        good = write_front(out, &unit[i]);
    for (unsigned i = 0; good && i < h->info.nunits; i++)
        good = write_shards(out, &unit[i], scratch);
    return good && bk_file_sync(out);
}

/* The head of a file with these units, as bytes; owned, NULL: no memory. */
static uint8_t *make_head(struct bk_head *h, const struct bk_unit_bytes *unit)
{
    uint8_t *bytes = NULL;
    bool good = true;

    h->unit = calloc(h->info.nunits, sizeof *h->unit);
    for (unsigned i = 0; h->unit && good && i < h->info.nunits; i++) {
        size_t n;
        uint8_t *front = front_of(&unit[i], &n);

        good = front != NULL;
        h->unit[i] = (struct bk_unit_head){
            .nblocks = unit[i].nblocks,
            .shards = unit[i].shards,
            .model_bytes = unit[i].model_bytes,
            .shard_bytes = unit[i].shard_bytes,
            .sum = good ? (uint32_t)XXH3_64bits_withSeed(front, n, i) : 0,
        };
        free(front);
    }
    if (h->unit && good)
        bytes = bk_head_write(h);
    free(h->unit);
    h->unit = NULL;
    return bytes;
}

/* == The file == */

/* Makes a new file to write to: what had its name, whole or not, a file or a link, goes.  -1:
   errno. */
static int create(const char *path)
{
    unlink(path);
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

bool bk_file_is_others(const char *path)
{
    struct stat st;

    return geteuid() && !lstat(path, &st) && st.st_uid != geteuid();
}

/* Sets `part` to one of the two names that a file may have until it is published; false: it would
   be too long. */
static bool name_part(char part[BK_PART_MAX], const char *path, bool own)
{
    int n = own ? snprintf(part, BK_PART_MAX, "%s.%lu.part", path, (unsigned long)geteuid())
                : snprintf(part, BK_PART_MAX, "%s.part", path);

    errno = ENAMETOOLONG;
    return n < BK_PART_MAX;
}

int bk_file_create_part(char part[BK_PART_MAX], const char *path)
{
    if (!name_part(part, path, true))
        return -1;
    unlink(part); /* of an earlier build: it would be taken for this one's */
    name_part(part, path, false);
    if (bk_file_is_others(part))
        name_part(part, path, true);
    return create(part);
}

/* Opens a part that is there, if it may be written to: one with two names may be another file of
   this user's, which somebody has linked here.  -1: it may not. */
static int open_part(const char *part, uint64_t *bytes)
{
    int fd = open(part, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        return -1;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_nlink == 1 && st.st_uid == geteuid()) {
        *bytes = (uint64_t)st.st_size;
        return fd;
    }
    close(fd);
    return -1;
}

int bk_file_resume_part(char part[BK_PART_MAX], const char *path, uint64_t *bytes)
{
    bool others;
    int fd;

    *bytes = 0;
    if (!name_part(part, path, true) || !name_part(part, path, false))
        return -1;
    others = bk_file_is_others(part);
    name_part(part, path, true);
    if (!others) {
        unlink(part); /* it would be taken for the one that is resumed */
        name_part(part, path, false);
    }
    fd = open_part(part, bytes);
    return fd >= 0 ? fd : create(part);
}

/* Sets `part` to the name under which the file that is to become `path` was written. */
static bool find_part(char part[BK_PART_MAX], const char *path)
{
    struct stat st;

    return name_part(part, path, true) && (!lstat(part, &st) || name_part(part, path, false));
}

/* Syncs the folder of a file: after a crash of the machine the new name must be there, too. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX], *slash;
    int fd;

    snprintf(folder, sizeof folder, "%s", path);
    slash = strrchr(folder, '/');
    if (!slash)
        return;
    *slash = 0;
    fd = open(folder, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        bk_file_sync(fd);
        close(fd);
    }
}

/* Writes, syncs and closes a file under its temporary name.  False: errno, and what there is of it
   is removed. */
static bool write_part(const char *path, const struct bk_head *h, const uint8_t *head,
                       const struct bk_unit_bytes *unit, int scratch)
{
    char part[BK_PART_MAX];
    bool good;
    int out, error;

    if (!bk_file_folders(path) || (out = bk_file_create_part(part, path)) < 0)
        return false;
    good = write_all(out, h, head, unit, scratch);
    if (close(out) && errno != EINTR) /* what is synced is there */
        good = false;
    error = errno;
    if (!good)
        unlink(part);
    errno = error;
    return good;
}

enum bk_err bk_file_write(const char *path, const struct bk_file_info *info,
                          const struct bk_unit_bytes *unit, int scratch, struct bk_report *why)
{
    struct bk_head h = { .info = *info };
    uint8_t *head = make_head(&h, unit);
    bool good;
    int error;

    if (!head)
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", path);
    good = write_part(path, &h, head, unit, scratch);
    error = errno;
    free(head);
    return good ? BK_OK : bk_fail(why, BK_E_SYSTEM, "%s: %s", path, strerror(error));
}

enum bk_err bk_file_publish(const char *path, struct bk_report *why)
{
    char part[BK_PART_MAX];

    if (!find_part(part, path) || rename(part, path))
        return bk_fail(why, BK_E_SYSTEM, "%s: %s", path, strerror(errno));
    sync_folder(path);
    return BK_OK;
}

void bk_file_withdraw(const char *path)
{
    char part[BK_PART_MAX];

    for (int own = 0; own < 2; own++)
        if (name_part(part, path, own))
            unlink(part);
}
