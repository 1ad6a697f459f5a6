//! Fleets against what can be calculated by hand.

use fleet::{
    Cause, Fleet, Frailty, Groups, Hazards, Infant, MONTH, Record, Spread, Surface, Thermal, Use,
    WearOut, YEAR, live, stratified,
};

/// Drives of 1 TB with 1,000 cycles of 1 TB, which write 1 TB a day and amplify it twice: half of
/// the rated cycles are used after 250 days.
fn plain() -> Fleet {
    Fleet {
        drives: 2_000,
        flash_writes: 1e15,
        random: vec![Surface::new(&[(0.5, 1.5), (0.8, 2.0), (1.0, 4.0)])],
        in_order: 1.0,
        usage: Use {
            writes: Spread::Fixed(1e12 / 86_400.0),
            fill: Spread::Fixed(0.8),
            temperature: Spread::Fixed(40.0),
            age: Spread::Fixed(0.0),
            in_order: 0.0,
            blocks: vec![0],
            records: Vec::new(),
        },
        hazards: Hazards::default(),
        retire_at: None,
        groups: None,
        horizon: 5.0 * YEAR,
        lead: MONTH,
    }
}

fn gone(fleet: &Fleet, cause: Cause) -> f64 {
    let outcome = live(fleet, 3, 8);
    let all: u32 = outcome.gone.iter().map(|gone| gone[cause as usize]).sum();
    f64::from(all) / 8.0
}

#[test]
fn wear_is_what_is_written_and_amplified_over_what_the_flash_takes() {
    let fleet = plain();
    let outcome = live(&fleet, 1, 1);
    assert_eq!(outcome.months.len(), 60);
    for (number, month) in (1..).zip(&outcome.months) {
        let days = number as f64 * 365.0 / 12.0;
        let wear = month.wear.at(0.5).unwrap();
        let law = 2.0 * days / 1000.0;
        assert!((wear - law).abs() < 0.003, "month {number}: {wear}, {law}");
        assert!((month.wear.mean().unwrap() - law).abs() < 1e-9, "month {number}");
        assert_eq!(month.past_rated, if law > 1.0 { 2_000 } else { 0 });
    }
    let in_order = Fleet { usage: Use { in_order: 1.0, ..fleet.usage.clone() }, ..fleet };
    let wear = live(&in_order, 1, 1).months[11].wear.at(0.5).unwrap();
    assert!((wear - 0.365).abs() < 0.003, "{wear}");
}

/// Failures that come at any time meet drives of every age: of drives that are all new at the start
/// and use two thirds of their cycles in the time, a tenth of the cycles over two thirds of them
/// failed with less than a tenth used.
#[test]
fn what_fails_at_random_is_as_worn_as_the_fleet() {
    let hazards = Hazards { random: 0.02 / YEAR, ..Hazards::default() };
    let horizon = 1000.0 / 3.0 * 86_400.0;
    let outcome = live(&Fleet { hazards, horizon, ..plain() }, 5, 40);
    let below = outcome.failed_wear.below(0.1).unwrap();
    // Some 1,460 failures: a standard deviation of 0.0094.
    assert!((below - 0.15).abs() < 0.03, "{below}");
    assert!((outcome.failed_wear.at(0.5).unwrap() - 1.0 / 3.0).abs() < 0.04);
    let worn =
        Hazards { wear_out: Some(WearOut { life: 0.5, shape: 100.0 }), ..Hazards::default() };
    let outcome = live(&Fleet { hazards: worn, horizon, ..plain() }, 5, 1);
    assert!((outcome.failed_wear.at(0.5).unwrap() - 0.5).abs() < 0.01);
    assert_eq!(outcome.failed_wear.len(), 2_000);
}

/// A constant rate: n drives fail n r t times in t, replaced ones too.
#[test]
fn random_failures_come_at_their_rate() {
    let hazards = Hazards { random: 0.02 / YEAR, ..Hazards::default() };
    let failed = gone(&Fleet { hazards, ..plain() }, Cause::Random);
    assert!((failed - 200.0).abs() < 4.0 * (200.0_f64 / 8.0).sqrt(), "{failed}");
    let warm = Hazards {
        random: 0.02 / YEAR,
        thermal: Some(Thermal { at: 30.0, energy: 0.7 }),
        ..Hazards::default()
    };
    let factor = warm.thermal.unwrap().factor(40.0);
    let failed = gone(&Fleet { hazards: warm, ..plain() }, Cause::Random);
    let law = 200.0 * factor;
    assert!((failed - law).abs() < 4.0 * (law / 8.0).sqrt(), "{failed}, {law}");
}

#[test]
fn the_weak_share_fails_early_and_aged_drives_have_it_behind_them() {
    let infant = Infant { share: 0.05, time: MONTH, shape: 0.7 };
    let hazards = Hazards { infant: Some(infant), ..Hazards::default() };
    let new = Fleet { hazards, ..plain() };
    // What replaces a weak drive may be weak itself: 0.05 + 0.05^2 + ...
    let (failed, law) = (gone(&new, Cause::Infant), 2000.0 * 0.05 / 0.95);
    assert!((failed - law).abs() < 4.0 * (law / 8.0).sqrt(), "{failed}, {law}");
    let hot = Hazards { thermal: Some(Thermal { at: 30.0, energy: 1.1 }), ..new.hazards.clone() };
    let failed = gone(&Fleet { hazards: hot, ..new.clone() }, Cause::Infant);
    assert!((failed - law).abs() < 4.0 * (law / 8.0).sqrt(), "heat makes no weak drives: {failed}");
    let old = Fleet { usage: Use { age: Spread::Fixed(2.0 * YEAR), ..new.usage.clone() }, ..new };
    assert!(gone(&old, Cause::Infant) < 3.0);
}

/// Flash that fails at 1.2 times its rated cycles, all nearly alike: after 600 days.
#[test]
fn flash_wears_out_at_its_life_and_drives_are_retired_before() {
    let wear_out = WearOut { life: 1.2, shape: 50.0 };
    let hazards = Hazards { wear_out: Some(wear_out), ..Hazards::default() };
    let fleet = Fleet { hazards, ..plain() };
    let outcome = live(&fleet, 5, 1);
    let by_month: Vec<u64> =
        outcome.months.iter().map(|month| month.gone[Cause::WearOut as usize]).collect();
    let first: u64 = by_month[..22].iter().sum();
    assert!(first > 1_990, "{first} of 2,000 in the first 22 months");
    assert!(by_month[..15].iter().sum::<u64>() < 2, "{by_month:?}");
    let retired = Fleet { retire_at: Some(0.9), ..fleet };
    assert!(gone(&retired, Cause::WearOut) < 40.0);
    // 1,825 days are four times 450.
    assert_eq!(gone(&retired, Cause::Retired).round() / 1000.0, 8.0);
}

/// Half of the rated cycles are used after 250 days, all of them after 500; flash that lasts for
/// 1.2 times as many takes 600 days, and a drive that was in use for 100 days has 100 fewer left.
#[test]
fn drives_take_no_more_writes_when_their_cycles_are_used() {
    let days =
        |fleet: &Fleet| live(fleet, 1, 1).read_only_after.at(0.5).unwrap() * MONTH / 86_400.0;
    let fleet = plain();
    assert!((days(&fleet) - 500.0).abs() < 2.0, "{}", days(&fleet));
    let used = Use { age: Spread::Fixed(100.0 * 86_400.0), ..fleet.usage.clone() };
    let wear_out = WearOut { life: 1.2, shape: 50.0 };
    let hazards = Hazards { wear_out: Some(wear_out), ..Hazards::default() };
    let lasting = Fleet { hazards, usage: used, ..fleet };
    // Half of them last for 1.2 ln(2)^(1/50) = 1.191 times the rated cycles.
    assert!((days(&lasting) - 495.6).abs() < 2.0, "{}", days(&lasting));
}

/// Two drives of a mirror fail within a day of each other: 2 r t x r d a pair.
#[test]
fn arrays_lose_data_by_failures_that_meet() {
    let rate = 0.5 / YEAR;
    let groups = Groups { drives: 2, spare: 1, rebuild: 86_400.0 * 4.0, mixed: false };
    let hazards = Hazards { random: rate, ..Hazards::default() };
    let fleet = Fleet { drives: 20_000, hazards, groups: Some(groups), ..plain() };
    let outcome = live(&fleet, 2, 4);
    let lost = outcome.losses.iter().sum::<u32>() as f64 / 4.0;
    let law = 10_000.0 * 2.0 * rate * fleet.horizon * rate * groups.rebuild;
    assert!((lost / law - 1.0).abs() < 4.0 / (4.0 * law).sqrt() + 0.01, "{lost}, {law}");
}

/// Drives of an array wear in step: flash that fails at nearly the same wear fails together.
#[test]
fn drives_of_an_array_are_used_alike() {
    let wear_out = WearOut { life: 1.0, shape: 200.0 };
    let hazards = Hazards { wear_out: Some(wear_out), ..Hazards::default() };
    let usage = Use { writes: Spread::log_normal(1e7, 3e7), ..plain().usage };
    let groups = Groups { drives: 10, spare: 1, rebuild: 20.0 * 86_400.0, mixed: false };
    let apart = Fleet { hazards, usage, ..plain() };
    let together = Fleet { groups: Some(groups), ..apart.clone() };
    let outcome = live(&together, 8, 2);
    let worn: u32 = outcome.gone.iter().map(|gone| gone[Cause::WearOut as usize]).sum();
    let lost: u32 = outcome.losses.iter().sum();
    assert!(worn > 1000 && lost > worn / 20, "{lost} losses of {worn} drives that wore out");
}

/// A fleet that has been in use for long is in balance: no burst at the start.
#[test]
fn old_slots_have_lived_before() {
    let wear_out = WearOut { life: 1.2, shape: 6.0 };
    let hazards = Hazards { wear_out: Some(wear_out), ..Hazards::default() };
    let age = Spread::Even { low: 10.0 * YEAR, high: 20.0 * YEAR };
    let writes = Spread::Even { low: 1e7, high: 2e7 };
    let usage = Use { age, writes, ..plain().usage };
    let fleet = Fleet { hazards, usage, retire_at: Some(1.1), ..plain() };
    let outcome = live(&fleet, 3, 4);
    let gone: Vec<u64> = outcome.months.iter().map(|month| month.gone.iter().sum()).collect();
    let mean = gone.iter().sum::<u64>() as f64 / gone.len() as f64;
    let far = 5.0 * mean.sqrt();
    assert!((gone[0] as f64 - mean).abs() < far, "{} in the first month, mean {mean}", gone[0]);
    assert!(outcome.months[0].wear.at(1.0).unwrap() <= 1.1);
}

/// Each drive is used as one of those on record, all of it: who writes much is who is full.
#[test]
fn a_drive_has_the_whole_use_of_one_on_record() {
    let record = |writes: f64, fill: f64| Record {
        writes: Some(writes),
        fill: Some(fill),
        ..Record::default()
    };
    let records = vec![record(1e12 / 86_400.0, 0.5), record(4e12 / 86_400.0, 1.0)];
    let usage = Use { records, ..plain().usage };
    let outcome = live(&Fleet { usage, ..plain() }, 1, 1);
    // A year of 1 TB a day amplified 1.5 times, or of 4 TB amplified four times; none between.
    let wear = &outcome.months[11].wear;
    for (share, law) in [(0.25, 1.5 * 0.365), (0.75, 16.0 * 0.365)] {
        let found = wear.at(share).unwrap();
        assert!((found / law - 1.0).abs() < 0.02, "{found}, {law}");
    }
    let heavy = outcome.months[11].past_rated as f64 / 2_000.0;
    // Three standard deviations of the half of 2,000.
    assert!((heavy - 0.5).abs() < 0.034, "{heavy}");
}

/// A size that is listed twice is had by twice as many drives.
#[test]
fn random_writes_have_one_of_several_sizes() {
    let flat = |amplification: f64| Surface::new(&[(0.5, amplification)]);
    let usage = Use { blocks: vec![0, 1, 1], ..plain().usage };
    let fleet = Fleet { random: vec![flat(1.0), flat(4.0)], usage, ..plain() };
    let outcome = live(&fleet, 1, 1);
    let small = outcome.amplification.below(2.0).unwrap();
    assert!((small - 1.0 / 3.0).abs() < 0.033, "{small}");
}

#[test]
fn the_last_month_ends_with_the_time() {
    let hazards = Hazards { random: 1.0 / YEAR, ..Hazards::default() };
    let fleet = Fleet { hazards, horizon: 0.6 * YEAR, ..plain() };
    let outcome = live(&fleet, 2, 1);
    assert_eq!(outcome.months.len(), 8);
    let by_month: u64 = outcome.months.iter().map(|month| month.gone[1]).sum();
    assert_eq!(by_month, u64::from(outcome.gone[0][1]));
    let still = Fleet { hazards: Hazards::default(), ..fleet };
    let wear = live(&still, 2, 1).months[7].wear.at(0.5).unwrap();
    assert!((wear - 2.0 * 0.6 * 0.365).abs() < 1e-9, "{wear}");
}

#[test]
fn a_bad_batch_in_one_array_is_worse_than_spread_over_all() {
    let batch = Frailty { drives: 40, deviation: 1.5 };
    let hazards = Hazards { random: 0.05 / YEAR, batch: Some(batch), ..Hazards::default() };
    let groups = |mixed| Some(Groups { drives: 8, spare: 1, rebuild: 10.0 * 86_400.0, mixed });
    let fleet = Fleet { drives: 8_000, hazards, groups: groups(false), ..plain() };
    let losses = |fleet: &Fleet| live(fleet, 9, 10).losses.iter().sum::<u32>();
    let (together, apart) =
        (losses(&fleet), losses(&Fleet { groups: groups(true), ..fleet.clone() }));
    assert!(f64::from(together) > 1.5 * f64::from(apart), "{together} and {apart}");
}

#[test]
fn spares_are_the_most_that_fail_while_an_order_is_on_its_way() {
    let hazards = Hazards { random: 0.05 / YEAR, ..Hazards::default() };
    let fleet = Fleet { hazards, ..plain() };
    let outcome = live(&fleet, 4, 40);
    let mean: f64 = 2_000.0 * 0.05 / 12.0;
    let most = outcome.spares.iter().map(|spares| f64::from(*spares)).sum::<f64>() / 40.0;
    // A Poisson count of mean 8.3 is above its mean by three deviations once in 60 months or so.
    assert!((mean + 2.0 * mean.sqrt()..mean + 5.0 * mean.sqrt()).contains(&most), "{most}");
    let slow = Fleet { lead: 12.0 * MONTH, ..fleet };
    assert!(live(&slow, 4, 5).spares.iter().all(|spares| *spares > 90));
}

#[test]
fn the_same_seed_gives_the_same_years_and_use_is_common_to_purchases() {
    let hazards = Hazards {
        random: 0.03 / YEAR,
        wear_out: Some(WearOut { life: 1.1, shape: 4.0 }),
        ..Hazards::default()
    };
    let usage = Use { writes: Spread::log_normal(5e6, 3e7), ..plain().usage };
    let fleet = Fleet { hazards, usage, ..plain() };
    assert_eq!(live(&fleet, 6, 2), live(&fleet, 6, 2));
    assert_ne!(live(&fleet, 6, 2).gone, live(&fleet, 7, 2).gone);
    // Twice the flash: each drive has half of its wear, not that of another one.
    let better = Fleet { flash_writes: 2e15, hazards: Hazards::default(), ..fleet.clone() };
    let worse = Fleet { hazards: Hazards::default(), ..fleet };
    for share in [0.1, 0.5, 0.99] {
        let at = |fleet: &Fleet| live(fleet, 6, 1).months[0].wear.at(share).unwrap();
        assert!((at(&better) * 2.0 / at(&worse) - 1.0).abs() < 0.05);
    }
}

/// A sample has each kind of use as often as the fleet has, to one drive, and one drive of each
/// part of the fill levels.
#[test]
fn a_stratified_sample_stands_for_all_drives() {
    let fleet = plain();
    let usage = Use {
        fill: Spread::Even { low: 0.2, high: 0.9 },
        in_order: 0.25,
        blocks: vec![0, 1, 1],
        ..fleet.usage
    };
    let sample = stratified(&usage, None, 10_000, 5, 40);
    assert_eq!(sample.len(), 40);
    assert_eq!(sample, stratified(&usage, None, 10_000, 5, 40), "the same seed, the same drives");
    assert_ne!(sample, stratified(&usage, None, 10_000, 6, 40));
    // A quarter in order; of the rest a third in blocks of the first size.
    let count = |is: &dyn Fn(bool, u32) -> bool| {
        sample.iter().filter(|drive| is(drive.in_order, drive.block)).count() as f64
    };
    assert!((count(&|in_order, _| in_order) - 10.0).abs() <= 1.0);
    assert!((count(&|in_order, block| !in_order && block == 0) - 10.0).abs() <= 1.0);
    let fills: Vec<f64> =
        sample.iter().filter(|d| !d.in_order && d.block == 1).map(|d| d.fill).collect();
    for (number, fill) in fills.iter().enumerate() {
        // Twenty parts of all levels, of which some thirty drives differ from part to part.
        let middle = 0.2 + 0.7 * (number as f64 + 0.5) / fills.len() as f64;
        assert!((fill - middle).abs() < 0.06, "drive {number}: {fill}, {middle}");
    }
}

#[test]
fn a_sample_of_more_drives_than_there_are_is_all_of_them() {
    let usage = Use { fill: Spread::Even { low: 0.2, high: 0.9 }, ..plain().usage };
    let sample = stratified(&usage, None, 7, 5, 100);
    assert_eq!(sample.len(), 7);
    assert!(sample.windows(2).all(|pair| pair[0].fill < pair[1].fill), "{sample:?}");
    assert!(stratified(&usage, None, 7, 5, 0).is_empty());
    // Drives of an array are filled alike.
    let groups = Some(Groups { drives: 4, spare: 1, rebuild: MONTH, mixed: false });
    let sample = stratified(&usage, groups, 8, 5, 8);
    assert_eq!(sample[0], sample[3]);
    assert_eq!(sample[4], sample[7]);
    assert_ne!(sample[3], sample[4]);
}
