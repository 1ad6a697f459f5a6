//! Closed forms of write amplification. alpha = data units in closed groups over units in use,
//! A = flash writes over host writes, b = units of a group, v = valid units of a victim,
//! A = b / (b - v). Derived again here, so that they do not depend on a citation.

/// The principal branch of Lambert's W: w e^w = x, for x from -1/e on (Halley's method).
pub fn lambert_w(x: f64) -> f64 {
    let e = std::f64::consts::E;
    // Near the branch point: w = -1 + sqrt(2 (e x + 1)); elsewhere any start will do.
    let mut w = if x < -0.2 { -1.0 + (2.0 * (e * x + 1.0)).max(0.0).sqrt() } else { x };
    for _ in 0..60 {
        let f = w * w.exp() - x;
        if f == 0.0 || w == -1.0 {
            break;
        }
        let df = w.exp() * (w + 1.0);
        w -= f / (df - f * (w + 2.0) / (2.0 * (w + 1.0)));
    }
    w
}

/// First in, first out, uniform random writes: X = exp(-alpha (1 - X)), A = 1 / (1 - X)
/// = alpha / (alpha + W(-alpha e^-alpha)) (Menon 1995; Robinson 1996; Desnoyers 2012).
pub fn fifo(alpha: f64) -> f64 {
    alpha / (alpha + lambert_w(-alpha * (-alpha).exp()))
}

/// The same for little spare p = alpha - 1: 1/(2p) + 2/3 + p/9 + O(p^2).
pub fn fifo_small_spare(p: f64) -> f64 {
    1.0 / (2.0 * p) + 2.0 / 3.0 + p / 9.0
}

fn bisect(mut low: f64, mut high: f64, above: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if above(middle) { low = middle } else { high = middle }
    }
    low
}

/// Valid units of a greedy victim: b (H_b - H_j + (j - v)/j) = alpha (b - v), j = ceil(v), H the
/// harmonic numbers (Bux and Iliadis 2010).
pub fn greedy_victim(alpha: f64, b: u32) -> f64 {
    let b = b as f64;
    let harmonic = |n: f64| -> f64 { (1..=n as u64).map(|i| 1.0 / i as f64).sum() };
    let all = harmonic(b);
    // Positive for a small v, zero at the solution and at the trivial v = b.
    bisect(1e-9, b * (1.0 - 1e-6), |v| {
        let j = v.ceil().max(1.0);
        b * (all - harmonic(j) + (j - v) / j) > alpha * (b - v)
    })
}

/// Greedy, uniform random writes, groups of `b` units.
pub fn greedy(alpha: f64, b: u32) -> f64 {
    b as f64 / (b as f64 - greedy_victim(alpha, b))
}

/// The fewest valid of d random groups (Van Houdt 2013). S_i is the share of groups with at least i
/// valid units: S_i = S_{i+1} + c (1 - S_i^d) / i, S_{b+1} = 0, c = b / (alpha (b - v)), and
/// v = sum of S_i^d over i from 1 to b.
pub fn d_choices(alpha: f64, b: u32, d: u32) -> f64 {
    let (v, _) = d_choices_victim(alpha, b, d);
    b as f64 / (b as f64 - v)
}

/// Mean and standard deviation of the valid units of a victim under d choices.
pub fn d_choices_victim(alpha: f64, b: u32, d: u32) -> (f64, f64) {
    let size = b as f64;
    let moments = |v: f64| -> (f64, f64) {
        let c = size / (alpha * (size - v));
        let (mut s, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for i in (1..=b).rev() {
            let step = c / i as f64;
            let next = s;
            s = bisect(0.0, 1.0, |x: f64| x < next + step * (1.0 - x.powi(d as i32)));
            sum += s.powi(d as i32);
            squares += (2 * i - 1) as f64 * s.powi(d as i32);
        }
        (sum, squares)
    };
    let v = bisect(0.0, size * (1.0 - 1e-4), |v| moments(v).0 > v);
    (v, (moments(v).1 - v * v).sqrt())
}

/// A share `f` of the units takes a share `r` of the writes, one log, first in, first out:
/// A = r / (1 - exp(-r alpha / (f A))) + (1-r) / (1 - exp(-(1-r) alpha / ((1-f) A)))
/// (Desnoyers 2012).
pub fn fifo_mixed(alpha: f64, f: f64, r: f64) -> f64 {
    let part = |r: f64, f: f64, a: f64| {
        let x = r * alpha / (f * a);
        // Data that is never written is moved once in each round: the limit of r / (1 - e^-x).
        if r == 0.0 { f * a / alpha } else { r / -(-x).exp_m1() }
    };
    bisect(1.0, 1e4, |a| part(r, f, a) + part(1.0 - r, 1.0 - f, a) > a)
}

/// Hot and cold in pools of their own, of which the hot one has a share `s` of the spare p, each
/// first in, first out.
pub fn separate(p: f64, f: f64, r: f64, s: f64) -> f64 {
    r * fifo(1.0 + s * p / f) + (1.0 - r) * fifo(1.0 + (1.0 - s) * p / (1.0 - f))
}

/// The share of the spare for the hot pool with which [`separate`] is least, by golden section.
pub fn best_split(p: f64, f: f64, r: f64) -> f64 {
    let (mut low, mut high) = (0.01, 0.99);
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    for _ in 0..60 {
        let (a, b) = (high - ratio * (high - low), low + ratio * (high - low));
        if separate(p, f, r, a) < separate(p, f, r, b) { high = b } else { low = a }
    }
    (low + high) / 2.0
}

/// How far a measurement may be from its law: what an independent simulator of the same laws
/// showed (0.3 %), and half a group of `closed` whose place, open or spare, the law does not know.
/// A is proportional to 1 over the spare, so the share of the spare is the share of A.
pub fn tolerance(closed: u32, alpha: f64) -> f64 {
    0.003 + 0.5 / (closed as f64 * (1.0 - 1.0 / alpha))
}
