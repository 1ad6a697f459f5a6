//! Progress on a terminal, and the only clock of the program.

use crate::caller::Caller;
use crate::console::Console;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use stats::Cost;
use std::sync::Arc;
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

/// The date and time now, in UTC.
#[allow(clippy::disallowed_methods, reason = "when a Record was made; no result depends on it")]
pub fn date() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    format!("{} UTC", fio::output::date::text(since.map_or(0, |since| since.as_secs())))
}

/// A time that is left or was taken, s, in words.
pub fn time(seconds: f64) -> String {
    match seconds {
        short if short < 100.0 => format!("{short:.0} s"),
        some if some < 6000.0 => format!("{:.0} min", some / 60.0),
        long => format!("{:.1} h", long / 3600.0),
    }
}

/// The time of the day here and now.
#[allow(clippy::disallowed_methods, reason = "when a test may begin; no result depends on it")]
pub fn time_of_day() -> chrono::NaiveTime {
    chrono::Local::now().time()
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
    /// A program that calls this one and sees progress itself.
    caller: Option<Arc<Caller>>,
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
        Self { bar, watch: Stopwatch::start(), caller: Caller::here() }
    }

    /// The share done, 0 to 1, and what to say about it.
    pub fn set(&self, share: f64, message: String) {
        if let Some(caller) = &self.caller {
            caller.tell(share, &message);
        }
        self.bar.set_position((share.clamp(0.0, 1.0) * STEPS as f64) as u64);
        self.bar.set_message(message);
    }

    /// So many of all are done: their share, how fast, and the last of them.
    pub fn count(&self, done: usize, all: usize, noun: &str, last: &str) {
        let message = format!("{done} of {all} {noun}, {}: {last}", rate(done, self.seconds()));
        self.set(done as f64 / all.max(1) as f64, message);
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

/// How fast things are done, in a unit in which the number is no fraction.
pub fn rate(done: usize, seconds: f64) -> String {
    let per_second = done as f64 / seconds.max(1e-3);
    match per_second {
        many if many >= 1.0 => format!("{many:.1}/s"),
        some if some * 60.0 >= 1.0 => format!("{:.1}/min", some * 60.0),
        few => format!("{:.1}/h", few * 3600.0),
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn a_rate_is_told_in_the_unit_that_suits_it() {
        assert_eq!(rate(30, 10.0), "3.0/s");
        assert_eq!(rate(30, 60.0), "30.0/min");
        assert_eq!(rate(1, 120.0), "30.0/h");
    }
}
