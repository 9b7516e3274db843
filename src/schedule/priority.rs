//! The priority of a waiting job: `median^a x processors^b / (1 + wait / c)^d`, smaller values first.
//!
//! The median is that of the job's predicted run time in seconds, at least [`SHORTEST_MEDIAN`]; the wait is in seconds.
//! `a = 1, d = 0` is shortest job first; a division by a power of the wait makes every job come first in the end.

use crate::error::{Error, Result};
use crate::runtime::check_span;
use bytemuck::{Pod, Zeroable};

/// Median below which shorter ones are not distinguished, in seconds.
pub const SHORTEST_MEDIAN: i64 = 10;

/// The parameters of a priority.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Priority {
    /// The power of the predicted median run time (`a`): above 0, short jobs come first.
    pub run_time: f64,
    /// The power of the processors (`b`): above 0, narrow jobs come first; below 0, wide ones.
    pub processors: f64,
    /// The wait that counts as one unit (`c`), in seconds, above 0.
    pub age_unit: f64,
    /// The power of the age (`d`), at least 0: the higher, the sooner a waiting job comes first.
    pub age: f64,
}

impl Priority {
    /// The order of submission: all values are equal.
    pub const SUBMISSION: Priority = Priority { run_time: 0.0, processors: 0.0, age_unit: 3600.0, age: 0.0 };

    /// The shortest predicted job first.
    pub const SHORTEST: Priority = Priority { run_time: 1.0, ..Priority::SUBMISSION };

    /// Refuses parameters that make no order.
    ///
    /// # Errors
    /// [`Error::NotANumber`]; [`Error::OutOfRange`] for a power beyond 8 or below -8, a negative power of the age, and
    /// a unit that is not above 0 or not finite.
    pub fn check(&self) -> Result<()> {
        let Priority { run_time, processors, age_unit, age } = *self;
        if [run_time, processors, age_unit, age].into_iter().any(f64::is_nan) {
            return Err(Error::NotANumber);
        }
        let power = |value: f64| (-8.0..=8.0).contains(&value);
        let unit = age_unit > 0.0 && age_unit.is_finite();
        if power(run_time) && power(processors) && power(age) && age >= 0.0 && unit {
            Ok(())
        } else {
            Err(Error::OutOfRange)
        }
    }

    /// The value of a job: its predicted median run time and its wait so far, both in seconds (0 to
    /// [`MAX_SECONDS`](crate::runtime::MAX_SECONDS)), and its processors (at least 1). Smaller values come first, equal
    /// ones by submission. A job that has waited longer than `front` seconds has the value `-waited`: before all
    /// others, by submission. `front` is infinite where no job is to come first for its wait alone. O(1).
    ///
    /// # Errors
    /// Those of [`Priority::check`]; [`Error::NotANumber`] for `front`; [`Error::OutOfRange`], [`Error::SpanTooLong`].
    pub fn value(&self, median: i64, processors: u32, waited: i64, front: f64) -> Result<f64> {
        self.check()?;
        if front.is_nan() {
            return Err(Error::NotANumber);
        }
        check_span(median)?;
        check_span(waited)?;
        if processors == 0 {
            return Err(Error::OutOfRange);
        }
        Ok(self.value_at(self.size(median, processors), waited, front))
    }

    /// [`Priority::value`] of a job of this size. It does not fall with the size, nor rise with the wait.
    pub(crate) fn value_at(&self, size: f64, waited: i64, front: f64) -> f64 {
        let waited_long = waited as f64 > front;
        if waited_long { -(waited as f64) } else { size / self.ageing(waited) }
    }

    /// The part that does not change while the job waits: `median^a x processors^b`.
    pub(crate) fn size(&self, median: i64, processors: u32) -> f64 {
        power(median.max(SHORTEST_MEDIAN) as f64, self.run_time)
            * power(f64::from(processors), self.processors)
    }

    /// The divisor by the wait: `(1 + wait / c)^d`.
    pub(crate) fn ageing(&self, waited: i64) -> f64 {
        power(1.0 + waited as f64 / self.age_unit, self.age)
    }
}

/// A power; usual exponents need no logarithm.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent == 0.0 {
        1.0
    } else if exponent == 1.0 {
        base
    } else if exponent == 2.0 {
        base * base
    } else if exponent == 0.5 {
        libm::sqrt(base)
    } else if exponent == 1.5 {
        base * libm::sqrt(base)
    } else {
        libm::pow(base, exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::MAX_SECONDS;

    const NEVER: f64 = f64::INFINITY;

    #[test]
    fn is_the_formula() {
        for run_time in [0.0, 0.3, 0.5, 1.0, 1.5, 2.0, -0.7] {
            for age in [0.0, 0.5, 1.0, 1.5, 2.0, 0.9] {
                let priority = Priority { run_time, processors: -0.15, age_unit: 7200.0, age };
                for (median, processors, waited) in [(10, 1, 0), (4321, 64, 3600), (86_400, 7, 1_000_000)] {
                    let size = (median as f64).powf(run_time) * f64::from(processors).powf(-0.15);
                    let expected = size / (1.0 + waited as f64 / 7200.0).powf(age);
                    let value = priority.value(median, processors, waited, NEVER).unwrap();
                    assert!((value / expected - 1.0).abs() < 1e-14, "{value} {expected}");
                }
            }
        }
    }

    #[test]
    fn short_medians_are_equal() {
        let value = |median| Priority::SHORTEST.value(median, 4, 0, NEVER).unwrap();
        assert_eq!((value(0), value(10), value(11)), (10.0, 10.0, 11.0));
    }

    #[test]
    fn who_has_waited_too_long_comes_first_by_submission() {
        let aged = Priority { age: 1.0, ..Priority::SHORTEST };
        let value = |median, waited| aged.value(median, 1, waited, 7200.0).unwrap();
        assert!(value(100_000, 7201) < value(10, 7200));
        assert!(value(100_000, 9000) < value(10, 8000));
        assert!(value(10, 7200) > 0.0);
    }

    #[test]
    fn refuses_what_makes_no_order() {
        let refused = |priority: Priority| priority.value(10, 1, 0, NEVER).unwrap_err();
        let base = Priority::SHORTEST;
        assert_eq!(refused(Priority { run_time: f64::NAN, ..base }), Error::NotANumber);
        assert_eq!(refused(Priority { run_time: 8.5, ..base }), Error::OutOfRange);
        assert_eq!(refused(Priority { processors: -9.0, ..base }), Error::OutOfRange);
        assert_eq!(refused(Priority { age: -0.5, ..base }), Error::OutOfRange);
        assert_eq!(refused(Priority { age_unit: 0.0, ..base }), Error::OutOfRange);
        assert_eq!(refused(Priority { age_unit: f64::INFINITY, ..base }), Error::OutOfRange);
        let value = |median, processors, waited| base.value(median, processors, waited, NEVER);
        assert_eq!(value(-1, 1, 0), Err(Error::OutOfRange));
        assert_eq!(value(1, 0, 0), Err(Error::OutOfRange));
        assert_eq!(value(1, 1, -1), Err(Error::OutOfRange));
        assert_eq!(value(1, 1, MAX_SECONDS + 1), Err(Error::SpanTooLong));
        assert_eq!(base.value(1, 1, 1, f64::NAN), Err(Error::NotANumber));
    }
}
