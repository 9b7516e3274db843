//! Replays of a workload under scheduling policies, and what they measure.
//!
//! * [`machine`]: processors and queue; [`engine`]: the event-driven replay on them.
//! * [`policy`]: who starts when; [`predict`]: how long a job will run; [`registry`]: how a program adds its own of
//!   both; [`named`]: what is known by its name alone.
//! * [`setup`]: how a replay was set up; [`mod@backfill`]: its predicted delays and those that followed.
//! * [`outcome`]: what one replay produced; [`metrics`], [`fairness`], [`calibration`] and [`waiting`] measure it,
//!   [`schedule`] and [`evalys`] write it job by job.
//! * [`run`]: replays over several seeds; [`mod@explain`]: why one job waited.

pub mod backfill;
pub mod calibration;
pub mod engine;
pub mod evalys;
pub mod explain;
pub mod fairness;
pub mod machine;
pub mod metrics;
pub mod named;
pub mod nodes;
pub mod outcome;
pub mod policy;
pub mod predict;
pub mod registry;
pub mod run;
pub mod schedule;
pub mod setup;
pub mod waiting;
