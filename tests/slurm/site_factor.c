/* Prints of every job: its number, its SiteFactor, its processors and the second since which it is eligible, as
 * slurmctld has them; scontrol does not show a SiteFactor. */
#include <slurm/slurm.h>
#include <stdio.h>

int main(void) {
    job_info_msg_t *jobs = NULL;
    slurm_init(NULL);
    if (slurm_load_jobs((time_t)0, &jobs, SHOW_ALL) != SLURM_SUCCESS) return 1;
    for (uint32_t i = 0; i < jobs->record_count; i++) {
        const slurm_job_info_t *job = &jobs->job_array[i];
        printf("%u %lld %u %lld\n", job->job_id, (long long)job->site_factor - NICE_OFFSET, job->num_cpus,
               (long long)job->eligible_time);
    }
    slurm_free_job_info_msg(jobs);
    slurm_fini();
    return 0;
}
