//! Ctrl-C while programs of ours run: they are ended in order before this one ends. A second Ctrl-C
//! ends it at once; they then end by themselves, and leave their files.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// What a shell is told of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

static HAPPENED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Takes note of Ctrl-C from now on instead of ending at once.
pub fn watch() {
    HAPPENED.get_or_init(|| {
        let happened = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag clear, the second one set. Where the
            // system refuses, Ctrl-C ends the program as it does otherwise.
            let _ = flag::register_conditional_shutdown(signal, INTERRUPTED, happened.clone());
            let _ = flag::register(signal, happened.clone());
        }
        happened
    });
}

/// Whether it came.
pub fn happened() -> bool {
    HAPPENED.get().is_some_and(|happened| happened.load(Ordering::Relaxed))
}
