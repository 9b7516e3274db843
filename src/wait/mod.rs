//! Bounds on queue waiting time, from the history of waits (Nurmi, Brevik & Wolski 2007, "QBETS").
//!
//! From the outside in:
//! * [`WaitPredictor`]: one queue's jobs in, bounds on their waits out, in the caller's memory; `options`: input and
//!   output types.
//! * `answer`: questions about a job that comes; `adapt`: bounds shifted by their misses; `partition`: waits move into
//!   the history's clusters.
//! * `queue`: the jobs that wait.
//! * `outage`: whether the machine may be down (section 3.5).
//! * `clusters`: groups of like jobs (section 3.4); `choice`, `choose`: the choice of the attribute.
//! * `visible`: the earlier jobs that came into a like situation; `rings`: their order; `sample`: the waits that an
//!   answer rests on.
//! * `levels`: the level of the bound, adapted so that the wanted share is missed, class by class.
//! * `aged`: the rest of the wait of a job that waits already; `turn`: the jobs before the one looked at next.
//! * `chances`: probabilities of starting in time, calibrated by the observed share of starts.
//! * `estimate`: a bound from the waits that count, by one of the methods.
//! * `binomial`: the order statistic of n waits that bounds a quantile with a given confidence (section 3.1).
//! * `change`, `rare_table`: the number of consecutive misses that is a change point (section 3.2).
//! * `rivals`: log-normal, log-uniform and Weibull instead of the binomial method.
//! * `history`: the waits that count, in the order of time and of value.
//! * `tree`: sorted multisets with selection by rank.
//!
//! Waits are whole seconds, quantiles and confidences are probabilities strictly between 0 and 1.

mod adapt;
mod aged;
mod answer;
mod binomial;
mod chances;
mod change;
mod choice;
mod choose;
mod clusters;
mod estimate;
mod history;
mod levels;
mod looks;
mod options;
mod outage;
mod partition;
mod predictor;
mod queue;
mod rare_table;
mod rings;
mod rivals;
mod sample;
pub(crate) mod tree;
mod turn;
mod unfinished;
mod visible;

pub use binomial::{LARGEST_HISTORY, lower_index, smallest_history, two_sided_indices, upper_index};
pub use change::rare_event_threshold;
pub use clusters::MAX_CLUSTERS;
pub use estimate::WaitMethod;
pub use history::MAX_HISTORY;
pub use options::{
    ADAPT, AVAILABILITY, Attribute, CLUSTER, Cluster, Clustering, Features, Machine, StartProbability, TRIM,
    VISIBLE, WaitAnswer, WaitCapacity, WaitOptions, WaitingJob,
};
pub use predictor::WaitPredictor;
pub use rivals::{Weibull, log_normal_bound, log_uniform_quantile, weibull_quantile};
