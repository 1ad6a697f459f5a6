//! Labels of figures: they cannot be chosen.

use answer::reproduction::{Basis, Figure as FigureResult, Said};
use lab::ModelBench;
use lab::Run;
use metric::{MeasureError, Measurement, MetricValue, Params, Provenance};
use review::{Bench, Figure, Library, reproduce};
use std::collections::{BTreeMap, BTreeSet};

/// Knows the models, and answers every run with the same rate.
#[derive(Default)]
struct Stub(ModelBench);

impl Bench for Stub {
    fn check(&self, _: &Run) -> Result<(), MeasureError> {
        Ok(())
    }

    fn measure(&self, _: &str, _: &str, _: &Params) -> Result<Measurement, MeasureError> {
        let rate = MetricValue::exact(5850e6);
        Ok(Measurement {
            metrics: BTreeMap::from([("bandwidth".into(), rate), ("iops".into(), rate)]),
            points: Vec::new(),
            series: Vec::new(),
            histograms: Vec::new(),
            convergence: Vec::new(),
            warnings: Vec::new(),
            method_provenance: Provenance::Exact("a test".into()),
            limits: Vec::new(),
            about: serde_json::Value::Null,
        })
    }

    fn fact(&self, target: &str, metric: &str) -> Option<f64> {
        self.0.fact(target, metric)
    }

    fn fitted_on(&self, target: &str) -> BTreeSet<String> {
        self.0.fitted_on(target)
    }

    fn inputs(&self, figure: &Figure) -> Option<String> {
        self.0.inputs(figure)
    }
}

/// The figure of a user's file with one row.
fn judged(row: &str) -> FigureResult {
    let mut library = Library::shipped().unwrap();
    let text = format!("[[ref]]\nid = \"mine\"\nvalue = 5908\n{row}\n");
    library.add("mine.toml", &text).unwrap();
    let rows = library.select(&[]).unwrap();
    reproduce(rows, &Stub::default(), &mut |_| ()).unwrap().figures.remove(0)
}

const H755N: &str = "device = \"Dell PERC H755N\"\ntest = \"seq write\"\n\
                     metric = \"bandwidth\"\nunit = \"MB/s\"\nparams = { jobs = 1 }";

/// The same with further parameters.
fn with(params: &str) -> String {
    H755N.replace("jobs = 1", &format!("jobs = 1, {params}"))
}

/// The fitted number of the H755N was "predicted, hit -1.0 %" under another name.
#[test]
fn a_row_under_another_id_has_the_label_of_what_it_measures() {
    let found = judged(H755N);
    assert_eq!(found.basis, Basis::Fitted);
    assert!(found.warnings.iter().any(|w| w.contains("s4.h755n.r10")), "{:?}", found.warnings);
    // The other names of a rate are no way around it, nor is another spelling of a parameter.
    let iops = H755N.replace("bandwidth", "iops").replace("MB/s", "IOPS");
    assert_eq!(judged(&iops).basis, Basis::Fitted);
    assert_eq!(judged(&with("block_kib = 128")).basis, Basis::Fitted);
    // What is measured with other parameters is something else.
    let other = judged(&with("block_kib = 64"));
    assert_eq!(other.basis, Basis::Predicted);
    assert!(other.warnings.contains(&"basis declared, not derived".to_owned()));
}

#[test]
fn a_row_may_say_less_of_itself_and_never_more() {
    let more = judged(&format!("{H755N}\nbasis = \"predicted\""));
    assert_eq!(more.basis, Basis::Fitted);
    assert!(more.warnings.iter().any(|w| w.contains("the row says predicted")));
    let less = judged(&format!("{}\nbasis = \"fitted\"", with("qd = 7")));
    assert_eq!(less.basis, Basis::Fitted);
    let input = judged(&format!("{H755N}\nbasis = \"input\""));
    assert_eq!(input.basis, Basis::Input);
}

/// A profile or a method is chosen too: what it was chosen with is not a prediction of any drive.
#[test]
fn what_a_workload_or_method_was_chosen_with_is_fitted() {
    let rows = Library::shipped().unwrap().select(&["p5520-showdown".into()]).unwrap();
    let label = |id: &str| {
        let figure = rows.figures.iter().find(|figure| figure.id == id).unwrap();
        rows.labels.is_open(figure, &ModelBench::default())
    };
    for id in ["s2.lcboot.PM9A3.iops", "s2.ora.PM9A3.lat", "s2.nn.mean.CD6"] {
        assert!(!label(id), "{id}");
    }
    assert!(label("s2.fcml.7400.lat"));
}

/// The labels in `reviews/basis` are of the models, methods and workloads as they are.
#[test]
fn every_predicted_figure_of_a_shipped_review_has_its_label() {
    let library = Library::shipped().unwrap();
    let bench = ModelBench::default();
    let (mut wrong, mut derived) = (Vec::new(), 0);
    for name in library.names() {
        let rows = library.select(&[name.to_owned()]).unwrap();
        for figure in rows.figures.iter().filter(|figure| rows.labels.is_open(figure, &bench)) {
            match figure.measured().and_then(|what| rows.labels.derived(&what)) {
                Some(entry) if Some(&entry.inputs) == bench.inputs(figure).as_ref() => derived += 1,
                None => wrong.push(format!("{name}: no label of {}", figure.id)),
                Some(_) => wrong.push(format!("{name}: something of {} has changed", figure.id)),
            }
        }
    }
    let fix = "run `drivelab labels` in the root of the project, and build again";
    assert!(wrong.is_empty(), "{}\n{fix}", wrong.join("\n"));
    assert!(derived >= 5, "{derived}");
}

/// Numbers of a text with the unit of a figure: rates in MB/s, times in us, powers in W.
fn quantities(text: &str) -> Vec<(f64, &'static str)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let quantity = |pair: &[&str]| {
        let number: f64 = pair[0].replace(',', "").parse().ok()?;
        let (factor, unit) = match pair[1].trim_end_matches(',') {
            "us" => (1.0, "us"),
            "W" => (1.0, "W"),
            "MB/s" => (1.0, "MB/s"),
            "GB/s" => (1000.0, "MB/s"),
            "k/s" => (1000.0, "IOPS"),
            "random" => (1.0, "IOPS"),
            _ => return None,
        };
        Some((number * factor, unit))
    };
    words.windows(2).filter_map(quantity).collect()
}

#[test]
fn quantities_of_a_source_are_read() {
    let text = "derived: 18 W of rated power at 4.2 GB/s, 82 us and 480,000 random writes; 5 dies";
    let found = [(18.0, "W"), (4200.0, "MB/s"), (82.0, "us"), (480_000.0, "IOPS")];
    assert_eq!(quantities(text), found);
}

/// A value that was solved from a rated number names its row: else the row would count as a
/// prediction. Those of an elasticity of 0.9 or more are inputs anyway.
#[test]
fn what_a_value_was_solved_from_is_no_prediction() {
    let library = Library::shipped().unwrap();
    let rows = library.select(&["data-sheets".to_owned()]).unwrap();
    let figures = reproduce(rows, &Stub::default(), &mut |_| ()).unwrap().figures;
    let mut looked_at = 0;
    for figure in figures.iter().filter(|figure| figure.basis == Basis::Predicted) {
        let Some(text) = library::source_text(&figure.target) else { continue };
        looked_at += 1;
        for line in text.lines().filter(|line| line.contains("rated")) {
            let (_, source) = line.split_once("source = ").unwrap_or_default();
            let same = |&(value, unit): &(f64, &str)| {
                unit == figure.unit && (value / figure.published - 1.0).abs() < 0.01
            };
            let says = quantities(source).iter().any(same);
            assert!(!says, "{} is a prediction, and solved from: {line}", figure.id);
        }
    }
    assert!(looked_at > 5, "{looked_at} predictions of drives");
}

/// A rate that the models were given: that it is above a number says nothing, that it is not does.
/// What they say by themselves is checked as before.
#[test]
fn a_claim_about_what_the_models_were_given_is_not_checkable() {
    let said = |target: &str, op: &str| {
        let text = format!(
            "[[claim]]\nid = \"c\"\nclaim = \"fast\"\n[[claim.checks]]\nleft = {{ target = \
             \"{target}\", test = \"128K sequential read\", metric = \"bandwidth\" }}\n\
             op = \"{op}\"\nvalue = 1\nunit = \"MB/s\"\n"
        );
        let mut library = Library::shipped().unwrap();
        library.add("mine.toml", &text).unwrap();
        let rows = library.select(&["mine".to_owned()]).unwrap();
        let claim = reproduce(rows, &Stub::default(), &mut |_| ()).unwrap().claims.remove(0);
        (claim.verdict, claim.evidence)
    };
    let (verdict, told) = said("d5-p5430-15.36tb", ">");
    assert_eq!(verdict, Some(Said::Unchecked));
    assert!(told.starts_with("not counted, the models were given it (fitted): d5-p5430"), "{told}");
    assert_eq!(said("d5-p5430-15.36tb", "<").0, Some(Said::Failed));
    assert_eq!(said("mdraid-raid5-4x-p5520", ">").0, Some(Said::Held), "no row measures it");
}
