//! The initiator against a target of which every byte is written here.

use nvme::Sqe;
use nvme::initiator::{InitiatorError, Options, Queue};
use std::io::{self, Cursor, Read, Write};

/// A target that says what it says, whatever it is told.
struct Script(Cursor<Vec<u8>>);

impl Read for Script {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl Write for Script {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Data for the first command, which the header says is `told` bytes long.
fn data(told: u32, sent: usize) -> Vec<u8> {
    let mut pdu = vec![0; 24];
    (pdu[0], pdu[2], pdu[3]) = (7, 24, 24);
    pdu[4..8].copy_from_slice(&(24 + told).to_le_bytes());
    pdu[16..20].copy_from_slice(&told.to_le_bytes());
    pdu.resize(24 + sent, 9);
    pdu
}

/// What a read of 512 bytes comes to when the target says this.
fn read(says: Vec<u8>) -> InitiatorError {
    let mut opening = vec![0; 128];
    (opening[0], opening[2], opening[4]) = (1, 128, 128);
    let script = Script(Cursor::new([opening, says].concat()));
    let mut queue = Queue::open(script, Options::default()).expect("a handshake");
    queue.call(Sqe::new(2, 1), &[], 512).expect_err("no answer")
}

#[test]
fn more_data_than_there_is_room_for_is_refused() {
    let refused = "more data than there is room for";
    assert!(read(data(1024, 1024)).to_string().contains(refused));
    // What fits is taken; then the target is gone.
    assert!(matches!(read(data(512, 512)), InitiatorError::Io(_)));
}

#[test]
fn a_target_that_is_gone_in_the_middle_is_gone() {
    let error = read(data(60 << 20, 100));
    assert!(matches!(&error, InitiatorError::Io(io) if io.kind() == io::ErrorKind::UnexpectedEof));
}
