//! Holds every flash drive and system of the library to the law of scale, or those named on the
//! command line: `cargo run --release --package lab --example scale_law -- p4510-8tb`.

#[path = "../tests/scale_law/law.rs"]
mod law;

use law::Held;
use library::{flash_drives, systems};
use std::process::ExitCode;

/// Three scales and, at the middle one, two budgets, each a factor of 4 apart.
const POINTS: [law::Point; 4] = [(4, 400_000), (16, 400_000), (64, 400_000), (16, 1_600_000)];
/// Those of what cannot shrink to them.
const LARGE: [law::Point; 3] = [(128, 400_000), (512, 400_000), (128, 1_600_000)];

/// Holds a target to the law under one load.
fn hold(target: &str, load: &law::Load) -> Held {
    match law::hold_to(target, load, &POINTS) {
        Held::Uncompared(_) => law::hold_to(target, load, &LARGE),
        held => held,
    }
}

fn main() -> ExitCode {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let all = || flash_drives().chain(systems()).map(str::to_owned).collect();
    let targets: Vec<String> = if named.is_empty() { all() } else { named };
    let (mut wrong, mut uncompared) = (0, 0);
    for target in &targets {
        let mut agree = 0;
        for load in &law::LOADS {
            match hold(target, load) {
                Held::Agrees => agree += 1,
                Held::Differs(how) => {
                    wrong += 1;
                    println!("differs: {how}");
                }
                Held::Uncompared(why) => {
                    uncompared += 1;
                    println!("not compared: {why}");
                }
            }
        }
        println!("{target}: {agree} of {} loads agree", law::LOADS.len());
    }
    println!("{} targets, {wrong} loads differ, {uncompared} not compared", targets.len());
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
