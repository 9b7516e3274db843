//! One more independent job added to a distribution of released processors.
//!
//! A distribution is kept on a window `[lo, hi)` of numbers of released processors. To know it on `[lo, hi)` after a
//! job of width `w` has been added, it must be known on `[lo - w, hi)` before: windows shrink from below, and `hi`
//! stays.

use crate::memory::chunks;

/// Adds a job that has released its `width` processors with probability `p`: reads the window that starts at `src_lo`,
/// writes the one of `length` values that starts at `dst_lo >= src_lo`; both end at the same value. Values below
/// `src_lo` count as impossible, so `src_lo` is 0 or at most `dst_lo - width`.
///
/// The loops run over plain slices so that they become vector instructions; the values are the same whatever their
/// width.
pub(crate) fn add_job(
    src: &[f64],
    src_lo: usize,
    dst: &mut [f64],
    dst_lo: usize,
    length: usize,
    width: usize,
    p: f64,
) {
    let stay = src.get(dst_lo.saturating_sub(src_lo)..).unwrap_or(&[]);
    // Below src_lo + width the job cannot have released anything yet.
    let alone = src_lo.saturating_add(width).saturating_sub(dst_lo).min(length);
    let (Some((low, dst)), Some((stay_low, stay))) =
        (dst.split_at_mut_checked(alone), stay.split_at_checked(alone))
    else {
        return;
    };
    let q = 1.0 - p;
    for (d, s) in low.iter_mut().zip(stay_low) {
        *d = s * q;
    }
    let come_from = dst_lo.saturating_add(alone).saturating_sub(src_lo).saturating_sub(width);
    let come = src.get(come_from..).unwrap_or(&[]);
    // Plain slices of equal length: a loop that the compiler counts once and turns into vector instructions.
    let both = length - alone;
    let (Some(dst), Some(stay), Some(come)) = (dst.get_mut(..both), stay.get(..both), come.get(..both))
    else {
        return;
    };
    for ((d, s), c) in dst.iter_mut().zip(stay).zip(come) {
        *d = s * q + c * p;
    }
}

/// The sum in a fixed order that vector units can follow: eight partial sums, then their sum.
pub(crate) fn sum(values: &[f64]) -> f64 {
    let (blocks, rest) = chunks::<8>(values);
    let mut partial = [0.0; 8];
    for block in blocks {
        for (p, v) in partial.iter_mut().zip(block) {
            *p += v;
        }
    }
    let tail: f64 = rest.iter().sum();
    partial.iter().sum::<f64>() + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_shrink_from_below() {
        // Two jobs of widths 2 and 3 on the whole range, then the same seen through the window [4, 6).
        let mut start = [f64::NAN; 6];
        start.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let (mut one, mut two, mut window) = (start, start, start);
        add_job(&start, 0, &mut one, 0, 6, 2, 0.25);
        assert_eq!(one[..6], [0.75, 0.0, 0.25, 0.0, 0.0, 0.0]);
        add_job(&one, 0, &mut two, 0, 6, 3, 0.5);
        assert_eq!(two[..6], [0.375, 0.0, 0.125, 0.375, 0.0, 0.125]);
        add_job(&one[1..], 1, &mut window, 4, 2, 3, 0.5);
        assert_eq!(window[..2], two[4..6]);
        add_job(&one, 0, &mut window, 4, 2, 3, 1.0);
        assert_eq!(window[..2], [0.0, 0.25]);
        // Wider than the window: nothing can have been released.
        add_job(&one, 0, &mut two, 0, 6, 100, 0.5);
        assert_eq!(two[..6], [0.375, 0.0, 0.125, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn sums_do_not_lose_a_value() {
        for n in 0..40 {
            let values: std::vec::Vec<f64> = (1..=n).map(f64::from).collect();
            assert_eq!(sum(&values), f64::from(n * (n + 1) / 2));
        }
    }
}
