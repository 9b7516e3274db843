//! The surefill command line.
fn main() {}
