//! When jobs come: the week's cycle and the times between submissions, both from a trace.
//!
//! The paper leaves arrivals to others. Here the rate of submissions is a step function of the hour of the week, as
//! counted in the trace: how many jobs came in that hour over how often the hour passed. A trace shorter than two weeks
//! gives the hours of a day only, one shorter than two days no cycle. No hour has less than a hundredth of the mean
//! rate, so that time always goes on.
//!
//! Time is then measured in what the rate lets pass (as many seconds of it as of the clock, over a whole cycle): nights
//! are short, mornings long. In that time the gaps between submissions are drawn from those of the trace, separately
//! where one user goes on and where another one comes: sessions, scripts and bursts stay what they are, the cycle is
//! not in the gaps a second time.

use surefill_simulator::base::random::Random;
use surefill_simulator::generate::Past;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// The rate of submissions by the hour, periodic.
#[derive(Debug, Clone)]
pub struct Cycle {
    /// Relative rates, of mean 1.
    rates: Vec<f64>,
    /// Passed seconds at the beginning of each hour.
    passed: Vec<f64>,
    /// Seconds of the clock from the beginning of a cycle to the trace's second 0.
    phase: i64,
}

impl Cycle {
    /// The cycle of submissions in order of time; `unix_start_time` says what second 0 is, without it the trace is
    /// taken to begin with a week.
    pub fn new(jobs: &[Past], unix_start_time: Option<i64>) -> Cycle {
        /// The epoch was a Thursday.
        const MONDAY: i64 = 4 * DAY;
        const LEAST: f64 = 0.01;
        let (first, last) = match (jobs.first(), jobs.last()) {
            (Some(first), Some(last)) => (first.submit, last.submit),
            _ => (0, 0),
        };
        let hours = match last - first {
            span if span >= 14 * DAY => 7 * 24,
            span if span >= 2 * DAY => 24,
            _ => 1,
        };
        let phase = (unix_start_time.unwrap_or(MONDAY) - MONDAY).rem_euclid(hours as i64 * HOUR);
        let mut rates = vec![0.0; hours];
        let hour = |submit: i64| ((submit + phase) / HOUR).rem_euclid(hours as i64) as usize;
        for job in jobs {
            rates[hour(job.submit)] += 1.0;
        }
        // Number of times that each hour passed: the first and the last count as far as the trace goes.
        let mut passes = vec![0.0; hours];
        let span = (last - first).max(1) as f64;
        let whole = (span / (hours as f64 * HOUR as f64)).floor();
        passes.fill(whole);
        let mut at = first + whole as i64 * hours as i64 * HOUR;
        while at < last {
            let until = ((at + phase).div_euclid(HOUR) + 1) * HOUR - phase;
            passes[hour(at)] += (until.min(last) - at) as f64 / HOUR as f64;
            at = until;
        }
        for (rate, pass) in rates.iter_mut().zip(&passes) {
            *rate = if *pass > 0.0 { *rate / pass } else { 0.0 };
        }
        let scale = rates.iter().sum::<f64>() / hours as f64;
        for rate in &mut rates {
            *rate = if scale > 0.0 { (*rate / scale).max(LEAST) } else { 1.0 };
        }
        let scale = rates.iter().sum::<f64>() / hours as f64;
        let mut passed = vec![0.0];
        for rate in &mut rates {
            *rate /= scale;
            passed.push(passed[passed.len() - 1] + *rate * HOUR as f64);
        }
        Cycle { rates, passed, phase }
    }

    /// Seconds of a whole cycle, by the clock and passed.
    fn length(&self) -> f64 {
        self.rates.len() as f64 * HOUR as f64
    }

    /// Passed seconds at a second of the clock.
    pub fn passed(&self, clock: f64) -> f64 {
        let since = clock + self.phase as f64;
        let cycles = (since / self.length()).floor();
        let within = since - cycles * self.length();
        let hour = ((within / HOUR as f64) as usize).min(self.rates.len() - 1);
        let rest = within - hour as f64 * HOUR as f64;
        cycles * self.length() + self.passed[hour] + rest * self.rates[hour]
    }

    /// The second of the clock at which this number has passed: the inverse of [`Cycle::passed`].
    pub fn clock(&self, passed: f64) -> f64 {
        let cycles = (passed / self.length()).floor();
        let within = passed - cycles * self.length();
        let hour =
            (self.passed.partition_point(|&start| start <= within).max(1) - 1).min(self.rates.len() - 1);
        let rest = (within - self.passed[hour]) / self.rates[hour];
        cycles * self.length() + hour as f64 * HOUR as f64 + rest - self.phase as f64
    }
}

/// The arrivals of a trace.
#[derive(Debug, Clone)]
pub struct Arrivals {
    cycle: Cycle,
    first: i64,
    /// Gaps in passed seconds: where the user changes, where he goes on.
    gaps: [Vec<f64>; 2],
}

impl Arrivals {
    /// The arrivals of jobs in order of submission.
    pub fn new(jobs: &[Past], unix_start_time: Option<i64>) -> Arrivals {
        let cycle = Cycle::new(jobs, unix_start_time);
        let mut gaps = [Vec::new(), Vec::new()];
        for pair in jobs.windows(2) {
            let gap = cycle.passed(pair[1].submit as f64) - cycle.passed(pair[0].submit as f64);
            gaps[usize::from(pair[0].user == pair[1].user)].push(gap.max(0.0));
        }
        Arrivals { cycle, first: jobs.first().map_or(0, |job| job.submit), gaps }
    }

    /// The times of submission, from that of the trace's first job on.
    pub fn clock(&self) -> Clock<'_> {
        Clock { arrivals: self, passed: self.cycle.passed(self.first as f64), latest: self.first }
    }
}

/// Submission after submission.
#[derive(Debug)]
pub struct Clock<'a> {
    arrivals: &'a Arrivals,
    passed: f64,
    latest: i64,
}

impl Clock<'_> {
    /// The time of the last submission.
    pub fn now(&self) -> i64 {
        self.latest
    }

    /// Goes on to the next submission, by the same user as the last one or another.
    pub fn advance(&mut self, same_user: bool, random: &mut Random) {
        let [others, same] = &self.arrivals.gaps;
        let gaps = if same_user { [same, others] } else { [others, same] };
        let Some(gaps) = gaps.into_iter().find(|gaps| !gaps.is_empty()) else { return };
        self.passed += gaps[random.index(gaps.len())];
        // The reader takes no later time, and rounding must not turn time back.
        let clock =
            (self.arrivals.cycle.clock(self.passed) as i64).min(surefill_simulator::trace::swf::MAX_VALUE);
        self.latest = self.latest.max(clock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use surefill_simulator::generate::Kind;

    fn at(submit: i64) -> Past {
        Past { submit, wait: -1, run_time: 1, processors: 1, requested: -1, user: 1, kind: Kind::default() }
    }

    /// Days from midnight, two jobs in the first hour of each, one at noon; the third ends at noon. The first hour
    /// passed three times for six jobs, the thirteenth twice for three: 2 and 1.5, the mean over a day being 3.5 / 24.
    /// The other 22 hours get a hundredth of the mean, which makes the mean 24.22 / 24.
    #[test]
    fn rates_by_hand() {
        let submits = (0..3).flat_map(|day| [0, 60, 12 * HOUR].map(|second| day * DAY + second));
        let jobs: Vec<Past> = submits.map(at).collect();
        let cycle = Cycle::new(&jobs, Some(4 * DAY));
        assert_eq!(cycle.rates.len(), 24);
        for (hour, rate) in cycle.rates.iter().enumerate() {
            let expected = match hour {
                0 => 2.0 * 24.0 / 3.5,
                12 => 1.5 * 24.0 / 3.5,
                _ => 0.01,
            };
            assert!((rate - expected / (24.22 / 24.0)).abs() < 1e-12, "{hour} {rate}");
        }
        assert!((cycle.passed(DAY as f64) - cycle.passed(0.0) - DAY as f64).abs() < 1e-6);
        // Second 0 at six o'clock: the same jobs are six hours later.
        let later = Cycle::new(&jobs, Some(4 * DAY + 6 * HOUR));
        assert!((later.rates[6] - cycle.rates[0]).abs() < 1e-12);
    }

    #[test]
    fn short_traces_have_no_cycle() {
        for jobs in [vec![], vec![at(5)], vec![at(5), at(5)], vec![at(5), at(5 + HOUR)]] {
            let cycle = Cycle::new(&jobs, None);
            assert_eq!(cycle.rates, [1.0]);
            assert!((cycle.clock(cycle.passed(1234.5)) - 1234.5).abs() < 1e-6);
        }
        let arrivals = Arrivals::new(&[at(7)], None);
        let mut clock = arrivals.clock();
        clock.advance(true, &mut Random::new(1));
        assert_eq!(clock.now(), 7);
    }

    proptest! {
        #[test]
        fn passed_time_and_the_clock_are_inverse(
            mut submits in proptest::collection::vec(0i64..3_000_000, 1..60),
            start in proptest::option::of(0i64..1_000_000_000),
            second in -1_000_000.0f64..1e8,
        ) {
            submits.sort_unstable();
            let jobs: Vec<Past> = submits.into_iter().map(at).collect();
            let cycle = Cycle::new(&jobs, start);
            prop_assert!((cycle.clock(cycle.passed(second)) - second).abs() < 1e-3);
            prop_assert!(cycle.passed(second + 1.0) > cycle.passed(second));
            let arrivals = Arrivals::new(&jobs, start);
            let mut random = Random::new(1);
            let mut clock = arrivals.clock();
            for _ in 0..100 {
                let before = clock.now();
                clock.advance(true, &mut random);
                prop_assert!(clock.now() >= before);
            }
        }
    }
}
