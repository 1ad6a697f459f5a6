//! Ctrl-C (INT), TERM and HUP. Work that can end in order is asked to: fio and servers are ended, a
//! file that is not whole is removed, and what was measured is saved. Where nothing has to be
//! tidied up the program ends at once, and so it does after a second signal. The last words say
//! what was saved and how to go on.

use crate::caller::Caller;
use crate::progress::Stopwatch;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::Write as _;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};

/// What a shell adds to the number of the signal that ended a program.
const BY_SIGNAL: i32 = 128;

/// Signals that come so soon after the first are the same: `timeout` sends its own to the program
/// and then to its group, s.
const SAME_S: f64 = 0.5;

/// The signal that came; 0 if none did.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// Pieces of work under way that end in order.
static ORDERLY: AtomicUsize = AtomicUsize::new(0);
static LAST_WORDS: Mutex<String> = Mutex::new(String::new());
static WATCH: Once = Once::new();

/// Takes note of signals from now on. One that was ignored when the program began (nohup) stays so.
pub fn watch() {
    // Signals are then those of the calling program.
    if Caller::here().is_some() {
        return;
    }
    WATCH.call_once(|| {
        let ignored = ignored();
        let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|s| ignored >> (s - 1) & 1 == 0);
        // Where the system refuses, signals end the program as they do otherwise.
        let Ok(mut signals) = Signals::new(wanted) else { return };
        std::thread::spawn(move || {
            let mut since = Stopwatch::start();
            for signal in signals.forever() {
                let first = SIGNAL.swap(signal, Ordering::SeqCst) == 0;
                if first {
                    since = Stopwatch::start();
                } else if since.seconds() < SAME_S {
                    continue;
                }
                if !first || ORDERLY.load(Ordering::SeqCst) == 0 {
                    say_last_words();
                    std::process::exit(BY_SIGNAL + signal);
                }
                say("interrupted: what runs is being ended in order (again ends at once)");
            }
        });
    });
}

/// Signals that are ignored, bit 0 is signal 1.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Work that looks at [`happened`] and ends in order; until it is dropped a first signal waits.
pub struct Orderly(());

/// Announces such work.
pub fn orderly() -> Orderly {
    watch();
    ORDERLY.fetch_add(1, Ordering::SeqCst);
    Orderly(())
}

impl Drop for Orderly {
    fn drop(&mut self) {
        ORDERLY.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether a signal came, or the calling program has ended what runs in this thread.
pub fn happened() -> bool {
    SIGNAL.load(Ordering::SeqCst) != 0 || Caller::here().is_some_and(|caller| caller.has_ended())
}

/// The exit code of a program that a signal ended; `None` if none came.
pub fn exit_code() -> Option<u8> {
    let signal = SIGNAL.load(Ordering::SeqCst);
    (signal != 0).then(|| u8::try_from(BY_SIGNAL + signal).unwrap_or(u8::MAX))
}

/// What is said if the program is interrupted from now on.
pub fn set_last_words(words: String) {
    *LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner) = words;
}

/// Says them.
pub fn say_last_words() {
    let words = LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    match words.is_empty() {
        true => say("interrupted; nothing was saved"),
        false => say(&format!("interrupted; {words}")),
    }
}

fn say(text: &str) {
    // Where standard error is closed, nobody is left to read it. The line may hold a bar.
    let _ = writeln!(std::io::stderr(), "\r{text}");
}
