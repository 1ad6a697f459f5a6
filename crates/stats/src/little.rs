//! Little's law as an exact check, and the bound on utilisation.
//!
//! Over any window the integral of the number of outstanding commands equals the sum, over all
//! commands, of the time each was outstanding within the window. Both sides are kept apart, in
//! whole picoseconds: one from the count alone, one from arrival times alone. If a completion
//! is lost, doubled or given the wrong arrival, they differ.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Measures both sides of Little's law.
///
/// `arrive` and `depart` are called for every command from the start of the run, also outside a
/// window; times must not fall.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Residence {
    outstanding: u64,
    /// When `integral` was last brought up to date.
    last_ps: u64,
    open_ps: u64,
    open: bool,
    /// Time fell, or more departed than had arrived.
    disordered: bool,
    integral: u128,
    residence: u128,
    arrivals: u64,
    departures: u64,
    /// Time in the window with at least one command outstanding.
    busy_ps: u64,
}

impl Residence {
    /// Nothing outstanding, no window open.
    pub fn new() -> Self {
        Self::default()
    }

    /// A command arrives at `now_ps`.
    #[inline]
    pub fn arrive(&mut self, now_ps: u64) {
        self.advance(now_ps);
        self.outstanding += 1;
        self.arrivals += 1;
    }

    /// A command that arrived at `arrived_ps` is complete at `now_ps`.
    #[inline]
    pub fn depart(&mut self, now_ps: u64, arrived_ps: u64) {
        self.advance(now_ps);
        self.disordered |= self.outstanding == 0;
        self.outstanding = self.outstanding.saturating_sub(1);
        self.departures += 1;
        if self.open {
            self.add_residence(now_ps, arrived_ps);
        }
    }

    /// Commands outstanding now.
    pub fn outstanding(&self) -> u64 {
        self.outstanding
    }

    /// Opens a window at `now_ps`; what an earlier one has measured is forgotten.
    pub fn open_window(&mut self, now_ps: u64) {
        self.advance(now_ps);
        self.open = true;
        self.open_ps = now_ps;
        (self.integral, self.residence) = (0, 0);
        (self.arrivals, self.departures) = (0, 0);
        self.busy_ps = 0;
    }

    /// Time in the window so far with at least one command outstanding, ps: PCMark 10's busy
    /// time.
    pub fn busy_ps(&self) -> u64 {
        self.busy_ps
    }

    /// Closes the window at `now_ps`. `still_outstanding` yields the arrival time of each
    /// command that is not complete. Without an open window the check covers the empty one.
    pub fn close_window(
        &mut self,
        now_ps: u64,
        still_outstanding: impl IntoIterator<Item = u64>,
    ) -> LittleCheck {
        self.advance(now_ps);
        let window_ps = if self.open { now_ps.saturating_sub(self.open_ps) } else { 0 };
        let mut remaining = 0_u64;
        for arrived_ps in still_outstanding {
            remaining += 1;
            if self.open {
                self.add_residence(now_ps, arrived_ps);
            }
        }
        self.open = false;
        LittleCheck {
            window_ps,
            outstanding_integral: self.integral,
            residence_sum: self.residence,
            arrivals: self.arrivals,
            departures: self.departures,
            outstanding_at_close: self.outstanding,
            in_order: !self.disordered && remaining == self.outstanding,
        }
    }

    #[inline]
    fn advance(&mut self, now_ps: u64) {
        self.disordered |= now_ps < self.last_ps;
        if self.open {
            let span = now_ps.saturating_sub(self.last_ps);
            self.integral += u128::from(self.outstanding) * u128::from(span);
            self.busy_ps += if self.outstanding > 0 { span } else { 0 };
        }
        self.last_ps = now_ps;
    }

    #[inline]
    fn add_residence(&mut self, now_ps: u64, arrived_ps: u64) {
        self.disordered |= arrived_ps > now_ps;
        let from = arrived_ps.max(self.open_ps);
        self.residence += u128::from(now_ps.saturating_sub(from));
    }
}

/// Both sides of Little's law over one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LittleCheck {
    /// Length of the window, ps.
    pub window_ps: u64,
    /// Integral of the number of outstanding commands, command-ps (JSON: a decimal string).
    #[serde(with = "crate::decimal")]
    #[schemars(with = "crate::decimal::Digits")]
    pub outstanding_integral: u128,
    /// Sum of the times that commands were outstanding in the window, command-ps.
    #[serde(with = "crate::decimal")]
    #[schemars(with = "crate::decimal::Digits")]
    pub residence_sum: u128,
    /// Commands that arrived in the window.
    pub arrivals: u64,
    /// Commands that departed in the window.
    pub departures: u64,
    /// Commands outstanding when the window was closed.
    pub outstanding_at_close: u64,
    /// Whether times rose, nothing departed that had not arrived, and as many commands were
    /// outstanding at the end as had to be.
    pub in_order: bool,
}

impl LittleCheck {
    /// Whether the law holds, to the picosecond.
    pub fn holds(&self) -> bool {
        self.in_order && self.outstanding_integral == self.residence_sum
    }

    /// Mean number of outstanding commands; 0 for an empty window.
    pub fn mean_outstanding(&self) -> f64 {
        if self.window_ps == 0 {
            return 0.0;
        }
        self.outstanding_integral as f64 / self.window_ps as f64
    }

    /// Departures a second; 0 for an empty window.
    pub fn departures_per_s(&self) -> f64 {
        if self.window_ps == 0 {
            return 0.0;
        }
        self.departures as f64 * 1e12 / self.window_ps as f64
    }
}

/// How long a resource was at work in a window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Utilisation {
    /// Name of the resource, e.g. `channel 3`.
    pub name: String,
    /// Time at work, summed over its servers, ps (JSON: a decimal string).
    #[serde(with = "crate::decimal")]
    #[schemars(with = "crate::decimal::Digits")]
    pub busy_ps: u128,
    /// Length of the window, ps.
    pub window_ps: u64,
    /// How many can work at once.
    pub servers: u64,
}

impl Utilisation {
    /// A resource that does one thing at a time.
    pub fn single(name: impl Into<String>, busy_ps: u64, window_ps: u64) -> Self {
        Self { name: name.into(), busy_ps: u128::from(busy_ps), window_ps, servers: 1 }
    }

    /// Whether it was at work no longer than there was time.
    pub fn holds(&self) -> bool {
        self.busy_ps <= u128::from(self.window_ps) * u128::from(self.servers)
    }

    /// Share of the time at work, 0 to 1 if the bound holds; 0 for an empty window.
    pub fn share(&self) -> f64 {
        let available = u128::from(self.window_ps) * u128::from(self.servers);
        if available == 0 { 0.0 } else { self.busy_ps as f64 / available as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_wrong_arrival_time_is_found() {
        let mut r = Residence::new();
        r.open_window(0);
        r.arrive(10);
        r.depart(30, 11);
        assert!(!r.close_window(40, []).holds());
    }

    #[test]
    fn a_lost_completion_is_found() {
        let mut r = Residence::new();
        r.open_window(0);
        r.arrive(10);
        assert!(!r.close_window(10, []).holds());
        let mut r = Residence::new();
        r.open_window(0);
        r.depart(10, 10);
        assert!(!r.close_window(10, []).holds());
    }

    #[test]
    fn mean_depth_of_a_full_window() {
        let mut r = Residence::new();
        r.arrive(0);
        r.arrive(0);
        r.open_window(50);
        r.depart(100, 0);
        let check = r.close_window(150, [0]);
        assert!(check.holds());
        assert_eq!((check.mean_outstanding(), check.departures), (1.5, 1));
    }

    #[test]
    fn bound_on_work() {
        assert!(Utilisation::single("bus", 10, 10).holds());
        assert!(!Utilisation::single("bus", 11, 10).holds());
        assert_eq!(Utilisation::single("bus", 0, 0).share(), 0.0);
    }

    proptest! {
        #[test]
        fn both_sides_agree(
            steps in prop::collection::vec((0_u64..1_000_000, any::<bool>(), any::<u16>()), 1..300),
            open_at in 0_usize..300, close_at in 0_usize..300,
        ) {
            let (open_at, close_at) = (open_at.min(close_at), open_at.max(close_at));
            let mut r = Residence::new();
            let mut inside: Vec<u64> = Vec::new();
            let mut now = 0;
            let mut check = None;
            for (i, (step, arrives, pick)) in steps.iter().enumerate() {
                if i == open_at {
                    r.open_window(now + step / 3);
                }
                if i == close_at {
                    check = Some(r.close_window(now + step / 2, inside.iter().copied()));
                }
                now += step;
                if *arrives || inside.is_empty() {
                    r.arrive(now);
                    inside.push(now);
                } else {
                    let arrived = inside.swap_remove(usize::from(*pick) % inside.len());
                    r.depart(now, arrived);
                }
            }
            let check = check.unwrap_or_else(|| r.close_window(now, inside.iter().copied()));
            prop_assert!(check.holds(), "{check:?}");
        }
    }
}
