//! Bundles: everything that a project has, written into one file and taken out of it.

pub mod adopt;
pub mod take;
pub mod write;
