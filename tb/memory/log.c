/*
 * log.c - see log.h.
 */
#include "tb/memory/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct bk_log {
    struct bk_spill *spill; /* or NULL */
    int fd;
    atomic_uint_fast64_t end;
    atomic_bool failed;
};

enum bk_err bk_log_open(struct bk_log **out, struct bk_spill *spill, struct bk_report *why)
{
    struct bk_log *l = calloc(1, sizeof *l);

    if (!l)
        return bk_no_memory(why);
    l->spill = spill;
    l->fd = spill ? bk_spill_file(spill) : memfd_create("notes", MFD_CLOEXEC);
    if (l->fd < 0) {
        int error = errno;

        bk_spill_refused(spill, error);
        free(l);
        return bk_fail(why, BK_E_SYSTEM, "scratch: %s", strerror(error));
    }
    *out = l;
    return BK_OK;
}

void bk_log_close(struct bk_log *l)
{
    if (!l)
        return;
    close(l->fd);
    free(l);
}

uint64_t bk_log_room(struct bk_log *l, uint64_t bytes) { return atomic_fetch_add(&l->end, bytes); }

static void fail(struct bk_log *l, int error)
{
    atomic_store(&l->failed, true);
    bk_spill_refused(l->spill, error);
}

void bk_log_write(struct bk_log *l, uint64_t at, const void *from, size_t bytes)
{
    int error = atomic_load(&l->failed) ? 0 : bk_write_at(l->fd, from, bytes, at);

    if (error)
        fail(l, error);
}

bool bk_log_read(struct bk_log *l, uint64_t at, void *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(l->fd, (char *)to + done, bytes - done, (off_t)(at + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            fail(l, got ? errno : EIO);
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

bool bk_log_failed(const struct bk_log *l) { return atomic_load(&l->failed); }

uint64_t bk_log_bytes(const struct bk_log *l) { return atomic_load(&l->end); }

void bk_log_save(const struct bk_log *l, struct bk_writer *w)
{
    uint64_t bytes = bk_log_bytes(l);

    bk_write(w, &bytes, sizeof bytes);
    bk_write_file(w, l->fd, bytes);
}

bool bk_log_load(struct bk_log *l, struct bk_reader *r)
{
    uint64_t bytes;

    if (!bk_read(r, &bytes, sizeof bytes) || bytes > bk_reader_left(r) ||
        !bk_read_file(r, l->fd, bytes))
        return false;
    atomic_store(&l->end, bytes);
    return true;
}
