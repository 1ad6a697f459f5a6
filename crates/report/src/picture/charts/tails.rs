//! How late the last are: latency against the share of I/Os that are quicker, to six nines.

use super::Group;
use crate::document::{Careful, Chart, Line, Style};
use crate::picture::label::words;
use crate::picture::nines::{axis, latency_axis, nines};
use crate::quantity::short;
use std::collections::BTreeMap;

/// Lines that one picture can hold.
const MOST: usize = 12;

/// Percentiles as nines, with their values, s.
type Percentiles = Vec<(f64, f64)>;

/// One picture; none without percentiles.
pub fn draw(group: &Group<'_>) -> Vec<Chart> {
    let title = format!("{}: latency by percentile", group.title);
    // Latency of reads and writes apart: which of them is asked for is the method's choice.
    let mut lines: Vec<(String, Percentiles, u64)> = Vec::new();
    let mut longest = 0.0_f64;
    for (run, name) in group.named() {
        let mut kinds: BTreeMap<&str, (Percentiles, u64)> = BTreeMap::new();
        for (metric, number) in &run.metrics {
            let Some((kind, percent)) = metric.split_once("_p") else { continue };
            let Ok(percent) = percent.parse::<f64>() else { continue };
            if number.unit == "s" && percent < 100.0 && number.value > 0.0 {
                let line = kinds.entry(kind).or_default();
                line.0.push((nines(percent), number.value));
                line.1 = number.samples.unwrap_or(0);
            }
        }
        for (kind, (mut points, samples)) in kinds {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            // Beyond the last I/O there is nothing to be seen: one in ten samples is the limit.
            if samples > 0 {
                points.retain(|(at, _)| *at <= (samples as f64).log10());
            }
            if points.len() < 3 {
                continue;
            }
            longest = points.iter().map(|(_, value)| *value).fold(longest, f64::max);
            lines.push((format!("{name}: {}", words(kind)), points, samples));
        }
    }
    if lines.is_empty() {
        return Vec::new();
    }
    let total = lines.len();
    lines.truncate(MOST);
    let (y, shown) = latency_axis(longest);
    let last = lines.iter().flat_map(|line| &line.1).map(|(at, _)| *at).fold(0.0, f64::max);
    let mut few: Vec<String> = Vec::new();
    let mut chart = Chart {
        title: title.clone(),
        about: "The further a line stays low to the right, the steadier the drive: 99.99 % means \
                that one I/O in ten thousand takes longer."
            .to_owned(),
        x: axis(last),
        y,
        ..Chart::default()
    };
    for (name, points, samples) in lines {
        let scaled = points.iter().map(|(at, value)| [short(*at), short(value * shown.factor)]);
        chart.lines.push(Line::new(&name, Style::Line, scaled.collect()));
        // Ten I/Os beyond a percentile are the least on which it can rest.
        let reach = (samples as f64 / 10.0).log10();
        if samples > 0 && points.iter().any(|(at, _)| *at > reach) {
            few.push(format!("{name} ({samples} samples)"));
        }
    }
    if !few.is_empty() {
        let said = "fewer than ten I/Os are beyond the last percentiles".to_owned();
        chart.warnings.push(Careful { said, concerns: few });
    }
    if total > MOST {
        let said = format!("{title}: {MOST} of {total} lines are drawn; the table has all");
        chart.warnings.push(Careful::of_all(said));
    }
    vec![chart]
}
