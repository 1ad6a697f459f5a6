//! What the NVMe controller of a served drive says about it.

use super::Live;
use crate::render::Failure;
use ::serve::controller::{About, erase_ns, self_test_minutes};
use ::serve::drive::LiveDrive;
use engine::Power;
use iopath::device::flash::config::Protection;
use iopath::device::flash::drive::MOST_NAMESPACES;
use library::{Interface, Medium, Model};
use nvme::backend::{Facts, PowerState, SanitizeKinds};

/// Bytes of a logical block that namespaces can have: what drives of servers offer.
const FORMATS: [u32; 2] = [512, 4096];
/// Kelvin of 0 degrees Celsius, rounded as the specification does.
const FREEZING: f64 = 273.0;

/// What hosts are told of a drive, if it can have a controller.
///
/// # Errors
/// Systems, disks, and drives with another interface.
pub(super) fn about(live: &Live, drive: &LiveDrive) -> Result<About, Failure> {
    let media = live.system.media();
    let mut flash = live.resolved.spec.flash();
    let (config, is_one) = (flash.next(), flash.next().is_none());
    if drive.devices().len() > 1 && media.len() == 1 && is_one {
        return Err(Failure::wrong("--nvme: the drive is divided by --namespaces already")
            .with_help("leave --namespaces out: NVMe hosts make namespaces themselves"));
    }
    let one = match (&media[..], config) {
        ([Medium::Flash(model)], Some(config)) if is_one => (model, config),
        _ => return Err(refused("an NVMe controller is that of one flash drive")),
    };
    let (model, config) = one;
    if matches!(media[0].interface(), Interface::Sata { .. }) {
        return Err(refused("this drive has no NVMe"));
    }
    let real = live.resolved.real_bytes;
    let caps: Vec<Option<Power>> = std::iter::once(None)
        .chain(model.drive.power.states.iter().map(|cap| Some(*cap.get())))
        .collect();
    let thermal = model.drive.thermal.as_ref();
    let kelvin = |celsius: f64| u16::try_from(engine::whole(celsius + FREEZING)).unwrap_or(0);
    let facts = Facts {
        model: model.drive.name.clone(),
        serial: format!("{}-{}", model.slug, live.seed).to_uppercase(),
        firmware: env!("CARGO_PKG_VERSION").to_owned(),
        total_bytes: drive.devices()[0].bytes,
        formats: FORMATS.to_vec(),
        most_namespaces: u32::try_from(MOST_NAMESPACES).unwrap_or(1),
        volatile_cache: config.buffer.protection == Protection::Volatile,
        power_states: power_states(model, &caps),
        warning_kelvin: thermal.map_or(0, |file| kelvin(file.warning.get().celsius())),
        critical_kelvin: thermal.map_or(0, |file| kelvin(file.critical.get().celsius())),
        sanitize: SanitizeKinds { crypto: true, block: true, overwrite: false },
        crypto_erase: true,
        ocp: true,
        self_test_minutes: Some(self_test_minutes(config, real)),
    };
    Ok(About {
        facts,
        name: format!("nqn.2026-11.example.drivelab:{}", model.slug),
        caps,
        rated_cycles: model.rated_cycles(),
        erase_ns: erase_ns(config, real),
    })
}

/// The power states: the first has no limit, and what the maker states is shown for it.
fn power_states(model: &Model, caps: &[Option<Power>]) -> Vec<PowerState> {
    let power = &model.drive.power;
    let rated = power.rated.as_ref().map(|rated| *rated.get());
    let shown = |cap: Option<Power>| {
        let microwatts = cap.or(rated).map_or(0, |power| power.base());
        u16::try_from(microwatts / 10_000).unwrap_or(u16::MAX)
    };
    let state = |cap: &Option<Power>| PowerState {
        centiwatts: shown(*cap),
        entry_us: 0,
        exit_us: 0,
        idle: false,
    };
    caps.iter().map(state).collect()
}

fn refused(why: &str) -> Failure {
    Failure::wrong(format!("--nvme: {why}"))
        .with_help("serve it by NBD, or name one NVMe drive: `drivelab list drives`")
}
