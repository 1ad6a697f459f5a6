//! Sections of a drive file as the parts of a drive's configuration.

use super::super::file::Suspend;
use super::super::file::{Buffer, Controller, DriveFile, Flash, Link, PowerFile, Protection};
use super::super::host_path::HostPath;
use super::super::nand_file::NandFile;
use super::{Complaint, modes, positive};
use engine::{Bandwidth, Duration, Power, narrow, whole};
use iopath::device::flash::config as io;
use iopath::device::flash::geometry::{Geometry, Layout};

impl Link {
    /// The link and its latencies.
    pub(super) fn resolve(&self, host: &HostPath) -> io::LinkConfig {
        let (payload, latency) = (*self.payload.get(), *self.command_latency.get());
        self.interface.get().link(payload, latency, host)
    }
}

impl Controller {
    /// The cores and what commands cost them.
    pub(super) fn resolve(&self) -> Result<io::ControllerConfig, Complaint> {
        Ok(io::ControllerConfig {
            cores: positive(&self.cores, "a core")?,
            read_cost: *self.read_cost.get(),
            write_cost: *self.write_cost.get(),
            copy_cost: *self.copy_cost.get(),
            copy_batch: match &self.copy_batch {
                Some(batch) => positive(batch, "a batch of copies")?,
                None => 1,
            },
            admin_cost: *self.admin_cost.get(),
            write_path: self.write_path.as_ref().map(|rate| *rate.get()),
            read_path: self.read_path.as_ref().map(|rate| *rate.get()),
            whole_reads: self.whole_reads.as_ref().is_some_and(|whole| whole.get().is_yes()),
            read_front_end: *self.read_front_end.get(),
            write_ack: *self.write_ack.get(),
            buffer_read: *self.buffer_read.get(),
        })
    }
}

impl Buffer {
    /// The write buffer before this flash, in mapping units.
    pub(super) fn resolve(&self, geometry: &Geometry) -> Result<io::BufferConfig, Complaint> {
        self.check_size(geometry)?;
        let unit = geometry.unit_bytes as u64;
        Ok(io::BufferConfig {
            units: narrow(self.size.get().base() / unit),
            copy_units: narrow(self.copies.get().base() / unit),
            protection: match self.protection.get() {
                Protection::Protected => io::Protection::Protected,
                Protection::Volatile => io::Protection::Volatile,
                Protection::Off => io::Protection::Off,
            },
            admission: modes::admission(self, unit)?,
        })
    }

    /// Refuses a buffer in which word lines cannot fill.
    fn check_size(&self, geometry: &Geometry) -> Result<(), Complaint> {
        let unit = geometry.unit_bytes as u64;
        // Pages are striped over all dies, so the word lines of all dies fill at the same time;
        // with one page a word line, one after another. The first is full when all others lack a
        // page, and the next must fill while it is programmed.
        let layout = Layout::new(Geometry { groups_per_lane: 1, ..*geometry });
        let (dies, page) = (geometry.dies as u64, (layout.plane_slots * layout.slots) as u64);
        let open_pages = (geometry.pages_per_wl as u64 - 1) * dies;
        let least = (open_pages + 2) * page;
        for (value, name) in [(&self.size, "buffer.size"), (&self.copies, "buffer.copies")] {
            if value.get().base() / unit > u64::from(u32::MAX) {
                let message = format!("{name} of {} has more than 2^32 units", value.get());
                return Err((value.at(), message, "use a smaller buffer".to_owned()));
            }
            if value.get().base() / unit < least {
                let message = format!(
                    "{name} of {} is less than {} KiB: {open_pages} pages of word lines that fill \
                     side by side on {dies} dies, and the last pages of two, each {} KiB over the \
                     planes",
                    value.get(),
                    least * unit / 1024,
                    page * unit / 1024
                );
                return Err((value.at(), message, "enlarge it, or use fewer dies".to_owned()));
            }
        }
        Ok(())
    }
}

impl Flash {
    /// Transfers of payload on a channel, without the share of error correction.
    fn payload_rate(&self) -> Bandwidth {
        let overhead = 1.0 + self.bus_overhead.get().fraction();
        Bandwidth::from_base(whole(self.bus.get().base() as f64 / overhead))
    }

    /// How many dies program at once.
    pub(super) fn programs(&self) -> Result<io::ProgramLimits, Complaint> {
        let what = "a die that may program";
        Ok(io::ProgramLimits {
            dies: positive(&self.program_limit, what)?,
            dies_collecting: positive(&self.program_limit_collecting, what)?,
        })
    }
}

/// The times of the dies and of the channels to them.
pub(super) fn nand_timing(drive: &DriveFile, nand: &NandFile) -> io::NandTiming {
    let flash = &drive.flash;
    io::NandTiming {
        sense: nand.sense.iter().map(|t| *t.get()).collect(),
        program: nand.program.iter().map(|t| *t.get()).collect(),
        erase: *nand.erase.get(),
        bus: flash.payload_rate(),
        transfer_overhead: *flash.transfer_overhead.get(),
        write_burst: flash.write_burst.as_ref().map(|burst| burst.get().base()),
        ecc: *drive.controller.ecc.get(),
        independent_planes: nand.independent_plane_reads.get().is_yes(),
        slc_program: nand.slc_program.as_ref().map(|time| *time.get()),
        slc_sense: nand.slc_sense.as_ref().map(|time| *time.get()),
    }
}

impl Suspend {
    /// How programs and erases make way for reads.
    pub(super) fn resolve(&self) -> io::SuspendConfig {
        io::SuspendConfig {
            enabled: self.enabled.get().is_yes(),
            latency: *self.latency.get(),
            closed_window: *self.closed_window.get(),
            erase_segment: (*self.erase_segment.get()).max(Duration::from_us(1)),
            resume: *self.resume.get(),
            max_count: self.max_count.get().number,
            min_run: *self.min_run.get(),
            max_hold: *self.max_hold.get(),
            never_ppm: self.never.get().base().min(1_000_000) as u32,
        }
    }
}

impl PowerFile {
    /// The limit of a power state; the first has none.
    pub(super) fn cap(&self, state: u32) -> Result<Option<Power>, Complaint> {
        if state == 0 {
            return Ok(None);
        }
        match self.states.get(state as usize - 1) {
            Some(cap) => Ok(Some(*cap.get())),
            None => {
                let message =
                    format!("power state {state} is not one of 0 to {}", self.states.len());
                Err((self.idle.at(), message, "choose one of them".to_owned()))
            }
        }
    }

    /// What the work takes, below a limit.
    pub(super) fn resolve(&self, cap: Option<Power>) -> io::PowerConfig {
        io::PowerConfig {
            idle: *self.idle.get(),
            sense: *self.sense.get(),
            transfer_per_byte: *self.transfer.get(),
            program_per_byte: *self.program.get(),
            erase: *self.erase.get(),
            cap,
            cap_window: *self.cap_window.get(),
            rated: self.rated.as_ref().map(|rated| *rated.get()),
        }
    }
}

/// The cells and what the drive does about their errors; `None` if nothing is read wrong.
pub(super) fn cells(drive: &DriveFile, nand: &NandFile) -> Option<io::Cells> {
    let cell = nand.cell.as_ref()?;
    let faults = drive.faults.as_ref();
    Some(io::Cells {
        cell: cell.resolve(),
        rebuild: faults.is_some_and(|faults| faults.rebuilds()),
        refresh: faults.and_then(|faults| faults.refresh()),
    })
}
