//! The drive behind a subsystem.

use crate::status::Status;

/// What a drive is, for as long as it is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Model, up to 40 characters.
    pub model: String,
    /// Serial number, up to 20 characters.
    pub serial: String,
    /// Firmware, up to 8 characters.
    pub firmware: String,
    /// Bytes that all namespaces together can have.
    pub total_bytes: u64,
    /// Bytes of a logical block, one entry a format, at least one and at most 16. All are powers
    /// of two from 512 on.
    pub formats: Vec<u32>,
    /// Most namespaces.
    pub most_namespaces: u32,
    /// There is a write cache that loses its contents with the power.
    pub volatile_cache: bool,
    /// Power states, at least one and at most 32; 0 is the fastest.
    pub power_states: Vec<PowerState>,
    /// Kelvin at which the drive warns; 0 if it does not say.
    pub warning_kelvin: u16,
    /// Kelvin at which the drive is in danger; 0 if it does not say.
    pub critical_kelvin: u16,
    /// What it can be sanitized with.
    pub sanitize: SanitizeKinds,
    /// Data can be erased by a change of the key.
    pub crypto_erase: bool,
    /// Log page C0h exists.
    pub ocp: bool,
    /// Minutes of an extended self-test; `None` if there are no self-tests.
    pub self_test_minutes: Option<u16>,
}

/// A power state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerState {
    /// Most power in hundredths of a watt.
    pub centiwatts: u16,
    /// Microseconds until it is reached.
    pub entry_us: u32,
    /// Microseconds until it is left.
    pub exit_us: u32,
    /// No command is carried out in it.
    pub idle: bool,
}

/// What a drive can be sanitized with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SanitizeKinds {
    /// Change of the key.
    pub crypto: bool,
    /// Erase of all blocks.
    pub block: bool,
    /// Overwriting of all blocks.
    pub overwrite: bool,
}

/// A namespace that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Namespace {
    /// Its identifier, from 1.
    pub nsid: u32,
    /// Its size.
    pub bytes: u64,
    /// Number of its format in [`Facts::formats`].
    pub format: u8,
    /// Bytes that are allocated.
    pub used_bytes: u64,
    /// Hosts see it.
    pub attached: bool,
    /// An identifier that no other namespace has or had (NGUID).
    pub nguid: [u8; 16],
}

/// Why a command about namespaces or the whole drive is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The size is none that a namespace can have.
    #[error("a namespace cannot have this size")]
    Size,
    /// Less space is free.
    #[error("less space is free")]
    Capacity,
    /// All identifiers are in use.
    #[error("all identifiers are in use")]
    Identifiers,
    /// There is no such namespace.
    #[error("there is no such namespace")]
    Unknown,
    /// It is attached already.
    #[error("it is attached already")]
    Attached,
    /// It is not attached.
    #[error("it is not attached")]
    Detached,
    /// The drive cannot do this.
    #[error("the drive cannot do this")]
    Unsupported,
    /// The drive failed.
    #[error("the drive failed")]
    Failed,
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Size | Refusal::Unknown | Refusal::Unsupported => Status::INVALID_FIELD,
            Refusal::Capacity => Status::NAMESPACE_CAPACITY,
            Refusal::Identifiers => Status::NAMESPACE_IDS,
            Refusal::Attached => Status::ALREADY_ATTACHED,
            Refusal::Detached => Status::NOT_ATTACHED,
            Refusal::Failed => Status::INTERNAL,
        }
    }
}

/// How a drive is sanitized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sanitize {
    /// Erase of all blocks.
    Block,
    /// Change of the key.
    Crypto,
    /// Overwriting of all blocks.
    Overwrite {
        /// How often, from 1 to 16.
        passes: u8,
        /// With what.
        pattern: u32,
        /// The pattern is inverted from pass to pass.
        invert: bool,
    },
}

/// What a format does with data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Erase {
    /// The data need not be erased.
    No,
    /// It is erased.
    User,
    /// It is erased by a change of the key.
    Crypto,
}

/// What the health logs (02h, and C0h of OCP) say. Temperatures are kelvin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Temperature of the drive.
    pub kelvin: u16,
    /// Temperatures of up to eight sensors; 0 is a sensor that does not exist.
    pub sensors: [u16; 8],
    /// Spare blocks left, percent.
    pub spare: u8,
    /// Spare at which the drive warns, percent.
    pub spare_threshold: u8,
    /// Life used, percent; may exceed 100.
    pub used: u8,
    /// The drive is less reliable than it was.
    pub degraded: bool,
    /// The drive takes no more writes.
    pub read_only: bool,
    /// The capacitors that save the write cache have failed.
    pub backup_failed: bool,
    /// Units of 512,000 bytes read by hosts.
    pub units_read: u128,
    /// Units of 512,000 bytes written by hosts.
    pub units_written: u128,
    /// Read commands.
    pub reads: u128,
    /// Write commands.
    pub writes: u128,
    /// Minutes with a command under way.
    pub busy_minutes: u128,
    /// Times that power came on.
    pub power_cycles: u128,
    /// Hours with power.
    pub power_hours: u128,
    /// Power losses without notice.
    pub unsafe_shutdowns: u128,
    /// Errors of the medium that were not corrected.
    pub media_errors: u128,
    /// Minutes at the warning temperature or above it.
    pub warning_minutes: u32,
    /// Minutes at the critical temperature or above it.
    pub critical_minutes: u32,
    /// Times that light and heavy throttling began.
    pub throttles: [u32; 2],
    /// Seconds of light and heavy throttling.
    pub throttled_seconds: [u32; 2],
    /// What only log C0h says.
    pub ocp: OcpHealth,
}

/// What only log C0h says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OcpHealth {
    /// Bytes programmed.
    pub media_written: u128,
    /// Bytes read from the flash.
    pub media_read: u128,
    /// Bad blocks of user data, and what is left of the spare for them, percent.
    pub bad_user_blocks: (u64, u16),
    /// Bad blocks of the drive's own data, and what is left of the spare for them, percent.
    pub bad_system_blocks: (u64, u16),
    /// Reads that only the parity across dies saved.
    pub parity_recoveries: u64,
    /// Reads that failed.
    pub uncorrectable_reads: u64,
    /// Reads that needed more than the first decoder.
    pub soft_errors: u64,
    /// Blocks that were rewritten because of age or reads.
    pub refreshes: u64,
    /// Most and least erases of a block.
    pub erases: [u32; 2],
    /// Times that throttling began.
    pub throttling_events: u8,
    /// 0 to 3: how much is throttled now.
    pub throttling: u8,
    /// Incomplete shutdowns.
    pub incomplete_shutdowns: u32,
    /// Blocks that are free, percent.
    pub free_blocks: u8,
    /// Health of the capacitors, percent; 0xFFFF if there are none.
    pub capacitor: u16,
    /// Commands that did not keep to the mapping unit.
    pub unaligned: u64,
    /// Power-loss protections that ran.
    pub protections: u128,
    /// Bytes that the drive can write in its life.
    pub endurance: u128,
    /// Changes of the power state.
    pub power_changes: u64,
}

/// A drive. Every attached namespace is attached to every controller.
///
/// Times are nanoseconds. What takes time has begun when a method returns how long it takes; the
/// subsystem keeps commands for data away meanwhile where the specification wants it.
pub trait Backend {
    /// What the drive is.
    fn facts(&self) -> &Facts;

    /// What its health logs say at `now`.
    fn health(&self, now: u64) -> Health;

    /// The namespaces, in order of their identifiers.
    fn namespaces(&self) -> Vec<Namespace>;

    /// A namespace by its identifier. Every command for data asks this.
    fn namespace(&self, nsid: u32) -> Option<Namespace> {
        self.namespaces().into_iter().find(|namespace| namespace.nsid == nsid)
    }

    /// Goes to a power state that exists.
    fn set_power_state(&mut self, state: u8);

    /// The write cache is on or off from now on.
    fn set_write_cache(&mut self, on: bool);

    /// Creates a namespace, detached, with a format that exists; returns its identifier.
    ///
    /// # Errors
    /// [`Refusal::Size`], [`Refusal::Capacity`] or [`Refusal::Identifiers`].
    fn create(&mut self, bytes: u64, format: u8) -> Result<u32, Refusal>;

    /// Deletes a namespace.
    ///
    /// # Errors
    /// [`Refusal::Unknown`].
    fn delete(&mut self, nsid: u32) -> Result<(), Refusal>;

    /// Hosts see a namespace, or see it no more.
    ///
    /// # Errors
    /// [`Refusal::Unknown`], [`Refusal::Attached`] or [`Refusal::Detached`].
    fn attach(&mut self, nsid: u32, attached: bool) -> Result<(), Refusal>;

    /// Formats a namespace with a format that exists; returns how long it takes.
    ///
    /// # Errors
    /// If the drive cannot.
    fn format(&mut self, nsid: u32, format: u8, erase: Erase) -> Result<u64, Refusal>;

    /// Begins to sanitize; returns how long it takes.
    ///
    /// # Errors
    /// If the drive cannot.
    fn begin_sanitize(&mut self, how: Sanitize) -> Result<u64, Refusal>;

    /// The time of the sanitize has passed. False if it failed.
    fn end_sanitize(&mut self) -> bool;

    /// Begins a self-test; returns how long it takes.
    ///
    /// # Errors
    /// If the drive cannot.
    fn begin_self_test(&mut self, extended: bool) -> Result<u64, Refusal>;

    /// The time of the self-test has passed. False if it found a fault.
    fn end_self_test(&mut self) -> bool;
}
