//! What cools a drive, as parameters of a method.

use library::Surroundings;
use metric::Params;

/// The surroundings that `cooling`, `fan` and `ambient` name. The error says what is wrong.
pub fn of(params: &Params) -> Result<Surroundings, String> {
    let text = |name: &str| params.get(name).map(ToString::to_string);
    let wrong = |e: engine::UnitError| e.to_string();
    Ok(Surroundings {
        cooling: text("cooling"),
        fan: text("fan").map(|fan| fan.parse()).transpose().map_err(wrong)?,
        ambient: text("ambient").map(|air| air.parse()).transpose().map_err(wrong)?,
    })
}
