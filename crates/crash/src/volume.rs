//! A served drive as a file, and as a directory of a file system on it.
//!
//! nbdfuse shows the drive as a file, a loop device makes a block device of it, and the file system
//! is mounted from there. Each layer is looked at before the next is made: what is formatted is the
//! file of the served drive, and nothing else.

use crate::attach::{Attach, LOSETUP, MOUNT, NBDFUSE, UMOUNT};
use crate::error::CrashError;
use process::{Running, Signal};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A layer that is not there by then does not come.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often it is looked for.
const LOOK: Duration = Duration::from_millis(10);

/// A drive that programs reach by the file system; its layers, the top first.
#[derive(Default)]
pub(crate) struct Volume {
    directory: Option<Mounted>,
    device: Option<LoopDevice>,
    file: Option<Fuse>,
}

impl Volume {
    /// Attaches the drive behind a socket, below `folder`. `format`: with a new file system.
    pub(crate) fn attach(
        how: Attach,
        socket: &Path,
        folder: &Path,
        format: bool,
    ) -> Result<Volume, CrashError> {
        let mut volume = Volume::default();
        if how == Attach::Nbd {
            return Ok(volume);
        }
        let file = Fuse::start(&folder.join("fuse"), socket)?;
        let path = file.path.clone();
        volume.file = Some(file);
        if let Some((formatter, options)) = how.formatter() {
            let device = LoopDevice::of(&path)?;
            let place = device.place.clone();
            volume.device = Some(device);
            if format {
                let words: Vec<&str> = options.iter().copied().chain([place.as_str()]).collect();
                formatter.run(&words)?;
            }
            volume.directory = Some(Mounted::at(&place, how, &folder.join("mnt"))?);
        }
        Ok(volume)
    }

    /// What programs are told: the name of a variable, and a path.
    pub(crate) fn variable(&self) -> Option<(&'static str, PathBuf)> {
        let directory = self.directory.as_ref();
        let directory = directory.map(|mounted| ("DRIVELAB_DIR", mounted.directory.clone()));
        directory.or(self.file.as_ref().map(|file| ("DRIVELAB_FILE", file.path.clone())))
    }

    /// Numbers of the processes that hold it.
    pub(crate) fn processes(&self) -> Vec<u32> {
        self.file.iter().map(|file| file.running.id()).collect()
    }

    /// Takes it apart.
    pub(crate) fn detach(&mut self) -> Result<(), CrashError> {
        if let Some(mut directory) = self.directory.take() {
            directory.end()?;
        }
        if let Some(mut device) = self.device.take() {
            device.end()?;
        }
        if let Some(mut file) = self.file.take() {
            file.end()?;
        }
        Ok(())
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        // Each layer tries once more by itself.
        let _ = self.detach();
    }
}

/// The drive as a file.
struct Fuse {
    running: Running,
    directory: PathBuf,
    path: PathBuf,
    ended: bool,
}

impl Fuse {
    fn start(directory: &Path, socket: &Path) -> Result<Fuse, CrashError> {
        make(directory)?;
        let path = directory.join("drive");
        let program = NBDFUSE.find()?;
        let child = process::bound(&program, None)
            .arg(&path)
            .arg("--unix")
            .arg(socket)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| CrashError::System { path: program, error })?;
        let running = Running::new(child, Signal::TERM, Duration::from_secs(2));
        let mut fuse = Fuse { running, directory: directory.to_owned(), path, ended: false };
        let begun = Instant::now();
        while !(is_mounted(&fuse.directory) && fuse.path.exists()) {
            if fuse.running.ended().is_some() || begun.elapsed() > PATIENCE {
                let message = "nbdfuse does not show the drive as a file: is /dev/fuse there?";
                return Err(CrashError::Unexpected(message.to_owned()));
            }
            std::thread::sleep(LOOK);
        }
        Ok(fuse)
    }

    fn end(&mut self) -> Result<(), CrashError> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        let unmounted = unmount(&self.directory);
        self.running.stop();
        unmounted
    }
}

impl Drop for Fuse {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// A block device of a file.
struct LoopDevice {
    place: String,
    ended: bool,
}

impl LoopDevice {
    fn of(file: &Path) -> Result<LoopDevice, CrashError> {
        let options = ["--find", "--show", "--direct-io=on"].map(PathBuf::from);
        let words: Vec<&Path> = options.iter().map(PathBuf::as_path).chain([file]).collect();
        let device = LoopDevice { place: LOSETUP.run(&words)?, ended: false };
        // What is formatted next must be the served drive.
        let name = Path::new(&device.place).file_name().unwrap_or_default();
        let backing = Path::new("/sys/block").join(name).join("loop/backing_file");
        let of = fs::read_to_string(backing).unwrap_or_default();
        match Path::new(of.trim()) == file {
            true => Ok(device),
            false => Err(CrashError::Unexpected(format!(
                "{} is a device of `{}`, not of the served drive",
                device.place,
                of.trim()
            ))),
        }
    }

    fn end(&mut self) -> Result<(), CrashError> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        LOSETUP.run(&["--detach", &self.place]).map(drop)
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// A file system.
struct Mounted {
    directory: PathBuf,
    ended: bool,
}

impl Mounted {
    fn at(device: &str, how: Attach, directory: &Path) -> Result<Mounted, CrashError> {
        make(directory)?;
        let place = directory.to_string_lossy();
        MOUNT.run(&["-t", how.word(), device, place.as_ref()])?;
        let mounted = Mounted { directory: directory.to_owned(), ended: false };
        match is_mounted(directory) {
            true => Ok(mounted),
            false => Err(CrashError::Unexpected(format!("nothing is mounted at {place}"))),
        }
    }

    fn end(&mut self) -> Result<(), CrashError> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        unmount(&self.directory)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

fn make(directory: &Path) -> Result<(), CrashError> {
    let error = |error| CrashError::System { path: directory.to_owned(), error };
    fs::create_dir_all(directory).map_err(error)
}

/// Whether something is mounted at a directory.
fn is_mounted(directory: &Path) -> bool {
    let text = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let wanted = directory.to_string_lossy().replace(' ', "\\040");
    text.lines().any(|line| line.split(' ').nth(4) == Some(wanted.as_str()))
}

/// Ends a mount. What was killed may hold it for a moment.
fn unmount(directory: &Path) -> Result<(), CrashError> {
    let begun = Instant::now();
    loop {
        let said = UMOUNT.run(&[directory]);
        match said {
            _ if !is_mounted(directory) => return Ok(()),
            Err(error) if begun.elapsed() > PATIENCE => return Err(error),
            _ => std::thread::sleep(LOOK),
        }
    }
}
