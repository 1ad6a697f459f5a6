//! Distributions over a range of positions. Zipf, Pareto and normal draw a *rank* (0 is the
//! hottest) that a seeded [`Permutation`] maps to a position, one to one, so that two hot ranks
//! never fall on the same place; zones stay where the user put them.

use crate::narrow::whole;
use crate::permutation::Permutation;
use crate::repeats::Repeats;
use crate::rng::Stream;

/// One zone of a zoned distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zone {
    /// Share of the accesses, as a weight.
    pub access: f64,
    /// First position.
    pub start: u64,
    /// Number of positions.
    pub len: u64,
}

/// Draws positions in 0..n.
#[derive(Clone, Debug)]
pub enum Sampler {
    /// All positions equally likely.
    Uniform {
        /// Number of positions.
        n: u64,
    },
    /// Each position once in random order, then again in another order: what fio does with its
    /// random map.
    EachOnce {
        /// Seed of the orders.
        seed: u64,
        /// How many have been drawn.
        drawn: u64,
        /// The order of this pass.
        order: Permutation,
        /// Places of the order that are one position.
        share: u64,
    },
    /// Rank r with probability proportional to (r + 1)^-theta.
    Zipf {
        /// Precomputed constants.
        zipf: Zipf,
        /// Rank to position.
        place: Permutation,
    },
    /// Rank n u^(log h / log(1-h)): a share h of the accesses falls on a share 1-h of the places.
    Pareto {
        /// The exponent log(h) / log(1 - h).
        power: f64,
        /// Rank to position.
        place: Permutation,
    },
    /// Normal around the middle of the range; beyond the ends it is drawn again.
    Normal {
        /// Standard deviation, in positions.
        deviation: f64,
        /// Rank to position.
        place: Permutation,
    },
    /// Zones with their shares of the accesses, uniform inside each.
    Zoned {
        /// The zones, access shares cumulated.
        zones: Vec<Zone>,
        /// Sum of the shares.
        total: f64,
    },
    /// A list of positions in its order, over and over.
    Listed(Box<Listed>),
    /// Each position once, and some soon again.
    Repeats(Box<Repeats>),
}

/// A list of positions that may move on after each pass.
#[derive(Clone, Debug)]
pub struct Listed {
    list: Vec<u64>,
    /// How far all of them move after a pass.
    advance: u64,
    /// How far they have moved at most: the last of them then is the last position.
    most: u64,
    moved: u64,
    next: usize,
}

impl Listed {
    fn draw(&mut self) -> u64 {
        let position = self.list[self.next] + self.moved;
        self.next += 1;
        if self.next == self.list.len() {
            self.next = 0;
            let moved = self.moved.saturating_add(self.advance);
            self.moved = if moved > self.most { 0 } else { moved };
        }
        position
    }
}

impl Sampler {
    /// Each position once before any comes again.
    pub fn each_once(n: u64, seed: u64) -> Sampler {
        Sampler::each_place_once(n, 1, seed)
    }

    /// `n` positions of `share` places each, all places once before any comes again. This is what a
    /// random map over a region looks like in a part of `1 / share` of it: as long as few places
    /// of the region are drawn, every position may come again at once.
    ///
    /// # Panics
    /// If there are no places, or more than 2^62.
    pub fn each_place_once(n: u64, share: u64, seed: u64) -> Sampler {
        let places = n.saturating_mul(share);
        Sampler::EachOnce { seed, drawn: 0, order: Permutation::new(places, seed), share }
    }

    /// Zipf with exponent `theta` (any positive number).
    pub fn zipf(n: u64, theta: f64, seed: u64) -> Sampler {
        Sampler::Zipf { zipf: Zipf::new(n, theta), place: Permutation::new(n, seed) }
    }

    /// Pareto with 0 < `h` < 1.
    pub fn pareto(n: u64, h: f64, seed: u64) -> Sampler {
        let power = libm::log(h) / libm::log(1.0 - h);
        Sampler::Pareto { power, place: Permutation::new(n, seed) }
    }

    /// Normal with a deviation of `percent` of the range.
    pub fn normal(n: u64, percent: f64, seed: u64) -> Sampler {
        let deviation = n as f64 * percent / 100.0;
        Sampler::Normal { deviation, place: Permutation::new(n, seed) }
    }

    /// Zones with access weights. Zones of no length are left out.
    ///
    /// # Panics
    /// If no zone has both length and weight.
    pub fn zoned(zones: impl IntoIterator<Item = Zone>) -> Sampler {
        let mut total = 0.0;
        let mut cumulated = Vec::new();
        for zone in zones.into_iter().filter(|z| z.len > 0 && z.access > 0.0) {
            total += zone.access;
            cumulated.push(Zone { access: total, ..zone });
        }
        assert!(!cumulated.is_empty(), "a zoned distribution needs a zone");
        Sampler::Zoned { zones: cumulated, total }
    }

    /// The positions of `list` in their order; after each pass all move on by `advance`, and begin
    /// again where the next pass would reach beyond the last of `n` positions.
    ///
    /// # Panics
    /// If the list is empty or reaches beyond the last position.
    pub fn listed(n: u64, list: Vec<u64>, advance: u64) -> Sampler {
        let last = list.iter().max().expect("a list of positions has one");
        let most = n.checked_sub(last + 1).expect("the list is within the positions");
        Sampler::Listed(Box::new(Listed { list, advance, most, moved: 0, next: 0 }))
    }

    /// True if each position comes once before any comes again.
    pub fn is_each_once(&self) -> bool {
        matches!(self, Sampler::EachOnce { share: 1, .. })
    }

    /// The next position.
    #[inline]
    pub fn draw(&mut self, stream: &mut Stream) -> u64 {
        match self {
            Sampler::Uniform { n } => stream.below(*n),
            uneven => uneven.draw_uneven(stream),
        }
    }

    /// The next position where not all are equally likely. Apart, so that those cost no call.
    #[inline(never)]
    fn draw_uneven(&mut self, stream: &mut Stream) -> u64 {
        match self {
            Sampler::Uniform { n } => stream.below(*n),
            Sampler::EachOnce { seed, drawn, order, share } => {
                let n = order.len();
                if *drawn == n {
                    *drawn = 0;
                    *seed = crate::permutation::mix(*seed ^ 0x5851_f42d_4c95_7f2d);
                    *order = Permutation::new(n, *seed);
                }
                *drawn += 1;
                let place = order.map(*drawn - 1);
                if *share == 1 { place } else { place / *share }
            }
            Sampler::Zipf { zipf, place } => place.map(zipf.rank(stream)),
            Sampler::Pareto { power, place } => {
                let n = place.len();
                let rank = whole(n as f64 * libm::pow(stream.unit(), *power));
                place.map(rank.min(n - 1))
            }
            Sampler::Normal { deviation, place } => {
                let n = place.len() as f64;
                let at = loop {
                    let radius = libm::sqrt(2.0 * stream.exponential());
                    let angle = 2.0 * std::f64::consts::PI * stream.unit();
                    let at = n / 2.0 + radius * libm::cos(angle) * *deviation;
                    if (0.0..n).contains(&at) {
                        break at;
                    }
                };
                place.map(whole(at))
            }
            Sampler::Zoned { zones, total } => {
                let access = stream.unit() * *total;
                let zone = zones.iter().find(|z| access < z.access).unwrap_or(&zones[0]);
                zone.start + stream.below(zone.len)
            }
            Sampler::Listed(listed) => listed.draw(),
            Sampler::Repeats(repeats) => repeats.draw(stream),
        }
    }
}

/// Zipf ranks by rejection-inversion (Hoermann and Derflinger, "Rejection-inversion to generate
/// variates from monotone discrete distributions", ACM TOMACS 1996): constant time, no table.
#[derive(Clone, Copy, Debug)]
pub struct Zipf {
    n: f64,
    theta: f64,
    h_first: f64,
    h_last: f64,
    shortcut: f64,
}

impl Zipf {
    /// # Panics
    /// If `n` is zero or `theta` not positive.
    pub fn new(n: u64, theta: f64) -> Self {
        assert!(n > 0 && theta > 0.0, "zipf needs positions and a positive exponent");
        let n = n as f64;
        let mut zipf = Zipf { n, theta, h_first: 0.0, h_last: 0.0, shortcut: 0.0 };
        zipf.h_first = zipf.integral(1.5) - 1.0;
        zipf.h_last = zipf.integral(n + 0.5);
        zipf.shortcut = 2.0 - zipf.inverse(zipf.integral(2.5) - libm::pow(2.0, -theta));
        zipf
    }

    /// Integral of x^-theta, continuous in theta at 1.
    fn integral(&self, x: f64) -> f64 {
        let log = libm::log(x);
        let t = (1.0 - self.theta) * log;
        let ratio = if t.abs() > 1e-8 { libm::expm1(t) / t } else { 1.0 + t / 2.0 };
        ratio * log
    }

    fn inverse(&self, y: f64) -> f64 {
        let t = (y * (1.0 - self.theta)).max(-1.0);
        let ratio = if t.abs() > 1e-8 { libm::log1p(t) / t } else { 1.0 - t / 2.0 };
        libm::exp(ratio * y)
    }

    /// A rank from 0 (the most likely) to n - 1.
    pub fn rank(&self, stream: &mut Stream) -> u64 {
        loop {
            let u = self.h_last + stream.unit() * (self.h_first - self.h_last);
            let x = self.inverse(u);
            let k = libm::round(x).clamp(1.0, self.n);
            if k - x <= self.shortcut || u >= self.integral(k + 0.5) - libm::pow(k, -self.theta) {
                return whole(k) - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_drawn_in_its_order_and_moves_on() {
        let drawn = |n, advance, count: usize| -> Vec<u64> {
            let mut sampler = Sampler::listed(n, vec![2, 0, 1], advance);
            let mut stream = Stream::new(1, "listed");
            (0..count).map(|_| sampler.draw(&mut stream)).collect()
        };
        assert_eq!(drawn(12, 0, 6), [2, 0, 1, 2, 0, 1]);
        assert_eq!(drawn(12, 3, 6), [2, 0, 1, 5, 3, 4]);
        // Of 8 positions the third pass would reach the ninth: it begins again.
        assert_eq!(drawn(8, 3, 9)[6..], [2, 0, 1]);
        assert_eq!(drawn(9, 3, 9)[6..], [8, 6, 7]);
    }

    #[test]
    fn zipf_frequencies_follow_the_law() {
        for theta in [0.6, 1.0, 1.2, 2.0] {
            let n = 1000u64;
            let zipf = Zipf::new(n, theta);
            let mut stream = Stream::new(11, "zipf");
            let draws = 400_000;
            let mut counts = vec![0u32; n as usize];
            for _ in 0..draws {
                counts[zipf.rank(&mut stream) as usize] += 1;
            }
            let weight: f64 = (1..=n).map(|k| (k as f64).powf(-theta)).sum();
            for k in [1usize, 2, 3, 10] {
                let expected = draws as f64 * (k as f64).powf(-theta) / weight;
                let error = (counts[k - 1] as f64 - expected).abs() / expected.sqrt();
                assert!(error < 4.5, "theta {theta} rank {k}: {error} standard deviations");
            }
        }
    }

    #[test]
    fn each_once_covers_exactly_before_it_repeats() {
        let mut sampler = Sampler::each_once(777, 5);
        let mut stream = Stream::new(1, "order");
        let mut passes = Vec::new();
        for _ in 0..2 {
            let pass: Vec<u64> = (0..777).map(|_| sampler.draw(&mut stream)).collect();
            let mut sorted = pass.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..777).collect::<Vec<u64>>());
            passes.push(pass);
        }
        assert_ne!(passes[0], passes[1], "the second pass has another order");
    }

    #[test]
    fn a_skewed_sampler_puts_its_ranks_on_distinct_places() {
        for mut sampler in
            [Sampler::zipf(64, 1.1, 9), Sampler::pareto(64, 0.2, 9), Sampler::normal(64, 15.0, 9)]
        {
            let mut stream = Stream::new(2, "cover");
            let mut seen = [false; 64];
            for _ in 0..200_000 {
                seen[sampler.draw(&mut stream) as usize] = true;
            }
            assert!(seen.iter().filter(|&&s| s).count() >= 62);
        }
    }

    #[test]
    fn zones_get_their_shares_in_their_places() {
        let zone = |access, start, len| Zone { access, start, len };
        let mut sampler = Sampler::zoned([zone(50.0, 0, 5), zone(30.0, 5, 15), zone(20.0, 20, 80)]);
        let mut stream = Stream::new(4, "zones");
        let mut counts = [0u32; 3];
        for _ in 0..100_000 {
            counts[match sampler.draw(&mut stream) {
                0..5 => 0,
                5..20 => 1,
                _ => 2,
            }] += 1;
        }
        for (count, expected) in counts.into_iter().zip([50_000.0, 30_000.0, 20_000.0]) {
            assert!((count as f64 - expected).abs() < 700.0, "{counts:?}");
        }
    }
}
