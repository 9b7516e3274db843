//! Predicting run times on line.
//!
//! * [`Mixture`]: what jobs like this one ran, "like" in several ways at once, each weighed by how well it has done for
//!   this user.
//! * `histories`: a table of decaying counts, of fixed capacity.

mod histories;
mod mixture;

pub use mixture::{Expert, MAX_EXPERTS, MAX_KEYS, Mixture, MixtureLimits};
