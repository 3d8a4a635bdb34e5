/*
 * windows.h - what the library asks of a system, for Windows (mingw-w64).
 *
 * The library is written for POSIX.  On Windows this file stands before each of its files (cc
 * -include, or at the top of the amalgamation), so that none of them need ask where it is.
 * windows.h of the system is not included: it takes names such as `near`.
 *
 * Memory: what aligned_alloc() gives there, free() could not take; so all that the library
 * allocates is aligned, and freed accordingly.
 *
 * Paths are UTF-8, as everywhere; one that is not is taken to be of the program's code page, as
 * main() gets it.  What is open may be deleted or renamed by others, as on other systems.
 */
#ifndef BK_CORE_WINDOWS_H
#define BK_CORE_WINDOWS_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <wchar.h>

/* == Files == */

/* How many files may be open: what the C library there has room for. */
#define _SC_OPEN_MAX 4
static inline long sysconf(int name) { return name == _SC_OPEN_MAX ? 512 : -1; }

/* Every file of the library is opened with O_CLOEXEC; here that says binary, too. */
#define O_CLOEXEC  (O_BINARY | O_NOINHERIT)
#define O_NONBLOCK 0
#define O_NOCTTY   0

/* The system's 260 are letters; in UTF-8 they may be three times as many bytes. */
#undef PATH_MAX
#define PATH_MAX 1024

__declspec(dllimport) int __stdcall MultiByteToWideChar(unsigned code_page, uint32_t flags,
                                                        const char *from, int bytes, wchar_t *to,
                                                        int room);
__declspec(dllimport) void *__stdcall CreateFileW(const wchar_t *path, uint32_t access,
                                                  uint32_t share, void *security, uint32_t how,
                                                  uint32_t attributes, void *like);
__declspec(dllimport) int __stdcall CloseHandle(void *handle);

/* Converts a path to the system's letters: from UTF-8 (65001), else from the code page (0).  A path
   that is too long becomes empty, which is no file's name. */
static inline wchar_t *bk_windows_path(wchar_t out[PATH_MAX], const char *path)
{
    if (!MultiByteToWideChar(65001, 8 /* no invalid letters */, path, -1, out, PATH_MAX) &&
        !MultiByteToWideChar(0, 0, path, -1, out, PATH_MAX))
        *out = L'\0';
    return out;
}

/* Opens a file for reading that others may write, rename and delete meanwhile; _wopen() lets them
   only write.  Where CreateFileW() fails _wopen() is called, too: it sets errno. */
static inline int bk_windows_open(const char *path, int flags)
{
    wchar_t wide[PATH_MAX];
    void *file = CreateFileW(bk_windows_path(wide, path), 0x80000000 /* read */,
                             7 /* read, write, delete */, NULL, 3 /* existing */, 0, NULL);
    int fd;

    if ((intptr_t)file == -1)
        return _wopen(wide, flags);
    fd = _open_osfhandle((intptr_t)file, flags);
    if (fd < 0)
        CloseHandle(file);
    return fd;
}
#define open bk_windows_open

static inline int bk_windows_access(const char *path, int mode)
{
    wchar_t wide[PATH_MAX];

    return _waccess(bk_windows_path(wide, path), mode);
}
#define access bk_windows_access

/* stat() is a macro already, for the function and its struct. */
static inline int bk_windows_stat(const char *path, struct _stat64 *out)
{
    wchar_t wide[PATH_MAX];

    return _wstat64(bk_windows_path(wide, path), out);
}
#define _stat64(path, out) bk_windows_stat(path, out)

/* An open folder.  A letter beyond ASCII, which no name of ours has, is read as `?`. */
struct bk_windows_folder {
    _WDIR *dir;
    struct dirent file;
};
static inline struct bk_windows_folder *bk_windows_opendir(const char *path)
{
    struct bk_windows_folder *f = malloc(sizeof *f);
    wchar_t wide[PATH_MAX];

    if (f && !(f->dir = _wopendir(bk_windows_path(wide, path)))) {
        free(f);
        f = NULL;
    }
    return f;
}
static inline struct dirent *bk_windows_readdir(struct bk_windows_folder *f)
{
    struct _wdirent *file = _wreaddir(f->dir);
    size_t n = 0;

    if (!file)
        return NULL;
    for (; file->d_name[n] && n + 1 < sizeof f->file.d_name; n++)
        f->file.d_name[n] = (char)(file->d_name[n] < 128 ? file->d_name[n] : '?');
    f->file.d_name[n] = '\0';
    return &f->file;
}
static inline void bk_windows_closedir(struct bk_windows_folder *f)
{
    _wclosedir(f->dir);
    free(f);
}
#define DIR      struct bk_windows_folder
#define opendir  bk_windows_opendir
#define readdir  bk_windows_readdir
#define closedir bk_windows_closedir

/* OVERLAPPED of the system: where to read. */
struct bk_windows_at {
    uintptr_t internal[2];
    uint32_t low, high;
    void *event;
};
__declspec(dllimport) int __stdcall ReadFile(void *file, void *to, uint32_t bytes, uint32_t *got,
                                             struct bk_windows_at *at);
__declspec(dllimport) uint32_t __stdcall GetLastError(void);

/* Reads at offset `at`, wherever the file stands: any number of threads may.  0: end of file. */
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

/* read() of the system counts in int. */
static inline ssize_t bk_windows_read(int fd, void *to, size_t bytes)
{
    return read(fd, to, bytes < 1u << 30 ? (unsigned)bytes : 1u << 30);
}
#define read(fd, to, bytes) bk_windows_read(fd, to, bytes)

#define flockfile   _lock_file
#define funlockfile _unlock_file

/* == Strings == */

/* `;` separates folders, too, as it does there in every list of them; a `:` after a drive's letter
   separates nothing: "C:/a;D:\b" and "C:/a:D:\b" have two parts. */
static inline char *bk_windows_strsep(char **rest, const char *separators)
{
    char *begin = *rest, *end = begin;

    if (!begin)
        return NULL;
    if (end[0] && end[1] == ':' && (end[2] == '/' || end[2] == '\\'))
        end += 2;
    while (*end && *end != ';' && !strchr(separators, *end))
        end++;
    *rest = *end ? end + 1 : NULL;
    *end = '\0';
    return begin;
}
#define strsep bk_windows_strsep

/* mingw checks formats as the system's printf() has them, but calls one that knows all of C11. Only
   attributes say `printf` here: the library never prints, and the engine says fprintf(). */
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
