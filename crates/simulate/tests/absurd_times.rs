//! Times beyond any clock: refused with a place and a reason, and nothing overflows. The tests run
//! with overflow checks, so that a sum that would wrap in release fails here.

use fio::{Diagnostic, LoadOptions};
use library::{Overrides, Scale, System};
use proptest::prelude::*;
use simulate::{HostCost, Rig, RunOptions, Simulated};

fn run(options: &str) -> Result<Simulated, Diagnostic> {
    let set = Overrides::default();
    let resolved = System::named("x25-e-64gb", &[]).unwrap();
    let resolved = resolved.resolve(Scale::Units(1 << 18), &set).unwrap();
    let mut rig = Rig::of(&resolved, 1);
    let text =
        format!("[global]\nioengine=libaio\nfilename=/dev/nvme0n1\nnumber_ios=4\n[job]\n{options}");
    let file = fio::jobfile::parse_str("absurd.fio", &text, &LoadOptions::default())?;
    let host = HostCost { submit: resolved.host.submit };
    rig.run(&file, &mut RunOptions { host, budget_ios: Some(1 << 13), ..RunOptions::default() })
}

/// The error of a run, with its place.
fn refused(options: &str) -> String {
    let error = run(options).map(|_| ()).expect_err(options);
    assert!(error.line > 0 && error.column > 0, "{options}: {error}");
    error.to_string()
}

#[test]
fn a_time_beyond_the_clock_is_refused_at_its_place() {
    for option in [
        "thinktime=20000000000000",
        "startdelay=300d",
        "startdelay=1-300d",
        "runtime=1000d",
        "ramp_time=101d",
        "thinktime=9223372036854775807",
        "log_avg_msec=300d",
        "steadystate_ramp_time=300d",
    ] {
        let error = refused(&format!("{option}\n"));
        assert!(error.starts_with("absurd.fio:6:"), "{error}");
        assert!(error.contains("100 days"), "{error}");
    }
}

/// Each time alone would do.
#[test]
fn times_that_add_up_beyond_the_clock_are_refused() {
    let error = refused("startdelay=60d\nruntime=60d\n");
    assert!(error.contains("startdelay, ramp_time and runtime"), "{error}");
}

/// Nothing is absurd by itself, but the run would continue forever.
#[test]
fn a_run_that_reaches_the_end_of_the_clock_is_refused() {
    for options in ["thinktime=90d\n", "rate=1\nbs=8m\n", "rate=1\nbs=64m\n"] {
        let error = refused(options);
        assert!(error.contains("100 days"), "{options}: {error}");
    }
    let phases = "runtime=60d\nrate_iops=1\n[next]\nstonewall\nruntime=60d\n";
    assert!(run(phases).is_ok(), "they end by their I/Os");
    let phases = "startdelay=60d\n[next]\nstonewall\nstartdelay=60d\n";
    assert!(refused(phases).contains("100 days"));
}

#[test]
fn long_times_within_the_clock_run() {
    let day = run("thinktime=1d\n").unwrap();
    assert!((day.measured_s / 86_400.0 - 3.0).abs() < 0.01, "{} s", day.measured_s);
    assert!(run("startdelay=99d\n").is_ok());
}

fn time() -> impl Strategy<Value = String> {
    let numbers = prop_oneof![0_u64..5, 1_u64 << 20..1 << 40, any::<u64>(), Just(i64::MAX as u64)];
    let units = prop_oneof![Just(""), Just("us"), Just("ms"), Just("s"), Just("h"), Just("d")];
    (numbers, units).prop_map(|(number, unit)| format!("{number}{unit}"))
}

fn option() -> impl Strategy<Value = String> {
    let names = prop_oneof![
        Just("thinktime"),
        Just("startdelay"),
        Just("runtime"),
        Just("ramp_time"),
        Just("steadystate_ramp_time"),
        Just("log_avg_msec"),
        Just("bwavgtime"),
        Just("max_latency"),
        Just("rate_cycle"),
    ];
    let timed = (names, time()).prop_map(|(name, time)| format!("{name}={time}\n"));
    let rates = prop_oneof![Just("rate=1\n"), Just("rate=1\nbs=64m\n"), Just("rate_iops=1\n")];
    let poisson = Just("rate_process=poisson\nrate_iops=1\n".to_owned());
    let logs = Just("write_bw_log=x\nwrite_lat_log=x\n".to_owned());
    prop_oneof![
        8 => timed,
        1 => rates.prop_map(str::to_owned),
        1 => poisson,
        1 => logs,
        1 => Just("time_based\n".to_owned()),
        1 => Just("[next]\nstonewall\n".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: 64,
        ..Default::default()
    })]

    #[test]
    fn absurd_times_run_or_are_refused(options in proptest::collection::vec(option(), 1..5)) {
        let options = options.concat();
        if let Err(error) = run(&options) {
            prop_assert!(error.line > 0, "{options}: {error}");
        }
    }
}
