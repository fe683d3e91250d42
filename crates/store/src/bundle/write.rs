//! Writing a bundle: line by line, with a checksum at the end of each part.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use md5::{Digest, Md5};
use serde_json::{Value, json};

use super::{KIND, LINE_BYTES_MAX, VERSION};
use crate::door::outside;
use crate::files::{self, AtPath, FileError};

const LEVEL: u32 = 6;

/// A bundle being written.
pub struct BundleWriter<W: Write> {
    encoder: GzEncoder<W>,
    part: Option<Part>,
    parts: u64,
}

struct Part {
    name: &'static str,
    lines: u64,
    sum: Md5,
}

/// Makes the file, for the owner alone; one that is there is not written over.
pub fn create(path: &Path) -> Result<File, FileError> {
    files::create_new(&outside::at(path)).at("create", path)
}

impl<W: Write> BundleWriter<W> {
    /// Begins with what it is about.
    pub fn begin(to: W, about: &Value) -> io::Result<Self> {
        let mut writer = Self { encoder: GzEncoder::new(to, Compression::new(LEVEL)), part: None, parts: 0 };
        writer.put(&json!({"throughline": KIND, "version": VERSION, "about": about}))?;
        Ok(writer)
    }

    /// Begins a part; the one before is closed.
    pub fn part(&mut self, name: &'static str) -> io::Result<()> {
        self.close()?;
        self.put(&json!({"part": name}))?;
        self.part = Some(Part { name, lines: 0, sum: Md5::new() });
        Ok(())
    }

    /// A record of the part.
    pub fn record(&mut self, record: &Value) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        if line.len() > LINE_BYTES_MAX {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("a record of {} bytes", line.len()),
            ));
        }
        if let Some(part) = &mut self.part {
            part.lines += 1;
            part.sum.update(&line);
        }
        self.encoder.write_all(&line)
    }

    /// The end; gives back what was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.close()?;
        let parts = self.parts;
        self.put(&json!({"bundle": "end", "parts": parts}))?;
        let mut to = self.encoder.finish()?;
        to.flush()?;
        Ok(to)
    }

    fn close(&mut self) -> io::Result<()> {
        let Some(Part { name, lines, sum }) = self.part.take() else { return Ok(()) };
        self.parts += 1;
        self.put(&json!({"end": name, "lines": lines, "md5": hex(sum)}))
    }

    fn put(&mut self, value: &Value) -> io::Result<()> {
        serde_json::to_writer(&mut self.encoder, value)?;
        self.encoder.write_all(b"\n")
    }
}

pub(super) fn hex(sum: Md5) -> String {
    format!("{:032x}", u128::from_be_bytes(sum.finalize().into()))
}
