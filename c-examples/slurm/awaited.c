/* Nodes that were in service before slurmctld started and have not registered since. Slurm gives them to nobody, and
 * a head job that wants them has no start: until they are back nobody overtakes it. From 23.11 on every
 * reconfiguration starts slurmctld anew. Licence: GPL-2.0-or-later. */
#include "site.h"

void site_begin(struct site *site) {
    site->began = clock_seconds();
    site->settled = false;
    site->noted = 0;
    FREE_NULL_BITMAP(site->served);
}

/* Whether the node comes into service as soon as it registers. What it was is Slurm's own state: who is down, is
 * drained, has failed, is powered up or down or reboots comes back by Slurm's own rules, and is waited for by nobody.
 * */
static bool may_register(const node_record_t *node) {
    if (!IS_NODE_UNKNOWN(node) && !IS_NODE_NO_RESPOND(node)) return false;
    return !IS_NODE_DOWN(node) && !IS_NODE_DRAIN(node) && !IS_NODE_FAIL(node) && !IS_NODE_FUTURE(node) &&
           !IS_NODE_POWERING_UP(node) && !IS_NODE_POWERING_DOWN(node) && !IS_NODE_POWERED_DOWN(node) &&
           !IS_NODE_REBOOT_ISSUED(node);
}

/* The seconds after which Slurm gives a node up; without such a time, those of its default. */
static double patience(void) { return slurm_conf.slurmd_timeout > 0 ? slurm_conf.slurmd_timeout : 300; }

void site_await(struct site *site, const struct books *books) {
    const bool first = site->awaited == NULL, late = clock_seconds() - site->began >= patience();
    int count = 0;
    FREE_NULL_BITMAP(site->awaited);
    if (site->settled) return;
    site->awaited = bit_alloc(node_record_count);
    for (int i = 0; i < node_record_count; i++) {
        const node_record_t *node = node_record_table_ptr[i];
        if (node == NULL || node->name == NULL || !may_register(node)) continue;
        /* One that is new in slurm.conf is not on its way. */
        if (books_knows_service(books) && !books_was_in_service(books, beliefs_name(node->name))) continue;
        bit_set(site->awaited, i);
        count++;
    }
    site->settled = count == 0 || late;
    if (site->settled && count > 0)
        info("surefill: nodes that have not registered within %.0f s: %d; nobody waits for them any longer", patience(), count);
    else if (site->settled && !first)
        info("surefill: all nodes that were in service have registered");
    else if (!site->settled && first)
        info("surefill: nodes that were in service and have not registered yet: %d; for %.0f s at most nobody overtakes a head "
             "job that may want them", count, patience());
    if (site->settled) FREE_NULL_BITMAP(site->awaited);
}

void site_note(struct site *site, struct books *books) {
    int64_t *names;
    size_t count = 0;
    for (int i = 0; i < site->group_count; i++)
        if (site->groups[i].has_head) books_note_head(books, site->groups[i].pool.head.id);
    if (!site->settled) return; /* a start that comes before they are back waits for the same ones */
    if (site->served != NULL && site->noted == site->configured && bit_equal(site->served, avail_node_bitmap)) return;
    FREE_NULL_BITMAP(site->served);
    names = xcalloc((size_t)bit_set_count(avail_node_bitmap) + 1, sizeof *names);
    for (int i = bit_ffs(avail_node_bitmap), last = bit_fls(avail_node_bitmap); i >= 0 && i <= last; i++)
        if (bit_test(avail_node_bitmap, i) && node_record_table_ptr[i] != NULL)
            names[count++] = beliefs_name(node_record_table_ptr[i]->name);
    if (books_note_service(books, names, count)) site->served = bit_copy(avail_node_bitmap);
    site->noted = site->configured;
    xfree(names);
}
