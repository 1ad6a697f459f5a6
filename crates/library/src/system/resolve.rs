//! From what a system file says to what will run, at a scale.
//!
//! All flash drives of a system shrink by the same share, so that volumes over them keep their
//! proportions. A system with a hard disk or 3D XPoint in it is simulated whole: those keep no
//! state for each unit that would have to be bounded.

use super::super::division::{self, Divided, Division};
use super::super::host_path::HostPath;
use super::super::jitter::Jitter;
use super::super::{Interface, Medium, Overrides, Scale, diagnose};
use super::drives::Drives;
use super::file::{DriveEntry, HostFile, SystemFile};
use super::members::{MOST as MOST_DRIVES, Member};
use super::names::Source;
use super::plan::Plan;
use super::resolved::ResolvedSystem;
use super::shown::Shown;
use super::volume;
use fio::Diagnostic;
use iopath::machine::system::{NodeSpec, SystemSpec};

const NAMESPACES_HELP: &str = "give fewer or smaller ones; together they take at most the drive";

/// A drive alone, or several of it side by side.
pub(super) fn lone(
    medium: &Medium,
    scale: Scale,
    overrides: &Overrides,
) -> Result<ResolvedSystem, Diagnostic> {
    let host = HostPath::default();
    let count = overrides.drives.unwrap_or(1);
    if count == 0 || u64::from(count) > MOST_DRIVES {
        let message = format!("{count} drives side by side");
        return Err(Diagnostic::new(&diagnose::place("drives", "", 0), message)
            .with_help(format!("give 1 to {MOST_DRIVES}")));
    }
    let scale = match count {
        1 => scale,
        _ => {
            let alike = [Member { medium: medium.clone(), count }];
            Scale::Share(Drives::new(&alike, scale, overrides).share)
        }
    };
    let drive_bytes = u64::from(count) * medium.capacity();
    let (node, scale, real_bytes) = leaf(medium, scale, overrides)?;
    if count == 1 && overrides.namespaces.is_none() {
        let spec = SystemSpec { nodes: vec![node], ..SystemSpec::default() };
        let devices = vec![real_bytes];
        return Ok(plain(spec, scale, (devices, drive_bytes), host));
    }
    let mut node = node;
    let divided = divided(&mut node, medium, real_bytes, overrides.namespaces.as_ref())
        .map_err(|why| wrong_division(&why))?;
    let simulated = match &node {
        NodeSpec::Flash(config) => config.user_bytes,
        _ => real_bytes,
    };
    let mut shown = Shown::default();
    for place in 0..count as usize {
        shown.add(place, place, (simulated, real_bytes), divided.as_ref());
    }
    let nodes = vec![node; count as usize];
    let spec = SystemSpec {
        nodes,
        devices: shown.specs,
        namespaces: shown.tables,
        ..SystemSpec::default()
    };
    Ok(plain(spec, scale, (shown.real, drive_bytes), host))
}

/// Drives without a volume: nothing to say of them.
fn plain(
    spec: SystemSpec,
    scale: f64,
    (devices, drive_bytes): (Vec<u64>, u64),
    host: HostPath,
) -> ResolvedSystem {
    let real_bytes = devices.iter().sum();
    let (warnings, least) = (Vec::new(), Vec::new());
    ResolvedSystem { spec, scale, real_bytes, devices, drive_bytes, host, warnings, least }
}

/// Namespaces of a drive that has any: flash behind NVMe.
fn divided(
    node: &mut NodeSpec,
    medium: &Medium,
    real: u64,
    division: Option<&Division>,
) -> Result<Option<Divided>, String> {
    let Some(division) = division else { return Ok(None) };
    match (node, medium.interface()) {
        (NodeSpec::Flash(config), Interface::Pcie { .. }) => {
            division::divide(config, real, division).map(Some)
        }
        _ => Err(format!("{}: only flash drives with NVMe have namespaces", medium.slug())),
    }
}

fn wrong_division(why: &str) -> Diagnostic {
    Diagnostic::new(&diagnose::place("namespaces", "", 0), why.to_owned())
        .with_help("say how many of the same size, or their sizes: `6` or `3 x 1 TB, 2 TB`")
}

/// One drive at a scale, its scale as it came out, and its real capacity.
fn leaf(
    medium: &Medium,
    scale: Scale,
    overrides: &Overrides,
) -> Result<(NodeSpec, f64, u64), Diagnostic> {
    Ok(match medium {
        Medium::Flash(model) => {
            let resolved = model.resolve(scale, overrides)?;
            let node = NodeSpec::Flash(Box::new(resolved.config));
            (node, resolved.scale, resolved.real_bytes)
        }
        Medium::Disk(model) => {
            (NodeSpec::Disk(Box::new(model.resolve(overrides)?)), 1.0, medium.capacity())
        }
        Medium::XPoint(model) => {
            (NodeSpec::XPoint(Box::new(model.resolve(overrides)?)), 1.0, medium.capacity())
        }
    })
}

/// A system of several drives and volumes.
pub(super) fn several(
    file: &SystemFile,
    members: &[Member],
    source: &Source<'_>,
    scale: Scale,
    overrides: &Overrides,
) -> Result<ResolvedSystem, Diagnostic> {
    let host = match &file.host {
        None => HostPath::default(),
        Some(said) => host_path(said, source)?,
    };
    if overrides.drives.is_some() {
        let message = "a system says itself how many drives it has".to_owned();
        return Err(Diagnostic::new(&diagnose::place("drives", "", 0), message)
            .with_help("name a single drive, or write a system file with as many"));
    }
    let drives = Drives::new(members, scale, overrides);
    let scale = Scale::Share(drives.share);
    let mut plan = Plan::new(file, source, drives);
    let lone = |entry: &DriveEntry| {
        let mut parts = file.volumes.iter().flat_map(|volume| &volume.of);
        !parts.any(|part| part.get_ref() == entry.name.get_ref())
    };
    if overrides.namespaces.is_some() && !file.drives.iter().any(lone) {
        return Err(wrong_division("every drive of the system is part of a volume"));
    }
    for (entry, member) in file.drives.iter().zip(members) {
        let (mut node, _, real_bytes) = leaf(&member.medium, scale, overrides)?;
        let own = entry.division();
        if let (Some(first), false) = (entry.namespaces.first(), lone(entry)) {
            let help = "leave out [[drive.namespace]], or the volume";
            let message = format!("`{}` is part of a volume", entry.name.get_ref());
            return Err(source.wrong(first.size.at(), message, help));
        }
        let asked = overrides.namespaces.as_ref().filter(|_| lone(entry));
        let divided = divided(&mut node, &member.medium, real_bytes, asked.or(own.as_ref()))
            .map_err(|why| match (asked, entry.namespaces.first()) {
                (None, Some(first)) => source.wrong(first.size.at(), why, NAMESPACES_HELP),
                _ => wrong_division(&why),
            })?;
        plan.add_drives(entry, node, member.count, real_bytes, &host, divided)?;
    }
    for volume in &file.volumes {
        volume::add(&mut plan, volume)?;
    }
    plan.finish(host)
}

/// What the host's software costs, as a system says.
fn host_path(said: &HostFile, source: &Source<'_>) -> Result<HostPath, Diagnostic> {
    let complete = *said.complete.get();
    let jitter = match &said.jitter {
        None => Jitter::linux(complete),
        Some(jitter) => jitter.get().clone(),
    };
    if let (Some(said), true) = (&said.jitter, jitter.mean() > complete) {
        let mean = jitter.mean();
        let message = format!("the jitter has a mean of {mean}, the whole delay only {complete}");
        let help = "`complete` is the mean with the jitter in it; give more, or less jitter";
        return Err(source.wrong(said.at(), message, help));
    }
    Ok(HostPath { submit: *said.submit.get(), complete, jitter })
}
