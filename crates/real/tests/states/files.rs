//! States of regular files, and of what is not a file.

use super::Says::{No, Yes};
use super::{State, overwrite, purge, read, write};
use real::Reason;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

pub(super) const FILES: &[State] = &[
    ("a new file", |b| write(&b.machine.path("new")), Yes("new file")),
    ("a new file to read, which is laid out first", |b| read(&b.machine.path("new")), Yes("new")),
    ("own file as it was left", |b| write(&b.own()), Yes("drivelab made it")),
    ("own file, to be purged", |b| purge(&b.own()), Yes("drivelab made it")),
    (
        "own file after `cp precious file`",
        |b| {
            let file = b.own();
            fs::write(&file, vec![9; 3000]).expect("written");
            write(&file)
        },
        No(Reason::ForeignFile),
    ),
    (
        "own file after `dd conv=notrunc` of its own length",
        |b| {
            let file = b.own();
            b.poke(&file, 0, &vec![9; 1 << 20]);
            write(&file)
        },
        No(Reason::ForeignFile),
    ),
    (
        "own file after `mkfs.ext4`",
        |b| {
            let file = b.own();
            b.poke(&file, 0x438, &[0x53, 0xef]);
            write(&file)
        },
        No(Reason::ForeignFile),
    ),
    (
        "own file after one byte in its middle was changed",
        |b| {
            let file = b.own();
            b.poke(&file, 333_333, &[1]);
            write(&file)
        },
        No(Reason::ForeignFile),
    ),
    (
        "own file, content changed and time set back",
        |b| {
            let file = b.own();
            let time = fs::metadata(&file).expect("there").modified().expect("known");
            b.poke(&file, 0x438, &[0x53, 0xef]);
            let open = OpenOptions::new().write(true).open(&file).expect("opened");
            open.set_modified(time).expect("set");
            write(&file)
        },
        No(Reason::ForeignFile),
    ),
    (
        "own file that was written again with the same bytes",
        |b| {
            let file = b.own();
            b.poke(&file, 0, b"Z");
            write(&file)
        },
        No(Reason::ForeignFile),
    ),
    (
        "own file that grew",
        |b| {
            let file = b.own();
            b.poke(&file, 1 << 20, &[0]);
            write(&file)
        },
        No(Reason::ForeignFile),
    ),
    (
        "own file cut short",
        |b| {
            let file = b.own();
            OpenOptions::new().write(true).open(&file).expect("opened").set_len(5).expect("cut");
            write(&file)
        },
        No(Reason::ForeignFile),
    ),
    (
        "own file replaced by `mv precious file`",
        |b| {
            let file = b.own();
            fs::write(file.with_extension("x"), vec![b'Z'; 1 << 20]).expect("written");
            fs::rename(file.with_extension("x"), &file).expect("renamed");
            write(&file)
        },
        No(Reason::ForeignFile),
    ),
    (
        "own file under another name",
        |b| {
            let file = b.own();
            fs::rename(&file, file.with_extension("x")).expect("renamed");
            write(&file.with_extension("x"))
        },
        No(Reason::ForeignFile),
    ),
    (
        "own file and its marker copied",
        |b| {
            let file = b.own();
            let copy = file.with_file_name("copy");
            fs::copy(&file, &copy).expect("copied");
            fs::copy(marker(&file), marker(&copy)).expect("copied");
            write(&copy)
        },
        No(Reason::ForeignFile),
    ),
    (
        "own file whose marker is gone",
        |b| {
            let file = b.own();
            fs::remove_file(marker(&file)).expect("removed");
            write(&file)
        },
        No(Reason::ForeignFile),
    ),
    (
        "own file with a second name",
        |b| {
            let file = b.own();
            fs::hard_link(&file, file.with_extension("x")).expect("linked");
            write(&file)
        },
        No(Reason::HardLinks),
    ),
    (
        "own file of a run that was cut off",
        |b| {
            let file = b.own();
            forget_content(&file);
            write(&file)
        },
        No(Reason::ForeignFile),
    ),
    (
        "own file of a run that was cut off, --overwrite",
        |b| {
            let file = b.own();
            forget_content(&file);
            overwrite(&file)
        },
        Yes("--overwrite"),
    ),
    (
        "own file with a marker of an older version",
        |b| {
            let file = b.own();
            let text = fs::read_to_string(marker(&file)).expect("read");
            fs::write(marker(&file), text.replace("file/2", "file/1")).expect("written");
            write(&file)
        },
        No(Reason::ForeignFile),
    ),
    (
        "own file after `cp`, --overwrite",
        |b| {
            let file = b.own();
            fs::write(&file, "other").expect("written");
            overwrite(&file)
        },
        Yes("--overwrite"),
    ),
    (
        "own file after `mkfs`, --overwrite",
        |b| {
            let file = b.own();
            b.poke(&file, 0x400, &[0; 0x100]);
            b.poke(&file, 0x438, &[0x53, 0xef]);
            overwrite(&file)
        },
        No(Reason::Signature),
    ),
    (
        "own file that is gone, its marker left",
        |b| {
            let file = b.own();
            fs::remove_file(&file).expect("removed");
            write(&file)
        },
        Yes("new file"),
    ),
    ("someone's file", |b| write(&b.stranger()), No(Reason::ForeignFile)),
    ("someone's file, only read", |b| read(&b.stranger()), Yes("only read")),
    ("someone's file, --overwrite", |b| overwrite(&b.stranger()), Yes("--overwrite")),
    ("someone's file, to be purged", |b| purge(&b.stranger()), No(Reason::ForeignFile)),
    (
        "someone's empty file",
        |b| {
            fs::write(b.machine.path("empty"), "").expect("written");
            write(&b.machine.path("empty"))
        },
        No(Reason::ForeignFile),
    ),
    (
        "someone's file with a second name, --overwrite",
        |b| {
            let file = b.stranger();
            fs::hard_link(&file, file.with_extension("x")).expect("linked");
            overwrite(&file)
        },
        No(Reason::HardLinks),
    ),
    (
        "a file with a partition table, --overwrite",
        |b| {
            let file = b.stranger();
            b.poke(&file, 512, b"EFI PART");
            overwrite(&file)
        },
        No(Reason::Signature),
    ),
    (
        "a file with a LUKS header, --overwrite",
        |b| {
            let file = b.stranger();
            b.poke(&file, 0, b"LUKS\xba\xbe");
            overwrite(&file)
        },
        No(Reason::Signature),
    ),
    (
        "a file with a file system, only read",
        |b| {
            let file = b.stranger();
            b.poke(&file, 0x438, &[0x53, 0xef]);
            read(&file)
        },
        Yes("only read"),
    ),
    (
        "a swap file, --overwrite",
        |b| {
            let file = b.stranger();
            b.machine.put("proc/swaps", &format!("Filename\n{} file 1 0 -2\n", file.display()));
            overwrite(&file)
        },
        No(Reason::InUse),
    ),
    (
        "a swap file under the name of a bind mount",
        |b| {
            // A second path of the same inode represents what a bind mount shows.
            let file = b.stranger();
            symlink(&file, b.machine.path("alias")).expect("linked");
            let alias = b.machine.path("alias");
            b.machine.put("proc/swaps", &format!("Filename\n{} file 1 0 -2\n", alias.display()));
            overwrite(&file)
        },
        No(Reason::InUse),
    ),
    (
        "the file behind a loop device",
        |b| {
            let file = b.stranger();
            b.machine.put("sys/block/loop0/loop/backing_file", &format!("{}\n", file.display()));
            overwrite(&file)
        },
        No(Reason::InUse),
    ),
    (
        "own file behind a loop device, named by another path",
        |b| {
            let file = b.own();
            symlink(&file, b.machine.path("alias")).expect("linked");
            let alias = b.machine.path("alias");
            b.machine.put("sys/block/loop0/loop/backing_file", &format!("{}\n", alias.display()));
            write(&file)
        },
        No(Reason::InUse),
    ),
    (
        "a loop device over a file of this name in another mount namespace",
        |b| {
            let file = b.stranger();
            b.machine.put("sys/block/loop0/loop/backing_file", "/elsewhere/data\n");
            overwrite(&file)
        },
        No(Reason::InUse),
    ),
    (
        "a loop device over another file",
        |b| {
            let file = b.stranger();
            b.machine.put("sys/block/loop0/loop/backing_file", "/elsewhere/snap.img\n");
            overwrite(&file)
        },
        Yes("--overwrite"),
    ),
    (
        "a file that a virtual machine holds open",
        |b| {
            let file = b.stranger();
            b.process(&file);
            overwrite(&file)
        },
        No(Reason::InUse),
    ),
    (
        "own file that a process holds open",
        |b| {
            let file = b.own();
            b.process(&file);
            write(&file)
        },
        No(Reason::InUse),
    ),
    (
        "a file that another drivelab uses",
        |b| {
            let file = b.stranger();
            let permit = b.machine.system.examine(&read(&file)).expect("permitted");
            b.held.push(permit);
            read(&file)
        },
        No(Reason::InUse),
    ),
    (
        "a new file that another drivelab is about to make",
        |b| {
            let file = b.machine.path("new");
            let permit = b.machine.system.examine(&write(&file)).expect("permitted");
            b.held.push(permit);
            write(&file)
        },
        No(Reason::InUse),
    ),
    (
        "a symbolic link to a file",
        |b| {
            symlink(b.stranger(), b.machine.path("link")).expect("linked");
            overwrite(&b.machine.path("link"))
        },
        No(Reason::Symlink),
    ),
    (
        "a symbolic link to nothing",
        |b| {
            symlink("/nonexistent/x", b.machine.path("link")).expect("linked");
            write(&b.machine.path("link"))
        },
        No(Reason::Symlink),
    ),
    ("a directory", |b| write(b.machine.root.path()), No(Reason::Directory)),
    (
        "a file in a directory that is not there",
        |b| write(&b.machine.path("no/file")),
        No(Reason::Missing),
    ),
    (
        "a marker's place taken by something else",
        |b| {
            fs::write(b.machine.path("new.drivelab"), "notes").expect("written");
            write(&b.machine.path("new"))
        },
        No(Reason::ForeignFile),
    ),
    (
        "a pipe",
        |b| {
            let pipe = b.machine.path("pipe");
            let status = std::process::Command::new("mkfifo").arg(&pipe).status();
            assert!(status.expect("mkfifo starts").success());
            write(&pipe)
        },
        No(Reason::NotADrive),
    ),
    ("a character device", |_| write(Path::new("/dev/null")), No(Reason::NotADrive)),
    ("a file in /proc", |b| overwrite(&b.machine.path("proc/swaps")), No(Reason::PseudoFile)),
    ("a device that is misspelt", |b| write(&b.machine.path("dev/sdz")), No(Reason::PseudoFile)),
    ("a name with a semicolon", |b| write(&b.machine.path("a;b")), No(Reason::Name)),
    ("a name with a line feed", |b| write(&b.machine.path("a\nb")), No(Reason::Name)),
];

fn marker(file: &Path) -> PathBuf {
    real::marker::marker_path(file)
}

/// The marker as it is while a run writes.
fn forget_content(file: &Path) {
    let text = fs::read_to_string(marker(file)).expect("read");
    let from = text.find("\"content\":").expect("has one");
    fs::write(marker(file), format!("{}\"content\":null}}\n", &text[..from])).expect("written");
}
