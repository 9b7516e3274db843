//! Choice of the waiting jobs that may start ahead of the head job.

use super::{Distribution, block, count, wrong};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use surefill::backfill::{self, Criterion, PassCapacity, Rule, Step};
use surefill::error::Error;

/// One scheduling pass: the choice of the waiting jobs that may start ahead of the head job, the first of the queue.
///
/// A candidate may start when it delays the head job by less than a threshold, as a probability, in seconds or in parts
/// of the head job's wait. Nissimov & Feitelson 2007 have this rule and bound the probability from below; here it is
/// computed exactly. Every run time is a :class:`Distribution`.
///
/// ``processors`` is the size of the machine (1 to 2^24), ``running`` and ``candidates`` are the largest numbers of
/// running jobs and of candidates (at most 2^20), ``events_per_bin`` the number of instants into which a bin of a run
/// time is divided (1 to 16; the paper has 1). A larger machine or more jobs need more memory.
///
/// The calls are, in this order, :meth:`begin`, :meth:`add_running` and :meth:`add_candidate` for each job, and
/// :meth:`decide`. The same object serves one pass after the other. It remembers by how much backfilled jobs have
/// delayed this head job and the last few before it, which the ``budget`` and the ``slip`` of :meth:`decide` limit.
///
/// Five of eight processors are busy for another 100 seconds, and the head job wants all eight. A job of 200 seconds on
/// the three idle ones would delay it, one of 60 seconds does not:
///
///     >>> import surefill
///     >>> jobs = surefill.Pass(processors=8)
///     >>> jobs.begin(1000, idle=3, head=7, head_processors=8)
///     >>> _ = jobs.add_running(5, 0, 100, surefill.Distribution.limit())
///     >>> long = jobs.add_candidate(3, 200, surefill.Distribution.limit())
///     >>> short = jobs.add_candidate(3, 60, surefill.Distribution.limit())
///     >>> jobs.decide(criterion="probability", threshold=0.05) == [short]
///     True
///     >>> jobs.judgements()
///     [(1.0, 'Refused'), (0.0, 'Accepted')]
#[pyclass(module = "surefill")]
pub struct Pass {
    memory: Vec<u64>,
    candidates: usize,
}

impl Pass {
    fn with<T>(&mut self, act: impl FnOnce(&mut backfill::Pass<'_>) -> Result<T, Error>) -> PyResult<T> {
        let memory = bytemuck::cast_slice_mut(&mut self.memory);
        backfill::Pass::attach(memory).and_then(|mut pass| act(&mut pass)).map_err(wrong)
    }
}

#[pymethods]
impl Pass {
    #[new]
    #[pyo3(signature = (*, processors, running = 256, candidates = 256, events_per_bin = 4))]
    fn new(
        #[pyo3(from_py_with = count)] processors: u32,
        #[pyo3(from_py_with = count)] running: u32,
        #[pyo3(from_py_with = count)] candidates: u32,
        #[pyo3(from_py_with = count)] events_per_bin: u32,
    ) -> PyResult<Pass> {
        let capacity =
            PassCapacity { running, candidates, processors, events_per_bin, ..PassCapacity::default() };
        let mut memory = block(backfill::Pass::size(&capacity).map_err(wrong)?);
        backfill::Pass::init(bytemuck::cast_slice_mut(&mut memory), &capacity).map_err(wrong)?;
        Ok(Pass { memory, candidates: 0 })
    }

    /// Begins a pass at second ``now``; the jobs of the pass before are forgotten.
    ///
    /// ``idle`` is the number of idle processors. ``head`` is the head job's id, any whole number of yours,
    /// ``head_processors`` the number that it needs, ``head_waited`` the seconds for which it has waited (the ``slip``
    /// of :meth:`decide` counts them).
    ///
    /// Raises ValueError when the head job fits the idle processors (start it, and begin with the next one), for more
    /// processors than the machine has, and for times out of range.
    #[pyo3(signature = (now, *, idle, head, head_processors, head_waited = 0))]
    fn begin(
        &mut self,
        now: i64,
        #[pyo3(from_py_with = count)] idle: u32,
        head: i64,
        #[pyo3(from_py_with = count)] head_processors: u32,
        head_waited: i64,
    ) -> PyResult<()> {
        self.candidates = 0;
        self.with(|pass| {
            pass.begin(now, idle, head, head_processors)?;
            pass.set_head_waited(head_waited)
        })
    }

    /// Adds a running job and returns its index, counted from 0.
    ///
    /// It holds ``processors`` (at least 1), has run for ``age`` seconds under a time limit of ``limit`` seconds (2^40
    /// for no limit), and ``runtime`` is its predicted whole run time.
    ///
    /// Raises ValueError when the running jobs and the idle processors are more than the machine has, for a job more
    /// than ``running``, for numbers out of range, and when the pass has not begun or something is decided already.
    fn add_running(
        &mut self,
        #[pyo3(from_py_with = count)] processors: u32,
        age: i64,
        limit: i64,
        runtime: &Distribution,
    ) -> PyResult<usize> {
        self.with(|pass| pass.add_running(processors, age, limit, &runtime.0))
    }

    /// Adds a waiting job that may be backfilled and returns its index, counted from 0.
    ///
    /// Candidates are tried in the order in which they are added. ``limit`` is the job's time limit in seconds. The
    /// lists that :meth:`decide` and :meth:`judgements` return go by the index.
    ///
    /// Raises ValueError for a job more than ``candidates``, for numbers out of range, and when the pass has not begun
    /// or something is decided already.
    fn add_candidate(
        &mut self,
        #[pyo3(from_py_with = count)] processors: u32,
        limit: i64,
        runtime: &Distribution,
    ) -> PyResult<usize> {
        let index = self.with(|pass| pass.add_candidate(processors, limit, &runtime.0))?;
        self.candidates = index + 1;
        Ok(index)
    }

    /// Returns the indices of the candidates to start, in this order. Each counts as running for those after it.
    ///
    /// A candidate is accepted when it fits the idle processors and its delay of the head job is strictly below
    /// ``threshold``. ``criterion`` is the measure of the delay:
    ///
    /// * ``"probability"``: the exact probability that it delays the head job, from 0 to 1;
    /// * ``"bound"``: the lower bound of that probability by Nissimov & Feitelson 2007, Algorithm 2;
    /// * ``"seconds"``: the expected delay in seconds;
    /// * ``"relative"``: the expected delay divided by the head job's expected remaining wait.
    ///
    /// ``budget`` is the most that the delays of all accepted candidates may add up to for one head job, in the
    /// criterion's unit. ``slip`` is the most that their expected seconds may add up to, divided by the head job's
    /// whole expected wait; only for ``"seconds"`` and ``"relative"``. Neither limits anything unless it is given. With
    /// ``or_easy`` a candidate is accepted, whatever its delay, if EASY would start it by the time limits; with
    /// ``unmeasured`` as well its delay is not computed, and reported as 0, and on wide machines the delays of others
    /// may be bounds on the threshold's side of them, unless budget or slip need them. The decisions are the same.
    ///
    /// A pass is decided once. Raises KeyError for another criterion; ValueError for negative numbers, for a slip with
    /// the other criteria, before :meth:`begin`, and when the rule changes in the middle of a decision.
    #[pyo3(signature = (*, criterion = "relative", threshold = 0.05, budget = f64::INFINITY, slip = f64::INFINITY, or_easy = false, unmeasured = false))]
    fn decide(
        &mut self,
        criterion: &str,
        threshold: f64,
        budget: f64,
        slip: f64,
        or_easy: bool,
        unmeasured: bool,
    ) -> PyResult<Vec<usize>> {
        let criterion = match criterion {
            "probability" => Criterion::Probability,
            "bound" => Criterion::Bound,
            "seconds" => Criterion::Seconds,
            "relative" => Criterion::Relative,
            other => return Err(PyKeyError::new_err(format!("no criterion is named '{other}'"))),
        };
        let rule = Rule { criterion, threshold, budget, slip, or_easy, unmeasured, ..Rule::EXACT };
        self.with(|pass| {
            let mut accepted = Vec::new();
            while let Step::Accept(index) = pass.decide(&rule, u64::MAX)? {
                pass.commit(index)?;
                accepted.push(index);
            }
            Ok(accepted)
        })
    }

    /// A list of pairs, one for each candidate by index: the delay it was judged by, and the verdict.
    ///
    /// The delay of the head job is in the criterion's unit. That of a refused candidate may be too small, as the
    /// computation ends when the threshold is reached. The verdicts are:
    ///
    /// * ``"Accepted"``: it may start;
    /// * ``"Refused"``: its delay reaches the threshold;
    /// * ``"OverBudget"``: its delay is below the threshold, but budget or slip do not allow it;
    /// * ``"DoesNotFit"``: it needs more processors than are idle;
    /// * ``"HeadNever"``: the head job cannot start even when all running jobs have ended;
    /// * ``"Undecided"``: :meth:`decide` has not judged it yet.
    ///
    /// With the last three nothing was judged, and the delay is 0.
    fn judgements(&mut self) -> PyResult<Vec<(f64, String)>> {
        let count = self.candidates;
        self.with(|pass| {
            (0..count)
                .map(|index| {
                    let judgement = pass.judgement(index)?;
                    Ok((judgement.delay, format!("{:?}", judgement.verdict)))
                })
                .collect()
        })
    }

    /// The second by which the head job has started with this ``probability`` if nothing else is backfilled.
    ///
    /// It is on the clock of :meth:`begin`; accepted candidates count as running. ``probability`` is above 0 and at
    /// most 1.
    ///
    /// Raises ValueError for other probabilities, before :meth:`begin`, and when the running jobs together do not free
    /// enough processors.
    fn head_start_quantile(&mut self, probability: f64) -> PyResult<i64> {
        self.with(|pass| pass.head_start_quantile(probability))
    }

    /// The seconds of :meth:`head_start_quantile` for several ``probabilities``, which must ascend, as a list.
    ///
    /// One walk over the instants at which jobs may end finds all of them, also where many may end at one instant. Call
    /// it before :meth:`decide`, or in a pass that decides nothing.
    ///
    /// Raises ValueError as :meth:`head_start_quantile` does, for probabilities that descend, and in the middle of a
    /// decision.
    fn head_start_quantiles(&mut self, probabilities: Vec<f64>) -> PyResult<Vec<i64>> {
        let mut whens = vec![0; probabilities.len()];
        self.with(|pass| pass.head_start_quantiles(&probabilities, &mut whens, u64::MAX))?;
        Ok(whens)
    }
}
