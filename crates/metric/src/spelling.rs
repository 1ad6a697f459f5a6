//! What a wrong name was probably meant to be, and where all are listed.

use fio::suggest::closest;
pub use fio::suggest::nearest;

/// Names that are shown of a longer list.
const SHOWN: usize = 5;

/// A sentence that proposes the nearest name, or names those that are most like it if none is near
/// enough to be what was meant.
pub fn hint<'a>(
    what: &str,
    wrong: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> String {
    match nearest(wrong, known.clone()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => most_like(what, wrong, known),
    }
}

/// The names most like a wrong one, and the command that lists all if there are more.
pub fn most_like<'a>(what: &str, wrong: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    if known.len() <= SHOWN {
        return format!("known {what}: {}", known.join(", "));
    }
    let count = known.len();
    let near = closest(wrong, known, SHOWN).join(", ");
    let all = match what {
        "drives" | "systems" | "methods" | "reviews" | "workloads" => {
            format!("drivelab list {what}")
        }
        "NAND files" => "drivelab list nands".to_owned(),
        "ways of cooling" => "drivelab list coolings".to_owned(),
        "metrics" => "drivelab list metrics".to_owned(),
        "parameters" => {
            return format!(
                "the nearest {what} are {near}; `drivelab show METHOD` lists a method's"
            );
        }
        _ => return format!("{count} {what} are known, such as {near}"),
    };
    format!("the nearest {what} are {near}; `{all}` lists all")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_far_name_lists_what_is_known() {
        assert_eq!(hint("units", "parsec", ["W", "us"]), "known units: W, us");
        assert_eq!(hint("units", "u", ["W", "us"]), "did you mean `W`?");
    }

    #[test]
    fn of_a_long_list_five_are_shown() {
        let known = ["a-1", "a-2", "a-3", "a-4", "a-5", "qq-6", "a-7"];
        let near = "a-1, a-2, a-3, a-4, a-5";
        assert_eq!(hint("keys", "a-something", known), format!("7 keys are known, such as {near}"));
        let all = "`drivelab list drives` lists all";
        assert_eq!(
            hint("drives", "a-something", known),
            format!("the nearest drives are {near}; {all}")
        );
    }
}
