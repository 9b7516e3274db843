//! surefill's simulator: replays workload traces under scheduling policies, and measures what comes of it.
//!
//! * [`swf`]: reads and writes the Standard Workload Format.
//! * [`workload`]: the replay rules that make jobs of a trace's lines.
//! * [`machine`]: processors and queue; [`mod@replay`]: the event-driven replay on them.
//! * [`policy`]: who starts when; [`predict`]: how long a job will run.
//! * [`outcome`]: what one replay produced; [`metrics`] and [`calibration`] measure it, [`schedule`] writes it job by job.
//! * [`run`]: replays over several seeds; [`papers`]: published numbers to compare with.
//! * [`mod@characterize`]: what the states of a hidden Markov model are.
//! * [`mod@explain`]: why one job waited.
//! * [`mod@generate`]: synthetic workloads.
//! * [`locality`]: how much run times can be learnt from submit times and users.
//! * [`hmm`]: the hidden Markov model of run times, trained and tested on traces.
//! * [`similar`]: how close they are to real ones.
//! * [`mod@allocate`]: malleable jobs that choose their size.
//! * [`waits`]: bounds on waiting times, how well they hold, and answers for sites.
//! * [`mod@advise`]: what the users of a live queue may expect.
//! * [`random`]: draws that are the same everywhere.
//! * [`report`]: tables for terminals, self-contained pages with plots.
//! * [`cli`]: the command line.

pub mod advise;
pub mod allocate;
pub mod calibration;
pub mod characterize;
pub mod cli;
pub mod explain;
pub mod generate;
pub mod hmm;
pub mod locality;
pub mod machine;
pub mod metrics;
pub mod outcome;
pub mod papers;
pub mod policy;
pub mod predict;
pub mod random;
pub mod replay;
pub mod report;
pub mod run;
pub mod schedule;
pub mod similar;
pub mod swf;
pub mod waits;
pub mod workload;
