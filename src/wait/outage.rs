//! Detection of outages (Nurmi, Brevik & Wolski 2007, section 3.5).
//!
//! A machine that accepts jobs but does not start them is recognised by two series, each with its own trimmed binomial
//! bound: the number of jobs that arrive between releases, and the seconds between releases. While either exceeds the
//! upper bound of its quantile, the machine may be down, until the next release. (The paper bounds the .95 quantile;
//! here the quantile is an option.)
//!
//! Jobs that come while the machine may be down get no prediction; their waits become history all the same, since
//! leaving them out made the bounds of the others too short on real traces. Releases of one second are one. The time
//! between releases runs only while jobs wait: an idle queue is no failure.

use crate::error::Result;
use crate::memory::at_mut;
use crate::runtime::MAX_SECONDS;
use crate::wait::change::rare_event_threshold;
use crate::wait::estimate::{Memo, Question, WaitMethod};
use crate::wait::history::{Record, Series, Store, View};
use crate::wait::tree::Pool;
use bytemuck::{Pod, Zeroable};

/// The confidence of the detectors' bounds.
const CONFIDENCE: f64 = 0.95;

/// Judges a wait by the bound that holds before it becomes history: counts misses in a row, and returns whether they
/// are a change point. The number that is one follows from the autocorrelation before the first of them: the misses
/// themselves, one large wait after the other, would raise it and hide the change.
pub(super) fn judge(
    view: View,
    series: &mut Series,
    memo: &Memo,
    wait: u64,
    method: WaitMethod,
    question: &Question,
) -> Result<bool> {
    let Some(bound) = memo.bound(view, series, method, question)? else { return Ok(false) };
    if wait <= bound.unsigned_abs() {
        series.misses = 0;
        return Ok(false);
    }
    if series.misses == 0 {
        let threshold = rare_event_threshold(question.quantile, view.autocorrelation(series)?)?;
        series.threshold = threshold.unwrap_or(0);
    }
    series.misses = series.misses.saturating_add(1);
    Ok(series.threshold != 0 && series.misses >= series.threshold)
}

/// One detector's history. All zero: empty.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Detector {
    series: Series,
    memo: Memo,
    /// Values seen so far; the next one's record is this, modulo the records.
    seen: u64,
}

impl Detector {
    fn add(
        &mut self,
        records: &mut [Record],
        pool: &mut Pool,
        value: u64,
        question: &Question,
    ) -> Result<()> {
        let Some(index) = self.seen.checked_rem(records.len() as u64) else { return Ok(()) };
        let index = index as usize;
        // No longer than waits can be.
        let value = value.min(MAX_SECONDS.unsigned_abs());
        let mut store = Store { records, pool };
        let (series, memo) = (&mut self.series, &mut self.memo);
        let changed = judge(store.view(), series, memo, value, WaitMethod::Binomial, question)?;
        if series.oldest() == Some(index) {
            store.drop_oldest(series)?;
        }
        *at_mut(store.records, index)? = Record::of_count(value);
        store.add(series, index, true)?;
        if changed {
            store.trim(series, question.fewest)?;
        }
        memo.refresh(store.view(), series, WaitMethod::Binomial, question)?;
        self.seen = self.seen.wrapping_add(1);
        Ok(())
    }

    fn exceeded_by(&self, view: View, value: u64, question: &Question) -> Result<bool> {
        let bound = self.memo.bound(view, &self.series, WaitMethod::Binomial, question)?;
        Ok(bound.is_some_and(|bound| value > bound.unsigned_abs()))
    }
}

/// Both detectors. All zero: nothing seen.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct OutageDetector {
    question: Question,
    arrivals: Detector,
    gaps: Detector,
    /// Jobs that arrived since the last release.
    arrived: u64,
    /// Time of the last release.
    released: i64,
    /// Time since which jobs wait without a release.
    waiting_since: i64,
    /// Whether there was a release.
    running: u32,
    reserved: u32,
}

/// The detectors' records.
pub(super) struct DetectorRecords<'a> {
    pub arrivals: &'a mut [Record],
    pub gaps: &'a mut [Record],
}

impl OutageDetector {
    /// Detectors that watch for values above the bound of this quantile.
    pub(super) fn new(quantile: f64) -> Result<OutageDetector> {
        Ok(OutageDetector { question: Question::new(quantile, CONFIDENCE)?, ..OutageDetector::zeroed() })
    }

    /// Sets the clock back to `now`: later times count as now.
    pub(super) fn move_back(&mut self, now: i64) {
        self.released = self.released.min(now);
        self.waiting_since = self.waiting_since.min(now);
    }

    /// Counts a job that arrived in a queue of `waiting` others.
    pub(super) fn arrived(&mut self, now: i64, waiting: u32) {
        self.arrived = self.arrived.saturating_add(1);
        if waiting == 0 {
            self.waiting_since = now;
        }
    }

    /// Records that a job was released.
    pub(super) fn released(
        &mut self,
        records: &mut DetectorRecords,
        pool: &mut Pool,
        now: i64,
    ) -> Result<()> {
        if self.running == 1 && now == self.released {
            return Ok(());
        }
        if self.running == 1 {
            let gap = now.saturating_sub(self.waiting_since).max(0).unsigned_abs();
            let question = self.question;
            self.arrivals.add(records.arrivals, pool, self.arrived, &question)?;
            self.gaps.add(records.gaps, pool, gap, &question)?;
        }
        self.arrived = 0;
        self.released = now;
        self.waiting_since = now;
        self.running = 1;
        Ok(())
    }

    /// Whether the machine may be down, with `waiting` jobs in the queue.
    pub(super) fn may_be_down(&self, arrivals: View, gaps: View, now: i64, waiting: u32) -> Result<bool> {
        if self.running == 0 {
            return Ok(false);
        }
        let gap = if waiting == 0 { 0 } else { now.saturating_sub(self.waiting_since).max(0).unsigned_abs() };
        Ok(self.arrivals.exceeded_by(arrivals, self.arrived, &self.question)?
            || self.gaps.exceeded_by(gaps, gap, &self.question)?)
    }
}
