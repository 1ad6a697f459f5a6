//! What several nodes use together: bandwidth of a link behind which several drives sit, and
//! processors.

use engine::{Bandwidth, Duration, FifoServers, Instant};

/// Direction of data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// From the host to the drives.
    Down,
    /// From the drives to the host.
    Up,
}

/// A link that several drives share, such as the one between a chipset and its processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PipeConfig {
    /// Rate from the host, net of all overheads.
    pub down: Bandwidth,
    /// Rate to the host.
    pub up: Bandwidth,
}

/// A pipe in use. Data streams through while it crosses the links before and behind, so an idle
/// pipe adds no time of its own: it only holds back what comes faster than it can pass.
#[derive(Clone, Debug)]
pub struct Pipe {
    config: PipeConfig,
    down_free: Instant,
    up_free: Instant,
    down_busy: Duration,
    up_busy: Duration,
}

impl Pipe {
    /// An idle pipe.
    pub fn new(config: PipeConfig) -> Self {
        let (free, busy) = (Instant::ZERO, Duration::ZERO);
        Pipe { config, down_free: free, up_free: free, down_busy: busy, up_busy: busy }
    }

    /// When the last of `bytes` is through that could be through `now` if nothing else was there.
    #[inline]
    pub fn pass(&mut self, way: Way, now: Instant, bytes: u64) -> Instant {
        let (rate, free, busy) = match way {
            Way::Down => (self.config.down, &mut self.down_free, &mut self.down_busy),
            Way::Up => (self.config.up, &mut self.up_free, &mut self.up_busy),
        };
        let cost = rate.time_for(bytes);
        *busy += cost;
        *free = now.max(*free + cost);
        *free
    }

    /// Time that the two directions have been in use, down first.
    pub fn busy(&self) -> (Duration, Duration) {
        (self.down_busy, self.up_busy)
    }
}

/// All shared things of a machine, named by their places.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// Links.
    pub pipes: Vec<Pipe>,
    /// Processors: the cores of a host, or of a RAID controller.
    pub pools: Vec<FifoServers>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipe() -> Pipe {
        let rate = Bandwidth::from_base(1_000_000_000);
        Pipe::new(PipeConfig { down: rate, up: rate })
    }

    fn at(us: u64) -> Instant {
        Instant::ZERO + Duration::from_us(us)
    }

    /// 1000 bytes at 1 GB/s are 1 us.
    #[test]
    fn an_idle_pipe_adds_nothing_and_a_busy_one_keeps_its_rate() {
        let mut pipe = pipe();
        assert_eq!(pipe.pass(Way::Up, at(10), 1000), at(10));
        assert_eq!(pipe.pass(Way::Up, at(10), 1000), at(11));
        assert_eq!(pipe.pass(Way::Up, at(10), 1000), at(12));
        assert_eq!(pipe.pass(Way::Down, at(10), 1000), at(10), "the other way is free");
        // What it could have passed while idle is no credit beyond one transfer.
        assert_eq!(pipe.pass(Way::Up, at(100), 1000), at(100));
        assert_eq!(pipe.pass(Way::Up, at(100), 1000), at(101));
        assert_eq!(pipe.busy(), (Duration::from_us(1), Duration::from_us(5)));
    }
}
