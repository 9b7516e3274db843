//! Choice of the number of processors of a malleable job.

use super::{block, count, wrong};
use crate::replays::dict;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use surefill::allocate::{self, ChoiceOptions, LogUniform, SizingCapacity, Speedup};
use surefill::error::Error;

/// The number of processors that a malleable job should take: those that are free now, or more of them later.
///
/// It takes the number for which the expected wait and the run time are shortest together (Downey 1997,
/// UCB/CSD-97-929). Lifetimes of the running jobs are log-uniform (equations 4 and 5 of the paper). The expected wait
/// is computed exactly, where the paper approximates it.
///
/// ``processors`` is the size of the machine (1 to 2^24), ``running`` the largest number of running jobs (at most
/// 2^20). The calls are, in this order, :meth:`begin`, :meth:`add_running` for each running job, and :meth:`choose` as
/// often as you like.
///
/// With 60 of 64 processors idle a job of average parallelism 32 starts at once:
///
///     >>> import surefill
///     >>> sizing = surefill.Sizing(processors=64)
///     >>> sizing.begin(60)
///     >>> sizing.add_running(4, 10.0, shortest=1.0, longest=100.0)
///     >>> choice = sizing.choose(sequential=1000.0, parallelism=32.0, sigma=0.0)
///     >>> choice["processors"], choice["wait_s"], choice["run_time_s"]
///     (32, 0.0, 31.25)
#[pyclass(module = "surefill")]
pub struct Sizing {
    memory: Vec<u64>,
}

impl Sizing {
    fn with<T>(&mut self, act: impl FnOnce(&mut allocate::Sizing<'_>) -> Result<T, Error>) -> PyResult<T> {
        let memory = bytemuck::cast_slice_mut(&mut self.memory);
        allocate::Sizing::attach(memory).and_then(|mut sizing| act(&mut sizing)).map_err(wrong)
    }
}

#[pymethods]
impl Sizing {
    #[new]
    #[pyo3(signature = (*, processors, running = 256))]
    fn new(
        #[pyo3(from_py_with = count)] processors: u32,
        #[pyo3(from_py_with = count)] running: u32,
    ) -> PyResult<Sizing> {
        let capacity = SizingCapacity { processors, running, ..SizingCapacity::default() };
        let mut memory = block(allocate::Sizing::size(&capacity).map_err(wrong)?);
        allocate::Sizing::init(bytemuck::cast_slice_mut(&mut memory), &capacity).map_err(wrong)?;
        Ok(Sizing { memory })
    }

    /// Begins anew with ``idle`` idle processors and no running job; jobs added before are forgotten.
    ///
    /// Raises ValueError for more processors than the machine has.
    fn begin(&mut self, #[pyo3(from_py_with = count)] idle: u32) -> PyResult<()> {
        self.with(|sizing| sizing.begin(idle))
    }

    /// Adds a running job, which holds ``processors`` (at least 1) and has run for ``age`` seconds (0 to 2^40).
    ///
    /// Lifetimes of such jobs are log-uniform from ``shortest`` to ``longest`` seconds.
    ///
    /// Raises ValueError when the running jobs and the idle processors are more than the machine has, for a job more
    /// than ``running``, for numbers out of range, and before :meth:`begin`.
    #[pyo3(signature = (processors, age, *, shortest, longest))]
    fn add_running(
        &mut self,
        #[pyo3(from_py_with = count)] processors: u32,
        age: f64,
        shortest: f64,
        longest: f64,
    ) -> PyResult<()> {
        let lifetime = LogUniform::new(shortest, longest).map_err(wrong)?;
        self.with(|sizing| sizing.add_running(processors, age, &lifetime))
    }

    /// Returns the best choice for a job, a dictionary of ``processors``, ``wait_s`` and ``run_time_s``.
    ///
    /// The job takes ``sequential`` seconds on one processor. Its speedup is Downey's (equations 1 to 3), with the
    /// average parallelism ``parallelism`` (1 to 2^40) and with ``sigma``, about the squared coefficient of variation
    /// of the parallelism (from 0). It takes at most ``most`` processors, or the whole machine unless that is given. A
    /// second of waiting costs as much as ``weight`` seconds of run time (0 to 2^40).
    ///
    /// ``wait_s`` is the expected wait in seconds, 0 if the job should start now; ``run_time_s`` is the run time on the
    /// processors chosen. Of two equally good numbers of processors the smaller one is taken.
    ///
    /// Raises ValueError for numbers out of range, when neither the idle nor the busy processors suffice, and before
    /// :meth:`begin`.
    #[pyo3(signature = (*, sequential, parallelism, sigma, most = u32::MAX, weight = 1.0))]
    fn choose<'py>(
        &mut self,
        py: Python<'py>,
        sequential: f64,
        parallelism: f64,
        sigma: f64,
        #[pyo3(from_py_with = count)] most: u32,
        weight: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let speedup = Speedup::new(parallelism, sigma).map_err(wrong)?;
        let options = ChoiceOptions { most, weight, ..ChoiceOptions::default() };
        let run_time = |processors: u32| speedup.run_time(sequential, processors).unwrap_or(f64::NAN);
        let choice = self.with(|sizing| sizing.choose(&options, None, run_time))?;
        let numbers = dict(py, &[("wait_s", Some(choice.wait)), ("run_time_s", Some(choice.run_time))])?;
        numbers.set_item("processors", choice.processors)?;
        Ok(numbers)
    }
}
