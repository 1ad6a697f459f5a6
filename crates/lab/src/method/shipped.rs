//! The methods that come with the program.

use super::Method;
use metric::hint;
use std::sync::LazyLock;

/// The files that come with the program.
macro_rules! shipped {
    ($($name:literal)*) => {
        pub(super) const FILES: &[(&str, &str)] = &[$(
            ($name, include_str!(concat!("../../../../methods/", $name, ".toml"))),
        )*];
    };
}

shipped! {
    "corner" "mixed" "torture" "sustained-write" "peak-vs-full" "span-sweep" "endurance-counters"
    "life" "life-by-counters" "heat" "cooling"
    "iometer-database" "iometer-fileserver" "iometer-webserver" "iometer-workstation"
    "iometer-streaming-reads" "iometer-streaming-writes" "atto" "compress-sweep"
    "snia-iops" "snia-tp" "snia-lat" "snia-wsat" "snia-hir" "snia-xsr" "snia-cbw" "snia-dirth"
    "jesd219-enterprise"
    "toms-storage-bench" "pcmark-7"
    "crystaldiskmark" "as-ssd" "anvil" "txbench" "queue-depth" "file-scan" "pcmark-8"
    "load-curve" "highest-load" "sysbench-oltp" "raid-scaling" "fault-rebuild" "power-loss"
    "sustain" "write-pressure" "noisy-neighbour"
    "write-burst" "write-sync" "read-beside"
}

static METHODS: LazyLock<Vec<Method>> = LazyLock::new(|| {
    let parse = |(name, text): &(&str, &str)| {
        let method: Method =
            toml::from_str(text).unwrap_or_else(|e| panic!("methods/{name}.toml: {e}"));
        Method { text: (*text).to_owned(), ..method }
    };
    FILES.iter().map(parse).collect()
});

/// All methods.
///
/// # Panics
/// If a file that comes with the program is broken; a test reads them all.
pub fn methods() -> &'static [Method] {
    &METHODS
}

/// What a method of the user's own fio jobs is, without the jobs.
pub(super) fn job_file() -> Method {
    let text = include_str!("../../../../methods/job-file.toml");
    toml::from_str(text).unwrap_or_else(|e| panic!("methods/job-file.toml: {e}"))
}

/// What JEDEC's client workload is as a method, without the trace.
pub(super) fn client_workload() -> Method {
    let text = include_str!("../../../../methods/jesd219-client.toml");
    toml::from_str(text).unwrap_or_else(|e| panic!("methods/jesd219-client.toml: {e}"))
}

/// The method of a name; the error is a hint.
pub(super) fn find(name: &str) -> Result<&'static Method, String> {
    let names = methods().iter().map(|m| m.name.as_str());
    methods().iter().find(|m| m.name == name).ok_or_else(|| hint("methods", name, names))
}
