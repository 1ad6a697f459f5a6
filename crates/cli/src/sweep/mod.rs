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
mod sought;
mod target;
mod work;

use crate::console::Console;
use crate::files;
use crate::render::Failure;
use answer::sweep::SweepPart;
pub use args::SweepArgs;
use args::{KeptArgs, PlanArgs, Step};
use design::Design;
use made::Made;
use plan::Asked;
pub use plan::{check_prices, prices};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use sweep::{Classes, Point, Row, Store, halving, nsga2, race};
pub use target::{Targets, Variant, each_of_series};
use work::{Share, Work};

/// Rows by id.
type Rows = BTreeMap<String, Row>;

/// The table in the directory of a sweep.
const TABLE: &str = "points.parquet";

/// Runs the command.
pub fn command(args: &SweepArgs) -> Result<(), Failure> {
    match &args.step {
        None => swept(&args.plan, &args.kept, Share::All),
        Some(Step::Plan(plan)) => files::print(&listed(&Design::new(Asked::read(plan)?)?)),
        Some(Step::Run(run)) => swept(&run.plan, &run.kept, Share::Part(run.shard, run.wait)),
        Some(Step::Merge(merge)) => swept(&merge.plan, &merge.kept, Share::Nothing),
    }
}

/// Makes a share of the runs, and answers if it is not a part of them.
fn swept(plan: &PlanArgs, kept: &KeptArgs, share: Share) -> Result<(), Failure> {
    let mut console = Console::new(plan.bench.quiet);
    let mut design = Design::new(Asked::read(plan)?)?;
    let Some(folder) = &kept.output else {
        return Err(Failure::wrong("no directory is named").with_help("name one: -o DIR"));
    };
    if matches!(share, Share::Nothing) && !folder.is_dir() {
        let help = "name the directory of the parts: -o DIR";
        let place = folder.display().to_string();
        return Err(Failure::wrong("there is no such directory").at(place).with_help(help));
    }
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
    let store = Store::open(folder, &design.head(), share.shard());
    let store = store.map_err(measure::store_failure)?;
    let mut rows = store.known().clone();
    let mut work =
        Work { share, store: &store, rows: &mut rows, console: &mut console, last: None };
    let made = match design.asked.generations {
        0 => climbed(&design, &mut work)?,
        _ => searched(&mut design, &mut work)?,
    };
    match (made, work.part()) {
        (_, Some(part)) => told(kept, &part, &mut console),
        (Some(rungs), None) => deliver(kept, &design, (&rungs, &rows), folder, &mut console),
        (None, None) => Err(Failure::failed("runs are missing")),
    }
}

/// Says what became of a part.
fn told(kept: &KeptArgs, part: &SweepPart, console: &mut Console) -> Result<(), Failure> {
    if kept.json {
        return files::print(&files::json_text(part)?);
    }
    let SweepPart { part: number, of, stage, missing, done, .. } = part;
    let left = format!("its other parts lack {missing} runs: make them, then this one goes on");
    console.note(&match done {
        true => format!("part {number} of {of} is done"),
        false => format!("part {number} of {of} is done with {stage}; {left}"),
    });
    Ok(())
}

/// Makes all rungs; what was made on each, or `None` if the others have not come so far.
fn climbed(design: &Design, work: &mut Work<'_>) -> Result<Option<Vec<Made>>, Failure> {
    let mut rungs: Vec<Made> = Vec::new();
    let mut points: Vec<usize> = (0..design.points.len()).collect();
    for rung in 0..design.rungs.len() {
        let stage = format!("rung {} of {}", rung + 1, design.rungs.len());
        if design.rungs.len() > 1 {
            work.console.note(&format!("{stage}: {}", metric::counted(points.len(), "point")));
        }
        let is_last = rung + 1 == design.rungs.len();
        if is_last && design.asked.race {
            let Some(made) = raced(design, work, &points)? else { return Ok(None) };
            rungs.push(made);
            break;
        }
        let wanted = measure::wanted(design, &points, rung);
        if !work.make(design, &wanted, (stage, is_last))? {
            return Ok(None);
        }
        let made = Made::whole(points, design.seeds(rung).len());
        let measured = result::points(design, &made, rung, work.rows);
        let better =
            |own: &[Point]| halving::promoted(own, &design.requirements, &design.objectives);
        let chosen = Classes(&design.load_numbers(&made.points)).chosen(&measured, better);
        points = chosen.into_iter().map(|number| made.points[number]).collect();
        rungs.push(made);
    }
    Ok(Some(rungs))
}

/// Makes the last rung seed by seed, from the third on without the points that others surely beat;
/// `None` if the other parts have not come so far.
fn raced(design: &Design, work: &mut Work<'_>, points: &[usize]) -> Result<Option<Made>, Failure> {
    let rung = design.rungs.len() - 1;
    let rounds = design.seeds(rung).len();
    let mut made = Made::whole(points.to_vec(), 0);
    // Places among the points of those that are still in the race.
    let mut left: Vec<usize> = (0..points.len()).collect();
    for round in 0..rounds {
        let numbers: Vec<usize> = left.iter().map(|place| points[*place]).collect();
        let wanted = measure::round(design, &numbers, rung, round);
        let stage = format!("round {} of {rounds}", round + 1);
        if !work.make(design, &wanted, (stage, round + 1 == rounds))? {
            return Ok(None);
        }
        left.iter().for_each(|place| made.runs[*place] = round + 1);
        if round + 1 < race::FIRST || round + 1 == rounds {
            continue;
        }
        let loads = design.load_numbers(&numbers);
        let measured = result::points(design, &Made::whole(numbers, round + 1), rung, work.rows);
        // The chance of a mistake is that of the whole sweep: each load has as many looks.
        let looks = (rounds - race::FIRST) * Classes(&loads).count();
        let survivors =
            |own: &[Point]| race::survivors(own, &design.requirements, &design.objectives, looks);
        let stay = Classes(&loads).chosen(&measured, survivors);
        left = stay.into_iter().map(|at| left[at]).collect();
        let (count, all, done) = (left.len(), points.len(), round + 1);
        work.console
            .note(&format!("after {done} of {rounds} runs {count} of {all} points are left"));
    }
    Ok(Some(made))
}

/// Makes the first points, then generation after generation of others, each bred from the best so
/// far; all points, as the only rung, or `None` if the other parts have not come so far.
fn searched(design: &mut Design, work: &mut Work<'_>) -> Result<Option<Vec<Made>>, Failure> {
    let (size, all) = (design.points.len(), design.asked.generations);
    let (mut best, mut new): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..size).collect());
    for generation in 0..=all {
        let wanted = measure::wanted(design, &new, 0);
        let stage = format!("generation {generation} of {all}");
        work.console.note(&format!("{stage}: {}", metric::counted(new.len(), "point")));
        if !work.make(design, &wanted, (stage, generation == all))? {
            return Ok(None);
        }
        best.extend(new);
        let made = Made::whole(best.clone(), design.seeds(0).len());
        let measured = result::points(design, &made, 0, work.rows);
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
            work.console.note("hardly any other points are left: the search ends");
            work.ends_early();
            break;
        }
    }
    let points = (0..design.points.len()).collect();
    Ok(Some(vec![Made::whole(points, design.seeds(0).len())]))
}

/// Writes the table and prints the answer.
fn deliver(
    kept: &KeptArgs,
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
    let text = match kept.json {
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
