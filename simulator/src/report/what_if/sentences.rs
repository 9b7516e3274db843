//! The answer in a few sentences: what was waited, how much of it the replay explains, and what of that would be saved;
//! then what could have been saved in the recorded schedule, then the replay by itself.

use super::{signed, span};
use crate::base::bootstrap::Figure;
use crate::base::statistics::{SHORTEST_BASE_S, change};
use crate::base::words::several;
use crate::live::what_if::{Anchored, Earlier, NOTICED_S, Row, WhatIf};
use crate::replay::scored::Scored;
use crate::replay::scored::{EXCEEDED, EXPLAINED, Verdict};

/// The most classes that lose that are named in a sentence; the tables have all.
const SHOWN: usize = 6;

/// The answer.
pub fn sentences(answer: &WhatIf) -> Vec<String> {
    let mut all = vec![first(answer)];
    all.extend(anchored(answer));
    all.push(replayed(answer));
    all.extend(ageing(answer));
    all.push(longest(answer));
    let WhatIf { before, all: row, .. } = answer;
    all.push(format!(
        "{:.0} % of the jobs would have started at least a minute earlier than with {before}, {:.0} % at least a minute later.",
        row.earlier * 100.0,
        row.later * 100.0
    ));
    all.push(losers(answer));
    all.extend(answer.remarks.iter().cloned());
    all
}

/// ` (95 % interval 12 min to 24 min)`; nothing without one.
fn interval(of: &Figure) -> String {
    of.ci95.map_or_else(String::new, |ends| {
        format!(" (95 % interval {} to {})", span(ends.low), span(ends.high))
    })
}

/// `, 12 % of what was waited`; nothing where that is less than a minute.
fn of_waited(share: Option<&Figure>) -> String {
    share.map_or_else(String::new, |share| format!(", {} of what was waited", percent(share.value)))
}

/// A share: `12 %`.
pub(in crate::report) fn percent(share: f64) -> String {
    // + 0.0: no negative zero.
    format!("{:.0} %", (share * 100.0).round() + 0.0)
}

/// ` submitted from 2024-01-01 to 2024-03-31`.
fn when(answer: &WhatIf) -> String {
    let dates = answer.dates.as_ref();
    dates.map_or_else(String::new, |(from, to)| format!(" submitted from {from} to {to}"))
}

/// A replay beside the record, to be said in words.
pub(in crate::report) struct Beside<'a> {
    pub verdict: Verdict,
    pub recorded_s: f64,
    pub replayed_s: f64,
    /// Jobs of the recorded mean wait: `mean of 20 jobs`.
    pub jobs: String,
    /// The policy that is replayed.
    pub before: &'a str,
    /// The policy that is asked about.
    pub after: &'a str,
    /// The share of the waiting time in which processors enough were idle.
    pub idle: Option<f64>,
    /// Whether a site's machine is replayed, not one pool of processors.
    pub site: bool,
}

/// The recorded mean wait, and how much of it the replay explains.
pub(in crate::report) fn waited(beside: &Beside) -> String {
    let Beside { recorded_s, replayed_s, before, after, .. } = *beside;
    let waited = format!("People waited {} on average ({})", span(recorded_s), beside.jobs);
    let replay = span(replayed_s);
    let share = || {
        let share = replayed_s / recorded_s;
        // Not the threshold itself, which would be enough.
        let near = [EXPLAINED, EXCEEDED].iter().any(|threshold| (share - threshold).abs() < 0.005);
        if near { format!("{:.1} %", share * 100.0) } else { percent(share) }
    };
    match beside.verdict {
        Verdict::Short => {
            let not_so = if replayed_s >= SHORTEST_BASE_S {
                format!(
                    " In the replay of {before} it is {replay}, so that the replay does not describe this machine."
                )
            } else {
                String::new()
            };
            format!("{waited}: less than a minute, so that there is nothing to save.{not_so}")
        }
        Verdict::Unexplained => {
            let idle = beside.idle.map_or_else(String::new, |idle| {
                let share = percent(idle);
                format!(": for {share} of the time that jobs waited as many processors as they asked for were idle")
            });
            format!(
                "This history cannot tell what {after} would save, because the replay of {before} explains {} ({replay}) of what was \
                 waited. {waited}. The rest has causes that are not in the replay{idle}.",
                share()
            )
        }
        Verdict::Exceeded => format!(
            "This history cannot tell what {after} would save, because the replay of {before} explains more than was waited: it \
             comes to {} ({replay}) of it. {waited}. Jobs started sooner than the replay lets them: {}, or run times and limits are \
             not those that were scheduled by.",
            share(),
            if beside.site {
                "the site may have had other nodes, partitions or limits then"
            } else {
                "the machine may be larger than the replay's (--procs), or have shared its processors"
            }
        ),
        Verdict::Explained if replayed_s > recorded_s => {
            format!("{waited}; the replay of {before} comes to {} of it ({replay}).", share())
        }
        Verdict::Explained => {
            format!("{waited}; the replay of {before} explains {} of it ({replay}).", share())
        }
    }
}

/// The recorded mean wait, the part that is explained, and the part that would be saved.
fn first(answer: &WhatIf) -> String {
    let WhatIf { before, after, .. } = answer;
    let Some(scored) = &answer.scored else {
        return format!(
            "This history cannot tell what {after} would save, because it does not say how long people waited."
        );
    };
    let text = waited(&Beside {
        verdict: scored.verdict,
        recorded_s: scored.recorded_s,
        replayed_s: scored.before_s,
        jobs: format!("mean of {}{}", several(scored.jobs, "job"), when(answer)),
        before,
        after,
        idle: answer.anchored.and_then(|anchored| anchored.idle),
        site: answer.site.is_some(),
    });
    match scored.verdict {
        Verdict::Explained => format!("{text} {}{}", saved(scored, after), foreknown(answer)),
        _ => text,
    }
}

/// The doubt that run times which stand for limits cast on what is saved.
fn foreknown(answer: &WhatIf) -> &'static str {
    match answer.replay.foreknown() {
        Some(_) => {
            " Limits are not recorded and run times stand for them: both policies know these, as no scheduler does."
        }
        None => "",
    }
}

/// The part of it that the other policy saves.
pub(in crate::report) fn saved(scored: &Scored, after: &str) -> String {
    let Figure { value, ci95 } = scored.saved_s;
    let interval = interval(&scored.saved_s);
    let of = if scored.before_s > scored.recorded_s { "Of what was waited," } else { "Of that," };
    let unsure = ci95.is_some_and(|ends| ends.low <= 0.0 && ends.high >= 0.0);
    let unsure = if unsure { ": that it saves anything is not certain" } else { "" };
    match value {
        much if much >= SHORTEST_BASE_S => {
            let share = of_waited(scored.saved.as_ref());
            format!("{of} {after} would save {} a job{interval}{share}{unsure}.", span(much))
        }
        more if more <= -SHORTEST_BASE_S => {
            let replayed = scored.before_s - scored.after_s;
            let against = match replayed >= SHORTEST_BASE_S {
                true => format!(
                    " That is counted from the record, as people waited less than in the replay, beside which {after} saves {}.",
                    span(replayed)
                ),
                false => String::new(),
            };
            format!(
                "{after} would save nothing of it: people would have waited {} a job longer{interval}.{against}",
                span(-more)
            )
        }
        _ => format!("{of} {after} would save less than a minute a job{interval}."),
    }
}

/// Waiting that could have been saved in the recorded schedule.
fn anchored(answer: &WhatIf) -> Option<String> {
    let Anchored { run_times, expected, .. } = answer.anchored.as_ref()?;
    let scored = answer.scored.as_ref()?;
    if scored.recorded_s < SHORTEST_BASE_S {
        return None;
    }
    let saves = |earlier: &Earlier| {
        format!(
            "{} a job{}{}",
            span(earlier.saved_s.value),
            interval(&earlier.saved_s),
            of_waited(earlier.saved.as_ref())
        )
    };
    Some(format!(
        "In the recorded schedule, where nobody starts later than recorded, {} of the jobs could have started at least a minute \
         earlier on processors that were idle, had run times been known: that would have saved {}. Where a job moves only if the \
         run time that {} expected of it fits too, among the jobs submitted by then, it would have saved {}. Neither rests on a replay or on the \
         site's policy, but on idle processors that were in service and would do for any job.{}",
        percent(run_times.earlier),
        saves(run_times),
        answer.after,
        saves(expected),
        match scored.verdict {
            Verdict::Unexplained => " Whatever else made jobs wait may have kept them from these processors.",
            _ => "",
        }
    ))
}

/// The replay by itself.
fn replayed(answer: &WhatIf) -> String {
    let WhatIf { all, before, after, .. } = answer;
    let about = match answer.scored.as_ref().map(|scored| scored.verdict) {
        Some(Verdict::Unexplained) => "In the replay alone, which explains so little of the record,",
        Some(Verdict::Exceeded) => "In the replay alone, which explains so much more than the record,",
        _ => "In the replay",
    };
    let known = answer.scored.as_ref().map_or(0, |scored| scored.jobs);
    let jobs = if known == all.jobs {
        String::new()
    } else {
        format!(" of all {}{}", several(all.jobs, "job"), when(answer))
    };
    let mut text = format!(
        "{about} the mean wait{jobs} is {} with {after} and {} with {before}",
        span(all.after.mean_s),
        span(all.before.mean_s)
    );
    if let Some(change) = answer.change {
        text += &match (change.value * 100.0).round() {
            0.0 => ": as much".to_owned(),
            less if less < 0.0 => format!(": {:.0} % less", -less),
            more => format!(": {more:.0} % more"),
        };
        if let Some(ends) = change.ci95 {
            text += &format!(" (95 % interval {} to {})", signed(ends.low), signed(ends.high));
        }
    }
    text + "."
}

/// The replay of the site's rule by limits with ageing.
fn ageing(answer: &WhatIf) -> Option<String> {
    let (ageing, before) = (answer.all.ageing?.mean_s, answer.all.before.mean_s);
    let share = change(ageing, before).map_or_else(String::new, |share| {
        let size = format!("{:.0} %", (share * 100.0).abs());
        format!(", {size} {} than with {}", if share <= 0.0 { "less" } else { "more" }, answer.before)
    });
    Some(format!(
        "By limits with ageing, an order that a few lines of job_submit.lua give every job and that needs no plugin, it is {}{share}.",
        span(ageing)
    ))
}

fn longest(answer: &WhatIf) -> String {
    let WhatIf { all, before, after, .. } = answer;
    let recorded =
        all.recorded.map_or_else(String::new, |waits| format!("; recorded it is {}", span(waits.longest_s)));
    let (old, new) = (span(all.before.longest_s), span(all.after.longest_s));
    format!("The longest wait is {new} with {after} and {old} with {before}{recorded}.")
}

/// The loss of a class, where it is more than 5 %, or a minute where the class waited less than one.
fn loss(row: &Row) -> Option<String> {
    let (old, new) = (row.before.mean_s, row.after.mean_s);
    match row.change() {
        Some(share) => (share > 0.05).then(|| signed(share)),
        None => (new - old >= NOTICED_S as f64).then(|| format!("from {} to {}", span(old), span(new))),
    }
}

fn losers(answer: &WhatIf) -> String {
    let rows = answer.parts.iter().flat_map(|part| part.rows.iter().map(move |row| (part.by, row)));
    // A mean of few jobs says little.
    let fewest = (answer.all.jobs / 100).max(20);
    let large = rows.filter(|(_, row)| row.jobs >= fewest);
    let mut losers: Vec<String> =
        large.filter_map(|(by, row)| Some(format!("{by} {} ({})", row.name, loss(row)?))).collect();
    let more = losers.len().saturating_sub(SHOWN);
    losers.truncate(SHOWN);
    if more > 0 {
        losers.push(format!("and {more} more"));
    }
    if losers.is_empty() {
        format!("No class of at least {fewest} jobs would have waited more than 5 % longer on average.")
    } else {
        format!("Longer on average by more than 5 %: {}.", losers.join(", "))
    }
}
