/*
 * report.c - errors, numbers, boards, JSON; see report.h.
 */
#include "cli/report.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/attack.h"
#include "core/derive.h"
#include "core/end.h"
#include "core/rules.h"
#include "core/utf8.h"
#include "explore/json.h"
#include "table/listing.h"
#include "table/format.h"
#include "table/material.h"

/* == Errors == */

/* With --json: the errors said since the last answer; NULL where none are kept. */
static json_t *unanswered;

void cli_say_json(bool json)
{
    json_decref(unanswered);
    unanswered = json ? json_array() : NULL;
}

static void say(bool error, const char *fmt, va_list ap)
{
    char text[2048];

    vsnprintf(text, sizeof text, fmt, ap);
    bk_one_line(text);
    fflush(stdout);
    fprintf(stderr, "bareking: %s\n", text);
    if (unanswered && error)
        json_array_append_new(unanswered, ex_json_string(text));
}

void cli_say(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(true, fmt, ap);
    va_end(ap);
}

void cli_note(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(false, fmt, ap);
    va_end(ap);
}

char *cli_shown(char out[CLI_SHOWN_MAX], const char *text)
{
    snprintf(out, CLI_SHOWN_MAX, "%s", text);
    bk_one_line(out);
    return out;
}

/* Quotes a word for the shell, if it needs that.  Returns `out`, or `word` itself. */
static const char *quoted(char *out, size_t room, const char *word)
{
    size_t n = 0;

    if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789-_./,+=:@%")])
        return word;
    out[n++] = '\'';
    for (; *word && n + 6 < room; word++)
        if (*word == '\'')
            n += (size_t)sprintf(out + n, "'\\''");
        else
            out[n++] = *word;
    out[n++] = '\'';
    out[n] = 0;
    return out;
}

/* What a table lacks. */
enum lack { LACKS_NOTHING, LACKS_ALL, LACKS_DISTANCES };

/* Returns what a table lacks, looked for in each folder of the list; results and distances may be
   in two of them (bareking.h). */
static enum lack lack_of(const char *dirs, const struct bk_variant *v, struct bk_material m)
{
    char dir[PATH_MAX], path[PATH_MAX];
    enum lack lack = LACKS_ALL;
    struct bk_file_info info;
    bool distances = false, five = false;

    bk_material_canonical(&m, v);
    if (bk_material_by_rule(&m, v))
        return LACKS_NOTHING;
    for (size_t n; *dirs; dirs += n + (dirs[n] == ':')) {
        n = strcspn(dirs, ":");
        snprintf(dir, sizeof dir, "%.*s", (int)n, dirs);
        distances |= !access(bk_table_path(path, dir, v, &m, BK_KIND_DTW), F_OK);
        five |= !access(bk_table_path(path, dir, v, &m, BK_KIND_FIVE), F_OK);
        if (access(bk_table_path(path, dir, v, &m, BK_KIND_WDL), F_OK))
            continue;
        if (lack == LACKS_ALL)
            lack = LACKS_DISTANCES;
        if (bk_file_peek(&info, path, NULL) || !info.distances)
            distances = true; /* it promises none, or asking it says what is wrong */
    }
    if (lack == LACKS_ALL && five && bk_rules_nmove(v)) /* these promise no distances to the end */
        return LACKS_NOTHING;
    return lack == LACKS_DISTANCES && distances ? LACKS_NOTHING : lack;
}

/* What is missing to answer all positions of a material. */
#define COUNT_ROOM 32 /* room for ", and 123 more" */
struct missing {
    struct bk_material first;
    enum lack lack;   /* LACKS_DISTANCES: no table is missing; LACKS_NOTHING: nothing is */
    char others[320]; /* "; also missing: KRvKN, KRvKR, and 3 more", or "" */
    size_t unnamed;   /* how many there was no room for in `others` */
};

/* Names one more missing table, or counts it. */
static void name_missing(struct missing *out, enum lack lack, const struct bk_variant *v,
                         const struct bk_material *m)
{
    size_t at = strlen(out->others);
    char name[BK_MATERIAL_NAME_MAX], item[BK_MATERIAL_NAME_MAX + 32];

    if (!out->lack) {
        out->first = *m;
        out->lack = lack;
        return;
    }
    snprintf(item, sizeof item, "%s%s",
             at ? ", " : "; also missing: ", bk_material_name(m, v, name));
    if (out->unnamed || at + strlen(item) + COUNT_ROOM > sizeof out->others)
        out->unnamed++;
    else
        memcpy(out->others + at, item, strlen(item) + 1);
}

/* Finds what is missing of `m` and the nearest thousand that it leads to: a capture after a capture
   may settle a value, so what `m` itself moves into is not enough. */
static struct missing find_missing(const char *dirs, const struct bk_variant *v,
                                   const struct bk_material *m)
{
    struct missing all = { .first = *m }, distances, *out;
    struct bk_material *near;
    bool more;
    size_t n, at;

    bk_material_canonical(&all.first, v);
    distances = all;
    if (bk_materials_near(&near, &n, &more, m, v, 1000, NULL))
        return all;
    for (size_t i = 0; i < n; i++) {
        enum lack lack = lack_of(dirs, v, near[i]);

        if (lack)
            name_missing(lack == LACKS_ALL ? &all : &distances, lack, v, &near[i]);
    }
    free(near);
    out = all.lack ? &all : &distances;
    at = strlen(out->others);
    if (out->unnamed && more)
        snprintf(out->others + at, COUNT_ROOM, ", and more");
    else if (out->unnamed)
        snprintf(out->others + at, COUNT_ROOM, ", and %zu more", out->unnamed);
    return *out;
}

char *cli_odd_folders(char *out, size_t room, const struct cli *c, const struct bk_variant *v)
{
    *out = 0;
    return strcmp(c->dir, CLI_TABLES) ? bk_folders_odd_too(out, room, v, c->dir) : out;
}

int cli_fail_no_table(const struct cli *c, const struct bk_variant *v, const struct bk_material *m)
{
    struct missing missing = find_missing(c->dir, v, m);
    char name[BK_MATERIAL_NAME_MAX], build[BK_MATERIAL_NAME_MAX], game[64], dir[600], odd[400];
    char q_variant[600], q_build[2 * BK_MATERIAL_NAME_MAX], q_dir[640], q_for[640], on[660] = "";
    struct bk_report why = { "" };
    enum bk_err err = bk_material_check_hands(m, v, &why);
    const char *dirs;

    if (err)
        return cli_fail_report(err, &why);
    bk_material_name(&missing.first, v, name);
    bk_homes_name(v, bk_wings(missing.first.rights), game);
    cli_odd_folders(odd, sizeof odd, c, v);
    if (strstr(odd, ": say ")) /* that, and build nothing */
        return cli_fail(CLI_NO, "no table %s of %s in %.600s%s", name, game, c->dir, odd);
    dirs = c->dir + strspn(c->dir, ":"); /* of a list, the first */
    snprintf(dir, sizeof dir, "%.*s", (int)strcspn(dirs, ":"), dirs);
    if (c->terrain) /* the FEN of --for */
        snprintf(on, sizeof on, " --for %s", quoted(q_for, sizeof q_for, c->terrain));
    return cli_fail(CLI_NO,
                    "no %s %s of %s in %.600s%s%s; build %s: bareking build %s %s --dir %s%s",
                    missing.lack == LACKS_DISTANCES ? "distances of" : "table", name, game, c->dir,
                    odd, missing.others, missing.others[0] ? "them" : "it",
                    quoted(q_variant, sizeof q_variant, c->arg[0]),
                    quoted(q_build, sizeof q_build, bk_material_name(m, v, build)),
                    quoted(q_dir, sizeof q_dir, dir), on);
}

/* == Input == */

int cli_fail_unread(const char *path, int error)
{
    bool misnamed = bk_not_there(error) || error == EISDIR;

    return cli_fail(misnamed ? CLI_USAGE : CLI_SYSTEM, "cannot read %s: %s", path, strerror(error));
}

/* Replaces the game *v (taken) by the one that a FEN is asked in (owned). */
static enum bk_err derive(struct bk_variant **v, const char *fen, struct bk_report *why)
{
    struct bk_variant *base = *v;
    enum bk_err err = bk_variant_for_fen(v, base, fen, why);

    if (!err && !*v)
        *v = base;
    else
        bk_variant_free(base);
    return err;
}

static enum bk_err load(const struct cli *c, const char *name, struct bk_variant **out,
                        struct bk_report *why)
{
    return c->any_game ? bk_variant_load_any(out, name, why) : bk_variant_load(out, name, why);
}

int cli_variant_for(const struct cli *c, const char *fen, struct bk_variant **out)
{
    struct bk_report why = { "" };
    enum bk_err err = load(c, c->arg[0], out, &why);

    if (!err)
        err = derive(out, fen, &why);
    return err ? cli_fail_report(err, &why) : CLI_OK;
}

int cli_variant_named(const struct cli *c, const char *name, struct bk_variant **out)
{
    struct bk_report why = { "" };
    enum bk_err err = load(c, name, out, &why);

    if (!err && c->terrain)
        err = derive(out, c->terrain, &why);
    if (!err && c->terrain && (err = bk_fen_check(*out, c->terrain, &why)) != BK_OK)
        bk_variant_free(*out);
    return err ? cli_fail_report(err, &why) : CLI_OK;
}

int cli_variant(const struct cli *c, struct bk_variant **out)
{
    return cli_variant_named(c, c->arg[0], out);
}

int cli_wanted(const struct cli *c, const struct bk_variant *v, struct bk_material **out,
               unsigned *n)
{
    struct bk_report why = { "" };
    int status = cli_materials(c, v, out);
    struct bk_pos p;
    enum bk_err err;

    *n = c->nargs - 1;
    if (status || *n || c->men || !c->terrain)
        return status;
    err = bk_pos_from_fen(&p, v, c->terrain, &why);
    if (!err && bk_bits_count(&p.by[0]) + bk_bits_count(&p.by[1]) > BK_MEN_MAX)
        err = bk_fail(&why, BK_E_USAGE, "tables have at most %d men", BK_MEN_MAX);
    if (!err) {
        bk_material_of(*out, v, &p);
        *n = 1;
        return CLI_OK;
    }
    free(*out);
    *out = NULL;
    return cli_fail_report(err, &why);
}

int cli_one_material(const struct cli *c, const struct bk_variant *v, const char *command,
                     const char *to, struct bk_material *out)
{
    struct bk_material *m = NULL;
    char name[BK_MATERIAL_NAME_MAX];
    unsigned n;
    int status;

    if (c->nargs < 2 && !c->terrain)
        return cli_fail(CLI_USAGE, "%s: give a material or --for FEN; see bareking %s -h", command,
                        command);
    status = cli_wanted(c, v, &m, &n);
    if (status)
        return status;
    *out = m[0];
    free(m);
    bk_material_canonical(out, v);
    if (bk_material_by_rule(out, v))
        return cli_fail(CLI_NO, "%s is decided by rule; there is no table to %s",
                        bk_material_name(out, v, name), to);
    return CLI_OK;
}

void cli_tell_colours(const struct cli *c, const struct bk_variant *v)
{
    char asked[BK_MATERIAL_NAME_MAX], name[BK_MATERIAL_NAME_MAX];
    struct bk_material *m = NULL;
    unsigned n;

    if (c->json || c->quiet || c->nargs < 2 || cli_wanted(c, v, &m, &n))
        return;
    bk_material_name(&m[0], v, asked);
    if (bk_material_canonical(&m[0], v))
        fprintf(stderr, "bareking: %s was looked at as %s, whose first side is White\n", asked,
                bk_material_name(&m[0], v, name));
    free(m);
}

int cli_materials(const struct cli *c, const struct bk_variant *v, struct bk_material **out)
{
    struct bk_report why = { "" };

    *out = calloc(c->nargs, sizeof **out); /* one more than needed: never zero bytes */
    if (!*out)
        return cli_no_memory();
    for (unsigned i = 1; i < c->nargs; i++) {
        enum bk_err err = bk_material_parse(*out + i - 1, v, c->arg[i], &why);

        if (err) {
            free(*out);
            *out = NULL;
            return cli_fail_report(err, &why);
        }
    }
    return CLI_OK;
}

char *cli_join(const struct cli *c, unsigned first, unsigned end)
{
    size_t room = 1, n = 0;
    char *text;

    for (unsigned i = first; i < end; i++)
        room += strlen(c->arg[i]) + 1;
    text = malloc(room);
    if (!text)
        return NULL;
    text[0] = 0;
    for (unsigned i = first; i < end; i++)
        n += (size_t)sprintf(text + n, "%s%s", i > first ? " " : "", c->arg[i]);
    return text;
}

int cli_position(const struct bk_variant *v, const char *fen, struct bk_pos *p)
{
    struct bk_report why = { "" };
    enum bk_err err = bk_pos_from_fen(p, v, fen, &why);

    if (err)
        return cli_fail_report(err, &why);
    if (!bk_pos_legal(v, p))
        return cli_fail(CLI_USAGE, "illegal position: %s is to move and %s is in check",
                        cli_colour(p->stm), cli_colour(!p->stm));
    return CLI_OK;
}

bool cli_number(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
    char *end;
    unsigned long long n;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    n = strtoull(text, &end, 10);
    if (errno || *end || n < least || n > most)
        return false;
    *out = n;
    return true;
}

/* == Text == */

char *cli_count(char out[CLI_TEXT_MAX], uint64_t n)
{
    char digits[24];
    int len = sprintf(digits, "%llu", (unsigned long long)n), to = 0;

    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            out[to++] = ',';
        out[to++] = digits[i];
    }
    out[to] = 0;
    return out;
}

char *cli_bytes(char out[CLI_TEXT_MAX], uint64_t bytes)
{
    static const char *const unit[] = { "KiB", "MiB", "GiB", "TiB", "PiB" };
    double amount = (double)bytes / 1024;
    unsigned i = 0;

    if (bytes < 1024) {
        snprintf(out, CLI_TEXT_MAX, "%u B", (unsigned)bytes);
        return out;
    }
    for (; amount >= 1000 && i < 4; i++)
        amount /= 1024;
    snprintf(out, CLI_TEXT_MAX, "%.*f %s", amount < 100, amount, unit[i]);
    return out;
}

char *cli_seconds(char out[CLI_TEXT_MAX], double seconds)
{
    unsigned long s = seconds > 0 ? (unsigned long)(seconds + 0.5) : 0;

    if (s >= 3600)
        snprintf(out, CLI_TEXT_MAX, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(out, CLI_TEXT_MAX, "%lu:%02lu", s / 60, s % 60);
    return out;
}

char *cli_plies(char out[CLI_TEXT_MAX], long long plies)
{
    long long turns = (plies + 1) / 2;

    snprintf(out, CLI_TEXT_MAX, "%lld %s (%lld turn%s)", plies, plies == 1 ? "ply" : "plies", turns,
             turns == 1 ? "" : "s");
    return out;
}

char *cli_verdict(char out[CLI_TEXT_MAX], int wdl, long long plies)
{
    char text[CLI_TEXT_MAX];

    snprintf(out, CLI_TEXT_MAX, "%s", wdl > 0 ? "wins" : wdl < 0 ? "loses" : "draws");
    if (wdl && plies >= 0)
        snprintf(out + strlen(out), CLI_TEXT_MAX - strlen(out), " in %s", cli_plies(text, plies));
    return out;
}

const char *cli_colour(unsigned colour) { return colour == BK_WHITE ? "White" : "Black"; }

char *cli_end(char out[CLI_END_MAX], const struct bk_pos *p, enum bk_end end, int wdl)
{
    const char *mover = cli_colour(p->stm), *winner = cli_colour(wdl > 0 ? p->stm : !p->stm);
    char result[32];

    if (wdl)
        snprintf(result, sizeof result, "%s has won", winner);
    else
        snprintf(result, sizeof result, "a draw");
    *out = 0;
    switch (end) {
    case BK_END_NONE: break;
    case BK_END_CHECKMATE: snprintf(out, CLI_END_MAX, "%s is checkmated; %s", mover, result); break;
    case BK_END_STALEMATE: snprintf(out, CLI_END_MAX, "%s is stalemated; %s", mover, result); break;
    case BK_END_BARE:
        snprintf(out, CLI_END_MAX, "%s's king is bare; %s", cli_colour(wdl > 0 ? !p->stm : p->stm),
                 result);
        break;
    case BK_END_BARE_DRAW:
        if (bk_pos_both_bare(p))
            snprintf(out, CLI_END_MAX, "both kings are bare; %s", result);
        else
            snprintf(out, CLI_END_MAX, "%s's king is bare, but takes the last man at once; %s",
                     mover, result);
        break;
    case BK_END_OUT: snprintf(out, CLI_END_MAX, "a side is out of men; %s", result); break;
    }
    return out;
}

void cli_draw_board(const struct bk_variant *v, const struct bk_pos *p)
{
    for (unsigned rank = v->ranks; rank-- > 0;) {
        printf("  %2u |", rank + 1);
        for (unsigned file = 0; file < v->files; file++) {
            unsigned sq = bk_sq(v, file, rank);
            uint8_t man = p->at[sq];
            char c = ' '; /* a hole */

            if (man)
                c = bk_man_letter(v, man);
            else if (bk_bits_has(&p->sea, sq))
                c = '~';
            else if (bk_bits_has(&v->board, sq))
                c = '.';
            printf(" %c", c);
        }
        putchar('\n');
    }
    printf("      ");
    for (unsigned file = 0; file < v->files; file++)
        printf(" %c", (int)('a' + file));
    putchar('\n');
}

/* == JSON == */

int cli_print_json(json_t *value)
{
    if (value && json_array_size(unanswered)) {
        json_object_set_new(value, "errors", unanswered);
        unanswered = json_array();
    }
    return cli_print_json_line(value);
}

void cli_answer_errors(int status)
{
    if (json_array_size(unanswered) && !ferror(stdout))
        cli_print_json_line(json_pack("{sO si}", "errors", unanswered, "status", status));
    cli_say_json(false);
}

int cli_print_json_line(json_t *value)
{
    char *line = ex_json_text(value);

    if (!line)
        return cli_no_memory();
    puts(line); /* if this cannot be written main() says so, once */
    free(line);
    return CLI_OK;
}
