//! Options that say which blocks an I/O touches.

use super::draft::Draft;
use super::value::{Value, Warnings};
use super::{distribution, file_name, split};
use crate::diagnostic::Diagnostic;
use crate::job::Job;
use crate::number::shown;
use crate::workload::{FileService, RandomGenerator, Rw, RwModifier, RwSequencer, Size};

/// Applies an option of this group; `false` if it belongs to another.
pub(super) fn apply(
    draft: &mut Draft,
    value: &Value<'_>,
    warnings: &mut Warnings,
) -> Result<bool, Diagnostic> {
    Ok(apply_blocks(draft, value, warnings)?
        || apply_order(draft, value)?
        || apply_extent(&mut draft.job, value)?
        || apply_files(&mut draft.job, value)?
        || apply_zones(draft, value)?)
}

/// Sizes of blocks and where they begin.
fn apply_blocks(
    draft: &mut Draft,
    value: &Value<'_>,
    warnings: &mut Warnings,
) -> Result<bool, Diagnostic> {
    match value.name() {
        "bs" => {
            let sizes = value.by_direction(|text| {
                block_bytes(value, mix(text).map_or(text, |(first, _)| first))
            })?;
            warn_of_mix(value, warnings);
            for (bs, size) in draft.bs.iter_mut().zip(sizes) {
                *bs = size.unwrap_or(*bs);
            }
        }
        "ba" => draft.block_align = value.by_direction(|text| block_bytes(value, text))?,
        "bsrange" => {
            let ranges = value.by_direction(|text| range(value, text, block_bytes))?;
            for (slot, range) in draft.bs_range.iter_mut().zip(ranges) {
                *slot = range.or(*slot);
            }
        }
        "bssplit" => draft.bs_split = split::parse(value, warnings)?,
        "bs_unaligned" => draft.job.bs_unaligned = value.flag()?,
        "bs_is_seq_rand" => draft.job.bs_is_seq_rand = value.boolean()?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// What is done, and in which order.
fn apply_order(draft: &mut Draft, value: &Value<'_>) -> Result<bool, Diagnostic> {
    let job = &mut draft.job;
    match value.name() {
        "rw" => job.rw = rw(value)?,
        "rw_sequencer" => {
            let identical = value.word()? == "identical";
            job.rw_sequencer =
                if identical { RwSequencer::Identical } else { RwSequencer::Sequential };
        }
        "randrepeat" | "allrandrepeat" => job.randrepeat = value.boolean()?,
        "randseed" => job.randseed = Some(value.int()?),
        "norandommap" => job.norandommap = value.flag()?,
        "softrandommap" => job.softrandommap = value.flag()?,
        "random_generator" => {
            let lfsr = value.word()? == "lfsr";
            job.random_generator =
                if lfsr { RandomGenerator::Lfsr } else { RandomGenerator::Tausworthe };
        }
        "random_distribution" => job.random_distribution = distribution::parse(value)?,
        "sprandom" => draft.sprandom_on = value.boolean()?,
        "spr_op" => draft.sprandom.over_provisioning = over_provisioning(value)?,
        "spr_num_regions" => draft.sprandom.regions = value.int32()?,
        "random_sequence_stride" => draft.sequence_stride = value.int()?,
        "percentage_random" => {
            let shares = value.by_direction(|text| value.int_of(text, 0, 100))?;
            for (slot, share) in job.percentage_random.iter_mut().zip(shares) {
                *slot = share.map_or(*slot, |share| share as u32);
            }
        }
        "rwmixread" => job.rwmixread = value.int32()?,
        "rwmixwrite" => job.rwmixread = 100 - value.int32()?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Flash beyond what the host sees, as a share of that.
fn over_provisioning(value: &Value<'_>) -> Result<f64, Diagnostic> {
    let share = value.float_of(value.required()?)?;
    if share <= 0.0 || share >= 1.0 {
        let reason = format!("{} is out of range", shown(value.text()));
        return Err(value.error_help(reason, "write a number between 0 and 1, as in 0.15"));
    }
    Ok(share)
}

/// How much is done, and in which region.
fn apply_extent(job: &mut Job, value: &Value<'_>) -> Result<bool, Diagnostic> {
    match value.name() {
        "size" => job.size = Some(value.span()?).filter(|size| *size != Size::Bytes(0)),
        "io_size" => job.io_size = Some(value.span()?).filter(|size| *size != Size::Bytes(0)),
        "offset" => job.offset = value.span()?,
        "offset_align" => job.offset_align = value.bytes()?,
        "offset_increment" => job.offset_increment = value.span()?,
        "number_ios" => job.number_ios = Some(value.int()?).filter(|count| *count > 0),
        "fill_device" => job.fill_device = value.boolean()?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The files, and how they take turns.
fn apply_files(job: &mut Job, value: &Value<'_>) -> Result<bool, Diagnostic> {
    match value.name() {
        "filesize" => job.file_size = Some(file_size(value)?),
        "file_append" => job.file_append = value.boolean()?,
        "filename" => job.filenames = names(value)?,
        "directory" => job.directories = names(value)?,
        "filename_format" => job.filename_format = Some(value.required()?.to_owned()),
        "nrfiles" => job.nrfiles = value.int32()?,
        "openfiles" => job.openfiles = Some(value.int32()?),
        "file_service_type" => job.file_service = file_service(value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The zones of a file.
fn apply_zones(draft: &mut Draft, value: &Value<'_>) -> Result<bool, Diagnostic> {
    match value.name() {
        "zonemode" => match value.word()? {
            "strided" => draft.zoned = true,
            "none" => draft.zoned = false,
            _ => {
                let help = "use zonemode=strided, or remove the zone options";
                return Err(
                    value.error_help("`zbd` needs a zoned device, and none is modelled", help)
                );
            }
        },
        "zonesize" => draft.zone_bytes = value.bytes()?,
        "zonerange" => draft.zone_range = value.bytes()?,
        "zoneskip" => draft.zone_skip = value.bytes()?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Reads `SIZE`, `LOW-HIGH` or `LOW:HIGH`.
fn file_size(value: &Value<'_>) -> Result<(Size, Size), Diagnostic> {
    match value.required()?.split_once(['-', ':']) {
        Some((low, high)) if !low.is_empty() => {
            let (low, high) = sorted(value.bytes_of(low)?, value.bytes_of(high)?);
            Ok((Size::Bytes(low), Size::Bytes(high)))
        }
        _ => value.span().map(|size| (size, size)),
    }
}

/// Reads `randread:8` or `read:-8k`.
fn rw(value: &Value<'_>) -> Result<Rw, Diagnostic> {
    let text = value.required()?;
    let (name, modifier) = match text.split_once(':') {
        Some((name, modifier)) => (name.trim(), Some(modifier.trim())),
        None => (text, None),
    };
    // `rw` itself begins like `randrw` ends, so the prefix alone decides what is random.
    let (kind, random) = match name.strip_prefix("rand") {
        Some(kind) => (kind, true),
        None => (name, false),
    };
    let (read, write, trim) = match kind {
        "read" => (true, false, false),
        "write" => (false, true, false),
        "trim" => (false, false, true),
        "rw" => (true, true, false),
        "readwrite" if !random => (true, true, false),
        "trimwrite" => (false, true, true),
        _ => {
            let reason = format!("{} is not a kind of I/O", shown(name));
            let help = "write read, write, trim, rw, trimwrite, or one of these behind `rand`";
            return Err(value.error_help(reason, help));
        }
    };
    let modifier = match modifier {
        None => RwModifier::None,
        Some(count) if random => {
            RwModifier::EveryNth(value.int_of(count, 1, u64::from(u32::MAX))?)
        }
        Some(stride) => {
            let (sign, digits) = match stride.strip_prefix('-') {
                Some(digits) => (-1, digits),
                None => (1, stride),
            };
            // A number below 2^63 always fits with either sign.
            RwModifier::Stride(sign * value.bytes_of(digits)?.cast_signed())
        }
    };
    Ok(Rw { read, write, trim, random, modifier })
}

/// The first size of a mix such as `4k/60:64k/40` and what follows it; a quotient stands in
/// brackets.
fn mix(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once('/').filter(|_| !text.contains('('))?;
    rest.starts_with(|c: char| c.is_ascii_digit()).then_some((first, rest))
}

/// Of a mix fio takes the first size, and says nothing.
fn warn_of_mix(value: &Value<'_>, warnings: &mut Warnings) {
    let Some(mixed) = value.text().split(',').find(|text| mix(text).is_some()) else { return };
    let message =
        format!("`{}`: of {} the first size is taken, as fio does", value.name(), shown(mixed));
    let warning = Diagnostic::new(&value.entry.value_place, message)
        .with_help("write a mix of sizes with bssplit");
    warnings.once(format!("mix {mixed}"), warning);
}

fn block_bytes(value: &Value<'_>, text: &str) -> Result<u64, Diagnostic> {
    value.int_of(text, 1, u64::from(u32::MAX))
}

/// Reads `LOW-HIGH` or `LOW:HIGH`, in either order.
fn range(
    value: &Value<'_>,
    text: &str,
    read: impl Fn(&Value<'_>, &str) -> Result<u64, Diagnostic>,
) -> Result<(u64, u64), Diagnostic> {
    let Some((low, high)) = text.split_once(['-', ':']) else {
        let reason = format!("{} is not a range", shown(text));
        return Err(value.error_help(reason, "write LOW-HIGH, as in 1k-4k"));
    };
    Ok(sorted(read(value, low)?, read(value, high)?))
}

fn sorted(one: u64, other: u64) -> (u64, u64) {
    (one.min(other), one.max(other))
}

fn names(value: &Value<'_>) -> Result<Vec<String>, Diagnostic> {
    let names = file_name::split(value.required()?);
    if names.is_empty() {
        return Err(value.error_help("no name is given", "separate names by colons"));
    }
    Ok(names)
}

fn file_service(value: &Value<'_>) -> Result<FileService, Diagnostic> {
    let text = value.required()?;
    let (kind, number) = text.split_once(':').unwrap_or((text, ""));
    let every = || match number {
        "" => Ok(1),
        number => value.int_of(number, 1, u64::from(u32::MAX)),
    };
    let float = |default: f64| match number {
        "" => Ok(default),
        number => value.float_of(number),
    };
    match kind {
        "roundrobin" => Ok(FileService::RoundRobin { every: every()? }),
        "random" => Ok(FileService::Random { every: every()? }),
        "sequential" => Ok(FileService::Sequential),
        "zipf" => Ok(FileService::Zipf(float(1.1)?)),
        "pareto" => Ok(FileService::Pareto(float(0.2)?)),
        "normal" | "gauss" => Ok(FileService::Normal(float(0.0)?)),
        _ => {
            let help = "write random, roundrobin, sequential, zipf, pareto or normal";
            Err(value.error_help(format!("{} is unknown", shown(kind)), help))
        }
    }
}
