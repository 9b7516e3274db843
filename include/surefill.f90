!> surefill: probabilistic answers for batch schedulers. Licence: MIT OR Apache-2.0.
!>
!> The functions of surefill.h, which says what they do and which statuses they return, under the same names and with the
!> arguments in the same order. What differs in Fortran:
!>
!> - Handles (bins, distributions, passes, models and so on) and blocks of memory are type(c_ptr). An allocatable array of
!>   integer(c_int64_t) with the target attribute is aligned as a block must be.
!> - c_null_ptr is NULL: for a distribution of which nothing is known, and for the few arguments that are addresses because
!>   they may be left out.
!> - Indices count from 0, as in C.
!> - After an error the outputs are undefined, as Fortran has it for intent(out).
!>
!> The kinds that callers need (c_int32_t, c_int64_t, c_double, c_ptr and so on) come with the module.
module surefill
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int32_t, c_int64_t, c_loc, &
      c_null_char, c_null_ptr, c_ptr, c_size_t
  implicit none

  integer(c_int32_t), parameter :: SUREFILL_VERSION_NUMBER = 1000_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ABI_VERSION = 0_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_OK = 0_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_NULL = -1_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_MISALIGNED = -2_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_TOO_SMALL = -3_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_WRONG_OBJECT = -4_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_WRONG_VERSION = -5_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_CORRUPT = -6_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_FULL = -7_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_NOT_A_NUMBER = -8_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_OUT_OF_RANGE = -9_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_WRONG_STATE = -10_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_HEAD_FITS = -11_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_NO_SUCH_INDEX = -12_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_EMPTY = -13_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_NEVER = -14_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_FOREIGN_BYTE_ORDER = -15_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_NOT_A_DISTRIBUTION = -16_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_DUPLICATE_JOB = -17_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_UNKNOWN_JOB = -18_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_TIME_WENT_BACK = -19_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_ALREADY_STARTED = -20_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ERROR_NOT_STARTED = -21_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_MAX_BINS = 96_c_int32_t
  integer(c_int64_t), parameter :: SUREFILL_MAX_SECONDS = 1099511627776_c_int64_t
  integer(c_int32_t), parameter :: SUREFILL_MAX_EVENTS_PER_BIN = 16_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_CRITERION_PROBABILITY = 0_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_CRITERION_BOUND = 1_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_CRITERION_SECONDS = 2_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_CRITERION_RELATIVE = 3_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_STEP_ACCEPT = 1_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_STEP_MORE = 2_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_STEP_DONE = 3_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_VERDICT_UNDECIDED = 0_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_VERDICT_ACCEPTED = 1_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_VERDICT_REFUSED = 2_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_VERDICT_OVER_BUDGET = 3_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_VERDICT_DOES_NOT_FIT = 4_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_VERDICT_DECLINED = 5_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_DELAY_EXACT = 0_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_DELAY_AT_LEAST = 1_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_DELAY_AT_MOST = 2_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_DELAY_ESTIMATE = 3_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_INBOX_CAPACITY = 1024_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_EVENT_SUBMIT = 1_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_EVENT_START = 2_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_EVENT_END = 3_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_EVENT_CANCEL = 4_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_MAX_EXPERTS = 16_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_MAX_KEYS = 8_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_EXPERTS_USER = 0_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_EXPERTS_MIX = 1_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_MAX_STATES = 64_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_LOAD_NONE = 0_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_LOAD_POISSON = 1_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_LOAD_GEOMETRIC = 2_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_INITIAL_PRESENT = -1_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_INITIAL_STATIC = 0_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_INITIAL_K_MEANS = 1_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_EVIDENCE_JOBS = 0_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_EVIDENCE_LOAD = 1_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_TRAINING_IDLE = 0_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_TRAINING_MORE = 1_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_TRAINING_DONE = 2_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_TERMINATION_ROUNDS = 0_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_TERMINATION_L1 = 1_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_TERMINATION_L_INFINITY = 2_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_MAX_CLUSTERS = 16_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_METHOD_BINOMIAL = 0_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_METHOD_LOG_NORMAL = 1_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_METHOD_LOG_UNIFORM = 2_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_METHOD_WEIBULL = 3_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_ATTRIBUTE_REQUESTED = 0_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ATTRIBUTE_PROCESSORS = 1_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ATTRIBUTE_PRODUCT = 2_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_COMPONENT_TRIM = 1_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_COMPONENT_CLUSTER = 2_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_COMPONENT_AVAILABILITY = 4_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_COMPONENT_ADAPT = 8_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_ANSWER_BOUND = 0_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ANSWER_TOO_LITTLE_HISTORY = 1_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_ANSWER_MAY_BE_DOWN = 2_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_CLUSTERING_IDLE = 0_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_CLUSTERING_MORE = 1_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_CLUSTERING_DONE = 2_c_int32_t

  integer(c_int32_t), parameter :: SUREFILL_WAIT_BY_BENEFACTORS = 0_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_WAIT_BY_FLUID = 1_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_WAIT_BY_COMBINED = 2_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_WAIT_BY_QUANTILE = 3_c_int32_t
  integer(c_int32_t), parameter :: SUREFILL_WAIT_BY_MEAN = 4_c_int32_t

  !> Capacities of a pass. Set by surefill_pass_limits_init, then changed as needed.
  type, bind(c) :: surefill_pass_limits
    integer(c_int32_t) :: struct_size  ! bytes of this type, as the program knows it
    integer(c_int32_t) :: running
    integer(c_int32_t) :: candidates
    integer(c_int32_t) :: processors
    integer(c_int32_t) :: bins
    integer(c_int32_t) :: events_per_bin
    integer(c_int32_t) :: tie_cells
  end type surefill_pass_limits

  !> When a candidate is accepted. Set by surefill_rule_init, then changed as needed.
  type, bind(c) :: surefill_rule
    integer(c_int32_t) :: struct_size  ! bytes of this type, as the program knows it
    integer(c_int32_t) :: criterion
    real(c_double) :: threshold
    real(c_double) :: budget
  end type surefill_rule

  !> Something that happened to a job.
  type, bind(c) :: surefill_job_event
    integer(c_int32_t) :: kind
    integer(c_int32_t) :: processors
    integer(c_int64_t) :: job
    integer(c_int64_t) :: time
    integer(c_int64_t) :: limit
    integer(c_int64_t) :: user
  end type surefill_job_event

  !> Capacities of a model. Set by surefill_hmm_limits_init, then changed as needed.
  type, bind(c) :: surefill_hmm_limits
    integer(c_int32_t) :: struct_size  ! bytes of this type, as the program knows it
    integer(c_int32_t) :: states
    integer(c_int32_t) :: bins
    integer(c_int32_t) :: slots
    integer(c_int32_t) :: cells
  end type surefill_hmm_limits

  !> What a round of Baum-Welch did.
  type, bind(c) :: surefill_round
    real(c_double) :: log_likelihood
    real(c_double) :: l1
    real(c_double) :: l_infinity
    integer(c_int64_t) :: rounds
    integer(c_int64_t) :: jobs
    integer(c_int64_t) :: adapted
  end type surefill_round

  !> One way in which jobs are alike.
  type, bind(c) :: surefill_expert
    integer(c_int32_t) :: keys  ! the sum of 2**i for each key i in which jobs must agree
    integer(c_int32_t) :: reserved  ! 0
    real(c_double) :: decay
    real(c_double) :: prior
  end type surefill_expert

  !> Capacities of a mixture. Set by surefill_mixture_limits_init, then changed as needed.
  type, bind(c) :: surefill_mixture_limits
    integer(c_int32_t) :: struct_size  ! bytes of this type, as the program knows it
    integer(c_int32_t) :: bins
    integer(c_int32_t) :: keys
    integer(c_int32_t) :: experts
    integer(c_int32_t) :: histories
  end type surefill_mixture_limits

  !> How a model learns on line. Set by surefill_online_hmm_options_init, then changed as needed.
  type, bind(c) :: surefill_online_hmm_options
    integer(c_int32_t) :: struct_size  ! bytes of this type, as the program knows it
    integer(c_int32_t) :: reserved
    real(c_double) :: exponent
    real(c_double) :: floor
    integer(c_int64_t) :: hold
  end type surefill_online_hmm_options

  !> Capacities of a predictor. Set by surefill_predictor_limits_init, then changed as needed.
  type, bind(c) :: surefill_predictor_limits
    integer(c_int32_t) :: struct_size  ! bytes of this type, as the program knows it
    integer(c_int32_t) :: jobs
    integer(c_int32_t) :: states
    integer(c_int32_t) :: bins
    integer(c_int32_t) :: slots
    integer(c_int32_t) :: cells
    integer(c_int32_t) :: window
    integer(c_int32_t) :: online
  end type surefill_predictor_limits

  !> How a predictor learns. Set by surefill_predictor_options_init, then changed as needed.
  type, bind(c) :: surefill_predictor_options
    integer(c_int32_t) :: struct_size  ! bytes of this type, as the program knows it
    integer(c_int32_t) :: load
    integer(c_int32_t) :: initial
    integer(c_int32_t) :: termination
    real(c_double) :: threshold
    integer(c_int64_t) :: most_rounds
    integer(c_int64_t) :: slot_seconds
    integer(c_int64_t) :: initial_seconds
    integer(c_int64_t) :: restart_seconds
    real(c_double) :: floor
    real(c_double) :: exponent
    integer(c_int64_t) :: hold
  end type surefill_predictor_options

  !> Capacities of a wait predictor. Set by surefill_wait_limits_init, then changed as needed.
  type, bind(c) :: surefill_wait_limits
    integer(c_int32_t) :: struct_size  ! bytes of this type, as the program knows it
    integer(c_int32_t) :: history
    integer(c_int32_t) :: queued
    integer(c_int32_t) :: releases
    integer(c_int32_t) :: clusters
  end type surefill_wait_limits

  !> How a wait predictor predicts. Set by surefill_wait_options_init, then changed as needed.
  type, bind(c) :: surefill_wait_options
    integer(c_int32_t) :: struct_size  ! bytes of this type, as the program knows it
    integer(c_int32_t) :: method
    integer(c_int32_t) :: attribute
    integer(c_int32_t) :: components  ! the sum of SUREFILL_COMPONENT_ that are on
    real(c_double) :: quantile
    real(c_double) :: confidence
    real(c_double) :: down_quantile
    real(c_double) :: rate
    integer(c_int64_t) :: recluster_every
  end type surefill_wait_options

  !> Capacities of a sizing. Set by surefill_sizing_limits_init, then changed as needed.
  type, bind(c) :: surefill_sizing_limits
    integer(c_int32_t) :: struct_size  ! bytes of this type, as the program knows it
    integer(c_int32_t) :: running
    integer(c_int32_t) :: processors
    integer(c_int32_t) :: bins
    integer(c_int32_t) :: events_per_bin
  end type surefill_sizing_limits

  !> What decides a choice. Set by surefill_choice_options_init, then changed as needed.
  type, bind(c) :: surefill_choice_options
    integer(c_int32_t) :: struct_size  ! bytes of this type, as the program knows it
    integer(c_int32_t) :: predictor
    real(c_double) :: quantile
    integer(c_int32_t) :: least
    integer(c_int32_t) :: most
    real(c_double) :: weight
    real(c_double) :: least_gain
  end type surefill_choice_options

  !> A job's best number of processors.
  type, bind(c) :: surefill_choice
    integer(c_int32_t) :: processors
    integer(c_int32_t) :: reserved  ! 0
    real(c_double) :: wait
    real(c_double) :: predicted
    real(c_double) :: run_time
    real(c_double) :: gain
  end type surefill_choice

  private :: c_string, c_string_length

  interface
    !> The version of the linked library, to be compared with SUREFILL_VERSION_NUMBER, whose name it cannot share.
    function surefill_linked_version_number() &
            bind(c, name='surefill_version_number') result(number)
      import
      integer(c_int32_t) :: number
    end function surefill_linked_version_number

    !> The ABI version of the linked library, to be compared with SUREFILL_ABI_VERSION.
    function surefill_linked_abi_version() &
            bind(c, name='surefill_abi_version') result(number)
      import
      integer(c_int32_t) :: number
    end function surefill_linked_abi_version

    !> A static C string; surefill_status_message makes a Fortran one.
    function surefill_status_name(status) &
            bind(c, name='surefill_status_name') result(text)
      import
      integer(c_int32_t), value :: status
      type(c_ptr) :: text
    end function surefill_status_name

    !> A static C string; surefill_status_message makes a Fortran one.
    function surefill_status_text(status) &
            bind(c, name='surefill_status_text') result(text)
      import
      integer(c_int32_t), value :: status
      type(c_ptr) :: text
    end function surefill_status_text

    !> Bytes of memory that bins need.
    function surefill_bins_size() &
            bind(c, name='surefill_bins_size') result(bytes)
      import
      integer(c_int64_t) :: bytes
    end function surefill_bins_size

    !> Bins by first edge in seconds, ratio of neighbouring edges and number.
    function surefill_bins_init(memory, length, first, ratio, count, bins) &
            bind(c, name='surefill_bins_init') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      real(c_double), value :: first, ratio
      integer(c_int32_t), value :: count
      type(c_ptr), intent(out) :: bins
      integer(c_int32_t) :: status
    end function surefill_bins_init

    !> The papers' bins: ratio 1.8, first edge 1.5 s, 24 bins.
    function surefill_bins_init_default(memory, length, bins) &
            bind(c, name='surefill_bins_init_default') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: bins
      integer(c_int32_t) :: status
    end function surefill_bins_init_default

    !> The fewest bins whose last, open one starts above longest seconds.
    function surefill_bins_init_covering(memory, length, first, ratio, longest, bins) &
            bind(c, name='surefill_bins_init_covering') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      real(c_double), value :: first, ratio
      integer(c_int64_t), value :: longest
      type(c_ptr), intent(out) :: bins
      integer(c_int32_t) :: status
    end function surefill_bins_init_covering

    !> The number of bins.
    function surefill_bins_count(bins, count) &
            bind(c, name='surefill_bins_count') result(status)
      import
      type(c_ptr), value :: bins
      integer(c_int32_t), intent(out) :: count
      integer(c_int32_t) :: status
    end function surefill_bins_count

    !> The bin that holds a run time in seconds.
    function surefill_bins_index(bins, seconds, index) &
            bind(c, name='surefill_bins_index') result(status)
      import
      type(c_ptr), value :: bins
      real(c_double), value :: seconds
      integer(c_int32_t), intent(out) :: index
      integer(c_int32_t) :: status
    end function surefill_bins_index

    !> Where a bin starts and ends, in seconds.
    function surefill_bins_edges(bins, index, lower, upper) &
            bind(c, name='surefill_bins_edges') result(status)
      import
      type(c_ptr), value :: bins
      integer(c_int32_t), value :: index
      real(c_double), intent(out) :: lower, upper
      integer(c_int32_t) :: status
    end function surefill_bins_edges

    !> Bytes of memory that a distribution needs.
    function surefill_distribution_size() &
            bind(c, name='surefill_distribution_size') result(bytes)
      import
      integer(c_int64_t) :: bytes
    end function surefill_distribution_size

    !> A distribution proportional to one number for each bin.
    function surefill_distribution_init_counts(memory, length, bins, counts, count, distribution) &
            bind(c, name='surefill_distribution_init_counts') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), value :: bins
      real(c_double), intent(in) :: counts(*)
      integer(c_int32_t), value :: count
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: status
    end function surefill_distribution_init_counts

    !> A distribution of run times in seconds; weights is the address of as many real(c_double), or c_null_ptr.
    function surefill_distribution_init_samples(memory, length, bins, &
            runtimes, weights, count, distribution) &
            bind(c, name='surefill_distribution_init_samples') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), value :: bins
      integer(c_int64_t), intent(in) :: runtimes(*)
      type(c_ptr), value :: weights
      integer(c_int32_t), value :: count
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: status
    end function surefill_distribution_init_samples

    !> A prediction of one value, in seconds.
    function surefill_distribution_init_single(memory, length, seconds, distribution) &
            bind(c, name='surefill_distribution_init_single') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length, seconds
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: status
    end function surefill_distribution_init_single

    !> Nothing is known: the job runs to its limit.
    function surefill_distribution_init_limit(memory, length, distribution) &
            bind(c, name='surefill_distribution_init_limit') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: status
    end function surefill_distribution_init_limit

    !> The bins' probabilities for a job of this age under this limit.
    function surefill_distribution_recalculate(distribution, age, limit, probabilities, capacity, count) &
            bind(c, name='surefill_distribution_recalculate') result(status)
      import
      type(c_ptr), value :: distribution
      integer(c_int64_t), value :: age, limit
      real(c_double), intent(out) :: probabilities(*)
      integer(c_int32_t), value :: capacity
      integer(c_int32_t), intent(out) :: count
      integer(c_int32_t) :: status
    end function surefill_distribution_recalculate

    !> When a job of this age under this limit may end: seconds from now and their probabilities.
    function surefill_distribution_remaining(distribution, age, limit, events_per_bin, &
            seconds, probabilities, capacity, count) &
            bind(c, name='surefill_distribution_remaining') result(status)
      import
      type(c_ptr), value :: distribution
      integer(c_int64_t), value :: age, limit
      integer(c_int32_t), value :: events_per_bin
      integer(c_int64_t), intent(out) :: seconds(*)
      real(c_double), intent(out) :: probabilities(*)
      integer(c_int32_t), value :: capacity
      integer(c_int32_t), intent(out) :: count
      integer(c_int32_t) :: status
    end function surefill_distribution_remaining

    !> The remaining run time in seconds that is exceeded with probability at most 1 - quantile.
    function surefill_distribution_quantile(distribution, quantile, age, limit, seconds) &
            bind(c, name='surefill_distribution_quantile') result(status)
      import
      type(c_ptr), value :: distribution
      real(c_double), value :: quantile
      integer(c_int64_t), value :: age, limit
      integer(c_int64_t), intent(out) :: seconds
      integer(c_int32_t) :: status
    end function surefill_distribution_quantile

    !> Sets the limits to their defaults.
    function surefill_pass_limits_init(limits) &
            bind(c, name='surefill_pass_limits_init') result(status)
      import
      type(surefill_pass_limits), intent(out) :: limits
      integer(c_int32_t) :: status
    end function surefill_pass_limits_init

    !> Sets the rule to its defaults: exact probability below 0.05, no budget.
    function surefill_rule_init(rule) &
            bind(c, name='surefill_rule_init') result(status)
      import
      type(surefill_rule), intent(out) :: rule
      integer(c_int32_t) :: status
    end function surefill_rule_init

    !> Bytes of memory that a pass with these limits needs.
    function surefill_pass_size(limits, size) &
            bind(c, name='surefill_pass_size') result(status)
      import
      type(surefill_pass_limits), intent(in) :: limits
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: status
    end function surefill_pass_size

    !> Makes a pass.
    function surefill_pass_init(memory, length, limits, pass) &
            bind(c, name='surefill_pass_init') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_pass_limits), intent(in) :: limits
      type(c_ptr), intent(out) :: pass
      integer(c_int32_t) :: status
    end function surefill_pass_init

    !> Begins at time now with idle processors, for a head job that needs more than these.
    function surefill_pass_begin(pass, now, idle, head_id, head_processors) &
            bind(c, name='surefill_pass_begin') result(status)
      import
      type(c_ptr), value :: pass
      integer(c_int64_t), value :: now
      integer(c_int32_t), value :: idle
      integer(c_int64_t), value :: head_id
      integer(c_int32_t), value :: head_processors
      integer(c_int32_t) :: status
    end function surefill_pass_begin

    !> Adds a running job; index is the address of an integer(c_int32_t) or c_null_ptr.
    function surefill_pass_add_running(pass, processors, age, limit, distribution, index) &
            bind(c, name='surefill_pass_add_running') result(status)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: age, limit
      type(c_ptr), value :: distribution, index
      integer(c_int32_t) :: status
    end function surefill_pass_add_running

    !> Adds a candidate behind those before; index as in surefill_pass_add_running.
    function surefill_pass_add_candidate(pass, processors, limit, distribution, index) &
            bind(c, name='surefill_pass_add_candidate') result(status)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: limit
      type(c_ptr), value :: distribution, index
      integer(c_int32_t) :: status
    end function surefill_pass_add_candidate

    !> Decides until a candidate is accepted, the work is used up, or all are decided.
    function surefill_pass_decide(pass, rule, work, step, candidate) &
            bind(c, name='surefill_pass_decide') result(status)
      import
      type(c_ptr), value :: pass
      type(surefill_rule), intent(in) :: rule
      integer(c_int64_t), value :: work
      integer(c_int32_t), intent(out) :: step, candidate
      integer(c_int32_t) :: status
    end function surefill_pass_decide

    !> Starts the accepted candidate.
    function surefill_pass_commit(pass, candidate) &
            bind(c, name='surefill_pass_commit') result(status)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: candidate
      integer(c_int32_t) :: status
    end function surefill_pass_commit

    !> Gives the accepted candidate up.
    function surefill_pass_decline(pass, candidate) &
            bind(c, name='surefill_pass_decline') result(status)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: candidate
      integer(c_int32_t) :: status
    end function surefill_pass_decline

    !> What has become of a candidate.
    function surefill_pass_judgement(pass, candidate, delay, exactness, verdict) &
            bind(c, name='surefill_pass_judgement') result(status)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: candidate
      real(c_double), intent(out) :: delay
      integer(c_int32_t), intent(out) :: exactness, verdict
      integer(c_int32_t) :: status
    end function surefill_pass_judgement

    !> The delays of committed candidates added up for the present head job.
    function surefill_pass_spent(pass, criterion, spent) &
            bind(c, name='surefill_pass_spent') result(status)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: criterion
      real(c_double), intent(out) :: spent
      integer(c_int32_t) :: status
    end function surefill_pass_spent

    !> Continues with the risk spent on a head job in another block, as surefill_pass_spent said there of each
    !> criterion: the next surefill_pass_begin with this head_id goes on from there.
    function surefill_pass_restore_spent(pass, head_id, spent, count) &
            bind(c, name='surefill_pass_restore_spent') result(status)
      import
      type(c_ptr), value :: pass
      integer(c_int64_t), value :: head_id
      real(c_double), intent(in) :: spent(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t) :: status
    end function surefill_pass_restore_spent

    !> The idle processors left.
    function surefill_pass_idle(pass, idle) &
            bind(c, name='surefill_pass_idle') result(status)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), intent(out) :: idle
      integer(c_int32_t) :: status
    end function surefill_pass_idle

    !> The probability that at least so many processors are free at time when.
    function surefill_pass_free_probability(pass, processors, when, probability) &
            bind(c, name='surefill_pass_free_probability') result(status)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: when
      real(c_double), intent(out) :: probability
      integer(c_int32_t) :: status
    end function surefill_pass_free_probability

    !> The probability that the head job has started by time when.
    function surefill_pass_head_start_probability(pass, when, probability) &
            bind(c, name='surefill_pass_head_start_probability') result(status)
      import
      type(c_ptr), value :: pass
      integer(c_int64_t), value :: when
      real(c_double), intent(out) :: probability
      integer(c_int32_t) :: status
    end function surefill_pass_head_start_probability

    !> The earliest time by which the head job has started with this probability.
    function surefill_pass_head_start_quantile(pass, probability, when) &
            bind(c, name='surefill_pass_head_start_quantile') result(status)
      import
      type(c_ptr), value :: pass
      real(c_double), value :: probability
      integer(c_int64_t), intent(out) :: when
      integer(c_int32_t) :: status
    end function surefill_pass_head_start_quantile

    !> Bytes of memory that an inbox needs.
    function surefill_inbox_size() &
            bind(c, name='surefill_inbox_size') result(bytes)
      import
      integer(c_int64_t) :: bytes
    end function surefill_inbox_size

    !> An empty inbox. Its block must not be moved.
    function surefill_inbox_init(memory, length, inbox) &
            bind(c, name='surefill_inbox_init') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: inbox
      integer(c_int32_t) :: status
    end function surefill_inbox_init

    !> Puts an event in; for the one pushing thread.
    function surefill_inbox_push(inbox, event) &
            bind(c, name='surefill_inbox_push') result(status)
      import
      type(c_ptr), value :: inbox
      type(surefill_job_event), intent(in) :: event
      integer(c_int32_t) :: status
    end function surefill_inbox_push

    !> Takes the oldest event out; for the one popping thread.
    function surefill_inbox_pop(inbox, event) &
            bind(c, name='surefill_inbox_pop') result(status)
      import
      type(c_ptr), value :: inbox
      type(surefill_job_event), intent(out) :: event
      integer(c_int32_t) :: status
    end function surefill_inbox_pop

    !> The number of events inside.
    function surefill_inbox_length(inbox, length) &
            bind(c, name='surefill_inbox_length') result(status)
      import
      type(c_ptr), value :: inbox
      integer(c_int32_t), intent(out) :: length
      integer(c_int32_t) :: status
    end function surefill_inbox_length

    !> Sets the limits to their defaults: 16 states, 24 bins, a year of slots of 15 min, 100,000 cells.
    function surefill_hmm_limits_init(limits) &
            bind(c, name='surefill_hmm_limits_init') result(status)
      import
      type(surefill_hmm_limits), intent(out) :: limits
      integer(c_int32_t) :: status
    end function surefill_hmm_limits_init

    !> Bytes of memory that a model needs.
    function surefill_hmm_size(limits, size) &
            bind(c, name='surefill_hmm_size') result(status)
      import
      type(surefill_hmm_limits), intent(in) :: limits
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: status
    end function surefill_hmm_size

    !> Makes a model without parameters and observations in the caller's memory (length bytes, at least
    !> surefill_hmm_size, aligned to 8).
    function surefill_hmm_init(memory, length, limits, hmm) &
            bind(c, name='surefill_hmm_init') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_hmm_limits), intent(in) :: limits
      type(c_ptr), intent(out) :: hmm
      integer(c_int32_t) :: status
    end function surefill_hmm_init

    !> Makes the block a checkpoint, to be written to disk: writes its checksum.
    function surefill_hmm_seal(hmm) &
            bind(c, name='surefill_hmm_seal') result(status)
      import
      type(c_ptr), value :: hmm
      integer(c_int32_t) :: status
    end function surefill_hmm_seal

    !> The model in a checkpoint (length bytes at least) read back into memory, which must be as surefill_hmm_seal
    !> left it.
    function surefill_hmm_open(memory, length, hmm) &
            bind(c, name='surefill_hmm_open') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: hmm
      integer(c_int32_t) :: status
    end function surefill_hmm_open

    !> Sets the parameters of a model with so many states M and bins N: start has M probabilities, transition M x M
    !> and emission M x N, row by row; each row sums to 1 within 1e-9.
    function surefill_hmm_set_parameters(hmm, states, bins, load, start, transition, emission, load_parameter) &
            bind(c, name='surefill_hmm_set_parameters') result(status)
      import
      type(c_ptr), value :: hmm
      integer(c_int32_t), value :: states, bins, load
      real(c_double), intent(in) :: start(*), transition(*), emission(*), load_parameter(*)
      integer(c_int32_t) :: status
    end function surefill_hmm_set_parameters

    !> The parameters, as surefill_hmm_set_parameters takes them; load_parameter is all 0 without a load model.
    function surefill_hmm_parameters(hmm, states, bins, load, start, transition, emission, load_parameter) &
            bind(c, name='surefill_hmm_parameters') result(status)
      import
      type(c_ptr), value :: hmm
      integer(c_int32_t), value :: states, bins
      integer(c_int32_t), intent(out) :: load
      real(c_double), intent(out) :: start(*), transition(*), emission(*), load_parameter(*)
      integer(c_int32_t) :: status
    end function surefill_hmm_parameters

    !> Sets the parameters to Static-IV (Algorithm 3), with so many jobs a slot on average if the load is modelled
    !> (positive).
    function surefill_hmm_init_static(hmm, load, mean_jobs) &
            bind(c, name='surefill_hmm_init_static') result(status)
      import
      type(c_ptr), value :: hmm
      integer(c_int32_t), value :: load
      real(c_double), value :: mean_jobs
      integer(c_int32_t) :: status
    end function surefill_hmm_init_static

    !> Adapts the parameters to slots half as long: A'_ij = A_ij / 2, A'_ii = A_ii / 2 + 1/2, half the mean load.
    function surefill_hmm_halve_slots(hmm) &
            bind(c, name='surefill_hmm_halve_slots') result(status)
      import
      type(c_ptr), value :: hmm
      integer(c_int32_t) :: status
    end function surefill_hmm_halve_slots

    !> Reports a finished job: the slot in which it was submitted and the bin of its run time, from 0.
    function surefill_hmm_observe(hmm, slot, bin) &
            bind(c, name='surefill_hmm_observe') result(status)
      import
      type(c_ptr), value :: hmm
      integer(c_int64_t), value :: slot
      integer(c_int32_t), value :: bin
      integer(c_int32_t) :: status
    end function surefill_hmm_observe

    !> Makes this the last slot, empty as yet, if it is later than the last one known.
    function surefill_hmm_extend(hmm, slot) &
            bind(c, name='surefill_hmm_extend') result(status)
      import
      type(c_ptr), value :: hmm
      integer(c_int64_t), value :: slot
      integer(c_int32_t) :: status
    end function surefill_hmm_extend

    !> The slots held: first..end, empty if they are equal.
    function surefill_hmm_slots(hmm, first, end) &
            bind(c, name='surefill_hmm_slots') result(status)
      import
      type(c_ptr), value :: hmm
      integer(c_int64_t), intent(out) :: first, end
      integer(c_int32_t) :: status
    end function surefill_hmm_slots

    !> ln Pr(evidence in the slots from..to), one of SUREFILL_EVIDENCE_; minus infinity when the model does not
    !> explain it.
    function surefill_hmm_log_likelihood(hmm, from, to, evidence, log_likelihood) &
            bind(c, name='surefill_hmm_log_likelihood') result(status)
      import
      type(c_ptr), value :: hmm
      integer(c_int64_t), value :: from, to
      integer(c_int32_t), value :: evidence
      real(c_double), intent(out) :: log_likelihood
      integer(c_int32_t) :: status
    end function surefill_hmm_log_likelihood

    !> Pr(state of slot to - 1 | observations in the slots from..to), states numbers, and ln Pr(observations); when
    !> that is minus infinity the model does not explain them, and probabilities is not written.
    function surefill_hmm_filter(hmm, from, to, probabilities, states, log_likelihood) &
            bind(c, name='surefill_hmm_filter') result(status)
      import
      type(c_ptr), value :: hmm
      integer(c_int64_t), value :: from, to
      real(c_double), intent(out) :: probabilities(*)
      integer(c_int32_t), value :: states
      real(c_double), intent(out) :: log_likelihood
      integer(c_int32_t) :: status
    end function surefill_hmm_filter

    !> The most likely state, from 0, of each of the slots from..to, and ln Pr(these states and the observations);
    !> when that is minus infinity the model does not explain them, and path is not written.
    function surefill_hmm_viterbi(hmm, from, to, path, length, log_likelihood) &
            bind(c, name='surefill_hmm_viterbi') result(status)
      import
      type(c_ptr), value :: hmm
      integer(c_int64_t), value :: from, to
      integer(c_int32_t), intent(out) :: path(*)
      integer(c_int32_t), value :: length
      real(c_double), intent(out) :: log_likelihood
      integer(c_int32_t) :: status
    end function surefill_hmm_viterbi

    !> Begins training on the slots from..to, from one of SUREFILL_INITIAL_; load is one of SUREFILL_LOAD_, and
    !> ignored for PRESENT.
    function surefill_hmm_begin_training(hmm, initial, load, from, to) &
            bind(c, name='surefill_hmm_begin_training') result(status)
      import
      type(c_ptr), value :: hmm
      integer(c_int32_t), value :: initial, load
      integer(c_int64_t), value :: from, to
      integer(c_int32_t) :: status
    end function surefill_hmm_begin_training

    !> Trains until a round is complete and its parameters are in use (step is SUREFILL_TRAINING_DONE; round says
    !> what it did), or until about work slots are visited (at least 1; SUREFILL_TRAINING_MORE, round is not
    !> written).
    function surefill_hmm_train(hmm, work, step, round) &
            bind(c, name='surefill_hmm_train') result(status)
      import
      type(c_ptr), value :: hmm
      integer(c_int64_t), value :: work
      integer(c_int32_t), intent(out) :: step
      type(surefill_round), intent(out) :: round
      integer(c_int32_t) :: status
    end function surefill_hmm_train

    !> Sets the options to their defaults: a = 0.75, a floor of 0.001, 100 slots before the parameters change.
    function surefill_online_hmm_options_init(options) &
            bind(c, name='surefill_online_hmm_options_init') result(status)
      import
      type(surefill_online_hmm_options), intent(out) :: options
      integer(c_int32_t) :: status
    end function surefill_online_hmm_options_init

    !> Bytes of memory that a model of so many states (1 to SUREFILL_MAX_STATES) and bins (2 to SUREFILL_MAX_BINS) needs.
    function surefill_online_hmm_size(states, bins, size) &
            bind(c, name='surefill_online_hmm_size') result(status)
      import
      integer(c_int32_t), value :: states, bins
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: status
    end function surefill_online_hmm_size

    !> Makes a model in the caller's memory (length bytes, at least surefill_online_hmm_size, aligned to 8) that starts
    !> from these parameters, as surefill_hmm_set_parameters takes them.
    function surefill_online_hmm_init(memory, length, states, bins, load, &
            start, transition, emission, load_parameter, options, online) &
            bind(c, name='surefill_online_hmm_init') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      integer(c_int32_t), value :: states, bins, load
      real(c_double), intent(in) :: start(*), transition(*), emission(*), load_parameter(*)
      type(surefill_online_hmm_options), intent(in) :: options
      type(c_ptr), intent(out) :: online
      integer(c_int32_t) :: status
    end function surefill_online_hmm_init

    !> Makes the block a checkpoint, to be written to disk: writes its checksum.
    function surefill_online_hmm_seal(online) &
            bind(c, name='surefill_online_hmm_seal') result(status)
      import
      type(c_ptr), value :: online
      integer(c_int32_t) :: status
    end function surefill_online_hmm_seal

    !> The model in a checkpoint (length bytes at least) read back into memory, which must be as
    !> surefill_online_hmm_seal left it.
    function surefill_online_hmm_open(memory, length, online) &
            bind(c, name='surefill_online_hmm_open') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: online
      integer(c_int32_t) :: status
    end function surefill_online_hmm_open

    !> Learns from the next slot: counts has a number of finished jobs for each bin. explained is 1, or 0 when the model
    !> did not explain the slot without the floor.
    function surefill_online_hmm_learn(online, counts, count, log_likelihood, explained) &
            bind(c, name='surefill_online_hmm_learn') result(status)
      import
      type(c_ptr), value :: online
      integer(c_int32_t), intent(in) :: counts(*)
      integer(c_int32_t), value :: count
      real(c_double), intent(out) :: log_likelihood
      integer(c_int32_t), intent(out) :: explained
      integer(c_int32_t) :: status
    end function surefill_online_hmm_learn

    !> The distribution of the bin of a job submitted in the next slot, one number for each bin.
    function surefill_online_hmm_probabilities(online, probabilities, count) &
            bind(c, name='surefill_online_hmm_probabilities') result(status)
      import
      type(c_ptr), value :: online
      real(c_double), intent(out) :: probabilities(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t) :: status
    end function surefill_online_hmm_probabilities

    !> Slots learnt from, or at least seen.
    function surefill_online_hmm_slots(online, slots) &
            bind(c, name='surefill_online_hmm_slots') result(status)
      import
      type(c_ptr), value :: online
      integer(c_int64_t), intent(out) :: slots
      integer(c_int32_t) :: status
    end function surefill_online_hmm_slots

    !> The parameters, as surefill_hmm_parameters gives them.
    function surefill_online_hmm_parameters(online, states, bins, load, &
            start, transition, emission, load_parameter) &
            bind(c, name='surefill_online_hmm_parameters') result(status)
      import
      type(c_ptr), value :: online
      integer(c_int32_t), value :: states, bins
      integer(c_int32_t), intent(out) :: load
      real(c_double), intent(out) :: start(*), transition(*), emission(*), load_parameter(*)
      integer(c_int32_t) :: status
    end function surefill_online_hmm_parameters

    !> Sets the limits to their defaults: 4,096 jobs, 16 states, 24 bins, a year of slots of 15 min, 100,000 cells,
    !> 1,024 slots remembered.
    function surefill_predictor_limits_init(limits) &
            bind(c, name='surefill_predictor_limits_init') result(status)
      import
      type(surefill_predictor_limits), intent(out) :: limits
      integer(c_int32_t) :: status
    end function surefill_predictor_limits_init

    !> Sets the options to the thesis's: no load model, Static-IV, L1 with 200 and at most 1,000 rounds, slots of 15
    !> min, an initial period of a week, restarts weekly; but with a floor of 0.001.
    function surefill_predictor_options_init(options) &
            bind(c, name='surefill_predictor_options_init') result(status)
      import
      type(surefill_predictor_options), intent(out) :: options
      integer(c_int32_t) :: status
    end function surefill_predictor_options_init

    !> Bytes of memory that a predictor needs: a model's (surefill_hmm_size), 64 for each job, 8 S for each slot of
    !> the window (S states, rounded up to a multiple of 8), 32 S and about 1,200; on line also surefill_online_hmm_size.
    function surefill_predictor_size(limits, size) &
            bind(c, name='surefill_predictor_size') result(status)
      import
      type(surefill_predictor_limits), intent(in) :: limits
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: status
    end function surefill_predictor_size

    !> Makes a predictor in the caller's memory (length bytes, at least surefill_predictor_size, aligned to 8) for
    !> run times in these bins, of which it keeps a copy.
    function surefill_predictor_init(memory, length, limits, bins, options, predictor) &
            bind(c, name='surefill_predictor_init') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_predictor_limits), intent(in) :: limits
      type(c_ptr), value :: bins
      type(surefill_predictor_options), intent(in) :: options
      type(c_ptr), intent(out) :: predictor
      integer(c_int32_t) :: status
    end function surefill_predictor_init

    !> Makes the block a checkpoint, to be written to disk: writes its checksum.
    function surefill_predictor_seal(predictor) &
            bind(c, name='surefill_predictor_seal') result(status)
      import
      type(c_ptr), value :: predictor
      integer(c_int32_t) :: status
    end function surefill_predictor_seal

    !> The predictor in a checkpoint (length bytes at least) read back into memory, which must be as
    !> surefill_predictor_seal left it.
    function surefill_predictor_open(memory, length, predictor) &
            bind(c, name='surefill_predictor_open') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: predictor
      integer(c_int32_t) :: status
    end function surefill_predictor_open

    !> A job was submitted.
    function surefill_predictor_submit(predictor, job, now) &
            bind(c, name='surefill_predictor_submit') result(status)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), value :: job, now
      integer(c_int32_t) :: status
    end function surefill_predictor_submit

    !> A submitted job was started.
    function surefill_predictor_start(predictor, job, now) &
            bind(c, name='surefill_predictor_start') result(status)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), value :: job, now
      integer(c_int32_t) :: status
    end function surefill_predictor_start

    !> A running job ended; its run time is learnt.
    function surefill_predictor_end(predictor, job, now) &
            bind(c, name='surefill_predictor_end') result(status)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), value :: job, now
      integer(c_int32_t) :: status
    end function surefill_predictor_end

    !> A job left without having run to its end: cancelled while queued, or running but not to be learnt from.
    function surefill_predictor_cancel(predictor, job, now) &
            bind(c, name='surefill_predictor_cancel') result(status)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), value :: job, now
      integer(c_int32_t) :: status
    end function surefill_predictor_cancel

    !> Jobs in the system.
    function surefill_predictor_jobs(predictor, jobs) &
            bind(c, name='surefill_predictor_jobs') result(status)
      import
      type(c_ptr), value :: predictor
      integer(c_int32_t), intent(out) :: jobs
      integer(c_int32_t) :: status
    end function surefill_predictor_jobs

    !> What is believed of the run time of a job submitted now: a distribution made in the caller's memory (length
    !> bytes, at least surefill_distribution_size).
    function surefill_predictor_predict(predictor, now, memory, length, known, distribution) &
            bind(c, name='surefill_predictor_predict') result(status)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), value :: now
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      integer(c_int32_t), intent(out) :: known
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: status
    end function surefill_predictor_predict

    !> As surefill_predictor_predict, as count numbers, one for each bin; count must be the number of bins.
    function surefill_predictor_probabilities(predictor, now, probabilities, count, known) &
            bind(c, name='surefill_predictor_probabilities') result(status)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), value :: now
      real(c_double), intent(out) :: probabilities(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t), intent(out) :: known
      integer(c_int32_t) :: status
    end function surefill_predictor_probabilities

    !> Whether training is under way or should begin (1) or not (0), at the time of the last event or prediction.
    function surefill_predictor_wants_training(predictor, wants) &
            bind(c, name='surefill_predictor_wants_training') result(status)
      import
      type(c_ptr), value :: predictor
      integer(c_int32_t), intent(out) :: wants
      integer(c_int32_t) :: status
    end function surefill_predictor_wants_training

    !> Trains, if that is wanted, for about work visits to slots (at least 1); events and predictions may come
    !> between two calls.
    function surefill_predictor_train(predictor, work, step, round) &
            bind(c, name='surefill_predictor_train') result(status)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), value :: work
      integer(c_int32_t), intent(out) :: step
      type(surefill_round), intent(out) :: round
      integer(c_int32_t) :: status
    end function surefill_predictor_train

    !> Starts from a model learnt elsewhere, as surefill_hmm_set_parameters takes it: the predictor predicts from
    !> now on, and trains the model further once the initial period is over.
    function surefill_predictor_set_model(predictor, states, bins, load, &
            start, transition, emission, load_parameter) &
            bind(c, name='surefill_predictor_set_model') result(status)
      import
      type(c_ptr), value :: predictor
      integer(c_int32_t), value :: states, bins, load
      real(c_double), intent(in) :: start(*), transition(*), emission(*), load_parameter(*)
      integer(c_int32_t) :: status
    end function surefill_predictor_set_model

    !> The parameters of the model in use, as surefill_hmm_parameters gives them.
    function surefill_predictor_model(predictor, states, bins, load, start, transition, emission, load_parameter) &
            bind(c, name='surefill_predictor_model') result(status)
      import
      type(c_ptr), value :: predictor
      integer(c_int32_t), value :: states, bins
      integer(c_int32_t), intent(out) :: load
      real(c_double), intent(out) :: start(*), transition(*), emission(*), load_parameter(*)
      integer(c_int32_t) :: status
    end function surefill_predictor_model

    !> The C library's strlen.
    pure function c_string_length(string) bind(c, name='strlen') result(length)
      import
      type(c_ptr), value :: string
      integer(c_size_t) :: length
    end function c_string_length

    !> Sets the limits to their defaults: 24 bins, 3 keys, 10 experts, 16,384 histories.
    function surefill_mixture_limits_init(limits) &
            bind(c, name='surefill_mixture_limits_init') result(status)
      import
      type(surefill_mixture_limits), intent(out) :: limits
      integer(c_int32_t) :: status
    end function surefill_mixture_limits_init

    !> Writes the experts of a set, one of SUREFILL_EXPERTS_, and their number.
    function surefill_experts_init(set, experts, capacity, count) &
            bind(c, name='surefill_experts_init') result(status)
      import
      integer(c_int32_t), value :: set
      type(surefill_expert), intent(out) :: experts(*)
      integer(c_int32_t), value :: capacity
      integer(c_int32_t), intent(out) :: count
      integer(c_int32_t) :: status
    end function surefill_experts_init

    !> Bytes of memory that a mixture needs.
    function surefill_mixture_size(limits, size) &
            bind(c, name='surefill_mixture_size') result(status)
      import
      type(surefill_mixture_limits), intent(in) :: limits
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: status
    end function surefill_mixture_size

    !> Makes a mixture that has seen no job in the caller's memory (length bytes, aligned to 8).
    function surefill_mixture_init(memory, length, limits, bins, experts, expert_count, mixture) &
            bind(c, name='surefill_mixture_init') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_mixture_limits), intent(in) :: limits
      type(c_ptr), value :: bins
      type(surefill_expert), intent(in) :: experts(*)
      integer(c_int32_t), value :: expert_count
      type(c_ptr), intent(out) :: mixture
      integer(c_int32_t) :: status
    end function surefill_mixture_init

    !> A job with these keys has finished after so many seconds.
    function surefill_mixture_learn(mixture, keys, count, seconds) &
            bind(c, name='surefill_mixture_learn') result(status)
      import
      type(c_ptr), value :: mixture
      integer(c_int64_t), intent(in) :: keys(*)
      integer(c_int32_t), value :: count
      integer(c_int64_t), value :: seconds
      integer(c_int32_t) :: status
    end function surefill_mixture_learn

    !> Makes the distribution of the run time of a job with these keys in memory of surefill_distribution_size.
    function surefill_mixture_predict(mixture, keys, count, memory, length, distribution) &
            bind(c, name='surefill_mixture_predict') result(status)
      import
      type(c_ptr), value :: mixture
      integer(c_int64_t), intent(in) :: keys(*)
      integer(c_int32_t), value :: count
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: status
    end function surefill_mixture_predict

    !> The experts' weights for the owner of a job with these keys.
    function surefill_mixture_weights(mixture, keys, count, weights, capacity) &
            bind(c, name='surefill_mixture_weights') result(status)
      import
      type(c_ptr), value :: mixture
      integer(c_int64_t), intent(in) :: keys(*)
      integer(c_int32_t), value :: count
      real(c_double), intent(out) :: weights(*)
      integer(c_int32_t), value :: capacity
      integer(c_int32_t) :: status
    end function surefill_mixture_weights

    !> Makes the block a checkpoint, to be written to disk: writes its checksum.
    function surefill_mixture_seal(mixture) &
            bind(c, name='surefill_mixture_seal') result(status)
      import
      type(c_ptr), value :: mixture
      integer(c_int32_t) :: status
    end function surefill_mixture_seal

    !> The mixture in a checkpoint read back into memory, which must be as surefill_mixture_seal left it.
    function surefill_mixture_open(memory, length, mixture) &
            bind(c, name='surefill_mixture_open') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: mixture
      integer(c_int32_t) :: status
    end function surefill_mixture_open

    !> Sets the limits to their defaults: 16,384 waits, 4,096 jobs waiting, 4,096 releases, 16 clusters.
    function surefill_wait_limits_init(limits) &
            bind(c, name='surefill_wait_limits_init') result(status)
      import
      type(surefill_wait_limits), intent(out) :: limits
      integer(c_int32_t) :: status
    end function surefill_wait_limits_init

    !> Sets the options to the paper's: .95 bound of the .95 quantile by order statistics, TRIM, CLUSTER by
    !> requested time every 1,000 waits, and AVAILABILITY, less easily alarmed (down_quantile .999).
    function surefill_wait_options_init(options) &
            bind(c, name='surefill_wait_options_init') result(status)
      import
      type(surefill_wait_options), intent(out) :: options
      integer(c_int32_t) :: status
    end function surefill_wait_options_init

    !> Bytes of memory that a wait predictor needs: some 80 for each remembered wait, 230 with clusters, 160 for
    !> each release, 60 for each waiting job, and about 6,000; 4.9 MB for the default.
    function surefill_wait_size(limits, size) &
            bind(c, name='surefill_wait_size') result(status)
      import
      type(surefill_wait_limits), intent(in) :: limits
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: status
    end function surefill_wait_size

    !> Makes a predictor that knows no wait in the caller's memory (length bytes, at least surefill_wait_size,
    !> aligned to 8).
    function surefill_wait_init(memory, length, limits, options, wait) &
            bind(c, name='surefill_wait_init') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_wait_limits), intent(in) :: limits
      type(surefill_wait_options), intent(in) :: options
      type(c_ptr), intent(out) :: wait
      integer(c_int32_t) :: status
    end function surefill_wait_init

    !> Makes the block a checkpoint, surefill_wait_size bytes from the handle on, by writing its checksum.
    function surefill_wait_seal(wait) &
            bind(c, name='surefill_wait_seal') result(status)
      import
      type(c_ptr), value :: wait
      integer(c_int32_t) :: status
    end function surefill_wait_seal

    !> Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
    !> surefill_wait_seal left it.
    function surefill_wait_open(memory, length, wait) &
            bind(c, name='surefill_wait_open') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: wait
      integer(c_int32_t) :: status
    end function surefill_wait_open

    !> A job was submitted that requests so many seconds (0 to SUREFILL_MAX_SECONDS) and processors (not
    !> negative).
    function surefill_wait_submitted(wait, job, now, requested, processors, answer, bound) &
            bind(c, name='surefill_wait_submitted') result(status)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: job, now, requested
      integer(c_int32_t), value :: processors
      integer(c_int32_t), intent(out) :: answer
      integer(c_int64_t), intent(out) :: bound
      integer(c_int32_t) :: status
    end function surefill_wait_submitted

    !> A waiting job was started: its wait becomes history; waited is that in seconds.
    function surefill_wait_started(wait, job, now, waited) &
            bind(c, name='surefill_wait_started') result(status)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: job, now
      integer(c_int64_t), intent(out) :: waited
      integer(c_int32_t) :: status
    end function surefill_wait_started

    !> A waiting job was cancelled: nothing is learnt.
    function surefill_wait_cancelled(wait, job, now) &
            bind(c, name='surefill_wait_cancelled') result(status)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: job, now
      integer(c_int32_t) :: status
    end function surefill_wait_cancelled

    !> A wait known from elsewhere, in seconds (0 to SUREFILL_MAX_SECONDS), of a job that requested so many
    !> seconds and processors: as if it had been submitted and started, but without time passing.
    function surefill_wait_known(wait, seconds, requested, processors) &
            bind(c, name='surefill_wait_known') result(status)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: seconds, requested
      integer(c_int32_t), value :: processors
      integer(c_int32_t) :: status
    end function surefill_wait_known

    !> Clusters the jobs again before it is time, or goes on with a clustering that is under way, for at most work
    !> steps of O(log n) each (at least 1).
    function surefill_wait_recluster(wait, work, step) &
            bind(c, name='surefill_wait_recluster') result(status)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: work
      integer(c_int32_t), intent(out) :: step
      integer(c_int32_t) :: status
    end function surefill_wait_recluster

    !> An upper bound in seconds, with this confidence, for the quantile (both above 0, below 1) of the wait of a
    !> job submitted now that requests so many seconds and processors.
    function surefill_wait_predict(wait, requested, processors, quantile, confidence, now, answer, bound) &
            bind(c, name='surefill_wait_predict') result(status)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: requested
      integer(c_int32_t), value :: processors
      real(c_double), value :: quantile, confidence
      integer(c_int64_t), value :: now
      integer(c_int32_t), intent(out) :: answer
      integer(c_int64_t), intent(out) :: bound
      integer(c_int32_t) :: status
    end function surefill_wait_predict

    !> As surefill_wait_predict, a lower bound, by the binomial method.
    function surefill_wait_predict_lower(wait, requested, processors, quantile, confidence, now, answer, bound) &
            bind(c, name='surefill_wait_predict_lower') result(status)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: requested
      integer(c_int32_t), value :: processors
      real(c_double), value :: quantile, confidence
      integer(c_int64_t), value :: now
      integer(c_int32_t), intent(out) :: answer
      integer(c_int64_t), intent(out) :: bound
      integer(c_int32_t) :: status
    end function surefill_wait_predict_lower

    !> As surefill_wait_predict, a lower and an upper bound that hold together with this confidence, by the
    !> binomial method.
    function surefill_wait_predict_two_sided(wait, requested, processors, quantile, confidence, now, answer, &
            lower, upper) &
            bind(c, name='surefill_wait_predict_two_sided') result(status)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: requested
      integer(c_int32_t), value :: processors
      real(c_double), value :: quantile, confidence
      integer(c_int64_t), value :: now
      integer(c_int32_t), intent(out) :: answer
      integer(c_int64_t), intent(out) :: lower, upper
      integer(c_int32_t) :: status
    end function surefill_wait_predict_two_sided

    !> As surefill_wait_predict, for a job that waits since it was submitted: an upper bound for its wait, counted
    !> from its submission, by the binomial method from the waits that were at least as long as its own is now.
    function surefill_wait_predict_waiting(wait, job, quantile, confidence, now, answer, bound) &
            bind(c, name='surefill_wait_predict_waiting') result(status)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: job
      real(c_double), value :: quantile, confidence
      integer(c_int64_t), value :: now
      integer(c_int32_t), intent(out) :: answer
      integer(c_int64_t), intent(out) :: bound
      integer(c_int32_t) :: status
    end function surefill_wait_predict_waiting

    !> How probable it is that a job that has waited for age seconds (0 for a new one) waits at most within
    !> seconds, counted from its submission: the part of the waits that were, with a lower bound for it at this
    !> confidence.
    function surefill_wait_start_probability(wait, requested, processors, age, within, confidence, probability, &
            at_least, rests_on) &
            bind(c, name='surefill_wait_start_probability') result(status)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: requested
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: age, within
      real(c_double), value :: confidence
      real(c_double), intent(out) :: probability, at_least
      integer(c_int64_t), intent(out) :: rests_on
      integer(c_int32_t) :: status
    end function surefill_wait_start_probability

    !> Whether no job has been started for so long, or while so many arrived, that the machine may be down (1) or
    !> not (0).
    function surefill_wait_may_be_down(wait, now, down) &
            bind(c, name='surefill_wait_may_be_down') result(status)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: now
      integer(c_int32_t), intent(out) :: down
      integer(c_int32_t) :: status
    end function surefill_wait_may_be_down

    !> Jobs that wait.
    function surefill_wait_jobs(wait, jobs) &
            bind(c, name='surefill_wait_jobs') result(status)
      import
      type(c_ptr), value :: wait
      integer(c_int32_t), intent(out) :: jobs
      integer(c_int32_t) :: status
    end function surefill_wait_jobs

    !> Waits that are remembered.
    function surefill_wait_remembered(wait, count) &
            bind(c, name='surefill_wait_remembered') result(status)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), intent(out) :: count
      integer(c_int32_t) :: status
    end function surefill_wait_remembered

    !> The clusters in use, at least one, in the order of the attribute: the smallest and the largest attribute of
    !> each (9223372036854775807 for no bound) and how many waits count there.
    function surefill_wait_clusters(wait, smallest, largest, counts, capacity, clusters) &
            bind(c, name='surefill_wait_clusters') result(status)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), intent(out) :: smallest(*), largest(*), counts(*)
      integer(c_int32_t), value :: capacity
      integer(c_int32_t), intent(out) :: clusters
      integer(c_int32_t) :: status
    end function surefill_wait_clusters

    !> By how much the last clustering raised the log-likelihood of all remembered waits, and its Bayes
    !> information criterion, over a single cluster: of predictors with different attributes, the one with the
    !> largest criterion has the attribute that explains the waits best.
    function surefill_wait_explained(wait, gain, criterion) &
            bind(c, name='surefill_wait_explained') result(status)
      import
      type(c_ptr), value :: wait
      real(c_double), intent(out) :: gain, criterion
      integer(c_int32_t) :: status
    end function surefill_wait_explained

    !> Which of so many observations (0 to 4,294,967,296), the k-th smallest counted from 1, is an upper bound
    !> with this confidence for the quantile of their distribution (both above 0, below 1): the smallest k with
    !> Pr(Bin(observations, quantile) <= k - 1) >= confidence.
    function surefill_binomial_upper(observations, quantile, confidence, k) &
            bind(c, name='surefill_binomial_upper') result(status)
      import
      integer(c_int64_t), value :: observations
      real(c_double), value :: quantile, confidence
      integer(c_int64_t), intent(out) :: k
      integer(c_int32_t) :: status
    end function surefill_binomial_upper

    !> As surefill_binomial_upper, a lower bound: the largest k with Pr(Bin(observations, quantile) >= k) >=
    !> confidence.
    function surefill_binomial_lower(observations, quantile, confidence, k) &
            bind(c, name='surefill_binomial_lower') result(status)
      import
      integer(c_int64_t), value :: observations
      real(c_double), value :: quantile, confidence
      integer(c_int64_t), intent(out) :: k
      integer(c_int32_t) :: status
    end function surefill_binomial_lower

    !> As surefill_binomial_upper, a lower and an upper bound that hold together with this confidence: each is
    !> one-sided at (1 + confidence) / 2.
    function surefill_binomial_two_sided(observations, quantile, confidence, lower, upper) &
            bind(c, name='surefill_binomial_two_sided') result(status)
      import
      integer(c_int64_t), value :: observations
      real(c_double), value :: quantile, confidence
      integer(c_int64_t), intent(out) :: lower, upper
      integer(c_int32_t) :: status
    end function surefill_binomial_two_sided

    !> The fewest observations for which surefill_binomial_upper finds a bound: the smallest n with quantile^n <=
    !> 1 - confidence, 59 for .95 and .95.
    function surefill_binomial_fewest(quantile, confidence, observations) &
            bind(c, name='surefill_binomial_fewest') result(status)
      import
      real(c_double), value :: quantile, confidence
      integer(c_int64_t), intent(out) :: observations
      integer(c_int32_t) :: status
    end function surefill_binomial_fewest

    !> How many consecutive values above a series' quantile (above 0, below 1) are a change point, when the
    !> series' lag-1 autocorrelation is correlation (-1 to 1): so many happen by chance less than once in 8,000
    !> values.
    function surefill_rare_event_threshold(quantile, correlation, threshold) &
            bind(c, name='surefill_rare_event_threshold') result(status)
      import
      real(c_double), value :: quantile, correlation
      integer(c_int32_t), intent(out) :: threshold
      integer(c_int32_t) :: status
    end function surefill_rare_event_threshold

    !> The upper bound, with this confidence, of the quantile (both above 0, below 1) of a log-normal
    !> distribution, from count independent waits in seconds (at least 2, none negative; they count as at least
    !> one second).
    function surefill_log_normal_bound(waits, count, quantile, confidence, seconds) &
            bind(c, name='surefill_log_normal_bound') result(status)
      import
      real(c_double), intent(in) :: waits(*)
      integer(c_int32_t), value :: count
      real(c_double), value :: quantile, confidence
      real(c_double), intent(out) :: seconds
      integer(c_int32_t) :: status
    end function surefill_log_normal_bound

    !> The quantile (above 0, below 1) of the log-uniform distribution most likely to give these waits in seconds
    !> (at least 1, none negative; they count as at least one second).
    function surefill_log_uniform_quantile(waits, count, quantile, seconds) &
            bind(c, name='surefill_log_uniform_quantile') result(status)
      import
      real(c_double), intent(in) :: waits(*)
      integer(c_int32_t), value :: count
      real(c_double), value :: quantile
      real(c_double), intent(out) :: seconds
      integer(c_int32_t) :: status
    end function surefill_log_uniform_quantile

    !> The Weibull distribution most likely to give these waits in seconds (at least 1, none negative; they count
    !> as at least one second): its shape (infinite where all waits are equal), its scale in seconds, and its
    !> quantile (above 0, below 1) in seconds.
    function surefill_weibull_quantile(waits, count, quantile, shape, scale, seconds) &
            bind(c, name='surefill_weibull_quantile') result(status)
      import
      real(c_double), intent(in) :: waits(*)
      integer(c_int32_t), value :: count
      real(c_double), value :: quantile
      real(c_double), intent(out) :: shape, scale, seconds
      integer(c_int32_t) :: status
    end function surefill_weibull_quantile

    !> How many times as fast a job with this average parallelism (A, 1 to 2^40) and sigma (about the squared
    !> coefficient of variation of its parallelism; from 0, infinity for the lower bound of equation 3) runs on so
    !> many processors (1 to 2^40) as on one: Downey 1997, equations 1 and 2.
    function surefill_speedup(parallelism, sigma, processors, speedup) &
            bind(c, name='surefill_speedup') result(status)
      import
      real(c_double), value :: parallelism, sigma, processors
      real(c_double), intent(out) :: speedup
      integer(c_int32_t) :: status
    end function surefill_speedup

    !> The lower bound of that for any sigma (equation 3): no job of this average parallelism is slower.
    function surefill_speedup_least(parallelism, processors, speedup) &
            bind(c, name='surefill_speedup_least') result(status)
      import
      real(c_double), value :: parallelism, processors
      real(c_double), intent(out) :: speedup
      integer(c_int32_t) :: status
    end function surefill_speedup_least

    !> The run time in seconds on so many processors (at least 1) of a job that takes sequential seconds (not
    !> negative) on one.
    function surefill_speedup_run_time(parallelism, sigma, sequential, processors, seconds) &
            bind(c, name='surefill_speedup_run_time') result(status)
      import
      real(c_double), value :: parallelism, sigma, sequential
      integer(c_int32_t), value :: processors
      real(c_double), intent(out) :: seconds
      integer(c_int32_t) :: status
    end function surefill_speedup_run_time

    !> The model of count measured speedups, each on so many processors (1 to 2^20; two different numbers at
    !> least): parallelism and sigma (may be infinite), and the root mean square of the differences of the natural
    !> logarithms, about the relative error.
    function surefill_speedup_fit(processors, speedups, count, parallelism, sigma, error) &
            bind(c, name='surefill_speedup_fit') result(status)
      import
      real(c_double), intent(in) :: processors(*), speedups(*)
      integer(c_int32_t), value :: count
      real(c_double), intent(out) :: parallelism, sigma, error
      integer(c_int32_t) :: status
    end function surefill_speedup_fit

    !> As surefill_speedup_fit, of run times in seconds, none of which need be on one processor, on three
    !> different numbers of processors at least; sequential is the run time on one.
    function surefill_speedup_fit_run_times(processors, seconds, count, parallelism, sigma, sequential, error) &
            bind(c, name='surefill_speedup_fit_run_times') result(status)
      import
      real(c_double), intent(in) :: processors(*), seconds(*)
      integer(c_int32_t), value :: count
      real(c_double), intent(out) :: parallelism, sigma, sequential, error
      integer(c_int32_t) :: status
    end function surefill_speedup_fit_run_times

    !> Pr(a job ends within wait seconds, given that it has run for age seconds; both 0 to 2^40) when lifetimes
    !> are uniform in the logarithm between shortest and longest seconds (1e-9 to 2^40): equation 5, in which t is
    !> age plus wait.
    function surefill_lifetime_ends_within(shortest, longest, age, wait, probability) &
            bind(c, name='surefill_lifetime_ends_within') result(status)
      import
      real(c_double), value :: shortest, longest, age, wait
      real(c_double), intent(out) :: probability
      integer(c_int32_t) :: status
    end function surefill_lifetime_ends_within

    !> The mean of such lifetimes, in seconds.
    function surefill_lifetime_mean(shortest, longest, seconds) &
            bind(c, name='surefill_lifetime_mean') result(status)
      import
      real(c_double), value :: shortest, longest
      real(c_double), intent(out) :: seconds
      integer(c_int32_t) :: status
    end function surefill_lifetime_mean

    !> The coefficients of such lifetimes' distribution beta0 + beta1 ln t (equation 4).
    function surefill_lifetime_coefficients(shortest, longest, beta0, beta1) &
            bind(c, name='surefill_lifetime_coefficients') result(status)
      import
      real(c_double), value :: shortest, longest
      real(c_double), intent(out) :: beta0, beta1
      integer(c_int32_t) :: status
    end function surefill_lifetime_coefficients

    !> The shortest and longest lifetime in seconds of the distribution beta0 + beta1 ln t; beta1 is positive.
    function surefill_lifetime_bounds(beta0, beta1, shortest, longest) &
            bind(c, name='surefill_lifetime_bounds') result(status)
      import
      real(c_double), value :: beta0, beta1
      real(c_double), intent(out) :: shortest, longest
      integer(c_int32_t) :: status
    end function surefill_lifetime_bounds

    !> Fits such a distribution to a history of count lifetimes in seconds (1e-9 to 2^40), in increasing order:
    !> the least-squares line of equation 4 through the shares (i - 1/2) / count.
    function surefill_lifetime_fit(lifetimes, count, shortest, longest) &
            bind(c, name='surefill_lifetime_fit') result(status)
      import
      real(c_double), intent(in) :: lifetimes(*)
      integer(c_int32_t), value :: count
      real(c_double), intent(out) :: shortest, longest
      integer(c_int32_t) :: status
    end function surefill_lifetime_fit

    !> The same for a history in bins: the line through the shares of run times below each edge that has any on
    !> both sides.
    function surefill_lifetime_fit_binned(distribution, shortest, longest) &
            bind(c, name='surefill_lifetime_fit_binned') result(status)
      import
      type(c_ptr), value :: distribution
      real(c_double), intent(out) :: shortest, longest
      integer(c_int32_t) :: status
    end function surefill_lifetime_fit_binned

    !> Sets the limits to their defaults: 256 running jobs, 1,024 processors, 32 bins of 4 events.
    function surefill_sizing_limits_init(limits) &
            bind(c, name='surefill_sizing_limits_init') result(status)
      import
      type(surefill_sizing_limits), intent(out) :: limits
      integer(c_int32_t) :: status
    end function surefill_sizing_limits_init

    !> Bytes of memory that a sizing needs: at most 64 R + 16 R b e + 24 P + 128 for R running jobs, P processors
    !> and b bins of e events.
    function surefill_sizing_size(limits, size) &
            bind(c, name='surefill_sizing_size') result(status)
      import
      type(surefill_sizing_limits), intent(in) :: limits
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: status
    end function surefill_sizing_size

    !> Makes a sizing in the caller's memory (length bytes, at least surefill_sizing_size, aligned to 8).
    function surefill_sizing_init(memory, length, limits, sizing) &
            bind(c, name='surefill_sizing_init') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_sizing_limits), intent(in) :: limits
      type(c_ptr), intent(out) :: sizing
      integer(c_int32_t) :: status
    end function surefill_sizing_init

    !> Begins with so many idle processors and nothing running; what was added before is forgotten.
    function surefill_sizing_begin(sizing, idle) &
            bind(c, name='surefill_sizing_begin') result(status)
      import
      type(c_ptr), value :: sizing
      integer(c_int32_t), value :: idle
      integer(c_int32_t) :: status
    end function surefill_sizing_begin

    !> Adds a running job: its processors (at least 1), for how many seconds it has run (0 to 2^40), and between
    !> which lifetimes in seconds (1e-9 to 2^40) the logarithm of its own is uniform.
    function surefill_sizing_add_running(sizing, processors, age, shortest, longest) &
            bind(c, name='surefill_sizing_add_running') result(status)
      import
      type(c_ptr), value :: sizing
      integer(c_int32_t), value :: processors
      real(c_double), value :: age, shortest, longest
      integer(c_int32_t) :: status
    end function surefill_sizing_add_running

    !> Adds a running job of which a distribution of run times is believed, NULL when nothing is known but its
    !> time limit; age and limit in whole seconds (0 to SUREFILL_MAX_SECONDS).
    function surefill_sizing_add_running_binned(sizing, processors, age, limit, distribution) &
            bind(c, name='surefill_sizing_add_running_binned') result(status)
      import
      type(c_ptr), value :: sizing
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: age, limit
      type(c_ptr), value :: distribution
      integer(c_int32_t) :: status
    end function surefill_sizing_add_running_binned

    !> The wait in seconds until at least so many processors (not negative) are free, if nothing else starts, as
    !> predicted by one of SUREFILL_WAIT_BY_; 0 when they are.
    function surefill_sizing_wait(sizing, processors, predictor, quantile, seconds) &
            bind(c, name='surefill_sizing_wait') result(status)
      import
      type(c_ptr), value :: sizing
      integer(c_int32_t), value :: processors, predictor
      real(c_double), value :: quantile
      real(c_double), intent(out) :: seconds
      integer(c_int32_t) :: status
    end function surefill_sizing_wait

    !> The probability that at least so many processors (not negative) are free wait seconds (0 to 2^40) from now,
    !> if nothing else starts.
    function surefill_sizing_free_probability(sizing, processors, wait, probability) &
            bind(c, name='surefill_sizing_free_probability') result(status)
      import
      type(c_ptr), value :: sizing
      integer(c_int32_t), value :: processors
      real(c_double), value :: wait
      real(c_double), intent(out) :: probability
      integer(c_int32_t) :: status
    end function surefill_sizing_free_probability

    !> The number of benefactors: running jobs that hold at least as many processors as are missing for so many
    !> (not negative).
    function surefill_sizing_benefactors(sizing, processors, benefactors) &
            bind(c, name='surefill_sizing_benefactors') result(status)
      import
      type(c_ptr), value :: sizing
      integer(c_int32_t), value :: processors
      integer(c_int32_t), intent(out) :: benefactors
      integer(c_int32_t) :: status
    end function surefill_sizing_benefactors

    !> Bytes of memory that a correction needs.
    function surefill_correction_size() &
            bind(c, name='surefill_correction_size') result(bytes)
      import
      integer(c_int64_t) :: bytes
    end function surefill_correction_size

    !> Makes a correction that knows nothing in the caller's memory (length bytes, at least
    !> surefill_correction_size, aligned to 8).
    function surefill_correction_init(memory, length, correction) &
            bind(c, name='surefill_correction_init') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: correction
      integer(c_int32_t) :: status
    end function surefill_correction_init

    !> Makes the block a checkpoint, surefill_correction_size bytes from the handle on, by writing its checksum.
    function surefill_correction_seal(correction) &
            bind(c, name='surefill_correction_seal') result(status)
      import
      type(c_ptr), value :: correction
      integer(c_int32_t) :: status
    end function surefill_correction_seal

    !> Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
    !> surefill_correction_seal left it.
    function surefill_correction_open(memory, length, correction) &
            bind(c, name='surefill_correction_open') result(status)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: correction
      integer(c_int32_t) :: status
    end function surefill_correction_open

    !> Records what was predicted, before correction, and what came of it: seconds (0 to 2^40; below one counts as
    !> one).
    function surefill_correction_record(correction, predicted, actual) &
            bind(c, name='surefill_correction_record') result(status)
      import
      type(c_ptr), value :: correction
      real(c_double), value :: predicted, actual
      integer(c_int32_t) :: status
    end function surefill_correction_record

    !> The corrected prediction in seconds.
    function surefill_correction_corrected(correction, predicted, seconds) &
            bind(c, name='surefill_correction_corrected') result(status)
      import
      type(c_ptr), value :: correction
      real(c_double), value :: predicted
      real(c_double), intent(out) :: seconds
      integer(c_int32_t) :: status
    end function surefill_correction_corrected

    !> Recorded pairs.
    function surefill_correction_pairs(correction, pairs) &
            bind(c, name='surefill_correction_pairs') result(status)
      import
      type(c_ptr), value :: correction
      integer(c_int64_t), intent(out) :: pairs
      integer(c_int32_t) :: status
    end function surefill_correction_pairs

    !> The line's intercept and slope, of natural logarithms of seconds.
    function surefill_correction_line(correction, known, intercept, slope) &
            bind(c, name='surefill_correction_line') result(status)
      import
      type(c_ptr), value :: correction
      integer(c_int32_t), intent(out) :: known
      real(c_double), intent(out) :: intercept, slope
      integer(c_int32_t) :: status
    end function surefill_correction_line

    !> The coefficient of correlation of the logarithms.
    function surefill_correction_correlation(correction, known, coefficient) &
            bind(c, name='surefill_correction_correlation') result(status)
      import
      type(c_ptr), value :: correction
      integer(c_int32_t), intent(out) :: known
      real(c_double), intent(out) :: coefficient
      integer(c_int32_t) :: status
    end function surefill_correction_correlation

    !> Sets the options to their defaults: the exact mean, from one processor up to all, a second for a second,
    !> however small the gain.
    function surefill_choice_options_init(options) &
            bind(c, name='surefill_choice_options_init') result(status)
      import
      type(surefill_choice_options), intent(out) :: options
      integer(c_int32_t) :: status
    end function surefill_choice_options_init

    !> The number of processors n with the smallest weight x wait + run time, the smaller of equal ones, for a job
    !> that takes sequential seconds (0 to 2^40) on one and speeds up as surefill_speedup says.
    function surefill_sizing_choose(sizing, options, correction, parallelism, sigma, sequential, choice) &
            bind(c, name='surefill_sizing_choose') result(status)
      import
      type(c_ptr), value :: sizing
      type(surefill_choice_options), intent(in) :: options
      type(c_ptr), value :: correction
      real(c_double), value :: parallelism, sigma, sequential
      type(surefill_choice), intent(out) :: choice
      integer(c_int32_t) :: status
    end function surefill_sizing_choose

    !> As surefill_sizing_choose, for a job of which it is known how long it runs on how many processors: count
    !> run times in seconds (0 to 2^40), the first on one processor, the next on two and so on.
    function surefill_sizing_choose_measured(sizing, options, correction, run_times, count, choice) &
            bind(c, name='surefill_sizing_choose_measured') result(status)
      import
      type(c_ptr), value :: sizing
      type(surefill_choice_options), intent(in) :: options
      type(c_ptr), value :: correction
      real(c_double), intent(in) :: run_times(*)
      integer(c_int32_t), value :: count
      type(surefill_choice), intent(out) :: choice
      integer(c_int32_t) :: status
    end function surefill_sizing_choose_measured

    !> On how many processors the job starts when so many are free: all that it can use, `most` (at least the
    !> choice's) at most; or with lock_in (1) the number it waited for.
    function surefill_choice_start(choice, free, most, lock_in, processors) &
            bind(c, name='surefill_choice_start') result(status)
      import
      type(surefill_choice), intent(in) :: choice
      integer(c_int32_t), value :: free, most, lock_in
      integer(c_int32_t), intent(out) :: processors
      integer(c_int32_t) :: status
    end function surefill_choice_start

  end interface

contains

  !> A status in words: its name and a sentence, "SUREFILL_ERROR_FULL: a capacity fixed at initialisation is reached".
  function surefill_status_message(status) result(message)
    integer(c_int32_t), intent(in) :: status
    character(len=:), allocatable :: message

    message = c_string(surefill_status_name(status)) // ': ' // c_string(surefill_status_text(status))
  end function surefill_status_message

  !> A copy of a C string.
  function c_string(address) result(string)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: string
    character(kind=c_char), pointer :: characters(:)
    integer :: i

    call c_f_pointer(address, characters, [c_string_length(address)])
    allocate (character(len=size(characters)) :: string)
    do i = 1, size(characters)
      string(i:i) = characters(i)
    end do
  end function c_string

end module surefill
