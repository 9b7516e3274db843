/* Submits many jobs in one go: submit COUNT SECONDS. Widths 1 to 3 nodes, limits of 60 to 149 minutes. */
#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    static char *environment[] = {"PATH=/usr/bin:/bin", NULL};
    char script[64];
    int count = argc == 3 ? atoi(argv[1]) : 0;
    slurm_init(NULL);
    for (int i = 0; i < count; i++) {
        job_desc_msg_t job;
        submit_response_msg_t *response = NULL;
        slurm_init_job_desc_msg(&job);
        snprintf(script, sizeof script, "#!/bin/sh\nsleep %s\n", argv[2]);
        job.script = script;
        job.environment = environment;
        job.env_size = 1;
        job.name = "many";
        job.user_id = getuid();
        job.group_id = getgid();
        job.min_nodes = job.max_nodes = (uint32_t)(1 + i % 3);
        job.time_limit = (uint32_t)(60 + i * 7 % 90);
        job.work_dir = "/";
        job.std_out = job.std_err = "/dev/null";
        if (slurm_submit_batch_job(&job, &response) != SLURM_SUCCESS) {
            fprintf(stderr, "job %d: %s\n", i, slurm_strerror(errno));
            return EXIT_FAILURE;
        }
        slurm_free_submit_response_response_msg(response);
    }
    slurm_fini();
    return EXIT_SUCCESS;
}
