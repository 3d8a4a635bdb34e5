/*
 * json.h - the text of an answer in JSON, whole or not at all.
 *
 * What adds a value to another one hardly ever looks whether there was memory for it; an answer
 * with a value left out would be a wrong one.  So what cannot be allocated is remembered, by
 * thread, and such an answer has no text.
 */
#ifndef BK_EXPLORE_JSON_H
#define BK_EXPLORE_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* Before any value is made; once is enough. */
void ex_json_begin(void);

/* Has there been no memory for anything that this thread has made since the end of its last answer?
 */
bool ex_json_lacks(void);

/* Something else could not be had, for want of memory or by a fault of the system, without which
   the answer is not whole. */
void ex_json_lack(void);

/*
 * A value on one line, its keys in the order in which they were set.  Takes `value`.  Owned; NULL:
 * there was no memory, for the text or for what ex_json_lacks() tells of.
 */
char *ex_json_text(json_t *value);
/* A text that need not be UTF-8, as paths need not: bytes that are none become question marks.
   NULL: no memory. */
json_t *ex_json_string(const char *text);
/* The end of an answer of which no text is wanted here. */
void ex_json_end(json_t *value);

#endif
