//! Ready-made settings of a scheduler by name.
//!
//! Each value can be set by itself afterwards; the names only fill the structure.

use crate::backfill::Rule;
use crate::schedule::Priority;

/// The names of the presets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PresetName {
    /// EASY backfilling by the time limits, in the order of submission.
    Easy,
    /// Nissimov & Feitelson 2007: the lower bound of the delay probability below 0.05, in the order of submission.
    Papers,
    /// The delay rule: shorter waits than EASY's whose longest ones hardly rise. The default of rules by delays;
    /// [`engine`](crate::engine) has the plan of the whole queue, which gains more.
    #[default]
    Delay,
    /// The delay rule for the shortest mean wait, at the price of some long ones.
    DelayFast,
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
}

/// Everything that makes a schedule, beside the predictor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// Rule by which a candidate is accepted. Its `guard` is to be set at each pass, from `guard`
    /// and the recent waits.
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
}

impl Default for Preset {
    /// The values of [`PresetName::Delay`].
    fn default() -> Preset {
        Preset::new(PresetName::Delay)
    }
}
