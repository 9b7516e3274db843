//! The instants that a plan knows: whole seconds from now, rounded up so that four bits below the leading one remain.
//!
//! Below 32 s every second is an instant; beyond, every octave has 16, so that an instant is at most 6.25 % late. Up to
//! [`LONGEST`] there are [`POINTS`]: a profile of free processors has no more steps, whatever runs and waits.

/// The last instant, in seconds: 194 days. Whatever lies beyond happens then.
pub const LONGEST: u32 = 1 << 24;

/// Number of instants, now and [`LONGEST`] included.
pub const POINTS: usize = 337;

/// The first instant that is not before this time.
#[inline]
pub(crate) fn up(time: u32) -> u32 {
    if time < 32 {
        return time;
    }
    if time >= LONGEST {
        return LONGEST;
    }
    let shift = time.leading_zeros().abs_diff(27);
    let unit = 1_u32 << shift;
    ((time + unit - 1) >> shift) << shift
}

/// The number of an instant.
pub(crate) fn number(instant: u32) -> usize {
    if instant < 32 {
        return instant as usize;
    }
    let shift = instant.leading_zeros().abs_diff(27);
    (16 * shift + (instant >> shift)) as usize
}

/// The instant of this number.
pub(super) fn instant(number: usize) -> u32 {
    let number = number as u32;
    if number < 32 {
        return number;
    }
    (16 + number % 16) << (number / 16 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_numbered_in_order() {
        for i in 0..POINTS {
            assert_eq!(number(instant(i)), i);
            assert_eq!(up(instant(i)), instant(i));
            assert!(i == 0 || instant(i) > instant(i - 1));
        }
        assert_eq!(instant(POINTS - 1), LONGEST);
    }

    #[test]
    fn rounds_up_by_at_most_a_sixteenth() {
        for time in (0..100_000).chain((100_000..LONGEST).step_by(997)) {
            let up = up(time);
            assert!(up >= time && u64::from(up) * 16 <= u64::from(time) * 17 && number(up) < POINTS);
            assert!(time >= 32 || up == time);
            // None lies between.
            assert!(number(up) == 0 || instant(number(up) - 1) < time);
        }
        assert_eq!(up(u32::MAX), LONGEST);
    }
}
