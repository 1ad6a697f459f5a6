//! Under which conditions a drive is measured: how it is attached, what the kernel and the machine
//! do about it, and what of that makes numbers worse than those of the drive.

use crate::device::Device;
use crate::system::System;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

/// How a drive is attached and driven.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Conditions {
    /// Kernel name of the drive.
    pub drive: String,
    /// Its link, where the kernel shows one.
    pub link: Option<Link>,
    /// NUMA node that it is attached to.
    pub numa_node: Option<u32>,
    /// The kernel's I/O scheduler for it.
    pub scheduler: Option<String>,
    /// Whether the kernel merges requests for it: 0 yes, 1 simple merges only, 2 no.
    pub nomerges: Option<u32>,
    /// `write back`: the drive has a volatile write cache that is on; `write through` if not.
    pub write_cache: Option<String>,
    /// Runtime power management: `auto` lets it fall asleep.
    pub power_control: Option<String>,
    /// Policy of the power saving of PCIe links (ASPM).
    pub aspm: Option<String>,
    /// The longest time that an NVMe drive may take to wake from a power state that it enters by
    /// itself (APST), us; 0 keeps it from that.
    pub apst_us: Option<u64>,
    /// Model and firmware.
    pub firmware: Option<String>,
    /// Temperature, degrees Celsius.
    pub celsius: Option<f64>,
    /// Temperature from which its maker counts it as too warm, degrees Celsius.
    pub celsius_warning: Option<f64>,
    /// Frequency governor of the first processor.
    pub governor: Option<String>,
    /// Processes that ran or waited for a processor over the last minute, and processors.
    pub load: Option<(f64, u32)>,
}

/// A link and the best that both ends could do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Link {
    /// As it runs, as `8.0 GT/s PCIe x4` or `6.0 Gbps`.
    pub now: String,
    /// The best.
    pub best: String,
}

/// Longest wake time that the kernel's driver allows an NVMe drive, us.
const APST: &str = "default_ps_max_latency_us";
/// A drive within so many degrees of its limit may throttle before a test has ended.
const NEAR_C: f64 = 5.0;
/// More processes a processor than this compete with fio.
const BUSY: f64 = 0.5;

impl Conditions {
    /// Of a drive now; what the kernel does not show is `None`.
    pub fn of(system: &System, device: &Device) -> Self {
        let whole = device.whole().unwrap_or_else(|_| device.clone());
        let drive = whole.name.clone();
        let block = system.sys.join("block").join(&drive);
        let queue = |file: &str| text(&block.join("queue").join(file));
        let bus = whole.controller().ok();
        let bus = bus.as_deref();
        Self {
            link: bus.and_then(|bus| link(system, bus)),
            numa_node: bus.and_then(|bus| above(bus, "numa_node")).and_then(|n| n.parse().ok()),
            scheduler: queue("scheduler").map(|all| chosen(&all)),
            nomerges: queue("nomerges").and_then(|text| text.parse().ok()),
            write_cache: queue("write_cache"),
            aspm: text(&system.sys.join("module/pcie_aspm/parameters/policy"))
                .map(|all| chosen(&all)),
            apst_us: is_nvme(bus)
                .then(|| text(&system.sys.join("module/nvme_core/parameters").join(APST)))
                .flatten()
                .and_then(|us| us.parse().ok()),
            firmware: device.firmware(system).map(|firmware| {
                let model = device.model().unwrap_or_default();
                format!("{model} {firmware}").trim().to_owned()
            }),
            power_control: bus.and_then(|bus| above(bus, "power/control")),
            celsius: bus.and_then(|bus| celsius(bus, "temp1_input")),
            celsius_warning: bus.and_then(|bus| celsius(bus, "temp1_max")),
            governor: text(&system.sys.join("devices/system/cpu/cpu0/cpufreq/scaling_governor")),
            load: load(system),
            drive,
        }
    }

    /// What was looked at and seen, each with what a reviewer should change before measuring, or
    /// has to say in the review.
    pub fn findings(&self) -> Vec<Finding> {
        let drive = &self.drive;
        let seen = [
            self.firmware.clone().map(|firmware| Finding::new("firmware", firmware)),
            self.link.as_ref().map(|link| link.finding(drive)),
            self.numa_node.map(|node| Finding::new("NUMA node", node.to_string())),
            self.scheduler.as_ref().map(|name| {
                Finding::new("I/O scheduler", name.clone()).attended(*name != "none", || {
                    format!(
                        "{drive}: the I/O scheduler {name} orders its requests; `none` measures \
                         the drive alone"
                    )
                })
            }),
            self.nomerges.map(|how| {
                let how = ["yes", "simple ones only", "no"].get(how as usize).unwrap_or(&"?");
                Finding::new("merges of requests", (*how).to_owned())
            }),
            self.write_cache.clone().map(|cache| Finding::new("write cache", cache)),
            self.power_control.as_ref().map(|power| {
                Finding::new("power management", power.clone()).attended(power == "auto", || {
                    format!(
                        "{drive}: power management may let it fall asleep; the first I/Os after a \
                         pause then wait for it"
                    )
                })
            }),
            self.aspm.as_ref().map(|policy| {
                let saves = policy.starts_with("power");
                Finding::new("power saving of links", policy.clone()).attended(saves, || {
                    format!(
                        "{drive}: the links of this machine save power ({policy}): after a pause \
                         the first I/O waits until they are awake"
                    )
                })
            }),
            self.apst_us.map(|us| {
                let how = match us {
                    0 => "off".to_owned(),
                    us => format!("up to {us} us to wake"),
                };
                Finding::new("power saving of the drive", how)
            }),
            self.celsius.map(|now| self.warmth(now)),
            self.governor.as_ref().map(|governor| {
                let slow = governor != "performance";
                Finding::new("processor governor", governor.clone()).attended(slow, || {
                    format!(
                        "the processors' governor is {governor}: latencies hold the time in which \
                         they speed up; `performance` does not"
                    )
                })
            }),
            self.load.map(|(load, processors)| {
                let found = format!("{load:.1} on {processors} processors");
                let busy = load > BUSY * f64::from(processors);
                Finding::new("load of the last minute", found).attended(busy, || {
                    format!(
                        "{load:.1} processes compete for {processors} processors: they disturb \
                         what is measured"
                    )
                })
            }),
        ];
        let named = seen.into_iter().zip(LOOKED_AT);
        named
            .map(|(seen, what)| seen.unwrap_or_else(|| Finding::new(what, NOT_SHOWN.into())))
            .collect()
    }

    /// Up to so many degrees Celsius it is not so near its limit that it may throttle; `None` if
    /// its limit is not known.
    pub fn celsius_most(&self) -> Option<f64> {
        self.celsius_warning.map(|limit| limit - NEAR_C)
    }

    /// Whether a drive at so many degrees Celsius is so near its limit that it may throttle.
    pub fn is_near_limit(&self, celsius: f64) -> bool {
        self.celsius_most().is_some_and(|most| celsius > most)
    }

    fn warmth(&self, now: f64) -> Finding {
        let drive = &self.drive;
        let Some(limit) = self.celsius_warning else {
            return Finding::new("temperature", format!("{now:.0} C"));
        };
        let found = format!("{now:.0} C, its limit is {limit:.0} C");
        Finding::new("temperature", found).attended(self.is_near_limit(now), || {
            format!("{drive}: {now:.0} C already, {limit:.0} C is its limit: it may throttle")
        })
    }

    /// What a reviewer should change before measuring, or has to say in the review; empty if there
    /// is nothing.
    pub fn concerns(&self) -> Vec<String> {
        self.findings().into_iter().filter_map(|finding| finding.concern).collect()
    }
}

/// What is looked at, in the order of [`Conditions::findings`].
const LOOKED_AT: [&str; 12] = [
    "firmware",
    "link",
    "NUMA node",
    "I/O scheduler",
    "merges of requests",
    "write cache",
    "power management",
    "power saving of links",
    "power saving of the drive",
    "temperature",
    "processor governor",
    "load of the last minute",
];
/// What this machine does not tell.
pub const NOT_SHOWN: &str = "not shown by this machine";

fn is_nvme(bus: Option<&Path>) -> bool {
    bus.is_some_and(|bus| bus.components().any(|part| part.as_os_str() == "nvme"))
}

/// One thing that was looked at before a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at.
    pub what: &'static str,
    /// What was seen.
    pub found: String,
    /// What is wrong with it, if anything is.
    pub concern: Option<String>,
}

impl Finding {
    /// Nothing is wrong with what was found.
    pub fn new(what: &'static str, found: String) -> Self {
        Self { what, found, concern: None }
    }

    /// The same, of concern if `wrong`.
    #[must_use]
    pub fn attended(mut self, wrong: bool, why: impl FnOnce() -> String) -> Self {
        self.concern = wrong.then(why);
        self
    }
}

impl Link {
    fn finding(&self, drive: &str) -> Finding {
        let Self { now, best } = self;
        let found = if now == best { now.clone() } else { format!("{now} of {best}") };
        Finding::new("link", found).attended(now != best, || {
            format!(
                "{drive}: its link runs at {now} where {best} is possible: another slot, cable or \
                 port may be faster"
            )
        })
    }
}

/// The sensor of a drive's temperature.
#[derive(Clone, Debug)]
pub struct Thermometer {
    file: PathBuf,
}

impl Thermometer {
    /// That of a drive; `None` where the kernel shows none.
    pub fn of(device: &Device) -> Option<Self> {
        let bus = device.whole().ok()?.controller().ok()?;
        sensor(&bus, "temp1_input").map(|file| Self { file })
    }

    /// The warmest of several drives now, degrees Celsius; `None` if none tells.
    pub fn warmest(all: &[Self]) -> Option<f64> {
        all.iter().filter_map(Self::read).reduce(f64::max)
    }

    /// Degrees Celsius now; `None` if the drive is gone.
    pub fn read(&self) -> Option<f64> {
        millidegrees(&self.file)
    }
}

/// What a file says, without blanks around it; `None` if it is missing or empty.
fn text(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// What the nearest file of this name says, from a directory upwards.
fn above(from: &Path, file: &str) -> Option<String> {
    from.ancestors().find_map(|folder| text(&folder.join(file)))
}

/// The one in brackets of a list, as in `[none] mq-deadline`.
fn chosen(all: &str) -> String {
    let inside = all.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(all, |(name, _)| name).to_owned()
}

/// The link of a drive: that of the PCIe function of an NVMe controller, or the SATA port.
fn link(system: &System, bus: &Path) -> Option<Link> {
    let port = bus.components().find_map(|part| {
        let name = part.as_os_str().to_str()?;
        name.strip_prefix("ata")?.parse::<u32>().ok()
    });
    if let Some(port) = port {
        let port = system.sys.join(format!("class/ata_link/link{port}"));
        let best = text(&port.join("hw_sata_spd_limit"));
        let now = text(&port.join("sata_spd"))?;
        return Some(Link { best: best.unwrap_or_else(|| now.clone()), now });
    }
    let function = bus.ancestors().find(|folder| folder.join("current_link_speed").exists());
    let function = function.filter(|_| is_nvme(Some(bus)))?;
    let pair = |speed: &str, width: &str| {
        let (speed, width) = (text(&function.join(speed))?, text(&function.join(width))?);
        Some(format!("{speed} x{width}"))
    };
    let now = pair("current_link_speed", "current_link_width")?;
    let best = pair("max_link_speed", "max_link_width").unwrap_or_else(|| now.clone());
    Some(Link { now, best })
}

/// A file of the hardware monitor of a drive.
fn sensor(bus: &Path, file: &str) -> Option<PathBuf> {
    let folders = [bus.join("hwmon"), bus.to_path_buf()];
    let monitors = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let mut files: Vec<PathBuf> = monitors
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("hwmon"))
        })
        .map(|path| path.join(file))
        .filter(|path| path.exists())
        .collect();
    files.sort();
    files.into_iter().next()
}

fn celsius(bus: &Path, file: &str) -> Option<f64> {
    millidegrees(&sensor(bus, file)?)
}

fn millidegrees(file: &Path) -> Option<f64> {
    Some(text(file)?.parse::<f64>().ok()? / 1000.0)
}

fn load(system: &System) -> Option<(f64, u32)> {
    let load = text(&system.proc.join("loadavg"))?.split(' ').next()?.parse().ok()?;
    let cpuinfo = text(&system.proc.join("cpuinfo"))?;
    let processors = cpuinfo.lines().filter(|line| line.starts_with("processor")).count();
    Some((load, u32::try_from(processors).unwrap_or(u32::MAX).max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_in_use_is_in_brackets() {
        assert_eq!(chosen("[none] mq-deadline kyber"), "none");
        assert_eq!(chosen("mq-deadline [bfq]"), "bfq");
        assert_eq!(chosen("none"), "none");
    }

    #[test]
    fn what_is_as_it_should_be_is_no_concern() {
        let link = |now: &str, best: &str| Link { now: now.to_owned(), best: best.to_owned() };
        let good = Conditions {
            drive: "nvme0n1".to_owned(),
            link: Some(link("16.0 GT/s PCIe x4", "16.0 GT/s PCIe x4")),
            scheduler: Some("none".to_owned()),
            governor: Some("performance".to_owned()),
            celsius: Some(40.0),
            celsius_warning: Some(70.0),
            load: Some((0.3, 2)),
            ..Conditions::default()
        };
        assert_eq!(good.concerns(), Vec::<String>::new());
        assert_eq!(Conditions::default().concerns(), Vec::<String>::new(), "nothing is known");
        let bad = Conditions {
            link: Some(link("8.0 GT/s PCIe x2", "16.0 GT/s PCIe x4")),
            scheduler: Some("bfq".to_owned()),
            power_control: Some("auto".to_owned()),
            governor: Some("powersave".to_owned()),
            celsius: Some(66.0),
            load: Some((2.0, 2)),
            ..good
        };
        let told = bad.concerns();
        assert_eq!(told.len(), 6, "{told:#?}");
        assert!(told[0].contains("8.0 GT/s PCIe x2 where 16.0 GT/s PCIe x4"), "{}", told[0]);
    }
}
