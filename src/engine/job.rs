//! Reports of jobs by a resource manager.

use super::wants::Wants;
use crate::error::{Error, Result};
use crate::nodes::{MAX_TASKS, Part};
use crate::runtime::{MAX_SECONDS, RuntimeDistribution};

/// Largest number of queues in which a job may start.
pub const JOB_QUEUES: usize = 8;

/// The user of a job whose user is not known: its first queue stands for that in predictions ([`user_or_queue`]).
pub const UNKNOWN_USER: i64 = -1;

/// The user by which predictors know a job: where that is unknown, a number below -1 for its queue.
pub fn user_or_queue(user: i64, queue: Option<u32>) -> i64 {
    if user == UNKNOWN_USER { queue.map_or(user, |queue| -2 - i64::from(queue)) } else { user }
}

/// Largest distance of a time from 0, in seconds.
pub(super) const MAX_TIME: i64 = 1 << 53;

/// A job's state, as the manager reports it. The numbers are C's, and lie in checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum JobState {
    /// Waiting or held, whichever was reported last; waiting if the job is unknown.
    #[default]
    AsBefore = 0,
    /// It may start when there is room.
    Waiting = 1,
    /// It waits but must not start now ([`JobReport::why`]).
    Held = 2,
    /// It has its room and is being started.
    Starting = 3,
    /// It runs.
    Running = 4,
    /// It has started and is stopped; it does not age.
    Suspended = 5,
    /// It is over, but its resources are still being cleaned.
    Ending = 6,
    /// It ended by itself, by its limit or by its user. Its run time is learnt.
    Ended = 7,
    /// It ended by a failure or by preemption. Nothing is learnt from it.
    Broken = 8,
    /// It was withdrawn before it ran.
    Gone = 9,
}

impl JobState {
    /// The state with this number.
    pub fn from_number(number: u32) -> Option<JobState> {
        use JobState::*;
        [AsBefore, Waiting, Held, Starting, Running, Suspended, Ending, Ended, Broken, Gone]
            .into_iter()
            .find(|state| *state as u32 == number)
    }

    /// Whether a job in this state holds room.
    pub fn has_room(self) -> bool {
        matches!(self, JobState::Starting | JobState::Running | JobState::Suspended | JobState::Ending)
    }

    /// Whether a job in this state waits.
    pub fn waits(self) -> bool {
        matches!(self, JobState::AsBefore | JobState::Waiting | JobState::Held)
    }
}

/// Reason why a job starts, or waits. Those below [`Why::Hold`] are the engine's, the others the manager's. The numbers
/// are C's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Why {
    /// No reason is known.
    #[default]
    Unknown = 0,
    /// It starts in the queue's order.
    InOrder = 1,
    /// It starts because the cheapest plan has it start now.
    Planned = 2,
    /// It starts ahead of a head job, which by the time limits is not delayed.
    ByLimits = 3,
    /// It starts ahead of the head job, whose delay by it is below what the delay rule allows.
    ByDelay = 4,
    /// It waits: there is no room, the jobs that start now counted.
    NoRoom = 16,
    /// It waits as the head job.
    Head = 17,
    /// It waits: the cheapest plan has it start later.
    Later = 18,
    /// It waits: it would delay a head job that no job may delay.
    Guarded = 19,
    /// It waits: the manager refused to start it.
    Refused = 20,
    /// It waits: the pool's numbers contradict each other, and no job passes the first one.
    Inconsistent = 21,
    /// It can never start: the pool is too small, or has no nodes that match its request.
    Never = 22,
    /// It waits: what it needs is out of service.
    NodesOut = 23,
    /// It waits: reservations keep it off its nodes, or its own has not begun.
    Reserved = 24,
    /// It waits: the licences that it wants are in use, or are fewer than it wants.
    Licences = 25,
    /// It waits behind the planned jobs, which take the idle units.
    Depth = 26,
    /// It waits: the delay rule does not allow the delay of the head job that it would cause ([`Reason::delayed`]).
    ///
    /// [`Reason::delayed`]: super::Reason::delayed
    Delays = 27,
    /// The manager holds it. Time held is not time waited, as with the next two.
    Hold = 48,
    /// It depends on other jobs.
    Dependency = 49,
    /// Its time has not come.
    Begin = 50,
    /// It is held by a limit on its user, account or queue. Time held is time waited, as with the next ones.
    Limit = 51,
    /// It could not end before its deadline.
    Deadline = 52,
    /// Its queue is closed.
    QueueClosed = 53,
    /// Another reason of the manager's.
    Other = 54,
    /// Enough tasks of its array run at once.
    Array = 55,
}

impl Why {
    /// The reason with this number.
    pub fn from_number(number: u32) -> Option<Why> {
        use Why::*;
        let starts = [Unknown, InOrder, Planned, ByLimits, ByDelay];
        let waits = [
            NoRoom,
            Head,
            Later,
            Guarded,
            Refused,
            Inconsistent,
            Never,
            NodesOut,
            Reserved,
            Licences,
            Depth,
            Delays,
        ];
        let engine = starts.into_iter().chain(waits);
        let manager = [Hold, Dependency, Begin, Limit, Deadline, QueueClosed, Other, Array];
        engine.chain(manager).find(|why| *why as u32 == number)
    }

    /// Whether a job that is held for this reason waits while it is held.
    pub(super) fn is_wait(self) -> bool {
        !matches!(self, Why::Hold | Why::Dependency | Why::Begin)
    }
}

/// A job as it is reported to the engine, by an event or by a row of a listing. Members that are 0 mean none, unknown
/// or the default. All times are whole seconds since any origin, from
/// 0 to 2^53.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JobReport<'a> {
    /// Id of the job; not 0.
    pub id: i64,
    /// State by the manager, whatever the engine assumed. For jobs that are over `id`, `state` and `ran` are enough.
    pub state: JobState,
    /// Its user, as a number of the caller's ([`crate::engine::hash`] of a name); [`UNKNOWN_USER`] if it is not known.
    pub user: i64,
    /// Time of its submission; 0 for now.
    pub submit: i64,
    /// Earliest time of its start, before which it is reported as waiting.
    pub begin: i64,
    /// Time of its start, in this run.
    pub start: i64,
    /// Its time limit in seconds; 0 for none.
    pub limit: i64,
    /// Seconds that it has run without suspensions; 0 for the time since `start`.
    pub ran: i64,
    /// The site's priority, larger first.
    pub priority: f64,
    /// Jobs of a higher tier never wait for those of a lower one.
    pub tier: i32,
    /// Number of processors that it wants; at least 1, and at most 2^31 - 1.
    pub count: u32,
    /// Number of processors that it holds, where that differs from those wanted.
    pub units: u32,
    /// Number of times that it was put back into the queue.
    pub restarts: u32,
    /// Number of tasks of an array that wait, this job among them; 0 for 1.
    pub tasks: u32,
    /// Number of these that may start now, until it is reported again; 0 for all.
    pub at_once: u32,
    /// Reason why it is held.
    pub why: Why,
    /// Whether it holds nothing while it is suspended.
    pub holds_nothing: bool,
    /// The queues in which it may start, or did, all of one pool.
    pub queues: &'a [u32],
    /// The request of its tasks to nodes; nothing in a pool of counted units.
    pub wants: Wants,
    /// The nodes that it holds, with its tasks on each, from now on; none for those that it held before. Ignored for a
    /// job that holds nothing.
    pub parts: &'a [Part],
    /// Its predicted run time, if the caller predicts it; else the engine does.
    pub prediction: Option<&'a RuntimeDistribution>,
}

impl JobReport<'_> {
    /// Number of processors that it wants, in a pool of nodes or not.
    pub(super) fn width(&self, of_nodes: bool) -> u32 {
        if of_nodes && self.units != 0 { self.units } else { self.wants.width(self.count) }
    }

    /// Refuses values that no job can have.
    pub(super) fn check(&self) -> Result<()> {
        if self.priority.is_nan() {
            return Err(Error::NotANumber);
        }
        if self.limit.max(self.ran) > MAX_SECONDS {
            return Err(Error::SpanTooLong);
        }
        let times = [self.submit, self.begin, self.start, self.limit, self.ran];
        let valid = self.id != 0
            && times.iter().all(|time| time.unsigned_abs() <= MAX_TIME as u64)
            && self.limit >= 0
            && self.ran >= 0
            && self.priority.is_finite()
            && self.count <= i32::MAX as u32
            && self.units <= i32::MAX as u32
            && self.queues.len() <= JOB_QUEUES
            && self.parts.iter().all(|part| (1..=MAX_TASKS).contains(&part.tasks));
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }
}
