//! The view of a policy written in Python: the job, the node, the machine during one pass.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use surefill::nodes::{Amounts, Part, Request};
use surefill_simulator::replay::machine;
use surefill_simulator::trace::nodes::{Machine, NodesBlock};
use surefill_simulator::trace::workload;

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
    pub id: usize,
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
    pub ran: AtomicI64,
    /// The policy's prediction of that in seconds, negative where it made none.
    pub predicted: AtomicI64,
    request: Option<Arc<Request>>,
}

impl Job {
    pub fn new(job: &workload::Job) -> Job {
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
            ran: AtomicI64::new(-1),
            predicted: AtomicI64::new(-1),
            request: job.request.clone(),
        }
    }
}

#[pymethods]
impl Job {
    /// The seconds that it ran, or None before it has ended.
    #[getter]
    fn run_time(&self) -> Option<i64> {
        let run_time = self.ran.load(Ordering::Relaxed);
        (run_time >= 0).then_some(run_time)
    }

    fn __repr__(&self) -> String {
        let Job { number, submit, limit, processors, user, .. } = self;
        format!("Job(number={number}, submit={submit}, limit={limit}, processors={processors}, user={user})")
    }
}

/// One node of the machine, as :attr:`Cluster.nodes` shows it: a copy, which later starts leave as it is.
#[pyclass(frozen, module = "surefill")]
#[derive(Debug)]
pub struct Node {
    /// Its number, counted from 0 in the order in which the machine is written.
    #[pyo3(get)]
    index: u32,
    /// A list of the names of its features.
    #[pyo3(get)]
    features: Vec<String>,
    /// A dictionary of the amounts that it has by the names of resources: ``mem`` in MiB, cores and GPUs in whole ones.
    #[pyo3(get)]
    amounts: BTreeMap<String, f64>,
    /// A dictionary of the amounts that no job holds, in the same units.
    #[pyo3(get)]
    free: BTreeMap<String, f64>,
}

#[pymethods]
impl Node {
    fn __repr__(&self) -> String {
        let free: Vec<String> = self.free.iter().map(|(name, amount)| format!("{name}={amount}")).collect();
        format!("Node(index={}, free: {})", self.index, free.join(", "))
    }
}

/// The machine's nodes during a pass. They are taken out of the replay for that time.
pub struct OnNodes {
    machine: Arc<Machine>,
    block: NodesBlock,
    /// Handles of the jobs that this pass has started, in that order.
    placed: Vec<u32>,
    buffer: Vec<Part>,
}

impl OnNodes {
    pub fn take(cluster: &mut machine::Cluster<'_>) -> Option<OnNodes> {
        let machine = cluster.machine()?;
        let buffer = vec![Part::default(); machine.nodes() as usize];
        Some(OnNodes { machine, block: cluster.take_nodes()?, placed: Vec::new(), buffer })
    }

    /// The nodes as they were before the pass.
    pub fn restored(mut self) -> NodesBlock {
        let mut nodes = self.block.view();
        for handle in self.placed.into_iter().rev() {
            nodes.release(handle).expect("the handle of a placement of this pass");
        }
        self.block
    }

    fn cores(&mut self) -> u32 {
        let OnNodes { machine, block, .. } = self;
        let nodes = block.view();
        let free = (0..machine.nodes()).map(|node| nodes.free(node).expect("a node of the machine"));
        match machine.resources.iter().position(|name| name == "cores") {
            Some(cores) => {
                let free: u64 = free.map(|free| u64::from(free[cores])).sum();
                u32::try_from(free / 1000).unwrap_or(u32::MAX)
            }
            None => {
                let whole = (0..).zip(free).filter(|(node, free)| nodes.capacity_of(*node) == Ok(*free));
                whole.count() as u32
            }
        }
    }

    /// Takes nodes for a job: these, else the ones that the machine's way of choosing finds.
    fn place(&mut self, job: &Job, wanted: Option<BTreeMap<u32, u32>>) -> PyResult<Vec<Part>> {
        let OnNodes { machine, block, placed, buffer } = self;
        let request = job.request.as_ref().expect("a job on nodes asks for something");
        let mut nodes = block.view();
        let parts = match wanted {
            Some(wanted) => wanted.into_iter().map(|(node, tasks)| Part { node, tasks }).collect(),
            None => {
                let fit = machine.fit.unwrap_or_default();
                let found = nodes.place(request, fit, buffer).expect("room for all nodes");
                let Some(count) = found else {
                    let why = format!("job {} does not fit the nodes that are free", job.number);
                    return Err(PyValueError::new_err(why));
                };
                buffer[..count].to_vec()
            }
        };
        let handle = nodes.allocate(request, &parts).map_err(|error| {
            PyValueError::new_err(format!("job {} does not fit these nodes: {error}", job.number))
        })?;
        placed.push(handle);
        Ok(parts)
    }
}

/// The machine during one scheduling pass, which :meth:`Policy.schedule` is given.
///
/// The jobs that a pass starts are reported to the replay when the pass is over. The object is of no use after that:
/// :meth:`start` raises ValueError.
#[pyclass(module = "surefill")]
pub struct Cluster {
    /// The present second, on the trace's clock.
    #[pyo3(get)]
    pub now: i64,
    /// The number of processors that no job holds, on a machine without nodes.
    pub idle_processors: u32,
    /// The number of all processors of the machine; on nodes that of their cores, or of the nodes if they have none.
    #[pyo3(get)]
    pub processors: u32,
    pub queue: Vec<Py<Job>>,
    /// Jobs, their starts, and the handles that the nodes have for them.
    pub running: Vec<(Py<Job>, i64, Option<u32>)>,
    /// Whether the machine is of nodes.
    pub on_nodes: bool,
    /// The nodes, as long as the pass lasts.
    pub nodes: Option<OnNodes>,
    /// The jobs that this pass has started, with the nodes that they were given.
    pub started: Vec<(usize, Vec<Part>)>,
    pub over: bool,
}

impl Cluster {
    fn on_nodes(&mut self) -> PyResult<&mut OnNodes> {
        let why = if self.on_nodes {
            "the pass is over"
        } else {
            "the machine has no nodes: simulate and compare take nodes=..."
        };
        self.nodes.as_mut().ok_or_else(|| PyValueError::new_err(why))
    }

    fn dict<'py>(py: Python<'py>, machine: &Machine, amounts: &Amounts) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, amount) in machine.named(amounts) {
            dict.set_item(name, amount)?;
        }
        Ok(dict)
    }
}

#[pymethods]
impl Cluster {
    /// The number of processors that no job holds; it falls with every :meth:`start`.
    ///
    /// On nodes it is the number of their free cores, or of the empty nodes if they have no cores, and :meth:`fits`
    /// says whether a job finds room.
    #[getter]
    fn idle(&mut self) -> u32 {
        self.nodes.as_mut().map_or(self.idle_processors, OnNodes::cores)
    }

    /// A list of the waiting :class:`Job` objects, without those that this pass has started.
    ///
    /// They are in order of submission, or in the order that the policy was named with: ``(MyPolicy, "limit", "sjf")``.
    #[getter]
    fn queue<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, &self.queue)
    }

    /// A list of pairs in the order of their starts: a running :class:`Job` and the second at which it started.
    #[getter]
    fn running<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let pairs = self.running.iter().map(|(job, start, _)| (job, *start));
        PyList::new(py, pairs.collect::<Vec<_>>())
    }

    /// A list of the machine's :class:`Node` objects, as they are now, in order of their numbers.
    ///
    /// It is empty unless the replay is on a machine of nodes (``nodes=`` of :func:`simulate`).
    #[getter]
    fn nodes(&mut self) -> Vec<Node> {
        let Some(OnNodes { machine, block, .. }) = &mut self.nodes else { return Vec::new() };
        let nodes = block.view();
        let classes = machine.classes.iter();
        let classes = classes.flat_map(|class| std::iter::repeat_n(class, class.count as usize));
        let owned = |amounts: &Amounts| {
            machine.named(amounts).into_iter().map(|(name, amount)| (name.to_owned(), amount)).collect()
        };
        let node = |(index, class): (u32, &surefill_simulator::trace::nodes::NodeClass)| Node {
            index,
            features: machine.feature_names(class.features).into_iter().map(str::to_owned).collect(),
            amounts: owned(&class.amounts),
            free: owned(&nodes.free(index).expect("a node of the machine")),
        };
        (0..).zip(classes).map(node).collect()
    }

    /// The predicted run time of a job in seconds, at least 1.
    ///
    /// It was made when the job was submitted, by the predictor that the policy was named with: ``(MyPolicy,
    /// "mean2")``, or ``(MyPolicy, MyPredictor)``. Without one it is the limit. Raises ValueError for a job that
    /// another object of the replay was given.
    fn predict(&self, job: &Job) -> PyResult<i64> {
        let predicted = job.predicted.load(Ordering::Relaxed);
        if predicted < 0 {
            let why = format!("job {} was not submitted to this policy", job.number);
            return Err(PyValueError::new_err(why));
        }
        Ok(predicted)
    }

    /// Whether a job finds room now, on processors or on nodes.
    fn fits(&mut self, job: &Job) -> PyResult<bool> {
        if !self.on_nodes {
            return Ok(job.processors <= self.idle_processors);
        }
        let request = job.request.as_ref().expect("a job on nodes asks for something");
        let fits = self.on_nodes()?.block.view().fits(request);
        Ok(fits.expect("the workload's requests are the machine's"))
    }

    /// A dictionary of what a job asks of the nodes.
    ///
    /// ``tasks`` is their number, ``each`` a dictionary of the amounts that each takes (``mem`` in MiB, cores and GPUs
    /// in whole ones), ``features`` a list of the features that their nodes must have. Raises ValueError on a machine
    /// without nodes.
    fn request<'py>(&mut self, py: Python<'py>, job: &Job) -> PyResult<Bound<'py, PyDict>> {
        let machine = Arc::clone(&self.on_nodes()?.machine);
        let request = job.request.as_ref().expect("a job on nodes asks for something");
        let dict = PyDict::new(py);
        dict.set_item("tasks", request.count)?;
        dict.set_item("each", Cluster::dict(py, &machine, &request.each)?)?;
        dict.set_item("features", machine.feature_names(request.features))?;
        Ok(dict)
    }

    /// A dictionary of the tasks of a running job by the numbers of their nodes.
    ///
    /// Raises ValueError for a job that does not run, and on a machine without nodes.
    fn placement(&mut self, job: &Job) -> PyResult<BTreeMap<u32, u32>> {
        let found = self.running.iter().position(|(running, ..)| running.get().id == job.id);
        let started = self.started.iter().find(|(id, _)| *id == job.id).map(|(_, parts)| parts.clone());
        let handle = found.and_then(|place| self.running[place].2);
        let nodes = self.on_nodes()?;
        let parts = match (started, handle) {
            (Some(parts), _) => parts,
            (None, Some(handle)) => {
                let OnNodes { block, buffer, .. } = nodes;
                let count = block.view().placement(handle, buffer).expect("a running job's handle");
                buffer[..count].to_vec()
            }
            (None, None) => return Err(PyValueError::new_err(format!("job {} does not run", job.number))),
        };
        Ok(parts.into_iter().map(|part| (part.node, part.tasks)).collect())
    }

    /// Starts a waiting job now.
    ///
    /// ``nodes`` is a dictionary of the numbers of its tasks by the numbers of nodes (0 and up), on a machine that has
    /// nodes; without it they are chosen as ``fit=`` of :func:`simulate` says. Raises ValueError when the job does not
    /// wait, and when it finds no room: when it needs more processors than are idle, or does not fit the nodes.
    #[pyo3(signature = (job, nodes = None))]
    fn start(&mut self, py: Python<'_>, job: Py<Job>, nodes: Option<BTreeMap<u32, u32>>) -> PyResult<()> {
        if self.over {
            return Err(PyValueError::new_err("the pass is over"));
        }
        let wanted = job.get();
        let found = self.queue.iter().position(|waiting| waiting.get().id == wanted.id);
        let Some(index) = found else {
            return Err(PyValueError::new_err(format!("job {} does not wait", wanted.number)));
        };
        let parts = if self.on_nodes || nodes.is_some() {
            self.on_nodes()?.place(wanted, nodes)?
        } else if wanted.processors > self.idle_processors {
            let (number, needs, idle) = (wanted.number, wanted.processors, self.idle_processors);
            return Err(PyValueError::new_err(format!(
                "job {number} needs {needs} processors, {idle} are idle"
            )));
        } else {
            self.idle_processors -= wanted.processors;
            Vec::new()
        };
        self.started.push((wanted.id, parts));
        self.running.push((job.clone_ref(py), self.now, None));
        self.queue.remove(index);
        Ok(())
    }
}
