//! A pass decided from a spectrum: expected seconds on wide machines, without walking from instant to instant.

use crate::backfill::crowd::gcd;
use crate::backfill::frame::WalkState;
use crate::backfill::pass::{ACCEPTING, DECIDING, Parts, Pass, candidate_slot};
use crate::backfill::prepare::Listed;
use crate::backfill::spectrum::{self, SUMMING};
use crate::backfill::timeline::{Entry, Timeline};
use crate::backfill::verdict::{self, Candidate, Rule, Settled, Verdict};
use crate::error::{Error, Result};
use crate::memory::{range, range_mut};

impl Parts<'_> {
    fn spectrum<'v>(
        &'v mut self,
        state: &'v mut spectrum::Spectrum,
        walk: &WalkState,
        running: u32,
        processors: u32,
    ) -> Result<(spectrum::Views<'v>, &'v mut [Candidate], &'v [Entry])> {
        let running = running as usize;
        let views = spectrum::Views {
            state,
            running: range_mut(self.running, 0, running)?,
            releases: self.releases,
            timeline: Timeline { entries: self.entries, begins: self.begins },
            instants: walk.instants as usize,
            row_of: range_mut(self.order, 0, running)?,
            buffers: self.buffers,
            stride: processors as usize,
            store: self.store,
        };
        Ok((views, self.candidates, self.ends))
    }
}

impl Pass<'_> {
    /// Sets a spectrum of the first `summed` running jobs up for the candidates listed, or declines where it is not
    /// worth while.
    pub(super) fn set_up_spectrum(&mut self, listed: &Listed, summed: u32) -> Result<()> {
        let (state, parts) = (&mut *self.state, &mut self.parts);
        state.spectrum.unit = gcd(listed.finest, listed.unit as usize).max(1) as u32;
        let joined = range(parts.running, summed as usize, (state.walk.running - summed) as usize)?;
        let given = joined.iter().fold(0u32, |given, job| given.saturating_add(job.processors));
        let reach = given.saturating_add(listed.most.min(state.idle.into()) as u32);
        // The spectrum uses the store in which an earlier walk has kept its segments.
        state.walk.segments = 0;
        let ends = state.ends as usize;
        let (mut spectrum, _, all) =
            parts.spectrum(&mut state.spectrum, &state.walk, summed, state.capacity.processors)?;
        let missing = listed.missing.checked_sub(given).ok_or(Error::Corrupt)?;
        spectrum.set_up(missing, reach, range(all, 0, ends)?)
    }

    /// Judges the candidates from the spectrum that is set up.
    pub(super) fn decide_by_spectrum(&mut self, rule: &Rule, work: u64, done: &mut u64) -> Result<Settled> {
        let borne = self.borne(rule);
        let state = &mut *self.state;
        let (limits, present) = (state.capacity, &mut state.judge);
        let missing = state.head_processors.checked_sub(state.idle).ok_or(Error::Corrupt)?;
        if state.spectrum.phase == SUMMING {
            let summed = state.spectrum.running;
            let (mut spectrum, ..) =
                self.parts.spectrum(&mut state.spectrum, &state.walk, summed, limits.processors)?;
            if !spectrum.sum_up(work, done)? {
                return Ok(Settled::Interrupted);
            }
        }
        let running = state.walk.running;
        let (mut spectrum, candidates, _) =
            self.parts.spectrum(&mut state.spectrum, &state.walk, running, limits.processors)?;
        if !present.settled() {
            *done += spectrum.join()?;
            (present.wait, present.started) = (spectrum.wait(missing)?, 1.0);
        }
        let candidates = range_mut(candidates, 0, state.candidates as usize)?;
        while let Some(candidate) = candidates.get_mut(present.first as usize) {
            let index = present.first;
            if candidate.verdict == Verdict::Undecided as u32 {
                if *done >= work {
                    return Ok(Settled::Interrupted);
                }
                if rule.leaves_unmeasured() && candidate.exempt != 0 {
                    verdict::accept_unmeasured(candidate);
                    (state.accepted, state.phase) = (index, ACCEPTING);
                    return Ok(Settled::Accepted(index as usize));
                }
                let slot = candidate_slot(&limits, index as usize);
                let (delay, more) =
                    spectrum.delay(missing, candidate.processors, slot, candidate.releases)?;
                (candidate.delay, candidate.left) = (delay, 0.0);
                *done += more;
                if verdict::conclude(candidate, present, rule, &borne) {
                    (state.accepted, state.phase) = (index, ACCEPTING);
                    return Ok(Settled::Accepted(index as usize));
                }
            }
            present.first += 1;
        }
        (state.phase, state.prepared) = (DECIDING, 0);
        Ok(Settled::All)
    }
}
