//! Memory
/// Alignment, in bytes, of every block handed to the library.
pub const ALIGNMENT: usize = 8;
