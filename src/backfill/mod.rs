//! Probabilistic backfilling: whether a job may jump the queue.
//!
//! Nissimov & Feitelson 2007 start a waiting job ahead of the head of the queue when the probability that this delays
//! the head job is below a threshold. They bound that probability from below; here it is computed exactly, together
//! with the expected delay in seconds.
//!
//! In their notation: `t0` is now, `S(t)` (their `c(t)`) the processors released by time `t`, `c_q` the processors that
//! the head job still lacks, `k` the candidate's processors, `te` its end. Each running job's remaining run time is a
//! list of [`Release`](crate::runtime::Release)s. All releases of one second are an *instant*; no job starts inside it.
//!
//! The files, from the outside in:
//! * [`Pass`]: one scheduling pass in the caller's memory; running jobs and candidates in, verdicts out.
//! * `decide`: the choice of an algorithm, and its steps.
//! * `prepare`: verdicts that need none, and the setting up of one.
//! * `by_walk`: the loop that merges the walk with the candidates' ends in time order.
//! * `by_spectrum`: the decision from frequencies.
//! * `verdict`: turns the walk's probabilities into delays and verdicts, with early exits.
//! * `walk`: visits the instants in time order, knowing at each the distribution of all processors released by the
//!   other jobs (divide and conquer over time, E x C multiply-adds for E events and C processors).
//! * `triage`: verdicts that follow from widths and limits alone.
//! * `by_brackets`: the decision where brackets are enough.
//! * `bracket`: verdicts from a few instants, for rules in seconds that need no more.
//! * `rows`: the numbers released by one instant, from coarse widths or exact ones.
//! * `fourier`: the same numbers on wide machines, from the frequencies that matter at one instant.
//! * `segment`: distributions of middle frames, kept for the walks after an accepted candidate.
//! * `frame`: the walk's stack of frames, each with a distribution.
//! * `running`: a running job, followed over its releases.
//! * `spectrum`: the same in seconds on wide machines, from some dozens of frequencies instead of C numbers.
//! * `frequencies`: the selection of those that are kept.
//! * `factor`: the inner loops over frequencies.
//! * `tie`: the joint step of several jobs at one instant.
//! * `crowd`: the table behind it, with moments for the narrow jobs of a large group.
//! * `reservation`: the head job's start, and the processors it leaves over, if all jobs ran to their limits: EASY's.
//! * `timeline`: sorts the releases into instants.
//! * `convolve`: the inner loop: one more job added to a distribution of released processors.
//! * `head_start`: Pr(at least n processors free at t) and the head job's start-time quantiles.

mod accounts;
mod bracket;
mod by_brackets;
mod by_spectrum;
mod by_walk;
pub(crate) mod convolve;
mod crowd;
mod cumulants;
mod decide;
mod factor;
mod fourier;
mod frame;
mod frequencies;
mod head_start;
mod pass;
mod prepare;
mod reservation;
mod rows;
mod running;
mod segment;
mod spectrum;
mod tie;
mod timeline;
mod triage;
mod verdict;
mod walk;

pub use accounts::HEADS_KEPT;
pub use decide::Step;
pub use pass::{MAX_PROCESSORS, Pass, PassCapacity};
pub use verdict::{Criterion, Exactness, Judgement, Rule, Verdict};
