/* Writes a state file that has learnt from the jobs on standard input: learn_engine FILE for the programs in
 * c-examples/slurm-external, learn_engine FILE plugin for the plugin. One job a line, in the order of their ends:
 * when it ended, user, nodes, seconds of its limit, seconds it ran, and seconds it waited, ten minutes where
 * that is not said. */
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    struct engine engine;
    struct pace pace;
    char message[300];
    long long end, user, nodes, limit, seconds;
    int64_t id = -1; /* no job of Slurm's has such */
    int32_t pool, status;
    const bool plugin = argc == 3 && strcmp(argv[2], "plugin") == 0;
    const char *pool_name = plugin ? "pool0" : "nodes", *queue_name = plugin ? "queue0" : "nodes";
    char line[300];
    bool good = true;
    if ((argc != 2 && !plugin) ||
        !engine_make(&engine, plugin ? engine_many_pools : engine_one_pool, NULL, &pace, message, sizeof message))
        return EXIT_FAILURE;
    status = plugin ? engine_nodes(&engine, 1) : SUREFILL_OK;
    if (status == SUREFILL_OK)
        status = surefill_scheduler_set_pool(engine.scheduler, pool_name, (int64_t)strlen(pool_name), plugin ? 0 : 1, -1, &pool);
    if (status == SUREFILL_OK)
        status = surefill_scheduler_set_queue(engine.scheduler, queue_name, (int64_t)strlen(queue_name), pool, &pool);
    while (status == SUREFILL_OK && fgets(line, sizeof line, stdin) != NULL) {
        long long wait = 600;
        good = sscanf(line, "%lld %lld %lld %lld %lld %lld", &end, &user, &nodes, &limit, &seconds, &wait) >= 5;
        if (!good) break;
        surefill_job job = {.struct_size = sizeof job, .state = SUREFILL_JOB_RUNNING, .id = id--, .user = user + plugin,
                            .submit = end - seconds - wait, .start = end - seconds, .limit = limit,
                            .count = (int32_t)nodes, .queue_count = 1};
        status = engine_set_job(&engine, job.start, &job);
        job.state = SUREFILL_JOB_ENDED;
        job.ran = seconds;
        if (status == SUREFILL_OK) status = engine_set_job(&engine, end, &job);
    }
    if (!good || status != SUREFILL_OK) {
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
