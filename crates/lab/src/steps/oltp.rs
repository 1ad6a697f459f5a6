//! Transactions of a database.

use super::Action;
use crate::failure::Failure;
use crate::session::Session;
use engine::Duration;
use iopath::host::oltp::Rows;
use metric::{Params, State};
use schemars::JsonSchema;
use serde::Deserialize;
use simulate::ServersAsked;

/// Runs sysbench's read-write transactions on database servers: modelled ones on a model, real ones
/// on a directory. What they are asked is in the parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Oltp {
    /// Name of its numbers.
    #[serde(rename = "as")]
    pub name: String,
    /// State of a modelled drive before; `steady` is that of random writes to the databases' disks,
    /// with the rest of the drive as formatted.
    pub state: String,
    /// Bytes that a transaction logs.
    pub log_each: String,
    /// I/Os of a virtual disk at once.
    pub queue_depth: u32,
}

/// I/Os of a transaction, with which the I/Os that a measurement asks for become transactions.
const IOS_EACH: u64 = 30;

impl Action for Oltp {
    fn said(&self) -> String {
        format!("oltp `{}`: transactions of sysbench", self.name)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let asked = self.asked(session)?;
        session.tell("preparing the databases", 0.0);
        let state = match session.text(&self.state).as_deref() {
            Some("fresh") => State::Fresh,
            Some("filled") => State::Filled,
            Some("kept") => return Err(Failure::left_out("a model has no state to keep")),
            _ => State::Steady,
        };
        let (told, (from, to)) = (session.watch, session.part);
        let watch = |share: f64| {
            if let Some(told) = told {
                told("transactions", from + (to - from) * share);
            }
        };
        let served = session.target.serve(&asked, state, &watch)?;
        session.state = state;
        session.written = true;
        for warning in served.warnings {
            session.warn(warning);
        }
        session.results.insert(self.name.clone(), served.values);
        Ok(())
    }
}

impl Oltp {
    fn asked(&self, session: &Session<'_>) -> Result<ServersAsked, Failure> {
        let params = &session.params;
        let missing = |name: &str| Failure::failed(format!("the method needs `{name}`"));
        let count = |name: &str| params.count(name).ok_or_else(|| missing(name));
        let small = |name: &str| count(name).map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        let bytes = |name: &str| params.bytes(name).ok_or_else(|| missing(name));
        let log_each = session.bytes(&self.log_each)?.unwrap_or(0);
        Ok(ServersAsked {
            vms: small("vms")?,
            threads: small("threads_per_vm")?,
            disk_bytes: bytes("db")?,
            tables: small("tables")?,
            rows: count("rows")?,
            pool_bytes: bytes("pool")?,
            old_time: time(params, "old_blocks_time"),
            log_bytes: bytes("log")?,
            log_each,
            file_per_table: params.flag("file_per_table").unwrap_or(true),
            doublewrite: params.flag("doublewrite").unwrap_or(true),
            cpus: small("cpus")?,
            cpu: time(params, "cpu"),
            distribution: match params.get("distribution").map(|word| word.to_string()).as_deref() {
                Some("special") => Rows::Special,
                _ => Rows::Uniform,
            },
            queue_depth: self.queue_depth,
            path: time(params, "vm_latency"),
            adapter: time(params, "vm_adapter"),
            transactions: (session.options.ios / IOS_EACH).max(1000),
            longest: match params.duration_ns() {
                Some(ns) => Duration::from_ns(ns),
                None => Duration::from_s(3600),
            },
        })
    }
}

fn time(params: &Params, name: &str) -> Duration {
    Duration::from_ns(params.time(name).unwrap_or(0))
}
