//! Remarks on the reading of a trace, in sentences: what was left out of it, how it was read, what was guessed.

use super::swf::{Problem, Trace};
use super::text::printable;
use crate::base::words::{counted, sentence};
use std::collections::BTreeMap;

/// From what the machine's size was guessed, where neither trace nor user says it.
pub fn guessed(trace: &Trace) -> Option<String> {
    let most = trace.header.max_procs.filter(|_| trace.size_from_use)?;
    Some(format!(
        "accounting does not say how large the machine is: {most} processors were in use at once, or asked for, \
         at most; if it has more, say so with --procs where the verb takes it"
    ))
}

/// Remarks on the reading of a trace, and on lines left out, as sentences of an answer that rests on it; `sized`
/// where the user has said how large the machine is.
pub fn remarks(trace: &Trace, sized: bool) -> Vec<String> {
    let wrong = reasons(&trace.problems).into_iter().map(|(count, Problem { line, reason })| {
        let lines = counted(count, "line was", "lines were");
        format!("{lines} left out as wrong, the first of them line {line}: {reason}")
    });
    let no_jobs: Vec<String> =
        trace.dropped.iter().map(|(why, &count)| format!("{count} {}", why.text())).collect();
    let no_jobs = (!no_jobs.is_empty()).then(|| format!("Lines that are no jobs: {}", no_jobs.join("; ")));
    let read = trace.remarks.iter().map(|remark| printable(remark).into_owned());
    let guessed = guessed(trace).filter(|_| !sized);
    guessed.into_iter().chain(wrong).chain(no_jobs).chain(read).map(|remark| sentence(&remark)).collect()
}

/// Every reason why lines were left out, with how many and the first of them; the most frequent first.
fn reasons(problems: &[Problem]) -> Vec<(u64, &Problem)> {
    let mut kinds: BTreeMap<String, (u64, usize)> = BTreeMap::new();
    for (index, problem) in problems.iter().enumerate() {
        kinds.entry(problem.reason.kind()).or_insert((0, index)).0 += 1;
    }
    let mut kinds: Vec<(u64, usize)> = kinds.into_values().collect();
    kinds.sort_unstable_by_key(|&(count, first)| (std::cmp::Reverse(count), first));
    kinds.into_iter().filter_map(|(count, first)| Some((count, problems.get(first)?))).collect()
}

/// A sentence for every reason why lines were left out.
pub fn complaints(name: &str, problems: &[Problem]) -> Vec<String> {
    let sentence = |(count, Problem { line, reason }): (u64, &Problem)| match count {
        1 => format!("{name}:{line}: {reason} (left out)"),
        _ => format!("{name}: {count} lines left out for one reason, first line {line}: {reason}"),
    };
    reasons(problems).into_iter().map(sentence).collect()
}
