//! From what a system file says to what will run, at a scale.
//!
//! All flash drives of a system shrink by the same share, so that volumes over them keep their
//! proportions. A system with a hard disk or 3D XPoint in it is simulated whole: those keep no
//! state for each unit that would have to be bounded.

use super::super::division::{self, Divided, Division};
use super::super::resolve::HostPath;
use super::super::{Interface, Medium, Overrides, Scale, diagnose};
use super::file::{DriveEntry, PathFile, SystemFile};
use super::members::{MOST as MOST_DRIVES, Member};
use engine::{Bytes, Duration};
use fio::Diagnostic;
use iopath::drive::Namespaces;
use iopath::path::PathConfig;
use iopath::shared::PipeConfig;
use iopath::system::{DeviceSpec, NodeSpec, SystemSpec};
use metric::hint;
use std::collections::BTreeMap;
use toml::Spanned;

const NAMESPACES_HELP: &str = "give fewer or smaller ones; together they take at most the drive";

/// Step in which a share is made larger until it is possible.
const SHARE_STEP: f64 = 1.05;

/// A drive or system that can be built.
#[derive(Clone, Debug)]
pub struct ResolvedSystem {
    /// The nodes at the scale.
    pub spec: SystemSpec,
    /// Simulated over real bytes; 1 if everything is simulated whole.
    pub scale: f64,
    /// Bytes that the host sees in reality, after what was given up: of all devices together.
    pub real_bytes: u64,
    /// The same of each device, in the order of the host.
    pub devices: Vec<u64>,
    /// What the host's software costs.
    pub host: HostPath,
    /// What the user should know although it works.
    pub warnings: Vec<String>,
}

/// The text of a file, for errors.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    /// The file as it is named.
    pub place: &'a str,
    /// What it says.
    pub text: &'a str,
}

impl Source<'_> {
    pub(super) fn wrong(
        &self,
        at: usize,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Diagnostic {
        let place = diagnose::place(self.place, self.text, at);
        Diagnostic::new(&place, message.into()).with_help(help.into())
    }
}

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
        _ => Scale::Share(share(&[Member { medium: medium.clone(), count }], scale, overrides)),
    };
    let (node, scale, real_bytes) = leaf(medium, scale, overrides)?;
    if count == 1 && overrides.namespaces.is_none() {
        let spec = SystemSpec { nodes: vec![node], ..SystemSpec::default() };
        let devices = vec![real_bytes];
        return Ok(ResolvedSystem { spec, scale, real_bytes, devices, host, warnings: Vec::new() });
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
    let real_bytes = shown.real.iter().sum();
    Ok(ResolvedSystem { spec, scale, real_bytes, devices: shown.real, host, warnings: Vec::new() })
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

/// What the host sees, as it is put together.
#[derive(Default)]
struct Shown {
    specs: Vec<DeviceSpec>,
    tables: BTreeMap<usize, Namespaces>,
    real: Vec<u64>,
}

impl Shown {
    /// Adds what a node shows: itself, or the namespaces of the drive at `drive` below it. `bytes`
    /// are those of the node as simulated, and in reality.
    fn add(&mut self, node: usize, drive: usize, bytes: (u64, u64), divided: Option<&Divided>) {
        let Some(divided) = divided else {
            self.specs.push(DeviceSpec { node, namespace: 0, start: 0, bytes: bytes.0 });
            self.real.push(bytes.1);
            return;
        };
        for (namespace, held, _) in divided.table.iter() {
            let (start, bytes) = (held.start, held.bytes);
            self.specs.push(DeviceSpec { node, namespace, start, bytes });
        }
        self.tables.insert(drive, divided.table.clone());
        self.real.extend(&divided.real);
    }
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
        Some(said) => HostPath { submit: *said.submit.get(), complete: *said.complete.get() },
    };
    if overrides.drives.is_some() {
        let message = "a system says itself how many drives it has".to_owned();
        return Err(Diagnostic::new(&diagnose::place("drives", "", 0), message)
            .with_help("name a single drive, or write a system file with as many"));
    }
    let mut plan = Plan::new(file, source);
    let scale = Scale::Share(share(members, scale, overrides));
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
        plan.add_volume(volume)?;
    }
    plan.finish(host)
}

/// The share of the flash that fits the scale, or the least share that its drives can be
/// simulated at, if that is larger: many large drives together need more units than one.
fn share(members: &[Member], scale: Scale, overrides: &Overrides) -> f64 {
    let flash = || {
        members.iter().filter_map(|member| match &member.medium {
            Medium::Flash(model) => Some((model, member)),
            _ => None,
        })
    };
    let most = match scale {
        _ if flash().count() < members.len() => return 1.0,
        Scale::Share(share) => return share,
        Scale::Bytes(bytes) => {
            let of = |(_, member): (_, &Member)| u64::from(member.count) * member.medium.capacity();
            return (bytes as f64 / flash().map(of).sum::<u64>().max(1) as f64).min(1.0);
        }
        Scale::Units(most) => most,
    };
    let units = flash().map(|(model, member)| {
        let unit = model.drive.ftl.unit.get().base().max(1);
        u64::from(member.count) * (member.medium.capacity() / unit)
    });
    let mut share = (most as f64 / units.sum::<u64>().max(1) as f64).min(1.0);
    let possible =
        |share| flash().all(|(model, _)| model.resolve(Scale::Share(share), overrides).is_ok());
    while share < 1.0 && !possible(share) {
        share = (share * SHARE_STEP).min(1.0);
    }
    share
}

/// The nodes as they are put together.
pub(super) struct Plan<'a> {
    file: &'a SystemFile,
    /// For errors.
    pub source: &'a Source<'a>,
    spec: SystemSpec,
    /// Capacity of each node as simulated, and in reality.
    bytes: Vec<(u64, u64)>,
    /// Nodes by the names of the file.
    named: BTreeMap<&'a str, Vec<usize>>,
    warnings: Vec<String>,
    /// Names that no volume uses yet, with their places.
    unused: BTreeMap<&'a str, usize>,
    /// Namespaces by the node that commands for them go to, and the place of the drive.
    divided: BTreeMap<usize, (usize, Divided)>,
}

impl<'a> Plan<'a> {
    fn new(file: &'a SystemFile, source: &'a Source<'a>) -> Self {
        let mut spec = SystemSpec::default();
        for attachment in &file.attachments {
            let Some(upstream) = &attachment.upstream else { continue };
            let payload = attachment.payload.as_ref().map_or(Bytes::from_base(256), |p| *p.get());
            let rate = upstream.get().bandwidth(payload);
            spec.pipes.push(PipeConfig { down: rate, up: rate });
        }
        spec.pools = file.processors.iter().map(|p| p.cores.get().number.max(1)).collect();
        let (named, unused) = (BTreeMap::new(), BTreeMap::new());
        let (bytes, warnings) = (Vec::new(), Vec::new());
        let divided = BTreeMap::new();
        Plan { file, source, spec, bytes, named, warnings, unused, divided }
    }

    /// The pipe of an attachment, if it has one: its own, or that of the one it shares with.
    fn pipe(&self, name: &str) -> Result<Option<usize>, Diagnostic> {
        let own = |name: &str| {
            let behind = self.file.attachments.iter().filter(|a| a.upstream.is_some());
            behind.map(|a| a.name.get_ref()).position(|known| known == name)
        };
        let said = self.file.attachments.iter().find(|a| a.name.get_ref() == name);
        let Some(other) = said.and_then(|attachment| attachment.shares.as_ref()) else {
            return Ok(own(name));
        };
        let known = self.file.attachments.iter().filter(|a| a.upstream.is_some());
        let known = known.map(|a| a.name.get_ref().as_str());
        own(other.get_ref()).map(Some).ok_or_else(|| {
            let message = format!("no attachment with a link is called `{}`", other.get_ref());
            let help = hint("attachments", other.get_ref(), known);
            self.source.wrong(other.span().start, message, help)
        })
    }

    /// The pipe of an attachment that must be there.
    fn attached(&self, name: &Spanned<String>) -> Result<Option<usize>, Diagnostic> {
        let known = || self.file.attachments.iter().map(|a| a.name.get_ref().as_str());
        if known().any(|other| other == name.get_ref()) {
            return self.pipe(name.get_ref());
        }
        let message = format!("no attachment is called `{}`", name.get_ref());
        let help = hint("attachments", name.get_ref(), known());
        Err(self.source.wrong(name.span().start, message, help))
    }

    /// The place of a processor.
    pub(super) fn pool(&self, name: &Spanned<String>) -> Result<usize, Diagnostic> {
        let known = || self.file.processors.iter().map(|p| p.name.get_ref().as_str());
        known().position(|other| other == name.get_ref()).ok_or_else(|| {
            let message = format!("no processor is called `{}`", name.get_ref());
            self.source.wrong(
                name.span().start,
                message,
                hint("processors", name.get_ref(), known()),
            )
        })
    }

    /// Notes what the user should know of a volume.
    pub(super) fn tell(&mut self, name: &str, told: Vec<String>) {
        self.warnings.extend(told.into_iter().map(|text| format!("`{name}`: {text}")));
    }

    /// A size of less than 4 GiB.
    pub(super) fn small(
        &self,
        value: &super::super::Sourced<Bytes>,
        what: &str,
    ) -> Result<u32, Diagnostic> {
        u32::try_from(value.get().base()).map_err(|_| {
            let message = format!("{what} of {}", value.get());
            self.source.wrong(value.at(), message, "give less than 4 GiB")
        })
    }

    /// Adds a node of so many bytes, simulated and real.
    pub(super) fn push(&mut self, node: NodeSpec, simulated: u64, real: u64) -> usize {
        self.spec.nodes.push(node);
        self.bytes.push((simulated, real));
        self.spec.nodes.len() - 1
    }

    /// Capacity of a node as simulated, and in reality.
    pub(super) fn bytes(&self, node: usize) -> (u64, u64) {
        self.bytes[node]
    }

    /// Puts a way before a node, if there is anything on it.
    pub(super) fn add_path(
        &mut self,
        said: Option<&PathFile>,
        pipe: Option<usize>,
        below: usize,
    ) -> Result<usize, Diagnostic> {
        if said.is_none() && pipe.is_none() {
            return Ok(below);
        }
        let time = |value: Option<&super::super::Sourced<Duration>>| {
            value.map_or(Duration::ZERO, |value| *value.get())
        };
        let mut config = PathConfig { pipes: pipe.into_iter().collect(), ..PathConfig::default() };
        if let Some(said) = said {
            config.submit = time(said.submit.as_ref());
            config.complete = time(said.complete.as_ref());
            config.processor = match (&said.processor, &said.cost) {
                (Some(name), Some(cost)) => Some((self.pool(name)?, *cost.get())),
                (None, None) => None,
                (Some(name), None) => {
                    let message = "a processor without a cost";
                    let help = "say what each command costs: cost = { value = \"2 us\", .. }";
                    return Err(self.source.wrong(name.span().start, message, help));
                }
                (None, Some(cost)) => {
                    let help = "name one of the [[processor]] entries: processor = \"cpu\"";
                    return Err(self.source.wrong(cost.at(), "a cost without a processor", help));
                }
            };
        }
        let (simulated, real) = self.bytes[below];
        Ok(self.push(NodeSpec::Path { config, below }, simulated, real))
    }

    /// Gives nodes a name that volumes can use.
    fn name(&mut self, name: &'a Spanned<String>, nodes: Vec<usize>) -> Result<(), Diagnostic> {
        if self.named.insert(name.get_ref(), nodes).is_some() {
            let message = format!("two parts are called `{}`", name.get_ref());
            return Err(self.source.wrong(name.span().start, message, "give each its own name"));
        }
        self.unused.insert(name.get_ref(), name.span().start);
        Ok(())
    }

    fn add_drives(
        &mut self,
        entry: &'a DriveEntry,
        node: NodeSpec,
        count: u32,
        real: u64,
        host: &HostPath,
        divided: Option<Divided>,
    ) -> Result<(), Diagnostic> {
        let mut node = node;
        let (link, simulated) = match &mut node {
            NodeSpec::Flash(config) => (&mut config.link, config.user_bytes),
            NodeSpec::Disk(config) => (&mut config.link, real),
            NodeSpec::XPoint(config) => (&mut config.link, real),
            _ => return Ok(()),
        };
        link.completion_latency = host.complete;
        let pipe = match &entry.at {
            Some(at) => self.pipe(at.get_ref())?,
            None => None,
        };
        let mut nodes = Vec::new();
        for _ in 0..count {
            let drive = self.push(node.clone(), simulated, real);
            let way = self.add_path(entry.path.as_ref(), pipe, drive)?;
            if let Some(divided) = &divided {
                self.divided.insert(way, (drive, divided.clone()));
            }
            nodes.push(way);
        }
        self.name(&entry.name, nodes)
    }

    /// The nodes of the parts that a volume is made of.
    pub(super) fn parts(&mut self, names: &[Spanned<String>]) -> Result<Vec<usize>, Diagnostic> {
        let mut nodes = Vec::new();
        for name in names {
            let Some(found) = self.named.get(name.get_ref().as_str()) else {
                let known = self.named.keys().copied();
                let message = format!(
                    "no drive or volume before this one is called `{name}`",
                    name = name.get_ref()
                );
                let help = hint("parts", name.get_ref(), known);
                return Err(self.source.wrong(name.span().start, message, help));
            };
            if self.unused.remove(name.get_ref().as_str()).is_none() {
                let message = format!("`{}` is a part of two volumes", name.get_ref());
                let help = "a drive or volume lies under one volume at most";
                return Err(self.source.wrong(name.span().start, message, help));
            }
            nodes.extend(found);
        }
        Ok(nodes)
    }

    fn add_volume(&mut self, volume: &'a super::file::Volume) -> Result<(), Diagnostic> {
        let top = super::volume::add(self, volume)?;
        let pipe = match &volume.at {
            Some(at) => self.attached(at)?,
            None => None,
        };
        let top = self.add_path(volume.path.as_ref(), pipe, top)?;
        self.name(&volume.name, vec![top])
    }

    /// Every drive and volume that no volume uses is a device, in the order of the file.
    fn finish(self, host: HostPath) -> Result<ResolvedSystem, Diagnostic> {
        let mut tops: Vec<(usize, &str)> =
            self.unused.iter().map(|(name, at)| (*at, *name)).collect();
        tops.sort_unstable();
        if tops.is_empty() {
            let help = "list at least one [[drive]]";
            return Err(self.source.wrong(0, "a system without drives", help));
        }
        let mut shown = Shown::default();
        for &node in tops.iter().flat_map(|(_, name)| &self.named[name]) {
            let divided = self.divided.get(&node);
            let drive = divided.map_or(node, |(drive, _)| *drive);
            shown.add(node, drive, self.bytes[node], divided.map(|(_, divided)| divided));
        }
        let simulated: u64 = shown.specs.iter().map(|device| device.bytes).sum();
        let real_bytes: u64 = shown.real.iter().sum();
        let scale = simulated as f64 / real_bytes.max(1) as f64;
        // Rounding to whole blocks is no scale.
        let scale = if (scale - 1.0).abs() < 0.02 { 1.0 } else { scale };
        let mut spec = self.spec;
        // One device that is the last node as a whole need not be said.
        if shown.specs.len() > 1 || !shown.tables.is_empty() {
            (spec.devices, spec.namespaces) = (shown.specs, shown.tables);
        }
        let devices = shown.real;
        Ok(ResolvedSystem { spec, scale, real_bytes, devices, host, warnings: self.warnings })
    }
}
