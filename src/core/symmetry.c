/*
 * symmetry.c - which turns of the board leave a man's rules as they are.
 *
 * Idea: a symmetry is checked against each rule of a piece in turn: its steps, as both colours make
 * them, and the ranks that its rules name.  That is done once for each piece, when the game is
 * made: the result is asked for 14,000 times a second and more (table/material.c).
 */
#include "core/symmetry.h"

bool bk_symmetry_map(const struct bk_variant *v, unsigned sym, uint8_t map[BK_SQ_MAX])
{
    if (sym & 4 && v->files != v->ranks)
        return false;
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        unsigned file = sq % v->files, rank = sq / v->files;

        if (sym & 1)
            file = v->files - 1u - file;
        if (sym & 2)
            rank = v->ranks - 1u - rank;
        if (sym & 4) {
            unsigned swap = file;

            file = rank;
            rank = swap;
        }
        map[sq] = (uint8_t)bk_sq(v, file, rank);
        if (bk_bits_has(&v->board, sq) != bk_bits_has(&v->board, map[sq]))
            return false;
    }
    return true;
}

static struct bk_step turned(struct bk_step s, unsigned sym)
{
    if (sym & 1)
        s.df = (int8_t)-s.df;
    if (sym & 2)
        s.dr = (int8_t)-s.dr;
    if (sym & 4) {
        int8_t swap = s.df;

        s.df = s.dr;
        s.dr = swap;
    }
    return s;
}

/* Does a symmetry keep the moves of `colour`?  A board turned about its diagonal may keep White's
   moves, yet not Black's, which are White's with the ranks mirrored. */
static bool steps_invariant(const struct bk_movement *m, unsigned sym, unsigned colour)
{
    int forward = colour == BK_WHITE ? 1 : -1;

    for (unsigned i = 0; i < m->nsteps; i++) {
        struct bk_step s = m->step[i];
        unsigned j = 0;

        s.dr = (int8_t)(forward * s.dr);
        s = turned(s, sym);
        s.dr = (int8_t)(forward * s.dr);
        while (j < m->nsteps && (m->step[j].df != s.df || m->step[j].dr != s.dr ||
                                 m->step[j].range != s.range || m->step[j].how != s.how))
            j++;
        if (j == m->nsteps)
            return false;
    }
    return true;
}

static bool movement_invariant(const struct bk_movement *m, unsigned sym)
{
    return steps_invariant(m, sym, BK_WHITE) && steps_invariant(m, sym, BK_BLACK);
}

/* A mask of ranks means the same seen from the other side or turned only if it is all or none. */
static bool ranks_invariant(const struct bk_variant *v, unsigned mask, unsigned sym)
{
    unsigned all = bk_all_ranks(v);

    return !(sym & 6) || !(mask & all) || (mask & all) == all;
}

static bool piece_invariant(const struct bk_variant *v, unsigned type, unsigned sym)
{
    const struct bk_piece *p = &v->piece[type];

    if (!movement_invariant(&p->move, sym) || !ranks_invariant(v, p->ranks, sym) ||
        !ranks_invariant(v, p->zone_ranks, sym) || !ranks_invariant(v, p->double_ranks, sym))
        return false;
    if (p->zone_ranks && !movement_invariant(&p->zone, sym))
        return false;
    if (p->double_ranks && sym & 6)
        return false;
    for (unsigned i = 0; i < p->nbecomes; i++)
        if (!ranks_invariant(v, p->become[i].ranks, sym))
            return false;
    return true;
}

uint8_t bk_symmetries_of(const struct bk_variant *v, unsigned type)
{
    uint8_t mask = 0;

    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++)
        mask = (uint8_t)(mask | piece_invariant(v, type, sym) << sym);
    return mask;
}
