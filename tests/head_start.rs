//! Several quantiles of the head job's start from one walk: against single ones, each of which is a product of its own,
//! and beside decisions.

use surefill::backfill::{Pass, PassCapacity, Rule, Step};
use surefill::error::Error;
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

const ASKED: [f64; 7] = [1e-6, 0.05, 0.25, 0.5, 0.9, 0.999, 1.0];

fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1u64 << 53) as f64
}

fn limits() -> PassCapacity {
    PassCapacity {
        running: 60,
        candidates: 20,
        processors: 40_000,
        bins: 12,
        events_per_bin: 4,
        tie_cells: 1 << 14,
    }
}

/// A machine of up to 60 jobs whose widths have this common divisor, and 20 candidates.
fn fill(pass: &mut Pass<'_>, seed: u64, divisor: u32) {
    let mut state = seed;
    let bins = RuntimeBins::new(60.0, 2.0, 12).unwrap();
    let jobs: Vec<(u32, i64, Vec<f64>)> = (0..80)
        .map(|_| {
            let width = divisor * (1 + (random(&mut state) * 12.0) as u32);
            let age = (random(&mut state) * 20_000.0) as i64;
            // After maintenance all have started in the same second.
            let age = if seed % 4 == 3 { 600 } else { age };
            (width, age, (0..12).map(|_| random(&mut state).powi(4)).collect())
        })
        .collect();
    let (running, waiting) = jobs.split_at(5 + (random(&mut state) * 55.0) as usize);
    let busy: u32 = running.iter().map(|job| job.0).sum();
    let idle = 7 * divisor;
    let head = idle + 1 + (random(&mut state) * f64::from(busy)) as u32;
    pass.begin(1_000_000, idle, 7, head.min(idle + busy)).unwrap();
    for (width, age, counts) in running {
        let history = RuntimeDistribution::from_counts(&bins, counts).unwrap();
        pass.add_running(*width, *age, age + 50_000, &history).unwrap();
    }
    for (width, _, counts) in waiting.iter().take(20) {
        let history = RuntimeDistribution::from_counts(&bins, counts).unwrap();
        pass.add_candidate(*width, 50_000, &history).unwrap();
    }
}

/// Computes quantiles in slices of this much work; returns them and the number of slices.
fn ask(pass: &mut Pass<'_>, work: u64) -> ([i64; 7], usize) {
    let mut whens = [i64::MIN; 7];
    let slices = (1..).find(|_| pass.head_start_quantiles(&ASKED, &mut whens, work).unwrap()).unwrap();
    (whens, slices)
}

/// Decides to the end, committing every acceptance, and returns each candidate's delay; computes quantiles before each
/// step if it may.
fn decisions(pass: &mut Pass<'_>, rule: &Rule, asks: bool) -> Vec<(usize, f64)> {
    let accepted = acceptances(pass, rule, asks);
    let judged = (0..20).map(|index| (index, pass.judgement(index).unwrap().delay));
    accepted.into_iter().chain(judged).collect()
}

fn acceptances(pass: &mut Pass<'_>, rule: &Rule, asks: bool) -> Vec<(usize, f64)> {
    let mut accepted = Vec::new();
    loop {
        if asks {
            let mut whens = [0; 7];
            let answer = pass.head_start_quantiles(&ASKED, &mut whens, 5000);
            assert!(matches!(answer, Ok(_) | Err(Error::WrongState)), "{answer:?}");
        }
        match pass.decide(rule, 20_000).unwrap() {
            Step::Accept(index) => {
                accepted.push((index, pass.judgement(index).unwrap().delay));
                pass.commit(index).unwrap();
            }
            Step::More => {}
            Step::Done => return accepted,
        }
    }
}

#[test]
fn quantiles_from_one_walk_are_the_single_ones() {
    let limits = limits();
    let mut memory = vec![0u64; Pass::size(&limits).unwrap().div_ceil(8)];
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
    for seed in 0..200 {
        fill(&mut pass, seed, [1, 4, 48][seed as usize % 3]);
        let (whens, slices) = ask(&mut pass, 300);
        assert!(slices > 3, "{slices}");
        assert_eq!(ask(&mut pass, u64::MAX), (whens, 1), "{seed}");
        for (&probability, &when) in ASKED.iter().zip(&whens) {
            let single = pass.head_start_quantile(probability).unwrap();
            // The two sums may lie on either side of the probability.
            let mut apart = || {
                let reached = pass.head_start_probability(when.min(single)).unwrap();
                (reached - probability.min(1.0 - 1e-12)).abs()
            };
            assert!(when == single || apart() < 3e-12, "{seed} {probability}: {when} {single}");
        }
    }
}

#[test]
fn questions_change_no_decision() {
    let limits = limits();
    let mut memory = vec![0u64; Pass::size(&limits).unwrap().div_ceil(8)];
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
    let mut accepted = 0;
    for seed in 0..200 {
        for rule in [Rule::EXACT, Rule::PAPERS, Rule::DELAY] {
            let divisor = [1, 4, 48][seed as usize % 3];
            fill(&mut pass, seed, divisor);
            let quiet = decisions(&mut pass, &rule, false);
            let after = ask(&mut pass, u64::MAX);
            fill(&mut pass, seed, divisor);
            let asked = decisions(&mut pass, &rule, true);
            assert_eq!(ask(&mut pass, 1000).0, after.0, "{seed}");
            assert_eq!(quiet, asked, "{seed}");
            accepted += quiet.len() - 20;
        }
    }
    assert!(accepted > 100, "{accepted}");
}

#[test]
fn wrong_questions_are_refused() {
    let limits = limits();
    let mut memory = vec![0u64; Pass::size(&limits).unwrap().div_ceil(8)];
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
    let mut whens = [0; 2];
    assert_eq!(pass.head_start_quantiles(&[0.5], &mut whens[..1], 1), Err(Error::WrongState));
    fill(&mut pass, 3, 4);
    for (asked, error) in [
        ([0.5, f64::NAN], Error::NotANumber),
        ([0.0, 0.5], Error::OutOfRange),
        ([0.5, 1.5], Error::OutOfRange),
        ([0.6, 0.5], Error::OutOfRange),
    ] {
        assert_eq!(pass.head_start_quantiles(&asked, &mut whens, 1), Err(error));
    }
    assert_eq!(pass.head_start_quantiles(&[0.5], &mut whens, 1), Err(Error::OutOfRange));
    assert_eq!(pass.head_start_quantiles(&[], &mut [], 1), Ok(true));
    // A call for other quantiles begins anew, whatever is under way.
    assert_eq!(pass.head_start_quantiles(&[0.5, 0.9], &mut whens, 1), Ok(false));
    let median = pass.head_start_quantile(0.5).unwrap();
    assert_eq!(pass.head_start_quantiles(&[0.5], &mut whens[..1], u64::MAX), Ok(true));
    assert_eq!(whens[0], median);
    // In the middle of a decision, and while an acceptance waits for its commit.
    let all = Rule { threshold: 1e9, ..Rule::EXACT };
    assert_eq!(pass.decide(&Rule::EXACT, 1), Ok(Step::More));
    assert_eq!(pass.head_start_quantiles(&[0.5], &mut whens[..1], 1), Err(Error::WrongState));
    fill(&mut pass, 3, 4);
    assert!(matches!(pass.decide(&all, u64::MAX), Ok(Step::Accept(_))));
    assert_eq!(pass.head_start_quantiles(&[0.5], &mut whens[..1], 1), Err(Error::WrongState));
}

/// Adding a job ends a walk for quantiles, whatever probability is computed next.
#[test]
fn another_job_is_another_question() {
    let limits = limits();
    let mut memory = vec![0u64; Pass::size(&limits).unwrap().div_ceil(8)];
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
    let bins = RuntimeBins::new(60.0, 2.0, 12).unwrap();
    let some = RuntimeDistribution::from_counts(&bins, &[1.0; 12]).unwrap();
    let probabilities = [0.3, 0.1 + 0.2, 0.5];
    for (&before, &after) in probabilities.iter().flat_map(|a| probabilities.iter().map(move |b| (a, b))) {
        pass.begin(0, 10, 7, 300).unwrap();
        for age in [0, 10, 20] {
            pass.add_running(100, age, 100_000, &some).unwrap();
        }
        let mut when = [0];
        for _ in 0..10 {
            assert_eq!(pass.head_start_quantiles(&[before], &mut when, 1), Ok(false));
        }
        pass.add_running(500, 0, 77, &RuntimeDistribution::single(77).unwrap()).unwrap();
        assert_eq!(pass.head_start_quantiles(&[after], &mut when, u64::MAX), Ok(true));
        assert_eq!(when, [77]);
    }
}

/// On a machine that is decided from frequencies, which share their memory with the walk for quantiles.
#[test]
fn questions_change_no_decision_from_frequencies() {
    let limits = PassCapacity { running: 1000, processors: 60_000, events_per_bin: 1, ..limits() };
    let mut memory = vec![0u64; Pass::size(&limits).unwrap().div_ceil(8)];
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
    let bins = RuntimeBins::new(60.0, 2.0, 12).unwrap();
    let fill = |pass: &mut Pass<'_>, seed: u64| {
        let mut state = seed;
        let mut history = |power: i32| {
            let counts: Vec<f64> = (0..12).map(|_| random(&mut state).powi(power)).collect();
            let history = RuntimeDistribution::from_counts(&bins, &counts).unwrap();
            (random(&mut state), random(&mut state), history)
        };
        pass.begin(1_000_000, 1500, 7, 9000 + (history(1).0 * 12_000.0) as u32).unwrap();
        for _ in 0..1000 {
            let (width, age, history) = history(2);
            let age = (age * 20_000.0) as i64;
            pass.add_running(1 + (width * 58.0) as u32, age, age + 80_000, &history).unwrap();
        }
        for _ in 0..20 {
            let (width, _, history) = history(6);
            pass.add_candidate(1 + (width * 300.0) as u32, 80_000, &history).unwrap();
        }
    };
    let mut accepted = 0;
    for seed in 1..4 {
        fill(&mut pass, seed);
        let quiet = decisions(&mut pass, &Rule::DELAY, false);
        fill(&mut pass, seed);
        let asked = decisions(&mut pass, &Rule::DELAY, true);
        let near =
            |(a, b): (&(usize, f64), &(usize, f64))| a.0 == b.0 && (a.1 - b.1).abs() < 1e-4 * b.1.max(1.0);
        assert!(
            quiet.len() == asked.len() && quiet.iter().zip(&asked).all(near),
            "{seed} {quiet:?} {asked:?}"
        );
        accepted += quiet.len() - 20;
    }
    assert!(accepted > 10, "{accepted}");
}
