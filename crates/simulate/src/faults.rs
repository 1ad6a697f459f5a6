//! Events besides the load: drives fail and are replaced, power is lost.

use super::observe::Observer;
use super::options::RunOptions;
use super::rig::Rig;
use engine::Duration;
use fio::{Diagnostic, JobFile};
use iopath::host::workload::Workload;
use iopath::kernel::command::{Command, Op};
use iopath::machine::Node;
use iopath::volume::raid::{Raid, RaidHealth, RaidStatus, SyncPolicy};

impl Rig {
    /// Places of all drives in the specification: flash, disks and 3D XPoint, in its order.
    pub fn members(&self) -> Vec<usize> {
        self.blueprint.system.drive_places().collect()
    }

    /// A drive dies. What is above learns of it with its next command.
    pub fn fail_member(&mut self, member: usize) {
        if let Some(place) = self.members().get(member) {
            self.machine.fail(self.built.addresses[*place]);
        }
    }

    /// The array nearest to the host, if there is one.
    pub fn array(&self) -> Option<RaidStatus> {
        Some(self.raid()?.status())
    }

    fn raid(&self) -> Option<&Raid<()>> {
        Some(self.machine.raid(self.built.addresses[self.array_place()?]))
    }

    fn array_place(&self) -> Option<usize> {
        self.blueprint.system.array_place()
    }

    /// Which of the drives is the first of the array nearest to the host.
    pub fn array_member(&self) -> Option<usize> {
        let system = &self.blueprint.system;
        let first = *system.leaves_below(self.array_place()?).first()?;
        self.members().iter().position(|place| *place == first)
    }

    /// Spare drives of the array nearest to the host.
    pub fn array_spares(&self) -> u32 {
        self.raid().map_or(0, |raid| raid.config().spares)
    }

    /// Bytes of each member of the array nearest to the host that hold data or redundancy, as
    /// simulated.
    pub fn member_bytes(&self) -> Option<u64> {
        Some(self.raid()?.layout().member_bytes())
    }

    /// Whether a member of the array nearest to the host has an SLC cache: writes in order get
    /// slower behind it.
    pub fn array_has_slc_cache(&self) -> bool {
        let Some(place) = self.array_place() else { return false };
        let has = |leaf: &usize| match self.machine.node(self.built.addresses[*leaf]) {
            Node::Drive(drive) => drive.config().policies.slc.is_some(),
            _ => false,
        };
        self.blueprint.system.leaves_below(place).iter().any(has)
    }

    /// The pace of a rebuild or resync of the array nearest to the host.
    pub fn sync_policy(&self) -> Option<&SyncPolicy> {
        Some(&self.raid()?.config().sync)
    }

    /// Rebuilds of the array nearest to the host stay at their beginning until
    /// [`Rig::finish_recovery`], however small the part of it that is simulated: no row counts as
    /// rebuilt.
    pub fn hold_rebuild(&mut self) {
        if let Some(place) = self.array_place() {
            self.machine.hold_rebuild(self.built.addresses[place]);
        }
    }

    /// Puts a new drive of the same model in the place of one that failed, which the array then
    /// rebuilds.
    ///
    /// # Errors
    /// If the drive is not a member of an array.
    pub fn replace_member(&mut self, member: usize) -> Result<(), String> {
        let wrong = || format!("drive {member} is not a member of an array");
        let leaf = *self.members().get(member).ok_or_else(wrong)?;
        let dead = self.built.addresses[leaf];
        let blueprint = &self.blueprint;
        if !blueprint.system.replace(&mut self.machine, &mut self.built, leaf, blueprint.seed) {
            return Err(wrong());
        }
        for drive in self.flash.iter_mut().filter(|drive| **drive == dead) {
            *drive = self.built.addresses[leaf];
        }
        Ok(())
    }

    /// Whether the array nearest to the host has all members and they agree; true without one.
    pub fn is_whole(&self) -> bool {
        let whole =
            |status: RaidStatus| matches!(status.health, RaidHealth::Clean | RaidHealth::Dirty);
        self.array().is_none_or(whole)
    }

    /// Switches everything off in good order and on again: what volatile caches hold is written
    /// first, and what a tier does not keep over a restart is forgotten.
    pub fn restart(&mut self) {
        self.machine.resume();
        for device in self.built.devices.clone() {
            let (target, namespace) = (device.address, device.namespace);
            self.machine.issue(Command { target, namespace, ..Command::new(Op::Flush, 0, 0) });
        }
        self.machine.drain();
        for &address in &self.built.addresses {
            if let Node::Tier(tier) = self.machine.node_mut(address) {
                tier.restart();
            }
        }
    }

    /// Runs the first phase of a job file for a time, then power fails everywhere and is back at
    /// once. Returns how many bytes of acknowledged data were lost, as simulated.
    ///
    /// # Errors
    /// What the jobs ask and the system cannot give, before anything is run.
    pub fn cut_power(
        &mut self,
        file: &JobFile,
        options: &RunOptions<'_>,
        after: Duration,
    ) -> Result<u64, Diagnostic> {
        let plan = self.plan(file, options)?.0;
        self.runs += 1;
        for extent in &plan.layout {
            self.lay_out(*extent);
        }
        self.machine.resume();
        let first = plan.threads.into_iter().filter(|thread| thread.phase == 0);
        let specs = first.map(|thread| thread.spec).collect();
        self.machine.context.probe = Observer::default();
        let node = self.machine.add(|node| Node::Workload(Box::new(Workload::new(specs, 0, node))));
        let at = self.machine.context.queue.now() + after;
        self.machine.start(node);
        self.machine.run_to(at);
        self.machine.stop(node);
        Ok(self.machine.power_cut_all())
    }

    /// Bytes that all drives have read and written for the nodes above them.
    pub fn moved_bytes(&self) -> u64 {
        let of = |place: &usize| {
            let health = match self.machine.node(self.built.addresses[*place]) {
                Node::Drive(drive) => *drive.health(),
                Node::Disk(disk) => *disk.health(),
                Node::XPoint(module) => *module.health(),
                _ => return 0,
            };
            health.host_read_bytes + health.host_write_bytes
        };
        self.members().iter().map(of).sum()
    }

    /// What is left of a rebuild or resync is done in zero time.
    pub fn finish_recovery(&mut self) {
        if let Some(place) = self.array_place() {
            self.machine.finish_recovery(self.built.addresses[place]);
            self.machine.resume();
        }
    }
}
