/*
 * files.h - files as bytes, and disks without room, for tests.  What cannot be done fails the test.
 */
#ifndef FILES_H
#define FILES_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

/* Returns all bytes of a file, *n of them, with room for one more; freed by the caller. */
static inline uint8_t *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data;
    struct stat st;

    if (!f || fstat(fileno(f), &st))
        fail_msg("%s: not there; tests run in the folder of the Makefile", path);
    *n = (size_t)st.st_size;
    data = malloc(*n + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *n, f), *n);
    fclose(f);
    return data;
}

/* Writes a file of n bytes. */
static inline void spill(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Fails unless two files have the same bytes. */
static inline void same_bytes(const char *one, const char *other)
{
    size_t n, m;
    uint8_t *a = slurp(one, &n), *b = slurp(other, &m);

    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(a);
    free(b);
}

/* Limits files to `bytes` bytes from now on: writing beyond fails; RLIM_INFINITY: no limit. */
static inline void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    signal(SIGXFSZ, bytes == RLIM_INFINITY ? SIG_DFL : SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

#endif
