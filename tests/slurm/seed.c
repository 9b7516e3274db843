/* Writes a state file of the plugin as if jobs named wrap had run: seed FILE USER:SECONDS:JOBS:MINUTES:NODES..., where
 * SECONDS is what they ran and MINUTES their limit. The groups take turns, job by job. */
#include "state.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    struct beliefs *beliefs = beliefs_make(PREDICTOR_MIX);
    struct books *books = books_make();
    char message[300];
    int64_t id = 1000000;
    if (argc < 2 || beliefs == NULL || books == NULL) return EXIT_FAILURE;
    for (long round = 0, left = 1; left > 0; round++) {
        left = 0;
        for (int i = 2; i < argc; i++) {
            long user, seconds, jobs, minutes, nodes;
            struct facts facts = {.id = id, .submit = id, .name = beliefs_name("wrap")};
            if (sscanf(argv[i], "%ld:%ld:%ld:%ld:%ld", &user, &seconds, &jobs, &minutes, &nodes) != 5) return EXIT_FAILURE;
            if (round >= jobs) continue;
            left++;
            facts.user = user;
            facts.limit = minutes * 60;
            facts.nodes = facts.asked = (int32_t)nodes;
            beliefs_submitted(beliefs, &facts, id);
            beliefs_started(beliefs, &facts, id);
            id += seconds;
            beliefs_ended(beliefs, &facts, seconds, id);
        }
    }
    if (!state_save(argv[1], beliefs, books, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return EXIT_FAILURE;
    }
    books_free(books);
    beliefs_free(beliefs);
    return EXIT_SUCCESS;
}
