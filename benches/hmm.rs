//! Wall time of the hidden Markov model of run times: the forward filter and a round of Baum-Welch, per slot, on a year
//! of slots with about as many jobs as CTC has, for every load model.
//!
//! With SUREFILL_PYTHON, a Python that has hmmlearn 0.3.3, `scripts/bench-hmm.py` times hmmlearn on the same slots in
//! the same run: `SUREFILL_PYTHON=env/bin/python cargo bench --bench hmm`.

#[path = "../tests/common/splitmix.rs"]
mod splitmix;

use splitmix::splitmix;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Instant;
use surefill::hmm::{Evidence, Hmm, HmmCapacity, Initial, LoadModel, Training};
use surefill::predict::{Learning, Predictor, PredictorCapacity, PredictorKind, PredictorOptions};
use surefill::runtime::RuntimeBins;

const SLOTS: i64 = 35_040;
const BINS: u32 = 24;
const STATES: u32 = 16;

/// Jobs (slot, bin) of a workload that changes its kind now and then: splitmix64, so the same everywhere.
fn jobs() -> Vec<(i64, u32)> {
    let mut state = 1u64;
    let mut random = || splitmix(&mut state);
    let (mut jobs, mut kind) = (Vec::new(), 0);
    for slot in 0..SLOTS {
        if random() % 8 == 0 {
            kind = random() % 12;
        }
        // Half the slots are empty, the others have up to 8 jobs: 2.25 on average.
        let count = if random() % 2 == 0 { 0 } else { 1 + random() % 8 };
        jobs.extend((0..count).map(|_| (slot, (kind + random() % 6 + random() % 8) as u32)));
    }
    jobs
}

/// The fastest of five, in microseconds a slot.
fn best(mut work: impl FnMut()) -> f64 {
    let times = (0..5).map(|_| {
        let began = Instant::now();
        work();
        began.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min) * 1e6 / SLOTS as f64
}

/// A year on line: every job submitted and started in its slot and ending after a time in its bin, a prediction at
/// every submission, training whenever it is wanted. Prints the seconds it all took.
fn on_line(jobs: &[(i64, u32)]) {
    let bins = RuntimeBins::default();
    let capacity = PredictorCapacity {
        hmm: HmmCapacity { states: STATES, bins: BINS, slots: SLOTS as u32, cells: 200_000 },
        ..PredictorCapacity::of(PredictorKind::Hmm)
    };
    // (time, order within a second, job): ends before submissions.
    let mut events = Vec::new();
    for (id, (slot, bin)) in jobs.iter().enumerate() {
        let submitted = slot * 900 + (id as i64 * 131) % 900;
        // At most a day and a half, as at most sites.
        let run = (bins.lower(*bin as usize).unwrap() * 1.3).min(130_000.0) as i64;
        events.push((submitted, 1, id as i64));
        events.push((submitted + run.max(1), 0, id as i64));
    }
    events.sort_unstable();
    let mut memory = vec![0u64; Predictor::size(&capacity).unwrap() / 8];
    let memory: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
    let mut predictor =
        Predictor::init(memory, &capacity, &bins, &PredictorOptions::of(PredictorKind::Hmm)).unwrap();
    let (mut spoke, mut trainings, mut rounds, mut training, mut predicting) = (0, 0, 0, 0.0, 0.0);
    let began = Instant::now();
    for (time, kind, id) in events {
        if kind == 0 {
            predictor.end(id, time).unwrap();
            continue;
        }
        let now = Instant::now();
        spoke += u32::from(predictor.predict(&[], time).unwrap().is_ok());
        predicting += now.elapsed().as_secs_f64();
        predictor.submit(id, &[], time).unwrap();
        predictor.start(id, time).unwrap();
        if predictor.wants_training() {
            let now = Instant::now();
            if let Learning::Done(round) = predictor.train(u64::MAX).unwrap() {
                trainings += 1;
                rounds += round.rounds;
            }
            training += now.elapsed().as_secs_f64();
        }
    }
    println!(
        "on line: {:.2} s for {} jobs, {spoke} predicted in {predicting:.2} s, {trainings} trainings of {rounds} rounds \
         in {training:.2} s",
        began.elapsed().as_secs_f64(),
        jobs.len()
    );
}

fn main() {
    let jobs = jobs();
    let capacity = HmmCapacity { states: STATES, bins: BINS, slots: SLOTS as u32, cells: 200_000 };
    println!("{SLOTS} slots, {} jobs, {STATES} states, {BINS} bins; microseconds per slot", jobs.len());
    for load in [LoadModel::None, LoadModel::Poisson, LoadModel::Geometric] {
        let mut memory = vec![0u64; Hmm::size(&capacity).unwrap() / 8];
        let mut hmm = Hmm::init(bytemuck::cast_slice_mut(&mut memory), &capacity).unwrap();
        for (slot, bin) in &jobs {
            hmm.observe(*slot, *bin).unwrap();
        }
        hmm.extend(SLOTS - 1).unwrap();
        hmm.begin_training_from(Initial::Static, load, 0..SLOTS).unwrap();
        let round = best(|| {
            assert!(matches!(hmm.train(u64::MAX).unwrap(), Training::Round(_)));
        });
        let forward = best(|| {
            assert!(hmm.log_likelihood(0..SLOTS, Evidence::Jobs).unwrap().is_finite());
        });
        println!("{:10} forward {forward:.3}, Baum-Welch round {round:.3}", format!("{load:?}"));
    }
    on_line(&jobs);
    let Some(python) = std::env::var_os("SUREFILL_PYTHON") else {
        println!("SUREFILL_PYTHON is not set: hmmlearn is not timed");
        return;
    };
    let mut observations = vec![Vec::new(); SLOTS as usize];
    for (slot, bin) in &jobs {
        observations[*slot as usize].push(*bin);
    }
    for load in ["none", "poisson"] {
        let mut json =
            format!("{{\"states\":{STATES},\"bins\":{BINS},\"load\":\"{load}\",\"observations\":[");
        for (slot, bins) in observations.iter().enumerate() {
            let cells: Vec<String> = bins.iter().map(|bin| format!("[{bin},1]")).collect();
            write!(json, "{}[{}]", if slot == 0 { "" } else { "," }, cells.join(",")).unwrap();
        }
        json += "]}";
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/bench-hmm.py");
        let mut child = Command::new(&python).arg(script).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(json.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    }
}
