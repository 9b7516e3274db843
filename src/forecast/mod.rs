//! The start of every waiting job, by seeded scenarios of the unknown run times.
//!
//! The scheduling pass ([`crate::backfill`]) computes the head job's start exactly. Starts behind the head depend on
//! the order in which jobs overtake, and no formula is known for that; so the queue is played forward. In each
//! *scenario* every running and waiting job has one run time, drawn from its predicted distribution, and the queue is
//! scheduled by the policy in force until every waiting job has started. Run times predicted beyond a job's limit end
//! at the limit ([`RuntimeDistribution::remaining_within`](crate::runtime::RuntimeDistribution::remaining_within)). The
//! policy uses what it uses on a real machine: limits, or predicted medians; never the drawn run times. A job's starts
//! over all scenarios are its predictive distribution.
//!
//! * [`Forecast`]: the machine, the running and the waiting jobs in the caller's memory.
//! * `draw`: run times by Latin hypercube sampling (McKay, Beckman & Conover 1979), from an integer hash.
//! * `play`: one scenario, instant by instant.
//! * `tree`: the queue as a tree, the first job in any order among those that fit.
//! * `order`: the queue and the candidates in lists by priorities, for machines of nodes.
//! * `profile`: the reservations of more than one waiting job.
//! * `answer`: quantiles, probabilities and means of a job's start, each with a half-width.
//!
//! Jobs that arrive later are not predicted, except those that the caller adds with a time of submission ahead: a
//! forecast is too early where later jobs overtake (under backfilling they may) and right where none does. The forecast
//! of the scheduler engine repeats earlier submissions and follows the actual starts
//! ([`StartForecast`](crate::engine::StartForecast)).

mod answer;
pub(crate) mod draw;
mod object;
mod options;
mod order;
mod play;
mod profile;
mod tree;

pub(crate) use answer::Answers;
pub use answer::Estimate;
pub(crate) use object::{FILLING, Parts as ForecastParts, Queued, State as ForecastState};
pub use object::{Forecast, ForecastCapacity};
pub use options::{CandidateOrder, ForecastOptions, MAX_SCENARIOS, Plans, Policy};
pub(crate) use play::Machine;
pub use play::Progress;
