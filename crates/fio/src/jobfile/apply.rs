//! The options of a job, one by one, onto its draft.

use super::draft::Draft;
use super::value::{Entry, Value, Warnings};
use super::{apply_data, apply_offsets, apply_report, apply_timing, checks};
use crate::diagnostic::Diagnostic;
use crate::engines;
use crate::job::Job;
use crate::option_row::Class;

impl Draft {
    /// Applies the options in order and checks the whole.
    pub(super) fn resolve(
        mut self,
        globals: &[Entry],
        own: &[Entry],
        overrides: &[Entry],
        warnings: &mut Warnings,
    ) -> Result<Job, Diagnostic> {
        let all = || globals.iter().chain(own).chain(overrides);
        // The meaning of `k` and the engine come first, wherever they are: a job for an engine that
        // is refused should say so rather than stumble over the options of that engine.
        let last = |name: &str| all().rfind(|entry| entry.row.name == name);
        let kilo = match last("kb_base") {
            Some(entry) if Value { entry, kilo: 1024 }.word()? == "1000" => 1000,
            _ => 1024,
        };
        if let Some(entry) = last("ioengine") {
            self.engine(&Value { entry, kilo })?;
        }
        for entry in all() {
            self.apply(&Value { entry, kilo }, warnings)?;
        }
        self.job.options = own.iter().map(Entry::echo).collect();
        checks::finish(self, warnings)
    }

    fn engine(&mut self, value: &Value<'_>) -> Result<(), Diagnostic> {
        let found = engines::resolve(value.required()?);
        let (name, kind) = found.map_err(|(message, help)| {
            Diagnostic::new(&value.entry.value_place, message).with_help(help)
        })?;
        self.job.engine = name.to_owned();
        self.job.engine_kind = kind;
        Ok(())
    }

    fn apply(&mut self, value: &Value<'_>, warnings: &mut Warnings) -> Result<(), Diagnostic> {
        let row = value.entry.row;
        if crate::number::has_bare_binary_suffix(value.text()) {
            let message = format!(
                "`{}`: `{}` is read with a kilo of {}, as fio does against its manual",
                row.name,
                value.text(),
                value.kilo
            );
            let warning = Diagnostic::new(&value.entry.value_place, message)
                .with_help("leave out the `i`, or write the bytes");
            warnings.once("bare binary suffix", warning);
        }
        match row.class {
            Class::Honoured => self.honour(value, warnings)?,
            Class::Ignored(reason) => {
                value.check()?;
                let message = format!("option `{}` is ignored: {reason}", row.name);
                warnings.once(row.name, Diagnostic::new(&value.entry.name_place, message));
            }
            Class::Refused(reason) => {
                let message = format!("option `{}` is refused: {reason}", row.name);
                let help = "remove it, or run the job on a real drive";
                return Err(Diagnostic::new(&value.entry.name_place, message).with_help(help));
            }
        }
        self.places.insert(row.name, value.entry.value_place.clone());
        Ok(())
    }

    fn honour(&mut self, value: &Value<'_>, warnings: &mut Warnings) -> Result<(), Diagnostic> {
        let known = matches!(value.name(), "kb_base" | "ioengine")
            || apply_offsets::apply(self, value, warnings)?
            || apply_timing::apply(self, value)?
            || apply_data::apply(self, value, warnings)?
            || apply_report::apply(self, value, warnings)?;
        // A row without an arm is a mistake in this crate, and a test looks for it.
        debug_assert!(known, "no code reads the option {}", value.name());
        Ok(())
    }
}
