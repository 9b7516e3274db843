//! A site's rules as a replay applies them: by the trace's numbers of queues, QOS, accounts and users, on its clock.

use std::collections::BTreeMap;

/// The rules of a site.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SiteRules {
    /// Weights of `priority/multifactor`; none for `priority/basic`, under which the first to come is the first.
    pub weights: Option<Weights>,
    /// Partitions by the trace's number of their queue.
    pub partitions: BTreeMap<i64, PartitionRules>,
    /// QOS by the trace's numbers.
    pub qos: BTreeMap<i64, QosRules>,
    /// Shares of accounts and users.
    pub shares: Shares,
    /// The rule by which jobs pass others.
    pub backfill: BackfillRules,
    /// Times without some of the nodes, in the order of their beginnings.
    pub outages: Vec<Outage>,
    /// Each node of the machine in the site's list; empty where they follow each other.
    pub places: Vec<NodePlace>,
}

/// A node in the site's list.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct NodePlace {
    /// `Weight`: nodes of lower weight are given out first.
    pub weight: f64,
    /// Its number in the list.
    pub place: u32,
}

/// The weights and times of `priority/multifactor`.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// `PriorityWeightAge`.
    pub age: f64,
    /// `PriorityWeightFairshare`.
    pub fairshare: f64,
    /// `PriorityWeightJobSize`.
    pub size: f64,
    /// `PriorityWeightPartition`.
    pub partition: f64,
    /// `PriorityWeightQOS`.
    pub qos: f64,
    /// `PriorityMaxAge`, in seconds.
    pub max_age_s: f64,
    /// `PriorityDecayHalfLife`, in seconds; 0 for never.
    pub half_life_s: f64,
    /// `PriorityCalcPeriod`, in seconds: priorities are computed anew so often.
    pub period_s: i64,
    /// `PriorityFavorSmall`.
    pub favors_small: bool,
    /// Whether fair share is the rank in the tree of accounts and users; else 2^-(use / share) (`NO_FAIR_TREE`).
    pub fair_tree: bool,
}

impl Default for Weights {
    /// Slurm's defaults.
    fn default() -> Weights {
        Weights {
            age: 0.0,
            fairshare: 0.0,
            size: 0.0,
            partition: 0.0,
            qos: 0.0,
            max_age_s: 7.0 * 86_400.0,
            half_life_s: 7.0 * 86_400.0,
            period_s: 300,
            favors_small: false,
            fair_tree: true,
        }
    }
}

/// A partition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionRules {
    /// The bit of its nodes among the machine's features.
    pub feature: u64,
    /// `PriorityJobFactor` over the largest of all, 0 to 1.
    pub factor: f64,
    /// `PriorityTier`: jobs of a higher one come first whatever their priorities.
    pub tier: i32,
}

/// A QOS.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QosRules {
    /// Its priority over the largest of all, 0 to 1.
    pub factor: f64,
    /// `MaxJobsPU`: running jobs of a user, at most.
    pub user_jobs: Option<u32>,
    /// `MaxTRESPU=cpu`: processors of a user's running jobs, at most.
    pub user_processors: Option<u64>,
    /// `GrpJobs`: running jobs in all, at most.
    pub jobs: Option<u32>,
    /// `GrpTRES=cpu`: processors of running jobs in all, at most.
    pub processors: Option<u64>,
}

/// Shares; whoever is not listed has one, and an account that is not listed is a child of the root.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shares {
    /// Accounts by the trace's numbers of groups: their shares and their parent, none for the root. Accounts above
    /// those of the trace's jobs have numbers below -1.
    pub accounts: BTreeMap<i64, (f64, Option<i64>)>,
    /// Shares of a user in an account, by the numbers of the account and the user.
    pub users: BTreeMap<(i64, i64), f64>,
}

/// Parameters of `sched/backfill`, by its names.
#[derive(Debug, Clone, PartialEq)]
pub struct BackfillRules {
    /// Whether jobs pass others at all; without it (`sched/builtin`) they start in the order of priority.
    pub passes: bool,
    /// `bf_interval`: seconds between two passes at least.
    pub interval_s: i64,
    /// `bf_window`, in seconds: no job is planned later than this.
    pub window_s: i64,
    /// `bf_resolution`: instants of the plan are rounded to multiples of it, in seconds.
    pub resolution_s: i64,
    /// Seconds after the first end of a running job in which the ends of others count as one; each later span of this
    /// kind is twice as long. 0 for every end by itself.
    pub span_s: i64,
    /// `bf_window_linear`: seconds by which each later span is longer instead; 0 for twice as long.
    pub linear_s: i64,
    /// `bf_max_job_test`: jobs that a pass looks at, at most.
    pub job_test: u32,
    /// `bf_max_job_part`: jobs of a partition that a pass looks at, at most; 0 for any number.
    pub job_part: u32,
    /// `bf_max_job_user`: jobs of a user that a pass looks at, at most; 0 for any number.
    pub job_user: u32,
    /// `bf_max_job_start`: jobs that a pass starts, at most; 0 for any number.
    pub job_start: u32,
    /// `default_queue_depth`: jobs that the main scheduler looks at when something has happened.
    pub queue_depth: u32,
}

impl Default for BackfillRules {
    /// Slurm's defaults.
    fn default() -> BackfillRules {
        BackfillRules {
            passes: true,
            interval_s: 30,
            window_s: 86_400,
            resolution_s: 60,
            span_s: 30,
            linear_s: 0,
            job_test: 500,
            job_part: 0,
            job_user: 0,
            job_start: 0,
            queue_depth: 100,
        }
    }
}

/// A time without some of the nodes: no job starts on them; jobs that run there run on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outage {
    /// Its first second.
    pub from: i64,
    /// The second after its last; none if it does not end.
    pub to: Option<i64>,
    /// From when on schedulers know of it: its announcement, else its first second.
    pub known: i64,
    /// The nodes, by their numbers in the machine.
    pub nodes: Vec<u32>,
}
