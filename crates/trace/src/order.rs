//! Requests in order of time, although a file may have them in another.
//!
//! Recorders with a buffer for each processor write requests a little out of order. They are
//! sorted within a window, which bounds the memory; what comes even later gets the time of the
//! latest request that has gone before it.

use crate::notes::Notes;
use crate::request::Request;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Requests that are held to be sorted.
const WINDOW: usize = 8192;

struct Held {
    sequence: u64,
    request: Request,
}

impl Held {
    fn key(&self) -> (u64, u64) {
        (self.request.at_ns, self.sequence)
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Held {}

impl PartialOrd for Held {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Held {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// Sorts requests within a window and counts their times from the first.
#[derive(Default)]
pub(crate) struct Order {
    heap: BinaryHeap<Reverse<Held>>,
    sequence: u64,
    latest_ns: u64,
    /// Time of the first request and of the last one given out, as recorded.
    given: Option<(u64, u64)>,
}

impl Order {
    /// Takes a request with its recorded time.
    pub(crate) fn push(&mut self, mut request: Request, notes: &mut Notes) {
        if let Some((_, given_ns)) = self.given
            && request.at_ns < given_ns
        {
            notes.late += 1;
            request.at_ns = given_ns;
        } else if request.at_ns < self.latest_ns {
            notes.reordered += 1;
        }
        self.latest_ns = self.latest_ns.max(request.at_ns);
        self.heap.push(Reverse(Held { sequence: self.sequence, request }));
        self.sequence += 1;
    }

    /// Whether as many are held as the window allows.
    pub(crate) fn is_full(&self) -> bool {
        self.heap.len() > WINDOW
    }

    /// The earliest request, its time since the first.
    pub(crate) fn pop(&mut self) -> Option<Request> {
        let Reverse(Held { mut request, .. }) = self.heap.pop()?;
        let (first_ns, _) = self.given.unwrap_or((request.at_ns, 0));
        self.given = Some((first_ns, request.at_ns));
        request.at_ns -= first_ns;
        Some(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Op;

    fn request(at_ns: u64) -> Request {
        Request { at_ns, device: 0, op: Op::Read, offset: at_ns, len: 512, response_ns: None }
    }

    #[test]
    fn inside_the_window_requests_are_sorted_beyond_it_they_are_late() {
        let (mut order, mut notes) = (Order::default(), Notes::default());
        let mut out = Vec::new();
        let mut give = |order: &mut Order| out.extend(order.pop());
        for at in [50, 40, 45] {
            order.push(request(at), &mut notes);
        }
        assert_eq!((notes.reordered, notes.late), (2, 0));
        give(&mut order);
        give(&mut order);
        // 45 has been given out: 41 comes too late, and 47 does not.
        order.push(request(41), &mut notes);
        order.push(request(47), &mut notes);
        assert_eq!((notes.reordered, notes.late), (3, 1));
        (0..3).for_each(|_| give(&mut order));
        let times: Vec<u64> = out.iter().map(|r| r.at_ns).collect();
        assert_eq!(times, [0, 5, 5, 7, 10]);
        assert!(order.pop().is_none());
    }
}
