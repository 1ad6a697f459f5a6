//! Database servers on a rig: a closed loop of transactions instead of fio's jobs.

use super::observe::Observer;
use super::rig::Rig;
use super::server_tally::ServerTally;
use super::translate::Extent;
use engine::{Duration, FifoServers, Instant, narrow, whole};
use iopath::host::oltp::{
    DOUBLEWRITE_HALF, FlushConfig, Mix, Oltp, OltpConfig, PAGE_BYTES, PoolConfig, RedoConfig, Rows,
    Schema,
};
use iopath::host::path::{Path, PathConfig};
use iopath::machine::system::BlockDevice;
use iopath::machine::{Node, Stop};

/// Times that the pool is filled before time begins.
const TURNS: u64 = 4;
/// Fewest pages that the smaller of pool and tables keeps at a fraction of its size: the margins of
/// the flusher, some hundred pages, must stay small beside it.
const LEAST_PAGES: f64 = 4096.0;
/// Transactions of each client before anything is measured.
const RAMP_EACH: u64 = 8;
/// Simulated time between two looks at how far a run is, ms.
const STEP_MS: u64 = 10;
/// Bytes to which sizes on the disk are rounded.
const ALIGN: u64 = 1 << 20;

/// Servers that are asked for, at their real size.
#[derive(Clone, Debug, PartialEq)]
pub struct ServersAsked {
    /// Virtual machines with a server each, spread over the devices of the target.
    pub vms: u32,
    /// Clients of each.
    pub threads: u32,
    /// Bytes of the virtual disk with the database.
    pub disk_bytes: u64,
    /// Tables of a database.
    pub tables: u32,
    /// Rows of a table.
    pub rows: u64,
    /// Bytes of the buffer pool.
    pub pool_bytes: u64,
    /// Time before a second use moves a page to the front of the pool; 0: the first one does.
    pub old_time: Duration,
    /// Bytes of the redo log.
    pub log_bytes: u64,
    /// Bytes that a transaction logs.
    pub log_each: u64,
    /// Whether each table has a data file of its own.
    pub file_per_table: bool,
    /// Whether pages go to the doublewrite buffer first.
    pub doublewrite: bool,
    /// Processors of a virtual machine.
    pub cpus: u32,
    /// Processor time of a transaction.
    pub cpu: Duration,
    /// How rows are chosen.
    pub distribution: Rows,
    /// Most I/Os of a virtual disk at once.
    pub queue_depth: u32,
    /// Time that virtual machine and hypervisor add to an I/O.
    pub path: Duration,
    /// Time of the virtual adapter for each I/O, one after the other.
    pub adapter: Duration,
    /// Transactions to measure.
    pub transactions: u64,
    /// Longest measured time.
    pub longest: Duration,
}

/// What servers did in the measured time.
#[derive(Clone, Debug)]
pub struct Served {
    /// Transactions and I/Os as they were counted.
    pub tally: ServerTally,
    /// Measured time, s.
    pub seconds: f64,
    /// Clients of all servers together.
    pub clients: u64,
    /// Busy share of the processors.
    pub processors: f64,
    /// Pages of a pool and of a database, as simulated.
    pub pages: (u32, u32),
}

/// A device of the target for servers.
struct Place {
    address: u16,
    namespace: u16,
    bytes: u64,
    real_bytes: u64,
}

impl Rig {
    fn server_places(&self) -> Vec<Place> {
        let devices = self.built.devices.iter().zip(self.devices());
        let place = |(device, real_bytes): (&BlockDevice, &u64)| Place {
            address: device.address,
            namespace: device.namespace,
            bytes: device.bytes,
            real_bytes: *real_bytes,
        };
        devices.map(place).collect()
    }

    /// Runs database servers on the target as it is, and leaves it at rest.
    ///
    /// # Errors
    /// What does not fit or cannot be simulated, before anything is run.
    pub fn serve(
        &mut self,
        asked: &ServersAsked,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Served, String> {
        let configs = self.servers(asked)?;
        self.runs += 1;
        let devices = self.built.devices.len();
        for (vm, config) in configs.iter().enumerate() {
            let (device, start, bytes) = (vm % devices, config.base, config.bytes());
            self.lay_out(Extent { device, start, bytes });
        }
        self.machine.resume();
        self.audit.look(&self.machine, &self.flash);
        let mut nodes = Vec::new();
        for config in &configs {
            nodes.push(self.add_server(config, asked));
        }
        self.machine.context.probe = Observer::of_servers();
        nodes.iter().for_each(|node| self.machine.start(*node));
        let clients = u64::from(asked.vms) * u64::from(asked.threads);
        let longest = self.now() + asked.longest;
        self.until_done(RAMP_EACH * clients, longest, &mut |_| {})?;
        let opened = self.now();
        self.tally().open(opened.ps());
        let busy = self.processor_time(&nodes);
        self.until_done(asked.transactions, opened + asked.longest, progress)?;
        let closed = self.now();
        self.tally().close(closed.ps());
        let busy = self.processor_time(&nodes) - busy;
        nodes.iter().for_each(|node| self.machine.stop(*node));
        self.machine.drain();
        self.audit.check(&self.machine, &self.flash);
        let observer = std::mem::take(&mut self.machine.context.probe);
        let tally = observer.servers.map(|tally| *tally).unwrap_or_default();
        if tally.errors > 0 {
            return Err(format!("{} I/Os of the servers failed", tally.errors));
        }
        let seconds = closed.since(opened).as_s();
        let processors = f64::from(asked.vms) * f64::from(asked.cpus);
        Ok(Served {
            tally,
            seconds,
            clients,
            processors: busy / processors / seconds.max(1e-12),
            pages: (configs[0].pool.frames, configs[0].schema.pages()),
        })
    }

    /// Finds what is asked and cannot be given, without running anything; returns the share of a
    /// device that the databases' disks take.
    ///
    /// # Errors
    /// The same as those of [`Rig::serve`].
    pub fn check_servers(&self, asked: &ServersAsked) -> Result<f64, String> {
        let ends = self.servers(asked)?.into_iter().map(|config| config.base + config.bytes());
        let least = self.server_places().iter().map(|place| place.bytes).min().unwrap_or(1);
        Ok((ends.max().unwrap_or(0) as f64 / least.max(1) as f64).min(1.0))
    }

    fn tally(&mut self) -> &mut ServerTally {
        self.machine.context.probe.servers.get_or_insert_default()
    }

    fn processor_time(&self, nodes: &[u16]) -> f64 {
        nodes.iter().map(|node| self.machine.server(*node).processor_time().as_s()).sum()
    }

    /// Runs until this many more transactions are done, or until a time.
    fn until_done(
        &mut self,
        transactions: u64,
        latest: Instant,
        progress: &mut dyn FnMut(f64),
    ) -> Result<(), String> {
        let begun = self.tally().seen;
        loop {
            let next = self.now() + Duration::from_ms(STEP_MS);
            if self.machine.run(next, u64::MAX) == Stop::Idle {
                let what = self.machine.describe();
                return Err(format!("the modelled drive makes no progress: {what}"));
            }
            // The present is the last event's time; what comes belongs to the next look.
            self.machine.run_to(next);
            let done = self.tally().seen - begun;
            progress((done as f64 / transactions.max(1) as f64).min(1.0));
            if done >= transactions || next >= latest {
                return Ok(());
            }
        }
    }

    fn add_server(&mut self, config: &OltpConfig, asked: &ServersAsked) -> u16 {
        let pools = &mut self.machine.context.shared.pools;
        pools.push(FifoServers::new(1));
        let pool = pools.len() - 1;
        let half = asked.path.scaled(1, 2);
        let below = config.target;
        let path = PathConfig {
            submit: half,
            complete: half,
            processor: (asked.adapter > Duration::ZERO).then_some((pool, asked.adapter)),
            pipes: Vec::new(),
        };
        let capacity = self.machine.capacity(below);
        let path =
            self.machine.add(|node| Node::Path(Box::new(Path::new(path, below, capacity, node))));
        let config = OltpConfig { target: path, ..config.clone() };
        let seed = self.blueprint.seed;
        self.machine.add(|node| {
            let mut server = Oltp::new(config, seed, node);
            server.warm(TURNS);
            Node::Oltp(Box::new(server))
        })
    }

    /// The servers at the scale of the rig, each with its place.
    fn servers(&self, asked: &ServersAsked) -> Result<Vec<OltpConfig>, String> {
        let places = self.server_places();
        if places.is_empty() {
            return Err("the target has no device".to_owned());
        }
        let share = share(asked, places[0].bytes as f64 / places[0].real_bytes as f64)?;
        let each = whole(asked.disk_bytes as f64 * share) / ALIGN * ALIGN;
        let mut used = vec![0; places.len()];
        let mut configs = Vec::new();
        for vm in 0..asked.vms {
            let at = vm as usize % places.len();
            let place = &places[at];
            let base = used[at];
            used[at] += each;
            if used[at] > place.bytes {
                return Err(does_not_fit(asked, place, u64::from(asked.vms), places.len(), share));
            }
            configs.push(config(asked, share, vm, place, base)?);
        }
        Ok(configs)
    }
}

/// How much of a database is simulated.
fn share(asked: &ServersAsked, scale: f64) -> Result<f64, String> {
    let schema = Schema::sysbench(asked.tables, asked.rows);
    // A page holds more than 64 rows; each table has a few inner pages besides.
    let pages = (asked.rows / 64).saturating_add(8).saturating_mul(u64::from(asked.tables));
    if pages > u64::from(u32::MAX) / 2 {
        return Err("the tables have more pages than can be simulated: take fewer rows".to_owned());
    }
    let frames = frames(asked, &schema)?;
    // Clients hold some frames each, whatever the scale.
    let least = LEAST_PAGES.max(16.0 * f64::from(asked.threads));
    if f64::from(frames) < 16.0 * f64::from(asked.threads) {
        return Err(format!(
            "a pool of {frames} pages is too small for {} clients: take a larger pool or fewer",
            asked.threads
        ));
    }
    let bytes = u64::from(schema.pages()) * PAGE_BYTES + overhead(asked);
    if bytes > asked.disk_bytes {
        return Err(format!(
            "{} tables of {} rows take {} with the redo log, more than the disk of {} (db): take \
             fewer rows or a larger db",
            asked.tables,
            asked.rows,
            size(bytes),
            size(asked.disk_bytes)
        ));
    }
    let small = f64::from(frames.min(schema.pages()));
    Ok(scale.max(least / small).min(1.0))
}

/// Bytes on the disk beside the tables.
fn overhead(asked: &ServersAsked) -> u64 {
    asked.log_bytes + 2 * u64::from(DOUBLEWRITE_HALF) * PAGE_BYTES
}

/// Frames for leaf pages.
fn frames(asked: &ServersAsked, schema: &Schema) -> Result<u32, String> {
    let all = asked.pool_bytes / PAGE_BYTES;
    let left = all.saturating_sub(u64::from(schema.inner_pages()));
    if left < u64::from(PoolConfig::LEAST) {
        return Err(format!(
            "a pool of {} bytes has no room beside the inner pages of the tables: take at least {} \
             MiB",
            asked.pool_bytes,
            (u64::from(schema.inner_pages() + PoolConfig::LEAST) * PAGE_BYTES).div_ceil(1 << 20)
        ));
    }
    Ok(narrow(left.min(u64::from(u32::MAX / 2))))
}

fn size(bytes: u64) -> String {
    metric::show(metric::Dimension::Bytes, bytes as f64)
}

fn does_not_fit(
    asked: &ServersAsked,
    place: &Place,
    vms: u64,
    devices: usize,
    share: f64,
) -> String {
    let each = vms.div_ceil(devices as u64);
    let needed = each.saturating_mul(asked.disk_bytes);
    if needed > place.real_bytes {
        return format!(
            "{each} virtual disks of {} (db) need {} on a device of {}: take fewer vms or a \
             smaller db",
            size(asked.disk_bytes),
            size(needed),
            size(place.real_bytes)
        );
    }
    format!(
        "{each} databases, of which at least {share:.4} must be simulated, do not fit on a device \
         simulated at this scale: take a larger scale"
    )
}

fn config(
    asked: &ServersAsked,
    share: f64,
    vm: u32,
    place: &Place,
    base: u64,
) -> Result<OltpConfig, String> {
    let real = Schema::sysbench(asked.tables, asked.rows);
    let scaled = |count: f64| (count * share).round().max(1.0);
    let schema = Schema::sysbench(asked.tables, whole(scaled(asked.rows as f64)));
    let frames = narrow(whole(scaled(f64::from(frames(asked, &real)?))));
    let align = 4096;
    let ring = whole(scaled(asked.log_bytes as f64)).max(ALIGN).next_multiple_of(align);
    let files = if asked.file_per_table { asked.tables } else { 1 };
    let mut flush = FlushConfig::innodb_5_5(files);
    flush.doublewrite = asked.doublewrite;
    Ok(OltpConfig {
        name: format!("vm{vm}"),
        target: place.address,
        namespace: place.namespace,
        base,
        threads: asked.threads,
        cpus: asked.cpus,
        cpu: asked.cpu,
        queue_depth: asked.queue_depth,
        schema,
        mix: Mix::READ_WRITE,
        rows: asked.distribution,
        pool: PoolConfig {
            frames,
            old_1024: 378,
            old_time: asked.old_time.scaled(whole(share * 1e9), 1_000_000_000),
        },
        redo: RedoConfig {
            bytes: ring,
            per_transaction: asked.log_each,
            align,
            start_1024: 768,
            stop_1024: 960,
        },
        flush,
        change_buffering: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_more_pages_than_can_be_simulated_are_refused() {
        let asked = |tables, rows| ServersAsked {
            vms: 1,
            threads: 1,
            disk_bytes: 1 << 50,
            tables,
            rows,
            pool_bytes: 1 << 40,
            old_time: Duration::ZERO,
            log_bytes: 1 << 28,
            log_each: 1000,
            file_per_table: true,
            doublewrite: true,
            cpus: 1,
            cpu: Duration::ZERO,
            distribution: Rows::Uniform,
            queue_depth: 1,
            path: Duration::ZERO,
            adapter: Duration::ZERO,
            transactions: 1,
            longest: Duration::ZERO,
        };
        for (tables, rows) in [(1, u64::MAX), (1 << 31, 1 << 39), (16, 1 << 34)] {
            let refusal = share(&asked(tables, rows), 1.0).unwrap_err();
            assert!(refusal.contains("take fewer rows"), "{refusal}");
        }
        assert_eq!(share(&asked(16, 1_000_000), 1.0), Ok(1.0));
    }
}
