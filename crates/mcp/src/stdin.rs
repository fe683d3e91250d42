//! Standard input for messages: a line that is none is answered, where the library would drop it without a word.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use serde_json::{Value, json};
use tokio::io::{AsyncRead, ReadBuf};

/// Bytes that are read at once.
const CHUNK_BYTES: usize = 64 << 10;
/// What is kept of the beginning and of the end of a line that is too long: ids stand there.
const ENDS_BYTES: usize = 256;
/// The line is no JSON.
const PARSE_ERROR: i32 = -32_700;
/// The line is no request that could be served.
const INVALID_REQUEST: i32 = -32_600;

/// Passes lines of JSON on, whole; `refuse` gets the answer to any other.
pub(crate) struct Stdin<R, F> {
    inner: R,
    refuse: F,
    line_bytes_max: usize,
    /// What has come of the line at hand.
    line: Vec<u8>,
    /// The end of a line that is too long to be kept.
    overlong: Option<Vec<u8>>,
    /// What may be read, and how much of it was.
    ready: Vec<u8>,
    taken: usize,
}

impl<R, F: FnMut(&Value)> Stdin<R, F> {
    pub(crate) fn of(inner: R, line_bytes_max: usize, refuse: F) -> Self {
        let (line, ready) = (Vec::new(), Vec::new());
        Self { inner, refuse, line_bytes_max, line, overlong: None, ready, taken: 0 }
    }

    fn take(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if let Some(end) = &mut self.overlong {
                end.extend_from_slice(&piece[piece.len().saturating_sub(ENDS_BYTES)..]);
                end.drain(..end.len().saturating_sub(ENDS_BYTES));
            } else if self.line.len() + piece.len() > self.line_bytes_max {
                let mut end = self.line[self.line.len().saturating_sub(ENDS_BYTES)..].to_vec();
                end.extend_from_slice(&piece[piece.len().saturating_sub(ENDS_BYTES)..]);
                self.overlong = Some(end);
                self.line.truncate(ENDS_BYTES);
            } else {
                self.line.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        if let Some(end) = self.overlong.take() {
            let what = format!("the request has more than {} bytes", self.line_bytes_max);
            (self.refuse)(&refusal(INVALID_REQUEST, &what, id_at_ends(&line, &end)));
        } else if line.trim_ascii().is_empty() {
            // Nothing was said.
        } else if let Err(error) = serde_json::from_slice::<Value>(&line) {
            (self.refuse)(&refusal(PARSE_ERROR, &format!("the line is no JSON: {error}"), None));
        } else {
            self.ready.append(&mut line);
        }
    }
}

impl<R: AsyncRead + Unpin, F: FnMut(&Value) + Unpin> AsyncRead for Stdin<R, F> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while this.taken == this.ready.len() {
            this.ready.clear();
            this.taken = 0;
            let mut chunk = vec![0; CHUNK_BYTES];
            let mut read = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut this.inner).poll_read(context, &mut read))?;
            if read.filled().is_empty() {
                // The client has left; what it did not finish was no message.
                return Poll::Ready(Ok(()));
            }
            this.take(read.filled());
        }
        let count = to.remaining().min(this.ready.len() - this.taken);
        to.put_slice(&this.ready[this.taken..this.taken + count]);
        this.taken += count;
        Poll::Ready(Ok(()))
    }
}

/// An answer to nobody in particular has no id: the protocol knows none that is null.
fn refusal(code: i32, message: &str, id: Option<Value>) -> Value {
    let mut answer = json!({ "jsonrpc": "2.0", "error": { "code": code, "message": message } });
    if let Some(id) = id {
        answer["id"] = id;
    }
    answer
}

/// The id of a request of which only both ends are known. Libraries write it second, or last.
fn id_at_ends(head: &[u8], tail: &[u8]) -> Option<Value> {
    let begins = String::from_utf8_lossy(head).split_once("\"id\":").and_then(|(before, behind)| {
        let is_first = before.chars().filter(|c| *c == '{').count() == 1;
        is_first.then(|| behind.to_owned())
    });
    let tail = String::from_utf8_lossy(tail.trim_ascii_end()).into_owned();
    let ends = tail.rsplit_once("\"id\":").and_then(|(_, behind)| {
        // One brace ends the request: before it no other was opened or closed.
        behind.strip_suffix('}').filter(|id| !id.contains(['{', '}'])).map(str::to_owned)
    });
    let first_value = |text: String| {
        let mut values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        values.next()?.ok().filter(|id| id.is_string() || id.is_i64() || id.is_u64())
    };
    begins.and_then(first_value).or_else(|| ends.and_then(first_value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_request_that_is_too_long_stands_at_its_ends() {
        for (head, tail, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"x","#, r#""text":"aaaa"}}"#, json!(7)),
            (r#"{"id":"a\"b","method":"#, "aaaa\"}}", json!("a\"b")),
            (r#"{"method":"x","params":{"id":3,"text":"aaa"#, r#"aa"}},"jsonrpc":"2.0","id":8}"#, json!(8)),
        ] {
            assert_eq!(id_at_ends(head.as_bytes(), format!("{tail}\r\n").as_bytes()), Some(id), "{head}");
        }
        for (head, tail) in [
            (r#"{"params":{"id":3,"#, r#""a":1}}"#),
            ("xxxx", "xxxx"),
            (r#"{"params":{"x":""#, r#"","id":9}}"#),
            (r#"{"id":{"a":1},"#, "}"),
        ] {
            assert_eq!(id_at_ends(head.as_bytes(), tail.as_bytes()), None, "{head}");
        }
    }
}
