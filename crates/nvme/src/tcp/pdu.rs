//! The shape of PDUs.

use super::fault::Fault;
use crate::wire::{array, len32, put, size, u32_at};

/// Bytes of the header that all PDUs have.
pub(crate) const COMMON_LEN: usize = 8;

/// Kinds of PDUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    ConnectionRequest = 0,
    ConnectionResponse = 1,
    HostTerminates = 2,
    TargetTerminates = 3,
    Command = 4,
    Response = 5,
    HostData = 6,
    TargetData = 7,
    ReadyToTransfer = 9,
}

/// Bits of the flags.
pub(crate) const HEADER_DIGEST: u8 = 1;
pub(crate) const DATA_DIGEST: u8 = 2;
pub(crate) const LAST: u8 = 4;

/// What the two sides agreed on about digests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Digests {
    pub header: bool,
    pub data: bool,
}

/// CRC-32C of some bytes.
pub(crate) fn digest(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes)
}

impl Kind {
    pub(crate) fn of(byte: u8) -> Option<Kind> {
        Some(match byte {
            0 => Kind::ConnectionRequest,
            1 => Kind::ConnectionResponse,
            2 => Kind::HostTerminates,
            3 => Kind::TargetTerminates,
            4 => Kind::Command,
            5 => Kind::Response,
            6 => Kind::HostData,
            7 => Kind::TargetData,
            9 => Kind::ReadyToTransfer,
            _ => return None,
        })
    }

    /// Bytes of the header.
    pub(crate) fn header_len(self) -> usize {
        match self {
            Kind::ConnectionRequest | Kind::ConnectionResponse => 128,
            Kind::Command => 72,
            _ => 24,
        }
    }

    /// Digests are only about PDUs after the handshake.
    fn has_digests(self) -> bool {
        !matches!(
            self,
            Kind::ConnectionRequest
                | Kind::ConnectionResponse
                | Kind::HostTerminates
                | Kind::TargetTerminates
        )
    }
}

/// The common header of a PDU, checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub kind: Kind,
    pub flags: u8,
    /// Where the data begins, and its bytes.
    pub data: (usize, usize),
    /// Bytes of all of it.
    pub len: usize,
    header_digest: bool,
    data_digest: bool,
}

fn wrong<T>(offset: u32, why: &'static str) -> Result<T, Fault> {
    Err(Fault::Header { offset, why })
}

impl Head {
    /// Checks a common header. `longest` is the most data that a PDU of the kind may carry.
    pub(crate) fn parse(
        bytes: &[u8],
        digests: Digests,
        longest: impl Fn(Kind) -> u32,
    ) -> Result<Head, Fault> {
        let [kind, flags, header_len, offset] = array(bytes, 0);
        let len = u32_at(bytes, 4);
        let kind = Kind::of(kind).ok_or(Fault::Kind(kind))?;
        if usize::from(header_len) != kind.header_len() {
            return wrong(2, "the length of the header is not that of the kind");
        }
        let header_digest = kind.has_digests() && digests.header;
        if kind.has_digests() && (flags & HEADER_DIGEST != 0) != header_digest {
            return wrong(1, "the flag of the header digest is not what was agreed on");
        }
        let whole = kind.header_len() + if header_digest { 4 } else { 0 };
        let most = whole + size(longest(kind)) + usize::from(u8::MAX) + 4;
        let len = size(len);
        if len < whole || len > most || (longest(kind) == 0 && len != whole) {
            return wrong(4, "the length of the PDU is not one of its kind");
        }
        if len == whole || !kind.has_digests() {
            let data = (kind.header_len(), len - whole);
            return Ok(Head { kind, flags, data, len, header_digest, data_digest: false });
        }
        let data_digest = digests.data;
        if (flags & DATA_DIGEST != 0) != data_digest {
            return wrong(1, "the flag of the data digest is not what was agreed on");
        }
        let (start, end) = (usize::from(offset), len - if data_digest { 4 } else { 0 });
        if start < whole || start > end || !start.is_multiple_of(4) {
            return wrong(3, "the data begins outside the PDU");
        }
        if end - start > size(longest(kind)) {
            return Err(Fault::DataLimit(len32(end - start)));
        }
        Ok(Head { kind, flags, data: (start, end - start), len, header_digest, data_digest })
    }

    /// Checks the digest of the header of the whole PDU.
    pub(crate) fn check_header(&self, pdu: &[u8]) -> Result<(), Fault> {
        if !self.header_digest {
            return Ok(());
        }
        let header = self.kind.header_len();
        let (due, found) = (digest(&pdu[..header]), u32_at(pdu, header));
        if due == found { Ok(()) } else { Err(Fault::HeaderDigest { found, due }) }
    }

    /// The data of the whole PDU.
    pub(crate) fn data<'a>(&self, pdu: &'a [u8]) -> &'a [u8] {
        &pdu[self.data.0..self.data.0 + self.data.1]
    }

    /// Whether the digest of the data is right.
    pub(crate) fn data_is_whole(&self, pdu: &[u8]) -> bool {
        !self.data_digest || digest(self.data(pdu)) == u32_at(pdu, self.data.0 + self.data.1)
    }
}

/// Adds a PDU. `header` is what follows the common header; `align` is what the offset of the data
/// must be a multiple of.
pub(crate) fn build(
    out: &mut Vec<u8>,
    (kind, flags): (Kind, u8),
    header: &[u8],
    data: &[u8],
    (digests, align): (Digests, usize),
) {
    let digests = if kind.has_digests() { digests } else { Digests::default() };
    let mut bytes = vec![0; kind.header_len()];
    let with_digest = bytes.len() + if digests.header { 4 } else { 0 };
    let data_digest = digests.data && !data.is_empty();
    let offset = if data.is_empty() { 0 } else { with_digest.next_multiple_of(align.max(1)) };
    let len = offset.max(with_digest) + data.len() + if data_digest { 4 } else { 0 };
    let flags = flags
        | if digests.header { HEADER_DIGEST } else { 0 }
        | if data_digest { DATA_DIGEST } else { 0 };
    let header_len = u8::try_from(bytes.len()).unwrap_or(u8::MAX);
    let offset_byte = u8::try_from(offset).unwrap_or(u8::MAX);
    put(&mut bytes, 0, &[kind as u8, flags, header_len, offset_byte]);
    put(&mut bytes, 4, &len32(len).to_le_bytes());
    put(&mut bytes, COMMON_LEN, header);
    let check = digest(&bytes);
    out.extend_from_slice(&bytes);
    if digests.header {
        out.extend_from_slice(&check.to_le_bytes());
    }
    out.resize(out.len() + offset.saturating_sub(with_digest), 0);
    out.extend_from_slice(data);
    if data_digest {
        out.extend_from_slice(&digest(data).to_le_bytes());
    }
}
