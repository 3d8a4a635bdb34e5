/*
 * json.c - see json.h.
 */
#include "explore/json.h"

#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"

static _Thread_local bool lacks_memory;

static void *allocate(size_t n)
{
    void *p = malloc(n);

    lacks_memory = lacks_memory || !p;
    return p;
}

void ex_json_begin(void) { json_set_alloc_funcs(allocate, free); }

void ex_json_lack(void) { lacks_memory = true; }

bool ex_json_lacks(void) { return lacks_memory; }

char *ex_json_text(json_t *value)
{
    const size_t how = JSON_COMPACT | JSON_PRESERVE_ORDER;
    char *text = value ? json_dumps(value, how) : NULL;

    if (text && text[bk_utf8_plain(text)]) { /* what a terminal would obey is escaped, too */
        free(text);
        text = json_dumps(value, how | JSON_ENSURE_ASCII);
    }
    if (lacks_memory) {
        free(text);
        text = NULL;
    }
    ex_json_end(value);
    return text;
}

void ex_json_end(json_t *value)
{
    json_decref(value);
    lacks_memory = false;
}

json_t *ex_json_string(const char *text)
{
    char *plain = strdup(text);
    json_t *said;

    if (!plain)
        ex_json_lack();
    for (char *s = plain; s && *(s += bk_utf8_span(s));)
        *s = '?';
    said = plain ? json_string(plain) : NULL;
    free(plain);
    return said;
}
