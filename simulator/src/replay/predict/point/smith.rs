//! The mean run time of similar jobs (Smith, Foster & Taylor 1998).
//!
//! "Predicting application run times using historical information": similarity is defined by templates of attributes,
//! and of all classes a job falls into, the one with the most certain mean (smallest confidence interval) predicts. The
//! paper searches the set of templates by a genetic algorithm for each trace; here it is one fixed set of the
//! attributes that its searches found most useful.

use super::classes::{Classes, Template};
use super::{PointPredictor, within_limit};
use crate::base::statistics::Moments;
use crate::trace::workload::Job;

/// Two-sided 90 % quantiles of Student's t for 1 to 10 degrees of freedom; the normal's beyond.
const T90: [f64; 10] = [6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812];
const NORMAL90: f64 = 1.645;

/// Number of jobs of the smallest class that is used. Two equal run times would make the mean seem exact.
const ENOUGH: f64 = 3.0;

/// The mean of the similarity class with the smallest 90 % confidence interval, at most the estimate; the estimate when
/// no class has enough jobs.
#[derive(Debug)]
pub struct Smith {
    classes: Classes,
}

impl Default for Smith {
    fn default() -> Smith {
        let none = Template::NONE;
        let user = Template { user: true, ..none };
        let executable = Template { executable: true, ..user };
        Smith {
            classes: Classes::new(vec![
                Template { processors: true, limit: true, ..executable },
                Template { limit: true, ..executable },
                Template { processors: true, ..executable },
                executable,
                Template { processors: true, limit: true, ..user },
                Template { limit: true, ..user },
                Template { queue: true, ..user },
                user,
                Template { queue: true, limit: true, ..none },
                Template { queue: true, ..none },
            ]),
        }
    }
}

/// Half the width of the 90 % confidence interval of the mean.
fn half_width(moments: &Moments) -> f64 {
    let t = T90.get(moments.count as usize - 2).copied().unwrap_or(NORMAL90);
    t * moments.deviation() / moments.count.sqrt()
}

impl PointPredictor for Smith {
    fn predict(&mut self, job: &Job) -> i64 {
        // The first of equals: the narrowest.
        match self.classes.of(job, ENOUGH).min_by(|a, b| half_width(a).total_cmp(&half_width(b))) {
            Some(moments) => within_limit(job, moments.mean),
            None => job.limit.max(1),
        }
    }

    fn finished(&mut self, job: &Job) {
        self.classes.add(job);
    }
}
