//! Holds every flash drive and system of the library to the law of scale, or those named on the
//! command line: `cargo run --release --package lab --example scale_law -- p4510-8tb`. Targets are
//! held on all cores, and each is told as it ends.

#[path = "../tests/scale_law/law.rs"]
mod law;

use law::Held;
use library::{flash_drives, systems};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Three scales and, at the middle one, two budgets, each a factor of 4 apart.
const POINTS: [law::Point; 4] = [(4, 400_000), (16, 400_000), (64, 400_000), (16, 1_600_000)];
/// Those of what cannot shrink to them.
const LARGE: [law::Point; 3] = [(128, 400_000), (512, 400_000), (128, 1_600_000)];

/// How many loads did not agree.
#[derive(Default)]
struct Counts {
    wrong: AtomicUsize,
    uncompared: AtomicUsize,
}

/// Holds a target to the law under one load.
fn hold(target: &str, load: &law::Load) -> Held {
    match law::hold_to(target, load, &POINTS) {
        Held::Uncompared(_) => law::hold_to(target, load, &LARGE),
        held => held,
    }
}

/// Holds a target to the law under all loads and prints what came out.
fn hold_all(target: &str, counts: &Counts) {
    let mut said = String::new();
    let mut agree = 0;
    for load in &law::LOADS {
        match hold(target, load) {
            Held::Agrees => agree += 1,
            Held::Differs(how) => {
                counts.wrong.fetch_add(1, Relaxed);
                said += &format!("differs: {how}\n");
            }
            Held::Uncompared(why) => {
                counts.uncompared.fetch_add(1, Relaxed);
                said += &format!("not compared: {why}\n");
            }
        }
    }
    println!("{said}{target}: {agree} of {} loads agree", law::LOADS.len());
}

fn main() -> ExitCode {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let all = || flash_drives().chain(systems()).map(str::to_owned).collect();
    let targets: Vec<String> = if named.is_empty() { all() } else { named };
    let (counts, next) = (Counts::default(), AtomicUsize::new(0));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores.min(targets.len()) {
            scope.spawn(|| {
                while let Some(target) = targets.get(next.fetch_add(1, Relaxed)) {
                    hold_all(target, &counts);
                }
            });
        }
    });
    let (wrong, uncompared) = (counts.wrong.into_inner(), counts.uncompared.into_inner());
    println!("{} targets, {wrong} loads differ, {uncompared} not compared", targets.len());
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
