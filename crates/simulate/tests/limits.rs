//! What limits a run, on media of the library whose limit is certain.

use fio::LoadOptions;
use iopath::device::flash::drive::DriveState;
use library::{Model, Overrides, Scale, System};
use simulate::{HostCost, Rig, RunOptions};
use stats::{Limit, LimitedBy};

const SMALL: Scale = Scale::Units(4 << 20);

fn job(rw: &str, block: &str, depth: u32, more: &str) -> String {
    format!(
        "[a]\nfilename=/dev/x\nioengine=libaio\nrw={rw}\nbs={block}\niodepth={depth}\n\
         norandommap\ntime_based\n{more}"
    )
}

fn limit(rig: &mut Rig, host: HostCost, job: &str) -> Limit {
    let file = fio::jobfile::parse_str("j", job, &LoadOptions::default()).unwrap();
    let mut options = RunOptions { host, ..RunOptions::default() };
    rig.run(&file, &mut options).unwrap().limits.remove(0)
}

fn of_system(slug: &str, job: &str) -> Limit {
    let system = System::named(slug, &[]).unwrap();
    let resolved = system.resolve(SMALL, &Overrides::default()).unwrap();
    let host = HostCost { submit: resolved.host.submit };
    limit(&mut Rig::new(resolved.spec, resolved.scale, 1), host, job)
}

/// An arm that has 32 commands to choose from never rests, in a disk alone as in an array.
#[test]
fn the_arm_of_a_disk_limits_random_reads() {
    let reads = job("randread", "4k", 32, "runtime=2s\n");
    for slug in ["dt01aca200", "raid0-2x-dt01aca200"] {
        let found = of_system(slug, &reads);
        assert_eq!(found.by, LimitedBy::Media, "{slug}: {found}");
        assert!(found.detail.contains("arm"), "{slug}: {found}");
    }
    // A read a second leaves it still for most of the time.
    let slow = of_system("dt01aca200", &job("randread", "4k", 1, "runtime=5s\nrate_iops=1\n"));
    assert_eq!(slow.by, LimitedBy::Host, "{slow}");
}

/// A module without a buffer writes as fast as its dies, and reads as often as its controller can.
#[test]
fn a_module_is_limited_by_its_dies_or_its_controller() {
    let writes = of_system("optane-memory-16gb", &job("write", "128k", 8, "runtime=100ms\n"));
    assert_eq!(writes.by, LimitedBy::Media, "{writes}");
    let reads = of_system("optane-memory-16gb", &job("randread", "4k", 32, "runtime=100ms\n"));
    assert_eq!(reads.by, LimitedBy::Cores, "{reads}");
}

/// What waits for power counts as programming: the limit on power comes first.
#[test]
fn a_power_state_limits_before_the_programs_that_wait_for_it() {
    let model = Model::named("d5-p5430-15.36tb", &[]).unwrap();
    let at = |power_state: u32| {
        let overrides = Overrides { power_state, ..Overrides::default() };
        let resolved = model.resolve(SMALL, &overrides).unwrap();
        let mut rig = Rig::new(resolved.config, resolved.scale, 1);
        rig.prepare(&DriveState::Steady(1.0));
        limit(&mut rig, HostCost::default(), &job("randwrite", "4k", 256, "runtime=500ms\n"))
    };
    assert_eq!(at(2).by, LimitedBy::Power, "{}", at(2));
    assert_ne!(at(0).by, LimitedBy::Power, "{}", at(0));
}
