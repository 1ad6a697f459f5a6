//! Two builds of this bench side by side: each work in turn with the one and the other, so that a
//! machine that becomes faster or slower meanwhile meets both alike.

use crate::{methods, run_alone, work};
use stats::{Difference, Pairing};
use std::path::Path;

/// The ratio of two builds on one work.
pub struct Ratio {
    /// Name of the work.
    pub name: &'static str,
    /// Requests (or measurements) per CPU second of the other build, geometric mean.
    pub other: f64,
    /// Those of this build.
    pub this: f64,
    /// This build over the other one.
    pub ratio: f64,
    /// Its 95 % interval: Student's t on the logarithms of the rounds' ratios.
    pub interval: (f64, f64),
}

/// Measures works and methods with this build and the one at `other`, `rounds` times in turn.
/// `told` gets each when it is done.
///
/// # Errors
/// If a build cannot be started or does not know a work.
pub fn compare(
    other: &Path,
    rounds: u32,
    wanted: impl Fn(&str) -> bool,
    mut told: impl FnMut(&Ratio),
) -> Result<Vec<Ratio>, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let works = work::all().into_iter().map(|work| work.name);
    let all = works.chain(methods::ALL.iter().map(|whole| whole.name));
    let mut list = Vec::new();
    for name in all.filter(|name| wanted(name)) {
        let rate = |program: &Path| {
            rate(program, name).map_err(|why| format!("{}: {name}: {why}", program.display()))
        };
        let (mut others, mut own) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            // Who is first changes from round to round.
            if round % 2 == 1 {
                own.push(rate(&this)?);
            }
            others.push(rate(other)?);
            if round % 2 == 0 {
                own.push(rate(&this)?);
            }
        }
        let ratio = Ratio::of(name, &others, &own)
            .ok_or_else(|| format!("{name}: no ratio comes of it"))?;
        told(&ratio);
        list.push(ratio);
    }
    Ok(list)
}

/// Requests a CPU second of a work, or how often a method could be measured in a CPU second.
fn rate(program: &Path, name: &str) -> Result<f64, String> {
    match methods::find(name) {
        Some(whole) => Ok(whole.run_alone(program)?.cpu_s.recip()),
        None => Ok(run_alone(program, name)?.requests_per_cpu_s),
    }
}

impl Ratio {
    /// Of the rates of both builds, round by round; `None` of fewer than two rounds.
    fn of(name: &'static str, other: &[f64], this: &[f64]) -> Option<Self> {
        let logs = |rates: &[f64]| rates.iter().map(|rate| rate.ln()).collect::<Vec<f64>>();
        let (other, this) = (logs(other), logs(this));
        let mean = |logs: &[f64]| logs.iter().sum::<f64>() / logs.len() as f64;
        let log = Difference::new(&other, &this, Pairing::Paired, 0.95)?;
        Some(Ratio {
            name,
            other: mean(&other).exp(),
            this: mean(&this).exp(),
            ratio: log.difference.exp(),
            interval: (
                (log.difference - log.half_width).exp(),
                (log.difference + log.half_width).exp(),
            ),
        })
    }

    /// As JSON.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({
            "name": self.name, "other_per_cpu_s": self.other, "this_per_cpu_s": self.this,
            "ratio": self.ratio, "interval95": self.interval,
        })
    }

    /// The titles of its lines.
    pub fn titles() -> String {
        let (name, ratio) = ("work", "ratio");
        format!("{name:<18} {:>14} {:>14} {ratio:>7}  95 % interval", "other/CPU-s", "this/CPU-s")
    }

    /// As a line.
    pub fn to_line(&self) -> String {
        let (low, high) = self.interval;
        // A method is measured less than once in a CPU second.
        let digits = if self.this < 100.0 { 4 } else { 0 };
        format!(
            "{:<18} {:>14.digits$} {:>14.digits$} {:>7.3}  {low:.3} to {high:.3}",
            self.name, self.other, self.this, self.ratio
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_the_geometric_mean_of_its_rounds() {
        let pairs = [(100.0, 120.0), (200.0, 300.0), (50.0, 60.0)];
        let ratio = Ratio::of("w", &pairs.map(|pair| pair.0), &pairs.map(|pair| pair.1));
        let ratio = ratio.expect("three rounds");
        assert!((ratio.ratio - (1.2_f64 * 1.5 * 1.2).cbrt()).abs() < 1e-12);
        // t(2, 95 %) = 4.303.
        let logs = pairs.map(|(other, this): (f64, f64)| (this / other).ln());
        let mean = logs.iter().sum::<f64>() / 3.0;
        let sd = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / 2.0).sqrt();
        let half = 4.302_653 * sd / 3.0_f64.sqrt();
        assert!((ratio.interval.1.ln() - mean - half).abs() < 1e-5);
        assert!((mean - ratio.interval.0.ln() - half).abs() < 1e-5);
    }
}
