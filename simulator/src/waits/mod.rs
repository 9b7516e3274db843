//! How well bounds on waiting times hold on traces (Nurmi, Brevik & Wolski 2007, "QBETS", section 4), and answers for sites.
//!
//! * [`queue`]: a trace's queues, with the waits of their jobs.
//! * [`simulate`]: the paper's simulation rule: every job is told a bound when it is submitted, and its wait becomes known
//!   only when it ends.
//! * [`measures`]: correctness and accuracy of the bounds.
//! * [`further`]: beyond the paper: jobs that wait already, and probabilities of starting by a time.
//! * [`study`]: all methods on all queues; [`paper`]: the paper's rows for the same machines.
//! * [`history`]: what sites have: traces, and what `sacct` and `squeue` print.
//! * [`site`]: one predictor a queue that has seen a history, and questions to it; [`portal`]: the same over HTTP.

pub mod further;
pub mod history;
pub mod measures;
pub mod paper;
pub mod portal;
pub mod queue;
pub mod simulate;
pub mod site;
pub mod study;
