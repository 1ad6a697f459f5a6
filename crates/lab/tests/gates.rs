//! What others do on a drive while it is measured is seen, and when. As root only.

use lab::{BenchOptions, RealOptions, RealTarget, find, measure_on};
use metric::{Measurement, Params};
use needs::LoopDevice;
use stats::{Gate, GateTotal};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

const MIB: u64 = 1 << 20;

/// Three seconds of reads at a rate that every drive gives.
fn measured(device: &LoopDevice) -> Measurement {
    let options = RealOptions {
        paths: vec![device.node().to_path_buf()],
        destroy_data: vec![Some(device.image().display().to_string())],
        ..RealOptions::default()
    };
    let mut target = RealTarget::new(options).unwrap();
    let pairs = [("rate", "1 MB/s"), ("duration", "3 s"), ("state", "kept")];
    let params = Params::from_pairs(pairs).unwrap();
    let method = find("read-beside").unwrap();
    measure_on(&mut target, method, &params, BenchOptions::default(), None).unwrap()
}

fn others(measured: &Measurement) -> GateTotal {
    let gates = GateTotal::kept(&measured.about).unwrap();
    gates.into_iter().find(|total| total.gate == Gate::OthersIo).unwrap()
}

/// Reads all of a device again and again.
fn read(node: &Path, times: u32) {
    for _ in 0..times {
        let from = format!("if={}", node.display());
        let mut dd = Command::new("dd");
        let dd = dd.args([&from, "of=/dev/null", "bs=1M", "iflag=direct"]);
        assert!(dd.stderr(Stdio::null()).status().unwrap().success());
    }
}

#[test]
fn a_drive_that_nobody_else_uses_passes() {
    let Some(_) = needs::found(needs::FIO, real::InstalledFio::find().ok()) else { return };
    let Some(device) = LoopDevice::new(64 * MIB) else { return };
    let quiet = others(&measured(&device));
    assert_eq!((quiet.runs, quiet.failed), (1, 0), "{quiet:?}");
}

#[test]
fn a_neighbour_on_the_drive_is_seen_second_by_second() {
    let Some(_) = needs::found(needs::FIO, real::InstalledFio::find().ok()) else { return };
    let Some(device) = LoopDevice::new(64 * MIB) else { return };
    let measured = thread::scope(|scope| {
        let node = device.node();
        scope.spawn(move || {
            thread::sleep(Duration::from_millis(1500));
            read(node, 4);
        });
        measured(&device)
    });
    let noisy = others(&measured);
    assert_eq!((noisy.runs, noisy.failed), (1, 1), "{noisy:?}");
    assert!(measured.warnings.iter().any(|told| told.contains("other programs used it")));
    let line = measured.series.iter().find(|series| series.name == "timeline").unwrap();
    let seen = line.others_bytes_per_s.iter().copied().fold(0.0, f64::max);
    // 256 MiB within a second or two.
    assert!(seen > 50e6, "{line:?}");
    assert!(line.others_bytes_per_s[0] < 0.2 * seen, "not at its beginning: {line:?}");
}
