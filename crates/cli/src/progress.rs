//! Progress on a terminal, and the only clock of the program.

use crate::console::Console;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use stats::Cost;
use std::time::{Duration, Instant};

/// Steps of a bar: fine enough to be seen moving.
const STEPS: u64 = 1000;

/// A clock for what the user sees and what a run cost; no result depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts.
    #[allow(clippy::disallowed_methods, reason = "progress and cost, never a result")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Seconds since the start.
    pub fn seconds(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }

    /// What the program has cost since, for a Record.
    pub fn cost(self) -> Cost {
        Cost { wall_s: self.seconds(), cpu_s: cpu_seconds(), ..Cost::default() }
    }
}

/// Processor time of this process so far, s; 0 where the system does not tell.
fn cpu_seconds() -> f64 {
    // User and system time are fields 14 and 15, in hundredths of a second; the name before them
    // may hold blanks but ends with the last parenthesis.
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields = after.split_whitespace().skip(11).take(2);
    let ticks: u64 = fields.filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}

/// A bar with an estimate, or nothing where no one looks.
pub struct Bar {
    bar: ProgressBar,
    watch: Stopwatch,
}

impl Bar {
    /// A bar of a run.
    pub fn new(console: &Console, message: &str) -> Self {
        let target = match console.draws() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(STEPS), target);
        // A template that cannot be read would be a bug, and the plain bar still shows progress.
        if let Ok(style) = ProgressStyle::with_template(
            "{spinner} [{bar:28}] {percent:>3} %  {elapsed} of about {duration}  {msg}",
        ) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(message.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, watch: Stopwatch::start() }
    }

    /// The share done, 0 to 1, and what to say about it.
    pub fn set(&self, share: f64, message: String) {
        self.bar.set_position((share.clamp(0.0, 1.0) * STEPS as f64) as u64);
        self.bar.set_message(message);
    }

    /// Seconds since the bar was made.
    pub fn seconds(&self) -> f64 {
        self.watch.seconds()
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
