//! The formats that are understood.

use std::fmt;
use std::str::FromStr;

/// A format of block traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// fio's iolog, version 2 or 3.
    Iolog,
    /// What the kernel's blktrace writes: binary.
    Blktrace,
    /// What blkparse prints of it.
    Blkparse,
    /// Microsoft Research Cambridge.
    Msr,
    /// Storage Performance Council, as the UMass repository has it.
    Spc,
    /// Systor '17, an enterprise's virtual desktops.
    Systor,
    /// Alibaba's cloud volumes, 2020.
    Alibaba,
    /// Tencent's cloud block storage, 2018.
    Tencent,
    /// MQSim's own text.
    Mqsim,
    /// Windows event traces of Microsoft's enterprise and production servers.
    Etw,
    /// CloudPhysics' virtual disks as CSV.
    Vscsi,
    /// Florida International University.
    Fiu,
    /// Fujitsu's K5 cloud.
    K5cloud,
    /// Camelab's flash traces.
    Camelab,
}

impl Format {
    /// All formats; where a text fits several, the first is taken.
    pub const ALL: [Format; 14] = [
        Format::Iolog,
        Format::Blktrace,
        Format::Blkparse,
        Format::Etw,
        Format::Msr,
        Format::Spc,
        Format::Systor,
        Format::Alibaba,
        Format::K5cloud,
        Format::Vscsi,
        Format::Tencent,
        Format::Fiu,
        Format::Camelab,
        Format::Mqsim,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Iolog => "iolog",
            Format::Blktrace => "blktrace",
            Format::Blkparse => "blkparse",
            Format::Msr => "msr",
            Format::Spc => "spc",
            Format::Systor => "systor",
            Format::Alibaba => "alibaba",
            Format::Tencent => "tencent",
            Format::Mqsim => "mqsim",
            Format::Etw => "etw",
            Format::Vscsi => "vscsi",
            Format::Fiu => "fiu",
            Format::K5cloud => "k5cloud",
            Format::Camelab => "camelab",
        }
    }

    /// The columns of one line, with units.
    pub fn columns(self) -> &'static str {
        match self {
            Format::Iolog => "`fio version 2 iolog` or `3`, then (us) file action offset length",
            Format::Blktrace => "binary records of 48 bytes and more, magic 0x65617400",
            Format::Blkparse => {
                "major,minor cpu sequence s pid action rwbs sector + sectors [name]"
            }
            Format::Msr => "time (100 ns),host,disk,Read or Write,byte,bytes,response (100 ns)",
            Format::Spc => "unit,sector,bytes,R or W,time (s)",
            Format::Systor => "time (s),response (s),R or W,unit,byte,bytes",
            Format::Alibaba => "volume,R or W,byte,bytes,time (us)",
            Format::Tencent => "time (s),sector,sectors,0 read or 1 write,volume",
            Format::Mqsim => "time (ns) device sector sectors 0 write or 1 read",
            Format::Etw => "DiskRead or DiskWrite,time (us),process,thread,irp,0xbyte,0xbytes,...",
            Format::Vscsi => "version,time (s),SCSI operation (hex),bytes,sector",
            Format::Fiu => "time (ns) pid process sector sectors R or W major minor digest",
            Format::K5cloud => "volume,time (s),R or W,byte,bytes",
            Format::Camelab => "time (s) R or W sector sectors",
        }
    }

    /// True if lines are text.
    pub fn is_text(self) -> bool {
        self != Format::Blktrace
    }

    /// True if times are whole seconds, so that all requests of a second arrive at once.
    pub fn has_whole_seconds(self) -> bool {
        matches!(self, Format::Tencent | Format::Vscsi)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Format::ALL.map(Format::name).join(", ");
        let found = Format::ALL.into_iter().find(|f| f.name().eq_ignore_ascii_case(text.trim()));
        found.ok_or_else(|| format!("`{text}` is no format of traces; there are {}", names()))
    }
}
