//! A drive file: the description of one drive.

use super::faults_file::FaultsFile;
use super::ftl_file::FtlFile;
use super::interface::Interface;
use super::modes_file::{CollectionFile, CompressionFile, SlcFile};
use super::nand_file::YesNo;
use super::policy_file::MapFile;
use super::queues_file::QueuesFile;
use super::read_ahead_file::ReadAheadFile;
use super::sourced::Sourced;
use super::thermal_file::ThermalFile;
use engine::{Bandwidth, Bytes, Count, Duration, Energy, Power, Ratio};
use schemars::JsonSchema;
use serde::Deserialize;

/// One drive, as written in its file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveFile {
    /// Its full name.
    pub name: String,
    /// Other names by which it can be called.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// `flash`, the default.
    #[schemars(extend("const" = "flash"))]
    pub media: Option<String>,
    /// The NAND file that it uses, without directory and extension.
    #[schemars(with = "String")]
    pub nand: toml::Spanned<String>,
    /// Notes on this model.
    #[serde(default)]
    pub note: String,
    /// Capacity, parts and form of the drive.
    pub body: Body,
    /// The interface.
    pub link: Link,
    /// Submission queues; by default commands are taken in the order of arrival.
    pub queues: Option<QueuesFile>,
    /// The processors.
    pub controller: Controller,
    /// Reading ahead of reads in order; by default nothing is read before it is asked for.
    pub read_ahead: Option<ReadAheadFile>,
    /// The write buffer.
    pub buffer: Buffer,
    /// The flash behind the controller.
    pub flash: Flash,
    /// The translation layer.
    pub ftl: FtlFile,
    /// When collection runs; default in the foreground only, paid for by each write.
    pub collection: Option<CollectionFile>,
    /// The SLC cache, if there is one.
    pub slc: Option<SlcFile>,
    /// The map; by default all of it is in memory.
    pub map: Option<MapFile>,
    /// Compression in the controller, if there is any.
    pub compression: Option<CompressionFile>,
    /// Suspension of programs and erases.
    pub suspend: Suspend,
    /// Energies and power states.
    pub power: PowerFile,
    /// How it handles errors of its cells.
    pub faults: Option<FaultsFile>,
    /// Its heat; by default the drive has no temperature.
    pub thermal: Option<ThermalFile>,
}

/// Capacity, parts and form of the drive.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Bytes the host sees.
    pub capacity: Sourced<Bytes>,
    /// Memory on the board.
    pub dram: Option<Sourced<Bytes>>,
}

/// The interface.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Kind, generation and width.
    pub interface: Sourced<Interface>,
    /// Payload of a PCIe packet.
    pub payload: Sourced<Bytes>,
    /// From doorbell to command in the controller.
    pub command_latency: Sourced<Duration>,
}

/// The processors.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Controller {
    /// Cores that share the command work.
    pub cores: Sourced<Count>,
    /// Core time of a read command.
    pub read_cost: Sourced<Duration>,
    /// Core time of a write command.
    pub write_cost: Sourced<Duration>,
    /// Core time of each mapping unit that collection moves.
    pub copy_cost: Sourced<Duration>,
    /// Mapping units that collection moves before the cores look at commands again; each by
    /// itself without it.
    pub copy_batch: Option<Sourced<Count>>,
    /// Core time of a trim or flush.
    pub admin_cost: Sourced<Duration>,
    /// Latency of a read before the access to the flash.
    pub read_front_end: Sourced<Duration>,
    /// Latency of a write from accepted data to acknowledgement.
    pub write_ack: Sourced<Duration>,
    /// Latency of data found in the buffer or not mapped at all (an unmapped read costs this).
    pub buffer_read: Sourced<Duration>,
    /// Decoding of a page.
    pub ecc: Sourced<Duration>,
    /// Data path for writes, if it is slower than link and flash.
    pub write_path: Option<Sourced<Bandwidth>>,
    /// Data path for reads, if it is slower than link and flash.
    pub read_path: Option<Sourced<Bandwidth>>,
    /// The data of a read goes to the host when all of it is there; by default page by page, as
    /// the flash gives it.
    pub whole_reads: Option<Sourced<YesNo>>,
}

/// What the buffer promises.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Protection {
    /// Capacitors.
    Protected,
    /// Lost with power.
    Volatile,
    /// Writes wait for the flash.
    Off,
}

/// The write buffer.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    /// Buffer for host data that is not programmed yet.
    pub size: Sourced<Bytes>,
    /// Buffer for copies that are not programmed yet.
    pub copies: Sourced<Bytes>,
    /// What happens at power loss.
    pub protection: Sourced<Protection>,
    /// How much of one write is admitted before the next has its turn; default all of it.
    pub turn: Option<Sourced<Bytes>>,
    /// The longest write that counts as small.
    pub small: Option<Sourced<Bytes>>,
    /// Part of the buffer that is reserved for small writes.
    pub kept_for_small: Option<Sourced<Bytes>>,
}

/// The flash behind the controller.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flash {
    /// Buses between controller and dies.
    pub channels: Sourced<Count>,
    /// Dies over all channels.
    pub dies: Sourced<Count>,
    /// Packages of the dies; for information only.
    pub packages: Option<Sourced<Count>>,
    /// Transfers of one byte on a channel.
    pub bus: Sourced<Bandwidth>,
    /// Share of the bytes on the bus that is error correction.
    pub bus_overhead: Sourced<Ratio>,
    /// Command and address cycles of a transfer.
    pub transfer_overhead: Sourced<Duration>,
    /// Program data that goes over a channel before a read may go; default one page.
    pub write_burst: Option<Sourced<Bytes>>,
    /// Most dies that program at once, as limited by power or firmware.
    pub program_limit: Sourced<Count>,
    /// The same while collection runs.
    pub program_limit_collecting: Sourced<Count>,
}

/// Suspension of programs and erases.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Suspend {
    /// Whether reads can suspend at all.
    pub enabled: Sourced<YesNo>,
    /// Longest time from request to suspended, as long as a step of a program; uniform from zero.
    pub latency: Sourced<Duration>,
    /// Last part of a program, never suspended.
    pub closed_window: Sourced<Duration>,
    /// Parts of an erase between which it can be suspended.
    pub erase_segment: Sourced<Duration>,
    /// Time to resume.
    pub resume: Sourced<Duration>,
    /// Suspensions of one operation at most.
    pub max_count: Sourced<Count>,
    /// Least run between two suspensions.
    pub min_run: Sourced<Duration>,
    /// Longest time that reads hold a program or an erase back.
    pub max_hold: Sourced<Duration>,
    /// Share of programs that are never suspended.
    pub never: Sourced<Ratio>,
}

/// Energies and power states.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PowerFile {
    /// Drawn always.
    pub idle: Sourced<Power>,
    /// Each sense of a page.
    pub sense: Sourced<Energy>,
    /// Each byte between flash and host.
    pub transfer: Sourced<Energy>,
    /// Each byte programmed.
    pub program: Sourced<Energy>,
    /// Each erase of a block over the planes of a die.
    pub erase: Sourced<Energy>,
    /// Most power of the first state as the maker states it; a fact, no limit.
    pub rated: Option<Sourced<Power>>,
    /// Limit of each power state after the first, which has none.
    #[serde(default)]
    pub states: Vec<Sourced<Power>>,
    /// How long the drive may run above a limit before it holds work back.
    pub cap_window: Sourced<Duration>,
}
