/* variant.c - what is asked of a game's plain fields. */
#include "core/variant.h"

#include "core/letter.h"

void bk_variant_board(struct bk_variant *v, unsigned files, unsigned ranks)
{
    v->files = (uint8_t)files;
    v->ranks = (uint8_t)ranks;
    v->nsq = (uint8_t)(files * ranks);
    for (unsigned sq = 0; sq < v->nsq; sq++)
        bk_bits_set(&v->board, sq);
}

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
