//! Kinds of files and of `--json` answers that have a schema.
//!
//! Draft 7: the newest that editors of TOML know as well as those of JSON.

use crate::campaign::file::CampaignFile;
use crate::fleet::FleetFile;
use crate::list;
use crate::list::Listed;
use crate::list::capacities::Capacity;
use crate::list::coolings::Cooling;
use crate::list::drives::Drive;
use crate::list::metrics::Metric;
use crate::list::nands::Nand;
use crate::list::reviews::Review;
use crate::list::systems::System;
use ::serve::control::State;
use ::sweep::PlanFile;
use answer::check::Checked;
use answer::corpus::Corpus;
use answer::devices::Devices;
use answer::shelf::{ShelfComparison, Shelved};
use answer::shown::{ShownFacts, ShownReview, ShownUncertainty};
use answer::trace::Trace;
use answer::twin::Blind;
use answer::{
    Calibration, Campaign, Choice, Comparison, Endurance, Fitted, Preflight, Reproduction, Run,
    Spec, Sweep, SweepPart, Tested, Twin,
};
use crash::CrashTest;
use fio::output::layout::Signed;
use lab::Method;
use library::{CoolingFile, DiskFile, DriveFile, NandFile, SystemFile, Workload, XPointFile};
use review::ReviewSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};
use stats::{Record, Series};

/// A kind of file or answer.
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub what: &'static str,
    make: fn() -> Schema,
}

impl Kind {
    /// Its schema.
    pub fn schema(&self) -> Value {
        let mut schema = (self.make)();
        schema.insert("title".to_owned(), json!(format!("drivelab: {}", self.what)));
        schema.to_value()
    }
}

/// All kinds.
pub const KINDS: &[Kind] = &[
    Kind { name: "drive", what: "a flash drive", make: read::<DriveFile> },
    Kind { name: "disk", what: "a hard disk", make: read::<DiskFile> },
    Kind { name: "xpoint", what: "a module of 3D XPoint", make: read::<XPointFile> },
    Kind { name: "nand", what: "a flash die", make: read::<NandFile> },
    Kind { name: "system", what: "drives and the volumes on them", make: read::<SystemFile> },
    Kind { name: "cooling", what: "a way of cooling a drive", make: read::<CoolingFile> },
    Kind { name: "workload", what: "a workload profile", make: read::<Workload> },
    Kind { name: "method", what: "a review method", make: read::<Method> },
    Kind { name: "review", what: "published figures and claims", make: read::<ReviewSchema> },
    Kind { name: "campaign-plan", what: "the plan of a campaign", make: read::<CampaignFile> },
    Kind { name: "sweep-plan", what: "the plan of a sweep", make: read::<PlanFile> },
    Kind { name: "fleet-plan", what: "the plan of a fleet", make: read::<FleetFile> },
    Kind { name: "record", what: "a Record, as this version writes it", make: written::<Record> },
    Kind { name: "run", what: "the answer of `run --json`", make: written::<Signed<'static>> },
    Kind { name: "run-data", what: "what a Record of `run` keeps as data", make: written::<Run> },
    Kind { name: "test", what: "the answer of `test --json`", make: written::<Tested> },
    Kind { name: "campaign", what: "the answer of `campaign --json`", make: written::<Campaign> },
    Kind {
        name: "shelf",
        what: "the answer of `shelf list --json`",
        make: written::<Vec<Shelved>>,
    },
    Kind {
        name: "shelf-compare",
        what: "the answer of `shelf compare --json`",
        make: written::<ShelfComparison>,
    },
    Kind { name: "spec", what: "the answer of `spec --json`", make: written::<Spec> },
    Kind {
        name: "capacity-check",
        what: "the answer of `capacity-check --json`",
        make: written::<answer::Capacity>,
    },
    Kind {
        name: "preflight",
        what: "the answer of `preflight --json`",
        make: written::<Preflight>,
    },
    Kind { name: "compare", what: "the answer of `compare --json`", make: written::<Comparison> },
    Kind { name: "choose", what: "the answer of `choose --json`", make: written::<Choice> },
    Kind { name: "sweep", what: "the answer of `sweep --json`", make: written::<Sweep> },
    Kind {
        name: "sweep-part",
        what: "the answer of `sweep run --shard 1/4 --json`",
        make: written::<SweepPart>,
    },
    Kind { name: "fleet", what: "the answer of `fleet --json`", make: written::<answer::Fleet> },
    Kind {
        name: "reproduce",
        what: "the answer of `reproduce --json`",
        make: written::<Reproduction>,
    },
    Kind { name: "fit", what: "the answer of `fit --json`", make: written::<Fitted> },
    Kind { name: "twin", what: "the answer of `twin --json`", make: written::<Twin> },
    Kind {
        name: "twin-blind",
        what: "the answer of `twin --blind --json`",
        make: written::<Blind>,
    },
    Kind {
        name: "endurance",
        what: "the answer of `endurance --json`",
        make: written::<Endurance>,
    },
    Kind { name: "trace", what: "the answer of `trace --json`", make: written::<Trace> },
    Kind {
        name: "timeline",
        what: "the answer of `control timeline --json`",
        make: written::<Series>,
    },
    Kind {
        name: "serve",
        what: "the answer of `serve --json` and `control --json`",
        make: written::<State>,
    },
    Kind {
        name: "crash-test",
        what: "the answer of `crash-test --json`",
        make: written::<CrashTest>,
    },
    Kind { name: "check", what: "the answer of `check --json`", make: written::<Vec<Checked>> },
    Kind { name: "corpus", what: "the answer of `corpus --json`", make: written::<Corpus> },
    Kind {
        name: "devices",
        what: "the answer of `show TARGET --namespaces SIZES --json`",
        make: written::<Devices>,
    },
    Kind {
        name: "show-review",
        what: "the answer of `show REVIEW --json`",
        make: written::<ShownReview>,
    },
    Kind {
        name: "show-uncertainty",
        what: "the answer of `show TARGET --interval METHOD --json`",
        make: written::<Vec<ShownUncertainty>>,
    },
    Kind {
        name: "calibrate",
        what: "the answer of `calibrate --json`",
        make: written::<Calibration>,
    },
    Kind {
        name: "show-facts",
        what: "the answer of `show facts --json`",
        make: written::<ShownFacts>,
    },
    Kind { name: "list", what: "the answer of `list --json`", make: written::<Vec<Listed>> },
    Kind {
        name: "list-drives",
        what: "the answer of `list drives --json`",
        make: written::<Vec<Drive>>,
    },
    Kind {
        name: "list-capacities",
        what: "the answer of `list capacities --json`",
        make: written::<Vec<Capacity>>,
    },
    Kind {
        name: "list-systems",
        what: "the answer of `list systems --json`",
        make: written::<Vec<System>>,
    },
    Kind {
        name: "list-nands",
        what: "the answer of `list nands --json`",
        make: written::<Vec<Nand>>,
    },
    Kind {
        name: "list-methods",
        what: "the answer of `list methods --json`",
        make: written::<Vec<list::methods::Method>>,
    },
    Kind {
        name: "list-metrics",
        what: "the answer of `list metrics --json`",
        make: written::<Vec<Metric>>,
    },
    Kind {
        name: "list-reviews",
        what: "the answer of `list reviews --json`",
        make: written::<Vec<Review>>,
    },
    Kind {
        name: "list-coolings",
        what: "the answer of `list coolings --json`",
        make: written::<Vec<Cooling>>,
    },
    Kind {
        name: "list-workloads",
        what: "the answer of `list workloads --json`",
        make: written::<Vec<list::workloads::Workload>>,
    },
    Kind {
        name: "list-schemas",
        what: "the answer of `list schemas --json`",
        make: written::<Vec<list::schemas::Schema>>,
    },
];

/// The schema of a TOML file that is read. TOML has no null: what may be left out is left out.
fn read<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft07().with_transform(WithoutNull);
    settings.into_generator().into_root_schema_for::<T>()
}

/// The schema of a JSON that is written.
fn written<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft07().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}

/// Takes null out of what a value may be.
#[derive(Clone, Debug)]
struct WithoutNull;

impl Transform for WithoutNull {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        if let Some(Value::Array(types)) = schema.get_mut("type") {
            types.retain(|kind| kind != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                schema.insert("type".to_owned(), only);
            }
        }
        if schema.get("default").is_some_and(Value::is_null) {
            schema.remove("default");
        }
        let Some(Value::Array(ways)) = schema.get_mut("anyOf") else { return };
        ways.retain(|way| way.get("type").is_none_or(|kind| kind != "null"));
        let [only] = ways.as_slice() else { return };
        let only = only.clone();
        schema.remove("anyOf");
        // A reference stands alone in draft 7; keywords beside it are ignored.
        let alone = schema.as_object().is_none_or(serde_json::Map::is_empty);
        match (only, schema.as_object_mut()) {
            (Value::Object(only), Some(all)) if alone || !only.contains_key("$ref") => {
                all.extend(only);
            }
            (only, Some(all)) => drop(all.insert("allOf".to_owned(), json!([only]))),
            (_, None) => {}
        }
    }
}
