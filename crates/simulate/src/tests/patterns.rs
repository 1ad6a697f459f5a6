//! Where I/Os go, how large they are, and which way.

use super::bench_config::*;
use crate::{Rig, RunOptions};
use iopath::device::flash::drive::DriveState;
use stats::JobResult;
use std::collections::BTreeMap;

/// Offsets of the reads (or writes) of a job.
fn offsets(options: &str) -> Vec<u64> {
    let text = format!("[r]\nbs=4k\nfilename=/dev/x\nwrite_lat_log=x\nlog_offset=1\n{options}\n");
    first(&text).logs[0].offset.clone()
}

fn counts(list: &[u64]) -> BTreeMap<u64, usize> {
    let mut counts = BTreeMap::new();
    list.iter().for_each(|offset| *counts.entry(*offset).or_default() += 1);
    counts
}

#[test]
fn the_random_map_visits_each_block_once() {
    let list = offsets("rw=randread\nsize=4m");
    assert_eq!((list.len(), counts(&list).len()), (1024, 1024));
    assert!(list.iter().all(|offset| *offset < 4 << 20 && offset % 4096 == 0));
    let without = offsets("rw=randread\nsize=4m\nnorandommap");
    // Of n draws out of n places a share of 1 - 1/e is different.
    near(counts(&without).len() as f64, 1024.0 * 0.632, 0.06);
    let aligned = offsets("rw=randread\nsize=4m\nblockalign=64k\nnumber_ios=60");
    assert!(aligned.iter().all(|offset| offset % 65_536 == 0));
}

/// Offsets and sizes of a job's I/Os in their order, in blocks of 4 KiB, by direction.
fn extents(options: &str) -> [Vec<(u64, u64)>; 2] {
    let text = format!("[r]\nbs=4k\nfilename=/dev/x\nwrite_lat_log=x\nlog_offset=1\n{options}\n");
    let log = &first(&text).logs[0];
    [0, 1].map(|direction| {
        let all = (0..log.bs.len()).filter(|io| log.ddir[*io] == direction);
        all.map(|io| (log.offset[io] / 4096, log.bs[io] / 4096)).collect()
    })
}

/// How often each block of 4 KiB was touched.
fn touched(ios: &[(u64, u64)]) -> BTreeMap<u64, usize> {
    counts(&ios.iter().flat_map(|(at, len)| *at..at + len).collect::<Vec<u64>>())
}

/// As fio does: an I/O ends before a block that was touched, reads and writes share one map, and
/// an alignment of its own turns the map off.
#[test]
fn a_random_map_of_several_sizes_covers_a_region() {
    let split = "size=4m\nbssplit=4k/50:16k/50";
    for (options, passes) in [("rw=randwrite", 1), ("rw=randwrite\nloops=2", 2), ("rw=randrw", 1)] {
        let ios = extents(&format!("{options}\n{split}")).concat();
        let touched = touched(&ios);
        assert_eq!(touched.len(), 1024, "{options}");
        assert!(touched.values().all(|times| *times == passes), "{options}");
        assert!(ios.iter().any(|(_, len)| [2, 3].contains(len)), "{options}: none was cut");
    }
    for off in ["norandommap", "blockalign=8k"] {
        let [_, ios] = extents(&format!("rw=randwrite\n{off}\n{split}"));
        assert!(touched(&ios).len() < 800 && ios.iter().all(|(_, len)| [1, 4].contains(len)));
    }
}

/// Writes of larger blocks come to a point where each of their own places was touched and smaller
/// ones are left: they take those.
#[test]
fn directions_of_several_sizes_share_a_map_to_its_end() {
    for mix in [10, 50, 90] {
        let ios = extents(&format!(
            "rw=randrw\nrwmixread={mix}\nsize=16m\nbssplit=4k/40:64k/60,64k/100\nloops=2"
        ));
        let touched = touched(&ios.concat());
        assert_eq!((touched.len(), touched.values().max()), (4096, Some(&2)), "{mix}");
        assert!(ios.iter().all(|of_direction| !of_direction.is_empty()), "{mix}");
    }
}

/// What is left at the end takes a smaller one, as with fio.
#[test]
fn several_sizes_in_order_reach_the_end() {
    let [_, ios] = extents("rw=write\nsize=4m\nbssplit=4k/50:64k/50");
    let touched = touched(&ios);
    assert_eq!((touched.len(), touched.values().max()), (1024, Some(&1)));
    assert!(ios.windows(2).all(|pair| pair[1].0 == pair[0].0 + pair[0].1));
}

/// Each direction has a position of its own, and goes on behind its last I/O wherever that was.
#[test]
fn reads_and_writes_in_order_do_not_share_a_position() {
    for ios in extents("rw=rw\nsize=4m\nnumber_ios=200") {
        assert!(ios.len() > 50);
        assert!(ios.iter().enumerate().all(|(number, (at, _))| *at == number as u64), "{ios:?}");
    }
    for ios in extents("rw=randrw\nsize=64m\npercentage_random=30\nnumber_ios=4000") {
        let follows = ios.windows(2).filter(|pair| pair[1].0 == pair[0].0 + 1).count();
        near(follows as f64 / ios.len() as f64, 0.7, 0.05);
    }
}

/// A window shorter than a pass is a sample of all places then. Every reader begins elsewhere and
/// goes round; writers begin at the first place.
#[test]
fn readers_in_order_begin_anywhere_if_asked_to() {
    let offsets = |rw: &str, seed: u64, anywhere: bool| {
        let common = "bs=4k\nsize=4m\nnumjobs=2\nfilename=/dev/x\nwrite_lat_log=x\nlog_offset=1";
        let text = format!("[r]\n{common}\nrw={rw}\n");
        let mut rig = Rig::new(config(), 1.0, seed);
        rig.prepare(&DriveState::Filled);
        let mut options = RunOptions { anywhere, ..RunOptions::default() };
        let simulated = rig.run(&jobs(&text), &mut options).expect("it runs");
        let of = |job: &JobResult| job.logs[0].offset.clone();
        simulated.run.jobs.iter().map(of).collect::<Vec<Vec<u64>>>()
    };
    let (one, two) = (offsets("read", 1, true), offsets("read", 2, true));
    assert_eq!(one, offsets("read", 1, true));
    for list in one.iter().chain(&two) {
        assert_eq!((list.len(), counts(list).len()), (1024, 1024), "each place once");
        assert!(list.windows(2).all(|pair| pair[1] == (pair[0] + 4096) % (4 << 20)));
    }
    let first = [one[0][0], one[1][0], two[0][0], two[1][0]];
    assert_eq!(counts(&first).len(), 4, "{first:?}");
    assert!(offsets("read", 1, false).iter().all(|list| list[0] == 0));
    assert!(offsets("write", 1, true).iter().all(|list| list[0] == 0));
}

#[test]
fn skewed_distributions_are_skewed() {
    let share = |options: &str| {
        let list = offsets(&format!("rw=randread\nsize=16m\nio_size=64m\n{options}"));
        let mut hits: Vec<usize> = counts(&list).into_values().collect();
        hits.sort_unstable_by(|a, b| b.cmp(a));
        let top: usize = hits.iter().take(4096 / 10).sum();
        top as f64 / list.len() as f64
    };
    assert!(share("random_distribution=zipf:1.2") > 0.8);
    assert!(share("random_distribution=pareto:0.2") > 0.3);
    assert!(share("norandommap") < 0.2);
}

#[test]
fn a_list_of_blocks_is_read_in_its_order() {
    let blocks = |options: &str| -> Vec<u64> {
        let text = format!("rw=randread\nbs=4k\nsize=48k\nio_size=24k\n{options}");
        offsets(&text).into_iter().map(|offset| offset / 4096).collect()
    };
    assert_eq!(blocks("random_distribution=sequence:2,0,1"), [2, 0, 1, 2, 0, 1]);
    let moving = "random_distribution=sequence:2,0,1\nrandom_sequence_stride=1";
    assert_eq!(blocks(moving), [2, 0, 1, 5, 3, 4]);
}

#[test]
fn zones_get_their_shares() {
    let list =
        offsets("rw=randread\nsize=16m\nio_size=64m\nrandom_distribution=zoned:70/10:20/40:10/50");
    let limit = (16 << 20) / 10;
    let hot = list.iter().filter(|offset| **offset < limit).count() as f64;
    near(hot / list.len() as f64, 0.7, 0.03);
}

/// fio 3.41: as many bytes as there is flash, each block at least once, and those written first
/// most likely again, a part later.
#[test]
fn sprandom_writes_all_blocks_and_the_first_ones_again() {
    let list = offsets("rw=randwrite\nsize=64m\nsprandom=1\nspr_op=0.25\nspr_num_regions=10");
    let (blocks, part) = (16_384, 20_480 / 10);
    assert_eq!(list.len(), blocks * 5 / 4);
    let times = counts(&list);
    assert!(times.len() > blocks * 99 / 100, "{} of {blocks}", times.len());
    let again = |written: &[u64], later: &[u64]| {
        let later = counts(later);
        written.iter().filter(|at| later.contains_key(at)).count() as f64 / written.len() as f64
    };
    // 1 / (0.5 / 0.25 + 0.7) is written again of the first part, of the last but one little.
    near(again(&list[..part], &list[part..2 * part]), 1.0 / 2.7, 0.1);
    assert!(again(&list[8 * part..9 * part], &list[9 * part..]) < 0.07);
    let (once, whole) = ("io_size=8m\n", "");
    let written = |io_size: &str| {
        offsets(&format!("rw=randwrite\nsize=16m\n{io_size}sprandom=1\nspr_op=0.5")).len()
    };
    assert_eq!((written(once), written(whole)), (3072, 6144));
}

#[test]
fn sequential_jobs_wrap_and_stride() {
    let list = offsets("rw=read\nsize=16k\nnumber_ios=6\nio_size=1m");
    assert_eq!(list, [0, 4096, 8192, 12_288, 0, 4096]);
    let list = offsets("rw=read:4k\nsize=1m\nnumber_ios=3");
    assert_eq!(list, [0, 8192, 16_384]);
    let list = offsets("rw=randread:4\nsize=4m\nnumber_ios=8");
    assert!((1..4).all(|i| list[i] == list[i - 1] + 4096), "{list:?}");
    let list = offsets("rw=read\noffset=50%\nnumber_ios=1");
    assert_eq!(list, [256 << 20]);
}

#[test]
fn sizes_follow_the_split() {
    let text = "[r]\nrw=randread\nfilename=/dev/x\nbssplit=4k/60:8k/30:64k/10\nnorandommap\n\
                number_ios=20000\nwrite_bw_log=x\n";
    let log = &first(text).logs[0];
    let share =
        |bytes| log.bs.iter().filter(|bs| **bs == bytes).count() as f64 / log.bs.len() as f64;
    near(share(4096), 0.6, 0.03);
    near(share(8192), 0.3, 0.05);
    near(share(65_536), 0.1, 0.08);
}

#[test]
fn mixes_follow_their_percentage() {
    let job = first(
        "[m]\nrw=randrw\nbs=4k\nrwmixread=70\nfilename=/dev/x\nioengine=libaio\niodepth=8\n\
         number_ios=20000\n",
    );
    near(job.read().total_ios as f64 / job.total_ios() as f64, 0.7, 0.02);
    let job = first("[m]\nrw=randtrimwrite\nbs=4k\nfilename=/dev/x\nsize=4m\n");
    assert_eq!((job.trim().total_ios, job.write().total_ios), (1024, 1024));
    let list = offsets("rw=randread\npercentage_random=50\nnumber_ios=2000");
    let follows = list.windows(2).filter(|pair| pair[1] == pair[0] + 4096).count();
    near(follows as f64 / list.len() as f64, 0.5, 0.06);
}

/// As fio itself does: what is left out does not count, and behind the last zone comes the first.
#[test]
fn strided_zones_are_read_one_after_another() {
    let list = offsets("rw=read\nbs=64k\nsize=64m\nzonemode=strided\nzonesize=1m\nzoneskip=7m");
    assert_eq!(list.len(), 1024);
    for (number, zone) in list.chunks(16).enumerate() {
        let start = (number as u64 % 8) * (8 << 20);
        assert_eq!(zone, (0..16).map(|i| start + i * (64 << 10)).collect::<Vec<u64>>());
    }
}

#[test]
fn random_places_stay_in_their_zone() {
    let list = offsets(
        "rw=randread\nsize=64m\nzonemode=strided\nzonesize=1m\nzonerange=2m\nzoneskip=6m\n\
         norandommap",
    );
    assert_eq!(list.len(), 16_384);
    for (number, zone) in list.chunks(256).enumerate() {
        let start = (number as u64 % 8) * (8 << 20);
        assert!(zone.iter().all(|at| (start..start + (2 << 20)).contains(at)), "zone {number}");
        // 256 draws of 512 places: 1 - exp(-1/2) of them are met.
        near(counts(zone).len() as f64, 512.0 * 0.3935, 0.15);
    }
}

/// In the sizes of the writes, and no slower than reads of them.
#[test]
fn a_job_that_only_verifies_reads_what_it_would_have_written() {
    let simulated = run("[a]\nrw=randwrite\nbs=4k,16k\nsize=4m\nverify=crc32c\nverify_only\n");
    let job = &simulated.run.jobs[0];
    assert_eq!(
        (job.read().total_ios, job.read().io_bytes, job.write().total_ios),
        (256, 4 << 20, 0)
    );
    assert!(simulated.warnings.iter().any(|warning| warning.concerns == "verify_only"));
    let reads = run("[a]\nrw=randread\nbs=16k\nsize=4m\n");
    near(job.read().lat.mean_ns, reads.run.jobs[0].read().lat.mean_ns, 0.02);
}
