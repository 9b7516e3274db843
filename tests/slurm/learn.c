/* Writes a state file of the schedulers here that has learnt from the jobs on standard input: learn FILE. One job a
 * line, in the order of their ends: when it ended, user, nodes, seconds of its limit, seconds it ran, name. */
#include "state.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    struct beliefs *beliefs = beliefs_make(PREDICTOR_MIX);
    struct books *books = books_make();
    char message[300], name[64];
    long long end, user, nodes, limit, seconds;
    int64_t id = 1;
    int fields;
    if (argc != 2 || beliefs == NULL || books == NULL) return EXIT_FAILURE;
    while ((fields = scanf("%lld %lld %lld %lld %lld %63s", &end, &user, &nodes, &limit, &seconds, name)) == 6) {
        struct facts facts = {.id = id++, .submit = end, .user = user, .limit = limit, .nodes = (int32_t)nodes,
                              .asked = (int32_t)nodes, .name = beliefs_name(name)};
        beliefs_submitted(beliefs, &facts, end);
        beliefs_started(beliefs, &facts, end);
        beliefs_ended(beliefs, &facts, seconds, end);
    }
    if (fields != EOF) {
        fprintf(stderr, "learn: line %lld is not understood\n", (long long)id);
        return EXIT_FAILURE;
    }
    if (!state_save(argv[1], beliefs, books, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return EXIT_FAILURE;
    }
    books_free(books);
    beliefs_free(beliefs);
    return EXIT_SUCCESS;
}
