//! Ready-made settings of a scheduler by name.
//!
//! Each value can be set by itself afterwards; the names only fill the structure.

use crate::backfill::Rule;
use crate::error::{Error, Result};
use crate::schedule::{Priority, RecentWaits};

/// The names of the presets. The numbers are C's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(i32)]
pub enum PresetName {
    /// EASY backfilling by the time limits, in the order of submission.
    Easy = 0,
    /// Nissimov & Feitelson 2007: the lower bound of the delay probability below 0.05, in the order of submission.
    Papers = 1,
    /// The delay rule: shorter waits than EASY's whose longest ones hardly rise. The default of rules by delays;
    /// [`engine`](crate::engine) has the plan of the whole queue, which gains more.
    #[default]
    Delay = 2,
    /// The delay rule for the shortest mean wait, at the price of some long ones.
    DelayFast = 3,
}

impl PresetName {
    /// All names, in the order of their numbers.
    pub const ALL: [PresetName; 4] =
        [PresetName::Easy, PresetName::Papers, PresetName::Delay, PresetName::DelayFast];

    /// The name in the spelling of users.
    pub const fn name(self) -> &'static core::ffi::CStr {
        match self {
            PresetName::Easy => c"easy",
            PresetName::Papers => c"papers",
            PresetName::Delay => c"delay",
            PresetName::DelayFast => c"delay-fast",
        }
    }

    /// The preset with this number.
    pub fn from_number(number: i32) -> Option<PresetName> {
        PresetName::ALL.into_iter().find(|preset| *preset as i32 == number)
    }
}

/// Everything that makes a schedule, beside the predictor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// Rule by which a candidate is accepted. Its `guard` is to be set at each pass, by [`Preset::guard_after`].
    pub rule: Rule,
    /// Number of events into which a bin's probability is divided.
    pub events_per_bin: u32,
    /// The order of the queue: its first job is the head job.
    pub queue: Priority,
    /// The order in which backfill candidates are tried.
    pub candidates: Priority,
    /// The quantile of recent waits beyond which the head job is guarded; 1 or more for no guard at all, 0 for a guard
    /// from the first second (EASY by the limits).
    pub guard: f64,
    /// The quantile of recent waits beyond which a job comes to the front, by submission; 1 or more for never.
    pub front: f64,
    /// Number of waits that count as recent.
    pub recent: u32,
    /// The least wait that counts as long, in seconds: neither guard nor front begin earlier.
    pub shortest_long_wait: f64,
}

impl Preset {
    /// The exact probability of a delay below 0.05, in the order of submission: values where no preset is named.
    pub const EXACT: Preset = Preset {
        rule: Rule::EXACT,
        events_per_bin: 4,
        queue: Priority::SUBMISSION,
        candidates: Priority::SUBMISSION,
        guard: 1.0,
        front: 1.0,
        recent: 5000,
        shortest_long_wait: 3600.0,
    };

    /// The preset of this name.
    pub const fn new(name: PresetName) -> Preset {
        let plain = Preset::EXACT;
        match name {
            PresetName::Easy => Preset {
                rule: Rule { or_easy: true, unmeasured: true, guard: 0.0, ..Rule::EXACT },
                events_per_bin: 1,
                guard: 0.0,
                ..plain
            },
            PresetName::Papers => Preset { rule: Rule::PAPERS, events_per_bin: 1, ..plain },
            PresetName::Delay => Preset {
                rule: Rule { unmeasured: true, ..Rule::DELAY },
                events_per_bin: 1,
                queue: Priority { run_time: 0.5, processors: -0.1, age_unit: 7200.0, age: 2.0 },
                candidates: Priority { run_time: 1.0, processors: 0.0, age_unit: 7200.0, age: 1.0 },
                guard: 0.98,
                front: 0.998,
                ..plain
            },
            PresetName::DelayFast => Preset {
                rule: Rule { threshold: 0.4, unmeasured: true, ..Rule::DELAY },
                events_per_bin: 1,
                queue: Priority { run_time: 0.5, processors: -0.3, age_unit: 14_400.0, age: 2.0 },
                candidates: Priority { run_time: 1.0, processors: 0.3, age_unit: 3600.0, age: 1.0 },
                guard: 0.998,
                front: 0.999,
                ..plain
            },
        }
    }

    /// Refuses values that make no schedule.
    ///
    /// # Errors
    /// [`Error::NotANumber`], [`Error::OutOfRange`].
    pub fn check(&self) -> Result<()> {
        self.rule.check()?;
        self.queue.check()?;
        self.candidates.check()?;
        if [self.guard, self.front, self.shortest_long_wait].into_iter().any(f64::is_nan) {
            return Err(Error::NotANumber);
        }
        let valid =
            self.guard >= 0.0 && self.front > 0.0 && self.shortest_long_wait >= 0.0 && self.recent > 0;
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }

    /// The wait from which the head job is guarded now, in seconds, for [`Rule::guard`]. O(log n).
    ///
    /// # Errors
    /// [`Error::NotANumber`], [`Error::OutOfRange`].
    pub fn guard_after(&self, recent: &RecentWaits) -> Result<f64> {
        if self.guard == 0.0 { Ok(0.0) } else { self.long_wait(recent, self.guard) }
    }

    /// The wait beyond which a job comes to the front now, in seconds, for [`Priority::value`]. O(log n).
    ///
    /// # Errors
    /// [`Error::NotANumber`], [`Error::OutOfRange`].
    pub fn front_after(&self, recent: &RecentWaits) -> Result<f64> {
        self.long_wait(recent, self.front)
    }

    fn long_wait(&self, recent: &RecentWaits, quantile: f64) -> Result<f64> {
        if quantile >= 1.0 {
            return Ok(f64::INFINITY);
        }
        recent.quantile(quantile, self.shortest_long_wait)
    }
}

impl Default for Preset {
    /// The values of [`PresetName::Delay`].
    fn default() -> Preset {
        Preset::new(PresetName::Delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    #[test]
    fn numbers_lead_to_presets_that_are_valid() {
        for (number, name) in PresetName::ALL.into_iter().enumerate() {
            assert_eq!(PresetName::from_number(number as i32), Some(name));
            Preset::new(name).check().unwrap();
        }
        assert_eq!(PresetName::from_number(4), None);
        assert_eq!(Preset::default(), Preset::new(PresetName::Delay));
    }

    #[test]
    fn long_waits_are_quantiles_of_at_least_an_hour() {
        let mut memory = vec![0u64; RecentWaits::size(100).unwrap().div_ceil(8)];
        let mut recent = RecentWaits::init(bytemuck::cast_slice_mut(&mut memory), 100).unwrap();
        let preset = Preset { guard: 0.9, front: 0.99, ..Preset::default() };
        assert_eq!(preset.guard_after(&recent), Ok(f64::INFINITY));
        for wait in 1..=100 {
            recent.add(wait * 40).unwrap();
        }
        assert_eq!(preset.guard_after(&recent), Ok(3600.0));
        assert_eq!(preset.front_after(&recent), Ok(3960.0));
        let free = Preset { guard: 1.0, front: 1.0, ..preset };
        assert_eq!(free.guard_after(&recent), Ok(f64::INFINITY));
        assert_eq!(free.front_after(&recent), Ok(f64::INFINITY));
        assert_eq!(Preset::new(PresetName::Easy).guard_after(&recent), Ok(0.0));
    }

    #[test]
    fn refuses_what_makes_no_schedule() {
        let refused = |preset: Preset| preset.check().unwrap_err();
        let base = Preset::default();
        assert_eq!(refused(Preset { guard: f64::NAN, ..base }), Error::NotANumber);
        assert_eq!(refused(Preset { guard: -0.1, ..base }), Error::OutOfRange);
        assert_eq!(refused(Preset { front: 0.0, ..base }), Error::OutOfRange);
        assert_eq!(refused(Preset { recent: 0, ..base }), Error::OutOfRange);
        assert_eq!(refused(Preset { shortest_long_wait: -1.0, ..base }), Error::OutOfRange);
        let rule = Rule { threshold: -1.0, ..base.rule };
        assert_eq!(refused(Preset { rule, ..base }), Error::OutOfRange);
        let queue = Priority { age: -1.0, ..base.queue };
        assert_eq!(refused(Preset { queue, ..base }), Error::OutOfRange);
    }
}
