//! A pass decided from brackets.

use crate::backfill::bracket::{Bracketed, Brackets, EXHAUSTED, Found, LIVE, UNTRIED};
use crate::backfill::crowd::gcd;
use crate::backfill::pass::{ACCEPTING, DECIDING, Parts, Pass, PassCapacity, candidate_slot};
use crate::backfill::spectrum::{KNOWN, SUMMING};
use crate::backfill::triage::{Stage, Triage};
use crate::backfill::verdict::{self, Candidate, Rule, Settled, Verdict};
use crate::error::{Error, Result};
use crate::memory::{range, range_mut};
use crate::runtime::{Remaining, Steps};

/// Setting brackets up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prepared {
    /// There is no room for rows.
    NoRoom,
    /// No candidate is left to judge.
    Nothing,
    Ready,
}

impl Parts<'_> {
    /// The brackets of the first `running` jobs, where the head job lacks `missing` processors; and the candidates.
    fn brackets<'v>(
        &'v mut self,
        state: &'v mut Brackets,
        capacity: &PassCapacity,
        (running, missing): (u32, u32),
    ) -> Result<(Bracketed<'v>, &'v mut [Candidate])> {
        let brackets = Bracketed {
            state,
            running: range_mut(self.running, 0, running as usize)?,
            releases: self.releases,
            room: capacity.releases_per_job(),
            steps: Steps::default(),
            store: self.store,
            buffers: self.buffers,
            processors: capacity.processors as usize,
            missing,
        };
        Ok((brackets, self.candidates))
    }
}

impl Pass<'_> {
    /// Whether brackets are in use, or can be.
    pub(super) fn may_use_brackets(&self) -> bool {
        let state = &*self.state;
        let stored = matches!(state.spectrum.phase, SUMMING | KNOWN);
        state.brackets.phase == LIVE || (state.brackets.phase == UNTRIED && !stored)
    }

    /// Sets brackets up, or goes on with those that are there.
    pub(super) fn prepare_brackets(&mut self, triage: &Triage) -> Result<Prepared> {
        let state = &mut *self.state;
        let candidates = range_mut(self.parts.candidates, 0, state.candidates as usize)?;
        let (mut open, mut grain, mut widest, mut horizon) = (false, 0, 0_u32, 0);
        for (index, candidate) in candidates.iter_mut().enumerate() {
            open |= triage.stage(candidate) == Stage::Open;
            if candidate.processors <= state.idle {
                grain = gcd(grain, candidate.processors as usize);
                widest = widest.saturating_add(candidate.processors);
                let slot = candidate_slot(&state.capacity, index);
                let room = range(self.parts.releases, slot, state.capacity.releases_per_job())?;
                horizon = Remaining::of(room, candidate.releases)?.last().max(horizon);
            }
        }
        state.phase = DECIDING;
        if !open {
            return Ok(Prepared::Nothing);
        }
        let missing = state.head_processors.checked_sub(state.idle).ok_or(Error::Corrupt)?;
        let sizes = (state.walk.running, missing);
        let (mut brackets, _) = self.parts.brackets(&mut state.brackets, &state.capacity, sizes)?;
        if brackets.state.phase == LIVE {
            brackets.join()?;
        } else if !brackets.begin(grain as u32, widest.min(state.idle), horizon)? {
            state.brackets.phase = EXHAUSTED;
            return Ok(Prepared::NoRoom);
        }
        // The rows lie where a walk keeps its segments.
        state.walk.segments = 0;
        (state.prepared, state.judge) = (1, bytemuck::Zeroable::zeroed());
        Ok(Prepared::Ready)
    }

    /// Judges the candidates from the brackets that are set up.
    pub(super) fn decide_by_brackets(&mut self, rule: &Rule, work: u64, done: &mut u64) -> Result<Settled> {
        let state = &mut *self.state;
        let (limits, present) = (state.capacity, &mut state.judge);
        let missing = state.head_processors.checked_sub(state.idle).ok_or(Error::Corrupt)?;
        let sizes = (state.walk.running, missing);
        let (mut brackets, candidates) = self.parts.brackets(&mut state.brackets, &limits, sizes)?;
        let candidates = range_mut(candidates, 0, state.candidates as usize)?;
        while let Some(candidate) = candidates.get_mut(present.first as usize) {
            let index = present.first as usize;
            if candidate.verdict == Verdict::Undecided as u32 {
                if candidate.exempt != 0 {
                    verdict::accept_unmeasured(candidate);
                } else {
                    match brackets.judge(candidate, candidate_slot(&limits, index), rule, work, done)? {
                        Found::Judged => (),
                        Found::Interrupted => return Ok(Settled::Interrupted),
                        Found::Exhausted => {
                            state.brackets.phase = EXHAUSTED;
                            return Ok(Settled::Open);
                        }
                    }
                }
                if candidate.verdict == Verdict::Accepted as u32 {
                    (state.accepted, state.phase) = (index as u32, ACCEPTING);
                    return Ok(Settled::Accepted(index));
                }
            }
            present.first += 1;
        }
        (state.phase, state.prepared) = (DECIDING, 0);
        Ok(Settled::All)
    }
}
