//! What a run on a model says to people besides fio's report.

use super::args::RunArgs;
use super::start::Start;
use crate::values::Budget;
use library::{Overrides, ResolvedSystem, System};
use metric::{Dimension, plain, show};
use simulate::{Progress, Simulated};
use stats::Warning;

/// What is simulated, in one line.
pub(super) fn summary(
    model: &System,
    resolved: &ResolvedSystem,
    start: &Start<'_>,
    seed: u64,
    budget: Budget,
) -> String {
    let scale = match resolved.scale {
        1.0 => "whole".to_owned(),
        scale => {
            let real = resolved.real_bytes as f64;
            let [part, whole] = [real * scale, real].map(|bytes| show(Dimension::Bytes, bytes));
            format!("{part} of its {whole} simulated")
        }
    };
    let (name, state) = (model.name(), start.word());
    format!("{name}: {scale}, {state}, seed {seed}, budget {} s", budget.seconds)
}

/// That there is a drive for each device of the jobs, if the user did not ask for so many.
pub(super) fn drives(args: &RunArgs, model: &System, overrides: &Overrides) -> Option<Warning> {
    let count = overrides.drives.filter(|_| args.model.devices.drives.is_none())?;
    Some(Warning {
        code: "drives".to_owned(),
        message: format!(
            "the jobs name {count} drives: each is its own {} on one host (--drives {count}); \
             --namespaces {count} makes them parts of one drive",
            model.name()
        ),
        concerns: "filename".to_owned(),
    })
}

/// What fio's report has no place for.
pub(super) fn outcome(simulated: &Simulated) -> Vec<String> {
    let limit = |limit: &stats::Limit| format!("{}: limited by {limit}", limit.of);
    std::iter::once(outcome_line(simulated)).chain(simulated.limits.iter().map(limit)).collect()
}

/// Power, amplification, errors and heat in one line.
fn outcome_line(simulated: &Simulated) -> String {
    let amplification = match simulated.write_amplification {
        Some(factor) => format!(", write amplification {}", plain(factor)),
        None => String::new(),
    };
    let (retries, lost) = (simulated.read_retries, simulated.lost_pages);
    let errors = match (retries, lost) {
        (0, 0) => String::new(),
        _ => format!(", {retries} read retries, {lost} pages lost"),
    };
    let heat = match &simulated.heat {
        Some(heat) if heat.throttled_share > 0.0 => format!(
            ", {:.1} C at most, throttled {:.0} % of the time",
            heat.peak_c,
            100.0 * heat.throttled_share
        ),
        Some(heat) => format!(", {:.1} C at most", heat.peak_c),
        None => String::new(),
    };
    format!(
        "measured {}: mean power {}{amplification}{errors}{heat}; {} I/Os in {} events",
        show(Dimension::Time, simulated.measured_s),
        show(Dimension::Power, simulated.mean_power_w),
        simulated.ios,
        simulated.events
    )
}

/// How far a run is.
pub(super) fn progress(progress: &Progress, seconds: f64) -> String {
    let rate = progress.ios as f64 / seconds.max(1e-3);
    format!(
        "phase {} of {}, {:.2} s simulated, {:.2} million I/Os a second",
        progress.phase + 1,
        progress.phases,
        progress.simulated_s,
        rate / 1e6
    )
}
