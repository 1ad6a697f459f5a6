//! Systems: what is shipped can be built, mistakes are found before time 0 with their place, and a
//! system behaves as its parts promise.

use engine::Ratio;
use fio::LoadOptions;
use iopath::device::flash::drive::DriveState;
use library::{Overrides, Scale, System, systems};
use simulate::{Blueprint, HostCost, Rig, RunOptions, Simulated};

const SMALL: Scale = Scale::Units(1 << 20);

fn rig(system: &System, scale: Scale) -> (Rig, HostCost) {
    let resolved = system.resolve(scale, &Overrides::default()).unwrap();
    let host = HostCost { submit: resolved.host.submit };
    (Rig::new(resolved.spec, resolved.scale, 1), host)
}

fn run(rig: &mut Rig, host: HostCost, job: &str) -> Simulated {
    let file = fio::jobfile::parse_str("j.fio", job, &LoadOptions::default()).unwrap();
    let mut options = RunOptions { host, ..RunOptions::default() };
    let simulated = rig.run(&file, &mut options).unwrap();
    assert_eq!(simulated.checks.failures(), Vec::<String>::new());
    simulated
}

fn rate(simulated: &Simulated) -> f64 {
    let job = &simulated.run.jobs[0];
    (job.read().io_bytes + job.write().io_bytes) as f64 / simulated.measured_s
}

fn text_of(slug: &str) -> String {
    library::system_text(slug).unwrap().to_owned()
}

fn wrong(text: &str) -> fio::Diagnostic {
    System::parse("mine.toml", "mine.toml", text, None, &[]).unwrap_err()
}

#[test]
fn every_shipped_system_can_be_built_and_audited() {
    let all: Vec<&str> = systems().collect();
    assert!(all.len() >= 10);
    for slug in all {
        let system = System::named(slug, &[]).unwrap_or_else(|why| panic!("{slug}: {why}"));
        let resolved = system.resolve(SMALL, &Overrides::default()).unwrap();
        let rig = Rig::new(resolved.spec, resolved.scale, 1);
        let off = rig.real_bytes() as f64 / resolved.real_bytes as f64 - 1.0;
        assert!(off.abs() < 0.05, "{slug}: {} against {}", rig.real_bytes(), resolved.real_bytes);
        rig.machine().audit();
    }
}

#[test]
fn mistakes_in_a_system_file_are_reported_with_their_line() {
    let array = text_of("raid5-3x-pm981a");
    let cases = [
        ("count = { value = \"3 drives\"", "count = { value = \"2 drives\"", "at least 3 members"),
        ("value = \"128 KiB\"", "value = \"1000 B\"", "multiple of the sector"),
        ("at = \"chipset\"", "at = \"chipsets\"", "nothing to attach drives to"),
        ("value = \"12 lanes\"", "value = \"8 lanes\"", "lanes that do not exist"),
        ("of = [\"board\"]", "of = [\"boards\"]", "called `boards`"),
        ("of = [\"board\"]", "of = [\"board\", \"board\"]", "two volumes"),
        ("model = \"pm981a-256gb\"", "model = \"pm981x\"", "no drive of the library"),
        ("chunk = ", "chunks = ", "unknown field"),
        ("value = \"DMI 4.0 x8\"", "value = \"DMI 9.0 x8\"", "not a known link"),
    ];
    for (right, mistake, expected) in cases {
        assert!(array.contains(right), "{right}");
        let told = wrong(&array.replacen(right, mistake, 1));
        assert!(told.message.contains(expected), "{mistake}: {}", told.message);
        assert!(told.line > 1 || expected.contains("field"), "{mistake}: line {}", told.line);
        assert_eq!(&*told.file, "mine.toml");
    }
    // Three on the board and one card: a second card makes five.
    let ten = text_of("raid10-4x-pm981a");
    let ten = ten.replacen("count = { value = \"1", "count = { value = \"2", 1);
    assert!(wrong(&ten).message.contains("odd number"), "{}", wrong(&ten).message);
    let tier = text_of("optane-16gb-dt01aca200");
    let swapped = tier.replacen("of = [\"module\", \"disk\"]", "of = [\"disk\", \"module\"]", 1);
    assert!(wrong(&swapped).message.contains("larger than the device behind it"));
    let alone = tier.replacen("of = [\"module\", \"disk\"]", "of = [\"disk\"]", 1);
    assert!(wrong(&alone).message.contains("parts"), "{}", wrong(&alone).message);
}

#[test]
fn unequal_members_are_allowed_with_a_warning() {
    let system = System::named("raid0-4x-pm981a-1x-3400", &[]).unwrap();
    let resolved = system.resolve(SMALL, &Overrides::default()).unwrap();
    assert!(resolved.warnings.iter().any(|told| told.contains("used as the smallest")));
    let five = 5.0 * 256.06e9;
    assert!((resolved.real_bytes as f64 / five - 1.0).abs() < 1e-3, "{}", resolved.real_bytes);
}

#[test]
fn values_of_a_system_and_of_its_drives_can_be_set() {
    let pair = |path: &str, value: &str| (path.to_owned(), value.to_owned());
    let set = [pair("array.raid.chunk", "64 KiB"), pair("board.model.flash.dies", "16 dies")];
    let system = System::named("raid0-2x-pm981a", &set).unwrap();
    let resolved = system.resolve(SMALL, &Overrides::default()).unwrap();
    assert!(resolved.spec.flash().all(|config| config.geometry.dies == 16));
    assert!(system.text.contains("64 KiB"));
    let unknown = System::named("raid0-2x-pm981a", &[pair("arrays.raid.chunk", "64 KiB")]);
    assert!(unknown.unwrap_err().to_string().contains("`array`"));
    let unknown = System::named("raid0-2x-pm981a", &[pair("boards.model.flash.dies", "9 dies")]);
    assert!(unknown.unwrap_err().to_string().contains("`board`"));
}

/// A drive alone is a system of one node, and a way that costs nothing changes nothing.
#[test]
fn a_free_way_to_a_drive_gives_the_same_figures() {
    let job = "[j]\nrw=randrw\nbs=4k\niodepth=8\nruntime=50ms\ntime_based\nrandrepeat=0\n\
               filename=/dev/x\nioengine=libaio\ndirect=1\n";
    let alone = System::named("pm981a-256gb", &[]).unwrap();
    let text = "name = \"one\"\n[[attachment]]\nname = \"slot\"\nports = { value = \"PCIe 5.0\", \
                source = \"assumed: x\" }\nlanes = { value = \"16 lanes\", source = \"assumed: x\" \
                }\nupstream = { value = \"PCIe 5.0 x16\", source = \"assumed: x\" }\n[[drive]]\n\
                name = \"d\"\nmodel = \"pm981a-256gb\"\nat = \"slot\"\n";
    let system = System::parse("one.toml", "one.toml", text, None, &[]).unwrap();
    let [one, other] = [alone, system].map(|system| {
        let (mut rig, host) = rig(&system, SMALL);
        rig.prepare(&DriveState::Filled);
        let run = run(&mut rig, host, job).run;
        (run.jobs[0].read().total_ios, run.jobs[0].write().total_ios)
    });
    assert_eq!(one, other);
}

/// The sum of two, and of five behind one shared link and a slot (claims of the review).
#[test]
fn striping_adds_bandwidths_and_half_of_it_is_left_with_mirrors() {
    let job = "[j]\nrw=read\nbs=1m\niodepth=16\nruntime=50ms\ntime_based\nsize=256m\nfilename=f\n\
               ioengine=libaio\ndirect=1\n";
    let measured = |slug: &str, job: &str| {
        let (mut rig, host) = rig(&System::named(slug, &[]).unwrap(), Scale::Units(4 << 20));
        rate(&run(&mut rig, host, job))
    };
    let one = measured("pm981a-256gb", job);
    let four = measured("raid0-4x-pm981a", job);
    assert!((four / one / 4.0 - 1.0).abs() < 0.1, "{one} {four}");
    let write = job.replace("rw=read", "rw=write");
    let (striped, mirrored) =
        (measured("raid0-4x-pm981a", &write), measured("raid10-4x-pm981a", &write));
    assert!((mirrored / striped - 0.5).abs() < 0.05, "{mirrored} {striped}");
}

#[test]
fn the_same_seed_gives_the_same_system() {
    let job = "[j]\nrw=randrw\nbs=4k\niodepth=32\nruntime=100ms\ntime_based\nsize=64m\nfilename=f\n\
               ioengine=libaio\ndirect=1\n";
    for slug in ["optane-16gb-dt01aca200", "raid5-3x-pm981a"] {
        let [one, other] = [(); 2].map(|()| {
            let (mut rig, host) = rig(&System::named(slug, &[]).unwrap(), SMALL);
            rig.prepare(&DriveState::Filled);
            format!("{:?}", run(&mut rig, host, job).run)
        });
        assert_eq!(one, other, "{slug}");
    }
}

/// A member fails under load and is replaced: the array serves on, and is whole at the end.
#[test]
fn an_array_is_rebuilt_after_a_member_was_replaced() {
    let job = "[j]\nrw=randread\nbs=4k\niodepth=4\nruntime=20ms\ntime_based\nfilename=/dev/x\n\
               ioengine=libaio\ndirect=1\n";
    let (mut rig, host) = rig(&System::named("raid5-3x-pm981a", &[]).unwrap(), SMALL);
    rig.prepare(&DriveState::Filled);
    let whole = rate(&run(&mut rig, host, job));
    assert!(rig.is_whole());
    rig.fail_member(1);
    let degraded = rate(&run(&mut rig, host, job));
    assert!(!rig.is_whole() && degraded > 0.0 && degraded < whole);
    assert!(rig.replace_member(7).is_err());
    rig.replace_member(1).unwrap();
    for _ in 0..400 {
        if rig.is_whole() {
            break;
        }
        rig.idle(engine::Duration::from_s(1));
    }
    assert!(rig.is_whole());
    let again = rate(&run(&mut rig, host, job));
    assert!((again / whole - 1.0).abs() < 0.1, "{again} {whole}");
}

#[test]
fn spare_area_is_given_up_on_every_member() {
    let system = System::named("raid0-2x-pm981a", &[]).unwrap();
    let kept = |percent| {
        let overrides = Overrides { give_up: Ratio::percent(percent), ..Overrides::default() };
        system.resolve(SMALL, &overrides).unwrap().real_bytes as f64
    };
    assert!((kept(10) / kept(0) - 0.9).abs() < 1e-3);
}

/// The memory of a card is a small share of terabytes, and shrinks to one of the part that is
/// simulated. With a 64th of the volume as the least, terabytes were simulated to miss it.
#[test]
fn a_card_takes_a_hundredth_of_its_volume_for_random_accesses() {
    for slug in ["perc-h755n-raid5", "perc-h755n-raid10"] {
        let system = System::named(slug, &[]).unwrap();
        let resolved = system.resolve(Scale::Units(1 << 20), &Overrides::default()).unwrap();
        let share = resolved.least[0].share;
        assert!(share < 0.01, "{slug}: {share}");
    }
}

/// However much a cache has in flight, it fits the part that is simulated; random accesses take as
/// much of the volume as is large beside it.
#[test]
fn a_cache_with_any_number_of_commands_below_fits_a_part() {
    let pair = |path: &str, value: &str| (path.to_owned(), value.to_owned());
    let set = [
        pair("cached.cache.depth", "4000000000 commands"),
        pair("cached.cache.request", "4 GB"),
        pair("cached.cache.size", "64 GB"),
    ];
    let system = System::named("perc-h755n-raid5", &set);
    let resolved = system.unwrap().resolve(Scale::Units(1 << 20), &Overrides::default()).unwrap();
    let least = &resolved.least[0];
    assert!(least.why.contains("100.0 % of what is simulated"), "{}", least.why);
    assert!((0.0..=1.0).contains(&least.share));
}

/// A cache that is large beside the simulated part is hit more often than on the whole volume, and
/// a log in blocks of few programs is collected at other times. Such loads take more of the system,
/// at which they run; others do not.
#[test]
fn what_a_part_is_too_small_for_is_refused_with_the_size_that_it_takes() {
    let file = |rw: &str| {
        let job = format!("[j]\nrw={rw}\nbs=4k\niodepth=4\nruntime=20ms\ntime_based\ndirect=1\n");
        let text = format!("{job}filename=/dev/x\nioengine=libaio\n");
        fio::jobfile::parse_str("j.fio", &text, &LoadOptions::default()).unwrap()
    };
    let cases = [
        ("perc-h755n-raid10", ["randread", "randwrite"], ["read", "write"]),
        ("gpu-raid5-8x-p5520", ["randwrite", "randrw"], ["randread", "write"]),
    ];
    for (slug, refused, taken) in cases {
        let system = System::named(slug, &[]).unwrap();
        let planned = |scale: Scale, rw: &str| {
            let resolved = system.resolve(scale, &Overrides::default()).unwrap();
            let (blueprint, options) = (Blueprint::of(&resolved, 1), RunOptions::default());
            let share = blueprint.least_share(&file(rw), &options).unwrap();
            (blueprint.plan(&file(rw), &options).map(drop), share)
        };
        for rw in refused {
            let (refusal, share) = planned(Scale::Units(4 << 20), rw);
            let resolved = system.resolve(Scale::Units(4 << 20), &Overrides::default()).unwrap();
            let bytes = resolved.least[0].bytes;
            let said = metric::show(metric::Dimension::Bytes, bytes);
            let help = refusal.unwrap_err().help.unwrap();
            assert_eq!(
                help,
                format!("simulate {said} or more of it (--scale), or leave --scale out")
            );
            planned(Scale::Bytes(engine::whole(bytes)), rw).0.unwrap();
            planned(Scale::Share(share), rw).0.unwrap();
            planned(Scale::Share(share / 2.0), rw).0.unwrap_err();
        }
        for rw in taken {
            planned(Scale::Units(4 << 20), rw).0.unwrap();
        }
    }
}

/// The size that a refusal names is one that is taken, also where the host sees a part of a drive.
#[test]
fn the_size_that_is_named_is_enough() {
    let text = "[j]\nrw=randwrite\nbs=4k\niodepth=4\nruntime=20ms\ntime_based\ndirect=1\n\
                filename=/dev/x\nioengine=libaio\n";
    let file = fio::jobfile::parse_str("j.fio", text, &LoadOptions::default()).unwrap();
    let system = System::named("p4510", &[]).unwrap();
    let half = Overrides { give_up: Ratio::percent(50), ..Overrides::default() };
    let planned = |overrides: &Overrides, bytes: u64| {
        let resolved = system.resolve(Scale::Bytes(bytes), overrides).unwrap();
        Blueprint::of(&resolved, 1).plan(&file, &RunOptions::default()).map(drop)
    };
    let help = planned(&half, 12_400_000_000).unwrap_err().help.unwrap();
    assert!(help.starts_with("simulate 13.82 GB or more of it"), "{help}");
    planned(&half, 13_820_000_000).unwrap();
}
