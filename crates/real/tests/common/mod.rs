//! Machines that do not exist: trees that look like sysfs, procfs and device nodes.

pub mod fakes;

use real::System;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A machine in a temporary directory.
pub struct Machine {
    pub root: TempDir,
    pub system: System,
}

impl Machine {
    pub fn new() -> Self {
        let root = tempfile::tempdir().expect("a temporary directory");
        let base = root.path().canonicalize().expect("exists");
        let system = System {
            sys: base.join("sys"),
            proc: base.join("proc"),
            dev: base.join("dev"),
            udev: base.join("udev"),
            blkid: base.join("no-blkid"),
            stand_ins: Default::default(),
        };
        let machine = Self { root, system };
        machine.put("proc/self/mountinfo", "20 1 0:20 / / rw - ext4 /dev/root rw\n");
        machine.put("proc/swaps", "Filename Type Size Used Priority\n");
        for directory in ["sys/dev/block", "sys/block", "dev", "udev/data"] {
            fs::create_dir_all(machine.path(directory)).expect("made");
        }
        machine
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.system.sys.parent().expect("has a parent").join(name)
    }

    pub fn put(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("has a parent")).expect("made");
        fs::write(path, text).expect("written");
    }

    /// A device of 8 MiB, whole or (with a parent) a partition; yields its node.
    pub fn device(&mut self, name: &str, number: (u32, u32), parent: Option<&str>) -> PathBuf {
        const SIZE: usize = 8 << 20;
        let directory = match parent {
            Some(parent) => format!("sys/block/{parent}/{name}"),
            None => format!("sys/block/{name}"),
        };
        self.put(&format!("{directory}/dev"), &format!("{}:{}\n", number.0, number.1));
        self.put(&format!("{directory}/size"), &format!("{}\n", SIZE / 512));
        self.put(&format!("{directory}/ro"), "0\n");
        fs::create_dir_all(self.path(&format!("{directory}/holders"))).expect("made");
        if parent.is_some() {
            self.put(&format!("{directory}/partition"), "1\n");
        } else if let Some((controller, _)) =
            name.rsplit_once('n').filter(|_| name.starts_with("nvme"))
        {
            // Namespaces have numbers of their own; the serial number is that of the controller.
            let shared = format!("sys/class/nvme/{controller}");
            if !self.path(&shared).exists() {
                self.put(&format!("{shared}/serial"), &format!("SERIAL-{name}  \n"));
                self.put(&format!("{shared}/model"), "Model X\n");
                self.put(&format!("{shared}/firmware_rev"), "FW1\n");
            }
            self.put(&format!("{directory}/wwid"), &format!("eui.{name}\n"));
            symlink(self.path(&shared), self.path(&format!("{directory}/device"))).expect("linked");
        } else {
            self.put(&format!("{directory}/device/serial"), &format!("SERIAL-{name}  \n"));
            self.put(&format!("{directory}/device/model"), "Model X\n");
        }
        let link = self.path(&format!("sys/dev/block/{}:{}", number.0, number.1));
        symlink(self.path(&directory), link).expect("linked");
        let node = self.path(&format!("dev/{name}"));
        fs::write(&node, vec![0; SIZE]).expect("written");
        self.system.stand_ins.insert(node.clone(), number);
        node
    }
}

/// Every file below a directory with its content, for "nothing was touched".
pub fn snapshot(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("listed") {
        let path = entry.expect("entry").path();
        let kind = fs::symlink_metadata(&path).expect("looked at").file_type();
        if kind.is_dir() {
            found.extend(snapshot(&path));
        } else {
            let content = if kind.is_file() { fs::read(&path).expect("read") } else { Vec::new() };
            found.push((path, content));
        }
    }
    found.sort();
    found
}
