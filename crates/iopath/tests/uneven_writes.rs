//! Members of arrays with parity: the constructor of their steady state against writing.

use crate::common::*;
use engine::Stream;
use iopath::device::flash::ftl::Ftl;
use iopath::device::flash::ftl::policies::{FtlPolicies, WritePoints};
use iopath::device::flash::ftl::victim::VictimPolicy;
use iopath::device::flash::geometry::Layout;
use iopath::kernel::spread::Spread;

const UNIT: u64 = 4096;
const WINDOW: u64 = 16;

/// One member of `members`, the windows of whose parity are the first `parities` of each period.
fn member(members: u32, parities: u32, live: u32, log_units: u64) -> Spread {
    let area = u64::from(live) - log_units;
    let data = UNIT;
    Spread {
        window: WINDOW * UNIT,
        period: members,
        warm: (1 << parities) - 1,
        bytes: area * UNIT,
        log: (log_units > 0).then_some((area * UNIT, log_units * UNIT)),
        written: [data, u64::from(parities) * data, log_units * UNIT],
    }
}

/// Writes as an array does: its data anywhere, its parity anywhere, and its log.
struct Writer<'a> {
    spread: &'a Spread,
    live: u32,
    stream: Stream,
}

impl Writer<'_> {
    fn unit(&mut self, warm: bool) -> u32 {
        let area = self.spread.bytes / UNIT;
        loop {
            let unit = self.stream.below(area);
            let window = unit / WINDOW % u64::from(self.spread.period);
            if (self.spread.warm >> window & 1 != 0) == warm {
                return unit as u32;
            }
        }
    }

    fn write(&mut self, ftl: &mut Ftl<()>, times: u32) {
        let parities = self.spread.written[1] / self.spread.written[0];
        for _ in 0..times {
            let data = self.unit(false);
            ftl.write(data, ());
            for _ in 0..parities {
                let parity = self.unit(true);
                ftl.write(parity, ());
            }
            if let Some((first, bytes)) = self.spread.log {
                (0..bytes / UNIT).for_each(|at| ftl.write((first / UNIT + at) as u32, ()));
            }
        }
    }

    /// Amplification of as many writes as `share` of the drive.
    fn amplification(&mut self, ftl: &mut Ftl<()>, share: f64) -> f64 {
        let before = ftl.ledger();
        self.write(ftl, (f64::from(self.live) * share) as u32);
        let after = ftl.ledger();
        (after.total() - before.total()) as f64 / (after.host - before.host) as f64
    }
}

/// From the first write on amplification is the one that long writing leads to, whether copies have
/// stripes of their own or not. Uniform writes would lead elsewhere.
#[test]
fn the_state_of_a_member_is_the_one_that_its_array_writes() {
    let (stripes, rows) = (1500, 64);
    for (members, parities, log, write_points) in [
        (8, 1, 2, WritePoints::Separate),
        (8, 1, 0, WritePoints::Separate),
        (4, 1, 0, WritePoints::Separate),
        (24, 2, 0, WritePoints::Separate),
        (8, 1, 0, WritePoints::Shared),
        (8, 1, 2, WritePoints::Shared),
    ] {
        let geometry = Geometry { rows, groups_per_lane: stripes, ..geometry() };
        let layout = Layout::new(geometry);
        let physical = layout.groups * layout.group_data_units;
        let live = physical / 8 * 7;
        let policies =
            FtlPolicies { victim: VictimPolicy::Greedy, write_points, ..FtlPolicies::default() };
        let spread = member(members, parities, live, log);
        let mut writer = Writer { spread: &spread, live, stream: Stream::new(3, "writer") };
        let empty = || Ftl::<()>::new(layout.clone(), live, policies.clone(), false);

        let mut written = empty();
        (0..live).for_each(|unit| written.write(unit, ()));
        writer.write(&mut written, 3 * live);
        let wanted = writer.amplification(&mut written, 0.2);

        let mut built = empty();
        built.construct_steady(live, 1, Some(&spread), &mut Stream::new(9, "steady"));
        built.audit();
        assert_eq!(built.map().mapped(), live);
        let found = writer.amplification(&mut built, 0.2);
        assert!(
            (found / wanted - 1.0).abs() < 0.025,
            "{members} members, {parities} parities, log {log}, {write_points:?}: written \
             {wanted:.3}, built {found:.3}"
        );
    }
}

/// A member that is brought into the state of uniform writes is not in its own: what its array
/// writes amplifies less at first.
#[test]
fn uniform_writes_lead_elsewhere() {
    let geometry = Geometry { rows: 64, groups_per_lane: 1500, ..geometry() };
    let layout = Layout::new(geometry);
    let live = layout.groups * layout.group_data_units / 8 * 7;
    let spread = member(8, 1, live, 2);
    let first = |spread_of_state: Option<&Spread>| {
        let mut ftl = Ftl::<()>::new(layout.clone(), live, VictimPolicy::Greedy, false);
        ftl.construct_steady(live, 1, spread_of_state, &mut Stream::new(9, "steady"));
        let mut writer = Writer { spread: &spread, live, stream: Stream::new(3, "writer") };
        writer.amplification(&mut ftl, 0.05)
    };
    let (uniform, own) = (first(None), first(Some(&spread)));
    assert!(uniform < 0.97 * own, "{uniform} and {own}");
}
