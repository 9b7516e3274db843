//! A pass decided by a walk through all instants: it is merged with the candidates' ends in time order.

use crate::backfill::frame::{Tree, WalkState};
use crate::backfill::pass::{ACCEPTING, DECIDING, Parts, Pass, candidate_slot};
use crate::backfill::prepare::Listed;
use crate::backfill::segment::Segments;
use crate::backfill::tie::Tie;
use crate::backfill::timeline::{Entry, Timeline};
use crate::backfill::verdict::{self, Candidate, Criterion, JudgeState, Rule, Settled, Tally, Verdict};
use crate::backfill::walk::{Progress, Walk};
use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range, range_mut};

/// A pass's slices as a walk needs them.
pub(super) struct Views<'v> {
    pub(super) walk: Walk<'v>,
    candidates: &'v mut [Candidate],
    ends: &'v [Entry],
    pub(super) suffered: &'v mut [f64],
    pub(super) window: &'v mut [f64],
}

impl Parts<'_> {
    pub(super) fn views<'v>(&'v mut self, walk: &'v mut WalkState, processors: u32) -> Views<'v> {
        let [first, second] = &mut self.rows;
        let tree = Tree {
            state: walk,
            running: self.running,
            releases: self.releases,
            timeline: Timeline { entries: self.entries, begins: self.begins },
            order: self.order,
            frames: self.frames,
            buffers: self.buffers,
            stride: processors as usize,
        };
        let walk = Walk {
            tree,
            segments: Segments { list: self.segments, store: self.store },
            tie: Tie { cells: self.cells, rows: [first, second] },
        };
        Views {
            walk,
            candidates: self.candidates,
            ends: self.ends,
            suffered: self.suffered,
            window: self.window,
        }
    }
}

impl Pass<'_> {
    /// Sets walk and tally up for the jobs that run now and the candidates listed.
    pub(super) fn set_up_walk(&mut self, rule: &Rule, listed: &Listed) -> Result<()> {
        let &Listed { missing, landings, undecided, asked, .. } = listed;
        let unit = listed.unit.max(1);
        let target = missing.div_ceil(unit);
        let (state, parts) = (&mut *self.state, &mut self.parts);
        let timeline = Timeline { entries: parts.entries, begins: parts.begins };
        let walk = &mut state.walk;
        let running = range(parts.running, 0, walk.running as usize)?;
        walk.target = target;
        walk.high = if rule.criterion.needs_window() { target + landings } else { target };
        if walk.segments == 0 || walk.unit != unit {
            // Processors by which acceptances can move the target: the idle ones, or those of the candidates if
            // these are fewer.
            let most = asked.min(state.idle.into()) as u32;
            walk.reach = missing.saturating_add(most).div_ceil(unit);
            let released = running.iter().map(|job| u64::from(job.width) * u64::from(job.releases)).sum();
            let cells = if undecided > 1 { parts.store.len() } else { 0 };
            walk.choose_grain(released, parts.segments.len(), cells);
        }
        walk.unit = unit;
        (state.ends_passed, state.landings) = (0, landings);
        range_mut(parts.suffered, 0, landings as usize)?.fill(0.0);
        range_mut(parts.window, 0, landings as usize)?.fill(0.0);
        let last = (state.walk.instants as usize).checked_sub(1);
        state.judge = JudgeState {
            horizon: last.map_or(Ok(0), |last| timeline.after(last))?,
            ..bytemuck::Zeroable::zeroed()
        };
        parts.views(&mut state.walk, state.capacity.processors).walk.start()?;
        Ok(())
    }

    /// Judges the candidates by the walk that is set up.
    pub(super) fn decide_by_walk(&mut self, rule: &Rule, work: u64, done: &mut u64) -> Result<Settled> {
        let borne = self.borne(rule);
        let state = &mut *self.state;
        let count = state.candidates as usize;
        let limits = state.capacity;
        let Views { mut walk, candidates, ends, suffered, window } =
            self.parts.views(&mut state.walk, limits.processors);
        let candidates = range_mut(candidates, 0, count)?;
        let ends = range(ends, 0, state.ends as usize)?;
        let mut tally = Tally {
            suffered: range_mut(suffered, 0, state.landings as usize)?,
            window: range_mut(window, 0, state.landings as usize)?,
        };
        loop {
            let progress = match core::mem::take(&mut state.judge.passed) {
                0 => walk.step(work, done)?,
                after => Progress::Passed(after),
            };
            let until = match progress {
                Progress::Interrupted => return Ok(Settled::Interrupted),
                Progress::Reached(after) | Progress::Passed(after) => after,
                Progress::Over => i64::MAX,
            };
            // The candidates that end up to this instant did not see it: delays count strictly before an end.
            let present = &mut state.judge;
            while let Some(end) = ends.get(state.ends_passed as usize).filter(|end| end.after() <= until) {
                state.ends_passed += 1;
                let candidate = at_mut(candidates, end.job() as usize)?;
                if candidate.verdict != Verdict::Undecided as u32 {
                    continue;
                }
                present.advance(end.after(), &mut tally, rule.criterion);
                let slot = candidate_slot(&limits, end.job() as usize) + candidate.taken as usize;
                let probability = at(walk.tree.releases, slot)?.probability;
                verdict::take_release(candidate, probability, present, &tally, rule)?;
                *done += u64::from(state.landings) + 1;
                if *done >= work {
                    // The place where work ends must change nothing: the instants passed are noted when the walk goes
                    // on.
                    if let Progress::Passed(after) = progress {
                        present.passed = after;
                    }
                    return Ok(Settled::Interrupted);
                }
            }
            let over = matches!(progress, Progress::Over);
            if !over {
                present.advance(until, &mut tally, rule.criterion);
                *done += u64::from(state.landings) + 1;
            }
            if matches!(progress, Progress::Reached(_)) {
                let found = walk.visit(tally.suffered, tally.window)?;
                present.book(&found);
                *done += found.work;
                if rule.criterion == Criterion::Bound {
                    tally.note_peak();
                }
            }
            let accepted = verdict::settle(candidates, present, &tally, rule, &borne, over)?;
            if let Some(accepted) = accepted {
                state.accepted = accepted as u32;
                state.phase = ACCEPTING;
                return Ok(Settled::Accepted(accepted));
            }
            if present.first as usize >= count {
                (state.phase, state.prepared) = (DECIDING, 0);
                return Ok(Settled::All);
            }
            if over {
                return Err(Error::Corrupt); // every candidate has its verdict by then
            }
            if *done >= work {
                return Ok(Settled::Interrupted);
            }
        }
    }
}
