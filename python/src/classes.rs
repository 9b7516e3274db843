//! Policies, predictors and queue orders that are Python classes.
//!
//! The simulator's traits return no errors. An exception of Python's is kept, the object makes no more calls, and the
//! replay's caller raises it when the replay is over.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use surefill_simulator::replay::machine;
use surefill_simulator::replay::policy::{Parts, Policy, QueueOrder, name_of};
use surefill_simulator::replay::predict::PointPredictor;
use surefill_simulator::replay::registry::{add_order, add_policy, add_predictor};
use surefill_simulator::trace::workload;

/// The first error of the replays under way.
static ERROR: Mutex<Option<PyErr>> = Mutex::new(None);

/// Takes the exception raised since the last call.
pub fn take_error() -> Option<PyErr> {
    ERROR.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// A job as a scheduler sees it.
///
/// Policies, predictors and orders of your own are given such objects by a replay; they are not made otherwise. User,
/// group, executable, queue and partition are the numbers of the Standard Workload Format, and negative where the trace
/// does not have them.
#[pyclass(frozen, module = "surefill")]
#[derive(Debug)]
pub struct Job {
    /// Its place in the order of submission, counted from 0.
    #[pyo3(get)]
    id: usize,
    /// Its number in the trace: the column ``number`` of :attr:`Replay.jobs`.
    #[pyo3(get)]
    number: i64,
    /// The second of its submission, on the trace's clock.
    #[pyo3(get)]
    submit: i64,
    /// Its time limit in seconds, as requested by the user.
    #[pyo3(get)]
    limit: i64,
    /// The number of processors that it needs.
    #[pyo3(get)]
    processors: u32,
    /// The number of its user in the trace, negative if unknown.
    #[pyo3(get)]
    user: i64,
    /// The number of its user's group or account, negative if unknown.
    #[pyo3(get)]
    group: i64,
    /// The number of the program that it runs, negative if unknown.
    #[pyo3(get)]
    executable: i64,
    /// The number of its queue in the trace, negative if unknown.
    #[pyo3(get)]
    queue: i64,
    /// The number of its partition in the trace, negative if unknown.
    #[pyo3(get)]
    partition: i64,
    /// Its run time in seconds, negative before it has ended.
    run_time: AtomicI64,
}

impl Job {
    fn new(job: &workload::Job) -> Job {
        Job {
            id: job.id,
            number: job.number,
            submit: job.submit,
            limit: job.limit,
            processors: job.processors,
            user: job.user,
            group: job.group,
            executable: job.executable,
            queue: job.queue,
            partition: job.partition,
            run_time: AtomicI64::new(-1),
        }
    }
}

#[pymethods]
impl Job {
    /// The seconds that it ran, or None before it has ended.
    #[getter]
    fn run_time(&self) -> Option<i64> {
        let run_time = self.run_time.load(Ordering::Relaxed);
        (run_time >= 0).then_some(run_time)
    }

    fn __repr__(&self) -> String {
        let Job { number, submit, limit, processors, user, .. } = self;
        format!("Job(number={number}, submit={submit}, limit={limit}, processors={processors}, user={user})")
    }
}

/// The machine during one scheduling pass, which :meth:`Policy.schedule` is given.
///
/// The jobs that a pass starts are reported to the replay when the pass is over. The object is of no use after that.
#[pyclass(module = "surefill")]
pub struct Cluster {
    /// The present second, on the trace's clock.
    #[pyo3(get)]
    now: i64,
    /// The number of processors that no job holds; it falls with every :meth:`start`.
    #[pyo3(get)]
    idle: u32,
    /// The number of all processors of the machine.
    #[pyo3(get)]
    processors: u32,
    queue: Vec<Py<Job>>,
    running: Vec<(Py<Job>, i64)>,
    started: Vec<usize>,
}

#[pymethods]
impl Cluster {
    /// A list of the waiting :class:`Job` objects in order of submission, without those that this pass has started.
    #[getter]
    fn queue<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, &self.queue)
    }

    /// A list of pairs in the order of their starts: a running :class:`Job` and the second at which it started.
    #[getter]
    fn running<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let pairs = self.running.iter().map(|(job, start)| (job, *start));
        PyList::new(py, pairs.collect::<Vec<_>>())
    }

    /// Starts a waiting job now.
    ///
    /// Raises ValueError when it does not wait, and when it needs more processors than are idle.
    fn start(&mut self, py: Python<'_>, job: Py<Job>) -> PyResult<()> {
        let wanted = job.get();
        let found = self.queue.iter().position(|waiting| waiting.get().id == wanted.id);
        let Some(index) = found else {
            return Err(PyValueError::new_err(format!("job {} does not wait", wanted.number)));
        };
        if wanted.processors > self.idle {
            let (number, needs, idle) = (wanted.number, wanted.processors, self.idle);
            return Err(PyValueError::new_err(format!(
                "job {number} needs {needs} processors, {idle} are idle"
            )));
        }
        self.idle -= wanted.processors;
        self.started.push(wanted.id);
        self.running.push((job.clone_ref(py), self.now));
        self.queue.remove(index);
        Ok(())
    }
}

/// An object of a Python class, and the jobs that were passed to it.
struct Object {
    /// None when the class could not be called.
    object: Option<Py<PyAny>>,
    jobs: Vec<Option<Py<Job>>>,
    failed: AtomicBool,
}

impl Object {
    fn new(class: &Py<PyAny>) -> Object {
        let mut new = Object { object: None, jobs: Vec::new(), failed: AtomicBool::new(false) };
        new.object = Python::attach(|py| new.kept(py, class.call0(py)));
        new
    }

    /// The result of a call; `None` for an exception, which is kept.
    fn kept<T>(&self, py: Python<'_>, result: PyResult<T>) -> Option<T> {
        result
            .map_err(|error| {
                self.failed.store(true, Ordering::Relaxed);
                let mut kept = ERROR.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.is_none() {
                    *kept = Some(error.clone_ref(py));
                }
            })
            .ok()
    }

    /// Calls a method, if the object has it and nothing has failed.
    fn call<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        arguments: impl FnOnce() -> PyResult<Bound<'py, PyTuple>>,
    ) -> Option<Bound<'py, PyAny>> {
        if self.failed.load(Ordering::Relaxed) {
            return None;
        }
        let object = self.object.as_ref()?.bind(py);
        let called = || {
            let Some(method) = object.getattr_opt(method)? else { return Ok(None) };
            method.call1(arguments()?).map(Some)
        };
        self.kept(py, called())?
    }

    fn number(&self, py: Python<'_>, value: Option<Bound<'_, PyAny>>) -> Option<f64> {
        let value = value?;
        self.kept(py, value.extract::<f64>())
    }

    /// The job as an object of Python, made at its first use.
    fn job(&mut self, py: Python<'_>, job: &workload::Job) -> Option<Py<Job>> {
        if self.jobs.len() <= job.id {
            self.jobs.resize_with(job.id + 1, || None);
        }
        if self.jobs[job.id].is_none() {
            let made = Py::new(py, Job::new(job));
            self.jobs[job.id] = self.kept(py, made);
        }
        self.jobs[job.id].as_ref().map(|job| job.clone_ref(py))
    }

    /// Calls a method with a job and a time.
    fn tell(&mut self, method: &str, job: &workload::Job, now: Option<i64>) {
        Python::attach(|py| {
            let Some(told) = self.job(py, job) else { return };
            self.call(py, method, || match now {
                Some(now) => (told, now).into_pyobject(py),
                None => (told,).into_pyobject(py),
            });
        });
    }

    fn end(&mut self, method: &str, job: &workload::Job, now: Option<i64>) {
        Python::attach(|py| {
            if let Some(told) = self.job(py, job) {
                told.get().run_time.store(job.run_time, Ordering::Relaxed);
            }
        });
        self.tell(method, job, now);
        // No further call concerns this job.
        if let Some(known) = self.jobs.get_mut(job.id) {
            *known = None;
        }
    }
}

struct PyPolicy(Object);

impl Policy for PyPolicy {
    fn submitted(&mut self, job: &workload::Job, now: i64) {
        self.0.tell("submitted", job, Some(now));
    }

    fn started(&mut self, job: &workload::Job, now: i64) {
        self.0.tell("started", job, Some(now));
    }

    fn ended(&mut self, job: &workload::Job, now: i64) {
        self.0.end("ended", job, Some(now));
    }

    fn schedule(&mut self, cluster: &mut machine::Cluster<'_>) {
        let started = Python::attach(|py| {
            let queue: Option<Vec<_>> =
                cluster.queue().iter().map(|&id| self.0.job(py, cluster.job(id))).collect();
            let running = cluster.running().iter();
            let running: Option<Vec<_>> = running
                .map(|running| Some((self.0.job(py, cluster.job(running.job))?, running.start)))
                .collect();
            let seen = Cluster {
                now: cluster.now(),
                idle: cluster.idle(),
                processors: cluster.processors(),
                queue: queue?,
                running: running?,
                started: Vec::new(),
            };
            let made = Py::new(py, seen);
            let seen = self.0.kept(py, made)?;
            if self
                .0
                .object
                .as_ref()
                .is_some_and(|object| !object.bind(py).hasattr("schedule").unwrap_or(false))
            {
                let missing = PyTypeError::new_err("a policy has a method schedule(cluster)");
                self.0.kept::<()>(py, Err(missing));
            }
            self.0.call(py, "schedule", || (seen.clone_ref(py),).into_pyobject(py));
            Some(std::mem::take(&mut seen.borrow_mut(py).started))
        });
        let failed = self.0.failed.load(Ordering::Relaxed);
        match started {
            Some(started) if !failed => started.into_iter().for_each(|id| cluster.start_job(id)),
            // Without an object the replay starts jobs in order, to be over soon.
            _ => cluster.start_heads(),
        }
    }
}

struct PyPredictor(Object);

impl PointPredictor for PyPredictor {
    fn predict(&mut self, job: &workload::Job) -> i64 {
        let predicted = Python::attach(|py| {
            let told = self.0.job(py, job)?;
            let value = self.0.call(py, "predict", || (told,).into_pyobject(py));
            let number = self.0.number(py, value)?;
            if number.is_nan() {
                let wrong = PyValueError::new_err("predict returned what is no number");
                self.0.kept::<()>(py, Err(wrong));
            }
            Some(number)
        });
        // The conversion saturates. Beyond the limit a job is killed, and none takes less than a second.
        predicted.map_or(job.limit, |seconds| seconds.round() as i64).min(job.limit).max(1)
    }

    fn finished(&mut self, job: &workload::Job) {
        self.0.end("finished", job, None);
    }
}

struct PyOrder(Object);

impl QueueOrder for PyOrder {
    fn value(&mut self, job: &workload::Job, now: i64, predicted: i64) -> f64 {
        let value = Python::attach(|py| {
            let told = self.0.job(py, job)?;
            let value = self.0.call(py, "value", || (told, now, predicted).into_pyobject(py));
            self.0.number(py, value)
        });
        value.unwrap_or(f64::NAN)
    }

    fn started(&mut self, job: &workload::Job, now: i64) {
        self.0.tell("started", job, Some(now));
    }

    fn ended(&mut self, job: &workload::Job, now: i64) {
        self.0.end("ended", job, Some(now));
    }
}

/// Makes a class known as a policy, a predictor or an order by this name; `surefill/__init__.py` calls it.
#[pyfunction]
#[pyo3(signature = (kind, class, name, about = ""))]
pub fn register(kind: &str, class: Py<PyAny>, name: &str, about: &str) -> PyResult<String> {
    let added = match kind {
        "policy" => {
            add_policy(name, about, move |_: Parts| Box::new(PyPolicy(Object::new(&class)))).map(name_of)
        }
        "predictor" => {
            add_predictor(name, about, move || Box::new(PyPredictor(Object::new(&class)))).map(name_of)
        }
        "order" => add_order(name, about, move || Box::new(PyOrder(Object::new(&class)))).map(name_of),
        other => return Err(PyValueError::new_err(format!("'{other}' is not policy, predictor or order"))),
    };
    added.map_err(|error| PyValueError::new_err(error.to_string()))
}
