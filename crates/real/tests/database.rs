//! The installed MariaDB and sysbench in a temporary directory. Without them these tests are
//! skipped.

use real::database::{DatabaseError, DatabaseJob, Programs, run};
use real::{Reason, System};
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn programs() -> Option<Programs> {
    let programs = Programs::installed();
    let usable = programs.check().is_ok();
    needs::found(needs::MARIADB, usable.then_some(programs))
}

/// A directory that a server without rights can enter.
fn directory() -> TempDir {
    let directory = tempfile::tempdir().expect("made");
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(directory.path(), open).expect("opened");
    directory
}

fn job() -> DatabaseJob {
    DatabaseJob {
        servers: 1,
        threads: 4,
        tables: 2,
        rows: 2000,
        pool_bytes: 16 << 20,
        log_bytes: 16 << 20,
        doublewrite: true,
        file_per_table: true,
        old_blocks_ms: 1000,
        distribution: "uniform",
        seconds: 3,
        keep: false,
    }
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(directory).expect("listed");
    all.map(|entry| entry.expect("an entry").path()).collect()
}

/// Servers whose data are below a directory, by their command lines.
fn servers_in(directory: &Path) -> usize {
    let wanted = format!("--datadir={}", directory.display());
    let processes = fs::read_dir("/proc").expect("listed").filter_map(Result::ok);
    let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(&wanted)).count()
}

#[test]
fn transactions_run_and_nothing_is_left() {
    let Some(programs) = programs() else { return };
    let directory = directory();
    fs::write(directory.path().join("precious"), "data").expect("written");
    let mut told = Vec::new();
    let mut news = |what: &str, share: f64| {
        assert!((0.0..=1.0).contains(&share));
        if told.last().map(String::as_str) != Some(what) {
            told.push(what.to_owned());
        }
        ControlFlow::Continue(())
    };
    let two = DatabaseJob { servers: 2, ..job() };
    let done = run(&System::real(), &programs, directory.path(), &two, &mut news).expect("runs");
    assert_eq!(done.reports.len(), 2);
    for (report, counts) in done.reports.iter().zip(&done.counts) {
        assert!(report.transactions > 10, "{report:?}");
        // Little: 4 clients. sysbench's clock starts a little before its clients.
        let clients = report.per_second * report.mean_ms / 1e3;
        assert!((3.2..=4.05).contains(&clients), "{clients}: {report:?}");
        let (percent, p99_ms) = report.percentile.expect("asked for");
        assert!(percent == 99.0 && p99_ms >= report.mean_ms);
        let counted: u64 = report.histogram.iter().map(|(_, count)| count).sum();
        assert_eq!(counted, report.transactions);
        let counts = counts.as_ref().expect("the server tells");
        assert!(counts.count("Innodb_os_log_written").unwrap_or(0) > report.transactions * 500);
        assert_eq!(counts.count("Innodb_buffer_pool_read_ahead"), Some(0), "read-ahead is off");
    }
    assert_eq!(
        told,
        ["starting a server", "making tables", "transactions", "stopping the servers"]
    );
    assert_eq!(entries(directory.path()), [directory.path().join("precious")]);
    assert_eq!(servers_in(directory.path()), 0);
}

#[test]
fn who_interrupts_leaves_nothing_behind() {
    let Some(programs) = programs() else { return };
    for stage in ["starting a server", "making tables", "transactions"] {
        let directory = directory();
        let long = DatabaseJob { seconds: 600, ..job() };
        let mut news = |what: &str, _: f64| match what == stage {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let ended = run(&System::real(), &programs, directory.path(), &long, &mut news);
        assert!(matches!(ended, Err(DatabaseError::Cancelled)), "{stage}: {ended:?}");
        assert_eq!(
            (entries(directory.path()), servers_in(directory.path())),
            (vec![], 0),
            "{stage}"
        );
    }
}

/// As root: what is read belongs to root and nobody else can change it, what the server writes does
/// not, and no program of the test runs as root.
#[test]
fn nothing_runs_as_root_and_nothing_is_given_away_through_a_link() {
    let Some(programs) = programs() else { return };
    let directory = directory();
    let (mut seen, mut looks) = (Vec::new(), 0);
    let mut news = |what: &str, _: f64| {
        looks += u32::from(what == "transactions");
        // A program that is just being started has its new owner in a moment.
        if looks < 20 {
            return ControlFlow::Continue(());
        }
        for home in entries(directory.path()) {
            let about = |path: &Path| {
                let metadata = fs::symlink_metadata(path).expect("there");
                (metadata.uid(), metadata.mode() & 0o777)
            };
            seen.push(about(&home));
            let mut inside = entries(&home);
            inside.sort();
            seen.extend(inside.iter().map(|path| about(path)));
        }
        let wanted = directory.path().display().to_string();
        for process in fs::read_dir("/proc").expect("listed").filter_map(Result::ok) {
            let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
            if String::from_utf8_lossy(&line).contains(&wanted) {
                let owner = process.metadata().map(|metadata| metadata.uid());
                seen.push((owner.unwrap_or(0), 0));
            }
        }
        ControlFlow::Break(())
    };
    let ended = run(&System::real(), &programs, directory.path(), &job(), &mut news);
    assert!(matches!(ended, Err(DatabaseError::Cancelled)), "{ended:?}");
    let us = fs::metadata(directory.path()).expect("there").uid();
    let server = if us == 0 { seen[1].0 } else { us };
    assert!(us != 0 || server != 0, "the data are not root's");
    // The home, then data, init.sql, run and status.lua, then the processes.
    let home = if us == 0 { 0o711 } else { 0o700 };
    assert_eq!(seen[..2], [(us, home), (server, 0o700)]);
    assert_eq!(seen[2..5], [(us, 0o644), (server, 0o700), (us, 0o644)]);
    assert!(seen.len() >= 7 && seen[5..].iter().all(|(owner, _)| *owner == server), "{seen:?}");
}

#[test]
fn data_are_kept_if_asked_for() {
    let Some(programs) = programs() else { return };
    let directory = directory();
    let keep = DatabaseJob { keep: true, seconds: 1, ..job() };
    let mut news = |_: &str, _: f64| ControlFlow::Continue(());
    let done = run(&System::real(), &programs, directory.path(), &keep, &mut news).expect("runs");
    assert_eq!(done.kept.len(), 1);
    assert!(done.kept[0].join("data/sbtest/sbtest2.ibd").exists());
    assert_eq!(servers_in(directory.path()), 0, "kept data, no server");
}

/// The message of the server or sysbench is passed on, and everything is cleaned up all the same.
#[test]
fn a_program_that_fails_is_quoted() {
    let Some(programs) = programs() else { return };
    let directory = directory();
    let fails = |programs: &Programs| {
        let mut news = |_: &str, _: f64| ControlFlow::Continue(());
        let ended = run(&System::real(), programs, directory.path(), &job(), &mut news);
        let error = ended.unwrap_err();
        assert_eq!((entries(directory.path()), servers_in(directory.path())), (vec![], 0));
        error.to_string()
    };
    let text = fails(&Programs { script: "no_such_script".into(), ..programs.clone() });
    assert!(text.contains("sysbench prepare") && text.contains("no_such_script"), "{text}");
    let text = fails(&Programs { mariadbd: "/bin/true".into(), ..programs });
    assert!(text.contains("mariadbd: it ended at once"), "{text}");
}

#[test]
fn what_is_missing_is_named_with_its_package() {
    let programs = Programs { sysbench: "/no/such/sysbench".into(), ..Programs::installed() };
    let error = programs.check().unwrap_err().to_string();
    assert!(error.contains("/no/such/sysbench is not installed"), "{error}");
    assert!(error.contains("apt-get install") && error.contains("mariadb-server-core"), "{error}");
}

/// The guard: decided before anything is written.
#[test]
fn only_a_directory_with_room_is_used() {
    let system = System::real();
    let directory = directory();
    let reason =
        |path: &Path, bytes: u64| system.examine_directory(path, bytes).unwrap_err().reason;
    assert!(system.examine_directory(directory.path(), 1000).is_ok());
    assert_eq!(reason(directory.path(), u64::MAX), Reason::NoRoom);
    assert_eq!(reason(&directory.path().join("none"), 0), Reason::Missing);
    let file = directory.path().join("file");
    fs::write(&file, "x").expect("written");
    assert_eq!(reason(&file, 0), Reason::NotADrive);
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(directory.path(), &link).expect("linked");
    assert_eq!(reason(&link, 0), Reason::Symlink);
    assert_eq!(reason(Path::new("/proc/self"), 0), Reason::Symlink);
    assert_eq!(reason(Path::new("/proc/sys"), 0), Reason::PseudoFile);
    let deep = directory.path().join("x".repeat(80));
    fs::create_dir(&deep).expect("made");
    assert_eq!(reason(&deep, 0), Reason::Name);
    assert_eq!(entries(directory.path()).len(), 3, "nothing was made");
}

#[test]
fn a_job_says_how_much_it_needs() {
    let one = job();
    assert!(one.bytes() > 2 * 2000 * 200 && one.bytes() < 1 << 30);
    let huge = DatabaseJob { servers: u32::MAX, rows: u64::MAX, ..job() };
    assert_eq!(huge.bytes(), u64::MAX);
}
