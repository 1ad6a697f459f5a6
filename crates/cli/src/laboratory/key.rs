//! What a measurement is called: two of one name are the same.

use crate::target;
use crate::values::scale_text;
use lab::{ArrayCondition, BenchOptions, Run};

/// What makes all measurements of a run of the program others: version and options.
pub fn key(options: &BenchOptions) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let scale = options.scale.map_or_else(|| "usual scale".to_owned(), scale_text);
    let age = options.age.map_or_else(String::new, |age| format!(", {age:?}"));
    let array = match options.array {
        ArrayCondition::Healthy => String::new(),
        array => format!(", {}", array.word()),
    };
    let counted = if options.brief { ", counted" } else { "" };
    let BenchOptions { seed, ios, .. } = options;
    format!("{version}, seed {seed}, {ios} I/Os{counted}, {scale}{age}{array}")
}

/// What makes a measurement another one besides the options of the bench: the run and the texts
/// of its model and its method.
pub fn run_key(run: &Run) -> String {
    let texts = target::model(&run.target, &[]).map(|system| system.texts()).unwrap_or_default();
    run_key_of(run, &texts)
}

/// The same for a model whose texts are known.
pub fn run_key_of(run: &Run, texts: &str) -> String {
    let method = lab::find(&run.method).map_or("", |m| m.text.as_str());
    let hash = engine::rng::fnv1a(format!("{texts}\n{method}").as_bytes());
    format!("{} | {} | {} | {hash:016x}", run.target, run.method, run.params)
}
