//! The memory of the guest, which its frontend shares.

use std::fs::File;
use std::sync::Arc;
use vhost::vhost_user::message::VhostUserMemoryRegion;
use vm_memory::{FileOffset, GuestAddress, GuestMemoryMmap, GuestRegionMmap};

/// Regions at most.
pub(crate) const SLOTS: usize = 32;

/// Memory as regions of files.
#[derive(Default)]
pub(crate) struct Memory {
    mapped: GuestMemoryMmap,
    regions: Vec<Region>,
}

/// A region: the guest and its frontend have addresses of their own for it.
struct Region {
    guest: u64,
    frontend: u64,
    len: u64,
    mapped: Arc<GuestRegionMmap>,
}

impl Region {
    fn map(of: &VhostUserMemoryRegion, file: File) -> Result<Self, String> {
        let (guest, frontend) = (of.guest_phys_addr, of.user_addr);
        let (len, offset) = (of.memory_size, of.mmap_offset);
        let mapped = Arc::new(map(guest, file, offset, len)?);
        Ok(Region { guest, frontend, len, mapped })
    }
}

/// Maps a part of a file to an address of the guest.
pub(crate) fn map(
    guest: u64,
    file: File,
    offset: u64,
    len: u64,
) -> Result<GuestRegionMmap, String> {
    let held = file.metadata().map_err(|error| error.to_string())?;
    // What is mapped beyond the end of a file cannot be touched: the system would end us.
    let ends = offset.checked_add(len).is_some_and(|end| end <= held.len());
    if !held.is_file() || !ends {
        return Err("a region of memory is longer than its file".to_owned());
    }
    let size = usize::try_from(len).map_err(|error| error.to_string())?;
    let place = Some(FileOffset::new(file, offset));
    GuestRegionMmap::from_range(GuestAddress(guest), size, place)
        .map_err(|error| format!("a region of memory cannot be mapped: {error}"))
}

impl Memory {
    /// The memory by the addresses of the guest.
    pub(crate) fn mapped(&self) -> &GuestMemoryMmap {
        &self.mapped
    }

    /// Memory consists of these regions from now on.
    pub(crate) fn set(
        &mut self,
        regions: &[VhostUserMemoryRegion],
        files: Vec<File>,
    ) -> Result<(), String> {
        if regions.len() > SLOTS {
            return Err("there are too many regions of memory".to_owned());
        }
        let all = regions.iter().zip(files).map(|(region, file)| Region::map(region, file));
        self.take(all.collect::<Result<_, _>>()?)
    }

    /// A region more.
    pub(crate) fn add(&mut self, region: &VhostUserMemoryRegion, file: File) -> Result<(), String> {
        if self.regions.len() >= SLOTS {
            return Err("there are too many regions of memory".to_owned());
        }
        let mut regions = std::mem::take(&mut self.regions);
        regions.push(Region::map(region, file)?);
        self.take(regions)
    }

    /// A region less.
    pub(crate) fn remove(&mut self, region: &VhostUserMemoryRegion) -> Result<(), String> {
        let (guest, frontend, len) = (region.guest_phys_addr, region.user_addr, region.memory_size);
        let before = self.regions.len();
        let mut regions = std::mem::take(&mut self.regions);
        regions.retain(|one| (one.guest, one.frontend, one.len) != (guest, frontend, len));
        if regions.len() == before {
            return Err("a region of memory that is removed was not there".to_owned());
        }
        self.take(regions)
    }

    /// After an error there is no memory at all.
    fn take(&mut self, mut regions: Vec<Region>) -> Result<(), String> {
        self.mapped = GuestMemoryMmap::default();
        regions.sort_by_key(|region| region.guest);
        if !regions.is_empty() {
            let mapped = regions.iter().map(|region| region.mapped.clone()).collect();
            self.mapped = GuestMemoryMmap::from_arc_regions(mapped)
                .map_err(|error| format!("regions of memory: {error}"))?;
        }
        self.regions = regions;
        Ok(())
    }

    /// The guest's address of what the frontend has at `address`.
    pub(crate) fn guest_address(&self, address: u64) -> Option<u64> {
        self.regions.iter().find_map(|region| {
            let offset = address.checked_sub(region.frontend)?;
            (offset < region.len).then(|| region.guest + offset)
        })
    }
}
