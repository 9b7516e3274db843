/* The library allocates nothing while a scheduler runs: whole_scheduler.c with an allocator that counts. The blocks
 * that the example takes itself come from elsewhere, so that what is counted is the library's and the standard
 * library's. */
#include "check.h"
#include "counting.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#undef CHECK
#define main whole_main
#define malloc site_malloc
#define free site_free
#include "../../c-examples/whole_scheduler.c"
#undef main
#undef malloc
#undef free

static int holds(int condition, const char *what) { return check_that(condition, __FILE__, __LINE__, what); }

int main(int argc, char **argv) {
    static char output[BUFSIZ];
    surefill_totals totals = {.struct_size = sizeof totals};
    if (argc != 2) return 2;
    setvbuf(stdout, output, _IOFBF, sizeof output);
    free(malloc(1));
    holds(calls == 2, "the allocator counts");
    read_trace(argv[1]);
    holds(calls > 2, "opening the trace is seen");
    calls = 0;
    idle = machine;
    scheduler_make(64, "seed=1", NULL);
    const int64_t first_size = block_size;
    CHECK(surefill_scheduler_set_pool(scheduler, "nodes", 5, machine, -1, &pool));
    CHECK(surefill_scheduler_set_queue(scheduler, "batch", 5, pool, &queue));
    replay(false);
    report_waits();
    CHECK(surefill_scheduler_totals(scheduler, &totals));
    CHECK(surefill_scheduler_seal(scheduler));
    holds(job_count > 1000 && totals.started == job_count && block_size > first_size, "the scheduler has run and grown");
    holds(calls == 0, "nothing but the program's own blocks is allocated");
    holds(site_blocks == 2, "of its own blocks the program keeps two");
    return checks_done();
}
