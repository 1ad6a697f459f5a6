//! What the messages of a frontend change in the device.

use crate::config::{ENTRIES, FEATURES, QUEUES, SPACE, WRITEBACK_AT};
use crate::device::Device;
use crate::inflight::{self, Inflight, Shape};
use crate::memory::SLOTS;
use crate::ring::{Place, Ring};
use rustix::fs::OFlags;
use std::fs::File;
use std::io;
use std::sync::Arc;
use vhost::vhost_user::message::{
    VhostTransferStateDirection, VhostTransferStatePhase, VhostUserConfigFlags, VhostUserInflight,
    VhostUserLog, VhostUserMemoryRegion, VhostUserProtocolFeatures, VhostUserShMemConfig,
    VhostUserSharedMsg, VhostUserSingleMemoryRegion, VhostUserVirtioFeatures,
    VhostUserVringAddrFlags, VhostUserVringState,
};
use vhost::vhost_user::{Error, GpuBackend, Result, VhostUserBackendReqHandlerMut};

/// A region as a frontend may want to know it: it never does, without migration.
type Base = u64;

/// The frontend and the device agree on more than virtio has.
const PROTOCOL: u64 = VhostUserVirtioFeatures::PROTOCOL_FEATURES.bits();

fn refused<T>(why: &'static str) -> Result<T> {
    Err(Error::InvalidOperation(why))
}

fn wrong(why: String) -> Error {
    Error::ReqHandlerError(io::Error::other(why))
}

/// An event that nobody waits for, whoever holds the other end of it.
fn event(file: Option<File>) -> Result<Option<File>> {
    if let Some(file) = &file {
        let flags = rustix::fs::fcntl_getfl(file);
        flags
            .and_then(|flags| rustix::fs::fcntl_setfl(file, flags | OFlags::NONBLOCK))
            .map_err(|error| Error::ReqHandlerError(error.into()))?;
    }
    Ok(file)
}

fn shape(of: &VhostUserInflight) -> Result<Shape> {
    let shape = Shape { queues: of.num_queues, entries: of.queue_size };
    match shape.is_possible() {
        true => Ok(shape),
        false => refused("there are not so many queues or entries"),
    }
}

impl Device {
    fn ring(&mut self, index: u32) -> Result<&mut Ring> {
        let ring = usize::try_from(index).ok().and_then(|index| self.rings.get_mut(index));
        ring.ok_or(Error::InvalidOperation("there is no such queue"))
    }

    /// The same while it does not run.
    fn resting(&mut self, index: u32) -> Result<&mut Ring> {
        let ring = self.ring(index)?;
        if ring.is_begun() {
            return refused("a queue is changed while it runs");
        }
        Ok(ring)
    }

    /// Memory has changed: queues that run must still be in it.
    fn check(&self, changed: std::result::Result<(), String>) -> Result<Option<Vec<Base>>> {
        changed.map_err(wrong)?;
        match self.lost_ring() {
            true => refused("a queue that runs has lost its memory"),
            false => Ok(None),
        }
    }
}

impl VhostUserBackendReqHandlerMut for Device {
    fn set_owner(&mut self) -> Result<()> {
        Ok(())
    }

    fn reset_owner(&mut self) -> Result<()> {
        // What became of this message: nothing runs, and all else stays.
        for ring in &mut self.rings {
            ring.end();
            ring.enabled = false;
        }
        Ok(())
    }

    fn reset_device(&mut self) -> Result<()> {
        self.reset();
        Ok(())
    }

    fn get_features(&mut self) -> Result<u64> {
        Ok(FEATURES | PROTOCOL)
    }

    fn set_features(&mut self, features: u64) -> Result<()> {
        if features & !(FEATURES | PROTOCOL) != 0 {
            return refused("features were agreed to that are not there");
        }
        self.features = features;
        Ok(())
    }

    fn set_mem_table(
        &mut self,
        regions: &[VhostUserMemoryRegion],
        files: Vec<File>,
        _postcopy: Option<bool>,
    ) -> Result<Option<Vec<Base>>> {
        let changed = self.memory.set(regions, files);
        self.check(changed)
    }

    fn set_vring_num(&mut self, index: u32, entries: u32) -> Result<()> {
        let ring = self.resting(index)?;
        match u16::try_from(entries) {
            Ok(entries) if entries.is_power_of_two() && entries <= ENTRIES => {
                ring.entries = entries;
                Ok(())
            }
            _ => refused("a queue has a power of two of entries, 1024 at most"),
        }
    }

    fn set_vring_addr(
        &mut self,
        index: u32,
        _flags: VhostUserVringAddrFlags,
        descriptors: u64,
        used: u64,
        available: u64,
        _log: u64,
    ) -> Result<()> {
        let place = |address| self.memory.guest_address(address);
        let (descriptors, available, used) = (place(descriptors), place(available), place(used));
        let (Some(descriptors), Some(available), Some(used)) = (descriptors, available, used)
        else {
            return refused("a ring lies outside of memory");
        };
        self.resting(index)?.place = Place { descriptors, available, used };
        Ok(())
    }

    fn set_vring_base(&mut self, index: u32, base: u32) -> Result<()> {
        let base = u16::try_from(base).map_err(|_| Error::InvalidParam)?;
        self.resting(index)?.base = base;
        Ok(())
    }

    fn get_vring_base(&mut self, index: u32) -> Result<VhostUserVringState> {
        let base = self.ring(index)?.end();
        Ok(VhostUserVringState::new(index, base.into()))
    }

    fn set_vring_kick(&mut self, index: u8, file: Option<File>) -> Result<()> {
        let Some(file) = event(file)? else {
            return refused("a queue without kicks would have to be looked at all the time");
        };
        let (event_idx, is_plain) = (self.has_events(), self.features & PROTOCOL == 0);
        let queue = usize::from(index);
        let Some(ring) = self.rings.get_mut(queue) else {
            return refused("there is no such queue");
        };
        ring.kick = Some(Arc::new(file));
        ring.enabled |= is_plain;
        if !ring.is_begun() {
            let note = self.inflight.as_ref().map(|inflight| (inflight, queue));
            let begun = ring.begin(self.memory.mapped(), event_idx, note);
            begun.map_err(|error| wrong(format!("queue {queue} cannot begin: {error}")))?;
        }
        Ok(())
    }

    fn set_vring_call(&mut self, index: u8, file: Option<File>) -> Result<()> {
        self.ring(index.into())?.call = event(file)?;
        Ok(())
    }

    fn set_vring_err(&mut self, index: u8, _file: Option<File>) -> Result<()> {
        // A queue that fails ends the connection, which is told louder.
        self.ring(index.into()).map(drop)
    }

    fn get_protocol_features(&mut self) -> Result<VhostUserProtocolFeatures> {
        Ok(VhostUserProtocolFeatures::MQ
            | VhostUserProtocolFeatures::CONFIG
            | VhostUserProtocolFeatures::RESET_DEVICE
            | VhostUserProtocolFeatures::INFLIGHT_SHMFD
            | VhostUserProtocolFeatures::CONFIGURE_MEM_SLOTS
            | VhostUserProtocolFeatures::REPLY_ACK)
    }

    fn set_protocol_features(&mut self, _features: u64) -> Result<()> {
        // The handler of messages keeps them: it asks nothing that they do not allow.
        Ok(())
    }

    fn get_queue_num(&mut self) -> Result<u64> {
        Ok(QUEUES.into())
    }

    fn set_vring_enable(&mut self, index: u32, enable: bool) -> Result<()> {
        self.ring(index)?.enabled = enable;
        Ok(())
    }

    fn get_config(
        &mut self,
        offset: u32,
        size: u32,
        _flags: VhostUserConfigFlags,
    ) -> Result<Vec<u8>> {
        let (offset, size) = (offset as usize, size as usize);
        let space = self.disk.space(self.writeback);
        // A frontend that knows of more fields finds zeros there.
        let known = space.iter().copied().skip(offset.min(SPACE));
        Ok(known.chain(std::iter::repeat(0)).take(size).collect())
    }

    fn set_config(
        &mut self,
        offset: u32,
        bytes: &[u8],
        _flags: VhostUserConfigFlags,
    ) -> Result<()> {
        match (offset as usize, bytes) {
            (WRITEBACK_AT, [on @ (0 | 1)]) => {
                self.writeback = *on == 1;
                Ok(())
            }
            _ => refused("only the write cache can be configured"),
        }
    }

    fn set_gpu_socket(&mut self, _gpu: GpuBackend) -> Result<()> {
        refused("this is no display")
    }

    fn get_shared_object(&mut self, _uuid: VhostUserSharedMsg) -> Result<File> {
        refused("there are no shared objects")
    }

    fn get_inflight_fd(&mut self, wanted: &VhostUserInflight) -> Result<(VhostUserInflight, File)> {
        let shape = shape(wanted)?;
        let file = inflight::create(shape).map_err(Error::ReqHandlerError)?;
        let answer = VhostUserInflight {
            mmap_size: shape.bytes(),
            mmap_offset: 0,
            num_queues: shape.queues,
            queue_size: shape.entries,
        };
        Ok((answer, file))
    }

    fn set_inflight_fd(&mut self, kept: &VhostUserInflight, file: File) -> Result<()> {
        if self.rings.iter().any(Ring::is_begun) {
            return refused("what is under way is replaced while a queue runs");
        }
        let mapped = Inflight::map(file, kept.mmap_offset, shape(kept)?);
        self.inflight = Some(mapped.map_err(wrong)?);
        Ok(())
    }

    fn get_max_mem_slots(&mut self) -> Result<u64> {
        Ok(SLOTS as u64)
    }

    fn add_mem_region(
        &mut self,
        region: &VhostUserSingleMemoryRegion,
        file: File,
        _postcopy: Option<bool>,
    ) -> Result<Option<Base>> {
        let changed = self.memory.add(region, file);
        self.check(changed).map(|_| None)
    }

    fn remove_mem_region(&mut self, region: &VhostUserSingleMemoryRegion) -> Result<()> {
        let changed = self.memory.remove(region);
        self.check(changed).map(drop)
    }

    fn set_device_state_fd(
        &mut self,
        _direction: VhostTransferStateDirection,
        _phase: VhostTransferStatePhase,
        _file: File,
    ) -> Result<Option<File>> {
        refused("a drive does not move")
    }

    fn check_device_state(&mut self) -> Result<()> {
        refused("a drive does not move")
    }

    fn get_shmem_config(&mut self) -> Result<VhostUserShMemConfig> {
        refused("it has no memory to share")
    }

    fn set_log_base(&mut self, _log: &VhostUserLog, _file: File) -> Result<()> {
        refused("a drive does not move")
    }
}
