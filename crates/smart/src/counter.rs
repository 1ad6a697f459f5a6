//! What the counters of a snapshot mean: bytes, wear, time, each with the step it counts in.
//!
//! ATA attributes are known by name in smartctl's drive database, because the same number means
//! different things in drives of different makers. For Intel's and Solidigm's drives the numbers of
//! their data sheets count also where the database has no name.

use crate::interval::Interval;
use crate::snapshot::{AtaAttribute, Snapshot};

/// 32 MiB, the unit of Intel's volume counters.
pub const UNIT_32MIB: f64 = 33_554_432.0;
/// The unit of the NVMe health log's volumes: 1000 sectors of 512 bytes.
pub const NVME_UNIT: f64 = 512_000.0;
/// What a timed workload counter shows until its 60 minutes are over.
pub const NOT_YET: u64 = 0xFFFF;
/// Parts of a percent of the rated cycles in which the timed wear counter E2h counts.
pub const WEAR_STEPS: f64 = 1024.0;
/// Minutes until the timed workload counters are valid.
pub const HOLD_MINUTES: u64 = 60;

const MIB: f64 = 1_048_576.0;
const GIB: f64 = 1_073_741_824.0;
const SECTOR: f64 = 512.0;

/// A counter of bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volume {
    /// What the counter shows.
    pub count: f64,
    /// Bytes of a step.
    pub step: f64,
    /// Where it is found, as text.
    pub source: &'static str,
}

/// The wear of the timed workload: Intel's E2h, E3h and E4h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedWorkload {
    /// E2h: share of the rated cycles used, in 1/1024 of a percent.
    pub media_wear: u64,
    /// E3h: reads among the host's commands, percent.
    pub reads_percent: Option<u64>,
    /// E4h: minutes.
    pub minutes: u64,
}

/// What the timed workload counters show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimedState {
    /// The drive has none.
    Missing,
    /// They show FFFFh: less than 60 minutes since the last reset.
    NotYet,
    /// They show this.
    Valid(TimedWorkload),
}

/// Wear in steps of about a percent of the rated life.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WearPercent {
    /// Steps used; may exceed the whole life.
    pub steps: f64,
    /// Share of the rated life that a step is: 1/100, or 1/99 for Intel's media wearout indicator
    /// E9h, which goes from 100 down to 1.
    pub step: f64,
    /// Where it is found, as text.
    pub source: &'static str,
}

impl WearPercent {
    /// Share of the rated life used, between the bounds of a step.
    pub fn share(&self) -> Interval {
        Interval::counted(self.steps, self.step)
    }
}

/// Names of attributes that count bytes: name, bytes of a step.
type Names = &'static [(&'static str, f64)];

const HOST_WRITES: Names = &[
    ("Total_LBAs_Written", SECTOR),
    ("Total_Host_Sector_Write", SECTOR),
    ("Host_Sector_Write", SECTOR),
    ("Host_Writes_MiB", MIB),
    ("Host_Writes_32MiB", UNIT_32MIB),
    ("Host_Writes_GiB", GIB),
    ("Lifetime_Writes_GiB", GIB),
    ("Total_Writes_GiB", GIB),
];

const HOST_READS: Names = &[
    ("Total_LBAs_Read", SECTOR),
    ("Total_Host_Sector_Read", SECTOR),
    ("Host_Reads_MiB", MIB),
    ("Host_Reads_32MiB", UNIT_32MIB),
    ("Host_Reads_GiB", GIB),
    ("Lifetime_Reads_GiB", GIB),
    ("Total_Reads_GiB", GIB),
];

const NAND_WRITES: Names = &[
    ("NAND_Writes_MiB", MIB),
    ("NAND_Writes_32MiB", UNIT_32MIB),
    ("Total_NAND_Prog_Ct_Raw", UNIT_32MIB),
    ("NAND_Writes_1GiB", GIB),
    ("NAND_Writes_GiB", GIB),
    ("TLC_NAND_GB_Writes", GIB),
    ("NAND_GB_Written_TLC", GIB),
];

/// Attributes that count errors: data that could not be read or had to be moved, and transfers that
/// arrived broken.
const ERRORS: &[&str] = &[
    "Reallocated_Sector_Ct",
    "Reallocate_NAND_Blk_Cnt",
    "Reported_Uncorrect",
    "Current_Pending_Sector",
    "Offline_Uncorrectable",
    "UDMA_CRC_Error_Count",
    "CRC_Error_Count",
];

/// Attributes whose normalized value is the percentage of life that is left.
const LIFE_LEFT: &[&str] = &[
    "Media_Wearout_Indicator",
    "Percent_Lifetime_Remain",
    "SSD_Life_Left",
    "Remaining_Lifetime_Perc",
    "Wear_Leveling_Count",
];

/// E9h, Intel's media wearout indicator.
const E9: u8 = 233;

fn attributes(snapshot: &Snapshot, names: Names) -> impl Iterator<Item = (&AtaAttribute, f64)> {
    names.iter().flat_map(move |(name, step)| {
        let same = move |a: &&AtaAttribute| a.name == *name;
        snapshot.attributes.iter().filter(same).map(move |a| (a, *step))
    })
}

/// An attribute without a name in the database, of an Intel drive, by its number.
fn unnamed_intel(snapshot: &Snapshot, id: u8) -> Option<&AtaAttribute> {
    let attribute = snapshot.attribute(id)?;
    let unnamed = attribute.name.is_empty() || attribute.name.starts_with("Unknown");
    (snapshot.is_intel() && unnamed).then_some(attribute)
}

fn volume(count: u64, step: f64, source: &'static str) -> Volume {
    Volume { count: count as f64, step, source }
}

/// Host writes, finest step first.
pub fn host_writes(snapshot: &Snapshot) -> Vec<Volume> {
    let mut found = Vec::new();
    let sector = snapshot.identity.sector_bytes.map_or(SECTOR, |bytes| bytes as f64);
    if let Some(sectors) = snapshot.statistics.and_then(|s| s.sectors_written) {
        found.push(volume(sectors, sector, "device statistics, sectors written"));
    }
    if let Some(units) = snapshot.nvme.and_then(|log| log.data_units_written) {
        found.push(volume(units, NVME_UNIT, "NVMe health log, data units written"));
    }
    for (attribute, step) in attributes(snapshot, HOST_WRITES) {
        found.push(volume(attribute.raw, step, "ATA attribute, host writes"));
    }
    for id in [225, 241] {
        if let Some(attribute) = unnamed_intel(snapshot, id) {
            found.push(volume(attribute.raw, UNIT_32MIB, "ATA attribute, host writes"));
        }
    }
    if let Some(units) = snapshot.vendor.and_then(|log| log.host_written_32mib) {
        found.push(volume(units, UNIT_32MIB, "log CAh, host writes"));
    }
    found
}

/// Host reads, finest step first.
pub fn host_reads(snapshot: &Snapshot) -> Vec<Volume> {
    let mut found = Vec::new();
    let sector = snapshot.identity.sector_bytes.map_or(SECTOR, |bytes| bytes as f64);
    if let Some(sectors) = snapshot.statistics.and_then(|s| s.sectors_read) {
        found.push(volume(sectors, sector, "device statistics, sectors read"));
    }
    if let Some(units) = snapshot.nvme.and_then(|log| log.data_units_read) {
        found.push(volume(units, NVME_UNIT, "NVMe health log, data units read"));
    }
    for (attribute, step) in attributes(snapshot, HOST_READS) {
        found.push(volume(attribute.raw, step, "ATA attribute, host reads"));
    }
    if let Some(attribute) = unnamed_intel(snapshot, 242) {
        found.push(volume(attribute.raw, UNIT_32MIB, "ATA attribute, host reads"));
    }
    found
}

/// NAND writes, finest step first; empty for most drives.
pub fn nand_writes(snapshot: &Snapshot) -> Vec<Volume> {
    let mut found = Vec::new();
    if let Some(bytes) = snapshot.ocp.and_then(|log| log.media_bytes_written) {
        let source = "OCP log C0h";
        found.push(Volume { count: bytes as f64, step: 1.0, source });
    }
    for (attribute, step) in attributes(snapshot, NAND_WRITES) {
        found.push(volume(attribute.raw, step, "ATA attribute, NAND writes"));
    }
    if let Some(units) = snapshot.vendor.and_then(|log| log.nand_written_32mib) {
        found.push(volume(units, UNIT_32MIB, "log CAh, NAND writes"));
    }
    found
}

/// Pages programmed for the host and for the FTL (Micron's and Crucial's attributes 247 and 248),
/// from which write amplification follows without the size of a page.
pub fn program_pages(snapshot: &Snapshot) -> Option<(f64, f64)> {
    let named = |names: [&str; 2]| {
        snapshot.attributes.iter().find(|a| names.contains(&a.name.as_str())).map(|a| a.raw as f64)
    };
    let host = named(["Host_Program_Page_Count", "Hst_Program_Page_Count"])?;
    let ftl = named(["FTL_Program_Page_Count", "Bckgnd_Program_Page_Cnt"])?;
    Some((host, ftl))
}

/// The timed workload counters, of ATA attributes or of log CAh.
pub fn timed_workload(snapshot: &Snapshot) -> TimedState {
    let named = |id: u8, words: [&str; 2]| {
        let attribute = snapshot.attribute(id)?;
        let known = words.iter().any(|word| attribute.name.contains(word));
        (known || unnamed_intel(snapshot, id).is_some()).then_some(attribute.raw)
    };
    let wear = named(226, ["Media_Wear", "Wld_Media"]);
    let minutes = named(228, ["Workload_Minutes", "Workload_Timer"]);
    let reads = named(227, ["Workld_Host_Read", "Host_Reads_Perc"]);
    let of_log = snapshot
        .vendor
        .and_then(|log| Some((log.media_wear?, log.timer_minutes?, log.host_reads_percent)));
    let (media_wear, minutes, reads_percent) = match (wear, minutes, of_log) {
        (Some(wear), Some(minutes), _) => (wear, minutes, reads),
        (_, _, Some(log)) => log,
        _ => return TimedState::Missing,
    };
    if media_wear == NOT_YET || minutes == NOT_YET {
        return TimedState::NotYet;
    }
    let reads_percent = reads_percent.filter(|percent| *percent <= 100);
    TimedState::Valid(TimedWorkload { media_wear, reads_percent, minutes })
}

/// Wear in whole percent, if the drive reports it.
pub fn wear_percent(snapshot: &Snapshot) -> Option<WearPercent> {
    let of = |used: u64, source| WearPercent { steps: used as f64, step: 0.01, source };
    if let Some(used) = snapshot.nvme.and_then(|log| log.percentage_used) {
        return Some(of(used, "NVMe health log, percentage used"));
    }
    if let Some(used) = snapshot.statistics.and_then(|s| s.percentage_used) {
        return Some(of(used, "device statistics, percentage used"));
    }
    let e9 = unnamed_intel(snapshot, E9);
    let named = LIFE_LEFT
        .iter()
        .find_map(|name| snapshot.attributes.iter().find(|attribute| attribute.name == *name));
    let attribute = named.or(e9)?;
    if attribute.value > 100 {
        return None;
    }
    let (step, source) = match attribute.id {
        E9 => (1.0 / 99.0, "100 - E9h, media wearout indicator"),
        _ => (0.01, "100 - ATA attribute of life left"),
    };
    Some(WearPercent { steps: 100.0 - f64::from(attribute.value), step, source })
}

/// Power losses without notice.
pub fn unsafe_shutdowns(snapshot: &Snapshot) -> Option<u64> {
    let names = ["Unsafe_Shutdown_Count", "Unexpect_Power_Loss_Ct", "Power-Off_Retract_Count"];
    let of_table = || {
        let attribute = snapshot.attributes.iter().find(|a| names.contains(&a.name.as_str()));
        attribute.map(|attribute| attribute.raw)
    };
    snapshot.nvme.and_then(|log| log.unsafe_shutdowns).or_else(of_table)
}

/// Errors that the drive has counted: of an NVMe drive those of its media; of an ATA drive the sum
/// of the attributes that count them. `None` if it counts none.
pub fn errors(snapshot: &Snapshot) -> Option<u64> {
    let of_table = || {
        let known = snapshot.attributes.iter().filter(|a| ERRORS.contains(&a.name.as_str()));
        known.map(|attribute| attribute.raw).reduce(u64::saturating_add)
    };
    snapshot.nvme.and_then(|log| log.media_errors).or_else(of_table)
}

/// Hours powered, with the step in hours.
pub fn power_on_hours(snapshot: &Snapshot) -> Option<(f64, f64)> {
    match snapshot.power_on {
        Some((hours, Some(minutes))) => Some((hours as f64 + minutes as f64 / 60.0, 1.0 / 60.0)),
        Some((hours, None)) => Some((hours as f64, 1.0)),
        None => None,
    }
}
