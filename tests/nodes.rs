//! A machine of nodes beside a naive model that keeps every job and adds up anew.

use proptest::prelude::*;
use std::collections::BTreeMap;
use surefill::error::Error;
use surefill::nodes::{Amounts, Fit, Nodes, NodesCapacity, Part, Request, Spread};

const KINDS: usize = 3;

fn amounts(values: &[u32]) -> Amounts {
    let mut amounts = Amounts::default();
    amounts[..values.len()].copy_from_slice(values);
    amounts
}

/// Nodes with their features, capacity and whether they are open; jobs with what they hold.
struct Naive {
    nodes: Vec<(u64, Amounts, bool)>,
    jobs: BTreeMap<u32, (Request, Vec<Part>)>,
    pool: Amounts,
}

impl Naive {
    fn free(&self, node: usize) -> Amounts {
        let mut free = self.nodes[node].1;
        for (request, parts) in self.jobs.values() {
            for part in parts.iter().filter(|part| part.node as usize == node) {
                for (free, each) in free.iter_mut().zip(request.each) {
                    *free -= each * part.tasks;
                }
            }
        }
        free
    }

    fn room(&self, request: &Request, node: usize) -> u64 {
        let (features, _, open) = self.nodes[node];
        let others: Vec<&Request> = self
            .jobs
            .values()
            .filter(|(_, parts)| parts.iter().any(|part| part.node as usize == node))
            .map(|(request, _)| request)
            .collect();
        let closed = !open
            || features & request.features != request.features
            || others.iter().any(|other| other.exclusive)
            || (request.exclusive && !others.is_empty());
        if closed {
            return 0;
        }
        let free = self.free(node);
        // One task more as long as it fits.
        let mut room = 0u64;
        let most = if request.spread == Spread::Nodes { 1 } else { u64::from(request.count) };
        while room < most && (0..KINDS).all(|r| u64::from(request.each[r]) * (room + 1) <= u64::from(free[r]))
        {
            room += 1;
        }
        room
    }

    fn pool_free(&self) -> Amounts {
        let mut free = self.pool;
        for (request, _) in self.jobs.values() {
            for (free, used) in free.iter_mut().zip(request.pool) {
                *free -= used;
            }
        }
        free
    }

    fn fits(&self, request: &Request) -> bool {
        let rooms: u64 = (0..self.nodes.len()).map(|node| self.room(request, node)).sum();
        rooms >= u64::from(request.count) && request.pool.iter().zip(self.pool_free()).all(|(a, b)| *a <= b)
    }
}

fn requests() -> impl Strategy<Value = Request> {
    let each = proptest::collection::vec(prop_oneof![Just(0u32), 0u32..5], KINDS);
    (1u32..6, any::<bool>(), each, 0u32..3, 0u64..4, proptest::bool::weighted(0.2)).prop_map(
        |(count, spread, each, licences, features, exclusive)| Request {
            count,
            spread: if spread { Spread::Nodes } else { Spread::Tasks },
            each: amounts(&each),
            pool: amounts(&[licences]),
            features,
            exclusive,
        },
    )
}

#[derive(Debug, Clone)]
enum Act {
    Place(Request, Fit),
    Release(usize),
    Open(u32, bool),
}

fn acts() -> impl Strategy<Value = Act> {
    let fit = prop_oneof![Just(Fit::First), Just(Fit::Best), Just(Fit::Apart)];
    prop_oneof![
        5 => (requests(), fit).prop_map(|(request, fit)| Act::Place(request, fit)),
        3 => (0usize..8).prop_map(Act::Release),
        1 => (0u32..8, any::<bool>()).prop_map(|(node, open)| Act::Open(node, open)),
    ]
}

proptest! {
    #[test]
    fn a_machine_is_its_naive_model(
        classes in proptest::collection::vec((0u64..4, proptest::collection::vec(0u32..9, KINDS), 1u32..4), 1..4),
        acts in proptest::collection::vec(acts(), 1..60),
    ) {
        let capacity = NodesCapacity { nodes: 12, classes: 4, resources: KINDS as u32, jobs: 10, parts: 30 };
        let mut memory = vec![0u64; Nodes::size(&capacity).unwrap().div_ceil(8)];
        let mut nodes = Nodes::init(bytemuck::cast_slice_mut(&mut memory), &capacity).unwrap();
        let mut naive = Naive { nodes: Vec::new(), jobs: BTreeMap::new(), pool: amounts(&[7]) };
        nodes.set_pool(&naive.pool).unwrap();
        for (features, each, count) in classes {
            let class = nodes.add_class(features, &amounts(&each)).unwrap();
            let first = nodes.add_nodes(class, count).unwrap();
            prop_assert_eq!(first as usize, naive.nodes.len());
            naive.nodes.extend((0..count).map(|_| (features, amounts(&each), true)));
        }
        for act in acts {
            match act {
                Act::Place(request, fit) => {
                    prop_assert_eq!(nodes.fits(&request).unwrap(), naive.fits(&request));
                    let mut parts = [Part::default(); 6];
                    let found = nodes.place(&request, fit, &mut parts).unwrap();
                    prop_assert_eq!(found.is_some(), naive.fits(&request));
                    let Some(count) = found else { continue };
                    let parts = &parts[..count];
                    prop_assert!(parts.windows(2).all(|two| two[0].node < two[1].node));
                    prop_assert_eq!(parts.iter().map(|part| part.tasks).sum::<u32>(), request.count);
                    for part in parts {
                        prop_assert!(u64::from(part.tasks) <= naive.room(&request, part.node as usize));
                    }
                    if fit == Fit::First {
                        // No node with room is passed over before the last.
                        for node in 0..parts[count - 1].node {
                            let taken = parts.iter().any(|part| part.node == node);
                            prop_assert_eq!(taken, naive.room(&request, node as usize) > 0);
                        }
                    } else {
                        // Every node left out would leave at least as much as any taken.
                        let left = |node: u32| -> f64 {
                            let (free, all) = (naive.free(node as usize), naive.nodes[node as usize].1);
                            (0..KINDS).filter(|&r| all[r] > 0)
                                .map(|r| f64::from(free[r].saturating_sub(request.each[r])) / f64::from(all[r])).sum()
                        };
                        let worst = parts.iter().map(|part| left(part.node)).fold(0.0, f64::max);
                        for node in (0..naive.nodes.len() as u32).filter(|n| parts.iter().all(|p| p.node != *n)) {
                            prop_assert!(naive.room(&request, node as usize) == 0 || left(node) >= worst - 1e-9);
                        }
                    }
                    match nodes.allocate(&request, parts) {
                        Ok(handle) => {
                            prop_assert!(naive.jobs.insert(handle, (request, parts.to_vec())).is_none());
                            let mut found = [Part::default(); 6];
                            let count = nodes.placement(handle, &mut found).unwrap();
                            prop_assert_eq!(&found[..count], parts);
                        }
                        Err(error) => {
                            prop_assert_eq!(error, Error::Full);
                            let held: usize = naive.jobs.values().map(|(_, parts)| parts.len()).sum();
                            prop_assert!(naive.jobs.len() == 10 || held + parts.len() > 30);
                        }
                    }
                }
                Act::Release(which) => {
                    let Some(&handle) = naive.jobs.keys().nth(which) else { continue };
                    nodes.release(handle).unwrap();
                    naive.jobs.remove(&handle);
                    prop_assert_eq!(nodes.release(handle), Err(Error::UnknownJob));
                }
                Act::Open(node, open) => match naive.nodes.get_mut(node as usize) {
                    Some(known) => {
                        known.2 = open;
                        nodes.set_open(node, open).unwrap();
                    }
                    None => prop_assert_eq!(nodes.set_open(node, open), Err(Error::NoSuchIndex)),
                },
            }
            prop_assert_eq!(nodes.pool_free(), naive.pool_free());
            prop_assert_eq!(nodes.jobs() as usize, naive.jobs.len());
            for node in 0..naive.nodes.len() {
                let alone = naive.jobs.values().any(|(request, parts)| {
                    request.exclusive && parts.iter().any(|part| part.node as usize == node)
                });
                let expected = if alone { Amounts::default() } else { naive.free(node) };
                prop_assert_eq!(nodes.free(node as u32).unwrap(), expected);
            }
        }
    }
}

/// Every kind of wrong input has its own error, and a refused call has changed nothing.
/// A handle that was given back is not the next job's, which has its place.
#[test]
fn a_job_is_released_once() {
    let capacity = NodesCapacity { nodes: 1, classes: 1, resources: 1, jobs: 1, parts: 1 };
    let mut memory = vec![0u64; Nodes::size(&capacity).unwrap().div_ceil(8)];
    let mut nodes = Nodes::init(bytemuck::cast_slice_mut(&mut memory), &capacity).unwrap();
    let class = nodes.add_class(0, &amounts(&[8])).unwrap();
    nodes.add_nodes(class, 1).unwrap();
    let request = Request { count: 1, each: amounts(&[8]), ..Request::default() };
    let parts = [Part { node: 0, tasks: 1 }];
    let first = nodes.allocate(&request, &parts).unwrap();
    let mut job = first;
    for _ in 0..2047 {
        nodes.release(job).unwrap();
        job = nodes.allocate(&request, &parts).unwrap();
        assert_eq!(nodes.release(first), Err(Error::UnknownJob));
        assert!(nodes.placement(first, &mut [Part::default()]).is_err() && job < 1 << 31);
    }
    assert_eq!(nodes.jobs(), 1);
}

#[test]
fn wrong_input_changes_nothing() {
    let capacity = NodesCapacity { nodes: 4, classes: 1, resources: 2, jobs: 2, parts: 4 };
    for wrong in [
        NodesCapacity { nodes: 0, ..capacity },
        NodesCapacity { nodes: (1 << 16) + 1, ..capacity },
        NodesCapacity { classes: 0, ..capacity },
        NodesCapacity { resources: 9, ..capacity },
        NodesCapacity { jobs: (1 << 20) + 1, ..capacity },
    ] {
        assert_eq!(Nodes::size(&wrong), Err(Error::OutOfRange));
    }
    let mut memory = vec![0u64; Nodes::size(&capacity).unwrap().div_ceil(8)];
    let mut nodes = Nodes::init(bytemuck::cast_slice_mut(&mut memory), &capacity).unwrap();
    assert_eq!(nodes.add_class(0, &amounts(&[1, 1, 1])), Err(Error::OutOfRange));
    let class = nodes.add_class(1, &amounts(&[8, 100])).unwrap();
    assert_eq!(nodes.add_class(0, &amounts(&[1])), Err(Error::Full));
    assert_eq!(nodes.add_nodes(7, 1), Err(Error::NoSuchIndex));
    assert_eq!(nodes.add_nodes(class, 5), Err(Error::Full));
    assert_eq!(nodes.add_nodes(class, 3), Ok(0));
    let request = Request { count: 2, each: amounts(&[4, 50]), ..Request::default() };
    let part = |node, tasks| Part { node, tasks };
    for (parts, error) in [
        (&[part(0, 1)][..], Error::DoesNotFit),
        (&[part(0, 1), part(3, 1)], Error::NoSuchIndex),
        (&[part(0, 2)], Error::DoesNotFit),
        (&[part(1, 1), part(0, 1)], Error::OutOfRange),
        (&[part(1, 1), part(1, 1)], Error::OutOfRange),
        (&[part(0, 0), part(1, 1)], Error::OutOfRange),
    ] {
        assert_eq!(nodes.allocate(&request, parts), Err(error));
    }
    let other = Request { features: 2, ..request };
    assert_eq!(nodes.allocate(&other, &[part(0, 1), part(1, 1)]), Err(Error::DoesNotFit));
    assert!(!nodes.could_fit(&other).unwrap());
    for wrong in [Request { count: 0, ..request }, Request { each: amounts(&[1, 1, 1]), ..request }] {
        assert_eq!(nodes.fits(&wrong), Err(Error::OutOfRange));
    }
    assert_eq!(nodes.place(&request, Fit::Best, &mut [Part::default()]), Err(Error::Full));
    assert_eq!(nodes.jobs(), 0);
    assert_eq!((0..3).map(|node| nodes.free(node).unwrap()[..2].to_vec()).collect::<Vec<_>>(), [[8, 100]; 3]);
    let handle = nodes.allocate(&request, &[part(0, 1), part(2, 1)]).unwrap();
    assert_eq!(nodes.placement(handle, &mut [Part::default()]), Err(Error::Full));
    // The block may be moved, and found again.
    let mut moved = memory.clone();
    let mut nodes = Nodes::attach(bytemuck::cast_slice_mut(&mut moved)).unwrap();
    let whole = Request { count: 1, each: amounts(&[1]), exclusive: true, ..Request::default() };
    let mut parts = [Part::default(); 3];
    assert_eq!(nodes.place(&whole, Fit::Best, &mut parts), Ok(Some(1)));
    assert_eq!(parts[0], part(1, 1));
    nodes.allocate(&whole, &parts[..1]).unwrap();
    assert!(!nodes.fits(&Request { count: 1, spread: Spread::Tasks, each: amounts(&[5]), ..whole }).unwrap());
    let more = Request { count: 1, each: amounts(&[4]), ..Request::default() };
    assert_eq!(nodes.allocate(&more, &[part(0, 1)]), Err(Error::Full));
    nodes.release(handle).unwrap();
    assert_eq!(nodes.release(handle), Err(Error::UnknownJob));
}
