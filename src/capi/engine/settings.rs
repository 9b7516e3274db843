//! The settings of a scheduler, as words.

use super::{Text, bytes, scheduler, string, surefill_scheduler};
use crate::capi::status;
use crate::engine::BadWord;
use crate::error::Error;
use core::ffi::c_char;
use core::fmt::Write;

/// Changes the settings that these words name (length bytes, apart by blanks, commas or pluses), such as "preset=fast
/// proposals=25". With a prefix (NULL or "" for none) only words that begin with it are looked at, without it. A word
/// that is not understood is an error, nothing is changed, and message (room bytes, zero at its end) says which it is
/// and what it should be; else message is empty. The words, each with its values and its default:
///
/// - preset=fair (default), fast, easy or papers: the plan of the whole queue, with tails shorter than EASY's; the plan
///   for the shortest mean wait; EASY backfilling by the time limits in the site's order; probabilistic backfilling in
///   the site's order as Nissimov & Feitelson 2007 have it: rule=delay with criterion=bound tau=0.05 events=1, by the
///   run times predicted when a job was submitted. It sets criterion, tau, events and the words from short to slack,
///   so that it stands before them. Where no plan is made the words from short to slack, cut and running matter to
///   surefill_cycle_plan_all and surefill_cycle_try alone.
/// - rule=auto (default), plan or delay: what decides: the rule of the preset; the plan of the whole queue; backfilling
///   in the site's order by how much the head job is delayed. The latter, also by preset=papers, is for pools of
///   counted units with the capacity delay_units; surefill_cycle_begin says DELAY_ON_NODES or DELAY_UNITS of others.
/// - criterion=probability (default), bound, seconds or relative: the measure of that delay: its probability, exactly
///   or by the papers' lower bound; its expected seconds; these over the head job's own expected remaining wait. It
///   sets tau to 0.05, for seconds to 60, so that it stands before it.
/// - tau=0 to 1000000, 0.05 by default: a job passes the head job if the delay is below this.
/// - events=1 to 16, 4 by default: into how many events the delay rule divides a bin of run times; a whole number.
/// - mode=on (default) or shadow: jobs are offered, or only said to be those that the rule would start.
/// - order=auto (default), ties, priority or free: under ties a job of higher priority comes first whatever that costs
///   others, and the plan orders those of equal priority alone; under priority a point counts as many seconds of
///   waiting as the word seconds says, under every preset; under free priorities do not matter. Tiers always do. auto
///   is priority where seconds is above 0, else ties. It sets front, so that it stands before it.
/// - seconds=0 to 1000000, 0 by default: how many seconds of waiting a point of priority is worth, as PriorityMaxAge /
///   PriorityWeightAge under Slurm's multifactor plugin; the points of age themselves do not belong in a job's priority
///   then. It sets front, so that it stands before it.
/// - tie=0 to 100, 0 by default: under ties the plan counts priorities as equal that differ by up to this percentage
///   of the range of the waiting jobs' priorities, without the twentieth at each of its ends, one job at least.
/// - predictor=contexts (default) or limit: run times learnt from like jobs, or every job running to its limit; before
///   the first job, and limit where the capacity has no histories.
/// - fit=sparing (default), best, first or apart: which nodes a job takes of those that it may have. Those that other
///   jobs seek come last, then as best; those on which least is left; the smallest numbers; those on which the head job
///   is disturbed least.
/// - short=0 to 16, 0.01 by default, 0.03 with fast: what short jobs are worth to the plan.
/// - steep=0 to 255, 3 by default, 2 with fast: how steeply the price of waiting rises beyond a long wait.
/// - long=above 0 to 1, 0.99 by default, 0.998 with fast: which quantile of recent waits is a long wait.
/// - front=above 0 to 1, 0.998 by default, 1 with fast: from which quantile of recent waits on the job that has waited
///   longest is guarded from others. Where points are worth seconds it is 1 by default.
/// - proposals=0 to 4096, 50 by default: how many changes of the order a decision tries; a whole number.
/// - budget=0.25 to 1000, 1000 by default: by which share of its promised wait jobs that pass the head job may delay
///   it; 1000 is no bound.
/// - slack=0 to 1000, 0.1 by default, 0.01 with fast: the same of the guarded job; with 0 no job passes it whose limit
///   could delay it.
/// - cut=above 0 to 1, 0.95 by default: at which quantile predicted run times of waiting jobs are cut.
/// - running=above 0 to 1, 0.85 by default: by which quantile of the rest of their run time running jobs are expected
///   to end.
/// - grace=0 to 1000000, 300 by default: for how many whole seconds a waiting job is known again that was missing in
///   the listings, and a node is awaited. The room of a running job that is missing is free at once.
/// - settle=0 to 1000000, 60 by default: for how many whole seconds a started job may still be reported as waiting.
/// - refused=0 to 1000000, 60 by default: for how many whole seconds a refused job is not offered again, at least one;
///   after SUREFILL_REFUSED_BUSY sooner where the pool changes.
/// - seed=0 to 9000000000000000, 1 by default: of the plan's generator, a whole number; before the first pool.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE.
///
/// # Safety
/// scheduler is a handle, words points to length readable bytes, prefix is NULL or a string, message points to room
/// writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_configure(
    scheduler: *mut surefill_scheduler,
    words: *const c_char,
    length: i64,
    prefix: *const c_char,
    message: *mut c_char,
    room: i64,
) -> i32 {
    status((|| {
        let mut scheduler = unsafe { self::scheduler(scheduler)? };
        let words = unsafe { bytes(words, length)? };
        let prefix = unsafe { string(prefix) };
        let mut message = unsafe { Text::new(message, room)? };
        let (Ok(words), Ok(prefix)) = (core::str::from_utf8(words), core::str::from_utf8(prefix)) else {
            let _ = message.write_str("wanted is text in UTF-8");
            return Err(Error::OutOfRange);
        };
        scheduler.configure(words, prefix).map_err(|BadWord { at, length, wanted }| {
            let word = words.get(at..).and_then(|rest| rest.get(..length)).unwrap_or_default();
            for part in ["'", word, "': wanted is ", wanted] {
                let _ = message.write_str(part);
            }
            Error::OutOfRange
        })
    })())
}

/// Writes all settings that are in effect as words that surefill_scheduler_configure reads, with a zero byte at their
/// end.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE (room); FULL where
/// room is too short (1,000 bytes are enough): then as much is written as fits.
///
/// # Safety
/// scheduler is a handle, words points to room writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_words(
    scheduler: *const surefill_scheduler,
    words: *mut c_char,
    room: i64,
) -> i32 {
    status((|| {
        let settings = unsafe { self::scheduler(scheduler)? }.settings();
        let mut text = unsafe { Text::new(words, room)? };
        let _ = settings.write(&mut text);
        if text.is_whole() { Ok(()) } else { Err(Error::Full) }
    })())
}
