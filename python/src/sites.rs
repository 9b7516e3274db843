//! `what_if`, `import_log` and `predict_wait`: the answers of the command's verbs, as its JSON has them.
//!
//! `surefill/answers.py` makes objects of them, `surefill/__init__.py` has the defaults and the docstrings.

use crate::classes::take_error;
use crate::errors::{of_file, of_writing, whole, wrong};
use crate::reading::ReadAs;
use crate::replays::{choice, file_name, loaded};
use clap::ValueEnum;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use surefill_simulator::base::span::{positive, span};
use surefill_simulator::base::whole as files;
use surefill_simulator::cli::today;
use surefill_simulator::live::history::{self, time};
use surefill_simulator::live::methods::{By, Method};
use surefill_simulator::live::site::{Question, Refused, SiteOptions};
use surefill_simulator::live::what_if::{Ask, AskError, unknowns};
use surefill_simulator::replay::policy::name_of;
use surefill_simulator::report::what_if::{page, sentences};
use surefill_simulator::trace::import::{self, Imported, gzipped, write_as};
use surefill_simulator::trace::record::lost;
use surefill_simulator::trace::site::Site;

/// Most replays of each policy, as on the command line.
const MOST_SEEDS: u64 = 100_000;

/// An argument's value by a function that reads texts.
fn read<T>(name: &str, text: Option<String>, by: fn(&str) -> Result<T, String>) -> PyResult<Option<T>> {
    text.map(|text| by(&text).map_err(|why| wrong(format!("{name}: {why}")))).transpose()
}

fn moment(text: &str) -> Result<i64, String> {
    time(text)?.ok_or_else(|| "not a time".to_owned())
}

/// Replays a history under another policy.
#[pyfunction]
#[pyo3(signature = (history, policy, *, instead_of, procs, site, seeds, since, until, last, html, reading))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn what_if<'py>(
    py: Python<'py>,
    history: PathBuf,
    policy: Option<&str>,
    instead_of: Option<&str>,
    procs: Option<Bound<'_, PyAny>>,
    site: Option<Vec<PathBuf>>,
    seeds: Bound<'_, PyAny>,
    since: Option<String>,
    until: Option<String>,
    last: Option<String>,
    html: Option<PathBuf>,
    reading: ReadAs,
) -> PyResult<Bound<'py, PyAny>> {
    if since.is_some() && last.is_some() {
        return Err(PyValueError::new_err(
            "since and last both say when the period begins: give one of them",
        ));
    }
    if site.is_some() && procs.is_some() {
        return Err(PyValueError::new_err(
            "site and procs both say how large the machine is: give one of them",
        ));
    }
    let site = site.map(|files| Site::of_files(files.iter().map(PathBuf::as_path))).transpose();
    let ask = Ask {
        site: site.map_err(PyValueError::new_err)?.map(Arc::new),
        procs: procs.map(|value| whole("procs", &value, 1, u32::MAX)).transpose()?,
        with: policy.map(choice).transpose()?,
        instead_of: instead_of.map(choice).transpose()?,
        seeds: NonZeroU64::new(whole("seeds", &seeds, 1, MOST_SEEDS)?).unwrap_or(NonZeroU64::MIN),
        from: since,
        to: until,
        last: read("last", last, positive)?,
    };
    ask.check().map_err(refused)?;
    let trace = reading.read(py, &history)?;
    let name = file_name(&history);
    let asked = ask.of(&name, &trace).map_err(refused)?;
    // Drops an exception left by an earlier replay, which ended with another error.
    let _ = take_error();
    let answer = py.detach(|| asked.answer(&|_| {}));
    if let Some(error) = take_error() {
        return Err(error);
    }
    let answer = answer.map_err(refused)?;
    if let Some(path) = html {
        let command = format!("surefill.what_if(..., '{}', instead_of='{}')", ask.with(), ask.instead_of());
        let page = page(&answer, &command, &today());
        std::fs::write(&path, page).map_err(|error| of_file(py, &path, &error))?;
    }
    let (sentences, unknowns) = (sentences(&answer), unknowns(&answer));
    let mut value = serde_json::to_value(&answer).map_err(wrong)?;
    value["sentences"] = sentences.into();
    value["unknowns"] = unknowns.into();
    loaded(py, &value)
}

fn refused(error: AskError) -> PyErr {
    let why = match &error {
        AskError::Same => "policy and instead_of name the same policy".to_owned(),
        AskError::From(why) => format!("since: {why}"),
        AskError::To(why) => format!("until: {why}"),
        AskError::Run(run) => return PyRuntimeError::new_err(run.to_string()),
        other => other.to_string(),
    };
    PyValueError::new_err(why)
}

/// Makes a trace of accounting.
#[pyfunction]
#[pyo3(signature = (logs, output, *, procs, key, reading))]
pub fn import_log<'py>(
    py: Python<'py>,
    logs: Vec<PathBuf>,
    output: Option<PathBuf>,
    procs: Option<Bound<'_, PyAny>>,
    key: Option<PathBuf>,
    reading: ReadAs,
) -> PyResult<Bound<'py, PyAny>> {
    if output.is_none() && key.is_some() {
        return Err(PyValueError::new_err(
            "key changes nothing without output, where the numbers would stand",
        ));
    }
    let procs = procs.map(|value| whole("procs", &value, 1, u32::MAX)).transpose()?;
    let gzip = output.as_deref().map(gzipped).transpose().map_err(wrong)?.unwrap_or(false);
    let real = |path: &Path| path.canonicalize().ok();
    let read = || logs.iter().chain(&key).filter_map(|path| real(path));
    if let Some(path) =
        output.as_deref().filter(|path| real(path).is_some_and(|out| read().any(|log| log == out)))
    {
        return Err(PyValueError::new_err(format!("{}: what is read would be overwritten", path.display())));
    }
    let key = match &key {
        Some(path) => {
            let secret = ReadAs::bytes(py, path)?;
            Some(import::key(&secret, &path.display().to_string()).map_err(wrong)?)
        }
        None => None,
    };
    let paths: Vec<&Path> = logs.iter().map(PathBuf::as_path).collect();
    let mut trace = reading.open(py, &paths)?;
    let imported = Imported::of(&mut trace, procs, key.as_ref());
    if trace.records.is_empty() {
        return Err(PyValueError::new_err(format!("{}: no job", trace.name)));
    }
    reading.accept(&trace.name, trace.losses(), !trace.problems.is_empty() || trace.has_widths())?;
    if let Some(path) = &output {
        let written = py.detach(|| files::write(path, |out| Ok(write_as(out, &trace, procs, gzip)?)));
        written.map_err(|error| of_writing(py, path, &error))?;
    }
    loaded(py, &imported)
}

/// One answer about one job.
#[pyfunction]
#[pyo3(signature = (
    history, *, queue, job, requested, processors, waited, within, start_by, probability, quantile, confidence, methods,
    one_queue, visible, by, adapt, trim, cluster, availability, now, reading
))]
#[expect(clippy::too_many_arguments, clippy::fn_params_excessive_bools, reason = "they have names in Python")]
pub fn predict_wait<'py>(
    py: Python<'py>,
    history: PathBuf,
    queue: Option<String>,
    job: Option<String>,
    requested: String,
    processors: Bound<'_, PyAny>,
    waited: String,
    within: Option<String>,
    start_by: Option<String>,
    probability: Option<f64>,
    quantile: f64,
    confidence: f64,
    methods: Vec<String>,
    one_queue: bool,
    visible: bool,
    by: Option<String>,
    adapt: bool,
    trim: bool,
    cluster: bool,
    availability: bool,
    now: Option<String>,
    reading: ReadAs,
) -> PyResult<Bound<'py, PyAny>> {
    let shares =
        [("quantile", Some(quantile)), ("confidence", Some(confidence)), ("probability", probability)];
    let wrong_share =
        |(_, share): &(&str, Option<f64>)| share.is_some_and(|share| !(share > 0.0 && share < 1.0));
    if let Some((name, _)) = shares.iter().find(|share| wrong_share(share)) {
        return Err(PyValueError::new_err(format!("{name} is above 0 and below 1")));
    }
    if probability.is_some() && start_by.is_none() {
        return Err(PyValueError::new_err("probability changes nothing without start_by"));
    }
    let options = SiteOptions {
        one_queue,
        quantile,
        confidence,
        methods: methods.iter().map(|name| value::<Method>("method", name)).collect::<PyResult<_>>()?,
        no_visible: !visible,
        by: by.map(|name| value::<By>("by", &name)).transpose()?,
        no_adapt: !adapt,
        no_trim: !trim,
        no_cluster: !cluster,
        no_availability: !availability,
    };
    options.check().map_err(|refused| match refused {
        Refused::Unused(option) => {
            let why = refused.to_string().replacen(option, option.trim_start_matches("no_"), 1);
            wrong(format!("{why}: add visible=False"))
        }
        other => wrong(other),
    })?;
    let question = Question {
        queue,
        job,
        requested: read("requested", Some(requested), span)?.unwrap_or(0),
        processors: whole("processors", &processors, 0, u32::MAX)?,
        waited: read("waited", Some(waited), span)?.unwrap_or(0),
        within: read("within", within, span)?,
        quantile: probability,
        start_by: read("start_by", start_by, moment)?,
        ..Question::default()
    };
    let now = read("now", now, str::parse)?;
    let as_read = reading.reading()?;
    let bytes = ReadAs::bytes(py, &history)?;
    let name = history.display().to_string();
    let known = py.detach(|| history::read_as(&bytes, &name, &as_read)).map_err(wrong)?;
    reading.accept(&name, lost(known.entries.len(), &known.problems), !known.problems.is_empty())?;
    let answer = py.detach(|| {
        let mut site = options.site(&known, now).map_err(|error| format!("{name}: {error}"))?;
        site.ask(&question).map_err(|error| error.to_string())
    });
    loaded(py, &answer.map_err(wrong)?)
}

/// A value by its name.
fn value<T: ValueEnum>(what: &str, name: &str) -> PyResult<T> {
    T::from_str(name, false).map_err(|_| {
        let known: Vec<String> = T::value_variants().iter().cloned().map(name_of).collect();
        wrong(format!("{what} '{name}' is not one of {}", known.join(", ")))
    })
}
