//! A figure that could not run is an error, and what a row lacks or borrows is said.

use super::*;

/// A bench on which one drive cannot be simulated at this scale.
struct Small(FakeBench);

impl Bench for Small {
    fn check(&self, run: &Run) -> Result<(), MeasureError> {
        if run.target == "slow-1tb" {
            return Err(MeasureError::NotModelled("choose a larger --scale".to_owned()));
        }
        self.0.check(run)
    }

    fn measure(&self, t: &str, m: &str, params: &Params) -> Result<Measurement, MeasureError> {
        self.0.measure(t, m, params)
    }

    fn fact(&self, target: &str, metric: &str) -> Option<f64> {
        self.0.fact(target, metric)
    }
}

const IOPS: &str = "metric = \"iops\"\nvalue = 1\nunit = \"IOPS\"";

/// It was `not modelled` with `why` null and left every sum.
#[test]
fn what_cannot_be_run_is_an_error_with_its_reason() {
    let bench = Small(FakeBench { iops: 1.0, ..FakeBench::default() });
    let bad = row("bad", &format!("target = \"slow-1tb\"\n{IOPS}"));
    let text = row("good", IOPS) + &bad;
    let result = reproduce(read(&text).unwrap(), &bench, &mut |_| ()).unwrap();
    let [good, bad] = result.figures.as_slice() else { panic!("two figures") };
    assert_eq!(good.verdict, Verdict::Hit, "the rest runs");
    assert_eq!((bad.basis, bad.verdict), (Basis::Predicted, Verdict::NotRun));
    assert_eq!(bad.warnings, ["choose a larger --scale"]);
    assert_eq!((result.summary.figures_not_run, result.summary.not_modelled.count), (1, 0));
    // The row itself may say so.
    let said = row("s", &format!("basis = \"not_modelled\"\nwhy = \"a joke\"\n{IOPS}"));
    let result = reproduce(read(&said).unwrap(), &bench, &mut |_| ()).unwrap();
    assert_eq!(result.figures[0].verdict, Verdict::NotModelled);
    assert_eq!(result.figures[0].why.as_deref(), Some("a joke"));
}

#[test]
fn a_parameter_that_a_method_lacks_is_named_with_its_place() {
    let bench = FakeBench { iops: 1.0, ..FakeBench::default() };
    let plan = |text: &str| Plan::new(read(text).unwrap(), &bench).err().map(|e| e.to_string());
    let wrong = row("a", &format!("params = {{ qd = 8, namespaces = 3 }}\n{IOPS}"));
    let message = plan(&wrong).expect("refused");
    let at = "mine.toml:5:20: method `corner` has no parameter `namespaces`";
    assert!(message.starts_with(at) && message.contains("not_modelled"), "{message}");
    // All are reported, those of claims and of the run that divides too.
    let claim = "[[claim]]\nid = \"c\"\nclaim = \"x\"\n[[claim.checks]]\n\
                 left = { device = \"Acme Fast 1TB\", test = \"4K random read\", \
                 params = { rows = 3 }, metric = \"iops\" }\n\
                 op = \">\"\nvalue = 1\nunit = \"IOPS\"\n";
    let both = wrong.clone() + claim;
    let message = plan(&both).expect("refused");
    assert!(message.contains("`namespaces`") && message.contains("`rows`"), "{message}");
    let ratio = "metric = \"iops\"\nvalue = 1\nunit = \"x\"\nrelative_params = { tables = 2 }";
    assert!(plan(&row("r", ratio)).expect("refused").contains("no parameter `tables`"));
    // A row that is not modelled may name what it likes; a value of a model has few parameters.
    assert_eq!(plan(&wrong.replace("id =", "basis = \"not_modelled\"\nid =")), None);
    let fact = |params: &str| {
        let rest = format!("params = {{ {params} }}\nmetric = \"dies\"\nvalue = 1\nunit = \"die\"");
        row("f", &rest).replace("4K random read", "teardown")
    };
    assert_eq!(plan(&fact("power_state = 0")), None);
    assert!(plan(&fact("qd = 3")).expect("refused").contains("method `facts`"));
}

#[test]
fn every_shipped_row_can_be_planned_and_says_itself_what_is_not_modelled() {
    let bench = lab::ModelBench::default();
    let library = Library::shipped().unwrap();
    let rows = library.select(&[]).unwrap();
    let mut silent = Vec::new();
    for figure in &rows.figures {
        let why = figure.why.is_some() || matches!(figure.subject, Subject::NotModelled(_));
        if figure.basis == Basis::NotModelled && !why {
            silent.push(format!("{}: no reason", figure.id));
        }
        let facts = figure.runs().filter(|_| figure.basis != Basis::NotModelled);
        for run in facts.filter(Run::is_fact) {
            let metric = figure.metric.versus().map_or(figure.metric.clone(), |v| v.of);
            let name = if metric.name() == "size" { "capacity" } else { metric.name() };
            if bench.fact(&run.target, name).is_none() {
                silent.push(format!("{}: {} states no {name}", figure.id, run.target));
            }
        }
        for run in figure.runs().filter(|run| !run.is_fact()) {
            let metric = figure.metric.versus().map_or(figure.metric.clone(), |v| v.of);
            let gives = lab::find(&run.method).map(|m| m.gives(metric.name()));
            // The highest rate that is held is added by the step itself.
            let stated = metric.stated(&run.params).is_some() || metric.name() == "max_rate";
            if figure.basis != Basis::NotModelled && gives != Ok(true) && !stated {
                silent.push(format!("{}: `{}` gives no {metric}", figure.id, run.method));
            }
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
    Plan::new(rows, &bench).unwrap();
}

#[test]
fn a_row_says_what_it_has_from_a_shipped_one() {
    let aliases = Aliases::parse("names.toml", NAMES).unwrap();
    let rest =
        format!("params = {{ qd = 8 }}\n{IOPS}\nbasis = \"fitted\"\nfitted_parameters = [\"x\"]");
    let none = ReviewFile::default();
    let shipped = ReviewFile::parse("s.toml", &row("a", &rest), &aliases, &none).unwrap();
    let bench = FakeBench { iops: 1.0, ..FakeBench::default() };
    let warnings = |rest: &str| {
        let mine = ReviewFile::parse("m.toml", &row("a", rest), &aliases, &shipped).unwrap();
        reproduce(mine, &bench, &mut |_| ()).unwrap().figures.remove(0).warnings
    };
    let taken = warnings(&format!("params = {{ qd = 8 }}\n{IOPS}"));
    assert!(taken[0].contains("shipped row of this id: basis `fitted`"), "{taken:?}");
    let more = warnings(IOPS);
    assert!(more[0].contains("`iops` by `corner`") && more[0].contains("parameters"), "{more:?}");
    assert!(warnings(&format!("{IOPS}\nbasis = \"predicted\"")).is_empty());
    assert!(warnings(&IOPS.replace("= 1", "= 2")).iter().all(|w| !w.contains("shipped")));
}
