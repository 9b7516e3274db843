//! Sentences on a site and a history: the parts of the site that are not replayed, and the columns that are missing.

use super::scontrol::Record;
use super::{Site, lists, number, text};
use crate::base::words::several;
use crate::trace::record::Trace;
use std::collections::{BTreeMap, BTreeSet};

/// Words of SchedulerParameters of sched/backfill that are replayed, or whose effect is on computing time alone.
const REPLAYED: [&str; 15] = [
    "bf_interval",
    "bf_window",
    "bf_resolution",
    "bf_window_linear",
    "bf_max_job_test",
    "bf_max_job_part",
    "bf_max_job_user",
    "bf_max_job_start",
    "bf_continue",
    "bf_max_time",
    "bf_yield_interval",
    "bf_yield_sleep",
    "bf_yield_rpc_cnt",
    "bf_node_space_size",
    "bf_optional_nodes",
];

/// Limits of a QOS that are replayed, and those of jobs that have been submitted, which the history obeys itself.
const LIMITS: [&str; 12] = [
    "maxjobspu",
    "maxjobsperuser",
    "maxtrespu",
    "maxtresperuser",
    "grpjobs",
    "grptres",
    "maxsubmitpu",
    "maxsubmitjobspu",
    "maxsubmitjobsperuser",
    "maxwall",
    "maxwalldurationperjob",
    "grpsubmit",
];

impl Site {
    /// The sentences.
    pub fn remarks(&self, trace: &Trace) -> Vec<String> {
        let all = [self.unknown(trace), self.columns(trace), self.settings()];
        all.into_iter().flatten().collect()
    }

    /// The number of jobs in partitions that the site does not have, and some of their names.
    fn elsewhere(&self, trace: &Trace) -> (usize, String) {
        let queues = self.queues(trace);
        let known = |name: &String| self.partition(name).is_some();
        let unknown: BTreeMap<i64, &String> =
            queues.iter().filter(|(_, name)| !known(name)).map(|(number, name)| (*number, name)).collect();
        let jobs = trace.records.iter().filter(|record| unknown.contains_key(&record.queue)).count();
        let names: Vec<&str> = unknown.values().map(|name| name.as_str()).take(8).collect();
        (jobs, names.join(", "))
    }

    /// A sentence where more than a tenth of the jobs are in partitions that the site does not have: no answer should
    /// rest on the others.
    pub fn losses(&self, trace: &Trace) -> Option<String> {
        let ((jobs, names), all) = (self.elsewhere(trace), trace.records.len());
        (jobs * 10 > all).then(|| {
            format!(
                "{jobs} of {} are in partitions that the site does not have ({names}), more than a tenth",
                several(all as u64, "job")
            )
        })
    }

    /// Partitions of jobs that the site does not have, and reservations that are not replayed.
    fn unknown(&self, trace: &Trace) -> Vec<String> {
        let mut remarks = Vec::new();
        let (jobs, names) = self.elsewhere(trace);
        if jobs > 0 {
            remarks.push(format!(
                "{jobs} of {} left out, in partitions that the site does not have ({names})",
                several(trace.records.len() as u64, "job"),
            ));
        }
        let others = self.records.reservations.iter().filter(|record| !lists::is_maintenance(record)).count();
        if others > 0 {
            remarks.push(format!(
                "{} of the site {} not for maintenance (Flags=MAINT), and not in the replay: jobs of such ones wait as others do",
                several(others as u64, "reservation"),
                if others == 1 { "is" } else { "are" }
            ));
        }
        let since_1970 = |record: &Record| {
            let time = text(record, "starttime");
            lists::is_maintenance(record) && !time.is_empty() && time.chars().all(|c| c.is_ascii_digit())
        };
        if self.clock.zone.is_none() && self.records.reservations.iter().any(since_1970) {
            remarks.push(
                "reservations of the site in JSON have times since 1970, and dates of the history without a zone count as UTC: --zone \
                 names the history's"
                    .to_owned(),
            );
        }
        remarks
    }

    /// Columns that the history lacks.
    fn columns(&self, trace: &Trace) -> Vec<String> {
        let mut remarks = Vec::new();
        if !self.is_of_processors && !trace.asked.iter().any(|asked| asked.nodes > 0) {
            remarks.push(
                "the history does not say on how many nodes jobs ran (sacct -o ...,NNodes,ReqTRES,AllocTRES): processors anywhere \
                 in their partition do for them"
                    .to_owned(),
            );
        }
        let weights = self.weights().unwrap_or_default();
        let no_users = trace.records.iter().all(|job| job.user < 0);
        let no_accounts = trace.records.iter().all(|job| job.group < 0);
        let no_qos = trace.asked.iter().all(|asked| asked.qos < 0);
        let limited =
            self.records.qos.iter().any(|record| LIMITS.iter().any(|key| !text(record, key).is_empty()));
        let missing = [
            (weights.fairshare > 0.0 && no_users, "User", "all jobs have one user's fair share"),
            (weights.fairshare > 0.0 && no_accounts, "Account", "all users are of one account"),
            ((weights.qos > 0.0 || limited) && no_qos, "QOS", "no job has the priority or the limits of one"),
        ];
        for (_, column, so) in missing.into_iter().filter(|(is_missing, ..)| *is_missing) {
            remarks.push(format!("the history has no column {column}: {so}"));
        }
        remarks
    }

    /// Settings of the site that are not replayed.
    fn settings(&self) -> Vec<String> {
        let config = &self.records.config;
        if config.is_empty() && !self.is_of_processors {
            let none = "no configuration (scontrol show config): jobs have no priorities but their order of submission";
            return vec![none.to_owned()];
        }
        let mut names: BTreeSet<String> = BTreeSet::new();
        for key in ["PriorityWeightTRES", "PriorityWeightAssoc"] {
            names.extend((!matches!(text(config, &key.to_lowercase()), "" | "0")).then(|| key.to_owned()));
        }
        let value = |key: &str| text(config, key).to_uppercase();
        let odd = |key: &str, usual: &[&str]| {
            !value(&key.to_lowercase()).is_empty() && !usual.contains(&&*value(&key.to_lowercase()))
        };
        for (key, usual) in [("PriorityUsageResetPeriod", &["NONE"][..]), ("PreemptType", &["PREEMPT/NONE"])]
        {
            names.extend(odd(key, usual).then(|| key.to_owned()));
        }
        let flags = value("priorityflags");
        let flags = flags.split(',').map(str::trim);
        let flags = flags.filter(|flag| !flag.is_empty() && !["NO_FAIR_TREE", "FAIR_TREE"].contains(flag));
        names.extend(flags.map(|flag| format!("PriorityFlags={flag}")));
        let words = text(config, "schedulerparameters")
            .split(',')
            .map(|word| word.split('=').next().unwrap_or_default().trim());
        names.extend(
            words.filter(|word| word.starts_with("bf_") && !REPLAYED.contains(word)).map(str::to_owned),
        );
        let of_partition = |record: &&Record| !text(record, "qos").is_empty();
        let partitions = self.records.partitions.iter().filter(of_partition);
        names.extend(partitions.map(|record| format!("QoS of partition {}", text(record, "partitionname"))));
        for record in &self.records.qos {
            names.extend(limits_beyond(record).map(|key| format!("{key} of QOS {}", text(record, "name"))));
        }
        let mut remarks = Vec::new();
        if !names.is_empty() {
            let names: Vec<String> = names.into_iter().collect();
            remarks.push(format!("settings of the site that are not in the replay: {}", names.join(", ")));
        }
        if !self.runs_slurms_rule() {
            let own = text(config, "schedulertype");
            remarks.push(format!("SchedulerType={own} is not replayed: sched/backfill stands for it"));
        }
        let weights = self.weights().unwrap_or_default();
        if weights.fairshare > 0.0 && self.records.associations.is_empty() {
            remarks.push(
                "no associations (sacctmgr -P show assoc tree format=account,user,parentname,share): all users have equal shares"
                    .to_owned(),
            );
        }
        if self.records.qos.is_empty() && !self.is_of_processors {
            remarks.push("no QOS (sacctmgr -P show qos): no priorities and no limits of QOS".to_owned());
        }
        remarks
    }

    /// Whether its scheduler is one of Slurm's own, whose rules are replayed.
    pub fn runs_slurms_rule(&self) -> bool {
        let own = text(&self.records.config, "schedulertype");
        own.is_empty() || own.ends_with("backfill") || own.ends_with("builtin")
    }
}

/// The limits of a QOS that are not replayed.
fn limits_beyond(record: &Record) -> impl Iterator<Item = String> {
    let others =
        |cell: &str| cell.split(',').any(|part| !part.trim().starts_with("cpu=") && !part.trim().is_empty());
    record.iter().filter_map(move |(key, cell)| {
        let cell = cell.trim();
        let is_limit = (key.starts_with("max") || key.starts_with("grp")) && !cell.is_empty();
        let beyond = is_limit && (!LIMITS.contains(&key.as_str()) || key.contains("tres") && others(cell));
        let factor = key == "usagefactor" && !cell.is_empty() && number(record, key) != 1.0;
        (beyond || factor || key == "flags" && cell.contains("UsageFactor")).then(|| key.clone())
    })
}
