//! What numbers of tests say by themselves, each by a closed form.

use super::plan::{Number, Numbers};

/// Rates that differ by less than this share are one.
pub const ALIKE: f64 = 0.015;

/// Random writes keep their number a second up to the mapping unit, and their bytes a second above
/// it. With these shares of the number with 4 KiB the writes of that size are within the unit.
const WITHIN_UNIT: f64 = 0.7;

/// A drive that writes no more than this with a fifth given up is not held up by what it moves.
const HELD_UP: f64 = 1.1;

/// Random 4 KiB writes a second where it is the controller that holds them up: more spare area does
/// not help them.
pub fn controller_iops(numbers: &Numbers) -> Option<f64> {
    let iops = |test: &str| Some(numbers.get(&format!("{test}.write_iops"))?.value);
    let whole = iops("random-4k")?;
    (iops("spare-20")? < HELD_UP * whole).then_some(whole)
}

/// The mapping unit, in KiB, from random writes of 4, 16 and 64 KiB; `None` if they were not
/// measured, or if it is the controller that holds them up: then their number says nothing of the
/// flash.
pub fn unit_kib(numbers: &Numbers) -> Option<u64> {
    if controller_iops(numbers).is_some() {
        return None;
    }
    let iops = |size: &str| Some(numbers.get(&format!("random-{size}.write_iops"))?.value);
    let small = iops("4k")?;
    let within = |size: &str| iops(size).is_some_and(|iops| iops > WITHIN_UNIT * small);
    Some(match (within("16k"), within("64k")) {
        (true, true) => 64,
        (true, false) => 16,
        _ => 4,
    })
}

/// No page is programmed in less, s: one bit per cell takes 100 to 250 us. A flush that takes
/// longer programs; one of a drive with capacitors is a command of some 10 us.
const LEAST_PROGRAM: f64 = 100e-6;

/// Whether what was acknowledged survives a power loss: a flush programs nothing.
pub fn is_protected(numbers: &Numbers) -> Option<bool> {
    Some(flush_time(numbers)? < LEAST_PROGRAM)
}

/// The rate in B/s at which the flash takes writes in order, the SLC cache apart: the end of a
/// fill, or writes in order where they are slower.
pub fn own_rate(numbers: &Numbers) -> Option<f64> {
    let rates = ["stream-write.write_bandwidth", "fill.bandwidth_steady"];
    let known = rates.iter().filter_map(|id| numbers.get(*id));
    known.map(|number| number.value).reduce(f64::min)
}

/// The highest rate in B/s at which writes were taken: where the buffer or an SLC cache takes them,
/// that of the way into it.
pub fn taken_rate(numbers: &Numbers) -> Option<f64> {
    let is_of = |number: &&Number| TAKEN.iter().any(|test| number.id.starts_with(test));
    numbers.values().filter(is_of).map(|number| number.value).reduce(f64::max)
}

/// Tests that write without a pause into an empty drive.
const TAKEN: [&str; 3] = ["burst-empty.", "fill.bandwidth_first", "stream-write."];

/// How long a flush of a single write takes besides the write, s.
pub fn flush_time(numbers: &Numbers) -> Option<f64> {
    let flushed = numbers.get("sync.flushed_iops")?.value;
    Some(1.0 / flushed - numbers.get("sync.write_lat_p50")?.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::Run;
    use metric::Params;

    fn numbers(all: &[(&str, f64)]) -> Numbers {
        let run = || Run {
            target: "drive".to_owned(),
            method: "corner".to_owned(),
            params: Params::default(),
        };
        let one = |(id, value): &(&str, f64)| {
            let (id, metric) = ((*id).to_owned(), id.split('.').next_back().unwrap().to_owned());
            (id.clone(), Number { id, run: run(), metric, value: *value, sigma: 0.01 })
        };
        all.iter().map(one).collect()
    }

    fn unit(iops: [f64; 4]) -> Option<u64> {
        let names = ["random-4k", "random-16k", "random-64k", "spare-20"];
        let ids: Vec<String> = names.iter().map(|name| format!("{name}.write_iops")).collect();
        let all: Vec<(&str, f64)> = ids.iter().map(String::as_str).zip(iops).collect();
        unit_kib(&numbers(&all))
    }

    #[test]
    fn writes_within_the_mapping_unit_keep_their_number() {
        assert_eq!(unit([40e3, 10e3, 2.5e3, 90e3]), Some(4));
        assert_eq!(unit([10e3, 10e3, 2.5e3, 22e3]), Some(16));
        assert_eq!(unit([5e3, 5e3, 4.9e3, 11e3]), Some(64));
        // Where the controller takes so many a second, their size and the spare area say nothing.
        assert_eq!(unit([3.6e3, 3.5e3, 1.8e3, 3.6e3]), None);
    }

    /// 300 us of SLC program tell a drive without capacitors, and 40 us of a command over SATA do
    /// not.
    #[test]
    fn a_flush_that_programs_tells_that_there_are_no_capacitors() {
        let sync = |write: f64, flush: f64| {
            let flushed = ("sync.flushed_iops", 1.0 / (write + flush));
            is_protected(&numbers(&[("sync.write_lat_p50", write), flushed]))
        };
        assert_eq!(sync(320e-6, 500e-6), Some(false));
        assert_eq!(sync(12e-6, 300e-6), Some(false));
        assert_eq!(sync(82e-6, 40e-6), Some(true));
        assert_eq!(is_protected(&numbers(&[])), None);
    }

    #[test]
    fn the_end_of_a_fill_is_the_flash_and_a_burst_is_the_way_to_it() {
        let all = numbers(&[
            ("burst-empty.burst_1mib", 3.4e9),
            ("burst-empty.burst_16mib", 3.6e9),
            ("burst.burst_1mib", 9.9e9),
            ("fill.bandwidth_first", 3.5e9),
            ("fill.bandwidth_steady", 0.9e9),
            ("fill.first_knee", 1.2e11),
            ("stream-write.write_bandwidth", 1.4e9),
        ]);
        assert_eq!((own_rate(&all), taken_rate(&all)), (Some(0.9e9), Some(3.6e9)));
    }
}
