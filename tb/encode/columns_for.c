/* columns_for.c - which columns.c this machine can run; what its portable form needs. */
#include "tb/encode/columns.h"

#include "tb/memory/cpu.h"

/* With AVX-512 only counting differs: with its registers moving bits takes a fifth longer. */
struct bk_columns bk_columns_for(void)
{
    struct bk_columns best = bk_columns_portable;
#ifdef __x86_64__
    enum bk_cpu cpu = bk_cpu();

    if (cpu >= BK_CPU_AVX2 && __builtin_cpu_supports("popcnt"))
        best = bk_columns_avx2;
    if (cpu >= BK_CPU_AVX512 && __builtin_cpu_supports("avx512vpopcntdq"))
        best.count = bk_columns_avx512.count;
#endif
    return best;
}

/* Step i moves those bits by 2^i that have an odd number of multiples of 2^i zeros of the mask
   below them. */
static void steps_of(uint64_t *steps, uint64_t mask)
{
    uint64_t zeros = ~mask << 1;

    for (unsigned i = 0; i < 6; i++) {
        uint64_t odd = zeros, moved;

        for (unsigned j = 1; j < 64; j *= 2)
            odd ^= odd << j;
        moved = odd & mask;
        steps[i] = moved;
        mask = (mask ^ moved) | moved >> (1u << i);
        zeros &= ~odd;
    }
}

void bk_columns_steps(uint64_t *steps, const uint64_t *mask, size_t words)
{
    for (size_t i = 0; i < words; i++)
        steps_of(steps + 6 * i, mask[i]);
}
