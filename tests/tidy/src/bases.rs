//! What models and profiles say they were fitted with, and what the reviews say of the same rows.

use crate::tree::{check, files};
use std::collections::BTreeSet;

/// Every id in a list `fitted_on`, however deep.
fn fitted_on(value: &toml::Value, ids: &mut BTreeSet<String>) {
    match value {
        toml::Value::Table(table) => {
            let list = table.get("fitted_on").and_then(toml::Value::as_array);
            let named = list.into_iter().flatten().filter_map(toml::Value::as_str);
            ids.extend(named.map(str::to_owned));
            table.values().for_each(|inner| fitted_on(inner, ids));
        }
        toml::Value::Array(list) => list.iter().for_each(|inner| fitted_on(inner, ids)),
        _ => {}
    }
}

/// The rows of all reviews: id and table.
fn rows() -> Vec<(String, toml::Table)> {
    let mut rows = Vec::new();
    for file in files("reviews", ".toml") {
        let review: toml::Table = toml::from_str(&file.text).expect("a review is TOML");
        let list = review.get("ref").and_then(toml::Value::as_array);
        for row in list.into_iter().flatten().filter_map(toml::Value::as_table) {
            let id = row.get("id").and_then(toml::Value::as_str).unwrap_or_default();
            rows.push((id.to_owned(), row.clone()));
        }
    }
    rows
}

fn basis(row: &toml::Table) -> Option<&str> {
    row.get("basis").and_then(toml::Value::as_str)
}

/// Every id that a file of models, methods or workloads names in a list `fitted_on`.
fn named() -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for file in files("models", ".toml").into_iter().chain(files("methods", ".toml")) {
        let table: toml::Value = toml::from_str(&file.text).expect("a file is TOML");
        fitted_on(&table, &mut ids);
    }
    ids
}

/// What a row says was chosen with it where no file can: something that the row itself leaves open.
const OF_THE_ROW: &str = "of the row: ";

/// The parameters that a row says were chosen with it.
fn parameters(row: &toml::Table) -> Vec<&str> {
    let named = row.get("fitted_parameters").and_then(toml::Value::as_array);
    named.into_iter().flatten().filter_map(toml::Value::as_str).collect()
}

/// A row with which something was chosen is no prediction, and the review says so.
#[test]
fn what_something_was_fitted_with_is_fitted() {
    let rows = rows();
    let mut wrong = Vec::new();
    for id in named() {
        match rows.iter().find(|(known, _)| *known == id).map(|(_, row)| basis(row)) {
            None => wrong.push(format!("{id}: no review has this row")),
            Some(Some("fitted")) => {}
            Some(basis) => wrong.push(format!("{id}: its basis is {basis:?}")),
        }
    }
    check("a row that something was fitted with has basis = \"fitted\"", wrong);
}

/// The other way: what a row says was fitted stands in the file that holds it, which says so.
#[test]
fn what_is_called_fitted_stands_where_it_was_fitted() {
    let named = named();
    let silent = rows().into_iter().filter(|(id, row)| {
        let of_the_row = parameters(row).iter().any(|said| said.starts_with(OF_THE_ROW));
        basis(row) == Some("fitted") && !named.contains(id) && !of_the_row
    });
    let ids = silent.map(|(id, _)| id).collect();
    check("a fitted row stands in the `fitted_on` of a model, a method or a workload", ids);
}

/// Whoever says fitted says what was.
#[test]
fn a_fitted_row_names_its_parameters() {
    let rows = rows();
    let silent =
        rows.iter().filter(|(_, row)| basis(row) == Some("fitted") && parameters(row).is_empty());
    let ids = silent.map(|(id, _)| id.clone()).collect();
    check("a fitted row names the parameters that were chosen with it", ids);
}
