//! Times without some of the nodes in a replay: when nodes close for new jobs and open again.

use crate::trace::site::{Outage, SiteRules};
use crate::trace::workload::Workload;
use std::sync::Arc;

/// The outages of a workload's site, as time passes.
#[derive(Debug)]
pub(crate) struct Outages {
    site: Arc<SiteRules>,
    /// Times at which an outage begins (false) or ends (true), with its place in the site's list, in order.
    events: Vec<(i64, bool, usize)>,
    /// Number of events that are over.
    passed: usize,
    /// Number of outages that each node is in.
    closed: Vec<u32>,
}

impl Outages {
    /// Those of a machine of nodes, if there are any.
    pub(crate) fn new(workload: &Workload) -> Option<Outages> {
        let site = Arc::clone(workload.site.as_ref()?);
        let nodes = workload.nodes.as_ref()?.nodes();
        let both = site.outages.iter().enumerate().flat_map(|(place, outage)| {
            // One that ends before it begins is none.
            let to = outage.to.filter(|&to| to > outage.from);
            let is_one = to.is_some() || outage.to.is_none();
            let from = is_one.then_some((outage.from, false, place));
            from.into_iter().chain(to.map(|to| (to, true, place)))
        });
        let mut events: Vec<(i64, bool, usize)> = both.collect();
        if events.is_empty() {
            return None;
        }
        events.sort_unstable();
        Some(Outages { events, passed: 0, closed: vec![0; nodes as usize], site })
    }

    /// The time of the next event.
    pub(crate) fn next(&self) -> Option<i64> {
        self.events.get(self.passed).map(|event| event.0)
    }

    /// The nodes that close (false) and open (true) up to this time, in order.
    pub(crate) fn pass(&mut self, now: i64) -> Vec<(u32, bool)> {
        let mut changes = Vec::new();
        while let Some(&(_, opens, place)) = self.events.get(self.passed).filter(|event| event.0 <= now) {
            self.passed += 1;
            for &node in &self.site.outages[place].nodes {
                let Some(count) = self.closed.get_mut(node as usize) else { continue };
                let before = *count;
                *count = if opens { before - 1 } else { before + 1 };
                if before == 0 || *count == 0 {
                    changes.push((node, opens));
                }
            }
        }
        changes
    }

    /// The outages that are known at this time and not over.
    pub(crate) fn known(&self, now: i64) -> impl Iterator<Item = &Outage> {
        let known = move |outage: &&Outage| {
            outage.known.min(outage.from) <= now && outage.to.is_none_or(|to| to > now.max(outage.from))
        };
        self.site.outages.iter().filter(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_open_when_no_outage_has_it() {
        let outage = |from, to, known, nodes: &[u32]| Outage { from, to, known, nodes: nodes.to_vec() };
        let outages = vec![
            outage(10, Some(30), 0, &[0, 1]),
            outage(20, None, 20, &[1, 9]),
            outage(30, Some(40), 30, &[0]),
            outage(35, Some(35), 35, &[2]),
        ];
        let site = SiteRules { outages, ..SiteRules::default() };
        let workload = Workload {
            jobs: Vec::new(),
            procs: 3,
            counts: Default::default(),
            unix_start_time: None,
            nodes: Some(Arc::new("3x(cores=1)".parse().unwrap())),
            site: Some(Arc::new(site)),
        };
        let mut outages = Outages::new(&workload).unwrap();
        assert_eq!((outages.next(), outages.pass(9)), (Some(10), vec![]));
        assert_eq!(outages.pass(10), [(0, false), (1, false)]);
        assert_eq!(outages.known(15).count(), 1);
        assert_eq!(outages.pass(29), []);
        // Node 0 is in the next one at once, node 1 in another.
        assert_eq!(outages.pass(30), []);
        assert_eq!(outages.known(30).count(), 2);
        assert_eq!((outages.pass(100), outages.next()), (vec![(0, true)], None));
    }
}
