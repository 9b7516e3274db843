//! Mean run time plus 1.5 standard deviations (Mu'alem & Feitelson 2001).
//!
//! "Utilization, predictability, workloads, and user runtime estimates in scheduling the IBM SP2 with backfilling": the
//! margin is there because a prediction that is too short costs more than one that is too long.

use super::classes::{Classes, Template};
use super::{PointPredictor, within_limit};
use crate::trace::workload::Job;

const SIGMAS: f64 = 1.5;

/// Number of jobs of the smallest class that is used: two are the fewest with a standard deviation.
const ENOUGH: f64 = 2.0;

/// The mean plus 1.5 standard deviations of the jobs of the same user, executable and number of processors, at most the
/// estimate; backing off to the user and executable, to the user, and to the estimate.
#[derive(Debug)]
pub struct MeanPlusSigma {
    classes: Classes,
}

impl Default for MeanPlusSigma {
    fn default() -> MeanPlusSigma {
        let user = Template { user: true, ..Template::NONE };
        let executable = Template { executable: true, ..user };
        let processors = Template { processors: true, ..executable };
        MeanPlusSigma { classes: Classes::new(vec![processors, executable, user]) }
    }
}

impl PointPredictor for MeanPlusSigma {
    fn predict(&mut self, job: &Job) -> i64 {
        match self.classes.of(job, ENOUGH).next() {
            Some(moments) => within_limit(job, moments.mean + SIGMAS * moments.deviation()),
            None => job.limit.max(1),
        }
    }

    fn finished(&mut self, job: &Job) {
        self.classes.add(job);
    }
}
