//! The probe of a served drive: which commands have ended, and which versions reads found.

use engine::Instant;
use iopath::kernel::command::{Command, CommandId, Status};
use iopath::kernel::data::UNIT;
use iopath::kernel::probe::Probe;

/// A command at its end.
pub(super) struct Done {
    /// Its tag.
    pub(super) slot: u32,
    pub(super) status: Status,
    pub(super) at: Instant,
}

/// What has been seen and not been taken yet.
#[derive(Default)]
pub struct Ends {
    pub(super) done: Vec<Done>,
    /// Set while versions are asked for: the version of each block, from the first of a read on.
    pub(super) wanted: Option<u64>,
    pub(super) versions: Vec<(u64, u32)>,
}

impl Probe<u32> for Ends {
    fn command_done(&mut self, _id: CommandId, command: &Command<u32>, now: Instant) {
        self.done.push(Done { slot: command.tag, status: command.status, at: now });
    }

    fn data_read(&mut self, command: &Command<u32>, units: &[u32]) {
        let Some(block) = self.wanted else { return };
        let units_of_block = usize::try_from(block / UNIT).unwrap_or(1).max(1);
        let found = units.iter().step_by(units_of_block).copied();
        let blocks = (command.start / block..).zip(found);
        self.versions.extend(blocks);
    }
}
