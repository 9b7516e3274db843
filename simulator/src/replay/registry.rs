//! Policies, predictors of run times and queue orders by name: the built-in ones, and those that a program adds.
//!
//! Whatever is added here can be named wherever a policy is named: by every verb of the command line, in `compare`'s
//! lists and from a program of one's own. `simulator/examples/own_policy.rs` adds a policy and is otherwise the command
//! line itself.
//!
//! Entries live as long as the process. An added entry takes the place of an earlier one of the same name; the names of
//! built-in ones are refused.

use super::policy::{Named, Order, Parts, Policy, PolicyName, QueueOrder};
use super::predict::{PointPredictor, Predictor};
use clap::ValueEnum;
use std::sync::{PoisonError, RwLock};

/// Makes a policy for one replay.
pub type BuildPolicy = dyn Fn(Parts) -> Box<dyn Policy> + Send + Sync;

/// Makes a predictor of run times for one replay.
pub type BuildPredictor = dyn Fn() -> Box<dyn PointPredictor> + Send + Sync;

/// Makes a queue order for one replay.
pub type BuildOrder = dyn Fn() -> Box<dyn QueueOrder> + Send + Sync;

/// Why a name cannot be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// It could not be written in a list of policies.
    #[error("'{0}' is no name: letters, digits and + . _ - only")]
    Letters(String),
    /// It is built in.
    #[error("'{0}' is the name of a built-in one")]
    Taken(String),
}

/// The values of one kind by name: built-in ones first, in a fixed order.
pub(crate) struct Names<T: 'static> {
    built_in: fn() -> Vec<T>,
    all: RwLock<Option<&'static [T]>>,
}

impl<T: ValueEnum + Copy> Names<T> {
    pub(crate) const fn new(built_in: fn() -> Vec<T>) -> Names<T> {
        Names { built_in, all: RwLock::new(None) }
    }

    /// All there are now. A list that has been handed out stays as it was.
    pub(crate) fn all(&self) -> &'static [T] {
        let known = *self.all.read().unwrap_or_else(PoisonError::into_inner);
        known.unwrap_or_else(|| {
            let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
            all.get_or_insert_with(|| (self.built_in)().leak())
        })
    }

    fn add(&self, name: &str, value: T) -> Result<(), BadName> {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+._-".contains(&byte);
        if name.is_empty() || !name.bytes().all(letter) {
            return Err(BadName::Letters(name.to_owned()));
        }
        let same = |other: &T| {
            other.to_possible_value().is_some_and(|other| other.get_name().eq_ignore_ascii_case(name))
        };
        let built_in = (self.built_in)();
        if built_in.iter().any(same) {
            return Err(BadName::Taken(name.to_owned()));
        }
        let known = self.all();
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        let others = known.iter().copied().filter(|other| !same(other));
        let more: Vec<T> = others.chain([value]).collect();
        // A few words for every entry of a process.
        *all = Some(more.leak());
        Ok(())
    }
}

/// Adds a policy; `about` is what `--help` says of it. [`Parts`] has its predictor, its order and what is said of
/// overdue jobs.
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
) -> Result<Predictor, BadName> {
    let predictor = Predictor::Named(Named::new(name, about, Box::new(build)));
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
