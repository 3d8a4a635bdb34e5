/*
 * explain.c - rules as sentences.
 *
 * Idea: the steps of a movement fall into groups of one leap, range and
 * purpose; a group is a phrase, and directions are named only where not all
 * of them are there.  Columns, ranks and letters are those of the .ini file.
 */
#include "core/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rules.h"

/* == Ranks, letters == */

/* Writes "2-7, 9"; bit r of `mask` is rank r + 1. */
static void say_ranks(FILE *out, unsigned mask)
{
    const char *comma = "";

    for (unsigned r = 0; r < BK_RANKS_MAX; r++) {
        unsigned low = r;

        if (!(mask >> r & 1))
            continue;
        while (mask >> (r + 1) & 1)
            r++;
        if (low == r)
            fprintf(out, "%s%u", comma, low + 1);
        else
            fprintf(out, "%s%u-%u", comma, low + 1, r + 1);
        comma = ", ";
    }
}

static void say_rank_or_ranks(FILE *out, unsigned mask)
{
    fprintf(out, mask & (mask - 1) ? "ranks " : "rank ");
    say_ranks(out, mask);
}

static void say_types(FILE *out, const struct bk_variant *v, const uint8_t *type, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        fprintf(out, "%s%c", i == 0 ? "" : i + 1 == n ? " or " : ", ", v->piece[type[i]].letter);
}

/* == Moves == */

/* The leap of a step, whatever its direction: x <= y. */
static int leap_x(const struct bk_step *s)
{
    return abs(s->df) < abs(s->dr) ? abs(s->df) : abs(s->dr);
}
static int leap_y(const struct bk_step *s)
{
    return abs(s->df) < abs(s->dr) ? abs(s->dr) : abs(s->df);
}

static bool same_group(const struct bk_step *a, const struct bk_step *b)
{
    return leap_x(a) == leap_x(b) && leap_y(a) == leap_y(b) && a->range == b->range &&
           a->how == b->how;
}

static unsigned directions_of(const struct bk_step *s)
{
    return leap_x(s) == 0 || leap_x(s) == leap_y(s) ? 4 : 8;
}

static void say_distance(FILE *out, const struct bk_step *s)
{
    int x = leap_x(s), y = leap_y(s);
    const char *way = x == 0 ? "orthogonally" : "diagonally";

    if (x != 0 && x != y) {
        if (x == 1 && y == 2)
            fprintf(out, "leaps like a knight of chess");
        else
            fprintf(out, "leaps %d squares one way and %d across", y, x);
    } else if (y > 1) {
        fprintf(out, "leaps %d squares %s", y, way);
    } else if (s->range == 0) {
        fprintf(out, "goes any number of squares %s", way);
    } else if (s->range > 1) {
        fprintf(out, "goes 1 to %d squares %s", s->range, way);
    } else {
        fprintf(out, "goes 1 square %s", way);
    }
    if (y > 1 && s->range == 0)
        fprintf(out, ", again and again over empty squares");
    else if (y > 1 && s->range > 1)
        fprintf(out, ", up to %d times over empty squares", s->range);
}

/* Does the group of step[i] also have its mirror image in the files? */
static bool mirrored(const struct bk_movement *m, unsigned i)
{
    for (unsigned j = 0; j < m->nsteps; j++)
        if (same_group(&m->step[j], &m->step[i]) && m->step[j].dr == m->step[i].dr &&
            m->step[j].df == -m->step[i].df)
            return true;
    return false;
}

/*
 * "forward", "sideways", "forward towards the a-file".  lopsided: the group has directions of one
 * wing only; then a pair says "to both sides", for in "forward or backward towards the a-file" the
 * first could be either.
 */
static void say_direction(FILE *out, const struct bk_step *s, bool both_wings, bool lopsided)
{
    const char *along = s->dr > 0 ? "forward" : s->dr < 0 ? "backward" : "";
    const char *pair = !*along ? "sideways" : lopsided && s->df ? "to both sides" : "";
    const char *across = both_wings  ? pair
                         : s->df < 0 ? "towards the a-file"
                                     : "away from the a-file";

    fprintf(out, "%s%s%s", along, *along && *across ? " " : "", across);
    if (leap_x(s) && leap_x(s) != leap_y(s))
        fprintf(out, " (%d along, %d across)", abs(s->dr), abs(s->df));
}

/* Names the directions of step[first]'s group unless all are there. */
static void say_directions(FILE *out, const struct bk_movement *m, unsigned first)
{
    unsigned n = 0;
    bool lopsided = false;
    const char *comma = " ";

    for (unsigned i = first; i < m->nsteps; i++)
        if (same_group(&m->step[i], &m->step[first])) {
            n++;
            lopsided |= !mirrored(m, i);
        }
    if (n == directions_of(&m->step[first]))
        return;
    for (unsigned i = first; i < m->nsteps; i++) {
        bool both = mirrored(m, i);

        if (!same_group(&m->step[i], &m->step[first]) || (both && m->step[i].df < 0))
            continue;
        fprintf(out, "%s", comma);
        say_direction(out, &m->step[i], both, lopsided);
        comma = " or ";
    }
}

static void say_purpose(FILE *out, const struct bk_step *s)
{
    if (s->how & BK_HOPS)
        fprintf(out, ", over exactly one man of either side");
    if (!(s->how & BK_TAKES))
        fprintf(out, ", without capturing");
    if (!(s->how & BK_QUIET))
        fprintf(out, ", only to capture");
}

static void say_movement(FILE *out, const struct bk_movement *m)
{
    for (unsigned i = 0; i < m->nsteps; i++) {
        bool said = false;

        for (unsigned j = 0; j < i; j++)
            said |= same_group(&m->step[j], &m->step[i]);
        if (said)
            continue;
        fprintf(out, "    - ");
        say_distance(out, &m->step[i]);
        say_directions(out, m, i);
        say_purpose(out, &m->step[i]);
        fprintf(out, "\n");
    }
    if (m->steps_max == 2) {
        fprintf(out, "    One or two such steps in a move, the second %s.\n",
                m->bend ? "in any direction, but not back to where it began"
                        : "in the direction of the first");
        fprintf(out, "    The square between must be empty%s.\n",
                m->takes_twice ? ", or hold an enemy, which is captured, too" : "");
    }
}

/* == Pieces == */

static void say_become(FILE *out, const struct bk_variant *v, const struct bk_piece *p,
                       const struct bk_become *b)
{
    bool partly = false;

    fprintf(out, "    Arriving on ");
    say_rank_or_ranks(out, b->ranks);
    fprintf(out, " it %s become ", b->must ? "must" : "may");
    say_types(out, v, b->to, b->nto);
    for (unsigned i = 0; i < b->nto && !partly; i++)
        partly = b->ranks & ~v->piece[b->to[i]].ranks;
    if (partly)
        fprintf(out, ", where %s may stand", b->nto > 1 ? "these" : "that");
    if (b->lost_only)
        fprintf(out, ", if its side has fewer of that kind on the board than it began with");
    if (b->must && !b->lost_only && !b->counted)
        fprintf(out, ".\n");
    else if (b->must)
        fprintf(out, ";\n    it stays %c only while it has no choice.\n", p->letter);
    else if (b->ranks & p->ranks)
        fprintf(out, ", or stay %c%s.\n", p->letter,
                b->ranks & ~p->ranks ? ", where that may stand" : "");
    else
        fprintf(out, "; it may not stand there as %c.\n", p->letter);
    if (b->counted)
        fprintf(out, "    Such changes count against the side's allowance.\n");
    if (b->in_place)
        fprintf(out, "    Standing there it may also change in place, as its whole turn.\n");
}

static void say_piece(FILE *out, const struct bk_variant *v, const struct bk_piece *p)
{
    fprintf(out, "\n%c  %s", p->letter, p->name);
    if (p->royal)
        fprintf(out, ", royal");
    if (p->army)
        fprintf(out, ", %d a side", p->army);
    fprintf(out, "\n");
    say_movement(out, &p->move);
    if (p->ranks != bk_all_ranks(v)) {
        fprintf(out, "    Stands only on ");
        say_rank_or_ranks(out, p->ranks);
        fprintf(out, ".\n");
    }
    if (p->double_ranks) {
        fprintf(out, "    From ");
        say_rank_or_ranks(out, p->double_ranks);
        fprintf(out, " it may go 2 squares forward over an empty square, without capturing.\n");
    }
    if (p->zone_ranks) {
        fprintf(out, "    On ");
        say_rank_or_ranks(out, p->zone_ranks);
        fprintf(out, " it moves otherwise:\n");
        say_movement(out, &p->zone);
    }
    for (unsigned i = 0; i < p->nbecomes; i++)
        say_become(out, v, p, &p->become[i]);
    if (p->power != BK_POWER_NONE)
        fprintf(out, "    It %s land where a move of its own could take it.\n",
                p->power == BK_POWER_DESTROYS ? "destroys" : "creates");
}

/* == The game == */

static void say_board(FILE *out, const struct bk_variant *v)
{
    fprintf(out, "Board: %d files, %d ranks", v->files, v->ranks);
    if (bk_bits_count(&v->board) < v->nsq) {
        fprintf(out, "; no squares at");
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (!bk_bits_has(&v->board, sq))
                fprintf(out, " %c%d", 'a' + (int)(sq % v->files), sq / v->files + 1);
    }
    fprintf(out, ".\n");
    if (*v->start)
        fprintf(out, "Start: %s\n", v->start);
}

static void say_castling(FILE *out, const struct bk_variant *v)
{
    const struct bk_castling *k = &v->castling;

    if (k->shuffled && !k->allowed)
        fprintf(out,
                "Castling: from its home the royal goes to the %c-file, the %c left of it to the "
                "%c-file;\nor to the %c-file, the %c right of it to the %c-file.  A position's FEN "
                "tells their homes.\n",
                'a' + k->king_to[0], v->piece[k->rook].letter, 'a' + k->rook_to[0],
                'a' + k->king_to[1], v->piece[k->rook].letter, 'a' + k->rook_to[1]);
    if ((k->allowed || k->shuffled) && k->rank)
        fprintf(out, "Castling is on rank %u.\n", k->rank + 1);
    for (unsigned side = 0; k->allowed && side < 2; side++) {
        if (k->rook_file[side] == BK_NO_HOME)
            continue;
        fprintf(out,
                "Castling: from the %c-file the royal goes to the %c-file, the %c of the "
                "%c-file to the %c-file.\n",
                'a' + k->king_file, 'a' + k->king_to[side], v->piece[k->rook].letter,
                'a' + k->rook_file[side], 'a' + k->rook_to[side]);
    }
}

static void say_limits(FILE *out, const struct bk_variant *v)
{
    for (unsigned i = 0; i < v->ntypes; i++)
        if (v->limit[i])
            fprintf(out, "In the whole game a side may make %d %c by evolution.\n", v->limit[i],
                    v->piece[i].letter);
}

static void say_nmove(FILE *out, const struct bk_variant *v)
{
    const struct bk_nmove *n = &v->nmove;
    uint8_t type[BK_TYPES_MAX];
    unsigned ntypes = 0;

    for (unsigned i = 0; i < v->ntypes; i++)
        if (n->kinds >> i & 1)
            type[ntypes++] = (uint8_t)i;
    if (!n->plies)
        return;
    fprintf(out, "After %u moves of each side without a capture", n->plies / 2);
    if (ntypes) {
        fprintf(out, " or a move of ");
        say_types(out, v, type, ntypes);
    }
    fprintf(out, "%s the game is a draw.\n",
            n->irreversible ? ", a change or a move that\ncan never be undone" : "");
}

/* Where a drop is a turn of its own. */
static void say_exchange(FILE *out, const struct bk_variant *v)
{
    const char *before = " ";

    if (!v->hands || v->hand_kind == BK_HAND_CAPTURED)
        return;
    if (v->hand_kind == BK_HAND_TURNED) {
        fprintf(out,
                "A captured man changes sides, one who was promoted as what he was; his new owner\n"
                "drops him on an empty square instead of a move.\n");
        return;
    }
    fprintf(
        out,
        "A captured man keeps its colour and sits in the captor's prison.  Instead of a move a\n"
        "side gives a prisoner back for one of its own, who is worth no more, and drops him at\n"
        "once; or it drops a man who was given back.  Who must change changes places with a\n"
        "man of his own side in the other's prison.  Values:");
    for (unsigned i = 0; i < v->ntypes; i++)
        if (i != v->royal) {
            fprintf(out, "%s%c %u", before, v->piece[i].letter, v->worth[i]);
            before = ", ";
        }
    fprintf(out, ".\n");
}

static void say_land(FILE *out, const struct bk_variant *v)
{
    if (!v->land.live)
        return;
    fprintf(
        out,
        "Land may change (* is sea): at the end of a move in an odd turn a side may destroy an\n"
        "empty square in range of a man of its own who destroys, before a move in an even turn\n"
        "create one in range of one who creates.%s  Only Black may begin, by destroying.\n",
        v->land.one_each ? "  White only creates, Black only destroys." : "");
    if (v->land.cancels)
        fprintf(out, "Neither in range of an enemy who does the other.\n");
    if (v->land.bridges)
        fprintf(out, "No square is created that would make a bridge one square wide.\n");
    if (v->land.below)
        fprintf(out, "The army's board has the ranks %d to %d.\n", v->land.below + 1,
                v->ranks - v->land.below);
}

/* "A side without K, or with 2 M or fewer, has lost." */
static void say_out_of(FILE *out, const struct bk_variant *v)
{
    const struct bk_out_of *o = &v->out_of;
    const char *comma = "";

    fprintf(out, "No man is royal: all may be taken.  A side ");
    for (unsigned i = 0; i < v->ntypes; i++) {
        if (!(o->kinds >> i & 1))
            continue;
        if (o->most[i])
            fprintf(out, "%swith %u %c or fewer", comma, o->most[i], v->piece[i].letter);
        else
            fprintf(out, "%swithout %c", comma, v->piece[i].letter);
        comma = ", or ";
    }
    fprintf(out, "%s has %s.\n", o->kinds ? "" : "without men", o->wins ? "won" : "lost");
}

static void say_end(FILE *out, const struct bk_variant *v)
{
    static const char *const stalemate[] = {
        [BK_STALEMATE_DRAW] = "Stalemate is a draw",
        [BK_STALEMATE_LOSS] = "Stalemate is a loss for the side that cannot move",
        [BK_STALEMATE_WIN] = "Stalemate is a win for the side that cannot move",
        [BK_STALEMATE_FEWER] = "Stalemate is a win for the side with fewer men",
    };

    if (bk_rules_royal(v))
        fprintf(out, "Mate wins.  ");
    else
        say_out_of(out, v);
    fprintf(out, "%s.\n", stalemate[v->stalemate]);
    if (v->must_capture)
        fprintf(out, "A side that can capture must.\n");
    switch (v->bare) {
    case BK_BARE_NOTHING: break;
    case BK_BARE_WINS: fprintf(out, "Capturing the last man but the royal wins at once.\n"); break;
    case BK_BARE_BACK:
        fprintf(out, "Capturing the last man but the royal wins at once, unless the very next\n"
                     "move does the same to the captor: then it is a draw.\n");
        break;
    }
    if (v->configuration)
        fprintf(out, "Exactly one own man in each box of 2x2 squares at the end of a turn wins.\n");
    say_exchange(out, v);
    if (v->hands && v->hand_kind == BK_HAND_CAPTURED)
        fprintf(out,
                "A captured man keeps its colour; the captor holds it, and drops it on an\n"
                "empty square before or after a move, at the latest in his next turn%s.\n",
                v->hand_bonus ? ",\nor so many turns later as he has released men of its kind"
                              : "");
    if (v->no_recapture)
        fprintf(out, "A man may not be taken in the turn in which it was dropped.\n");
    if (v->opening_drops)
        fprintf(out, "The game begins on an empty board: in turn, each side drops a man of each\n"
                     "colour, and at last its king.\n");
    if (v->quiet_turns)
        fprintf(out, "In the first %d turns of each side after that, %s may give check.\n",
                v->quiet_turns, v->quiet_moves ? "no man who moves" : "nobody");
    if (v->game_turns)
        fprintf(out, "After %d turns of each side the game is a draw.\n", v->game_turns);
    say_nmove(out, v);
    say_land(out, v);
    if (v->en_passant)
        fprintf(out, "A man that went 2 squares may be captured en passant.\n");
}

char *bk_variant_explain(const struct bk_variant *v)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool failed;

    if (!out)
        return NULL;
    fprintf(out, "%s (%s)\n", *v->title ? v->title : v->name, v->name);
    if (*v->source)
        fprintf(out, "Argued in %s.\n", v->source);
    fprintf(out, "\n");
    say_board(out, v);
    say_end(out, v);
    say_limits(out, v);
    say_castling(out, v);
    fprintf(out, "\nRanks count from a side's own first; forward is away from it.\n");
    for (unsigned i = 0; i < v->ntypes; i++)
        say_piece(out, v, &v->piece[i]);
    failed = ferror(out);
    if (fclose(out) || failed) {
        free(text);
        return NULL;
    }
    return text;
}
