//! A drive in memory.

use nvme::backend::{
    Erase, Facts, Health, Namespace, PowerState, Refusal, Sanitize, SanitizeKinds,
};
use nvme::{Backend, Io, IoOp};
use std::collections::BTreeMap;

/// Nanoseconds of what takes time.
pub const FORMAT: u64 = 1000;
pub const SANITIZE: u64 = 5000;
pub const SELF_TEST: u64 = 2000;

#[derive(Debug)]
pub struct MemoryDrive {
    pub facts: Facts,
    pub health: Health,
    pub namespaces: BTreeMap<u32, (Namespace, Vec<u8>)>,
    pub power_state: u8,
    pub write_cache: bool,
    pub sanitize_works: bool,
    pub self_test_works: bool,
    pub last_sanitize: Option<Sanitize>,
    created: u8,
}

fn facts(total_bytes: u64) -> Facts {
    let state = |centiwatts, idle| PowerState { centiwatts, entry_us: 10, exit_us: 20, idle };
    Facts {
        model: "Modelled drive".to_owned(),
        serial: "S123".to_owned(),
        firmware: "1.0".to_owned(),
        total_bytes,
        formats: vec![512, 4096],
        most_namespaces: 8,
        volatile_cache: true,
        power_states: vec![state(2500, false), state(1400, false), state(5, true)],
        warning_kelvin: 343,
        critical_kelvin: 358,
        sanitize: SanitizeKinds { crypto: true, block: true, overwrite: true },
        crypto_erase: true,
        ocp: true,
        self_test_minutes: Some(30),
    }
}

impl MemoryDrive {
    /// A drive whose one namespace is all of it.
    pub fn new(bytes: u64) -> Self {
        let mut drive = MemoryDrive::empty(bytes);
        let nsid = drive.create(bytes, 0).expect("a namespace");
        drive.attach(nsid, true).expect("attached");
        drive
    }

    pub fn empty(bytes: u64) -> Self {
        let spare = 100;
        MemoryDrive {
            facts: facts(bytes),
            health: Health { kelvin: 310, spare, spare_threshold: 10, ..Health::default() },
            namespaces: BTreeMap::new(),
            power_state: 0,
            write_cache: true,
            sanitize_works: true,
            self_test_works: true,
            last_sanitize: None,
            created: 0,
        }
    }

    /// Carries out a command for data.
    pub fn carry_out(&mut self, io: &Io) -> Vec<u8> {
        let (_, bytes) = self.namespaces.get_mut(&io.nsid).expect("a namespace");
        let range = |start: u64, len: u64| start as usize..(start + len) as usize;
        match &io.op {
            IoOp::Read => return bytes[range(io.start, io.len)].to_vec(),
            IoOp::Write(data) => bytes[range(io.start, io.len)].copy_from_slice(data),
            IoOp::WriteZeroes { .. } => bytes[range(io.start, io.len)].fill(0),
            IoOp::Deallocate(ranges) => {
                ranges.iter().for_each(|one| bytes[range(one.start, one.len)].fill(0));
            }
            IoOp::Flush => {}
        }
        Vec::new()
    }

    fn held(&self) -> u64 {
        self.namespaces.values().map(|(namespace, _)| namespace.bytes).sum()
    }
}

impl Backend for MemoryDrive {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn health(&self, _now: u64) -> Health {
        self.health.clone()
    }

    fn namespaces(&self) -> Vec<Namespace> {
        self.namespaces.values().map(|(namespace, _)| *namespace).collect()
    }

    fn set_power_state(&mut self, state: u8) {
        self.power_state = state;
    }

    fn set_write_cache(&mut self, on: bool) {
        self.write_cache = on;
    }

    fn create(&mut self, bytes: u64, format: u8) -> Result<u32, Refusal> {
        if bytes == 0 || !bytes.is_multiple_of(4096) {
            return Err(Refusal::Size);
        }
        if bytes > self.facts.total_bytes - self.held() {
            return Err(Refusal::Capacity);
        }
        let free = (1..=self.facts.most_namespaces).find(|id| !self.namespaces.contains_key(id));
        let nsid = free.ok_or(Refusal::Identifiers)?;
        self.created = self.created.wrapping_add(1);
        let nguid = [self.created; 16];
        let (used_bytes, attached) = (0, false);
        let namespace = Namespace { nsid, bytes, format, used_bytes, attached, nguid };
        self.namespaces.insert(nsid, (namespace, vec![0; bytes as usize]));
        Ok(nsid)
    }

    fn delete(&mut self, nsid: u32) -> Result<(), Refusal> {
        self.namespaces.remove(&nsid).map(drop).ok_or(Refusal::Unknown)
    }

    fn attach(&mut self, nsid: u32, attached: bool) -> Result<(), Refusal> {
        let (namespace, _) = self.namespaces.get_mut(&nsid).ok_or(Refusal::Unknown)?;
        if namespace.attached == attached {
            return Err(if attached { Refusal::Attached } else { Refusal::Detached });
        }
        namespace.attached = attached;
        Ok(())
    }

    fn format(&mut self, nsid: u32, format: u8, _erase: Erase) -> Result<u64, Refusal> {
        let (namespace, bytes) = self.namespaces.get_mut(&nsid).ok_or(Refusal::Unknown)?;
        namespace.format = format;
        bytes.fill(0);
        Ok(FORMAT)
    }

    fn begin_sanitize(&mut self, how: Sanitize) -> Result<u64, Refusal> {
        self.last_sanitize = Some(how);
        self.namespaces.values_mut().for_each(|(_, bytes)| bytes.fill(0));
        Ok(SANITIZE)
    }

    fn end_sanitize(&mut self) -> bool {
        self.sanitize_works
    }

    fn begin_self_test(&mut self, _extended: bool) -> Result<u64, Refusal> {
        Ok(SELF_TEST)
    }

    fn end_self_test(&mut self) -> bool {
        self.self_test_works
    }
}
