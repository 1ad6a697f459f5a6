//! A trace added up: how much, how large, where, how fast.

use crate::device::Devices;
use crate::error::TraceError;
use crate::format::Format;
use crate::notes::Notes;
use crate::reader::Reader;
use crate::request::{Op, Request};
use std::collections::BTreeMap;

mod footprint;

use footprint::Footprint;

const SECOND_NS: u64 = 1_000_000_000;
/// Sizes that are distinguished; the rest is one class. A trace has few, a broken one many.
const SIZES: usize = 4096;

/// One recorded device, or all together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceSummary {
    /// Its name.
    pub name: String,
    /// Requests, by [`Op::index`].
    pub requests: [u64; 4],
    /// Bytes, by [`Op::index`].
    pub bytes: [u64; 4],
    /// First byte that is touched; `u64::MAX` if none is.
    pub first_byte: u64,
    /// Byte behind the last one that is touched.
    pub end_byte: u64,
    /// Different bytes that are read or written, in units of 4 KiB; a lower bound if
    /// [`Summary::footprint_is_exact`] is false.
    pub footprint_bytes: u64,
    /// Reads and writes that begin where the one before on the same device ended.
    pub sequential: u64,
}

impl DeviceSummary {
    fn new(name: &str) -> Self {
        DeviceSummary { name: name.to_owned(), first_byte: u64::MAX, ..Self::default() }
    }

    /// Requests of all kinds.
    pub fn all_requests(&self) -> u64 {
        self.requests.iter().sum()
    }

    /// Reads and writes.
    pub fn transfers(&self) -> u64 {
        self.requests[Op::Read.index()] + self.requests[Op::Write.index()]
    }

    /// Bytes read and written.
    pub fn transferred_bytes(&self) -> u64 {
        self.bytes[Op::Read.index()].saturating_add(self.bytes[Op::Write.index()])
    }

    /// Share of reads among reads and writes, 0 to 1; 0 without any.
    pub fn read_share(&self) -> f64 {
        share(self.requests[Op::Read.index()], self.transfers())
    }

    /// Share of sequential ones among reads and writes, 0 to 1; 0 without any.
    pub fn sequential_share(&self) -> f64 {
        share(self.sequential, self.transfers())
    }

    /// Bytes from the first that is touched to the last.
    pub fn span_bytes(&self) -> u64 {
        self.end_byte.saturating_sub(self.first_byte)
    }

    fn add(&mut self, other: &DeviceSummary) {
        for i in 0..4 {
            self.requests[i] += other.requests[i];
            self.bytes[i] = self.bytes[i].saturating_add(other.bytes[i]);
        }
        self.first_byte = self.first_byte.min(other.first_byte);
        self.end_byte = self.end_byte.max(other.end_byte);
        self.footprint_bytes += other.footprint_bytes;
        self.sequential += other.sequential;
    }
}

fn share(part: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

/// A trace added up.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Its format.
    pub format: Format,
    /// All recorded devices, by number; those that were left out have no requests.
    pub devices: Vec<DeviceSummary>,
    /// Arrival of the first request that counts, ns since the first of the trace.
    pub first_ns: u64,
    /// Arrival of the last one, ns since the first of the trace.
    pub last_ns: u64,
    /// Requests by size, bytes; of flushes none. Sizes beyond the 4096 that came first are
    /// counted in [`Summary::other_sizes`].
    pub sizes: BTreeMap<u64, u64>,
    /// Requests of other sizes.
    pub other_sizes: u64,
    /// Largest read or write, bytes.
    pub largest: u64,
    /// Most requests that arrive within a second on the clock of the trace.
    pub peak_requests: u64,
    /// Most bytes read and written within such a second.
    pub peak_bytes: u64,
    /// Sum of recorded response times, ns, and how many there are.
    pub responses: (u128, u64),
    /// Whether all of the footprint was counted.
    pub footprint_is_exact: bool,
    /// Irregularities.
    pub notes: Notes,
}

impl Summary {
    /// Reads a trace to its end. Requests for which `keep` is false do not count; `progress` is
    /// called with the bytes read so far, now and then.
    ///
    /// # Errors
    /// What is wrong with the trace.
    pub fn of(
        reader: &mut Reader,
        mut keep: impl FnMut(&Request, &Devices) -> bool,
        mut progress: impl FnMut(u64),
    ) -> Result<Summary, TraceError> {
        let mut adder = Adder::new(reader.format());
        let mut read = 0_u64;
        while let Some(request) = reader.next() {
            let request = request?;
            read += 1;
            if read.is_multiple_of(1 << 16) {
                progress(reader.bytes());
            }
            if keep(&request, reader.devices()) {
                adder.add(&request, reader.devices());
            }
        }
        Ok(adder.finish(reader))
    }

    /// All devices together. Their places are apart: span and first byte say little.
    pub fn total(&self) -> DeviceSummary {
        let mut total = DeviceSummary::new("all");
        self.devices.iter().for_each(|device| total.add(device));
        total
    }

    /// Devices that have requests.
    pub fn used(&self) -> impl Iterator<Item = (u32, &DeviceSummary)> {
        let numbered = self.devices.iter().enumerate().map(|(i, device)| (i as u32, device));
        numbered.filter(|(_, device)| device.all_requests() > 0)
    }

    /// From the first request to the last, ns.
    pub fn duration_ns(&self) -> u64 {
        self.last_ns - self.first_ns
    }

    /// Mean of the recorded response times, ns, if there are any.
    pub fn mean_response_ns(&self) -> Option<f64> {
        let (sum, count) = self.responses;
        (count > 0).then(|| sum as f64 / count as f64)
    }

    /// The most frequent sizes with their counts, at most `most`.
    pub fn frequent_sizes(&self, most: usize) -> Vec<(u64, u64)> {
        let mut list: Vec<(u64, u64)> = self.sizes.iter().map(|(size, n)| (*size, *n)).collect();
        list.sort_by_key(|(size, count)| (std::cmp::Reverse(*count), *size));
        list.truncate(most);
        list
    }
}

struct Adder {
    sum: Summary,
    footprint: Footprint,
    /// By device: where the last read or write ended.
    ends: Vec<u64>,
    began: bool,
    second: u64,
    in_second: (u64, u64),
}

impl Adder {
    fn new(format: Format) -> Self {
        let sum = Summary {
            format,
            devices: Vec::new(),
            first_ns: 0,
            last_ns: 0,
            sizes: BTreeMap::new(),
            other_sizes: 0,
            largest: 0,
            peak_requests: 0,
            peak_bytes: 0,
            responses: (0, 0),
            footprint_is_exact: true,
            notes: Notes::default(),
        };
        let footprint = Footprint::default();
        Adder { sum, footprint, ends: Vec::new(), began: false, second: 0, in_second: (0, 0) }
    }

    /// Gives every device that has occurred its place.
    fn make_room(&mut self, devices: &Devices) {
        for name in devices.names().iter().skip(self.sum.devices.len()) {
            self.sum.devices.push(DeviceSummary::new(name));
            self.ends.push(u64::MAX);
        }
    }

    fn add(&mut self, request: &Request, devices: &Devices) {
        self.make_room(devices);
        let sum = &mut self.sum;
        if !std::mem::replace(&mut self.began, true) {
            sum.first_ns = request.at_ns;
            self.second = request.at_ns / SECOND_NS;
        }
        sum.last_ns = request.at_ns;
        if let Some(response_ns) = request.response_ns {
            sum.responses.0 += u128::from(response_ns);
            sum.responses.1 += 1;
        }
        let device = &mut sum.devices[request.device as usize];
        let op = request.op.index();
        device.requests[op] += 1;
        device.bytes[op] = device.bytes[op].saturating_add(request.len);
        if request.len > 0 {
            device.first_byte = device.first_byte.min(request.offset);
            device.end_byte = device.end_byte.max(request.end());
            let known = sum.sizes.len();
            match sum.sizes.get_mut(&request.len) {
                Some(count) => *count += 1,
                None if known < SIZES => _ = sum.sizes.insert(request.len, 1),
                None => sum.other_sizes += 1,
            }
        }
        if matches!(request.op, Op::Read | Op::Write) {
            let end = &mut self.ends[request.device as usize];
            device.sequential += u64::from(*end == request.offset);
            *end = request.end();
            sum.largest = sum.largest.max(request.len);
            device.footprint_bytes += self.footprint.touch(request);
        }
        let second = request.at_ns / SECOND_NS;
        if second != self.second {
            self.close_second();
            self.second = second;
        }
        self.in_second.0 += 1;
        if matches!(request.op, Op::Read | Op::Write) {
            self.in_second.1 += request.len;
        }
    }

    fn close_second(&mut self) {
        let (requests, bytes) = std::mem::take(&mut self.in_second);
        self.sum.peak_requests = self.sum.peak_requests.max(requests);
        self.sum.peak_bytes = self.sum.peak_bytes.max(bytes);
    }

    fn finish(mut self, reader: &Reader) -> Summary {
        self.make_room(reader.devices());
        self.close_second();
        self.sum.notes = reader.notes().clone();
        self.sum.footprint_is_exact = self.footprint.is_exact();
        self.sum
    }
}
