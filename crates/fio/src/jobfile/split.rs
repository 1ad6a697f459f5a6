//! `bssplit`: mixes of block sizes.

use super::value::{Value, Warnings};
use crate::diagnostic::Diagnostic;
use crate::number::shown;
use crate::workload::{PerDirection, SplitEntry};

/// Most sizes in one mix.
const ENTRIES_MAX: usize = 64;

/// Reads `SIZE/PERCENT:...` for up to three directions.
pub(super) fn parse(
    value: &Value<'_>,
    warnings: &mut Warnings,
) -> Result<PerDirection<Option<Vec<SplitEntry>>>, Diagnostic> {
    let mut result = [None, None, None];
    let parts = value.parts_by_direction(value.required()?)?;
    for (slot, part) in result.iter_mut().zip(parts) {
        if let Some(part) = part {
            *slot = Some(parse_one(value, part, warnings)?);
        }
    }
    Ok(result)
}

fn parse_one(
    value: &Value<'_>,
    text: &str,
    warnings: &mut Warnings,
) -> Result<Vec<SplitEntry>, Diagnostic> {
    let mut sizes: Vec<(u64, Option<u32>)> = Vec::new();
    for part in text.split(':').filter(|part| !part.trim().is_empty()) {
        let (size, percent) = part.split_once('/').unwrap_or((part, ""));
        let bytes = split_bytes(value, size.trim(), warnings)?;
        if bytes == 0 || bytes > u64::from(u32::MAX) {
            let reason = format!("{} is not a block size", shown(size));
            return Err(value.error_help(reason, "write a size from 1 byte to 4 GiB"));
        }
        let percent = match percent.trim() {
            "" => None,
            percent => Some(split_percent(value, percent, warnings)?),
        };
        sizes.push((bytes, percent));
    }
    if sizes.is_empty() || sizes.len() > ENTRIES_MAX {
        let reason = format!("{} has {} sizes", shown(text), sizes.len());
        return Err(value.error_help(reason, "write 1 to 64 sizes, as in 4k/60:64k/40"));
    }
    fill_shares(value, text, &sizes, warnings)
}

/// fio drops the fraction of a share; so does this, and says so.
fn split_percent(
    value: &Value<'_>,
    percent: &str,
    warnings: &mut Warnings,
) -> Result<u32, Diagnostic> {
    let (whole, fraction) = percent.split_once('.').unwrap_or((percent, ""));
    if percent.len() != whole.len() && fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        let message =
            format!("`bssplit`: {} percent is read as {whole}, as fio does", shown(percent));
        let warning = Diagnostic::new(&value.entry.value_place, message)
            .with_help("write whole numbers of percent");
        warnings.once("bssplit fraction", warning);
        return value.int_of(whole, 0, 100).map(|percent| percent as u32);
    }
    value.int_of(percent, 0, 100).map(|percent| percent as u32)
}

/// fio takes `20k-28k` for 20k; so does this, and says so.
fn split_bytes(value: &Value<'_>, size: &str, warnings: &mut Warnings) -> Result<u64, Diagnostic> {
    let Some((low, high)) = size.split_once('-').filter(|(low, _)| !low.is_empty()) else {
        return value.bytes_of(size);
    };
    value.bytes_of(high)?;
    let message = format!("`bssplit`: {} is read as `{low}`, as fio does", shown(size));
    let help = "give sizes, or use bsrange for a range";
    let warning = Diagnostic::new(&value.entry.value_place, message).with_help(help);
    warnings.once("bssplit range", warning);
    value.bytes_of(low)
}

/// Blank shares divide what the others leave; without blanks the last size takes the rest.
fn fill_shares(
    value: &Value<'_>,
    text: &str,
    sizes: &[(u64, Option<u32>)],
    warnings: &mut Warnings,
) -> Result<Vec<SplitEntry>, Diagnostic> {
    let given: u32 = sizes.iter().filter_map(|(_, percent)| *percent).sum();
    if given > 100 {
        let reason = format!("{} adds up to {given} %", shown(text));
        return Err(value.error_help(reason, "make the shares add up to 100"));
    }
    let blanks = sizes.iter().filter(|(_, percent)| percent.is_none()).count() as u32;
    let mut rest = 100 - given;
    let share = rest.checked_div(blanks).unwrap_or(0);
    let mut entries: Vec<SplitEntry> = Vec::new();
    for (bytes, percent) in sizes {
        let percent = percent.unwrap_or_else(|| {
            rest -= share;
            share
        });
        entries.push(SplitEntry { bytes: *bytes, percent });
    }
    if rest > 0
        && let Some(last) = entries.last_mut()
    {
        if blanks == 0 {
            let size = last.bytes;
            let message = format!(
                "`bssplit`: {} adds up to {given} %; the rest goes to {size} bytes, as in fio",
                shown(text)
            );
            let warning = Diagnostic::new(&value.entry.value_place, message)
                .with_help("make the shares add up to 100");
            warnings.once("bssplit rest", warning);
        }
        last.percent += rest;
    }
    Ok(entries)
}
