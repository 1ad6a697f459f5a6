//! What a Record keeps of a served drive.

use crate::arguments;
use crate::configuration;
use crate::files;
use crate::records;
use crate::render::Failure;
use ::serve::control::{Served, State};
use answer::run::{Lateness, Run, ServedRun, Simulated, Temperature};
use library::{Overrides, ResolvedSystem, Scale, System};
use metric::show_volume;
use serde_json::json;
use stats::{Cost, Kind, Outcome, Warning};
use std::path::Path;

/// What is known before anything is asked of the drive.
pub(super) fn about(
    (system, resolved): (&System, &ResolvedSystem),
    (overrides, scale): (&Overrides, Scale),
    (state, seed): (arguments::State, u64),
) -> Outcome {
    let state = json!(state.word());
    Outcome {
        kind: Kind::FioRun,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        targets: vec![configuration::target(system, overrides, scale, resolved, state)],
        seed: Some(seed),
        warnings: configuration::warnings(system, resolved),
        ..Outcome::default()
    }
}

/// Saves the Record of a served drive.
///
/// # Errors
/// If it cannot be written.
pub fn save(served: Served, state: &State, path: &Path) -> Result<(), Failure> {
    let wall_s = state.seconds * f64::from(state.slower);
    let cost = Cost { wall_s, ..Cost::default() };
    records::save(outcome(served, state)?, cost, path)
}

fn outcome(served: Served, state: &State) -> Result<Outcome, Failure> {
    let Served { about, run, mean_power_w } = served;
    let all = |of: fn(&::serve::control::Drive) -> u64| state.drives.iter().map(of).sum::<u64>();
    let (host, flash) = (all(|drive| drive.host_bytes), all(|drive| drive.flash_bytes));
    let warmest = state.drives.iter().filter_map(|drive| drive.celsius).reduce(f64::max);
    let peak = run.timeline.iter().flat_map(|line| &line.celsius).copied().reduce(f64::max);
    let simulated = Simulated {
        measured_s: state.seconds,
        mean_power_w,
        write_amplification: (host > 0).then(|| flash as f64 / host as f64),
        temperature_c: peak.zip(warmest).map(|(peak, last)| Temperature { peak, last }),
        ..Simulated::default()
    };
    let late = &state.lateness;
    let of_clients = ServedRun {
        slower: state.slower,
        cuts: state.cuts,
        lateness: Lateness {
            answers: late.answers,
            p50_s: late.p50_us / 1e6,
            p99_s: late.p99_us / 1e6,
            p999_s: late.p999_us / 1e6,
            worst_s: late.worst_us / 1e6,
            late_share: late.late_share,
        },
    };
    let data = Run { simulated: Some(simulated), served: Some(of_clients), ..Run::default() };
    let mut warnings = about.warnings.clone();
    warnings.push(of_model());
    warnings.extend(of_lateness(state));
    warnings.extend(of_losses(state));
    Ok(Outcome { data: files::kept(&data)?, run: Some(run), warnings, ..about })
}

fn of_model() -> Warning {
    Warning {
        code: "served".to_owned(),
        message: "latencies are those of the model; what clients measure has their sockets in it"
            .to_owned(),
        concerns: String::new(),
    }
}

/// The latencies that clients saw longer because answers left late, each with its warning.
fn of_lateness(state: &State) -> Vec<Warning> {
    let late = &state.lateness;
    let spoiled: Vec<[bool; 4]> = state.requests.values().map(|of| late.spoiled(of)).collect();
    let values = [
        // What a warning concerns stands before it.
        ("the mean: ", "", late.p50_us),
        ("", "p50", late.p50_us),
        ("", "p99", late.p99_us),
        ("", "p99.9", late.p999_us),
    ];
    let values = values.into_iter().enumerate();
    let spoiled = values.filter(|(i, _)| spoiled.iter().any(|of| of[*i]));
    let warning = |(_, (name, concerns, us)): (usize, (&str, &str, f64))| Warning {
        code: "lateness".to_owned(),
        message: format!(
            "{name}answers left {us:.1} us late there, and clients saw more by over a tenth"
        ),
        concerns: concerns.to_owned(),
    };
    spoiled.map(warning).collect()
}

fn of_losses(state: &State) -> Option<Warning> {
    let cut = state.last_cut?;
    Some(Warning {
        code: "power-cut".to_owned(),
        message: format!(
            "power was cut {} times; the last cut lost {} that were acknowledged",
            state.cuts,
            show_volume(cut.lost_bytes)
        ),
        concerns: String::new(),
    })
}
