//! Senses: a read waits for its plane, and those of the host go first.

use super::{Nand, PageRead, kind};
use engine::{Event, EventQueue, Instant, Priority};

impl Nand {
    /// Queues a read of a page.
    #[inline(always)]
    pub fn read(&mut self, queue: &mut EventQueue, now: Instant, read: PageRead) {
        let (die, plane, for_host) = (read.die, read.plane, read.owner.is_host());
        let id = self.reads.insert(read);
        self.begin_read(queue, now, id, die, plane, for_host);
    }

    /// A read goes to its plane, or waits for it.
    fn begin_read(
        &mut self,
        queue: &mut EventQueue,
        now: Instant,
        id: u32,
        die: u16,
        plane: u8,
        for_host: bool,
    ) {
        let die = u32::from(die);
        let plane = if self.timing.independent_planes { u32::from(plane) } else { 0 };
        let d = &mut self.dies[die as usize];
        if d.has_nothing_to_do() && d.busy_planes >> plane & 1 == 0 {
            return self.sense(queue, now, die, plane, id, for_host);
        }
        let lists = &mut self.waiting[(die * self.planes + plane) as usize];
        let (list, waiting) = match for_host {
            true => (&mut lists.host, &mut d.host_waiting),
            false => (&mut lists.copies, &mut d.copies_waiting),
        };
        self.reads.push(list, id);
        *waiting |= 1 << plane;
        self.advance(queue, now, die);
    }

    /// Begins the senses that the die's free planes can take: the host's first.
    #[inline]
    pub(super) fn start_senses(&mut self, queue: &mut EventQueue, now: Instant, die: u32) {
        let d = &self.dies[die as usize];
        let mut planes = d.senses_now();
        if planes == 0 {
            return;
        }
        // An array operation that has waited long goes first; reads will then suspend it.
        if d.wants_array_since.is_some_and(|t| now.since(t) >= self.suspend.max_hold) {
            return;
        }
        while planes != 0 {
            let plane = planes.trailing_zeros();
            planes &= planes - 1;
            let d = &mut self.dies[die as usize];
            let lists = &mut self.waiting[(die * self.planes + plane) as usize];
            let for_host = d.host_waiting >> plane & 1 == 1;
            let (list, waiting) = match for_host {
                true => (&mut lists.host, &mut d.host_waiting),
                false => (&mut lists.copies, &mut d.copies_waiting),
            };
            let Some(id) = self.reads.pop(list) else { continue };
            if list.is_empty() {
                *waiting &= !(1 << plane);
            }
            self.sense(queue, now, die, plane, id, for_host);
        }
    }

    /// A free plane senses, unless it still holds the page.
    #[inline]
    fn sense(
        &mut self,
        queue: &mut EventQueue,
        now: Instant,
        die: u32,
        plane: u32,
        id: u32,
        for_host: bool,
    ) {
        self.dies[die as usize].busy_planes |= 1 << plane;
        let read = self.reads.get(id);
        if self.registers.serve(die, plane, read) {
            self.counters.kept += 1;
            return self.sensed(queue, now, id);
        }
        let time = self.senses[read.page_type as usize];
        let event = Event { node: self.node, kind: kind::SENSED, argument: id };
        queue.push(now + time, Priority::Normal, event);
        self.counters.senses += 1;
        self.counters.sensing_ps += u128::from(time.ps());
        self.counters.energy_pj += self.power.sense.base();
        // A host command has paid when it was admitted.
        if let Some(gate) = self.energy_gate.as_mut().filter(|_| !for_host) {
            gate.take(now, self.power.sense.base());
        }
    }
}
