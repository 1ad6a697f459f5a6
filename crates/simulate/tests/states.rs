//! States that rigs share are those that each would build.

use fio::LoadOptions;
use iopath::device::flash::drive::DriveState;
use library::{Model, Overrides, Scale};
use simulate::{Rig, RunOptions, States};

/// A drive that pads its pages, so that its steady state is reached by writing.
fn rig(seed: u64) -> Rig {
    let model = Model::named("intel-710-200gb", &[]).unwrap();
    let resolved = model.resolve(Scale::Units(1 << 18), &Overrides::default()).unwrap();
    Rig::new(resolved.config, resolved.scale, seed)
}

/// What a mixed load after a preparation gives, to the last digit.
fn ran(rig: &mut Rig, state: &DriveState) -> String {
    rig.prepare(state);
    let text = "[a]\nfilename=/dev/x\ndirect=1\nrw=randrw\nbs=4k\niodepth=8\nnumber_ios=20000\n";
    let file = fio::jobfile::parse_str("a", text, &LoadOptions::default()).unwrap();
    let simulated = rig.run(&file, &mut RunOptions::default()).unwrap();
    let job = &simulated.run.jobs[0];
    let ledger = rig.ledger();
    format!("{:?} {:?} {ledger:?} {:?}", job.read(), job.write(), rig.now())
}

#[test]
fn a_kept_state_gives_what_a_new_one_gives() {
    let states = States::default();
    for state in [DriveState::Steady(1.0), DriveState::Steady(0.5), DriveState::Filled] {
        for seed in [1, 2] {
            let alone = ran(&mut rig(seed), &state);
            let mut shares = rig(seed).sharing(states.clone());
            for time in ["built", "kept"] {
                assert_eq!(ran(&mut shares, &state), alone, "{state:?}, seed {seed}, {time}");
            }
            let mut another = rig(seed).sharing(states.clone());
            assert_eq!(ran(&mut another, &state), alone, "{state:?}, seed {seed}, another rig");
        }
    }
    assert_eq!(format!("{states:?}"), "4 states", "a filled drive is as fast to build");
}
