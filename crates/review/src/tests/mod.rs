//! The rules of reproducing, each on a small file and a bench that answers from a table.

mod could_not_run;
mod intervals;
mod totals;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::*;
use answer::Reproduction;
use answer::reproduction::{Basis, Informative, Said, Summary, Verdict};
use lab::{FACTS, Run};
use metric::{
    Bound, METRICS, MeasureError, Measurement, MetricValue, PARAMS, Params, Provenance, UNITS,
};

/// Answers from a table of metrics; counts how often each run is made.
#[derive(Default)]
struct FakeBench {
    iops: f64,
    slow_more: f64,
    tail_samples: Option<u64>,
    tail_interval: Option<(f64, f64)>,
    fitted_on: BTreeSet<String>,
    made: RefCell<BTreeMap<String, usize>>,
}

impl Bench for FakeBench {
    fn check(&self, run: &Run) -> Result<(), MeasureError> {
        if run.target != "fast-1tb" && run.target != "slow-1tb" {
            return Err(MeasureError::UnknownTarget("known drives: fast-1tb, slow-1tb".into()));
        }
        match run.method.as_str() {
            "corner" | "mixed" | FACTS => Ok(()),
            _ => Err(MeasureError::UnknownMethod("known methods: corner, mixed".into())),
        }
    }

    fn measure(
        &self,
        target: &str,
        method: &str,
        params: &Params,
    ) -> Result<Measurement, MeasureError> {
        *self.made.borrow_mut().entry(format!("{target} {method} {params}")).or_default() += 1;
        let speed = if target == "fast-1tb" { 1.0 } else { 0.5 + self.slow_more };
        // Each power state costs a fifth, so that several runs of one row differ.
        let slowed = 1.0 - 0.2 * f64::from(params.power_state());
        let write = if params.read_share() == Some(0.0) { 20.0 } else { 10.0 };
        let tail = MetricValue {
            samples: self.tail_samples,
            interval95: self.tail_interval,
            ..MetricValue::exact(523e-6)
        };
        let metrics = BTreeMap::from([
            ("iops".to_owned(), MetricValue::exact(self.iops * speed * slowed)),
            ("power".to_owned(), MetricValue::exact(write * slowed)),
            ("bandwidth".to_owned(), MetricValue::exact(1e6)),
            ("read_lat_mean".to_owned(), MetricValue::exact(1e-6)),
            ("read_lat_p99.99".to_owned(), tail),
        ]);
        let method_provenance = Provenance::Exact("a test".to_owned());
        Ok(Measurement {
            metrics,
            points: Vec::new(),
            series: Vec::new(),
            histograms: Vec::new(),
            convergence: Vec::new(),
            limits: Vec::new(),
            warnings: Vec::new(),
            method_provenance,
            about: serde_json::Value::Null,
        })
    }

    fn fact(&self, target: &str, metric: &str) -> Option<f64> {
        match metric {
            "power_per_tb" => Some(if target == "fast-1tb" { 1.5 } else { 2.0 }),
            "capacity" => Some(1e12),
            "dies" => Some(96.0),
            _ => None,
        }
    }

    fn fitted_on(&self, _: &str) -> BTreeSet<String> {
        self.fitted_on.clone()
    }
}

const NAMES: &str = r#"
    [[device]]
    names = ["Acme Fast 1TB"]
    target = "fast-1tb"
    [[device]]
    names = ["Acme Announced 9TB"]
    target = "announced-9tb"
    [[test]]
    names = ["4K random read"]
    method = "corner"
    params = { op = "read", block = "4 KiB" }
    [[test]]
    names = ["4K random write"]
    method = "corner"
    params = { op = "write", block = "4 KiB" }
    [[test]]
    names = ["any"]
    each = ["4K random read", "4K random write"]
    [[test]]
    names = ["teardown"]
    method = "facts"
    [[test]]
    names = ["tea leaves"]
    method = "tea-leaves"
"#;

fn read(text: &str) -> Result<ReviewFile, fio::Diagnostic> {
    let aliases = Aliases::parse("names.toml", NAMES).unwrap();
    ReviewFile::parse("mine.toml", text, &aliases, &ReviewFile::default())
}

fn run(text: &str, bench: &FakeBench) -> Reproduction {
    reproduce(read(text).unwrap(), bench, &mut |_| ()).unwrap()
}

/// One figure about the fast drive's random reads, with further lines.
fn row(id: &str, rest: &str) -> String {
    format!(
        "[[ref]]\nid = \"{id}\"\ndevice = \"Acme Fast 1TB\"\ntest = \"4K random read\"\n{rest}\n"
    )
}

fn refused(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn figures_about_one_run_share_it() {
    let bench = FakeBench { iops: 100e3, ..FakeBench::default() };
    let text = row("a", "metric = \"iops\"\nvalue = 100\nunit = \"kIOPS\"")
        + &row("b", "params = { power_mode = 0 }\nmetric = \"power\"\nvalue = 9\nunit = \"W\"")
        + &row("c", "params = { block = \"4096 B\" }\nmetric = \"power\"\nvalue = 9\nunit = \"W\"");
    let result = run(&text, &bench);
    assert_eq!(bench.made.borrow().values().copied().collect::<Vec<_>>(), [1]);
    let [a, b, _] = result.figures.as_slice() else { panic!("three figures") };
    assert_eq!((a.simulated, a.ratio, a.verdict), (Some(100.0), Some(1.0), Verdict::Hit));
    assert_eq!((b.basis, b.verdict), (Basis::Predicted, Verdict::Hit));
}

#[test]
fn errors_of_fitted_and_predicted_figures_are_never_averaged_together() {
    let bench = FakeBench { iops: 110.0, ..FakeBench::default() };
    let iops = "metric = \"iops\"\nvalue = 100\nunit = \"IOPS\"\nbasis = ";
    let text = row("f", &format!("{iops}\"fitted\""))
        + &row("p", &format!("{iops}\"predicted\""))
        + &row("bound", "metric = \"iops_min\"\nvalue = 10\nunit = \"IOPS\"");
    let result = run(&text, &bench);
    let verdicts: Vec<Verdict> = result.figures.iter().map(|figure| figure.verdict).collect();
    assert_eq!(verdicts, [Verdict::Miss, Verdict::Hit, Verdict::Held]);
    let Summary { fitted, predicted, .. } = &result.summary;
    assert_eq!((fitted.count, fitted.compared, fitted.hits), (1, 1, 0));
    // The bound counts as a figure, but has no error: 10 against 110 is not a miss by 1000 %.
    assert_eq!((predicted.count, predicted.compared, predicted.bounds_held), (2, 1, 1));
    assert!((predicted.worst_error.unwrap() - 0.1).abs() < 1e-9);
    assert!(result.figures[2].warnings[0].contains("says little"));
    assert!(result.figures[0].warnings[0].contains("no explanation"));
}

#[test]
fn a_bound_on_several_tests_is_judged_by_the_worst() {
    let text = r#"
        [[ref]]
        id = "pm1"
        device = "Acme Fast 1TB"
        test = "any"
        params = { power_mode = 1 }
        metric = "power_max"
        value = 13
        unit = "W"
    "#;
    let figure = run(text, &FakeBench::default()).figures.remove(0);
    assert_eq!((figure.simulated, figure.verdict), (Some(16.0), Verdict::Failed));
    assert!(figure.warnings[0].contains("rand write, PS1"), "{:?}", figure.warnings);
    // Only what all of its runs have in common is shown as its parameters.
    assert!(figure.params.contains_key("power_state") && !figure.params.contains_key("read"));
    let without_bound = text.replace("power_max", "power");
    assert!(refused(&without_bound).contains("needs a bound"));
}

#[test]
fn facts_are_read_from_the_model_and_need_no_run() {
    let bench = FakeBench::default();
    let fact = |id: &str, rest: &str| row(id, rest).replace("4K random read", "teardown");
    let text = fact("cap", "metric = \"capacity\"\nvalue = 1.0\nunit = \"TB\"")
        + &fact(
            "left",
            "params = { op_pct = 10 }\nmetric = \"capacity\"\nvalue = 0.9\nunit = \"TB\"",
        )
        + &fact(
            "spare",
            "params = { op_pct = 10 }\nmetric = \"size\"\nvalue = 0.10\nunit = \"TB\"",
        )
        + &fact("dies", "beside = 32\nmetric = \"dies\"\nvalue = 64\nunit = \"die\"")
        + &fact("other", "metric = \"dies\"\nvalue = 64\nunit = \"die\"")
        + &fact("dram", "metric = \"dram\"\nvalue = 1\nunit = \"GB\"");
    let result = run(&text, &bench);
    let verdicts: Vec<Verdict> = result.figures.iter().map(|figure| figure.verdict).collect();
    use Verdict::{Differs, Input, NotRun};
    assert_eq!(verdicts, [Input, Input, Input, Input, Differs, NotRun]);
    assert!(bench.made.borrow().is_empty());
    assert_eq!((result.summary.input.differ, result.summary.input.worst_error), (1, Some(0.5)));
}

#[test]
fn a_ratio_divides_by_the_second_target() {
    let text = row(
        "x",
        "relative_to = \"slow-1tb\"\nmetric = \"iops\"\nvalue = 2\nunit = \"x\"\nwhy = \"w\"",
    );
    let bench = FakeBench { iops: 100.0, ..FakeBench::default() };
    let figure = run(&text, &bench).figures.remove(0);
    assert_eq!((figure.simulated, figure.verdict), (Some(2.0), Verdict::Hit));
    let zero = run(&text, &FakeBench::default()).figures.remove(0);
    assert_eq!((zero.simulated, zero.verdict), (None, Verdict::NotRun));
}

#[test]
fn what_an_alias_leads_to_may_be_missing_but_not_what_the_file_names_itself() {
    let bench = FakeBench { iops: 1.0, ..FakeBench::default() };
    let iops = "metric = \"iops\"\nvalue = 1\nunit = \"IOPS\"";
    let announced = row("a", iops).replace("Fast 1TB", "Announced 9TB");
    let unbuilt = row("b", iops).replace("4K random read", "tea leaves");
    let result = run(&(announced + &unbuilt), &bench);
    for figure in &result.figures {
        assert_eq!((figure.basis, figure.verdict), (Basis::Predicted, Verdict::NotRun));
        assert!(figure.warnings[0].contains("yet"), "{:?}", figure.warnings);
    }
    let own = row("c", &format!("target = \"fats-1tb\"\n{iops}"));
    let error = Plan::new(read(&own).unwrap(), &bench).unwrap_err().to_string();
    assert_eq!(
        error,
        "mine.toml:5:10: unknown target `fats-1tb`\n  help: known drives: fast-1tb, slow-1tb"
    );
    let own = row("d", &format!("method = \"tea-leaves\"\n{iops}"));
    let error = Plan::new(read(&own).unwrap(), &bench).unwrap_err().to_string();
    assert!(error.starts_with("mine.toml:5:10: unknown method `tea-leaves`"), "{error}");
}

#[test]
fn no_run_is_made_for_a_metric_that_nothing_measures() {
    let bench = FakeBench::default();
    let figure = run(&row("a", "metric = \"pe_ratio\"\nvalue = 5.0\nunit = \"x\""), &bench)
        .figures
        .remove(0);
    assert_eq!((figure.basis, figure.verdict), (Basis::Predicted, Verdict::NotRun));
    assert_eq!(figure.warnings, ["no method measures `pe_ratio` yet"]);
    assert!(bench.made.borrow().is_empty());
}

#[test]
fn a_model_that_was_fitted_with_a_figure_is_believed() {
    let fitted_on = BTreeSet::from(["a".to_owned()]);
    let bench = FakeBench { iops: 90.0, fitted_on, ..FakeBench::default() };
    let text = row("a", "metric = \"iops\"\nvalue = 100\nunit = \"IOPS\"\nwhy = \"known\"");
    let figure = run(&text, &bench).figures.remove(0);
    assert_eq!((figure.basis, figure.verdict), (Basis::Fitted, Verdict::Miss));
    assert_eq!(figure.warnings, ["the model was fitted with this figure"]);
}

#[test]
fn a_tail_of_few_samples_is_warned_of() {
    let text = row("t", "metric = \"read_lat_p99.99\"\nvalue = 523\nunit = \"us\"");
    for (samples, warned) in [(99_000, true), (101_000, false)] {
        let bench = FakeBench { tail_samples: Some(samples), ..FakeBench::default() };
        let figure = run(&text, &bench).figures.remove(0);
        assert_eq!(figure.warnings.iter().any(|w| w.contains("samples")), warned, "{samples}");
    }
}

#[test]
fn a_mistake_is_one_message_with_its_place_and_a_fix() {
    let iops = "metric = \"iops\"\nvalue = 1\nunit = \"IOPS\"";
    let cases = [
        (row("a", &iops.replace("iops", "iosp")), "5:10: unknown metric `iosp`", "`iops`"),
        (row("a", &iops.replace("IOPS", "IOPs")), "7:8: unknown unit `IOPs`", "`IOPS`"),
        (row("a", &iops.replace("IOPS", "W")), "7:8: metric `iops` is not measured", "kIOPS"),
        (row("a", &iops.replace("= 1", "= \"1\"")), "6:9: expected a number", ""),
        (row("a", &iops.replace("= 1", "= inf")), "6:9: expected a finite number", ""),
        (row("a", &format!("{iops}\nvalu = 2")), "8:1: unknown key `valu`", "`value`"),
        (row("a", "metric = \"iops\""), "1:1: [[ref]] has no `unit`", "unit = "),
        (row("a", iops).replace("Fast", "Fats"), "3:10: unknown device", "Acme Fast 1TB"),
        (row("a", iops).replace("4K", "5K"), "4:8: unknown test", "4K random read"),
        (row("a", &format!("params = {{ blok = \"4 KiB\" }}\n{iops}")), "5:12: ", "`block`"),
        (row("a", &format!("basis = \"guessed\"\n{iops}")), "5:9: `guessed` is no", "fitted"),
        (row("a", iops) + &row("a", iops), "8:1: the id `a` is used twice", "line 1"),
        (row("a", &format!("bound = \"max\"\n{}", iops.replace("iops", "iops_min"))), "6:10", ""),
        ("# nothing\n".to_owned(), "neither figures nor claims", "[[ref]]"),
        ("[[ref\n".to_owned(), "mine.toml:1:", "TOML"),
    ];
    for (text, place, help) in cases {
        let message = refused(&text);
        assert!(message.contains(place) && message.contains(help), "{text}\n{message}");
    }
}

#[test]
fn a_claim_shows_both_numbers() {
    let claim = |rest: &str| format!("[[claim]]\nid = \"c\"\nclaim = \"fast beats slow\"\n{rest}");
    let left = "left = { device = \"Acme Fast 1TB\", test = \"4K random read\", \
                metric = \"iops\" }";
    let result = |check: &str| {
        let bench = FakeBench { iops: 200e3, ..FakeBench::default() };
        run(&claim(check), &bench).claims.remove(0)
    };
    let held =
        result(&format!("check = {{ {left}, op = \">\", right = {{ target = \"slow-1tb\" }} }}"));
    assert_eq!(held.held, Some(true));
    assert_eq!(held.evidence, "fast-1tb rand read iops 200.0 kIOPS > slow-1tb 100.0 kIOPS");
    let factor = "op = \">=\", factor = 3, right = { target = \"slow-1tb\" }";
    let failed = result(&format!("check = {{ {left}, {factor} }}"));
    assert_eq!(failed.held, Some(false));
    assert!(failed.evidence.starts_with("FAILED: "), "{}", failed.evidence);
    let range = "range = [1.9, 2.1], of = { target = \"slow-1tb\" }";
    assert_eq!(result(&format!("check = {{ {left}, {range} }}")).held, Some(true));
    let value = "op = \"~\", value = 185, unit = \"kIOPS\"";
    assert_eq!(result(&format!("check = {{ {left}, {value} }}")).held, Some(true));
    let narrow = format!("{value}, tolerance = 0.05");
    assert_eq!(result(&format!("check = {{ {left}, {narrow} }}")).held, Some(false));
    assert_eq!(result("check = \"in words\"").held, None);
    // One failed comparison decides; one that cannot be made leaves only the undecided open.
    let lacking = format!(
        "{{ {}, op = \">\", value = 1, unit = \"W\" }}",
        left.replace("\"iops\"", "\"temperature\"")
    )
    .replace("\"W\"", "\"C\"");
    let fails = format!("{{ {left}, op = \"<\", value = 1, unit = \"IOPS\" }}");
    let holds = format!("{{ {left}, op = \">\", value = 1, unit = \"IOPS\" }}");
    assert_eq!(result(&format!("checks = [{lacking}, {fails}]")).held, Some(false));
    assert_eq!(result(&format!("checks = [{holds}, {lacking}]")).held, None);
}

#[test]
fn a_side_of_a_claim_may_be_a_quotient_of_two_drives() {
    let bench = FakeBench { iops: 100.0, ..FakeBench::default() };
    let claim = |id: &str, check: &str| {
        let left = "left = { device = \"Acme Fast 1TB\", test = \"4K random read\", \
                    metric = \"iops\", relative_to = \"slow-1tb\" }";
        format!("[[claim]]\nid = \"{id}\"\nclaim = \"\"\n[[claim.checks]]\n{left}\n{check}\n")
    };
    // Twice the rate, at the same power.
    let held = run(
        &[
            claim("a", "op = \">\"\nright = { metric = \"power\" }"),
            claim("b", "range = [1.9, 2.1]\nunit = \"x\""),
            claim("c", "op = \"<\"\nright = { metric = \"power\" }"),
        ]
        .concat(),
        &bench,
    );
    let verdicts: Vec<Option<bool>> = held.claims.iter().map(|claim| claim.held).collect();
    assert_eq!(verdicts, [Some(true), Some(true), Some(false)]);
    let evidence = &held.claims[0].evidence;
    assert!(evidence.contains("fast-1tb over slow-1tb rand read iops 2.000 > "), "{evidence}");
    assert!(
        bench.made.borrow().values().all(|times| *times == 1) && bench.made.borrow().len() == 2
    );
    // A quotient is not a rate.
    let why = refused(&claim("a", "op = \">\"\nvalue = 1\nunit = \"IOPS\""));
    assert!(why.contains("not measured in"), "{why}");
    let plain = "{ device = \"Acme Fast 1TB\", test = \"4K random read\", metric = \"iops\" }";
    let mixed = format!(
        "[[claim]]\nid = \"a\"\nclaim = \"\"\n[[claim.checks]]\nleft = {plain}\nop = \">\"\n\
         right = {{ relative_to = \"slow-1tb\" }}\n"
    );
    assert!(refused(&mixed).contains("cannot be compared"));
}

#[test]
fn a_saving_is_made_of_the_facts_of_two_drives() {
    let row = |second: &str| {
        format!(
            "[[ref]]\nid = \"a\"\ndevice = \"Acme Fast 1TB\"\ntest = \"teardown\"\n{second}\
             metric = \"power_reduction_per_tb\"\nvalue = 25\nunit = \"%\"\n"
        )
    };
    let bench = FakeBench::default();
    let figure = |text: &str| run(text, &bench).figures.remove(0);
    let known = figure(&row("relative_to = \"slow-1tb\"\n"));
    assert_eq!((known.simulated, known.verdict), (Some(25.0), Verdict::Input));
    let alone = figure(&row(""));
    assert_eq!((alone.simulated, alone.verdict), (None, Verdict::NotRun));
    assert!(bench.made.borrow().is_empty(), "facts need no run");
}

#[test]
fn a_mistake_in_a_claim_is_placed_too() {
    let claim = |check: &str| format!("[[claim]]\nid = \"c\"\nclaim = \"x\"\ncheck = {check}\n");
    let left = "left = { target = \"fast-1tb\", test = \"any\", metric = \"iops\" }";
    let single = left.replace("any", "4K random read");
    let cases = [
        (format!("{{ {left}, op = \">\", value = 1, unit = \"IOPS\" }}"), "single test"),
        (format!("{{ {single} }}"), "neither `op` nor `range`"),
        (format!("{{ {single}, op = \"=>\", value = 1, unit = \"IOPS\" }}"), "4:"),
        (format!("{{ {single}, range = [2, 1], of = {{}} }}"), "the lower first"),
        (format!("{{ {single}, op = \">\", right = {{ metric = \"power\" }} }}"), "be compared"),
        (format!("{{ {}, op = \">\" }}", single.replace("iops", "iops_min")), "names a bound"),
        (format!("{{ {single}, op = \">\", value = 1, unit = \"W\" }}"), "not measured in `W`"),
    ];
    for (check, wanted) in cases {
        let message = refused(&claim(&check));
        assert!(message.contains(wanted), "{check}\n{message}");
    }
}

#[test]
fn json_has_the_documented_keys_in_order() {
    let text = row("a", "metric = \"iops\"\nvalue = 1\nunit = \"IOPS\"\nwhy = \"w\"");
    let json = serde_json::to_value(run(&text, &FakeBench::default())).unwrap();
    let keys = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(keys(&json), ["figures", "claims", "summary", "remarks"]);
    let documented = "id target method metric unit published published_to simulated half_width \
                      seeds ratio error basis bound verdict informative number warnings params \
                      fitted_parameters carried_by why review";
    assert_eq!(keys(&json["figures"][0]).join(" "), documented);
    assert_eq!(json["figures"][0]["basis"], "predicted");
    assert_eq!(json["summary"]["predicted"]["count"], 1);
}

#[test]
fn shipped_reviews_load_and_lend_their_basis_and_checks() {
    let mut library = Library::shipped().unwrap();
    assert!(library.names().contains(&"solidigm-d5-p5430"));
    let shipped = library.select(&["solidigm-d5-p5430".to_owned()]).unwrap();
    assert_eq!((shipped.figures.len(), shipped.claims.len()), (26, 15));
    for figure in &shipped.figures {
        let said = figure.why.is_some() || figure.basis == Basis::Input;
        assert!(said, "{}: a basis needs its reason", figure.id);
        let parameters = figure.fitted_parameters.is_empty();
        assert_eq!(parameters, figure.basis != Basis::Fitted, "{}", figure.id);
    }
    assert!(library.select(&["solidigm".to_owned()]).unwrap_err().contains("solidigm-d5-p5430"));
    // The same number of the same run, as a user's file may carry it without a basis.
    library
        .add(
            "copy.toml",
            "[[ref]]\nid = \"s1.p5430.randread\"\ndevice = \"P5430\"\ntest = \"4K random read\"\n\
             metric = \"iops\"\nvalue = 964000\nunit = \"IOPS\"\n\
             [[claim]]\nid = \"s1.q.scatter\"\nclaim = \"even\"\ncheck = \"in words\"\n",
        )
        .unwrap();
    let mine = library.select(&[]).unwrap();
    assert_eq!(mine.figures[0].basis, Basis::Fitted);
    assert_eq!(mine.claims[0].checks.len(), 1);
    let both = library.select(&["solidigm-d5-p5430".to_owned(), "copy".to_owned()]).unwrap();
    assert_eq!(both.figures.len(), 26, "the user's row stands for the shipped one");
}

const MANUAL: &str = include_str!("../../../../reviews/README.md");

#[test]
fn the_example_of_the_manual_loads_unchanged() {
    let example = MANUAL.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let mut library = Library::shipped().unwrap();
    library.add("mine.toml", example.unwrap()).unwrap();
    let mine = library.select(&["mine".to_owned()]).unwrap();
    assert_eq!((mine.figures.len(), mine.claims.len(), mine.setups.len()), (4, 1, 1));
    let bases: Vec<Basis> = mine.figures.iter().map(|figure| figure.basis).collect();
    use Basis::{NotModelled, Predicted};
    assert_eq!(bases, [Predicted, Predicted, Predicted, NotModelled]);
}

#[test]
fn the_manual_names_every_parameter_metric_and_unit() {
    let params = PARAMS.iter().map(|spec| spec.name);
    let metrics = METRICS.iter().map(|spec| spec.name);
    for name in params.chain(metrics).chain(UNITS.iter().map(|unit| unit.symbol)) {
        assert!(MANUAL.contains(&format!("`{name}`")), "reviews/README.md lacks `{name}`");
    }
}

#[test]
fn no_damage_to_a_file_makes_the_reader_panic() {
    let aliases = Aliases::parse("names.toml", NAMES).unwrap();
    let library = Library::shipped().unwrap();
    let example = MANUAL.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let example = example.unwrap();
    for (at, _) in example.char_indices() {
        let (before, after) = example.split_at(at);
        let rest: String = after.chars().skip(1).collect();
        for text in [before.to_owned(), format!("{before}{rest}"), format!("{before}-9ü{rest}")] {
            let _ = ReviewFile::parse("damaged.toml", &text, &aliases, &ReviewFile::default());
            if let Ok(read) = ReviewFile::parse("d", &text, library.aliases(), &Default::default())
            {
                let _ = reproduce(read, &FakeBench::default(), &mut |_| ());
            }
        }
    }
}
