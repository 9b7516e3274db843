//! FNV-1a with 64 bits (Fowler, Noll and Vo; RFC 9923): the checksum of sealed blocks, which other programs can verify.
//!
//! Each byte enters by operations that can be undone, so that a change within one byte is always found; other damage
//! escapes with probability 2^-64. It is no defence against damage on purpose.

const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// The checksum of these bytes. O(length).
pub fn fnv1a(bytes: &[u8]) -> u64 {
    fnv1a_more(OFFSET_BASIS, bytes)
}

/// The checksum of these bytes behind those that have the checksum `sum`. O(length).
pub fn fnv1a_more(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The authors' test vectors.
    #[test]
    fn checksums_are_the_authors() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(fnv1a_more(fnv1a(b"foo"), b"bar"), fnv1a(b"foobar"));
    }
}
