/*
 * pages.h - the files of the page, as they were in page/ when this was built (embed.sh).
 */
#ifndef BK_EXPLORE_PAGES_H
#define BK_EXPLORE_PAGES_H

#include <stddef.h>

struct ex_page {
    const char *name;
    const unsigned char *bytes;
    size_t n;
};

extern const struct ex_page ex_pages[]; /* ended by a NULL name */

#endif
