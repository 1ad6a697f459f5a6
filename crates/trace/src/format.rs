//! The formats that are understood.

use std::fmt;
use std::str::FromStr;

/// Makes the type of all formats of a list: each with its name on the command line, and the columns
/// of one line with their units.
macro_rules! formats {
    ($( $(#[$doc:meta])* $name:ident $word:literal: $columns:literal, )*) => {
        /// A format of block traces.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format {
            $( $(#[$doc])* $name, )*
        }

        impl Format {
            /// All formats; where a text fits several, the first is taken.
            pub const ALL: &[Format] = &[$( Format::$name, )*];

            /// Its name on the command line.
            pub fn name(self) -> &'static str {
                match self {
                    $( Format::$name => $word, )*
                }
            }

            /// The columns of one line, with units.
            pub fn columns(self) -> &'static str {
                match self {
                    $( Format::$name => $columns, )*
                }
            }
        }
    };
}

formats! {
    /// fio's iolog, version 2 or 3.
    Iolog "iolog": "`fio version 2 iolog` or `3`, then (us) file action offset length",
    /// What the kernel's blktrace writes: binary.
    Blktrace "blktrace": "binary records of 48 bytes and more, magic 0x65617400",
    /// What blkparse prints of it.
    Blkparse "blkparse": "major,minor cpu sequence s pid action rwbs sector + sectors [name]",
    /// Windows event traces of Microsoft's enterprise and production servers.
    Etw "etw": "DiskRead or DiskWrite,time (us),process,thread,irp,0xbyte,0xbytes,...",
    /// Microsoft Research Cambridge.
    Msr "msr": "time (100 ns),host,disk,Read or Write,byte,bytes,response (100 ns)",
    /// Storage Performance Council, as the UMass repository has it.
    Spc "spc": "unit,sector,bytes,R or W,time (s)",
    /// Systor '17, an enterprise's virtual desktops.
    Systor "systor": "time (s),response (s),R or W,unit,byte,bytes",
    /// Alibaba's cloud volumes, 2020.
    Alibaba "alibaba": "volume,R or W,byte,bytes,time (us)",
    /// Fujitsu's K5 cloud.
    K5cloud "k5cloud": "volume,time (s),R or W,byte,bytes",
    /// CloudPhysics' virtual disks as CSV.
    Vscsi "vscsi": "version,time (s),SCSI operation (hex),bytes,sector",
    /// The same as they were recorded: binary.
    VscsiRecords "vscsi-records": "binary records of 32 bytes (version 1) or 40 (version 2)",
    /// Tencent's cloud block storage, 2018.
    Tencent "tencent": "time (s),sector,sectors,0 read or 1 write,volume",
    /// Florida International University.
    Fiu "fiu": "time (ns) pid process sector sectors R or W major minor digest",
    /// JEDEC's master and test traces of the client workload (JESD219A), without times.
    Jesd219 "jesd219": "Write or Trims, sector, sectors; Flush",
    /// Camelab's flash traces.
    Camelab "camelab": "time (s) R or W sector sectors",
    /// MQSim's own text.
    Mqsim "mqsim": "time (ns) device sector sectors 0 write or 1 read",
}

impl Format {
    /// The names of all, for messages.
    pub(crate) fn names() -> String {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        names.join(", ")
    }

    /// True if lines are text.
    pub fn is_text(self) -> bool {
        !matches!(self, Format::Blktrace | Format::VscsiRecords)
    }

    /// False if there are no times: how many requests are in flight decides when they are issued.
    pub fn has_times(self) -> bool {
        self != Format::Jesd219
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
        let found =
            Format::ALL.iter().copied().find(|f| f.name().eq_ignore_ascii_case(text.trim()));
        found.ok_or_else(|| {
            format!("`{text}` is not a trace format; the formats are {}", Format::names())
        })
    }
}
