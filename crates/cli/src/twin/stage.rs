//! Which values are fitted to which tests, few at a time.

/// A fit of few values to the numbers of some tests, for drives that have the first of them.
pub struct Stage {
    /// The values.
    pub keys: &'static [&'static str],
    /// The tests.
    pub tests: &'static [&'static str],
    /// Values times these factors are tried with each other before the search: far from where they
    /// are, the tests may not move with them. Of equals the first is taken.
    pub tries: &'static [(&'static str, &'static [f64])],
}

/// Few values to the numbers of some tests, from where they are.
const fn stage(keys: &'static [&'static str], tests: &'static [&'static str]) -> Stage {
    Stage { keys, tests, tries: &[] }
}

/// What writes in order tell. In this order, as below: what a later one needs, an earlier one has
/// found.
pub const IN_ORDER: [Stage; 3] = [
    stage(&["controller.write_ack"], &["sync.write_lat_p50"]),
    // A cache that is larger than the flash has room for shows in nothing. The end of a fill is the
    // flash's rate less what moving the cache's data takes of it.
    Stage {
        keys: &["slc.dynamic", "nand.slc_program", "nand.program", "flash.program_limit"],
        tests: &["fill", "stream-write", "sync.flushed_iops"],
        tries: &[
            ("slc.dynamic", &[1.0, 0.1, 0.2, 0.4, 0.7, 1.5]),
            ("flash.program_limit", &[1.0, 0.5, 0.25]),
        ],
    },
    stage(&["nand.program"], OWN_RATE),
];

/// What all others tell.
pub const LATER: [Stage; 4] = [
    stage(
        &["nand.program", "flash.program_limit", "suspend.latency", "suspend.closed_window"],
        &["stream-write", "fill.bandwidth_steady", "sync.flushed_iops", "beside-25", "beside-60"],
    ),
    // Less spare area with more programs at a time writes nearly alike.
    Stage {
        keys: &["ftl.alpha", "flash.program_limit_collecting"],
        tests: &["random-4k", "spare-20"],
        tries: &[
            ("ftl.alpha", &[1.0, 0.5, 0.7, 1.4, 2.0]),
            ("flash.program_limit_collecting", &[1.0, 0.25, 0.35, 0.5, 0.7]),
        ],
    },
    // How often dies erase, and how long reads wait for it. A wait that is shorter than those for
    // programs shows in no latency.
    Stage {
        keys: &["suspend.erase_segment"],
        tests: &["beside-random"],
        tries: &[
            ("nand.pages_per_block", &[1.0, 0.25, 0.5, 2.0, 4.0]),
            ("suspend.erase_segment", &[1.0, 0.5, 1.5, 2.0, 3.0, 4.0]),
        ],
    },
    // Bursts after a pause, and random writes where nothing but the controller holds them up.
    stage(&["buffer.size", "controller.write_cost"], &["burst", "random-4k", "spare-20"]),
];

/// Numbers that say how fast the flash takes writes in order: the end of a fill has no SLC cache
/// left, and a flush of a drive without capacitors waits for a program.
const OWN_RATE: &[&str] = &["stream-write", "fill.bandwidth_steady", "sync.flushed_iops"];
