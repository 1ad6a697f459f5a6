//! A drive or system as it is going to be built. The needs of the jobs are known before anything is
//! built or prepared.

use super::options::RunOptions;
use super::scale::Room;
use super::translate::{self, Plan, Setting};
use engine::whole;
use fio::{Diagnostic, JobFile};
use iopath::device::flash::config::{DriveConfig, StateShape};
use iopath::device::flash::drive::DriveState;
use iopath::machine::system::{BlockDevice, NodeSpec, SystemSpec};
use iopath::volume::raid::Layout;
use library::{Least, ResolvedSystem};

/// Least alignment of what is on a system, bytes.
pub(super) const LEAST_UNIT: u64 = 4096;

/// What a rig is built from.
#[derive(Clone)]
pub struct Blueprint {
    pub(super) system: SystemSpec,
    /// Capacity of each device that the model represents, bytes.
    pub(super) real: Vec<u64>,
    pub(super) seed: u64,
    /// Simulated over real bytes.
    pub(super) scale: f64,
    /// Accesses that it is too small for.
    pub(super) least: Vec<Least>,
    /// What a scale in bytes is a part of, bytes.
    drive_bytes: u64,
}

/// The jobs of a file as threads on a system, checked.
pub struct Planned(pub(super) Plan);

impl Blueprint {
    /// A drive or system of this configuration, which is at the scale of the run. `scale` is its
    /// capacity over that of what it represents, above 0 and at most 1; what is outside is taken as
    /// 1.
    pub fn new(system: impl Into<SystemSpec>, scale: f64, seed: u64) -> Self {
        let scale = if scale > 0.0 && scale < 1.0 { scale } else { 1.0 };
        let system: SystemSpec = system.into();
        let (real, least) = (Vec::new(), Vec::new());
        let mut blueprint = Blueprint { system, real, seed, scale, least, drive_bytes: 0 };
        let real = |device: BlockDevice| whole((device.bytes as f64 / scale).round());
        blueprint.real = blueprint.devices().into_iter().map(real).collect();
        blueprint.drive_bytes = blueprint.real.iter().sum();
        blueprint
    }

    /// A drive or system as it was resolved, whose devices have the capacities that were asked for
    /// to the byte.
    pub fn of(resolved: &ResolvedSystem, seed: u64) -> Self {
        let mut blueprint = Blueprint::new(resolved.spec.clone(), resolved.scale, seed);
        blueprint.least.clone_from(&resolved.least);
        blueprint.drive_bytes = resolved.drive_bytes;
        if resolved.devices.len() > 1 || !resolved.spec.namespaces.is_empty() {
            blueprint.real.clone_from(&resolved.devices);
        }
        blueprint
    }

    /// The configuration of its flash drive, if it is a single one.
    pub fn single(&self) -> Option<&DriveConfig> {
        match &self.system.nodes[..] {
            [NodeSpec::Flash(config)] => Some(config),
            _ => None,
        }
    }

    /// What its drives come to in a state that is worth keeping follows from: the shapes of drives
    /// side by side, all of a system with volumes.
    pub(super) fn state_key(&self, state: &DriveState) -> String {
        let system = &self.system;
        let side_by_side = system.nodes.iter().all(|node| matches!(node, NodeSpec::Flash(_)));
        if !side_by_side {
            return format!("{system:?} {state:?} {}", self.seed);
        }
        let shapes: Vec<StateShape<'_>> = self.flash().map(DriveConfig::state_shape).collect();
        format!("{shapes:?} {:?} {state:?} {}", system.namespaces, self.seed)
    }

    /// The configurations of its flash drives, in the order of the specification.
    pub fn flash(&self) -> impl Iterator<Item = &DriveConfig> + Clone {
        self.system.flash()
    }

    /// Plans the jobs of a file for the first run on it.
    ///
    /// # Errors
    /// What the jobs ask and the drive cannot give.
    pub fn plan(&self, file: &JobFile, options: &RunOptions<'_>) -> Result<Planned, Diagnostic> {
        let setting = self.setting(&self.devices(), 0, options);
        translate::plan(&file.jobs, &setting, &options.replays).map(Planned)
    }

    /// The least share of what it represents, 0 to 1, that must be simulated for these jobs to fit.
    ///
    /// # Errors
    /// Jobs that fit at no scale.
    pub fn least_share(&self, file: &JobFile, options: &RunOptions<'_>) -> Result<f64, Diagnostic> {
        let rooms = self.setting(&self.devices(), 0, options).rooms;
        super::needs::least_share(&file.jobs, &rooms, &self.least, &options.replays)
    }

    /// Its devices in a machine that was empty before.
    fn devices(&self) -> Vec<BlockDevice> {
        self.system.host_devices(&self.system.first_addresses())
    }

    /// What a plan for the devices, in the run of a number, depends on besides the job file.
    pub(super) fn setting(
        &self,
        devices: &[BlockDevice],
        run: u64,
        options: &RunOptions<'_>,
    ) -> Setting {
        Setting {
            rooms: devices.iter().enumerate().map(|(i, device)| self.room(i, device)).collect(),
            targets: devices.iter().map(|device| (device.address, device.namespace)).collect(),
            least: self.least.clone(),
            compresses: self.system.flash().any(|config| config.compression.is_some()),
            seed: self.seed,
            run,
            reseed: options.reseed,
            anywhere: options.anywhere && !self.has_disks(),
            shrink: options.shrink,
            host: options.host,
        }
    }

    fn has_disks(&self) -> bool {
        self.system.nodes.iter().any(|node| matches!(node, NodeSpec::Disk(_)))
    }

    fn room(&self, number: usize, device: &BlockDevice) -> Room {
        let node = match self.system.devices.get(number) {
            Some(device) => device.node,
            None => self.system.nodes.len() - 1,
        };
        let flash = self.system.flash_below(node);
        Room {
            real_bytes: self.real[number],
            drive_bytes: self.drive_bytes,
            simulated_bytes: device.bytes,
            unit_bytes: self.unit_bytes(),
            buffer_bytes: flash.map(DriveConfig::buffer_bytes).sum(),
            stripe_bytes: self.stripe_bytes(),
        }
    }

    /// Least unit that everything on it is a multiple of, bytes: the largest mapping unit.
    pub(super) fn unit_bytes(&self) -> u64 {
        self.system.flash().map(DriveConfig::unit_bytes).max().unwrap_or(LEAST_UNIT)
    }

    /// Data in a stripe of the array, bytes; of the widest if there are several, 1 without one.
    fn stripe_bytes(&self) -> u64 {
        let of = |node: &NodeSpec| match node {
            NodeSpec::Raid { config, .. } => Some(Layout::new(config, 0).stripe_bytes()),
            _ => None,
        };
        self.system.nodes.iter().filter_map(of).max().unwrap_or(1).max(1)
    }
}
