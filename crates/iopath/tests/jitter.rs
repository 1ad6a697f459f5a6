//! What the host adds to a completion varies, and its mean stays what it is.

use crate::common::*;
use engine::Quantiles;
use iopath::machine::system::SystemSpec;

/// Delays beyond the least: one in two above 1 us, one in a hundred above 7 us.
fn some() -> Quantiles {
    Quantiles::new(&[(1.0, us(0)), (0.5, us(1)), (0.01, us(7)), (1e-4, us(30))]).unwrap()
}

/// A drive with 5 us of host. Some reads find their page in its register: without jitter there are
/// two latencies.
fn drive(jitter: Option<Quantiles>) -> DriveConfig {
    let mut c = config(geometry(), 1.3);
    c.link.completion_latency = us(5);
    c.link.jitter = jitter;
    c
}

/// Latencies of reads at depth 1, ps, in their order.
fn latencies(c: DriveConfig, ios: usize) -> Vec<u64> {
    let mut m = machine::<(), _>(c.clone(), Times::default());
    prepare(&mut m, DriveState::Filled);
    start(&mut m, vec![thread("reads", Directions::Read, 4096, c.user_bytes, 1)], 5);
    while m.context.probe.ios.len() < ios {
        assert_eq!(m.run(Instant::NEVER, 1000), iopath::machine::Stop::Events, "{}", m.describe());
    }
    let ios = m.context.probe.ios.iter().take(ios);
    ios.map(|io| io.completed.since(io.issued).ps()).collect()
}

fn mean(latencies: &[u64]) -> f64 {
    latencies.iter().sum::<u64>() as f64 / latencies.len() as f64
}

#[test]
fn jitter_moves_no_mean() {
    let (fixed, varied) =
        (latencies(drive(None), 200_000), latencies(drive(Some(some())), 200_000));
    let off = mean(&varied) / mean(&fixed) - 1.0;
    assert!(off.abs() < 5e-4, "{off:+.5}: {} {}", mean(&varied), mean(&fixed));
}

#[test]
fn as_many_reads_are_late_as_the_host_says() {
    let (fixed, varied) =
        (latencies(drive(None), 200_000), latencies(drive(Some(some())), 200_000));
    // The same reads in the same order: what differs is the host.
    let least = us(5).ps() - some().mean().ps();
    let added = |(varied, fixed): (&u64, &u64)| varied - (fixed - us(5).ps()) - least;
    let mut added: Vec<u64> = varied.iter().zip(&fixed).map(added).collect();
    added.sort_unstable();
    for (share, delay) in [(0.5, us(1)), (0.01, us(7)), (0.001, Duration::from_ns(18_500))] {
        let beyond = added.iter().filter(|&&ps| ps > delay.ps()).count() as f64 / 200_000.0;
        let error = 4.0 * (share * (1.0 - share) / 200_000.0_f64).sqrt();
        assert!(
            (beyond - share).abs() < error,
            "{beyond} of the reads beyond {delay}, not {share}"
        );
    }
}

#[test]
fn the_same_seed_gives_the_same_delays() {
    assert_eq!(latencies(drive(Some(some())), 5_000), latencies(drive(Some(some())), 5_000));
}

/// A host of its own interrupts by itself.
#[test]
fn a_system_for_a_host_of_its_own_has_no_jitter() {
    let system = SystemSpec::from(drive(Some(some()))).without_jitter();
    let config = system.flash().next().expect("it has a drive").clone();
    assert_eq!((config.link.jitter.clone(), config.link.completion_latency), (None, us(5)));
    assert_eq!(latencies(config, 2_000), latencies(drive(None), 2_000));
}
