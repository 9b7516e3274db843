!> surefill, the models for research: the functions of surefill_models.h, which says what they do. Less stable than the
!> module surefill, whose conventions hold here too. Generated with it; do not edit. Licence: MIT OR Apache-2.0.
module surefill_models
  use surefill
  implicit none

  ! ---- The hidden Markov model of run times by itself ----
  !> Initial values: the parameters there are.
  integer(c_int32_t), parameter :: SUREFILL_INITIAL_PRESENT = -1_c_int32_t
  !> Evidence: run times, and the numbers of jobs if the load is modelled.
  integer(c_int32_t), parameter :: SUREFILL_EVIDENCE_JOBS = 0_c_int32_t
  !> Evidence: the numbers of jobs alone.
  integer(c_int32_t), parameter :: SUREFILL_EVIDENCE_LOAD = 1_c_int32_t

  !> Capacities of a model. Set by surefill_hmm_capacity_init, then changed as needed.
  type, bind(c) :: surefill_hmm_capacity
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> States (1 to SUREFILL_MAX_STATES).
    integer(c_int32_t) :: states
    !> Run-time bins (2 to SUREFILL_MAX_BINS).
    integer(c_int32_t) :: bins
    !> Slots kept (2 to 268,435,456); the oldest leave.
    integer(c_int32_t) :: slots
    !> Cells kept, one for each slot and bin that has jobs, so at most one a job (bins to 268,435,456); the oldest
    !! slots leave.
    integer(c_int32_t) :: cells
  end type surefill_hmm_capacity

  !> The parameters of a hidden Markov model with M states and N bins. The arrays are the caller's; a call that takes
  !! parameters only reads them, one that gives parameters looks at states and bins and writes the arrays and load.
  type, bind(c) :: surefill_model_parameters
    !> States M: as many as the model has.
    integer(c_int32_t) :: states
    !> Run-time bins N: as many as the model has.
    integer(c_int32_t) :: bins
    !> One of SUREFILL_LOAD_.
    integer(c_int32_t) :: load
    !> 0.
    integer(c_int32_t) :: reserved
    !> M probabilities of the states in the first slot. They sum to 1 within 1e-9, like every row that follows.
    type(c_ptr) :: start
    !> M x M probabilities of the next slot's state, a row for each state.
    type(c_ptr) :: transition
    !> M x N probabilities of a job's bin, a row for each state.
    type(c_ptr) :: emission
    !> M parameters of the load model. Without a load model they are not read, and it may be NULL then; what is
    !! written is 0.
    type(c_ptr) :: load_parameter
  end type surefill_model_parameters

  ! ---- The hidden Markov model that learns on line, without a history ----

  !> How a model learns on line. Set by surefill_online_hmm_options_init, then changed as needed.
  type, bind(c) :: surefill_online_hmm_options
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> 0.
    integer(c_int32_t) :: reserved
    !> a of the step size t^-a (above 0.5, at most 1): the smaller, the faster the past is forgotten.
    real(c_double) :: exponent
    !> A slot that no possible state explains is learnt as if every state had drawn any bin with this probability (0
    !! to below 1); with 0 it is not learnt from.
    real(c_double) :: floor
    !> Slots before the parameters begin to change (not negative).
    integer(c_int64_t) :: hold
  end type surefill_online_hmm_options

  ! ---- Inside a predictor ----

  ! ---- Calibration of foretold starts ----
  !> The levels that are calibrated: .05, .25, .5, .75 and .95.
  integer(c_int32_t), parameter :: SUREFILL_START_LEVELS = 5_c_int32_t
  !> Bytes of memory that a calibration of starts needs, aligned to 8.
  integer(c_int64_t), parameter :: SUREFILL_START_CALIBRATION_SIZE = 3064_c_int64_t

  ! ---- Calibration of predicted delays ----

  !> Capacities of a calibration of delays. Set by surefill_delay_calibration_capacity_init, then changed as needed.
  type, bind(c) :: surefill_delay_calibration_capacity
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Backfills that are remembered while their outcome is not known, those of all head jobs together (1 to
    !! 1,048,576).
    integer(c_int32_t) :: backfills
  end type surefill_delay_calibration_capacity

  ! ---- Order statistics, and the rivals of the binomial method ----

  ! ---- More bounds on waits: lower and two-sided ones, and clustering at command ----

  ! ---- Lifetimes that are uniform in the logarithm (Downey 1997) ----

  ! ---- Sizes of malleable jobs: fits, lifetimes, benefactors, bias correction ----
  !> Bytes of memory that a correction needs, aligned to 8.
  integer(c_int64_t), parameter :: SUREFILL_CORRECTION_SIZE = 80_c_int64_t

  ! ---- What objects of surefill.h hold, in detail ----

  interface

    !> Sets the capacity to its defaults: 16 states, 24 bins, a year of slots of 15 min, 100,000 cells.
    function surefill_hmm_capacity_init(capacity, size) bind(c, name='surefill_hmm_capacity_init') &
            result(code)
      import
      type(surefill_hmm_capacity), intent(out) :: capacity
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_hmm_capacity_init

    !> Bytes of memory that a model needs. With M states, S = M rounded up to a multiple of 8, N bins, T slots and C
    !! cells this is at most 20 T + 12 C + 24 (sqrt(T) + 2) (S + 1) + 8 S (5 M + 7 N + 12) + 400.
    function surefill_hmm_size(capacity, size) bind(c, name='surefill_hmm_size') result(code)
      import
      type(surefill_hmm_capacity), intent(in) :: capacity
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_hmm_size

    !> Makes a model without parameters and observations in the caller's memory (length bytes, at least
    !! surefill_hmm_size, aligned to 8). O(size).
    function surefill_hmm_init(memory, length, capacity, hmm) bind(c, name='surefill_hmm_init') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_hmm_capacity), intent(in) :: capacity
      type(c_ptr), intent(out) :: hmm
      integer(c_int32_t) :: code
    end function surefill_hmm_init

    !> Makes the block a checkpoint, to be written to disk: writes its checksum. Any later call that changes the model
    !! breaks the seal. O(size).
    function surefill_hmm_seal(hmm) bind(c, name='surefill_hmm_seal') result(code)
      import
      type(c_ptr), value :: hmm
      integer(c_int32_t) :: code
    end function surefill_hmm_seal

    !> The model in a checkpoint (length bytes at least) read back into memory, which must be as surefill_hmm_seal
    !! left it. O(size).
    function surefill_hmm_open(memory, length, hmm) bind(c, name='surefill_hmm_open') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: hmm
      integer(c_int32_t) :: code
    end function surefill_hmm_open

    !> Sets the parameters of a model. Training under way is given up. O(M (M + N)).
    function surefill_hmm_set_parameters(hmm, parameters) bind(c, name='surefill_hmm_set_parameters') &
            result(code)
      import
      type(c_ptr), value :: hmm
      type(surefill_model_parameters), intent(in) :: parameters
      integer(c_int32_t) :: code
    end function surefill_hmm_set_parameters

    !> Writes the parameters into the arrays of a structure that says its states and bins, and the load model. O(M (M
    !! + N)).
    function surefill_hmm_parameters(hmm, parameters) bind(c, name='surefill_hmm_parameters') result(code)
      import
      type(c_ptr), value :: hmm
      type(surefill_model_parameters), intent(inout) :: parameters
      integer(c_int32_t) :: code
    end function surefill_hmm_parameters

    !> Sets the parameters to Static-IV (Algorithm 3), with mean_jobs jobs a slot on average if the load is modelled
    !! (positive). Training under way is given up. O(M (M + N)).
    function surefill_hmm_init_static(hmm, load, mean_jobs) bind(c, name='surefill_hmm_init_static') &
            result(code)
      import
      type(c_ptr), value :: hmm
      integer(c_int32_t), value :: load
      real(c_double), value :: mean_jobs
      integer(c_int32_t) :: code
    end function surefill_hmm_init_static

    !> Adapts the parameters to slots half as long: A'_ij = A_ij / 2, A'_ii = A_ii / 2 + 1/2, half the mean load. The
    !! observations are forgotten, and training under way is given up.
    function surefill_hmm_halve_slots(hmm) bind(c, name='surefill_hmm_halve_slots') result(code)
      import
      type(c_ptr), value :: hmm
      integer(c_int32_t) :: code
    end function surefill_hmm_halve_slots

    !> Reports a finished job: the slot in which it was submitted and the bin of its run time, from 0. Slots up to
    !! this one that were not known are empty. When there is no more room the oldest slots leave. O(bins + slots that
    !! come or leave).
    function surefill_hmm_observe(hmm, slot, bin) bind(c, name='surefill_hmm_observe') result(code)
      import
      type(c_ptr), value :: hmm
      integer(c_int64_t), value :: slot
      integer(c_int32_t), value :: bin
      integer(c_int32_t) :: code
    end function surefill_hmm_observe

    !> Makes this the last slot, empty as yet, if it is later than the last one known.
    function surefill_hmm_extend(hmm, slot) bind(c, name='surefill_hmm_extend') result(code)
      import
      type(c_ptr), value :: hmm
      integer(c_int64_t), value :: slot
      integer(c_int32_t) :: code
    end function surefill_hmm_extend

    !> The slots held: first..end, empty if they are equal.
    function surefill_hmm_slots(hmm, first, end) bind(c, name='surefill_hmm_slots') result(code)
      import
      type(c_ptr), value :: hmm
      integer(c_int64_t), intent(out) :: first
      integer(c_int64_t), intent(out) :: end
      integer(c_int32_t) :: code
    end function surefill_hmm_slots

    !> ln Pr(evidence in the slots from..to), one of SUREFILL_EVIDENCE_; minus infinity when the model does not
    !! explain it. O(slots M^2).
    function surefill_hmm_log_likelihood(hmm, from, to, evidence, log_likelihood) bind(c, &
            name='surefill_hmm_log_likelihood') result(code)
      import
      type(c_ptr), value :: hmm
      integer(c_int64_t), value :: from
      integer(c_int64_t), value :: to
      integer(c_int32_t), value :: evidence
      real(c_double), intent(out) :: log_likelihood
      integer(c_int32_t) :: code
    end function surefill_hmm_log_likelihood

    !> Pr(state of slot to - 1 | observations in the slots from..to), states numbers, and ln Pr(observations); when
    !! that is minus infinity the model does not explain them, and probabilities is not written. O(slots M^2).
    function surefill_hmm_filter(hmm, from, to, probabilities, states, log_likelihood) bind(c, &
            name='surefill_hmm_filter') result(code)
      import
      type(c_ptr), value :: hmm
      integer(c_int64_t), value :: from
      integer(c_int64_t), value :: to
      real(c_double), intent(out) :: probabilities(*)
      integer(c_int32_t), value :: states
      real(c_double), intent(out) :: log_likelihood
      integer(c_int32_t) :: code
    end function surefill_hmm_filter

    !> The most likely state, from 0, of each of the slots from..to, and ln Pr(these states and the observations);
    !! when that is minus infinity the model does not explain them, and path is not written. length is the number of
    !! slots. Training under way begins its round again. O(slots M^2).
    function surefill_hmm_viterbi(hmm, from, to, path, length, log_likelihood) bind(c, &
            name='surefill_hmm_viterbi') result(code)
      import
      type(c_ptr), value :: hmm
      integer(c_int64_t), value :: from
      integer(c_int64_t), value :: to
      integer(c_int32_t), intent(out) :: path(*)
      integer(c_int32_t), value :: length
      real(c_double), intent(out) :: log_likelihood
      integer(c_int32_t) :: code
    end function surefill_hmm_viterbi

    !> Begins training on the slots from..to, from one of SUREFILL_INITIAL_; load is one of SUREFILL_LOAD_, and
    !! ignored for PRESENT. The parameters in use stay until a round is complete. Training under way is given up.
    !! O(slots).
    function surefill_hmm_begin_training(hmm, initial, load, from, to) bind(c, &
            name='surefill_hmm_begin_training') result(code)
      import
      type(c_ptr), value :: hmm
      integer(c_int32_t), value :: initial
      integer(c_int32_t), value :: load
      integer(c_int64_t), value :: from
      integer(c_int64_t), value :: to
      integer(c_int32_t) :: code
    end function surefill_hmm_begin_training

    !> Trains until a round is complete and its parameters are in use (step is SUREFILL_STEP_DONE; round says what it
    !! did), or until about work slots are visited (at least 1; SUREFILL_STEP_MORE, round is not written). A round
    !! visits each slot three times. Then call again, for the rest or for the next round. However it is sliced, the
    !! result is the same bit for bit. O(work M^2).
    function surefill_hmm_train(hmm, work, step, round) bind(c, name='surefill_hmm_train') result(code)
      import
      type(c_ptr), value :: hmm
      integer(c_int64_t), value :: work
      integer(c_int32_t), intent(out) :: step
      type(surefill_round), intent(inout) :: round
      integer(c_int32_t) :: code
    end function surefill_hmm_train

    !> Sets the options to their defaults: a = 0.75, a floor of 0.001, 100 slots before the parameters change.
    function surefill_online_hmm_options_init(options, size) bind(c, &
            name='surefill_online_hmm_options_init') result(code)
      import
      type(surefill_online_hmm_options), intent(out) :: options
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_online_hmm_options_init

    !> Bytes of memory that a model needs that has the states M (1 to SUREFILL_MAX_STATES) and the bins N (2 to
    !! SUREFILL_MAX_BINS) of these parameters: with S = M rounded up to a multiple of 8, at most 8 S (M (M + 1 + N) +
    !! 3 M + 3 N + 8) + 100. The arrays are not looked at.
    function surefill_online_hmm_size(parameters, size) bind(c, name='surefill_online_hmm_size') &
            result(code)
      import
      type(surefill_model_parameters), intent(in) :: parameters
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_online_hmm_size

    !> Makes a model in the caller's memory (length bytes, at least surefill_online_hmm_size, aligned to 8) that
    !! starts from these parameters. O(size).
    function surefill_online_hmm_init(memory, length, parameters, options, online) bind(c, &
            name='surefill_online_hmm_init') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_model_parameters), intent(in) :: parameters
      type(surefill_online_hmm_options), intent(in) :: options
      type(c_ptr), intent(out) :: online
      integer(c_int32_t) :: code
    end function surefill_online_hmm_init

    !> Makes the block a checkpoint, to be written to disk: writes its checksum. Any later call that changes the model
    !! breaks the seal. O(size).
    function surefill_online_hmm_seal(online) bind(c, name='surefill_online_hmm_seal') result(code)
      import
      type(c_ptr), value :: online
      integer(c_int32_t) :: code
    end function surefill_online_hmm_seal

    !> The model in a checkpoint (length bytes at least) read back into memory, which must be as
    !! surefill_online_hmm_seal left it. O(size).
    function surefill_online_hmm_open(memory, length, online) bind(c, name='surefill_online_hmm_open') &
            result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: online
      integer(c_int32_t) :: code
    end function surefill_online_hmm_open

    !> Learns from the next slot: counts has a number of finished jobs for each of count bins, which must be the
    !! model's. log_likelihood is ln Pr(slot | slots before), minus infinity when no possible state explains the slot
    !! and there is no floor: then nothing is learnt from it. explained is 1, or 0 when the model did not explain the
    !! slot without the floor. O(M^3 (M + N)).
    function surefill_online_hmm_learn(online, counts, count, log_likelihood, explained) bind(c, &
            name='surefill_online_hmm_learn') result(code)
      import
      type(c_ptr), value :: online
      integer(c_int32_t), intent(in) :: counts(*)
      integer(c_int32_t), value :: count
      real(c_double), intent(out) :: log_likelihood
      integer(c_int32_t), intent(out) :: explained
      integer(c_int32_t) :: code
    end function surefill_online_hmm_learn

    !> The distribution of the bin of a job submitted in the next slot, as count numbers, one for each bin; count must
    !! be the number of bins. O(M (M + N)).
    function surefill_online_hmm_probabilities(online, probabilities, count) bind(c, &
            name='surefill_online_hmm_probabilities') result(code)
      import
      type(c_ptr), value :: online
      real(c_double), intent(out) :: probabilities(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t) :: code
    end function surefill_online_hmm_probabilities

    !> Slots learnt from, or at least seen.
    function surefill_online_hmm_slots(online, slots) bind(c, name='surefill_online_hmm_slots') result(code)
      import
      type(c_ptr), value :: online
      integer(c_int64_t), intent(out) :: slots
      integer(c_int32_t) :: code
    end function surefill_online_hmm_slots

    !> The parameters, as surefill_hmm_parameters gives them. O(M (M + N)).
    function surefill_online_hmm_parameters(online, parameters) bind(c, &
            name='surefill_online_hmm_parameters') result(code)
      import
      type(c_ptr), value :: online
      type(surefill_model_parameters), intent(inout) :: parameters
      integer(c_int32_t) :: code
    end function surefill_online_hmm_parameters

    !> As surefill_predictor_predict, as bins numbers, one for each bin; bins must be the number of bins. When nothing
    !! is predicted, probabilities is not written.
    function surefill_predictor_probabilities(predictor, keys, count, now, probabilities, bins, answer) &
            bind(c, name='surefill_predictor_probabilities') result(code)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), intent(in) :: keys(*)
      integer(c_int32_t), value :: count
      integer(c_int64_t), value :: now
      real(c_double), intent(out) :: probabilities(*)
      integer(c_int32_t), value :: bins
      integer(c_int32_t), intent(out) :: answer
      integer(c_int32_t) :: code
    end function surefill_predictor_probabilities

    !> Whether training is under way or should begin (1) or not (0), at the time of the last event. O(1).
    function surefill_predictor_wants_training(predictor, wants) bind(c, &
            name='surefill_predictor_wants_training') result(code)
      import
      type(c_ptr), value :: predictor
      integer(c_int32_t), intent(out) :: wants
      integer(c_int32_t) :: code
    end function surefill_predictor_wants_training

    !> Starts a hidden Markov model from one learnt elsewhere: it predicts from now on, and is trained further once
    !! the initial period is over. Before the first event only. O(M (M + N)).
    function surefill_predictor_set_model(predictor, parameters) bind(c, &
            name='surefill_predictor_set_model') result(code)
      import
      type(c_ptr), value :: predictor
      type(surefill_model_parameters), intent(in) :: parameters
      integer(c_int32_t) :: code
    end function surefill_predictor_set_model

    !> Writes the parameters of the hidden Markov model in use into the arrays of a structure that says its states and
    !! bins, and its load model. O(M (M + N)).
    function surefill_predictor_model(predictor, parameters) bind(c, name='surefill_predictor_model') &
            result(code)
      import
      type(c_ptr), value :: predictor
      type(surefill_model_parameters), intent(inout) :: parameters
      integer(c_int32_t) :: code
    end function surefill_predictor_model

    !> Makes a calibration that has heard of nothing in the caller's memory (length bytes, at least
    !! SUREFILL_START_CALIBRATION_SIZE, aligned to 8): it changes nothing.
    function surefill_start_calibration_init(memory, length, calibration) bind(c, &
            name='surefill_start_calibration_init') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: calibration
      integer(c_int32_t) :: code
    end function surefill_start_calibration_init

    !> Makes the block a checkpoint, SUREFILL_START_CALIBRATION_SIZE bytes from the handle on, by writing its
    !! checksum. Any later call that changes the calibration breaks the seal.
    function surefill_start_calibration_seal(calibration) bind(c, name='surefill_start_calibration_seal') &
            result(code)
      import
      type(c_ptr), value :: calibration
      integer(c_int32_t) :: code
    end function surefill_start_calibration_seal

    !> Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
    !! surefill_start_calibration_seal left it.
    function surefill_start_calibration_open(memory, length, calibration) bind(c, &
            name='surefill_start_calibration_open') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: calibration
      integer(c_int32_t) :: code
    end function surefill_start_calibration_open

    !> What to tell of a job that has waited age seconds, of which a forecast says at the five levels that it waits
    !! for these further seconds (not negative, not decreasing): the same, stretched. count is SUREFILL_START_LEVELS,
    !! of both arrays. O(1).
    function surefill_start_calibration_told(calibration, age, forecast, count, told) bind(c, &
            name='surefill_start_calibration_told') result(code)
      import
      type(c_ptr), value :: calibration
      integer(c_int64_t), value :: age
      integer(c_int64_t), intent(in) :: forecast(*)
      integer(c_int32_t), value :: count
      integer(c_int64_t), intent(out) :: told(*)
      integer(c_int32_t) :: code
    end function surefill_start_calibration_told

    !> The probability that a job that has waited age seconds has started within within more, where
    !! surefill_start_calibration_told made told for it: that of the normal distribution whose quantiles the
    !! logarithms of what is told are, corrected by how often such probabilities came true, which is learnt when jobs
    !! start. It rises with within, and needs no forecast at hand. It holds on average over the jobs that are told it;
    !! one job's may be off by .2 where forecasts are far too late and narrow, and differ where starts do not. count
    !! is SUREFILL_START_LEVELS. O(1).
    function surefill_start_calibration_probability(calibration, age, told, count, within, probability) &
            bind(c, name='surefill_start_calibration_probability') result(code)
      import
      type(c_ptr), value :: calibration
      integer(c_int64_t), value :: age
      integer(c_int64_t), intent(in) :: told(*)
      integer(c_int32_t), value :: count
      integer(c_int64_t), value :: within
      real(c_double), intent(out) :: probability
      integer(c_int32_t) :: code
    end function surefill_start_calibration_probability

    !> Hears that a job has started, waited seconds after a forecast: age and forecast are what
    !! surefill_start_calibration_told was given for it and told what it made of them, count is SUREFILL_START_LEVELS,
    !! of both arrays. heard is what surefill_start_calibration_overdue left of this job, 0 if that was not called.
    !! O(1).
    function surefill_start_calibration_learn(calibration, age, forecast, told, count, waited, heard) &
            bind(c, name='surefill_start_calibration_learn') result(code)
      import
      type(c_ptr), value :: calibration
      integer(c_int64_t), value :: age
      integer(c_int64_t), intent(in) :: forecast(*)
      integer(c_int64_t), intent(in) :: told(*)
      integer(c_int32_t), value :: count
      integer(c_int64_t), value :: waited
      integer(c_int32_t), value :: heard
      integer(c_int32_t) :: code
    end function surefill_start_calibration_learn

    !> Hears that a job still waits, waited seconds after a forecast: the levels whose told wait is over have missed,
    !! and are learnt from now, not only when the job starts. heard holds the levels of this job that missed before, a
    !! bit each from the lowest on, 0 at first; afterwards those that have missed by now. When the job starts, it goes
    !! to surefill_start_calibration_learn, whose other arguments these are. O(1).
    function surefill_start_calibration_overdue(calibration, age, forecast, told, count, waited, heard) &
            bind(c, name='surefill_start_calibration_overdue') result(code)
      import
      type(c_ptr), value :: calibration
      integer(c_int64_t), value :: age
      integer(c_int64_t), intent(in) :: forecast(*)
      integer(c_int64_t), intent(in) :: told(*)
      integer(c_int32_t), value :: count
      integer(c_int64_t), value :: waited
      integer(c_int32_t), intent(out) :: heard
      integer(c_int32_t) :: code
    end function surefill_start_calibration_overdue

    !> Sets the capacity to its default: 256 backfills.
    function surefill_delay_calibration_capacity_init(capacity, size) bind(c, &
            name='surefill_delay_calibration_capacity_init') result(code)
      import
      type(surefill_delay_calibration_capacity), intent(out) :: capacity
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_delay_calibration_capacity_init

    !> Bytes of memory that a calibration needs: 64 for each backfill of the capacity and less than 1,100.
    function surefill_delay_calibration_size(capacity, size) bind(c, name='surefill_delay_calibration_size') &
            result(code)
      import
      type(surefill_delay_calibration_capacity), intent(in) :: capacity
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_delay_calibration_size

    !> Makes a calibration that has heard of nothing in the caller's memory (length bytes, at least
    !! surefill_delay_calibration_size, aligned to 8): it changes no prediction. O(size).
    function surefill_delay_calibration_init(memory, length, capacity, calibration) bind(c, &
            name='surefill_delay_calibration_init') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_delay_calibration_capacity), intent(in) :: capacity
      type(c_ptr), intent(out) :: calibration
      integer(c_int32_t) :: code
    end function surefill_delay_calibration_init

    !> Makes the block a checkpoint, surefill_delay_calibration_size bytes from the handle on, by writing its
    !! checksum. Any later call that changes the calibration breaks the seal. O(size).
    function surefill_delay_calibration_seal(calibration) bind(c, name='surefill_delay_calibration_seal') &
            result(code)
      import
      type(c_ptr), value :: calibration
      integer(c_int32_t) :: code
    end function surefill_delay_calibration_seal

    !> Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
    !! surefill_delay_calibration_seal left it. O(size).
    function surefill_delay_calibration_open(memory, length, calibration) bind(c, &
            name='surefill_delay_calibration_open') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: calibration
      integer(c_int32_t) :: code
    end function surefill_delay_calibration_open

    !> What to expect where a pass predicts this delay under this criterion: a probability (0 to 1), or seconds, also
    !! for the criterion RELATIVE (0 to SUREFILL_MAX_SECONDS; what surefill_pass_spent adds up under the criterion
    !! SECONDS). Never less for a larger prediction; the prediction itself before any outcome is known. O(1).
    function surefill_delay_calibration_told(calibration, criterion, predicted, told) bind(c, &
            name='surefill_delay_calibration_told') result(code)
      import
      type(c_ptr), value :: calibration
      integer(c_int32_t), value :: criterion
      real(c_double), value :: predicted
      real(c_double), intent(out) :: told
      integer(c_int32_t) :: code
    end function surefill_delay_calibration_told

    !> The rule for surefill_pass_decide whose threshold stands for the given rule's in what passes predict: by it
    !! those candidates are accepted of which a delay below the given threshold is told. Thresholds change by a factor
    !! of 16 at most, so that outcomes go on to be seen; that of RELATIVE by the common ratio of observed to predicted
    !! seconds. Budget and slip stay as they are: they add up what passes predict. calibrated may be rule. O(1).
    function surefill_delay_calibration_rule(calibration, rule, calibrated) bind(c, &
            name='surefill_delay_calibration_rule') result(code)
      import
      type(c_ptr), value :: calibration
      type(surefill_rule), intent(in) :: rule
      type(surefill_rule), intent(inout) :: calibrated
      integer(c_int32_t) :: code
    end function surefill_delay_calibration_rule

    !> A backfill was accepted and starts at time now (seconds since any fixed origin, within 2^53 of it): the job's
    !! number, by which the caller tells jobs apart, its processors (at least 1), the processors that the head job
    !! lacked before (what it needs less what was idle, at least 1), and the delay predicted under this criterion, in
    !! the unit of surefill_delay_calibration_told. Gives what surefill_delay_calibration_told says of it. Where there
    !! is no room, the backfill whose outcome has been open for longest is forgotten. O(1), or O(capacity) where there
    !! is no room.
    function surefill_delay_calibration_accepted(calibration, criterion, job, now, processors, missing, &
            predicted, told) bind(c, name='surefill_delay_calibration_accepted') result(code)
      import
      type(c_ptr), value :: calibration
      integer(c_int32_t), value :: criterion
      integer(c_int64_t), value :: job
      integer(c_int64_t), value :: now
      integer(c_int32_t), value :: processors
      integer(c_int32_t), value :: missing
      real(c_double), value :: predicted
      real(c_double), intent(out) :: told
      integer(c_int32_t) :: code
    end function surefill_delay_calibration_accepted

    !> A job ended, or was killed or cancelled, that held this number of processors from time started to time now.
    !! Every job that ran must be told, whether it was a backfill or not, in the order of their ends. A job that
    !! started in the second in which a backfill was accepted counts as running then, unless it was itself accepted
    !! after it. O(pending backfills).
    function surefill_delay_calibration_ended(calibration, job, started, now, processors) bind(c, &
            name='surefill_delay_calibration_ended') result(code)
      import
      type(c_ptr), value :: calibration
      integer(c_int64_t), value :: job
      integer(c_int64_t), value :: started
      integer(c_int64_t), value :: now
      integer(c_int32_t), value :: processors
      integer(c_int32_t) :: code
    end function surefill_delay_calibration_ended

    !> How many backfills have a known outcome, and the sums of what was predicted of them, of what was told when they
    !! were accepted, and of what was observed: how many delayed their head job for the criteria PROBABILITY and
    !! BOUND, seconds for SECONDS and RELATIVE. O(1).
    function surefill_delay_calibration_totals(calibration, criterion, known, predicted, told, observed) &
            bind(c, name='surefill_delay_calibration_totals') result(code)
      import
      type(c_ptr), value :: calibration
      integer(c_int32_t), value :: criterion
      integer(c_int64_t), intent(out) :: known
      real(c_double), intent(out) :: predicted
      real(c_double), intent(out) :: told
      real(c_double), intent(out) :: observed
      integer(c_int32_t) :: code
    end function surefill_delay_calibration_totals

    !> Which of a number of observations (0 to 4,294,967,296), the k-th smallest counted from 1, is an upper bound
    !! with this confidence for the quantile of their distribution (both above 0, below 1): the smallest k with
    !! Pr(Bin(observations, quantile) <= k - 1) >= confidence. k is 0 when there are too few. O(sqrt(observations)),
    !! mostly far less.
    function surefill_binomial_upper(observations, quantile, confidence, k) bind(c, &
            name='surefill_binomial_upper') result(code)
      import
      integer(c_int64_t), value :: observations
      real(c_double), value :: quantile
      real(c_double), value :: confidence
      integer(c_int64_t), intent(out) :: k
      integer(c_int32_t) :: code
    end function surefill_binomial_upper

    !> As surefill_binomial_upper, a lower bound: the largest k with Pr(Bin(observations, quantile) >= k) >=
    !! confidence.
    function surefill_binomial_lower(observations, quantile, confidence, k) bind(c, &
            name='surefill_binomial_lower') result(code)
      import
      integer(c_int64_t), value :: observations
      real(c_double), value :: quantile
      real(c_double), value :: confidence
      integer(c_int64_t), intent(out) :: k
      integer(c_int32_t) :: code
    end function surefill_binomial_lower

    !> As surefill_binomial_upper, a lower and an upper bound that hold together with this confidence: each is
    !! one-sided at (1 + confidence) / 2. Both are 0 when there are too few observations for either.
    function surefill_binomial_two_sided(observations, quantile, confidence, lower, upper) bind(c, &
            name='surefill_binomial_two_sided') result(code)
      import
      integer(c_int64_t), value :: observations
      real(c_double), value :: quantile
      real(c_double), value :: confidence
      integer(c_int64_t), intent(out) :: lower
      integer(c_int64_t), intent(out) :: upper
      integer(c_int32_t) :: code
    end function surefill_binomial_two_sided

    !> The fewest observations for which surefill_binomial_upper finds a bound: the smallest n with quantile^n <= 1 -
    !! confidence, 59 for .95 and .95.
    function surefill_binomial_fewest(quantile, confidence, observations) bind(c, &
            name='surefill_binomial_fewest') result(code)
      import
      real(c_double), value :: quantile
      real(c_double), value :: confidence
      integer(c_int64_t), intent(out) :: observations
      integer(c_int32_t) :: code
    end function surefill_binomial_fewest

    !> How many consecutive values above a series' quantile (above 0, below 1) are a change point, when the series'
    !! lag-1 autocorrelation is correlation (-1 to 1): a run of that length happens by chance less than once in 8,000
    !! values. threshold is 0 for quantiles below .25 and correlations above .99, where long runs are no news. O(1).
    function surefill_rare_event_threshold(quantile, correlation, threshold) bind(c, &
            name='surefill_rare_event_threshold') result(code)
      import
      real(c_double), value :: quantile
      real(c_double), value :: correlation
      integer(c_int32_t), intent(out) :: threshold
      integer(c_int32_t) :: code
    end function surefill_rare_event_threshold

    !> The upper bound, with this confidence, of the quantile (both above 0, below 1) of a log-normal distribution,
    !! from count independent waits in seconds (at least 2, none negative; they count as at least one second).
    !! O(count).
    function surefill_log_normal_bound(waits, count, quantile, confidence, seconds) bind(c, &
            name='surefill_log_normal_bound') result(code)
      import
      real(c_double), intent(in) :: waits(*)
      integer(c_int32_t), value :: count
      real(c_double), value :: quantile
      real(c_double), value :: confidence
      real(c_double), intent(out) :: seconds
      integer(c_int32_t) :: code
    end function surefill_log_normal_bound

    !> The quantile (above 0, below 1) of the log-uniform distribution most likely to give these waits in seconds (at
    !! least 1, none negative; they count as at least one second). O(count).
    function surefill_log_uniform_quantile(waits, count, quantile, seconds) bind(c, &
            name='surefill_log_uniform_quantile') result(code)
      import
      real(c_double), intent(in) :: waits(*)
      integer(c_int32_t), value :: count
      real(c_double), value :: quantile
      real(c_double), intent(out) :: seconds
      integer(c_int32_t) :: code
    end function surefill_log_uniform_quantile

    !> The Weibull distribution most likely to give these waits in seconds (at least 1, none negative; they count as
    !! at least one second): its shape (infinite where all waits are equal), its scale in seconds, and its quantile
    !! (above 0, below 1) in seconds. At most 60 passes over the waits, usually six.
    function surefill_weibull_quantile(waits, count, quantile, shape, scale, seconds) bind(c, &
            name='surefill_weibull_quantile') result(code)
      import
      real(c_double), intent(in) :: waits(*)
      integer(c_int32_t), value :: count
      real(c_double), value :: quantile
      real(c_double), intent(out) :: shape
      real(c_double), intent(out) :: scale
      real(c_double), intent(out) :: seconds
      integer(c_int32_t) :: code
    end function surefill_weibull_quantile

    !> Clusters the jobs again before it is time, or goes on with a clustering that is under way, for at most work
    !! steps of O(log n) each (at least 1). step is one of SUREFILL_STEP_; after DONE the next call begins another.
    !! Other calls may come between two of these.
    function surefill_wait_recluster(wait, work, step) bind(c, name='surefill_wait_recluster') result(code)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: work
      integer(c_int32_t), intent(out) :: step
      integer(c_int32_t) :: code
    end function surefill_wait_recluster

    !> As surefill_wait_predict, a lower bound, by the binomial method. O(log n) and the cost of
    !! surefill_binomial_lower.
    function surefill_wait_predict_lower(wait, requested, processors, quantile, confidence, now, answer, &
            bound) bind(c, name='surefill_wait_predict_lower') result(code)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: requested
      integer(c_int32_t), value :: processors
      real(c_double), value :: quantile
      real(c_double), value :: confidence
      integer(c_int64_t), value :: now
      integer(c_int32_t), intent(out) :: answer
      integer(c_int64_t), intent(out) :: bound
      integer(c_int32_t) :: code
    end function surefill_wait_predict_lower

    !> As surefill_wait_predict, a lower and an upper bound that hold together with this confidence, by the binomial
    !! method. O(log n) and the cost of surefill_binomial_two_sided.
    function surefill_wait_predict_two_sided(wait, requested, processors, quantile, confidence, now, answer, &
            lower, upper) bind(c, name='surefill_wait_predict_two_sided') result(code)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: requested
      integer(c_int32_t), value :: processors
      real(c_double), value :: quantile
      real(c_double), value :: confidence
      integer(c_int64_t), value :: now
      integer(c_int32_t), intent(out) :: answer
      integer(c_int64_t), intent(out) :: lower
      integer(c_int64_t), intent(out) :: upper
      integer(c_int32_t) :: code
    end function surefill_wait_predict_two_sided

    !> By how much the last clustering raised the log-likelihood of all remembered waits, and its Bayes information
    !! criterion, over a single cluster: of predictors with different attributes, the one with the largest criterion
    !! has the attribute that explains the waits best.
    function surefill_wait_explained(wait, gain, criterion) bind(c, name='surefill_wait_explained') &
            result(code)
      import
      type(c_ptr), value :: wait
      real(c_double), intent(out) :: gain
      real(c_double), intent(out) :: criterion
      integer(c_int32_t) :: code
    end function surefill_wait_explained

    !> What the clusters in use are made by, one of SUREFILL_ATTRIBUTE_: the options' attribute, with
    !! SUREFILL_ATTRIBUTE_BEST the one of the other three that was chosen last.
    function surefill_wait_clustered_by(wait, attribute) bind(c, name='surefill_wait_clustered_by') &
            result(code)
      import
      type(c_ptr), value :: wait
      integer(c_int32_t), intent(out) :: attribute
      integer(c_int32_t) :: code
    end function surefill_wait_clustered_by

    !> Pr(a job ends within wait seconds, given that it has run for age seconds; both 0 to 2^40) when lifetimes are
    !! uniform in the logarithm between shortest and longest seconds (1e-9 to 2^40): equation 5, in which t is age
    !! plus wait. A job that has reached the longest is expected to end in one second.
    function surefill_lifetime_ends_within(shortest, longest, age, wait, probability) bind(c, &
            name='surefill_lifetime_ends_within') result(code)
      import
      real(c_double), value :: shortest
      real(c_double), value :: longest
      real(c_double), value :: age
      real(c_double), value :: wait
      real(c_double), intent(out) :: probability
      integer(c_int32_t) :: code
    end function surefill_lifetime_ends_within

    !> The mean of such lifetimes, in seconds.
    function surefill_lifetime_mean(shortest, longest, seconds) bind(c, name='surefill_lifetime_mean') &
            result(code)
      import
      real(c_double), value :: shortest
      real(c_double), value :: longest
      real(c_double), intent(out) :: seconds
      integer(c_int32_t) :: code
    end function surefill_lifetime_mean

    !> The coefficients of such lifetimes' distribution beta0 + beta1 ln t (equation 4).
    function surefill_lifetime_coefficients(shortest, longest, beta0, beta1) bind(c, &
            name='surefill_lifetime_coefficients') result(code)
      import
      real(c_double), value :: shortest
      real(c_double), value :: longest
      real(c_double), intent(out) :: beta0
      real(c_double), intent(out) :: beta1
      integer(c_int32_t) :: code
    end function surefill_lifetime_coefficients

    !> The shortest and longest lifetime in seconds of the distribution beta0 + beta1 ln t; beta1 is positive.
    function surefill_lifetime_bounds(beta0, beta1, shortest, longest) bind(c, &
            name='surefill_lifetime_bounds') result(code)
      import
      real(c_double), value :: beta0
      real(c_double), value :: beta1
      real(c_double), intent(out) :: shortest
      real(c_double), intent(out) :: longest
      integer(c_int32_t) :: code
    end function surefill_lifetime_bounds

    !> Fits such a distribution to a history of count lifetimes in seconds (1e-9 to 2^40), in increasing order: the
    !! least-squares line of equation 4 through the shares (i - 1/2) / count. O(count).
    function surefill_lifetime_fit(lifetimes, count, shortest, longest) bind(c, &
            name='surefill_lifetime_fit') result(code)
      import
      real(c_double), intent(in) :: lifetimes(*)
      integer(c_int32_t), value :: count
      real(c_double), intent(out) :: shortest
      real(c_double), intent(out) :: longest
      integer(c_int32_t) :: code
    end function surefill_lifetime_fit

    !> The same for a history in bins: the line through the shares of run times below each edge that has any on both
    !! sides. O(bins).
    function surefill_lifetime_fit_binned(distribution, shortest, longest) bind(c, &
            name='surefill_lifetime_fit_binned') result(code)
      import
      type(c_ptr), value :: distribution
      real(c_double), intent(out) :: shortest
      real(c_double), intent(out) :: longest
      integer(c_int32_t) :: code
    end function surefill_lifetime_fit_binned

    !> As surefill_speedup_fit_run_times, of count measured speedups, each on the number of processors at the same
    !! place of processors (1 to 2^20; two different numbers at least). O(count).
    function surefill_speedup_fit(processors, speedups, count, parallelism, sigma, error) bind(c, &
            name='surefill_speedup_fit') result(code)
      import
      real(c_double), intent(in) :: processors(*)
      real(c_double), intent(in) :: speedups(*)
      integer(c_int32_t), value :: count
      real(c_double), intent(out) :: parallelism
      real(c_double), intent(out) :: sigma
      real(c_double), intent(out) :: error
      integer(c_int32_t) :: code
    end function surefill_speedup_fit

    !> Adds a running job: its processors (at least 1), for how many seconds it has run (0 to 2^40), and between which
    !! lifetimes in seconds (1e-9 to 2^40) the logarithm of its own is uniform (Downey 1997). O(1).
    function surefill_sizing_add_lifetime(sizing, processors, age, shortest, longest) bind(c, &
            name='surefill_sizing_add_lifetime') result(code)
      import
      type(c_ptr), value :: sizing
      integer(c_int32_t), value :: processors
      real(c_double), value :: age
      real(c_double), value :: shortest
      real(c_double), value :: longest
      integer(c_int32_t) :: code
    end function surefill_sizing_add_lifetime

    !> The number of benefactors: running jobs that hold at least as many processors as are missing until this number
    !! (not negative) is free.
    function surefill_sizing_benefactors(sizing, processors, benefactors) bind(c, &
            name='surefill_sizing_benefactors') result(code)
      import
      type(c_ptr), value :: sizing
      integer(c_int32_t), value :: processors
      integer(c_int32_t), intent(out) :: benefactors
      integer(c_int32_t) :: code
    end function surefill_sizing_benefactors

    !> Makes a correction that knows nothing in the caller's memory (length bytes, at least SUREFILL_CORRECTION_SIZE,
    !! aligned to 8).
    function surefill_correction_init(memory, length, correction) bind(c, name='surefill_correction_init') &
            result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: correction
      integer(c_int32_t) :: code
    end function surefill_correction_init

    !> Makes the block a checkpoint, SUREFILL_CORRECTION_SIZE bytes from the handle on, by writing its checksum. Any
    !! later call that changes the correction breaks the seal.
    function surefill_correction_seal(correction) bind(c, name='surefill_correction_seal') result(code)
      import
      type(c_ptr), value :: correction
      integer(c_int32_t) :: code
    end function surefill_correction_seal

    !> Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
    !! surefill_correction_seal left it.
    function surefill_correction_open(memory, length, correction) bind(c, name='surefill_correction_open') &
            result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: correction
      integer(c_int32_t) :: code
    end function surefill_correction_open

    !> Records a wait as predicted, before correction, and as it was: seconds (0 to 2^40; below one counts as one).
    !! O(1).
    function surefill_correction_record(correction, predicted, actual) bind(c, &
            name='surefill_correction_record') result(code)
      import
      type(c_ptr), value :: correction
      real(c_double), value :: predicted
      real(c_double), value :: actual
      integer(c_int32_t) :: code
    end function surefill_correction_record

    !> The corrected prediction in seconds. Unchanged before 20 pairs are recorded, and while longer predictions go
    !! with shorter waits. O(1).
    function surefill_correction_corrected(correction, predicted, seconds) bind(c, &
            name='surefill_correction_corrected') result(code)
      import
      type(c_ptr), value :: correction
      real(c_double), value :: predicted
      real(c_double), intent(out) :: seconds
      integer(c_int32_t) :: code
    end function surefill_correction_corrected

    !> Recorded pairs.
    function surefill_correction_pairs(correction, pairs) bind(c, name='surefill_correction_pairs') &
            result(code)
      import
      type(c_ptr), value :: correction
      integer(c_int64_t), intent(out) :: pairs
      integer(c_int32_t) :: code
    end function surefill_correction_pairs

    !> The line's intercept and slope, of natural logarithms of seconds. known is 1; or 0 when no two different
    !! predictions are recorded, and then neither is written.
    function surefill_correction_line(correction, known, intercept, slope) bind(c, &
            name='surefill_correction_line') result(code)
      import
      type(c_ptr), value :: correction
      integer(c_int32_t), intent(out) :: known
      real(c_double), intent(out) :: intercept
      real(c_double), intent(out) :: slope
      integer(c_int32_t) :: code
    end function surefill_correction_line

    !> The coefficient of correlation of the logarithms. known is 1; or 0 while one of them has not varied, and then
    !! coefficient is not written.
    function surefill_correction_correlation(correction, known, coefficient) bind(c, &
            name='surefill_correction_correlation') result(code)
      import
      type(c_ptr), value :: correction
      integer(c_int32_t), intent(out) :: known
      real(c_double), intent(out) :: coefficient
      integer(c_int32_t) :: code
    end function surefill_correction_correlation

    !> Makes the fewest bins with this first edge and ratio whose last, open bin starts above longest seconds.
    function surefill_bins_init_covering(memory, length, first, ratio, longest, bins) bind(c, &
            name='surefill_bins_init_covering') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      real(c_double), value :: first
      real(c_double), value :: ratio
      integer(c_int64_t), value :: longest
      type(c_ptr), intent(out) :: bins
      integer(c_int32_t) :: code
    end function surefill_bins_init_covering

    !> The number of bins.
    function surefill_bins_count(bins, count) bind(c, name='surefill_bins_count') result(code)
      import
      type(c_ptr), value :: bins
      integer(c_int32_t), intent(out) :: count
      integer(c_int32_t) :: code
    end function surefill_bins_count

    !> The bin, counted from 0, that holds a run time in seconds; negative run times are in bin 0. O(log of the number
    !! of bins).
    function surefill_bins_index(bins, seconds, index) bind(c, name='surefill_bins_index') result(code)
      import
      type(c_ptr), value :: bins
      real(c_double), value :: seconds
      integer(c_int32_t), intent(out) :: index
      integer(c_int32_t) :: code
    end function surefill_bins_index

    !> Where the bin with this index starts and ends, in seconds; the last ends at infinity, the first starts where it
    !! starts for logarithms.
    function surefill_bins_edges(bins, index, lower, upper) bind(c, name='surefill_bins_edges') result(code)
      import
      type(c_ptr), value :: bins
      integer(c_int32_t), value :: index
      real(c_double), intent(out) :: lower
      real(c_double), intent(out) :: upper
      integer(c_int32_t) :: code
    end function surefill_bins_edges

    !> The bins' probabilities for a job that has run for age seconds under a limit in seconds (both 0 to
    !! SUREFILL_MAX_SECONDS): Algorithm 1 of Nissimov and Feitelson 2007. capacity is the room in probabilities, count
    !! the number of bins written; 0 when nothing is left (or no bins are known) and the job is expected to end at its
    !! limit.
    function surefill_distribution_recalculate(distribution, age, limit, probabilities, capacity, count) &
            bind(c, name='surefill_distribution_recalculate') result(code)
      import
      type(c_ptr), value :: distribution
      integer(c_int64_t), value :: age
      integer(c_int64_t), value :: limit
      real(c_double), intent(out) :: probabilities(*)
      integer(c_int32_t), value :: capacity
      integer(c_int32_t), intent(out) :: count
      integer(c_int32_t) :: code
    end function surefill_distribution_recalculate

    !> When the job may end: seconds from now (increasing, at least 1) and probabilities (which sum to 1) of a job of
    !! this age under this limit, each bin's probability divided into events_per_bin events (1 to
    !! SUREFILL_MAX_EVENTS_PER_BIN; the papers have 1): what the delay rule goes by, which spreads what is predicted
    !! beyond the limit over what is left below it. capacity is the room in both arrays, at least bins x
    !! events_per_bin (1 without bins). count is the number written.
    function surefill_distribution_remaining(distribution, age, limit, events_per_bin, seconds, &
            probabilities, capacity, count) bind(c, name='surefill_distribution_remaining') result(code)
      import
      type(c_ptr), value :: distribution
      integer(c_int64_t), value :: age
      integer(c_int64_t), value :: limit
      integer(c_int32_t), value :: events_per_bin
      integer(c_int64_t), intent(out) :: seconds(*)
      real(c_double), intent(out) :: probabilities(*)
      integer(c_int32_t), value :: capacity
      integer(c_int32_t), intent(out) :: count
      integer(c_int32_t) :: code
    end function surefill_distribution_remaining

    !> The idle processors left. O(1).
    function surefill_pass_idle(pass, idle) bind(c, name='surefill_pass_idle') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), intent(out) :: idle
      integer(c_int32_t) :: code
    end function surefill_pass_idle

    !> The number of events inside, those included that are being pushed; for the popping thread. Others may be
    !! changing it.
    function surefill_inbox_length(inbox, length) bind(c, name='surefill_inbox_length') result(code)
      import
      type(c_ptr), value :: inbox
      integer(c_int32_t), intent(out) :: length
      integer(c_int32_t) :: code
    end function surefill_inbox_length

    !> The smallest of the kept waits that at least this share of them does not exceed (above 0, at most 1), in
    !! seconds, but not less than least; infinity while none is kept. O(log n).
    function surefill_recent_waits_quantile(recent, quantile, least, seconds) bind(c, &
            name='surefill_recent_waits_quantile') result(code)
      import
      type(c_ptr), value :: recent
      real(c_double), value :: quantile
      real(c_double), value :: least
      real(c_double), intent(out) :: seconds
      integer(c_int32_t) :: code
    end function surefill_recent_waits_quantile

    !> How many waits are kept. O(1).
    function surefill_recent_waits_count(recent, waits) bind(c, name='surefill_recent_waits_count') &
            result(code)
      import
      type(c_ptr), value :: recent
      integer(c_int32_t), intent(out) :: waits
      integer(c_int32_t) :: code
    end function surefill_recent_waits_count

    !> How many starts the calibration has heard of.
    function surefill_start_calibration_starts(calibration, starts) bind(c, &
            name='surefill_start_calibration_starts') result(code)
      import
      type(c_ptr), value :: calibration
      integer(c_int64_t), intent(out) :: starts
      integer(c_int32_t) :: code
    end function surefill_start_calibration_starts
  end interface

end module surefill_models
