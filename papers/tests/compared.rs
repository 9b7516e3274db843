//! The answer of `surefill compare`, for studies that replay policies.

use surefill_simulator::cli::replaying::Replaying;
use surefill_simulator::replay::metrics::Metrics;
use surefill_simulator::replay::run::{Options, one};
use surefill_simulator::trace::workload::{Rules, Workload};

/// Measures of a policy as `compare` has them.
pub fn compared(workload: &Workload, policy: &str, seed: u64) -> Metrics {
    let choices = [policy.parse().unwrap()];
    let policies = Replaying::new(&[]).unwrap().policies(Some(&choices)).unwrap();
    let (choice, policy) = policies.into_iter().next().unwrap();
    let options = Options { choice, policy, rules: Rules::default() };
    one("test.swf", workload, &options, seed, &|_| {}).unwrap().1.metrics
}
