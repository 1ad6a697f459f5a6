//! What counts, how often, and what does not.

use super::*;

fn bench() -> FakeBench {
    FakeBench { iops: 100.0, ..FakeBench::default() }
}

const IOPS: &str = "metric = \"iops\"\nvalue = 100\nunit = \"IOPS\"";

#[test]
fn a_published_range_is_one_row() {
    let range = |value: &str| {
        row("a", &format!("metric = \"iops\"\nvalue = {value}\nunit = \"IOPS\"\nwhy = \"w\""))
    };
    let figure = |value: &str| run(&range(value), &bench()).figures.remove(0);
    for (value, verdict) in [
        ("[90, 110]", Verdict::Held),
        ("[100, 110]", Verdict::Held),
        ("[101, 110]", Verdict::Failed),
        ("[80, 99.9]", Verdict::Failed),
    ] {
        assert_eq!(figure(value).verdict, verdict, "{value}");
    }
    let inside = figure("[90, 110]");
    assert_eq!((inside.published, inside.published_to), (90.0, Some(110.0)));
    assert_eq!((inside.error, inside.bound), (None, None));
    let sums = run(&range("[101, 110]"), &bench()).summary.predicted;
    assert_eq!((sums.count, sums.bounds_held, sums.bounds_failed), (1, 0, 1), "not half a point");
    assert!(refused(&range("[110, 90]")).contains("the lower first"));
    assert!(refused(&range("[1, 2]").replace("iops\"", "iops_min\"")).contains("limit on both"));
}

/// A file with the two bounds as rows of their own, as reviews state them.
#[test]
fn the_ends_of_a_shipped_range_lend_as_the_row_does() {
    let mut library = Library::shipped().unwrap();
    let end = |end: &str, value: u32, metric: &str| {
        format!(
            "[[ref]]\nid = \"s0.710.pe.{end}\"\ndevice = \"Intel 710\"\n\
             test = \"6 h workload counters\"\nmetric = \"{metric}\"\nvalue = {value}\n\
             unit = \"cycles\"\nkind = \"derived\"\n"
        )
    };
    let text = end("lo", 20000, "pe_cycles_low") + &end("hi", 25000, "pe_cycles_high");
    library.add("mine.toml", &text).unwrap();
    let mine = library.select(&["mine".to_owned()]).unwrap();
    let told: Vec<_> = mine.figures.iter().map(|f| (f.bound, f.inherited.is_some())).collect();
    assert_eq!(told, [(Some(Bound::Min), true), (Some(Bound::Max), true)]);
}

/// H5 of our own review: 1.15 published, a model without any difference, and it was a hit.
#[test]
fn a_model_without_a_difference_misses_one() {
    let text = row(
        "a",
        "relative_to = \"fast-1tb\"\nmetric = \"iops\"\nvalue = 1.15\nunit = \"x\"\nwhy = \"w\"",
    );
    let figure = run(&text, &bench()).figures.remove(0);
    assert_eq!((figure.simulated, figure.verdict), (Some(1.0), Verdict::Miss));
    assert!((figure.error.unwrap() + 1.0).abs() < 1e-9);
}

#[test]
fn what_a_review_refutes_is_neither_hit_nor_miss() {
    let claim = row("claim", &format!("refuted_by = \"seen\"\n{}", IOPS.replace("100", "500")));
    let text = row("seen", IOPS) + &claim;
    let result = run(&text, &bench());
    assert_eq!(result.figures[1].verdict, Verdict::Refuted);
    let why = &result.figures[1].warnings;
    assert!(why.iter().any(|w| w.contains("states otherwise: seen")), "{why:?}");
    let sums = &result.summary.predicted;
    assert_eq!((sums.count, sums.compared, sums.hits, sums.refuted), (2, 1, 1, 1));
    assert_eq!(sums.worst_error, Some(0.0));
    let said = run(&row("a", &format!("refuted = \"a slip\"\n{IOPS}")), &bench());
    assert_eq!(said.summary.informative, Informative::default());
    let wrong = refused(&row("a", &format!("{IOPS}\nrefuted_by = \"nobody\"")));
    assert!(wrong.contains("mine.toml:8:14: no row has the id `nobody`"), "{wrong}");
}

#[test]
fn what_is_one_number_counts_once() {
    // Rate and latency of a closed loop, once more under another id, and both in MB/s.
    let latency = "metric = \"read_lat_mean\"\nvalue = 1\nunit = \"us\"";
    let bytes = "metric = \"bandwidth\"\nvalue = 1\nunit = \"MB/s\"";
    let text = row("a", IOPS) + &row("b", latency) + &row("c", IOPS) + &row("d", bytes);
    let numbers = |text: &str| -> Vec<String> {
        run(text, &bench()).figures.into_iter().map(|figure| figure.number).collect()
    };
    assert_eq!(numbers(&text), ["a", "a", "a", "a"]);
    // Other parameters, another drive and a tail are numbers of their own.
    let text = row("a", IOPS)
        + &row("b", &format!("params = {{ qd = 8 }}\n{IOPS}"))
        + &row("c", &format!("target = \"slow-1tb\"\n{IOPS}"))
        + &row("d", "metric = \"read_lat_p99.99\"\nvalue = 523\nunit = \"us\"")
        + &row("e", &format!("params = {{ qd = 16 }}\nsame_as = \"b\"\n{IOPS}"));
    assert_eq!(numbers(&text), ["a", "b", "c", "d", "b"]);
    // A quotient of two rows repeats the second of them.
    let quotient = "relative_to = \"slow-1tb\"\nmetric = \"iops\"\nvalue = 2\nunit = \"x\"";
    let text = row("q", quotient)
        + &row("fast", IOPS)
        + &row("slow", &format!("target = \"slow-1tb\"\n{IOPS}"));
    assert_eq!(numbers(&text), ["q", "fast", "q"]);
    assert_eq!(numbers(&row("q", quotient)), ["q"]);
}

/// One limit of a drive, met by a read of another depth: the bench answers every depth alike.
#[test]
fn what_comes_out_the_same_on_a_target_is_one_number_that_is_tested() {
    let deep = format!("params = {{ qd = 8 }}\n{IOPS}");
    let told = |text: &str| run(text, &bench()).summary.informative;
    let both = told(&(row("a", IOPS) + &row("b", &deep)));
    assert_eq!((both.right, both.wrong), (1, 0));
    let slow = row("c", &format!("target = \"slow-1tb\"\n{}", IOPS.replace("100", "50")));
    assert_eq!(told(&(row("a", IOPS) + &slow)).right, 2, "another target, another rate");
}

#[test]
fn only_a_prediction_that_tests_the_model_is_informative() {
    let told = |text: &str| {
        let Informative { right, wrong, open } = run(text, &bench()).summary.informative;
        (right, wrong, open)
    };
    assert_eq!(told(&row("a", IOPS)), (1, 0, 0));
    assert_eq!(told(&row("a", &IOPS.replace("100", "300"))), (0, 1, 0));
    // The same twice is one; with a number that something was fitted with none.
    let other = row("b", &IOPS.replace("100", "300"));
    assert_eq!(told(&(row("a", IOPS) + &row("b", IOPS))), (1, 0, 0));
    assert_eq!(told(&(row("a", IOPS) + &other)), (0, 1, 0), "one wrong row is enough");
    let fitted = row("a", &format!("basis = \"fitted\"\n{IOPS}"));
    assert_eq!(told(&(fitted.clone() + &row("b", IOPS))), (0, 0, 0));
    let predicted = run(&(fitted + &row("b", IOPS)), &bench()).summary.predicted;
    assert_eq!((predicted.count, predicted.independent, predicted.hits), (1, 1, 1));
    // Bounds far away, and rows that say so themselves.
    assert_eq!(told(&row("a", &IOPS.replace("iops\"", "iops_min\""))), (1, 0, 0));
    let far = IOPS.replace("iops\"", "iops_min\"").replace("100", "10");
    assert_eq!(told(&row("a", &far)), (0, 0, 0));
    assert_eq!(told(&row("a", &far.replace("_min", "_max"))), (0, 1, 0), "broken tells much");
    let little = row("a", &format!("{IOPS}\nsays_little = \"any model would\""));
    assert_eq!(told(&little), (0, 0, 0));
    let figure = run(&little, &bench()).figures.remove(0);
    assert_eq!((figure.verdict, figure.informative), (Verdict::Hit, false));
    assert_eq!(figure.warnings, ["a hit says little: any model would"]);
}
