//! Checks across options, made when all of a job's options are known.

use stats::Direction;

use super::draft::Draft;
use super::sprandom;
use super::value::Warnings;
use crate::diagnostic::Diagnostic;
use crate::engines::EngineKind;
use crate::job::Job;
use crate::workload::{BlockSize, Distribution, Size, ZoneMode};

/// Engines that pass the page cache by, whatever `direct` says.
const UNCACHED: &[&str] = &[
    "io_uring_cmd",
    "spdk",
    "spdk_bdev",
    "spdk_nvme",
    "nvme",
    "xnvme",
    "libblkio",
    "sg",
    "null",
    "cpp_null",
    "libpmem",
    "pmemblk",
    "dev-dax",
];

/// Makes the job of a draft.
pub(super) fn finish(mut draft: Draft, warnings: &mut Warnings) -> Result<Job, Diagnostic> {
    block_sizes(&mut draft);
    queue(&mut draft, warnings);
    direct(&mut draft, warnings);
    region(&mut draft, warnings)?;
    rates(&draft)?;
    time(&mut draft, warnings);
    zones(&mut draft)?;
    sprandom::check(&mut draft)?;
    latencies(&mut draft);
    names(&mut draft.job);
    Ok(draft.job)
}

fn block_sizes(draft: &mut Draft) {
    for index in 0..3 {
        let size = match (draft.bs_split[index].take(), draft.bs_range[index]) {
            (Some(entries), _) => BlockSize::Split(entries),
            (None, Some((min, max))) if min == max => BlockSize::Fixed(min),
            (None, Some((min, max))) => BlockSize::Range { min, max },
            (None, None) => BlockSize::Fixed(draft.bs[index]),
        };
        draft.job.block_align[index] = draft.block_align[index].unwrap_or(size.min());
        // A map has blocks of the smallest size only.
        draft.job.norandommap |= draft.job.block_align[index] != size.min();
        draft.job.block_size[index] = size;
    }
    for distribution in &mut draft.job.random_distribution {
        if let Distribution::Sequence { stride, .. } = distribution {
            *stride = draft.sequence_stride;
        }
        if *distribution != Distribution::Uniform {
            // A map of what is still to be visited would undo the distribution.
            draft.job.norandommap = true;
        }
    }
}

fn queue(draft: &mut Draft, warnings: &mut Warnings) {
    if draft.job.engine_kind == EngineKind::Sync && draft.job.iodepth > 1 {
        let message =
            format!("`iodepth`: engine `{}` is synchronous, so the depth is 1", draft.job.engine);
        let warning = Diagnostic::new(draft.place_of("iodepth"), message)
            .with_help("use an asynchronous engine such as libaio, or numjobs");
        warnings.once("iodepth sync", warning);
        draft.job.iodepth = 1;
    }
    let max_given = draft.batch_complete_max.filter(|max| *max > 0);
    let job = &mut draft.job;
    let depth = job.iodepth;
    let capped = |value: u32| if value == 0 || value > depth { depth } else { value };
    job.iodepth_low = capped(job.iodepth_low);
    job.iodepth_batch_submit = capped(job.iodepth_batch_submit);
    job.iodepth_batch_complete_min = job.iodepth_batch_complete_min.min(depth);
    job.iodepth_batch_complete_max = max_given
        .unwrap_or(job.iodepth_batch_complete_min)
        .min(depth)
        .max(job.iodepth_batch_complete_min);
}

fn direct(draft: &mut Draft, warnings: &mut Warnings) {
    let asked = draft.is_set("direct") || draft.is_set("buffered");
    let uncached = UNCACHED.contains(&draft.job.engine.as_str());
    if draft.job.direct || (uncached && !asked) {
        return;
    }
    let (place, message) = if draft.is_set("buffered") {
        (draft.place_of("buffered"), "`buffered`: a model has no page cache, and runs direct")
    } else if draft.is_set("direct") {
        (draft.place_of("direct"), "`direct`: a model has no page cache, and runs direct")
    } else {
        (
            draft.place_of("direct"),
            "`direct` is not set: a model has no page cache, and runs direct",
        )
    };
    let warning = Diagnostic::new(place, message).with_help("write direct=1");
    warnings.once("direct", warning);
}

fn region(draft: &mut Draft, warnings: &mut Warnings) -> Result<(), Diagnostic> {
    if let Some(Size::Percent(percent)) = draft.job.size {
        if percent == 0 {
            let error = Diagnostic::new(draft.place_of("size"), "`size`: `0%` leaves nothing");
            return Err(error.with_help("write 1% to 100%"));
        }
        if percent > 100 {
            let message =
                format!("`size`: {percent}% is read as the whole, {percent}% of it moved");
            let warning = Diagnostic::new(draft.place_of("size"), message)
                .with_help("write size=100% and io_size");
            warnings.once("size percent", warning);
            draft.job.size = Some(Size::Percent(100));
            draft.job.io_size.get_or_insert(Size::Percent(percent));
        }
    }
    for (name, size) in
        [("offset", draft.job.offset), ("offset_increment", draft.job.offset_increment)]
    {
        if let Size::Percent(percent @ 101..) = size {
            let message = format!("`{name}`: {percent}% is beyond the end");
            return Err(
                Diagnostic::new(draft.place_of(name), message).with_help("write 0% to 100%")
            );
        }
    }
    if let Some(Size::Bytes(size)) = draft.job.size
        && draft.job.replay.is_none()
    {
        let least = draft.job.min_block_bytes();
        if size < least {
            let message =
                format!("`size`: {size} bytes are less than the least block of {least} bytes");
            return Err(Diagnostic::new(draft.place_of("size"), message)
                .with_help("make size at least one block"));
        }
    }
    Ok(())
}

fn rates(draft: &Draft) -> Result<(), Diagnostic> {
    let job = &draft.job;
    for direction in Direction::ALL {
        let index = direction.index();
        if job.rate[index].is_some() && job.rate_iops[index].is_some() {
            let message = format!("`rate` and `rate_iops` both limit {}s", direction.name());
            return Err(
                Diagnostic::new(draft.place_of("rate_iops"), message).with_help("keep one of them")
            );
        }
        for (name, min, limit) in [
            ("rate_min", job.rate_min[index], job.rate[index]),
            ("rate_iops_min", job.rate_iops_min[index], job.rate_iops[index]),
        ] {
            if let (Some(min), Some(limit)) = (min, limit)
                && min > limit
            {
                let message = format!(
                    "`{name}`: {min} is above the limit of {limit} for {}s",
                    direction.name()
                );
                return Err(Diagnostic::new(draft.place_of(name), message)
                    .with_help("make the minimum no greater than the limit"));
            }
        }
    }
    Ok(())
}

fn time(draft: &mut Draft, warnings: &mut Warnings) {
    if draft.job.time_based && draft.job.runtime_us.is_none() {
        let message = "`time_based` has no effect without `runtime`";
        let warning = Diagnostic::new(draft.place_of("time_based"), message);
        warnings.once("time_based", warning.with_help("write runtime=TIME"));
        draft.job.time_based = false;
    }
    if draft.has_steady {
        let mut steady = draft.steady;
        // Without a window fio never begins the test.
        if steady.duration_us == 0 {
            let message = "`steadystate` has no effect without `steadystate_duration`";
            let warning = Diagnostic::new(draft.place_of("steadystate"), message);
            warnings.once("steadystate", warning.with_help("write steadystate_duration=TIME"));
        } else {
            steady.interval_us = steady.interval_us.min(steady.duration_us);
            draft.job.steady_state = Some(steady);
        }
    }
    if !draft.has_steady && draft.steady.duration_us > 0 {
        let message = "`steadystate_duration` has no effect without `steadystate`";
        let warning = Diagnostic::new(draft.place_of("steadystate_duration"), message);
        warnings
            .once("steadystate_duration", warning.with_help("write steadystate=iops_slope:0.3%"));
    }
    if draft.latency.target_us > 0 {
        draft.job.latency_target = Some(draft.latency);
    }
    if draft.has_replay {
        draft.job.replay = Some(draft.replay.clone());
    }
}

fn zones(draft: &mut Draft) -> Result<(), Diagnostic> {
    // Old job files give zonesize and zoneskip alone, and mean strided.
    let strided = draft.zoned || (draft.zone_bytes > 0 && !draft.is_set("zonemode"));
    if !strided {
        return Ok(());
    }
    if draft.zone_bytes == 0 {
        let error =
            Diagnostic::new(draft.place_of("zonemode"), "`zonemode`: `zonesize` is missing");
        return Err(error.with_help("write zonesize=SIZE"));
    }
    let range = if draft.zone_range == 0 { draft.zone_bytes } else { draft.zone_range };
    if range < draft.zone_bytes {
        let message = "`zonerange`: a zone is smaller than the data moved in it";
        return Err(Diagnostic::new(draft.place_of("zonerange"), message)
            .with_help("make zonerange at least zonesize"));
    }
    draft.job.zone_mode =
        ZoneMode::Strided { size: draft.zone_bytes, range, skip: draft.zone_skip };
    Ok(())
}

fn latencies(draft: &mut Draft) {
    let latencies = &mut draft.job.latencies;
    if latencies.gtod_reduce {
        latencies.disable_slat = true;
        latencies.disable_clat = true;
        latencies.disable_lat = true;
        latencies.disable_bw = true;
    }
}

/// Logs that were given no name are called after the job.
fn names(job: &mut Job) {
    let logs = &mut job.logs;
    for name in [&mut logs.bw, &mut logs.lat, &mut logs.iops, &mut logs.hist].into_iter().flatten()
    {
        if name.is_empty() {
            name.clone_from(&job.name);
        }
    }
}

/// Each `wait_for` must name an earlier job.
pub(super) fn check_waits(jobs: &[Job]) -> Result<(), Diagnostic> {
    for (index, job) in jobs.iter().enumerate() {
        let Some(awaited) = &job.wait_for else { continue };
        let found = jobs[..index].iter().any(|earlier| earlier.name == *awaited);
        if !found {
            let message =
                format!("`wait_for`: there is no job `{awaited}` before job `{}`", job.name);
            return Err(
                Diagnostic::new(&job.place, message).with_help("name an earlier job of the file")
            );
        }
    }
    Ok(())
}
