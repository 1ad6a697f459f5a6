//! Which points no other point is better than.

/// Where an objective of a point lies, turned so that lower is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The better end of its interval.
    pub best: f64,
    /// The worse end.
    pub worst: f64,
}

/// For each point whether it is in the Pareto set. A point is out only if another one is surely at
/// least as good in every objective and surely better in one: its worse ends against the better
/// ends. Within their intervals points are not told apart, so that both stay.
pub fn front(points: &[Vec<Span>]) -> Vec<bool> {
    let rivals = rivals(points);
    let out = |point: &Vec<Span>| {
        rivals.iter().any(|rival| {
            let pairs = || rival.iter().zip(point);
            pairs().all(|(worst, span)| *worst <= span.best)
                && pairs().any(|(worst, span)| *worst < span.best)
        })
    };
    points.iter().map(|point| !out(point)).collect()
}

/// The worse ends of the points that none other beats by its worse ends: whom the others do not
/// beat, those do not beat either.
fn rivals(points: &[Vec<Span>]) -> Vec<Vec<f64>> {
    let mut worst: Vec<Vec<f64>> =
        points.iter().map(|point| point.iter().map(|span| span.worst).collect()).collect();
    worst.sort_by(|a: &Vec<f64>, b| {
        let order = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
        order.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    });
    let mut kept: Vec<Vec<f64>> = Vec::new();
    for next in worst {
        let beaten = |rival: &Vec<f64>| rival.iter().zip(&next).all(|(a, b)| a <= b);
        if !kept.iter().any(beaten) {
            kept.push(next);
        }
    }
    kept
}
