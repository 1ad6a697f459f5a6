//! Separation of hot and cold: host writes that are expected to die at different times go to
//! different groups, so that groups empty themselves or stay full.
//!
//! Each class of writes has a write stream of its own, beside the one for copies. Copies of all
//! classes share theirs: what outlived its group is cold by its history. A stream costs spare, half
//! an open stripe on average and one stripe of reserve.

mod hint;
mod recency;

use super::Ftl;
use super::stream::WriteStream;
use crate::device::flash::geometry::Layout;
use crate::kernel::payload::Payload;
use recency::Recency;

/// How host writes are separated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Separation {
    /// Not at all: one write stream for the host.
    #[default]
    None,
    /// By the stream that a command names, up to this many streams (NVMe directives, SCSI streams).
    Hint(u32),
    /// By how long ago the unit was written last: hot below this share of the logical capacity.
    Recency(f64),
}

impl Separation {
    /// Write streams of the host.
    pub fn streams(self) -> u32 {
        match self {
            Separation::None => 1,
            Separation::Hint(streams) => streams.max(1),
            Separation::Recency(_) => 2,
        }
    }
}

/// The streams beyond the first, and what decides between them.
#[derive(Clone)]
pub(super) struct Separated {
    policy: Separation,
    pub(super) streams: Vec<WriteStream>,
    pub(super) recency: Option<Recency>,
}

impl Separated {
    /// `None` if the policy needs no stream but the first.
    pub(super) fn new(policy: Separation, logical: u32, stream: &WriteStream) -> Option<Box<Self>> {
        let streams = (1..policy.streams()).map(|_| stream.clone()).collect::<Vec<_>>();
        let recency = match policy {
            Separation::Recency(window) => Some(Recency::new(logical, window)),
            _ => None,
        };
        (!streams.is_empty()).then(|| Box::new(Separated { policy, streams, recency }))
    }

    /// The stream for one unit of the host; class 0 is `first`.
    pub(super) fn stream_for<'a>(
        &'a mut self,
        logical: u32,
        hint: u16,
        first: &'a mut WriteStream,
    ) -> &'a mut WriteStream {
        let class = match (&mut self.recency, self.policy) {
            (Some(recency), _) => usize::from(recency.is_hot(logical)),
            (None, Separation::Hint(streams)) => hint::class(hint, streams),
            (None, _) => 0,
        };
        match class {
            0 => first,
            class => &mut self.streams[class - 1],
        }
    }

    /// True if every stream can place `size` units without opening a stripe.
    pub(super) fn all_take(&self, layout: &Layout, size: u32) -> bool {
        self.streams.iter().all(|stream| stream.takes(layout, size))
    }
}

impl<P: Payload> Ftl<P> {
    /// The stream that the host named for the units that come next.
    #[inline]
    pub fn set_hint(&mut self, hint: u16) {
        self.hint = hint;
    }
}
