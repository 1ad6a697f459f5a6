//! One drive below all fronts: what a host does to it by one of them holds for clients of the
//! others, and what the drive does of itself is nobody's request.

use crate::common::wire::{self, queue, tcp};
use crate::sockets::{Served, until};
use nvme::initiator::Queue;
use serve::control::Action;
use std::net::TcpStream;

/// Offset of the configuration of a controller, and its value at an announced shutdown.
const CONFIGURATION: u32 = 0x14;
const SHUTDOWN: u32 = 0x0046_4001;

fn admin(served: &Served) -> Queue<TcpStream> {
    queue(tcp(served.place), 0, None).0
}

/// State and progress of the last sanitize: 1 has succeeded, 2 is running; bit 8 says that nothing
/// was written since.
fn sanitized(admin: &mut Queue<TcpStream>) -> u16 {
    let log = admin.log_page(0x81, 512).expect("the sanitize log");
    u16::from_le_bytes([log[2], log[3]])
}

fn cut(served: &Served) -> u64 {
    let order = |action| assert_eq!(served.order(action).error, None);
    order(Action::CutPower { after_writes: 0, within_writes: 0 });
    order(Action::Restore);
    served.order(Action::Health).state.drives[0].unsafe_shutdowns
}

#[test]
fn a_drive_that_is_sanitized_is_closed_to_all_clients() {
    let served = Served::new("p4510");
    let (mut client, mut admin) = (served.client(), admin(&served));
    client.write(1 << 20, &[5; 4096], false).expect("written");
    admin.sanitize(2, 0).expect("begun");
    assert!(client.read(1 << 20, 4096).is_err(), "reads are refused");
    assert!(client.write(1 << 20, &[6; 4096], false).is_err(), "and writes");
    until("it is sanitized", || sanitized(&mut admin) & 7 == 1);
    assert_eq!(sanitized(&mut admin), 1 | 1 << 8, "nothing was written since");
    assert_eq!(client.read(1 << 20, 4096).expect("read"), [0; 4096]);
    client.write(1 << 20, &[7; 4096], false).expect("written");
    assert_eq!(sanitized(&mut admin), 1, "somebody has written since");
}

#[test]
fn what_a_format_gives_up_is_no_request_of_a_client() {
    let served = Served::new("p4510");
    let (mut client, mut admin) = (served.client(), admin(&served));
    client.write(1 << 20, &[5; 4096], false).expect("written");
    admin.send_format(1, 1 << 9).expect("sent");
    // It comes over another socket: a write may overtake it.
    let mut overtook = 0;
    until("it is closed", || {
        let is_closed = client.write(1 << 20, &[6; 4096], false).is_err();
        overtook += u64::from(!is_closed);
        is_closed
    });
    admin.receive().expect("formatted");
    assert_eq!(client.read(1 << 20, 4096).expect("read"), [0; 4096]);
    let state = served.order(Action::Health).state;
    assert!(!state.requests.contains_key("trim"), "{:?}", state.requests);
    let asked: u64 = state.requests.values().map(|of| of.requests).sum();
    // The write that was refused was answered.
    assert_eq!((asked, state.lateness.answers), (2 + overtook, 3 + overtook));
}

#[test]
fn a_loss_of_power_that_was_announced_is_a_safe_one() {
    let served = Served::new("p4510");
    let mut first = admin(&served);
    assert_eq!(cut(&served), 1, "nobody has said anything");
    drop(first);
    first = admin(&served);
    first.set_property(CONFIGURATION, SHUTDOWN).expect("said");
    assert_eq!(cut(&served), 1, "it was announced");
    let (mut host, controller) = queue(tcp(served.place), 0, None);
    host.set_property(CONFIGURATION, SHUTDOWN).expect("said");
    host.set_property(CONFIGURATION, SHUTDOWN & !(3 << 14)).expect("and taken back");
    wire::nvme_data(&served, controller, usize::MAX);
    assert_eq!(cut(&served), 2, "data came after it");
}

#[test]
fn what_hosts_have_set_is_gone_after_a_loss_of_power() {
    let served = Served::new("p4510");
    let mut host = admin(&served);
    host.set_feature(6, 0, 0).expect("the write cache is off");
    cut(&served);
    let mut again = admin(&served);
    assert_eq!(again.feature(6, 0, 0, 0).expect("got"), 1, "the default");
}

#[test]
fn power_fails_within_so_many_writes() {
    let served = Served::new("p4510");
    for _ in 0..4 {
        let order = Action::CutPower { after_writes: 0, within_writes: 8 };
        assert_eq!(served.order(order).error, None);
        let mut client = served.client();
        let writes = (0..16).take_while(|at| client.write(at << 12, &[1; 4096], false).is_ok());
        assert!(writes.count() <= 8);
        assert_eq!(served.order(Action::Restore).error, None);
    }
}
