//! One wait predictor per queue, trained on the site's history up to the present.

mod answers;
mod options;

pub use answers::{
    Answer, AskError, ClusterState, Like, NAMES, QuantileBound, Question, QueueState, Reservation, Start,
    Verdict,
};
pub use options::{Present, Refused, SiteOptions, check_bound, clock};

use super::age::{Age, Events};
use super::history::{Entry, History, Left};
use crate::base::statistics::lower_median;
use crate::live::methods::{By, Method};
use crate::trace::swf::MAX_VALUE;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use surefill::error::Error as CoreError;
use surefill::wait::{
    Attribute, Cluster, Features, VISIBLE, WaitAnswer, WaitCapacity, WaitOptions, WaitPredictor,
    smallest_history,
};

/// The quantiles of the gaps above whose bound a machine may be down: the highest for which there are enough releases.
/// The core keeps to the one of its options, .999 by default, as it cannot know how long its history will become; a
/// site's history lies before it as a whole.
const DOWN_QUANTILES: [f64; 2] = [0.999, 0.99];
/// That of a queue with fewer.
const LEAST_DOWN_QUANTILE: f64 = 0.95;
/// The confidence of the core's detectors.
const DOWN_CONFIDENCE: f64 = 0.95;

/// The quantiles that are given for every queue, beside the predictor's own.
const QUANTILES: [f64; 3] = [0.25, 0.5, 0.75];

/// The number of a queue's last jobs that are kept to be shown.
const SHOWN: usize = 1000;

/// The longest time that is left to a start, in seconds: five years. A date that is further off is one of another clock
/// than the history's.
const LONGEST_LEFT: i64 = 5 * 365 * 86_400;
const FAR: &str = "the time to start by is more than five years after the present of the history, and so";

/// A wait, the bound that was reported for it, and the time of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reported {
    /// The submission.
    pub submit: i64,
    /// Seconds; none while it waits.
    pub wait: Option<i64>,
    /// The reported bound.
    pub bound: Option<i64>,
}

/// Coverage of the bounds of a history's jobs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Held {
    /// The share of the bounds that held.
    share: f64,
    /// Root mean square over-prediction of those, in seconds.
    rms_over_s: f64,
}

impl Held {
    /// Counts the jobs that have started, without the first tenth of all.
    fn new(reported: &[Reported]) -> Held {
        let known = reported
            .iter()
            .skip(reported.len() / 10)
            .filter_map(|reported| reported.bound.zip(reported.wait));
        let (mut all, mut held, mut squares) = (0u64, 0u64, 0.0);
        for (bound, wait) in known {
            all += 1;
            if bound >= wait {
                held += 1;
                squares += ((bound - wait) as f64).powi(2);
            }
        }
        match held {
            0 => Held { share: 0.0, rms_over_s: f64::INFINITY },
            _ => Held { share: held as f64 / all as f64, rms_over_s: (squares / held as f64).sqrt() },
        }
    }
}

/// A queue's predictor.
struct Line {
    name: String,
    method: Method,
    held: Held,
    memory: Vec<u64>,
    /// The jobs that wait.
    waiting: HashMap<String, (i64, Features)>,
    reported: Vec<Reported>,
    /// Medians of the last jobs' requested times and processors.
    typical: Features,
    /// The largest requested time and number of processors of a job.
    most: Features,
}

/// All queues.
pub struct Site {
    lines: Vec<Line>,
    dates: bool,
    now: i64,
    events: Events,
    options: WaitOptions,
}

fn like(cluster: &Cluster, by: Option<By>) -> Like {
    Like { from: cluster.from, to: (cluster.to != u64::MAX).then_some(cluster.to), waits: cluster.waits, by }
}

/// The attribute that the predictor chose for its clusters, if it chose.
fn chosen(options: &WaitOptions, predictor: &WaitPredictor) -> Option<By> {
    (options.attribute == Attribute::Best).then(|| By::of(predictor.clustered_by()))
}

fn bound_of(answer: WaitAnswer) -> (Verdict, Option<i64>) {
    match answer {
        WaitAnswer::Bound(bound) => (Verdict::Bound, Some(bound)),
        WaitAnswer::TooLittleHistory => (Verdict::TooLittleHistory, None),
        WaitAnswer::MayBeDown => (Verdict::MayBeDown, None),
        WaitAnswer::Exceeded => (Verdict::Exceeded, None),
    }
}

/// The bound for a quantile, not below those for lower ones that are given for every queue, and on the same side of the
/// one for the predictor's own quantile: each follows misses of its own.
fn ordered(
    quantile: f64,
    own: f64,
    bound: impl Fn(f64) -> Result<WaitAnswer, CoreError>,
) -> Result<WaitAnswer, CoreError> {
    let mut found = match bound(quantile)? {
        WaitAnswer::Bound(found) if quantile != own => found,
        answer => return Ok(answer),
    };
    for other in QUANTILES.into_iter().filter(|other| *other < quantile) {
        if let WaitAnswer::Bound(least) = bound(other)? {
            found = found.max(least);
        }
    }
    if let WaitAnswer::Bound(limit) = bound(own)? {
        found = if quantile < own { found.min(limit) } else { found.max(limit) };
    }
    Ok(WaitAnswer::Bound(found))
}

/// The lower of the middle values; the default of nothing.
fn median<T: Copy + Ord + Default>(values: impl Iterator<Item = T>) -> T {
    lower_median(&mut values.collect::<Vec<T>>()).unwrap_or_default()
}

/// Jobs that leave the queue: when, which, and whether they start.
type Leaving = BinaryHeap<Reverse<(i64, usize, bool)>>;

/// Lets those leave that do so up to a time.
fn leave(
    predictor: &mut WaitPredictor,
    leaving: &mut Leaving,
    reported: &mut [Reported],
    until: i64,
) -> Result<(), CoreError> {
    while let Some(&Reverse((at, job, started))) = leaving.peek() {
        if at > until {
            break;
        }
        leaving.pop();
        if started {
            reported[job].wait = Some(predictor.start(job as i64, at)?);
        } else {
            predictor.cancel(job as i64, at)?;
        }
    }
    Ok(())
}

impl Line {
    /// With the method whose bounds have been tightest among those that held as often as they should; if none did, with
    /// the one whose bounds held most often.
    fn tightest(
        name: &str,
        entries: &[&Entry],
        methods: &[Method],
        options: &WaitOptions,
        clusters: u32,
        now: i64,
    ) -> Result<Line, CoreError> {
        let lines = methods.iter().map(|method| Line::new(name, entries, *method, options, clusters, now));
        let lines = lines.collect::<Result<Vec<Line>, _>>()?;
        let better =
            |a: &Line, b: &Line| match (a.held.share >= options.quantile, b.held.share >= options.quantile) {
                (true, true) => a.held.rms_over_s < b.held.rms_over_s,
                (a_holds, b_holds) => a_holds || (!b_holds && a.held.share > b.held.share),
            };
        lines
            .into_iter()
            .reduce(|best, next| if better(&next, &best) { next } else { best })
            .ok_or(CoreError::OutOfRange)
    }

    /// Shows a new predictor what happened up to `now`.
    fn new(
        name: &str,
        entries: &[&Entry],
        method: Method,
        options: &WaitOptions,
        clusters: u32,
        now: i64,
    ) -> Result<Line, CoreError> {
        // The detectors of a machine that is down speak only when their bound is known: with fewer releases, a lower
        // one.
        let started: HashSet<i64> = entries
            .iter()
            .filter_map(|entry| match entry.left {
                Left::Started(at) if at <= now => Some(at),
                _ => None,
            })
            .collect();
        let gaps = started.len().saturating_sub(1) as u64;
        let known = |quantile: &f64| {
            smallest_history(*quantile, DOWN_CONFIDENCE).is_ok_and(|fewest| fewest <= gaps)
                && *quantile <= options.down_quantile
        };
        let down_quantile =
            DOWN_QUANTILES.into_iter().find(known).unwrap_or(options.down_quantile.min(LEAST_DOWN_QUANTILE));
        let options = &WaitOptions { down_quantile, method: method.core(), ..*options };
        let jobs = u32::try_from(entries.len()).map_err(|_| CoreError::Full)?.max(1);
        let fewest = smallest_history(options.quantile, options.confidence)?;
        let history = jobs.max(u32::try_from(fewest).map_err(|_| CoreError::OutOfRange)?);
        let neighbours = WaitCapacity::default().neighbours;
        let limits = WaitCapacity { history, queued: jobs, releases: jobs, clusters, neighbours };
        let mut memory = vec![0u64; WaitPredictor::size(&limits)?.div_ceil(8)];
        let mut predictor = WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, options)?;
        let mut reported: Vec<Reported> = Vec::with_capacity(entries.len());
        let mut leaving = Leaving::new();
        let past = entries.iter().take_while(|entry| entry.submit <= now).count();
        for (index, entry) in entries.iter().take(past).enumerate() {
            leave(&mut predictor, &mut leaving, &mut reported, entry.submit)?;
            let (_, bound) = bound_of(predictor.submit(index as i64, entry.submit, &entry.features)?);
            reported.push(Reported { submit: entry.submit, wait: None, bound });
            match entry.left {
                Left::Started(at) => leaving.push(Reverse((at, index, true))),
                Left::Cancelled(at) => leaving.push(Reverse((at, index, false))),
                Left::Waits => {}
            }
        }
        leave(&mut predictor, &mut leaving, &mut reported, now)?;
        // Those that leave only later wait at present.
        let later: HashSet<usize> = leaving.into_iter().map(|Reverse(next)| next.1).collect();
        let waits = |(index, entry): &(usize, &&Entry)| entry.left == Left::Waits || later.contains(index);
        let waiting = entries.iter().take(past).enumerate().filter(waits);
        let mut by_number = HashMap::new();
        for (_, entry) in waiting {
            // If two jobs have the same number, the older one counts.
            let known = by_number.entry(entry.id.clone()).or_insert((entry.submit, entry.features));
            if entry.submit < known.0 {
                *known = (entry.submit, entry.features);
            }
        }
        let recent = || entries.iter().take(past).rev().take(SHOWN).map(|entry| entry.features);
        let typical = Features {
            requested: median(recent().map(|features| features.requested)),
            processors: median(recent().map(|features| features.processors)),
        };
        let all = || entries.iter().take(past).map(|entry| entry.features);
        let most = Features {
            requested: all().map(|features| features.requested).max().unwrap_or(0),
            processors: all().map(|features| features.processors).max().unwrap_or(0),
        };
        let held = Held::new(&reported);
        reported.drain(..reported.len().saturating_sub(SHOWN));
        Ok(Line { name: name.to_owned(), method, held, memory, waiting: by_number, reported, typical, most })
    }

    /// In what a job goes beyond all jobs of the history, where that says what they asked for.
    fn beyond(&self, features: &Features) -> Vec<String> {
        let Features { requested, processors } = self.most;
        let wide = (processors > 0 && features.processors > processors)
            .then(|| format!("no job of the history asked for more than {processors} processors"));
        let long = (requested > 0 && features.requested > requested)
            .then(|| format!("no job of the history asked for more than {requested} s"));
        wide.into_iter().chain(long).collect()
    }

    fn predictor(&mut self) -> Result<WaitPredictor<'_>, CoreError> {
        WaitPredictor::attach(bytemuck::cast_slice_mut(&mut self.memory))
    }
}

impl Site {
    /// Shows predictors, one a queue or one for all, what happened up to `now`, by default the last time in the
    /// history. Of several methods every queue takes the one that has been tightest there.
    ///
    /// # Errors
    /// [`CoreError::OutOfRange`] for options out of range, or no method; [`CoreError::Full`] for more than 2^22 jobs.
    pub fn new(
        history: &History,
        methods: &[Method],
        options: &WaitOptions,
        clusters: u32,
        by_queue: bool,
        now: Option<i64>,
    ) -> Result<Site, CoreError> {
        let mut queues: Vec<(&str, Vec<&Entry>)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for entry in &history.entries {
            let name = if by_queue { entry.queue.as_str() } else { crate::live::queues::ALL };
            let place = *places.entry(name).or_insert_with(|| {
                queues.push((name, Vec::new()));
                queues.len() - 1
            });
            queues[place].1.push(entry);
        }
        queues.sort_by_key(|queue| queue.0);
        let events = Events::of(history.events());
        let now = now.unwrap_or(events.last());
        let lines = queues
            .iter()
            .map(|(name, entries)| Line::tightest(name, entries, methods, options, clusters, now));
        Ok(Site {
            lines: lines.collect::<Result<_, _>>()?,
            dates: history.dates,
            now,
            events,
            options: *options,
        })
    }

    /// Whether the history's times are dates, as clocks on the wall show them.
    pub fn dates(&self) -> bool {
        self.dates
    }

    /// The present.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// Age of the history at present.
    pub fn age(&self) -> Age {
        self.events.at(self.now)
    }

    /// Options with which the predictors were made.
    pub fn options(&self) -> &WaitOptions {
        &self.options
    }

    /// Time goes on; back is ignored.
    pub fn advance(&mut self, now: i64) {
        self.now = self.now.max(now);
    }

    /// The last jobs for which bounds were reported, in every queue.
    pub fn reported(&self) -> impl Iterator<Item = (&str, &[Reported])> {
        self.lines.iter().map(|line| (line.name.as_str(), line.reported.as_slice()))
    }

    fn names(&self) -> String {
        let names: Vec<&str> = self.lines.iter().map(|line| line.name.as_str()).collect();
        names.join(", ")
    }

    /// Answers a question.
    ///
    /// # Errors
    /// [`AskError`].
    pub fn ask(&mut self, question: &Question) -> Result<Answer, AskError> {
        let place = match &question.queue {
            Some(name) => self.lines.iter().position(|line| line.name == *name),
            None if self.lines.len() == 1 => Some(0),
            None => return Err(AskError::WhichQueue(self.names())),
        };
        let names = self.names();
        let (now, options, history) = (self.now, self.options, self.age());
        let line = place.and_then(|place| self.lines.get_mut(place));
        let line =
            line.ok_or_else(|| AskError::NoQueue(question.queue.clone().unwrap_or_default(), names))?;
        let (features, waited) = match &question.job {
            Some(_) if (question.requested, question.processors, question.waited) != (0, 0, 0) => {
                return Err(AskError::JobAndFeatures);
            }
            Some(job) => {
                let found = line.waiting.get(job);
                let (submit, features) =
                    found.ok_or_else(|| AskError::NoJob(job.clone(), line.name.clone()))?;
                (*features, now - submit)
            }
            None => {
                let features = Features { requested: question.requested, processors: question.processors };
                (features, question.waited)
            }
        };
        if question.start_by.is_some() && (question.job.is_some() || waited != 0) {
            return Err(AskError::Submitted);
        }
        let left = question.start_by.map(|by| by.saturating_sub(now));
        let within = |seconds: i64| (0..=MAX_VALUE).contains(&seconds);
        let checks = [
            ("the requested time is", within(features.requested)),
            ("the time waited is", within(waited)),
            ("the time to start within is", question.within.is_none_or(within)),
            ("the time to start by is past, or", left.is_none_or(within)),
            (FAR, left.is_none_or(|left| left <= LONGEST_LEFT)),
        ];
        if let Some((what, _)) = checks.iter().find(|(_, right)| !right) {
            return Err(AskError::OutOfRange(what));
        }
        let quantile = question.quantile.unwrap_or(options.quantile);
        let confidence = question.confidence.unwrap_or(options.confidence);
        let (name, own, warnings) = (line.name.clone(), line.method, line.beyond(&features));
        let mut predictor = line.predictor()?;
        let method = if waited == 0 { own } else { Method::Binomial };
        let answer = ordered(quantile, options.quantile, |quantile| match waited {
            0 => predictor.predict(&features, quantile, confidence, now),
            waited => predictor.predict_aged(&features, waited, quantile, confidence, now),
        })?;
        // Probabilities are of the time of the predictor's last event.
        predictor.set_clock(now)?;
        let (answer, bound_s) = match history.out_of_date {
            true => (Verdict::OutOfDate, None),
            false => bound_of(answer),
        };
        let start = match question.within.filter(|_| !history.out_of_date) {
            Some(within_s) => {
                let start = predictor.start_probability(&features, waited, waited + within_s, confidence)?;
                let (probability, at_least, waits) = (start.observed, start.at_least, start.waits);
                // It rests on no waits where like jobs wait longer than all of them have it.
                (waits > 0).then_some(Start { within_s, probability, at_least: Some(at_least), waits })
            }
            None => None,
        };
        let reservation = match question.start_by.zip(left).filter(|_| !history.out_of_date) {
            Some((start_by, left)) => {
                let submit_by = bound_s.map(|bound| start_by - bound);
                let from_now_s = submit_by.map(|submit_by| submit_by - now);
                let now = predictor.start_probability(&features, 0, left, confidence)?;
                let probability_now = now.observed;
                (now.waits > 0).then_some(Reservation { start_by, submit_by, from_now_s, probability_now })
            }
            None => None,
        };
        let attribute = predictor.clustered_by().of(&features);
        let by = chosen(&options, &predictor);
        let cluster = predictor.clusters().find(|cluster| (cluster.from..=cluster.to).contains(&attribute));
        // The waits that the bound rests on: those of the cluster, of the like situations, or those that were as long.
        let waits = match start {
            Some(start) => start.waits,
            None => predictor.start_probability(&features, waited, waited, confidence)?.waits,
        };
        Ok(Answer {
            queue: name,
            now,
            history,
            answer,
            bound_s,
            from_now_s: bound_s.map(|bound| bound - waited),
            quantile,
            confidence: Some(confidence),
            method: Some(method),
            requested_s: features.requested,
            processors: features.processors,
            waited_s: waited,
            start,
            reservation,
            like: Like {
                waits,
                ..cluster
                    .as_ref()
                    .map_or(Like { from: 0, to: None, waits: 0, by }, |cluster| like(cluster, by))
            },
            waiting: predictor.queued(),
            remembered: predictor.remembered(),
            warnings,
        })
    }

    /// All queues at present.
    ///
    /// # Errors
    /// Those of the predictors.
    pub fn queues(&mut self) -> Result<Vec<QueueState>, CoreError> {
        let (now, options, known) = (self.now, self.options, !self.age().out_of_date);
        let state = |line: &mut Line| {
            let (name, method, typical) = (line.name.clone(), line.method, line.typical);
            let oldest_s = line.waiting.values().map(|&(submit, _)| now - submit).max();
            let predictor = line.predictor()?;
            let may_be_down = predictor.may_be_down(now)?;
            // Where bounds rest on like situations there are no clusters, and no job that stands for all of one.
            let by = chosen(&options, &predictor);
            let clustered = options.components & VISIBLE == 0;
            let all = predictor.clusters().filter(|_| clustered).collect::<Vec<_>>();
            let clusters = all.into_iter().map(|cluster| {
                // A job in the cluster; with the product as attribute, of one processor.
                let (requested, processors) = match predictor.clustered_by() {
                    Attribute::Processors => (0, u32::try_from(cluster.from).unwrap_or(u32::MAX)),
                    _ => (i64::try_from(cluster.from).unwrap_or(MAX_VALUE).min(MAX_VALUE), 1),
                };
                let job = Features { requested, processors };
                let bound = |quantile| {
                    let answer = ordered(quantile, options.quantile, |quantile| {
                        predictor.predict(&job, quantile, options.confidence, now)
                    })?;
                    Ok::<_, CoreError>(bound_of(answer).1.filter(|_| known))
                };
                Ok(ClusterState {
                    like: like(&cluster, by),
                    median_bound_s: bound(0.5)?,
                    bound_s: bound(options.quantile)?,
                })
            });
            let clusters = clusters.collect::<Result<Vec<_>, CoreError>>()?;
            let lower = QUANTILES.into_iter().filter(|quantile| *quantile < options.quantile);
            let quantiles = lower.chain([options.quantile]).map(|quantile| {
                let bound = |quantile| predictor.predict(&typical, quantile, options.confidence, now);
                let bound_s = bound_of(ordered(quantile, options.quantile, bound)?).1.filter(|_| known);
                Ok(QuantileBound { quantile, bound_s })
            });
            let quantiles = quantiles.collect::<Result<Vec<_>, CoreError>>()?;
            Ok(QueueState {
                queue: name,
                method,
                waiting: predictor.queued(),
                remembered: predictor.remembered(),
                may_be_down,
                oldest_s,
                typical_requested_s: typical.requested,
                typical_processors: typical.processors,
                quantiles,
                clusters,
            })
        };
        self.lines.iter_mut().map(state).collect()
    }
}
