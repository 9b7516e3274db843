//! `simulate` and `compare`: the command line's verbs as functions.

use crate::classes::take_error;
use crate::errors::{in_python, of_file, whole, wrong};
use crate::reading::ReadAs;
use crate::table::{Column, Table};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use surefill_simulator::cli::replaying::Replaying;
use surefill_simulator::cli::today;
use surefill_simulator::replay::evalys;
use surefill_simulator::replay::outcome::Outcome;
use surefill_simulator::replay::policy::{Choice, Order, OwnPreset, PolicyName, PolicyOptions, name_of};
use surefill_simulator::replay::predict::PredictorName;
use surefill_simulator::replay::run::{Error, Options, Run, Summary, run};
use surefill_simulator::report::{self, Compared};
use surefill_simulator::trace::recorded::Recorded;
use surefill_simulator::trace::workload::Workload;

/// The names of a kind: policies, predictors, orders.
#[pyfunction]
pub fn names(kind: &str) -> PyResult<Vec<String>> {
    fn all<T: clap::ValueEnum>() -> Vec<String> {
        T::value_variants().iter().cloned().map(name_of).collect()
    }
    match kind {
        "policies" => Ok(all::<PolicyName>().into_iter().chain(all::<OwnPreset>()).collect()),
        "predictors" => Ok(all::<PredictorName>()),
        "orders" => Ok(all::<Order>()),
        other => Err(PyValueError::new_err(format!("'{other}' is not policies, predictors or orders"))),
    }
}

/// Settings of every replay.
struct Setting {
    replaying: Replaying,
    seed: u64,
    seeds: NonZeroU64,
}

impl Setting {
    /// From the arguments that both functions have, and options by name as the command line writes them.
    fn new(
        mut options: Vec<(String, String)>,
        procs: Option<Bound<'_, PyAny>>,
        limit_jobs: Option<Bound<'_, PyAny>>,
        overrun: &str,
        seed: &Bound<'_, PyAny>,
        seeds: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Setting> {
        if !["keep", "cut", "raise"].contains(&overrun) {
            return Err(PyValueError::new_err(format!("overrun '{overrun}' is not keep, cut or raise")));
        }
        let mut add = |name: &str, value: String| options.push((name.to_owned(), value));
        add("overrun", overrun.to_owned());
        if let Some(value) = procs {
            add("procs", whole("procs", &value, 1, u32::MAX)?.to_string());
        }
        if let Some(value) = limit_jobs {
            add("limit-jobs", whole("limit_jobs", &value, 1, usize::MAX)?.to_string());
        }
        let seed = whole("seed", seed, 0, u64::MAX)?;
        let seeds = seeds.map_or(Ok(1), |value| whole("seeds", value, 1, u64::MAX))?;
        let seeds = NonZeroU64::new(seeds).unwrap_or(NonZeroU64::MIN);
        let replaying = Replaying::new(&options).map_err(|why| wrong(in_python(&why)))?;
        Ok(Setting { replaying, seed, seeds })
    }

    /// Replays a trace under one policy, without the interpreter's lock.
    fn run(
        &self,
        py: Python<'_>,
        name: &str,
        workload: &Workload,
        (choice, policy): (Choice, PolicyOptions),
    ) -> PyResult<(Run, Summary)> {
        let options = Options { choice, policy, rules: self.replaying.rules(name) };
        // Drops an exception left by an earlier replay, which ended with another error.
        let _ = take_error();
        let done = py.detach(|| run(name, workload, &options, self.seed, self.seeds, &|_| {}));
        if let Some(error) = take_error() {
            return Err(error);
        }
        let done = done.map_err(|error| match error {
            Error::Choice(choice) => PyValueError::new_err(choice.to_string()),
            Error::Stuck(stuck) => PyRuntimeError::new_err(stuck.to_string()),
        })?;
        let summary = Summary::new(&done, workload, &options);
        Ok((done, summary))
    }
}

/// A trace's name without its folder.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// A policy as the command line writes it.
pub fn choice(text: &str) -> PyResult<Choice> {
    text.parse().map_err(wrong)
}

/// A value of Python's that holds what the command prints as JSON.
pub fn loaded<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value).map_err(wrong)?;
    py.import("json")?.getattr("loads")?.call1((text,))
}

/// One replay of a trace, which :func:`simulate` returns: the schedule of every job, and the measures.
#[pyclass(frozen, module = "surefill")]
pub struct Replay {
    outcome: Outcome,
    summary: Summary,
}

#[pymethods]
impl Replay {
    /// A :class:`Table` with a row for each job, in order of submission.
    ///
    /// Its columns are ``number``, ``user``, ``submit_s``, ``start_s``, ``end_s``, ``wait_s``, ``processors`` and
    /// ``limit_s``. For jobs that were backfilled there are also ``head``, the number of the head job that they
    /// overtook, ``predicted_delay``, the delay of the head job that the policy predicted, in its criterion's unit (0
    /// with policies that promise no delay), and ``observed_delay_s``, the seconds by which the backfilled job really
    /// moved the head job's earliest start. These are None for other jobs.
    #[getter]
    fn jobs(&self) -> Table {
        let jobs = &self.outcome.jobs;
        let int = |of: fn(&surefill_simulator::replay::outcome::JobRecord) -> i64| {
            Column::Int(jobs.iter().map(|job| Some(of(job))).collect())
        };
        let backfills = || jobs.iter().map(|job| job.backfill);
        let columns = [
            ("number", int(|job| job.number)),
            ("user", int(|job| job.user)),
            ("submit_s", int(|job| job.submit)),
            ("start_s", int(|job| job.start)),
            ("end_s", int(|job| job.end)),
            ("wait_s", int(|job| job.start - job.submit)),
            ("processors", int(|job| job.processors.into())),
            ("limit_s", int(|job| job.limit)),
            ("head", Column::Int(backfills().map(|one| Some(one?.head)).collect())),
            ("predicted_delay", Column::Float(backfills().map(|one| Some(one?.predicted)).collect())),
            ("observed_delay_s", Column::Int(backfills().map(|one| Some(one?.observed_delay)).collect())),
        ];
        Table { columns: columns.into_iter().map(|(name, column)| (name.to_owned(), column)).collect() }
    }

    /// A dictionary of the measures as ``surefill simulate --json`` prints them.
    ///
    /// Names that end in ``_s`` are seconds; shares are from 0 to 1.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loaded(py, &self.summary)
    }

    /// Writes the schedule as a CSV file that evalys reads with ``JobSet.from_csv``.
    ///
    /// Times are seconds from the first submission. Each job is given the lowest processors that are free when it
    /// starts. Raises OSError when the file cannot be written.
    fn to_evalys(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let file = File::create(&path).map_err(|error| of_file(py, &path, &error))?;
        let mut out = BufWriter::new(file);
        evalys::write(&mut out, &self.outcome)?;
        Ok(out.flush()?)
    }

    fn __repr__(&self) -> String {
        let (setup, mean) = (&self.summary.setup, &self.summary.mean);
        let wait = mean.mean_wait_s / 60.0;
        format!(
            "<surefill.Replay: {} on {}, {} jobs, mean wait {wait:.1} min>",
            name_of(setup.policy),
            setup.trace,
            mean.jobs
        )
    }
}

/// Replays a trace under one policy; `surefill/__init__.py` has the defaults and the docstring.
#[pyfunction]
#[pyo3(signature = (trace, *, procs, limit_jobs, overrun, seed, reading, options))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn simulate(
    py: Python<'_>,
    trace: PathBuf,
    procs: Option<Bound<'_, PyAny>>,
    limit_jobs: Option<Bound<'_, PyAny>>,
    overrun: &str,
    seed: Bound<'_, PyAny>,
    reading: ReadAs,
    options: Vec<(String, String)>,
) -> PyResult<Replay> {
    let setting = Setting::new(options, procs, limit_jobs, overrun, &seed, None)?;
    let policy = setting.replaying.policy().map_err(|why| wrong(in_python(&why)))?;
    let name = file_name(&trace);
    let read = reading.read(py, &trace)?;
    let workload = Workload::new(&read, &setting.replaying.rules(&name)).map_err(wrong)?;
    let (run, summary) = setting.run(py, &name, &workload, policy)?;
    Ok(Replay { outcome: run.first, summary })
}

/// Replays traces under several policies; `surefill/__init__.py` has the defaults and the docstring.
#[pyfunction]
#[pyo3(signature = (traces, policies, *, procs, limit_jobs, overrun, seed, seeds, html, reading, options))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn compare(
    py: Python<'_>,
    traces: Vec<PathBuf>,
    policies: Option<Vec<String>>,
    procs: Option<Bound<'_, PyAny>>,
    limit_jobs: Option<Bound<'_, PyAny>>,
    overrun: &str,
    seed: Bound<'_, PyAny>,
    seeds: Bound<'_, PyAny>,
    html: Option<PathBuf>,
    reading: ReadAs,
    options: Vec<(String, String)>,
) -> PyResult<Table> {
    let setting = Setting::new(options, procs, limit_jobs, overrun, &seed, Some(&seeds))?;
    let named: Option<Vec<Choice>> =
        policies.map(|all| all.iter().map(|text| choice(text)).collect::<PyResult<_>>()).transpose()?;
    let policies = setting.replaying.policies(named.as_deref()).map_err(|why| wrong(in_python(&why)))?;
    let mut rows = Vec::new();
    let mut sections = Vec::new();
    let mut compared = Vec::new();
    for path in &traces {
        let read = reading.read(py, path)?;
        let name = file_name(path);
        let workload = Workload::new(&read, &setting.replaying.rules(&name)).map_err(wrong)?;
        let mut runs = Vec::new();
        for policy in &policies {
            let (run, summary) = setting.run(py, &name, &workload, policy.clone())?;
            rows.push(row(&summary)?);
            if html.is_some() {
                runs.push((run, summary));
            }
        }
        if html.is_some() {
            sections.push(report::section(&runs, None));
            let policies = runs.into_iter().map(|(_, summary)| summary).collect();
            let recorded = Recorded::of(&workload.jobs);
            let remarks = read.remarks.clone();
            compared.push(Compared { trace: name, policies, published: None, recorded, remarks });
        }
    }
    if let Some(path) = html {
        let policies: Vec<String> = policies.iter().map(|(choice, _)| choice.to_string()).collect();
        let command = format!("surefill.compare(..., {policies:?})");
        let page =
            report::comparison("Scheduling policies compared", &compared, &sections, &command, &today());
        std::fs::write(&path, page).map_err(|error| of_file(py, &path, &error))?;
    }
    Ok(table(rows))
}

/// The policy's name on the page, then a summary's setup, means and spread: the columns of `compare --csv`.
fn row(summary: &Summary) -> PyResult<Vec<(String, serde_json::Value)>> {
    let mut row = vec![("label".to_owned(), report::label(&summary.setup).into())];
    let mut add = |prefix: &str, value: serde_json::Value| {
        if let serde_json::Value::Object(fields) = value {
            row.extend(fields.into_iter().map(|(key, value)| (format!("{prefix}{key}"), value)));
        }
    };
    add("", serde_json::to_value(&summary.setup).map_err(wrong)?);
    add("", serde_json::json!({ "seeds": summary.seeds }));
    add("", serde_json::to_value(summary.mean).map_err(wrong)?);
    if let Some(spread) = summary.spread {
        add("spread_", serde_json::to_value(spread).map_err(wrong)?);
    }
    Ok(row)
}

/// Rows as a table; values that a row does not have are null.
fn table(rows: Vec<Vec<(String, serde_json::Value)>>) -> Table {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flatten() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let column = |name: &str| {
        let cell = |row: &Vec<(String, serde_json::Value)>| {
            let found = row.iter().find(|cell| cell.0 == name);
            found.map_or(serde_json::Value::Null, |cell| cell.1.clone())
        };
        (name.to_owned(), Column::of_json(rows.iter().map(cell).collect()))
    };
    Table { columns: names.into_iter().map(column).collect() }
}

/// A dictionary of a core answer.
pub fn dict<'py>(py: Python<'py>, values: &[(&str, Option<f64>)]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in values {
        dict.set_item(key, value)?;
    }
    Ok(dict)
}
