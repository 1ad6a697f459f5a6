//! The rows of a data sheet, and the runs that measure them on another target.

use crate::on_real;
use crate::render::Failure;
use crate::sheets;
use crate::target;
use lab::Run;
use metric::{Better, Bound};
use review::Figure;

/// A row and the run that measures it.
pub struct Row {
    /// The row.
    pub figure: Figure,
    /// The run on the target; or why it cannot be measured.
    pub run: Result<Run, String>,
}

/// Whether more is better, as the row means it.
pub fn wants_more(figure: &Figure) -> bool {
    match figure.bound {
        Some(Bound::Min) => true,
        Some(Bound::Max) => false,
        None => figure.metric.better() != Better::Lower,
    }
}

/// The rows that rate a drive, in the order of the reviews. Those of a target that is `real` are
/// only such as a drive can be asked for.
///
/// # Errors
/// A drive that is not in the library, or one of which no sheet is there.
pub fn rows(drive: &str, on: &str, real: bool) -> Result<(String, Vec<Row>), Failure> {
    let slug = target::model(drive, &[])?.slug;
    let of_drive = |figure: &Figure| figure.subject.target() == Some(slug.as_str());
    let with_run = |figure: Figure| {
        let run = run_of(&figure, on, real);
        Row { figure, run }
    };
    let all = sheets::rows()?.into_iter();
    let rows: Vec<Row> = all.filter(of_drive).map(with_run).collect();
    if rows.is_empty() {
        let message = format!("no data sheet of {slug} is there");
        let help = "`drivelab show data-sheets` lists those that are; docs/guide/add-a-figure.md \
                    says how to add one";
        return Err(Failure::wrong(message).with_help(help));
    }
    Ok((slug, rows))
}

/// The run of a row on the target.
fn run_of(figure: &Figure, on: &str, real: bool) -> Result<Run, String> {
    if figure.relative_to.is_some() || figure.relative_params.is_some() {
        return Err("it is a ratio of two".to_owned());
    }
    if figure.metric.is_carried() {
        return Err("no method measures it".to_owned());
    }
    let Some(run) = figure.subject.runs().first() else {
        return Err("no method is like it".to_owned());
    };
    if real && (run.is_fact() || figure.metric.is_fact()) {
        return Err("a real drive does not state it".to_owned());
    }
    let of_models = ["power", "energy_per_io", "write_amplification"];
    if real && of_models.contains(&figure.metric.name()) {
        return Err("no meter is there".to_owned());
    }
    let mut run = Run { target: on.to_owned(), ..run.clone() };
    if real {
        if let Some(name) = on_real::of_models_alone(&run) {
            return Err(format!("`{name}` can be set on models only"));
        }
        // Not in use, so that nothing is left out.
        for name in on_real::OF_MODELS {
            run.params.remove(name);
        }
    }
    Ok(run)
}
