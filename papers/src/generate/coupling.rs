//! Coupling of the chain of processors to the chain of run times.
//!
//! **The paper's rules** (Song, Ernemann & Yahyapour 2004, section 4.2), after a transition of both chains, from j to k
//! of a states (processors) and from m to n of b states (run times), all counted from 1:
//!
//! 1. j = k: nothing.
//! 2. j != k, m = n: k becomes n a / b, with probability cor0.
//! 3. j != k, m != n: k becomes j + (n - m) a / b sign(cor1), with probability |cor1|.
//!
//! cor0 (equation 7) is the correlation of the two sequences of states, cor1 that of their differences where both
//! differ from 0 (equations 8 to 11). Left open by the paper, and chosen here:
//!
//! * Both are over state numbers: so KTH gives .037 and .143, where Table 3 says .037 and .142.
//! * A constant sequence has no correlation: 0, no adjustment.
//! * cor0 may be negative (CTC). Rule 2 then applies with probability |cor0|, and its target is mirrored: (b + 1 - n) a
//!   / b.
//! * Targets are rounded to the nearest state, halves up, then cut to 1..a.
//! * The adjusted state is that of the chain itself ("it adjusts the new state in the Markov chain"): the next
//!   transition starts from there.
//!
//! The rules bend the chain of processors: its stationary distribution and its autocorrelation are no longer the
//! trace's.
//!
//! **Common draws** are a refinement which leaves both chains what they are. A transition of either chain is the place
//! of a uniform number in a row of its matrix. With probability |theta| both chains take the same number (for a
//! negative theta, the one takes u and the other 1 - u), otherwise each takes its own. Both stay Markov chains with
//! their own matrices, whatever theta is; theta is set so that the expected product of processors and run time is the
//! trace's mean product. That makes the expected squashed area right, and the covariance with it, as both means are
//! right already.

use super::chain::Chain;
use surefill_simulator::base::statistics::correlation;

/// The three adjustment rules for one pair of chains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// Correlation of the states; 0 where there is none.
    pub cor0: f64,
    /// Correlation of the states' differences; 0 where there is none.
    pub cor1: f64,
    /// States of the chain of processors: a.
    nodes: usize,
    /// States of the chain of run times: b.
    run_times: usize,
}

impl Rules {
    /// The rules for two paths of equal length through chains of these numbers of states.
    pub fn new(nodes: &[usize], node_states: usize, run_times: &[usize], run_time_states: usize) -> Rules {
        let float = |path: &[usize]| path.iter().map(|&state| state as f64).collect::<Vec<f64>>();
        let (n, r) = (float(nodes), float(run_times));
        let (mut dn, mut dr) = (Vec::new(), Vec::new());
        for (n, r) in n.windows(2).zip(r.windows(2)) {
            if n[0] != n[1] && r[0] != r[1] {
                dn.push(n[1] - n[0]);
                dr.push(r[1] - r[0]);
            }
        }
        Rules {
            cor0: correlation(&n, &r).unwrap_or(0.0),
            cor1: correlation(&dn, &dr).unwrap_or(0.0),
            nodes: node_states,
            run_times: run_time_states,
        }
    }

    /// Rules with these correlations.
    pub fn with(cor0: f64, cor1: f64, node_states: usize, run_time_states: usize) -> Rules {
        Rules { cor0, cor1, nodes: node_states, run_times: run_time_states }
    }

    /// The state that a change of processors from j may be adjusted to when run times go from m to n, and with which
    /// probability. States are counted from 0.
    pub fn target(&self, j: usize, m: usize, n: usize) -> (usize, f64) {
        let scale = self.nodes as f64 / self.run_times as f64;
        let (place, chance) = if m == n {
            let n = if self.cor0 < 0.0 { self.run_times - n } else { n + 1 };
            (n as f64 * scale, self.cor0)
        } else {
            let change = (n as f64 - m as f64) * scale;
            ((j + 1) as f64 + if self.cor1 < 0.0 { -change } else { change }, self.cor1)
        };
        let rounded = libm::floor(place + 0.5).clamp(1.0, self.nodes as f64);
        (rounded as usize - 1, chance.abs())
    }

    /// The adjusted state k, by a uniform number in [0, 1).
    pub fn adjust(&self, (j, k): (usize, usize), (m, n): (usize, usize), uniform: f64) -> usize {
        if j == k {
            return k;
        }
        let (target, chance) = self.target(j, m, n);
        if uniform < chance { target } else { k }
    }
}

/// The theta nearest to 0 for which two chains' expected product of values is `product`, where a state's value is its
/// mean; where none gives it, the one that comes nearest.
///
/// The expectation is that of the stationary distribution of both chains together, found by repeated multiplication;
/// theta by steps of a twentieth away from 0 on both sides, as the expectation of tiny chains need not be monotone,
/// then by bisection. O(states of both² x steps), well below a second for any trace.
pub fn calibrate(chains: (&Chain, &Chain), nodes: &[f64], run_times: &[f64], product: f64) -> f64 {
    const STEPS: u32 = 20;
    let pair = Pair::new(chains.0, chains.1);
    let short = |theta: f64| product - pair.expected(theta, nodes, run_times);
    let start = short(0.0);
    let sign = start.signum();
    let (mut nearest, mut least) = (0.0, start.abs());
    for step in 1..=STEPS {
        // Sharing draws raises the product of all but a few tiny chains, opposed ones lower it.
        for side in [sign, -sign] {
            let far = side * f64::from(step) / f64::from(STEPS);
            let left = short(far);
            if left * sign <= 0.0 {
                let near = side * f64::from(step - 1) / f64::from(STEPS);
                return halve(near, far, |theta| short(theta) * sign > 0.0);
            }
            if left.abs() < least {
                (nearest, least) = (far, left.abs());
            }
        }
    }
    nearest
}

/// Where `before` ceases to hold between two numbers, to a millionth of a thousandth of their distance.
fn halve(mut near: f64, mut far: f64, before: impl Fn(f64) -> bool) -> f64 {
    const HALVES: u32 = 30;
    for _ in 0..HALVES {
        let middle = 0.5 * (near + far);
        if before(middle) {
            near = middle;
        } else {
            far = middle;
        }
    }
    0.5 * (near + far)
}

/// Two chains that share their draws with probability |theta|.
struct Pair<'a> {
    nodes: &'a Chain,
    run_times: &'a Chain,
    /// The probability of being in both states if the chains knew nothing of each other, row by row of the nodes'
    /// states.
    independent: Vec<f64>,
}

impl<'a> Pair<'a> {
    fn new(nodes: &'a Chain, run_times: &'a Chain) -> Pair<'a> {
        let total: u64 = (0..nodes.states()).map(|state| nodes.count(state)).sum();
        let share = |chain: &Chain, state| chain.count(state) as f64 / total as f64;
        let independent = (0..nodes.states())
            .flat_map(|n| (0..run_times.states()).map(move |r| share(nodes, n) * share(run_times, r)));
        Pair { nodes, run_times, independent: independent.collect() }
    }

    fn expected(&self, theta: f64, nodes: &[f64], run_times: &[f64]) -> f64 {
        let width = self.run_times.states();
        let value = |(index, share): (usize, &f64)| share * nodes[index / width] * run_times[index % width];
        self.stationary(theta).iter().enumerate().map(value).sum()
    }

    fn stationary(&self, theta: f64) -> Vec<f64> {
        /// Steps at most; the chains of real traces need about a hundred.
        const STEPS: u32 = 5000;
        const CLOSE: f64 = 1e-11;
        let mut stationary = self.independent.clone();
        for _ in 0..STEPS {
            let mut next = self.step(theta, &stationary);
            // Half a step at a time: a chain that alternates would never settle.
            let mut moved = 0.0;
            for (next, now) in next.iter_mut().zip(&stationary) {
                moved += (*next - now).abs();
                *next = 0.5 * (*next + now);
            }
            stationary = next;
            if moved < CLOSE {
                break;
            }
        }
        stationary
    }

    /// The distribution after one transition.
    fn step(&self, theta: f64, now: &[f64]) -> Vec<f64> {
        let (a, b) = (self.nodes.states(), self.run_times.states());
        let mut next = vec![0.0; a * b];
        // Draws of their own: first the nodes move, then the run times.
        let mut moved = vec![0.0; a * b];
        for j in 0..a {
            for k in 0..a {
                let p = self.nodes.probability(j, k) * (1.0 - theta.abs());
                if p > 0.0 {
                    for m in 0..b {
                        moved[k * b + m] += p * now[j * b + m];
                    }
                }
            }
        }
        for m in 0..b {
            for n in 0..b {
                let p = self.run_times.probability(m, n);
                if p > 0.0 {
                    for k in 0..a {
                        next[k * b + n] += p * moved[k * b + m];
                    }
                }
            }
        }
        for j in 0..a {
            for m in 0..b {
                let share = theta.abs() * now[j * b + m];
                if share > 0.0 {
                    common(self.nodes.row(j), self.run_times.row(m), theta < 0.0, |k, n, p| {
                        next[k * b + n] += share * p;
                    });
                }
            }
        }
        next
    }
}

/// The joint distribution of two rows' states under one uniform number, both rows cumulative; `opposed`: the first row
/// takes 1 - u.
pub fn common(first: &[f64], second: &[f64], opposed: bool, mut add: impl FnMut(usize, usize, f64)) {
    let (mut k, mut n, mut at) = (0, 0, 0.0);
    // The upper end of the interval of u that gives the k-th state on the way.
    let end = |k: usize| {
        if opposed {
            // From the last state down: its interval of 1 - u begins where the one before it ends.
            let below = first.len() - 1 - k;
            1.0 - if below == 0 { 0.0 } else { first[below - 1] }
        } else {
            first[k]
        }
    };
    while k < first.len() && n < second.len() {
        let until = end(k).min(second[n]);
        if until > at {
            add(if opposed { first.len() - 1 - k } else { k }, n, until - at);
            at = until;
        }
        if end(k) <= until {
            k += 1;
        } else {
            n += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Two paths by hand: states 0 1 1 2 0 and 0 1 2 2 1. Both change at the first and the last step: differences 1, -2
    /// and 1, -1, so cor1 is 1.
    #[test]
    fn correlations_of_paths() {
        let rules = Rules::new(&[0, 1, 1, 2, 0], 3, &[0, 1, 2, 2, 1], 3);
        let n = [-0.8, 0.2, 0.2, 1.2, -0.8];
        let r = [-1.2, -0.2, 0.8, 0.8, -0.2];
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        assert!((rules.cor0 - dot(&n, &r) / (dot(&n, &n) * dot(&r, &r)).sqrt()).abs() < 1e-12);
        assert!((rules.cor1 - 1.0).abs() < 1e-12);
        let constant = Rules::new(&[0, 0], 1, &[0, 1], 2);
        assert_eq!((constant.cor0, constant.cor1), (0.0, 0.0));
        assert_eq!(Rules::new(&[], 0, &[], 0).cor0, 0.0);
    }

    /// a = 4 and b = 8, so that a / b is one half.
    #[test]
    fn the_three_rules_by_hand() {
        let rules = Rules::with(0.3, 0.6, 4, 8);
        // 1: the state did not change.
        assert_eq!(rules.adjust((2, 2), (0, 7), 0.0), 2);
        // 2: n = 5 of 8, counted from 1, is 2.5, rounded to 3: state 2 counted from 0.
        assert_eq!(rules.target(0, 4, 4), (2, 0.3));
        assert_eq!((rules.adjust((0, 1), (4, 4), 0.29), rules.adjust((0, 1), (4, 4), 0.3)), (2, 1));
        // The smallest run time gives .5, rounded up to 1.
        assert_eq!(rules.target(3, 0, 0).0, 0);
        // 3: from state 2 (counted from 1) by (7 - 3) / 2 = 2 to 4, and no further.
        assert_eq!(rules.target(1, 2, 6), (3, 0.6));
        assert_eq!(rules.target(3, 2, 6).0, 3);
        // Down by 3, and no further than 1.
        assert_eq!((rules.target(3, 7, 1).0, rules.target(1, 7, 1).0), (0, 0));
        // Against the run time.
        let against = Rules::with(-0.3, -0.6, 4, 8);
        // The shortest of 8 is mirrored to the longest: 8 / 2 = 4.
        assert_eq!(against.target(0, 0, 0), (3, 0.3));
        // From 3 by -(5 - 1) / 2 to 1.
        assert_eq!(against.target(2, 0, 4), (0, 0.6));
    }

    proptest! {
        #[test]
        fn targets_are_states(cor0 in -1.0f64..=1.0, cor1 in -1.0f64..=1.0, a in 1usize..12, b in 1usize..24,
                              j in 0usize..12, m in 0usize..24, n in 0usize..24) {
            let (target, chance) = Rules::with(cor0, cor1, a, b).target(j % a, m % b, n % b);
            prop_assert!(target < a && (0.0..=1.0).contains(&chance));
        }

        /// Sharing draws leaves each chain its own matrix, and does what drawing u from a grid does.
        #[test]
        fn common_draws_keep_both_margins(
            nodes in proptest::collection::vec(1u64..64, 2..30),
            run_times in proptest::collection::vec(0u64..1000, 2..30),
            opposed in any::<bool>(),
        ) {
            let (nodes, run_times) = (Chain::new(&nodes).unwrap(), Chain::new(&run_times).unwrap());
            for j in 0..nodes.states() {
                for m in 0..run_times.states() {
                    let mut joint = vec![vec![0.0; run_times.states()]; nodes.states()];
                    common(nodes.row(j), run_times.row(m), opposed, |k, n, p| joint[k][n] += p);
                    for (k, row) in joint.iter().enumerate() {
                        prop_assert!((row.iter().sum::<f64>() - nodes.probability(j, k)).abs() < 1e-12);
                    }
                    for n in 0..run_times.states() {
                        let sum: f64 = joint.iter().map(|row| row[n]).sum();
                        prop_assert!((sum - run_times.probability(m, n)).abs() < 1e-12);
                    }
                    const GRID: u32 = 4000;
                    for i in 0..GRID {
                        let u = (f64::from(i) + 0.5) / f64::from(GRID);
                        let k = nodes.next(j, if opposed { 1.0 - u } else { u });
                        joint[k][run_times.next(m, u)] -= 1.0 / f64::from(GRID);
                    }
                    prop_assert!(joint.iter().flatten().all(|left| left.abs() < 2.5 / f64::from(GRID)));
                }
            }
        }

        /// The stationary distribution against many steps of the pair, by hand of the definition.
        #[test]
        fn expectations_are_within_reach(values in proptest::collection::vec((1u64..64, 0u64..1000), 2..40)) {
            let (n, r): (Vec<u64>, Vec<u64>) = values.into_iter().unzip();
            let (nodes, run_times) = (Chain::new(&n).unwrap(), Chain::new(&r).unwrap());
            let value = |chain: &Chain| (0..chain.states()).map(|s| chain.value(s) as f64).collect::<Vec<_>>();
            let mean = |chain: &Chain| {
                (0..chain.states()).map(|s| chain.value(s) as f64 * chain.count(s) as f64).sum::<f64>()
                    / n.len() as f64
            };
            let pair = Pair::new(&nodes, &run_times);
            let product = |theta| pair.expected(theta, &value(&nodes), &value(&run_times));
            // Independent chains: the product of the means.
            prop_assert!((product(0.0) / (mean(&nodes) * mean(&run_times)) - 1.0).abs() < 1e-9);
            let target = product(0.4);
            prop_assert!((pair.stationary(0.4).iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let theta = calibrate((&nodes, &run_times), &value(&nodes), &value(&run_times), target);
            let reached = product(theta);
            prop_assert!((reached / target - 1.0).abs() < 1e-6, "{theta}: {reached} {target}");
        }
    }
}
