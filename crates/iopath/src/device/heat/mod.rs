//! Heat: power into temperature, temperature into throttling. Pure functions: no events and no
//! clock, only how long a power has lasted.

pub mod cooling;
pub mod network;

use cooling::{Body, Cooling};
use engine::{Duration, Power};
use network::{Course, Network, Nodes};

/// A level of throttling.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Throttle {
    /// Entered when the drive is as warm as this, degrees Celsius.
    pub enter_c: f64,
    /// Left when it is as cool as this again, degrees Celsius; below `enter_c`.
    pub leave_c: f64,
    /// Limit of the mean power in it.
    pub cap: Power,
}

/// A drive, its cooling and its firmware's limits.
#[derive(Clone, PartialEq, Debug)]
pub struct HeatConfig {
    /// Capacities and resistances, which follow from the next two.
    pub network: Network,
    /// The drive itself.
    pub body: Body,
    /// What cools it.
    pub cooling: Cooling,
    /// Temperature of the air, degrees Celsius.
    pub ambient_c: f64,
    /// Levels from light to heavy; each enters and leaves above the one before.
    pub throttle: Vec<Throttle>,
    /// From here on the drive warns (NVMe WCTEMP), degrees Celsius.
    pub warning_c: f64,
    /// From here on it may be harmed (NVMe CCTEMP), degrees Celsius.
    pub critical_c: f64,
    /// Time between two readings of the sensor.
    pub sample: Duration,
}

impl HeatConfig {
    /// The same drive cooled otherwise, in air of another temperature.
    #[must_use]
    pub fn cooled(&self, cooling: Cooling, ambient_c: f64) -> Self {
        HeatConfig { network: cooling.network(&self.body), cooling, ambient_c, ..self.clone() }
    }

    /// What is impossible, if anything.
    ///
    /// # Errors
    /// If a heat capacity or resistance is not positive, or if the levels of throttling are too
    /// many or not in rising order.
    pub fn check(&self) -> Result<(), String> {
        let need = |holds: bool, text: &str| if holds { Ok(()) } else { Err(text.to_owned()) };
        let n = &self.network;
        let all = [n.package_j_k, n.body_j_k, n.spread_k_w, n.air_k_w];
        need(
            all.iter().all(|v| *v > 0.0 && v.is_finite()),
            "a heat capacity or resistance is not positive",
        )?;
        need(self.throttle.len() < 8, "a drive has at most 7 throttling levels")?;
        need(
            self.warning_c <= self.critical_c,
            "the warning temperature is above the critical one",
        )?;
        need(self.sample.ps() > 0, "the sampling interval of the sensor is 0")?;
        for level in &self.throttle {
            need(
                level.leave_c < level.enter_c,
                "a throttling level must be left at a lower temperature than it is entered at",
            )?;
        }
        for pair in self.throttle.windows(2) {
            let rising = pair[0].enter_c < pair[1].enter_c && pair[0].leave_c <= pair[1].leave_c;
            need(rising, "a heavier level must have higher temperatures than a lighter one")?;
            need(pair[1].cap <= pair[0].cap, "a heavier level must have a lower power limit")?;
        }
        Ok(())
    }
}

/// What a drive counts about its temperature.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HeatLog {
    /// Highest temperature so far, degrees Celsius.
    pub peak_c: f64,
    /// Time that is counted, s.
    pub seconds: f64,
    /// Time in each level of throttling, s.
    pub throttled_s: Vec<f64>,
    /// Times that each level was entered from a lighter one.
    pub transitions: Vec<u64>,
    /// Time at the warning temperature or above it, s.
    pub warning_s: f64,
    /// Time at the critical temperature or above it, s.
    pub critical_s: f64,
}

impl HeatLog {
    /// Time in any level of throttling, s.
    pub fn all_throttled_s(&self) -> f64 {
        self.throttled_s.iter().sum()
    }
}

/// The temperature of a drive and its level of throttling.
#[derive(Clone, PartialEq, Debug)]
pub struct Heat {
    config: HeatConfig,
    nodes: Nodes,
    /// 0 is full speed.
    level: usize,
    log: HeatLog,
}

impl Heat {
    /// A drive as cool as the air.
    pub fn new(config: HeatConfig) -> Self {
        let levels = config.throttle.len();
        let log = HeatLog {
            peak_c: config.ambient_c,
            throttled_s: vec![0.0; levels],
            transitions: vec![0; levels],
            ..HeatLog::default()
        };
        Heat { nodes: Nodes::even(config.ambient_c), level: 0, log, config }
    }

    /// What it was made from.
    pub fn config(&self) -> &HeatConfig {
        &self.config
    }

    /// Temperature that the drive reports (NVMe composite temperature): the package's, C.
    pub fn celsius(&self) -> f64 {
        self.nodes.package_c
    }

    /// Both temperatures.
    pub fn nodes(&self) -> Nodes {
        self.nodes
    }

    /// Level of throttling; 0 is full speed.
    pub fn level(&self) -> usize {
        self.level
    }

    /// Limit of the mean power at a level.
    pub fn cap(&self, level: usize) -> Option<Power> {
        self.config.throttle.get(level.wrapping_sub(1)).map(|throttle| throttle.cap)
    }

    /// What was counted.
    pub fn log(&self) -> &HeatLog {
        &self.log
    }

    fn course(&self, power_w: f64) -> Course {
        self.config.network.course(self.nodes, power_w, self.config.ambient_c)
    }

    /// When and at which level the drive will be next if the power stays, within some seconds.
    pub fn next_change(&self, power_w: f64, seconds: f64) -> Option<(f64, usize)> {
        let course = self.course(power_w);
        let throttle = &self.config.throttle;
        let up = throttle.get(self.level).and_then(|next| {
            course.reaches(next.enter_c, true, seconds).map(|at| (at, self.level + 1))
        });
        let down = throttle.get(self.level.wrapping_sub(1)).and_then(|this| {
            course.reaches(this.leave_c, false, seconds).map(|at| (at, self.level - 1))
        });
        match (up, down) {
            (Some(up), Some(down)) => Some(if down.0 < up.0 { down } else { up }),
            (up, down) => up.or(down),
        }
    }

    /// So many seconds pass at a mean power. Levels change at the instant that their temperature
    /// is reached.
    pub fn advance(&mut self, power_w: f64, seconds: f64) {
        let mut left = seconds;
        while let Some((at, level)) = self.next_change(power_w, left) {
            self.pass(power_w, at);
            left -= at;
            if level > self.level {
                self.log.transitions[level - 1] += 1;
            }
            self.level = level;
        }
        self.pass(power_w, left);
    }

    /// Time passes within a level.
    fn pass(&mut self, power_w: f64, seconds: f64) {
        if seconds <= 0.0 {
            return;
        }
        let course = self.course(power_w);
        self.log.peak_c = self.log.peak_c.max(course.peak_c(seconds));
        self.log.seconds += seconds;
        if self.level > 0 {
            self.log.throttled_s[self.level - 1] += seconds;
        }
        self.log.warning_s += course.time_above(self.config.warning_c, seconds);
        self.log.critical_s += course.time_above(self.config.critical_c, seconds);
        self.nodes = course.at(seconds);
    }

    /// Other air, other cooling: temperatures and counters stay.
    pub fn set_config(&mut self, config: HeatConfig) {
        let levels = config.throttle.len();
        self.log.throttled_s.resize(levels, 0.0);
        self.log.transitions.resize(levels, 0);
        self.level = self.level.min(levels);
        self.config = config;
    }
}
