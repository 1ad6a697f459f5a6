//! A drive that is served by a thread of this program.

use crate::error::CrashError;
use serve::control::{Action, LastCut, State, ask};
use serve::drive::LiveDrive;
use serve::server::{Front, Listener, Notice, Options, Server};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// A drive in a thread, with its sockets.
pub struct Served {
    socket: PathBuf,
    control: PathBuf,
    notices: Receiver<Notice>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    /// Serves what `build` builds at a socket below `folder`.
    ///
    /// # Errors
    /// What `build` says, and what the system says of sockets.
    pub fn start(
        folder: &Path,
        build: impl FnOnce() -> Result<(LiveDrive, Options), String> + Send + 'static,
    ) -> Result<Served, CrashError> {
        let (socket, control) = (folder.join("drive.sock"), folder.join("drive.sock.control"));
        let (tell, notices) = channel();
        let (say, ready) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let places = (socket.clone(), control.clone());
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            // Whoever started it hears of the end by the channel.
            if let Err(why) = serve(&places, build, &stopped, tell, &say) {
                let _ = say.send(Err(why));
            }
        });
        let served = Served { socket, control, notices, stop, thread: Some(thread) };
        match ready.recv() {
            Ok(Ok(())) => Ok(served),
            Ok(Err(why)) => Err(CrashError::Server(why)),
            Err(_) => Err(CrashError::Server("it ended at once".to_owned())),
        }
    }

    /// Where clients attach.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// The address of the drive for NBD clients.
    pub fn uri(&self) -> String {
        format!("nbd+unix:///?socket={}", self.socket.display())
    }

    /// Writes that were acknowledged so far.
    pub(crate) fn writes(&self) -> Result<u64, CrashError> {
        let state = self.tell(Action::Health)?;
        Ok(state.requests.get("write").map_or(0, |writes| writes.requests))
    }

    /// Power fails as soon as so many more writes have been acknowledged.
    pub(crate) fn cut_after(&self, writes: u64) -> Result<(), CrashError> {
        self.tell(Action::CutPower { after_writes: writes, within_writes: 0 }).map(drop)
    }

    /// Power fails now, if it has not; what the cut did.
    pub(crate) fn cut(&self) -> Result<LastCut, CrashError> {
        // That there is no power any more is no mistake here.
        let answer = ask(&self.control, &Action::CutPower { after_writes: 0, within_writes: 0 })
            .map_err(|error| CrashError::Server(error.to_string()))?;
        let cut = self.was_cut(Duration::ZERO).or(answer.state.last_cut);
        cut.ok_or_else(|| CrashError::Server("power was cut and nothing said".to_owned()))
    }

    /// Whether power has failed, or does so within a time.
    pub(crate) fn was_cut(&self, within: Duration) -> Option<LastCut> {
        loop {
            match self.notices.recv_timeout(within) {
                Ok(Notice::Cut(cut)) => return Some(cut),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    /// Power is back.
    pub(crate) fn restore(&self) -> Result<(), CrashError> {
        self.tell(Action::Restore).map(drop)
    }

    fn tell(&self, action: Action) -> Result<State, CrashError> {
        let answer =
            ask(&self.control, &action).map_err(|error| CrashError::Server(error.to_string()))?;
        match answer.error {
            Some(error) => Err(CrashError::Server(error)),
            None => Ok(answer.state),
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(
    (socket, control): &(PathBuf, PathBuf),
    build: impl FnOnce() -> Result<(LiveDrive, Options), String>,
    stop: &AtomicBool,
    tell: Sender<Notice>,
    say: &Sender<Result<(), String>>,
) -> Result<(), String> {
    let (drive, options) = build()?;
    let listen = |path: &Path| Listener::unix(path).map_err(|error| error.to_string());
    let listeners = vec![(listen(socket)?, Front::Nbd), (listen(control)?, Front::Control)];
    let tell = move |notice| {
        // Nobody listens once the test is over.
        let _ = tell.send(notice);
    };
    let mut server =
        Server::new(drive, options, listeners, tell).map_err(|error| error.to_string())?;
    let _ = say.send(Ok(()));
    server.run(stop).map_err(|error| error.to_string())
}
