//! Machines of nodes that jobs share by cores, memory and GPUs, and the delay of the head job on them.
//!
//! On whole, like processors the exact pass ([`crate::backfill`]) knows the head job's delay from the number of
//! released processors alone. On shared nodes it matters where they are, so the delay is found by *common scenarios*:
//! the running jobs' remaining run times are drawn together, each scenario is played forward until the head job fits,
//! and every candidate, with the nodes it would have, is judged on the same scenarios with it still there.
//!
//! * [`Nodes`]: classes of nodes, what is free on each, which job holds what where, resources of the whole machine.
//! * `place`: where a [`Request`] finds room: first fit, best fit, or apart from the head job.
//! * [`NodePass`]: one scheduling pass; running jobs and candidates in, verdicts out, by the same
//!   [`Rule`](crate::backfill::Rule) as the exact pass.
//! * `play`: one scenario; `tail`: a job's remaining run time in it.
//! * `decide`: from scenarios to delays with half-widths and verdicts.
//! * [`NodeForecast`]: when every waiting job will start, the queue played forward on the nodes; `floor`: the machine
//!   in a scenario; `ahead`: who finds room there, and who may overtake.
//! * [`NodePlan`]: a start for every waiting job ([`crate::plan`]), and nodes for those that start now; `groups`: the
//!   nodes as its search sees them; `settle`: from its order to starts on the nodes; `asked`, `timeline`, `licences`:
//!   the jobs there, and the nodes and the machine's own resources over time; `guard`: who may start while the job that
//!   has waited longest must not be delayed; `easy`: EASY backfilling instead of the plan.
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
mod licences;
mod machine;
mod pass;
mod place;
mod plan;
mod play;
mod request;
mod settle;
mod state;
mod tail;
mod timeline;

pub use forecast::{NodeForecast, NodeForecastCapacity};
pub use machine::{MAX_NODES, Nodes, NodesCapacity};
pub use pass::{NodeJudgement, NodePass};
pub use plan::{NodePlan, NodePlanCapacity};
pub use request::{Amounts, Fit, MAX_RESOURCES, MAX_TASKS, Part, Request, Spread};
pub use state::{FEWEST_SCENARIOS, MAX_SCENARIOS, NodePassCapacity, NodePassOptions};
