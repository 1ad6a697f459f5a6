//! Signatures of what may live on a block device: file systems, partition tables, volumes.
//!
//! The places and the magic numbers are those of the on-disk formats, as `wipefs(8)` knows them.
//! util-linux's `blkid -p` is asked as well where it is installed: it knows formats that the table
//! does not, and looks more closely.
//! Where a magic has only two bytes a field beside it is looked at, too: a drive that was filled
//! with random data must not look like a file system once in 65,536 times.

use crate::system::System;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Command, Stdio};

/// Bytes read at the start of the device: up to the last place of a second LUKS 2 header.
const HEAD: u64 = (4 << 20) + (64 << 10);
/// Bytes read at its end.
const TAIL: u64 = 1 << 20;

/// What was found, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Name of the format.
    pub name: &'static str,
    /// Place of its magic number, bytes from the start.
    pub offset: u64,
}

/// Formats known by bytes at one place from the start.
const MAGICS: &[(&str, u64, &[u8])] = &[
    ("an XFS file system", 0, b"XFSB"),
    ("a Btrfs file system", 0x1_0040, b"_BHRfS_M"),
    ("an NTFS file system", 3, b"NTFS    "),
    ("an exFAT file system", 3, b"EXFAT   "),
    ("a FAT file system", 0x36, b"FAT12   "),
    ("a FAT file system", 0x36, b"FAT16   "),
    ("a FAT file system", 0x36, b"FAT     "),
    ("a FAT file system", 0x52, b"FAT32   "),
    ("a BitLocker volume", 3, b"-FVE-FS-"),
    ("an F2FS file system", 0x400, &[0x10, 0x20, 0xf5, 0xf2]),
    ("an EROFS file system", 0x400, &[0xe2, 0xe1, 0xf5, 0xe0]),
    ("an HFS+ file system", 0x400, b"H+\0\x04"),
    ("an HFSX file system", 0x400, b"HX\0\x05"),
    ("an APFS container", 0x20, b"NXSB"),
    ("a JFS file system", 0x8000, b"JFS1"),
    ("a ReiserFS file system", 0x1_0034, b"ReIsEr"),
    ("an ISO 9660 file system", 0x8001, b"CD001"),
    ("a UDF file system", 0x8001, b"BEA01"),
    ("a SquashFS file system", 0, b"hsqs"),
    ("an OCFS2 file system", 0x1000, b"OCFSV2"),
    ("an OCFS2 file system", 0x2000, b"OCFSV2"),
    ("a GFS2 file system", 0x1_0000, &[0x01, 0x16, 0x19, 0x70]),
    ("a VMFS volume", 0x10_0000, &[0x0d, 0xd0, 0x01, 0xc0]),
    ("a Linux RAID member (version 1.1)", 0, &[0xfc, 0x4e, 0x2b, 0xa9]),
    ("a Linux RAID member (version 1.2)", 0x1000, &[0xfc, 0x4e, 0x2b, 0xa9]),
    ("a LUKS volume", 0, b"LUKS\xba\xbe"),
    ("a bcache or bcachefs device", 0x1018, &BCACHE),
    ("a Ceph BlueStore device", 0, b"bluestore block device"),
    ("an Oracle ASM disk", 32, b"ORCLDISK"),
    ("a suspended system", 0xff6, b"S1SUSPEND"),
    ("a Stratis pool member", 512 + 4, b"!Stra0tis\x86\xff\x02^\x41rh"),
    ("a VDO volume", 0, b"dmvdo001"),
    ("a dm-integrity volume", 0, b"integrt\0"),
    ("a dm-verity volume", 0, b"verity\0\0"),
    ("an LVM1 physical volume", 0, b"HM\x01\0"),
    ("a bcachefs device", 0x1018, &BCACHEFS),
    ("a QEMU disk image", 0, b"QFI\xfb"),
    ("a VirtualBox disk image", 0x40, &[0x7f, 0x10, 0xda, 0xbe]),
    ("a VMware disk image", 0, b"KDMV"),
    ("a Hyper-V disk image", 0, b"vhdxfile"),
    ("a GUID partition table", 512, b"EFI PART"),
    ("a GUID partition table", 4096, b"EFI PART"),
    ("an Apple partition map", 512, b"PM\0\0"),
    ("a Sun disk label", 508, &[0xda, 0xbe]),
];

const BCACHE: [u8; 16] = [
    0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48, 0xba, 0x6d, 0x81,
];
const BCACHEFS: [u8; 16] = [
    0xc6, 0x85, 0x73, 0xf6, 0x66, 0xce, 0x90, 0xa9, 0xd9, 0x6a, 0x60, 0xcf, 0x80, 0x3d, 0xf7, 0xef,
];
/// Places of the second header of LUKS 2.
const LUKS2_COPIES: [u64; 9] =
    [0x4000, 0x8000, 0x1_0000, 0x2_0000, 0x4_0000, 0x8_0000, 0x10_0000, 0x20_0000, 0x40_0000];
/// Formats known by bytes at a distance from the end.
const TAIL_MAGICS: &[(&str, u64, &[u8])] = &[
    ("a backup GUID partition table", 512, b"EFI PART"),
    ("a backup GUID partition table", 4096, b"EFI PART"),
    ("an Intel RAID member", 1024, b"Intel Raid ISM Cfg Sig. "),
    ("a DDF RAID member", 512, &[0xde, 0x11, 0xde, 0x11]),
];

/// What a device or a file of `size` bytes holds, as a clause; `None` if nothing is known.
///
/// # Errors
///
/// What the system says when it cannot be read, or blkid when it does not know.
pub(crate) fn of_path(system: &System, path: &Path, size: u64) -> io::Result<Option<String>> {
    let found = find(&mut File::open(path)?, size)?;
    if let Some(first) = found.first() {
        return Ok(Some(format!("it holds {} (at byte {})", first.name, first.offset)));
    }
    blkid(&system.blkid, path)
}

/// What blkid finds; nothing where it is not installed.
fn blkid(program: &Path, path: &Path) -> io::Result<Option<String>> {
    let mut command = Command::new(program);
    command.args(["-p", "-o", "export", "--"]).arg(path).env("LC_ALL", "C").stdin(Stdio::null());
    let output = match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        output => output?,
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    match output.status.code() {
        // Nothing that it knows.
        Some(2) => Ok(None),
        Some(8) => Ok(Some("it holds several formats at once (says blkid)".to_owned())),
        Some(0) => Ok(match (value("TYPE="), value("PTTYPE=")) {
            (Some(kind), _) => Some(format!("it holds `{kind}` (says blkid)")),
            (None, Some(kind)) => Some(format!("it holds a partition table `{kind}` (says blkid)")),
            (None, None) => None,
        }),
        code => Err(io::Error::other(format!(
            "blkid ended with {}: {}",
            code.map_or("a signal".to_owned(), |code| format!("exit code {code}")),
            String::from_utf8_lossy(&output.stderr).trim()
        ))),
    }
}

/// Looks for signatures on a device of `size` bytes; an empty list means that none is known.
///
/// # Errors
///
/// What the system says when the start or the end cannot be read.
pub fn find(device: &mut (impl Read + Seek), size: u64) -> io::Result<Vec<Signature>> {
    let head = Part::read(device, 0, size.min(HEAD))?;
    // The last whole label of ZFS and the old RAID format are aligned down from the end.
    let tail_start = size.saturating_sub(TAIL) & !0xfff;
    let tail = Part::read(device, tail_start, size - tail_start)?;
    let mut found = Vec::new();
    for (name, offset, magic) in MAGICS {
        found.extend(head.has(name, *offset, magic));
    }
    for offset in LUKS2_COPIES {
        found.extend(head.has("a LUKS volume (second header)", offset, b"SKUL\xba\xbe"));
    }
    for (name, distance, magic) in TAIL_MAGICS {
        if let Some(offset) = size.checked_sub(*distance) {
            found.extend(tail.has(name, offset, magic));
        }
    }
    found.extend(lvm(&head));
    found.extend(swap(&head));
    found.extend(ext(&head));
    found.extend(nilfs(&head));
    found.extend(boot_record(&head));
    found.extend(old_raid(&tail, size));
    found.extend(zfs(&head, &tail, size));
    Ok(found)
}

/// A stretch of the device in memory.
struct Part {
    start: u64,
    bytes: Vec<u8>,
}

impl Part {
    fn read(device: &mut (impl Read + Seek), start: u64, length: u64) -> io::Result<Self> {
        device.seek(SeekFrom::Start(start))?;
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        device.read_exact(&mut bytes)?;
        Ok(Self { start, bytes })
    }

    /// Bytes at a place of the device; `None` if they are not all in this part.
    fn at(&self, offset: u64, length: usize) -> Option<&[u8]> {
        let from = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.bytes.get(from..from.checked_add(length)?)
    }

    fn has(&self, name: &'static str, offset: u64, magic: &[u8]) -> Option<Signature> {
        (self.at(offset, magic.len())? == magic).then_some(Signature { name, offset })
    }

    fn u32(&self, offset: u64) -> Option<u32> {
        Some(u32::from_le_bytes(self.at(offset, 4)?.try_into().ok()?))
    }
}

/// The label of an LVM physical volume is in one of the first four sectors.
fn lvm(head: &Part) -> Option<Signature> {
    (0..4).find_map(|sector| head.has("an LVM physical volume", sector * 512, b"LABELONE"))
}

/// The mark of a swap area is at the end of its first page, whatever the size of a page.
fn swap(head: &Part) -> Option<Signature> {
    [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10].into_iter().find_map(|page: u64| {
        let mark = |magic| head.has("a swap area", page - 10, magic);
        mark(b"SWAPSPACE2").or_else(|| mark(b"SWAP-SPACE"))
    })
}

fn ext(head: &Part) -> Option<Signature> {
    let found = head.has("an ext2, ext3 or ext4 file system", 0x438, &[0x53, 0xef])?;
    let (log_block_size, revision) = (head.u32(0x418)?, head.u32(0x44c)?);
    (log_block_size <= 6 && revision <= 1).then_some(found)
}

fn nilfs(head: &Part) -> Option<Signature> {
    let found = head.has("a NILFS2 file system", 0x406, &[0x34, 0x34])?;
    (head.u32(0x400)? == 2).then_some(found)
}

/// A master boot record has four partition entries whose first byte is 0 or 0x80.
fn boot_record(head: &Part) -> Option<Signature> {
    let found = head.has("a partition table or boot sector (MBR)", 510, &[0x55, 0xaa])?;
    let entries = [446, 462, 478, 494].map(|offset| head.at(offset, 1));
    let plausible = |entry: &Option<&[u8]>| matches!(entry, Some([0 | 0x80]));
    let boot_code = head.at(0, 1).is_some_and(|first| matches!(first[0], 0xeb | 0xe9));
    (boot_code || entries.iter().all(plausible)).then_some(found)
}

/// Linux RAID superblocks at the end: versions 0.90 and 1.0.
fn old_raid(tail: &Part, size: u64) -> Option<Signature> {
    let name = "a Linux RAID member (superblock at the end)";
    let version_0 = (size & !0xffff).checked_sub(0x1_0000);
    let version_1 = size.checked_sub(8192).map(|offset| offset & !0xfff);
    [version_0, version_1].into_iter().flatten().find_map(|offset| {
        let little = tail.has(name, offset, &[0xfc, 0x4e, 0x2b, 0xa9]);
        little.or_else(|| tail.has(name, offset, &[0xa9, 0x2b, 0x4e, 0xfc]))
    })
}

/// ZFS keeps four labels of 256 KiB, two at each end; the second half of each is a ring of
/// uberblocks.
fn zfs(head: &Part, tail: &Part, size: u64) -> Option<Signature> {
    const LABEL: u64 = 256 << 10;
    let end = size & !(LABEL - 1);
    let labels = [Some((head, 0)), Some((head, LABEL))].into_iter().chain([
        end.checked_sub(2 * LABEL).map(|start| (tail, start)),
        end.checked_sub(LABEL).map(|start| (tail, start)),
    ]);
    labels.flatten().find_map(|(part, start)| {
        (0..128).map(|i| start + LABEL / 2 + i * 1024).find_map(|offset| {
            let magic = 0x00ba_b10c_u64;
            let mark = |bytes: &[u8; 8]| part.has("a ZFS pool member", offset, bytes);
            mark(&magic.to_le_bytes()).or_else(|| mark(&magic.to_be_bytes()))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    const SIZE: usize = (8 << 20) + 12_288;

    fn names(image: &[u8]) -> Vec<&'static str> {
        let found = find(&mut Cursor::new(image), image.len() as u64).expect("readable");
        found.into_iter().map(|signature| signature.name).collect()
    }

    fn with(writes: &[(u64, &[u8])]) -> Vec<&'static str> {
        let mut image = vec![0; SIZE];
        for (offset, bytes) in writes {
            image[*offset as usize..][..bytes.len()].copy_from_slice(bytes);
        }
        names(&image)
    }

    #[test]
    fn an_empty_device_has_none() {
        assert!(with(&[]).is_empty());
        for size in [0, 1, 511, 512, 4096, 70_000] {
            assert!(names(&vec![0; size]).is_empty());
            names(&vec![0xff; size]);
        }
    }

    #[test]
    fn each_magic_is_found() {
        for (name, offset, magic) in MAGICS {
            assert!(with(&[(*offset, magic)]).contains(name), "{name}");
        }
        for (name, distance, magic) in TAIL_MAGICS {
            assert!(with(&[(SIZE as u64 - distance, magic)]).contains(name), "{name}");
        }
    }

    #[test]
    fn those_with_rules_of_their_own() {
        let end = SIZE as u64;
        let cases: [(u64, &[u8]); 14] = [
            (1536, b"LABELONE"),
            (4086, b"SWAPSPACE2"),
            (65_526, b"SWAPSPACE2"),
            (0x438, &[0x53, 0xef]),
            (0x400, &[2, 0, 0, 0, 0, 0, 0x34, 0x34]),
            (510, &[0x55, 0xaa]),
            ((end & !0xffff) - 0x1_0000, &[0xfc, 0x4e, 0x2b, 0xa9]),
            ((end - 8192) & !0xfff, &[0xfc, 0x4e, 0x2b, 0xa9]),
            (132 << 10, &[0x0c, 0xb1, 0xba, 0, 0, 0, 0, 0]),
            ((end & !0x3_ffff) - (256 << 10) + (128 << 10), &[0, 0, 0, 0, 0, 0xba, 0xb1, 0x0c]),
            (0x4000, b"SKUL\xba\xbe"),
            (0x8000, b"SKUL\xba\xbe"),
            (2 << 20, b"SKUL\xba\xbe"),
            (4 << 20, b"SKUL\xba\xbe"),
        ];
        for (offset, bytes) in cases {
            assert_eq!(with(&[(offset, bytes)]).len(), 1, "at {offset}");
        }
    }

    #[test]
    fn two_bytes_in_noise_are_not_enough() {
        let noise = |writes: &[(u64, &[u8])]| {
            let mut image: Vec<u8> = (0..SIZE).map(|i| (i * 7 + i / 251) as u8 | 1).collect();
            for (offset, bytes) in writes {
                image[*offset as usize..][..bytes.len()].copy_from_slice(bytes);
            }
            names(&image)
        };
        assert!(noise(&[(0x438, &[0x53, 0xef]), (510, &[0x55, 0xaa])]).is_empty());
    }
}
