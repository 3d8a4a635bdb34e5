/*
 * fairy.c - reads a section of Fairy-Stockfish's variants.ini.
 *
 * Idea: what is in force (fairy_file.h) is read key by key into a plain struct
 * bk_variant, which bk_variant_finish() checks like any other: here the board,
 * the array, castling, and how games end; in fairy_men.c the men, in
 * fairy_pawn.c what is special about pawns.
 *
 * Below, "the program" is Fairy-Stockfish.
 */
#include "core/fairy.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/check.h"
#include "core/fairy_men.h"
#include "core/fairy_pawn.h"
#include "core/letter.h"
#include "core/move.h"
#include "core/position.h"
#include "core/rules.h"
#include "core/utf8.h"

/* == 1. The board == */

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
    if (!strncmp(*s, "[]", 2) || !strncmp(*s, "[-]", 3))
        *s += strcspn(*s, "]") + 1;
    if (**s && **s != ' ')
        return BK_WRONG(f, e, *s - e->value,
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

/* Copies a field, "" if it says nothing. */
static void copy_field(char *out, size_t room, const struct bk_fen *fen, unsigned which)
{
    snprintf(out, room, "%.*s", (int)fen->n[which], fen->at[which] ? fen->at[which] : "");
    if (!strcmp(out, "-"))
        *out = '\0';
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
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (f->cell[sq / v->files][sq % v->files] == '*' && somebody_hops(v))
            return BK_WRONG(f, e, 0, "there, men can hop over `*`, and not over our holes");
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
            return BK_WRONG(f, e, 0, "a side has one royal piece");
    }
    return true;
}
/* == 2. Castling == */

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
    unsigned colour = right >= 'a' ? BK_BLACK : BK_WHITE, rank = bk_first_rank(f->v, colour);
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

    if (e)
        *type = *e->value && !e->value[1] ? bk_variant_type(f->v, *e->value) : -1;
    if (e && *type < 0)
        return BK_WRONG(f, e, 0, "expected the letter of one piece");
    return !e || bk_fairy_means_the_same(f, e, 0);
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
    int king = bk_fairy_piece_named(v, "king"), rook = bk_fairy_piece_named(v, "rook");
    struct bk_castling k;
    bool on;

    if (!bk_fairy_get_bool(f, "castling", true, &on))
        return false;
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
    if (!homes_agree(f, &k) || !read_goals(f, &k))
        return false;
    v->castling = k;
    return true;
}

/* == 3. Endings == */

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

/* == 4. The whole == */

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
    n = bk_board_write(v, at, f->v->start);
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
           (bk_rules_stalemate_wdl(v) < 0 || bk_in_check(v, &p, BK_WHITE));
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

    write_start(f);
    if (!check(f))
        return false;
    err = bk_variant_finish(f->v, &why);
    if (!err)
        err = bk_pos_from_fen(&p, f->v, f->v->start, &why);
    if (err == BK_E_USAGE && start)
        return BK_WRONG(f, start, 0, "%s", why.text);
    if (err == BK_E_USAGE)
        return bk_fairy_fault(&f->in, f->in.wanted->line, 0, "%s", why.text);
    if (err)
        f->in.err = bk_fail(f->in.why, err, "%s", why.text);
    return !err && check_start(f, &p) && check_kings_alone(f);
}

static bool understand(struct bk_fairy_game *f)
{
    struct bk_variant *v = f->v;

    static_assert(BK_FAIRY_NAME_MAX < sizeof v->name, "its name fits");
    strcpy(v->name, f->in.wanted->name);
    strcpy(v->title, f->in.wanted->name);
    strcpy(v->source, "docs/fairy-stockfish.md");
    return bk_fairy_file_gather(&f->in) && check_others(f) && read_size(f) &&
           bk_fairy_read_pieces(f) && bk_fairy_read_royal(f) && read_start(f) &&
           bk_fairy_read_pawn(f) && read_castling(f) && read_stalemate(f) && read_bare(f) &&
           finish(f);
}

enum bk_err bk_fairy_parse(struct bk_variant **out, const char *label, const char *text,
                           const char *section, struct bk_report *why)
{
    struct bk_fairy_game *f = calloc(1, sizeof *f);
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
