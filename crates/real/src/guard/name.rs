//! Names that no job file can carry, and paths that are on no drive.

use crate::refusal::{Reason, Refusal};
use crate::system::System;
use std::path::Path;

impl System {
    /// Refuses what the kernel makes up. A misspelt device would otherwise become a file in
    /// memory and be measured as a very fast drive.
    pub(crate) fn refuse_pseudo(&self, given: &Path, path: &Path) -> Result<(), Refusal> {
        let refuse =
            |why: &str, help: &str| Err(Refusal::new(given, Reason::PseudoFile, why, help));
        if path.starts_with(&self.dev) && !path.starts_with(self.dev.join("shm")) {
            return refuse("there is no such device", "see which there are with lsblk");
        }
        if path.starts_with(&self.proc) || path.starts_with(&self.sys) {
            return refuse("it is not on a drive", "name a file on a drive");
        }
        Ok(())
    }
}

/// Refuses names that fio would read otherwise than they are meant.
///
/// fio cuts values at `;` and `#`, expands `$`, and formats some names with `printf`.
pub(crate) fn check_name(path: &Path) -> Result<(), Refusal> {
    let refuse = |why: String| {
        let help = "use a path of letters, digits and / . _ - + = @ , : only";
        Err(Refusal::new(path, Reason::Name, why, help))
    };
    let Some(text) = path.to_str() else {
        return refuse("its name is not UTF-8".to_owned());
    };
    let allowed = |c: char| c.is_alphanumeric() || "/._-+=@,: ".contains(c);
    if let Some(bad) = text.chars().find(|c| !allowed(*c)) {
        return refuse(format!("its name holds {bad:?}, which fio would not take as it is"));
    }
    if text.is_empty() || text.ends_with(' ') || text.starts_with(' ') || text == "-" {
        return refuse("its name is empty, is `-`, or has a space at an end".to_owned());
    }
    Ok(())
}
