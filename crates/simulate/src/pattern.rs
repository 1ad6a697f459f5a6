//! fio's distributions as the engine's samplers.

use super::sprandom;
use engine::sampler::Zone;
use engine::{Sampler, whole};
use fio::workload::{BlockSize, Distribution, RandomGenerator, Size};
use fio::{Diagnostic, Job};
use iopath::host::workload::{BlockSizes, Pattern};

/// Where the I/Os of a direction go inside a region of `span` bytes that represents one of `real`
/// bytes.
pub(super) fn pattern(
    job: &Job,
    direction: usize,
    (span, real): (u64, u64),
    seed: u64,
) -> Result<Pattern, Diagnostic> {
    if !job.rw.random {
        return Ok(Pattern::Sequential);
    }
    let align = job.block_align[direction].max(1);
    let n = (span / align).max(1);
    if let Some(asked) = job.sprandom {
        return Ok(Pattern::Random(sprandom::sampler(job, asked, n, seed)?));
    }
    let sampler = match &job.random_distribution[direction] {
        Distribution::Uniform if job.norandommap && !is_lfsr(job) => Sampler::Uniform { n },
        Distribution::Uniform => Sampler::each_place_once(n, places_of(job, span, real), seed),
        Distribution::Zipf { theta, .. } => Sampler::zipf(n, *theta, seed),
        Distribution::Pareto { h, .. } => Sampler::pareto(n, *h, seed),
        // No deviation at all would never draw a second place.
        Distribution::Normal { deviation_percent, .. } => {
            Sampler::normal(n, deviation_percent.max(100.0 / n as f64), seed)
        }
        Distribution::Zoned(zones) | Distribution::ZonedAbsolute(zones) => {
            let zones = positions(zones, span, align, n);
            if zones.is_empty() {
                let message = format!(
                    "job `{}`: `random_distribution`: no accessed zone is in its region",
                    job.name
                );
                return Err(Diagnostic::new(&job.place, message)
                    .with_help("make the region larger than a block for each zone"));
            }
            Sampler::zoned(zones)
        }
        Distribution::Sequence { blocks, stride } => listed(job, (blocks, *stride), align, n)?,
    };
    Ok(Pattern::Random(sampler))
}

/// A list of blocks, which move on by `stride` lengths of the list after each pass and begin again
/// at the end of the region.
fn listed(
    job: &Job,
    (blocks, stride): (&[u64], u64),
    align: u64,
    n: u64,
) -> Result<Sampler, Diagnostic> {
    if let Some(block) = blocks.iter().find(|block| **block >= n) {
        let (name, region) = (&job.name, metric::show_volume(n.saturating_mul(align)));
        let message = format!(
            "job `{name}`: `random_distribution`: block {block} is beyond its region, which has \
             {n} blocks ({region})"
        );
        return Err(Diagnostic::new(&job.place, message)
            .with_help("make the region larger, or simulate more of the drive (--scale)"));
    }
    let length = u64::try_from(blocks.len()).unwrap_or(u64::MAX);
    Ok(Sampler::listed(n, blocks.to_vec(), length.saturating_mul(stride)))
}

/// Places of the real region that each position of a smaller one represents in the random map. A
/// job that ends by its bytes goes over the smaller region as often as over the real one, so there
/// a position is one place. A job that ends by its time draws as many places as on the real drive:
/// a map of the smaller region alone would be full too soon.
fn places_of(job: &Job, span: u64, real: u64) -> u64 {
    match job.runtime_us {
        Some(_) => whole((real as f64 / span.max(1) as f64).round().max(1.0)),
        None => 1,
    }
}

fn is_lfsr(job: &Job) -> bool {
    job.random_generator == RandomGenerator::Lfsr
}

/// Zones in positions; what is empty or never accessed is left out.
fn positions(zones: &[fio::workload::Zone], span: u64, align: u64, n: u64) -> Vec<Zone> {
    let mut end_bytes = 0_u64;
    let mut end_percent = 0_u64;
    let mut start = 0;
    let mut list = Vec::new();
    for zone in zones {
        // The ends are cumulated before they are rounded, so that zones leave no gaps.
        let end = match zone.extent {
            Size::Bytes(bytes) => {
                end_bytes = end_bytes.saturating_add(bytes);
                end_bytes / align
            }
            Size::Percent(percent) => {
                end_percent += percent;
                Size::Percent(end_percent.min(100)).resolve(span) / align
            }
        };
        let end = end.clamp(start, n);
        if end > start && zone.access_percent > 0.0 {
            list.push(Zone { access: zone.access_percent, start, len: end - start });
        }
        start = end;
    }
    list
}

/// The block sizes of a direction; both ends fit in 32 bits, as fio's own do.
pub(super) fn sizes(size: &BlockSize) -> BlockSizes {
    let narrow = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX).max(1);
    match size {
        BlockSize::Fixed(bytes) => BlockSizes::Fixed(narrow(*bytes)),
        BlockSize::Range { min, max } => BlockSizes::Range(narrow(*min), narrow(*max)),
        BlockSize::Split(entries) => {
            let list: Vec<(u32, u32)> =
                entries.iter().map(|entry| (narrow(entry.bytes), entry.percent)).collect();
            match list.iter().any(|(_, weight)| *weight > 0) {
                true => BlockSizes::split(&list),
                false => BlockSizes::Fixed(list.first().map_or(4096, |(bytes, _)| *bytes)),
            }
        }
    }
}
