//! Run times predicted on line: three users request ten hours each, and run for minutes, for hours or for either.
//!
//!     cargo run --example run_times
//!
//! The predictor learns from each job when it ends. The example prints two quantiles of its predictions: half of the
//! jobs end by the median, nine of ten by the .9 quantile. For a running job the same distribution is conditioned on
//! the job's age.

use surefill::error::Result;
use surefill::predict::{Predictor, PredictorCapacity, PredictorKind, PredictorOptions};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const LIMIT: i64 = 10 * HOUR;
const PROCESSORS: i64 = 16;

/// A number from 0 to 99 that looks random and is the same in every run of the program (SplitMix64).
fn draw(number: i64) -> i64 {
    let mixed = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (((mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb) >> 31) % 100) as i64
}

/// A run time of the user, in seconds.
fn run_time(user: i64, number: i64) -> i64 {
    let part = draw(number);
    match user {
        1 => 10 * MINUTE + part * MINUTE / 5,
        2 => 4 * HOUR + part * 2 * MINUTE,
        _ if part < 70 => run_time(1, number),
        _ => run_time(2, number),
    }
}

/// Prints the median and the .9 quantile of the time that a job of this age has left.
fn print(text: &str, distribution: &RuntimeDistribution, age: i64) -> Result<()> {
    let [median, most] =
        [0.5, 0.9].map(|quantile| distribution.quantile(quantile, age, LIMIT).map(|time| time / MINUTE));
    println!("{text:44} half end within {:3} min, nine of ten within {:3} min", median?, most?);
    Ok(())
}

/// Reports jobs to the predictor, then prints predictions for four users.
pub fn main() -> Result<()> {
    let capacity = PredictorCapacity { jobs: 64, ..PredictorCapacity::of(PredictorKind::Contexts) };
    let (bins, options) = (RuntimeBins::default(), PredictorOptions::default());
    let mut memory = vec![0_u64; Predictor::size(&capacity)?.div_ceil(8)];
    let mut predictor = Predictor::init(bytemuck::cast_slice_mut(&mut memory), &capacity, &bins, &options)?;

    // A hundred jobs of each user, one after the other.
    let mut now = 0;
    for number in 0..100 {
        for user in 1..=3 {
            let id = number * 3 + user;
            predictor.submit(id, &[user, LIMIT, PROCESSORS], now)?;
            predictor.start(id, now)?;
            now += run_time(user, number);
            predictor.end(id, now)?;
        }
        now = (now / (12 * HOUR) + 1) * 12 * HOUR;
    }

    for (user, text) in
        [(1, "user 1, minutes:"), (2, "user 2, hours:"), (3, "user 3, either:"), (4, "user 4, never seen:")]
    {
        match predictor.predict(&[user, LIMIT, PROCESSORS], now)? {
            Ok(distribution) => {
                print(text, &distribution, 0)?;
                if user == 3 {
                    print("the same job, when it has run for an hour:", &distribution, HOUR)?;
                }
            }
            Err(silence) => println!("{text} nothing is predicted: {silence:?}"),
        }
    }
    Ok(())
}
