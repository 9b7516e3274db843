//! `surefill advise` on a recorded cluster of a thousand nodes with partitions that overlap and three nodes in a
//! hundred drained, reserved or failing, at ten moments: every waiting job's start beside the one that came.

use super::advising::advice_of;
use super::cluster::{BEGIN, Cluster, PARTITIONS};
use surefill_simulator::live::advise::Advice;

const DAY: i64 = 86_400;
const HOUR: i64 = 3600;

fn advice(cluster: &Cluster, now: i64, with_nodes: bool) -> Advice {
    advice_of(now, &cluster.squeue(now, with_nodes), &cluster.sinfo(now), &cluster.sacct(now))
}

/// Counts of the answers.
#[derive(Debug, Default, Clone, Copy)]
struct Score {
    waiting: usize,
    near: usize,
    bounds: usize,
    held: usize,
    /// The sums of the waits whose bounds are known, and of these bounds.
    waits: i64,
    bounded: i64,
}

impl Score {
    fn count(&mut self, wait: i64, median: Option<i64>, bound: Option<i64>) {
        self.waiting += 1;
        // A pass a minute: a start within one of now is now.
        let is_near = |median: i64| (median + 60) <= 2 * (wait + 60) && 2 * (median + 60) >= wait + 60;
        self.near += usize::from(median.is_some_and(is_near));
        if let Some(bound) = bound {
            self.bounds += 1;
            self.held += usize::from(wait <= bound + 60);
            self.waits += wait;
            self.bounded += bound;
        }
    }
}

/// The scores of all moments, of which one a partition is printed as well.
fn scored(cluster: &Cluster, moments: impl Iterator<Item = i64>, with_nodes: bool) -> Score {
    let mut all = Score::default();
    let mut of = [Score::default(); PARTITIONS.len()];
    for moment in moments {
        let now = BEGIN + moment;
        let advice = advice(cluster, now, with_nodes);
        let mut here = Score::default();
        for job in cluster.waiting(now) {
            let name = job.id.to_string();
            let start = advice.starts.iter().find(|start| start.job == name);
            let level = |level: usize| start.and_then(|start| Some(start.quantiles.get(level)?.within));
            for score in [&mut all, &mut of[job.partition], &mut here] {
                score.count(job.start - now, level(2), level(4));
            }
        }
        println!("after {} h: {here:?}", moment / 3600);
    }
    for (partition, score) in PARTITIONS.iter().zip(of) {
        println!("{}: {score:?}", partition.name);
    }
    println!("all: {all:?}");
    all
}

/// Half of the medians lie within a factor of 2, and 92 of 100 bounds hold.
fn is_good(score: Score) -> bool {
    score.waiting > 0 && 2 * score.near >= score.waiting && 100 * score.held >= 92 * score.bounds
}

#[test]
fn starts_on_overlapping_partitions() {
    let cluster = Cluster::played(1, 8, 0.95);
    let score = scored(&cluster, [6 * DAY, 7 * DAY + HOUR].into_iter(), true);
    assert!(is_good(score) && score.bounds > 0, "{score:?}");
}

/// Ten moments of two clusters in a jam; without the lists of nodes the same.
#[test]
#[ignore = "ten minutes: figures for results/starts.md"]
fn starts_on_overlapping_partitions_at_ten_moments() {
    for (seed, with_nodes) in [(1, true), (2, true), (1, false)] {
        let cluster = Cluster::played(seed, 15, 1.02);
        println!("cluster {seed}, {} jobs, lists of nodes: {with_nodes}", cluster.jobs.len());
        let score = scored(&cluster, (0..10).map(|moment| 8 * DAY + moment * 17 * HOUR), with_nodes);
        assert!(is_good(score), "{score:?}");
    }
}
