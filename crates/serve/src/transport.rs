//! What this machine adds to a request by itself: the way through a socket, and timers that end
//! late.
//!
//! Both are measured as a served drive meets them. A client that waits for a drive sleeps, and so
//! does its processor: a request that is answered at once takes half the time of one that is
//! answered after a while.

use crate::server;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Requests and timers that are timed.
const ROUNDS: usize = 1000;
/// A drive takes so long for its answer, about as a fast one does.
const ANSWERED_AFTER: Duration = Duration::from_micros(80);
/// A timer that ends later than this is that of a busy machine, and is not waited for.
const LATEST: Duration = Duration::from_micros(100);
/// Bytes of a request of NBD.
const REQUEST: usize = 28;
/// Bytes of the header of an answer, and of the data of a read behind it.
const ANSWER: (usize, usize) = (16, 4096);

/// What a machine adds, as medians.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// A request of 4 KiB and its answer on their way.
    pub round_trip: Duration,
    /// How much later than asked for a thread runs after it has slept.
    pub wake: Duration,
}

/// Measures them, in a quarter of a second. With `spin` the server does not sleep.
///
/// # Errors
/// What the system says.
pub fn measure(spin: bool) -> std::io::Result<Costs> {
    let (client, server) = UnixStream::pair()?;
    let server = std::thread::spawn(move || serve(server, spin));
    let round_trip = ask(client);
    // It ends with the socket of the client; a thread that fails has measured nothing.
    let wake = server.join().unwrap_or_default();
    Ok(Costs { round_trip: round_trip?, wake })
}

/// Answers requests each after a while; returns how late this thread wakes.
fn serve(mut socket: UnixStream, spin: bool) -> Duration {
    server::exact_timers();
    let wake = if spin { ANSWERED_AFTER } else { lateness_of_timers() };
    let (mut request, answer) = ([0; REQUEST], [0; ANSWER.0 + ANSWER.1]);
    while socket.read_exact(&mut request).is_ok() {
        let began = Instant::now();
        std::thread::sleep(ANSWERED_AFTER.saturating_sub(wake));
        while began.elapsed() < ANSWERED_AFTER {
            std::hint::spin_loop();
        }
        if socket.write_all(&answer).is_err() {
            break;
        }
    }
    wake
}

fn lateness_of_timers() -> Duration {
    let late = || {
        let began = Instant::now();
        std::thread::sleep(ANSWERED_AFTER);
        began.elapsed().saturating_sub(ANSWERED_AFTER)
    };
    median((0..ROUNDS).map(|_| late()).collect()).min(LATEST)
}

fn ask(mut socket: UnixStream) -> std::io::Result<Duration> {
    let (request, mut header, mut data) = ([0; REQUEST], [0; ANSWER.0], [0; ANSWER.1]);
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let began = Instant::now();
        socket.write_all(&request)?;
        socket.read_exact(&mut header)?;
        socket.read_exact(&mut data)?;
        times.push(began.elapsed().saturating_sub(ANSWERED_AFTER));
    }
    Ok(median(times))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_trip_takes_some_time() {
        let costs = measure(false).expect("sockets");
        assert!(costs.round_trip > Duration::ZERO);
        assert!(costs.round_trip < Duration::from_millis(100) && costs.wake <= LATEST);
    }
}
