//! `drivelab calibrate`: how often the intervals of predictions hold what was published.

pub mod args;

use crate::files::{self, json_text};
use crate::render::Failure;
use crate::reproduce::result;
use answer::Calibration;
use answer::calibration::{Calibrated, Held, Judged};
use args::CalibrateArgs;
use prior::COVERS;
use report::{Column, Table};
use review::{Case, Class, ModelError, held, model_error};

/// Probabilities of the intervals that are looked at.
const COVERED: [f64; 5] = [0.5, 0.68, 0.8, 0.9, 0.95];

/// Above the file that the program is built from.
const HEAD: &str = "\
# Written by `make intervals`; do not edit. How far models were off where they predicted what was
# published (docs/decisions/0046), by kind of metric: nine of ten numbers are off by this factor at
# most, beside what the uncertainty of their values explains.

";

/// Runs the command.
pub fn command(args: &CalibrateArgs) -> Result<(), Failure> {
    files::check_places(args.output.iter().chain(&args.model_error), args.overwrite)?;
    let mut cases = Vec::new();
    for path in &args.results {
        cases.extend(Case::of(&result::read(path)?.1.figures));
    }
    if cases.is_empty() {
        let message = "no figure of these results is predicted and has an interval";
        return Err(Failure::wrong(message)
            .with_help("make them with `drivelab reproduce --interval --json-file FILE`"));
    }
    if let Some(path) = &args.model_error {
        let text = toml::to_string(&ModelError::of(&cases))
            .map_err(|error| Failure::failed(error.to_string()))?;
        files::write(path, &format!("{HEAD}{text}"))?;
    }
    let found = calibration(&cases);
    let text = match args.json {
        true => json_text(&found)?,
        false => tables(&found),
    };
    files::deliver(&text, args.output.as_deref())
}

fn calibration(cases: &[Case]) -> Calibration {
    let held_of: Vec<Vec<bool>> = COVERED.iter().map(|covers| held(cases, *covers)).collect();
    let figures: Vec<Judged> = cases.iter().map(|case| judged(case, cases)).collect();
    let of = |name: &str, off_by: f64, is_in: &dyn Fn(&Case) -> bool| {
        let mine = |i: &usize| is_in(&cases[*i]);
        let rows: Vec<usize> = (0..cases.len()).filter(mine).collect();
        let mut widths: Vec<f64> = rows.iter().map(|i| half_width(&figures[*i])).collect();
        widths.sort_by(f64::total_cmp);
        let share = |(covers, held): (&f64, &Vec<bool>)| Held {
            covers: *covers,
            held: rows.iter().filter(|i| held[**i]).count(),
        };
        Calibrated {
            class: name.to_owned(),
            figures: rows.len(),
            off_by,
            half_width: widths.get(widths.len() / 2).copied(),
            held: COVERED.iter().zip(&held_of).map(share).collect(),
        }
    };
    let by_class = Class::ALL.map(|class| {
        let off_by = model_error(cases, class, None, COVERS).exp();
        of(class.name(), off_by, &|case| case.class == class)
    });
    let mut classes: Vec<Calibrated> =
        by_class.into_iter().filter(|class| class.figures > 0).collect();
    let any = |case: &Case| Case { class: Class::Other, ..case.clone() };
    let together: Vec<Case> = cases.iter().map(any).collect();
    let off_by = model_error(&together, Class::Other, None, COVERS).exp();
    classes.push(of("all", off_by, &|_| true));
    Calibration { classes, figures }
}

/// A number judged by the others.
fn judged(case: &Case, cases: &[Case]) -> Judged {
    let by_model = model_error(cases, case.class, Some(&case.id), COVERS);
    let (low, high) = case.interval(by_model, COVERS);
    Judged {
        id: case.id.clone(),
        class: case.class.name().to_owned(),
        ratio: case.off.exp(),
        by_values: (case.by_values.0.exp(), case.by_values.1.exp()),
        interval: (low.exp(), high.exp()),
        held: case.is_held(by_model, COVERS),
    }
}

fn half_width(judged: &Judged) -> f64 {
    (judged.interval.1 - judged.interval.0) / 2.0
}

fn tables(found: &Calibration) -> String {
    let mut columns = vec![
        Column::left("Metrics"),
        Column::right("Numbers"),
        Column::right("Off by"),
        Column::right("Half a width"),
    ];
    let of = |covers: &f64| Column::right(&format!("in {:.0} %", covers * 100.0));
    columns.extend(COVERED.iter().map(of));
    let mut classes = Table::new(columns);
    for class in &found.classes {
        let mut cells = vec![
            class.class.clone(),
            class.figures.to_string(),
            format!("{:.2}", class.off_by),
            class.half_width.map_or_else(|| "-".to_owned(), percent),
        ];
        let share = |held: &Held| percent(held.held as f64 / class.figures.max(1) as f64);
        cells.extend(class.held.iter().map(share));
        classes.row(cells);
    }
    let mut outside = Table::new(vec![
        Column::left("Not held by 90 %"),
        Column::left("Metrics"),
        Column::right("Published / median"),
        Column::right("By values"),
        Column::right("Interval"),
    ]);
    for figure in found.figures.iter().filter(|figure| !figure.held) {
        let ends = |(low, high): (f64, f64)| format!("{low:.2} to {high:.2}");
        outside.row(vec![
            figure.id.clone(),
            figure.class.clone(),
            format!("{:.2}", figure.ratio),
            ends(figure.by_values),
            ends(figure.interval),
        ]);
    }
    let mut text = classes.to_text();
    if found.figures.iter().any(|figure| !figure.held) {
        text.push_str(&format!("\n{}", outside.to_text()));
    }
    text
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
