//! Every simulated figure has its interval, and a verdict needs all of it on one side.

use super::*;

/// What the runs of benches, one a seed, give together.
fn over(text: &str, seeds: &[FakeBench]) -> Reproduction {
    let plan = Plan::new(read(text).unwrap(), &seeds[0]).unwrap();
    let results: Vec<Results> = seeds.iter().map(|bench| made(&plan, bench)).collect();
    plan.judge(&seeds[0], &results)
}

/// What a bench gives for every run of a plan.
fn made(plan: &Plan, bench: &FakeBench) -> Results {
    let run = |planned: &PlannedRun| {
        let run = &planned.run;
        (run.clone(), bench.measure(&run.target, &run.method, &run.params))
    };
    plan.runs().iter().map(run).collect()
}

/// Three seeds whose rates have the mean 100 and scatter by so much.
fn seeds(scatter: f64) -> [FakeBench; 3] {
    [-scatter, 0.0, scatter].map(|d| FakeBench { iops: 100.0 + d, ..FakeBench::default() })
}

fn iops(value: &str, rest: &str) -> String {
    row("a", &format!("metric = \"iops\"\nvalue = {value}\nunit = \"IOPS\"\nwhy = \"w\"\n{rest}"))
}

#[test]
fn a_figure_is_the_mean_of_its_seeds_with_students_interval() {
    let figure = over(&iops("100", ""), &seeds(2.0)).figures.remove(0);
    assert_eq!((figure.simulated, figure.ratio, figure.error), (Some(100.0), Some(1.0), Some(0.0)));
    // t(0.975, 2) = 4.303 and a variance of 4.
    let half = figure.half_width.unwrap();
    assert!((half - 4.3027 * 2.0 / 3f64.sqrt()).abs() < 1e-3, "{half}");
    let same = over(&iops("100", ""), &seeds(0.0)).figures.remove(0);
    assert_eq!(same.half_width, Some(0.0), "what no seed changes is exact");
}

#[test]
fn a_verdict_is_open_while_the_limit_is_in_the_interval() {
    // The interval is 100 +- 5.
    let of = |value: &str, rest: &str| {
        let figure = over(&iops(value, rest), &seeds(2.0)).figures.remove(0);
        (figure.verdict, figure.warnings.iter().any(|w| w.contains("--seeds")))
    };
    assert_eq!(of("100", ""), (Verdict::Hit, false));
    assert_eq!(of("117", ""), (Verdict::Open, true));
    assert_eq!(of("130", ""), (Verdict::Miss, false));
    assert_eq!(of("90", "bound = \"min\""), (Verdict::Held, false));
    assert_eq!(of("98", "bound = \"min\""), (Verdict::Open, true));
    assert_eq!(of("110", "bound = \"min\""), (Verdict::Failed, false));
    assert_eq!(of("[90, 110]", ""), (Verdict::Held, false));
    assert_eq!(of("[98, 110]", ""), (Verdict::Open, true));
    let sums = over(&iops("117", ""), &seeds(2.0)).summary.predicted;
    assert_eq!((sums.open, sums.compared, sums.hits), (1, 0, 0), "counted apart");
    assert!(sums.median_error.is_some(), "its error is known all the same");
}

/// Two drives that scatter together: the quotient of each seed is the same.
#[test]
fn a_quotient_is_formed_within_a_seed() {
    let text = row(
        "a",
        "relative_to = \"slow-1tb\"\nmetric = \"iops\"\nvalue = 2\nunit = \"x\"\nwhy = \"w\"",
    );
    let figure = over(&text, &seeds(30.0)).figures.remove(0);
    assert_eq!((figure.simulated, figure.half_width), (Some(2.0), Some(0.0)));
}

#[test]
fn a_run_that_knows_its_value_less_well_widens_the_interval() {
    let tail = "metric = \"read_lat_p99.99\"\nvalue = 523\nunit = \"us\"";
    let bench = || FakeBench { tail_interval: Some((373e-6, 673e-6)), ..FakeBench::default() };
    let figure = over(&row("t", tail), &[bench(), bench(), bench()]).figures.remove(0);
    // Three runs that each know it within 150 us.
    let half = figure.half_width.unwrap();
    assert!((half - 150.0 / 3f64.sqrt()).abs() < 1e-6, "{half}");
    assert_eq!(figure.verdict, Verdict::Open);
}

#[test]
fn a_claim_is_judged_seed_by_seed_too() {
    let claim = |check: &str| {
        let left = "left = { device = \"Acme Fast 1TB\", test = \"4K random read\", \
                    metric = \"iops\" }";
        let head = "[[claim]]\nid = \"c\"\nclaim = \"x\"\n[[claim.checks]]";
        let text = format!("{head}\n{left}\n{check}");
        let result = over(&text, &seeds(2.0));
        let open = result.summary.claims_open;
        let claim = result.claims.into_iter().next().unwrap();
        (claim.said(), claim.held, open, claim.evidence)
    };
    let value =
        |op: &str, value: u32| claim(&format!("op = \"{op}\"\nvalue = {value}\nunit = \"IOPS\""));
    assert_eq!(value(">", 90).0, Said::Held);
    let (said, held, open, evidence) = value(">", 98);
    assert_eq!((said, held, open), (Said::Open, None, 1));
    assert!(evidence.starts_with("OPEN: ") && evidence.contains("100.0 +-4.97 %"), "{evidence}");
    assert_eq!(value("<", 90).0, Said::Failed);
    assert_eq!((value("~", 103).0, value("~", 109).0, value("~", 130).0), {
        (Said::Held, Said::Open, Said::Failed)
    });
    // The other drive scatters with it: twice its rate under every seed.
    let other = "op = \">=\"\nfactor = 2\nright = { target = \"slow-1tb\" }";
    assert_eq!(claim(other).0, Said::Held);
    let range = "range = [1.9, 2.1]\nof = { target = \"slow-1tb\" }";
    assert_eq!(claim(range).0, Said::Held);
    assert_eq!(claim("range = [98, 200]\nunit = \"IOPS\"").0, Said::Open);
}

#[test]
fn what_seeds_report_with_other_numbers_is_reported_once() {
    let tail = "metric = \"read_lat_p99.99\"\nvalue = 523\nunit = \"us\"";
    let bench = |samples| FakeBench { tail_samples: Some(samples), ..FakeBench::default() };
    let all = [bench(900), bench(901), bench(902)];
    let figure = over(&row("t", tail), &all).figures.remove(0);
    let told = figure.warnings.iter().filter(|w| w.contains("samples")).count();
    assert_eq!(told, 1, "{:?}", figure.warnings);
}

/// What a plan of one figure wants once more, of benches that are its seeds.
fn coarse(text: &str, seeds: &[FakeBench], precision: f64) -> Vec<String> {
    let plan = Plan::new(read(text).unwrap(), &seeds[0]).unwrap();
    let results: Vec<Results> = seeds.iter().map(|bench| made(&plan, bench)).collect();
    let runs = plan.coarse(&seeds[0], &results, precision);
    runs.into_iter().map(|planned| planned.run.target).collect()
}

#[test]
fn a_run_is_wanted_again_until_its_numbers_are_precise() {
    // The interval is 100 +- 4.97.
    let of = |value: &str, rest: &str, precision| {
        coarse(&iops(value, rest), &seeds(2.0), precision).len()
    };
    assert_eq!((of("100", "", 0.04), of("100", "", 0.05)), (1, 0));
    // The precision is of what was published, and has nothing to do with the verdict.
    assert_eq!((of("200", "", 0.03), of("200", "", 0.02)), (0, 1));
    assert_eq!((of("100.1", "bound = \"max\"", 0.05), of("130", "", 0.01)), (0, 1));
    // Both runs of a quotient are wanted, or none.
    let text = row(
        "a",
        "relative_to = \"slow-1tb\"\nmetric = \"iops\"\nvalue = 2\nunit = \"x\"\nwhy = \"w\"",
    );
    assert_eq!(
        coarse(&text, &seeds(30.0), 0.01),
        Vec::<String>::new(),
        "what scatters together is known"
    );
    let [mut first, second, third] = seeds(0.0);
    first.slow_more = 0.1;
    let wanted = coarse(&text, &[first, second, third], 0.01);
    assert_eq!(wanted, ["fast-1tb", "slow-1tb"]);
}

#[test]
fn a_figure_is_judged_by_the_seeds_that_have_all_its_runs() {
    let text = iops("100", "");
    let seeds = seeds(2.0);
    let plan = Plan::new(read(&text).unwrap(), &seeds[0]).unwrap();
    let mut results: Vec<Results> = seeds.iter().map(|bench| made(&plan, bench)).collect();
    results.push(Results::new());
    let figure = plan.judge(&seeds[0], &results).figures.remove(0);
    assert_eq!((figure.simulated, figure.seeds), (Some(100.0), Some(3)));
}
