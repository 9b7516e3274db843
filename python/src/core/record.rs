//! Records of decisions, in the format of `c-examples/engine/record.c`, for the command surefill-cycle.

use super::words::Answer;
use super::wrong;
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use std::fs::{self, File};
use std::io::{Error, Write};
use std::path::{Path, PathBuf};
use surefill::engine::{self, Action, Cycle, Offer, Scheduler};
use surefill::error;
use surefill::nodes::Part;

const MAGIC: i64 = i64::from_ne_bytes(*b"SFCYCLE\n");
const VERSION: i64 = 1;

/// Number of records that are kept.
const KEPT: u64 = 40;

/// Words in front of the packed block; where the number of all words stands, and that of the packed block.
const HEADER: usize = 7;
const ALL: usize = 2;
const PACKED: usize = 6;

/// The kinds of events.
const NEXT: i64 = 1;
const STARTED: i64 = 2;
const REFUSED: i64 = 3;
const CLOSED: i64 = 7;

/// A folder of records, and the record under way.
#[derive(Default)]
pub(super) struct Recorder {
    /// Nothing where decisions are not recorded.
    folder: Option<PathBuf>,
    /// Called with the reason for which records cannot be kept; nothing for a warning.
    say: Option<Py<PyAny>>,
    /// Empty without a record under way.
    words: Vec<i64>,
    /// Whether such a reason was reported since a record was kept.
    said: bool,
}

/// The number of a record by the name of its file.
fn number(name: &Path) -> Option<u64> {
    let number = name.file_name()?.to_str()?.strip_prefix("cycle-")?.strip_suffix(".surefill")?;
    number.parse().ok().filter(|_| number.len() == 10)
}

impl Recorder {
    pub(super) fn new(folder: Option<PathBuf>, say: Option<Py<PyAny>>) -> Recorder {
        Recorder { folder, say, words: Vec::new(), said: false }
    }

    /// Begins with this block, which is sealed. A record that was not kept, because an answer raised, is kept first.
    pub(super) fn begin(&mut self, py: Python<'_>, block: &mut [u64], pool: u32, now: i64) -> PyResult<()> {
        self.keep(py)?;
        if self.folder.is_none() {
            return Ok(());
        }
        Scheduler::seal(bytemuck::cast_slice_mut(block)).map_err(wrong)?;
        self.words.extend([MAGIC, VERSION, 0, pool.into(), now, 8 * block.len() as i64, 0]);
        let mut rest = &*block;
        while !rest.is_empty() {
            let zeros = rest.iter().take_while(|&&word| word == 0).count();
            let others = rest[zeros..].iter().take_while(|&&word| word != 0).count();
            self.words.push(((zeros as u64) << 32 | others as u64) as i64);
            self.words.extend(rest[zeros..zeros + others].iter().map(|&word| word as i64));
            rest = &rest[zeros + others..];
        }
        self.words[PACKED] = (self.words.len() - HEADER) as i64;
        Ok(())
    }

    fn event(&mut self, kind: i64, words: &[i64]) {
        if !self.words.is_empty() {
            self.words.extend([kind, words.len() as i64]);
            self.words.extend(words);
        }
    }

    /// Adds an action of this cycle, with the nodes of an offer. What fails is tried again or ends the cycle.
    pub(super) fn next(&mut self, action: &Result<Action, error::Error>, cycle: &mut [u64]) {
        let Ok(action) = action else { return };
        if self.words.is_empty() {
            return;
        }
        let about = |step: i64, offer: &Offer| {
            let &Offer { number, job, queue, count, head, why } = offer;
            vec![0, step, job, head, number.into(), queue.into(), count.into(), why as i64]
        };
        let mut words = match action {
            Action::Start(offer) => about(2, offer),
            Action::WouldStart(offer) => about(3, offer),
            Action::Done => vec![0, 64, 0, 0, 0, 0, 0, 0],
            Action::Stale => vec![0, 65, 0, 0, 0, 0, 0, 0],
        };
        let packed = |part: &Part| {
            let ([a, b, c, d], [e, f, g, h]) = (part.node.to_ne_bytes(), part.tasks.to_ne_bytes());
            i64::from_ne_bytes([a, b, c, d, e, f, g, h])
        };
        if let (Action::Start(offer), Ok(cycle)) = (action, Cycle::attach(bytemuck::cast_slice_mut(cycle))) {
            words.extend(cycle.parts(offer.number).unwrap_or_default().iter().map(packed));
        }
        self.event(NEXT, &words);
    }

    pub(super) fn answered(&mut self, offer: u32, answer: &Answer) {
        match *answer {
            Answer::Started(job) => self.event(STARTED, &[0, offer.into(), job]),
            Answer::Refused(why) => self.event(REFUSED, &[0, offer.into(), why as i64]),
        }
    }

    pub(super) fn closed(&mut self, py: Python<'_>) -> PyResult<()> {
        self.event(CLOSED, &[0]);
        self.keep(py)
    }

    /// Keeps the record under way as the newest of the folder. Where that fails, the reason is reported, once until one
    /// is kept again.
    fn keep(&mut self, py: Python<'_>) -> PyResult<()> {
        let mut words = std::mem::take(&mut self.words);
        let Some(folder) = self.folder.as_ref().filter(|_| !words.is_empty()) else { return Ok(()) };
        words[ALL] = words.len() as i64 + 1;
        words.push(engine::hash(bytemuck::cast_slice(&words)));
        let Err(error) = write(folder, bytemuck::cast_slice(&words)) else {
            self.said = false;
            return Ok(());
        };
        if std::mem::replace(&mut self.said, true) {
            return Ok(());
        }
        let message = format!("cycles are not recorded: {}: {error}", folder.display());
        match &self.say {
            Some(say) => say.call1(py, (message,)).map(drop),
            None => {
                let warnings = py.import("warnings")?;
                warnings.call_method1("warn", (message, py.get_type::<PyRuntimeWarning>())).map(drop)
            }
        }
    }
}

/// Writes the newest record of a folder, and removes those beyond the number that is kept.
fn write(folder: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut kept = Vec::new();
    for entry in fs::read_dir(folder)? {
        kept.extend(number(&entry?.path()));
    }
    let next = kept.iter().max().map_or(0, |last| last + 1);
    let path = |number: u64| folder.join(format!("cycle-{number:010}.surefill"));
    let beside = path(next).with_extension("surefill.new");
    let written = File::create(&beside)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&beside, path(next)));
    if written.is_err() {
        // The rest of it would take room.
        drop(fs::remove_file(&beside));
    }
    for old in kept.iter().filter(|&&old| written.is_ok() && old + KEPT <= next) {
        drop(fs::remove_file(path(*old)));
    }
    written
}
