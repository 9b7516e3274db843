//! On-line calibration of reported starts by their outcomes.
//!
//! A forecast is too early when jobs arrive that overtake, and wrong where predicted run times are. So its quantiles
//! are stretched: a wait of w seconds that the forecast gives for the level q is reported as (w + 60 s) e^t - 60 s. The
//! exponent t of each level follows the outcomes: up by rate q when the job started later than reported, down by rate
//! (1 - q) when it did not (adaptive conformal inference, Gibbs & Candes 2021, equation 2, on the logarithm). The
//! exponent is the sum of one for all jobs and one for the class of the job: the lead time of the forecast's median,
//! and the age of the job.
//!
//! Outcomes come late, and many answers are open at a time, which one jam makes right or wrong together. An outcome
//! therefore counts against the quantiles reported, not against those of now: by the latter, the first few of a jam
//! move the exponents until the others seem right, and fewer answers hold than should. But answers reported at one
//! exponent move it no further away from there than by half of a step at rate 1, be they one or a thousand: those of
//! one jam, reported before its first outcome, count once. The exponent of an answer follows from the forecast and the
//! reported quantile. The way up and the way down are bounded in the proportion of their steps, and therefore a level
//! holds for as many answers as without the bound on every trace of `results/starts.md` that was measured; for jobs
//! that come forty at a time and are all late or early together, the outer levels hold for too many (the lowest for
//! 1.4 % of them, where 5 % should have started). Each of several answers for one job counts.
//!
//! A reported wait is at most the larger of two times the longest wait known, less the job's age, and the highest
//! quantile of its own forecast.
//!
//! Between the levels a probability of starting in time is that of a normal distribution of the wait's logarithm
//! through the reported quantiles, corrected by the observed share of starts for such probabilities, for jobs just
//! submitted and for those that wait already.

use crate::error::{Error, Result};
use crate::math::chances::{Chances, HORIZONS, Pace, probability};
use crate::math::normal;
use crate::runtime::{MAX_SECONDS, check_span};
use bytemuck::{Pod, Zeroable};

/// The levels that are calibrated: the ends of 90 % and 50 % intervals, and the median.
pub const LEVELS: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// The quantiles of the standard normal distribution at [`LEVELS`].
const QUANTILES: [f64; 5] = [
    -1.644_853_626_951_472_7,
    -0.674_489_750_196_081_7,
    0.0,
    0.674_489_750_196_081_7,
    1.644_853_626_951_472_7,
];

/// Ends of the classes of lead time, in seconds; the last is open.
const LEADS: [i64; 5] = [600, 3600, 4 * 3600, 12 * 3600, 36 * 3600];

/// Ends of the classes of age, in seconds, the last is open: just submitted, waiting for a while, for long.
const AGES: [i64; 2] = [JUST_SUBMITTED, 6 * 3600];

/// Seconds of waiting below which a job counts as just submitted.
const JUST_SUBMITTED: i64 = 60;

/// Speed at which the observed shares of starts are learnt.
const PACE: Pace = Pace { belief: 50.0, questions: 500.0 };

const CLASSES: usize = (LEADS.len() + 1) * (AGES.len() + 1);

/// Seconds added to a wait before the logarithm, so that short waits hardly differ.
const SMALL: f64 = 60.0;

/// Least rates. They fall with the number n of starts known as (1 + n)^-0.6, for a class to the first of these, for all
/// jobs to the second. The exponent of all jobs serves classes with few starts.
const RATE: f64 = 0.02;
const RATE_OF_ALL: f64 = 0.005;

/// Number of steps at rate 1 by which an answer may move the exponent away from that at which it was reported.
const REACH: f64 = 0.5;

/// Largest reported wait, as a multiple of the longest one known.
const LONGEST_WAITS: i64 = 2;

/// Largest exponent, on either side of 0.
const MOST: f64 = 6.0;

/// The exponents of one class, or of all jobs.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Exponents {
    count: u64,
    levels: [f64; 5],
}

impl Exponents {
    fn rate(&self, least: f64) -> f64 {
        libm::pow(1.0 + self.count as f64, -0.6).max(least)
    }
}

/// Stretches the quantiles of forecasts so that they hold. Plain data, kept by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct StartCalibration {
    all: Exponents,
    classes: [Exponents; CLASSES],
    /// Observed shares of starts of jobs just submitted, and of those that wait already.
    chances: [Chances; 2],
    /// The longest wait known, of a job that has started or still waits, in seconds from its submission.
    longest: i64,
}

impl Default for StartCalibration {
    fn default() -> StartCalibration {
        StartCalibration::zeroed()
    }
}

fn class(age: i64, median: i64) -> usize {
    let age = AGES.iter().take_while(|&&end| age >= end).count();
    let lead = LEADS.iter().take_while(|&&end| median >= end).count();
    lead * (AGES.len() + 1) + age
}

/// Quantiles of one wait at the five levels: not negative, not decreasing, no longer than 2^40 s.
fn check(age: i64, forecast: &[i64; 5]) -> Result<()> {
    check_span(age)?;
    let mut last = 0;
    for &wait in forecast {
        check_span(wait)?;
        if wait < last {
            return Err(Error::OutOfRange);
        }
        last = wait;
    }
    Ok(())
}

impl StartCalibration {
    /// An empty calibration: it changes nothing.
    pub fn new() -> StartCalibration {
        StartCalibration::default()
    }

    /// Number of starts learnt from.
    pub fn starts(&self) -> u64 {
        self.all.count
    }

    /// The calibrated quantiles to report, at each of [`LEVELS`], for a job that has waited `age` seconds, from the
    /// quantiles of its further wait in the forecast, in seconds: the same, stretched, and again not decreasing. O(1).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for negative or decreasing seconds; [`Error::SpanTooLong`].
    pub fn told(&self, age: i64, forecast: &[i64; 5]) -> Result<[i64; 5]> {
        check(age, forecast)?;
        let [_, _, median, _, highest] = *forecast;
        let mine = self.classes.get(class(age, median)).ok_or(Error::Corrupt)?;
        let most = (LONGEST_WAITS * self.longest.max(age) - age).max(highest).min(MAX_SECONDS);
        let mut told = *forecast;
        let mut last = 0;
        for ((told, all), mine) in told.iter_mut().zip(self.all.levels).zip(mine.levels) {
            *told = stretched(*told, all + mine).min(most).max(last);
            last = *told;
        }
        Ok(told)
    }

    /// Learns that the job with this forecast, from which [`StartCalibration::told`] made `told`, has waited `waited`
    /// seconds more when it started. O(1).
    ///
    /// # Errors
    /// Those of [`StartCalibration::told`], for `told` too.
    pub fn learn(&mut self, age: i64, forecast: &[i64; 5], told: &[i64; 5], waited: i64) -> Result<()> {
        self.learn_rest(age, forecast, told, waited, 0)
    }

    /// [`StartCalibration::learn`] for a job some of whose levels were learnt as missed while it waited: `heard` as
    /// [`StartCalibration::overdue`] returned it last. O(1).
    ///
    /// # Errors
    /// As [`StartCalibration::overdue`].
    pub fn learn_rest(
        &mut self,
        age: i64,
        forecast: &[i64; 5],
        told: &[i64; 5],
        waited: i64,
        heard: u32,
    ) -> Result<()> {
        self.hear(age, forecast, told, waited, heard, true)?;
        let chances = self.chances.get_mut(usize::from(age >= JUST_SUBMITTED)).ok_or(Error::Corrupt)?;
        chances.learn(PACE, &HORIZONS.map(|within| chance(told, within) as f32), 0, waited as u64, true);
        let [_, _, median, _, _] = *forecast;
        let mine = self.classes.get_mut(class(age, median)).ok_or(Error::Corrupt)?;
        self.all.count = self.all.count.saturating_add(1);
        mine.count = mine.count.saturating_add(1);
        Ok(())
    }

    /// Learns that the job with this forecast still waits, `waited` seconds later. A level whose reported wait is over
    /// has missed, and its exponents rise now, not only when the job starts: otherwise the longest waits would teach
    /// nothing while they last. `heard` are the levels of this job that missed before, a bit for each of [`LEVELS`]
    /// from the lowest on, 0 at first; returned are those that have missed by now, for the next call and for
    /// [`StartCalibration::learn_rest`]. O(1).
    ///
    /// # Errors
    /// As [`StartCalibration::learn`]; [`Error::OutOfRange`] for bits that no level has.
    pub fn overdue(
        &mut self,
        age: i64,
        forecast: &[i64; 5],
        told: &[i64; 5],
        waited: i64,
        heard: u32,
    ) -> Result<u32> {
        self.hear(age, forecast, told, waited, heard, false)
    }

    /// Moves the exponents of the levels not learnt before: of all when the job has started, else of those that have
    /// missed.
    fn hear(
        &mut self,
        age: i64,
        forecast: &[i64; 5],
        told: &[i64; 5],
        waited: i64,
        heard: u32,
        started: bool,
    ) -> Result<u32> {
        check_span(waited)?;
        check(age, forecast)?;
        check(age, told)?;
        if heard >> LEVELS.len() != 0 {
            return Err(Error::OutOfRange);
        }
        let [_, _, median, _, _] = *forecast;
        let mine = self.classes.get_mut(class(age, median)).ok_or(Error::Corrupt)?;
        let rates = (self.all.rate(RATE_OF_ALL), mine.rate(RATE));
        self.longest = self.longest.max(age + waited);
        let mut missed = heard;
        let exponents = self.all.levels.iter_mut().zip(&mut mine.levels);
        let levels = LEVELS.into_iter().zip(forecast.iter().zip(told));
        for (level, ((q, (&forecast, &told)), (all, mine))) in levels.zip(exponents).enumerate() {
            if heard >> level & 1 != 0 {
                continue;
            }
            let step = if waited > told {
                missed |= 1 << level;
                q
            } else if started && told > 0 {
                q - 1.0
            } else {
                continue; // nothing is sooner than now
            };
            let room = told_at(forecast, told) + REACH * step - (*all + *mine);
            let both = rates.0 + rates.1;
            let moved = match step > 0.0 {
                true => (both * step).min(room.max(0.0)),
                false => (both * step).max(room.min(0.0)),
            };
            *all = (*all + moved * rates.0 / both).clamp(-MOST, MOST);
            *mine = (*mine + moved * rates.1 / both).clamp(-MOST, MOST);
        }
        Ok(missed)
    }

    /// The probability that a job that has waited `age` seconds starts within `within` more, from the quantiles
    /// reported at each of [`LEVELS`]: between the levels and beyond them by the normal distribution whose quantiles
    /// are their logarithms, corrected by the observed share of starts for such probabilities. Rises with `within`.
    /// O(1).
    ///
    /// # Errors
    /// As [`StartCalibration::told`]; [`Error::OutOfRange`] or [`Error::SpanTooLong`] for `within`.
    pub fn probability(&self, age: i64, told: &[i64; 5], within: i64) -> Result<f64> {
        check(age, told)?;
        check_span(within)?;
        let chances = self.chances.get(usize::from(age >= JUST_SUBMITTED)).ok_or(Error::Corrupt)?;
        let corrected = |horizon, share| chances.corrected(PACE, horizon, share);
        probability(within as u64, |within| Ok(chance(told, within)), corrected)
    }

    /// Whether these are numbers that [`StartCalibration::learn`] can have left.
    pub fn is_sound(&self) -> bool {
        let sound = |all: &Exponents| all.levels.iter().all(|t| (-MOST..=MOST).contains(t));
        let seconds = 0..=2 * MAX_SECONDS;
        seconds.contains(&self.longest)
            && sound(&self.all)
            && self.classes.iter().all(sound)
            && self.chances.iter().all(Chances::is_sound)
    }
}

fn stretched(wait: i64, exponent: f64) -> i64 {
    if exponent == 0.0 {
        return wait;
    }
    let told = (wait as f64 + SMALL) * libm::exp(exponent) - SMALL;
    told.clamp(0.0, MAX_SECONDS as f64) as i64
}

/// The exponent at which this forecast became the reported wait.
fn told_at(forecast: i64, told: i64) -> f64 {
    libm::log((told as f64 + SMALL) / (forecast as f64 + SMALL))
}

/// The probability of starting within `within` seconds, from the waits reported at [`LEVELS`].
fn chance(told: &[i64; 5], within: u64) -> f64 {
    let log = |seconds: f64| libm::log(seconds + SMALL);
    let (wanted, told) = (log(within as f64), told.map(|told| log(told as f64)));
    let steps = told.iter().zip(told.iter().skip(1)).zip(QUANTILES.iter().zip(QUANTILES.iter().skip(1)));
    let mut found = f64::NEG_INFINITY;
    for (place, ((from, to), (low, high))) in steps.enumerate() {
        if place > 0 && wanted < *from {
            break;
        }
        found = if to > from {
            low + (wanted - from) / (to - from) * (high - low)
        } else if wanted < *from {
            f64::NEG_INFINITY
        } else {
            *high
        };
    }
    normal::cdf(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uniforms() -> impl FnMut() -> f64 {
        let mut state = 1u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// Forecasts that are wrong in another way for each class, and change: the calibrated levels hold all the same.
    #[test]
    fn levels_hold_whatever_the_forecast() {
        let mut calibration = StartCalibration::new();
        let mut uniform = uniforms();
        let (mut kept, mut asked) = ([[0u32; 5]; 2], [0u32; 2]);
        for round in 0..40_000 {
            let late = round % 2;
            // Forecasts are 0.8 to 1.2 times the scale; the truth is spread over two decades, around another middle.
            let scale = if late == 1 { 40_000.0 } else { 1000.0 };
            let forecast = [0.8, 0.9, 1.0, 1.1, 1.2].map(|share| (share * scale) as i64);
            let bias = if round < 20_000 { 3.0 } else { 0.5 };
            let middle = if late == 1 { bias } else { 1.0 / bias };
            let waited = (scale * middle * 100f64.powf(uniform() - 0.5)) as i64;
            let told = calibration.told(0, &forecast).unwrap();
            assert!(told.is_sorted());
            if round % 20_000 > 5000 {
                asked[late] += 1;
                for (kept, told) in kept[late].iter_mut().zip(told) {
                    *kept += u32::from(waited <= told);
                }
            }
            calibration.learn(0, &forecast, &told, waited).unwrap();
        }
        for (kept, asked) in kept.iter().zip(asked) {
            for (kept, level) in kept.iter().zip(LEVELS) {
                let share = f64::from(*kept) / f64::from(asked);
                assert!((share - level).abs() < 0.02, "{share} for {level}");
            }
        }
        assert_eq!(calibration.starts(), 40_000);
        assert!(calibration.is_sound());
    }

    /// Forecasts five times too early and three times too narrow; jobs come forty at a time and are delayed together,
    /// by a factor of their own, and their outcomes come long after the next ones are reported. Among jobs of a jam,
    /// which count once, the levels hold for nearly the wanted share, the outer ones for rather more.
    #[test]
    fn levels_hold_when_outcomes_come_late_and_together() {
        const JOBS: usize = 40;
        const ROUNDS: usize = 2000;
        const OPEN: usize = 3;
        let mut calibration = StartCalibration::new();
        let mut uniform = uniforms();
        let forecast = [500, 700, 1000, 1400, 2000];
        let mut open = std::collections::VecDeque::new();
        let mut kept = [0u32; 5];
        for round in 0..ROUNDS + OPEN {
            if round < ROUNDS {
                let jam = 5000.0 * 30f64.powf(uniform() - 0.5);
                let told = calibration.told(0, &forecast).unwrap();
                let waits: [i64; JOBS] = core::array::from_fn(|_| (jam * 2f64.powf(uniform() - 0.5)) as i64);
                open.push_back((told, waits));
            }
            if open.len() <= OPEN && round < ROUNDS {
                continue;
            }
            let Some((told, waits)) = open.pop_front() else { continue };
            for waited in waits {
                for (kept, told) in kept.iter_mut().zip(told) {
                    *kept += u32::from(waited <= told);
                }
                let heard = calibration.overdue(0, &forecast, &told, waited / 2, 0).unwrap();
                calibration.learn_rest(0, &forecast, &told, waited, heard).unwrap();
            }
        }
        let all = (JOBS * ROUNDS) as f64;
        assert_eq!(calibration.starts(), all as u64);
        for (kept, level) in kept.iter().zip(LEVELS) {
            let share = f64::from(*kept) / all;
            assert!((share - level).abs() < 0.04, "{share} for {level}");
        }
    }

    /// A fresh calibration and thirteen jobs of one jam, all of which miss: the next reported waits are longer by one
    /// jam's part, not years. Neither do the outcomes of a thousand answers of one time count as a thousand.
    #[test]
    fn one_jam_counts_once() {
        const HOUR: i64 = 3600;
        let mut calibration = StartCalibration::new();
        for job in 0..13 {
            let median = 10 * HOUR + job * 15 * HOUR / 12;
            let forecast =
                [median - 3, median - 2, median, median + 2, median + 3].map(|wait| wait.min(25 * HOUR));
            let told = calibration.told(0, &forecast).unwrap();
            let heard = calibration.overdue(0, &forecast, &forecast, 26 * HOUR, 0).unwrap();
            assert_eq!(heard, 31);
            assert!(told[2] <= median * 2, "{} h", told[2] / HOUR);
        }
        let forecast = [9, 9, 10, 11, 12].map(|hours| hours * HOUR);
        let [_, _, median, _, highest] = calibration.told(0, &forecast).unwrap();
        assert!((11 * HOUR..15 * HOUR).contains(&median) && highest < 24 * HOUR, "{median} {highest}");

        let forecast = [600, 1200, 1800, 2400, 3000];
        for known in [0, 50, 1000] {
            let mut calibration = StartCalibration::new();
            for job in 0..known {
                let told = calibration.told(0, &forecast).unwrap();
                calibration.learn(0, &forecast, &told, [590, 1100, 1900, 2300, 2900, 3100][job % 6]).unwrap();
            }
            let mut jam = calibration;
            let told = calibration.told(0, &forecast).unwrap();
            for job in 0..1000 {
                jam.learn(0, &forecast, &told, 4000 + 30 * job).unwrap();
            }
            let after = jam.told(0, &forecast).unwrap();
            for (level, (before, after)) in LEVELS.into_iter().zip(told.into_iter().zip(after)) {
                let most = (before as f64 + SMALL) * libm::exp(REACH * level);
                assert!(after > before && after as f64 <= most, "{before} {after} for {level}");
            }
            let mut easy = calibration;
            for _ in 0..1000 {
                easy.learn(0, &forecast, &told, 0).unwrap();
            }
            let after = easy.told(0, &forecast).unwrap();
            for (level, (before, after)) in LEVELS.into_iter().zip(told.into_iter().zip(after)) {
                let least = (before as f64 + SMALL) * libm::exp(REACH * (level - 1.0)) - SMALL - 1.0;
                assert!(after < before && after as f64 >= least, "{before} {after} for {level}");
            }
        }
    }

    /// However often jobs were late, no reported wait exceeds twice the longest one known, or the forecast's own
    /// highest quantile where that is longer.
    #[test]
    fn nothing_is_told_beyond_twice_the_longest_wait() {
        let mut calibration = StartCalibration::new();
        for _ in 0..2000 {
            let forecast = [1, 2, 3, 4, 5];
            let told = calibration.told(30, &forecast).unwrap();
            calibration.learn(30, &forecast, &told, 1970).unwrap();
        }
        for (age, forecast, most) in [
            (0, [10, 20, 300, 400, 500], 4000),
            (30, [10, 20, 300, 400, 500], 3970),
            (3000, [10, 20, 300, 400, 500], 3000),
            (0, [10, 20, 300, 4000, 9000], 9000),
        ] {
            let told = calibration.told(age, &forecast).unwrap();
            assert!(told.iter().all(|&told| told <= most) && told[4] == most, "{told:?}");
        }
        let mut waits = StartCalibration::new();
        waits.overdue(100, &[5; 5], &[5; 5], 900, 0).unwrap();
        assert_eq!(waits.longest, 1000);
        assert!(waits.is_sound());
    }

    /// Misses learnt while jobs wait are those that would have been learnt at their starts, no more and no fewer.
    #[test]
    fn misses_are_heard_once_and_at_once() {
        let forecast = [10, 100, 1000, 10_000, 100_000];
        let mut early = StartCalibration::new();
        let mut heard = 0;
        for (waited, levels) in [(5, 0), (10, 0), (11, 1), (400, 3), (400, 3), (2000, 7)] {
            heard = early.overdue(30, &forecast, &forecast, waited, heard).unwrap();
            assert_eq!(heard, levels, "{waited}");
        }
        assert!(early.told(30, &forecast).unwrap()[2] > 1000);
        assert_eq!(early.starts(), 0);
        early.learn_rest(30, &forecast, &forecast, 2500, heard).unwrap();
        let mut late = StartCalibration::new();
        late.learn(30, &forecast, &forecast, 2500).unwrap();
        assert_eq!(early, late);
        assert_eq!(early.overdue(30, &forecast, &forecast, 1, 1 << 5), Err(Error::OutOfRange));
        assert_eq!(early.learn_rest(30, &forecast, &forecast, 1, u32::MAX), Err(Error::OutOfRange));
        assert_eq!(early, late);
    }

    /// The wait reported at a level has the level's probability, others that of a normal distribution.
    #[test]
    fn probabilities_are_those_of_the_levels() {
        let calibration = StartCalibration::new();
        let near = |told: &[i64; 5], within: i64, wanted: f64| {
            let found = calibration.probability(0, told, within).unwrap();
            assert!((found - wanted).abs() < 1e-9, "{found} for {wanted}");
        };
        let told = [0, 60, 540, 1140, 5940];
        for (within, level) in told.into_iter().zip(LEVELS) {
            near(&told, within, level);
        }
        // The geometric middle of 2 min and 10 min, each with the minute added, has the probability of the middle.
        near(
            &told,
            287,
            normal::cdf(
                (347f64 / 120.0).ln() / 5f64.ln() * 0.674_489_750_196_081_7 - 0.674_489_750_196_081_7,
            ),
        );
        // Beyond .75 by twice the step from .75 to .95.
        near(&told, 29_940, normal::cdf(2.0 * 1.644_853_626_951_472_7 - 0.674_489_750_196_081_7));
        // Equal levels: none of them starts before, all of them start by then.
        let alike = [100, 100, 100, 200, 300];
        near(&alike, 99, 0.0);
        near(&alike, 100, 0.5);
        near(&[100; 5], 99, 0.0);
        near(&[100; 5], 100, 0.95);
        near(&[100; 5], 100_000, 0.95);
        near(&[0; 5], 0, 0.95);
        for (level, quantile) in LEVELS.into_iter().zip(QUANTILES) {
            assert!((normal::cdf(quantile) - level).abs() < 1e-15);
        }
        let mut last = 0.0;
        for within in (0..20_000).step_by(7) {
            let found = calibration.probability(90, &told, within).unwrap();
            assert!((last..=1.0).contains(&found));
            last = found;
        }
        for (wrong, error) in [(-1, Error::OutOfRange), (1 << 41, Error::SpanTooLong)] {
            assert_eq!(calibration.probability(wrong, &told, 5), Err(error));
            assert_eq!(calibration.probability(0, &told, wrong), Err(error));
            assert_eq!(calibration.probability(0, &[wrong; 5], 5), Err(error));
        }
    }

    /// Waits that have two humps, which five levels cannot show: the probabilities come true all the same, of new jobs
    /// and of those that wait already, whose humps differ.
    #[test]
    fn probabilities_come_true() {
        let mut calibration = StartCalibration::new();
        let mut uniform = uniforms();
        let mut found = [[(0u32, 0.0, 0u32); 10]; 2];
        for round in 0..60_000 {
            let old = round % 2;
            let age = [0, 4000][old];
            let soon = if old == 1 { 0.35 } else { 0.6 };
            let waited = match uniform() < soon {
                true => 500.0 * 1.5f64.powf(uniform()),
                false => 30_000.0 * 4f64.powf(uniform()),
            } as i64;
            let forecast = [400, 500, 3000, 20_000, 90_000];
            let told = calibration.told(age, &forecast).unwrap();
            if round > 20_000 {
                for within in [600, 3600, 10_000, 21_600, 86_400] {
                    let chance = calibration.probability(age, &told, within).unwrap();
                    let tenth = &mut found[old][((chance * 10.0) as usize).min(9)];
                    *tenth = (tenth.0 + 1, tenth.1 + chance, tenth.2 + u32::from(waited <= within));
                }
            }
            calibration.learn(age, &forecast, &told, waited).unwrap();
        }
        for (asked, told, came) in found.into_iter().flatten().filter(|tenth| tenth.0 > 1000) {
            let off = (told - f64::from(came)) / f64::from(asked);
            assert!(off.abs() < 0.04, "{off} of {asked}");
        }
        assert!(calibration.is_sound());
    }

    #[test]
    fn nothing_is_changed_before_anything_is_heard_and_by_bad_arguments() {
        let mut calibration = StartCalibration::new();
        let forecast = [0, 10, 20, 30, 1 << 40];
        assert_eq!(calibration.told(5, &forecast), Ok(forecast));
        for (age, wrong, waited, error) in [
            (-1, forecast, 5, Error::OutOfRange),
            (1 << 41, forecast, 5, Error::SpanTooLong),
            (0, [0, 10, 9, 30, 40], 5, Error::OutOfRange),
            (0, [-1, 10, 19, 30, 40], 5, Error::OutOfRange),
            (0, [0, 10, 19, 30, 1 << 41], 5, Error::SpanTooLong),
            (0, forecast, -1, Error::OutOfRange),
            (0, forecast, 1 << 41, Error::SpanTooLong),
        ] {
            assert_eq!(calibration.learn(age, &wrong, &forecast, waited), Err(error));
            assert_eq!(calibration.learn(age, &forecast, &wrong, waited), Err(error));
        }
        assert_eq!(calibration, StartCalibration::new());
        // A start reported for now that comes now teaches nothing.
        calibration.learn(0, &[0; 5], &[0; 5], 0).unwrap();
        assert_eq!(calibration.told(0, &[0; 5]), Ok([0; 5]));
    }
}
