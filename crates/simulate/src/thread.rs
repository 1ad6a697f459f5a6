//! One copy of a fio job as a thread of the model.

use super::extents::Region;
use super::options::HostCost;
use super::pattern;
use super::scale::Scale;
use engine::{Duration, Stream};
use fio::engines::{EngineKind, Waits};
use fio::workload::{FileService, RateProcess, RwModifier, Size, SyncMode, WriteCommand, ZoneMode};
use fio::{Diagnostic, Job};
use iopath::host::workload::{
    Blocking, Directions, Flow, Pace, Pattern, Rate, Replay, Search, Think, ThreadSpec, Turns,
    Zones,
};
use std::borrow::Cow;

/// What a copy is besides its job.
pub(super) struct Copy {
    /// Position among all threads of the file, from 0.
    pub number: u32,
    /// Its phase.
    pub phase: u32,
    /// What its random stream depends on besides its place in the file.
    pub seed: u64,
    /// Cost of an I/O on the host.
    pub host: HostCost,
}

/// A file of a copy: the device that it is on, and the region there as the job file has it and as
/// it is simulated.
pub(super) struct Place<'a> {
    /// The node of its device.
    pub target: u16,
    /// The namespace of its device.
    pub namespace: u16,
    /// What the job file says.
    pub real: Region,
    /// What is simulated.
    pub region: Region,
    /// How one follows from the other.
    pub scale: &'a Scale,
}

/// The thread that does what a copy of a job would do in these places of the simulated drives.
pub(super) fn spec(job: &Job, copy: &Copy, places: &[Place<'_>]) -> Result<ThreadSpec, Diagnostic> {
    let job = &*read_back(job);
    let name = format!("{}/{}/{:x}", job.name, copy.number, copy.seed);
    let mut draws = Stream::new(copy.seed, &name);
    let regions: Result<Vec<_>, Diagnostic> =
        places.iter().map(|place| region(job, place, &mut draws)).collect();
    let start_delay = start_delay(job, &mut draws);
    let (run, skip) = run_and_skip(job);
    let ramp = Duration::from_us(job.ramp_time_us);
    Ok(ThreadSpec {
        name,
        regions: regions?,
        turns: turns(job),
        phase: 0,
        directions: directions(job),
        random_percent: job.percentage_random.map(|percent| percent.min(100) as u8),
        sizes: [0, 1, 2].map(|direction| pattern::sizes(&job.block_size[direction])),
        align: job.block_align.map(|align| align.max(1)),
        run,
        skip,
        depth: job.iodepth.max(1),
        refill_below: refill_below(job),
        start_delay,
        // The ramp comes on top of the runtime, as in fio.
        time_limit: job.runtime_us.map(|us| Duration::from_us(us) + ramp),
        byte_limit: byte_limit(job, places),
        io_limit: io_limit(job),
        rate: rates(job),
        rate_process: match job.rate_process {
            RateProcess::Linear => iopath::host::workload::RateProcess::Linear,
            RateProcess::Poisson => iopath::host::workload::RateProcess::Poisson,
        },
        think: think(job),
        flow: flow(job),
        search: search(job),
        flush_every: flush_every(job),
        blocking: blocking(job.engine_kind),
        flush_at_end: job.rw.write && (job.end_fsync || job.fsync_on_close),
        durable_writes: job.sync != SyncMode::None,
        stored_ppm: stored_ppm(job),
        replay: None,
        submit_cost: copy.host.submit,
    })
}

/// A file of it.
fn region(
    job: &Job,
    place: &Place<'_>,
    draws: &mut Stream,
) -> Result<iopath::host::workload::Region, Diagnostic> {
    let Place { region, real, scale, .. } = place;
    check_blocks(job, *region)?;
    let zones = zones(job, *region, scale)?;
    let room = |region: &Region| zones.map_or(region.span, |zones| zones.range.min(region.span));
    let pattern = patterns(job, room(region), room(real), draws)?;
    Ok(iopath::host::workload::Region {
        target: place.target,
        namespace: place.namespace,
        start: region.start,
        span: region.span,
        first: 0,
        pass: without_holes(job, region.span),
        map: map(job, &pattern),
        pattern,
        zones,
    })
}

/// Which file comes next; laws that are not modelled are refused before.
fn turns(job: &Job) -> Turns {
    match job.file_service {
        FileService::Random { every } => Turns::AtRandom { every: narrow(every.max(1)) },
        FileService::Sequential => Turns::Whole,
        FileService::RoundRobin { every } => Turns::InTurn { every: narrow(every.max(1)) },
        _ => Turns::InTurn { every: 1 },
    }
}

/// Refuses blocks that are longer than the region.
fn check_blocks(job: &Job, region: Region) -> Result<(), Diagnostic> {
    let largest = job.max_block_bytes();
    if region.span >= largest {
        return Ok(());
    }
    let message = format!(
        "job `{}`: a block of {largest} bytes does not fit into its {} bytes",
        job.name, region.span
    );
    Err(Diagnostic::new(&job.place, message).with_help("make size larger or bs smaller"))
}

/// Where reads, writes and trims go.
fn patterns(
    job: &Job,
    span: u64,
    real: u64,
    draws: &mut Stream,
) -> Result<[Pattern; 3], Diagnostic> {
    let mut patterns = [Pattern::Sequential, Pattern::Sequential, Pattern::Sequential];
    // Trims and writes of a pair, and the directions of a mix, take turns in one order.
    let seed = draws.bits();
    for (direction, pattern) in patterns.iter_mut().enumerate() {
        *pattern = pattern::pattern(job, direction, (span, real), seed ^ direction as u64)?;
    }
    Ok(patterns)
}

/// No drive has smaller blocks, bytes.
const LEAST_BLOCK: u64 = 512;

/// Bytes of a block of the random map, if random I/Os of several sizes go by one.
fn map(job: &Job, pattern: &[Pattern; 3]) -> Option<u64> {
    let used = [job.rw.read, job.rw.write, job.rw.trim];
    let mut used = (0..3).filter(|direction| used[*direction]);
    let once = |direction: usize| match &pattern[direction] {
        Pattern::Random(sampler) => sampler.is_each_once(),
        Pattern::Sequential => false,
    };
    let mixed =
        |direction: usize| job.block_size[direction].max() > job.block_size[direction].min();
    let mapped = job.zone_mode == ZoneMode::None && used.clone().all(once) && used.any(mixed);
    mapped.then(|| job.min_block_bytes().max(LEAST_BLOCK))
}

/// I/Os in order before a jump, and bytes left out after each.
fn run_and_skip(job: &Job) -> (u32, i64) {
    match job.rw.modifier {
        RwModifier::None => (1, 0),
        RwModifier::EveryNth(count) => (narrow(count), 0),
        RwModifier::Stride(bytes) => (1, bytes),
    }
}

fn start_delay(job: &Job, draws: &mut Stream) -> Duration {
    let (low_us, high_us) = job.start_delay_us;
    let delay_us = low_us + draws.below((high_us - low_us.min(high_us)).saturating_add(1));
    Duration::from_us(delay_us)
}

/// The pauses between blocks.
fn think(job: &Job) -> Option<Think> {
    (job.thinktime_us > 0).then(|| Think {
        time: Duration::from_us(job.thinktime_us),
        every: narrow(job.thinktime_blocks.max(1)),
        shifts_rate: job.rate_ignore_thinktime,
    })
}

/// The zones that it walks through. They keep their size and number on a smaller region: what lies
/// between them shrinks, and where that is not enough they shrink with it.
fn zones(job: &Job, region: Region, scale: &Scale) -> Result<Option<Zones>, Diagnostic> {
    let ZoneMode::Strided { size: bytes, range, skip } = job.zone_mode else { return Ok(None) };
    let stride = scale.volume(range.saturating_add(skip));
    let block = job.max_block_bytes();
    if range < block || range > region.span {
        let message = format!(
            "job `{}`: zones of {range} bytes are smaller than a block or larger than its region \
             of {} bytes",
            job.name, region.span
        );
        let help = "make zonerange larger than bs, and the region (size, --scale) larger";
        return Err(Diagnostic::new(&job.place, message).with_help(help));
    }
    let small = |bytes: u64| scale.volume(bytes) / block * block;
    let (range, bytes) = match stride < range {
        true => (small(range), small(bytes).max(block)),
        false => (range, bytes),
    };
    if range < block {
        let message = format!(
            "job `{}`: its zones would be smaller than a block of {block} bytes at this scale, at \
             which one begins {stride} bytes behind the other",
            job.name
        );
        let help = "simulate more of the drive (--scale), or make zonerange larger";
        return Err(Diagnostic::new(&job.place, message).with_help(help));
    }
    let skip = (stride - range) / block * block;
    Ok(Some(Zones { bytes, range, skip }))
}

/// Which jobs it is held in proportion to.
fn flow(job: &Job) -> Option<Flow> {
    (job.flow != 0).then(|| Flow {
        group: job.flow_id,
        weight: job.flow,
        slack: job.flow_watermark,
        sleep: Duration::from_us(job.flow_sleep_us),
    })
}

/// The limit on the latency up to which its depth may grow.
fn search(job: &Job) -> Option<Search> {
    job.latency_target.map(|asked| Search {
        target: Duration::from_us(asked.target_us),
        window: Duration::from_us(asked.window_us),
        percent: asked.percentile,
        goes_on: asked.run,
    })
}

/// What its engine waits for.
fn blocking(engine: EngineKind) -> Blocking {
    let waits = match engine {
        // One command at a time is waited for in any case.
        EngineKind::Sync => Waits::Never,
        EngineKind::Async(waits) => waits,
    };
    Blocking { flushes: waits == Waits::TrimsAndFlushes, trims: waits != Waits::Never }
}

/// Writes from one flush to the next.
fn flush_every(job: &Job) -> Option<u32> {
    [job.fsync, job.fdatasync].into_iter().filter(|every| *every > 0).min().map(narrow)
}

fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// A recording takes the place of what the job would do by itself.
pub(super) fn replace_by(spec: &mut ThreadSpec, replay: &Replay) {
    spec.replay = Some(Box::new(replay.clone()));
    spec.byte_limit = None;
    if replay.pace == Pace::Dependent {
        spec.depth = 1;
    }
    spec.refill_below = spec.depth - 1;
}

/// A job that only verifies reads what it would have written, in the same sizes and order; so does
/// a drive that is told to verify.
fn read_back(job: &Job) -> Cow<'_, Job> {
    let verifies = job.verify_only || job.write_command == WriteCommand::Verify;
    if !(verifies && job.rw.write) {
        return Cow::Borrowed(job);
    }
    let mut reads = job.clone();
    (reads.rw.read, reads.rw.write) = (true, false);
    reads.block_size[0] = reads.block_size[1].clone();
    reads.block_align[0] = reads.block_align[1];
    reads.percentage_random[0] = reads.percentage_random[1];
    reads.random_distribution[0] = reads.random_distribution[1].clone();
    (reads.rate[0], reads.rate_iops[0]) = (reads.rate[1], reads.rate_iops[1]);
    Cow::Owned(reads)
}

fn directions(job: &Job) -> Directions {
    match (job.rw.read, job.rw.write, job.rw.trim) {
        (true, true, _) => Directions::Mixed { read_percent: job.rwmixread.min(100) as u8 },
        (_, true, true) => Directions::TrimThenWrite,
        (_, true, _) => Directions::Write,
        (_, _, true) => Directions::Trim,
        _ => Directions::Read,
    }
}

/// The depth at which the queue is filled again: the least of what fio's three batch options
/// allow.
fn refill_below(job: &Job) -> u32 {
    let depth = job.iodepth.max(1);
    let missing = job.iodepth_batch_submit.max(job.iodepth_batch_complete_min).clamp(1, depth);
    let low = if job.iodepth_low < depth { job.iodepth_low } else { depth - 1 };
    low.min(depth - missing)
}

/// How often fio goes over a region: a trim and a write of each block count apart.
fn passes(job: &Job) -> u64 {
    let halves = if job.rw.trim && job.rw.write { 2 } else { 1 };
    u64::from(job.loops.max(1)) * halves
}

/// Bytes of a region that one pass touches: after each block of a job in order a hole may follow.
fn without_holes(job: &Job, span: u64) -> u64 {
    match job.rw.modifier {
        RwModifier::Stride(hole) if hole > 0 && !job.rw.random => {
            let block = job.min_block_bytes().max(1);
            span.div_ceil(block.saturating_add(hole.unsigned_abs())).saturating_mul(block)
        }
        _ => span,
    }
}

/// Bytes that end it. Its devices are alike: volumes shrink as on the first.
fn byte_limit(job: &Job, places: &[Place<'_>]) -> Option<u64> {
    if job.time_based {
        return None;
    }
    let span = places.iter().fold(0_u64, |all, place| all.saturating_add(place.real.span));
    let asked = match job.io_size {
        Some(size @ Size::Percent(_)) => size.resolve(span),
        Some(Size::Bytes(bytes)) => bytes,
        None => places
            .iter()
            .fold(0_u64, |all, place| all.saturating_add(without_holes(job, place.real.span))),
    };
    // Whole blocks: the last I/O of a pass must not begin another block.
    let block = job.min_block_bytes().max(1);
    // It writes the flash behind the region once, however much is asked for.
    let once = job.sprandom.map_or(asked, |sprandom| sprandom.volume(asked.min(span), block));
    let once = places.first().map_or(once, |place| place.scale.volume(once));
    let once = if once >= block { once / block * block } else { block };
    Some(once.saturating_mul(passes(job)))
}

/// A time-based job continues whatever the number of its I/Os, as in fio.
fn io_limit(job: &Job) -> Option<u64> {
    if job.time_based { None } else { job.number_ios.map(|ios| ios.saturating_mul(passes(job))) }
}

fn rates(job: &Job) -> [Option<Rate>; 3] {
    [0, 1, 2].map(|i| match (job.rate[i], job.rate_iops[i]) {
        (Some(bytes), _) if bytes > 0 => Some(Rate::Bytes(bytes)),
        (_, Some(ios)) if ios > 0 => Some(Rate::Ios(ios)),
        _ => None,
    })
}

/// What a controller that compresses keeps of the job's data, in millionths. fio fills so many
/// percent of each chunk with a pattern and the rest with random data.
fn stored_ppm(job: &Job) -> u32 {
    if job.zero_buffers {
        return 0;
    }
    (100 - job.buffer_compress_percentage.unwrap_or(0).min(100)) * 10_000
}
