//! The predictor as its callers know it: refusals that change nothing, checkpoints, histories that are full.

use surefill::error::Error;
use surefill::hmm::{HmmCapacity, Initial, LoadModel, OnlineHmm, OnlineOptions, Parameters, Termination};
use surefill::predict::{Learning, Predictor, PredictorCapacity, PredictorKind, PredictorOptions};
use surefill::runtime::RuntimeBins;

fn capacity() -> PredictorCapacity {
    PredictorCapacity {
        jobs: 6,
        hmm: HmmCapacity { states: 3, bins: 4, slots: 64, cells: 100 },
        window: 16,
        ..PredictorCapacity::of(PredictorKind::Hmm)
    }
}

fn options() -> PredictorOptions {
    PredictorOptions { slot_seconds: 60, initial_seconds: 600, ..PredictorOptions::of(PredictorKind::Hmm) }
}

fn bins() -> RuntimeBins {
    RuntimeBins::new(10.0, 10.0, 4).unwrap()
}

fn memory(capacity: &PredictorCapacity) -> Vec<u64> {
    memory_of(capacity, &options())
}

/// Memory of the thesis's predictor: the model alone, without a floor and without the distribution of all jobs.
fn memory_of_thesis(capacity: &PredictorCapacity) -> Vec<u64> {
    memory_of(capacity, &PredictorOptions { floor: 0.0, ..options() })
}

fn memory_of(capacity: &PredictorCapacity, options: &PredictorOptions) -> Vec<u64> {
    let mut memory = vec![u64::MAX; Predictor::size(capacity).unwrap() / 8];
    Predictor::init(bytemuck::cast_slice_mut(&mut memory), capacity, &bins(), options).unwrap();
    memory
}

fn attach(memory: &mut [u64]) -> Predictor<'_> {
    Predictor::attach(bytemuck::cast_slice_mut(memory)).unwrap()
}

/// A workload by linear congruence: submits, starts and ends jobs, trains a little, predicts. Returns the predictions.
struct Workload {
    random: u64,
    now: i64,
    next: i64,
    jobs: Vec<(i64, Option<i64>)>,
}

impl Workload {
    fn new() -> Workload {
        Workload { random: 1, now: 0, next: 1, jobs: Vec::new() }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.random = self.random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.random >> 33) % n
    }

    fn step(&mut self, predictor: &mut Predictor<'_>) -> Vec<u64> {
        self.now += self.below(30) as i64;
        let now = self.now;
        match self.below(5) {
            0 | 1 if self.jobs.len() < 6 => {
                predictor.submit(self.next, &[], now).unwrap();
                self.jobs.push((self.next, None));
                self.next += 1;
            }
            2 if self.jobs.iter().any(|job| job.1.is_none()) => {
                let job = self.jobs.iter_mut().find(|job| job.1.is_none()).unwrap();
                predictor.start(job.0, now).unwrap();
                job.1 = Some(now);
            }
            3 if self.jobs.iter().any(|job| job.1.is_some()) => {
                let place = self.below(self.jobs.len() as u64) as usize;
                if self.jobs[place].1.is_some() {
                    predictor.end(self.jobs[place].0, now).unwrap();
                    self.jobs.remove(place);
                }
            }
            4 if !self.jobs.is_empty() && self.below(4) == 0 => {
                let place = self.below(self.jobs.len() as u64) as usize;
                predictor.cancel(self.jobs.remove(place).0, now).unwrap();
            }
            _ => (),
        }
        let work = 1 + self.below(40);
        let mut bits = Vec::new();
        if let Learning::Done(round) = predictor.train(work).unwrap() {
            bits.push(round.log_likelihood.to_bits());
        }
        let mut found = [0.0; 4];
        if predictor.probabilities(&[], now, &mut found).unwrap().is_none() {
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{found:?}");
            bits.extend(found.map(f64::to_bits));
        }
        bits
    }
}

#[test]
fn each_wrong_event_has_its_error_and_changes_nothing() {
    let mut memory = memory(&capacity());
    attach(&mut memory).submit(1, &[], 1000).unwrap();
    attach(&mut memory).submit(2, &[], 1000).unwrap();
    attach(&mut memory).start(2, 1001).unwrap();
    let before = memory.clone();
    let refused = |memory: &mut Vec<u64>, call: &dyn Fn(&mut Predictor<'_>) -> Result<(), Error>| {
        let error = call(&mut attach(memory)).unwrap_err();
        assert_eq!(*memory, before);
        error
    };
    assert_eq!(refused(&mut memory, &|p| p.submit(1, &[], 1001)), Error::DuplicateJob);
    assert_eq!(refused(&mut memory, &|p| p.submit(2, &[], 1001)), Error::DuplicateJob);
    assert_eq!(refused(&mut memory, &|p| p.submit(3, &[], 1000)), Error::TimeWentBack);
    assert_eq!(refused(&mut memory, &|p| p.submit(3, &[], i64::MAX)), Error::OutOfRange);
    assert_eq!(refused(&mut memory, &|p| p.submit(3, &[], i64::MIN)), Error::OutOfRange);
    assert_eq!(refused(&mut memory, &|p| p.start(3, 1001)), Error::UnknownJob);
    assert_eq!(refused(&mut memory, &|p| p.start(2, 1002)), Error::AlreadyStarted);
    assert_eq!(refused(&mut memory, &|p| p.start(1, 1000)), Error::TimeWentBack);
    assert_eq!(refused(&mut memory, &|p| p.end(3, 1001)), Error::UnknownJob);
    assert_eq!(refused(&mut memory, &|p| p.end(1, 1001)), Error::NotStarted);
    assert_eq!(refused(&mut memory, &|p| p.end(2, 1000)), Error::TimeWentBack);
    assert_eq!(refused(&mut memory, &|p| p.cancel(3, 1001)), Error::UnknownJob);
    assert_eq!(refused(&mut memory, &|p| p.cancel(1, 1000)), Error::TimeWentBack);
    assert_eq!(refused(&mut memory, &|p| p.predict(&[], 1000).map(|_| ())), Error::TimeWentBack);
    assert_eq!(
        refused(&mut memory, &|p| p.probabilities(&[], 1001, &mut [0.0; 3]).map(|_| ())),
        Error::OutOfRange
    );
    assert_eq!(refused(&mut memory, &|p| p.train(0).map(|_| ())), Error::OutOfRange);
    let uniform = [1.0 / 3.0; 9];
    let model = Parameters {
        load: surefill::hmm::LoadModel::None,
        start: &uniform[..3],
        transition: &uniform,
        emission: &[0.25; 12],
        load_parameter: &[],
    };
    assert_eq!(refused(&mut memory, &|p| p.set_model(&model)), Error::WrongState);
    for id in 3..7 {
        attach(&mut memory).submit(id, &[], 1001).unwrap();
    }
    let before = memory.clone();
    assert_eq!(attach(&mut memory).submit(7, &[], 1005), Err(Error::Full));
    assert_eq!(memory, before);
    // Time may stand still, and a job that has left may come again.
    attach(&mut memory).end(2, 1001).unwrap();
    attach(&mut memory).submit(2, &[], 1001).unwrap();
    assert_eq!(attach(&mut memory).jobs(), 6);
}

#[test]
fn refuses_limits_options_and_bins_that_do_not_fit() {
    let good = capacity();
    for bad in [
        PredictorCapacity { jobs: 0, ..good },
        PredictorCapacity { jobs: u32::MAX, ..good },
        PredictorCapacity { window: 0, ..good },
        PredictorCapacity { window: u32::MAX, ..good },
        PredictorCapacity { hmm: HmmCapacity { states: 0, ..good.hmm }, ..good },
        PredictorCapacity { hmm: HmmCapacity { states: u32::MAX, ..good.hmm }, ..good },
    ] {
        assert_eq!(Predictor::size(&bad), Err(Error::OutOfRange), "{bad:?}");
    }
    let mut memory = memory(&good);
    let size = memory.len() * 8;
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
    let before = bytes.to_vec();
    for (bad, error) in [
        (PredictorOptions { slot_seconds: 0, ..options() }, Error::OutOfRange),
        (PredictorOptions { slot_seconds: -5, ..options() }, Error::OutOfRange),
        (PredictorOptions { initial_seconds: -1, ..options() }, Error::OutOfRange),
        (PredictorOptions { restart_seconds: 0, ..options() }, Error::OutOfRange),
        (PredictorOptions { most_rounds: 0, ..options() }, Error::OutOfRange),
        (PredictorOptions { floor: -1e-9, ..options() }, Error::OutOfRange),
        (PredictorOptions { floor: 1.0, ..options() }, Error::OutOfRange),
        (PredictorOptions { floor: f64::NAN, ..options() }, Error::NotANumber),
        (PredictorOptions { initial: Initial::KMeans, ..options() }, Error::OutOfRange), // three states
        (PredictorOptions { termination: Termination::Rounds(0), ..options() }, Error::OutOfRange),
        (PredictorOptions { termination: Termination::L1(-1.0), ..options() }, Error::OutOfRange),
        (PredictorOptions { termination: Termination::L1(f64::NAN), ..options() }, Error::NotANumber),
        (PredictorOptions { termination: Termination::LInfinity(f64::NAN), ..options() }, Error::NotANumber),
    ] {
        assert_eq!(Predictor::init(bytes, &good, &bins(), &bad).err(), Some(error), "{bad:?}");
    }
    let other = RuntimeBins::new(10.0, 10.0, 5).unwrap();
    assert_eq!(Predictor::init(bytes, &good, &other, &options()).err(), Some(Error::OutOfRange));
    let short = Predictor::init(&mut bytes[..size - 1], &good, &bins(), &options());
    assert_eq!(short.err(), Some(Error::TooSmall));
    assert_eq!(Predictor::attach(&mut bytes[..size - 1]).err(), Some(Error::TooSmall));
    assert_eq!(bytes, before);
}

#[test]
fn goes_on_from_a_checkpoint_bit_for_bit() {
    let mut memory = memory(&capacity());
    let mut workload = Workload::new();
    let (mut spoken, mut in_training) = (0, 0);
    for step in 0..1500 {
        if step % 7 == 0 {
            // Write, kill, read back at another address; then both go the same way.
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
            Predictor::seal(bytes).unwrap();
            let mut copy = vec![0u64; memory.len() + 1];
            copy[1..].copy_from_slice(&memory);
            let mut copy: Vec<u64> = copy[1..].to_vec();
            let mut restored = Predictor::open(bytemuck::cast_slice_mut(&mut copy)).unwrap();
            in_training += u32::from(restored.wants_training());
            let (random, now, next, jobs) =
                (workload.random, workload.now, workload.next, workload.jobs.clone());
            let mut other = Workload { random, now, next, jobs };
            let mut ahead = Workload { random, now, next, jobs: other.jobs.clone() };
            let mut original = memory.clone();
            let mut original = attach(&mut original);
            for _ in 0..60 {
                assert_eq!(other.step(&mut restored), ahead.step(&mut original));
            }
        }
        spoken += workload.step(&mut attach(&mut memory)).len();
    }
    assert!(spoken > 1000 && in_training > 3, "{spoken} {in_training}");
}

#[test]
fn a_damaged_or_foreign_checkpoint_is_refused() {
    let mut memory = memory(&capacity());
    let mut workload = Workload::new();
    for _ in 0..400 {
        workload.step(&mut attach(&mut memory));
    }
    let sealed = |memory: &mut Vec<u64>| Predictor::open(bytemuck::cast_slice_mut(memory)).err();
    assert_eq!(sealed(&mut memory.clone()), Some(Error::Corrupt), "not sealed yet");
    Predictor::seal(bytemuck::cast_slice_mut(&mut memory)).unwrap();
    assert_eq!(sealed(&mut memory), None);
    let size = memory.len() * 8;
    for byte in 0..size {
        for change in [1u8, 0x80] {
            bytemuck::cast_slice_mut::<u64, u8>(&mut memory)[byte] ^= change;
            assert!(sealed(&mut memory).is_some(), "byte {byte}");
            bytemuck::cast_slice_mut::<u64, u8>(&mut memory)[byte] ^= change;
        }
    }
    let with = |memory: &Vec<u64>, word: usize, change: &dyn Fn(u64) -> u64| {
        let mut copy = memory.clone();
        copy[word] = change(copy[word]);
        sealed(&mut copy)
    };
    assert_eq!(with(&memory, 0, &u64::swap_bytes), Some(Error::ForeignByteOrder));
    assert_eq!(with(&memory, 0, &|_| 0), Some(Error::WrongObject));
    assert_eq!(with(&memory, 1, &|w| w ^ 1), Some(Error::WrongObject)); // kind
    assert_eq!(with(&memory, 1, &|w| w ^ 1 << 33), Some(Error::WrongVersion));
    assert_eq!(with(&memory, 2, &|w| w + 8), Some(Error::Corrupt)); // size
    assert_eq!(with(&memory, 3, &|w| !w), Some(Error::Corrupt)); // seal
    // An event after sealing breaks the seal.
    attach(&mut memory).set_clock(workload.now + 1).unwrap();
    assert_eq!(sealed(&mut memory), Some(Error::Corrupt));
}

#[test]
fn a_damaged_block_in_use_never_panics_or_hangs() {
    let mut memory = memory(&capacity());
    let mut workload = Workload::new();
    for _ in 0..300 {
        workload.step(&mut attach(&mut memory));
    }
    let mut answers = 0u32;
    for word in 0..memory.len() {
        for value in [0, 1, u64::MAX, 0x7fff_ffff_0000_0005, 0x0000_0003_ffff_fffe] {
            let mut copy = memory.clone();
            copy[word] = value;
            let Ok(mut predictor) = Predictor::attach(bytemuck::cast_slice_mut(&mut copy)) else { continue };
            // Any status is right; a panic or an endless loop is not.
            let now = workload.now + 61;
            let calls = [
                predictor.submit(-5, &[], now).is_ok(),
                predictor.start(-5, now).is_ok(),
                predictor.predict(&[], now + 100).is_ok(),
                predictor.end(-5, now + 100).is_ok(),
                predictor.train(300).is_ok(),
                predictor.cancel(-6, now + 100).is_ok(),
            ];
            answers += calls.into_iter().map(u32::from).sum::<u32>();
        }
    }
    assert!(answers > 1000);
}

#[test]
fn a_full_history_lets_its_oldest_slots_go() {
    let mut memory = memory_of_thesis(&PredictorCapacity {
        hmm: HmmCapacity { slots: 16, ..capacity().hmm },
        ..capacity()
    });
    let mut predictor = attach(&mut memory);
    // A job that stays while 16 slots pass is forgotten with its slot.
    predictor.submit(1, &[], 0).unwrap();
    predictor.start(1, 0).unwrap();
    for minute in 0..60 {
        predictor.submit(2, &[], minute * 60 + 5).unwrap();
        predictor.start(2, minute * 60 + 10).unwrap();
        predictor.end(2, minute * 60 + 40).unwrap();
        let held = predictor.hmm().unwrap().slots();
        assert!(
            held.end == minute + 1
                && held.end - held.start <= 16
                && held.end - held.start >= 14.min(minute + 1)
        );
        assert_eq!(predictor.hmm().unwrap().jobs(held.clone()), (held.end - held.start) as u64);
        while predictor.wants_training() {
            predictor.train(u64::MAX).unwrap();
        }
    }
    assert_eq!(predictor.late_jobs(), 0);
    predictor.end(1, 3600).unwrap();
    assert_eq!((predictor.late_jobs(), predictor.jobs()), (1, 0));
    while predictor.wants_training() {
        predictor.train(u64::MAX).unwrap();
    }
    let found = predictor.predict(&[], 3600).unwrap().unwrap();
    // All jobs it knows ran for 30 s; the other bins share a hundredth.
    let safe = [0.01 / 3.0, 0.99, 0.01 / 3.0, 0.01 / 3.0];
    assert!(found.binned().unwrap().1.iter().zip(safe).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    // Ten years of nothing: one slot is left.
    predictor.submit(3, &[], 3600 + 10 * 365 * 86_400).unwrap();
    let held = predictor.hmm().unwrap().slots();
    assert_eq!(held.end - held.start, 1);
    assert_eq!(predictor.hmm().unwrap().jobs(held), 0);
}

#[test]
fn long_runs_with_a_tiny_history_stay_consistent() {
    for (slots, cells) in [(2, 4), (5, 4), (16, 6), (16, 100)] {
        let hmm = HmmCapacity { slots, cells, ..capacity().hmm };
        let mut memory = memory(&PredictorCapacity { hmm, ..capacity() });
        let mut workload = Workload::new();
        let mut spoken = 0;
        for _ in 0..6000 {
            spoken += workload.step(&mut attach(&mut memory)).len();
            let predictor = attach(&mut memory);
            let held = predictor.hmm().unwrap().slots();
            assert!(held.end - held.start <= i64::from(slots));
        }
        assert!(slots < 16 || spoken > 0, "{slots} {cells}: {spoken}");
    }
}

#[test]
fn a_model_given_beforehand_speaks_at_once() {
    let mut memory = memory_of_thesis(&capacity());
    let mut predictor = attach(&mut memory);
    let third = [1.0 / 3.0; 9];
    predictor
        .set_model(&Parameters {
            load: surefill::hmm::LoadModel::None,
            start: &[1.0, 0.0, 0.0],
            transition: &third,
            emission: &[0.7, 0.3, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.25, 0.75],
            load_parameter: &[],
        })
        .unwrap();
    assert!(!predictor.wants_training());
    predictor.submit(1, &[], 0).unwrap();
    let first = predictor.predict(&[], 0).unwrap().unwrap();
    // Bins that no job can be in share a hundredth.
    assert_eq!(first.binned().unwrap().1, [0.7 * 0.99, 0.3 * 0.99, 0.005, 0.005]);
    // The next slot is in any state with the same probability; a job running for more than 100 s rules out the first.
    predictor.submit(2, &[], 60).unwrap();
    predictor.start(2, 60).unwrap();
    let mut found = [0.0; 4];
    predictor.start(1, 60).unwrap();
    assert!(predictor.probabilities(&[], 60, &mut found).unwrap().is_none());
    let expected = [0.7 / 3.0, 0.8 / 3.0, 0.75 / 3.0, 0.75 / 3.0];
    assert!(found.iter().zip(expected).all(|(a, b): (&f64, f64)| (a - b).abs() < 1e-15), "{found:?}");
    predictor.end(1, 65).unwrap();
    assert!(predictor.probabilities(&[], 119, &mut found).unwrap().is_none());
    // Job 1 ran 5 s: state 0, as before. Job 2 has run 59 s: at least bin 1, factors 0.3, 1, 1.
    let p = [0.3 / 2.3, 1.0 / 2.3, 1.0 / 2.3];
    let expected = [0.7 * p[0], 0.3 * p[0] + 0.5 * p[1], 0.5 * p[1] + 0.25 * p[2], 0.75 * p[2]];
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?} {expected:?}");
}

/// The predictor that learns on line, with a history of 16 slots.
fn online_limits() -> PredictorCapacity {
    PredictorCapacity {
        hmm: HmmCapacity { slots: 16, ..capacity().hmm },
        kind: PredictorKind::HmmOnline,
        ..capacity()
    }
}

#[test]
fn learnt_on_line_it_knows_what_the_online_model_knows() {
    for work in [1, 3, u64::MAX] {
        let mut block = memory_of_thesis(&online_limits());
        // Static-IV of three states and four bins: a bin, a bin, two bins.
        let fifth = 0.2;
        let emission = [2.0, 1.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0].map(|x| x * fifth);
        let sixth = 1.0 / 6.0;
        let emission = [&emission[..], &[1.0, 1.0, 2.0, 2.0].map(|x| x * sixth)].concat();
        let third = [1.0 / 3.0; 9];
        let given = Parameters {
            load: LoadModel::None,
            start: &third[..3],
            transition: &third,
            emission: &emission,
            load_parameter: &[],
        };
        let mut memory = vec![0u64; OnlineHmm::size(3, 4).unwrap() / 8];
        let PredictorOptions { exponent, hold, .. } = options();
        let learning = OnlineOptions { exponent, hold, floor: 0.0 };
        let mut online = OnlineHmm::init(bytemuck::cast_slice_mut(&mut memory), &given, &learning).unwrap();
        let mut spoken = 0;
        for minute in 0..400i64 {
            // Every minute two jobs, which end in it; long and short ones by half-hours, and after an hour of a new
            // kind.
            let now = minute * 60;
            let runs = if minute / 30 % 2 == 0 { [3, 20] } else { [20, 30] };
            let runs = if minute > 250 && minute % 7 == 0 { [3, 2] } else { runs };
            let mut predictor = attach(&mut block);
            if minute > 0 {
                predictor.submit(-1, &[], now).unwrap();
                predictor.cancel(-1, now).unwrap();
                while predictor.wants_training() {
                    predictor.train(work).unwrap();
                }
                let mut found = [7.0; 4];
                let mut expected = [0.0; 4];
                online.probabilities(&mut expected).unwrap();
                if predictor.probabilities(&[], now, &mut found).unwrap().is_none() {
                    assert!(now >= 600);
                    let epsilon = (1.0 / (2.0 * minute as f64 + 1.0)).min(0.01);
                    let empty = expected.iter().filter(|p| **p < 1e-9).count() as f64;
                    let safe = expected.map(|p| match p {
                        _ if empty == 0.0 => p,
                        p if p < 1e-9 => epsilon / empty,
                        p => p * (1.0 - epsilon),
                    });
                    assert!(found.iter().zip(safe).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {safe:?}");
                    spoken += 1;
                }
            }
            let mut counts = [0; 4];
            for (id, run) in [(1, runs[0]), (2, runs[1])] {
                predictor.submit(id, &[], now + 1).unwrap();
                predictor.start(id, now + 1).unwrap();
                counts[bins().bin_of(run as f64)] += 1;
            }
            let mut ends = [(runs[0], 1), (runs[1], 2)];
            ends.sort_unstable();
            for (run, id) in ends {
                predictor.end(id, now + 1 + run).unwrap();
            }
            online.learn(&counts).unwrap();
        }
        assert!(spoken > 380, "{spoken}");
    }
}

#[test]
fn learnt_on_line_it_goes_on_from_a_checkpoint_and_with_a_tiny_history() {
    let mut memory = memory(&online_limits());
    let mut workload = Workload::new();
    let mut spoken = 0;
    for step in 0..3000 {
        if step % 50 == 0 {
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
            Predictor::seal(bytes).unwrap();
            let mut copy = memory.clone();
            let mut restored = Predictor::open(bytemuck::cast_slice_mut(&mut copy)).unwrap();
            let (random, now, next) = (workload.random, workload.now, workload.next);
            let mut other = Workload { random, now, next, jobs: workload.jobs.clone() };
            let mut ahead = Workload { random, now, next, jobs: workload.jobs.clone() };
            let mut original = memory.clone();
            let mut original = attach(&mut original);
            for _ in 0..60 {
                assert_eq!(other.step(&mut restored), ahead.step(&mut original));
            }
        }
        spoken += workload.step(&mut attach(&mut memory)).len();
    }
    assert!(spoken > 1000, "{spoken}");
}
