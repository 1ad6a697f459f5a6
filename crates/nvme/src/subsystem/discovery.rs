//! The controller that tells hosts which subsystem is served, and where.

use super::controller::Controller;
use super::identify::put_common;
use super::logs::part;
use crate::command::{Sqe, admin};
use crate::completion::Completion;
use crate::connect::ANY;
use crate::status::Status;
use crate::tcp::MOST_ENTRIES;
use crate::wire::{PAGE, put, put_text};
use std::net::SocketAddr;

/// The name of every subsystem for discovery.
pub(crate) const NAME: &str = "nqn.2014-08.org.nvmexpress.discovery";

/// The log page of discovery.
const LOG: u32 = 0x70;

/// Features that hosts of a controller for discovery set.
const KEEP_ALIVE: u32 = 0x0f;

/// Carries out a command. `served` is the name of the subsystem.
pub(crate) fn execute(
    controller: &mut Controller,
    cntlid: u16,
    sqe: &Sqe,
    served: &str,
) -> Result<Completion, Status> {
    let low = sqe.dword(10) & 0xff;
    match sqe.opcode() {
        admin::IDENTIFY if low == 1 => {
            let mut page = vec![0; PAGE];
            put_common(&mut page, cntlid, 2);
            put_text(&mut page, 64, 8, env!("CARGO_PKG_VERSION"));
            put_text(&mut page, 768, NAME.len(), NAME);
            Ok(Completion::data(page))
        }
        admin::IDENTIFY => Err(Status::INVALID_FIELD),
        admin::GET_LOG_PAGE if low == LOG => part(sqe, &log(served, controller.place)),
        admin::GET_LOG_PAGE => Err(Status::INVALID_LOG_PAGE),
        admin::KEEP_ALIVE => Ok(Completion::ok(0)),
        admin::GET_FEATURES if low == KEEP_ALIVE => {
            Ok(Completion::ok(controller.keep_alive_ms.into()))
        }
        admin::SET_FEATURES if low == KEEP_ALIVE => {
            controller.keep_alive_ms = sqe.dword(11);
            Ok(Completion::ok(0))
        }
        admin::GET_FEATURES | admin::SET_FEATURES => Err(Status::INVALID_FIELD),
        _ => Err(Status::INVALID_OPCODE),
    }
}

/// One record: the subsystem that is served, at the place where the host has found it.
fn log(name: &str, place: SocketAddr) -> Vec<u8> {
    let mut log = vec![0; 2048];
    put(&mut log, 8, &1_u64.to_le_bytes());
    let record = &mut log[1024..];
    // TCP; IPv4 or IPv6; a subsystem for data; security is not required.
    put(record, 0, &[3, if place.is_ipv4() { 1 } else { 2 }, 2, 2]);
    put(record, 4, &1_u16.to_le_bytes());
    put(record, 6, &ANY.to_le_bytes());
    put(record, 8, &MOST_ENTRIES.to_le_bytes());
    put_text(record, 32, 32, &place.port().to_string());
    put(record, 256, &name.as_bytes()[..name.len().min(255)]);
    put_text(record, 512, 256, &place.ip().to_string());
    log
}
