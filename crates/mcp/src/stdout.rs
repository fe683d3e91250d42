//! Standard output for answers: whole lines, written at once.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;

/// Writes without ever pending. The library refuses a malformed message from within its reading, which it drops whenever
/// something else is ready: with a writer that has to be waited for, such a refusal got lost now and then. A client that
/// does not read its answers keeps nobody waiting but itself.
pub(crate) struct Stdout;

impl Stdout {
    /// A message beside those of the library. A client that has gone misses nothing.
    pub(crate) fn say(message: &serde_json::Value) {
        let mut stdout = io::stdout().lock();
        let _ = stdout.write_all(format!("{message}\n").as_bytes()).and_then(|()| stdout.flush());
    }
}

impl AsyncWrite for Stdout {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(io::stdout().lock().write_all(bytes).map(|()| bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(io::stdout().lock().flush())
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}
