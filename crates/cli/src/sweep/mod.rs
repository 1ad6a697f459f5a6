//! `drivelab sweep`: one load at many points, and which of them are best.

mod args;
mod design;
mod loads;
mod made;
mod measure;
mod memory;
mod plan;
mod result;
mod role;
mod target;

use crate::console::Console;
use crate::files;
use crate::render::Failure;
pub use args::SweepArgs;
use design::Design;
use made::Made;
use plan::Asked;
pub use plan::prices;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use sweep::{Classes, Point, Row, Store, halving, nsga2, race};
pub use target::{Targets, Variant};

/// Rows by id.
type Rows = BTreeMap<String, Row>;

/// The table in the directory of a sweep.
const TABLE: &str = "points.parquet";

/// Runs the command.
pub fn command(args: &SweepArgs) -> Result<(), Failure> {
    let mut console = Console::new(args.bench.quiet);
    let mut design = Design::new(Asked::read(args)?)?;
    if args.dry_run {
        return files::print(&listed(&design));
    }
    let Some(folder) = &args.output else {
        return Err(Failure::wrong("no directory is named").with_help("name one: -o DIR"));
    };
    if design.objectives_are_usual {
        let goals = design.objectives.iter().map(|goal| {
            let better = match goal.better {
                answer::comparison::Tendency::Higher => "high",
                answer::comparison::Tendency::Lower => "low",
            };
            format!("{} ({better})", goal.metric)
        });
        let goals: Vec<String> = goals.collect();
        console.note(&format!("nobody said what is sought: {}", goals.join(", ")));
    }
    let store = Store::open(folder, &design.head(), args.shard);
    let store = store.map_err(measure::store_failure)?;
    let mut rows = store.known().clone();
    let made = match design.asked.generations {
        0 => climbed(args, &design, &store, &mut rows, &mut console)?,
        _ => Some(searched(args, &mut design, &store, &mut rows, &mut console)?),
    };
    let Some(rungs) = made else {
        let (number, of) = args.shard.map_or((1, 1), |shard| (shard.number, shard.of));
        console.note(&format!("part {number} of {of} is done"));
        return Ok(());
    };
    deliver(args, &design, (&rungs, &rows), folder, &mut console)
}

/// Makes all rungs; what was made on each, or `None` if only a part was to be made.
fn climbed(
    args: &SweepArgs,
    design: &Design,
    store: &Store,
    rows: &mut Rows,
    console: &mut Console,
) -> Result<Option<Vec<Made>>, Failure> {
    let mut rungs: Vec<Made> = Vec::new();
    let mut points: Vec<usize> = (0..design.points.len()).collect();
    for rung in 0..design.rungs.len() {
        if design.rungs.len() > 1 {
            let (number, of) = (rung + 1, design.rungs.len());
            console.note(&format!("rung {number} of {of}: {} points", points.len()));
        }
        let is_last = rung + 1 == design.rungs.len();
        if is_last && design.asked.race {
            rungs.push(raced(args, design, store, &points, rows, console)?);
            break;
        }
        let wanted = measure::wanted(design, &points, rung, args.shard);
        make(args, design, store, &wanted, rows, console)?;
        let made = Made::whole(points, design.seeds(rung).len());
        let measured = result::points(design, &made, rung, rows);
        let better =
            |own: &[Point]| halving::promoted(own, &design.requirements, &design.objectives);
        let chosen = Classes(&design.load_numbers(&made.points)).chosen(&measured, better);
        points = chosen.into_iter().map(|number| made.points[number]).collect();
        rungs.push(made);
    }
    Ok(args.shard.is_none().then_some(rungs))
}

/// Makes the last rung seed by seed, from the third on without the points that others surely beat.
fn raced(
    args: &SweepArgs,
    design: &Design,
    store: &Store,
    points: &[usize],
    rows: &mut Rows,
    console: &mut Console,
) -> Result<Made, Failure> {
    let rung = design.rungs.len() - 1;
    let rounds = design.seeds(rung).len();
    let mut made = Made::whole(points.to_vec(), 0);
    // Places among the points of those that are still in the race.
    let mut left: Vec<usize> = (0..points.len()).collect();
    for round in 0..rounds {
        let numbers: Vec<usize> = left.iter().map(|place| points[*place]).collect();
        let wanted = measure::round(design, &numbers, rung, round);
        make(args, design, store, &wanted, rows, console)?;
        left.iter().for_each(|place| made.runs[*place] = round + 1);
        if round + 1 < race::FIRST || round + 1 == rounds {
            continue;
        }
        let loads = design.load_numbers(&numbers);
        let measured = result::points(design, &Made::whole(numbers, round + 1), rung, rows);
        // The chance of a mistake is that of the whole sweep: each load has as many looks.
        let looks = (rounds - race::FIRST) * Classes(&loads).count();
        let survivors =
            |own: &[Point]| race::survivors(own, &design.requirements, &design.objectives, looks);
        let stay = Classes(&loads).chosen(&measured, survivors);
        left = stay.into_iter().map(|at| left[at]).collect();
        let (count, all, done) = (left.len(), points.len(), round + 1);
        console.note(&format!("after {done} of {rounds} runs {count} of {all} points are left"));
    }
    Ok(made)
}

/// Makes the first points, then generation after generation of others, each bred from the best so
/// far; all points, as the only rung.
fn searched(
    args: &SweepArgs,
    design: &mut Design,
    store: &Store,
    rows: &mut Rows,
    console: &mut Console,
) -> Result<Vec<Made>, Failure> {
    let (size, all) = (design.points.len(), design.asked.generations);
    let (mut best, mut new): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..size).collect());
    for generation in 0..=all {
        let wanted = measure::wanted(design, &new, 0, None);
        console.note(&format!("generation {generation} of {all}: {} points", new.len()));
        make(args, design, store, &wanted, rows, console)?;
        best.extend(new);
        let made = Made::whole(best.clone(), design.seeds(0).len());
        let measured = result::points(design, &made, 0, rows);
        let fitness = design.fitness(&best, &measured);
        let loads = design.load_numbers(&best);
        let share = size.div_ceil(Classes(&loads).count());
        let kept = Classes(&loads).chosen(&fitness, |own| nsga2::survivors(own, share));
        let measured: Vec<Point> = kept.iter().map(|i| measured[*i].clone()).collect();
        best = kept.iter().map(|i| best[*i]).collect();
        if generation == all {
            break;
        }
        new = design.breed(generation + 1, &best, &measured)?;
        if new.is_empty() {
            console.note("hardly any other points are left: the search ends");
            break;
        }
    }
    Ok(vec![Made::whole((0..design.points.len()).collect(), design.seeds(0).len())])
}

/// Makes the wanted runs; of a merge they have to be there.
fn make(
    args: &SweepArgs,
    design: &Design,
    store: &Store,
    wanted: &[measure::Wanted],
    rows: &mut Rows,
    console: &mut Console,
) -> Result<(), Failure> {
    if args.merge {
        check_whole(design, wanted, rows)?;
    }
    measure::measure(design, store, wanted, rows, console)
}

/// Refuses to answer from a part of the runs.
fn check_whole(design: &Design, wanted: &[measure::Wanted], rows: &Rows) -> Result<(), Failure> {
    let missing = wanted.iter().filter(|one| !rows.contains_key(one.id(design))).count();
    if missing == 0 {
        return Ok(());
    }
    let message = format!("{missing} of {} runs are missing", wanted.len());
    let help = "make the other parts, or leave --merge out";
    Err(Failure::failed(message).with_help(help))
}

/// Writes the table and prints the answer.
fn deliver(
    args: &SweepArgs,
    design: &Design,
    (rungs, rows): (&[Made], &Rows),
    folder: &Path,
    console: &mut Console,
) -> Result<(), Failure> {
    let (columns, about) = result::table(design, rungs, rows);
    let bytes = report::wide_parquet(&columns, &about)
        .map_err(|error| Failure::failed(error.to_string()))?;
    files::write_with(&folder.join(TABLE), |to| to.write_all(&bytes))?;
    let answer = result::answer(design, rungs, rows);
    let text = match args.json {
        true => files::json_text(&answer)?,
        false => {
            answer.warnings.iter().for_each(|warning| console.warn(warning));
            report::sweep_table(&answer)
        }
    };
    files::print(&text)
}

/// The points of a plan, one a line.
fn listed(design: &Design) -> String {
    let mut columns = vec![report::Column::left("Id")];
    let names = design.space.factors().iter().map(|factor| factor.name.as_str());
    columns.extend(names.map(report::Column::left));
    let mut table = report::Table::new(columns);
    for point in &design.points {
        let id = point.ids.first().and_then(|of_rung| of_rung.first()).cloned().unwrap_or_default();
        let cells = std::iter::once(id).chain(point.at.iter().cloned());
        table.row(cells.collect());
    }
    let (points, runs) = (design.points.len(), design.asked.repeats);
    let sampler = design.sampled();
    table.notes.push(format!("points: {points} ({sampler}), runs of each: {runs}"));
    table.to_text()
}
