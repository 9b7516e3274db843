//! The scheduler without a machine: pools, queues and jobs are reported to it, and it offers jobs to start.
//!
//! Everything else is a shell around it: a resource manager's plugin, a replay, a question of a user's. A shell reports
//! the jobs of its manager, by single events or by whole listings ([`Scheduler::set_job`]), runs a [`Cycle`] when
//! [`Scheduler::wake`] demands one, and carries out the cycle's offers:
//!
//! ```
//! use surefill::engine::{Action, Cycle, JobReport, JobState, Scheduler, SchedulerCapacity};
//!
//! # fn main() -> surefill::error::Result<()> {
//! let capacity = SchedulerCapacity::of(100);
//! let mut memory = vec![0_u64; Scheduler::size(&capacity)?.div_ceil(8)];
//! let mut scheduler = Scheduler::init(bytemuck::cast_slice_mut(&mut memory), &capacity)?;
//! let pool = scheduler.set_pool(b"nodes", 64, None)?;
//! let batch = scheduler.set_queue(b"batch", pool)?;
//! for (id, count) in [(1, 48), (2, 64), (3, 16)] {
//!     let job = JobReport { id, count, limit: 3600, queues: &[batch], ..JobReport::default() };
//!     scheduler.set_job(1_000_000 + id, &job)?;
//! }
//!
//! let mut scratch = vec![0_u64; Cycle::size(&scheduler.capacity())?.div_ceil(8)];
//! let mut cycle = Cycle::begin(bytemuck::cast_slice_mut(&mut scratch), &mut scheduler, pool, 1_000_060)?;
//! let mut started = Vec::new();
//! while let Action::Start(offer) = cycle.next(&mut scheduler)? {
//!     // Here the manager starts the job, or refuses to.
//!     cycle.started(&mut scheduler, offer.number, offer.job)?;
//!     started.push(offer.job);
//! }
//! cycle.close(&mut scheduler)?;
//! assert_eq!(started, [1, 3]);
//! # Ok(())
//! # }
//! ```
//!
//! * `job`: a manager's report of a job; `settings`: those of a scheduler; `words`: their words;
//!   `digits`: numbers in text.
//! * `table`: the records of the jobs that are known; `pools`: the pools for which they compete.
//! * `predictions`: predicted run times, the times at which they are made and kept.
//! * `object`: the block, pools and queues; `capacity`: its capacities; `life`: the events of a job, found from its
//!   present report; `listing`: whole listings, in which jobs may be missing.
//! * `grow`: a larger block.
//! * `order`: the site's order of the jobs, and EASY backfilling in it.
//! * `array`: the start of an array's task.
//! * `machine`: nodes and reservations; `set_nodes`: reports of them; `wants`: the requests of jobs to nodes, and the
//!   nodes they hold; `describe`: descriptions of jobs.
//! * `cycle`: one decision and its offers; `answer`: the manager's answers; `decide`: the jobs that start; `delay`:
//!   those that do by the delay rule; `delayed`: its memory; `on_nodes`: the machine on which is decided in a pool of
//!   nodes.
//! * `reason`: the reason why a job waits; `sentence`: that in words; `guest`: the start of a job that is not
//!   submitted.
//! * `submissions`, `arrivals`: the jobs submitted last; `starts`: the correction of reported starts by actual ones;
//!   `stall`: pauses in which nothing starts.
//! * `forecast`: the start of every waiting job; `gather`: its beginning; `whole`: pools as it counts them;
//!   `booked`: reservations; `scenario`: the rule, played forward; `considered`: the part of a long queue that
//!   decides; `regions`, `divided`: pools whose queues share some units; `predicted_start`: the levels that are
//!   reported to people.

mod accuracy;
mod answer;
mod array;
mod arrivals;
mod booked;
mod capacity;
mod considered;
mod cycle;
mod decide;
mod delay;
mod delayed;
mod describe;
mod digits;
mod divided;
mod forecast;
mod gather;
mod grow;
mod guest;
mod job;
mod life;
mod listing;
mod machine;
mod object;
mod on_nodes;
mod order;
mod pools;
mod predicted_start;
mod predictions;
mod reason;
mod regions;
mod scenario;
mod sentence;
mod set_nodes;
mod settings;
mod stall;
mod starts;
mod submissions;
mod table;
mod wants;
mod whole;
mod words;

pub use capacity::SchedulerCapacity;
pub use cycle::{Action, Cycle, Offer, Refusal};
pub use delayed::Delayed;
pub use divided::{MOST_REGIONS, Region};
pub use forecast::{MOST_SCENARIOS, StartForecast};
pub use job::{JOB_QUEUES, JobReport, JobState, UNKNOWN_USER, Why, user_or_queue};
pub use machine::{NodeReport, NodeState, Reservation};
pub use object::{Scheduler, Totals, hash};
pub use predicted_start::PredictedStart;
pub use reason::Reason;
pub use sentence::Names;
pub use settings::{Mode, OrderWord, PredictorWord, PresetWord, RuleWord, Settings, Way};
pub use stall::Stall;
pub use starts::LEVELS;
pub use wants::Wants;
pub use words::BadWord;
