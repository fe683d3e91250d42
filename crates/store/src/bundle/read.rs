//! Reading a bundle: every line under a limit, every part against its checksum, to the end or not at all.

use std::io::{self, BufRead, BufReader, Read};

use flate2::read::GzDecoder;
use md5::{Digest, Md5};
use serde_json::Value;

use super::write::hex;
use super::{BundleError, KIND, LINE_BYTES_MAX, PARTS, Room, SMALL_BYTES, VERSION};

/// What a bundle says of itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Header {
    /// Where and when it was made, as its maker tells it.
    pub about: Value,
}

/// Reads a bundle from its beginning to its end and gives every record with the name of its part. What is given before an
/// error is known to be nothing but a record: who must not take half of it reads twice.
pub fn read(
    source: impl Read,
    room: Room,
    mut each: impl FnMut(&'static str, Value) -> Result<(), String>,
) -> Result<Header, BundleError> {
    let mut lines = Lines::of(source, room);
    let header = header(&lines.next()?.ok_or_else(|| BundleError::NotOurs("it is empty".to_owned()))?)?;
    let mut parts = 0_u64;
    let mut last_part = 0;
    loop {
        let line = lines.next()?.ok_or_else(|| BundleError::Truncated("before its end".to_owned()))?;
        let value: Value = parse(&line).map_err(BundleError::NotOurs)?;
        if value["bundle"] == "end" {
            if value["parts"].as_u64() != Some(parts) || lines.next()?.is_some() {
                return Err(BundleError::NotOurs("its end does not fit its parts".to_owned()));
            }
            return Ok(header);
        }
        let name = value["part"].as_str().unwrap_or_default();
        // In their order, each once: what is taken first must not come again.
        let Some(at) = PARTS.iter().position(|part| *part == name).filter(|at| parts == 0 || *at > last_part)
        else {
            return Err(BundleError::NotOurs("a part that is not known, or in the wrong place".to_owned()));
        };
        (last_part, parts) = (at, parts + 1);
        read_part(&mut lines, PARTS[at], &mut each)?;
    }
}

fn read_part<R: Read>(
    lines: &mut Lines<R>,
    part: &'static str,
    each: &mut impl FnMut(&'static str, Value) -> Result<(), String>,
) -> Result<(), BundleError> {
    let mut sum = Md5::new();
    let mut number = 0;
    loop {
        let Some(line) = lines.next()? else { return Err(BundleError::Truncated(part.to_owned())) };
        let refused = |why: String| BundleError::Record { part: part.to_owned(), number: number + 1, why };
        let value = parse(&line).map_err(refused)?;
        if let Some(end) = value.get("end") {
            let fits = end == part && value["lines"].as_u64() == Some(number) && value["md5"] == hex(sum);
            return if fits { Ok(()) } else { Err(BundleError::Checksum(part.to_owned())) };
        }
        sum.update(&line);
        each(part, value).map_err(refused)?;
        number += 1;
    }
}

fn header(line: &[u8]) -> Result<Header, BundleError> {
    let mut value = parse(line).map_err(BundleError::NotOurs)?;
    if value["throughline"] != KIND {
        return Err(BundleError::NotOurs("its first line says something else".to_owned()));
    }
    match value["version"].as_u64() {
        Some(VERSION) => Ok(Header { about: value["about"].take() }),
        Some(version) if version > VERSION => Err(BundleError::Newer(version)),
        _ => Err(BundleError::NotOurs("its version is none".to_owned())),
    }
}

fn parse(line: &[u8]) -> Result<Value, String> {
    match serde_json::from_slice(line) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err("it is no JSON object".to_owned()),
        // The message quotes nothing of the line.
        Err(error) => Err(format!("it is no JSON ({error})")),
    }
}

/// The unpacked lines, each with its end; counts what was packed and what came of it.
struct Lines<R: Read> {
    unpacked: BufReader<GzDecoder<Counted<R>>>,
    bytes: u64,
    count: u64,
    room: Room,
}

impl<R: Read> Lines<R> {
    fn of(source: R, room: Room) -> Self {
        let decoder = GzDecoder::new(Counted { source, bytes: 0 });
        Self { unpacked: BufReader::with_capacity(64 << 10, decoder), bytes: 0, count: 0, room }
    }

    fn next(&mut self) -> Result<Option<Vec<u8>>, BundleError> {
        let mut line = Vec::new();
        let read = (&mut self.unpacked).take(LINE_BYTES_MAX as u64 + 1).read_until(b'\n', &mut line);
        match read {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            // A file that was cut short, or was never packed by us.
            Err(error) if matches!(error.kind(), io::ErrorKind::UnexpectedEof) => return Ok(None),
            Err(error)
                if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) =>
            {
                return Err(BundleError::NotOurs(format!("it cannot be unpacked ({error})")));
            }
            Err(error) => return Err(error.into()),
        }
        if line.len() > LINE_BYTES_MAX {
            return Err(BundleError::TooMuch(format!("a record of more than {LINE_BYTES_MAX} bytes")));
        }
        self.bytes += line.len() as u64;
        self.count += 1;
        let Room { unpacked_bytes_max, tightness_max, records_max } = self.room;
        let packed = self.unpacked.get_ref().get_ref().bytes.max(1);
        if self.bytes > unpacked_bytes_max {
            return Err(BundleError::TooMuch(format!("more than {unpacked_bytes_max} bytes unpacked")));
        }
        if self.bytes > SMALL_BYTES && self.bytes / packed > tightness_max {
            return Err(BundleError::TooMuch(format!(
                "more than {tightness_max} bytes come of one that is packed"
            )));
        }
        if self.count > records_max {
            return Err(BundleError::TooMuch(format!("more than {records_max} records")));
        }
        if line.last() != Some(&b'\n') {
            return Ok(None);
        }
        Ok(Some(line))
    }
}

struct Counted<R: Read> {
    source: R,
    bytes: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.source.read(into)?;
        self.bytes += bytes as u64;
        Ok(bytes)
    }
}
