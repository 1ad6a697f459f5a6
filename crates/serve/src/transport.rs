//! What a socket costs by itself: a request and its answer between two threads of this machine.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Requests that are timed.
const ROUNDS: usize = 2000;
/// Bytes of a request of NBD.
const REQUEST: usize = 28;
/// Bytes of the answer to a read of 4 KiB.
const ANSWER: usize = 16 + 4096;

/// The median time of a request of 4 KiB that is answered at once.
///
/// # Errors
/// What the system says.
pub fn round_trip() -> std::io::Result<Duration> {
    let (mut client, mut server) = UnixStream::pair()?;
    let echo = std::thread::spawn(move || {
        let (mut request, answer) = ([0; REQUEST], [0; ANSWER]);
        while server.read_exact(&mut request).is_ok() && server.write_all(&answer).is_ok() {}
    });
    let (request, mut answer) = ([0; REQUEST], [0; ANSWER]);
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let began = Instant::now();
        client.write_all(&request)?;
        client.read_exact(&mut answer)?;
        times.push(began.elapsed());
    }
    drop(client);
    // It ends with its socket, and has nothing to say.
    let _ = echo.join();
    times.sort_unstable();
    Ok(times[ROUNDS / 2])
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_round_trip_takes_some_time() {
        let time = super::round_trip().expect("sockets");
        assert!(time > std::time::Duration::ZERO && time < std::time::Duration::from_millis(100));
    }
}
