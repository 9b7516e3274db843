//! Figures 1 to 4 of Song, Ernemann & Yahyapour 2004, as numbers.

use crate::generate::chain::class;
use serde::Serialize;
use surefill_simulator::base::statistics::mean;

/// One point of a figure over classes of powers of two.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// The class: the logarithm to base 2 of its smallest value.
    pub class: u32,
    /// The figure's value there.
    pub value: f64,
}

/// The figures of one workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// Figure 1: how many jobs in a row ask for the same power of two of processors, on average. Jobs with other
    /// numbers are passed over.
    pub repetitions: Vec<Point>,
    /// The same if the jobs came in random order: 1 / (1 - p), p the share of jobs with this number.
    pub repetitions_independent: Vec<Point>,
    /// Figure 2: each run of equal numbers of processors counted once, the mean number of the next run, by the class of
    /// this one.
    pub next_nodes: Vec<Point>,
    /// The mean over all runs.
    pub mean_nodes: f64,
    /// Figure 3: the mean run time in seconds of the next job, by the class of this one's run time.
    pub next_run_time: Vec<Point>,
    /// The mean over all jobs.
    pub mean_run_time: f64,
    /// Figure 4: processors and the share of jobs with no more.
    pub nodes: Vec<(u64, f64)>,
    /// Figure 4: run times in seconds and the share of jobs no longer, at no more than 2000 places.
    pub run_times: Vec<(u64, f64)>,
}

impl Figures {
    /// The figures of a sequence of jobs. O(n log n).
    pub fn new(processors: &[u64], run_times: &[u64]) -> Figures {
        let powers: Vec<u64> =
            processors.iter().copied().filter(|processors| processors.is_power_of_two()).collect();
        let mut runs = powers.clone();
        runs.dedup();
        let lengths = |of: &dyn Fn(f64, f64) -> Option<f64>| {
            let count = |values: &[u64], class: u32| {
                values.iter().filter(|&&value| value == 1 << class).count() as f64
            };
            let point = |class| {
                let (jobs, runs) = (count(&powers, class), count(&runs, class));
                let value = if jobs > 0.0 { of(jobs, runs) } else { None };
                value.map(|value| Point { class, value })
            };
            (0..u64::BITS).filter_map(point).collect::<Vec<Point>>()
        };
        let mut distinct = processors.to_vec();
        distinct.dedup();
        let all = powers.len() as f64;
        Figures {
            repetitions: lengths(&|jobs, runs| Some(jobs / runs)),
            repetitions_independent: lengths(&|jobs, _| (jobs < all).then(|| all / (all - jobs))),
            next_nodes: successors(&distinct),
            mean_nodes: mean_of(&distinct),
            next_run_time: successors(run_times),
            mean_run_time: mean_of(run_times),
            nodes: distribution(processors),
            run_times: distribution(run_times),
        }
    }
}

fn mean_of(values: &[u64]) -> f64 {
    mean(values.iter().map(|&value| value as f64)).unwrap_or(0.0)
}

/// The mean of what follows, by the class of what is followed.
fn successors(values: &[u64]) -> Vec<Point> {
    let mut sums = [(0.0, 0u64); u64::BITS as usize];
    for pair in values.windows(2) {
        let (sum, count) = &mut sums[class(pair[0]) as usize];
        *sum += pair[1] as f64;
        *count += 1;
    }
    let point = |(class, (sum, count)): (u32, (f64, u64))| {
        (count > 0).then(|| Point { class, value: sum / count as f64 })
    };
    (0..).zip(sums).filter_map(point).collect()
}

/// The empirical distribution function, thinned out.
fn distribution(values: &[u64]) -> Vec<(u64, f64)> {
    const PLACES: usize = 2000;
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let all = sorted.len() as f64;
    let mut steps: Vec<(u64, f64)> = Vec::new();
    for (index, &value) in (1u32..).zip(&sorted) {
        let share = f64::from(index) / all;
        match steps.last_mut() {
            Some(step) if step.0 == value => step.1 = share,
            _ => steps.push((value, share)),
        }
    }
    let each = steps.len().div_ceil(PLACES).max(1);
    let last = steps.len().saturating_sub(1);
    let kept = steps.into_iter().enumerate().filter(|&(index, _)| index % each == 0 || index == last);
    kept.map(|(_, step)| step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(class: u32, value: f64) -> Point {
        Point { class, value }
    }

    /// The series of section 3: 1, 1, 1, 2, 2, 5, 5, 5, 8, 16, 16, 16, 2, 2.
    #[test]
    fn the_papers_series() {
        let figures = Figures::new(&[1, 1, 1, 2, 2, 5, 5, 5, 8, 16, 16, 16, 2, 2], &[4, 7, 1, 0, 8]);
        assert_eq!(figures.repetitions, [point(0, 3.0), point(1, 2.0), point(3, 1.0), point(4, 3.0)]);
        // 3, 4, 1 and 3 of 11.
        let expected = [(0, 11.0 / 8.0), (1, 11.0 / 7.0), (3, 1.1), (4, 11.0 / 8.0)];
        assert_eq!(figures.repetitions_independent, expected.map(|(class, value)| point(class, value)));
        // 1, 2, 5, 8, 16, 2: after 1 comes 2, after 2 comes 5, after the class of 4 comes 8, after 8 comes 16, then 2.
        let expected = [(0, 2.0), (1, 5.0), (2, 8.0), (3, 16.0), (4, 2.0)];
        assert_eq!(figures.next_nodes, expected.map(|(class, value)| point(class, value)));
        assert_eq!(figures.mean_nodes, 34.0 / 6.0);
        // After 1 s and 0 s come 0 s and 8 s.
        assert_eq!(figures.next_run_time, [point(0, 4.0), point(2, 4.0)]);
        assert_eq!(figures.run_times, [(0, 0.2), (1, 0.4), (4, 0.6), (7, 0.8), (8, 1.0)]);
        assert_eq!(figures.nodes.last(), Some(&(16, 1.0)));
        let equal = Figures::new(&[4, 4], &[1, 1]);
        assert_eq!(equal.repetitions, [point(2, 2.0)]);
        assert!(equal.repetitions_independent.is_empty());
        let none = Figures::new(&[], &[]);
        assert!(none.nodes.is_empty() && none.next_nodes.is_empty());
    }
}
