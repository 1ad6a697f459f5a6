//! Volumes over drives and other volumes, as nodes.

use super::file::Volume;
use super::resolve::Plan;
use fio::Diagnostic;
use iopath::raid::Layout;
use iopath::system::NodeSpec;

/// Adds the node of a volume; returns its place.
pub(super) fn add<'a>(plan: &mut Plan<'a>, volume: &'a Volume) -> Result<usize, Diagnostic> {
    let at = volume.name.span().start;
    let name = volume.name.get_ref();
    let below = plan.parts(&volume.of)?;
    match (&volume.raid, &volume.cache, &volume.tier) {
        (Some(raid), None, None) => {
            let config = raid.config(plan, name, below.len() as u32)?;
            let (simulated, real): (Vec<u64>, Vec<u64>) =
                below.iter().map(|&node| plan.bytes(node)).unzip();
            let wrong = |fault: iopath::raid::Fault| {
                plan.source.wrong(raid.level.at(), fault.message, fault.help)
            };
            let mut told = config.check(&simulated).map_err(wrong)?;
            // What is told of sizes is told of the real ones.
            if let Ok(real) = config.check(&real) {
                told = real;
            }
            let bytes =
                |of: &[u64]| Layout::new(&config, of.iter().copied().min().unwrap_or(0)).capacity();
            let (simulated, real) = (bytes(&simulated), bytes(&real));
            plan.tell(name, told);
            Ok(plan.push(
                NodeSpec::Raid { config: Box::new(config), members: below },
                simulated,
                real,
            ))
        }
        (None, Some(cache), None) => {
            let [below] = below[..] else {
                let help = "a cache in memory stands over one drive or volume";
                return Err(plan.source.wrong(at, format!("{} parts", below.len()), help));
            };
            let mut config = cache.config(plan, name)?;
            let (simulated, real) = plan.bytes(below);
            // What a cache holds shrinks with what it stands before.
            let bytes = u128::from(config.bytes) * u128::from(simulated) / u128::from(real.max(1));
            // A small cache gathers fewer whole stripes than the real one. One of a 64th of the
            // volume does not, and holds too little of it to be hit more.
            let enough = config.bytes.min(simulated / 64);
            config.bytes = (bytes as u64).max(enough);
            let wrong = |fault: iopath::raid::Fault| {
                plan.source.wrong(cache.size.at(), fault.message, fault.help)
            };
            let told = config.check(simulated).map_err(wrong)?;
            plan.tell(name, told);
            Ok(plan.push(NodeSpec::Cache { config: Box::new(config), below }, simulated, real))
        }
        (None, None, Some(tier)) => {
            let [cache, backing] = below[..] else {
                let help =
                    "name the cache and then what it stands before: of = [\"fast\", \"slow\"]";
                return Err(plan.source.wrong(at, format!("{} parts", below.len()), help));
            };
            let (fast, _) = plan.bytes(cache);
            let (simulated, real) = plan.bytes(backing);
            let config = tier.config(plan, name, fast, simulated)?;
            config
                .check(fast, simulated)
                .map_err(|fault| plan.source.wrong(tier.block.at(), fault.message, fault.help))?;
            Ok(plan.push(
                NodeSpec::Tier { config: Box::new(config), cache, backing },
                simulated,
                real,
            ))
        }
        _ => {
            let message = format!("`{name}` is not one kind of volume");
            let help = "give one of [volume.raid], [volume.cache] and [volume.tier]";
            Err(plan.source.wrong(at, message, help))
        }
    }
}
