// The header in C++17, in a shared object that links the static library, as a plugin would.
#include <surefill_parts.h>

#include <cstdint>
#include <vector>

extern "C" int plugin_answer() {
    surefill_pass_capacity capacity;
    surefill_pass *pass = nullptr;
    int64_t size = 0, when = 0;
    if (surefill_pass_capacity_init(&capacity) != SUREFILL_OK) return 1;
    if (surefill_pass_size(&capacity, &size) != SUREFILL_OK || size <= 0) return 1;
    std::vector<int64_t> memory(static_cast<std::size_t>(size / 8 + 1));
    if (surefill_pass_init(memory.data(), size, &capacity, &pass) != SUREFILL_OK) return 2;
    if (surefill_pass_begin(pass, 1000, 1, 7, 2, 0) != SUREFILL_OK) return 3;
    if (surefill_pass_add_running(pass, 1, 0, 60, nullptr, nullptr) != SUREFILL_OK) return 4;
    if (surefill_pass_head_start_quantile(pass, 0.5, &when) != SUREFILL_OK) return 5;
    if (when != 1060) return 6;

    surefill_scheduler_capacity most;
    surefill_scheduler *scheduler = nullptr;
    surefill_cycle *cycle = nullptr;
    surefill_job job{};
    surefill_action action{};
    std::int32_t pool = -1;
    if (surefill_scheduler_capacity_init(&most, 8) != SUREFILL_OK) return 7;
    if (surefill_scheduler_size(&most, &size) != SUREFILL_OK || size <= 0) return 7;
    std::vector<std::int64_t> block(static_cast<std::size_t>(size / 8 + 1));
    if (surefill_scheduler_init(block.data(), size, &most, &scheduler) != SUREFILL_OK) return 8;
    if (surefill_scheduler_set_pool(scheduler, "nodes", 5, 4, -1, &pool) != SUREFILL_OK) return 9;
    if (surefill_scheduler_set_queue(scheduler, "batch", 5, pool, &job.queues[0]) != SUREFILL_OK) return 9;
    job.struct_size = sizeof job;
    job.id = 7;
    job.count = 4;
    job.queue_count = 1;
    if (surefill_scheduler_set_job(scheduler, 1000, &job) != SUREFILL_OK) return 10;
    if (surefill_cycle_size(&most, &size) != SUREFILL_OK || size <= 0) return 11;
    std::vector<std::int64_t> scratch(static_cast<std::size_t>(size / 8 + 1));
    if (surefill_cycle_begin(scratch.data(), size, scheduler, pool, 1000, &cycle) != SUREFILL_OK) return 12;
    action.struct_size = sizeof action;
    if (surefill_cycle_next(cycle, scheduler, &action) != SUREFILL_OK) return 13;
    return action.step == SUREFILL_ACT_START && action.job == 7 ? 0 : 14;
}
