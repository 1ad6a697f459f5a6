//! Block devices: free, without content that is known, and confirmed.

use super::decision::{Decision, PermitKind, Request};
use super::unknown;
use crate::device::Device;
use crate::refusal::{Reason, Refusal};
use crate::signature;
use crate::space;
use crate::system::System;
use crate::users;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

impl System {
    pub(super) fn block_device(
        &self,
        request: &Request,
        path: PathBuf,
        number: (u32, u32),
        metadata: &Metadata,
    ) -> Result<Decision, Refusal> {
        let given = request.path.as_path();
        let device = Device::of_number(self, number)
            .map_err(|error| unknown(given, "sysfs does not identify it", &error))?;
        let mut why = "it is only read".to_owned();
        if request.destroys() {
            self.check_device_is_free(given, &path, &device)?;
            self.check_confirmed(request, &device)?;
            why = format!(
                "nobody uses it, it holds nothing known, and its serial number was typed ({})",
                about(&device)
            );
        }
        Ok(Decision {
            request: request.clone(),
            path,
            kind: PermitKind::BlockDevice(device),
            may_write: request.writes,
            identity: Some((metadata.dev(), metadata.ino())),
            why,
        })
    }

    /// Refuses a device that anyone uses or that holds anything known.
    fn check_device_is_free(
        &self,
        given: &Path,
        path: &Path,
        device: &Device,
    ) -> Result<(), Refusal> {
        let refuse = |reason, why: String, help: &str| Refusal::new(given, reason, why, help);
        let users = users::of_device(self, device)
            .map_err(|error| unknown(given, "whether it is in use is not known", &error))?;
        if !users.is_empty() {
            let help = "use a drive that nothing else uses; unmount, swapoff or stop it first";
            return Err(refuse(Reason::InUse, users.join(", "), help));
        }
        let partitions = device
            .partitions()
            .map_err(|error| unknown(given, "its partitions are not known", &error))?;
        if !partitions.is_empty() {
            let names: Vec<&str> = partitions.iter().map(|part| part.name.as_str()).collect();
            let why = format!("it has partitions ({})", names.join(", "));
            let help = "if their data can go, delete them first (wipefs -a), or name one of them";
            return Err(refuse(Reason::Partitioned, why, help));
        }
        if device.read_only || device.size_bytes == 0 {
            let why = if device.read_only { "it is read-only" } else { "it has no medium" };
            let help = "name a drive that can be written";
            return Err(refuse(Reason::ReadOnlyDevice, why.to_owned(), help));
        }
        let found = signature::of_path(self, path, device.size_bytes)
            .map_err(|error| unknown(given, "whether it holds data is not known", &error))?;
        match found {
            None => Ok(()),
            Some(found) => {
                let help = "if its data can go, remove the signatures first (wipefs -a)";
                Err(refuse(Reason::Signature, found, help))
            }
        }
    }

    /// Holds the serial number that was typed against the device's.
    fn check_confirmed(&self, request: &Request, device: &Device) -> Result<(), Refusal> {
        let given = request.path.as_path();
        let refuse = |reason, why: String, help: &str| Refusal::new(given, reason, why, help);
        let identities = device.identities(self);
        let about = about(device);
        if identities.is_empty() {
            let why = format!("it reports no serial number ({about})");
            let help = "without one it cannot be confirmed; test a file on it instead";
            return Err(refuse(Reason::NoSerial, why, help));
        }
        // The number is not shown here: it is to be read from the drive, not from this message.
        let typed = match request.destroy_data.as_deref().map(str::trim) {
            None | Some("") => {
                let why = format!("all data on it would be lost ({about})");
                let help = "if they can go, add --destroy-data SERIAL with its serial number \
                            (on its label, or by: lsblk -dno NAME,MODEL,SERIAL; of a loop device \
                            the file behind it)";
                return Err(refuse(Reason::NotConfirmed, why, help));
            }
            Some(typed) => typed,
        };
        if !identities.iter().any(|identity| identity == typed) {
            let why = format!("its serial number is not `{typed}` ({about})");
            let help = "make sure that this is the drive you mean";
            return Err(refuse(Reason::WrongSerial, why, help));
        }
        let sharing = device
            .sharing(self, typed)
            .map_err(|error| unknown(given, "whether others have its serial number", &error))?;
        if !sharing.is_empty() {
            let why = format!("`{typed}` is also the number of {} ({about})", sharing.join(", "));
            let help = "give --destroy-data its own WWID or NGUID (lsblk -dno NAME,WWN; \
                        /sys/block/NAME/wwid)";
            return Err(refuse(Reason::SharedSerial, why, help));
        }
        Ok(())
    }
}

/// Model and size, for messages.
fn about(device: &Device) -> String {
    let model = device.model().unwrap_or_else(|| "model unknown".to_owned());
    format!("{model}, {}", space::text(device.size_bytes))
}
