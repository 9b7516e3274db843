//! Machines of nodes that jobs share by cores, memory and GPUs, and the delay of the head job on them.
//!
//! On whole, like processors the exact pass ([`crate::backfill`]) computes the head job's delay from the number of
//! released processors alone. On shared nodes it matters where they are, so the delay is found by *common scenarios*:
//! the running jobs' remaining run times are drawn together, each scenario is played forward until the head job fits,
//! and every candidate, with the nodes it would have, is judged on the same scenarios with it still there.
//!
//! * [`Nodes`]: classes of nodes, free amounts, the jobs with their parts, resources of the whole machine.
//! * `place`: the choice of nodes for a [`Request`]: first fit, best fit, or apart from the head job.
//! * [`NodePass`]: one scheduling pass; running jobs and candidates in, verdicts out, by the same
//!   [`Rule`](crate::backfill::Rule) as the exact pass.
//! * `play`: one scenario; `tail`: a job's remaining run time in it.
//! * `decide`: delays with half-widths and verdicts from scenarios; `kept`: scenarios kept over commits.
//! * [`NodeForecast`]: the start of every waiting job, the queue played forward on the nodes; `floor`: the machine in a
//!   scenario; `ahead`: placement and backfilling there.
//! * [`NodePlan`]: a start for every waiting job ([`crate::plan`]), and nodes for those that start now; `groups`: the
//!   sums of nodes by which it searches; `starts`: the jobs that start on the nodes, from its order; `asked`,
//!   `timeline`, `licences`: the jobs there, and the nodes and the machine's own resources over time; `guard`: the
//!   jobs that may start while the one that has waited longest must not be delayed; `easy`: EASY backfilling instead of
//!   the plan.
//! * `board`: a machine as a manager describes it.

mod ahead;
mod asked;
mod board;
mod decide;
mod easy;
mod floor;
mod forecast;
mod groups;
mod guard;
mod kept;
mod licences;
mod machine;
mod pass;
mod place;
mod plan;
mod play;
mod request;

mod starts;
mod state;
mod tail;
mod timeline;

pub use forecast::{NodeForecast, NodeForecastCapacity};
pub use machine::{MAX_NODES, Nodes, NodesCapacity};
pub use pass::{NodeJudgement, NodePass};
pub use plan::{NodePlan, NodePlanCapacity};
pub use request::{Amounts, Fit, MAX_RESOURCES, MAX_TASKS, Part, Request, Spread};
pub use state::{FEWEST_SCENARIOS, MAX_SCENARIOS, NodePassCapacity, NodePassOptions};
