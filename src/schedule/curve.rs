//! The curve from predicted to observed delays, which never falls, learnt on line.
//!
//! Predictions are sorted into classes by their magnitude, each four times as large as the one before. A class keeps
//! the sums of predicted and of observed delays; all sums shrink by one part in `MEMORY` with each observation, so that
//! old observations count less and less. The curve runs through the classes' means, after pooling adjacent classes
//! whose observed means fall (isotonic regression by pooling adjacent violators: Ayer et al. 1955), linearly between
//! them. Its level follows the outcomes by a second, slower correction, an exponent that rises while more is observed
//! than was reported and falls while less is (the on-line gradient of Gibbs & Candes 2021, as for forecasts of starts).
//! So the sums of reported and of observed delays agree in the long run even where the curve lags.

use bytemuck::{Pod, Zeroable};

/// Number of classes of predictions by magnitude, the first for everything below the smallest edge.
pub(super) const CLASSES: usize = 16;

/// The base 2 logarithm of the ratio of two classes' edges.
const STEP: f64 = 2.0;

/// Number of observations after which a sum has shrunk to 1/e.
const MEMORY: f64 = 4000.0;

/// Number of observations on the common ratio that a class counts before it has any of its own.
const PRIOR: f64 = 20.0;

/// Number of observations equal to their predictions that the common ratio counts before there are any.
const IDENTITY: f64 = 20.0;

/// Speed at which the level follows the outcomes.
const RATE: f64 = 0.001;

/// Largest change of the exponent by one outcome; the rest of it waits.
const LARGEST_STEP: f64 = 0.02;

/// Largest exponent, on either side of 0.
const MOST: f64 = 1.5;

/// A bound that sums of `MEMORY` spans do not reach.
const LARGEST_SUM: f64 = 1e17;

/// Sums over observations, older ones weighing less.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Sums {
    pub weight: f64,
    pub predicted: f64,
    pub observed: f64,
}

impl Sums {
    fn shrink(&mut self, factor: f64) {
        self.weight *= factor;
        self.predicted *= factor;
        self.observed *= factor;
    }

    fn add(&mut self, other: &Sums) {
        self.weight += other.weight;
        self.predicted += other.predicted;
        self.observed += other.observed;
    }
}

/// State learnt for one unit's predictions.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Learnt {
    classes: [Sums; CLASSES],
    all: Sums,
    exponent: f64,
    /// Changes of the exponent that wait.
    waiting: f64,
}

/// The curve at one moment.
pub(super) struct Curve {
    /// Predicted and observed means of pooled classes, in increasing order; the first `count` of them.
    points: [(f64, f64); CLASSES],
    count: usize,
    level: f64,
    most: f64,
}

/// The class of a prediction whose smallest edge is `edge`.
fn class(predicted: f64, edge: f64) -> usize {
    if predicted < edge {
        return 0;
    }
    // Saturates where the prediction is larger than any class.
    (libm::floor(libm::log2(predicted / edge) / STEP) as usize).saturating_add(1).min(CLASSES - 1)
}

impl Learnt {
    /// Learns one more outcome, for which `reported` was reported.
    pub(super) fn observe(&mut self, predicted: f64, reported: f64, observed: f64, edge: f64) {
        let shrinking = 1.0 - 1.0 / MEMORY;
        let one = Sums { weight: 1.0, predicted, observed };
        self.all.shrink(shrinking);
        self.all.add(&one);
        for sums in &mut self.classes {
            sums.shrink(shrinking);
        }
        if let Some(sums) = self.classes.get_mut(class(predicted, edge)) {
            sums.add(&one);
        }
        let scale = self.all.observed.max(self.all.predicted) / self.all.weight;
        if scale > 0.0 {
            self.waiting += RATE * (observed - reported) / scale;
            let step = self.waiting.clamp(-LARGEST_STEP, LARGEST_STEP);
            self.waiting = (self.waiting - step).clamp(-MOST, MOST);
            self.exponent = (self.exponent + step).clamp(-MOST, MOST);
        }
    }

    /// The common ratio of observed to predicted.
    pub(super) fn ratio(&self) -> f64 {
        let mean = if self.all.weight > 0.0 { self.all.predicted / self.all.weight } else { 0.0 };
        let prior = IDENTITY * mean;
        if self.all.predicted + prior > 0.0 {
            (self.all.observed + prior) / (self.all.predicted + prior) * libm::exp(self.exponent)
        } else {
            1.0
        }
    }

    /// The present curve; it does not exceed `most`. O(classes).
    pub(super) fn curve(&self, most: f64) -> Curve {
        let level = libm::exp(self.exponent);
        let ratio = self.ratio() / level;
        let mut pools = [Sums::zeroed(); CLASSES];
        let mut count = 0usize;
        for sums in &self.classes {
            if sums.weight < 1e-3 {
                continue;
            }
            let mut pool = *sums;
            pool.weight += PRIOR;
            let mean = sums.predicted / sums.weight;
            pool.predicted += PRIOR * mean;
            pool.observed += PRIOR * mean * ratio;
            // Pool with those before as long as the observed means would fall.
            while let Some(last) = count.checked_sub(1).and_then(|last| pools.get(last)) {
                if last.observed * pool.weight < pool.observed * last.weight {
                    break;
                }
                pool.add(last);
                count -= 1;
            }
            if let Some(place) = pools.get_mut(count) {
                *place = pool;
                count += 1;
            }
        }
        let points = pools.map(|pool| {
            let weight = pool.weight.max(1.0);
            (pool.predicted / weight, pool.observed / weight)
        });
        Curve { points, count, level, most }
    }

    /// Whether these are numbers that [`Learnt::observe`] can have left.
    pub(super) fn is_sound(&self) -> bool {
        let sound = |sums: &Sums| {
            [sums.weight, sums.predicted, sums.observed].iter().all(|sum| (0.0..=LARGEST_SUM).contains(sum))
        };
        self.classes.iter().all(sound)
            && sound(&self.all)
            && [self.exponent, self.waiting].iter().all(|t| (-MOST..=MOST).contains(t))
    }
}

impl Curve {
    /// The expected delay for this prediction: never less for a larger one.
    pub(super) fn at(&self, predicted: f64) -> f64 {
        let points = self.points.get(..self.count).unwrap_or_default();
        let mut last = None;
        let mut expected = None;
        for &(x, y) in points {
            if predicted <= x {
                expected = Some(match last {
                    // Below the first point the curve is flat: a predicted delay of 0 is not always 0.
                    None => y,
                    Some((before, low)) if x > before => {
                        low + (y - low) * (predicted - before) / (x - before)
                    }
                    Some((_, low)) => low,
                });
                break;
            }
            last = Some((x, y));
        }
        let expected = expected.unwrap_or(match last {
            // Beyond the last point the curve goes on in proportion.
            Some((x, y)) if x > 0.0 => y * predicted / x,
            Some((_, y)) => f64::max(y, predicted),
            None => predicted,
        });
        (expected * self.level).min(self.most)
    }

    /// The smallest prediction for which the curve gives at least `expected`, by bisection, within a factor of 16 of
    /// it.
    pub(super) fn inverse(&self, expected: f64) -> f64 {
        let (mut low, mut high) = (expected / 16.0, expected * 16.0);
        if self.at(low) >= expected {
            return low;
        }
        if self.at(high) < expected {
            return high;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.at(middle) < expected {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn classes_are_powers_of_four() {
        assert_eq!([0.0, 0.9, 1.0, 3.9, 4.0, 16.0, 1e300].map(|x| class(x, 1.0)), [0, 0, 1, 1, 2, 3, 15]);
    }

    proptest! {
        #[test]
        fn curves_never_fall_and_bisection_finds_the_threshold(
            seen in proptest::collection::vec((-9.0f64..3.0, 0.0f64..5.0), 0..300), expected in 1e-6f64..1.0,
        ) {
            let mut learnt = Learnt::zeroed();
            for (power, observed) in seen {
                let predicted = libm::exp2(power);
                let said = learnt.curve(f64::INFINITY).at(predicted);
                learnt.observe(predicted, said, observed, 0.01);
                prop_assert!(learnt.is_sound());
            }
            let curve = learnt.curve(1.0);
            let mut last = 0.0;
            for step in 0..2000 {
                let now = curve.at(f64::from(step) * 0.005);
                prop_assert!(now >= last && now <= 1.0);
                last = now;
            }
            let found = curve.inverse(expected);
            if found > expected / 16.0 && found < expected * 16.0 {
                prop_assert!(curve.at(found) >= expected);
                prop_assert!(curve.at(found * (1.0 - 1e-9)) < expected);
            }
        }
    }
}
