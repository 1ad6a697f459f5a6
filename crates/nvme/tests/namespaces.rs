//! Namespaces come and go.

use crate::common::{self, MemoryDrive, number, status};
use nvme::{Sqe, Status};
use proptest::prelude::*;
use std::collections::BTreeMap;

#[test]
fn a_namespace_lives_from_creation_to_deletion() {
    let world = common::world_of(MemoryDrive::empty(1 << 20));
    let (mut admin, controller) = common::admin(&world);
    let mut queue = common::io(&world, controller);
    let nsid = admin.create_namespace(16, 1).expect("created");
    assert_eq!(number(&admin.identify(2, 0).expect("active"), 0, 4), 0);
    assert_eq!(number(&admin.identify(0x10, 0).expect("allocated"), 0, 4), nsid.into());
    assert_eq!(number(&admin.identify(0x11, nsid).expect("a page"), 0, 8), 16);
    assert_eq!(number(&admin.identify(0, nsid).expect("a page"), 0, 8), 0);
    assert_eq!(number(&admin.identify(0x12, nsid).expect("a list"), 0, 2), 0);
    assert_eq!(number(&admin.identify(1, 0).expect("a page"), 296, 16), (1 << 20) - 65536);
    assert_eq!(status(queue.read(nsid, 0, 1, 4096)), Status::INVALID_FIELD);
    admin.attach_namespace(nsid, controller, true).expect("attached");
    assert_eq!(status(admin.attach_namespace(nsid, controller, true)), Status::ALREADY_ATTACHED);
    queue.read(nsid, 15, 1, 4096).expect("read");
    admin.attach_namespace(nsid, controller, false).expect("detached");
    assert_eq!(status(admin.attach_namespace(nsid, controller, false)), Status::NOT_ATTACHED);
    assert_eq!(status(admin.attach_namespace(nsid, 77, true)), Status::CONTROLLER_LIST);
    admin.delete_namespace(nsid).expect("deleted");
    assert_eq!(status(admin.delete_namespace(nsid)), Status::INVALID_FIELD);
    assert_eq!(status(admin.delete_namespace(0)), Status::INVALID_NAMESPACE);
    assert_eq!(status(admin.attach_namespace(9, controller, true)), Status::INVALID_NAMESPACE);
}

#[test]
fn creations_that_make_no_sense_are_refused() {
    let world = common::world_of(MemoryDrive::empty(1 << 20));
    let (mut admin, controller) = common::admin(&world);
    assert_eq!(status(admin.create_namespace(0, 0)), Status::INVALID_FIELD);
    assert_eq!(status(admin.create_namespace(7, 0)), Status::INVALID_FIELD);
    assert_eq!(status(admin.create_namespace(8, 2)), Status::INVALID_FORMAT);
    assert_eq!(status(admin.create_namespace(257, 1)), Status::NAMESPACE_CAPACITY);
    assert_eq!(status(admin.create_namespace(u64::MAX, 1)), Status::NAMESPACE_CAPACITY);
    let thin = [8_u64.to_le_bytes(), 16_u64.to_le_bytes()].concat();
    let mut page = vec![0; 4096];
    page[..16].copy_from_slice(&thin);
    let create = Sqe::new(0x0d, 0);
    assert_eq!(status(admin.call(create, &page, 0)), Status::THIN);
    assert_eq!(status(admin.call(create, &page[..512], 0)), Status::DATA_LENGTH);
    assert_eq!(status(admin.call(create.with(11, 2 << 24), &page, 0)), Status::COMMAND_SET);
    assert_eq!(status(admin.call(create.with(10, 2), &page, 0)), Status::INVALID_FIELD);
    for _ in 0..8 {
        admin.create_namespace(8, 0).expect("created");
    }
    assert_eq!(status(admin.create_namespace(8, 0)), Status::NAMESPACE_IDS);
    let attach = Sqe::new(0x15, 1);
    assert_eq!(status(admin.call(attach, &[0; 4096], 0)), Status::CONTROLLER_LIST);
    assert_eq!(status(admin.call(attach, &[0xff; 4096], 0)), Status::CONTROLLER_LIST);
    assert_eq!(status(admin.call(attach.with(10, 2), &[0; 4096], 0)), Status::INVALID_FIELD);
    admin.attach_namespace(3, controller, true).expect("attached");
    admin.delete_namespace(u32::MAX).expect("all of them");
    assert_eq!(number(&admin.identify(0x10, 0).expect("a list"), 0, 4), 0);
}

/// What a host does with namespaces.
#[derive(Clone, Debug)]
enum Step {
    Create(u64),
    Delete(u32),
    Attach(u32, bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0..70_u64).prop_map(|units| Step::Create(units * 8)),
        (0..11_u32).prop_map(Step::Delete),
        (0..11_u32, any::<bool>()).prop_map(|(nsid, attach)| Step::Attach(nsid, attach)),
    ];
    proptest::collection::vec(step, 0..30)
}

/// The namespaces by their identifiers: blocks, and whether they are attached.
#[derive(Default)]
struct Model(BTreeMap<u32, (u64, bool)>);

impl Model {
    fn step(&mut self, step: &Step) -> Status {
        let missing = |nsid: u32| {
            if (1..=8).contains(&nsid) { Status::INVALID_FIELD } else { Status::INVALID_NAMESPACE }
        };
        match *step {
            Step::Create(0) => Status::INVALID_FIELD,
            Step::Create(blocks) => {
                let held: u64 = self.0.values().map(|(blocks, _)| blocks).sum();
                match (1..=8).find(|nsid| !self.0.contains_key(nsid)) {
                    _ if held + blocks > 2048 => Status::NAMESPACE_CAPACITY,
                    None => Status::NAMESPACE_IDS,
                    Some(nsid) => {
                        self.0.insert(nsid, (blocks, false));
                        Status::SUCCESS
                    }
                }
            }
            Step::Delete(nsid) => self.0.remove(&nsid).map_or(missing(nsid), |_| Status::SUCCESS),
            Step::Attach(nsid, attach) => match self.0.get_mut(&nsid) {
                None => missing(nsid),
                Some((_, attached)) if *attached == attach && attach => Status::ALREADY_ATTACHED,
                Some((_, attached)) if *attached == attach => Status::NOT_ATTACHED,
                Some((_, attached)) => {
                    *attached = attach;
                    Status::SUCCESS
                }
            },
        }
    }
}

fn ids(page: &[u8]) -> Vec<u32> {
    let all = page.chunks_exact(4).map(|id| number(id, 0, 4) as u32);
    all.take_while(|id| *id != 0).collect()
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 128, failure_persistence: None, ..Default::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn namespaces_are_those_of_a_model(steps in steps()) {
        let world = common::world_of(MemoryDrive::empty(1 << 20));
        let (mut admin, controller) = common::admin(&world);
        let mut model = Model::default();
        for step in &steps {
            let result = match *step {
                Step::Create(blocks) => admin.create_namespace(blocks, 0).map(drop),
                Step::Delete(nsid) => admin.delete_namespace(nsid),
                Step::Attach(nsid, attach) => admin.attach_namespace(nsid, controller, attach),
            };
            let refused = result.err().map(|error| error.status().expect("a status"));
            let found = refused.unwrap_or(Status::SUCCESS);
            prop_assert_eq!(found, model.step(step), "{:?}", step);
            let all: Vec<u32> = model.0.keys().copied().collect();
            let active = model.0.iter().filter(|(_, (_, attached))| *attached);
            let active: Vec<u32> = active.map(|(nsid, _)| *nsid).collect();
            prop_assert_eq!(ids(&admin.identify(0x10, 0).expect("a list")), all);
            prop_assert_eq!(ids(&admin.identify(2, 0).expect("a list")), active);
            for (nsid, (blocks, _)) in &model.0 {
                let page = admin.identify(0x11, *nsid).expect("a page");
                prop_assert_eq!(number(&page, 0, 8), u128::from(*blocks));
            }
        }
    }
}
