//! Sums over stretches of time, and the columns that they make.

use crate::series::{PhaseKind, Series};

/// Counts by direction: read, write, trim.
pub type ByDirection = [f64; 3];

/// I/Os of a stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StretchIos {
    /// I/Os that ended in it.
    pub count: ByDirection,
    /// Sums of their completion latencies, s.
    pub latency_s: ByDirection,
}

/// What flash drives did in a stretch, and how they were at its end; all of them together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StretchFlash {
    /// Bytes that the host had written, as the write amplification counts them.
    pub host_bytes: f64,
    /// Bytes that went to the flash for whatever reason.
    pub flash_bytes: f64,
    /// Bytes of these that were moved: collection, folding, wear levelling, refresh.
    pub moved_bytes: f64,
    /// Time of the samples in which any were, s.
    pub moving_s: f64,
    /// Room in the blocks of the SLC cache, bytes, at the end.
    pub slc_used_bytes: f64,
    /// What the cache may grow to, bytes, at the end.
    pub slc_room_bytes: f64,
    /// Share of the logical units that hold data, at the end.
    pub mapped: f64,
}

/// A stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stretch {
    /// Its length, s.
    pub seconds: f64,
    /// Bytes moved.
    pub bytes: ByDirection,
    /// I/Os, if they were counted.
    pub ios: Option<StretchIos>,
    /// The flash, if it was sampled.
    pub flash: Option<StretchFlash>,
    /// Energy, J, if it is known.
    pub joules: Option<f64>,
    /// Temperature of the warmest drive at the end, degrees Celsius, if it is known.
    pub celsius: Option<f64>,
    /// Highest power state of the NVMe drives at the end, 0 to 31, if it is known.
    pub power_state: Option<u8>,
    /// Bytes that other programs moved on a real drive, at least, if they are known.
    pub others_bytes: Option<f64>,
}

fn sum(a: ByDirection, b: ByDirection) -> ByDirection {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn times(a: ByDirection, factor: f64) -> ByDirection {
    a.map(|value| value * factor)
}

impl Stretch {
    /// This stretch and the next one as one. What is not known of both is not known.
    #[must_use]
    pub fn then(self, next: Stretch) -> Stretch {
        let ios = self.ios.zip(next.ios).map(|(a, b)| StretchIos {
            count: sum(a.count, b.count),
            latency_s: sum(a.latency_s, b.latency_s),
        });
        let flash = self.flash.zip(next.flash).map(|(a, b)| StretchFlash {
            host_bytes: a.host_bytes + b.host_bytes,
            flash_bytes: a.flash_bytes + b.flash_bytes,
            moved_bytes: a.moved_bytes + b.moved_bytes,
            moving_s: a.moving_s + b.moving_s,
            ..b
        });
        Stretch {
            seconds: self.seconds + next.seconds,
            bytes: sum(self.bytes, next.bytes),
            ios,
            flash,
            joules: self.joules.zip(next.joules).map(|(a, b)| a + b),
            celsius: self.celsius.and(next.celsius),
            power_state: self.power_state.and(next.power_state),
            others_bytes: self.others_bytes.zip(next.others_bytes).map(|(a, b)| a + b),
        }
    }

    /// `volume` times as much of everything in `volume` times the time, and levels `level` times as
    /// high: what a stretch of a drive at a fraction of its capacity represents.
    #[must_use]
    pub fn scaled(self, volume: f64, level: f64) -> Stretch {
        Stretch {
            seconds: self.seconds * volume,
            bytes: times(self.bytes, volume),
            ios: self.ios.map(|ios| StretchIos {
                count: times(ios.count, volume),
                latency_s: times(ios.latency_s, volume),
            }),
            flash: self.flash.map(|flash| StretchFlash {
                host_bytes: flash.host_bytes * volume,
                flash_bytes: flash.flash_bytes * volume,
                moved_bytes: flash.moved_bytes * volume,
                moving_s: flash.moving_s * volume,
                slc_used_bytes: flash.slc_used_bytes * level,
                slc_room_bytes: flash.slc_room_bytes * level,
                mapped: flash.mapped,
            }),
            joules: self.joules.map(|joules| joules * volume),
            celsius: self.celsius,
            power_state: self.power_state,
            others_bytes: self.others_bytes.map(|bytes| bytes * volume),
        }
    }

    /// Bytes moved in all directions.
    pub fn all_bytes(&self) -> f64 {
        self.bytes.iter().sum()
    }

    /// What was done in it, by its bytes.
    pub(crate) fn kind(&self) -> PhaseKind {
        match self.bytes.map(|bytes| bytes > 0.0) {
            [false, false, false] => PhaseKind::Idle,
            [true, false, false] => PhaseKind::Read,
            [false, true, false] => PhaseKind::Write,
            [false, false, true] => PhaseKind::Trim,
            _ => PhaseKind::Mixed,
        }
    }
}

/// The columns of stretches, without a name and phases.
pub fn columns(stretches: &[Stretch]) -> Series {
    let mut series = Series::default();
    let moved = |side: usize| stretches.iter().any(|stretch| stretch.bytes[side] > 0.0);
    let mixed = (0..3).filter(|side| moved(*side)).count() > 1;
    let (mut time, mut position) = (0.0, 0.0);
    for stretch in stretches {
        let seconds = stretch.seconds.max(1e-12);
        time += stretch.seconds;
        position += stretch.all_bytes();
        series.time_s.push(fine(time));
        series.position_bytes.push(fine(position));
        series.bytes_per_s.push(round(stretch.all_bytes() / seconds));
        if mixed {
            series.read_bytes_per_s.push(round(stretch.bytes[0] / seconds));
            series.write_bytes_per_s.push(round(stretch.bytes[1] / seconds));
        }
    }
    add_ios(&mut series, stretches, mixed);
    add_flash(&mut series, stretches);
    let rate = |stretch: &Stretch| stretch.joules.map(|j| round(j / stretch.seconds.max(1e-12)));
    series.watts = known(stretches, rate);
    series.celsius = known(stretches, |stretch| stretch.celsius.map(round));
    series.power_state = known(stretches, |stretch| stretch.power_state);
    series.others_bytes_per_s = known(stretches, |stretch| {
        stretch.others_bytes.map(|bytes| round(bytes / stretch.seconds.max(1e-12)))
    });
    series
}

/// A column, empty unless every stretch has a value.
fn known<T>(stretches: &[Stretch], of: impl Fn(&Stretch) -> Option<T>) -> Vec<T> {
    stretches.iter().map(of).collect::<Option<Vec<T>>>().unwrap_or_default()
}

fn add_ios(series: &mut Series, stretches: &[Stretch], mixed: bool) {
    let rate = |sides: std::ops::Range<usize>| {
        known(stretches, move |stretch| {
            let count: f64 = stretch.ios?.count[sides.clone()].iter().sum();
            Some(round(count / stretch.seconds.max(1e-12)))
        })
    };
    let mean = |sides: std::ops::Range<usize>| {
        known(stretches, move |stretch| {
            let ios = stretch.ios?;
            let count: f64 = ios.count[sides.clone()].iter().sum();
            let sum: f64 = ios.latency_s[sides.clone()].iter().sum();
            Some((count > 0.0).then(|| round(sum / count)))
        })
    };
    series.iops = rate(0..3);
    series.latency_mean_s = mean(0..3);
    if mixed {
        (series.read_iops, series.write_iops) = (rate(0..1), rate(1..2));
        series.read_latency_mean_s = mean(0..1);
        series.write_latency_mean_s = mean(1..2);
    }
}

fn add_flash(series: &mut Series, stretches: &[Stretch]) {
    series.write_amplification = known(stretches, |stretch| {
        let flash = stretch.flash?;
        Some((flash.host_bytes > 0.0).then(|| round(flash.flash_bytes / flash.host_bytes)))
    });
    let each = |of: &dyn Fn(&StretchFlash, f64) -> f64| {
        let one = |s: &Stretch| s.flash.map(|flash| round(of(&flash, s.seconds.max(1e-12))));
        known(stretches, one)
    };
    series.collecting = each(&|flash, seconds| (flash.moving_s / seconds).min(1.0));
    series.moved_bytes_per_s = each(&|flash, seconds| flash.moved_bytes / seconds);
    series.mapped = each(&|flash, _| flash.mapped);
    let cached = |stretch: &Stretch| {
        stretch.flash.is_some_and(|f| f.slc_room_bytes > 0.0 || f.slc_used_bytes > 0.0)
    };
    if stretches.iter().any(cached) {
        series.slc_used_bytes = each(&|flash, _| flash.slc_used_bytes);
        series.slc_room_bytes = each(&|flash, _| flash.slc_room_bytes);
    }
}

/// Six figures.
fn round(value: f64) -> f64 {
    figures(value, 5)
}

/// Nine figures.
pub(crate) fn fine(value: f64) -> f64 {
    figures(value, 8)
}

/// One figure before the point and so many after it.
fn figures(value: f64, digits: usize) -> f64 {
    // The sum of nothing is minus zero, which is unreadable.
    format!("{value:.digits$e}").parse().unwrap_or(value) + 0.0
}
