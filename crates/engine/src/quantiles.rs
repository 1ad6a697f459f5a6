//! A distribution of delays by its quantiles, as measurements tell them.

use crate::narrow::{low32, whole};
use crate::rng::Stream;
use crate::time::Duration;

/// Cells of the table that answers most draws, and how many of them, with the longest delays, are
/// computed instead: a straight line over one of those would be too far from the curve.
const CELLS: usize = 256;
const COMPUTED: usize = 16;

/// Delays with the shares of draws that are longer. Between two of them a delay grows by as much
/// for each factor by which the share falls, and beyond the last it goes on like that.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantiles {
    /// Shares (0 to 1], falling, and delays, ps.
    knots: Vec<(f64, f64)>,
    /// Delays at the ends of the cells, ps: that of share `i / CELLS` at place `i`.
    table: Vec<u32>,
}

impl Quantiles {
    /// Delays by the share of draws that are longer: the first share is 1, the shares fall, the
    /// delays do not. Delays of more than one draw in 16 are below 4 ms.
    ///
    /// # Errors
    /// Says what is wrong with the list.
    pub fn new(list: &[(f64, Duration)]) -> Result<Self, String> {
        if list.len() < 2 || list[0].0 != 1.0 {
            return Err("the first share is 100 %, and at least one more follows".to_owned());
        }
        for pair in list.windows(2) {
            let falls = pair[1].0 > 0.0 && pair[1].0 < pair[0].0;
            if !falls || pair[1].1 < pair[0].1 {
                return Err("shares fall, to more than 0 %, and delays do not".to_owned());
            }
        }
        let knots = list.iter().map(|(share, delay)| (*share, delay.ps() as f64)).collect();
        let mut this = Quantiles { knots, table: Vec::new() };
        let ends = (0..=CELLS).map(|i| this.delay_ps(i.max(COMPUTED) as f64 / CELLS as f64));
        let ends: Vec<u64> = ends.map(|ps| whole(ps.round())).collect();
        if ends[0] > u64::from(u32::MAX) {
            return Err("a delay of one draw in 16 is over 4 ms".to_owned());
        }
        this.table = ends.into_iter().map(low32).collect();
        Ok(this)
    }

    /// The delay that a share (0 to 1] of the draws exceeds, ps.
    fn delay_ps(&self, share: f64) -> f64 {
        let last = self.knots.len() - 2;
        let piece = (0..last).find(|&i| share >= self.knots[i + 1].0).unwrap_or(last);
        let [(s0, d0), (s1, d1)] = [self.knots[piece], self.knots[piece + 1]];
        d0 + (d1 - d0) * libm::log(s0 / share) / libm::log(s0 / s1)
    }

    /// Mean of all draws. Each piece is exponential: with `k` the growth for a factor of e,
    /// the integral of the delay over the shares from `s1` to `s0` is
    /// `d0 (s0 - s1) + k ((s0 - s1) - s1 ln(s0 / s1))`.
    pub fn mean(&self) -> Duration {
        let mut sum = 0.0;
        for (place, pair) in self.knots.windows(2).enumerate() {
            let [(s0, d0), (s1, d1)] = [pair[0], pair[1]];
            let log = libm::log(s0 / s1);
            let growth = (d1 - d0) / log;
            sum += d0 * (s0 - s1) + growth * ((s0 - s1) - s1 * log);
            if place + 2 == self.knots.len() {
                sum += s1 * (d1 + growth);
            }
        }
        Duration::from_ps(whole(sum.round()))
    }

    /// A delay.
    #[inline]
    pub fn draw(&self, draws: &mut Stream) -> Duration {
        let bits = draws.bits();
        let cell = (bits >> 56) as usize;
        if cell < COMPUTED {
            return self.long(bits);
        }
        let [longer, shorter] = [self.table[cell], self.table[cell + 1]].map(u64::from);
        let rest = u64::from(low32(bits >> 24));
        Duration::from_ps(longer - (((longer - shorter) * rest) >> 32))
    }

    /// One of the longest delays: at a share with 53 random bits.
    #[cold]
    fn long(&self, bits: u64) -> Duration {
        let share = (bits as f64 + 1.0) / 18_446_744_073_709_551_616.0;
        Duration::from_ps(whole(self.delay_ps(share).round()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(tenths: u64) -> Duration {
        Duration::from_ns(tenths * 100)
    }

    fn some() -> Quantiles {
        let list = [(1.0, us(0)), (0.5, us(8)), (0.1, us(16)), (0.01, us(68)), (1e-4, us(310))];
        Quantiles::new(&list).unwrap()
    }

    #[test]
    fn as_many_draws_are_longer_as_the_list_says() {
        let (quantiles, mut draws) = (some(), Stream::new(1, "delays"));
        let mut delays: Vec<u64> =
            (0..2_000_000).map(|_| quantiles.draw(&mut draws).ps()).collect();
        delays.sort_unstable();
        for (share, tenths) in [(0.5, 8), (0.1, 16), (0.01, 68), (0.001, 189), (1e-4, 310)] {
            let rank: usize = crate::narrow::narrow(whole(2e6 * (1.0 - share)));
            let found = delays[rank] as f64 / us(tenths).ps() as f64;
            assert!((found - 1.0).abs() < 0.02, "{share}: {found}");
        }
        let mean = delays.iter().sum::<u64>() as f64 / 2e6;
        let law = quantiles.mean().ps() as f64;
        assert!((mean / law - 1.0).abs() < 0.003, "{mean} {law}");
    }

    /// Delays that grow by `k` for each factor of e are exponential with mean `k`.
    #[test]
    fn one_piece_is_an_exponential_delay() {
        let list = [(1.0, Duration::ZERO), (libm::exp(-1.0), us(50))];
        let mean = Quantiles::new(&list).unwrap().mean();
        assert_eq!(mean.ns(), 5_000);
    }

    #[test]
    fn lists_that_are_none_are_refused() {
        let wrong = |list: &[(f64, Duration)]| Quantiles::new(list).unwrap_err();
        assert!(wrong(&[(1.0, us(1))]).contains("100 %"));
        assert!(wrong(&[(0.9, us(1)), (0.5, us(2))]).contains("100 %"));
        assert!(wrong(&[(1.0, us(1)), (1.0, us(2))]).contains("fall"));
        assert!(wrong(&[(1.0, us(3)), (0.5, us(2))]).contains("delays"));
        assert!(wrong(&[(1.0, us(3)), (0.0, us(4))]).contains("0 %"));
        assert!(wrong(&[(1.0, us(0)), (0.5, us(100_000))]).contains("4 ms"));
    }
}
