// The header in C++17, in a shared object that links the static library, as a plugin would.
#include <surefill.h>

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
    return when == 1060 ? 0 : 6;
}
