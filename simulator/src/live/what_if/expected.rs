//! The run times that a preset would have expected of the jobs of a record, each as of its submission.
//!
//! The preset's predictor lives through the record: it sees submissions, starts and ends at their recorded times, and
//! nothing earlier. A job is expected to run for the quantile of its predicted run time at which the scheduler engine
//! expects running jobs to end (its setting `running`, .85); what is predicted beyond the limit ends there.

use crate::replay::policy::ProbOptions;
use crate::replay::predict::distribution::Single;
use crate::replay::predict::{DistributionPredictor, PredictorName};
use crate::trace::workload::Job;
use surefill::engine::Settings;

/// The kinds of events, in the order of those of one second. A job that runs for no time ends after its start.
const END: u8 = 0;
const SUBMISSION: u8 = 1;
const START: u8 = 2;
const INSTANT_END: u8 = 3;

/// Expected run times in seconds, in order of the jobs, which is that of submission.
pub fn expected(jobs: &[Job], by: PredictorName) -> Vec<i64> {
    let mut lengths: Vec<i64> = jobs.iter().map(|job| job.limit).collect();
    let Some(mut predictor) = predictor(by).filter(|_| jobs.iter().any(|job| job.wait >= 0)) else {
        return lengths;
    };
    let mut events: Vec<(i64, u8, usize)> = Vec::with_capacity(3 * jobs.len());
    for (place, job) in jobs.iter().enumerate() {
        events.push((job.submit, SUBMISSION, place));
        if job.wait >= 0 {
            let start = job.submit + job.wait;
            let end = if job.run_time > 0 { END } else { INSTANT_END };
            events.extend([(start, START, place), (start + job.run_time.max(0), end, place)]);
        }
    }
    events.sort_unstable();
    for (now, kind, place) in events {
        let Some((job, length)) = jobs.get(place).zip(lengths.get_mut(place)) else { continue };
        match kind {
            SUBMISSION => {
                predictor.submitted(job, now);
                let predicted = predictor.predict(job, now);
                *length = predicted.quantile(Settings::DEFAULT.running, 0, job.limit).unwrap_or(job.limit);
            }
            START => predictor.started(job, now),
            _ => predictor.finished(job, now),
        }
    }
    lengths
}

fn predictor(by: PredictorName) -> Option<Box<dyn DistributionPredictor>> {
    let options = ProbOptions::default();
    let distribution = by.distribution(&options.bins().ok()?, options.hmm_floor);
    distribution.or_else(|| Some(Box::new(Single::new(by.point()?))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One job a thousand seconds, of one user; the runs alternate.
    fn jobs(count: usize) -> Vec<Job> {
        let job = |id: usize| Job {
            id,
            submit: 1000 * id as i64,
            wait: 10,
            run_time: [20, 60][id % 2],
            limit: 3600,
            processors: 1,
            user: 1,
            ..Job::default()
        };
        (0..count).map(job).collect()
    }

    #[test]
    fn only_what_has_ended_is_known() {
        let mut made = jobs(200);
        // Nothing is known of the first job, and at the end the longer runs are within the quantile.
        let lengths = expected(&made, PredictorName::Contexts);
        assert_eq!(lengths[0], 3600);
        assert!((60..120).contains(&lengths[199]), "{}", lengths[199]);
        // A job that is still running teaches nothing, and later ones change nothing.
        made[150].run_time = 3_000_000;
        let later = expected(&made, PredictorName::Contexts);
        assert_eq!(later[..=150], lengths[..=150]);
        let mut less = jobs(100);
        less[99].run_time = 0;
        less[98].wait = -1;
        assert_eq!(expected(&less, PredictorName::Contexts)[..99], lengths[..99]);
    }

    #[test]
    fn predictors_of_single_values_and_limits() {
        let made = jobs(20);
        assert_eq!(expected(&made, PredictorName::Limit), vec![3600; 20]);
        let known: Vec<i64> = made.iter().map(|job| job.run_time).collect();
        assert_eq!(expected(&made, PredictorName::Clairvoyant), known);
        // The mean of the user's last two.
        assert_eq!(expected(&made, PredictorName::Mean2)[5..], [40; 15]);
        let unknown = [Job { wait: -1, limit: 77, ..Job::default() }];
        assert_eq!(expected(&unknown, PredictorName::Contexts), [77]);
    }
}
