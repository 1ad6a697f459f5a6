//! A campaign in words.

use crate::progress::time;
use answer::Campaign;
use answer::campaign::{CampaignTest, Estimate};
use report::{Column, Table};

/// What the tests take, before they begin.
pub fn estimates(campaign: &Campaign) -> String {
    let columns = vec![
        Column::left("Drive"),
        Column::left("Test"),
        Column::left("State"),
        Column::right("Time"),
        Column::right("Written, at most"),
        Column::right("Of rated writes"),
    ];
    let mut table = Table::new(columns);
    for test in &campaign.tests {
        let of = |cell: &dyn Fn(&Estimate) -> String| {
            test.estimate.as_ref().map_or_else(|| "not known".to_owned(), cell)
        };
        table.row(vec![
            test.drive.clone(),
            test.method.clone(),
            test.state.word().to_owned(),
            of(&|estimate| between(estimate.seconds_least, estimate.seconds_most)),
            of(&|estimate| bytes(estimate.written_most)),
            of(&|estimate| estimate.wear_most.map_or_else(|| "not known".to_owned(), percent)),
        ]);
    }
    let all: Vec<&Estimate> =
        campaign.tests.iter().filter_map(|test| test.estimate.as_ref()).collect();
    if !all.is_empty() {
        let sum = |of: fn(&Estimate) -> f64| all.iter().map(|estimate| of(estimate)).sum::<f64>();
        let known = match all.len() == campaign.tests.len() {
            true => "all tests",
            false => "the tests of which it is known",
        };
        table.notes.push(format!(
            "{known} together: {}, at most {} written",
            between(sum(|e| e.seconds_least), sum(|e| e.seconds_most)),
            bytes(sum(|e| e.written_most))
        ));
    }
    table.to_text().trim_end().to_owned() + "\n"
}

/// What came of it.
pub fn results(campaign: &Campaign) -> String {
    let columns = vec![
        Column::left("Drive"),
        Column::left("Test"),
        Column::left("State"),
        Column::right("Time"),
        Column::right("Written"),
        Column::right("Warmest"),
        Column::left("Record"),
    ];
    let mut table = Table::new(columns);
    for test in &campaign.tests {
        table.row(row(test));
    }
    for test in campaign.tests.iter().filter(|test| test.why.is_some()) {
        let why = test.why.as_deref().unwrap_or_default();
        table.notes.push(format!("{} {}: {why}", test.drive, test.method));
    }
    for test in campaign.tests.iter().filter(|test| !test.marks.is_empty()) {
        let marks = test.marks.join("; ");
        table.notes.push(format!("{} {} is doubtful: {marks}", test.drive, test.method));
    }
    if let Some(why) = &campaign.stopped {
        table.notes.push(format!("it ended before all was done: {why}"));
    }
    if let Some(report) = &campaign.report {
        table.notes.push(format!("report: {report}"));
    }
    table.to_text().trim_end().to_owned() + "\n"
}

fn row(test: &CampaignTest) -> Vec<String> {
    let none = || "-".to_owned();
    let state = match test.marks.is_empty() {
        true => test.state.word().to_owned(),
        false => format!("{}, marked", test.state.word()),
    };
    vec![
        test.drive.clone(),
        test.method.clone(),
        state,
        time(test.seconds),
        test.written.map_or_else(none, bytes),
        test.celsius.map_or_else(none, |celsius| format!("{celsius:.0} C")),
        test.record.clone().unwrap_or_else(none),
    ]
}

fn between(least: f64, most: f64) -> String {
    let (least, most) = (time(least), time(most));
    if least == most { least } else { format!("{least} to {most}") }
}

/// An amount of data.
pub fn bytes(bytes: f64) -> String {
    match bytes {
        ..1e12 => format!("{:.1} GB", bytes / 1e9),
        _ => format!("{:.2} TB", bytes / 1e12),
    }
}

fn percent(share: f64) -> String {
    format!("{:.3} %", 100.0 * share)
}
