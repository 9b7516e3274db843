//! Files as Python names them: a path, and how it is read.

use crate::errors::{of_file, unreadable, wrong};
use clap::ValueEnum;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::Path;
use surefill_simulator::trace::format::{self, Format};
use surefill_simulator::trace::record::lost;
use surefill_simulator::trace::swf::{Strictness, Trace};
use surefill_simulator::trace::tables::Reading;
use surefill_simulator::trace::values::{Clock, zone};

/// The fields of `surefill.Reading`, whose docstring says what they mean.
#[derive(Debug, FromPyObject)]
pub struct ReadAs {
    format: Option<String>,
    delimiter: Option<String>,
    names: Option<Vec<String>>,
    dates: Option<String>,
    zone: Option<String>,
    strict: bool,
    partial: bool,
}

impl ReadAs {
    /// The simulator's options of reading.
    pub fn reading(&self) -> PyResult<Reading> {
        let refused = |why: String| Err(PyValueError::new_err(why));
        let format = self.format.as_deref().map(|name| {
            Format::from_str(name, false).map_err(|_| {
                let known = Format::value_variants().iter().filter_map(Format::to_possible_value);
                let known: Vec<String> = known.map(|value| value.get_name().to_owned()).collect();
                wrong(format!("format '{name}' is not one of {}", known.join(", ")))
            })
        });
        let format = format.transpose()?;
        let of_tables = [("delimiter", self.delimiter.is_some()), ("names", self.names.is_some())];
        if let Some((name, _)) = of_tables.into_iter().find(|(_, given)| *given)
            && let Some(format) = format.filter(|format| !format.is_table())
        {
            let format = surefill_simulator::replay::policy::name_of(format);
            return refused(format!("{name} changes nothing, as the format {format} is no table"));
        }
        if self.strict && self.partial {
            return refused(
                "partial changes nothing beside strict, for which every wrong line is an error".into(),
            );
        }
        if self.delimiter.as_deref() == Some("") || self.names.as_ref().is_some_and(Vec::is_empty) {
            return refused("delimiter and names are not empty".into());
        }
        let day_first = match self.dates.as_deref() {
            None => None,
            Some("dmy") => Some(true),
            Some("mdy") => Some(false),
            Some(other) => return refused(format!("dates '{other}' is not dmy or mdy")),
        };
        let zone = self.zone.as_deref().map(zone).transpose();
        let zone = zone.map_err(|why| wrong(format!("zone: {why}")))?;
        let (delimiter, names) = (self.delimiter.clone(), self.names.clone());
        Ok(Reading { format, delimiter, names, clock: Clock { day_first, zone } })
    }

    /// Reads a trace; one of which more than a tenth is lost is refused.
    pub fn read(&self, py: Python<'_>, path: &Path) -> PyResult<Trace> {
        let trace = self.open(py, &[path])?;
        self.accept(&trace.name, lost(trace.records.len(), &trace.problems), !trace.problems.is_empty())?;
        Ok(trace)
    }

    /// Reads a trace of several files.
    pub fn open(&self, py: Python<'_>, paths: &[&Path]) -> PyResult<Trace> {
        let reading = self.reading()?;
        let strictness = if self.strict { Strictness::Strict } else { Strictness::Lenient };
        let read = py.detach(|| format::open_as(paths, &reading, strictness));
        let first = paths.first().copied().unwrap_or(Path::new(""));
        read.map_err(|error| unreadable(py, first, &error))
    }

    /// A file's bytes.
    pub fn bytes(py: Python<'_>, path: &Path) -> PyResult<Vec<u8>> {
        py.detach(|| std::fs::read(path)).map_err(|error| of_file(py, path, &error))
    }

    /// Refuses what so much is lost of, unless the rest is enough.
    pub fn accept(&self, name: &str, lost: Option<String>, rest: bool) -> PyResult<()> {
        let Some(lost) = lost.filter(|_| !self.partial) else { return Ok(()) };
        let way = if rest { "; Reading(partial=True) goes on with the rest" } else { "" };
        Err(PyValueError::new_err(format!("{name}: {lost}{way}")))
    }
}
