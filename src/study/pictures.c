/*
 * pictures.c - finds pictures by the names of men.
 */
#include <stdio.h>
#include <string.h>

#include "study/pictures.h"

/* The list is short and asked once a diagram and kind of man: no hash. */
static const struct study_picture *find(const char *name)
{
    char word[sizeof((struct bk_piece *)0)->name + 3];

    snprintf(word, sizeof word, " %s ", name);
    for (const struct study_picture *p = study_pictures; p->names; p++)
        if (strstr(p->names, word))
            return p;
    return NULL;
}

const struct study_picture *study_picture(const struct bk_piece *man)
{
    const struct study_picture *p = find(man->name);

    return p || !man->royal ? p : find("king");
}
