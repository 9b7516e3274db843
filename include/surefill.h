/* surefill: probabilistic answers for batch schedulers. Licence: MIT OR Apache-2.0.
 *
 * Generated from src/capi; do not edit. Conventions:
 *
 * - Every function returns a status: 0 (SUREFILL_OK) or a negative SUREFILL_ERROR_ number. A call that returns an error
 *   has changed nothing and written no output. Where WRONG_OBJECT is listed, FOREIGN_BYTE_ORDER may come as well.
 * - Memory is the caller's. An object is made in a block of at least its size, aligned to 8 bytes; its handle is the
 *   block's address. Nothing is allocated, nothing needs to be freed, and nothing is kept outside the block.
 * - Inputs come before outputs; a const handle is not changed; what the pointers of one call point to does not overlap.
 *   Structures for options begin with their size and have an init function.
 * - Times are whole seconds in int64_t since any fixed origin, probabilities are doubles from 0 to 1, indices count from 0.
 * - No function takes a lock, does I/O, calls back or keeps global state. Distinct objects are independent.
 */


#ifndef SUREFILL_H
#define SUREFILL_H

#include <stdint.h>

// Version of this header: major x 1,000,000 + minor x 1,000 + patch.
#define SUREFILL_VERSION_NUMBER 1000

// Version of the binary interface: programs run with every library of the same number (and soname). It changes also when
// a structure that an init function writes grows.
#define SUREFILL_ABI_VERSION 0

// Success.
#define SUREFILL_OK 0

// A pointer that must not be NULL is NULL.
#define SUREFILL_ERROR_NULL -1

// A pointer is not aligned: 8 bytes for blocks of memory and handles, its type's alignment for everything else.
#define SUREFILL_ERROR_MISALIGNED -2

// The memory is smaller than the size function says.
#define SUREFILL_ERROR_TOO_SMALL -3

// The memory does not hold an object of this type.
#define SUREFILL_ERROR_WRONG_OBJECT -4

// Made by an incompatible version: the object, or a structure with members this library does not know.
#define SUREFILL_ERROR_WRONG_VERSION -5

// The object is damaged.
#define SUREFILL_ERROR_CORRUPT -6

// A capacity fixed at initialisation is reached.
#define SUREFILL_ERROR_FULL -7

// An argument is not a number.
#define SUREFILL_ERROR_NOT_A_NUMBER -8

// An argument is out of range.
#define SUREFILL_ERROR_OUT_OF_RANGE -9

// The call makes no sense at this point.
#define SUREFILL_ERROR_WRONG_STATE -10

// The head job fits the idle processors: start it first.
#define SUREFILL_ERROR_HEAD_FITS -11

// No object has this index.
#define SUREFILL_ERROR_NO_SUCH_INDEX -12

// Nothing to take.
#define SUREFILL_ERROR_EMPTY -13

// With the jobs now running this never happens.
#define SUREFILL_ERROR_NEVER -14

// The object was made on a machine of the other byte order.
#define SUREFILL_ERROR_FOREIGN_BYTE_ORDER -15

// Probabilities that must sum to 1 do not.
#define SUREFILL_ERROR_NOT_A_DISTRIBUTION -16

// A job with this id is in the system already.
#define SUREFILL_ERROR_DUPLICATE_JOB -17

// No job with this id is in the system.
#define SUREFILL_ERROR_UNKNOWN_JOB -18

// An event lies before one already reported.
#define SUREFILL_ERROR_TIME_WENT_BACK -19

// The job has started already.
#define SUREFILL_ERROR_ALREADY_STARTED -20

// The job has not started.
#define SUREFILL_ERROR_NOT_STARTED -21

// The largest number of bins.
#define SUREFILL_MAX_BINS 96

// The longest time span any function accepts, in seconds; as a time limit it means "no limit".
#define SUREFILL_MAX_SECONDS 1099511627776

// The largest number of events into which a bin's probability may be divided.
#define SUREFILL_MAX_EVENTS_PER_BIN 16

// Criterion: the exact probability that the candidate delays the head job.
#define SUREFILL_CRITERION_PROBABILITY 0

// Criterion: the lower bound of that probability by Nissimov and Feitelson 2007.
#define SUREFILL_CRITERION_BOUND 1

// Criterion: the expected delay of the head job in seconds.
#define SUREFILL_CRITERION_SECONDS 2

// Criterion: the expected delay divided by the head job's own expected remaining wait.
#define SUREFILL_CRITERION_RELATIVE 3

// Step: the candidate given may start; commit or decline it.
#define SUREFILL_STEP_ACCEPT 1

// Step: the work is used up; call again with the same rule.
#define SUREFILL_STEP_MORE 2

// Step: every candidate has its verdict.
#define SUREFILL_STEP_DONE 3

// Verdict: not judged yet.
#define SUREFILL_VERDICT_UNDECIDED 0

// Verdict: may start.
#define SUREFILL_VERDICT_ACCEPTED 1

// Verdict: its delay reaches the threshold.
#define SUREFILL_VERDICT_REFUSED 2

// Verdict: its delay is below the threshold, but the budget for this head job does not allow it.
#define SUREFILL_VERDICT_OVER_BUDGET 3

// Verdict: wider than the idle processors.
#define SUREFILL_VERDICT_DOES_NOT_FIT 4

// Verdict: accepted, but the caller could not start it.
#define SUREFILL_VERDICT_DECLINED 5

// The delay given is the delay itself, up to rounding.
#define SUREFILL_DELAY_EXACT 0

// Refused before everything was added up: the delay is at least the one given.
#define SUREFILL_DELAY_AT_LEAST 1

// A large group of jobs that may end in one second was bounded: the delay is at most the one given.
#define SUREFILL_DELAY_AT_MOST 2

// Both happened: an estimate.
#define SUREFILL_DELAY_ESTIMATE 3

// Events that an inbox holds.
#define SUREFILL_INBOX_CAPACITY 1024

// A job was submitted.
#define SUREFILL_EVENT_SUBMIT 1

// A job was started.
#define SUREFILL_EVENT_START 2

// A job ended.
#define SUREFILL_EVENT_END 3

// A job was cancelled before it started.
#define SUREFILL_EVENT_CANCEL 4

// The largest number of states.
#define SUREFILL_MAX_STATES 64

// Load model: none, run times given the number of jobs.
#define SUREFILL_LOAD_NONE 0

// Load model: Poisson; the parameter is the mean number of jobs in a slot, finite and not negative.
#define SUREFILL_LOAD_POISSON 1

// Load model: geometric from 0; the parameter is Pr(no job in a slot), above 0 and at most 1.
#define SUREFILL_LOAD_GEOMETRIC 2

// Initial values: the parameters there are.
#define SUREFILL_INITIAL_PRESENT -1

// Initial values: Static-IV (Nissimov 2006, Algorithm 3).
#define SUREFILL_INITIAL_STATIC 0

// Initial values: k-means (Algorithm 4); the number of states must be a power of two.
#define SUREFILL_INITIAL_K_MEANS 1

// Evidence: run times, and the numbers of jobs if the load is modelled.
#define SUREFILL_EVIDENCE_JOBS 0

// Evidence: the numbers of jobs alone.
#define SUREFILL_EVIDENCE_LOAD 1

// Training: nothing to be learnt for now (predictors only).
#define SUREFILL_TRAINING_IDLE 0

// Training: the work is used up; more is to be done.
#define SUREFILL_TRAINING_MORE 1

// Training: a model's round is complete; a predictor's training is.
#define SUREFILL_TRAINING_DONE 2

// Training stops after as many rounds as the threshold says.
#define SUREFILL_TERMINATION_ROUNDS 0

// Training stops when sqrt(jobs) x the sum of the parameters' changes is below the threshold.
#define SUREFILL_TERMINATION_L1 1

// Training stops when the largest change of a parameter is below the threshold.
#define SUREFILL_TERMINATION_L_INFINITY 2

// The most experts of a mixture.
#define SUREFILL_MAX_EXPERTS 16

// The most keys of a job.
#define SUREFILL_MAX_KEYS 8

// Experts: one that believes in the owner's (key 0's) own last ten jobs or so.
#define SUREFILL_EXPERTS_USER 0

// Experts: ten for jobs with three keys: user, time limit, processors.
#define SUREFILL_EXPERTS_MIX 1

// The most clusters of a wait predictor.
#define SUREFILL_MAX_CLUSTERS 16

// Method: order statistics, right for any distribution.
#define SUREFILL_METHOD_BINOMIAL 0

// Method: the bound of a log-normal's quantile, by the noncentral t.
#define SUREFILL_METHOD_LOG_NORMAL 1

// Method: the quantile of a log-uniform, by maximum likelihood; the confidence is ignored.
#define SUREFILL_METHOD_LOG_UNIFORM 2

// Method: the quantile of a Weibull, by maximum likelihood; the confidence is ignored.
#define SUREFILL_METHOD_WEIBULL 3

// Attribute: the requested run time.
#define SUREFILL_ATTRIBUTE_REQUESTED 0

// Attribute: the processors.
#define SUREFILL_ATTRIBUTE_PROCESSORS 1

// Attribute: processors times requested run time.
#define SUREFILL_ATTRIBUTE_PRODUCT 2

// Component: histories are trimmed at change points.
#define SUREFILL_COMPONENT_TRIM 1

// Component: jobs are clustered by an attribute.
#define SUREFILL_COMPONENT_CLUSTER 2

// Component: no prediction while the machine may be down.
#define SUREFILL_COMPONENT_AVAILABILITY 4

// Component, beyond the paper: the options' own bounds are stretched by each miss, shrunk by each hit, so that in the long run
// .9 of the misses that the quantile allows remain, whatever the waits do.
#define SUREFILL_COMPONENT_ADAPT 8

// Answer: a bound.
#define SUREFILL_ANSWER_BOUND 0

// Answer: no prediction, as too few waits are known for this quantile and confidence.
#define SUREFILL_ANSWER_TOO_LITTLE_HISTORY 1

// Answer: no prediction, as no job has been started for so long, or while so many arrived, that the machine may be down.
#define SUREFILL_ANSWER_MAY_BE_DOWN 2

// Clustering: nothing to do, as jobs are not clustered.
#define SUREFILL_CLUSTERING_IDLE 0

// Clustering: the work is used up; call again.
#define SUREFILL_CLUSTERING_MORE 1

// Clustering: the new clusters are in use.
#define SUREFILL_CLUSTERING_DONE 2

// Wait predicted by predictor A: the median of the time until one job that holds enough processors by itself, a benefactor, has
// ended (equation 9).
#define SUREFILL_WAIT_BY_BENEFACTORS 0

// Wait predicted by predictor B: the time until enough processors are released when jobs release them gradually (equation 10).
#define SUREFILL_WAIT_BY_FLUID 1

// Wait predicted by the paper's choice: A with two or more benefactors, else B.
#define SUREFILL_WAIT_BY_COMBINED 2

// Wait predicted by its exact quantile.
#define SUREFILL_WAIT_BY_QUANTILE 3

// Wait predicted by its exact mean.
#define SUREFILL_WAIT_BY_MEAN 4

// Logarithmic runtime bins. With first edge f and ratio r, bin 0 holds run times below f seconds, bin j (counted from
// 0) those from f r^(j-1) to below f r^j, and the last bin is open upwards: a job's time limit closes it.
//
// Never changed after initialisation: any number of threads may use one object.
typedef struct surefill_bins surefill_bins;

// Corrects predicted waits by what came of earlier predictions: a running least-squares line through the logarithms of predicted
// and actual waits (Downey 1997, section 5.4).
//
// Distinct corrections are independent; one needs one thread, or the caller's lock. The block holds no pointers, and sealed it is
// a checkpoint.
typedef struct surefill_correction surefill_correction;

// What is believed of one job's run time, before anything is known of its age. It holds a copy of its bins.
//
// Never changed after initialisation: any number of threads may use one object.
typedef struct surefill_distribution surefill_distribution;

// A hidden Markov model of run times (Nissimov 2006, chapter 3): parameters, observations and training. Slots are numbered
// by the caller, time of submission divided by the slot length for example; from..to means from to to - 1.
//
// Distinct models are independent; one model needs one thread, or the caller's lock. The block holds no pointers; sealed, it
// is a checkpoint.
typedef struct surefill_hmm surefill_hmm;

// A queue of up to SUREFILL_INBOX_CAPACITY job events.
//
// One thread may push while another pops, without a lock: one pushing and one popping thread at a time, no more. The
// block must not be moved: a copy is refused. Other damage to it is not detected.
typedef struct surefill_inbox surefill_inbox;

// Predicts run times from those of like jobs that have finished: a mixture of histories, weighed for each user by how well
// they have done.
//
// Distinct mixtures are independent; one mixture needs one thread, or the caller's lock. The block holds no pointers, and
// sealed it is a checkpoint: write it to a file, read it back, open it.
typedef struct surefill_mixture surefill_mixture;

// A hidden Markov model of run times that learns from each slot as it is finished, by recursive expectation-maximisation
// (Cappe 2011), and keeps no history.
//
// Distinct models are independent; one model needs one thread, or the caller's lock. The block holds no pointers; sealed, it
// is a checkpoint.
typedef struct surefill_online_hmm surefill_online_hmm;

// One scheduling pass over one pool of interchangeable processors: begin, add running jobs and candidates, decide and
// commit until it is done, then begin again. Candidates are judged in the order in which they were added, numbered from 0;
// a committed one is a running job for those after it.
//
// Distinct passes are independent; one pass needs one thread, or the caller's lock. The block holds no pointers.
typedef struct surefill_pass surefill_pass;

// Learns from finished jobs, on line, how long a job submitted now will run (Nissimov 2006, chapter 4). Report every job's
// submission, start and end; train when it wants to be trained. Times are seconds since any fixed origin, within 2^53 of it;
// they may stand still but not go back. Jobs are known by the caller's ids. An event costs a filter step for each slot that has
// passed since the last one, at most as many as are kept: tens of milliseconds after a year without any.
//
// Distinct predictors are independent; one needs one thread, or the caller's lock. The block holds no pointers; sealed, it is a
// checkpoint.
typedef struct surefill_predictor surefill_predictor;

// The jobs that run on one pool of interchangeable processors: when will how many be free, and how many should a malleable job
// wait for? Begin, add the running jobs, then ask in any order (Downey 1997). Durations are seconds in doubles.
//
// Distinct sizings are independent; one needs one thread, or the caller's lock: questions use the block for their calculations. The
// block holds no pointers.
typedef struct surefill_sizing surefill_sizing;

// Bounds the waits of one queue's jobs by those of the jobs before them (QBETS: Nurmi, Brevik & Wolski 2007). Tell it of every
// job: submitted, then started or cancelled. Times are seconds since any fixed origin, within 2^53 of it; they may stand still
// but not go back. Jobs are known by the caller's ids.
//
// Distinct predictors are independent; one needs one thread, or the caller's lock. The block holds no pointers, and sealed it
// is a checkpoint: write it to a file, read it back, open it.
typedef struct surefill_wait surefill_wait;

// Capacities of a pass. Set by surefill_pass_limits_init, then changed as needed.
typedef struct surefill_pass_limits {
  // Bytes of this structure, as the program knows it.
  uint32_t struct_size;
  // Running jobs (0 to 1,048,576).
  int32_t running;
  // Candidates (0 to 1,048,576).
  int32_t candidates;
  // Processors of the machine (1 to 16,777,216).
  int32_t processors;
  // Bins of the distributions (1 to SUREFILL_MAX_BINS).
  int32_t bins;
  // Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN).
  int32_t events_per_bin;
  // Room for making jobs that may end in one second exact, in cells of 8 bytes (0 to 268,435,456); larger groups are
  // bounded from above.
  int32_t tie_cells;
} surefill_pass_limits;

// When a candidate is accepted. Set by surefill_rule_init, then changed as needed.
typedef struct surefill_rule {
  // Bytes of this structure, as the program knows it.
  uint32_t struct_size;
  // One of SUREFILL_CRITERION_.
  int32_t criterion;
  // A candidate is accepted when its delay is strictly below this; not negative, 0 accepts nothing.
  double threshold;
  // The most that accepted delays may add up to for one head job; not negative, infinity for no cap.
  double budget;
} surefill_rule;

// Something that happened to a job. The library hands it on as it is.
typedef struct surefill_job_event {
  // One of SUREFILL_EVENT_.
  int32_t kind;
  // Processors, not negative.
  int32_t processors;
  // The resource manager's number for the job.
  int64_t job;
  // When it happened, in seconds since any fixed origin.
  int64_t time;
  // The job's time limit in seconds.
  int64_t limit;
  // The resource manager's number for the user.
  int64_t user;
} surefill_job_event;

// Capacities of a model. Set by surefill_hmm_limits_init, then changed as needed.
typedef struct surefill_hmm_limits {
  // Bytes of this structure, as the program knows it.
  uint32_t struct_size;
  // States (1 to SUREFILL_MAX_STATES).
  int32_t states;
  // Run-time bins (2 to SUREFILL_MAX_BINS).
  int32_t bins;
  // Slots kept (2 to 268,435,456); the oldest leave.
  int32_t slots;
  // Cells kept, one for each slot and bin that has jobs, so at most one a job (bins to 268,435,456); the oldest slots leave.
  int32_t cells;
} surefill_hmm_limits;

// What a round of Baum-Welch did.
typedef struct surefill_round {
  // ln Pr(observations) under the parameters before the round.
  double log_likelihood;
  // The sum of the absolute changes of all parameters.
  double l1;
  // The largest absolute change of a parameter.
  double l_infinity;
  // Rounds since training began, this one included.
  int64_t rounds;
  // Finished jobs in the slots trained on.
  int64_t jobs;
  // Slots that no state explained, so that the parameters were bent towards them before the round.
  int64_t adapted;
} surefill_round;

// How a model learns on line. Set by surefill_online_hmm_options_init, then changed as needed.
typedef struct surefill_online_hmm_options {
  // Bytes of this structure, as the program knows it.
  uint32_t struct_size;
  // 0.
  int32_t reserved;
  // a of the step size t^-a (above 0.5, at most 1): the smaller, the faster the past is forgotten.
  double exponent;
  // A slot that no possible state explains is learnt as if every state had drawn any bin with this probability (0 to below 1);
  // with 0 it is not learnt from.
  double floor;
  // Slots before the parameters begin to change (not negative).
  int64_t hold;
} surefill_online_hmm_options;

// Capacities of a predictor. Set by surefill_predictor_limits_init, then changed as needed.
typedef struct surefill_predictor_limits {
  // Bytes of this structure, as the program knows it.
  uint32_t struct_size;
  // Jobs in the system, queued or running (1 to 16,777,216).
  int32_t jobs;
  // States (1 to SUREFILL_MAX_STATES).
  int32_t states;
  // Run-time bins (2 to SUREFILL_MAX_BINS).
  int32_t bins;
  // Slots kept (2 to 268,435,456); the oldest leave.
  int32_t slots;
  // Cells kept, one for each slot and bin that has jobs, so at most one a job (bins to 268,435,456); the oldest slots leave.
  int32_t cells;
  // Slots, from the earliest with a job in the system, whose state is remembered from one prediction to the next (1 to
  // 16,777,216).
  int32_t window;
  // How the model is learnt: 0, by Baum-Welch over the slots kept; 1, on line as surefill_online_hmm does, slot by slot as all
  // jobs of a slot have left. On line, slots and cells need only reach as far back as jobs stay in the system.
  int32_t online;
} surefill_predictor_limits;

// How a predictor learns. Set by surefill_predictor_options_init, then changed as needed.
typedef struct surefill_predictor_options {
  // Bytes of this structure, as the program knows it.
  uint32_t struct_size;
  // One of SUREFILL_LOAD_.
  int32_t load;
  // SUREFILL_INITIAL_STATIC or, if the number of states is a power of two, SUREFILL_INITIAL_K_MEANS.
  int32_t initial;
  // One of SUREFILL_TERMINATION_.
  int32_t termination;
  // What termination compares with: a whole number of rounds (at least 1), or epsilon (not negative).
  double threshold;
  // A training stops after so many rounds at the latest (at least 1).
  int64_t most_rounds;
  // Length of a slot in seconds (1 to 2^32).
  int64_t slot_seconds;
  // No training before so many seconds after the first submission, and before all jobs submitted in them have ended (0 to
  // 2^40).
  int64_t initial_seconds;
  // With a termination other than L1, training begins again when so many seconds of new slots are finished (1 to 2^40).
  int64_t restart_seconds;
  // What happens when no possible state explains a slot, in a bin that none has seen for example (0 to below 1). With 0, the
  // thesis's rule, the predictor is silent until it has learnt from that slot; else the slot is taken as if every state had drawn
  // any bin with this probability.
  double floor;
  // On line: a of the step size t^-a (above 0.5, at most 1). See surefill_online_hmm_options.
  double exponent;
  // On line: slots before the first maximisation step (not negative).
  int64_t hold;
} surefill_predictor_options;

// Capacities of a mixture. Set by surefill_mixture_limits_init, then changed as needed.
typedef struct surefill_mixture_limits {
  // Bytes of this structure, as the program knows it.
  uint32_t struct_size;
  // Bins of the run times (1 to SUREFILL_MAX_BINS).
  int32_t bins;
  // Keys of a job (1 to SUREFILL_MAX_KEYS); key 0 is its owner, the user as a rule.
  int32_t keys;
  // Experts (1 to SUREFILL_MAX_EXPERTS).
  int32_t experts;
  // Histories kept (1 to 67,108,864): one for each expert and combination of its keys, and one for each owner. Those not
  // written to for longest leave.
  int32_t histories;
} surefill_mixture_limits;

// One way in which jobs are alike.
typedef struct surefill_expert {
  // The keys in which jobs must agree, the sum of 2^i for key i; 0 for all jobs alike.
  int32_t keys;
  // 0.
  int32_t reserved;
  // The factor by which a job's weight shrinks with every later one of its kind: 0 to 1, 1 for no ageing.
  double decay;
  // How many jobs everybody's distribution counts as: above 0, at most 1e9.
  double prior;
} surefill_expert;

// Capacities of a wait predictor. Set by surefill_wait_limits_init, then changed as needed.
typedef struct surefill_wait_limits {
  // Bytes of this structure, as the program knows it.
  uint32_t struct_size;
  // Waits that are remembered; the oldest go first (1 to 4,194,304, and enough for the options' own question).
  int32_t history;
  // Jobs that wait at the same time (1 to 4,194,304).
  int32_t queued;
  // Releases that tell whether the machine may be down (0 to 4,194,304; 0 without that component).
  int32_t releases;
  // The largest number of clusters (1 to SUREFILL_MAX_CLUSTERS; 1 saves the memory that clustering needs).
  int32_t clusters;
} surefill_wait_limits;

// How a wait predictor predicts. Set by surefill_wait_options_init, then changed as needed.
typedef struct surefill_wait_options {
  // Bytes of this structure, as the program knows it.
  uint32_t struct_size;
  // One of SUREFILL_METHOD_.
  int32_t method;
  // One of SUREFILL_ATTRIBUTE_: what jobs are clustered by.
  int32_t attribute;
  // The sum of SUREFILL_COMPONENT_ that are on; 0 for none.
  int32_t components;
  // The options' own question, which surefill_wait_submitted answers and by which misses are told and histories trimmed: the
  // quantile of the wait that is bounded (above 0, below 1) ...
  double quantile;
  // ... and the confidence of that bound (above 0, below 1).
  double confidence;
  // With AVAILABILITY: the quantile of jobs between releases, and of time between releases, above whose .95 bound the machine
  // may be down (above 0, below 1). The paper's is .95, which on its traces leaves 5 to 25 % of the jobs without a prediction.
  // It says nothing before ln(.05) / ln(down_quantile) releases, for which the limits must have room: 59 at .95, 299 at .99,
  // 2,995 at .999.
  double down_quantile;
  // With ADAPT: by how much the logarithm of the bounds rises with a miss, nearly (0 to 1).
  double rate;
  // After how many known waits the jobs are clustered again (1 to 4,294,967,295).
  int64_t recluster_every;
} surefill_wait_options;

// Capacities of a sizing. Set by surefill_sizing_limits_init, then changed as needed.
typedef struct surefill_sizing_limits {
  // Bytes of this structure, as the program knows it.
  uint32_t struct_size;
  // Running jobs (0 to 1,048,576).
  int32_t running;
  // Processors of the machine (1 to 16,777,216).
  int32_t processors;
  // Bins of the distributions (0 to SUREFILL_MAX_BINS; 0 when all lifetimes are log-uniform).
  int32_t bins;
  // Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN).
  int32_t events_per_bin;
} surefill_sizing_limits;

// What decides a choice. Set by surefill_choice_options_init, then changed as needed.
typedef struct surefill_choice_options {
  // Bytes of this structure, as the program knows it.
  uint32_t struct_size;
  // One of SUREFILL_WAIT_BY_: how waits are predicted.
  int32_t predictor;
  // With QUANTILE: which one (0 to 1).
  double quantile;
  // The fewest processors the job runs on (at least 1).
  int32_t least;
  // The most it may take (at least `least`). The paper: its average parallelism; under lock-in, once it has declared the number it
  // waits for, that number.
  int32_t most;
  // q: what a second of waiting costs, in seconds of run time (0 to 2^40). The paper: 1, or the jobs in the queue.
  double weight;
  // Risk aversion: waiting must gain more than this share of the run time on the idle processors (0 to 1). The paper: .2.
  double least_gain;
} surefill_choice_options;

// A job's best number of processors.
typedef struct surefill_choice {
  // How many: at most the idle ones when it should start now.
  int32_t processors;
  // 0.
  int32_t reserved;
  // The predicted wait for them in seconds, corrected; 0 when it should start now.
  double wait;
  // The wait before correction: what surefill_correction_record wants to know.
  double predicted;
  // The run time on them, in seconds.
  double run_time;
  // weight x wait + run time less than on the idle processors, in seconds; infinite when too few are idle.
  double gain;
} surefill_choice;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library that is linked, to be compared with SUREFILL_VERSION_NUMBER.
int32_t surefill_version_number(void);

// The ABI version of the library that is linked, to be compared with SUREFILL_ABI_VERSION.
int32_t surefill_abi_version(void);

// The name of a status, "SUREFILL_ERROR_FULL" for example; "unknown status" for other numbers. A static string.
const char *surefill_status_name(int32_t status);

// One sentence on a status, in English, without a full stop. A static string.
const char *surefill_status_text(int32_t status);

// Bytes of memory that bins need.
int64_t surefill_bins_size(void);

// Makes bins in the caller's memory (length bytes, at least surefill_bins_size, aligned to 8): first edge in seconds (above
// 0), ratio of neighbouring edges (above 1), number of bins (1 to SUREFILL_MAX_BINS, the open one included). The papers'
// ratio is 1.8.
//
// Errors: NULL, MISALIGNED, TOO_SMALL, NOT_A_NUMBER, OUT_OF_RANGE (also when an edge would pass SUREFILL_MAX_SECONDS).
int32_t surefill_bins_init(void *memory,
                           int64_t length,
                           double first,
                           double ratio,
                           int32_t count,
                           struct surefill_bins **bins);

// Makes the papers' bins: ratio 1.8, first edge 1.5 s, 24 bins, the last from 7.2 days.
//
// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length).
int32_t surefill_bins_init_default(void *memory,
                                   int64_t length,
                                   struct surefill_bins **bins);

// Makes the fewest bins with this first edge and ratio whose last, open bin starts above longest seconds.
//
// Errors: as surefill_bins_init; OUT_OF_RANGE also when SUREFILL_MAX_BINS do not reach that far.
int32_t surefill_bins_init_covering(void *memory,
                                    int64_t length,
                                    double first,
                                    double ratio,
                                    int64_t longest,
                                    struct surefill_bins **bins);

// The number of bins. Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT.
int32_t surefill_bins_count(const struct surefill_bins *bins,
                            int32_t *count);

// The bin, counted from 0, that holds a run time in seconds; negative run times are in bin 0. O(log of the number of
// bins).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER.
int32_t surefill_bins_index(const struct surefill_bins *bins,
                            double seconds,
                            int32_t *index);

// Where the bin with this index starts and ends, in seconds; the last ends at infinity, the first starts where it starts
// for logarithms.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NO_SUCH_INDEX.
int32_t surefill_bins_edges(const struct surefill_bins *bins,
                            int32_t index,
                            double *lower,
                            double *upper);

// Bytes of memory that a distribution needs.
int64_t surefill_distribution_size(void);

// Makes the distribution proportional to count numbers, one for each bin, none negative. When all are zero nothing is
// known: the job is expected to run to its limit.
//
// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE (also when there
// are not as many numbers as bins).
int32_t surefill_distribution_init_counts(void *memory,
                                          int64_t length,
                                          const struct surefill_bins *bins,
                                          const double *counts,
                                          int32_t count,
                                          struct surefill_distribution **distribution);

// Makes the distribution of count samples: run times in seconds (0 to SUREFILL_MAX_SECONDS) with weights, none negative;
// weights may be NULL, then every sample weighs 1. Without any weight nothing is known: the job is expected to run to its
// limit. O(count x log of the number of bins).
//
// Errors: as surefill_distribution_init_counts.
int32_t surefill_distribution_init_samples(void *memory,
                                           int64_t length,
                                           const struct surefill_bins *bins,
                                           const int64_t *runtimes,
                                           const double *weights,
                                           int32_t count,
                                           struct surefill_distribution **distribution);

// Makes a prediction of one value, in seconds (0 to SUREFILL_MAX_SECONDS).
//
// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE.
int32_t surefill_distribution_init_single(void *memory,
                                          int64_t length,
                                          int64_t seconds,
                                          struct surefill_distribution **distribution);

// Makes the distribution of which nothing is known: the job runs exactly to its limit, as EASY assumes. Wherever a
// distribution is asked for, NULL means the same.
//
// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length).
int32_t surefill_distribution_init_limit(void *memory,
                                         int64_t length,
                                         struct surefill_distribution **distribution);

// The bins' probabilities for a job that has run for age seconds under a limit in seconds (both 0 to
// SUREFILL_MAX_SECONDS): Algorithm 1 of Nissimov and Feitelson 2007. capacity is the room in probabilities, count the
// number of bins written; 0 when nothing is left (or no bins are known) and the job is expected to end at its limit.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, FULL (capacity).
int32_t surefill_distribution_recalculate(const struct surefill_distribution *distribution,
                                          int64_t age,
                                          int64_t limit,
                                          double *probabilities,
                                          int32_t capacity,
                                          int32_t *count);

// When the job may end: seconds from now (increasing, at least 1) and probabilities (which sum to 1) of a job of this age
// under this limit, each bin's probability divided into events_per_bin events (1 to SUREFILL_MAX_EVENTS_PER_BIN; the
// papers have 1). capacity is the room in both arrays: bins x events_per_bin is enough. count is the number written.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, FULL (capacity).
int32_t surefill_distribution_remaining(const struct surefill_distribution *distribution,
                                        int64_t age,
                                        int64_t limit,
                                        int32_t events_per_bin,
                                        int64_t *seconds,
                                        double *probabilities,
                                        int32_t capacity,
                                        int32_t *count);

// The remaining run time in seconds (at least 1) that a job of this age under this limit exceeds with probability at most
// 1 - quantile.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE.
int32_t surefill_distribution_quantile(const struct surefill_distribution *distribution,
                                       double quantile,
                                       int64_t age,
                                       int64_t limit,
                                       int64_t *seconds);

// Sets the limits to their defaults: 256 running jobs, 256 candidates, 1,024 processors, 32 bins of 4 events.
//
// Errors: NULL, MISALIGNED.
int32_t surefill_pass_limits_init(struct surefill_pass_limits *limits);

// Sets the rule to its defaults: exact probability below 0.05, no budget.
//
// Errors: NULL, MISALIGNED.
int32_t surefill_rule_init(struct surefill_rule *rule);

// Bytes of memory that a pass needs. With R running jobs, Q candidates, P processors, b bins of e events and
// E = (R + Q) b e this is at most 104 E + 16 Q b e + 8 P (log2 E + 12) + 8 tie_cells + 48 R + 100 Q + 4,096, with tie_cells
// at least 4 P + 20.
//
// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
int32_t surefill_pass_size(const struct surefill_pass_limits *limits,
                           int64_t *size);

// Makes a pass in the caller's memory (length bytes, at least surefill_pass_size, aligned to 8). O(1).
//
// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, OUT_OF_RANGE.
int32_t surefill_pass_init(void *memory,
                           int64_t length,
                           const struct surefill_pass_limits *limits,
                           struct surefill_pass **pass);

// Begins a pass at time now (seconds since any fixed origin, within 2^53 of it) with so many idle processors, for a head
// job that needs head_processors, more than are idle. Forgets what the last pass held, except the risk spent on this head
// job, which starts from 0 when head_id is not the last pass's. O(1).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, HEAD_FITS.
int32_t surefill_pass_begin(struct surefill_pass *pass,
                            int64_t now,
                            int32_t idle,
                            int64_t head_id,
                            int32_t head_processors);

// Adds a running job: its processors (at least 1), for how long it has run, its time limit (both in seconds, 0 to
// SUREFILL_MAX_SECONDS) and what is believed of its run time; NULL when nothing is known but the limit. index is its
// number, from 0; it may be NULL. O(bins x events per bin).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (also when the jobs hold more processors
// than the machine has), FULL (also for more bins than the limits have), WRONG_STATE.
int32_t surefill_pass_add_running(struct surefill_pass *pass,
                                  int32_t processors,
                                  int64_t age,
                                  int64_t limit,
                                  const struct surefill_distribution *distribution,
                                  int32_t *index);

// Adds a candidate for backfilling behind those added before: its processors (at least 1), its time limit in seconds and
// what is believed of its run time; NULL when nothing is known but the limit. index is its number, from 0; it may be
// NULL. O(bins x events per bin).
//
// Errors: as surefill_pass_add_running.
int32_t surefill_pass_add_candidate(struct surefill_pass *pass,
                                    int32_t processors,
                                    int64_t limit,
                                    const struct surefill_distribution *distribution,
                                    int32_t *index);

// Decides until a candidate is accepted, all are decided, or about work multiply-adds are done (at least 1; one instant,
// or one job added, is never interrupted). step is one of SUREFILL_STEP_; candidate is the accepted candidate's number, -1
// for the other steps. The rule may change only where a decision is complete, not after MORE.
//
// With E events of the running jobs and c processors still missing for the head job, a decision costs about E c
// multiply-adds, or E (c + k) for the criteria other than PROBABILITY, with k the widest candidate; every acceptance
// starts another. On top come k for each end of a candidate and O(E) to set a decision up. Where many jobs may end in one
// second, that second costs at most about 64 multiply-adds for each of the limits' tie_cells, and the jobs times their
// processors.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, WRONG_STATE (no pass has
// begun, an accepted candidate waits for its commit, or the rule changed after MORE).
int32_t surefill_pass_decide(struct surefill_pass *pass,
                             const struct surefill_rule *rule,
                             int64_t work,
                             int32_t *step,
                             int32_t *candidate);

// Starts the accepted candidate: a running job from now on, its delay spent. O(candidates).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, WRONG_STATE, NO_SUCH_INDEX (not the accepted one).
int32_t surefill_pass_commit(struct surefill_pass *pass,
                             int32_t candidate);

// Gives the accepted candidate up, because it could not be started after all. O(1).
//
// Errors: as surefill_pass_commit.
int32_t surefill_pass_decline(struct surefill_pass *pass,
                              int32_t candidate);

// What has become of a candidate: the delay of the head job in the criterion's unit (0 while not judged), how that relates
// to the true delay (one of SUREFILL_DELAY_), and one of SUREFILL_VERDICT_. O(1).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NO_SUCH_INDEX.
int32_t surefill_pass_judgement(const struct surefill_pass *pass,
                                int32_t candidate,
                                double *delay,
                                int32_t *exactness,
                                int32_t *verdict);

// The delays of committed candidates added up for the present head job, by the criterion they were judged by: an upper
// bound of the probability that any of them delays it. O(1).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (criterion).
int32_t surefill_pass_spent(const struct surefill_pass *pass,
                            int32_t criterion,
                            double *spent);

// Continues with the risk spent on a head job in another block, as surefill_pass_spent said there of each criterion: the next
// surefill_pass_begin with this head_id goes on from there. Before the first begin only, and once. count is 4; spent, none
// negative, is in the order of SUREFILL_CRITERION_.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, WRONG_STATE.
int32_t surefill_pass_restore_spent(struct surefill_pass *pass,
                                    int64_t head_id,
                                    const double *spent,
                                    int32_t count);

// The idle processors left. O(1).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT.
int32_t surefill_pass_idle(const struct surefill_pass *pass,
                           int32_t *idle);

// The probability that at least so many processors are free at time when if nothing else is started. O(running jobs x
// (events + processors)).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, WRONG_STATE.
int32_t surefill_pass_free_probability(struct surefill_pass *pass,
                                       int32_t processors,
                                       int64_t when,
                                       double *probability);

// The probability that the head job has started by time when if nothing else is started. Cost and errors: as
// surefill_pass_free_probability.
int32_t surefill_pass_head_start_probability(struct surefill_pass *pass,
                                             int64_t when,
                                             double *probability);

// The earliest time by which the head job has started with at least this probability (above 0, at most 1) if nothing else
// is started. O(log events x running jobs x (events + processors)).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, WRONG_STATE, NEVER.
int32_t surefill_pass_head_start_quantile(struct surefill_pass *pass,
                                          double probability,
                                          int64_t *when);

// Bytes of memory that an inbox needs.
int64_t surefill_inbox_size(void);

// Makes an empty inbox in the caller's memory (length bytes, at least surefill_inbox_size, aligned to 8).
//
// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length).
int32_t surefill_inbox_init(void *memory,
                            int64_t length,
                            struct surefill_inbox **inbox);

// Puts an event in. For the one pushing thread. O(1), never waits.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT (moved), OUT_OF_RANGE (kind or processors), FULL.
int32_t surefill_inbox_push(struct surefill_inbox *inbox,
                            const struct surefill_job_event *event);

// Takes the oldest event out. For the one popping thread. O(1), never waits.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT (moved), EMPTY.
int32_t surefill_inbox_pop(struct surefill_inbox *inbox,
                           struct surefill_job_event *event);

// The number of events inside; for the popping thread. The other may be changing it.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT (moved).
int32_t surefill_inbox_length(const struct surefill_inbox *inbox,
                              int32_t *length);

// Sets the limits to their defaults: 16 states, 24 bins, a year of slots of 15 min, 100,000 cells.
//
// Errors: NULL, MISALIGNED.
int32_t surefill_hmm_limits_init(struct surefill_hmm_limits *limits);

// Bytes of memory that a model needs. With M states, S = M rounded up to a multiple of 8, N bins, T slots and C cells this
// is at most 20 T + 12 C + 24 (sqrt(T) + 2) (S + 1) + 8 S (5 M + 7 N + 12) + 400.
//
// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
int32_t surefill_hmm_size(const struct surefill_hmm_limits *limits,
                          int64_t *size);

// Makes a model without parameters and observations in the caller's memory (length bytes, at least surefill_hmm_size,
// aligned to 8). O(size).
//
// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, OUT_OF_RANGE.
int32_t surefill_hmm_init(void *memory,
                          int64_t length,
                          const struct surefill_hmm_limits *limits,
                          struct surefill_hmm **hmm);

// Makes the block a checkpoint, to be written to disk: writes its checksum. Any later call that changes the model breaks the
// seal. O(size).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
int32_t surefill_hmm_seal(struct surefill_hmm *hmm);

// The model in a checkpoint (length bytes at least) read back into memory, which must be as surefill_hmm_seal left it. O(size).
//
// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
int32_t surefill_hmm_open(void *memory,
                          int64_t length,
                          struct surefill_hmm **hmm);

// Sets the parameters of a model with so many states M and bins N: start has M probabilities, transition M x M and emission
// M x N, row by row; each row sums to 1 within 1e-9. load is one of SUREFILL_LOAD_; load_parameter has M numbers, and is not
// read without a load model. Training under way is given up. O(M (M + N)).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE (also for other numbers of states
// and bins), NOT_A_DISTRIBUTION.
int32_t surefill_hmm_set_parameters(struct surefill_hmm *hmm,
                                    int32_t states,
                                    int32_t bins,
                                    int32_t load,
                                    const double *start,
                                    const double *transition,
                                    const double *emission,
                                    const double *load_parameter);

// The parameters, as surefill_hmm_set_parameters takes them; load_parameter is all 0 without a load model. O(M (M + N)).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (other numbers of states and bins),
// WRONG_STATE (no parameters yet).
int32_t surefill_hmm_parameters(const struct surefill_hmm *hmm,
                                int32_t states,
                                int32_t bins,
                                int32_t *load,
                                double *start,
                                double *transition,
                                double *emission,
                                double *load_parameter);

// Sets the parameters to Static-IV (Algorithm 3), with so many jobs a slot on average if the load is modelled (positive).
// Training under way is given up. O(M (M + N)).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE.
int32_t surefill_hmm_init_static(struct surefill_hmm *hmm,
                                 int32_t load,
                                 double mean_jobs);

// Adapts the parameters to slots half as long: A'_ij = A_ij / 2, A'_ii = A_ii / 2 + 1/2, half the mean load. The
// observations are forgotten, and training under way is given up.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, WRONG_STATE (no parameters).
int32_t surefill_hmm_halve_slots(struct surefill_hmm *hmm);

// Reports a finished job: the slot in which it was submitted and the bin of its run time, from 0. Slots up to this one that
// were not known are empty. When there is no more room the oldest slots leave. O(bins + slots that come or leave).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (also for a slot that has left), FULL.
int32_t surefill_hmm_observe(struct surefill_hmm *hmm,
                             int64_t slot,
                             int32_t bin);

// Makes this the last slot, empty as yet, if it is later than the last one known.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE.
int32_t surefill_hmm_extend(struct surefill_hmm *hmm,
                            int64_t slot);

// The slots held: first..end, empty if they are equal.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT.
int32_t surefill_hmm_slots(const struct surefill_hmm *hmm,
                           int64_t *first,
                           int64_t *end);

// ln Pr(evidence in the slots from..to), one of SUREFILL_EVIDENCE_; minus infinity when the model does not explain it.
// O(slots M^2).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (also for slots not held, or none),
// WRONG_STATE (no parameters).
int32_t surefill_hmm_log_likelihood(const struct surefill_hmm *hmm,
                                    int64_t from,
                                    int64_t to,
                                    int32_t evidence,
                                    double *log_likelihood);

// Pr(state of slot to - 1 | observations in the slots from..to), states numbers, and ln Pr(observations); when that is minus
// infinity the model does not explain them, and probabilities is not written. O(slots M^2).
//
// Errors: as surefill_hmm_log_likelihood; OUT_OF_RANGE also for another number of states.
int32_t surefill_hmm_filter(const struct surefill_hmm *hmm,
                            int64_t from,
                            int64_t to,
                            double *probabilities,
                            int32_t states,
                            double *log_likelihood);

// The most likely state, from 0, of each of the slots from..to, and ln Pr(these states and the observations); when that is
// minus infinity the model does not explain them, and path is not written. length is the number of slots. Training under way
// begins its round again. O(slots M^2).
//
// Errors: as surefill_hmm_log_likelihood; OUT_OF_RANGE also for another length.
int32_t surefill_hmm_viterbi(struct surefill_hmm *hmm,
                             int64_t from,
                             int64_t to,
                             int32_t *path,
                             int32_t length,
                             double *log_likelihood);

// Begins training on the slots from..to, from one of SUREFILL_INITIAL_; load is one of SUREFILL_LOAD_, and ignored for
// PRESENT. The parameters in use stay until a round is complete. Training under way is given up. O(slots).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (also for slots not held, or none, and for
// K_MEANS when the number of states is not a power of two), WRONG_STATE (PRESENT without parameters), EMPTY (K_MEANS without
// a job).
int32_t surefill_hmm_begin_training(struct surefill_hmm *hmm,
                                    int32_t initial,
                                    int32_t load,
                                    int64_t from,
                                    int64_t to);

// Trains until a round is complete and its parameters are in use (step is SUREFILL_TRAINING_DONE; round says what it did), or
// until about work slots are visited (at least 1; SUREFILL_TRAINING_MORE, round is not written). A round visits each slot three
// times. Then call again, for the rest or for the next round. However it is sliced, the result is the same bit for bit. O(work M^2).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (work), WRONG_STATE (training has not begun).
int32_t surefill_hmm_train(struct surefill_hmm *hmm,
                           int64_t work,
                           int32_t *step,
                           struct surefill_round *round);

// Sets the options to their defaults: a = 0.75, a floor of 0.001, 100 slots before the parameters change.
//
// Errors: NULL, MISALIGNED.
int32_t surefill_online_hmm_options_init(struct surefill_online_hmm_options *options);

// Bytes of memory that a model of so many states M (1 to SUREFILL_MAX_STATES) and bins N (2 to SUREFILL_MAX_BINS) needs: with
// S = M rounded up to a multiple of 8, at most 8 S (M (M + 1 + N) + 3 M + 3 N + 8) + 100.
//
// Errors: NULL, MISALIGNED, OUT_OF_RANGE.
int32_t surefill_online_hmm_size(int32_t states,
                                 int32_t bins,
                                 int64_t *size);

// Makes a model in the caller's memory (length bytes, at least surefill_online_hmm_size, aligned to 8) that starts from these
// parameters, as surefill_hmm_set_parameters takes them. O(size).
//
// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, NOT_A_NUMBER, OUT_OF_RANGE, NOT_A_DISTRIBUTION.
int32_t surefill_online_hmm_init(void *memory,
                                 int64_t length,
                                 int32_t states,
                                 int32_t bins,
                                 int32_t load,
                                 const double *start,
                                 const double *transition,
                                 const double *emission,
                                 const double *load_parameter,
                                 const struct surefill_online_hmm_options *options,
                                 struct surefill_online_hmm **online);

// Makes the block a checkpoint, to be written to disk: writes its checksum. Any later call that changes the model breaks the
// seal. O(size).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
int32_t surefill_online_hmm_seal(struct surefill_online_hmm *online);

// The model in a checkpoint (length bytes at least) read back into memory, which must be as surefill_online_hmm_seal left it.
// O(size).
//
// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
int32_t surefill_online_hmm_open(void *memory,
                                 int64_t length,
                                 struct surefill_online_hmm **online);

// Learns from the next slot: counts has a number of finished jobs for each of count bins, which must be the model's.
// log_likelihood is ln Pr(slot | slots before), minus infinity when no possible state explains the slot and there is no floor: then
// nothing is learnt from it. explained is 1, or 0 when the model did not explain the slot without the floor. O(M^3 (M + N)).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE (count, a negative number,
// or more than 2^32 - 1 jobs).
int32_t surefill_online_hmm_learn(struct surefill_online_hmm *online,
                                  const int32_t *counts,
                                  int32_t count,
                                  double *log_likelihood,
                                  int32_t *explained);

// The distribution of the bin of a job submitted in the next slot, as count numbers, one for each bin; count must be the number
// of bins. O(M (M + N)).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE (count).
int32_t surefill_online_hmm_probabilities(const struct surefill_online_hmm *online,
                                          double *probabilities,
                                          int32_t count);

// Slots learnt from, or at least seen.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
int32_t surefill_online_hmm_slots(const struct surefill_online_hmm *online,
                                  int64_t *slots);

// The parameters, as surefill_hmm_parameters gives them. O(M (M + N)).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE (other numbers of states and
// bins).
int32_t surefill_online_hmm_parameters(const struct surefill_online_hmm *online,
                                       int32_t states,
                                       int32_t bins,
                                       int32_t *load,
                                       double *start,
                                       double *transition,
                                       double *emission,
                                       double *load_parameter);

// Sets the limits to their defaults: 4,096 jobs, 16 states, 24 bins, a year of slots of 15 min, 100,000 cells, 1,024 slots
// remembered; Baum-Welch.
//
// Errors: NULL, MISALIGNED.
int32_t surefill_predictor_limits_init(struct surefill_predictor_limits *limits);

// Sets the options to the thesis's: no load model, Static-IV, L1 with 200 and at most 1,000 rounds, slots of 15 min, an
// initial period of a week, restarts weekly; but with a floor of 0.001.
//
// Errors: NULL, MISALIGNED.
int32_t surefill_predictor_options_init(struct surefill_predictor_options *options);

// Bytes of memory that a predictor needs: a model's (surefill_hmm_size), 64 for each job, 8 S for each slot of the window
// (S states, rounded up to a multiple of 8), 32 S and about 1,200; on line also surefill_online_hmm_size.
//
// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
int32_t surefill_predictor_size(const struct surefill_predictor_limits *limits,
                                int64_t *size);

// Makes a predictor in the caller's memory (length bytes, at least surefill_predictor_size, aligned to 8) for run times in
// these bins, of which it keeps a copy. O(size).
//
// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE (also when the bins are
// not as many as the limits say).
int32_t surefill_predictor_init(void *memory,
                                int64_t length,
                                const struct surefill_predictor_limits *limits,
                                const struct surefill_bins *bins,
                                const struct surefill_predictor_options *options,
                                struct surefill_predictor **predictor);

// Makes the block a checkpoint, to be written to disk: writes its checksum. Any later call that changes the predictor breaks
// the seal. O(size).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
int32_t surefill_predictor_seal(struct surefill_predictor *predictor);

// The predictor in a checkpoint (length bytes at least) read back into memory, which must be as surefill_predictor_seal left
// it. It goes on bit for bit as the sealed one would have, in the middle of training too. O(size).
//
// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
int32_t surefill_predictor_open(void *memory,
                                int64_t length,
                                struct surefill_predictor **predictor);

// A job was submitted. O(1) amortised over the slots that pass.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, DUPLICATE_JOB, FULL, TIME_WENT_BACK, OUT_OF_RANGE (time).
int32_t surefill_predictor_submit(struct surefill_predictor *predictor,
                                  int64_t job,
                                  int64_t now);

// A submitted job was started. O(1) amortised over the slots that pass.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, UNKNOWN_JOB, ALREADY_STARTED, TIME_WENT_BACK, OUT_OF_RANGE
// (time).
int32_t surefill_predictor_start(struct surefill_predictor *predictor,
                                 int64_t job,
                                 int64_t now);

// A running job ended; its run time is learnt. O(bins) amortised over the slots that pass.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, UNKNOWN_JOB, NOT_STARTED, TIME_WENT_BACK, OUT_OF_RANGE (time).
int32_t surefill_predictor_end(struct surefill_predictor *predictor,
                               int64_t job,
                               int64_t now);

// A job left without having run to its end: cancelled while queued, or running but not to be learnt from. O(1) amortised over
// the slots that pass.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, UNKNOWN_JOB, TIME_WENT_BACK, OUT_OF_RANGE (time).
int32_t surefill_predictor_cancel(struct surefill_predictor *predictor,
                                  int64_t job,
                                  int64_t now);

// Jobs in the system.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT.
int32_t surefill_predictor_jobs(const struct surefill_predictor *predictor,
                                int32_t *jobs);

// What is believed of the run time of a job submitted now: a distribution made in the caller's memory (length bytes, at least
// surefill_distribution_size). known is 1; or 0 when the predictor is silent, because it has not learnt yet or (without a floor)
// its model cannot explain what is happening, and then the distribution is the one of which nothing is known but the limit.
//
// O((M^2 + jobs M) S) for M states and S slots from the earliest with a change since the last prediction.
//
// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_OBJECT, WRONG_VERSION, CORRUPT, TIME_WENT_BACK, OUT_OF_RANGE (time, length).
int32_t surefill_predictor_predict(struct surefill_predictor *predictor,
                                   int64_t now,
                                   void *memory,
                                   int64_t length,
                                   int32_t *known,
                                   struct surefill_distribution **distribution);

// As surefill_predictor_predict, as count numbers, one for each bin; count must be the number of bins. known is 0 when the
// predictor is silent, and then probabilities is not written.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, TIME_WENT_BACK, OUT_OF_RANGE (time, count).
int32_t surefill_predictor_probabilities(struct surefill_predictor *predictor,
                                         int64_t now,
                                         double *probabilities,
                                         int32_t count,
                                         int32_t *known);

// Whether training is under way or should begin (1) or not (0), at the time of the last event or prediction. O(1).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT.
int32_t surefill_predictor_wants_training(const struct surefill_predictor *predictor,
                                          int32_t *wants);

// Trains, if that is wanted, for about work visits to slots (at least 1); events and predictions may come between two calls. A
// round visits every finished slot three times; on line each slot is visited once, in O(M^3 (M + N)), and round says what was
// learnt since the last DONE, its rounds being the slots learnt in all. step is SUREFILL_TRAINING_IDLE, MORE or DONE; after
// DONE the new model is in use, and round is the last of its rounds, else round is not written. O(work M^2).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (work).
int32_t surefill_predictor_train(struct surefill_predictor *predictor,
                                 int64_t work,
                                 int32_t *step,
                                 struct surefill_round *round);

// Starts from a model learnt elsewhere, as surefill_hmm_set_parameters takes it: the predictor predicts from now on, and trains
// the model further once the initial period is over. Before the first event only.
//
// Errors: as surefill_hmm_set_parameters; WRONG_STATE after an event.
int32_t surefill_predictor_set_model(struct surefill_predictor *predictor,
                                     int32_t states,
                                     int32_t bins,
                                     int32_t load,
                                     const double *start,
                                     const double *transition,
                                     const double *emission,
                                     const double *load_parameter);

// The parameters of the model in use, as surefill_hmm_parameters gives them.
//
// Errors: as surefill_hmm_parameters.
int32_t surefill_predictor_model(const struct surefill_predictor *predictor,
                                 int32_t states,
                                 int32_t bins,
                                 int32_t *load,
                                 double *start,
                                 double *transition,
                                 double *emission,
                                 double *load_parameter);

// Sets the limits to their defaults: 24 bins, 3 keys, 10 experts, 16,384 histories.
//
// Errors: NULL, MISALIGNED.
int32_t surefill_mixture_limits_init(struct surefill_mixture_limits *limits);

// Writes the experts of a set, one of SUREFILL_EXPERTS_, and their number. capacity is the room in experts:
// SUREFILL_MAX_EXPERTS is enough.
//
// Errors: NULL, MISALIGNED, OUT_OF_RANGE, FULL (capacity).
int32_t surefill_experts_init(int32_t set,
                              struct surefill_expert *experts,
                              int32_t capacity,
                              int32_t *count);

// Bytes of memory that a mixture needs. With H histories, b bins and e experts this is at most
// 8 H max(b + 1, e) + 32 H + 3,200: 3.8 MB for the default.
//
// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
int32_t surefill_mixture_size(const struct surefill_mixture_limits *limits,
                              int64_t *size);

// Makes a mixture that has seen no job in the caller's memory (length bytes, at least surefill_mixture_size, aligned to
// 8), for run times in these bins. Bins and experts are as many as the limits say. O(length).
//
// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE.
int32_t surefill_mixture_init(void *memory,
                              int64_t length,
                              const struct surefill_mixture_limits *limits,
                              const struct surefill_bins *bins,
                              const struct surefill_expert *experts,
                              int32_t expert_count,
                              struct surefill_mixture **mixture);

// A job with these keys (count numbers, as many as the limits say) has finished after so many seconds (0 to
// SUREFILL_MAX_SECONDS). O(experts x bins).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE.
int32_t surefill_mixture_learn(struct surefill_mixture *mixture,
                               const int64_t *keys,
                               int32_t count,
                               int64_t seconds);

// Makes the distribution of the run time of a job with these keys (count numbers, as many as the limits say) in memory of
// surefill_distribution_size; before any job has finished, its limit. O(experts x bins).
//
// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE.
int32_t surefill_mixture_predict(const struct surefill_mixture *mixture,
                                 const int64_t *keys,
                                 int32_t count,
                                 void *memory,
                                 int64_t length,
                                 struct surefill_distribution **distribution);

// The experts' weights for the owner of a job with these keys (count numbers, as many as the limits say); they sum to 1.
// capacity is the room in weights, which must be that of all experts.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE, FULL (capacity).
int32_t surefill_mixture_weights(const struct surefill_mixture *mixture,
                                 const int64_t *keys,
                                 int32_t count,
                                 double *weights,
                                 int32_t capacity);

// Makes the block a checkpoint, surefill_mixture_size bytes from the handle on, by writing its checksum. Any later call
// that changes the mixture breaks the seal. O(size).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
int32_t surefill_mixture_seal(struct surefill_mixture *mixture);

// Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as surefill_mixture_seal left
// it. O(size).
//
// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
int32_t surefill_mixture_open(void *memory,
                              int64_t length,
                              struct surefill_mixture **mixture);

// Sets the limits to their defaults: 16,384 waits, 4,096 jobs waiting, 4,096 releases, 16 clusters.
//
// Errors: NULL, MISALIGNED.
int32_t surefill_wait_limits_init(struct surefill_wait_limits *limits);

// Sets the options to the paper's: .95 bound of the .95 quantile by order statistics, TRIM, CLUSTER by requested time every 1,000
// waits, and AVAILABILITY, less easily alarmed (down_quantile .999).
//
// Errors: NULL, MISALIGNED.
int32_t surefill_wait_options_init(struct surefill_wait_options *options);

// Bytes of memory that a wait predictor needs: 80 for each remembered wait, 230 with clusters, 160 for each release, 60 for each
// waiting job, and 62,000; 4.7 MB for the default.
//
// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
int32_t surefill_wait_size(const struct surefill_wait_limits *limits,
                           int64_t *size);

// Makes a predictor that knows no wait in the caller's memory (length bytes, at least surefill_wait_size, aligned to 8).
// O(length).
//
// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, NOT_A_NUMBER, OUT_OF_RANGE (also when the options' quantile and confidence
// need more waits than the history holds).
int32_t surefill_wait_init(void *memory,
                           int64_t length,
                           const struct surefill_wait_limits *limits,
                           const struct surefill_wait_options *options,
                           struct surefill_wait **wait);

// Makes the block a checkpoint, surefill_wait_size bytes from the handle on, by writing its checksum. Any later call that
// changes the predictor breaks the seal. O(size).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
int32_t surefill_wait_seal(struct surefill_wait *wait);

// Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as surefill_wait_seal left it. It goes
// on bit for bit as the sealed one would have, in the middle of clustering too. O(size).
//
// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
int32_t surefill_wait_open(void *memory,
                           int64_t length,
                           struct surefill_wait **wait);

// A job was submitted that requests so many seconds (0 to SUREFILL_MAX_SECONDS) and processors (not negative). answer is one of
// SUREFILL_ANSWER_ to the options' own question; bound is the wait's upper bound in seconds, -1 with any answer but BOUND.
// O(log n) for n remembered waits.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, TIME_WENT_BACK, OUT_OF_RANGE, DUPLICATE_JOB, FULL.
int32_t surefill_wait_submitted(struct surefill_wait *wait,
                                int64_t job,
                                int64_t now,
                                int64_t requested,
                                int32_t processors,
                                int32_t *answer,
                                int64_t *bound);

// A waiting job was started: its wait becomes history; waited is that in seconds. O(log n), and while jobs are clustered again
// 64 + 4 history / recluster_every steps of O(log n).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, TIME_WENT_BACK, OUT_OF_RANGE (time), UNKNOWN_JOB.
int32_t surefill_wait_started(struct surefill_wait *wait,
                              int64_t job,
                              int64_t now,
                              int64_t *waited);

// A waiting job was cancelled: nothing is learnt. O(log n).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, TIME_WENT_BACK, OUT_OF_RANGE (time), UNKNOWN_JOB.
int32_t surefill_wait_cancelled(struct surefill_wait *wait,
                                int64_t job,
                                int64_t now);

// A wait known from elsewhere, in seconds (0 to SUREFILL_MAX_SECONDS), of a job that requested so many seconds and processors: as
// if it had been submitted and started, but without time passing. Costs as surefill_wait_started.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE.
int32_t surefill_wait_known(struct surefill_wait *wait,
                            int64_t seconds,
                            int64_t requested,
                            int32_t processors);

// Clusters the jobs again before it is time, or goes on with a clustering that is under way, for at most work steps of O(log n)
// each (at least 1). step is one of SUREFILL_CLUSTERING_; after DONE the next call begins another. Other calls may come between
// two of these.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (work).
int32_t surefill_wait_recluster(struct surefill_wait *wait,
                                int64_t work,
                                int32_t *step);

// An upper bound in seconds, with this confidence, for the quantile (both above 0, below 1) of the wait of a job submitted now
// that requests so many seconds and processors. answer is one of SUREFILL_ANSWER_, bound is -1 with any answer but BOUND. With
// ADAPT the options' own question is answered with the adapted bound. O(log n) for the options' own question, else with
// surefill_binomial_upper (or the method's own computation, up to O(n)) on top.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, TIME_WENT_BACK.
int32_t surefill_wait_predict(const struct surefill_wait *wait,
                              int64_t requested,
                              int32_t processors,
                              double quantile,
                              double confidence,
                              int64_t now,
                              int32_t *answer,
                              int64_t *bound);

// As surefill_wait_predict, a lower bound, by the binomial method. O(log n) and the cost of surefill_binomial_lower.
//
// Errors: as surefill_wait_predict.
int32_t surefill_wait_predict_lower(const struct surefill_wait *wait,
                                    int64_t requested,
                                    int32_t processors,
                                    double quantile,
                                    double confidence,
                                    int64_t now,
                                    int32_t *answer,
                                    int64_t *bound);

// As surefill_wait_predict, a lower and an upper bound that hold together with this confidence, by the binomial method. O(log n)
// and the cost of surefill_binomial_two_sided.
//
// Errors: as surefill_wait_predict.
int32_t surefill_wait_predict_two_sided(const struct surefill_wait *wait,
                                        int64_t requested,
                                        int32_t processors,
                                        double quantile,
                                        double confidence,
                                        int64_t now,
                                        int32_t *answer,
                                        int64_t *lower,
                                        int64_t *upper);

// As surefill_wait_predict, for a job that waits since it was submitted: an upper bound for its wait, counted from its submission, by
// the binomial method from the waits that were at least as long as its own is now.
//
// Errors: as surefill_wait_predict, and UNKNOWN_JOB.
int32_t surefill_wait_predict_waiting(const struct surefill_wait *wait,
                                      int64_t job,
                                      double quantile,
                                      double confidence,
                                      int64_t now,
                                      int32_t *answer,
                                      int64_t *bound);

// How probable it is that a job that has waited for age seconds (0 for a new one) waits at most within seconds, counted from its
// submission: the part of the waits that were, with a lower bound for it at this confidence. rests_on is the number of waits
// of at least age that this rests on; 0 where there are none, then probability and at_least are 0. Says nothing about the
// machine being down. O(log n + sqrt n).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE.
int32_t surefill_wait_start_probability(const struct surefill_wait *wait,
                                        int64_t requested,
                                        int32_t processors,
                                        int64_t age,
                                        int64_t within,
                                        double confidence,
                                        double *probability,
                                        double *at_least,
                                        int64_t *rests_on);

// Whether no job has been started for so long, or while so many arrived, that the machine may be down (1) or not (0). O(log n).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, TIME_WENT_BACK, OUT_OF_RANGE (time).
int32_t surefill_wait_may_be_down(const struct surefill_wait *wait,
                                  int64_t now,
                                  int32_t *down);

// Jobs that wait.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT.
int32_t surefill_wait_jobs(const struct surefill_wait *wait,
                           int32_t *jobs);

// Waits that are remembered.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT.
int32_t surefill_wait_remembered(const struct surefill_wait *wait,
                                 int64_t *count);

// The clusters in use, at least one, in the order of the attribute: the smallest and the largest attribute of each
// (9223372036854775807 for no bound) and how many waits count there. capacity is the room in each array: SUREFILL_MAX_CLUSTERS is
// enough. clusters is the number written.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, FULL (capacity).
int32_t surefill_wait_clusters(const struct surefill_wait *wait,
                               int64_t *smallest,
                               int64_t *largest,
                               int64_t *counts,
                               int32_t capacity,
                               int32_t *clusters);

// By how much the last clustering raised the log-likelihood of all remembered waits, and its Bayes information criterion, over a
// single cluster: of predictors with different attributes, the one with the largest criterion has the attribute that explains the
// waits best.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT.
int32_t surefill_wait_explained(const struct surefill_wait *wait,
                                double *gain,
                                double *criterion);

// Which of so many observations (0 to 4,294,967,296), the k-th smallest counted from 1, is an upper bound with this confidence for
// the quantile of their distribution (both above 0, below 1): the smallest k with Pr(Bin(observations, quantile) <= k - 1) >=
// confidence. k is 0 when there are too few. O(sqrt(observations)), mostly far less.
//
// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE.
int32_t surefill_binomial_upper(int64_t observations,
                                double quantile,
                                double confidence,
                                int64_t *k);

// As surefill_binomial_upper, a lower bound: the largest k with Pr(Bin(observations, quantile) >= k) >= confidence.
//
// Errors: as surefill_binomial_upper.
int32_t surefill_binomial_lower(int64_t observations,
                                double quantile,
                                double confidence,
                                int64_t *k);

// As surefill_binomial_upper, a lower and an upper bound that hold together with this confidence: each is one-sided at
// (1 + confidence) / 2. Both are 0 when there are too few observations for either.
//
// Errors: as surefill_binomial_upper.
int32_t surefill_binomial_two_sided(int64_t observations,
                                    double quantile,
                                    double confidence,
                                    int64_t *lower,
                                    int64_t *upper);

// The fewest observations for which surefill_binomial_upper finds a bound: the smallest n with quantile^n <= 1 - confidence, 59 for
// .95 and .95.
//
// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also when more than 4,294,967,296 would be needed).
int32_t surefill_binomial_fewest(double quantile,
                                 double confidence,
                                 int64_t *observations);

// How many consecutive values above a series' quantile (above 0, below 1) are a change point, when the series' lag-1
// autocorrelation is correlation (-1 to 1): so many happen by chance less than once in 8,000 values. threshold is 0 for quantiles
// below .25 and correlations above .99, where long runs are no news. O(1).
//
// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE.
int32_t surefill_rare_event_threshold(double quantile,
                                      double correlation,
                                      int32_t *threshold);

// The upper bound, with this confidence, of the quantile (both above 0, below 1) of a log-normal distribution, from count
// independent waits in seconds (at least 2, none negative; they count as at least one second). O(count).
//
// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also for fewer than 2 waits).
int32_t surefill_log_normal_bound(const double *waits,
                                  int32_t count,
                                  double quantile,
                                  double confidence,
                                  double *seconds);

// The quantile (above 0, below 1) of the log-uniform distribution most likely to give these waits in seconds (at least 1, none
// negative; they count as at least one second). O(count).
//
// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also without a wait).
int32_t surefill_log_uniform_quantile(const double *waits,
                                      int32_t count,
                                      double quantile,
                                      double *seconds);

// The Weibull distribution most likely to give these waits in seconds (at least 1, none negative; they count as at least one
// second): its shape (infinite where all waits are equal), its scale in seconds, and its quantile (above 0, below 1) in seconds. At
// most 60 passes over the waits, usually six.
//
// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also without a wait).
int32_t surefill_weibull_quantile(const double *waits,
                                  int32_t count,
                                  double quantile,
                                  double *shape,
                                  double *scale,
                                  double *seconds);

// How many times as fast a job with this average parallelism (A, 1 to 2^40) and sigma (about the squared coefficient of variation
// of its parallelism; from 0, infinity for the lower bound of equation 3) runs on so many processors (1 to 2^40) as on one:
// Downey 1997, equations 1 and 2. Between 1 and A.
//
// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE.
int32_t surefill_speedup(double parallelism,
                         double sigma,
                         double processors,
                         double *speedup);

// The lower bound of that for any sigma (equation 3): no job of this average parallelism is slower.
//
// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE.
int32_t surefill_speedup_least(double parallelism,
                               double processors,
                               double *speedup);

// The run time in seconds on so many processors (at least 1) of a job that takes sequential seconds (not negative) on one.
//
// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE.
int32_t surefill_speedup_run_time(double parallelism,
                                  double sigma,
                                  double sequential,
                                  int32_t processors,
                                  double *seconds);

// The model of count measured speedups, each on so many processors (1 to 2^20; two different numbers at least): parallelism and
// sigma (may be infinite), and the root mean square of the differences of the natural logarithms, about the relative error. Parallelism
// and sigma can be told apart only when the measurements reach saturation; any pair that fits predicts the measured range
// equally well. O(count).
//
// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also speedups that are not positive or above 2^40, and measurements on
// fewer than two numbers of processors).
int32_t surefill_speedup_fit(const double *processors,
                             const double *speedups,
                             int32_t count,
                             double *parallelism,
                             double *sigma,
                             double *error);

// As surefill_speedup_fit, of run times in seconds, none of which need be on one processor, on three different numbers of processors
// at least; sequential is the run time on one.
//
// Errors: as surefill_speedup_fit.
int32_t surefill_speedup_fit_run_times(const double *processors,
                                       const double *seconds,
                                       int32_t count,
                                       double *parallelism,
                                       double *sigma,
                                       double *sequential,
                                       double *error);

// Pr(a job ends within wait seconds, given that it has run for age seconds; both 0 to 2^40) when lifetimes are uniform in the
// logarithm between shortest and longest seconds (1e-9 to 2^40): equation 5, in which t is age plus wait. A job that has reached
// the longest is expected to end in one second.
//
// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE.
int32_t surefill_lifetime_ends_within(double shortest,
                                      double longest,
                                      double age,
                                      double wait,
                                      double *probability);

// The mean of such lifetimes, in seconds.
//
// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE.
int32_t surefill_lifetime_mean(double shortest,
                               double longest,
                               double *seconds);

// The coefficients of such lifetimes' distribution beta0 + beta1 ln t (equation 4).
//
// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE.
int32_t surefill_lifetime_coefficients(double shortest,
                                       double longest,
                                       double *beta0,
                                       double *beta1);

// The shortest and longest lifetime in seconds of the distribution beta0 + beta1 ln t; beta1 is positive.
//
// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also when they lie outside 1e-9 to 2^40).
int32_t surefill_lifetime_bounds(double beta0,
                                 double beta1,
                                 double *shortest,
                                 double *longest);

// Fits such a distribution to a history of count lifetimes in seconds (1e-9 to 2^40), in increasing order: the least-squares line
// of equation 4 through the shares (i - 1/2) / count. O(count).
//
// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also when they are not in order or all the same, and when the line's bounds
// lie outside 1e-9 to 2^40).
int32_t surefill_lifetime_fit(const double *lifetimes,
                              int32_t count,
                              double *shortest,
                              double *longest);

// The same for a history in bins: the line through the shares of run times below each edge that has any on both sides. O(bins).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (fewer than two such edges, or no bins).
int32_t surefill_lifetime_fit_binned(const struct surefill_distribution *distribution,
                                     double *shortest,
                                     double *longest);

// Sets the limits to their defaults: 256 running jobs, 1,024 processors, 32 bins of 4 events.
//
// Errors: NULL, MISALIGNED.
int32_t surefill_sizing_limits_init(struct surefill_sizing_limits *limits);

// Bytes of memory that a sizing needs: at most 64 R + 16 R b e + 24 P + 128 for R running jobs, P processors and b bins of e
// events.
//
// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
int32_t surefill_sizing_size(const struct surefill_sizing_limits *limits,
                             int64_t *size);

// Makes a sizing in the caller's memory (length bytes, at least surefill_sizing_size, aligned to 8). O(1).
//
// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, OUT_OF_RANGE.
int32_t surefill_sizing_init(void *memory,
                             int64_t length,
                             const struct surefill_sizing_limits *limits,
                             struct surefill_sizing **sizing);

// Begins with so many idle processors and nothing running; what was added before is forgotten. O(1).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (more than the machine has, or negative).
int32_t surefill_sizing_begin(struct surefill_sizing *sizing,
                              int32_t idle);

// Adds a running job: its processors (at least 1), for how many seconds it has run (0 to 2^40), and between which lifetimes in
// seconds (1e-9 to 2^40) the logarithm of its own is uniform. O(1).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE (also when the jobs hold more
// processors than the machine has), FULL, WRONG_STATE (before surefill_sizing_begin).
int32_t surefill_sizing_add_running(struct surefill_sizing *sizing,
                                    int32_t processors,
                                    double age,
                                    double shortest,
                                    double longest);

// Adds a running job of which a distribution of run times is believed, NULL when nothing is known but its time limit; age and limit
// in whole seconds (0 to SUREFILL_MAX_SECONDS). O(bins x events per bin).
//
// Errors: as surefill_sizing_add_running; FULL also for a distribution with more bins than the limits have.
int32_t surefill_sizing_add_running_binned(struct surefill_sizing *sizing,
                                           int32_t processors,
                                           int64_t age,
                                           int64_t limit,
                                           const struct surefill_distribution *distribution);

// The wait in seconds until at least so many processors (not negative) are free, if nothing else starts, as predicted by one of
// SUREFILL_WAIT_BY_; 0 when they are. quantile (0 to 1) is for QUANTILE and else ignored: .5 gives the median, 1 when they surely
// are. BENEFACTORS, FLUID and COMBINED take O(64 x running jobs x releases), QUANTILE O(64 x running jobs x (releases + missing
// processors)), MEAN O(running jobs x missing processors) at eight places for each job and each doubling of time.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, WRONG_STATE (before
// surefill_sizing_begin), NEVER (the running jobs hold too few, or by BENEFACTORS there is none).
int32_t surefill_sizing_wait(struct surefill_sizing *sizing,
                             int32_t processors,
                             int32_t predictor,
                             double quantile,
                             double *seconds);

// The probability that at least so many processors (not negative) are free wait seconds (0 to 2^40) from now, if nothing else
// starts. O(running jobs x (releases + missing processors)).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, WRONG_STATE.
int32_t surefill_sizing_free_probability(struct surefill_sizing *sizing,
                                         int32_t processors,
                                         double wait,
                                         double *probability);

// The number of benefactors: running jobs that hold at least as many processors as are missing for so many (not negative).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, WRONG_STATE, NEVER (the running jobs hold too few).
int32_t surefill_sizing_benefactors(const struct surefill_sizing *sizing,
                                    int32_t processors,
                                    int32_t *benefactors);

// Bytes of memory that a correction needs.
int64_t surefill_correction_size(void);

// Makes a correction that knows nothing in the caller's memory (length bytes, at least surefill_correction_size, aligned to 8).
//
// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length).
int32_t surefill_correction_init(void *memory,
                                 int64_t length,
                                 struct surefill_correction **correction);

// Makes the block a checkpoint, surefill_correction_size bytes from the handle on, by writing its checksum. Any later call that
// changes the correction breaks the seal.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
int32_t surefill_correction_seal(struct surefill_correction *correction);

// Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as surefill_correction_seal left it.
//
// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
int32_t surefill_correction_open(void *memory,
                                 int64_t length,
                                 struct surefill_correction **correction);

// Records what was predicted, before correction, and what came of it: seconds (0 to 2^40; below one counts as one). O(1).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE.
int32_t surefill_correction_record(struct surefill_correction *correction,
                                   double predicted,
                                   double actual);

// The corrected prediction in seconds. Unchanged before 20 pairs are recorded, and while longer predictions go with shorter
// waits. O(1).
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE (predicted outside
// 0 to 2^40).
int32_t surefill_correction_corrected(const struct surefill_correction *correction,
                                      double predicted,
                                      double *seconds);

// Recorded pairs.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
int32_t surefill_correction_pairs(const struct surefill_correction *correction,
                                  int64_t *pairs);

// The line's intercept and slope, of natural logarithms of seconds. known is 1; or 0 when no two different predictions are
// recorded, and then neither is written.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
int32_t surefill_correction_line(const struct surefill_correction *correction,
                                 int32_t *known,
                                 double *intercept,
                                 double *slope);

// The coefficient of correlation of the logarithms. known is 1; or 0 while one of them has not varied, and then coefficient is not
// written.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
int32_t surefill_correction_correlation(const struct surefill_correction *correction,
                                        int32_t *known,
                                        double *coefficient);

// Sets the options to their defaults: the exact mean, from one processor up to all, a second for a second, however small the gain.
//
// Errors: NULL, MISALIGNED.
int32_t surefill_choice_options_init(struct surefill_choice_options *options);

// The number of processors n with the smallest weight x wait + run time, the smaller of equal ones, for a job that takes
// sequential seconds (0 to 2^40) on one and speeds up as surefill_speedup says. correction corrects the waits; NULL for none.
// O(n) times the predictor's test of one wait, and 64 times as much for each n that is better than those before it; by MEAN one
// integration for all n.
//
// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE (also when `least` is more than the machine
// has), WRONG_STATE (before surefill_sizing_begin), NEVER (neither the idle nor the busy processors suffice).
int32_t surefill_sizing_choose(struct surefill_sizing *sizing,
                               const struct surefill_choice_options *options,
                               const struct surefill_correction *correction,
                               double parallelism,
                               double sigma,
                               double sequential,
                               struct surefill_choice *choice);

// As surefill_sizing_choose, for a job of which it is known how long it runs on how many processors: count run times in seconds (0 to
// 2^40), the first on one processor, the next on two and so on. It takes count processors at most.
//
// Errors: as surefill_sizing_choose; OUT_OF_RANGE also when count is less than the options' `least`.
int32_t surefill_sizing_choose_measured(struct surefill_sizing *sizing,
                                        const struct surefill_choice_options *options,
                                        const struct surefill_correction *correction,
                                        const double *run_times,
                                        int32_t count,
                                        struct surefill_choice *choice);

// On how many processors the job starts when so many are free: all that it can use, `most` (at least the choice's) at most; or with
// lock_in (1) the number it waited for. processors is 0 when it goes on waiting.
//
// Errors: NULL, MISALIGNED, OUT_OF_RANGE (also for a lock_in that is neither 0 nor 1, and a choice of no processors).
int32_t surefill_choice_start(const struct surefill_choice *choice,
                              int32_t free,
                              int32_t most,
                              int32_t lock_in,
                              int32_t *processors);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SUREFILL_H */
