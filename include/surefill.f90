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
  !> The longest time span any function accepts, in seconds; as a time limit it means "no limit".
  integer(c_int64_t), parameter :: SUREFILL_MAX_SECONDS = 1099511627776_c_int64_t
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
  !> The scheduler's capacity parts is reached, pairs of a job and a node: it grows by itself, without more jobs.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_PARTS_FULL = -26_c_int32_t
  !> There is no answer for an object of this kind: a forecast of starts on nodes that differ or are shared, for
  !! example.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_UNSUPPORTED = -27_c_int32_t
  !> A structure's struct_size is 0: it has to be set to the structure's size.
  integer(c_int64_t), parameter :: SUREFILL_ERROR_NO_STRUCT_SIZE = -28_c_int64_t
  !> preset=papers and rule=delay decide about a pool of more units than the scheduler's capacity delay_units: it
  !! grows by itself, without more jobs.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_DELAY_UNITS = -29_c_int32_t
  !> preset=papers and rule=delay decide about pools of counted units, not of nodes.
  integer(c_int32_t), parameter :: SUREFILL_ERROR_DELAY_ON_NODES = -30_c_int32_t
  !> Work in slices (decisions of a pass, training, clustering): there is nothing to do for now.
  integer(c_int32_t), parameter :: SUREFILL_STEP_IDLE = 0_c_int32_t
  !> Work in slices: the work allowed for this call is used up; call again to go on.
  integer(c_int32_t), parameter :: SUREFILL_STEP_MORE = 1_c_int32_t
  !> Work in slices: it is complete. Every candidate has its verdict; a round of training is in use; the new clusters
  !! are in use.
  integer(c_int32_t), parameter :: SUREFILL_STEP_DONE = 2_c_int32_t
  !> Decisions of a pass: the candidate given may start; commit it, then call again.
  integer(c_int32_t), parameter :: SUREFILL_STEP_ACCEPT = 3_c_int32_t

  ! ---- Runtime bins ----
  !> The largest number of bins.
  integer(c_int32_t), parameter :: SUREFILL_MAX_BINS = 96_c_int32_t
  !> Bytes of memory that bins need, aligned to 8.
  integer(c_int64_t), parameter :: SUREFILL_BINS_SIZE = 816_c_int64_t

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
  !> Flag of a job: no other job may be on its nodes.
  integer(c_int32_t), parameter :: SUREFILL_FLAG_EXCLUSIVE = 4_c_int32_t
  !> Flag of a job: several of its tasks may share a node. Without it each is on a node of its own.
  integer(c_int32_t), parameter :: SUREFILL_FLAG_PACKED = 8_c_int32_t
  !> The most kinds of resource, on nodes and of the whole machine.
  integer(c_int32_t), parameter :: SUREFILL_MAX_RESOURCES = 8_c_int32_t
  !> The most tasks of one request.
  integer(c_int32_t), parameter :: SUREFILL_MAX_TASKS = 16777216_c_int32_t
  !> Jobs may start on the node.
  integer(c_int32_t), parameter :: SUREFILL_NODE_UP = 1_c_int32_t
  !> No new job may start on it: it is drained, or a stranger has it. Jobs on it go on.
  integer(c_int32_t), parameter :: SUREFILL_NODE_CLOSED = 2_c_int32_t
  !> It is expected to be up at some time: after a restart or a reconfiguration it is not registered yet, or it is
  !! powering up. It counts in every plan and reservation from then on, and no job starts on it before it is up.
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
  !> Refused for want of room: the job keeps its rank, and is offered again when its pool has changed, at the latest
  !! after as many seconds as the word refused says; the third time in a row it lets others pass for so long.
  integer(c_int32_t), parameter :: SUREFILL_REFUSED_BUSY = 1_c_int32_t
  !> Refused by a limit of the manager's, or for a reason that may pass: it is others' turn for as many seconds as the
  !! word refused says. Also for a job that the manager no longer knows: the report or the listing that lacks it ends
  !! the matter.
  integer(c_int32_t), parameter :: SUREFILL_REFUSED_NOT_NOW = 2_c_int32_t
  !> Refused for ever, until the job is reported with another limit, count, request or pool, or is submitted anew.
  integer(c_int32_t), parameter :: SUREFILL_REFUSED_NEVER = 4_c_int32_t
  !> No reason is known.
  integer(c_int32_t), parameter :: SUREFILL_WHY_UNKNOWN = 0_c_int32_t
  !> It starts in order and passes none.
  integer(c_int32_t), parameter :: SUREFILL_WHY_IN_ORDER = 1_c_int32_t
  !> It starts because the cheapest plan of the whole queue has it start now.
  integer(c_int32_t), parameter :: SUREFILL_WHY_PLANNED = 2_c_int32_t
  !> It starts ahead of others in the site's order, the first of which it does not delay by the time limits.
  integer(c_int32_t), parameter :: SUREFILL_WHY_BY_LIMITS = 3_c_int32_t
  !> It starts ahead of the head job, which it delays by less than the delay rule allows.
  integer(c_int32_t), parameter :: SUREFILL_WHY_BY_DELAY = 4_c_int32_t
  !> It waits: there is no room, what those take that start now counted.
  integer(c_int32_t), parameter :: SUREFILL_WHY_NO_ROOM = 16_c_int32_t
  !> It waits, and is the first of all that wait: others must not delay it.
  integer(c_int32_t), parameter :: SUREFILL_WHY_HEAD = 17_c_int32_t
  !> It waits: there is room, also beside those that start now, but starting it would cost others more.
  integer(c_int32_t), parameter :: SUREFILL_WHY_LATER = 18_c_int32_t
  !> It waits: it could delay a job that others must not delay, the first of its tier or the one that waited longest.
  integer(c_int32_t), parameter :: SUREFILL_WHY_GUARDED = 19_c_int32_t
  !> It waits: the resource manager refused to start it.
  integer(c_int32_t), parameter :: SUREFILL_WHY_REFUSED = 20_c_int32_t
  !> It waits: jobs hold more than the pool has, and no job passes the first one.
  integer(c_int32_t), parameter :: SUREFILL_WHY_INCONSISTENT = 21_c_int32_t
  !> It can never start: the pool is too small, or has no nodes such as it wants.
  integer(c_int32_t), parameter :: SUREFILL_WHY_NEVER = 22_c_int32_t
  !> It waits: what it needs is out of service.
  integer(c_int32_t), parameter :: SUREFILL_WHY_NODES_OUT = 23_c_int32_t
  !> It waits: reservations keep it off its nodes, or its own has not begun.
  integer(c_int32_t), parameter :: SUREFILL_WHY_RESERVED = 24_c_int32_t
  !> It waits: the licences that it wants are in use, or are fewer than it wants.
  integer(c_int32_t), parameter :: SUREFILL_WHY_LICENCES = 25_c_int32_t
  !> It waits behind those that were planned: what is idle is theirs.
  integer(c_int32_t), parameter :: SUREFILL_WHY_DEPTH = 26_c_int32_t
  !> It waits: it would delay the head job by more than the delay rule allows.
  integer(c_int32_t), parameter :: SUREFILL_WHY_DELAYS = 27_c_int32_t
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
  !> surefill_start.capped where no start can be predicted.
  integer(c_int32_t), parameter :: SUREFILL_START_STALLED = 2_c_int32_t

  !> Capacities of a scheduler. Set by surefill_scheduler_capacity_init, then changed as needed.
  type, bind(c) :: surefill_scheduler_capacity
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Jobs that wait or run (1 to 1,048,576), 2.2 kB each.
    integer(c_int32_t) :: jobs
    !> Jobs that are over but that the manager may still list (at most 1,048,576), 32 bytes each.
    integer(c_int32_t) :: ended
    !> Pools (1 to 63).
    integer(c_int32_t) :: pools
    !> Queues (1 to 63).
    integer(c_int32_t) :: queues
    !> Histories of like jobs that the predictor keeps (at most 16,777,216), 120 bytes each and with that most of the
    !! block; 0 for no predictor, on small machines: every job then runs to its limit.
    integer(c_int32_t) :: histories
    !> Waits remembered of each pool (1 to 4,194,304), 92 bytes each.
    integer(c_int32_t) :: waits
    !> Run-time bins (2 to SUREFILL_MAX_BINS).
    integer(c_int32_t) :: bins
    !> Submissions remembered, by which a forecast of starts foresees later ones (at most 1,048,576; 0 for none), 80
    !! bytes each.
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
    !> Units of the largest pool about which preset=papers and rule=delay decide (at most 16,777,216); 0 for none. A
    !! cycle's memory grows by some 10 kB for each of the jobs and 200 bytes for each of these units.
    integer(c_int32_t) :: delay_units
  end type surefill_scheduler_capacity

  !> A node, as the resource manager reports it. Zero it first: 0 is none, unknown or the default.
  type, bind(c) :: surefill_node
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> One of SUREFILL_NODE_.
    integer(c_int32_t) :: state
    !> Its name (surefill_hash): another name under the same number is another node.
    integer(c_int64_t) :: name
    !> An awaited node's time until which it is awaited; then it is down. 0 for as long as the word grace says.
    integer(c_int64_t) :: until
    !> Its features: bits of the site's own meaning.
    integer(c_int64_t) :: features
    !> Its amounts, kind by kind, processors first.
    integer(c_int32_t) :: amounts(8)
    !> Its weight: the nodes with the smallest come first of those that a job may have; not negative.
    integer(c_int32_t) :: weight
    !> 0.
    integer(c_int32_t) :: reserved
  end type surefill_node

  !> A reservation of nodes: who may not use it ends before it begins, by the time limit, or is elsewhere.
  type, bind(c) :: surefill_reservation
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Its pool.
    integer(c_int32_t) :: pool
    !> By which jobs name it; not 0.
    integer(c_int64_t) :: key
    !> When it begins.
    integer(c_int64_t) :: from
    !> When it ends; 0 and there is no such reservation any more.
    integer(c_int64_t) :: to
    !> Its nodes.
    type(c_ptr) :: nodes
    !> Number of nodes.
    integer(c_int32_t) :: node_count
    !> 0.
    integer(c_int32_t) :: reserved
  end type surefill_reservation

  !> Some of a job's tasks, on one node.
  type, bind(c) :: surefill_part
    !> The node, from 0.
    integer(c_int32_t) :: node
    !> Tasks on it, at least 1; exactly 1 where each lies on a node of its own.
    integer(c_int32_t) :: tasks
  end type surefill_part

  !> A job, as the resource manager reports it. Zero it first: 0 is none, unknown or the default. Each report replaces
  !! the whole description, but submit and parts, of which 0 and NULL keep what is known. Of a job that is over id,
  !! state and ran are enough. Times are whole seconds since any origin, from 0 to 2^53.
  type, bind(c) :: surefill_job
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> One of SUREFILL_JOB_: the manager's word, whatever the scheduler thought.
    integer(c_int32_t) :: state
    !> Which job; not 0.
    integer(c_int64_t) :: id
    !> Its user, as a number (surefill_hash of a name); -1 if it is not known: its first queue stands for it in
    !! predictions then.
    integer(c_int64_t) :: user
    !> When it was submitted; 0 for now, or unchanged if the job is known. Another time under the same id is another
    !! job.
    integer(c_int64_t) :: submit
    !> It may not start before then: it is reported as waiting, and needs no further report. 0 for no such time. One
    !! that is reported as held stays held.
    integer(c_int64_t) :: begin
    !> When its present run started; 0 for as long ago as it has run (ran), but not before its submission.
    integer(c_int64_t) :: start
    !> Its time limit in seconds; 0 for none: it may run for ever.
    integer(c_int64_t) :: limit
    !> Seconds for which it has run without suspensions; 0 for the time since start.
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
    !> Number of times that it was put back into the queue.
    integer(c_int32_t) :: restarts
    !> An array's tasks that wait, all of one request; 0 for 1.
    integer(c_int32_t) :: tasks
    !> Those of an array's waiting tasks that may start now; 0 for all of them. Where none may start, the state is
    !! SUREFILL_JOB_HELD and the reason SUREFILL_WHY_ARRAY.
    integer(c_int32_t) :: at_once
    !> Why it is held: one of SUREFILL_WHY_ from SUREFILL_WHY_HOLD on.
    integer(c_int32_t) :: why
    !> SUREFILL_FLAG_, added up.
    integer(c_int32_t) :: flags
    !> Number of queues that follow.
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
    !> The features of which its nodes have at least one; 0 if that does not matter.
    integer(c_int64_t) :: any
    !> Its nodes have none of these.
    integer(c_int64_t) :: without
    !> The key of the reservation in which it runs.
    integer(c_int64_t) :: reservation
    !> Amounts that a task takes of its node, kind by kind, processors first: 0 processors are 1.
    integer(c_int32_t) :: each(8)
    !> The licences that the whole job takes, kind by kind.
    integer(c_int32_t) :: licences(8)
    !> The nodes that it holds, in increasing order, with its tasks on each, from now on; NULL for those that it held
    !! before, and of a job that holds nothing.
    type(c_ptr) :: parts
    !> Number of parts.
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
    !> The waiting job that it passes, the first in the order of submission, under preset=easy in the site's; 0 for
    !! none.
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
    !! all jobs it is that one; else, for a job planned for later, the first of the plan that starts later than now.
    integer(c_int64_t) :: head
    !> When that was asked: spans of a sentence begin there.
    integer(c_int64_t) :: now
    !> The planned start; 0 where nothing is planned of it. It is a plan, not a promise: by mean predicted run times,
    !! without the jobs that are still to come, and on the plan's grid, up to a sixteenth of the time until then later
    !! than the plan needs. When it will start surefill_starts_predicted says.
    integer(c_int64_t) :: start
    !> The time at which it has room if all that run do so to their limits: for the job that is in front of all, in a
    !! pool of counted units; else 0.
    integer(c_int64_t) :: by_limits
    !> When the reason ends by itself (a begin time, a refusal, which a change of the pool may end sooner, the
    !! beginning of its reservation); 0 if it does not.
    integer(c_int64_t) :: until
    !> The price of starting it now, where it fits and is planned for later: by how many seconds its own wait would be
    !! shorter; 0 where that is not known.
    integer(c_int64_t) :: saved
    !> By how many seconds the planned waits of the others would be longer, all together; below 0: shorter.
    integer(c_int64_t) :: others
    !> Its rank among those that wait, by their planned starts, the first 1; 0 without a planned start.
    integer(c_int32_t) :: rank
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
    !> The median of its start as surefill_starts_report last gave it, when that is still to come; else 0. A sentence
    !! has it instead of the planned start, so that people are given one answer: a program that shows `by[2]` of
    !! surefill_starts_predicted sets it itself before it asks for the sentence.
    integer(c_int64_t) :: expected
    !> With SUREFILL_WHY_DELAYS: the delay of the head job, if it started now, in the criterion's unit.
    real(c_double) :: delay
    !> The delay must be below this.
    real(c_double) :: allowed
    !> The criterion: 0 the probability of a delay, 1 the papers' bound of it, 2 expected seconds, 3 these over the
    !! head job's own expected remaining wait; -1 without a delay.
    integer(c_int32_t) :: criterion
    !> 1 if the delay is at least the one above, 0 if it is that one.
    integer(c_int32_t) :: at_least
  end type surefill_reason

  !> The predicted start of a waiting job.
  type, bind(c) :: surefill_start
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> 1 if the start may lie later than the last instant: longer waits are not known, nor is an instant that is equal
    !! to the last one. SUREFILL_START_STALLED if no instant is known, because a waiting job may start and nothing has
    !! started for longer than ever: the machine may be down.
    integer(c_int32_t) :: capped
    !> The instants by which the job starts with probability .05, .25, .5, .75 and .95, in the scheduler's time, not
    !! decreasing. People plan by the fourth: three of four jobs have started by then.
    integer(c_int64_t) :: by(5)
  end type surefill_start

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

    !> Sets a capacity for this number of jobs that wait or run, and as many that are over. From 256 jobs on the rest
    !! is what a site's machine can spare, 8 MB of histories, 460 kB of waits for each of 4 pools, 330 kB of
    !! submissions: a block of 11 MB. For fewer jobs it is less in proportion, 1.2 MB for 16. As histories, waits and
    !! arrivals do not grow, a program that begins small and grows asks for 256 jobs or sets them itself. O(1).
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
    !! on with the new handle, or says SUREFILL_ACT_STALE; an open forecast is begun anew. Jobs, ended, pools, queues,
    !! nodes, parts, reservations and delay_units may be more, ended and delay_units also less; the rest is as
    !! surefill_scheduler_capacity_of says. O(size).
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
    !! "preset=fast proposals=25". With a prefix (NULL or "" for none) only words that begin with it are looked at,
    !! without it. A word that is not understood is an error, nothing is changed, and message (room bytes, zero at its
    !! end) says which it is and what it should be; else message is empty. The words, each with its values and its
    !! default:
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
    !! first. Only jobs in pools of nodes have licences. O(pools).
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
    !! jobs leave, for a pool of which no others use anything. Another number is that of the moment at which the
    !! reports around it were made: it counts together with the jobs that are reported until the next cycle or end of
    !! a listing. What is neither idle nor a known job's is unaccounted: nothing is known of its end. A new pool
    !! without units is one of nodes, which surefill_scheduler_set_node describes, if there is room for nodes; a pool
    !! remains what it was first, and one of units that has none has none in service. Writes the pool's number, the
    !! same for the same name. O(pools).
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

    !> A queue of this name (length bytes) belongs to this pool. Writes its number, the same for the same name. If it
    !! is moved to another pool, its waiting jobs follow when they are reported again. O(queues).
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

    !> A job's rank in the site's order has changed. O(1).
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

    !> The listing is complete: jobs that were not in it have left. Writes whether it is doubted, because it lacks
    !! more than half of the jobs with room and more than 16: then none has left. The second one in a row counts, and
    !! the first one after the block was made or opened. O(n log n).
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

    !> Writes a job that the scheduler knows, and its state, one of SUREFILL_JOB_: the numbers from 0 up are those
    !! that wait or are held, in the order of their submission, then those that hold room, as many as surefill_totals
    !! has of both. They hold until something is reported. After a restart this is what the state file knew. O(1).
    function surefill_scheduler_job(scheduler, number, job, state) bind(c, name='surefill_scheduler_job') &
            result(code)
      import
      type(c_ptr), value :: scheduler
      integer(c_int32_t), value :: number
      integer(c_int64_t), intent(out) :: job
      integer(c_int32_t), intent(out) :: state
      integer(c_int32_t) :: code
    end function surefill_scheduler_job

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
    !! proposals orders of 64 jobs, and O(jobs). A cycle is asked until it returns SUREFILL_ACT_DONE: else its pool
    !! wants another at once.
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

    !> The manager has started an offered job; of an array job is the id of the task, which only the last task may
    !! share with the array. The start counts also where the offer no longer holds. From now on the job holds its room
    !! (SUREFILL_JOB_STARTING) until it is reported as over, as waiting more than the word settle later, or is missing
    !! in a listing; a report that it runs is not needed. O(W) for W waiting jobs.
    function surefill_cycle_started(cycle, scheduler, number, job) bind(c, name='surefill_cycle_started') &
            result(code)
      import
      type(c_ptr), value :: cycle
      type(c_ptr), value :: scheduler
      integer(c_int32_t), value :: number
      integer(c_int64_t), value :: job
      integer(c_int32_t) :: code
    end function surefill_cycle_started

    !> The manager refuses an offer, why is one of SUREFILL_REFUSED_; of a job that is gone meanwhile as well. What is
    !! offered next is decided anew, around it. O(1).
    function surefill_cycle_refused(cycle, scheduler, number, why) bind(c, name='surefill_cycle_refused') &
            result(code)
      import
      type(c_ptr), value :: cycle
      type(c_ptr), value :: scheduler
      integer(c_int32_t), value :: number
      integer(c_int32_t), value :: why
      integer(c_int32_t) :: code
    end function surefill_cycle_refused

    !> Plans the jobs that wait though possibly none can start, by the plan of the whole queue whatever the preset:
    !! for surefill_cycle_planned, surefill_cycle_reason and surefill_cycle_try, in a cycle of its own. Closed, it
    !! leaves the reasons alone, for surefill_scheduler_reason. surefill_scheduler_wake wants another cycle after it.
    !! Costs what a decision costs.
    function surefill_cycle_plan_all(cycle, scheduler) bind(c, name='surefill_cycle_plan_all') result(code)
      import
      type(c_ptr), value :: cycle
      type(c_ptr), value :: scheduler
      integer(c_int32_t) :: code
    end function surefill_cycle_plan_all

    !> Writes when a waiting job is planned to start, by the last decision of this cycle, as exactly as
    !! surefill_reason's start. O(W) for W waiting jobs.
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
    !! that were not answered were refused; no answer is taken any more. O(W) for W waiting jobs, on nodes O(64 x
    !! nodes) beside that.
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
    !! job has, 0 for one behind all others (the reason has the largest number of 64 bits then); its state is waiting
    !! or held. The scheduler does not change. The cycle is one after surefill_cycle_plan_all and may be asked again
    !! and again: until the next plan_all surefill_cycle_planned and surefill_cycle_reason say of the others what
    !! would become of them then. Costs what a decision costs.
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
    !! is at least 1). An event costs as much as a decision: O(running jobs + considered ones), and at most 22 orders
    !! of 64 jobs, 7 in a simplified forecast. Events that are reported to the scheduler between two calls are not
    !! foreseen.
    function surefill_starts_run(starts, scheduler, work, step) bind(c, name='surefill_starts_run') &
            result(code)
      import
      type(c_ptr), value :: starts
      type(c_ptr), value :: scheduler
      integer(c_int64_t), value :: work
      integer(c_int32_t), intent(out) :: step
      integer(c_int32_t) :: code
    end function surefill_starts_run

    !> Writes whether a forecast is a cheaper one, 1 or 0: where more than 256 jobs wait (under EASY 1,024) its
    !! decisions try no changes of the order, lie 1/64 of the mean run time apart (1/256), and consider the 512 most
    !! urgent jobs (the first 4,096). Its levels are a little worse.
    function surefill_starts_simplified(starts, simplified) bind(c, name='surefill_starts_simplified') &
            result(code)
      import
      type(c_ptr), value :: starts
      integer(c_int32_t), intent(out) :: simplified
      integer(c_int32_t) :: code
    end function surefill_starts_simplified

    !> Writes the predicted start of a waiting job: the scenarios' levels, moved by the outcomes of earlier reports. A
    !! median that was reported before moves no further than to half way between the new one and the level beside it,
    !! so that answers do not jump. O(W + scenarios).
    function surefill_starts_predicted(starts, scheduler, job, start) bind(c, &
            name='surefill_starts_predicted') result(code)
      import
      type(c_ptr), value :: starts
      type(c_ptr), value :: scheduler
      integer(c_int64_t), value :: job
      type(surefill_start), intent(inout) :: start
      integer(c_int32_t) :: code
    end function surefill_starts_predicted

    !> Writes the predicted start of a waiting job like surefill_starts_predicted, but one that is reported to people:
    !! the scheduler remembers a job's first report and one drawn from those an hour or more after it, and when the
    !! job starts the levels for such reports follow.
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
