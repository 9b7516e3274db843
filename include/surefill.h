/* surefill: probabilistic answers for batch schedulers. Licence: MIT OR Apache-2.0.
 *
 * The scheduler that a resource manager or a site's tool links. The parts that it is built of, for programs that need
 * them by themselves, are in surefill_parts.h. Generated from src/capi (SUREFILL_BLESS=1 cargo test --test header); do
 * not edit.
 *
 * One section per object: how it is used, then its constants, structures and functions. The examples leave out what to
 * do when a function fails; a program looks at every status. c-examples has whole programs.
 *
 * Conventions:
 *
 * - Every function returns a status: 0 (SUREFILL_OK) or a negative SUREFILL_ERROR_ number. A call that returns an error
 *   has changed nothing and written no output, unless its section says otherwise.
 * - Memory is the caller's. An object is made in a block of at least its size, aligned to 8 bytes; its handle is the
 *   block's address. Nothing is allocated, nothing needs to be freed, and nothing is kept outside the block. Blocks
 *   hold no pointers: they may be copied while no call uses them. The copy's handle is the copy's address: a handle
 *   kept beside a block that moves (in structures that are sorted, in memory from realloc) is to be set anew.
 * - A sealed block is a checkpoint, of as many bytes as surefill_block_size says. Its checksum lies in bytes 24 to 31:
 *   FNV-1a with 64 bits of the whole block with zeros there. A library whose layouts are others refuses it with
 *   WRONG_VERSION: the version in it is the layouts' fingerprint, not the library's version.
 * - No object keeps a pointer to what a call was given. Bins, distributions, options, capacities and arrays may be
 *   changed, reused or freed as soon as the call has returned.
 * - Inputs come before outputs; a const handle is not changed; what the pointers of one call point to does not overlap.
 *   Structures begin with struct_size, their size in bytes as the program knows it, and a call reads and writes no byte
 *   behind it, so that programs of before go on with newer libraries and the other way round. The macro of an init
 *   function tells it the size (a caller without macros gives it); of a structure without one the program sets it, with
 *   zeros for all that it leaves open. Arrays have it in their first element. Parts, experts and parameters of models
 *   have none: they stay as they are.
 * - Every ..._size function takes a capacity and writes the bytes that an object of this capacity needs. Objects
 *   without a capacity have a constant ..._SIZE instead.
 * - Times are whole seconds in int64_t since any fixed origin, from 0 to 2^53; where a time may be left open 0 is none.
 *   Probabilities are doubles from 0 to 1, indices count
 *   from 0. A limit is a job's time limit.
 * - A call takes at most 20 kB of stack, the scheduler's and its cycles' the most (x86-64; measured by the tests).
 * - No function takes a lock, does I/O, calls back or keeps global state. Distinct objects are independent. One object
 *   needs one thread or the caller's lock, unless its section says otherwise.
 *
 * Errors that are not repeated below:
 *
 *   NULL, MISALIGNED            of any pointer
 *   WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT
 *                               of any handle, and of a block that is opened
 *   NO_STRUCT_SIZE              of a structure whose struct_size was not set
 *   WRONG_VERSION               of a structure whose struct_size is that of no version, or with a member set that this
 *                               version does not know
 *   TOO_SMALL                   of any block of memory; OUT_OF_RANGE when its length is negative
 *   NOT_A_NUMBER                of any double
 *   SPAN_TOO_LONG               of any span in whole seconds; OUT_OF_RANGE when it is negative
 */

#ifndef SUREFILL_H
#define SUREFILL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions, statuses, sizes of blocks, work in slices ----------------------------------------------------------
 *
 *     static int64_t memory[SUREFILL_BINS_SIZE / 8];
 *     surefill_bins *bins;
 *     int64_t bytes;
 *     surefill_bins_init_default(memory, sizeof memory, &bins);
 *     surefill_block_size(bins, &bytes);
 *     if (surefill_abi_version() != SUREFILL_ABI_VERSION) printf("built for another library\n");
 *     if (surefill_version_number() < SUREFILL_VERSION_NUMBER) printf("older than its header\n");
 *     printf("%s\n", surefill_status_text(SUREFILL_ERROR_FULL));
 */

/* Version of this header: major x 1,000,000 + minor x 1,000 + patch. */
#define SUREFILL_VERSION_NUMBER 1000

/* Version of the binary interface: programs run with every library of the same number, which is in the library's
 * name and in the version of each symbol. Structures may grow without a change: they say their size. */
#define SUREFILL_ABI_VERSION 0

/* The longest time span any function accepts, in seconds; as a time limit it means "no limit". */
#define SUREFILL_MAX_SECONDS ((int64_t)1 << 40)

/* Success. */
#define SUREFILL_OK 0

/* A pointer that must not be NULL is NULL. */
#define SUREFILL_ERROR_NULL -1

/* A pointer is not aligned: 8 bytes for blocks of memory and handles, its type's alignment for everything else. */
#define SUREFILL_ERROR_MISALIGNED -2

/* The memory is smaller than the size function says. */
#define SUREFILL_ERROR_TOO_SMALL -3

/* The memory does not hold an object of this type. */
#define SUREFILL_ERROR_WRONG_OBJECT -4

/* Made by an incompatible version: the object, or a structure with members this library does not know. */
#define SUREFILL_ERROR_WRONG_VERSION -5

/* The object is damaged. */
#define SUREFILL_ERROR_CORRUPT -6

/* A capacity fixed at initialisation is reached. */
#define SUREFILL_ERROR_FULL -7

/* An argument is not a number. */
#define SUREFILL_ERROR_NOT_A_NUMBER -8

/* An argument is out of range. */
#define SUREFILL_ERROR_OUT_OF_RANGE -9

/* The call makes no sense at this point. */
#define SUREFILL_ERROR_WRONG_STATE -10

/* The head job fits the idle processors: start it first. */
#define SUREFILL_ERROR_HEAD_FITS -11

/* No object has this index. */
#define SUREFILL_ERROR_NO_SUCH_INDEX -12

/* Nothing to take. */
#define SUREFILL_ERROR_EMPTY -13

/* With the jobs now running this never happens. */
#define SUREFILL_ERROR_NEVER -14

/* The object was made on a machine of the other byte order. */
#define SUREFILL_ERROR_FOREIGN_BYTE_ORDER -15

/* Probabilities that must sum to 1 do not. */
#define SUREFILL_ERROR_NOT_A_DISTRIBUTION -16

/* A job with this id is in the system already. */
#define SUREFILL_ERROR_DUPLICATE_JOB -17

/* No job with this id is in the system. */
#define SUREFILL_ERROR_UNKNOWN_JOB -18

/* An event lies before one already reported. */
#define SUREFILL_ERROR_TIME_WENT_BACK -19

/* The job has started already. */
#define SUREFILL_ERROR_ALREADY_STARTED -20

/* The job has not started. */
#define SUREFILL_ERROR_NOT_STARTED -21

/* More processors than the machine has. */
#define SUREFILL_ERROR_TOO_MANY_PROCESSORS -22

/* A span of whole seconds (an age, a limit, a run time, a wait) is longer than SUREFILL_MAX_SECONDS. */
#define SUREFILL_ERROR_SPAN_TOO_LONG -23

/* The running jobs and the idle processors are together more than the machine has. */
#define SUREFILL_ERROR_OVERFULL -24

/* A placement does not fit what is free on its nodes. */
#define SUREFILL_ERROR_DOES_NOT_FIT -25

/* The scheduler's capacity parts is reached, pairs of a job and a node: it grows by itself, without more jobs. */
#define SUREFILL_ERROR_PARTS_FULL -26

/* There is no answer for an object of this kind: a forecast of starts on nodes that differ or are shared, for
 * example. */
#define SUREFILL_ERROR_UNSUPPORTED -27

/* A structure's struct_size is 0: it has to be set to the structure's size. */
#define SUREFILL_ERROR_NO_STRUCT_SIZE -28

/* preset=papers and rule=delay decide about a pool of more units than the scheduler's capacity delay_units: it
 * grows by itself, without more jobs. */
#define SUREFILL_ERROR_DELAY_UNITS -29

/* preset=papers and rule=delay decide about pools of counted units, not of nodes. */
#define SUREFILL_ERROR_DELAY_ON_NODES -30

/* Work in slices (decisions of a pass, training, clustering): there is nothing to do for now. */
#define SUREFILL_STEP_IDLE 0

/* Work in slices: the work allowed for this call is used up; call again to go on. */
#define SUREFILL_STEP_MORE 1

/* Work in slices: it is complete. Every candidate has its verdict; a round of training is in use; the new clusters
 * are in use. */
#define SUREFILL_STEP_DONE 2

/* Decisions of a pass: the candidate given may start; commit it, then call again. */
#define SUREFILL_STEP_ACCEPT 3

/* The version of the library that is linked, to be compared with SUREFILL_VERSION_NUMBER. */
int32_t surefill_version_number(void);

/* The ABI version of the library that is linked, to be compared with SUREFILL_ABI_VERSION. */
int32_t surefill_abi_version(void);

/* Bytes of the block of any object, by its handle: what is to be written to a file once it is sealed. It looks at
 * the first 24 bytes alone, so that it also says of a file that begins with these how much memory it needs. O(1).
 *
 * Errors: WRONG_OBJECT (no object's block). */
int32_t surefill_block_size(const void *block, int64_t *size);

/* The name of a status, "SUREFILL_ERROR_FULL" for example; "unknown status" for other numbers. A static string. */
const char *surefill_status_name(int32_t status);

/* One sentence on a status, in English, without a full stop. A static string. */
const char *surefill_status_text(int32_t status);

/* ---- Runtime bins -------------------------------------------------------------------------------------------------
 *
 * A predictor, a distribution and a pass see run times in bins. A program makes them once.
 *
 *     static int64_t memory[SUREFILL_BINS_SIZE / 8];
 *     surefill_bins *bins;
 *     surefill_bins_init_default(memory, sizeof memory, &bins);
 *     surefill_bins_init(memory, sizeof memory, 60, 1.5, 20, &bins);
 */

/* The largest number of bins. */
#define SUREFILL_MAX_BINS 96

/* Bytes of memory that bins need, aligned to 8. */
#define SUREFILL_BINS_SIZE 816

/* Logarithmic runtime bins. With first edge f and ratio r, bin 0 holds run times below f seconds, bin j (counted
 * from 0) those from f r^(j-1) to below f r^j, and the last bin is open upwards: a job's time limit closes it.
 *
 * Never changed after initialisation: any number of threads may use one object. */
typedef struct surefill_bins surefill_bins;

/* Makes bins in the caller's memory (length bytes, at least SUREFILL_BINS_SIZE, aligned to 8): first edge in
 * seconds (above 0), ratio of neighbouring edges (above 1), number of bins (1 to SUREFILL_MAX_BINS, the open one
 * included). The papers' ratio is 1.8.
 *
 * Errors: OUT_OF_RANGE (also when an edge would pass SUREFILL_MAX_SECONDS). */
int32_t surefill_bins_init(void *memory,
                           int64_t length,
                           double first,
                           double ratio,
                           int32_t count,
                           surefill_bins **bins);

/* Makes the papers' bins: ratio 1.8, first edge 1.5 s, 24 bins, the last from 7.2 days. */
int32_t surefill_bins_init_default(void *memory, int64_t length, surefill_bins **bins);

/* ---- Distributions of run times -----------------------------------------------------------------------------------
 *
 * A distribution is what is predicted of one job's run time. A call that is given one copies what it needs: after
 * surefill_pass_add_running and the like its block may be used for the next one. NULL says that nothing is known but
 * the job's limit.
 *
 *     static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], memory[SUREFILL_DISTRIBUTION_SIZE / 8];
 *     const int64_t ran[] = {240, 300, 310, 2900};
 *     const double counts[24] = {0, 0, 0, 1, 4, 2};
 *     surefill_bins *bins;
 *     surefill_distribution *predicted;
 *     int64_t median;
 *     surefill_bins_init_default(bins_memory, sizeof bins_memory, &bins);
 *     surefill_distribution_init_samples(memory, sizeof memory, bins, ran, NULL, 4, &predicted);
 *     surefill_distribution_quantile(predicted, 0.5, 0, 3600, &median);
 *     surefill_distribution_init_counts(memory, sizeof memory, bins, counts, 24, &predicted);
 *     surefill_distribution_init_single(memory, sizeof memory, 600, &predicted);
 */

/* Bytes of memory that a distribution needs, aligned to 8. */
#define SUREFILL_DISTRIBUTION_SIZE 1600

/* The largest number of events into which a bin's probability may be divided. */
#define SUREFILL_MAX_EVENTS_PER_BIN 16

/* The predicted run time of one job, before anything is known of its age. It holds a copy of its bins.
 *
 * Never changed after initialisation: any number of threads may use one object. */
typedef struct surefill_distribution surefill_distribution;

/* Makes the distribution proportional to count numbers, one for each bin, none negative. When all are zero nothing
 * is known: the job is expected to run to its limit.
 *
 * Errors: OUT_OF_RANGE (also when there are not as many numbers as bins). */
int32_t surefill_distribution_init_counts(void *memory,
                                          int64_t length,
                                          const surefill_bins *bins,
                                          const double *counts,
                                          int32_t count,
                                          surefill_distribution **distribution);

/* Makes the distribution of count samples: run times in seconds (0 to SUREFILL_MAX_SECONDS) with weights, none
 * negative; weights may be NULL, then every sample weighs 1. Without any weight nothing is known: the job is
 * expected to run to its limit. O(count x log of the number of bins).
 *
 * Errors: as surefill_distribution_init_counts. */
int32_t surefill_distribution_init_samples(void *memory,
                                           int64_t length,
                                           const surefill_bins *bins,
                                           const int64_t *runtimes,
                                           const double *weights,
                                           int32_t count,
                                           surefill_distribution **distribution);

/* Makes a prediction of one value, in seconds (0 to SUREFILL_MAX_SECONDS).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_distribution_init_single(void *memory,
                                          int64_t length,
                                          int64_t seconds,
                                          surefill_distribution **distribution);

/* The remaining run time in seconds (at least 1) that a job of this age under this limit (both in seconds, 0 to
 * SUREFILL_MAX_SECONDS) exceeds with probability at most 1 - quantile (0 to 1). What is predicted beyond the limit
 * is at the limit, as jobs that use up their limits are. O(bins).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_distribution_quantile(const surefill_distribution *distribution,
                                       double quantile,
                                       int64_t age,
                                       int64_t limit,
                                       int64_t *seconds);

/* ---- The scheduler: the resource manager's jobs are reported to it, and it offers jobs to start -------------------
 *
 * A shell around a resource manager reports pools, queues and jobs, by single events or by whole listings, and runs a
 * cycle when surefill_scheduler_wake asks for one. The manager is right: what it says of a job holds from now on, and
 * the scheduler finds what has happened. No order of events is an error. Sealed, the block is the state file; an old
 * one is mended by the next listing. A predicted start that is shown to people is asked for by
 * surefill_starts_report, so that later ones follow the starts that come.
 *
 * A pool has counted units, or it consists of nodes with processors, memory and GPUs; then each offer says where the
 * job starts.
 *
 * An array is one job with tasks. It is reported once, with the number of its tasks that wait, and with at_once while
 * a limit lets fewer start. An offer of it is one task, and surefill_cycle_started gets the id that the manager gives
 * the task: from then on the task is a job of its own, with that id in every report, and the array has one task less.
 * The last task alone may have the array's own id; once all have started the array waits no more. When the manager
 * lets further tasks start, the array is reported again with its tasks and at_once as they are then.
 *
 * A full capacity grows. FULL of surefill_scheduler_set_job, surefill_cycle_next and surefill_cycle_started is the
 * capacity jobs, PARTS_FULL the capacity parts, DELAY_UNITS the capacity delay_units, FULL of another function its
 * own (pools, queues, reservations). Then surefill_scheduler_grow goes on in a larger block, and the call is made
 * again; a cycle may be stale then, and another needs surefill_cycle_size of the new capacity. Jobs, ended, pools,
 * queues, nodes, parts, reservations and delay_units can grow; histories, waits, bins, arrivals and kinds are for
 * good.
 *
 *     static int64_t memory[1 << 18], larger[1 << 19], scratch[1 << 18], more[1 << 18], saved[1 << 19];
 *     surefill_scheduler_capacity capacity;
 *     surefill_scheduler *s;
 *     surefill_cycle *cycle;
 *     surefill_job job = {0};
 *     surefill_action action = {0};
 *     surefill_starts *starts;
 *     surefill_start start = {0};
 *     surefill_reason reason = {0};
 *     int64_t now = 1000000, bytes, when, pools, known;
 *     int32_t pool, cluster, doubted, step, state, i, status;
 *     char text[400];
 *     double within;
 *     surefill_node node = {0};
 *     surefill_reservation maintenance = {0};
 *     surefill_part parts[8];
 *     int32_t licences[SUREFILL_MAX_RESOURCES] = {10}, big[2] = {1, 2};
 *     surefill_scheduler_capacity_init(&capacity, 2);
 *     capacity.nodes = 8;
 *     capacity.parts = 8;
 *     capacity.reservations = 1;
 *     surefill_scheduler_init(memory, sizeof memory, &capacity, &s);
 *     surefill_scheduler_configure(s, "preset=fast", 11, "", text, sizeof text);
 *     surefill_scheduler_set_pool(s, "nodes", 5, 128, -1, &pool);
 *     surefill_scheduler_set_queue(s, "batch", 5, pool, &job.queues[0]);
 *
 * A listing of three jobs, the first of which runs, with a larger block for the third:
 *
 *     job.struct_size = sizeof job;
 *     job.user = surefill_hash("ada", 3);
 *     job.limit = 3600;
 *     job.queue_count = 1;
 *     surefill_scheduler_list_begin(s, now);
 *     for (i = 1; i <= 3; i++) {
 *       job.id = i;
 *       job.count = i == 3 ? 32 : 96;
 *       job.state = i == 1 ? SUREFILL_JOB_RUNNING : SUREFILL_JOB_WAITING;
 *       job.start = i == 1 ? now - 600 : 0;
 *       while ((status = surefill_scheduler_set_job(s, now, &job)) == SUREFILL_ERROR_FULL) {
 *         capacity.jobs *= 2;
 *         surefill_scheduler_size(&capacity, &bytes);
 *         printf("%d jobs do not fit, %d take %ld bytes\n", (int)i, (int)capacity.jobs, (long)bytes);
 *         surefill_scheduler_grow(s, larger, sizeof larger, &capacity, &s);
 *       }
 *       if (status != SUREFILL_OK) printf("%s\n", surefill_status_text(status));
 *     }
 *     surefill_scheduler_list_end(s, now, &doubted);
 *     surefill_scheduler_set_priority(s, 2, 0, 100.0);
 *
 * A cycle, in which the manager starts all that is offered:
 *
 *     surefill_scheduler_wake(s, now, &when, &pools);
 *     if (when <= now && pools >> pool & 1) {
 *       action.struct_size = sizeof action;
 *       surefill_cycle_size(&capacity, &bytes);
 *       surefill_cycle_begin(scratch, sizeof scratch, s, pool, now, &cycle);
 *       while (surefill_cycle_next(cycle, s, &action) == SUREFILL_OK && action.step == SUREFILL_ACT_START) {
 *         printf("job %ld starts on %d units\n", (long)action.job, (int)action.count);
 *         surefill_cycle_started(cycle, s, action.number, action.job);
 *       }
 *       surefill_cycle_close(cycle, s);
 *     }
 *     surefill_scheduler_run_time(s, now, 2, 0.9, &when);
 *     printf("nine of ten jobs like 2 run for %ld s at most\n", (long)when);
 *
 * When the second job will start, and why it waits, in a sentence that has the reported start:
 *
 *     surefill_starts_size(&capacity, 20, &bytes);
 *     surefill_starts_begin(more, sizeof more, s, pool, now, 20, &starts);
 *     do surefill_starts_run(starts, s, 1000, &step);
 *     while (step == SUREFILL_STEP_MORE);
 *     start.struct_size = sizeof start;
 *     surefill_starts_predicted(starts, s, 2, &start);
 *     surefill_starts_report(starts, s, 2, &start);
 *     surefill_starts_probability(starts, s, 2, now + 3600, &within);
 *     printf("half of such jobs start within %ld s, by then with probability %.2f\n", (long)(start.by[2] - now), within);
 *     reason.struct_size = sizeof reason;
 *     surefill_cycle_begin(scratch, sizeof scratch, s, pool, now, &cycle);
 *     surefill_cycle_plan_all(cycle, s);
 *     surefill_cycle_reason(cycle, s, 2, &reason);
 *     surefill_reason_sentence(&reason, NULL, NULL, text, sizeof text, &bytes);
 *     printf("job 2: %s\n", text);
 *     surefill_cycle_planned(cycle, s, 2, &when);
 *     printf("planned in %ld s, number %d of those that wait\n", (long)(when - now), (int)reason.rank);
 *     job.id = 0;
 *     surefill_cycle_try(cycle, s, &job, &reason);
 *     printf("another one like 3 would start in %ld s\n", (long)(reason.start - now));
 *     surefill_cycle_close(cycle, s);
 *     surefill_scheduler_reason(s, now, 2, &reason);
 *
 * A pool of three nodes, of which the queue has two; one of these is reserved in half an hour:
 *
 *     surefill_scheduler_set_pool(s, "cluster", 7, 0, -1, &cluster);
 *     surefill_scheduler_set_queue(s, "big", 3, cluster, &job.queues[0]);
 *     node.struct_size = sizeof node;
 *     node.state = SUREFILL_NODE_UP;
 *     node.amounts[0] = 64;
 *     node.amounts[1] = 262144;
 *     for (i = 0; i < 3; i++) surefill_scheduler_set_node(s, cluster, i, &node);
 *     surefill_scheduler_set_queue_nodes(s, job.queues[0], big, 2);
 *     surefill_scheduler_set_licences(s, licences);
 *     maintenance.struct_size = sizeof maintenance;
 *     maintenance.pool = cluster;
 *     maintenance.key = surefill_hash("maintenance", 11);
 *     maintenance.from = now + 1800;
 *     maintenance.to = now + 14400;
 *     maintenance.nodes = big;
 *     maintenance.node_count = 1;
 *     surefill_scheduler_set_reservation(s, &maintenance);
 *     job.id = 4;
 *     job.count = 2;
 *     job.flags = SUREFILL_FLAG_PACKED;
 *     job.each[0] = 4;
 *     job.each[1] = 8192;
 *     job.licences[0] = 1;
 *     surefill_scheduler_set_job(s, now, &job);
 *     surefill_cycle_begin(scratch, sizeof scratch, s, cluster, now, &cycle);
 *     while (surefill_cycle_next(cycle, s, &action) == SUREFILL_OK && action.step == SUREFILL_ACT_START) {
 *       surefill_cycle_parts(cycle, action.number, parts, 8, &step);
 *       printf("%d tasks of job %ld on node %d\n", (int)parts[0].tasks, (long)action.job, (int)parts[0].node);
 *       surefill_cycle_started(cycle, s, action.number, action.job);
 *     }
 *     surefill_cycle_close(cycle, s);
 *
 * The sealed block is the state. It is read again, and what it knows is compared with what the manager lists:
 *
 *     surefill_scheduler_seal(s);
 *     surefill_block_size(s, &bytes);
 *     memcpy(saved, s, (size_t)bytes);
 *     surefill_scheduler_open(saved, sizeof saved, &s);
 *     surefill_scheduler_words(s, text, sizeof text);
 *     surefill_scheduler_capacity_of(s, &capacity);
 *     for (i = 0; surefill_scheduler_job(s, i, &known, &state) == SUREFILL_OK; i++)
 *       printf("job %ld %s\n", (long)known, state < SUREFILL_JOB_STARTING ? "waits" : "has its room");
 */

/* Waiting or held, as was reported last; waiting if the job is unknown. */
#define SUREFILL_JOB_AS_BEFORE 0

/* It may start if there is room. */
#define SUREFILL_JOB_WAITING 1

/* It waits but must not start now, for a reason of the manager's (why). */
#define SUREFILL_JOB_HELD 2

/* It has its room and is being started. */
#define SUREFILL_JOB_STARTING 3

/* It runs. */
#define SUREFILL_JOB_RUNNING 4

/* It has started and is stopped; it does not age. */
#define SUREFILL_JOB_SUSPENDED 5

/* It is over, but what it held is still being cleaned. */
#define SUREFILL_JOB_ENDING 6

/* It ended by itself, by its limit or by its user. Its run time is learnt. */
#define SUREFILL_JOB_ENDED 7

/* It ended by a failure or by preemption. Nothing is learnt from it. */
#define SUREFILL_JOB_BROKEN 8

/* It was withdrawn before it ran. */
#define SUREFILL_JOB_GONE 9

/* Flag of a job: while it is suspended it holds nothing. */
#define SUREFILL_FLAG_HOLDS_NOTHING 1

/* Flag of a job: no other job may be on its nodes. */
#define SUREFILL_FLAG_EXCLUSIVE 4

/* Flag of a job: several of its tasks may share a node. Without it each is on a node of its own. */
#define SUREFILL_FLAG_PACKED 8

/* The most kinds of resource, on nodes and of the whole machine. */
#define SUREFILL_MAX_RESOURCES 8

/* The most tasks of one request. */
#define SUREFILL_MAX_TASKS 16777216

/* Jobs may start on the node. */
#define SUREFILL_NODE_UP 1

/* No new job may start on it: it is drained, or a stranger has it. Jobs on it go on. */
#define SUREFILL_NODE_CLOSED 2

/* It is expected to be up at some time: after a restart or a reconfiguration it is not registered yet, or it is
 * powering up. It counts in every plan and reservation from then on, and no job starts on it before it is up. */
#define SUREFILL_NODE_AWAITED 3

/* It is not there. */
#define SUREFILL_NODE_DOWN 4

/* An offer: start this job, or refuse to. Until it is refused it counts as started for the rest of the cycle. */
#define SUREFILL_ACT_START 2

/* In shadow mode: the rule would start this job now. It is said once of a job, and not answered. */
#define SUREFILL_ACT_WOULD_START 3

/* Nothing more starts. Steps below this one that a program does not know it passes by. */
#define SUREFILL_ACT_DONE 64

/* There is less room than the cycle thought, or the settings have changed: begin another. */
#define SUREFILL_ACT_STALE 65

/* Refused for want of room: the job keeps its rank, and is offered again when its pool has changed, at the latest
 * after as many seconds as the word refused says; the third time in a row it lets others pass for so long. */
#define SUREFILL_REFUSED_BUSY 1

/* Refused by a limit of the manager's, or for a reason that may pass: it is others' turn for as many seconds as
 * the word refused says. Also for a job that the manager no longer knows: the report or the listing that lacks it
 * ends the matter. */
#define SUREFILL_REFUSED_NOT_NOW 2

/* Refused for ever, until the job is reported with another limit, count, request or pool, or is submitted anew. */
#define SUREFILL_REFUSED_NEVER 4

/* No reason is known. */
#define SUREFILL_WHY_UNKNOWN 0

/* It starts in order and passes none. */
#define SUREFILL_WHY_IN_ORDER 1

/* It starts because the cheapest plan of the whole queue has it start now. */
#define SUREFILL_WHY_PLANNED 2

/* It starts ahead of others in the site's order, the first of which it does not delay by the time limits. */
#define SUREFILL_WHY_BY_LIMITS 3

/* It starts ahead of the head job, which it delays by less than the delay rule allows. */
#define SUREFILL_WHY_BY_DELAY 4

/* It waits: there is no room, what those take that start now counted. */
#define SUREFILL_WHY_NO_ROOM 16

/* It waits, and is the first of all that wait: others must not delay it. */
#define SUREFILL_WHY_HEAD 17

/* It waits: there is room, also beside those that start now, but starting it would cost others more. */
#define SUREFILL_WHY_LATER 18

/* It waits: it could delay a job that others must not delay, the first of its tier or the one that waited longest. */
#define SUREFILL_WHY_GUARDED 19

/* It waits: the resource manager refused to start it. */
#define SUREFILL_WHY_REFUSED 20

/* It waits: jobs hold more than the pool has, and no job passes the first one. */
#define SUREFILL_WHY_INCONSISTENT 21

/* It can never start: the pool is too small, or has no nodes such as it wants. */
#define SUREFILL_WHY_NEVER 22

/* It waits: what it needs is out of service. */
#define SUREFILL_WHY_NODES_OUT 23

/* It waits: reservations keep it off its nodes, or its own has not begun. */
#define SUREFILL_WHY_RESERVED 24

/* It waits: the licences that it wants are in use, or are fewer than it wants. */
#define SUREFILL_WHY_LICENCES 25

/* It waits behind those that were planned: what is idle is theirs. */
#define SUREFILL_WHY_DEPTH 26

/* It waits: it would delay the head job by more than the delay rule allows. */
#define SUREFILL_WHY_DELAYS 27

/* The manager holds it. Time held is not time waited; nor is it with the next two. */
#define SUREFILL_WHY_HOLD 48

/* It depends on other jobs. */
#define SUREFILL_WHY_DEPENDENCY 49

/* Its time has not come. */
#define SUREFILL_WHY_BEGIN 50

/* It is held by a limit on its user, account or queue. Time held is time waited; so it is with the next ones. */
#define SUREFILL_WHY_LIMIT 51

/* It could not end before its deadline. */
#define SUREFILL_WHY_DEADLINE 52

/* Its queue is closed. */
#define SUREFILL_WHY_QUEUE_CLOSED 53

/* Another reason of the manager's. */
#define SUREFILL_WHY_OTHER 54

/* Enough tasks of its array run at once. The scheduler says it too, of a throttled array. */
#define SUREFILL_WHY_ARRAY 55

/* The most scenarios of a forecast of starts. */
#define SUREFILL_MAX_START_SCENARIOS 64

/* surefill_start.capped where no start can be predicted. */
#define SUREFILL_START_STALLED 2

/* One decision: scratch beside the scheduler's block. It needs the scheduler's thread, or the lock that guards it. */
typedef struct surefill_cycle surefill_cycle;

/* A scheduler without a machine. Sealed, the block is a checkpoint: write it to a file, read it back, open it.
 *
 * Distinct objects are independent; one needs one thread, or the caller's lock. The block holds no pointers. */
typedef struct surefill_scheduler surefill_scheduler;

/* A forecast of starts: scratch beside the scheduler's block. It needs the scheduler's thread, or the lock that
 * guards it. */
typedef struct surefill_starts surefill_starts;

/* Capacities of a scheduler. Set by surefill_scheduler_capacity_init, then changed as needed. */
typedef struct surefill_scheduler_capacity {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* Jobs that wait or run (1 to 1,048,576), 2.2 kB each. */
  int32_t jobs;
  /* Jobs that are over but that the manager may still list (at most 1,048,576), 32 bytes each. */
  int32_t ended;
  /* Pools (1 to 63). */
  int32_t pools;
  /* Queues (1 to 63). */
  int32_t queues;
  /* Histories of like jobs that the predictor keeps (at most 16,777,216), 120 bytes each and with that most of the
   * block; 0 for no predictor, on small machines: every job then runs to its limit. */
  int32_t histories;
  /* Waits remembered of each pool (1 to 4,194,304), 92 bytes each. */
  int32_t waits;
  /* Run-time bins (2 to SUREFILL_MAX_BINS). */
  int32_t bins;
  /* Submissions remembered, by which a forecast of starts foresees later ones (at most 1,048,576; 0 for none), 80
   * bytes each. */
  int32_t arrivals;
  /* Nodes, by the largest number and 1 more (at most 65,535); 0 where all pools have counted units. With nodes
   * there is room for at most 262,144 jobs. */
  int32_t nodes;
  /* Kinds of resource on a node (1 to SUREFILL_MAX_RESOURCES), processors first. */
  int32_t kinds;
  /* Pairs of a job and a node on which it holds something (at most 2,097,152). */
  int32_t parts;
  /* Reservations of nodes (at most 64). */
  int32_t reservations;
  /* Units of the largest pool about which preset=papers and rule=delay decide (at most 16,777,216); 0 for none. A
   * cycle's memory grows by some 10 kB for each of the jobs and 200 bytes for each of these units. */
  int32_t delay_units;
} surefill_scheduler_capacity;

/* A node, as the resource manager reports it. Zero it first: 0 is none, unknown or the default. */
typedef struct surefill_node {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* One of SUREFILL_NODE_. */
  int32_t state;
  /* Its name (surefill_hash): another name under the same number is another node. */
  int64_t name;
  /* An awaited node's time until which it is awaited; then it is down. 0 for as long as the word grace says. */
  int64_t until;
  /* Its features: bits of the site's own meaning. */
  int64_t features;
  /* Its amounts, kind by kind, processors first. */
  int32_t amounts[8];
  /* Its weight: the nodes with the smallest come first of those that a job may have; not negative. */
  int32_t weight;
  /* 0. */
  int32_t reserved;
} surefill_node;

/* A reservation of nodes: who may not use it ends before it begins, by the time limit, or is elsewhere. */
typedef struct surefill_reservation {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* Its pool. */
  int32_t pool;
  /* By which jobs name it; not 0. */
  int64_t key;
  /* When it begins. */
  int64_t from;
  /* When it ends; 0 and there is no such reservation any more. */
  int64_t to;
  /* Its nodes. */
  const int32_t *nodes;
  /* Number of nodes. */
  int32_t node_count;
  /* 0. */
  int32_t reserved;
} surefill_reservation;

/* Some of a job's tasks, on one node. */
typedef struct surefill_part {
  /* The node, from 0. */
  int32_t node;
  /* Tasks on it, at least 1; exactly 1 where each lies on a node of its own. */
  int32_t tasks;
} surefill_part;

/* A job, as the resource manager reports it. Zero it first: 0 is none, unknown or the default. Each report
 * replaces the whole description, but submit and parts, of which 0 and NULL keep what is known. Of a job that is
 * over id, state and ran are enough. Times are whole seconds since any origin, from 0 to 2^53. */
typedef struct surefill_job {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* One of SUREFILL_JOB_: the manager's word, whatever the scheduler thought. */
  int32_t state;
  /* Which job; not 0. */
  int64_t id;
  /* Its user, as a number (surefill_hash of a name); -1 if it is not known: its first queue stands for it in
   * predictions then. */
  int64_t user;
  /* When it was submitted; 0 for now, or unchanged if the job is known. Another time under the same id is another
   * job. */
  int64_t submit;
  /* It may not start before then: it is reported as waiting, and needs no further report. 0 for no such time. One
   * that is reported as held stays held. */
  int64_t begin;
  /* When its present run started; 0 for as long ago as it has run (ran), but not before its submission. */
  int64_t start;
  /* Its time limit in seconds; 0 for none: it may run for ever. */
  int64_t limit;
  /* Seconds for which it has run without suspensions; 0 for the time since start. */
  int64_t ran;
  /* The site's priority, larger first. */
  double priority;
  /* Jobs of a higher tier never wait for those of a lower one. */
  int32_t tier;
  /* Processors, nodes or other units that it wants, in a pool of nodes tasks; at least 1. */
  int32_t count;
  /* Units that it holds, where these are others than it wanted; in a pool of nodes its processors, by which it is
   * known as wide, where these are others than its tasks take of the first kind of resource. */
  int32_t units;
  /* Number of times that it was put back into the queue. */
  int32_t restarts;
  /* An array's tasks that wait, all of one request; 0 for 1. */
  int32_t tasks;
  /* Those of an array's waiting tasks that may start now; 0 for all of them. Where none may start, the state is
   * SUREFILL_JOB_HELD and the reason SUREFILL_WHY_ARRAY. */
  int32_t at_once;
  /* Why it is held: one of SUREFILL_WHY_ from SUREFILL_WHY_HOLD on. */
  int32_t why;
  /* SUREFILL_FLAG_, added up. */
  int32_t flags;
  /* Number of queues that follow. */
  int32_t queue_count;
  /* The queues in which it may start, or did, all of one pool. */
  int32_t queues[8];
  /* 0. */
  int32_t reserved;
  /* Its predicted run time, if the program predicts it, in the default bins; NULL for the scheduler's own
   * prediction. */
  const surefill_distribution *prediction;
  /* The features that its nodes have, all of them. From here on all is for pools of nodes, and 0 in others. */
  int64_t features;
  /* The features of which its nodes have at least one; 0 if that does not matter. */
  int64_t any;
  /* Its nodes have none of these. */
  int64_t without;
  /* The key of the reservation in which it runs. */
  int64_t reservation;
  /* Amounts that a task takes of its node, kind by kind, processors first: 0 processors are 1. */
  int32_t each[8];
  /* The licences that the whole job takes, kind by kind. */
  int32_t licences[8];
  /* The nodes that it holds, in increasing order, with its tasks on each, from now on; NULL for those that it held
   * before, and of a job that holds nothing. */
  const surefill_part *parts;
  /* Number of parts. */
  int32_t part_count;
  /* 0. */
  int32_t reserved_too;
} surefill_job;

/* Counts of events since the block was made. */
typedef struct surefill_totals {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* Jobs that wait or are held now. */
  int32_t waiting;
  /* Jobs that hold room now. */
  int32_t running;
  /* 0. */
  int32_t reserved;
  /* Jobs submitted. */
  int64_t submitted;
  /* Jobs started. */
  int64_t started;
  /* Jobs ended, whose run times were learnt. */
  int64_t ended;
  /* Jobs that a failure or preemption ended, or that left the listings while they ran. */
  int64_t broken;
  /* Jobs withdrawn before they ran. */
  int64_t withdrawn;
  /* Jobs put back into the queue. */
  int64_t requeued;
  /* Offers that the manager refused. */
  int64_t refused;
  /* Jobs that went from one state to another as no manager should report. */
  int64_t surprises;
  /* Times the clock was set back by more than a minute. */
  int64_t clock_set_back;
  /* Events of jobs that were not known and not described. */
  int64_t unknown_jobs;
  /* Listings that were doubted, because too many jobs with room were missing in them. */
  int64_t doubted;
} surefill_totals;

/* An action that a cycle asks for. */
typedef struct surefill_action {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* One of SUREFILL_ACT_. What follows is for SUREFILL_ACT_START and SUREFILL_ACT_WOULD_START, else 0. */
  int32_t step;
  /* Which job; of an array, the array. */
  int64_t job;
  /* The waiting job that it passes, the first in the order of submission, under preset=easy in the site's; 0 for
   * none. */
  int64_t head;
  /* The offer's number, by which it is answered. */
  int32_t number;
  /* A queue of the job's. */
  int32_t queue;
  /* Units that it takes, or tasks on nodes (surefill_cycle_parts). */
  int32_t count;
  /* Why it starts: one of SUREFILL_WHY_. */
  int32_t why;
} surefill_action;

/* The reason for which a waiting job does not run, and its planned start. Times are in the scheduler's time. */
typedef struct surefill_reason {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* The reason: one of SUREFILL_WHY_ from SUREFILL_WHY_NO_ROOM on; SUREFILL_WHY_PLANNED for a job that starts now,
   * and SUREFILL_WHY_UNKNOWN for one about which nothing was decided since it was reported or changed. */
  int32_t why;
  /* Which job. */
  int64_t job;
  /* The waiting job whose start it must not delay; 0 for none. While a job that has waited too long is in front of
   * all jobs it is that one; else, for a job planned for later, the first of the plan that starts later than now. */
  int64_t head;
  /* When that was asked: spans of a sentence begin there. */
  int64_t now;
  /* The planned start; 0 where nothing is planned of it. It is a plan, not a promise: by mean predicted run times,
   * without the jobs that are still to come, and on the plan's grid, up to a sixteenth of the time until then
   * later than the plan needs. When it will start surefill_starts_predicted says. */
  int64_t start;
  /* The time at which it has room if all that run do so to their limits: for the job that is in front of all, in a
   * pool of counted units; else 0. */
  int64_t by_limits;
  /* When the reason ends by itself (a begin time, a refusal, which a change of the pool may end sooner, the
   * beginning of its reservation); 0 if it does not. */
  int64_t until;
  /* The price of starting it now, where it fits and is planned for later: by how many seconds its own wait would
   * be shorter; 0 where that is not known. */
  int64_t saved;
  /* By how many seconds the planned waits of the others would be longer, all together; below 0: shorter. */
  int64_t others;
  /* Its rank among those that wait, by their planned starts, the first 1; 0 without a planned start. */
  int32_t rank;
  /* Tasks of an array that wait; 1 for a job. */
  int32_t tasks;
  /* Processors (or other units) that it wants. */
  int32_t wanted;
  /* Those of its pool that are idle once those have started that do. */
  int32_t idle;
  /* All of its pool. */
  int32_t units;
  /* 0. */
  int32_t reserved;
  /* The median of its start as surefill_starts_report last gave it, when that is still to come; else 0. A sentence
   * has it instead of the planned start, so that people are given one answer: a program that shows `by[2]` of
   * surefill_starts_predicted sets it itself before it asks for the sentence. */
  int64_t expected;
  /* With SUREFILL_WHY_DELAYS: the delay of the head job, if it started now, in the criterion's unit. */
  double delay;
  /* The delay must be below this. */
  double allowed;
  /* The criterion: 0 the probability of a delay, 1 the papers' bound of it, 2 expected seconds, 3 these over the
   * head job's own expected remaining wait; -1 without a delay. */
  int32_t criterion;
  /* 1 if the delay is at least the one above, 0 if it is that one. */
  int32_t at_least;
} surefill_reason;

/* The predicted start of a waiting job. */
typedef struct surefill_start {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* 1 if the start may lie later than the last instant: longer waits are not known, nor is an instant that is
   * equal to the last one. SUREFILL_START_STALLED if no instant is known, because a waiting job may start and
   * nothing has started for longer than ever: the machine may be down. */
  int32_t capped;
  /* The instants by which the job starts with probability .05, .25, .5, .75 and .95, in the scheduler's time, not
   * decreasing. People plan by the fourth: three of four jobs have started by then. */
  int64_t by[5];
} surefill_start;

/* A number for a name: FNV-1a with 64 bits of its bytes. NULL and negative lengths are empty names. O(length). */
int64_t surefill_hash(const char *text, int64_t length);

/* Sets a capacity for this number of jobs that wait or run, and as many that are over. From 256 jobs on the rest
 * is what a site's machine can spare, 8 MB of histories, 460 kB of waits for each of 4 pools, 330 kB of
 * submissions: a block of 11 MB. For fewer jobs it is less in proportion, 1.2 MB for 16. As histories, waits and
 * arrivals do not grow, a program that begins small and grows asks for 256 jobs or sets them itself. O(1).
 *
 * Errors: OUT_OF_RANGE (jobs). */
int32_t surefill_scheduler_capacity_init(surefill_scheduler_capacity *capacity, int32_t jobs, int64_t size);
#define surefill_scheduler_capacity_init(capacity, jobs) surefill_scheduler_capacity_init(capacity, jobs, (int64_t)sizeof *(capacity))

/* Bytes of memory that a scheduler with this capacity needs.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_scheduler_size(const surefill_scheduler_capacity *capacity, int64_t *size);

/* Makes a scheduler with default settings that knows nothing, in the caller's memory (length bytes, at least
 * surefill_scheduler_size, aligned to 8). O(size).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_scheduler_init(void *memory,
                                int64_t length,
                                const surefill_scheduler_capacity *capacity,
                                surefill_scheduler **scheduler);

/* The scheduler goes on in a larger block, with all that it knows; the old one stays as it is. An open cycle goes
 * on with the new handle, or says SUREFILL_ACT_STALE; an open forecast is begun anew. Jobs, ended, pools, queues,
 * nodes, parts, reservations and delay_units may be more, ended and delay_units also less; the rest is as
 * surefill_scheduler_capacity_of says. O(size).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_scheduler_grow(const surefill_scheduler *old,
                                void *memory,
                                int64_t length,
                                const surefill_scheduler_capacity *capacity,
                                surefill_scheduler **scheduler);

/* Makes the block a checkpoint, surefill_scheduler_size bytes from the handle on, by writing its checksum. Any
 * later call that changes it breaks the seal. O(size). */
int32_t surefill_scheduler_seal(surefill_scheduler *scheduler);

/* Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
 * surefill_scheduler_seal left it. The next listing is not doubted. O(size). */
int32_t surefill_scheduler_open(void *memory, int64_t length, surefill_scheduler **scheduler);

/* Writes what a scheduler has room for: of one that was opened, what it was made or has grown for. O(1). */
int32_t surefill_scheduler_capacity_of(const surefill_scheduler *scheduler, surefill_scheduler_capacity *capacity);

/* Changes the settings that these words name (length bytes, apart by blanks, commas or pluses), such as
 * "preset=fast proposals=25". With a prefix (NULL or "" for none) only words that begin with it are looked at,
 * without it. A word that is not understood is an error, nothing is changed, and message (room bytes, zero at its
 * end) says which it is and what it should be; else message is empty. The words, each with its values and its
 * default:
 *
 * - preset=fair (default), fast, easy or papers: the plan of the whole queue, with tails shorter than EASY's; the
 *   plan for the shortest mean wait; EASY backfilling by the time limits in the site's order; probabilistic
 *   backfilling in the site's order as Nissimov & Feitelson 2007 have it: rule=delay with criterion=bound tau=0.05
 *   events=1, by the run times predicted when a job was submitted. It sets criterion, tau, events and the words
 *   from short to slack, so that it stands before them. Where no plan is made the words from short to slack, cut
 *   and running matter to surefill_cycle_plan_all and surefill_cycle_try alone.
 * - rule=auto (default), plan or delay: what decides: the rule of the preset; the plan of the whole queue;
 *   backfilling in the site's order by how much the head job is delayed. The latter, also by preset=papers, is for
 *   pools of counted units with the capacity delay_units; surefill_cycle_begin says DELAY_ON_NODES or DELAY_UNITS
 *   of others.
 * - criterion=probability (default), bound, seconds or relative: the measure of that delay: its probability,
 *   exactly or by the papers' lower bound; its expected seconds; these over the head job's own expected remaining
 *   wait. It sets tau to 0.05, for seconds to 60, so that it stands before it.
 * - tau=0 to 1000000, 0.05 by default: a job passes the head job if the delay is below this.
 * - events=1 to 16, 4 by default: into how many events the delay rule divides a bin of run times; a whole number.
 * - mode=on (default) or shadow: jobs are offered, or only said to be those that the rule would start.
 * - order=auto (default), ties, priority or free: under ties a job of higher priority comes first whatever that
 *   costs others, and the plan orders those of equal priority alone; under priority a point counts as many seconds
 *   of waiting as the word seconds says, under every preset; under free priorities do not matter. Tiers always do.
 *   auto is priority where seconds is above 0, else ties. It sets front, so that it stands before it.
 * - seconds=0 to 1000000, 0 by default: how many seconds of waiting a point of priority is worth, as
 *   PriorityMaxAge / PriorityWeightAge under Slurm's multifactor plugin; the points of age themselves do not
 *   belong in a job's priority then. It sets front, so that it stands before it.
 * - tie=0 to 100, 0 by default: under ties the plan counts priorities as equal that differ by up to this
 *   percentage of the range of the waiting jobs' priorities, without the twentieth at each of its ends, one job at
 *   least.
 * - predictor=contexts (default) or limit: run times learnt from like jobs, or every job running to its limit;
 *   before the first job, and limit where the capacity has no histories.
 * - fit=sparing (default), best, first or apart: which nodes a job takes of those that it may have. Those that
 *   other jobs seek come last, then as best; those on which least is left; the smallest numbers; those on which
 *   the head job is disturbed least.
 * - short=0 to 16, 0.01 by default, 0.03 with fast: what short jobs are worth to the plan.
 * - steep=0 to 255, 3 by default, 2 with fast: how steeply the price of waiting rises beyond a long wait.
 * - long=above 0 to 1, 0.99 by default, 0.998 with fast: which quantile of recent waits is a long wait.
 * - front=above 0 to 1, 0.998 by default, 1 with fast: from which quantile of recent waits on the job that has
 *   waited longest is guarded from others. Where points are worth seconds it is 1 by default.
 * - proposals=0 to 4096, 50 by default: how many changes of the order a decision tries; a whole number.
 * - budget=0.25 to 1000, 1000 by default: by which share of its promised wait jobs that pass the head job may
 *   delay it; 1000 is no bound.
 * - slack=0 to 1000, 0.1 by default, 0.01 with fast: the same of the guarded job; with 0 no job passes it whose
 *   limit could delay it.
 * - cut=above 0 to 1, 0.95 by default: at which quantile predicted run times of waiting jobs are cut.
 * - running=above 0 to 1, 0.85 by default: by which quantile of the rest of their run time running jobs are
 *   expected to end.
 * - grace=0 to 1000000, 300 by default: for how many whole seconds a waiting job is known again that was missing
 *   in the listings, and a node is awaited. The room of a running job that is missing is free at once.
 * - settle=0 to 1000000, 60 by default: for how many whole seconds a started job may still be reported as waiting.
 * - refused=0 to 1000000, 60 by default: for how many whole seconds a refused job is not offered again, at least
 *   one; after SUREFILL_REFUSED_BUSY sooner where the pool changes.
 * - seed=0 to 9000000000000000, 1 by default: of the plan's generator, a whole number; before the first pool.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_scheduler_configure(surefill_scheduler *scheduler,
                                     const char *words,
                                     int64_t length,
                                     const char *prefix,
                                     char *message,
                                     int64_t room);

/* Writes all settings that are in effect as words that surefill_scheduler_configure reads, with a zero byte at
 * their end.
 *
 * Errors: OUT_OF_RANGE (room); FULL where room is too short (1,000 bytes are enough): then as much is written as
 * fits. */
int32_t surefill_scheduler_words(const surefill_scheduler *scheduler, char *words, int64_t room);

/* Sets a node of a pool of nodes: what is said of it holds from now on. Its number is below the capacity's nodes;
 * pool -1 takes the node away, and node may be NULL then. O(1).
 *
 * Errors: OUT_OF_RANGE; NO_SUCH_INDEX for a pool that is not there or has counted units, and for the number. */
int32_t surefill_scheduler_set_node(surefill_scheduler *scheduler,
                                    int32_t pool,
                                    int32_t number,
                                    const surefill_node *node);

/* A queue's jobs start on these nodes of its pool alone; NULL for all of them, as it is at first. O(nodes).
 *
 * Errors: OUT_OF_RANGE; NO_SUCH_INDEX for a queue that is not there or whose pool has counted units, and for a
 * node. */
int32_t surefill_scheduler_set_queue_nodes(surefill_scheduler *scheduler,
                                           int32_t queue,
                                           const int32_t *nodes,
                                           int32_t length);

/* Sets a reservation of nodes, the one of this pool and key as it is from now on; to 0 takes it away. O(nodes).
 *
 * Errors: OUT_OF_RANGE, NO_SUCH_INDEX (pool, a node, a reservation to take away), FULL. */
int32_t surefill_scheduler_set_reservation(surefill_scheduler *scheduler, const surefill_reservation *reservation);

/* Sets the licences that the scheduler's jobs may hold together, SUREFILL_MAX_RESOURCES kinds of them; none at
 * first. Only jobs in pools of nodes have licences. O(pools).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_scheduler_set_licences(surefill_scheduler *scheduler, const int32_t *amounts);

/* Writes the nodes that a job was offered, with its tasks on each, in increasing order, as many as there is room
 * for; and how many they are, 0 in a pool of counted units. NULL is allowed without room. O(nodes of the job).
 *
 * Errors: NO_SUCH_INDEX; FULL without room for all. */
int32_t surefill_cycle_parts(const surefill_cycle *cycle,
                             int32_t number,
                             surefill_part *parts,
                             int32_t room,
                             int32_t *length);

/* Sets the units of the pool of this name (length bytes), and how many of them are idle; -1 for all that known
 * jobs leave, for a pool of which no others use anything. Another number is that of the moment at which the
 * reports around it were made: it counts together with the jobs that are reported until the next cycle or end of a
 * listing. What is neither idle nor a known job's is unaccounted: nothing is known of its end. A new pool without
 * units is one of nodes, which surefill_scheduler_set_node describes, if there is room for nodes; a pool remains
 * what it was first, and one of units that has none has none in service. Writes the pool's number, the same for
 * the same name. O(pools).
 *
 * Errors: OUT_OF_RANGE, FULL (pools). */
int32_t surefill_scheduler_set_pool(surefill_scheduler *scheduler,
                                    const char *name,
                                    int64_t length,
                                    int32_t units,
                                    int32_t idle,
                                    int32_t *pool);

/* A queue of this name (length bytes) belongs to this pool. Writes its number, the same for the same name. If it
 * is moved to another pool, its waiting jobs follow when they are reported again. O(queues).
 *
 * Errors: NO_SUCH_INDEX, OUT_OF_RANGE, FULL (queues). */
int32_t surefill_scheduler_set_queue(surefill_scheduler *scheduler,
                                     const char *name,
                                     int64_t length,
                                     int32_t pool,
                                     int32_t *queue);

/* The manager says this of a job now, as an event or as a row of the listing under way, whose rows count from its
 * end on. O(W + bins x contexts) for W waiting jobs.
 *
 * Errors: OUT_OF_RANGE, NO_SUCH_INDEX (queues), FULL (jobs), PARTS_FULL; UNKNOWN_JOB for one that is over, was not
 * known and is not described: it does no harm. */
int32_t surefill_scheduler_set_job(surefill_scheduler *scheduler, int64_t now, const surefill_job *job);

/* A job's rank in the site's order has changed. O(1).
 *
 * Errors: UNKNOWN_JOB, OUT_OF_RANGE. */
int32_t surefill_scheduler_set_priority(surefill_scheduler *scheduler, int64_t job, int32_t tier, double priority);

/* A listing of all jobs begins; one that was not ended is dropped, and its rows count with this one. O(1).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_scheduler_list_begin(surefill_scheduler *scheduler, int64_t now);

/* The listing is complete: jobs that were not in it have left. Writes whether it is doubted, because it lacks more
 * than half of the jobs with room and more than 16: then none has left. The second one in a row counts, and the
 * first one after the block was made or opened. O(n log n).
 *
 * Errors: OUT_OF_RANGE; WRONG_STATE without a listing. */
int32_t surefill_scheduler_list_end(surefill_scheduler *scheduler, int64_t now, int32_t *doubted);

/* When the next cycle is wanted, now or later, and by which pools: a bit each, pool 0 the lowest. O(W) for W
 * waiting jobs.
 *
 * A decision may change by time alone: a job that is kept back may start once another has run past its predicted
 * end, is suspended or is past its limit. It is made anew at the next report, not before: where reports may be
 * minutes apart, begin a cycle of the pools with idle units every few minutes as well. A pool whose cycle was not
 * asked until SUREFILL_ACT_DONE wants another now, as does one of which surefill_cycle_begin returns an error.
 *
 * Errors: CORRUPT; NEVER if none is wanted before something is reported. */
int32_t surefill_scheduler_wake(const surefill_scheduler *scheduler, int64_t now, int64_t *when, int64_t *pools);

/* Writes the run time in seconds, from its start on, that a job exceeds with probability at most 1 - quantile,
 * given that it still runs if it does. O(bins).
 *
 * Errors: UNKNOWN_JOB, OUT_OF_RANGE (quantile). */
int32_t surefill_scheduler_run_time(const surefill_scheduler *scheduler,
                                    int64_t now,
                                    int64_t job,
                                    double quantile,
                                    int64_t *seconds);

/* Writes a job that the scheduler knows, and its state, one of SUREFILL_JOB_: the numbers from 0 up are those that
 * wait or are held, in the order of their submission, then those that hold room, as many as surefill_totals has of
 * both. They hold until something is reported. After a restart this is what the state file knew. O(1).
 *
 * Errors: CORRUPT; NO_SUCH_INDEX behind the last one. */
int32_t surefill_scheduler_job(const surefill_scheduler *scheduler, int32_t number, int64_t *job, int32_t *state);

/* Counts of events since the block was made, and of the jobs known now. O(1). */
int32_t surefill_scheduler_totals(const surefill_scheduler *scheduler, surefill_totals *totals);

/* Bytes of memory that a cycle of a scheduler with this capacity needs.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_cycle_size(const surefill_scheduler_capacity *capacity, int64_t *size);

/* A decision of this pool begins, in the caller's memory (length bytes, at least surefill_cycle_size, aligned to
 * 8). Predictions are brought up to date; nothing starts. O(jobs).
 *
 * Errors: OUT_OF_RANGE, NO_SUCH_INDEX (pool); WRONG_STATE while a listing is under way; DELAY_ON_NODES,
 * DELAY_UNITS of a pool about which the delay rule does not decide. */
int32_t surefill_cycle_begin(void *memory,
                             int64_t length,
                             surefill_scheduler *scheduler,
                             int32_t pool,
                             int64_t now,
                             surefill_cycle **cycle);

/* The next action. The decision is made by the first call, and anew by the first one after a refusal: at most 7 +
 * proposals orders of 64 jobs, and O(jobs). A cycle is asked until it returns SUREFILL_ACT_DONE: else its pool
 * wants another at once.
 *
 * Errors: CORRUPT; FULL (jobs) where a task of an array would start and there is no slot for it:
 * surefill_scheduler_grow, then again; WRONG_STATE after surefill_cycle_close. */
int32_t surefill_cycle_next(surefill_cycle *cycle, surefill_scheduler *scheduler, surefill_action *action);

/* Writes whether an offer still holds: it is not answered, the job was not edited, and its pool has not lost room.
 * For programs that collect offers and carry them out later. O(1).
 *
 * Errors: NO_SUCH_INDEX. */
int32_t surefill_cycle_holds(const surefill_cycle *cycle,
                             const surefill_scheduler *scheduler,
                             int32_t number,
                             int32_t *holds);

/* The manager has started an offered job; of an array job is the id of the task, which only the last task may
 * share with the array. The start counts also where the offer no longer holds. From now on the job holds its room
 * (SUREFILL_JOB_STARTING) until it is reported as over, as waiting more than the word settle later, or is missing
 * in a listing; a report that it runs is not needed. O(W) for W waiting jobs.
 *
 * Errors: NO_SUCH_INDEX; WRONG_STATE if it was answered before, and after surefill_cycle_close; OUT_OF_RANGE for a
 * task of several under the array's id, and for another id of a job that is no array; UNKNOWN_JOB if the job was
 * reported as gone or over meanwhile, FULL (jobs, for a task), PARTS_FULL, DUPLICATE_JOB for a task whose id a
 * waiting job has, or a task that was started in this cycle: then the offer is still open. */
int32_t surefill_cycle_started(surefill_cycle *cycle, surefill_scheduler *scheduler, int32_t number, int64_t job);

/* The manager refuses an offer, why is one of SUREFILL_REFUSED_; of a job that is gone meanwhile as well. What is
 * offered next is decided anew, around it. O(1).
 *
 * Errors: NO_SUCH_INDEX, OUT_OF_RANGE (why); WRONG_STATE if it was answered before, and after
 * surefill_cycle_close. */
int32_t surefill_cycle_refused(surefill_cycle *cycle, surefill_scheduler *scheduler, int32_t number, int32_t why);

/* Plans the jobs that wait though possibly none can start, by the plan of the whole queue whatever the preset: for
 * surefill_cycle_planned, surefill_cycle_reason and surefill_cycle_try, in a cycle of its own. Closed, it leaves
 * the reasons alone, for surefill_scheduler_reason. surefill_scheduler_wake wants another cycle after it. Costs
 * what a decision costs.
 *
 * Errors: CORRUPT; WRONG_STATE after surefill_cycle_next and surefill_cycle_close. */
int32_t surefill_cycle_plan_all(surefill_cycle *cycle, surefill_scheduler *scheduler);

/* Writes when a waiting job is planned to start, by the last decision of this cycle, as exactly as
 * surefill_reason's start. O(W) for W waiting jobs.
 *
 * Errors: UNKNOWN_JOB; WRONG_STATE before the first surefill_cycle_next or surefill_cycle_plan_all; NEVER where
 * nothing is planned for the job: nothing that waits fits, or what is idle was used up before its turn. */
int32_t surefill_cycle_planned(const surefill_cycle *cycle,
                               const surefill_scheduler *scheduler,
                               int64_t job,
                               int64_t *start);

/* The cycle is over: its order is kept for the next one, and the reasons for surefill_scheduler_reason. Offers
 * that were not answered were refused; no answer is taken any more. O(W) for W waiting jobs, on nodes O(64 x
 * nodes) beside that.
 *
 * Errors: CORRUPT; WRONG_STATE if it is over. */
int32_t surefill_cycle_close(surefill_cycle *cycle, surefill_scheduler *scheduler);

/* Writes why a waiting job of this cycle's pool does not run, and when it is planned to start: by the last
 * decision (surefill_cycle_next), or by surefill_cycle_plan_all, which plans all that wait. O(W) for W waiting
 * jobs; the price of starting it now O(64 x W), the start by the limits O(R log R) for R running jobs, on nodes
 * O(nodes x queues).
 *
 * Errors: CORRUPT; UNKNOWN_JOB unless the job waits in this pool; WRONG_STATE before the first surefill_cycle_next
 * or surefill_cycle_plan_all, and between a refusal and the next one. */
int32_t surefill_cycle_reason(surefill_cycle *cycle,
                              const surefill_scheduler *scheduler,
                              int64_t job,
                              surefill_reason *reason);

/* Writes of a job that is not submitted why it would wait, and when it would be planned to start, if it were
 * submitted now: as surefill_scheduler_set_job and surefill_cycle_plan_all would in a copy. Its id is one that no
 * job has, 0 for one behind all others (the reason has the largest number of 64 bits then); its state is waiting
 * or held. The scheduler does not change. The cycle is one after surefill_cycle_plan_all and may be asked again
 * and again: until the next plan_all surefill_cycle_planned and surefill_cycle_reason say of the others what would
 * become of them then. Costs what a decision costs.
 *
 * Errors: OUT_OF_RANGE (also for another pool's queues and for other states), NO_SUCH_INDEX (queues),
 * DUPLICATE_JOB; WRONG_STATE unless surefill_cycle_plan_all was called, and where less room was reported since;
 * FULL where the scheduler has grown since. */
int32_t surefill_cycle_try(surefill_cycle *cycle,
                           const surefill_scheduler *scheduler,
                           const surefill_job *job,
                           surefill_reason *reason);

/* Writes why a job waits, as far as that is known without a cycle: by what is reported of it and of its pool, else
 * by the last closed cycle that came to it. O(1), on nodes O(nodes x queues).
 *
 * Errors: CORRUPT; UNKNOWN_JOB unless the job waits. */
int32_t surefill_scheduler_reason(const surefill_scheduler *scheduler,
                                  int64_t now,
                                  int64_t job,
                                  surefill_reason *reason);

/* Writes a reason as one sentence in English without a full stop, such as "planned in 2 h 10 min: starting it now
 * would cost others 3.1 h of waiting and save it 2.2 h", to text, with a zero byte at its end. units is what the
 * pool consists of (NULL for "processors"), head the name of the reason's head (NULL for its number). Writes to
 * needed how many bytes of room the whole sentence takes. O(length).
 *
 * Errors: OUT_OF_RANGE (a member, room, a name that is not UTF-8), NOT_A_NUMBER; FULL where room is too short:
 * then as much is written as fits. */
int32_t surefill_reason_sentence(const surefill_reason *reason,
                                 const char *units,
                                 const char *head,
                                 char *text,
                                 int64_t room,
                                 int64_t *needed);

/* Bytes of memory that a forecast of a scheduler with this capacity needs, by this number of scenarios.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_starts_size(const surefill_scheduler_capacity *capacity, int32_t scenarios, int64_t *size);

/* A forecast for all waiting jobs of this pool begins, in the caller's memory (length bytes, at least
 * surefill_starts_size, aligned to 8), by this number of scenarios (1 to SUREFILL_MAX_START_SCENARIOS; 20 are
 * enough). It belongs behind a closed cycle of the pool; where something has happened since, or in shadow mode,
 * the scenarios decide at once. Predictions are brought up to date, and the scheduler's clock as well: not for a
 * time that has not come. O(jobs), and as much as one decision.
 *
 * Later submissions are those of one of the last fourteen days, once a whole day was seen. Not foreseen: when held
 * jobs are released (a throttled array's tasks follow those that run), and that suspended jobs go on. On nodes a
 * job that reservations keep off its nodes waits for their end, for up to fourteen days; one behind longer ones
 * has no start.
 *
 * Errors: OUT_OF_RANGE, NO_SUCH_INDEX (pool); WRONG_STATE while a listing is under way; UNSUPPORTED for a pool of
 * nodes that differ, or that jobs share: starts are foreseen on whole, like ones, and one job that shares a node
 * makes it a shared pool. */
int32_t surefill_starts_begin(void *memory,
                              int64_t length,
                              surefill_scheduler *scheduler,
                              int32_t pool,
                              int64_t now,
                              int32_t scenarios,
                              surefill_starts **starts);

/* Plays scenarios until all are played (step is SUREFILL_STEP_DONE), or work events are (SUREFILL_STEP_MORE; work
 * is at least 1). An event costs as much as a decision: O(running jobs + considered ones), and at most 22 orders
 * of 64 jobs, 7 in a simplified forecast. Events that are reported to the scheduler between two calls are not
 * foreseen.
 *
 * Errors: OUT_OF_RANGE (work). */
int32_t surefill_starts_run(surefill_starts *starts, surefill_scheduler *scheduler, int64_t work, int32_t *step);

/* Writes whether a forecast is a cheaper one, 1 or 0: where more than 256 jobs wait (under EASY 1,024) its
 * decisions try no changes of the order, lie 1/64 of the mean run time apart (1/256), and consider the 512 most
 * urgent jobs (the first 4,096). Its levels are a little worse. */
int32_t surefill_starts_simplified(const surefill_starts *starts, int32_t *simplified);

/* Writes the predicted start of a waiting job: the scenarios' levels, moved by the outcomes of earlier reports. A
 * median that was reported before moves no further than to half way between the new one and the level beside it,
 * so that answers do not jump. O(W + scenarios).
 *
 * Errors: CORRUPT; WRONG_STATE before all scenarios are played; NEVER for a job that does not wait in this pool,
 * is held (for an unknown time), or wants more units than can ever be free. */
int32_t surefill_starts_predicted(const surefill_starts *starts,
                                  const surefill_scheduler *scheduler,
                                  int64_t job,
                                  surefill_start *start);

/* Writes the predicted start of a waiting job like surefill_starts_predicted, but one that is reported to people:
 * the scheduler remembers a job's first report and one drawn from those an hour or more after it, and when the job
 * starts the levels for such reports follow.
 *
 * Errors: as surefill_starts_predicted. */
int32_t surefill_starts_report(const surefill_starts *starts,
                               surefill_scheduler *scheduler,
                               int64_t job,
                               surefill_start *start);

/* Writes the probability that a waiting job starts by an instant, in the scheduler's time: through its five
 * levels, straight between them. O(W + scenarios).
 *
 * Errors: as surefill_starts_predicted. */
int32_t surefill_starts_probability(const surefill_starts *starts,
                                    const surefill_scheduler *scheduler,
                                    int64_t job,
                                    int64_t when,
                                    double *probability);

#ifdef __cplusplus
}
#endif

#endif /* SUREFILL_H */
