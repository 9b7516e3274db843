//! Backfilling with lookahead, LOS (Shmueli & Feitelson, "Backfilling with lookahead to optimize the packing of
//! parallel jobs", JSSPP 2003; JPDC 65(9), 2005).
//!
//! The head job starts as soon as it fits, and else has EASY's reservation. Ahead of it starts the set of waiting jobs
//! that puts most idle processors to use at once without moving the reservation: jobs predicted to end by then take
//! idle processors only, others also take of those that the head job leaves over. As in the paper, the first 50 waiting
//! jobs are considered, and of sets that use as many processors the one with jobs nearer to the head is taken.
//!
//! The paper's table has a dimension for the idle processors and one for those left over. Here it holds for every
//! number of processors used the fewest left-over ones that it takes: the same answer in time and memory of jobs times
//! idle processors.

use super::{Parts, Policy};
use crate::replay::machine::Cluster;
use crate::trace::workload::{Job, JobId};

/// Number of waiting jobs considered.
const DEPTH: usize = 50;

/// LOS.
pub struct Lookahead(pub Parts);

/// A job that could be started: the processors it takes now, and those of the left-over ones.
#[derive(Debug, Clone, Copy)]
struct Item {
    processors: u32,
    extra: u32,
}

/// Marks a number of processors that no set of jobs uses.
const NONE: u32 = u32::MAX;

/// The jobs to start: those that use most of `idle` with no more than `extra`; of these sets the one with the earliest
/// first job, then the earliest second, and so on.
fn choose(items: &[Item], idle: u32, extra: u32) -> Vec<usize> {
    let width = idle as usize + 1;
    // fewest[i][u]: the fewest left-over processors with which jobs from i on use exactly u.
    let mut fewest = vec![NONE; width * (items.len() + 1)];
    fewest[width * items.len()] = 0;
    for (index, item) in items.iter().enumerate().rev() {
        let (here, later) = fewest[width * index..].split_at_mut(width);
        for used in 0..width {
            let with = used.checked_sub(item.processors as usize).map_or(NONE, |rest| later[rest]);
            here[used] = later[used].min(with.saturating_add(item.extra));
        }
    }
    let mut used = (0..width).rev().find(|&used| fewest[used] <= extra).unwrap_or(0);
    let mut left = extra;
    let mut chosen = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let later = &fewest[width * (index + 1)..];
        let rest = used.checked_sub(item.processors as usize);
        if let Some(rest) = rest
            && later[rest] != NONE
            && later[rest] + item.extra <= left
        {
            chosen.push(index);
            (used, left) = (rest, left - item.extra);
        }
    }
    chosen
}

impl Lookahead {
    /// The shadow time and the processors that the head job leaves over then.
    fn reservation(&self, cluster: &Cluster<'_>, head: &Job) -> (i64, u32) {
        let (mut free, mut shadow) = (cluster.idle(), cluster.now());
        for (end, processors) in self.0.releases(cluster) {
            // Jobs that end in the shadow second count as ended.
            if free >= head.processors && end > shadow {
                break;
            }
            free += processors;
            shadow = end;
        }
        (shadow, free - head.processors)
    }
}

impl Policy for Lookahead {
    fn submitted(&mut self, job: &Job, _now: i64) {
        self.0.submitted(job);
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.0.started(job, now);
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.0.ended(job, now);
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        self.0.sort_queue(cluster);
        cluster.start_heads();
        let Some(head) = cluster.head() else { return };
        let (now, idle) = (cluster.now(), cluster.idle());
        if idle == 0 || cluster.queue().len() == 1 {
            return;
        }
        let (shadow, extra) = self.reservation(cluster, head);
        let waiting = cluster.queue().iter().skip(1).take(DEPTH).copied();
        let fitting: Vec<JobId> = waiting.filter(|&id| cluster.fits(cluster.job(id))).collect();
        let item = |&id: &JobId| {
            let processors = cluster.job(id).processors;
            Item { processors, extra: if now + self.0.predicted(id) <= shadow { 0 } else { processors } }
        };
        let items: Vec<Item> = fitting.iter().map(item).collect();
        cluster.judged(items.len() as u64);
        for index in choose(&items, idle, extra) {
            cluster.backfill(fitting[index], 0.0, 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn better_packings_than_first_fit() {
        let item = |processors, extra| Item { processors, extra };
        // First fit takes 3 and leaves 2 of 5 idle.
        assert_eq!(choose(&[item(3, 0), item(3, 0), item(1, 0), item(4, 0)], 5, 0), [2, 3]);
        // The wide one would take processors that the head job needs.
        assert_eq!(choose(&[item(4, 4), item(2, 0), item(3, 3)], 5, 3), [1, 2]);
        assert_eq!(choose(&[], 5, 3), [0usize; 0]);
        assert_eq!(choose(&[item(2, 2)], 5, 1), [0usize; 0]);
    }

    proptest! {
        /// Against every subset.
        #[test]
        fn no_subset_is_better(
            items in proptest::collection::vec((1u32..9, any::<bool>()), 0..10),
            idle in 0u32..20,
            extra in 0u32..12,
        ) {
            let items: Vec<Item> = items
                .into_iter()
                .map(|(processors, late)| Item { processors, extra: if late { processors } else { 0 } })
                .collect();
            let mut best: Option<(u32, Vec<usize>)> = None;
            for subset in 0u32..1 << items.len() {
                let chosen: Vec<usize> = (0..items.len()).filter(|&i| subset >> i & 1 == 1).collect();
                let sum = |of: fn(&Item) -> u32| chosen.iter().map(|&i| of(&items[i])).sum::<u32>();
                let (used, taken) = (sum(|item| item.processors), sum(|item| item.extra));
                if used > idle || taken > extra {
                    continue;
                }
                let better = best.as_ref().is_none_or(|(most, earliest)| {
                    used > *most || (used == *most && chosen < *earliest)
                });
                if better {
                    best = Some((used, chosen));
                }
            }
            prop_assert_eq!(Some(choose(&items, idle, extra)), best.map(|best| best.1));
        }
    }
}
