//! Which drive a line or a bar belongs to, so that a page can give each drive one colour in all of
//! its charts.

use crate::document::{Chart, ChartKind};

/// A name in legends, and the drive that has it.
pub type Owner = (String, String);

/// The chart with the drive of each line, or of each bar where a single line has all of them. Where
/// all that is shown is of one drive, all lines are.
pub fn owned(mut chart: Chart, owners: &[Owner]) -> Chart {
    let only = owners.first().map(|(_, drive)| drive);
    let only = only.filter(|drive| owners.iter().all(|(_, other)| other == *drive)).cloned();
    for line in chart.lines.iter_mut().filter(|line| line.drive.is_empty()) {
        let own = drive_of(&line.name, owners).or_else(|| only.clone());
        line.drive = own.unwrap_or_default();
    }
    if chart.kind == ChartKind::Bars && chart.lines.len() == 1 {
        let drives: Option<Vec<String>> =
            chart.x.names.iter().map(|name| drive_of(name, owners)).collect();
        chart.x.drives = drives.unwrap_or_default();
    }
    chart
}

/// The drive whose name is this, or the longest beginning of it: `NAME: read latency`.
fn drive_of(name: &str, owners: &[Owner]) -> Option<String> {
    let belongs = |(own, _): &&Owner| match name.strip_prefix(own.as_str()) {
        Some(rest) => rest.is_empty() || rest.starts_with([':', ',']) || rest.starts_with(" ("),
        None => false,
    };
    let own = owners.iter().filter(belongs).max_by_key(|(own, _)| own.len());
    own.map(|(_, drive)| drive.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Axis, Line, Style};

    fn owners() -> Vec<Owner> {
        let pair = |name: &str| (name.to_owned(), format!("drive {name}"));
        ["a", "a, QD 4", "a-plus"].map(pair).to_vec()
    }

    #[test]
    fn a_line_belongs_to_the_drive_whose_name_it_begins_with() {
        let names = ["a", "a: read latency", "a, QD 4: reads", "a-plus", "a-minus", "bandwidth"];
        let lines = names.map(|name| Line::new(name, Style::Line, Vec::new())).to_vec();
        let chart = owned(Chart { lines, ..Chart::default() }, &owners());
        let drives: Vec<&str> = chart.lines.iter().map(|line| line.drive.as_str()).collect();
        assert_eq!(drives, ["drive a", "drive a", "drive a, QD 4", "drive a-plus", "", ""]);
    }

    #[test]
    fn all_lines_of_the_only_drive_are_its_own() {
        let lines = ["bandwidth", "temperature"].map(|n| Line::new(n, Style::Line, Vec::new()));
        let chart = Chart { lines: lines.to_vec(), ..Chart::default() };
        let drives = |owners: &[Owner]| -> Vec<String> {
            owned(chart.clone(), owners).lines.into_iter().map(|line| line.drive).collect()
        };
        assert_eq!(drives(&owners()[..1]), ["drive a", "drive a"]);
        assert_eq!(drives(&owners()), ["", ""]);
    }

    #[test]
    fn bars_of_one_line_belong_to_drives_if_all_do() {
        let bars = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            let chart = Chart {
                kind: ChartKind::Bars,
                x: Axis::names("", names),
                lines: vec![Line::new("iops", Style::Line, Vec::new())],
                ..Chart::default()
            };
            owned(chart, &owners()).x.drives
        };
        assert_eq!(bars(&["a-plus", "a"]), ["drive a-plus", "drive a"]);
        assert!(bars(&["a", "4 KiB"]).is_empty());
    }
}
