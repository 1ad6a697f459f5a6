//! fio's engines: which mean block I/O on a model, which do something else.

use crate::suggest;

/// How an engine keeps commands outstanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// One command at a time a job: `iodepth` has no effect.
    Sync,
    /// Up to `iodepth` commands outstanding, but the job waits for these.
    Async(Waits),
}

/// Operations that an asynchronous engine carries out with a call that blocks its job, as of
/// fio 3.33; what is outstanding goes on meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// None.
    Never,
    /// Trims.
    Trims,
    /// Trims and flushes.
    TrimsAndFlushes,
}

/// What a job file may ask of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineClass {
    /// It moves blocks, and is modelled as such.
    Block(EngineKind),
    /// It does something that a modelled block device has no part in, for the reason given.
    Refused(&'static str),
}

/// One engine.
#[derive(Clone, Copy, Debug)]
pub struct EngineRow {
    /// Its name in job files.
    pub name: &'static str,
    /// What it means here.
    pub class: EngineClass,
}

const SYNC: EngineClass = EngineClass::Block(EngineKind::Sync);
const ASYNC: EngineClass = EngineClass::Block(EngineKind::Async(Waits::Never));
const ASYNC_BUT_TRIMS: EngineClass = EngineClass::Block(EngineKind::Async(Waits::Trims));
const ASYNC_DATA: EngineClass = EngineClass::Block(EngineKind::Async(Waits::TrimsAndFlushes));
const NETWORK: EngineClass = EngineClass::Refused("it talks to a server over a network");
const FILES: EngineClass = EngineClass::Refused("it measures a file system, not a block device");
const PROCESSOR: EngineClass = EngineClass::Refused("it does no I/O on a drive");
const RAW_FLASH: EngineClass = EngineClass::Refused("it drives raw flash, not a block device");
const ZONED: EngineClass = EngineClass::Refused("it drives a zoned device, and none is modelled");

const fn row(name: &'static str, class: EngineClass) -> EngineRow {
    EngineRow { name, class }
}

/// Every engine that this reader knows by name.
pub const ENGINES: &[EngineRow] = &[
    row("libaio", ASYNC_DATA),
    row("io_uring", ASYNC_BUT_TRIMS),
    row("io_uring_cmd", ASYNC),
    row("posixaio", ASYNC_BUT_TRIMS),
    row("solarisaio", ASYNC_DATA),
    row("windowsaio", ASYNC_DATA),
    row("syslet-rw", ASYNC),
    row("guasi", ASYNC),
    row("aioring", ASYNC),
    row("spdk", ASYNC),
    row("spdk_bdev", ASYNC),
    row("spdk_nvme", ASYNC),
    row("nvme", ASYNC),
    row("xnvme", ASYNC),
    row("libblkio", ASYNC),
    row("sg", ASYNC),
    row("null", ASYNC_BUT_TRIMS),
    row("cpp_null", ASYNC_BUT_TRIMS),
    row("psync", SYNC),
    row("sync", SYNC),
    row("vsync", SYNC),
    row("pvsync", SYNC),
    row("pvsync2", SYNC),
    row("pxv2", SYNC),
    row("mmap", SYNC),
    row("splice", SYNC),
    row("libpmem", SYNC),
    row("pmemblk", SYNC),
    row("dev-dax", SYNC),
    row("libcufile", SYNC),
    row("libhipfile", SYNC),
    row("net", NETWORK),
    row("netsplice", NETWORK),
    row("rdma", NETWORK),
    row("rbd", NETWORK),
    row("rados", NETWORK),
    row("http", NETWORK),
    row("nbd", NETWORK),
    row("nfs", NETWORK),
    row("dfs", NETWORK),
    row("gfapi", NETWORK),
    row("gfapi_async", NETWORK),
    row("libhdfs", NETWORK),
    row("hdfs", NETWORK),
    row("libiscsi", NETWORK),
    row("librpma_apm_client", NETWORK),
    row("librpma_apm_server", NETWORK),
    row("librpma_gpspm_client", NETWORK),
    row("librpma_gpspm_server", NETWORK),
    row("ime_psync", NETWORK),
    row("ime_psyncv", NETWORK),
    row("ime_aio", NETWORK),
    row("filecreate", FILES),
    row("filestat", FILES),
    row("filedelete", FILES),
    row("dircreate", FILES),
    row("dirstat", FILES),
    row("dirdelete", FILES),
    row("falloc", FILES),
    row("ftruncate", FILES),
    row("e4defrag", FILES),
    row("cpuio", PROCESSOR),
    row("exec", PROCESSOR),
    row("page_fault", PROCESSOR),
    row("mtd", RAW_FLASH),
    row("libzbc", ZONED),
];

/// The engine that fio uses if a job names none.
pub const DEFAULT_ENGINE: &str = "psync";

/// Looks an engine up. `external:PATH` and names with a `/` are the engine that the file is
/// called after (`./spdk_bdev`, `external:/opt/fio/spdk_nvme.so`), if it is a known one.
///
/// # Errors
///
/// Why the engine cannot mean block I/O, and what to write instead.
pub(crate) fn resolve(text: &str) -> Result<(&'static str, EngineKind), (String, String)> {
    let path = text.strip_prefix("external:");
    let file = path.unwrap_or(text);
    let external = path.is_some() || file.contains('/');
    let stem = if external {
        let base = file.rsplit('/').next().unwrap_or(file);
        base.strip_suffix(".so").unwrap_or(base)
    } else {
        file
    };
    let found = ENGINES.iter().find(|row| row.name == stem);
    match found.map(|row| (row.name, row.class)) {
        Some((name, EngineClass::Block(kind))) => Ok((name, kind)),
        Some((name, EngineClass::Refused(reason))) => Err((
            format!("engine `{name}` has no meaning on a modelled drive: {reason}"),
            "use an engine for block devices, such as libaio or io_uring".to_owned(),
        )),
        None if external => Err((
            format!("engine `{text}` is a shared object, and what it does is unknown here"),
            "use an engine for block devices, such as libaio or io_uring".to_owned(),
        )),
        None => {
            let names = ENGINES.iter().map(|row| row.name);
            let help = match suggest::nearest(text, names) {
                Some(name) => format!("did you mean `{name}`?"),
                None => "use an engine for block devices, such as libaio or io_uring".to_owned(),
            };
            Err((format!("engine `{text}` is unknown"), help))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<_> = ENGINES.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), ENGINES.len());
        assert!(matches!(resolve(DEFAULT_ENGINE), Ok((_, EngineKind::Sync))));
    }

    #[test]
    fn external_engines_go_by_their_file() {
        assert_eq!(resolve("./spdk_bdev"), Ok(("spdk_bdev", EngineKind::Async(Waits::Never))));
        assert_eq!(
            resolve("external:/x/spdk_nvme.so"),
            Ok(("spdk_nvme", EngineKind::Async(Waits::Never)))
        );
        assert!(resolve("./libfoo.so").unwrap_err().0.contains("shared object"));
        assert_eq!(resolve("libaoi").unwrap_err().1, "did you mean `libaio`?");
    }
}
