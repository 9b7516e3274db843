/* Writes a state file of the programs in c-examples/slurm-external that has learnt from the jobs on standard input:
 * learn_engine FILE. One job a line, in the order of their ends, as learn.c reads them: when it ended, user, nodes,
 * seconds of its limit, seconds it ran, name. Each counts as having waited for ten minutes. */
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    static const char pool_name[] = "nodes";
    struct engine engine;
    struct pace pace;
    char message[300];
    long long end, user, nodes, limit, seconds;
    int64_t id = -1; /* no job of Slurm's has such */
    int32_t pool, status;
    int fields;
    if (argc != 2 || !engine_make(&engine, NULL, &pace, message, sizeof message)) return EXIT_FAILURE;
    status = surefill_scheduler_set_pool(engine.scheduler, pool_name, sizeof pool_name - 1, 1, -1, &pool);
    if (status == SUREFILL_OK)
        status = surefill_scheduler_set_queue(engine.scheduler, pool_name, sizeof pool_name - 1, pool, &pool);
    while ((fields = scanf("%lld %lld %lld %lld %lld %*s", &end, &user, &nodes, &limit, &seconds)) == 5 &&
           status == SUREFILL_OK) {
        surefill_job job = {.struct_size = sizeof job, .state = SUREFILL_JOB_RUNNING, .id = id--, .user = user,
                            .submit = end - seconds - 600, .start = end - seconds, .limit = limit,
                            .count = (int32_t)nodes, .queue_count = 1};
        status = engine_set_job(&engine, job.start, &job);
        job.state = SUREFILL_JOB_ENDED;
        job.ran = seconds;
        if (status == SUREFILL_OK) status = engine_set_job(&engine, end, &job);
    }
    if (fields != EOF || status != SUREFILL_OK) {
        fprintf(stderr, "learn_engine: line %lld: %s\n", (long long)-id, surefill_status_text(status));
        return EXIT_FAILURE;
    }
    if (!engine_save(&engine, argv[1], message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return EXIT_FAILURE;
    }
    engine_free(&engine);
    return EXIT_SUCCESS;
}
