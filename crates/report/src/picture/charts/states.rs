//! Each run over its time: the rate, and what state its drive was in.

use super::Group;
use crate::document::Chart;
use crate::picture::label::words;
use crate::picture::state::{WHOLE, of_series};
use stats::Series;

/// Pictures of each run, the fewer the more runs there are.
pub fn draw(group: &Group<'_>) -> Vec<Chart> {
    let title = group.title;
    let mut charts = Vec::new();
    for (run, name) in group.named() {
        let whole = run.series.iter().find(|series| series.name == WHOLE);
        let of = match group.runs.len() {
            1 => title.to_owned(),
            _ => format!("{title}: {name}"),
        };
        // What explains the rate best comes first: of many runs that is what there is room for.
        let room = match group.runs.len() {
            0..=2 => usize::MAX,
            3..=8 => 2,
            _ => 1,
        };
        let by_step =
            |series: &Series| of_series(&format!("{of}, {}", words(&series.name)), series);
        let all: Vec<Chart> = match whole {
            Some(series) => of_series(&of, series),
            None => run.series.iter().flat_map(by_step).collect(),
        };
        let of_drive = |mut chart: Chart| {
            chart.lines.iter_mut().for_each(|line| line.drive.clone_from(&run.target));
            chart
        };
        charts.extend(all.into_iter().take(room).map(of_drive));
    }
    charts
}
