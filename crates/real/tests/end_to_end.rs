//! The installed fio on temporary files. Without fio these tests are skipped.

use crate::common::snapshot;
use real::run::{Output, RunOptions, run};
use real::{
    InstalledError, InstalledFio, Progress, RealJob, Reason, Request, RunError, SourceOptions,
    System,
};
use stats::RunResult;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

struct Bench {
    fio: InstalledFio,
    directory: TempDir,
    scratch: TempDir,
}

impl Bench {
    fn new() -> Option<Self> {
        Some(Self {
            fio: needs::found(needs::FIO, InstalledFio::find().ok())?,
            directory: tempfile::tempdir().expect("made"),
            scratch: tempfile::tempdir().expect("made"),
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn run(&self, path: &Path, text: &str) -> Result<(Output, RunResult), RunError> {
        self.watched(path, text, &mut |_| ControlFlow::Continue(()))
    }

    fn watched(
        &self,
        path: &Path,
        text: &str,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<(Output, RunResult), RunError> {
        let options = SourceOptions {
            name: "j".into(),
            base_dir: self.directory.path().into(),
            ..SourceOptions::default()
        };
        let job = RealJob::parse(text, &options).expect("parses");
        let request = Request { path: path.into(), writes: job.writes(), ..Request::default() };
        let system = System::real();
        let permits = [system.examine(&request)?];
        let redirected = job.redirect(&permits, None).expect("redirected");
        let options =
            RunOptions { scratch_root: self.scratch.path().into(), ..RunOptions::default() };
        let output = run(&system, &self.fio, &permits, &redirected, &options, progress)?;
        let left = fs::read_dir(self.scratch.path()).expect("listed").count();
        assert_eq!(left, 0, "the scratch directory is removed");
        let result = output.result(&redirected).expect("understood");
        Ok((output, result))
    }
}

#[test]
fn a_file_is_made_used_and_recognised() {
    let Some(bench) = Bench::new() else { return };
    let path = bench.path("a file:1,2");
    let text = "[w]\nrw=write\nbs=64k\nsize=4m\nwrite_bw_log=mine\n";
    let (output, result) = bench.run(&path, text).expect("runs");
    assert!(output.success && result.fio_version == output.version);
    let job = &result.jobs[0];
    assert_eq!((job.write().total_ios, job.logs[0].name.as_str()), (64, "mine"));
    let clat = &job.write().clat;
    let histogram = clat.histogram.as_ref().expect("JSON+ has bins");
    assert_eq!(histogram.count(), clat.n);
    for percentile in &clat.percentiles {
        assert_eq!(histogram.percentile_ns(percentile.percent), Some(percentile.ns));
    }
    assert_eq!(fs::metadata(&path).expect("made").len(), 4 << 20);
    let logs: Vec<_> = output.logs.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(logs, ["log0_bw.1.log"]);
    bench.run(&path, text).expect("its own file may be used again");
    let names = fs::read_dir(bench.directory.path()).expect("listed").count();
    assert_eq!(names, 2, "the file and its marker");
    assert!(real::marker::remove(&path).expect("removed"));
    assert_eq!(fs::read_dir(bench.directory.path()).expect("listed").count(), 0);
}

#[test]
fn logs_come_back_with_their_jobs() {
    let Some(bench) = Bench::new() else { return };
    let text = "[global]\nsize=1m\ntime_based\nruntime=1\nlog_avg_msec=100\nrw=write\n\
                [a]\nwrite_lat_log=a/lat\n[b]\nnumjobs=2\ngroup_reporting\nnew_group\n\
                write_hist_log\nlog_hist_msec=100\nlog_hist_coarseness=2\n";
    let (_, result) = bench.run(&bench.path("f"), text).expect("runs");
    let [a, b] = &result.jobs[..] else { panic!("two entries") };
    let kinds: Vec<_> = a.logs.iter().map(|log| (log.kind.name(), log.name.as_str())).collect();
    assert_eq!(kinds, [("clat", "a/lat"), ("lat", "a/lat"), ("slat", "a/lat")]);
    assert!(a.logs[0].rows().all(|row| row.ddir == 1 && row.value > 0) && a.logs[0].len() > 3);
    let numbers: Vec<_> = b.hist_logs.iter().map(|log| (log.number, log.name.as_str())).collect();
    assert_eq!(numbers, [(2, "b"), (3, "b")]);
    let rows = b.hist_logs.iter().flat_map(|log| &log.rows);
    let logged: u64 = rows.map(|row| row.histogram.count()).sum();
    assert!(0 < logged && logged <= b.write().total_ios, "{logged}");
}

#[test]
fn a_replaced_file_is_not_ones_own() {
    let Some(bench) = Bench::new() else { return };
    let path = bench.path("f");
    let text = "[w]\nrw=write\nsize=1m\n";
    bench.run(&path, text).expect("runs");
    let other = bench.path("g");
    fs::write(&other, "precious").expect("written");
    fs::rename(&other, &path).expect("renamed");
    let error = bench.run(&path, text).expect_err("refused");
    assert!(matches!(error, RunError::Refused(refusal) if refusal.reason == Reason::ForeignFile));
    assert!(!real::marker::remove(&path).expect("looked at"));
    assert_eq!(fs::read_to_string(&path).expect("read"), "precious");
}

#[test]
fn a_job_that_wants_to_write_elsewhere_does_not() {
    let Some(bench) = Bench::new() else { return };
    let other = tempfile::tempdir().expect("made");
    let there = other.path().display().to_string();
    fs::write(other.path().join("victim"), vec![7; 1 << 20]).expect("written");
    fs::write(other.path().join("include.fio"), format!("filename={there}/victim\nbs=8k\n"))
        .expect("written");
    let trace = format!(
        "fio version 2 iolog\n{there}/victim add\n{there}/victim open\n\
         {there}/victim write 0 4096\n{there}/victim close\n"
    );
    fs::write(other.path().join("trace"), trace).expect("written");
    let before = snapshot(other.path());
    let settings = [
        format!("filename={there}/victim"),
        format!("filename={there}/victim:{there}/b"),
        format!("directory={there}"),
        format!("directory={there}\nfilename=x\nnrfiles=3"),
        format!("filename_format={there}/$jobname.$filenum"),
        format!("include {there}/include.fio"),
        format!("write_iolog={there}/iolog"),
        format!("write_bw_log={there}/log\nwrite_lat_log={there}/log"),
        format!("opendir={there}"),
        format!("exec_prerun=touch {there}/pre\nexec_postrun=touch {there}/post"),
        format!("verify=crc32c\nverify_dump=1\nverify_state_save=1\nname={there}/x"),
        format!("filename={there}/victim\nunlink=1"),
        format!("read_iolog={there}/trace"),
    ];
    for (i, setting) in settings.iter().enumerate() {
        let path = bench.path(&format!("f{i}"));
        let text = format!("[{there}/name]\nrw=write\nsize=64k\n{setting}\n");
        let (output, _) = bench.run(&path, &text).expect(setting);
        assert!(output.success, "{setting}: {}", output.messages);
        assert!(fs::metadata(&path).expect("made").len() >= 4096, "{setting}");
        assert_eq!(snapshot(other.path()), before, "{setting}");
    }
    let files = fs::read_dir(bench.directory.path()).expect("listed").count();
    assert_eq!(files, 2 * settings.len(), "nothing but the files and their markers");
}

#[test]
fn a_foreign_file_can_be_read_but_not_changed() {
    let Some(bench) = Bench::new() else { return };
    let path = bench.path("data");
    fs::write(&path, vec![3; 1 << 20]).expect("written");
    let (output, result) = bench.run(&path, "[r]\nrw=randread\n").expect("runs");
    assert!(output.success);
    assert_eq!(result.jobs[0].read().total_ios, 256);
    // Larger than the file: fio would have to extend it.
    let _ = bench.run(&path, "[r]\nrw=read\nsize=2m\nfilesize=2m\n");
    assert_eq!(fs::read(&path).expect("read"), vec![3; 1 << 20]);
    let names = fs::read_dir(bench.directory.path()).expect("listed").count();
    assert_eq!(names, 1, "no marker beside a stranger's file");
}

#[test]
fn a_run_can_be_watched_and_stopped() {
    let Some(bench) = Bench::new() else { return };
    let text = "[r]\nrw=randread\nsize=1m\ntime_based\nruntime=600\nrate_iops=100\n";
    let mut news = 0;
    let output = bench.watched(&bench.path("f"), text, &mut |_| {
        news += 1;
        if news > 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let (output, result) = output.expect("ends in order");
    assert!(output.cancelled && result.jobs.len() == 1);
}

#[test]
fn options_that_this_fio_lacks_are_reported() {
    let Some(bench) = Bench::new() else { return };
    let used = [("rw", "j:1"), ("timeout", "j:2"), ("softrandommap", "j:3"), ("nonsense", "j:4")];
    let used = used.map(|(name, place)| (name.to_owned(), place.to_owned())).into();
    let unknown = bench.fio.unknown_options(&used, &["io_uring".to_owned()]).expect("asked");
    assert_eq!(unknown, [("nonsense".to_owned(), "j:4".to_owned())]);
    let hipri = [("hipri".to_owned(), "j:1".to_owned())].into();
    assert!(bench.fio.unknown_options(&hipri, &["io_uring".to_owned()]).expect("asked").is_empty());
}

#[test]
fn what_fio_says_when_it_fails_is_passed_on() {
    let Some(bench) = Bench::new() else { return };
    let error = bench.run(&bench.path("f"), "[a]\nrw=write\nsize=1m\nbs=banana\n");
    let error = error.expect_err("a bad value").to_string();
    assert!(error.contains("banana") || error.contains("bs"), "{error}");
}

#[test]
fn a_missing_fio_names_its_package() {
    let error = InstalledFio::at(Path::new("/nonexistent/fio")).expect_err("missing");
    assert!(matches!(error, InstalledError::Missing { .. }));
    assert!(error.to_string().contains("apt install fio"), "{error}");
    let other = InstalledFio::at(Path::new("/bin/echo"));
    assert!(matches!(other, Err(InstalledError::Unusable { .. })));
}

/// Each name of the job file is one of the paths, and nothing else is made.
#[test]
fn two_paths_are_two_devices() {
    let Some(bench) = Bench::new() else { return };
    let text = "[global]\nrw=write\nbs=64k\n[a]\nfilename=/dev/x\nsize=2m\n\
                [b]\nfilename=/dev/y\nsize=4m\n[c]\nstonewall\nfilename=/dev/x\nrw=read\nsize=1m\n";
    let options = SourceOptions { name: "j".into(), ..SourceOptions::default() };
    let job = RealJob::parse(text, &options).expect("parses");
    let system = System::real();
    let permits = ["one", "two"].map(|name| {
        let request = Request { path: bench.path(name), writes: true, ..Request::default() };
        system.examine(&request).expect("permitted")
    });
    let redirected = job.redirect(&permits, None).expect("redirected");
    let scratch_root = bench.scratch.path().into();
    let options = RunOptions { scratch_root, ..RunOptions::default() };
    let go_on = &mut |_| ControlFlow::Continue(());
    let output = run(&system, &bench.fio, &permits, &redirected, &options, go_on).expect("runs");
    let result = output.result(&redirected).expect("understood");
    assert_eq!(result.jobs.len(), 3);
    let bytes = |name: &str| fs::metadata(bench.path(name)).expect("made").len();
    assert_eq!((bytes("one"), bytes("two")), (2 << 20, 4 << 20));
    let names = fs::read_dir(bench.directory.path()).expect("listed").count();
    assert_eq!(names, 4, "two files and their markers");
}
