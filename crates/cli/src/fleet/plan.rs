//! What `fleet` is asked: its plan, checked as a whole before anything runs.

use super::args::FleetArgs;
use super::file::{Batches, FileFrailty, FileHazard, FilePurchase, FleetFile};
use super::quantity::{
    CELSIUS, DRIVES, ELECTRON_VOLTS, FAILURES, Kind, SHARE, TIME, TIMES, writes,
};
use crate::laboratory::bench_options_of;
use crate::render::Failure;
use crate::sweep::{Targets, Variant, prices};
use crate::toml_place::offset;
use crate::values::Budget;
use ::fleet::{Frailty, Groups, Hazards, Infant, MONTH, Spread, Thermal, Use, WearOut, YEAR};
use engine::{narrow, whole};
use lab::ModelBench;
use library::{mistakes, user_file};
use std::sync::Arc;
use sweep::{Cost, Words};

/// Work of a simulation unless the user says it: write amplification needs no more.
pub const BUDGET: Budget = Budget { seconds: 0.5 };
/// Drives of all runs together, and runs, unless the user says how many.
const DRIVES_IN_ALL: u32 = 100_000;
const RUNS: std::ops::RangeInclusive<u32> = 20..=1000;
/// A fleet is not larger.
const MOST_DRIVES: f64 = 10_000_000.0;
/// Nor does it last longer.
const MOST_TIME: f64 = 50.0 * YEAR;
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
    /// Size of random writes, as it is written.
    pub block: String,
    /// Why drives fail.
    pub hazards: Hazards,
    /// The arrays.
    pub groups: Option<Groups>,
    /// How long an order takes, s.
    pub lead: f64,
    /// How sure spares are not to run out.
    pub confidence: f64,
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
    /// A mistake at a key.
    fn wrong(&mut self, key: &str, why: String) {
        let failure = Failure::wrong(why);
        self.mistakes.push(match offset(&self.text, key) {
            Some(at) => failure.at(mistakes::place(&self.place, &self.text, at).to_string()),
            None => failure.at(self.place.clone()),
        });
    }

    /// What was read, or nothing and a mistake more.
    fn kept<T>(&mut self, key: &str, read: Result<T, String>) -> Option<T> {
        read.map_err(|why| self.wrong(key, why)).ok()
    }

    /// A number within bounds.
    fn number(&mut self, key: &str, kind: Kind, text: &str, within: (f64, f64)) -> Option<f64> {
        let number = kind.number(text).and_then(|number| match number {
            number if (within.0..=within.1).contains(&number) => Ok(number),
            _ => Err(format!("`{text}` is out of range")),
        });
        self.kept(key, number)
    }

    /// How a number is spread, with all of it within bounds.
    fn spread(
        &mut self,
        key: &str,
        read: impl Fn(&Words) -> Result<Spread, String>,
        words: Option<&Words>,
        usual: f64,
        within: (f64, f64),
    ) -> Spread {
        let Some(words) = words else { return Spread::Fixed(usual) };
        let spread = read(words).and_then(|spread| {
            let (low, high) = spread.ends();
            match within.0 <= low && high <= within.1 {
                true => Ok(spread),
                false => Err(format!("{key}: some of it is out of range")),
            }
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
            time: r.number("time", TIME, &file.time, (MONTH, MOST_TIME)).unwrap_or(YEAR),
            retire_at: file
                .retire_at
                .as_ref()
                .and_then(|text| r.number("retire_at", SHARE, text, (0.01, 8.0))),
            block: file.usage.block.clone().unwrap_or_else(|| "4 KiB".to_owned()),
            hazards: hazards(&file.hazard, r),
            groups: groups(&file, r),
            lead: file
                .spares
                .lead
                .as_ref()
                .map_or(Some(30.0 * 86_400.0), |text| {
                    r.number("spares.lead", TIME, text, (3600.0, MOST_TIME))
                })
                .unwrap_or(MONTH),
            confidence: file
                .spares
                .confidence
                .as_ref()
                .and_then(|text| r.number("spares.confidence", SHARE, text, (0.5, 0.9999)))
                .unwrap_or(0.95),
            purchases: Vec::new(),
            cost,
            currency,
            runs: 0,
            args,
            bench,
            file,
        };
        plan.purchases = plan.purchases(r);
        let least = plan.purchases.iter().map(|one| one.drives).min().unwrap_or(1);
        let usual = DRIVES_IN_ALL.div_ceil(least.max(1)).clamp(*RUNS.start(), *RUNS.end());
        plan.runs = args.runs.unwrap_or(usual);
        Failure::several(reader.mistakes).map_or(Ok(plan), Err)
    }

    fn purchases(&self, reader: &mut Reader) -> Vec<Purchase> {
        if self.file.purchase.is_empty() {
            reader.wrong("purchase", "the plan has no [purchase.NAME]".to_owned());
        }
        let mut targets = Targets::new(self.bench.clone());
        let read = |(name, file): (&String, &FilePurchase)| {
            self.purchase(name, file, &mut targets, reader)
        };
        self.file.purchase.iter().filter_map(read).collect()
    }

    fn purchase(
        &self,
        name: &str,
        file: &FilePurchase,
        targets: &mut Targets,
        reader: &mut Reader,
    ) -> Option<Purchase> {
        let key = |of: &str| format!("purchase.{name}.{of}");
        let drives = reader.number(&key("drives"), DRIVES, &file.drives, (1.0, MOST_DRIVES));
        let variant = match targets.variant(&file.drive, &[]) {
            Ok(variant) => reader.kept(&key("drive"), variant),
            Err(failure) => reader.kept(&key("drive"), Err(failure.message)),
        }?;
        let known = self.rated(&variant).and_then(|rated| match &self.cost {
            Some(cost) => cost.check(&variant.parts).map(|()| rated).map_err(|wrong| wrong.message),
            None => Ok(rated),
        });
        let (usable, flash_writes) = reader.kept(&key("drive"), known)?;
        let usage = self.usage(usable, reader);
        // A drive that is through its cycles within days is a mistake, and no fleet lives with it.
        let most = usage.writes.ends().1;
        if most * 86_400.0 > flash_writes {
            let why = "some drives use up their rated cycles within a day".to_owned();
            reader.wrong("use.writes", why);
        }
        let drives = narrow(whole(drives?));
        Some(Purchase { name: name.to_owned(), drives, usable, flash_writes, usage, variant })
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

    fn usage(&self, usable: f64, reader: &mut Reader) -> Use {
        let file = &self.file.usage;
        let share = file.in_order.as_ref();
        let usual = self.hazards.thermal.map_or(USUAL_CELSIUS, |thermal| thermal.at);
        let celsius = file.temperature.as_ref();
        Use {
            writes: reader.spread(
                "use.writes",
                |words| writes(words, usable),
                Some(&file.writes),
                1.0,
                (1.0, 1e13),
            ),
            fill: reader.spread(
                "use.fill",
                |w| SHARE.spread(w),
                file.fill.as_ref(),
                0.8,
                (0.05, 1.0),
            ),
            temperature: reader.spread(
                "use.temperature",
                |words| CELSIUS.spread(words),
                celsius,
                usual,
                (-40.0, 125.0),
            ),
            age: reader.spread(
                "use.age",
                |w| TIME.spread(w),
                file.age.as_ref(),
                0.0,
                (0.0, MOST_TIME),
            ),
            in_order: share
                .and_then(|text| reader.number("use.in_order", SHARE, text, (0.0, 1.0)))
                .unwrap_or(0.0),
        }
    }
}

fn hazards(file: &FileHazard, r: &mut Reader) -> Hazards {
    let infant = file.early.as_ref().and_then(|early| {
        let shape = early.shape.as_deref().unwrap_or("0.7 x");
        Some(Infant {
            share: r.number("hazard.early.share", SHARE, &early.share, (0.0, 0.5))?,
            time: r.number("hazard.early.time", TIME, &early.time, (3600.0, MOST_TIME))?,
            shape: r.number("hazard.early.shape", TIMES, shape, (0.1, 50.0))?,
        })
    });
    let wear_out = file.wear_out.as_ref().and_then(|wear| {
        Some(WearOut {
            life: r.number("hazard.wear_out.life", TIMES, &wear.life, (0.01, 100.0))?,
            shape: r.number("hazard.wear_out.shape", TIMES, &wear.shape, (0.1, 100.0))?,
        })
    });
    let thermal = file.temperature.as_ref().and_then(|thermal| {
        let energy = &thermal.energy;
        Some(Thermal {
            at: r.number("hazard.temperature.at", CELSIUS, &thermal.at, (-40.0, 125.0))?,
            energy: r.number("hazard.temperature.energy", ELECTRON_VOLTS, energy, (0.0, 2.0))?,
        })
    });
    // Ten failures of a drive in a year are a mistake.
    let random = file
        .random
        .as_ref()
        .and_then(|text| r.number("hazard.random", FAILURES, text, (0.0, 10.0 / YEAR)))
        .unwrap_or(0.0);
    let batch = frailty("hazard.batch", file.batch.as_ref(), r);
    let rack = frailty("hazard.rack", file.rack.as_ref(), r);
    Hazards { random, infant, wear_out, thermal, batch, rack }
}

fn frailty(key: &str, file: Option<&FileFrailty>, r: &mut Reader) -> Option<Frailty> {
    let file = file?;
    let drives = r.number(&format!("{key}.drives"), DRIVES, &file.drives, (1.0, MOST_DRIVES));
    let deviation = r.number(&format!("{key}.deviation"), SHARE, &file.deviation, (0.0, 3.0));
    Some(Frailty { drives: narrow(whole(drives?)), deviation: deviation? })
}

fn groups(file: &FleetFile, r: &mut Reader) -> Option<Groups> {
    let array = file.array.as_ref()?;
    let drives = r.number("array.drives", DRIVES, &array.drives, (1.0, 1000.0));
    let spare = r.number("array.spare", DRIVES, &array.spare, (0.0, 100.0));
    let rebuild = r.number("array.rebuild", TIME, &array.rebuild, (1.0, YEAR));
    let (drives, spare, rebuild) = (drives?, spare?, rebuild?);
    if spare >= drives {
        r.wrong("array.spare", "an array has more drives than may be missing".to_owned());
    }
    Some(Groups {
        drives: narrow(whole(drives)),
        spare: narrow(whole(spare)),
        rebuild,
        mixed: array.batches == Batches::Mixed,
    })
}
