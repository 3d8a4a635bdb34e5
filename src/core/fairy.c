/*
 * fairy.c - reads a section of Fairy-Stockfish's variants.ini.
 *
 * Idea: what is in force (fairy_file.h) is read key by key into a plain struct
 * bk_variant, which bk_variant_finish() checks like any other: the board and the
 * array, the men, what is special about pawns, castling, and how games end.
 *
 * "The program" is Fairy-Stockfish.
 */
#include "core/fairy.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/betza.h"
#include "core/check.h"
#include "core/fairy_file.h"
#include "core/letter.h"
#include "core/move.h"
#include "core/position.h"
#include "core/rules.h"
#include "core/utf8.h"

/* == The board == */

static bool read_size(struct bk_fairy_game *f)
{
    struct bk_variant *v = f->v;
    unsigned files, ranks;

    if (!bk_fairy_get_file(f, "maxFile", BK_FILES_MAX, 8, &files) ||
        !bk_fairy_get_number(f, "maxRank", 1, BK_RANKS_MAX, 8, &ranks))
        return false;
    if (files < 2 || ranks < 2)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0, "the board must be 2x2 to %dx%d",
                              BK_FILES_MAX, BK_RANKS_MAX);
    bk_variant_board(v, files, ranks);
    return true;
}

/* Reads one square or gap of the array; false: at a character that is neither. */
static bool read_cell(struct bk_fairy_game *f, const char **s, unsigned rank, unsigned *file)
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

/* Reads the men in hand, "[Nn]".  Who are dropped never come back, so that a game without hands has
   all positions in which nobody is held; but the array is none of them. */
static bool read_held(struct bk_fairy_game *f, const struct bk_fairy_entry *e, const char **s)
{
    bool drops, gates;

    if (!bk_fairy_get_bool(f, "pieceDrops", false, &drops) ||
        !bk_fairy_get_bool(f, "seirawanGating", false, &gates))
        return false;
    for ((*s)++; bk_is_letter(**s) || **s == '-'; (*s)++) {
        int type = bk_variant_type(f->v, **s);

        if (**s == '-')
            continue;
        if (type < 0)
            return BK_WRONG(f, e, *s - e->value, "no piece has the letter `%c`", **s);
        if (!drops && !gates)
            return BK_WRONG(f, e, *s - e->value, "men in hand, who never come onto the board");
        f->held = true;
        f->in_hand[**s >= 'a'][type]++;
    }
    return *(*s)++ == ']' || BK_WRONG(f, e, *s - e->value - 1, "expected `]`");
}

static bool read_cells(struct bk_fairy_game *f, const struct bk_fairy_entry *e, const char **s)
{
    for (unsigned rank = f->v->ranks; rank--;) {
        unsigned file = 0;

        while (file < f->v->files)
            if (!read_cell(f, s, rank, &file))
                return BK_WRONG(f, e, *s - e->value, "rank %u is not %u squares of known men",
                                rank + 1, f->v->files);
        if (rank && *(*s)++ != '/')
            return BK_WRONG(f, e, *s - e->value - 1, "expected `/` after rank %u", rank + 1);
    }
    if (**s == '[' && !read_held(f, e, s))
        return false;
    return !**s || **s == ' ' || BK_WRONG(f, e, *s - e->value, "unexpected `%s`", *s);
}

static bool somebody_hops(const struct bk_variant *v)
{
    for (unsigned type = 0; type < v->ntypes; type++)
        for (unsigned i = 0; i < v->piece[type].move.nsteps; i++)
            if (v->piece[type].move.step[i].how & BK_HOPS)
                return true;
    return false;
}

/* Copies a field, "" if it says nothing. */
static void copy_field(char *out, size_t room, const struct bk_fen *fen, unsigned which)
{
    snprintf(out, room, "%.*s", (int)fen->n[which], fen->at[which] ? fen->at[which] : "");
    if (!strcmp(out, "-"))
        *out = '\0';
}

/* Leaves castling rights alone: with 'gating' other letters are squares from which men in hand come
   onto the board. */
static bool leave_rights(struct bk_fairy_game *f)
{
    size_t n = 0;
    bool gating;

    if (!bk_fairy_get_bool(f, "gating", false, &gating))
        return false;
    for (const char *s = f->rights; gating && *s; s++)
        if (strchr("KQkq", *s))
            f->rights[n++] = *s;
    if (gating)
        f->rights[n] = '\0';
    return true;
}

/* Reads the array: holes, armies, and where king and rooks are at home. */
static bool read_start(struct bk_fairy_game *f)
{
    static const struct bk_fairy_entry usual = {
        .name = "startFen",
        .value = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    };
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "startFen");
    struct bk_variant *v = f->v;
    struct bk_fen fen;
    const char *s;

    if (!e)
        e = &usual;
    s = e->value;
    if (!read_cells(f, e, &s))
        return false;
    bk_fen_split(&fen, e->value);
    f->side = fen.at[BK_FEN_SIDE] ? *fen.at[BK_FEN_SIDE] : 'w';
    copy_field(f->rights, sizeof f->rights, &fen, BK_FEN_CASTLING);
    copy_field(f->passed, sizeof f->passed, &fen, BK_FEN_PASSED);
    if (!leave_rights(f))
        return false;
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (f->cell[sq / v->files][sq % v->files] == '*' && somebody_hops(v))
            return BK_WRONG(f, e, 0, "there, men can hop over `*`, and not over our holes");
        else if (f->cell[sq / v->files][sq % v->files] == '*')
            bk_bits_clear(&v->board, sq);
    for (unsigned type = 0; type < v->ntypes; type++) {
        unsigned men[2] = { f->in_hand[0][type], f->in_hand[1][type] };

        for (unsigned sq = 0; sq < v->nsq; sq++) {
            char c = f->cell[sq / v->files][sq % v->files];

            if (bk_is_letter(c) && bk_variant_type(v, c) == (int)type)
                men[c >= 'a']++;
        }
        v->piece[type].army = (uint8_t)(men[0] > men[1] ? men[0] : men[1]);
        if (type == v->royal && (men[0] != 1 || men[1] != 1))
            return BK_WRONG(f, e, 0, "a side has one royal piece");
    }
    return true;
}

/* == Men: where Betza's notation differs == */

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

/* == Men: riders ==
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

/* == Men == */

/* Our own reader of Betza's notation reads the move.  What the program would take otherwise is
   refused: some texts before, some moves after. */
static bool read_betza(struct bk_fairy_game *f, const struct bk_fairy_entry *e, const char *text,
                       struct bk_movement *m)
{
    struct bk_report why;
    const char *rider;
    size_t at = 0;

    m->steps_max = 1;
    for (const char *s = text; *s; s++)
        if (*s == 'p' && (!*hopping_atom(s) || !strchr("RBQ", *hopping_atom(s))))
            return BK_WRONG(f, e, s - e->value, "`p` is for R, B and Q only");
        else if (*s == 'p' && bk_is_digit(hopping_atom(s)[1]))
            return BK_WRONG(f, e, s - e->value, "a hop with a range is told in two ways");
        else if (bk_is_digit(s[0]) && bk_is_digit(s[1]))
            return BK_WRONG(f, e, s - e->value, "a range has one digit");
        else if (*s == '1' || *s == '(') /* W1 is a rider there, and brackets are passed over */
            return BK_WRONG(f, e, s - e->value, "`%c` is read otherwise, or not at all", *s);
        else if (pairs_on_both(s))
            return BK_WRONG(f, e, s - e->value, "`%.2s` before K or Q is told in two ways", s);
    if (bk_betza_read(m, text, &at, &why))
        return BK_WRONG(f, e, text == e->value + 2 ? 2 + at : 0, "%s", why.text);
    rider = wrong_rider(m);
    if (rider)
        return BK_WRONG(f, e, text - e->value, "%s", rider);
    return left_as_right(m) ||
           BK_WRONG(f, e, text - e->value,
                    "left and right must be alike: a Black man is turned there, "
                    "and mirrored here");
}

/* "k", "x:Betza", "-" (no such piece) */
static bool read_piece(struct bk_fairy_game *f, const struct bk_fairy_entry *e)
{
    struct bk_variant *v = f->v;
    struct bk_piece *p = &v->piece[v->ntypes];
    bool own_move = e->key->kind == BK_FAIRY_CUSTOM || !strcmp(e->name, "king");
    const char *move = e->key->text;

    if (!strcmp(e->value, "-"))
        return true;
    if (e->key->kind == BK_FAIRY_CANNOT_BE)
        return BK_WRONG(f, e, 0, "%s", e->key->text);
    if (!bk_is_letter(e->value[0]))
        return BK_WRONG(f, e, 0, "expected a letter%s", own_move ? ", `:` and a move" : "");
    if (own_move && e->value[1] == ':')
        move = e->value + 2;
    else if (e->value[1] || !move)
        return BK_WRONG(f, e, 1, move ? "expected one letter" : "expected `:` and a move");
    if (v->ntypes == BK_TYPES_MAX)
        return BK_WRONG(f, e, 0, "more than %d pieces", BK_TYPES_MAX);
    if (bk_fairy_letter_goes(&f->in, e))
        return true;
    if (bk_variant_type(v, e->value[0]) >= 0)
        return BK_WRONG(f, e, 0, "letter %c is taken by '%s'", bk_upper(e->value[0]),
                        v->piece[bk_variant_type(v, e->value[0])].name);
    p->letter = bk_upper(e->value[0]);
    snprintf(p->name, sizeof p->name, "%s", e->name);
    p->ranks = bk_all_ranks(v);
    v->ntypes++;
    return read_betza(f, e, move, &p->move);
}

/* Returns the type of the piece that has this key; -1: there is none. */
static int piece_named(const struct bk_variant *v, const char *name)
{
    for (int i = 0; i < v->ntypes; i++)
        if (!strcmp(v->piece[i].name, name))
            return i;
    return -1;
}

/* A soldier that goes sideways only from some rank on. */
static bool read_soldier(struct bk_fairy_game *f)
{
    int type = piece_named(f->v, "soldier");
    struct bk_piece *p = type >= 0 ? &f->v->piece[type] : NULL;
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "soldierPromotionRank");
    unsigned rank;

    if (!bk_fairy_get_number(f, "soldierPromotionRank", 1, f->v->ranks, 1, &rank))
        return false;
    if (!p || rank == 1)
        return true;
    p->zone = p->move;
    p->zone_ranks = (uint16_t)(p->ranks & ~0u << (rank - 1));
    return read_betza(f, e, "fW", &p->move);
}

/* Reads all men from their keys. */
static bool read_pieces(struct bk_fairy_game *f)
{
    for (unsigned i = 0; i < f->in.nentries; i++)
        if (f->in.entry[i].key->kind <= BK_FAIRY_CUSTOM && !read_piece(f, &f->in.entry[i]))
            return false;
    return read_soldier(f);
}

/* Finds the royal piece: the king; or, without one, the one man whose loss loses. */
static bool read_royal(struct bk_fairy_game *f)
{
    struct bk_variant *v = f->v;
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "kingType"),
                                *types = bk_fairy_get(&f->in, "extinctionPieceTypes");
    int royal = piece_named(v, "king"), like;
    uint32_t one = 0;
    bool pseudo;

    if (!bk_fairy_get_bool(f, "extinctionPseudoRoyal", false, &pseudo))
        return false;
    if (pseudo && royal >= 0)
        return BK_WRONG(f, bk_fairy_get(&f->in, "extinctionPseudoRoyal"), 0,
                        "a second royal piece");
    if (pseudo) {
        if (!types || !strcmp(types->value, "*") || !bk_fairy_get_types(f, types, &one) || !one ||
            one & (one - 1))
            return f->in.err
                       ? false
                       : BK_WRONG(f, types ? types : bk_fairy_get(&f->in, "extinctionPseudoRoyal"),
                                  0, "one kind of man must be royal");
        royal = __builtin_ctz(one);
    }
    if (royal < 0)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0, "[%s]: there is no king", v->name);
    if (e) {
        like = *e->value && !e->value[1] ? bk_variant_type(v, *e->value) : -1;
        if (like < 0)
            return BK_WRONG(f, e, 0, "no piece has the letter `%s`", e->value);
        v->piece[royal].move = v->piece[like].move;
    }
    v->piece[royal].royal = true;
    v->royal = (uint8_t)royal;
    return true;
}

/* == Pawns: promotion ==
 *
 * Our rules say by ranks from the own side where pawns do something, alike for both colours;
 * whatever the keys say otherwise is refused.  Versions of the program have different defaults
 * where the board has not eight ranks (where pawns promote, from where they go two): there we ask
 * for the key rather than guess.
 */

/* Refuses a rank number that stands in an earlier section than maxRank: the program counts Black's
   ranks on the board of the number's own section. */
static bool counted_on_this_board(struct bk_fairy_game *f, const char *name)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, name),
                                *ranks = bk_fairy_get(&f->in, "maxRank");

    return !e || !ranks || ranks->level <= e->level ||
           BK_WRONG(f, e, 0, "a later section has 'maxRank': say this key there, too");
}

/* Reads the ranks on which a pawn promotes. */
static bool read_zone(struct bk_fairy_game *f, uint16_t *zone)
{
    unsigned rank;

    if (!bk_fairy_comes_first(f, "promotionRegionWhite", "promotionRank"))
        return false;
    if (bk_fairy_get(&f->in, "promotionRegionWhite") ||
        bk_fairy_get(&f->in, "promotionRegionBlack"))
        return bk_fairy_get_ranks(f, "promotionRegionWhite", "promotionRegionBlack",
                                  bk_fairy_get(&f->in, "promotionRank") ? NULL : "*1", zone);
    if (!bk_fairy_get(&f->in, "promotionRank") && f->v->ranks != 8)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                              "[%s]: on %u ranks, key 'promotionRank' must be there", f->v->name,
                              f->v->ranks);
    if (!counted_on_this_board(f, "promotionRank") ||
        !bk_fairy_get_number(f, "promotionRank", 1, f->v->ranks, 8, &rank))
        return false;
    *zone = (uint16_t)(bk_all_ranks(f->v) & ~0u << (rank - 1));
    return true;
}

/* Reads "q:1 r:2": men become a `q` only while there are fewer than 1; *limited: these types. */
static bool read_limits(struct bk_fairy_game *f, uint32_t *limited)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "promotionLimit");

    *limited = 0;
    if (e && e->again)
        return BK_WRONG(f, e, 0, "inherited limits stay beside these: say all in one section");
    for (const char *s = e ? e->value : ""; *s;) {
        int type, used = 0;
        unsigned n = 0;

        if (!bk_is_letter(*s) || sscanf(s + 1, " : %3u%n", &n, &used) != 1 || n > 200)
            return BK_WRONG(f, e, s - e->value, "expected a piece's letter, `:`, a number");
        if (!bk_fairy_get_letter(f, e, (unsigned)(s - e->value), &type))
            return false;
        if (n > f->v->nsq)
            return BK_WRONG(f, e, s - e->value, "%u men on %u squares", n, f->v->nsq);
        if (type < 0)
            n = 0;
        if (n && n < f->v->piece[type].army) /* the army is how many there may be, too */
            return BK_WRONG(f, e, s - e->value, "there are %u of them in startFen",
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

static bool read_promotion(struct bk_fairy_game *f, struct bk_piece *p)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "promotionPieceTypes");
    uint32_t to, limited;
    uint16_t zone = 0;
    bool must;

    if (!e)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                              "[%s]: key 'promotionPieceTypes' must be there", f->v->name);
    if (!bk_fairy_get_types(f, e, &to) || !read_zone(f, &zone) || !read_limits(f, &limited) ||
        !bk_fairy_get_bool(f, "mandatoryPawnPromotion", true, &must))
        return false;
    if (to >> f->v->royal & 1)
        return BK_WRONG(f, e, 0, "nothing becomes the royal piece");
    add_become(p, zone, to & ~limited, must, false);
    add_become(p, zone, to & limited, must, true);
    if (must)
        p->ranks &= (uint16_t)~zone; /* no promotion on offer: no move there */
    return true;
}

/* == Pawns: double steps == */

/* Refuses doubleStepRankMin beside doubleStepRank, unless it is 2, the default, in the same
   section: newer versions of the program read it only without the other. */
static bool least_rank_is_read(struct bk_fairy_game *f, unsigned low)
{
    const struct bk_fairy_entry *most = bk_fairy_get(&f->in, "doubleStepRank"),
                                *least = bk_fairy_get(&f->in, "doubleStepRankMin");

    return !most || !least || (low == 2 && most->level == least->level) ||
           BK_WRONG(f, least, 0,
                    "newer versions pass it over beside 'doubleStepRank'; say regions instead");
}

/* Refuses an inherited doubleStep that is said again without its ranks: where a section has no
   double step, the program forgets the ranks for the sections that inherit from it. */
static bool ranks_are_not_forgotten(struct bk_fairy_game *f)
{
    const struct bk_fairy_entry *on = bk_fairy_get(&f->in, "doubleStep"),
                                *from = bk_fairy_get(&f->in, "doubleStepRegionWhite");

    if (!from)
        from = bk_fairy_get(&f->in, "doubleStepRank");
    return !on || !on->again || (from && from->level == on->level) ||
           BK_WRONG(f, on, 0, "say from which ranks in the same section, too");
}

/* Reads the ranks from which pawns go two squares; 0: none. */
static bool read_double(struct bk_fairy_game *f, uint16_t *out)
{
    unsigned low, high;
    bool on;

    *out = 0;
    if (!bk_fairy_get_bool(f, "doubleStep", true, &on) ||
        !bk_fairy_get_number(f, "doubleStepRank", 1, f->v->ranks, 2, &high) ||
        !bk_fairy_get_number(f, "doubleStepRankMin", 1, f->v->ranks, 2, &low))
        return false;
    if (!on)
        return true;
    if (!counted_on_this_board(f, "doubleStepRank") ||
        !counted_on_this_board(f, "doubleStepRankMin") || !ranks_are_not_forgotten(f) ||
        !bk_fairy_comes_first(f, "doubleStepRegionWhite", "doubleStepRank") ||
        !bk_fairy_comes_first(f, "doubleStepRegionWhite", "doubleStepRankMin"))
        return false;
    if (bk_fairy_get(&f->in, "doubleStepRegionWhite") ||
        bk_fairy_get(&f->in, "doubleStepRegionBlack"))
        return bk_fairy_get_ranks(f, "doubleStepRegionWhite", "doubleStepRegionBlack",
                                  bk_fairy_get(&f->in, "doubleStepRank") ||
                                          bk_fairy_get(&f->in, "doubleStepRankMin")
                                      ? NULL
                                      : "*7",
                                  out);
    if (!bk_fairy_get(&f->in, "doubleStepRank") && f->v->ranks != 8)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                              "[%s]: on %u ranks, key 'doubleStepRank' must be "
                              "there, or 'doubleStep = false'",
                              f->v->name, f->v->ranks);
    for (unsigned rank = low; rank <= high; rank++)
        *out |= (uint16_t)(1u << (rank - 1));
    return least_rank_is_read(f, low);
}

/* == Pawns: en passant == */

/* Reads whether there is en passant: on all squares that a double step passes, or on none. */
static bool read_en_passant(struct bk_fairy_game *f, uint16_t from)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "enPassantRegion");
    const struct bk_variant *v = f->v;
    struct bk_bits squares;
    unsigned in = 0, out = 0;

    f->v->en_passant = from;
    if (!e || !from)
        return true;
    if (!bk_fairy_get_region(f, e, &squares))
        return false;
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (from << 1 >> bk_own_rank(v, sq, colour) & 1)
                *(bk_bits_has(&squares, sq) ? &in : &out) += 1;
    f->v->en_passant = in;
    return !in || !out ||
           BK_WRONG(f, e, 0,
                    "only all squares that a double step passes, or none, "
                    "can be expressed");
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

/* == Pawns == */

/* The first rank, seen from its own side, on which a pawn stands in the array. */
static unsigned first_pawn_rank(const struct bk_fairy_game *f, char letter)
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

/* Reads all that is said of the piece with the key `pawn`, if there is one, after the array. */
static bool read_pawn(struct bk_fairy_game *f)
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

/* == Men who are stuck == */

/* Can a man of White go on from (file, rank) without capturing, on an empty board? */
static bool goes_on(const struct bk_variant *v, const struct bk_movement *m, unsigned sq)
{
    for (unsigned i = 0; i < m->nsteps; i++) {
        int file = (int)(sq % v->files) + m->step[i].df,
            rank = (int)(sq / v->files) + m->step[i].dr;

        if (m->step[i].how & BK_QUIET && file >= 0 && file < v->files && rank >= 0 &&
            rank < v->ranks && bk_bits_has(&v->board, bk_sq(v, (unsigned)file, (unsigned)rank)))
            return true;
    }
    return false;
}

/* With 'immobilityIllegal' no man goes where he could never go on: so he may not stand there. */
static bool read_stuck(struct bk_fairy_game *f)
{
    struct bk_variant *v = f->v;
    bool on;

    if (!bk_fairy_get_bool(f, "immobilityIllegal", false, &on))
        return false;
    for (unsigned type = 0; on && type < v->ntypes; type++) {
        struct bk_piece *p = &v->piece[type];
        unsigned stuck = 0, free_to_go = 0;

        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (bk_bits_has(&v->board, sq) && p->ranks >> (sq / v->files) & 1)
                *(goes_on(v, &p->move, sq) || goes_on(v, &p->zone, sq) ? &free_to_go : &stuck) |=
                    1u << (sq / v->files);
        if (stuck & free_to_go)
            return BK_WRONG(f, bk_fairy_get(&f->in, "immobilityIllegal"), 0,
                            "%s: only whole ranks without a way on can be expressed", p->name);
        p->ranks &= (uint16_t)~stuck;
    }
    return true;
}

/* == Castling == */

/* The file of the outermost rook on a side's first rank, on one side of the king. */
static int rook_file(const struct bk_fairy_game *f, unsigned rank, char rook, int king, int step)
{
    int found = -1;

    for (int file = king + step; file >= 0 && file < f->v->files; file += step)
        if (f->cell[rank][file] == rook)
            found = file;
    return found;
}

/* The file of a letter on a rank of the array; -1: it is not there. */
static int file_of(const struct bk_fairy_game *f, unsigned rank, char letter)
{
    for (int file = 0; file < f->v->files; file++)
        if (f->cell[rank][file] == letter)
            return file;
    return -1;
}

/* Sets a home that is not known yet; false: it is another one. */
static bool home_is(uint8_t *home, int file)
{
    if (*home == BK_NO_HOME)
        *home = (uint8_t)file;
    return *home == file;
}

/* Notes the homes of one right of the array.  False: king or rook are not there, or they are on
   other files than those of another right. */
static bool right_homes(const struct bk_fairy_game *f, char right, unsigned rook,
                        struct bk_castling *k)
{
    unsigned colour = right >= 'a' ? BK_BLACK : BK_WHITE;
    unsigned rank = colour == BK_WHITE ? k->rank : f->v->ranks - 1u - k->rank;
    int shift = colour == BK_WHITE ? 0 : 'a' - 'A';
    char other = (char)(f->v->piece[rook].letter + shift), lower = bk_lower(right);
    int king = file_of(f, rank, (char)(f->v->piece[f->v->royal].letter + shift)), file;

    if (king < 0)
        return false;
    if (lower == 'k' || lower == 'q')
        file = rook_file(f, rank, other, king, lower == 'k' ? 1 : -1);
    else
        file = f->cell[rank][lower - 'a'] == other ? lower - 'a' : -1;
    return file >= 0 && home_is(&k->king_file, king) && home_is(&k->rook_file[file > king], file);
}

/* Sets the homes of a castling game to those of the rights of the array.  A wing of which none
   speaks has no castling. */
static bool homes_of_rights(const struct bk_fairy_game *f, unsigned rook, struct bk_castling *k)
{
    *k = (struct bk_castling){ .allowed = true,
                               .rank = k->rank,
                               .rook = (uint8_t)rook,
                               .king_file = BK_NO_HOME,
                               .rook_file = { BK_NO_HOME, BK_NO_HOME },
                               .king_to = { BK_NO_HOME, BK_NO_HOME },
                               .rook_to = { BK_NO_HOME, BK_NO_HOME } };
    for (const char *s = f->rights; *s; s++)
        if (bk_is_right(f->v, *s) &&
            !right_homes(f, *s, rook, k)) /* others the FEN's reader tells */
            return false;
    return true;
}

/* The letter of a key that names one piece; *type is left alone where it is missing. */
static bool get_type(struct bk_fairy_game *f, const char *name, int *type)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, name);

    if (!e)
        return true;
    if (!*e->value || e->value[1])
        return BK_WRONG(f, e, 0, "expected the letter of one piece");
    return bk_fairy_get_letter(f, e, 0, type) &&
           (*type >= 0 || BK_WRONG(f, e, 0, "a later section takes this piece away"));
}

/* Keys that say where king and rooks stand must agree with the array. */
static bool homes_agree(struct bk_fairy_game *f, const struct bk_castling *k)
{
    static const char *const name[] = { "castlingRookQueensideFile", "castlingRookKingsideFile",
                                        "castlingKingFile" };
    unsigned home[] = { k->rook_file[0], k->rook_file[1], k->king_file };

    for (unsigned i = 0; i < 3; i++) {
        unsigned file;

        if (!bk_fairy_get_file(f, name[i], f->v->files, home[i] + 1, &file))
            return false;
        if (home[i] != BK_NO_HOME && file != home[i] + 1)
            return BK_WRONG(f, bk_fairy_get(&f->in, name[i]), 0, "not where it stands in startFen");
    }
    return true;
}

/* Sets where king and rook go on the wings that castle. */
static bool read_goals(struct bk_fairy_game *f, struct bk_castling *k)
{
    static const char *const name[] = { "castlingQueensideFile", "castlingKingsideFile" };
    static const unsigned usual[] = { 3, 7 }; /* c, g */

    for (unsigned side = 0; side < 2; side++) {
        unsigned goal; /* from 1 */

        if (!bk_fairy_get_file(f, name[side], f->v->files, usual[side], &goal))
            return false;
        if (k->rook_file[side] == BK_NO_HOME)
            continue;
        if (side ? goal < 2 || goal > f->v->files : goal >= f->v->files)
            return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                                  "[%s]: key 'castling': the king's goal is not on "
                                  "the board",
                                  f->v->name);
        k->king_to[side] = (uint8_t)(goal - 1);
        k->rook_to[side] = (uint8_t)(side ? goal - 2 : goal); /* beside him, towards the middle */
    }
    return true;
}

static bool read_castling(struct bk_fairy_game *f)
{
    struct bk_variant *v = f->v;
    int king = piece_named(v, "king"), rook = piece_named(v, "rook");
    struct bk_castling k = { 0 };
    unsigned rank;
    bool on;

    if (!bk_fairy_get_bool(f, "castling", true, &on) ||
        !bk_fairy_get_number(f, "castlingRank", 1, v->ranks / 2, 1, &rank))
        return false;
    k.rank = (uint8_t)(rank - 1);
    if (!on)
        *f->rights = '\0';
    if (!*f->rights)
        return true; /* in no position that the game can reach */
    if (!bk_fairy_comes_first(f, "castlingRookPieces", "castlingRookPiece") ||
        !get_type(f, "castlingKingPiece", &king) || !get_type(f, "castlingRookPiece", &rook) ||
        !get_type(f, "castlingRookPieces", &rook))
        return false;
    if (king < 0)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                              "[%s]: key 'castlingKingPiece' must say who castles", v->name);
    if (king != v->royal)
        return BK_WRONG(f, bk_fairy_get(&f->in, "castlingKingPiece"), 0,
                        "only the royal piece castles");
    if (rook < 0 || !homes_of_rights(f, (unsigned)rook, &k))
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0,
                              "[%s]: key 'castling': king and rooks with rights must stand "
                              "at home in startFen, on the same files for both sides",
                              v->name);
    if (k.king_file == BK_NO_HOME)
        return true;
    if (!homes_agree(f, &k) || !bk_fairy_get_bool(f, "chess960", false, &k.shuffled) ||
        !read_goals(f, &k))
        return false;
    if (k.shuffled) { /* homes are a FEN's, and the games derived for it castle */
        k.allowed = false;
        k.king_file = k.rook_file[0] = k.rook_file[1] = BK_NO_HOME;
    }
    v->castling = k;
    return true;
}

/* == Endings == */

static bool read_stalemate(struct bk_fairy_game *f)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "stalemateValue");

    f->v->stalemate = e && !strcmp(e->value, "loss") ? BK_STALEMATE_LOSS : BK_STALEMATE_DRAW;
    return !e || !strcmp(e->value, "loss") || !strcmp(e->value, "draw") ||
           BK_WRONG(f, e, 0, "only draw or loss (of the side that cannot move) can be expressed");
}

/* Extinction down to one man is the bare king; docs/fairy-stockfish.md says what differs. */
static bool read_bare(struct bk_fairy_game *f)
{
    const struct bk_fairy_entry *value = bk_fairy_get(&f->in, "extinctionValue"),
                                *types = bk_fairy_get(&f->in, "extinctionPieceTypes");
    unsigned count, opponent;
    bool claim, pseudo;

    if (!bk_fairy_get_bool(f, "extinctionClaim", false, &claim) ||
        !bk_fairy_get_bool(f, "extinctionPseudoRoyal", false, &pseudo) ||
        !bk_fairy_get_number(f, "extinctionPieceCount", 0, 200, 0, &count) ||
        !bk_fairy_get_number(f, "extinctionOpponentPieceCount", 0, 200, 0, &opponent))
        return false;
    if (!value || !strcmp(value->value, "none"))
        return !pseudo || BK_WRONG(f, bk_fairy_get(&f->in, "extinctionPseudoRoyal"), 0,
                                   "needs extinctionValue");
    if (strcmp(value->value, "loss"))
        return BK_WRONG(f, value, 0, "only loss or none can be expressed");
    if (pseudo)
        return count == 0 || BK_WRONG(f, bk_fairy_get(&f->in, "extinctionPieceCount"), 0,
                                      "a royal piece is lost "
                                      "with the last of them");
    if (!types || strcmp(types->value, "*"))
        return BK_WRONG(f, types ? types : value, 0,
                        "only * (all men, that is, a bare king) can "
                        "be expressed");
    if (count != 1)
        return BK_WRONG(f,
                        bk_fairy_get(&f->in, "extinctionPieceCount")
                            ? bk_fairy_get(&f->in, "extinctionPieceCount")
                            : value,
                        0, "only extinctionPieceCount = 1 (a bare king) can be expressed");
    if (opponent > 2)
        return BK_WRONG(f, bk_fairy_get(&f->in, "extinctionOpponentPieceCount"), 0,
                        "only 0 to 2 can be "
                        "expressed");
    f->v->bare = claim && opponent == 2 ? BK_BARE_BACK : BK_BARE_WINS;
    if (f->v->bare == BK_BARE_BACK && f->v->stalemate != BK_STALEMATE_LOSS)
        return BK_WRONG(f, bk_fairy_get(&f->in, "extinctionClaim"), 0,
                        "with stalemateValue = draw a bare king "
                        "that is stalemated draws, which cannot be expressed");
    return true;
}

/* The rule of fifty moves, and whose moves zero the counter: pawns', if the file does not say. */
static bool read_nmove(struct bk_fairy_game *f)
{
    const struct bk_fairy_entry *types = bk_fairy_get(&f->in, "nMoveRuleTypes");
    struct bk_nmove *n = &f->v->nmove;
    int pawn = piece_named(f->v, "pawn");
    unsigned moves;

    if (!bk_fairy_get_number(f, "nMoveRule", 0, BK_NMOVE_MAX, 50, &moves))
        return false;
    if (pawn >= 0)
        n->kinds = UINT32_C(1) << pawn;
    if (types && !bk_fairy_get_types(f, types, &n->kinds))
        return false;
    n->plies = (uint16_t)(2 * moves);
    if (!moves)
        n->kinds = 0;
    return true;
}

/* Checks that zeroing moves have no way back; needs the geometry. */
static bool check_zeroing(struct bk_fairy_game *f)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "nMoveRuleTypes");
    struct bk_complaint c;

    if (bk_zeroing_check(f->v, &c))
        return true;
    return e ? BK_WRONG(f, e, 0, "%s", c.text)
             : bk_fairy_fault(&f->in, f->in.wanted->line, 0, "[%s]: nMoveRuleTypes: %s", f->v->name,
                              c.text);
}

static bool check_others(struct bk_fairy_game *f)
{
    for (unsigned i = 0; i < f->in.nentries; i++) {
        const struct bk_fairy_entry *e = &f->in.entry[i];

        if (e->key->kind == BK_FAIRY_ONLY && strcmp(e->value, e->key->text))
            return BK_WRONG(f, e, 0, "only `%s` can be expressed", e->key->text);
        if (e->key->kind == BK_FAIRY_FLAG && strcmp(e->value, "-"))
            return BK_WRONG(f, e, 0,
                            "reaching a square ends the game, which cannot be expressed; only `-`");
    }
    return true;
}

/* == The whole == */

/* startFen in our own form. */
static void write_start(struct bk_fairy_game *f)
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
    n = bk_board_write(v, at, NULL, f->v->start);
    snprintf(f->v->start + n, sizeof f->v->start - n, " %c %s %s 0 1", f->side,
             *f->rights ? f->rights : "-", *f->passed ? f->passed : "-");
}

/* Checks that nobody can take a king at once in the array, as read.c does for a file of our own. */
static bool check_start(struct bk_fairy_game *f, const struct bk_pos *p)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, "startFen");
    static const char why[] = "the side that is not to move is in check";

    if (bk_pos_legal(f->v, p))
        return true;
    if (e)
        return BK_WRONG(f, e, 0, "%s", why);
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
           (bk_rules_stalemate_loses(v) || bk_in_check(v, &p, BK_WHITE));
}

/* Two kings alone are a draw here, and in the program they play on.  Refuses games in which one of
   them can be mated, or stalemated where that loses: the results would differ.  If a bare king
   loses at once, without baring back, kings never are alone. */
static bool check_kings_alone(struct bk_fairy_game *f)
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
                return e ? BK_WRONG(f, e, 0, "%s", why)
                         : bk_fairy_fault(&f->in, f->in.wanted->line, 0, "[%s]: %s", v->name, why);
    return true;
}

/* Checks the game; what is wrong with a piece is reported at its key. */
static bool check(struct bk_fairy_game *f)
{
    const struct bk_fairy_entry *e = NULL;
    struct bk_complaint c;

    if (bk_variant_check(f->v, &c))
        return true;
    if (c.type == f->v->royal)
        e = bk_fairy_get(&f->in, "kingType");
    if (c.type >= 0 && !e)
        e = bk_fairy_get(&f->in, f->v->piece[c.type].name);
    return e ? BK_WRONG(f, e, 0, "%s", c.text)
             : bk_fairy_fault(&f->in, f->in.wanted->line, 0, "[%s]: %s: %s", f->v->name, c.key,
                              c.text);
}

static bool finish(struct bk_fairy_game *f)
{
    const struct bk_fairy_entry *start = bk_fairy_get(&f->in, "startFen");
    struct bk_report why = { "" };
    struct bk_pos p;
    enum bk_err err;

    if (!f->held)
        write_start(f);
    if (!check(f))
        return false;
    err = bk_variant_finish(f->v, &why);
    if (!err && f->held)
        return check_kings_alone(f);
    if (!err)
        err = bk_pos_from_fen(&p, f->v, f->v->start, &why);
    if (err == BK_E_USAGE && start)
        return BK_WRONG(f, start, 0, "%s", why.text);
    if (err == BK_E_USAGE)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0, "%s", why.text);
    if (err)
        f->in.err = bk_fail(f->in.why, err, "%s", why.text);
    return !err && check_start(f, &p) && check_kings_alone(f) && check_zeroing(f);
}

static bool understand(struct bk_fairy_game *f)
{
    struct bk_variant *v = f->v;

    static_assert(BK_FAIRY_NAME_MAX < sizeof v->name, "its name fits");
    strcpy(v->name, f->in.wanted->name);
    strcpy(v->title, f->in.wanted->name);
    strcpy(v->source, "docs/fairy-stockfish.md");
    return bk_fairy_file_gather(&f->in) && check_others(f) && read_size(f) && read_pieces(f) &&
           read_royal(f) && read_start(f) && read_pawn(f) && read_stuck(f) && read_castling(f) &&
           read_stalemate(f) && read_bare(f) && read_nmove(f) && finish(f);
}

/* Reads the section `section` of a file, or a built-in game.  `copy`, the file's text, is changed.
 */
static enum bk_err read_game(struct bk_fairy_game *f, char *copy, const char *section,
                             const struct bk_embedded_fairy *built_in)
{
    if (built_in)
        bk_fairy_file_of_built_in(&f->in, built_in);
    if (built_in || bk_fairy_file_read(&f->in, copy, section))
        understand(f);
    bk_fairy_file_end(&f->in);
    if (built_in) /* "# its title" */
        snprintf(f->v->title, sizeof f->v->title, "%.*s", (int)strcspn(built_in->text + 2, "\n"),
                 built_in->text + 2);
    return f->in.err;
}

static enum bk_err read_into(struct bk_variant **out, const char *label, char *copy,
                             const char *section, const struct bk_embedded_fairy *built_in,
                             struct bk_report *why)
{
    struct bk_fairy_game *f = calloc(1, sizeof *f);
    struct bk_variant *v = calloc(1, sizeof *v);
    enum bk_err err = BK_E_SYSTEM;

    if (f && v) {
        f->in.label = label;
        f->in.why = why;
        f->v = v;
        err = read_game(f, copy, section, built_in);
    } else {
        bk_no_memory(why);
    }
    free(f);
    if (err)
        bk_variant_free(v);
    else
        *out = v;
    return err;
}

enum bk_err bk_fairy_parse(struct bk_variant **out, const char *label, const char *text,
                           const char *section, struct bk_report *why)
{
    char *copy = strdup(text + bk_utf8_mark(text));
    enum bk_err err = copy ? read_into(out, label, copy, section, NULL, why) : bk_no_memory(why);

    free(copy);
    return err;
}

enum bk_err bk_fairy_built_in(struct bk_variant **out, const struct bk_embedded_fairy *game,
                              struct bk_report *why)
{
    return read_into(out, game->name, NULL, NULL, game, why);
}

bool bk_fairy_is(const char *text)
{
    bool any = false;

    for (const char *line = text + bk_utf8_mark(text); *line; line += strcspn(line, "\n") + 1) {
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
