/*
 * text.h - a text that grows.
 *
 * Begins as { 0 }.  If memory runs out, `failed` is set and later text is dropped, so it is enough
 * to check `failed` once, at the end.
 */
#ifndef BK_STUDY_TEXT_H
#define BK_STUDY_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct study_text {
    char *at; /* owned; ends with 0 once something was put */
    size_t n, room;
    bool failed; /* no memory: the text is incomplete */
};

void study_put(struct study_text *t, const char *text);
void study_put_n(struct study_text *t, const char *text, size_t n); /* its first n characters */
void study_putf(struct study_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Puts `text` as XML or HTML: & < > and quotes are escaped; what XML does not allow becomes '?'. */
void study_put_xml(struct study_text *t, const char *text);
void study_text_free(struct study_text *t);

#endif
