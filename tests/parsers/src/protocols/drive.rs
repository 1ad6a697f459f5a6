//! A drive of which only the sizes of namespaces are known.

use nvme::Backend;
use nvme::backend::{
    Erase, Facts, Health, Namespace, PowerState, Refusal, Sanitize, SanitizeKinds,
};
use std::collections::BTreeMap;

const BYTES: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct Drive {
    facts: Facts,
    namespaces: BTreeMap<u32, Namespace>,
}

impl Drive {
    /// A drive whose one namespace is all of it.
    pub(super) fn new() -> Self {
        let state = |idle| PowerState { centiwatts: 100, entry_us: 0, exit_us: 0, idle };
        let facts = Facts {
            model: "Drive".to_owned(),
            serial: "S1".to_owned(),
            firmware: "1".to_owned(),
            total_bytes: BYTES,
            formats: vec![512, 4096],
            most_namespaces: 4,
            volatile_cache: true,
            power_states: vec![state(false), state(true)],
            warning_kelvin: 343,
            critical_kelvin: 358,
            sanitize: SanitizeKinds { crypto: true, block: true, overwrite: true },
            crypto_erase: true,
            ocp: true,
            self_test_minutes: Some(1),
        };
        let mut drive = Drive { facts, namespaces: BTreeMap::new() };
        let whole = drive.create(BYTES, 0).and_then(|nsid| drive.attach(nsid, true));
        assert_eq!(whole, Ok(()));
        drive
    }

    /// Bytes of a namespace; 0 if there is none.
    pub(super) fn bytes_of(&self, nsid: u32) -> u64 {
        self.namespaces.get(&nsid).map_or(0, |namespace| namespace.bytes)
    }

    fn find(&mut self, nsid: u32) -> Result<&mut Namespace, Refusal> {
        self.namespaces.get_mut(&nsid).ok_or(Refusal::Unknown)
    }
}

impl Backend for Drive {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn health(&self, _now: u64) -> Health {
        Health { kelvin: 310, spare: 100, spare_threshold: 10, ..Health::default() }
    }

    fn namespaces(&self) -> Vec<Namespace> {
        self.namespaces.values().copied().collect()
    }

    fn set_power_state(&mut self, state: u8) {
        assert!(usize::from(state) < self.facts.power_states.len());
    }

    fn set_write_cache(&mut self, _on: bool) {}

    fn create(&mut self, bytes: u64, format: u8) -> Result<u32, Refusal> {
        assert!(usize::from(format) < self.facts.formats.len());
        let held: u64 = self.namespaces.values().map(|namespace| namespace.bytes).sum();
        if bytes == 0 || !bytes.is_multiple_of(4096) {
            return Err(Refusal::Size);
        }
        if bytes > BYTES - held {
            return Err(Refusal::Capacity);
        }
        let free = (1..=self.facts.most_namespaces).find(|id| !self.namespaces.contains_key(id));
        let nsid = free.ok_or(Refusal::Identifiers)?;
        let (used_bytes, attached, nguid) = (0, false, [1; 16]);
        let namespace = Namespace { nsid, bytes, format, used_bytes, attached, nguid };
        self.namespaces.insert(nsid, namespace);
        Ok(nsid)
    }

    fn delete(&mut self, nsid: u32) -> Result<(), Refusal> {
        self.namespaces.remove(&nsid).map(drop).ok_or(Refusal::Unknown)
    }

    fn attach(&mut self, nsid: u32, attached: bool) -> Result<(), Refusal> {
        let namespace = self.find(nsid)?;
        if namespace.attached == attached {
            return Err(if attached { Refusal::Attached } else { Refusal::Detached });
        }
        namespace.attached = attached;
        Ok(())
    }

    fn format(&mut self, nsid: u32, format: u8, _erase: Erase) -> Result<u64, Refusal> {
        assert!(usize::from(format) < self.facts.formats.len());
        self.find(nsid)?.format = format;
        Ok(1000)
    }

    fn begin_sanitize(&mut self, _how: Sanitize) -> Result<u64, Refusal> {
        Ok(5000)
    }

    fn end_sanitize(&mut self) -> bool {
        true
    }

    fn begin_self_test(&mut self, _extended: bool) -> Result<u64, Refusal> {
        Ok(2000)
    }

    fn end_self_test(&mut self) -> bool {
        true
    }
}
