//! Models that contradict a claim. A check that holds says something only if it would fail of
//! drives that are otherwise: a claim names such drives, and with them in place of its own the
//! same checks must fail.

use super::claim::{Against, Claim, Counter, Side};
use super::reviews::ReviewFile;
use super::subject::Subject;

impl ReviewFile {
    /// Only the claims that name a counter, with the checks run on it.
    pub fn contradicted(self) -> Self {
        let claims = self.claims.into_iter().filter(|claim| !claim.counter.is_empty());
        let claims = claims.map(Claim::contradicted).collect();
        Self { claims, setups: self.setups, labels: self.labels, ..Self::default() }
    }
}

impl Claim {
    fn contradicted(self) -> Self {
        let Self { counter, mut checks, .. } = self;
        for check in &mut checks {
            replace(&mut check.left, &counter);
            match &mut check.against {
                Against::Side { right: other, .. } | Against::Range { of: other, .. } => {
                    replace(other, &counter);
                }
                Against::Value { .. } | Against::ValueRange { .. } => {}
            }
        }
        let said = counter.iter().map(|(own, other)| format!("{own} is {other}"));
        let said = said.collect::<Vec<_>>().join(", ");
        let claim = format!("{} [contradicted: {said}]", self.claim);
        Self { claim, checks, counter: Counter::new(), ..self }
    }
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
