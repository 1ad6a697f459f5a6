//! Transfers: what a channel moves, and what becomes of it.

use super::channel::Transfer;
use super::{Fate, Nand, Outcome, kind};
use engine::{Event, EventQueue, Instant, Priority};

impl Nand {
    /// A page has been sensed: it goes over the channel, or waits for it.
    #[inline]
    pub(super) fn sensed(&mut self, queue: &mut EventQueue, now: Instant, id: u32) {
        let read = self.reads.get(id);
        let (die, bytes) = (read.die, u64::from(read.bytes));
        let channel = self.dies[usize::from(die)].channel;
        let c = &mut self.channels[channel as usize];
        if c.current.is_some() {
            self.reads.push(&mut c.reads, id);
        } else {
            // A free channel has nothing that waits for it.
            self.transfer(queue, now, channel, Transfer::Read(id), bytes);
        }
    }

    /// Gives the channel its next transfer if it is free: reads first, then a slice of a write.
    #[inline]
    pub(super) fn start_transfer(&mut self, queue: &mut EventQueue, now: Instant, channel: u32) {
        let c = &mut self.channels[channel as usize];
        if c.current.is_some() {
            return;
        }
        let (transfer, bytes) = if let Some(id) = self.reads.pop(&mut c.reads) {
            (Transfer::Read(id), self.reads.get(id).bytes as u64)
        } else if let Some(die) = c.slices.pop_front() {
            let left = self.dies[die as usize].loading;
            (Transfer::Slice(die), left.min(self.slice_bytes))
        } else {
            return;
        };
        self.transfer(queue, now, channel, transfer, bytes);
    }

    /// A free channel begins to move so many bytes.
    #[inline]
    fn transfer(
        &mut self,
        queue: &mut EventQueue,
        now: Instant,
        channel: u32,
        transfer: Transfer,
        bytes: u64,
    ) {
        self.channels[channel as usize].current = Some(transfer);
        let cost = self.bus.of(bytes) + self.timing.transfer_overhead;
        self.counters.bus_busy_ps += cost.ps() as u128;
        let event = Event { node: self.node, kind: kind::MOVED, argument: channel };
        queue.push(now + cost, Priority::Normal, event);
    }

    /// The code could not correct the data: decoding has failed and the page is sensed again with
    /// other references. Its plane is kept meanwhile.
    #[cold]
    fn read_again(&mut self, queue: &mut EventQueue, now: Instant, id: u32) {
        self.reads.count_retry(id);
        let read = *self.reads.get(id);
        self.counters.retries += 1;
        self.counters.senses += 1;
        self.counters.sensing_ps += u128::from(self.senses[read.page_type as usize].ps());
        self.counters.read_bytes += read.bytes as u64;
        let moved = read.bytes as u64 * self.power.transfer_per_byte.base();
        self.spend(now, moved + self.power.sense.base());
        let done = now + self.timing.ecc + self.senses[read.page_type as usize];
        let event = Event { node: self.node, kind: kind::SENSED, argument: id };
        queue.push(done, Priority::Normal, event);
    }

    #[inline]
    pub(super) fn moved(&mut self, queue: &mut EventQueue, now: Instant, channel: u32) -> Outcome {
        let c = &mut self.channels[channel as usize];
        let outcome = match c.current.take() {
            Some(Transfer::Read(id)) if self.reads.get(id).retries > 0 => {
                self.read_again(queue, now, id);
                Outcome::Nothing
            }
            Some(Transfer::Read(id)) => {
                let read = self.reads.remove(id);
                let energy = read.bytes as u64 * self.power.transfer_per_byte.base();
                if read.owner.is_host() {
                    self.counters.energy_pj += energy;
                } else {
                    self.spend(now, energy);
                }
                self.counters.read_bytes += read.bytes as u64;
                self.counters.lost += u64::from(read.fate == Fate::Lost);
                let d = &mut self.dies[read.die as usize];
                let plane = if self.timing.independent_planes { read.plane } else { 0 };
                d.busy_planes &= !(1 << plane);
                self.advance(queue, now, read.die as u32);
                Outcome::Arrived(read)
            }
            Some(Transfer::Slice(die)) => {
                let d = &mut self.dies[die as usize];
                d.loading -= d.loading.min(self.slice_bytes);
                if d.loading > 0 {
                    self.channels[channel as usize].slices.push_back(die);
                } else {
                    d.loaded = true;
                    self.advance(queue, now, die);
                }
                Outcome::Nothing
            }
            None => Outcome::Nothing,
        };
        self.start_transfer(queue, now, channel);
        outcome
    }
}
