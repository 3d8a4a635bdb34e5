/*
 * json.h - the text of an answer in JSON, whole or not at all.
 *
 * Code that adds a value to an object rarely checks whether the allocation failed, and an answer
 * with a value missing would be wrong.  So each thread remembers a failed allocation, and the
 * answer then has no text.
 */
#ifndef BK_EXPLORE_JSON_H
#define BK_EXPLORE_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* Makes jansson's allocations remember failures.  Before any value is made; once is enough. */
void ex_json_begin(void);

/* Has an allocation of this thread failed since the end of its last answer? */
bool ex_json_lacks(void);

/* Records another failure (memory, the system) that left out a part of the answer. */
void ex_json_lack(void);

/*
 * Returns `value` (taken) as text on one line, its keys in the order in which they were set; ends
 * the answer.  Owned; NULL: no memory for the text, or ex_json_lacks().
 */
char *ex_json_text(json_t *value);
/* Makes a string of a text that need not be UTF-8, as paths need not: other bytes become question
   marks.  NULL: no memory. */
json_t *ex_json_string(const char *text);
/* Frees `value`, and ends an answer of which no text is wanted here. */
void ex_json_end(json_t *value);

#endif
