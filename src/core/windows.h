/*
 * windows.h - what the library asks of a system, for Windows (mingw-w64).
 *
 * The library is written for POSIX.  On Windows this file stands before each of its files (cc
 * -include, or at the top of the amalgamation), so that none of them need ask where it is.
 * windows.h of the system is not included: it takes names such as `near`.
 *
 * Memory: what aligned_alloc() gives there, free() could not take; so all that the library
 * allocates is aligned, and freed accordingly.  Paths of UTF-8 need a program whose code page is
 * UTF-8.
 */
#ifndef BK_CORE_WINDOWS_H
#define BK_CORE_WINDOWS_H

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* == Files == */

/* How many files may be open: what the C library there has room for. */
#define _SC_OPEN_MAX 4
static inline long sysconf(int name) { return name == _SC_OPEN_MAX ? 512 : -1; }

/* Every file of the library is opened with O_CLOEXEC; here that says binary, too. */
#define O_CLOEXEC  (O_BINARY | O_NOINHERIT)
#define O_NONBLOCK 0
#define O_NOCTTY   0

/* OVERLAPPED of the system: where to read. */
struct bk_windows_at {
    uintptr_t internal[2];
    uint32_t low, high;
    void *event;
};
__declspec(dllimport) int __stdcall ReadFile(void *file, void *to, uint32_t bytes, uint32_t *got,
                                             struct bk_windows_at *at);
__declspec(dllimport) uint32_t __stdcall GetLastError(void);

/* Reads from a place without moving: any number of threads may.  0: the end. */
static inline ssize_t bk_windows_pread(int fd, void *to, size_t bytes, off_t at)
{
    struct bk_windows_at where = { .low = (uint32_t)at, .high = (uint32_t)((uint64_t)at >> 32) };
    uint32_t got = 0, most = bytes < 1u << 30 ? (uint32_t)bytes : 1u << 30;

    if (ReadFile((void *)_get_osfhandle(fd), to, most, &got, &where))
        return (ssize_t)got;
    if (GetLastError() == 38) /* ERROR_HANDLE_EOF */
        return 0;
    errno = EIO;
    return -1;
}
#define pread bk_windows_pread

/* The system's counts in int. */
static inline ssize_t bk_windows_read(int fd, void *to, size_t bytes)
{
    return read(fd, to, bytes < 1u << 30 ? (unsigned)bytes : 1u << 30);
}
#define read(fd, to, bytes) bk_windows_read(fd, to, bytes)

/* == Strings == */

/* A `:` after a drive's letter separates nothing: "C:/a:D:\b" has two parts. */
static inline char *bk_windows_strsep(char **rest, const char *separators)
{
    char *begin = *rest, *end = begin;

    if (!begin)
        return NULL;
    if (end[0] && end[1] == ':' && (end[2] == '/' || end[2] == '\\'))
        end += 2;
    end += strcspn(end, separators);
    *rest = *end ? end + 1 : NULL;
    *end = '\0';
    return begin;
}
#define strsep bk_windows_strsep

/* mingw checks formats as the system's printf() has them, but calls one that knows all of C11. Only
   attributes say `printf` here: the library never prints. */
#define printf __gnu_printf__

/* == Memory == */

#define BK_WINDOWS_ALIGN 64 /* the most that the library asks for */

static inline void *bk_windows_calloc(size_t n, size_t bytes)
{
    void *p = bytes && n > SIZE_MAX / bytes ? NULL : _aligned_malloc(n * bytes, BK_WINDOWS_ALIGN);

    return p ? memset(p, 0, n * bytes) : NULL;
}
static inline char *bk_windows_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *p = _aligned_malloc(bytes, BK_WINDOWS_ALIGN);

    return p ? memcpy(p, text, bytes) : NULL;
}
#define malloc(bytes)              _aligned_malloc(bytes, BK_WINDOWS_ALIGN)
#define aligned_alloc(each, bytes) _aligned_malloc(bytes, BK_WINDOWS_ALIGN)
#define realloc(p, bytes)          _aligned_realloc(p, bytes, BK_WINDOWS_ALIGN)
#define calloc                     bk_windows_calloc
#define strdup                     bk_windows_strdup
#define free                       _aligned_free

#endif
