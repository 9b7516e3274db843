//! Classes of similar jobs, and the moments of their run times.

use crate::base::statistics::Moments;
use crate::trace::workload::Job;
use std::collections::HashMap;

/// The attributes that make jobs similar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Template {
    pub user: bool,
    pub executable: bool,
    pub queue: bool,
    pub processors: bool,
    pub limit: bool,
}

impl Template {
    /// All jobs are similar.
    pub const NONE: Template =
        Template { user: false, executable: false, queue: false, processors: false, limit: false };

    /// The class of a job under this template. An unknown attribute is a value like any other.
    pub fn class(self, job: &Job) -> Class {
        let take = |wanted: bool, value: i64| wanted.then_some(value);
        Class {
            user: take(self.user, job.user),
            executable: take(self.executable, job.executable),
            queue: take(self.queue, job.queue),
            processors: take(self.processors, i64::from(job.processors)),
            limit: take(self.limit, job.limit),
        }
    }
}

/// The values of a template's attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Class {
    user: Option<i64>,
    executable: Option<i64>,
    queue: Option<i64>,
    processors: Option<i64>,
    limit: Option<i64>,
}

/// The moments of every class of some templates.
#[derive(Debug)]
pub struct Classes {
    templates: Vec<Template>,
    moments: HashMap<Class, Moments>,
}

impl Classes {
    /// Classes without jobs; `templates` from the narrowest to the widest.
    pub fn new(templates: Vec<Template>) -> Classes {
        Classes { templates, moments: HashMap::new() }
    }

    pub fn add(&mut self, job: &Job) {
        for template in &self.templates {
            self.moments.entry(template.class(job)).or_default().add(job.run_time as f64);
        }
    }

    /// The moments of the job's classes that hold at least `enough` jobs, from the narrowest to the widest.
    pub fn of(&self, job: &Job, enough: f64) -> impl Iterator<Item = &Moments> {
        let classes = self.templates.iter().map(|template| template.class(job));
        classes.filter_map(|class| self.moments.get(&class)).filter(move |moments| moments.count >= enough)
    }
}
