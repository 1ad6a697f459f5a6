//! Where a sector of a hard disk is: zone, cylinder, head, place on the track, angle.
//!
//! Cylinders count from the outside. Zones have equally many; a track of a zone holds a fixed
//! number of sectors, which falls from the outermost to the innermost zone as the length of the
//! track does at constant density. Sectors run along a track, then over the heads of the cylinder,
//! then to the next cylinder. The first sector of a track is turned against that of the track
//! before by as much as the switch takes (skew), so that a long transfer never misses a turn.

use super::config::{ArmConfig, DiskConfig, PlatterConfig, SECTOR};
use engine::{Bandwidth, Duration, narrow, saturated};

/// Cylinders whose tracks hold as much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Zone {
    /// Its first cylinder.
    pub cylinder: u32,
    /// Its first sector.
    pub sector: u64,
    /// Sectors of a track.
    pub track: u32,
}

/// A place on a track.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Cylinder, from the outside.
    pub cylinder: u32,
    /// Head.
    pub head: u32,
    /// Sector on the track.
    pub sector: u32,
    /// Sectors that the track holds.
    pub track: u32,
}

/// The shape of a disk.
#[derive(Clone, Debug)]
pub struct DiskGeometry {
    zones: Vec<Zone>,
    heads: u32,
    cylinders: u32,
    turn: u64,
    head_skew: u64,
    cylinder_skew: u64,
}

impl DiskGeometry {
    /// The shape that holds the bytes of a configuration. The cylinders of each zone are as many as
    /// that takes, rounded up.
    pub fn new(config: &DiskConfig) -> Self {
        let p = &config.platters;
        let tracks = Self::profile(p, &config.arm);
        let row: u64 = tracks.iter().map(|&track| u64::from(track)).sum::<u64>();
        let row = row * u64::from(p.heads);
        let sectors = config.user_bytes.div_ceil(SECTOR);
        let width = sectors.div_ceil(row.max(1)).clamp(1, u64::from(u32::MAX / p.zones.max(1)));
        let mut zones = Vec::with_capacity(tracks.len());
        let (mut cylinder, mut sector) = (0, 0);
        for track in tracks {
            zones.push(Zone { cylinder, sector, track });
            cylinder += narrow::<u32>(width);
            sector += width * u64::from(p.heads) * u64::from(track);
        }
        DiskGeometry {
            zones,
            heads: p.heads,
            cylinders: cylinder,
            turn: p.turn.ps(),
            head_skew: config.arm.head_switch.ps(),
            cylinder_skew: config.arm.track_to_track.ps(),
        }
    }

    /// Sectors of a track that gives `rate` in a long transfer: over all heads of a cylinder, a
    /// turn for each track, a switch between heads, and one to the next cylinder.
    pub(super) fn track_sectors(p: &PlatterConfig, arm: &ArmConfig, rate: Bandwidth) -> u64 {
        let heads = u64::from(p.heads.max(1));
        let switches = (heads - 1) * arm.head_switch.ps() + arm.track_to_track.ps();
        let time = heads * p.turn.ps() + switches;
        let bytes = u128::from(rate.base()) * u128::from(time) / 1_000_000_000_000;
        saturated(bytes / u128::from(heads * SECTOR))
    }

    /// Sectors of a track in each zone: linear from the outermost to the innermost, because zones
    /// are equally wide and the length of a track is proportional to its radius.
    fn profile(p: &PlatterConfig, arm: &ArmConfig) -> Vec<u32> {
        let outer = Self::track_sectors(p, arm, p.outer);
        let inner = Self::track_sectors(p, arm, p.inner);
        let last = u64::from(p.zones.max(2) - 1);
        let zone = |z: u64| outer - (outer - inner) * z / last;
        (0..u64::from(p.zones)).map(|z| narrow(zone(z).max(1))).collect()
    }

    /// The zones, from the outside.
    pub fn zones(&self) -> &[Zone] {
        &self.zones
    }

    /// Cylinders over all zones.
    pub fn cylinders(&self) -> u32 {
        self.cylinders
    }

    /// Picoseconds of a turn.
    pub fn turn(&self) -> u64 {
        self.turn
    }

    /// Where a sector is.
    pub fn place(&self, sector: u64) -> Place {
        let zone = self.zones[self.zones.partition_point(|zone| zone.sector <= sector) - 1];
        let inside = sector - zone.sector;
        let cylinder = u64::from(self.heads) * u64::from(zone.track);
        Place {
            cylinder: zone.cylinder + narrow::<u32>(inside / cylinder),
            head: narrow(inside % cylinder / u64::from(zone.track)),
            sector: narrow(inside % u64::from(zone.track)),
            track: zone.track,
        }
    }

    /// The time from the begin of a track to the begin of one of its sectors, in picoseconds.
    pub fn along(&self, place: Place) -> u64 {
        self.turn * u64::from(place.sector) / u64::from(place.track)
    }

    /// The angle at which a sector begins, as time since the mark passed the head: 0 to below a
    /// turn, in picoseconds.
    pub fn angle(&self, place: Place) -> u64 {
        let heads = u64::from(self.heads);
        let each = (heads - 1) * self.head_skew + self.cylinder_skew;
        let turned = u128::from(each) * u128::from(place.cylinder);
        let skew =
            narrow::<u64>(turned % u128::from(self.turn)) + self.head_skew * u64::from(place.head);
        (skew + self.along(place)) % self.turn
    }

    /// What the switch from a track to the next takes.
    pub fn switch_after(&self, place: Place) -> Duration {
        let last = place.head + 1 == self.heads;
        Duration::from_ps(if last { self.cylinder_skew } else { self.head_skew })
    }
}
