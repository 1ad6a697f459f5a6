//! What likely keeps a drive from what it is rated for.

use crate::target;
use answer::spec::{SpecRow, SpecVerdict};
use metric::{Measurement, State};
use real::device::Device;
use real::{Conditions, Identity, System};

/// What is known of a target besides the numbers.
pub struct Target<'a> {
    /// The drive whose sheet it is.
    pub drive: &'a str,
    /// Each path with its drive, as they were before; empty of a model.
    pub looked: &'a [Looked],
    /// What its runs gave.
    pub measured: Vec<&'a Measurement>,
    /// States that the rows ask for.
    pub states: Vec<State>,
}

/// A path with its drive, and how that was before anything was measured.
pub struct Looked {
    identity: Identity,
    device: Option<Device>,
    conditions: Option<Conditions>,
}

impl Looked {
    /// As it is now.
    pub fn now((identity, device): (Identity, Option<Device>)) -> Self {
        let conditions = device.as_ref().map(|device| Conditions::of(&System::real(), device));
        Self { identity, device, conditions }
    }
}

/// Part of the capacity of a sheet's drive below which a target is another thing.
const SMALL: f64 = 0.5;

/// Bytes that a partition is aligned to at least: a mapping unit of most drives.
const ALIGNED: u64 = 4096;

/// The causes that were seen, the likeliest first; none if nothing is short.
pub fn causes(target: &Target<'_>, rows: &[SpecRow]) -> Vec<String> {
    let short: Vec<&SpecRow> =
        rows.iter().filter(|row| row.verdict == SpecVerdict::Short).collect();
    if short.is_empty() {
        return Vec::new();
    }
    let mut all = Vec::new();
    for Looked { identity, device, conditions } in target.looked {
        // Below a file others may lie on the drive, but its link is the same.
        all.extend(conditions.iter().flat_map(Conditions::concerns));
        all.extend(heat(target, conditions.as_ref()));
        all.extend(smaller(target.drive, identity));
        if let Some(start) = device.as_ref().and_then(|device| device.start())
            && !start.is_multiple_of(ALIGNED)
        {
            all.push(format!(
                "{}: it begins at byte {start}, which is no multiple of {ALIGNED}: each write \
                 touches one mapping unit more",
                identity.path
            ));
        }
        all.extend(of_file(target, identity));
    }
    if !target.looked.is_empty() {
        all.extend(compression(target.drive, &short));
    }
    let limits = short.iter().filter(|_| target.looked.is_empty());
    all.extend(limits.filter_map(|row| Some(format!("{}: {}", row.id, row.why.as_ref()?))));
    all.dedup();
    all
}

/// A drive that was nearly too warm while it was measured.
fn heat(target: &Target<'_>, conditions: Option<&Conditions>) -> Option<String> {
    let conditions = conditions?;
    let limit = conditions.celsius_warning?;
    let warmest = |measured: &&Measurement| Some(measured.metrics.get("temperature")?.value);
    let warmest = target.measured.iter().filter_map(warmest).fold(f64::MIN, f64::max);
    conditions.is_near_limit(warmest).then(|| {
        format!("it was at {warmest:.0} C, and its limit is {limit:.0} C: it may have throttled")
    })
}

/// A target that is a small part of what the sheet is about.
fn smaller(drive: &str, identity: &Identity) -> Option<String> {
    let model = target::model(drive, &[]).ok()?;
    let rated = model.lone_flash()?.drive.body.capacity.get().base() as f64;
    let own = identity.size_bytes as f64;
    (own < SMALL * rated).then(|| {
        let shown = |bytes| metric::show(metric::Dimension::Bytes, bytes);
        format!(
            "{} has {}, and the sheet is that of a drive of {}: what was written before and what \
             lies on the rest of the drive decide as well",
            identity.path,
            shown(own),
            shown(rated)
        )
    })
}

fn of_file(target: &Target<'_>, identity: &Identity) -> Option<String> {
    if identity.kind == "device" || identity.kind == "served drive" {
        return None;
    }
    let fresh = target.states.contains(&State::Fresh);
    let purge = match fresh {
        true => ", and a file cannot be purged: the drive below it is as used as it is",
        false => "",
    };
    let on = identity.file_system.as_deref().unwrap_or("a file system");
    Some(format!("{} is a file on {on}, which takes its part of each I/O{purge}", identity.path))
}

/// A drive that compresses is rated with data that can be compressed.
fn compression(drive: &str, short: &[&SpecRow]) -> Option<String> {
    let model = target::model(drive, &[]).ok()?;
    let compresses = model.lone_flash().is_some_and(|flash| flash.drive.compression.is_some());
    let writes = |row: &&SpecRow| row.test.contains("write") || row.metric.contains("write");
    (compresses && short.iter().any(writes)).then(|| {
        "the drive compresses, and its sheet may be of data that can be compressed: what is \
         written here cannot be, unless the row says so"
            .to_owned()
    })
}
