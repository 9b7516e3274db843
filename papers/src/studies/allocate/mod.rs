//! Malleable jobs that choose their number of processors (Downey 1997, sections 4 to 6).
//!
//! * [`workload`]: the daily cycle and the jobs (section 2.2, section 4).
//! * [`lifetimes`]: run-time models of the predictors.
//! * [`strategy`]: what the job at the head of the queue does: AVG, OPT, PRED, BIAS, HEUR, the 40 % rule, and the
//!   exact ones.
//! * [`reading`]: how what the paper leaves open may be read.
//! * [`machine`]: processors, running jobs and their true ends.
//! * [`system`]: first come, first served, with decisions in effect (Table 2).
//! * [`application`]: decisions recorded under AVG without being effected (Table 1).
//! * [`study`]: both over several seeds; [`sweep`]: over loads, machine sizes and supplied run times, in shards.
//! * [`figures`]: what is drawn.
//! * [`surefill_simulator::base::statistics`]: means with confidence intervals.
//!
//! All times are seconds in `f64`. The same options give the same numbers on every machine.

pub mod application;
pub mod figures;
pub mod lifetimes;
pub mod machine;
pub mod reading;
pub mod strategy;
pub mod study;
pub mod sweep;
pub mod system;
pub mod workload;
