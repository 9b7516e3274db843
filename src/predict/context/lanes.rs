//! Rows of single-precision numbers, eight at a time, so that compilers use vector instructions: sums are in a fixed
//! order of lanes, and the logarithm is plain arithmetic, the same bits everywhere.

use bytemuck::Pod;

/// Numbers treated together.
pub const LANES: usize = 8;

/// A count of numbers, rounded up to whole groups.
pub const fn padded(count: usize) -> usize {
    count.div_ceil(LANES) * LANES
}

/// The whole groups of numbers that a slice begins with.
#[inline]
pub fn groups<T: Pod>(numbers: &[T]) -> &[[T; LANES]] {
    let whole = numbers.get(..numbers.len() / LANES * LANES).unwrap_or_default();
    bytemuck::try_cast_slice(whole).unwrap_or_default()
}

/// The sum of the lanes, in pairs.
pub fn fold(lanes: [f32; LANES]) -> f32 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// ln x for a positive normal x, to 1e-6: x = 2^e m with m from sqrt(1/2) to sqrt(2), and ln m = 2 artanh((m - 1) /
/// (m + 1)).
pub fn ln(x: f32) -> f32 {
    const SQRT_HALF: u32 = 0x3f35_04f3;
    let bits = x.to_bits().wrapping_sub(SQRT_HALF);
    let exponent = (bits as i32 >> 23) as f32;
    let m = f32::from_bits((bits & 0x007f_ffff).wrapping_add(SQRT_HALF));
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let series = 2.0 + z * (2.0 / 3.0 + z * (2.0 / 5.0 + z * (2.0 / 7.0)));
    exponent * core::f32::consts::LN_2 + s * series
}

/// 1 / sqrt(x) for a positive normal x, to 1e-5: a first guess from the bits, improved twice by Newton's method.
pub fn reciprocal_root(x: f32) -> f32 {
    let guess = f32::from_bits(0x5f37_59df_u32.wrapping_sub(x.to_bits() >> 1));
    let improved = guess * (1.5 - 0.5 * x * guess * guess);
    improved * (1.5 - 0.5 * x * improved * improved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_one() {
        let mut x = 1e-30f32;
        while x < 1e30 {
            let exact = f64::from(x).ln();
            assert!((f64::from(ln(x)) - exact).abs() < 1e-6 * exact.abs().max(1.0), "{x}");
            x *= 1.000_7;
        }
        assert_eq!(ln(1.0), 0.0);
    }

    #[test]
    fn the_reciprocal_root_is_one() {
        let mut x = 1e-20f32;
        while x < 1e20 {
            let exact = 1.0 / f64::from(x).sqrt();
            assert!((f64::from(reciprocal_root(x)) / exact - 1.0).abs() < 1e-5, "{x}");
            x *= 1.003;
        }
    }

    #[test]
    fn sums_are_sums() {
        assert_eq!(fold(core::array::from_fn(|i| i as f32)), 28.0);
        assert_eq!((padded(1), padded(8), padded(24), padded(25)), (8, 8, 24, 32));
    }
}
