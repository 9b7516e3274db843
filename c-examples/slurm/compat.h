/* Where Slurm's releases differ, from 22.05 to 26.05: the one place that knows. Everything else is written for all of
 * them. Licence: GPL-2.0-or-later. */
#ifndef COMPAT_H
#define COMPAT_H

#include <stdbool.h>
#include <time.h>

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "slurm/slurm_version.h"

#define SLURM_AT_LEAST(major, minor) (SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(major, minor, 0))

#if !SLURM_AT_LEAST(22, 5) || SLURM_AT_LEAST(26, 11)
#error "written for Slurm 22.05 to 26.05: slurmctld's own structures and functions differ from release to release"
#endif

#include "src/common/assoc_mgr.h"
#include "src/common/bitstring.h"
#include "src/common/list.h"
#include "src/common/log.h"
#include "src/common/node_conf.h"
#include "src/common/plugin.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/fed_mgr.h"
#include "src/slurmctld/job_scheduler.h"
#include "src/slurmctld/licenses.h"
#include "src/slurmctld/locks.h"
#include "src/slurmctld/node_scheduler.h"
#include "src/slurmctld/proc_req.h"
#include "src/slurmctld/reservation.h"
#include "src/slurmctld/slurmctld.h"
#include "src/slurmctld/state_save.h"

#if SLURM_AT_LEAST(23, 2)
#include "src/common/job_features.h"
#include "src/interfaces/burst_buffer.h"
#include "src/interfaces/gres.h"
#include "src/interfaces/mcs.h"
#include "src/interfaces/preempt.h"
#include "src/interfaces/select.h"
#else
#include "src/common/gres.h"
#include "src/common/select.h"
#include "src/common/slurm_mcs.h"
#include "src/slurmctld/burst_buffer.h"
#include "src/slurmctld/preempt.h"
typedef struct job_details job_details_t;
#define FEATURE_OP_MOR FEATURE_OP_XOR
#endif

#if !SLURM_AT_LEAST(24, 5)
#if SLURM_AT_LEAST(23, 2)
#include "src/interfaces/power.h"
#else
#include "src/common/power.h"
#endif
#include "src/slurmctld/srun_comm.h"
#endif
#if !SLURM_AT_LEAST(25, 5)
#include "src/slurmctld/front_end.h"
#endif

#if !SLURM_AT_LEAST(24, 11)
typedef struct xlist list_t;
typedef struct listIterator list_itr_t;
#endif

/* Flags of SelectTypeParameters under one name. */
#if SLURM_AT_LEAST(25, 11)
#define CR_CPU SELECT_CPU
#define CR_SOCKET SELECT_SOCKET
#define CR_CORE SELECT_CORE
#define CR_MEMORY SELECT_MEMORY
#define CR_ONE_TASK_PER_CORE SELECT_ONE_TASK_PER_CORE
#endif

/* Whether jobs of the partition may not have all processors of a socket. */
static inline bool compat_socket_limit(const part_record_t *part) {
#if SLURM_AT_LEAST(23, 2)
    return part->max_cpus_per_socket != INFINITE && part->max_cpus_per_socket != 0;
#else
    (void)part;
    return false;
#endif
}

/* Whether its jobs keep other users' jobs, or a whole part of the topology, to themselves. */
static inline bool compat_keeps_others_off(const part_record_t *part) {
#if SLURM_AT_LEAST(24, 5)
    return (part->flags & (PART_FLAG_EXCLUSIVE_USER | PART_FLAG_EXCLUSIVE_TOPO)) != 0;
#else
    return (part->flags & PART_FLAG_EXCLUSIVE_USER) != 0;
#endif
}

/* The locks of a cycle: slurmctld's configuration, partitions and federation to read, jobs and nodes to change. */
#if SLURM_AT_LEAST(26, 5)
#define CYCLE_LOCKS \
    { .conf = READ_LOCK, .job = WRITE_LOCK, .node = WRITE_LOCK, .part = READ_LOCK, .fed = READ_LOCK, .select_node = WRITE_LOCK }
#else
#define CYCLE_LOCKS { .conf = READ_LOCK, .job = WRITE_LOCK, .node = WRITE_LOCK, .part = READ_LOCK, .fed = READ_LOCK }
#endif

/* Resources that reservations keep from a job: cores, and from 23.11 on generic resources. */
struct exclusions {
#if SLURM_AT_LEAST(23, 11)
    resv_exc_t kept;
#else
    bitstr_t *kept;
#endif
};

static inline void exclusions_free(struct exclusions *exclusions) {
#if SLURM_AT_LEAST(23, 11)
    reservation_delete_resv_exc_parts(&exclusions->kept);
#else
    FREE_NULL_BITMAP(exclusions->kept);
#endif
}

static inline int compat_will_run(job_record_t *job, bitstr_t *nodes, uint32_t least, uint32_t wanted, uint32_t most,
                                  list_t *preemptable, struct exclusions *exclusions) {
#if SLURM_AT_LEAST(24, 11)
    return select_g_job_test(job, nodes, least, most, wanted, SELECT_MODE_WILL_RUN, preemptable, NULL, &exclusions->kept,
                             NULL);
#elif SLURM_AT_LEAST(23, 11)
    return select_g_job_test(job, nodes, least, most, wanted, SELECT_MODE_WILL_RUN, preemptable, NULL, &exclusions->kept);
#else
    return select_g_job_test(job, nodes, least, most, wanted, SELECT_MODE_WILL_RUN, preemptable, NULL, exclusions->kept);
#endif
}

static inline int compat_select_nodes(job_record_t *job, uint32_t scheduler) {
#if SLURM_AT_LEAST(24, 11)
    job_node_select_t request = {.job_ptr = job};
    return select_nodes(&request, false, false, scheduler);
#else
    return select_nodes(job, false, NULL, NULL, false, scheduler);
#endif
}

/* The QOS of an entry of the queue: from 24.11 on a job may name several, and has an entry for each. */
static inline void compat_use_qos(job_record_t *job, const job_queue_rec_t *entry) {
#if SLURM_AT_LEAST(24, 11)
    job->qos_ptr = entry->qos_ptr;
    if (job->qos_ptr != NULL) job->qos_id = job->qos_ptr->id;
#else
    (void)job;
    (void)entry;
#endif
}

/* The most nodes that the job asks for; 0 for none. From 26.05 on slurmctld fills that in itself for a job that asks
 * for tasks and no nodes, and says so until it is set: such a job takes as many nodes as it would without. */
static inline uint32_t compat_max_nodes(const job_record_t *job) {
#ifdef JOB_IMPLICIT_MAX_NODES
    if ((job->bit_flags & JOB_IMPLICIT_MAX_NODES) != 0) return 0;
#endif
    return job->details->max_nodes;
}

/* Whether nodes may come to be what the job asks for by themselves (--extra). */
static inline bool compat_may_change(const job_record_t *job) {
#if SLURM_AT_LEAST(23, 11)
    return job->state_reason == FAIL_CONSTRAINTS;
#else
    (void)job;
    return false;
#endif
}

static inline bool compat_front_end(job_record_t *job) {
#if SLURM_AT_LEAST(25, 5)
    (void)job;
    return true;
#else
    return avail_front_end(job);
#endif
}

/* For the power plugin, which 24.05 no longer has. */
static inline void compat_power(job_record_t *job) {
#if SLURM_AT_LEAST(24, 5)
    (void)job;
#else
    power_g_job_start(job);
#endif
}

#endif
