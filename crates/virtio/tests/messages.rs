//! What frontends set up, and what is refused.

use crate::common::{ENTRIES, FRONTEND, GUEST, MEMORY, World, asked, disk, region};
use std::fs::File;
use vhost::vhost_user::VhostUserBackendReqHandlerMut as _;
use vhost::vhost_user::message::{
    VhostUserConfigFlags, VhostUserInflight, VhostUserSingleMemoryRegion, VhostUserVringAddrFlags,
};
use virtio::driver::{Driver, IN, OUT};
use virtio::{Device, Next};

fn file(len: u64) -> File {
    let file = tempfile::tempfile().expect("a file");
    file.set_len(len).expect("room");
    file
}

#[test]
fn memory_must_be_there() {
    let mut device = Device::new(disk(512));
    let refused = device.set_mem_table(&[region(0, FRONTEND, 8192)], vec![file(4096)], None);
    assert!(refused.expect_err("it is short").to_string().contains("longer than its file"));
    let two = [region(0, FRONTEND, 8192), region(4096, FRONTEND + 8192, 8192)];
    device.set_mem_table(&two, vec![file(8192), file(8192)], None).expect_err("they overlap");
    let device_file = File::open("/dev/null").expect("there");
    device.set_mem_table(&[region(0, 0, 4096)], vec![device_file], None).expect_err("no memory");
    let high = region(u64::MAX - 4096, FRONTEND, 8192);
    device.set_mem_table(&[high], vec![file(8192)], None).expect_err("beyond all addresses");
}

#[test]
fn an_address_far_behind_memory_at_the_end_of_all_addresses_is_outside() {
    let mut device = Device::new(disk(512));
    let high = region(0xFF00 << 48, FRONTEND, 4096);
    device.set_mem_table(&[high], vec![file(4096)], None).expect("memory");
    let (flags, far) = (VhostUserVringAddrFlags::empty(), FRONTEND + (0x3337 << 48));
    let refused = device.set_vring_addr(0, flags, far, far, far, 0).expect_err("outside");
    assert!(refused.to_string().contains("outside of memory"), "{refused}");
}

#[test]
fn regions_come_and_go() {
    let (mut world, mut driver) = World::new(0, 512, false);
    let more = VhostUserSingleMemoryRegion::new(GUEST + MEMORY, 4096, FRONTEND + MEMORY, 0);
    world.device.add_mem_region(&more, file(4096), None).expect("a region more");
    assert_eq!(asked(&mut world, &mut driver, (OUT, 0, &[1; 512], 0)).status, 0);
    world.device.remove_mem_region(&more).expect("a region less");
    world.device.remove_mem_region(&more).expect_err("it is gone");
}

#[test]
fn a_queue_that_runs_keeps_its_memory() {
    let (mut world, _) = World::new(0, 512, false);
    let all = VhostUserSingleMemoryRegion::new(GUEST, MEMORY, FRONTEND, 0);
    let refused = world.device.remove_mem_region(&all).expect_err("the rings are there");
    assert!(refused.to_string().contains("lost its memory"), "{refused}");
}

#[test]
fn queues_are_as_they_can_be() {
    let (mut world, _) = World::new(0, 512, false);
    let device = &mut world.device;
    for entries in [0, 3, 2048, 65536 + 32] {
        device.set_vring_num(1, entries).expect_err("no power of two up to 1024");
    }
    device.set_vring_num(64, 32).expect_err("no such queue");
    device.set_vring_base(1, 65536).expect_err("no place in a ring");
    device.set_vring_num(0, 16).expect_err("it runs");
    let flags = VhostUserVringAddrFlags::empty;
    device.set_vring_addr(1, flags(), 0, 0, 0, 0).expect_err("outside of memory");
    let odd = FRONTEND + 1;
    device.set_vring_num(1, 32).expect("a queue");
    device.set_vring_addr(1, flags(), odd, odd, odd, 0).expect("it is inside");
    device.set_vring_kick(1, Some(file(0))).expect_err("rings that are not aligned");
    let end = FRONTEND + MEMORY - 16;
    device.set_vring_addr(1, flags(), end, end, end, 0).expect("it begins inside");
    device.set_vring_kick(1, Some(file(0))).expect_err("rings that are not all in memory");
    device.set_vring_kick(1, None).expect_err("no event");
    device.set_features(1 << 63).expect_err("a feature that nobody has");
}

/// A queue that is ended is begun again where it was.
#[test]
fn a_queue_goes_on_where_it_was() {
    let (mut world, mut driver) = World::new(0, 512, false);
    for _ in 0..5 {
        asked(&mut world, &mut driver, (OUT, 0, &[1; 512], 0));
    }
    let base = world.device.get_vring_base(0).expect("a base");
    assert_eq!({ base.num }, 5);
    driver.ask(IN, 0, &[], 512).expect("memory").expect("room");
    assert_eq!(world.device.next_request().expect("rest"), Next::Nothing, "it rests");
    world.device.set_vring_base(0, base.num).expect("a base");
    world.device.set_vring_kick(0, Some(file(0))).expect("it begins");
    world.work().expect("it works");
    let ended = driver.ended().expect("memory").expect("an answer");
    assert_eq!((ended.status, &ended.data[..]), (0, &[1; 512][..]));
}

/// With the protocol of the frontend, a queue is enabled by a message.
#[test]
fn a_queue_that_is_not_enabled_rests() {
    let (mut world, mut driver) = World::new(1 << 30, 512, false);
    driver.ask(IN, 0, &[], 512).expect("memory").expect("room");
    world.work().expect("it works");
    assert_eq!(driver.ended().expect("memory"), None);
    world.device.set_vring_enable(0, true).expect("enabled");
    world.work().expect("it works");
    assert!(driver.ended().expect("memory").is_some());
    world.device.reset_device().expect("reset");
    assert_eq!(world.device.next_request().expect("rest"), Next::Nothing);
}

#[test]
fn the_configuration_has_zeros_behind_it_and_one_switch() {
    let (mut world, _) = World::new(0, 512, false);
    let flags = VhostUserConfigFlags::empty();
    let all = world.device.get_config(0, 256, flags).expect("bytes");
    assert_eq!((all.len(), all[32]), (256, 1));
    assert!(all[60..].iter().all(|byte| *byte == 0));
    assert_eq!(world.device.get_config(250, 6, flags).expect("bytes"), [0; 6]);
    world.device.set_config(0, &[1; 8], flags).expect_err("the size is fixed");
    world.device.set_config(32, &[2], flags).expect_err("on or off");
    world.device.set_config(32, &[0], flags).expect("off");
    assert_eq!(world.device.get_config(32, 1, flags).expect("bytes"), [0]);
}

/// A connection breaks when some requests have ended, in another order than they came. The next
/// one takes up the others, each once.
#[test]
fn what_was_under_way_is_taken_up_again() {
    let (mut world, mut driver) = World::new(0, 512, false);
    let wanted = VhostUserInflight::new(0, 0, 1, ENTRIES);
    let (kept, file) = world.device.get_inflight_fd(&wanted).expect("memory");
    let copy = || file.try_clone().expect("a file");
    world.attach_again(&driver, Some((&kept, copy())));
    for i in 0..5_u8 {
        driver.ask(OUT, i.into(), &[i + 1; 512], 0).expect("memory").expect("room");
    }
    let taken: Vec<_> = (0..4).map(|_| world.device.next_request().expect("a request")).collect();
    for i in [2, 0] {
        let Next::Asked(request) = &taken[i] else { panic!("{:?}", taken[i]) };
        world.device.complete(request.tag, Ok(Vec::new())).expect("an answer");
    }
    let ended = |driver: &mut Driver| {
        std::iter::from_fn(|| driver.ended().expect("memory")).map(|ended| ended.number).collect()
    };
    let numbers: Vec<u16> = ended(&mut driver);
    assert_eq!(numbers, [2, 0]);
    world.attach_again(&driver, Some((&kept, copy())));
    world.work().expect("it works");
    let numbers: Vec<u16> = ended(&mut driver);
    assert_eq!(numbers, [1, 3, 4], "in their order, and what was never taken behind them");
    let starts: Vec<u64> = world.log.iter().map(|(_, start, ..)| start / 512).collect();
    assert_eq!(starts, [1, 3, 4]);
    assert_eq!(asked(&mut world, &mut driver, (IN, 0, &[], 512)).status, 0);
}

#[test]
fn memory_of_what_is_under_way_must_be_possible() {
    let mut device = Device::new(disk(512));
    for (queues, entries) in [(65, 32), (1, 2048)] {
        let wanted = VhostUserInflight::new(0, 0, queues, entries);
        device.get_inflight_fd(&wanted).map(drop).expect_err("too many");
        device.set_inflight_fd(&wanted, file(1 << 20)).expect_err("too many");
    }
    let kept = VhostUserInflight::new(1 << 20, 0, 8, 1024);
    device.set_inflight_fd(&kept, file(4096)).expect_err("the file is short");
}
