/* surefill, machines of nodes that jobs share by cores, memory, GPUs and licences: who holds what, where a job finds
 * room, and by how much a candidate there delays the head job. Licence: MIT OR Apache-2.0.
 *
 * The conventions of surefill.h hold here too. Generated from src/capi (SUREFILL_BLESS=1 cargo test --test header); do
 * not edit.
 */

#ifndef SUREFILL_NODES_H
#define SUREFILL_NODES_H

#include "surefill.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Machines of nodes shared by cores, memory and GPUs -----------------------------------------------------------
 *
 * Which nodes are there, what is free on each, and which job holds what where? Every kind of resource is a whole
 * number in a unit of the caller's choice (cores, MiB, thousandths of a GPU), in the same place of every array; in
 * the example cores, GiB and GPUs.
 *
 *     static int64_t memory[1 << 17];
 *     const int32_t gpu_node[] = {64, 512, 4}, licences[] = {10};
 *     surefill_nodes_capacity capacity;
 *     surefill_request request;
 *     surefill_part parts[8];
 *     surefill_nodes *nodes;
 *     int32_t kind, first, count, job, jobs, now, ever, free[3];
 *     int64_t bytes;
 *     surefill_nodes_capacity_init(&capacity);
 *     surefill_nodes_size(&capacity, &bytes);
 *     surefill_nodes_init(memory, sizeof memory, &capacity, &nodes);
 *     surefill_nodes_add_class(nodes, 0, gpu_node, 3, &kind);
 *     surefill_nodes_add_nodes(nodes, kind, 16, &first);
 *     surefill_nodes_set_pool(nodes, licences, 1);
 *     surefill_nodes_set_open(nodes, first + 15, 0);
 *     surefill_request_init(&request);
 *     request.count = 8;
 *     request.each[2] = 1;
 *     surefill_nodes_fits(nodes, &request, &now, &ever);
 *     surefill_nodes_place(nodes, &request, SUREFILL_FIT_BEST, parts, 8, &count);
 *     if (count > 0) surefill_nodes_allocate(nodes, &request, parts, count, &job);
 *     surefill_nodes_placement(nodes, job, parts, 8, &count);
 *     surefill_nodes_free(nodes, parts[0].node, free, 3);
 *     surefill_nodes_pool_free(nodes, free, 1);
 *     surefill_nodes_seal(nodes);
 *     surefill_nodes_open(memory, sizeof memory, &nodes);
 *     surefill_nodes_release(nodes, job);
 *     surefill_nodes_count(nodes, &count, &jobs);
 */

/* The most tasks of one request. */
#define SUREFILL_MAX_TASKS 16777216

/* How tasks lie on nodes: each on a node of its own. */
#define SUREFILL_SPREAD_NODES 0

/* How tasks lie on nodes: anywhere, several may share a node. */
#define SUREFILL_SPREAD_TASKS 1

/* Nodes are tried in their order. */
#define SUREFILL_FIT_FIRST 0

/* Those nodes first on which the least would be left free, in shares of their capacity added up. */
#define SUREFILL_FIT_BEST 1

/* Those nodes first on which the head job's start would be disturbed in the fewest scenarios, by best fit among
 * equal ones. Without a head job it is SUREFILL_FIT_BEST. */
#define SUREFILL_FIT_APART 2

/* A machine of nodes: describe it once (add_class, add_nodes, set_pool), then take and give back what jobs hold.
 * Which of a node's GPUs a job has, and whether halves of two GPUs are one, is not known here: a node's resources
 * of one kind are one amount.
 *
 * Distinct machines are independent; one needs one thread, or the caller's lock. The block holds no pointers, and
 * sealed it is a checkpoint: write it to a file, read it back, open it. */
typedef struct surefill_nodes surefill_nodes;

/* Capacities of a machine of nodes. Set by surefill_nodes_capacity_init, then changed as needed. */
typedef struct surefill_nodes_capacity {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* Nodes (1 to 65,536). */
  int32_t nodes;
  /* Classes of like nodes (1 to 65,536). */
  int32_t classes;
  /* Kinds of resource on a node (1 to SUREFILL_MAX_RESOURCES). */
  int32_t resources;
  /* Jobs that hold something at the same time (0 to 1,048,576). */
  int32_t jobs;
  /* Pairs of a job and a node on which it holds something (0 to 16,777,216). */
  int32_t parts;
} surefill_nodes_capacity;

/* What a job asks for. Set by surefill_request_init, then changed as needed. */
typedef struct surefill_request {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* How many tasks (1 to SUREFILL_MAX_TASKS). */
  int32_t count;
  /* One of SUREFILL_SPREAD_: how they lie on nodes. */
  int32_t spread;
  /* Not 0: nobody else may be on its nodes. */
  int32_t exclusive;
  /* The features that a node's class must have, all of them: bits of the site's own meaning. */
  int64_t features;
  /* What each task takes of its node; not negative, 0 for kinds that the machine does not count. */
  int32_t each[8];
  /* What the whole job takes of the machine's own resources, such as licences; not negative. */
  int32_t pool[8];
} surefill_request;

/* Sets the capacity to its defaults: 1,024 nodes of 16 classes with 3 kinds of resource, 4,096 jobs, 16,384 pairs
 * of a job and a node. */
int32_t surefill_nodes_capacity_init(surefill_nodes_capacity *capacity, int64_t size);
#define surefill_nodes_capacity_init(capacity) surefill_nodes_capacity_init(capacity, (int64_t)sizeof *(capacity))

/* Sets the request to one task anywhere that takes nothing yet. */
int32_t surefill_request_init(surefill_request *request, int64_t size);
#define surefill_request_init(request) surefill_request_init(request, (int64_t)sizeof *(request))

/* Bytes of memory that a machine needs: for n nodes with r kinds of resource, c classes, j jobs and p parts at
 * most (40 + 4 r) n + 104 c + 104 j + 16 p + 512.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_nodes_size(const surefill_nodes_capacity *capacity, int64_t *size);

/* Makes a machine without nodes in the caller's memory (length bytes, at least surefill_nodes_size, aligned to 8).
 * O(length).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_nodes_init(void *memory,
                            int64_t length,
                            const surefill_nodes_capacity *capacity,
                            surefill_nodes **nodes);

/* Makes the block a checkpoint, surefill_nodes_size bytes from the handle on, by writing its checksum. Any later
 * call that changes the machine breaks the seal. O(size). */
int32_t surefill_nodes_seal(surefill_nodes *nodes);

/* Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as surefill_nodes_seal
 * left it. Handles of jobs stay what they were. O(size). */
int32_t surefill_nodes_open(void *memory, int64_t length, surefill_nodes **nodes);

/* Adds a class of nodes with these features (bits of the site's own meaning) and amounts of count kinds of
 * resource, none negative. index is the class's, from 0. O(1).
 *
 * Errors: OUT_OF_RANGE (amounts of kinds that the capacity does not count), FULL. */
int32_t surefill_nodes_add_class(surefill_nodes *nodes,
                                 int64_t features,
                                 const int32_t *amounts,
                                 int32_t count,
                                 int32_t *index);

/* Adds count empty nodes of a class. first is the index of the first of them. O(count).
 *
 * Errors: NO_SUCH_INDEX (class), OUT_OF_RANGE, FULL. */
int32_t surefill_nodes_add_nodes(surefill_nodes *nodes, int32_t class_index, int32_t count, int32_t *first);

/* Sets the resources of the whole machine, such as licences: count amounts, none negative. What jobs hold of them
 * stays theirs. O(1).
 *
 * Errors: OUT_OF_RANGE (also for less than is in use). */
int32_t surefill_nodes_set_pool(surefill_nodes *nodes, const int32_t *amounts, int32_t count);

/* Opens a node for new jobs (is_open not 0), or closes it (drained, down). Jobs on it stay until they are
 * released. O(1).
 *
 * Errors: NO_SUCH_INDEX. */
int32_t surefill_nodes_set_open(surefill_nodes *nodes, int32_t node, int32_t is_open);

/* How many nodes there are, and how many jobs hold something. O(1). */
int32_t surefill_nodes_count(const surefill_nodes *nodes, int32_t *count, int32_t *jobs);

/* What is free on a node of the first count kinds of resource; nothing on a node that one job holds alone. O(1).
 *
 * Errors: NO_SUCH_INDEX, OUT_OF_RANGE (count). */
int32_t surefill_nodes_free(const surefill_nodes *nodes, int32_t node, int32_t *amounts, int32_t count);

/* What is free of the first count of the whole machine's resources. O(1).
 *
 * Errors: OUT_OF_RANGE (count). */
int32_t surefill_nodes_pool_free(const surefill_nodes *nodes, int32_t *amounts, int32_t count);

/* Whether a request fits what is free (now 1 or 0), and whether it could ever: on the machine with all its nodes
 * empty, those closed left out (ever 1 or 0). O(nodes).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_nodes_fits(const surefill_nodes *nodes,
                            const surefill_request *request,
                            int32_t *now,
                            int32_t *ever);

/* Finds nodes for a request by one of SUREFILL_FIT_, in the order of the nodes: count parts, 0 where it does not
 * fit. room is how many parts there is room for; as many as the request's tasks, or the nodes if these are fewer,
 * are always enough. Nothing is taken. O(nodes log count).
 *
 * Errors: OUT_OF_RANGE, FULL (room; parts may have been written then). */
int32_t surefill_nodes_place(surefill_nodes *nodes,
                             const surefill_request *request,
                             int32_t fit,
                             surefill_part *parts,
                             int32_t room,
                             int32_t *count);

/* Takes what a request asks for on count nodes, which come in increasing order. job is the job's handle. After
 * surefill_nodes_release it is unknown until other jobs have had its place 2,048 times. O(count).
 *
 * Errors: OUT_OF_RANGE (also for nodes out of order and parts without tasks), NO_SUCH_INDEX (node), DOES_NOT_FIT
 * (also when the tasks are not as many as asked for), FULL. */
int32_t surefill_nodes_allocate(surefill_nodes *nodes,
                                const surefill_request *request,
                                const surefill_part *parts,
                                int32_t count,
                                int32_t *job);

/* Gives back all that a job holds. O(its nodes).
 *
 * Errors: UNKNOWN_JOB. */
int32_t surefill_nodes_release(surefill_nodes *nodes, int32_t job);

/* Where a job is: count parts in increasing order of nodes, for which there must be room. O(its nodes).
 *
 * Errors: OUT_OF_RANGE (room), UNKNOWN_JOB, FULL (room). */
int32_t surefill_nodes_placement(const surefill_nodes *nodes,
                                 int32_t job,
                                 surefill_part *parts,
                                 int32_t room,
                                 int32_t *count);

/* ---- The scheduling pass on a machine of nodes --------------------------------------------------------------------
 *
 * Which candidates may start though the head job has to wait, and on which nodes? Running jobs' run times are drawn
 * together in scenarios, each is played forward until the head job fits, and every candidate is judged on the same
 * scenarios with it still there. A delay comes with a half-width, and there are more scenarios only while delay and
 * threshold are not apart. Pools of whole, like nodes are better served by surefill_pass, which is exact.
 *
 *     static int64_t machine[1 << 12], memory[1 << 16];
 *     const int32_t cores[] = {8};
 *     surefill_nodes_capacity capacity;
 *     surefill_node_pass_capacity pass_capacity;
 *     surefill_request half, whole;
 *     surefill_part part = {0, 1};
 *     surefill_rule rule;
 *     surefill_nodes *nodes;
 *     surefill_node_pass *pass;
 *     surefill_node_pass_options options;
 *     double spent, seconds, half_width;
 *     int64_t bytes;
 *     int32_t kind, first, job, step, candidate, started = 0;
 *     surefill_nodes_capacity_init(&capacity);
 *     capacity.nodes = 2;
 *     capacity.jobs = capacity.parts = 8;
 *     surefill_nodes_init(machine, sizeof machine, &capacity, &nodes);
 *     surefill_nodes_add_class(nodes, 0, cores, 1, &kind);
 *     surefill_nodes_add_nodes(nodes, kind, 2, &first);
 *     surefill_request_init(&half);
 *     half.each[0] = 4;
 *     surefill_nodes_allocate(nodes, &half, &part, 1, &job);
 *     surefill_request_init(&whole);
 *     whole.count = 2;
 *     whole.each[0] = 8;
 *     surefill_node_pass_capacity_init(&pass_capacity);
 *     pass_capacity.nodes = 2;
 *     pass_capacity.running = pass_capacity.candidates = pass_capacity.parts = 8;
 *     surefill_node_pass_size(&pass_capacity, &bytes);
 *     surefill_node_pass_init(memory, sizeof memory, &pass_capacity, &pass);
 *     surefill_node_pass_options_init(&options);
 *     options.scenarios = 128;
 *     surefill_node_pass_begin(pass, nodes, 1000000, 7, &whole, 900, &options);
 *     surefill_node_pass_add_running(pass, nodes, job, 600, 7200, NULL, NULL);
 *     surefill_node_pass_set_group(pass, 0, 1000);
 *     surefill_node_pass_add_candidate(pass, nodes, &half, SUREFILL_FIT_APART, 3600, NULL, NULL);
 *     surefill_rule_init(&rule);
 *     do {
 *         surefill_node_pass_decide(pass, nodes, &rule, 1000000, &step, &candidate);
 *         if (step == SUREFILL_STEP_ACCEPT && started) surefill_node_pass_commit(pass, nodes, candidate, &job);
 *         if (step == SUREFILL_STEP_ACCEPT && !started) surefill_node_pass_decline(pass, candidate);
 *     } while (step != SUREFILL_STEP_DONE);
 *     surefill_node_pass_spent(pass, SUREFILL_CRITERION_RELATIVE, &spent);
 *     surefill_node_pass_head_wait(pass, &seconds, &half_width);
 */

/* One scheduling pass on a machine of nodes: begin, add running jobs and candidates, decide and commit until it is
 * done, then begin again. Jobs on the machine that are not added as running hold what they have beyond all
 * scenarios. From begin to the end of its decisions the machine may change by surefill_node_pass_commit only: else
 * calls give WRONG_STATE. Candidates are judged in the order in which they were added, numbered from 0.
 *
 * Distinct passes are independent; one pass and its machine need one thread, or the caller's lock. The block holds
 * no pointers. */
typedef struct surefill_node_pass surefill_node_pass;

/* Capacities of a pass on a machine of nodes. Set by surefill_node_pass_capacity_init, then changed as needed. */
typedef struct surefill_node_pass_capacity {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* Nodes of the machine (1 to 65,536). */
  int32_t nodes;
  /* Kinds of resource on a node (1 to SUREFILL_MAX_RESOURCES); as many as the machine counts. */
  int32_t resources;
  /* Running jobs (0 to 1,048,576). */
  int32_t running;
  /* Candidates (0 to 1,048,576). */
  int32_t candidates;
  /* Nodes of the candidates that fit, together: the tasks of each, or the machine's nodes where these are fewer (0
   * to 16,777,216). */
  int32_t parts;
  /* Bins of the distributions (1 to SUREFILL_MAX_BINS). */
  int32_t bins;
  /* Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN). */
  int32_t events_per_bin;
} surefill_node_pass_capacity;

/* How many scenarios a pass plays, and how sure it must be. Set by surefill_node_pass_options_init, then changed
 * as needed. */
typedef struct surefill_node_pass_options {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* The most scenarios (64 to SUREFILL_MAX_SCENARIOS); 0 for none: then a candidate is accepted exactly if EASY
   * would start it by the time limits, whatever the criterion and the threshold, with a delay of 0. */
  int32_t scenarios;
  /* The seed of the run times; any number. */
  int64_t seed;
  /* The confidence of the half-widths (above 0, below 1), all looks at a candidate together. */
  double confidence;
  /* In which share of the scenarios a running job that belongs to a group (surefill_node_pass_set_group) has the
   * group's draw, not its own (0 to 1). */
  double shared;
} surefill_node_pass_options;

/* Sets the capacity to its defaults: 1,024 nodes with 3 kinds of resource, 1,024 running jobs, 256 candidates on
 * 4,096 nodes, 32 bins of 4 events. */
int32_t surefill_node_pass_capacity_init(surefill_node_pass_capacity *capacity, int64_t size);
#define surefill_node_pass_capacity_init(capacity) surefill_node_pass_capacity_init(capacity, (int64_t)sizeof *(capacity))

/* Sets the options to their defaults: at most 256 scenarios of seed 0, half-widths of .95 confidence, every job
 * with draws of its own. */
int32_t surefill_node_pass_options_init(surefill_node_pass_options *options, int64_t size);
#define surefill_node_pass_options_init(options) surefill_node_pass_options_init(options, (int64_t)sizeof *(options))

/* Bytes of memory that a pass needs: for n nodes with k kinds of resource, R running jobs, Q candidates with p
 * parts and b bins of e events at most 24 (R + Q + 1) b e + (56 + 4 k) n + 176 R + 408 Q + 24 p + 600.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_node_pass_size(const surefill_node_pass_capacity *capacity, int64_t *size);

/* Makes a pass in the caller's memory (length bytes, at least surefill_node_pass_size, aligned to 8). O(1).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_node_pass_init(void *memory,
                                int64_t length,
                                const surefill_node_pass_capacity *capacity,
                                surefill_node_pass **pass);

/* Begins a pass at time now (seconds since any fixed origin, within 2^53 of it) for a head job that does not fit
 * the machine now and has waited for head_waited seconds (0 to SUREFILL_MAX_SECONDS; the rule's guard and slip ask
 * for it). Options may be NULL for the defaults. Forgets what the last pass held, except what is spent if it was
 * for the same head job. O(nodes).
 *
 * Errors: OUT_OF_RANGE (also for a machine with more nodes or other resources than the capacity says), HEAD_FITS. */
int32_t surefill_node_pass_begin(surefill_node_pass *pass,
                                 const surefill_nodes *nodes,
                                 int64_t now,
                                 int64_t head_id,
                                 const surefill_request *head,
                                 int64_t head_waited,
                                 const surefill_node_pass_options *options);

/* Adds a running job by its handle on the machine: for how long it has run, its time limit (both in seconds, 0 to
 * SUREFILL_MAX_SECONDS) and what is believed of its run time; NULL when nothing is known but the limit. Each job
 * is added once: added twice it would give its nodes back twice. index is its number, from 0; it may be NULL.
 * O(bins x events per bin).
 *
 * Errors: OUT_OF_RANGE, UNKNOWN_JOB, FULL (also for more bins than the capacity has), WRONG_STATE. */
int32_t surefill_node_pass_add_running(surefill_node_pass *pass,
                                       const surefill_nodes *nodes,
                                       int32_t job,
                                       int64_t age,
                                       int64_t limit,
                                       const surefill_distribution *distribution,
                                       int32_t *index);

/* Puts a running job, by its number in this pass, into a group, of a number of the caller's own: jobs of one user
 * and kind, of which one that runs long says that the others do. How much they have in common is the options'
 * shared. O(1).
 *
 * Errors: NO_SUCH_INDEX, WRONG_STATE. */
int32_t surefill_node_pass_set_group(surefill_node_pass *pass, int32_t running, int64_t group);

/* Adds a candidate for backfilling behind those added before: its request, by which of SUREFILL_FIT_ nodes are
 * found for it, its time limit in seconds and what is believed of its run time; NULL when nothing is known but the
 * limit. The nodes are found anew when an earlier candidate has been given some of them. index is its number, from
 * 0; it may be NULL. O(nodes + bins x events per bin).
 *
 * Errors: as surefill_node_pass_add_running, but UNKNOWN_JOB; FULL also for more nodes of candidates than the
 * capacity has parts. */
int32_t surefill_node_pass_add_candidate(surefill_node_pass *pass,
                                         const surefill_nodes *nodes,
                                         const surefill_request *request,
                                         int32_t fit,
                                         int64_t limit,
                                         const surefill_distribution *distribution,
                                         int32_t *index);

/* Adds a candidate with the caller's own placement, count parts in increasing order of nodes. When an earlier
 * candidate has been given some of these nodes, it does not fit any more. index is its number, from 0; it may be
 * NULL. O(parts + bins x events per bin).
 *
 * Errors: as surefill_node_pass_add_candidate and surefill_nodes_allocate. */
int32_t surefill_node_pass_add_placed(surefill_node_pass *pass,
                                      const surefill_nodes *nodes,
                                      const surefill_request *request,
                                      const surefill_part *parts,
                                      int32_t count,
                                      int64_t limit,
                                      const surefill_distribution *distribution,
                                      int32_t *index);

/* Decides until a candidate is accepted, all are decided, or about work steps are done (at least 1; a step is an
 * end of a running job, a node that one gives back, or a part of a candidate; one scenario is never interrupted,
 * nor is setting up: 34 scenarios and O(nodes) for each candidate). step is one of SUREFILL_STEP_; candidate is
 * the accepted candidate's number, -1 for the other steps. What is decided does not depend on work. The rule may
 * change only where a decision is complete, not after MORE.
 *
 * A scenario costs O(R log R + n + p) for R running jobs, n nodes and p parts of jobs, and with the criteria
 * SECONDS and RELATIVE one look at each candidate that keeps the head job waiting at each later end of a running
 * job. Every acceptance that is committed starts the scenarios anew.
 *
 * Errors: OUT_OF_RANGE (also for the criterion BOUND, which is not known here), WRONG_STATE (no pass has begun, an
 * accepted candidate waits for its commit, the rule changed after MORE, or the machine has changed). */
int32_t surefill_node_pass_decide(surefill_node_pass *pass,
                                  const surefill_nodes *nodes,
                                  const surefill_rule *rule,
                                  int64_t work,
                                  int32_t *step,
                                  int32_t *candidate);

/* Starts the accepted candidate on its nodes: a running job of the machine from now on, with the handle job, its
 * delay spent. A forecast that begins later does not see that it runs: surefill_node_forecast_add_running says it
 * with this handle, or the job holds its nodes in all scenarios. O(candidates).
 *
 * Errors: WRONG_STATE, NO_SUCH_INDEX (not the accepted one), FULL (no room on the machine for another job). */
int32_t surefill_node_pass_commit(surefill_node_pass *pass, surefill_nodes *nodes, int32_t candidate, int32_t *job);

/* Gives the accepted candidate up, because it could not be started after all. O(1).
 *
 * Errors: WRONG_STATE, NO_SUCH_INDEX (not the accepted one). */
int32_t surefill_node_pass_decline(surefill_node_pass *pass, int32_t candidate);

/* A candidate's verdict so far: the delay of the head job in the criterion's unit (0 while not judged), how far
 * that may be from what infinitely many scenarios would say, the scenarios on which it rests, and one of
 * SUREFILL_VERDICT_. O(1).
 *
 * Errors: NO_SUCH_INDEX. */
int32_t surefill_node_pass_judgement(const surefill_node_pass *pass,
                                     int32_t candidate,
                                     double *delay,
                                     double *half_width,
                                     int32_t *scenarios,
                                     int32_t *verdict);

/* Where a candidate is judged to be: count parts in increasing order of nodes, for which there must be room; none
 * as long as it is not placed, or where it does not fit. O(parts).
 *
 * Errors: OUT_OF_RANGE (room), NO_SUCH_INDEX, FULL (room). */
int32_t surefill_node_pass_placement(const surefill_node_pass *pass,
                                     int32_t candidate,
                                     surefill_part *parts,
                                     int32_t room,
                                     int32_t *count);

/* The delays of committed candidates added up for the present head job, by the criterion they were judged by. What
 * was judged by RELATIVE counts in SECONDS too. O(1).
 *
 * Errors: OUT_OF_RANGE (criterion). */
int32_t surefill_node_pass_spent(const surefill_node_pass *pass, int32_t criterion, double *spent);

/* The head job's expected wait from now on in seconds, over the scenarios played since the last acceptance, and
 * how far that may be from what infinitely many would say. O(1).
 *
 * Errors: WRONG_STATE (none are played). */
int32_t surefill_node_pass_head_wait(const surefill_node_pass *pass, double *seconds, double *half_width);

/* ---- Starts of waiting jobs on a machine of nodes: the queue played forward ---------------------------------------
 *
 * When will each waiting job start on nodes that jobs share? As surefill_forecast, with the nodes saying what fits:
 * in every scenario each job has one run time, and each waiting job is put where surefill_nodes_place would put it.
 * What the answers mean is said there. More than one reservation is not played on nodes.
 *
 *     static int64_t machine[1 << 12], memory[1 << 16];
 *     const int32_t cores[] = {8};
 *     surefill_nodes_capacity capacity;
 *     surefill_node_forecast_capacity limits;
 *     surefill_forecast_options options;
 *     surefill_request half, whole;
 *     surefill_part part = {0, 1};
 *     surefill_nodes *nodes;
 *     surefill_node_forecast *forecast;
 *     double probability, seconds, half_width;
 *     int64_t bytes, when;
 *     int32_t kind, first, job, step;
 *     surefill_nodes_capacity_init(&capacity);
 *     capacity.nodes = 2;
 *     capacity.jobs = capacity.parts = 8;
 *     surefill_nodes_init(machine, sizeof machine, &capacity, &nodes);
 *     surefill_nodes_add_class(nodes, 0, cores, 1, &kind);
 *     surefill_nodes_add_nodes(nodes, kind, 2, &first);
 *     surefill_request_init(&half);
 *     half.each[0] = 4;
 *     surefill_nodes_allocate(nodes, &half, &part, 1, &job);
 *     surefill_request_init(&whole);
 *     whole.count = 2;
 *     whole.each[0] = 8;
 *     surefill_node_forecast_capacity_init(&limits);
 *     limits.nodes = 2;
 *     limits.running = limits.waiting = limits.parts = 8;
 *     surefill_node_forecast_size(&limits, &bytes);
 *     surefill_node_forecast_init(memory, sizeof memory, &limits, &forecast);
 *     surefill_forecast_options_init(&options);
 *     surefill_node_forecast_begin(forecast, nodes, 1000000, &options);
 *     surefill_node_forecast_add_running(forecast, nodes, job, 600, 7200, NULL, NULL);
 *     surefill_node_forecast_add_waiting(forecast, nodes, &whole, SUREFILL_FIT_BEST, 16, 3600, 999000, NULL, NULL);
 *     do {
 *         surefill_node_forecast_run(forecast, nodes, 100000, &step);
 *     } while (step == SUREFILL_STEP_MORE);
 *     surefill_node_forecast_start_quantile(forecast, 0, 0.9, &when, &half_width);
 *     surefill_node_forecast_start_probability(forecast, 0, 1010000, &probability, &half_width);
 *     surefill_node_forecast_start_mean(forecast, 0, &seconds, &half_width);
 */

/* When all waiting jobs will start on a machine of nodes: begin, add running jobs and, in the order of the queue,
 * waiting jobs, run until it is done, then ask. Jobs on the machine that are not added as running hold what they
 * have in all scenarios. From begin to the end of the run the machine may not change: else calls give WRONG_STATE.
 * Waiting jobs are numbered from 0 in the order in which they were added. On whole, like nodes with one task on
 * each the answers are those of surefill_forecast, bit for bit.
 *
 * Distinct forecasts are independent; one forecast and its machine need one thread, or the caller's lock. The
 * block holds no pointers. */
typedef struct surefill_node_forecast surefill_node_forecast;

/* Capacities of a forecast on a machine of nodes. Set by surefill_node_forecast_capacity_init, then changed as
 * needed. */
typedef struct surefill_node_forecast_capacity {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* Nodes of the machine (1 to 65,536). */
  int32_t nodes;
  /* Classes of like nodes (1 to 65,536). */
  int32_t classes;
  /* Kinds of resource on a node (1 to SUREFILL_MAX_RESOURCES); as many as the machine counts. */
  int32_t resources;
  /* Running jobs (0 to 1,048,576). */
  int32_t running;
  /* Waiting jobs (0 to 1,048,576). */
  int32_t waiting;
  /* Nodes of the waiting jobs, together: the tasks of each, or the machine's nodes where these are fewer (0 to
   * 16,777,216). */
  int32_t parts;
  /* Bins of the distributions (1 to SUREFILL_MAX_BINS). */
  int32_t bins;
  /* Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN). */
  int32_t events_per_bin;
  /* Scenarios (2 to SUREFILL_MAX_SCENARIOS). */
  int32_t scenarios;
} surefill_node_forecast_capacity;

/* Sets the capacity to its defaults: 1,024 nodes of 16 classes with 3 kinds of resource, 1,024 running jobs, 256
 * waiting ones on 4,096 nodes, 32 bins of 4 events, 200 scenarios. */
int32_t surefill_node_forecast_capacity_init(surefill_node_forecast_capacity *capacity, int64_t size);
#define surefill_node_forecast_capacity_init(capacity) surefill_node_forecast_capacity_init(capacity, (int64_t)sizeof *(capacity))

/* Bytes of memory that a forecast needs: what surefill_forecast_size says for as many jobs, bins and scenarios,
 * and for n nodes with r kinds of resource, c classes, R running and W waiting jobs with p nodes together at most
 * (68 + 8 r) n + 208 c + 4 R + 112 W + 8 p + 900 more.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_node_forecast_size(const surefill_node_forecast_capacity *capacity, int64_t *size);

/* Makes a forecast in the caller's memory (length bytes, at least surefill_node_forecast_size, aligned to 8).
 * O(1).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_node_forecast_init(void *memory,
                                    int64_t length,
                                    const surefill_node_forecast_capacity *capacity,
                                    surefill_node_forecast **forecast);

/* Begins a forecast at time now (seconds since any fixed origin, within 2^53 of it). The options are those of
 * surefill_forecast, with at most one reservation. Forgets what the last forecast held. O(nodes + classes).
 *
 * Errors: OUT_OF_RANGE (also for a machine with more nodes or classes, or other resources, than the capacity
 * says). */
int32_t surefill_node_forecast_begin(surefill_node_forecast *forecast,
                                     const surefill_nodes *nodes,
                                     int64_t now,
                                     const surefill_forecast_options *options);

/* Adds a running job by its handle on the machine: for how long it has run, its time limit (both in seconds, 0 to
 * SUREFILL_MAX_SECONDS) and what is believed of its run time; NULL when nothing is known but the limit. Each job
 * is added once: added twice it would give its nodes back twice. index is its number, from 0; it may be NULL.
 * O(bins x events per bin).
 *
 * Errors: OUT_OF_RANGE, UNKNOWN_JOB, FULL (also for more bins than the capacity has), WRONG_STATE. */
int32_t surefill_node_forecast_add_running(surefill_node_forecast *forecast,
                                           const surefill_nodes *nodes,
                                           int32_t job,
                                           int64_t age,
                                           int64_t limit,
                                           const surefill_distribution *distribution,
                                           int32_t *index);

/* Adds a waiting job behind those added before: its request, by which of SUREFILL_FIT_ nodes are found for it, how
 * many processors the priorities of the options count for it, its time limit in seconds (0 to
 * SUREFILL_MAX_SECONDS), when it was submitted (a submission ahead counts as for surefill_forecast), and what is
 * believed of its run time; NULL when nothing is known but the limit. With SUREFILL_FIT_APART those nodes come
 * last on which the head job finds room when it is planned to start. index is its number, from 0; it may be NULL.
 * O(bins x events per bin).
 *
 * Errors: as surefill_node_forecast_add_running, but UNKNOWN_JOB; FULL also for more nodes of waiting jobs than
 * the capacity has parts. */
int32_t surefill_node_forecast_add_waiting(surefill_node_forecast *forecast,
                                           const surefill_nodes *nodes,
                                           const surefill_request *request,
                                           int32_t fit,
                                           int32_t processors,
                                           int64_t limit,
                                           int64_t submit,
                                           const surefill_distribution *distribution,
                                           int32_t *index);

/* Plays scenarios until all are played (step is SUREFILL_STEP_DONE), or about work steps are done
 * (SUREFILL_STEP_MORE; work is at least 1; one instant of a scenario is never interrupted). A step is an event, a
 * job looked at, or eight nodes looked at.
 *
 * A scenario costs what it costs in surefill_forecast, O(nodes) for each job that is looked for room, and O(nodes
 * + parts of the running jobs) at each instant at which a job might overtake; a job that found no room is looked
 * at again only when a node has become free on which one of its tasks finds room.
 *
 * Errors: OUT_OF_RANGE, WRONG_STATE (no forecast has begun, or the machine has changed). */
int32_t surefill_node_forecast_run(surefill_node_forecast *forecast,
                                   const surefill_nodes *nodes,
                                   int64_t work,
                                   int32_t *step);

/* As surefill_forecast_start_quantile; NEVER for a job that finds no room when all running jobs have ended. O(1).
 *
 * Errors: OUT_OF_RANGE, WRONG_STATE (not done yet), NO_SUCH_INDEX, NEVER. */
int32_t surefill_node_forecast_start_quantile(const surefill_node_forecast *forecast,
                                              int32_t job,
                                              double probability,
                                              int64_t *when,
                                              double *half_width);

/* As surefill_forecast_start_probability. O(log scenarios).
 *
 * Errors: WRONG_STATE (not done yet), NO_SUCH_INDEX. */
int32_t surefill_node_forecast_start_probability(const surefill_node_forecast *forecast,
                                                 int32_t job,
                                                 int64_t when,
                                                 double *probability,
                                                 double *half_width);

/* As surefill_forecast_start_mean. O(scenarios).
 *
 * Errors: WRONG_STATE (not done yet), NO_SUCH_INDEX, NEVER. */
int32_t surefill_node_forecast_start_mean(const surefill_node_forecast *forecast,
                                          int32_t job,
                                          double *seconds,
                                          double *half_width);

#ifdef __cplusplus
}
#endif

#endif /* SUREFILL_NODES_H */
