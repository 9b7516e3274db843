/* A ring of the latest refusals. */
#include "refusals.h"

void refusals_add(struct refusals *refusals, int64_t job, uint64_t machine, int64_t now) {
    refusals->latest[refusals->next] = (struct refusal){.job = job, .until = now + REFUSED_FOR, .machine = machine};
    refusals->next = (refusals->next + 1) % REFUSALS;
}

bool refused_lately(const struct refusals *refusals, int64_t job, uint64_t machine, int64_t now) {
    for (int i = 0; i < REFUSALS; i++) {
        const struct refusal *refusal = &refusals->latest[i];
        /* After a clock was set back it may lie further ahead. */
        bool lately = refusal->until > now && refusal->until <= now + REFUSED_FOR;
        if (refusal->job == job && lately && refusal->machine == machine) return true;
    }
    return false;
}
