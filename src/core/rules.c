/*
 * rules.c - the one file that asks what a rule flag means.
 *
 * Idea: a `become` rule is data; here it turns into the list of things a man
 * may be when its move has ended.  The lists of all applicable rules add up,
 * and staying is one of the choices unless a `must` rule has something to
 * offer, or the man may not stand where it arrives.
 *
 * Cost: called for every move generated, so men without rules leave early.
 */
#include "core/rules.h"

bool bk_rules_may_stand(const struct bk_variant *v, unsigned type, unsigned colour, unsigned sq)
{
    return bk_bits_has(&v->board, sq) && v->piece[type].ranks >> bk_own_rank(v, sq, colour) & 1;
}

/* Does `rule` offer `type`?  Counts and allowances only; squares are asked elsewhere. */
static bool offers(const struct bk_variant *v, const struct bk_become *rule, unsigned type,
                   const uint8_t count[BK_TYPES_MAX], const uint8_t left[BK_TYPES_MAX])
{
    if (rule->lost_only && count[type] >= v->piece[type].army)
        return false;
    return !rule->counted || v->limit[type] == 0 || left[type] > 0;
}

/* Adds a choice; a type offered twice is kept once, free of charge if any rule gives it so. */
static unsigned offer(struct bk_change *out, unsigned n, unsigned type, bool counted)
{
    for (unsigned i = 0; i < n; i++)
        if (out[i].type == type) {
            out[i].counted = out[i].counted && counted;
            return n;
        }
    out[n] = (struct bk_change){ (uint8_t)type, counted };
    return n + 1;
}

unsigned bk_rules_changes(const struct bk_variant *v, const uint8_t count[BK_TYPES_MAX],
                          const uint8_t left[BK_TYPES_MAX], unsigned type, unsigned colour,
                          unsigned to, bool in_place, struct bk_change *out)
{
    const struct bk_piece *piece = &v->piece[type];
    bool stays = !in_place && bk_rules_may_stand(v, type, colour, to);
    unsigned n = 1; /* out[0] is kept for staying */

    out[0] = (struct bk_change){ BK_STAYS, false };
    for (unsigned i = 0; i < piece->nbecomes; i++) {
        const struct bk_become *rule = &piece->become[i];

        if (!(rule->ranks >> bk_own_rank(v, to, colour) & 1) || (in_place && !rule->in_place))
            continue;
        for (unsigned j = 0; j < rule->nto; j++) {
            unsigned into = rule->to[j];

            if (!offers(v, rule, into, count, left) || !bk_rules_may_stand(v, into, colour, to))
                continue;
            n = offer(out, n, into, rule->counted && v->limit[into] > 0);
            if (rule->must)
                stays = false;
        }
    }
    if (stays)
        return n;
    for (unsigned i = 1; i < n; i++)
        out[i - 1] = out[i];
    return n - 1;
}

bool bk_rules_offer(const struct bk_variant *v, unsigned type, bool counted, bool lost)
{
    for (unsigned i = 0; i < v->ntypes; i++)
        for (unsigned j = 0; j < v->piece[i].nbecomes; j++) {
            const struct bk_become *b = &v->piece[i].become[j];

            if ((counted && !b->counted) || (lost && !b->lost_only))
                continue;
            for (unsigned k = 0; k < b->nto; k++)
                if (b->to[k] == type)
                    return true;
        }
    return false;
}

bool bk_rules_may_change(const struct bk_variant *v, unsigned type, unsigned colour, unsigned to)
{
    for (unsigned i = 0; i < v->piece[type].nbecomes; i++)
        if (v->piece[type].become[i].ranks >> bk_own_rank(v, to, colour) & 1)
            return true;
    return false;
}

bool bk_rules_changes_in_place(const struct bk_variant *v, unsigned type)
{
    for (unsigned i = 0; i < v->piece[type].nbecomes; i++)
        if (v->piece[type].become[i].in_place)
            return true;
    return false;
}

bool bk_rules_takes_twice(const struct bk_variant *v, unsigned type)
{
    const struct bk_piece *p = &v->piece[type];

    return p->move.takes_twice || (p->zone_ranks && p->zone.takes_twice);
}

bool bk_rules_bare_loses(const struct bk_variant *v)
{
    switch (v->bare) {
    case BK_BARE_NOTHING: return false;
    case BK_BARE_WINS: return true;
    case BK_BARE_BACK: return true;
    }
    return false;
}

bool bk_rules_bares_back(const struct bk_variant *v) { return v->bare == BK_BARE_BACK; }

bool bk_rules_plain_is_exact(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX])
{
    unsigned men[2] = { 0, 0 }, boxes = 0;

    if (v->land.live)
        return false;
    if (!v->hands)
        return true;
    for (unsigned type = 0; type < v->ntypes; type++)
        for (unsigned c = 0; c < 2; c++)
            men[c] += count[c][type];
    if (bk_rules_drops_are_turns(v)) /* of two kings */
        return men[0] + men[1] == 2;
    if (men[0] == 1 || men[1] == 1) /* over already */
        return true;
    for (unsigned file = 0; file < v->files; file += 2)
        for (unsigned rank = 0; rank < v->ranks; rank += 2) {
            bool exists = false;

            for (unsigned i = 0; i < 4; i++)
                exists |= file + i % 2 < v->files && rank + i / 2 < v->ranks &&
                          bk_bits_has(&v->board, bk_sq(v, file + i % 2, rank + i / 2));
            boxes += exists;
        }
    return men[0] == 2 && men[1] == 2 && (!v->configuration || boxes > 2);
}

static unsigned men_of(const struct bk_variant *v, const uint8_t count[BK_TYPES_MAX])
{
    unsigned men = 0;

    for (unsigned type = 0; type < v->ntypes; type++)
        men += count[type];
    return men;
}

bool bk_rules_out(const struct bk_variant *v, const uint8_t count[BK_TYPES_MAX])
{
    for (unsigned type = 0; type < v->ntypes; type++)
        if (v->out_of.kinds >> type & 1 && count[type] <= v->out_of.most[type])
            return true;
    return men_of(v, count) == 0;
}

int bk_rules_out_wdl(const struct bk_variant *v) { return v->out_of.wins ? 1 : -1; }

bool bk_rules_over(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX])
{
    bool white, black;

    if (!bk_rules_royal(v))
        return bk_rules_out(v, count[BK_WHITE]) || bk_rules_out(v, count[BK_BLACK]);
    white = men_of(v, count[BK_WHITE]) == 1;
    black = men_of(v, count[BK_BLACK]) == 1;
    return (white && black) || (bk_rules_bare_loses(v) && (white || black));
}

int bk_rules_stalemate_wdl(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX],
                           unsigned us)
{
    unsigned ours, theirs;

    switch (v->stalemate) {
    case BK_STALEMATE_DRAW: return 0;
    case BK_STALEMATE_LOSS: return -1;
    case BK_STALEMATE_WIN: return 1;
    case BK_STALEMATE_FEWER: break;
    }
    ours = men_of(v, count[us]);
    theirs = men_of(v, count[!us]);
    return (ours < theirs) - (ours > theirs);
}

const char *bk_rules_without_tables(const struct bk_variant *v)
{
    if (!bk_rules_royal(v))
        return "no piece is royal";
    if (v->must_capture)
        return "captures = must";
    if (v->stalemate == BK_STALEMATE_WIN)
        return "stalemate = win";
    if (v->stalemate == BK_STALEMATE_FEWER)
        return "stalemate = fewer-men-win";
    return NULL;
}

/* == Promotion and evolution, as far as they go ========================== */

void bk_rules_allowances(const struct bk_variant *v, uint8_t left[2][BK_TYPES_MAX])
{
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned type = 0; type < BK_TYPES_MAX; type++)
            left[colour][type] = v->limit[type];
}

/* The types that one change may make of a man of `type`, as a mask; counted: only by rules that use
   up an allowance. */
static uint32_t changes_into(const struct bk_variant *v, unsigned type, bool counted)
{
    const struct bk_piece *p = &v->piece[type];
    uint32_t types = 0;

    for (unsigned i = 0; i < p->nbecomes; i++)
        for (unsigned j = 0; j < p->become[i].nto && (!counted || p->become[i].counted); j++)
            types |= UINT32_C(1) << p->become[i].to[j];
    return types;
}

unsigned bk_rules_changes_max(const struct bk_variant *v, unsigned type)
{
    return (unsigned)__builtin_popcount(changes_into(v, type, false));
}

/*
 * Every type is looked at once, whatever the number of ways that lead to it:
 * those ways grow as the product of the rules on them, and a game of twenty
 * kinds has too many to walk.
 */
uint32_t bk_rules_may_become(const struct bk_variant *v, uint32_t types)
{
    for (uint32_t todo = types; todo;) {
        unsigned type = (unsigned)__builtin_ctz(todo);
        uint32_t found = changes_into(v, type, false) & ~types;

        types |= found;
        todo = (todo & (todo - 1)) | found;
    }
    return types;
}

uint32_t bk_rules_may_use(const struct bk_variant *v, unsigned from)
{
    uint32_t types = bk_rules_may_become(v, UINT32_C(1) << from), used = 0;

    for (; types; types &= types - 1)
        used |= changes_into(v, (unsigned)__builtin_ctz(types), true);
    return used;
}

/* == What an army may come to ============================================ */

/* The types that may one day be `type`, it itself included. */
static uint32_t may_have_been(const struct bk_variant *v, unsigned type)
{
    uint32_t types = 0;

    for (unsigned i = 0; i < v->ntypes; i++)
        if (bk_rules_may_become(v, UINT32_C(1) << i) >> type & 1)
            types |= UINT32_C(1) << i;
    return types;
}

/* How many men of `type` beyond the army's the rules that lead to it allow at once; UINT8_MAX: any
   number. */
static unsigned most_made(const struct bk_variant *v, unsigned type)
{
    unsigned most = 0;

    for (unsigned i = 0; i < v->ntypes; i++)
        for (unsigned j = 0; j < v->piece[i].nbecomes; j++) {
            const struct bk_become *b = &v->piece[i].become[j];
            bool leads = false;

            for (unsigned k = 0; k < b->nto; k++)
                leads |= b->to[k] == type;
            if (leads && !b->lost_only) /* such rules only replace lost men */
                most = b->counted && v->limit[type] ? most + v->limit[type] : UINT8_MAX;
            if (most >= UINT8_MAX)
                return UINT8_MAX;
        }
    return most;
}

unsigned bk_rules_most(const struct bk_variant *v, unsigned type)
{
    unsigned made = v->piece[type].army + most_made(v, type), men = 0;

    for (uint32_t from = may_have_been(v, type); from; from &= from - 1)
        men += v->piece[__builtin_ctz(from)].army;
    return men < made ? men : made;
}

/*
 * Hall's condition: for any set of types, the army must have enough men that may become one of
 * them.  A table has at most BK_MEN_MAX men, so of few types, and all sets are tried.
 */
static bool army_suffices(const struct bk_variant *v, const uint8_t count[BK_TYPES_MAX])
{
    uint32_t from[BK_TYPES_MAX];
    uint8_t men[BK_TYPES_MAX];
    unsigned n = 0;

    for (unsigned type = 0; type < v->ntypes && n <= BK_MEN_MAX; type++)
        if (count[type]) {
            men[n] = count[type];
            from[n++] = may_have_been(v, type);
        }
    for (unsigned set = 1; set < 1u << n; set++) {
        unsigned wanted = 0, army = 0;
        uint32_t types = 0;

        for (unsigned i = 0; i < n; i++)
            if (set >> i & 1) {
                wanted += men[i];
                types |= from[i];
            }
        for (; types; types &= types - 1)
            army += v->piece[__builtin_ctz(types)].army;
        if (wanted > army)
            return false;
    }
    return true;
}

bool bk_rules_reachable(const struct bk_variant *v, const uint8_t count[BK_TYPES_MAX])
{
    unsigned army = 0;

    for (unsigned type = 0; type < v->ntypes; type++)
        army += v->piece[type].army;
    if (army <= 1 || v->hands)
        return true;
    for (unsigned type = 0; type < v->ntypes; type++)
        if (count[type] && count[type] > bk_rules_most(v, type))
            return false;
    return army_suffices(v, count);
}

/* == Double steps ======================================================== */

/* Does the movement reach the second square straight ahead without a double step? */
static bool goes_two_anyway(const struct bk_movement *m)
{
    for (unsigned i = 0; i < m->nsteps; i++) {
        const struct bk_step *s = &m->step[i];

        if (!(s->how & BK_QUIET))
            continue;
        if (s->df == 0 && (s->dr == 2 || (s->dr == 1 && s->range != 1)))
            return true;
        for (unsigned j = 0; m->steps_max == 2 && j < m->nsteps; j++) {
            const struct bk_step *t = &m->step[j];

            if (s->df + t->df == 0 && s->dr + t->dr == 2 && (m->bend || s->df == 0))
                return true;
        }
    }
    return false;
}

bool bk_rules_is_double(const struct bk_variant *v, unsigned type, unsigned colour, unsigned from,
                        unsigned to)
{
    return bk_rules_doubles_from(v, type, colour, from) &&
           (int)to == (int)from + 2 * bk_ahead(v, colour) &&
           !goes_two_anyway(bk_rules_movement(v, type, bk_own_rank(v, from, colour)));
}
