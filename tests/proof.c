/* proof.c - see proof.h. */
#include "tests/proof.h"

#include <ctype.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "table/material.h"
#include "tb/make/build.h"

/* == Folders == */

/* Folders not yet removed, and the process that made each: a child leaves them to its parent. */
static struct folder {
    struct folder *next;
    pid_t maker;
    char path[PROOF_DIR_MAX];
} * folders;

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static void remove_all(void)
{
    while (folders) {
        struct folder *f = folders;

        folders = f->next;
        if (f->maker == getpid())
            nftw(f->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
        free(f);
    }
}

static void keep_in_mind(const char *path)
{
    static bool begun;
    struct folder *f = malloc(sizeof *f);

    if (!f || (!begun && atexit(remove_all)))
        exit(2);
    begun = true;
    f->maker = getpid();
    strcpy(f->path, path);
    f->next = folders;
    folders = f;
}

/* Prefers /dev/shm: tests sync thousands of small files, which costs nothing in memory. */
char *proof_folder(char out[PROOF_DIR_MAX])
{
    const char *parent = getenv("TMPDIR");

    if (!parent || !*parent)
        parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(out, PROOF_DIR_MAX, "%s/bareking-test-XXXXXX", parent);
    if (!mkdtemp(out)) {
        perror(out);
        exit(2);
    }
    keep_in_mind(out);
    return out;
}

void proof_remove(const char *path)
{
    struct folder **at = &folders;

    while (*at && strcmp((*at)->path, path))
        at = &(*at)->next;
    if (*at) {
        struct folder *f = *at;

        *at = f->next;
        free(f);
    }
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void proof_build(const struct bk_variant *v, const char *dir, const char *material)
{
    const struct bk_build_options o = { .pool = NULL };
    struct bk_report why = { "" };
    struct bk_plan *plan = NULL;
    struct bk_material m;

    if (bk_material_parse(&m, v, material, &why) ||
        bk_plan_new(&plan, v, dir, &m, 1, 0, true, &why) || bk_build(plan, &o, &why))
        fail_msg("%s: %s", material, why.text);
    bk_plan_free(plan);
}

/* == Positions == */

struct bk_pos proof_pos(const struct bk_variant *v, const struct ref_pos *r)
{
    struct bk_pos p;

    bk_pos_init(&p, v);
    memcpy(p.left, r->left, sizeof p.left);
    p.stm = r->stm;
    p.ep = r->ep;
    p.rights = r->rights;
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (r->at[sq])
            bk_pos_put(&p, v, (unsigned)(abs(r->at[sq]) - 1), r->at[sq] < 0, sq);
    return p;
}

struct ref_pos proof_ref(const struct bk_variant *v, const struct bk_pos *p)
{
    struct ref_pos r;

    ref_pos_init(v, &r);
    memcpy(r.left, p->left, sizeof r.left);
    r.stm = p->stm;
    r.ep = p->ep;
    r.rights = p->rights;
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (p->at[sq]) {
            int code = (int)bk_man_type(p->at[sq]) + 1;

            r.at[sq] = (int8_t)(bk_man_colour(p->at[sq]) ? -code : code);
        }
    return r;
}

struct bk_pos proof_exchanged(const struct bk_variant *v, const struct bk_pos *p, unsigned sym)
{
    uint8_t map[BK_SQ_MAX];
    struct bk_pos q;

    bk_symmetry_map(v, sym, map);
    bk_pos_init(&q, v);
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (p->at[sq])
            bk_pos_put(&q, v, bk_man_type(p->at[sq]), !bk_man_colour(p->at[sq]), map[sq]);
    for (unsigned colour = 0; colour < 2; colour++)
        memcpy(q.left[colour], p->left[!colour], sizeof q.left[colour]);
    q.stm = !p->stm;
    q.ep = p->ep == BK_SQ_NONE ? BK_SQ_NONE : map[p->ep];
    q.rights = (uint8_t)((p->rights & 3) << 2 | p->rights >> 2);
    return q;
}

/* == Questions == */

enum bk_lib_err proof_ask_men(struct bk_lib *lib, const struct bk_variant *v,
                              const struct bk_pos *p, struct bk_answer *out)
{
    struct bk_lib_man man[BK_SQ_MAX];
    size_t n = 0;

    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (p->at[sq]) {
            char letter = v->piece[bk_man_type(p->at[sq])].letter;

            if (bk_man_colour(p->at[sq]))
                letter = (char)tolower((unsigned char)letter);
            man[n++] = (struct bk_lib_man){ letter, (unsigned char)(sq % v->files),
                                            (unsigned char)(sq / v->files) };
        }
    return bk_probe_men(lib, man, n, p->stm, out);
}

enum bk_lib_err proof_ask_fen(struct bk_lib *lib, const struct bk_variant *v,
                              const struct bk_pos *p, struct bk_answer *out)
{
    char fen[BK_FEN_MAX];

    return bk_probe_fen(lib, bk_pos_to_fen(p, v, fen), out);
}

bool proof_same(const struct bk_answer *a, const struct ref_value *value, bool distances)
{
    int dtw = value->wdl ? value->dtw : -1;

    if (a->wdl != value->wdl)
        return false;
    return a->dtw == dtw || (!distances && a->dtw == -1 && dtw > 0);
}

void proof_agree(struct bk_lib *lib, const struct bk_variant *v, const struct ref_pos *r,
                 const struct ref_value *value)
{
    struct bk_pos p = proof_pos(v, r);
    struct bk_answer a;
    char fen[BK_FEN_MAX];

    if (proof_ask_fen(lib, v, &p, &a))
        fail_msg("%s: %s", bk_pos_to_fen(&p, v, fen), bk_error(lib));
    if (!proof_same(&a, value, true))
        fail_msg("%s: %+d in %d, the slow solver says %+d in %d", bk_pos_to_fen(&p, v, fen), a.wdl,
                 a.dtw, value->wdl, value->dtw);
}
