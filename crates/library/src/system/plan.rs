//! The nodes of a system as they are put together.

use super::super::division::Divided;
use super::super::host_path::HostPath;
use super::super::sourced::Sourced;
use super::drives::Drives;
use super::file::{DriveEntry, PathFile, SystemFile};
use super::least::{Accesses, Least};
use super::names::{Names, Source};
use super::resolved::ResolvedSystem;
use super::shown::Shown;
use engine::{Bytes, Duration};
use fio::Diagnostic;
use iopath::device::flash::config::DriveConfig;
use iopath::host::path::PathConfig;
use iopath::kernel::shared::PipeConfig;
use iopath::machine::system::{NodeSpec, SystemSpec};
use metric::hint;
use std::collections::BTreeMap;
use toml::Spanned;

/// What rounding to superblocks may take from a share.
const MARGIN: f64 = 1.03;

/// The nodes as they are put together.
pub(super) struct Plan<'a> {
    file: &'a SystemFile,
    /// What the file names.
    pub names: Names<'a>,
    spec: SystemSpec,
    /// Capacity of each node as simulated, and in reality.
    bytes: Vec<(u64, u64)>,
    /// Nodes by the names of the file.
    named: BTreeMap<&'a str, Vec<usize>>,
    warnings: Vec<String>,
    least: Vec<Least>,
    /// The drives, whose flash is simulated at a share.
    pub drives: Drives<'a>,
    /// Names that no volume uses yet, with their places.
    unused: BTreeMap<&'a str, usize>,
    /// Namespaces by the node that commands for them go to, and the place of the drive.
    divided: BTreeMap<usize, (usize, Divided)>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(file: &'a SystemFile, source: &'a Source<'a>, drives: Drives<'a>) -> Self {
        let mut spec = SystemSpec::default();
        for attachment in &file.attachments {
            let Some(upstream) = &attachment.upstream else { continue };
            let payload = attachment.payload.as_ref().map_or(Bytes::from_base(256), |p| *p.get());
            let rate = upstream.get().bandwidth(payload);
            spec.pipes.push(PipeConfig { down: rate, up: rate });
        }
        spec.pools = file.processors.iter().map(|p| p.cores.get().number.max(1)).collect();
        let (named, unused) = (BTreeMap::new(), BTreeMap::new());
        let (bytes, warnings, least) = (Vec::new(), Vec::new(), Vec::new());
        let divided = BTreeMap::new();
        let processors = file.processors.iter().map(|p| p.name.get_ref().as_str()).collect();
        let names = Names { source, processors };
        Plan { file, names, spec, bytes, named, warnings, least, drives, unused, divided }
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
            self.names.source.wrong(other.span().start, message, help)
        })
    }

    /// The pipe of an attachment that must be there.
    pub(super) fn attached(&self, name: &Spanned<String>) -> Result<Option<usize>, Diagnostic> {
        let known = || self.file.attachments.iter().map(|a| a.name.get_ref().as_str());
        if known().any(|other| other == name.get_ref()) {
            return self.pipe(name.get_ref());
        }
        let message = format!("no attachment is called `{}`", name.get_ref());
        let help = hint("attachments", name.get_ref(), known());
        Err(self.names.source.wrong(name.span().start, message, help))
    }

    /// Notes what the user should know of a volume.
    pub(super) fn warn(&mut self, name: &str, warnings: Vec<String>) {
        self.warnings.extend(warnings.into_iter().map(|text| format!("`{name}`: {text}")));
    }

    /// Notes accesses that a volume is too small for: what share of it is enough, and what differs.
    pub(super) fn require(&mut self, name: &str, accesses: Accesses, short: Option<(f64, String)>) {
        let Some((share, why)) = short else { return };
        let share = (share * MARGIN).min(1.0);
        let bytes = share * self.drives.bytes() as f64;
        self.least.push(Least { accesses, share, bytes, why: format!("`{name}`: {why}") });
    }

    /// Adds a node of this size, simulated and real.
    pub(super) fn push(&mut self, node: NodeSpec, simulated: u64, real: u64) -> usize {
        self.spec.nodes.push(node);
        self.bytes.push((simulated, real));
        self.spec.nodes.len() - 1
    }

    /// Capacity of a node as simulated, and in reality.
    pub(super) fn bytes(&self, node: usize) -> (u64, u64) {
        self.bytes[node]
    }

    /// The flash drive that a node is, or leads to by a path.
    pub(super) fn flash(&self, node: usize) -> Option<&DriveConfig> {
        self.spec.flash_below(node).next()
    }

    /// Puts a path before a node, if there is anything on it.
    pub(super) fn add_path(
        &mut self,
        said: Option<&PathFile>,
        pipe: Option<usize>,
        below: usize,
    ) -> Result<usize, Diagnostic> {
        if said.is_none() && pipe.is_none() {
            return Ok(below);
        }
        let time =
            |value: Option<&Sourced<Duration>>| value.map_or(Duration::ZERO, |value| *value.get());
        let mut config = PathConfig { pipes: pipe.into_iter().collect(), ..PathConfig::default() };
        if let Some(said) = said {
            config.submit = time(said.submit.as_ref());
            config.complete = time(said.complete.as_ref());
            config.processor = match (&said.processor, &said.cost) {
                (Some(name), Some(cost)) => Some((self.names.pool(name)?, *cost.get())),
                (None, None) => None,
                (Some(name), None) => {
                    let message = "a processor without a cost";
                    let help = "say what each command costs: cost = { value = \"2 us\", .. }";
                    return Err(self.names.source.wrong(name.span().start, message, help));
                }
                (None, Some(cost)) => {
                    let help = "name one of the [[processor]] entries: processor = \"cpu\"";
                    return Err(self.names.source.wrong(
                        cost.at(),
                        "a cost without a processor",
                        help,
                    ));
                }
            };
        }
        let (simulated, real) = self.bytes[below];
        Ok(self.push(NodeSpec::Path { config, below }, simulated, real))
    }

    /// Gives nodes a name that volumes can use.
    pub(super) fn name(
        &mut self,
        name: &'a Spanned<String>,
        nodes: Vec<usize>,
    ) -> Result<(), Diagnostic> {
        if self.named.insert(name.get_ref(), nodes).is_some() {
            let message = format!("two parts are called `{}`", name.get_ref());
            return Err(self.names.source.wrong(
                name.span().start,
                message,
                "give each its own name",
            ));
        }
        self.unused.insert(name.get_ref(), name.span().start);
        Ok(())
    }

    pub(super) fn add_drives(
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
        link.jitter = host.jitter.quantiles();
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
                return Err(self.names.source.wrong(name.span().start, message, help));
            };
            if self.unused.remove(name.get_ref().as_str()).is_none() {
                let message = format!("`{}` is a part of two volumes", name.get_ref());
                let help = "a drive or volume belongs to one volume at most";
                return Err(self.names.source.wrong(name.span().start, message, help));
            }
            nodes.extend(found);
        }
        Ok(nodes)
    }

    /// Every drive and volume that no volume uses is a device, in the order of the file.
    pub(super) fn finish(self, host: HostPath) -> Result<ResolvedSystem, Diagnostic> {
        let mut tops: Vec<(usize, &str)> =
            self.unused.iter().map(|(name, at)| (*at, *name)).collect();
        tops.sort_unstable();
        if tops.is_empty() {
            let help = "list at least one [[drive]]";
            return Err(self.names.source.wrong(0, "a system without drives", help));
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
        // Rounding to whole blocks is not a scale.
        let scale = if (scale - 1.0).abs() < 0.02 { 1.0 } else { scale };
        let mut spec = self.spec;
        // One device that is the last node as a whole need not be said.
        if shown.specs.len() > 1 || !shown.tables.is_empty() {
            (spec.devices, spec.namespaces) = (shown.specs, shown.tables);
        }
        let (devices, warnings, least) = (shown.real, self.warnings, self.least);
        let drive_bytes = self.drives.bytes();
        Ok(ResolvedSystem { spec, scale, real_bytes, devices, drive_bytes, host, warnings, least })
    }
}
