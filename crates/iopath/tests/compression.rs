//! A controller that compresses: what reaches the flash, how much spare area that makes, and what
//! the host gets through a data path that counts stored bytes.

use crate::common::*;
use engine::{Bandwidth, Instant, Ratio, Stream};
use iopath::device::flash::config::CompressionConfig;
use iopath::device::flash::ftl::Ftl;
use iopath::device::flash::geometry::Layout;
use iopath::host::workload::Pattern;

/// Mapping units of 4 KiB in grains of 512 B, on pages of 8 KiB.
fn compressing(alpha: f64) -> DriveConfig {
    let mut geometry = geometry();
    geometry.page_bytes = 8192;
    geometry.unit_bytes = 512;
    geometry.groups_per_lane = 128;
    let mut c = config(geometry, alpha);
    c.user_bytes = c.user_bytes / 4096 * 4096;
    c.policies.grains = Some(8);
    c.compression = Some(CompressionConfig { smallest: Ratio::from_base(125_000) });
    c.nand.program = vec![us(10)];
    c.nand.erase = us(100);
    c.buffer.units = c.least_buffer_units() * 4;
    c.buffer.copy_units = c.least_copy_units() * 4;
    c
}

/// Sequential writes over the whole drive, of data of which `stored_ppm` millionths are kept:
/// stored over written bytes, and bytes a second.
fn sequential(c: &DriveConfig, stored_ppm: u32) -> (f64, f64) {
    let mut m = machine::<(), _>(c.clone(), Times::default());
    let block = 65536;
    let mut spec = thread("w", Directions::Write, block, c.user_bytes, 8);
    spec.regions[0].pattern = [0, 1, 2].map(|_| Pattern::Sequential);
    spec.stored_ppm = stored_ppm;
    spec.byte_limit = Some(c.user_bytes / block * block);
    start(&mut m, vec![spec], 3);
    m.run(Instant::NEVER, u64::MAX);
    let written = m.drive(0).health().host_write_bytes as f64;
    let last = m.context.probe.ios.iter().map(|io| io.completed).max().unwrap();
    let ledger = m.drive(0).ftl().ledger();
    assert_eq!(ledger.accepted * 512, m.drive(0).health().host_write_bytes);
    m.audit();
    (ledger.host as f64 * 512.0 / written, written / last.since(Instant::ZERO).as_s())
}

#[test]
fn the_share_that_is_left_is_what_is_stored_but_never_less_than_the_smallest() {
    let c = compressing(1.3);
    for (ppm, share) in [(1_000_000, 1.0), (700_000, 0.7), (333_000, 0.333), (0, 0.125)] {
        let (stored, _) = sequential(&c, ppm);
        assert!((stored - share).abs() < 2e-3, "{ppm}: {stored}");
    }
}

#[test]
fn a_data_path_of_stored_bytes_is_faster_for_compressible_data_up_to_the_link() {
    let mut c = compressing(1.3);
    c.controller.write_path = Some(Bandwidth::from_base(240_000_000));
    c.link.down = Bandwidth::from_base(552_000_000);
    for (ppm, rate) in [(1_000_000, 240e6), (600_000, 400e6), (300_000, 552e6), (0, 552e6)] {
        let (_, measured) = sequential(&c, ppm);
        // The first requests fill an idle path.
        assert!((measured / rate - 1.0).abs() < 0.03, "{ppm}: {measured:.3e} against {rate:.3e}");
    }
}

#[test]
fn compression_is_spare_area() {
    // A drive whose data halves has twice the flash for each byte: the law with 2 alpha.
    let c = compressing(1.15);
    let logical = (c.user_bytes / 4096) as u32;
    let mut ftl: Ftl<()> = Ftl::new(Layout::new(c.geometry), logical, c.policies.clone(), false);
    ftl.set_stored(4);
    let mut stream = Stream::new(5, "writes");
    for unit in 0..logical {
        ftl.write(unit, ());
    }
    let mut from = ftl.ledger();
    for i in 0..6 * logical {
        if i == 3 * logical {
            from = ftl.ledger();
        }
        ftl.write(stream.below(logical as u64) as u32, ());
    }
    ftl.audit();
    let to = ftl.ledger();
    let a = (to.total() - from.total()) as f64 / (to.host - from.host) as f64;
    let b = c.geometry.rows * c.geometry.dies * 4;
    let law = theory::greedy(2.0 * 1.15, b);
    // 122 groups, two of them open: the pool is a percent smaller or larger than in the law.
    assert!((a / law - 1.0).abs() < 0.015, "measured {a}, law {law}");
}
