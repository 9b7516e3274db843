//! Policies, predictors of run times and queue orders by name: the built-in ones, and those that a program adds.
//!
//! Additions can be named wherever a policy is named: by every verb of the command line, in `compare`'s lists and from
//! a program of one's own. `simulator/examples/own_policy.rs` adds a policy and is otherwise the command line itself.
//!
//! Entries live as long as the process. An added entry takes the place of an earlier one of the same name; the names of
//! built-in ones are refused.

use super::named::Named;
use super::policy::{Order, Parts, Policy, PolicyName, QueueOrder};
use super::predict::{PointPredictor, PredictorName};

pub use super::named::BadName;

/// Adds a policy; `about` is its text for `--help`. [`Parts`] has its predictor, its order and the option for overdue
/// jobs.
///
/// # Errors
/// [`BadName`].
pub fn add_policy(
    name: &str,
    about: &str,
    build: impl Fn(Parts) -> Box<dyn Policy> + Send + Sync + 'static,
) -> Result<PolicyName, BadName> {
    let policy = PolicyName::Named(Named::new(name, about, Box::new(build)));
    super::policy::POLICIES.add(name, policy).map(|()| policy)
}

/// Adds a predictor of single run times, for every policy that predicts. Under the probabilistic policy its number, as
/// it was at submission, is the whole distribution.
///
/// # Errors
/// [`BadName`].
pub fn add_predictor(
    name: &str,
    about: &str,
    build: impl Fn() -> Box<dyn PointPredictor> + Send + Sync + 'static,
) -> Result<PredictorName, BadName> {
    let predictor = PredictorName::Named(Named::new(name, about, Box::new(build)));
    super::predict::PREDICTORS.add(name, predictor).map(|()| predictor)
}

/// Adds an order of queue and backfill candidates.
///
/// # Errors
/// [`BadName`].
pub fn add_order(
    name: &str,
    about: &str,
    build: impl Fn() -> Box<dyn QueueOrder> + Send + Sync + 'static,
) -> Result<Order, BadName> {
    let order = Order::Named(Named::new(name, about, Box::new(build)));
    super::policy::ORDERS.add(name, order).map(|()| order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::policy::{Choice, name_of};
    use clap::ValueEnum;

    struct Nothing;

    impl QueueOrder for Nothing {
        fn value(&mut self, _job: &crate::trace::workload::Job, _now: i64, _predicted: i64) -> f64 {
            0.0
        }
    }

    #[test]
    fn names_are_added_replaced_and_refused() {
        let add = |name: &str| add_order(name, "", || Box::new(Nothing));
        let first = add("test.order").unwrap();
        let count = Order::value_variants().len();
        let second = add("test.order").unwrap();
        assert_eq!(Order::value_variants().len(), count);
        assert!(first != second && Order::value_variants().contains(&second));
        assert_eq!(name_of(second), "test.order");
        let choice: Choice = "easy:limit:test.order".parse().unwrap();
        assert_eq!((choice.order, choice.to_string().as_str()), (Some(second), "easy:limit:test.order"));
        assert_eq!(add("sjf").unwrap_err().to_string(), "'sjf' is the name of a built-in one");
        assert!(matches!(add("a:b"), Err(BadName::Letters(_))));
        assert!(matches!(add(""), Err(BadName::Letters(_))));
    }
}
