//! Verdicts that follow from widths and limits alone.

use crate::backfill::reservation::Reservation;
use crate::backfill::verdict::{Candidate, Verdict};

/// Place of a candidate in a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// It is not judged: it has a verdict, or does not fit.
    Out,
    Started,
    /// The head job is guarded against it.
    Guarded,
    /// To be judged.
    Open,
}

/// Verdicts before any delay is computed.
pub(super) struct Triage {
    pub idle: u32,
    pub guarded: bool,
    pub reservation: Option<Reservation>,
    pub or_easy: bool,
}

impl Triage {
    /// Gives the verdict that follows from width and limit alone, or makes the candidate ready to be judged.
    pub(super) fn stage(&self, candidate: &mut Candidate) -> Stage {
        if candidate.verdict == Verdict::Accepted as u32 {
            return Stage::Started;
        }
        if candidate.verdict != Verdict::Undecided as u32 {
            return Stage::Out;
        }
        if candidate.processors > self.idle {
            candidate.verdict = Verdict::DoesNotFit as u32;
            return Stage::Out;
        }
        let harmless = self.reservation.is_some_and(|it| it.harmless(candidate.limit, candidate.processors));
        if self.guarded && !harmless {
            candidate.verdict = Verdict::Guarded as u32;
            return Stage::Guarded;
        }
        candidate.exempt = u32::from(self.or_easy && harmless);
        (candidate.taken, candidate.exactness) = (0, 0);
        (candidate.delay, candidate.seconds) = (0.0, 0.0);
        Stage::Open
    }
}
