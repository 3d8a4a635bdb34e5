/*
 * fairy_value.c - see fairy_value.h.
 *
 * Idea: a value is read as the program reads it; where its sections, read one by one, give it
 * another meaning than the text that is in force has, it is refused.
 */
#include "core/fairy_value.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/letter.h"

/* == Values == */

bool bk_fairy_get_bool(struct bk_fairy_game *f, const char *name, bool missing, bool *out)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, name);

    *out = e ? !strcmp(e->value, "true") : missing;
    return !e || *out || !strcmp(e->value, "false") || BK_WRONG(f, e, 0, "expected true or false");
}

bool bk_fairy_get_number(struct bk_fairy_game *f, const char *name, unsigned min, unsigned max,
                         unsigned missing, unsigned *out)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, name);
    unsigned long n;
    char *end;

    *out = missing;
    if (!e)
        return true;
    n = bk_is_digit(*e->value) ? strtoul(e->value, &end, 10) : ULONG_MAX;
    if (n == ULONG_MAX || *end || n < min || n > max)
        return BK_WRONG(f, e, 0, "expected a number from %u to %u", min, max);
    *out = (unsigned)n;
    return true;
}

bool bk_fairy_get_file(struct bk_fairy_game *f, const char *name, unsigned max, unsigned missing,
                       unsigned *out)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, name);

    if (!e || bk_is_digit(*e->value))
        return bk_fairy_get_number(f, name, 1, max, missing, out);
    *out = (unsigned)(*e->value - 'a') + 1;
    return (bk_is_lower(*e->value) && !e->value[1] && *out <= max) ||
           BK_WRONG(f, e, 0, "expected a file from a to %c", 'a' + (int)max - 1);
}

bool bk_fairy_get_types(struct bk_fairy_game *f, const struct bk_fairy_entry *e, uint32_t *out)
{
    *out = 0;
    if (!strcmp(e->value, "-"))
        return true;
    for (const char *s = e->value; *s; s++) {
        int type = bk_is_letter(*s) ? bk_variant_type(f->v, *s) : -1;

        if (*s == ' ')
            continue;
        if (type < 0)
            return BK_WRONG(f, e, s - e->value, "no piece has the letter `%c`", *s);
        if (!bk_fairy_means_the_same(f, e, (unsigned)(s - e->value)))
            return false;
        *out |= UINT32_C(1) << type;
    }
    return true;
}

bool bk_fairy_get_region(struct bk_fairy_game *f, const struct bk_fairy_entry *e,
                         struct bk_bits *out)
{
    const struct bk_variant *v = f->v;
    const char *s = e->value;

    memset(out, 0, sizeof *out);
    if (!strcmp(s, "-"))
        return true;
    for (s += strspn(s, " "); *s; s += strspn(s, " ")) {
        const char *start = s;
        unsigned file = (unsigned)(bk_lower(*s) - 'a'), rank = 0;
        bool all_files = *s++ == '*', all_ranks = !all_files && *s == '*';

        s += all_ranks;
        for (; !all_ranks && bk_is_digit(*s) && rank < 100; s++)
            rank = rank * 10 + (unsigned)(*s - '0');
        if ((!all_files && file >= v->files) || (!all_ranks && (!rank || rank > v->ranks)) ||
            !strchr(" ", *s))
            return BK_WRONG(f, e, start - e->value, "expected squares of the board: d4, *4, d*");
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if ((all_files || sq % v->files == file) && (all_ranks || sq / v->files == rank - 1))
                bk_bits_set(out, sq);
    }
    return true;
}

bool bk_fairy_get_ranks(struct bk_fairy_game *f, const char *white, const char *black,
                        uint16_t *out)
{
    const struct bk_fairy_entry *e[2] = { bk_fairy_get(&f->in, white),
                                          bk_fairy_get(&f->in, black) };
    const struct bk_variant *v = f->v;
    unsigned mask[2] = { 0, 0 };

    if (!e[0] || !e[1])
        return BK_WRONG(f, e[0] ? e[0] : e[1], 0, "needs '%s', too", e[0] ? black : white);
    for (unsigned colour = 0; colour < 2; colour++) {
        struct bk_bits squares;

        if (!bk_fairy_get_region(f, e[colour], &squares))
            return false;
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (bk_bits_has(&squares, sq))
                mask[colour] |= 1u << bk_own_rank(v, sq, colour);
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (mask[colour] >> bk_own_rank(v, sq, colour) & 1 && !bk_bits_has(&squares, sq))
                return BK_WRONG(f, e[colour], 0, "only whole ranks can be expressed");
    }
    *out = (uint16_t)mask[0];
    return mask[0] == mask[1] || BK_WRONG(f, e[1], 0,
                                          "only the mirror image of '%s' can be "
                                          "expressed",
                                          white);
}

/* == What sections say one after the other == */

bool bk_fairy_means_the_same(struct bk_fairy_game *f, const struct bk_fairy_entry *e, unsigned at)
{
    for (unsigned i = 0; i < f->in.nentries; i++) {
        const struct bk_fairy_entry *man = &f->in.entry[i];

        if (man->key->kind <= BK_FAIRY_CUSTOM && man->level > e->level &&
            bk_upper(man->value[0]) == bk_upper(e->value[at]))
            return BK_WRONG(f, e, at,
                            "a later section gives `%c` to a man: say this key there, too",
                            e->value[at]);
    }
    return true;
}

bool bk_fairy_comes_first(struct bk_fairy_game *f, const char *key, const char *old)
{
    const struct bk_fairy_entry *now = bk_fairy_get(&f->in, key),
                                *before = bk_fairy_get(&f->in, old);

    return !now || !before || before->level <= now->level ||
           BK_WRONG(f, before, 0, "takes the place of the inherited '%s'; say that key instead",
                    key);
}
