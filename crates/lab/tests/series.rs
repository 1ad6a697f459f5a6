//! Curves over time: that their columns agree with the numbers of the run, that phases cover them,
//! and that they tell the state of the drive.

use fio::LoadOptions;
use iopath::device::flash::drive::DriveState;
use lab::complete;
use lab::{BenchOptions, ModelBench};
use library::{Overrides, Scale, System};
use metric::{Measurement, Params, PhaseKind, Series};
use simulate::{HostCost, Rig, RunOptions, Simulated};

/// A drive with a cache of fast cells and a temperature.
const CACHED: &str = "sn850-1tb";
const SCALE: Scale = Scale::Units(1 << 19);

fn run(state: &DriveState, job: &str) -> Simulated {
    let system = System::named(CACHED, &[]).unwrap();
    let resolved = system.resolve(SCALE, &Overrides::default()).unwrap();
    let mut rig = Rig::of(&resolved, 1);
    rig.prepare(state);
    let file = fio::jobfile::parse_str("j.fio", job, &LoadOptions::default()).unwrap();
    let host = HostCost { submit: resolved.host.submit };
    rig.run(&file, &mut RunOptions { host, ..RunOptions::default() }).unwrap()
}

fn measure(target: &str, method: &str, pairs: &[(&'static str, &'static str)]) -> Measurement {
    let options = BenchOptions { scale: Some(SCALE), ios: 40_000, ..BenchOptions::default() };
    let mut params = Params::from_pairs(pairs.iter().copied()).unwrap();
    complete(method, &mut params).unwrap();
    ModelBench::new(options).measure(target, method, &params).unwrap()
}

/// Rate times time over the stretches between two times.
fn sum(series: &Series, rates: &[f64], from_s: f64, to_s: f64) -> f64 {
    let each = series.lengths().zip(&series.time_s).zip(rates);
    let inside = each.filter(|((_, end), _)| **end > from_s && **end <= to_s);
    inside.map(|((length, _), rate)| length * rate).sum()
}

fn phases(series: &Series) -> Vec<(&str, PhaseKind)> {
    series.phases.iter().map(|phase| (phase.name.as_str(), phase.kind)).collect()
}

const THREE: &str = "[global]\nfilename=/dev/x\nioengine=libaio\ndirect=1\niodepth=16\n\
    [fill]\nrw=write\nbs=128k\n\
    [reads]\nstonewall\nrw=randread\nbs=4k\nramp_time=40ms\nruntime=200ms\ntime_based\n\
    [both]\nstonewall\nrw=randrw\nbs=8k\nnumber_ios=20000\n";

/// The timeline of a run holds each I/O that its jobs report, and no other but those of ramps.
#[test]
fn the_timeline_of_a_run_adds_up_to_its_jobs() {
    let simulated = run(&DriveState::Fresh, THREE);
    let series = simulated.run.timeline.as_ref().unwrap();
    assert_eq!(series.check(), Ok(()));
    assert!((200..=400).contains(&series.len()), "{}", series.len());
    let (reads, ramp) = (("reads", PhaseKind::Read), ("reads", PhaseKind::Ramp));
    let both = ("both", PhaseKind::Mixed);
    assert_eq!(phases(series), [("fill", PhaseKind::Write), ramp, reads, both]);
    for job in &simulated.run.jobs {
        let measured = |kind| kind != PhaseKind::Ramp;
        let mut own = series.phases.iter().filter(|p| p.name == job.jobname && measured(p.kind));
        let phase = own.next().unwrap();
        let near = |rates: &[f64], counted: u64| {
            let added = sum(series, rates, phase.from_s, phase.to_s);
            assert!((added - counted as f64).abs() <= 1e-4 * counted as f64, "{added} {counted}");
        };
        near(&series.iops, job.total_ios());
        near(&series.read_iops, job.read().total_ios);
        near(&series.write_iops, job.write().total_ios);
        near(&series.bytes_per_s, job.read().io_bytes + job.write().io_bytes);
        near(&series.write_bytes_per_s, job.write().io_bytes);
    }
    // The mean latency of the reads is that of their stretches, weighed by their number.
    let reads = &series.phases[2];
    let weighed: Vec<f64> = (0..series.len())
        .map(|i| series.read_latency_mean_s[i].unwrap_or(0.0) * series.read_iops[i])
        .collect();
    let clat = &simulated.run.jobs[1].read().clat;
    let mean = sum(series, &weighed, reads.from_s, reads.to_s) / clat.n as f64;
    assert!((mean / (clat.mean_ns / 1e9) - 1.0).abs() < 1e-3, "{mean} {}", clat.mean_ns);
    let ramp = sum(series, &series.iops, series.phases[1].from_s, reads.from_s);
    assert!(ramp > 100.0, "ramps are told too: {ramp}");
}

#[test]
fn the_state_of_the_drive_is_told() {
    let simulated = run(&DriveState::Fresh, THREE);
    let series = simulated.run.timeline.as_ref().unwrap();
    let rises = |column: &[f64]| column.windows(2).all(|pair| pair[1] >= pair[0]);
    assert!(rises(&series.mapped) && *series.mapped.last().unwrap() > 0.99);
    assert!(series.mapped[0] < 0.05, "it begins fresh: {}", series.mapped[0]);
    // The cache may take less as the drive fills up; what it took before it was told so stays until
    // it is folded.
    let most = series.slc_room_bytes.iter().copied().fold(0.0, f64::max);
    let used = series.slc_used_bytes.iter().copied().fold(0.0, f64::max);
    assert!(most > 0.0 && used > 0.3 * most && used <= most, "{used} of {most}");
    assert!(series.slc_room_bytes.last().unwrap() < &most);
    // Folding moves data, and what is moved is written a second time.
    let fill = series.phases[0].to_s;
    let moving = (0..series.len()).filter(|i| series.time_s[*i] <= fill);
    let moving: Vec<usize> = moving.filter(|i| series.moved_bytes_per_s[*i] > 0.0).collect();
    assert!(!moving.is_empty());
    for i in moving {
        assert!(series.collecting[i] > 0.0 && series.collecting[i] <= 1.0);
    }
    assert!(series.watts.iter().all(|watts| *watts > 0.1 && *watts < 20.0));
    let joules = sum(series, &series.watts, 0.0, f64::MAX) / series.time_s.last().unwrap();
    assert!((joules / simulated.mean_power_w - 1.0).abs() < 0.2, "{joules}");
    assert!(series.celsius.iter().all(|celsius| (20.0..90.0).contains(celsius)));
}

/// Stretches of the steady state of random writes have the amplification of the run in their mean.
#[test]
fn amplification_over_time_has_the_mean_of_the_run() {
    let job = "[w]\nfilename=/dev/x\nioengine=libaio\nrw=randwrite\nbs=4k\niodepth=32\n\
        randrepeat=0\nnorandommap\nnumber_ios=200000\n";
    let simulated = run(&DriveState::Steady(1.0), job);
    let series = simulated.run.timeline.as_ref().unwrap();
    let rates: Vec<f64> = series.bytes_per_s.clone();
    let flash = |i: usize| series.write_amplification[i].unwrap_or(0.0) * rates[i];
    let flash: Vec<f64> = (0..series.len()).map(flash).collect();
    let mean = sum(series, &flash, 0.0, f64::MAX) / sum(series, &rates, 0.0, f64::MAX);
    let whole = simulated.write_amplification.unwrap();
    assert!(whole > 1.1 && (mean / whole - 1.0).abs() < 0.01, "{mean} {whole}");
    let again = run(&DriveState::Steady(1.0), job);
    assert_eq!(again.run.timeline, simulated.run.timeline, "the same again is the same");
}

/// Fill, torture, scan, idle, scan: one curve, as of the real drive.
#[test]
fn a_torture_is_one_curve_with_its_phases() {
    let m = measure(CACHED, "torture", &[("duration", "10 min"), ("idle", "10 min")]);
    let names: Vec<&str> = m.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["fresh", "scan", "rescan", "timeline"]);
    let line = &m.series[3];
    for series in &m.series {
        assert_eq!(series.check(), Ok(()), "{}", series.name);
    }
    assert!(line.len() <= 300 && line.len() > 150, "{}", line.len());
    let write = PhaseKind::Write;
    let steps = [
        ("fresh", write),
        ("torture", write),
        ("scan", write),
        ("idle", PhaseKind::Idle),
        ("rescan", write),
    ];
    assert_eq!(phases(line)[0], ("fresh", PhaseKind::Untimed), "the state it begins with");
    assert_eq!(phases(line)[1..], steps);
    let length = |i: usize| line.phases[i].to_s - line.phases[i].from_s;
    // Minutes are minutes of the real drive, and a pass moves what it holds.
    assert!((length(2) - 600.0).abs() < 1.0, "{}", length(2));
    assert!((length(4) - 600.0).abs() < 1.0, "{}", length(4));
    let fill = sum(line, &line.bytes_per_s, 0.0, line.phases[1].to_s);
    assert!((fill / 1e12 - 1.0).abs() < 0.02, "{fill}");
    // The cache is emptied while the drive is left alone.
    let at = |time: f64| line.time_s.iter().rposition(|end| *end <= time + 1e-6).unwrap();
    let (before, after) = (at(line.phases[4].from_s), at(line.phases[4].to_s));
    assert!(line.slc_used_bytes[after] < 0.5 * line.slc_used_bytes[before]);
    assert_eq!(line.iops[after], 0.0);
    // A scan has the same columns beside its rate.
    let fresh = &m.series[0];
    assert_eq!((fresh.iops.len(), fresh.slc_used_bytes.len()), (fresh.len(), fresh.len()));
    assert_eq!(phases(fresh), [("fresh", write)]);
    assert!(fresh.mapped[0] < 0.05 && fresh.mapped[fresh.len() - 1] > 0.95);
}

#[test]
fn hours_of_load_and_times_of_heat_are_curves_too() {
    let wear = measure(CACHED, "endurance-counters", &[("duration", "2 h")]);
    let line = wear.series.last().unwrap();
    assert_eq!((line.name.as_str(), line.check()), ("timeline", Ok(())));
    let (seconds, host) = (line.time_s.last().unwrap(), wear.metrics["host_writes"].value);
    assert!((seconds / 7200.0 - 1.0).abs() < 0.01, "{seconds}");
    let moved = line.position_bytes.last().unwrap();
    assert!((moved / host - 1.0).abs() < 0.01, "{moved} {host}");
    let heat = measure(CACHED, "heat", &[("duration", "5 min")]);
    let names: Vec<&str> = heat.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["load"], "one step has a curve already");
    let load = &heat.series[0];
    assert_eq!((load.check(), load.len()), (Ok(()), 240));
    let mean = sum(load, &load.watts, 0.0, f64::MAX) / 300.0;
    assert!((mean / heat.metrics["power"].value - 1.0).abs() < 1e-3, "{mean}");
    assert_eq!(phases(load), [("load", PhaseKind::Read)]);
}

/// What only measures a rate has nothing to show over time, and points of a sweep are no line.
#[test]
fn a_single_rate_and_a_sweep_make_no_curve() {
    let corner = measure(CACHED, "corner", &[("op", "read"), ("qd", "8")]);
    assert!(corner.series.is_empty());
    let depths = measure(CACHED, "queue-depth", &[("file", "64 MiB")]);
    assert!(depths.series.iter().all(|series| series.phases.len() <= 3), "{:?}", depths.series);
}
