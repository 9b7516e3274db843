/* For every function of the library that the schedulers' parts call while jobs come and go: the statuses that they may
 * get, which are some of those that the header documents. Of memory: what is allocated.
 *
 * Every line that begins with WATCH( wants -Wl,--wrap=surefill_NAME; memory wants the same of malloc, calloc, realloc
 * and free. */
#include "watch.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <surefill.h>
#include <surefill_models.h>

/* --- Statuses --- */

enum { MOST = 64, STATUSES = 26, MOST_DESCRIBED = 20 };
static struct watched {
    const char *name;
    int64_t returned[STATUSES]; /* by -status */
} functions[MOST];
static int function_count;
static int64_t calls;
static long surprises;

/* allowed ends with 0, which is SUREFILL_OK. */
static int32_t seen(int *place, const char *name, int32_t status, const int32_t *allowed) {
    if (*place < 0) {
        *place = function_count < MOST ? function_count++ : MOST - 1;
        functions[*place].name = name;
    }
    calls++;
    if (status <= 0 && status > -STATUSES) functions[*place].returned[-status]++;
    while (*allowed != SUREFILL_OK && *allowed != status) allowed++;
    if (*allowed != status && ++surprises <= MOST_DESCRIBED)
        fprintf(stderr, "surefill_%s returned %d (%s)\n", name, (int)status, surefill_status_name(status));
    return status;
}

#define ARGUMENTS(...) __VA_ARGS__
#define WATCH(name, parameters, arguments, ...) \
    int32_t __real_surefill_##name(parameters); \
    int32_t __wrap_surefill_##name(parameters); \
    int32_t __wrap_surefill_##name(parameters) { \
        static const int32_t allowed[] = {__VA_ARGS__}; \
        static int place = -1; \
        return seen(&place, #name, __real_surefill_##name(arguments), allowed); \
    }

#define UNKNOWN SUREFILL_ERROR_UNKNOWN_JOB
#define DUPLICATE SUREFILL_ERROR_DUPLICATE_JOB
#define FULL SUREFILL_ERROR_FULL
#define RANGE SUREFILL_ERROR_OUT_OF_RANGE /* run times that a clock set back has made negative */

/* The mixture of histories. */
WATCH(predictor_learn, ARGUMENTS(surefill_predictor *p, const int64_t *keys, int32_t count, int64_t seconds),
      ARGUMENTS(p, keys, count, seconds), RANGE, 0)
WATCH(predictor_predict,
      ARGUMENTS(surefill_predictor *p, const int64_t *keys, int32_t count, int64_t now, void *memory, int64_t length,
                int32_t *answer, surefill_distribution **made),
      ARGUMENTS(p, keys, count, now, memory, length, answer, made), 0)

/* The hidden Markov model, which may not know a job, or know it already. */
WATCH(predictor_submit, ARGUMENTS(surefill_predictor *p, int64_t job, const int64_t *keys, int32_t count, int64_t now),
      ARGUMENTS(p, job, keys, count, now), DUPLICATE, FULL, 0)
WATCH(predictor_start, ARGUMENTS(surefill_predictor *p, int64_t job, int64_t now), ARGUMENTS(p, job, now), UNKNOWN,
      SUREFILL_ERROR_ALREADY_STARTED, 0)
WATCH(predictor_end, ARGUMENTS(surefill_predictor *p, int64_t job, int64_t now), ARGUMENTS(p, job, now), UNKNOWN,
      SUREFILL_ERROR_NOT_STARTED, 0)
WATCH(predictor_cancel, ARGUMENTS(surefill_predictor *p, int64_t job, int64_t now), ARGUMENTS(p, job, now), UNKNOWN, 0)
WATCH(predictor_said,
      ARGUMENTS(const surefill_predictor *p, int64_t job, void *memory, int64_t length, int32_t *answer,
                surefill_distribution **made),
      ARGUMENTS(p, job, memory, length, answer, made), UNKNOWN, 0)
WATCH(predictor_train, ARGUMENTS(surefill_predictor *p, int64_t work, int32_t *step, surefill_round *round),
      ARGUMENTS(p, work, step, round), 0)
WATCH(predictor_set_clock, ARGUMENTS(surefill_predictor *p, int64_t now), ARGUMENTS(p, now), 0)
WATCH(predictor_seal, surefill_predictor *p, p, 0)
WATCH(predictor_open, ARGUMENTS(void *memory, int64_t length, surefill_predictor **p), ARGUMENTS(memory, length, p), 0)

/* Bounds on waits. */
WATCH(wait_submit,
      ARGUMENTS(surefill_wait *w, int64_t job, int64_t now, int64_t limit, int32_t processors, int32_t *answer,
                int64_t *bound),
      ARGUMENTS(w, job, now, limit, processors, answer, bound), 0)
WATCH(wait_start, ARGUMENTS(surefill_wait *w, int64_t job, int64_t now, int64_t *waited),
      ARGUMENTS(w, job, now, waited), UNKNOWN, 0)
WATCH(wait_cancel, ARGUMENTS(surefill_wait *w, int64_t job, int64_t now), ARGUMENTS(w, job, now), UNKNOWN, 0)
WATCH(wait_known, ARGUMENTS(surefill_wait *w, int64_t seconds, int64_t limit, int32_t processors),
      ARGUMENTS(w, seconds, limit, processors), 0)
WATCH(wait_set_clock, ARGUMENTS(surefill_wait *w, int64_t now), ARGUMENTS(w, now), 0)
WATCH(wait_counts, ARGUMENTS(const surefill_wait *w, int32_t *jobs, int64_t *known), ARGUMENTS(w, jobs, known), 0)
WATCH(wait_clusters,
      ARGUMENTS(const surefill_wait *w, int64_t *smallest, int64_t *largest, int64_t *counts, int32_t capacity,
                int32_t *count),
      ARGUMENTS(w, smallest, largest, counts, capacity, count), 0)
WATCH(wait_predict,
      ARGUMENTS(const surefill_wait *w, int64_t limit, int32_t processors, double quantile, double confidence,
                int64_t now, int32_t *answer, int64_t *bound),
      ARGUMENTS(w, limit, processors, quantile, confidence, now, answer, bound), 0)
WATCH(wait_seal, surefill_wait *w, w, 0)
WATCH(wait_open, ARGUMENTS(void *memory, int64_t length, surefill_wait **w), ARGUMENTS(memory, length, w), 0)
WATCH(recent_waits_add, ARGUMENTS(surefill_recent_waits *w, int64_t seconds), ARGUMENTS(w, seconds), 0)
WATCH(recent_waits_seal, surefill_recent_waits *w, w, 0)
WATCH(recent_waits_open, ARGUMENTS(void *memory, int64_t length, surefill_recent_waits **w),
      ARGUMENTS(memory, length, w), 0)

/* Delays. */
WATCH(delay_calibration_accepted,
      ARGUMENTS(surefill_delay_calibration *c, int32_t criterion, int64_t job, int64_t now, int32_t processors,
                int32_t missing, double predicted, double *told),
      ARGUMENTS(c, criterion, job, now, processors, missing, predicted, told), 0)
WATCH(delay_calibration_ended,
      ARGUMENTS(surefill_delay_calibration *c, int64_t job, int64_t started, int64_t now, int32_t processors),
      ARGUMENTS(c, job, started, now, processors), 0)
WATCH(delay_calibration_told,
      ARGUMENTS(const surefill_delay_calibration *c, int32_t criterion, double predicted, double *told),
      ARGUMENTS(c, criterion, predicted, told), 0)
WATCH(delay_calibration_totals,
      ARGUMENTS(const surefill_delay_calibration *c, int32_t criterion, int64_t *known, double *predicted, double *told,
                double *observed),
      ARGUMENTS(c, criterion, known, predicted, told, observed), 0)
WATCH(delay_calibration_seal, surefill_delay_calibration *c, c, 0)
WATCH(delay_calibration_open, ARGUMENTS(void *memory, int64_t length, surefill_delay_calibration **c),
      ARGUMENTS(memory, length, c), 0)

/* Passes. */
WATCH(pass_begin,
      ARGUMENTS(surefill_pass *p, int64_t now, int32_t idle, int64_t head, int32_t processors, int64_t waited),
      ARGUMENTS(p, now, idle, head, processors, waited), 0)
WATCH(pass_add_running,
      ARGUMENTS(surefill_pass *p, int32_t processors, int64_t age, int64_t limit, const surefill_distribution *believed,
                int32_t *index),
      ARGUMENTS(p, processors, age, limit, believed, index), 0)
WATCH(pass_add_candidate,
      ARGUMENTS(surefill_pass *p, int32_t processors, int64_t limit, const surefill_distribution *believed,
                int32_t *index),
      ARGUMENTS(p, processors, limit, believed, index), 0)
WATCH(pass_decide,
      ARGUMENTS(surefill_pass *p, const surefill_rule *rule, int64_t work, int32_t *step, int32_t *candidate),
      ARGUMENTS(p, rule, work, step, candidate), 0)
WATCH(pass_commit, ARGUMENTS(surefill_pass *p, int32_t candidate), ARGUMENTS(p, candidate), 0)
WATCH(pass_judgement,
      ARGUMENTS(const surefill_pass *p, int32_t candidate, double *delay, int32_t *exactness, int32_t *verdict),
      ARGUMENTS(p, candidate, delay, exactness, verdict), 0)
WATCH(pass_spent, ARGUMENTS(const surefill_pass *p, int32_t criterion, double *spent),
      ARGUMENTS(p, criterion, spent), 0)
WATCH(pass_head_start_quantile, ARGUMENTS(surefill_pass *p, double probability, int64_t *when),
      ARGUMENTS(p, probability, when), SUREFILL_ERROR_NEVER, 0)

long watch_surprises(void) { return surprises; }

void watch_report(void) {
    printf("%" PRId64 " calls of the library\n", calls);
    for (int i = 0; i < function_count; i++)
        for (int status = 1; status < STATUSES; status++) {
            const int64_t *returned = functions[i].returned;
            if (returned[status] == 0) continue;
            printf("  surefill_%s: %" PRId64 " of %" PRId64 " %s\n", functions[i].name, returned[status],
                   returned[status] + returned[0], surefill_status_name(-status));
        }
}

/* --- Memory --- */

/* Before every block lies its size, in as many bytes as keep the block aligned. */
enum { BEFORE = 16 };
static struct watch_memory allocated;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *block);

static void *given(char *real, size_t size) {
    if (real == NULL) return NULL;
    memcpy(real, &size, sizeof size);
    allocated.blocks++;
    allocated.bytes += size;
    return real + BEFORE;
}

static char *taken(void *block) {
    char *real = (char *)block - BEFORE;
    size_t size;
    memcpy(&size, real, sizeof size);
    allocated.blocks--;
    allocated.bytes -= size;
    return real;
}

void *__wrap_malloc(size_t size) { return given(__real_malloc(size + BEFORE), size); }

void *__wrap_calloc(size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX - BEFORE) / size) return NULL;
    return given(__real_calloc(1, count * size + BEFORE), count * size);
}

void *__wrap_realloc(void *old, size_t size) {
    char *real, *more;
    if (old == NULL) return __wrap_malloc(size);
    real = taken(old);
    more = __real_realloc(real, size + BEFORE);
    if (more != NULL) return given(more, size);
    memcpy(&size, real, sizeof size);
    given(real, size); /* it stays as it is */
    return NULL;
}

void __wrap_free(void *block) {
    if (block != NULL) __real_free(taken(block));
}

struct watch_memory watch_memory(void) { return allocated; }
