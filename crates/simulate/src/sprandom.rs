//! fio's `sprandom`: one pass of random writes that leaves a drive as such writes do in the long
//! run.
//!
//! In the long run blocks of fewer valid units are as much more frequent as they have fewer, from
//! the block that collection takes to those that were just written (P. Desnoyers, "Analytic Models
//! of SSD Write Performance", ACM Transactions on Storage 8(2), 2012). The share of the flash whose
//! blocks are at most `v` valid is then `ln(v / g) / ln(1 / g)`, with `g` of the block that
//! collection takes: cut into parts of equal size, the one behind a share `q` is `g^(1 - q)` valid.
//! The part that is written first becomes the emptiest: of each part so many blocks are written
//! again at the beginning of the next.

use engine::{Repeats, Sampler};
use fio::workload::Sprandom;
use fio::{Diagnostic, Job};

/// The offsets of a job over `n` blocks.
///
/// # Errors
/// If there are fewer blocks than regions.
pub(super) fn sampler(
    job: &Job,
    asked: Sprandom,
    n: u64,
    seed: u64,
) -> Result<Sampler, Diagnostic> {
    let length = asked.volume(n, 1) / u64::from(asked.regions);
    if length == 0 {
        let (name, regions) = (&job.name, asked.regions);
        let message = format!("job `{name}`: `spr_num_regions`: {regions} regions of {n} blocks");
        let help = "ask for fewer regions, make the job's region larger, or simulate more of the \
                    drive (--scale)";
        return Err(Diagnostic::new(&job.place, message).with_help(help));
    }
    let again = validities(asked).map(|valid| 1.0 - valid).collect();
    Ok(Sampler::Repeats(Box::new(Repeats::new(n, length, again, seed))))
}

/// What is to be valid of each part in the end, in the order in which they are written.
fn validities(asked: Sprandom) -> impl Iterator<Item = f64> {
    let collected = collected(asked.over_provisioning);
    let last = f64::from((asked.regions - 1).max(1));
    (0..asked.regions).map(move |part| libm::pow(collected, 1.0 - f64::from(part) / last))
}

/// What is valid of the block that collection takes, with fio's approximation of the write
/// amplification, `0.5 / over-provisioning + 0.7`.
fn collected(over_provisioning: f64) -> f64 {
    1.0 - 1.0 / (0.5 / over_provisioning + 0.7)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts together hold what the host sees: the approximation is within 1 % from 5 % of
    /// over-provisioning to 40 %.
    #[test]
    fn what_is_valid_in_the_end_is_the_region() {
        for over_provisioning in [0.05, 0.07, 0.15, 0.28, 0.4] {
            let regions = 1000;
            let valid: f64 = validities(Sprandom { over_provisioning, regions }).sum();
            let all = valid / f64::from(regions) * (1.0 + over_provisioning);
            assert!((all - 1.0).abs() < 0.01, "{over_provisioning}: {all}");
        }
    }

    #[test]
    fn later_parts_stay_fuller_up_to_the_last_one() {
        let asked = Sprandom { over_provisioning: 0.15, regions: 100 };
        let valid: Vec<f64> = validities(asked).collect();
        assert!(valid.is_sorted() && (valid[99] - 1.0).abs() < 1e-12);
        assert!((valid[0] - 0.752).abs() < 0.001, "{}", valid[0]);
        assert_eq!(validities(Sprandom { regions: 1, ..asked }).count(), 1);
    }
}
