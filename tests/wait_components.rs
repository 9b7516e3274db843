//! The components of the wait predictor against naive re-implementations: change points, clusters, availability,
//! adaptation.

mod wait_common;

use surefill::error::Error;
use surefill::wait::*;
use wait_common::*;

fn autocorrelation(waits: &[i64]) -> f64 {
    let mean = waits.iter().sum::<i64>() as f64 / waits.len() as f64;
    let deviations: Vec<f64> = waits.iter().map(|wait| *wait as f64 - mean).collect();
    let all: f64 = deviations.iter().map(|d| d * d).sum();
    let pairs: f64 = deviations.windows(2).map(|pair| pair[0] * pair[1]).sum();
    if all == 0.0 { 0.0 } else { pairs / all }
}

#[test]
fn trims_at_change_points() {
    let mut memory = block(&LIMITS);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS, &options(TRIM)).unwrap();
    assert_eq!(predictor.smallest_history(), 59);
    let mut random = Random(3);
    let (mut waits, mut misses, mut trims, mut threshold) = (Vec::<i64>::new(), 0, 0, None);
    for i in 0..8000_u64 {
        // The mean changes by large factors now and then; some correlation between neighbours.
        let mean = [30.0, 4000.0, 300.0, 90_000.0, 20.0][(i / 700 % 5) as usize];
        let wait = match waits.last() {
            Some(last) if random.next(10) < 3 => *last,
            _ => random.exponential(mean),
        };
        if let WaitAnswer::Bound(bound) = naive_bound(&waits, 0.95, 0.95) {
            misses = if wait > bound { misses + 1 } else { 0 };
        }
        if misses == 1 {
            threshold = rare_event_threshold(0.95, autocorrelation(&waits)).unwrap();
        }
        let change = misses > 0 && threshold.is_some_and(|threshold| misses >= threshold);
        if waits.len() == 500 {
            waits.remove(0);
        }
        waits.push(wait);
        if change {
            waits.drain(..waits.len() - 59);
            misses = 0;
            trims += 1;
        }
        predictor.known(wait, &job(1)).unwrap();
        assert_eq!(predictor.clusters().next().unwrap().waits as usize, waits.len(), "{i}");
        assert_eq!(predictor.predict(&job(1), 0.95, 0.95, 0), Ok(naive_bound(&waits, 0.95, 0.95)));
    }
    assert!((6..100).contains(&trims), "{trims}");
}

#[test]
fn clusters_hold_what_their_interval_says() {
    for (seed, history) in [(4, 500), (5, 120), (6, 3000)] {
        let limits = WaitCapacity { history, ..LIMITS };
        let options = WaitOptions { recluster_every: 100, ..options(CLUSTER) };
        let mut memory = block(&limits);
        let mut predictor =
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options).unwrap();
        let mut random = Random(seed);
        let mut waits: Vec<(u64, i64)> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for i in 0..6000_u64 {
            // The requests with long and with short waits change.
            let requested = random.next(400) * 10;
            let mean = [10.0, 500.0, 20_000.0][((requested / 1000 + i / 1500) % 3) as usize];
            let wait = random.exponential(mean);
            predictor.known(wait, &job(requested as i64)).unwrap();
            waits.push((requested, wait));
            if waits.len() > history as usize {
                waits.remove(0);
            }
            let clusters: Vec<Cluster> = predictor.clusters().collect();
            seen.insert(clusters.len());
            assert_eq!((clusters[0].from, clusters[clusters.len() - 1].to), (0, u64::MAX));
            assert!(clusters.windows(2).all(|pair| pair[0].to + 1 == pair[1].from));
            for cluster in clusters {
                let inside: Vec<i64> = waits
                    .iter()
                    .filter(|(requested, _)| (cluster.from..=cluster.to).contains(requested))
                    .map(|(_, wait)| *wait)
                    .collect();
                assert_eq!(cluster.waits as usize, inside.len(), "{i}");
                let like = job(cluster.from as i64);
                assert_eq!(predictor.predict(&like, 0.95, 0.95, 0), Ok(naive_bound(&inside, 0.95, 0.95)));
            }
        }
        assert!(seen.contains(&1), "{seen:?}");
        assert_eq!(seen.len() > 2, history > 120, "{seen:?}");
        let (gain, criterion) = predictor.explained();
        assert!(gain >= criterion && criterion >= 0.0);
    }
}

#[test]
fn clusters_by_each_attribute() {
    let features = |i: u64| Features { requested: (i % 5) as i64 * 1000, processors: 1 << (i / 5 % 5) };
    for (attribute, wanted) in [
        (Attribute::Requested, vec![2000, u64::MAX]),
        (Attribute::Processors, vec![4, u64::MAX]),
        (Attribute::Product, vec![7000, u64::MAX]),
    ] {
        let value = |job: Features| match attribute {
            Attribute::Requested => job.requested as u64,
            Attribute::Processors => u64::from(job.processors),
            Attribute::Product | Attribute::Best => job.requested as u64 * u64::from(job.processors),
        };
        let options = WaitOptions { attribute, recluster_every: 200, ..options(CLUSTER) };
        let limits = WaitCapacity { clusters: 2, ..LIMITS };
        let mut memory = block(&limits);
        let mut predictor =
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options).unwrap();
        let mut random = Random(11);
        for _ in 0..1000 {
            let job = features(random.next(25));
            predictor
                .known(random.exponential(if value(job) > wanted[0] { 9000.0 } else { 90.0 }), &job)
                .unwrap();
        }
        let found: Vec<u64> = predictor.clusters().map(|cluster| cluster.to).collect();
        // The largest value that occurs below the step.
        let step = (0..25).map(|i| value(features(i))).filter(|value| *value <= wanted[0]).max().unwrap();
        assert_eq!(found, [step, u64::MAX], "{attribute:?}");
        assert!(predictor.explained().1 > 100.0);
    }
}

#[test]
fn clusters_on_request() {
    let never = WaitOptions { recluster_every: u32::MAX, ..options(CLUSTER) };
    let learn = |predictor: &mut WaitPredictor| {
        let mut random = Random(11);
        for _ in 0..400 {
            let requested = 1 + random.next(100) as i64;
            predictor
                .known(random.exponential(if requested <= 60 { 100.0 } else { 5000.0 }), &job(requested))
                .unwrap();
        }
    };
    let mut blocks = Vec::new();
    for work in [1, 7, 1000, u64::MAX] {
        let mut memory = block(&LIMITS);
        let mut predictor =
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS, &never).unwrap();
        learn(&mut predictor);
        assert_eq!(predictor.clusters().count(), 1);
        assert_eq!(predictor.recluster(0), Err(Error::OutOfRange));
        let mut calls = 1;
        while predictor.recluster(work).unwrap() == Clustering::More {
            assert!(predictor.clusters().count() == 1, "not before all are filled");
            calls += 1;
        }
        assert!(calls * work.min(4 * 500) <= 4 * 500, "{calls} calls of {work}");
        assert_eq!(predictor.clusters().map(|cluster| cluster.to).collect::<Vec<_>>(), [60, u64::MAX]);
        assert_eq!(predictor.clusters().map(|cluster| cluster.waits).sum::<u64>(), 400);
        blocks.push(memory);
    }
    assert!(blocks.windows(2).all(|pair| pair[0] == pair[1]), "the slices do not matter");

    // The same clusters as when it is time; and with events between the slices.
    let mut memory = block(&LIMITS);
    let every = WaitOptions { recluster_every: 400, ..never };
    let mut predictor = WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS, &every).unwrap();
    learn(&mut predictor);
    for i in 0..60 {
        predictor.known(50, &job(1 + i)).unwrap();
    }
    assert_eq!(predictor.clusters().map(|cluster| cluster.to).collect::<Vec<_>>(), [60, u64::MAX]);
    assert_eq!(predictor.recluster(1), Ok(Clustering::More));
    for i in 0..40 {
        predictor.known(50 + i, &job(1 + i)).unwrap();
        predictor.recluster(10).unwrap();
    }
    while predictor.recluster(50).unwrap() == Clustering::More {}
    assert_eq!(predictor.clusters().map(|cluster| cluster.waits).sum::<u64>(), 500);

    for (limits, components) in [(LIMITS, 0), (WaitCapacity { clusters: 1, ..LIMITS }, CLUSTER)] {
        let mut memory = block(&limits);
        let mut predictor =
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options(components))
                .unwrap();
        assert_eq!(predictor.recluster(5), Ok(Clustering::Idle));
    }
    let mut memory = block(&LIMITS);
    let mut empty = WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS, &never).unwrap();
    while empty.recluster(1).unwrap() == Clustering::More {}
    assert_eq!(
        empty.clusters().map(|cluster| (cluster.from, cluster.to, cluster.waits)).collect::<Vec<_>>(),
        [(0, u64::MAX, 0)]
    );
}

#[test]
fn trimmed_clusters_keep_a_useful_history() {
    let limits = WaitCapacity { history: 2000, ..LIMITS };
    let options = WaitOptions { recluster_every: 200, ..options(CLUSTER | TRIM) };
    let mut memory = block(&limits);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options).unwrap();
    let mut random = Random(7);
    let (mut trimmed, mut most, mut sets) = (false, 0, std::collections::BTreeSet::new());
    for i in 0..20_000_u64 {
        let requested = random.next(100) * 60;
        let regime = [1.0, 30.0, 2.0][(i / 3000 % 3) as usize];
        let wait = random.exponential(regime * if requested < 3000 { 10.0 } else { 1000.0 });
        predictor.known(wait, &job(requested as i64)).unwrap();
        let clusters: Vec<Cluster> = predictor.clusters().collect();
        let together: u64 = clusters.iter().map(|cluster| cluster.waits).sum();
        assert!(together <= predictor.remembered());
        trimmed |= together < predictor.remembered();
        most = most.max(clusters.len());
        sets.insert(clusters.iter().map(|cluster| cluster.to).collect::<Vec<_>>());
        // The attribute is uniform, so that no cluster loses its history between clusterings.
        if clusters.len() == 2 {
            assert!(clusters.iter().all(|cluster| cluster.waits >= 40), "{i} {clusters:?}");
        }
    }
    assert!(trimmed && most >= 2 && sets.len() >= 5, "{most} {}", sets.len());
}

#[test]
fn silence_means_the_machine_may_be_down() {
    let mut memory = block(&LIMITS);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS, &options(AVAILABILITY)).unwrap();
    let mut now = 0;
    let mut id = 0;
    // One job every 10 s starts 25 s later.
    for _ in 0..200 {
        now += 10;
        predictor.submit(id, now, &job(1)).unwrap();
        if id >= 2 {
            predictor.start(id - 2, now + 5).unwrap();
        }
        id += 1;
    }
    assert_eq!(predictor.predict(&job(1), 0.95, 0.95, now + 5), Ok(WaitAnswer::Bound(25)));
    // The third job in a row without a release alarms the detector; so do 21 s.
    assert_eq!(predictor.may_be_down(now + 15), Ok(false));
    assert_eq!(predictor.may_be_down(now + 40), Ok(true));
    assert_eq!(predictor.predict(&job(1), 0.95, 0.95, now + 40), Ok(WaitAnswer::MayBeDown));
    assert_eq!(predictor.submit(id, now + 40, &job(1)), Ok(WaitAnswer::MayBeDown));
    predictor.start(id, now + 50).unwrap();
    assert_eq!(predictor.may_be_down(now + 50), Ok(false));
    now += 50;
    for i in 1..4 {
        let down = predictor.submit(id + i, now, &job(1)).unwrap() == WaitAnswer::MayBeDown;
        assert_eq!(down, i > 1);
    }
    // When the queue runs empty, time does not count.
    for late in [id - 1, id - 2, id + 1, id + 2, id + 3] {
        predictor.start(late, now + 1).unwrap();
    }
    assert_eq!(predictor.queued(), 0);
    assert_eq!(predictor.may_be_down(now + 1_000_000), Ok(false));
    assert_eq!(predictor.submit(9999, now + 1_000_000, &job(1)), Ok(WaitAnswer::Bound(25)));
    assert_eq!(predictor.may_be_down(now + 1_000_011), Ok(true));
}

/// One detector, naively.
#[derive(Default)]
struct Detector {
    values: Vec<i64>,
    misses: u32,
    threshold: Option<u32>,
}

impl Detector {
    fn exceeded_by(&self, value: i64) -> bool {
        matches!(naive_bound(&self.values, 0.9, 0.95), WaitAnswer::Bound(bound) if value > bound)
    }

    fn add(&mut self, value: i64, capacity: usize) {
        self.misses = if self.exceeded_by(value) { self.misses + 1 } else { 0 };
        if self.misses == 1 {
            self.threshold = rare_event_threshold(0.9, autocorrelation(&self.values)).unwrap();
        }
        let change = self.misses > 0 && self.threshold.is_some_and(|threshold| self.misses >= threshold);
        if self.values.len() == capacity {
            self.values.remove(0);
        }
        self.values.push(value);
        if change {
            // 29 values bound the .9 quantile.
            self.values.drain(..self.values.len() - 29);
            self.misses = 0;
        }
    }
}

#[test]
fn availability_agrees_with_naive_detectors() {
    let limits = WaitCapacity { releases: 80, queued: 500, ..LIMITS };
    let options = WaitOptions { down_quantile: 0.9, ..options(AVAILABILITY) };
    let mut memory = block(&limits);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options).unwrap();
    let mut random = Random(12);
    let (mut arrivals, mut gaps) = (Detector::default(), Detector::default());
    let (mut arrived, mut released, mut waiting_since) = (0, None, 0);
    let mut waiting: Vec<i64> = Vec::new();
    let (mut now, mut alarms, mut trims) = (0, 0, 0);
    for id in 0..12_000_i64 {
        now += random.exponential([3.0, 900.0, 9.0][(id / 400 % 3) as usize]);
        if random.next(2) == 0 && waiting.len() < 500 {
            if waiting.is_empty() {
                waiting_since = now;
            }
            arrived += 1;
            predictor.submit(id, now, &job(1)).unwrap();
            waiting.push(id);
        } else if random.next(4) == 0 && !waiting.is_empty() {
            predictor.cancel(waiting.remove(0), now).unwrap();
        } else if !waiting.is_empty() {
            predictor.start(waiting.remove(0), now).unwrap();
            if released != Some(now) {
                let before = gaps.values.len() + arrivals.values.len();
                if released.is_some() {
                    arrivals.add(arrived, 80);
                    gaps.add(now - waiting_since, 80);
                }
                trims += usize::from(gaps.values.len() + arrivals.values.len() < before);
                (arrived, released, waiting_since) = (0, Some(now), now);
            }
        }
        let at = now + random.exponential(50.0);
        let gap = if waiting.is_empty() { 0 } else { at - waiting_since };
        let down = released.is_some() && (arrivals.exceeded_by(arrived) || gaps.exceeded_by(gap));
        assert_eq!(predictor.may_be_down(at), Ok(down), "{id}");
        alarms += usize::from(down);
    }
    assert!((100..6000).contains(&alarms) && trims >= 3, "{alarms} {trims}");
}

/// Waits that grow without end, and become known only when they are over: history is never like the present.
fn misses_on_a_trend(components: u32) -> f64 {
    let limits = WaitCapacity { queued: 4096, ..LIMITS };
    let mut memory = block(&limits);
    let options = WaitOptions { rate: 0.02, ..options(components) };
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options).unwrap();
    let mut random = Random(8);
    let mut ends: Vec<(i64, i64)> = Vec::new();
    let (mut missed, mut asked) = (0, 0);
    for id in 0..20_000_i64 {
        let now = id * 3600;
        ends.sort();
        while ends.first().is_some_and(|(end, _)| *end <= now) {
            let (end, id) = ends.remove(0);
            predictor.start(id, end).unwrap();
        }
        let mean = 100.0 * (id as f64 / 2000.0).exp();
        let wait = random.exponential(mean);
        if let WaitAnswer::Bound(bound) = predictor.submit(id, now, &job(1)).unwrap() {
            asked += 1;
            missed += usize::from(wait > bound);
        }
        ends.push((now + wait, id));
    }
    assert!(asked > 19_000);
    missed as f64 / asked as f64
}

#[test]
fn adapted_bounds_hold_on_a_trend() {
    let plain = misses_on_a_trend(TRIM);
    assert!(plain > 0.06, "{plain}");
    // On an endless trend the like situations of the past were shorter: a few more bounds are missed.
    for (components, most) in [(TRIM | ADAPT, 0.055), (ADAPT, 0.055), (VISIBLE | ADAPT, 0.06)] {
        let adapted = misses_on_a_trend(components);
        assert!(adapted < most && adapted > 0.03, "{components}: {adapted}");
    }
}
