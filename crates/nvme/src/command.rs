//! A submission queue entry.

use crate::wire::{array, put, u16_at, u32_at, u64_at};

/// Bytes of a submission queue entry.
pub(crate) const SQE_LEN: usize = 64;

/// A submission queue entry: a command as the host sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sqe(pub [u8; SQE_LEN]);

/// Which way the data of a command goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    None,
    FromHost,
    ToHost,
}

/// The two forms of an SGL descriptor that NVMe/TCP has.
pub(crate) const SGL_IN_CAPSULE: u8 = 0x01;
/// The data comes or goes in PDUs of its own.
pub(crate) const SGL_TRANSPORT: u8 = 0x5a;

/// Opcodes of the administrator.
pub(crate) mod admin {
    pub(crate) const GET_LOG_PAGE: u8 = 0x02;
    pub(crate) const IDENTIFY: u8 = 0x06;
    pub(crate) const ABORT: u8 = 0x08;
    pub(crate) const SET_FEATURES: u8 = 0x09;
    pub(crate) const GET_FEATURES: u8 = 0x0a;
    pub(crate) const ASYNC_EVENT: u8 = 0x0c;
    pub(crate) const NAMESPACE_MANAGEMENT: u8 = 0x0d;
    pub(crate) const SELF_TEST: u8 = 0x14;
    pub(crate) const NAMESPACE_ATTACHMENT: u8 = 0x15;
    pub(crate) const KEEP_ALIVE: u8 = 0x18;
    pub(crate) const FORMAT: u8 = 0x80;
    pub(crate) const SANITIZE: u8 = 0x84;
}

/// Opcodes for data.
pub(crate) mod nvm {
    pub(crate) const FLUSH: u8 = 0x00;
    pub(crate) const WRITE: u8 = 0x01;
    pub(crate) const READ: u8 = 0x02;
    pub(crate) const WRITE_ZEROES: u8 = 0x08;
    pub(crate) const DATASET_MANAGEMENT: u8 = 0x09;
}

/// Commands of the fabrics.
pub(crate) mod fabrics {
    pub(crate) const OPCODE: u8 = 0x7f;
    pub(crate) const PROPERTY_SET: u8 = 0x00;
    pub(crate) const CONNECT: u8 = 0x01;
    pub(crate) const PROPERTY_GET: u8 = 0x04;
    pub(crate) const DISCONNECT: u8 = 0x08;
}

impl Sqe {
    /// A command without data; the identifier is set when it is sent.
    pub fn new(opcode: u8, nsid: u32) -> Sqe {
        let mut sqe = Sqe([0; SQE_LEN]);
        sqe.0[0] = opcode;
        // SGLs are the only way to name data over fabrics.
        sqe.0[1] = 1 << 6;
        put(&mut sqe.0, 4, &nsid.to_le_bytes());
        sqe
    }

    /// The same with one dword set.
    #[must_use]
    pub fn with(mut self, dword: usize, value: u32) -> Sqe {
        put(&mut self.0, dword * 4, &value.to_le_bytes());
        self
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> Sqe {
        Sqe(array(bytes, 0))
    }

    /// The operation.
    pub fn opcode(&self) -> u8 {
        self.0[0]
    }

    /// The command of the fabrics, if the opcode is that of fabrics.
    pub(crate) fn fabrics_type(&self) -> u8 {
        self.0[4]
    }

    /// The host's name for the command.
    pub fn cid(&self) -> u16 {
        u16_at(&self.0, 2)
    }

    pub(crate) fn set_cid(&mut self, cid: u16) {
        put(&mut self.0, 2, &cid.to_le_bytes());
    }

    /// The namespace.
    pub fn nsid(&self) -> u32 {
        self.dword(1)
    }

    /// A dword by its number.
    pub fn dword(&self, number: usize) -> u32 {
        u32_at(&self.0, number * 4)
    }

    /// Dwords 10 and 11.
    pub(crate) fn lba(&self) -> u64 {
        u64_at(&self.0, 40)
    }

    pub(crate) fn is_fused(&self) -> bool {
        self.0[1] & 3 != 0
    }

    pub(crate) fn uses_sgl(&self) -> bool {
        self.0[1] >> 6 == 1
    }

    pub(crate) fn sgl_address(&self) -> u64 {
        u64_at(&self.0, 24)
    }

    /// Bytes that the host sends or takes.
    pub(crate) fn sgl_len(&self) -> u32 {
        u32_at(&self.0, 32)
    }

    pub(crate) fn sgl_kind(&self) -> u8 {
        self.0[39]
    }

    pub(crate) fn set_sgl(&mut self, len: u32, kind: u8) {
        put(&mut self.0, 32, &len.to_le_bytes());
        self.0[39] = kind;
    }

    /// The opcode says which way data goes.
    pub(crate) fn direction(&self) -> Direction {
        let fabrics = self.opcode() == fabrics::OPCODE;
        let opcode = if fabrics { self.fabrics_type() } else { self.opcode() };
        match opcode & 3 {
            1 => Direction::FromHost,
            2 => Direction::ToHost,
            _ => Direction::None,
        }
    }
}
