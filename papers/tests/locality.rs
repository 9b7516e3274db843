//! The locality metric: section 2.1's examples, and all shuffles enumerated.

use crate::common::{J, workload};
use proptest::prelude::*;
use surefill_papers::studies::locality::binning::{Granularity, RunTimes};
use surefill_papers::studies::locality::metric::{Counts, Logs};
use surefill_papers::studies::locality::sample::{Attribute, Sample};
use surefill_papers::studies::locality::search::point;
use surefill_papers::studies::locality::threshold::two_bins;
use surefill_simulator::trace::swf::MAX_VALUE;

/// I(S;R) in bits straight from the definition, for every job's group and bin.
fn definition(groups: &[u32], bins: &[u32]) -> f64 {
    let n = groups.len() as f64;
    let share = |keep: &dyn Fn(usize) -> bool| (0..groups.len()).filter(|&i| keep(i)).count() as f64 / n;
    let mut cells: Vec<(u32, u32)> = groups.iter().copied().zip(bins.iter().copied()).collect();
    cells.sort_unstable();
    cells.dedup();
    cells
        .into_iter()
        .map(|(s, r)| {
            let joint = share(&|i| groups[i] == s && bins[i] == r);
            joint * (joint / (share(&|i| groups[i] == s) * share(&|i| bins[i] == r))).log2()
        })
        .sum()
}

/// Calls `each` with every order of what is at `from` and after.
fn orders(items: &mut [u32], from: usize, each: &mut dyn FnMut(&[u32])) {
    if from == items.len() {
        return each(items);
    }
    for next in from..items.len() {
        items.swap(from, next);
        orders(items, from + 1, each);
        items.swap(from, next);
    }
}

/// E[I(S;R')] over all shuffles, one by one.
fn enumerated(groups: &[u32], bins: &[u32]) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    orders(&mut bins.to_vec(), 0, &mut |order| {
        sum += definition(groups, order);
        count += 1.0;
    });
    sum / count
}

fn sizes(groups: &[u32]) -> Vec<u32> {
    groups.chunk_by(|a, b| a == b).map(|same| same.len() as u32).collect()
}

/// Naive, expected and f of jobs whose groups stand in order.
fn measure(groups: &[u32], bins: &[u32]) -> [f64; 3] {
    let logs = Logs::new(bins.len());
    let sizes = sizes(groups);
    let used = bins.iter().max().map_or(0, |&bin| bin as usize + 1);
    let counts = Counts { logs: &logs, groups: &sizes, run_time_bins: bins, bins: used };
    [counts.information(), counts.expected(), counts.locality()]
}

fn close(found: [f64; 3], expected: [f64; 3]) {
    for (found, expected) in found.into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
    }
}

#[test]
fn section_2_1_negative_locality() {
    let (groups, bins) = ([0, 0, 1, 1], [0, 1, 0, 1]);
    close(measure(&groups, &bins), [0.0, 1.0 / 3.0, -1.0 / 3.0]);
    assert!((enumerated(&groups, &bins) - 1.0 / 3.0).abs() < 1e-12);
}

/// The four jobs of section 2.2. (The thesis gives the last submission as 10001 s, but bins it with that at 1000 s in
/// slots of 10 s: it is taken for 1001 s.)
fn four_jobs() -> Sample {
    let job = |submit, run_time| J { submit, run_time, processors: 1, limit: 2000, user: 1 };
    let jobs = [job(0, 1000), job(1, 1001), job(1000, 100), job(1001, 101)];
    Sample::new(&workload(4, &jobs).jobs, Attribute::Time)
}

#[test]
fn section_2_2_worked_example() {
    let sample = four_jobs();
    // Every job in bins of its own: 2 bits, and 2 bits after every shuffle.
    let finest = point(&sample, 1, Granularity::Ratio(1.0005));
    assert_eq!((finest.groups, finest.used_bins), (4, 4));
    close(measure(&[0, 1, 2, 3], &[0, 1, 2, 3]), [2.0, 2.0, 0.0]);
    assert_eq!(finest.locality, 0.0);
    // The first two and the last two together: 1 bit less 1/3.
    let paired = point(&sample, 10, Granularity::Ratio(1.59));
    assert_eq!((paired.groups, paired.used_bins, paired.bins), (2, 2, 15));
    assert!((paired.locality - 2.0 / 3.0).abs() < 1e-12);
    close(measure(&[0, 0, 1, 1], &[1, 1, 0, 0]), [1.0, 1.0 / 3.0, 2.0 / 3.0]);
    assert!((enumerated(&[0, 0, 1, 1], &[1, 1, 0, 0]) - 1.0 / 3.0).abs() < 1e-12);
}

/// Just below T = 101^(1/10) the 101 s fall in a bin of their own. The thesis has f = 0.25 bits here, from a
/// probability of 1/2 that the two jobs of 1000 s fall together. There are three places left for the second, one of
/// them beside the first: it is 1/3, as in section 2.1, so E[I(S;R')] = 1/3 x 1 + 2/3 x 1/2 = 2/3 and f = 1/3. All 24
/// shuffles agree.
#[test]
fn section_2_2_discontinuity() {
    let bins = RunTimes::new([1000, 1001, 100, 101].into_iter()).bin(Granularity::Ratio(1.586));
    assert_eq!((bins.bins.as_slice(), bins.range, bins.used), (&[2, 2, 0, 1][..], 15, 3));
    let groups = [0, 0, 1, 1];
    close(measure(&groups, &bins.bins), [1.0, 2.0 / 3.0, 1.0 / 3.0]);
    assert!((enumerated(&groups, &bins.bins) - 2.0 / 3.0).abs() < 1e-12);
    assert!((point(&four_jobs(), 10, Granularity::Ratio(1.586)).locality - 1.0 / 3.0).abs() < 1e-12);
}

/// Section 2.2 calls the metric of two bins "obviously less" than the best of all granularities. Two bins are not among
/// those: an edge between 1 s and 4 s that leaves 4 s and 20 s together is at no power of a ratio. By enumeration of
/// the 24 shuffles the two bins have 2/3 bit, and the best of all ratios and slots 1/3.
#[test]
fn section_2_2_two_bins_may_say_more_than_any_ratio() {
    let job = |submit, run_time| J { submit, run_time, processors: 1, limit: 2000, user: 1 };
    let jobs = [job(0, 1), job(1, 1), job(1000, 4), job(1001, 20)];
    let sample = Sample::new(&workload(4, &jobs).jobs, Attribute::Time);
    assert_eq!(sample.run_times.split(2), [0, 0, 1, 1]);
    assert_eq!(sample.run_times.split(20), [0; 4]);
    assert_eq!(sample.run_times.split(1), sample.run_times.split(3));
    let two = two_bins(&sample, &[2], Some(1), &|_| ());
    let enumerated_metric = 1.0 - enumerated(&[0, 0, 1, 1], &[0, 0, 1, 1]);
    assert!((two[0].locality - 2.0 / 3.0).abs() < 1e-12 && (enumerated_metric - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!((two[0].longer, two[0].entropy, two[0].at_full), (0.5, 1.0, Some(0.0)));
    let ratios = (1..4000).map(|step| Granularity::Ratio(1.0 + f64::from(step) / 100.0));
    let best = ratios.flat_map(|ratio| [1, 10, 600, 5000].map(|slot| point(&sample, slot, ratio).locality));
    assert!((best.fold(f64::NEG_INFINITY, f64::max) - 1.0 / 3.0).abs() < 1e-12);
}

#[test]
fn run_times_fall_in_bins_of_constant_ratio() {
    let bin = |run_times: &[i64], ratio: f64| {
        RunTimes::new(run_times.iter().copied()).bin(Granularity::Ratio(ratio))
    };
    // Powers of the ratio begin a bin; 0 s is 1 s.
    let tens = bin(&[0, 1, 9, 10, 99, 100, 999, 1000], 10.0);
    assert_eq!((tens.bins, tens.range, tens.used), (vec![0, 0, 0, 1, 1, 2, 2, 3], 4, 4));
    for ratio in [2, 3, 5, 7, 10] {
        for power in 1..15 {
            let edge = i64::pow(ratio, power);
            if edge > MAX_VALUE {
                continue;
            }
            let binned = bin(&[edge - 1, edge], ratio as f64);
            assert_eq!((binned.bins, binned.range), (vec![0, 1], power as usize + 1), "{edge}");
        }
    }
    // Empty bins count for the thesis's N, not for the numbers.
    let sparse = bin(&[1 << 40, 1], 2.0);
    assert_eq!((sparse.bins, sparse.range, sparse.used), (vec![1, 0], 41, 2));
    assert_eq!(bin(&[], 2.0), bin(&[], 3.0));
}

/// Algorithm 2 to the letter, over all values: the clusters' sizes. `None` where it knows no answer: equal gaps, or a
/// cluster that loses everything.
fn algorithm_2(input: &[i64], k: usize) -> Option<Vec<usize>> {
    let mut values: Vec<f64> = input.iter().map(|&r| (r as f64).ln()).collect();
    values.sort_by(f64::total_cmp);
    let mut distances: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    distances.sort_by(|a, b| b.total_cmp(a));
    let minimal = distances[k - 2];
    let mut bounds: Vec<f64> =
        values.windows(2).filter(|pair| pair[1] - pair[0] >= minimal).map(|pair| pair[1]).collect();
    if bounds.len() != k - 1 {
        return None;
    }
    let assign = |bounds: &[f64]| -> Vec<usize> {
        values.iter().map(|value| bounds.iter().filter(|&bound| bound <= value).count()).collect()
    };
    let mut result = assign(&bounds);
    loop {
        let average = |bin: usize| {
            let own: Vec<f64> = (0..values.len()).filter(|&i| result[i] == bin).map(|i| values[i]).collect();
            own.iter().sum::<f64>() / own.len() as f64
        };
        bounds = (0..k - 1).map(|bin| f64::midpoint(average(bin), average(bin + 1))).collect();
        if bounds.iter().any(|bound| bound.is_nan()) {
            return None;
        }
        let next = assign(&bounds);
        if next == result {
            return Some((0..k).map(|bin| result.iter().filter(|&&own| own == bin).count()).collect());
        }
        result = next;
    }
}

#[test]
fn k_means_is_algorithm_2() {
    let sizes = |run_times: &[i64], k: u32| {
        let binned = RunTimes::new(run_times.iter().copied()).bin(Granularity::Means(k));
        (0..binned.used).map(|bin| binned.bins.iter().filter(|&&own| own as usize == bin).count()).collect()
    };
    // The thesis's example.
    let example: Vec<usize> = sizes(&[2, 10, 100, 200], 2);
    assert_eq!(example, [2, 2]);
    let mut compared = 0;
    for seed in 1..40i64 {
        let run_times: Vec<i64> =
            (0..300).map(|i| 20 + (seed * 7907 + i * i * 104_729) % (1 << (5 + i % 11))).collect();
        for k in [2, 3, 7] {
            let Some(expected) = algorithm_2(&run_times, k) else { continue };
            let found: Vec<usize> = sizes(&run_times, k as u32);
            assert_eq!(found, expected, "{seed}, {k}");
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
    // Fewer different run times than means; one mean; none.
    let few: Vec<usize> = sizes(&[5, 5, 7, 9], 10);
    assert_eq!(few, [2, 1, 1]);
    let one: Vec<usize> = sizes(&[5, 5, 7, 9], 1);
    assert_eq!(one, [4]);
    let none: Vec<usize> = sizes(&[], 3);
    assert!(none.is_empty());
}

#[test]
fn nothing_is_nothing() {
    close(measure(&[], &[]), [0.0; 3]);
    close(measure(&[0], &[0]), [0.0; 3]);
    close(measure(&[0, 1, 2], &[0, 0, 0]), [0.0; 3]);
    close(measure(&[0, 0, 0], &[0, 1, 2]), [0.0; 3]);
}

/// Ten thousand shuffles of a mid-sized case come out at the closed form within their standard error.
#[test]
fn many_shuffles_have_the_exact_mean() {
    let groups: Vec<u32> = (0..2000u32).map(|i| i.isqrt()).collect();
    let bins: Vec<u32> = (0..2000u32).map(|i| (i * 7919 % 101).isqrt()).collect();
    let sizes = sizes(&groups);
    let logs = Logs::new(2000);
    let counts = Counts { logs: &logs, groups: &sizes, run_time_bins: &bins, bins: 11 };
    let shuffled = counts.shuffled(10_000, 5);
    let error = shuffled.deviation / 100.0;
    assert!(error > 0.0 && error < 2e-4, "{error}");
    let difference = (shuffled.mean - counts.expected()).abs();
    assert!(difference < 4.0 * error, "{difference} for {error}");
    assert!((counts.locality() - (counts.information() - counts.expected())).abs() < 1e-12);
    // Seeds decide, one by one.
    assert_eq!(counts.shuffled(3, 5), counts.shuffled(3, 5));
    assert_ne!(counts.shuffled(3, 5).mean, counts.shuffled(3, 6).mean);
    let singles = [7, 8].map(|seed| counts.shuffled(1, seed).mean);
    let two = counts.shuffled(2, 7);
    assert!((two.mean - f64::midpoint(singles[0], singles[1])).abs() < 1e-12);
    assert!((two.deviation - (singles[0] - singles[1]).abs() / 2.0f64.sqrt()).abs() < 1e-12);
}

/// scikit-learn's expected mutual information: see scripts/locality-vectors.py.
#[test]
fn another_implementation_agrees() {
    let vectors: serde_json::Value =
        serde_json::from_str(include_str!("vectors/expected_information.json")).unwrap();
    let vectors = vectors.as_array().unwrap();
    assert_eq!(vectors.len(), 6);
    for vector in vectors {
        let (mut groups, mut bins) = (Vec::new(), Vec::new());
        for (group, row) in vector["table"].as_array().unwrap().iter().enumerate() {
            for (bin, count) in row.as_array().unwrap().iter().enumerate() {
                let count = count.as_u64().unwrap() as usize;
                groups.extend(std::iter::repeat_n(group as u32, count));
                bins.extend(std::iter::repeat_n(bin as u32, count));
            }
        }
        let (naive, expected) =
            (vector["information"].as_f64().unwrap(), vector["expected"].as_f64().unwrap());
        // Theirs goes through logarithms of factorials.
        for (found, theirs) in measure(&groups, &bins).into_iter().zip([naive, expected, naive - expected]) {
            assert!((found - theirs).abs() < 1e-9, "{found} for {theirs}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_closed_form_is_all_shuffles(
        jobs in proptest::collection::vec((0u32..4, 0u32..4), 1..8),
    ) {
        let mut jobs = jobs;
        jobs.sort_unstable();
        let (groups, bins): (Vec<u32>, Vec<u32>) = jobs.into_iter().unzip();
        let expected = enumerated(&groups, &bins);
        let naive = definition(&groups, &bins);
        close(measure(&groups, &bins), [naive, expected, naive - expected]);
    }
}
