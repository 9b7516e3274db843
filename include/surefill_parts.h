/* surefill, the parts of a scheduler: what a program links that builds its own, or asks one question. The backfill
 * pass, forecasts of starts, the queue's order, machines of nodes, predictors of run times, bounds on waits, sizes of
 * malleable jobs; then the models for research: the hidden Markov model by itself and on line, order statistics,
 * lifetimes. Licence: MIT OR Apache-2.0.
 *
 * Less stable than surefill.h, whose conventions hold here too: a function of this header may change or go with the
 * next minor version. Generated from src/capi (SUREFILL_BLESS=1 cargo test --test header); do not edit.
 */

#ifndef SUREFILL_PARTS_H
#define SUREFILL_PARTS_H

#include "surefill.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The scheduling pass ------------------------------------------------------------------------------------------
 *
 * Which candidates may start though the head job has to wait? One object serves all passes over a pool: begin, add,
 * decide.
 *
 *     static int64_t memory[1 << 20];
 *     surefill_pass_capacity capacity;
 *     surefill_rule rule;
 *     surefill_pass *pass;
 *     int32_t step, candidate;
 *     surefill_pass_capacity_init(&capacity);
 *     surefill_rule_init(&rule);
 *     surefill_pass_init(memory, sizeof memory, &capacity, &pass);
 *     surefill_pass_begin(pass, 1000000, 16, 7, 48, 900);
 *     surefill_pass_add_running(pass, 32, 600, 7200, NULL, NULL);
 *     surefill_pass_add_candidate(pass, 16, 3600, NULL, NULL);
 *     do {
 *         surefill_pass_decide(pass, &rule, 1000000, &step, &candidate);
 *         if (step == SUREFILL_STEP_ACCEPT) surefill_pass_commit(pass, candidate);
 *     } while (step != SUREFILL_STEP_DONE);
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

/* Verdict: accepted, but not started. Only Rust's passes decline. */
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
  /* Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN): 4 unless changed. */
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
  /* Not 0: delays are computed no further than the verdicts need. That of what or_easy accepts is left unmeasured
   * (SUREFILL_DELAY_NOT_MEASURED) and not spent. With the criteria SECONDS and RELATIVE the others are bracketed
   * by a few instants, and brackets that settle a verdict are reported: at most this where accepted
   * (SUREFILL_DELAY_AT_MOST, and spent), at least this where refused. The decisions are the same. A finite budget
   * or slip needs every delay: with one, all are measured. 0 by default. */
  int32_t unmeasured;
} surefill_rule;

/* A job of a pass. An array of these has the struct_size that the program sets in its first. */
typedef struct surefill_pass_job {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* Its processors, at least 1. */
  int32_t processors;
  /* For how long it has run, in seconds; 0 for a candidate. */
  int64_t age;
  /* Its time limit in seconds. */
  int64_t limit;
  /* Its predicted run time; NULL when nothing is known but the limit. */
  const surefill_distribution *distribution;
} surefill_pass_job;

/* Sets the capacity to its defaults: 256 running jobs, 256 candidates, 1,024 processors, 32 bins of 4 events. */
int32_t surefill_pass_capacity_init(surefill_pass_capacity *capacity, int64_t size);
#define surefill_pass_capacity_init(capacity) surefill_pass_capacity_init(capacity, (int64_t)sizeof *(capacity))

/* Sets the rule to its defaults: expected delay below 0.3 of the head job's expected remaining wait, or what EASY
 * would start; no guard, budget or slip, and every delay measured. */
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
 * SUREFILL_MAX_SECONDS) and its predicted run time; NULL when nothing is known but the limit. index is its number,
 * from 0; it may be NULL. O(bins x events per bin).
 *
 * Errors: OUT_OF_RANGE, TOO_MANY_PROCESSORS, OVERFULL, FULL (also for more bins than the capacity has),
 * WRONG_STATE. */
int32_t surefill_pass_add_running(surefill_pass *pass,
                                  int32_t processors,
                                  int64_t age,
                                  int64_t limit,
                                  const surefill_distribution *distribution,
                                  int32_t *index);

/* Adds a candidate for backfilling behind those added before: its processors (at least 1), its time limit in
 * seconds and its predicted run time; NULL when nothing is known but the limit. index is its number, from 0; it
 * may be NULL. O(bins x events per bin).
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

/* Starts the accepted candidate: a running job of this pass from now on, its delay spent. Where it could not be
 * started after all, begin again without it. O(candidates).
 *
 * Errors: WRONG_STATE, NO_SUCH_INDEX (not the accepted one). */
int32_t surefill_pass_commit(surefill_pass *pass, int32_t candidate);

/* A candidate's verdict so far: the delay of the head job in the criterion's unit, how that relates to the true
 * delay (one of SUREFILL_DELAY_), and one of SUREFILL_VERDICT_. O(1).
 *
 * Errors: NO_SUCH_INDEX. */
int32_t surefill_pass_judgement(const surefill_pass *pass,
                                int32_t candidate,
                                double *delay,
                                int32_t *exactness,
                                int32_t *verdict);

/* The idle processors left. O(1). */
int32_t surefill_pass_idle(const surefill_pass *pass, int32_t *idle);

/* Adds the running jobs of an array with count jobs, in its order: all of them or none. wrong is the place in the
 * array of the first that is refused, whose error is returned; -1 where none is. It may be NULL. The jobs' numbers
 * follow those of the jobs added before. O(count x bins x events per bin).
 *
 * Errors: as surefill_pass_add_running; NO_STRUCT_SIZE, OUT_OF_RANGE also for a negative count. */
int32_t surefill_pass_add_running_many(surefill_pass *pass,
                                       const surefill_pass_job *jobs,
                                       int32_t count,
                                       int32_t *wrong);

/* Adds the candidates of an array with count jobs behind those added before, in its order: all of them or none.
 * wrong is the place in the array of the first that is refused, whose error is returned; -1 where none is. It may
 * be NULL. O(count x bins x events per bin).
 *
 * Errors: as surefill_pass_add_running_many; OUT_OF_RANGE also for a candidate with an age. */
int32_t surefill_pass_add_candidates_many(surefill_pass *pass,
                                          const surefill_pass_job *jobs,
                                          int32_t count,
                                          int32_t *wrong);

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

/* The quantiles of the head job's start, see surefill_pass_head_start_quantile, for count probabilities
 * (ascending) by one walk over the events: about work multiply-adds a call (at least 1), counted like those of
 * surefill_pass_decide. step is SUREFILL_STEP_DONE when all are known; after SUREFILL_STEP_MORE call again with
 * the same probabilities and whens. A decision, or another question, gives up one under way. With E events and c
 * processors still missing for the head job it costs about E c multiply-adds. All are exact, also where many jobs
 * may end in one second.
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
 * When will each waiting job start? In every scenario each job has one run time, drawn from its predicted
 * distribution, and the queue is played forward under the policy in force until everything that waits has started. A
 * job's starts over all scenarios are its forecast. Jobs that arrive later are not foreseen, except those that are
 * added with a time of submission ahead; predictions of run times are taken as true, and what of them lies beyond a
 * job's limit ends at the limit.
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

/* Options of a forecast. Set by surefill_forecast_options_init, then changed as needed. */
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
  /* Number of scenarios that are played (2 to the capacity). */
  int32_t scenarios;
  /* The seed of the run times; any number. */
  int64_t seed;
  /* The confidence of the half-widths (above 0, below 1). */
  double confidence;
  /* The queue's order, anew in each pass: smaller values of median^run_time x processors^processors / (1 + waited
   * / age_unit)^age first, with the forecast's median of the run time in seconds, at least 10. With no power but 0
   * and an infinite front it is the order in which waiting jobs are added, which also decides between equal ones.
   * This is the power of the run time (-8 to 8), above 0 for short jobs first. */
  double queue_run_time;
  /* The power of the processors (-8 to 8), below 0 for wide jobs first. */
  double queue_processors;
  /* The wait that counts as one, in seconds, above 0. */
  double queue_age_unit;
  /* The power of the age (0 to 8). */
  double queue_age;
  /* With SUREFILL_ORDER_PRIORITY: the candidates' order, likewise. */
  double candidate_run_time;
  /* The power of the processors, see queue_processors. */
  double candidate_processors;
  /* The wait that counts as one, see queue_age_unit. */
  double candidate_age_unit;
  /* The power of the age, see queue_age. */
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
 * this is at most 16 (R + W) b e + 8 W N + 128 R + 256 W + 800.
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
 * SUREFILL_MAX_SECONDS) and its predicted run time; NULL when nothing is known but the limit. index is its number,
 * from 0; it may be NULL. O(bins x events per bin).
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
 * SUREFILL_MAX_SECONDS), when it was submitted, and its predicted run time; NULL when nothing is known but the
 * limit. A job with a submission ahead (by at most SUREFILL_MAX_SECONDS) joins the queue then, in the order in
 * which it was added: an arrival that is expected, or a job held until then. A job wider than all idle and running
 * processors together never starts, and those behind it go on as if it were not there, under FCFS too. index is
 * its number, from 0; it may be NULL. O(bins x events per bin).
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

/* ---- Machines of nodes shared by cores, memory and GPUs -----------------------------------------------------------
 *
 * Which nodes are there, what is free on each, and which job holds what where? Every kind of resource is a whole
 * number in a unit of the caller's choice (cores, MiB, thousandths of a GPU), under the same index in every array; in
 * the example cores, GiB and GPUs.
 *
 *     static int64_t memory[1 << 17];
 *     const int32_t gpu_node[] = {64, 512, 4};
 *     surefill_nodes_capacity capacity;
 *     surefill_request request;
 *     surefill_part parts[8];
 *     surefill_nodes *nodes;
 *     int32_t kind, first, count, job;
 *     surefill_nodes_capacity_init(&capacity);
 *     surefill_nodes_init(memory, sizeof memory, &capacity, &nodes);
 *     surefill_nodes_add_class(nodes, 0, gpu_node, 3, &kind);
 *     surefill_nodes_add_nodes(nodes, kind, 16, &first);
 *     surefill_nodes_set_open(nodes, first + 15, 0);
 *     surefill_request_init(&request);
 *     request.count = 8;
 *     request.each[2] = 1;
 *     surefill_nodes_place(nodes, &request, SUREFILL_FIT_BEST, parts, 8, &count);
 *     if (count > 0) surefill_nodes_allocate(nodes, &request, parts, count, &job);
 *     surefill_nodes_release(nodes, job);
 */

/* Spread of tasks over nodes: each on a node of its own. */
#define SUREFILL_SPREAD_NODES 0

/* Spread of tasks over nodes: anywhere, several may share a node. */
#define SUREFILL_SPREAD_TASKS 1

/* Nodes are tried in their order. */
#define SUREFILL_FIT_FIRST 0

/* Those nodes first on which the least would be left free, in shares of their capacity added up. */
#define SUREFILL_FIT_BEST 1

/* Those nodes first on which the head job's start would be disturbed in the fewest scenarios, by best fit among
 * equal ones. Without a head job it is SUREFILL_FIT_BEST. */
#define SUREFILL_FIT_APART 2

/* A machine of nodes: describe it once (add_class, add_nodes), then take and give back what jobs hold. Which of a
 * node's GPUs a job has, and whether halves of two GPUs are one, is not known here: a node's resources of one kind
 * are one amount.
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

/* The request of a job. Set by surefill_request_init, then changed as needed. */
typedef struct surefill_request {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* Number of tasks (1 to SUREFILL_MAX_TASKS). */
  int32_t count;
  /* One of SUREFILL_SPREAD_: how they lie on nodes. */
  int32_t spread;
  /* Not 0: no other job may be on its nodes. */
  int32_t exclusive;
  /* The features that a node's class must have, all of them: bits of the site's own meaning. */
  int64_t features;
  /* Amounts that each task takes of its node; not negative, 0 for kinds that the machine does not count. */
  int32_t each[8];
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

/* Opens a node for new jobs (is_open not 0), or closes it (drained, down). Jobs on it stay until they are
 * released. O(1).
 *
 * Errors: NO_SUCH_INDEX. */
int32_t surefill_nodes_set_open(surefill_nodes *nodes, int32_t node, int32_t is_open);

/* Free amounts of the first count kinds of resource on a node; nothing on a node that one job holds alone. O(1).
 *
 * Errors: NO_SUCH_INDEX, OUT_OF_RANGE (count). */
int32_t surefill_nodes_free(const surefill_nodes *nodes, int32_t node, int32_t *amounts, int32_t count);

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
 * surefill_nodes_release it is unknown until other jobs have had its slot 2,048 times. O(count).
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
 *     int32_t kind, first, job, started, step, candidate;
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
 *     surefill_node_pass_init(memory, sizeof memory, &pass_capacity, &pass);
 *     surefill_node_pass_begin(pass, nodes, 1000000, 7, &whole, 900);
 *     surefill_node_pass_add_running(pass, nodes, job, 600, 7200, NULL, NULL);
 *     surefill_node_pass_add_candidate(pass, nodes, &half, SUREFILL_FIT_APART, 3600, NULL, NULL);
 *     surefill_rule_init(&rule);
 *     do {
 *         surefill_node_pass_decide(pass, nodes, &rule, 1000000, &step, &candidate);
 *         if (step == SUREFILL_STEP_ACCEPT) surefill_node_pass_commit(pass, nodes, candidate, &started);
 *     } while (step != SUREFILL_STEP_DONE);
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

/* Sets the capacity to its defaults: 1,024 nodes with 3 kinds of resource, 1,024 running jobs, 256 candidates on
 * 4,096 nodes, 32 bins of 4 events. */
int32_t surefill_node_pass_capacity_init(surefill_node_pass_capacity *capacity, int64_t size);
#define surefill_node_pass_capacity_init(capacity) surefill_node_pass_capacity_init(capacity, (int64_t)sizeof *(capacity))

/* Bytes of memory that a pass needs: for n nodes with k kinds of resource, R running jobs, Q candidates with p
 * parts and b bins of e events at most 24 (R + Q + 1) b e + (56 + 4 k) n + 692 R + 924 Q + 24 p + 82,000.
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
 * for it). At most 256 scenarios are played, and half-widths hold with .95 confidence, all looks at a candidate
 * together. Forgets what the last pass held, except what is spent if it was for the same head job. O(nodes).
 *
 * Errors: OUT_OF_RANGE (also for a machine with more nodes or other resources than the capacity says), HEAD_FITS. */
int32_t surefill_node_pass_begin(surefill_node_pass *pass,
                                 const surefill_nodes *nodes,
                                 int64_t now,
                                 int64_t head_id,
                                 const surefill_request *head,
                                 int64_t head_waited);

/* Adds a running job by its handle on the machine: for how long it has run, its time limit (both in seconds, 0 to
 * SUREFILL_MAX_SECONDS) and its predicted run time; NULL when nothing is known but the limit. Each job is added
 * once: added twice it would give its nodes back twice. index is its number, from 0; it may be NULL. O(bins x
 * events per bin).
 *
 * Errors: OUT_OF_RANGE, UNKNOWN_JOB, FULL (also for more bins than the capacity has), WRONG_STATE. */
int32_t surefill_node_pass_add_running(surefill_node_pass *pass,
                                       const surefill_nodes *nodes,
                                       int32_t job,
                                       int64_t age,
                                       int64_t limit,
                                       const surefill_distribution *distribution,
                                       int32_t *index);

/* Adds a candidate for backfilling behind those added before: its request, by which of SUREFILL_FIT_ nodes are
 * found for it, its time limit in seconds and its predicted run time; NULL when nothing is known but the limit.
 * The nodes are found anew when an earlier candidate has been given some of them. index is its number, from 0; it
 * may be NULL. O(nodes + bins x events per bin).
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
 * nor is opening a window of candidates: 33 scenarios and O(nodes) for each). step is one of SUREFILL_STEP_;
 * candidate is the accepted candidate's number, -1 for the other steps. What is decided does not depend on work.
 * The rule may change only where a decision is complete, not after MORE.
 *
 * A scenario costs O(R log R + n + p) for R running jobs, n nodes and p parts of jobs, and with the criteria
 * SECONDS and RELATIVE one look at each candidate that keeps the head job waiting at each later end of a running
 * job. After a commit the candidates behind it are looked at again, by scenarios that are kept.
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
 * with this handle, or the job holds its nodes in all scenarios. Where it could not be started after all, begin
 * again without it. O(candidates).
 *
 * Errors: WRONG_STATE, NO_SUCH_INDEX (not the accepted one), FULL (no room on the machine for another job). */
int32_t surefill_node_pass_commit(surefill_node_pass *pass, surefill_nodes *nodes, int32_t candidate, int32_t *job);

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

/* ---- Starts of waiting jobs on a machine of nodes: the queue played forward ---------------------------------------
 *
 * When will each waiting job start on nodes that jobs share? As surefill_forecast, with the nodes saying what fits:
 * in every scenario each job has one run time, and each waiting job is put where surefill_nodes_place would put it.
 * What the answers mean is said there. More than one reservation is not played on nodes.
 *
 *     static int64_t machine[1 << 12], memory[1 << 16];
 *     const int32_t cores[] = {8};
 *     surefill_nodes_capacity capacity;
 *     surefill_node_forecast_capacity forecast_capacity;
 *     surefill_forecast_options options;
 *     surefill_request half, whole;
 *     surefill_part part = {0, 1};
 *     surefill_nodes *nodes;
 *     surefill_node_forecast *forecast;
 *     double probability, half_width;
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
 *     surefill_node_forecast_capacity_init(&forecast_capacity);
 *     forecast_capacity.nodes = 2;
 *     forecast_capacity.running = forecast_capacity.waiting = forecast_capacity.parts = 8;
 *     surefill_node_forecast_size(&forecast_capacity, &bytes);
 *     surefill_node_forecast_init(memory, sizeof memory, &forecast_capacity, &forecast);
 *     surefill_forecast_options_init(&options);
 *     surefill_node_forecast_begin(forecast, nodes, 1000000, &options);
 *     surefill_node_forecast_add_running(forecast, nodes, job, 600, 7200, NULL, NULL);
 *     surefill_node_forecast_add_waiting(forecast, nodes, &whole, SUREFILL_FIT_BEST, 16, 3600, 999000, NULL, NULL);
 *     do {
 *         surefill_node_forecast_run(forecast, nodes, 100000, &step);
 *     } while (step == SUREFILL_STEP_MORE);
 *     surefill_node_forecast_start_quantile(forecast, 0, 0.9, &when, &half_width);
 *     surefill_node_forecast_start_probability(forecast, 0, 1010000, &probability, &half_width);
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
 * SUREFILL_MAX_SECONDS) and its predicted run time; NULL when nothing is known but the limit. Each job is added
 * once: added twice it would give its nodes back twice. index is its number, from 0; it may be NULL. O(bins x
 * events per bin).
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
 * SUREFILL_MAX_SECONDS), when it was submitted (a submission ahead counts as for surefill_forecast), and its
 * predicted run time; NULL when nothing is known but the limit. With SUREFILL_FIT_APART those nodes come last on
 * which the head job finds room when it is planned to start. index is its number, from 0; it may be NULL. O(bins x
 * events per bin).
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

/* The quantile of a job's start, see surefill_forecast_start_quantile; NEVER for a job that finds no room when all
 * running jobs have ended. O(1).
 *
 * Errors: OUT_OF_RANGE, WRONG_STATE (not done yet), NO_SUCH_INDEX, NEVER. */
int32_t surefill_node_forecast_start_quantile(const surefill_node_forecast *forecast,
                                              int32_t job,
                                              double probability,
                                              int64_t *when,
                                              double *half_width);

/* The probability of a job's start, see surefill_forecast_start_probability. O(log scenarios).
 *
 * Errors: WRONG_STATE (not done yet), NO_SUCH_INDEX. */
int32_t surefill_node_forecast_start_probability(const surefill_node_forecast *forecast,
                                                 int32_t job,
                                                 int64_t when,
                                                 double *probability,
                                                 double *half_width);

/* ---- Predictions of run times -------------------------------------------------------------------------------------
 *
 * Keys of a mixture are user, time limit and processors. Each END is learnt from; a hidden Markov model learns when
 * the scheduler calls surefill_predictor_train.
 *
 *     static int64_t memory[1 << 20], bins_memory[SUREFILL_BINS_SIZE / 8], found_memory[SUREFILL_DISTRIBUTION_SIZE / 8];
 *     const int64_t keys[] = {501, 3600, 16};
 *     surefill_predictor_options options;
 *     surefill_predictor *predictor;
 *     surefill_bins *bins;
 *     surefill_distribution *found;
 *     int32_t answer;
 *     surefill_bins_init_default(bins_memory, sizeof bins_memory, &bins);
 *     surefill_predictor_options_init(SUREFILL_PREDICTOR_MIXTURE, &options);
 *     surefill_predictor_init(memory, sizeof memory, &options, bins, &predictor);
 *     surefill_predictor_submit(predictor, 4711, keys, 3, 1000000);
 *     surefill_predictor_start(predictor, 4711, 1000600);
 *     surefill_predictor_predict_job(predictor, 4711, found_memory, sizeof found_memory, &answer, &found);
 *
 * The jobs that are held can be compared with the manager's after a restart, and a clock that was wrong set right:
 *
 *     surefill_held_job held[8];
 *     int32_t written, count;
 *     held[0].struct_size = sizeof held[0];
 *     surefill_predictor_jobs(predictor, held, 8, &written, &count);
 *     surefill_predictor_end(predictor, 4711, 1001000);
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
 * Report every job's submission, start and end. What is predicted for a job at its submission is remembered as
 * long as the job is held. Train when it wants to be trained. Jobs are known by the caller's numbers, and to the
 * mixtures by their keys too. Nothing finite that can happen has probability 0 in what is predicted.
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
  /* Number of jobs that all jobs' distribution counts as: above 0, at most 1e9. */
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
   * held, or its end may have got lost. Nothing waits for it any more, the age of its run is no longer learnt
   * from, and when there is no room for a new job the oldest of them makes room. If it ends after all it is learnt
   * from, but for a model learnt on line. To be longer than jobs wait and run together. */
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
  /* The number that termination compares with: a whole number of rounds (at least 1), or epsilon (not negative). */
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
  /* The handling of a slot that no possible state explains, in a bin that none has seen for example (0 to below
   * 1). With 0, the thesis's rule, the predictor is silent until it has learnt from that slot; else the slot is
   * taken as if every state had drawn any bin with this probability, and predictions fall back to the distribution
   * of all finished jobs as far as that predicts better. */
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
  /* Number of its keys. */
  int32_t key_count;
  /* The keys with which it was submitted, by custom the user, the limit and the processors, so that a list of what
   * runs can be made again; none with a hidden Markov model. Of a wait predictor's jobs the requested seconds and
   * the processors. */
  int64_t keys[8];
} surefill_held_job;

/* The outcome of a round of Baum-Welch. */
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

/* Bytes of memory that a predictor needs. For J jobs with K keys and N bins: J (88 + 8 K + 8 N), 8 J N more with a
 * hidden Markov model, and about 1,500. Mixtures: with H histories and E experts, 8 H max(N + 1, E) + 32 H + 3,200
 * more. Contexts: with N rounded up to a multiple of 8, H (4 N + 23) + J (35 N + 384) + 2,000 (N + 125) more.
 * Hidden Markov models: surefill_hmm_size more, 8 S for each slot of the window and 48 S (S states, rounded up to
 * a multiple of 8), and on line surefill_online_hmm_size.
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

/* A mixture or the contexts learn from a job that they do not hold, or of which more is known than when it started
 * and ended: one with these count keys ran for this number of seconds (0 to SUREFILL_MAX_SECONDS), to the contexts
 * until the last event. O(experts x bins).
 *
 * Errors: OUT_OF_RANGE (count, seconds), WRONG_STATE (a hidden Markov model, which learns of past jobs from their
 * events, in the order of time). */
int32_t surefill_predictor_learn(surefill_predictor *predictor, const int64_t *keys, int32_t count, int64_t seconds);

/* Sets the clock right: from now on it is now, whatever time an event had. To go on is to learn of an event. To go
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

/* The prediction for a job with these count keys (see surefill_predictor_submit) that is submitted now, which is
 * not before the last event: a distribution made in the caller's memory (length bytes, at least
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

/* The prediction for a job that it holds, made when that was submitted, as surefill_predictor_predict gave it
 * then. O(bins).
 *
 * Errors: UNKNOWN_JOB. */
int32_t surefill_predictor_said(const surefill_predictor *predictor,
                                int64_t job,
                                void *memory,
                                int64_t length,
                                int32_t *answer,
                                surefill_distribution **distribution);

/* The present prediction for a job that it holds: a mixture's present prediction for the job's keys; what the
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
 * One object for each queue: every job is reported to it, and it bounds a job's wait with stated confidence, at any
 * time.
 *
 *     static int64_t memory[1 << 20];
 *     surefill_wait_capacity capacity;
 *     surefill_wait_options options;
 *     surefill_wait *wait;
 *     int64_t bound, waited;
 *     int32_t answer;
 *     surefill_wait_capacity_init(&capacity);
 *     capacity.history = 2000;
 *     surefill_wait_options_init(&options);
 *     surefill_wait_init(memory, sizeof memory, &capacity, &options, &wait);
 *     surefill_wait_submit(wait, 4711, 1000000, 3600, 16, &answer, &bound);
 *     surefill_wait_start(wait, 4711, 1000600, &waited);
 *     surefill_wait_predict(wait, 3600, 16, 0.5, 0.9, 1000600, &answer, &bound);
 *
 * The jobs that are held can be compared with the queue after a restart, and a clock that was wrong set right:
 *
 *     surefill_held_job held[8];
 *     int32_t written, count;
 *     held[0].struct_size = sizeof held[0];
 *     surefill_wait_jobs(wait, held, 8, &written, &count);
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
 * again, from the waits that are remembered then: the one whose clusters raise the Bayes information criterion
 * over a single cluster most. Until the first choice, and among equals, it is the one in use, at first the
 * requested run time. A clustering takes three times as long. */
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
 * and work ahead, the oldest wait, the last waits, the hour. It takes the place of TRIM and CLUSTER. */
#define SUREFILL_COMPONENT_VISIBLE 16

/* Answer: a bound. */
#define SUREFILL_ANSWER_BOUND 0

/* Answer: no prediction, as too few waits are known for this quantile and confidence. */
#define SUREFILL_ANSWER_TOO_LITTLE_HISTORY 1

/* Answer: no prediction, as no job has been started for an unusually long time, or while unusually many arrived:
 * the machine may be down. */
#define SUREFILL_ANSWER_MAY_BE_DOWN 2

/* Answer: no prediction, as most like jobs wait already for longer than the bound that the known waits give, or
 * more than twice as many jobs wait as before any whose wait is known. */
#define SUREFILL_ANSWER_EXCEEDED 3

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

/* Options of a wait predictor. Set by surefill_wait_options_init, then changed as needed. */
typedef struct surefill_wait_options {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* One of SUREFILL_METHOD_. */
  int32_t method;
  /* One of SUREFILL_ATTRIBUTE_: what jobs are clustered by. */
  int32_t attribute;
  /* The sum of SUREFILL_COMPONENT_ that are on; 0 for none. */
  int32_t components;
  /* The options' own question, which surefill_wait_submit answers and by which misses are counted and histories
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
 * each release, 228 for each waiting job (532 with situations), 48 for each situation, and 110,000; 8.3 MB for the
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

/* Sets the clock right: from now on it is now, whatever time an event had. To go on is to learn of an event. To go
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

/* A bound like surefill_wait_predict's, for a job that waits since it was submitted: an upper bound for its wait,
 * counted from its submission. With VISIBLE it rests on the rests of the waits of jobs that waited in a like
 * situation, and with ADAPT it follows the misses of such bounds and, for the options' own question, leaves no
 * less than a factor, learnt on line, times the oldest wait of the queue; else, and where too little is known, by
 * the binomial method on the waits that were at least as long as its own is now: those of its cluster, or of all
 * clusters where these are too few. O(w) for w waiting jobs on top.
 *
 * Errors: as surefill_wait_predict, and UNKNOWN_JOB. */
int32_t surefill_wait_predict_waiting(const surefill_wait *wait,
                                      int64_t job,
                                      double quantile,
                                      double confidence,
                                      int64_t now,
                                      int32_t *answer,
                                      int64_t *bound);

/* The probability that a job that has waited for age seconds (0 for a new one) waits at most within seconds,
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

/* Number of jobs that wait, and number of waits that are remembered. O(1). */
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
 *     int64_t bytes;
 *     choice.struct_size = sizeof choice;
 *     surefill_sizing_capacity_init(&capacity);
 *     capacity.running = 16;
 *     surefill_sizing_size(&capacity, &bytes);
 *     surefill_sizing_init(memory, sizeof memory, &capacity, &sizing);
 *     surefill_sizing_begin(sizing, 16);
 *     surefill_sizing_add_lifetime(sizing, 32, 600, 1, 86400);
 *     surefill_choice_options_init(&options);
 *     surefill_sizing_choose(sizing, &options, 40, 1, 36000, &choice);
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
} surefill_sizing_capacity;

/* Options that decide a choice. Set by surefill_choice_options_init, then changed as needed. */
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
  /* Number of processors: at most the idle ones when it should start now. */
  int32_t processors;
  /* The predicted wait for them in seconds; 0 when it should start now. */
  double wait;
  /* The run time on them, in seconds. */
  double run_time;
  /* weight x wait + run time less than on the idle processors, in seconds; infinite when too few are idle. */
  double gain;
} surefill_choice;

/* The speed of a job with this average parallelism (A, 1 to 2^40) and sigma (about the squared coefficient of
 * variation of its parallelism; from 0, infinity for the lower bound of equation 3) on this number of processors
 * (1 to 2^40), over that on one: Downey 1997, equations 1 and 2. Between 1 and A. The run time there is the run
 * time on one divided by this.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_speedup(double parallelism, double sigma, double processors, double *speedup);

/* The model of count run times in seconds, each measured on the number of processors under the same index of
 * processors (1 to 2^20; at least three different ones): parallelism and sigma (may be infinite), the run time on
 * one processor, and the root mean square of the differences of the natural logarithms, about the relative error.
 * Parallelism and sigma can be distinguished only when the measurements reach saturation; any pair that fits
 * predicts the measured range equally well. O(count).
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

/* Sets the capacity to its defaults: 256 running jobs, 1,024 processors. */
int32_t surefill_sizing_capacity_init(surefill_sizing_capacity *capacity, int64_t size);
#define surefill_sizing_capacity_init(capacity) surefill_sizing_capacity_init(capacity, (int64_t)sizeof *(capacity))

/* Bytes of memory that a sizing needs: at most 72 R + 24 P + 128 for R running jobs and P processors.
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
 * takes sequential seconds (0 to 2^40) on one and speeds up as surefill_speedup says. O(n) times the predictor's
 * test of one wait, and 64 times as much for each n that is better than those before it; by MEAN one integration
 * for all n.
 *
 * Errors: OUT_OF_RANGE, TOO_MANY_PROCESSORS (`least`), WRONG_STATE (before surefill_sizing_begin), NEVER (neither
 * the idle nor the busy processors suffice). */
int32_t surefill_sizing_choose(surefill_sizing *sizing,
                               const surefill_choice_options *options,
                               double parallelism,
                               double sigma,
                               double sequential,
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
 * Numbers begin with 0 (those of predictors with 1), so that a program can look for a word.
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

/* Family of constants: SUREFILL_DELAY_. */
#define SUREFILL_NAME_DELAY 3

/* Family of constants: SUREFILL_DELAY_ as a sign to be put before the delay: "=", ">=", "<=", "~" or "?". */
#define SUREFILL_NAME_DELAY_SIGN 4

/* Family of constants: SUREFILL_ANSWER_. */
#define SUREFILL_NAME_ANSWER 5

/* Family of constants: SUREFILL_PREDICTION_. */
#define SUREFILL_NAME_PREDICTION 7

/* Family of constants: SUREFILL_PREDICTOR_. */
#define SUREFILL_NAME_PREDICTOR 8

/* Family of constants: SUREFILL_FIT_. */
#define SUREFILL_NAME_FIT 9

/* Family of constants: SUREFILL_SPREAD_. */
#define SUREFILL_NAME_SPREAD 10

/* The name of a constant: family is one of SUREFILL_NAME_, number one of that family's. "unknown" for other
 * numbers and families. A static string. */
const char *surefill_name(int32_t family, int32_t number);

/* ---- The hidden Markov model of run times by itself ---------------------------------------------------------------
 *
 * A workload is in one of several states, which change from slot to slot; each state has run times of its own. A
 * program reports finished jobs by slot and bin, trains round by round, and asks. c-examples/train_model.c is one.
 *
 *     static int64_t memory[100000];
 *     surefill_hmm_capacity capacity;
 *     surefill_hmm *hmm;
 *     surefill_round round;
 *     double states[2], log_likelihood;
 *     int64_t slot, first, end;
 *     int32_t path[96], step;
 *     round.struct_size = sizeof round;
 *     surefill_hmm_capacity_init(&capacity);
 *     capacity.states = 2;
 *     capacity.slots = capacity.cells = 200;
 *     surefill_hmm_init(memory, sizeof memory, &capacity, &hmm);
 *     for (slot = 0; slot < 96; slot++) {
 *         surefill_hmm_observe(hmm, slot, slot % 48 < 24 ? 6 : 15);
 *     }
 *     surefill_hmm_slots(hmm, &first, &end);
 *     surefill_hmm_begin_training(hmm, SUREFILL_INITIAL_K_MEANS, SUREFILL_LOAD_NONE, first, end);
 *     do {
 *         surefill_hmm_train(hmm, 1000, &step, &round);
 *     } while (step == SUREFILL_STEP_MORE);
 *     surefill_hmm_filter(hmm, first, end, states, 2, &log_likelihood);
 *     surefill_hmm_viterbi(hmm, first, end, path, 96, &log_likelihood);
 */

/* Initial values: the parameters there are. */
#define SUREFILL_INITIAL_PRESENT -1

/* Evidence: run times, and the numbers of jobs if the load is modelled. */
#define SUREFILL_EVIDENCE_JOBS 0

/* Evidence: the numbers of jobs alone. */
#define SUREFILL_EVIDENCE_LOAD 1

/* A hidden Markov model of run times (Nissimov 2006, chapter 3): parameters, observations and training. Slots are
 * numbered by the caller, time of submission divided by the slot length for example; from..to means from to to -
 * 1.
 *
 * Distinct models are independent; one model needs one thread, or the caller's lock. The block holds no pointers;
 * sealed, it is a checkpoint. */
typedef struct surefill_hmm surefill_hmm;

/* Capacities of a model. Set by surefill_hmm_capacity_init, then changed as needed. */
typedef struct surefill_hmm_capacity {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* States (1 to SUREFILL_MAX_STATES). */
  int32_t states;
  /* Run-time bins (2 to SUREFILL_MAX_BINS). */
  int32_t bins;
  /* Slots kept (2 to 268,435,456); the oldest leave. */
  int32_t slots;
  /* Cells kept, one for each slot and bin that has jobs, so at most one a job (bins to 268,435,456); the oldest
   * slots leave. */
  int32_t cells;
} surefill_hmm_capacity;

/* The parameters of a hidden Markov model with M states and N bins. The arrays are the caller's; a call that takes
 * parameters only reads them, one that gives parameters looks at states and bins and writes the arrays and load. */
typedef struct surefill_model_parameters {
  /* States M: as many as the model has. */
  int32_t states;
  /* Run-time bins N: as many as the model has. */
  int32_t bins;
  /* One of SUREFILL_LOAD_. */
  int32_t load;
  /* 0. */
  int32_t reserved;
  /* M probabilities of the states in the first slot. They sum to 1 within 1e-9, like every row that follows. */
  double *start;
  /* M x M probabilities of the next slot's state, a row for each state. */
  double *transition;
  /* M x N probabilities of a job's bin, a row for each state. */
  double *emission;
  /* M parameters of the load model. Without a load model they are not read, and it may be NULL then; what is
   * written is 0. */
  double *load_parameter;
} surefill_model_parameters;

/* Sets the capacity to its defaults: 16 states, 24 bins, a year of slots of 15 min, 100,000 cells. */
int32_t surefill_hmm_capacity_init(surefill_hmm_capacity *capacity, int64_t size);
#define surefill_hmm_capacity_init(capacity) surefill_hmm_capacity_init(capacity, (int64_t)sizeof *(capacity))

/* Bytes of memory that a model needs. With M states, S = M rounded up to a multiple of 8, N bins, T slots and C
 * cells this is at most 20 T + 12 C + 24 (sqrt(T) + 2) (S + 1) + 8 S (5 M + 7 N + 12) + 400.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_hmm_size(const surefill_hmm_capacity *capacity, int64_t *size);

/* Makes a model without parameters and observations in the caller's memory (length bytes, at least
 * surefill_hmm_size, aligned to 8). O(size).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_hmm_init(void *memory, int64_t length, const surefill_hmm_capacity *capacity, surefill_hmm **hmm);

/* Makes the block a checkpoint, to be written to disk: writes its checksum. Any later call that changes the model
 * breaks the seal. O(size). */
int32_t surefill_hmm_seal(surefill_hmm *hmm);

/* The model in a checkpoint (length bytes at least) read back into memory, which must be as surefill_hmm_seal left
 * it. O(size). */
int32_t surefill_hmm_open(void *memory, int64_t length, surefill_hmm **hmm);

/* Sets the parameters of a model. Training under way is given up. O(M (M + N)).
 *
 * Errors: OUT_OF_RANGE (also for other numbers of states and bins), NOT_A_DISTRIBUTION. */
int32_t surefill_hmm_set_parameters(surefill_hmm *hmm, const surefill_model_parameters *parameters);

/* Writes the parameters into the arrays of a structure that says its states and bins, and the load model. O(M (M +
 * N)).
 *
 * Errors: OUT_OF_RANGE (other numbers of states and bins), WRONG_STATE (no parameters yet). */
int32_t surefill_hmm_parameters(const surefill_hmm *hmm, surefill_model_parameters *parameters);

/* Sets the parameters to Static-IV (Algorithm 3), with mean_jobs jobs a slot on average if the load is modelled
 * (positive). Training under way is given up. O(M (M + N)).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_hmm_init_static(surefill_hmm *hmm, int32_t load, double mean_jobs);

/* Adapts the parameters to slots half as long: A'_ij = A_ij / 2, A'_ii = A_ii / 2 + 1/2, half the mean load. The
 * observations are forgotten, and training under way is given up.
 *
 * Errors: WRONG_STATE (no parameters). */
int32_t surefill_hmm_halve_slots(surefill_hmm *hmm);

/* Reports a finished job: the slot in which it was submitted and the bin of its run time, from 0. Slots up to this
 * one that were not known are empty. When there is no more room the oldest slots leave. O(bins + slots that come
 * or leave).
 *
 * Errors: OUT_OF_RANGE (also for a slot that has left), FULL. */
int32_t surefill_hmm_observe(surefill_hmm *hmm, int64_t slot, int32_t bin);

/* Makes this the last slot, empty as yet, if it is later than the last one known.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_hmm_extend(surefill_hmm *hmm, int64_t slot);

/* The slots held: first..end, empty if they are equal. */
int32_t surefill_hmm_slots(const surefill_hmm *hmm, int64_t *first, int64_t *end);

/* ln Pr(evidence in the slots from..to), one of SUREFILL_EVIDENCE_; minus infinity when the model does not explain
 * it. O(slots M^2).
 *
 * Errors: OUT_OF_RANGE (also for slots not held, or none), WRONG_STATE (no parameters). */
int32_t surefill_hmm_log_likelihood(const surefill_hmm *hmm,
                                    int64_t from,
                                    int64_t to,
                                    int32_t evidence,
                                    double *log_likelihood);

/* Pr(state of slot to - 1 | observations in the slots from..to), states numbers, and ln Pr(observations); when
 * that is minus infinity the model does not explain them, and probabilities is not written. O(slots M^2).
 *
 * Errors: as surefill_hmm_log_likelihood; OUT_OF_RANGE also for another number of states. */
int32_t surefill_hmm_filter(const surefill_hmm *hmm,
                            int64_t from,
                            int64_t to,
                            double *probabilities,
                            int32_t states,
                            double *log_likelihood);

/* The most likely state, from 0, of each of the slots from..to, and ln Pr(these states and the observations); when
 * that is minus infinity the model does not explain them, and path is not written. length is the number of slots.
 * Training under way begins its round again. O(slots M^2).
 *
 * Errors: as surefill_hmm_log_likelihood; OUT_OF_RANGE also for another length. */
int32_t surefill_hmm_viterbi(surefill_hmm *hmm,
                             int64_t from,
                             int64_t to,
                             int32_t *path,
                             int32_t length,
                             double *log_likelihood);

/* Begins training on the slots from..to, from one of SUREFILL_INITIAL_; load is one of SUREFILL_LOAD_, and ignored
 * for PRESENT. The parameters in use stay until a round is complete. Training under way is given up. O(slots).
 *
 * Errors: OUT_OF_RANGE (also for slots not held, or none, and for K_MEANS when the number of states is not a power
 * of two), WRONG_STATE (PRESENT without parameters), EMPTY (K_MEANS without a job). */
int32_t surefill_hmm_begin_training(surefill_hmm *hmm, int32_t initial, int32_t load, int64_t from, int64_t to);

/* Trains until a round is complete and its parameters are in use (step is SUREFILL_STEP_DONE; round says what it
 * did), or until about work slots are visited (at least 1; SUREFILL_STEP_MORE, round is not written). A round
 * visits each slot three times. Then call again, for the rest or for the next round. However it is sliced, the
 * result is the same bit for bit. O(work M^2).
 *
 * Errors: OUT_OF_RANGE (work), WRONG_STATE (training has not begun). */
int32_t surefill_hmm_train(surefill_hmm *hmm, int64_t work, int32_t *step, surefill_round *round);

/* ---- The hidden Markov model that learns on line, without a history -----------------------------------------------
 *
 * Each slot is learnt from once, when it is over: the number of its finished jobs in each bin.
 * c-examples/learn_on_line.c is a whole program.
 *
 *     static int64_t memory[10000];
 *     double start[] = {0.5, 0.5}, transition[] = {0.9, 0.1, 0.1, 0.9}, emission[] = {0.7, 0.2, 0.1, 0.1, 0.2, 0.7};
 *     const int32_t counts[] = {3, 1, 0};
 *     surefill_model_parameters parameters;
 *     surefill_online_hmm_options options;
 *     surefill_online_hmm *online;
 *     double p[3], log_likelihood;
 *     int32_t explained;
 *     memset(&parameters, 0, sizeof parameters);
 *     parameters.states = 2;
 *     parameters.bins = 3;
 *     parameters.load = SUREFILL_LOAD_NONE;
 *     parameters.start = start;
 *     parameters.transition = transition;
 *     parameters.emission = emission;
 *     surefill_online_hmm_options_init(&options);
 *     surefill_online_hmm_init(memory, sizeof memory, &parameters, &options, &online);
 *     surefill_online_hmm_learn(online, counts, 3, &log_likelihood, &explained);
 *     surefill_online_hmm_probabilities(online, p, 3);
 */

/* A hidden Markov model of run times that learns from each slot as it is finished, by recursive
 * expectation-maximisation (Cappe 2011), and keeps no history.
 *
 * Distinct models are independent; one model needs one thread, or the caller's lock. The block holds no pointers;
 * sealed, it is a checkpoint. */
typedef struct surefill_online_hmm surefill_online_hmm;

/* Options of a model that learns on line. Set by surefill_online_hmm_options_init, then changed as needed. */
typedef struct surefill_online_hmm_options {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* 0. */
  int32_t reserved;
  /* a of the step size t^-a (above 0.5, at most 1): the smaller, the faster the past is forgotten. */
  double exponent;
  /* A slot that no possible state explains is learnt as if every state had drawn any bin with this probability (0
   * to below 1); with 0 it is not learnt from. */
  double floor;
  /* Slots before the parameters begin to change (not negative). */
  int64_t hold;
} surefill_online_hmm_options;

/* Sets the options to their defaults: a = 0.75, a floor of 0.001, 100 slots before the parameters change. */
int32_t surefill_online_hmm_options_init(surefill_online_hmm_options *options, int64_t size);
#define surefill_online_hmm_options_init(options) surefill_online_hmm_options_init(options, (int64_t)sizeof *(options))

/* Bytes of memory that a model needs that has the states M (1 to SUREFILL_MAX_STATES) and the bins N (2 to
 * SUREFILL_MAX_BINS) of these parameters: with S = M rounded up to a multiple of 8, at most 8 S (M (M + 1 + N) + 3
 * M + 3 N + 8) + 100. The arrays are not looked at.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_online_hmm_size(const surefill_model_parameters *parameters, int64_t *size);

/* Makes a model in the caller's memory (length bytes, at least surefill_online_hmm_size, aligned to 8) that starts
 * from these parameters. O(size).
 *
 * Errors: OUT_OF_RANGE, NOT_A_DISTRIBUTION. */
int32_t surefill_online_hmm_init(void *memory,
                                 int64_t length,
                                 const surefill_model_parameters *parameters,
                                 const surefill_online_hmm_options *options,
                                 surefill_online_hmm **online);

/* Makes the block a checkpoint, to be written to disk: writes its checksum. Any later call that changes the model
 * breaks the seal. O(size). */
int32_t surefill_online_hmm_seal(surefill_online_hmm *online);

/* The model in a checkpoint (length bytes at least) read back into memory, which must be as
 * surefill_online_hmm_seal left it. O(size). */
int32_t surefill_online_hmm_open(void *memory, int64_t length, surefill_online_hmm **online);

/* Learns from the next slot: counts has a number of finished jobs for each of count bins, which must be the
 * model's. log_likelihood is ln Pr(slot | slots before), minus infinity when no possible state explains the slot
 * and there is no floor: then nothing is learnt from it. explained is 1, or 0 when the model did not explain the
 * slot without the floor. O(M^3 (M + N)).
 *
 * Errors: OUT_OF_RANGE (count, a negative number, or more than 2^32 - 1 jobs). */
int32_t surefill_online_hmm_learn(surefill_online_hmm *online,
                                  const int32_t *counts,
                                  int32_t count,
                                  double *log_likelihood,
                                  int32_t *explained);

/* The distribution of the bin of a job submitted in the next slot, as count numbers, one for each bin; count must
 * be the number of bins. O(M (M + N)).
 *
 * Errors: OUT_OF_RANGE (count). */
int32_t surefill_online_hmm_probabilities(const surefill_online_hmm *online, double *probabilities, int32_t count);

/* Number of slots passed to surefill_online_hmm_learn, those not learnt from included. */
int32_t surefill_online_hmm_slots(const surefill_online_hmm *online, int64_t *slots);

/* The parameters, as surefill_hmm_parameters gives them. O(M (M + N)).
 *
 * Errors: OUT_OF_RANGE (other numbers of states and bins). */
int32_t surefill_online_hmm_parameters(const surefill_online_hmm *online, surefill_model_parameters *parameters);

/* ---- Inside a predictor -------------------------------------------------------------------------------------------
 *
 * Probabilities bin by bin, whether training is wanted, and the parameters of a hidden Markov model that predicts.
 */

/* The prediction of surefill_predictor_predict as bins numbers, one for each bin; bins must be the number of bins.
 * When nothing is predicted, probabilities is not written.
 *
 * Errors: TIME_WENT_BACK, OUT_OF_RANGE (time, count, bins). */
int32_t surefill_predictor_probabilities(surefill_predictor *predictor,
                                         const int64_t *keys,
                                         int32_t count,
                                         int64_t now,
                                         double *probabilities,
                                         int32_t bins,
                                         int32_t *answer);

/* Whether training is under way or should begin (1) or not (0), at the time of the last event. O(1). */
int32_t surefill_predictor_wants_training(const surefill_predictor *predictor, int32_t *wants);

/* Starts a hidden Markov model from one learnt elsewhere: it predicts from now on, and is trained further once the
 * initial period is over. Before the first event only. O(M (M + N)).
 *
 * Errors: OUT_OF_RANGE (also for other numbers of states or bins), NOT_A_DISTRIBUTION, WRONG_STATE (after an
 * event, or a mixture). */
int32_t surefill_predictor_set_model(surefill_predictor *predictor, const surefill_model_parameters *parameters);

/* Writes the parameters of the hidden Markov model in use into the arrays of a structure that says its states and
 * bins, and its load model. O(M (M + N)).
 *
 * Errors: OUT_OF_RANGE (other numbers of states or bins), WRONG_STATE (no model yet, or a mixture). */
int32_t surefill_predictor_model(const surefill_predictor *predictor, surefill_model_parameters *parameters);

/* ---- Order statistics that bound quantiles ------------------------------------------------------------------------
 *
 * Which of n sorted waits bounds a quantile with this confidence, whatever their distribution?
 *
 *     int64_t k, lower, upper, fewest;
 *     surefill_binomial_upper(1000, 0.95, 0.95, &k);
 *     surefill_binomial_lower(1000, 0.95, 0.95, &k);
 *     surefill_binomial_two_sided(1000, 0.5, 0.95, &lower, &upper);
 *     surefill_binomial_fewest(0.95, 0.95, &fewest);
 */

/* Which of a number of observations (0 to 4,294,967,296), the k-th smallest counted from 1, is an upper bound with
 * this confidence for the quantile of their distribution (both above 0, below 1): the smallest k with
 * Pr(Bin(observations, quantile) <= k - 1) >= confidence. k is 0 when there are too few. O(sqrt(observations)),
 * mostly far less.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_binomial_upper(int64_t observations, double quantile, double confidence, int64_t *k);

/* The index of a lower bound, see surefill_binomial_upper: the largest k with Pr(Bin(observations, quantile) >= k)
 * >= confidence.
 *
 * Errors: as surefill_binomial_upper. */
int32_t surefill_binomial_lower(int64_t observations, double quantile, double confidence, int64_t *k);

/* The indices of a lower and an upper bound, see surefill_binomial_upper, that hold together with this confidence:
 * each is one-sided at (1 + confidence) / 2. Both are 0 when there are too few observations for either.
 *
 * Errors: as surefill_binomial_upper. */
int32_t surefill_binomial_two_sided(int64_t observations,
                                    double quantile,
                                    double confidence,
                                    int64_t *lower,
                                    int64_t *upper);

/* The fewest observations for which surefill_binomial_upper finds a bound: the smallest n with quantile^n <= 1 -
 * confidence, 59 for .95 and .95.
 *
 * Errors: OUT_OF_RANGE (also when more than 4,294,967,296 would be needed). */
int32_t surefill_binomial_fewest(double quantile, double confidence, int64_t *observations);

/* ---- More bounds on waits: lower ones, and clustering at command --------------------------------------------------
 *
 *     static int64_t memory[1 << 20];
 *     surefill_wait_capacity capacity;
 *     surefill_wait_options options;
 *     surefill_wait *wait;
 *     int64_t job, lower;
 *     int32_t answer, step;
 *     surefill_wait_capacity_init(&capacity);
 *     surefill_wait_options_init(&options);
 *     capacity.history = 1000;
 *     surefill_wait_init(memory, sizeof memory, &capacity, &options, &wait);
 *     for (job = 1; job <= 200; job++) {
 *         surefill_wait_known(wait, 10 * job, 3600, 16);
 *     }
 *     surefill_wait_predict_lower(wait, 3600, 16, 0.5, 0.95, 20000, &answer, &lower);
 *     surefill_wait_recluster(wait, 100000, &step);
 */

/* Clusters the jobs again before it is time, or goes on with a clustering that is under way, for at most work
 * steps of O(log n) each (at least 1). step is one of SUREFILL_STEP_; after DONE the next call begins another.
 * Other calls may come between two of these.
 *
 * Errors: OUT_OF_RANGE (work). */
int32_t surefill_wait_recluster(surefill_wait *wait, int64_t work, int32_t *step);

/* A lower bound by the binomial method, see surefill_wait_predict. O(log n) and the cost of
 * surefill_binomial_lower.
 *
 * Errors: as surefill_wait_predict. */
int32_t surefill_wait_predict_lower(const surefill_wait *wait,
                                    int64_t requested,
                                    int32_t processors,
                                    double quantile,
                                    double confidence,
                                    int64_t now,
                                    int32_t *answer,
                                    int64_t *bound);

/* ---- Sizes of malleable jobs: log-uniform lifetimes ---------------------------------------------------------------
 *
 * Lifetimes are taken to be uniform in the logarithm (Downey 1997).
 *
 *     static int64_t memory[20000];
 *     const double ran[] = {60, 300, 900, 3600, 14400};
 *     surefill_sizing_capacity capacity;
 *     surefill_choice_options options;
 *     surefill_choice choice;
 *     surefill_sizing *sizing;
 *     double shortest, longest;
 *     surefill_lifetime_fit(ran, 5, &shortest, &longest);
 *     surefill_sizing_capacity_init(&capacity);
 *     capacity.running = 16;
 *     surefill_sizing_init(memory, sizeof memory, &capacity, &sizing);
 *     surefill_sizing_begin(sizing, 16);
 *     surefill_sizing_add_lifetime(sizing, 32, 600, shortest, longest);
 *     surefill_choice_options_init(&options);
 *     choice.struct_size = sizeof choice;
 *     surefill_sizing_choose(sizing, &options, 40, 1, 36000, &choice);
 */

/* Fits lifetimes that are uniform in the logarithm between shortest and longest seconds to a history of count
 * lifetimes in seconds (1e-9 to 2^40), in increasing order: the least-squares line of equation 4 of Downey 1997
 * through the shares (i - 1/2) / count. O(count).
 *
 * Errors: OUT_OF_RANGE (also when they are not in order or all the same, and when the line's bounds lie outside
 * 1e-9 to 2^40). */
int32_t surefill_lifetime_fit(const double *lifetimes, int32_t count, double *shortest, double *longest);

/* Adds a running job: its processors (at least 1), for how many seconds it has run (0 to 2^40), and between which
 * lifetimes in seconds (1e-9 to 2^40) the logarithm of its own is uniform (Downey 1997). O(1).
 *
 * Errors: OUT_OF_RANGE, TOO_MANY_PROCESSORS, OVERFULL, FULL, WRONG_STATE (before surefill_sizing_begin). */
int32_t surefill_sizing_add_lifetime(surefill_sizing *sizing,
                                     int32_t processors,
                                     double age,
                                     double shortest,
                                     double longest);

/* ---- Bins and distributions in detail -----------------------------------------------------------------------------
 *
 * Bins and their edges, probabilities bin by bin, and when a job may end.
 *
 *     static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], memory[SUREFILL_DISTRIBUTION_SIZE / 8];
 *     const int64_t ran[] = {240, 300, 310, 2900};
 *     double p[SUREFILL_MAX_BINS], lower, upper;
 *     int64_t seconds[2 * SUREFILL_MAX_BINS];
 *     double ends[2 * SUREFILL_MAX_BINS];
 *     int32_t bin, bin_count, count;
 *     surefill_bins *bins;
 *     surefill_distribution *predicted;
 *     surefill_bins_init_covering(bins_memory, sizeof bins_memory, 10, 1.8, 864000, &bins);
 *     surefill_bins_count(bins, &bin_count);
 *     surefill_bins_index(bins, 300, &bin);
 *     surefill_bins_edges(bins, bin, &lower, &upper);
 *     surefill_distribution_init_samples(memory, sizeof memory, bins, ran, NULL, 4, &predicted);
 *     surefill_distribution_recalculate(predicted, 250, 3600, p, SUREFILL_MAX_BINS, &count);
 *     surefill_distribution_remaining(predicted, 250, 3600, 2, seconds, ends, 2 * SUREFILL_MAX_BINS, &count);
 */

/* Makes the fewest bins with this first edge and ratio whose last, open bin starts above longest seconds.
 *
 * Errors: as surefill_bins_init; OUT_OF_RANGE also when SUREFILL_MAX_BINS do not reach that far. */
int32_t surefill_bins_init_covering(void *memory,
                                    int64_t length,
                                    double first,
                                    double ratio,
                                    int64_t longest,
                                    surefill_bins **bins);

/* The number of bins. */
int32_t surefill_bins_count(const surefill_bins *bins, int32_t *count);

/* The bin, counted from 0, that holds a run time in seconds; negative run times are in bin 0. O(log of the number
 * of bins). */
int32_t surefill_bins_index(const surefill_bins *bins, double seconds, int32_t *index);

/* Where the bin with this index starts and ends, in seconds; the last ends at infinity, the first starts where it
 * starts for logarithms.
 *
 * Errors: NO_SUCH_INDEX. */
int32_t surefill_bins_edges(const surefill_bins *bins, int32_t index, double *lower, double *upper);

/* The bins' probabilities for a job that has run for age seconds under a limit in seconds (both 0 to
 * SUREFILL_MAX_SECONDS): Algorithm 1 of Nissimov and Feitelson 2007. capacity is the room in probabilities, count
 * the number of bins written; 0 when nothing is left (or no bins are known) and the job is expected to end at its
 * limit.
 *
 * Errors: OUT_OF_RANGE, FULL (capacity). */
int32_t surefill_distribution_recalculate(const surefill_distribution *distribution,
                                          int64_t age,
                                          int64_t limit,
                                          double *probabilities,
                                          int32_t capacity,
                                          int32_t *count);

/* When the job may end: seconds from now (increasing, at least 1) and probabilities (which sum to 1) of a job of
 * this age under this limit, each bin's probability divided into events_per_bin events (1 to
 * SUREFILL_MAX_EVENTS_PER_BIN; the papers have 1): what the delay rule goes by, which spreads what is predicted
 * beyond the limit over what is left below it. capacity is the room in both arrays, at least bins x events_per_bin
 * (1 without bins). count is the number written.
 *
 * Errors: OUT_OF_RANGE, FULL (capacity). */
int32_t surefill_distribution_remaining(const surefill_distribution *distribution,
                                        int64_t age,
                                        int64_t limit,
                                        int32_t events_per_bin,
                                        int64_t *seconds,
                                        double *probabilities,
                                        int32_t capacity,
                                        int32_t *count);

#ifdef __cplusplus
}
#endif

#endif /* SUREFILL_PARTS_H */
