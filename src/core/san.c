/*
 * san.c - see san.h.
 */
#include "core/san.h"

#include <stdio.h>
#include <string.h>

#include "core/attack.h"
#include "core/end.h"

/* What must be said of the square that a man comes from. */
struct told {
    bool file, rank;
};

/* If others of his kind could end there, too, his file must be said; if one of them shares that,
   his rank; if others share each, both. */
static struct told tell_apart(const struct bk_variant *v, const struct bk_pos *p,
                              const struct bk_move *m, const struct bk_move *list, size_t n)
{
    bool others = false, same_file = false, same_rank = false;

    for (size_t i = 0; i < n; i++) {
        if (list[i].to != m->to || list[i].from == m->from || list[i].castles ||
            p->at[list[i].from] != p->at[m->from])
            continue;
        others = true;
        same_file |= list[i].from % v->files == m->from % v->files;
        same_rank |= list[i].from / v->files == m->from / v->files;
    }
    return (struct told){ .file = others && (!same_file || same_rank),
                          .rank = others && same_file };
}

static char *put_man(char *to, const struct bk_variant *v, const struct bk_pos *p,
                     const struct bk_move *m, const struct bk_move *list, size_t n)
{
    char letter = v->piece[bk_man_type(p->at[m->from])].letter;
    bool pawn = letter == 'P', takes = m->takes != BK_SQ_NONE;
    struct told told = tell_apart(v, p, m, list, n);

    if (!pawn)
        *to++ = letter;
    if (told.file || (pawn && takes && m->from % v->files != m->to % v->files))
        *to++ = (char)('a' + m->from % v->files);
    if (told.rank)
        to += sprintf(to, "%u", m->from / v->files + 1u);
    return to;
}

static char *put_square(char *to, const struct bk_variant *v, unsigned sq)
{
    char name[8];

    return to + sprintf(to, "%s", bk_sq_name(v, sq, name));
}

static char *put_move(char *to, const struct bk_variant *v, const struct bk_pos *p,
                      const struct bk_move *m, const struct bk_move *list, size_t n)
{
    unsigned between = bk_move_between(m);

    to = put_man(to, v, p, m, list, n);
    if (between != BK_SQ_NONE) {
        *to++ = 'x';
        to = put_square(to, v, between);
    }
    if (between != BK_SQ_NONE && m->also == BK_SQ_NONE)
        *to++ = '-';
    else if (m->takes != BK_SQ_NONE)
        *to++ = 'x';
    to = put_square(to, v, m->to);
    if (m->becomes != BK_STAYS)
        to += sprintf(to, "=%c", v->piece[m->becomes].letter);
    return to;
}

char *bk_san(const struct bk_variant *v, const struct bk_pos *p, const struct bk_move *m,
             const struct bk_move *list, size_t n, char out[BK_SAN_MAX])
{
    struct bk_pos after = *p;
    char *to = out;
    int wdl;

    if (m->creates) {
        *to++ = '+';
        to = put_square(to, v, m->creates - 1u);
        *to++ = ',';
    }
    if (m->castles)
        to += sprintf(to, "%s", m->also < m->from ? "O-O-O" : "O-O");
    else
        to = put_move(to, v, p, m, list, n);
    if (m->destroys) {
        *to++ = ',';
        *to++ = '-';
        to = put_square(to, v, m->destroys - 1u);
    }
    bk_pos_play(&after, v, m);
    if (bk_pos_end(v, &after, &wdl) != BK_END_NONE && wdl < 0)
        *to++ = '#';
    else if (bk_in_check(v, &after, after.stm))
        *to++ = '+';
    *to = 0;
    return out;
}
