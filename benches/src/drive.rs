//! The drive of the works, as the field's public simulators were measured on it: 8 channels, PCIe
//! of 4 GB/s, channels of 800 MT/s, tR 50 us, tPROG 600 us, tBERS 3 ms, no suspend, spare 12.5 %
//! of raw, write buffer 256 MiB, pages of 4 KiB.

use engine::{Bandwidth, Duration, Energy, Power};
use iopath::device::flash::cell::age::Age;
use iopath::device::flash::cell::ecc::Ecc;
use iopath::device::flash::cell::endurance::Class;
use iopath::device::flash::cell::states::Coding;
use iopath::device::flash::cell::{CellConfig, CellModel};
use iopath::device::flash::config::Cells;
use iopath::device::flash::config::*;
use iopath::device::flash::ftl::RESERVE_STRIPES;
use iopath::device::flash::ftl::slc::{SlcPolicy, WhenFull};
use iopath::device::flash::ftl::stream::Lines;
use iopath::device::flash::ftl::victim::VictimPolicy;
use iopath::device::flash::geometry::{Geometry, GroupSpan, Layout};

/// Shape of the flash; two planes a die.
#[derive(Clone, Copy)]
pub struct Flash {
    /// Dies over all channels.
    pub dies: u32,
    /// Blocks of a plane, as raw capacity.
    pub blocks: u32,
    /// Pages of a block.
    pub pages: u32,
}

/// What a drive has besides.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// Nothing.
    None,
    /// Cells that err, half of their rated cycles used.
    Aged,
    /// An SLC cache that is folded while writes wait.
    Folding,
}

/// Bits of a cell under the cache.
const BITS: u32 = 3;

/// Cells of three bits, as in `models/nand/tlc-144l-fg.toml`.
fn tlc() -> CellConfig {
    CellConfig {
        coding: Coding::Tlc124,
        separation: 695.0,
        step: 200.0,
        noise: 70.0,
        growth: 33.0,
        wear_exponent: 0.4,
        reference_cycles: 8000.0,
        loss: 250.0,
        loss_spread: 0.38,
        disturb: 1e-9,
        programming: 1.0,
        screening: 1.0,
        ecc: Ecc { bits: 120, data_bytes: 1024 },
        retries: 40,
        retry_step: 20.0,
        class: Class::Enterprise,
    }
}

/// Half of the rated cycles; the data was written just now, so that reads need no retries.
pub fn half_worn() -> Age {
    let rated = CellModel::new(tlc()).rated_cycles();
    Age { cycles: rated / 2.0, hours: 0.0, reads: 0.0 }
}

/// A cache beside the spare area.
fn cache(geometry: &mut Geometry) -> SlcPolicy {
    let rows = geometry.rows / BITS;
    let stripe = Lines::slc(rows).stripe_units(&Layout::new(*geometry)) as u64;
    geometry.groups_per_lane += CACHE_STRIPES;
    SlcPolicy {
        bits: BITS,
        rows,
        static_units: CACHE_STRIPES as u64 * stripe,
        dynamic_units: 0,
        when_full: WhenFull::Fold,
    }
}

/// Stripes of the cache: 64 x 8 MiB, twice the write buffer.
const CACHE_STRIPES: u32 = 64;

/// The drive of a work.
pub fn config(flash: Flash, special: Special) -> DriveConfig {
    let mut config = plain(flash);
    match special {
        Special::None => {}
        Special::Aged => {
            config.nand.sense = vec![Duration::from_us(50); 3];
            config.cells = Some(Cells { cell: tlc(), rebuild: false, refresh: None });
        }
        Special::Folding => {
            config.geometry.pages_per_wl = BITS;
            config.nand.sense = vec![Duration::from_us(50)];
            config.nand.slc_program = Some(Duration::from_us(200));
            config.nand.slc_sense = Some(Duration::from_us(25));
            config.policies.slc = Some(cache(&mut config.geometry));
        }
    }
    config
}

fn plain(flash: Flash) -> DriveConfig {
    let raw = flash.dies as u64 * 2 * flash.blocks as u64 * flash.pages as u64 * 4096;
    let user = raw / 8 * 7;
    DriveConfig {
        name: "bench".to_owned(),
        user_bytes: user,
        geometry: shape(flash),
        erase_bytes: 2 * flash.pages as u64 * 4096,
        policies: VictimPolicy::Greedy.into(),
        collection: iopath::device::flash::config::CollectionConfig::default(),
        compression: None,
        link: link(),
        queues: None,
        controller: controller(),
        read_ahead: None,
        buffer: BufferConfig {
            units: 65_536,
            copy_units: 8192,
            protection: Protection::Protected,
            admission: Default::default(),
        },
        nand: nand(),
        suspend: no_suspension(),
        programs: ProgramLimits { dies: flash.dies, dies_collecting: flash.dies },
        cells: None,
        heat: None,
        power: no_power(),
    }
}

/// The flash with its reserve.
fn shape(flash: Flash) -> Geometry {
    Geometry {
        channels: 8,
        dies: flash.dies,
        planes: 2,
        page_bytes: 4096,
        pages_per_wl: 1,
        rows: flash.pages,
        unit_bytes: 4096,
        span: GroupSpan::Block,
        // The raw capacity is the closed pool; reserve and open blocks come on top.
        groups_per_lane: flash.blocks + RESERVE_STRIPES + 1,
        parity_period: 0,
    }
}

/// PCIe of 4 GB/s.
fn link() -> LinkConfig {
    LinkConfig {
        down: Bandwidth::from_base(4_000_000_000),
        up: Bandwidth::from_base(4_000_000_000),
        queue_limit: u32::MAX,
        half_duplex: false,
        command_latency: Duration::ZERO,
        completion_latency: Duration::ZERO,
        jitter: None,
    }
}

/// A core whose work takes no time.
fn controller() -> ControllerConfig {
    ControllerConfig {
        cores: 1,
        read_cost: Duration::ZERO,
        write_cost: Duration::ZERO,
        copy_cost: Duration::ZERO,
        copy_batch: 1,
        admin_cost: Duration::ZERO,
        write_path: None,
        read_path: None,
        whole_reads: false,
        read_front_end: Duration::ZERO,
        write_ack: Duration::ZERO,
        buffer_read: Duration::from_us(1),
    }
}

/// One page type, programmed a page at a time.
fn nand() -> NandTiming {
    NandTiming {
        sense: vec![Duration::from_us(50)],
        program: vec![Duration::from_us(600)],
        erase: Duration::from_ms(3),
        bus: Bandwidth::from_base(800_000_000),
        transfer_overhead: Duration::ZERO,
        write_burst: None,
        ecc: Duration::ZERO,
        independent_planes: false,
        slc_program: None,
        slc_sense: None,
    }
}

/// No suspension.
fn no_suspension() -> SuspendConfig {
    SuspendConfig {
        enabled: false,
        latency: Duration::ZERO,
        closed_window: Duration::ZERO,
        erase_segment: Duration::from_ms(3),
        resume: Duration::ZERO,
        max_count: 0,
        min_run: Duration::ZERO,
        max_hold: Duration::from_us(200),
        never_ppm: 0,
    }
}

/// Nothing draws power.
fn no_power() -> PowerConfig {
    PowerConfig {
        idle: Power::default(),
        sense: Energy::default(),
        transfer_per_byte: Energy::default(),
        program_per_byte: Energy::default(),
        erase: Energy::default(),
        cap: None,
        cap_window: Duration::ZERO,
        rated: None,
    }
}
