//! Warnings, each once a page: with the runs that it concerns, in front of what it is about.

use crate::document::{Block, Careful, Document, Tone};

/// Names that a warning lists; of more it says how many.
const LISTED: usize = 8;

/// A warning somewhere on the page.
struct Found {
    careful: Careful,
    /// Its section.
    section: usize,
    /// The heading above it.
    place: String,
}

/// Turns all warnings into notes, each once: one that occurs several times in a section is at
/// its beginning, one of several sections before all of them. What the last section (`origin`)
/// repeats is left out there.
pub fn once(document: &mut Document) {
    let mut found = Vec::new();
    for (index, section) in document.sections.iter().enumerate() {
        collect(&section.blocks, &section.title, index, &mut found);
    }
    let origins: Vec<bool> = document.sections.iter().map(|s| s.kind == "origin").collect();
    let mut groups: Vec<Vec<Found>> = Vec::new();
    for one in found {
        match groups.iter_mut().find(|group| alike(&group[0].careful.said, &one.careful.said)) {
            Some(group) if origins[one.section] && !origins[group[0].section] => {}
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    let mut first: Vec<Vec<Block>> = document.sections.iter().map(|_| Vec::new()).collect();
    let mut alone: Vec<Careful> = Vec::new();
    for group in groups {
        match group.as_slice() {
            [one] => alone.push(one.careful.clone()),
            [head, ..] if group.iter().all(|one| one.section == head.section) => {
                first[head.section].push(note(&merged(&group, false)));
            }
            _ => document.summary.push(note(&merged(&group, true))),
        }
    }
    for (section, mut first) in document.sections.iter_mut().zip(first) {
        let blocks = std::mem::take(&mut section.blocks);
        first.extend(settled(blocks, &mut alone));
        section.blocks = first;
    }
}

/// All warnings of some blocks and of what is inside them.
fn collect(blocks: &[Block], place: &str, section: usize, found: &mut Vec<Found>) {
    let mut put = |careful: &Careful| {
        found.push(Found { careful: careful.clone(), section, place: place.to_owned() });
    };
    for block in blocks {
        match block {
            Block::Careful(careful) => put(careful),
            Block::Chart(chart) => chart.warnings.iter().for_each(&mut put),
            _ => {}
        }
    }
    for block in blocks {
        if let Block::Details { summary, blocks, .. } = block {
            collect(blocks, summary, section, found);
        }
    }
}

/// Blocks without the warnings that stand elsewhere now.
fn settled(blocks: Vec<Block>, alone: &mut Vec<Careful>) -> Vec<Block> {
    let mut list = Vec::new();
    let mut stays = |careful: &Careful| {
        let at = alone.iter().position(|known| known == careful)?;
        Some(note(&alone.remove(at)))
    };
    let mut inside = Vec::new();
    for block in blocks {
        match block {
            Block::Careful(careful) => list.extend(stays(&careful)),
            Block::Chart(mut chart) => {
                let warnings = std::mem::take(&mut chart.warnings);
                list.extend(warnings.iter().filter_map(&mut stays));
                list.push(Block::Chart(chart));
            }
            Block::Details { .. } => {
                inside.push(list.len());
                list.push(block);
            }
            other => list.push(other),
        }
    }
    for at in inside {
        if let Block::Details { blocks, .. } = &mut list[at] {
            *blocks = settled(std::mem::take(blocks), alone);
        }
    }
    list
}

/// Several that say the same as one. Across sections, one that concerns all of its section names
/// that section.
fn merged(group: &[Found], across: bool) -> Careful {
    let texts: Vec<&str> = group.iter().map(|one| one.careful.said.as_str()).collect();
    let mut concerns: Vec<String> = Vec::new();
    let all = !across && group.iter().any(|one| one.careful.concerns.is_empty());
    for one in group.iter().filter(|_| !all) {
        let whole = one.careful.concerns.is_empty().then_some(&one.place);
        for name in one.careful.concerns.iter().chain(whole) {
            if !concerns.contains(name) {
                concerns.push(name.clone());
            }
        }
    }
    Careful { said: ranged(&texts), concerns }
}

/// A warning as a note.
fn note(careful: &Careful) -> Block {
    let Careful { said, concerns } = careful;
    let text = match concerns.len() {
        0 => said.clone(),
        1..=3 => format!("{}: {said}", concerns.join("; ")),
        n if n <= LISTED => format!("{said} (of {})", concerns.join("; ")),
        n => {
            let rest = n - LISTED;
            format!("{said} (of {}; and {rest} more)", concerns[..LISTED].join("; "))
        }
    };
    Block::Note(Tone::Warning, text)
}

/// A word as a number, and the characters around it.
fn number(word: &str) -> Option<(f64, &str)> {
    let bare = word.trim_end_matches([',', '.', ';', ':']);
    Some((bare.parse().ok()?, &word[bare.len()..]))
}

/// Whether two warnings differ in numbers at most.
fn alike(a: &str, b: &str) -> bool {
    let same = |(a, b): (&str, &str)| match (number(a), number(b)) {
        (Some((_, a)), Some((_, b))) => a == b,
        _ => a == b,
    };
    a == b
        || a.split(' ').count() == b.split(' ').count() && a.split(' ').zip(b.split(' ')).all(same)
}

/// Warnings that differ in numbers as one text: `draws 14.6 to 14.9 W`.
fn ranged(texts: &[&str]) -> String {
    let word = |(at, first): (usize, &str)| {
        let words = || texts.iter().filter_map(|text| text.split(' ').nth(at));
        match number(first) {
            Some((_, behind)) if words().any(|word| word != first) => {
                let mut all: Vec<(f64, &str)> = words()
                    .filter_map(|word| Some((number(word)?.0, word.trim_end_matches(behind))))
                    .collect();
                all.sort_by(|a, b| a.0.total_cmp(&b.0));
                let ends = all.first().zip(all.last());
                ends.map_or_else(String::new, |((_, low), (_, high))| {
                    format!("{low} to {high}{behind}")
                })
            }
            _ => first.to_owned(),
        }
    };
    let first = texts.first().copied().unwrap_or_default();
    first.split(' ').enumerate().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Section;

    fn careful(said: &str, concerns: &[&str]) -> Block {
        let concerns = concerns.iter().map(|name| (*name).to_owned()).collect();
        Block::Careful(Careful { said: said.to_owned(), concerns })
    }

    fn section(title: &str, kind: &'static str, blocks: Vec<Block>) -> Section {
        Section { title: title.to_owned(), kind, blocks }
    }

    fn notes(blocks: &[Block]) -> Vec<String> {
        let text = |block: &Block| match block {
            Block::Note(Tone::Warning, text) => Some(text.clone()),
            _ => None,
        };
        blocks.iter().filter_map(text).collect()
    }

    #[test]
    fn a_warning_stands_once_with_all_that_it_concerns() {
        let mut document = Document {
            sections: vec![
                section(
                    "Method m",
                    "method",
                    vec![
                        careful("simulated at 1/4", &[]),
                        careful("draws 14.9 W, more than it may", &["a"]),
                        careful("draws 14.6 W, more than it may", &["b"]),
                    ],
                ),
                section(
                    "Compared",
                    "comparison",
                    vec![careful("simulated at 1/4", &["x", "y"]), careful("not steady", &["x"])],
                ),
                section(
                    "Origin",
                    "origin",
                    vec![careful("not steady", &["f.json"]), careful("edited", &["f.json"])],
                ),
            ],
            ..Document::default()
        };
        once(&mut document);
        assert_eq!(notes(&document.summary), ["Method m; x; y: simulated at 1/4"]);
        let of = |index: usize| notes(&document.sections[index].blocks);
        assert_eq!(of(0), ["a; b: draws 14.6 to 14.9 W, more than it may"]);
        assert_eq!(
            (of(1), of(2)),
            (vec!["x: not steady".to_owned()], vec!["f.json: edited".to_owned()])
        );
    }

    #[test]
    fn a_warning_inside_stays_there_unless_it_is_repeated() {
        let inside = |name: &str, said: &str| Block::Details {
            summary: name.to_owned(),
            badge: None,
            blocks: vec![careful(said, &[]), careful("own of it", &[])],
        };
        let mut blocks = vec![inside("m", "twice"), inside("n", "twice")];
        if let Block::Details { blocks: second, .. } = &mut blocks[1] {
            second.truncate(1);
        }
        let sections = vec![section("Runs", "runs", blocks)];
        let mut document = Document { sections, ..Document::default() };
        once(&mut document);
        assert_eq!(notes(&document.sections[0].blocks), ["twice"]);
        let Block::Details { blocks, .. } = &document.sections[0].blocks[1] else { panic!() };
        assert_eq!(notes(blocks), ["own of it"]);
    }
}
