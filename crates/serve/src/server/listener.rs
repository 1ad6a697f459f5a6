//! Sockets at which clients attach: on this machine's file system, or on TCP.

use rustix::fs::Mode;
use rustix::process::umask;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// A socket that listens.
pub enum Listener {
    /// On the file system, for its owner only. The path is removed in the end.
    Unix(UnixListener, PathBuf),
    /// On TCP.
    Tcp(TcpListener),
}

/// A socket with a peer.
pub enum Socket {
    /// On the file system.
    Unix(UnixStream),
    /// On TCP.
    Tcp(TcpStream),
}

impl Listener {
    /// Listens at a path that nobody uses. A socket that nobody answers any more is replaced.
    ///
    /// # Errors
    /// Anything else at that place, and what the system says.
    pub fn unix(path: &Path) -> io::Result<Self> {
        if let Ok(metadata) = path.symlink_metadata() {
            if !metadata.file_type().is_socket() {
                let why = "something else is there that is no socket";
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
            }
            if UnixStream::connect(path).is_ok() {
                let why = "another server listens there";
                return Err(io::Error::new(io::ErrorKind::AddrInUse, why));
            }
            std::fs::remove_file(path)?;
        }
        let listener = bind_private(path)?;
        listener.set_nonblocking(true)?;
        Ok(Listener::Unix(listener, path.to_owned()))
    }

    /// Listens on TCP.
    ///
    /// # Errors
    /// What the system says.
    pub fn tcp(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Listener::Tcp(listener))
    }

    /// Where it listens, as a client names it: `nbd+unix:///?socket=...` or `nbd://...`.
    pub fn uri(&self) -> String {
        match self {
            Listener::Unix(_, path) => format!("nbd+unix:///?socket={}", path.display()),
            Listener::Tcp(listener) => match listener.local_addr() {
                Ok(address) => format!("nbd://{address}"),
                Err(_) => "nbd://".to_owned(),
            },
        }
    }

    /// The place on the file system.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Listener::Unix(_, path) => Some(path),
            Listener::Tcp(_) => None,
        }
    }

    /// The address on TCP; of port 0 it is the one that the system has chosen.
    pub fn address(&self) -> Option<SocketAddr> {
        match self {
            Listener::Unix(..) => None,
            Listener::Tcp(listener) => listener.local_addr().ok(),
        }
    }

    /// The next client that waits.
    ///
    /// # Errors
    /// What the system says; `WouldBlock` if there is none.
    pub fn accept(&self) -> io::Result<Socket> {
        let socket = match self {
            Listener::Unix(listener, _) => Socket::Unix(listener.accept()?.0),
            Listener::Tcp(listener) => Socket::Tcp(listener.accept()?.0),
        };
        match &socket {
            Socket::Unix(stream) => stream.set_nonblocking(true)?,
            Socket::Tcp(stream) => {
                stream.set_nonblocking(true)?;
                stream.set_nodelay(true)?;
            }
        }
        Ok(socket)
    }
}

/// Binds a socket that never was open to others: its mode is that of the mask from the first
/// moment. Files that other threads make meanwhile are private too.
fn bind_private(path: &Path) -> io::Result<UnixListener> {
    let before = umask(Mode::from_raw_mode(0o177));
    let listener = UnixListener::bind(path);
    umask(before);
    listener
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Unix(_, path) = self {
            // If it is gone already, all is well.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Listener::Unix(listener, _) => listener.as_fd(),
            Listener::Tcp(listener) => listener.as_fd(),
        }
    }
}

impl Socket {
    /// The address to which its client has connected; `None` if that is no address.
    pub fn place(&self) -> Option<SocketAddr> {
        match self {
            Socket::Unix(_) => None,
            Socket::Tcp(stream) => stream.local_addr().ok(),
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Socket::Unix(stream) => stream.as_fd(),
            Socket::Tcp(stream) => stream.as_fd(),
        }
    }
}

impl Read for Socket {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Socket::Unix(stream) => stream.read(to),
            Socket::Tcp(stream) => stream.read(to),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        match self {
            Socket::Unix(stream) => stream.write(from),
            Socket::Tcp(stream) => stream.write(from),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_socket_is_private_and_gone_in_the_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("drive.sock");
        let listener = Listener::unix(&path).expect("listens");
        let mode = path.metadata().expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let taken = Listener::unix(&path).err().expect("taken");
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
        drop(listener);
        assert!(!path.exists());
    }

    #[test]
    fn what_a_killed_server_left_is_replaced_and_a_file_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("drive.sock");
        drop(UnixListener::bind(&path).expect("bound"));
        assert!(path.exists(), "the standard library leaves the path");
        drop(Listener::unix(&path).expect("replaced"));
        std::fs::write(&path, "a file").expect("written");
        let there = Listener::unix(&path).err().expect("a file");
        assert_eq!(there.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read_to_string(&path).expect("there"), "a file");
    }
}
