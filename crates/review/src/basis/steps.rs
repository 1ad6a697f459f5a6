//! The values beside a value.

use fit::Quantity;
use library::Interface;
use prior::Value;

/// A value moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The new value.
    pub text: String,
    /// Change of its logarithm.
    pub by: f64,
}

/// So much of itself a value is moved by.
const PART: f64 = 1.05;

/// Values beside one, the one to be tried first at the front: first to the side on which a drive
/// gets slower, since a limit that is lowered always shows and one that is raised may run into
/// the next. What cannot be moved by a part of itself (a power of two, a count) is doubled or
/// halved. Words have no value beside them.
pub fn steps(value: &Value) -> Vec<Step> {
    let parts: Option<Vec<Quantity>> = value.text.split(", ").map(Quantity::parse).collect();
    match parts {
        Some(parts) => steps_of(&parts),
        None => value.text.parse().map(|link| of_interface(link).to_vec()).unwrap_or_default(),
    }
}

fn steps_of(parts: &[Quantity]) -> Vec<Step> {
    let Some(first) = parts.first().filter(|first| first.number != 0.0) else { return Vec::new() };
    let times = |factor: f64| {
        let text = |part: &Quantity| written(part.number * factor, part);
        Step { text: parts.iter().map(text).collect::<Vec<_>>().join(", "), by: factor.ln() }
    };
    // Times and shares that are lost make a drive slower as they grow, all else as it shrinks.
    let grows = first.is_time() || first.is_share();
    let sides = |factor: f64| if grows { [factor, 1.0 / factor] } else { [1.0 / factor, factor] };
    if first.is_count() {
        let part = (first.number * (PART - 1.0)).round().max(1.0);
        let to = |number: f64| {
            let by = (number / first.number).ln();
            (number >= 1.0).then(|| Step { text: written(number, first), by })
        };
        let beside = [-part, part, -1.0, 1.0].map(|side| to(first.number + side));
        let doubled = [to((first.number / 2.0).floor()), to(first.number * 2.0)];
        return beside.into_iter().chain(doubled).flatten().collect();
    }
    sides(PART).into_iter().chain(sides(2.0)).map(times).collect()
}

/// Narrower, then wider.
fn of_interface(link: Interface) -> [Step; 2] {
    let by = 2f64.ln();
    let (half, double) = match link {
        Interface::Pcie { generation, lanes: 1 } => (
            Interface::Pcie { generation: generation - 1, lanes: 1 },
            Interface::Pcie { generation, lanes: 2 },
        ),
        Interface::Pcie { generation, lanes } => (
            Interface::Pcie { generation, lanes: lanes / 2 },
            Interface::Pcie { generation, lanes: lanes * 2 },
        ),
        Interface::Sata { .. } => {
            (Interface::Sata { gigabits: 3 }, Interface::Sata { gigabits: 6 })
        }
    };
    [Step { text: half.to_string(), by: -by }, Step { text: double.to_string(), by }]
}

/// A number as a model file writes it: whole where it counts things.
fn written(number: f64, like: &Quantity) -> String {
    match like.is_count() || like.unit == "B" {
        true => format!("{} {}", number.round(), like.unit),
        // Enough digits for any step, few enough for what parses them.
        false => format!("{} {}", (number * 1e6).round() / 1e6, like.unit),
    }
}
