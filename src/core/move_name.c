/*
 * move_name.c - see move_name.h.
 */
#include "core/move_name.h"

/* Writes a square's name as bk_sq_name(), at most three characters and no zero; returns the end. */
static char *name_square(const struct bk_variant *v, unsigned sq, char *at)
{
    unsigned rank = sq / v->files + 1;

    *at++ = (char)('a' + sq % v->files);
    if (rank >= 10)
        *at++ = (char)('0' + rank / 10);
    *at++ = (char)('0' + rank % 10);
    return at;
}

/* Without snprintf(), for speed: whole lists of ranked moves are named. */
char *bk_move_name(const struct bk_variant *v, const struct bk_move *m, char out[16])
{
    unsigned between = bk_move_between(m);
    char *at = name_square(v, m->from, out);

    if (between != BK_SQ_NONE)
        at = name_square(v, between, at);
    at = name_square(v, m->castles && m->tells ? m->also : m->to, at);
    if (m->becomes != BK_STAYS) {
        *at++ = '=';
        *at++ = v->piece[m->becomes].letter;
    }
    *at = '\0';
    return out;
}
