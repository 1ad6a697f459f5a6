//! Interfaces and what they carry net of encoding and packet overhead.

use super::host_path::HostPath;
use engine::{Bandwidth, Bytes, Duration, whole};
use iopath::device::flash::config::LinkConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::Error as _};

/// The interface between host and drive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(with = "String")]
#[schemars(extend("pattern" = r"^(PCIe [345]\.0 x(1|2|4|8|16)|SATA [36] Gbit/s)$"))]
#[schemars(extend("examples" = ["PCIe 4.0 x4", "SATA 6 Gbit/s"]))]
pub enum Interface {
    /// PCI Express with its generation (3 to 5) and lanes.
    Pcie {
        /// Generation.
        generation: u8,
        /// Lanes.
        lanes: u8,
    },
    /// Serial ATA with its rate in Gbit/s (3 or 6).
    Sata {
        /// Gigabits a second on the wire.
        gigabits: u8,
    },
}

impl Interface {
    /// Net bandwidth of one direction.
    ///
    /// PCIe: lanes x GT/s x 128/130 / 8, times payload/(payload + 24 B) for packet headers, times
    /// 0.985 for flow control and acknowledgements. SATA: 8b/10b leaves a tenth of the line rate in
    /// bytes; frames and primitives leave 92 %.
    pub fn bandwidth(self, payload: Bytes) -> Bandwidth {
        match self {
            Interface::Pcie { generation, lanes } => {
                let transfers = [8e9, 16e9, 32e9][generation as usize - 3];
                let raw = transfers * lanes as f64 * 128.0 / 130.0 / 8.0;
                let payload = payload.base() as f64;
                Bandwidth::from_base(whole(raw * payload / (payload + 24.0) * 0.985))
            }
            Interface::Sata { gigabits } => Bandwidth::from_base(gigabits as u64 * 92_000_000),
        }
    }

    /// Commands that fit into the device's queue: 32 with SATA's native command queueing; NVMe
    /// queues hold 64 Ki each and are no limit here.
    pub fn queue_limit(self) -> u32 {
        match self {
            Interface::Pcie { .. } => u32::MAX,
            Interface::Sata { .. } => 32,
        }
    }

    /// The link of a medium whose commands take `command_latency` to reach it. Software is on the
    /// path to it, not in it: its completions are those of the host.
    pub(super) fn link(
        self,
        payload: Bytes,
        command_latency: Duration,
        host: &HostPath,
    ) -> LinkConfig {
        let rate = self.bandwidth(payload);
        LinkConfig {
            down: rate,
            up: rate,
            queue_limit: self.queue_limit(),
            half_duplex: self.half_duplex(),
            command_latency,
            completion_latency: host.complete,
            jitter: host.jitter.quantiles(),
        }
    }

    /// True if both directions share the wire.
    pub fn half_duplex(self) -> bool {
        matches!(self, Interface::Sata { .. })
    }
}

impl std::fmt::Display for Interface {
    /// As a model file writes it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Interface::Pcie { generation, lanes } => write!(f, "PCIe {generation}.0 x{lanes}"),
            Interface::Sata { gigabits } => write!(f, "SATA {gigabits} Gbit/s"),
        }
    }
}

impl std::str::FromStr for Interface {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || -> Option<Interface> {
            let (kind, rest) = text.split_once(' ')?;
            match kind {
                "PCIe" => {
                    let (generation, lanes) = rest.split_once(".0 x")?;
                    let (generation, lanes) = (generation.parse().ok()?, lanes.parse().ok()?);
                    let known = (3..=5).contains(&generation) && [1, 2, 4, 8, 16].contains(&lanes);
                    known.then_some(Interface::Pcie { generation, lanes })
                }
                "SATA" => match rest {
                    "3 Gbit/s" => Some(Interface::Sata { gigabits: 3 }),
                    "6 Gbit/s" => Some(Interface::Sata { gigabits: 6 }),
                    _ => None,
                },
                _ => None,
            }
        };
        parse().ok_or_else(|| {
            format!(
                "`{text}` is not a known interface; write for example `PCIe 4.0 x4` (3.0 to 5.0, \
                 x1 to x16) or `SATA 6 Gbit/s`"
            )
        })
    }
}

impl<'de> Deserialize<'de> for Interface {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Payloads decide whether a PCIe 4.0 x4 drive can read 7.4 GB/s.
    #[test]
    fn payload_efficiency_gives_the_known_net_rates() {
        let gen4: Interface = "PCIe 4.0 x4".parse().unwrap();
        let net = |payload| gen4.bandwidth(Bytes::from_base(payload)).base() as f64 / 1e9;
        assert!((net(256) - 7.09).abs() < 0.01, "{}", net(256));
        assert!((net(512) - 7.41).abs() < 0.01, "{}", net(512));
        let sata: Interface = "SATA 6 Gbit/s".parse().unwrap();
        assert_eq!(sata.bandwidth(Bytes::default()).base(), 552_000_000);
        assert!("PCIe 4 x4".parse::<Interface>().is_err());
        assert!("PCIe 9.0 x4".parse::<Interface>().is_err());
    }
}
