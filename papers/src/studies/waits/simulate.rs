//! The paper's simulation rule (section 4.2): jobs come in order of submission; before one is given its bound, those
//! that have left the queue since become history. The wait of a job is not seen before.

use super::machine::MachineHistory;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use surefill::error::Error;
use surefill::wait::{Attribute, WaitAnswer, WaitCapacity, WaitOptions, WaitPredictor};
use surefill_simulator::live::queues::Queue;

/// Number of jobs after which the clusters are counted.
pub const COUNT_EVERY: usize = 1000;

/// Answers of one predictor.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The answer at each job's submission.
    pub answers: Vec<WaitAnswer>,
    /// The number of clusters after every [`COUNT_EVERY`] jobs.
    pub clusters: Vec<usize>,
    /// The attribute that they are made by, as often.
    pub by: Vec<Attribute>,
    /// By how much the last clustering raised log-likelihood and criterion over a single cluster, in nats.
    pub explained: (f64, f64),
    /// The waits that this rests on.
    pub remembered: u64,
}

/// Event of a waiting job, in the order within a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Leaves,
    Asked(usize),
    AskedAgain,
}

/// Observer of a run's events.
pub trait Watch {
    /// Ages at which waiting jobs are asked about, in seconds.
    fn ages(&self) -> &[i64] {
        &[]
    }

    /// Before this job is submitted.
    ///
    /// # Errors
    /// Those of the predictor.
    fn arrives(&mut self, predictor: &WaitPredictor, job: usize) -> Result<(), Error>;

    /// This job has waited for the age with this index, at this time.
    ///
    /// # Errors
    /// Those of the predictor.
    fn waits(&mut self, predictor: &WaitPredictor, job: usize, age: usize, now: i64) -> Result<(), Error>;

    /// After each of these spans of its wait, in seconds, a job is asked about again; `None`: never.
    fn every(&self) -> Option<i64> {
        None
    }

    /// This job has waited for a multiple of [`Watch::every`], at this time.
    ///
    /// # Errors
    /// Those of the predictor.
    fn asked_again(&mut self, _: &WaitPredictor, _job: usize, _now: i64) -> Result<(), Error> {
        Ok(())
    }
}

/// Nothing more.
pub struct Nobody;

impl Watch for Nobody {
    fn arrives(&mut self, _: &WaitPredictor, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn waits(&mut self, _: &WaitPredictor, _: usize, _: usize, _: i64) -> Result<(), Error> {
        Ok(())
    }
}

/// The capacities that hold all of a queue.
pub fn limits(queue: &Queue, options: &WaitOptions, clusters: u32) -> Result<WaitCapacity, Error> {
    let jobs = u32::try_from(queue.jobs.len()).map_err(|_| Error::Full)?.max(1);
    let fewest = surefill::wait::smallest_history(options.quantile, options.confidence)?;
    let history = jobs.max(u32::try_from(fewest).map_err(|_| Error::OutOfRange)?);
    let neighbours = WaitCapacity::default().neighbours;
    Ok(WaitCapacity { history, queued: jobs, releases: jobs, clusters, neighbours })
}

/// Tells a predictor of all jobs of a queue. Calls `progress` with numbers of jobs done.
///
/// # Errors
/// [`Error::OutOfRange`] for options out of range, or more than 2^22 jobs.
pub fn simulate(
    queue: &Queue,
    options: &WaitOptions,
    clusters: u32,
    watch: &mut impl Watch,
    progress: &dyn Fn(u64),
) -> Result<Outcome, Error> {
    simulate_on(None, queue, options, clusters, watch, progress)
}

/// The same with a predictor that knows the machine before every event.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_on(
    machine: Option<&MachineHistory>,
    queue: &Queue,
    options: &WaitOptions,
    clusters: u32,
    watch: &mut impl Watch,
    progress: &dyn Fn(u64),
) -> Result<Outcome, Error> {
    let limits = limits(queue, options, clusters)?;
    let mut memory = vec![0u64; WaitPredictor::size(&limits)?.div_ceil(8)];
    let predictor = WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, options)?;
    let mut run = Run { predictor, machine, queue, events: BinaryHeap::new() };
    let mut outcome = Outcome { answers: Vec::with_capacity(queue.jobs.len()), ..Outcome::default() };
    for (index, job) in queue.jobs.iter().enumerate() {
        run.until(job.submit, watch)?;
        run.tell_of_machine(job.submit);
        watch.arrives(&run.predictor, index)?;
        outcome.answers.push(run.submit(index, watch.ages(), watch.every())?);
        if (index + 1).is_multiple_of(COUNT_EVERY) {
            outcome.clusters.push(run.predictor.clusters().count());
            outcome.by.push(run.predictor.clustered_by());
            progress(COUNT_EVERY as u64);
        }
    }
    progress((queue.jobs.len() % COUNT_EVERY) as u64);
    run.until(i64::MAX, watch)?;
    outcome.explained = run.predictor.explained();
    outcome.remembered = run.predictor.remembered();
    Ok(outcome)
}

/// A run under way.
struct Run<'a> {
    predictor: WaitPredictor<'a>,
    machine: Option<&'a MachineHistory>,
    queue: &'a Queue,
    /// Coming events of those that wait: when, to whom, what.
    events: BinaryHeap<Reverse<(i64, usize, Event)>>,
}

impl Run<'_> {
    fn tell_of_machine(&mut self, now: i64) {
        if let Some(machine) = self.machine.and_then(|history| history.at(now)) {
            self.predictor.machine(machine);
        }
    }

    /// Carries out the events until then.
    fn until(&mut self, until: i64, watch: &mut impl Watch) -> Result<(), Error> {
        while let Some(&Reverse((now, job, event))) = self.events.peek() {
            if now > until {
                break;
            }
            self.events.pop();
            self.tell_of_machine(now);
            match event {
                Event::Leaves if self.queue.jobs[job].cancelled => self.predictor.cancel(job as i64, now)?,
                Event::Leaves => {
                    self.predictor.start(job as i64, now)?;
                }
                Event::Asked(age) => watch.waits(&self.predictor, job, age, now)?,
                Event::AskedAgain => {
                    watch.asked_again(&self.predictor, job, now)?;
                    self.ask_again(job, now, watch.every());
                }
            }
        }
        Ok(())
    }

    /// If the job still waits then.
    fn ask_again(&mut self, index: usize, now: i64, every: Option<i64>) {
        let job = &self.queue.jobs[index];
        let next = every.map(|every| now.saturating_add(every.max(1)));
        let next = next.filter(|next| *next < job.submit.saturating_add(job.wait));
        self.events.extend(next.map(|next| Reverse((next, index, Event::AskedAgain))));
    }

    fn submit(&mut self, index: usize, ages: &[i64], every: Option<i64>) -> Result<WaitAnswer, Error> {
        let job = &self.queue.jobs[index];
        self.events.push(Reverse((job.submit.saturating_add(job.wait), index, Event::Leaves)));
        for (age, seconds) in ages.iter().enumerate().filter(|(_, seconds)| **seconds < job.wait) {
            self.events.push(Reverse((job.submit.saturating_add(*seconds), index, Event::Asked(age))));
        }
        self.ask_again(index, job.submit, every);
        self.predictor.submit(index as i64, job.submit, &job.features)
    }
}
