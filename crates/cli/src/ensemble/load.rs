//! What is not known of the load of a test, for `--interval`.

use lab::Run;
use prior::{Ensemble, Value, of_workload};

/// The run of a draw: what is not known of its method's parameters and of its workload is drawn,
/// as values of models are. `can_be` says whether a run can be made.
pub fn drawn(ensemble: Ensemble, run: &Run, number: u16, can_be: impl Fn(&Run) -> bool) -> Run {
    let with = |set: &[(String, String)]| otherwise(run, set).filter(&can_be);
    let set = ensemble.draw(&unknown(run), &[], number, |set| with(set).is_some());
    with(&set).unwrap_or_else(|| run.clone())
}

/// What is not known of a run's load: parts of its method's parameters in percent of what they are
/// by default, and the values of its workload.
pub fn unknown(run: &Run) -> Vec<Value> {
    let parts = lab::find(&run.method).into_iter().flat_map(|method| {
        method.unknown(&run.params).map(move |(name, range)| Value {
            key: name.to_owned(),
            text: "100 %".to_owned(),
            source: "assumed".to_owned(),
            range: Some((range[0].clone(), range[1].clone())),
            of: format!("method {}: {name}", method.name),
            correlated: None,
            whole: false,
        })
    });
    let workload = run.params.get(WORKLOAD).map(ToString::to_string).unwrap_or_default();
    // What the user has said of a workload is known.
    let (name, said) = library::workload_and_changes(&workload);
    let said = said.and_then(|said| library::changes(said).ok()).unwrap_or_default();
    let free = of_workload(name).into_iter();
    let free = free.filter(|value| said.iter().all(|(key, _)| *key != value.key));
    let free = free.map(|value| Value { key: format!("{WORKLOAD}.{}", value.key), ..value });
    parts.chain(free).collect()
}

/// The run with a load that is otherwise; `None` if that is none.
pub fn otherwise(run: &Run, set: &[(String, String)]) -> Option<Run> {
    let mut run = run.clone();
    let mut of_workload = Vec::new();
    for (key, value) in set {
        match key.strip_prefix(WORKLOAD).and_then(|rest| rest.strip_prefix('.')) {
            Some(key) => of_workload.push(format!("{key}={value}")),
            None => {
                let percent: f64 = value.strip_suffix(" %")?.parse().ok()?;
                let value = run.params.get(key)?.times(percent / 100.0)?;
                run.params.give(key, &value.to_string()).ok()?;
            }
        }
    }
    if !of_workload.is_empty() {
        let name = run.params.get(WORKLOAD)?.to_string();
        let sign = if library::workload_and_changes(&name).1.is_some() { ',' } else { '@' };
        let name = format!("{name}{sign}{}", of_workload.join(","));
        library::Workload::named(&name).ok()?;
        run.params.give(WORKLOAD, &name).ok()?;
    }
    Some(run)
}

/// The parameter that names a workload.
const WORKLOAD: &str = "workload";

#[cfg(test)]
mod tests {
    use super::*;
    use metric::Params;

    fn run(method: &str, pairs: &[(&str, &str)]) -> Run {
        let mut params = Params::from_pairs(pairs.iter().copied()).unwrap();
        lab::complete(method, &mut params).unwrap();
        Run { target: "pm9a3-7.68tb".into(), method: method.into(), params }
    }

    fn of(run: &Run, name: &str) -> String {
        run.params.get(name).map(ToString::to_string).unwrap_or_default()
    }

    #[test]
    fn a_parameter_that_is_not_known_is_drawn_unless_it_is_given() {
        let usual = run("toms-storage-bench", &[]);
        let ensemble = Ensemble::new(16, 1);
        let draws: Vec<Run> = (0..16).map(|i| drawn(ensemble, &usual, i, |_| true)).collect();
        let depth = |run: &Run| of(run, "qd").parse::<u64>().unwrap();
        assert!(draws.iter().any(|run| depth(run) < 4) && draws.iter().any(|run| depth(run) > 8));
        let given = run("toms-storage-bench", &[("qd", "7")]);
        assert!((0..16).all(|i| depth(&drawn(ensemble, &given, i, |_| true)) == 7));
        assert_eq!(drawn(ensemble, &usual, 3, |_| false), usual, "what cannot be is not drawn");
    }

    #[test]
    fn what_is_not_known_of_a_workload_is_drawn_unless_it_is_said() {
        let usual = run("load-curve", &[("workload", "oracle-80-20")]);
        let ensemble = Ensemble::new(16, 1);
        let one = of(&drawn(ensemble, &usual, 0, |_| true), "workload");
        assert!(one.starts_with("oracle-80-20@"), "{one}");
        let said = run("load-curve", &[("workload", "oracle-80-20@issue.threads=40 threads")]);
        let other = of(&drawn(ensemble, &said, 0, |_| true), "workload");
        assert!(other.starts_with("oracle-80-20@issue.threads=40 threads,"), "{other}");
        assert_eq!(other.matches("issue.threads").count(), 1);
        // A profile of which all is known.
        let known = run("load-curve", &[("workload", "iometer-fileserver")]);
        assert_eq!(drawn(ensemble, &known, 0, |_| true), known);
    }

    /// Two drives under one load are off by the same load.
    #[test]
    fn two_targets_have_the_same_load_in_a_draw() {
        let one = run("load-curve", &[("workload", "oracle-80-20")]);
        let other = Run { target: "cd6-7.68tb".into(), ..one.clone() };
        let of_draw = |run: &Run| drawn(Ensemble::new(16, 1), run, 5, |_| true).params;
        assert_eq!(of_draw(&one), of_draw(&other));
    }
}
