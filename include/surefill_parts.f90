!> surefill, the parts of a scheduler: the functions of surefill_parts.h, which says what they do. Less stable than the
!> module surefill, whose conventions hold here too. Generated with it; do not edit. Licence: MIT OR Apache-2.0.
module surefill_parts
  use surefill
  implicit none

  ! ---- The scheduling pass ----
  !> Criterion: the exact probability that the candidate delays the head job.
  integer(c_int32_t), parameter :: SUREFILL_CRITERION_PROBABILITY = 0_c_int32_t
  !> Criterion: the lower bound of that probability by Nissimov and Feitelson 2007.
  integer(c_int32_t), parameter :: SUREFILL_CRITERION_BOUND = 1_c_int32_t
  !> Criterion: the expected delay of the head job in seconds.
  integer(c_int32_t), parameter :: SUREFILL_CRITERION_SECONDS = 2_c_int32_t
  !> Criterion: the expected delay divided by the head job's own expected remaining wait.
  integer(c_int32_t), parameter :: SUREFILL_CRITERION_RELATIVE = 3_c_int32_t
  !> Verdict: not judged yet.
  integer(c_int32_t), parameter :: SUREFILL_VERDICT_UNDECIDED = 0_c_int32_t
  !> Verdict: may start.
  integer(c_int32_t), parameter :: SUREFILL_VERDICT_ACCEPTED = 1_c_int32_t
  !> Verdict: its delay reaches the threshold.
  integer(c_int32_t), parameter :: SUREFILL_VERDICT_REFUSED = 2_c_int32_t
  !> Verdict: its delay is below the threshold, but the budget or the slip for this head job does not allow it.
  integer(c_int32_t), parameter :: SUREFILL_VERDICT_OVER_BUDGET = 3_c_int32_t
  !> Verdict: wider than the idle processors.
  integer(c_int32_t), parameter :: SUREFILL_VERDICT_DOES_NOT_FIT = 4_c_int32_t
  !> Verdict: accepted, but not started. Only Rust's passes decline.
  integer(c_int32_t), parameter :: SUREFILL_VERDICT_DECLINED = 5_c_int32_t
  !> Verdict: by its time limit it could delay the head job, which has waited so long that it is guarded.
  integer(c_int32_t), parameter :: SUREFILL_VERDICT_GUARDED = 6_c_int32_t
  !> Verdict: not judged, for the head job cannot start with what runs, whatever ends (nodes may be down or drained):
  !! take another head job, or start what you like.
  integer(c_int32_t), parameter :: SUREFILL_VERDICT_HEAD_NEVER = 7_c_int32_t
  !> The delay given is the delay itself, up to rounding.
  integer(c_int32_t), parameter :: SUREFILL_DELAY_EXACT = 0_c_int32_t
  !> The delay is at least the one given: refused before everything was added up.
  integer(c_int32_t), parameter :: SUREFILL_DELAY_AT_LEAST = 1_c_int32_t
  !> The delay is at most the one given: accepted by a bound, under a rule with unmeasured.
  integer(c_int32_t), parameter :: SUREFILL_DELAY_AT_MOST = 2_c_int32_t
  !> More jobs may end in one second than are added up exactly: the delay is an estimate, within about a hundredth for
  !! an accepted candidate. A refused one's may be from before everything was added up.
  integer(c_int32_t), parameter :: SUREFILL_DELAY_ESTIMATE = 3_c_int32_t
  !> Nothing is known of the delay, and the one given is 0: UNDECIDED, DOES_NOT_FIT, GUARDED and HEAD_NEVER, and
  !! accepted by or_easy under a rule with unmeasured.
  integer(c_int32_t), parameter :: SUREFILL_DELAY_NOT_MEASURED = 4_c_int32_t

  !> Capacities of a pass. Set by surefill_pass_capacity_init, then changed as needed.
  type, bind(c) :: surefill_pass_capacity
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Running jobs (0 to 1,048,576).
    integer(c_int32_t) :: running
    !> Candidates (0 to 1,048,576).
    integer(c_int32_t) :: candidates
    !> Processors of the machine (1 to 16,777,216).
    integer(c_int32_t) :: processors
    !> Bins of the distributions (1 to SUREFILL_MAX_BINS).
    integer(c_int32_t) :: bins
    !> Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN): 4 unless changed.
    integer(c_int32_t) :: events_per_bin
    !> Room for making jobs that may end in one second exact, in cells of 8 bytes (0 to 268,435,456); of larger groups
    !! the narrowest jobs are estimated, within a hundredth at the default.
    integer(c_int32_t) :: tie_cells
  end type surefill_pass_capacity

  !> When a candidate is accepted. Set by surefill_rule_init, then changed as needed.
  type, bind(c) :: surefill_rule
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> One of SUREFILL_CRITERION_.
    integer(c_int32_t) :: criterion
    !> A candidate is accepted when its delay is strictly below this; not negative, 0 accepts nothing but what or_easy
    !! does.
    real(c_double) :: threshold
    !> The most that accepted delays may add up to for one head job; not negative, infinity for no cap. Like slip it
    !! never holds up a candidate that delays nothing.
    real(c_double) :: budget
    !> The most expected seconds of delay that accepted candidates may add up to, over the head job's whole expected
    !! wait (what it has waited and must expect still to wait); not negative, infinity for no cap. Finite with the
    !! criteria SECONDS and RELATIVE only.
    real(c_double) :: slip
    !> Once the head job has waited this number of seconds (head_waited of surefill_pass_begin), a candidate must also
    !! be harmless by the time limits, as EASY asks: it ends by its limit before the head job could start if all jobs
    !! ran to their limits, or fits beside it then. Not negative; infinity for never, 0 for always.
    real(c_double) :: guard
    !> Not 0: what EASY would start by the time limits is accepted whatever its delay, threshold, budget and slip.
    integer(c_int32_t) :: or_easy
    !> Not 0: delays are computed no further than the verdicts need. That of what or_easy accepts is left unmeasured
    !! (SUREFILL_DELAY_NOT_MEASURED) and not spent. With the criteria SECONDS and RELATIVE the others are bracketed by
    !! a few instants, and brackets that settle a verdict are reported: at most this where accepted
    !! (SUREFILL_DELAY_AT_MOST, and spent), at least this where refused. The decisions are the same. A finite budget
    !! or slip needs every delay: with one, all are measured. 0 by default.
    integer(c_int32_t) :: unmeasured
  end type surefill_rule

  !> A job of a pass. An array of these has the struct_size that the program sets in its first.
  type, bind(c) :: surefill_pass_job
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Its processors, at least 1.
    integer(c_int32_t) :: processors
    !> For how long it has run, in seconds; 0 for a candidate.
    integer(c_int64_t) :: age
    !> Its time limit in seconds.
    integer(c_int64_t) :: limit
    !> Its predicted run time; NULL when nothing is known but the limit.
    type(c_ptr) :: distribution
  end type surefill_pass_job

  ! ---- Starts of waiting jobs: the queue played forward ----
  !> The most scenarios of a forecast.
  integer(c_int32_t), parameter :: SUREFILL_MAX_SCENARIOS = 65536_c_int32_t
  !> Policy: first come, first served.
  integer(c_int32_t), parameter :: SUREFILL_POLICY_FCFS = 0_c_int32_t
  !> Policy: backfilling around the reservations of the first waiting jobs.
  integer(c_int32_t), parameter :: SUREFILL_POLICY_BACKFILL = 1_c_int32_t
  !> Order of the jobs behind the reservations: the queue's.
  integer(c_int32_t), parameter :: SUREFILL_ORDER_QUEUE = 0_c_int32_t
  !> Order of the jobs behind the reservations: shortest predicted median first, equal ones in the order in which they
  !! were added.
  integer(c_int32_t), parameter :: SUREFILL_ORDER_SHORTEST = 1_c_int32_t
  !> Order of the jobs behind the reservations: by the priority of the options' candidate_ members, anew in each pass.
  integer(c_int32_t), parameter :: SUREFILL_ORDER_PRIORITY = 2_c_int32_t
  !> Plans: the policy expects jobs to end at their limits.
  integer(c_int32_t), parameter :: SUREFILL_PLANS_LIMITS = 0_c_int32_t
  !> Plans: the policy expects jobs to end at the median of their distribution; one that outlives it, at its limit.
  integer(c_int32_t), parameter :: SUREFILL_PLANS_MEDIANS = 1_c_int32_t

  !> Capacities of a forecast. Set by surefill_forecast_capacity_init, then changed as needed.
  type, bind(c) :: surefill_forecast_capacity
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Running jobs (0 to 1,048,576).
    integer(c_int32_t) :: running
    !> Waiting jobs (0 to 1,048,576).
    integer(c_int32_t) :: waiting
    !> Processors of the machine (1 to 16,777,216).
    integer(c_int32_t) :: processors
    !> Bins of the distributions (1 to SUREFILL_MAX_BINS).
    integer(c_int32_t) :: bins
    !> Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN).
    integer(c_int32_t) :: events_per_bin
    !> Scenarios (2 to SUREFILL_MAX_SCENARIOS).
    integer(c_int32_t) :: scenarios
  end type surefill_forecast_capacity

  !> Options of a forecast. Set by surefill_forecast_options_init, then changed as needed.
  type, bind(c) :: surefill_forecast_options
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> One of SUREFILL_POLICY_.
    integer(c_int32_t) :: policy
    !> With BACKFILL: how many of the first waiting jobs hold a reservation that what is planned may not disturb (0 to
    !! 1,048,576). None is list scheduling, 1 is EASY, all is conservative backfilling with reservations made anew at
    !! every instant.
    integer(c_int32_t) :: reservations
    !> One of SUREFILL_ORDER_: in which order the jobs behind the reservations are tried.
    integer(c_int32_t) :: order
    !> One of SUREFILL_PLANS_: when the policy expects jobs to end.
    integer(c_int32_t) :: plans
    !> Number of scenarios that are played (2 to the capacity).
    integer(c_int32_t) :: scenarios
    !> The seed of the run times; any number.
    integer(c_int64_t) :: seed
    !> The confidence of the half-widths (above 0, below 1).
    real(c_double) :: confidence
    !> The queue's order, anew in each pass: smaller values of median^run_time x processors^processors / (1 + waited /
    !! age_unit)^age first, with the forecast's median of the run time in seconds, at least 10. With no power but 0
    !! and an infinite front it is the order in which waiting jobs are added, which also decides between equal ones.
    !! This is the power of the run time (-8 to 8), above 0 for short jobs first.
    real(c_double) :: queue_run_time
    !> The power of the processors (-8 to 8), below 0 for wide jobs first.
    real(c_double) :: queue_processors
    !> The wait that counts as one, in seconds, above 0.
    real(c_double) :: queue_age_unit
    !> The power of the age (0 to 8).
    real(c_double) :: queue_age
    !> With SUREFILL_ORDER_PRIORITY: the candidates' order, likewise.
    real(c_double) :: candidate_run_time
    !> The power of the processors, see queue_processors.
    real(c_double) :: candidate_processors
    !> The wait that counts as one, see queue_age_unit.
    real(c_double) :: candidate_age_unit
    !> The power of the age, see queue_age.
    real(c_double) :: candidate_age
    !> Jobs that have waited for more seconds come first in the queue, by submission; not negative, infinite for
    !! never.
    real(c_double) :: front
    !> With one reservation: a candidate may also start that is planned to delay the head job by less than this part
    !! of what the head job still has to wait; not negative, 0 for none.
    real(c_double) :: slack
  end type surefill_forecast_options

  ! ---- Machines of nodes shared by cores, memory and GPUs ----
  !> Spread of tasks over nodes: each on a node of its own.
  integer(c_int32_t), parameter :: SUREFILL_SPREAD_NODES = 0_c_int32_t
  !> Spread of tasks over nodes: anywhere, several may share a node.
  integer(c_int32_t), parameter :: SUREFILL_SPREAD_TASKS = 1_c_int32_t
  !> Nodes are tried in their order.
  integer(c_int32_t), parameter :: SUREFILL_FIT_FIRST = 0_c_int32_t
  !> Those nodes first on which the least would be left free, in shares of their capacity added up.
  integer(c_int32_t), parameter :: SUREFILL_FIT_BEST = 1_c_int32_t
  !> Those nodes first on which the head job's start would be disturbed in the fewest scenarios, by best fit among
  !! equal ones. Without a head job it is SUREFILL_FIT_BEST.
  integer(c_int32_t), parameter :: SUREFILL_FIT_APART = 2_c_int32_t

  !> Capacities of a machine of nodes. Set by surefill_nodes_capacity_init, then changed as needed.
  type, bind(c) :: surefill_nodes_capacity
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Nodes (1 to 65,536).
    integer(c_int32_t) :: nodes
    !> Classes of like nodes (1 to 65,536).
    integer(c_int32_t) :: classes
    !> Kinds of resource on a node (1 to SUREFILL_MAX_RESOURCES).
    integer(c_int32_t) :: resources
    !> Jobs that hold something at the same time (0 to 1,048,576).
    integer(c_int32_t) :: jobs
    !> Pairs of a job and a node on which it holds something (0 to 16,777,216).
    integer(c_int32_t) :: parts
  end type surefill_nodes_capacity

  !> The request of a job. Set by surefill_request_init, then changed as needed.
  type, bind(c) :: surefill_request
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Number of tasks (1 to SUREFILL_MAX_TASKS).
    integer(c_int32_t) :: count
    !> One of SUREFILL_SPREAD_: how they lie on nodes.
    integer(c_int32_t) :: spread
    !> Not 0: no other job may be on its nodes.
    integer(c_int32_t) :: exclusive
    !> The features that a node's class must have, all of them: bits of the site's own meaning.
    integer(c_int64_t) :: features
    !> Amounts that each task takes of its node; not negative, 0 for kinds that the machine does not count.
    integer(c_int32_t) :: each(8)
  end type surefill_request

  ! ---- The scheduling pass on a machine of nodes ----

  !> Capacities of a pass on a machine of nodes. Set by surefill_node_pass_capacity_init, then changed as needed.
  type, bind(c) :: surefill_node_pass_capacity
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Nodes of the machine (1 to 65,536).
    integer(c_int32_t) :: nodes
    !> Kinds of resource on a node (1 to SUREFILL_MAX_RESOURCES); as many as the machine counts.
    integer(c_int32_t) :: resources
    !> Running jobs (0 to 1,048,576).
    integer(c_int32_t) :: running
    !> Candidates (0 to 1,048,576).
    integer(c_int32_t) :: candidates
    !> Nodes of the candidates that fit, together: the tasks of each, or the machine's nodes where these are fewer (0
    !! to 16,777,216).
    integer(c_int32_t) :: parts
    !> Bins of the distributions (1 to SUREFILL_MAX_BINS).
    integer(c_int32_t) :: bins
    !> Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN).
    integer(c_int32_t) :: events_per_bin
  end type surefill_node_pass_capacity

  ! ---- Starts of waiting jobs on a machine of nodes: the queue played forward ----

  !> Capacities of a forecast on a machine of nodes. Set by surefill_node_forecast_capacity_init, then changed as
  !! needed.
  type, bind(c) :: surefill_node_forecast_capacity
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Nodes of the machine (1 to 65,536).
    integer(c_int32_t) :: nodes
    !> Classes of like nodes (1 to 65,536).
    integer(c_int32_t) :: classes
    !> Kinds of resource on a node (1 to SUREFILL_MAX_RESOURCES); as many as the machine counts.
    integer(c_int32_t) :: resources
    !> Running jobs (0 to 1,048,576).
    integer(c_int32_t) :: running
    !> Waiting jobs (0 to 1,048,576).
    integer(c_int32_t) :: waiting
    !> Nodes of the waiting jobs, together: the tasks of each, or the machine's nodes where these are fewer (0 to
    !! 16,777,216).
    integer(c_int32_t) :: parts
    !> Bins of the distributions (1 to SUREFILL_MAX_BINS).
    integer(c_int32_t) :: bins
    !> Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN).
    integer(c_int32_t) :: events_per_bin
    !> Scenarios (2 to SUREFILL_MAX_SCENARIOS).
    integer(c_int32_t) :: scenarios
  end type surefill_node_forecast_capacity

  ! ---- Predictions of run times ----
  !> Kind of predictor: a mixture of histories of like jobs, "like" in several ways at once, each weighed by how well
  !! it has done for the user.
  integer(c_int32_t), parameter :: SUREFILL_PREDICTOR_MIXTURE = 1_c_int32_t
  !> Kind of predictor: the user's own recent jobs.
  integer(c_int32_t), parameter :: SUREFILL_PREDICTOR_USER = 2_c_int32_t
  !> Kind of predictor: the hidden Markov model of the workload (Nissimov 2006, chapter 4), learnt by Baum-Welch over
  !! the slots kept.
  integer(c_int32_t), parameter :: SUREFILL_PREDICTOR_HMM = 3_c_int32_t
  !> Kind of predictor: the same model, learnt on line, slot by slot as all jobs of a slot have left; slots and cells
  !! need only reach as far back as jobs stay in the system.
  integer(c_int32_t), parameter :: SUREFILL_PREDICTOR_HMM_ONLINE = 4_c_int32_t
  !> Kind of predictor: contexts in which jobs are alike, by user, limit, processors and what became of the last jobs,
  !! mixed in the logarithm; cut at the limit, and calibrated. Keys of a job are user, time limit in seconds (0 for
  !! none) and processors.
  integer(c_int32_t), parameter :: SUREFILL_PREDICTOR_CONTEXTS = 5_c_int32_t
  !> Training stops after as many rounds as the threshold says.
  integer(c_int32_t), parameter :: SUREFILL_TERMINATION_ROUNDS = 0_c_int32_t
  !> Training stops when sqrt(jobs) x the sum of the parameters' changes is below the threshold.
  integer(c_int32_t), parameter :: SUREFILL_TERMINATION_L1 = 1_c_int32_t
  !> Training stops when the largest change of a parameter is below the threshold.
  integer(c_int32_t), parameter :: SUREFILL_TERMINATION_L_INFINITY = 2_c_int32_t
  !> Prediction: made.
  integer(c_int32_t), parameter :: SUREFILL_PREDICTION_MADE = 0_c_int32_t
  !> Prediction: none, since no job has ended yet (mixtures, contexts).
  integer(c_int32_t), parameter :: SUREFILL_PREDICTION_NOTHING_LEARNT = 1_c_int32_t
  !> Prediction: none, since the initial period is not over (hidden Markov models, as all that follow).
  integer(c_int32_t), parameter :: SUREFILL_PREDICTION_INITIAL_PERIOD = 2_c_int32_t
  !> Prediction: none, since jobs of the initial period are still in the system and not yet given up;
  !! surefill_predictor_jobs lists them first.
  integer(c_int32_t), parameter :: SUREFILL_PREDICTION_INITIAL_JOBS = 3_c_int32_t
  !> Prediction: none, since the first training has not been completed: call surefill_predictor_train.
  integer(c_int32_t), parameter :: SUREFILL_PREDICTION_UNTRAINED = 4_c_int32_t
  !> Prediction: none, since the model does not explain what has happened and there is no floor.
  integer(c_int32_t), parameter :: SUREFILL_PREDICTION_UNEXPLAINED = 5_c_int32_t
  !> The most experts of a mixture.
  integer(c_int32_t), parameter :: SUREFILL_MAX_EXPERTS = 16_c_int32_t
  !> The most keys of a job.
  integer(c_int32_t), parameter :: SUREFILL_MAX_KEYS = 8_c_int32_t
  !> The largest number of states.
  integer(c_int32_t), parameter :: SUREFILL_MAX_STATES = 64_c_int32_t
  !> Load model: none, run times given the number of jobs.
  integer(c_int32_t), parameter :: SUREFILL_LOAD_NONE = 0_c_int32_t
  !> Load model: Poisson; the parameter is the mean number of jobs in a slot, finite and not negative.
  integer(c_int32_t), parameter :: SUREFILL_LOAD_POISSON = 1_c_int32_t
  !> Load model: geometric from 0; the parameter is Pr(no job in a slot), above 0 and at most 1.
  integer(c_int32_t), parameter :: SUREFILL_LOAD_GEOMETRIC = 2_c_int32_t
  !> Initial values: Static-IV (Nissimov 2006, Algorithm 3).
  integer(c_int32_t), parameter :: SUREFILL_INITIAL_STATIC = 0_c_int32_t
  !> Initial values: k-means (Algorithm 4); the number of states must be a power of two.
  integer(c_int32_t), parameter :: SUREFILL_INITIAL_K_MEANS = 1_c_int32_t

  !> One way in which jobs are alike.
  type, bind(c) :: surefill_expert
    !> The keys in which jobs must agree, the sum of 2^i for key i; 0 for all jobs alike.
    integer(c_int32_t) :: keys
    !> 0.
    integer(c_int32_t) :: reserved
    !> The factor by which a job's weight shrinks with every later one of its kind: 0 to 1, 1 for no ageing.
    real(c_double) :: decay
    !> Number of jobs that all jobs' distribution counts as: above 0, at most 1e9.
    real(c_double) :: prior
  end type surefill_expert

  !> A predictor's kind, its capacities, and how it learns. Set by surefill_predictor_options_init, then changed as
  !! needed. What is not the kind's is checked all the same, but makes no difference.
  type, bind(c) :: surefill_predictor_options
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> One of SUREFILL_PREDICTOR_.
    integer(c_int32_t) :: kind
    !> Jobs in the system, queued or running (1 to 16,777,216).
    integer(c_int32_t) :: jobs
    !> Run-time bins (mixtures: 1, hidden Markov models and contexts: 2, to SUREFILL_MAX_BINS).
    integer(c_int32_t) :: bins
    !> A job that has been in the system for more than this number of seconds is given up (1 to 2^40): it may be held,
    !! or its end may have got lost. Nothing waits for it any more, the age of its run is no longer learnt from, and
    !! when there is no room for a new job the oldest of them makes room. If it ends after all it is learnt from, but
    !! for a model learnt on line. To be longer than jobs wait and run together.
    integer(c_int64_t) :: oldest_seconds
    !> Mixtures: keys by which a job is known (1 to SUREFILL_MAX_KEYS). Key 0 is the user. Contexts: 3.
    integer(c_int32_t) :: keys
    !> Mixtures: how many experts there are (1 to SUREFILL_MAX_EXPERTS).
    integer(c_int32_t) :: expert_count
    !> Mixtures: the experts, of which init keeps a copy; NULL for the kind's own, and then expert_count is theirs.
    type(c_ptr) :: experts
    !> Mixtures: histories kept (1 to 67,108,864): one for each expert and combination of its keys, and one for each
    !! user. Contexts (1 to 16,777,216): one for each context and combination of its values. Those not written to for
    !! longest leave.
    integer(c_int32_t) :: histories
    !> Hidden Markov models, as all that follows: states (1 to SUREFILL_MAX_STATES).
    integer(c_int32_t) :: states
    !> Slots kept (2 to 268,435,456); the oldest leave.
    integer(c_int32_t) :: slots
    !> Cells kept, one for each slot and bin that has jobs, so at most one a job (bins to 268,435,456); the oldest
    !! slots leave.
    integer(c_int32_t) :: cells
    !> Slots, from the earliest with a job in the system, whose state is remembered from one prediction to the next (1
    !! to 16,777,216).
    integer(c_int32_t) :: window
    !> One of SUREFILL_LOAD_.
    integer(c_int32_t) :: load
    !> SUREFILL_INITIAL_STATIC or, if the number of states is a power of two, SUREFILL_INITIAL_K_MEANS.
    integer(c_int32_t) :: initial
    !> One of SUREFILL_TERMINATION_.
    integer(c_int32_t) :: termination
    !> The number that termination compares with: a whole number of rounds (at least 1), or epsilon (not negative).
    real(c_double) :: threshold
    !> A training stops after this number of rounds at the latest (at least 1).
    integer(c_int64_t) :: most_rounds
    !> Length of a slot in seconds (1 to 2^32).
    integer(c_int64_t) :: slot_seconds
    !> No training before this number of seconds after the first submission, and before all jobs submitted in them
    !! have left or are given up (0 to 2^40).
    integer(c_int64_t) :: initial_seconds
    !> With a termination other than L1, training begins again when this number of seconds of new slots is finished (1
    !! to 2^40).
    integer(c_int64_t) :: restart_seconds
    !> The handling of a slot that no possible state explains, in a bin that none has seen for example (0 to below 1).
    !! With 0, the thesis's rule, the predictor is silent until it has learnt from that slot; else the slot is taken
    !! as if every state had drawn any bin with this probability, and predictions fall back to the distribution of all
    !! finished jobs as far as that predicts better.
    real(c_double) :: floor
    !> On line: a of the step size t^-a (above 0.5, at most 1). See surefill_online_hmm_options.
    real(c_double) :: exponent
    !> On line: slots before the first maximisation step (not negative).
    integer(c_int64_t) :: hold
  end type surefill_predictor_options

  !> A job that a predictor holds. An array of these has the struct_size that the program sets in its first.
  type, bind(c) :: surefill_held_job
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Whether it runs (1) or waits (0).
    integer(c_int32_t) :: running
    !> The caller's number.
    integer(c_int64_t) :: job
    !> When it was submitted.
    integer(c_int64_t) :: submitted
    !> When it started, if it runs; else 0.
    integer(c_int64_t) :: started
    !> Whether it is given up (1), being older than oldest_seconds, or not (0).
    integer(c_int32_t) :: given_up
    !> Number of its keys.
    integer(c_int32_t) :: key_count
    !> The keys with which it was submitted, by custom the user, the limit and the processors, so that a list of what
    !! runs can be made again; none with a hidden Markov model. Of a wait predictor's jobs the requested seconds and
    !! the processors.
    integer(c_int64_t) :: keys(8)
  end type surefill_held_job

  !> The outcome of a round of Baum-Welch.
  type, bind(c) :: surefill_round
    !> Bytes of this structure, as the program knows it, which sets it before the first call.
    integer(c_int32_t) :: struct_size
    !> 0.
    integer(c_int32_t) :: reserved
    !> ln Pr(observations) under the parameters before the round.
    real(c_double) :: log_likelihood
    !> The sum of the absolute changes of all parameters.
    real(c_double) :: l1
    !> The largest absolute change of a parameter.
    real(c_double) :: l_infinity
    !> Rounds since training began, this one included.
    integer(c_int64_t) :: rounds
    !> Finished jobs in the slots trained on.
    integer(c_int64_t) :: jobs
    !> Slots that no state explained, so that the parameters were bent towards them before the round.
    integer(c_int64_t) :: adapted
  end type surefill_round

  ! ---- Bounds on the waits of one queue's jobs ----
  !> The most clusters of a wait predictor.
  integer(c_int32_t), parameter :: SUREFILL_MAX_CLUSTERS = 16_c_int32_t
  !> Method: order statistics, right for any distribution.
  integer(c_int32_t), parameter :: SUREFILL_METHOD_BINOMIAL = 0_c_int32_t
  !> Method: the bound of a log-normal's quantile, by the noncentral t.
  integer(c_int32_t), parameter :: SUREFILL_METHOD_LOG_NORMAL = 1_c_int32_t
  !> Method: the quantile of a log-uniform, by maximum likelihood; the confidence is ignored.
  integer(c_int32_t), parameter :: SUREFILL_METHOD_LOG_UNIFORM = 2_c_int32_t
  !> Method: the quantile of a Weibull, by maximum likelihood; the confidence is ignored.
  integer(c_int32_t), parameter :: SUREFILL_METHOD_WEIBULL = 3_c_int32_t
  !> Attribute: the requested run time.
  integer(c_int32_t), parameter :: SUREFILL_ATTRIBUTE_REQUESTED = 0_c_int32_t
  !> Attribute: the processors.
  integer(c_int32_t), parameter :: SUREFILL_ATTRIBUTE_PROCESSORS = 1_c_int32_t
  !> Attribute: processors times requested run time.
  integer(c_int32_t), parameter :: SUREFILL_ATTRIBUTE_PRODUCT = 2_c_int32_t
  !> Attribute: of these three the one that explains the waits best, chosen anew whenever the jobs are clustered
  !! again, from the waits that are remembered then: the one whose clusters raise the Bayes information criterion over
  !! a single cluster most. Until the first choice, and among equals, it is the one in use, at first the requested run
  !! time. A clustering takes three times as long.
  integer(c_int32_t), parameter :: SUREFILL_ATTRIBUTE_BEST = 3_c_int32_t
  !> Component: histories are trimmed at change points.
  integer(c_int32_t), parameter :: SUREFILL_COMPONENT_TRIM = 1_c_int32_t
  !> Component: jobs are clustered by an attribute.
  integer(c_int32_t), parameter :: SUREFILL_COMPONENT_CLUSTER = 2_c_int32_t
  !> Component: no prediction while the machine may be down.
  integer(c_int32_t), parameter :: SUREFILL_COMPONENT_AVAILABILITY = 4_c_int32_t
  !> Component, beyond the paper: levels follow misses, so that in the long run .9 of the misses that the quantile
  !! allows remain, whatever the waits do, among wide jobs and jobs with long requests as well as among all.
  integer(c_int32_t), parameter :: SUREFILL_COMPONENT_ADAPT = 8_c_int32_t
  !> Component, beyond the paper: the waits that count are those of the jobs that came into a like situation: jobs and
  !! work ahead, the oldest wait, the last waits, the hour. It takes the place of TRIM and CLUSTER.
  integer(c_int32_t), parameter :: SUREFILL_COMPONENT_VISIBLE = 16_c_int32_t
  !> Answer: a bound.
  integer(c_int32_t), parameter :: SUREFILL_ANSWER_BOUND = 0_c_int32_t
  !> Answer: no prediction, as too few waits are known for this quantile and confidence.
  integer(c_int32_t), parameter :: SUREFILL_ANSWER_TOO_LITTLE_HISTORY = 1_c_int32_t
  !> Answer: no prediction, as no job has been started for an unusually long time, or while unusually many arrived:
  !! the machine may be down.
  integer(c_int32_t), parameter :: SUREFILL_ANSWER_MAY_BE_DOWN = 2_c_int32_t
  !> Answer: no prediction, as most like jobs wait already for longer than the bound that the known waits give, or
  !! more than twice as many jobs wait as before any whose wait is known.
  integer(c_int32_t), parameter :: SUREFILL_ANSWER_EXCEEDED = 3_c_int32_t

  !> Capacities of a wait predictor. Set by surefill_wait_capacity_init, then changed as needed.
  type, bind(c) :: surefill_wait_capacity
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Waits that are remembered; the oldest go first (1 to 4,194,304, and enough for the options' own question).
    integer(c_int32_t) :: history
    !> Jobs that wait at the same time (1 to 4,194,304).
    integer(c_int32_t) :: queued
    !> Releases that tell whether the machine may be down (0 to 4,194,304; 0 without that component).
    integer(c_int32_t) :: releases
    !> The largest number of clusters (1 to SUREFILL_MAX_CLUSTERS; 1 saves the memory that clustering needs).
    integer(c_int32_t) :: clusters
    !> Jobs whose situation is remembered for VISIBLE (0 to 65,536; 0 without that component).
    integer(c_int32_t) :: neighbours
  end type surefill_wait_capacity

  !> Options of a wait predictor. Set by surefill_wait_options_init, then changed as needed.
  type, bind(c) :: surefill_wait_options
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> One of SUREFILL_METHOD_.
    integer(c_int32_t) :: method
    !> One of SUREFILL_ATTRIBUTE_: what jobs are clustered by.
    integer(c_int32_t) :: attribute
    !> The sum of SUREFILL_COMPONENT_ that are on; 0 for none.
    integer(c_int32_t) :: components
    !> The options' own question, which surefill_wait_submit answers and by which misses are counted and histories
    !! trimmed: the quantile of the wait that is bounded (above 0, below 1) ...
    real(c_double) :: quantile
    !> ... and the confidence of that bound (above 0, below 1).
    real(c_double) :: confidence
    !> With AVAILABILITY: the quantile of jobs between releases, and of time between releases, above whose .95 bound
    !! the machine may be down (above 0, below 1). The paper's is .95, which on its traces leaves 5 to 25 % of the
    !! jobs without a prediction. It says nothing before ln(.05) / ln(down_quantile) releases, for which the capacity
    !! must have room: 59 at .95, 299 at .99, 2,995 at .999.
    real(c_double) :: down_quantile
    !> With ADAPT: the smallest step of the levels that follow misses, in units of e times fewer misses (0 to 1).
    !! Smaller ones are tighter, larger ones faster.
    real(c_double) :: rate
    !> After how many known waits the jobs are clustered again (1 to 4,294,967,295).
    integer(c_int64_t) :: recluster_every
    !> A job that has waited for more than this number of seconds is given up (1 to 2^40): it may be held, or its
    !! start may have got lost. It no longer counts among those that wait, and when there is no room for a new job the
    !! oldest of them makes room. If it starts after all its wait is learnt. To be longer than jobs wait; 100 days by
    !! default.
    integer(c_int64_t) :: oldest_seconds
  end type surefill_wait_options

  ! ---- Speedup and sizes of malleable jobs (Downey 1997) ----
  !> Wait predicted by predictor A: the median of the time until one job that holds enough processors by itself, a
  !! benefactor, has ended (equation 9).
  integer(c_int32_t), parameter :: SUREFILL_WAIT_BY_BENEFACTORS = 0_c_int32_t
  !> Wait predicted by predictor B: the time until enough processors are released when jobs release them gradually
  !! (equation 10).
  integer(c_int32_t), parameter :: SUREFILL_WAIT_BY_FLUID = 1_c_int32_t
  !> Wait predicted by the paper's choice: A with two or more benefactors, else B.
  integer(c_int32_t), parameter :: SUREFILL_WAIT_BY_COMBINED = 2_c_int32_t
  !> Wait predicted by its exact quantile.
  integer(c_int32_t), parameter :: SUREFILL_WAIT_BY_QUANTILE = 3_c_int32_t
  !> Wait predicted by its exact mean.
  integer(c_int32_t), parameter :: SUREFILL_WAIT_BY_MEAN = 4_c_int32_t

  !> Capacities of a sizing. Set by surefill_sizing_capacity_init, then changed as needed.
  type, bind(c) :: surefill_sizing_capacity
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Running jobs (0 to 1,048,576).
    integer(c_int32_t) :: running
    !> Processors of the machine (1 to 16,777,216).
    integer(c_int32_t) :: processors
  end type surefill_sizing_capacity

  !> Options that decide a choice. Set by surefill_choice_options_init, then changed as needed.
  type, bind(c) :: surefill_choice_options
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> One of SUREFILL_WAIT_BY_: how waits are predicted.
    integer(c_int32_t) :: predictor
    !> With QUANTILE: which one (0 to 1).
    real(c_double) :: quantile
    !> The fewest processors the job runs on (at least 1).
    integer(c_int32_t) :: least
    !> The most it may take (at least `least`). The paper: its average parallelism; under lock-in, once it has
    !! declared the number it waits for, that number.
    integer(c_int32_t) :: most
    !> q: what a second of waiting costs, in seconds of run time (0 to 2^40). The paper: 1, or the jobs in the queue.
    real(c_double) :: weight
    !> Risk aversion: waiting must gain more than this share of the run time on the idle processors (0 to 1). The
    !! paper: .2.
    real(c_double) :: least_gain
  end type surefill_choice_options

  !> A job's best number of processors.
  type, bind(c) :: surefill_choice
    !> Bytes of this structure, as the program knows it, which sets it before the first call.
    integer(c_int32_t) :: struct_size
    !> Number of processors: at most the idle ones when it should start now.
    integer(c_int32_t) :: processors
    !> The predicted wait for them in seconds; 0 when it should start now.
    real(c_double) :: wait
    !> The run time on them, in seconds.
    real(c_double) :: run_time
    !> weight x wait + run time less than on the idle processors, in seconds; infinite when too few are idle.
    real(c_double) :: gain
  end type surefill_choice

  ! ---- Names of the constants, for messages and for options of programs ----
  !> Family of constants: SUREFILL_STEP_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_STEP = 0_c_int32_t
  !> Family of constants: SUREFILL_CRITERION_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_CRITERION = 1_c_int32_t
  !> Family of constants: SUREFILL_VERDICT_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_VERDICT = 2_c_int32_t
  !> Family of constants: SUREFILL_DELAY_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_DELAY = 3_c_int32_t
  !> Family of constants: SUREFILL_DELAY_ as a sign to be put before the delay: "=", ">=", "<=", "~" or "?".
  integer(c_int32_t), parameter :: SUREFILL_NAME_DELAY_SIGN = 4_c_int32_t
  !> Family of constants: SUREFILL_ANSWER_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_ANSWER = 5_c_int32_t
  !> Family of constants: SUREFILL_PREDICTION_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_PREDICTION = 7_c_int32_t
  !> Family of constants: SUREFILL_PREDICTOR_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_PREDICTOR = 8_c_int32_t
  !> Family of constants: SUREFILL_FIT_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_FIT = 9_c_int32_t
  !> Family of constants: SUREFILL_SPREAD_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_SPREAD = 10_c_int32_t

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

  !> Options of a model that learns on line. Set by surefill_online_hmm_options_init, then changed as needed.
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

  ! ---- Order statistics that bound quantiles ----

  ! ---- More bounds on waits: lower ones, and clustering at command ----

  ! ---- Sizes of malleable jobs: log-uniform lifetimes ----

  ! ---- Bins and distributions in detail ----

  interface

    !> Sets the capacity to its defaults: 256 running jobs, 256 candidates, 1,024 processors, 32 bins of 4 events.
    function surefill_pass_capacity_init(capacity, size) bind(c, name='surefill_pass_capacity_init') &
            result(code)
      import
      type(surefill_pass_capacity), intent(out) :: capacity
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_pass_capacity_init

    !> Sets the rule to its defaults: expected delay below 0.3 of the head job's expected remaining wait, or what EASY
    !! would start; no guard, budget or slip, and every delay measured.
    function surefill_rule_init(rule, size) bind(c, name='surefill_rule_init') result(code)
      import
      type(surefill_rule), intent(out) :: rule
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_rule_init

    !> Bytes of memory that a pass needs. With R running jobs, Q candidates, P processors, b bins of e events and E =
    !! (R + Q) b e this is at most 54 E + 8 (Q + 1) b e + 8 P (log2 E + 12) + 8 tie_cells + 72 R + 140 Q + 4,096, with
    !! tie_cells at least 4 P + 20.
    function surefill_pass_size(capacity, size) bind(c, name='surefill_pass_size') result(code)
      import
      type(surefill_pass_capacity), intent(in) :: capacity
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_pass_size

    !> Makes a pass in the caller's memory (length bytes, at least surefill_pass_size, aligned to 8). O(1).
    function surefill_pass_init(memory, length, capacity, pass) bind(c, name='surefill_pass_init') &
            result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_pass_capacity), intent(in) :: capacity
      type(c_ptr), intent(out) :: pass
      integer(c_int32_t) :: code
    end function surefill_pass_init

    !> Begins a pass at time now (seconds since any fixed origin, within 2^53 of it) with this number of idle
    !! processors, for a head job that needs head_processors, more than are idle, and has waited for head_waited
    !! seconds (0 to SUREFILL_MAX_SECONDS; the rule's guard and slip ask for it, and without them it makes no
    !! difference). Forgets what the last pass held, except the risk spent on this head job and on the last 16 others
    !! on which any was: a job that is head again goes on with its own. O(1).
    function surefill_pass_begin(pass, now, idle, head_id, head_processors, head_waited) bind(c, &
            name='surefill_pass_begin') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int64_t), value :: now
      integer(c_int32_t), value :: idle
      integer(c_int64_t), value :: head_id
      integer(c_int32_t), value :: head_processors
      integer(c_int64_t), value :: head_waited
      integer(c_int32_t) :: code
    end function surefill_pass_begin

    !> Adds a running job: its processors (at least 1), for how long it has run, its time limit (both in seconds, 0 to
    !! SUREFILL_MAX_SECONDS) and its predicted run time; NULL when nothing is known but the limit. index is its
    !! number, from 0; it may be NULL. O(bins x events per bin).
    function surefill_pass_add_running(pass, processors, age, limit, distribution, index) bind(c, &
            name='surefill_pass_add_running') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: age
      integer(c_int64_t), value :: limit
      type(c_ptr), value :: distribution
      type(c_ptr), value :: index
      integer(c_int32_t) :: code
    end function surefill_pass_add_running

    !> Adds a candidate for backfilling behind those added before: its processors (at least 1), its time limit in
    !! seconds and its predicted run time; NULL when nothing is known but the limit. index is its number, from 0; it
    !! may be NULL. O(bins x events per bin).
    function surefill_pass_add_candidate(pass, processors, limit, distribution, index) bind(c, &
            name='surefill_pass_add_candidate') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: limit
      type(c_ptr), value :: distribution
      type(c_ptr), value :: index
      integer(c_int32_t) :: code
    end function surefill_pass_add_candidate

    !> Decides until a candidate is accepted, all are decided, or about work multiply-adds are done (at least 1; one
    !! instant, or one job added, is never interrupted). step is one of SUREFILL_STEP_; candidate is the accepted
    !! candidate's number, -1 for the other steps. The rule may change only where a decision is complete, not after
    !! MORE.
    function surefill_pass_decide(pass, rule, work, step, candidate) bind(c, name='surefill_pass_decide') &
            result(code)
      import
      type(c_ptr), value :: pass
      type(surefill_rule), intent(in) :: rule
      integer(c_int64_t), value :: work
      integer(c_int32_t), intent(out) :: step
      integer(c_int32_t), intent(out) :: candidate
      integer(c_int32_t) :: code
    end function surefill_pass_decide

    !> Starts the accepted candidate: a running job of this pass from now on, its delay spent. Where it could not be
    !! started after all, begin again without it. O(candidates).
    function surefill_pass_commit(pass, candidate) bind(c, name='surefill_pass_commit') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: candidate
      integer(c_int32_t) :: code
    end function surefill_pass_commit

    !> A candidate's verdict so far: the delay of the head job in the criterion's unit, how that relates to the true
    !! delay (one of SUREFILL_DELAY_), and one of SUREFILL_VERDICT_. O(1).
    function surefill_pass_judgement(pass, candidate, delay, exactness, verdict) bind(c, &
            name='surefill_pass_judgement') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: candidate
      real(c_double), intent(out) :: delay
      integer(c_int32_t), intent(out) :: exactness
      integer(c_int32_t), intent(out) :: verdict
      integer(c_int32_t) :: code
    end function surefill_pass_judgement

    !> The idle processors left. O(1).
    function surefill_pass_idle(pass, idle) bind(c, name='surefill_pass_idle') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), intent(out) :: idle
      integer(c_int32_t) :: code
    end function surefill_pass_idle

    !> Adds the running jobs of an array with count jobs, in its order: all of them or none. wrong is the place in the
    !! array of the first that is refused, whose error is returned; -1 where none is. It may be NULL. The jobs'
    !! numbers follow those of the jobs added before. O(count x bins x events per bin).
    function surefill_pass_add_running_many(pass, jobs, count, wrong) bind(c, &
            name='surefill_pass_add_running_many') result(code)
      import
      type(c_ptr), value :: pass
      type(surefill_pass_job), intent(in) :: jobs(*)
      integer(c_int32_t), value :: count
      type(c_ptr), value :: wrong
      integer(c_int32_t) :: code
    end function surefill_pass_add_running_many

    !> Adds the candidates of an array with count jobs behind those added before, in its order: all of them or none.
    !! wrong is the place in the array of the first that is refused, whose error is returned; -1 where none is. It may
    !! be NULL. O(count x bins x events per bin).
    function surefill_pass_add_candidates_many(pass, jobs, count, wrong) bind(c, &
            name='surefill_pass_add_candidates_many') result(code)
      import
      type(c_ptr), value :: pass
      type(surefill_pass_job), intent(in) :: jobs(*)
      integer(c_int32_t), value :: count
      type(c_ptr), value :: wrong
      integer(c_int32_t) :: code
    end function surefill_pass_add_candidates_many

    !> The probability that at least this number of processors is free at time when if nothing else is started.
    !! O(running jobs x (events + processors)).
    function surefill_pass_free_probability(pass, processors, when, probability) bind(c, &
            name='surefill_pass_free_probability') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: when
      real(c_double), intent(out) :: probability
      integer(c_int32_t) :: code
    end function surefill_pass_free_probability

    !> The earliest time by which the head job has started with at least this probability (above 0, at most 1) if
    !! nothing else is started. O(log events x running jobs x (events + processors)).
    function surefill_pass_head_start_quantile(pass, probability, when) bind(c, &
            name='surefill_pass_head_start_quantile') result(code)
      import
      type(c_ptr), value :: pass
      real(c_double), value :: probability
      integer(c_int64_t), intent(out) :: when
      integer(c_int32_t) :: code
    end function surefill_pass_head_start_quantile

    !> The quantiles of the head job's start, see surefill_pass_head_start_quantile, for count probabilities
    !! (ascending) by one walk over the events: about work multiply-adds a call (at least 1), counted like those of
    !! surefill_pass_decide. step is SUREFILL_STEP_DONE when all are known; after SUREFILL_STEP_MORE call again with
    !! the same probabilities and whens. A decision, or another question, gives up one under way. With E events and c
    !! processors still missing for the head job it costs about E c multiply-adds. All are exact, also where many jobs
    !! may end in one second.
    function surefill_pass_head_start_quantiles(pass, probabilities, count, work, whens, step) bind(c, &
            name='surefill_pass_head_start_quantiles') result(code)
      import
      type(c_ptr), value :: pass
      real(c_double), intent(in) :: probabilities(*)
      integer(c_int32_t), value :: count
      integer(c_int64_t), value :: work
      integer(c_int64_t), intent(inout) :: whens(*)
      integer(c_int32_t), intent(out) :: step
      integer(c_int32_t) :: code
    end function surefill_pass_head_start_quantiles

    !> Sets the capacity to its defaults: 256 running and 256 waiting jobs, 1,024 processors, 32 bins of 4 events, 200
    !! scenarios.
    function surefill_forecast_capacity_init(capacity, size) bind(c, name='surefill_forecast_capacity_init') &
            result(code)
      import
      type(surefill_forecast_capacity), intent(out) :: capacity
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_forecast_capacity_init

    !> Sets the options to their defaults: EASY by limits in the order of submission, 200 scenarios of seed 0,
    !! half-widths of .95 confidence.
    function surefill_forecast_options_init(options, size) bind(c, name='surefill_forecast_options_init') &
            result(code)
      import
      type(surefill_forecast_options), intent(out) :: options
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_forecast_options_init

    !> Bytes of memory that a forecast needs. With R running jobs, W waiting jobs, b bins of e events and N scenarios
    !! this is at most 16 (R + W) b e + 8 W N + 128 R + 256 W + 800.
    function surefill_forecast_size(capacity, size) bind(c, name='surefill_forecast_size') result(code)
      import
      type(surefill_forecast_capacity), intent(in) :: capacity
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_forecast_size

    !> Makes a forecast in the caller's memory (length bytes, at least surefill_forecast_size, aligned to 8). O(1).
    function surefill_forecast_init(memory, length, capacity, forecast) bind(c, &
            name='surefill_forecast_init') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_forecast_capacity), intent(in) :: capacity
      type(c_ptr), intent(out) :: forecast
      integer(c_int32_t) :: code
    end function surefill_forecast_init

    !> Begins a forecast at time now (seconds since any fixed origin, within 2^53 of it) with this number of idle
    !! processors. Forgets what the last forecast held. O(1).
    function surefill_forecast_begin(forecast, now, idle, options) bind(c, name='surefill_forecast_begin') &
            result(code)
      import
      type(c_ptr), value :: forecast
      integer(c_int64_t), value :: now
      integer(c_int32_t), value :: idle
      type(surefill_forecast_options), intent(in) :: options
      integer(c_int32_t) :: code
    end function surefill_forecast_begin

    !> Adds a running job: its processors (at least 1), for how long it has run, its time limit (both in seconds, 0 to
    !! SUREFILL_MAX_SECONDS) and its predicted run time; NULL when nothing is known but the limit. index is its
    !! number, from 0; it may be NULL. O(bins x events per bin).
    function surefill_forecast_add_running(forecast, processors, age, limit, distribution, index) bind(c, &
            name='surefill_forecast_add_running') result(code)
      import
      type(c_ptr), value :: forecast
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: age
      integer(c_int64_t), value :: limit
      type(c_ptr), value :: distribution
      type(c_ptr), value :: index
      integer(c_int32_t) :: code
    end function surefill_forecast_add_running

    !> Adds a waiting job behind those added before: its processors (at least 1), its time limit in seconds (0 to
    !! SUREFILL_MAX_SECONDS), when it was submitted, and its predicted run time; NULL when nothing is known but the
    !! limit. A job with a submission ahead (by at most SUREFILL_MAX_SECONDS) joins the queue then, in the order in
    !! which it was added: an arrival that is expected, or a job held until then. A job wider than all idle and
    !! running processors together never starts, and those behind it go on as if it were not there, under FCFS too.
    !! index is its number, from 0; it may be NULL. O(bins x events per bin).
    function surefill_forecast_add_waiting(forecast, processors, limit, submit, distribution, index) bind(c, &
            name='surefill_forecast_add_waiting') result(code)
      import
      type(c_ptr), value :: forecast
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: limit
      integer(c_int64_t), value :: submit
      type(c_ptr), value :: distribution
      type(c_ptr), value :: index
      integer(c_int32_t) :: code
    end function surefill_forecast_add_waiting

    !> Plays scenarios until all are played (step is SUREFILL_STEP_DONE), or about work steps are done
    !! (SUREFILL_STEP_MORE; work is at least 1; one instant of a scenario is never interrupted). A step is an event, a
    !! job looked at, or a step of the profile of reservations, of about a nanosecond each.
    function surefill_forecast_run(forecast, work, step) bind(c, name='surefill_forecast_run') result(code)
      import
      type(c_ptr), value :: forecast
      integer(c_int64_t), value :: work
      integer(c_int32_t), intent(out) :: step
      integer(c_int32_t) :: code
    end function surefill_forecast_run

    !> The earliest time by which a waiting job has started with at least this probability (above 0, at most 1), and
    !! by how many seconds that may be off because the scenarios are not infinitely many, with the confidence of the
    !! options; infinity when they are too few to say. O(1).
    function surefill_forecast_start_quantile(forecast, job, probability, when, half_width) bind(c, &
            name='surefill_forecast_start_quantile') result(code)
      import
      type(c_ptr), value :: forecast
      integer(c_int32_t), value :: job
      real(c_double), value :: probability
      integer(c_int64_t), intent(out) :: when
      real(c_double), intent(out) :: half_width
      integer(c_int32_t) :: code
    end function surefill_forecast_start_quantile

    !> The probability that a waiting job has started by time when, and by how much that may be off, as for
    !! surefill_forecast_start_quantile. O(log scenarios).
    function surefill_forecast_start_probability(forecast, job, when, probability, half_width) bind(c, &
            name='surefill_forecast_start_probability') result(code)
      import
      type(c_ptr), value :: forecast
      integer(c_int32_t), value :: job
      integer(c_int64_t), value :: when
      real(c_double), intent(out) :: probability
      real(c_double), intent(out) :: half_width
      integer(c_int32_t) :: code
    end function surefill_forecast_start_probability

    !> The mean of the seconds that a waiting job still waits, and by how many that may be off, as for
    !! surefill_forecast_start_quantile. O(scenarios).
    function surefill_forecast_start_mean(forecast, job, seconds, half_width) bind(c, &
            name='surefill_forecast_start_mean') result(code)
      import
      type(c_ptr), value :: forecast
      integer(c_int32_t), value :: job
      real(c_double), intent(out) :: seconds
      real(c_double), intent(out) :: half_width
      integer(c_int32_t) :: code
    end function surefill_forecast_start_mean

    !> Sets the capacity to its defaults: 1,024 nodes of 16 classes with 3 kinds of resource, 4,096 jobs, 16,384 pairs
    !! of a job and a node.
    function surefill_nodes_capacity_init(capacity, size) bind(c, name='surefill_nodes_capacity_init') &
            result(code)
      import
      type(surefill_nodes_capacity), intent(out) :: capacity
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_nodes_capacity_init

    !> Sets the request to one task anywhere that takes nothing yet.
    function surefill_request_init(request, size) bind(c, name='surefill_request_init') result(code)
      import
      type(surefill_request), intent(out) :: request
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_request_init

    !> Bytes of memory that a machine needs: for n nodes with r kinds of resource, c classes, j jobs and p parts at
    !! most (40 + 4 r) n + 104 c + 104 j + 16 p + 512.
    function surefill_nodes_size(capacity, size) bind(c, name='surefill_nodes_size') result(code)
      import
      type(surefill_nodes_capacity), intent(in) :: capacity
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_nodes_size

    !> Makes a machine without nodes in the caller's memory (length bytes, at least surefill_nodes_size, aligned to
    !! 8). O(length).
    function surefill_nodes_init(memory, length, capacity, nodes) bind(c, name='surefill_nodes_init') &
            result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_nodes_capacity), intent(in) :: capacity
      type(c_ptr), intent(out) :: nodes
      integer(c_int32_t) :: code
    end function surefill_nodes_init

    !> Makes the block a checkpoint, surefill_nodes_size bytes from the handle on, by writing its checksum. Any later
    !! call that changes the machine breaks the seal. O(size).
    function surefill_nodes_seal(nodes) bind(c, name='surefill_nodes_seal') result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int32_t) :: code
    end function surefill_nodes_seal

    !> Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
    !! surefill_nodes_seal left it. Handles of jobs stay what they were. O(size).
    function surefill_nodes_open(memory, length, nodes) bind(c, name='surefill_nodes_open') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: nodes
      integer(c_int32_t) :: code
    end function surefill_nodes_open

    !> Adds a class of nodes with these features (bits of the site's own meaning) and amounts of count kinds of
    !! resource, none negative. index is the class's, from 0. O(1).
    function surefill_nodes_add_class(nodes, features, amounts, count, index) bind(c, &
            name='surefill_nodes_add_class') result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int64_t), value :: features
      integer(c_int32_t), intent(in) :: amounts(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t), intent(out) :: index
      integer(c_int32_t) :: code
    end function surefill_nodes_add_class

    !> Adds count empty nodes of a class. first is the index of the first of them. O(count).
    function surefill_nodes_add_nodes(nodes, class_index, count, first) bind(c, &
            name='surefill_nodes_add_nodes') result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int32_t), value :: class_index
      integer(c_int32_t), value :: count
      integer(c_int32_t), intent(out) :: first
      integer(c_int32_t) :: code
    end function surefill_nodes_add_nodes

    !> Opens a node for new jobs (is_open not 0), or closes it (drained, down). Jobs on it stay until they are
    !! released. O(1).
    function surefill_nodes_set_open(nodes, node, is_open) bind(c, name='surefill_nodes_set_open') &
            result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int32_t), value :: node
      integer(c_int32_t), value :: is_open
      integer(c_int32_t) :: code
    end function surefill_nodes_set_open

    !> Free amounts of the first count kinds of resource on a node; nothing on a node that one job holds alone. O(1).
    function surefill_nodes_free(nodes, node, amounts, count) bind(c, name='surefill_nodes_free') &
            result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int32_t), value :: node
      integer(c_int32_t), intent(out) :: amounts(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t) :: code
    end function surefill_nodes_free

    !> Finds nodes for a request by one of SUREFILL_FIT_, in the order of the nodes: count parts, 0 where it does not
    !! fit. room is how many parts there is room for; as many as the request's tasks, or the nodes if these are fewer,
    !! are always enough. Nothing is taken. O(nodes log count).
    function surefill_nodes_place(nodes, request, fit, parts, room, count) bind(c, &
            name='surefill_nodes_place') result(code)
      import
      type(c_ptr), value :: nodes
      type(surefill_request), intent(in) :: request
      integer(c_int32_t), value :: fit
      type(surefill_part), intent(inout) :: parts(*)
      integer(c_int32_t), value :: room
      integer(c_int32_t), intent(out) :: count
      integer(c_int32_t) :: code
    end function surefill_nodes_place

    !> Takes what a request asks for on count nodes, which come in increasing order. job is the job's handle. After
    !! surefill_nodes_release it is unknown until other jobs have had its slot 2,048 times. O(count).
    function surefill_nodes_allocate(nodes, request, parts, count, job) bind(c, &
            name='surefill_nodes_allocate') result(code)
      import
      type(c_ptr), value :: nodes
      type(surefill_request), intent(in) :: request
      type(surefill_part), intent(in) :: parts(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t), intent(out) :: job
      integer(c_int32_t) :: code
    end function surefill_nodes_allocate

    !> Gives back all that a job holds. O(its nodes).
    function surefill_nodes_release(nodes, job) bind(c, name='surefill_nodes_release') result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int32_t), value :: job
      integer(c_int32_t) :: code
    end function surefill_nodes_release

    !> Where a job is: count parts in increasing order of nodes, for which there must be room. O(its nodes).
    function surefill_nodes_placement(nodes, job, parts, room, count) bind(c, &
            name='surefill_nodes_placement') result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int32_t), value :: job
      type(surefill_part), intent(inout) :: parts(*)
      integer(c_int32_t), value :: room
      integer(c_int32_t), intent(out) :: count
      integer(c_int32_t) :: code
    end function surefill_nodes_placement

    !> Sets the capacity to its defaults: 1,024 nodes with 3 kinds of resource, 1,024 running jobs, 256 candidates on
    !! 4,096 nodes, 32 bins of 4 events.
    function surefill_node_pass_capacity_init(capacity, size) bind(c, &
            name='surefill_node_pass_capacity_init') result(code)
      import
      type(surefill_node_pass_capacity), intent(out) :: capacity
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_node_pass_capacity_init

    !> Bytes of memory that a pass needs: for n nodes with k kinds of resource, R running jobs, Q candidates with p
    !! parts and b bins of e events at most 24 (R + Q + 1) b e + (56 + 4 k) n + 692 R + 924 Q + 24 p + 82,000.
    function surefill_node_pass_size(capacity, size) bind(c, name='surefill_node_pass_size') result(code)
      import
      type(surefill_node_pass_capacity), intent(in) :: capacity
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_node_pass_size

    !> Makes a pass in the caller's memory (length bytes, at least surefill_node_pass_size, aligned to 8). O(1).
    function surefill_node_pass_init(memory, length, capacity, pass) bind(c, name='surefill_node_pass_init') &
            result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_node_pass_capacity), intent(in) :: capacity
      type(c_ptr), intent(out) :: pass
      integer(c_int32_t) :: code
    end function surefill_node_pass_init

    !> Begins a pass at time now (seconds since any fixed origin, within 2^53 of it) for a head job that does not fit
    !! the machine now and has waited for head_waited seconds (0 to SUREFILL_MAX_SECONDS; the rule's guard and slip
    !! ask for it). At most 256 scenarios are played, and half-widths hold with .95 confidence, all looks at a
    !! candidate together. Forgets what the last pass held, except what is spent if it was for the same head job.
    !! O(nodes).
    function surefill_node_pass_begin(pass, nodes, now, head_id, head, head_waited) bind(c, &
            name='surefill_node_pass_begin') result(code)
      import
      type(c_ptr), value :: pass
      type(c_ptr), value :: nodes
      integer(c_int64_t), value :: now
      integer(c_int64_t), value :: head_id
      type(surefill_request), intent(in) :: head
      integer(c_int64_t), value :: head_waited
      integer(c_int32_t) :: code
    end function surefill_node_pass_begin

    !> Adds a running job by its handle on the machine: for how long it has run, its time limit (both in seconds, 0 to
    !! SUREFILL_MAX_SECONDS) and its predicted run time; NULL when nothing is known but the limit. Each job is added
    !! once: added twice it would give its nodes back twice. index is its number, from 0; it may be NULL. O(bins x
    !! events per bin).
    function surefill_node_pass_add_running(pass, nodes, job, age, limit, distribution, index) bind(c, &
            name='surefill_node_pass_add_running') result(code)
      import
      type(c_ptr), value :: pass
      type(c_ptr), value :: nodes
      integer(c_int32_t), value :: job
      integer(c_int64_t), value :: age
      integer(c_int64_t), value :: limit
      type(c_ptr), value :: distribution
      type(c_ptr), value :: index
      integer(c_int32_t) :: code
    end function surefill_node_pass_add_running

    !> Adds a candidate for backfilling behind those added before: its request, by which of SUREFILL_FIT_ nodes are
    !! found for it, its time limit in seconds and its predicted run time; NULL when nothing is known but the limit.
    !! The nodes are found anew when an earlier candidate has been given some of them. index is its number, from 0; it
    !! may be NULL. O(nodes + bins x events per bin).
    function surefill_node_pass_add_candidate(pass, nodes, request, fit, limit, distribution, index) bind(c, &
            name='surefill_node_pass_add_candidate') result(code)
      import
      type(c_ptr), value :: pass
      type(c_ptr), value :: nodes
      type(surefill_request), intent(in) :: request
      integer(c_int32_t), value :: fit
      integer(c_int64_t), value :: limit
      type(c_ptr), value :: distribution
      type(c_ptr), value :: index
      integer(c_int32_t) :: code
    end function surefill_node_pass_add_candidate

    !> Adds a candidate with the caller's own placement, count parts in increasing order of nodes. When an earlier
    !! candidate has been given some of these nodes, it does not fit any more. index is its number, from 0; it may be
    !! NULL. O(parts + bins x events per bin).
    function surefill_node_pass_add_placed(pass, nodes, request, parts, count, limit, distribution, index) &
            bind(c, name='surefill_node_pass_add_placed') result(code)
      import
      type(c_ptr), value :: pass
      type(c_ptr), value :: nodes
      type(surefill_request), intent(in) :: request
      type(surefill_part), intent(in) :: parts(*)
      integer(c_int32_t), value :: count
      integer(c_int64_t), value :: limit
      type(c_ptr), value :: distribution
      type(c_ptr), value :: index
      integer(c_int32_t) :: code
    end function surefill_node_pass_add_placed

    !> Decides until a candidate is accepted, all are decided, or about work steps are done (at least 1; a step is an
    !! end of a running job, a node that one gives back, or a part of a candidate; one scenario is never interrupted,
    !! nor is opening a window of candidates: 33 scenarios and O(nodes) for each). step is one of SUREFILL_STEP_;
    !! candidate is the accepted candidate's number, -1 for the other steps. What is decided does not depend on work.
    !! The rule may change only where a decision is complete, not after MORE.
    function surefill_node_pass_decide(pass, nodes, rule, work, step, candidate) bind(c, &
            name='surefill_node_pass_decide') result(code)
      import
      type(c_ptr), value :: pass
      type(c_ptr), value :: nodes
      type(surefill_rule), intent(in) :: rule
      integer(c_int64_t), value :: work
      integer(c_int32_t), intent(out) :: step
      integer(c_int32_t), intent(out) :: candidate
      integer(c_int32_t) :: code
    end function surefill_node_pass_decide

    !> Starts the accepted candidate on its nodes: a running job of the machine from now on, with the handle job, its
    !! delay spent. A forecast that begins later does not see that it runs: surefill_node_forecast_add_running says it
    !! with this handle, or the job holds its nodes in all scenarios. Where it could not be started after all, begin
    !! again without it. O(candidates).
    function surefill_node_pass_commit(pass, nodes, candidate, job) bind(c, &
            name='surefill_node_pass_commit') result(code)
      import
      type(c_ptr), value :: pass
      type(c_ptr), value :: nodes
      integer(c_int32_t), value :: candidate
      integer(c_int32_t), intent(out) :: job
      integer(c_int32_t) :: code
    end function surefill_node_pass_commit

    !> A candidate's verdict so far: the delay of the head job in the criterion's unit (0 while not judged), how far
    !! that may be from what infinitely many scenarios would say, the scenarios on which it rests, and one of
    !! SUREFILL_VERDICT_. O(1).
    function surefill_node_pass_judgement(pass, candidate, delay, half_width, scenarios, verdict) bind(c, &
            name='surefill_node_pass_judgement') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: candidate
      real(c_double), intent(out) :: delay
      real(c_double), intent(out) :: half_width
      integer(c_int32_t), intent(out) :: scenarios
      integer(c_int32_t), intent(out) :: verdict
      integer(c_int32_t) :: code
    end function surefill_node_pass_judgement

    !> Where a candidate is judged to be: count parts in increasing order of nodes, for which there must be room; none
    !! as long as it is not placed, or where it does not fit. O(parts).
    function surefill_node_pass_placement(pass, candidate, parts, room, count) bind(c, &
            name='surefill_node_pass_placement') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: candidate
      type(surefill_part), intent(inout) :: parts(*)
      integer(c_int32_t), value :: room
      integer(c_int32_t), intent(out) :: count
      integer(c_int32_t) :: code
    end function surefill_node_pass_placement

    !> Sets the capacity to its defaults: 1,024 nodes of 16 classes with 3 kinds of resource, 1,024 running jobs, 256
    !! waiting ones on 4,096 nodes, 32 bins of 4 events, 200 scenarios.
    function surefill_node_forecast_capacity_init(capacity, size) bind(c, &
            name='surefill_node_forecast_capacity_init') result(code)
      import
      type(surefill_node_forecast_capacity), intent(out) :: capacity
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_node_forecast_capacity_init

    !> Bytes of memory that a forecast needs: what surefill_forecast_size says for as many jobs, bins and scenarios,
    !! and for n nodes with r kinds of resource, c classes, R running and W waiting jobs with p nodes together at most
    !! (68 + 8 r) n + 208 c + 4 R + 112 W + 8 p + 900 more.
    function surefill_node_forecast_size(capacity, size) bind(c, name='surefill_node_forecast_size') &
            result(code)
      import
      type(surefill_node_forecast_capacity), intent(in) :: capacity
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_node_forecast_size

    !> Makes a forecast in the caller's memory (length bytes, at least surefill_node_forecast_size, aligned to 8).
    !! O(1).
    function surefill_node_forecast_init(memory, length, capacity, forecast) bind(c, &
            name='surefill_node_forecast_init') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_node_forecast_capacity), intent(in) :: capacity
      type(c_ptr), intent(out) :: forecast
      integer(c_int32_t) :: code
    end function surefill_node_forecast_init

    !> Begins a forecast at time now (seconds since any fixed origin, within 2^53 of it). The options are those of
    !! surefill_forecast, with at most one reservation. Forgets what the last forecast held. O(nodes + classes).
    function surefill_node_forecast_begin(forecast, nodes, now, options) bind(c, &
            name='surefill_node_forecast_begin') result(code)
      import
      type(c_ptr), value :: forecast
      type(c_ptr), value :: nodes
      integer(c_int64_t), value :: now
      type(surefill_forecast_options), intent(in) :: options
      integer(c_int32_t) :: code
    end function surefill_node_forecast_begin

    !> Adds a running job by its handle on the machine: for how long it has run, its time limit (both in seconds, 0 to
    !! SUREFILL_MAX_SECONDS) and its predicted run time; NULL when nothing is known but the limit. Each job is added
    !! once: added twice it would give its nodes back twice. index is its number, from 0; it may be NULL. O(bins x
    !! events per bin).
    function surefill_node_forecast_add_running(forecast, nodes, job, age, limit, distribution, index) &
            bind(c, name='surefill_node_forecast_add_running') result(code)
      import
      type(c_ptr), value :: forecast
      type(c_ptr), value :: nodes
      integer(c_int32_t), value :: job
      integer(c_int64_t), value :: age
      integer(c_int64_t), value :: limit
      type(c_ptr), value :: distribution
      type(c_ptr), value :: index
      integer(c_int32_t) :: code
    end function surefill_node_forecast_add_running

    !> Adds a waiting job behind those added before: its request, by which of SUREFILL_FIT_ nodes are found for it,
    !! how many processors the priorities of the options count for it, its time limit in seconds (0 to
    !! SUREFILL_MAX_SECONDS), when it was submitted (a submission ahead counts as for surefill_forecast), and its
    !! predicted run time; NULL when nothing is known but the limit. With SUREFILL_FIT_APART those nodes come last on
    !! which the head job finds room when it is planned to start. index is its number, from 0; it may be NULL. O(bins
    !! x events per bin).
    function surefill_node_forecast_add_waiting(forecast, nodes, request, fit, processors, limit, submit, &
            distribution, index) bind(c, name='surefill_node_forecast_add_waiting') result(code)
      import
      type(c_ptr), value :: forecast
      type(c_ptr), value :: nodes
      type(surefill_request), intent(in) :: request
      integer(c_int32_t), value :: fit
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: limit
      integer(c_int64_t), value :: submit
      type(c_ptr), value :: distribution
      type(c_ptr), value :: index
      integer(c_int32_t) :: code
    end function surefill_node_forecast_add_waiting

    !> Plays scenarios until all are played (step is SUREFILL_STEP_DONE), or about work steps are done
    !! (SUREFILL_STEP_MORE; work is at least 1; one instant of a scenario is never interrupted). A step is an event, a
    !! job looked at, or eight nodes looked at.
    function surefill_node_forecast_run(forecast, nodes, work, step) bind(c, &
            name='surefill_node_forecast_run') result(code)
      import
      type(c_ptr), value :: forecast
      type(c_ptr), value :: nodes
      integer(c_int64_t), value :: work
      integer(c_int32_t), intent(out) :: step
      integer(c_int32_t) :: code
    end function surefill_node_forecast_run

    !> The quantile of a job's start, see surefill_forecast_start_quantile; NEVER for a job that finds no room when
    !! all running jobs have ended. O(1).
    function surefill_node_forecast_start_quantile(forecast, job, probability, when, half_width) bind(c, &
            name='surefill_node_forecast_start_quantile') result(code)
      import
      type(c_ptr), value :: forecast
      integer(c_int32_t), value :: job
      real(c_double), value :: probability
      integer(c_int64_t), intent(out) :: when
      real(c_double), intent(out) :: half_width
      integer(c_int32_t) :: code
    end function surefill_node_forecast_start_quantile

    !> The probability of a job's start, see surefill_forecast_start_probability. O(log scenarios).
    function surefill_node_forecast_start_probability(forecast, job, when, probability, half_width) bind(c, &
            name='surefill_node_forecast_start_probability') result(code)
      import
      type(c_ptr), value :: forecast
      integer(c_int32_t), value :: job
      integer(c_int64_t), value :: when
      real(c_double), intent(out) :: probability
      real(c_double), intent(out) :: half_width
      integer(c_int32_t) :: code
    end function surefill_node_forecast_start_probability

    !> Sets the options to the defaults of a kind, one of SUREFILL_PREDICTOR_: 4,096 jobs, 24 bins, jobs older than
    !! ten days given up. Mixture: user, time limit and processors as keys, ten experts on them, 16,384 histories;
    !! user: one key, one expert; contexts: 65,536 histories. Hidden Markov models: 16 states, a year of slots of 15
    !! min, 100,000 cells, 1,024 slots remembered; no load model, Static-IV, L1 with 200 and at most 1,000 rounds, an
    !! initial period of a week, restarts weekly, as in the thesis; but with a floor of 0.001.
    function surefill_predictor_options_init(kind, options, size) bind(c, &
            name='surefill_predictor_options_init') result(code)
      import
      integer(c_int32_t), value :: kind
      type(surefill_predictor_options), intent(out) :: options
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_predictor_options_init

    !> Writes the experts of a kind of mixture, one of SUREFILL_PREDICTOR_, and their number, so that others can be
    !! added. capacity is the room in experts: SUREFILL_MAX_EXPERTS is enough.
    function surefill_experts_init(kind, experts, capacity, count) bind(c, name='surefill_experts_init') &
            result(code)
      import
      integer(c_int32_t), value :: kind
      type(surefill_expert), intent(out) :: experts(*)
      integer(c_int32_t), value :: capacity
      integer(c_int32_t), intent(out) :: count
      integer(c_int32_t) :: code
    end function surefill_experts_init

    !> Bytes of memory that a predictor needs. For J jobs with K keys and N bins: J (88 + 8 K + 8 N), 8 J N more with
    !! a hidden Markov model, and about 1,500. Mixtures: with H histories and E experts, 8 H max(N + 1, E) + 32 H +
    !! 3,200 more. Contexts: with N rounded up to a multiple of 8, H (4 N + 23) + J (35 N + 384) + 2,000 (N + 125)
    !! more. Hidden Markov models: surefill_hmm_size more, 8 S for each slot of the window and 48 S (S states, rounded
    !! up to a multiple of 8), and on line surefill_online_hmm_size.
    function surefill_predictor_size(options, size) bind(c, name='surefill_predictor_size') result(code)
      import
      type(surefill_predictor_options), intent(in) :: options
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_predictor_size

    !> Makes a predictor in the caller's memory (length bytes, at least surefill_predictor_size, aligned to 8) for run
    !! times in these bins, of which it keeps a copy. O(size).
    function surefill_predictor_init(memory, length, options, bins, predictor) bind(c, &
            name='surefill_predictor_init') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_predictor_options), intent(in) :: options
      type(c_ptr), value :: bins
      type(c_ptr), intent(out) :: predictor
      integer(c_int32_t) :: code
    end function surefill_predictor_init

    !> Makes the block a checkpoint, to be written to disk: writes its checksum. Any later call that changes the
    !! predictor breaks the seal, a question too. O(size).
    function surefill_predictor_seal(predictor) bind(c, name='surefill_predictor_seal') result(code)
      import
      type(c_ptr), value :: predictor
      integer(c_int32_t) :: code
    end function surefill_predictor_seal

    !> The predictor in a checkpoint (length bytes at least) read back into memory, which must be as
    !! surefill_predictor_seal left it. It goes on bit for bit as the sealed one would have, in the middle of training
    !! too. O(size).
    function surefill_predictor_open(memory, length, predictor) bind(c, name='surefill_predictor_open') &
            result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: predictor
      integer(c_int32_t) :: code
    end function surefill_predictor_open

    !> A job was submitted. It has count keys, as many as the options say: a hidden Markov model knows jobs by their
    !! time alone, and takes none (keys may then be NULL). What is predicted for it is remembered with it. When there
    !! is no room, a job that is given up makes room. As surefill_predictor_predict, amortised over the slots that
    !! pass.
    function surefill_predictor_submit(predictor, job, keys, count, now) bind(c, &
            name='surefill_predictor_submit') result(code)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), value :: job
      integer(c_int64_t), intent(in) :: keys(*)
      integer(c_int32_t), value :: count
      integer(c_int64_t), value :: now
      integer(c_int32_t) :: code
    end function surefill_predictor_submit

    !> A submitted job was started. O(1) amortised over the slots that pass.
    function surefill_predictor_start(predictor, job, now) bind(c, name='surefill_predictor_start') &
            result(code)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), value :: job
      integer(c_int64_t), value :: now
      integer(c_int32_t) :: code
    end function surefill_predictor_start

    !> A running job ended; its run time is learnt. O(bins), a mixture's O(experts x bins), amortised over the slots
    !! that pass.
    function surefill_predictor_end(predictor, job, now) bind(c, name='surefill_predictor_end') result(code)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), value :: job
      integer(c_int64_t), value :: now
      integer(c_int32_t) :: code
    end function surefill_predictor_end

    !> A job left without having run to its end: cancelled while queued, or running but not to be learnt from. O(1)
    !! amortised over the slots that pass.
    function surefill_predictor_cancel(predictor, job, now) bind(c, name='surefill_predictor_cancel') &
            result(code)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), value :: job
      integer(c_int64_t), value :: now
      integer(c_int32_t) :: code
    end function surefill_predictor_cancel

    !> A mixture or the contexts learn from a job that they do not hold, or of which more is known than when it
    !! started and ended: one with these count keys ran for this number of seconds (0 to SUREFILL_MAX_SECONDS), to the
    !! contexts until the last event. O(experts x bins).
    function surefill_predictor_learn(predictor, keys, count, seconds) bind(c, &
            name='surefill_predictor_learn') result(code)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), intent(in) :: keys(*)
      integer(c_int32_t), value :: count
      integer(c_int64_t), value :: seconds
      integer(c_int32_t) :: code
    end function surefill_predictor_learn

    !> Sets the clock right: from now on it is now, whatever time an event had. To go on is to learn of an event. To
    !! go back, what was reported as later counts as having happened now; if all that a hidden Markov model has kept
    !! is later, its finished jobs are forgotten, but neither the model nor the jobs it holds. Jobs that were given up
    !! by the wrong clock alone are held again as before. What a model has learnt on line of later slots it does not
    !! learn a second time: those slots' finished jobs are forgotten, and those of their jobs that were given up
    !! remain so. Training under way is given up. O(jobs + slots M^2).
    function surefill_predictor_set_clock(predictor, now) bind(c, name='surefill_predictor_set_clock') &
            result(code)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), value :: now
      integer(c_int32_t) :: code
    end function surefill_predictor_set_clock

    !> The jobs that it holds, those given up included, the oldest first: held is how many there are, written how many
    !! of them are written to jobs, which has room for capacity. O(written).
    function surefill_predictor_jobs(predictor, jobs, capacity, written, held) bind(c, &
            name='surefill_predictor_jobs') result(code)
      import
      type(c_ptr), value :: predictor
      type(surefill_held_job), intent(inout) :: jobs(*)
      integer(c_int32_t), value :: capacity
      integer(c_int32_t), intent(out) :: written
      integer(c_int32_t), intent(out) :: held
      integer(c_int32_t) :: code
    end function surefill_predictor_jobs

    !> The prediction for a job with these count keys (see surefill_predictor_submit) that is submitted now, which is
    !! not before the last event: a distribution made in the caller's memory (length bytes, at least
    !! SUREFILL_DISTRIBUTION_SIZE). answer is SUREFILL_PREDICTION_MADE, or says why nothing is predicted, and then the
    !! distribution is the one of which nothing is known but the limit.
    function surefill_predictor_predict(predictor, keys, count, now, memory, length, answer, distribution) &
            bind(c, name='surefill_predictor_predict') result(code)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), intent(in) :: keys(*)
      integer(c_int32_t), value :: count
      integer(c_int64_t), value :: now
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      integer(c_int32_t), intent(out) :: answer
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: code
    end function surefill_predictor_predict

    !> The prediction for a job that it holds, made when that was submitted, as surefill_predictor_predict gave it
    !! then. O(bins).
    function surefill_predictor_said(predictor, job, memory, length, answer, distribution) bind(c, &
            name='surefill_predictor_said') result(code)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), value :: job
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      integer(c_int32_t), intent(out) :: answer
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: code
    end function surefill_predictor_said

    !> The present prediction for a job that it holds: a mixture's present prediction for the job's keys; what the
    !! contexts know now of the jobs that were like it when it was submitted; a hidden Markov model knows jobs by
    !! their time of submission alone, and so this is what surefill_predictor_said gives. Before the job's age and
    !! limit are considered, which a pass does.
    function surefill_predictor_predict_job(predictor, job, memory, length, answer, distribution) bind(c, &
            name='surefill_predictor_predict_job') result(code)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), value :: job
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      integer(c_int32_t), intent(out) :: answer
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: code
    end function surefill_predictor_predict_job

    !> Trains, if that is wanted, for about work visits to slots (at least 1); events and predictions may come between
    !! two calls. A round visits every finished slot three times; on line each slot is visited once, in O(M^3 (M +
    !! N)), and round says what was learnt since the last DONE, its rounds being the slots learnt in all. step is
    !! SUREFILL_STEP_IDLE, MORE or DONE; after DONE the new model is in use, and round is the last of its rounds, else
    !! round is not written. Mixtures and contexts learn as jobs end, and are idle. O(work M^2).
    function surefill_predictor_train(predictor, work, step, round) bind(c, name='surefill_predictor_train') &
            result(code)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), value :: work
      integer(c_int32_t), intent(out) :: step
      type(surefill_round), intent(inout) :: round
      integer(c_int32_t) :: code
    end function surefill_predictor_train

    !> Sets the capacity to its defaults: 65,536 waits, 4,096 jobs waiting, 4,096 releases, no clusters, 8,192
    !! situations.
    function surefill_wait_capacity_init(capacity, size) bind(c, name='surefill_wait_capacity_init') &
            result(code)
      import
      type(surefill_wait_capacity), intent(out) :: capacity
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_wait_capacity_init

    !> Sets the options to those whose bounds hold: .95 bound of the .95 quantile, AVAILABILITY, ADAPT and VISIBLE.
    !! The paper's are TRIM, CLUSTER and AVAILABILITY, for which the capacity must have clusters.
    function surefill_wait_options_init(options, size) bind(c, name='surefill_wait_options_init') &
            result(code)
      import
      type(surefill_wait_options), intent(out) :: options
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_wait_options_init

    !> Bytes of memory that a wait predictor needs, at most: 80 for each remembered wait (231 with clusters), 160 for
    !! each release, 228 for each waiting job (532 with situations), 48 for each situation, and 110,000; 8.3 MB for
    !! the default.
    function surefill_wait_size(capacity, size) bind(c, name='surefill_wait_size') result(code)
      import
      type(surefill_wait_capacity), intent(in) :: capacity
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_wait_size

    !> Makes a predictor that knows no wait in the caller's memory (length bytes, at least surefill_wait_size, aligned
    !! to 8). O(length).
    function surefill_wait_init(memory, length, capacity, options, wait) bind(c, name='surefill_wait_init') &
            result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_wait_capacity), intent(in) :: capacity
      type(surefill_wait_options), intent(in) :: options
      type(c_ptr), intent(out) :: wait
      integer(c_int32_t) :: code
    end function surefill_wait_init

    !> Makes the block a checkpoint, surefill_wait_size bytes from the handle on, by writing its checksum. Any later
    !! call that changes the predictor breaks the seal. O(size).
    function surefill_wait_seal(wait) bind(c, name='surefill_wait_seal') result(code)
      import
      type(c_ptr), value :: wait
      integer(c_int32_t) :: code
    end function surefill_wait_seal

    !> Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as surefill_wait_seal
    !! left it. It goes on bit for bit as the sealed one would have, in the middle of clustering too. O(size).
    function surefill_wait_open(memory, length, wait) bind(c, name='surefill_wait_open') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: wait
      integer(c_int32_t) :: code
    end function surefill_wait_open

    !> A job was submitted that requests a number of seconds (0 to SUREFILL_MAX_SECONDS) and processors (not
    !! negative). answer is one of SUREFILL_ANSWER_ to the options' own question; bound is the wait's upper bound in
    !! seconds, -1 with any answer but BOUND.
    function surefill_wait_submit(wait, job, now, requested, processors, answer, bound) bind(c, &
            name='surefill_wait_submit') result(code)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: job
      integer(c_int64_t), value :: now
      integer(c_int64_t), value :: requested
      integer(c_int32_t), value :: processors
      integer(c_int32_t), intent(out) :: answer
      integer(c_int64_t), intent(out) :: bound
      integer(c_int32_t) :: code
    end function surefill_wait_submit

    !> A waiting job was started: its wait becomes history; waited is that in seconds.
    function surefill_wait_start(wait, job, now, waited) bind(c, name='surefill_wait_start') result(code)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: job
      integer(c_int64_t), value :: now
      integer(c_int64_t), intent(out) :: waited
      integer(c_int32_t) :: code
    end function surefill_wait_start

    !> A waiting job was cancelled: nothing is learnt. O(log n); with VISIBLE waiting jobs are looked at as by
    !! surefill_wait_submit.
    function surefill_wait_cancel(wait, job, now) bind(c, name='surefill_wait_cancel') result(code)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: job
      integer(c_int64_t), value :: now
      integer(c_int32_t) :: code
    end function surefill_wait_cancel

    !> A wait known from elsewhere, in seconds (0 to SUREFILL_MAX_SECONDS), of a job that requested this many seconds
    !! and processors: as if it had been submitted and started, but without time passing. Costs as
    !! surefill_wait_start.
    function surefill_wait_known(wait, seconds, requested, processors) bind(c, name='surefill_wait_known') &
            result(code)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: seconds
      integer(c_int64_t), value :: requested
      integer(c_int32_t), value :: processors
      integer(c_int32_t) :: code
    end function surefill_wait_known

    !> Sets the clock right: from now on it is now, whatever time an event had. To go on is to learn of an event. To
    !! go back, what was reported as later counts as having happened now, and jobs are given up anew by the new time.
    !! O((w + n) log w) for w waiting jobs and n times that they were looked at.
    function surefill_wait_set_clock(wait, now) bind(c, name='surefill_wait_set_clock') result(code)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: now
      integer(c_int32_t) :: code
    end function surefill_wait_set_clock

    !> The jobs that it holds, those given up included, the oldest first: held is how many there are, written how many
    !! of them are written to jobs, which has room for capacity. None of them runs: started and running are 0.
    !! O(written).
    function surefill_wait_jobs(wait, jobs, capacity, written, held) bind(c, name='surefill_wait_jobs') &
            result(code)
      import
      type(c_ptr), value :: wait
      type(surefill_held_job), intent(inout) :: jobs
      integer(c_int32_t), value :: capacity
      integer(c_int32_t), intent(out) :: written
      integer(c_int32_t), intent(out) :: held
      integer(c_int32_t) :: code
    end function surefill_wait_jobs

    !> An upper bound in seconds, with this confidence, for the quantile (both above 0, below 1) of the wait of a job
    !! submitted now that requests this many seconds and processors. answer is one of SUREFILL_ANSWER_, bound is -1
    !! with any answer but BOUND. With ADAPT the options' own question is answered with the adapted bound, and others
    !! by the levels that follow their own misses. O(log n) for the options' own question, with VISIBLE the 300
    !! nearest situations are sorted; else with surefill_binomial_upper (or the method's own computation, up to O(n))
    !! on top.
    function surefill_wait_predict(wait, requested, processors, quantile, confidence, now, answer, bound) &
            bind(c, name='surefill_wait_predict') result(code)
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
    end function surefill_wait_predict

    !> A bound like surefill_wait_predict's, for a job that waits since it was submitted: an upper bound for its wait,
    !! counted from its submission. With VISIBLE it rests on the rests of the waits of jobs that waited in a like
    !! situation, and with ADAPT it follows the misses of such bounds and, for the options' own question, leaves no
    !! less than a factor, learnt on line, times the oldest wait of the queue; else, and where too little is known, by
    !! the binomial method on the waits that were at least as long as its own is now: those of its cluster, or of all
    !! clusters where these are too few. O(w) for w waiting jobs on top.
    function surefill_wait_predict_waiting(wait, job, quantile, confidence, now, answer, bound) bind(c, &
            name='surefill_wait_predict_waiting') result(code)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: job
      real(c_double), value :: quantile
      real(c_double), value :: confidence
      integer(c_int64_t), value :: now
      integer(c_int32_t), intent(out) :: answer
      integer(c_int64_t), intent(out) :: bound
      integer(c_int32_t) :: code
    end function surefill_wait_predict_waiting

    !> The probability that a job that has waited for age seconds (0 for a new one) waits at most within seconds,
    !! counted from its submission: the part of the waits that were, with a lower bound for it at this confidence.
    !! With ADAPT half a wait is added on either side, and the outcomes of earlier such probabilities correct them.
    !! rests_on is the number of waits of at least age, or of jobs that waited in a like situation, that this rests
    !! on; 0 where there are none, then probability and at_least are 0. Says nothing about the machine being down.
    !! O(log n + sqrt n); with VISIBLE the 300 nearest situations are sorted, and O(w) for w waiting jobs.
    function surefill_wait_start_probability(wait, requested, processors, age, within, confidence, &
            probability, at_least, rests_on) bind(c, name='surefill_wait_start_probability') result(code)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), value :: requested
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: age
      integer(c_int64_t), value :: within
      real(c_double), value :: confidence
      real(c_double), intent(out) :: probability
      real(c_double), intent(out) :: at_least
      integer(c_int64_t), intent(out) :: rests_on
      integer(c_int32_t) :: code
    end function surefill_wait_start_probability

    !> Number of jobs that wait, and number of waits that are remembered. O(1).
    function surefill_wait_counts(wait, jobs, remembered) bind(c, name='surefill_wait_counts') result(code)
      import
      type(c_ptr), value :: wait
      integer(c_int32_t), intent(out) :: jobs
      integer(c_int64_t), intent(out) :: remembered
      integer(c_int32_t) :: code
    end function surefill_wait_counts

    !> The clusters in use, at least one, in the order of the attribute: the smallest and the largest attribute of
    !! each (9223372036854775807 for no bound) and how many waits count there. capacity is the room in each array:
    !! SUREFILL_MAX_CLUSTERS is enough. clusters is the number written.
    function surefill_wait_clusters(wait, smallest, largest, counts, capacity, clusters) bind(c, &
            name='surefill_wait_clusters') result(code)
      import
      type(c_ptr), value :: wait
      integer(c_int64_t), intent(out) :: smallest(*)
      integer(c_int64_t), intent(out) :: largest(*)
      integer(c_int64_t), intent(out) :: counts(*)
      integer(c_int32_t), value :: capacity
      integer(c_int32_t), intent(out) :: clusters
      integer(c_int32_t) :: code
    end function surefill_wait_clusters

    !> The speed of a job with this average parallelism (A, 1 to 2^40) and sigma (about the squared coefficient of
    !! variation of its parallelism; from 0, infinity for the lower bound of equation 3) on this number of processors
    !! (1 to 2^40), over that on one: Downey 1997, equations 1 and 2. Between 1 and A. The run time there is the run
    !! time on one divided by this.
    function surefill_speedup(parallelism, sigma, processors, speedup) bind(c, name='surefill_speedup') &
            result(code)
      import
      real(c_double), value :: parallelism
      real(c_double), value :: sigma
      real(c_double), value :: processors
      real(c_double), intent(out) :: speedup
      integer(c_int32_t) :: code
    end function surefill_speedup

    !> The model of count run times in seconds, each measured on the number of processors under the same index of
    !! processors (1 to 2^20; at least three different ones): parallelism and sigma (may be infinite), the run time on
    !! one processor, and the root mean square of the differences of the natural logarithms, about the relative error.
    !! Parallelism and sigma can be distinguished only when the measurements reach saturation; any pair that fits
    !! predicts the measured range equally well. O(count).
    function surefill_speedup_fit_run_times(processors, seconds, count, parallelism, sigma, sequential, &
            error) bind(c, name='surefill_speedup_fit_run_times') result(code)
      import
      real(c_double), intent(in) :: processors(*)
      real(c_double), intent(in) :: seconds(*)
      integer(c_int32_t), value :: count
      real(c_double), intent(out) :: parallelism
      real(c_double), intent(out) :: sigma
      real(c_double), intent(out) :: sequential
      real(c_double), intent(out) :: error
      integer(c_int32_t) :: code
    end function surefill_speedup_fit_run_times

    !> Sets the capacity to its defaults: 256 running jobs, 1,024 processors.
    function surefill_sizing_capacity_init(capacity, size) bind(c, name='surefill_sizing_capacity_init') &
            result(code)
      import
      type(surefill_sizing_capacity), intent(out) :: capacity
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_sizing_capacity_init

    !> Bytes of memory that a sizing needs: at most 72 R + 24 P + 128 for R running jobs and P processors.
    function surefill_sizing_size(capacity, size) bind(c, name='surefill_sizing_size') result(code)
      import
      type(surefill_sizing_capacity), intent(in) :: capacity
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_sizing_size

    !> Makes a sizing in the caller's memory (length bytes, at least surefill_sizing_size, aligned to 8). O(1).
    function surefill_sizing_init(memory, length, capacity, sizing) bind(c, name='surefill_sizing_init') &
            result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_sizing_capacity), intent(in) :: capacity
      type(c_ptr), intent(out) :: sizing
      integer(c_int32_t) :: code
    end function surefill_sizing_init

    !> Begins with this number of idle processors and nothing running; what was added before is forgotten. O(1).
    function surefill_sizing_begin(sizing, idle) bind(c, name='surefill_sizing_begin') result(code)
      import
      type(c_ptr), value :: sizing
      integer(c_int32_t), value :: idle
      integer(c_int32_t) :: code
    end function surefill_sizing_begin

    !> The wait in seconds until at least this number of processors (not negative) is free, if nothing else starts, as
    !! predicted by one of SUREFILL_WAIT_BY_; 0 when they are. quantile (0 to 1) is for QUANTILE and else ignored: .5
    !! gives the median, 1 when they surely are. BENEFACTORS, FLUID and COMBINED take O(64 x running jobs x releases),
    !! QUANTILE O(64 x running jobs x (releases + missing processors)), MEAN O(running jobs x missing processors) at
    !! eight places for each job and each doubling of time.
    function surefill_sizing_wait(sizing, processors, predictor, quantile, seconds) bind(c, &
            name='surefill_sizing_wait') result(code)
      import
      type(c_ptr), value :: sizing
      integer(c_int32_t), value :: processors
      integer(c_int32_t), value :: predictor
      real(c_double), value :: quantile
      real(c_double), intent(out) :: seconds
      integer(c_int32_t) :: code
    end function surefill_sizing_wait

    !> The probability that at least this number of processors (not negative) is free wait seconds (0 to 2^40) from
    !! now, if nothing else starts. O(running jobs x (releases + missing processors)).
    function surefill_sizing_free_probability(sizing, processors, wait, probability) bind(c, &
            name='surefill_sizing_free_probability') result(code)
      import
      type(c_ptr), value :: sizing
      integer(c_int32_t), value :: processors
      real(c_double), value :: wait
      real(c_double), intent(out) :: probability
      integer(c_int32_t) :: code
    end function surefill_sizing_free_probability

    !> Sets the options to their defaults: the exact mean, from one processor up to all, a second for a second,
    !! however small the gain.
    function surefill_choice_options_init(options, size) bind(c, name='surefill_choice_options_init') &
            result(code)
      import
      type(surefill_choice_options), intent(out) :: options
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_choice_options_init

    !> The number of processors n with the smallest weight x wait + run time, the smaller of equal ones, for a job
    !! that takes sequential seconds (0 to 2^40) on one and speeds up as surefill_speedup says. O(n) times the
    !! predictor's test of one wait, and 64 times as much for each n that is better than those before it; by MEAN one
    !! integration for all n.
    function surefill_sizing_choose(sizing, options, parallelism, sigma, sequential, choice) bind(c, &
            name='surefill_sizing_choose') result(code)
      import
      type(c_ptr), value :: sizing
      type(surefill_choice_options), intent(in) :: options
      real(c_double), value :: parallelism
      real(c_double), value :: sigma
      real(c_double), value :: sequential
      type(surefill_choice), intent(inout) :: choice
      integer(c_int32_t) :: code
    end function surefill_sizing_choose

    !> On how many processors the job starts when this number is free: all that it can use, `most` (at least the
    !! choice's) at most; or with lock_in (1) the number it waited for. processors is 0 when it goes on waiting.
    function surefill_choice_start(choice, free, most, lock_in, processors) bind(c, &
            name='surefill_choice_start') result(code)
      import
      type(surefill_choice), intent(in) :: choice
      integer(c_int32_t), value :: free
      integer(c_int32_t), value :: most
      integer(c_int32_t), value :: lock_in
      integer(c_int32_t), intent(out) :: processors
      integer(c_int32_t) :: code
    end function surefill_choice_start

    !> The name of a constant: family is one of SUREFILL_NAME_, number one of that family's. "unknown" for other
    !! numbers and families. A static string.
    function surefill_name(family, number) bind(c, name='surefill_name') result(string)
      import
      integer(c_int32_t), value :: family
      integer(c_int32_t), value :: number
      type(c_ptr) :: string
    end function surefill_name

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

    !> Number of slots passed to surefill_online_hmm_learn, those not learnt from included.
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

    !> The prediction of surefill_predictor_predict as bins numbers, one for each bin; bins must be the number of
    !! bins. When nothing is predicted, probabilities is not written.
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

    !> The index of a lower bound, see surefill_binomial_upper: the largest k with Pr(Bin(observations, quantile) >=
    !! k) >= confidence.
    function surefill_binomial_lower(observations, quantile, confidence, k) bind(c, &
            name='surefill_binomial_lower') result(code)
      import
      integer(c_int64_t), value :: observations
      real(c_double), value :: quantile
      real(c_double), value :: confidence
      integer(c_int64_t), intent(out) :: k
      integer(c_int32_t) :: code
    end function surefill_binomial_lower

    !> The indices of a lower and an upper bound, see surefill_binomial_upper, that hold together with this
    !! confidence: each is one-sided at (1 + confidence) / 2. Both are 0 when there are too few observations for
    !! either.
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

    !> A lower bound by the binomial method, see surefill_wait_predict. O(log n) and the cost of
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

    !> Fits lifetimes that are uniform in the logarithm between shortest and longest seconds to a history of count
    !! lifetimes in seconds (1e-9 to 2^40), in increasing order: the least-squares line of equation 4 of Downey 1997
    !! through the shares (i - 1/2) / count. O(count).
    function surefill_lifetime_fit(lifetimes, count, shortest, longest) bind(c, &
            name='surefill_lifetime_fit') result(code)
      import
      real(c_double), intent(in) :: lifetimes(*)
      integer(c_int32_t), value :: count
      real(c_double), intent(out) :: shortest
      real(c_double), intent(out) :: longest
      integer(c_int32_t) :: code
    end function surefill_lifetime_fit

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
  end interface

end module surefill_parts
