//! Limits of a replay of accounting, in sentences.

use super::{SiteSize, WhatIf};
use crate::base::bootstrap::{DRAWS, FEWEST};
use crate::base::words::{sentence, several};

/// The share of a history's time above which the replayed machine is called too small: errors in logs stay below.
const OFTEN: f64 = 0.02;

/// A sentence where the history often had more processors in use than are replayed.
pub fn too_small(procs: u32, above: f64) -> Option<String> {
    (above > OFTEN).then(|| {
        format!(
            "more than the {procs} processors that are replayed were in use for {:.0} % of the history's time: waits come out too \
             long under every policy (--procs)",
            above * 100.0
        )
    })
}

/// Limits of a replay of accounting, in sentences.
pub fn unknowns(answer: &WhatIf) -> Vec<String> {
    let never = answer.replay.dropped_without_run_time;
    let mut all = match answer.site {
        Some(site) => of_site(site, answer.procs),
        None => of_processors(answer),
    };
    all.push(
        "Run times and submissions stay as they were. People whose jobs start earlier submit the next ones earlier too."
            .to_owned(),
    );
    let known = [answer.replay.foreknown(), answer.replay.nameless(), answer.replay.too_wide(answer.procs)];
    all.extend(
        known
            .into_iter()
            .chain([too_small(answer.procs, answer.above)])
            .flatten()
            .filter(|text| answer.site.is_none() || !text.contains("--procs"))
            .map(|text| sentence(&text)),
    );
    if never > 0 {
        all.push(format!(
            "{} of the history: cancelled before the start, or of unknown run time, and so not replayed.",
            several(never, "job")
        ));
    }
    all.push(match answer.seeds {
        1 => "One replay of each policy: differences of a few percent may be accidents (--seeds).".to_owned(),
        seeds => format!(
            "Schedules are chaotic, so every number under a policy is the mean of {seeds} replays with submissions shifted by up to \
             a minute."
        ),
    });
    all.push(match answer.weeks {
        few if few < FEWEST => format!(
            "There are no 95 % intervals: jobs were submitted in {}, and it takes {FEWEST}.",
            several(few as u64, "week")
        ),
        weeks => format!(
            "95 % intervals are of a bootstrap: {DRAWS} times as many weeks as the {weeks} in which jobs were submitted, and as many \
             replays, are drawn with replacement. How far weeks to come differ from all of these they do not know."
        ),
    });
    all
}

/// Limits of the replay on one pool of processors.
fn of_processors(answer: &WhatIf) -> Vec<String> {
    vec![
        format!(
            "The replayed machine is one pool of {} interchangeable processors{}. Partitions, kinds of nodes, memory, licences and \
             reservations are not in it.",
            answer.procs,
            if answer.replay.size_from_use {
                " (the most that the history had in use at once, as accounting does not say how many there are)"
            } else {
                ""
            }
        ),
        "Priorities, fair shares, limits per user and interventions of operators are not in it. The recorded waits come \
         from all of these: how far they are from those under EASY says how much that matters here."
            .to_owned(),
        "The replayed machine has no outages and no maintenance.".to_owned(),
        "In the recorded schedule too, processors that are out of service or reserved look idle, and idle processors of \
         another partition or kind, or beyond a limit per user, look as if any job could have had them."
            .to_owned(),
    ]
}

/// Limits of the replay of a site.
fn of_site(site: SiteSize, procs: u32) -> Vec<String> {
    let nodes = match site.nodes {
        alone if alone == procs => several(alone.into(), "processor"),
        nodes => several(nodes.into(), "node"),
    };
    let priorities = if site.multifactor {
        "priorities by priority/multifactor, whose use begins with the history"
    } else {
        "no priorities but the order of submission"
    };
    let outages = match site.outages {
        0 => "No outages and no reservations are replayed, as none are known (sacctmgr show event, reservation)".to_owned(),
        some => format!("Running jobs run on in the {} without some of the nodes", several(some as u64, "time")),
    };
    vec![
        format!(
            "The replayed machine is the site's {} in {} as they are today, with {priorities}, and limits per user and of QOS as of \
             today. Licences, preemption, limits of associations and interventions of operators are not in it.",
            nodes,
            several(site.partitions as u64, "partition"),
        ),
        format!("{outages}."),
        "Jobs count as submitted when they became eligible: dependencies and holds keep their recorded ends.".to_owned(),
        "The recorded schedule with jobs moved to earlier starts is still that of one pool of processors: idle processors of \
         another partition or kind look as if any job could have had them."
            .to_owned(),
    ]
}
