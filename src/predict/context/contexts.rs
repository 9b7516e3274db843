//! The contexts: the properties that a job may share with others.
//!
//! Each context has a row of counts for every value it takes, and a wider context that it backs off to. A row counts
//! run times by bin, or by their distance in bins from a reference: the limit's bin, or the bin of the last like job.

use super::places::key;
use super::trail::{Standing, Trail};

/// The number of contexts.
pub const COUNT: usize = 31;

/// The first context of the user, the limit and the number of processors.
pub const USER_LIMIT_PROCESSORS: usize = 13;

/// The first context of the user alone.
pub const USER: usize = 5;

/// Bin that the cells of a row are counted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// Bin 0.
    First,
    /// The limit's bin.
    Limit,
    /// The bin of the last job that ended: the user's, ...
    User,
    /// ... or one with the same limit and processors. The limit's bin while there is none.
    Like,
}

/// One context.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// The wider context, which has a smaller number; `None` for the uniform distribution.
    pub parent: Option<usize>,
    /// The factor by which counts shrink with every job of the context.
    pub decay: f32,
    /// Number of jobs that the wider context counts as, for each bin seen in this one and one more.
    pub prior: f32,
    /// Bin that its cells are counted from.
    pub reference: Reference,
    /// Whether all jobs of a row have one limit's bin: then the row also counts the jobs beyond it.
    pub limited: bool,
    /// Whether it is part of the mixture; else narrower contexts only back off to it.
    pub speaks: bool,
}

const fn context(parent: Option<usize>, decay: f32, prior: f32, limited: bool) -> Context {
    Context { parent, decay, prior, reference: Reference::First, limited, speaks: true }
}

impl Context {
    const fn from(self, reference: Reference) -> Context {
        Context { reference, ..self }
    }

    const fn silent(self) -> Context {
        Context { speaks: false, ..self }
    }
}

/// All contexts, in the order of [`keys`].
pub const CONTEXTS: [Context; COUNT] = {
    use Reference::{Like, Limit, User};
    [
        /* 0 everybody */ context(None, 0.999, 1.0, false),
        /* 1 limit's bin */ context(Some(0), 0.999, 2.0, true),
        /* 2 everybody */ context(None, 0.999, 1.0, true).from(Limit).silent(),
        /* 3 limit */ context(Some(1), 0.99, 2.0, true),
        /* 4 limit, processors */ context(Some(3), 0.99, 2.0, true),
        /* 5 user */ context(Some(0), 0.97, 2.0, false),
        /* 6 user, of late */ context(Some(0), 0.8, 1.0, false),
        /* 7 user */ context(Some(2), 0.97, 2.0, true).from(Limit),
        /* 8 user, limit's bin */ context(Some(5), 0.97, 1.0, true).silent(),
        /* 9 user, processors */ context(Some(5), 0.95, 1.0, false),
        /* 10 user, processors */ context(Some(7), 0.95, 1.0, true).from(Limit),
        /* 11 user, limit */ context(Some(8), 0.97, 1.0, true).silent(),
        /* 12 user, limit, of late */ context(Some(8), 0.7, 0.5, true),
        /* 13 user, limit, processors */ context(Some(11), 0.97, 1.0, true),
        /* 14 the same, of late */ context(Some(11), 0.7, 0.5, true),
        /* 15 user, its last bin */ context(Some(5), 0.98, 1.0, false).silent(),
        /* 16 user, its last two bins */ context(Some(15), 0.98, 1.0, false),
        /* 17 user, limit, their last bin */ context(Some(11), 0.98, 1.0, true),
        /* 18 limit's bin, last like job */ context(Some(1), 0.999, 1.0, true),
        /* 19 user, last like job */ context(Some(5), 0.98, 1.0, false),
        /* 20 user, limit, processors, last like job */ context(Some(13), 0.98, 1.0, true),
        /* 21 limit's bin, user's last two bins */ context(Some(1), 0.999, 2.0, true),
        /* 22 limit's bin, processors */ context(Some(1), 0.99, 2.0, true),
        /* 23 limit's bin, last two bins of user and limit */ context(Some(1), 0.999, 2.0, true),
        /* 24 step of like jobs, place inside the bin */ context(None, 0.999, 2.0, false).from(Like),
        /* 25 step of the user's jobs */ context(None, 0.999, 2.0, false).from(User),
        /* 26 like jobs: time since the last end, step */
        context(Some(24), 0.999, 2.0, false).from(Like),
        /* 27 user: the same, and what has changed */ context(Some(25), 0.999, 2.0, false).from(User),
        /* 28 limit's bin, the user's last submission */ context(Some(1), 0.999, 2.0, true),
        /* 29 user, its last submission, what has changed */ context(Some(5), 0.98, 1.0, false),
        /* 30 user, time since its last end, last bin */ context(Some(5), 0.98, 1.0, false),
    ]
};

/// A job's properties when it is submitted.
pub struct View<'v> {
    /// The user.
    pub user: i64,
    /// The limit in seconds.
    pub limit: i64,
    /// Number of processors.
    pub processors: i64,
    /// The limit's bin.
    pub limit_bin: usize,
    /// Time of the submission.
    pub now: i64,
    /// The user's jobs; those with the same limit; those with the same processors, too.
    pub trails: [&'v Trail; 3],
    /// State of the last submission of each.
    pub standings: [Standing; 3],
    /// Returns the bin of a number of seconds.
    pub bin_of: &'v dyn Fn(i64) -> usize,
}

/// The step from one bin to the next, cut to 4; 9 when one is unknown.
pub fn step(from: i32, to: i32) -> i64 {
    if from < 0 || to < 0 { 9 } else { i64::from(to.saturating_sub(from)).clamp(-4, 4) }
}

impl View<'_> {
    /// Comparison of another job's limit and processors with this job's, as one number; 9 when there is none.
    fn change(&self, other: Option<(i64, i64)>) -> i64 {
        other.map_or(9, |(limit, processors)| {
            limit.cmp(&self.limit) as i64 * 3 + processors.cmp(&self.processors) as i64
        })
    }

    /// The bin of the time since, in thirds of the number of bins; -1 when there is no time.
    fn since(&self, time: Option<i64>) -> i64 {
        time.map_or(-1, |time| (self.bin_of)(self.now.saturating_sub(time)) as i64 / 3)
    }

    /// The bins that the references stand for.
    pub fn reference(&self, reference: Reference) -> usize {
        let [user, _, like] = self.trails;
        let last = match reference {
            Reference::First => return 0,
            Reference::Limit => -1,
            Reference::User => user.last(0),
            Reference::Like => like.last(0),
        };
        usize::try_from(last).unwrap_or(self.limit_bin)
    }

    /// The keys of the job's rows, one a context.
    pub fn keys(&self) -> [u64; COUNT] {
        let View { user: u, limit: l, processors: n, .. } = *self;
        let bin = self.limit_bin as i64;
        let [owner, limited, like] = self.trails;
        let [of_user, _, of_like] = self.standings.map(Standing::number);
        let like_has_ended = self.standings.get(2).is_some_and(|like| matches!(like, Standing::Ended(_)));
        let last = |trail: &Trail, back: usize| i64::from(trail.last(back));
        let ((b1, b2), (k1, k2)) = ((last(owner, 0), last(owner, 1)), (last(limited, 0), last(limited, 1)));
        let known = |last: i64| i64::from(last >= 0);
        let user_step = step(owner.last(1), owner.last(0));
        let like_step = step(like.last(1), like.last(0));
        let ended = |trail: &Trail| self.since(trail.ended());
        let changed = self.change(owner.submitted_job());
        [
            key(&[0]),
            key(&[1, bin]),
            key(&[2]),
            key(&[3, l]),
            key(&[4, l, n]),
            key(&[5, u]),
            key(&[6, u]),
            key(&[7, u]),
            key(&[8, u, bin]),
            key(&[9, u, n]),
            key(&[10, u, n]),
            key(&[11, u, l]),
            key(&[12, u, l]),
            key(&[13, u, l, n]),
            key(&[14, u, l, n]),
            key(&[15, u, b1]),
            key(&[16, u, b1, b2]),
            key(&[17, u, l, k1]),
            key(&[18, bin, of_like]),
            key(&[19, u, of_like]),
            key(&[20, u, l, n, of_like]),
            key(&[21, bin, b1, b2]),
            key(&[22, bin, n]),
            key(&[23, bin, k1, k2]),
            key(&[24, like_step, like.place(), known(last(like, 0))]),
            key(&[25, user_step, known(b1), i64::from(like_has_ended)]),
            key(&[26, ended(like), like_step]),
            key(&[27, self.change(owner.ended_job()), ended(owner)]),
            key(&[28, bin, of_user, changed]),
            key(&[29, u, of_user, changed]),
            key(&[30, u, ended(owner), b1]),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_context_is_wider_than_those_that_back_off_to_it() {
        for (number, context) in CONTEXTS.iter().enumerate() {
            let Some(parent) = context.parent else { continue };
            assert!(parent < number);
            // A row whose jobs have one limit may stand on one whose jobs have several, not the other way round.
            assert!(context.limited || !CONTEXTS[parent].limited);
            assert_eq!(
                CONTEXTS[parent].reference == Reference::First,
                context.reference == Reference::First,
                "{number}"
            );
        }
    }
}
