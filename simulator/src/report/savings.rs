//! Savings of the recorded waits by each policy of a comparison, trace by trace, as `what-if` has them.

use super::Compared;
use super::columns::baseline;
use super::grid::Grid;
use super::table::Style;
use super::views::short;
use super::what_if::{percent, saved, span};
use crate::replay::scored::Verdict;
use crate::replay::scored::{Known, Scored, known, scored};
use serde::Serialize;

/// A policy beside the record of a trace and the replay of EASY.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Saving {
    /// Its place in the list of policies.
    pub index: usize,
    /// Its name.
    pub policy: String,
    /// Its waits beside those recorded and EASY's.
    #[serde(flatten)]
    pub scored: Scored,
}

/// EASY's waits beside those recorded; none without EASY, or where no wait is recorded.
pub(super) fn explains(compared: &Compared) -> Option<(Known, Verdict)> {
    let base = &baseline(&compared.policies)?.weeks;
    let sums = known(base, base);
    Some((sums, sums.verdict()?))
}

/// Some policies, by place and name, beside the record of a trace; none without EASY, or where no wait is recorded.
pub(super) fn savings(compared: &Compared, policies: &[(usize, String)]) -> Vec<Saving> {
    let Some(base) = baseline(&compared.policies) else { return Vec::new() };
    let one = |(index, policy): &(usize, String)| {
        let scored = scored(&base.weeks, &compared.policies.get(*index)?.weeks)?;
        Some(Saving { index: *index, policy: policy.clone(), scored })
    };
    policies.iter().filter_map(one).collect()
}

/// A sentence for each of these policies on the part of the recorded waits that it saves, each after a blank; nothing
/// where the replay of EASY cannot tell.
pub(super) fn sentences(compared: &Compared, policies: &[(usize, String)]) -> String {
    let all = savings(compared, policies);
    let can_tell = all.iter().filter(|saving| saving.scored.verdict == Verdict::Explained);
    can_tell.map(|saving| format!(" {}", saved(&saving.scored, &saving.policy))).collect()
}

/// The recorded mean wait of every trace, how much of it the replay of EASY (`base`) explains, and what these policies
/// save of it; `None` where no trace records waits.
pub(super) fn table(
    traces: &[Compared],
    base: &str,
    policies: &[(usize, String)],
    style: Style,
) -> Option<Grid> {
    let of_policy = |(_, name): &(usize, String)| {
        [style.noted(format!("{name} saves"), Some("95 % interval".to_owned())), style.title("of it", "%")]
    };
    let titles = ["trace".to_owned(), "people waited".to_owned(), format!("{base} explains")];
    let mut table = style.table(titles.into_iter().chain(policies.iter().flat_map(of_policy)), 1);
    let mut rows = 0;
    for compared in traces {
        let Some((sums, verdict)) = explains(compared) else { continue };
        let (Some(recorded_s), share) = (sums.mean(sums.recorded), sums.share(sums.before)) else { continue };
        let mut cells = vec![
            short(&compared.trace).to_owned(),
            span(recorded_s),
            share.map_or_else(|| "-".to_owned(), percent),
        ];
        for Saving { scored, .. } in savings(compared, policies) {
            let interval = scored.saved_s.ci95;
            let interval = interval.map(|ends| format!("{} to {}", span(ends.low), span(ends.high)));
            let share =
                scored.saved.map_or_else(|| "-".to_owned(), |share| format!("{:.0}", share.value * 100.0));
            cells.extend(match verdict {
                Verdict::Explained => [style.noted(span(scored.saved_s.value), interval), share],
                Verdict::Short => ["nothing to save".to_owned(), "-".to_owned()],
                Verdict::Unexplained | Verdict::Exceeded => ["cannot tell".to_owned(), "-".to_owned()],
            });
        }
        table.add_row(cells);
        rows += 1;
    }
    (rows > 0).then_some(table)
}
