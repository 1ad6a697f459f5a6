//! The program as a user starts it, with its answers held to their schemas.

use jsonschema::Validator;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The folder of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The schema of a kind, as it is kept.
pub fn schema_text(kind: &str) -> Value {
    let path = root().join(format!("docs/reference/schema/{kind}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

/// The same, ready to be used.
pub fn schema(kind: &str) -> Validator {
    jsonschema::draft7::new(&schema_text(kind)).unwrap_or_else(|error| panic!("{kind}: {error}"))
}

/// What is wrong by a schema, a line each.
pub fn faults(schema: &Validator, value: &Value) -> Vec<String> {
    let line = |error: jsonschema::ValidationError<'_>| {
        let said: String = error.to_string().chars().take(300).collect();
        format!("{}: {said}", error.instance_path())
    };
    schema.iter_errors(value).map(line).collect()
}

/// The schema of what a command answers in JSON.
fn answered(arguments: &[&str]) -> Option<String> {
    let has = |word: &str| arguments.contains(&word);
    let command = *arguments.first()?;
    match command {
        "trace" if has("json") => Some(command.to_owned()),
        "run" if ["json", "json+", "--json"].into_iter().any(has) => Some(command.to_owned()),
        _ if !has("--json") => None,
        "sweep" if has("run") => Some("sweep-part".to_owned()),
        "test" | "compare" | "sweep" | "reproduce" | "fit" | "endurance" | "check" | "corpus"
        | "trace" => Some(command.to_owned()),
        "twin" if has("--blind") => Some("twin-blind".to_owned()),
        "shelf" if has("compare") => Some("shelf-compare".to_owned()),
        "shelf" if has("list") => Some("shelf".to_owned()),
        "crash-test" | "capacity-check" | "campaign" | "preflight" | "spec" | "twin" => {
            Some(command.to_owned())
        }
        "control" if has("timeline") => Some("timeline".to_owned()),
        "serve" | "control" => Some("serve".to_owned()),
        "list" => Some(match arguments.get(1).filter(|word| !word.starts_with('-')) {
            Some(shelf) => format!("list-{shelf}"),
            None => "list".to_owned(),
        }),
        "show" if has("--namespaces") || has("--drives") => Some("devices".to_owned()),
        "show" if has("facts") => Some("show-facts".to_owned()),
        "show" if has("solidigm-d5-p5430") => Some("show-review".to_owned()),
        _ => None,
    }
}

/// Holds what a command printed to the schema of its answer.
fn hold_to_schema(arguments: &[&str], output: &Output) {
    let Some(kind) = answered(arguments) else { return };
    let Ok(answer) = serde_json::from_slice(&output.stdout) else { return };
    assert_eq!(faults(&schema(&kind), &answer), Vec::<String>::new(), "{arguments:?}");
}

/// What a program printed.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The installed fio; without it the test is skipped.
pub fn fio() -> Option<()> {
    let version = Command::new("fio").arg("--version").output();
    needs::found(needs::FIO, version.ok()).map(drop)
}

/// Whether a program is here: on the path, or where Debian has those of root and of PostgreSQL.
pub fn is_installed(program: &str) -> bool {
    let places = "PATH=$PATH:/usr/sbin:/sbin; for place in /usr/lib/postgresql/*/bin; do \
                  PATH=$PATH:$place; done; command -v \"$1\"";
    let found = Command::new("sh").args(["-c", places, "sh", program]).output();
    found.is_ok_and(|output| output.status.success())
}

/// Whether a served drive can be mounted here, which only root can, and these programs are here.
pub fn mounts(programs: &[&str]) -> Option<()> {
    let id = Command::new("id").arg("-u").output().expect("id");
    let always = ["nbdfuse", "fusermount3", "losetup"];
    let all = always.iter().chain(programs).all(|program| is_installed(program));
    needs::found(needs::MOUNTS, (all && id.stdout == b"0\n").then_some(()))
}

/// Starts drivelab in a folder and waits for its end. A JSON answer must be as its schema says.
pub fn drivelab(folder: &Path, arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_drivelab"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("the program starts");
    hold_to_schema(arguments, &output);
    output
}

/// The same where it has to succeed; what it printed.
pub fn made(folder: &Path, arguments: &[&str]) -> String {
    let output = drivelab(folder, arguments);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {told}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// drivelab in a folder, to be started and interrupted. A shell that starts tests in the background
/// has signals ignored, and drivelab leaves them so.
pub fn interruptible(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("env");
    command
        .arg("--default-signal=INT,TERM,HUP")
        .arg(env!("CARGO_BIN_EXE_drivelab"))
        .current_dir(folder)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// Sends a signal: `-INT`.
pub fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(status.expect("kill starts").success());
}
