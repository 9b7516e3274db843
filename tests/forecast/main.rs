//! Starts of waiting jobs against the enumeration of all outcomes: every combination of the jobs' run times, each with
//! its probability, played second by second by a scheduler written for this test alone.

mod naive;
mod nodes;

use naive::{Case, Cases, Job, case, play, prioritised};
use std::collections::BTreeMap;
use surefill::backfill::{Pass, PassCapacity};
use surefill::error::Error;
use surefill::forecast::{
    CandidateOrder, Forecast, ForecastCapacity, ForecastOptions, Plans, Policy, Progress,
};
use surefill::runtime::{MAX_SECONDS, RuntimeBins, RuntimeDistribution};
use surefill::schedule::{Preset, PresetName, Priority};

const NOW: i64 = 1_000_000;

/// The distribution of each waiting job's start.
fn enumerate(case: &Case) -> Vec<BTreeMap<Option<i64>, f64>> {
    let jobs: Vec<&Job> = case.running.iter().chain(&case.waiting).collect();
    let mut starts = vec![BTreeMap::new(); case.waiting.len()];
    let mut chosen = vec![0; jobs.len()];
    loop {
        let times: Vec<i64> = jobs.iter().zip(&chosen).map(|(job, &c)| job.outcomes[c].0).collect();
        let probability: f64 = jobs.iter().zip(&chosen).map(|(job, &c)| job.outcomes[c].1).product();
        let (running, waiting) = times.split_at(case.running.len());
        for (all, start) in starts.iter_mut().zip(play(case, running, waiting)) {
            *all.entry(start).or_insert(0.0) += probability;
        }
        let Some(next) = (0..jobs.len()).find(|&j| chosen[j] + 1 < jobs[j].outcomes.len()) else { break };
        chosen[next] += 1;
        chosen[..next].fill(0);
    }
    starts
}

fn capacity(case: &Case) -> ForecastCapacity {
    ForecastCapacity {
        running: case.running.len() as u32,
        waiting: case.waiting.len() as u32,
        processors: 64,
        bins: 5,
        events_per_bin: 1,
        scenarios: case.options.scenarios,
    }
}

fn memory(capacity: &ForecastCapacity) -> Vec<u64> {
    vec![0xdead_beef_dead_beef; Forecast::size(capacity).unwrap() / 8]
}

fn fill(forecast: &mut Forecast<'_>, case: &Case) {
    forecast.begin(NOW, case.idle, &case.options).unwrap();
    for job in &case.running {
        forecast.add_running(job.processors, job.age, job.limit, &job.prediction).unwrap();
    }
    for job in &case.waiting {
        forecast.add_waiting(job.processors, job.limit, NOW + job.submit, &job.prediction).unwrap();
    }
}

/// Calls `check` with the forecast of a case.
fn forecast<T>(case: &Case, check: impl FnOnce(&Forecast<'_>) -> T) -> T {
    let capacity = capacity(case);
    let mut block = memory(&capacity);
    let mut forecast = Forecast::init(bytemuck::cast_slice_mut(&mut block), &capacity).unwrap();
    fill(&mut forecast, case);
    assert_eq!(forecast.run(u64::MAX), Ok(Progress::Done));
    check(&forecast)
}

/// With one outcome a job nothing is left to chance, so every start is the naive scheduler's, in every scenario: 6,000
/// queues of up to 14 jobs, and 300 of up to 150, which fill a tree of several levels.
#[test]
fn without_chance_every_start_is_the_naive_schedulers() {
    let mut cases = Cases(1);
    for round in 0..6300 {
        let mut case = case(&mut cases, 9, if round < 6000 { 14 } else { 150 }, 1);
        prioritised(&mut case, &mut cases);
        case.options.scenarios = 2;
        let only = |jobs: &[Job]| jobs.iter().map(|job| job.outcomes[0].0).collect::<Vec<_>>();
        assert!(case.running.iter().chain(&case.waiting).all(|job| job.outcomes.len() == 1));
        let expected = play(&case, &only(&case.running), &only(&case.waiting));
        forecast(&case, |forecast| {
            for (job, start) in expected.iter().enumerate() {
                let found = forecast.starts(job).unwrap();
                assert_eq!(found, [start.unwrap_or(i64::MAX); 2], "job {job} of {case:?}");
                match start {
                    Some(start) => {
                        assert_eq!(forecast.start_quantile(job, 0.5).unwrap().value, NOW + start);
                        assert_eq!(forecast.start_mean(job).unwrap().value, *start as f64);
                    }
                    None => {
                        assert_eq!(forecast.start_quantile(job, 0.5), Err(Error::Never));
                        assert_eq!(forecast.start_mean(job), Err(Error::Never));
                        assert_eq!(forecast.start_probability(job, i64::MAX).unwrap().value, 0.0);
                    }
                }
            }
        });
    }
}

/// Every probability and quantile lies within its half-width of one in a million, and .95 half-widths hold for at least
/// .95 of them and of the means: 9,000 queues, all outcomes enumerated.
#[test]
fn answers_are_the_enumerations_within_their_half_widths() {
    let mut cases = Cases(2);
    let (mut asked, mut missed, mut widths) = ([0u32; 3], [0u32; 3], 0.0);
    for _ in 0..9000 {
        let mut case = case(&mut cases, 3, 3, 3);
        prioritised(&mut case, &mut cases);
        let exact = enumerate(&case);
        for confidence in [0.999_999, 0.95] {
            let strict = confidence > 0.99;
            case.options.confidence = confidence;
            forecast(&case, |forecast| {
                for (job, exact) in exact.iter().enumerate() {
                    if exact.contains_key(&None) {
                        continue;
                    }
                    let mut tell = |what: usize, difference: f64, half_width: f64, certain: bool| {
                        let miss = difference.abs() > half_width + 1e-9;
                        assert!(
                            !(miss && strict && what < 2),
                            "{what} of job {job}: {difference} of {case:?}"
                        );
                        // A certain answer is no test.
                        if !strict && !certain {
                            asked[what] += 1;
                            missed[what] += u32::from(miss);
                        }
                    };
                    let (mut by_then, mut mean) = (0.0, 0.0);
                    for (start, probability) in exact {
                        let start = start.unwrap();
                        by_then += probability;
                        mean += probability * start as f64;
                        let found = forecast.start_probability(job, NOW + start).unwrap();
                        widths += if strict || exact.len() == 1 { 0.0 } else { found.half_width };
                        tell(0, found.value - by_then, found.half_width, exact.len() == 1);
                    }
                    for quantile in [0.05, 0.25, 0.5, 0.75, 0.95] {
                        let mut below = 0.0;
                        let truth = exact.iter().find(|(_, p)| {
                            below += **p;
                            below >= quantile - 1e-12
                        });
                        let truth = NOW + truth.unwrap().0.unwrap();
                        let found = forecast.start_quantile(job, quantile).unwrap();
                        tell(1, (found.value - truth) as f64, found.half_width, exact.len() == 1);
                    }
                    let found = forecast.start_mean(job).unwrap();
                    tell(2, found.value - mean, found.half_width, exact.len() == 1);
                }
            });
        }
    }
    for what in 0..3 {
        assert!(asked[what] > 3000, "{asked:?}");
        assert!(f64::from(missed[what]) <= 0.05 * f64::from(asked[what]), "{missed:?} of {asked:?}");
    }
    assert!(widths / f64::from(asked[0]) < 0.1, "half-widths that say nothing: {widths} in {asked:?}");
}

/// The head job's start, which the pass computes exactly when no job overtakes: 3,000 machines. Limits are far ahead of
/// the predicted run times: the part beyond a limit ends there in a forecast, and is spread over the rest in a pass.
#[test]
fn the_head_jobs_start_is_the_passs() {
    let mut cases = Cases(3);
    let mut compared = 0;
    for _ in 0..3000 {
        let mut case = case(&mut cases, 8, 6, 5);
        case.options.policy = Policy::Fcfs;
        case.waiting.iter_mut().for_each(|job| job.submit = 0);
        let predicted = case.running.iter_mut().filter(|job| job.prediction.binned().is_some());
        predicted.for_each(|job| job.limit = MAX_SECONDS);
        let busy: u32 = case.running.iter().map(|job| job.processors).sum();
        let head = case.waiting[0].processors;
        if head <= case.idle || head > busy + case.idle {
            continue;
        }
        let limits = PassCapacity { processors: 64, bins: 5, events_per_bin: 1, ..PassCapacity::default() };
        let mut block = vec![0u64; Pass::size(&limits).unwrap().div_ceil(8)];
        let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut block), &limits).unwrap();
        pass.begin(NOW, case.idle, 7, head).unwrap();
        for job in &case.running {
            pass.add_running(job.processors, job.age, job.limit, &job.prediction).unwrap();
        }
        forecast(&case, |forecast| {
            for after in 0..32 {
                let exact = pass.head_start_probability(NOW + after).unwrap();
                let found = forecast.start_probability(0, NOW + after).unwrap();
                assert!((found.value - exact).abs() <= found.half_width + 1e-9, "{after}: {case:?}");
            }
            compared += 1;
        });
    }
    assert!(compared > 1000, "{compared}");
}

/// Slices of any size, in a block that is moved between them, come to the same bits, as does a larger capacity.
#[test]
fn work_in_slices_changes_nothing() {
    let mut cases = Cases(4);
    for _ in 0..60 {
        let mut case = case(&mut cases, 6, 9, 4);
        prioritised(&mut case, &mut cases);
        case.options.scenarios = 23;
        let whole = forecast(&case, |forecast| {
            (0..case.waiting.len()).map(|job| forecast.starts(job).unwrap().to_vec()).collect::<Vec<_>>()
        });
        let mut larger = capacity(&case);
        larger.running += 3;
        larger.waiting += 2;
        larger.bins = 9;
        larger.scenarios = 40;
        let mut block = memory(&larger);
        fill(&mut Forecast::init(bytemuck::cast_slice_mut(&mut block), &larger).unwrap(), &case);
        let mut calls = 0;
        loop {
            let mut moved = block.clone();
            block.fill(0);
            let mut forecast = Forecast::attach(bytemuck::cast_slice_mut(&mut moved)).unwrap();
            let work = 1 + cases.below(50);
            let progress = forecast.run(work).unwrap();
            calls += 1;
            if progress == Progress::Done {
                for (job, starts) in whole.iter().enumerate() {
                    assert_eq!(forecast.starts(job).unwrap(), &starts[..]);
                }
                break;
            }
            assert_eq!(forecast.starts(0), Err(Error::WrongState));
            block = moved;
        }
        assert!(calls > 2, "{calls}");
    }
}

/// The same bits on every machine: a digest of the starts of a larger queue.
#[test]
fn starts_bit_for_bit() {
    let mut cases = Cases(5);
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for _ in 0..20 {
        let mut case = case(&mut cases, 12, 20, 4);
        case.options.scenarios = 50;
        forecast(&case, |forecast| {
            for job in 0..case.waiting.len() {
                for &start in forecast.starts(job).unwrap() {
                    digest = (digest ^ start as u64).wrapping_mul(0x0000_0100_0000_01b3);
                }
            }
        });
    }
    assert_eq!(digest, 0xeb93_f6bd_e156_8626, "{digest:#x}");
}

/// Queues of hundreds of jobs in the orders of the presets, some of them submitted later: the starts are those of a
/// heap sort at each instant, bit for bit, and the steps are fewer than it would take, as the queue hardly changes its
/// order from one instant to the next.
#[test]
fn long_queues_in_the_orders_of_presets() {
    let mut cases = Cases(7);
    let case = case(&mut cases, 10, 1, 5);
    let waiting: Vec<Job> = (0..400)
        .map(|_| {
            let processors = cases.range(1, 4);
            let mut job = Job::new(&mut cases, processors, 0, 5);
            job.limit = job.limit.max(10);
            job.submit = cases.range(-7200, 60);
            job
        })
        .collect();
    let mut case = Case { idle: 10, waiting, ..case };
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    let mut steps = [0, 0];
    for (name, steps) in [PresetName::Delay, PresetName::DelayFast].into_iter().zip(&mut steps) {
        let options = ForecastOptions::of_preset(&Preset::new(name), 7000.0);
        case.options = ForecastOptions { scenarios: 20, ..options };
        let capacity = ForecastCapacity { processors: 128, ..capacity(&case) };
        let mut block = memory(&capacity);
        let mut forecast = Forecast::init(bytemuck::cast_slice_mut(&mut block), &capacity).unwrap();
        fill(&mut forecast, &case);
        // A call ends with the instant in which its work is used up.
        while forecast.run(2000).unwrap() == Progress::More {
            *steps += 1;
        }
        for job in 0..case.waiting.len() {
            for &start in forecast.starts(job).unwrap() {
                digest = (digest ^ start as u64).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }
    assert_eq!(digest, 0xe3ed_96eb_3a55_ba58, "{digest:#x}");
    // With a heap sort in each pass, and run times drawn by Algorithm 5, 1,961 and 2,339.
    assert!(steps.iter().all(|&calls| calls < 1500), "{steps:?}");
}

#[test]
fn bad_arguments_are_refused() {
    let capacity = ForecastCapacity { running: 1, waiting: 2, processors: 8, bins: 4, ..Default::default() };
    for wrong in [
        ForecastCapacity { running: (1 << 20) + 1, ..capacity },
        ForecastCapacity { waiting: (1 << 20) + 1, ..capacity },
        ForecastCapacity { processors: 0, ..capacity },
        ForecastCapacity { bins: 0, ..capacity },
        ForecastCapacity { events_per_bin: 17, ..capacity },
        ForecastCapacity { scenarios: 1, ..capacity },
        ForecastCapacity { scenarios: (1 << 16) + 1, ..capacity },
    ] {
        assert_eq!(Forecast::size(&wrong), Err(Error::OutOfRange));
    }
    let mut block = memory(&capacity);
    let mut forecast = Forecast::init(bytemuck::cast_slice_mut(&mut block), &capacity).unwrap();
    let limit = RuntimeDistribution::limit();
    let options = ForecastOptions::default();
    assert_eq!(forecast.run(1), Err(Error::WrongState));
    assert_eq!(forecast.add_running(1, 0, 10, &limit), Err(Error::WrongState));
    assert_eq!(forecast.add_waiting(1, 10, 0, &limit), Err(Error::WrongState));
    assert_eq!(forecast.starts(0), Err(Error::WrongState));
    for confidence in [0.0, 1.0, -1.0, f64::INFINITY] {
        let wrong = ForecastOptions { confidence, ..options };
        assert_eq!(forecast.begin(NOW, 4, &wrong), Err(Error::OutOfRange));
    }
    let wrong = ForecastOptions { confidence: f64::NAN, ..options };
    assert_eq!(forecast.begin(NOW, 4, &wrong), Err(Error::NotANumber));
    for wrong in [
        ForecastOptions { front: -1.0, ..options },
        ForecastOptions { slack: -0.5, ..options },
        ForecastOptions { queue: Priority { age: -1.0, ..Priority::SHORTEST }, ..options },
        ForecastOptions { candidates: Priority { age_unit: 0.0, ..Priority::SHORTEST }, ..options },
    ] {
        assert_eq!(forecast.begin(NOW, 4, &wrong), Err(Error::OutOfRange));
    }
    for wrong in [
        ForecastOptions { front: f64::NAN, ..options },
        ForecastOptions { slack: f64::NAN, ..options },
        ForecastOptions { queue: Priority { run_time: f64::NAN, ..Priority::SHORTEST }, ..options },
    ] {
        assert_eq!(forecast.begin(NOW, 4, &wrong), Err(Error::NotANumber));
    }
    for scenarios in [0, 1, 201] {
        let wrong = ForecastOptions { scenarios, ..options };
        assert_eq!(forecast.begin(NOW, 4, &wrong), Err(Error::OutOfRange));
    }
    assert_eq!(forecast.begin(NOW, 9, &options), Err(Error::TooManyProcessors));
    assert_eq!(forecast.begin(i64::MAX, 4, &options), Err(Error::OutOfRange));
    forecast.begin(NOW, 4, &options).unwrap();
    for (processors, error) in [
        (0, Error::OutOfRange),
        (5, Error::Overfull),
        (9, Error::TooManyProcessors),
        (u32::MAX, Error::TooManyProcessors),
    ] {
        assert_eq!(forecast.add_running(processors, 0, 10, &limit), Err(error));
    }
    assert_eq!(forecast.add_running(1, -1, 10, &limit), Err(Error::OutOfRange));
    assert_eq!(forecast.add_running(1, 0, i64::MAX, &limit), Err(Error::SpanTooLong));
    let wide = RuntimeDistribution::from_counts(&RuntimeBins::new(2.0, 2.0, 5).unwrap(), &[1.0; 5]).unwrap();
    assert_eq!(forecast.add_running(1, 0, 10, &wide), Err(Error::Full));
    assert_eq!(forecast.add_running(4, 0, 10, &limit), Ok(0));
    assert_eq!(forecast.add_running(1, 0, 10, &limit), Err(Error::Overfull));
    assert_eq!(forecast.add_waiting(0, 10, NOW, &limit), Err(Error::OutOfRange));
    assert_eq!(forecast.add_waiting(9, 10, NOW, &limit), Err(Error::TooManyProcessors));
    assert_eq!(forecast.add_waiting(1, -1, NOW, &limit), Err(Error::OutOfRange));
    assert_eq!(forecast.add_waiting(1, 10, i64::MAX, &limit), Err(Error::SpanTooLong));
    assert_eq!(forecast.add_waiting(8, 10, i64::MIN, &limit), Ok(0));
    assert_eq!(forecast.add_waiting(8, 10, NOW + 5, &limit), Ok(1));
    assert_eq!(forecast.add_waiting(8, 10, NOW, &limit), Err(Error::Full));
    assert_eq!(forecast.run(0), Err(Error::OutOfRange));
    while forecast.run(1).unwrap() == Progress::More {}
    assert_eq!(forecast.add_waiting(8, 10, NOW, &limit), Err(Error::WrongState));
    assert_eq!(forecast.starts(2), Err(Error::NoSuchIndex));
    assert_eq!(forecast.start_quantile(0, f64::NAN), Err(Error::NotANumber));
    for wrong in [0.0, 1.5, -1.0] {
        assert_eq!(forecast.start_quantile(0, wrong), Err(Error::OutOfRange));
    }
    assert_eq!(forecast.start_quantile(1, 0.5).unwrap().value, NOW + 20);
    assert_eq!(forecast.start_probability(0, NOW - 1).unwrap().value, 0.0);
    assert_eq!(forecast.start_probability(0, NOW + 10).unwrap().value, 1.0);
}

/// The queue takes wide jobs first, the candidates are as long as each other: the one added first starts beside the
/// head job. A job wider than the machine holds up no other, not even where none overtakes.
#[test]
fn equal_medians_go_by_the_order_of_adding_and_jobs_too_wide_are_left_out() {
    let capacity =
        ForecastCapacity { running: 1, waiting: 4, processors: 64, bins: 1, events_per_bin: 1, scenarios: 2 };
    let mut block = memory(&capacity);
    let mut forecast = Forecast::init(bytemuck::cast_slice_mut(&mut block), &capacity).unwrap();
    let queue = Priority { processors: -1.0, ..Priority::SUBMISSION };
    let limit = RuntimeDistribution::limit();
    let shortest = ForecastOptions {
        order: CandidateOrder::Shortest,
        queue,
        scenarios: 2,
        ..ForecastOptions::default()
    };
    let fcfs = ForecastOptions { policy: Policy::Fcfs, scenarios: 2, ..ForecastOptions::default() };
    for (options, widest) in [(shortest, 9), (fcfs, 7)] {
        forecast.begin(NOW, 2, &options).unwrap();
        forecast.add_running(7, 0, 50, &limit).unwrap();
        for width in [10, 1, 2, widest] {
            let run_time = if width == widest { 50 } else { 10 };
            forecast.add_waiting(width, run_time, NOW, &limit).unwrap();
        }
        assert_eq!(forecast.run(u64::MAX), Ok(Progress::Done));
        let found =
            [0, 1, 2, 3].map(|job| forecast.start_quantile(job, 1.0).ok().map(|when| when.value - NOW));
        assert_eq!(found, [None, Some(0), Some(10), Some(50)]);
    }
}

/// A preset is played forward by its own orders.
#[test]
fn presets_are_played_by_their_orders() {
    for name in PresetName::ALL {
        let preset = Preset::new(name);
        let options = ForecastOptions::of_preset(&preset, 7200.0);
        assert_eq!(
            (options.queue, options.candidates, options.front),
            (preset.queue, preset.candidates, 7200.0)
        );
        let limits = name == PresetName::Easy;
        assert_eq!(options.plans, if limits { Plans::Limits } else { Plans::Medians });
        let slack = [(PresetName::Delay, 0.3), (PresetName::DelayFast, 0.4)]
            .into_iter()
            .find(|known| known.0 == name);
        assert_eq!(options.slack, slack.map_or(0.0, |known| known.1));
    }
}

/// Every byte of a block of a forecast under way damaged, one at a time, and every word set to what arithmetic may
/// overflow at, with one reservation and with several: an answer or a refusal, never a hang or a panic.
#[test]
fn damaged_blocks_are_survived() {
    for reservations in [1, 3] {
        let mut cases = Cases(6);
        let mut case = case(&mut cases, 3, 4, 3);
        case.options.queue = Priority { age: 2.0, ..Priority::SHORTEST };
        case.options.order = CandidateOrder::Priority;
        case.options.reservations = reservations;
        case.options.scenarios = 3;
        let capacity = capacity(&case);
        let mut block = memory(&capacity);
        let mut forecast = Forecast::init(bytemuck::cast_slice_mut(&mut block), &capacity).unwrap();
        fill(&mut forecast, &case);
        assert_eq!(forecast.run(20), Ok(Progress::More));
        for place in 0..block.len() {
            let flips = (0..8).flat_map(|byte| [0x80u64, 0xff].map(|flip| block[place] ^ flip << (8 * byte)));
            for word in flips.chain([i64::MAX as u64, i64::MIN as u64, 1 << 62]) {
                let mut damaged = block.clone();
                damaged[place] = word;
                ask_all(&mut damaged, case.waiting.len());
            }
        }
        while forecast_in(&mut block).run(1000) == Ok(Progress::More) {}
        for place in 0..block.len() {
            for word in [i64::MAX as u64, i64::MIN as u64] {
                let mut damaged = block.clone();
                damaged[place] = word;
                ask_all(&mut damaged, case.waiting.len());
            }
        }
    }
}

fn forecast_in(block: &mut [u64]) -> Forecast<'_> {
    Forecast::attach(bytemuck::cast_slice_mut(block)).unwrap()
}

/// Runs what may be damaged to its end and asks all questions.
fn ask_all(block: &mut [u64], waiting: usize) {
    let Ok(mut forecast) = Forecast::attach(bytemuck::cast_slice_mut(block)) else { return };
    let ends = (0..10_000).any(|_| forecast.run(1000) != Ok(Progress::More));
    assert!(ends, "it plays for ever");
    for job in 0..waiting {
        let _ = (forecast.start_quantile(job, 0.9), forecast.start_mean(job));
        let _ = forecast.start_probability(job, NOW + 3);
    }
}
