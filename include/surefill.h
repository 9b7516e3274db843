/* surefill: probabilistic answers for batch schedulers. Licence: MIT OR Apache-2.0.
 *
 * What a resource manager or a site's tool links. Machines of nodes that jobs share are in surefill_nodes.h, models for
 * research in surefill_models.h. Generated from src/capi (SUREFILL_BLESS=1 cargo test --test header); do not edit.
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
 *   zeros for all that it leaves open. Arrays have it in their first element. Parts, experts, events of an inbox and
 *   parameters of models have none: they stay as they are.
 * - Every ..._size function takes a capacity and writes the bytes that an object of this capacity needs. Objects
 *   without a capacity have a constant ..._SIZE instead.
 * - Times are whole seconds in int64_t since any fixed origin, probabilities are doubles from 0 to 1, indices count
 *   from 0. A limit is a job's time limit.
 * - A call takes at most 40 kB of stack, the scheduler's and its cycles' the most (x86-64; measured by the tests).
 * - No function takes a lock, does I/O, calls back or keeps global state. Distinct objects are independent. One object
 *   needs one thread or the caller's lock, unless its section says otherwise.
 *
 * Errors that are not repeated below:
 *
 *   NULL, MISALIGNED            of any pointer
 *   WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT
 *                               of any handle, and of a block that is opened
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

/* Work in slices (decisions of a pass, training, clustering): there is nothing to do for now. */
#define SUREFILL_STEP_IDLE 0

/* Work in slices: the work allowed for this call is used up; call again to go on. */
#define SUREFILL_STEP_MORE 1

/* Work in slices: it is complete. Every candidate has its verdict; a round of training is in use; the new clusters
 * are in use. */
#define SUREFILL_STEP_DONE 2

/* Decisions of a pass: the candidate given may start; commit or decline it, then call again. */
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

/* The longest time span any function accepts, in seconds; as a time limit it means "no limit". */
#define SUREFILL_MAX_SECONDS ((int64_t)1 << 40)

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
 * What is believed of one job's run time. A call that is given a distribution copies what it needs: after
 * surefill_pass_add_running and the like its block may be used for the next one. NULL says that nothing is known but
 * the job's limit.
 *
 *     static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], memory[SUREFILL_DISTRIBUTION_SIZE / 8];
 *     const int64_t ran[] = {240, 300, 310, 2900};
 *     const double counts[24] = {0, 0, 0, 1, 4, 2};
 *     surefill_bins *bins;
 *     surefill_distribution *believed;
 *     int64_t median;
 *     surefill_bins_init_default(bins_memory, sizeof bins_memory, &bins);
 *     surefill_distribution_init_samples(memory, sizeof memory, bins, ran, NULL, 4, &believed);
 *     surefill_distribution_quantile(believed, 0.5, 0, 3600, &median);
 *     surefill_distribution_init_counts(memory, sizeof memory, bins, counts, 24, &believed);
 *     surefill_distribution_init_single(memory, sizeof memory, 600, &believed);
 */

/* Bytes of memory that a distribution needs, aligned to 8. */
#define SUREFILL_DISTRIBUTION_SIZE 1600

/* The largest number of events into which a bin's probability may be divided. */
#define SUREFILL_MAX_EVENTS_PER_BIN 16

/* What is believed of one job's run time, before anything is known of its age. It holds a copy of its bins.
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
 *     static int64_t memory[1 << 21], scratch[1 << 18], more[1 << 18];
 *     surefill_scheduler_capacity capacity;
 *     surefill_scheduler *s;
 *     surefill_cycle *cycle;
 *     surefill_job job = {0};
 *     surefill_action action = {0};
 *     surefill_starts *starts;
 *     surefill_start start = {0};
 *     surefill_reason reason = {0};
 *     int64_t now = 1000000, bytes, when, pools;
 *     int32_t pool, doubted, step;
 *     char text[400];
 *     double within;
 *     surefill_node node = {0};
 *     surefill_reservation maintenance = {0};
 *     surefill_part parts[8];
 *     int32_t licences[SUREFILL_MAX_RESOURCES] = {10}, big[2] = {1, 2};
 *     surefill_scheduler_capacity_init(&capacity, 400);
 *     capacity.nodes = 8;
 *     capacity.parts = 800;
 *     capacity.reservations = 1;
 *     surefill_scheduler_size(&capacity, &bytes);
 *     surefill_scheduler_init(memory, sizeof memory, &capacity, &s);
 *     surefill_scheduler_configure(s, "preset=fast", 11, "", text, sizeof text);
 *     surefill_scheduler_words(s, text, sizeof text);
 *     surefill_scheduler_capacity_of(s, &capacity);
 *     surefill_scheduler_set_pool(s, "nodes", 5, 128, -1, &pool);
 *     surefill_scheduler_set_queue(s, "batch", 5, pool, &job.queues[0]);
 *     job.struct_size = sizeof job;
 *     job.id = 4711;
 *     job.user = surefill_hash("ada", 3);
 *     job.count = 16;
 *     job.limit = 3600;
 *     job.queue_count = 1;
 *     surefill_scheduler_list_begin(s, now);
 *     surefill_scheduler_set_job(s, now, &job);
 *     surefill_scheduler_list_end(s, now, &doubted);
 *     surefill_scheduler_set_priority(s, job.id, 0, 100.0);
 *     if (surefill_scheduler_wake(s, now, &when, &pools) == SUREFILL_OK && when <= now && pools >> pool & 1) {
 *       surefill_scheduler_run_time(s, now, job.id, 0.9, &when);
 *       action.struct_size = sizeof action;
 *       surefill_cycle_size(&capacity, &bytes);
 *       surefill_cycle_begin(scratch, sizeof scratch, s, pool, now, &cycle);
 *       while (surefill_cycle_next(cycle, s, &action) == SUREFILL_OK && action.step == SUREFILL_ACT_START)
 *         surefill_cycle_started(cycle, s, action.number, action.job);
 *       if (surefill_cycle_planned(cycle, s, job.id, &when) == SUREFILL_OK) printf("planned for %ld\n", (long)when);
 *       surefill_cycle_close(cycle, s);
 *     }
 *     surefill_starts_size(&capacity, 20, &bytes);
 *     if (surefill_starts_begin(more, sizeof more, s, pool, now, 20, &starts) == SUREFILL_OK) {
 *       do surefill_starts_run(starts, s, 1000, &step);
 *       while (step == SUREFILL_STEP_MORE);
 *       start.struct_size = sizeof start;
 *       if (surefill_starts_predicted(starts, s, job.id, &start) == SUREFILL_OK &&
 *           surefill_starts_probability(starts, s, job.id, now + 3600, &within) == SUREFILL_OK)
 *         printf("within the hour with probability %.2f\n", within);
 *       if (surefill_starts_report(starts, s, job.id, &start) == SUREFILL_OK)
 *         printf("three of four such jobs start by %ld\n", (long)start.by[3]);
 *     }
 *     reason.struct_size = sizeof reason;
 *     if (surefill_scheduler_reason(s, now, job.id, &reason) == SUREFILL_OK &&
 *         surefill_reason_sentence(&reason, NULL, NULL, text, sizeof text, &bytes) == SUREFILL_OK)
 *       printf("job %ld: %s\n", (long)reason.job, text);
 *     surefill_cycle_begin(scratch, sizeof scratch, s, pool, now, &cycle);
 *     surefill_cycle_plan_all(cycle, s);
 *     if (surefill_cycle_reason(cycle, s, job.id, &reason) == SUREFILL_OK)
 *       printf("%d are planned to start before it\n", (int)reason.place - 1);
 *     job.id = 0;
 *     if (surefill_cycle_try(cycle, s, &job, &reason) == SUREFILL_OK && reason.start != 0)
 *       printf("another one like it would start at %ld\n", (long)reason.start);
 *     surefill_scheduler_set_pool(s, "cluster", 7, 0, -1, &pool);
 *     surefill_scheduler_set_queue(s, "big", 3, pool, &job.queues[0]);
 *     node.struct_size = sizeof node;
 *     node.state = SUREFILL_NODE_UP;
 *     node.amounts[0] = 64;
 *     node.amounts[1] = 262144;
 *     for (step = 0; step < 3; step++) surefill_scheduler_set_node(s, pool, step, &node);
 *     surefill_scheduler_set_queue_nodes(s, job.queues[0], big, 2);
 *     surefill_scheduler_set_licences(s, licences);
 *     maintenance.struct_size = sizeof maintenance;
 *     maintenance.pool = pool;
 *     maintenance.key = surefill_hash("maintenance", 11);
 *     maintenance.from = now + 7200;
 *     maintenance.to = now + 14400;
 *     maintenance.nodes = big;
 *     maintenance.node_count = 1;
 *     surefill_scheduler_set_reservation(s, &maintenance);
 *     job.id = 4712;
 *     job.flags = SUREFILL_FLAG_PACKED;
 *     job.each[0] = 4;
 *     job.each[1] = 8192;
 *     job.licences[0] = 1;
 *     surefill_scheduler_set_job(s, now, &job);
 *     surefill_cycle_begin(scratch, sizeof scratch, s, pool, now, &cycle);
 *     while (surefill_cycle_next(cycle, s, &action) == SUREFILL_OK && action.step == SUREFILL_ACT_START) {
 *       if (surefill_cycle_parts(cycle, action.number, parts, 8, &step) == SUREFILL_OK)
 *         printf("%d tasks on node %d\n", (int)parts[0].tasks, (int)parts[0].node);
 *       surefill_cycle_started(cycle, s, action.number, action.job);
 *     }
 *     surefill_cycle_close(cycle, s);
 *     surefill_scheduler_seal(s);
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

/* Flag of a job: nobody else may be on its nodes. */
#define SUREFILL_FLAG_EXCLUSIVE 4

/* Flag of a job: several of its tasks may share a node. Without it each is on a node of its own. */
#define SUREFILL_FLAG_PACKED 8

/* The most kinds of resource, on nodes and of the whole machine. */
#define SUREFILL_MAX_RESOURCES 8

/* Jobs may start on the node. */
#define SUREFILL_NODE_UP 1

/* Nobody new may start on it: it is drained, or a stranger has it. Jobs on it go on. */
#define SUREFILL_NODE_CLOSED 2

/* It is expected to be up at some time: after a restart or a reconfiguration it is not registered yet, or it is
 * powering up. It counts in every plan and reservation from then on, and nobody starts on it before it is up. */
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

/* Refused for want of room: the job keeps its place, and is offered again when its pool has changed; the third
 * time in a row it lets others pass. */
#define SUREFILL_REFUSED_BUSY 1

/* Refused by a limit of the manager's: it is others' turn for some time. */
#define SUREFILL_REFUSED_NOT_NOW 2

/* Refused for ever, unless the job is changed. */
#define SUREFILL_REFUSED_NEVER 4

/* No reason is known. */
#define SUREFILL_WHY_UNKNOWN 0

/* It starts in the order of submission. */
#define SUREFILL_WHY_IN_ORDER 1

/* It starts because the cheapest plan of the whole queue has it start now. */
#define SUREFILL_WHY_PLANNED 2

/* It starts ahead of others that by the time limits it does not delay. */
#define SUREFILL_WHY_BY_LIMITS 3

/* It waits: there is no room. */
#define SUREFILL_WHY_NO_ROOM 16

/* It waits, and is in front of everybody: others must not delay it. */
#define SUREFILL_WHY_HEAD 17

/* It waits: there is room, but starting it now would cost others more. */
#define SUREFILL_WHY_LATER 18

/* It waits: it could delay the job that is in front of everybody. */
#define SUREFILL_WHY_GUARDED 19

/* It waits: the resource manager refused to start it. */
#define SUREFILL_WHY_REFUSED 20

/* It waits: jobs hold more than the pool has, and nobody passes the first one. */
#define SUREFILL_WHY_INCONSISTENT 21

/* It can never start: the pool is too small, or has no nodes such as it wants. */
#define SUREFILL_WHY_NEVER 22

/* It waits: nodes are out of service that it needs. */
#define SUREFILL_WHY_NODES_OUT 23

/* It waits: reservations keep it off its nodes, or its own has not begun. */
#define SUREFILL_WHY_RESERVED 24

/* It waits: the licences that it wants are in use, or are fewer than it wants. */
#define SUREFILL_WHY_LICENCES 25

/* It waits behind those that were planned: what is idle is theirs. */
#define SUREFILL_WHY_DEPTH 26

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
  /* Jobs that wait or run (1 to 1,048,576). */
  int32_t jobs;
  /* Jobs that are over but that the manager may still list (at most 1,048,576). */
  int32_t ended;
  /* Pools (1 to 63). */
  int32_t pools;
  /* Queues (1 to 63). */
  int32_t queues;
  /* Histories of like jobs that the predictor keeps (at most 16,777,216); 0 for no predictor, on small machines:
   * every job then runs to its limit. */
  int32_t histories;
  /* Waits remembered of each pool (1 to 4,194,304). */
  int32_t waits;
  /* Run-time bins (2 to SUREFILL_MAX_BINS). */
  int32_t bins;
  /* Submissions remembered, by which a forecast of starts foresees later ones (at most 1,048,576; 0 for none). */
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
} surefill_scheduler_capacity;

/* A node, as the resource manager reports it. Zero it first: 0 is none, unknown or the default. */
typedef struct surefill_node {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* One of SUREFILL_NODE_. */
  int32_t state;
  /* Its name (surefill_hash): another name under the same number is another node. */
  int64_t name;
  /* Of an awaited node: until when it is awaited; then it is down. 0 for as long as the word grace says. */
  int64_t until;
  /* Its features: bits of the site's own meaning. */
  int64_t features;
  /* Its amounts, kind by kind, processors first. */
  int32_t amounts[8];
} surefill_node;

/* A reservation of nodes: who may not use it ends before it begins, by the time limit, or is elsewhere. */
typedef struct surefill_reservation {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* Of which pool. */
  int32_t pool;
  /* By which jobs name it; not 0. */
  int64_t key;
  /* When it begins. */
  int64_t from;
  /* When it ends; 0 and there is no such reservation any more. */
  int64_t to;
  /* Its nodes. */
  const int32_t *nodes;
  /* How many they are. */
  int32_t node_count;
  /* 0. */
  int32_t reserved;
} surefill_reservation;

/* Some of a job's tasks, on one node. */
typedef struct surefill_part {
  /* The node, from 0. */
  int32_t node;
  /* Tasks on it, at least 1; exactly 1 with SUREFILL_SPREAD_NODES. */
  int32_t tasks;
} surefill_part;

/* A job, as the resource manager reports it. Zero it first: 0 is none, unknown or the default. Of a job that is
 * over id, state and ran are enough. */
typedef struct surefill_job {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* One of SUREFILL_JOB_: the manager's word, whatever the scheduler thought. */
  int32_t state;
  /* Which job; not 0. */
  int64_t id;
  /* Its user, as a number (surefill_hash of a name). */
  int64_t user;
  /* When it was submitted; 0 for now. Another time under the same id is another job. */
  int64_t submit;
  /* It is held until then. */
  int64_t begin;
  /* When its present run started. */
  int64_t start;
  /* Its time limit in seconds. */
  int64_t limit;
  /* How long it has run without suspensions, in seconds; 0 for the time since start. */
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
  /* How often it was put back into the queue. */
  int32_t restarts;
  /* Of an array: tasks that wait; 0 for 1. */
  int32_t tasks;
  /* Of these, how many may start now; 0 for all. */
  int32_t at_once;
  /* Why it is held: one of SUREFILL_WHY_ from SUREFILL_WHY_HOLD on. */
  int32_t why;
  /* SUREFILL_FLAG_, added up. */
  int32_t flags;
  /* How many queues follow. */
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
  /* Of these features its nodes have at least one; 0 if that does not matter. */
  int64_t any;
  /* Its nodes have none of these. */
  int64_t without;
  /* The key of the reservation in which it runs. */
  int64_t reservation;
  /* Amounts that a task takes of its node, kind by kind, processors first. */
  int32_t each[8];
  /* The licences that the whole job takes, kind by kind. */
  int32_t licences[8];
  /* The nodes that it holds, in increasing order, with its tasks on each, from now on; NULL for those that it held
   * before, and of a job that holds nothing. */
  const surefill_part *parts;
  /* How many they are. */
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
  /* The waiting job that it passes, the first in the order of submission; 0 for none. */
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
   * everybody it is that one; else, for a job planned for later, the first of the plan that starts later than now. */
  int64_t head;
  /* When that was asked: spans of a sentence begin there. */
  int64_t now;
  /* The planned start; 0 where nothing is planned of it. It is a plan, not a promise. */
  int64_t start;
  /* When it has room if all that run do so to their limits: of the job that is in front of everybody, in a pool of
   * counted units; else 0. */
  int64_t by_limits;
  /* When the reason ends by itself (a begin time, a refusal, the beginning of its reservation); 0 if it does not. */
  int64_t until;
  /* The price of starting it now, where it fits and is planned for later: by how many seconds its own wait would
   * be shorter; 0 where that is not known. */
  int64_t saved;
  /* By how many seconds the planned waits of the others would be longer, all together; below 0: shorter. */
  int64_t others;
  /* Its place among those that wait, by their planned starts, the first 1; 0 without a planned start. */
  int32_t place;
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
} surefill_reason;

/* The predicted start of a waiting job. */
typedef struct surefill_start {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* 1 if the start may lie later than the last instant: longer waits are not known. */
  int32_t capped;
  /* The instants by which the job starts with probability .05, .25, .5, .75 and .95, in the scheduler's time, not
   * decreasing. People plan by the fourth: three of four jobs have started by then. */
  int64_t by[5];
} surefill_start;

/* A number for a name: FNV-1a with 64 bits of its bytes. NULL and negative lengths are empty names. O(length). */
int64_t surefill_hash(const char *text, int64_t length);

/* Sets a capacity for this number of jobs that wait or run, and as many that are over. The rest is what a site's
 * machine can spare: 8 MB of histories, 460 kB of waits a pool. O(1).
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
 * on with the new handle. Jobs, ended ones, pools and queues may be more; the rest is as it was. O(size).
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
 * "preset=fast proposals=25": preset (fair, fast, easy), mode (on, shadow), order (ties, priority, free), seconds,
 * predictor (contexts, limit), the plan's short, steep, long, front, proposals, budget, slack, cut and running;
 * grace, settle and refused in seconds; seed. With a prefix (NULL or "" for none) only words that begin with it
 * are looked at, without it. A word that is not understood is an error, nothing is changed, and message (room
 * bytes, zero at its end) says which it is and what it should be; else message is empty.
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
 * Errors: OUT_OF_RANGE (room); FULL where room is too short: then as much is written as fits. */
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
 * first. O(pools).
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
 * jobs leave. What is neither idle nor a known job's is unaccounted: nothing is known of its end. Without units it
 * is a pool of nodes, which surefill_scheduler_set_node describes; a pool remains what it was first. Writes the
 * pool's number, the same for the same name. O(pools).
 *
 * Errors: OUT_OF_RANGE, FULL. */
int32_t surefill_scheduler_set_pool(surefill_scheduler *scheduler,
                                    const char *name,
                                    int64_t length,
                                    int32_t units,
                                    int32_t idle,
                                    int32_t *pool);

/* A queue of this name (length bytes) belongs to this pool. Writes its number, the same for the same name.
 * O(queues).
 *
 * Errors: NO_SUCH_INDEX, OUT_OF_RANGE, FULL. */
int32_t surefill_scheduler_set_queue(surefill_scheduler *scheduler,
                                     const char *name,
                                     int64_t length,
                                     int32_t pool,
                                     int32_t *queue);

/* The manager says this of a job now, as an event or as a row of the listing under way, whose rows count from its
 * end on. O(W + bins x contexts) for W waiting jobs.
 *
 * Errors: OUT_OF_RANGE, NO_SUCH_INDEX (queues), FULL; UNKNOWN_JOB for one that is over, was not known and is not
 * described: it does no harm. */
int32_t surefill_scheduler_set_job(surefill_scheduler *scheduler, int64_t now, const surefill_job *job);

/* A job's place in the site's order has changed. O(1).
 *
 * Errors: UNKNOWN_JOB, OUT_OF_RANGE. */
int32_t surefill_scheduler_set_priority(surefill_scheduler *scheduler, int64_t job, int32_t tier, double priority);

/* A listing of all jobs begins; one that was not ended is dropped, and its rows count with this one. O(1).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_scheduler_list_begin(surefill_scheduler *scheduler, int64_t now);

/* The listing is complete: who was not in it has left. Writes whether it is doubted, because it lacks more than
 * half of the jobs with room and more than 16: then nobody has left. The second one in a row counts, and the first
 * one after the block was made or opened. O(n log n).
 *
 * Errors: OUT_OF_RANGE; WRONG_STATE without a listing. */
int32_t surefill_scheduler_list_end(surefill_scheduler *scheduler, int64_t now, int32_t *doubted);

/* When the next cycle is wanted, now or later, and by which pools: a bit each, pool 0 the lowest. O(W) for W
 * waiting jobs.
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

/* Counts of events since the block was made, and of the jobs known now. O(1). */
int32_t surefill_scheduler_totals(const surefill_scheduler *scheduler, surefill_totals *totals);

/* Bytes of memory that a cycle of a scheduler with this capacity needs.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_cycle_size(const surefill_scheduler_capacity *capacity, int64_t *size);

/* A decision of this pool begins, in the caller's memory (length bytes, at least surefill_cycle_size, aligned to
 * 8). Predictions are brought up to date; nothing starts. O(jobs).
 *
 * Errors: OUT_OF_RANGE, NO_SUCH_INDEX (pool); WRONG_STATE while a listing is under way. */
int32_t surefill_cycle_begin(void *memory,
                             int64_t length,
                             surefill_scheduler *scheduler,
                             int32_t pool,
                             int64_t now,
                             surefill_cycle **cycle);

/* The next action. The decision is made by the first call, and anew by the first one after a refusal: at most 7 +
 * proposals orders of 64 jobs, and O(jobs).
 *
 * Errors: CORRUPT; FULL where a task of an array would start and there is no slot for it: surefill_scheduler_grow,
 * then again. */
int32_t surefill_cycle_next(surefill_cycle *cycle, surefill_scheduler *scheduler, surefill_action *action);

/* Writes whether an offer still holds: it is not answered, the job was not edited, and its pool has not lost room.
 * For programs that collect offers and carry them out later. O(1).
 *
 * Errors: NO_SUCH_INDEX. */
int32_t surefill_cycle_holds(const surefill_cycle *cycle,
                             const surefill_scheduler *scheduler,
                             int32_t number,
                             int32_t *holds);

/* The manager has started an offered job; of an array job is the id of the task, if that is another than the
 * array's. The start counts also where the offer no longer holds. O(W) for W waiting jobs.
 *
 * Errors: NO_SUCH_INDEX; WRONG_STATE if it was answered before; FULL, and the offer is still open; DUPLICATE_JOB
 * for a task whose id a waiting job has. */
int32_t surefill_cycle_started(surefill_cycle *cycle, surefill_scheduler *scheduler, int32_t number, int64_t job);

/* The manager refuses an offer, why is one of SUREFILL_REFUSED_. What is offered next is decided anew, around it.
 * O(1).
 *
 * Errors: NO_SUCH_INDEX, OUT_OF_RANGE (why); WRONG_STATE if it was answered before. */
int32_t surefill_cycle_refused(surefill_cycle *cycle, surefill_scheduler *scheduler, int32_t number, int32_t why);

/* Plans the jobs that wait though nobody may be able to start, by the plan of the whole queue whatever the preset:
 * for surefill_cycle_planned, surefill_cycle_reason and surefill_cycle_try, in a cycle of its own. Closed, it
 * leaves the reasons alone, for surefill_scheduler_reason. surefill_scheduler_wake wants another cycle after it.
 * Costs what a decision costs.
 *
 * Errors: CORRUPT; WRONG_STATE after surefill_cycle_next. */
int32_t surefill_cycle_plan_all(surefill_cycle *cycle, surefill_scheduler *scheduler);

/* Writes when a waiting job is planned to start, by the last decision of this cycle. O(W) for W waiting jobs.
 *
 * Errors: UNKNOWN_JOB; WRONG_STATE before the first surefill_cycle_next or surefill_cycle_plan_all; NEVER where
 * nothing is planned for the job: nothing that waits fits, or what is idle was used up before its turn. */
int32_t surefill_cycle_planned(const surefill_cycle *cycle,
                               const surefill_scheduler *scheduler,
                               int64_t job,
                               int64_t *start);

/* The cycle is over: its order is kept for the next one, and the reasons for surefill_scheduler_reason. Offers
 * that were not answered were refused. O(W) for W waiting jobs, on nodes O(64 x nodes) beside that. */
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
 * job has, 0 for one behind all others; its state is waiting or held. The scheduler does not change. The cycle is
 * one after surefill_cycle_plan_all and may be asked again and again: until the next plan_all
 * surefill_cycle_planned and surefill_cycle_reason say of the others what would become of them then. Costs what a
 * decision costs.
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
 * Errors: OUT_OF_RANGE (a member, room, a name that is not UTF-8); FULL where room is too short: then as much is
 * written as fits. */
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
 * jobs are released (a throttled array's tasks follow those that run), and that suspended jobs go on.
 *
 * Errors: OUT_OF_RANGE, NO_SUCH_INDEX (pool); WRONG_STATE while a listing is under way; NEVER for a pool of nodes
 * that differ or that jobs share: starts are foreseen on whole, like ones. */
int32_t surefill_starts_begin(void *memory,
                              int64_t length,
                              surefill_scheduler *scheduler,
                              int32_t pool,
                              int64_t now,
                              int32_t scenarios,
                              surefill_starts **starts);

/* Plays scenarios until all are played (step is SUREFILL_STEP_DONE), or work events are (SUREFILL_STEP_MORE; work
 * is at least 1). An event costs as much as a decision: O(jobs), and at most 22 orders of 64 jobs, 7 where more
 * than 256 jobs wait. Events that are reported to the scheduler between two calls are not foreseen.
 *
 * Errors: OUT_OF_RANGE (work). */
int32_t surefill_starts_run(surefill_starts *starts, surefill_scheduler *scheduler, int64_t work, int32_t *step);

/* Writes the predicted start of a waiting job: the scenarios' levels, moved by the outcomes of earlier reports.
 * O(W + scenarios).
 *
 * Errors: CORRUPT; WRONG_STATE before all scenarios are played; NEVER for a job that does not wait in this pool,
 * is held (nobody knows for how long), or wants more units than can ever be free. */
int32_t surefill_starts_predicted(const surefill_starts *starts,
                                  const surefill_scheduler *scheduler,
                                  int64_t job,
                                  surefill_start *start);

/* As surefill_starts_predicted, for a start that is reported to people: the scheduler remembers a job's first
 * report and the first one an hour or more after it, and when the job starts the levels for such reports follow. A
 * median that was reported before moves no further than to half way between the new one and the level beside it,
 * so that answers do not jump.
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

/* ---- The scheduling pass ------------------------------------------------------------------------------------------
 *
 * Which candidates may start though the head job has to wait? One object serves all passes over a pool: begin, add,
 * decide.
 *
 *     static int64_t memory[1 << 20];
 *     surefill_pass_capacity capacity;
 *     surefill_rule rule;
 *     surefill_pass *pass;
 *     double spent[] = {0.01, 0, 0, 0};
 *     int32_t step, candidate, started = 1;
 *     surefill_pass_capacity_init(&capacity);
 *     surefill_rule_init(&rule);
 *     surefill_pass_init(memory, sizeof memory, &capacity, &pass);
 *     surefill_pass_restore_spent(pass, 7, spent, 4);
 *     surefill_pass_begin(pass, 1000000, 16, 7, 48, 900);
 *     surefill_pass_add_running(pass, 16, 600, 7200, NULL, NULL);
 *     surefill_pass_add_running_softly(pass, 16, 7500, 7200, NULL, NULL);
 *     surefill_pass_add_candidate(pass, 16, 3600, NULL, NULL);
 *     do {
 *         surefill_pass_decide(pass, &rule, 1000000, &step, &candidate);
 *         if (step == SUREFILL_STEP_ACCEPT && started) surefill_pass_commit(pass, candidate);
 *         if (step == SUREFILL_STEP_ACCEPT && !started) surefill_pass_decline(pass, candidate);
 *     } while (step != SUREFILL_STEP_DONE);
 *     surefill_pass_spent(pass, SUREFILL_CRITERION_SECONDS, &spent[2]);
 */

/* Criterion: the exact probability that the candidate delays the head job. */
#define SUREFILL_CRITERION_PROBABILITY 0

/* Criterion: the lower bound of that probability by Nissimov and Feitelson 2007. */
#define SUREFILL_CRITERION_BOUND 1

/* Criterion: the expected delay of the head job in seconds. */
#define SUREFILL_CRITERION_SECONDS 2

/* Criterion: the expected delay divided by the head job's own expected remaining wait. */
#define SUREFILL_CRITERION_RELATIVE 3

/* Verdict: not judged yet. */
#define SUREFILL_VERDICT_UNDECIDED 0

/* Verdict: may start. */
#define SUREFILL_VERDICT_ACCEPTED 1

/* Verdict: its delay reaches the threshold. */
#define SUREFILL_VERDICT_REFUSED 2

/* Verdict: its delay is below the threshold, but the budget or the slip for this head job does not allow it. */
#define SUREFILL_VERDICT_OVER_BUDGET 3

/* Verdict: wider than the idle processors. */
#define SUREFILL_VERDICT_DOES_NOT_FIT 4

/* Verdict: accepted, but the caller could not start it. */
#define SUREFILL_VERDICT_DECLINED 5

/* Verdict: by its time limit it could delay the head job, which has waited so long that it is guarded. */
#define SUREFILL_VERDICT_GUARDED 6

/* Verdict: not judged, for the head job cannot start with what runs, whatever ends (nodes may be down or drained):
 * take another head job, or start what you like. */
#define SUREFILL_VERDICT_HEAD_NEVER 7

/* The delay given is the delay itself, up to rounding. */
#define SUREFILL_DELAY_EXACT 0

/* The delay is at least the one given: refused before everything was added up. */
#define SUREFILL_DELAY_AT_LEAST 1

/* The delay is at most the one given: accepted by a bound, under a rule with unmeasured. */
#define SUREFILL_DELAY_AT_MOST 2

/* More jobs may end in one second than are added up exactly: the delay is an estimate, within about a hundredth
 * for an accepted candidate. A refused one's may be from before everything was added up. */
#define SUREFILL_DELAY_ESTIMATE 3

/* Nothing is known of the delay, and the one given is 0: UNDECIDED, DOES_NOT_FIT, GUARDED and HEAD_NEVER, and
 * accepted by or_easy under a rule with unmeasured. */
#define SUREFILL_DELAY_NOT_MEASURED 4

/* One scheduling pass over one pool of interchangeable processors: begin, add running jobs and candidates, decide
 * and commit until it is done, then begin again. Candidates are judged in the order in which they were added,
 * numbered from 0; a committed one is a running job for those after it.
 *
 * Distinct passes are independent; one pass needs one thread, or the caller's lock. The block holds no pointers. */
typedef struct surefill_pass surefill_pass;

/* Capacities of a pass. Set by surefill_pass_capacity_init, then changed as needed. */
typedef struct surefill_pass_capacity {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* Running jobs (0 to 1,048,576). */
  int32_t running;
  /* Candidates (0 to 1,048,576). */
  int32_t candidates;
  /* Processors of the machine (1 to 16,777,216). */
  int32_t processors;
  /* Bins of the distributions (1 to SUREFILL_MAX_BINS). */
  int32_t bins;
  /* Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN): 4 unless changed. A
   * program that works by a preset copies the preset's number, which may be another, to here. */
  int32_t events_per_bin;
  /* Room for making jobs that may end in one second exact, in cells of 8 bytes (0 to 268,435,456); of larger
   * groups the narrowest jobs are estimated, within a hundredth at the default. */
  int32_t tie_cells;
} surefill_pass_capacity;

/* When a candidate is accepted. Set by surefill_rule_init, then changed as needed. */
typedef struct surefill_rule {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* One of SUREFILL_CRITERION_. */
  int32_t criterion;
  /* A candidate is accepted when its delay is strictly below this; not negative, 0 accepts nothing but what
   * or_easy does. */
  double threshold;
  /* The most that accepted delays may add up to for one head job; not negative, infinity for no cap. Like slip it
   * never holds up a candidate that delays nothing. */
  double budget;
  /* The most expected seconds of delay that accepted candidates may add up to, over the head job's whole expected
   * wait (what it has waited and must expect still to wait); not negative, infinity for no cap. Finite with the
   * criteria SECONDS and RELATIVE only. */
  double slip;
  /* Once the head job has waited this number of seconds (head_waited of surefill_pass_begin), a candidate must
   * also be harmless by the time limits, as EASY asks: it ends by its limit before the head job could start if all
   * jobs ran to their limits, or fits beside it then. Not negative; infinity for never, 0 for always. */
  double guard;
  /* Not 0: what EASY would start by the time limits is accepted whatever its delay, threshold, budget and slip. */
  int32_t or_easy;
  /* Not 0: delays are computed no further than the verdicts need; without or_easy it does nothing. That of what
   * or_easy accepts is left unmeasured (SUREFILL_DELAY_NOT_MEASURED) and not spent. Where the head job lacks 2,048
   * processors and more (in units of the widths' common divisor), bounds by coarse widths that settle a verdict
   * are reported: at most this where accepted (SUREFILL_DELAY_AT_MOST, and spent), at least this where refused.
   * The decisions are the same. A finite budget or slip needs every delay: with one, all are measured. 0 by
   * default. */
  int32_t unmeasured;
} surefill_rule;

/* Sets the capacity to its defaults: 256 running jobs, 256 candidates, 1,024 processors, 32 bins of 4 events. */
int32_t surefill_pass_capacity_init(surefill_pass_capacity *capacity, int64_t size);
#define surefill_pass_capacity_init(capacity) surefill_pass_capacity_init(capacity, (int64_t)sizeof *(capacity))

/* Sets the rule to its defaults: expected delay below 0.3 of the head job's expected remaining wait, or what EASY
 * would start; no guard, budget or slip, and every delay measured. The preset fair has the same threshold, but
 * leaves delays unmeasured, and surefill_preset_rule adds its guard, which makes the longest waits shorter. */
int32_t surefill_rule_init(surefill_rule *rule, int64_t size);
#define surefill_rule_init(rule) surefill_rule_init(rule, (int64_t)sizeof *(rule))

/* Bytes of memory that a pass needs. With R running jobs, Q candidates, P processors, b bins of e events and E =
 * (R + Q) b e this is at most 54 E + 8 (Q + 1) b e + 8 P (log2 E + 12) + 8 tie_cells + 72 R + 140 Q + 4,096, with
 * tie_cells at least 4 P + 20.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_pass_size(const surefill_pass_capacity *capacity, int64_t *size);

/* Makes a pass in the caller's memory (length bytes, at least surefill_pass_size, aligned to 8). O(1).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_pass_init(void *memory,
                           int64_t length,
                           const surefill_pass_capacity *capacity,
                           surefill_pass **pass);

/* Begins a pass at time now (seconds since any fixed origin, within 2^53 of it) with this number of idle
 * processors, for a head job that needs head_processors, more than are idle, and has waited for head_waited
 * seconds (0 to SUREFILL_MAX_SECONDS; the rule's guard and slip ask for it, and without them it makes no
 * difference). Forgets what the last pass held, except the risk spent on this head job and on the last 16 others
 * on which any was: a job that is head again goes on with its own. O(1).
 *
 * Errors: OUT_OF_RANGE (times), TOO_MANY_PROCESSORS, HEAD_FITS. */
int32_t surefill_pass_begin(surefill_pass *pass,
                            int64_t now,
                            int32_t idle,
                            int64_t head_id,
                            int32_t head_processors,
                            int64_t head_waited);

/* Adds a running job: its processors (at least 1), for how long it has run, its time limit (both in seconds, 0 to
 * SUREFILL_MAX_SECONDS) and what is believed of its run time; NULL when nothing is known but the limit. index is
 * its number, from 0; it may be NULL. O(bins x events per bin).
 *
 * Errors: OUT_OF_RANGE, TOO_MANY_PROCESSORS, OVERFULL, FULL (also for more bins than the capacity has),
 * WRONG_STATE. */
int32_t surefill_pass_add_running(surefill_pass *pass,
                                  int32_t processors,
                                  int64_t age,
                                  int64_t limit,
                                  const surefill_distribution *distribution,
                                  int32_t *index);

/* As surefill_pass_add_running, for a job whose limit is soft, one that jobs may outlive. The rule for limits: a
 * hard limit cuts what is believed, and a job past it is expected to end one second from now. A soft limit does
 * not cut: what is believed goes on, given the job's age alone; only where nothing is believed, or nothing of it
 * is left, is the job expected to end at its limit, or past it one second from now. Guard and or_easy of the rule
 * go by the limit, whether hard or soft, as EASY does: past it, the job is expected to end one second from now.
 *
 * Errors: as surefill_pass_add_running. */
int32_t surefill_pass_add_running_softly(surefill_pass *pass,
                                         int32_t processors,
                                         int64_t age,
                                         int64_t limit,
                                         const surefill_distribution *distribution,
                                         int32_t *index);

/* Adds a candidate for backfilling behind those added before: its processors (at least 1), its time limit in
 * seconds and what is believed of its run time; NULL when nothing is known but the limit. index is its number,
 * from 0; it may be NULL. O(bins x events per bin).
 *
 * Errors: as surefill_pass_add_running. */
int32_t surefill_pass_add_candidate(surefill_pass *pass,
                                    int32_t processors,
                                    int64_t limit,
                                    const surefill_distribution *distribution,
                                    int32_t *index);

/* Decides until a candidate is accepted, all are decided, or about work multiply-adds are done (at least 1; one
 * instant, or one job added, is never interrupted). step is one of SUREFILL_STEP_; candidate is the accepted
 * candidate's number, -1 for the other steps. The rule may change only where a decision is complete, not after
 * MORE.
 *
 * With E events of the running jobs and c processors still missing for the head job, a decision costs about E c
 * multiply-adds, or E (c + k) for the criteria other than PROBABILITY, with k the widest candidate; every
 * acceptance starts another. On top come k for each end of a candidate and O(E) to set a decision up. Where many
 * jobs may end in one second, that second costs at most about 512 multiply-adds for each of the capacity's
 * tie_cells, and 14 times the jobs times their processors.
 *
 * Errors: OUT_OF_RANGE, WRONG_STATE (no pass has begun, an accepted candidate waits for its commit, or the rule
 * changed after MORE). */
int32_t surefill_pass_decide(surefill_pass *pass,
                             const surefill_rule *rule,
                             int64_t work,
                             int32_t *step,
                             int32_t *candidate);

/* Starts the accepted candidate: a running job of this pass from now on, its delay spent. O(candidates).
 *
 * Errors: WRONG_STATE, NO_SUCH_INDEX (not the accepted one). */
int32_t surefill_pass_commit(surefill_pass *pass, int32_t candidate);

/* Gives the accepted candidate up, because it could not be started after all. O(1).
 *
 * Errors: as surefill_pass_commit. */
int32_t surefill_pass_decline(surefill_pass *pass, int32_t candidate);

/* A candidate's verdict so far: the delay of the head job in the criterion's unit, how that relates to the true
 * delay (one of SUREFILL_DELAY_), and one of SUREFILL_VERDICT_. O(1).
 *
 * Errors: NO_SUCH_INDEX. */
int32_t surefill_pass_judgement(const surefill_pass *pass,
                                int32_t candidate,
                                double *delay,
                                int32_t *exactness,
                                int32_t *verdict);

/* The delays of committed candidates added up for the present head job, by the criterion they were judged by: an
 * upper bound of the probability that any of them delays it. What was judged by RELATIVE counts in SECONDS too.
 * O(1).
 *
 * Errors: OUT_OF_RANGE (criterion). */
int32_t surefill_pass_spent(const surefill_pass *pass, int32_t criterion, double *spent);

/* Continues with the risk spent on a head job in another block, as surefill_pass_spent said there of each
 * criterion: the next surefill_pass_begin with this head_id goes on from there. Before the first begin only, and
 * once. count is 4; spent, none negative, is in the order of SUREFILL_CRITERION_.
 *
 * Errors: OUT_OF_RANGE, WRONG_STATE. */
int32_t surefill_pass_restore_spent(surefill_pass *pass, int64_t head_id, const double *spent, int32_t count);

/* The probability that at least this number of processors is free at time when if nothing else is started.
 * O(running jobs x (events + processors)).
 *
 * Errors: OUT_OF_RANGE, TOO_MANY_PROCESSORS, WRONG_STATE. */
int32_t surefill_pass_free_probability(surefill_pass *pass, int32_t processors, int64_t when, double *probability);

/* The earliest time by which the head job has started with at least this probability (above 0, at most 1) if
 * nothing else is started. O(log events x running jobs x (events + processors)).
 *
 * Errors: OUT_OF_RANGE, WRONG_STATE, NEVER. */
int32_t surefill_pass_head_start_quantile(surefill_pass *pass, double probability, int64_t *when);

/* As surefill_pass_head_start_quantile, for count probabilities (ascending) by one walk over the events: about
 * work multiply-adds a call (at least 1), as surefill_pass_decide counts them. step is SUREFILL_STEP_DONE when all
 * are known; after SUREFILL_STEP_MORE call again with the same probabilities and whens. A decision, or another
 * question, gives up one under way. With E events and c processors still missing for the head job it costs about E
 * c multiply-adds. All are exact, also where many jobs may end in one second.
 *
 * Errors: OUT_OF_RANGE, WRONG_STATE (no pass has begun, in the middle of a decision, or while an accepted
 * candidate waits for its commit), NEVER. */
int32_t surefill_pass_head_start_quantiles(surefill_pass *pass,
                                           const double *probabilities,
                                           int32_t count,
                                           int64_t work,
                                           int64_t *whens,
                                           int32_t *step);

/* ---- Starts of waiting jobs: the queue played forward -------------------------------------------------------------
 *
 * When will each waiting job start? In every scenario each job has one run time, drawn from what is believed of it,
 * and the queue is played forward under the policy in force until everything that waits has started. What a job's
 * starts over all scenarios say is its forecast. Jobs that arrive later are not foreseen, except those that are added
 * with a time of submission ahead; beliefs about run times are taken as true, and what of them lies beyond a job's
 * limit ends at the limit.
 *
 *     static int64_t memory[1 << 20];
 *     surefill_forecast_capacity capacity;
 *     surefill_forecast_options options;
 *     surefill_forecast *forecast;
 *     int64_t when, bytes;
 *     double half_width;
 *     int32_t step;
 *     surefill_forecast_capacity_init(&capacity);
 *     capacity.running = capacity.waiting = 8;
 *     surefill_forecast_options_init(&options);
 *     surefill_forecast_size(&capacity, &bytes);
 *     surefill_forecast_init(memory, sizeof memory, &capacity, &forecast);
 *     surefill_forecast_begin(forecast, 1000000, 16, &options);
 *     surefill_forecast_add_running(forecast, 32, 600, 7200, NULL, NULL);
 *     surefill_forecast_add_waiting(forecast, 48, 3600, 999000, NULL, NULL);
 *     do {
 *         surefill_forecast_run(forecast, 100000, &step);
 *     } while (step == SUREFILL_STEP_MORE);
 *     surefill_forecast_start_quantile(forecast, 0, 0.9, &when, &half_width);
 */

/* The most scenarios of a forecast. */
#define SUREFILL_MAX_SCENARIOS 65536

/* Policy: first come, first served. */
#define SUREFILL_POLICY_FCFS 0

/* Policy: backfilling around the reservations of the first waiting jobs. */
#define SUREFILL_POLICY_BACKFILL 1

/* Order of the jobs behind the reservations: the queue's. */
#define SUREFILL_ORDER_QUEUE 0

/* Order of the jobs behind the reservations: shortest predicted median first, equal ones in the order in which
 * they were added. */
#define SUREFILL_ORDER_SHORTEST 1

/* Order of the jobs behind the reservations: by the priority of the options' candidate_ members, anew in each
 * pass. */
#define SUREFILL_ORDER_PRIORITY 2

/* Plans: the policy expects jobs to end at their limits. */
#define SUREFILL_PLANS_LIMITS 0

/* Plans: the policy expects jobs to end at the median of their distribution; one that outlives it, at its limit. */
#define SUREFILL_PLANS_MEDIANS 1

/* When all waiting jobs of one pool of interchangeable processors will start: begin, add running jobs and, in the
 * order of the queue, waiting jobs, run until it is done, then ask. Waiting jobs are numbered from 0 in the order
 * in which they were added.
 *
 * Run times are drawn by Latin hypercube sampling from an integer hash (SplitMix64's finaliser): the same input
 * gives the same bits on every machine, however the work is sliced.
 *
 * Distinct forecasts are independent; one forecast needs one thread, or the caller's lock. The block holds no
 * pointers. */
typedef struct surefill_forecast surefill_forecast;

/* Capacities of a forecast. Set by surefill_forecast_capacity_init, then changed as needed. */
typedef struct surefill_forecast_capacity {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* Running jobs (0 to 1,048,576). */
  int32_t running;
  /* Waiting jobs (0 to 1,048,576). */
  int32_t waiting;
  /* Processors of the machine (1 to 16,777,216). */
  int32_t processors;
  /* Bins of the distributions (1 to SUREFILL_MAX_BINS). */
  int32_t bins;
  /* Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN). */
  int32_t events_per_bin;
  /* Scenarios (2 to SUREFILL_MAX_SCENARIOS). */
  int32_t scenarios;
} surefill_forecast_capacity;

/* What a forecast plays. Set by surefill_forecast_options_init, then changed as needed. */
typedef struct surefill_forecast_options {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* One of SUREFILL_POLICY_. */
  int32_t policy;
  /* With BACKFILL: how many of the first waiting jobs hold a reservation that what is planned may not disturb (0
   * to 1,048,576). None is list scheduling, 1 is EASY, all is conservative backfilling with reservations made anew
   * at every instant. */
  int32_t reservations;
  /* One of SUREFILL_ORDER_: in which order the jobs behind the reservations are tried. */
  int32_t order;
  /* One of SUREFILL_PLANS_: when the policy expects jobs to end. */
  int32_t plans;
  /* How many scenarios are played (2 to the capacity). */
  int32_t scenarios;
  /* The seed of the run times; any number. */
  int64_t seed;
  /* The confidence of the half-widths (above 0, below 1). */
  double confidence;
  /* The queue's order, anew in each pass, as in surefill_preset; with no power but 0 and an infinite front the
   * order in which waiting jobs are added, which also decides between equal ones. Medians are those of the
   * forecast. */
  double queue_run_time;
  /* As in surefill_preset. */
  double queue_processors;
  /* As in surefill_preset. */
  double queue_age_unit;
  /* As in surefill_preset. */
  double queue_age;
  /* With SUREFILL_ORDER_PRIORITY: the candidates' order, likewise. */
  double candidate_run_time;
  /* As queue_processors. */
  double candidate_processors;
  /* As queue_age_unit. */
  double candidate_age_unit;
  /* As queue_age. */
  double candidate_age;
  /* Jobs that have waited for more seconds come first in the queue, by submission; not negative, infinite for
   * never. */
  double front;
  /* With one reservation: a candidate may also start that is planned to delay the head job by less than this part
   * of what the head job still has to wait; not negative, 0 for none. */
  double slack;
} surefill_forecast_options;

/* Sets the capacity to its defaults: 256 running and 256 waiting jobs, 1,024 processors, 32 bins of 4 events, 200
 * scenarios. */
int32_t surefill_forecast_capacity_init(surefill_forecast_capacity *capacity, int64_t size);
#define surefill_forecast_capacity_init(capacity) surefill_forecast_capacity_init(capacity, (int64_t)sizeof *(capacity))

/* Sets the options to their defaults: EASY by limits in the order of submission, 200 scenarios of seed 0,
 * half-widths of .95 confidence. */
int32_t surefill_forecast_options_init(surefill_forecast_options *options, int64_t size);
#define surefill_forecast_options_init(options) surefill_forecast_options_init(options, (int64_t)sizeof *(options))

/* Bytes of memory that a forecast needs. With R running jobs, W waiting jobs, b bins of e events and N scenarios
 * this is at most 16 (R + W) b e + 8 W N + 128 R + 232 W + 640.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_forecast_size(const surefill_forecast_capacity *capacity, int64_t *size);

/* Makes a forecast in the caller's memory (length bytes, at least surefill_forecast_size, aligned to 8). O(1).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_forecast_init(void *memory,
                               int64_t length,
                               const surefill_forecast_capacity *capacity,
                               surefill_forecast **forecast);

/* Begins a forecast at time now (seconds since any fixed origin, within 2^53 of it) with this number of idle
 * processors. Forgets what the last forecast held. O(1).
 *
 * Errors: OUT_OF_RANGE, TOO_MANY_PROCESSORS. */
int32_t surefill_forecast_begin(surefill_forecast *forecast,
                                int64_t now,
                                int32_t idle,
                                const surefill_forecast_options *options);

/* Adds a running job: its processors (at least 1), for how long it has run, its time limit (both in seconds, 0 to
 * SUREFILL_MAX_SECONDS) and what is believed of its run time; NULL when nothing is known but the limit. index is
 * its number, from 0; it may be NULL. O(bins x events per bin).
 *
 * Errors: OUT_OF_RANGE, TOO_MANY_PROCESSORS, OVERFULL, FULL (also for more bins than the capacity has),
 * WRONG_STATE. */
int32_t surefill_forecast_add_running(surefill_forecast *forecast,
                                      int32_t processors,
                                      int64_t age,
                                      int64_t limit,
                                      const surefill_distribution *distribution,
                                      int32_t *index);

/* Adds a waiting job behind those added before: its processors (at least 1), its time limit in seconds (0 to
 * SUREFILL_MAX_SECONDS), when it was submitted, and what is believed of its run time; NULL when nothing is known
 * but the limit. A job with a submission ahead (by at most SUREFILL_MAX_SECONDS) joins the queue then, in the
 * place in which it was added: an arrival that is expected, or a job held until then. A job wider than all idle
 * and running processors together never starts, and those behind it go on as if it were not there, under FCFS too.
 * index is its number, from 0; it may be NULL. O(bins x events per bin).
 *
 * Errors: as surefill_forecast_add_running. */
int32_t surefill_forecast_add_waiting(surefill_forecast *forecast,
                                      int32_t processors,
                                      int64_t limit,
                                      int64_t submit,
                                      const surefill_distribution *distribution,
                                      int32_t *index);

/* Plays scenarios until all are played (step is SUREFILL_STEP_DONE), or about work steps are done
 * (SUREFILL_STEP_MORE; work is at least 1; one instant of a scenario is never interrupted). A step is an event, a
 * job looked at, or a step of the profile of reservations, of about a nanosecond each.
 *
 * With R running and W waiting jobs a scenario costs O((R + W) log(R + W)); a job that ends moves up to R planned
 * ends by one place, one that arrives up to W queued jobs (so that W arrivals in one second, which are one
 * instant, may cost W^2 steps in one call). At each of its at most R + 2 W + 1 instants at which something fits
 * come a look at the planned ends of the running jobs and one at the queue; with more than one reservation, each
 * of them and each queued job that fits also looks at up to as many steps as jobs run or hold a reservation.
 *
 * Errors: OUT_OF_RANGE, WRONG_STATE. */
int32_t surefill_forecast_run(surefill_forecast *forecast, int64_t work, int32_t *step);

/* The earliest time by which a waiting job has started with at least this probability (above 0, at most 1), and by
 * how many seconds that may be off because the scenarios are not infinitely many, with the confidence of the
 * options; infinity when they are too few to say. O(1).
 *
 * Errors: OUT_OF_RANGE, WRONG_STATE (not done yet), NO_SUCH_INDEX, NEVER (the job is wider than all idle and
 * running processors). */
int32_t surefill_forecast_start_quantile(const surefill_forecast *forecast,
                                         int32_t job,
                                         double probability,
                                         int64_t *when,
                                         double *half_width);

/* The probability that a waiting job has started by time when, and by how much that may be off, as for
 * surefill_forecast_start_quantile. O(log scenarios).
 *
 * Errors: WRONG_STATE (not done yet), NO_SUCH_INDEX. */
int32_t surefill_forecast_start_probability(const surefill_forecast *forecast,
                                            int32_t job,
                                            int64_t when,
                                            double *probability,
                                            double *half_width);

/* The mean of the seconds that a waiting job still waits, and by how many that may be off, as for
 * surefill_forecast_start_quantile. O(scenarios).
 *
 * Errors: WRONG_STATE (not done yet), NO_SUCH_INDEX, NEVER. */
int32_t surefill_forecast_start_mean(const surefill_forecast *forecast,
                                     int32_t job,
                                     double *seconds,
                                     double *half_width);

/* ---- The order of the queue, long waits, and presets --------------------------------------------------------------
 *
 * A preset has every value that makes a schedule, beside the predictor. At each pass: recent waits say which wait is
 * long; by the queue's values (smaller ones first, equal ones by submission) the queue is put in order, its first job
 * is the head job, and what fits in that order is started; by the candidates' values the others are put in order for
 * the pass, which decides by the preset's rule. A site's own priorities come first: these values order jobs of equal
 * priority.
 *
 *     static int64_t memory[100000];
 *     surefill_preset preset;
 *     surefill_recent_waits *waits;
 *     surefill_rule rule;
 *     surefill_forecast_options forward;
 *     double value;
 *     surefill_preset_init(&preset, SUREFILL_PRESET_DELAY);
 *     surefill_recent_waits_init(memory, sizeof memory, &preset, &waits);
 *     surefill_preset_queue_value(&preset, waits, NULL, 3600, 16, 600, &value);
 *     surefill_preset_candidate_value(&preset, NULL, 3600, 16, 600, &value);
 *     surefill_rule_init(&rule);
 *     surefill_preset_rule(&preset, waits, &rule);
 *     surefill_forecast_options_init(&forward);
 *     surefill_preset_forecast(&preset, waits, &forward);
 *     surefill_recent_waits_add(waits, 600);
 */

/* Preset: EASY backfilling by the time limits, in the order of submission. */
#define SUREFILL_PRESET_EASY 0

/* Preset: the lower bound of the delay probability below 0.05 by Nissimov and Feitelson 2007, in the order of
 * submission. For comparison with their tables: waits get longer than EASY's. */
#define SUREFILL_PRESET_PAPERS 1

/* Preset: the delay rule, shorter waits than EASY's whose longest ones hardly rise. The plan of surefill_scheduler
 * gains more. */
#define SUREFILL_PRESET_DELAY 2

/* Preset: the delay rule for the shortest mean wait, at the price of some long ones. */
#define SUREFILL_PRESET_DELAY_FAST 3

/* The waits of the jobs started last. Sealed, the block is a checkpoint: write it to a file, read it back, open
 * it.
 *
 * Distinct objects are independent; one needs one thread, or the caller's lock. The block holds no pointers. */
typedef struct surefill_recent_waits surefill_recent_waits;

/* Everything that makes a schedule, beside the predictor. Set by surefill_preset_init, then changed as needed.
 *
 * A waiting job's value is median^run_time x processors^processors / (1 + waited / age_unit)^age with the median
 * of its predicted run time in seconds, at least 10. */
typedef struct surefill_preset {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* The rule's: one of SUREFILL_CRITERION_. */
  int32_t criterion;
  /* The rule's. */
  double threshold;
  /* The rule's. */
  double budget;
  /* The rule's. */
  double slip;
  /* The rule's. */
  int32_t or_easy;
  /* Events into which a bin's probability is divided. It counts only where the program copies it to the pass's
   * capacity, whose own default is another. */
  int32_t events_per_bin;
  /* The quantile of recent waits from which the head job is guarded; not negative, 1 for never, 0 for always. */
  double guard_quantile;
  /* The quantile of recent waits beyond which a job comes to the front of the queue, by submission; above 0, 1 for
   * never. */
  double front_quantile;
  /* What counts as a long wait at least, in seconds: neither guard nor front begin earlier. Not negative. */
  double shortest_long_wait;
  /* How many waits surefill_recent_waits_init makes room for (1 to 4,194,304). */
  int32_t recent_waits;
  /* The rule's: not 0 but in papers. Set it to 0 to be told the delay of every candidate itself. */
  int32_t unmeasured;
  /* The queue's order: the power of the predicted run time (-8 to 8), above 0 for short jobs first. */
  double queue_run_time;
  /* The power of the processors (-8 to 8), below 0 for wide jobs first. */
  double queue_processors;
  /* The wait that counts as one, in seconds, above 0. */
  double queue_age_unit;
  /* The power of the age (0 to 8). */
  double queue_age;
  /* The candidates' order, likewise. */
  double candidate_run_time;
  /* As queue_processors. */
  double candidate_processors;
  /* As queue_age_unit. */
  double candidate_age_unit;
  /* As queue_age. */
  double candidate_age;
} surefill_preset;

/* Sets a preset to the values of a name, one of SUREFILL_PRESET_. O(1).
 *
 * Errors: OUT_OF_RANGE (name). */
int32_t surefill_preset_init(surefill_preset *preset, int32_t name, int64_t size);
#define surefill_preset_init(preset, name) surefill_preset_init(preset, name, (int64_t)sizeof *(preset))

/* The preset's rule for surefill_pass_decide, its guard by the recent waits. With NULL for waits no wait is long.
 * O(log n) for n recent waits.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_preset_rule(const surefill_preset *preset, const surefill_recent_waits *waits, surefill_rule *rule);

/* What plays a scheduler forward that works by this preset, for surefill_forecast_begin: the orders of the queue
 * and of the candidates, the wait beyond which a job comes to the front by the recent waits (with NULL for waits
 * no job does), plans by medians unless the preset always guards the head job by the limits, as slack the
 * threshold of a preset that compares relative delays, and the rest as surefill_forecast_options_init sets it.
 * O(log n) for n recent waits.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_preset_forecast(const surefill_preset *preset,
                                 const surefill_recent_waits *waits,
                                 surefill_forecast_options *options);

/* A waiting job's value in the queue's order, smaller ones first, equal ones by submission: by what is believed of
 * its run time (NULL when nothing is known but the limit), its time limit, its processors (at least 1) and for how
 * long it has waited, in seconds. Its median is by Algorithm 1 of Nissimov and Feitelson 2007, which spreads what
 * is predicted beyond the limit over what is left below it. A job that has waited longer than the front's quantile
 * of recent waits has a negative value: before all others, by submission. With NULL for waits no job does. O(bins
 * + log n) for n recent waits.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_preset_queue_value(const surefill_preset *preset,
                                    const surefill_recent_waits *waits,
                                    const surefill_distribution *distribution,
                                    int64_t limit,
                                    int32_t processors,
                                    int64_t waited,
                                    double *value);

/* A waiting job's value in the candidates' order, smaller ones first, equal ones by submission; arguments as of
 * surefill_preset_queue_value. O(bins).
 *
 * Errors: as surefill_preset_queue_value. */
int32_t surefill_preset_candidate_value(const surefill_preset *preset,
                                        const surefill_distribution *distribution,
                                        int64_t limit,
                                        int32_t processors,
                                        int64_t waited,
                                        double *value);

/* Bytes of memory for as many waits as the preset's recent_waits says (1 to 4,194,304): at most 46 a wait and
 * 3,000.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_recent_waits_size(const surefill_preset *preset, int64_t *size);

/* Makes an object without waits in the caller's memory (length bytes, at least surefill_recent_waits_size, aligned
 * to 8) that keeps as many of the last waits as the preset's recent_waits says. O(size).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_recent_waits_init(void *memory,
                                   int64_t length,
                                   const surefill_preset *preset,
                                   surefill_recent_waits **recent);

/* A job was started after waiting this number of seconds (0 to SUREFILL_MAX_SECONDS). O(log n).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_recent_waits_add(surefill_recent_waits *recent, int64_t waited);

/* Makes the block a checkpoint, surefill_recent_waits_size bytes from the handle on, by writing its checksum. Any
 * later call that changes it breaks the seal. O(size). */
int32_t surefill_recent_waits_seal(surefill_recent_waits *recent);

/* Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
 * surefill_recent_waits_seal left it. O(size). */
int32_t surefill_recent_waits_open(void *memory, int64_t length, surefill_recent_waits **recent);

/* ---- The inbox, by which threads hand job events to another without a lock ----------------------------------------
 *
 * A resource manager hears of jobs in threads that must not wait, and decides in another. Any number of threads push;
 * one thread pops, before it decides. When the inbox is full an event is refused and counted: whoever pushes may keep
 * it and try again, and who pops sees by surefill_inbox_refused that something was lost and may read the queue anew.
 *
 *     static int64_t memory[40000];
 *     surefill_inbox_capacity capacity;
 *     surefill_inbox *inbox;
 *     int64_t bytes;
 *     surefill_job_event event = {SUREFILL_EVENT_SUBMIT, 16, 4711, 1000000, 3600, 501, 0};
 *     surefill_inbox_capacity_init(&capacity);
 *     surefill_inbox_size(&capacity, &bytes);
 *     surefill_inbox_init(memory, sizeof memory, &capacity, &inbox);
 *     surefill_inbox_push(inbox, &event);
 *     while (surefill_inbox_pop(inbox, &event) == SUREFILL_OK) printf("job %ld\n", (long)event.job);
 */

/* The most events that an inbox can hold. */
#define SUREFILL_MAX_INBOX_EVENTS 1048576

/* A job was submitted. */
#define SUREFILL_EVENT_SUBMIT 1

/* A job was started. */
#define SUREFILL_EVENT_START 2

/* A job ended. */
#define SUREFILL_EVENT_END 3

/* A job was cancelled before it started. */
#define SUREFILL_EVENT_CANCEL 4

/* A queue of job events: any number of threads may push while one thread pops, without a lock.
 *
 * Every word of the block carries a check, so that damage by a changed bit is found where it is met: CORRUPT, and
 * no wrong event. A block may be moved or copied while no call uses it. */
typedef struct surefill_inbox surefill_inbox;

/* Capacities of an inbox. Set by surefill_inbox_capacity_init, then changed as needed. */
typedef struct surefill_inbox_capacity {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* Events that are held at once (1 to SUREFILL_MAX_INBOX_EVENTS), rounded up to a power of two from 2 on. */
  int32_t events;
} surefill_inbox_capacity;

/* Something that happened to a job. The inbox hands it on as it is. */
typedef struct surefill_job_event {
  /* One of SUREFILL_EVENT_. */
  int32_t kind;
  /* Processors, not negative. */
  int32_t processors;
  /* The resource manager's number for the job. */
  int64_t job;
  /* When it happened, in seconds since any fixed origin. */
  int64_t time;
  /* The job's time limit in seconds. */
  int64_t limit;
  /* The resource manager's number for the user. */
  int64_t user;
  /* A number for the job's name or program, 0 for unknown. */
  int64_t name;
} surefill_job_event;

/* Sets the capacity to its default: 4,096 events. */
int32_t surefill_inbox_capacity_init(surefill_inbox_capacity *capacity, int64_t size);
#define surefill_inbox_capacity_init(capacity) surefill_inbox_capacity_init(capacity, (int64_t)sizeof *(capacity))

/* Bytes of memory that an inbox needs: at most 64 for each event of the rounded capacity, and 56.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_inbox_size(const surefill_inbox_capacity *capacity, int64_t *size);

/* Makes an empty inbox in the caller's memory (length bytes, at least surefill_inbox_size, aligned to 8).
 * O(events).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_inbox_init(void *memory,
                            int64_t length,
                            const surefill_inbox_capacity *capacity,
                            surefill_inbox **inbox);

/* Puts an event in, behind those before. Any number of threads may push at once. Never waits; tries again only
 * when another thread has got ahead of it.
 *
 * Errors: OUT_OF_RANGE (kind or processors), FULL (which is counted). */
int32_t surefill_inbox_push(surefill_inbox *inbox, const surefill_job_event *event);

/* Takes the oldest event out. For one thread at a time. O(1), never waits. EMPTY is also said while the thread
 * that pushes the oldest event has not finished; later events wait behind it.
 *
 * Errors: CORRUPT (the event was damaged, and is gone; or the inbox is, and must be made again), EMPTY. */
int32_t surefill_inbox_pop(surefill_inbox *inbox, surefill_job_event *event);

/* How often an event has been refused since the inbox was made, as it was full; at most 4,294,967,295 (16,777,215
 * on processors without atomic words of 64 bits). For any thread. */
int32_t surefill_inbox_refused(const surefill_inbox *inbox, int64_t *refused);

/* ---- How long jobs will run ---------------------------------------------------------------------------------------
 *
 * Keys of a mixture are user, time limit and processors. What an END tells is learnt from; a hidden Markov model
 * learns when the scheduler calls surefill_predictor_train.
 *
 *     static int64_t memory[1 << 20], bins_memory[SUREFILL_BINS_SIZE / 8], found_memory[SUREFILL_DISTRIBUTION_SIZE / 8];
 *     const int64_t keys[] = {501, 3600, 16};
 *     surefill_predictor_options options;
 *     surefill_predictor *predictor;
 *     surefill_bins *bins;
 *     surefill_distribution *found;
 *     surefill_held_job held[8];
 *     const surefill_job_event event = {SUREFILL_EVENT_END, 16, 4711, 1001000, 3600, 501, 0};
 *     int32_t answer, written, count;
 *     held[0].struct_size = sizeof held[0];
 *     surefill_bins_init_default(bins_memory, sizeof bins_memory, &bins);
 *     surefill_predictor_options_init(SUREFILL_PREDICTOR_MIXTURE, &options);
 *     surefill_predictor_init(memory, sizeof memory, &options, bins, &predictor);
 *     surefill_predictor_submit(predictor, 4711, keys, 3, 1000000);
 *     surefill_predictor_start(predictor, 4711, 1000600);
 *     surefill_predictor_predict_job(predictor, 4711, found_memory, sizeof found_memory, &answer, &found);
 *     surefill_predictor_jobs(predictor, held, 8, &written, &count);
 *     surefill_predictor_apply(predictor, &event);
 *     surefill_predictor_set_clock(predictor, 1000990);
 */

/* Kind of predictor: a mixture of histories of like jobs, "like" in several ways at once, each weighed by how well
 * it has done for the user. */
#define SUREFILL_PREDICTOR_MIXTURE 1

/* Kind of predictor: the user's own recent jobs. */
#define SUREFILL_PREDICTOR_USER 2

/* Kind of predictor: the hidden Markov model of the workload (Nissimov 2006, chapter 4), learnt by Baum-Welch over
 * the slots kept. */
#define SUREFILL_PREDICTOR_HMM 3

/* Kind of predictor: the same model, learnt on line, slot by slot as all jobs of a slot have left; slots and cells
 * need only reach as far back as jobs stay in the system. */
#define SUREFILL_PREDICTOR_HMM_ONLINE 4

/* Kind of predictor: contexts in which jobs are alike, by user, limit, processors and what became of the last
 * jobs, mixed in the logarithm; cut at the limit, and calibrated. Keys of a job are user, time limit in seconds (0
 * for none) and processors. */
#define SUREFILL_PREDICTOR_CONTEXTS 5

/* Training stops after as many rounds as the threshold says. */
#define SUREFILL_TERMINATION_ROUNDS 0

/* Training stops when sqrt(jobs) x the sum of the parameters' changes is below the threshold. */
#define SUREFILL_TERMINATION_L1 1

/* Training stops when the largest change of a parameter is below the threshold. */
#define SUREFILL_TERMINATION_L_INFINITY 2

/* Prediction: made. */
#define SUREFILL_PREDICTION_MADE 0

/* Prediction: none, since no job has ended yet (mixtures, contexts). */
#define SUREFILL_PREDICTION_NOTHING_LEARNT 1

/* Prediction: none, since the initial period is not over (hidden Markov models, as all that follow). */
#define SUREFILL_PREDICTION_INITIAL_PERIOD 2

/* Prediction: none, since jobs of the initial period are still in the system and not yet given up;
 * surefill_predictor_jobs lists them first. */
#define SUREFILL_PREDICTION_INITIAL_JOBS 3

/* Prediction: none, since the first training has not been completed: call surefill_predictor_train. */
#define SUREFILL_PREDICTION_UNTRAINED 4

/* Prediction: none, since the model does not explain what has happened and there is no floor. */
#define SUREFILL_PREDICTION_UNEXPLAINED 5

/* How many seconds earlier than the last event an event may be that surefill_predictor_apply takes. */
#define SUREFILL_MAX_LATE_SECONDS 60

/* The most experts of a mixture. */
#define SUREFILL_MAX_EXPERTS 16

/* The most keys of a job. */
#define SUREFILL_MAX_KEYS 8

/* The largest number of states. */
#define SUREFILL_MAX_STATES 64

/* Load model: none, run times given the number of jobs. */
#define SUREFILL_LOAD_NONE 0

/* Load model: Poisson; the parameter is the mean number of jobs in a slot, finite and not negative. */
#define SUREFILL_LOAD_POISSON 1

/* Load model: geometric from 0; the parameter is Pr(no job in a slot), above 0 and at most 1. */
#define SUREFILL_LOAD_GEOMETRIC 2

/* Initial values: Static-IV (Nissimov 2006, Algorithm 3). */
#define SUREFILL_INITIAL_STATIC 0

/* Initial values: k-means (Algorithm 4); the number of states must be a power of two. */
#define SUREFILL_INITIAL_K_MEANS 1

/* Learns from finished jobs, on line, how long a job will run: by the kind that its options choose.
 *
 * Report every job's submission, start and end, by one call each or with surefill_predictor_apply from the events
 * of an inbox. What is predicted for a job at its submission is remembered as long as the job is held. Train when
 * it wants to be trained. Jobs are known by the caller's numbers, and to the mixtures by their keys too. Nothing
 * finite that can happen has probability 0 in what is predicted.
 *
 * Times are seconds since any fixed origin, within 2^53 of it; the events' may stand still but not go back
 * (surefill_predictor_set_clock sets a clock right that was wrong). Questions may be about later times, and change
 * no later answer; they keep intermediate results, so that they need the lock that events need. With a hidden
 * Markov model an event costs a filter step for each slot that has passed since the last one, at most as many as
 * are kept: tens of milliseconds after a year without any.
 *
 * Distinct predictors are independent; one needs one thread, or the caller's lock. The block holds no pointers;
 * sealed, it is a checkpoint. */
typedef struct surefill_predictor surefill_predictor;

/* One way in which jobs are alike. */
typedef struct surefill_expert {
  /* The keys in which jobs must agree, the sum of 2^i for key i; 0 for all jobs alike. */
  int32_t keys;
  /* 0. */
  int32_t reserved;
  /* The factor by which a job's weight shrinks with every later one of its kind: 0 to 1, 1 for no ageing. */
  double decay;
  /* How many jobs everybody's distribution counts as: above 0, at most 1e9. */
  double prior;
} surefill_expert;

/* A predictor's kind, its capacities, and how it learns. Set by surefill_predictor_options_init, then changed as
 * needed. What is not the kind's is checked all the same, but makes no difference. */
typedef struct surefill_predictor_options {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* One of SUREFILL_PREDICTOR_. */
  int32_t kind;
  /* Jobs in the system, queued or running (1 to 16,777,216). */
  int32_t jobs;
  /* Run-time bins (mixtures: 1, hidden Markov models and contexts: 2, to SUREFILL_MAX_BINS). */
  int32_t bins;
  /* A job that has been in the system for more than this number of seconds is given up (1 to 2^40): it may be
   * held, or its end may have got lost. Nothing waits for it any more, what it says as long as it runs is no
   * longer heard, and when there is no room for a new job the oldest of them makes room. If it ends after all it
   * is learnt from, but for a model learnt on line. To be longer than jobs wait and run together. */
  int64_t oldest_seconds;
  /* Mixtures: keys by which a job is known (1 to SUREFILL_MAX_KEYS). Key 0 is the user. Contexts: 3. */
  int32_t keys;
  /* Mixtures: how many experts there are (1 to SUREFILL_MAX_EXPERTS). */
  int32_t expert_count;
  /* Mixtures: the experts, of which init keeps a copy; NULL for the kind's own, and then expert_count is theirs. */
  const surefill_expert *experts;
  /* Mixtures: histories kept (1 to 67,108,864): one for each expert and combination of its keys, and one for each
   * user. Contexts (1 to 16,777,216): one for each context and combination of its values. Those not written to for
   * longest leave. */
  int32_t histories;
  /* Hidden Markov models, as all that follows: states (1 to SUREFILL_MAX_STATES). */
  int32_t states;
  /* Slots kept (2 to 268,435,456); the oldest leave. */
  int32_t slots;
  /* Cells kept, one for each slot and bin that has jobs, so at most one a job (bins to 268,435,456); the oldest
   * slots leave. */
  int32_t cells;
  /* Slots, from the earliest with a job in the system, whose state is remembered from one prediction to the next
   * (1 to 16,777,216). */
  int32_t window;
  /* One of SUREFILL_LOAD_. */
  int32_t load;
  /* SUREFILL_INITIAL_STATIC or, if the number of states is a power of two, SUREFILL_INITIAL_K_MEANS. */
  int32_t initial;
  /* One of SUREFILL_TERMINATION_. */
  int32_t termination;
  /* What termination compares with: a whole number of rounds (at least 1), or epsilon (not negative). */
  double threshold;
  /* A training stops after this number of rounds at the latest (at least 1). */
  int64_t most_rounds;
  /* Length of a slot in seconds (1 to 2^32). */
  int64_t slot_seconds;
  /* No training before this number of seconds after the first submission, and before all jobs submitted in them
   * have left or are given up (0 to 2^40). */
  int64_t initial_seconds;
  /* With a termination other than L1, training begins again when this number of seconds of new slots is finished
   * (1 to 2^40). */
  int64_t restart_seconds;
  /* What happens when no possible state explains a slot, in a bin that none has seen for example (0 to below 1).
   * With 0, the thesis's rule, the predictor is silent until it has learnt from that slot; else the slot is taken
   * as if every state had drawn any bin with this probability. */
  double floor;
  /* On line: a of the step size t^-a (above 0.5, at most 1). See surefill_online_hmm_options. */
  double exponent;
  /* On line: slots before the first maximisation step (not negative). */
  int64_t hold;
} surefill_predictor_options;

/* A job that a predictor holds. An array of these has the struct_size that the program sets in its first. */
typedef struct surefill_held_job {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* Whether it runs (1) or waits (0). */
  int32_t running;
  /* The caller's number. */
  int64_t job;
  /* When it was submitted. */
  int64_t submitted;
  /* When it started, if it runs; else 0. */
  int64_t started;
  /* Whether it is given up (1), being older than oldest_seconds, or not (0). */
  int32_t given_up;
  /* How many keys it has. */
  int32_t key_count;
  /* The keys with which it was submitted, by custom the user, the limit and the processors, so that a list of what
   * runs can be made again; none with a hidden Markov model. Of a wait predictor's jobs the requested seconds and
   * the processors. */
  int64_t keys[8];
} surefill_held_job;

/* What a round of Baum-Welch did. */
typedef struct surefill_round {
  /* Bytes of this structure, as the program knows it, which sets it before the first call. */
  uint32_t struct_size;
  /* 0. */
  int32_t reserved;
  /* ln Pr(observations) under the parameters before the round. */
  double log_likelihood;
  /* The sum of the absolute changes of all parameters. */
  double l1;
  /* The largest absolute change of a parameter. */
  double l_infinity;
  /* Rounds since training began, this one included. */
  int64_t rounds;
  /* Finished jobs in the slots trained on. */
  int64_t jobs;
  /* Slots that no state explained, so that the parameters were bent towards them before the round. */
  int64_t adapted;
} surefill_round;

/* Sets the options to the defaults of a kind, one of SUREFILL_PREDICTOR_: 4,096 jobs, 24 bins, jobs older than ten
 * days given up. Mixture: user, time limit and processors as keys, ten experts on them, 16,384 histories; user:
 * one key, one expert; contexts: 65,536 histories. Hidden Markov models: 16 states, a year of slots of 15 min,
 * 100,000 cells, 1,024 slots remembered; no load model, Static-IV, L1 with 200 and at most 1,000 rounds, an
 * initial period of a week, restarts weekly, as in the thesis; but with a floor of 0.001.
 *
 * Errors: OUT_OF_RANGE (kind). */
int32_t surefill_predictor_options_init(int32_t kind, surefill_predictor_options *options, int64_t size);
#define surefill_predictor_options_init(kind, options) surefill_predictor_options_init(kind, options, (int64_t)sizeof *(options))

/* Writes the experts of a kind of mixture, one of SUREFILL_PREDICTOR_, and their number, so that others can be
 * added. capacity is the room in experts: SUREFILL_MAX_EXPERTS is enough.
 *
 * Errors: OUT_OF_RANGE (not a mixture of experts), FULL (capacity). */
int32_t surefill_experts_init(int32_t kind, surefill_expert *experts, int32_t capacity, int32_t *count);

/* Bytes of memory that a predictor needs. For J jobs with K keys and N bins: J (88 + 8 K + 8 N) and about 1,500.
 * Mixtures: with H histories and E experts, 8 H max(N + 1, E) + 32 H + 3,200 more. Contexts: with N rounded up to
 * a multiple of 8, H (4 N + 23) + J (35 N + 384) + 2,000 (N + 125) more. Hidden Markov models: surefill_hmm_size
 * more, 8 S for each slot of the window and 48 S (S states, rounded up to a multiple of 8), and on line
 * surefill_online_hmm_size.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_predictor_size(const surefill_predictor_options *options, int64_t *size);

/* Makes a predictor in the caller's memory (length bytes, at least surefill_predictor_size, aligned to 8) for run
 * times in these bins, of which it keeps a copy. O(size).
 *
 * Errors: OUT_OF_RANGE (also when the bins are not as many as the options say). */
int32_t surefill_predictor_init(void *memory,
                                int64_t length,
                                const surefill_predictor_options *options,
                                const surefill_bins *bins,
                                surefill_predictor **predictor);

/* Makes the block a checkpoint, to be written to disk: writes its checksum. Any later call that changes the
 * predictor breaks the seal, a question too. O(size). */
int32_t surefill_predictor_seal(surefill_predictor *predictor);

/* The predictor in a checkpoint (length bytes at least) read back into memory, which must be as
 * surefill_predictor_seal left it. It goes on bit for bit as the sealed one would have, in the middle of training
 * too. O(size). */
int32_t surefill_predictor_open(void *memory, int64_t length, surefill_predictor **predictor);

/* A job was submitted. It has count keys, as many as the options say: a hidden Markov model knows jobs by their
 * time alone, and takes none (keys may then be NULL). What is predicted for it is remembered with it. When there
 * is no room, a job that is given up makes room. As surefill_predictor_predict, amortised over the slots that
 * pass.
 *
 * Errors: DUPLICATE_JOB, FULL, TIME_WENT_BACK, OUT_OF_RANGE (time, count). */
int32_t surefill_predictor_submit(surefill_predictor *predictor,
                                  int64_t job,
                                  const int64_t *keys,
                                  int32_t count,
                                  int64_t now);

/* A submitted job was started. O(1) amortised over the slots that pass.
 *
 * Errors: UNKNOWN_JOB, ALREADY_STARTED, TIME_WENT_BACK, OUT_OF_RANGE (time). */
int32_t surefill_predictor_start(surefill_predictor *predictor, int64_t job, int64_t now);

/* A running job ended; its run time is learnt. O(bins), a mixture's O(experts x bins), amortised over the slots
 * that pass.
 *
 * Errors: UNKNOWN_JOB, NOT_STARTED, TIME_WENT_BACK, OUT_OF_RANGE (time). */
int32_t surefill_predictor_end(surefill_predictor *predictor, int64_t job, int64_t now);

/* A job left without having run to its end: cancelled while queued, or running but not to be learnt from. O(1)
 * amortised over the slots that pass.
 *
 * Errors: UNKNOWN_JOB, TIME_WENT_BACK, OUT_OF_RANGE (time). */
int32_t surefill_predictor_cancel(surefill_predictor *predictor, int64_t job, int64_t now);

/* Applies an event as an inbox hands it on: surefill_predictor_submit, start, end or cancel of its job at its
 * time. Events that several threads push come out of order by a little: one that is at most
 * SUREFILL_MAX_LATE_SECONDS earlier than the last event counts as having happened at the last event's time, and
 * one that is earlier still is refused with TIME_WENT_BACK, since then a clock is wrong. The keys of a mixture are
 * as many as the options say of these: user, limit, processors, name.
 *
 * Errors: those of the call; OUT_OF_RANGE also for a kind of event that there is not, and when the options want
 * more keys. */
int32_t surefill_predictor_apply(surefill_predictor *predictor, const surefill_job_event *event);

/* A mixture or the contexts learn from a job that they do not hold, or of which more is known than when it started
 * and ended: one with these count keys ran for this number of seconds (0 to SUREFILL_MAX_SECONDS), to the contexts
 * until the last event. O(experts x bins).
 *
 * Errors: OUT_OF_RANGE (count, seconds), WRONG_STATE (a hidden Markov model, which learns of past jobs from their
 * events, in the order of time). */
int32_t surefill_predictor_learn(surefill_predictor *predictor, const int64_t *keys, int32_t count, int64_t seconds);

/* Sets the clock right: from now on it is now, whatever time an event had. To go on is to hear of an event. To go
 * back, what was reported as later counts as having happened now; if all that a hidden Markov model has kept is
 * later, its finished jobs are forgotten, but neither the model nor the jobs it holds. Jobs that were given up by
 * the wrong clock alone are held again as before. What a model has learnt on line of later slots it does not learn
 * a second time: those slots' finished jobs are forgotten, and those of their jobs that were given up remain so.
 * Training under way is given up. O(jobs + slots M^2).
 *
 * Errors: OUT_OF_RANGE (time). */
int32_t surefill_predictor_set_clock(surefill_predictor *predictor, int64_t now);

/* The jobs that it holds, those given up included, the oldest first: held is how many there are, written how many
 * of them are written to jobs, which has room for capacity. O(written).
 *
 * Errors: OUT_OF_RANGE (capacity). */
int32_t surefill_predictor_jobs(const surefill_predictor *predictor,
                                surefill_held_job *jobs,
                                int32_t capacity,
                                int32_t *written,
                                int32_t *held);

/* What is predicted for a job with these count keys (see surefill_predictor_submit) that is submitted now, which
 * is not before the last event: a distribution made in the caller's memory (length bytes, at least
 * SUREFILL_DISTRIBUTION_SIZE). answer is SUREFILL_PREDICTION_MADE, or says why nothing is predicted, and then the
 * distribution is the one of which nothing is known but the limit.
 *
 * Mixtures: O(experts x bins), contexts too, of which there are 31. Hidden Markov models: O((M^2 + jobs M) S) for
 * M states and S slots from the earliest with a change since the last prediction.
 *
 * Errors: TIME_WENT_BACK, OUT_OF_RANGE (time, count, length). */
int32_t surefill_predictor_predict(surefill_predictor *predictor,
                                   const int64_t *keys,
                                   int32_t count,
                                   int64_t now,
                                   void *memory,
                                   int64_t length,
                                   int32_t *answer,
                                   surefill_distribution **distribution);

/* What was predicted for a job that it holds when that was submitted, as surefill_predictor_predict gave it then.
 * O(bins).
 *
 * Errors: UNKNOWN_JOB. */
int32_t surefill_predictor_said(const surefill_predictor *predictor,
                                int64_t job,
                                void *memory,
                                int64_t length,
                                int32_t *answer,
                                surefill_distribution **distribution);

/* What is believed now of a job that it holds: a mixture's present prediction for the job's keys; what the
 * contexts know now of the jobs that were like it when it was submitted; a hidden Markov model knows jobs by their
 * time of submission alone, and so this is what surefill_predictor_said gives. Before the job's age and limit are
 * considered, which a pass does.
 *
 * Errors: as surefill_predictor_said. */
int32_t surefill_predictor_predict_job(const surefill_predictor *predictor,
                                       int64_t job,
                                       void *memory,
                                       int64_t length,
                                       int32_t *answer,
                                       surefill_distribution **distribution);

/* Trains, if that is wanted, for about work visits to slots (at least 1); events and predictions may come between
 * two calls. A round visits every finished slot three times; on line each slot is visited once, in O(M^3 (M + N)),
 * and round says what was learnt since the last DONE, its rounds being the slots learnt in all. step is
 * SUREFILL_STEP_IDLE, MORE or DONE; after DONE the new model is in use, and round is the last of its rounds, else
 * round is not written. Mixtures and contexts learn as jobs end, and are idle. O(work M^2).
 *
 * Errors: OUT_OF_RANGE (work). */
int32_t surefill_predictor_train(surefill_predictor *predictor, int64_t work, int32_t *step, surefill_round *round);

/* ---- Bounds on the waits of one queue's jobs ----------------------------------------------------------------------
 *
 * How long will a job wait, with what confidence? One object for each queue; it hears of every job, and is asked at
 * any time.
 *
 *     static int64_t memory[1 << 20];
 *     surefill_wait_capacity capacity;
 *     surefill_wait_options options;
 *     surefill_wait *wait;
 *     int64_t bound, waited;
 *     surefill_held_job held[8];
 *     int32_t answer, written, count;
 *     held[0].struct_size = sizeof held[0];
 *     surefill_wait_capacity_init(&capacity);
 *     capacity.history = 2000;
 *     surefill_wait_options_init(&options);
 *     surefill_wait_init(memory, sizeof memory, &capacity, &options, &wait);
 *     surefill_wait_machine(wait, 512, 96, 3, 86400);
 *     surefill_wait_submit(wait, 4711, 1000000, 3600, 16, &answer, &bound);
 *     surefill_wait_jobs(wait, held, 8, &written, &count);
 *     surefill_wait_start(wait, 4711, 1000600, &waited);
 *     surefill_wait_set_clock(wait, 1000590);
 */

/* The most clusters of a wait predictor. */
#define SUREFILL_MAX_CLUSTERS 16

/* Method: order statistics, right for any distribution. */
#define SUREFILL_METHOD_BINOMIAL 0

/* Method: the bound of a log-normal's quantile, by the noncentral t. */
#define SUREFILL_METHOD_LOG_NORMAL 1

/* Method: the quantile of a log-uniform, by maximum likelihood; the confidence is ignored. */
#define SUREFILL_METHOD_LOG_UNIFORM 2

/* Method: the quantile of a Weibull, by maximum likelihood; the confidence is ignored. */
#define SUREFILL_METHOD_WEIBULL 3

/* Attribute: the requested run time. */
#define SUREFILL_ATTRIBUTE_REQUESTED 0

/* Attribute: the processors. */
#define SUREFILL_ATTRIBUTE_PROCESSORS 1

/* Attribute: processors times requested run time. */
#define SUREFILL_ATTRIBUTE_PRODUCT 2

/* Attribute: of these three the one that explains the waits best, chosen anew whenever the jobs are clustered
 * again, from the waits that are remembered then: the one whose clusters raise the criterion of
 * surefill_wait_explained most. Until the first choice, and among equals, it is the one in use, at first the
 * requested run time. surefill_wait_clustered_by tells which. A clustering takes three times as long. */
#define SUREFILL_ATTRIBUTE_BEST 3

/* Component: histories are trimmed at change points. */
#define SUREFILL_COMPONENT_TRIM 1

/* Component: jobs are clustered by an attribute. */
#define SUREFILL_COMPONENT_CLUSTER 2

/* Component: no prediction while the machine may be down. */
#define SUREFILL_COMPONENT_AVAILABILITY 4

/* Component, beyond the paper: levels follow misses, so that in the long run .9 of the misses that the quantile
 * allows remain, whatever the waits do, among wide jobs and jobs with long requests as well as among all. */
#define SUREFILL_COMPONENT_ADAPT 8

/* Component, beyond the paper: the waits that count are those of the jobs that came into a like situation: jobs
 * and work ahead, the oldest wait, the last waits, the hour, and what surefill_wait_machine tells. It takes the
 * place of TRIM and CLUSTER. */
#define SUREFILL_COMPONENT_VISIBLE 16

/* Answer: a bound. */
#define SUREFILL_ANSWER_BOUND 0

/* Answer: no prediction, as too few waits are known for this quantile and confidence. */
#define SUREFILL_ANSWER_TOO_LITTLE_HISTORY 1

/* Answer: no prediction, as no job has been started for an unusually long time, or while unusually many arrived:
 * the machine may be down. */
#define SUREFILL_ANSWER_MAY_BE_DOWN 2

/* Bounds the waits of one queue's jobs by those of the jobs before them (QBETS: Nurmi, Brevik & Wolski 2007). Tell
 * it of every job: submitted, then started or cancelled. Times are seconds since any fixed origin, within 2^53 of
 * it; they may stand still but not go back. Jobs are known by the caller's ids.
 *
 * Distinct predictors are independent; one needs one thread, or the caller's lock. The block holds no pointers,
 * and sealed it is a checkpoint: write it to a file, read it back, open it. */
typedef struct surefill_wait surefill_wait;

/* Capacities of a wait predictor. Set by surefill_wait_capacity_init, then changed as needed. */
typedef struct surefill_wait_capacity {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* Waits that are remembered; the oldest go first (1 to 4,194,304, and enough for the options' own question). */
  int32_t history;
  /* Jobs that wait at the same time (1 to 4,194,304). */
  int32_t queued;
  /* Releases that tell whether the machine may be down (0 to 4,194,304; 0 without that component). */
  int32_t releases;
  /* The largest number of clusters (1 to SUREFILL_MAX_CLUSTERS; 1 saves the memory that clustering needs). */
  int32_t clusters;
  /* Jobs whose situation is remembered for VISIBLE (0 to 65,536; 0 without that component). */
  int32_t neighbours;
} surefill_wait_capacity;

/* How a wait predictor predicts. Set by surefill_wait_options_init, then changed as needed. */
typedef struct surefill_wait_options {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* One of SUREFILL_METHOD_. */
  int32_t method;
  /* One of SUREFILL_ATTRIBUTE_: what jobs are clustered by. */
  int32_t attribute;
  /* The sum of SUREFILL_COMPONENT_ that are on; 0 for none. */
  int32_t components;
  /* The options' own question, which surefill_wait_submit answers and by which misses are told and histories
   * trimmed: the quantile of the wait that is bounded (above 0, below 1) ... */
  double quantile;
  /* ... and the confidence of that bound (above 0, below 1). */
  double confidence;
  /* With AVAILABILITY: the quantile of jobs between releases, and of time between releases, above whose .95 bound
   * the machine may be down (above 0, below 1). The paper's is .95, which on its traces leaves 5 to 25 % of the
   * jobs without a prediction. It says nothing before ln(.05) / ln(down_quantile) releases, for which the capacity
   * must have room: 59 at .95, 299 at .99, 2,995 at .999. */
  double down_quantile;
  /* With ADAPT: the smallest step of the levels that follow misses, in units of e times fewer misses (0 to 1).
   * Smaller ones are tighter, larger ones faster. */
  double rate;
  /* After how many known waits the jobs are clustered again (1 to 4,294,967,295). */
  int64_t recluster_every;
  /* A job that has waited for more than this number of seconds is given up (1 to 2^40): it may be held, or its
   * start may have got lost. It no longer counts among those that wait, and when there is no room for a new job
   * the oldest of them makes room. If it starts after all its wait is learnt. To be longer than jobs wait; 100
   * days by default. */
  int64_t oldest_seconds;
} surefill_wait_options;

/* Sets the capacity to its defaults: 65,536 waits, 4,096 jobs waiting, 4,096 releases, no clusters, 8,192
 * situations. */
int32_t surefill_wait_capacity_init(surefill_wait_capacity *capacity, int64_t size);
#define surefill_wait_capacity_init(capacity) surefill_wait_capacity_init(capacity, (int64_t)sizeof *(capacity))

/* Sets the options to those whose bounds hold: .95 bound of the .95 quantile, AVAILABILITY, ADAPT and VISIBLE. The
 * paper's are TRIM, CLUSTER and AVAILABILITY, for which the capacity must have clusters. */
int32_t surefill_wait_options_init(surefill_wait_options *options, int64_t size);
#define surefill_wait_options_init(options) surefill_wait_options_init(options, (int64_t)sizeof *(options))

/* Bytes of memory that a wait predictor needs, at most: 80 for each remembered wait (231 with clusters), 160 for
 * each release, 220 for each waiting job (524 with situations), 48 for each situation, and 110,000; 8.3 MB for the
 * default.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_wait_size(const surefill_wait_capacity *capacity, int64_t *size);

/* Makes a predictor that knows no wait in the caller's memory (length bytes, at least surefill_wait_size, aligned
 * to 8). O(length).
 *
 * Errors: OUT_OF_RANGE (also when the options' quantile and confidence need more waits than the history holds). */
int32_t surefill_wait_init(void *memory,
                           int64_t length,
                           const surefill_wait_capacity *capacity,
                           const surefill_wait_options *options,
                           surefill_wait **wait);

/* Makes the block a checkpoint, surefill_wait_size bytes from the handle on, by writing its checksum. Any later
 * call that changes the predictor breaks the seal. O(size). */
int32_t surefill_wait_seal(surefill_wait *wait);

/* Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as surefill_wait_seal
 * left it. It goes on bit for bit as the sealed one would have, in the middle of clustering too. O(size). */
int32_t surefill_wait_open(void *memory, int64_t length, surefill_wait **wait);

/* A job was submitted that requests a number of seconds (0 to SUREFILL_MAX_SECONDS) and processors (not negative).
 * answer is one of SUREFILL_ANSWER_ to the options' own question; bound is the wait's upper bound in seconds, -1
 * with any answer but BOUND.
 *
 * Without VISIBLE: O(log n) for n remembered waits. With it: the 300 nearest of the situations are sorted, and up
 * to 16 waiting jobs are looked at again (each of them about every six hours), for as much each and O(w) for w
 * waiting jobs.
 *
 * Errors: TIME_WENT_BACK, OUT_OF_RANGE, DUPLICATE_JOB, FULL. */
int32_t surefill_wait_submit(surefill_wait *wait,
                             int64_t job,
                             int64_t now,
                             int64_t requested,
                             int32_t processors,
                             int32_t *answer,
                             int64_t *bound);

/* A waiting job was started: its wait becomes history; waited is that in seconds.
 *
 * O(log n), and while jobs are clustered again 64 + 4 history / recluster_every steps of O(log n). With VISIBLE
 * also: waiting jobs are looked at as by surefill_wait_submit; and for the job itself and each time that it was
 * looked at while it waited, a regression on 48 terms learns in 48^2 steps, and up to all situations move by one
 * place in memory.
 *
 * Errors: TIME_WENT_BACK, OUT_OF_RANGE (time), UNKNOWN_JOB. */
int32_t surefill_wait_start(surefill_wait *wait, int64_t job, int64_t now, int64_t *waited);

/* A waiting job was cancelled: nothing is learnt. O(log n); with VISIBLE waiting jobs are looked at as by
 * surefill_wait_submit.
 *
 * Errors: TIME_WENT_BACK, OUT_OF_RANGE (time), UNKNOWN_JOB. */
int32_t surefill_wait_cancel(surefill_wait *wait, int64_t job, int64_t now);

/* A wait known from elsewhere, in seconds (0 to SUREFILL_MAX_SECONDS), of a job that requested this many seconds
 * and processors: as if it had been submitted and started, but without time passing. Costs as surefill_wait_start.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_wait_known(surefill_wait *wait, int64_t seconds, int64_t requested, int32_t processors);

/* The state of the machine, which VISIBLE takes into account from now on: its processors, those that are free, and
 * the jobs that wait in all its queues with their processors times requested seconds. All 0, as at first: nothing
 * is known but the queue.
 *
 * Errors: OUT_OF_RANGE (negative numbers; more processors free than there are). */
int32_t surefill_wait_machine(surefill_wait *wait, int32_t processors, int32_t free, int32_t jobs, int64_t work);

/* Sets the clock right: from now on it is now, whatever time an event had. To go on is to hear of an event. To go
 * back, what was reported as later counts as having happened now, and jobs are given up anew by the new time. O((w
 * + n) log w) for w waiting jobs and n times that they were looked at.
 *
 * Errors: OUT_OF_RANGE (time). */
int32_t surefill_wait_set_clock(surefill_wait *wait, int64_t now);

/* The jobs that it holds, those given up included, the oldest first: held is how many there are, written how many
 * of them are written to jobs, which has room for capacity. None of them runs: started and running are 0.
 * O(written).
 *
 * Errors: OUT_OF_RANGE (capacity). */
int32_t surefill_wait_jobs(const surefill_wait *wait,
                           surefill_held_job *jobs,
                           int32_t capacity,
                           int32_t *written,
                           int32_t *held);

/* An upper bound in seconds, with this confidence, for the quantile (both above 0, below 1) of the wait of a job
 * submitted now that requests this many seconds and processors. answer is one of SUREFILL_ANSWER_, bound is -1
 * with any answer but BOUND. With ADAPT the options' own question is answered with the adapted bound, and others
 * by the levels that follow their own misses. O(log n) for the options' own question, with VISIBLE the 300 nearest
 * situations are sorted; else with surefill_binomial_upper (or the method's own computation, up to O(n)) on top.
 *
 * Errors: OUT_OF_RANGE, TIME_WENT_BACK. */
int32_t surefill_wait_predict(const surefill_wait *wait,
                              int64_t requested,
                              int32_t processors,
                              double quantile,
                              double confidence,
                              int64_t now,
                              int32_t *answer,
                              int64_t *bound);

/* As surefill_wait_predict, for a job that waits since it was submitted: an upper bound for its wait, counted from
 * its submission. With VISIBLE it rests on the rests of the waits of jobs that waited in a like situation, and
 * with ADAPT it follows the misses of such bounds and, for the options' own question, leaves no less than a
 * factor, learnt on line, times the oldest wait of the queue; else, and where too little is known, by the binomial
 * method on the waits that were at least as long as its own is now: those of its cluster, or of all clusters where
 * these are too few. O(w) for w waiting jobs on top.
 *
 * Errors: as surefill_wait_predict, and UNKNOWN_JOB. */
int32_t surefill_wait_predict_waiting(const surefill_wait *wait,
                                      int64_t job,
                                      double quantile,
                                      double confidence,
                                      int64_t now,
                                      int32_t *answer,
                                      int64_t *bound);

/* How probable it is that a job that has waited for age seconds (0 for a new one) waits at most within seconds,
 * counted from its submission: the part of the waits that were, with a lower bound for it at this confidence. With
 * ADAPT half a wait is added on either side, and the outcomes of earlier such probabilities correct them. rests_on
 * is the number of waits of at least age, or of jobs that waited in a like situation, that this rests on; 0 where
 * there are none, then probability and at_least are 0. Says nothing about the machine being down. O(log n + sqrt
 * n); with VISIBLE the 300 nearest situations are sorted, and O(w) for w waiting jobs.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_wait_start_probability(const surefill_wait *wait,
                                        int64_t requested,
                                        int32_t processors,
                                        int64_t age,
                                        int64_t within,
                                        double confidence,
                                        double *probability,
                                        double *at_least,
                                        int64_t *rests_on);

/* How many jobs wait, and how many waits are remembered. O(1). */
int32_t surefill_wait_counts(const surefill_wait *wait, int32_t *jobs, int64_t *remembered);

/* The clusters in use, at least one, in the order of the attribute: the smallest and the largest attribute of each
 * (9223372036854775807 for no bound) and how many waits count there. capacity is the room in each array:
 * SUREFILL_MAX_CLUSTERS is enough. clusters is the number written.
 *
 * Errors: OUT_OF_RANGE, FULL (capacity). */
int32_t surefill_wait_clusters(const surefill_wait *wait,
                               int64_t *smallest,
                               int64_t *largest,
                               int64_t *counts,
                               int32_t capacity,
                               int32_t *clusters);

/* ---- Speedup and sizes of malleable jobs (Downey 1997) ------------------------------------------------------------
 *
 * On how many processors should a job run that can run on any number? Speedups are plain functions; a sizing knows
 * the running jobs.
 *
 *     static int64_t memory[20000];
 *     surefill_sizing_capacity capacity;
 *     surefill_choice_options options;
 *     surefill_sizing *sizing;
 *     surefill_choice choice;
 *     const double run_times[] = {36000, 20000, 15000, 13000};
 *     int64_t bytes;
 *     choice.struct_size = sizeof choice;
 *     surefill_sizing_capacity_init(&capacity);
 *     capacity.running = 16;
 *     surefill_sizing_size(&capacity, &bytes);
 *     surefill_sizing_init(memory, sizeof memory, &capacity, &sizing);
 *     surefill_sizing_begin(sizing, 16);
 *     surefill_sizing_add_running(sizing, 32, 600, 7200, NULL);
 *     surefill_choice_options_init(&options);
 *     surefill_sizing_choose(sizing, &options, NULL, 40, 1, 36000, &choice);
 *     surefill_sizing_choose_measured(sizing, &options, NULL, run_times, 4, &choice);
 */

/* Wait predicted by predictor A: the median of the time until one job that holds enough processors by itself, a
 * benefactor, has ended (equation 9). */
#define SUREFILL_WAIT_BY_BENEFACTORS 0

/* Wait predicted by predictor B: the time until enough processors are released when jobs release them gradually
 * (equation 10). */
#define SUREFILL_WAIT_BY_FLUID 1

/* Wait predicted by the paper's choice: A with two or more benefactors, else B. */
#define SUREFILL_WAIT_BY_COMBINED 2

/* Wait predicted by its exact quantile. */
#define SUREFILL_WAIT_BY_QUANTILE 3

/* Wait predicted by its exact mean. */
#define SUREFILL_WAIT_BY_MEAN 4

/* Corrects predicted waits by the outcomes of earlier predictions: a running least-squares line through the
 * logarithms of predicted and actual waits (Downey 1997, section 5.4).
 *
 * Its functions are in surefill_models.h. Distinct corrections are independent; one needs one thread, or the
 * caller's lock. The block holds no pointers, and sealed it is a checkpoint. */
typedef struct surefill_correction surefill_correction;

/* The jobs that run on one pool of interchangeable processors: when will how many be free, and how many should a
 * malleable job wait for? Begin, add the running jobs, then ask in any order (Downey 1997). Durations are seconds
 * in doubles.
 *
 * Distinct sizings are independent; one needs one thread, or the caller's lock: questions use the block for their
 * calculations. The block holds no pointers. */
typedef struct surefill_sizing surefill_sizing;

/* Capacities of a sizing. Set by surefill_sizing_capacity_init, then changed as needed. */
typedef struct surefill_sizing_capacity {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* Running jobs (0 to 1,048,576). */
  int32_t running;
  /* Processors of the machine (1 to 16,777,216). */
  int32_t processors;
  /* Bins of the distributions (0 to SUREFILL_MAX_BINS; 0 when all lifetimes are log-uniform). */
  int32_t bins;
  /* Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN). */
  int32_t events_per_bin;
} surefill_sizing_capacity;

/* What decides a choice. Set by surefill_choice_options_init, then changed as needed. */
typedef struct surefill_choice_options {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* One of SUREFILL_WAIT_BY_: how waits are predicted. */
  int32_t predictor;
  /* With QUANTILE: which one (0 to 1). */
  double quantile;
  /* The fewest processors the job runs on (at least 1). */
  int32_t least;
  /* The most it may take (at least `least`). The paper: its average parallelism; under lock-in, once it has
   * declared the number it waits for, that number. */
  int32_t most;
  /* q: what a second of waiting costs, in seconds of run time (0 to 2^40). The paper: 1, or the jobs in the queue. */
  double weight;
  /* Risk aversion: waiting must gain more than this share of the run time on the idle processors (0 to 1). The
   * paper: .2. */
  double least_gain;
} surefill_choice_options;

/* A job's best number of processors. */
typedef struct surefill_choice {
  /* Bytes of this structure, as the program knows it, which sets it before the first call. */
  uint32_t struct_size;
  /* How many: at most the idle ones when it should start now. */
  int32_t processors;
  /* The predicted wait for them in seconds, corrected; 0 when it should start now. */
  double wait;
  /* The wait before correction: what surefill_correction_record wants to know. */
  double predicted;
  /* The run time on them, in seconds. */
  double run_time;
  /* weight x wait + run time less than on the idle processors, in seconds; infinite when too few are idle. */
  double gain;
} surefill_choice;

/* How many times as fast a job with this average parallelism (A, 1 to 2^40) and sigma (about the squared
 * coefficient of variation of its parallelism; from 0, infinity for the lower bound of equation 3) runs on this
 * number of processors (1 to 2^40) as on one: Downey 1997, equations 1 and 2. Between 1 and A. The run time there
 * is the run time on one divided by this.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_speedup(double parallelism, double sigma, double processors, double *speedup);

/* The model of count run times in seconds, each measured on the number of processors at the same place of
 * processors (1 to 2^20; at least three different ones): parallelism and sigma (may be infinite), the run time on
 * one processor, and the root mean square of the differences of the natural logarithms, about the relative error.
 * Parallelism and sigma can be told apart only when the measurements reach saturation; any pair that fits predicts
 * the measured range equally well. O(count).
 *
 * Errors: OUT_OF_RANGE (also run times that are not positive or above 2^40, and measurements on fewer than three
 * numbers of processors). */
int32_t surefill_speedup_fit_run_times(const double *processors,
                                       const double *seconds,
                                       int32_t count,
                                       double *parallelism,
                                       double *sigma,
                                       double *sequential,
                                       double *error);

/* Sets the capacity to its defaults: 256 running jobs, 1,024 processors, 32 bins of 4 events. */
int32_t surefill_sizing_capacity_init(surefill_sizing_capacity *capacity, int64_t size);
#define surefill_sizing_capacity_init(capacity) surefill_sizing_capacity_init(capacity, (int64_t)sizeof *(capacity))

/* Bytes of memory that a sizing needs: at most 72 R + 16 R b e + 24 P + 128 for R running jobs, P processors and b
 * bins of e events.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_sizing_size(const surefill_sizing_capacity *capacity, int64_t *size);

/* Makes a sizing in the caller's memory (length bytes, at least surefill_sizing_size, aligned to 8). O(1).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_sizing_init(void *memory,
                             int64_t length,
                             const surefill_sizing_capacity *capacity,
                             surefill_sizing **sizing);

/* Begins with this number of idle processors and nothing running; what was added before is forgotten. O(1).
 *
 * Errors: OUT_OF_RANGE, TOO_MANY_PROCESSORS. */
int32_t surefill_sizing_begin(surefill_sizing *sizing, int32_t idle);

/* Adds a running job: its processors (at least 1), for how long it has run, its time limit (both in seconds, 0 to
 * SUREFILL_MAX_SECONDS) and what is believed of its run time; NULL when nothing is known but the limit. O(bins x
 * events per bin).
 *
 * Errors: OUT_OF_RANGE, TOO_MANY_PROCESSORS, OVERFULL, FULL (also for a distribution with more bins than the
 * capacity has), WRONG_STATE (before surefill_sizing_begin). */
int32_t surefill_sizing_add_running(surefill_sizing *sizing,
                                    int32_t processors,
                                    int64_t age,
                                    int64_t limit,
                                    const surefill_distribution *distribution);

/* The wait in seconds until at least this number of processors (not negative) is free, if nothing else starts, as
 * predicted by one of SUREFILL_WAIT_BY_; 0 when they are. quantile (0 to 1) is for QUANTILE and else ignored: .5
 * gives the median, 1 when they surely are. BENEFACTORS, FLUID and COMBINED take O(64 x running jobs x releases),
 * QUANTILE O(64 x running jobs x (releases + missing processors)), MEAN O(running jobs x missing processors) at
 * eight places for each job and each doubling of time.
 *
 * Errors: OUT_OF_RANGE, TOO_MANY_PROCESSORS, WRONG_STATE (before surefill_sizing_begin), NEVER (the running jobs
 * hold too few, or by BENEFACTORS there is none). */
int32_t surefill_sizing_wait(surefill_sizing *sizing,
                             int32_t processors,
                             int32_t predictor,
                             double quantile,
                             double *seconds);

/* The probability that at least this number of processors (not negative) is free wait seconds (0 to 2^40) from
 * now, if nothing else starts. O(running jobs x (releases + missing processors)).
 *
 * Errors: OUT_OF_RANGE, TOO_MANY_PROCESSORS, WRONG_STATE. */
int32_t surefill_sizing_free_probability(surefill_sizing *sizing,
                                         int32_t processors,
                                         double wait,
                                         double *probability);

/* Sets the options to their defaults: the exact mean, from one processor up to all, a second for a second, however
 * small the gain. */
int32_t surefill_choice_options_init(surefill_choice_options *options, int64_t size);
#define surefill_choice_options_init(options) surefill_choice_options_init(options, (int64_t)sizeof *(options))

/* The number of processors n with the smallest weight x wait + run time, the smaller of equal ones, for a job that
 * takes sequential seconds (0 to 2^40) on one and speeds up as surefill_speedup says. correction corrects the
 * waits; NULL for none. O(n) times the predictor's test of one wait, and 64 times as much for each n that is
 * better than those before it; by MEAN one integration for all n.
 *
 * Errors: OUT_OF_RANGE, TOO_MANY_PROCESSORS (`least`), WRONG_STATE (before surefill_sizing_begin), NEVER (neither
 * the idle nor the busy processors suffice). */
int32_t surefill_sizing_choose(surefill_sizing *sizing,
                               const surefill_choice_options *options,
                               const surefill_correction *correction,
                               double parallelism,
                               double sigma,
                               double sequential,
                               surefill_choice *choice);

/* As surefill_sizing_choose, for a job of which it is known how long it runs on how many processors: count run
 * times in seconds (0 to 2^40), the first on one processor, the next on two and so on. It takes count processors
 * at most.
 *
 * Errors: as surefill_sizing_choose; OUT_OF_RANGE also when count is less than the options' `least`. */
int32_t surefill_sizing_choose_measured(surefill_sizing *sizing,
                                        const surefill_choice_options *options,
                                        const surefill_correction *correction,
                                        const double *run_times,
                                        int32_t count,
                                        surefill_choice *choice);

/* On how many processors the job starts when this number is free: all that it can use, `most` (at least the
 * choice's) at most; or with lock_in (1) the number it waited for. processors is 0 when it goes on waiting.
 *
 * Errors: OUT_OF_RANGE (also for a lock_in that is neither 0 nor 1, and a choice of no processors). */
int32_t surefill_choice_start(const surefill_choice *choice,
                              int32_t free,
                              int32_t most,
                              int32_t lock_in,
                              int32_t *processors);

/* ---- Names of the constants, for messages and for options of programs ---------------------------------------------
 *
 * A name is the last words of a constant's own in small letters, "over budget" for SUREFILL_VERDICT_OVER_BUDGET.
 * Numbers begin with 0 (those of events and predictors with 1), so that a program can look for a word.
 *
 *     int32_t criterion = SUREFILL_CRITERION_PROBABILITY;
 *     while (strcmp(surefill_name(SUREFILL_NAME_CRITERION, criterion), "relative") != 0) criterion++;
 */

/* Family of constants: SUREFILL_STEP_. */
#define SUREFILL_NAME_STEP 0

/* Family of constants: SUREFILL_CRITERION_. */
#define SUREFILL_NAME_CRITERION 1

/* Family of constants: SUREFILL_VERDICT_. */
#define SUREFILL_NAME_VERDICT 2

/* Family of constants: SUREFILL_PRESET_. */
#define SUREFILL_NAME_PRESET 3

/* Family of constants: SUREFILL_DELAY_. */
#define SUREFILL_NAME_DELAY 4

/* Family of constants: SUREFILL_DELAY_ as a sign to be put before the delay: "=", ">=", "<=", "~" or "?". */
#define SUREFILL_NAME_DELAY_SIGN 5

/* Family of constants: SUREFILL_ANSWER_. */
#define SUREFILL_NAME_ANSWER 6

/* Family of constants: SUREFILL_EVENT_. */
#define SUREFILL_NAME_EVENT 7

/* Family of constants: SUREFILL_PREDICTION_. */
#define SUREFILL_NAME_PREDICTION 8

/* Family of constants: SUREFILL_PREDICTOR_. */
#define SUREFILL_NAME_PREDICTOR 9

/* Family of constants: SUREFILL_FIT_. */
#define SUREFILL_NAME_FIT 10

/* Family of constants: SUREFILL_SPREAD_. */
#define SUREFILL_NAME_SPREAD 11

/* The name of a constant: family is one of SUREFILL_NAME_, number one of that family's. "unknown" for other
 * numbers and families. A static string. */
const char *surefill_name(int32_t family, int32_t number);

#ifdef __cplusplus
}
#endif

#endif /* SUREFILL_H */
