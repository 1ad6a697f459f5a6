//! Checks of a disk's configuration before time 0.

use super::config::{DiskConfig, Fault, SECTOR, need};
use super::geometry::DiskGeometry;
use super::seek::SeekCurve;
use engine::Duration;

impl DiskConfig {
    /// What would keep a disk of this configuration from working, if anything: found before time 0,
    /// because inside the simulation there is no error path.
    ///
    /// # Errors
    /// The first value that is out of range, with its key in the model file and what to give
    /// instead.
    pub fn check(&self) -> Result<(), Fault> {
        let (p, b) = (&self.platters, &self.buffer);
        let size = (SECTOR..=1 << 60).contains(&self.user_bytes);
        need(size, "body.capacity", "the capacity is out of range", "give 4 KiB to 1 EiB")?;
        let turn = (Duration::from_us(100)..=Duration::from_s(1)).contains(&p.turn);
        let help = "give 60 to 600000 turns a minute";
        need(turn, "platters.speed", "the speed of rotation is out of range", help)?;
        let heads = (1..=256).contains(&p.heads);
        need(heads, "platters.heads", "the number of heads is out of range", "give 1 to 256")?;
        let zones = (1..=4096).contains(&p.zones);
        need(zones, "platters.zones", "the number of zones is out of range", "give 1 to 4096")?;
        let help = "the outermost zone is the fastest";
        need(p.inner <= p.outer, "platters.inner_rate", "it is above the outer rate", help)?;
        let switch = Duration::from_ms(100);
        let fast = self.arm.track_to_track <= switch && self.arm.head_switch <= switch;
        let help = "give at most 100 ms";
        need(fast, "arm.track_to_track", "the time of a track switch is too long", help)?;
        let long = self.arm.full_stroke.max(self.arm.write_settle) <= Duration::from_s(10);
        need(long, "arm.full_stroke", "the seek time is too long", "give at most 10 s")?;
        let help = "a track holds at least one sector of 4 KiB and at most 1 GiB";
        let tracks = DiskGeometry::track_sectors(p, &self.arm, p.inner) > 0
            && DiskGeometry::track_sectors(p, &self.arm, p.outer) <= 1 << 18;
        need(tracks, "platters.inner_rate", "this rate gives a track of impossible size", help)?;
        let geometry = DiskGeometry::new(self);
        SeekCurve::check(&self.arm, geometry.cylinders())?;
        let help = "give 1 to 65536 segments";
        let some = (1..=65536).contains(&b.segments);
        need(some, "buffer.segments", "the number of segments is out of range", help)?;
        let help = "give at most one segment: (`size` - `write_size`) / `segments`";
        let fits = b.read_ahead <= b.read_bytes / u64::from(b.segments);
        need(fits, "buffer.read_ahead", "it is longer than a segment of the cache", help)?;
        let help = "give at least 1 MiB and 1 to 65536 entries, or `write_cache = \"off\"`";
        let write = (1..=65536).contains(&b.write_entries) && b.write_bytes >= 1 << 20;
        need(write || !b.write_cache, "buffer.write_size", "the write cache is too small", help)?;
        let help = "give `queue.reorder = \"no\"` for none";
        let aged = self.queue.age_limit > Duration::ZERO;
        need(aged, "queue.age_limit", "an age limit of 0 leaves nothing to reorder", help)
    }
}
