//! A drive divided into namespaces: their sizes as written, and as resolved.

use engine::{Bytes, saturated};
use iopath::device::flash::config::DriveConfig;
use iopath::device::flash::drive::{MOST_NAMESPACES, Namespaces};
use std::str::FromStr;

/// Least share of a drive that its namespaces hold together: with more spare than that the flash
/// behind them is hardly written, and capacity that is given up ends there too.
const LEAST_SHARE: f64 = 0.05;

/// The namespaces that a drive is divided into.
///
/// A namespace is a whole number of mapping units; a size that is none is cut to one, as a drive
/// states its granularity (NVMe 2.0, Namespace Granularity List). What none of them holds is spare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Division {
    /// So many of the same size, which together are the whole drive.
    Equal(u32),
    /// These, in their order: how many, and bytes of each.
    Sizes(Vec<(u32, Bytes)>),
}

impl FromStr for Division {
    type Err = String;

    /// Reads `6`, or `3 x 1 TB, 2 TB`.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(count) = text.trim().parse::<u32>() {
            let division = Division::Equal(count);
            division.check()?;
            return Ok(division);
        }
        let one = |part: &str| -> Result<(u32, Bytes), String> {
            let (count, size) = part.split_once(['x', '\u{d7}']).unwrap_or(("1", part));
            let count: u32 = count.trim().parse().map_err(|_| {
                format!("`{}` is not a number of namespaces, such as `3 x 1 TB`", count.trim())
            })?;
            let size: Bytes = size.parse().map_err(|error: engine::UnitError| error.to_string())?;
            Ok((count, size))
        };
        let parts: Result<Vec<(u32, Bytes)>, String> = text.split(',').map(one).collect();
        let division = Division::Sizes(parts?);
        division.check()?;
        Ok(division)
    }
}

impl std::fmt::Display for Division {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Division::Equal(count) => write!(f, "{count}"),
            Division::Sizes(sizes) => {
                let text = |(count, size): &(u32, Bytes)| match count {
                    1 => decimal(*size),
                    _ => format!("{count} x {}", decimal(*size)),
                };
                f.write_str(&sizes.iter().map(text).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl Division {
    /// Number of namespaces.
    pub fn count(&self) -> u64 {
        match self {
            Division::Equal(count) => u64::from(*count),
            Division::Sizes(sizes) => sizes.iter().map(|(count, _)| u64::from(*count)).sum(),
        }
    }

    /// What is wrong with it on any drive.
    fn check(&self) -> Result<(), String> {
        let most = MOST_NAMESPACES as u64;
        match self.count() {
            0 => return Err("no namespaces: a drive has at least one".to_owned()),
            count if count > most => {
                return Err(format!(
                    "{count} namespaces: a drive has at most {most} (NVMe lets it state how many; \
                     enterprise drives of 2021 state 128 or fewer)"
                ));
            }
            _ => {}
        }
        match self {
            Division::Sizes(sizes)
                if sizes.iter().any(|(count, size)| *count == 0 || size.base() == 0) =>
            {
                Err("a namespace of no size, or none of a size".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Real bytes of each namespace on a drive of `real` bytes with mapping units of `unit`.
    ///
    /// # Errors
    /// If they do not fit, or hold less than 5 % of the drive.
    pub fn sizes(&self, real: u64, unit: u64) -> Result<Vec<u64>, String> {
        self.check()?;
        let unit = unit.max(1);
        let mut all = Vec::new();
        match self {
            Division::Equal(count) => {
                let each = real / u64::from(*count) / unit * unit;
                all.resize(*count as usize, each);
            }
            Division::Sizes(sizes) => {
                for (count, size) in sizes {
                    let wanted = size.base() / unit * unit;
                    all.extend(std::iter::repeat_n(wanted, *count as usize));
                }
            }
        }
        if all.contains(&0) {
            return Err(format!("a namespace smaller than a mapping unit of {unit} bytes"));
        }
        let total = all.iter().fold(0_u64, |sum, bytes| sum.saturating_add(*bytes));
        if total > real {
            return Err(format!(
                "the namespaces take {}, and the drive has {}: {} too much",
                in_words(total),
                in_words(real),
                in_words(total - real)
            ));
        }
        if (total as f64) < LEAST_SHARE * real as f64 {
            return Err(format!(
                "the namespaces take {} of {}: less than 5 %",
                in_words(total),
                in_words(real)
            ));
        }
        Ok(all)
    }
}

/// A size in the units in which capacities are sold, where it is a whole number of them.
fn decimal(size: Bytes) -> String {
    const UNITS: [(u64, &str); 2] = [(1_000_000_000_000, "TB"), (1_000_000_000, "GB")];
    match UNITS.into_iter().find(|(unit, _)| size.base().is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{} {name}", size.base() / unit),
        None => size.to_string(),
    }
}

fn in_words(bytes: u64) -> String {
    metric::show(metric::Dimension::Bytes, bytes as f64)
}

/// A drive that was divided.
#[derive(Clone, Debug)]
pub(super) struct Divided {
    /// Its namespaces as simulated, all attached.
    pub table: Namespaces,
    /// Real bytes of each.
    pub real: Vec<u64>,
}

/// Divides a resolved drive of `real` bytes; what no namespace holds becomes its spare.
///
/// # Errors
/// What [`Division::sizes`] finds.
pub(super) fn divide(
    config: &mut DriveConfig,
    real: u64,
    division: &Division,
) -> Result<Divided, String> {
    let unit = config.unit_bytes();
    let sizes = division.sizes(real, unit)?;
    let whole = config.user_bytes / unit * unit;
    let simulated = |bytes: u64| {
        let share = saturated(u128::from(bytes) * u128::from(whole) / u128::from(real.max(1)));
        // Rounding to whole blocks is not a scale.
        let bytes = if whole + unit > real { bytes } else { share / unit * unit };
        bytes.max(unit)
    };
    let all: Vec<u64> = sizes.iter().map(|bytes| simulated(*bytes)).collect();
    let used: u64 = all.iter().sum();
    if used > config.user_bytes {
        return Err("namespaces of a few mapping units are too small for this scale".to_owned());
    }
    let mut table = Namespaces::new(used, unit);
    for bytes in all {
        let made = table.create(bytes).and_then(|number| table.attach(number));
        made.map_err(|fault| format!("a namespace of {bytes} bytes is refused: {fault:?}"))?;
    }
    config.user_bytes = used;
    config.check()?;
    Ok(Divided { table, real: sizes })
}
