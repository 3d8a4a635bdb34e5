/*
 * library.h - libraries that one command alone needs, loaded when it runs.
 *
 * The loader would read them, and all that they bring, for every subcommand.  With libmicrohttpd,
 * which brings gnutls and six libraries more, a start took 3.2 ms, and takes 2.0 without; an
 * engine's script starts us a thousand times.  So functions are looked up by name, and only the
 * command fails whose library is not installed.
 */
#ifndef BK_EXPLORE_LIBRARY_H
#define BK_EXPLORE_LIBRARY_H

#include <stddef.h>

#include "core/err.h"

struct ex_function {
    const char *name;
    size_t at; /* of its pointer in a struct */
};

/*
 * Finds n functions in the first library of `names` (NULL ends them) that is there, and sets their
 * pointers in *out; the library stays loaded.
 *
 * who, what   "explore", "libmicrohttpd": for messages
 *
 * Returns BK_OK; BK_E_SYSTEM: none is there, or it lacks a function.
 */
enum bk_err ex_library_load(void *out, const char *const *names, const struct ex_function *function,
                            size_t n, const char *who, const char *what, struct bk_report *why);

#endif
