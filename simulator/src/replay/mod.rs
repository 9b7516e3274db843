//! Replays of a workload under scheduling policies, and their measures.
//!
//! * [`machine`]: processors and queue; [`engine`]: the event-driven replay on them.
//! * [`policy`]: the decisions about starts; [`predict`]: predictors of run times; [`registry`]: a program's own ones
//!   of both; [`named`]: values known by their names alone.
//! * [`setup`]: the setup of a replay; [`mod@backfill`]: its predicted delays and those that followed.
//! * [`outcome`]: the result of one replay; [`metrics`], [`fairness`], [`calibration`] and [`waiting`] measure it,
//!   [`schedule`] and [`evalys`] write it job by job.
//! * [`scored`]: a replay beside the record.
//! * [`run`]: replays over several seeds; [`mod@explain`]: the reasons why one job waited; [`starts`]: how well starts
//!   of waiting jobs are forecast.

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
mod outages;
pub mod outcome;
pub mod policy;
pub mod predict;
pub mod registry;
pub mod run;
pub mod schedule;
pub mod scored;
pub mod setup;
pub mod starts;
pub mod waiting;
