//! What fio's `sprandom` asks of a job: random writes of one size, by a generator that never draws
//! an offset twice.

use super::draft::Draft;
use crate::diagnostic::Diagnostic;
use crate::workload::{BlockSize, Distribution, RandomGenerator, Rw, ZoneMode};

/// Refuses jobs that fio refuses, and sets what it sets.
pub(super) fn check(draft: &mut Draft) -> Result<(), Diagnostic> {
    if !draft.sprandom_on {
        return Ok(());
    }
    if let Some((option, message, help)) = conflict(draft) {
        let message = format!("`sprandom`: {message}");
        return Err(Diagnostic::new(draft.place_of(option), message).with_help(help));
    }
    draft.job.norandommap = true;
    draft.job.random_generator = RandomGenerator::Lfsr;
    draft.job.sprandom = Some(draft.sprandom);
    Ok(())
}

/// The option in the way, what it does, and what to write instead.
fn conflict(draft: &Draft) -> Option<(&'static str, &'static str, &'static str)> {
    let job = &draft.job;
    let randwrite = Rw { read: false, write: true, random: true, ..Rw::READ };
    let power = |size: &BlockSize| matches!(size, BlockSize::Fixed(size) if size.is_power_of_two());
    let even = job.random_distribution[1] == Distribution::Uniform;
    let cases = [
        (
            job.rw != randwrite,
            "rw",
            "it writes at random and does nothing else",
            "write rw=randwrite",
        ),
        (
            draft.is_set("norandommap") && !job.norandommap,
            "norandommap",
            "it goes without a map",
            "leave norandommap out, or set it to 1",
        ),
        (
            draft.is_set("random_generator") && job.random_generator != RandomGenerator::Lfsr,
            "random_generator",
            "it needs the generator lfsr",
            "leave random_generator out, or write random_generator=lfsr",
        ),
        (!power(&job.block_size[1]), "bs", "it needs one block size, a power of 2", "write bs=4k"),
        (
            !even || job.percentage_random[1] != 100 || job.zone_mode != ZoneMode::None,
            "sprandom",
            "its offsets follow from it alone",
            "leave random_distribution, percentage_random and zonemode out",
        ),
    ];
    let found = cases.into_iter().find(|case| case.0);
    found.map(|(_, option, message, help)| (option, message, help))
}
