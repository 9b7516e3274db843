//! Bounds on queue waiting time, from the history of waits (Nurmi, Brevik & Wolski 2007, "QBETS").
//!
//! * `binomial`: which order statistic of n waits bounds a quantile with a given confidence (section 3.1).
//! * `change`, `rare_table`: how many consecutive misses are a change point (section 3.2).
//! * `rivals`: log-normal, log-uniform and Weibull in its place.
//! * `history`: the waits that count, in the order of time and of value.
//! * `tree`: sorted multisets with selection by rank.
//!
//! Waits are whole seconds, quantiles and confidences are probabilities strictly between 0 and 1.

mod binomial;
mod change;
mod clusters;
mod history;
mod rare_table;
mod rivals;
mod tree;

pub use binomial::{LARGEST_HISTORY, lower_index, smallest_history, two_sided_indices, upper_index};
pub use change::rare_event_threshold;
pub use rivals::{Weibull, log_normal_bound, log_uniform_quantile, weibull_quantile};
