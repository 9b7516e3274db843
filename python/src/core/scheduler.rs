//! A batch scheduler without a machine.

use super::record::Recorder;
use super::words::{
    self, Answer, NODE_STATES, REASONS, STATES, amounts, answer, as_dict, explained, named, wants,
};
use super::{Distribution, block, count, reasons, wrong};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::collections::HashMap;
use std::path::PathBuf;
use surefill::engine::{
    self, Action, Cycle, JobReport, NodeReport, Reason, SchedulerCapacity, StartForecast,
};
use surefill::error::Error;
use surefill::nodes::Part;

/// Number of jobs for which there is room at first.
const JOBS: u32 = 1000;

/// Number of times that a decision is begun anew because the manager has reported less room meanwhile.
const ANEW: usize = 16;

/// The number of a user of this name; without a name that of an unknown one.
fn user_number(name: &str) -> i64 {
    if name.is_empty() { engine::UNKNOWN_USER } else { engine::hash(name.as_bytes()) }
}

/// A batch scheduler without a machine: jobs are reported to it, and it returns those that should start.
///
/// It plans the whole queue by predicted run times, which it learns from the jobs that end; it is the scheduler of the
/// programs for Slurm and PBS. Each report of a resource manager holds from now on: :meth:`set_job` takes an event, or
/// a row of a whole listing between :meth:`begin_listing` and :meth:`end_listing`, in any order.
///
/// ``settings`` are words such as ``"preset=fast"``: ``preset=`` ``fair`` (short waits, and tails shorter than EASY's),
/// ``fast`` (the shortest mean wait), ``easy`` (EASY backfilling by the limits) or ``papers`` (probabilistic
/// backfilling, not in pools of nodes), ``rule=delay`` (its rule with ``criterion=``, ``tau=`` and ``events=``),
/// ``mode=shadow``, ``order=`` ``auto``, ``ties``, ``priority`` or ``free``, ``seconds=`` of waiting that a point of
/// priority is worth, and the plan's numbers. Times are whole seconds since any origin.
///
/// Two processors are busy for an hour. A job that wants four waits, one of two starts:
///
///     >>> import surefill
///     >>> scheduler = surefill.Scheduler("preset=fair")
///     >>> scheduler.set_pool("nodes", 4)
///     >>> scheduler.set_job(1000, 1, "running", processors=2, limit=3600, start=1000)
///     >>> scheduler.set_job(1000, 2, processors=4, limit=600)
///     >>> scheduler.set_job(1000, 3, processors=2, limit=600)
///     >>> scheduler.decide(1000, lambda offer: True)
///     [3]
///     >>> scheduler.predicted_starts(1000, [2])[2][2]
///     4600
#[pyclass(module = "surefill")]
pub struct Scheduler {
    pub(super) memory: Vec<u64>,
    pub(super) capacity: SchedulerCapacity,
    pub(super) pools: HashMap<String, u32>,
    pub(super) queues: HashMap<String, u32>,
    /// The units of the largest pool, for the delay rule.
    pub(super) units: u32,
    /// The queue of jobs that name none.
    pub(super) first: Option<u32>,
    /// The nodes in the order of their numbers, and the features in that of their bits.
    pub(super) nodes: Vec<String>,
    pub(super) features: Vec<String>,
    pub(super) recorder: Recorder,
}

#[pymethods]
impl Scheduler {
    #[new]
    #[pyo3(signature = (settings = ""))]
    fn new(settings: &str) -> PyResult<Scheduler> {
        let capacity = SchedulerCapacity::of(JOBS);
        let mut memory = block(engine::Scheduler::size(&capacity).map_err(wrong)?);
        engine::Scheduler::init(bytemuck::cast_slice_mut(&mut memory), &capacity).map_err(wrong)?;
        let mut made = Scheduler::empty(memory, capacity);
        made.configure(settings)?;
        Ok(made)
    }

    /// Changes the settings named in the text, and leaves the others.
    ///
    /// Raises ValueError for a word that is not known, and changes nothing then.
    fn configure(&mut self, settings: &str) -> PyResult<()> {
        let memory = bytemuck::cast_slice_mut(&mut self.memory);
        let mut scheduler = engine::Scheduler::attach(memory).map_err(wrong)?;
        scheduler.configure(settings, "").map_err(|bad| {
            let word = settings.get(bad.at..bad.at + bad.length).unwrap_or(settings);
            PyValueError::new_err(format!("'{word}': wanted is {}", bad.wanted))
        })
    }

    /// Sets the processors (or nodes) of the pool of this name, for which jobs compete.
    ///
    /// ``idle`` is the number of idle ones; without it those are idle that no known job holds. Units that are neither
    /// idle nor a known job's are unaccounted: their end is not known. A queue of the same name comes with a new pool.
    ///
    /// A pool of units that has none has none in service.
    ///
    /// Raises ValueError for more idle units than there are.
    #[pyo3(signature = (name, units, *, idle = None))]
    fn set_pool(
        &mut self,
        name: &str,
        #[pyo3(from_py_with = count)] units: u32,
        idle: Option<u32>,
    ) -> PyResult<()> {
        let pool = self.with(|scheduler| scheduler.set_pool(name.as_bytes(), units, idle))?;
        self.pools.insert(name.to_owned(), pool);
        self.units = self.units.max(units);
        if self.queues.contains_key(name) { Ok(()) } else { self.set_queue(name, name) }
    }

    /// Sets a node of a pool of nodes, which begins with its first node and its queue of the same name.
    ///
    /// ``state`` is ``"up"``, ``"closed"`` (no new job starts on it), ``"awaited"`` (it counts in every plan, and no
    /// job starts on it before it is up; after ``until``, else after the word ``grace``, it is down) or ``"down"``.
    /// Amounts are whole numbers in any unit: thousandths of a GPU, say. Of the nodes that a job may have those with
    /// the smallest ``weight`` come first.
    ///
    /// Raises KeyError for a state of another name, ValueError for a pool of units.
    #[pyo3(signature = (name, pool, *, processors, memory = 0, gpus = 0, features = Vec::new(), state = "up", until = 0, weight = 0))]
    #[allow(clippy::too_many_arguments)] // all by name
    fn set_node(
        &mut self,
        name: &str,
        pool: &str,
        #[pyo3(from_py_with = count)] processors: u32,
        #[pyo3(from_py_with = count)] memory: u32,
        #[pyo3(from_py_with = count)] gpus: u32,
        features: Vec<String>,
        state: &str,
        until: i64,
        #[pyo3(from_py_with = count)] weight: u32,
    ) -> PyResult<()> {
        let state = named("state", state, &NODE_STATES)?;
        let number = self.node(name)?;
        if !self.pools.contains_key(pool) {
            self.set_pool(pool, 0, None)?;
        }
        let (pool, features) = (self.pool(Some(pool))?, words::bits(&mut self.features, &features)?);
        let (name, amounts) = (engine::hash(name.as_bytes()), amounts((processors, memory, gpus)));
        let report = NodeReport { state, name, until, features, amounts, weight };
        self.with(|scheduler| scheduler.set_node(pool, number, &report))
    }

    /// Makes a queue of this name, whose jobs compete for this pool.
    ///
    /// Raises KeyError for a pool that was not set.
    fn set_queue(&mut self, name: &str, pool: &str) -> PyResult<()> {
        let pool = self.pool(Some(pool))?;
        let queue = self.with(|scheduler| scheduler.set_queue(name.as_bytes(), pool))?;
        self.queues.insert(name.to_owned(), queue);
        self.first.get_or_insert(queue);
        Ok(())
    }

    /// Takes the manager's present report of a job: an event, or a row of the listing under way.
    ///
    /// ``id`` is any whole number but 0. ``state`` is ``"waiting"``, ``"held"``, ``"starting"``, ``"running"``,
    /// ``"suspended"``, ``"ending"`` (over, but its resources are still being cleaned), ``"ended"`` (its run time is
    /// learnt), ``"broken"`` (by a failure: not learnt), ``"gone"`` (withdrawn before it ran) or ``"as before"``. For a
    /// job that is over id, state and ``ran`` are enough.
    ///
    /// ``limit`` is its time limit in seconds (0 for none), ``submit`` its submission (0 for now), ``begin`` the end of
    /// a hold, ``start`` the start of this run, ``ran`` its seconds without suspensions. Larger ``priority`` first;
    /// jobs of a higher ``tier`` never wait for those of a lower one. ``units`` is the number of processors that it
    /// holds if not the wanted one, ``restarts`` that of its requeues, ``tasks`` that of an array's waiting tasks, and
    /// ``at_once`` that of those that may start now. ``why`` is the reason of a hold: ``"hold"``, ``"dependency"``,
    /// ``"begin"``, ``"limit"``, ``"deadline"``, ``"queue closed"``, ``"array"`` (enough of its tasks run) or
    /// ``"other"``. ``queue`` is that of the first pool unless it is named. With a ``prediction`` the run time is not
    /// predicted from like jobs.
    ///
    /// In a pool of nodes ``processors`` is the number of its tasks, and ``each`` one's processors, memory and GPUs.
    /// Each has a node of its own unless they are ``packed``; ``exclusive``: no other job is on its nodes, which have
    /// all of these ``features``. ``nodes`` are those that it holds, with its tasks on each.
    ///
    /// Raises KeyError for a state, reason or queue of another name, ValueError for numbers out of range, and for the
    /// end of a job that is not known and not described.
    #[pyo3(signature = (now, id, state = "waiting", *, user = "", processors = 0, limit = 0, submit = 0, begin = 0, start = 0, ran = 0, priority = 0.0, tier = 0, units = 0, restarts = 0, tasks = 0, at_once = 0, why = "", queue = None, prediction = None, each = None, packed = false, exclusive = false, features = Vec::new(), nodes = None))]
    #[allow(clippy::too_many_arguments)] // all by name
    fn set_job(
        &mut self,
        now: i64,
        id: i64,
        state: &str,
        user: &str,
        #[pyo3(from_py_with = count)] processors: u32,
        limit: i64,
        submit: i64,
        begin: i64,
        start: i64,
        ran: i64,
        priority: f64,
        tier: i32,
        #[pyo3(from_py_with = count)] units: u32,
        #[pyo3(from_py_with = count)] restarts: u32,
        #[pyo3(from_py_with = count)] tasks: u32,
        #[pyo3(from_py_with = count)] at_once: u32,
        why: &str,
        queue: Option<&str>,
        prediction: Option<&Distribution>,
        each: Option<(u32, u32, u32)>,
        packed: bool,
        exclusive: bool,
        features: Vec<String>,
        nodes: Option<HashMap<String, u32>>,
    ) -> PyResult<()> {
        let mut parts = Vec::new();
        for (name, tasks) in nodes.unwrap_or_default() {
            parts.push(Part { node: self.node(&name)?, tasks });
        }
        parts.sort_unstable();
        let wants = wants(each, packed, exclusive, words::bits(&mut self.features, &features)?);
        // A job that is over needs no queue.
        let queue = if processors == 0 && queue.is_none() { self.first } else { Some(self.queue(queue)?) };
        let state = named("state", state, &STATES)?;
        let report = JobReport {
            id,
            state,
            user: user_number(user),
            submit,
            begin,
            start,
            limit,
            ran,
            priority,
            tier,
            count: processors,
            units,
            restarts,
            tasks,
            at_once,
            why: named("reason", why, &REASONS)?,
            holds_nothing: false,
            queues: queue.as_slice(),
            wants,
            parts: &parts,
            prediction: prediction.map(|prediction| &prediction.0),
        };
        self.growing(|scheduler| scheduler.set_job(now, &report)).map_err(wrong)
    }

    /// Changes the place of a job in the site's order: its priority, larger first, and its tier.
    ///
    /// Raises ValueError for a job that is not known, and for a priority that is no finite number.
    #[pyo3(signature = (id, priority, *, tier = 0))]
    fn set_priority(&mut self, id: i64, priority: f64, tier: i32) -> PyResult<()> {
        self.with(|scheduler| scheduler.set_priority(id, tier, priority))
    }

    /// Begins a listing of all jobs: until :meth:`end_listing` every :meth:`set_job` is a row of it.
    fn begin_listing(&mut self, now: i64) -> PyResult<()> {
        self.with(|scheduler| scheduler.list_begin(now))
    }

    /// Completes the listing: jobs that were not in it are gone. Returns whether it is doubted.
    ///
    /// A listing that lacks more than half of the jobs that ran is doubted, and no job is gone; the next one counts.
    ///
    /// Raises ValueError without :meth:`begin_listing`.
    fn end_listing(&mut self, now: i64) -> PyResult<bool> {
        self.with(|scheduler| scheduler.list_end(now))
    }

    /// The time of the next decision wanted, ``now`` or later; None before something is reported.
    fn wake(&mut self, now: i64) -> PyResult<Option<i64>> {
        Ok(self.with(|scheduler| scheduler.wake(now))?.map(|(when, _)| when))
    }

    /// Decides which jobs start now, and returns the ids of those that did.
    ///
    /// Each offer is a dictionary with ``"job"``, ``"processors"``, ``"passes"`` (the first waiting job that it
    /// overtakes, or None), ``"why"`` and ``"nodes"``, in a pool of nodes those on which it starts, with the tasks on
    /// each; ``start`` is called with it and returns True if the job has started, of an array the id of the task that
    /// has, or False if not now (others have their turn); ``"busy"`` means that there is no room for it after all,
    /// ``"never"`` that it cannot start unless it is changed. ``start`` must not call the scheduler. With
    /// ``mode=shadow`` it is not called, and the jobs that would start are returned. ``pool`` is the first one unless
    /// it is named.
    ///
    /// Raises what ``start`` raises, and its offer counts as refused; KeyError for a pool that was not set, ValueError
    /// in the midst of a listing.
    #[pyo3(signature = (now, start, *, pool = None))]
    fn decide(
        &mut self,
        py: Python<'_>,
        now: i64,
        start: &Bound<'_, PyAny>,
        pool: Option<&str>,
    ) -> PyResult<Vec<i64>> {
        let pool = self.pool(pool)?;
        let mut started = Vec::new();
        for _ in 0..ANEW {
            self.recorder.begin(py, &mut self.memory, pool, now)?;
            let mut cycle = block(Cycle::size(&self.capacity).map_err(wrong)?);
            let memory: &mut [u8] = bytemuck::cast_slice_mut(&mut cycle);
            let begun = engine::Scheduler::attach(bytemuck::cast_slice_mut(&mut self.memory))
                .and_then(|mut scheduler| Cycle::begin(memory, &mut scheduler, pool, now).map(drop));
            match begun {
                Err(Error::DelayUnits) => {
                    self.grow_for_delays().map_err(wrong)?;
                    continue;
                }
                begun => begun.map_err(wrong)?,
            }
            loop {
                let memory = &mut cycle;
                let mut next = || {
                    let mut scheduler =
                        engine::Scheduler::attach(bytemuck::cast_slice_mut(&mut self.memory))?;
                    Cycle::attach(bytemuck::cast_slice_mut(memory))?.next(&mut scheduler)
                };
                let action = next();
                self.recorder.next(&action, &mut cycle);
                let offer = match action {
                    Ok(Action::Start(offer)) => offer,
                    Ok(Action::WouldStart(offer)) => {
                        started.push(offer.job);
                        continue;
                    }
                    Ok(Action::Done) => {
                        self.with(|scheduler| {
                            Cycle::attach(bytemuck::cast_slice_mut(&mut cycle))?.close(scheduler)
                        })?;
                        self.recorder.closed(py)?;
                        return Ok(started);
                    }
                    Ok(Action::Stale) => break,
                    Err(Error::Full) => {
                        self.grow().map_err(wrong)?;
                        continue;
                    }
                    // The pool has become larger: begins anew.
                    Err(Error::DelayUnits) => break,
                    Err(error) => return Err(wrong(error)),
                };
                let dict = as_dict(py, &offer)?;
                let opened = Cycle::attach(bytemuck::cast_slice_mut(&mut cycle)).map_err(wrong)?;
                let parts = opened.parts(offer.number).map_err(wrong)?;
                let names = parts.iter().map(|part| (self.nodes[part.node as usize].clone(), part.tasks));
                dict.set_item("nodes", names.collect::<HashMap<_, _>>())?;
                let said = start.call1((dict,))?;
                let answer = answer(&offer, &said)?;
                self.growing(|scheduler| {
                    let mut cycle = Cycle::attach(bytemuck::cast_slice_mut(&mut cycle))?;
                    match answer {
                        Answer::Started(id) => cycle.started(scheduler, offer.number, id),
                        Answer::Refused(why) => cycle.refused(scheduler, offer.number, why),
                    }
                })
                .map_err(wrong)?;
                self.recorder.answered(offer.number, &answer);
                if let Answer::Started(id) = answer {
                    started.push(id);
                }
            }
        }
        Err(PyRuntimeError::new_err("what is reported leaves less and less room: no decision holds"))
    }

    /// Keeps each later :meth:`decide` as a file in this folder, the last forty of them; None ends that.
    ///
    /// The command surefill-cycle of the C examples decides such a file again: a report of an odd decision is one.
    /// Users and names are in it as hashes. Where a file cannot be kept, ``say`` is called with the reason, or a
    /// warning is given, once until one is kept again; decisions are made as without.
    #[pyo3(signature = (folder, *, say = None))]
    fn record(&mut self, folder: Option<PathBuf>, say: Option<Py<PyAny>>) {
        self.recorder = Recorder::new(folder, say);
    }

    /// The planned starts of these waiting jobs, by the plan of the whole queue whatever the preset: for each id an
    /// instant, or None for a job that is not planned, because it is held or refused, or its pool could never hold it.
    ///
    /// It is one plan by expected run times, in pools of nodes that jobs share as well, without later submissions. Call
    /// it after :meth:`decide`; nothing is changed. ``pool`` is the first one unless it is named.
    ///
    /// Raises KeyError for a pool that was not set, ValueError in the midst of a listing and for a job that is unknown.
    #[pyo3(signature = (now, jobs, *, pool = None))]
    fn planned_starts(
        &mut self,
        now: i64,
        jobs: Vec<i64>,
        pool: Option<&str>,
    ) -> PyResult<HashMap<i64, Option<i64>>> {
        let pool = self.pool(pool)?;
        reasons::starts(&self.memory, pool, now, &jobs).map_err(wrong)
    }

    /// Returns why a waiting job does not run, as a dictionary: by its reports, else by the last :meth:`decide`.
    ///
    /// ``"why"`` is ``"no room"``, ``"later"`` (there is room, but starting it now would cost others more), ``"head"``
    /// (in front of all, as it has waited too long), ``"guarded"`` (it could delay that one), ``"delays"`` (by the
    /// delay rule), ``"refused"``, ``"depth"``, ``"never"``, ``"nodes out"``, ``"reserved"``, ``"licences"``,
    /// ``"inconsistent"``, ``"starts"``, ``"not decided"``, or a reason of :meth:`set_job`'s. ``"sentence"`` has it in
    /// words, ``"behind"`` is the job it must not delay, ``"start"`` its planned start, ``"until"`` the reason's own
    /// end, ``"idle"`` the idle units.
    ///
    /// Raises ValueError for a job that does not wait.
    fn reason<'py>(&mut self, py: Python<'py>, now: i64, id: i64) -> PyResult<Bound<'py, PyDict>> {
        explained(py, &self.with(|scheduler| scheduler.reason(id, now))?, "")
    }

    /// The reasons of several waiting jobs, by a plan of the whole queue as :meth:`planned_starts` makes it.
    ///
    /// Beside that ``"place"`` is the job's place by the planned starts, ``"by_limits"`` the start of the job in front
    /// if all running jobs run to their limits, and ``"saves"`` and ``"costs_others"`` the price in seconds of starting
    /// a job now that is planned for later. ``names`` are those in sentences. Raises as :meth:`planned_starts` does.
    #[pyo3(signature = (now, jobs, *, names = HashMap::new(), pool = None))]
    fn reasons<'py>(
        &mut self,
        py: Python<'py>,
        now: i64,
        jobs: Vec<i64>,
        names: HashMap<i64, String>,
        pool: Option<&str>,
    ) -> PyResult<HashMap<i64, Bound<'py, PyDict>>> {
        let found = reasons::of(&self.memory, self.pool(pool)?, now, &jobs).map_err(wrong)?;
        let name = |reason: &Reason| names.get(&reason.head).map_or("", String::as_str);
        found.iter().map(|reason| Ok((reason.job, explained(py, reason, name(reason))?))).collect()
    }

    /// The reason and planned start of a job that is not submitted, if it were now: one of those of :meth:`reasons`.
    ///
    /// The arguments are those of :meth:`set_job`. Nothing is changed.
    ///
    /// Raises KeyError for a queue of another name, ValueError for numbers out of range.
    #[pyo3(signature = (now, *, user = "", processors, limit = 0, begin = 0, priority = 0.0, tier = 0, tasks = 0, queue = None, prediction = None, each = None, packed = false, exclusive = false, features = Vec::new()))]
    #[allow(clippy::too_many_arguments)] // all by name
    fn try_job<'py>(
        &mut self,
        py: Python<'py>,
        now: i64,
        user: &str,
        #[pyo3(from_py_with = count)] processors: u32,
        limit: i64,
        begin: i64,
        priority: f64,
        tier: i32,
        #[pyo3(from_py_with = count)] tasks: u32,
        queue: Option<&str>,
        prediction: Option<&Distribution>,
        each: Option<(u32, u32, u32)>,
        packed: bool,
        exclusive: bool,
        features: Vec<String>,
    ) -> PyResult<Bound<'py, PyDict>> {
        // No node has a feature that was not named before.
        let known = self.features.len();
        let bits = words::bits(&mut self.features, &features);
        self.features.truncate(known);
        let queue = self.queue(queue)?;
        let pool = self.with(|scheduler| scheduler.pool_of_queue(queue))?;
        let report = JobReport {
            user: user_number(user),
            limit,
            begin,
            priority,
            tier,
            count: processors,
            tasks,
            queues: &[queue],
            wants: wants(each, packed, exclusive, bits?),
            prediction: prediction.map(|prediction| &prediction.0),
            ..JobReport::default()
        };
        explained(py, &reasons::tried(&self.memory, pool, now, &report).map_err(wrong)?, "")
    }

    /// The predicted starts of these waiting jobs: for each id the instants by which it starts with probability .05,
    /// .25, .5, .75 and .95, or None for one that does not wait for room, is held, or is wider than its pool. None
    /// stands for an instant that lies beyond all that is known.
    ///
    /// ``scenarios`` (1 to 64) of the queue are played forward under the same plan, with drawn run times and later
    /// submissions. With ``report=True`` they count as reported to people: when the jobs start, later answers are
    /// corrected. Call it after :meth:`decide`. ``pool`` is the first one unless it is named.
    ///
    /// Raises KeyError for a pool that was not set, ValueError in the midst of a listing and for nodes that jobs share.
    #[pyo3(signature = (now, jobs, *, scenarios = 20, report = false, pool = None))]
    fn predicted_starts(
        &mut self,
        now: i64,
        jobs: Vec<i64>,
        #[pyo3(from_py_with = count)] scenarios: u32,
        report: bool,
        pool: Option<&str>,
    ) -> PyResult<HashMap<i64, Option<[Option<i64>; 5]>>> {
        let pool = self.pool(pool)?;
        let mut memory = block(StartForecast::size(&self.capacity, scenarios).map_err(wrong)?);
        self.with(|scheduler| {
            let memory = bytemuck::cast_slice_mut(&mut memory);
            let mut forecast = StartForecast::begin(memory, scheduler, pool, now, scenarios)?;
            while !forecast.run(scheduler, u64::MAX)? {}
            let predicted = jobs.iter().map(|&job| {
                let found = if report {
                    forecast.report(scheduler, job)?
                } else {
                    forecast.predicted(scheduler, job)?
                };
                Ok((job, found.map(|start| [0, 1, 2, 3, 4].map(|level| start.known(level)))))
            });
            predicted.collect()
        })
    }

    /// The run time in seconds that a job exceeds with probability at most ``1 - quantile``, from its start on.
    ///
    /// Raises ValueError for a job that is not known, and for a quantile outside 0 to 1.
    fn run_time(&mut self, now: i64, id: i64, quantile: f64) -> PyResult<i64> {
        self.with(|scheduler| scheduler.run_time(id, quantile, now))
    }

    /// Counts of what was reported since the scheduler was made, by name.
    fn totals<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        words::counts(py, &self.with(|scheduler| Ok(scheduler.totals()))?)
    }

    /// The whole state of the scheduler, as bytes for :meth:`restored`: the content of a site's state file.
    fn checkpoint<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let memory: &mut [u8] = bytemuck::cast_slice_mut(&mut self.memory);
        engine::Scheduler::seal(memory).map_err(wrong)?;
        Ok(PyBytes::new(py, memory))
    }

    /// A scheduler that goes on from a :meth:`checkpoint`. Pools, queues and nodes are to be set again, under their
    /// names, and the nodes of running jobs to be reported again: there are no others.
    ///
    /// Raises ValueError for bytes that are no checkpoint, or a damaged one.
    #[staticmethod]
    fn restored(checkpoint: &[u8]) -> PyResult<Scheduler> {
        let mut memory = block(checkpoint.len());
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
        let whole = bytes.get_mut(..checkpoint.len()).filter(|_| checkpoint.len().is_multiple_of(8));
        whole.ok_or_else(|| PyValueError::new_err("no checkpoint"))?.copy_from_slice(checkpoint);
        let mut scheduler = engine::Scheduler::open(bytes).map_err(wrong)?;
        let capacity = scheduler.capacity();
        // The nodes' names are not in the checkpoint: a node that is not set again is gone.
        (0..capacity.nodes).try_for_each(|number| scheduler.remove_node(number)).map_err(wrong)?;
        Ok(Scheduler::empty(memory, capacity))
    }
}
