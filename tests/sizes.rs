//! The memory that objects need is at most that of their documentation, at the edges of the capacities too, and not
//! much less. (tests/pass.rs tests the pass, tests/hmm.rs the models.)

use surefill::allocate::{Sizing, SizingCapacity};
use surefill::nodes::{NodePass, NodePassCapacity, Nodes, NodesCapacity};
use surefill::wait::{WaitCapacity, WaitPredictor};

/// An object needs at most the stated size, and at least this share of what exceeds the constant.
fn within(size: usize, said: f64, share: f64, constant: f64, of: &dyn std::fmt::Debug) {
    let size = size as f64;
    assert!(size <= said && size >= share * (said - constant), "{of:?}: {size}, formula {said}");
}

#[test]
fn a_sizing() {
    for running in [0, 1, 1000] {
        for processors in [1, 2, 1000] {
            for bins in [0, 1, 32] {
                let capacity = SizingCapacity { running, processors, bins, events_per_bin: 4 };
                let [r, p, be] = [running, processors, bins * 4].map(f64::from);
                let said = 72.0 * r + 16.0 * r * be + 24.0 * p + 128.0;
                within(Sizing::size(&capacity).unwrap(), said, 0.85, 128.0, &capacity);
            }
        }
    }
}

#[test]
fn a_wait_predictor() {
    for history in [1, 1000, 65_536, 1 << 20] {
        for queued in [1, 1000, (1 << 15) + 1, 100_000] {
            for neighbours in [0, 1, 1000, 65_536] {
                for (clusters, a_wait) in [(1, 80.0), (4, 231.0)] {
                    for releases in [0, 1000, 1 << 20] {
                        let capacity = WaitCapacity { history, queued, releases, clusters, neighbours };
                        let a_job = if neighbours > 0 { 532.0 } else { 228.0 };
                        let [h, q, r, n] = [history, queued, releases, neighbours].map(f64::from);
                        let said = a_wait * h + 160.0 * r + a_job * q + 48.0 * n + 110_000.0;
                        within(WaitPredictor::size(&capacity).unwrap(), said, 0.9, 110_000.0, &capacity);
                    }
                }
            }
        }
    }
}

#[test]
fn nodes_and_their_pass() {
    for nodes in [1, 1000, 65_536] {
        for resources in [1, 8] {
            for jobs in [0, 1, 1000] {
                for parts in [0, 1, 1000] {
                    let capacity = NodesCapacity { nodes, classes: 16, resources, jobs, parts };
                    let [n, k, j, p] = [nodes, resources, jobs, parts].map(f64::from);
                    let said = (40.0 + 4.0 * k) * n + 104.0 * 16.0 + 104.0 * j + 16.0 * p + 512.0;
                    within(Nodes::size(&capacity).unwrap(), said, 0.9, 512.0, &capacity);
                    for (bins, events_per_bin) in [(1, 1), (32, 4)] {
                        let (running, candidates) = (jobs, 1000 - jobs);
                        let capacity = NodePassCapacity {
                            nodes,
                            resources,
                            running,
                            candidates,
                            parts,
                            bins,
                            events_per_bin,
                        };
                        let (be, q) = (f64::from(bins * events_per_bin), f64::from(candidates));
                        let jobs = 24.0 * (j + q + 1.0) * be + 692.0 * j + 924.0 * q;
                        let said = jobs + (56.0 + 4.0 * k) * n + 24.0 * p + 82_000.0;
                        within(NodePass::size(&capacity).unwrap(), said, 0.75, 82_000.0, &capacity);
                    }
                }
            }
        }
    }
}
