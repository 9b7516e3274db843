//! One more independent job added to a distribution of released processors.
//!
//! A distribution is kept on a window `[lo, hi)` of numbers of released processors. To know it on `[lo, hi)` after a job of
//! width `w` has been added, it must be known on `[lo - w, hi)` before: windows shrink from below, and `hi` stays.

/// Adds a job that has released its `width` processors with probability `p`: reads the window that starts at `src_lo`,
/// writes the one that starts at `dst_lo >= src_lo`; both end at the same value. Values below `src_lo` count as having no
/// probability, so `src_lo` is 0 or at most `dst_lo - width`.
///
/// Each value is one product more than a copy; the loops run over plain slices so that they become vector instructions,
/// and the sums are the same whatever their width.
pub(super) fn add_job(src: &[f64], src_lo: usize, dst: &mut [f64], dst_lo: usize, width: usize, p: f64) {
    let stay = src.get(dst_lo.saturating_sub(src_lo)..).unwrap_or(&[]);
    // Below src_lo + width the job cannot have released anything yet.
    let alone = src_lo.saturating_add(width).saturating_sub(dst_lo).min(dst.len());
    let come_from = dst_lo.saturating_add(alone).saturating_sub(src_lo).saturating_sub(width);
    let come = src.get(come_from..).unwrap_or(&[]);
    let (dst_alone, dst_both) = dst.split_at_mut_checked(alone).unwrap_or((&mut [], &mut []));
    let (stay_alone, stay_both) = stay.split_at_checked(alone).unwrap_or((stay, &[]));
    if p >= 1.0 {
        dst_alone.fill(0.0);
        for (d, c) in dst_both.iter_mut().zip(come) {
            *d = *c;
        }
        return;
    }
    let q = 1.0 - p;
    for (d, s) in dst_alone.iter_mut().zip(stay_alone) {
        *d = s * q;
    }
    for ((d, s), c) in dst_both.iter_mut().zip(stay_both).zip(come) {
        *d = s * q + c * p;
    }
}

/// The sum in a fixed order that vector units can follow: eight partial sums, then their sum.
pub(super) fn sum(values: &[f64]) -> f64 {
    let (blocks, rest) = values.as_chunks::<8>();
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
        let mut one = [0.0; 6];
        add_job(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0, &mut one, 0, 2, 0.25);
        assert_eq!(one, [0.75, 0.0, 0.25, 0.0, 0.0, 0.0]);
        let mut two = [0.0; 6];
        add_job(&one, 0, &mut two, 0, 3, 0.5);
        assert_eq!(two, [0.375, 0.0, 0.125, 0.375, 0.0, 0.125]);
        let mut window = [9.0; 2];
        add_job(&one[1..], 1, &mut window, 4, 3, 0.5);
        assert_eq!(window, two[4..]);
        add_job(&one, 0, &mut window, 4, 3, 1.0);
        assert_eq!(window, [0.0, 0.25]);
        // Wider than the window: nothing can have been released.
        add_job(&one, 0, &mut two, 0, 100, 0.5);
        assert_eq!(two, [0.375, 0.0, 0.125, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn sums_do_not_lose_a_value() {
        for n in 0..40 {
            let values: std::vec::Vec<f64> = (1..=n).map(f64::from).collect();
            assert_eq!(sum(&values), f64::from(n * (n + 1) / 2));
        }
    }
}
