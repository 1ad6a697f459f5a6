//! A drive's health at one time, whichever tool reported it.

/// The command set of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// ATA: a table of vendor attributes, and perhaps device statistics.
    Ata,
    /// NVMe: the health log, and perhaps vendor and OCP logs.
    Nvme,
}

impl Protocol {
    /// The word that smartctl prints.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Ata => "ATA",
            Protocol::Nvme => "NVMe",
        }
    }
}

/// Which drive it is. nvme-cli's health logs contain none of these fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Model as the drive reports it.
    pub model: Option<String>,
    /// Serial number.
    pub serial: Option<String>,
    /// Firmware.
    pub firmware: Option<String>,
    /// Bytes the host sees.
    pub capacity_bytes: Option<u64>,
    /// Bytes of a logical sector, in which device statistics count.
    pub sector_bytes: Option<u64>,
    /// Command set.
    pub protocol: Option<Protocol>,
}

/// One line of the table of ATA attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtaAttribute {
    /// Number, 1 to 255; Intel's data sheets write it in hexadecimal (226 is E2h).
    pub id: u8,
    /// Name in smartctl's drive database.
    pub name: String,
    /// Normalized value, 0 to 255.
    pub value: u8,
    /// Least normalized value so far; `None` where the drive reports none.
    pub worst: Option<u8>,
    /// Value at which the attribute counts as failed.
    pub threshold: Option<u8>,
    /// All six raw bytes as one number. Several attributes pack more than one number into it.
    pub raw: u64,
    /// The raw value as smartctl formats it; its number is not always that of `raw`.
    pub raw_text: String,
}

/// Device statistics (ATA ACS-3, GP log 04h), as far as they concern endurance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceStatistics {
    /// Logical sectors written.
    pub sectors_written: Option<u64>,
    /// Logical sectors read.
    pub sectors_read: Option<u64>,
    /// Write commands.
    pub write_commands: Option<u64>,
    /// Read commands.
    pub read_commands: Option<u64>,
    /// Percentage used endurance indicator, 0 to 255.
    pub percentage_used: Option<u64>,
}

/// Heat in the NVMe health log (log page 02h, bytes 192 on).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThermalLog {
    /// Minutes at the warning temperature or above it.
    pub warning_minutes: Option<u64>,
    /// Minutes at the critical temperature or above it.
    pub critical_minutes: Option<u64>,
    /// Times that the drive began to throttle lightly (thermal management temperature 1).
    pub light_transitions: Option<u64>,
    /// Times that it began to throttle heavily (thermal management temperature 2).
    pub heavy_transitions: Option<u64>,
    /// Seconds of light throttling.
    pub light_seconds: Option<u64>,
    /// Seconds of heavy throttling.
    pub heavy_seconds: Option<u64>,
}

/// The NVMe health log (log page 02h).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NvmeHealth {
    /// Estimate of the life used, percent, 0 to 255; may exceed 100.
    pub percentage_used: Option<u64>,
    /// Spare blocks left, percent.
    pub available_spare: Option<u64>,
    /// Spare at which the drive warns, percent.
    pub available_spare_threshold: Option<u64>,
    /// Host reads in units of 512,000 bytes, rounded up by the drive.
    pub data_units_read: Option<u64>,
    /// Host writes in units of 512,000 bytes, rounded up by the drive.
    pub data_units_written: Option<u64>,
    /// Read commands.
    pub host_reads: Option<u64>,
    /// Write commands.
    pub host_writes: Option<u64>,
    /// Minutes with a command in flight.
    pub controller_busy_minutes: Option<u64>,
    /// Times power came on.
    pub power_cycles: Option<u64>,
    /// Hours powered.
    pub power_on_hours: Option<u64>,
    /// Power losses without notice.
    pub unsafe_shutdowns: Option<u64>,
    /// Errors of the medium that were not corrected.
    pub media_errors: Option<u64>,
    /// Heat.
    pub thermal: ThermalLog,
}

/// Times that blocks have been erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EraseCounts {
    /// Of the block erased least.
    pub min: u64,
    /// Of the block erased most.
    pub max: u64,
    /// Mean, rounded down.
    pub mean: u64,
}

/// Intel's and Solidigm's additional health log (log page CAh of NVMe drives).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VendorLog {
    /// E2h: share of the rated cycles used since the timer began, in 1/1024 of a percent; 65535
    /// until the timer has run for 60 minutes.
    pub media_wear: Option<u64>,
    /// E3h: reads among the host's commands since the timer began, percent; 65535 likewise.
    pub host_reads_percent: Option<u64>,
    /// E4h: minutes since the timer began; 65535 likewise.
    pub timer_minutes: Option<u64>,
    /// F4h: NAND writes in units of 32 MiB.
    pub nand_written_32mib: Option<u64>,
    /// F5h: host writes in units of 32 MiB.
    pub host_written_32mib: Option<u64>,
    /// ADh: erase counts.
    pub erases: Option<EraseCounts>,
}

/// The extended health log of the OCP data center SSD specification (log page C0h).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OcpLog {
    /// Bytes written to the flash, by the host and by the drive itself.
    pub media_bytes_written: Option<u128>,
    /// Bytes read from the flash.
    pub media_bytes_read: Option<u128>,
    /// User blocks out of use.
    pub bad_user_blocks: Option<u64>,
    /// Erases of the user block erased most.
    pub max_erases: Option<u64>,
    /// Erases of the user block erased least.
    pub min_erases: Option<u64>,
    /// Free blocks, percent.
    pub percent_free_blocks: Option<u64>,
}

/// A drive's health at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Which drive.
    pub identity: Identity,
    /// When it was taken, in seconds since 1970; `None` if the log does not say.
    pub taken_s: Option<i64>,
    /// Time powered: hours, and minutes beyond them where the drive reports them.
    pub power_on: Option<(u64, Option<u64>)>,
    /// Times power came on.
    pub power_cycles: Option<u64>,
    /// Temperature, degrees Celsius.
    pub temperature_c: Option<i64>,
    /// ATA attributes in the order of the table.
    pub attributes: Vec<AtaAttribute>,
    /// ATA device statistics.
    pub statistics: Option<DeviceStatistics>,
    /// NVMe health log.
    pub nvme: Option<NvmeHealth>,
    /// Intel's and Solidigm's log CAh.
    pub vendor: Option<VendorLog>,
    /// OCP's log C0h.
    pub ocp: Option<OcpLog>,
}

impl Snapshot {
    /// The attribute of this number.
    pub fn attribute(&self, id: u8) -> Option<&AtaAttribute> {
        self.attributes.iter().find(|attribute| attribute.id == id)
    }

    /// Whether the drive counts as Intel's or Solidigm's, whose attributes mean what their data
    /// sheets say also where smartctl's database does not name them.
    pub fn is_intel(&self) -> bool {
        let model = self.identity.model.as_deref().unwrap_or_default().to_ascii_uppercase();
        model.contains("INTEL") || model.contains("SOLIDIGM")
    }
}
