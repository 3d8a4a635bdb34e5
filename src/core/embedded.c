/* embedded.c - see embedded.h; the lists are written by src/variants/embed.sh. */
#include "core/embedded.h"

#include <string.h>

static const struct bk_embedded *find(const struct bk_embedded *e, const char *name)
{
    while (e->name && strcmp(e->name, name))
        e++;
    return e->name ? e : NULL;
}

const struct bk_embedded *bk_embedded_find(const char *name)
{
    return find(bk_embedded_variants, name);
}

const struct bk_embedded *bk_embedded_find_counted(const char *name)
{
    return find(bk_embedded_counted, name);
}

const struct bk_embedded_fairy *bk_embedded_fairy_find(const char *name)
{
    const struct bk_embedded_fairy *e = bk_embedded_fairy;

    while (e->name && strcmp(e->name, name))
        e++;
    return e->name ? e : NULL;
}

bool bk_embedded_is(const char *name)
{
    return bk_embedded_find(name) || bk_embedded_find_counted(name) || bk_embedded_fairy_find(name);
}
