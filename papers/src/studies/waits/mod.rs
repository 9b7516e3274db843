//! Coverage of bounds on waiting times on traces (Nurmi, Brevik & Wolski 2007, "QBETS", section 4).
//!
//! * [`simulate`]: the paper's simulation rule: every job is given a bound when it is submitted, and its wait becomes
//!   known only when it ends.
//! * [`measures`]: correctness and accuracy of the bounds.
//! * [`classes`]: the same for wide jobs, long requests, single months and users.
//! * [`machine`]: what the scheduler knew of the machine at every moment.
//! * [`further`]: beyond the paper: jobs that wait already, and probabilities of starting by a time.
//! * [`beside`]: bounds for other quantiles than a predictor's own, and lower bounds.
//! * [`study`]: all methods on all queues; [`paper`]: the paper's rows for the same machines.

pub mod beside;
pub mod classes;
pub mod further;
pub mod machine;
pub mod measures;
pub mod paper;
pub mod simulate;
pub mod study;
