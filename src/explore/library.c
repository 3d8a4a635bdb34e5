/* library.c - see library.h. */
#include "explore/library.h"

#include <dlfcn.h>
#include <string.h>

enum bk_err ex_library_load(void *out, const char *const *names, const struct ex_function *function,
                            size_t n, const char *who, const char *what, struct bk_report *why)
{
    void *library = NULL;

    for (; *names && !library; names++)
        library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return bk_fail(why, BK_E_SYSTEM, "%s needs %s: %s", who, what, dlerror());
    for (size_t i = 0; i < n; i++) {
        void *found = dlsym(library, function[i].name);

        if (!found)
            return bk_fail(why, BK_E_SYSTEM, "%s needs another %s: %s", who, what, dlerror());
        /* C has no cast from an object's address to a function's; POSIX: they look alike */
        memcpy((char *)out + function[i].at, &found, sizeof found);
    }
    return BK_OK;
}
