//! Drives that `drivelab serve` serves: a socket behind which a model answers.

use nbd::client::{Client, ClientError};
use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// A server that does not answer for so long is none of ours.
const PATIENCE: Duration = Duration::from_secs(10);
/// What a served drive says of itself, behind the name of its model.
const MODELLED: &str = ", modelled by drivelab";
/// And behind that, if what it holds outlives its server.
const KEPT: &str = ", kept in a file";

/// A drive behind a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedDrive {
    /// Name of its export.
    pub name: String,
    /// The model.
    pub model: String,
    /// What it holds is kept in a file.
    pub kept: bool,
    /// Its size.
    pub bytes: u64,
}

impl ServedDrive {
    /// Asks whoever listens at a socket; why it is none of ours.
    pub(super) fn ask(path: &Path) -> Result<ServedDrive, String> {
        let io = |error: io::Error| error.to_string();
        let failed = |error: ClientError| error.to_string();
        let exports = Client::list(connect(path).map_err(io)?).map_err(failed)?;
        let [(name, description)] = &exports[..] else {
            return Err(format!("it has {} devices, and a job needs one", exports.len()));
        };
        let (told, kept) = match description.strip_suffix(KEPT) {
            Some(rest) => (rest, true),
            None => (description.as_str(), false),
        };
        let model = told.strip_suffix(MODELLED).ok_or("it is no drive that drivelab serves")?;
        let client = Client::connect(connect(path).map_err(io)?, name).map_err(failed)?;
        let (name, model, bytes) = (name.clone(), model.to_owned(), client.bytes());
        // A server that is left without a word takes that for a lost client.
        let _ = client.disconnect();
        Ok(ServedDrive { name, model, kept, bytes })
    }
}

/// A connection to a server.
pub(crate) fn connect(path: &Path) -> io::Result<UnixStream> {
    let stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}
