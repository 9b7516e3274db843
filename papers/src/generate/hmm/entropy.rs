//! Initial values that expect a mean bin of each state and nothing else (proposed in chapter 6 of Nissimov 2006).
//!
//! State i's distribution over the bins 0 to N - 1 is the one of maximal entropy among those with the mean mu_i: B_ij =
//! c_i p_i^j. The thesis leaves the means open; here they are the middles of the ranges of bins that Static-IV gives
//! the states twice the probability in, mu_i = (i + 1/2) N / M - 1/2. pi and A are uniform and the load is the same in
//! all states, as with Static-IV.

use super::flat::{Flat, Load};

/// A model of these states and bins, with `mean` jobs a slot. O(states bins).
pub fn entropy(states: usize, bins: usize, load: Load, mean: f64) -> Flat {
    let uniform = 1.0 / states.max(1) as f64;
    let middle = |state: usize| (state as f64 + 0.5) * bins as f64 * uniform - 0.5;
    let parameter = match load {
        Load::None => Vec::new(),
        Load::Poisson => vec![mean; states],
        Load::Geometric => vec![1.0 / (1.0 + mean); states],
    };
    Flat {
        start: vec![uniform; states],
        transition: vec![uniform; states * states],
        emission: (0..states).flat_map(|state| with_mean(bins, middle(state))).collect(),
        load_parameter: parameter,
    }
}

/// The distribution of maximal entropy over 0 to `bins` - 1 with this mean, which is held to what is possible.
pub fn with_mean(bins: usize, mean: f64) -> Vec<f64> {
    // ln p: the mean grows with it. Beyond this nearly everything is in one bin.
    let (mut low, mut high) = (-64.0, 64.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        let found: f64 = powers(bins, middle).iter().enumerate().map(|(j, p)| j as f64 * p).sum();
        if found < mean {
            low = middle;
        } else {
            high = middle;
        }
    }
    powers(bins, f64::midpoint(low, high))
}

/// c p^j with this ln p.
fn powers(bins: usize, ln: f64) -> Vec<f64> {
    let last = bins.saturating_sub(1) as f64;
    // From the largest power down, so that none overflows.
    let power = |j: usize| (if ln > 0.0 { ln * (j as f64 - last) } else { ln * j as f64 }).exp();
    let sum: f64 = (0..bins).map(power).sum();
    (0..bins).map(|j| power(j) / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(p: &[f64]) -> f64 {
        p.iter().enumerate().map(|(j, p)| j as f64 * p).sum()
    }

    fn bits(p: &[f64]) -> f64 {
        p.iter().map(|p| -p * p.log2()).sum()
    }

    #[test]
    fn no_distribution_of_the_same_mean_has_more_entropy() {
        for (bins, wanted) in [(3, 0.4), (8, 3.5), (24, 0.25), (24, 17.75)] {
            let p = with_mean(bins, wanted);
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12 && (mean(&p) - wanted).abs() < 1e-9);
            // Mass moved from a bin to its neighbours in equal parts, or back, changes no mean; all changes that leave
            // the mean as it is are sums of these, and entropy is concave.
            // Bins of hardly any probability change the sum by less than its rounding.
            for middle in (1..bins - 1).filter(|&j| p[j - 1].min(p[j + 1]) > 1e-4) {
                for step in [1e-3, -1e-3] {
                    let mut other = p.clone();
                    let step = step * other[middle - 1..=middle + 1].iter().copied().fold(1.0, f64::min);
                    other[middle] += 2.0 * step;
                    other[middle - 1] -= step;
                    other[middle + 1] -= step;
                    assert!((mean(&other) - wanted).abs() < 1e-9);
                    assert!(bits(&other) < bits(&p), "{bins} bins, mean {wanted}, bin {middle}, {step}");
                }
            }
        }
    }

    #[test]
    fn means_lie_in_the_middle_of_each_state_s_bins() {
        let flat = entropy(4, 24, Load::Geometric, 3.0);
        let means: Vec<f64> = flat.emission.chunks(24).map(mean).collect();
        for (found, expected) in means.iter().zip([2.5, 8.5, 14.5, 20.5]) {
            assert!((found - expected).abs() < 1e-9, "{found}");
        }
        assert_eq!((flat.load_parameter, flat.transition[5]), (vec![0.25; 4], 0.25));
        // One state: uniform.
        assert!(entropy(1, 5, Load::None, 1.0).emission.iter().all(|p| (p - 0.2).abs() < 1e-12));
    }
}
