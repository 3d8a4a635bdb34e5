/*
 * jobs.h - writes a plan as a Makefile, or as jobs for Slurm.
 *
 * Either is the graph of missing tables: each is a build of its own, after the tables that it can
 * convert to.
 */
#ifndef BK_CLI_JOBS_H
#define BK_CLI_JOBS_H

#include "cli/cli.h"
#include "tb/make/plan.h"

/* A Makefile on stdout: `make -f FILE -j4` on one machine, or by whatever understands Makefiles. */
int cli_jobs_make(const struct cli *c, struct bk_plan *p);

/*
 * Into the folder c->slurm, which is made if it is not there: a script a job, and submit.sh, which
 * hands them to sbatch with their dependencies.  Small tables of the same depth make one array.
 * c->ranks  processes of a large table's job, each on a node; 0 or 1: one
 */
int cli_jobs_slurm(const struct cli *c, struct bk_plan *p);

#endif
