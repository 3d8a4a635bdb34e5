/*
 * http.h - libmicrohttpd, loaded when it is wanted.
 *
 * It brings gnutls and six libraries more, which the loader would read for every subcommand: a
 * start took 3.2 ms with them and takes 2.0 without, and an engine's script starts us a thousand
 * times.  So its functions are found when the server starts, and only explore fails where it is not
 * installed.
 */
#ifndef BK_EXPLORE_HTTP_H
#define BK_EXPLORE_HTTP_H

#include <netinet/in.h>

#include <microhttpd.h>

#include "core/err.h"

/* As in microhttpd.h, without MHD_. */
struct ex_http {
    __typeof__(MHD_start_daemon) *start_daemon;
    __typeof__(MHD_stop_daemon) *stop_daemon;
    __typeof__(MHD_get_daemon_info) *get_daemon_info;
    __typeof__(MHD_get_connection_info) *get_connection_info;
    __typeof__(MHD_get_connection_values) *get_connection_values;
    __typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
    __typeof__(MHD_add_response_header) *add_response_header;
    __typeof__(MHD_queue_response) *queue_response;
    __typeof__(MHD_destroy_response) *destroy_response;
};

/* Finds all of them; the library stays loaded.  BK_OK; BK_E_SYSTEM: which library is missing.  From
   any thread, as often as wanted. */
enum bk_err ex_http_load(struct ex_http *out, struct bk_report *why);

#endif
