/* Nodes that were in service before slurmctld started and have not registered since. Slurm gives them to no job, and
 * a head job that wants them has no start: until they are back no job overtakes it. From 23.11 on every
 * reconfiguration starts slurmctld anew. Licence: GPL-2.0-or-later. */
#include "cluster.h"

void cluster_begin(struct cluster *cluster) {
    cluster->began = clock_seconds();
    cluster->settled = false;
}

/* Whether the node comes into service as soon as it registers. Its former state is Slurm's own: a node that is down, is
 * drained, has failed, is powered up or down or reboots comes back by Slurm's own rules, and no job waits for it. */
static bool may_register(const node_record_t *node) {
    if (!IS_NODE_UNKNOWN(node) && !IS_NODE_NO_RESPOND(node)) return false;
    return !IS_NODE_DOWN(node) && !IS_NODE_DRAIN(node) && !IS_NODE_FAIL(node) && !IS_NODE_FUTURE(node) &&
           !IS_NODE_POWERING_UP(node) && !IS_NODE_POWERING_DOWN(node) && !IS_NODE_POWERED_DOWN(node) &&
           !IS_NODE_REBOOT_ISSUED(node);
}

/* The seconds after which Slurm gives a node up; without such a time, those of its default. */
static double patience(void) { return slurm_conf.slurmd_timeout > 0 ? slurm_conf.slurmd_timeout : 300; }

void cluster_await(struct cluster *cluster) {
    const bool first = cluster->awaited == NULL, late = clock_seconds() - cluster->began >= patience();
    int count = 0;
    FREE_NULL_BITMAP(cluster->awaited);
    if (cluster->settled) return;
    cluster->awaited = bit_alloc(node_record_count);
    for (int i = 0; i < node_record_count; i++) {
        const node_record_t *node = node_record_table_ptr[i];
        if (node == NULL || node->name == NULL || !may_register(node)) continue;
        bit_set(cluster->awaited, i);
        count++;
    }
    cluster->settled = count == 0 || late;
    if (cluster->settled && count > 0)
        info("surefill: nodes that have not registered within %.0f s: %d; nobody waits for them any longer", patience(), count);
    else if (cluster->settled && !first)
        info("surefill: all nodes that were in service have registered");
    else if (!cluster->settled && first)
        info("surefill: nodes that have not registered yet: %d; for %.0f s at most jobs that want them are not "
             "overtaken", count, patience());
    if (cluster->settled) FREE_NULL_BITMAP(cluster->awaited);
}
