//! SplitMix64 (Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators"): integers mixed so that
//! neighbouring ones end far apart, for hash tables and for draws that are the same everywhere.

/// The increment of SplitMix64: 2^64 divided by the golden ratio.
pub(crate) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64, a permutation of the numbers of 64 bits; 0 stays 0.
pub(crate) fn finalise(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// First number that SplitMix64 draws from this seed.
pub(crate) fn mix(seed: u64) -> u64 {
    finalise(seed.wrapping_add(GOLDEN))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers that the authors' program in C (Vigna, splitmix64.c) draws from the seed 1234567.
    #[test]
    fn draws_are_those_of_the_authors_program() {
        let drawn: [u64; 3] =
            core::array::from_fn(|i| mix(1_234_567_u64.wrapping_add(GOLDEN.wrapping_mul(i as u64))));
        assert_eq!(drawn, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
    }
}
