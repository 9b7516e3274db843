//! Agglomeration against a naive one, and section 3.4's synthetic trace.

use super::*;
use crate::math::mix::{GOLDEN, finalise};
use crate::wait::tree::{Node, Spare, nodes_for};
use std::vec;
use std::vec::Vec;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        finalise(self.0)
    }

    fn uniform(&mut self) -> f64 {
        ((self.next() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }
}

/// Clusters these (attribute, wait) pairs; the intervals' bounds, before and after they are moved.
fn cluster(jobs: &[(u64, u64)], fewest: u64) -> (Vec<u64>, Vec<u64>, f64) {
    cluster_with(jobs, fewest, 1.0)
}

/// The same, of dependent waits; `dispersion` of them carry as much information as one independent exponential wait.
fn cluster_with(jobs: &[(u64, u64)], fewest: u64, dispersion: f64) -> (Vec<u64>, Vec<u64>, f64) {
    let mut nodes = vec![Node::zeroed(); nodes_for(jobs.len() + 1, 1).unwrap()];
    let mut groups = vec![Group::zeroed(); jobs.len() + 1];
    let (mut spare, mut values) = (Spare::default(), Values::default());
    let mut pool = Pool { nodes: &mut nodes, spare: &mut spare };
    let mut census = Census { values: &mut values, groups: &mut groups, pool: &mut pool };
    for (attribute, wait) in jobs {
        census.add(*attribute, *wait).unwrap();
        // Values that are removed again leave no trace.
        census.add(7, 1000).unwrap();
        census.remove(7, 1000).unwrap();
    }
    let mut state = Agglomeration::zeroed();
    state.begin(dispersion);
    let (mut items, mut heap) = (vec![Item::zeroed(); jobs.len()], vec![0; jobs.len()]);
    let mut workshop =
        Workshop { state: &mut state, items: &mut items, heap: &mut heap, fewest, most: MAX_CLUSTERS };
    let mut before = None;
    loop {
        if workshop.state.phase == MEASURING && before.is_none() {
            before = Some(workshop.state.intervals.bounds().to_vec());
        }
        if let Some(found) = workshop.step(&census).unwrap() {
            assert!(workshop.state.is_idle());
            return (before.unwrap(), found.bounds().to_vec(), workshop.state.criterion);
        }
    }
}

/// The same by quadratic search.
fn naive(jobs: &[(u64, u64)], fewest: u64, dispersion: f64) -> Vec<u64> {
    let mut sorted = jobs.to_vec();
    sorted.sort();
    let mut clusters: Vec<(u64, f64, f64)> = Vec::new();
    for (attribute, wait) in &sorted {
        let wait = wait.max(&1);
        match clusters.last_mut() {
            Some(last) if last.0 == *attribute => {
                last.1 += 1.0;
                last.2 += *wait as f64;
            }
            _ => clusters.push((*attribute, 1.0, *wait as f64)),
        }
    }
    let surprise = |n: f64, s: f64| n * (s / n).ln();
    let likelihood =
        |clusters: &[(u64, f64, f64)]| -> f64 { clusters.iter().map(|c| -surprise(c.1, c.2) - c.1).sum() };
    let n = jobs.len() as f64;
    let mut best: Option<(f64, Vec<u64>)> = None;
    loop {
        if clusters.len() <= MAX_CLUSTERS
            && (clusters.len() == 1 || clusters.iter().all(|c| c.1 >= fewest as f64))
        {
            let criterion =
                likelihood(&clusters) - dispersion * (2.0 * clusters.len() as f64 - 1.0) / 2.0 * n.ln();
            // The smallest number of clusters with the best criterion comes last.
            if best.as_ref().is_none_or(|(other, _)| criterion >= *other) {
                best = Some((criterion, clusters[..clusters.len() - 1].iter().map(|c| c.0).collect()));
            }
        }
        if clusters.len() == 1 {
            return best.unwrap().1;
        }
        let pair = |i: usize| {
            let (a, b) = (clusters[i], clusters[i + 1]);
            let large = a.1 >= fewest as f64 && b.1 >= fewest as f64;
            (large, surprise(a.1 + b.1, a.2 + b.2) - surprise(a.1, a.2) - surprise(b.1, b.2))
        };
        let first = (0..clusters.len() - 1).min_by(|a, b| pair(*a).partial_cmp(&pair(*b)).unwrap()).unwrap();
        let gone = clusters.remove(first + 1);
        clusters[first] = (gone.0, clusters[first].1 + gone.1, clusters[first].2 + gone.2);
    }
}

#[test]
fn agrees_with_quadratic_search() {
    let mut random = Random(3);
    for round in 0..40 {
        let spread = [5, 40, 400][round % 3];
        let jobs: Vec<(u64, u64)> = (0..600)
            .map(|_| {
                let attribute = random.next() % spread;
                let mean = [20.0, 300.0, 5000.0, 100.0][(attribute * 4 / spread) as usize];
                (attribute + 10, (-mean * random.uniform().ln()) as u64)
            })
            .collect();
        let fewest = [1, 20, 59][round / 3 % 3];
        let dispersion = [1.0, 1.0, 3.0, 20.0][round % 4];
        let (before, after, _) = cluster_with(&jobs, fewest, dispersion);
        assert_eq!(before, naive(&jobs, fewest, dispersion), "{round}");
        assert_eq!(after.len(), before.len());
        assert!(after.is_sorted_by(|a, b| a < b));
        // No cluster is too small.
        let mut low = 0;
        for bound in after.iter().chain([&u64::MAX]) {
            let inside = jobs.iter().filter(|job| (low..=*bound).contains(&job.0)).count();
            assert!(inside as u64 >= fewest);
            low = bound.saturating_add(1);
        }
    }
}

/// Five intervals of requested times with log-normal waits of different means. The paper recovers all boundaries within
/// a few values, with four small clusters on top.
#[test]
fn recovers_the_papers_five_clusters() {
    let mut random = Random(34);
    let mut found_all = 0;
    for _ in 0..20 {
        let jobs: Vec<(u64, u64)> = (0..5000)
            .map(|_| {
                let attribute = 1 + random.next() % 500;
                let location = [4.0, 7.0, 5.0, 8.0, 6.0][(attribute as usize - 1) / 100];
                let normal = crate::math::normal::quantile(random.uniform());
                (attribute, libm::exp(location + normal) as u64)
            })
            .collect();
        let (_, bounds, criterion) = cluster(&jobs, 59);
        assert!(criterion > 0.0);
        let near = |wanted: u64| bounds.iter().any(|bound| bound.abs_diff(wanted) <= 3);
        assert!(near(100) && near(200) && near(300) && near(400), "{bounds:?}");
        found_all += usize::from(bounds.len() == 4);
    }
    assert!(found_all >= 15, "{found_all}");
}

#[test]
fn no_difference_no_clusters() {
    let mut random = Random(1);
    let mut single = 0;
    for _ in 0..20 {
        let jobs: Vec<(u64, u64)> =
            (0..1000).map(|_| (random.next() % 100, (-3600.0 * random.uniform().ln()) as u64)).collect();
        single += usize::from(cluster(&jobs, 59).1.is_empty());
    }
    assert!(single >= 15, "{single}");
    assert!(cluster(&[(5, 0)], 59).1.is_empty());
    assert!(cluster(&[(5, 0); 200], 59).1.is_empty());
    // Zero waits are floored, not infinitely likely.
    let zeros: Vec<(u64, u64)> = (0..400).map(|i| (i % 4, if i % 4 < 2 { 0 } else { 500 })).collect();
    assert_eq!(cluster(&zeros, 59).1, [1]);
}

#[test]
fn attributes_fall_into_their_interval() {
    let mut intervals = Intervals::whole();
    assert_eq!((intervals.of(0), intervals.of(u64::MAX), intervals.clusters()), (0, 0, 1));
    intervals.bounds[..2].copy_from_slice(&[60, 3600]);
    intervals.inner = 2;
    let places: Vec<usize> = [0, 60, 61, 3600, 3601, u64::MAX].iter().map(|a| intervals.of(*a)).collect();
    assert_eq!(places, [0, 0, 1, 1, 2, 2]);
    assert_eq!(intervals.clusters(), 3);
}
