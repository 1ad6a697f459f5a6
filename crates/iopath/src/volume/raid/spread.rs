//! How random writes to an array come down to its members.

use super::Raid;
use super::config::{PAGE, WriteLog};
use crate::kernel::payload::Payload;
use crate::kernel::spread::Spread;

impl<P: Payload> Raid<P> {
    /// The members in the slots of the array: slot and address.
    pub fn slots(&self) -> impl Iterator<Item = (u32, u16)> + '_ {
        (0..self.config.members).filter_map(|slot| {
            let member = self.members.at(slot)?;
            Some((slot, self.members.all[usize::from(member)].address))
        })
    }

    /// How random writes of `block` bytes, aligned to them, reach the member in a slot, which takes
    /// whole units of `unit` bytes. `None` if all of it is written alike.
    ///
    /// A write of less than a stripe writes the parity of its rows once, however many columns it
    /// touches: a byte of parity is written as often as the data of those columns together. The log
    /// takes a page and the rows, always at one place.
    pub fn spread(&self, slot: u32, block: u64, unit: u64) -> Option<Spread> {
        let (layout, members) = (&self.layout, self.config.members);
        if !self.parity() {
            return None;
        }
        let chunk = layout.chunk();
        let rows = block.clamp(u64::from(PAGE).max(unit), chunk.max(unit));
        let touched = (block / chunk).clamp(1, u64::from(layout.columns()));
        let partial = touched < u64::from(layout.columns());
        let logged = match self.config.log {
            WriteLog::PartialParity if partial => u64::from(PAGE) + rows,
            WriteLog::PartialParity => u64::from(PAGE),
            WriteLog::None | WriteLog::Protected => 0,
        };
        let logged = logged.min(self.config.metadata).next_multiple_of(unit);
        let warm = (0..u64::from(members))
            .filter(|&stripe| layout.parity_slots(stripe) >> slot & 1 != 0)
            .fold(0, |set, stripe| set | 1 << stripe);
        Some(Spread {
            window: chunk,
            period: members,
            warm,
            bytes: layout.member_bytes(),
            log: (logged > 0).then_some((layout.member_bytes(), logged)),
            written: [touched * rows, u64::from(layout.parities()) * rows, logged],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::{Level, RaidConfig};
    use super::*;
    use ::engine::narrow;

    const KIB: u64 = 1 << 10;

    fn spread(config: RaidConfig, slot: u32, block: u64) -> Option<Spread> {
        let below: Vec<(u16, u64)> =
            (0..narrow::<u16>(config.members)).map(|at| (at, 1 << 30)).collect();
        Raid::<()>::new(config, &below, 99).spread(slot, block, 4 * KIB)
    }

    /// Two writes for each of the host: data to one of five windows, parity to one.
    #[test]
    fn parity_takes_as_much_as_the_data() {
        let five = spread(RaidConfig::new(Level::Raid5, 6, 65536), 5, 4 * KIB).unwrap();
        assert_eq!((five.window, five.period), (65536, 6));
        assert_eq!(five.warm, 1, "left symmetric: the last member has that of stripe 0");
        assert_eq!(five.shares(), [0.5, 0.5, 0.0]);
        let six = spread(RaidConfig::new(Level::Raid6, 6, 65536), 5, 4 * KIB).unwrap();
        assert_eq!(six.warm.count_ones(), 2);
        assert_eq!(six.written, [4096, 8192, 0]);
    }

    /// A write of a whole stripe writes each of its chunks once.
    #[test]
    fn whole_stripes_are_written_alike() {
        let whole = spread(RaidConfig::new(Level::Raid5, 5, 65536), 0, 256 * KIB).unwrap();
        assert_eq!(whole.written, [4 * 65536, 65536, 0]);
        let half = spread(RaidConfig::new(Level::Raid5, 5, 65536), 0, 128 * KIB).unwrap();
        assert_eq!(half.written, [2 * 65536, 65536, 0]);
    }

    /// The log takes a page more than the rows, after what the array uses.
    #[test]
    fn a_log_of_partial_parity_is_at_one_place() {
        let mut config = RaidConfig::new(Level::Raid5, 4, 65536);
        config.log = WriteLog::PartialParity;
        config.metadata = 1 << 20;
        let logged = spread(config, 0, 4 * KIB).unwrap();
        assert_eq!(logged.log, Some(((1 << 30) - (1 << 20), 8192)));
        assert_eq!(logged.shares(), [0.25, 0.25, 0.5]);
    }

    #[test]
    fn arrays_without_parity_are_written_alike() {
        assert_eq!(spread(RaidConfig::new(Level::Raid0, 4, 65536), 0, 4 * KIB), None);
        assert_eq!(spread(RaidConfig::new(Level::Raid10, 4, 65536), 0, 4 * KIB), None);
    }
}
