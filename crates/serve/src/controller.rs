//! The NVMe controller of a served drive: namespaces, formats, power states, health. The subsystem
//! of [`nvme`] asks it; what the model must do for it is left as [`Order`]s for the server.

use crate::drive::LiveDrive;
use crate::spaces::Spaces;
use engine::Power;
use iopath::device::flash::config::DriveConfig;
use iopath::device::flash::drive::{Drive, NamespaceFault};
use iopath::device::health::Wear;
use nvme::Backend;
use nvme::backend::{Erase, Facts, Health, Namespace, Refusal, Sanitize};

/// Bytes of the unit of the health log.
const UNIT: u128 = 512_000;
/// Kelvin of 0 degrees Celsius.
const FREEZING: f64 = 273.15;
/// Air of a drive whose model has no heat, degrees Celsius.
const AIR: f64 = 25.0;
/// Spare at which a drive warns, percent: what most drives state.
const SPARE_THRESHOLD: u8 = 10;
/// A short self-test ends within two minutes, says the specification.
const SHORT_SELF_TEST_NS: u64 = 120_000_000_000;

/// What a controller is told about its drive, beside the model of its flash.
#[derive(Clone, Debug)]
pub struct About {
    /// What hosts are told.
    pub facts: Facts,
    /// Qualified name of the subsystem.
    pub name: String,
    /// The limit of each power state.
    pub caps: Vec<Option<Power>>,
    /// Erases that a block is rated for.
    pub rated_cycles: Option<f64>,
    /// Nanoseconds in which the real drive erases all of its flash.
    pub erase_ns: u64,
}

/// What the model has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A range of the device is given up: first byte, bytes.
    GiveUp(u64, u64),
    /// The drive keeps its mean power below a limit.
    Limit(Option<Power>),
}

/// A controller.
#[derive(Debug)]
pub struct Controller {
    about: About,
    spaces: Spaces,
    health: Health,
    write_cache: bool,
    orders: Vec<Order>,
}

impl Controller {
    /// A controller of a device with these namespaces.
    pub fn new(about: About, spaces: Spaces) -> Self {
        Controller {
            about,
            spaces,
            health: Health::default(),
            write_cache: true,
            orders: Vec::new(),
        }
    }

    /// Takes the health of the drive, for the next that asks.
    pub fn look(&mut self, drive: &LiveDrive) {
        self.health = health(drive, self.about.rated_cycles);
    }

    /// The namespaces as hosts have made them.
    pub fn spaces(&self) -> &Spaces {
        &self.spaces
    }

    /// What the model has to do.
    pub fn take_orders(&mut self) -> Vec<Order> {
        std::mem::take(&mut self.orders)
    }

    /// Whether every write must be durable before it ends.
    pub fn writes_through(&self) -> bool {
        !self.write_cache
    }

    /// First byte of a namespace on the device.
    pub fn start(&self, nsid: u32) -> Option<u64> {
        self.range(nsid).map(|(start, _)| start)
    }

    /// First byte and bytes of a namespace on the device.
    pub fn range(&self, nsid: u32) -> Option<(u64, u64)> {
        self.spaces.held.get(number(nsid)?).ok().map(|space| (space.start, space.bytes))
    }

    /// Time for a share of the flash.
    fn erase_ns(&self, bytes: u64) -> u64 {
        let share = bytes as f64 / self.spaces.held.total().max(1) as f64;
        engine::whole(self.about.erase_ns as f64 * share)
    }

    fn shown(&self, number: u16, bytes: u64, attached: bool) -> Namespace {
        let (format, times) = self.spaces.formats.get(&number).copied().unwrap_or_default();
        // The first bytes are of no organisation that exists; the last say which namespace it is.
        let mut nguid = *b"drivelab model\0\0";
        nguid[14] = u8::try_from(number).unwrap_or(u8::MAX);
        nguid[15] = times;
        Namespace { nsid: u32::from(number) + 1, bytes, format, used_bytes: bytes, attached, nguid }
    }
}

/// The number of a namespace with this identifier.
fn number(nsid: u32) -> Option<u16> {
    u16::try_from(nsid.checked_sub(1)?).ok()
}

fn refusal(fault: NamespaceFault) -> Refusal {
    match fault {
        NamespaceFault::Size => Refusal::Size,
        NamespaceFault::Capacity => Refusal::Capacity,
        NamespaceFault::Identifiers => Refusal::Identifiers,
        NamespaceFault::Unknown => Refusal::Unknown,
        NamespaceFault::Attached => Refusal::Attached,
        NamespaceFault::Detached => Refusal::Detached,
    }
}

impl Backend for Controller {
    fn facts(&self) -> &Facts {
        &self.about.facts
    }

    fn health(&self, _now: u64) -> Health {
        self.health.clone()
    }

    fn namespaces(&self) -> Vec<Namespace> {
        let all = self.spaces.held.iter();
        all.map(|(number, space, attached)| self.shown(number, space.bytes, attached)).collect()
    }

    fn namespace(&self, nsid: u32) -> Option<Namespace> {
        let wanted = number(nsid)?;
        let mut all = self.spaces.held.iter();
        let (number, space, attached) = all.find(|(number, ..)| *number == wanted)?;
        Some(self.shown(number, space.bytes, attached))
    }

    fn set_power_state(&mut self, state: u8) {
        let cap = self.about.caps.get(usize::from(state)).copied().flatten();
        self.orders.push(Order::Limit(cap));
    }

    fn set_write_cache(&mut self, on: bool) {
        self.write_cache = on;
    }

    fn create(&mut self, bytes: u64, format: u8) -> Result<u32, Refusal> {
        let number = self.spaces.held.create(bytes).map_err(refusal)?;
        let (_, times) = self.spaces.formats.get(&number).copied().unwrap_or_default();
        self.spaces.formats.insert(number, (format, times.wrapping_add(1)));
        Ok(u32::from(number) + 1)
    }

    fn delete(&mut self, nsid: u32) -> Result<(), Refusal> {
        let gone =
            self.spaces.held.delete(number(nsid).ok_or(Refusal::Unknown)?).map_err(refusal)?;
        self.orders.push(Order::GiveUp(gone.start, gone.bytes));
        Ok(())
    }

    fn attach(&mut self, nsid: u32, attached: bool) -> Result<(), Refusal> {
        let number = number(nsid).ok_or(Refusal::Unknown)?;
        match attached {
            true => self.spaces.held.attach(number),
            false => self.spaces.held.detach(number),
        }
        .map_err(refusal)
    }

    fn format(&mut self, nsid: u32, format: u8, erase: Erase) -> Result<u64, Refusal> {
        let number = number(nsid).ok_or(Refusal::Unknown)?;
        let space = self.spaces.held.get(number).map_err(refusal)?;
        self.spaces.formats.entry(number).or_default().0 = format;
        self.orders.push(Order::GiveUp(space.start, space.bytes));
        Ok(if erase == Erase::User { self.erase_ns(space.bytes) } else { 0 })
    }

    fn begin_sanitize(&mut self, how: Sanitize) -> Result<u64, Refusal> {
        let total = self.spaces.held.total();
        self.orders.push(Order::GiveUp(0, total));
        match how {
            Sanitize::Block => Ok(self.erase_ns(total)),
            Sanitize::Crypto => Ok(0),
            Sanitize::Overwrite { .. } => Err(Refusal::Unsupported),
        }
    }

    fn end_sanitize(&mut self) -> bool {
        true
    }

    fn begin_self_test(&mut self, extended: bool) -> Result<u64, Refusal> {
        let minutes = self.about.facts.self_test_minutes.ok_or(Refusal::Unsupported)?;
        Ok(if extended { u64::from(minutes) * 60_000_000_000 } else { SHORT_SELF_TEST_NS })
    }

    fn end_self_test(&mut self) -> bool {
        self.health.media_errors == 0
    }
}

/// The health of the drive that is served, as its logs say it: volumes are those of the part that
/// clients see.
fn health(live: &LiveDrive, rated_cycles: Option<f64>) -> Health {
    let Some(address) = live.flash().next() else { return Health::default() };
    let drive = live.machine().drive(address);
    let now = live.now();
    let (counted, wear) = (drive.health(), wear(drive));
    let celsius = drive.heat(now).map_or(AIR, |heat| heat.celsius());
    let kelvin = engine::whole((celsius + FREEZING).max(0.0));
    let blocks = drive.ftl().block_counts();
    let spare = blocks.map_or(100, |blocks| blocks.spare_percent());
    let used = rated_cycles.map_or(0.0, |rated| 100.0 * wear.mean() / rated);
    Health {
        kelvin: u16::try_from(kelvin).unwrap_or(u16::MAX),
        spare,
        spare_threshold: SPARE_THRESHOLD,
        read_only: drive.ftl().is_read_only(),
        used: u8::try_from(engine::whole(used.clamp(0.0, 255.0))).unwrap_or(u8::MAX),
        units_read: u128::from(counted.host_read_bytes).div_ceil(UNIT),
        units_written: u128::from(counted.host_write_bytes).div_ceil(UNIT),
        reads: counted.read_commands.into(),
        writes: counted.write_commands.into(),
        power_cycles: u128::from(live.power_cycles()),
        power_hours: u128::from(engine::whole(live.power_on_s() / 3600.0)),
        unsafe_shutdowns: counted.unsafe_shutdowns.into(),
        media_errors: counted.media_errors.into(),
        ocp: nvme::backend::OcpHealth {
            media_written: u128::from(live.programmed_bytes(address)),
            bad_user_blocks: (blocks.map_or(0, |blocks| blocks.grown.into()), spare.into()),
            erases: [wear.max, wear.min],
            free_blocks: free_blocks(drive),
            capacitor: 0xFFFF,
            ..nvme::backend::OcpHealth::default()
        },
        ..Health::default()
    }
}

/// Erases of the blocks of a drive, those of its age counted in.
pub(crate) fn wear(drive: &Drive<u32>) -> Wear {
    Wear::of(drive.ftl().pool().erases()).after(drive.health().cycles_at_start)
}

fn free_blocks(drive: &Drive<u32>) -> u8 {
    let (ftl, layout) = (drive.ftl(), drive.ftl().layout());
    let all = u64::from(layout.groups) * u64::from(layout.group_data_units);
    let free = u64::from(ftl.pool().free_stripes()) * u64::from(layout.stripe_data_units());
    u8::try_from((100 * free / all.max(1)).min(100)).unwrap_or(100)
}

/// Nanoseconds in which all dies of the real drive erase their blocks, one after the other: that of
/// a block, times the blocks of a die.
pub fn erase_ns(config: &DriveConfig, real_bytes: u64) -> u64 {
    let dies = f64::from(config.geometry.dies).max(1.0);
    let blocks = real_bytes as f64 / dies / config.erase_bytes.max(1) as f64;
    engine::whole(blocks.ceil() * config.nand.erase.ns() as f64)
}

/// Minutes in which the real drive reads all of its flash once over its channels.
pub fn self_test_minutes(config: &DriveConfig, real_bytes: u64) -> u16 {
    let rate = config.nand.bus.base() as f64 * f64::from(config.geometry.channels);
    let minutes = engine::whole((real_bytes as f64 / rate.max(1.0) / 60.0).ceil());
    u16::try_from(minutes).unwrap_or(u16::MAX).max(1)
}
