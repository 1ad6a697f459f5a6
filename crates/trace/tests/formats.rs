//! Each format, as its public traces spell it and as others vary it: the same three requests.

use std::io::Cursor;
use trace::{Format, Op, Reader, Request, TraceError};

fn reader(text: &str, format: Option<Format>) -> Result<Reader, TraceError> {
    trace::read("t", Box::new(Cursor::new(text.as_bytes().to_vec())), format)
}

/// All requests of a text whose format is found out.
fn requests(text: &str) -> (Format, Vec<String>, Vec<Request>) {
    let mut reader = reader(text, None).unwrap();
    let list: Vec<Request> = reader.by_ref().collect::<Result<_, _>>().unwrap();
    (reader.format(), reader.devices().names().to_vec(), list)
}

/// What goes wrong in a text of this format.
fn error(format: Format, text: &str) -> TraceError {
    let read = reader(text, Some(format)).and_then(|r| r.collect::<Result<Vec<_>, _>>());
    read.err().unwrap_or_else(|| panic!("`{text}` is accepted as {format}"))
}

type Short = (u64, u32, Op, u64, u64);

fn short(list: &[Request]) -> Vec<Short> {
    list.iter().map(|r| (r.at_ns, r.device, r.op, r.offset, r.len)).collect()
}

/// A read of 4 KiB at 8 KiB, after 1.5 s a write of 8 KiB at 1 MiB on another device.
const TWO: [Short; 2] =
    [(0, 0, Op::Read, 8192, 4096), (1_500_000_000, 1, Op::Write, 1 << 20, 8192)];

#[test]
fn two_requests_in_every_format() {
    let cases = [
        (
            Format::Msr,
            "128166372000000000,usr,0,Read,8192,4096,1500\n\
             128166372015000000,usr,1,Write,1048576,8192,25\n",
        ),
        (Format::Spc, "0,16,4096,R,10.5\n1,2048,8192,w,12.000000,extra,more\n"),
        (
            Format::Systor,
            "Timestamp,Response,IOType,LUN,Offset,Size\n\
             1455592214.112,0.002,R,4,8192,4096\n1455592215.612,,W,1,1048576,8192\n",
        ),
        (
            Format::Alibaba,
            "419,R,8192,4096,1577808000000046\n725,W,1048576,8192,1577808001500046\n",
        ),
        (Format::Mqsim, "11413000 0 16 8 1\n1511413000\t3\t2048\t16\t0\n"),
        (
            Format::Etw,
            "BeginHeader\n DiskRead, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, \
             IOSize, ElapsedTime, DiskNum\nEndHeader\n\
             FileIoRead, 1, x\n\
             DiskRead, 100, sql.exe (12), 7, 0xfffffa80, 0x0000002000, 0x00001000, 1234, 0, x\n\
             DiskWrite, 1500100, sql.exe (12), 7, 0xfffffa80, 0x100000, 0x2000, 1234, 3, x\n",
        ),
        (
            Format::Fiu,
            "89966104003500 4253 nfsd 16 8 R 6 0 6d0e\n\
             89967604003500 33 k d 0 2048 16 W 6 1 5a1f\n",
        ),
        (Format::K5cloud, "v1,10.25,R,8192,4096\nv2,11.75,W,1048576,8192\n"),
        (
            Format::Blkparse,
            "  8,0    3        1     0.000000000   697  Q   R 16 + 8 [kjournald]\n\
               8,0    3        2     0.000000500   697  G   R 16 + 8 [kjournald]\n\
               8,0    3        3     0.000900000     0  C   R 16 + 8 [0]\n\
               8,0    3        4     0.000900000     0  m   N cfq697 insert\n\
               8,16   1       17     1.500000000   697  Q  WS 2048 + 16 [a b]\n\
             CPU3 (8,0):\n Reads Queued:           1,        4KiB\n",
        ),
        (
            Format::Iolog,
            "fio version 3 iolog\n5 /dev/sda add\n5 /dev/sda open\n5 /dev/sda read 8192 4096\n\
             6 /dev/sdb add\n1500005 /dev/sdb write 1048576 8192\n9 /dev/sda close\n",
        ),
        (
            Format::Iolog,
            "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n/dev/sda read 8192 4096\n\
             /dev/sda wait 1000000 0\n/dev/sdb wait 500000 0\n/dev/sdb write 1048576 8192\n",
        ),
    ];
    for (format, text) in cases {
        let (found, devices, list) = requests(text);
        assert_eq!(found, format);
        assert_eq!(short(&list), TWO, "{format}");
        assert_eq!(devices.len(), 2, "{format}");
        // As people save them: with carriage returns, blank lines, a byte order mark.
        let crlf = format!("\u{feff}{}\r\n", text.replace('\n', "\r\n\r\n"));
        assert_eq!(short(&requests(&crlf).2), TWO, "{format} with carriage returns");
        let comments = text.replacen('\n', "\n# a note\n\n", 1);
        assert_eq!(short(&requests(&comments).2), TWO, "{format} with a note");
    }
}

#[test]
fn formats_of_one_device_or_whole_seconds() {
    let (format, _, list) = requests("0.5 R 16 8\n2.0 w 2048 16 x\n");
    assert_eq!(format, Format::Camelab);
    assert_eq!(short(&list), TWO.map(|(at, _, op, offset, len)| (at, 0, op, offset, len)));
    let (format, _, list) = requests("1538323200,16,8,0,1063\n1538323202,2048,16,1,7\n");
    assert_eq!(format, Format::Tencent);
    assert_eq!(short(&list)[1], (2_000_000_000, 1, Op::Write, 1 << 20, 8192));
    let (format, _, list) = requests("2,5633898,28,4096,16\n2,5633898,2A,8192,2048\n2,9,12,0,0\n");
    assert_eq!(format, Format::Vscsi);
    assert_eq!(short(&list)[1], (0, 0, Op::Write, 1 << 20, 8192));
    assert!(format.has_whole_seconds());
}

#[test]
fn recorded_response_times_are_kept() {
    let (_, _, list) = requests("128166372000000000,usr,0,Read,8192,4096,1500\n");
    assert_eq!(list[0].response_ns, Some(150_000));
    let (_, _, list) = requests("1.5,0.002,R,4,8192,4096\n2.5,,W,4,0,512\n");
    assert_eq!(list.iter().map(|r| r.response_ns).collect::<Vec<_>>(), [Some(2_000_000), None]);
}

#[test]
fn trims_and_flushes() {
    let text = "fio version 2 iolog\n/d add\n/d trim 0 8589934592\n/d sync\n/d datasync 0 0\n";
    let (_, _, list) = requests(text);
    let kinds: Vec<(Op, u64)> = list.iter().map(|r| (r.op, r.len)).collect();
    assert_eq!(kinds, [(Op::Trim, 8 << 30), (Op::Flush, 0), (Op::Flush, 0)]);
    let text =
        "8,0 1 1 0.1 1 Q D 8 + 8 [a]\n8,0 1 2 0.2 1 Q FN [b]\n8,0 1 3 0.3 1 Q FWS 8 + 8 [c]\n";
    let (_, _, list) = requests(text);
    assert_eq!(list.iter().map(|r| r.op).collect::<Vec<_>>(), [Op::Trim, Op::Flush, Op::Write]);
}

/// A record of blktrace: the kernel's `struct blk_io_trace`.
fn record(big: bool, at_ns: u64, sector: u64, bytes: u32, action: u32, device: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let mut put = |value: u64, size: usize| {
        let bytes = if big { value.to_be_bytes() } else { value.to_le_bytes() };
        out.extend(if big { &bytes[8 - size..] } else { &bytes[..size] });
    };
    put(0x6561_7407, 4);
    put(1, 4);
    put(at_ns, 8);
    put(sector, 8);
    put(u64::from(bytes), 4);
    put(u64::from(action), 4);
    put(697, 4);
    put(u64::from(device), 4);
    put(3, 4);
    put(0, 2);
    put(4, 2);
    out.extend(b"note");
    out
}

#[test]
fn binary_blktrace_in_both_byte_orders() {
    let (queue_read, queue_write, issue_read) = (0x0011_0001, 0x0012_0001, 0x0041_0007);
    for big in [false, true] {
        let mut bytes = record(big, 7000, 16, 4096, queue_read, 0x0080_0000);
        bytes.extend(record(big, 7100, 16, 4096, issue_read, 0x0080_0000));
        bytes.extend(record(big, 7200, 0, 0, 0x0400_0001, 0));
        bytes.extend(record(big, 1_500_007_000, 2048, 8192, queue_write, 0x0080_0010));
        let whole = trace::read("b", Box::new(Cursor::new(bytes.clone())), None).unwrap();
        assert_eq!(whole.format(), Format::Blktrace);
        assert_eq!(short(&whole.collect::<Result<Vec<_>, _>>().unwrap()), TWO);
        // The recorder was killed: the last record is not whole.
        bytes.truncate(bytes.len() - 20);
        let mut cut = trace::read("b", Box::new(Cursor::new(bytes.clone())), None).unwrap();
        assert_eq!(cut.by_ref().count(), 1);
        assert!(cut.notes().warnings(cut.format()).iter().any(|w| w.contains("within a record")));
        bytes[54] = 0;
        let broken = trace::read("b", Box::new(Cursor::new(bytes)), None).unwrap();
        let error = broken.collect::<Result<Vec<_>, _>>().unwrap_err();
        assert!(error.message.contains("magic") && error.line == Some(2), "{error}");
    }
}

/// A record of a virtual disk, of either version.
fn disk_record(version: u16, time_us: u64, command: u16, bytes: u32, sector: u64) -> Vec<u8> {
    let mut out = Vec::new();
    match version {
        1 => {
            [7, bytes, 1].iter().for_each(|field: &u32| out.extend(field.to_le_bytes()));
            [command, 0x0100].iter().for_each(|field| out.extend(field.to_le_bytes()));
            [sector, time_us].iter().for_each(|field| out.extend(field.to_le_bytes()));
        }
        _ => {
            [command, 0x0203].iter().for_each(|field| out.extend(field.to_le_bytes()));
            [7, bytes, 1].iter().for_each(|field: &u32| out.extend(field.to_le_bytes()));
            [sector, time_us, 250].iter().for_each(|field| out.extend(field.to_le_bytes()));
        }
    }
    out
}

#[test]
fn records_of_virtual_disks_in_both_versions() {
    for version in [1, 2] {
        let one =
            |time_us, command, bytes, sector| disk_record(version, time_us, command, bytes, sector);
        let mut bytes = one(7_000, 0x28, 4096, 16);
        // Test unit ready moves nothing, and a flush has no place.
        bytes.extend(one(7_500, 0x00, 0, 0));
        bytes.extend(one(8_000, 0x35, 512, 99));
        bytes.extend(one(1_507_000, 0x8a, 8192, 2048));
        let mut whole = trace::read("b", Box::new(Cursor::new(bytes.clone())), None).unwrap();
        assert_eq!(whole.format(), Format::VscsiRecords);
        let list = whole.by_ref().collect::<Result<Vec<_>, _>>().unwrap();
        let expected = [
            (0, 0, Op::Read, 8192, 4096),
            (1_000_000, 0, Op::Flush, 0, 0),
            (1_500_000_000, 0, Op::Write, 1 << 20, 8192),
        ];
        assert_eq!(short(&list), expected, "version {version}");
        assert_eq!((whole.notes().others, whole.devices().names().len()), (1, 1));
        // The recorder was killed: the last record is not whole.
        bytes.truncate(bytes.len() - 1);
        let mut cut = trace::read("b", Box::new(Cursor::new(bytes.clone())), None).unwrap();
        assert_eq!(cut.by_ref().count(), 2);
        assert!(cut.notes().warnings(cut.format()).iter().any(|w| w.contains("within a record")));
        // A record of the other version, behind those by which a file is recognised.
        let mut mixed: Vec<u8> = (0..8).flat_map(|i| one(i, 0x2a, 512, i)).collect();
        mixed.extend(disk_record(3 - version, 9, 0x2a, 512, 9));
        mixed.extend([0; 40]);
        let mixed = trace::read("b", Box::new(Cursor::new(mixed)), None).unwrap();
        let error = mixed.collect::<Result<Vec<_>, _>>().unwrap_err();
        assert!(error.line == Some(9) && error.message.contains("not of version"), "{error}");
        let late = one(u64::MAX / 1000 + 1, 0x2a, 512, 9);
        let error = trace::read("b", Box::new(Cursor::new(late)), None).unwrap().next();
        assert!(error.unwrap().unwrap_err().message.contains("too late"));
    }
    let text = "1,2,2a,512,9\n";
    assert!(error(Format::VscsiRecords, text).help.unwrap().contains("--format vscsi"));
}

#[test]
fn nonsense_is_refused_at_its_place() {
    let cases = [
        (Format::Msr, "128,usr,0,Read,8192,4096,1\n128,usr,0,Rxad,0,512,1\n", "2:11", "neither"),
        (Format::Msr, "128,usr,0,Read,-8,4096,1\n", "1:16", "negative"),
        (Format::Msr, "128,usr,0,Read,8\n", "1", "fields"),
        (Format::Spc, "0,18446744073709551615,8192,W,1.5\n", "1", "2^64"),
        (Format::Spc, "0,36028797018963967,8192,W,1.5\n", "1", "2^64"),
        (Format::Spc, "0,99999999999999999999,8192,W,1.5\n", "1:3", "too large"),
        (Format::Spc, "0,1,8192,W,nan\n", "1:12", "not a number"),
        (Format::Systor, "1.0,0.1,R,4,8192,8589934592\n", "1", "one command"),
        (Format::Alibaba, "1,R,0,512,1e99\n", "1:11", "too large"),
        (Format::Tencent, "1,2,3,7,5\n", "1:7", "neither 0 (read) nor 1 (write)"),
        (Format::Mqsim, "1 0 2 8 1\n2 0 2 8\n", "2", "4 fields"),
        (Format::Etw, "DiskRead, 1, p, 7, 0xf, 0xzz, 0x10, 1, 0\n", "1:25", "not a number"),
        (Format::Vscsi, "3,1,28,512,8\n", "1:1", "version"),
        (Format::Fiu, "1 2 p 16 8 R 6\n", "1", "device"),
        (Format::Blkparse, "8,0 1 1 x 1 Q R 16 + 8 [a]\n", "1:9", "not a number"),
        (
            Format::Iolog,
            "fio version 2 iolog\n/d add\n/d raed 0 512\n",
            "3:4",
            "not an iolog action",
        ),
        (Format::Iolog, "fio version 9 iolog\n", "1:13", "not known"),
        (Format::Iolog, "/d add\n", "1", "first line"),
        (Format::Iolog, "fio version 3 iolog\n1 /d wait 5\n", "2:6", "not an iolog action"),
    ];
    for (format, text, place, message) in cases {
        let error = error(format, text);
        assert_eq!(error.place(), format!("t:{place}"), "{format}: {error}");
        assert!(error.message.contains(message), "{format}: {error}");
    }
}

#[test]
fn what_is_no_trace_is_refused_with_a_help() {
    let cases: [(&[u8], &str); 6] = [
        (b"", "empty"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"\x00\x01\x02\x03", "binary"),
        (b"hello world\nhow are you\n", "not recognised"),
        (b"[job]\nrw=read\nbs=4k\n", "not recognised"),
        (b"# only a note\n", "not recognised"),
    ];
    for (bytes, message) in cases {
        let error = trace::read("t", Box::new(Cursor::new(bytes.to_vec())), None).unwrap_err();
        assert!(error.message.contains(message) && error.help.is_some(), "{error}");
        assert!(!trace::looks_like_a_trace(bytes));
    }
    let heading = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n";
    assert!(error(Format::Msr, heading).message.contains("no request"));
}

#[test]
fn odd_requests_are_counted_and_reported() {
    let text = "10 0 0 8 1\n50 0 8 0 1\n30 0 16 8 0\n20 0 24 8 0\n";
    let mut reader = reader(text, None).unwrap();
    let list: Vec<Request> = reader.by_ref().map(Result::unwrap).collect();
    assert_eq!(list.iter().map(|r| r.at_ns).collect::<Vec<_>>(), [0, 10, 20]);
    let notes = reader.notes();
    assert_eq!((notes.empty, notes.reordered, notes.late), (1, 1, 0));
    assert_eq!(notes.warnings(reader.format()).len(), 2);
}

#[test]
fn names_of_formats_are_read_back() {
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(*format));
    }
    assert!("msrc".parse::<Format>().unwrap_err().contains("alibaba"));
}

/// JEDEC's client traces have no times, and a mark before each word.
#[test]
fn a_client_trace_of_jedec_has_writes_trims_and_flushes() {
    let text = "#Write 2048 16\n Write 16 8\n Trims 2048 16\n Flush\n";
    let text = text.replacen('#', "*", 1);
    let (format, devices, list) = requests(&text);
    assert_eq!((format, devices.len()), (Format::Jesd219, 1));
    assert_eq!(
        short(&list),
        [
            (0, 0, Op::Write, 1 << 20, 8192),
            (0, 0, Op::Write, 8192, 4096),
            (0, 0, Op::Trim, 1 << 20, 8192),
            (0, 0, Op::Flush, 0, 0),
        ]
    );
    for (text, why) in [
        ("Write 16\n", "2"),
        ("Read 16 8\n", "`Read` is no command"),
        ("Flush 1 2\n", "3"),
        ("Write 16 99999999\n", "99999999 sectors"),
        ("Write x 8\n", "x"),
    ] {
        // A first line of another kind is a title.
        let error = error(Format::Jesd219, &format!("Write 16 8\n{text}"));
        assert!(error.to_string().contains(why), "{text}: {error}");
    }
}
