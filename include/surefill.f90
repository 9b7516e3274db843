!> surefill: probabilistic answers for batch schedulers. Licence: MIT OR Apache-2.0.
!>
!> The functions of surefill.h, which says what they do and which statuses they return, under the same names and with the
!> arguments in the same order. Generated with it; do not edit. What differs in Fortran:
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
      c_null_char, c_null_ptr, c_ptr, c_size_t, c_sizeof
  implicit none

  ! ---- Versions, statuses, sizes of blocks, work in slices ----
  !> Version of this header: major x 1,000,000 + minor x 1,000 + patch.
  integer(c_int32_t), parameter :: SUREFILL_VERSION_NUMBER = 1000_c_int32_t
  !> Version of the binary interface: programs run with every library of the same number, which is in the library's
  !! name and in the version of each symbol. Structures may grow without a change: they say their size.
  integer(c_int32_t), parameter :: SUREFILL_ABI_VERSION = 0_c_int32_t
  !> Success.
  integer(c_int32_t), parameter :: SUREFILL_OK = 0_c_int32_t
  !> A pointer that must not be NULL is NULL.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_NULL = -1_c_int32_t
  !> A pointer is not aligned: 8 bytes for blocks of memory and handles, its type's alignment for everything else.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_MISALIGNED = -2_c_int32_t
  !> The memory is smaller than the size function says.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_TOO_SMALL = -3_c_int32_t
  !> The memory does not hold an object of this type.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_WRONG_OBJECT = -4_c_int32_t
  !> Made by an incompatible version: the object, or a structure with members this library does not know.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_WRONG_VERSION = -5_c_int32_t
  !> The object is damaged.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_CORRUPT = -6_c_int32_t
  !> A capacity fixed at initialisation is reached.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_FULL = -7_c_int32_t
  !> An argument is not a number.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_NOT_A_NUMBER = -8_c_int32_t
  !> An argument is out of range.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_OUT_OF_RANGE = -9_c_int32_t
  !> The call makes no sense at this point.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_WRONG_STATE = -10_c_int32_t
  !> The head job fits the idle processors: start it first.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_HEAD_FITS = -11_c_int32_t
  !> No object has this index.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_NO_SUCH_INDEX = -12_c_int32_t
  !> Nothing to take.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_EMPTY = -13_c_int32_t
  !> With the jobs now running this never happens.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_NEVER = -14_c_int32_t
  !> The object was made on a machine of the other byte order.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_FOREIGN_BYTE_ORDER = -15_c_int32_t
  !> Probabilities that must sum to 1 do not.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_NOT_A_DISTRIBUTION = -16_c_int32_t
  !> A job with this id is in the system already.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_DUPLICATE_JOB = -17_c_int32_t
  !> No job with this id is in the system.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_UNKNOWN_JOB = -18_c_int32_t
  !> An event lies before one already reported.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_TIME_WENT_BACK = -19_c_int32_t
  !> The job has started already.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_ALREADY_STARTED = -20_c_int32_t
  !> The job has not started.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_NOT_STARTED = -21_c_int32_t
  !> More processors than the machine has.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_TOO_MANY_PROCESSORS = -22_c_int32_t
  !> A span of whole seconds (an age, a limit, a run time, a wait) is longer than SUREFILL_MAX_SECONDS.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_SPAN_TOO_LONG = -23_c_int32_t
  !> The running jobs and the idle processors are together more than the machine has.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_OVERFULL = -24_c_int32_t
  !> A placement does not fit what is free on its nodes.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_DOES_NOT_FIT = -25_c_int32_t
  !> Work in slices (decisions of a pass, training, clustering): there is nothing to do for now.
  integer(c_int32_t), parameter :: SUREFILL_STEP_IDLE = 0_c_int32_t
  !> Work in slices: the work allowed for this call is used up; call again to go on.
  integer(c_int32_t), parameter :: SUREFILL_STEP_MORE = 1_c_int32_t
  !> Work in slices: it is complete. Every candidate has its verdict; a round of training is in use; the new clusters
  !! are in use.
  integer(c_int32_t), parameter :: SUREFILL_STEP_DONE = 2_c_int32_t
  !> Decisions of a pass: the candidate given may start; commit or decline it, then call again.
  integer(c_int32_t), parameter :: SUREFILL_STEP_ACCEPT = 3_c_int32_t

  ! ---- Runtime bins ----
  !> The largest number of bins.
  integer(c_int32_t), parameter :: SUREFILL_MAX_BINS = 96_c_int32_t
  !> Bytes of memory that bins need, aligned to 8.
  integer(c_int64_t), parameter :: SUREFILL_BINS_SIZE = 816_c_int64_t
  !> The longest time span any function accepts, in seconds; as a time limit it means "no limit".
  integer(c_int64_t), parameter :: SUREFILL_MAX_SECONDS = 1099511627776_c_int64_t

  ! ---- Distributions of run times ----
  !> Bytes of memory that a distribution needs, aligned to 8.
  integer(c_int64_t), parameter :: SUREFILL_DISTRIBUTION_SIZE = 1600_c_int64_t
  !> The largest number of events into which a bin's probability may be divided.
  integer(c_int32_t), parameter :: SUREFILL_MAX_EVENTS_PER_BIN = 16_c_int32_t

  ! ---- The scheduler: the resource manager's jobs are reported to it, and it offers jobs to start ----
  !> Waiting or held, as was reported last; waiting if the job is unknown.
  integer(c_int32_t), parameter :: SUREFILL_JOB_AS_BEFORE = 0_c_int32_t
  !> It may start if there is room.
  integer(c_int32_t), parameter :: SUREFILL_JOB_WAITING = 1_c_int32_t
  !> It waits but must not start now, for a reason of the manager's (why).
  integer(c_int32_t), parameter :: SUREFILL_JOB_HELD = 2_c_int32_t
  !> It has its room and is being started.
  integer(c_int32_t), parameter :: SUREFILL_JOB_STARTING = 3_c_int32_t
  !> It runs.
  integer(c_int32_t), parameter :: SUREFILL_JOB_RUNNING = 4_c_int32_t
  !> It has started and is stopped; it does not age.
  integer(c_int32_t), parameter :: SUREFILL_JOB_SUSPENDED = 5_c_int32_t
  !> It is over, but what it held is still being cleaned.
  integer(c_int32_t), parameter :: SUREFILL_JOB_ENDING = 6_c_int32_t
  !> It ended by itself, by its limit or by its user. Its run time is learnt.
  integer(c_int32_t), parameter :: SUREFILL_JOB_ENDED = 7_c_int32_t
  !> It ended by a failure or by preemption. Nothing is learnt from it.
  integer(c_int32_t), parameter :: SUREFILL_JOB_BROKEN = 8_c_int32_t
  !> It was withdrawn before it ran.
  integer(c_int32_t), parameter :: SUREFILL_JOB_GONE = 9_c_int32_t
  !> Flag of a job: while it is suspended it holds nothing.
  integer(c_int32_t), parameter :: SUREFILL_FLAG_HOLDS_NOTHING = 1_c_int32_t
  !> Flag of a job: nobody else may be on its nodes.
  integer(c_int32_t), parameter :: SUREFILL_FLAG_EXCLUSIVE = 4_c_int32_t
  !> Flag of a job: several of its tasks may share a node. Without it each is on a node of its own.
  integer(c_int32_t), parameter :: SUREFILL_FLAG_PACKED = 8_c_int32_t
  !> The most kinds of resource, on nodes and of the whole machine.
  integer(c_int32_t), parameter :: SUREFILL_MAX_RESOURCES = 8_c_int32_t
  !> Jobs may start on the node.
  integer(c_int32_t), parameter :: SUREFILL_NODE_UP = 1_c_int32_t
  !> Nobody new may start on it: it is drained, or a stranger has it. Jobs on it go on.
  integer(c_int32_t), parameter :: SUREFILL_NODE_CLOSED = 2_c_int32_t
  !> It is expected to be up at some time: after a restart or a reconfiguration it is not registered yet, or it is
  !! powering up. It counts in every plan and reservation from then on, and nobody starts on it before it is up.
  integer(c_int32_t), parameter :: SUREFILL_NODE_AWAITED = 3_c_int32_t
  !> It is not there.
  integer(c_int32_t), parameter :: SUREFILL_NODE_DOWN = 4_c_int32_t
  !> An offer: start this job, or refuse to. Until it is refused it counts as started for the rest of the cycle.
  integer(c_int32_t), parameter :: SUREFILL_ACT_START = 2_c_int32_t
  !> In shadow mode: the rule would start this job now. It is said once of a job, and not answered.
  integer(c_int32_t), parameter :: SUREFILL_ACT_WOULD_START = 3_c_int32_t
  !> Nothing more starts. Steps below this one that a program does not know it passes by.
  integer(c_int32_t), parameter :: SUREFILL_ACT_DONE = 64_c_int32_t
  !> There is less room than the cycle thought, or the settings have changed: begin another.
  integer(c_int32_t), parameter :: SUREFILL_ACT_STALE = 65_c_int32_t
  !> Refused for want of room: the job keeps its place, and is offered again when its pool has changed; the third time
  !! in a row it lets others pass.
  integer(c_int32_t), parameter :: SUREFILL_REFUSED_BUSY = 1_c_int32_t
  !> Refused by a limit of the manager's: it is others' turn for some time.
  integer(c_int32_t), parameter :: SUREFILL_REFUSED_NOT_NOW = 2_c_int32_t
  !> Refused for ever, unless the job is changed.
  integer(c_int32_t), parameter :: SUREFILL_REFUSED_NEVER = 4_c_int32_t
  !> No reason is known.
  integer(c_int32_t), parameter :: SUREFILL_WHY_UNKNOWN = 0_c_int32_t
  !> It starts in the order of submission.
  integer(c_int32_t), parameter :: SUREFILL_WHY_IN_ORDER = 1_c_int32_t
  !> It starts because the cheapest plan of the whole queue has it start now.
  integer(c_int32_t), parameter :: SUREFILL_WHY_PLANNED = 2_c_int32_t
  !> It starts ahead of others that by the time limits it does not delay.
  integer(c_int32_t), parameter :: SUREFILL_WHY_BY_LIMITS = 3_c_int32_t
  !> It waits: there is no room.
  integer(c_int32_t), parameter :: SUREFILL_WHY_NO_ROOM = 16_c_int32_t
  !> It waits, and is in front of everybody: others must not delay it.
  integer(c_int32_t), parameter :: SUREFILL_WHY_HEAD = 17_c_int32_t
  !> It waits: there is room, but starting it now would cost others more.
  integer(c_int32_t), parameter :: SUREFILL_WHY_LATER = 18_c_int32_t
  !> It waits: it could delay the job that is in front of everybody.
  integer(c_int32_t), parameter :: SUREFILL_WHY_GUARDED = 19_c_int32_t
  !> It waits: the resource manager refused to start it.
  integer(c_int32_t), parameter :: SUREFILL_WHY_REFUSED = 20_c_int32_t
  !> It waits: jobs hold more than the pool has, and nobody passes the first one.
  integer(c_int32_t), parameter :: SUREFILL_WHY_INCONSISTENT = 21_c_int32_t
  !> It can never start: the pool is too small, or has no nodes such as it wants.
  integer(c_int32_t), parameter :: SUREFILL_WHY_NEVER = 22_c_int32_t
  !> It waits: nodes are out of service that it needs.
  integer(c_int32_t), parameter :: SUREFILL_WHY_NODES_OUT = 23_c_int32_t
  !> It waits: reservations keep it off its nodes, or its own has not begun.
  integer(c_int32_t), parameter :: SUREFILL_WHY_RESERVED = 24_c_int32_t
  !> It waits: the licences that it wants are in use, or are fewer than it wants.
  integer(c_int32_t), parameter :: SUREFILL_WHY_LICENCES = 25_c_int32_t
  !> It waits behind those that were planned: what is idle is theirs.
  integer(c_int32_t), parameter :: SUREFILL_WHY_DEPTH = 26_c_int32_t
  !> The manager holds it. Time held is not time waited; nor is it with the next two.
  integer(c_int32_t), parameter :: SUREFILL_WHY_HOLD = 48_c_int32_t
  !> It depends on other jobs.
  integer(c_int32_t), parameter :: SUREFILL_WHY_DEPENDENCY = 49_c_int32_t
  !> Its time has not come.
  integer(c_int32_t), parameter :: SUREFILL_WHY_BEGIN = 50_c_int32_t
  !> It is held by a limit on its user, account or queue. Time held is time waited; so it is with the next ones.
  integer(c_int32_t), parameter :: SUREFILL_WHY_LIMIT = 51_c_int32_t
  !> It could not end before its deadline.
  integer(c_int32_t), parameter :: SUREFILL_WHY_DEADLINE = 52_c_int32_t
  !> Its queue is closed.
  integer(c_int32_t), parameter :: SUREFILL_WHY_QUEUE_CLOSED = 53_c_int32_t
  !> Another reason of the manager's.
  integer(c_int32_t), parameter :: SUREFILL_WHY_OTHER = 54_c_int32_t
  !> Enough tasks of its array run at once. The scheduler says it too, of a throttled array.
  integer(c_int32_t), parameter :: SUREFILL_WHY_ARRAY = 55_c_int32_t
  !> The most scenarios of a forecast of starts.
  integer(c_int32_t), parameter :: SUREFILL_MAX_START_SCENARIOS = 64_c_int32_t

  !> Capacities of a scheduler. Set by surefill_scheduler_capacity_init, then changed as needed.
  type, bind(c) :: surefill_scheduler_capacity
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Jobs that wait or run (1 to 1,048,576).
    integer(c_int32_t) :: jobs
    !> Jobs that are over but that the manager may still list (at most 1,048,576).
    integer(c_int32_t) :: ended
    !> Pools (1 to 63).
    integer(c_int32_t) :: pools
    !> Queues (1 to 63).
    integer(c_int32_t) :: queues
    !> Histories of like jobs that the predictor keeps (at most 16,777,216); 0 for no predictor, on small machines:
    !! every job then runs to its limit.
    integer(c_int32_t) :: histories
    !> Waits remembered of each pool (1 to 4,194,304).
    integer(c_int32_t) :: waits
    !> Run-time bins (2 to SUREFILL_MAX_BINS).
    integer(c_int32_t) :: bins
    !> Submissions remembered, by which a forecast of starts foresees later ones (at most 1,048,576; 0 for none).
    integer(c_int32_t) :: arrivals
    !> Nodes, by the largest number and 1 more (at most 65,535); 0 where all pools have counted units. With nodes
    !! there is room for at most 262,144 jobs.
    integer(c_int32_t) :: nodes
    !> Kinds of resource on a node (1 to SUREFILL_MAX_RESOURCES), processors first.
    integer(c_int32_t) :: kinds
    !> Pairs of a job and a node on which it holds something (at most 2,097,152).
    integer(c_int32_t) :: parts
    !> Reservations of nodes (at most 64).
    integer(c_int32_t) :: reservations
  end type surefill_scheduler_capacity

  !> A node, as the resource manager reports it. Zero it first: 0 is none, unknown or the default.
  type, bind(c) :: surefill_node
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> One of SUREFILL_NODE_.
    integer(c_int32_t) :: state
    !> Its name (surefill_hash): another name under the same number is another node.
    integer(c_int64_t) :: name
    !> Of an awaited node: until when it is awaited; then it is down. 0 for as long as the word grace says.
    integer(c_int64_t) :: until
    !> Its features: bits of the site's own meaning.
    integer(c_int64_t) :: features
    !> Its amounts, kind by kind, processors first.
    integer(c_int32_t) :: amounts(8)
  end type surefill_node

  !> A reservation of nodes: who may not use it ends before it begins, by the time limit, or is elsewhere.
  type, bind(c) :: surefill_reservation
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Of which pool.
    integer(c_int32_t) :: pool
    !> By which jobs name it; not 0.
    integer(c_int64_t) :: key
    !> When it begins.
    integer(c_int64_t) :: from
    !> When it ends; 0 and there is no such reservation any more.
    integer(c_int64_t) :: to
    !> Its nodes.
    type(c_ptr) :: nodes
    !> How many they are.
    integer(c_int32_t) :: node_count
    !> 0.
    integer(c_int32_t) :: reserved
  end type surefill_reservation

  !> Some of a job's tasks, on one node.
  type, bind(c) :: surefill_part
    !> The node, from 0.
    integer(c_int32_t) :: node
    !> Tasks on it, at least 1; exactly 1 with SUREFILL_SPREAD_NODES.
    integer(c_int32_t) :: tasks
  end type surefill_part

  !> A job, as the resource manager reports it. Zero it first: 0 is none, unknown or the default. Of a job that is
  !! over id, state and ran are enough.
  type, bind(c) :: surefill_job
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> One of SUREFILL_JOB_: the manager's word, whatever the scheduler thought.
    integer(c_int32_t) :: state
    !> Which job; not 0.
    integer(c_int64_t) :: id
    !> Its user, as a number (surefill_hash of a name).
    integer(c_int64_t) :: user
    !> When it was submitted; 0 for now. Another time under the same id is another job.
    integer(c_int64_t) :: submit
    !> It is held until then.
    integer(c_int64_t) :: begin
    !> When its present run started.
    integer(c_int64_t) :: start
    !> Its time limit in seconds.
    integer(c_int64_t) :: limit
    !> How long it has run without suspensions, in seconds; 0 for the time since start.
    integer(c_int64_t) :: ran
    !> The site's priority, larger first.
    real(c_double) :: priority
    !> Jobs of a higher tier never wait for those of a lower one.
    integer(c_int32_t) :: tier
    !> Processors, nodes or other units that it wants, in a pool of nodes tasks; at least 1.
    integer(c_int32_t) :: count
    !> Units that it holds, where these are others than it wanted; in a pool of nodes its processors, by which it is
    !! known as wide, where these are others than its tasks take of the first kind of resource.
    integer(c_int32_t) :: units
    !> How often it was put back into the queue.
    integer(c_int32_t) :: restarts
    !> Of an array: tasks that wait; 0 for 1.
    integer(c_int32_t) :: tasks
    !> Of these, how many may start now; 0 for all.
    integer(c_int32_t) :: at_once
    !> Why it is held: one of SUREFILL_WHY_ from SUREFILL_WHY_HOLD on.
    integer(c_int32_t) :: why
    !> SUREFILL_FLAG_, added up.
    integer(c_int32_t) :: flags
    !> How many queues follow.
    integer(c_int32_t) :: queue_count
    !> The queues in which it may start, or did, all of one pool.
    integer(c_int32_t) :: queues(8)
    !> 0.
    integer(c_int32_t) :: reserved
    !> Its predicted run time, if the program predicts it, in the default bins; NULL for the scheduler's own
    !! prediction.
    type(c_ptr) :: prediction
    !> The features that its nodes have, all of them. From here on all is for pools of nodes, and 0 in others.
    integer(c_int64_t) :: features
    !> Of these features its nodes have at least one; 0 if that does not matter.
    integer(c_int64_t) :: any
    !> Its nodes have none of these.
    integer(c_int64_t) :: without
    !> The key of the reservation in which it runs.
    integer(c_int64_t) :: reservation
    !> Amounts that a task takes of its node, kind by kind, processors first.
    integer(c_int32_t) :: each(8)
    !> The licences that the whole job takes, kind by kind.
    integer(c_int32_t) :: licences(8)
    !> The nodes that it holds, in increasing order, with its tasks on each, from now on; NULL for those that it held
    !! before, and of a job that holds nothing.
    type(c_ptr) :: parts
    !> How many they are.
    integer(c_int32_t) :: part_count
    !> 0.
    integer(c_int32_t) :: reserved_too
  end type surefill_job

  !> Counts of events since the block was made.
  type, bind(c) :: surefill_totals
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Jobs that wait or are held now.
    integer(c_int32_t) :: waiting
    !> Jobs that hold room now.
    integer(c_int32_t) :: running
    !> 0.
    integer(c_int32_t) :: reserved
    !> Jobs submitted.
    integer(c_int64_t) :: submitted
    !> Jobs started.
    integer(c_int64_t) :: started
    !> Jobs ended, whose run times were learnt.
    integer(c_int64_t) :: ended
    !> Jobs that a failure or preemption ended, or that left the listings while they ran.
    integer(c_int64_t) :: broken
    !> Jobs withdrawn before they ran.
    integer(c_int64_t) :: withdrawn
    !> Jobs put back into the queue.
    integer(c_int64_t) :: requeued
    !> Offers that the manager refused.
    integer(c_int64_t) :: refused
    !> Jobs that went from one state to another as no manager should report.
    integer(c_int64_t) :: surprises
    !> Times the clock was set back by more than a minute.
    integer(c_int64_t) :: clock_set_back
    !> Events of jobs that were not known and not described.
    integer(c_int64_t) :: unknown_jobs
    !> Listings that were doubted, because too many jobs with room were missing in them.
    integer(c_int64_t) :: doubted
  end type surefill_totals

  !> An action that a cycle asks for.
  type, bind(c) :: surefill_action
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> One of SUREFILL_ACT_. What follows is for SUREFILL_ACT_START and SUREFILL_ACT_WOULD_START, else 0.
    integer(c_int32_t) :: step
    !> Which job; of an array, the array.
    integer(c_int64_t) :: job
    !> The waiting job that it passes, the first in the order of submission; 0 for none.
    integer(c_int64_t) :: head
    !> The offer's number, by which it is answered.
    integer(c_int32_t) :: number
    !> A queue of the job's.
    integer(c_int32_t) :: queue
    !> Units that it takes, or tasks on nodes (surefill_cycle_parts).
    integer(c_int32_t) :: count
    !> Why it starts: one of SUREFILL_WHY_.
    integer(c_int32_t) :: why
  end type surefill_action

  !> The reason for which a waiting job does not run, and its planned start. Times are in the scheduler's time.
  type, bind(c) :: surefill_reason
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> The reason: one of SUREFILL_WHY_ from SUREFILL_WHY_NO_ROOM on; SUREFILL_WHY_PLANNED for a job that starts now,
    !! and SUREFILL_WHY_UNKNOWN for one about which nothing was decided since it was reported or changed.
    integer(c_int32_t) :: why
    !> Which job.
    integer(c_int64_t) :: job
    !> The waiting job whose start it must not delay; 0 for none. While a job that has waited too long is in front of
    !! everybody it is that one; else, for a job planned for later, the first of the plan that starts later than now.
    integer(c_int64_t) :: head
    !> When that was asked: spans of a sentence begin there.
    integer(c_int64_t) :: now
    !> The planned start; 0 where nothing is planned of it. It is a plan, not a promise.
    integer(c_int64_t) :: start
    !> When it has room if all that run do so to their limits: of the job that is in front of everybody, in a pool of
    !! counted units; else 0.
    integer(c_int64_t) :: by_limits
    !> When the reason ends by itself (a begin time, a refusal, the beginning of its reservation); 0 if it does not.
    integer(c_int64_t) :: until
    !> The price of starting it now, where it fits and is planned for later: by how many seconds its own wait would be
    !! shorter; 0 where that is not known.
    integer(c_int64_t) :: saved
    !> By how many seconds the planned waits of the others would be longer, all together; below 0: shorter.
    integer(c_int64_t) :: others
    !> Its place among those that wait, by their planned starts, the first 1; 0 without a planned start.
    integer(c_int32_t) :: place
    !> Tasks of an array that wait; 1 for a job.
    integer(c_int32_t) :: tasks
    !> Processors (or other units) that it wants.
    integer(c_int32_t) :: wanted
    !> Those of its pool that are idle once those have started that do.
    integer(c_int32_t) :: idle
    !> All of its pool.
    integer(c_int32_t) :: units
    !> 0.
    integer(c_int32_t) :: reserved
  end type surefill_reason

  !> The predicted start of a waiting job.
  type, bind(c) :: surefill_start
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> 1 if the start may lie later than the last instant: longer waits are not known.
    integer(c_int32_t) :: capped
    !> The instants by which the job starts with probability .05, .25, .5, .75 and .95, in the scheduler's time, not
    !! decreasing. People plan by the fourth: three of four jobs have started by then.
    integer(c_int64_t) :: by(5)
  end type surefill_start

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
  !> Verdict: accepted, but the caller could not start it.
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
    !> Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN): 4 unless changed. A
    !! program that works by a preset copies the preset's number, which may be another, to here.
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
    !> Not 0: delays are computed no further than the verdicts need; without or_easy it does nothing. That of what
    !! or_easy accepts is left unmeasured (SUREFILL_DELAY_NOT_MEASURED) and not spent. Where the head job lacks 2,048
    !! processors and more (in units of the widths' common divisor), bounds by coarse widths that settle a verdict are
    !! reported: at most this where accepted (SUREFILL_DELAY_AT_MOST, and spent), at least this where refused. The
    !! decisions are the same. A finite budget or slip needs every delay: with one, all are measured. 0 by default.
    integer(c_int32_t) :: unmeasured
  end type surefill_rule

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

  !> What a forecast plays. Set by surefill_forecast_options_init, then changed as needed.
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
    !> How many scenarios are played (2 to the capacity).
    integer(c_int32_t) :: scenarios
    !> The seed of the run times; any number.
    integer(c_int64_t) :: seed
    !> The confidence of the half-widths (above 0, below 1).
    real(c_double) :: confidence
    !> The queue's order, anew in each pass, as in surefill_preset; with no power but 0 and an infinite front the
    !! order in which waiting jobs are added, which also decides between equal ones. Medians are those of the
    !! forecast.
    real(c_double) :: queue_run_time
    !> As in surefill_preset.
    real(c_double) :: queue_processors
    !> As in surefill_preset.
    real(c_double) :: queue_age_unit
    !> As in surefill_preset.
    real(c_double) :: queue_age
    !> With SUREFILL_ORDER_PRIORITY: the candidates' order, likewise.
    real(c_double) :: candidate_run_time
    !> As queue_processors.
    real(c_double) :: candidate_processors
    !> As queue_age_unit.
    real(c_double) :: candidate_age_unit
    !> As queue_age.
    real(c_double) :: candidate_age
    !> Jobs that have waited for more seconds come first in the queue, by submission; not negative, infinite for
    !! never.
    real(c_double) :: front
    !> With one reservation: a candidate may also start that is planned to delay the head job by less than this part
    !! of what the head job still has to wait; not negative, 0 for none.
    real(c_double) :: slack
  end type surefill_forecast_options

  ! ---- The order of the queue, long waits, and presets ----
  !> Preset: EASY backfilling by the time limits, in the order of submission.
  integer(c_int32_t), parameter :: SUREFILL_PRESET_EASY = 0_c_int32_t
  !> Preset: the lower bound of the delay probability below 0.05 by Nissimov and Feitelson 2007, in the order of
  !! submission. For comparison with their tables: waits get longer than EASY's.
  integer(c_int32_t), parameter :: SUREFILL_PRESET_PAPERS = 1_c_int32_t
  !> Preset: the delay rule, shorter waits than EASY's whose longest ones hardly rise. The plan of surefill_scheduler
  !! gains more.
  integer(c_int32_t), parameter :: SUREFILL_PRESET_DELAY = 2_c_int32_t
  !> Preset: the delay rule for the shortest mean wait, at the price of some long ones.
  integer(c_int32_t), parameter :: SUREFILL_PRESET_DELAY_FAST = 3_c_int32_t

  !> Everything that makes a schedule, beside the predictor. Set by surefill_preset_init, then changed as needed.
  type, bind(c) :: surefill_preset
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> The rule's: one of SUREFILL_CRITERION_.
    integer(c_int32_t) :: criterion
    !> The rule's.
    real(c_double) :: threshold
    !> The rule's.
    real(c_double) :: budget
    !> The rule's.
    real(c_double) :: slip
    !> The rule's.
    integer(c_int32_t) :: or_easy
    !> Events into which a bin's probability is divided. It counts only where the program copies it to the pass's
    !! capacity, whose own default is another.
    integer(c_int32_t) :: events_per_bin
    !> The quantile of recent waits from which the head job is guarded; not negative, 1 for never, 0 for always.
    real(c_double) :: guard_quantile
    !> The quantile of recent waits beyond which a job comes to the front of the queue, by submission; above 0, 1 for
    !! never.
    real(c_double) :: front_quantile
    !> What counts as a long wait at least, in seconds: neither guard nor front begin earlier. Not negative.
    real(c_double) :: shortest_long_wait
    !> How many waits surefill_recent_waits_init makes room for (1 to 4,194,304).
    integer(c_int32_t) :: recent_waits
    !> The rule's: not 0 but in papers. Set it to 0 to be told the delay of every candidate itself.
    integer(c_int32_t) :: unmeasured
    !> The queue's order: the power of the predicted run time (-8 to 8), above 0 for short jobs first.
    real(c_double) :: queue_run_time
    !> The power of the processors (-8 to 8), below 0 for wide jobs first.
    real(c_double) :: queue_processors
    !> The wait that counts as one, in seconds, above 0.
    real(c_double) :: queue_age_unit
    !> The power of the age (0 to 8).
    real(c_double) :: queue_age
    !> The candidates' order, likewise.
    real(c_double) :: candidate_run_time
    !> As queue_processors.
    real(c_double) :: candidate_processors
    !> As queue_age_unit.
    real(c_double) :: candidate_age_unit
    !> As queue_age.
    real(c_double) :: candidate_age
  end type surefill_preset

  ! ---- The inbox, by which threads hand job events to another without a lock ----
  !> The most events that an inbox can hold.
  integer(c_int32_t), parameter :: SUREFILL_MAX_INBOX_EVENTS = 1048576_c_int32_t
  !> A job was submitted.
  integer(c_int32_t), parameter :: SUREFILL_EVENT_SUBMIT = 1_c_int32_t
  !> A job was started.
  integer(c_int32_t), parameter :: SUREFILL_EVENT_START = 2_c_int32_t
  !> A job ended.
  integer(c_int32_t), parameter :: SUREFILL_EVENT_END = 3_c_int32_t
  !> A job was cancelled before it started.
  integer(c_int32_t), parameter :: SUREFILL_EVENT_CANCEL = 4_c_int32_t

  !> Capacities of an inbox. Set by surefill_inbox_capacity_init, then changed as needed.
  type, bind(c) :: surefill_inbox_capacity
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Events that are held at once (1 to SUREFILL_MAX_INBOX_EVENTS), rounded up to a power of two from 2 on.
    integer(c_int32_t) :: events
  end type surefill_inbox_capacity

  !> Something that happened to a job. The inbox hands it on as it is.
  type, bind(c) :: surefill_job_event
    !> One of SUREFILL_EVENT_.
    integer(c_int32_t) :: kind
    !> Processors, not negative.
    integer(c_int32_t) :: processors
    !> The resource manager's number for the job.
    integer(c_int64_t) :: job
    !> When it happened, in seconds since any fixed origin.
    integer(c_int64_t) :: time
    !> The job's time limit in seconds.
    integer(c_int64_t) :: limit
    !> The resource manager's number for the user.
    integer(c_int64_t) :: user
    !> A number for the job's name or program, 0 for unknown.
    integer(c_int64_t) :: name
  end type surefill_job_event

  ! ---- How long jobs will run ----
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
  !> How many seconds earlier than the last event an event may be that surefill_predictor_apply takes.
  integer(c_int32_t), parameter :: SUREFILL_MAX_LATE_SECONDS = 60_c_int32_t
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
    !> How many jobs everybody's distribution counts as: above 0, at most 1e9.
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
    !! or its end may have got lost. Nothing waits for it any more, what it says as long as it runs is no longer
    !! heard, and when there is no room for a new job the oldest of them makes room. If it ends after all it is learnt
    !! from, but for a model learnt on line. To be longer than jobs wait and run together.
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
    !> What termination compares with: a whole number of rounds (at least 1), or epsilon (not negative).
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
    !> What happens when no possible state explains a slot, in a bin that none has seen for example (0 to below 1).
    !! With 0, the thesis's rule, the predictor is silent until it has learnt from that slot; else the slot is taken
    !! as if every state had drawn any bin with this probability.
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
    !> How many keys it has.
    integer(c_int32_t) :: key_count
    !> The keys with which it was submitted, by custom the user, the limit and the processors, so that a list of what
    !! runs can be made again; none with a hidden Markov model. Of a wait predictor's jobs the requested seconds and
    !! the processors.
    integer(c_int64_t) :: keys(8)
  end type surefill_held_job

  !> What a round of Baum-Welch did.
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
  !! again, from the waits that are remembered then: the one whose clusters raise the criterion of
  !! surefill_wait_explained most. Until the first choice, and among equals, it is the one in use, at first the
  !! requested run time. surefill_wait_clustered_by tells which. A clustering takes three times as long.
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
  !! work ahead, the oldest wait, the last waits, the hour, and what surefill_wait_machine tells. It takes the place
  !! of TRIM and CLUSTER.
  integer(c_int32_t), parameter :: SUREFILL_COMPONENT_VISIBLE = 16_c_int32_t
  !> Answer: a bound.
  integer(c_int32_t), parameter :: SUREFILL_ANSWER_BOUND = 0_c_int32_t
  !> Answer: no prediction, as too few waits are known for this quantile and confidence.
  integer(c_int32_t), parameter :: SUREFILL_ANSWER_TOO_LITTLE_HISTORY = 1_c_int32_t
  !> Answer: no prediction, as no job has been started for an unusually long time, or while unusually many arrived:
  !! the machine may be down.
  integer(c_int32_t), parameter :: SUREFILL_ANSWER_MAY_BE_DOWN = 2_c_int32_t

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

  !> How a wait predictor predicts. Set by surefill_wait_options_init, then changed as needed.
  type, bind(c) :: surefill_wait_options
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> One of SUREFILL_METHOD_.
    integer(c_int32_t) :: method
    !> One of SUREFILL_ATTRIBUTE_: what jobs are clustered by.
    integer(c_int32_t) :: attribute
    !> The sum of SUREFILL_COMPONENT_ that are on; 0 for none.
    integer(c_int32_t) :: components
    !> The options' own question, which surefill_wait_submit answers and by which misses are told and histories
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
    !> Bins of the distributions (0 to SUREFILL_MAX_BINS; 0 when all lifetimes are log-uniform).
    integer(c_int32_t) :: bins
    !> Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN).
    integer(c_int32_t) :: events_per_bin
  end type surefill_sizing_capacity

  !> What decides a choice. Set by surefill_choice_options_init, then changed as needed.
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
    !> How many: at most the idle ones when it should start now.
    integer(c_int32_t) :: processors
    !> The predicted wait for them in seconds, corrected; 0 when it should start now.
    real(c_double) :: wait
    !> The wait before correction: what surefill_correction_record wants to know.
    real(c_double) :: predicted
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
  !> Family of constants: SUREFILL_PRESET_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_PRESET = 3_c_int32_t
  !> Family of constants: SUREFILL_DELAY_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_DELAY = 4_c_int32_t
  !> Family of constants: SUREFILL_DELAY_ as a sign to be put before the delay: "=", ">=", "<=", "~" or "?".
  integer(c_int32_t), parameter :: SUREFILL_NAME_DELAY_SIGN = 5_c_int32_t
  !> Family of constants: SUREFILL_ANSWER_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_ANSWER = 6_c_int32_t
  !> Family of constants: SUREFILL_EVENT_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_EVENT = 7_c_int32_t
  !> Family of constants: SUREFILL_PREDICTION_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_PREDICTION = 8_c_int32_t
  !> Family of constants: SUREFILL_PREDICTOR_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_PREDICTOR = 9_c_int32_t
  !> Family of constants: SUREFILL_FIT_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_FIT = 10_c_int32_t
  !> Family of constants: SUREFILL_SPREAD_.
  integer(c_int32_t), parameter :: SUREFILL_NAME_SPREAD = 11_c_int32_t

  interface

    !> The version of the library that is linked, to be compared with SUREFILL_VERSION_NUMBER.
    function surefill_linked_version_number() bind(c, name='surefill_version_number') result(code)
      import
      integer(c_int32_t) :: code
    end function surefill_linked_version_number

    !> The ABI version of the library that is linked, to be compared with SUREFILL_ABI_VERSION.
    function surefill_linked_abi_version() bind(c, name='surefill_abi_version') result(code)
      import
      integer(c_int32_t) :: code
    end function surefill_linked_abi_version

    !> Bytes of the block of any object, by its handle: what is to be written to a file once it is sealed. It looks at
    !! the first 24 bytes alone, so that it also says of a file that begins with these how much memory it needs. O(1).
    function surefill_block_size(block, size) bind(c, name='surefill_block_size') result(code)
      import
      type(c_ptr), value :: block
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_block_size

    !> The name of a status, "SUREFILL_ERROR_FULL" for example; "unknown status" for other numbers. A static string.
    function surefill_status_name(status) bind(c, name='surefill_status_name') result(string)
      import
      integer(c_int32_t), value :: status
      type(c_ptr) :: string
    end function surefill_status_name

    !> One sentence on a status, in English, without a full stop. A static string.
    function surefill_status_text(status) bind(c, name='surefill_status_text') result(string)
      import
      integer(c_int32_t), value :: status
      type(c_ptr) :: string
    end function surefill_status_text

    !> Makes bins in the caller's memory (length bytes, at least SUREFILL_BINS_SIZE, aligned to 8): first edge in
    !! seconds (above 0), ratio of neighbouring edges (above 1), number of bins (1 to SUREFILL_MAX_BINS, the open one
    !! included). The papers' ratio is 1.8.
    function surefill_bins_init(memory, length, first, ratio, count, bins) bind(c, &
            name='surefill_bins_init') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      real(c_double), value :: first
      real(c_double), value :: ratio
      integer(c_int32_t), value :: count
      type(c_ptr), intent(out) :: bins
      integer(c_int32_t) :: code
    end function surefill_bins_init

    !> Makes the papers' bins: ratio 1.8, first edge 1.5 s, 24 bins, the last from 7.2 days.
    function surefill_bins_init_default(memory, length, bins) bind(c, name='surefill_bins_init_default') &
            result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: bins
      integer(c_int32_t) :: code
    end function surefill_bins_init_default

    !> Makes the distribution proportional to count numbers, one for each bin, none negative. When all are zero
    !! nothing is known: the job is expected to run to its limit.
    function surefill_distribution_init_counts(memory, length, bins, counts, count, distribution) bind(c, &
            name='surefill_distribution_init_counts') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), value :: bins
      real(c_double), intent(in) :: counts(*)
      integer(c_int32_t), value :: count
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: code
    end function surefill_distribution_init_counts

    !> Makes the distribution of count samples: run times in seconds (0 to SUREFILL_MAX_SECONDS) with weights, none
    !! negative; weights may be NULL, then every sample weighs 1. Without any weight nothing is known: the job is
    !! expected to run to its limit. O(count x log of the number of bins).
    function surefill_distribution_init_samples(memory, length, bins, runtimes, weights, count, &
            distribution) bind(c, name='surefill_distribution_init_samples') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), value :: bins
      integer(c_int64_t), intent(in) :: runtimes(*)
      type(c_ptr), value :: weights
      integer(c_int32_t), value :: count
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: code
    end function surefill_distribution_init_samples

    !> Makes a prediction of one value, in seconds (0 to SUREFILL_MAX_SECONDS).
    function surefill_distribution_init_single(memory, length, seconds, distribution) bind(c, &
            name='surefill_distribution_init_single') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      integer(c_int64_t), value :: seconds
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: code
    end function surefill_distribution_init_single

    !> The remaining run time in seconds (at least 1) that a job of this age under this limit (both in seconds, 0 to
    !! SUREFILL_MAX_SECONDS) exceeds with probability at most 1 - quantile (0 to 1). What is predicted beyond the
    !! limit is at the limit, as jobs that use up their limits are. O(bins).
    function surefill_distribution_quantile(distribution, quantile, age, limit, seconds) bind(c, &
            name='surefill_distribution_quantile') result(code)
      import
      type(c_ptr), value :: distribution
      real(c_double), value :: quantile
      integer(c_int64_t), value :: age
      integer(c_int64_t), value :: limit
      integer(c_int64_t), intent(out) :: seconds
      integer(c_int32_t) :: code
    end function surefill_distribution_quantile

    !> A number for a name: FNV-1a with 64 bits of its bytes. NULL and negative lengths are empty names. O(length).
    function surefill_hash(text, length) bind(c, name='surefill_hash') result(code)
      import
      type(c_ptr), value :: text
      integer(c_int64_t), value :: length
      integer(c_int64_t) :: code
    end function surefill_hash

    !> Sets a capacity for this number of jobs that wait or run, and as many that are over. The rest is what a site's
    !! machine can spare: 8 MB of histories, 460 kB of waits a pool. O(1).
    function surefill_scheduler_capacity_init(capacity, jobs, size) bind(c, &
            name='surefill_scheduler_capacity_init') result(code)
      import
      type(surefill_scheduler_capacity), intent(out) :: capacity
      integer(c_int32_t), value :: jobs
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_scheduler_capacity_init

    !> Bytes of memory that a scheduler with this capacity needs.
    function surefill_scheduler_size(capacity, size) bind(c, name='surefill_scheduler_size') result(code)
      import
      type(surefill_scheduler_capacity), intent(in) :: capacity
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_scheduler_size

    !> Makes a scheduler with default settings that knows nothing, in the caller's memory (length bytes, at least
    !! surefill_scheduler_size, aligned to 8). O(size).
    function surefill_scheduler_init(memory, length, capacity, scheduler) bind(c, &
            name='surefill_scheduler_init') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_scheduler_capacity), intent(in) :: capacity
      type(c_ptr), intent(out) :: scheduler
      integer(c_int32_t) :: code
    end function surefill_scheduler_init

    !> The scheduler goes on in a larger block, with all that it knows; the old one stays as it is. An open cycle goes
    !! on with the new handle. Jobs, ended ones, pools and queues may be more; the rest is as it was. O(size).
    function surefill_scheduler_grow(old, memory, length, capacity, scheduler) bind(c, &
            name='surefill_scheduler_grow') result(code)
      import
      type(c_ptr), value :: old
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_scheduler_capacity), intent(in) :: capacity
      type(c_ptr), intent(out) :: scheduler
      integer(c_int32_t) :: code
    end function surefill_scheduler_grow

    !> Makes the block a checkpoint, surefill_scheduler_size bytes from the handle on, by writing its checksum. Any
    !! later call that changes it breaks the seal. O(size).
    function surefill_scheduler_seal(scheduler) bind(c, name='surefill_scheduler_seal') result(code)
      import
      type(c_ptr), value :: scheduler
      integer(c_int32_t) :: code
    end function surefill_scheduler_seal

    !> Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
    !! surefill_scheduler_seal left it. The next listing is not doubted. O(size).
    function surefill_scheduler_open(memory, length, scheduler) bind(c, name='surefill_scheduler_open') &
            result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: scheduler
      integer(c_int32_t) :: code
    end function surefill_scheduler_open

    !> Writes what a scheduler has room for: of one that was opened, what it was made or has grown for. O(1).
    function surefill_scheduler_capacity_of(scheduler, capacity) bind(c, &
            name='surefill_scheduler_capacity_of') result(code)
      import
      type(c_ptr), value :: scheduler
      type(surefill_scheduler_capacity), intent(inout) :: capacity
      integer(c_int32_t) :: code
    end function surefill_scheduler_capacity_of

    !> Changes the settings that these words name (length bytes, apart by blanks, commas or pluses), such as
    !! "preset=fast proposals=25": preset (fair, fast, easy), mode (on, shadow), order (ties, priority, free),
    !! seconds, predictor (contexts, limit), the plan's short, steep, long, front, proposals, budget, slack, cut and
    !! running; grace, settle and refused in seconds; seed. With a prefix (NULL or "" for none) only words that begin
    !! with it are looked at, without it. A word that is not understood is an error, nothing is changed, and message
    !! (room bytes, zero at its end) says which it is and what it should be; else message is empty.
    function surefill_scheduler_configure(scheduler, words, length, prefix, message, room) bind(c, &
            name='surefill_scheduler_configure') result(code)
      import
      type(c_ptr), value :: scheduler
      type(c_ptr), value :: words
      integer(c_int64_t), value :: length
      type(c_ptr), value :: prefix
      type(c_ptr), value :: message
      integer(c_int64_t), value :: room
      integer(c_int32_t) :: code
    end function surefill_scheduler_configure

    !> Writes all settings that are in effect as words that surefill_scheduler_configure reads, with a zero byte at
    !! their end.
    function surefill_scheduler_words(scheduler, words, room) bind(c, name='surefill_scheduler_words') &
            result(code)
      import
      type(c_ptr), value :: scheduler
      type(c_ptr), value :: words
      integer(c_int64_t), value :: room
      integer(c_int32_t) :: code
    end function surefill_scheduler_words

    !> Sets a node of a pool of nodes: what is said of it holds from now on. Its number is below the capacity's nodes;
    !! pool -1 takes the node away, and node may be NULL then. O(1).
    function surefill_scheduler_set_node(scheduler, pool, number, node) bind(c, &
            name='surefill_scheduler_set_node') result(code)
      import
      type(c_ptr), value :: scheduler
      integer(c_int32_t), value :: pool
      integer(c_int32_t), value :: number
      type(surefill_node), intent(in) :: node
      integer(c_int32_t) :: code
    end function surefill_scheduler_set_node

    !> A queue's jobs start on these nodes of its pool alone; NULL for all of them, as it is at first. O(nodes).
    function surefill_scheduler_set_queue_nodes(scheduler, queue, nodes, length) bind(c, &
            name='surefill_scheduler_set_queue_nodes') result(code)
      import
      type(c_ptr), value :: scheduler
      integer(c_int32_t), value :: queue
      integer(c_int32_t), intent(in) :: nodes
      integer(c_int32_t), value :: length
      integer(c_int32_t) :: code
    end function surefill_scheduler_set_queue_nodes

    !> Sets a reservation of nodes, the one of this pool and key as it is from now on; to 0 takes it away. O(nodes).
    function surefill_scheduler_set_reservation(scheduler, reservation) bind(c, &
            name='surefill_scheduler_set_reservation') result(code)
      import
      type(c_ptr), value :: scheduler
      type(surefill_reservation), intent(in) :: reservation
      integer(c_int32_t) :: code
    end function surefill_scheduler_set_reservation

    !> Sets the licences that the scheduler's jobs may hold together, SUREFILL_MAX_RESOURCES kinds of them; none at
    !! first. O(pools).
    function surefill_scheduler_set_licences(scheduler, amounts) bind(c, &
            name='surefill_scheduler_set_licences') result(code)
      import
      type(c_ptr), value :: scheduler
      integer(c_int32_t), intent(in) :: amounts
      integer(c_int32_t) :: code
    end function surefill_scheduler_set_licences

    !> Writes the nodes that a job was offered, with its tasks on each, in increasing order, as many as there is room
    !! for; and how many they are, 0 in a pool of counted units. NULL is allowed without room. O(nodes of the job).
    function surefill_cycle_parts(cycle, number, parts, room, length) bind(c, name='surefill_cycle_parts') &
            result(code)
      import
      type(c_ptr), value :: cycle
      integer(c_int32_t), value :: number
      type(surefill_part), intent(inout) :: parts
      integer(c_int32_t), value :: room
      integer(c_int32_t), intent(out) :: length
      integer(c_int32_t) :: code
    end function surefill_cycle_parts

    !> Sets the units of the pool of this name (length bytes), and how many of them are idle; -1 for all that known
    !! jobs leave. What is neither idle nor a known job's is unaccounted: nothing is known of its end. Without units
    !! it is a pool of nodes, which surefill_scheduler_set_node describes; a pool remains what it was first. Writes
    !! the pool's number, the same for the same name. O(pools).
    function surefill_scheduler_set_pool(scheduler, name, length, units, idle, pool) bind(c, &
            name='surefill_scheduler_set_pool') result(code)
      import
      type(c_ptr), value :: scheduler
      type(c_ptr), value :: name
      integer(c_int64_t), value :: length
      integer(c_int32_t), value :: units
      integer(c_int32_t), value :: idle
      integer(c_int32_t), intent(out) :: pool
      integer(c_int32_t) :: code
    end function surefill_scheduler_set_pool

    !> A queue of this name (length bytes) belongs to this pool. Writes its number, the same for the same name.
    !! O(queues).
    function surefill_scheduler_set_queue(scheduler, name, length, pool, queue) bind(c, &
            name='surefill_scheduler_set_queue') result(code)
      import
      type(c_ptr), value :: scheduler
      type(c_ptr), value :: name
      integer(c_int64_t), value :: length
      integer(c_int32_t), value :: pool
      integer(c_int32_t), intent(out) :: queue
      integer(c_int32_t) :: code
    end function surefill_scheduler_set_queue

    !> The manager says this of a job now, as an event or as a row of the listing under way, whose rows count from its
    !! end on. O(W + bins x contexts) for W waiting jobs.
    function surefill_scheduler_set_job(scheduler, now, job) bind(c, name='surefill_scheduler_set_job') &
            result(code)
      import
      type(c_ptr), value :: scheduler
      integer(c_int64_t), value :: now
      type(surefill_job), intent(in) :: job
      integer(c_int32_t) :: code
    end function surefill_scheduler_set_job

    !> A job's place in the site's order has changed. O(1).
    function surefill_scheduler_set_priority(scheduler, job, tier, priority) bind(c, &
            name='surefill_scheduler_set_priority') result(code)
      import
      type(c_ptr), value :: scheduler
      integer(c_int64_t), value :: job
      integer(c_int32_t), value :: tier
      real(c_double), value :: priority
      integer(c_int32_t) :: code
    end function surefill_scheduler_set_priority

    !> A listing of all jobs begins; one that was not ended is dropped, and its rows count with this one. O(1).
    function surefill_scheduler_list_begin(scheduler, now) bind(c, name='surefill_scheduler_list_begin') &
            result(code)
      import
      type(c_ptr), value :: scheduler
      integer(c_int64_t), value :: now
      integer(c_int32_t) :: code
    end function surefill_scheduler_list_begin

    !> The listing is complete: who was not in it has left. Writes whether it is doubted, because it lacks more than
    !! half of the jobs with room and more than 16: then nobody has left. The second one in a row counts, and the
    !! first one after the block was made or opened. O(n log n).
    function surefill_scheduler_list_end(scheduler, now, doubted) bind(c, &
            name='surefill_scheduler_list_end') result(code)
      import
      type(c_ptr), value :: scheduler
      integer(c_int64_t), value :: now
      integer(c_int32_t), intent(out) :: doubted
      integer(c_int32_t) :: code
    end function surefill_scheduler_list_end

    !> When the next cycle is wanted, now or later, and by which pools: a bit each, pool 0 the lowest. O(W) for W
    !! waiting jobs.
    function surefill_scheduler_wake(scheduler, now, when, pools) bind(c, name='surefill_scheduler_wake') &
            result(code)
      import
      type(c_ptr), value :: scheduler
      integer(c_int64_t), value :: now
      integer(c_int64_t), intent(out) :: when
      integer(c_int64_t), intent(out) :: pools
      integer(c_int32_t) :: code
    end function surefill_scheduler_wake

    !> Writes the run time in seconds, from its start on, that a job exceeds with probability at most 1 - quantile,
    !! given that it still runs if it does. O(bins).
    function surefill_scheduler_run_time(scheduler, now, job, quantile, seconds) bind(c, &
            name='surefill_scheduler_run_time') result(code)
      import
      type(c_ptr), value :: scheduler
      integer(c_int64_t), value :: now
      integer(c_int64_t), value :: job
      real(c_double), value :: quantile
      integer(c_int64_t), intent(out) :: seconds
      integer(c_int32_t) :: code
    end function surefill_scheduler_run_time

    !> Counts of events since the block was made, and of the jobs known now. O(1).
    function surefill_scheduler_totals(scheduler, totals) bind(c, name='surefill_scheduler_totals') &
            result(code)
      import
      type(c_ptr), value :: scheduler
      type(surefill_totals), intent(inout) :: totals
      integer(c_int32_t) :: code
    end function surefill_scheduler_totals

    !> Bytes of memory that a cycle of a scheduler with this capacity needs.
    function surefill_cycle_size(capacity, size) bind(c, name='surefill_cycle_size') result(code)
      import
      type(surefill_scheduler_capacity), intent(in) :: capacity
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_cycle_size

    !> A decision of this pool begins, in the caller's memory (length bytes, at least surefill_cycle_size, aligned to
    !! 8). Predictions are brought up to date; nothing starts. O(jobs).
    function surefill_cycle_begin(memory, length, scheduler, pool, now, cycle) bind(c, &
            name='surefill_cycle_begin') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), value :: scheduler
      integer(c_int32_t), value :: pool
      integer(c_int64_t), value :: now
      type(c_ptr), intent(out) :: cycle
      integer(c_int32_t) :: code
    end function surefill_cycle_begin

    !> The next action. The decision is made by the first call, and anew by the first one after a refusal: at most 7 +
    !! proposals orders of 64 jobs, and O(jobs).
    function surefill_cycle_next(cycle, scheduler, action) bind(c, name='surefill_cycle_next') result(code)
      import
      type(c_ptr), value :: cycle
      type(c_ptr), value :: scheduler
      type(surefill_action), intent(inout) :: action
      integer(c_int32_t) :: code
    end function surefill_cycle_next

    !> Writes whether an offer still holds: it is not answered, the job was not edited, and its pool has not lost
    !! room. For programs that collect offers and carry them out later. O(1).
    function surefill_cycle_holds(cycle, scheduler, number, holds) bind(c, name='surefill_cycle_holds') &
            result(code)
      import
      type(c_ptr), value :: cycle
      type(c_ptr), value :: scheduler
      integer(c_int32_t), value :: number
      integer(c_int32_t), intent(out) :: holds
      integer(c_int32_t) :: code
    end function surefill_cycle_holds

    !> The manager has started an offered job; of an array job is the id of the task, if that is another than the
    !! array's. The start counts also where the offer no longer holds. O(W) for W waiting jobs.
    function surefill_cycle_started(cycle, scheduler, number, job) bind(c, name='surefill_cycle_started') &
            result(code)
      import
      type(c_ptr), value :: cycle
      type(c_ptr), value :: scheduler
      integer(c_int32_t), value :: number
      integer(c_int64_t), value :: job
      integer(c_int32_t) :: code
    end function surefill_cycle_started

    !> The manager refuses an offer, why is one of SUREFILL_REFUSED_. What is offered next is decided anew, around it.
    !! O(1).
    function surefill_cycle_refused(cycle, scheduler, number, why) bind(c, name='surefill_cycle_refused') &
            result(code)
      import
      type(c_ptr), value :: cycle
      type(c_ptr), value :: scheduler
      integer(c_int32_t), value :: number
      integer(c_int32_t), value :: why
      integer(c_int32_t) :: code
    end function surefill_cycle_refused

    !> Plans the jobs that wait though nobody may be able to start, by the plan of the whole queue whatever the
    !! preset: for surefill_cycle_planned, surefill_cycle_reason and surefill_cycle_try, in a cycle of its own.
    !! Closed, it leaves the reasons alone, for surefill_scheduler_reason. surefill_scheduler_wake wants another cycle
    !! after it. Costs what a decision costs.
    function surefill_cycle_plan_all(cycle, scheduler) bind(c, name='surefill_cycle_plan_all') result(code)
      import
      type(c_ptr), value :: cycle
      type(c_ptr), value :: scheduler
      integer(c_int32_t) :: code
    end function surefill_cycle_plan_all

    !> Writes when a waiting job is planned to start, by the last decision of this cycle. O(W) for W waiting jobs.
    function surefill_cycle_planned(cycle, scheduler, job, start) bind(c, name='surefill_cycle_planned') &
            result(code)
      import
      type(c_ptr), value :: cycle
      type(c_ptr), value :: scheduler
      integer(c_int64_t), value :: job
      integer(c_int64_t), intent(out) :: start
      integer(c_int32_t) :: code
    end function surefill_cycle_planned

    !> The cycle is over: its order is kept for the next one, and the reasons for surefill_scheduler_reason. Offers
    !! that were not answered were refused. O(W) for W waiting jobs, on nodes O(64 x nodes) beside that.
    function surefill_cycle_close(cycle, scheduler) bind(c, name='surefill_cycle_close') result(code)
      import
      type(c_ptr), value :: cycle
      type(c_ptr), value :: scheduler
      integer(c_int32_t) :: code
    end function surefill_cycle_close

    !> Writes why a waiting job of this cycle's pool does not run, and when it is planned to start: by the last
    !! decision (surefill_cycle_next), or by surefill_cycle_plan_all, which plans all that wait. O(W) for W waiting
    !! jobs; the price of starting it now O(64 x W), the start by the limits O(R log R) for R running jobs, on nodes
    !! O(nodes x queues).
    function surefill_cycle_reason(cycle, scheduler, job, reason) bind(c, name='surefill_cycle_reason') &
            result(code)
      import
      type(c_ptr), value :: cycle
      type(c_ptr), value :: scheduler
      integer(c_int64_t), value :: job
      type(surefill_reason), intent(inout) :: reason
      integer(c_int32_t) :: code
    end function surefill_cycle_reason

    !> Writes of a job that is not submitted why it would wait, and when it would be planned to start, if it were
    !! submitted now: as surefill_scheduler_set_job and surefill_cycle_plan_all would in a copy. Its id is one that no
    !! job has, 0 for one behind all others; its state is waiting or held. The scheduler does not change. The cycle is
    !! one after surefill_cycle_plan_all and may be asked again and again: until the next plan_all
    !! surefill_cycle_planned and surefill_cycle_reason say of the others what would become of them then. Costs what a
    !! decision costs.
    function surefill_cycle_try(cycle, scheduler, job, reason) bind(c, name='surefill_cycle_try') &
            result(code)
      import
      type(c_ptr), value :: cycle
      type(c_ptr), value :: scheduler
      type(surefill_job), intent(in) :: job
      type(surefill_reason), intent(inout) :: reason
      integer(c_int32_t) :: code
    end function surefill_cycle_try

    !> Writes why a job waits, as far as that is known without a cycle: by what is reported of it and of its pool,
    !! else by the last closed cycle that came to it. O(1), on nodes O(nodes x queues).
    function surefill_scheduler_reason(scheduler, now, job, reason) bind(c, &
            name='surefill_scheduler_reason') result(code)
      import
      type(c_ptr), value :: scheduler
      integer(c_int64_t), value :: now
      integer(c_int64_t), value :: job
      type(surefill_reason), intent(inout) :: reason
      integer(c_int32_t) :: code
    end function surefill_scheduler_reason

    !> Writes a reason as one sentence in English without a full stop, such as "planned in 2 h 10 min: starting it now
    !! would cost others 3.1 h of waiting and save it 2.2 h", to text, with a zero byte at its end. units is what the
    !! pool consists of (NULL for "processors"), head the name of the reason's head (NULL for its number). Writes to
    !! needed how many bytes of room the whole sentence takes. O(length).
    function surefill_reason_sentence(reason, units, head, text, room, needed) bind(c, &
            name='surefill_reason_sentence') result(code)
      import
      type(surefill_reason), intent(in) :: reason
      type(c_ptr), value :: units
      type(c_ptr), value :: head
      type(c_ptr), value :: text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: needed
      integer(c_int32_t) :: code
    end function surefill_reason_sentence

    !> Bytes of memory that a forecast of a scheduler with this capacity needs, by this number of scenarios.
    function surefill_starts_size(capacity, scenarios, size) bind(c, name='surefill_starts_size') &
            result(code)
      import
      type(surefill_scheduler_capacity), intent(in) :: capacity
      integer(c_int32_t), value :: scenarios
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_starts_size

    !> A forecast for all waiting jobs of this pool begins, in the caller's memory (length bytes, at least
    !! surefill_starts_size, aligned to 8), by this number of scenarios (1 to SUREFILL_MAX_START_SCENARIOS; 20 are
    !! enough). It belongs behind a closed cycle of the pool; where something has happened since, or in shadow mode,
    !! the scenarios decide at once. Predictions are brought up to date, and the scheduler's clock as well: not for a
    !! time that has not come. O(jobs), and as much as one decision.
    function surefill_starts_begin(memory, length, scheduler, pool, now, scenarios, starts) bind(c, &
            name='surefill_starts_begin') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), value :: scheduler
      integer(c_int32_t), value :: pool
      integer(c_int64_t), value :: now
      integer(c_int32_t), value :: scenarios
      type(c_ptr), intent(out) :: starts
      integer(c_int32_t) :: code
    end function surefill_starts_begin

    !> Plays scenarios until all are played (step is SUREFILL_STEP_DONE), or work events are (SUREFILL_STEP_MORE; work
    !! is at least 1). An event costs as much as a decision: O(jobs), and at most 22 orders of 64 jobs, 7 where more
    !! than 256 jobs wait. Events that are reported to the scheduler between two calls are not foreseen.
    function surefill_starts_run(starts, scheduler, work, step) bind(c, name='surefill_starts_run') &
            result(code)
      import
      type(c_ptr), value :: starts
      type(c_ptr), value :: scheduler
      integer(c_int64_t), value :: work
      integer(c_int32_t), intent(out) :: step
      integer(c_int32_t) :: code
    end function surefill_starts_run

    !> Writes the predicted start of a waiting job: the scenarios' levels, moved by the outcomes of earlier reports.
    !! O(W + scenarios).
    function surefill_starts_predicted(starts, scheduler, job, start) bind(c, &
            name='surefill_starts_predicted') result(code)
      import
      type(c_ptr), value :: starts
      type(c_ptr), value :: scheduler
      integer(c_int64_t), value :: job
      type(surefill_start), intent(inout) :: start
      integer(c_int32_t) :: code
    end function surefill_starts_predicted

    !> As surefill_starts_predicted, for a start that is reported to people: the scheduler remembers a job's first
    !! report and the first one an hour or more after it, and when the job starts the levels for such reports follow.
    !! A median that was reported before moves no further than to half way between the new one and the level beside
    !! it, so that answers do not jump.
    function surefill_starts_report(starts, scheduler, job, start) bind(c, name='surefill_starts_report') &
            result(code)
      import
      type(c_ptr), value :: starts
      type(c_ptr), value :: scheduler
      integer(c_int64_t), value :: job
      type(surefill_start), intent(inout) :: start
      integer(c_int32_t) :: code
    end function surefill_starts_report

    !> Writes the probability that a waiting job starts by an instant, in the scheduler's time: through its five
    !! levels, straight between them. O(W + scenarios).
    function surefill_starts_probability(starts, scheduler, job, when, probability) bind(c, &
            name='surefill_starts_probability') result(code)
      import
      type(c_ptr), value :: starts
      type(c_ptr), value :: scheduler
      integer(c_int64_t), value :: job
      integer(c_int64_t), value :: when
      real(c_double), intent(out) :: probability
      integer(c_int32_t) :: code
    end function surefill_starts_probability

    !> Sets the capacity to its defaults: 256 running jobs, 256 candidates, 1,024 processors, 32 bins of 4 events.
    function surefill_pass_capacity_init(capacity, size) bind(c, name='surefill_pass_capacity_init') &
            result(code)
      import
      type(surefill_pass_capacity), intent(out) :: capacity
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_pass_capacity_init

    !> Sets the rule to its defaults: expected delay below 0.3 of the head job's expected remaining wait, or what EASY
    !! would start; no guard, budget or slip, and every delay measured. The preset fair has the same threshold, but
    !! leaves delays unmeasured, and surefill_preset_rule adds its guard, which makes the longest waits shorter.
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
    !! SUREFILL_MAX_SECONDS) and what is believed of its run time; NULL when nothing is known but the limit. index is
    !! its number, from 0; it may be NULL. O(bins x events per bin).
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

    !> As surefill_pass_add_running, for a job whose limit is soft, one that jobs may outlive. The rule for limits: a
    !! hard limit cuts what is believed, and a job past it is expected to end one second from now. A soft limit does
    !! not cut: what is believed goes on, given the job's age alone; only where nothing is believed, or nothing of it
    !! is left, is the job expected to end at its limit, or past it one second from now. Guard and or_easy of the rule
    !! go by the limit, whether hard or soft, as EASY does: past it, the job is expected to end one second from now.
    function surefill_pass_add_running_softly(pass, processors, age, limit, distribution, index) bind(c, &
            name='surefill_pass_add_running_softly') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: age
      integer(c_int64_t), value :: limit
      type(c_ptr), value :: distribution
      type(c_ptr), value :: index
      integer(c_int32_t) :: code
    end function surefill_pass_add_running_softly

    !> Adds a candidate for backfilling behind those added before: its processors (at least 1), its time limit in
    !! seconds and what is believed of its run time; NULL when nothing is known but the limit. index is its number,
    !! from 0; it may be NULL. O(bins x events per bin).
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

    !> Starts the accepted candidate: a running job of this pass from now on, its delay spent. O(candidates).
    function surefill_pass_commit(pass, candidate) bind(c, name='surefill_pass_commit') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: candidate
      integer(c_int32_t) :: code
    end function surefill_pass_commit

    !> Gives the accepted candidate up, because it could not be started after all. O(1).
    function surefill_pass_decline(pass, candidate) bind(c, name='surefill_pass_decline') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: candidate
      integer(c_int32_t) :: code
    end function surefill_pass_decline

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

    !> The delays of committed candidates added up for the present head job, by the criterion they were judged by: an
    !! upper bound of the probability that any of them delays it. What was judged by RELATIVE counts in SECONDS too.
    !! O(1).
    function surefill_pass_spent(pass, criterion, spent) bind(c, name='surefill_pass_spent') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: criterion
      real(c_double), intent(out) :: spent
      integer(c_int32_t) :: code
    end function surefill_pass_spent

    !> Continues with the risk spent on a head job in another block, as surefill_pass_spent said there of each
    !! criterion: the next surefill_pass_begin with this head_id goes on from there. Before the first begin only, and
    !! once. count is 4; spent, none negative, is in the order of SUREFILL_CRITERION_.
    function surefill_pass_restore_spent(pass, head_id, spent, count) bind(c, &
            name='surefill_pass_restore_spent') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int64_t), value :: head_id
      real(c_double), intent(in) :: spent(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t) :: code
    end function surefill_pass_restore_spent

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

    !> As surefill_pass_head_start_quantile, for count probabilities (ascending) by one walk over the events: about
    !! work multiply-adds a call (at least 1), as surefill_pass_decide counts them. step is SUREFILL_STEP_DONE when
    !! all are known; after SUREFILL_STEP_MORE call again with the same probabilities and whens. A decision, or
    !! another question, gives up one under way. With E events and c processors still missing for the head job it
    !! costs about E c multiply-adds. All are exact, also where many jobs may end in one second.
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
    !! this is at most 16 (R + W) b e + 8 W N + 128 R + 232 W + 640.
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
    !! SUREFILL_MAX_SECONDS) and what is believed of its run time; NULL when nothing is known but the limit. index is
    !! its number, from 0; it may be NULL. O(bins x events per bin).
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
    !! SUREFILL_MAX_SECONDS), when it was submitted, and what is believed of its run time; NULL when nothing is known
    !! but the limit. A job with a submission ahead (by at most SUREFILL_MAX_SECONDS) joins the queue then, in the
    !! place in which it was added: an arrival that is expected, or a job held until then. A job wider than all idle
    !! and running processors together never starts, and those behind it go on as if it were not there, under FCFS
    !! too. index is its number, from 0; it may be NULL. O(bins x events per bin).
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

    !> Sets a preset to the values of a name, one of SUREFILL_PRESET_. O(1).
    function surefill_preset_init(preset, name, size) bind(c, name='surefill_preset_init') result(code)
      import
      type(surefill_preset), intent(out) :: preset
      integer(c_int32_t), value :: name
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_preset_init

    !> The preset's rule for surefill_pass_decide, its guard by the recent waits. With NULL for waits no wait is long.
    !! O(log n) for n recent waits.
    function surefill_preset_rule(preset, waits, rule) bind(c, name='surefill_preset_rule') result(code)
      import
      type(surefill_preset), intent(in) :: preset
      type(c_ptr), value :: waits
      type(surefill_rule), intent(inout) :: rule
      integer(c_int32_t) :: code
    end function surefill_preset_rule

    !> What plays a scheduler forward that works by this preset, for surefill_forecast_begin: the orders of the queue
    !! and of the candidates, the wait beyond which a job comes to the front by the recent waits (with NULL for waits
    !! no job does), plans by medians unless the preset always guards the head job by the limits, as slack the
    !! threshold of a preset that compares relative delays, and the rest as surefill_forecast_options_init sets it.
    !! O(log n) for n recent waits.
    function surefill_preset_forecast(preset, waits, options) bind(c, name='surefill_preset_forecast') &
            result(code)
      import
      type(surefill_preset), intent(in) :: preset
      type(c_ptr), value :: waits
      type(surefill_forecast_options), intent(inout) :: options
      integer(c_int32_t) :: code
    end function surefill_preset_forecast

    !> A waiting job's value in the queue's order, smaller ones first, equal ones by submission: by what is believed
    !! of its run time (NULL when nothing is known but the limit), its time limit, its processors (at least 1) and for
    !! how long it has waited, in seconds. Its median is by Algorithm 1 of Nissimov and Feitelson 2007, which spreads
    !! what is predicted beyond the limit over what is left below it. A job that has waited longer than the front's
    !! quantile of recent waits has a negative value: before all others, by submission. With NULL for waits no job
    !! does. O(bins + log n) for n recent waits.
    function surefill_preset_queue_value(preset, waits, distribution, limit, processors, waited, value) &
            bind(c, name='surefill_preset_queue_value') result(code)
      import
      type(surefill_preset), intent(in) :: preset
      type(c_ptr), value :: waits
      type(c_ptr), value :: distribution
      integer(c_int64_t), value :: limit
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: waited
      real(c_double), intent(out) :: value
      integer(c_int32_t) :: code
    end function surefill_preset_queue_value

    !> A waiting job's value in the candidates' order, smaller ones first, equal ones by submission; arguments as of
    !! surefill_preset_queue_value. O(bins).
    function surefill_preset_candidate_value(preset, distribution, limit, processors, waited, value) bind(c, &
            name='surefill_preset_candidate_value') result(code)
      import
      type(surefill_preset), intent(in) :: preset
      type(c_ptr), value :: distribution
      integer(c_int64_t), value :: limit
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: waited
      real(c_double), intent(out) :: value
      integer(c_int32_t) :: code
    end function surefill_preset_candidate_value

    !> Bytes of memory for as many waits as the preset's recent_waits says (1 to 4,194,304): at most 46 a wait and
    !! 3,000.
    function surefill_recent_waits_size(preset, size) bind(c, name='surefill_recent_waits_size') &
            result(code)
      import
      type(surefill_preset), intent(in) :: preset
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_recent_waits_size

    !> Makes an object without waits in the caller's memory (length bytes, at least surefill_recent_waits_size,
    !! aligned to 8) that keeps as many of the last waits as the preset's recent_waits says. O(size).
    function surefill_recent_waits_init(memory, length, preset, recent) bind(c, &
            name='surefill_recent_waits_init') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_preset), intent(in) :: preset
      type(c_ptr), intent(out) :: recent
      integer(c_int32_t) :: code
    end function surefill_recent_waits_init

    !> A job was started after waiting this number of seconds (0 to SUREFILL_MAX_SECONDS). O(log n).
    function surefill_recent_waits_add(recent, waited) bind(c, name='surefill_recent_waits_add') &
            result(code)
      import
      type(c_ptr), value :: recent
      integer(c_int64_t), value :: waited
      integer(c_int32_t) :: code
    end function surefill_recent_waits_add

    !> Makes the block a checkpoint, surefill_recent_waits_size bytes from the handle on, by writing its checksum. Any
    !! later call that changes it breaks the seal. O(size).
    function surefill_recent_waits_seal(recent) bind(c, name='surefill_recent_waits_seal') result(code)
      import
      type(c_ptr), value :: recent
      integer(c_int32_t) :: code
    end function surefill_recent_waits_seal

    !> Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
    !! surefill_recent_waits_seal left it. O(size).
    function surefill_recent_waits_open(memory, length, recent) bind(c, name='surefill_recent_waits_open') &
            result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: recent
      integer(c_int32_t) :: code
    end function surefill_recent_waits_open

    !> Sets the capacity to its default: 4,096 events.
    function surefill_inbox_capacity_init(capacity, size) bind(c, name='surefill_inbox_capacity_init') &
            result(code)
      import
      type(surefill_inbox_capacity), intent(out) :: capacity
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_inbox_capacity_init

    !> Bytes of memory that an inbox needs: at most 64 for each event of the rounded capacity, and 56.
    function surefill_inbox_size(capacity, size) bind(c, name='surefill_inbox_size') result(code)
      import
      type(surefill_inbox_capacity), intent(in) :: capacity
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_inbox_size

    !> Makes an empty inbox in the caller's memory (length bytes, at least surefill_inbox_size, aligned to 8).
    !! O(events).
    function surefill_inbox_init(memory, length, capacity, inbox) bind(c, name='surefill_inbox_init') &
            result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_inbox_capacity), intent(in) :: capacity
      type(c_ptr), intent(out) :: inbox
      integer(c_int32_t) :: code
    end function surefill_inbox_init

    !> Puts an event in, behind those before. Any number of threads may push at once. Never waits; tries again only
    !! when another thread has got ahead of it.
    function surefill_inbox_push(inbox, event) bind(c, name='surefill_inbox_push') result(code)
      import
      type(c_ptr), value :: inbox
      type(surefill_job_event), intent(in) :: event
      integer(c_int32_t) :: code
    end function surefill_inbox_push

    !> Takes the oldest event out. For one thread at a time. O(1), never waits. EMPTY is also said while the thread
    !! that pushes the oldest event has not finished; later events wait behind it.
    function surefill_inbox_pop(inbox, event) bind(c, name='surefill_inbox_pop') result(code)
      import
      type(c_ptr), value :: inbox
      type(surefill_job_event), intent(inout) :: event
      integer(c_int32_t) :: code
    end function surefill_inbox_pop

    !> How often an event has been refused since the inbox was made, as it was full; at most 4,294,967,295 (16,777,215
    !! on processors without atomic words of 64 bits). For any thread.
    function surefill_inbox_refused(inbox, refused) bind(c, name='surefill_inbox_refused') result(code)
      import
      type(c_ptr), value :: inbox
      integer(c_int64_t), intent(out) :: refused
      integer(c_int32_t) :: code
    end function surefill_inbox_refused

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

    !> Bytes of memory that a predictor needs. For J jobs with K keys and N bins: J (88 + 8 K + 8 N) and about 1,500.
    !! Mixtures: with H histories and E experts, 8 H max(N + 1, E) + 32 H + 3,200 more. Contexts: with N rounded up to
    !! a multiple of 8, H (4 N + 23) + J (35 N + 384) + 2,000 (N + 125) more. Hidden Markov models: surefill_hmm_size
    !! more, 8 S for each slot of the window and 48 S (S states, rounded up to a multiple of 8), and on line
    !! surefill_online_hmm_size.
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

    !> Applies an event as an inbox hands it on: surefill_predictor_submit, start, end or cancel of its job at its
    !! time. Events that several threads push come out of order by a little: one that is at most
    !! SUREFILL_MAX_LATE_SECONDS earlier than the last event counts as having happened at the last event's time, and
    !! one that is earlier still is refused with TIME_WENT_BACK, since then a clock is wrong. The keys of a mixture
    !! are as many as the options say of these: user, limit, processors, name.
    function surefill_predictor_apply(predictor, event) bind(c, name='surefill_predictor_apply') &
            result(code)
      import
      type(c_ptr), value :: predictor
      type(surefill_job_event), intent(in) :: event
      integer(c_int32_t) :: code
    end function surefill_predictor_apply

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

    !> Sets the clock right: from now on it is now, whatever time an event had. To go on is to hear of an event. To go
    !! back, what was reported as later counts as having happened now; if all that a hidden Markov model has kept is
    !! later, its finished jobs are forgotten, but neither the model nor the jobs it holds. Jobs that were given up by
    !! the wrong clock alone are held again as before. What a model has learnt on line of later slots it does not
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

    !> What is predicted for a job with these count keys (see surefill_predictor_submit) that is submitted now, which
    !! is not before the last event: a distribution made in the caller's memory (length bytes, at least
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

    !> What was predicted for a job that it holds when that was submitted, as surefill_predictor_predict gave it then.
    !! O(bins).
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

    !> What is believed now of a job that it holds: a mixture's present prediction for the job's keys; what the
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
    !! each release, 220 for each waiting job (524 with situations), 48 for each situation, and 110,000; 8.3 MB for
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

    !> The state of the machine, which VISIBLE takes into account from now on: its processors, those that are free,
    !! and the jobs that wait in all its queues with their processors times requested seconds. All 0, as at first:
    !! nothing is known but the queue.
    function surefill_wait_machine(wait, processors, free, jobs, work) bind(c, name='surefill_wait_machine') &
            result(code)
      import
      type(c_ptr), value :: wait
      integer(c_int32_t), value :: processors
      integer(c_int32_t), value :: free
      integer(c_int32_t), value :: jobs
      integer(c_int64_t), value :: work
      integer(c_int32_t) :: code
    end function surefill_wait_machine

    !> Sets the clock right: from now on it is now, whatever time an event had. To go on is to hear of an event. To go
    !! back, what was reported as later counts as having happened now, and jobs are given up anew by the new time.
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

    !> As surefill_wait_predict, for a job that waits since it was submitted: an upper bound for its wait, counted
    !! from its submission. With VISIBLE it rests on the rests of the waits of jobs that waited in a like situation,
    !! and with ADAPT it follows the misses of such bounds and, for the options' own question, leaves no less than a
    !! factor, learnt on line, times the oldest wait of the queue; else, and where too little is known, by the
    !! binomial method on the waits that were at least as long as its own is now: those of its cluster, or of all
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

    !> How probable it is that a job that has waited for age seconds (0 for a new one) waits at most within seconds,
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

    !> How many jobs wait, and how many waits are remembered. O(1).
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

    !> How many times as fast a job with this average parallelism (A, 1 to 2^40) and sigma (about the squared
    !! coefficient of variation of its parallelism; from 0, infinity for the lower bound of equation 3) runs on this
    !! number of processors (1 to 2^40) as on one: Downey 1997, equations 1 and 2. Between 1 and A. The run time there
    !! is the run time on one divided by this.
    function surefill_speedup(parallelism, sigma, processors, speedup) bind(c, name='surefill_speedup') &
            result(code)
      import
      real(c_double), value :: parallelism
      real(c_double), value :: sigma
      real(c_double), value :: processors
      real(c_double), intent(out) :: speedup
      integer(c_int32_t) :: code
    end function surefill_speedup

    !> The model of count run times in seconds, each measured on the number of processors at the same place of
    !! processors (1 to 2^20; at least three different ones): parallelism and sigma (may be infinite), the run time on
    !! one processor, and the root mean square of the differences of the natural logarithms, about the relative error.
    !! Parallelism and sigma can be told apart only when the measurements reach saturation; any pair that fits
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

    !> Sets the capacity to its defaults: 256 running jobs, 1,024 processors, 32 bins of 4 events.
    function surefill_sizing_capacity_init(capacity, size) bind(c, name='surefill_sizing_capacity_init') &
            result(code)
      import
      type(surefill_sizing_capacity), intent(out) :: capacity
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_sizing_capacity_init

    !> Bytes of memory that a sizing needs: at most 72 R + 16 R b e + 24 P + 128 for R running jobs, P processors and
    !! b bins of e events.
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

    !> Adds a running job: its processors (at least 1), for how long it has run, its time limit (both in seconds, 0 to
    !! SUREFILL_MAX_SECONDS) and what is believed of its run time; NULL when nothing is known but the limit. O(bins x
    !! events per bin).
    function surefill_sizing_add_running(sizing, processors, age, limit, distribution) bind(c, &
            name='surefill_sizing_add_running') result(code)
      import
      type(c_ptr), value :: sizing
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: age
      integer(c_int64_t), value :: limit
      type(c_ptr), value :: distribution
      integer(c_int32_t) :: code
    end function surefill_sizing_add_running

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
    !! that takes sequential seconds (0 to 2^40) on one and speeds up as surefill_speedup says. correction corrects
    !! the waits; NULL for none. O(n) times the predictor's test of one wait, and 64 times as much for each n that is
    !! better than those before it; by MEAN one integration for all n.
    function surefill_sizing_choose(sizing, options, correction, parallelism, sigma, sequential, choice) &
            bind(c, name='surefill_sizing_choose') result(code)
      import
      type(c_ptr), value :: sizing
      type(surefill_choice_options), intent(in) :: options
      type(c_ptr), value :: correction
      real(c_double), value :: parallelism
      real(c_double), value :: sigma
      real(c_double), value :: sequential
      type(surefill_choice), intent(inout) :: choice
      integer(c_int32_t) :: code
    end function surefill_sizing_choose

    !> As surefill_sizing_choose, for a job of which it is known how long it runs on how many processors: count run
    !! times in seconds (0 to 2^40), the first on one processor, the next on two and so on. It takes count processors
    !! at most.
    function surefill_sizing_choose_measured(sizing, options, correction, run_times, count, choice) bind(c, &
            name='surefill_sizing_choose_measured') result(code)
      import
      type(c_ptr), value :: sizing
      type(surefill_choice_options), intent(in) :: options
      type(c_ptr), value :: correction
      real(c_double), intent(in) :: run_times(*)
      integer(c_int32_t), value :: count
      type(surefill_choice), intent(inout) :: choice
      integer(c_int32_t) :: code
    end function surefill_sizing_choose_measured

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

    !> The C library's strlen.
    pure function c_string_length(string) bind(c, name='strlen') result(length)
      import
      type(c_ptr), value :: string
      integer(c_size_t) :: length
    end function c_string_length
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
