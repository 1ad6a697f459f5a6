//! The machine: where it describes itself.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Where the machine describes itself. Tests substitute trees of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// sysfs.
    pub sys: PathBuf,
    /// procfs.
    pub proc: PathBuf,
    /// Device nodes.
    pub dev: PathBuf,
    /// udev's run-time data.
    pub udev: PathBuf,
    /// util-linux's blkid, which knows more formats than our table. Where it is not installed the
    /// table decides alone.
    pub blkid: PathBuf,
    /// Regular files that represent block devices of these numbers; empty on a real machine.
    pub stand_ins: BTreeMap<PathBuf, (u32, u32)>,
}

impl System {
    /// The machine this runs on.
    pub fn real() -> Self {
        let places = ["/usr/sbin/blkid", "/sbin/blkid"].map(PathBuf::from);
        let blkid = places.into_iter().find(|place| place.exists());
        Self {
            sys: "/sys".into(),
            proc: "/proc".into(),
            dev: "/dev".into(),
            udev: "/run/udev".into(),
            blkid: blkid.unwrap_or_else(|| "blkid".into()),
            stand_ins: BTreeMap::new(),
        }
    }
}
