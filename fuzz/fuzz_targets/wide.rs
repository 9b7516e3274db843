//! Bytes as a pass over a wide machine, whose verdicts come from brackets where these settle them.
//!
//! Its decisions must be those of the pass that measures every delay, in slices of any work, and each bound that it
//! reports must be one. With a byte of its memory damaged on the way, it must go on or say so, and come to an end.
#![no_main]

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use surefill::backfill::{Criterion, Exactness, Judgement, Pass, PassCapacity, Rule, Step, Verdict};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

const BINS: usize = 10;
const RUNNING: usize = 40;
const CANDIDATES: usize = 8;

const LIMITS: PassCapacity = PassCapacity {
    running: RUNNING as u32,
    candidates: CANDIDATES as u32,
    processors: 1 << 18,
    bins: BINS as u32,
    events_per_bin: 2,
    tie_cells: 1 << 12,
};

struct Job {
    width: u16,
    scale: u8,
    age: u16,
    limit: u16,
    counts: u16,
}

impl Job {
    fn new(input: &mut Unstructured<'_>) -> Result<Job> {
        let [width, age, limit, counts] = input.arbitrary()?;
        Ok(Job { width, scale: input.arbitrary()?, age, limit, counts })
    }

    /// At least one processor, at most 3,840.
    fn processors(&self) -> u32 {
        let unit = [1, 1, 7, 128][usize::from(self.scale % 4)];
        1 + u32::from(self.width) % (30 * unit.max(34)) / unit * unit
    }

    /// Nothing is known of a job without counts but its limit.
    fn prediction(&self, bins: &RuntimeBins) -> RuntimeDistribution {
        let counts: Vec<f64> =
            (0..BINS).map(|bin| f64::from(self.counts >> bin & 1 + (self.counts >> 10 & 3))).collect();
        RuntimeDistribution::from_counts(bins, &counts).unwrap()
    }
}

struct Case {
    idle: u16,
    /// The share of the busy processors, in 65,535ths.
    missing: u16,
    tau: u8,
    seconds: bool,
    or_easy: bool,
    /// Near which candidate's delay the threshold lies: none beyond their number.
    near: u8,
    beside: i8,
    work: u16,
    /// The number of slices after which a byte is damaged, which byte, and how.
    damage: Option<(u8, u16, u8)>,
    jobs: Vec<Job>,
}

impl Case {
    fn new(input: &mut Unstructured<'_>) -> Result<Case> {
        let mut case = Case {
            idle: input.arbitrary()?,
            missing: input.arbitrary()?,
            tau: input.arbitrary()?,
            seconds: input.arbitrary()?,
            or_easy: input.arbitrary()?,
            near: input.arbitrary()?,
            beside: input.arbitrary()?,
            work: input.arbitrary()?,
            damage: input.arbitrary()?,
            jobs: Vec::new(),
        };
        while !input.is_empty() {
            case.jobs.push(Job::new(input)?);
        }
        Ok(case)
    }
}

type Decided = (Vec<usize>, Vec<(usize, Judgement)>);

fn begun<'a>(case: &Case, bins: &RuntimeBins, memory: &'a mut [u64]) -> (Pass<'a>, usize) {
    let mut pass = Pass::init(bytemuck::cast_slice_mut(memory), &LIMITS).unwrap();
    let many = case.jobs.len().min(RUNNING + CANDIDATES);
    let candidates = (many / 4).min(CANDIDATES);
    let (waiting, running) = case.jobs[..many].split_at(candidates);
    let running = &running[..running.len().min(RUNNING)];
    let busy: u32 = running.iter().map(Job::processors).sum();
    let missing = 1 + (u64::from(busy.saturating_sub(1)) * u64::from(case.missing) / 65_535) as u32;
    let idle = 1 + u32::from(case.idle);
    pass.begin(0, idle, 1, (idle + missing).min(LIMITS.processors)).unwrap();
    for job in running {
        let age = i64::from(job.age) / 8;
        pass.add_running(job.processors(), age, i64::from(job.limit), &job.prediction(bins)).unwrap();
    }
    for job in waiting {
        pass.add_candidate(job.processors(), i64::from(job.limit), &job.prediction(bins)).unwrap();
    }
    (pass, candidates)
}

fn decide(case: &Case, bins: &RuntimeBins, rule: &Rule, work: u64, memory: &mut [u64]) -> Decided {
    let (mut pass, candidates) = begun(case, bins, memory);
    let (mut accepted, mut judged) = (Vec::new(), Vec::new());
    loop {
        // Those before an accepted one are refused for good, and those behind it judged anew.
        let first = accepted.last().map_or(0, |last| last + 1);
        match pass.decide(rule, work).unwrap() {
            Step::Accept(index) => {
                judged.extend((first..=index).map(|index| (index, pass.judgement(index).unwrap())));
                pass.commit(index).unwrap();
                accepted.push(index);
            }
            Step::More => (),
            Step::Done => {
                judged.extend((first..candidates).map(|index| (index, pass.judgement(index).unwrap())));
                return (accepted, judged);
            }
        }
    }
}

fn compare(case: &Case, bins: &RuntimeBins, rule: &Rule, work: u64, memory: &mut [u64]) {
    let (steps, exact) = decide(case, bins, &Rule { unmeasured: false, ..*rule }, u64::MAX, memory);
    let (others, brackets) = decide(case, bins, rule, work, memory);
    assert_eq!(steps, others);
    for ((_, exact), (_, bracket)) in exact.iter().zip(&brackets) {
        assert_eq!(exact.verdict, bracket.verdict);
        let close = 1e-9 * (1.0 + exact.delay);
        match (bracket.exactness, bracket.verdict) {
            (Exactness::AtMost, verdict) => {
                assert_eq!(verdict, Verdict::Accepted);
                assert!(exact.delay <= bracket.delay + close && bracket.delay < rule.threshold);
            }
            (Exactness::AtLeast, Verdict::Refused) => {
                assert!(bracket.delay >= rule.threshold);
                // The delay of a candidate that the exact walk refuses early is only a lower bound.
                assert!(exact.exactness == Exactness::AtLeast || bracket.delay <= exact.delay + close);
            }
            _ => (),
        }
    }
}

fn damage(case: &Case, bins: &RuntimeBins, rule: &Rule, work: u64, memory: &mut [u64]) {
    let Some((slices, byte, mask)) = case.damage else { return };
    let (mut pass, _) = begun(case, bins, memory);
    for _ in 0..slices {
        if let Step::Accept(index) = pass.decide(rule, work).unwrap() {
            pass.commit(index).unwrap();
        }
    }
    let bytes = bytemuck::cast_slice_mut::<u64, u8>(memory);
    let byte = usize::from(byte) % bytes.len();
    bytes[byte] ^= mask;
    let Ok(mut pass) = Pass::attach(bytes) else { return };
    for _ in 0..1_000_000 {
        match pass.decide(rule, 1 << 20) {
            Ok(Step::More) => (),
            Ok(Step::Accept(index)) if pass.commit(index).is_ok() => (),
            _ => return,
        }
    }
    panic!("a damaged pass does not end");
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(case) = Case::new(&mut Unstructured::new(bytes)) else { return };
    let bins = RuntimeBins::new(30.0, 2.0, BINS).unwrap();
    let mut memory = vec![0u64; Pass::size(&LIMITS).unwrap().div_ceil(8)];
    let criterion = if case.seconds { Criterion::Seconds } else { Criterion::Relative };
    let tau = f64::from(case.tau) / 400.0;
    let threshold = if case.seconds { 1_000.0 * tau } else { tau };
    let mut rule = Rule { criterion, threshold, or_easy: case.or_easy, unmeasured: true, ..Rule::EXACT };
    let work = if case.work == 0 { u64::MAX } else { u64::from(case.work) * 8 };
    let (_, judged) = decide(&case, &bins, &Rule { unmeasured: false, ..rule }, u64::MAX, &mut memory);
    if let Some((_, judgement)) = judged.get(usize::from(case.near)) {
        rule.threshold = (judgement.delay * (1.0 + 1e-8 * f64::from(case.beside))).max(0.0);
    }
    compare(&case, &bins, &rule, work, &mut memory);
    damage(&case, &bins, &rule, work, &mut memory);
});
