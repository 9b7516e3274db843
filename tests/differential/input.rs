//! From bytes to arguments: mostly such that calls succeed, seldom wild.

/// The limit of times in the header.
const MAX_SECONDS: i64 = surefill::capi::SUREFILL_MAX_SECONDS;

/// The bytes that are left.
pub struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8]) -> Input<'a> {
        Input(bytes)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Any number of `BYTES` bytes; zeros behind the end.
    fn any<const BYTES: usize>(&mut self) -> u64 {
        let (taken, rest) = self.0.split_at(BYTES.min(self.0.len()));
        self.0 = rest;
        taken.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u8) -> usize {
        (self.any::<1>() % u64::from(n)) as usize
    }

    /// Once in 32 times.
    pub fn rarely(&mut self) -> bool {
        self.any::<1>() >= 248
    }

    fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u8)]
    }

    /// Mostly from 0 to `most`.
    pub fn int(&mut self, most: u8) -> i32 {
        if self.rarely() {
            return self.wild_int();
        }
        self.below(most + 1) as i32
    }

    fn wild_int(&mut self) -> i32 {
        match self.below(2) {
            0 => self.one_of(&[
                -1,
                i32::MIN,
                i32::MAX,
                1 << 20,
                (1 << 20) + 1,
                1 << 24,
                (1 << 24) + 1,
                1 << 28,
            ]),
            _ => self.any::<4>() as i32,
        }
    }

    /// Seconds: mostly short enough that jobs end together.
    pub fn seconds(&mut self) -> i64 {
        if self.rarely() {
            return self.wild_long();
        }
        match self.below(3) {
            0 => self.below(16) as i64,
            1 => self.below(200) as i64 * 10,
            _ => self.any::<2>() as i64,
        }
    }

    pub fn wild_long(&mut self) -> i64 {
        match self.below(2) {
            0 => self.one_of(&[
                -1,
                i64::MIN,
                i64::MAX,
                MAX_SECONDS,
                MAX_SECONDS + 1,
                MAX_SECONDS - 1,
                1 << 53,
                (1 << 53) + 1,
                -(1 << 53),
            ]),
            _ => self.any::<8>() as i64,
        }
    }

    /// From 0 to 1 with 1 included, seldom anything.
    pub fn probability(&mut self) -> f64 {
        if self.rarely() { self.wild_real() } else { self.any::<1>() as f64 / 255.0 }
    }

    /// Not negative, seldom anything.
    pub fn real(&mut self) -> f64 {
        if self.rarely() { self.wild_real() } else { self.any::<2>() as f64 / 64.0 }
    }

    pub fn wild_real(&mut self) -> f64 {
        match self.below(2) {
            0 => self.one_of(&[
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                -0.0,
                f64::MIN_POSITIVE,
                f64::from_bits(1),
                f64::MAX,
                -1.0,
                1e-300,
            ]),
            _ => f64::from_bits(self.any::<8>()),
        }
    }
}

/// One byte further, where nothing is aligned any more. No call may follow such a pointer.
pub fn askew<T>(pointer: *mut T) -> *mut T {
    pointer.cast::<u8>().wrapping_add(1).cast()
}
