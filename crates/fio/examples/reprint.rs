//! Reads the JSON of a run of fio and prints it again: as text, JSON or JSON+.
//!
//! `cargo run -p fio --example reprint -- FILE [normal|json|json+]`

use std::process::ExitCode;

use fio::json_in;
use fio::output::{JsonKind, json, normal};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(file) = arguments.first() else {
        eprintln!("usage: reprint FILE [normal|json|json+]");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{file}: {error}");
            return ExitCode::from(2);
        }
    };
    let result = match json_in::parse(&text) {
        Ok(result) => result,
        Err(error) => {
            eprintln!("{file}: {error}");
            return ExitCode::from(2);
        }
    };
    match arguments.get(1).map(String::as_str) {
        Some("json") => print!("{}", json(&result, JsonKind::Json, None)),
        Some("json+") => print!("{}", json(&result, JsonKind::JsonPlus, None)),
        _ => print!("{}", normal(&result)),
    }
    ExitCode::SUCCESS
}
