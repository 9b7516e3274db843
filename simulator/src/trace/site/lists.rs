//! The tables of `sacctmgr`: QOS, shares, and times without some of the nodes.

use super::rules::{Outage, QosRules, Shares};
use super::scontrol::Record;
use super::{number, text};
use crate::trace::hostlist;
use crate::trace::record::Names;
use crate::trace::values::{self, Clock};
use std::collections::{BTreeMap, HashMap};

/// The numbers of names, by the trace.
fn numbers(names: &BTreeMap<i64, String>) -> HashMap<&str, i64> {
    names.iter().map(|(number, name)| (name.as_str(), *number)).collect()
}

/// QOS by the trace's numbers.
pub(super) fn qos(records: &[Record], names: &Names) -> BTreeMap<i64, QosRules> {
    let largest = records.iter().map(|record| number(record, "priority")).fold(1.0, f64::max);
    let numbers = numbers(&names.qos);
    let one = |record: &Record| {
        let count = |keys: [&str; 2]| keys.into_iter().find_map(|key| text(record, key).parse::<u32>().ok());
        let processors =
            |key: &str| values::tres(text(record, key)).cpus.and_then(|cpus| u64::try_from(cpus).ok());
        let rules = QosRules {
            factor: number(record, "priority") / largest,
            user_jobs: count(["maxjobspu", "maxjobsperuser"]),
            user_processors: processors("maxtrespu").or_else(|| processors("maxtresperuser")),
            jobs: count(["grpjobs", "grpjobs"]),
            processors: processors("grptres"),
        };
        Some((*numbers.get(text(record, "name"))?, rules))
    };
    records.iter().filter_map(one).collect()
}

/// Shares of accounts and users, in the order of `sacctmgr show assoc tree`, in which an account begins with as many
/// blanks as it is deep; without the tree, accounts have the parent of the column ParentName, else the root.
pub(super) fn shares(records: &[Record], names: &Names) -> Shares {
    let (accounts, users) = (numbers(&names.groups), numbers(&names.users));
    let mut shares = Shares::default();
    // The accounts of the tree above the row, with their depths and numbers; and numbers of those that no job has.
    let mut above: Vec<(usize, i64)> = Vec::new();
    let mut others: HashMap<String, i64> = HashMap::new();
    for record in records {
        let account = record.get("account").map_or("", |text| text.as_str());
        let depth = account.len() - account.trim_start().len();
        let account = account.trim();
        let mut number_of = |name: &str| {
            let next = -2 - others.len() as i64;
            accounts.get(name).copied().unwrap_or_else(|| *others.entry(name.to_owned()).or_insert(next))
        };
        let share = match text(record, if record.contains_key("share") { "share" } else { "fairshare" }) {
            "parent" => continue,
            _ if record.contains_key("share") => number(record, "share"),
            _ => number(record, "fairshare"),
        };
        if account.is_empty() || account == "root" {
            continue;
        }
        let own = number_of(account);
        let user = text(record, "user");
        if let Some(user) = users.get(user) {
            shares.users.insert((own, *user), share);
        } else if user.is_empty() {
            above.retain(|(other, _)| *other < depth);
            let parent = match text(record, "parentname") {
                "" | "root" => above.last().map(|(_, number)| *number),
                name => Some(number_of(name)),
            };
            shares.accounts.insert(own, (share, parent));
            above.push((depth, own));
        }
    }
    shares
}

/// States in which a node takes no new jobs; a node that is powered down to save power takes some.
const OUT: [&str; 12] = [
    "DOWN",
    "DRAIN",
    "DRAINED",
    "DRAINING",
    "FAIL",
    "FAILING",
    "ERROR",
    "MAINT",
    "MAINTENANCE",
    "REBOOT",
    "REBOOT_ISSUED",
    "REBOOT_REQUESTED",
];

/// Whether a node in this state takes no new jobs: `DOWN*`, `IDLE+DRAIN`.
fn is_out(state: &str) -> bool {
    let plain = |part: &str| part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).to_uppercase();
    state.trim().is_empty() || state.split('+').any(|part| OUT.contains(&plain(part).as_str()))
}

/// Whether a reservation keeps its nodes from all jobs, as maintenance does; others have jobs of their own.
pub(super) fn is_maintenance(reservation: &Record) -> bool {
    text(reservation, "flags").to_uppercase().split(',').any(|flag| flag.trim() == "MAINT")
}

/// Times without some of the nodes, in seconds since 1970 by this clock: events of nodes, and reservations for
/// maintenance. Those are known from the day before their beginning on. A node that is still out is so until `end`.
pub(super) fn outages(
    events: &[Record],
    reservations: &[Record],
    numbers: &HashMap<&str, u32>,
    clock: &Clock,
    end: i64,
) -> Vec<Outage> {
    let time = |record: &Record, keys: &[&str]| {
        keys.iter().find_map(|key| clock.time(text(record, key)).ok().flatten()).filter(|&time| time > 0)
    };
    let nodes = |list: &str| -> Vec<u32> {
        let names = hostlist::names(list).unwrap_or_default();
        let mut nodes: Vec<u32> = names.iter().filter_map(|name| numbers.get(&**name).copied()).collect();
        nodes.sort_unstable();
        nodes
    };
    let event = |record: &Record| {
        let from = time(record, &["timestart"])?;
        let nodes = nodes(text(record, "nodename"));
        Some(Outage { from, to: Some(time(record, &["timeend"]).unwrap_or(end)), known: from, nodes })
    };
    const ANNOUNCED_S: i64 = 86_400;
    let reservation = |record: &Record| {
        let from = time(record, &["starttime", "timestart", "start"])?;
        let list = ["nodes", "nodelist", "nodenames"]
            .map(|key| text(record, key))
            .into_iter()
            .find(|list| !list.is_empty())?;
        let to = Some(time(record, &["endtime", "timeend", "end"]).unwrap_or(end));
        Some(Outage { from, to, known: from - ANNOUNCED_S, nodes: nodes(list) })
    };
    let events = events.iter().filter(|record| is_out(text(record, "state"))).filter_map(event);
    let all =
        events.chain(reservations.iter().filter(|record| is_maintenance(record)).filter_map(reservation));
    all.filter(|outage| !outage.nodes.is_empty() && outage.to.is_none_or(|to| to > outage.from)).collect()
}
