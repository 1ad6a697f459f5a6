//! A test of a campaign as a process of its own, watched while it runs.

use crate::interrupt;
use crate::progress::Stopwatch;
use crate::render::Failure;
use process::{Running, Signal, bound};
use real::device::Device;
use real::{Moved, System, Thermometer};
use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

/// How often it is looked whether the process has ended.
const LOOK: Duration = Duration::from_millis(100);
/// Looks from one reading of the sensors to the next: a second.
const LOOKS_A_READING: u32 = 10;
/// How long a test may take to end in order: fio ends its jobs, and a database its server.
const PATIENCE: Duration = Duration::from_secs(120);

/// How a test ended.
pub enum Ended {
    /// Well.
    Done,
    /// It failed, for this reason.
    Failed(String),
    /// It was ended, for this reason.
    Stopped(String),
    /// By the user.
    Interrupted,
}

/// What is seen of the drives of a test.
pub struct Watched {
    system: System,
    devices: Vec<Device>,
    thermometers: Vec<Thermometer>,
    before: Option<u64>,
    clock: Stopwatch,
    /// The highest temperature, degrees Celsius.
    pub warmest: Option<f64>,
    /// The temperature at the last reading.
    pub celsius: Option<f64>,
}

impl Watched {
    /// Of the drives of a test that begins now.
    pub fn new(devices: &[Device]) -> Self {
        let system = System::real();
        let thermometers = devices.iter().filter_map(Thermometer::of).collect();
        let mut watched = Self {
            devices: devices.to_vec(),
            thermometers,
            before: None,
            clock: Stopwatch::start(),
            warmest: None,
            celsius: None,
            system,
        };
        watched.before = watched.counted();
        watched
    }

    /// Whether a temperature of them is seen.
    pub fn has_thermometer(&self) -> bool {
        !self.thermometers.is_empty()
    }

    fn counted(&self) -> Option<u64> {
        Moved::of_all(&self.system, &self.devices).map(|moved| moved.written)
    }

    /// Bytes that were written since it began.
    pub fn written(&self) -> Option<f64> {
        Some(self.counted()?.saturating_sub(self.before?) as f64)
    }

    /// Seconds since it began.
    pub fn seconds(&self) -> f64 {
        self.clock.seconds()
    }

    fn read(&mut self) {
        self.celsius = Thermometer::warmest(&self.thermometers);
        self.warmest = self.warmest.into_iter().chain(self.celsius).reduce(f64::max);
    }
}

/// Runs `drivelab` with these words; what it says goes into a file. `stop` is asked once a second
/// why to end it.
///
/// # Errors
/// If it cannot be started.
pub fn run(
    words: &[String],
    said: &Path,
    watched: &mut Watched,
    mut stop: impl FnMut(&Watched) -> Option<String>,
) -> Result<Ended, Failure> {
    let failed = |error: std::io::Error| Failure::failed(format!("a test cannot begin: {error}"));
    let log = OpenOptions::new().create(true).append(true).open(said).map_err(failed)?;
    let from = log.metadata().map_or(0, |about| about.len());
    let mut command = bound(&std::env::current_exe().map_err(failed)?, None);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    // Not INT: a program that a shell starts in the background ignores it, and so do its children.
    let mut running = Running::new(command.spawn().map_err(failed)?, Signal::TERM, PATIENCE);
    let mut looks = 0_u32;
    loop {
        match running.ended() {
            Some(true) => return Ok(Ended::Done),
            Some(false) => return Ok(Ended::Failed(why(said, from))),
            None => {}
        }
        if interrupt::happened() {
            running.stop();
            return Ok(Ended::Interrupted);
        }
        if looks.is_multiple_of(LOOKS_A_READING) {
            watched.read();
            if let Some(why) = stop(watched) {
                running.stop();
                return Ok(Ended::Stopped(why));
            }
        }
        looks = looks.wrapping_add(1);
        thread::sleep(LOOK);
    }
}

/// What a test that failed said of it: its last error.
fn why(said: &Path, from: u64) -> String {
    let text = fs::read(said).unwrap_or_default();
    let text = String::from_utf8_lossy(text.get(engine::index(from)..).unwrap_or_default());
    let error = text.lines().rev().find_map(|line| line.strip_prefix("error: "));
    let last = error.or_else(|| text.lines().rev().find(|line| !line.trim().is_empty()));
    last.unwrap_or("it said nothing").to_owned()
}
