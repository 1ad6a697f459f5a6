//! How long a drive or array lasts under a load: by the cycles that its cells are rated for, and by
//! what its maker rates.

mod rating;
mod spread;

pub use rating::{Rated, Ratings};
pub use spread::Amplified;

use sweep::Estimate;

/// Time until the rated cycles are used.
pub const LIFETIME: &str = "lifetime";
/// Time until the host wrote what the maker rates.
pub const RATED_LIFE: &str = "rated_life";
/// What of a run a lifetime rests on.
pub const AMPLIFICATION: &str = "write_amplification";

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Bytes that the host writes in a second, of so many times the `usable` bytes a day.
pub fn written_a_second(dwpd: f64, usable: f64) -> f64 {
    dwpd * usable / DAY
}

/// Time until the rated cycles are used, s: by the bytes that the flash can take, over what the
/// host writes and the amplification of the load. Where the load may amplify by less than was
/// measured, its end is where each byte is written once; where it may amplify by more, nothing is
/// certain. `None` if nothing was written.
pub fn lifetime(
    flash_writes: f64,
    a_second: f64,
    amplification: &Estimate,
    amplified: Amplified,
) -> Option<Estimate> {
    if amplification.low <= 0.0 {
        return None;
    }
    let life = |amplification: f64| flash_writes / (a_second * amplification);
    let (low, high) = (life(amplification.high), life(amplification.low));
    let (low, high) = match amplified {
        Amplified::Known => (low, high),
        Amplified::AtMost => (low, high.max(life(1.0))),
        Amplified::AtLeast => (0.0, high),
    };
    Some(Estimate { value: life(amplification.value), low, high, samples: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drive of 1 TB whose flash takes 10 PB, written twice a day with an amplification of 2.5.
    #[test]
    fn a_life_is_flash_over_writes() {
        let a_second = written_a_second(2.0, 1e12);
        let wa = Estimate { value: 2.5, low: 2.0, high: 4.0, samples: None };
        let days = |amplified| {
            let life = lifetime(10e15, a_second, &wa, amplified).unwrap();
            [life.low, life.value, life.high].map(|s| (s / DAY).round())
        };
        assert_eq!(days(Amplified::Known), [1250.0, 2000.0, 2500.0]);
        assert_eq!(days(Amplified::AtMost), [1250.0, 2000.0, 5000.0]);
        assert_eq!(days(Amplified::AtLeast), [0.0, 2000.0, 2500.0]);
        assert_eq!(lifetime(1e15, a_second, &Estimate::exact(0.0), Amplified::Known), None);
    }
}
