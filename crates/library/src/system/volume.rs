//! Volumes over drives and other volumes, as nodes.

use super::cache_file::CacheFile;
use super::file::Volume;
use super::least::Accesses;
use super::plan::Plan;
use super::raid_file::RaidFile;
use super::tier_file::TierFile;
use engine::{narrow, saturated};
use fio::Diagnostic;
use iopath::machine::system::NodeSpec;
use iopath::volume::raid::{Fault, Layout, WriteLog};

/// A cache on a part of a volume holds so many times what its own writes below have in flight, or
/// as much as the real one: while some are written, as many more wait for their turn.
const LEAST_IN_FLIGHT: u64 = 2;

/// Share of a volume that a cache may hold before random accesses notice: at 0.37 % an array wrote
/// 0.8 % more at random than at 0.09 %, on the same part of it.
const CACHED: f64 = 0.001;

/// Programs that a block of a member is long at least, where a log is written over and over: the
/// stripes that hold it are the best victims as soon as they are full, and the rate goes up and
/// down with them. In blocks of one or two programs the members wait for each other at every turn
/// (random writes 10 % slower than in whole blocks), in blocks of three at some (3 %).
const LEAST_PROGRAMS: u32 = 4;

/// Adds the nodes of a volume, with what is on the path to it.
pub(super) fn add<'a>(plan: &mut Plan<'a>, volume: &'a Volume) -> Result<(), Diagnostic> {
    let name = volume.name.get_ref();
    let below = plan.parts(&volume.of)?;
    let top = match (&volume.raid, &volume.cache, &volume.tier) {
        (Some(file), None, None) => raid(plan, name, file, below)?,
        (None, Some(file), None) => cache(plan, volume, file, &below)?,
        (None, None, Some(file)) => tier(plan, volume, file, &below)?,
        _ => {
            let help = "give one of [volume.raid], [volume.cache] and [volume.tier]";
            return Err(wrong(plan, volume, format!("`{name}` is not one kind of volume"), help));
        }
    };
    let pipe = match &volume.at {
        Some(at) => plan.attached(at)?,
        None => None,
    };
    let top = plan.add_path(volume.path.as_ref(), pipe, top)?;
    plan.name(&volume.name, vec![top])
}

fn wrong(plan: &Plan<'_>, volume: &Volume, message: String, help: &str) -> Diagnostic {
    plan.names.source.wrong(volume.name.span().start, message, help)
}

/// The place of a new array over the nodes `below`.
fn raid(
    plan: &mut Plan<'_>,
    name: &str,
    file: &RaidFile,
    below: Vec<usize>,
) -> Result<usize, Diagnostic> {
    let config = file.config(&plan.names, name, narrow(below.len()))?;
    let (simulated, real): (Vec<u64>, Vec<u64>) =
        below.iter().map(|&node| plan.bytes(node)).unzip();
    let wrong = |fault: Fault| plan.names.source.wrong(file.level.at(), fault.message, fault.help);
    let mut warnings = config.check(&simulated).map_err(wrong)?;
    // Messages about sizes state the real ones.
    if let Ok(real) = config.check(&real) {
        warnings = real;
    }
    if config.log == WriteLog::PartialParity {
        let short = below.iter().find_map(|&node| short_blocks(plan, node));
        plan.require(name, Accesses::RandomWrites, short);
    }
    let bytes = |of: &[u64]| Layout::new(&config, of.iter().copied().min().unwrap_or(0)).capacity();
    let (simulated, real) = (bytes(&simulated), bytes(&real));
    plan.warn(name, warnings);
    let node = NodeSpec::Raid { config: Box::new(config), members: below };
    Ok(plan.push(node, simulated, real))
}

/// What share of a member is enough whose blocks are too short at this scale, and why.
fn short_blocks(plan: &Plan<'_>, node: usize) -> Option<(f64, String)> {
    let (simulated, real) = plan.bytes(node);
    let programs = plan.flash(node)?.geometry.programs();
    if simulated >= real || programs >= LEAST_PROGRAMS {
        return None;
    }
    let why = format!(
        "the blocks of its drives hold {programs} of their programs at this scale, and the log on \
         them is collected at other times than in whole blocks"
    );
    Some((plan.drives.share_with(LEAST_PROGRAMS), why))
}

/// The place of a new volume cache before the one node of `below`.
fn cache(
    plan: &mut Plan<'_>,
    volume: &Volume,
    file: &CacheFile,
    below: &[usize],
) -> Result<usize, Diagnostic> {
    let &[below] = below else {
        let help = "a cache in memory has one drive or volume behind it";
        return Err(wrong(plan, volume, format!("{} parts", below.len()), help));
    };
    let name = volume.name.get_ref();
    let mut config = file.config(&plan.names, name)?;
    let (simulated, real) = plan.bytes(below);
    let whole = config.bytes;
    // The cache shrinks with the device behind it.
    let bytes = u128::from(config.bytes) * u128::from(simulated) / u128::from(real.max(1));
    let in_flight = u64::from(config.depth).saturating_mul(u64::from(config.request));
    let least = in_flight.saturating_mul(LEAST_IN_FLIGHT).min(whole).min(simulated);
    config.bytes = saturated(bytes).max(least);
    let wrong = |fault: Fault| plan.names.source.wrong(file.size.at(), fault.message, fault.help);
    plan.warn(name, config.check(simulated).map_err(wrong)?);
    plan.require(name, Accesses::Random, too_large(config.bytes, simulated, whole, real));
    Ok(plan.push(NodeSpec::Cache { config: Box::new(config), below }, simulated, real))
}

/// A cache that shrinks less than the volume holds more of the part that is simulated: of what
/// share of the volume a cache of this size is no more than [`CACHED`], and why that matters.
fn too_large(bytes: u64, simulated: u64, whole: u64, real: u64) -> Option<(f64, String)> {
    let share = |bytes: u64, of: u64| bytes as f64 / of.max(1) as f64;
    let (here, there) = (share(bytes, simulated), share(whole, real));
    (here > CACHED && here > 2.0 * there).then(|| {
        let why = format!(
            "the cache holds {:.1} % of what is simulated and {:.2} % of the real volume",
            100.0 * here,
            100.0 * there
        );
        (share(bytes, real) / CACHED, why)
    })
}

/// The place of a new cache tier: the first node of `below` before the second.
fn tier(
    plan: &mut Plan<'_>,
    volume: &Volume,
    file: &TierFile,
    below: &[usize],
) -> Result<usize, Diagnostic> {
    let &[cache, backing] = below else {
        let help = "name the cache and then the device behind it: of = [\"fast\", \"slow\"]";
        return Err(wrong(plan, volume, format!("{} parts", below.len()), help));
    };
    let (fast, _) = plan.bytes(cache);
    let (simulated, real) = plan.bytes(backing);
    let config = file.config(&plan.names, volume.name.get_ref(), fast, simulated)?;
    config
        .check(fast, simulated)
        .map_err(|fault| plan.names.source.wrong(file.block.at(), fault.message, fault.help))?;
    Ok(plan.push(NodeSpec::Tier { config: Box::new(config), cache, backing }, simulated, real))
}
