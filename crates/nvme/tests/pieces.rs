//! Bytes mean the same however they are cut, and no bytes do harm.

use crate::common::{MemoryDrive, NAME};
use crate::malformed::{command, data, long_write, open};
use nvme::tcp::Fault;
use nvme::{Io, Target};
use proptest::prelude::*;

/// What a target said and wanted.
#[derive(Debug, PartialEq)]
struct Said {
    out: Vec<u8>,
    ios: Vec<Io>,
    fault: Option<Fault>,
}

/// What a connection may hold: commands with their data, and transfers under way.
const BOUND: usize = 32 * (8192 + 64) + (8 << 20) + (1 << 20);

/// More than any conversation here is answered with.
const MOST_SAID: usize = 64 << 20;

/// Feeds pieces of these lengths, in turn.
fn in_pieces(bytes: &[u8], lens: &[usize]) -> Said {
    let place = "192.0.2.7:4420".parse().expect("an address");
    let mut target = Target::new(MemoryDrive::new(1 << 20), NAME, place);
    target.open(0, None);
    let (mut rest, mut lens) = (bytes, lens.iter().cycle());
    let mut said = Said { out: Vec::new(), ios: Vec::new(), fault: None };
    while !rest.is_empty() {
        let (mut piece, more) = rest.split_at((*lens.next().expect("a cycle")).min(rest.len()));
        rest = more;
        while !piece.is_empty() {
            said.fault = said.fault.or(target.receive(0, &mut piece, 7).err());
            assert!(target.buffered(0) <= BOUND);
            while let Some(io) = target.next_io() {
                let data = target.back_mut().carry_out(&io);
                target.complete(io.ticket, Ok(data));
                said.ios.push(io);
            }
            said.out.append(target.output(0).expect("it is open"));
            assert!(said.out.len() <= MOST_SAID);
        }
    }
    said
}

/// Connect with its data, then enable.
fn connected(qid: u8) -> Vec<u8> {
    let mut page = vec![0; 1024];
    page[16..18].copy_from_slice(&if qid == 0 { [0xff, 0xff] } else { [1, 0] });
    page[256..256 + NAME.len()].copy_from_slice(NAME.as_bytes());
    page[512..521].copy_from_slice(b"nqn.host1");
    let mut connect = command(0x7f, 0, &page);
    (connect[12], connect[8 + 42], connect[8 + 44]) = (1, qid, 31);
    let mut enable = command(0x7f, 1, &[]);
    (enable[8 + 44], enable[8 + 48]) = (0x14, 1);
    [open(0), connect, enable].concat()
}

fn any_command() -> impl Strategy<Value = Vec<u8>> {
    let opcode = prop_oneof![
        Just(0x02_u8),
        Just(0x06),
        Just(0x09),
        Just(0x0a),
        Just(0x0c),
        Just(0x0d),
        Just(0x14),
        Just(0x15),
        Just(0x80),
        Just(0x84),
        any::<u8>()
    ];
    let dwords = (0..3_u32, prop_oneof![0..0x90_u32, any::<u32>()], 0..4_u32);
    let payload = prop_oneof![3 => Just(0_usize), 1 => Just(4096), 1 => 1..200_usize];
    (opcode, any::<u16>(), dwords, payload).prop_map(|(opcode, cid, (nsid, ten, eleven), len)| {
        let mut pdu = command(opcode, cid, &vec![0; len]);
        pdu[12..16].copy_from_slice(&nsid.to_le_bytes());
        pdu[48..52].copy_from_slice(&ten.to_le_bytes());
        pdu[52..56].copy_from_slice(&eleven.to_le_bytes());
        if len == 0 {
            pdu[40..44].copy_from_slice(&4096_u32.to_le_bytes());
            pdu[47] = 0x5a;
        }
        pdu
    })
}

fn conversation() -> impl Strategy<Value = Vec<u8>> {
    let transfer = (1..9_u32).prop_map(|units| {
        let (bytes, half) = (vec![1; 1024 * units as usize], 512 * units as usize);
        let last = units * 512;
        [
            long_write(3, units * 1024),
            data(3, 1, 0, &bytes[..half], false),
            data(3, 1, last, &bytes[half..], true),
        ]
        .concat()
    });
    let commands = proptest::collection::vec(any_command(), 0..8).prop_map(|all| all.concat());
    (transfer, commands).prop_map(|(transfer, all)| [connected(0), transfer, all].concat())
}

fn broken_conversation() -> impl Strategy<Value = Vec<u8>> {
    let changes = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    (conversation(), changes).prop_map(|(mut bytes, changes)| {
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    })
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 128, failure_persistence: None, ..Default::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn one_byte_at_a_time_says_the_same(bytes in broken_conversation()) {
        prop_assert_eq!(in_pieces(&bytes, &[1]), in_pieces(&bytes, &[usize::MAX]));
    }

    #[test]
    fn any_cut_says_the_same(
        bytes in conversation(),
        lens in proptest::collection::vec(1..2000_usize, 1..8),
    ) {
        prop_assert_eq!(in_pieces(&bytes, &lens), in_pieces(&bytes, &[usize::MAX]));
    }

    #[test]
    fn no_bytes_do_harm(
        ready in any::<bool>(),
        noise in proptest::collection::vec(any::<u8>(), 0..2000),
    ) {
        let bytes = if ready { [connected(0), noise].concat() } else { noise };
        in_pieces(&bytes, &[97]);
    }
}
