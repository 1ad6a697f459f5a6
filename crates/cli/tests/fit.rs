//! `drivelab fit` as a user gives it: a drive with changed values is measured, and the fit finds
//! the values back.

use crate::common::drivelab;
use serde_json::Value;
use std::path::Path;

const SMALL: [&str; 5] = ["--scale", "1Mi units", "--budget", "60ms", "--quiet"];

fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = drivelab(folder, &[arguments, &SMALL[..]].concat());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The X25-E with a slower processor and decoder, measured at two depths.
fn measured() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("made");
    let shown = drivelab(folder.path(), &["show", "x25-e-64gb"]);
    let text = String::from_utf8(shown.stdout).expect("text");
    let slower = |text: &str, key: &str, from: &str, to: &str| {
        let said = |value: &str| format!("{key} = {{ value = \"{value}\"");
        assert!(text.contains(&said(from)), "{key}");
        text.replace(&said(from), &said(to))
    };
    let other = slower(&text, "read_cost", "28 us", "35 us");
    let other = slower(&other, "ecc", "5 us", "20 us");
    std::fs::write(folder.path().join("other.toml"), other).expect("written");
    for (name, depth) in [("quiet.json", "qd=1"), ("busy.json", "qd=32")] {
        let test = ["test", "corner", "--on", "other.toml", "--param", "op=read", "--param", depth];
        let (code, _, error) = run(folder.path(), &[&test[..], &["--record", name]].concat());
        assert_eq!(code, Some(0), "{error}");
    }
    folder
}

const FIGURES: [&str; 4] = ["--figures", "quiet.json", "--figures", "busy.json"];
const ONLY: [&str; 4] = ["--only", "quiet.read_lat_mean", "busy.iops", "quiet.iops"];

#[test]
fn values_are_found_back_and_the_new_model_runs() {
    let folder = measured();
    let fit = |more: &[&str]| {
        let base = ["fit", "x25-e-64gb"];
        run(folder.path(), &[&base[..], &FIGURES, &ONLY, more].concat())
    };
    let free = ["--free", "controller.read_cost=5 us..100 us", "--free", "controller.ecc"];
    let (code, printed, error) = fit(&[&free[..], &["--json", "--record", "fit.json"]].concat());
    assert_eq!(code, Some(0), "{error}");
    let value: Value = serde_json::from_str(&printed).expect("JSON and nothing else");
    let found = |j: usize| value["parameters"][j]["fitted"].as_f64().expect("a number");
    assert!((found(0) / 35.0 - 1.0).abs() < 0.02, "{printed}");
    assert!((found(1) / 20.0 - 1.0).abs() < 0.05, "{printed}");
    assert!(value["chi_square_fitted"].as_f64() < Some(1.0), "{printed}");

    let new = std::fs::read_to_string(folder.path().join("x25-e-64gb.fitted.toml"));
    let new = new.expect("the new model");
    assert!(new.contains(", fitted_on = [\"quiet.iops\""), "{new}");
    assert!(new.contains("# Intel X25-E"), "comments stay");
    let (code, _, error) = run(
        folder.path(),
        &["test", "corner", "--on", "x25-e-64gb.fitted.toml", "--param", "op=read"],
    );
    assert_eq!(code, Some(0), "{error}");
    let record = std::fs::read_to_string(folder.path().join("fit.json")).expect("the Record");
    let record = stats::Record::from_json(&record, Path::new("fit.json")).expect("a Record");
    assert_eq!(record.result().kind, stats::Kind::Fit);

    // The old one is there, the new one is not replaced unless forced, the same comes out again.
    let (code, _, error) = fit(&free);
    assert_eq!(code, Some(2));
    assert!(error.contains("--overwrite"), "{error}");
    let again = [&free[..], &["--json", "--overwrite", "--threads", "1"]].concat();
    let (_, printed_again, _) = fit(&again);
    assert_eq!(printed_again, printed, "the same on one thread");
    let left = folder.path().join("x25-e-64gb.fitted.toml.partial");
    assert!(!left.exists(), "nothing is left over");
}

/// What a fit reports is what anybody measures of the new model with the seeds after its own,
/// wherever its file is; and a value was fitted on the figures that move with it.
#[test]
fn what_is_reported_is_what_other_seeds_measure() {
    let folder = measured();
    let base = ["fit", "x25-e-64gb", "--json", "--output", "new.toml"];
    let free = ["--free", "controller.read_cost=5 us..100 us"];
    let (code, printed, error) = run(folder.path(), &[&base[..], &FIGURES, &ONLY, &free].concat());
    assert_eq!(code, Some(0), "{error}");
    let fit: Value = serde_json::from_str(&printed).expect("JSON");
    let figures = fit["figures"].as_array().expect("figures");
    let figure = |id: &str| figures.iter().find(|figure| figure["id"] == id).expect("a figure");
    std::fs::create_dir(folder.path().join("elsewhere")).expect("made");
    let moved = folder.path().join("elsewhere/copy.toml");
    std::fs::copy(folder.path().join("new.toml"), moved).expect("copied");
    let measured = |depth: &str, metric: &str| {
        let seeds = fit["repeats"].as_u64().expect("a number");
        let one = |seed: u64| {
            let seed = (1 + seed).to_string();
            let test = ["test", "corner", "--on", "elsewhere/copy.toml", "--param", "op=read"];
            let more = ["--param", depth, "--seed", &seed, "--json"];
            let (_, printed, _) = run(folder.path(), &[&test[..], &more].concat());
            let value: Value = serde_json::from_str(&printed).expect("JSON");
            value["targets"][0]["metrics"][metric]["value"].as_f64().expect("a number")
        };
        (1..=seeds).map(one).sum::<f64>() / seeds as f64
    };
    for (id, depth, metric) in
        [("busy.iops", "qd=32", "iops"), ("quiet.read_lat_mean", "qd=1", "read_lat_mean")]
    {
        let (said, mean) =
            (figure(id)["fitted"].as_f64().expect("a number"), measured(depth, metric));
        assert!((said / mean - 1.0).abs() < 1e-12, "{id}: {said} is said, {mean} is measured");
    }
    let shares = &fit["parameters"][0]["information"];
    let fixed = fit["parameters"][0]["fixed_by"].as_array().expect("ids");
    for figure in figures {
        let named = fixed.contains(&figure["id"]);
        let id = figure["id"].as_str().expect("an id");
        assert_eq!(named, shares[id].as_f64() >= Some(0.01), "{id}: {shares}");
    }
}

/// A fit that is killed resumes where it was, and ends as one that was left alone.
#[test]
fn an_interrupted_fit_resumes() {
    let folder = measured();
    let fit = |output: &str| {
        let base = ["fit", "x25-e-64gb", "--json", "--threads", "1", "--output", output];
        let free = ["--free", "controller.read_cost=5 us..100 us", "--free", "controller.ecc"];
        let all = [&base[..], &FIGURES, &ONLY, &free, &SMALL[..4]].concat();
        all.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let whole =
        drivelab(folder.path(), &fit("whole.toml").iter().map(|s| &**s).collect::<Vec<_>>());
    assert_eq!(whole.status.code(), Some(0));

    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_drivelab"))
        .current_dir(folder.path())
        .args(fit("cut.toml"))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program starts");
    let partial = folder.path().join("cut.toml.partial");
    let saved = || std::fs::read_to_string(&partial).unwrap_or_default().lines().count();
    while saved() < 5 && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().expect("it was running");
    child.wait().expect("it has ended");
    assert!(saved() >= 5, "measurements stay");
    assert!(!folder.path().join("cut.toml").exists(), "no model before the end");

    let again = drivelab(folder.path(), &fit("cut.toml").iter().map(|s| &**s).collect::<Vec<_>>());
    assert_eq!(again.status.code(), Some(0));
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(said.contains("cut.toml.partial holds "), "{said}");
    assert!(said.contains("(saved)"), "{said}");
    let numbers = |bytes: &[u8]| -> Value {
        let mut value: Value = serde_json::from_slice(bytes).expect("JSON and nothing else");
        value["output"] = Value::Null;
        value
    };
    assert_eq!(numbers(&again.stdout), numbers(&whole.stdout));
    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a model");
    assert_eq!(text("cut.toml"), text("whole.toml"));
    assert!(!partial.exists());
}

#[test]
fn what_figures_cannot_fix_is_refused_with_names() {
    let folder = measured();
    let refused = |arguments: &[&str], parts: &[&str]| {
        let base = ["fit", "x25-e-64gb"];
        let (code, printed, error) = run(folder.path(), &[&base[..], arguments].concat());
        assert_eq!(code, Some(2), "{error}");
        assert!(printed.is_empty());
        for part in parts {
            assert!(error.contains(part), "{arguments:?} does not say `{part}`:\n{error}");
        }
        let names = std::fs::read_dir(folder.path()).expect("listed").count();
        assert_eq!(names, 3, "{arguments:?} left a file");
    };
    let one = ["--figures", "quiet.json", "--only", "quiet.read_lat_mean"];
    let with = |free: &[&str]| -> Vec<String> {
        let mut all: Vec<String> = one.iter().map(|s| (*s).to_owned()).collect();
        for key in free {
            all.extend(["--free".to_owned(), (*key).to_owned()]);
        }
        all
    };
    let check = |free: &[&str], parts: &[&str]| {
        let all = with(free);
        refused(&all.iter().map(String::as_str).collect::<Vec<_>>(), parts);
    };
    check(
        &["controller.ecc", "controller.read_front_end=5 us..60 us"],
        &["1 figure (quiet.read_lat_mean) cannot fix 2 parameters (controller.ecc, "],
    );
    check(&["suspend.max_hold"], &["suspend.max_hold: it moves none of quiet.read_lat_"]);
    check(&["suspend.max_hol"], &["did you mean `suspend.max_hold`?"]);
    check(&["suspend.enabled"], &["only single quantities are fitted"]);
    check(&["suspend.resume=1 us..2 W"], &["`2 W` is no value in a unit like us"]);
    check(&["suspend.resume=9 us..2 us"], &["the lower bound is first"]);
    refused(&["--figures", "optane-memory"], &["no figure of `x25-e-64gb`"]);
    refused(&["--figures", "no-such-review"], &["unknown review `no-such-review`"]);
    refused(&["--figures", "./none.toml"], &["none.toml", "cannot be read"]);
    let typo = ["--figures", "quiet.json", "--only", "quiet.iop"];
    refused(&typo, &["did you mean `quiet.iops`?"]);
    // Both decode and front end add to the same latency, whatever the figure.
    let alike =
        ["--figures", "quiet.json", "--figures", "busy.json", "--only", "quiet.read_lat_mean"];
    let free = [
        "busy.iops",
        "--free",
        "controller.ecc",
        "--free",
        "controller.read_front_end=5 us..60 us",
    ];
    refused(&[&alike[..], &free].concat(), &["cannot tell it from controller."]);
}

/// A Record of jobs of one's own is fitted as one of a shipped method, with the file as it was.
#[test]
fn a_record_of_own_jobs_is_fitted() {
    let folder = measured();
    let jobs = "[global]\nioengine=libaio\ndirect=1\nfilename=/dev/target\nruntime=1\ntime_based\n\
                [a]\nrw=randread\nbs=4k\niodepth=32\n";
    std::fs::write(folder.path().join("own.fio"), jobs).expect("written");
    let test = ["test", "./own.fio", "--on", "other.toml", "--record", "own.json"];
    let (code, _, error) = run(folder.path(), &test);
    assert_eq!(code, Some(0), "{error}");
    let fit = ["fit", "x25-e-64gb", "--figures", "own.json", "--only", "own.iops", "--json"];
    let fit = [&fit[..], &["--free", "controller.read_cost=5 us..100 us"]].concat();
    let (code, printed, error) = run(folder.path(), &fit);
    assert_eq!(code, Some(0), "{error}");
    let value: Value = serde_json::from_str(&printed).expect("JSON");
    assert!(value["figures"][0]["error_fitted"].as_f64().expect("a number").abs() < 0.02);
    std::fs::write(folder.path().join("own.fio"), jobs.replace("32", "16")).expect("written");
    let (code, _, error) = run(folder.path(), &[&fit[..], &["--overwrite"]].concat());
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("another when this was measured"), "{error}");
}

/// Draws say how sure values are besides the derivatives, and where each figure is expected.
#[test]
fn draws_say_how_sure_values_and_figures_are() {
    let folder = measured();
    let one = ["--free", "controller.read_cost=5 us..100 us"];
    let both = [&one[..], &["--free", "controller.ecc"]].concat();
    let fit = |free: &[&str], more: &[&str]| {
        let base = ["fit", "x25-e-64gb", "--overwrite"];
        run(folder.path(), &[&base[..], &FIGURES, &ONLY, free, more].concat())
    };
    let (code, _, error) = fit(&one, &["--interval", "4"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("8 to 1024 models"), "{error}");

    let (code, printed, error) = fit(&both, &["--interval", "--json"]);
    assert_eq!(code, Some(0), "{error}");
    let value: Value = serde_json::from_str(&printed).expect("JSON and nothing else");
    let draws = value["draws"].as_u64().expect("a number");
    let effective = value["effective_draws"].as_f64().expect("a number");
    assert!([16, 32, 48].contains(&draws), "{draws}");
    assert!(effective >= 8.0 && effective <= draws as f64, "{effective}");
    for parameter in value["parameters"].as_array().expect("parameters") {
        let by = |name: &str| parameter[name].as_f64().expect("a number");
        assert_eq!(by("uncertainty"), by("by_draws"));
        // Latencies are sums of both values: the derivatives say the same.
        let ratio = by("by_draws") / by("by_derivatives");
        assert!((0.5..2.0).contains(&ratio), "{ratio}");
    }
    let mut expected = 0;
    for figure in value["figures"].as_array().expect("figures") {
        let ends = |name: &str| Some((figure[name][0].as_f64()?, figure[name][1].as_f64()?));
        let (low, high) = ends("interval90").expect("an interval");
        assert!(low < high, "{figure}");
        // Without the busy figure the two others cannot tell the values apart.
        let Some((low, high)) = ends("expected90") else { continue };
        let measured = figure["measured"].as_f64().expect("a number");
        assert!(low < measured && measured < high, "{figure}");
        expected += 1;
    }
    assert!(expected > 0, "{printed}");
    let new = std::fs::read_to_string(folder.path().join("x25-e-64gb.fitted.toml"));
    assert!(new.expect("the new model").contains("range = "), "the draws' range is written");

    // With one value the model cannot be what was measured, and that shows.
    let (code, printed, error) = fit(&one, &["--interval"]);
    assert_eq!(code, Some(0), "{error}");
    assert!(printed.contains("The others expect, 90 %"), "{printed}");
    assert!(printed.contains("0 of 2 figures lie where the others expect them"), "{printed}");
}
