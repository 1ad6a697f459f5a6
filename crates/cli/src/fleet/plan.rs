//! What `fleet` is asked: its plan, checked as a whole before anything runs.

use super::args::FleetArgs;
use super::file::{Batches, FileFrailty, FileHazard, FilePublished, FilePurchase, FleetFile};
use super::quantity::{
    BYTES, CELSIUS, DRIVES, ELECTRON_VOLTS, FAILURES, Kind, SHARE, TIME, TIMES, writes,
};
use super::records::{self, Records};
use crate::laboratory::bench_options_of;
use crate::render::Failure;
use crate::sweep::{Targets, Variant, check_prices, prices};
use crate::toml_place::offset;
use crate::values::Budget;
use ::fleet::{Frailty, Groups, Hazards, Infant, MONTH, Spread, Thermal, Use, WearOut, YEAR};
use engine::{narrow, whole};
use lab::ModelBench;
use library::{mistakes, user_file};
use std::path::Path;
use std::sync::Arc;
use sweep::{Cost, Words};

/// Work of a simulation unless the user says it: write amplification needs no more.
pub const BUDGET: Budget = Budget { seconds: 0.5 };
/// Drives of all runs together, and runs, unless the user says how many.
const DRIVES_IN_ALL: u32 = 100_000;
const RUNS: std::ops::RangeInclusive<u32> = 20..=1000;
/// A fleet is not larger.
const MOST_DRIVES: &str = "10_000_000 drives";
/// Nor does it last longer.
const LONGEST: &str = "50 years";
/// Temperature that rates of failures hold for if nobody says it, degrees Celsius.
const USUAL_CELSIUS: f64 = 40.0;

/// A purchase that can be judged.
pub struct Purchase {
    /// Its name.
    pub name: String,
    /// Its drive.
    pub variant: Arc<Variant>,
    /// How many.
    pub drives: u32,
    /// Bytes that the host uses.
    pub usable: f64,
    /// Bytes that the flash of a drive is rated for.
    pub flash_writes: f64,
    /// What its drives are used for.
    pub usage: Use,
}

/// A plan that holds together.
pub struct Plan<'a> {
    /// What was asked for.
    pub args: &'a FleetArgs,
    /// The plan as it is written.
    pub file: FleetFile,
    /// How long, s.
    pub time: f64,
    /// The wear at which drives are replaced.
    pub retire_at: Option<f64>,
    /// The purchases.
    pub purchases: Vec<Purchase>,
    /// Sizes of random writes, each once, bytes.
    pub blocks: Vec<f64>,
    /// Drives whose use is on record.
    pub records: Option<Records>,
    /// Why drives fail.
    pub hazards: Hazards,
    /// The arrays.
    pub groups: Option<Groups>,
    /// How long an order takes, s.
    pub lead: f64,
    /// How sure spares are not to run out.
    pub confidence: f64,
    /// What a field study says: the number of each row of the plan.
    pub published: Vec<f64>,
    /// Prices.
    pub cost: Option<Cost>,
    /// Their currency.
    pub currency: String,
    /// How often fleets are lived through.
    pub runs: u32,
    /// What measures.
    pub bench: ModelBench,
}

/// The text of the plan, and what is wrong with it so far.
struct Reader {
    place: String,
    text: String,
    mistakes: Vec<Failure>,
}

impl Reader {
    /// A mistake at a key, once.
    fn wrong(&mut self, key: &str, why: String) {
        let failure = Failure::wrong(why);
        let failure = match offset(&self.text, key) {
            Some(at) => failure.at(mistakes::place(&self.place, &self.text, at).to_string()),
            None => failure.at(self.place.clone()),
        };
        let is_same =
            |known: &Failure| known.message == failure.message && known.place == failure.place;
        if !self.mistakes.iter().any(is_same) {
            self.mistakes.push(failure);
        }
    }

    /// What was read, or nothing and a mistake more.
    fn kept<T>(&mut self, key: &str, read: Result<T, String>) -> Option<T> {
        read.map_err(|why| self.wrong(key, why)).ok()
    }

    /// A number within bounds, which are written as the number is.
    fn number(&mut self, key: &str, kind: Kind, text: &str, within: [&str; 2]) -> Option<f64> {
        let number = kind.number(text).and_then(|number| kind.within(number, text, within));
        self.kept(key, number)
    }

    /// A whole number of drives within bounds.
    fn drives(&mut self, key: &str, text: &str, within: [&str; 2]) -> Option<u32> {
        let number = self.number(key, DRIVES, text, within)?;
        let whole = match number.fract() == 0.0 {
            true => Ok(narrow(whole(number))),
            false => Err(format!("`{text}` is no whole number of drives")),
        };
        self.kept(key, whole)
    }

    /// How a number is spread, with nine tenths of it within bounds.
    fn spread(
        &mut self,
        key: &str,
        kind: Kind,
        words: Option<&Words>,
        usual: f64,
        within: [&str; 2],
    ) -> Spread {
        let Some(words) = words else { return Spread::Fixed(usual) };
        let spread = kind.spread(words).and_then(|spread| {
            let (low, high) = spread.core();
            let name = key.rsplit('.').next().unwrap_or(key);
            kind.within(low, name, within)?;
            kind.within(high, name, within).map(|_| spread)
        });
        self.kept(key, spread).unwrap_or(Spread::Fixed(usual))
    }
}

impl<'a> Plan<'a> {
    /// Reads and checks all.
    ///
    /// # Errors
    /// All mistakes of the plan together.
    pub fn new(args: &'a FleetArgs) -> Result<Self, Failure> {
        let help = "examples/fleet.toml is a plan to start from";
        let text = user_file::read(&args.plan, "plan", help)?;
        let place = args.plan.display().to_string();
        let file: FleetFile = mistakes::read(&place, &text, &text, &[])?;
        let mut reader = Reader { place, text, mistakes: Vec::new() };
        let (cost, currency) = match &args.cost {
            Some(path) => prices(path).map(|(cost, currency)| (Some(cost), currency))?,
            None => (None, String::new()),
        };
        let bench = ModelBench::new(bench_options_of(&args.bench, BUDGET));
        let r = &mut reader;
        let mut plan = Self {
            time: r.number("time", TIME, &file.time, ["1 months", LONGEST]).unwrap_or(YEAR),
            retire_at: file
                .retire_at
                .as_ref()
                .and_then(|text| r.number("retire_at", SHARE, text, ["1 %", "10_000 %"])),
            blocks: blocks(&file, r),
            records: records(&file, args, r),
            hazards: hazards(&file.hazard, r),
            groups: groups(&file, r),
            lead: r
                .number("spares.lead", TIME, &file.spares.lead, ["1 h", LONGEST])
                .unwrap_or(MONTH),
            confidence: r
                .number("spares.confidence", SHARE, &file.spares.confidence, ["50 %", "99.99 %"])
                .unwrap_or(0.95),
            published: published(&file.published, &file, r),
            purchases: Vec::new(),
            cost,
            currency,
            runs: 0,
            args,
            bench,
            file,
        };
        let usage = plan.usage(r);
        plan.purchases = plan.purchases(&usage, r);
        let least = plan.purchases.iter().map(|one| one.drives).min().unwrap_or(1);
        let usual = DRIVES_IN_ALL.div_ceil(least.max(1)).clamp(*RUNS.start(), *RUNS.end());
        plan.runs = args.runs.unwrap_or(usual);
        Failure::several(reader.mistakes).map_or(Ok(plan), Err)
    }

    fn purchases(&self, usage: &Use, reader: &mut Reader) -> Vec<Purchase> {
        if self.file.purchase.is_empty() {
            reader.wrong("purchase", "the plan has no [purchase.NAME]".to_owned());
        }
        let mut targets = Targets::new(self.bench.clone());
        let read = |(name, file): (&String, &FilePurchase)| {
            self.purchase(name, file, usage, &mut targets, reader)
        };
        self.file.purchase.iter().filter_map(read).collect()
    }

    fn purchase(
        &self,
        name: &str,
        file: &FilePurchase,
        usage: &Use,
        targets: &mut Targets,
        reader: &mut Reader,
    ) -> Option<Purchase> {
        let key = |of: &str| format!("purchase.{name}.{of}");
        let drives = reader.drives(&key("drives"), &file.drives, ["1 drives", MOST_DRIVES]);
        let variant = match targets.variant(&file.drive, &[]) {
            Ok(variant) => reader.kept(&key("drive"), variant),
            Err(failure) => reader.kept(&key("drive"), Err(failure.message)),
        }?;
        let (usable, flash_writes) = reader.kept(&key("drive"), self.rated(&variant))?;
        if let (Some(cost), Some(path)) = (&self.cost, &self.args.cost) {
            reader.mistakes.extend(check_prices(cost, path, &variant.parts).err());
        }
        let usage = self.usage_of(usable, usage, reader)?;
        let (least, most) = usage.writes.core();
        if least < 0.0 || most * 86_400.0 > flash_writes {
            let why = format!(
                "drives write nothing at least, and no more a day than the flash of `{}` takes in \
                 its life ({})",
                variant.subject.label,
                metric::show(metric::Dimension::Bytes, flash_writes)
            );
            reader.wrong("use.writes", why);
        }
        if self.blocks.iter().any(|block| *block > usage.fill.core().0 * usable) {
            reader.wrong("use.block", "the block is larger than what the drive holds".to_owned());
        }
        let name = name.to_owned();
        Some(Purchase { name, drives: drives?, usable, flash_writes, usage, variant })
    }

    /// Usable capacity of a drive, and the bytes that its flash is rated for.
    fn rated(&self, variant: &Variant) -> Result<(f64, f64), String> {
        let name = &variant.subject.label;
        if variant.parts.iter().map(|part| part.count).sum::<u32>() != 1 {
            return Err(format!("`{name}` is no drive; arrays are in [array]"));
        }
        let bench = super::bench_of(&self.bench, variant);
        let system = bench.system(&variant.subject.target).map_err(|error| error.to_string())?;
        let flash = system.rated_flash_writes().ok_or_else(|| {
            format!("the model of `{name}` does not say how many cycles its flash is rated for")
        })?;
        let given_up = variant.subject.give_up.base() as f64 / 1e6;
        let capacity = variant.capacity.ok_or_else(|| format!("`{name}` has no capacity"))?;
        Ok((capacity * (1.0 - given_up), flash))
    }

    /// What drives are used for, but for their writes: those may be a part of the capacity.
    fn usage(&self, r: &mut Reader) -> Use {
        let file = &self.file.usage;
        let usual = self.hazards.thermal.map_or(USUAL_CELSIUS, |thermal| thermal.at);
        let in_order = file.in_order.as_ref();
        let warm = (usual, ["-40 C", "125 C"]);
        Use {
            writes: Spread::Fixed(0.0),
            fill: self.spread("fill", SHARE, &file.fill, (0.8, ["5 %", "100 %"]), r),
            temperature: self.spread("temperature", CELSIUS, &file.temperature, warm, r),
            age: self.spread("age", TIME, &file.age, (0.0, ["0 s", LONGEST]), r),
            in_order: in_order
                .and_then(|text| r.number("use.in_order", SHARE, text, ["0 %", "100 %"]))
                .unwrap_or(0.0),
            blocks: self.block_of_each(),
            records: Vec::new(),
        }
    }

    /// How something of the use of drives is spread: as the plan says, or as it is on record.
    fn spread(
        &self,
        name: &str,
        kind: Kind,
        words: &Option<Words>,
        (usual, within): (f64, [&str; 2]),
        r: &mut Reader,
    ) -> Spread {
        let key = format!("use.{name}");
        if !self.records.as_ref().is_some_and(|records| records.has(name)) {
            return r.spread(&key, kind, words.as_ref(), usual, within);
        }
        if words.is_some() {
            r.wrong(&key, format!("`{name}` is a column of the records too"));
        }
        let all = self.records.as_ref().and_then(|records| records.spread(name));
        all.unwrap_or(Spread::Fixed(usual))
    }

    /// What drives with so much usable capacity are used for, of which all but the writes is known.
    fn usage_of(&self, usable: f64, usage: &Use, r: &mut Reader) -> Option<Use> {
        let rows = match &self.records {
            Some(records) => r.kept("use.records", records.of(usable))?,
            None => Vec::new(),
        };
        let key = "use.writes";
        let writes = match (&self.file.usage.writes, records::spread(&rows, |row| row.writes)) {
            (Some(words), None) => r.kept(key, writes(words, usable))?,
            (None, Some(spread)) => spread,
            (Some(_), Some(_)) => {
                r.wrong(key, "`writes` is a column of the records too".to_owned());
                return None;
            }
            (None, None) => {
                r.wrong("use", "nothing says what the host writes: `writes` is missing".to_owned());
                return None;
            }
        };
        Some(Use { writes, records: rows, ..usage.clone() })
    }

    /// The position among all sizes of each that the plan lists: one that is listed twice is had by
    /// twice as many drives.
    fn block_of_each(&self) -> Vec<u32> {
        let place = |text: &String| {
            let bytes = BYTES.number(text).ok()?;
            self.blocks.iter().position(|known| *known == bytes).map(narrow)
        };
        let all: Vec<u32> = texts(&self.file.usage.block).iter().filter_map(place).collect();
        if all.is_empty() { vec![0] } else { all }
    }
}

/// What is written, one or several.
pub fn texts(words: &Words) -> Vec<String> {
    match words {
        Words::One(text) => vec![text.clone()],
        Words::List(list) => list.iter().map(|word| word.text()).collect(),
    }
}

/// The table of drives whose use is on record, if the plan names one.
fn records(file: &FleetFile, args: &FleetArgs, r: &mut Reader) -> Option<Records> {
    let name = file.usage.records.as_ref()?;
    let folder = args.plan.parent().unwrap_or(Path::new(""));
    Records::read(&folder.join(name)).map_err(|failure| r.mistakes.push(failure)).ok()
}

/// The numbers of field studies.
fn published(rows: &[FilePublished], file: &FleetFile, r: &mut Reader) -> Vec<f64> {
    let mut number = |row: &FilePublished| {
        if !file.purchase.contains_key(&row.purchase) {
            let why = format!("no purchase of the plan is called `{}`", row.purchase);
            r.wrong("published", why);
        }
        r.number("published", SHARE, &row.value, ["0 %", "1000 %"]).unwrap_or(0.0)
    };
    rows.iter().map(&mut number).collect()
}

/// Sizes of random writes, each once, bytes.
fn blocks(file: &FleetFile, r: &mut Reader) -> Vec<f64> {
    let mut blocks = Vec::new();
    let listed = texts(&file.usage.block);
    if listed.is_empty() {
        r.wrong("use.block", "the list is empty".to_owned());
    }
    for text in &listed {
        let bytes = r.number("use.block", BYTES, text, ["512 B", "1 GiB"]).unwrap_or(4096.0);
        if bytes % 512.0 != 0.0 {
            r.wrong("use.block", format!("`{text}` is no multiple of 512 B"));
        }
        if !blocks.contains(&bytes) {
            blocks.push(bytes);
        }
    }
    blocks
}

fn hazards(file: &FileHazard, r: &mut Reader) -> Hazards {
    let infant = file.early.as_ref().and_then(|early| {
        let shape = &early.shape;
        Some(Infant {
            share: r.number("hazard.early.share", SHARE, &early.share, ["0 %", "50 %"])?,
            time: r.number("hazard.early.time", TIME, &early.time, ["1 h", LONGEST])?,
            shape: r.number("hazard.early.shape", TIMES, shape, ["0.1 x", "100 x"])?,
        })
    });
    let wear_out = file.wear_out.as_ref().and_then(|wear| {
        Some(WearOut {
            life: r.number("hazard.wear_out.life", TIMES, &wear.life, ["0.01 x", "100 x"])?,
            shape: r.number("hazard.wear_out.shape", TIMES, &wear.shape, ["0.1 x", "1000 x"])?,
        })
    });
    let thermal = file.temperature.as_ref().and_then(|thermal| {
        let energy = &thermal.energy;
        Some(Thermal {
            at: r.number("hazard.temperature.at", CELSIUS, &thermal.at, ["-40 C", "125 C"])?,
            energy: r.number(
                "hazard.temperature.energy",
                ELECTRON_VOLTS,
                energy,
                ["0 eV", "2 eV"],
            )?,
        })
    });
    // Ten failures of a drive in a year are a mistake.
    let random = file
        .random
        .as_ref()
        .and_then(|text| r.number("hazard.random", FAILURES, text, ["0 %/year", "1000 %/year"]))
        .unwrap_or(0.0);
    let batch = frailty("hazard.batch", file.batch.as_ref(), r);
    let rack = frailty("hazard.rack", file.rack.as_ref(), r);
    Hazards { random, infant, wear_out, thermal, batch, rack }
}

fn frailty(key: &str, file: Option<&FileFrailty>, r: &mut Reader) -> Option<Frailty> {
    let file = file?;
    let drives = r.drives(&format!("{key}.drives"), &file.drives, ["1 drives", MOST_DRIVES]);
    let within = ["0 %", "300 %"];
    let deviation = r.number(&format!("{key}.deviation"), SHARE, &file.deviation, within);
    Some(Frailty { drives: drives?, deviation: deviation? })
}

fn groups(file: &FleetFile, r: &mut Reader) -> Option<Groups> {
    let array = file.array.as_ref()?;
    let drives = r.drives("array.drives", &array.drives, ["1 drives", "1000 drives"]);
    let spare = r.drives("array.spare", &array.spare, ["0 drives", "100 drives"]);
    let rebuild = r.number("array.rebuild", TIME, &array.rebuild, ["1 s", "1 years"]);
    let (drives, spare, rebuild) = (drives?, spare?, rebuild?);
    if spare >= drives {
        r.wrong("array.spare", "an array has more drives than may be missing".to_owned());
    }
    let mixed = array.batches == Batches::Mixed;
    Some(Groups { drives, spare, rebuild, mixed })
}
