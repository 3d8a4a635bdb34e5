/*
 * test_machine.c - what a machine, or a container, leaves to a build: tb/memory/group.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tb/memory/cpu.h"
#include "tb/memory/group.h"
#include "tests/files.h"

static char root[] = "/tmp/machine-XXXXXX";

/* Writes a file under the root, and the folders that it wants. */
static void put(const char *path, const char *text)
{
    char all[PATH_MAX];

    snprintf(all, sizeof all, "%s/%s", root, path);
    for (char *at = all + strlen(root) + 1; (at = strchr(at, '/')) != NULL; *at++ = '/') {
        *at = 0;
        mkdir(all, 0777);
    }
    spill(all, text, strlen(text));
}

static int begin(void **state)
{
    (void)state;
    strcpy(root, "/tmp/machine-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
    char remove[PATH_MAX];

    (void)state;
    snprintf(remove, sizeof remove, "rm -rf '%s'", root);
    return system(remove);
}

static void machine__without_groups_has_no_limit(void **state)
{
    (void)state;
    assert_true(bk_group_cores(root) == UINT64_MAX);
    assert_true(bk_group_memory(root) == UINT64_MAX);
}

static void machine__heeds_the_quota_of_a_container(void **state)
{
    static const struct {
        const char *text;
        uint64_t cores;
    } cases[] = {
        { "max 100000\n", UINT64_MAX }, { "200000 100000\n", 2 }, { "150000 100000\n", 2 },
        { "200001 100000\n", 3 },       { "5000 100000\n", 1 },   { "400000 50000\n", 8 },
        { "200000\n", UINT64_MAX },     { "", UINT64_MAX },       { "200000 0\n", UINT64_MAX },
        { "rubbish\n", UINT64_MAX },
    };

    (void)state;
    put("proc/self/cgroup", "0::/\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put("sys/fs/cgroup/cpu.max", cases[i].text);
        assert_true(bk_group_cores(root) == cases[i].cores);
    }
}

static void machine__heeds_the_quotas_of_groups_around_its_own(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/kubepods/pod1/main\n");
    put("sys/fs/cgroup/kubepods/pod1/main/cpu.max", "800000 100000\n");
    put("sys/fs/cgroup/kubepods/pod1/cpu.max", "300000 100000\n");
    put("sys/fs/cgroup/kubepods/cpu.max", "max 100000\n");
    assert_true(bk_group_cores(root) == 3);
    put("proc/self/cgroup", "0::/elsewhere/of/the/host\n"); /* the container sees the root alone */
    assert_true(bk_group_cores(root) == UINT64_MAX);
    put("sys/fs/cgroup/cpu.max", "100000 100000\n");
    assert_true(bk_group_cores(root) == 1);
}

static void machine__heeds_the_quota_of_version_1(void **state)
{
    (void)state;
    put("proc/self/cgroup",
        "9:cpuset:/a\n8:memory:/a/b\n4:cpu,cpuacct:/a/b\n1:name=systemd:/x\n0::/x\n");
    put("sys/fs/cgroup/cpuset/a/cpu.cfs_quota_us", "100000\n"); /* of another controller */
    put("sys/fs/cgroup/cpuset/a/cpu.cfs_period_us", "100000\n");
    put("sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n");
    put("sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n");
    assert_true(bk_group_cores(root) == UINT64_MAX);
    put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "250000\n");
    put("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    assert_true(bk_group_cores(root) == 3);
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1073741824\n");
    assert_true(bk_group_memory(root) == UINT64_C(1) << 30);
}

static void machine__heeds_the_memory_of_groups(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/a/b\n");
    put("sys/fs/cgroup/a/b/memory.max", "max\n");
    assert_true(bk_group_memory(root) == UINT64_MAX);
    put("sys/fs/cgroup/a/memory.max", "2147483648\n");
    assert_true(bk_group_memory(root) == UINT64_C(2) << 30);
}

static void machine__lends_one_core_at_least_and_no_more_than_the_quota(void **state)
{
    (void)state;
    assert_true(bk_cores() >= 1);
    assert_true(bk_cores() <= bk_group_cores(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(machine__without_groups_has_no_limit, begin, end),
        cmocka_unit_test_setup_teardown(machine__heeds_the_quota_of_a_container, begin, end),
        cmocka_unit_test_setup_teardown(machine__heeds_the_quotas_of_groups_around_its_own, begin,
                                        end),
        cmocka_unit_test_setup_teardown(machine__heeds_the_quota_of_version_1, begin, end),
        cmocka_unit_test_setup_teardown(machine__heeds_the_memory_of_groups, begin, end),
        cmocka_unit_test(machine__lends_one_core_at_least_and_no_more_than_the_quota),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
