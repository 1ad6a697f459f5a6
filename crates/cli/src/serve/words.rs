//! What `serve` and `control` say.

use super::Live;
use ::serve::control::State;
use ::serve::drive::LiveDrive;
use ::serve::server::{Front, Listener, Notice, Options};
use metric::{plain, show_volume};
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::Path;

/// What is served, in a line.
pub(super) fn summary(
    live: &Live,
    drive: &LiveDrive,
    (state, slower): (&str, NonZeroU32),
) -> String {
    let (system, resolved) = (&live.system, &live.resolved);
    let bytes: u64 = drive.devices().iter().map(|device| device.bytes).sum();
    let part = match resolved.scale < 1.0 {
        true => format!("{} of {}", show_volume(bytes), show_volume(resolved.real_bytes)),
        false => show_volume(bytes),
    };
    let time = match slower.get() {
        1 => String::new(),
        times => format!(", {times} times slower than the clock"),
    };
    format!("serving {}: {part}, {}{time}", system.name(), state)
}

/// How programs reach it.
pub(super) fn how_to_attach(
    listeners: &[(Listener, Front)],
    options: &Options,
    control: &Path,
) -> Vec<String> {
    let nbd = listeners.iter().filter(|(_, front)| *front == Front::Nbd);
    let mut lines: Vec<String> = nbd.map(|(listener, _)| format!("  {}", listener.uri())).collect();
    if options.names.len() > 1 {
        lines.push(format!("  exports: {}", options.names.join(", ")));
    }
    let vhost = listeners.iter().filter(|(_, front)| matches!(front, Front::VhostUser(_)));
    lines.extend(vhost.filter_map(|(listener, _)| {
        Some(format!("  vhost-user-blk at {}", listener.path()?.display()))
    }));
    lines.push(format!("  drivelab control {} health", control.display()));
    let us = options.early.as_nanos() as f64 / 1e3;
    lines.push(format!("  a socket takes {us:.1} us, and answers leave so much earlier"));
    lines
}

/// How NVMe hosts reach it.
pub(super) fn how_to_connect(address: SocketAddr, name: &str) -> String {
    let port = address.port();
    let ip = match address.ip().is_unspecified() {
        true => "ADDRESS-OF-THIS-MACHINE".to_owned(),
        false => address.ip().to_string(),
    };
    format!("  nvme connect -t tcp -a {ip} -s {port} -n {name}")
}

/// Something that has happened.
pub(super) fn notice(notice: &Notice) -> String {
    match notice {
        Notice::Attached(name) => format!("a client has attached to {name}"),
        Notice::Left(None) => "a client has left".to_owned(),
        Notice::Left(Some(why)) => format!("a client is gone: {why}"),
        Notice::Refused(why) => format!("a client was refused: {why}"),
        Notice::Cut(cut) => format!(
            "power was cut: {} acknowledged bytes lost; blocks written lately: {} as written, \
             {} taken back, {} unknown",
            cut.lost_bytes, cut.blocks_kept, cut.blocks_taken_back, cut.blocks_unknown
        ),
        Notice::Restored => "power is back".to_owned(),
        Notice::Befell(what) => what.clone(),
    }
}

/// The state of a served drive as text.
pub fn state(state: &State) -> String {
    let mut text = format!(
        "{:<10}{:>12}{:>14}{:>12} {:>12} {:>12} {:>12}\n",
        "Request", "Number", "Bytes", "Mean", "p50", "p99", "p99.9"
    );
    let mut any = false;
    for (name, of) in &state.requests {
        let late = state.lateness.spoiled(of);
        any |= late.contains(&true);
        let mark = |late: bool| if late { "*" } else { " " };
        let us = |value: f64, late: bool| format!("{value:.1} us{}", mark(late));
        let _ = writeln!(
            text,
            "{:<10}{:>12}{:>14}{:>13}{:>13}{:>13}{:>13}",
            name,
            of.requests,
            of.bytes,
            us(of.mean_us, late[0]),
            us(of.p50_us, late[1]),
            us(of.p99_us, late[2]),
            us(of.p999_us, late[3])
        );
    }
    if state.requests.is_empty() {
        text.push_str("nothing was asked\n");
    }
    if any {
        text.push_str("* of the model; answers were late, and clients saw more by over a tenth\n");
    }
    text.push('\n');
    for drive in &state.drives {
        let heat = match (drive.celsius, drive.throttle_level) {
            (None, _) => String::new(),
            (Some(celsius), 0) => format!(", {celsius:.1} C"),
            (Some(celsius), level) => format!(", {celsius:.1} C, throttled at level {level}"),
        };
        let wa = drive.write_amplification.map_or("-".to_owned(), |wa| format!("{wa:.3}"));
        let _ = writeln!(
            text,
            "{}: {} written by the host, {} programmed, write amplification {wa}{heat}",
            drive.name,
            show_volume(drive.host_bytes),
            show_volume(drive.flash_bytes)
        );
    }
    if let Some(limit) = state.limit_w {
        let _ = writeln!(text, "Limit of power: {} W a drive", plain(limit));
    }
    if let Some(array) = &state.array {
        let done = array.done.map_or(String::new(), |done| format!(", {:.1} %", 100.0 * done));
        let missing = match array.missing {
            0 => String::new(),
            n => format!(", {n} missing"),
        };
        let _ = writeln!(text, "Array: {}{missing}{done}", array.health);
    }
    let _ = writeln!(text, "Lateness: {}", state.lateness);
    let power = if state.powered { "on" } else { "off" };
    let _ = writeln!(text, "Power: {power}, {} cuts; {} clients", state.cuts, state.clients);
    if let Some(cut) = &state.last_cut {
        let _ = writeln!(text, "Last cut: {} acknowledged bytes lost", cut.lost_bytes);
    }
    text
}
