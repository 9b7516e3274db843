//! The on-line gain (Nissimov 2006, chapter 4) on workloads made for it.

use surefill::hmm::Termination;
use surefill_papers::generate::hmm::sample::Binning;
use surefill_papers::generate::hmm::train::Stop;
use surefill_papers::studies::hmm::online::{Gain, Learn, Options, online};
use surefill_simulator::base::random::Random;
use surefill_simulator::trace::workload::Job;

const HOUR: i64 = 3600;
const WEEK: i64 = 7 * 24 * HOUR;

/// Two jobs every quarter of an hour for `weeks` weeks; when the workload is in its second mood they run for the second
/// run time. The mood changes after a number of hours, on average.
/// The run times have to be far enough from each other to fall into different states of Static-IV.
fn moods(weeks: i64, run_times: [i64; 2], hours: f64) -> Vec<Job> {
    let mut random = Random::new(9);
    let mut mood = 0;
    let mut jobs = Vec::new();
    for quarter in 0..weeks * WEEK / 900 {
        if random.chance(0.25 / hours) {
            mood = 1 - mood;
        }
        for second in [100, 700] {
            let (submit, id) = (quarter * 900 + second, jobs.len());
            jobs.push(Job {
                id,
                submit,
                wait: 0,
                run_time: run_times[mood],
                processors: 1,
                ..Job::default()
            });
        }
    }
    jobs
}

fn of(jobs: &[Job], states: u32) -> surefill_papers::studies::hmm::online::Online {
    // Trained once a week to the end; L1 with 200 would leave models of so few states to what the first week was like.
    let stop = Stop(Termination::Rounds(50));
    online(jobs, &Options { states, stop, ..Options::default() }, &|_| ()).unwrap()
}

#[test]
fn moods_that_last_are_inferred_when_the_first_job_has_ended() {
    // Jobs end within minutes, so the next one knows the mood: only those after a change, one in 24, are surprising.
    let found = of(&moods(12, [2, 200], 6.0), 2);
    let overall = &found.overall;
    assert_eq!(overall.jobs, 12 * 7 * 96 * 2);
    // The base is about a bit a job. A change once in 24 quarters of an hour costs log2 24 + a little, any other 0.06.
    let base = overall.base_per_predicted().unwrap();
    assert!((0.9..1.1).contains(&base), "{base}");
    let entropy = |p: f64| -p * p.log2() - (1.0 - p) * (1.0 - p).log2();
    // The second job of a quarter comes after the first one has ended, 580 s and 400 s later.
    let expected = base - entropy(1.0 / 24.0) / 2.0;
    let gain = overall.per_predicted().unwrap();
    assert!((gain - expected).abs() < 0.05, "{gain}, {expected}");
    // Silence before the first week is over, then none.
    assert_eq!((overall.silent() * 12.0).round(), 1.0);
    assert_eq!(overall.untrained, overall.jobs - overall.predicted);
    assert_eq!(found.weeks[0].gain.predicted, 0);
    assert!(found.trainings > 0 && found.rounds >= found.trainings);
}

#[test]
fn what_is_not_known_at_submission_does_not_count() {
    // The same moods, but every job waits for a month: nothing of the last month is known.
    let mut jobs = moods(12, [2, 200], 6.0);
    for job in &mut jobs {
        job.wait = 4 * WEEK;
    }
    let found = of(&jobs, 2);
    assert!(found.overall.untrained >= found.overall.jobs / 12 * 4);
    assert!(found.overall.per_predicted().unwrap().abs() < 0.03, "{:?}", found.overall);
}

#[test]
fn one_state_and_one_bin_gain_next_to_nothing() {
    let found = of(&moods(6, [2, 200], 6.0), 1);
    assert!(found.overall.per_predicted().unwrap().abs() < 0.05, "{:?}", found.overall);
    let found = of(&moods(6, [20, 20], 6.0), 4);
    assert!(found.overall.predicted > 0);
    assert!(found.overall.bits == 0.0 && found.overall.base_bits < 5.0, "{:?}", found.overall);
}

#[test]
fn weeks_add_up() {
    let mut jobs = moods(6, [20, 20_000], 3.0);
    // A week without jobs, unknown waits, jobs that take no time.
    jobs.retain(|job| job.submit / WEEK != 3);
    for job in jobs.iter_mut().step_by(10) {
        job.wait = -1;
    }
    for job in jobs.iter_mut().step_by(7) {
        job.run_time = 0;
    }
    let found = of(&jobs, 4);
    let mut sum = Gain::default();
    for week in &found.weeks {
        sum.jobs += week.gain.jobs;
        sum.predicted += week.gain.predicted;
        sum.untrained += week.gain.untrained;
        sum.impossible += week.gain.impossible;
        sum.bits += week.gain.bits;
        sum.base_bits += week.gain.base_bits;
    }
    assert!(
        (sum.bits - found.overall.bits).abs() < 1e-6
            && (sum.base_bits - found.overall.base_bits).abs() < 1e-6
    );
    let counts = |gain: &Gain| (gain.jobs, gain.predicted, gain.untrained, gain.impossible);
    assert_eq!(counts(&sum), counts(&found.overall));
    assert_eq!(found.overall.jobs, jobs.len() as u64);
    assert_eq!(found.weeks.iter().map(|week| week.week).collect::<Vec<_>>(), [0, 1, 2, 4, 5]);
    assert_eq!(found.unknown_waits, jobs.len().div_ceil(10) as u64);
    assert!(found.overall.bits.is_finite());
}

#[test]
fn few_jobs_are_never_predicted() {
    let one = [Job { submit: 5, run_time: 10, ..Job::default() }];
    for jobs in [&one[..], &moods(1, [2, 200], 6.0)[..50]] {
        let found = of(jobs, 16);
        assert_eq!((found.overall.predicted, found.overall.per_predicted()), (0, None));
        assert_eq!(found.overall.per_job(), Some(0.0));
    }
    // The predictor speaks after one job of the first week.
    let job = |submit, run_time| Job { submit, run_time, ..Job::default() };
    let found = of(&[job(0, 8 * 24 * HOUR), job(9 * 24 * HOUR, 1)], 2);
    assert_eq!((found.overall.predicted, found.overall.impossible), (1, 1));
    assert!(found.overall.bits.is_finite() && found.overall.base_bits.is_finite());
    assert!(online(&[], &Options::default(), &|_| ()).is_err());
    let binning = Binning { slot_s: 1, ..Binning::default() };
    let far = [one[0].clone(), Job { submit: 1 << 39, ..one[0].clone() }];
    assert!(online(&far, &Options { binning, ..Options::default() }, &|_| ()).is_err());
}

#[test]
fn learnt_on_line_moods_are_inferred_as_well_and_in_less_memory() {
    // Short moods: if the first 100 slots, which are seen before learning begins, had one mood only, all states would
    // become that one.
    let jobs = moods(12, [2, 200], 1.5);
    let batch = of(&jobs, 2);
    let options = Options { states: 2, learn: Learn::Online(0.75), ..Options::default() };
    let found = online(&jobs, &options, &|_| ()).unwrap();
    let gains = [&found, &batch].map(|found| found.overall.per_predicted().unwrap());
    assert!((gains[0] - gains[1]).abs() < 0.1, "{gains:?}");
    assert_eq!(found.overall.predicted, batch.overall.predicted);
    // All slots, but perhaps the last job's, which may end in it.
    assert!((12 * 7 * 96 - 1..=12 * 7 * 96).contains(&found.rounds), "{}", found.rounds);
    assert!(found.memory * 10 < batch.memory, "{} {}", found.memory, batch.memory);
}

#[test]
fn a_floor_ends_the_silence_behind_a_job_that_waits() {
    let mut jobs = moods(8, [2, 200], 6.0);
    // From the third week on, for three weeks, a job waits; in the fourth one runs for a time that no other has.
    let at = |week: f64| (week * 7.0 * 96.0 * 2.0) as usize;
    jobs[at(2.0)].wait = 3 * WEEK;
    jobs[at(3.0)].run_time = 20_000;
    let with = |floor| online(&jobs, &Options { states: 2, floor, ..Options::default() }, &|_| ()).unwrap();
    let (silent, spoken) = (with(0.0), with(1e-3));
    assert!((1.9..2.1).contains(&(silent.overall.silent() * 8.0 - 1.0)), "{:?}", silent.overall);
    assert_eq!(spoken.overall.jobs - spoken.overall.predicted, spoken.overall.untrained);
    assert_eq!((spoken.overall.silent() * 8.0).round(), 1.0);
    assert!(spoken.overall.bits > silent.overall.bits);
}
