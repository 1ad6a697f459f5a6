//! A snapshot of a modelled drive: ATA attributes for SATA, the NVMe logs for PCIe.

use super::Skipped;
use crate::Rig;
use engine::{narrow, whole, whole_signed, whole_wide};
use iopath::device::flash::ftl::retire::BlockCounts;
use iopath::device::health::{Health, Shown, Wear};
use iopath::device::heat::Heat;
use smart::{
    AtaAttribute, EraseCounts, Identity, NvmeHealth, OcpLog, Protocol, Snapshot, ThermalLog,
    VendorLog,
};

/// 32 MiB, the unit of Intel's volume counters.
const UNIT_32MIB: f64 = 33_554_432.0;
/// The unit of the NVMe health log.
const NVME_UNIT: f64 = 512_000.0;
/// What the timed workload counters show while they are not valid.
const NOT_YET: u64 = 0xFFFF;
/// Steps of E9h from 100 down to 1.
const E9_STEPS: f64 = 99.0;
/// Spare at which an NVMe drive warns, percent; what most drives show.
const SPARE_THRESHOLD: u64 = 10;

/// What a rig does not know about its drive.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// Which of the rig's flash drives it is, from 0.
    pub place: usize,
    /// Name of the model, with the maker's name at its head.
    pub model: String,
    /// Serial number; two snapshots of one drive share it.
    pub serial: String,
    /// Command set.
    pub protocol: Protocol,
    /// Program and erase cycles that the flash is rated for; `None` if the model does not say, then
    /// the drive reports no wear.
    pub rated_cycles: Option<f64>,
}

/// Counters, scaled to the real drive.
struct Counters {
    work: Skipped,
    health: Health,
    wear: Wear,
    blocks: Option<BlockCounts>,
    /// Share of the rated cycles used, those before the run counted in.
    used: Option<f64>,
    timed: Option<Shown>,
    heat: Option<Heat>,
}

impl Counters {
    fn erases(&self) -> EraseCounts {
        let before = u64::from(self.health.cycles_at_start);
        EraseCounts {
            min: before + u64::from(self.wear.min),
            max: before + u64::from(self.wear.max),
            mean: before + whole(self.wear.mean()),
        }
    }

    /// Percent of the reserve that is left; 100 if blocks never fail.
    fn spare(&self) -> u64 {
        self.blocks.map_or(100, |blocks| blocks.spare_percent().into())
    }
}

/// The drive's health now.
///
/// What was written in zero time counts as [`Skipped::counted`] says. A temperature is reported if
/// the model has one.
pub fn snapshot(rig: &mut Rig, about: &About) -> Snapshot {
    rig.catch_up_clock();
    let now_s = rig.clock().power_on_s(rig.now());
    let counters = count(rig, about);
    let power_cycles = 1 + counters.health.unsafe_shutdowns;
    let minutes = whole(now_s / 60.0);
    let mut snapshot = Snapshot {
        identity: Identity {
            model: Some(about.model.clone()),
            serial: Some(about.serial.clone()),
            firmware: Some(format!("DL{}", env!("CARGO_PKG_VERSION"))),
            capacity_bytes: Some(rig.real_bytes()),
            sector_bytes: Some(512),
            protocol: Some(about.protocol),
        },
        taken_s: Some(whole_signed(now_s)),
        power_on: Some((minutes / 60, Some(minutes % 60))),
        power_cycles: Some(power_cycles),
        temperature_c: counters.heat.as_ref().map(|heat| whole_signed(heat.celsius().round())),
        ..Snapshot::default()
    };
    match about.protocol {
        Protocol::Ata => snapshot.attributes = attributes(&counters, minutes / 60, power_cycles),
        Protocol::Nvme => {
            snapshot.nvme = Some(nvme(&counters, minutes / 60, power_cycles));
            snapshot.ocp = Some(OcpLog {
                media_bytes_written: Some(whole_wide(counters.work.nand_write_bytes)),
                media_bytes_read: Some(whole_wide(counters.work.nand_read_bytes)),
                bad_user_blocks: counters.blocks.map(|blocks| u64::from(blocks.grown)),
                max_erases: Some(counters.erases().max),
                min_erases: Some(counters.erases().min),
                ..OcpLog::default()
            });
            // Only these makers' drives have the log.
            snapshot.vendor = snapshot.is_intel().then(|| vendor(&counters));
        }
    }
    snapshot
}

fn count(rig: &Rig, about: &About) -> Counters {
    let drive = rig.drives().nth(about.place).unwrap_or(rig.drive());
    let health = *drive.health();
    let wear = Wear::of(drive.ftl().pool().erases());
    let rated = about.rated_cycles.filter(|cycles| *cycles >= 1.0);
    Counters {
        work: work(rig, about.place),
        used: rated.map(|cycles| (f64::from(health.cycles_at_start) + wear.mean()) / cycles),
        timed: rated.and_then(|cycles| {
            let all = whole(cycles.round()).saturating_mul(wear.groups);
            rig.clock().timed().map(|timed| timed.shown(all))
        }),
        blocks: drive.ftl().block_counts(),
        heat: drive.heat(rig.now()),
        health,
        wear,
    }
}

/// What one drive has done. What was skipped is that of a drive alone; of several each has its
/// part.
fn work(rig: &Rig, place: usize) -> Skipped {
    let skipped = rig.clock().skipped().times(1.0 / rig.drives().len().max(1) as f64);
    let seconds = rig.clock().skipped().seconds;
    Skipped::of(rig, place).plus(&Skipped { seconds, ..skipped })
}

/// E2h, E3h and E4h as they are read.
fn timed(counters: &Counters) -> Option<(u64, u64, u64)> {
    counters.timed.map(|shown| match shown {
        Shown::NotYet => (NOT_YET, NOT_YET, NOT_YET),
        Shown::Valid { media_wear, reads_percent, minutes } => {
            (media_wear, reads_percent, minutes.min(NOT_YET - 1))
        }
    })
}

/// Intel's table of attributes. 243 is that of Intel's later drives.
fn attributes(counters: &Counters, hours: u64, power_cycles: u64) -> Vec<AtaAttribute> {
    let row = |id, name: &str, value: u8, raw: u64| AtaAttribute {
        id,
        name: name.to_owned(),
        value,
        worst: Some(value),
        threshold: Some(0),
        raw,
        raw_text: raw.to_string(),
    };
    let units = |bytes: f64| whole(bytes / UNIT_32MIB);
    let written = units(counters.work.host_write_bytes);
    let spare = narrow(counters.spare());
    let grown = counters.blocks.map_or(0, |blocks| u64::from(blocks.grown));
    let mut table = vec![
        row(5, "Reallocated_Sector_Ct", 100, grown),
        row(9, "Power_On_Hours", 100, hours),
        row(12, "Power_Cycle_Count", 100, power_cycles),
        row(192, "Unsafe_Shutdown_Count", 100, counters.health.unsafe_shutdowns),
        row(225, "Host_Writes_32MiB", 100, written),
    ];
    if let Some((wear, reads, minutes)) = timed(counters) {
        table.push(row(226, "Workld_Media_Wear_Indic", 100, wear));
        table.push(row(227, "Workld_Host_Reads_Perc", 100, reads));
        table.push(row(228, "Workload_Minutes", 100, minutes));
    }
    if let Some(used) = counters.used {
        let value = 100.0 - (used * E9_STEPS).floor().clamp(0.0, E9_STEPS);
        table.push(row(233, "Media_Wearout_Indicator", narrow(whole(value)), 0));
    }
    table.push(row(232, "Available_Reservd_Space", spare, 0));
    table.push(row(241, "Host_Writes_32MiB", 100, written));
    table.push(row(242, "Host_Reads_32MiB", 100, units(counters.work.host_read_bytes)));
    if let Some(heat) = &counters.heat {
        let celsius = whole(heat.celsius().round().max(0.0));
        let left = narrow(100_u64.saturating_sub(celsius));
        table.push(row(194, "Temperature_Celsius", left, celsius));
    }
    table.push(row(243, "NAND_Writes_32MiB", 100, units(counters.work.nand_write_bytes)));
    table
}

fn nvme(counters: &Counters, hours: u64, power_cycles: u64) -> NvmeHealth {
    // The drive rounds its data units up (NVMe base specification, health log).
    let units = |bytes: f64| whole((bytes / NVME_UNIT).ceil());
    NvmeHealth {
        percentage_used: counters.used.map(|used| whole((used * 100.0).min(255.0))),
        available_spare: Some(counters.spare()),
        available_spare_threshold: Some(SPARE_THRESHOLD),
        data_units_read: Some(units(counters.work.host_read_bytes)),
        data_units_written: Some(units(counters.work.host_write_bytes)),
        host_reads: Some(whole(counters.work.read_commands)),
        host_writes: Some(whole(counters.work.write_commands)),
        controller_busy_minutes: None,
        power_cycles: Some(power_cycles),
        power_on_hours: Some(hours),
        unsafe_shutdowns: Some(counters.health.unsafe_shutdowns),
        media_errors: Some(counters.health.media_errors),
        thermal: counters.heat.as_ref().map(thermal).unwrap_or_default(),
    }
}

/// Whole minutes and seconds, as the drive counts them.
fn thermal(heat: &Heat) -> ThermalLog {
    let log = heat.log();
    let minutes = |seconds: f64| Some(whole(seconds / 60.0));
    let times = |level: usize| log.transitions.get(level).copied();
    let seconds = |level: usize| log.throttled_s.get(level).map(|seconds| whole(*seconds));
    ThermalLog {
        warning_minutes: minutes(log.warning_s),
        critical_minutes: minutes(log.critical_s),
        light_transitions: times(0),
        heavy_transitions: times(1),
        light_seconds: seconds(0),
        heavy_seconds: seconds(1),
    }
}

fn vendor(counters: &Counters) -> VendorLog {
    let timed = timed(counters);
    VendorLog {
        media_wear: timed.map(|(wear, _, _)| wear),
        host_reads_percent: timed.map(|(_, reads, _)| reads),
        timer_minutes: timed.map(|(_, _, minutes)| minutes),
        nand_written_32mib: Some(whole(counters.work.nand_write_bytes / UNIT_32MIB)),
        host_written_32mib: Some(whole(counters.work.host_write_bytes / UNIT_32MIB)),
        erases: Some(counters.erases()),
    }
}
