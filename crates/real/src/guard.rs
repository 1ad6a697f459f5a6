//! The guard: whether a path may be used, decided before anything is run.
//!
//! - A regular file that does not exist may be made; drivelab marks it as its own
//!   ([`crate::marker`]) and may use it again. Any other existing file needs `--overwrite`.
//! - A block device may be written only if nobody uses it or its relatives, it holds nothing
//!   that is known ([`crate::signature`]), and the user has typed its serial number.
//! - A purge destroys more than any job, and needs the same consent, also if the job only reads.
//! - A job that only reads may read an existing file or device; fio is told so, too.
//! - Everything else is refused, and each refusal says how to mend it.

use crate::device::{self, Device};
use crate::marker::{self, Sidecar};
use crate::refusal::{Reason, Refusal};
use crate::signature;
use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Where the machine tells about itself. Tests put trees of their own in its place.
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
    /// Regular files that stand for block devices of these numbers; empty on a real machine.
    pub stand_ins: BTreeMap<PathBuf, (u32, u32)>,
}

impl System {
    /// The machine this runs on.
    pub fn real() -> Self {
        Self {
            sys: "/sys".into(),
            proc: "/proc".into(),
            dev: "/dev".into(),
            udev: "/run/udev".into(),
            stand_ins: BTreeMap::new(),
        }
    }
}

/// What a user wants to do, and what has been confirmed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The file or device.
    pub path: PathBuf,
    /// Whether the job writes or trims (see [`crate::RealJob::writes`]).
    pub writes: bool,
    /// Whether it is to be purged (see [`crate::purge`]), which destroys all data at once.
    pub purge: bool,
    /// `--overwrite`: an existing file that drivelab did not make may be overwritten.
    pub overwrite: bool,
    /// `--destroy-data SERIAL`: the serial number of the device whose data may be destroyed.
    pub destroy_data: Option<String>,
}

/// What a [`Permit`] is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermitKind {
    /// A file that will be made.
    NewFile,
    /// A file that drivelab made earlier.
    OwnFile,
    /// Someone's file: to be read, or overwritten with the user's consent.
    ForeignFile,
    /// A block device.
    BlockDevice(Device),
}

/// The guard's consent to use one path. Only [`System::examine`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permit {
    request: Request,
    path: PathBuf,
    kind: PermitKind,
    may_write: bool,
    may_purge: bool,
    /// Device and inode of what was examined; `None` if it is to be made.
    identity: Option<(u64, u64)>,
}

impl Permit {
    /// The path, absolute and without symbolic links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it is.
    pub fn kind(&self) -> &PermitKind {
        &self.kind
    }

    /// Whether it may be written: if not, fio is started with `--readonly`.
    pub fn may_write(&self) -> bool {
        self.may_write
    }

    /// Whether it may be purged: the request asked for that, and it was confirmed.
    pub fn may_purge(&self) -> bool {
        self.may_purge
    }

    /// Whether it is for the same file or device as another.
    pub(crate) fn is_same(&self, other: &Permit) -> bool {
        let same_device = match (&self.kind, &other.kind) {
            (PermitKind::BlockDevice(own), PermitKind::BlockDevice(its)) => own == its,
            _ => false,
        };
        let same_inode = self.identity.is_some() && self.identity == other.identity;
        self.path == other.path || same_inode || same_device
    }

    /// Current size in bytes; 0 for a file that is yet to be made.
    pub fn size_bytes(&self) -> u64 {
        match &self.kind {
            PermitKind::BlockDevice(device) => device.size_bytes,
            _ => fs::metadata(&self.path).map_or(0, |metadata| metadata.len()),
        }
    }

    /// Examines everything again.
    pub(crate) fn recheck(&self, system: &System) -> Result<(), Refusal> {
        let path = &self.request.path;
        let again = system.examine(&self.request)?;
        if again != *self {
            let why = "it is not what it was when it was examined";
            let mend = "make sure that nothing else uses the path, and run again";
            return Err(Refusal::new(path, Reason::Changed, why, mend));
        }
        Ok(())
    }

    /// Makes ready: examines everything again, and makes the file if it is to be new.
    pub(crate) fn prepare(&self, system: &System) -> Result<(), Refusal> {
        self.recheck(system)?;
        let path = &self.request.path;
        if self.kind == PermitKind::NewFile {
            marker::create(&self.path).map_err(|error| {
                let mend = "name a place where files can be made";
                Refusal::new(path, Reason::Missing, format!("cannot make it: {error}"), mend)
            })?;
        }
        Ok(())
    }

    /// Brings the marker up to date after a run.
    pub(crate) fn conclude(&self) -> io::Result<()> {
        match self.kind {
            PermitKind::NewFile | PermitKind::OwnFile => marker::renew(&self.path),
            PermitKind::ForeignFile | PermitKind::BlockDevice(_) => Ok(()),
        }
    }
}

impl System {
    /// Decides whether a path may be used; writes nothing.
    ///
    /// # Errors
    ///
    /// The first reason against it.
    pub fn examine(&self, request: &Request) -> Result<Permit, Refusal> {
        let given = request.path.as_path();
        let refuse = |reason, why: &str, mend: &str| Refusal::new(given, reason, why, mend);
        check_name(given)?;
        let metadata = match fs::symlink_metadata(given) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => return self.new_file(request),
            Err(error) => return Err(unknown(given, "it cannot be looked at", &error)),
        };
        let kind = metadata.file_type();
        if kind.is_symlink() {
            let target = fs::canonicalize(given);
            let mend = target.map_or("name a file or a device itself".to_owned(), |target| {
                format!("if that is what you mean, name it: {}", target.display())
            });
            return Err(refuse(Reason::Symlink, "it is a symbolic link", &mend));
        }
        if kind.is_dir() {
            let mend = format!("name a file in it, e.g. {}", given.join("drivelab.dat").display());
            return Err(refuse(Reason::Directory, "it is a directory", &mend));
        }
        let path = fs::canonicalize(given)
            .map_err(|error| unknown(given, "its place cannot be found", &error))?;
        check_name(&path)?;
        if let Some(number) = self.stand_ins.get(&path) {
            return self.block_device(request, path, *number, &metadata);
        }
        if kind.is_block_device() {
            let number = device::split_number(metadata.rdev());
            return self.block_device(request, path, number, &metadata);
        }
        if !kind.is_file() {
            let why = if kind.is_char_device() {
                "it is a character device"
            } else {
                "it is a pipe or a socket"
            };
            let mend = "name a regular file or a block device such as /dev/sdb or /dev/nvme0n1";
            return Err(refuse(Reason::NotADrive, why, mend));
        }
        self.existing_file(request, path, &metadata)
    }

    fn new_file(&self, request: &Request) -> Result<Permit, Refusal> {
        let given = request.path.as_path();
        let directory = match given.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let name = given.file_name().ok_or_else(|| {
            Refusal::new(given, Reason::Missing, "it names no file", "name a file")
        })?;
        let directory = fs::canonicalize(directory).map_err(|_| {
            let why = format!("there is no directory {}", directory.display());
            Refusal::new(given, Reason::Missing, why, "make it, or name another place")
        })?;
        let path = directory.join(name);
        check_name(&path)?;
        self.refuse_pseudo(given, &path)?;
        if marker::look(&path, None) == Sidecar::Foreign {
            let marker = marker::marker_path(&path);
            let why = format!("the place of its marker is taken by {}", marker.display());
            let mend = "name another file";
            return Err(Refusal::new(given, Reason::ForeignFile, why, mend));
        }
        Ok(Permit {
            request: request.clone(),
            path,
            kind: PermitKind::NewFile,
            may_write: true,
            may_purge: request.purge,
            identity: None,
        })
    }

    fn existing_file(
        &self,
        request: &Request,
        path: PathBuf,
        metadata: &Metadata,
    ) -> Result<Permit, Refusal> {
        let given = request.path.as_path();
        let refuse = |reason, why: String, mend: &str| Refusal::new(given, reason, why, mend);
        self.refuse_pseudo(given, &path)?;
        let own = marker::look(&path, Some(metadata)) == Sidecar::Matches;
        let destroys = request.writes || request.purge;
        if own || destroys {
            if metadata.nlink() > 1 {
                let why = format!("it has {} names (hard links)", metadata.nlink());
                return Err(refuse(Reason::HardLinks, why, "name a file of its own"));
            }
            let swaps = device::swap_files(self)
                .map_err(|error| unknown(given, "the swap files are not known", &error))?;
            if swaps.contains(&path) {
                let why = "it is used as swap".to_owned();
                return Err(refuse(Reason::InUse, why, "name another file"));
            }
            let loops = device::loop_files(self);
            if let Some((name, _)) = loops.iter().find(|(_, file)| *file == path) {
                let why = format!("it is in use as the loop device {name}");
                return Err(refuse(Reason::InUse, why, "detach it (losetup -d) or name another"));
            }
        }
        if destroys && !own && !request.overwrite {
            let why = "it exists, and drivelab did not make it".to_owned();
            let mend = "name a file that does not exist, or, to lose its content, add --overwrite";
            return Err(refuse(Reason::ForeignFile, why, mend));
        }
        Ok(Permit {
            request: request.clone(),
            path,
            kind: if own { PermitKind::OwnFile } else { PermitKind::ForeignFile },
            may_write: own || request.writes,
            may_purge: request.purge,
            identity: Some((metadata.dev(), metadata.ino())),
        })
    }

    fn block_device(
        &self,
        request: &Request,
        path: PathBuf,
        number: (u32, u32),
        metadata: &Metadata,
    ) -> Result<Permit, Refusal> {
        let given = request.path.as_path();
        let device = Device::find(self, number)
            .map_err(|error| unknown(given, "sysfs does not tell what it is", &error))?;
        if request.writes || request.purge {
            self.check_device_is_free(given, &path, &device)?;
            self.check_confirmed(request, &device)?;
        }
        Ok(Permit {
            request: request.clone(),
            path,
            kind: PermitKind::BlockDevice(device),
            may_write: request.writes,
            may_purge: request.purge,
            identity: Some((metadata.dev(), metadata.ino())),
        })
    }

    /// Refuses a device that anyone uses or that holds anything known.
    fn check_device_is_free(
        &self,
        given: &Path,
        path: &Path,
        device: &Device,
    ) -> Result<(), Refusal> {
        let refuse = |reason, why: String, mend: &str| Refusal::new(given, reason, why, mend);
        let users = device
            .users(self)
            .map_err(|error| unknown(given, "whether it is in use is not known", &error))?;
        if !users.is_empty() {
            let mend = "use a drive that nothing else uses; unmount, swapoff or stop it first";
            return Err(refuse(Reason::InUse, users.join(", "), mend));
        }
        let partitions = device
            .partitions()
            .map_err(|error| unknown(given, "its partitions are not known", &error))?;
        if !partitions.is_empty() {
            let names: Vec<&str> = partitions.iter().map(|part| part.name.as_str()).collect();
            let why = format!("it has partitions ({})", names.join(", "));
            let mend = "if their data can go, delete them first (wipefs -a), or name one of them";
            return Err(refuse(Reason::Partitioned, why, mend));
        }
        if device.read_only || device.size_bytes == 0 {
            let why = if device.read_only { "it is read-only" } else { "it has no medium" };
            let mend = "name a drive that can be written";
            return Err(refuse(Reason::ReadOnlyDevice, why.to_owned(), mend));
        }
        self.check_kernel_claim(given, path)?;
        let found = File::open(path)
            .and_then(|mut file| signature::find(&mut file, device.size_bytes))
            .map_err(|error| unknown(given, "whether it holds data is not known", &error))?;
        if let Some(first) = found.first() {
            let why = format!("it holds {} (at byte {})", first.name, first.offset);
            let mend = "if its data can go, remove the signatures first (wipefs -a)";
            return Err(refuse(Reason::Signature, why, mend));
        }
        Ok(())
    }

    /// Asks the kernel for an exclusive claim, and lets go at once. Mounts in other namespaces
    /// are not in our mountinfo, but the kernel knows them.
    fn check_kernel_claim(&self, given: &Path, path: &Path) -> Result<(), Refusal> {
        if self.stand_ins.contains_key(path) {
            return Ok(());
        }
        let flags = rustix::fs::OFlags::EXCL.bits() as i32;
        match OpenOptions::new().read(true).custom_flags(flags).open(path) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == ErrorKind::ResourceBusy => {
                let why = "the kernel says that it is in use";
                let mend = "find out by what (lsblk, lsof), perhaps in a container";
                Err(Refusal::new(given, Reason::InUse, why, mend))
            }
            Err(error) => Err(unknown(given, "it cannot be opened", &error)),
        }
    }

    /// Holds the serial number that was typed against the device's.
    fn check_confirmed(&self, request: &Request, device: &Device) -> Result<(), Refusal> {
        let given = request.path.as_path();
        let refuse = |reason, why: String, mend: &str| Refusal::new(given, reason, why, mend);
        let identities = device.identities(self);
        let model = device.model().unwrap_or_else(|| "model unknown".to_owned());
        let size_gb = device.size_bytes / 1_000_000_000;
        if identities.is_empty() {
            let why = format!("it tells no serial number ({model}, {size_gb} GB)");
            let mend = "without one it cannot be confirmed; test a file on it instead";
            return Err(refuse(Reason::NoSerial, why, mend));
        }
        // The number is not shown here: it is to be read from the drive, not from this message.
        match request.destroy_data.as_deref().map(str::trim) {
            None | Some("") => {
                let why = format!("all data on it would be lost ({model}, {size_gb} GB)");
                let mend = "if they can go, add --destroy-data SERIAL with its serial number \
                            (on its label, or by: lsblk -dno NAME,MODEL,SERIAL)";
                Err(refuse(Reason::NotConfirmed, why, mend))
            }
            Some(serial) if identities.iter().any(|identity| identity == serial) => Ok(()),
            Some(serial) => {
                let why = format!("its serial number is not `{serial}` ({model}, {size_gb} GB)");
                let mend = "make sure that this is the drive you mean";
                Err(refuse(Reason::WrongSerial, why, mend))
            }
        }
    }

    /// Refuses what the kernel makes up. A misspelt device would otherwise become a file in
    /// memory and be measured as a very fast drive.
    pub(crate) fn refuse_pseudo(&self, given: &Path, path: &Path) -> Result<(), Refusal> {
        let refuse =
            |why: &str, mend: &str| Err(Refusal::new(given, Reason::PseudoFile, why, mend));
        if path.starts_with(&self.dev) && !path.starts_with(self.dev.join("shm")) {
            return refuse("there is no such device", "see which there are with lsblk");
        }
        if path.starts_with(&self.proc) || path.starts_with(&self.sys) {
            return refuse("it is not on a drive", "name a file on a drive");
        }
        Ok(())
    }
}

/// Refuses names that fio would read otherwise than they are meant.
///
/// fio cuts values at `;` and `#`, expands `$`, and formats some names with `printf`.
pub(crate) fn check_name(path: &Path) -> Result<(), Refusal> {
    let refuse = |why: String| {
        let mend = "use a path of letters, digits and / . _ - + = @ , : only";
        Err(Refusal::new(path, Reason::Name, why, mend))
    };
    let Some(text) = path.to_str() else {
        return refuse("its name is not UTF-8".to_owned());
    };
    let allowed = |c: char| c.is_alphanumeric() || "/._-+=@,: ".contains(c);
    if let Some(bad) = text.chars().find(|c| !allowed(*c)) {
        return refuse(format!("its name holds {bad:?}, which fio would not take as it is"));
    }
    if text.is_empty() || text.ends_with(' ') || text.starts_with(' ') || text == "-" {
        return refuse("its name is empty, is `-`, or has a space at an end".to_owned());
    }
    Ok(())
}

fn unknown(path: &Path, why: &str, error: &io::Error) -> Refusal {
    let mend = "what cannot be checked is not written; mend it, or name another path";
    Refusal::new(path, Reason::Unknown, format!("{why} ({error})"), mend)
}
