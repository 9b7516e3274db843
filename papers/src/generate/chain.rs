//! A Markov chain over powers of two: section 4.1 of Song, Ernemann & Yahyapour 2004.
//!
//! A job's processors, or its run time in seconds, fall into a class: the class of t holds the values from l = 2^c to
//! below 2 l. The paper's equation 1 prints a ceiling; its Table 2 (6 processors fall into the class of 4), its
//! interval [l_j, l_(j+1)[ and the dimensions in its Table 3 mean the floor, which is what is done here. Run times of 0
//! s, which have no logarithm, belong to the class of 1 s.
//!
//! The classes that occur are the chain's states, in order of their values (equations 2 and 3). Transitions are counted
//! (equations 4 and 5), and the share of values in a class that are l itself is its quality ratio (equation 6).
//!
//! Left open by the paper: the last job has no successor, so its state's probabilities would not add up to 1, and a
//! state that occurs in the last job only would have none. Here the first job follows the last. Every row then adds up
//! to 1 with equation 4's n_i below, every state can be reached from every other, and the chain's stationary
//! distribution is the distribution of the trace.
//!
//! A chain can also be split: each class then has two states, l itself and the values above it.

/// The class of a value: the largest c with 2^c <= value; 0 for 0.
pub fn class(value: u64) -> u32 {
    value.max(1).ilog2()
}

/// Key of a value's state.
pub(super) fn key(value: u64, split: bool) -> u32 {
    let class = class(value);
    if split { 2 * class + u32::from(!value.max(1).is_power_of_two()) } else { class }
}

/// A chain as it was learnt from a sequence of values.
#[derive(Debug, Clone)]
pub struct Chain {
    /// Classes, or of a split chain twice the class, and one more for the values above l.
    keys: Vec<u32>,
    split: bool,
    counts: Vec<u64>,
    /// Row by row: the probability of this state or an earlier one.
    cumulative: Vec<Vec<f64>>,
    quality: Vec<f64>,
    first: usize,
}

impl Chain {
    /// The chain of a sequence; `None` without values. Time and memory O(values + states²).
    pub fn new(values: &[u64]) -> Option<Chain> {
        Chain::of(values, false)
    }

    /// The split chain of a sequence, as [`Chain::new`].
    pub fn split(values: &[u64]) -> Option<Chain> {
        Chain::of(values, true)
    }

    fn of(values: &[u64], split: bool) -> Option<Chain> {
        let (first, last) = (key(*values.first()?, split), key(*values.last()?, split));
        let mut keys: Vec<u32> = values.iter().map(|&value| key(value, split)).collect();
        keys.sort_unstable();
        keys.dedup();
        let state = |key: u32| keys.partition_point(|&other| other < key);

        let mut transitions = vec![vec![0u64; keys.len()]; keys.len()];
        let mut counts = vec![0u64; keys.len()];
        let mut exact = vec![0u64; keys.len()];
        let mut previous = state(last);
        for &value in values {
            let next = state(key(value, split));
            transitions[previous][next] += 1;
            counts[next] += 1;
            exact[next] += u64::from(value.max(1).is_power_of_two());
            previous = next;
        }
        let rows = transitions.iter().zip(&counts).map(|(row, &count)| cumulative(row, count));
        let quality = exact.iter().zip(&counts).map(|(&exact, &count)| exact as f64 / count as f64);
        Some(Chain {
            cumulative: rows.collect(),
            quality: quality.collect(),
            first: state(first),
            keys,
            split,
            counts,
        })
    }

    /// The number of states: the dimension of the transition matrix.
    pub fn states(&self) -> usize {
        self.keys.len()
    }

    /// The state of a value; `None` when it did not occur.
    pub fn state(&self, value: u64) -> Option<usize> {
        self.keys.binary_search(&key(value, self.split)).ok()
    }

    /// The states of all the values that the chain was learnt from.
    pub fn path(&self, values: &[u64]) -> Vec<usize> {
        values.iter().filter_map(|&value| self.state(value)).collect()
    }

    /// The value l = 2^c that stands for a state.
    pub fn value(&self, state: usize) -> u64 {
        1 << if self.split { self.keys[state] / 2 } else { self.keys[state] }
    }

    /// The quality ratio c_j.
    pub fn quality(&self, state: usize) -> f64 {
        self.quality[state]
    }

    /// Number of times that the state occurred.
    pub fn count(&self, state: usize) -> u64 {
        self.counts[state]
    }

    /// The state of the first value.
    pub fn first(&self) -> usize {
        self.first
    }

    /// The probability p_ij.
    pub fn probability(&self, from: usize, to: usize) -> f64 {
        let row = &self.cumulative[from];
        row[to] - if to == 0 { 0.0 } else { row[to - 1] }
    }

    /// One row of the matrix, each entry with those before it added.
    pub fn row(&self, from: usize) -> &[f64] {
        &self.cumulative[from]
    }

    /// The state that follows `from`, by a uniform number in [0, 1): larger numbers give larger states.
    pub fn next(&self, from: usize, uniform: f64) -> usize {
        self.cumulative[from].partition_point(|&sum| sum <= uniform)
    }
}

/// Shares of `count`, each with those before it added. What no state is left for is exactly 1, so that every number
/// below 1 finds a state that can be reached.
fn cumulative(row: &[u64], count: u64) -> Vec<f64> {
    let mut sum = 0;
    let add = |&transitions: &u64| {
        sum += transitions;
        sum as f64 / count as f64
    };
    row.iter().map(add).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Table 2: 2, 4, 6, 16.
    #[test]
    fn the_papers_example() {
        let values = [2, 4, 6, 16];
        let chain = Chain::new(&values).unwrap();
        let states: Vec<u64> = (0..chain.states()).map(|state| chain.value(state)).collect();
        assert_eq!(states, [2, 4, 16]);
        // The paper counts from 1.
        assert_eq!(chain.path(&values), [0, 1, 1, 2]);
        let matrix = |i, j| chain.probability(i, j);
        let expected = [[0.0, 1.0, 0.0], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]];
        for (i, row) in expected.iter().enumerate() {
            for (j, &probability) in row.iter().enumerate() {
                assert_eq!(matrix(i, j), probability, "{i} {j}");
            }
        }
        assert_eq!([0, 1, 2].map(|state| chain.quality(state)), [1.0, 0.5, 1.0]);
        assert_eq!([0.0, 0.49, 0.5, 0.99].map(|u| chain.next(1, u)), [1, 1, 2, 2]);
        assert_eq!((chain.first(), chain.state(3), chain.state(8)), (0, Some(0), None));
    }

    #[test]
    fn a_split_chain() {
        let values = [2, 4, 6, 16, 7, 0];
        let chain = Chain::split(&values).unwrap();
        assert_eq!(chain.path(&values), [1, 2, 3, 4, 3, 0]);
        let states: Vec<(u64, f64)> =
            (0..chain.states()).map(|state| (chain.value(state), chain.quality(state))).collect();
        assert_eq!(states, [(1, 1.0), (2, 1.0), (4, 1.0), (4, 0.0), (16, 1.0)]);
        assert_eq!((chain.probability(3, 4), chain.probability(3, 0), chain.state(3)), (0.5, 0.5, None));
    }

    #[test]
    fn degenerate_sequences() {
        assert!(Chain::new(&[]).is_none());
        for values in [&[7][..], &[4, 5, 6, 7], &[0, 1, 1]] {
            let chain = Chain::new(values).unwrap();
            assert_eq!((chain.states(), chain.next(0, 0.999), chain.probability(0, 0)), (1, 0, 1.0));
        }
        let largest = Chain::new(&[u64::MAX, 0]).unwrap();
        assert_eq!((largest.value(1), largest.value(0), largest.quality(0)), (1 << 63, 1, 1.0));
    }

    proptest! {
        #[test]
        fn rows_add_up_and_the_trace_is_stationary(values in proptest::collection::vec(0u64..5000, 1..80)) {
            let chain = Chain::new(&values).unwrap();
            let states = 0..chain.states();
            let shares: Vec<f64> =
                states.clone().map(|state| chain.count(state) as f64 / values.len() as f64).collect();
            for from in states.clone() {
                prop_assert_eq!(chain.row(from).last().copied(), Some(1.0));
                prop_assert!(chain.probability(from, chain.next(from, 1.0 - f64::EPSILON)) > 0.0);
                prop_assert!(chain.probability(from, chain.next(from, 0.0)) > 0.0);
            }
            for to in states.clone() {
                let flow: f64 = states.clone().map(|from| shares[from] * chain.probability(from, to)).sum();
                prop_assert!((flow - shares[to]).abs() < 1e-12);
            }
            for &value in &values {
                let state = chain.state(value).unwrap();
                prop_assert!((chain.value(state)..2 * chain.value(state)).contains(&value.max(1)));
            }
        }
    }
}
