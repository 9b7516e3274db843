/* Helpers of the sweeps of a machine of nodes, and of the pass and the forecast on it. */
#ifndef SWEEP_NODES_H
#define SWEEP_NODES_H

#include "sweep.h"

#define NODES ((surefill_nodes *)world.nodes)
#define NODE_PASS ((surefill_node_pass *)world.filling_node_pass)

enum { SOME_NODES = 4, KINDS_OF_RESOURCE = 2 };

/* A structure with room behind it, as a newer program would have. */
union newer_structure {
    surefill_request request;
    surefill_nodes_capacity capacity;
    surefill_node_pass_capacity pass_capacity;
    surefill_node_forecast_capacity forecast_capacity;
    surefill_forecast_options forecast_options;
    surefill_rule rule;
    uint32_t struct_size;
    unsigned char bytes[8192];
};

/* Sizes that no version of a structure has, members that this version does not know, and pointers to none. */
#define BAD_LAYOUT_OR(null_is_bad, p, good, call)                        \
    do {                                                                 \
        static union newer_structure newer;                              \
        void *p = &newer;                                                \
        const uint32_t sizes[] = {0, 1, 3, 4097, INT32_MAX, UINT32_MAX}; \
        memset(&newer, 0, sizeof newer);                                 \
        memcpy(&newer, good, sizeof *(good));                            \
        for (int i = 0; i < 6; i++) {                                    \
            newer.struct_size = sizes[i];                                \
            REFUSED(WRONG_SIZE(sizes[i]), call);                         \
        }                                                                \
        newer.struct_size = sizeof *(good) + 8;                          \
        newer.bytes[sizeof *(good) + 7] = 1;                             \
        REFUSED(SUREFILL_ERROR_WRONG_VERSION, call);                     \
        p = ODD(&newer);                                                 \
        REFUSED(SUREFILL_ERROR_MISALIGNED, call);                        \
        p = NULL;                                                        \
        if (null_is_bad) REFUSED(SUREFILL_ERROR_NULL, call);             \
    } while (0)
#define BAD_LAYOUT(p, good, call) BAD_LAYOUT_OR(1, p, good, call)

/* Requests that no machine of two kinds of resource knows. */
#define BAD_REQUEST(p, good, call)                                                               \
    do {                                                                                         \
        BAD_LAYOUT(p, good, call);                                                               \
        const int32_t wrong_counts[] = {0, -1, SUREFILL_MAX_TASKS + 1, INT32_MIN, INT32_MAX};    \
        const int32_t wrong_spreads[] = {-1, SUREFILL_SPREAD_TASKS + 1, INT32_MIN, INT32_MAX};   \
        surefill_request wrong = *(good), *p = &wrong;                                           \
        for (int i = 0; i < 5; i++) {                                                            \
            wrong.count = wrong_counts[i];                                                       \
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                          \
        }                                                                                        \
        for (int i = 0; i < 4; i++) {                                                            \
            wrong = *(good);                                                                     \
            wrong.spread = wrong_spreads[i];                                                     \
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                          \
        }                                                                                        \
        for (int i = 0; i < SUREFILL_MAX_RESOURCES; i++) {                                       \
            wrong = *(good);                                                                     \
            wrong.each[i] = i < KINDS_OF_RESOURCE ? -1 : 1;                                      \
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                          \
        }                                                                                        \
    } while (0)

/* The world's small machine: two nodes of 8 and 4, two of 4 and 0; one job has half of node 0. */
surefill_nodes_capacity small_nodes(void);

/* One task of 4 and 2 anywhere, as the job on the world's machine. */
surefill_request half_a_node(void);

#endif
