//! Distributions of latency as pictures. Bins in which there is nothing are not kept in results:
//! where the next bin begins later than the one before it ends, a picture shows nothing.

use crate::document::{Axis, Chart, Line, Scale, Style};
use crate::quantity::{Shown, short};
use stats::{LatencyResult, NamedHistogram};

/// Lines that one picture can hold.
const MOST: usize = 6;

/// The buckets of a distribution, if they were kept.
pub fn bins(latency: &LatencyResult) -> Option<NamedHistogram> {
    let histogram = latency.histogram.as_ref().filter(|histogram| !histogram.is_empty())?;
    let mut bins = NamedHistogram::default();
    for (index, count) in histogram.sparse() {
        bins.lower_ns.push(stats::histogram::lower_ns(index));
        bins.upper_ns.push(stats::histogram::upper_ns(index));
        bins.counts.push(count);
    }
    Some(bins)
}

/// A bin with I/Os in it.
struct Bin {
    /// Where it begins, ns, if there is nothing between it and the bin before it.
    gap_to: Option<u64>,
    /// Where it ends, ns.
    upper: u64,
    count: u64,
}

/// The bins with I/Os in them. Results of earlier versions tell only where bins end: of these each
/// begins where the one before it ends.
fn filled(histogram: &NamedHistogram) -> impl Iterator<Item = Bin> {
    let ends = histogram.upper_ns.iter().zip(&histogram.counts).enumerate();
    let mut end = 0;
    ends.filter(|(_, (_, count))| **count > 0).map(move |(i, (upper, count))| {
        let lower = histogram.lower_ns.get(i).copied().filter(|lower| *lower > end);
        end = *upper;
        Bin { gap_to: lower, upper: *upper, count: *count }
    })
}

/// How many I/Os took how long: share by latency, on a logarithmic axis.
pub fn chart(title: &str, group: &[(String, &NamedHistogram)]) -> Chart {
    let longest = group.iter().filter_map(|(_, h)| h.upper_ns.last()).max();
    let x = Shown::of("s", "lat", longest.map_or(0.0, |ns| *ns as f64 * 1e-9));
    let line = |(name, histogram): &(String, &NamedHistogram)| {
        Line::new(name, Style::Steps, steps(histogram, x.factor))
    };
    Chart {
        title: format!("{title}, histogram"),
        about: "The share of I/Os in each bin; bins widen with the latency.".to_owned(),
        x: Axis::new("latency", &x.unit, Scale::Log),
        y: Axis { from: Some(0.0), ..Axis::new("I/Os", "%", Scale::Linear) },
        lines: group.iter().take(MOST).map(line).collect(),
        ..Chart::default()
    }
}

/// Steps over latency: each point is the end of a bin and the share of I/Os in it.
fn steps(histogram: &NamedHistogram, factor: f64) -> Vec<[f64; 2]> {
    let total: u64 = histogram.counts.iter().sum();
    let at = |ns: u64| short(ns as f64 * 1e-9 * factor);
    let mut points = Vec::new();
    for bin in filled(histogram) {
        points.extend(bin.gap_to.map(|lower| [at(lower), 0.0]));
        points.push([at(bin.upper), short(bin.count as f64 / total.max(1) as f64 * 100.0)]);
    }
    // Beyond the last bin there is nothing either.
    points.extend(points.last().map(|last| [last[0], 0.0]));
    points
}

/// A distribution as points on axes of nines and latency: the share that is at most as slow as the
/// upper end of each bin. The last bin, in which all are, has no place on an axis of nines: it
/// stands where one of its I/Os is left. Where no I/O took a latency the line goes straight up.
pub fn cumulative(histogram: &NamedHistogram, factor: f64) -> Vec<[f64; 2]> {
    let total: u64 = histogram.counts.iter().sum();
    let mut below = 0_u64;
    let mut points = Vec::new();
    let mut put = |below: u64, ns: u64| {
        let left = (total - below).max(1) as f64 / total as f64;
        // One that is left of one is all of them, and 0 has no sign.
        points.push([short(-left.log10()).max(0.0), short(ns as f64 * 1e-9 * factor)]);
    };
    for bin in filled(histogram) {
        if let Some(lower) = bin.gap_to {
            put(below, lower);
        }
        below += bin.count;
        put(below, bin.upper);
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::Histogram;

    /// Nothing took 20.5 to 69.6 us, and 12 % took a little longer.
    fn two_heaps() -> NamedHistogram {
        NamedHistogram {
            lower_ns: vec![20_000, 69_632],
            upper_ns: vec![20_480, 70_656],
            counts: vec![88, 12],
            ..NamedHistogram::default()
        }
    }

    #[test]
    fn no_bar_stands_where_no_io_is() {
        let chart = chart("t", &[("a".to_owned(), &two_heaps())]);
        let points = &chart.lines[0].points;
        assert_eq!(
            *points,
            [[20.0, 0.0], [20.48, 88.0], [69.632, 0.0], [70.656, 12.0], [70.656, 0.0]]
        );
    }

    #[test]
    fn a_distribution_goes_straight_up_where_no_io_is() {
        let points = cumulative(&two_heaps(), 1e6);
        assert_eq!(points[0], [0.0, 20.0]);
        assert_eq!(points[1][1], 20.48);
        assert_eq!(points[2], [points[1][0], 69.632], "at the same share");
        assert_eq!(points[3], [2.0, 70.656]);
    }

    #[test]
    fn what_fio_wrote_has_its_gaps_too() {
        let mut histogram = Histogram::new();
        histogram.record_n(20_000, 88);
        histogram.record_n(70_000, 12);
        let latency = LatencyResult { n: 100, histogram: Some(histogram), ..Default::default() };
        let bins = bins(&latency).unwrap();
        let points = steps(&bins, 1e6);
        assert_eq!(points.iter().filter(|point| point[1] == 0.0).count(), 3);
        // A bar of 12 % is as wide as a bucket of fio, less than 2 % of the latency.
        let bar = points.iter().position(|point| point[1] == 12.0).unwrap();
        assert!(points[bar - 1][1] == 0.0 && points[bar][0] / points[bar - 1][0] < 1.02);
    }

    #[test]
    fn a_distribution_ends_where_its_last_io_stands() {
        let histogram = NamedHistogram {
            upper_ns: vec![100_000, 200_000, 900_000],
            counts: vec![900, 99, 1],
            ..NamedHistogram::default()
        };
        assert_eq!(cumulative(&histogram, 1e6), [[1.0, 100.0], [3.0, 200.0], [3.0, 900.0]]);
        assert!(cumulative(&NamedHistogram::default(), 1.0).is_empty());
    }
}
