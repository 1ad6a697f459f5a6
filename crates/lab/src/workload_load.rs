//! A workload profile as the text of a fio job: one section for each device.
//!
//! VDBench has one generator of arrivals for each drive, and threads that take what has arrived,
//! one I/O each. A section of fio with as many I/Os in flight is the same: what has arrived while
//! all are in flight waits and goes out as soon as one comes back, and the latency counts from
//! there. Arrivals are independent of each other, which is VDBench's own choice where no
//! distribution is given (its source: `itfanr/vdbench`, Vdb/RD_entry.java, `distribution` is 0,
//! exponential); fio calls that a Poisson process. The real fio lets all that is in flight come
//! back before it sleeps until the next arrival, and makes up for it afterwards; its
//! `io_submit_mode=offload` would not, but fio 3.33 does not come to an end with it.

use super::load::{Load, percent};
use engine::{narrow, whole};
use library::{SizeMix, Workload};
use metric::Params;

/// Random addresses are multiples of the least size of a profile, but of no less than this, bytes.
const LEAST_ALIGN: u64 = 4096;

/// A profile as it is issued: what the parameters of a run say goes before what its file says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Issued {
    /// Share of reads, percent.
    pub read: u32,
    /// Share of random places, percent.
    pub random: u32,
    /// Sizes of reads.
    pub reads: SizeMix,
    /// Sizes of writes.
    pub writes: SizeMix,
    /// Hot part, and the reads and writes that go there, percent.
    pub hot: Option<(u32, u32, u32)>,
    /// I/Os in flight on each device.
    pub outstanding: u64,
}

impl Issued {
    /// The profile, with `read`, `block` and `qd` of the run in place of its own.
    pub(super) fn new(workload: &Workload, params: &Params) -> Self {
        let block = params.block().map(SizeMix::only);
        let read = params.read_share().map(|share| narrow(percent(share)));
        Issued {
            read: read.unwrap_or(workload.read_percent()),
            random: workload.random_percent(),
            reads: block.clone().unwrap_or_else(|| workload.read_sizes()),
            writes: block.unwrap_or_else(|| workload.write_sizes()),
            hot: workload.hot(),
            outstanding: params.queue_depth().unwrap_or(workload.outstanding()).max(1),
        }
    }

    /// The job on the first `spans` bytes of the devices. With a rate, I/Os a second of all devices
    /// together, it is an open load; without, a closed one.
    pub(super) fn load(&self, spans: &[u64], rate: Option<f64>) -> Load {
        let mut text = GLOBAL.to_owned();
        let several = spans.len() > 1;
        for (device, span) in spans.iter().enumerate() {
            let name = if several { format!("target{device}") } else { "target".to_owned() };
            text.push_str(&format!("\n[{name}]\nfilename=/dev/{name}\nsize={span}\n"));
            text.push_str(&self.section());
            if let Some(rate) = rate {
                text.push_str(&self.rates(rate / spans.len() as f64));
            }
        }
        Load::plain(&text, &[], spans.first().copied())
    }

    fn section(&self) -> String {
        let random = if self.random > 0 { "rand" } else { "" };
        let kind = match (self.read, self.random) {
            (0, _) => "write",
            (100, _) => "read",
            _ => "rw",
        };
        let align = self.reads.least().min(self.writes.least()).max(LEAST_ALIGN);
        let mut text = format!(
            "rw={random}{kind}\nrwmixread={}\nbssplit={},{}\nblockalign={align}\niodepth={}\n",
            self.read,
            self.reads.bssplit(),
            self.writes.bssplit(),
            self.outstanding
        );
        if self.random > 0 && self.random < 100 {
            text.push_str(&format!("percentage_random={}\n", self.random));
        }
        if let (Some((span, reads, writes)), true) = (self.hot, self.random > 0) {
            let side = |hot: u32| format!("zoned:{hot}/{span}:{}/{}", 100 - hot, 100 - span);
            text.push_str(&format!("random_distribution={},{}\n", side(reads), side(writes)));
        }
        text
    }

    fn rates(&self, rate: f64) -> String {
        // No limit for a direction that has no I/Os, which fio writes as 0.
        let share = |percent: u32| match percent {
            0 => 0,
            _ => whole((rate * f64::from(percent) / 100.0).round()).max(1),
        };
        let (reads, writes) = (share(self.read), share(100 - self.read));
        format!("rate_iops={reads},{writes}\nrate_process=poisson\n")
    }
}

const GLOBAL: &str = "\
[global]
ioengine=libaio
direct=1
norandommap=1
randrepeat=0
time_based=1
ramp_time=${RAMP_US}us
runtime=${RUNTIME_US}us
percentile_list=50:90:99:99.9:99.99:99.999:99.9999
";

#[cfg(test)]
mod tests {
    use super::*;

    fn issued(pairs: &[(&'static str, &'static str)]) -> Issued {
        let params = Params::from_pairs(pairs.iter().copied()).unwrap();
        Issued::new(&Workload::named("oltp-8k").unwrap(), &params)
    }

    #[test]
    fn what_the_run_says_goes_before_what_the_profile_says() {
        let plain = issued(&[]);
        assert_eq!((plain.read, plain.outstanding), (70, 32));
        let own = issued(&[("qd", "4"), ("read", "100 %"), ("block", "16 KiB")]);
        assert_eq!((own.read, own.outstanding), (100, 4));
        assert_eq!(own.reads, SizeMix::only(16384));
    }

    #[test]
    fn every_profile_is_a_job_that_can_be_read() {
        for name in library::workloads() {
            let issued = Issued::new(&Workload::named(name).unwrap(), &Params::default());
            for (spans, rate) in [(&[1 << 30][..], None), (&[1 << 30, 1 << 29], Some(1e5))] {
                let load = issued.load(spans, rate);
                let file = load.parse(10, 20).unwrap_or_else(|e| panic!("{name}: {e}"));
                assert_eq!(file.jobs.len(), spans.len());
                let job = &file.jobs[0];
                assert_eq!(u64::from(job.iodepth), issued.outstanding);
                // The third is for trims, of which there are none.
                let asked: u64 = job.rate_iops[..2].iter().flatten().sum();
                let half = rate.unwrap_or(0.0) / 2.0;
                assert!(
                    asked as f64 - half <= 1.0 && half - asked as f64 <= 1.0,
                    "{name}: {asked}"
                );
            }
        }
    }
}
