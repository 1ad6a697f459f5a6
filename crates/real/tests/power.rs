//! The power state of NVMe drives, asked of a fake nvme-cli.

use crate::common::Machine;
use crate::common::fakes::FakePrograms;
use real::device::Device;
use real::{PowerStates, Tools, Uptime};
use std::thread;
use std::time::Duration;

struct Bench {
    machine: Machine,
    programs: FakePrograms,
}

impl Bench {
    /// Two NVMe drives and a disk, and an nvme-cli that does as the script says.
    fn new(script: &str) -> Self {
        let mut machine = Machine::new();
        machine.device("nvme0n1", (259, 0), None);
        machine.device("nvme1n1", (259, 1), None);
        machine.device("sda", (8, 0), None);
        let programs = FakePrograms::new();
        programs.add("nvme", script);
        Self { machine, programs }
    }

    fn states(&self, numbers: &[(u32, u32)]) -> PowerStates {
        let device = |number: &(u32, u32)| Device::of_number(&self.machine.system, *number);
        let devices: Vec<Device> = numbers.iter().map(|n| device(n).expect("is there")).collect();
        let tools = Tools::in_directory(self.programs.path());
        PowerStates::of(&self.machine.system, &tools, &devices)
    }

    fn asked(&self) -> Vec<String> {
        let dev = self.machine.system.dev.display().to_string();
        let mut asked = self.programs.asked(&dev, "DEV");
        asked.sort();
        asked
    }
}

/// Asks until there is an answer, for ten seconds at most.
fn answer(states: &mut PowerStates) -> Option<u8> {
    let began = Uptime::now();
    loop {
        match states.deepest() {
            None if Uptime::now().awake_since(began) < 10.0 => {
                thread::sleep(Duration::from_millis(10));
            }
            answer => return answer,
        }
    }
}

#[test]
fn of_several_drives_the_highest_state_counts() {
    let bench = Bench::new(
        "case $2 in *nvme1n1) state=0x3;; *) state=0x0;; esac\n\
         echo \"get-feature:0x02 (Power Management), Current value:$state\"",
    );
    let mut states = bench.states(&[(259, 0), (259, 1), (8, 0)]);
    assert_eq!(states.deepest(), None, "the first question has just been put");
    assert_eq!(answer(&mut states), Some(3));
    let asked = bench.asked();
    assert!(asked.contains(&"nvme get-feature DEV/nvme0n1 -f 2".to_owned()), "{asked:?}");
    assert!(!asked.iter().any(|line| line.contains("sda")), "a disk has none: {asked:?}");
    let mut one = bench.states(&[(259, 0)]);
    assert_eq!(answer(&mut one), Some(0));
}

#[test]
fn without_an_nvme_drive_nobody_is_asked() {
    let bench = Bench::new("echo 'Current value:0x1'");
    let mut states = bench.states(&[(8, 0)]);
    assert_eq!((states.deepest(), states.deepest()), (None, None));
    assert_eq!(bench.asked(), Vec::<String>::new());
}

#[test]
fn who_cannot_tell_is_not_asked_again() {
    let bench = Bench::new("echo 'NVMe status: INVALID_OPCODE' >&2; exit 1");
    let mut states = bench.states(&[(259, 0)]);
    for _ in 0..20 {
        assert_eq!(states.deepest(), None);
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(bench.asked(), ["nvme get-feature DEV/nvme0n1 -f 2"]);
}

#[test]
fn nobody_waits_for_a_drive_that_hangs() {
    let bench = Bench::new("exec sleep 60");
    let mut states = bench.states(&[(259, 0)]);
    let began = Uptime::now();
    assert_eq!((states.deepest(), states.deepest()), (None, None));
    drop(states);
    assert!(Uptime::now().awake_since(began) < 5.0);
}
