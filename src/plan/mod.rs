//! A plan of the whole queue: a start for every waiting job, by the cheapest of some sixty list schedules.
//!
//! EASY and the delay rule ([`crate::backfill`]) reserve for one job and ask of every other one whether it may pass. A
//! plan asks another question: in which order should all that wait take their places? An order is a schedule: one job
//! after the other takes the earliest instant at which its processors are free for as long as it is expected to run. A
//! schedule has a price, the sum over all jobs of
//!
//! ```text
//! cost(w) = b ln(max(w, 10 s)) + (w / day)^2 (1 + h (w / L)^4),
//! ```
//!
//! where w is a job's whole wait until its planned start and L a wait that few jobs have ([`PlanRule`]). The price of
//! delaying a job grows with its wait so far, so that no job starves, and the widths price themselves. The cheapest
//! schedule found is kept as an order for the next pass, and the jobs that it has planned for now start.
//!
//! The most pressing [`WINDOW`] waiting jobs are put in order, the two that have waited longest among them; the others
//! follow them. Higher tiers come before all that: where they fill the window, a job of a lower
//! tier that has waited longest is not in it, and is guarded all the same.
//!
//! The first of those that wait, the **head**, may have a promise: when a job would pass it, its whole wait by the
//! limits is noted, with the share of it by which it may be longer ([`PlanRule::budget`]), and anew whenever that has
//! become less. Only those start ahead of it that leave its processors free at that instant, by the limits; when its
//! wait has become as long as promised, it is in front of all others. With [`PlanRule::slack`] the front job has such a
//! promise instead of its start by the limits.
//!
//! * [`Plan`]: what runs, what waits, and the kept order, in the caller's memory; `waiting`: the waiting jobs.
//! * `grid`: the instants that a plan knows, 337 of them up to 194 days.
//! * `cost`: the price of waiting, in integers.
//! * `profile`: how many processors are free from which instant on; the earliest place of a job.
//! * `queue`: the waiting jobs ranked, and the cheapest order of them; it does not know what the machine is made of.
//! * `search`: first orders, and changes of the best of them.
//! * `guard`: who may start while the job that has waited longest must not be delayed.
//!
//! All arithmetic is of integers: the same inputs give the same plan everywhere. A pass looks at no more than (7 +
//! proposals) orders of 64 jobs, each placed twice if it becomes the present one, and a job at no more than 337
//! instants; the waiting jobs beyond the window cost O(W) and, for each that is tried, O(log W) and one look along the
//! instants.

mod cost;
mod grid;
mod guard;
mod object;
mod profile;
mod queue;
mod rule;
mod search;
mod waiting;

pub use grid::LONGEST;
pub(crate) use grid::{POINTS, number, up};
pub(crate) use guard::{Guard, Guarded, Limited, Until};
pub(crate) use object::MAX_PLANNED;
pub use object::{Plan, PlanCapacity, PlanWork, StartedNow};
pub(crate) use profile::{Free, Place, Profile, Rooms};
pub(crate) use queue::{Arranged, KeptOrder, PROFILES, Queue, Ranked as Rank, take_first};
pub use rule::{LEAST_BUDGET, LongWaits, NO_BUDGET, PlanRule, last_asked};
pub use search::WINDOW;
pub(crate) use search::pressing;
pub use waiting::WaitingJob;
pub(crate) use waiting::{UNPLANNED, Waiting, seconds};
