//! Which absent blocks may enter the cache: checked once for each touch of an absent block.

mod hot;
mod second_touch;

use super::config::{AdmissionConfig, TierConfig};
use engine::narrow;
use hot::Hot;
use second_touch::SecondTouch;

/// The policy with what it remembers.
#[derive(Clone, Debug)]
pub enum Admission {
    /// Lets everything in.
    Always,
    /// Lets in what was refused not long ago.
    SecondTouch(SecondTouch),
    /// Admits blocks of regions that are touched often.
    Hot(Hot),
}

impl Admission {
    /// The policy of a configuration.
    pub fn new(config: &TierConfig) -> Admission {
        match config.admission {
            AdmissionConfig::Always => Admission::Always,
            AdmissionConfig::SecondTouch { ghosts } => {
                Admission::SecondTouch(SecondTouch::new(ghosts))
            }
            AdmissionConfig::Hot { region, touches, halve_after } => {
                let blocks = narrow(config.backing_bytes.div_ceil(config.block));
                let region = narrow((region / config.block).clamp(1, u64::from(blocks)));
                Admission::Hot(Hot::new(blocks, region, touches, halve_after))
            }
        }
    }

    /// An absent block is touched: may it enter?
    #[inline]
    pub fn admits(&mut self, block: u32) -> bool {
        match self {
            Admission::Always => true,
            Admission::SecondTouch(policy) => policy.admits(block),
            Admission::Hot(policy) => policy.admits(block),
        }
    }

    /// Forgets what was seen.
    pub fn clear(&mut self) {
        match self {
            Admission::Always => {}
            Admission::SecondTouch(policy) => policy.clear(),
            Admission::Hot(policy) => policy.clear(),
        }
    }
}
