//! Presets as the calls want them: mostly sound, seldom with a wrong number or of another length.

use crate::input::Input;
use crate::object::Expected;
use std::fmt;
use std::mem::MaybeUninit;
use surefill::capi::*;

/// As long as the longest structure that a call may look at.
const WORDS: usize = 4096 / 8;

#[derive(Clone)]
pub struct Preset {
    pub values: surefill_preset,
    sound: bool,
    words: Vec<u64>,
}

impl fmt::Debug for Preset {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        self.values.fmt(to)
    }
}

impl Preset {
    pub fn any(input: &mut Input) -> Preset {
        let mut values = MaybeUninit::uninit();
        let name = input.below(4) as i32;
        assert_eq!(
            unsafe { surefill_preset_init(values.as_mut_ptr(), name, size_of::<surefill_preset>() as i64) },
            SUREFILL_OK
        );
        let mut values = unsafe { values.assume_init() };
        values.recent_waits = 1 + input.below(40) as i32;
        let quantile = |input: &mut Input| f64::from(1 + input.below(100) as u8) / 100.0;
        if input.below(2) == 0 {
            (values.guard_quantile, values.front_quantile) = (quantile(input) - 0.01, quantile(input));
            values.shortest_long_wait = input.below(100) as f64;
        }
        if input.below(2) == 0 {
            let power = |input: &mut Input| f64::from(input.below(65) as u8) / 4.0 - 8.0;
            (values.queue_run_time, values.queue_processors) = (power(input), power(input));
            (values.queue_age, values.queue_age_unit) = (power(input).abs(), 1.0 + input.below(200) as f64);
            (values.candidate_run_time, values.candidate_processors) = (power(input), power(input));
            values.candidate_age = power(input).abs();
        }
        let mut sound = true;
        if input.rarely() {
            sound = false;
            let (wild, number) = (input.wild_real(), input.int(5));
            match input.below(16) {
                0 => values.struct_size = number as u32,
                1 => values.criterion = number,
                2 => values.threshold = wild,
                3 => values.budget = wild,
                4 => values.slip = wild,
                5 => values.or_easy = number,
                6 => values.guard_quantile = wild,
                7 => values.front_quantile = wild,
                8 => values.shortest_long_wait = wild,
                9 => values.recent_waits = number.min(1000),
                10 => values.unmeasured = number,
                11 => values.queue_run_time = wild,
                12 => values.queue_age_unit = wild,
                13 => values.candidate_age = wild,
                14 => values.struct_size = 8 * input.below(65) as u32,
                _ => values.events_per_bin = number,
            }
        }
        let mut words = vec![0; WORDS];
        unsafe { words.as_mut_ptr().cast::<surefill_preset>().write(values) };
        Preset { values, sound, words }
    }

    pub fn sound(&self) -> bool {
        self.sound
    }

    pub fn pointer(&self) -> *const surefill_preset {
        self.words.as_ptr().cast()
    }

    /// What a call with it must answer: `otherwise` where nothing is wrong with it.
    pub fn expected(&self, otherwise: i32) -> Expected {
        if self.sound {
            return Expected::Status(otherwise);
        }
        const ERRORS: &[i32] = &[
            SUREFILL_ERROR_OUT_OF_RANGE,
            SUREFILL_ERROR_NOT_A_NUMBER,
            SUREFILL_ERROR_WRONG_VERSION,
            SUREFILL_ERROR_NO_STRUCT_SIZE,
        ];
        if otherwise == SUREFILL_OK { Expected::OkOr(ERRORS) } else { Expected::Error(ERRORS) }
    }
}
