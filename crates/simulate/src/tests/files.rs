//! Jobs of several files and devices: where files lie, and which of them comes next. The orders are
//! those that fio 3.33 writes with `write_iolog`.

use super::bench_config::*;
use crate::Simulated;
use stats::JobResult;

const KIB: u64 = 1024;

/// A job of files, which the drive has room for.
fn files(options: &str) -> Simulated {
    run(&format!(
        "[global]\nrw=write\nbs=4k\nwrite_lat_log=x\nlog_offset=1\n[j]\nnrfiles=3\n{options}\n"
    ))
}

/// File and place in it, in blocks of 4 KiB, of the I/Os of a job of files of `each` bytes.
fn order(simulated: &Simulated, each: u64) -> Vec<(u64, u64)> {
    let offsets = &simulated.run.jobs[0].logs[0].offset;
    offsets.iter().map(|offset| (offset / each, offset % each / (4 * KIB))).collect()
}

fn starts(simulated: &Simulated) -> Vec<u64> {
    simulated.run.jobs.iter().map(|job| job.logs[0].offset[0]).collect()
}

#[test]
fn files_are_extents_in_order() {
    let common = "[global]\nrw=read\nbs=64k\nsize=1m\nwrite_bw_log=x\nlog_offset=1\n";
    let copies = run(&format!("{common}[a]\nnumjobs=2\n[b]\nnrfiles=2\n"));
    assert_eq!(starts(&copies), [0, 1 << 20, 2 << 20]);
    let shared = run(&format!("{common}[a]\nfilename=1\n[b]\nfilename=2\n[c]\nfilename=1\n"));
    assert_eq!(starts(&shared), [0, 1 << 20, 0]);
    // Named again in another order, and with a gap between them.
    let apart = run(&format!("{common}[a]\nfilename=1:2:3\n[b]\nfilename=3:1\n"));
    // The first is as long as its longest use, half of 1 MiB; the second a third, in blocks.
    assert_eq!(starts(&apart), [0, (512 + 5 * 64) * KIB]);
}

#[test]
fn files_take_turns_as_asked() {
    let order = |law: &str| {
        let law = format!("size=48k\nfile_service_type={law}");
        order(&files(&law), 16 * KIB)
    };
    let in_turn = |every: u64| -> Vec<(u64, u64)> {
        let rounds = (0..4 / every).flat_map(|round| (0..3).map(move |file| (round, file)));
        rounds
            .flat_map(|(round, file)| (0..every).map(move |io| (file, round * every + io)))
            .collect()
    };
    assert_eq!(order("roundrobin"), in_turn(1));
    assert_eq!(order("roundrobin:2"), in_turn(2));
    assert_eq!(order("sequential"), in_turn(4));
    let mut drawn = order("random");
    assert_ne!(drawn, in_turn(1));
    drawn.sort_unstable();
    assert_eq!(drawn, in_turn(4), "each file is written once, in its order");
}

#[test]
fn a_job_goes_on_with_its_first_file_after_a_pass() {
    let sequential = files("size=24k\nio_size=36k\nfile_service_type=sequential");
    let expected = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (0, 0), (0, 1), (1, 0)];
    assert_eq!(order(&sequential, 8 * KIB), expected);
}

/// fio counts the writes of all files, and a job that is over flushes no more; at the end each file
/// gets a flush of its own.
#[test]
fn flushes_go_to_the_files() {
    let flushes = |options: &str| {
        let simulated = files(&format!("size=48k\n{options}"));
        simulated.run.jobs[0].sync.total_ios
    };
    assert_eq!([flushes("end_fsync=1"), flushes("fsync=4"), flushes("")], [3, 2, 0]);
}

/// Random I/Os after each other count for all files, as with fio.
#[test]
fn a_run_of_ios_goes_over_the_files() {
    let simulated =
        run("[j]\nrw=randread:2\nbs=4k\nnrfiles=2\nsize=8m\nnumber_ios=400\nwrite_lat_log=x\n\
         log_offset=1\n");
    let places = order(&simulated, 4 << 20);
    assert!(places.chunks(2).all(|pair| (pair[0].0, pair[1].0) == (0, 1)));
    // The first of each pair is drawn, in file 0; the second goes on in file 1.
    let in_order = places.chunks(2).zip(places.chunks(2).skip(1));
    assert!(in_order.filter(|(one, next)| next[1].1 == one[1].1 + 1).count() >= 198);
}

#[test]
fn files_that_do_not_fit_are_shortened_alike() {
    let whole = run("[j]\nrw=write\nbs=64k\nnumjobs=2\nsize=200m\n");
    assert!(whole.warnings.iter().all(|warning| warning.code != "files-shortened"));
    let short = run("[j]\nrw=write\nbs=64k\nnumjobs=4\nsize=100%\nwrite_lat_log=x\nlog_offset=1\n");
    let told: Vec<&str> = short.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert!(told.iter().any(|told| told.contains("25.000 %")), "{told:?}");
    let written = |job: &JobResult| job.write().total_ios * 64 * KIB;
    for (copy, job) in short.run.jobs.iter().enumerate() {
        assert!((127 << 20..=128 << 20).contains(&written(job)), "{}", written(job));
        let last = job.logs[0].offset.iter().max().copied().unwrap_or(0);
        assert!(last < (copy as u64 + 1) << 27);
    }
    // A file that all jobs name is the device, and ends where it ends.
    let device = run("[j]\nrw=write\nbs=64k\nfilename=disk.img\nsize=1g\n");
    assert_eq!(written(&device.run.jobs[0]), 512 << 20);
    assert!(device.warnings.iter().any(|warning| warning.code == "size-cut"));
    // Of one file a second job uses the same part.
    let parts =
        run("[global]\nrw=write\nbs=64k\n[a]\nfilename=f\nsize=1g\n[b]\nfilename=f\noffset=512m\n\
         size=512m\n[c]\nfilename=g\nsize=1m\n");
    let [a, b] = [0, 1].map(|job| written(&parts.run.jobs[job]));
    assert!(a > 511 << 20 && a.abs_diff(2 * b) <= 128 * KIB, "{a} {b}");
}

/// What the drive is told to verify it reads; a stream or one block for all places is written.
#[test]
fn writes_may_be_other_commands() {
    let ios = |mode: &str| {
        let text =
            format!("[j]\nioengine=sg\nrw=write\nbs=4k\nfilename=/dev/x\nnumber_ios=50\n{mode}");
        let simulated = run(&text);
        let told = simulated.warnings.iter().any(|warning| warning.message.contains("write_mode"));
        assert_eq!(told, !mode.is_empty());
        (simulated.run.jobs[0].read().total_ios, simulated.run.jobs[0].write().total_ios)
    };
    assert_eq!(ios(""), (0, 50));
    assert_eq!(ios("sg_write_mode=verify_bytchk_01\n"), (50, 0));
    assert_eq!(ios("sg_write_mode=write_same_ndob\n"), (0, 50));
}
