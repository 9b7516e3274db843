//! Words of Python's calls to the scheduler, and its offers as dictionaries.

use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use surefill::engine::{JobState, Names, NodeState, Offer, Reason, Refusal, Totals, Wants, Why};
use surefill::nodes::{Amounts, Spread};

pub(super) const STATES: [(&str, JobState); 10] = [
    ("as before", JobState::AsBefore),
    ("waiting", JobState::Waiting),
    ("held", JobState::Held),
    ("starting", JobState::Starting),
    ("running", JobState::Running),
    ("suspended", JobState::Suspended),
    ("ending", JobState::Ending),
    ("ended", JobState::Ended),
    ("broken", JobState::Broken),
    ("gone", JobState::Gone),
];

pub(super) const REASONS: [(&str, Why); 9] = [
    ("", Why::Unknown),
    ("hold", Why::Hold),
    ("dependency", Why::Dependency),
    ("begin", Why::Begin),
    ("limit", Why::Limit),
    ("deadline", Why::Deadline),
    ("queue closed", Why::QueueClosed),
    ("other", Why::Other),
    ("array", Why::Array),
];

pub(super) const NODE_STATES: [(&str, NodeState); 4] = [
    ("up", NodeState::Up),
    ("closed", NodeState::Closed),
    ("awaited", NodeState::Awaited),
    ("down", NodeState::Down),
];

/// The request of a job.
pub(super) fn wants(each: Option<(u32, u32, u32)>, packed: bool, exclusive: bool, features: u64) -> Wants {
    let each = each.map_or_else(Amounts::default, amounts);
    let spread = if packed { Spread::Tasks } else { Spread::Nodes };
    Wants { each, features, spread, exclusive, ..Wants::default() }
}

/// Processors, memory and GPUs.
pub(super) fn amounts((processors, memory, gpus): (u32, u32, u32)) -> Amounts {
    [processors, memory, gpus, 0, 0, 0, 0, 0]
}

/// The value of this name.
pub(super) fn named<T: Copy>(what: &str, name: &str, all: &[(&str, T)]) -> PyResult<T> {
    let found = all.iter().find(|(known, _)| *known == name);
    found.map(|&(_, value)| value).ok_or_else(|| PyKeyError::new_err(format!("no {what} is named '{name}'")))
}

/// An offer as a dictionary.
pub(super) fn as_dict<'py>(py: Python<'py>, offer: &Offer) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("job", offer.job)?;
    dict.set_item("processors", offer.count)?;
    dict.set_item("passes", (offer.head != 0).then_some(offer.head))?;
    let why = match offer.why {
        Why::InOrder => "in order",
        Why::ByLimits => "by the limits",
        Why::ByDelay => "by the delay",
        _ => "planned",
    };
    dict.set_item("why", why)?;
    Ok(dict)
}

/// The names of the reasons for which a job waits, the manager's apart.
const WAITS: [(&str, Why); 14] = [
    ("not decided", Why::Unknown),
    ("starts", Why::Planned),
    ("no room", Why::NoRoom),
    ("head", Why::Head),
    ("later", Why::Later),
    ("guarded", Why::Guarded),
    ("refused", Why::Refused),
    ("inconsistent", Why::Inconsistent),
    ("never", Why::Never),
    ("nodes out", Why::NodesOut),
    ("reserved", Why::Reserved),
    ("licences", Why::Licences),
    ("depth", Why::Depth),
    ("delays", Why::Delays),
];

/// A reason as a dictionary; a head has this name in its sentence.
pub(super) fn explained<'py>(py: Python<'py>, reason: &Reason, head: &str) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let all = WAITS.iter().chain(&REASONS);
    let why = all.filter(|(_, why)| *why == reason.why).map(|(name, _)| *name).next();
    let mut sentence = String::new();
    let names = Names { head, ..Names::default() };
    reason.write(&names, &mut sentence).map_err(|_| PyTypeError::new_err("no sentence"))?;
    dict.set_item("why", why.unwrap_or_default())?;
    dict.set_item("sentence", sentence)?;
    dict.set_item("behind", (reason.head != 0).then_some(reason.head))?;
    dict.set_item("start", reason.start)?;
    dict.set_item("by_limits", reason.by_limits)?;
    dict.set_item("until", reason.until)?;
    dict.set_item("saves", reason.price.map(|price| price.saved))?;
    dict.set_item("costs_others", reason.price.map(|price| price.others))?;
    dict.set_item("place", (reason.place != 0).then_some(reason.place))?;
    dict.set_item("idle", reason.idle)?;
    Ok(dict)
}

/// The answer to an offer.
pub(super) enum Answer {
    /// It has started, under this id.
    Started(i64),
    Refused(Refusal),
}

pub(super) fn answer(offer: &Offer, said: &Bound<'_, PyAny>) -> PyResult<Answer> {
    if let Ok(said) = said.cast::<PyBool>() {
        let refused = Answer::Refused(Refusal::NotNow);
        return Ok(if said.is_true() { Answer::Started(offer.job) } else { refused });
    }
    if let Ok(task) = said.extract::<i64>() {
        return Ok(Answer::Started(task));
    }
    let all = [("busy", Refusal::Busy), ("not now", Refusal::NotNow), ("never", Refusal::Never)];
    let said: String = said.extract().map_err(|_| {
        PyTypeError::new_err("start returns True, False, the id of an array's task, or why it refuses")
    })?;
    Ok(Answer::Refused(named("refusal", &said, &all)?))
}

/// Counts of what was reported, by name.
pub(super) fn counts<'py>(py: Python<'py>, totals: &Totals) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, count) in [
        ("submitted", totals.submitted),
        ("started", totals.started),
        ("ended", totals.ended),
        ("broken", totals.broken),
        ("withdrawn", totals.withdrawn),
        ("requeued", totals.requeued),
        ("refused", totals.refused),
        ("surprises", totals.surprises),
        ("clock_set_back", totals.clock_set_back),
        ("unknown_jobs", totals.unknown_jobs),
        ("doubted", totals.doubted),
    ] {
        dict.set_item(name, count)?;
    }
    Ok(dict)
}

/// The bits of features; those that are not known yet get the next ones.
pub(super) fn bits(known: &mut Vec<String>, features: &[String]) -> PyResult<u64> {
    features.iter().try_fold(0, |bits, feature| {
        let found = known.iter().position(|known| known == feature);
        let bit = found.unwrap_or(known.len());
        if bit >= 64 {
            return Err(PyValueError::new_err("more than 64 different features"));
        }
        if found.is_none() {
            known.push(feature.clone());
        }
        Ok(bits | 1 << bit)
    })
}
