//! What a model file says about the policies of a translation layer, as what the layer decides by.

use super::sourced::Sourced;
use engine::{Bytes, Count, Ratio, whole};
use iopath::device::flash::ftl::map_cache::MapCachePolicy;
use iopath::device::flash::ftl::retire::BadBlocks;
use schemars::JsonSchema;
use serde::Deserialize;

/// Where the map is.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MapFile {
    /// Bytes of the map that are in memory; the rest is read from the flash when it is needed.
    pub cache: Sourced<Bytes>,
}

impl MapFile {
    /// The cache at a scale: a share of the drive has as large a share of its map in memory. Four
    /// bytes a unit.
    pub(super) fn resolve(&self, scale: f64) -> MapCachePolicy {
        let bytes = whole(self.cache.get().base() as f64 * scale);
        MapCachePolicy { bytes, entry_bytes: 4 }
    }
}

/// How blocks fail, and the reserve.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BadBlocksFile {
    /// Share of all blocks that are bad from the factory.
    pub factory: Sourced<Ratio>,
    /// Blocks beyond those of alpha, as a share of those.
    pub reserve: Sourced<Ratio>,
    /// Erases that the flash is rated for.
    pub rated: Sourced<Count>,
    /// Share of blocks that have failed after the rated erases.
    pub failed_at_rated: Sourced<Ratio>,
    /// Shape of Weibull's law; above 1 the hazard rises with wear.
    pub shape: Sourced<Ratio>,
}

impl BadBlocksFile {
    /// Refuses what no flash is like: byte offset, message, help.
    pub(super) fn check(&self) -> Result<(), (usize, String, String)> {
        let bad = |value: &Sourced<Ratio>, least: f64, most: f64, help: &str| {
            if (least..=most).contains(&value.get().fraction()) {
                return Ok(());
            }
            Err((value.at(), format!("{} is not possible here", value.get()), help.to_owned()))
        };
        bad(&self.factory, 0.0, 0.2, "use 0 % to 20 % of the blocks")?;
        bad(&self.reserve, 0.0, 1.0, "use 0 % to 100 % of the blocks")?;
        bad(&self.failed_at_rated, 0.0, 0.99, "use 0 % to 99 % of the blocks")?;
        bad(&self.shape, 0.1, 50.0, "use 0.1 x to 50 x; 1 x is a constant hazard")?;
        if self.rated.get().number == 0 {
            let message = "a flash is rated for one erase at least".to_owned();
            return Err((self.rated.at(), message, "for example `3000 erases`".to_owned()));
        }
        Ok(())
    }

    pub(super) fn resolve(&self) -> BadBlocks {
        BadBlocks {
            factory: self.factory.get().fraction(),
            reserve: self.reserve.get().fraction(),
            rated: self.rated.get().number,
            failed_at_rated: self.failed_at_rated.get().fraction(),
            shape: self.shape.get().fraction(),
        }
    }
}
