/*
 * starve.c - refuses one allocation of a program, or all from one on: for LD_PRELOAD, with glibc.
 *
 * STARVE_AT=N: refuses the Nth, from 0.  STARVE_ALL: and all after it.  STARVE_COUNT=FILE: the
 * number of allocations is written to FILE at the end.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __GLIBC__
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);

static atomic_long made;
static long at = -1;
static int all;

__attribute__((constructor)) static void begin(void)
{
    const char *nth = getenv("STARVE_AT");

    all = getenv("STARVE_ALL") != NULL;
    at = nth ? atol(nth) : -1;
    atomic_store(&made, 0);
}

__attribute__((destructor)) static void finish(void)
{
    long n = atomic_load(&made);
    const char *path = getenv("STARVE_COUNT");
    FILE *out;

    at = -1;
    out = path ? fopen(path, "w") : NULL;
    if (out) {
        fprintf(out, "%ld\n", n);
        fclose(out);
    }
}

static int is_refused(void)
{
    long nth = atomic_fetch_add(&made, 1);

    if (at < 0 || nth < at || (nth > at && !all))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t n) { return is_refused() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return is_refused() ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return is_refused() ? NULL : __libc_realloc(p, n); }
void *aligned_alloc(size_t alignment, size_t n)
{
    return is_refused() ? NULL : __libc_memalign(alignment, n);
}
#endif
