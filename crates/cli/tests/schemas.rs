//! The schemas that are kept describe the files that are shipped, and what is written.

use crate::common::{drivelab, faults, made, root, schema, schema_text};
use serde_json::Value;
use std::path::PathBuf;

/// The TOML files of a folder with their values.
fn files(folder: &str) -> Vec<(String, Value)> {
    let entries = std::fs::read_dir(root().join(folder)).expect("listed");
    let paths = entries.map(|entry| entry.expect("read").path());
    let toml = paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("text");
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        (name, values(&text))
    };
    toml.map(read).collect()
}

fn values(text: &str) -> Value {
    toml::from_str(text).expect("TOML")
}

fn kinds() -> Vec<String> {
    let listed = made(&root(), &["list", "schemas", "--json"]);
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    let names = listed.as_array().expect("a list").iter().map(|row| row["name"].as_str());
    names.map(|name| name.expect("a name").to_owned()).collect()
}

#[test]
fn every_shipped_file_is_as_its_schema_says() {
    let mut wrong = Vec::new();
    let mut check = |kind: &str, folder: &str, wanted: &dyn Fn(&str, &Value) -> bool| {
        let schema = schema(kind);
        let mut seen = 0;
        for (name, value) in files(folder).iter().filter(|(name, value)| wanted(name, value)) {
            seen += 1;
            let told = faults(&schema, value);
            wrong.extend(told.iter().map(|fault| format!("{folder}/{name}: {fault}")));
        }
        assert!(seen > 0, "{kind}: no file in {folder}");
    };
    for (kind, word) in [("drive", "flash"), ("disk", "disk"), ("xpoint", "xpoint")] {
        let medium = |value: &Value| value["media"].as_str().unwrap_or("flash").to_owned();
        check(kind, "models/drive", &|_, value| medium(value) == word);
    }
    check("nand", "models/nand", &|_, _| true);
    check("system", "models/system", &|_, _| true);
    check("cooling", "models/cooling", &|_, _| true);
    check("method", "methods", &|_, _| true);
    check("workload", "methods/workloads", &|_, _| true);
    check("sweep-plan", "examples", &|_, value| value.get("vary").is_some());
    // The table of names stands beside the reviews and is none.
    check("review", "reviews", &|name, _| name != "aliases.toml");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_record_is_as_its_schema_says() {
    let scratch = tempfile::tempdir().expect("made");
    let job = root().join("examples/four-corners.fio");
    let job = job.to_str().expect("text");
    let small = ["--on", "x25-e", "--budget", "2ms", "--scale", "1Mi units", "--quiet"];
    let ways: [(&str, Vec<&str>); 2] = [
        ("run.json", vec!["run", job]),
        ("test.json", vec!["test", "corner", "--param", "op=read"]),
    ];
    let schema = schema("record");
    for (file, mut command) in ways {
        command.extend(small);
        command.extend(["--record", file]);
        made(scratch.path(), &command);
        let text = std::fs::read_to_string(scratch.path().join(file)).expect("text");
        let mut record: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(faults(&schema, &record), Vec::<String>::new(), "{file}");
        record["result"]["new"] = 1.into();
        assert_eq!(faults(&schema, &record).len(), 1, "{file}: an unknown key");
        record["schema"] = "drivelab/record/0".into();
        assert_eq!(faults(&schema, &record).len(), 2, "{file}: another version");
    }
}

/// Each answer in JSON; the program of the tests holds it to its schema. `reproduce`, `fit` and
/// `endurance` have tests that print theirs.
#[test]
fn answers_are_as_their_schemas_say() {
    let scratch = tempfile::tempdir().expect("made");
    let small = ["--budget", "2ms", "--scale", "1Mi units", "--quiet", "--json"];
    let aged =
        ["test", "corner", "--param", "op=read", "--on", "intel-710", "--age", "cycles=1000"];
    let compared = ["compare", "x25-e", "intel-710", "--method", "corner@op=read"];
    for command in [&aged[..], &compared] {
        made(scratch.path(), &[command, &small].concat());
    }
    std::fs::write(scratch.path().join("a.fio"), "[a]\nsize=1m\nrw=read\n").expect("written");
    std::fs::write(scratch.path().join("b.fio"), "[a]\nrw=fast\n").expect("written");
    made(scratch.path(), &["corpus", ".", "--quiet", "--json"]);
    let checked = drivelab(scratch.path(), &["check", "a.fio", "b.fio", "--json"]);
    assert_eq!(checked.status.code(), Some(2), "one is refused");
    made(scratch.path(), &["show", "d5-p5430", "--namespaces", "1 TB,1 TB", "--json"]);
    let trace = root().join("crates/cli/tests/cmd/trace.in/two-disks.csv");
    made(scratch.path(), &["trace", trace.to_str().expect("text"), "--format", "json"]);
    made(scratch.path(), &["show", "facts", "--json"]);
    made(scratch.path(), &["show", "solidigm-d5-p5430", "--json"]);
    made(scratch.path(), &["list", "--json"]);
    for kind in kinds().iter().filter_map(|kind| kind.strip_prefix("list-")) {
        made(scratch.path(), &["list", kind, "--json"]);
    }
}

/// What a Record of a run keeps as data.
#[test]
fn data_of_runs_are_as_their_schema_says() {
    let scratch = tempfile::tempdir().expect("made");
    let job = root().join("examples/four-corners.fio");
    let job = job.to_str().expect("text");
    let run = ["run", job, "--on", "d5-p5430", "--age", "cycles=1000", "--record", "r.json"];
    let small = ["--budget", "2ms", "--scale", "4Mi units", "--quiet"];
    made(scratch.path(), &[&run[..], &small].concat());
    let text = std::fs::read_to_string(scratch.path().join("r.json")).expect("text");
    let record: Value = serde_json::from_str(&text).expect("JSON");
    let data = &record["result"]["data"];
    assert!(data["age"]["cycles"] == 1000.0 && data["measured_s"].is_number(), "{data}");
    assert_eq!(faults(&schema("run-data"), data), Vec::<String>::new());
}

/// A shipped drive with one change, which both the schema and the program refuse.
fn refused(kind: &str, name: &str, from: &str, to: &str) {
    let text = made(&root(), &["show", name]);
    assert!(faults(&schema(kind), &values(&text)).is_empty(), "{name}");
    assert!(text.contains(from), "{name}: `{from}`");
    let broken = text.replacen(from, to, 1);
    let told = faults(&schema(kind), &values(&broken));
    assert!(!told.is_empty(), "{name} with `{to}` is let pass");
    let scratch = tempfile::tempdir().expect("made");
    std::fs::write(scratch.path().join("mine.toml"), broken).expect("written");
    let output = drivelab(scratch.path(), &["test", "facts", "--on", "mine.toml"]);
    assert_eq!(output.status.code(), Some(2), "{name} with `{to}`");
}

#[test]
fn what_the_program_refuses_the_schema_refuses() {
    let drive = |from: &str, to: &str| refused("drive", "d5-p5430-15.36tb", from, to);
    drive("[buffer]\n", "[buffer]\ncolour = \"red\"\n");
    drive("cores = { value = \"", "cores = { values = \"");
    drive("\ncapacity = {", "\ncapacity = 15 # {");
    drive("\ncapacity = { value = \"15.36 TB\"", "\ncapacity = { value = 15.36");
    drive("\ncapacity = { value = \"15.36 TB\"", "\ncapacity = { value = \"15.36\"");
    drive("\ncapacity = { value = \"15.36 TB\"", "\ncapacity = { value = \"15.36 kg\"");
    drive(", source = \"data sheet", ", saucer = \"data sheet");
    drive("source = \"data sheet", "source = \"hearsay");
    drive("source = \"data sheet", "source = \"fitted");
    refused("disk", "dt01aca200-2tb", "media = \"disk\"", "media = \"tape\"");
}

const MODELS: [&str; 7] = ["drive", "disk", "xpoint", "nand", "system", "cooling", "workload"];

#[test]
fn a_schema_is_one_and_its_examples_are_right() {
    for kind in kinds() {
        let whole = schema_text(&kind);
        if let Err(error) = jsonschema::draft7::meta::validate(&whole) {
            panic!("{kind}: {error}");
        }
        let mut examples = 0;
        walk(&whole, &mut |part| {
            let list = part.get("examples").and_then(Value::as_array);
            for example in list.into_iter().flatten() {
                let own = jsonschema::draft7::new(part).expect("a schema");
                assert!(own.is_valid(example), "{kind}: {example}");
                examples += 1;
            }
        });
        // Only models have quantities, whose form an example shows.
        let has_quantities = MODELS.contains(&kind.as_str());
        assert!(examples > 0 || !has_quantities, "{kind} has no examples");
    }
}

fn walk(value: &Value, see: &mut impl FnMut(&Value)) {
    see(value);
    match value {
        Value::Object(map) => map.values().for_each(|inner| walk(inner, see)),
        Value::Array(list) => list.iter().for_each(|inner| walk(inner, see)),
        _ => {}
    }
}

#[test]
fn schemas_are_listed_and_shown() {
    let scratch = tempfile::tempdir().expect("made");
    for kind in kinds() {
        let shown = made(scratch.path(), &["show", "schema", &kind, "--json"]);
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(shown, schema_text(&kind), "{kind}");
    }
    for wrong in [&["schema"][..], &["schema", "driv"], &["sn850", "drive"]] {
        let output = drivelab(scratch.path(), &[&["show"], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains("one of drive, disk, xpoint"), "{told}");
    }
}
