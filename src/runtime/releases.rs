//! The discretised remaining run time: how the pieces of its bins become releases.

use arrayvec::ArrayVec;

/// The largest number of events into which one bin's probability may be divided.
pub const MAX_EVENTS_PER_BIN: usize = 16;

/// One event of a job's discretised remaining run time: the job ends `after` seconds from now (at least 1) with this
/// probability.
#[derive(Debug, Clone, Copy, PartialEq, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Release {
    /// Seconds from now, at least 1.
    pub after: i64,
    /// The probability of exactly this end.
    pub probability: f64,
}

/// A destination of releases: a list of them, or one of instants beside one of probabilities.
pub(crate) trait Releases {
    fn room(&self) -> usize;

    fn slot(&mut self, index: usize) -> Option<(&mut i64, &mut f64)>;
}

impl Releases for [Release] {
    fn room(&self) -> usize {
        self.len()
    }

    fn slot(&mut self, index: usize) -> Option<(&mut i64, &mut f64)> {
        self.get_mut(index).map(|release| (&mut release.after, &mut release.probability))
    }
}

impl Releases for (&mut [i64], &mut [f64]) {
    fn room(&self) -> usize {
        self.0.len().min(self.1.len())
    }

    fn slot(&mut self, index: usize) -> Option<(&mut i64, &mut f64)> {
        self.0.get_mut(index).zip(self.1.get_mut(index))
    }
}

/// The part of a bin between the age and the limit, in seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub bin: usize,
    pub start: f64,
    pub end: f64,
    /// Whether `end / start` is the bins' ratio: uncut, neither the first bin nor the open one.
    pub regular: bool,
    pub mass: f64,
}

/// The lesser of two numbers, neither of which is NaN: a single instruction, unlike [`f64::min`].
pub(super) fn lesser(one: f64, other: f64) -> f64 {
    if one < other { one } else { other }
}

/// A span of at most [`MAX_SECONDS`], rounded up to whole seconds, at least one.
#[inline]
pub(super) fn whole_seconds(span: f64) -> i64 {
    // Beside 2^52 the last binary place of a number is 1, so that the sum is rounded to the nearest whole one.
    const ONES: f64 = (1_u64 << 52) as f64;
    if !(span > 1.0 && span < ONES) {
        return if span > 1.0 { span as i64 } else { 1 };
    }
    let sum = span + ONES;
    let nearest = (sum.to_bits() & ((1 << 52) - 1)) as i64;
    nearest + i64::from(sum - ONES < span)
}

/// Ends of all but the last event of a bin, as multiples of its start: for the bins' ratio, and for the last uneven
/// piece.
#[derive(Debug, Clone, Default)]
pub(crate) struct Steps {
    regular: ArrayVec<f64, MAX_EVENTS_PER_BIN>,
    /// The logarithm of the ratio that the regular ones have.
    ln_ratio: f64,
    own: ArrayVec<f64, MAX_EVENTS_PER_BIN>,
}

impl Steps {
    /// Those of a piece, among bins of this ratio. Exponentials are computed anew only where the ratio is another.
    #[inline]
    pub(super) fn of(&mut self, piece: &Piece, ln_ratio: f64, events: usize) -> &[f64] {
        if piece.regular {
            if self.ln_ratio != ln_ratio || self.regular.len() + 1 != events {
                set_steps(&mut self.regular, ln_ratio, events);
                self.ln_ratio = ln_ratio;
            }
            return &self.regular;
        }
        let ln_ratio = if events > 1 { libm::log(piece.end / piece.start) } else { 0.0 };
        set_steps(&mut self.own, ln_ratio, events);
        &self.own
    }
}

fn set_steps(steps: &mut ArrayVec<f64, MAX_EVENTS_PER_BIN>, ln_ratio: f64, events: usize) {
    steps.clear();
    for i in 1..events {
        let _ = steps.try_push(libm::exp(ln_ratio * i as f64 / events as f64));
    }
}

/// Releases as they are written.
pub(super) struct Written<'o, O: ?Sized> {
    pub out: &'o mut O,
    /// Number of releases.
    pub count: usize,
    /// The last one's instant.
    last: i64,
}

impl<'o, O: Releases + ?Sized> Written<'o, O> {
    /// None is written yet.
    pub(super) fn new(out: &'o mut O) -> Written<'o, O> {
        Written { out, count: 0, last: i64::MIN }
    }

    /// Writes each piece's mass at the ends of `events_per_bin` intervals of equal probability.
    pub(super) fn pieces(
        &mut self,
        ln_ratio: f64,
        pieces: impl Iterator<Item = Piece>,
        age: i64,
        events_per_bin: usize,
    ) {
        let mut steps = Steps::default();
        for piece in pieces {
            self.piece(&piece, ln_ratio, age as f64, events_per_bin, &mut steps);
        }
    }

    /// Writes one piece's mass, in bins of this ratio.
    #[inline]
    pub(super) fn piece(&mut self, piece: &Piece, ln_ratio: f64, age: f64, events: usize, steps: &mut Steps) {
        let mass = piece.mass / events as f64;
        // A bin's share can underflow when it is divided.
        if mass <= 0.0 {
            return;
        }
        for step in steps.of(piece, ln_ratio, events) {
            self.push(lesser(piece.start * step, piece.end) - age, mass);
        }
        self.push(piece.end - age, mass);
    }

    /// Writes a release of a positive probability behind the others, or adds it to the last one, which it does not
    /// precede.
    #[inline]
    pub(super) fn push(&mut self, span: f64, probability: f64) {
        let after = whole_seconds(span);
        if self.last >= after {
            if let Some((_, last)) = self.count.checked_sub(1).and_then(|last| self.out.slot(last)) {
                *last += probability;
            }
        } else if let Some((end, own)) = self.out.slot(self.count) {
            (*end, *own) = (after, probability);
            (self.last, self.count) = (after, self.count + 1);
        }
    }
}

pub(super) fn write_one(out: &mut (impl Releases + ?Sized), after: i64) -> usize {
    out.slot(0).map(|(end, probability)| (*end, *probability) = (after, 1.0)).into_iter().count()
}
