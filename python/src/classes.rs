//! Policies, predictors and queue orders that are Python classes.
//!
//! The simulator's traits return no errors. An exception of Python's is kept, the object makes no more calls, and the
//! replay's caller raises it when the replay is over.

use crate::cluster::{Cluster, Job, OnNodes};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use surefill::nodes::Part;
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
            let Some(object) = self.job(py, job) else { return };
            self.call(py, method, || match now {
                Some(now) => (object, now).into_pyobject(py),
                None => (object,).into_pyobject(py),
            });
        });
    }

    fn end(&mut self, method: &str, job: &workload::Job, now: Option<i64>) {
        Python::attach(|py| {
            if let Some(object) = self.job(py, job) {
                object.get().ran.store(job.run_time, Ordering::Relaxed);
            }
        });
        self.tell(method, job, now);
        // No further call concerns this job.
        if let Some(known) = self.jobs.get_mut(job.id) {
            *known = None;
        }
    }
}

struct PyPolicy {
    object: Object,
    /// Predictor and order that the policy was named with.
    parts: Parts,
}

impl PyPolicy {
    /// Lets the object make one pass. Returns the jobs that it starts, with their nodes; `None` when it failed.
    fn pass(&mut self, cluster: &mut machine::Cluster<'_>) -> Option<Vec<(usize, Vec<Part>)>> {
        let PyPolicy { object, .. } = self;
        Python::attach(|py| {
            let queue: Option<Vec<_>> =
                cluster.queue().iter().map(|&id| object.job(py, cluster.job(id))).collect();
            let running = cluster.running().iter().map(|running| {
                let job = object.job(py, cluster.job(running.job))?;
                Some((job, running.start, cluster.handle(running.job)))
            });
            let running: Option<Vec<_>> = running.collect();
            let seen = Cluster {
                now: cluster.now(),
                idle_processors: cluster.idle(),
                processors: cluster.processors(),
                queue: queue?,
                running: running?,
                on_nodes: cluster.has_nodes(),
                nodes: None,
                started: Vec::new(),
                over: false,
            };
            let made = Py::new(py, seen);
            let seen = object.kept(py, made)?;
            seen.borrow_mut(py).nodes = OnNodes::take(cluster);
            if object.object.as_ref().is_some_and(|own| !own.bind(py).hasattr("schedule").unwrap_or(false)) {
                let missing = PyTypeError::new_err("a policy has a method schedule(cluster)");
                object.kept::<()>(py, Err(missing));
            }
            object.call(py, "schedule", || (seen.clone_ref(py),).into_pyobject(py));
            let mut seen = seen.borrow_mut(py);
            seen.over = true;
            if let Some(nodes) = seen.nodes.take() {
                cluster.put_nodes(nodes.restored());
            }
            Some(std::mem::take(&mut seen.started))
        })
    }
}

impl Policy for PyPolicy {
    fn submitted(&mut self, job: &workload::Job, now: i64) {
        self.parts.submitted(job);
        Python::attach(|py| {
            if let Some(seen) = self.object.job(py, job) {
                seen.get().predicted.store(self.parts.predicted(job.id), Ordering::Relaxed);
            }
        });
        self.object.tell("submitted", job, Some(now));
    }

    fn started(&mut self, job: &workload::Job, now: i64) {
        self.parts.started(job, now);
        self.object.tell("started", job, Some(now));
    }

    fn ended(&mut self, job: &workload::Job, now: i64) {
        self.parts.ended(job, now);
        self.object.end("ended", job, Some(now));
    }

    fn knows_nodes(&self) -> bool {
        true
    }

    fn schedule(&mut self, cluster: &mut machine::Cluster<'_>) {
        self.parts.sort_queue(cluster);
        let started = self.pass(cluster);
        let failed = self.object.failed.load(Ordering::Relaxed);
        match started {
            Some(started) if !failed => {
                for (id, parts) in started {
                    if parts.is_empty() {
                        cluster.start_job(id);
                    } else {
                        cluster.start_on(id, &parts).expect("nodes that the pass has found free");
                    }
                }
            }
            // Without an object the replay starts jobs in order, to be over soon.
            _ => cluster.start_heads(),
        }
    }
}

struct PyPredictor(Object);

impl PointPredictor for PyPredictor {
    fn predict(&mut self, job: &workload::Job) -> i64 {
        let predicted = Python::attach(|py| {
            let object = self.0.job(py, job)?;
            let value = self.0.call(py, "predict", || (object,).into_pyobject(py));
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
            let object = self.0.job(py, job)?;
            let value = self.0.call(py, "value", || (object, now, predicted).into_pyobject(py));
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
            let build = move |parts: Parts| -> Box<dyn Policy> {
                Box::new(PyPolicy { object: Object::new(&class), parts })
            };
            add_policy(name, about, build).map(name_of)
        }
        "predictor" => {
            add_predictor(name, about, move || Box::new(PyPredictor(Object::new(&class)))).map(name_of)
        }
        "order" => add_order(name, about, move || Box::new(PyOrder(Object::new(&class)))).map(name_of),
        other => return Err(PyValueError::new_err(format!("'{other}' is not policy, predictor or order"))),
    };
    added.map_err(|error| PyValueError::new_err(error.to_string()))
}
