//! `drivelab list`: what is in the library.

mod args;

use crate::console::Console;
use crate::files::{self, json_text};
use crate::render::Failure;
use crate::schemas::KINDS;
use crate::shelves::Shelves;
pub use args::{ListArgs, Shelf};
use clap::ValueEnum;
use lab::FACTS;
use library::{self, Overrides, Scale, System, Workload};
use metric::{METRICS, MetricSpec};
use review::Library;
use serde_json::{Value, json};

/// Ways of cooling, the weakest first.
fn coolings() -> Result<Shelves, Failure> {
    let row = |slug: &str| {
        let file = library::CoolingFile::named(slug)?;
        let fan = file.fan.speed.get().to_string();
        Ok(vec![json!(slug), json!(file.name), json!(fan)])
    };
    let rows = library::coolings().map(row).collect::<Result<_, Failure>>()?;
    Ok(Shelves { titles: vec![("slug", "Slug"), ("name", "Name"), ("fan", "Fan")], rows })
}

/// Workload profiles and what they ask of each drive.
fn workloads() -> Result<Shelves, Failure> {
    let titles = vec![
        ("name", "Name"),
        ("title", "Title"),
        ("read_percent", "Reads %"),
        ("read_sizes", "Sizes of reads"),
        ("write_sizes", "Sizes of writes"),
        ("outstanding", "In flight"),
        ("provenance", "Provenance"),
    ];
    let row = |name: &str| {
        let workload = Workload::named(name)?;
        let read = workload.read_percent();
        let sizes = |some: bool, sizes: library::SizeMix| match some {
            true => json!(sizes.to_string()),
            false => json!("-"),
        };
        Ok(vec![
            json!(name),
            json!(workload.title),
            json!(read),
            sizes(read > 0, workload.read_sizes()),
            sizes(read < 100, workload.write_sizes()),
            json!(workload.outstanding()),
            json!(workload.provenance.split(':').next()),
        ])
    };
    let rows = library::workloads().map(row).collect::<Result<_, Failure>>()?;
    Ok(Shelves { titles, rows })
}

/// Runs the command.
pub fn command(args: &ListArgs) -> Result<(), Failure> {
    let shelves = args.shelf.map_or_else(|| Ok(kinds()), shelves)?;
    if args.json {
        return files::print(&json_text(&shelves.to_json())?);
    }
    if shelves.rows.is_empty() {
        Console::new(false).note("there are none in this version");
        return Ok(());
    }
    files::print(&shelves.to_table().to_text())
}

/// What can be listed.
fn kinds() -> Shelves {
    let row = |shelf: &Shelf| {
        let value = shelf.to_possible_value()?;
        let what = value.get_help().map(ToString::to_string).unwrap_or_default();
        Some(vec![json!(value.get_name()), json!(what)])
    };
    let rows = Shelf::value_variants().iter().filter_map(row).collect();
    Shelves { titles: vec![("kind", "Kind"), ("what", "What")], rows }
}

/// Metrics, each with the unit in which it is given.
fn metrics() -> Shelves {
    let row = |spec: &MetricSpec| {
        let unit = spec.dimension.base();
        vec![json!(spec.name), json!(unit), json!(spec.doc)]
    };
    let rows = METRICS.iter().filter(|spec| !spec.carried).map(row).collect();
    Shelves { titles: vec![("name", "Name"), ("unit", "Unit"), ("what", "What")], rows }
}

/// The entries of a kind.
pub fn shelves(shelf: Shelf) -> Result<Shelves, Failure> {
    Ok(match shelf {
        Shelf::Drives => drives()?,
        Shelf::Capacities => crate::capacities::shelves()?,
        Shelf::Systems => systems()?,
        Shelf::Nands => nands()?,
        Shelf::Methods => methods(),
        Shelf::Metrics => metrics(),
        Shelf::Reviews => reviews()?,
        Shelf::Coolings => coolings()?,
        Shelf::Workloads => workloads()?,
        Shelf::Schemas => schemas(),
    })
}

/// Flash, with the cells it is made of.
fn nands() -> Result<Shelves, Failure> {
    let mut rows = Vec::new();
    for slug in library::nands() {
        let text = library::nand_text(slug).map_err(Failure::failed)?;
        let table: toml::Table = toml::from_str(text)
            .map_err(|error| Failure::failed(format!("models/nand/{slug}.toml: {error}")))?;
        let value = |key: &str| {
            let value = table.get(key).map(|entry| entry.get("value").unwrap_or(entry));
            json!(value.and_then(toml::Value::as_str).unwrap_or_default())
        };
        let cells = ["bits_per_cell", "planes", "page", "program", "erase", "name"].map(value);
        rows.push(std::iter::once(json!(slug)).chain(cells).collect());
    }
    let titles = vec![
        ("slug", "Slug"),
        ("bits_per_cell", "Cell"),
        ("planes", "Planes"),
        ("page", "Page"),
        ("program", "Program"),
        ("erase", "Erase"),
        ("name", "Name"),
    ];
    Ok(Shelves { titles, rows })
}

fn drives() -> Result<Shelves, Failure> {
    let titles = vec![
        ("slug", "Slug"),
        ("capacity", "Capacity"),
        ("interface", "Interface"),
        ("media", "Medium"),
        ("nand", "NAND"),
        ("unit", "Unit"),
        ("aliases", "Also called"),
        ("name", "Name"),
    ];
    let mut rows = Vec::new();
    for slug in library::drives() {
        let text = library::source_text(slug).unwrap_or_default();
        let table: toml::Table = toml::from_str(text)
            .map_err(|error| Failure::failed(format!("models/drive/{slug}.toml: {error}")))?;
        let value = |section: &str, key: &str| {
            let value = table.get(section).and_then(|s| s.get(key)).and_then(|v| v.get("value"));
            json!(value.and_then(toml::Value::as_str).unwrap_or_default())
        };
        let top = |key: &str| match table.get(key) {
            Some(toml::Value::String(text)) => json!(text),
            Some(toml::Value::Array(items)) => {
                items.iter().filter_map(toml::Value::as_str).map(|text| json!(text)).collect()
            }
            _ => json!(""),
        };
        rows.push(vec![
            json!(slug),
            value("body", "capacity"),
            value("link", "interface"),
            table.get("media").map_or(json!("flash"), |media| json!(media.as_str())),
            top("nand"),
            value("ftl", "unit"),
            top("aliases"),
            top("name"),
        ]);
    }
    Ok(Shelves { titles, rows })
}

fn schemas() -> Shelves {
    let rows = KINDS.iter().map(|kind| vec![json!(kind.name), json!(kind.what)]).collect();
    Shelves { titles: vec![("name", "Name"), ("what", "What")], rows }
}

fn systems() -> Result<Shelves, Failure> {
    let titles = vec![
        ("slug", "Slug"),
        ("capacity_bytes", "Capacity"),
        ("drives", "Drives"),
        ("aliases", "Also called"),
        ("name", "Name"),
    ];
    let mut rows = Vec::new();
    for slug in library::systems() {
        let system = System::named(slug, &[])
            .map_err(|why| Failure::failed(format!("models/system/{slug}.toml: {why}")))?;
        let resolved = system.resolve(Scale::default(), &Overrides::default())?;
        let drives: Vec<Value> =
            system.parts().iter().map(|(slug, count)| json!(format!("{count} x {slug}"))).collect();
        rows.push(vec![
            json!(slug),
            json!(resolved.real_bytes),
            json!(drives),
            json!(system.aliases()),
            json!(system.name()),
        ]);
    }
    Ok(Shelves { titles, rows })
}

fn methods() -> Shelves {
    let mut rows: Vec<Vec<Value>> =
        lab::methods().iter().map(|method| vec![json!(method.name), json!(method.title)]).collect();
    rows.push(vec![json!(FACTS), json!("Values that the model contains; nothing is run")]);
    Shelves { titles: vec![("name", "Name"), ("title", "Title")], rows }
}

fn reviews() -> Result<Shelves, Failure> {
    let library = Library::shipped()?;
    let mut rows = Vec::new();
    for name in library.names() {
        let read = library.select(&[name.to_owned()]).map_err(Failure::failed)?;
        let about = read.setups.first().map(|(_, text)| first_sentence(text)).unwrap_or_default();
        rows.push(vec![
            json!(name),
            json!(read.figures.len()),
            json!(read.claims.len()),
            json!(about),
        ]);
    }
    let titles = vec![
        ("name", "Name"),
        ("figures", "Figures"),
        ("claims", "Claims"),
        ("test_bed", "Test bed"),
    ];
    Ok(Shelves { titles, rows })
}

fn first_sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.split_once(". ") {
        Some((first, _)) => format!("{first}."),
        None => text,
    }
}
