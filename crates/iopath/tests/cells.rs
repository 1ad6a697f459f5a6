//! Cells: the chain from program step to rated endurance, and what age does to reads.

use crate::common::cells::mlc;
use iopath::device::flash::cell::ecc::Ecc;
use iopath::device::flash::cell::endurance::{Class, rated_cycles};
use iopath::device::flash::cell::retention::YEAR_HOURS;
use iopath::device::flash::cell::states::Coding;
use iopath::device::flash::cell::{CellConfig, CellModel, Stress};
use proptest::prelude::*;

/// The same die, screened and programmed longer, for the enterprise.
fn het() -> CellConfig {
    CellConfig { programming: 1.46, screening: 2.0, class: Class::Enterprise, ..mlc() }
}

fn rated(config: CellConfig) -> f64 {
    CellModel::new(config).rated_cycles()
}

fn at(cycles: f64, hours: f64, reads: f64) -> Stress {
    Stress { cycles, hours, reads }
}

#[test]
fn mlc_is_calibrated_on_published_error_rates() {
    let cell = CellModel::new(mlc());
    let near = |rber: f64, expected: f64| assert!((rber / expected - 1.0).abs() < 0.1, "{rber:e}");
    near(cell.mean_rber(at(0.0, 0.0, 0.0)), 1e-6);
    near(cell.mean_rber(at(3000.0, 0.0, 0.0)), 1e-4);
    near(cell.mean_rber(at(3000.0, YEAR_HOURS, 0.0)), 1e-3);
    let cycles = cell.rated_cycles();
    assert!((3000.0..=5000.0).contains(&cycles), "{cycles}");
}

#[test]
fn longer_programs_and_screened_dies_give_het_four_and_a_half_lives() {
    let (plain, enterprise) = (rated(mlc()), rated(het()));
    let factor = enterprise / plain;
    assert!((20_000.0..=25_000.0).contains(&enterprise), "{enterprise}");
    assert!((4.2..=4.8).contains(&factor), "{factor}");
    // The published range of program times, 1.3 to 1.5 times as long, spans the claim closely.
    let at = |programming| rated(CellConfig { programming, ..het() }) / plain;
    let (low, high) = (at(1.3), at(1.5));
    assert!(low > 3.4 && low < 4.5 && high > 4.5 && high < 4.8, "{low} to {high}");
}

#[test]
fn screening_is_a_factor_and_programming_the_rest_of_emlc() {
    let enterprise = |programming, screening| {
        rated(CellConfig { programming, screening, class: Class::Enterprise, ..mlc() })
    };
    let plain = enterprise(1.0, 1.0);
    assert!((enterprise(1.0, 2.0) / plain - 2.0).abs() < 1e-6);
    let longer = enterprise(1.46, 1.0) / plain;
    assert!((2.0..=3.0).contains(&longer), "two to three times from longer programs: {longer}");
    assert!((enterprise(1.46, 2.0) / plain / longer - 2.0).abs() < 1e-6, "the factors multiply");
}

#[test]
fn client_and_enterprise_retention_are_nearly_the_same_stress() {
    let cell = CellModel::new(mlc());
    let (client, enterprise) =
        (rated_cycles(&cell, Class::Client), rated_cycles(&cell, Class::Enterprise));
    // Twelve months against three is temperature; what differs is the UBER, and that little.
    assert!((0.88..0.96).contains(&(enterprise / client)), "{client} {enterprise}");
}

#[test]
fn a_block_at_its_rated_end_holds_its_promise_and_soon_after_does_not() {
    for config in [mlc(), het()] {
        let cell = CellModel::new(config);
        let (cycles, class) = (cell.rated_cycles(), cell.config().class);
        let holds = |cycles: f64| {
            let stress = at(cycles, class.retention_hours(), 0.0);
            (0..cell.pages()).all(|page| cell.is_within(stress, page, cell.limit()))
        };
        assert!(holds(cycles * 0.999) && !holds(cycles * 1.01));
        let ecc = cell.config().ecc;
        assert!(ecc.uber(cell.limit()) <= class.uber() * 1.001);
    }
}

#[test]
fn reads_get_slower_before_they_fail() {
    let cell = CellModel::new(mlc());
    let retries = |cycles| {
        let stress = at(cycles, YEAR_HOURS, 0.0);
        (0..cell.pages()).map(|page| cell.read(stress, page).retries).max().unwrap()
    };
    assert_eq!(retries(0.0), 0);
    assert!(retries(3000.0) > 0 && retries(3000.0) < 8);
    let failure = |cycles| cell.read(at(cycles, YEAR_HOURS, 0.0), 1).failure(mlc().ecc);
    let promised = Class::Client.uber() * 8192.0;
    assert!(failure(3000.0) <= promised && failure(20_000.0) > 0.5);
}

#[test]
fn a_retry_follows_the_states_down() {
    // With as many steps as the states have sunk, the references are midway again.
    let config = CellConfig { retries: 20, retry_step: 10.0, ..mlc() };
    let cell = CellModel::new(config);
    let stress = at(3000.0, YEAR_HOURS, 0.0);
    let best = (0..=20)
        .min_by(|&a, &b| cell.rber(stress, 1, a).total_cmp(&cell.rber(stress, 1, b)))
        .unwrap();
    assert!((best as f64 * 10.0 - 130.0).abs() <= 20.0, "130 mV were lost, {best} steps of 10");
}

fn any_config() -> impl Strategy<Value = CellConfig> {
    let coding = (0usize..Coding::ALL.len()).prop_map(|i| Coding::ALL[i].1);
    (coding, 30.0f64..100.0, 0.0f64..5.0, 1.0f64..60.0, 0.3f64..0.6, 0.0f64..1.0).prop_map(
        |(coding, noise, steps, growth, wear_exponent, lost)| {
            // Margins of 4 to 5 sigma when new, and losses of up to half a distance.
            let step = noise * steps;
            let separation = step + 9.0 * noise;
            let loss = separation * 0.5 * lost;
            CellConfig { coding, noise, step, separation, growth, wear_exponent, loss, ..mlc() }
        },
    )
}

proptest! {
    #[test]
    fn more_of_anything_bad_is_never_better(
        config in any_config(), cycles in 0.0f64..20_000.0, hours in 0.0f64..20_000.0,
        reads in 0.0f64..1e6, factor in 1.0f64..5.0, page in 0u32..4
    ) {
        let cell = CellModel::new(config.clone());
        let page = page % cell.pages();
        let rber = |stress| cell.rber(stress, page, 0);
        let base = rber(at(cycles, hours, reads));
        let slack = base * 1e-9 + 1e-18;
        prop_assert!(rber(at(cycles * factor, hours, reads)) >= base - slack, "cycles");
        prop_assert!(rber(at(cycles, hours * factor, reads)) >= base - slack, "time");
        prop_assert!(rber(at(cycles, hours, reads * factor)) >= base - slack, "reads");
        let screened = CellModel::new(CellConfig { screening: factor, ..config.clone() });
        prop_assert!(screened.rber(at(cycles, hours, reads), page, 0) <= base + slack, "screening");
        let slower = CellModel::new(CellConfig { programming: factor, ..config });
        prop_assert!(slower.rber(at(cycles, 0.0, reads), page, 0)
            <= cell.rber(at(cycles, 0.0, reads), page, 0) + slack, "a longer program");
    }

    #[test]
    fn more_retries_and_a_stronger_code_never_shorten_life(
        retries in 0u32..12, more in 1u32..8, bits in 8u32..40
    ) {
        let base = CellConfig { retries, ecc: Ecc { bits, data_bytes: 1024 }, ..mlc() };
        let life = rated(base.clone());
        let stronger = Ecc { bits: bits + more, data_bytes: 1024 };
        let persistent = rated(CellConfig { retries: retries + more, ..base.clone() });
        prop_assert!(persistent >= life);
        let mended = rated(CellConfig { ecc: stronger, ..base });
        prop_assert!(mended > life);
    }

    #[test]
    fn disturb_is_linear_in_reads(cycles in 1.0f64..20_000.0, reads in 1.0f64..1e6) {
        let cell = CellModel::new(mlc());
        let added = |reads| {
            cell.rber(at(cycles, 0.0, reads), 0, 0) - cell.rber(at(cycles, 0.0, 0.0), 0, 0)
        };
        prop_assert!((added(2.0 * reads) / added(reads) - 2.0).abs() < 1e-3);
    }
}
