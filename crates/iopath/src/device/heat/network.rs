//! Two heat capacities, a resistance between them and one to the air, solved in closed form.
//!
//! ```text
//!   power -> package --spread--> body --to air--> ambient
//!              C1                  C2
//! ```
//! The package (controller and flash) follows the load within seconds, the body (board and sink)
//! within minutes. With constant power the equations
//!
//! ```text
//!   C1 dT1/dt = P - (T1 - T2) / R12
//!   C2 dT2/dt = (T1 - T2) / R12 - (T2 - Ta) / R2a
//! ```
//! are linear: what is above the steady state decays by two exponentials (any textbook of heat
//! transfer, lumped capacities). A step of any length is exact.

/// Two capacities and two resistances; all above zero.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Network {
    /// Heat capacity of the package, J/K.
    pub package_j_k: f64,
    /// Heat capacity of the body, J/K.
    pub body_j_k: f64,
    /// Resistance between them, K/W.
    pub spread_k_w: f64,
    /// Resistance from the body to the air, K/W.
    pub air_k_w: f64,
}

/// Temperatures of both, degrees Celsius.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Nodes {
    /// Of the package.
    pub package_c: f64,
    /// Of the body.
    pub body_c: f64,
}

impl Nodes {
    /// Both at one temperature.
    pub fn even(celsius: f64) -> Self {
        Nodes { package_c: celsius, body_c: celsius }
    }
}

impl Network {
    /// Resistance from the package to the air, K/W.
    pub fn resistance(&self) -> f64 {
        self.spread_k_w + self.air_k_w
    }

    /// Final temperatures at constant power.
    pub fn steady(&self, power_w: f64, ambient_c: f64) -> Nodes {
        let body_c = ambient_c + power_w * self.air_k_w;
        Nodes { package_c: body_c + power_w * self.spread_k_w, body_c }
    }

    /// Rates of decay, 1/s: the fast one, the slow one. They are the roots of
    /// `x^2 - (a + d) x + (a d - b c)`, which are real and above zero.
    pub fn rates(&self) -> (f64, f64) {
        let [a, b, c, d] = self.matrix();
        let half = (a + d) / 2.0;
        let root = libm::sqrt((a - d) * (a - d) / 4.0 + b * c);
        let fast = half + root;
        // The product of the roots is the determinant: no difference of near numbers.
        (fast, (a * d - b * c) / fast)
    }

    /// Of `d/dt (T1, T2) = -M (T1, T2)`: a, -b, -c, d.
    fn matrix(&self) -> [f64; 4] {
        let (spread, air) = (1.0 / self.spread_k_w, 1.0 / self.air_k_w);
        let (c1, c2) = (self.package_j_k, self.body_j_k);
        [spread / c1, spread / c1, spread / c2, (spread + air) / c2]
    }

    /// The course of the temperatures from now on with constant power.
    pub fn course(&self, from: Nodes, power_w: f64, ambient_c: f64) -> Course {
        let [a, b, c, d] = self.matrix();
        let (fast, slow) = self.rates();
        let steady = self.steady(power_w, ambient_c);
        let (x, y) = (from.package_c - steady.package_c, from.body_c - steady.body_c);
        // The part that decays fast is (M - slow) applied to the start, over the difference of
        // the rates, which is never zero: b c > 0.
        let gap = fast - slow;
        let package_fast = ((a - slow) * x - b * y) / gap;
        let body_fast = ((d - slow) * y - c * x) / gap;
        Course {
            steady,
            fast: (fast, package_fast, body_fast),
            slow: (slow, x - package_fast, y - body_fast),
        }
    }
}

/// Both temperatures as functions of time while the power is constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Course {
    steady: Nodes,
    /// Rate and amplitudes of package and body.
    fast: (f64, f64, f64),
    slow: (f64, f64, f64),
}

/// Halvings of an interval until a crossing is known as well as the numbers allow.
const HALVINGS: u32 = 60;

impl Course {
    /// The temperatures after some seconds.
    pub fn at(&self, seconds: f64) -> Nodes {
        let fast = libm::exp(-self.fast.0 * seconds);
        let slow = libm::exp(-self.slow.0 * seconds);
        Nodes {
            package_c: self.steady.package_c + self.fast.1 * fast + self.slow.1 * slow,
            body_c: self.steady.body_c + self.fast.2 * fast + self.slow.2 * slow,
        }
    }

    /// When the package is hottest or coolest on the way, if that is after the beginning: a sum
    /// of two exponentials turns at most once.
    fn turn(&self) -> Option<f64> {
        let ((f, af, _), (s, a_s, _)) = (self.fast, self.slow);
        let quotient = -(af * f) / (a_s * s);
        (quotient > 1.0 && quotient.is_finite()).then(|| libm::log(quotient) / (f - s))
    }

    /// Stretches of `0..seconds` in which the package only warms or only cools.
    fn stretches(&self, seconds: f64) -> impl Iterator<Item = (f64, f64)> {
        let turn = self.turn().filter(|turn| *turn < seconds);
        let first = (0.0, turn.unwrap_or(seconds));
        [Some(first), turn.map(|turn| (turn, seconds))].into_iter().flatten()
    }

    /// The highest temperature of the package within some seconds, degrees Celsius.
    pub fn peak_c(&self, seconds: f64) -> f64 {
        let ends = self.stretches(seconds).map(|(_, to)| self.at(to).package_c);
        ends.fold(self.at(0.0).package_c, f64::max)
    }

    /// When the package has risen to a temperature (or sunk to it), within some seconds.
    pub fn reaches(&self, celsius: f64, rising: bool, seconds: f64) -> Option<f64> {
        let past = |t: f64| {
            let now = self.at(t).package_c;
            if rising { now >= celsius } else { now <= celsius }
        };
        if past(0.0) {
            return Some(0.0);
        }
        let found = self.stretches(seconds).find(|(_, to)| past(*to));
        found.map(|(from, to)| halve(from, to, past))
    }

    /// Seconds of the first `seconds` in which the package is at a temperature or above it.
    pub fn time_above(&self, celsius: f64, seconds: f64) -> f64 {
        let above = |t: f64| self.at(t).package_c >= celsius;
        let part = |(from, to): (f64, f64)| match (above(from), above(to)) {
            (true, true) => to - from,
            (false, false) => 0.0,
            (false, true) => to - halve(from, to, above),
            (true, false) => halve(from, to, |t| !above(t)) - from,
        };
        self.stretches(seconds).map(part).sum()
    }
}

/// The time between two at which something begins to hold; it holds at the second.
fn halve(from: f64, to: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let (mut from, mut to) = (from, to);
    for _ in 0..HALVINGS {
        let middle = from + (to - from) / 2.0;
        if holds(middle) {
            to = middle;
        } else {
            from = middle;
        }
    }
    to
}
