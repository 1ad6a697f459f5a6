//! What the points of a sweep have to keep, and what is sought of them.

use super::design::Design;
use super::plan::priced;
use crate::lifespan::{AMPLIFICATION, LIFETIME};
use crate::render::Failure;
use answer::comparison::Tendency;
use sweep::{Cost, Mistake, Objective};

impl Design {
    /// Reads the prices; every drive has one.
    pub(super) fn price(&mut self) -> Result<(), Failure> {
        let Some(table) = &self.asked.cost else { return Ok(()) };
        let cost = Cost::new(table.clone(), priced).map_err(|wrong| self.asked.failure(wrong))?;
        let variants = self.points.iter().filter_map(|point| point.variant.as_ref().ok());
        let missing = variants.filter_map(|variant| cost.check(&variant.parts).err());
        let missing = missing.map(|wrong| self.asked.failure(wrong)).collect();
        self.cost = Some(cost);
        Failure::several(missing).map_or(Ok(()), Err)
    }

    /// Whether points have a lifetime by what is written a day.
    fn lives(&self) -> bool {
        self.asked.dwpd.is_some() && self.loads.without(AMPLIFICATION).is_none()
    }

    /// Reads requirements and objectives; every load measures them all.
    pub(super) fn seek(&mut self) -> Result<(), Failure> {
        let known = |key: &str, metric: &str| match (metric, &self.cost) {
            ("usable_capacity", _) | ("cost", Some(_)) => Ok(()),
            (LIFETIME, _) if self.lives() => Ok(()),
            ("cost", None) => {
                let help = "give prices with --cost FILE, or [cost] in the plan";
                Err(self.asked.failure(Mistake::new(key, "costs are not known", help)))
            }
            _ => match self.loads.without(metric).map(|load| &load.method.name) {
                None => Ok(()),
                Some(name) => {
                    let message = format!("`{name}` does not measure `{metric}`");
                    let help = match metric {
                        LIFETIME => "say what is written: --dwpd 1 (`dwpd`)".to_owned(),
                        _ => format!("`drivelab show {name}` says what it measures"),
                    };
                    Err(self.asked.failure(Mistake::new(key, message, help)))
                }
            },
        };
        let wrong = |key: &str, why: String| {
            let help = "write for example `read_lat_p99.9 < 1 ms`; `drivelab list metrics` lists \
                        the metrics";
            self.asked.failure(Mistake::new(key, why, help))
        };
        let currency = self.asked.cost.as_ref().map_or("", |cost| cost.currency.as_str());
        let mut requirements = Vec::new();
        for (key, text) in &self.asked.require {
            let one = sweep::requirement(text, currency).map_err(|why| wrong(key, why))?;
            known(key, &one.metric)?;
            requirements.push(one);
        }
        let mut objectives: Vec<Objective> = Vec::new();
        for (list, better) in
            [(&self.asked.minimise, Tendency::Lower), (&self.asked.maximise, Tendency::Higher)]
        {
            for (key, text) in list {
                let one = Objective::new(text, better).map_err(|why| wrong(key, why))?;
                known(key, &one.metric)?;
                if objectives.iter().any(|other| other.metric == one.metric) {
                    return Err(wrong(key, format!("`{}` is sought twice", one.metric)));
                }
                objectives.push(one);
            }
        }
        if self.cost.as_ref().is_some_and(Cost::needs_power) {
            known("cost", "power")?;
        }
        self.objectives_are_usual = objectives.is_empty();
        if objectives.is_empty() {
            objectives = self.usual();
        }
        (self.requirements, self.objectives) = (requirements, objectives);
        Ok(())
    }

    /// What is sought if nobody says it: a low cost if it is known, and of what the load is
    /// compared by the first number and the first percentile.
    fn usual(&self) -> Vec<Objective> {
        let metrics = self.points.first().map(|point| point.load.metrics.clone());
        let mut metrics = metrics.unwrap_or_default();
        metrics.retain(|name| self.loads.without(name).is_none());
        let cost = self.cost.as_ref().map(|_| "cost");
        let tail = metrics.iter().find(|name| name.contains("_lat_p"));
        let names = cost.into_iter().chain(metrics.first().map(String::as_str));
        let names = names.chain(tail.map(String::as_str));
        names.filter_map(Objective::usual).collect()
    }
}
