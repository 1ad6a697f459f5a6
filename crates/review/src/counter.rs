//! Models that contradict a claim. A check that holds says something only if it would fail of
//! drives that are otherwise: a claim names such drives, and with them in place of its own each of
//! its checks must fail.

use super::claim::{Against, Check, Claim, Counter, Side, targets};
use super::reviews::ReviewFile;
use super::subject::Subject;

impl ReviewFile {
    /// Each check of the claims that name counters, as a claim of its own for each counter that
    /// touches it. Claims of the same check have the same id.
    pub fn contradicted(self) -> Self {
        let claims = self.claims.iter().flat_map(Claim::contradicted).collect();
        Self { claims, setups: self.setups, labels: self.labels, ..Self::default() }
    }
}

impl Claim {
    fn contradicted(&self) -> Vec<Self> {
        if self.counters.is_empty() {
            return Vec::new();
        }
        let mut all = Vec::new();
        for (at, check) in self.checks.iter().enumerate() {
            let id = match self.checks.len() {
                1 => self.id.clone(),
                _ => format!("{} check {}", self.id, at + 1),
            };
            let before = all.len();
            let counters = self.counters.iter().filter(|counter| touches(counter, check));
            all.extend(counters.map(|c| self.with(id.clone(), contradicted(check, c), c)));
            if all.len() == before {
                // As it is: that it holds shows that it has no counter.
                all.push(self.with(id, check.clone(), &Counter::new()));
            }
        }
        all
    }

    /// The claim with this check alone.
    fn with(&self, id: String, check: Check, counter: &Counter) -> Self {
        let said = counter.iter().map(|(own, other)| format!("{own} is {other}"));
        let said = said.collect::<Vec<_>>().join(", ");
        let said = if said.is_empty() { "by nothing" } else { &said };
        let claim = format!("{} [contradicted: {said}]", self.claim);
        let (checks, counters) = (vec![check], Vec::new());
        Self { id, claim, checks, counters, unchecked: None, ..self.clone() }
    }
}

/// Whether a counter names a target of a check.
fn touches(counter: &Counter, check: &Check) -> bool {
    check.sides().flat_map(targets).any(|target| counter.contains_key(target))
}

fn contradicted(check: &Check, counter: &Counter) -> Check {
    let mut check = check.clone();
    replace(&mut check.left, counter);
    match &mut check.against {
        Against::Side { right: other, .. } | Against::Range { of: other, .. } => {
            replace(other, counter);
        }
        Against::Value { .. } | Against::ValueRange { .. } => {}
    }
    check
}

fn replace(side: &mut Side, counter: &Counter) {
    let other = |name: &str| counter.get(name).cloned();
    if let Some(second) = side.relative_to.as_deref().and_then(other) {
        side.relative_to = Some(second);
    }
    let Subject::Runs { target, runs, .. } = &mut side.subject else { return };
    let Some(name) = other(&target.name) else { return };
    for run in runs {
        run.target.clone_from(&name);
    }
    target.name = name;
}
