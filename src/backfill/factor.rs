//! The inner loops over frequencies: factors `1 + p z` of a transform, z = exp(i u w) - 1 for a job of width w.
//!
//! Real parts and imaginary parts lie in slices of their own, so that the loops become vector instructions.

/// Adds a weighted transform to a sum.
pub(super) fn add(to: &mut [f64], weight: f64, from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += weight * from;
    }
}

/// One more factor `1 + p z` for every frequency; `row` holds the real parts of z, then the imaginary ones.
pub(super) fn multiply(real: &mut [f64], imaginary: &mut [f64], row: &[f64], p: f64) {
    let Some((z_real, z_imaginary)) = row.split_at_checked(real.len()) else { return };
    for (((re, im), zr), zi) in real.iter_mut().zip(imaginary).zip(z_real).zip(z_imaginary) {
        let (fr, fi) = (1.0 + p * zr, p * zi);
        (*re, *im) = (*re * fr - *im * fi, *re * fi + *im * fr);
    }
}

/// Whether a factor `1 + p z`, at least |1 - 2 p|, is too small to be divided out.
pub(super) fn vanishes(row: &[f64], p: f64) -> bool {
    let small = 1e-3;
    (1.0 - 2.0 * p).abs() < small && {
        let (real, imaginary) = row.split_at_checked(row.len() / 2).unwrap_or((&[], &[]));
        let square = |(zr, zi): (&f64, &f64)| (1.0 + p * zr) * (1.0 + p * zr) + p * zi * p * zi;
        real.iter().zip(imaginary).any(|z| square(z) < small * small)
    }
}

/// A factor `1 + p z` becomes `1 + q z`.
pub(super) fn exchange(real: &mut [f64], imaginary: &mut [f64], row: &[f64], p: f64, q: f64) {
    let Some((z_real, z_imaginary)) = row.split_at_checked(real.len()) else { return };
    for (((re, im), zr), zi) in real.iter_mut().zip(imaginary).zip(z_real).zip(z_imaginary) {
        let (ar, ai) = (1.0 + p * zr, p * zi);
        let (br, bi) = (1.0 + q * zr, q * zi);
        let scale = 1.0 / (ar * ar + ai * ai);
        let (fr, fi) = ((br * ar + bi * ai) * scale, (bi * ar - br * ai) * scale);
        (*re, *im) = (*re * fr - *im * fi, *re * fi + *im * fr);
    }
}
