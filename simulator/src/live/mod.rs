//! Answers to the questions that sites have about the present, and about their past.
//!
//! * [`age`]: how old a history is, against the gaps that are usual in it.
//! * [`mod@advise`]: what the users of a live queue may expect.
//! * `bounds`: bounds on waits, held to those of the past.
//! * `engine`: the scheduler engine, which has lived through a history, asked about a moment.
//! * `events`: the lives of jobs in the order of time.
//! * [`history`]: the histories that sites have: traces, and what `sacct` and `squeue` print.
//! * [`learn`]: the state file of a scheduler, made of a history.
//! * [`queues`]: a trace's queues, with the waits of their jobs; [`methods`]: wait predictors' methods by name.
//! * [`site`]: one wait predictor a queue that has seen a history, and questions to it; [`portal`]: the same over HTTP.
//! * [`starts`]: files of predicted starts.
//! * [`watch`]: what a scheduler in charge leaves undone, from looking on.
//! * [`mod@what_if`]: what a site's own jobs would have waited under another policy.

pub mod advise;
pub mod age;
mod bounds;
mod engine;
mod events;
pub mod history;
pub mod learn;
pub mod methods;
pub mod portal;
pub mod queues;
pub mod site;
pub mod starts;
pub mod watch;
pub mod what_if;
