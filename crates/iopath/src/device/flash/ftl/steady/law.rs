//! How much closed groups hold by their age in the steady state of random writes.
//!
//! Each closed group loses units at a rate proportional to what it still holds, while groups enter
//! full and leave as victims with v units: the flux of groups through each level is constant, so a
//! level i holds groups in proportion to 1/i (gc_theory: n_i = U/(i(b-v)); Bux and Iliadis 2010,
//! Desnoyers 2014). By rank the level is b (v/b)^x, x from 0 (youngest) to 1 (oldest).
//!
//! Units of two temperatures lose at two rates, so a group of writes of the host ages faster than
//! one of copies, which are colder; both leave when they hold v. What the copies consist of
//! follows from what the victims hold (the balance of Desnoyers 2014, section 6, for two classes).

use engine::{narrow, whole};

/// What a closed group holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Level {
    /// Valid units.
    pub valid: u32,
    /// Share of them that are warm, 0 to 1.
    pub warm: f64,
}

/// Two classes of units and how the host writes them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mix {
    /// Cold and warm units in closed groups.
    pub live: [u64; 2],
    /// Shares of the writes of the host that go to each; the rest of them is overwritten at once.
    pub shares: [f64; 2],
    /// Copies fill the same groups as the host.
    pub shared: bool,
}

/// Valid units of the victims if `groups` groups of `size` units hold `total`, and begin with
/// `first(v)` where victims hold v.
pub(super) fn victims(groups: u32, size: u32, total: u64, first: impl Fn(f64) -> f64) -> f64 {
    let capacity = groups as u64 * size as u64;
    assert!(0 < total && total < capacity, "the live set does not fit into the closed groups");
    // The mean of b (v/b)^x over x in 0..1 is (b - v) / ln(b/v), which rises with v.
    let wanted = total as f64 / groups as f64;
    bisect(size as f64 * 1e-12, size as f64 * (1.0 - 1e-12), |v| {
        let b = first(v);
        (b - v) / libm::log(b / v) < wanted
    })
}

/// Levels of `groups` groups, youngest first, that sum to `total`: from `b` units down to the `v`
/// of the victims.
pub(super) fn uniform(groups: u32, b: u32, v: f64, total: u64) -> Vec<Level> {
    let level = |k: u32| -> Level {
        let x = (k as f64 + 0.5) / groups as f64;
        let i = b as f64 * libm::pow(v / b as f64, x);
        Level { valid: narrow(whole(libm::round(i)).min(b as u64)), warm: 0.0 }
    };
    let mut levels: Vec<Level> = (0..groups).map(level).collect();
    settle(&mut levels, b, total);
    levels
}

/// The same for units of two temperatures; the lanes of a stripe are of one age.
pub(super) fn mixed(stripes: u32, lanes: u32, b: u32, mix: &Mix) -> Vec<Level> {
    let (size, total) = (b as f64, mix.live[0] + mix.live[1]);
    let groups = stripes as f64 * lanes as f64;
    assert!(total < stripes as u64 * lanes as u64 * b as u64, "the live set does not fit");
    let balance = Balance { mix, size, groups };
    let kinds = if mix.shared { balance.one_kind() } else { balance.two_kinds() };
    let all: f64 = kinds.iter().map(|kind| kind.groups).sum();
    let mut aged: Vec<(f64, usize)> = Vec::new();
    let mut left = stripes;
    for (place, kind) in kinds.iter().enumerate() {
        let part: u32 = narrow(whole(libm::round(kind.groups / all * stripes as f64)));
        let count = if place + 1 == kinds.len() { left } else { part.min(left) };
        left -= count;
        let age = |k: u32| kind.last * (k as f64 + 0.5) / count as f64;
        aged.extend((0..count).map(|k| (age(k), place)));
    }
    aged.sort_by(|a, b| a.0.total_cmp(&b.0));
    let level = |&(age, place): &(f64, usize)| {
        let [cold, warm] = kinds[place].holds(&balance, age);
        let valid = narrow(whole(libm::round(size * (cold + warm))).min(b as u64));
        Level { valid, warm: warm / (cold + warm).max(f64::MIN_POSITIVE) }
    };
    let of_lanes = |stripe| std::iter::repeat_n(level(stripe), lanes as usize);
    let mut levels: Vec<Level> = aged.iter().flat_map(of_lanes).collect();
    settle(&mut levels, b, total);
    levels
}

/// Groups that are filled alike.
struct Kind {
    /// Shares of a new group that are cold and warm.
    first: [f64; 2],
    /// Age of the victims, in units that the host writes meanwhile.
    last: f64,
    /// How many there are.
    groups: f64,
}

impl Kind {
    /// Shares of a group of this age that are valid, cold and warm.
    fn holds(&self, balance: &Balance<'_>, age: f64) -> [f64; 2] {
        let rates = balance.rates();
        std::array::from_fn(|class| self.first[class] * libm::exp(-rates[class] * age))
    }
}

/// The equations of the steady state. Time is counted in units that the host writes.
struct Balance<'a> {
    mix: &'a Mix,
    /// Units of a group.
    size: f64,
    groups: f64,
}

impl Balance<'_> {
    /// How often a unit of each class is overwritten, per unit that the host writes.
    fn rates(&self) -> [f64; 2] {
        std::array::from_fn(|class| self.mix.shares[class] / self.mix.live[class].max(1) as f64)
    }

    /// What writes of the host leave after a time, as a share of them.
    fn left(&self, shares: [f64; 2], age: f64) -> f64 {
        let rates = self.rates();
        (0..2).map(|class| shares[class] * libm::exp(-rates[class] * age)).sum()
    }

    /// The longest age that is looked for: nothing is left then.
    fn longest(&self) -> f64 {
        let slowest = self.rates().into_iter().filter(|&rate| rate > 0.0).fold(f64::MAX, f64::min);
        60.0 / slowest
    }

    /// Copies fill groups of their own.
    fn two_kinds(&self) -> Vec<Kind> {
        let many = |v| self.separate(v).iter().map(|kind| kind.groups).sum::<f64>() > self.groups;
        // The more victims hold, the younger they are, and the fewer groups there are.
        self.separate(bisect(self.size * 1e-9, self.size * (1.0 - 1e-9), many)).into()
    }

    /// Groups of the host and of copies if victims hold `v` units.
    fn separate(&self, v: f64) -> [Kind; 2] {
        let shares = self.mix.shares;
        let longest = self.longest();
        // What begins with less than v is a victim as soon as it is full.
        let level = (v / self.size).min(shares[0] + shares[1]);
        let old = bisect(0.0, longest, |age| self.left(shares, age) > level);
        let copied = level / (self.size - v);
        let rates = self.rates();
        let fill = |age: f64| -> [f64; 2] {
            std::array::from_fn(|class| {
                let given = shares[class] * libm::exp(-rates[class] * old);
                given / (self.size * copied * -libm::expm1(-rates[class] * age))
            })
        };
        let age = bisect(0.0, longest, |age| {
            let [cold, warm] = fill(age);
            cold + warm > 1.0
        });
        let first = fill(age);
        [
            Kind { first: shares, last: old, groups: old / self.size },
            Kind { first, last: age, groups: age * copied },
        ]
    }

    /// The host and copies fill the same groups.
    fn one_kind(&self) -> Vec<Kind> {
        let shares = self.mix.shares;
        let brief = 1.0 - shares[0] - shares[1];
        let rates = self.rates();
        let fill = |v: f64| -> [f64; 2] {
            let age = self.groups * (self.size - v);
            std::array::from_fn(|class| {
                let lost = (self.size - v) / self.size;
                shares[class] * lost / -libm::expm1(-rates[class] * age)
            })
        };
        let v = bisect(self.size * 1e-9, self.size * (1.0 - 1e-9), |v| {
            let [cold, warm] = fill(v);
            cold + warm + brief * (self.size - v) / self.size > 1.0
        });
        let last = self.groups * (self.size - v);
        vec![Kind { first: fill(v), last, groups: self.groups }]
    }
}

/// Where a condition that holds for small values ends.
fn bisect(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if holds(middle) { low = middle } else { high = middle }
    }
    high
}

/// Makes levels sum to `total`: what rounding left goes evenly over the ranks.
fn settle(levels: &mut [Level], b: u32, total: u64) {
    let groups = narrow::<u32>(levels.len());
    let mut excess = levels.iter().map(|l| l.valid as i64).sum::<i64>() - total as i64;
    let mut step = 0;
    while excess != 0 {
        // All ranks if the last pass met only levels that cannot change.
        step = if step > 1 { 1 } else { narrow((groups as i64 / excess.abs()).max(1)) };
        // From the oldest on: a young group may be full and unable to take one more.
        for k in (0..groups as usize).rev().step_by(step) {
            let valid = &mut levels[k].valid;
            if excess > 0 && *valid > 0 {
                *valid -= 1;
                excess -= 1;
            } else if excess < 0 && *valid < b {
                *valid += 1;
                excess += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_warm(levels: &[Level]) -> f64 {
        let warm: f64 = levels.iter().map(|l| l.warm * l.valid as f64).sum();
        warm / levels.iter().map(|l| l.valid as f64).sum::<f64>()
    }

    /// Two classes that are written alike are one: both laws give the same levels.
    #[test]
    fn equal_temperatures_are_uniform() {
        let (stripes, b) = (1000, 2048);
        let live = [900_000, 900_000];
        for shared in [false, true] {
            let mix = Mix { live, shares: [0.5, 0.5], shared };
            let total = live[0] + live[1];
            let one = uniform(stripes, b, victims(stripes, b, total, |_| b as f64), total);
            let two = mixed(stripes, 1, b, &mix);
            let apart = |(one, two): (&Level, &Level)| one.valid.abs_diff(two.valid);
            let most = one.iter().zip(&two).map(apart).max().unwrap();
            assert!(most <= 6, "{most} units apart");
            assert!(two.iter().all(|level| (level.warm - 0.5).abs() < 1e-6));
        }
    }

    /// Whatever the temperatures: the groups hold all units of each class, full ones are the
    /// youngest, and the oldest hold about as much as every victim.
    #[test]
    fn groups_hold_what_there_is_of_each_class() {
        let (stripes, b) = (2000, 4096);
        for shared in [false, true] {
            for (live, shares) in [
                ([6_000_000, 1_000_000], [0.5, 0.5]),
                ([5_000_000, 2_000_000], [0.4, 0.4]),
                ([3_500_000, 3_500_000], [0.1, 0.9]),
                ([6_500_000, 500_000], [0.25, 0.25]),
            ] {
                let levels = mixed(stripes, 1, b, &Mix { live, shares, shared });
                let wanted = live[1] as f64 / (live[0] + live[1]) as f64;
                let found = mean_warm(&levels);
                assert!((found / wanted - 1.0).abs() < 0.01, "{found} for {wanted}");
                let total: u64 = levels.iter().map(|level| level.valid as u64).sum();
                assert_eq!(total, live[0] + live[1]);
            }
        }
    }
}
