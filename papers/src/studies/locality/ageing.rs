//! The rate at which information on a user's run times becomes old: the question that Nissimov 2006 leaves open at the
//! end of section 3.5.1 ("the only interesting value is alpha").
//!
//! A user's next run-time bin is predicted, when the job is submitted, from the user's earlier jobs whose run times are
//! [`Known`], each weighing `alpha^age`: by [`Clock::Job`] the age is the number of that user's jobs that have become
//! known since, by [`Clock::Time`] the hours since it became known itself. With `W_b` the weight of bin b and `W` their
//! sum,
//!
//! `P(b) = (W_b + c P0(b)) / (W + c)`
//!
//! backs off to `P0`, what all users' jobs known by then had: `(N_b + 1/2) / (N + B/2)` for counts `N_b` in the trace's
//! B bins in use. `c` (in jobs) says how much of their own history users need before it counts; it is the same for all
//! users, and every kind of ageing gets the one that suits it best of [`SMOOTHINGS`], so that gains are of ageing
//! alone. A user's first job has no history and is not predicted.

use super::binning::{Granularity, RunTimes};
use rayon::prelude::*;
use std::collections::BTreeMap;
use surefill_simulator::base::statistics::quantile;
use surefill_simulator::trace::workload::Job;

/// The strengths c of the back-off that are tried.
pub const SMOOTHINGS: [f64; 13] =
    [0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// Half-lives tried first: from `shortest` by steps of the square root of two, beside 0 (by jobs) and none.
const STEP: f64 = std::f64::consts::SQRT_2;
/// Steps of the golden section that makes the best of them exact to about 0.2 %.
const GOLDEN_STEPS: usize = 13;
/// Twice the gain in natural logarithms that a parameter gains by chance in one case of 20 (chi-squared, one degree of
/// freedom).
const SIGNIFICANT: f64 = 3.841;
/// Scales below this are applied before they vanish.
const SMALLEST_SCALE: f64 = 1e-100;

/// Clock by which information ages.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// The user's further jobs: alpha per job
    Job,
    /// Time: alpha per hour
    Time,
}

impl Clock {
    /// The shortest half-life but 0: in jobs, or in seconds.
    fn shortest(self) -> f64 {
        match self {
            Clock::Job => 0.125,
            Clock::Time => 1.0,
        }
    }

    /// Steps from the shortest half-life to the longest but none: 5,793 jobs; 6 years.
    fn steps(self) -> i32 {
        match self {
            Clock::Job => 31,
            Clock::Time => 55,
        }
    }

    /// Half-lives, shortest first. By jobs they begin with 0: only the last job counts.
    fn half_lives(self) -> Vec<f64> {
        let none = (self == Clock::Job).then_some(0.0);
        let some = (0..=self.steps()).map(|i| self.shortest() * STEP.powi(i));
        none.into_iter().chain(some).chain([f64::INFINITY]).collect()
    }

    /// Clock units for which alpha is given: one job, or one hour.
    fn unit(self) -> f64 {
        match self {
            Clock::Job => 1.0,
            Clock::Time => 3600.0,
        }
    }
}

/// When a run time is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Known {
    /// When the job is submitted, as in chapter 2: what there is to be learnt
    Submitted,
    /// When the job ends, by the trace's own waits (none where unknown): what a scheduler can learn
    Ended,
}

impl Known {
    fn at(self, job: &Job) -> i64 {
        match self {
            Known::Submitted => job.submit,
            Known::Ended => job.submit + job.wait.max(0) + job.run_time,
        }
    }
}

/// A rate of ageing.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Rate {
    /// The weight that is left after one job, or one hour.
    pub alpha: f64,
    /// After how many jobs, or seconds, half the weight is left; null when nothing ages.
    pub half_life: Option<f64>,
}

impl Rate {
    fn new(half_life: f64, clock: Clock) -> Rate {
        Rate { alpha: weight(clock.unit(), half_life), half_life: half_life.is_finite().then_some(half_life) }
    }

    /// For sorting and drawing: infinite when nothing ages.
    pub fn half_life(&self) -> f64 {
        self.half_life.unwrap_or(f64::INFINITY)
    }
}

/// The weight left after `age`.
fn weight(age: f64, half_life: f64) -> f64 {
    // 0/0 is no age yet.
    if age == 0.0 { 1.0 } else { (-age / half_life).exp2() }
}

/// One user's rate.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct UserRate {
    /// The user's number in the trace.
    pub user: i64,
    /// Jobs predicted: all but the first.
    pub predicted: usize,
    /// The rate with the highest likelihood.
    #[serde(flatten)]
    pub rate: Rate,
    /// Bits a job of the user's own rate over the common one, as fitted.
    pub gain_bits: f64,
    /// Whether that is more than chance gives in one case of 20 (likelihood ratio).
    pub significant: bool,
}

/// Prediction of the next run-time bin with one kind of ageing, in bits a job: means of log2 P, all below 0.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Predicted {
    /// The strength c of the back-off that suits it best.
    pub smoothing: f64,
    /// All jobs predicted, with what was fitted to them.
    pub bits: f64,
    /// The later half of every user's jobs, with what was fitted to the earlier half.
    pub held_out_bits: f64,
}

/// Quantiles over users.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Quantile {
    /// The share of users at or below.
    pub share: f64,
    /// Their rate.
    #[serde(flatten)]
    pub rate: Rate,
}

/// Ageing by one clock.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Ageing {
    /// Clock by which information ages.
    pub clock: Clock,
    /// When a run time is known.
    pub known: Known,
    /// t_r of the run-time bins.
    pub ratio: f64,
    /// Run-time bins in use.
    pub used_bins: usize,
    /// The least jobs of a user who is among `users`.
    pub min_jobs: usize,
    /// Jobs predicted.
    pub predicted: usize,
    /// The one rate that suits all these users best.
    pub common: Rate,
    /// Without ageing.
    pub none: Predicted,
    /// With the common rate.
    pub one: Predicted,
    /// With every user's own rate.
    pub own: Predicted,
    /// Gains in bits a job.
    pub gains: Gains,
    /// Quantiles of the users' own half-lives, shortest first.
    pub quantiles: Vec<Quantile>,
    /// Users whose own rate is significantly better than the common one.
    pub significant: usize,
    /// Every user, by half-life, shortest first.
    pub users: Vec<UserRate>,
}

/// Gains by ageing, in bits a job.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Gains {
    /// The common rate over no ageing, as fitted.
    pub common_over_none: f64,
    /// Own rates over the common one, as fitted: never below 0, partly chance.
    pub own_over_common: f64,
    /// The same on the later halves, fitted to the earlier ones.
    pub held_out_common_over_none: f64,
    /// The same on the later halves, fitted to the earlier ones: whether own rates are worth having.
    pub held_out_own_over_common: f64,
}

/// Options of the study of ageing.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Options {
    /// When a run time is known.
    pub known: Known,
    /// t_r of the run-time bins.
    pub ratio: f64,
    /// Users with fewer jobs are left out.
    pub min_jobs: usize,
    /// The strength c of the back-off, where it is given.
    pub smoothing: Option<f64>,
}

/// One user's jobs, in order of submission.
#[derive(Debug, Clone, Default)]
struct History {
    user: i64,
    submits: Vec<i64>,
    bins: Vec<u32>,
    /// P0 of every job's bin when it was submitted.
    priors: Vec<f64>,
    /// When which of them become known, in that order.
    known: Vec<(i64, usize)>,
}

/// The jobs, of those in order of becoming known, that a job submitted at `now` can build on: earlier ones, known by
/// then. None of those after the first that it cannot can be used: they become known later, or at once and were
/// submitted later.
fn usable(known: &[(i64, usize)], from: usize, now: i64, index: usize) -> &[(i64, usize)] {
    let rest = known.get(from..).unwrap_or(&[]);
    let count = rest.iter().take_while(|&&(time, earlier)| time <= now && earlier < index).count();
    rest.get(..count).unwrap_or(&[])
}

/// log2-likelihoods of a user's earlier and later half, for every strength of the back-off.
type Halves = Vec<[f64; 2]>;

impl History {
    /// Log-likelihoods at one half-life. O(jobs x smoothings).
    fn likelihoods(&self, clock: Clock, half_life: f64, smoothings: &[f64], bins: usize) -> Halves {
        let mut past = Past { weights: vec![0.0; bins], scale: 1.0, total: 0.0 };
        let mut sums = vec![[0.0; 2]; smoothings.len()];
        let predicted = self.predicted();
        // Number of run times known so far, and the time up to which they have faded.
        let (mut so_far, mut faded) = (0, None);
        let jobs = self.submits.iter().zip(&self.bins).zip(&self.priors);
        for (index, ((&submit, &bin), &prior)) in jobs.enumerate() {
            let news = usable(&self.known, so_far, submit, index);
            so_far += news.len();
            for &(time, earlier) in news {
                match clock {
                    Clock::Job => past.fade(weight(1.0, half_life)),
                    Clock::Time => past.fade_until(time, &mut faded, half_life),
                }
                past.add(self.bins[earlier]);
            }
            if clock == Clock::Time {
                past.fade_until(submit, &mut faded, half_life);
            }
            if index > 0 {
                let half = usize::from(index > predicted / 2);
                let own = past.weights[bin as usize] * past.scale;
                for (sum, c) in sums.iter_mut().zip(smoothings) {
                    sum[half] += ((own + c * prior) / (past.total + c)).log2();
                }
            }
        }
        sums
    }

    fn predicted(&self) -> usize {
        self.bins.len().saturating_sub(1)
    }
}

/// The weights of a user's earlier jobs.
struct Past {
    /// By bin; the true weights are these times `scale`.
    weights: Vec<f64>,
    scale: f64,
    /// The sum of the true weights.
    total: f64,
}

impl Past {
    fn fade(&mut self, left: f64) {
        self.scale *= left;
        self.total *= left;
        if self.scale < SMALLEST_SCALE {
            self.weights.iter_mut().for_each(|weight| *weight *= self.scale);
            self.scale = 1.0;
        }
    }

    fn fade_until(&mut self, time: i64, faded: &mut Option<i64>, half_life: f64) {
        if let Some(before) = faded.replace(time) {
            self.fade(weight((time - before) as f64, half_life));
        }
    }

    fn add(&mut self, bin: u32) {
        self.weights[bin as usize] += 1.0 / self.scale;
        self.total += 1.0;
    }
}

/// The users with enough jobs, and the number of bins in use. Jobs must be in order of submission.
fn histories(jobs: &[Job], options: &Options) -> (Vec<History>, usize) {
    let run_times = RunTimes::new(jobs.iter().map(|job| job.run_time));
    let binned = run_times.bin(Granularity::Ratio(options.ratio));
    let mut known: Vec<(i64, usize)> =
        jobs.iter().enumerate().map(|(index, job)| (options.known.at(job), index)).collect();
    known.sort_unstable();
    let mut counts = vec![0.0; binned.used];
    let mut so_far = 0;
    let mut users: BTreeMap<i64, History> = BTreeMap::new();
    for (index, (job, &bin)) in jobs.iter().zip(&binned.bins).enumerate() {
        let news = usable(&known, so_far, job.submit, index);
        so_far += news.len();
        for &(_, earlier) in news {
            counts[binned.bins[earlier] as usize] += 1.0;
        }
        if job.user >= 0 {
            let history = users.entry(job.user).or_default();
            history.user = job.user;
            history.known.push((options.known.at(job), history.bins.len()));
            history.submits.push(job.submit);
            history.bins.push(bin);
            history.priors.push((counts[bin as usize] + 0.5) / (so_far as f64 + 0.5 * binned.used as f64));
        }
    }
    users.values_mut().for_each(|history| history.known.sort_unstable());
    let enough = users.into_values().filter(|history| history.bins.len() >= options.min_jobs.max(2));
    (enough.collect(), binned.used)
}

/// Number of calls of `progress` by [`ageing`].
pub fn steps(clock: Clock) -> u64 {
    clock.half_lives().len() as u64 + 1
}

struct Fit<'a> {
    clock: Clock,
    histories: &'a [History],
    smoothings: &'a [f64],
    bins: usize,
    half_lives: Vec<f64>,
    /// By half-life, then user, then smoothing.
    table: Vec<Vec<Halves>>,
}

/// Studies ageing by one clock; `None` when no user has enough jobs, or all run times fall in one bin. Jobs must be in
/// order of submission. `progress` gets portions that add up to [`steps`]. O(jobs x half-lives x smoothings).
pub fn ageing(
    jobs: &[Job],
    clock: Clock,
    options: &Options,
    progress: &(dyn Fn(u64) + Sync),
) -> Option<Ageing> {
    let (histories, bins) = histories(jobs, options);
    let half_lives = clock.half_lives();
    if histories.is_empty() || bins < 2 {
        progress(steps(clock));
        return None;
    }
    let smoothings = options.smoothing.as_ref().map_or(&SMOOTHINGS[..], std::slice::from_ref);
    let row = |&half_life: &f64| -> Vec<Halves> {
        let of = |history: &History| history.likelihoods(clock, half_life, smoothings, bins);
        let row = histories.par_iter().map(of).collect();
        progress(1);
        row
    };
    let table = half_lives.par_iter().map(row).collect();
    let fit = Fit { clock, histories: &histories, smoothings, bins, half_lives, table };
    let result = fit.result(options);
    progress(1);
    Some(result)
}

/// The earlier half, or both.
type Part = fn(&[f64; 2]) -> f64;
const WHOLE: Part = |halves| halves[0] + halves[1];
const EARLIER: Part = |halves| halves[0];
const LATER: Part = |halves| halves[1];

impl Fit<'_> {
    /// The index of the half-life with the highest sum over users of a part of their likelihood; the longest of equals.
    fn common(&self, c: usize, part: Part) -> (usize, f64) {
        let sum = |row: &Vec<Halves>| row.iter().map(|halves| part(&halves[c])).sum();
        highest(self.table.iter().map(sum))
    }

    /// The same for one user.
    fn own(&self, user: usize, c: usize, part: Part) -> (usize, f64) {
        highest(self.table.iter().map(|row| part(&row[user][c])))
    }

    /// The strength of the back-off at which `total` is highest.
    fn smoothing(&self, total: impl Fn(usize) -> f64) -> (usize, f64) {
        highest((0..self.smoothings.len()).map(total))
    }

    fn users(&self) -> std::ops::Range<usize> {
        0..self.histories.len()
    }

    /// The half-life about that of `index` with the highest likelihood, and that likelihood.
    fn refined(&self, index: usize, coarse: f64, likelihood: impl Fn(f64) -> f64) -> (f64, f64) {
        let half_life = self.half_lives[index];
        let neighbours = (index.checked_sub(1).map(|i| self.half_lives[i]), self.half_lives.get(index + 1));
        let start = (half_life, coarse);
        let (Some(low), Some(&high)) = neighbours else { return start };
        if low <= 0.0 || high.is_infinite() {
            return start;
        }
        let found = golden(low.ln(), high.ln(), |log| likelihood(log.exp()));
        if found.1 > coarse { (found.0.exp(), found.1) } else { start }
    }

    fn result(&self, options: &Options) -> Ageing {
        let last = self.table.len() - 1;
        let all = |row: usize, c: usize, part: Part| -> f64 {
            self.table[row].iter().map(|halves| part(&halves[c])).sum()
        };
        let own_sum =
            |c: usize, part: Part| -> f64 { self.users().map(|user| self.own(user, c, part).1).sum() };
        let predicted: usize = self.histories.iter().map(History::predicted).sum();
        let later: usize = self.histories.iter().map(|h| h.predicted() - h.predicted() / 2).sum();
        let bits = |c: usize, whole: f64, held_out: f64| Predicted {
            smoothing: self.smoothings[c],
            bits: whole / predicted as f64,
            held_out_bits: held_out / later as f64,
        };

        // On held-out halves everything is fitted to the earlier ones, the back-off included.
        let (c, _) = self.smoothing(|c| all(last, c, EARLIER));
        let none_held_out = all(last, c, LATER);
        let (c, _) = self.smoothing(|c| self.common(c, EARLIER).1);
        let one_held_out = all(self.common(c, EARLIER).0, c, LATER);
        let (c, _) = self.smoothing(|c| own_sum(c, EARLIER));
        let later_at = |user: usize| LATER(&self.table[self.own(user, c, EARLIER).0][user][c]);
        let own_held_out = self.users().map(later_at).sum();

        let (c, whole) = self.smoothing(|c| all(last, c, WHOLE));
        let none = bits(c, whole, none_held_out);

        let at = |user: usize, half_life: f64, c: usize| {
            let smoothing = [self.smoothings[c]];
            WHOLE(&self.histories[user].likelihoods(self.clock, half_life, &smoothing, self.bins)[0])
        };
        let (c_one, _) = self.smoothing(|c| self.common(c, WHOLE).1);
        let (index, coarse) = self.common(c_one, WHOLE);
        let (common, whole) = self.refined(index, coarse, |half_life| {
            let each: Vec<f64> =
                self.users().into_par_iter().map(|user| at(user, half_life, c_one)).collect();
            each.iter().sum()
        });
        let one = bits(c_one, whole, one_held_out);

        let (c, _) = self.smoothing(|c| own_sum(c, WHOLE));
        let rated = |user: usize| {
            let (index, coarse) = self.own(user, c, WHOLE);
            let (half_life, best) = self.refined(index, coarse, |half_life| at(user, half_life, c));
            // Both with this user's back-off: the difference is the rate's alone.
            let gain = (best - at(user, common, c)).max(0.0);
            let history = &self.histories[user];
            let rate = UserRate {
                user: history.user,
                predicted: history.predicted(),
                rate: Rate::new(half_life, self.clock),
                gain_bits: gain / history.predicted() as f64,
                significant: 2.0 * gain * std::f64::consts::LN_2 > SIGNIFICANT,
            };
            (rate, best)
        };
        let rated: Vec<(UserRate, f64)> = self.users().into_par_iter().map(rated).collect();
        let own = bits(c, rated.iter().map(|rated| rated.1).sum(), own_held_out);
        let mut users: Vec<UserRate> = rated.into_iter().map(|rated| rated.0).collect();
        users.sort_by(|a, b| a.rate.half_life().total_cmp(&b.rate.half_life()).then(a.user.cmp(&b.user)));
        Ageing {
            clock: self.clock,
            known: options.known,
            ratio: options.ratio,
            used_bins: self.bins,
            min_jobs: options.min_jobs,
            predicted,
            common: Rate::new(common, self.clock),
            none,
            one,
            own,
            gains: Gains {
                common_over_none: one.bits - none.bits,
                own_over_common: own.bits - one.bits,
                held_out_common_over_none: one.held_out_bits - none.held_out_bits,
                held_out_own_over_common: own.held_out_bits - one.held_out_bits,
            },
            quantiles: [0.05, 0.25, 0.5, 0.75, 0.95].map(|share| rate_at(&users, share)).to_vec(),
            significant: users.iter().filter(|user| user.significant).count(),
            users,
        }
    }
}

/// The last of the highest values and its index; there must be a value.
fn highest(values: impl Iterator<Item = f64>) -> (usize, f64) {
    values.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, f64::NEG_INFINITY))
}

/// A quantile of the rates of users, who are sorted by half-life.
fn rate_at(users: &[UserRate], share: f64) -> Quantile {
    Quantile {
        share,
        rate: quantile(users, share).map_or(Rate { alpha: 1.0, half_life: None }, |user| user.rate),
    }
}

/// The best point of a golden-section search between `low` and `high`, and its value.
fn golden(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> (f64, f64) {
    const PART: f64 = 0.618_033_988_749_894_9;
    let (mut a, mut b) = (high - PART * (high - low), low + PART * (high - low));
    let (mut at_a, mut at_b) = (value(a), value(b));
    for _ in 0..GOLDEN_STEPS {
        if at_a >= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - PART * (high - low);
            at_a = value(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + PART * (high - low);
            at_b = value(b);
        }
    }
    if at_a >= at_b { (a, at_a) } else { (b, at_b) }
}
