//! Output: cuts the stream that git writes into records, within bounds that no output can pass.

/// Longest record (a path, a subject) that is taken apart; a longer one is dropped.
const RECORD_BYTES_MAX: usize = 64 << 10;

/// Takes what one git process writes to its standard output, piece by piece.
pub(crate) trait Output {
    /// The next piece; cut anywhere, also inside a character.
    fn feed(&mut self, bytes: &[u8]);
}

/// Takes records that end in a NUL.
pub(crate) trait Records {
    /// One record without its NUL; `None` stands for one that was too long to keep.
    fn record(&mut self, record: Option<&[u8]>);
}

/// Cuts a stream at its NULs and hands the records on.
#[derive(Debug, Default)]
pub(crate) struct NulSeparated<R> {
    pub(crate) records: R,
    pending: Vec<u8>,
    overlong: bool,
}

impl<R: Records> NulSeparated<R> {
    pub(crate) fn new(records: R) -> Self {
        Self { records, pending: Vec::new(), overlong: false }
    }

    fn keep(&mut self, part: &[u8]) {
        if self.overlong || self.pending.len() + part.len() > RECORD_BYTES_MAX {
            self.overlong = true;
            self.pending.clear();
        } else {
            self.pending.extend_from_slice(part);
        }
    }
}

impl<R: Records> Output for NulSeparated<R> {
    fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|&byte| byte == 0) {
            if self.pending.is_empty() && !self.overlong && end <= RECORD_BYTES_MAX {
                self.records.record(Some(&rest[..end]));
            } else {
                self.keep(&rest[..end]);
                self.records.record((!self.overlong).then_some(&self.pending));
                self.pending.clear();
                self.overlong = false;
            }
            rest = &rest[end + 1..];
        }
        if !rest.is_empty() {
            self.keep(rest);
        }
    }
}

/// Counts records and keeps none.
#[derive(Debug, Default)]
pub(crate) struct Count(pub(crate) u64);

impl Records for Count {
    fn record(&mut self, _record: Option<&[u8]>) {
        self.0 += 1;
    }
}

/// Keeps the first bytes of a stream and drops the rest.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) bytes: Vec<u8>,
    bytes_max: usize,
}

impl Head {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes: Vec::new(), bytes_max }
    }
}

impl Output for Head {
    fn feed(&mut self, bytes: &[u8]) {
        let room = self.bytes_max.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

#[cfg(test)]
mod tests {
    use super::{NulSeparated, Output, RECORD_BYTES_MAX, Records};

    #[derive(Default)]
    struct Seen(Vec<Option<Vec<u8>>>);

    impl Records for Seen {
        fn record(&mut self, record: Option<&[u8]>) {
            self.0.push(record.map(<[u8]>::to_vec));
        }
    }

    #[test]
    fn records_are_the_same_wherever_the_stream_is_cut() {
        let stream = b"one\0two three\0\0four\0unfinished";
        for piece in 1..stream.len() {
            let mut split = NulSeparated::new(Seen::default());
            stream.chunks(piece).for_each(|chunk| split.feed(chunk));
            let seen: Vec<_> =
                split.records.0.into_iter().map(|r| String::from_utf8(r.unwrap()).unwrap()).collect();
            assert_eq!(seen, ["one", "two three", "", "four"], "pieces of {piece} bytes");
        }
    }

    #[test]
    fn a_record_without_end_takes_no_memory_and_the_next_one_is_read() {
        let mut split = NulSeparated::new(Seen::default());
        for _ in 0..1000 {
            split.feed(&[b'x'; 4096]);
            assert!(split.pending.len() <= RECORD_BYTES_MAX);
        }
        split.feed(b"\0next\0");
        assert_eq!(split.records.0, [None, Some(b"next".to_vec())]);
    }
}
