//! surefill's simulator: replays workload traces under scheduling policies, and measures what comes of it.
//!
//! * [`swf`]: reads and writes the Standard Workload Format.
//! * [`workload`]: the replay rules that make jobs of a trace's lines.
//! * [`machine`]: the event-driven replay.
//! * [`policy`]: who starts when; [`predict`]: how long a job will run.
//! * [`outcome`]: what one replay produced.

pub mod machine;
pub mod outcome;
pub mod policy;
pub mod predict;
pub mod swf;
pub mod workload;
