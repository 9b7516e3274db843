//! The predictor of one queue against naive re-implementations, on bad input, and as a checkpoint.

use surefill::error::Error;
use surefill::wait::*;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    }

    fn uniform(&mut self) -> f64 {
        (self.next(1 << 52) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    fn exponential(&mut self, mean: f64) -> i64 {
        (-mean * self.uniform().ln()) as i64
    }
}

const LIMITS: WaitLimits = WaitLimits { history: 500, queued: 64, releases: 300, clusters: 8 };

fn options(components: u32) -> WaitOptions {
    WaitOptions { components, down_quantile: 0.95, ..WaitOptions::default() }
}

fn block(limits: &WaitLimits) -> Vec<u64> {
    vec![u64::MAX; WaitPredictor::size(limits).unwrap().div_ceil(8)]
}

fn job(requested: i64) -> Features {
    Features { requested, processors: 1 }
}

/// The k-th smallest, counted from 1.
fn naive_bound(waits: &[i64], quantile: f64, confidence: f64) -> WaitAnswer {
    let mut sorted = waits.to_vec();
    sorted.sort();
    match upper_index(sorted.len() as u64, quantile, confidence).unwrap() {
        Some(k) => WaitAnswer::Bound(sorted[k as usize - 1]),
        None => WaitAnswer::TooLittleHistory,
    }
}

#[test]
fn without_components_it_is_the_binomial_method_on_the_newest_waits() {
    let mut memory = block(&LIMITS);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS, &options(0)).unwrap();
    let mut random = Random(1);
    let mut waits: Vec<i64> = Vec::new();
    let mut waiting: Vec<(i64, i64)> = Vec::new();
    let mut now = -5000;
    for id in 0..4000 {
        now += random.exponential(20.0);
        while waiting.len() > random.next(40) as usize {
            let (id, submitted) = waiting.remove(random.next(waiting.len() as u64) as usize);
            if random.next(10) == 0 {
                predictor.cancelled(id, now).unwrap();
                continue;
            }
            assert_eq!(predictor.started(id, now), Ok(now - submitted));
            waits.push(now - submitted);
            if waits.len() > 500 {
                waits.remove(0);
            }
        }
        let wanted = naive_bound(&waits, 0.95, 0.95);
        assert_eq!(predictor.submitted(id, now, &job(60)), Ok(wanted));
        waiting.push((id, now));
        assert_eq!(predictor.predict(&job(7), 0.95, 0.95, now), Ok(wanted));
        assert_eq!(predictor.predict(&job(7), 0.5, 0.9, now + 9), Ok(naive_bound(&waits, 0.5, 0.9)));
        assert_eq!(
            (predictor.queued() as usize, predictor.remembered() as usize),
            (waiting.len(), waits.len())
        );
        // The lower bound.
        let mut sorted = waits.clone();
        sorted.sort();
        let low = lower_index(waits.len() as u64, 0.25, 0.8).unwrap();
        let low = low.map_or(WaitAnswer::TooLittleHistory, |k| WaitAnswer::Bound(sorted[k as usize - 1]));
        assert_eq!(predictor.predict_lower(&job(7), 0.25, 0.8, now), Ok(low));
        let both = match two_sided_indices(waits.len() as u64, 0.4, 0.9).unwrap() {
            Some((low, high)) => [low, high].map(|k| WaitAnswer::Bound(sorted[k as usize - 1])),
            None => [WaitAnswer::TooLittleHistory; 2],
        };
        assert_eq!(predictor.predict_two_sided(&job(7), 0.4, 0.9, now), Ok((both[0], both[1])));
        // A job that waits already.
        let (old, submitted) = waiting[random.next(waiting.len() as u64) as usize];
        let later = now + random.next(50) as i64;
        let longer: Vec<i64> = waits.iter().copied().filter(|wait| *wait >= later - submitted).collect();
        assert_eq!(predictor.predict_waiting(old, 0.8, 0.9, later), Ok(naive_bound(&longer, 0.8, 0.9)));
        let aged = predictor.predict_aged(&job(7), later - submitted, 0.8, 0.9, later);
        assert_eq!(aged, Ok(naive_bound(&longer, 0.8, 0.9)));
        // The probability of starting.
        let (age, within) = (random.next(100) as i64, random.next(1000) as i64);
        let probability = predictor.start_probability(&job(7), age, within, 0.9).unwrap();
        let longer = waits.iter().filter(|wait| **wait >= age).count();
        let hits = waits.iter().filter(|wait| **wait >= age && **wait <= within).count();
        assert_eq!(probability.waits, longer as u64);
        let observed = if hits == 0 { 0.0 } else { hits as f64 / longer as f64 };
        assert_eq!(probability.observed, observed);
        assert!(probability.at_least <= observed);
    }
}

/// "At least this probable by T" and "by T' at this quantile" are one statement read in two directions.
#[test]
fn probability_and_bound_are_dual() {
    let mut memory = block(&LIMITS);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS, &options(0)).unwrap();
    let mut random = Random(2);
    for _ in 0..300 {
        predictor.known(random.exponential(10_000.0), &job(1)).unwrap();
    }
    for confidence in [0.5, 0.9, 0.99] {
        for step in 1..100 {
            let quantile = f64::from(step) / 100.0;
            let WaitAnswer::Bound(bound) = predictor.predict(&job(1), quantile, confidence, 0).unwrap()
            else {
                continue;
            };
            let at = predictor.start_probability(&job(1), 0, bound, confidence).unwrap().at_least;
            let before = predictor.start_probability(&job(1), 0, bound - 1, confidence).unwrap().at_least;
            assert!(
                at >= quantile - 1e-12 && before < quantile + 1e-12,
                "{quantile} {confidence}: {before} {at}"
            );
        }
    }
}

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
        let limits = WaitLimits { history, ..LIMITS };
        let options = WaitOptions { recluster_every: 100, ..options(CLUSTER) };
        let mut memory = block(&limits);
        let mut predictor =
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options).unwrap();
        let mut random = Random(seed);
        let mut waits: Vec<(u64, i64)> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for i in 0..6000_u64 {
            // What is long and what is short changes.
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
            Attribute::Product => job.requested as u64 * u64::from(job.processors),
        };
        let options = WaitOptions { attribute, recluster_every: 200, ..options(CLUSTER) };
        let limits = WaitLimits { clusters: 2, ..LIMITS };
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

    for (limits, components) in [(LIMITS, 0), (WaitLimits { clusters: 1, ..LIMITS }, CLUSTER)] {
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
    let limits = WaitLimits { history: 2000, ..LIMITS };
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
        predictor.submitted(id, now, &job(1)).unwrap();
        if id >= 2 {
            predictor.started(id - 2, now + 5).unwrap();
        }
        id += 1;
    }
    assert_eq!(predictor.predict(&job(1), 0.95, 0.95, now + 5), Ok(WaitAnswer::Bound(25)));
    // The third job in a row without a release is one too many; so are 21 s.
    assert_eq!(predictor.may_be_down(now + 15), Ok(false));
    assert_eq!(predictor.may_be_down(now + 40), Ok(true));
    assert_eq!(predictor.predict(&job(1), 0.95, 0.95, now + 40), Ok(WaitAnswer::MayBeDown));
    assert_eq!(predictor.submitted(id, now + 40, &job(1)), Ok(WaitAnswer::MayBeDown));
    predictor.started(id, now + 50).unwrap();
    assert_eq!(predictor.may_be_down(now + 50), Ok(false));
    now += 50;
    for i in 1..4 {
        let down = predictor.submitted(id + i, now, &job(1)).unwrap() == WaitAnswer::MayBeDown;
        assert_eq!(down, i > 1);
    }
    // When the queue runs empty, time does not count.
    for late in [id - 1, id - 2, id + 1, id + 2, id + 3] {
        predictor.started(late, now + 1).unwrap();
    }
    assert_eq!(predictor.queued(), 0);
    assert_eq!(predictor.may_be_down(now + 1_000_000), Ok(false));
    assert_eq!(predictor.submitted(9999, now + 1_000_000, &job(1)), Ok(WaitAnswer::Bound(25)));
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
    let limits = WaitLimits { releases: 80, queued: 500, ..LIMITS };
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
            predictor.submitted(id, now, &job(1)).unwrap();
            waiting.push(id);
        } else if random.next(4) == 0 && !waiting.is_empty() {
            predictor.cancelled(waiting.remove(0), now).unwrap();
        } else if !waiting.is_empty() {
            predictor.started(waiting.remove(0), now).unwrap();
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
    let limits = WaitLimits { queued: 4096, ..LIMITS };
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
            predictor.started(id, end).unwrap();
        }
        let mean = 100.0 * (id as f64 / 2000.0).exp();
        let wait = random.exponential(mean);
        if let WaitAnswer::Bound(bound) = predictor.submitted(id, now, &job(1)).unwrap() {
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
    let adapted = misses_on_a_trend(TRIM | ADAPT);
    assert!(plain > 0.06, "{plain}");
    assert!(adapted < 0.05 && adapted > 0.03, "{adapted}");
}

/// Bounds of jobs that wait already: what is left of them follows misses upwards only.
#[test]
fn what_is_left_is_stretched_but_never_shrunk() {
    let options = WaitOptions { rate: 0.05, ..options(ADAPT) };
    let mut memory = block(&LIMITS);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS, &options).unwrap();
    for wait in 1..=300 {
        predictor.known(wait, &job(1)).unwrap();
    }
    let longer: Vec<i64> = (100..=300).collect();
    let plain = naive_bound(&longer, 0.95, 0.95);
    let WaitAnswer::Bound(plain_bound) = plain else { panic!("{plain:?}") };
    assert_eq!(predictor.predict_aged(&job(1), 100, 0.95, 0.95, 0), Ok(plain));
    for id in 0..40 {
        predictor.submitted(id, 10 * id, &job(1)).unwrap();
        predictor.started(id, 10 * id).unwrap();
    }
    let WaitAnswer::Bound(new) = predictor.predict(&job(1), 0.95, 0.95, 400).unwrap() else { panic!() };
    assert!(new < plain_bound, "{new}");
    assert_eq!(predictor.predict_aged(&job(1), 100, 0.95, 0.95, 400), Ok(plain));
    // Twenty misses.
    for id in 100..120 {
        predictor.submitted(id, 400, &job(1)).unwrap();
    }
    predictor.submitted(200, 10_000, &job(1)).unwrap();
    let stretch = 0.05 * (20.0 * 0.955 - 40.0 * 0.045);
    let wanted = 100 + (((plain_bound - 100 + 1) as f64 * f64::exp(stretch)) - 1.0).ceil() as i64;
    let aged = predictor.predict_aged(&job(1), 100, 0.95, 0.95, 10_000).unwrap();
    assert!(matches!(aged, WaitAnswer::Bound(bound) if (bound - wanted).abs() <= 1), "{aged:?} {wanted}");
    // Another question is not adapted.
    let other = predictor.predict_aged(&job(1), 100, 0.9, 0.95, 10_000);
    assert_eq!(other, Ok(naive_bound(&longer, 0.9, 0.95)));
}

#[test]
fn rivals_answer_like_their_slice_functions() {
    let mut random = Random(9);
    let waits: Vec<i64> = (0..300).map(|_| random.exponential(5000.0)).collect();
    let slice: Vec<f64> = waits.iter().map(|wait| *wait as f64).collect();
    let expected = |method| match method {
        WaitMethod::LogNormal => log_normal_bound(&slice, 0.9, 0.95).unwrap().unwrap(),
        WaitMethod::LogUniform => log_uniform_quantile(&slice, 0.9).unwrap().unwrap(),
        _ => weibull_quantile(&slice, 0.9).unwrap().unwrap().1,
    };
    for method in [WaitMethod::LogNormal, WaitMethod::LogUniform, WaitMethod::Weibull] {
        let options = WaitOptions { method, quantile: 0.9, ..options(0) };
        let mut memory = block(&LIMITS);
        let mut predictor =
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS, &options).unwrap();
        for wait in &waits {
            predictor.known(*wait, &job(1)).unwrap();
        }
        // The kept one may lag by 1/256 of the history; another question is answered afresh.
        for (confidence, tolerance) in [(0.95, 0.01), (0.95 + 1e-12, 1e-4)] {
            let WaitAnswer::Bound(bound) = predictor.predict(&job(1), 0.9, confidence, 0).unwrap() else {
                panic!()
            };
            let wanted = expected(method);
            assert!(
                (bound as f64 / wanted - 1.0).abs() < tolerance + 1.0 / wanted,
                "{method:?}: {bound} {wanted}"
            );
        }
    }
}

#[test]
fn the_block_is_the_checkpoint() {
    let mut memory = block(&LIMITS);
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
    WaitPredictor::init(bytes, &LIMITS, &WaitOptions { recluster_every: 150, ..options(15) }).unwrap();
    let mut random = Random(10);
    let run = |memory: &mut [u64], from: i64, to: i64, random: &mut Random| {
        let mut predictor = WaitPredictor::attach(bytemuck::cast_slice_mut(memory)).unwrap();
        let mut answers = Vec::new();
        for id in from..to {
            let requested = random.next(50) as i64 * 100;
            answers.push(predictor.submitted(id, id * 30, &job(requested)).unwrap());
            if id >= 20 {
                predictor.started(id - 20, id * 30 + random.next(30) as i64).unwrap();
            }
        }
        answers
    };
    run(&mut memory, 0, 1000, &mut random);
    WaitPredictor::seal(bytemuck::cast_slice_mut(&mut memory)).unwrap();
    let mut copy = memory.clone();
    WaitPredictor::open(bytemuck::cast_slice_mut(&mut copy)).unwrap();
    let mut again = Random(random.0);
    let (one, other) = (run(&mut memory, 1000, 2500, &mut random), run(&mut copy, 1000, 2500, &mut again));
    assert_eq!(one, other);
    assert!(memory == copy);
    assert!(one.iter().any(|answer| matches!(answer, WaitAnswer::Bound(_))));
    // Changed since it was sealed; sealed again; damaged.
    let open = |memory: &mut [u64]| WaitPredictor::open(bytemuck::cast_slice_mut(memory)).err();
    assert_eq!(open(&mut copy), Some(Error::Corrupt));
    WaitPredictor::seal(bytemuck::cast_slice_mut(&mut copy)).unwrap();
    assert_eq!(open(&mut copy), None);
    for word in [3, 10, 500, copy.len() - 1] {
        copy[word] ^= 1 << 17;
        assert_eq!(open(&mut copy), Some(Error::Corrupt), "{word}");
        copy[word] ^= 1 << 17;
    }
    copy[1] += 1;
    assert_eq!(open(&mut copy), Some(Error::WrongObject));
    copy[0] = copy[0].swap_bytes();
    assert_eq!(open(&mut copy), Some(Error::ForeignByteOrder));
}

#[test]
fn bad_input_changes_nothing() {
    let limits = WaitLimits { queued: 3, ..LIMITS };
    let mut memory = block(&limits);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options(15)).unwrap();
    for i in 0..100 {
        predictor.known(i, &job(i)).unwrap();
    }
    for id in 1..=3 {
        predictor.submitted(id, 1000 + id, &job(5)).unwrap();
    }
    let before = memory.clone();
    let mut refuse = |error: Error, call: &dyn Fn(&mut WaitPredictor) -> Result<(), Error>| {
        let mut predictor = WaitPredictor::attach(bytemuck::cast_slice_mut(&mut memory)).unwrap();
        assert_eq!(call(&mut predictor), Err(error));
        assert!(memory == before, "{error}");
    };
    refuse(Error::DuplicateJob, &|p| p.submitted(2, 2000, &job(5)).map(drop));
    refuse(Error::Full, &|p| p.submitted(4, 2000, &job(5)).map(drop));
    refuse(Error::TimeWentBack, &|p| p.submitted(4, 1002, &job(5)).map(drop));
    refuse(Error::OutOfRange, &|p| p.submitted(4, i64::MAX, &job(5)).map(drop));
    refuse(Error::OutOfRange, &|p| p.submitted(4, i64::MIN, &job(5)).map(drop));
    refuse(Error::OutOfRange, &|p| p.submitted(4, 2000, &job(-1)).map(drop));
    refuse(Error::OutOfRange, &|p| p.submitted(4, 2000, &job(i64::MAX)).map(drop));
    refuse(Error::UnknownJob, &|p| p.started(77, 2000).map(drop));
    refuse(Error::TimeWentBack, &|p| p.started(1, 1002).map(drop));
    refuse(Error::UnknownJob, &|p| p.cancelled(77, 2000));
    refuse(Error::TimeWentBack, &|p| p.cancelled(1, 1002));
    refuse(Error::OutOfRange, &|p| p.known(-1, &job(5)));
    refuse(Error::OutOfRange, &|p| p.known(i64::MAX, &job(5)));
    refuse(Error::OutOfRange, &|p| p.known(1, &job(-5)));
    for (bad, error) in [
        (f64::NAN, Error::NotANumber),
        (0.0, Error::OutOfRange),
        (1.0, Error::OutOfRange),
        (-3.0, Error::OutOfRange),
    ] {
        refuse(error, &|p| p.predict(&job(5), bad, 0.95, 2000).map(drop));
        refuse(error, &|p| p.predict(&job(5), 0.95, bad, 2000).map(drop));
        refuse(error, &|p| p.predict_lower(&job(5), bad, 0.95, 2000).map(drop));
        refuse(error, &|p| p.predict_two_sided(&job(5), 0.95, bad, 2000).map(drop));
        refuse(error, &|p| p.predict_waiting(1, 0.95, bad, 2000).map(drop));
        refuse(error, &|p| p.predict_waiting(1, bad, 0.95, 2000).map(drop));
        refuse(error, &|p| p.start_probability(&job(5), 0, 5, bad).map(drop));
    }
    refuse(Error::TimeWentBack, &|p| p.predict(&job(5), 0.9, 0.95, 0).map(drop));
    refuse(Error::TimeWentBack, &|p| p.may_be_down(0).map(drop));
    refuse(Error::OutOfRange, &|p| p.predict_aged(&job(1), -1, 0.95, 0.9, 2000).map(drop));
    refuse(Error::OutOfRange, &|p| p.predict_aged(&job(1), i64::MAX, 0.95, 0.9, 2000).map(drop));
    refuse(Error::UnknownJob, &|p| p.predict_waiting(4, 0.95, 0.9, 2000).map(drop));
    refuse(Error::OutOfRange, &|p| p.start_probability(&job(5), -1, 5, 0.9).map(drop));
    refuse(Error::OutOfRange, &|p| p.start_probability(&job(5), 0, -5, 0.9).map(drop));
    // A question that no history can answer.
    let mut predictor = WaitPredictor::attach(bytemuck::cast_slice_mut(&mut memory)).unwrap();
    assert_eq!(predictor.predict(&job(5), 1.0 - 1e-14, 0.95, 2000), Ok(WaitAnswer::TooLittleHistory));
    assert_eq!(predictor.started(1, 1003), Ok(2));
}

#[test]
fn refuses_bad_limits_options_and_memory() {
    let mut memory = block(&LIMITS);
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
    for limits in [
        WaitLimits { history: 0, ..LIMITS },
        WaitLimits { history: u32::MAX, ..LIMITS },
        WaitLimits { queued: 0, ..LIMITS },
        WaitLimits { queued: u32::MAX, ..LIMITS },
        WaitLimits { releases: u32::MAX, ..LIMITS },
        WaitLimits { clusters: 0, ..LIMITS },
        WaitLimits { clusters: 17, ..LIMITS },
    ] {
        assert_eq!(WaitPredictor::size(&limits), Err(Error::OutOfRange));
        assert_eq!(WaitPredictor::init(bytes, &limits, &options(0)).err(), Some(Error::OutOfRange));
    }
    for (error, bad) in [
        (Error::OutOfRange, WaitOptions { components: 16, ..options(0) }),
        (Error::OutOfRange, WaitOptions { recluster_every: 0, ..options(0) }),
        (Error::OutOfRange, WaitOptions { quantile: 1.0, ..options(0) }),
        (Error::NotANumber, WaitOptions { confidence: f64::NAN, ..options(0) }),
        (Error::NotANumber, WaitOptions { rate: f64::NAN, ..options(0) }),
        (Error::OutOfRange, WaitOptions { rate: -0.1, ..options(0) }),
        (Error::NotANumber, WaitOptions { down_quantile: f64::NAN, ..options(0) }),
        // 2,995 waits do not fit the history.
        (Error::OutOfRange, WaitOptions { quantile: 0.999, ..options(0) }),
    ] {
        assert_eq!(WaitPredictor::init(bytes, &LIMITS, &bad).err(), Some(error), "{bad:?}");
    }
    let size = WaitPredictor::size(&LIMITS).unwrap();
    assert_eq!(
        WaitPredictor::init(&mut bytes[..size - 1], &LIMITS, &options(0)).err(),
        Some(Error::TooSmall)
    );
    assert_eq!(WaitPredictor::init(&mut bytes[1..], &LIMITS, &options(0)).err(), Some(Error::TooSmall));
    assert!(bytes.iter().all(|byte| *byte == 255));
    assert_eq!(WaitPredictor::attach(bytes).err(), Some(Error::WrongObject));
    assert_eq!(WaitMethod::from_number(4), Err(Error::OutOfRange));
    assert_eq!(Attribute::from_number(3), Err(Error::OutOfRange));
    // No detectors, one cluster: still a predictor.
    let small = WaitLimits { history: 59, queued: 1, releases: 0, clusters: 1 };
    let mut predictor = WaitPredictor::init(bytes, &small, &WaitOptions::default()).unwrap();
    for id in 0..200 {
        predictor.submitted(id, id * 2, &job(1)).unwrap();
        predictor.started(id, id * 2 + 1).unwrap();
    }
    assert_eq!(predictor.predict(&job(1), 0.95, 0.95, 10_000), Ok(WaitAnswer::Bound(1)));
}
