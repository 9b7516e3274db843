/* That a job asks for a range of nodes when its user does, and not when slurmctld has filled in its most. Without
 * Slurm's flag for that in the headers the Makefile gives it a value of its own. Licence: GPL-2.0-or-later, because
 * it is built from slurmctld's own headers. */
#include "compat.h"

#include "../expect.h"

#include <stdlib.h>

int main(void) {
    static job_details_t details = {.min_nodes = 1};
    static job_record_t job = {.details = &details};
    const char *known = "without the flag";
    CHECK(compat_max_nodes(&job) == 0);
    details.max_nodes = 8; /* -N 1-8 */
    CHECK(compat_max_nodes(&job) == 8);
#ifdef JOB_IMPLICIT_MAX_NODES
    known = "with the flag";
    job.bit_flags = JOB_IMPLICIT_MAX_NODES; /* -n 8 */
    CHECK(compat_max_nodes(&job) == 0);
    job.bit_flags |= USE_MIN_NODES;
    CHECK(compat_max_nodes(&job) == 0);
    job.bit_flags &= ~JOB_IMPLICIT_MAX_NODES; /* scontrol update NumNodes=1-8 */
    CHECK(compat_max_nodes(&job) == 8);
#endif
    printf("most_nodes: ranges of nodes %s: %s\n", known, failures == 0 ? "passed" : "FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
