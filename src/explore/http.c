/* http.c - see http.h. */
#include "explore/http.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define LIBRARY "libmicrohttpd.so.12" /* of 0.9.53, 2017, and all that came since */

static const struct {
    const char *name;
    size_t at; /* in struct ex_http */
} functions[] = {
    { "MHD_start_daemon", offsetof(struct ex_http, start_daemon) },
    { "MHD_stop_daemon", offsetof(struct ex_http, stop_daemon) },
    { "MHD_get_daemon_info", offsetof(struct ex_http, get_daemon_info) },
    { "MHD_get_connection_info", offsetof(struct ex_http, get_connection_info) },
    { "MHD_get_connection_values", offsetof(struct ex_http, get_connection_values) },
    { "MHD_create_response_from_buffer", offsetof(struct ex_http, create_response_from_buffer) },
    { "MHD_add_response_header", offsetof(struct ex_http, add_response_header) },
    { "MHD_queue_response", offsetof(struct ex_http, queue_response) },
    { "MHD_destroy_response", offsetof(struct ex_http, destroy_response) },
};

enum bk_err ex_http_load(struct ex_http *out, struct bk_report *why)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return bk_fail(why, BK_E_SYSTEM, "explore needs libmicrohttpd: %s", dlerror());
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *found = dlsym(library, functions[i].name);

        if (!found)
            return bk_fail(why, BK_E_SYSTEM, "explore needs another libmicrohttpd: %s", dlerror());
        /* C has no cast from an object's address to a function's; POSIX says that they look alike
         */
        memcpy((char *)out + functions[i].at, &found, sizeof found);
    }
    return BK_OK;
}
