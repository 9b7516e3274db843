/* Writes a state file of the plugin as if jobs had run: seed FILE USER:SECONDS:JOBS... */
#include "state.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    struct beliefs *beliefs = beliefs_make();
    struct books *books = books_make();
    char message[300];
    int64_t id = 1000000;
    if (argc < 2 || beliefs == NULL || books == NULL) return EXIT_FAILURE;
    for (int i = 2; i < argc; i++) {
        long user, seconds, jobs;
        if (sscanf(argv[i], "%ld:%ld:%ld", &user, &seconds, &jobs) != 3) return EXIT_FAILURE;
        for (; jobs > 0; jobs--) {
            struct facts facts = {.id = id, .user = user, .submit = id, .limit = 3600, .name = 1, .nodes = 1};
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
