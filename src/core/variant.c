/* variant.c - what is asked of a game's plain fields. */
#include "core/variant.h"

#include "core/letter.h"

int bk_variant_type(const struct bk_variant *v, char letter)
{
    for (int i = 0; i < v->ntypes; i++)
        if (v->piece[i].letter == bk_upper(letter))
            return i;
    return -1;
}

char *bk_variant_letters(const struct bk_variant *v, char out[BK_TYPES_MAX + 1])
{
    for (int i = 0; i < v->ntypes; i++)
        out[i] = v->piece[i].letter;
    out[v->ntypes] = 0;
    return out;
}
