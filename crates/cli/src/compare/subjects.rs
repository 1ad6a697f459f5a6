//! The columns of a comparison, and which of them is the baseline.

use super::args::CompareArgs;
use crate::render::Failure;
use crate::subject::Subject;
use crate::target;

/// The subjects in the order of their columns, and which of them is the baseline.
pub fn subjects(args: &CompareArgs) -> Result<(Vec<Subject>, usize), Failure> {
    let mut list = Vec::new();
    for text in &args.targets {
        let named = Subject::parse(text)?;
        let base = named.clone();
        list.push(named);
        if base.real {
            continue;
        }
        for give_up in &args.give_up {
            list.push(Subject { give_up: *give_up, ..base.clone() });
        }
        for pair in &args.set {
            let mut varied = base.clone();
            varied.set.retain(|known| known.key != pair.key);
            varied.set.push(pair.clone());
            // What is wrong with it is said at the option.
            let name = text.split('@').next().unwrap_or(text);
            target::resolve(name, &varied.set)?;
            list.push(varied);
        }
    }
    if list.iter().all(|subject| subject.real) && !(args.give_up.is_empty() && args.set.is_empty())
    {
        let message = "--give-up and --set vary models, and every target is real";
        return Err(Failure::wrong(message).with_help("name a modelled drive, or leave them out"));
    }
    if list.len() < 2 {
        let help = "name a second target, or vary it: --give-up 10%, --set KEY=VALUE";
        return Err(Failure::wrong("one target has nothing to be compared with").with_help(help));
    }
    name_apart(&mut list);
    let baseline = match &args.baseline {
        None => 0,
        Some(text) => baseline(&list, text)?,
    };
    Ok((list, baseline))
}

/// Gives each its label and its lineage. What is named again without a change is measured anew,
/// with seeds of its own: then only chance can make it differ.
fn name_apart(list: &mut [Subject]) {
    for i in 0..list.len() {
        let (before, rest) = list.split_at_mut(i);
        let Some(this) = rest.first_mut() else { continue };
        let copies = before.iter().filter(|other| other.is(this)).count();
        let kin = before.iter().find(|other| other.target == this.target);
        this.lineage = match kin {
            Some(kin) if copies == 0 => kin.lineage,
            _ => i as u64,
        };
        this.label = match copies {
            0 => this.name(),
            n => format!("{} ({})", this.name(), n + 1),
        };
    }
}

fn baseline(list: &[Subject], text: &str) -> Result<usize, Failure> {
    let wanted = Subject::parse(text)?;
    let found = list.iter().position(|subject| subject.is(&wanted));
    found.ok_or_else(|| {
        let labels: Vec<&str> = list.iter().map(|subject| subject.label.as_str()).collect();
        Failure::wrong(format!("the baseline `{text}` is none of the targets"))
            .with_help(format!("the targets are {}", labels.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::Pairing;

    #[test]
    fn variations_share_seeds_and_what_is_named_again_does_not() {
        let mut list: Vec<Subject> = ["p4510", "p5430", "p4510@give_up=10%", "p4510"]
            .iter()
            .map(|text| Subject::parse(text).unwrap())
            .collect();
        name_apart(&mut list);
        let lineages: Vec<u64> = list.iter().map(|subject| subject.lineage).collect();
        assert_eq!(lineages, [0, 1, 0, 3]);
        assert_eq!(list[3].label, "p4510-8tb (2)");
        assert_eq!(list[2].pairing(&list[0]), Pairing::Paired);
        assert_eq!(list[3].pairing(&list[0]), Pairing::Independent);
    }
}
