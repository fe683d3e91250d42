//! Intake: what the agent wrote since the last time goes into the store of usage and into the index of recall.

pub mod discover;
mod readers;
pub mod recall;
pub mod usage;

/// Whoever wants to know how far a long reading is.
pub trait Watch {
    /// So many bytes are to be read.
    fn begin(&mut self, bytes: u64);
    /// So many more were read.
    fn step(&mut self, bytes: u64);
    /// Everything was read.
    fn end(&mut self);
}

/// Nobody does.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Watch for Silent {
    fn begin(&mut self, _: u64) {}
    fn step(&mut self, _: u64) {}
    fn end(&mut self) {}
}
