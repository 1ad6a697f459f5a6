//! A trace added up, as text or as an answer.

use ::trace::{DeviceSummary, Op, Summary};
use answer::trace::{Trace, TraceDevice, TraceNotes, TraceSize};
use metric::{Dimension, counted, plain, show, show_block, show_volume};
use report::{Column, Table};

/// Sizes that are listed.
const SIZES: usize = 6;

/// A duration in words.
fn duration(ns: u64) -> String {
    show(Dimension::Time, ns as f64 / 1e9)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A table with a line for each device, and what holds for all.
pub fn text(name: &str, summary: &Summary) -> String {
    let total = summary.total();
    let used: Vec<&DeviceSummary> = summary.used().map(|(_, device)| device).collect();
    let devices = counted(used.len(), "device");
    let mut text = format!(
        "{name}: {}, {} requests of {devices} in {}\n\n",
        summary.format,
        total.all_requests(),
        duration(summary.duration_ns())
    );
    let mut table = Table::new(vec![
        Column::left("device"),
        Column::right("reads"),
        Column::right("writes"),
        Column::right("trims"),
        Column::right("flushes"),
        Column::right("read"),
        Column::right("written"),
        Column::right("reads of all"),
        Column::right("sequential"),
        Column::right("footprint"),
        Column::right("from"),
        Column::right("to"),
    ]);
    used.iter().for_each(|device| table.row(row(device, true)));
    if used.len() > 1 {
        table.row(row(&total, false));
    }
    text.push_str(&table.to_text());
    text.push('\n');
    for (what, value) in facts(summary, &total) {
        text.push_str(&format!("{what:<16}{value}\n"));
    }
    text
}

fn row(device: &DeviceSummary, has_place: bool) -> Vec<String> {
    let count = |op: Op| device.requests[op.index()].to_string();
    let moved = |op: Op| show_volume(device.bytes[op.index()]);
    let mut cells = vec![device.name.clone()];
    cells.extend(Op::ALL.map(count));
    cells.extend([moved(Op::Read), moved(Op::Write)]);
    cells.extend([percent(device.read_share()), percent(device.sequential_share())]);
    cells.push(show_volume(device.footprint_bytes));
    if has_place && device.end_byte > 0 {
        cells.extend([show_volume(device.first_byte), show_volume(device.end_byte)]);
    }
    cells
}

fn facts(summary: &Summary, total: &DeviceSummary) -> Vec<(&'static str, String)> {
    let seconds = summary.duration_ns() as f64 / 1e9;
    let rate = |amount: u64| if seconds > 0.0 { amount as f64 / seconds } else { f64::NAN };
    let per_second = |requests: f64, moved: f64| {
        let moved = show(Dimension::Bandwidth, moved);
        format!("{} requests/s, {moved}", plain(requests))
    };
    let mut list = Vec::new();
    if seconds > 0.0 {
        let mean = per_second(rate(total.all_requests()), rate(total.transferred_bytes()));
        list.push(("mean rate", mean));
    }
    if seconds > 1.0 {
        let peak = per_second(summary.peak_requests as f64, summary.peak_bytes as f64);
        list.push(("busiest second", peak));
    }
    let all: u64 = summary.sizes.values().sum::<u64>() + summary.other_sizes;
    let share = |count: u64| percent(count as f64 / all.max(1) as f64);
    let mut sizes: Vec<String> = summary
        .frequent_sizes(SIZES)
        .iter()
        .map(|(bytes, count)| format!("{} {}", show_block(*bytes), share(*count)))
        .collect();
    let shown: u64 = summary.frequent_sizes(SIZES).iter().map(|(_, count)| count).sum();
    if all > shown {
        sizes.push(format!("others {}", share(all - shown)));
    }
    if !sizes.is_empty() {
        list.push(("sizes", sizes.join(", ")));
    }
    if let Some(ns) = summary.mean_response_ns() {
        let mean = show(Dimension::Time, ns / 1e9);
        list.push(("response", format!("{mean} on the recorded drives, mean")));
    }
    if !summary.footprint_is_exact {
        list.push(("footprint", "a lower bound: the trace touches too much to count".to_owned()));
    }
    list
}

/// The same as an answer, in base units; `name` is the trace's, where it is not said elsewhere.
pub fn answer(name: Option<&str>, summary: &Summary) -> Trace {
    let total = summary.total();
    let seconds = summary.duration_ns() as f64 / 1e9;
    let rate = |amount: u64| (seconds > 0.0).then(|| amount as f64 / seconds);
    let size = |(bytes, requests): (&u64, &u64)| TraceSize { bytes: *bytes, requests: *requests };
    let notes = &summary.notes;
    Trace {
        trace: name.map(str::to_owned),
        format: summary.format.name().to_owned(),
        duration_s: seconds,
        total: device(&total, false),
        devices: summary.used().map(|(_, used)| device(used, true)).collect(),
        sizes: summary.sizes.iter().map(size).collect(),
        requests_of_other_sizes: summary.other_sizes,
        largest_bytes: summary.largest,
        mean_requests_per_s: rate(total.all_requests()),
        mean_bytes_per_s: rate(total.transferred_bytes()),
        busiest_second_requests: summary.peak_requests,
        busiest_second_bytes: summary.peak_bytes,
        mean_response_s: summary.mean_response_ns().map(|ns| ns / 1e9),
        footprint_is_exact: summary.footprint_is_exact,
        notes: TraceNotes {
            empty: notes.empty,
            other_records: notes.others,
            reordered: notes.reordered,
            late: notes.late,
            unaligned: notes.unaligned,
            cut: notes.cut,
        },
    }
}

fn device(device: &DeviceSummary, has_place: bool) -> TraceDevice {
    let count = |op: Op| device.requests[op.index()];
    let bytes = |op: Op| device.bytes[op.index()];
    let placed = has_place && device.end_byte > 0;
    TraceDevice {
        name: device.name.clone(),
        requests: device.all_requests(),
        reads: count(Op::Read),
        writes: count(Op::Write),
        trims: count(Op::Trim),
        flushes: count(Op::Flush),
        read_bytes: bytes(Op::Read),
        write_bytes: bytes(Op::Write),
        trim_bytes: bytes(Op::Trim),
        read_share: device.read_share(),
        sequential_share: device.sequential_share(),
        footprint_bytes: device.footprint_bytes,
        first_byte: placed.then_some(device.first_byte),
        end_byte: placed.then_some(device.end_byte),
        span_bytes: placed.then(|| device.span_bytes()),
    }
}
