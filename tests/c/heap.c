/* Nothing is allocated: the examples run with an allocator that counts. wait_bounds.c reads its history on standard
 * input. Memory that an example takes itself, as much as the library says, is not counted. A scheduler:
 * heap_scheduler.c. */
#include "check.h"
#include "counting.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The examples as they are, with their steps in reach. */
#define malloc site_malloc
#define free site_free
#undef CHECK
#define main backfill_main
#define check backfill_check
#define bins_memory backfill_bins_memory
#define pass_memory backfill_pass_memory
#include "../../c-examples/backfill.c"
#undef main
#undef check
#undef bins_memory
#undef pass_memory
#undef CHECK
#undef COUNT
#define main start_times_main
#define check start_times_check
#define bins_memory start_times_bins_memory
#define pass_memory start_times_pass_memory
#include "../../c-examples/start_times.c"
#undef main
#undef check
#undef bins_memory
#undef pass_memory
#undef CHECK
#define main nodes_main
#define check nodes_check
#define bins_memory nodes_bins_memory
#define runs_memory nodes_runs_memory
#define nodes_memory nodes_nodes_memory
#include "../../c-examples/nodes.c"
#undef main
#undef check
#undef bins_memory
#undef runs_memory
#undef nodes_memory
#undef CHECK
#define main predict_main
#define check predict_check
#define bins_memory predict_bins_memory
#define predictor_memory predict_predictor_memory
#include "../../c-examples/predict.c"
#undef main
#undef check
#undef bins_memory
#undef predictor_memory
#undef CHECK
#define main wait_bounds_main
#define check wait_bounds_check
#define memory wait_bounds_memory
#include "../../c-examples/wait_bounds.c"
#undef main
#undef check
#undef memory
#undef CHECK
#define main choose_size_main
#define check choose_size_check
#include "../../c-examples/choose_size.c"
#undef main
#undef check
#undef CHECK

#undef malloc
#undef free

static int holds(int condition, const char *what) { return check_that(condition, __FILE__, __LINE__, what); }

int main(void) {
    static char output[BUFSIZ], input[BUFSIZ], name[] = "wait_bounds";
    char *alone[] = {name, NULL};
    setvbuf(stdout, output, _IOFBF, sizeof output);
    setvbuf(stdin, input, _IOFBF, sizeof input);

    free(malloc(1));
    holds(calls == 2, "the allocator counts");
    calls = 0;
    holds(backfill_main() == 0 && calls == 0, "backfill.c allocates nothing");

    holds(nodes_main() == 0 && calls == 0, "nodes.c allocates nothing");
    holds(start_times_main() == 0 && calls == 0, "start_times.c allocates nothing");
    holds(predict_main() == 0 && calls == 0, "predict.c allocates nothing");
    holds(choose_size_main() == 0 && calls == 0, "choose_size.c allocates nothing");
    holds(wait_bounds_main(1, alone) == 0 && feof(stdin) && calls == 0, "wait_bounds.c allocates nothing");
    holds(site_blocks == 0, "what the examples take they give back");

    return checks_done();
}
