//! The answer of `drivelab fleet` as text.

use crate::number::percent;
use crate::table::{Column, Table};
use answer::Fleet;
use answer::fleet::{Basis, Chance, FailedWear, Published, Purchase};
use metric::{Dimension, YEAR_S, show};

/// Months of a year.
const YEAR: usize = 12;
/// The share of drives past their rated cycles from which on a fleet is said to be worn.
const WORN: f64 = 0.01;

/// What the plan says, all purchases side by side, and each year of each.
pub fn fleet_table(fleet: &Fleet) -> String {
    let source = fleet.hazard_source.as_ref().map(|source| ("rates of failures", source));
    let inputs: Vec<(&str, &String)> = fleet.inputs.iter().chain(source).collect();
    let width = inputs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let line = |(name, text): &(&str, &String)| format!("  {name:<width$}  {text}\n");
    let inputs: String = inputs.iter().map(line).collect();
    let each: String = fleet.purchases.iter().map(|one| format!("\n{}", by_year(one))).collect();
    let (years, runs) = (years(fleet), fleet.runs);
    let held = held(fleet).map_or_else(String::new, |table| format!("\n{}", table.to_text()));
    format!("{years}, lived through {runs} times\n{inputs}\n{}{held}{each}", side_by_side(fleet))
}

/// The fleets against field studies; `None` if the plan has no numbers of any.
fn held(fleet: &Fleet) -> Option<Table> {
    let titles = ["published", "here", "basis"].map(Column::right);
    let names = ["held against", "purchase"].map(Column::left);
    let mut table = Table::new(names.into_iter().chain(titles).collect());
    for row in &fleet.published {
        table.row(held_cells(row).to_vec());
        table.notes.extend(row.why.as_ref().map(|why| format!("{}: {why}", row.what.name())));
    }
    let mut sources: Vec<&String> = fleet.published.iter().map(|row| &row.source).collect();
    sources.dedup();
    table.notes.extend(sources.into_iter().map(|source| format!("published: {source}")));
    (!fleet.published.is_empty()).then_some(table)
}

/// A number of a field study, as it is shown.
pub(crate) fn held_cells(row: &Published) -> [String; 5] {
    [
        row.what.name().to_owned(),
        row.purchase.clone(),
        percent(row.published),
        row.found.map_or_else(|| "-".to_owned(), percent),
        match row.basis {
            Basis::Input => "input",
            Basis::Predicted => "predicted",
        }
        .to_owned(),
    ]
}

/// How long a fleet is in use.
pub(crate) fn years(fleet: &Fleet) -> String {
    let years = fleet.time / YEAR_S;
    let digits = usize::from((years - years.round()).abs() > 0.005);
    format!("{years:.digits$} years")
}

/// A row: its name, and what it says of a purchase.
type Row = (&'static str, fn(&Fleet, &Purchase) -> String);

const ROWS: [Row; 20] = [
    ("drive", |_, one| one.drive.clone()),
    ("drives", |_, one| one.drives.to_string()),
    ("usable capacity each", |_, one| show(Dimension::Bytes, one.usable_capacity)),
    ("flash takes, each", |_, one| show(Dimension::Bytes, one.flash_writes)),
    ("write amplification p50, p95", |_, one| {
        one.amplification.map(|value| format!("{value:.2}")).join(", ")
    }),
    ("curve left out", |_, one| one.left_out.map_or_else(|| "-".to_owned(), percent)),
    ("simulated in full, mean, worst", |_, one| sample(one)),
    ("wear at the end p50, p95, p99", |_, one| {
        let wear = one.months.last().map_or([0.0; 4], |month| month.wear);
        [wear[0], wear[1], wear[2]].map(percent).join(", ")
    }),
    ("past rated cycles at the end", |_, one| {
        percent(one.months.last().map_or(0.0, |month| month.past_rated))
    }),
    ("1 % past rated cycles after", |_, one| {
        let worn = one.months.iter().find(|month| month.past_rated >= WORN);
        worn.map_or_else(|| "never".to_owned(), |month| format!("{} months", month.month))
    }),
    ("months to read-only p1, p10, p50", |_, one| {
        let text = |months: [f64; 3]| months.map(|months| format!("{months:.0}")).join(", ");
        one.read_only_after.map_or_else(|| "-".to_owned(), text)
    }),
    ("failed early", |_, one| drives(one.gone.early)),
    ("failed at random", |_, one| drives(one.gone.random)),
    ("worn out", |_, one| drives(one.gone.worn_out)),
    ("failed with < 10 %, > 90 % used", |_, one| {
        let shares = |wear: &FailedWear| [wear.under_tenth, wear.over_nine_tenths].map(percent);
        one.failed_wear.as_ref().map_or_else(|| "-".to_owned(), |wear| shares(wear).join(", "))
    }),
    ("retired", |_, one| drives(one.gone.retired)),
    ("replaced, 90 % of runs", |_, one| chance(&one.replaced, drives)),
    ("failures per drive and year", |_, one| percent(one.failure_rate)),
    ("spares to stock", |fleet, one| {
        format!("{} ({} of runs)", one.spares, percent(fleet.confidence))
    }),
    ("losses of data, runs with one", |_, one| match &one.losses {
        None => "no arrays".to_owned(),
        Some(losses) => format!("{}, {}", drives(losses.mean), percent(losses.runs)),
    }),
];

fn side_by_side(fleet: &Fleet) -> String {
    let names = fleet.purchases.iter().map(|one| Column::right(&one.name));
    let mut table = Table::new(std::iter::once(Column::left("")).chain(names).collect());
    rows(fleet).into_iter().for_each(|row| table.row(row));
    table.to_text()
}

/// What becomes of each purchase: a name, then what it says of each.
pub(crate) fn rows(fleet: &Fleet) -> Vec<Vec<String>> {
    let row = |(name, of): &Row| {
        let cells = fleet.purchases.iter().map(|one| of(fleet, one));
        std::iter::once((*name).to_owned()).chain(cells).collect()
    };
    let mut all: Vec<Vec<String>> = ROWS.iter().map(row).collect();
    if let Some(currency) = &fleet.currency {
        let title = format!("cost {currency}").trim_end().to_owned();
        let money = |value: f64| format!("{value:.0}");
        let of = |one: &Purchase| one.cost.map_or_else(String::new, |cost| chance(&cost, money));
        all.push(std::iter::once(title).chain(fleet.purchases.iter().map(of)).collect());
        if !fleet.compared.is_empty() {
            let title = "more than the cheapest, in runs".to_owned();
            let of = |one: &Purchase| more(fleet, one);
            all.push(std::iter::once(title).chain(fleet.purchases.iter().map(of)).collect());
        }
    }
    all
}

/// What a purchase costs beside the cheapest.
fn more(fleet: &Fleet, one: &Purchase) -> String {
    let Some(of) = fleet.compared.iter().find(|of| of.purchase == one.name) else {
        return "cheapest".to_owned();
    };
    let (percent_more, runs) = (100.0 * of.share, percent(of.dearer_in));
    let [low, high] = [of.more.p5, of.more.p95].map(|value| format!("{value:+.0}"));
    format!("{percent_more:+.1} % ({low} to {high}), {runs}")
}

/// How many drives were simulated in full, and how far the wear of the fleet is above theirs.
fn sample(one: &Purchase) -> String {
    let apart = || one.sample.iter().map(|drive| drive.wear_a_year.apart());
    let worst = apart().reduce(|a, b| if b.abs() > a.abs() { b } else { a });
    let Some(worst) = worst else { return "-".to_owned() };
    let mean = apart().sum::<f64>() / one.sample.len() as f64;
    let signed = |share: f64| format!("{:+.1} %", 100.0 * share);
    let count = metric::counted(one.sample.len(), "drive");
    format!("{count}, {}, {}", signed(mean), signed(worst))
}

/// A number of drives, which is a mean.
fn drives(number: f64) -> String {
    match number {
        100.0.. => format!("{number:.0}"),
        1.0.. => format!("{number:.1}"),
        0.0 => "0".to_owned(),
        _ => format!("{number:.3}"),
    }
}

fn chance(value: &Chance, shown: fn(f64) -> String) -> String {
    format!("{} ({} to {})", shown(value.mean), shown(value.p5), shown(value.p95))
}

/// A purchase at the end of each year.
fn by_year(one: &Purchase) -> String {
    let titles = ["wear p50", "p95", "p99", "p99.9", "past rated", "failed", "retired"];
    let columns = std::iter::once(Column::right("year")).chain(titles.map(Column::right));
    let mut table = Table::new(columns.collect());
    let last = one.months.len();
    let ends = one.months.iter().map(|month| (month.month as usize, month));
    // The time may end within a year.
    for (number, month) in ends.filter(|(number, _)| number % YEAR == 0 || *number == last) {
        let is_whole = number % YEAR == 0;
        let year = number as f64 / YEAR as f64;
        let mut cells = vec![if is_whole { format!("{year:.0}") } else { format!("{year:.1}") }];
        cells.extend(month.wear.map(percent));
        cells.push(percent(month.past_rated));
        cells.extend([drives(month.gone.failed()), drives(month.gone.retired)]);
        table.row(cells);
    }
    format!("{}\n{}", one.name, table.to_text())
}
