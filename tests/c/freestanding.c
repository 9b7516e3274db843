/* A pass and a scheduler without any standard library: the static library needs five functions on memory, and nothing
 * else. Linux on x86-64; the exit status is the line of the first failure. */
#include <stddef.h>
#include <surefill_parts.h>

/* The volatile pointers keep a compiler from making each of these a call of itself. */
void *memcpy(void *to, const void *from, size_t size) {
    volatile unsigned char *t = to;
    for (const unsigned char *f = from; size > 0; size--) *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t size) {
    volatile unsigned char *t = to;
    const unsigned char *f = from;
    if (t <= f) return memcpy(to, from, size);
    while (size-- > 0) t[size] = f[size];
    return to;
}

void *memset(void *to, int value, size_t size) {
    for (volatile unsigned char *t = to; size > 0; size--) *t++ = (unsigned char)value;
    return to;
}

int memcmp(const void *left, const void *right, size_t size) {
    const volatile unsigned char *l = left, *r = right;
    for (; size > 0; size--, l++, r++)
        if (*l != *r) return *l < *r ? -1 : 1;
    return 0;
}

/* Whether two pieces of memory differ: compilers call it where it does not matter how. */
int bcmp(const void *left, const void *right, size_t size);
int bcmp(const void *left, const void *right, size_t size) { return memcmp(left, right, size); }

#define MUST(condition) \
    if (!(condition)) return __LINE__

static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], distribution_memory[SUREFILL_DISTRIBUTION_SIZE / 8], pass_memory[50000];

static int pass_once(void) {
    static const int64_t ran[] = {20, 45, 90, 250, 600};
    surefill_bins *bins;
    surefill_distribution *distribution;
    surefill_pass_capacity capacity;
    surefill_rule rule;
    surefill_pass *pass;
    int32_t step, candidate;
    int64_t when;
    MUST(surefill_bins_init_default(bins_memory, sizeof bins_memory, &bins) == SUREFILL_OK);
    MUST(surefill_distribution_init_samples(distribution_memory, sizeof distribution_memory, bins, ran, NULL, 5,
                                            &distribution) == SUREFILL_OK);
    MUST(surefill_pass_capacity_init(&capacity) == SUREFILL_OK);
    capacity.running = capacity.candidates = 8;
    capacity.processors = 128;
    capacity.tie_cells = 0;
    MUST(surefill_pass_init(pass_memory, sizeof pass_memory, &capacity, &pass) == SUREFILL_OK);
    MUST(surefill_pass_begin(pass, 1000000, 8, 7, 16, 0) == SUREFILL_OK);
    MUST(surefill_pass_add_running(pass, 8, 0, 3600, NULL, NULL) == SUREFILL_OK);
    MUST(surefill_pass_add_candidate(pass, 8, 7200, distribution, NULL) == SUREFILL_OK);
    MUST(surefill_rule_init(&rule) == SUREFILL_OK);
    MUST(surefill_pass_decide(pass, &rule, 1000000, &step, &candidate) == SUREFILL_OK);
    MUST(step == SUREFILL_STEP_ACCEPT && candidate == 0);
    MUST(surefill_pass_commit(pass, 0) == SUREFILL_OK);
    MUST(surefill_pass_head_start_quantile(pass, 1, &when) == SUREFILL_OK);
    MUST(when == 1003600);
    return 0;
}

static int64_t scheduler_memory[60000], cycle_memory[20000];

static int cycle_once(void) {
    surefill_scheduler_capacity capacity;
    surefill_scheduler *scheduler;
    surefill_cycle *cycle;
    surefill_job job = {.struct_size = sizeof job, .id = 7, .count = 4, .limit = 3600, .queue_count = 1};
    surefill_action action = {.struct_size = sizeof action};
    int32_t pool;
    MUST(surefill_scheduler_capacity_init(&capacity, 8) == SUREFILL_OK);
    capacity.pools = capacity.queues = 1;
    capacity.histories = capacity.waits = capacity.arrivals = 8;
    MUST(surefill_scheduler_init(scheduler_memory, sizeof scheduler_memory, &capacity, &scheduler) == SUREFILL_OK);
    MUST(surefill_scheduler_configure(scheduler, "preset=fast", 11, NULL, NULL, 0) == SUREFILL_OK);
    MUST(surefill_scheduler_set_pool(scheduler, "nodes", 5, 4, -1, &pool) == SUREFILL_OK);
    MUST(surefill_scheduler_set_queue(scheduler, "batch", 5, pool, &job.queues[0]) == SUREFILL_OK);
    MUST(surefill_scheduler_set_job(scheduler, 1000000, &job) == SUREFILL_OK);
    MUST(surefill_cycle_begin(cycle_memory, sizeof cycle_memory, scheduler, pool, 1000000, &cycle) == SUREFILL_OK);
    MUST(surefill_cycle_next(cycle, scheduler, &action) == SUREFILL_OK);
    MUST(action.step == SUREFILL_ACT_START && action.job == 7);
    MUST(surefill_cycle_started(cycle, scheduler, action.number, 7) == SUREFILL_OK);
    MUST(surefill_cycle_close(cycle, scheduler) == SUREFILL_OK);
    return 0;
}

static int both(void) {
    const int line = pass_once();
    return line != 0 ? line : cycle_once();
}

/* Called by _start below, which lines the stack up as every C function expects it. */
__attribute__((used)) static void run(void) {
    __asm__ volatile("syscall" : : "a"(60), "D"(both()) : "rcx", "r11", "memory");
    __builtin_unreachable();
}

__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tand $-16, %rsp\n\tcall run\n");
