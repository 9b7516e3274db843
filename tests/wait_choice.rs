//! The attribute that jobs are clustered by, chosen by the predictor, against predictors by each attribute.

mod wait_common;

use surefill::wait::*;
use wait_common::*;

const SINGLE: [Attribute; 3] = [Attribute::Requested, Attribute::Processors, Attribute::Product];

/// Never clusters but on command.
fn by(attribute: Attribute) -> WaitOptions {
    WaitOptions { attribute, recluster_every: u32::MAX, ..options(CLUSTER) }
}

/// A job, and its wait, which depends on one of its attributes.
fn drawn(random: &mut Random, on: Attribute) -> (Features, i64) {
    let job = Features { requested: 60 * (1 + random.next(60)) as i64, processors: 1 << random.next(6) };
    let most = match on {
        Attribute::Requested => 3600,
        Attribute::Processors => 32,
        _ => 3600 * 32,
    };
    let mean = if 5 * on.of(&job) > most { 40_000.0 } else { 200.0 };
    (job, random.exponential(mean))
}

fn all(predictor: &WaitPredictor) -> Vec<(u64, u64, u64)> {
    predictor.clusters().map(|cluster| (cluster.from, cluster.to, cluster.waits)).collect()
}

/// One clustering of the same waits, by each attribute and by the best: this is the one with the largest criterion, and
/// everything is as if it had been chosen beforehand.
#[test]
fn the_best_is_the_one_that_explains_most() {
    for on in SINGLE {
        for seed in 1..6 {
            let mut blocks = [(); 4].map(|()| block(&LIMITS));
            let [single @ .., best] = &mut blocks;
            let mut single: Vec<WaitPredictor> = single
                .iter_mut()
                .zip(SINGLE)
                .map(|(memory, attribute)| {
                    WaitPredictor::init(bytemuck::cast_slice_mut(memory), &LIMITS, &by(attribute)).unwrap()
                })
                .collect();
            let mut best =
                WaitPredictor::init(bytemuck::cast_slice_mut(best), &LIMITS, &by(Attribute::Best)).unwrap();
            assert_eq!(best.clustered_by(), Attribute::Requested);
            let mut random = Random(seed);
            let jobs: Vec<Features> = (0..700)
                .map(|_| {
                    let (job, wait) = drawn(&mut random, on);
                    single.iter_mut().chain([&mut best]).for_each(|all| all.known(wait, &job).unwrap());
                    job
                })
                .collect();
            for predictor in single.iter_mut().chain([&mut best]) {
                while predictor.recluster(1 + random.next(200)).unwrap() == Clustering::More {}
            }
            let most = single.iter().max_by(|a, b| a.explained().1.total_cmp(&b.explained().1)).unwrap();
            assert_eq!(best.clustered_by(), most.clustered_by(), "{on:?} {seed}");
            assert_eq!(most.clustered_by(), on, "{seed}: what waits depend on explains them");
            assert_eq!(best.explained(), most.explained());
            assert_eq!(all(&best), all(most));
            for job in &jobs {
                let ask = |predictor: &WaitPredictor| predictor.predict(job, 0.9, 0.95, 0).unwrap();
                assert_eq!(ask(&best), ask(most));
            }
        }
    }
}

/// The attribute that determines the waits changes, and clusterings are under way while waits come and go: the choice
/// follows, and the clusters hold the remembered waits that fall into them.
#[test]
fn the_choice_follows_what_waits_depend_on() {
    let limits = WaitCapacity { history: 400, ..LIMITS };
    let options = WaitOptions { recluster_every: 150, ..by(Attribute::Best) };
    let mut memory = block(&limits);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options).unwrap();
    let mut random = Random(9);
    let mut jobs: Vec<Features> = Vec::new();
    for (part, on) in SINGLE.into_iter().cycle().take(9).enumerate() {
        for _ in 0..1500 {
            let (job, wait) = drawn(&mut random, on);
            predictor.known(wait, &job).unwrap();
            jobs.push(job);
            if random.next(3) == 0 {
                predictor.recluster(1 + random.next(90)).unwrap();
            }
            let remembered = &jobs[jobs.len().saturating_sub(400)..];
            let attribute = predictor.clustered_by();
            assert_ne!(attribute, Attribute::Best);
            for cluster in predictor.clusters() {
                let within = |job: &&Features| (cluster.from..=cluster.to).contains(&attribute.of(job));
                assert_eq!(cluster.waits as usize, remembered.iter().filter(within).count());
            }
        }
        assert_eq!(predictor.clustered_by(), on, "{part}");
        // A block goes on where another left off.
        let mut copy = memory.clone();
        let size = WaitPredictor::size(&limits).unwrap();
        predictor = WaitPredictor::attach(bytemuck::cast_slice_mut(&mut memory)).unwrap();
        let same = WaitPredictor::attach(&mut bytemuck::cast_slice_mut(&mut copy)[..size]).unwrap();
        assert_eq!(all(&predictor), all(&same));
    }
}

/// The attribute in use stays where none explains the waits.
#[test]
fn nothing_to_explain_changes_nothing() {
    let mut memory = block(&LIMITS);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS, &by(Attribute::Best)).unwrap();
    for wait in 0..300 {
        predictor.known(100 + wait % 7, &job(60)).unwrap();
    }
    while predictor.recluster(50).unwrap() == Clustering::More {}
    assert_eq!((predictor.clustered_by(), predictor.clusters().count()), (Attribute::Requested, 1));
    assert_eq!(predictor.explained(), (0.0, 0.0));
}
