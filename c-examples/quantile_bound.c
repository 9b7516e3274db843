/* A quantile of what is seen again and again, bounded from what was seen: order statistics, right for any distribution.
 * Standard input has the observations, one a line in any order; the arguments are the quantile and the confidence.
 *     sacct -anPX -S now-60days -s CD,F,TO -o ElapsedRaw | quantile_bound 0.95 0.95
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <surefill_parts.h>

#define CHECK(call) check((call), #call)

enum { MOST = 1 << 20 };
static double seen[MOST];

static void check(int32_t status, const char *call) {
    if (status == SUREFILL_OK) return;
    fprintf(stderr, "%s: %s: %s\n", call, surefill_status_name(status), surefill_status_text(status));
    exit(EXIT_FAILURE);
}

static int by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The k-th smallest, where there is one. */
static void print_bound(const char *side, int64_t k) {
    if (k == 0)
        printf("%s: too few observations\n", side);
    else
        printf("%s %g, observation %" PRId64 "\n", side, seen[k - 1], k);
}

int main(int argc, char **argv) {
    const double quantile = argc > 1 ? atof(argv[1]) : 0.95, confidence = argc > 2 ? atof(argv[2]) : 0.95;
    int64_t count = 0, fewest, lower, upper;
    while (count < MOST && scanf("%lf", &seen[count]) == 1) count++;
    if (!feof(stdin)) {
        fprintf(stderr, "line %" PRId64 ": a number is expected, at most %d of them\n", count + 1, MOST);
        return EXIT_FAILURE;
    }
    qsort(seen, (size_t)count, sizeof *seen, by_size);

    CHECK(surefill_binomial_fewest(quantile, confidence, &fewest));
    printf("%" PRId64 " observations; an upper bound takes %" PRId64 "\n", count, fewest);
    CHECK(surefill_binomial_lower(count, quantile, confidence, &lower));
    CHECK(surefill_binomial_upper(count, quantile, confidence, &upper));
    print_bound("at least", lower);
    print_bound("at most", upper);
    CHECK(surefill_binomial_two_sided(count, quantile, confidence, &lower, &upper));
    print_bound("both hold, at least", lower);
    print_bound("both hold, at most", upper);
    return 0;
}
