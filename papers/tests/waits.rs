//! Bounds on waits over whole queues: the paper's simulation rule against a naive one, and section 3.4's synthetic
//! jobs.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use surefill::wait::{Features, WaitAnswer, WaitOptions, upper_index};
use surefill_papers::studies::waits::beside::{LOWER, UPPER};
use surefill_papers::studies::waits::classes::Classes;
use surefill_papers::studies::waits::further::Collector;
use surefill_papers::studies::waits::measures::Measures;
use surefill_papers::studies::waits::paper::published;
use surefill_papers::studies::waits::simulate::{Nobody, simulate};
use surefill_papers::studies::waits::study::{Kind, Options, Plan};
use surefill_simulator::live::history::{Entry, History, Left};
use surefill_simulator::live::methods::{By, Method};
use surefill_simulator::live::queues::{Queue, WaitJob, queues};
use surefill_simulator::live::site::{Question, Site};
use surefill_simulator::trace::swf::{Strictness, read};

fn job(submit: i64, wait: i64, requested: i64) -> WaitJob {
    WaitJob {
        number: 0,
        submit,
        wait,
        cancelled: false,
        user: -1,
        features: Features { requested, processors: 1 },
    }
}

/// Jobs at random times, every seventh cancelled.
fn random_queue(seed: u64, jobs: usize) -> Queue {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut submit = 0;
    let one = |index| {
        submit += random.random_range(0..40);
        let wait = (-600.0 * random.random_range(1e-9..1.0f64).ln()) as i64;
        WaitJob { cancelled: index % 7 == 3, ..job(submit, wait, random.random_range(0..50) * 60) }
    };
    Queue { name: "q".to_owned(), jobs: (0..jobs).map(one).collect() }
}

#[test]
fn a_wait_is_known_only_when_it_ends() {
    let queue = random_queue(1, 3000);
    let options = WaitOptions { components: 0, ..WaitOptions::papers() };
    let outcome = simulate(&queue, &options, 1, &mut Nobody, &|_| ()).unwrap();
    assert_eq!(outcome.answers.len(), queue.jobs.len());
    for (index, answer) in outcome.answers.iter().enumerate() {
        let now = queue.jobs[index].submit;
        let earlier = queue.jobs[..index].iter().filter(|job| !job.cancelled && job.submit + job.wait <= now);
        let mut known: Vec<i64> = earlier.map(|job| job.wait).collect();
        known.sort_unstable();
        let wanted = match upper_index(known.len() as u64, 0.95, 0.95).unwrap() {
            Some(k) => WaitAnswer::Bound(known[k as usize - 1]),
            None => WaitAnswer::TooLittleHistory,
        };
        assert_eq!(*answer, wanted, "{index}");
    }
    // The measures, naively.
    let measures = Measures::new(&queue.jobs, &outcome, 300..3000);
    let judged: Vec<(i64, i64)> = (300..3000)
        .filter(|index| !queue.jobs[*index].cancelled)
        .filter_map(|index| match outcome.answers[index] {
            WaitAnswer::Bound(bound) => Some((bound, queue.jobs[index].wait)),
            _ => None,
        })
        .collect();
    let overs: Vec<f64> = judged.iter().filter(|(b, w)| b >= w).map(|(b, w)| (b - w) as f64).collect();
    assert_eq!((measures.judged, measures.correct), (judged.len() as u64, overs.len() as u64));
    assert_eq!(measures.jobs + measures.cancelled, 2700);
    assert_eq!(measures.correctness, Some(overs.len() as f64 / judged.len() as f64));
    let rms = (overs.iter().map(|over| over * over).sum::<f64>() / overs.len() as f64).sqrt();
    assert!((measures.rms_over_s.unwrap() / rms - 1.0).abs() < 1e-12);
    assert_eq!(measures.accuracy(&measures), Some(1.0));
    // Independent waits: the method holds.
    assert!(measures.is_correct(0.95) && !measures.is_correct(0.99));
}

/// Exponential waits have no memory: a job that has waited is bounded as well as a new one, and probabilities are
/// calibrated.
#[test]
fn bounds_of_waiting_jobs_hold() {
    let mut queue = random_queue(2, 20_000);
    queue.jobs.iter_mut().for_each(|job| job.wait *= 10);
    let options = WaitOptions { components: 0, ..WaitOptions::papers() };
    let mut collector = Collector::new(&queue.jobs, 2000, 0.95, 0.95);
    simulate(&queue, &options, 1, &mut collector, &|_| ()).unwrap();
    let further = collector.finish();
    for aged in &further.aged[..3] {
        let share = aged.correct as f64 / aged.judged as f64;
        assert!(share > 0.94, "{aged:?}");
        let waited = queue.jobs[2000..].iter().filter(|job| !job.cancelled && job.wait > aged.age_s).count();
        assert_eq!(aged.jobs as usize, waited);
    }
    // An old bound is too short for those that have waited already: they are the long ones.
    let hour = further.aged[1];
    assert!((hour.correct_as_new as f64) < 0.93 * hour.judged as f64, "{hour:?}");
    let asked: u64 = further.classes.iter().map(|class| class.count).sum();
    let judged = queue.jobs[2000..].iter().filter(|job| !job.cancelled).count();
    assert_eq!(asked as usize, 4 * judged);
    for class in further.classes.iter().filter(|class| class.count > 1000) {
        assert!(
            (class.predicted - class.started).abs() < 0.03 && class.at_least < class.predicted,
            "{class:?}"
        );
    }
    assert!((further.brier.unwrap() / further.brier_of_shares.unwrap() - 1.0).abs() < 0.02);
}

/// Upper bounds for other quantiles than the predictor's own hold for their share of the jobs, lower bounds for the
/// rest.
#[test]
fn bounds_asked_beside_hold() {
    let mut queue = random_queue(3, 12_000);
    queue.jobs.iter_mut().for_each(|job| job.wait *= 10);
    let mut collector = Collector::new(&queue.jobs, 2000, 0.95, 0.95).with_beside();
    simulate(&queue, &WaitOptions::default(), 1, &mut collector, &|_| ()).unwrap();
    let beside = collector.finish().beside.unwrap();
    let judged = queue.jobs[2000..].iter().filter(|job| !job.cancelled).count() as u64;
    let upper = beside.upper.iter().zip(UPPER);
    let lower = beside.lower.iter().zip(LOWER.map(|quantile| 1.0 - quantile));
    for (held, wanted) in upper.chain(lower) {
        let share = held.share().unwrap();
        assert_eq!(held.judged, judged);
        assert!(share > wanted - 0.015 && share < wanted + 0.08, "{wanted}: {held:?}");
    }
}

/// A site takes that one of several methods that a replay of the study finds tightest among the correct.
#[test]
fn a_site_takes_the_tightest_method() {
    let mut named = std::collections::HashSet::new();
    for (seed, stretch) in [(3, 1), (4, 0), (5, 40)] {
        let mut queue = random_queue(seed, 4000);
        for (i, job) in queue.jobs.iter_mut().enumerate() {
            // Waits as they are: most are 0; bursts of long waits.
            job.wait = match stretch {
                1 => job.wait,
                0 => job.wait * i64::from(i % 10 == 0),
                more => job.wait * if i / 50 % 7 == 0 { more } else { 1 },
            };
        }
        let options = WaitOptions { components: surefill::wait::ADAPT, ..WaitOptions::papers() };
        let entry = |job: &WaitJob| Entry {
            id: job.number.to_string(),
            queue: "q".to_owned(),
            submit: job.submit,
            left: match job.submit + job.wait {
                end if job.cancelled => Left::Cancelled(end),
                end => Left::Started(end),
            },
            features: job.features,
        };
        let history = History { entries: queue.jobs.iter().map(entry).collect(), ..History::default() };
        let mut site = Site::new(&history, &Method::ALL, &options, 1, true, None).unwrap();
        let chosen = site.ask(&Question { queue: Some("q".to_owned()), ..Question::default() }).unwrap();

        let measure = |method: &Method| {
            let options = WaitOptions { method: method.core(), ..options };
            let outcome = simulate(&queue, &options, 1, &mut Nobody, &|_| ()).unwrap();
            (*method, Measures::new(&queue.jobs, &outcome, 400..4000))
        };
        let all: Vec<(Method, Measures)> = Method::ALL.iter().map(measure).collect();
        let correct = all.iter().filter(|(_, measures)| measures.is_correct(0.95));
        let rms = |measures: &Measures| measures.rms_over_s.unwrap();
        let tightest = correct.min_by(|(_, a), (_, b)| rms(a).total_cmp(&rms(b))).unwrap();
        assert_eq!(chosen.method, Some(tightest.0), "{seed}: {all:?}");
        named.insert(chosen.method.unwrap() as usize);
        // Its answer is that method's own; of a job that has waited, the order statistics'.
        let mut alone = Site::new(&history, &[chosen.method.unwrap()], &options, 1, true, None).unwrap();
        let mut ask = |waited| alone.ask(&Question { waited, ..Question::default() }).unwrap();
        assert_eq!(ask(0), chosen);
        assert_eq!(ask(60).method, Some(Method::Binomial));
    }
    assert!(named.len() > 1, "{named:?}");
}

fn options() -> Options {
    Options {
        quantile: 0.95,
        confidence: 0.95,
        methods: Method::ALL.to_vec(),
        by: By::Requested,
        components: 7,
        rates: vec![0.01, 0.02],
        down_quantile: 0.999,
        recluster_every: 500,
        clusters: 16,
        training: 0.1,
        min_jobs: 1000,
        default_only: false,
        machine: false,
        by_attribute: false,
    }
}

/// Section 3.4: five intervals of requested times, log-normal waits of different means.
#[test]
fn synthetic_clusters_are_recovered_and_explain_the_waits() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut normal = || -> f64 {
        let (u, v): (f64, f64) = (random.random_range(1e-12..1.0), random.random());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    };
    let mut jobs: Vec<WaitJob> = Vec::new();
    for index in 0..8000i64 {
        let requested = 1 + (index * 7919) % 500;
        let location = [4.0, 7.0, 5.0, 8.0, 6.0][(requested as usize - 1) / 100];
        let mut one = job(index * 60, f64::exp(location + normal()) as i64, requested);
        one.features.processors = 1 + (index * 31 % 17) as u32;
        jobs.push(one);
    }
    let queue = Queue { name: "q".to_owned(), jobs };
    let options = Options { by_attribute: true, ..options() };
    let study = Plan::new("t.swf", (vec![queue], Default::default()), &options).run(&|_| ()).unwrap();
    let queue = &study.queues[0];
    let of = |by| queue.of(Kind::Full { method: Method::Binomial, by }).unwrap();
    let [_, middle, most] = of(By::Requested).clusters.unwrap();
    assert!(middle == 5 && most <= 9, "{:?}", of(By::Requested).clusters);
    // The requested time explains the waits; processors say nothing.
    assert!(of(By::Requested).criterion > 0.3 && of(By::Processors).criterion < 0.01);
    assert!(of(By::Processors).clusters.unwrap()[1] == 1);
    // It is what the predictor chooses.
    assert_eq!(of(By::Best).chosen, Some([1.0, 0.0, 0.0]));
    assert!(of(By::Best).all.is_correct(0.95) && of(By::Best).clusters.unwrap()[1] == 5);
    // Clusters make bounds tighter, and all is correct.
    let usual = queue.of(options.usual()).unwrap();
    let alone = queue.of(Kind::Alone { method: Method::Binomial }).unwrap();
    assert!(usual.all.is_correct(0.95) && alone.all.is_correct(0.95));
    assert!(usual.all.median_bound_s.unwrap() < alone.all.median_bound_s.unwrap() / 2);
    // Alone, with components, three other attributes, two rates, three other methods adapted, all adapted from all
    // waits, three other attributes adapted, the visible queue.
    assert_eq!(queue.measured.len(), 4 + 4 + 3 + 2 + 3 + 4 + 3 + 1);
}

/// Wide jobs wait ten times as long: bounds of all waits, trimmed or not, miss them; levels by class do not.
#[test]
fn bounds_hold_for_wide_jobs_too() {
    let mut queue = random_queue(9, 30_000);
    for (index, job) in queue.jobs.iter_mut().enumerate() {
        let wide = index % 25 == 0;
        job.features.processors = if wide { 512 } else { 1 + (index % 32) as u32 };
        job.wait *= if wide { 10 } else { 1 };
    }
    let held = |components: u32| {
        let options = WaitOptions { components, ..WaitOptions::papers() };
        let outcome = simulate(&queue, &options, 1, &mut Nobody, &|_| ()).unwrap();
        Classes::new(&queue.jobs, &outcome, 3000..queue.jobs.len(), 0.95)
    };
    use surefill::wait::{ADAPT, TRIM, VISIBLE};
    let plain = held(TRIM).widest_1.share().unwrap();
    assert!(plain < 0.6, "{plain}");
    // Levels alone must climb from where 96 in 100 jobs have put them; who is alike is seen at once.
    for (components, least) in [(ADAPT, 0.84), (ADAPT | TRIM, 0.84), (ADAPT | VISIBLE, 0.93)] {
        let classes = held(components);
        let shares = [classes.widest_5, classes.widest_1, classes.longest].map(|held| held.share().unwrap());
        println!("{components}: {shares:?}");
        assert!(shares.iter().all(|share| *share >= least), "{components}: {shares:?}");
    }
}

/// Waits that depend on the requested time, on the month and on the user, of whom one asks for all of the machine: the
/// default's bounds hold in every class; bounds of all waits do not.
#[test]
fn bounds_hold_by_width_request_month_and_user() {
    const JOBS: usize = 20_000;
    let mut queue = random_queue(11, JOBS);
    for (index, job) in queue.jobs.iter_mut().enumerate() {
        job.submit *= 40;
        job.user = (index * 31 % 12) as i64;
        let (wide, long) = (job.user == 5, job.features.requested >= 40 * 60);
        job.features.processors = if wide { 256 } else { 1 << (index % 5) };
        let busy = job.submit / (30 * 86_400) % 2 == 1;
        job.wait *= if wide { 6 } else { 1 } * if long { 4 } else { 1 } * if busy { 3 } else { 1 };
    }
    let held = |options: &WaitOptions| {
        let outcome = simulate(&queue, options, 1, &mut Nobody, &|_| ()).unwrap();
        Classes::new(&queue.jobs, &outcome, JOBS / 10..JOBS, 0.95)
    };
    let least = |classes: &Classes| {
        let fifths = [&classes.by_width, &classes.by_request];
        let [width, request] =
            fifths.map(|held| held.iter().filter_map(|held| held.share()).min_by(f64::total_cmp).unwrap());
        [width, request, classes.worst_month().unwrap(), classes.worst_user().unwrap()]
    };
    let all_waits = held(&WaitOptions { components: 0, ..WaitOptions::papers() });
    let default = held(&WaitOptions::default());
    assert_eq!(default.by_user.len(), 12);
    assert!(default.by_month.len() >= 6);
    println!("all waits {:?}, default {:?}", least(&all_waits), least(&default));
    let [width, request, month, user] = least(&default);
    assert!(width >= 0.93 && request >= 0.93 && month >= 0.93 && user >= 0.93, "{:?}", least(&default));
    let [_, _, _, user] = least(&all_waits);
    assert!(user < 0.9, "{:?}", least(&all_waits));
}

#[test]
fn queues_are_distinguished_by_name() {
    let text = "; MaxProcs: 4\n; Queue: 1 express\n; Queue: 2 - Slow jobs queue\n\
        1 0 5 60 1 -1 -1 2 90 -1 1 1 -1 -1 1 -1 -1 -1\n\
        2 1 -1 60 1 -1 -1 2 90 -1 1 1 -1 -1 1 -1 -1 -1\n\
        3 2 7 -1 -1 -1 -1 2 90 -1 5 1 -1 -1 2 -1 -1 -1\n\
        4 3 7 10 -1 -1 -1 3 -1 -1 5 1 -1 -1 2 -1 -1 -1\n\
        5 4 7 10 4 -1 -1 -1 60 -1 5 1 -1 -1 9 -1 -1 -1\n";
    let trace = read(text.as_bytes(), "t.swf", Strictness::Strict).unwrap();
    let (found, counts) = queues(&trace, true);
    let names: Vec<&str> = found.iter().map(|queue| queue.name.as_str()).collect();
    assert_eq!(names, ["express", "slow", "9"]);
    assert_eq!((counts.lines, counts.without_wait, counts.cancelled, counts.without_requested), (5, 1, 2, 1));
    assert_eq!(found[0].jobs[0].features, Features { requested: 90, processors: 2 });
    assert!(found[1].jobs.iter().all(|job| job.cancelled) && !found[2].jobs[0].cancelled);
    assert_eq!(found[2].jobs[0].features.processors, 4);
    let (all, _) = queues(&trace, false);
    assert_eq!((all.len(), all[0].name.as_str(), all[0].jobs.len()), (1, "ALL", 4));
}

#[test]
fn the_papers_rows_belong_to_their_queues() {
    assert_eq!(published("CTC-SP2-1996-3.1-cln.swf.gz", "ALL").unwrap().qbets.correctness[0], 0.96);
    assert_eq!(published("SDSC-BLUE-2000-4.2-cln.swf.gz", "low").unwrap().alone.accuracy[1], 0.36);
    assert!(published("SDSC-SP2-1998-4.2-cln.swf.gz", "high").is_none());
    assert!(published("CTC-SP2-1996-3.1-cln.swf.gz", "express").is_none());
}
