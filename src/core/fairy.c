/*
 * fairy.c - reads a section of Fairy-Stockfish's variants.ini.
 *
 * Idea: what is in force (fairy_file.h) is read key by key into a plain struct
 * bk_variant, which bk_variant_finish() checks like any other.
 *
 * Below, "the program" is Fairy-Stockfish.  Its own defaults differ between its
 * versions where the board has not eight ranks (where pawns promote, from where
 * they go two).  There we ask for the key rather than guess.
 */
#include "core/fairy.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/betza.h"
#include "core/check.h"
#include "core/fairy_file.h"
#include "core/letter.h"
#include "core/move.h"
#include "core/position.h"
#include "core/rules.h"

struct file {
    struct bk_fairy_file in;
    struct bk_variant *v;
    char cell[BK_RANKS_MAX][BK_FILES_MAX]; /* of startFen; '.' empty, '*' a hole */
    char side, rights[16], passed[8];
};

/* Reports that the value of entry `e` is wrong, at offset `at` in it; false. */
#define WRONG(f, e, at, ...) bk_fairy_wrong(&(f)->in, e, (unsigned)(at), __VA_ARGS__)

/* == 1. Values == */

static bool get_bool(struct file *f, const char *name, bool missing, bool *out)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, name);

    *out = e ? !strcmp(e->value, "true") : missing;
    return !e || *out || !strcmp(e->value, "false") || WRONG(f, e, 0, "expected true or false");
}

static bool get_number(struct file *f, const char *name, unsigned min, unsigned max,
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
        return WRONG(f, e, 0, "expected a number from %u to %u", min, max);
    *out = (unsigned)n;
    return true;
}

/* A file, counted from 1: a letter or a number. */
static bool get_file(struct file *f, const char *name, unsigned max, unsigned missing,
                     unsigned *out)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, name);

    if (!e || bk_is_digit(*e->value))
        return get_number(f, name, 1, max, missing, out);
    *out = (unsigned)(*e->value - 'a') + 1;
    return (bk_is_lower(*e->value) && !e->value[1] && *out <= max) ||
           WRONG(f, e, 0, "expected a file from a to %c", 'a' + (int)max - 1);
}

/* Refuses the letter at e->value[at] if a later section gives it to a man: the program reads
   letters section by section, and forgets the man that had it before. */
static bool means_the_same(struct file *f, const struct bk_fairy_entry *e, unsigned at)
{
    for (unsigned i = 0; i < f->in.nentries; i++) {
        const struct bk_fairy_entry *man = &f->in.entry[i];

        if (man->key->kind <= BK_FAIRY_CUSTOM && man->level > e->level &&
            bk_upper(man->value[0]) == bk_upper(e->value[at]))
            return WRONG(f, e, at, "a later section gives `%c` to a man: say this key there, too",
                         e->value[at]);
    }
    return true;
}

/* `old` and `key` are two keys for one thing.  Refuses `old` in a later section than `key`: the
   program reads `old` first there, and it takes the place of the inherited `key`. */
static bool comes_first(struct file *f, const char *key, const char *old)
{
    const struct bk_fairy_entry *now = bk_fairy_get(&f->in, key),
                                *before = bk_fairy_get(&f->in, old);

    return !now || !before || before->level <= now->level ||
           WRONG(f, before, 0, "takes the place of the inherited '%s'; say that key instead", key);
}

/* Letters of pieces, with or without blanks between, as a mask of types; "-": none. */
static bool get_types(struct file *f, const struct bk_fairy_entry *e, uint32_t *out)
{
    *out = 0;
    if (!strcmp(e->value, "-"))
        return true;
    for (const char *s = e->value; *s; s++) {
        int type = bk_is_letter(*s) ? bk_variant_type(f->v, *s) : -1;

        if (*s == ' ')
            continue;
        if (type < 0)
            return WRONG(f, e, s - e->value, "no piece has the letter `%c`", *s);
        if (!means_the_same(f, e, (unsigned)(s - e->value)))
            return false;
        *out |= UINT32_C(1) << type;
    }
    return true;
}

/* Squares: d4, *4 (a rank), d* (a file), - (none). */
static bool get_region(struct file *f, const struct bk_fairy_entry *e, struct bk_bits *out)
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
            return WRONG(f, e, start - e->value, "expected squares of the board: d4, *4, d*");
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if ((all_files || sq % v->files == file) && (all_ranks || sq / v->files == rank - 1))
                bk_bits_set(out, sq);
    }
    return true;
}

/* Reads White's region and Black's as ranks from the own side; they must be mirror images. */
static bool get_ranks(struct file *f, const char *white, const char *black, uint16_t *out)
{
    const struct bk_fairy_entry *e[2] = { bk_fairy_get(&f->in, white),
                                          bk_fairy_get(&f->in, black) };
    const struct bk_variant *v = f->v;
    unsigned mask[2] = { 0, 0 };

    if (!e[0] || !e[1])
        return WRONG(f, e[0] ? e[0] : e[1], 0, "needs '%s', too", e[0] ? black : white);
    for (unsigned colour = 0; colour < 2; colour++) {
        struct bk_bits squares;

        if (!get_region(f, e[colour], &squares))
            return false;
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (bk_bits_has(&squares, sq))
                mask[colour] |= 1u << bk_own_rank(v, sq, colour);
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (mask[colour] >> bk_own_rank(v, sq, colour) & 1 && !bk_bits_has(&squares, sq))
                return WRONG(f, e[colour], 0, "only whole ranks can be expressed");
    }
    *out = (uint16_t)mask[0];
    return mask[0] == mask[1] || WRONG(f, e[1], 0,
                                       "only the mirror image of '%s' can be "
                                       "expressed",
                                       white);
}

/* Refuses a rank number that stands in an earlier section than maxRank: the program counts Black's
   ranks on the board of the number's own section. */
static bool counted_on_this_board(struct file *f, const char *name)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, name),
                                *ranks = bk_fairy_get(&f->in, "maxRank");

    return !e || !ranks || ranks->level <= e->level ||
           WRONG(f, e, 0, "a later section has 'maxRank': say this key there, too");
}

/* == 2. Board and men == */

static bool read_size(struct file *f)
{
    struct bk_variant *v = f->v;
    unsigned files, ranks;

    if (!get_file(f, "maxFile", BK_FILES_MAX, 8, &files) ||
        !get_number(f, "maxRank", 1, BK_RANKS_MAX, 8, &ranks))
        return false;
    if (files < 2 || ranks < 2)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0, "the board must be 2x2 to %dx%d",
                              BK_FILES_MAX, BK_RANKS_MAX);
    bk_variant_board(v, files, ranks);
    return true;
}

/* The atom that a `p` is for, or the end of the text. */
static const char *hopping_atom(const char *p) { return p + 1 + strspn(p + 1, "mcfblrvsp"); }

/* Before K and Q the program takes `fl` for a pair on the orthogonals, too, where we add letters
 * up. */
static bool pairs_on_both(const char *s)
{
    const char *atom = s + strspn(s, "mcfblrvsp");
    const char *of = strchr("fb", s[0]) ? "lr" : "fb";

    return strchr("fblr", s[0]) && s[1] && strchr(of, s[1]) && *atom && strchr("KQ", *atom);
}

/* Has each step its mirror image, left for right?  For Black the program turns a move by 180
   degrees, and we mirror its ranks: only then the two are the same. */
static bool left_as_right(const struct bk_movement *m)
{
    for (unsigned i = 0; i < m->nsteps; i++) {
        const struct bk_step *s = &m->step[i];
        unsigned j = 0;

        while (j < m->nsteps && (m->step[j].df != -s->df || m->step[j].dr != s->dr ||
                                 m->step[j].range != s->range || m->step[j].how != s->how))
            j++;
        if (j == m->nsteps)
            return false;
    }
    return true;
}

/* == 2.1 Riders ==
 *
 * The program knows riders by their lines: files, ranks, diagonals, and those of the knight.  For
 * each line it keeps one way of going along it to move and one to capture; other riders it forgets.
 */

static bool rides(const struct bk_step *s) { return s->range != 1 && !(s->how & BK_HOPS); }

static bool along_a_known_line(const struct bk_step *s)
{
    int x = abs(s->df), y = abs(s->dr);

    return x + y == 1 || (x == 1 && y == 1) || (x && y && x + y == 3);
}

static bool on_one_line(const struct bk_step *s, const struct bk_step *t)
{
    return (s->df == 0) == (t->df == 0) && (s->dr == 0) == (t->dr == 0);
}

/* Has `m` unlimited steps in the direction of `way`, hopping if `hops`, for all purposes `why`? */
static bool goes(const struct bk_movement *m, const struct bk_step *way, bool hops, unsigned why)
{
    for (unsigned i = 0; i < m->nsteps; i++) {
        const struct bk_step *s = &m->step[i];

        if (s->df == way->df && s->dr == way->dr && !s->range && !(s->how & BK_HOPS) == !hops)
            why &= ~(unsigned)s->how;
    }
    return !why;
}

/* Does the program keep steps s and t apart?  A rider and a hopper of one line only if both go all
   of it. */
static bool told_apart(const struct bk_movement *m, const struct bk_step *s,
                       const struct bk_step *t)
{
    unsigned both = s->how & t->how & (BK_QUIET | BK_TAKES);

    if (!both || !rides(s))
        return true;
    if (rides(t))
        return s->df != t->df || s->dr != t->dr || s->range == t->range;
    return !(t->how & BK_HOPS) || !on_one_line(s, t) ||
           (goes(m, s, false, both) && goes(m, s, true, both) && goes(m, t, false, both));
}

/* What is wrong with the riders of a man, or NULL. */
static const char *wrong_rider(const struct bk_movement *m)
{
    for (unsigned i = 0; i < m->nsteps; i++) {
        if (rides(&m->step[i]) && !along_a_known_line(&m->step[i]))
            return "only W, F and N can ride";
        for (unsigned j = 0; j < m->nsteps; j++)
            if (!told_apart(m, &m->step[i], &m->step[j]))
                return "riders and hoppers of one line and purpose must go equally far, all ways";
    }
    return NULL;
}

/* Where the program's Betza and ours differ the text is refused. */
static bool read_betza(struct file *f, const struct bk_fairy_entry *e, const char *text,
                       struct bk_movement *m)
{
    struct bk_report why;
    const char *rider;
    size_t at = 0;

    m->steps_max = 1;
    for (const char *s = text; *s; s++)
        if (*s == 'p' && (!*hopping_atom(s) || !strchr("RBQ", *hopping_atom(s))))
            return WRONG(f, e, s - e->value, "`p` is for R, B and Q only");
        else if (*s == 'p' && bk_is_digit(hopping_atom(s)[1]))
            return WRONG(f, e, s - e->value, "a hop with a range is told in two ways");
        else if (bk_is_digit(s[0]) && bk_is_digit(s[1]))
            return WRONG(f, e, s - e->value, "a range has one digit");
        else if (*s == '1' || *s == '(') /* W1 is a rider there, and brackets are passed over */
            return WRONG(f, e, s - e->value, "`%c` is read otherwise, or not at all", *s);
        else if (pairs_on_both(s))
            return WRONG(f, e, s - e->value, "`%.2s` before K or Q is told in two ways", s);
    if (bk_betza_read(m, text, &at, &why))
        return WRONG(f, e, text == e->value + 2 ? 2 + at : 0, "%s", why.text);
    rider = wrong_rider(m);
    if (rider)
        return WRONG(f, e, text - e->value, "%s", rider);
    return left_as_right(m) || WRONG(f, e, text - e->value,
                                     "left and right must be alike: a Black man is turned there, "
                                     "and mirrored here");
}

/* "k", "x:Betza", "-" (no such piece) */
static bool read_piece(struct file *f, const struct bk_fairy_entry *e)
{
    struct bk_variant *v = f->v;
    struct bk_piece *p = &v->piece[v->ntypes];
    bool own_move = e->key->kind == BK_FAIRY_CUSTOM || !strcmp(e->name, "king");
    const char *move = e->key->text;

    if (!strcmp(e->value, "-"))
        return true;
    if (e->key->kind == BK_FAIRY_CANNOT_BE)
        return WRONG(f, e, 0, "%s", e->key->text);
    if (!bk_is_letter(e->value[0]))
        return WRONG(f, e, 0, "expected a letter%s", own_move ? ", `:` and a move" : "");
    if (own_move && e->value[1] == ':')
        move = e->value + 2;
    else if (e->value[1] || !move)
        return WRONG(f, e, 1, move ? "expected one letter" : "expected `:` and a move");
    if (v->ntypes == BK_TYPES_MAX)
        return WRONG(f, e, 0, "more than %d pieces", BK_TYPES_MAX);
    if (bk_variant_type(v, e->value[0]) >= 0)
        return WRONG(f, e, 0, "letter %c is taken by '%s'", bk_upper(e->value[0]),
                     v->piece[bk_variant_type(v, e->value[0])].name);
    p->letter = bk_upper(e->value[0]);
    snprintf(p->name, sizeof p->name, "%s", e->name);
    p->ranks = bk_all_ranks(v);
    v->ntypes++;
    return read_betza(f, e, move, &p->move);
}

static int piece_named(const struct bk_variant *v, const char *name)
{
    for (int i = 0; i < v->ntypes; i++)
        if (!strcmp(v->piece[i].name, name))
            return i;
    return -1;
}

/* A soldier that goes sideways only from some rank on. */
static bool read_soldier(struct file *f)
{
    int type = piece_named(f->v, "soldier");
    struct bk_piece *p = type >= 0 ? &f->v->piece[type] : NULL;
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "soldierPromotionRank");
    unsigned rank;

    if (!get_number(f, "soldierPromotionRank", 1, f->v->ranks, 1, &rank))
        return false;
    if (!p || rank == 1)
        return true;
    p->zone = p->move;
    p->zone_ranks = (uint16_t)(p->ranks & ~0u << (rank - 1));
    return read_betza(f, e, "fW", &p->move);
}

static bool read_pieces(struct file *f)
{
    for (unsigned i = 0; i < f->in.nentries; i++)
        if (f->in.entry[i].key->kind <= BK_FAIRY_CUSTOM && !read_piece(f, &f->in.entry[i]))
            return false;
    return read_soldier(f);
}

/* Finds the royal piece: the king; or, without one, the one man whose loss loses. */
static bool read_royal(struct file *f)
{
    struct bk_variant *v = f->v;
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "kingType"),
                                *types = bk_fairy_get(&f->in, "extinctionPieceTypes");
    int royal = piece_named(v, "king"), like;
    uint32_t one = 0;
    bool pseudo;

    if (!get_bool(f, "extinctionPseudoRoyal", false, &pseudo))
        return false;
    if (pseudo && royal >= 0)
        return WRONG(f, bk_fairy_get(&f->in, "extinctionPseudoRoyal"), 0, "a second royal piece");
    if (pseudo) {
        if (!types || !strcmp(types->value, "*") || !get_types(f, types, &one) || !one ||
            one & (one - 1))
            return f->in.err
                       ? false
                       : WRONG(f, types ? types : bk_fairy_get(&f->in, "extinctionPseudoRoyal"), 0,
                               "one kind of man must be royal");
        royal = __builtin_ctz(one);
    }
    if (royal < 0)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0, "[%s]: there is no king", v->name);
    if (e) {
        like = *e->value && !e->value[1] ? bk_variant_type(v, *e->value) : -1;
        if (like < 0)
            return WRONG(f, e, 0, "no piece has the letter `%s`", e->value);
        v->piece[royal].move = v->piece[like].move;
    }
    v->piece[royal].royal = true;
    v->royal = (uint8_t)royal;
    return true;
}

/* Reads one square or gap of the array; false: at a character that is neither. */
static bool read_cell(struct file *f, const char **s, unsigned rank, unsigned *file)
{
    unsigned gap = 1;
    char c = **s;

    if (bk_is_digit(c)) {
        for (gap = 0; bk_is_digit(**s) && gap <= BK_FILES_MAX; (*s)++)
            gap = gap * 10 + (unsigned)(**s - '0');
        c = '.';
    } else if (c == '*' || (bk_is_letter(c) && bk_variant_type(f->v, c) >= 0)) {
        (*s)++;
    } else {
        return false;
    }
    for (; gap-- && *file < f->v->files; (*file)++)
        f->cell[rank][*file] = c;
    return gap + 1 == 0;
}

static bool read_cells(struct file *f, const struct bk_fairy_entry *e, const char **s)
{
    for (unsigned rank = f->v->ranks; rank--;) {
        unsigned file = 0;

        while (file < f->v->files)
            if (!read_cell(f, s, rank, &file))
                return WRONG(f, e, *s - e->value, "rank %u is not %u squares of known men",
                             rank + 1, f->v->files);
        if (rank && *(*s)++ != '/')
            return WRONG(f, e, *s - e->value - 1, "expected `/` after rank %u", rank + 1);
    }
    if (!strncmp(*s, "[]", 2) || !strncmp(*s, "[-]", 3))
        *s += strcspn(*s, "]") + 1;
    if (**s && **s != ' ')
        return WRONG(f, e, *s - e->value,
                     **s == '[' ? "hands cannot be expressed" : "unexpected `%s`", *s);
    return true;
}

static bool somebody_hops(const struct bk_variant *v)
{
    for (unsigned type = 0; type < v->ntypes; type++)
        for (unsigned i = 0; i < v->piece[type].move.nsteps; i++)
            if (v->piece[type].move.step[i].how & BK_HOPS)
                return true;
    return false;
}

/* Reads the array: holes, armies, and where king and rooks are at home. */
static bool read_start(struct file *f)
{
    static const struct bk_fairy_entry usual = {
        .name = "startFen",
        .value = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    };
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "startFen");
    struct bk_variant *v = f->v;
    const char *s;

    if (!e)
        e = &usual;
    s = e->value;
    if (!read_cells(f, e, &s))
        return false;
    f->side = 'w';
    sscanf(s, " %c %15s %7s", &f->side, f->rights, f->passed);
    if (!bk_is_letter(*f->passed)) /* `-`, or a clock */
        *f->passed = '\0';
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (f->cell[sq / v->files][sq % v->files] == '*' && somebody_hops(v))
            return WRONG(f, e, 0, "there, men can hop over `*`, and not over our holes");
        else if (f->cell[sq / v->files][sq % v->files] == '*')
            bk_bits_clear(&v->board, sq);
    for (unsigned type = 0; type < v->ntypes; type++) {
        unsigned men[2] = { 0, 0 };

        for (unsigned sq = 0; sq < v->nsq; sq++) {
            char c = f->cell[sq / v->files][sq % v->files];

            if (bk_is_letter(c) && bk_variant_type(v, c) == (int)type)
                men[c >= 'a']++;
        }
        v->piece[type].army = (uint8_t)(men[0] > men[1] ? men[0] : men[1]);
        if (type == v->royal && (men[0] != 1 || men[1] != 1))
            return WRONG(f, e, 0, "a side has one royal piece");
    }
    return true;
}

/* == 3. Pawns == */

/* Reads the ranks on which a pawn promotes. */
static bool read_zone(struct file *f, uint16_t *zone)
{
    unsigned rank;

    if (!comes_first(f, "promotionRegionWhite", "promotionRank"))
        return false;
    if (bk_fairy_get(&f->in, "promotionRegionWhite") ||
        bk_fairy_get(&f->in, "promotionRegionBlack"))
        return get_ranks(f, "promotionRegionWhite", "promotionRegionBlack", zone);
    if (!bk_fairy_get(&f->in, "promotionRank") && f->v->ranks != 8)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                              "[%s]: on %u ranks, key 'promotionRank' must be there", f->v->name,
                              f->v->ranks);
    if (!counted_on_this_board(f, "promotionRank") ||
        !get_number(f, "promotionRank", 1, f->v->ranks, 8, &rank))
        return false;
    *zone = (uint16_t)(bk_all_ranks(f->v) & ~0u << (rank - 1));
    return true;
}

/* Reads "q:1 r:2": men become a `q` only while there are fewer than 1; *limited: these types. */
static bool read_limits(struct file *f, uint32_t *limited)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "promotionLimit");

    *limited = 0;
    if (e && e->again)
        return WRONG(f, e, 0, "inherited limits stay beside these: say all in one section");
    for (const char *s = e ? e->value : ""; *s;) {
        int type = bk_is_letter(*s) ? bk_variant_type(f->v, *s) : -1, used = 0;
        unsigned n = 0;

        if (type < 0 || sscanf(s + 1, " : %3u%n", &n, &used) != 1 || n > 200)
            return WRONG(f, e, s - e->value, "expected a piece's letter, `:`, a number");
        if (!means_the_same(f, e, (unsigned)(s - e->value)))
            return false;
        if (n > f->v->nsq)
            return WRONG(f, e, s - e->value, "%u men on %u squares", n, f->v->nsq);
        if (n && n < f->v->piece[type].army) /* the army is how many there may be, too */
            return WRONG(f, e, s - e->value, "there are %u of them in startFen",
                         f->v->piece[type].army);
        if (n) { /* 0: without limit */
            *limited |= UINT32_C(1) << type;
            f->v->piece[type].army = (uint8_t)n;
        }
        s += 1 + used;
        s += strspn(s, " ");
    }
    return true;
}

static void add_become(struct bk_piece *p, uint16_t ranks, uint32_t to, bool must, bool lost)
{
    struct bk_become *b = &p->become[p->nbecomes];

    if (!to || !ranks)
        return;
    *b = (struct bk_become){ .ranks = ranks, .must = must, .lost_only = lost };
    for (unsigned type = 0; type < BK_TYPES_MAX; type++)
        if (to >> type & 1)
            b->to[b->nto++] = (uint8_t)type;
    p->nbecomes++;
}

static bool read_promotion(struct file *f, struct bk_piece *p)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "promotionPieceTypes");
    uint32_t to, limited;
    uint16_t zone = 0;
    bool must;

    if (!e)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                              "[%s]: key 'promotionPieceTypes' must be there", f->v->name);
    if (!get_types(f, e, &to) || !read_zone(f, &zone) || !read_limits(f, &limited) ||
        !get_bool(f, "mandatoryPawnPromotion", true, &must))
        return false;
    if (to >> f->v->royal & 1)
        return WRONG(f, e, 0, "nothing becomes the royal piece");
    add_become(p, zone, to & ~limited, must, false);
    add_become(p, zone, to & limited, must, true);
    if (must)
        p->ranks &= (uint16_t)~zone; /* no promotion on offer: no move there */
    return true;
}

/* Refuses doubleStepRankMin beside doubleStepRank, unless it is 2, the default, in the same
   section: newer versions of the program read it only without the other. */
static bool least_rank_is_read(struct file *f, unsigned low)
{
    const struct bk_fairy_entry *most = bk_fairy_get(&f->in, "doubleStepRank"),
                                *least = bk_fairy_get(&f->in, "doubleStepRankMin");

    return !most || !least || (low == 2 && most->level == least->level) ||
           WRONG(f, least, 0,
                 "newer versions pass it over beside 'doubleStepRank'; say regions instead");
}

/* Refuses an inherited doubleStep that is said again without its ranks: where a section has no
   double step, the program forgets the ranks for the sections that inherit from it. */
static bool ranks_are_not_forgotten(struct file *f)
{
    const struct bk_fairy_entry *on = bk_fairy_get(&f->in, "doubleStep"),
                                *from = bk_fairy_get(&f->in, "doubleStepRegionWhite");

    if (!from)
        from = bk_fairy_get(&f->in, "doubleStepRank");
    return !on || !on->again || (from && from->level == on->level) ||
           WRONG(f, on, 0, "say from which ranks in the same section, too");
}

/* Reads the ranks from which pawns go two squares; 0: none. */
static bool read_double(struct file *f, uint16_t *out)
{
    unsigned low, high;
    bool on;

    *out = 0;
    if (!get_bool(f, "doubleStep", true, &on) ||
        !get_number(f, "doubleStepRank", 1, f->v->ranks, 2, &high) ||
        !get_number(f, "doubleStepRankMin", 1, f->v->ranks, 2, &low))
        return false;
    if (!on)
        return true;
    if (!counted_on_this_board(f, "doubleStepRank") ||
        !counted_on_this_board(f, "doubleStepRankMin") || !ranks_are_not_forgotten(f) ||
        !comes_first(f, "doubleStepRegionWhite", "doubleStepRank") ||
        !comes_first(f, "doubleStepRegionWhite", "doubleStepRankMin"))
        return false;
    if (bk_fairy_get(&f->in, "doubleStepRegionWhite") ||
        bk_fairy_get(&f->in, "doubleStepRegionBlack"))
        return get_ranks(f, "doubleStepRegionWhite", "doubleStepRegionBlack", out);
    if (!bk_fairy_get(&f->in, "doubleStepRank") && f->v->ranks != 8)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                              "[%s]: on %u ranks, key 'doubleStepRank' must be "
                              "there, or 'doubleStep = false'",
                              f->v->name, f->v->ranks);
    for (unsigned rank = low; rank <= high; rank++)
        *out |= (uint16_t)(1u << (rank - 1));
    return least_rank_is_read(f, low);
}

/* Reads whether there is en passant: on all squares that a double step passes, or on none. */
static bool read_en_passant(struct file *f, uint16_t from)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "enPassantRegion");
    const struct bk_variant *v = f->v;
    struct bk_bits squares;
    unsigned in = 0, out = 0;

    f->v->en_passant = from;
    if (!e || !from)
        return true;
    if (!get_region(f, e, &squares))
        return false;
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (from << 1 >> bk_own_rank(v, sq, colour) & 1)
                *(bk_bits_has(&squares, sq) ? &in : &out) += 1;
    f->v->en_passant = in;
    return !in || !out ||
           WRONG(f, e, 0,
                 "only all squares that a double step passes, or none, "
                 "can be expressed");
}

/* The first rank, seen from its own side, on which a pawn stands in the array. */
static unsigned first_pawn_rank(const struct file *f, char letter)
{
    const struct bk_variant *v = f->v;
    unsigned first = BK_RANKS_MAX;

    for (unsigned sq = 0; sq < v->nsq; sq++) {
        char c = f->cell[sq / v->files][sq % v->files];
        unsigned rank = bk_own_rank(v, sq, c >= 'a' ? BK_BLACK : BK_WHITE);

        if (bk_upper(c) == letter && rank < first)
            first = rank;
    }
    return first < BK_RANKS_MAX ? first : 1;
}

/* Can a double step pass a square on which the pawn that captures en passant there promotes? */
static bool takes_in_passing_in_its_zone(const struct bk_variant *v, const struct bk_piece *p)
{
    for (unsigned rank = 0; rank + 2 < v->ranks; rank++)
        for (unsigned i = 0; i < p->nbecomes; i++)
            if (p->double_ranks >> rank & 1 && p->become[i].ranks >> (v->ranks - 2 - rank) & 1)
                return true;
    return false;
}

static bool read_pawn(struct file *f)
{
    int type = piece_named(f->v, "pawn");
    struct bk_piece *p = type >= 0 ? &f->v->piece[type] : NULL;
    uint16_t from = 0;

    if (!p)
        return true;
    p->ranks &= (uint16_t)(~0u << first_pawn_rank(f, p->letter)); /* it never goes back */
    if (!read_promotion(f, p) || !read_double(f, &from) || !read_en_passant(f, from))
        return false;
    p->double_ranks = from & p->ranks;
    for (unsigned i = 0; i < p->nbecomes; i++)
        if (p->double_ranks << 2 & p->become[i].ranks)
            return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                                  "[%s]: key 'doubleStep': a double step into the "
                                  "promotion zone cannot be expressed",
                                  f->v->name);
    f->v->en_passant &= p->double_ranks != 0;
    return !f->v->en_passant || !takes_in_passing_in_its_zone(f->v, p) ||
           bk_fairy_fault(
               &f->in, f->in.wanted->line, 0,
               "[%s]: key 'enPassantRegion': a man who takes in passing does not promote "
               "there; say `-`",
               f->v->name);
}

/* == 4. Castling == */

/* The file of the outermost rook on a side's first rank, on one side of the king. */
static int rook_file(const struct file *f, unsigned rank, char rook, int king, int step)
{
    int found = -1;

    for (int file = king + step; file >= 0 && file < f->v->files; file += step)
        if (f->cell[rank][file] == rook)
            found = file;
    return found;
}

/* King and rooks of one colour as they stand in the array; false: not both wings. */
static bool at_home(const struct file *f, unsigned colour, unsigned rook, struct bk_castling *k)
{
    unsigned rank = bk_first_rank(f->v, colour);
    int shift = colour == BK_WHITE ? 0 : 'a' - 'A';
    char king = (char)(f->v->piece[f->v->royal].letter + shift);
    char other = (char)(f->v->piece[rook].letter + shift);

    for (int file = 0; file < f->v->files; file++)
        if (f->cell[rank][file] == king) {
            int left = rook_file(f, rank, other, file, -1);
            int right = rook_file(f, rank, other, file, 1);

            k->king_file = (uint8_t)file;
            k->rook_file[0] = (uint8_t)left;
            k->rook_file[1] = (uint8_t)right;
            return left >= 0 && right >= 0;
        }
    return false;
}

/* The letter of a key that names one piece; *type is left alone where it is missing. */
static bool get_type(struct file *f, const char *name, int *type)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, name);

    if (e)
        *type = *e->value && !e->value[1] ? bk_variant_type(f->v, *e->value) : -1;
    if (e && *type < 0)
        return WRONG(f, e, 0, "expected the letter of one piece");
    return !e || means_the_same(f, e, 0);
}

/* Keys that say where king and rooks stand must agree with the array. */
static bool homes_agree(struct file *f, const struct bk_castling *k)
{
    static const char *const name[] = { "castlingRookQueensideFile", "castlingRookKingsideFile",
                                        "castlingKingFile" };
    unsigned home[] = { k->rook_file[0], k->rook_file[1], k->king_file };

    for (unsigned i = 0; i < 3; i++) {
        unsigned file;

        if (!get_file(f, name[i], f->v->files, home[i] + 1, &file))
            return false;
        if (file != home[i] + 1)
            return WRONG(f, bk_fairy_get(&f->in, name[i]), 0, "not where it stands in startFen");
    }
    return true;
}

static bool read_castling(struct file *f)
{
    struct bk_variant *v = f->v;
    int king = piece_named(v, "king"), rook = piece_named(v, "rook");
    struct bk_castling white = { .allowed = true }, black = white;
    unsigned left, right;
    bool on;

    if (!get_bool(f, "castling", true, &on))
        return false;
    if (!on || !*f->rights || !strcmp(f->rights, "-"))
        return true; /* in no position that the game can reach */
    if (!comes_first(f, "castlingRookPieces", "castlingRookPiece") ||
        !get_type(f, "castlingKingPiece", &king) || !get_type(f, "castlingRookPiece", &rook) ||
        !get_type(f, "castlingRookPieces", &rook) ||
        !get_file(f, "castlingQueensideFile", v->files, 3, &left) ||
        !get_file(f, "castlingKingsideFile", v->files, 7, &right))
        return false;
    if (king < 0)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                              "[%s]: key 'castlingKingPiece' must say who castles", v->name);
    if (king != v->royal)
        return WRONG(f, bk_fairy_get(&f->in, "castlingKingPiece"), 0,
                     "only the royal piece castles");
    if (rook < 0 || !at_home(f, BK_WHITE, (unsigned)rook, &white) ||
        !at_home(f, BK_BLACK, (unsigned)rook, &black) || memcmp(&white, &black, sizeof white))
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                              "[%s]: key 'castling': king and two rooks must stand "
                              "at home in startFen, on the same files for both sides",
                              v->name);
    if (!homes_agree(f, &white))
        return false;
    if (left >= v->files || right < 2 || right > v->files)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                              "[%s]: key 'castling': the king's goal is not on "
                              "the board",
                              v->name);
    v->castling = white;
    v->castling.rook = (uint8_t)rook;
    v->castling.king_to[0] = (uint8_t)(left - 1);
    v->castling.rook_to[0] = (uint8_t)left; /* beside the king, towards the middle */
    v->castling.king_to[1] = (uint8_t)(right - 1);
    v->castling.rook_to[1] = (uint8_t)(right - 2);
    return true;
}

/* == 5. Endings == */

static bool read_stalemate(struct file *f)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "stalemateValue");

    f->v->stalemate = e && !strcmp(e->value, "loss") ? BK_STALEMATE_LOSS : BK_STALEMATE_DRAW;
    return !e || !strcmp(e->value, "loss") || !strcmp(e->value, "draw") ||
           WRONG(f, e, 0, "only draw or loss (of the side that cannot move) can be expressed");
}

/* Extinction down to one man is the bare king; docs/fairy-stockfish.md says what differs. */
static bool read_bare(struct file *f)
{
    const struct bk_fairy_entry *value = bk_fairy_get(&f->in, "extinctionValue"),
                                *types = bk_fairy_get(&f->in, "extinctionPieceTypes");
    unsigned count, opponent;
    bool claim, pseudo;

    if (!get_bool(f, "extinctionClaim", false, &claim) ||
        !get_bool(f, "extinctionPseudoRoyal", false, &pseudo) ||
        !get_number(f, "extinctionPieceCount", 0, 200, 0, &count) ||
        !get_number(f, "extinctionOpponentPieceCount", 0, 200, 0, &opponent))
        return false;
    if (!value || !strcmp(value->value, "none"))
        return !pseudo ||
               WRONG(f, bk_fairy_get(&f->in, "extinctionPseudoRoyal"), 0, "needs extinctionValue");
    if (strcmp(value->value, "loss"))
        return WRONG(f, value, 0, "only loss or none can be expressed");
    if (pseudo)
        return count == 0 || WRONG(f, bk_fairy_get(&f->in, "extinctionPieceCount"), 0,
                                   "a royal piece is lost "
                                   "with the last of them");
    if (!types || strcmp(types->value, "*"))
        return WRONG(f, types ? types : value, 0,
                     "only * (all men, that is, a bare king) can "
                     "be expressed");
    if (count != 1)
        return WRONG(f,
                     bk_fairy_get(&f->in, "extinctionPieceCount")
                         ? bk_fairy_get(&f->in, "extinctionPieceCount")
                         : value,
                     0, "only extinctionPieceCount = 1 (a bare king) can be expressed");
    if (opponent > 2)
        return WRONG(f, bk_fairy_get(&f->in, "extinctionOpponentPieceCount"), 0,
                     "only 0 to 2 can be "
                     "expressed");
    f->v->bare = claim && opponent == 2 ? BK_BARE_BACK : BK_BARE_WINS;
    if (f->v->bare == BK_BARE_BACK && f->v->stalemate != BK_STALEMATE_LOSS)
        return WRONG(f, bk_fairy_get(&f->in, "extinctionClaim"), 0,
                     "with stalemateValue = draw a bare king "
                     "that is stalemated draws, which cannot be expressed");
    return true;
}

static bool check_others(struct file *f)
{
    for (unsigned i = 0; i < f->in.nentries; i++) {
        const struct bk_fairy_entry *e = &f->in.entry[i];

        if (e->key->kind == BK_FAIRY_ONLY && strcmp(e->value, e->key->text))
            return WRONG(f, e, 0, "only `%s` can be expressed", e->key->text);
        if (e->key->kind == BK_FAIRY_FLAG && strcmp(e->value, "-"))
            return WRONG(f, e, 0,
                         "reaching a square ends the game, which cannot be expressed; only `-`");
    }
    return true;
}

/* == 6. The whole == */

/* startFen in our own form. */
static void write_start(struct file *f)
{
    const struct bk_variant *v = f->v;
    uint8_t at[BK_SQ_MAX] = { 0 };
    size_t n;

    for (unsigned sq = 0; sq < v->nsq; sq++) {
        char c = f->cell[sq / v->files][sq % v->files];

        if (bk_is_letter(c))
            at[sq] = bk_man((unsigned)bk_variant_type(v, c), c >= 'a' ? BK_BLACK : BK_WHITE);
    }
    static_assert(BK_BOARD_CHARS_MAX < sizeof f->v->start, "a board fits into a start");
    n = bk_board_write(v, at, f->v->start);
    snprintf(f->v->start + n, sizeof f->v->start - n, " %c %s %s 0 1", f->side,
             v->castling.allowed ? f->rights : "-", *f->passed ? f->passed : "-");
}

/* Checks that nobody can take a king at once in the array, as read.c does for a file of our own. */
static bool check_start(struct file *f, const struct bk_pos *p)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "startFen");
    static const char why[] = "the side that is not to move is in check";

    if (bk_pos_legal(f->v, p))
        return true;
    if (e)
        return WRONG(f, e, 0, "%s", why);
    return bk_fairy_fault(&f->in, f->in.wanted->line, 0, "[%s]: in the usual array %s", f->v->name,
                          why);
}

/* Has White, to move, lost with only its king on `ours` and Black's on `theirs`? */
static bool king_is_lost(const struct bk_variant *v, unsigned ours, unsigned theirs)
{
    struct bk_pos p;
    struct bk_move move[BK_MOVES_MAX];
    unsigned first = 0;

    bk_pos_init(&p, v);
    bk_pos_put(&p, v, v->royal, BK_WHITE, ours);
    bk_pos_put(&p, v, v->royal, BK_BLACK, theirs);
    return bk_pos_legal(v, &p) && !bk_moves_portion(v, &p, &first, move) &&
           (bk_rules_stalemate_wdl(v) < 0 || bk_in_check(v, &p, BK_WHITE));
}

/* Two kings alone are a draw here, and in the program they play on.  Refuses games in which one of
   them can be mated, or stalemated where that loses: the results would differ.  If a bare king
   loses at once, without baring back, kings never are alone. */
static bool check_kings_alone(struct file *f)
{
    const struct bk_variant *v = f->v;
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "stalemateValue");
    static const char why[] = "two kings alone draw here, and there one of them may lose: on "
                              "this board, as they move, he may be left without a move";

    if (bk_rules_bare_loses(v) && !bk_rules_bares_back(v))
        return true;
    for (unsigned ours = 0; ours < v->nsq; ours++)
        for (unsigned theirs = 0; theirs < v->nsq; theirs++)
            if (ours != theirs && bk_rules_may_stand(v, v->royal, BK_WHITE, ours) &&
                bk_rules_may_stand(v, v->royal, BK_BLACK, theirs) && king_is_lost(v, ours, theirs))
                return e ? WRONG(f, e, 0, "%s", why)
                         : bk_fairy_fault(&f->in, f->in.wanted->line, 0, "[%s]: %s", v->name, why);
    return true;
}

/* Checks the game; what is wrong with a piece is reported at its key. */
static bool check(struct file *f)
{
    const struct bk_fairy_entry *e = NULL;
    struct bk_complaint c;

    if (bk_variant_check(f->v, &c))
        return true;
    if (c.type == f->v->royal)
        e = bk_fairy_get(&f->in, "kingType");
    if (c.type >= 0 && !e)
        e = bk_fairy_get(&f->in, f->v->piece[c.type].name);
    return e ? WRONG(f, e, 0, "%s", c.text)
             : bk_fairy_fault(&f->in, f->in.wanted->line, 0, "[%s]: %s: %s", f->v->name, c.key,
                              c.text);
}

static bool finish(struct file *f)
{
    const struct bk_fairy_entry *start = bk_fairy_get(&f->in, "startFen");
    struct bk_report why = { "" };
    struct bk_pos p;
    enum bk_err err;

    write_start(f);
    if (!check(f))
        return false;
    err = bk_variant_finish(f->v, &why);
    if (!err)
        err = bk_pos_from_fen(&p, f->v, f->v->start, &why);
    if (err == BK_E_USAGE && start)
        return WRONG(f, start, 0, "%s", why.text);
    if (err == BK_E_USAGE)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0, "%s", why.text);
    if (err)
        f->in.err = bk_fail(f->in.why, err, "%s", why.text);
    return !err && check_start(f, &p) && check_kings_alone(f);
}

static bool understand(struct file *f)
{
    struct bk_variant *v = f->v;

    static_assert(BK_FAIRY_NAME_MAX < sizeof v->name, "its name fits");
    strcpy(v->name, f->in.wanted->name);
    strcpy(v->title, f->in.wanted->name);
    strcpy(v->source, "docs/fairy-stockfish.md");
    return bk_fairy_file_gather(&f->in) && check_others(f) && read_size(f) && read_pieces(f) &&
           read_royal(f) && read_start(f) && read_pawn(f) && read_castling(f) &&
           read_stalemate(f) && read_bare(f) && finish(f);
}

enum bk_err bk_fairy_parse(struct bk_variant **out, const char *label, const char *text,
                           const char *section, struct bk_report *why)
{
    struct file *f = calloc(1, sizeof *f);
    char *copy = strdup(strncmp(text, "\xEF\xBB\xBF", 3) ? text : text + 3);
    struct bk_variant *v = calloc(1, sizeof *v);
    enum bk_err err = BK_E_SYSTEM;

    if (f && copy && v) {
        f->in.label = label;
        f->in.why = why;
        f->v = v;
        if (bk_fairy_file_read(&f->in, copy, section))
            understand(f);
        err = f->in.err;
    } else {
        bk_no_memory(why);
    }
    free(copy);
    free(f);
    if (err)
        bk_variant_free(v);
    else
        *out = v;
    return err;
}

bool bk_fairy_is(const char *text)
{
    bool any = false;

    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        const char *s = line + strspn(line, " \t");

        if (*s == '[') {
            if (!strncmp(s, "[variant", 8) || !strncmp(s, "[piece", 6))
                return false;
            any = true;
        }
        if (!line[strcspn(line, "\n")])
            break;
    }
    return any;
}
