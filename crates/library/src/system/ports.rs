//! Ports that drives are plugged into, and the link behind them.

use super::super::Interface;
use engine::{Bandwidth, Bytes};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::Error as _};
use std::str::FromStr;

/// Kind and speed of ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(with = "String")]
#[schemars(extend("pattern" = r"^(PCIe [345]\.0|SATA [36] Gbit/s)$"))]
#[schemars(extend("examples" = ["PCIe 4.0", "SATA 6 Gbit/s"]))]
pub enum Ports {
    /// PCI Express of this generation.
    Pcie {
        /// Generation, 3 to 5.
        generation: u8,
    },
    /// Serial ATA.
    Sata {
        /// Gigabits a second on the wire.
        gigabits: u8,
    },
}

impl Ports {
    /// What a drive negotiates in a slot with this many lanes, or why it does not fit.
    pub fn negotiate(self, drive: Interface, lanes: u8) -> Result<Interface, String> {
        match (self, drive) {
            (Ports::Pcie { generation }, Interface::Pcie { generation: own, lanes: wide }) => {
                let generation = generation.min(own);
                Ok(Interface::Pcie { generation, lanes: lanes.min(wide) })
            }
            (Ports::Sata { gigabits }, Interface::Sata { gigabits: own }) => {
                Ok(Interface::Sata { gigabits: gigabits.min(own) })
            }
            (Ports::Pcie { .. }, _) => Err("a SATA drive does not fit PCIe lanes".to_owned()),
            (Ports::Sata { .. }, _) => Err("a PCIe drive does not fit a SATA port".to_owned()),
        }
    }
}

impl FromStr for Ports {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (format!("{text} x1").parse(), text.parse()) {
            (Ok(Interface::Pcie { generation, .. }), _) => Ok(Ports::Pcie { generation }),
            (_, Ok(Interface::Sata { gigabits })) => Ok(Ports::Sata { gigabits }),
            _ => Err(format!("`{text}` are not known ports; write `PCIe 4.0` or `SATA 6 Gbit/s`")),
        }
    }
}

/// The link between a chipset or card and the processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(with = "String")]
#[schemars(extend("pattern" = r"^(DMI|PCIe) [345]\.0 x(1|2|4|8|16)$"))]
#[schemars(extend("examples" = ["DMI 4.0 x8"]))]
pub struct Upstream(Interface);

impl Upstream {
    /// Net bandwidth of one direction.
    pub fn bandwidth(self, payload: Bytes) -> Bandwidth {
        self.0.bandwidth(payload)
    }
}

impl FromStr for Upstream {
    type Err = String;

    /// DMI 3.0 and 4.0 are PCIe of the same generation on the wire.
    fn from_str(text: &str) -> Result<Self, String> {
        let pcie = text.strip_prefix("DMI").map_or(text.to_owned(), |rest| format!("PCIe{rest}"));
        match pcie.parse() {
            Ok(link @ Interface::Pcie { .. }) => Ok(Upstream(link)),
            _ => Err(format!(
                "`{text}` is not a known link; write for example `DMI 3.0 x4`, `DMI 4.0 x8` or \
                 `PCIe 4.0 x8`"
            )),
        }
    }
}

impl<'de> Deserialize<'de> for Ports {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Upstream {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_gives_what_both_sides_can() {
        let ports: Ports = "PCIe 4.0".parse().unwrap();
        let drive = |text: &str| text.parse::<Interface>().unwrap();
        let slot = |text: &str, lanes| ports.negotiate(drive(text), lanes).unwrap();
        assert_eq!(slot("PCIe 3.0 x4", 4), drive("PCIe 3.0 x4"));
        assert_eq!(slot("PCIe 5.0 x4", 4), drive("PCIe 4.0 x4"));
        assert_eq!(slot("PCIe 3.0 x4", 2), drive("PCIe 3.0 x2"));
        assert!(ports.negotiate(drive("SATA 6 Gbit/s"), 1).is_err());
        assert!("PCIe 4.0 x4".parse::<Ports>().is_err());
    }

    /// 8 lanes of 16 GT/s are 15.75 GB/s on the wire.
    #[test]
    fn dmi_is_pcie_by_another_name() {
        let net = |text: &str| {
            let link: Upstream = text.parse().unwrap();
            link.bandwidth(Bytes::from_base(256)).base() as f64 / 1e9
        };
        assert!((net("DMI 4.0 x8") - 14.18).abs() < 0.01, "{}", net("DMI 4.0 x8"));
        assert!((net("DMI 3.0 x4") - 3.545).abs() < 0.01, "{}", net("DMI 3.0 x4"));
        assert!("SATA 6 Gbit/s".parse::<Upstream>().is_err());
    }
}
