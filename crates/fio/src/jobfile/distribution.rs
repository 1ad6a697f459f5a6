//! `random_distribution`: how offsets spread.

use super::value::Value;
use crate::diagnostic::Diagnostic;
use crate::number::shown;
use crate::workload::{Distribution, PerDirection, Size, Zone};

/// Most zones of a zoned distribution, and most blocks of a sequence.
const ZONES_MAX: usize = 256;
/// fio's default where the number is left out.
const ZIPF_THETA: f64 = 1.1;
const PARETO_H: f64 = 0.2;

/// Reads one distribution for all directions, or one each separated by commas.
pub(super) fn parse(value: &Value<'_>) -> Result<PerDirection<Distribution>, Diagnostic> {
    let text = value.required()?;
    if let Some(list) = text.strip_prefix("sequence:") {
        // The commas of a sequence separate blocks, not directions.
        let sequence = sequence(value, list)?;
        return Ok([sequence.clone(), sequence.clone(), sequence]);
    }
    let (kind, zones) = text.split_once([':', '=']).unwrap_or((text, ""));
    let zoned = matches!(kind, "zoned" | "zoned_abs");
    let mut result = [Distribution::Uniform, Distribution::Uniform, Distribution::Uniform];
    let parts = value.parts_by_direction(if zoned { zones } else { text })?;
    for (slot, part) in result.iter_mut().zip(parts) {
        if let Some(part) = part {
            *slot = if zoned {
                // Only the first direction need repeat the name.
                let list = part.strip_prefix(kind).unwrap_or(part);
                self::zoned(value, list.trim_start_matches([':', '=']), kind == "zoned_abs")?
            } else {
                single(value, part)?
            };
        }
    }
    Ok(result)
}

fn single(value: &Value<'_>, text: &str) -> Result<Distribution, Diagnostic> {
    let mut parts = text.split(':').map(str::trim);
    let kind = parts.next().unwrap_or("");
    let number = parts.next().filter(|part| !part.is_empty());
    let number = number.map(|text| value.float_of(text)).transpose()?;
    let center = parts.next().map(|text| center(value, text)).transpose()?;
    if parts.next().is_some() {
        let reason = format!("{} has too many parts", shown(text));
        return Err(value.error_help(reason, "write NAME:NUMBER or NAME:NUMBER:CENTER"));
    }
    match kind {
        "random" => Ok(Distribution::Uniform),
        "zipf" => match number.unwrap_or(ZIPF_THETA) {
            theta if theta > 0.0 && theta != 1.0 => Ok(Distribution::Zipf { theta, center }),
            _ => Err(value.error_help(
                format!("{} has no valid theta", shown(text)),
                "theta must be greater than 0 and different from 1, as in zipf:1.2",
            )),
        },
        "pareto" => match number.unwrap_or(PARETO_H) {
            h if h > 0.0 && h < 1.0 => Ok(Distribution::Pareto { h, center }),
            _ => Err(value.error_help(
                format!("{} has no valid power", shown(text)),
                "the power must be between 0 and 1, as in pareto:0.2",
            )),
        },
        "normal" => match number.unwrap_or(0.0) {
            deviation_percent if (0.0..=100.0).contains(&deviation_percent) => {
                Ok(Distribution::Normal { deviation_percent, center: center.unwrap_or(0.5) })
            }
            _ => Err(value.error_help(
                format!("{} has no valid deviation", shown(text)),
                "the deviation must be between 0 and 100 percent, as in normal:20",
            )),
        },
        _ => Err(value.error_help(
            format!("{} is not a distribution", shown(text)),
            "write random, zipf:X, pareto:X, normal:X, zoned:A/R:..., zoned_abs:A/S:... \
             or sequence:N,...",
        )),
    }
}

fn center(value: &Value<'_>, text: &str) -> Result<f64, Diagnostic> {
    let center = value.float_of(text)?;
    if (0.0..=1.0).contains(&center) {
        Ok(center)
    } else {
        let reason = format!("the center {} is out of range", shown(text));
        Err(value.error_help(reason, "write a center from 0 to 1"))
    }
}

fn sequence(value: &Value<'_>, list: &str) -> Result<Distribution, Diagnostic> {
    let blocks: Vec<u64> = list
        .split(',')
        .map(|block| value.int_of(block.trim(), 0, i64::MAX as u64))
        .collect::<Result<_, _>>()?;
    Ok(Distribution::Sequence { blocks, stride: 0 })
}

/// Reads `ACCESS/EXTENT:...`; blanks divide what the others leave.
fn zoned(value: &Value<'_>, text: &str, absolute: bool) -> Result<Distribution, Diagnostic> {
    let parts: Vec<&str> = text.split(':').filter(|part| !part.trim().is_empty()).collect();
    if parts.is_empty() || parts.len() > ZONES_MAX {
        let reason = format!("{} zones", parts.len());
        return Err(value.error_help(reason, "write 1 to 256 zones, as in zoned:60/10:40/90"));
    }
    let mut access: Vec<Option<f64>> = Vec::new();
    let mut extents: Vec<Option<u64>> = Vec::new();
    for part in parts {
        let (share, extent) = part.split_once('/').unwrap_or((part, ""));
        let share = share.trim();
        access.push(match share {
            "" => None,
            share => Some(value.int_of(share, 0, 100)? as f64),
        });
        extents.push(match (extent.trim(), absolute) {
            ("", true) => {
                let reason = format!("{} has no size", shown(part));
                return Err(value.error_help(reason, "write SHARE/SIZE, as in 60/20g"));
            }
            ("", false) => None,
            (extent, true) => Some(value.bytes_of(extent)?),
            (extent, false) => Some(value.int_of(extent, 0, 100)?),
        });
    }
    let shares = fill(value, &access, "accesses", true)?;
    let zone = |access_percent: &f64, extent| Zone { access_percent: *access_percent, extent };
    if absolute {
        let sizes = extents.iter().map(|extent| Size::Bytes(extent.unwrap_or(0)));
        return Ok(Distribution::ZonedAbsolute(
            shares.iter().zip(sizes).map(|(share, size)| zone(share, size)).collect(),
        ));
    }
    let extents: Vec<Option<f64>> =
        extents.iter().map(|extent| extent.map(|percent| percent as f64)).collect();
    let spans = fill(value, &extents, "ranges", false)?;
    let zones = shares.iter().zip(spans);
    Ok(Distribution::Zoned(
        zones.map(|(share, span)| zone(share, Size::Percent(span as u64))).collect(),
    ))
}

/// Divides what is missing to 100 among the blanks. Without blanks the sum must be 100, or, if
/// `exact` is false, at most 100.
fn fill(
    value: &Value<'_>,
    parts: &[Option<f64>],
    what: &str,
    exact: bool,
) -> Result<Vec<f64>, Diagnostic> {
    let given: f64 = parts.iter().flatten().sum();
    let blanks = parts.iter().filter(|part| part.is_none()).count();
    if given > 100.0 || (exact && blanks == 0 && given != 100.0) {
        let reason = format!("the {what} add up to {given} %");
        return Err(value.error_help(reason, "make them add up to 100"));
    }
    let rest = 100.0 - given;
    let share =
        if exact { rest / blanks.max(1) as f64 } else { (rest / blanks.max(1) as f64).floor() };
    Ok(parts.iter().map(|part| part.unwrap_or(share)).collect())
}
