//! The head: where it is, when it can be over a sector, and when it has passed a run of sectors.
//!
//! The angle of the platters follows from the time alone, in whole picoseconds: a turn begins at
//! time 0 and whenever the time is a multiple of a turn. The wait for a sector is therefore
//! computed, not drawn, and a transfer that continues exactly where another ended waits for
//! nothing.

use super::config::DiskConfig;
use super::geometry::DiskGeometry;
use super::seek::SeekCurve;
use engine::{Duration, Instant, narrow};

/// Over which track the head is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Track {
    /// Cylinder, from the outside.
    pub cylinder: u32,
    /// Head.
    pub head: u32,
}

/// When a head gets to a sector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach {
    /// When the arm is still.
    pub settled: Instant,
    /// When the sector begins under the head.
    pub begin: Instant,
}

/// What moves: times only, no state.
#[derive(Clone, Debug)]
pub struct Mechanics {
    geometry: DiskGeometry,
    seek: SeekCurve,
    head_switch: Duration,
    write_settle: Duration,
}

impl Mechanics {
    /// The mechanics of a disk that was checked.
    pub fn new(config: &DiskConfig) -> Self {
        let geometry = DiskGeometry::new(config);
        let seek = SeekCurve::new(&config.arm, geometry.cylinders());
        let (head_switch, write_settle) = (config.arm.head_switch, config.arm.write_settle);
        Mechanics { geometry, seek, head_switch, write_settle }
    }

    /// Zones, tracks, angles.
    pub fn geometry(&self) -> &DiskGeometry {
        &self.geometry
    }

    /// Where the head is over a sector.
    pub fn track(&self, sector: u64) -> Track {
        let place = self.geometry.place(sector);
        Track { cylinder: place.cylinder, head: place.head }
    }

    /// When a head that leaves a track `now` is over the begin of a sector. The head needs longer
    /// to settle for a write, but not on the way to the next track, which is laid out for both.
    pub fn reach(&self, from: Track, now: Instant, sector: u64, write: bool) -> Reach {
        let place = self.geometry.place(sector);
        let distance = from.cylinder.abs_diff(place.cylinder);
        let mut moved = self.seek.time(distance);
        if from.head != place.head && moved < self.head_switch {
            moved = self.head_switch;
        }
        if write && distance > 1 {
            moved += self.write_settle;
        }
        let settled = now + moved;
        let turn = self.geometry.turn();
        let wait = (self.geometry.angle(place) + turn - settled.ps() % turn) % turn;
        Reach { settled, begin: settled + Duration::from_ps(wait) }
    }

    /// When the sectors from `sector` up to `end`, the first of which begins under the head at
    /// `begin`, have passed.
    pub fn pass(&self, mut sector: u64, end: u64, begin: Instant) -> Instant {
        let mut at = begin;
        loop {
            let rest = self.on_track(sector).min(end - sector);
            at += self.span(sector, rest);
            sector += rest;
            if sector >= end {
                return at;
            }
            at += self.geometry.switch_after(self.geometry.place(sector - 1));
        }
    }

    /// Sectors from this one to the end of its track.
    fn on_track(&self, sector: u64) -> u64 {
        let place = self.geometry.place(sector);
        u64::from(place.track - place.sector)
    }

    /// How long this many sectors of one track take to pass.
    fn span(&self, sector: u64, count: u64) -> Duration {
        let place = self.geometry.place(sector);
        let (turn, track) = (self.geometry.turn(), u64::from(place.track));
        let end = u64::from(place.sector) + count;
        Duration::from_ps(turn * end / track - self.geometry.along(place))
    }
}

/// Reading on and on, from one sector up to a limit: the read-ahead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stream {
    /// A sector that has not passed, or begins a track in which others have.
    next: u64,
    /// When it begins under the head.
    at: Instant,
    /// Where reading ends.
    pub limit: u64,
}

impl Stream {
    /// Goes on at `next`, which begins under the head at `at`.
    pub fn new(next: u64, at: Instant, limit: u64) -> Self {
        Stream { next, at, limit }
    }

    /// The first sector that has not passed at `now`.
    pub fn reached(&mut self, mechanics: &Mechanics, now: Instant) -> u64 {
        loop {
            let rest = mechanics.on_track(self.next).min(self.limit - self.next);
            let end = self.at + mechanics.span(self.next, rest);
            if end > now || rest == 0 {
                break;
            }
            self.next += rest;
            self.at = end;
            if self.next < self.limit {
                let place = mechanics.geometry.place(self.next - 1);
                if place.sector + 1 == place.track {
                    self.at += mechanics.geometry.switch_after(place);
                }
            }
        }
        if now <= self.at || self.next == self.limit {
            return self.next;
        }
        let place = mechanics.geometry.place(self.next);
        let (turn, track) = (mechanics.geometry.turn(), u64::from(place.track));
        let along = now.since(self.at).ps() + mechanics.geometry.along(place);
        // A sector has passed when its end, rounded down, has.
        let mut passed: u64 = narrow(u128::from(along + 1) * u128::from(track) / u128::from(turn));
        while turn * (passed + 1) / track <= along {
            passed += 1;
        }
        while turn * passed / track > along {
            passed -= 1;
        }
        let sector = self.next + passed - u64::from(place.sector);
        sector.min(self.limit)
    }

    /// When everything before `end` has passed, if the limit does not stop it.
    pub fn time_of(&self, mechanics: &Mechanics, end: u64) -> Instant {
        if end <= self.next { self.at } else { mechanics.pass(self.next, end, self.at) }
    }
}
