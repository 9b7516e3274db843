//! A remaining run time kept as the pieces of its bins, until its releases are needed.
//!
//! A release takes 75 instructions and a job has a hundred of them, while a verdict needs a few sums of them alone
//! (`backfill::bracket`). The pieces lie at the end of the memory for the job's releases, which are written from the
//! front: of the first k pieces no more than fit before the next one.

use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range, range_mut};
use crate::runtime::condition::{Part, Parts};
use crate::runtime::releases::{MAX_EVENTS_PER_BIN, Piece, Release, Steps, Written, lesser, whole_seconds};
use crate::runtime::view::View;
use bytemuck::{Pod, Zeroable};

/// Flag of a number of releases: it is one of pieces, with the number of bins above it.
const KEPT: u32 = 1 << 31;
const BINS: u32 = 8;

/// Least mass that surely does not underflow where it is scaled and divided.
const LEAST: f64 = 1e-290;

/// Releases in whose place a piece lies, or the origin.
const PLACES: usize = 2;

/// Properties that all pieces of a job have.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Origin {
    /// In seconds.
    age: f64,
    /// Logarithm of the ratio of the bins.
    ln_ratio: f64,
    /// Sum of the pieces' masses.
    total: f64,
    /// Events into which a piece is divided.
    events: u64,
}

/// A [`Piece`] as it lies in memory.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct KeptPiece {
    start: f64,
    end: f64,
    /// Before all are scaled.
    mass: f64,
    regular: u64,
}

impl KeptPiece {
    fn piece(&self, total: f64) -> Piece {
        let mass = self.mass / total;
        Piece { bin: 0, start: self.start, end: self.end, regular: self.regular != 0, mass }
    }
}

/// Pieces as they are kept.
struct Keeping<'p> {
    places: &'p mut [KeptPiece],
    count: usize,
    /// Sum of the masses, and the least one.
    total: f64,
    least: f64,
}

impl Keeping<'_> {
    #[inline]
    fn keep(&mut self, piece: KeptPiece) -> Result<()> {
        if piece.mass > 0.0 {
            self.total += piece.mass;
            self.least = lesser(piece.mass, self.least);
            *at_mut(self.places, self.count)? = piece;
            self.count += 1;
        }
        Ok(())
    }

    /// Keeps what is left of a bin.
    fn cut(&mut self, parts: &Parts, bin: usize) -> Result<()> {
        let Some(part) = parts.part(bin) else { return Ok(()) };
        let Part { start, end, regular, .. } = part;
        self.keep(KeptPiece { start, end, mass: part.mass(), regular: regular.into() })
    }
}

impl View<'_> {
    /// Keeps the releases that [`View::releases`] would write, as pieces where the memory has room for these: returns
    /// their number, marked as [`KEPT`], else that of the releases.
    pub(crate) fn keep(
        &self,
        age: i64,
        limit: i64,
        end: i64,
        events_per_bin: usize,
        slot: &mut [Release],
    ) -> Result<u32> {
        let View::Binned(binned) = *self else {
            return Ok(self.releases(age, limit, end, events_per_bin, slot)? as u32);
        };
        if events_per_bin <= PLACES || slot.len() < PLACES * (binned.edges.len() + 1) {
            return Ok(self.releases(age, limit, end, events_per_bin, slot)? as u32);
        }
        self.check_releases(age, limit, events_per_bin, slot)?;
        let places = places_mut(slot)?;
        let first = places.len().checked_sub(binned.edges.len() + 1).ok_or(Error::Full)?;
        let (origin, places) =
            range_mut(places, first, binned.edges.len() + 1)?.split_first_mut().ok_or(Error::Full)?;
        let parts = Parts::cut(binned, age, end);
        let mut kept = Keeping { places, count: 0, total: 0.0, least: f64::INFINITY };
        // Most bins are not cut, and nothing is left of those before the one in which the age lies.
        let whole = parts.whole();
        if let Some(first) = whole.start.checked_sub(1) {
            kept.cut(&parts, first)?;
        }
        let bins = whole.end.saturating_sub(whole.start);
        let lower = binned.edges.get(whole.start..).unwrap_or(&[]);
        let ends = lower.iter().zip(lower.get(1..).unwrap_or(&[])).take(bins);
        let masses = binned.probabilities.get(whole.start..).unwrap_or(&[]);
        for ((&start, &end), &mass) in ends.zip(masses) {
            kept.keep(KeptPiece { start, end, mass, regular: 1 })?;
        }
        for bin in whole.start.max(whole.end)..binned.edges.len() {
            kept.cut(&parts, bin)?;
        }
        let Keeping { count, total, least, .. } = kept;
        // Masses that underflow when they are divided have no release, nor has a job that has outlived all bins.
        if count == 0 || least < LEAST {
            return Ok(self.releases(age, limit, end, events_per_bin, slot)? as u32);
        }
        let own = Origin { age: age as f64, ln_ratio: binned.ln_ratio, total, events: events_per_bin as u64 };
        *origin = bytemuck::cast(own);
        Ok(KEPT | (binned.edges.len() as u32) << BINS | count as u32)
    }
}

/// The memory of a job's releases as places of pieces, the last one at its end.
fn places_mut(slot: &mut [Release]) -> Result<&mut [KeptPiece]> {
    let (odd, count) = (slot.len() % PLACES, slot.len() / PLACES * PLACES);
    bytemuck::try_cast_slice_mut(range_mut(slot, odd, count)?).map_err(|_| Error::Corrupt)
}

/// The remaining run time of a job, as releases or as pieces.
#[derive(Clone, Copy)]
pub(crate) enum Remaining<'a> {
    Releases(&'a [Release]),
    Pieces(Origin, &'a [KeptPiece]),
}

impl<'a> Remaining<'a> {
    /// That of the job with this memory; `number` is the number of its releases, or of its pieces where marked as
    /// such.
    #[inline]
    pub(crate) fn of(slot: &'a [Release], number: u32) -> Result<Remaining<'a>> {
        if number & KEPT == 0 {
            return Ok(Remaining::Releases(range(slot, 0, number as usize)?));
        }
        let (count, bins) = (number as usize % (1 << BINS), (number & !KEPT) as usize >> BINS);
        let (places, first) = (count + 1, slot.len().checked_sub(PLACES * (bins + 1)).ok_or(Error::Corrupt)?);
        let kept: &[KeptPiece] =
            bytemuck::try_cast_slice(range(slot, first, PLACES * places)?).map_err(|_| Error::Corrupt)?;
        let (origin, pieces) = kept.split_first().ok_or(Error::Corrupt)?;
        let origin: Origin = bytemuck::cast(*origin);
        let sound = (1..=MAX_EVENTS_PER_BIN as u64).contains(&origin.events);
        if sound { Ok(Remaining::Pieces(origin, pieces)) } else { Err(Error::Corrupt) }
    }

    /// Seconds until the last release.
    pub(crate) fn last(&self) -> i64 {
        match self {
            Remaining::Releases(releases) => releases.last().map_or(0, |release| release.after),
            Remaining::Pieces(origin, pieces) => {
                pieces.last().map_or(0, |piece| whole_seconds(piece.end - origin.age))
            }
        }
    }

    /// Probability that the job has ended by this time. O(releases), or O(pieces).
    #[inline]
    pub(crate) fn ended(&self, time: i64, steps: &mut Steps) -> f64 {
        let (origin, pieces) = match self {
            Remaining::Releases(releases) => {
                if releases.last().is_none_or(|last| last.after <= time) {
                    return 1.0;
                }
                let past = releases.iter().take_while(|release| release.after <= time);
                return past.map(|release| release.probability).sum();
            }
            Remaining::Pieces(origin, pieces) => (origin, pieces),
        };
        // A release is an event at the next whole second, at least one: it is past where the event itself is.
        if time < 1 {
            return 0.0;
        }
        let (time, mut ended) = (time as f64, 0.0);
        for piece in pieces.iter() {
            if piece.end - origin.age <= time {
                ended += piece.mass;
                continue;
            }
            if piece.start - origin.age < time {
                let events = origin.events as usize;
                let steps = steps.of(&piece.piece(origin.total), origin.ln_ratio, events);
                let past =
                    steps.iter().filter(|&step| lesser(piece.start * step, piece.end) - origin.age <= time);
                ended += past.count() as f64 * (piece.mass / events as f64);
            }
            return ended / origin.total;
        }
        1.0
    }

    /// The instant of a release strictly between two times, near the middle one. O(log releases), or O(pieces).
    pub(crate) fn between(&self, from: i64, middle: i64, until: i64, steps: &mut Steps) -> Option<i64> {
        let (before, after) = match self {
            Remaining::Releases(releases) => {
                let behind = releases.partition_point(|release| release.after <= middle);
                let before = behind.checked_sub(1).and_then(|place| releases.get(place));
                (before.map(|release| release.after), releases.get(behind).map(|release| release.after))
            }
            Remaining::Pieces(origin, pieces) => beside(origin, pieces, middle, steps),
        };
        before.filter(|&before| before > from).or(after.filter(|&after| after < until))
    }
}

/// The last release by a time and the first one after it.
fn beside(origin: &Origin, pieces: &[KeptPiece], time: i64, steps: &mut Steps) -> (Option<i64>, Option<i64>) {
    let past = pieces.iter().take_while(|piece| piece.end - origin.age <= time as f64).count();
    let seconds = |at: f64| whole_seconds(at - origin.age);
    let mut before = past.checked_sub(1).and_then(|last| pieces.get(last)).map(|piece| seconds(piece.end));
    let Some(piece) = pieces.get(past) else { return (before, None) };
    for step in steps.of(&piece.piece(origin.total), origin.ln_ratio, origin.events as usize) {
        let event = seconds(lesser(piece.start * step, piece.end));
        if event > time {
            return (before, Some(event));
        }
        before = Some(event);
    }
    (before, Some(seconds(piece.end)))
}

/// Writes the releases of a job to its memory, where pieces lie there; returns their number. O(releases).
pub(crate) fn write_kept(slot: &mut [Release], number: u32, steps: &mut Steps) -> Result<u32> {
    let Remaining::Pieces(origin, pieces) = Remaining::of(slot, number)? else { return Ok(number) };
    let (count, bins) = (pieces.len(), (number & !KEPT) as usize >> BINS);
    let first = slot.len().checked_sub(PLACES * bins).ok_or(Error::Corrupt)?;
    let mut written = Written::new(slot);
    for index in 0..count {
        let here = range(written.out, first + PLACES * index, PLACES)?;
        let here: &[KeptPiece] = bytemuck::try_cast_slice(here).map_err(|_| Error::Corrupt)?;
        let piece = at(here, 0)?.piece(origin.total);
        written.piece(&piece, origin.ln_ratio, origin.age, origin.events as usize, steps);
    }
    Ok(written.count as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::{MAX_SECONDS, RuntimeBins, RuntimeDistribution};
    use proptest::prelude::*;

    proptest! {
        /// Pieces answer as the releases do, and become them to the last bit.
        #[test]
        fn pieces_are_the_releases(
            counts in proptest::collection::vec(prop_oneof![Just(0.0), 0.0f64..5.0, Just(5e-324)], 1..30),
            ratio in 1.01f64..2.2,
            age in prop_oneof![Just(0i64), 0i64..200, 0i64..10_000_000],
            limit in prop_oneof![0i64..200, 0i64..10_000_000, Just(MAX_SECONDS)],
            soft: bool,
            events in 1usize..=16,
            spare in 0usize..4,
            times in proptest::collection::vec(prop_oneof![0i64..300, 0i64..20_000_000], 8),
        ) {
            let bins = RuntimeBins::new(1.5, ratio, counts.len()).unwrap();
            let distribution = RuntimeDistribution::from_counts(&bins, &counts).unwrap();
            let view = distribution.view();
            let end = if soft { MAX_SECONDS } else { limit };
            let room = counts.len() * events + spare;
            let mut releases = std::vec![Release::default(); room];
            let mut slot = releases.clone();
            let count = view.releases(age, limit, end, events, &mut *releases).unwrap();
            let releases = &releases[..count];
            let number = view.keep(age, limit, end, events, &mut slot).unwrap();
            let mut steps = Steps::default();
            let written = Remaining::Releases(releases);
            let kept = Remaining::of(&slot, number).unwrap();
            prop_assert_eq!(kept.last(), written.last());
            for time in times.iter().copied().chain(releases.iter().flat_map(|at| [at.after - 1, at.after])) {
                let (ours, exact) = (kept.ended(time, &mut steps), written.ended(time, &mut steps));
                prop_assert!((ours - exact).abs() < 1e-13, "{time}: {ours} {exact}");
                for from in [0, time / 2, time] {
                    for until in [time + 1, time + 1_000] {
                        prop_assert_eq!(
                            kept.between(from, time, until, &mut steps),
                            written.between(from, time, until, &mut steps)
                        );
                    }
                }
            }
            let number = write_kept(&mut slot, number, &mut steps).unwrap();
            prop_assert_eq!(&slot[..number as usize], releases);
        }
    }
}
