//! Whether a command keeps progress and remarks to itself.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the command line says --quiet.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on no progress is shown.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether no progress is shown.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}
