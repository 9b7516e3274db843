/* Flux's ranks as the engine's nodes, and the constraints of waiting jobs as its features. */
#include "sched-surefill.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void report_nodes(struct shell *shell) {
    char name[ID];
    int32_t number = 0;
    for (; number < shell->resources.count; number++) {
        struct rank *rank = &shell->resources.ranks[number];
        surefill_node node = {.struct_size = sizeof node};
        if (rank->cores == NULL) continue;
        rank->been_up |= rank->up;
        /* One that has never been up is expected, as long as the word grace says; another one is drained or lost. */
        node.state = !idset_test(shell->resources.all, (unsigned)number) ? SUREFILL_NODE_DOWN
                     : rank->up ? SUREFILL_NODE_UP : rank->been_up ? SUREFILL_NODE_CLOSED : SUREFILL_NODE_AWAITED;
        snprintf(name, sizeof name, "%d", (int)number);
        node.name = surefill_hash(name, (int64_t)strlen(name));
        node.amounts[0] = (int32_t)idset_count(rank->cores);
        node.amounts[2] = (int32_t)idset_count(rank->gpus);
        for (int i = 0; i < CONSTRAINTS; i++)
            if (shell->constraints[i].ranks != NULL && idset_test(shell->constraints[i].ranks, (unsigned)number))
                node.features |= (int64_t)1 << i;
        (void)surefill_scheduler_set_node(shell->engine.scheduler, shell->pool, number, &node);
    }
    for (; number < shell->engine.capacity.nodes; number++) /* the state file's */
        (void)surefill_scheduler_set_node(shell->engine.scheduler, -1, number, NULL);
}

int feature_of(struct shell *shell, const struct idset *ranks) {
    int found = CONSTRAINTS;
    if (idset_equal(ranks, shell->resources.all)) return -1;
    for (int i = CONSTRAINTS - 1; i >= 0; i--) {
        if (shell->constraints[i].ranks != NULL && idset_equal(shell->constraints[i].ranks, ranks)) return i;
        if (shell->constraints[i].waiting > 0) continue;
        if (found == CONSTRAINTS || shell->constraints[i].ranks == NULL) found = i;
    }
    if (found == CONSTRAINTS) return found;
    idset_destroy(shell->constraints[found].ranks);
    shell->constraints[found].ranks = idset_copy(ranks);
    report_nodes(shell);
    return found;
}

static void mark(struct shell *shell, const char *ids, bool up) {
    struct idset *ranks = ids == NULL                ? NULL
                          : strcmp(ids, "all") == 0 ? idset_copy(shell->resources.all)
                                                    : idset_decode(ids);
    for (unsigned rank = idset_first(ranks); rank != IDSET_INVALID_ID; rank = idset_next(ranks, rank))
        if (idset_test(shell->resources.all, rank)) shell->resources.ranks[rank].up = up;
    idset_destroy(ranks);
}

bool acquired(struct shell *shell, flux_future_t *future) {
    json_t *R = NULL;
    const char *up = NULL, *down = NULL, *shrink = NULL;
    double expiration = -1;
    if (flux_rpc_get_unpack(future, "{s?o s?s s?s s?s s?F}", "resources", &R, "up", &up, "down", &down, "shrink",
                            &shrink, "expiration", &expiration) < 0)
        return false;
    if (R != NULL && !(resources_read(&shell->resources, R) &&
                       engine_nodes(&shell->engine, shell->resources.count) == SUREFILL_OK)) {
        errno = ENOMEM;
        return false;
    }
    if (R != NULL) (void)json_unpack(R, "{s:{s?F}}", "execution", "expiration", &shell->expiration);
    mark(shell, up, true);
    mark(shell, down, false);
    if (shrink != NULL) (void)idset_decode_subtract(shell->resources.all, shrink, -1, NULL);
    if (expiration >= 0) shell->expiration = expiration;
    report_nodes(shell);
    soon(shell, 0);
    return true;
}

void resources_changed(flux_future_t *future, void *arg) {
    struct shell *shell = arg;
    if (acquired(shell, future)) {
        flux_future_reset(future);
        return;
    }
    flux_log(shell->h, LOG_ERR, "ends, as resources are not reported: %s", flux_future_error_string(future));
    flux_reactor_stop(flux_get_reactor(shell->h));
}
