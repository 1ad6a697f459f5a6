//! The namespaces that hosts have made of a served drive, and the format of each.

use iopath::device::flash::drive::{Namespace, NamespaceFault, Namespaces};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The namespaces of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spaces {
    /// Where they are.
    pub held: Namespaces,
    /// The format of each, by its number, and how often one was created with it.
    pub formats: BTreeMap<u16, (u8, u8)>,
}

/// The same as it is kept while the drive is switched off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptSpaces {
    held: Vec<KeptSpace>,
    formats: BTreeMap<u16, (u8, u8)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptSpace {
    number: u16,
    start: u64,
    bytes: u64,
    attached: bool,
}

impl Spaces {
    /// One namespace that is all of a device of so many bytes in mapping units of `unit`.
    pub fn whole(bytes: u64, unit: u64) -> Self {
        Spaces { held: Namespaces::whole(bytes, unit), formats: BTreeMap::from([(0, (0, 0))]) }
    }

    /// What is kept of them.
    pub fn kept(&self) -> KeptSpaces {
        let held = self.held.iter().map(|(number, space, attached)| KeptSpace {
            number,
            start: space.start,
            bytes: space.bytes,
            attached,
        });
        KeptSpaces { held: held.collect(), formats: self.formats.clone() }
    }

    /// Those that were kept of a device of so many bytes in mapping units of `unit`.
    ///
    /// # Errors
    /// If they are not those of such a device.
    pub fn of_kept(kept: &KeptSpaces, bytes: u64, unit: u64) -> Result<Self, NamespaceFault> {
        let held = kept.held.iter().map(|one| {
            (one.number, Namespace { start: one.start, bytes: one.bytes }, one.attached)
        });
        let held = Namespaces::listed(bytes, unit, held)?;
        Ok(Spaces { held, formats: kept.formats.clone() })
    }
}
