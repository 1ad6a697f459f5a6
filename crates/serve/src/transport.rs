//! What this machine adds to a request by itself: the way through a socket, and timers that end
//! late.
//!
//! Both are measured as a served drive meets them. A client that waits for a drive sleeps, and so
//! does its processor: a request that is answered at once takes half the time of one that is
//! answered after a while, and the longer that is, the deeper the processor sleeps.

use crate::server;
use std::io::{Read as _, Write as _};
use std::num::NonZeroU32;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Requests and timers that are timed, and the fewest on a drive that is slower than the clock.
const ROUNDS: u32 = 1000;
const LEAST_ROUNDS: u32 = 50;
/// A drive takes so long for its answer, about as a fast one does.
const ANSWERED_AFTER: Duration = Duration::from_micros(80);
/// After so long a processor sleeps as deep as it can.
const LONGEST: Duration = Duration::from_millis(5);
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

/// What is measured: requests of a drive that answers after some time.
#[derive(Clone, Copy)]
struct Trial {
    rounds: u32,
    answered_after: Duration,
}

impl Trial {
    /// Of a drive that is so many times slower than the clock.
    fn slower(times: NonZeroU32) -> Self {
        Trial {
            rounds: (ROUNDS / times).max(LEAST_ROUNDS),
            answered_after: (ANSWERED_AFTER * times.get()).min(LONGEST),
        }
    }
}

/// Measures them, in a quarter of a second to a second, for a drive that is so many times `slower`
/// than the clock. With `spin` the server does not sleep.
///
/// # Errors
/// What the system says.
pub fn measure(spin: bool, slower: NonZeroU32) -> std::io::Result<Costs> {
    let trial = Trial::slower(slower);
    let (client, server) = UnixStream::pair()?;
    let server = std::thread::spawn(move || serve(server, trial, spin));
    let round_trip = ask(client, trial);
    // It ends with the socket of the client; a thread that fails has measured nothing.
    let wake = server.join().unwrap_or_default();
    Ok(Costs { round_trip: round_trip?, wake })
}

/// Answers requests each after a while; returns how late this thread wakes.
fn serve(mut socket: UnixStream, trial: Trial, spin: bool) -> Duration {
    server::exact_timers();
    let wake = if spin { trial.answered_after } else { lateness_of_timers(trial) };
    let (mut request, answer) = ([0; REQUEST], [0; ANSWER.0 + ANSWER.1]);
    while socket.read_exact(&mut request).is_ok() {
        let began = Instant::now();
        std::thread::sleep(trial.answered_after.saturating_sub(wake));
        while began.elapsed() < trial.answered_after {
            std::hint::spin_loop();
        }
        if socket.write_all(&answer).is_err() {
            break;
        }
    }
    wake
}

fn lateness_of_timers(trial: Trial) -> Duration {
    let late = || {
        let began = Instant::now();
        std::thread::sleep(trial.answered_after);
        began.elapsed().saturating_sub(trial.answered_after)
    };
    median((0..trial.rounds).map(|_| late()).collect()).min(LATEST)
}

fn ask(mut socket: UnixStream, trial: Trial) -> std::io::Result<Duration> {
    let (request, mut header, mut data) = ([0; REQUEST], [0; ANSWER.0], [0; ANSWER.1]);
    let mut times = Vec::new();
    for _ in 0..trial.rounds {
        let began = Instant::now();
        socket.write_all(&request)?;
        socket.read_exact(&mut header)?;
        socket.read_exact(&mut data)?;
        times.push(began.elapsed().saturating_sub(trial.answered_after));
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
        let costs = measure(false, NonZeroU32::MIN).expect("sockets");
        assert!(costs.round_trip > Duration::ZERO);
        assert!(costs.round_trip < Duration::from_millis(100) && costs.wake <= LATEST);
    }

    #[test]
    fn a_slow_drive_is_tried_with_its_pauses_and_the_trial_ends_in_time() {
        let of = |times: u32| Trial::slower(NonZeroU32::new(times).expect("a number"));
        assert_eq!((of(1).rounds, of(1).answered_after), (ROUNDS, ANSWERED_AFTER));
        assert_eq!((of(10).rounds, of(10).answered_after), (100, 10 * ANSWERED_AFTER));
        for times in [1, 10, 100, 1_000_000] {
            // Timers first, then requests.
            assert!(2 * of(times).answered_after * of(times).rounds <= Duration::from_secs(1));
        }
    }
}
