/* Checkpoints that other versions wrote, one of each kind, lie in tests/checkpoints: a file for each version of the
 * layouts. What has the present version opens and holds what this program makes; all else is refused for its version.
 *
 *     checkpoints FILE...          looks at these files, of which one has the present version
 *     checkpoints --write FOLDER   writes the file of the present version
 *
 * A file is a sequence of blocks, each in pairs of counts in 32 bits, little end first: zero bytes that are left out,
 * and bytes that follow. The head of a block says what it is, how long, and of which version. */
#include "objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 2 };

static int64_t make_mixture(void) { return kind = SUREFILL_PREDICTOR_MIXTURE, make_predictor(); }
static int64_t make_with_hmm(void) { return kind = SUREFILL_PREDICTOR_HMM, make_predictor(); }
static int64_t make_with_online_hmm(void) { return kind = SUREFILL_PREDICTOR_HMM_ONLINE, make_predictor(); }
static int64_t make_contexts(void) { return kind = SUREFILL_PREDICTOR_CONTEXTS, make_predictor(); }

static int64_t make_hmm(void) {
    surefill_hmm_capacity capacity;
    surefill_hmm *hmm;
    surefill_round round = {.struct_size = sizeof round};
    int64_t size;
    int32_t step = SUREFILL_STEP_MORE;
    CHECK_OK(surefill_hmm_capacity_init(&capacity));
    capacity.states = 2;
    capacity.bins = BINS;
    capacity.slots = capacity.cells = 40;
    CHECK_OK(surefill_hmm_size(&capacity, &size));
    CHECK_OK(surefill_hmm_init(good, sizeof good, &capacity, &hmm));
    for (int64_t slot = 0; slot < 40; slot++) CHECK_OK(surefill_hmm_observe(hmm, slot, slot % 16 < 8 ? 1 : 2));
    CHECK_OK(surefill_hmm_begin_training(hmm, SUREFILL_INITIAL_K_MEANS, SUREFILL_LOAD_NONE, 0, 40));
    while (step == SUREFILL_STEP_MORE) CHECK_OK(surefill_hmm_train(hmm, 1000, &step, &round));
    return size;
}

static int64_t make_online_hmm(void) {
    double start[] = {0.5, 0.5}, transition[] = {0.9, 0.1, 0.1, 0.9}, emission[] = {0.7, 0.2, 0.1, 0.1, 0.2, 0.7};
    surefill_model_parameters parameters;
    surefill_online_hmm_options options;
    surefill_online_hmm *online;
    double log_likelihood;
    int64_t size;
    int32_t explained;
    memset(&parameters, 0, sizeof parameters);
    parameters.states = 2;
    parameters.bins = 3;
    parameters.load = SUREFILL_LOAD_NONE;
    parameters.start = start;
    parameters.transition = transition;
    parameters.emission = emission;
    CHECK_OK(surefill_online_hmm_options_init(&options));
    options.hold = 5;
    CHECK_OK(surefill_online_hmm_size(&parameters, &size));
    CHECK_OK(surefill_online_hmm_init(good, sizeof good, &parameters, &options, &online));
    for (int32_t slot = 0; slot < 20; slot++) {
        const int32_t counts[] = {3 - slot % 4, 1, slot % 4};
        CHECK_OK(surefill_online_hmm_learn(online, counts, 3, &log_likelihood, &explained));
    }
    return size;
}

/* Three jobs have come, two are left, one node is closed. */
static int64_t make_nodes(void) {
    const int32_t amounts[KINDS] = {8, 4};
    const surefill_part parts[] = {{0, 2}, {2, 1}};
    surefill_nodes_capacity capacity;
    surefill_request request;
    surefill_nodes *nodes;
    int64_t size;
    int32_t number, jobs[3];
    CHECK_OK(surefill_nodes_capacity_init(&capacity));
    capacity.nodes = 4;
    capacity.classes = 2;
    capacity.resources = KINDS;
    capacity.jobs = 3;
    capacity.parts = 8;
    CHECK_OK(surefill_nodes_size(&capacity, &size));
    CHECK_OK(surefill_nodes_init(good, sizeof good, &capacity, &nodes));
    CHECK_OK(surefill_nodes_add_class(nodes, 5, amounts, KINDS, &number));
    CHECK_OK(surefill_nodes_add_nodes(nodes, number, 3, &number));
    CHECK_OK(surefill_nodes_set_open(nodes, 1, 0));
    CHECK_OK(surefill_request_init(&request));
    request.count = 3;
    request.each[0] = request.each[1] = 1;
    for (int i = 0; i < 2; i++) CHECK_OK(surefill_nodes_allocate(nodes, &request, parts, 2, &jobs[i]));
    CHECK_OK(surefill_nodes_release(nodes, jobs[0]));
    request.count = 1;
    CHECK_OK(surefill_nodes_allocate(nodes, &request, parts + 1, 1, &jobs[2]));
    return size;
}

/* An object with a type of its own in C is sealed and opened by functions of its own. */
#define SEALED(type)                                                                                               \
    static int32_t seal_##type(void *block) { return surefill_##type##_seal(block); }                              \
    static int32_t open_##type(void *block, int64_t size) {                                                        \
        surefill_##type *handle;                                                                                   \
        return surefill_##type##_open(block, size, &handle);                                                       \
    }
SEALED(predictor)
SEALED(hmm)
SEALED(online_hmm)
SEALED(wait)
SEALED(nodes)
SEALED(scheduler)

static const struct {
    const char *name;
    int64_t (*make)(void);
    int32_t (*seal)(void *);
    int32_t (*open)(void *, int64_t);
} kinds[] = {
    {"predictor: histories", make_mixture, seal_predictor, open_predictor},
    {"predictor: hidden Markov model", make_with_hmm, seal_predictor, open_predictor},
    {"predictor: the same on line", make_with_online_hmm, seal_predictor, open_predictor},
    {"predictor: contexts", make_contexts, seal_predictor, open_predictor},
    {"hidden Markov model", make_hmm, seal_hmm, open_hmm},
    {"the same on line", make_online_hmm, seal_online_hmm, open_online_hmm},
    {"wait predictor", make_wait, seal_wait, open_wait},
    {"nodes", make_nodes, seal_nodes, open_nodes},
    {"scheduler", make_scheduler, seal_scheduler, open_scheduler},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static uint32_t version(const int64_t *of) {
    uint32_t found;
    memcpy(&found, (const char *)of + 12, sizeof found);
    return found;
}

static void write_count(FILE *file, uint32_t count) {
    for (int byte = 0; byte < 4; byte++) fputc((int)(count >> 8 * byte & 255), file);
}

static uint32_t read_count(FILE *file) {
    uint32_t count = 0;
    for (int byte = 0; byte < 4; byte++) count |= (uint32_t)(fgetc(file) & 255) << 8 * byte;
    return count;
}

/* A run of zeros ends where the next byte is none; one of fewer than 9 is not worth its counts. */
static void pack(FILE *file, const unsigned char *from, int64_t size) {
    int64_t at = 0;
    while (at < size) {
        int64_t zeros = 0, others = 0, gap = 0;
        while (at + zeros < size && from[at + zeros] == 0) zeros++;
        while (at + zeros + others + gap < size && gap < 9) {
            if (from[at + zeros + others + gap] == 0)
                gap++;
            else
                others += gap + 1, gap = 0;
        }
        write_count(file, (uint32_t)zeros);
        write_count(file, (uint32_t)others);
        fwrite(from + at + zeros, 1, (size_t)others, file);
        at += zeros + others;
    }
}

/* The next block of a file; its size, which its head says. */
static int64_t unpack(FILE *file, int64_t *block) {
    unsigned char *to = (unsigned char *)block;
    int64_t at = 0, size = ROOM;
    while (at < size && !feof(file)) {
        const int64_t zeros = read_count(file), others = read_count(file);
        if (!CHECK(zeros + others <= size - at)) return 0;
        memset(to + at, 0, (size_t)zeros);
        CHECK(fread(to + at + zeros, 1, (size_t)others, file) == (size_t)others);
        at += zeros + others;
        if (size == ROOM && at >= 24) memcpy(&size, to + 16, sizeof size);
    }
    return size;
}

static void write_all(const char *folder) {
    char path[1000];
    FILE *file = NULL;
    for (int i = 0; i < KIND_COUNT; i++) {
        memset(good, 0, sizeof good);
        const int64_t size = kinds[i].make();
        int64_t same;
        CHECK_OK(kinds[i].seal(good));
        CHECK(surefill_block_size(good, &same) == SUREFILL_OK && same == size);
        snprintf(path, sizeof path, "%s/%08lx", folder, (unsigned long)version(good));
        if (file == NULL) file = fopen(path, "wb");
        if (!CHECK(file != NULL)) return;
        pack(file, (const unsigned char *)good, size);
    }
    fclose(file);
    printf("written: %s\n", path);
}

/* Whether the file has the present version. */
static int look(const char *path) {
    FILE *file = fopen(path, "rb");
    int present = 0;
    if (!CHECK(file != NULL)) return 0;
    for (int i = 0; i < KIND_COUNT; i++) {
        static int64_t kept[ROOM / 8];
        const int64_t size = kinds[i].make(), kept_size = unpack(file, kept);
        CHECK_OK(kinds[i].seal(good));
        present = version(kept) == version(good);
        memcpy(block, kept, (size_t)kept_size);
        const int32_t status = kinds[i].open(block, kept_size);
        if (status == SUREFILL_ERROR_FOREIGN_BYTE_ORDER) continue;
        if (!CHECK_STATUS(present ? SUREFILL_OK : SUREFILL_ERROR_WRONG_VERSION, status))
            printf("%s: %s\n", path, kinds[i].name);
        if (present && !CHECK(kept_size == size && memcmp(kept, good, (size_t)size) == 0))
            printf("%s: %s holds something else now. If a calculation changed, SUREFILL_BLESS=1 tests/c/run.sh build\n"
                   "writes the file again; if a layout changed, build.rs has not seen it.\n", path, kinds[i].name);
    }
    fclose(file);
    return present;
}

int main(int argc, char **argv) {
    int present = 0;
    make_bins();
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        write_all(argv[2]);
        return checks_done();
    }
    for (int i = 1; i < argc; i++) present += look(argv[i]);
    make_nodes();
    if (!CHECK(present == 1))
        printf("No checkpoint of version %08lx is kept: SUREFILL_BLESS=1 tests/c/run.sh build\n", (unsigned long)version(good));
    return checks_done();
}
