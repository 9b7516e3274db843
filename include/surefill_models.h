/* surefill, the models for research: the hidden Markov model by itself and on line, calibration of predictions by what
 * came, order statistics and their rivals, lifetimes. Licence: MIT OR Apache-2.0.
 *
 * Less stable than surefill.h, whose conventions hold here too: a function of this header may change or go with the
 * next minor version. Generated from src/capi (SUREFILL_BLESS=1 cargo test --test header); do not edit.
 */

#ifndef SUREFILL_MODELS_H
#define SUREFILL_MODELS_H

#include "surefill.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* How a model learns on line. Set by surefill_online_hmm_options_init, then changed as needed. */
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

/* Slots learnt from, or at least seen. */
int32_t surefill_online_hmm_slots(const surefill_online_hmm *online, int64_t *slots);

/* The parameters, as surefill_hmm_parameters gives them. O(M (M + N)).
 *
 * Errors: OUT_OF_RANGE (other numbers of states and bins). */
int32_t surefill_online_hmm_parameters(const surefill_online_hmm *online, surefill_model_parameters *parameters);

/* ---- Inside a predictor -------------------------------------------------------------------------------------------
 *
 * Probabilities bin by bin, whether training is wanted, and the parameters of a hidden Markov model that predicts.
 */

/* As surefill_predictor_predict, as bins numbers, one for each bin; bins must be the number of bins. When nothing
 * is predicted, probabilities is not written.
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

/* ---- Calibration of foretold starts -------------------------------------------------------------------------------
 *
 * Forecasts take beliefs about run times as true and do not foresee later jobs, so that jobs start later than they
 * say. This learns from the starts that came, and stretches what is told so that each level holds as often as it
 * says.
 *
 *     static int64_t memory[SUREFILL_START_CALIBRATION_SIZE / 8];
 *     const int64_t forecast[SUREFILL_START_LEVELS] = {60, 300, 600, 1800, 7200};
 *     surefill_start_calibration *calibration;
 *     int64_t told[SUREFILL_START_LEVELS], starts;
 *     double probability;
 *     int32_t heard = 0;
 *     surefill_start_calibration_init(memory, sizeof memory, &calibration);
 *     surefill_start_calibration_told(calibration, 0, forecast, SUREFILL_START_LEVELS, told);
 *     surefill_start_calibration_probability(calibration, 0, told, SUREFILL_START_LEVELS, 3600, &probability);
 *     surefill_start_calibration_overdue(calibration, 0, forecast, told, SUREFILL_START_LEVELS, 900, &heard);
 *     surefill_start_calibration_learn(calibration, 0, forecast, told, SUREFILL_START_LEVELS, 1200, heard);
 *     surefill_start_calibration_starts(calibration, &starts);
 *     surefill_start_calibration_seal(calibration);
 *     surefill_start_calibration_open(memory, sizeof memory, &calibration);
 */

/* The levels that are calibrated: .05, .25, .5, .75 and .95. */
#define SUREFILL_START_LEVELS 5

/* Bytes of memory that a calibration of starts needs, aligned to 8. */
#define SUREFILL_START_CALIBRATION_SIZE 3064

/* Stretches the quantiles that forecasts give for starts so that they hold, by the outcomes of those before
 * (adaptive conformal inference on the logarithm of the wait: Gibbs and Candes 2021), for each class of lead time
 * and of time waited. Ask a forecast for the five levels in seconds from now, tell what
 * surefill_start_calibration_told makes of them, keep both, and when the job starts say them to
 * surefill_start_calibration_learn. In the long run each level then holds about as often as it says, whatever the
 * forecasts are. Answers that were given before any outcome of theirs was known count once, be they one or a
 * thousand: a jam carries nothing away, and every answer may be kept.
 *
 * Distinct calibrations are independent; one needs one thread, or the caller's lock. The block holds no pointers,
 * and sealed it is a checkpoint. */
typedef struct surefill_start_calibration surefill_start_calibration;

/* Makes a calibration that has heard of nothing in the caller's memory (length bytes, at least
 * SUREFILL_START_CALIBRATION_SIZE, aligned to 8): it changes nothing. */
int32_t surefill_start_calibration_init(void *memory, int64_t length, surefill_start_calibration **calibration);

/* Makes the block a checkpoint, SUREFILL_START_CALIBRATION_SIZE bytes from the handle on, by writing its checksum.
 * Any later call that changes the calibration breaks the seal. */
int32_t surefill_start_calibration_seal(surefill_start_calibration *calibration);

/* Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
 * surefill_start_calibration_seal left it. */
int32_t surefill_start_calibration_open(void *memory, int64_t length, surefill_start_calibration **calibration);

/* What to tell of a job that has waited age seconds, of which a forecast says at the five levels that it waits for
 * these further seconds (not negative, not decreasing): the same, stretched. count is SUREFILL_START_LEVELS, of
 * both arrays. O(1).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_start_calibration_told(const surefill_start_calibration *calibration,
                                        int64_t age,
                                        const int64_t *forecast,
                                        int32_t count,
                                        int64_t *told);

/* The probability that a job that has waited age seconds has started within within more, where
 * surefill_start_calibration_told made told for it: that of the normal distribution whose quantiles the logarithms
 * of what is told are, corrected by how often such probabilities came true, which is learnt when jobs start. It
 * rises with within, and needs no forecast at hand. It holds on average over the jobs that are told it; one job's
 * may be off by .2 where forecasts are far too late and narrow, and differ where starts do not. count is
 * SUREFILL_START_LEVELS. O(1).
 *
 * Errors: as surefill_start_calibration_told. */
int32_t surefill_start_calibration_probability(const surefill_start_calibration *calibration,
                                               int64_t age,
                                               const int64_t *told,
                                               int32_t count,
                                               int64_t within,
                                               double *probability);

/* Hears that a job has started, waited seconds after a forecast: age and forecast are what
 * surefill_start_calibration_told was given for it and told what it made of them, count is SUREFILL_START_LEVELS,
 * of both arrays. heard is what surefill_start_calibration_overdue left of this job, 0 if that was not called.
 * O(1).
 *
 * Errors: as surefill_start_calibration_told; OUT_OF_RANGE also for bits that no level has. */
int32_t surefill_start_calibration_learn(surefill_start_calibration *calibration,
                                         int64_t age,
                                         const int64_t *forecast,
                                         const int64_t *told,
                                         int32_t count,
                                         int64_t waited,
                                         int32_t heard);

/* Hears that a job still waits, waited seconds after a forecast: the levels whose told wait is over have missed,
 * and are learnt from now, not only when the job starts. heard holds the levels of this job that missed before, a
 * bit each from the lowest on, 0 at first; afterwards those that have missed by now. When the job starts, it goes
 * to surefill_start_calibration_learn, whose other arguments these are. O(1).
 *
 * Errors: as surefill_start_calibration_told; OUT_OF_RANGE also for bits that no level has. */
int32_t surefill_start_calibration_overdue(surefill_start_calibration *calibration,
                                           int64_t age,
                                           const int64_t *forecast,
                                           const int64_t *told,
                                           int32_t count,
                                           int64_t waited,
                                           int32_t *heard);

/* ---- Calibration of predicted delays ------------------------------------------------------------------------------
 *
 * By how much did an accepted backfill delay the head job? That is known when the jobs that ran beside it have ended.
 * This learns from it what a predicted delay means. c-examples/delays.c is a whole program.
 *
 *     static int64_t memory[10000];
 *     surefill_delay_calibration_capacity capacity;
 *     surefill_delay_calibration *delays;
 *     surefill_rule rule;
 *     double predicted, told, observed;
 *     int64_t known;
 *     surefill_delay_calibration_capacity_init(&capacity);
 *     surefill_delay_calibration_init(memory, sizeof memory, &capacity, &delays);
 *     surefill_delay_calibration_accepted(delays, SUREFILL_CRITERION_SECONDS, 4711, 1000, 16, 32, 40, &told);
 *     surefill_delay_calibration_ended(delays, 4710, 500, 1600, 48);
 *     surefill_delay_calibration_totals(delays, SUREFILL_CRITERION_SECONDS, &known, &predicted, &told, &observed);
 *     surefill_rule_init(&rule);
 *     surefill_delay_calibration_rule(delays, &rule, &rule);
 */

/* Learns how the delays that passes predict relate to those that come, and says what to expect. Tell it every
 * backfill that starts (surefill_delay_calibration_accepted) and the end of every job
 * (surefill_delay_calibration_ended): when the jobs that ran at a decision have ended, it knows when the head job
 * could have started with the backfill and without it. Probabilities (the criteria PROBABILITY and BOUND) and
 * seconds (SECONDS and RELATIVE) are calibrated apart.
 *
 * Distinct calibrations are independent; one needs one thread, or the caller's lock. The block holds no pointers,
 * and sealed it is a checkpoint. */
typedef struct surefill_delay_calibration surefill_delay_calibration;

/* Capacities of a calibration of delays. Set by surefill_delay_calibration_capacity_init, then changed as needed. */
typedef struct surefill_delay_calibration_capacity {
  /* Bytes of this structure, as the program knows it. */
  uint32_t struct_size;
  /* Backfills that are remembered while their outcome is not known, those of all head jobs together (1 to
   * 1,048,576). */
  int32_t backfills;
} surefill_delay_calibration_capacity;

/* Sets the capacity to its default: 256 backfills. */
int32_t surefill_delay_calibration_capacity_init(surefill_delay_calibration_capacity *capacity, int64_t size);
#define surefill_delay_calibration_capacity_init(capacity) surefill_delay_calibration_capacity_init(capacity, (int64_t)sizeof *(capacity))

/* Bytes of memory that a calibration needs: 64 for each backfill of the capacity and less than 1,100.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_delay_calibration_size(const surefill_delay_calibration_capacity *capacity, int64_t *size);

/* Makes a calibration that has heard of nothing in the caller's memory (length bytes, at least
 * surefill_delay_calibration_size, aligned to 8): it changes no prediction. O(size).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_delay_calibration_init(void *memory,
                                        int64_t length,
                                        const surefill_delay_calibration_capacity *capacity,
                                        surefill_delay_calibration **calibration);

/* Makes the block a checkpoint, surefill_delay_calibration_size bytes from the handle on, by writing its checksum.
 * Any later call that changes the calibration breaks the seal. O(size). */
int32_t surefill_delay_calibration_seal(surefill_delay_calibration *calibration);

/* Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
 * surefill_delay_calibration_seal left it. O(size). */
int32_t surefill_delay_calibration_open(void *memory, int64_t length, surefill_delay_calibration **calibration);

/* What to expect where a pass predicts this delay under this criterion: a probability (0 to 1), or seconds, also
 * for the criterion RELATIVE (0 to SUREFILL_MAX_SECONDS; what surefill_pass_spent adds up under the criterion
 * SECONDS). Never less for a larger prediction; the prediction itself before any outcome is known. O(1).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_delay_calibration_told(const surefill_delay_calibration *calibration,
                                        int32_t criterion,
                                        double predicted,
                                        double *told);

/* The rule for surefill_pass_decide whose threshold stands for the given rule's in what passes predict: by it
 * those candidates are accepted of which a delay below the given threshold is told. Thresholds change by a factor
 * of 16 at most, so that outcomes go on to be seen; that of RELATIVE by the common ratio of observed to predicted
 * seconds. Budget and slip stay as they are: they add up what passes predict. calibrated may be rule. O(1).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_delay_calibration_rule(const surefill_delay_calibration *calibration,
                                        const surefill_rule *rule,
                                        surefill_rule *calibrated);

/* A backfill was accepted and starts at time now (seconds since any fixed origin, within 2^53 of it): the job's
 * number, by which the caller tells jobs apart, its processors (at least 1), the processors that the head job
 * lacked before (what it needs less what was idle, at least 1), and the delay predicted under this criterion, in
 * the unit of surefill_delay_calibration_told. Gives what surefill_delay_calibration_told says of it. Where there
 * is no room, the backfill whose outcome has been open for longest is forgotten. O(1), or O(capacity) where there
 * is no room.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_delay_calibration_accepted(surefill_delay_calibration *calibration,
                                            int32_t criterion,
                                            int64_t job,
                                            int64_t now,
                                            int32_t processors,
                                            int32_t missing,
                                            double predicted,
                                            double *told);

/* A job ended, or was killed or cancelled, that held this number of processors from time started to time now.
 * Every job that ran must be told, whether it was a backfill or not, in the order of their ends. A job that
 * started in the second in which a backfill was accepted counts as running then, unless it was itself accepted
 * after it. O(pending backfills).
 *
 * Errors: OUT_OF_RANGE, TIME_WENT_BACK (an end before the start). */
int32_t surefill_delay_calibration_ended(surefill_delay_calibration *calibration,
                                         int64_t job,
                                         int64_t started,
                                         int64_t now,
                                         int32_t processors);

/* How many backfills have a known outcome, and the sums of what was predicted of them, of what was told when they
 * were accepted, and of what was observed: how many delayed their head job for the criteria PROBABILITY and BOUND,
 * seconds for SECONDS and RELATIVE. O(1).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_delay_calibration_totals(const surefill_delay_calibration *calibration,
                                          int32_t criterion,
                                          int64_t *known,
                                          double *predicted,
                                          double *told,
                                          double *observed);

/* ---- Order statistics, and the rivals of the binomial method ------------------------------------------------------
 *
 * Which of n sorted waits bounds a quantile with this confidence? Beside it, what parametric models say of the same
 * waits.
 *
 *     const double waits[] = {30, 60, 60, 120, 600, 900, 1800, 7200};
 *     double bound, quantile, shape, scale;
 *     int64_t k, lower, upper, fewest;
 *     int32_t threshold;
 *     surefill_binomial_fewest(0.95, 0.95, &fewest);
 *     surefill_binomial_upper(1000, 0.95, 0.95, &k);
 *     surefill_binomial_lower(1000, 0.95, 0.95, &k);
 *     surefill_binomial_two_sided(1000, 0.5, 0.95, &lower, &upper);
 *     surefill_log_normal_bound(waits, 8, 0.95, 0.95, &bound);
 *     surefill_log_uniform_quantile(waits, 8, 0.95, &quantile);
 *     surefill_weibull_quantile(waits, 8, 0.95, &shape, &scale, &quantile);
 *     surefill_rare_event_threshold(0.95, 0.3, &threshold);
 */

/* Which of a number of observations (0 to 4,294,967,296), the k-th smallest counted from 1, is an upper bound with
 * this confidence for the quantile of their distribution (both above 0, below 1): the smallest k with
 * Pr(Bin(observations, quantile) <= k - 1) >= confidence. k is 0 when there are too few. O(sqrt(observations)),
 * mostly far less.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_binomial_upper(int64_t observations, double quantile, double confidence, int64_t *k);

/* As surefill_binomial_upper, a lower bound: the largest k with Pr(Bin(observations, quantile) >= k) >=
 * confidence.
 *
 * Errors: as surefill_binomial_upper. */
int32_t surefill_binomial_lower(int64_t observations, double quantile, double confidence, int64_t *k);

/* As surefill_binomial_upper, a lower and an upper bound that hold together with this confidence: each is
 * one-sided at (1 + confidence) / 2. Both are 0 when there are too few observations for either.
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

/* How many consecutive values above a series' quantile (above 0, below 1) are a change point, when the series'
 * lag-1 autocorrelation is correlation (-1 to 1): a run of that length happens by chance less than once in 8,000
 * values. threshold is 0 for quantiles below .25 and correlations above .99, where long runs are no news. O(1).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_rare_event_threshold(double quantile, double correlation, int32_t *threshold);

/* The upper bound, with this confidence, of the quantile (both above 0, below 1) of a log-normal distribution,
 * from count independent waits in seconds (at least 2, none negative; they count as at least one second).
 * O(count).
 *
 * Errors: OUT_OF_RANGE (also for fewer than 2 waits). */
int32_t surefill_log_normal_bound(const double *waits,
                                  int32_t count,
                                  double quantile,
                                  double confidence,
                                  double *seconds);

/* The quantile (above 0, below 1) of the log-uniform distribution most likely to give these waits in seconds (at
 * least 1, none negative; they count as at least one second). O(count).
 *
 * Errors: OUT_OF_RANGE (also without a wait). */
int32_t surefill_log_uniform_quantile(const double *waits, int32_t count, double quantile, double *seconds);

/* The Weibull distribution most likely to give these waits in seconds (at least 1, none negative; they count as at
 * least one second): its shape (infinite where all waits are equal), its scale in seconds, and its quantile (above
 * 0, below 1) in seconds. At most 60 passes over the waits, usually six.
 *
 * Errors: OUT_OF_RANGE (also without a wait). */
int32_t surefill_weibull_quantile(const double *waits,
                                  int32_t count,
                                  double quantile,
                                  double *shape,
                                  double *scale,
                                  double *seconds);

/* ---- More bounds on waits: lower and two-sided ones, and clustering at command ------------------------------------
 *
 *     static int64_t memory[1 << 20];
 *     surefill_wait_capacity capacity;
 *     surefill_wait_options options;
 *     surefill_wait *wait;
 *     int64_t job, lower, upper;
 *     double gain, criterion;
 *     int32_t answer, step, attribute;
 *     surefill_wait_capacity_init(&capacity);
 *     surefill_wait_options_init(&options);
 *     capacity.history = 1000;
 *     surefill_wait_init(memory, sizeof memory, &capacity, &options, &wait);
 *     for (job = 1; job <= 200; job++) {
 *         surefill_wait_known(wait, 10 * job, 3600, 16);
 *     }
 *     surefill_wait_predict_two_sided(wait, 3600, 16, 0.5, 0.9, 20000, &answer, &lower, &upper);
 *     surefill_wait_recluster(wait, 100000, &step);
 *     surefill_wait_explained(wait, &gain, &criterion);
 *     surefill_wait_clustered_by(wait, &attribute);
 */

/* Clusters the jobs again before it is time, or goes on with a clustering that is under way, for at most work
 * steps of O(log n) each (at least 1). step is one of SUREFILL_STEP_; after DONE the next call begins another.
 * Other calls may come between two of these.
 *
 * Errors: OUT_OF_RANGE (work). */
int32_t surefill_wait_recluster(surefill_wait *wait, int64_t work, int32_t *step);

/* As surefill_wait_predict, a lower bound, by the binomial method. O(log n) and the cost of
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

/* As surefill_wait_predict, a lower and an upper bound that hold together with this confidence, by the binomial
 * method. O(log n) and the cost of surefill_binomial_two_sided.
 *
 * Errors: as surefill_wait_predict. */
int32_t surefill_wait_predict_two_sided(const surefill_wait *wait,
                                        int64_t requested,
                                        int32_t processors,
                                        double quantile,
                                        double confidence,
                                        int64_t now,
                                        int32_t *answer,
                                        int64_t *lower,
                                        int64_t *upper);

/* By how much the last clustering raised the log-likelihood of all remembered waits, and its Bayes information
 * criterion, over a single cluster: of predictors with different attributes, the one with the largest criterion
 * has the attribute that explains the waits best. */
int32_t surefill_wait_explained(const surefill_wait *wait, double *gain, double *criterion);

/* What the clusters in use are made by, one of SUREFILL_ATTRIBUTE_: the options' attribute, with
 * SUREFILL_ATTRIBUTE_BEST the one of the other three that was chosen last. */
int32_t surefill_wait_clustered_by(const surefill_wait *wait, int32_t *attribute);

/* ---- Lifetimes that are uniform in the logarithm (Downey 1997) ----------------------------------------------------
 *
 *     static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], memory[SUREFILL_DISTRIBUTION_SIZE / 8];
 *     const double ran[] = {60, 300, 900, 3600, 14400};
 *     const int64_t seconds[] = {60, 300, 900, 3600, 14400};
 *     double shortest, longest, mean, beta0, beta1, probability;
 *     surefill_bins *bins;
 *     surefill_distribution *binned;
 *     surefill_lifetime_fit(ran, 5, &shortest, &longest);
 *     surefill_lifetime_mean(shortest, longest, &mean);
 *     surefill_lifetime_ends_within(shortest, longest, 600, 300, &probability);
 *     surefill_lifetime_coefficients(shortest, longest, &beta0, &beta1);
 *     surefill_lifetime_bounds(beta0, beta1, &shortest, &longest);
 *     surefill_bins_init_default(bins_memory, sizeof bins_memory, &bins);
 *     surefill_distribution_init_samples(memory, sizeof memory, bins, seconds, NULL, 5, &binned);
 *     surefill_lifetime_fit_binned(binned, &shortest, &longest);
 */

/* Pr(a job ends within wait seconds, given that it has run for age seconds; both 0 to 2^40) when lifetimes are
 * uniform in the logarithm between shortest and longest seconds (1e-9 to 2^40): equation 5, in which t is age plus
 * wait. A job that has reached the longest is expected to end in one second.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_lifetime_ends_within(double shortest, double longest, double age, double wait, double *probability);

/* The mean of such lifetimes, in seconds.
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_lifetime_mean(double shortest, double longest, double *seconds);

/* The coefficients of such lifetimes' distribution beta0 + beta1 ln t (equation 4).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_lifetime_coefficients(double shortest, double longest, double *beta0, double *beta1);

/* The shortest and longest lifetime in seconds of the distribution beta0 + beta1 ln t; beta1 is positive.
 *
 * Errors: OUT_OF_RANGE (also when they lie outside 1e-9 to 2^40). */
int32_t surefill_lifetime_bounds(double beta0, double beta1, double *shortest, double *longest);

/* Fits such a distribution to a history of count lifetimes in seconds (1e-9 to 2^40), in increasing order: the
 * least-squares line of equation 4 through the shares (i - 1/2) / count. O(count).
 *
 * Errors: OUT_OF_RANGE (also when they are not in order or all the same, and when the line's bounds lie outside
 * 1e-9 to 2^40). */
int32_t surefill_lifetime_fit(const double *lifetimes, int32_t count, double *shortest, double *longest);

/* The same for a history in bins: the line through the shares of run times below each edge that has any on both
 * sides. O(bins).
 *
 * Errors: OUT_OF_RANGE (fewer than two such edges, or no bins). */
int32_t surefill_lifetime_fit_binned(const surefill_distribution *distribution, double *shortest, double *longest);

/* ---- Sizes of malleable jobs: fits, lifetimes, benefactors, bias correction ---------------------------------------
 *
 * A correction learns how predicted waits relate to those that came, by a line through their logarithms, and corrects
 * later predictions, those of surefill_sizing_choose among them.
 *
 *     static int64_t memory[SUREFILL_CORRECTION_SIZE / 8], sizing_memory[20000];
 *     const double processors[] = {2, 8, 32}, speedups[] = {1.9, 6.5, 15};
 *     surefill_sizing_capacity capacity;
 *     surefill_sizing *sizing;
 *     surefill_correction *correction;
 *     double parallelism, sigma, error, wait, intercept, slope, coefficient;
 *     int64_t pairs;
 *     int32_t benefactors, known, i;
 *     surefill_speedup_fit(processors, speedups, 3, &parallelism, &sigma, &error);
 *     surefill_sizing_capacity_init(&capacity);
 *     capacity.running = 16;
 *     surefill_sizing_init(sizing_memory, sizeof sizing_memory, &capacity, &sizing);
 *     surefill_sizing_begin(sizing, 16);
 *     surefill_sizing_add_lifetime(sizing, 32, 600, 60, 36000);
 *     surefill_sizing_benefactors(sizing, 40, &benefactors);
 *     surefill_correction_init(memory, sizeof memory, &correction);
 *     for (i = 1; i <= 30; i++) {
 *         surefill_correction_record(correction, 100.0 * i, 150.0 * i + i % 7);
 *     }
 *     surefill_correction_corrected(correction, 600, &wait);
 *     surefill_correction_pairs(correction, &pairs);
 *     surefill_correction_line(correction, &known, &intercept, &slope);
 *     surefill_correction_correlation(correction, &known, &coefficient);
 *     surefill_correction_seal(correction);
 *     surefill_correction_open(memory, sizeof memory, &correction);
 */

/* Bytes of memory that a correction needs, aligned to 8. */
#define SUREFILL_CORRECTION_SIZE 80

/* As surefill_speedup_fit_run_times, of count measured speedups, each on the number of processors at the same
 * place of processors (1 to 2^20; two different numbers at least). O(count).
 *
 * Errors: OUT_OF_RANGE (also speedups that are not positive or above 2^40, and measurements on fewer than two
 * numbers of processors). */
int32_t surefill_speedup_fit(const double *processors,
                             const double *speedups,
                             int32_t count,
                             double *parallelism,
                             double *sigma,
                             double *error);

/* Adds a running job: its processors (at least 1), for how many seconds it has run (0 to 2^40), and between which
 * lifetimes in seconds (1e-9 to 2^40) the logarithm of its own is uniform (Downey 1997). O(1).
 *
 * Errors: OUT_OF_RANGE, TOO_MANY_PROCESSORS, OVERFULL, FULL, WRONG_STATE (before surefill_sizing_begin). */
int32_t surefill_sizing_add_lifetime(surefill_sizing *sizing,
                                     int32_t processors,
                                     double age,
                                     double shortest,
                                     double longest);

/* The number of benefactors: running jobs that hold at least as many processors as are missing until this number
 * (not negative) is free.
 *
 * Errors: OUT_OF_RANGE, TOO_MANY_PROCESSORS, WRONG_STATE, NEVER (the running jobs hold too few). */
int32_t surefill_sizing_benefactors(const surefill_sizing *sizing, int32_t processors, int32_t *benefactors);

/* Makes a correction that knows nothing in the caller's memory (length bytes, at least SUREFILL_CORRECTION_SIZE,
 * aligned to 8). */
int32_t surefill_correction_init(void *memory, int64_t length, surefill_correction **correction);

/* Makes the block a checkpoint, SUREFILL_CORRECTION_SIZE bytes from the handle on, by writing its checksum. Any
 * later call that changes the correction breaks the seal. */
int32_t surefill_correction_seal(surefill_correction *correction);

/* Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
 * surefill_correction_seal left it. */
int32_t surefill_correction_open(void *memory, int64_t length, surefill_correction **correction);

/* Records a wait as predicted, before correction, and as it was: seconds (0 to 2^40; below one counts as one).
 * O(1).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_correction_record(surefill_correction *correction, double predicted, double actual);

/* The corrected prediction in seconds. Unchanged before 20 pairs are recorded, and while longer predictions go
 * with shorter waits. O(1).
 *
 * Errors: OUT_OF_RANGE (predicted outside 0 to 2^40). */
int32_t surefill_correction_corrected(const surefill_correction *correction, double predicted, double *seconds);

/* Recorded pairs. */
int32_t surefill_correction_pairs(const surefill_correction *correction, int64_t *pairs);

/* The line's intercept and slope, of natural logarithms of seconds. known is 1; or 0 when no two different
 * predictions are recorded, and then neither is written. */
int32_t surefill_correction_line(const surefill_correction *correction,
                                 int32_t *known,
                                 double *intercept,
                                 double *slope);

/* The coefficient of correlation of the logarithms. known is 1; or 0 while one of them has not varied, and then
 * coefficient is not written. */
int32_t surefill_correction_correlation(const surefill_correction *correction, int32_t *known, double *coefficient);

/* ---- What objects of surefill.h hold, in detail -------------------------------------------------------------------
 *
 * Bins and their edges, probabilities bin by bin, and what objects have counted.
 *
 *     static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], memory[SUREFILL_DISTRIBUTION_SIZE / 8], waits_memory[100000];
 *     static int64_t inbox_memory[40000];
 *     const int64_t ran[] = {240, 300, 310, 2900};
 *     double p[SUREFILL_MAX_BINS], lower, upper, long_wait;
 *     int64_t seconds[2 * SUREFILL_MAX_BINS];
 *     double ends[2 * SUREFILL_MAX_BINS];
 *     int32_t bin, bin_count, count, kept, length;
 *     surefill_bins *bins;
 *     surefill_distribution *believed;
 *     surefill_preset preset;
 *     surefill_recent_waits *waits;
 *     surefill_inbox_capacity capacity;
 *     surefill_inbox *inbox;
 *     surefill_bins_init_covering(bins_memory, sizeof bins_memory, 10, 1.8, 864000, &bins);
 *     surefill_bins_count(bins, &bin_count);
 *     surefill_bins_index(bins, 300, &bin);
 *     surefill_bins_edges(bins, bin, &lower, &upper);
 *     surefill_distribution_init_samples(memory, sizeof memory, bins, ran, NULL, 4, &believed);
 *     surefill_distribution_recalculate(believed, 250, 3600, p, SUREFILL_MAX_BINS, &count);
 *     surefill_distribution_remaining(believed, 250, 3600, 2, seconds, ends, 2 * SUREFILL_MAX_BINS, &count);
 *     surefill_preset_init(&preset, SUREFILL_PRESET_DELAY);
 *     surefill_recent_waits_init(waits_memory, sizeof waits_memory, &preset, &waits);
 *     surefill_recent_waits_add(waits, 600);
 *     surefill_recent_waits_count(waits, &kept);
 *     surefill_recent_waits_quantile(waits, 0.99, 60, &long_wait);
 *     surefill_inbox_capacity_init(&capacity);
 *     surefill_inbox_init(inbox_memory, sizeof inbox_memory, &capacity, &inbox);
 *     surefill_inbox_length(inbox, &length);
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

/* The idle processors left. O(1). */
int32_t surefill_pass_idle(const surefill_pass *pass, int32_t *idle);

/* The number of events inside, those included that are being pushed; for the popping thread. Others may be
 * changing it. */
int32_t surefill_inbox_length(const surefill_inbox *inbox, int32_t *length);

/* The smallest of the kept waits that at least this share of them does not exceed (above 0, at most 1), in
 * seconds, but not less than least; infinity while none is kept. O(log n).
 *
 * Errors: OUT_OF_RANGE. */
int32_t surefill_recent_waits_quantile(const surefill_recent_waits *recent,
                                       double quantile,
                                       double least,
                                       double *seconds);

/* How many waits are kept. O(1). */
int32_t surefill_recent_waits_count(const surefill_recent_waits *recent, int32_t *waits);

/* How many starts the calibration has heard of. */
int32_t surefill_start_calibration_starts(const surefill_start_calibration *calibration, int64_t *starts);

#ifdef __cplusplus
}
#endif

#endif /* SUREFILL_MODELS_H */
