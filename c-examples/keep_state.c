/* A predictor of run times and bounds on waits are sealed, written, read and opened again, so that they outlive the
 * program: what has become of the jobs meanwhile is asked of the resource manager. A scheduler of one's own keeps its
 * parts so. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <surefill_parts.h>

#define CHECK(call) check((call), #call)

enum { RAN_ON = 200, WITHDRAWN, WAITS, HELD = 8 }; /* the last three jobs are held when the program ends */

static void check(int32_t status, const char *call) {
    if (status == SUREFILL_OK) return;
    fprintf(stderr, "%s: %s: %s\n", call, surefill_status_name(status), surefill_status_text(status));
    exit(EXIT_FAILURE);
}

static void *make_room(int64_t size) {
    void *memory = malloc((size_t)size);
    if (memory == NULL) exit(EXIT_FAILURE);
    return memory;
}

/* Another block with the same bytes, as a file brings them back; the old one, to which its handle points, is freed. */
static void *read_again(void *block, int64_t size) {
    void *memory = make_room(size);
    FILE *file = tmpfile();
    if (file == NULL || fwrite(block, 1, (size_t)size, file) != (size_t)size || fseek(file, 0, SEEK_SET) != 0 ||
        fread(memory, 1, (size_t)size, file) != (size_t)size)
        exit(EXIT_FAILURE);
    fclose(file);
    free(block);
    return memory;
}

/* The resource manager's word on a job that was held: whether it is over, and how. */
enum fate { STILL_THERE, ENDED, GONE };
static enum fate ask_manager(int64_t job) {
    return job == RAN_ON ? ENDED : job == WITHDRAWN ? GONE : STILL_THERE;
}

int main(void) {
    static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], found_memory[SUREFILL_DISTRIBUTION_SIZE / 8];
    int64_t predictor_size, wait_size, before, after, waits, bounds[2], median, keys[3] = {1000, 3600, 1}, now = 1000000;
    int64_t smallest[SUREFILL_MAX_CLUSTERS], largest[SUREFILL_MAX_CLUSTERS], counts[SUREFILL_MAX_CLUSTERS];
    int32_t answer, experts, clusters, written, held;
    surefill_distribution *found;
    surefill_expert own[SUREFILL_MAX_EXPERTS];
    surefill_held_job jobs[HELD] = {{.struct_size = sizeof *jobs}};
    surefill_bins *bins;
    surefill_predictor_options options;
    surefill_predictor *predictor;
    surefill_wait_capacity capacity;
    surefill_wait_options wait_options;
    surefill_wait *wait;
    CHECK(surefill_bins_init_default(bins_memory, sizeof bins_memory, &bins));
    CHECK(surefill_predictor_options_init(SUREFILL_PREDICTOR_MIXTURE, &options));
    CHECK(surefill_experts_init(SUREFILL_PREDICTOR_MIXTURE, own, SUREFILL_MAX_EXPERTS, &experts)); /* the usual ones */
    options.experts = own;
    options.expert_count = experts;
    CHECK(surefill_predictor_size(&options, &predictor_size));
    CHECK(surefill_predictor_init(make_room(predictor_size), predictor_size, &options, bins, &predictor));
    CHECK(surefill_wait_capacity_init(&capacity));
    CHECK(surefill_wait_options_init(&wait_options));
    CHECK(surefill_wait_size(&capacity, &wait_size));
    CHECK(surefill_wait_init(make_room(wait_size), wait_size, &capacity, &wait_options, &wait));
    for (int i = 0; i < 50; i++) CHECK(surefill_predictor_learn(predictor, keys, options.keys, 240 + i)); /* from accounting */
    for (int64_t job = 0; job <= WAITS; job++, now += 1000) {
        const int64_t waited = 60 * (1 + job % 10);
        CHECK(surefill_predictor_submit(predictor, job, keys, options.keys, now));
        CHECK(surefill_wait_submit(wait, job, now, 3600, 1, &answer, &before));
        if (job >= WITHDRAWN) continue;
        if (job % 20 == 19) { /* it was withdrawn before it ran */
            CHECK(surefill_predictor_cancel(predictor, job, now + waited));
            CHECK(surefill_wait_cancel(wait, job, now + waited));
            continue;
        }
        CHECK(surefill_predictor_start(predictor, job, now + waited));
        CHECK(surefill_wait_start(wait, job, now + waited, &after));
        if (job < RAN_ON) CHECK(surefill_predictor_end(predictor, job, now + waited + 300));
    }
    CHECK(surefill_wait_predict(wait, 3600, 1, 0.95, 0.95, now, &answer, &bounds[0]));
    CHECK(surefill_predictor_seal(predictor));
    CHECK(surefill_wait_seal(wait));
    CHECK(surefill_wait_counts(wait, &held, &waits));
    printf("%" PRId32 " experts, %.0f kB of run times, %" PRId64 " waits in %.0f kB\n", experts,
           1e-3 * (double)predictor_size, waits, 1e-3 * (double)wait_size);

    /* The next program. */
    CHECK(surefill_predictor_open(read_again(predictor, predictor_size), predictor_size, &predictor));
    CHECK(surefill_wait_open(read_again(wait, wait_size), wait_size, &wait));
    CHECK(surefill_wait_predict(wait, 3600, 1, 0.95, 0.95, now, &answer, &bounds[1]));
    printf("19 of 20 jobs start within %" PRId64 " s, as before: %s\n", bounds[1], bounds[0] == bounds[1] ? "yes" : "no");
    now -= 600; /* before, the machine's clock was fast */
    CHECK(surefill_predictor_set_clock(predictor, now));
    CHECK(surefill_wait_set_clock(wait, now));
    CHECK(surefill_predictor_jobs(predictor, jobs, HELD, &written, &held));
    for (int32_t i = 0; i < written; i++)
        if (ask_manager(jobs[i].job) == ENDED)
            CHECK(surefill_predictor_end(predictor, jobs[i].job, now));
        else if (ask_manager(jobs[i].job) == GONE)
            CHECK(surefill_predictor_cancel(predictor, jobs[i].job, now));
    CHECK(surefill_wait_jobs(wait, jobs, HELD, &written, &held));
    for (int32_t i = 0; i < written; i++)
        if (ask_manager(jobs[i].job) != STILL_THERE) CHECK(surefill_wait_cancel(wait, jobs[i].job, now));
    CHECK(surefill_predictor_jobs(predictor, jobs, HELD, &written, &held));
    for (int32_t i = 0; i < written; i++) {
        CHECK(surefill_predictor_predict_job(predictor, jobs[i].job, found_memory, sizeof found_memory, &answer, &found));
        CHECK(surefill_distribution_quantile(found, 0.5, 0, keys[1], &median));
        printf("job %" PRId64 " still waits; half of such jobs run for at most %" PRId64 " s\n", jobs[i].job, median);
    }
    CHECK(surefill_wait_clusters(wait, smallest, largest, counts, SUREFILL_MAX_CLUSTERS, &clusters));
    CHECK(surefill_predictor_predict(predictor, keys, options.keys, now, found_memory, sizeof found_memory, &answer, &found));
    CHECK(surefill_distribution_quantile(found, 0.5, 0, keys[1], &median));
    printf("a new one, too: %" PRId64 " s\n", median);
    free(predictor);
    free(wait);
    return bounds[0] == bounds[1] && clusters >= 1 && held == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
