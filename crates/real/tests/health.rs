//! smartctl and nvme-cli as fake programs: what is asked, what is made of the answer.

use crate::common::fakes::FakePrograms;
use real::{ToolError, Tools};
use std::fs;
use std::path::{Path, PathBuf};

struct Bench {
    programs: FakePrograms,
    tools: Tools,
}

impl Bench {
    fn new() -> Self {
        let programs = FakePrograms::new();
        fs::write(programs.path().join("device"), "").expect("written");
        let tools = Tools::in_directory(programs.path());
        Self { programs, tools }
    }

    fn device(&self) -> PathBuf {
        self.programs.path().join("device")
    }

    fn program(&self, name: &str, script: &str) {
        self.programs.add(name, script);
    }

    fn asked(&self) -> Vec<String> {
        self.programs.asked(&self.device().display().to_string(), "DEV")
    }
}

fn sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../smart/tests/data").join(name);
    path.canonicalize().expect("a sample").display().to_string()
}

#[test]
fn smartctl_is_asked_once_and_its_exit_code_is_explained() {
    let bench = Bench::new();
    let log = sample("ata-intel-710-after.json");
    bench.program("smartctl", &format!("cat '{log}'; exit 64"));
    let health = real::smartctl::health(&bench.tools, &bench.device()).expect("read");
    assert_eq!(bench.asked(), ["smartctl --json -x DEV"]);
    assert_eq!(health.warnings, ["the drive's error log holds errors"]);
    assert_eq!(health.snapshot.identity.model.as_deref(), Some("INTEL SSDSA2BZ200G3"));
    assert_eq!(health.text, fs::read_to_string(log).expect("read"));
}

#[test]
fn what_smartctl_says_when_it_fails_is_passed_on() {
    let bench = Bench::new();
    let log = sample("smartctl-failed.json");
    bench.program("smartctl", &format!("cat '{log}'; exit 2"));
    let error = real::smartctl::health(&bench.tools, &bench.device()).expect_err("failed");
    assert!(error.to_string().contains("No such device"), "{error}");
    bench.program("smartctl", "echo 'smartctl: unknown option -- json' >&2; exit 1");
    let error = real::smartctl::health(&bench.tools, &bench.device()).expect_err("too old");
    assert!(error.to_string().contains("unknown option"), "{error}");
}

#[test]
fn missing_programs_and_devices_are_named() {
    let bench = Bench::new();
    let error = real::smartctl::health(&bench.tools, &bench.device()).expect_err("missing");
    assert!(matches!(error, ToolError::Missing { .. }));
    assert!(error.to_string().contains("apt install smartmontools"), "{error}");
    bench.program("smartctl", "exit 0");
    for path in ["-x", "device", "/dev/there-is-none"] {
        let error = real::smartctl::health(&bench.tools, Path::new(path)).expect_err(path);
        assert!(matches!(error, ToolError::BadPath { .. }), "{error}");
    }
    assert!(bench.asked().is_empty(), "no program was started for those");
}

#[test]
fn nvme_cli_s_three_logs_become_one_snapshot() {
    let bench = Bench::new();
    let (log, ocp) = (sample("nvme-cli-1.json"), sample("nvme-ocp-wdc.json"));
    let identify = r#"echo '{"sn": "EX1 ", "mn": "EXAMPLE", "tnvmcap": 1000}'"#;
    bench.program(
        "nvme",
        &format!(
            "case $1 in id-ctrl) {identify};; smart-log) cat '{log}';; ocp) cat '{ocp}';; esac"
        ),
    );
    let health = real::nvme::health(&bench.tools, &bench.device()).expect("read");
    let asked = ["id-ctrl DEV", "smart-log DEV", "ocp smart-add-log DEV"];
    assert_eq!(bench.asked(), asked.map(|words| format!("nvme {words} -o json")));
    assert_eq!(health.snapshot.identity.serial.as_deref(), Some("EX1"));
    assert_eq!(health.snapshot.ocp.unwrap().media_bytes_written, Some(42));
    assert!(health.snapshot.nvme.is_some() && health.warnings.is_empty());
    // Kept as it is, the text reads back as the same.
    assert_eq!(smart::read::snapshot("kept", &health.text).as_ref(), Ok(&health.snapshot));
    bench.program(
        "nvme",
        &format!(
            "case $1 in id-ctrl) {identify};; smart-log) cat '{log}';; \
             ocp) echo 'ERROR: no such plugin' >&2; exit 1;; esac"
        ),
    );
    let health = real::nvme::health(&bench.tools, &bench.device()).expect("read");
    assert!(health.snapshot.ocp.is_none());
    assert!(health.warnings[0].contains("no such plugin"), "{:?}", health.warnings);
}
