//! The client's input to a hook or the status line: as much of it as is needed, for as long as we can wait.

use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// A payload's beginning holds what we need; the rest of a longer one is read and dropped.
const PAYLOAD_BYTES_MAX: usize = throughline_domain::limits::PAYLOAD_BYTES_MAX;
/// A client that does not finish its payload by then never will.
const PAYLOAD_DEADLINE: Duration = Duration::from_secs(3);

const CHUNK_BYTES: usize = 16 << 10;

/// Reads standard input to its end, or to the deadline.
pub(crate) fn read() -> Vec<u8> {
    let began = Instant::now();
    let stdin = rustix::stdio::stdin();
    let mut bytes = Vec::with_capacity(CHUNK_BYTES);
    loop {
        let Some(left) = PAYLOAD_DEADLINE.checked_sub(began.elapsed()) else { return bytes };
        let timeout = Timespec::try_from(left).ok();
        let mut wait = [PollFd::new(&stdin, PollFlags::IN)];
        if !matches!(poll(&mut wait, timeout.as_ref()), Ok(ready) if ready > 0) {
            return bytes;
        }
        bytes.reserve(CHUNK_BYTES);
        match rustix::io::read(stdin, spare_capacity(&mut bytes)) {
            // Drained even when it is too long: a client that cannot finish writing sees an error.
            Ok(count) if count > 0 => bytes.truncate(PAYLOAD_BYTES_MAX),
            Err(Errno::INTR) => {}
            _ => return bytes,
        }
    }
}
