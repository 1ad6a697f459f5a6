//! How programs reach a served drive.

use crate::error::CrashError;
use crate::tool::Tool;

pub(crate) const NBDFUSE: Tool = Tool { program: "nbdfuse", package: "nbdfuse" };
pub(crate) const LOSETUP: Tool = Tool { program: "losetup", package: "mount" };
pub(crate) const MOUNT: Tool = Tool { program: "mount", package: "mount" };
pub(crate) const UMOUNT: Tool = Tool { program: "umount", package: "mount" };
/// Without it the system does not mount what nbdfuse shows.
const FUSE: Tool = Tool { program: "fusermount3", package: "fuse3" };

/// How programs reach a served drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attach {
    /// By NBD: they are given its address.
    Nbd,
    /// As a file that has the bytes of the drive.
    File,
    /// A directory of an ext4 file system on it.
    Ext4,
    /// A directory of an XFS file system on it.
    Xfs,
}

impl Attach {
    /// Its word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Attach::Nbd => "nbd",
            Attach::File => "file",
            Attach::Ext4 => "ext4",
            Attach::Xfs => "xfs",
        }
    }

    /// What makes its file system, and the options that make it without questions.
    pub(crate) fn formatter(self) -> Option<(Tool, &'static [&'static str])> {
        match self {
            Attach::Nbd | Attach::File => None,
            Attach::Ext4 => {
                Some((Tool { program: "mkfs.ext4", package: "e2fsprogs" }, &["-q", "-F"]))
            }
            Attach::Xfs => Some((Tool { program: "mkfs.xfs", package: "xfsprogs" }, &["-q", "-f"])),
        }
    }

    /// What is missing for it on this machine, all of it.
    pub fn obstacles(self) -> Vec<CrashError> {
        let mut tools = Vec::new();
        if self != Attach::Nbd {
            tools.extend([NBDFUSE, FUSE, UMOUNT]);
        }
        let mut obstacles = Vec::new();
        if let Some((formatter, _)) = self.formatter() {
            tools.extend([formatter, LOSETUP, MOUNT]);
            if !rustix::process::geteuid().is_root() {
                obstacles.push(CrashError::NotRoot);
            }
        }
        obstacles.extend(tools.into_iter().filter_map(|tool| tool.find().err()));
        obstacles
    }
}
