//! Finding where data is when only a part of the map is in memory: commands wait for the
//! translation pages that they need, and changed pages go through the write buffer.

use super::Drive;
use super::buffer::Room;
use crate::device::flash::nand::ReadOwner;
use crate::kernel::Context;
use crate::kernel::command::{CommandId, Op};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::narrow;
use std::collections::BTreeMap;

/// What waits for translation pages.
#[derive(Default)]
pub(super) struct Translation {
    /// Commands that wait for a page that is being read.
    loads: BTreeMap<u32, Vec<CommandId>>,
    /// Pages that a command still waits for.
    missing: BTreeMap<u32, u32>,
}

impl Translation {
    /// Forgets everything: power has failed, or the drive.
    pub(super) fn clear(&mut self) {
        self.loads.clear();
        self.missing.clear();
    }
}

impl<P: Payload> Drive<P> {
    /// Looks up the translation pages of a command and requests those that are missing. True if
    /// none is.
    pub(super) fn translate<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
    ) -> bool {
        let command = *context.commands.get(id);
        if command.len == 0 || !matches!(command.op, Op::Read | Op::Write) {
            return true;
        }
        let start = self.on_drive(&command);
        let first = narrow(start / self.unit_bytes);
        let end = narrow((start + command.len as u64).div_ceil(self.unit_bytes));
        let mut missing = 0;
        for page in self.ftl.translation_pages(first, end) {
            if self.ftl.look_up_page(page) {
                continue;
            }
            if let Some(waiters) = self.translation.as_mut().and_then(|t| t.loads.get_mut(&page)) {
                waiters.push(id);
                missing += 1;
                continue;
            }
            let on_flash = self.ftl.page_on_flash(page);
            match on_flash.filter(|&unit| !self.stripes.in_buffer(self.ftl.layout(), unit)) {
                None => self.ftl.insert_page(page),
                Some(unit) => {
                    let (owner, mut pending) = (ReadOwner::Map(page), None);
                    self.ask(
                        context,
                        owner,
                        unit,
                        0,
                        self.unit_bytes.min(self.page_bytes()),
                        &mut pending,
                    );
                    if let Some(last) = pending {
                        self.issue(context, last.read);
                    }
                    if let Some(translation) = &mut self.translation {
                        translation.loads.insert(page, vec![id]);
                    }
                    missing += 1;
                }
            }
        }
        if missing > 0
            && let Some(translation) = &mut self.translation
        {
            translation.missing.insert(id.0, missing);
        }
        missing == 0
    }

    pub(super) fn page_bytes(&self) -> u64 {
        self.config.geometry.page_bytes as u64
    }

    /// A translation page has been read: the commands that waited for no other continue.
    pub(super) fn translated<O: Probe<P>>(&mut self, context: &mut Context<P, O>, page: u32) {
        self.ftl.insert_page(page);
        let Some(translation) = &mut self.translation else { return };
        let mut found = Vec::new();
        for id in translation.loads.remove(&page).unwrap_or_default() {
            if let Some(missing) = translation.missing.get_mut(&id.0) {
                *missing -= 1;
                if *missing == 0 {
                    translation.missing.remove(&id.0);
                    found.push(id);
                }
            }
        }
        for id in found {
            self.dispatch(context, id);
        }
        self.go_on(context);
    }

    /// Writes translation pages that have left the cache, before any data of the host.
    pub(super) fn write_leaving_pages<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        if self.ftl.is_read_only() {
            self.ftl.forget_map(false);
        }
        while self.ftl.has_leaving_page()
            && self.buffer.has_room(Room::Common, 0, self.ftl.full_size())
            && !self.is_behind()
            && self.ftl.can_place_host()
        {
            self.ftl.place_leaving_page();
            self.ftl.end_command();
            self.buffer.enter(self.ftl.full_size());
            if self.ftl.has_opened() {
                self.track_opened(context.queue.now());
            }
        }
    }
}
