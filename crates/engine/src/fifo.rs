//! Resources that serve first come, first served, by arithmetic: no event is needed to know when
//! a request will be done. They must be called in time order, which is asserted.

use crate::narrow::narrow;
use crate::time::{Duration, Instant};

/// One server: a request at `now` begins when the last one ends.
#[derive(Clone, Debug, Default)]
pub struct FifoServer {
    free_at: Instant,
    last_call: Instant,
    busy: Duration,
}

impl FifoServer {
    /// Serves a request that arrives `now` and takes `cost`; returns when it is done.
    ///
    /// # Panics
    /// If `now` is earlier than at the last call.
    #[inline]
    pub fn serve(&mut self, now: Instant, cost: Duration) -> Instant {
        assert!(now >= self.last_call, "a FIFO resource must be called in time order");
        self.last_call = now;
        self.busy += cost;
        self.free_at = now.max(self.free_at) + cost;
        self.free_at
    }

    /// Total time of service so far; divided by the time passed, the utilisation.
    pub fn busy(&self) -> Duration {
        self.busy
    }

    /// When the last accepted request will be done.
    pub fn free_at(&self) -> Instant {
        self.free_at
    }
}

/// Several equal servers behind one queue (the cores of a controller).
#[derive(Clone, Debug)]
pub struct FifoServers {
    free_at: Vec<Instant>,
    last_call: Instant,
    busy: Duration,
}

impl FifoServers {
    /// # Panics
    /// If `servers` is zero.
    pub fn new(servers: u32) -> Self {
        assert!(servers > 0, "a queue needs a server");
        let free_at = vec![Instant::ZERO; servers as usize];
        FifoServers { free_at, last_call: Instant::ZERO, busy: Duration::ZERO }
    }

    /// Serves a request that arrives `now` on the server that is free first.
    ///
    /// With more than one server and unequal costs the ends are not in order of the calls.
    ///
    /// # Panics
    /// If `now` is earlier than at the last call.
    #[inline]
    pub fn serve(&mut self, now: Instant, cost: Duration) -> Instant {
        assert!(now >= self.last_call, "a FIFO resource must be called in time order");
        self.last_call = now;
        self.busy += cost;
        let mut server = 0;
        for i in 1..self.free_at.len() {
            if self.free_at[i] < self.free_at[server] {
                server = i;
            }
        }
        self.free_at[server] = now.max(self.free_at[server]) + cost;
        self.free_at[server]
    }

    /// When the server that is free first can begin.
    #[inline]
    pub fn free_at(&self) -> Instant {
        self.free_at.iter().copied().min().unwrap_or(Instant::ZERO)
    }

    /// Number of servers.
    pub fn servers(&self) -> u32 {
        narrow(self.free_at.len())
    }

    /// Total time of service so far over all servers.
    pub fn busy(&self) -> Duration {
        self.busy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    #[test]
    fn the_next_request_waits_for_the_last() {
        let mut s = FifoServer::default();
        let us = Duration::from_us;
        let at = |n| Instant::ZERO + us(n);
        assert_eq!(s.serve(at(0), us(3)), at(3));
        assert_eq!(s.serve(at(1), us(3)), at(6));
        assert_eq!(s.serve(at(9), us(3)), at(12));
        assert_eq!(s.busy(), us(9));
    }

    /// M/D/1: mean wait = rho / (2 (1 - rho)) service times (Pollaczek-Khinchine).
    /// M/M/1: mean wait = rho / (1 - rho) service times.
    #[test]
    fn waiting_times_follow_pollaczek_and_khinchine() {
        let rho = 0.7;
        for (exponential, expected) in
            [(false, rho / (2.0 * (1.0 - rho))), (true, rho / (1.0 - rho))]
        {
            let mut arrivals = Stream::new(3, "arrivals");
            let mut services = Stream::new(3, "services");
            let mut server = FifoServer::default();
            let (mut now, mut waited, n) = (0.0, 0.0, 1_000_000);
            for _ in 0..n {
                now += arrivals.exponential() * 1e6 / rho;
                let cost = if exponential { services.exponential() * 1e6 } else { 1e6 };
                let start = Instant::from_ps(now as u64);
                let done = server.serve(start, Duration::from_ps(cost as u64));
                waited += done.since(start).ps() as f64 - cost;
            }
            let wait = waited / n as f64 / 1e6;
            assert!((wait / expected - 1.0).abs() < 0.03, "wait {wait}, theory {expected}");
        }
    }

    /// M/M/c: the chance to wait is Erlang's C formula; with c = 2 and rho = 0.5 it is 1/3.
    #[test]
    fn two_servers_follow_erlang_c() {
        let (c, rho) = (2.0, 0.5);
        let mut arrivals = Stream::new(5, "arrivals");
        let mut services = Stream::new(5, "services");
        let mut servers = FifoServers::new(2);
        let (mut now, mut waited, n) = (0.0, 0.0, 1_000_000);
        for _ in 0..n {
            now += arrivals.exponential() * 1e6 / (c * rho);
            let cost = services.exponential() * 1e6;
            let start = Instant::from_ps(now as u64);
            let done = servers.serve(start, Duration::from_ps(cost as u64));
            waited += done.since(start).ps() as f64 - cost;
        }
        let expected = (1.0 / 3.0) / (c * (1.0 - rho));
        let wait = waited / n as f64 / 1e6;
        assert!((wait / expected - 1.0).abs() < 0.03, "wait {wait}, theory {expected}");
    }
}
