/*
 * ref_text.c - the slow solver's texts: moves and FENs; see ref.h.
 */
#include "tests/ref.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ref_board.h"

static int square_text(const struct bk_variant *v, unsigned sq, char *text)
{
    return sprintf(text, "%c%u", 'a' + (char)(sq % v->files), sq / v->files + 1);
}

void ref_move_text(const struct bk_variant *v, const struct ref_move *move, char text[16])
{
    text += square_text(v, move->from, text);
    if (move->mid != BK_SQ_NONE)
        text += square_text(v, move->mid, text);
    text += square_text(v, move->to, text);
    if (move->changed)
        sprintf(text, "=%c", v->piece[move->type].letter);
}

static int find_letter(const struct bk_variant *v, char letter)
{
    for (unsigned t = 0; t < v->ntypes; t++)
        if (v->piece[t].letter == toupper((unsigned char)letter))
            return (int)t;
    return -1;
}

/* Reads one rank of a FEN, from `sq` on; returns the text behind it, or NULL if it is wrong. */
static const char *read_rank(const struct bk_variant *v, const char *s, unsigned sq,
                             struct ref_pos *pos)
{
    unsigned end = sq + v->files;

    while (sq < end) {
        if (isdigit((unsigned char)*s)) {
            char *after;
            unsigned long gap = strtoul(s, &after, 10);

            if (gap > end - sq)
                return NULL;
            for (unsigned i = 0; i < gap; i++)
                if (!bk_bits_has(&v->board, sq++))
                    return NULL;
            s = after;
        } else if (*s == '*') {
            if (bk_bits_has(&v->board, sq++))
                return NULL;
            s++;
        } else {
            int type = find_letter(v, *s);
            unsigned colour = isupper((unsigned char)*s) ? BK_WHITE : BK_BLACK;

            if (type < 0 || !bk_bits_has(&v->board, sq))
                return NULL;
            pos->at[sq++] = (int8_t)code_of(colour, (unsigned)type);
            s++;
        }
    }
    return s;
}

/* Reads "[RRCCEE]", the evolutions still allowed; returns the text behind it, or NULL. */
static const char *read_allowances(const struct bk_variant *v, const char *s, struct ref_pos *pos)
{
    memset(pos->left, 0, sizeof pos->left);
    for (s++; *s && *s != ']'; s++) {
        int type = find_letter(v, *s);

        if (*s == '-')
            continue;
        if (type < 0)
            return NULL;
        pos->left[isupper((unsigned char)*s) ? BK_WHITE : BK_BLACK][type]++;
    }
    for (unsigned t = 0; t < v->ntypes; t++)
        if (pos->left[0][t] > v->limit[t] || pos->left[1][t] > v->limit[t])
            return NULL;
    return *s ? s + 1 : NULL;
}

/* The first square of the rank on which a side castles. */
static unsigned first_home(const struct bk_variant *v, unsigned colour)
{
    return (colour == BK_WHITE ? v->castling.rank : v->ranks - 1u - v->castling.rank) * v->files;
}

/* Returns the file of a side's king if he is on the rank of homes, else BK_FILES_MAX. */
static unsigned king_file(const struct bk_variant *v, const struct ref_pos *pos, unsigned colour)
{
    unsigned first = first_home(v, colour);

    for (unsigned file = 0; file < v->files; file++)
        if (pos->at[first + file] == code_of(colour, v->royal))
            return file;
    return BK_FILES_MAX;
}

static const char *read_castling(const struct bk_variant *v, const char *s, struct ref_pos *pos)
{
    for (; *s && *s != ' '; s++) {
        unsigned colour = isupper((unsigned char)*s) ? BK_WHITE : BK_BLACK;
        char lower = (char)tolower((unsigned char)*s);

        if (*s == '-')
            continue;
        if (lower == 'k' || lower == 'q')
            pos->rights |= REF_RIGHT(colour, lower == 'k');
        else if (lower >= 'a' && lower < 'a' + v->files)
            pos->rights |= REF_RIGHT(colour, (unsigned)(lower - 'a') > king_file(v, pos, colour));
        else
            return NULL;
    }
    return s;
}

/* Returns the file of the rook that a castling `letter` names; BK_FILES_MAX if there is none. */
static unsigned rook_file(const struct bk_variant *v, const struct ref_pos *pos, char letter)
{
    unsigned colour = isupper((unsigned char)letter) ? BK_WHITE : BK_BLACK, found = BK_FILES_MAX;
    unsigned first = first_home(v, colour);
    unsigned king = king_file(v, pos, colour);
    char lower = (char)tolower((unsigned char)letter);

    for (unsigned file = 0; file < v->files; file++) {
        if (pos->at[first + file] != code_of(colour, v->castling.rook))
            continue;
        if (lower == (char)('a' + file))
            return file;
        if ((lower == 'k' && file > king) || /* the last one found is the outermost */
            (lower == 'q' && file < king && found == BK_FILES_MAX))
            found = file;
    }
    return found;
}

bool ref_take_homes(struct bk_variant *v, const char *fen)
{
    struct bk_castling *c = &v->castling;
    const char *s = strchr(fen, ' ');
    struct ref_pos pos;

    if (!s || !ref_from_fen(v, fen, &pos))
        return false;
    c->allowed = true;
    c->rook_file[0] = 0;
    c->rook_file[1] = v->files - 1;
    for (s += strlen(" w "); *s && *s != ' '; s++) {
        unsigned king = king_file(v, &pos, isupper((unsigned char)*s) ? BK_WHITE : BK_BLACK);
        unsigned rook = rook_file(v, &pos, *s);

        if (king == BK_FILES_MAX || rook == BK_FILES_MAX)
            return false;
        c->king_file = (uint8_t)king;
        c->rook_file[rook > king] = (uint8_t)rook;
    }
    return true;
}

static bool read_ep(const struct bk_variant *v, const char *s, struct ref_pos *pos)
{
    unsigned file, rank;

    if (!*s || *s == '-')
        return true;
    file = (unsigned)(*s - 'a');
    rank = (unsigned)strtoul(s + 1, NULL, 10);
    if (file >= v->files || rank < 1 || rank > v->ranks)
        return false;
    pos->ep = (uint8_t)((rank - 1) * v->files + file);
    return true;
}

static const char *skip_spaces(const char *s)
{
    while (*s == ' ')
        s++;
    return s;
}

bool ref_from_fen(const struct bk_variant *v, const char *fen, struct ref_pos *pos)
{
    const char *s = fen;

    ref_pos_init(v, pos);
    for (unsigned rank = v->ranks; rank-- > 0;) {
        s = read_rank(v, s, rank * v->files, pos);
        if (!s || (rank && *s++ != '/'))
            return false;
    }
    if (*s == '[') {
        s = read_allowances(v, s, pos);
        if (!s)
            return false;
    }
    s = skip_spaces(s);
    if (*s != 'w' && *s != 'b' && *s)
        return false;
    pos->stm = *s == 'b' ? BK_BLACK : BK_WHITE;
    s = read_castling(v, skip_spaces(*s ? s + 1 : s), pos);
    return s && read_ep(v, skip_spaces(s), pos);
}
