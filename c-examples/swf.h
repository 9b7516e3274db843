/* Reads a workload in the Standard Workload Format, plain text in order of submission, into the arrays of a program
 * that replays it. The program defines MAX_JOBS and a struct job with the members used here, then includes this. */
#ifndef SWF_H
#define SWF_H

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <surefill.h>

static struct job jobs[MAX_JOBS];
static int32_t job_count, machine;

static void fail(const char *what, const char *why) {
    fprintf(stderr, "replay: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

#define CHECK(call) check((call), #call)
static void check(int32_t status, const char *call) {
    if (status != SUREFILL_OK) fail(call, surefill_status_text(status));
}

/* One job line: 18 numbers. Needed are 2 submission, 4 run time, 5 and 8 processors used and requested, 9 requested
 * time, 12 user; negative is unknown. */
static void read_job(const char *line, const char *where) {
    double fields[19];
    for (int i = 1; i <= 18; i++) {
        char *end;
        fields[i] = strtod(line, &end);
        if (end == line) fail(where, "a job has 18 numbers");
        if (!(fabs(fields[i]) <= (double)SUREFILL_MAX_SECONDS)) fail(where, "a number is out of range");
        line = end;
    }
    double width = fields[5] > 0 ? fields[5] : fields[8];
    if (fields[4] < 0 || width <= 0) return; /* cancelled before it started, or not known to hold anything */
    if (machine == 0) fail(where, "no MaxProcs or MaxNodes before the first job");
    if (job_count == MAX_JOBS) fail(where, "too many jobs");
    struct job *job = &jobs[job_count++];
    job->submit = (int64_t)fields[2];
    if (job->submit < (job_count > 1 ? job[-1].submit : 0)) fail(where, "not in order of submission");
    job->run_time = (int64_t)fields[4];
    job->limit = (int64_t)(fields[9] > 0 ? fields[9] : fields[4]);
    job->processors = width < machine ? (int32_t)width : machine;
    job->user = (int64_t)fields[12];
}

/* A size in the header: the number the value begins with; 0 and -1 for unknown. */
static int32_t size_of(const char *value, const char *where) {
    char *end;
    long long number = strtoll(value, &end, 10);
    if (value[strspn(value, " \t\r\n")] == '\0') return 0; /* unknown */
    if (end == value || strchr(" \t\r\n(", *end) == NULL || number < -1 || number > INT32_MAX) fail(where, "the machine's size is no number");
    return (int32_t)number;
}

static void read_trace(const char *name) {
    static char line[4096], where[300];
    const char procs_key[] = "; MaxProcs:", nodes_key[] = "; MaxNodes:";
    int32_t nodes = 0, procs = 0;
    FILE *file = fopen(name, "r");
    if (file == NULL) fail(name, "cannot be opened");
    for (long number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        snprintf(where, sizeof where, "%s, line %ld", name, number);
        if (strchr(line, '\n') == NULL && !feof(file)) fail(where, "too long");
        if (strncmp(line, procs_key, sizeof procs_key - 1) == 0)
            procs = size_of(line + sizeof procs_key - 1, where);
        else if (strncmp(line, nodes_key, sizeof nodes_key - 1) == 0)
            nodes = size_of(line + sizeof nodes_key - 1, where);
        machine = procs > 0 ? procs : nodes > 0 ? nodes : 0;
        if (line[0] != ';' && line[strspn(line, " \t\r\n")] != '\0')
            read_job(line, where);
    }
    if (ferror(file)) fail(name, "cannot be read");
    fclose(file);
    if (job_count == 0) fail(name, "no jobs");
}

/* The mean wait, and the geometric one; waits below 10 s count as 10 s there. */
static void report_waits(void) {
    double sum = 0, logarithms = 0;
    for (int32_t id = 0; id < job_count; id++) {
        const double wait = (double)(jobs[id].start - jobs[id].submit);
        sum += wait;
        logarithms += log(fmax(wait, 10));
    }
    printf("  jobs                 %12" PRId32 "\n", job_count);
    printf("  mean wait            %12.3f s\n", sum / job_count);
    printf("  geometric mean wait  %12.3f s (below 10 s counts as 10 s)\n", exp(logarithms / job_count));
}

#endif
