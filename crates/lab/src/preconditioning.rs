//! Hours of writing before a part of a drive is tested.
//!
//! A review that tests a quarter of each drive writes all of it first. The part outside the
//! tested part stays as the fill left it: in order, valid, and never collected. All spare space
//! serves the tested part then, and its write amplification is that of a drive whose spare is the
//! larger for it (spare over share; hot and cold data, Desnoyers 2012). A model does the same on
//! the fast path. Drives side by side are written alike, so one of them is, and the others get its
//! state; what they do with it is their own.

use super::load::Load;
use engine::whole;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preconditioning {
    /// Transfer size of the writes in order, bytes.
    pub block: u64,
    /// How long each device is written in order after it was filled, s.
    pub sequential_s: f64,
    /// How long its tested part is written at random after that, s.
    pub random_s: f64,
    /// Transfer size of those writes, bytes.
    pub random_block: u64,
    /// The tested part, as a share of each device from its beginning on, above 0 and at most 1.
    pub share: f64,
    /// Seed of what is written without time.
    pub seed: u64,
}

/// I/Os in flight on each device.
const DEPTH: u32 = 32;

impl Preconditioning {
    /// One pass in order over each device, which ends by itself.
    pub(super) fn pass(&self, devices: &[u64]) -> Load {
        let text = self.text(devices, "write", self.block, 1.0, "");
        Load::plain(&text, &[], None)
    }

    /// Writes in order over all of each device.
    pub(super) fn sequential(&self, devices: &[u64]) -> Load {
        let text = self.text(devices, "write", self.block, 1.0, TIMED);
        Load::plain(&text, &[], None)
    }

    /// Writes at random to the tested part of each.
    pub(super) fn random(&self, devices: &[u64]) -> Load {
        let text = self.text(devices, "randwrite", self.random_block, self.share, TIMED);
        let span = devices.first().map(|bytes| self.span(*bytes));
        let mut load = Load::plain(&text, &[], span);
        load.block = self.random_block;
        load.read = 0.0;
        load
    }

    /// The tested part of a device, bytes: whole MiB if it has one.
    fn span(&self, bytes: u64) -> u64 {
        let span = whole(bytes as f64 * self.share);
        if span < 1 << 20 { span / 4096 * 4096 } else { span >> 20 << 20 }
    }

    fn text(&self, devices: &[u64], rw: &str, block: u64, share: f64, time: &str) -> String {
        let mut text = format!(
            "[global]\nioengine=libaio\ndirect=1\nnorandommap=1\nrandrepeat=0\nrw={rw}\n\
             bs={block}\niodepth={DEPTH}\n{time}"
        );
        for (device, bytes) in devices.iter().enumerate() {
            let name = if devices.len() > 1 { format!("target{device}") } else { "target".into() };
            let size = if share < 1.0 { self.span(*bytes) } else { bytes / block * block };
            text.push_str(&format!("\n[{name}]\nfilename=/dev/{name}\nsize={size}\n"));
        }
        text
    }
}

const TIMED: &str = "time_based=1\nramp_time=${RAMP_US}us\nruntime=${RUNTIME_US}us\n";
